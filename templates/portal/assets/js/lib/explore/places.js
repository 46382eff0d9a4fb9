/* The map of what is selected: the records that have a place, with names in place of codes. */
import { el } from "../dom.js";
import { loadMap } from "../lazy.js";
import { say } from "../words.js";
import { nameOf } from "./names.js";

const MOST = 5000;
/* Those of tools/odp-build/write/map/tally.c, where their rules stand: of categories, and of categories that have an order. */
export const COLOURS = ["#3C78C8", "#F05A0F", "#A54B96", "#00A55A", "#9678FF", "#A55A2D", "#FF3C87", "#C31EB4"];
export const STEPS = ["#BF890E", "#D57600", "#F15407", "#F04156", "#E33C85", "#CB3EAB", "#AC44C9", "#864BDB"];
const OTHER = "#7F7F7F";

function valueOf(field, value) {
    const name = value === null || value === undefined ? null : nameOf(field, value);
    return name === null ? value : field.list ? `${name} (${value})` : name;
}

const colourOf = (i, n, ordered) => (ordered ? STEPS[n < 2 ? 0 : Math.round((i * (STEPS.length - 1)) / (n - 1))] : COLOURS[i]);

/* What colours FEATURES: the first of FIELDS with few categories, one with an order before others; null: there is none. */
export function categoryOf(fields, features) {
    const few = fields.filter(({ labels }) => labels && Object.keys(labels).length > 1 && Object.keys(labels).length <= COLOURS.length);
    const field = few.find(({ ordered }) => ordered) || few[0];
    if (!field)
        return null;
    const count = (wanted) => features.filter(({ properties }) => properties[field.name] === wanted).length;
    const codes = Object.keys(field.labels);
    const values = codes.map((code, i) => ({ value: valueOf(field, code), label: valueOf(field, code), count: count(code), color: colourOf(i, codes.length, field.ordered) }));
    const others = features.length - values.reduce((sum, value) => sum + value.count, 0);
    if (others > 0)
        values.push({ value: null, label: say("ex_empty"), count: others, color: OTHER });
    return { field: field.name, title: field.title, values: values.filter((value) => value.count > 0) };
}

/* FEATURES of the worker as map.js shows them. */
function collectionOf(config, features) {
    const fields = config.fields.filter((field) => !field.beside);
    const label = fields.find((field) => /^nama|^name/.test(field.name)) || fields.find((field) => field.type === "string");
    return {
        type: "FeatureCollection",
        features: features.map((feature) => ({ ...feature, properties: Object.fromEntries(fields.map((field) => [field.name, valueOf(field, feature.properties[field.name])])) })),
        odp: { label: label ? label.name : null, key: config.key, category: categoryOf(fields, features),
            fields: fields.map((field) => ({ name: field.name, title: field.title, unit: field.unit || null, type: field.named ? "string" : field.type })) },
    };
}

async function fill(app, place, key) {
    const { question, config } = app;
    place.replaceChildren(el("p", { class: "muted", role: "status" }, say("ex_map_loading")));
    try {
        const [odpMap, { features, more }] = await Promise.all([loadMap(app.box), app.ask("points", { question: { ...question, sortby: [], properties: [] }, max: MOST }, true)]);
        if (app.mapped !== key)
            return;
        const box = el("div");
        const total = app.matched === null ? config.total : app.matched;
        place.replaceChildren(box, ...(more ? [el("p", { class: "small muted" }, say("ex_map_more", { shown: app.number(features.length), total: app.number(total) }))] : []));
        odpMap.show(box, collectionOf(config, features), { title: config.title, data: app.box.dataset });
    } catch (error) {
        app.mapped = null;
        place.replaceChildren(el("p", { class: "notice notice-warning", role: "status" }, say("ex_map_failed")));
    }
}

/* Shows or hides the map of APP's question; what is there already stays. */
export function drawPlaces(app) {
    const on = app.view === "map" && !app.grouped;
    let place = app.find(".ex-map");
    if (place)
        place.hidden = !on;
    if (!on)
        return;
    if (!place) {
        place = el("div", { class: "ex-map" });
        app.find(".ex-box").append(place);
    }
    const key = JSON.stringify([app.question.q, app.question.where, app.question.bbox]);
    if (app.mapped === key)
        return;
    app.mapped = key;
    fill(app, place, key);
}
