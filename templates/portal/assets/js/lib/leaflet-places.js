/* Everything on the map, for a keyboard, a screen reader, a thumb: one place after another, a search, and all of them under the map. Leaflet's shapes themselves cannot be reached by Tab,
 * and should not: nobody wants to press it a thousand times. */
import { latLngBounds } from "leaflet/leaflet.esm.js";
import { figure } from "./leaflet-areas.js";
import { makeSwatch } from "./leaflet-legend.js";
import { make, makeSvg, number } from "./leaflet-text.js";
import { plain } from "./table.js";
import { say } from "./words.js";

const LISTED = 60; /* at once; more are found by typing */
const SUGGESTED = 8;
const CITY_ZOOM = 9;

/* "Next place" and "previous place", and what they tell. */
export function makeWalk(shapes) {
    const previous = make("button", { type: "button", class: "button button-secondary button-small" }, say("map_previous"));
    const next = make("button", { type: "button", class: "button button-secondary button-small" }, say("map_next"));
    const status = make("p", { class: "odp-map-status", role: "status" });
    let last = null; /* where one has been, also after the popup was closed */
    const go = (step) => {
        const list = shapes.visible();
        if (list.length === 0) {
            status.textContent = say("map_hidden");
            return;
        }
        const before = list.indexOf(shapes.chosen || last);
        const at = before < 0 ? (step > 0 ? 0 : list.length - 1) : (before + step + list.length) % list.length;
        last = list[at];
        shapes.open(last, {});
        status.textContent = `${say("map_at", { i: number(String(at + 1)), n: number(String(list.length)), name: last.name })} ${shapes.brief(last)}`;
    };
    previous.addEventListener("click", () => go(-1));
    next.addEventListener("click", () => go(1));
    return make("div", { class: "odp-map-walk" }, make("div", { class: "cluster" }, previous, next), status);
}

/* ---- the search: over the map's own places, then over the names of the ground ---- */

/* [{text, note, run(from)}] for what somebody typed: names that begin with it, of regions, places, cities; then names, then other texts, with it in them. */
function findPlaces(shapes, typed) {
    const { map, ground } = shapes.frame;
    const wanted = plain(typed);
    const words = wanted.split(/\s+/);
    const fits = (text) => words.every((word) => plain(text).includes(word));
    const order = (text) => (` ${plain(text)}`.includes(` ${wanted}`) ? 0 : 3);
    const regions = shapes.groups().filter(({ text }) => fits(text)).map(({ text, items }) => ({
        text, note: say("map_count", { n: number(String(items.length)) }), order: order(text),
        run: () => map.fitBounds(items.reduce((all, item) => all.extend(item.bounds), latLngBounds([])), { padding: [40, 40], maxZoom: 14, animate: false }),
    }));
    const own = shapes.visible().filter((item) => fits(shapes.text(item)))
        .map((item) => ({ text: item.name, note: shapes.kindOf(item), order: fits(item.name) ? 1 + order(item.name) : 6, run: (from) => shapes.open(item, { from }) }));
    const grounds = ground.names.list.filter(({ kind, text }) => kind !== "ocean" && fits(text) && !own.some((one) => one.text === text)).map(({ kind, zoom, at, text }) => ({
        text, note: say("map_on_map"), order: 2 + order(text), run: () => map.setView(at, kind === "seat" || kind === "city" ? CITY_ZOOM : zoom + 1, { animate: false }),
    }));
    return [...regions, ...own, ...grounds].sort((a, b) => a.order - b.order).slice(0, SUGGESTED);
}

export function makeSearch(shapes) {
    const id = `odp-map-search-${Math.random().toString(36).slice(2, 8)}`;
    const input = make("input", { type: "search", id, autocomplete: "off", placeholder: say("map_search_hint") });
    const list = make("ul", { class: "odp-map-suggest", hidden: true });
    const status = make("p", { class: "visually-hidden", role: "status" });
    const box = make("div", { class: "odp-map-search" }, make("label", { for: id, class: "visually-hidden" }, say("map_search")), input, list, status);
    const hide = () => {
        list.hidden = true;
    };
    const update = () => {
        const wanted = input.value.trim();
        const found = wanted.length > 1 ? findPlaces(shapes, wanted) : [];
        list.replaceChildren(...found.map(({ text, note, run }) => {
            const button = make("button", { type: "button" }, make("span", {}, text), make("span", { class: "muted" }, note));
            button.addEventListener("click", () => {
                hide();
                run(input);
            });
            return make("li", {}, button);
        }));
        list.hidden = found.length === 0;
        status.textContent = wanted.length < 2 ? "" : found.length === 0 ? say("map_none") : say("map_found", { n: number(String(found.length)) });
    };
    input.addEventListener("input", update);
    input.addEventListener("focus", update);
    box.addEventListener("focusout", (event) => {
        if (!box.contains(event.relatedTarget))
            hide();
    });
    box.addEventListener("keydown", (event) => {
        const buttons = [...list.querySelectorAll("button")];
        const at = buttons.indexOf(document.activeElement);
        if (event.key === "Escape" && !list.hidden) {
            hide();
            input.focus();
            event.preventDefault();
            event.stopPropagation();
        } else if (event.key === "Enter" && document.activeElement === input && buttons.length > 0 && !list.hidden) {
            buttons[0].click();
            event.preventDefault();
        } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
            const to = at + (event.key === "ArrowDown" ? 1 : -1);
            (to < 0 ? input : buttons[Math.min(to, buttons.length - 1)]).focus();
            event.preventDefault();
        }
    });
    return box;
}

/* ---- under the map ---- */

/* All features as buttons that open the popup, so many at once. */
export function makeList(features) {
    const list = make("ul", { class: "odp-map-list" });
    const more = make("button", { type: "button", class: "button button-secondary button-small" }, say("map_list_more"));
    let shown = LISTED;
    const fill = () => {
        const found = features.visible();
        list.replaceChildren(...found.slice(0, shown).map((item) => {
            const kind = features.kindOf(item);
            const button = make("button", { type: "button" }, make("span", {}, item.name), ...(kind ? [make("span", { class: "muted" }, kind)] : []));
            button.addEventListener("click", () => features.open(item, { from: button }));
            return make("li", {}, button);
        }));
        more.hidden = found.length <= shown;
    };
    more.addEventListener("click", () => {
        const first = shown;
        shown += LISTED;
        fill();
        list.children[first].querySelector("button").focus();
    });
    const details = make("details", { class: "odp-map-places" }, make("summary", {}, `${say("map_places")} (${number(String(features.items.length))})`), list, more);
    details.addEventListener("toggle", () => details.open && fill());
    return { element: details, update: () => details.open && fill() };
}

/* A place's name: with a boundary it opens the popup, else it leads to the place's page. */
function nameOfPlace(areas, code) {
    const item = areas.known.get(code);
    const name = areas.figures.name(code);
    if (!item)
        return areas.links.places ? make("a", { href: `${areas.links.places}${encodeURIComponent(code)}.html` }, name) : make("span", {}, name);
    const button = make("button", { type: "button", class: "odp-map-name-button" }, name);
    button.addEventListener("click", () => areas.open(item, { from: button }));
    return button;
}

/* The places of AREAS by value, with a bar each. */
export function makeRanking(areas) {
    const body = make("tbody");
    const caption = make("caption", { class: "visually-hidden" });
    const head = make("tr", {}, make("th", { scope: "col" }, say("map_col_place")), make("th", { scope: "col", class: "number" }, say("map_col_value")), make("td", { class: "rank-bar" }));
    const details = make("details", { class: "odp-map-places" }, make("summary", {}, say("map_ranking")),
        make("div", { class: "table-wrap odp-map-ranking", role: "region", "aria-label": say("map_ranking"), tabindex: "0" }, make("table", { class: "rank" }, caption, make("thead", {}, head), body)));
    const update = () => {
        if (!details.open)
            return;
        const rows = [...areas.rows.values()];
        const most = Math.max(0, ...rows.map((row) => row.value));
        caption.textContent = areas.heading();
        body.replaceChildren(...rows.map(({ code, value, rank }) => {
            const bar = makeSvg("rect", { width: most > 0 ? Math.max(0, (100 * value) / most).toFixed(1) : 0, height: 1 });
            return make("tr", {}, make("th", { scope: "row" }, `${number(String(rank))}. `, nameOfPlace(areas, code)), make("td", { class: "number" }, figure(value, areas.measure)),
                make("td", { class: "rank-bar" }, makeSvg("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" }, bar)));
        }));
    };
    details.addEventListener("toggle", update);
    areas.watchers.push(update);
    return details;
}

/* Places that have figures and no boundary, with them. */
export function makeWithout(areas) {
    if (areas.without.length === 0)
        return null;
    const list = make("ul", { class: "odp-map-without" });
    const update = () => list.replaceChildren(...areas.without.map((code) => make("li", {}, makeSwatch(areas.colourOf(areas.classOf(code))), nameOfPlace(areas, code),
        make("strong", {}, figure(areas.value(code), areas.measure)))));
    areas.watchers.push(update);
    update();
    return make("div", { class: "odp-map-rest" }, make("p", {}, say("map_without", { n: number(String(areas.without.length)) })), list);
}
