/* A choropleth: the places of a level, coloured by the class that their figure is in. */
import { number as exact } from "./format.js";
import { colour, Shapes } from "./leaflet-shapes.js";
import { inLanguage, make, number } from "./leaflet-text.js";
import { middleOf } from "./map-geometry.js";
import { classOf, stepOf } from "./region-figures.js";
import { say } from "./words.js";

const RAMP = ["#d6e6f4", "#a6cbe6", "#6aaad4", "#3883bd", "#15598f"]; /* where the theme has none */
const NAMED_FROM = 5.5; /* zoom */

/* The code of the place that a feature of a boundaries list draws. */
const codeOf = (feature, meta) => String(meta.key && meta.key.length === 1 ? feature.properties[meta.key[0]] : feature.id);

/* VALUE of MEASURE as people read it; with its unit. */
export function figure(value, measure, withUnit) {
    if (value === null)
        return say("map_empty");
    const text = exact(value, measure.decimals);
    const unit = withUnit ? inLanguage(measure.unit) : "";
    return unit ? `${text} ${unit}` : text;
}

/* "Tingkat: Berat", "Rata-rata harga": what a measure is called. LEVEL is not the records' own: means are of records. */
export function titleOf(measure) {
    const title = inLanguage(measure.title) || measure.field || measure.name;
    return measure.label ? `${title}: ${inLanguage(measure.label)}` : measure.aggregate === "mean" ? say("map_mean", { title }) : title;
}

export class Areas extends Shapes {
    /* BOUNDARIES: <slug>.map.geojson of the list of boundaries; FIGURES: RegionFigures; LINKS: {places, filter(code): the page of all records with those of a place, or null}. */
    constructor(frame, boundaries, figures, links) {
        super(frame);
        Object.assign(this, { figures, links, edged: true, dots: true, hovered: null, watchers: [] });
        frame.container.classList.add("is-areas");
        this.measure = figures.measures[0];
        this.time = null;
        this.readColours();
        const known = new Map();
        boundaries.features.filter((feature) => feature.geometry).map((feature) => ({ feature, code: codeOf(feature, boundaries.odp || {}) }))
            .sort((a, b) => (figures.name(a.code) < figures.name(b.code) ? -1 : 1)).forEach(({ feature, code }) => {
                const item = this.add(feature, { code, name: figures.name(code), category: 0 });
                if (item)
                    known.set(code, item);
            });
        this.known = known;
        this.without = figures.codes.filter((code) => !known.has(code)); /* places that have figures and no boundary */
        frame.ground.names.add(this.items.filter((item) => item.feature.geometry.type.endsWith("Polygon")).map((item) => ({
            kind: "province", zoom: NAMED_FROM, at: middleOf(item.feature.geometry), text: item.name,
        })), true);
        this.turn(this.measure, null);
        this.arrange();
    }

    readColours() {
        super.readColours();
        const box = this.frame.container;
        this.ramp = RAMP.map((otherwise, i) => colour(box, `--ramp-${i + 1}`, otherwise));
        this.missing = colour(box, "--missing", "#d9d9d9");
    }

    isShown() {
        return true;
    }

    /* ---- what is shown ---- */

    /* MEASURE at TIME (a number, or null) from now on. */
    turn(measure, time) {
        this.measure = measure;
        this.time = time;
        this.breaks = this.figures.breaks(measure, time);
        this.rows = new Map(this.figures.ranking(measure, time).map((row) => [row.code, row]));
        this.items.forEach((item) => this.paint(item));
        this.watchers.forEach((watch) => watch());
    }

    set(measure, time) {
        this.turn(measure, time);
        if (this.chosen && this.popup)
            this.open(this.chosen, { at: this.popup.getLatLng() });
    }

    value(code) {
        return this.rows.has(code) ? this.rows.get(code).value : null;
    }

    /* The class of a place, -1: none. */
    classOf(code) {
        return classOf(this.value(code), this.breaks);
    }

    colourOf(at) {
        return at < 0 ? this.missing : this.ramp[stepOf(at, this.breaks.length + 1)];
    }

    fillOf(item) {
        return this.colourOf(this.classOf(item.code));
    }

    denseOf() {
        return 0.92;
    }

    /* The whole is what one compares with: it moves only to what it does not show. */
    reveal(item) {
        if (!this.map.getBounds().contains(item.bounds.getCenter()))
            this.map.panTo(item.bounds.getCenter(), { animate: false });
    }

    kindOf(item) {
        return figure(this.value(item.code), this.measure, true);
    }

    text(item) {
        return `${item.name}\n${item.code}`;
    }

    timeName() {
        const { times, panel } = this.figures;
        return this.time !== null ? times[this.time] : panel ? times[times.length - 1] : "";
    }

    heading() {
        return [titleOf(this.measure), this.timeName()].filter(Boolean).join(", ");
    }

    /* ---- what is told ---- */

    tipOf(item) {
        return `${item.name}: ${this.kindOf(item)}`;
    }

    point(item) {
        this.hovered = item;
        this.watchers.forEach((watch) => watch.pointed && watch.pointed(item ? this.classOf(item.code) : this.chosen ? this.classOf(this.chosen.code) : null));
    }

    rank(code) {
        return this.rows.has(code) ? say("map_rank", { rank: number(String(this.rows.get(code).rank)), n: number(String(this.rows.size)) }) : "";
    }

    brief(item) {
        return [`${this.heading()}: ${this.kindOf(item)}`, this.rank(item.code)].filter(Boolean).join("; ");
    }

    tell({ code }) {
        const facts = make("dl", { class: "odp-map-facts" });
        this.figures.measures.filter((measure) => measure.highlight && measure !== this.measure).forEach((measure) => {
            const value = this.figures.value(code, measure.index, this.time);
            facts.append(make("div", {}, make("dt", {}, titleOf(measure)), make("dd", value === null ? { class: "muted" } : {}, figure(value, measure, true))));
        });
        const links = [];
        if (this.links.places)
            links.push(make("a", { href: `${this.links.places}${encodeURIComponent(code)}.html` }, say("map_page", { name: this.figures.name(code) })));
        const filter = this.links.filter(code);
        if (filter)
            links.push(make("a", { href: filter }, say("map_records")));
        const value = this.value(code);
        return [
            make("p", { class: "odp-map-figure" }, make("strong", {}, figure(value, this.measure)), value === null ? "" : ` ${inLanguage(this.measure.unit)}`),
            make("p", { class: "muted" }, [this.heading(), this.rank(code)].filter(Boolean).join(" \u00b7 ")),
            ...(facts.children.length > 0 ? [facts] : []), ...(links.length > 0 ? [make("p", { class: "odp-map-links" }, ...links)] : []),
        ];
    }
}
