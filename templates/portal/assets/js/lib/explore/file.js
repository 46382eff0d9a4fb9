/* Questions answered from a published file that was read whole: {rows, shapes} of lib/records.js. The same answers as explore/index.js gives by SQL, and the
 * query engine of the API. Records are numbered from 1 as in the file: their fid. */
import { DecimalSum, normal, scaleOf } from "./decimals.js";
import { extend, meetsBox } from "./geometry.js";
import { foldCase, likeTest } from "./patterns.js";
import { wholeQuestion } from "./question.js";
import { compareBytes, compareNumbers, instantOf, isNumber, isText } from "./values.js";
import { tokensOf, wordTest } from "./words.js";

export const GROUPS_MAX = 10000; /* more are refused: sums over a part would be wrong without notice */

export class TooMany extends Error {}

/* A value of the engine's words is only a code: a digit in it and no blank. */
const isCode = (text) => /\d/.test(text) && !/[ \t-\r]/.test(text);

/* One column: its values, and what orders them. */
class Column {
    constructor(field, rows, i) {
        this.field = field;
        this.texts = rows.map((row) => row[i]);
        this.numbers = isNumber(field) ? Float64Array.from(this.texts, (text) => (text === null ? NaN : Number(text))) : null;
        this.instants = field.type === "datetime" ? this.texts.map((text) => (text === null ? null : instantOf(text))) : null;
    }

    /* Of two records that have values. */
    compare(a, b) {
        if (this.numbers !== null)
            return compareNumbers(this.numbers[a], this.texts[a], this.numbers[b], this.texts[b]);
        const keys = this.instants === null ? this.texts : this.instants;
        return compareBytes(keys[a], keys[b]);
    }

    /* A function of a record that has a value: how that compares with TEXT. */
    against(text) {
        if (this.numbers !== null) {
            const number = Number(text);
            return (r) => compareNumbers(this.numbers[r], this.texts[r], number, text);
        }
        const keys = this.instants === null ? this.texts : this.instants;
        const key = this.instants === null ? text : instantOf(text);
        return (r) => compareBytes(keys[r], key);
    }

    /* Equal values have equal keys. */
    key(r) {
        const text = this.texts[r];
        return text === null ? null : this.numbers !== null ? normal(text) : this.instants !== null ? this.instants[r] : text;
    }

    get scale() {
        if (this.most === undefined)
            this.most = this.field.type === "number" ? scaleOf(this.texts) : 0;
        return this.most;
    }
}

const SIGNS = {
    "=": (order) => order === 0,
    "<>": (order) => order !== 0,
    "<": (order) => order < 0,
    "<=": (order) => order <= 0,
    ">": (order) => order > 0,
    ">=": (order) => order >= 0,
};

/* A function of a record: whether CONDITION is true; a comparison with nothing is not. */
function conditionTest(column, condition) {
    const texts = column.texts;
    const there = (test) => (r) => texts[r] !== null && test(r);
    switch (condition.op) {
    case "null":
        return (r) => texts[r] === null;
    case "notnull":
        return (r) => texts[r] !== null;
    case "like": {
        const casei = condition.casei !== false;
        const test = likeTest(casei ? foldCase(condition.value) : condition.value);
        return there(casei ? (r) => test(foldCase(texts[r])) : (r) => test(texts[r]));
    }
    case "between": {
        const [low, high] = condition.values.map((value) => column.against(value));
        return there((r) => low(r) >= 0 && high(r) <= 0);
    }
    case "in": {
        const all = condition.values.map((value) => column.against(value));
        return there((r) => all.some((against) => against(r) === 0));
    }
    default: {
        const against = column.against(condition.value);
        const sign = SIGNS[condition.op];
        return there((r) => sign(against(r)));
    }
    }
}

/* ROWS with the columns that are the beginning of another. */
function withDerived(config, rows) {
    const derived = config.fields.filter((field) => field.derived !== undefined)
        .map(({ derived: { field, prefix } }) => ({ at: config.fields.findIndex((one) => one.name === field), prefix }));
    if (derived.length === 0)
        return rows;
    return rows.map((row) => [...row, ...derived.map(({ at, prefix }) => (row[at] === null ? null : Array.from(row[at]).slice(0, prefix).join("")))]);
}

export class FileTable {
    /* LABELS: by field name, {code: {id, en?}}. */
    constructor(config, { rows, shapes }, labels) {
        this.config = config;
        this.rows = withDerived(config, rows);
        this.shapes = shapes;
        this.labels = labels;
        this.columns = config.fields.map((field, i) => new Column(field, this.rows, i));
        this.answered = { key: null, records: null };
    }

    get total() {
        return this.rows.length;
    }

    async load() {} /* all of it is here */

    column(name) {
        return this.columns[this.config.fields.findIndex((field) => field.name === name)];
    }

    geometry(r) {
        return this.shapes === null || this.shapes[r] === null ? null : JSON.parse(this.shapes[r]);
    }

    /* ---- words ---- */

    /* The columns with words: those of the engine's odp_words. */
    hasWords(column) {
        if (column.field.text !== undefined)
            return column.field.text;
        if (this.labels[column.field.name] !== undefined && column.texts.some((text) => text !== null))
            return true;
        return isText(column.field) && column.texts.some((text) => text !== null && !isCode(text));
    }

    words(r) {
        if (this.tokens === undefined) {
            this.searched = this.columns.filter((column) => this.hasWords(column));
            this.tokens = [];
            this.meant = new Map(); /* of codes with labels, which are few */
        }
        if (this.tokens[r] === undefined)
            this.tokens[r] = this.searched.map((column) => this.tokensOf(column, column.texts[r]));
        return this.tokens[r];
    }

    tokensOf(column, text) {
        const labels = this.labels[column.field.name];
        if (text === null)
            return [];
        if (labels === undefined || !Object.prototype.hasOwnProperty.call(labels, text))
            return tokensOf(text);
        const key = `${column.field.name}\n${text}`;
        if (!this.meant.has(key))
            this.meant.set(key, tokensOf([...new Set([text, labels[text].id, labels[text].en])].filter(Boolean).join("\n"))); /* both languages, each once */
        return this.meant.get(key);
    }

    /* ---- what matches ---- */

    /* Functions of a record, by the field they are about; "" for those about none. */
    tests(question) {
        const tests = new Map();
        const add = (name, test) => tests.set(name, [...(tests.get(name) || []), test]);
        for (const condition of question.where)
            add(condition.field, conditionTest(this.column(condition.field), condition));
        if (question.q !== "") {
            const test = wordTest(question.q);
            add("", (r) => test(this.words(r)));
        }
        if (question.bbox !== null && this.shapes !== null) /* a record without geometry matches any box (OGC 17-069r4, 7.15.3) */
            add("", (r) => this.shapes[r] === null || meetsBox(this.geometry(r), question.bbox));
        return tests;
    }

    /* The numbers of the matching records, from 0, in the order asked for. Kept for the question asked last. */
    matching(asked) {
        const question = wholeQuestion(asked);
        const key = JSON.stringify([question.q, question.where, question.bbox, question.sortby]);
        if (this.answered.key === key)
            return this.answered.records;
        const tests = Array.from(this.tests(question).values()).flat();
        const records = [];
        for (let r = 0; r < this.rows.length; r++)
            if (tests.every((test) => test(r)))
                records.push(r);
        this.sort(records, question.sortby);
        this.answered = { key, records };
        return records;
    }

    /* What is empty is last either way; equal ones stay in the file's order. */
    sort(records, sortby) {
        const keys = sortby.map(({ field, desc }) => ({ column: this.column(field), sign: desc ? -1 : 1 }));
        if (keys.length === 0)
            return;
        records.sort((a, b) => {
            for (const { column, sign } of keys) {
                const empty = (column.texts[a] === null) - (column.texts[b] === null);
                if (empty !== 0)
                    return empty;
                const order = column.texts[a] === null ? 0 : sign * column.compare(a, b);
                if (order !== 0)
                    return order;
            }
            return a - b;
        });
    }

    count(question) {
        return this.matching(question).length;
    }

    page(question, from, n) {
        const records = this.matching(question).slice(from, from + n);
        return { rows: records.map((r) => this.rows[r]), fids: records.map((r) => r + 1), matched: this.matching(question).length };
    }

    record(fid) {
        return this.rows[fid - 1] === undefined ? null : { values: this.rows[fid - 1], geometry: this.geometry(fid - 1) };
    }

    /* ---- facets ---- */

    /* One walk for all fields: a record that fails nothing but the conditions on one field counts for that field. */
    facets(asked, fields, max) {
        const tests = Array.from(this.tests(wholeQuestion(asked)));
        const counts = new Map(fields.map((name) => [name, { column: this.column(name), seen: new Map() }]));
        for (let r = 0; r < this.rows.length; r++) {
            const failed = tests.filter(([, all]) => !all.every((test) => test(r)));
            if (failed.length > 1)
                continue;
            counts.forEach(({ column, seen }, name) => {
                if (failed.length === 0 || failed[0][0] === name)
                    countValue(seen, column, r);
            });
        }
        const answer = { facets: {}, more: {} };
        counts.forEach(({ column, seen }, name) => {
            const values = Array.from(seen.values()).sort((a, b) => b.count - a.count || compareFirst(column, a.r, b.r));
            answer.facets[name] = values.slice(0, max).map(({ r, count }) => ({ value: column.texts[r], count }));
            answer.more[name] = values.length > max;
        });
        return answer;
    }

    /* {field: {min, max}} of the matching records. */
    extent(question, fields) {
        const records = this.matching(question);
        return Object.fromEntries(fields.map((name) => {
            const column = this.column(name);
            const [min, max] = [extreme(column, records, -1), extreme(column, records, 1)];
            return [name, { min: min < 0 ? null : column.texts[min], max: max < 0 ? null : column.texts[max] }];
        }));
    }

    /* ---- groups ---- */

    /* {columns, rows}: each group's own values, then its aggregates; null groups last. */
    groups(asked) {
        const question = wholeQuestion(asked);
        const by = question.groupby.map((name) => this.column(name));
        const aggregates = question.aggregate.length > 0 ? question.aggregate : [{ fn: "count" }];
        const groups = new Map();
        if (by.length === 0)
            groups.set("", []);
        for (const r of this.matching({ ...question, sortby: [] })) {
            const key = JSON.stringify(by.map((column) => column.key(r)));
            if (by.length === 0)
                groups.get("").push(r);
            else if (groups.has(key))
                groups.get(key).push(r);
            else
                groups.set(key, [r]);
            if (groups.size > GROUPS_MAX)
                throw new TooMany(String(GROUPS_MAX));
        }
        const ordered = Array.from(groups.values());
        ordered.sort((a, b) => by.reduce((order, column) => order || compareFirst(column, a[0], b[0]), 0));
        return {
            columns: groupColumns(question),
            rows: ordered.map((records) => [...by.map((column) => column.texts[records[0]]), ...aggregates.map((one) => this.aggregate(one, records))]),
        };
    }

    aggregate({ fn, field }, records) {
        if (fn === "count")
            return String(records.length);
        const column = this.column(field);
        if (fn === "min" || fn === "max") {
            const r = extreme(column, records, fn === "min" ? -1 : 1);
            return r < 0 ? null : column.texts[r];
        }
        const sum = new DecimalSum();
        for (const r of records)
            if (column.texts[r] !== null)
                sum.add(column.texts[r]);
        return fn === "sum" ? sum.text() : sum.average(column.scale);
    }

    /* ---- the map ---- */

    /* {features, more, extent}: of the matching records that have a geometry, the first MAX; the extent is of all. */
    points(question, max) {
        const features = [];
        let [extent, found] = [null, 0];
        for (const r of this.shapes === null ? [] : this.matching(question)) {
            if (this.shapes[r] === null)
                continue;
            const geometry = this.geometry(r);
            extent = extend(extent, geometry);
            if (found++ < max)
                features.push({ type: "Feature", id: r + 1, geometry, properties: this.properties(r) });
        }
        return { features, more: found > max, extent };
    }

    properties(r) {
        return Object.fromEntries(this.config.fields.map((field, i) => [field.name, this.rows[r][i]]));
    }

    /* VISIT(values, {fid, shape: GeoJSON as text or null, csv: its columns in CSV}) for each matching record in the order asked for. */
    async each(question, visit) {
        for (const r of this.matching(question))
            visit(this.rows[r], { fid: r + 1, shape: this.shapes === null ? null : this.shapes[r], csv: this.csvShapes === undefined ? null : this.csvShapes.rows[r] });
    }

    /* The names of the geometry's columns in CSV. */
    get csvNames() {
        return this.csvShapes === undefined ? [] : this.csvShapes.names;
    }
}

function countValue(seen, column, r) {
    const key = column.key(r);
    const value = seen.get(key);
    if (value === undefined)
        seen.set(key, { r, count: 1 });
    else
        value.count++;
}

function compareFirst(column, a, b) {
    const empty = (column.texts[a] === null) - (column.texts[b] === null);
    return empty !== 0 ? empty : column.texts[a] === null ? 0 : column.compare(a, b);
}

/* The first of RECORDS with the least (SIGN -1) or the greatest value (1); -1: none has one. */
function extreme(column, records, sign) {
    let best = -1;
    for (const r of records)
        if (column.texts[r] !== null && (best < 0 || sign * column.compare(r, best) > 0))
            best = r;
    return best;
}

/* The names that the API gives to a group's members. */
export function groupColumns(question) {
    const aggregates = question.aggregate.length > 0 ? question.aggregate : [{ fn: "count" }];
    return [...question.groupby, ...aggregates.map((one) => (one.field === undefined ? one.fn : `${one.fn}_${one.field}`))];
}
