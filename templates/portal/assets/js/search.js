// The search of every page (parts/search.html): a combobox over what cari.json knows, and, on the home page with ?q=, all results. portal.js loads this
// file when somebody begins to type; until then the form works by itself.
import { el } from "./lib/dom.js";
import { Search } from "./lib/search.js";

const MOST = { group: 4, all: 12 }; // of suggestions
const form = document.querySelector("form.search");
const { root, search: address } = form.dataset;
const field = form.elements.q;
const lang = document.documentElement.lang === "en" ? "en" : "id";

let opening = null;
function open() {
    const json = (path) => fetch(root + path, { credentials: "same-origin" }).then((got) => (got.ok ? got.json() : Promise.reject(new Error(path))));
    opening = opening || fetch(address, { credentials: "same-origin" }).then((got) => (got.ok ? got.json() : Promise.reject(new Error(address))))
        .then((core) => new Search(core, lang, (digest) => json(`assets/${digest}.json`)));
    opening.catch(() => (opening = null));
    return opening;
}

const home = (query) => `${form.getAttribute("action")}?q=${encodeURIComponent(query)}`;
const hrefOf = (result) => (result.query ? home(result.query) : root + result.path);

// ---- suggestions ----

const list = el("div", { id: "cari-saran", class: "suggestions", role: "listbox", hidden: true });
const status = el("p", { class: "visually-hidden", role: "status" });
form.append(list, status);
Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" }).forEach(([k, v]) => field.setAttribute(k, v));

let options = [];
let active = -1;

function choose(index) {
    if (options[active]) options[active].setAttribute("aria-selected", "false");
    active = index;
    if (options[active]) {
        options[active].setAttribute("aria-selected", "true");
        options[active].scrollIntoView({ block: "nearest" });
        field.setAttribute("aria-activedescendant", options[active].id);
    } else field.removeAttribute("aria-activedescendant");
}

function show(open_) {
    const any = open_ && options.length > 0;
    list.hidden = !any;
    field.setAttribute("aria-expanded", String(any));
    if (!any) choose(-1);
}

function option(result) {
    return el("a", { role: "option", id: `cari-saran-${options.length}`, "aria-selected": "false", tabindex: "-1", href: hrefOf(result) },
        el("span", { class: "suggestion-title" }, result.title, result.code && " ", result.code && el("code", null, result.code)), result.note && el("span", { class: "muted small" }, " ", result.note));
}

function suggest(search, query, found) {
    options = [];
    list.replaceChildren();
    list.setAttribute("aria-label", search.word("results"));
    let left = MOST.all;
    found.groups.forEach((group, i) => {
        if (left <= 0) return;
        const shown = group.results.slice(0, Math.min(left, i === 0 ? 6 : MOST.group));
        left -= shown.length;
        const box = el("div", { role: "group", "aria-labelledby": `cari-jenis-${i}` }, el("p", { id: `cari-jenis-${i}`, role: "presentation", class: "suggestion-group small" }, group.title));
        for (const result of shown) {
            const one = option(result);
            options.push(one);
            box.append(one);
        }
        list.append(box);
    });
    const total = found.groups.reduce((sum, group) => sum + group.results.length, 0);
    if (total > options.length) {
        const all = option({ title: search.word("all", { q: query }), query });
        options.push(all);
        list.append(all);
    }
    const lead = search.lead(query, found);
    if (lead) list.prepend(el("p", { role: "presentation", class: "suggestion-group" }, lead));
    say(total === 0 ? search.word("none", { q: query }) : [lead, search.word("count", { n: search.number(total) })].filter(Boolean).join(" "), total === 0);
    active = -1;
    show(document.activeElement === field);
}

// What was not found is told to all; how many were found, to who cannot see the list.
function say(text, seen) {
    status.className = seen ? "notice search-none" : "visually-hidden";
    status.textContent = text;
}

let turn = 0;
async function look() {
    const query = field.value.trim();
    const mine = ++turn;
    if (query === "") {
        options = [];
        say("", false);
        show(false);
        return;
    }
    try {
        const search = await open();
        const found = await search.find(query);
        if (mine === turn && !list.matches(":active")) suggest(search, query, found); // what a finger is on stays until it is followed
    } catch {
        if (mine === turn) show(false);
    }
}

let pending = 0;
field.addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(look, 80); // a slow telephone should not look at every letter
});
field.addEventListener("focus", () => field.value.trim() !== "" && look());
field.addEventListener("keydown", (event) => {
    const n = options.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        if (n === 0) return;
        event.preventDefault();
        const opened = list.hidden;
        show(true);
        const step = event.key === "ArrowDown" ? 1 : -1;
        choose(opened && active < 0 ? (step > 0 ? 0 : n - 1) : ((active + 1 + step + n + 1) % (n + 1)) - 1);
    } else if (event.key === "Enter" && options[active]) {
        event.preventDefault();
        options[active].click();
    } else if (event.key === "Escape" && !list.hidden) {
        event.preventDefault(); // the first Escape closes the list, the next empties the field
        clearTimeout(pending);
        turn++; // an answer on its way would open it again
        show(false);
    }
});
form.addEventListener("focusout", (event) => {
    if (!form.contains(event.relatedTarget)) {
        show(false);
        if (!status.classList.contains("visually-hidden")) say("", false);
    }
});
list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the field

// ---- all results, on the home page ----

const panel = document.getElementById("temuan");

function row(result) {
    return el("li", null, result.uses && result.query ? el("strong", null, result.title) : el("a", { href: hrefOf(result) }, result.title), result.code && " ", result.code && el("code", null, result.code), result.note && el("span", { class: "muted small" }, " ", result.note),
        result.text && el("p", { class: "small" }, result.text), result.uses && el("ul", { class: "found-in" }, ...result.uses.map(row)));
}

async function results(query) {
    const told = panel.querySelector("[role=status]");
    panel.querySelectorAll(".found, details").forEach((old) => old.remove());
    panel.hidden = query === "";
    panel.parentElement.classList.toggle("searched", query !== "");
    if (query === "") return;
    try {
        const search = await open();
        const found = await search.find(query);
        const total = found.groups.reduce((sum, group) => sum + group.results.length, 0);
        told.textContent = total === 0 ? search.word("none", { q: query }) : search.lead(query, found) || search.word("count", { n: search.number(total) });
        for (const group of found.groups)
            panel.append(el("section", { class: "found" }, el("h3", null, group.title), el("ul", null, ...group.results.slice(0, 20).map(row))));
    } catch {
        panel.hidden = true;
    }
}

if (panel) {
    const query = (new URLSearchParams(location.search).get("q") || "").trim();
    if (query !== "") {
        if (field.value === "") field.value = query;
        results(query);
    }
}
if (document.activeElement === field && field.value.trim() !== "") look();
