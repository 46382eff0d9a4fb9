/* The map: its words, and how it writes values. (How it is used is for tests/browser.) */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { lib, readSource, source } from "./lib.mjs";

const words = JSON.parse(readSource("templates/portal/words/map.json"));
const folder = "templates/portal/assets/js";

test("what the map says, and the words, are the same", () => {
    const files = ["map.js", ...readdirSync(join(source, folder, "lib")).filter((name) => name.startsWith("leaflet-")).map((name) => join("lib", name))];
    assert.ok(files.length >= 6);
    const code = files.map((file) => readSource(join(folder, file))).join("\n");
    const said = new Set(Array.from(code.matchAll(/"(map_[a-z_]+)"/g), (match) => match[1]));
    assert.deepEqual([...said].sort(), Object.keys(words).sort());
});

test("both languages, with the same places for values", () => {
    for (const [key, text] of Object.entries(words)) {
        assert.ok(text.id && text.en, key);
        assert.deepEqual((text.id.match(/\{\w+\}/g) || []).sort(), (text.en.match(/\{\w+\}/g) || []).sort(), key);
    }
});

/* The module as a page in LANG gets it: it asks the page for its language once. */
async function textIn(lang) {
    const spoken = Object.fromEntries(Object.entries(words).map(([key, text]) => [key, text[lang]]));
    globalThis.document = { documentElement: { lang }, getElementById: () => ({ textContent: JSON.stringify(spoken) }) };
    return lib("leaflet-text");
}

test("values as people in Indonesia read them", async () => {
    const { inLanguage, nameOf, number, value } = await textIn("id");
    const numbers = { 0: "0", 999: "999", 1000: "1.000", 1234567: "1.234.567", "-1234.50": "\u22121.234,50", "0.0": "0,0",
        "123456789012345678901234567890.10": "123.456.789.012.345.678.901.234.567.890,10", "1e21": "1e21", "": "", "12a": "12a", "00012": "00.012" };
    for (const [raw, shown] of Object.entries(numbers))
        assert.equal(number(raw), shown, raw);
    assert.equal(value("9.90", { type: "number", unit: { id: "hektare", en: "hectares" } }), "9,90 hektare");
    assert.equal(value("2024", { type: "year" }), "2024", "a year has no thousands");
    assert.equal(value("31.72", { type: "string" }), "31.72", "a code is no number");
    const codes = { type: "string", labels: { 31.72: { id: "Jakarta Utara", en: "North Jakarta" }, ringan: { id: "ringan", en: "light" } } };
    assert.equal(value("31.72", codes), "Jakarta Utara (31.72)");
    for (const code of ["ringan", "99.99", "constructor"])
        assert.equal(value(code, codes), code);
    assert.equal(value("2024-03-15", { type: "date" }), "15 Maret 2024");
    assert.equal(value("2024-03", { type: "date" }), "2024-03");
    assert.equal(value("true", { type: "boolean" }), "ya");
    assert.equal(value("true", { type: "string" }), "true");
    for (const none of [null, undefined, ""])
        assert.equal(value(none, { type: "number", unit: { id: "ha" } }), "tidak ada data");
    /* Of a document that is not ours */
    assert.equal(value(12345.5, null), "12.345,5");
    assert.equal(value(false, null), "tidak");
    assert.equal(value({ a: [1] }, null), '{"a":[1]}');
    assert.equal(value("1000", null), "1000");
    assert.equal(inLanguage({ en: "only" }), "only");
    assert.equal(inLanguage(null), "");
    const named = (properties, meta, id) => nameOf({ id, properties }, 4, meta);
    assert.equal(named({ nama: "Sukasari" }, { label: "nama" }), "Sukasari");
    assert.equal(named({ nama: null }, { label: "nama" }, "31-1"), "31-1");
    assert.equal(named({ nama: "Sukasari" }, { label: null }), "Tempat 5", "a document of ours says that it has no names");
    assert.equal(named({ kode: "1", Name: "A" }, {}), "A");
    assert.equal(named(null, {}, 0), "0");
    assert.equal(named(null, {}), "Tempat 5");
});
