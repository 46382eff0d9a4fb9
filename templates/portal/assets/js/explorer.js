/* The explorer: choose an endpoint of v1/openapi.json, fill in what it takes, send it with one's key, look at the answer. The list of endpoints, and the words, stand in the page
 * already (build/portal/page_explorer.c); the state stands in the fragment, so that a request can be shared (lib/request.js; never the key). */
import { codeOf } from "./lib/code.js";
import { copyText, el, prose } from "./lib/dom.js";
import { makeForm } from "./lib/form.js";
import { forgetKey, getKey, setKey, shownForm, validForm } from "./lib/key.js";
import { childrenOf, memberOf, textOf } from "./lib/json.js";
import { readOperation } from "./lib/openapi.js";
import { fragmentOf, fragmentOfLink, LARGEST, makeRequest, readFragment, send, TIMEOUT } from "./lib/request.js";
import { durationOf, featuresOf, fileNameOf, header, mediaType, nextOf, quotaOf, tableOf, understand } from "./lib/response.js";
import { headersView, makeTabs, mapView, number, rawView, tableView, treeView } from "./lib/views.js";
import { say } from "./lib/words.js";

const byId = (id) => document.getElementById(id);
const box = byId("explorer");
const lang = document.documentElement.lang;
const root = new URL(box.dataset.root || "./", location.href).href;
/* What copied programs call: the page's own server, or the published one where the page is a file. */
const origin = /^https?:/.test(root) ? root : box.dataset.published;
const links = Array.from(document.querySelectorAll(".explorer-endpoint"));

const HISTORY = 20; /* requests; of their answers as many as HISTORY_SIZE characters hold */
const HISTORY_SIZE = 16e6;

const narrow = window.matchMedia("(max-width: 61.99rem)"); /* as in explorer.css */
const state = { document: null, operation: null, form: null, stop: null, view: "tree", history: [] };

/* ---- the list of endpoints ---- */

const simple = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");

/* Every word of the box in an endpoint's method, path, summary or group. */
function filterList() {
    const wanted = simple(byId("cari-endpoint").value).split(/\s+/).filter(Boolean);
    let found = 0;
    document.querySelectorAll(".explorer-group").forEach((group) => {
        const title = simple(`${group.querySelector("summary").textContent} ${group.dataset.name}`);
        let here = 0;
        group.querySelectorAll("li").forEach((item) => {
            const text = `${title} ${simple(item.querySelector("a").textContent)}`;
            item.hidden = !wanted.every((word) => text.includes(word));
            here += item.hidden ? 0 : 1;
        });
        group.hidden = here === 0;
        group.open = wanted.length > 0 ? here > 0 : group.querySelector("[aria-current]") !== null;
        found += here;
    });
    byId("jumlah-endpoint").textContent = wanted.length > 0 ? say("found", [number(found)]) : "";
}

/* On a narrow screen the list stands above everything: it folds once something is chosen. */
function makeListFold() {
    const groups = byId("kelompok-endpoint"), nav = groups.parentElement;
    const fold = el("details", { class: "explorer-fold", id: "lipat-endpoint", open: true }, el("summary", null, say("other_endpoint")));
    fold.append(...Array.from(nav.children).slice(1));
    nav.append(fold);
    document.querySelectorAll(".explorer-group").forEach((group) => {
        group.open = false;
    });
    byId("cari-endpoint").addEventListener("input", filterList);
    narrow.addEventListener("change", () => { /* wide, it cannot be folded */
        fold.open = fold.open || !narrow.matches;
    });
}

function markCurrent(anchor) {
    links.forEach((link) => {
        if (decodeURIComponent(link.hash) !== `#${anchor}`) {
            link.removeAttribute("aria-current");
            return;
        }
        link.setAttribute("aria-current", "true");
        link.closest("details").open = true;
        if (!narrow.matches) { /* within its own box, never the page */
            const list = byId("kelompok-endpoint");
            if (link.offsetTop < list.scrollTop || link.offsetTop > list.scrollTop + list.clientHeight - 60)
                list.scrollTop = link.closest("details").offsetTop;
        }
    });
    byId("lipat-endpoint").open = !narrow.matches;
}

/* ---- the key ---- */

function showKeyState(message, bad) {
    const input = byId("kunci-api"), text = byId("kunci-keadaan");
    text.textContent = message;
    text.classList.toggle("error", bad);
    input.setAttribute("aria-invalid", String(bad));
    byId("kunci-lupa").hidden = input.value === "" && getKey() === "";
}

function readKey(late) {
    const key = byId("kunci-api").value.trim();
    if (key === "") {
        forgetKey();
        showKeyState("", false);
    } else if (setKey(key))
        showKeyState(say("key_ok"), false);
    else { /* while it is being typed, only what is long enough can be wrong */
        forgetKey();
        showKeyState(late || key.length >= 45 ? say("key_bad") : "", late || key.length >= 45);
    }
    showNeed();
}

function putKey(key) {
    byId("kunci-api").value = key;
    readKey(true);
}

function startKey() {
    const input = byId("kunci-api"), show = byId("kunci-lihat");
    const label = show.textContent;
    input.addEventListener("input", () => readKey(false));
    input.addEventListener("change", () => readKey(true));
    show.addEventListener("click", () => {
        const hidden = input.type === "password";
        input.type = hidden ? "text" : "password";
        show.setAttribute("aria-pressed", String(hidden));
        show.textContent = hidden ? say("key_hide") : label;
    });
    byId("kunci-lupa").addEventListener("click", () => {
        input.value = "";
        forgetKey();
        showKeyState(say("key_gone"), false);
        showNeed();
        input.focus();
    });
    if (getKey() !== "")
        putKey(getKey());
    else
        showKeyState("", false);
}

/* Beside the button: whether the request will be let in. */
function showNeed() {
    const need = byId("perlu-kunci");
    if (need)
        need.textContent = state.operation.isPublic ? say("key_public") : getKey() === "" ? say("key_absent") : "";
}

/* ---- the request ---- */

const currentRequest = () => makeRequest(state.operation, state.form.values(), state.form.body());

/* After every change: the code, and the address of the page. */
function changed() {
    const request = currentRequest(), code = codeOf(request, origin);
    Object.keys(code).forEach((name) => {
        byId(`kode-${name}`).textContent = code[name];
    });
    const fragment = fragmentOf(request);
    if (location.hash !== fragment)
        history.replaceState(null, "", fragment);
}

/* What cannot be undone is asked about. */
const needsConsent = (operation) => operation.method === "DELETE" || /\/(rotate|rotate-secret|redeem)$/.test(operation.path);
const writes = (operation) => operation.method !== "GET" && !operation.path.endsWith("/search");

function showOperation(operation, values, body) {
    state.operation = operation;
    state.form = makeForm(operation, changed);
    const consent = needsConsent(operation) ? el("input", { type: "checkbox", id: "setuju", required: true }) : null;
    const form = el("form", { class: "stack explorer-form", novalidate: true, "aria-labelledby": "endpoint-judul" },
        writes(operation) ? el("p", { class: "notice notice-warning" }, say("writes")) : null,
        state.form.element,
        consent ? el("label", { class: "check", for: "setuju" }, consent, say("consent")) : null,
        el("div", { class: "cluster" },
            el("button", { type: "submit", id: "kirim" }, say("send")),
            el("button", { type: "button", class: "button-secondary", id: "batal", hidden: true, click: () => state.stop && state.stop.abort() }, say("abort")),
            el("button", { type: "button", class: "button-secondary", click: () => open({ method: operation.method, path: operation.path, values: {}, body: "" }) }, say("reset")),
            el("span", { class: "muted", id: "kabar-kirim", role: "status" })),
        el("p", { class: "error", id: "galat-kirim", role: "alert" }),
        el("p", { class: "muted small", id: "perlu-kunci" }));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        submit(consent);
    });
    byId("endpoint-terpilih").replaceChildren(
        el("h3", { class: "explorer-chosen", id: "endpoint-judul" }, el("span", { class: "explorer-method", "data-method": operation.method }, operation.method), " ", el("code", null, operation.path)),
        el("p", { class: "explorer-name" }, operation.summary),
        ...operation.description.split("\n\n").filter(Boolean).map((text) => el("p", { class: "muted" }, ...prose(text))), form);
    state.form.fill(values, body);
    byId("kode").hidden = false;
    markCurrent(operation.anchor);
    showNeed();
    changed();
}

/* Parameters of an address that the document does not name are kept, and can be seen. */
function withStrangers(operation, values) {
    const known = operation.fields.map((field) => field.name);
    const strange = Object.keys(values).filter((name) => !known.includes(name));
    return Object.assign({}, operation, {
        fields: operation.fields.concat(strange.map((name) => ({ name, place: "query", required: false, own: false, list: false, type: "string", options: null, example: "", help: "" }))),
    });
}

/* Shows what FOUND {method, path, values, body} asks for. */
function open(found) {
    const operation = readOperation(state.document, found.method, found.path, lang);
    if (state.operation === null || state.operation.anchor !== operation.anchor)
        byId("jawaban").hidden = true; /* of another endpoint: it is among the requests of this visit */
    showOperation(withStrangers(operation, found.values), found.values, found.body);
}

/* The page's fragment as a request; FOCUS: somebody chose it here. */
function openFragment(focus) {
    const fragment = location.hash;
    if (!/^#([A-Z]+\/|\/?v1\/)/i.test(fragment))
        return;
    const found = readFragment(state.document, fragment);
    if (found === null) {
        byId("endpoint-terpilih").replaceChildren(el("p", { class: "notice notice-warning" }, say("unknown", [decodeSafely(fragment.slice(1))])));
        byId("kode").hidden = true;
        return;
    }
    const same = state.operation && state.form && fragmentOf(currentRequest()) === fragment;
    if (!same)
        open(found);
    if (focus) {
        byId("permintaan-judul").focus({ preventScroll: true });
        byId("permintaan").scrollIntoView({ block: "start" });
    }
}

function decodeSafely(text) {
    try {
        return decodeURIComponent(text);
    } catch (error) {
        return text;
    }
}

/* ---- sending ---- */

function setBusy(busy) {
    byId("kirim").disabled = busy;
    byId("batal").hidden = !busy;
    byId("jawaban").setAttribute("aria-busy", String(busy));
    if (!busy)
        byId("kabar-kirim").textContent = "";
}

async function submit(consent) {
    const error = byId("galat-kirim");
    if (state.stop !== null)
        return;
    const wrong = state.form.check();
    error.textContent = wrong > 0 ? say("fix", [number(wrong)]) : "";
    if (wrong > 0)
        return;
    if (consent && !consent.checked) {
        error.textContent = say("bad_required");
        consent.focus();
        return;
    }
    const operation = state.operation, request = currentRequest(), news = byId("kabar-kirim");
    const kept = { operation, request, fragment: fragmentOf(request), values: state.form.values(), body: state.form.body() };
    state.stop = new AbortController();
    setBusy(true);
    news.textContent = say("sending");
    let told = 0;
    kept.answer = await send(request, root, {
        key: getKey(), lang, stop: state.stop,
        progress(size) { /* a reader hears it once in a while */
            if (performance.now() - told > 1000) {
                told = performance.now();
                news.textContent = say("received", [bytes(size)]);
            }
        },
    });
    state.stop = null;
    setBusy(false);
    if (operation.anchor === "DELETE/auth/key" && kept.answer.status === 200)
        putKey(""); /* it is revoked */
    showAnswer(kept, true);
    remember(kept);
}

/* ---- the answer ---- */

function bytes(n) {
    const units = ["B", "KB", "MB"];
    let at = 0, size = n;
    for (; size >= 1000 && at < 2; at++)
        size /= 1000;
    return `${size.toLocaleString(lang, { maximumFractionDigits: at === 0 ? 0 : 1 })} ${units[at]}`;
}

const milliseconds = (ms) => `${number(Math.round(ms))} ms`;
const duration = (seconds) => durationOf(seconds).map(([word, n]) => say(word, [number(n)])).join(" ");

function statusWords(status) {
    const word = say(`s${status}`);
    return word === `s${status}` ? say(`s${Math.floor(status / 100)}`) : word;
}

function quotaWords(answer) {
    const quota = quotaOf(answer);
    if (quota === null)
        return "";
    if (!quota.daily)
        return say("quota_none");
    if (quota.left === null)
        return "";
    if (quota.limit === null || quota.reset === null)
        return say("quota_some", [number(quota.left)]);
    const at = new Date(Date.now() + quota.reset * 1000).toLocaleTimeString(lang, { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
    return say("quota_left", [number(quota.left), number(quota.limit), duration(quota.reset), at]);
}

const fact = (word, value) => (value === "" ? null : el("div", null, el("dt", null, say(word)), el("dd", null, value)));

/* What the headers say that somebody should know. */
function warnings(answer) {
    const found = [];
    const sunset = new Date(header(answer, "sunset"));
    if (header(answer, "deprecation") !== "")
        found.push([say("deprecated"), Number.isNaN(sunset.getTime()) ? "" : say("sunset", [sunset.toLocaleDateString(lang, { dateStyle: "long" })])].filter(Boolean).join(" "));
    if (/^\d+$/.test(header(answer, "retry-after")))
        found.push(say("wait", [duration(Number(header(answer, "retry-after")))]));
    if (answer.cut)
        found.push(say("net_large", [bytes(LARGEST)]));
    return found.map((text) => el("p", { class: "notice notice-warning" }, text));
}

/* problem+json in its own words (RFC 9457). */
function problemBox(answer, json) {
    const member = (name) => {
        const node = memberOf(answer.text, json, name);
        return node === undefined || node.kind === "null" ? "" : textOf(answer.text, node);
    };
    const code = member("code"), parameter = member("parameter") || member("field"), position = member("position");
    return el("div", { class: "notice notice-error explorer-problem" },
        el("h3", null, member("title")), member("detail") ? el("p", null, member("detail")) : null,
        parameter ? el("p", null, say("at_parameter", [parameter])) : null, position ? el("p", null, say("at_position", [position])) : null,
        /^[a-z][a-z0-9-]*$/.test(code) ? el("p", null, el("a", { href: `${box.dataset.errors}#${code}` }, say("about_code", [code]))) : null);
}

/* A new key that the answer holds: it is shown once, so it should be easy to go on with. */
function newKey(answer, json) {
    const data = json && memberOf(answer.text, json, "data");
    const first = data && childrenOf(answer.text, data)[0];
    const key = first && memberOf(answer.text, first, "key");
    const text = key && key.kind === "string" ? textOf(answer.text, key) : "";
    return validForm(text) && text !== getKey() ? el("p", null, el("button", {
        type: "button", click: (event) => {
            putKey(text);
            event.currentTarget.replaceWith(el("span", { class: "muted" }, `${say("key_ok")} ${shownForm(text)}`));
        },
    }, say("key_use"))) : null;
}

function save(kept) {
    const link = el("a", { href: URL.createObjectURL(new Blob([kept.answer.blob], { type: mediaType(kept.answer) || "text/plain" })), download: fileNameOf(kept.request, kept.answer) });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function actions(kept, next) {
    const copy = async (event) => {
        const button = event.currentTarget, before = button.textContent;
        try {
            await copyText(kept.answer.text);
            button.textContent = document.body.dataset.copied;
        } catch (error) {
            button.textContent = document.body.dataset.copyFailed;
        }
        byId("jawaban-kabar").textContent = button.textContent;
        setTimeout(() => {
            button.textContent = before;
        }, 2500);
    };
    const following = next === "" ? null : fragmentOfLink(next, kept.answer.url, root);
    const found = following === null ? null : readFragment(state.document, following);
    return el("div", { class: "cluster" },
        found === null ? null : el("button", {
            type: "button", id: "berikutnya", click: () => {
                open(found);
                submit(null);
            },
        }, say("next_page")),
        kept.answer.text === "" ? null : el("button", { type: "button", class: "button-secondary", click: copy }, say("copy")),
        kept.answer.text === "" ? null : el("button", { type: "button", class: "button-secondary", click: () => save(kept) }, say("save")));
}

/* With the titles of the columns, and something to call a feature by. */
function mapOf(kept, understood) {
    const make = featuresOf(kept.answer, understood);
    if (make === null || !box.dataset.mapJs)
        return null;
    const columns = kept.operation.columns.filter((column) => column.type !== "geometry");
    const label = columns.find((column) => /^nama/.test(column.name));
    const odp = {
        label: label ? label.name : null,
        fields: columns.map((column) => ({ name: column.name, title: { id: column.title, en: column.title }, unit: null, type: column.type })),
    };
    return () => Object.assign(make(), { odp });
}

function viewsOf(kept, understood) {
    const answer = kept.answer, titles = {};
    kept.operation.columns.forEach((column) => {
        titles[column.name] = column.title;
    });
    const table = tableOf(answer, understood);
    const map = mapOf(kept, understood);
    return [
        understood.json !== null && { name: "tree", label: say("view_tree"), make: () => treeView(answer.text, understood.json) },
        table !== null && { name: "table", label: say("view_table"), make: () => tableView(answer.text, table, titles) },
        map !== null && { name: "map", label: say("view_map"), make: () => mapView(box, map) },
        { name: "raw", label: say("view_raw"), make: () => rawView(answer.text) },
        { name: "headers", label: say("view_headers"), make: () => headersView(answer.headers) },
    ].filter(Boolean);
}

/* An error that is not the API's: pages of other servers, or of a site without a gateway. */
const isForeign = (answer, understood) => answer.status >= 400 && understood.kind !== "problem";

function showFault(kept) {
    const message = say(kept.answer.fault, [number(TIMEOUT)]);
    byId("jawaban-isi").replaceChildren(el("div", { class: "stack" }, el("div", { class: "notice notice-error" }, el("h3", null, say("no_answer")),
        el("p", null, message, " ", kept.answer.fault === "net_failed" ? el("a", { href: box.dataset.status }, say("status")) : "")),
    el("p", { class: "muted explorer-address" }, el("code", null, kept.fragment.slice(1).replace(/^[A-Z]+/, "$& ")))));
    byId("jawaban-kabar").textContent = message;
}

function showAnswer(kept, focus) {
    const answer = kept.answer, section = byId("jawaban");
    section.hidden = false;
    if (answer.fault)
        showFault(kept);
    else {
        const understood = understand(answer), ok = answer.status < 400;
        const badge = el("span", { class: `badge ${ok ? "badge-ok" : "badge-error"} explorer-status` }, `${answer.status} ${statusWords(answer.status)}`);
        const views = viewsOf(kept, understood);
        byId("jawaban-isi").replaceChildren(el("div", { class: "stack" },
            el("p", { class: "explorer-address" }, el("code", null, `${kept.request.method} ${decodeSafely(kept.fragment.replace(/^#[A-Z]+/, ""))}`)),
            el("dl", { class: "explorer-facts" }, fact("status", badge), fact("time", milliseconds(answer.ms)), fact("size", bytes(answer.blob.size)),
                fact("type", mediaType(answer)), fact("quota", quotaWords(answer))),
            ...warnings(answer),
            understood.kind === "problem" ? problemBox(answer, understood.json) : null,
            isForeign(answer, understood) ? el("p", { class: "notice notice-error" }, say("not_api")) : null,
            newKey(answer, understood.json),
            actions(kept, ok ? nextOf(answer, understood.json) : ""),
            makeTabs(views, say("view"), state.view, (name, chosen) => {
                if (chosen)
                    state.view = name;
            })));
        byId("jawaban-kabar").textContent = say("done", [answer.status, statusWords(answer.status), milliseconds(answer.ms), bytes(answer.blob.size)]);
    }
    if (focus) {
        byId("jawaban-judul").focus({ preventScroll: true });
        section.scrollIntoView({ block: "start" });
    }
}

/* ---- requests of this visit ---- */

function remember(kept) {
    state.history.unshift(kept);
    state.history.splice(HISTORY);
    let size = 0;
    state.history.forEach((one) => {
        size += one.answer.text ? one.answer.text.length : 0;
        one.forgotten = size > HISTORY_SIZE;
        if (one.forgotten)
            one.answer = { status: one.answer.status, ms: one.answer.ms, fault: one.answer.fault };
    });
    byId("riwayat").hidden = false;
    byId("riwayat-isi").replaceChildren(...state.history.map((one) => el("li", null,
        el("span", { class: "explorer-method", "data-method": one.request.method }, one.request.method), " ",
        el("code", { class: "explorer-address" }, decodeSafely(one.fragment.replace(/^#[A-Z]+/, ""))), " ",
        el("span", { class: "muted" }, one.answer.fault ? say("no_answer") : `${one.answer.status}, ${milliseconds(one.answer.ms)}`), " ",
        el("button", {
            type: "button", class: "button-secondary button-small", click: () => {
                showOperation(one.operation, one.values, one.body);
                if (!one.forgotten)
                    showAnswer(one, true);
            },
        }, say("repeat")))));
}

/* ---- the beginning ---- */

async function start() {
    const chosen = byId("endpoint-terpilih");
    const before = Array.from(chosen.childNodes);
    makeListFold();
    startKey();
    chosen.replaceChildren(el("p", { class: "muted", role: "status" }, say("loading")));
    try {
        const response = await fetch(`${root}v1/openapi.json`, { credentials: "omit" });
        if (!response.ok)
            throw new Error(String(response.status));
        state.document = await response.json();
    } catch (error) {
        chosen.replaceChildren(el("p", { class: "notice notice-error", role: "alert" }, say("load_failed")));
        return;
    }
    chosen.replaceChildren(...before);
    openFragment(false);
    window.addEventListener("hashchange", () => openFragment(true));
    document.querySelectorAll("a.language").forEach((link) => link.addEventListener("click", () => { /* the same request in the other language */
        link.hash = location.hash;
    }));
    /* The one that is chosen already changes no address. */
    links.forEach((link) => link.addEventListener("click", () => {
        if (state.operation && decodeURIComponent(link.hash) === `#${state.operation.anchor}` && link.hash === location.hash)
            openFragment(true);
    }));
}

start();
