/* The interactive map: window.odpMap.show(element, geojson, options). Loaded by lib/lazy.js when a page wants it.
 *
 * GEOJSON is <slug>.map.geojson of a dataset (its member "odp" tells fields, label and categories), or any GeoJSON that the explorer has received: a FeatureCollection,
 * a Feature, a geometry. OPTIONS: {title}. Where the coast lines are is on the element: data-map-coast, data-map-coast-integrity. */
import { latLngBounds } from "leaflet/leaflet.esm.js";
import { Features, listOf } from "./lib/leaflet-features.js";
import { makeFrame, ROOM } from "./lib/leaflet-frame.js";
import { makeLegend } from "./lib/leaflet-legend.js";
import { makePlaces } from "./lib/leaflet-places.js";
import { make, number } from "./lib/leaflet-text.js";
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

/* Shows GEOJSON in ELEMENT, in place of what is in it. Returns {remove, fit}. */
function show(element, geojson, options) {
    const list = listOf(geojson);
    const meta = (geojson && geojson.odp) || {};
    const box = make("div", { class: "odp-map" });
    const before = [...element.childNodes];
    element.replaceChildren(box);
    const given = geojson && isBox(geojson.bbox) ? cornersOf(geojson.bbox) : null;
    const frame = makeFrame(box, {
        title: (options && options.title) || (geojson && geojson.name) || "", coast: element.dataset.mapCoast, coastIntegrity: element.dataset.mapCoastIntegrity,
        bounds: given, many: isMuch(list),
    });
    const features = new Features(frame, list, meta);
    const around = given ? latLngBounds(given) : features.bounds();
    const fit = () => (around.isValid() ? frame.map.fitBounds(around, { ...ROOM, animate: false }) : frame.fit());
    if (!given)
        fit();
    const places = makePlaces(features);
    const legend = makeLegend(features, places.update);
    const told = features.grid ? say("map_grid") : meta.total > meta.shown ? say("map_shown", { shown: number(String(meta.shown)), total: number(String(meta.total)) }) : "";
    const shown = told ? [make("p", { class: "muted" }, told)] : [];
    box.append(...(legend ? [legend] : []), features.items.length > 0 ? places.element : make("p", { role: "status" }, say("map_nothing")), ...shown, frame.source);
    box.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && features.popup) {
            event.stopPropagation();
            features.close();
        }
    });
    return {
        fit,
        ready: frame.ready,
        remove() {
            frame.map.remove();
            element.replaceChildren(...before);
        },
    };
}

window.odpMap = { show };
