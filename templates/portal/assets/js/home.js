// The home page: filters and sorts the cards that stand there. What is chosen is kept in the address, so that it can be shared and the browser's back
// button works. (What ?q= finds is search.js's.)
import { say } from "./lib/words.js";

const form = document.getElementById("saringan");
const list = document.getElementById("kelompok");
const none = document.getElementById("hasil-kosong");
const status = document.getElementById("jumlah");
const reset = document.getElementById("hapus-saringan");
const fields = ["subject", "format", "fresh", "sort"];
const defaults = { subject: "", format: "", fresh: "", sort: "" };
const locale = document.documentElement.lang;

const cards = [...list.children].map((element) => {
    const title = element.querySelector("h3").textContent;
    return {
        element,
        title,
        slug: element.dataset.slug,
        subjects: element.dataset.subjects.split(" "),
        formats: element.dataset.formats.split(" "),
        day: Date.parse(element.dataset.date.slice(0, 10)),
        stamp: Date.parse(element.dataset.date),
    };
});

function read() {
    const state = {};
    for (const name of fields) state[name] = form.elements[name].value;
    return state;
}

function write(state) {
    for (const name of fields) {
        const field = form.elements[name];
        field.value = state[name] || "";
        if (field.selectedIndex === -1) field.value = ""; // an address that asks for what is not there
    }
}

function fromAddress() {
    const asked = new URLSearchParams(location.search);
    const state = { ...defaults };
    for (const name of fields) state[name] = asked.get(name) || "";
    return state;
}

function toAddress(state, push) {
    const asked = new URLSearchParams(location.search);
    for (const name of fields) {
        if (state[name]) asked.set(name, state[name]);
        else asked.delete(name);
    }
    const query = asked.toString();
    const address = location.pathname + (query ? "?" + query : "") + location.hash;
    if (address !== location.pathname + location.search + location.hash) history[push ? "pushState" : "replaceState"](null, "", address);
}

function matching(state) {
    const oldest = state.fresh ? Date.parse(form.dataset.newest) - Number(state.fresh) * 86400000 : -Infinity;
    const found = cards.filter((card) => (!state.subject || card.subjects.includes(state.subject)) && (!state.format || card.formats.includes(state.format)) && (!state.fresh || card.day >= oldest));
    const byName = (a, b) => a.title.localeCompare(b.title, locale);
    if (state.sort === "newest") found.sort((a, b) => (b.stamp || 0) - (a.stamp || 0) || byName(a, b));
    else if (state.sort === "name") found.sort(byName);
    return found;
}

// The very cards are moved and hidden, so nothing is written twice.
function show() {
    const state = read();
    const plainView = fields.every((name) => !state[name]);
    const found = matching(state);
    const shown = new Set(found);
    for (const card of cards) card.element.hidden = !shown.has(card);
    list.append(...found.map((card) => card.element));
    list.hidden = found.length === 0;
    none.hidden = found.length > 0;
    reset.hidden = plainView;
    const numbers = new Intl.NumberFormat(locale);
    const values = { n: numbers.format(found.length), total: numbers.format(cards.length) };
    status.textContent = found.length === 0 ? say("home_js_none", values) : say(plainView ? "home_js_all" : "home_js_count", values);
}

function update(push) {
    toAddress(read(), push);
    show();
}

for (const name of fields) form.elements[name].addEventListener("change", () => update(true));
form.addEventListener("submit", (event) => event.preventDefault());
reset.addEventListener("click", () => {
    write(defaults);
    update(true);
    form.elements.subject.focus();
});
document.querySelectorAll("a[data-subject]").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    write({ ...defaults, subject: link.dataset.subject });
    update(true);
    form.elements.subject.focus({ preventScroll: true });
    document.getElementById("katalog").scrollIntoView();
}));
addEventListener("popstate", () => {
    write(fromAddress());
    show();
});

write(fromAddress());
if (fields.some((name) => read()[name])) update(false);
