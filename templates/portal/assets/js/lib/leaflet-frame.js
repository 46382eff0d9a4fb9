/* The map itself: background, controls, gestures, scale. No tiles and no other host: land is drawn from the portal's own coast lines. */
import { Control, DomEvent, geoJSON, latLngBounds, map as createMap, svg } from "leaflet/leaflet.esm.js";
import { make } from "./leaflet-text.js";
import { say } from "./words.js";

const COAST_UNTIL = 9; /* nearer than this zoom the coast lines would lie: they are good for some kilometres */
const HOME = [[-11.2, 94.8], [6.3, 141.2]]; /* Indonesia, where a document says nothing */
/* Room for the buttons, which would else lie on what a narrow screen shows. */
export const ROOM = { paddingTopLeft: [58, 16], paddingBottomRight: [16, 28], maxZoom: 15 };
const WORLD = [[-55, 52], [58, 178]]; /* what the coast lines cover */

export const quiet = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/* ---- controls --------------------------------------------------------------------------------------------------------------- */

/* Buttons of our own: real <button>s with words of the page's language. */
const Buttons = Control.extend({
    options: { position: "topleft" },
    onAdd(map) {
        const box = make("div", { class: "leaflet-bar odp-map-buttons" });
        const zoomIn = make("button", { type: "button", title: say("map_zoom_in"), "aria-label": say("map_zoom_in") }, "+");
        const zoomOut = make("button", { type: "button", title: say("map_zoom_out"), "aria-label": say("map_zoom_out") }, "\u2212");
        const all = make("button", { type: "button", title: say("map_all"), "aria-label": say("map_all") }, "\u2922");
        zoomIn.addEventListener("click", () => map.zoomIn());
        zoomOut.addEventListener("click", () => map.zoomOut());
        all.addEventListener("click", () => this.options.fit());
        const update = () => { /* not the attribute disabled: a button that had the focus would lose it */
            zoomIn.setAttribute("aria-disabled", String(map.getZoom() >= map.getMaxZoom()));
            zoomOut.setAttribute("aria-disabled", String(map.getZoom() <= map.getMinZoom()));
        };
        map.on("zoomend zoomlevelschange", update);
        box.append(zoomIn, zoomOut, all);
        DomEvent.disableClickPropagation(box);
        return box;
    },
});

/* ---- gestures: a page that is scrolled past a map goes on scrolling ------------------------------------------------------------- */

function showHint(hint, text) {
    hint.textContent = text;
    hint.classList.add("is-shown");
    clearTimeout(Number(hint.dataset.timer));
    hint.dataset.timer = String(setTimeout(() => hint.classList.remove("is-shown"), 1600));
}

/* One finger scrolls the page, two move the map; a wheel zooms with Ctrl (pinching on a touchpad comes as that, too). A mouse drags as ever. */
function cooperate(map, container, hint) {
    let touches = 0;
    map.dragging.disable();
    map.scrollWheelZoom.disable();
    container.addEventListener("pointerdown", (event) => {
        if (event.pointerType === "touch")
            map.dragging.disable();
        else
            map.dragging.enable();
    }, true);
    container.addEventListener("touchstart", (event) => {
        touches = event.touches.length;
    }, { passive: true });
    container.addEventListener("touchmove", (event) => {
        if (touches === 1 && event.touches.length === 1 && !event.target.closest(".leaflet-popup"))
            showHint(hint, say("map_two_fingers"));
    }, { passive: true });
    container.addEventListener("wheel", (event) => {
        if (event.ctrlKey || event.metaKey) {
            map.scrollWheelZoom.enable();
        } else {
            map.scrollWheelZoom.disable();
            if (!event.target.closest(".leaflet-popup"))
                showHint(hint, say("map_ctrl"));
        }
    }, { capture: true, passive: true });
}

/* Leaflet animates what it moves by itself; who does not want that gets none of it. */
function calm(map) {
    const move = map.panBy;
    map.panBy = (offset, options) => move.call(map, offset, quiet() ? { ...options, animate: false } : options);
}

/* ---- background -------------------------------------------------------------------------------------------------------------- */

/* Draws the coast lines into a pane below everything else; SOURCE is the line that tells where they come from. Without them the map works as well. */
function addCoast(map, container, url, integrity, source) {
    const pane = map.createPane("odp-coast");
    pane.style.zIndex = "150";
    const renderer = svg({ pane: "odp-coast", padding: 0.3 });
    const update = () => {
        const far = map.getZoom() <= COAST_UNTIL;
        container.classList.toggle("is-near", !far);
        pane.hidden = !far;
        source.textContent = say(far ? "map_source" : "map_source_far");
    };
    return fetch(url, integrity ? { integrity } : {}).then((response) => {
        if (!response.ok)
            throw new Error(`coast lines: ${response.status}`);
        return response.json();
    }).then((coast) => {
        geoJSON(coast, {
            pane: "odp-coast", renderer, interactive: false, smoothFactor: 0.5,
            style: (feature) => ({ className: feature.properties.who === "id" ? "odp-map-land" : "odp-map-land odp-map-land-other", weight: 0.7 }),
        }).addTo(map);
        container.classList.add("has-coast");
        map.on("zoomend", update);
        update();
    }).catch(() => { /* no background is no fault: shapes, list and table say the same */
        source.textContent = "";
    });
}

/* ---- all of it --------------------------------------------------------------------------------------------------------------- */

/* Builds the map into BOX. OPTIONS: {title, coast, coastIntegrity, bounds, many}. Returns {map, fit, source}. */
export function makeFrame(box, options) {
    const container = make("div", { class: "odp-map-view", role: "application", "aria-label": say("map_label", { title: options.title || "" }) });
    const helpId = `odp-map-help-${Math.random().toString(36).slice(2, 8)}`;
    const help = make("p", { class: "visually-hidden", id: helpId }, say("map_help"));
    const hint = make("p", { class: "odp-map-hint", "aria-hidden": "true" });
    const source = make("p", { class: "odp-map-source muted" });
    container.setAttribute("aria-describedby", helpId);
    const frame = make("div", { class: "odp-map-frame" }, container, hint);
    box.append(help, frame);

    const still = quiet();
    const bounds = latLngBounds(options.bounds || HOME);
    const map = createMap(container, {
        zoomControl: false, attributionControl: false, preferCanvas: Boolean(options.many), zoomSnap: 0.25, zoomDelta: 1, minZoom: 2, maxZoom: 18,
        zoomAnimation: !still, fadeAnimation: !still, markerZoomAnimation: !still, inertia: !still,
        maxBounds: latLngBounds(WORLD).extend(bounds.pad(0.5)), maxBoundsViscosity: 0.8, worldCopyJump: false, keyboardPanDelta: 80,
        tap: false, /* browsers of today click by touch; Leaflet 1.7 would click again */
    });
    calm(map);
    const fit = () => map.fitBounds(bounds, { ...ROOM, animate: !quiet() });
    map.fitBounds(bounds, { ...ROOM, animate: false });
    new Buttons({ fit }).addTo(map);
    new Control.Scale({ imperial: false, maxWidth: 120 }).addTo(map);
    cooperate(map, container, hint);
    const ready = options.coast ? addCoast(map, container, options.coast, options.coastIntegrity, source) : Promise.resolve();
    return { map, fit, source, container, ready };
}
