/* What is selected as a file: the bytes of the published files' records (docs/formats.md), with the columns that are shown. */
import { coordinate, extend } from "./geometry.js";
import { freeName } from "../records.js";
import { shownFields, wholeQuestion, writeQuestion } from "./question.js";
import { isBoolean, isNumber, isText } from "./values.js";

/* Types that JSON has without quotes (tools/lib/contract, field types). */
const isLiteral = (field) => isNumber(field) || isBoolean(field) || ["list", "array", "object", "geojson", "geopoint"].includes(field.type);

/* ---- CSV ---- */

const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
const needsQuotes = { ",": /^$|[,"\r\n]|^[ \t]|[ \t]$/, ";": /^$|[;"\r\n]|^[ \t]|[ \t]$/ };
export const csvText = (text, delimiter) => (needsQuotes[delimiter].test(text) ? quoted(text) : text);

/* For a double click in a spreadsheet: what would become a number or a date of it, or run as a formula. */
export function guarded(text) {
    if (new TextEncoder().encode(text).length <= 255 && /^[0-9 .,:/+\-eE%()]*$/.test(text) && /\d/.test(text))
        return `"=""${text}"""`;
    return text.length > 1 && /^[=+\-@\t\r]/.test(text) ? `"'${text.replace(/"/g, '""')}"` : csvText(text, ";");
}

class Csv {
    constructor(table, fields, excel) {
        this.fields = fields;
        this.excel = excel;
        this.delimiter = excel ? ";" : ",";
        const head = fields.map((field) => (excel ? guarded(field.name) : csvText(field.name, ",")));
        this.parts = [(excel ? "\ufeff" : "") + [...head, ...table.csvNames].join(this.delimiter) + "\r\n"];
        this.shapes = table.csvNames.map((name) => /(lon|lat)$/.test(name));
    }

    value(field, text) {
        if (text === null)
            return "";
        if (this.excel && isNumber(field))
            return text.replace(".", ",");
        return this.excel && isText(field) ? guarded(text) : csvText(text, this.delimiter);
    }

    shape(text, isCoordinate) {
        return text === null ? "" : this.excel && isCoordinate ? text.replace(".", ",") : csvText(text, this.delimiter);
    }

    add(values, { csv }) {
        const cells = this.fields.map((field, i) => this.value(field, values[i]));
        this.shapes.forEach((isCoordinate, i) => cells.push(this.shape(csv[i], isCoordinate)));
        this.parts.push(cells.join(this.delimiter) + "\r\n");
    }

    end() {
        return this.parts;
    }
}

/* ---- JSON ---- */

const jsonValue = (field, text) => (text === null ? "null" : isLiteral(field) ? text : JSON.stringify(text));

const members = (fields, values) => fields.map((field, i) => `${JSON.stringify(field.name)}:${jsonValue(field, values[i])}`);

class Json {
    constructor(table, fields) {
        this.config = table.config;
        this.fields = fields;
        this.geometry = table.config.geometry ? freeName(table.config.fields.map((field) => field.name), "geometry") : null;
        this.parts = ['{"data":['];
        this.n = 0;
    }

    add(values, { shape }) {
        const all = members(this.fields, values);
        if (this.geometry !== null)
            all.push(`${JSON.stringify(this.geometry)}:${shape === null ? "null" : shape}`);
        this.parts.push(`${this.n++ > 0 ? "," : ""}\n{${all.join(",")}}`);
    }

    end() {
        const { slug, resource, version, release, lastUpdate, license } = this.config;
        const meta = { dataset: slug, ...(resource ? { resource } : {}), version, ...(release ? { release } : {}), total: this.n,
            ...(lastUpdate ? { last_update: lastUpdate } : {}), ...(license ? { license } : {}) };
        this.parts.push(`${this.n > 0 ? "\n" : ""}],"status":"success","meta":${JSON.stringify(meta)}}\n`);
        return this.parts;
    }
}

/* ---- GeoJSON ---- */

/* A record's id: its key, the parts of a composite one joined by commas; without a key its number. */
export function idOf(config, values, fid) {
    const key = (config.key || []).map((name) => values[config.fields.findIndex((field) => field.name === name)]);
    if (key.length === 0)
        return fid;
    return key.length === 1 ? key[0] : key.map((part) => (part === null ? "" : part.replace(/%/g, "%25").replace(/,/g, "%2C"))).join(",");
}

class Geojson {
    constructor(table, fields) {
        this.config = table.config;
        this.fields = fields;
        this.parts = [`{"type":"FeatureCollection","name":${JSON.stringify(table.config.resource || table.config.slug)},"features":[`];
        this.n = 0;
        this.extent = null;
    }

    add(values, { shape, id }) {
        if (shape !== null)
            this.extent = extend(this.extent, JSON.parse(shape));
        const properties = members(this.fields, values).join(",");
        this.parts.push(`${this.n++ > 0 ? "," : ""}\n{"type":"Feature","id":${JSON.stringify(id)},"geometry":${shape === null ? "null" : shape},"properties":{${properties}}}`);
    }

    end() {
        const box = this.extent === null ? "" : `,"bbox":[${this.extent.map(coordinate).join(",")}]`;
        const license = this.config.license ? `,"license":${JSON.stringify(this.config.license)}` : "";
        this.parts.push(`${this.n > 0 ? "\n" : ""}]${box}${license}}\n`);
        return this.parts;
    }
}

export const FORMS = {
    "csv": { type: "text/csv", make: (table, fields) => new Csv(table, fields, false) },
    "excel.csv": { type: "text/csv", make: (table, fields) => new Csv(table, fields, true) },
    "json": { type: "application/json", make: (table, fields) => new Json(table, fields) },
    "geojson": { type: "application/geo+json", make: (table, fields) => new Geojson(table, fields) },
};

/* ---- the conditions beside ---- */

/* What a saved file is about, as JSON: the question, the same as an API call, version, count, licence. */
export function noteOf(config, question, saved, matched) {
    const api = Object.fromEntries(writeQuestion(question, config));
    const note = {
        file: saved, title: config.title, dataset: config.slug, ...(config.resource ? { resource: config.resource } : {}), version: config.version,
        ...(config.release ? { release: config.release } : {}), records: matched, of: config.total, question: api,
        ...(config.page ? { page: config.page } : {}), ...(config.license ? { license: config.license } : {}),
    };
    return `${JSON.stringify(note, null, 2)}\n`;
}

/* The columns of a file of records: those that are shown, and after each those of its names that the published files have. */
function columnsOf(table, question) {
    const { config } = table;
    const columns = [];
    for (const field of shownFields(question, config)) {
        const at = config.fields.indexOf(field);
        const labels = table.labels[field.name] || {};
        columns.push({ field, of: (values) => values[at] });
        for (const { name, lang } of field.labelColumns || [])
            columns.push({ field: { name, type: "string" }, of: (values) => nameOf(labels, values[at], lang) });
    }
    return columns;
}

function nameOf(labels, code, lang) {
    if (code === null || !Object.prototype.hasOwnProperty.call(labels, code))
        return null;
    const { id, en } = labels[code];
    return (lang === "en" ? en || id : id || en) || null;
}

/* A table of groups as one of records: sums, averages and counts are numbers. */
async function groupTable(table, question) {
    const { columns, rows } = await table.groups(question);
    const typeOf = (name, i) => {
        const one = question.aggregate[i - question.groupby.length];
        const of = i < question.groupby.length ? name : one !== undefined && (one.fn === "min" || one.fn === "max") ? one.field : null;
        return of === null ? "number" : table.config.fields.find((field) => field.name === of).type;
    };
    return {
        config: { ...table.config, geometry: undefined, key: [], fields: columns.map((name, i) => ({ name, type: typeOf(name, i) })) },
        labels: {},
        csvNames: [],
        each: async (asked, visit) => rows.forEach((row, i) => visit(row, { fid: i + 1, shape: null, csv: null })),
    };
}

/* {parts, type, name, note: {text, name}} of what QUESTION selects in TABLE: records, or groups. */
export async function save(table, asked, form) {
    const { config } = table;
    const question = wholeQuestion(asked);
    const groups = question.groupby.length > 0 || question.aggregate.length > 0;
    const source = groups ? await groupTable(table, question) : table;
    const columns = columnsOf(source, groups ? {} : question);
    const writer = FORMS[form].make(source, columns.map(({ field }) => field));
    let n = 0;
    await source.each(question, (values, record) => {
        n++;
        writer.add(columns.map(({ of }) => of(values)), { ...record, id: idOf(config, values, record.fid) });
    });
    const part = groups || n < table.total || question.properties.length > 0 ? (config.lang === "en" ? "-selected" : "-terpilih") : "";
    const name = `${config.slug}${config.resource ? `-${config.resource}` : ""}-${config.version}${part}.${form}`;
    return { parts: writer.end(), type: FORMS[form].type, name, note: { text: noteOf(config, question, name, n), name: name.replace(/\.[a-z.]+$/, ".txt") } };
}
