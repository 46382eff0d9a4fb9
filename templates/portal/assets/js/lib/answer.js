/* An answer in words: what became of the request, what the headers say, what went wrong, and which views its body has.
 * KEPT is a request with its answer: {operation, request, answer}. */
import { el } from "./dom.js";
import { childrenOf, memberOf, textOf } from "./json.js";
import { getKey, shownForm, validForm } from "./key.js";
import { LARGEST } from "./request.js";
import { durationOf, featuresOf, fileNameOf, header, mediaType, quotaOf, tableOf } from "./response.js";
import { headersView, mapView, number, rawView, tableView, treeView } from "./views.js";
import { say } from "./words.js";

const lang = document.documentElement.lang;

export function bytes(n) {
    const units = ["B", "KB", "MB"];
    let at = 0,
        size = n;
    for (; size >= 1000 && at < 2; at++) size /= 1000;
    return `${size.toLocaleString(lang, { maximumFractionDigits: at === 0 ? 0 : 1 })} ${units[at]}`;
}

export const milliseconds = (ms) => `${number(Math.round(ms))} ms`;
const duration = (seconds) =>
    durationOf(seconds)
        .map(([word, n]) => say(word, [number(n)]))
        .join(" ");

export function statusWords(status) {
    const word = say(`s${status}`);
    return word === `s${status}` ? say(`s${Math.floor(status / 100)}`) : word;
}

function quotaWords(answer) {
    const quota = quotaOf(answer);
    if (quota === null) return "";
    if (!quota.daily) return say("quota_none");
    if (quota.left === null) return "";
    if (quota.limit === null || quota.reset === null) return say("quota_some", [number(quota.left)]);
    const at = new Date(Date.now() + quota.reset * 1000).toLocaleTimeString(lang, {
        hour: "2-digit",
        minute: "2-digit",
        timeZoneName: "short",
    });
    return say("quota_left", [number(quota.left), number(quota.limit), duration(quota.reset), at]);
}

const fact = (word, value) => (value === "" ? null : el("div", null, el("dt", null, say(word)), el("dd", null, value)));

/* Status, time, size, type and quota. */
export function facts(answer) {
    const look = answer.status < 400 ? "badge-ok" : "badge-error";
    return el(
        "dl",
        { class: "explorer-facts" },
        fact("status", el("span", { class: `badge ${look} explorer-status` }, `${answer.status} ${statusWords(answer.status)}`)),
        fact("time", milliseconds(answer.ms)),
        fact("size", bytes(answer.blob.size)),
        fact("type", mediaType(answer)),
        fact("quota", quotaWords(answer)),
    );
}

/* What the headers say that somebody should know. */
export function warnings(answer) {
    const found = [];
    const sunset = new Date(header(answer, "sunset"));
    if (header(answer, "deprecation") !== "")
        found.push(
            [
                say("deprecated"),
                Number.isNaN(sunset.getTime()) ? "" : say("sunset", [sunset.toLocaleDateString(lang, { dateStyle: "long" })]),
            ]
                .filter(Boolean)
                .join(" "),
        );
    if (/^\d+$/.test(header(answer, "retry-after"))) found.push(say("wait", [duration(Number(header(answer, "retry-after")))]));
    if (answer.cut) found.push(say("net_large", [bytes(LARGEST)]));
    return found.map((text) => el("p", { class: "notice notice-warning" }, text));
}

/* problem+json in its own words (RFC 9457); ERRORS: the page that explains codes. */
export function problemBox(answer, json, errors) {
    const member = (name) => {
        const node = memberOf(answer.text, json, name);
        return node === undefined || node.kind === "null" ? "" : textOf(answer.text, node);
    };
    const code = member("code"),
        parameter = member("parameter") || member("field"),
        position = member("position");
    return el(
        "div",
        { class: "notice notice-error explorer-problem" },
        el("h3", null, member("title")),
        member("detail") ? el("p", null, member("detail")) : null,
        parameter ? el("p", null, say("at_parameter", [parameter])) : null,
        position ? el("p", null, say("at_position", [position])) : null,
        /^[a-z][a-z0-9-]*$/.test(code) ? el("p", null, el("a", { href: `${errors}#${code}` }, say("about_code", [code]))) : null,
    );
}

/* A new key that the answer holds: it is shown once, so it should be easy to go on with (USE). */
export function newKey(answer, json, use) {
    const data = json && memberOf(answer.text, json, "data");
    const first = data && childrenOf(answer.text, data)[0];
    const key = first && memberOf(answer.text, first, "key");
    const text = key && key.kind === "string" ? textOf(answer.text, key) : "";
    return validForm(text) && text !== getKey()
        ? el(
              "p",
              null,
              el(
                  "button",
                  {
                      type: "button",
                      click: (event) => {
                          use(text);
                          event.currentTarget.replaceWith(el("span", { class: "muted" }, `${say("key_ok")} ${shownForm(text)}`));
                      },
                  },
                  say("key_use"),
              ),
          )
        : null;
}

export function save(kept) {
    const link = el("a", {
        href: URL.createObjectURL(new Blob([kept.answer.blob], { type: mediaType(kept.answer) || "text/plain" })),
        download: fileNameOf(kept.request, kept.answer),
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* With the titles of the columns, and something to call a feature by. */
function mapOf(kept, understood, box) {
    const make = featuresOf(kept.answer, understood);
    if (make === null || !box.dataset.mapJs) return null;
    const columns = kept.operation.columns.filter((column) => column.type !== "geometry");
    const label = columns.find((column) => /^nama/.test(column.name));
    const odp = {
        label: label ? label.name : null,
        fields: columns.map((column) => ({
            name: column.name,
            title: { id: column.title, en: column.title },
            unit: null,
            type: column.type,
        })),
    };
    return () => Object.assign(make(), { odp });
}

/* What the answer can be looked at as (views.js, makeTabs); BOX: the element that names the map's files. */
export function viewsOf(kept, understood, box) {
    const answer = kept.answer,
        titles = {};
    kept.operation.columns.forEach((column) => {
        titles[column.name] = column.title;
    });
    const table = tableOf(answer, understood);
    const map = mapOf(kept, understood, box);
    return [
        understood.json !== null && { name: "tree", label: say("view_tree"), make: () => treeView(answer.text, understood.json) },
        table !== null && { name: "table", label: say("view_table"), make: () => tableView(answer.text, table, titles) },
        map !== null && { name: "map", label: say("view_map"), make: () => mapView(box, map) },
        { name: "raw", label: say("view_raw"), make: () => rawView(answer.text) },
        { name: "headers", label: say("view_headers"), make: () => headersView(answer.headers) },
    ].filter(Boolean);
}
