/* A chart as an SVG element, by Observable Plot: drawChart(model, view, {width, height, ink}) → {svg, stops: [{x, y, index}], lying}.
 * ink(name): a colour for a custom property: the property itself on the page, so that dark and light need no other picture; its value in files.
 * Marks of a group have the class "chart-group-<n>", those of a stop are found by its place. */
import { SIZE, apart, axisOf, isNarrow, stand, thinned, widthOf, wrapped } from "./layout.js";
import { axisX, axisY, barX, barY, dot, gridX, gridY, lineY, plot, rectY, ruleX, ruleY, text } from "./plot.js";
import { shownOf, sumOf } from "./twin.js";

const SYMBOLS = ["circle", "square", "triangle", "diamond", "plus", "star", "times"];
const MARKED = 40; /* points of a line that have a symbol each */
const FONT = "system-ui, sans-serif";

const number = (value) => (value === null || value === undefined ? NaN : Number(value));
const extent = (numbers) => numbers.reduce(([lo, hi], n) => (Number.isNaN(n) ? [lo, hi] : [Math.min(lo, n), Math.max(hi, n)]), [Infinity, -Infinity]);
const quiet = { ariaHidden: "true" };

function finish(options, marks) {
    const svg = plot({ ...options, axis: null, marks: marks.filter(Boolean), style: { fontSize: `${SIZE}px`, fontFamily: FONT, background: "none" } });
    svg.querySelectorAll("style").forEach((style) => style.remove()); /* the page's policy allows none; chart.css has what it says */
    svg.setAttribute("aria-hidden", "true");
    return svg;
}

/* What all charts with a vertical axis of values share. */
function valueAxis(model, numbers, height, fromZero) {
    const [lo, hi] = extent(numbers), known = lo <= hi ? [lo, hi] : [0, 1];
    const axis = axisOf(...known, height < 240 ? 4 : 5, fromZero, model.least);
    return { ...axis, left: 12 + Math.max(...axis.ticks.map((tick) => widthOf(model.show(tick)))), label: (tick) => model.show(tick) };
}

const grid = (axis, ink) => [
    gridY(axis.ticks, { stroke: ink("--chart-grid"), strokeOpacity: 1, ...quiet }),
    axisY(axis.ticks, { tickFormat: axis.label, tickSize: 0, label: null, fill: ink("--chart-text"), ...quiet }),
];

/* ---- lines ---- */

function timeTicks(model, stops, left, right) {
    const first = model.stops[stops[0]].at, last = model.stops[stops[stops.length - 1]].at;
    const years = [];
    for (let year = Math.ceil(first); year <= last && years.length < 400; year++)
        years.push(year);
    const place = (at) => left + ((at - first) / (last - first || 1)) * (right - left);
    const byYear = model.axis === "time" && years.length > 2;
    const at = byYear ? years : stops.map((i) => model.stops[i].at), labels = byYear ? years.map(String) : stops.map((i) => model.stops[i].short);
    return thinned(labels, at.map(place)).map((i) => ({ at: at[i], label: labels[i] }));
}

function drawLines(model, view, { width, height, ink }) {
    const { stops, groups } = shownOf(model, view), narrow = isNarrow(width);
    const points = groups.map((k) => stops.map((i) => ({ at: model.stops[i].at, value: number(model.values[i][k]), stop: i })));
    const sums = model.aggregate === "sum" || model.aggregate === "count";
    const axis = valueAxis(model, points.flat().map((point) => point.value), height, sums);
    const last = points.map((list) => list.filter((point) => !Number.isNaN(point.value)).pop());
    const named = !narrow && model.groups.length > 1;
    const names = named ? groups.map((k) => model.groups[k].label) : groups.map((_, n) => (model.groups.length === 1 && last[n] ? model.show(last[n].value) : ""));
    const at = (n) => model.stops[stops[n]].at, years = model.axis === "time" && at(stops.length - 1) - at(0) > 3;
    const below = widthOf(years ? "2000" : model.stops[stops[stops.length - 1]].short) / (years ? 4 : 2);
    const right = Math.max(14 + Math.min(width * 0.26, Math.max(0, ...names.map((name) => widthOf(name) + 8))), below + 4);
    const top = 12, bottom = 26, left = axis.left;
    const first = model.stops[stops[0]].at, end = model.stops[stops[stops.length - 1]].at;
    const across = (at) => (end > first ? left + ((at - first) / (end - first)) * (width - right - left) : (left + width - right) / 2);
    const up = (value) => height - bottom - ((value - axis.lo) / (axis.hi - axis.lo)) * (height - top - bottom);
    const ticks = timeTicks(model, stops, left, width - right);
    const ends = apart(last.map((point) => (point ? up(point.value) : top)), SIZE + 3, top, height - bottom);
    const marks = groups.flatMap((k, n) => {
        const color = ink(model.groups[k].color), className = `chart-group-${k}`;
        return [
            lineY(points[n], { x: "at", y: "value", stroke: color, strokeWidth: 2.25, className }),
            dot(points[n].length <= MARKED ? points[n] : last[n] ? [last[n]] : [], { x: "at", y: "value", fill: color, stroke: ink("--chart-ground"), strokeWidth: 1, r: 3.5, symbol: SYMBOLS[k % SYMBOLS.length], className }),
            names[n] && last[n] ? text([0], { x: () => last[n].at, y: () => axis.lo, dx: 8, dy: ends[n] - (height - bottom), text: () => names[n], textAnchor: "start", lineAnchor: "middle", fill: ink("--chart-text"), fontWeight: 500, className, lineWidth: (right - 14) / SIZE, textOverflow: "ellipsis" }) : null,
        ];
    });
    const svg = finish({
        width, height, marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left,
        x: { type: "linear", domain: end > first ? [first, end] : [first - 1, first + 1] }, y: { type: "linear", domain: [axis.lo, axis.hi] },
    }, [
        ...grid(axis, ink),
        axisX(ticks.map((tick) => tick.at), { tickFormat: (at) => ticks.find((tick) => tick.at === at).label, tickSize: 4, label: null, fill: ink("--chart-text"), stroke: ink("--chart-text"), ...quiet }),
        axis.lo <= 0 && axis.hi >= 0 ? ruleY([0], { stroke: ink("--chart-text") }) : null,
        ...marks,
    ]);
    return { svg, lying: false, stops: stops.map((i) => ({ index: i, x: across(model.stops[i].at), top, bottom: height - bottom, points: groups.map((k) => ({ group: k, y: up(number(model.values[i][k])) })) })) };
}

/* ---- bars ---- */

/* [{stop, group, from, to}]: parts of bars, laid on each other away from zero where they are stacked. */
function partsOf(model, stops, groups) {
    return stops.flatMap((i, n) => {
        let up = 0, down = 0;
        return groups.map((k, slot) => {
            const value = number(model.values[i][k]);
            if (model.type !== "stacked")
                return { n, stop: i, group: k, slot, from: 0, to: value };
            const from = value < 0 ? down : up;
            if (value < 0) down += value;
            else if (!Number.isNaN(value)) up += value;
            return { n, stop: i, group: k, slot, from, to: from + value };
        });
    });
}

/* The colour of a part: of the group, or of a stop that was folded or has no value. */
function paint(model, part, ink) {
    const { kind } = model.stops[part.stop];
    return ink(model.groups.length === 1 && kind !== "" && kind !== "class" ? "--chart-8" : model.moments ? "--chart-single" : model.groups[part.group].color);
}

function drawStanding(model, view, { width, height, ink }) {
    const { stops, groups } = shownOf(model, view), parts = partsOf(model, stops, groups);
    const axis = valueAxis(model, parts.flatMap((part) => [part.from, part.to]), height, true);
    const labels = stops.map((i) => model.stops[i].short), bare = (width - axis.left - 8) / stops.length;
    const top = 18, bottom = 26, left = axis.left, right = 8 + Math.max(0, (widthOf(labels[labels.length - 1]) - bare) / 2);
    const step = (width - left - right) / stops.length, band = step * 0.8, slots = model.type === "stacked" ? 1 : groups.length;
    const middle = (n) => left + step * (n + 0.5);
    const seen = new Set(thinned(labels, stops.map((_, n) => middle(n))));
    const single = slots === 1 && (groups.length === 1 || model.total);
    const totals = stops.map((i) => sumOf(groups.map((k) => model.values[i][k])));
    const roomy = single && totals.every((total) => widthOf(model.show(total)) <= step);
    const svg = finish({
        width, height, marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left,
        x: { type: "band", domain: stops.map((_, n) => n), paddingInner: 0.2, paddingOuter: 0.1, round: false }, y: { type: "linear", domain: [axis.lo, axis.hi] },
    }, [
        ...grid(axis, ink),
        axisX(stops.map((_, n) => n).filter((n) => seen.has(n)), { tickFormat: (n) => labels[n], tickSize: 0, label: null, fill: ink("--chart-text"), ...quiet }),
        ...groups.map((k, slot) => barY(parts.filter((part) => part.group === k && !Number.isNaN(part.to)), {
            x: "n", y1: "from", y2: "to", fill: (part) => paint(model, part, ink), className: `chart-group-${k}`,
            insetLeft: slots > 1 ? (band / slots) * slot : 0, insetRight: slots > 1 ? (band / slots) * (slots - 1 - slot) : 0,
            stroke: model.type === "stacked" ? ink("--chart-ground") : undefined, strokeWidth: 0.75,
        })),
        roomy ? text(stops.map((_, n) => n), { x: (n) => n, y: (n) => Math.max(0, totals[n]), text: (n) => model.show(totals[n]), dy: -7, fill: ink("--chart-text") }) : null,
        ruleY([0], { stroke: ink("--chart-text") }),
    ]);
    return { svg, lying: false, stops: stops.map((i, n) => ({ index: i, x: middle(n), width: step, top, bottom: height - bottom })) };
}

/* NAME in at most two lines of WIDTH. */
function twoLines(name, width) {
    const [first, second, ...more] = wrapped(name, width);
    return [first, more.length > 0 ? `${second} …` : second].filter(Boolean).join("\n");
}

function drawLying(model, view, { width, height: wished, ink }) {
    const { stops, groups } = shownOf(model, view), parts = partsOf(model, stops, groups), narrow = isNarrow(width);
    const slots = model.type === "stacked" ? 1 : groups.length, single = slots === 1 && (groups.length === 1 || model.total);
    const ends = stops.map((i) => groups.map((k) => model.values[i][k]));
    const all = model.moments ? model.values.flat().map(number) : parts.flatMap((part) => [part.from, part.to]); /* one scale for all moments */
    const [lo, hi] = extent([0, ...all]);
    const plain = stops.map((i) => model.stops[i].label);
    const left = narrow ? 4 : 10 + Math.min(width * 0.36, Math.max(...plain.map((name) => widthOf(name))));
    const names = narrow ? plain : plain.map((name) => twoLines(name, left - 8));
    const valued = slots > 1 ? parts.map((part) => (Number.isNaN(part.to) ? "" : model.show(part.to))) : single ? ends.map((list) => model.show(sumOf(list))) : [];
    const right = 10 + Math.max(0, ...valued.map((value) => widthOf(value)));
    const above = narrow ? SIZE + 6 : 0, least = slots * (slots > 1 ? 15 : 20), top = 2, bottom = single || slots > 1 ? 4 : 26;
    const bars = Math.max(least, Math.min(2 * least, (wished - top - bottom) / stops.length - above - 8)), row = above + 8 + bars; /* few bars grow into their room */
    const height = top + bottom + row * stops.length, band = row - above - 8;
    const axis = axisOf(lo, hi, narrow ? 3 : 5, true);
    const domain = single || slots > 1 ? [lo, hi === lo ? lo + 1 : hi] : [axis.lo, axis.hi];
    const inset = (slot) => ({ insetTop: above + 4 + (slots > 1 ? (band / slots) * slot : 0), insetBottom: 4 + (slots > 1 ? (band / slots) * (slots - 1 - slot) : 0) });
    const labels = valued.length === 0 ? null : slots > 1
        ? groups.map((k, slot) => text(parts.filter((part) => part.group === k && !Number.isNaN(part.to)), { x: (part) => Math.max(0, part.to), y: "n", text: (part) => model.show(part.to), dx: 5, dy: above / 2 + (band / slots) * (slot - (slots - 1) / 2), textAnchor: "start", fill: ink("--chart-text"), className: `chart-group-${k}` }))
        : [text(stops.map((_, n) => n), { x: (n) => Math.max(0, sumOf(ends[n])), y: (n) => n, text: (n) => valued[n], dx: 5, dy: above / 2, textAnchor: "start", fill: ink("--chart-text") })];
    const svg = finish({
        width, height, marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left,
        y: { type: "band", domain: stops.map((_, n) => n), padding: 0, round: false }, x: { type: "linear", domain },
    }, [
        ...(labels === null ? [gridX(axis.ticks, { stroke: ink("--chart-grid"), strokeOpacity: 1 }), axisX(axis.ticks, { tickFormat: (tick) => model.show(tick), tickSize: 0, label: null, fill: ink("--chart-text") })] : []),
        narrow
            ? text(stops.map((_, n) => n), { y: (n) => n, text: (n) => names[n], frameAnchor: "left", dx: 4, textAnchor: "start", lineAnchor: "middle", dy: -band / 2, lineWidth: (width - 8) / SIZE, textOverflow: "ellipsis", fill: ink("--chart-text") })
            : axisY(stops.map((_, n) => n), { tickFormat: (n) => names[n], tickSize: 0, label: null, lineHeight: 1.05, fill: ink("--chart-text") }),
        ...groups.map((k, slot) => barX(parts.filter((part) => part.group === k && !Number.isNaN(part.to)), {
            y: "n", x1: "from", x2: "to", fill: (part) => paint(model, part, ink), className: `chart-group-${k}`, ...inset(slot), stroke: model.type === "stacked" ? ink("--chart-ground") : undefined, strokeWidth: 0.75,
        })),
        ruleX([0], { stroke: ink("--chart-text") }),
        ...(labels || []),
    ]);
    return { svg, lying: true, stops: stops.map((i, n) => ({ index: i, y: top + row * (n + 0.5), height: row, left, right: width - right })) };
}

function drawHistogram(model, view, { width, height, ink }) {
    const bins = model.stops.map((stop, i) => ({ from: Number(stop.from), to: Number(stop.to), value: number(model.values[i][0]), i }));
    const axis = valueAxis(model, bins.map((bin) => bin.value), height, true);
    const top = 12, bottom = 26, left = axis.left, right = 16, lo = bins[0].from, hi = bins[bins.length - 1].to;
    const across = (at) => left + ((at - lo) / (hi - lo)) * (width - left - right);
    const borders = [...bins.map((bin) => bin.from), hi], labels = borders.map((border) => model.write(border));
    const seen = thinned(labels, borders.map(across));
    const svg = finish({
        width, height, marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left,
        x: { type: "linear", domain: [lo, hi] }, y: { type: "linear", domain: [axis.lo, axis.hi] },
    }, [
        ...grid(axis, ink),
        axisX(seen.map((i) => borders[i]), { tickFormat: (at) => labels[borders.indexOf(at)], tickSize: 4, label: null, fill: ink("--chart-text"), stroke: ink("--chart-text") }),
        rectY(bins, { x1: "from", x2: "to", y1: 0, y2: "value", fill: ink(model.groups[0].color), inset: 0.5, className: "chart-group-0" }),
        ruleY([0], { stroke: ink("--chart-text") }),
    ]);
    return { svg, lying: false, stops: bins.map((bin) => ({ index: bin.i, x: across((bin.from + bin.to) / 2), width: across(bin.to) - across(bin.from), top, bottom: height - bottom })) };
}

/* ---- what was planned, and what came ---- */

const DAY = 86400000;
const dayOf = (text) => (text ? Date.parse(`${text}T00:00:00Z`) / DAY : NaN);

export function dayLabels(lo, hi, room, lang) {
    const from = new Date(lo * DAY), months = (new Date(hi * DAY).getUTCFullYear() - from.getUTCFullYear()) * 12 + new Date(hi * DAY).getUTCMonth() - from.getUTCMonth() + 1;
    const step = [1, 2, 3, 6, 12, 24, 60, 120, 240].find((n) => months / n <= room) || 600;
    const format = new Intl.DateTimeFormat(lang, step % 12 === 0 ? { year: "numeric", timeZone: "UTC" } : { month: "short", year: "numeric", timeZone: "UTC" });
    const list = [];
    for (let month = Math.ceil((from.getUTCFullYear() * 12 + from.getUTCMonth()) / step) * step; ; month += step) {
        const at = Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY;
        if (at > hi)
            return list;
        if (at >= lo)
            list.push({ at, label: format.format(new Date(at * DAY)) });
    }
}

function drawGantt(model, view, { width, ink }) {
    const narrow = isNarrow(width), lines = [], alone = new Set(model.rows.map((row) => row.group)).size * 2 > model.rows.length;
    model.rows.forEach((row, i) => {
        if (row.group && !alone && (i === 0 || model.rows[i - 1].group !== row.group))
            lines.push({ heading: row.group });
        lines.push({ ...row, label: alone && row.group ? `${row.group}: ${row.label}` : row.label, index: i, from: dayOf(row.planned), to: dayOf(row.actual) });
    });
    const rows = lines.map((line, n) => ({ ...line, n })), bars = rows.filter((line) => !line.heading);
    const [first, last] = extent(bars.flatMap((bar) => [bar.from, bar.to])), pad = Math.max(5, (last - first) * 0.02), lo = first - pad, hi = last + pad;
    const left = narrow ? 4 : 14 + Math.min(width * 0.34, Math.max(...bars.map((bar) => widthOf(bar.label))));
    const lift = narrow ? 9 : 0, row = narrow ? 38 : 24, top = 24, bottom = 6, right = 30, height = top + bottom + row * rows.length;
    const late = (bar) => ink(bar.value !== null && Number(bar.value) > 0 ? "--chart-late" : "--chart-single");
    const ticks = dayLabels(lo, hi, Math.max(2, (width - left - right) / 80), model.lang), done = bars.filter((bar) => !Number.isNaN(bar.to));
    const svg = finish({
        width, height, marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left,
        y: { type: "band", domain: rows.map((line) => line.n), padding: 0, round: false }, x: { type: "linear", domain: [lo, hi] },
    }, [
        gridX(ticks.map((tick) => tick.at), { stroke: ink("--chart-grid"), strokeOpacity: 1 }),
        axisX(ticks.map((tick) => tick.at), { anchor: "top", tickFormat: (at) => ticks.find((tick) => tick.at === at).label, tickSize: 0, label: null, fill: ink("--chart-text") }),
        text(rows.filter((line) => line.heading), { y: "n", text: "heading", frameAnchor: "left", textAnchor: "start", dx: narrow ? 0 : 4 - left, fontWeight: 600, lineWidth: (width - 16) / SIZE, textOverflow: "ellipsis", fill: ink("--chart-text"), stroke: ink("--chart-ground"), strokeWidth: 4 }),
        text(bars, { y: "n", text: "label", frameAnchor: "left", textAnchor: "start", dx: narrow ? 0 : 12 - left, dy: -lift, lineWidth: (1.15 * (narrow ? width - 8 : left - 14)) / SIZE, textOverflow: "ellipsis", fill: ink("--chart-text") }),
        barX(done, { y: "n", x1: "from", x2: "to", fill: late, insetTop: row / 2 - 2 + lift, insetBottom: row / 2 - 2 - lift }),
        dot(bars.filter((bar) => !Number.isNaN(bar.from)), { x: "from", y: "n", dy: lift, symbol: "diamond", r: 4.5, fill: ink("--chart-ground"), stroke: ink("--chart-text"), strokeWidth: 1.5 }),
        dot(done, { x: "to", y: "n", dy: lift, r: 4.5, fill: late, stroke: ink("--chart-ground"), strokeWidth: 1 }),
    ]);
    return { svg, lying: true, stops: bars.map((bar) => ({ index: bar.index, y: top + row * (bar.n + 0.5), height: row, left, right: width - right })) };
}

/* ---- all of them ---- */

/* HEIGHT is a wish: bars that lie take what their rows need, and at most twice that. */
export function drawChart(model, view, size) {
    const height = size.height || (isNarrow(size.width) ? 260 : 340), sized = { ...size, height };
    if (model.type === "gantt")
        return drawGantt(model, view, sized);
    if (model.type === "histogram")
        return drawHistogram(model, view, sized);
    if (model.type === "line")
        return drawLines(model, view, sized);
    return stand(model, shownOf(model, view).stops, size.width) ? drawStanding(model, view, sized) : drawLying(model, view, sized);
}
