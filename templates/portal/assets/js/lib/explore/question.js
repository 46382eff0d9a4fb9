/* A question about the records of a table, as the page of all records, its worker, its address and the API know it:
 *
 *   {q, where: [{field, op, value | values, casei?}], bbox: [w, s, e, n] | null, sortby: [{field, desc}], properties: [names],
 *    groupby: [names], aggregate: [{fn: "sum" | "avg" | "min" | "max" | "count", field?}]}
 *
 * op: "=" "<>" "<" "<=" ">" ">=" with a value; "between" and "in" with values; "like" with a pattern (% and _, escaped by a backslash; case does
 * not matter but for casei: false); "null", "notnull". All conditions hold at once. Values are canonical text as published.
 *
 * The address says the same in the API's own words, a filter in CQL2. What of an address cannot be read is told: {what: the parameter, text, why};
 * why is a word of the page's, ex_left_<why>. CONFIG is the page's: {fields: [{name, type}], geometry?}. */
import { readFilter, writeFilter } from "./cql.js";
import { escaped } from "./patterns.js";
import { isComplex, isNumber, canonical } from "./values.js";

const FUNCTIONS = ["count", "sum", "avg", "min", "max"];
export const MOST = { groupby: 5, aggregate: 20 };

export const emptyQuestion = () => ({ q: "", where: [], bbox: null, sortby: [], properties: [], groupby: [], aggregate: [] });

/* The same with what is missing. */
export const wholeQuestion = (question) => ({ ...emptyQuestion(), ...question });

/* Whether any condition leaves records out. */
export const hasConditions = (question) => question.q !== "" || question.where.length > 0 || question.bbox !== null;

export const fieldOf = (config, name) => config.fields.find((field) => field.name === name);

/* The pattern of LIKE for texts with TEXT in them. */
export const containing = (text) => `%${escaped(text)}%`;

/* The text that a pattern made by containing() looks for, or null. */
export function contained(pattern) {
    const inner = /^%((?:[^\\%_]|\\[\s\S])+)%$/.exec(pattern);
    return inner === null ? null : inner[1].replace(/\\([\s\S])/g, "$1");
}

/* ---- reading ---- */

const listOf = (value) => value.split(",").map((item) => item.trim());

class Reader {
    constructor(config) {
        this.config = config;
        this.question = emptyQuestion();
        this.left = [];
    }

    leave(what, text, why) {
        this.left.push({ what, text, why });
    }

    field(what, name) {
        const field = fieldOf(this.config, name);
        if (field === undefined)
            this.leave(what, name, "column");
        return field;
    }

    /* Names in VALUE that are columns, each once. */
    names(what, value, fits) {
        const found = [];
        for (const name of listOf(value)) {
            const field = what === "properties" && name === "geometry" && this.config.geometry ? { name } : this.field(what, name);
            if (field !== undefined && !fits(field))
                this.leave(what, name, "kind");
            else if (field !== undefined && !found.includes(name))
                found.push(name);
        }
        return found;
    }

    sortby(value) {
        for (const item of listOf(value)) {
            const name = item.replace(/^[-+]\s*/, "");
            const field = this.field("sortby", name);
            if (field !== undefined && (isComplex(field) || field.type === "duration"))
                this.leave("sortby", item, "kind");
            else if (field !== undefined && !this.question.sortby.some((key) => key.field === name))
                this.question.sortby.push({ field: name, desc: item.startsWith("-") });
        }
    }

    bbox(value) {
        const numbers = listOf(value);
        const corners = numbers.length === 6 ? [0, 1, 3, 4].map((i) => numbers[i]) : numbers;
        const box = corners.map((text) => (/^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN));
        const fits = box.length === 4 && box.every(Number.isFinite) && box[1] <= box[3] && Math.abs(box[1]) <= 90 && Math.abs(box[3]) <= 90 &&
            Math.abs(box[0]) <= 180 && Math.abs(box[2]) <= 180;
        if (!fits)
            this.leave("bbox", value, "box");
        else if (this.config.geometry)
            this.question.bbox = box;
    }

    aggregate(value) {
        for (const item of listOf(value)) {
            const parts = /^(\w+)\s*\(\s*(.*?)\s*\)$/.exec(item);
            if (parts === null || !FUNCTIONS.includes(parts[1]) || (parts[1] === "count") !== (parts[2] === "")) {
                this.leave("aggregate", item, "function");
                continue;
            }
            const one = parts[1] === "count" ? { fn: "count" } : { fn: parts[1], field: parts[2] };
            const field = one.field === undefined ? undefined : this.field("aggregate", one.field);
            if (one.field !== undefined && field === undefined)
                continue;
            if (field !== undefined && (["sum", "avg"].includes(one.fn) ? !isNumber(field) : isComplex(field)))
                this.leave("aggregate", item, "kind");
            else if (!this.question.aggregate.some((other) => other.fn === one.fn && other.field === one.field))
                this.question.aggregate.push(one);
        }
    }

    /* A column's name as a parameter: equal to the value, or one of them. */
    equal(field, value) {
        const values = field.type === "string" || field.type === "any" ? [value] : listOf(value);
        const read = values.map((text) => canonical(field, text));
        if (isComplex(field))
            this.leave(field.name, value, "kind");
        else if (read.includes(null))
            this.leave(field.name, value, "value");
        else
            this.question.where.push(read.length === 1 ? { field: field.name, op: "=", value: read[0] } : { field: field.name, op: "in", values: read });
    }

    filter(value) {
        const { where, left } = readFilter(value, this.config);
        this.question.where.push(...where);
        left.forEach(({ text, why }) => this.leave("filter", text, why));
    }

    parameter(name, value) {
        const question = this.question;
        switch (name) {
        case "q":
            question.q = value.trim();
            break;
        case "filter":
            this.filter(value);
            break;
        case "bbox":
            this.bbox(value);
            break;
        case "sortby":
            this.sortby(value);
            break;
        case "properties":
            question.properties = this.names(name, value, () => true);
            break;
        case "groupby":
            question.groupby = this.names(name, value, (field) => !isComplex(field)).slice(0, MOST.groupby);
            break;
        case "aggregate":
            this.aggregate(value);
            break;
        case "filter-lang":
            if (value !== "cql2-text")
                this.leave(name, value, "parameter");
            break;
        default: {
            const field = fieldOf(this.config, name);
            if (field === undefined)
                this.leave(name, value, "parameter");
            else
                this.equal(field, value);
        }
        }
    }
}

/* What is the page's own in an address, not the question's. */
const OWN = ["table", "view", "lang"];

/* {question, left} of PARAMETERS, [[name, value], …] or URLSearchParams. */
export function readQuestion(parameters, config) {
    const reader = new Reader(config);
    for (const [name, value] of parameters)
        if (!OWN.includes(name) && value.trim() !== "")
            reader.parameter(name, value);
    return { question: reader.question, left: reader.left };
}

/* ---- writing ---- */

/* The parameters that ask QUESTION, [[name, value], …] in the API's order; records where it groups nothing. */
export function writeQuestion(question, config) {
    const whole = wholeQuestion(question);
    const groups = whole.groupby.length > 0 || whole.aggregate.length > 0;
    const pairs = [
        ["filter", writeFilter(whole.where, config)],
        ["q", whole.q],
        ["bbox", whole.bbox === null ? "" : whole.bbox.join(",")],
        ["properties", whole.properties.join(",")],
        ["sortby", groups ? "" : whole.sortby.map((key) => (key.desc ? "-" : "") + key.field).join(",")],
        ["groupby", whole.groupby.join(",")],
        ["aggregate", whole.aggregate.map((one) => `${one.fn}(${one.field || ""})`).join(",")],
    ];
    return pairs.filter(([name, value]) => value !== "" && !(groups && name === "properties"));
}

/* The columns that a question about records shows, in the table's order; where it names none, those of the published file. */
export function shownFields(question, config) {
    const named = wholeQuestion(question).properties;
    return named.length === 0 ? config.fields.filter((field) => field.derived === undefined) : config.fields.filter((field) => named.includes(field.name));
}
