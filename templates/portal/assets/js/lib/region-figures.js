/* The figures of a choropleth: a table's summary (<slug>.summary.json) at one level of places. Nothing of a page is in here. */

const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

/* Four breaks or fewer where the document has none for a level: of at most five values each is a class of its own, else classes of equal numbers of places. */
export function breaksOf(values) {
    const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
    const distinct = [...new Set(sorted)];
    if (distinct.length <= 5)
        return distinct.slice(1);
    const found = [...new Set([1, 2, 3, 4].map((k) => sorted[Math.floor((k * sorted.length) / 5)]))].filter((value) => value > sorted[0]);
    return found.length > 0 ? found : distinct.slice(1, 2);
}

/* Breaks with two digits, as long as they stay apart. */
function readable(breaks) {
    const rounded = breaks.map((value) => Number(value.toPrecision(2)));
    return new Set(rounded).size === rounded.length ? rounded : breaks;
}

/* The levels that an element has boundaries for, finest first: [{kind, level, boundaries, names, title}]. */
export function levelsOf({ summary, level, boundaries, names, levelTitle, aboveLevel, aboveBoundaries, aboveNames, aboveTitle }) {
    const all = [{ kind: "areas", level, boundaries, names, title: levelTitle }, { kind: "above", level: aboveLevel, boundaries: aboveBoundaries, names: aboveNames, title: aboveTitle }];
    return summary ? all.filter((one) => one.boundaries) : [];
}

export class RegionFigures {
    /* LEVEL: the list whose places are drawn; NAMES: {code: text} of that list, may lack some. */
    constructor(summary, level, names) {
        this.summary = summary;
        this.level = level;
        this.names = names;
        this.rows = (summary.places && summary.places[level]) || {};
        this.codes = Object.keys(this.rows);
        this.times = (summary.time && summary.time.values) || [];
        this.panel = Boolean(summary.time && summary.time.panel);
        this.measures = (summary.measures || []).map((measure, index) => ({ ...measure, index }))
            .filter(({ index }) => this.codes.some((code) => this.value(code, index, null) !== null));
    }

    name(code) {
        return (has(this.names, code) && this.names[code]) || code;
    }

    /* Of place CODE and the measure with number INDEX, at the time with number TIME; null: over all times (of a panel, the last). Null: there is none. */
    value(code, index, time) {
        const row = has(this.rows, code) ? this.rows[code] : null;
        const of = row === null ? null : time === null ? row.total : row.times && row.times[time];
        return (of && of[index]) ?? null;
    }

    /* The numbers of the times that any place has a value of this measure for. */
    timesOf(measure) {
        return this.times.map((_, i) => i).filter((time) => this.codes.some((code) => this.value(code, measure.index, time) !== null));
    }

    /* The document's breaks are of totals; where a TIME is a part of the total, those of all times together, so that one time's colours are another's. */
    breaks(measure, time) {
        const given = measure.classes && measure.classes[this.level];
        const isPart = time !== null && !this.panel;
        if (given && given.length > 0 && !isPart)
            return given;
        const times = isPart ? this.timesOf(measure) : [null];
        return readable(breaksOf(this.codes.flatMap((code) => times.map((one) => this.value(code, measure.index, one)))));
    }

    /* [{code, value, rank}] from the greatest on, places without a value left out; equal values, equal ranks. */
    ranking(measure, time) {
        const list = this.codes.map((code) => ({ code, value: this.value(code, measure.index, time) })).filter(({ value }) => value !== null)
            .sort((a, b) => b.value - a.value || (a.code < b.code ? -1 : 1));
        list.forEach((row, i) => {
            row.rank = i > 0 && list[i - 1].value === row.value ? list[i - 1].rank : i + 1;
        });
        return list;
    }
}

/* The number of breaks that VALUE has reached; -1 without a value. */
export const classOf = (value, breaks) => (value === null ? -1 : breaks.filter((at) => value >= at).length);

/* Which of the five colours class AT of N classes has: few classes are spread over the ramp. */
export const stepOf = (at, n) => (n <= 1 ? 2 : Math.round((at * 4) / (n - 1)));
