/* Shapes and points on the map, whatever they mean: drawn as themselves, as a dot or within a cluster; a tip, and a popup each. What they are called, which colour they have and
 * what their popup says is for those who extend this (leaflet-features.js, leaflet-areas.js):
 *
 *   shown(item)     whether it is to be seen         fillOf(item)   its colour          denseOf(item)   how opaque it is
 *   nameOf(...)     given to add()                    tell(item)     nodes of its popup  brief(item)     the same in a sentence
 *   kindOf(item)    one word for the list             kinds()        colours of the parts of a cluster: [{color}], by item.category */
import { circleMarker, geoJSON, latLngBounds, popup as createPopup, tooltip as createTooltip } from "leaflet/leaflet.esm.js";
import { Clusters } from "./leaflet-clusters.js";
import { make } from "./leaflet-text.js";
import { say } from "./words.js";

const DOT = 9; /* pixels: a shape smaller than this on the screen is a dot, or nobody would see it */
const POINT_ZOOM = 7;

/* A colour of the theme as it is now, light or dark. */
export const colour = (element, name, otherwise) => getComputedStyle(element).getPropertyValue(name).trim() || otherwise;

export class Shapes {
    /* FRAME of leaflet-frame.js. */
    constructor(frame) {
        this.frame = frame;
        this.map = frame.map;
        this.chosen = null;
        this.items = [];
        this.popup = null;
        /* One for all, and not Leaflet's bindTooltip: that listens for the focus of each shape, and for that a browser puts each into the order of Tab. */
        this.tip = createTooltip({ className: "odp-map-tip", direction: "top", offset: [0, -8] });
        this.clusters = new Clusters(this);
        const dark = window.matchMedia("(prefers-color-scheme: dark)");
        const repaint = () => {
            this.readColours();
            this.items.forEach((item) => this.paint(item));
            this.arrange();
        };
        dark.addEventListener("change", repaint);
        this.map.on("unload", () => dark.removeEventListener("change", repaint));
        this.map.on("popupclose", () => this.choose(null));
        this.map.on("zoomend", () => this.arrange());
    }

    /* Once, not for each of a thousand shapes. */
    readColours() {
        const box = this.frame.container;
        this.colours = { edge: colour(box, "--odp-map-edge", "#ffffff"), text: colour(box, "--color-text", "#111111"), muted: colour(box, "--color-muted", "#5f6b76") };
    }

    visible() {
        return this.items.filter((item) => item.shown);
    }

    /* ---- shapes ---- */

    /* FEATURE with MORE members of its item (name, …); null where its geometry is none: the others of a foreign document are shown. */
    add(feature, more) {
        const item = { feature, shown: true, ...more };
        try {
            item.layer = geoJSON(feature, { pointToLayer: (_, at) => circleMarker(at, { radius: 6 }) });
        } catch (error) {
            return null;
        }
        if (!item.layer.getBounds().isValid())
            return null;
        item.bounds = item.layer.getBounds();
        item.point = item.bounds.getNorthEast().equals(item.bounds.getSouthWest());
        this.items.push(item);
        this.listen(item, item.layer);
        return item;
    }

    listen(item, layer) {
        layer.on({
            click: (event) => this.open(item, { at: event.latlng }),
            mouseover: (event) => {
                this.tip.setContent(make("span", {}, this.tipOf(item))).setLatLng(event.latlng).addTo(this.map);
                this.point(item);
            },
            mousemove: (event) => this.tip.setLatLng(event.latlng),
            mouseout: () => {
                this.tip.remove();
                this.point(null);
            },
        });
    }

    tipOf(item) {
        return item.name;
    }

    /* The pointer is on ITEM, or on none. */
    point() {}

    /* Pixels of an item on the screen, the longer side. */
    size(item) {
        const a = this.map.project(item.bounds.getNorthWest());
        const b = this.map.project(item.bounds.getSouthEast());
        return Math.max(b.x - a.x, b.y - a.y);
    }

    /* What stands for ITEM at this zoom: its shape or a dot. */
    wanted(item) {
        if (item.point || !this.dots || this.size(item) >= DOT)
            return item.layer;
        if (!item.dot) {
            item.dot = circleMarker(item.bounds.getCenter());
            this.listen(item, item.dot);
            this.paint(item);
        }
        return item.dot;
    }

    put(item, want) {
        if (item.on === want)
            return;
        if (item.on)
            item.on.remove();
        item.on = want;
        if (want)
            want.addTo(this.map);
    }

    /* Puts on the map what is to be seen at this zoom. What is small comes together in clusters; the chosen one never does. */
    arrange() {
        const small = [];
        this.items.forEach((item) => {
            item.shown = this.isShown(item);
            const want = item.shown ? this.wanted(item) : null;
            if (this.dots && want && item !== this.chosen && (item.point || want === item.dot))
                small.push(item);
            else
                this.put(item, want);
        });
        const alone = this.clusters.gather(small);
        small.forEach((item) => this.put(item, alone.has(item) ? this.wanted(item) : null));
    }

    /* How an item looks; the chosen one has a thick edge. */
    paint(item) {
        const fill = this.fillOf(item);
        const chosen = this.chosen === item;
        const style = (layer) => {
            const point = typeof layer.getLatLng === "function";
            const line = !point && /LineString/.test((layer.feature && layer.feature.geometry.type) || "");
            layer.setStyle({
                color: chosen ? this.colours.text : point || this.edged ? this.colours.edge : fill,
                weight: chosen ? 3 : line ? 3 : point ? 1 : this.edged ? 0.6 : 1.2,
                opacity: 1, fill: !line, fillColor: fill, fillOpacity: point ? 0.9 : this.denseOf(item, chosen),
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

    /* [{text, items}]: what a search finds besides items. */
    groups() {
        return [];
    }

    bounds() {
        return this.items.reduce((all, item) => all.extend(item.bounds), latLngBounds([]));
    }

    choose(item) {
        const before = this.chosen;
        if (before === item)
            return;
        this.chosen = item;
        if (this.dots)
            this.arrange();
        [before, item].forEach((one) => one && this.paint(one));
    }

    /* ---- popups ---- */

    /* Brings ITEM into view: a shape as large as it can be seen, a point near enough to tell where it is. */
    reveal(item) {
        const animate = false; /* the popup that opens next would cut a flight short */
        if (item.point && this.map.getZoom() < POINT_ZOOM)
            this.map.setView(item.bounds.getCenter(), POINT_ZOOM, { animate });
        else if (!item.point && this.dots && this.size(item) < 2 * DOT)
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
        this.close();
        this.choose(item);
        if (!options.at)
            this.reveal(item);
        this.show(item.name, this.tell(item), { ...options, at: options.at || this.middle(item) });
        this.point(item);
    }

    /* A popup with NODES under NAME. */
    show(name, nodes, { at, from }) {
        this.tip.remove();
        const close = make("button", { type: "button", class: "odp-map-close", "aria-label": say("map_close"), title: say("map_close") }, "\u00d7");
        const body = make("div", { class: "odp-map-popup", role: "group", tabindex: "0", "aria-label": name }, make("p", { class: "odp-map-name" }, name), ...nodes);
        close.addEventListener("click", () => this.close());
        this.back = from || null;
        const size = this.map.getSize();
        body.style.maxHeight = `${Math.max(120, Math.round(size.y * 0.6))}px`;
        const chosen = this.chosen;
        this.popup = createPopup({
            closeButton: false, minWidth: 200, maxWidth: Math.min(340, size.x - 84), autoPanPaddingTopLeft: [12, 12], autoPanPaddingBottomRight: [60, 12],
        }).setLatLng(at).setContent(make("div", {}, close, body));
        this.popup.openOn(this.map);
        this.choose(chosen);
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
        this.choose(null);
        if (inside)
            back.focus();
    }
}
