/* The features of a document: coloured by category, or squares with how many records lie in each. */
import { colour, Shapes } from "./leaflet-shapes.js";
import { facts, inLanguage, LANG, make, named, nameOf, number, value } from "./leaflet-text.js";
import { say } from "./words.js";

const CLUSTERED = 40; /* from so many features on, neighbours come together */

/* A document, a feature or a bare geometry as a list of features. */
export function listOf(geojson) {
    if (!geojson || typeof geojson !== "object")
        return [];
    if (geojson.type === "FeatureCollection")
        return Array.isArray(geojson.features) ? geojson.features : [];
    if (geojson.type === "Feature")
        return [geojson];
    return geojson.type ? [{ type: "Feature", properties: {}, geometry: geojson }] : [];
}

export class Features extends Shapes {
    /* META: the document's "odp", or {}; LINKS: {explore: the page of all records; places: the folder of pages of places}, each may be missing. */
    constructor(frame, list, meta, links) {
        super(frame);
        this.meta = meta;
        this.links = links || {};
        this.values = meta.category ? meta.category.values : [];
        this.others = this.values.findIndex((v) => v.value === null); /* the entry of everything that has none of its own */
        this.grid = meta.form === "grid"; /* too many for one shape each: squares, and how many records lie in each */
        this.dots = !this.grid;
        this.clustered = list.length >= CLUSTERED;
        this.hidden = new Set();
        this.most = Math.max(2, ...(this.grid ? list.map((feature) => feature.properties.n) : []));
        this.readColours();
        list.forEach((feature, index) => {
            if (feature && feature.geometry)
                this.add(feature, { category: this.categoryOf(feature), name: this.grid ? say("map_count", { n: number(String(feature.properties.n)) }) : nameOf(feature, index, meta) });
        });
        this.items.forEach((item) => this.paint(item));
        this.arrange();
    }

    readColours() {
        super.readColours();
        this.colours.plain = this.values.length > 0 ? this.colours.muted : colour(this.frame.container, "--chart-1", "#3c78c8");
    }

    /* ---- categories ---- */

    /* The number of a feature's entry in the legend; the list's length where it has none. Of a square: the entry with most records that is not hidden. */
    categoryOf(feature) {
        const properties = feature.properties || {};
        if (!this.grid) {
            const at = this.meta.category ? this.values.findIndex((v) => v.value === properties[this.meta.category.field]) : -1;
            return at >= 0 ? at : this.others >= 0 ? this.others : this.values.length;
        }
        return this.values.reduce((best, _, i) => (!this.hidden.has(i) && properties.counts[i] > (properties.counts[best] || 0) ? i : best), this.values.length);
    }

    /* Records of an item that are to be seen. */
    weight(item) {
        const { properties } = item.feature;
        if (!this.grid)
            return this.hidden.has(item.category) ? 0 : 1;
        return properties.counts ? properties.counts.reduce((sum, n, i) => sum + (this.hidden.has(i) ? 0 : n), 0) : properties.n;
    }

    isShown(item) {
        return this.weight(item) > 0;
    }

    kindOf(item) {
        return item.category < this.values.length ? inLanguage(this.values[item.category].label) || String(this.values[item.category].value) : "";
    }

    fillOf(item) {
        return item.category < this.values.length ? this.values[item.category].color : this.colours.plain;
    }

    /* A square is the denser the more there is in it. */
    denseOf(item, chosen) {
        return this.grid ? 0.25 + (0.65 * Math.log(Math.max(1, this.weight(item)))) / Math.log(this.most) : chosen ? 0.7 : 0.5;
    }

    /* Shows or hides an entry of the legend. */
    toggle(category, shown) {
        if (shown)
            this.hidden.delete(category);
        else
            this.hidden.add(category);
        this.items.forEach((item) => {
            item.category = this.categoryOf(item.feature);
            this.paint(item);
        });
        this.arrange();
        if (this.chosen && !this.chosen.shown)
            this.close();
    }

    /* ---- what is told ---- */

    tipOf(item) {
        const kind = this.kindOf(item);
        return kind && !this.grid ? `${item.name} \u00b7 ${kind}` : item.name;
    }

    /* Of a feature its fields, and where more is to be found; of a square, how many of what. */
    tell(item) {
        if (!this.grid)
            return [facts(item.feature, this.meta), ...this.more(item)];
        const { n, counts } = item.feature.properties;
        const list = make("dl", { class: "odp-map-facts" });
        (counts || []).forEach((count, i) => {
            if (count > 0)
                list.append(make("div", {}, make("dt", {}, inLanguage(this.values[i].label) || String(this.values[i].value)),
                    make("dd", {}, `${number(String(count))} (${Math.round((100 * count) / n)}${LANG === "id" ? " " : ""}%)`)));
        });
        return [list];
    }

    /* Links: the record among all, the page of its place. */
    more(item) {
        const { explore, places } = this.links;
        const properties = item.feature.properties || {};
        const key = (this.meta.key || []).filter((name) => properties[name] !== null && properties[name] !== undefined);
        const links = [];
        if (explore && key.length > 0 && key.length === this.meta.key.length) {
            const parameters = key.map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(properties[name])}`).join("&");
            links.push(make("a", { href: `${explore}${explore.includes("?") ? "&" : "?"}${parameters}` }, say("map_record")));
        }
        const field = this.meta.place ? (this.meta.fields || []).find(({ name }) => name === this.meta.place.field) : null;
        const code = field ? properties[field.name] : null;
        if (places && code)
            links.push(make("a", { href: `${places}${encodeURIComponent(code)}.html` }, inLanguage((field.labels || {})[code]) || String(code)));
        return links.length > 0 ? [make("p", { class: "odp-map-links" }, ...links)] : [];
    }

    /* The regions that features lie in. */
    groups() {
        const field = this.meta.place && !this.grid ? (this.meta.fields || []).find(({ name }) => name === this.meta.place.field) : null;
        const found = new Map();
        this.visible().forEach((item) => {
            const code = field ? item.feature.properties[field.name] : null;
            const text = code ? inLanguage((field.labels || {})[code]) : "";
            if (text)
                found.set(text, [...(found.get(text) || []), item]);
        });
        return [...found].map(([text, items]) => ({ text, items }));
    }

    /* What is searched: names, and texts of the fields. */
    text(item) {
        const properties = item.feature.properties || {};
        const names = (this.meta.fields || []).map((field) => named(properties[field.name], field));
        return [item.name, ...Object.values(properties), ...names].filter((v) => typeof v === "string").join("\n");
    }

    /* "Tingkat: Berat; Luas: 12,5 ha": the category, then the first fields that say something beside name and key. */
    brief(item) {
        const { meta } = this;
        if (this.grid)
            return this.kindOf(item);
        const properties = item.feature.properties || {};
        const fields = (meta.fields || Object.keys(properties).map((name) => ({ name }))).filter((field) => {
            const raw = properties[field.name];
            return field.name !== meta.label && !(meta.key || []).includes(field.name) && raw !== null && raw !== undefined && raw !== "" && String(raw) !== item.name;
        });
        const isCategory = (field) => Number(Boolean(meta.category) && field.name === meta.category.field);
        return fields.sort((a, b) => isCategory(b) - isCategory(a)).slice(0, 4).map((field) => {
            const shown = isCategory(field) ? this.kindOf(item) : value(properties[field.name], field.type ? field : null);
            return `${inLanguage(field.title) || field.name}: ${shown}`;
        }).join("; ");
    }
}
