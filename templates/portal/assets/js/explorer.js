/* The explorer: choose an endpoint of v1/openapi.json, fill in what it takes, send it with one's key, look at the answer. The list of
 * endpoints, and the words, stand in the page already (tools/odp-build/site/pages/explorer.c); the state stands in the fragment, so that a
 * request can be shared (lib/request.js; never the key). */
import { bytes, facts, milliseconds, newKey, problemBox, save, statusWords, viewsOf, warnings } from "./lib/answer.js";
import { codeOf } from "./lib/code.js";
import { copyText, el, prose } from "./lib/dom.js";
import { makeForm } from "./lib/form.js";
import { forgetKey, getKey, setKey } from "./lib/key.js";
import { readOperation } from "./lib/openapi.js";
import { fragmentOf, fragmentOfLink, makeRequest, readFragment, send, TIMEOUT } from "./lib/request.js";
import { mediaType, nextOf, understand } from "./lib/response.js";
import { makeTabs, number } from "./lib/views.js";
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

const simple = (text) =>
    text
        .toLowerCase()
        .normalize("NFD")
        .replace(/[\u0300-\u036f]/g, "");

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
    const groups = byId("kelompok-endpoint"),
        nav = groups.parentElement;
    const fold = el("details", { class: "explorer-fold", id: "lipat-endpoint", open: true }, el("summary", null, say("other_endpoint")));
    fold.append(...Array.from(nav.children).slice(1));
    nav.append(fold);
    document.querySelectorAll(".explorer-group").forEach((group) => {
        group.open = false;
    });
    byId("cari-endpoint").addEventListener("input", filterList);
    narrow.addEventListener("change", () => {
        /* wide, it cannot be folded */
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
        if (!narrow.matches) {
            /* within its own box, never the page */
            const list = byId("kelompok-endpoint");
            if (link.offsetTop < list.scrollTop || link.offsetTop > list.scrollTop + list.clientHeight - 60)
                list.scrollTop = link.closest("details").offsetTop;
        }
    });
    byId("lipat-endpoint").open = !narrow.matches;
}

/* ---- the key ---- */

function showKeyState(message, bad) {
    const input = byId("kunci-api"),
        text = byId("kunci-keadaan");
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
    } else if (setKey(key)) showKeyState(say("key_ok"), false);
    else {
        /* while it is being typed, only what is long enough can be wrong */
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
    const input = byId("kunci-api"),
        show = byId("kunci-lihat");
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
    if (getKey() !== "") putKey(getKey());
    else showKeyState("", false);
}

/* Beside the button: whether the request will be let in. */
function showNeed() {
    const need = byId("perlu-kunci");
    if (need) need.textContent = state.operation.isPublic ? say("key_public") : getKey() === "" ? say("key_absent") : "";
}

/* ---- the request ---- */

const currentRequest = () => makeRequest(state.operation, state.form.values(), state.form.body());

/* After every change: the code, and the address of the page. */
function changed() {
    const request = currentRequest(),
        code = codeOf(request, origin);
    Object.keys(code).forEach((name) => {
        byId(`kode_${name}`).textContent = code[name];
    });
    const fragment = fragmentOf(request);
    if (location.hash !== fragment) history.replaceState(null, "", fragment);
}

/* What cannot be undone is asked about. */
const needsConsent = (operation) => operation.method === "DELETE" || /\/(rotate|rotate-secret|redeem)$/.test(operation.path);
const writes = (operation) => operation.method !== "GET" && !operation.path.endsWith("/search");

function showOperation(operation, values, body) {
    state.operation = operation;
    state.form = makeForm(operation, changed);
    const consent = needsConsent(operation)
        ? el("input", { type: "checkbox", id: "setuju", required: true, "aria-describedby": "galat-kirim" })
        : null;
    const form = el(
        "form",
        { class: "stack explorer-form", novalidate: true, "aria-labelledby": "endpoint-judul" },
        writes(operation) ? el("p", { class: "notice notice-warning" }, say("writes")) : null,
        consent ? el("label", { class: "check", for: "setuju" }, consent, say("consent")) : null,
        el(
            "div",
            { class: "cluster explorer-send" },
            el("button", { type: "submit", id: "kirim" }, say("send")),
            el(
                "button",
                { type: "button", class: "button-secondary", id: "batal", hidden: true, click: () => state.stop && state.stop.abort() },
                say("abort"),
            ),
            el(
                "button",
                {
                    type: "button",
                    class: "button-secondary",
                    click: () => open({ method: operation.method, path: operation.path, values: {}, body: "" }),
                },
                say("reset"),
            ),
            el("span", { class: "muted", id: "kabar-kirim", role: "status" }),
        ),
        el("p", { class: "error", id: "galat-kirim", role: "alert" }),
        el("p", { class: "muted small", id: "perlu-kunci" }),
        state.form.element,
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        submit(consent);
    });
    byId("endpoint-terpilih").replaceChildren(
        el(
            "h3",
            { class: "explorer-chosen", id: "endpoint-judul" },
            el("span", { class: "explorer-method", "data-method": operation.method }, operation.method),
            " ",
            el("code", null, operation.path),
        ),
        el("p", { class: "explorer-name" }, operation.summary),
        ...operation.description
            .split("\n\n")
            .filter(Boolean)
            .map((text) => el("p", { class: "muted" }, ...prose(text))),
        form,
    );
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
        fields: operation.fields.concat(
            strange.map((name) => ({
                name,
                place: "query",
                required: false,
                own: false,
                list: false,
                type: "string",
                options: null,
                example: "",
                help: "",
            })),
        ),
    });
}

/* Shows what FOUND {method, path, values, body} asks for. */
function open(found) {
    const operation = readOperation(state.document, found.method, found.path, lang);
    if (state.operation === null || state.operation.anchor !== operation.anchor)
        byId("jawaban").hidden = true; /* of another endpoint: it is among the requests of this visit */
    showOperation(withStrangers(operation, found.values), found.values, found.body);
}

/* What FRAGMENT asks for, where the list of the page has it: pages and forms of the document are no endpoints to try. */
function readLink(fragment) {
    const found = readFragment(state.document, fragment);
    return found !== null && links.some((link) => decodeSafely(link.hash) === `#${found.method}${found.path}`) ? found : null;
}

/* The page's fragment as a request; FOCUS: somebody chose it here. */
function openFragment(focus) {
    const fragment = location.hash;
    if (!/^#([A-Z]+\/|\/?v1\/)/i.test(fragment)) return;
    const found = readLink(fragment);
    if (found === null) {
        byId("endpoint-terpilih").replaceChildren(
            el("p", { class: "notice notice-warning" }, say("unknown", [decodeSafely(fragment.slice(1))])),
        );
        byId("kode").hidden = true;
        return;
    }
    const same = state.operation && state.form && fragmentOf(currentRequest()) === fragment;
    if (!same) open(found);
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
    if (!busy) byId("kabar-kirim").textContent = "";
}

async function submit(consent) {
    const error = byId("galat-kirim");
    if (state.stop !== null) return;
    const wrong = state.form.check();
    error.textContent = wrong > 0 ? say("fix", [number(wrong)]) : "";
    if (wrong > 0) return;
    if (consent && !consent.checked) {
        error.textContent = say("consent_first");
        consent.focus();
        return;
    }
    const operation = state.operation,
        request = currentRequest(),
        news = byId("kabar-kirim");
    const kept = { operation, request, fragment: fragmentOf(request), values: state.form.values(), body: state.form.body() };
    state.stop = new AbortController();
    setBusy(true);
    news.textContent = say("sending");
    let told = 0;
    kept.answer = await send(request, root, {
        key: getKey(),
        lang,
        stop: state.stop,
        progress(size) {
            /* a reader hears it once in a while */
            if (performance.now() - told > 1000) {
                told = performance.now();
                news.textContent = say("received", [bytes(size)]);
            }
        },
    });
    state.stop = null;
    setBusy(false);
    if (operation.anchor === "DELETE/auth/key" && kept.answer.status === 200) putKey(""); /* it is revoked */
    showAnswer(kept, true);
    remember(kept);
}

/* ---- the answer ---- */

function actions(kept, next) {
    const copy = async (event) => {
        const button = event.currentTarget;
        try {
            await copyText(kept.answer.text);
            button.textContent = document.body.dataset.copied;
        } catch (error) {
            button.textContent = document.body.dataset.copyFailed;
        }
        byId("jawaban-kabar").textContent = button.textContent;
        setTimeout(() => {
            button.textContent = say("copy");
        }, 2500);
    };
    const following = next === "" ? null : fragmentOfLink(next, kept.answer.url, root);
    const found = following === null ? null : readLink(following);
    return el(
        "div",
        { class: "cluster" },
        found === null
            ? null
            : el(
                  "button",
                  {
                      type: "button",
                      id: "berikutnya",
                      click: () => {
                          open(found);
                          submit(null);
                      },
                  },
                  say("next_page"),
              ),
        kept.answer.text === "" ? null : el("button", { type: "button", class: "button-secondary", click: copy }, say("copy")),
        kept.answer.text === "" ? null : el("button", { type: "button", class: "button-secondary", click: () => save(kept) }, say("save")),
    );
}

/* Not the API's: an error or a page that nobody asked for, of another server or of a site without a gateway. */
const isForeign = (kept, understood) =>
    (kept.answer.status >= 400 && understood.kind !== "problem") ||
    (mediaType(kept.answer) === "text/html" && !kept.request.query.some(([name, value]) => name === "f" && value === "html"));

function showFault(kept) {
    const message = say(kept.answer.fault, [number(TIMEOUT)]);
    byId("jawaban-isi").replaceChildren(
        el(
            "div",
            { class: "stack" },
            el(
                "div",
                { class: "notice notice-error" },
                el("h3", null, say("no_answer")),
                el("p", null, message, " ", kept.answer.fault === "net_failed" ? el("a", { href: box.dataset.status }, say("status")) : ""),
            ),
            el("p", { class: "muted explorer-address" }, el("code", null, kept.fragment.slice(1).replace(/^[A-Z]+/, "$& "))),
        ),
    );
    byId("jawaban-kabar").textContent = message;
}

function showAnswer(kept, focus) {
    const answer = kept.answer,
        section = byId("jawaban");
    section.hidden = false;
    if (answer.fault) showFault(kept);
    else {
        const understood = understand(answer),
            ok = answer.status < 400;
        const views = viewsOf(kept, understood, box);
        byId("jawaban-isi").replaceChildren(
            el(
                "div",
                { class: "stack" },
                el(
                    "p",
                    { class: "explorer-address" },
                    el("code", null, `${kept.request.method} ${decodeSafely(kept.fragment.replace(/^#[A-Z]+/, ""))}`),
                ),
                facts(answer),
                ...warnings(answer),
                understood.kind === "problem" ? problemBox(answer, understood.json, box.dataset.errors) : null,
                isForeign(kept, understood) ? el("p", { class: "notice notice-error" }, say("not_api")) : null,
                newKey(answer, understood.json, putKey),
                actions(kept, ok ? nextOf(answer, understood.json) : ""),
                makeTabs(views, say("view"), state.view, (name, chosen) => {
                    if (chosen) state.view = name;
                }),
            ),
        );
        byId("jawaban-kabar").textContent = say("done", [
            answer.status,
            statusWords(answer.status),
            milliseconds(answer.ms),
            bytes(answer.blob.size),
        ]);
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
        if (one.forgotten) one.answer = { status: one.answer.status, ms: one.answer.ms, fault: one.answer.fault };
    });
    byId("riwayat").hidden = false;
    byId("riwayat-isi").replaceChildren(
        ...state.history.map((one) =>
            el(
                "li",
                null,
                el("span", { class: "explorer-method", "data-method": one.request.method }, one.request.method),
                " ",
                el("code", { class: "explorer-address" }, decodeSafely(one.fragment.replace(/^#[A-Z]+/, ""))),
                " ",
                el(
                    "span",
                    { class: "muted" },
                    one.answer.fault ? say("no_answer") : `${one.answer.status}, ${milliseconds(one.answer.ms)}`,
                ),
                " ",
                el(
                    "button",
                    {
                        type: "button",
                        class: "button-secondary button-small",
                        click: () => {
                            showOperation(one.operation, one.values, one.body);
                            if (!one.forgotten) showAnswer(one, true);
                        },
                    },
                    say("repeat"),
                ),
            ),
        ),
    );
}

/* ---- the beginning ---- */

async function start() {
    const chosen = byId("endpoint-terpilih");
    const before = Array.from(chosen.childNodes);
    makeListFold();
    startKey();
    chosen.replaceChildren(el("p", { class: "muted", role: "status" }, say("loading")));
    let focus = false; /* somebody chose an endpoint while the document was on its way */
    window.addEventListener("hashchange", () => (state.document ? openFragment(true) : (focus = true)));
    try {
        const response = await fetch(`${root}v1/openapi.json`, { credentials: "omit" });
        if (!response.ok) throw new Error(String(response.status));
        state.document = await response.json();
    } catch (error) {
        chosen.replaceChildren(el("p", { class: "notice notice-error", role: "alert" }, say("load_failed")));
        return;
    }
    chosen.replaceChildren(...before);
    openFragment(focus);
    document.querySelectorAll("a.language").forEach((link) =>
        link.addEventListener("click", () => {
            /* the same request in the other language */
            link.hash = location.hash;
        }),
    );
    /* The one that is chosen already changes no address. */
    links.forEach((link) =>
        link.addEventListener("click", () => {
            if (state.operation && decodeURIComponent(link.hash) === `#${state.operation.anchor}` && link.hash === location.hash)
                openFragment(true);
        }),
    );
}

start();
