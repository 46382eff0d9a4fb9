/* The maps of a page (parts/map.html): a picture becomes a map when it comes into view, or when the reader asks where data are saved; without it the page says the same. */
import { el } from "./dom.js";
import { loadMap, whenSeen } from "./lazy.js";
import { readView } from "./map-address.js";
import { say } from "./words.js";

function setUpMap(box) {
    const button = document.querySelector(`[data-map-open="${CSS.escape(box.id)}"]`);
    const status = button ? button.parentElement.querySelector("[role=status]") : el("span");
    let loading = false;
    const open = async () => {
        if (loading)
            return;
        loading = true;
        status.textContent = say("map_loading");
        try {
            await (await loadMap(box)).open(box);
            if (button)
                button.remove();
            status.textContent = "";
        } catch (error) {
            loading = false;
            status.textContent = say("map_failed");
        }
    };
    if (button)
        button.addEventListener("click", open);
    whenSeen(box, open);
    if (readView(location.hash, box.id))
        box.scrollIntoView({ block: "center" });
}

export function setUpMaps() {
    document.querySelectorAll(".map[data-map-js]").forEach(setUpMap);
}
