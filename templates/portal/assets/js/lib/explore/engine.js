/* What the worker of the page of all records does, without being one: a table is opened, then asked.
 *
 *   openTable(config, {base, load, index, progress}) -> table; ask(table, {do, …}) -> the answer's members
 *
 * CONFIG (made in C, site/pages): {lang, slug, resource?, version, release?, title, api, page?, root, total, key: [names], license?, lastUpdate?,
 *   fields: [{name, title, type, text?, indexed?, labels?: {code: label or {id, en}}, list?: path of labels-….json, derived?: {field, prefix},
 *     labelColumns?: [{name, lang}] that the published files have after it}],
 *   geometry?: {types}, file?: {path, kind: "csv" | "json" | "geojson", bytes}, files?: [{name, path}], index?: {path, bytes}, assets?: {sqlite, wasm}}
 * Paths begin at the site's root, which `root` leads to from the page. A derived column has the first PREFIX characters of another.
 *
 * Below a size (C decides) there is `file`, which is read whole; else there is `index`, of which only what is needed is read. */
import { readShapes, readTable } from "../records.js";
import { FileTable } from "./file.js";
import { IndexTable } from "./index.js";
import { openPages } from "./pages.js";
import { save } from "./save.js";
import { Connection } from "./sqlite.js";

export const FACET_VALUES = 100; /* the API's most */
export const POINTS = 5000;

/* The bytes at ADDRESS as text. PROGRESS(read, total) with what the server sends, unpacked; TOTAL may be 0: nobody knows. */
export async function loadText(address, total, progress) {
    const answer = await fetch(address);
    if (!answer.ok)
        throw new Error(`${answer.status} ${address}`);
    if (!answer.body || progress === undefined)
        return answer.text();
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    let [text, read] = ["", 0];
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            return text + decoder.decode();
        text += decoder.decode(value, { stream: true });
        read += value.length;
        progress(read, total);
    }
}

/* By field: {code: {id, en}}, of categories and of code lists. */
export async function labelsOf(config, loadOne) {
    const found = {};
    await Promise.all(config.fields.map(async (field) => {
        const labels = field.list ? JSON.parse(await loadOne(field.list)).labels : field.labels;
        if (labels !== undefined)
            found[field.name] = Object.fromEntries(Object.entries(labels).map(([code, label]) => [code, typeof label === "string" ? { id: label } : label]));
    }));
    return found;
}

/* The columns of the file itself. */
const publishedNames = (config) => config.fields.filter((field) => field.derived === undefined).map((field) => field.name);

/* LOAD(address, total?, progress?) resolves to text; SQLITE(resolve) to what SQLite's init() gives; PAGES(address, bytes, progress) to the pages of a file.
 * Paths are relative to BASE. */
export async function openTable(config, { base, load = loadText, sqlite, pages = openPages, progress = () => undefined }) {
    const resolve = (path) => new URL((config.root || "") + path, base).href;
    const once = new Map(); /* of lists, which several columns have */
    const loadOne = (path) => {
        if (!once.has(path))
            once.set(path, load(resolve(path)));
        return once.get(path);
    };
    if (config.file === undefined) {
        const [sqlite3, file] = await Promise.all([sqlite(resolve), pages(resolve(config.index.path), config.index.bytes, progress)]);
        const labelled = { ...config, fields: config.fields.filter((field) => field.labelColumns !== undefined) }; /* the index finds words itself */
        return new IndexTable(config, new Connection(sqlite3, file), await labelsOf(labelled, loadOne));
    }
    const [text, labels] = await Promise.all([load(resolve(config.file.path), config.file.bytes, progress), labelsOf(config, loadOne)]);
    const table = new FileTable(config, readTable(text, config.file.kind, publishedNames(config)), labels);
    table.resolve = resolve;
    if (config.total !== undefined && table.total !== config.total)
        throw new Error(`${table.total} of ${config.total}`);
    return table;
}

const ASKED = {
    rows: (table, { question, from, n }) => table.page(question, from, n),
    count: async (table, { question }) => ({ matched: await table.count(question) }),
    facets: (table, { question, fields, max = FACET_VALUES }) => table.facets(question, fields, max),
    groups: (table, { question }) => table.groups(question),
    extent: async (table, { question, fields }) => ({ extent: await table.extent(question, fields) }),
    points: (table, { question, max = POINTS }) => table.points(question, max),
    record: async (table, { fid }) => (await table.record(fid)) || {},
};

/* CSV has a point on each shape, which only the published CSV knows. */
async function saveAs(table, { question, form }, load) {
    const csv = (table.config.files || []).find((file) => file.name === "csv");
    if (table instanceof FileTable && /csv$/.test(form) && table.csvShapes === undefined && table.shapes !== null && csv !== undefined)
        table.csvShapes = readShapes(await load(table.resolve(csv.path)), table.total);
    return save(table, question, form);
}

/* Resolves to the members of the answer to MESSAGE, {do, …}. */
export async function ask(table, message, load = loadText) {
    if (message.do === "save")
        return saveAs(table, message, load);
    if (!Object.prototype.hasOwnProperty.call(ASKED, message.do))
        throw new Error(message.do);
    return ASKED[message.do](table, message);
}
