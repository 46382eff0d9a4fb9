/* Legends: of categories, with how many there are of each and a box to hide them; of classes, where the one that the pointer is on stands out. */
import { bound } from "./format.js";
import { titleOf } from "./leaflet-areas.js";
import { inLanguage, make, number } from "./leaflet-text.js";
import { say } from "./words.js";

function makeSwatch(color) {
    const swatch = make("span", { class: "odp-map-swatch", "aria-hidden": "true" });
    swatch.style.backgroundColor = color;
    return swatch;
}

/* A <fieldset>, or null where the document has no category. CHANGED is called after a box was ticked or not. */
export function makeLegend(features, changed) {
    const { category } = features.meta;
    if (!category || features.values.length === 0)
        return null;
    const rows = features.values.map((entry, index) => {
        const box = make("input", { type: "checkbox", checked: true });
        box.addEventListener("change", () => {
            features.toggle(index, box.checked);
            changed();
        });
        const count = entry.count === undefined ? "" : ` (${number(String(entry.count))})`;
        return make("label", { class: "check" }, box, makeSwatch(entry.color), make("span", {}, `${inLanguage(entry.label) || String(entry.value)}${count}`));
    });
    return make("fieldset", { class: "odp-map-legend" }, make("legend", {}, inLanguage(category.title) || category.field), ...rows);
}

/* The limits of class AT in words; where all are small WHOLE numbers, with the last one that is in it. */
function rangeOf(at, breaks, whole) {
    const [from, to] = [breaks[at - 1], breaks[at]].map((value) => (value === undefined ? "" : bound(value)));
    if (breaks.length === 0)
        return say("map_any");
    if (whole && at > 0 && at < breaks.length)
        return breaks[at] - 1 === breaks[at - 1] ? from : say("map_within", { from, to: bound(breaks[at] - 1) });
    return at === 0 ? say("map_below", { to }) : at === breaks.length ? say("map_from", { from }) : say("map_between", { from, to });
}

/* The classes of AREAS; follows what they show. */
export function makeScale(areas) {
    const title = make("p", { class: "odp-map-scale-title" });
    const list = make("ul", { class: "odp-map-scale" });
    const row = (at, text, count) => {
        const item = make("li", { "data-class": at }, makeSwatch(areas.colourOf(at)), make("span", {}, text), make("span", { class: "visually-hidden" }, ` (${number(String(count))})`));
        return item;
    };
    const update = () => {
        const { breaks, measure, items } = areas;
        const counts = new Map();
        [...items.map(({ code }) => code), ...areas.without].forEach((code) => counts.set(areas.classOf(code), (counts.get(areas.classOf(code)) || 0) + 1));
        const whole = [...breaks, ...[...areas.rows.values()].map(({ value }) => value)].every(Number.isInteger) && breaks.every((value) => value < 10000);
        const unit = inLanguage(measure.unit);
        title.textContent = `${areas.heading()}${unit ? ` (${unit})` : ""}`;
        list.replaceChildren(...Array.from({ length: breaks.length + 1 }, (_, at) => row(at, rangeOf(at, breaks, whole), counts.get(at) || 0)),
            ...(counts.get(-1) ? [row(-1, say("map_empty"), counts.get(-1))] : []));
    };
    update.pointed = (at) => [...list.children].forEach((item) => item.classList.toggle("is-here", at !== null && item.dataset.class === String(at)));
    areas.watchers.push(update);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
    update();
    return make("div", { class: "odp-map-legend" }, title, list);
}

export { makeSwatch, titleOf };
