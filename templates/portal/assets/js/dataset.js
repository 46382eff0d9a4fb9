/* A dataset's page: the map's picture becomes a map when it comes into view (and charts live, lib/lazy.js), or when the reader asks where data are saved; without it the page says the same. */
import { el } from "./lib/dom.js";
import { loadMap, setUpCharts, whenSeen } from "./lib/lazy.js";
import { say } from "./lib/words.js";

async function fetchJson(address) {
    const answer = await fetch(address);
    if (!answer.ok)
        throw new Error(String(answer.status));
    return answer.json();
}

/* ---- the map ---- */

function setUpMap(box) {
    const button = document.querySelector(`[data-map-open="${CSS.escape(box.id)}"]`);
    const status = button ? button.parentElement.querySelector("[role=status]") : el("span");
    let loading = false;
    const open = async () => {
        if (loading)
            return;
        loading = true;
        status.textContent = say("ds_t_map_loading");
        try {
            const [odpMap, places] = await Promise.all([loadMap(box), fetchJson(box.dataset.src)]);
            odpMap.show(box, places, { title: box.dataset.title });
            if (button)
                button.remove();
            status.textContent = "";
        } catch (error) {
            loading = false;
            status.textContent = say("ds_t_map_failed");
        }
    };
    if (button)
        button.addEventListener("click", open);
    whenSeen(box, open);
}

document.querySelectorAll(".ds-map[data-src]").forEach(setUpMap);
setUpCharts();
