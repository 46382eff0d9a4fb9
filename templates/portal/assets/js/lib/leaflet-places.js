/* Everything on the map, for a keyboard, a screen reader, a thumb: one place after another, and a list to search. Leaflet's shapes themselves cannot be reached by Tab,
 * and should not: nobody wants to press it a thousand times. */
import { inLanguage, make, named, number, value } from "./leaflet-text.js";
import { say } from "./words.js";

const LISTED = 60; /* at once; more are found by typing */

/* "Tingkat: Berat; Luas: 12,5 ha": the category, then the first fields that say something beside name and key. */
function summary(item, features) {
    const { meta } = features;
    if (features.grid)
        return features.categoryName(item);
    const properties = item.feature.properties || {};
    const fields = (meta.fields || Object.keys(properties).map((name) => ({ name }))).filter((field) => {
        const raw = properties[field.name];
        return field.name !== meta.label && !(meta.key || []).includes(field.name) && raw !== null && raw !== undefined && raw !== "" && String(raw) !== item.name;
    });
    const isCategory = (field) => Number(Boolean(meta.category) && field.name === meta.category.field);
    return fields.sort((a, b) => isCategory(b) - isCategory(a)).slice(0, 4).map((field) => {
        const shown = meta.category && meta.category.field === field.name ? features.categoryName(item) : value(properties[field.name], field.type ? field : null);
        return `${inLanguage(field.title) || field.name}: ${shown}`;
    }).join("; ");
}

/* "Next place" and "previous place", and what they tell. */
function makeWalk(features) {
    const previous = make("button", { type: "button", class: "button button-secondary button-small" }, say("map_previous"));
    const next = make("button", { type: "button", class: "button button-secondary button-small" }, say("map_next"));
    const status = make("p", { class: "odp-map-status", role: "status" });
    let last = null; /* where one has been, also after the popup was closed */
    const go = (step) => {
        const list = features.visible();
        if (list.length === 0) {
            status.textContent = say("map_hidden");
            return;
        }
        const before = list.indexOf(features.chosen || last);
        const at = before < 0 ? (step > 0 ? 0 : list.length - 1) : (before + step + list.length) % list.length;
        last = list[at];
        features.open(last, {});
        status.textContent = `${say("map_at", { i: number(String(at + 1)), n: number(String(list.length)), name: last.name })} ${summary(last, features)}`;
    };
    previous.addEventListener("click", () => go(-1));
    next.addEventListener("click", () => go(1));
    return make("div", { class: "odp-map-walk" }, make("div", { class: "cluster" }, previous, next), status);
}

/* The list: names as buttons that open the popup. */
function makeList(features) {
    const id = `odp-map-search-${Math.random().toString(36).slice(2, 8)}`;
    const input = make("input", { type: "search", id, autocomplete: "off" });
    const list = make("ul", { class: "odp-map-list" });
    const rest = make("p", { class: "muted", role: "status" });
    const names = (item) => (features.meta.fields || []).map((field) => named((item.feature.properties || {})[field.name], field));
    const text = (item) => [item.name, ...Object.values(item.feature.properties || {}), ...names(item)].filter((v) => typeof v === "string").join("\n").toLowerCase();
    const fill = () => {
        const wanted = input.value.trim().toLowerCase();
        const found = features.visible().filter((item) => wanted === "" || text(item).includes(wanted));
        list.replaceChildren(...found.slice(0, LISTED).map((item) => {
            const category = features.categoryName(item);
            const button = make("button", { type: "button" }, make("span", {}, item.name), ...(category ? [make("span", { class: "muted" }, category)] : []));
            button.addEventListener("click", () => features.open(item, { from: button }));
            return make("li", {}, button);
        }));
        rest.textContent = found.length === 0 ? say("map_none") : found.length > LISTED ? say("map_more", { n: number(String(found.length - LISTED)) }) : "";
    };
    input.addEventListener("input", fill);
    const details = make("details", { class: "odp-map-places" }, make("summary", {}, `${say("map_places")} (${number(String(features.items.length))})`),
        make("div", { class: "field" }, make("label", { for: id }, say("map_search")), input), list, rest);
    details.addEventListener("toggle", () => details.open && fill());
    return { details, fill: () => details.open && fill() };
}

/* Returns {element, update}: update after categories were shown or hidden. */
export function makePlaces(features) {
    const list = features.grid ? null : makeList(features); /* squares have no names to look for */
    const element = make("div", { class: "odp-map-below stack" }, makeWalk(features), ...(list ? [list.details] : []));
    return { element, update: () => list && list.fill() };
}
