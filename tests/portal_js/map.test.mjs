/* The map: its words, how it writes values, the figures of regions, links to a view, names on the ground. (How it is used is for tests/browser.) */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { lib, readSource, source } from "./lib.mjs";

const words = JSON.parse(readSource("templates/portal/words/map.json"));
const folder = "templates/portal/assets/js";

test("what the map says, and the words, are the same", () => {
    const files = ["map.js", "lib/maps.js", ...readdirSync(join(source, folder, "lib")).filter((name) => name.startsWith("leaflet-")).map((name) => join("lib", name))];
    assert.ok(files.length >= 6);
    const code = files.map((file) => readSource(join(folder, file))).join("\n");
    const said = new Set(Array.from(code.matchAll(/"(map_[a-z_]+)"/g), (match) => match[1]));
    assert.deepEqual([...said].sort(), Object.keys(words).sort());
});

test("both languages, with the same places for values", () => {
    for (const [key, text] of Object.entries(words)) {
        assert.ok(text.id && text.en, key);
        assert.deepEqual((text.id.match(/\{\w+/g) || []).sort(), (text.en.match(/\{\w+/g) || []).sort(), key);
    }
});

test("colours of categories are those of the published documents", async () => {
    const { COLOURS, STEPS } = await lib("explore/places");
    const source = readSource("tools/odp-build/write/map/tally.c");
    const declared = source.slice(source.indexOf("colors[2][MAP_VALUES]"), source.indexOf("}};"));
    assert.deepEqual(declared.match(/#[0-9A-F]{6}/g), [...COLOURS, ...STEPS]);
});

test("a choropleth's figures", async () => {
    const { breaksOf, classOf, RegionFigures, stepOf } = await lib("region-figures");
    const summary = {
        place: { field: "kode", list: "kabkota" }, time: { values: ["2021", "2022"], panel: true },
        measures: [{ name: "a", classes: { provinsi: [10, 20] } }, { name: "b" }, { name: "none" }],
        places: { provinsi: { 11: { total: [5, 1], times: [[4, 2], null] }, 12: { total: [20], times: [null, [20]] }, 13: { total: [20, 3], times: [] }, 14: {} } },
    };
    const figures = new RegionFigures(summary, "provinsi", { 11: "Aceh", constructor: "no" });
    const [a, b] = figures.measures;
    assert.deepEqual(figures.measures.map(({ name }) => name), ["a", "b"], "a measure without a value is none");
    assert.deepEqual(figures.ranking(a, null).map(({ code, rank }) => `${code}:${rank}`), ["12:1", "13:1", "11:3"]);
    assert.deepEqual(["11", "12", "13", "14", "constructor"].map((code) => figures.value(code, b.index, null)), [1, null, 3, null, null], "rows may be shorter");
    assert.equal(figures.value("11", a.index, 1), null, "a time without a record");
    assert.deepEqual([figures.timesOf(a), figures.timesOf(b)], [[0, 1], [0]]);
    assert.deepEqual([figures.name("11"), figures.name("12")], ["Aceh", "12"]);
    assert.deepEqual([figures.breaks(a, null), figures.breaks(a, 1), figures.breaks(b, null)], [[10, 20], [10, 20], [3]]);
    const sums = new RegionFigures({ ...summary, time: { values: ["2021", "2022"], panel: false } }, "provinsi", {});
    assert.deepEqual([sums.breaks(a, null), sums.breaks(a, 1)], [[10, 20], [20]], "a year is a part of the total");
    assert.deepEqual([null, 5, 10, 19.9, 20, 99].map((value) => classOf(value, [10, 20])), [-1, 0, 1, 1, 2, 2]);
    assert.deepEqual(breaksOf([]), []);
    assert.deepEqual(breaksOf([null, 3, 3]), [], "one value, one class");
    assert.deepEqual(breaksOf(Array.from({ length: 100 }, (_, i) => i)), [20, 40, 60, 80]);
    assert.deepEqual(breaksOf([...Array.from({ length: 90 }, () => 0), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [1], "mostly one value");
    assert.deepEqual([[0, 1], [0, 2], [1, 2], [1, 3], [4, 5]].map(([at, n]) => stepOf(at, n)), [2, 0, 4, 2, 4]);
    assert.deepEqual(new RegionFigures({}, "provinsi", {}).measures, [], "a table without places");
});

test("levels to choose from", async () => {
    const { levelsOf } = await lib("region-figures");
    const kinds = (data) => levelsOf(data).map(({ kind, level }) => `${kind}:${level}`);
    const data = { summary: "s", level: "kabkota", boundaries: "k" };
    assert.deepEqual(kinds({ ...data, aboveLevel: "provinsi", aboveBoundaries: "p" }), ["areas:kabkota", "above:provinsi"]);
    assert.deepEqual(kinds(data), ["areas:kabkota"]);
    assert.deepEqual(kinds({ ...data, summary: undefined }), [], "shapes of its own, and boundaries for orientation");
});

test("a link to a view", async () => {
    const { readView, writeView } = await lib("map-address");
    const view = { zoom: 7.25, lat: -6.2, lon: 106.8, measure: "tingkat=Berat / a", time: "2023", level: "provinsi" };
    const hash = writeView("peta-kumuh-kotak", view);
    assert.equal(hash, "#peta-kumuh-kotak=7.25/-6.2000/106.8000/tingkat%3DBerat%20%2F%20a/2023/provinsi");
    assert.deepEqual(readView(hash, "peta-kumuh-kotak"), view);
    assert.equal(writeView("m", { ...view, time: null, level: undefined }), "#m=7.25/-6.2000/106.8000/tingkat%3DBerat%20%2F%20a");
    assert.deepEqual(readView(writeView("m", { ...view, time: null }), "m"), { ...view, time: null }, "a level at all times");
    assert.deepEqual(readView(writeView("m", { zoom: 5, lat: 0, lon: 0 }), "m"), { zoom: 5, lat: 0, lon: 0, measure: null, time: null, level: null });
    for (const bad of ["", "#m", "#m=", "#m=5/x/1", "#m=5/91/0", "#m=19/0/0", "#other=5/0/0", "#m=5/0", "#m=1e9/0/0"])
        assert.equal(readView(bad, "m"), null, bad);
    assert.equal(readView("#m=5/0/0/%zz", "m").measure, null);
});

test("positions and names of the ground", async () => {
    const { middleOf, placeNames, positionsOf } = await lib("map-geometry");
    assert.deepEqual(positionsOf([106845, -6214, 5, -6]), [[-6.214, 106.845], [-6.22, 106.85]]);
    const name = (x, y, text) => ({ x, y, text });
    assert.deepEqual(placeNames([name(0, 0, "Jakarta"), name(20, 5, "Depok"), name(0, 30, "Bogor"), name(200, 0, "Bandung")], 9).map(({ text }) => text), ["Jakarta", "Bogor", "Bandung"]);
    assert.equal(placeNames([name(0, 0, "a"), name(500, 0, "b")], 1).length, 1);
    /* A horseshoe: its centre lies outside, the name does not. */
    const shoe = [[0, 0], [10, 0], [10, 10], [8, 10], [8, 2], [2, 2], [2, 10], [0, 10], [0, 0]];
    const [lat, lon] = middleOf({ type: "MultiPolygon", coordinates: [[[[50, 50], [51, 50], [51, 51], [50, 50]]], [shoe]] });
    assert.ok(lat > 2 && lat < 10 && (lon < 2 || lon > 8), `${lat} ${lon}`);
    const ground = JSON.parse(readSource("templates/portal/assets/static/ground.json"));
    for (const [kind, zoom, x, y, text] of ground.names)
        assert.ok(["ocean", "sea", "country", "seat", "city"].includes(kind) && zoom > 2 && zoom < 10 && x > 88 && x < 156 && y > -24 && y < 24 && text.length > 2, text);
    assert.ok(ground.names.filter(([kind]) => kind === "seat").length > 30);
    const near = JSON.parse(readSource("templates/portal/assets/static/coast-near.json"));
    assert.ok(near.id.length > 200 && near.id.every((ring) => ring.length >= 6 && ring.every(Number.isInteger)));
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
