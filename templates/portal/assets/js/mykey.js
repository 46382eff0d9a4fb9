/* "My key" without leaving the page: its state, the use of each day as a picture, replacing and revoking it. Without this file the form is answered by the
 * service with a page of its own. */

import { el } from "./lib/dom.js";
import { forgetKey, getKey, setKey, validForm } from "./lib/key.js";
import { showKey } from "./lib/newkey.js";
import { call, rootOf } from "./lib/service.js";
import { say, words } from "./lib/words.js";

const form = document.getElementById("kunci");
const news = document.getElementById("kunci-kabar");
const box = document.getElementById("kunci-isi");
const field = form.elements.key;
const root = rootOf(form);
const lang = document.documentElement.lang;
const number = new Intl.NumberFormat(lang);

function complain(text) {
    news.replaceChildren(el("p", { class: "notice notice-error" }, text));
}

function time(text) {
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? text : date.toLocaleString(lang, { dateStyle: "long", timeStyle: "short" });
}

function day(text) {
    return new Date(`${text}T00:00:00Z`).toLocaleDateString(lang, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/* ---- the use of each day ---- */

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes) {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
    return element;
}

/* One bar a day, the highest as high as the picture; a day with few requests still shows. */
function picture(usage, most, text) {
    const svg = shape("svg", { viewBox: `0 0 ${usage.length * 10} 60`, class: "usage", role: "img", "aria-label": text, preserveAspectRatio: "none" });
    usage.forEach((one, i) => {
        const height = one.requests === 0 ? 0.5 : Math.max(2, (one.requests / most) * 58);
        svg.append(shape("rect", { x: i * 10 + 1, y: 60 - height, width: 8, height, fill: "currentColor" }));
    });
    return svg;
}

function usageOf(usage) {
    const sum = usage.reduce((all, one) => all + one.requests, 0);
    const top = usage.reduce((best, one) => (one.requests > best.requests ? one : best), { requests: 0 });
    const text = sum === 0 ? say("key_js_usage_none", { days: usage.length })
        : say("key_js_usage_text", { sum: number.format(sum), days: usage.length, max: number.format(top.requests), day: day(top.date) });
    const rows = usage.slice().reverse().map((one) => el("tr", null, el("th", { scope: "row" }, day(one.date)), el("td", { class: "number" }, number.format(one.requests))));
    return el("section", { "aria-labelledby": "pemakaian" },
        el("h2", { id: "pemakaian" }, say("key_js_usage")),
        sum === 0 ? null : picture(usage, top.requests, text),
        el("p", null, text),
        el("details", null, el("summary", null, say("key_js_table")),
            el("table", null, el("caption", { class: "visually-hidden" }, say("key_js_usage")),
                el("thead", null, el("tr", null, el("th", { scope: "col" }, say("key_js_day")), el("th", { scope: "col", class: "number" }, say("key_js_requests")))),
                el("tbody", null, ...rows))));
}

/* ---- its state ---- */

function facts(state) {
    const list = el("dl", { class: "facts" });
    const add = (word, value) => value !== undefined && value !== null && value !== "" && list.append(el("dt", null, say(word)), el("dd", null, value));
    const limited = typeof state.limit === "number";
    add("key_js_tier", words()[`tier_${state.tier}`] || state.tier);
    add("key_js_state", words()[`key_js_state_${state.state}`] || state.state);
    add("key_js_used", number.format(state.used || 0));
    add("key_js_left", limited ? number.format(Math.max(0, state.limit - (state.used || 0))) : say("key_js_unlimited"));
    add("key_js_reset", limited && state.reset ? time(state.reset) : "");
    add("key_js_created", state.created ? time(state.created) : "");
    add("key_js_expires", state.expires ? time(state.expires) : "");
    return list;
}

/* Revoking asks once more, in place: a dialog of the browser's own would be in its language. */
function revoking(key) {
    const row = el("p", { class: "cluster" });
    const ask = el("button", { type: "button", class: "button-secondary", click: () => {
        const sure = el("button", { type: "button", class: "button", click: () => revoke(key) }, say("key_js_revoke_sure"));
        const cancel = el("button", { type: "button", class: "button-secondary", click: () => {
            row.replaceChildren(ask);
            ask.focus();
        } }, say("key_js_cancel"));
        row.replaceChildren(sure, cancel);
        cancel.focus();
    } }, say("key_js_revoke"));
    row.append(ask);
    return row;
}

function acts(key) {
    return el("section", { class: "stack", "aria-labelledby": "tindakan" },
        el("h2", { id: "tindakan" }, say("key_js_rotate")),
        el("p", null, say("key_js_rotate_text")),
        el("p", null, el("button", { type: "button", class: "button-secondary", click: () => rotate(key) }, say("key_js_rotate"))),
        el("h2", null, say("key_js_revoke")),
        el("p", null, say("key_js_revoke_text")),
        revoking(key),
        el("p", null, el("button", { type: "button", class: "button-secondary", click: () => {
            forgetKey();
            field.value = "";
            box.replaceChildren();
            field.focus();
        } }, say("key_js_forget"))));
}

/* What was there goes at once: an answer that comes late would take its buttons away under the pointer. One that comes when another key, or a newer state, is there is
 * nobody's any more. */
let turn = 0;
async function look(key, focus) {
    const mine = ++turn;
    news.replaceChildren();
    box.replaceChildren();
    try {
        const state = await call(`${root}auth/key`, { key });
        if (mine !== turn)
            return;
        setKey(key);
        box.replaceChildren(facts(state), usageOf(state.usage || []), acts(key));
        if (focus)
            box.focus();
    } catch (error) {
        if (mine === turn)
            complain(error.message);
    }
}

/* Changes the key: once, however often the button is pressed before the answer DONE(issued) shows is there. */
async function change(address, request, done) {
    news.replaceChildren();
    box.inert = true;
    try {
        const issued = await call(root + address, request);
        turn++;
        done(issued);
    } catch (error) {
        complain(error.message);
    }
    box.inert = false;
    box.focus();
}

function rotate(key) {
    return change("auth/rotate", { method: "POST", key, body: {} }, (issued) => {
        const until = issued.previous_valid_until;
        setKey(issued.key);
        field.value = issued.key;
        box.replaceChildren(el("h2", null, say("key_js_made_title")), showKey(issued.key, until ? [say("key_js_old_until", { time: time(until) })] : []));
    });
}

function revoke(key) {
    return change("auth/key", { method: "DELETE", key }, () => {
        forgetKey();
        field.value = "";
        box.replaceChildren(el("p", { class: "notice" }, say("key_js_revoked")));
    });
}

form.noValidate = true;
form.addEventListener("submit", (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (!validForm(key)) {
        complain(say("key_js_form"));
        field.focus();
        return;
    }
    look(key, true);
});

if (getKey()) {
    field.value = getKey();
    look(getKey(), false);
}
