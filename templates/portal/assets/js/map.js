/* The interactive map: window.odpMap. Loaded by lib/lazy.js when a page wants it.
 *
 *   open(element)                      the map of a page (parts/map.html), of the documents that the element names: data-src, <slug>.map.geojson; data-boundaries and data-summary,
 *                                      a choropleth, and data-above-boundaries, one of the places above; between them the reader switches
 *   show(element, geojson, options)    <slug>.map.geojson of a dataset (its member "odp" tells fields, label and categories), or any GeoJSON that the explorer has received: a
 *                                      FeatureCollection, a Feature, a geometry. OPTIONS: {title, data: dataset of the element that names the ground}
 *
 * Both put the map in place of what is in ELEMENT. */
import { latLngBounds } from "leaflet/leaflet.esm.js";
import { Areas } from "./lib/leaflet-areas.js";
import { Features, listOf } from "./lib/leaflet-features.js";
import { makeFrame, ROOM } from "./lib/leaflet-frame.js";
import { makeLegend, makeScale } from "./lib/leaflet-legend.js";
import { makeList, makeRanking, makeSearch, makeWalk, makeWithout } from "./lib/leaflet-places.js";
import { inLanguage, make, number } from "./lib/leaflet-text.js";
import { makeChoosers, makeSwitch } from "./lib/leaflet-tools.js";
import { readView } from "./lib/map-address.js";
import { levelsOf, RegionFigures } from "./lib/region-figures.js";
import { say } from "./lib/words.js";

const MANY = 1500; /* features or thousands of positions: from here on a canvas is faster than one element each */

/* Whether there is enough for a canvas to pay; counts no further than it must. */
function isMuch(list) {
    if (list.length > MANY)
        return true;
    let positions = 0;
    const count = (c) => {
        if (!Array.isArray(c) || positions > 20 * MANY)
            return;
        if (typeof c[0] === "number")
            positions++;
        else
            c.forEach(count);
    };
    list.forEach((feature) => feature && feature.geometry && count(feature.geometry.coordinates || (feature.geometry.geometries || []).map((g) => g.coordinates)));
    return positions > 20 * MANY;
}

const isBox = (box) => Array.isArray(box) && box.length >= 4 && box.every((n) => Number.isFinite(n));

/* [west, south, east, north] as Leaflet has it; heights between them are left out. */
function cornersOf(box) {
    const half = box.length / 2;
    return isBox(box) ? [[box[1], box[0]], [box[half + 1], box[half]]] : null;
}

/* What both kinds of map have: the frame in a box of its own. DRAW(frame, box) fills it and returns {shapes, tools, below, bounds}. */
function build(element, options, draw) {
    const box = make("div", { class: "odp-map" });
    const tools = make("div", { class: "odp-map-tools" });
    const before = [...element.childNodes];
    box.append(tools);
    element.replaceChildren(box);
    element.classList.add("is-live");
    let shapes = null;
    const chosen = () => (shapes && shapes.measure ? { measure: shapes.measure.name, time: shapes.time === null ? null : shapes.figures.times[shapes.time], level: shapes.figures.level } : {});
    const frame = makeFrame(box, { title: options.title || "", data: options.data || element.dataset, bounds: options.bounds, tight: options.tight, many: options.many, id: options.id, chosen });
    const remove = () => {
        frame.map.remove();
        element.classList.remove("is-live");
        element.replaceChildren(...before);
    };
    let made;
    try {
        made = draw(frame);
    } catch (error) { /* a document that is none: what was there comes back */
        remove();
        throw error;
    }
    ({ shapes } = made);
    const around = options.bounds ? latLngBounds(options.bounds) : shapes.bounds();
    const fitAll = frame.fit;
    frame.fit = () => (around.isValid() ? frame.map.fitBounds(around, { ...ROOM, animate: false }) : fitAll());
    if (options.view && Number.isFinite(options.view.zoom))
        frame.map.setView([options.view.lat, options.view.lon], options.view.zoom, { animate: false });
    else if (!options.bounds)
        frame.fit();
    tools.append(...made.tools, makeSearch(shapes), ...made.above);
    box.append(...made.below, frame.source);
    const panel = element.closest("[data-tab]");
    if (panel)
        panel.addEventListener("odp-shown", () => frame.map.invalidateSize({ animate: false }));
    box.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && shapes.popup) {
            event.stopPropagation();
            event.preventDefault(); /* the whole screen stays */
            shapes.close();
        }
    });
    return {
        fit: frame.fit,
        ready: frame.ready,
        remove,
        chosen,
    };
}

function show(element, geojson, options) {
    const list = listOf(geojson);
    const meta = (geojson && geojson.odp) || {};
    const more = options || {};
    const bounds = geojson && isBox(geojson.bbox) ? cornersOf(geojson.bbox) : null;
    return build(element, { ...more, title: more.title || (geojson && geojson.name) || "", bounds, many: isMuch(list) }, (frame) => {
        const features = new Features(frame, list, meta, more.links);
        const places = features.grid ? null : makeList(features); /* squares have no names to look for */
        const legend = makeLegend(features, () => places && places.update());
        const isLong = features.values.length > 3 || Boolean(more.tools && more.tools.length);
        const told = features.grid ? say("map_grid") : meta.total > meta.shown ? say("map_shown", { shown: number(String(meta.shown)), total: number(String(meta.total)) }) : "";
        const under = make("div", { class: "odp-map-below stack" }, makeWalk(features), ...(places ? [places.element] : []));
        return {
            shapes: features, tools: [...(more.tools || []), ...(legend && !isLong ? [legend] : [])], above: legend && isLong ? [legend] : [],
            below: [features.items.length > 0 ? under : make("p", { role: "status" }, say("map_nothing")), ...(told ? [make("p", { class: "muted" }, told)] : [])],
        };
    });
}

/* ---- the map of a page ---- */

async function fetchJson(address) {
    const answer = await fetch(address);
    if (!answer.ok)
        throw new Error(`${address}: ${answer.status}`);
    return answer.json();
}

/* {code: text} of a list's labels; nothing where they cannot be had: codes, then. */
async function fetchNames(address) {
    try {
        const { labels } = await fetchJson(address);
        return Object.fromEntries(Object.entries(labels).map(([code, label]) => [code, inLanguage(label)]));
    } catch (error) {
        return {};
    }
}

/* A function of a code: the address of the page of all records with those of a place, or null. */
function filterOf({ explore }, { place, places }, level) {
    if (!explore || !place || place.through) /* then the code is no column of the table */
        return () => null;
    const sign = explore.includes("?") ? "&" : "?";
    if (place.list === level)
        return (code) => `${explore}${sign}${encodeURIComponent(place.field)}=${encodeURIComponent(code)}`;
    const below = Object.keys((places && places[place.list]) || {});
    const starts = (code) => code.length > 0 && below.some((child) => child.startsWith(`${code}.`));
    return (code) => (starts(code) ? `${explore}${sign}filter=${encodeURIComponent(`${place.field} LIKE '${code.replace(/'/g, "''")}.%'`)}` : null);
}

function showAreas(element, { level, boundaries, summary, names }, options) {
    const { dataset } = element;
    const { boundaries: _, ...data } = dataset; /* their lines are the shapes themselves */
    const figures = new RegionFigures(summary, level, names);
    const bounds = isBox(boundaries.bbox) ? cornersOf(boundaries.bbox) : null;
    if (figures.measures.length === 0)
        throw new Error("no figures");
    return build(element, { ...options, data, bounds, tight: true }, (frame) => {
        const areas = new Areas(frame, boundaries, figures, { places: dataset.places, filter: filterOf(dataset, summary, level) });
        const wanted = (options.view && options.view.measure) || dataset.measure;
        const measure = figures.measures.find(({ name }) => name === wanted) || areas.measure;
        const time = options.view && options.view.time ? figures.times.indexOf(options.view.time) : -1;
        areas.turn(measure, time >= 0 ? time : null);
        const without = makeWithout(areas);
        return {
            shapes: areas, tools: [...(options.tools || []), ...makeChoosers(areas)], above: [makeScale(areas)],
            below: [...(without ? [without] : []), make("div", { class: "odp-map-below stack" }, makeWalk(areas), makeRanking(areas))],
        };
    });
}

async function fetchAreas(address, { level, boundaries, names }) {
    const [shapes, summary, labels] = await Promise.all([fetchJson(boundaries), fetchJson(address), names ? fetchNames(names) : {}]);
    return { level, boundaries: shapes, summary, names: labels };
}

async function open(element) {
    const { dataset } = element;
    const levels = levelsOf(dataset);
    const choices = [...(dataset.src ? [[say("map_kind_shapes"), "shapes"]] : []), ...levels.map(({ kind, title }) => [levels.length > 1 && title ? title : say("map_kind_areas"), kind])];
    const view = readView(location.hash, element.id);
    let map = null, turns = 0;
    const turn = async (kind, at) => {
        const mine = ++turns;
        const level = levels.find((one) => one.kind === kind);
        const tools = choices.length > 1 ? [makeSwitch(say("map_kind"), choices, kind, (other) => turn(other, map.chosen()).then(focusSwitch))] : [];
        const options = { title: dataset.title, id: element.id, view: at, tools, links: { explore: dataset.explore, places: dataset.places } };
        const document = level ? await fetchAreas(dataset.summary, level) : await fetchJson(dataset.src);
        if (mine !== turns) /* the reader has chosen another meanwhile */
            return;
        if (map)
            map.remove();
        map = level ? showAreas(element, document, options) : show(element, document, options);
    };
    const focusSwitch = () => element.querySelector(".odp-map-switch input:checked").focus();
    const asked = levels.find(({ level }) => view && view.level === level) || levels[0];
    await turn(asked && (!dataset.src || (view && view.measure)) ? asked.kind : "shapes", view);
    return map;
}

window.odpMap = { open, show };
