// The page of all places: its list is narrowed while a name is typed; Enter leads to the first that is left.
import { plain } from "./lib/table.js";
import { number } from "./lib/format.js";
import { say } from "./lib/words.js";

const field = document.getElementById("tempat-cari");
const list = document.getElementById("tempat-daftar");
const compared = document.getElementById("tempat-banding");
const told = document.querySelector(".place-find [role=status]");

const places = [...list.querySelectorAll("a")].map((link) => ({ link, name: plain(link.textContent), box: link.closest("li") || link.closest("section") }));

// A province stays with those of its places that are left; one that is itself meant keeps them all.
function narrow() {
    const asked = plain(field.value.trim()).split(/\s+/).filter(Boolean);
    const found = places.filter((place) => asked.every((word) => place.name.includes(word)));
    const left = new Set(found.map((place) => place.box));
    for (const section of list.children) {
        const whole = left.has(section);
        let any = whole;
        for (const item of section.querySelectorAll("li")) {
            item.hidden = !whole && !left.has(item);
            any = any || !item.hidden;
        }
        section.hidden = !any;
    }
    if (compared) compared.hidden = asked.length > 0;
    told.textContent = found.length > 0 ? say("place_js_count", { n: number(found.length) }) : say("place_js_none", { q: field.value.trim() });
    return found;
}

if (field) {
    field.addEventListener("input", narrow);
    field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || field.value.trim() === "") return;
        const [first] = narrow().sort((a, b) => a.name.length - b.name.length);
        if (first) location.href = first.link.href;
    });
    if (field.value !== "") narrow();
}
