/* The map of what is selected: the records that have a place, with names in place of codes. */
import { el } from "../dom.js";
import { loadMap } from "../lazy.js";
import { say } from "../words.js";
import { nameOf } from "./names.js";

const MOST = 5000;

function valueOf(field, value) {
    const name = value === null || value === undefined ? null : nameOf(field, value);
    return name === null ? value : field.list ? `${name} (${value})` : name;
}

/* FEATURES of the worker as map.js shows them. */
function collectionOf(config, features) {
    const fields = config.fields.filter((field) => !field.beside);
    const label = fields.find((field) => /^nama|^name/.test(field.name)) || fields.find((field) => field.type === "string");
    return {
        type: "FeatureCollection",
        features: features.map((feature) => ({ ...feature, properties: Object.fromEntries(fields.map((field) => [field.name, valueOf(field, feature.properties[field.name])])) })),
        odp: { label: label ? label.name : null,
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
        const box = el("div", { "data-map-coast": app.box.dataset.mapCoast, "data-map-coast-integrity": app.box.dataset.mapCoastIntegrity });
        const total = app.matched === null ? config.total : app.matched;
        place.replaceChildren(box, ...(more ? [el("p", { class: "small muted" }, say("ex_map_more", { shown: app.number(features.length), total: app.number(total) }))] : []));
        odpMap.show(box, collectionOf(config, features), { title: config.title });
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
