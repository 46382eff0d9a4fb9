/* The map itself: controls, gestures, scale, the whole screen, a link to what is seen. */
import { Control, DomEvent, latLngBounds, map as createMap } from "leaflet/leaflet.esm.js";
import { copyText } from "./dom.js";
import { Ground } from "./leaflet-ground.js";
import { make, makeSvg } from "./leaflet-text.js";
import { writeView } from "./map-address.js";
import { say } from "./words.js";

const HOME = [[-11.2, 94.8], [6.3, 141.2]]; /* Indonesia, where a document says nothing */
/* Room for the edge. (Buttons lie at the lower left and the upper right, where all of Indonesia leaves sea.) */
export const ROOM = { paddingTopLeft: [16, 16], paddingBottomRight: [16, 28], maxZoom: 15 };
const WORLD = [[-55, 52], [58, 178]]; /* what the coast lines cover */

export const quiet = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/* ---- controls --------------------------------------------------------------------------------------------------------------- */

const ICONS = { /* strokes in a box of 24 */
    in: "M12 5v14M5 12h14", out: "M5 12h14", all: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5M9 12h6M12 9v6",
    full: "M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5", link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
};

const makeIcon = (name) => makeSvg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, makeSvg("path", { d: ICONS[name] }));

/* Buttons of our own: real <button>s with words of the page's language. */
const Buttons = Control.extend({
    /* options.buttons: [[icon, word, run], …] */
    onAdd(map) {
        const box = make("div", { class: "leaflet-bar odp-map-buttons" });
        const made = this.options.buttons.map(([icon, word, run]) => {
            const button = make("button", { type: "button", title: word, "aria-label": word, "data-do": icon }, makeIcon(icon));
            button.addEventListener("click", () => run(button));
            return [icon, button];
        });
        const update = () => made.forEach(([icon, button]) => { /* not the attribute disabled: a button that had the focus would lose it */
            if (icon === "in" || icon === "out")
                button.setAttribute("aria-disabled", String(icon === "in" ? map.getZoom() >= map.getMaxZoom() : map.getZoom() <= map.getMinZoom()));
        });
        map.on("zoomend zoomlevelschange", update);
        box.append(...made.map(([, button]) => button));
        DomEvent.disableClickPropagation(box);
        return box;
    },
});

/* BOX on the whole screen and back; where a browser has that for videos only, over the whole page. */
function switchFull(box, map, button) {
    const isOn = () => document.fullscreenElement === box || box.classList.contains("is-full");
    const update = () => {
        box.classList.toggle("is-wide", isOn());
        button.setAttribute("aria-pressed", String(isOn()));
        map.invalidateSize({ animate: false });
    };
    if (!box.dataset.full) {
        box.dataset.full = "known";
        box.addEventListener("fullscreenchange", update);
        box.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && !event.defaultPrevented && box.classList.contains("is-full")) {
                box.classList.remove("is-full");
                update();
            }
        });
    }
    if (document.fullscreenElement === box) {
        document.exitFullscreen();
    } else if (box.requestFullscreen && !box.classList.contains("is-full")) {
        box.requestFullscreen().catch(() => {
            box.classList.add("is-full");
            update();
        });
    } else {
        box.classList.toggle("is-full");
        update();
    }
}

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

/* ---- all of it --------------------------------------------------------------------------------------------------------------- */

const POPUP = 260; /* pixels: the height of most */

/* Where one may go from BOUNDS, all of which are seen at ZOOM: so far that a popup on their edge has room. */
function around(bounds, zoom) {
    const [south, west, north, east] = [bounds.getSouth(), bounds.getWest(), bounds.getNorth(), bounds.getEast()];
    const more = Math.max(0.4 * (east - west), (POPUP * 360) / (256 * 2 ** zoom));
    return latLngBounds([[south - more, west - more], [north + more, east + more]]);
}

/* The code below the map that puts it on another site leads to the VIEW, too. */
function embedView(box, view) {
    const figure = box.closest("figure"), code = figure && figure.nextElementSibling && figure.nextElementSibling.querySelector("pre code");
    if (code)
        code.textContent = code.textContent.replace(/ src="([^"#]*)[^"]*"/, (_, page) => ` src="${page}${view}"`);
}

/* Builds the map into BOX. OPTIONS: {title, data: dataset of the page's element (leaflet-ground.js), bounds, tight: one does not go far from there, many, id: for links, chosen(): what else is to be in a link}.
 * Returns {map, fit, source, container, ready, ground}. */
export function makeFrame(box, options) {
    const container = make("div", { class: "odp-map-view", role: "application", "aria-label": say("map_label", { title: options.title || "" }) });
    const helpId = `odp-map-help-${Math.random().toString(36).slice(2, 8)}`;
    const help = make("p", { class: "visually-hidden", id: helpId }, say("map_help"));
    const hint = make("p", { class: "odp-map-hint", role: "status" });
    const source = make("p", { class: "odp-map-source muted" });
    container.setAttribute("aria-describedby", helpId);
    box.append(help, make("div", { class: "odp-map-frame" }, container, hint));

    const still = quiet();
    const bounds = latLngBounds(options.bounds || HOME);
    const map = createMap(container, {
        zoomControl: false, attributionControl: false, preferCanvas: Boolean(options.many), zoomSnap: 0.25, zoomDelta: 1, minZoom: 2, maxZoom: 18,
        zoomAnimation: !still, fadeAnimation: !still, markerZoomAnimation: !still, inertia: !still,
        maxBounds: latLngBounds(WORLD).extend(bounds.pad(0.5)), maxBoundsViscosity: 0.8, worldCopyJump: false, keyboardPanDelta: 80,
        tap: false, /* browsers of today click by touch; Leaflet 1.7 would click again */
    });
    calm(map);
    const frame = { map, source, container, fit: () => map.fitBounds(bounds, { ...ROOM, animate: !quiet() }) };
    map.fitBounds(bounds, { ...ROOM, animate: false });
    if (options.tight)
        map.setMaxBounds(around(bounds, map.getZoom()));
    const share = async () => {
        const { lat, lng } = map.getCenter();
        const view = writeView(options.id, { zoom: map.getZoom(), lat, lon: lng, ...options.chosen() });
        history.replaceState(history.state, "", view);
        embedView(box, view);
        await copyText(location.href).then(() => showHint(hint, say("map_linked")), () => showHint(hint, say("map_link_above")));
    };
    new Buttons({ position: "bottomleft", buttons: [
        ["in", say("map_zoom_in"), () => map.zoomIn()], ["out", say("map_zoom_out"), () => map.zoomOut()], ["all", say("map_all"), () => frame.fit()],
    ] }).addTo(map);
    new Buttons({ position: "topright", buttons: [
        ["full", say("map_full"), (button) => switchFull(box, map, button)], ...(options.id ? [["link", say("map_link"), share]] : []),
    ] }).addTo(map);
    new Control.Scale({ position: "bottomright", imperial: false, maxWidth: 120 }).addTo(map);
    cooperate(map, container, hint);
    frame.ground = new Ground(frame, options.data || {}, source);
    frame.ready = frame.ground.ready;
    return frame;
}
