/* Conditions as CQL2 text (OGC 21-065r2), the part of it that question.js has: comparisons of a column with values, joined by AND. STARTS_WITH and its
 * kin are read as what they are to the API, too: LIKE. */
import { escaped } from "./patterns.js";
import { canonical, isBoolean, isComplex, isNumber, isText } from "./values.js";

const KEYWORDS = ["and", "or", "not", "in", "like", "between", "is", "null", "true", "false", "casei", "accenti", "date", "timestamp", "interval", "bbox"];
const PARTS = { STARTS_WITH: ["", "%"], ENDS_WITH: ["%", ""], CONTAINS: ["%", "%"] };
const COMPARED = ["=", "<>", "<=", ">=", "<", ">"];

/* ---- writing ---- */

function nameOf(name) {
    const plain = /^[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*$/.test(name) && !KEYWORDS.includes(name.toLowerCase()) && !/^s_/i.test(name);
    return plain ? name : `"${name.replace(/"/g, '""')}"`;
}

/* Any text: quotes and backslashes doubled. */
const textOf = (text) => `'${text.replace(/['\\]/g, "$&$&")}'`;

function literalOf(field, value) {
    return isNumber(field) ? value : isBoolean(field) ? value.toUpperCase() : textOf(value);
}

function conditionOf(condition, field) {
    const name = nameOf(condition.field);
    const literal = (value) => literalOf(field, value);
    switch (condition.op) {
    case "between":
        return `${name} BETWEEN ${literal(condition.values[0])} AND ${literal(condition.values[1])}`;
    case "in":
        return `${name} IN (${condition.values.map(literal).join(", ")})`;
    case "like":
        return condition.casei !== false ? `CASEI(${name}) LIKE CASEI(${textOf(condition.value)})` : `${name} LIKE ${textOf(condition.value)}`;
    case "null":
        return `${name} IS NULL`;
    case "notnull":
        return `${name} IS NOT NULL`;
    default:
        return `${name} ${condition.op} ${literal(condition.value)}`;
    }
}

/* "" for no conditions. */
export function writeFilter(where, config) {
    const fields = new Map(config.fields.map((field) => [field.name, field]));
    return where.map((condition) => conditionOf(condition, fields.get(condition.field))).join(" AND ");
}

/* ---- reading ---- */

class Fault extends Error {
    constructor(why) {
        super(why);
        this.why = why;
    }
}

const ESCAPES = { a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r", "'": "'", "\\": "\\" };
const TOKEN = /\s*(?:('(?:[^'\\]|\\[\s\S]|'')*')|("(?:[^"]|"")*")|(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_:\u0080-\uffff][\w:.\u0080-\uffff]*)|(<=|>=|<>|[<>=(),+*/-]))/y;

function unquoted(text) {
    const inner = text.slice(1, -1);
    if (text[0] === '"')
        return inner.replace(/""/g, '"');
    return inner.replace(/''|\\([\s\S])/g, (whole, after) => (after === undefined ? "'" : after in ESCAPES ? ESCAPES[after] : whole));
}

/* [{kind: "text" | "name" | "number" | "word" | "sign", text, from, to}]; a word is a name in capitals if it is a keyword's. */
function tokensOf(text) {
    const tokens = [];
    const end = text.replace(/\s+$/, "").length;
    for (TOKEN.lastIndex = 0; TOKEN.lastIndex < end;) {
        const from = TOKEN.lastIndex;
        const found = TOKEN.exec(text);
        if (found === null)
            throw new Fault("syntax");
        const to = TOKEN.lastIndex;
        const at = { from: to - found[0].trimStart().length, to };
        if (found[1] !== undefined)
            tokens.push({ kind: "text", text: unquoted(found[1]), ...at });
        else if (found[2] !== undefined)
            tokens.push({ kind: "name", text: unquoted(found[2]), ...at });
        else if (found[3] !== undefined)
            tokens.push({ kind: "number", text: found[3], ...at });
        else if (found[4] !== undefined)
            tokens.push({ kind: KEYWORDS.includes(found[4].toLowerCase()) ? "word" : "name", text: found[4], ...at });
        else
            tokens.push({ kind: "sign", text: found[5], ...at });
        if (to === from)
            throw new Fault("syntax");
    }
    return tokens;
}

const isWord = (token, word) => token !== undefined && token.kind === "word" && token.text.toUpperCase() === word;
const isSign = (token, sign) => token !== undefined && token.kind === "sign" && token.text === sign;

/* TOKENS at AND, outside of parentheses; an OR there is more than this part of CQL2. */
function conjuncts(tokens) {
    const parts = [[]];
    let depth = 0, between = 0;
    for (const token of tokens) {
        depth += isSign(token, "(") - isSign(token, ")");
        if (depth === 0 && isWord(token, "OR"))
            throw new Fault("or");
        if (depth === 0 && isWord(token, "BETWEEN"))
            between++;
        if (depth === 0 && isWord(token, "AND") && between-- <= 0) {
            between = 0;
            parts.push([]);
        } else {
            parts[parts.length - 1].push(token);
        }
    }
    if (depth !== 0 || parts.some((part) => part.length === 0))
        throw new Fault("syntax");
    return parts;
}

/* Whether the first of TOKENS opens what the last one closes. */
function isWrapped(tokens) {
    let depth = 0;
    return isSign(tokens[0], "(") && tokens.every((token, i) => {
        depth += isSign(token, "(") - isSign(token, ")");
        return depth > 0 || i === tokens.length - 1;
    });
}

class Condition {
    constructor(tokens, config) {
        this.tokens = tokens;
        this.config = config;
        this.at = 0;
    }

    get next() {
        return this.tokens[this.at];
    }

    take(test, what) {
        if (!test(this.next, what))
            return false;
        this.at++;
        return true;
    }

    must(test, what) {
        if (!this.take(test, what))
            throw new Fault("syntax");
    }

    field() {
        const token = this.next;
        if (token === undefined || token.kind !== "name")
            throw new Fault(token === undefined ? "syntax" : "operation");
        if (isSign(this.tokens[this.at + 1], "("))
            throw new Fault("operation"); /* S_INTERSECTS(…) */
        const field = this.config.fields.find((one) => one.name === token.text);
        if (field === undefined)
            throw new Fault("column");
        this.at++;
        return field;
    }

    /* The canonical text of a literal that FIELD is compared with. */
    value(field) {
        const moment = this.take(isWord, "DATE") || this.take(isWord, "TIMESTAMP");
        if (moment)
            this.must(isSign, "(");
        const minus = !moment && this.take(isSign, "-");
        const token = this.next;
        this.at++;
        if (token === undefined)
            throw new Fault("syntax");
        const truth = isWord(token, "TRUE") || isWord(token, "FALSE");
        const fits = isNumber(field) ? token.kind === "number" : isBoolean(field) ? truth : token.kind === "text";
        if (!fits || (minus && token.kind !== "number"))
            throw new Fault(token.kind === "name" || token.kind === "sign" ? "operation" : "value");
        const value = canonical(field, (minus ? "-" : "") + (truth ? token.text.toLowerCase() : token.text));
        if (value === null)
            throw new Fault("value");
        if (moment)
            this.must(isSign, ")");
        return value;
    }

    like(field, casei) {
        if (!isText(field))
            throw new Fault("kind");
        if (casei) {
            this.must(isWord, "CASEI");
            this.must(isSign, "(");
        }
        const pattern = this.next;
        this.at++;
        if (pattern === undefined || pattern.kind !== "text")
            throw new Fault("syntax");
        if (casei)
            this.must(isSign, ")");
        return { field: field.name, op: "like", value: pattern.text, ...(casei ? {} : { casei: false }) };
    }

    casei() {
        this.must(isSign, "(");
        const field = this.field();
        this.must(isSign, ")");
        if (!this.take(isWord, "LIKE"))
            throw new Fault("operation");
        return this.like(field, true);
    }

    /* CONTAINS(field, 'x'), CONTAINS(CASEI(field), CASEI('x')). */
    part([before, after]) {
        this.must(isSign, "(");
        const casei = this.take(isWord, "CASEI");
        if (casei)
            this.must(isSign, "(");
        const field = this.field();
        if (casei)
            this.must(isSign, ")");
        this.must(isSign, ",");
        const found = this.like(field, casei);
        this.must(isSign, ")");
        return { ...found, value: before + escaped(found.value) + after };
    }

    condition() {
        const name = this.next.text.toUpperCase();
        if (this.next.kind !== "name" || !Object.hasOwn(PARTS, name) || !isSign(this.tokens[this.at + 1], "("))
            return this.take(isWord, "CASEI") ? this.casei() : this.after(this.field());
        this.at++;
        return this.part(PARTS[name]);
    }

    compared(field) {
        const sign = this.next;
        if (sign === undefined || sign.kind !== "sign" || !COMPARED.includes(sign.text))
            throw new Fault(sign === undefined ? "syntax" : "operation");
        if (field.type === "duration" && sign.text !== "=" && sign.text !== "<>")
            throw new Fault("kind");
        this.at++;
        return { field: field.name, op: sign.text, value: this.value(field) };
    }

    after(field) {
        if (this.take(isWord, "IS")) {
            const not = this.take(isWord, "NOT");
            this.must(isWord, "NULL");
            return { field: field.name, op: not ? "notnull" : "null" };
        }
        if (isComplex(field))
            throw new Fault("kind");
        if (this.take(isWord, "LIKE"))
            return this.like(field, false);
        if (this.take(isWord, "IN")) {
            const values = [];
            this.must(isSign, "(");
            do
                values.push(this.value(field));
            while (this.take(isSign, ","));
            this.must(isSign, ")");
            return { field: field.name, op: "in", values };
        }
        if (this.take(isWord, "BETWEEN")) {
            if (field.type === "duration")
                throw new Fault("kind");
            const low = this.value(field);
            this.must(isWord, "AND");
            return { field: field.name, op: "between", values: [low, this.value(field)] };
        }
        return this.compared(field);
    }

    read() {
        const condition = this.condition();
        if (this.next !== undefined)
            throw new Fault(this.next.kind === "sign" ? "operation" : "syntax");
        return condition;
    }
}

function readPart(text, tokens, config, found) {
    if (isWrapped(tokens)) {
        readParts(text, tokens.slice(1, -1), config, found);
        return;
    }
    try {
        found.where.push(new Condition(tokens, config).read());
    } catch (fault) {
        if (!(fault instanceof Fault))
            throw fault;
        found.left.push({ text: text.slice(tokens[0].from, tokens[tokens.length - 1].to), why: fault.why });
    }
}

function readParts(text, tokens, config, found) {
    try {
        for (const part of conjuncts(tokens))
            readPart(text, part, config, found);
    } catch (fault) {
        if (!(fault instanceof Fault))
            throw fault;
        found.left.push({ text: tokens.length === 0 ? text : text.slice(tokens[0].from, tokens[tokens.length - 1].to), why: fault.why });
    }
}

/* {where, left: [{text, why}]}: the conditions of TEXT, and the parts of it that are none. */
export function readFilter(text, config) {
    const found = { where: [], left: [] };
    try {
        readParts(text, tokensOf(text), config, found);
    } catch (fault) {
        if (!(fault instanceof Fault))
            throw fault;
        found.left.push({ text, why: fault.why });
    }
    return found;
}
