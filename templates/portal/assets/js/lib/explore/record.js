/* One record with all its columns: names with codes, units, what each column means. */
import { el } from "../dom.js";
import { decimal } from "../table.js";
import { say } from "../words.js";
import { hrefOf, nameOf, shown } from "./names.js";

/* "31.72-0001"; parts of a composite key with commas, as in the API's addresses. */
export function keyOf(config, values) {
    const parts = config.key.map((name) => values[config.fields.findIndex((field) => field.name === name)]);
    return parts.length === 0 || parts.some((part) => part === null || part === undefined) ? "" : parts.map((part) => (parts.length > 1 ? part.replace(/%/g, "%25").replace(/,/g, "%2C") : part)).join(",");
}

/* The parts of a key as it stands in an address. */
export const partsOfKey = (config, key) => (config.key.length > 1 ? key.split(",").map((part) => part.replace(/%2C/gi, ",").replace(/%25/g, "%")) : [key]);

function valueOf(field, value, app) {
    if (value === null || value === undefined)
        return [el("span", { class: "muted" }, say("ex_empty"))];
    const href = hrefOf(field, value, app.root);
    const text = shown(field, value, app.config.lang);
    const unit = field.unit ? el("span", { class: "muted" }, ` ${field.unit}`) : null;
    const code = nameOf(field, value) !== null && field.list ? el("span", { class: "ex-code" }, value) : null;
    return [href === null ? text : el("a", { href }, text), code ? " " : null, code, unit].filter(Boolean);
}

/* BOX shows the record I of TOTAL with VALUES; APP.open(i) another one, APP.closeRecord() none. */
export function drawRecord(box, app, { i, total, values, report }) {
    const { config } = app;
    const n = (number) => decimal(String(number), config.lang);
    const step = (word, to) => el("button", { type: "button", class: "button-secondary button-small", "data-focus": word, "aria-disabled": String(to < 0 || to >= total), click: () => to >= 0 && to < total && app.open(to) }, say(word));
    const key = keyOf(config, values);
    box.replaceChildren(
        el("div", { class: "ex-record-head" }, el("h2", null, say("ex_record", { n: n(i + 1), total: n(total) })),
            el("div", { class: "cluster" }, step("ex_previous", i - 1), step("ex_next", i + 1), el("button", { type: "button", class: "button-secondary button-small", click: () => app.closeRecord() }, say("ex_close")))),
        el("dl", { class: "ex-facts" }, ...config.fields.filter((field) => !field.beside || values[config.fields.indexOf(field)] !== undefined).map((field) => el("div", null,
            el("dt", { title: field.about || null }, field.title), el("dd", null, ...valueOf(field, values[config.fields.indexOf(field)], app))))),
        ...(key !== "" ? [el("p", { class: "small" }, el("a", { href: `#rekaman=${encodeURIComponent(key)}` }, say("ex_record_link")))] : []),
        ...(report && key !== "" ? [el("p", { class: "small" }, el("a", { href: report.split("@KEY@").join(encodeURIComponent(key)) }, say("ex_report")))] : []),
    );
}
