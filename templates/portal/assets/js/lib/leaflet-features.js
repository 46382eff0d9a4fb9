/* What lies on the map: the features of a document, coloured by category, with a popup each. */
import { circleMarker, geoJSON, latLngBounds, popup as createPopup, tooltip as createTooltip } from "leaflet/leaflet.esm.js";
import { facts, inLanguage, make, nameOf, number } from "./leaflet-text.js";
import { say } from "./words.js";

const DOT = 9; /* pixels: a shape smaller than this on the screen is a dot, or nobody would see it */
const POINT_ZOOM = 7;

/* A colour of the theme as it is now, light or dark. */
const colour = (element, name, otherwise) => getComputedStyle(element).getPropertyValue(name).trim() || otherwise;

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

export class Features {
    /* FRAME of leaflet-frame.js; META: the document's "odp", or {}. */
    constructor(frame, list, meta) {
        this.frame = frame;
        this.map = frame.map;
        this.meta = meta;
        this.values = meta.category ? meta.category.values : [];
        this.others = this.values.findIndex((v) => v.value === null); /* the entry of everything that has none of its own */
        this.grid = meta.form === "grid"; /* too many for one shape each: squares, and how many records lie in each */
        this.hidden = new Set();
        this.chosen = null;
        this.items = [];
        this.popup = null;
        this.most = Math.max(2, ...(this.grid ? list.map((feature) => feature.properties.n) : []));
        /* One for all, and not Leaflet's bindTooltip: that listens for the focus of each shape, and for that a browser puts each into the order of Tab. */
        this.tip = createTooltip({ className: "odp-map-tip", direction: "top", offset: [0, -8] });
        this.readColours();
        list.forEach((feature, index) => {
            if (feature && feature.geometry)
                this.add(feature, index);
        });
        const dark = window.matchMedia("(prefers-color-scheme: dark)");
        const repaint = () => {
            this.readColours();
            this.items.forEach((item) => this.paint(item));
        };
        dark.addEventListener("change", repaint);
        this.map.on("unload", () => dark.removeEventListener("change", repaint));
        this.map.on("popupclose", () => this.choose(null));
        this.map.on("zoomend", () => this.items.forEach((item) => this.place(item)));
    }

    /* Once, not for each of a thousand features. */
    readColours() {
        const box = this.frame.container;
        this.colours = {
            plain: this.values.length > 0 ? colour(box, "--color-muted", "#5f6b76") : "#3c78c8",
            edge: colour(box, "--odp-map-edge", "#ffffff"), text: colour(box, "--color-text", "#111111"),
        };
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

    visible() {
        return this.items.filter((item) => item.shown);
    }

    categoryName(item) {
        return item.category < this.values.length ? inLanguage(this.values[item.category].label) || String(this.values[item.category].value) : "";
    }

    /* Shows or hides an entry of the legend. */
    toggle(category, shown) {
        if (shown)
            this.hidden.delete(category);
        else
            this.hidden.add(category);
        this.items.forEach((item) => {
            item.category = this.categoryOf(item.feature);
            item.shown = this.weight(item) > 0;
            this.place(item);
            this.paint(item);
        });
        if (this.chosen && !this.chosen.shown)
            this.close();
    }

    /* ---- shapes ---- */

    add(feature, index) {
        const item = { feature, index, category: this.categoryOf(feature), shown: true };
        item.name = this.grid ? say("map_count", { n: number(String(feature.properties.n)) }) : nameOf(feature, index, this.meta);
        try {
            item.layer = geoJSON(feature, { pointToLayer: (_, at) => circleMarker(at, { radius: 6 }) });
        } catch (error) { /* a foreign document with a geometry that is none: the others are shown */
            return;
        }
        if (!item.layer.getBounds().isValid())
            return;
        item.bounds = item.layer.getBounds();
        item.point = item.bounds.getNorthEast().equals(item.bounds.getSouthWest());
        this.items.push(item);
        this.listen(item, item.layer);
        this.place(item);
        this.paint(item);
    }

    listen(item, layer) {
        layer.on({
            click: (event) => this.open(item, { at: event.latlng }),
            mouseover: (event) => this.tip.setContent(make("span", {}, item.name)).setLatLng(event.latlng).addTo(this.map),
            mousemove: (event) => this.tip.setLatLng(event.latlng),
            mouseout: () => this.tip.remove(),
        });
    }

    /* Pixels of an item on the screen, the longer side. */
    size(item) {
        const a = this.map.project(item.bounds.getNorthWest());
        const b = this.map.project(item.bounds.getSouthEast());
        return Math.max(b.x - a.x, b.y - a.y);
    }

    /* Puts on the map what stands for ITEM at this zoom: its shape, a dot, or nothing. */
    place(item) {
        let want = null;
        if (item.shown && !item.point && !this.grid && this.size(item) < DOT) {
            if (!item.dot) {
                item.dot = circleMarker(item.bounds.getCenter());
                this.listen(item, item.dot);
                this.paint(item);
            }
            want = item.dot;
        } else if (item.shown) {
            want = item.layer;
        }
        if (item.on === want)
            return;
        if (item.on)
            item.on.remove();
        item.on = want;
        if (want)
            want.addTo(this.map);
    }

    /* How a feature looks: its category's colour; the chosen one has a thick edge; a square is the denser the more there is in it. */
    paint(item) {
        const fill = item.category < this.values.length ? this.values[item.category].color : this.colours.plain;
        const chosen = this.chosen === item;
        const dense = this.grid ? 0.25 + (0.65 * Math.log(Math.max(1, this.weight(item)))) / Math.log(this.most) : 0.5;
        const style = (layer) => {
            const point = typeof layer.getLatLng === "function";
            const line = !point && /LineString/.test((layer.feature && layer.feature.geometry.type) || "");
            layer.setStyle({
                color: chosen ? this.colours.text : point ? this.colours.edge : fill,
                weight: chosen ? 3.5 : line ? 3 : point ? 1 : this.grid ? 0.5 : 1.2,
                opacity: 1, fill: !line, fillColor: fill, fillOpacity: point ? 0.9 : chosen && !this.grid ? 0.7 : dense,
            });
            if (point)
                layer.setRadius(chosen ? 8 : item.point ? 6 : 4.5);
            if (chosen && this.map.hasLayer(layer))
                layer.bringToFront();
        };
        item.layer.eachLayer(style);
        if (item.dot)
            style(item.dot);
    }

    bounds() {
        return this.items.reduce((all, item) => all.extend(item.bounds), latLngBounds([]));
    }

    choose(item) {
        const before = this.chosen;
        if (before === item)
            return;
        this.chosen = item;
        [before, item].forEach((one) => one && this.paint(one));
    }

    /* ---- popups ---- */

    /* The popup of an item as a <dl>; of a square, how many of what. */
    tell(item) {
        if (!this.grid)
            return facts(item.feature, this.meta);
        const { n, counts } = item.feature.properties;
        const list = make("dl", { class: "odp-map-facts" });
        (counts || []).forEach((count, i) => {
            if (count > 0)
                list.append(make("div", {}, make("dt", {}, inLanguage(this.values[i].label) || String(this.values[i].value)),
                    make("dd", {}, `${number(String(count))} (${Math.round((100 * count) / n)} %)`)));
        });
        return list;
    }

    /* Brings ITEM into view: a shape as large as it can be seen, a point near enough to tell where it is. */
    reveal(item) {
        const animate = false; /* the popup that opens next would cut a flight short */
        if (item.point && this.map.getZoom() < POINT_ZOOM)
            this.map.setView(item.bounds.getCenter(), POINT_ZOOM, { animate });
        else if (!item.point && !this.grid && this.size(item) < 2 * DOT)
            this.map.fitBounds(item.bounds, { maxZoom: 14, padding: [60, 60], animate });
        else if (!this.map.getBounds().pad(-0.1).contains(item.bounds.getCenter()))
            this.map.panTo(item.bounds.getCenter(), { animate });
    }

    /* A place on the feature, or near enough. */
    middle(item) {
        let at = item.bounds.getCenter();
        item.layer.eachLayer((layer) => { /* needs the layer on the map */
            if (item.on === item.layer && typeof layer.getCenter === "function")
                at = layer.getCenter();
        });
        return at;
    }

    /* Opens the popup of ITEM. OPTIONS: {at: where, else in its middle; from: the element that the focus returns to; then the focus goes into the popup}. */
    open(item, options) {
        const { at, from } = options;
        this.close();
        this.tip.remove();
        const close = make("button", { type: "button", class: "odp-map-close", "aria-label": say("map_close"), title: say("map_close") }, "\u00d7");
        const body = make("div", { class: "odp-map-popup", role: "group", tabindex: "0", "aria-label": item.name },
            make("p", { class: "odp-map-name" }, item.name), this.tell(item));
        close.addEventListener("click", () => this.close());
        this.back = from || null;
        if (!at)
            this.reveal(item);
        const size = this.map.getSize();
        body.style.maxHeight = `${Math.max(120, Math.round(size.y * 0.6))}px`;
        this.popup = createPopup({
            closeButton: false, minWidth: 200, maxWidth: Math.min(340, size.x - 80), autoPanPaddingTopLeft: [60, 12], autoPanPaddingBottomRight: [12, 12],
        }).setLatLng(at || this.middle(item)).setContent(make("div", {}, close, body));
        this.popup.openOn(this.map);
        this.choose(item);
        if (from) { /* chosen in the list, from where a small screen does not show the map */
            body.focus({ preventScroll: true });
            this.frame.container.scrollIntoView({ block: "nearest" });
        }
    }

    /* Closes the popup; the focus goes back to where it came from when it was inside. */
    close() {
        if (!this.popup)
            return;
        const element = this.popup.getElement();
        const inside = Boolean(element) && element.contains(document.activeElement);
        const back = this.back && document.contains(this.back) ? this.back : this.frame.container;
        this.popup.remove();
        this.popup = null;
        if (inside)
            back.focus();
    }
}
