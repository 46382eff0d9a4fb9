// The home page: searches, filters and sorts the cards that stand there. What is chosen is kept in the address, so that it can be shared and
// the browser's back button works; the search engine description of the portal (opensearch.xml) leads to the same addresses.
import { say } from "./lib/words.js";

const form = document.getElementById("cari");
const groups = document.getElementById("kelompok");
const results = document.getElementById("hasil");
const list = document.getElementById("hasil-daftar");
const none = document.getElementById("hasil-kosong");
const status = document.getElementById("jumlah");
const reset = document.getElementById("hapus-saringan");
const entries = document.querySelector(".entries");
const fields = ["q", "subject", "format", "fresh", "sort"];
const defaults = { q: "", subject: "", format: "", fresh: "", sort: "" };
const locale = document.documentElement.lang;

// "Pemukiman É" is "pemukiman e": case and marks over letters do not count.
function plain(text) {
    return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
}

function wordsOf(text) {
    return plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

const cards = [...groups.querySelectorAll(".dataset")].map((element) => {
    const title = element.querySelector("h4").textContent;
    const text = element.querySelector(".dataset-text");
    return {
        element,
        home: element.parentElement,
        title,
        slug: element.dataset.slug,
        subjects: element.dataset.subjects.split(" "),
        formats: element.dataset.formats.split(" "),
        day: Date.parse(element.dataset.date.slice(0, 10)),
        stamp: Date.parse(element.dataset.date),
        // Weighted from first to last; what the page itself says, until the whole index is here.
        classes: [wordsOf(title), [], [], wordsOf(text ? text.textContent : "")],
    };
});
const weights = [8, 4, 2, 1];

// Keywords, fields and publishers of all datasets are asked for when somebody begins to search, not before.
let index = null;
function loadIndex() {
    if (index) return index;
    const address = form.dataset.search;
    index = fetch(address, { integrity: form.dataset.searchIntegrity, credentials: "same-origin" })
        .then((answer) => (answer.ok ? answer.json() : {}))
        .then((all) => {
            for (const card of cards)
                if (Array.isArray(all[card.slug])) card.classes = all[card.slug].map(wordsOf);
        })
        .catch(() => {}); // Without it the cards' own words are searched.
    return index;
}

// Whether A becomes B by one letter more, less, other, or two letters changed about.
function nearly(a, b) {
    if (Math.abs(a.length - b.length) > 1) return false;
    let i = 0;
    while (i < a.length && i < b.length && a[i] === b[i]) i++;
    const rest = (x, y) => x === y;
    return rest(a.slice(i + 1), b.slice(i + 1)) || rest(a.slice(i + 1), b.slice(i)) || rest(a.slice(i), b.slice(i + 1))
        || (a[i] === b[i + 1] && a[i + 1] === b[i] && rest(a.slice(i + 2), b.slice(i + 2)));
}

// How well WORD of a dataset answers TERM of the question: 0 not at all.
function likeness(word, term) {
    if (word === term) return 4;
    if (word.startsWith(term)) return 3;
    if (term.length > 2 && word.includes(term)) return 2;
    return term.length > 4 && nearly(term, word) ? 1 : 0;
}

// Every term must be found somewhere; better places count more.
function score(card, terms) {
    let sum = 0;
    for (const term of terms) {
        let best = 0;
        card.classes.forEach((words, i) => {
            for (const word of words) best = Math.max(best, likeness(word, term) * weights[i]);
        });
        if (best === 0) return 0;
        sum += best;
    }
    return sum;
}

function read() {
    const state = {};
    for (const name of fields) state[name] = form.elements[name].value.trim();
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
    const asked = new URLSearchParams();
    for (const name of fields) if (state[name]) asked.set(name, state[name]);
    const query = asked.toString();
    const address = location.pathname + (query ? "?" + query : "") + location.hash;
    if (address !== location.pathname + location.search + location.hash) history[push ? "pushState" : "replaceState"](null, "", address);
}

function matching(state) {
    const terms = wordsOf(state.q);
    const newest = Date.parse(form.dataset.newest);
    const oldest = state.fresh ? newest - Number(state.fresh) * 86400000 : -Infinity;
    const found = [];
    for (const card of cards) {
        if (state.subject && !card.subjects.includes(state.subject)) continue;
        if (state.format && !card.formats.includes(state.format)) continue;
        if (state.fresh && !(card.day >= oldest)) continue;
        const points = terms.length > 0 ? score(card, terms) : 1;
        if (points > 0) found.push({ card, points });
    }
    const byName = (a, b) => a.card.title.localeCompare(b.card.title, locale);
    if (state.sort === "newest") found.sort((a, b) => (b.card.stamp || 0) - (a.card.stamp || 0) || byName(a, b));
    else if (state.sort === "name") found.sort(byName);
    else if (terms.length > 0) found.sort((a, b) => b.points - a.points || byName(a, b));
    return found.map((entry) => entry.card);
}

// Nothing chosen: the groups as the page came. Else one list; the very cards are moved, so nothing is written twice.
function show() {
    const state = read();
    const plainView = fields.every((name) => !state[name]);
    const found = matching(state);
    const shown = new Set(found);
    for (const card of cards) {
        if (plainView) card.home.append(card.element);
        else if (!shown.has(card)) card.home.append(card.element);
    }
    if (!plainView) list.append(...found.map((card) => card.element));
    entries.hidden = !plainView; // results stand right below the words that were typed
    groups.hidden = !plainView;
    results.hidden = plainView;
    list.hidden = found.length === 0;
    none.hidden = found.length > 0;
    reset.hidden = plainView;
    const numbers = new Intl.NumberFormat(locale);
    const values = { n: numbers.format(found.length), total: numbers.format(cards.length) };
    status.textContent = found.length === 0 ? say("home_js_none", values) : say(plainView ? "home_js_all" : "home_js_count", values);
}

async function update(push) {
    const state = read();
    toAddress(state, push);
    show();
    if (state.q && !form.dataset.loaded) {
        await loadIndex();
        form.dataset.loaded = "yes";
        show();
    }
}

let pending = 0;
form.elements.q.addEventListener("focus", loadIndex, { once: true });
form.elements.q.addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(() => update(false), 120); // a slow telephone should not sort hundreds of cards at every letter
});
for (const name of fields.slice(1)) form.elements[name].addEventListener("change", () => update(true));
form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(pending);
    update(true);
    document.getElementById("katalog").scrollIntoView();
});
reset.addEventListener("click", () => {
    write(defaults);
    update(true);
    form.elements.q.focus();
});
addEventListener("popstate", () => {
    write(fromAddress());
    update(false);
});

write(fromAddress());
if (fields.some((name) => read()[name])) update(false);
