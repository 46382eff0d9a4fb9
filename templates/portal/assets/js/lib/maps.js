/* The maps of a page (parts/map.html): a picture becomes a map when it comes into view; one of many shapes, and where data are saved, when the reader points at it or asks. Without it
 * the page says the same. */
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
            if (button === document.activeElement)
                box.querySelector(".odp-map-view").focus({ preventScroll: true });
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
    const asked = readView(location.hash, box.id);
    if ("asked" in box.dataset && !asked)
        box.addEventListener("pointerenter", open, { once: true });
    else
        whenSeen(box, open);
    if (asked)
        box.scrollIntoView({ block: "center" });
}

export function setUpMaps() {
    document.querySelectorAll(".map[data-map-js]").forEach(setUpMap);
}
