/* What the buttons above the table open: grouping, the choice of columns, downloads, the same question for programs. */
import { copyText, el } from "../dom.js";
import { decimal } from "../table.js";
import { say } from "../words.js";
import { callsOf } from "./calls.js";
import { MOST } from "./question.js";
import { isComplex, isNumber, isOrdered } from "./values.js";

const option = (value, text, chosen) => el("option", { value, selected: value === chosen }, text);
const small = (word, click) => el("button", { type: "button", class: "button-secondary button-small", click }, say(word));

/* ---- groups ---- */

const SUMMED = ["sum", "avg"];
const fits = (fn, field) => (SUMMED.includes(fn) ? isNumber(field) && field.type !== "year" : isOrdered(field) || field.type === "string");

/* What a group's column is called. */
export function measureTitle({ fn, field }, config) {
    const of = config.fields.find((one) => one.name === field);
    return of ? `${say(`ex_fn_${fn}`)}: ${of.title}` : say("ex_fn_count");
}

/* Where groups are asked for without figures: how many, and the sum of the first column that can be added up. */
function firstMeasures(config) {
    const field = config.fields.find((one) => fits("sum", one) && !/^(persen|percent|rata|indeks|skor)/i.test(one.name) && one.unit !== "persen" && one.unit !== "%");
    return field ? [{ fn: "count" }, { fn: "sum", field: field.name }] : [{ fn: "count" }];
}

export function groupPanel(app) {
    const { config, question } = app;
    const fields = config.fields.filter((field) => !isComplex(field));
    const groupBy = (k, name) => app.change((copy) => {
        copy.groupby = name === "" ? copy.groupby.slice(0, k) : [...copy.groupby.slice(0, k), name, ...copy.groupby.slice(k + 1)];
        copy.groupby = copy.groupby.filter((one, i) => copy.groupby.indexOf(one) === i);
        if (copy.groupby.length > 0 && copy.aggregate.length === 0)
            copy.aggregate = firstMeasures(config);
        else if (copy.groupby.length === 0)
            copy.aggregate = [];
        copy.sortby = [];
    });
    const by = (k) => el("label", { class: "ex-select" }, el("span", { class: "small" }, say(k === 0 ? "ex_group_by" : "ex_group_then")),
        el("select", { "data-focus": `by-${k}`, change: (event) => groupBy(k, event.target.value) }, option("", say("ex_group_none"), question.groupby[k] || ""),
            ...fields.map((field) => option(field.name, field.title, question.groupby[k]))));
    const shown = Math.min(MOST.groupby, question.groupby.length + 1, 3);
    const setMeasure = (k, fn, name) => app.change((copy) => {
        const able = fields.filter((field) => fits(fn, field));
        const field = able.some((one) => one.name === name) ? name : (able[0] || {}).name;
        copy.aggregate[k] = fn === "count" ? { fn } : { fn, field };
        copy.aggregate = copy.aggregate.filter((one, i) => copy.aggregate.findIndex((other) => other.fn === one.fn && other.field === one.field) === i);
    });
    const measure = ({ fn, field }, k) => el("div", { class: "ex-measure" },
        el("select", { "data-focus": `fn-${k}`, "aria-label": say("ex_measure"), change: (event) => setMeasure(k, event.target.value, field) }, ...["count", "sum", "avg", "min", "max"].map((one) => option(one, say(`ex_fn_${one}`), fn))),
        fn === "count" ? null : el("select", { "data-focus": `of-${k}`, "aria-label": say("ex_of_column"), change: (event) => setMeasure(k, fn, event.target.value) }, ...fields.filter((one) => fits(fn, one)).map((one) => option(one.name, one.title, field))),
        question.aggregate.length > 1 ? el("button", { type: "button", class: "button-secondary button-small", "aria-label": say("ex_remove_measure"), click: () => app.change((copy) => copy.aggregate.splice(k, 1)) }, "×") : null);
    const grouped = question.groupby.length > 0 || question.aggregate.length > 0;
    return [
        el("div", { class: "ex-form" }, ...Array.from({ length: shown }, (_, k) => by(k))),
        grouped ? el("div", { class: "ex-form" }, ...question.aggregate.map(measure)) : el("p", { class: "small muted" }, say("ex_group_help")),
        grouped ? el("p", { class: "cluster" },
            question.aggregate.length < MOST.aggregate ? small("ex_add_measure", () => app.change((copy) => {
                const next = fields.find((field) => fits("sum", field) && !copy.aggregate.some((one) => one.fn === "sum" && one.field === field.name));
                copy.aggregate.push(next ? { fn: "sum", field: next.name } : { fn: "count" });
            })) : null,
            small("ex_ungroup", () => app.change((copy) => Object.assign(copy, { groupby: [], aggregate: [], sortby: [] })))) : null,
    ];
}

/* ---- columns ---- */

export function columnsPanel(app) {
    const { config } = app;
    const published = config.fields.filter((field) => !field.derived && !field.beside).map((field) => field.name);
    const now = app.question.properties.length > 0 ? app.question.properties : published;
    const set = (names) => app.change((copy) => {
        copy.properties = names.length === published.length && published.every((name) => names.includes(name)) ? [] : config.fields.map((field) => field.name).filter((name) => names.includes(name));
    });
    const box = (field) => {
        const input = el("input", { type: "checkbox", "data-focus": `c-${field.name}`, change: (event) => {
            const names = event.target.checked ? [...now, field.name] : now.filter((name) => name !== field.name);
            if (names.length > 0)
                set(names);
            else
                event.target.checked = true;
        } });
        input.checked = now.includes(field.name);
        return el("label", { class: "check" }, input, field.title);
    };
    return [
        el("p", { class: "cluster" }, small("ex_columns_published", () => set(published)), small("ex_columns_all", () => set(config.fields.map((field) => field.name)))),
        el("div", { class: "ex-boxes" }, ...config.fields.map(box)),
    ];
}

/* ---- downloads ---- */

const FORMS = [["csv", "ex_csv"], ["excel.csv", "ex_excel"], ["json", "ex_json"], ["geojson", "ex_geojson"]];

function hand(blob, name) {
    const link = el("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export function savePanel(app) {
    const { config } = app;
    const grouped = app.grouped;
    const status = el("p", { class: "small", role: "status" });
    const save = async (form) => {
        status.textContent = say("ex_saving");
        try {
            const { blob, name, note } = await app.save(form);
            hand(blob, name);
            status.replaceChildren(say("ex_saved", { name }), " ", ...(note ? [el("button", { type: "button", class: "ex-more", click: () => hand(note.blob, note.name) }, say("ex_note"))] : []));
        } catch (error) {
            status.textContent = say("ex_failed_ask", { why: error.message });
        }
    };
    const forms = FORMS.filter(([form]) => (form === "geojson" ? config.geometry && !grouped : true));
    return [
        el("p", null, say(grouped ? "ex_save_groups" : "ex_save_lead", { matched: app.matched === null ? "" : decimal(String(app.matched), config.lang) })),
        el("p", { class: "cluster" }, ...forms.map(([form, word]) => el("button", { type: "button", class: "button-small", click: () => save(form) }, say(word)))),
        status,
        el("p", { class: "small muted" }, say("ex_save_note")),
        el("p", { class: "small" }, `${say("ex_whole_files")} `, ...config.files.flatMap((file, i) => [i > 0 ? ", " : "", el("a", { href: app.root + file.path, download: true }, file.file), ` (${app.size(file.bytes)})`])),
    ];
}

/* ---- for programs ---- */

const LANGUAGES = [["curl", "curl"], ["javascript", "JavaScript"], ["python", "Python"], ["php", "PHP"]];
let language = "curl";

function copied(label, text) {
    const button = el("button", { type: "button", class: "button-secondary button-small", click: async () => {
        try {
            await copyText(text);
            button.textContent = say("ex_copied");
        } catch (error) {
            button.textContent = say("ex_copy_failed");
        }
        setTimeout(() => (button.textContent = say("ex_copy")), 2000);
    } }, say("ex_copy"));
    return el("div", { class: "ex-copy" }, label ? el("p", { class: "small muted" }, label) : null, el("pre", { tabindex: "0", role: "group", "aria-label": label || language }, el("code", null, text)), button);
}

export function codePanel(app) {
    const { config, question } = app;
    const link = copied(say("ex_link"), new URL(app.address(), config.page).href);
    if (!config.api)
        return [link];
    const calls = callsOf(question, config);
    const shown = el("div", null, copied("", calls[language]));
    const choice = el("select", { "data-focus": "language", change: (event) => {
        language = event.target.value;
        shown.replaceChildren(copied("", calls[language]));
    } }, ...LANGUAGES.map(([name, title]) => option(name, title, language)));
    return [
        link,
        copied(say("ex_address"), calls.address),
        el("p", { class: "small" }, say("ex_api_lead"), app.grouped && question.sortby.length > 0 ? ` ${say("ex_api_sort")}` : ""),
        el("label", { class: "ex-select" }, el("span", { class: "small" }, say("ex_language")), choice),
        shown,
    ];
}
