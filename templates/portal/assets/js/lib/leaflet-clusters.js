/* Points that would lie on each other, together as a circle with their number; its rim shows their categories. Opened by a click: nearer, or, where they lie on one spot, as a list. */
import { divIcon, latLngBounds, marker } from "leaflet/leaflet.esm.js";
import Supercluster from "supercluster";
import { make, makeSvg, number } from "./leaflet-text.js";
import { say } from "./words.js";

const RADIUS = 54; /* pixels */
const NEAREST = 16; /* zoom from which a cluster is a list */
const LISTED = 50;

/* A ring of PARTS [{color, n}] around a disc. */
function ringOf(parts, size) {
    const total = parts.reduce((sum, { n }) => sum + n, 0);
    const radius = size / 2 - 4;
    const length = 2 * Math.PI * radius;
    let at = 0;
    const arcs = parts.map(({ color, n }) => {
        const arc = makeSvg("circle", {
            cx: size / 2, cy: size / 2, r: radius, fill: "none", stroke: color, "stroke-width": 6,
            "stroke-dasharray": `${(length * n) / total} ${length}`, "stroke-dashoffset": -((length * at) / total), transform: `rotate(-90 ${size / 2} ${size / 2})`,
        });
        at += n;
        return arc;
    });
    return makeSvg("svg", { width: size, height: size, viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" },
        makeSvg("circle", { class: "odp-map-disc", cx: size / 2, cy: size / 2, r: size / 2 - 1 }), ...arcs);
}

export class Clusters {
    /* SHAPES of leaflet-shapes.js. */
    constructor(shapes) {
        this.shapes = shapes;
        this.markers = [];
    }

    /* Shows clusters of SMALL items at the map's zoom; the set of those that stay alone. */
    gather(small) {
        const { map, clustered } = this.shapes;
        this.markers.forEach((one) => one.remove());
        this.markers = [];
        if (!clustered)
            return new Set(small);
        const zoom = Math.floor(map.getZoom());
        const index = new Supercluster({ radius: RADIUS, extent: 256, minZoom: zoom, maxZoom: zoom, minPoints: 3 }).load(small.map((item) => {
            const { lat, lng } = item.bounds.getCenter();
            return { type: "Feature", properties: { item }, geometry: { type: "Point", coordinates: [lng, lat] } };
        }));
        const alone = new Set();
        index.getClusters([-180, -90, 180, 90], zoom).forEach(({ properties, geometry }) => {
            if (properties.item)
                alone.add(properties.item);
            else
                this.add(index.getLeaves(properties.cluster_id, Infinity).map((leaf) => leaf.properties.item), geometry.coordinates);
        });
        return alone;
    }

    add(items, [lng, lat]) {
        const { shapes } = this;
        const colours = new Map();
        items.forEach((item) => colours.set(shapes.fillOf(item), { order: item.category, n: (colours.get(shapes.fillOf(item)) || { n: 0 }).n + 1 }));
        const parts = [...colours].map(([color, { n, order }]) => ({ color, n, order })).sort((a, b) => a.order - b.order);
        const size = items.length < 10 ? 32 : items.length < 100 ? 40 : 50;
        const html = make("div", { class: "odp-map-cluster" }, ringOf(parts, size), make("span", {}, number(String(items.length))));
        const one = marker([lat, lng], { icon: divIcon({ html, className: "odp-map-cluster-icon", iconSize: [size, size] }), keyboard: false });
        one.on({
            click: () => this.open(items, one.getLatLng()),
            mouseover: () => shapes.tip.setContent(make("span", {}, say("map_cluster", { n: number(String(items.length)) }))).setLatLng(one.getLatLng()).addTo(shapes.map),
            mouseout: () => shapes.tip.remove(),
        });
        this.markers.push(one.addTo(shapes.map));
        one.getElement().setAttribute("aria-hidden", "true"); /* places are reached by the buttons and the list under the map */
    }

    open(items, at) {
        const { shapes } = this;
        const bounds = items.reduce((all, item) => all.extend(item.bounds.getCenter()), latLngBounds([]));
        shapes.tip.remove();
        if (shapes.map.getZoom() < NEAREST && !bounds.getNorthEast().equals(bounds.getSouthWest(), 1e-5)) {
            shapes.map.fitBounds(bounds, { padding: [60, 60], maxZoom: Math.max(NEAREST, shapes.map.getZoom() + 1) });
            return;
        }
        const list = make("ul", { class: "odp-map-list" }, ...items.slice(0, LISTED).map((item) => {
            const button = make("button", { type: "button" }, make("span", {}, item.name));
            button.addEventListener("click", () => shapes.open(item, { at }));
            return make("li", {}, button);
        }));
        const more = items.length > LISTED ? [make("p", { class: "muted" }, say("map_more", { n: number(String(items.length - LISTED)) }))] : [];
        shapes.show(say("map_cluster", { n: number(String(items.length)) }), [list, ...more], { at });
    }
}
