/* What is seen, taken along: groups as a file, rows on paper. */
import { el } from "../dom.js";
import { say } from "../words.js";
import { conditionsOf } from "./chips.js";
import { nameOf } from "./names.js";
import { csvText, guarded } from "./save.js";
import { isNumber } from "./values.js";

const conditionTexts = (app) => conditionsOf(app.question, app.config).map((one) => one.text);

/* {heads, lines, numbers}: the groups with names beside codes. */
function tableOf(app) {
    const fields = app.groupFields;
    const rows = Array.from({ length: app.source.length }, (_, i) => app.source.row(i));
    return {
        heads: fields.flatMap((field) => (field.list ? [field.name, `${field.name}_nama`] : [field.name])),
        numbers: fields.flatMap((field) => (field.list ? [false, false] : [isNumber(field)])),
        lines: rows.map((row) => row.flatMap((value, i) => (fields[i].list ? [value, value === null ? null : nameOf(fields[i], value)] : [value]))),
    };
}

function csvOf({ heads, lines, numbers }, excel) {
    const delimiter = excel ? ";" : ",";
    const cell = (value, i) => {
        if (value === null)
            return "";
        if (!excel)
            return csvText(value, delimiter);
        return numbers[i] ? value.replace(".", ",") : guarded(value);
    };
    const rows = [heads.map((name) => csvText(name, delimiter)), ...lines.map((line) => line.map(cell))];
    return (excel ? "\ufeff" : "") + rows.map((row) => `${row.join(delimiter)}\r\n`).join("");
}

function jsonOf({ heads, lines, numbers }) {
    const value = (text, i) => (text === null ? "null" : numbers[i] ? text : JSON.stringify(text));
    return `[${lines.map((line) => `\n{${line.map((text, i) => `${JSON.stringify(heads[i])}:${value(text, i)}`).join(",")}}`).join(",")}\n]\n`;
}

/* APP's groups as a file of FORM ("csv", "excel.csv", "json"): {blob, name, note}. */
export function saveGroups(app, form) {
    const { config } = app;
    const table = tableOf(app);
    const stem = `${config.slug}${config.resource ? `-${config.resource}` : ""}-${config.version}-${config.lang === "en" ? "groups" : "kelompok"}`;
    const note = [config.title, `${config.slug} ${config.version}`, new URL(app.address(), config.page).href, ...conditionTexts(app), config.license || ""].filter(Boolean).join("\n");
    return {
        blob: new Blob([form === "json" ? jsonOf(table) : csvOf(table, form === "excel.csv")], { type: form === "json" ? "application/json" : "text/csv" }),
        name: `${stem}.${form}`,
        note: { blob: new Blob([`${note}\n`], { type: "text/plain" }), name: `${stem}.txt` },
    };
}

/* Before printing: the rows that are here as a plain table, with what they are a part of. */
export function drawPaper(app) {
    const old = app.find(".ex-print");
    if (old)
        old.remove();
    if (!app.source || app.view !== "table")
        return;
    const rows = [];
    for (let i = 0; i < Math.min(app.source.length, 1000) && app.source.row(i) !== undefined; i++)
        rows.push(app.source.row(i));
    const told = say("ex_print", { shown: app.number(rows.length), total: app.number(app.source.length), conditions: conditionTexts(app).join("; ") || say("ex_print_all") });
    const cell = (column, row) => el("td", { class: column.number ? "number" : null }, ...[column.cell(row[column.index])].flat());
    app.find(".ex-box").append(el("div", { class: "ex-print" }, el("p", null, told), el("table", null,
        el("thead", null, el("tr", null, ...app.columns.map((column) => el("th", { scope: "col" }, column.title)))),
        el("tbody", null, ...rows.map((row) => el("tr", null, ...app.columns.map((column) => cell(column, row))))))));
}
