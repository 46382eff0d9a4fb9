/* JSON text looked at where it stands. A response of a megabyte is checked in one pass and shown node by node, so that nothing is made of what
 * nobody unfolds, and a number is shown with the digits that were sent (JSON.parse makes 18.30 to 18.3 and rounds large ones).
 *
 * A node is {kind, start, end}: kind "object", "array", "string", "number", "true", "false" or "null"; [start, end) its place in the text. */

const DEPTH = 300; /* deeper than any answer, shallower than a browser's stack */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS = ["true", "false", "null"];

/* What is wrong with a text: AT its place, WHAT a word key (json_<what>). */
export class JsonFault extends Error {
    constructor(at, what) {
        super(what);
        this.at = at;
        this.what = what;
    }
}

const isSpace = (c) => c === 32 || c === 10 || c === 13 || c === 9;

function pastSpace(text, i) {
    while (isSpace(text.charCodeAt(i))) i++;
    return i;
}

/* Behind the string that begins at I. */
function pastString(text, i) {
    for (let at = i + 1; ; at++) {
        const c = text.charCodeAt(at);
        if (c === 34) return at + 1;
        if (c === 92) {
            at++;
            if (text[at] === "u") {
                if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) throw new JsonFault(at - 1, "string");
                at += 4;
            } else if (at >= text.length || '"\\/bfnrt'.indexOf(text[at]) < 0) throw new JsonFault(at - 1, "string");
        } else if (c < 32) throw new JsonFault(at, "string");
        else if (c !== c) /* NaN: the end of the text */ throw new JsonFault(i, "string");
    }
}

function pastNumber(text, i) {
    NUMBER.lastIndex = i;
    const match = NUMBER.exec(text);
    if (match === null || /[\w.+-]/.test(text.charAt(NUMBER.lastIndex))) throw new JsonFault(i, "number");
    return NUMBER.lastIndex;
}

function pastMembers(text, i, depth, open) {
    const close = open === "{" ? "}" : "]";
    if (depth > DEPTH) throw new JsonFault(i, "deep");
    i = pastSpace(text, i + 1);
    if (text[i] === close) return i + 1;
    for (;;) {
        if (open === "{") {
            if (text[i] !== '"') throw new JsonFault(i, i >= text.length ? "end" : "name");
            i = pastSpace(text, pastString(text, i));
            if (text[i] !== ":") throw new JsonFault(i, i >= text.length ? "end" : "colon");
            i = pastSpace(text, i + 1);
        }
        i = pastSpace(text, pastValue(text, i, depth + 1));
        if (text[i] === close) return i + 1;
        if (text[i] !== ",") throw new JsonFault(i, i >= text.length ? "end" : "comma");
        i = pastSpace(text, i + 1);
    }
}

function pastValue(text, i, depth) {
    const c = text[i];
    if (c === "{" || c === "[") return pastMembers(text, i, depth, c);
    if (c === '"') return pastString(text, i);
    if (c === "-" || (c >= "0" && c <= "9")) return pastNumber(text, i);
    for (const word of WORDS) if (text.startsWith(word, i) && !/\w/.test(text.charAt(i + word.length))) return i + word.length;
    throw new JsonFault(i, i >= text.length ? "end" : "value");
}

function kindAt(text, i) {
    const kinds = { "{": "object", "[": "array", '"': "string", t: "true", f: "false", n: "null" };
    return kinds[text[i]] || "number";
}

/* The node of the whole text; throws JsonFault. */
export function readJson(text) {
    const start = pastSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
    const end = pastValue(text, start, 0);
    if (pastSpace(text, end) < text.length) throw new JsonFault(pastSpace(text, end), "more");
    return { kind: kindAt(text, start), start, end };
}

/* Behind the value at I of a text that was read: strings and brackets are all that matters. */
function skip(text, i) {
    const c = text.charCodeAt(i);
    if (c !== 123 && c !== 91) {
        if (c === 34) return pastString(text, i);
        while (i < text.length && ",]} \n\r\t".indexOf(text[i]) < 0) i++;
        return i;
    }
    let depth = 0;
    for (; ; i++) {
        const d = text.charCodeAt(i);
        if (d === 34) i = pastString(text, i) - 1;
        else if (d === 123 || d === 91) depth++;
        else if ((d === 125 || d === 93) && --depth === 0) return i + 1;
    }
}

/* The nodes right under NODE of a text that was read, in its order; an object's have a name. */
export function childrenOf(text, node) {
    const list = [];
    if (node.kind !== "object" && node.kind !== "array") return list;
    let i = pastSpace(text, node.start + 1);
    while (i < node.end - 1) {
        const child = { kind: "", start: 0, end: 0 };
        if (node.kind === "object") {
            const end = pastString(text, i);
            child.name = JSON.parse(text.slice(i, end));
            i = pastSpace(text, pastSpace(text, end) + 1);
        }
        child.kind = kindAt(text, i);
        child.start = i;
        child.end = skip(text, i);
        list.push(child);
        i = pastSpace(text, pastSpace(text, child.end) + 1);
    }
    return list;
}

/* The member NAME of an object, or undefined. */
export function memberOf(text, node, name) {
    return node === undefined ? undefined : childrenOf(text, node).find((child) => child.name === name);
}

/* A string's text; of all others what stands there. */
export function textOf(text, node) {
    const slice = text.slice(node.start, node.end);
    return node.kind === "string" ? JSON.parse(slice) : slice;
}

/* {line, column} from 1 of place AT; a character is one, however many units it takes. */
export function placeOf(text, at) {
    const before = text.slice(0, at).split(/\r\n|\r|\n/);
    return { line: before.length, column: Array.from(before[before.length - 1]).length + 1 };
}
