/* The explorer's words: what its scripts say and what stands in words/explorer.json (explorer_js_…) are the same. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readSource, source } from "./lib.mjs";

const words = JSON.parse(readSource("templates/portal/words/explorer.json"));
const said = Object.keys(words)
    .filter((key) => key.startsWith("explorer_js_"))
    .map((key) => key.slice("explorer_js_".length));

test("every word is said somewhere, and what is said is a word", () => {
    const folder = "templates/portal/assets/js";
    const files = ["explorer.js", ...["answer", "form", "views", "openapi", "json", "request", "response"].map((name) => join("lib", `${name}.js`))];
    assert.ok(readdirSync(join(source, folder)).includes("explorer.js"));
    const code = files.map((file) => readSource(join(folder, file))).join("\n");
    const strings = new Set(Array.from(code.matchAll(/["`]([a-z0-9_-]+)["`]/g), (match) => match[1]));
    const made = [/^type_/, /^op_/, /^json_/, /^s\d/]; /* put together of a beginning and a name */
    const unused = said.filter((word) => !strings.has(word) && !made.some((one) => one.test(word)));
    assert.deepEqual(unused, []);
    const calls = Array.from(code.matchAll(/\b(?:say|fact)\("([a-z0-9_-]+)"/g), (match) => match[1]);
    assert.ok(calls.length > 50);
    assert.deepEqual(
        calls.filter((word) => !said.includes(word)),
        [],
    );
    for (const [, what] of code.matchAll(/JsonFault\([^,]+, (?:[^")]*\? )?"([a-z]+)"(?: : "[a-z]+")?\)/g))
        assert.ok(said.includes(`json_${what}`), what);
    for (const [, word] of code.matchAll(/\["(bad_[a-z-]+)"/g)) assert.ok(said.includes(word), word);
});

test("both languages, with the same places for values", () => {
    for (const [key, text] of Object.entries(words)) {
        assert.ok(text.id && text.en, key);
        assert.deepEqual((text.id.match(/\{\d\}/g) || []).sort(), (text.en.match(/\{\d\}/g) || []).sort(), key);
    }
});

test("the page of all records says its words, and no others", () => {
    const own = Object.keys(JSON.parse(readSource("templates/portal/words/explore.json"))).filter((key) => key.startsWith("ex_"));
    const folder = "templates/portal/assets/js/lib/explore";
    const code = ["templates/portal/assets/js/explore.js", ...readdirSync(join(source, folder)).map((name) => join(folder, name))].map(readSource).join("\n");
    const strings = new Set(Array.from(code.matchAll(/["`](ex_[a-z_]+)["`]/g), (match) => match[1]));
    assert.deepEqual(own.filter((word) => !strings.has(word) && !/^ex_(fn|left|facts)_/.test(word)), []);
    assert.deepEqual(Array.from(strings).filter((word) => !own.includes(word)), []);
    for (const [, why] of code.matchAll(/(?:Fault\(|, )"(box|column|function|kind|operation|or|parameter|syntax|value)"\)/g)) assert.ok(own.includes(`ex_left_${why}`), why);
});
