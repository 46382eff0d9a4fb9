/* What the map says of a feature: its name, and its fields as a definition list. Values are canonical text (numbers with a point, dates as ISO 8601) and are never
 * sent through a floating point number; everything reaches the page as text, never as markup. */
import { say } from "./words.js";

export const LANG = (document.documentElement.lang || "id").slice(0, 2) === "en" ? "en" : "id";

/* An element of the page, with attributes and children (texts or elements). */
export function make(name, attributes, ...children) {
    const element = document.createElement(name);
    Object.entries(attributes || {}).forEach(([key, value]) => {
        if (value !== null && value !== undefined && value !== false)
            element.setAttribute(key, value === true ? "" : String(value));
    });
    element.append(...children);
    return element;
}

/* The same of SVG. */
export function makeSvg(name, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    element.append(...children);
    return element;
}

/* {"id", "en"} or a text, in the page's language. */
export function inLanguage(text) {
    if (text === null || text === undefined)
        return "";
    return typeof text === "object" ? text[LANG] || text.id || text.en || "" : String(text);
}

/* "1234.50" as "1.234,50" or "1,234.50"; what is no plain decimal stays as it is. */
export function number(text) {
    const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
    if (match === null)
        return text;
    const whole = match[2].replace(/\B(?=(\d{3})+$)/g, LANG === "id" ? "." : ",");
    return (match[1] ? "\u2212" : "") + whole + (match[3] === undefined ? "" : (LANG === "id" ? "," : ".") + match[3]);
}

/* "2024-03-15" as "15 Maret 2024". */
function date(text) {
    const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
    if (match === null)
        return text;
    const day = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
    return new Intl.DateTimeFormat(LANG === "id" ? "id-ID" : "en-GB", { dateStyle: "long", timeZone: "UTC" }).format(day);
}

/* The name of a code, with the code; nothing where it has none, or is it. */
export function named(raw, field) {
    const name = field && field.labels && Object.hasOwn(field.labels, raw) ? inLanguage(field.labels[raw]) : "";
    return name && name !== String(raw) ? `${name} (${raw})` : "";
}

/* A value as people read it. FIELD: {type, unit, labels} of the map's document, or nothing. Values of a document that is not ours may be of any type. */
export function value(raw, field) {
    if (raw === null || raw === undefined || raw === "")
        return say("map_empty");
    if (typeof raw === "object")
        return JSON.stringify(raw);
    if (raw === true || (field && field.type === "boolean" && raw === "true"))
        return say("map_yes");
    if (raw === false || (field && field.type === "boolean" && raw === "false"))
        return say("map_no");
    const text = named(raw, field) || String(raw);
    const type = field ? field.type : "";
    const unit = field && field.unit ? inLanguage(field.unit) : "";
    const shown = type === "integer" || type === "number" || (!field && typeof raw === "number") ? number(text) : type === "date" ? date(text) : text;
    return unit ? `${shown} ${unit}` : shown;
}

/* What a feature is called: the map's label field, the category, or its number. */
export function nameOf(feature, index, meta) {
    const properties = feature.properties || {};
    const label = meta.label ? properties[meta.label] : null;
    if (label !== null && label !== undefined && label !== "")
        return String(label);
    if (meta.label === undefined) { /* a document that is not ours: a member that looks like a name */
        const key = Object.keys(properties).find((k) => /^(nama|name|title|judul|label)/i.test(k) && typeof properties[k] === "string");
        if (key !== undefined)
            return properties[key];
    }
    return feature.id !== undefined && feature.id !== null && feature.id !== "" ? String(feature.id) : say("map_unnamed", { i: index + 1 });
}

/* The fields of a feature as a <dl>. */
export function facts(feature, meta) {
    const list = make("dl", { class: "odp-map-facts" });
    const properties = feature.properties || {};
    const fields = meta.fields || Object.keys(properties).map((name) => ({ name, unknown: true }));
    fields.forEach((field) => {
        if (!(field.name in properties) || field.name === meta.label) /* which stands above */
            return;
        const code = meta.category && meta.category.field === field.name && meta.category.values.find((v) => v.value === properties[field.name]);
        const shown = code ? inLanguage(code.label) || String(code.value) : value(properties[field.name], field.unknown ? null : field);
        const none = properties[field.name] === null || properties[field.name] === "";
        list.append(make("div", {}, make("dt", {}, inLanguage(field.title) || field.name), make("dd", none ? { class: "muted" } : {}, shown)));
    });
    return list;
}
