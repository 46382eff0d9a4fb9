/* What lies under the data and is written over it: land, borders, rivers, provinces, names. No tiles and no other host: all of it comes from files of the site (../../coast.mjs), the finer
 * the nearer one is, and of all of it only what the zoom can show. Without them the map works as well. */
import { geoJSON, polygon, polyline, svg } from "leaflet/leaflet.esm.js";
import { inLanguage, LANG, make } from "./leaflet-text.js";
import { middleOf, placeNames, positionsOf } from "./map-geometry.js";
import { say } from "./words.js";

const FINE_FROM = 7; /* zoom at which coast-near.json takes the place of coast.json */
const UNTIL = 10; /* nearer than this the coast would lie: it is good for half a kilometre */
const PROVINCES_FROM = 5;
const NAMES = 70; /* on the screen at once */
const PROVINCE_ZOOM = 6; /* names of provinces */

async function load(url, integrity) {
    const response = await fetch(url, integrity ? { integrity } : {});
    if (!response.ok)
        throw new Error(`${url}: ${response.status}`);
    return response.json();
}

/* ---- names ---- */

class Names {
    constructor(map) {
        this.map = map;
        this.list = [];
        this.pane = map.createPane("odp-names");
        this.pane.classList.add("leaflet-zoom-hide");
        this.pane.setAttribute("aria-hidden", "true");
        map.on("moveend", () => this.draw());
    }

    /* LIST: [{kind, zoom, at: [lat, lon], text}]; FIRST: they are more important than those that are there. */
    add(list, first) {
        this.list = first ? [...list, ...this.list] : [...this.list, ...list];
        this.draw();
    }

    draw() {
        const { map } = this;
        const zoom = map.getZoom();
        const seen = map.getBounds();
        const near = zoom > UNTIL + 2;
        const list = this.list.filter((name) => name.zoom <= zoom + 0.25 && seen.contains(name.at) && !near).map((name) => ({ ...name, ...map.latLngToLayerPoint(name.at) }));
        this.pane.replaceChildren(...placeNames(list, NAMES).map(({ kind, text, x, y }) => {
            const element = make("span", { class: `odp-map-place-name is-${kind}` }, text);
            element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px) translate(-50%, -50%)`;
            return element;
        }));
    }
}

/* ---- land and lines ---- */

export class Ground {
    /* DATA: addresses and digests, as the page's element has them: {mapCoast, mapGround, mapNear, each with …Integrity; boundaries}; SOURCE: the line that tells where all this comes from. */
    constructor(frame, data, source) {
        Object.assign(this, { map: frame.map, container: frame.container, data, source });
        const renderer = svg({ pane: this.makePane("odp-coast", 150), padding: 0.3 });
        this.land = { pane: "odp-coast", renderer, interactive: false, smoothFactor: 0.5, weight: 0.7 };
        this.line = { ...this.land, pane: "odp-lines", renderer: svg({ pane: this.makePane("odp-lines", 160), padding: 0.3 }), fill: false };
        this.makePane("odp-names", 450);
        this.names = new Names(this.map);
        this.ready = data.mapCoast ? this.begin() : Promise.resolve();
    }

    makePane(name, zIndex) {
        if (!this.map.getPane(name))
            this.map.createPane(name);
        this.map.getPane(name).style.zIndex = String(zIndex);
        return name;
    }

    async begin() {
        const { mapCoast, mapCoastIntegrity, mapGround, mapGroundIntegrity } = this.data;
        try {
            const coast = await load(mapCoast, mapCoastIntegrity);
            this.far = geoJSON(coast, { ...this.land, style: ({ properties }) => ({ className: `odp-map-land${properties.who === "id" ? "" : " odp-map-land-other"}` }) }).addTo(this.map);
            this.container.classList.add("has-coast");
            this.map.on("zoomend", () => this.update());
            this.update();
            if (mapGround)
                this.draw(await load(mapGround, mapGroundIntegrity));
        } catch (error) { /* no background is no fault: shapes, list and table say the same */
            if (!this.far)
                this.source.textContent = "";
        }
    }

    draw({ borders, rivers, names }) {
        const lines = (list, className) => polyline(list.map(positionsOf), { ...this.line, className }).addTo(this.map);
        lines(rivers, "odp-map-river");
        lines(borders, "odp-map-border");
        this.names.add(names.map(([kind, zoom, lon, lat, own, english]) => ({ kind, zoom, at: [lat, lon], text: LANG === "en" && english ? english : own })));
    }

    update() {
        const zoom = this.map.getZoom();
        const far = zoom <= UNTIL;
        this.container.classList.toggle("is-near", !far);
        ["odp-coast", "odp-lines"].forEach((name) => {
            this.map.getPane(name).hidden = !far;
        });
        this.source.textContent = say(far ? "map_source" : "map_source_far");
        if (zoom >= FINE_FROM && far && this.data.mapNear && !this.fine)
            this.refine();
        if (this.near)
            this.choose(zoom >= FINE_FROM);
        if (zoom >= PROVINCES_FROM && this.data.boundaries && !this.provinces)
            this.drawProvinces();
    }

    choose(fine) {
        const [want, other] = fine ? [this.near, this.far] : [this.far, this.near];
        [other].flat().forEach((layer) => layer.remove());
        [want].flat().forEach((layer) => layer.addTo(this.map));
    }

    /* Once. */
    async refine() {
        this.fine = true;
        try {
            const rings = await load(this.data.mapNear, this.data.mapNearIntegrity);
            this.near = [["other", " odp-map-land-other"], ["id", ""]].map(([who, more]) => polygon(rings[who].map(positionsOf), { ...this.land, className: `odp-map-land${more}` }));
            this.update();
        } catch (error) {
            /* the coarser coast stays */
        }
    }

    /* Outlines and names of the catalogue's own provinces, where shapes of another kind lie on the map. */
    async drawProvinces() {
        this.provinces = true;
        try {
            const document = await load(this.data.boundaries);
            geoJSON(document, { ...this.line, style: { className: "odp-map-province" } }).addTo(this.map);
            const { key, label, fields } = document.odp || {};
            const field = (fields || []).find(({ name, labels }) => labels && (key || []).includes(name));
            const named = ({ properties }) => (field && inLanguage(field.labels[properties[field.name]])) || properties[label];
            this.names.add(document.features.filter((feature) => feature.geometry && named(feature)).map((feature) => ({
                kind: "province", zoom: PROVINCE_ZOOM, at: middleOf(feature.geometry), text: named(feature),
            })), true);
        } catch (error) {
            /* lines for orientation: without them, too */
        }
    }
}
