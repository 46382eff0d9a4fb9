/* Within a frame of another site (pages/embed.html): the chart or the map lives, a place gets its figures, and the frame's page is told how high it is: a message {type: "odp-embed", height},
 * which a host may listen to (docs/publishing.md) and which says nothing else. No key is here, and none is asked for. */
import { showPlace } from "./lib/embed-place.js";
import { setUpCharts } from "./lib/lazy.js";
import { setUpMaps } from "./lib/maps.js";

document.documentElement.classList.add("js");
setUpMaps();
setUpCharts();
const place = document.getElementById("tempat");
if (place)
    showPlace(place, document.getElementById("semua"));

if (window.parent !== window && "ResizeObserver" in window) {
    let last = 0;
    new ResizeObserver(() => {
        const height = Math.ceil(document.body.getBoundingClientRect().height);
        if (height !== last)
            window.parent.postMessage({ type: "odp-embed", height }, "*");
        last = height;
    }).observe(document.body);
}
