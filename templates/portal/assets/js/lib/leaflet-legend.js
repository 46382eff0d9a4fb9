/* The legend: what the colours mean, how many there are of each, and a box to hide them. */
import { inLanguage, make, number } from "./leaflet-text.js";

/* A <fieldset>, or null where the document has no category. CHANGED is called after a box was ticked or not. */
export function makeLegend(features, changed) {
    const { category } = features.meta;
    if (!category || features.values.length === 0)
        return null;
    const rows = features.values.map((entry, index) => {
        const box = make("input", { type: "checkbox", checked: true });
        const swatch = make("span", { class: "odp-map-swatch", "aria-hidden": "true" });
        swatch.style.backgroundColor = entry.color;
        box.addEventListener("change", () => {
            features.toggle(index, box.checked);
            changed();
        });
        const count = entry.count === undefined ? "" : ` (${number(String(entry.count))})`;
        return make("label", { class: "check" }, box, swatch, make("span", {}, `${inLanguage(entry.label) || String(entry.value)}${count}`));
    });
    return make("fieldset", { class: "odp-map-legend" }, make("legend", {}, inLanguage(category.title) || category.field), ...rows);
}
