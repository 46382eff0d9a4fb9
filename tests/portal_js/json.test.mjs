import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { JsonFault, childrenOf, memberOf, placeOf, readJson, textOf } = await lib("json");

/* The value of NODE as JSON.parse would make it, through childrenOf alone. */
function rebuild(text, node) {
    if (node.kind === "array") return childrenOf(text, node).map((child) => rebuild(text, child));
    if (node.kind === "object") {
        const made = {};
        childrenOf(text, node).forEach((child) =>
            Object.defineProperty(made, child.name, { value: rebuild(text, child), enumerable: true, writable: true, configurable: true }),
        );
        return made;
    }
    return node.kind === "string" ? textOf(text, node) : JSON.parse(textOf(text, node));
}

const good = [
    "0",
    "-0",
    "1.50",
    "1e5",
    "1E-7",
    '""',
    '"a"',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"',
    "true",
    "false",
    "null",
    "[]",
    "{}",
    " [ ] ",
    "\t{\n}\r\n",
    "[1,2,3]",
    "[[[]],{}]",
    '{"a":1}',
    '{ "a" : [ 1 , { "b" : "}]," } ] , "c" : null }',
    '{"":""}',
    '{"a":"\\\\"}',
    '["\\\\\\"",1]',
    '[1,"é😀",-2.5e+10]',
    '{"a":{"a":{"a":[[],[]]}}}',
    '[{"x":"[1,2"},{"y":"{"}]',
    '{"__proto__":1,"constructor":2}',
];
const bad = [
    "",
    " ",
    "[",
    "{",
    '"',
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "{,}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "{a:1}",
    "{'a':1}",
    '{"a" 1}',
    "[1 2]",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "-",
    "NaN",
    "tru",
    "truee",
    "nul",
    '"\\x"',
    '"\\u12g4"',
    '"\\u123',
    '"a\nb"',
    '"a\tb"',
    "[1]]",
    "{}{}",
    "1 2",
    '"a" "b"',
    "undefined",
    "//",
    "[1]x",
    "1x",
    '{"a":1 "b":2}',
    "--1",
    "1.2.3",
    "Infinity",
    '{"a":1}}',
    "\u00a0[]",
];

test("what JSON.parse takes is taken, and means the same", () => {
    for (const text of good) assert.deepEqual(rebuild(text, readJson(text)), JSON.parse(text), text);
});

test("what JSON.parse refuses is refused, with a place in the text", () => {
    for (const text of bad) {
        assert.throws(() => JSON.parse(text), SyntaxError, text);
        assert.throws(
            () => readJson(text),
            (fault) => fault instanceof JsonFault && fault.at >= 0 && fault.at <= text.length,
            text,
        );
    }
});

test("mutations of a document: the same verdict as JSON.parse, and the same value", () => {
    const whole = '{"data":[{"a":"x\\"y","b":-1.5e3,"c":[true,null,{"d":"\\u00e9"}]},{}],"status":"success"}';
    const marks = '{}[]",:\\0-.eu x\n';
    let seed = 7,
        agreed = 0;
    const random = (n) => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return Math.floor(seed / 65536) % n;
    };
    for (let i = 0; i < 20000; i++) {
        const at = random(whole.length),
            text = whole.slice(0, at) + (random(2) ? marks[random(marks.length)] : "") + whole.slice(at + random(3));
        let want, got;
        try {
            want = JSON.stringify(JSON.parse(text));
        } catch (error) {
            want = null;
        }
        try {
            got = JSON.stringify(rebuild(text, readJson(text)));
        } catch (error) {
            assert.ok(error instanceof JsonFault, `${text}: ${error.stack}`);
            got = null;
        }
        assert.equal(got, want, text);
        agreed += want === null ? 0 : 1;
    }
    assert.ok(agreed > 500, `only ${agreed} of the texts were JSON`);
});

test("faults say what and where", () => {
    const what = (text) => {
        try {
            readJson(text);
        } catch (fault) {
            const { line, column } = placeOf(text, fault.at);
            return `${fault.what} ${line}:${column}`;
        }
        return "none";
    };
    assert.equal(what('{\n  "a": 1,\n  b: 2\n}'), "name 3:3");
    assert.equal(what('{\r\n"a" 1}'), "colon 2:5");
    assert.equal(what('{"😀é": [1 2]}'), "comma 1:11");
    assert.equal(what('["a"'), "end 1:5");
    assert.equal(what('["a'), "string 1:2");
    assert.equal(what('{"a": 007}'), "number 1:7");
    assert.equal(what('{"a": x}'), "value 1:7");
    assert.equal(what("{} {}"), "more 1:4");
    assert.equal(what("[".repeat(100000)), "deep 1:302");
});

test("numbers keep the digits they were sent with", () => {
    const text = '{"rupiah":12345678901234567890,"luas":18.30}';
    assert.equal(textOf(text, memberOf(text, readJson(text), "rupiah")), "12345678901234567890");
    assert.equal(textOf(text, memberOf(text, readJson(text), "luas")), "18.30");
    assert.equal(memberOf(text, readJson(text), "tidak"), undefined);
});

test("a byte order mark is no part of it", () => {
    assert.equal(readJson("\ufeff[1]").kind, "array");
});

test("a thousand records of a megabyte are quick", () => {
    const record = {
        id: "31.72-0001",
        nama: 'Kawasan "Kali" \\ 5',
        luas: 9.95,
        geometry: { type: "Polygon", coordinates: [Array.from({ length: 60 }, (_, i) => [106.8 + i / 1000, -6.2])] },
    };
    const text = JSON.stringify({ data: Array.from({ length: 1000 }, () => record), status: "success" });
    const started = performance.now();
    const root = readJson(text);
    const data = childrenOf(text, memberOf(text, root, "data"));
    assert.ok(performance.now() - started < 1000); /* it is some 10 ms */
    assert.equal(data.length, 1000);
    assert.ok(text.length > 900000);
});
