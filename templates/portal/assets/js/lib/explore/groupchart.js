/* The chart of groups: the figures of the table, as a chart's document that chart.js draws (lib/chart/twin.js). */
import { el } from "../dom.js";
import { loadChart } from "../lazy.js";
import { say } from "../words.js";
import { shown } from "./names.js";

const MOST = 30; /* bars; the others stand in the table */
const SERIES = 8;
const both = (text) => ({ id: text, en: text });

const distinct = (rows, i) => [...new Set(rows.map((row) => row[i]))];
const byKey = (a, b) => (a === null) - (b === null) || (a < b ? -1 : a > b ? 1 : 0);
const isYear = (field) => field.type === "year";

function kindOf(first, second, adds, n) {
    if (isYear(first) && n > 2)
        return "line";
    return second && !isYear(second) && adds ? "stacked" : "bar";
}

/* The keys of ROWS in the picture's order: of an order their own, as the reader sorted them, else the largest first. */
function keysOf(rows, at, field, sorted) {
    const keys = distinct(rows, 0);
    if (isYear(field))
        return keys.filter((key) => key !== null).sort(byKey);
    if (sorted || field.ordered)
        return keys;
    const sums = new Map();
    rows.forEach((row) => sums.set(row[0], (sums.get(row[0]) || 0) + Number(row[at])));
    return keys.sort((a, b) => sums.get(b) - sums.get(a));
}

/* The document of ROWS as they are ordered, or null: more than two columns, or too many series. FIELDS: of all columns, those of groups first. */
export function documentOf({ question, config }, fields, rows) {
    const n = question.groupby.length, [first, second] = n > 1 ? fields : [fields[0], null], at = fields.length - 1, measure = fields[at];
    if (n < 1 || n > 2 || at < n || rows.length === 0 || (second && distinct(rows, 1).length > SERIES))
        return null;
    const { lang } = config, fn = question.aggregate.length > 0 ? question.aggregate[question.aggregate.length - 1].fn : "count", adds = fn === "sum" || fn === "count";
    const keys = keysOf(rows, at, first, question.sortby.length > 0), kept = new Set(keys.slice(0, MOST));
    const named = (field) => (key) => ({ key, label: both(shown(field, key, lang)), ...(key === null ? { kind: "null" } : {}) });
    const label = named(first), series = second ? named(second) : null;
    const title = say("ex_chart_title", { measure: measure.title, fields: [first, second].filter(Boolean).map((field) => field.title).join(", ") });
    return {
        name: "jelajah", dataset: config.slug || config.name, type: kindOf(first, second, adds, kept.size), title: both(title), unit: both(measure.unit || ""),
        measure: both(measure.unit ? `${measure.title} (${measure.unit})` : measure.title), aggregate: adds ? fn : "mean", total: adds, scale: { power: 0, decimals: adds ? 3 : 2, unit: both(measure.unit || "") },
        source: both(config.title), license: { name: config.license || "", title: config.license || "", path: "" },
        notes: both(keys.length > kept.size ? say("ex_chart_more", { shown: String(kept.size), total: String(keys.length) }) : ""),
        category: { field: first.name, title: both(first.title), axis: isYear(first) ? "year" : "text", ordered: Boolean(first.ordered) },
        group: second ? { field: second.name, title: both(second.title), ordered: Boolean(second.ordered) } : null,
        categories: [...kept].map(label), groups: second ? distinct(rows, 1).sort(isYear(second) ? byKey : () => 0).map(series) : [],
        rows: rows.filter((row) => kept.has(row[0]) && row[at] !== null).map((row) => ({
            category: row[0], label: label(row[0]).label, series: second ? row[1] : null, ...(second ? { seriesLabel: series(row[1]).label } : {}), value: String(row[at]),
        })),
    };
}

/* In BOX, anew for each answer; true: there is a chart. */
export async function drawGroups(app, box, fields, rows) {
    const document = documentOf(app, fields, rows);
    if (document === null) {
        box.replaceChildren(el("p", { class: "muted" }, say("ex_chart_none")));
        return false;
    }
    const figure = el("figure", { class: "chart", "data-chart-page": location.href },
        el("figcaption", { class: "chart-head" }, el("p", { class: "chart-heading" }, document.title.id)), el("div", { class: "chart-picture" }),
        el("div", { class: "chart-foot" }, el("p", { class: "chart-source" }), el("div", { class: "chart-tools" }, el("details", { class: "menu" }, el("summary", { class: "button-secondary button-small" }, say("chart_download")), el("ul", { "data-chart-save": "" })))));
    box.replaceChildren(figure);
    (await loadChart(app.box)).show(figure, JSON.stringify(document));
    return true;
}
