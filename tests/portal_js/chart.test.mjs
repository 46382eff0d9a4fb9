/* Charts that live: what they make of a document, where things stand, what is saved. (How they are used is for tests/browser.) */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { lib, readSource, source } from "./lib.mjs";

const folder = "templates/portal/assets/js";
const words = JSON.parse(readSource("templates/portal/words/chart.json"));
const both = (text) => ({ id: text, en: `${text} (en)` });

/* The module with `words` of the page in LANG. */
function speak(lang) {
    globalThis.document = { documentElement: { lang }, getElementById: () => ({ textContent: JSON.stringify(Object.fromEntries(Object.entries(words).map(([key, text]) => [key, text[lang]]))) }) };
}

const bar = {
    name: "backlog", type: "bar", title: both("Backlog"), unit: both("rumah"), aggregate: "sum", total: true, scale: { power: 3, decimals: 1, unit: both("ribu rumah") },
    dataset: "perumahan", version: "2024-03-14", source: both("Kementerian, \"PU\""), license: { name: "CC-BY-4.0", title: "Creative Commons", path: "https://creativecommons.org/" },
    category: { field: "kab", title: both("Kabupaten"), axis: "text", ordered: false }, group: { field: "tingkat", title: both("Tingkat"), ordered: false },
    categories: [{ key: "a", label: both("Ambon") }, { key: null, label: both("Lainnya"), kind: "others" }], groups: [{ key: "r", label: both("Ringan") }, { key: "b", label: both("=Berat") }],
    rows: [
        { category: "a", label: both("Ambon"), series: "r", seriesLabel: both("Ringan"), value: "123456789012345678.10" },
        { category: null, label: both("Lainnya"), series: "b", seriesLabel: both("=Berat"), value: "-5" },
    ],
};

test("what charts say, and the words, are the same", () => {
    const files = ["chart.js", ...readdirSync(join(source, folder, "lib/chart")).map((name) => join("lib/chart", name))];
    const code = [...files.map((file) => readSource(join(folder, file))), readSource("templates/portal/parts/chart.html")].join("\n");
    const said = new Set(Array.from(code.matchAll(/"(chart_[a-z_]+)"|w\.(chart_[a-z_]+)/g), (match) => match[1] || match[2]));
    ["chart_png", "chart_svg", "chart_csv"].forEach((key) => said.add(key)); /* chart_<form of FORMS> */
    assert.deepEqual([...said].sort(), Object.keys(words).filter((key) => !key.startsWith("chart_embed")).sort());
});

test("both languages, with the same places for values", () => {
    for (const [key, text] of Object.entries(words))
        assert.deepEqual((text.id.match(/\{\w+\}/g) || []).sort(), (text.en.match(/\{\w+\}/g) || []).sort(), key);
});

test("values keep the digits that were published", async () => {
    const { parseTwin } = await lib("chart/twin");
    const text = String.raw`{"rows":[{"value":123456789012345678.10,"label":{"id":"\"value\":7"}},{"value":null},{"from":-0.5,"to":1e3,"value":3}]}`;
    const { rows } = parseTwin(text);
    assert.deepEqual(rows, [{ value: "123456789012345678.10", label: { id: '"value":7' } }, { value: null }, { from: "-0.5", to: "1e3", value: "3" }]);
});

test("a document in one language", async () => {
    const { modelOf, firstView, shownOf } = await lib("chart/twin");
    const model = modelOf(bar, "en");
    assert.equal(model.stops[1].label, "Lainnya (en)");
    assert.deepEqual(model.values, [["123456789012345678.10", null], [null, "-5"]]);
    assert.deepEqual(model.groups.map((group) => group.color), ["--chart-1", "--chart-2"]);
    assert.equal(modelOf(bar, "id").show("1234567"), "1.234,6");
    assert.equal(modelOf({ ...bar, headline: both("Ambon 5") }, "id").heading, "Ambon 5");
    const view = firstView(model);
    view.off.add(0);
    assert.deepEqual(shownOf(model, view), { stops: [0, 1], groups: [1] });
});

test("steps of an order are shades, what was folded is grey", async () => {
    const { modelOf } = await lib("chart/twin");
    const groups = ["a", "b", "c"].map((key) => ({ key, label: both(key) }));
    assert.deepEqual(modelOf({ ...bar, group: { ...bar.group, ordered: true }, groups }, "id").groups.map((group) => group.color), ["--chart-step-1", "--chart-step-3", "--chart-step-5"]);
    assert.equal(modelOf({ ...bar, groups: [...groups, { key: null, label: both("Lainnya"), kind: "others" }] }, "id").groups[3].color, "--chart-8");
});

test("documents of earlier versions", async () => {
    const { modelOf } = await lib("chart/twin");
    const rows = ["2022", "2021"].map((key) => ({ category: key, label: both(key), series: null, value: "1.5" }));
    const model = modelOf({ name: "x", type: "bar", title: both("X"), unit: both("ha"), rows }, "id");
    assert.deepEqual([model.axis, model.stops.map((stop) => stop.at), model.values, model.show("1.5")], ["year", [2022, 2021], [["1.5"], ["1.5"]], "1,5"]);
});

test("days stand where the calendar has them", async () => {
    const { placeOf } = await lib("chart/twin");
    assert.equal(placeOf("2024", "year"), 2024);
    assert.equal(placeOf("2023-01", "time"), 2023);
    assert.equal(placeOf("2024-07-02", "time"), 2024 + 183 / 366);
});

test("years as groups of bars are moments", async () => {
    const { modelOf, firstView, shownOf } = await lib("chart/twin");
    const model = modelOf({ ...bar, groups: ["2022", "2023"].map((key) => ({ key, label: both(key) })), rows: [] }, "id");
    assert.equal(model.moments, true);
    assert.deepEqual(shownOf(model, firstView(model)).groups, [1]);
});

test("CSV has title, source and licence in each line, and no formula", async () => {
    const { csvOf, firstView, modelOf } = await lib("chart/twin");
    const names = { value: "Nilai", unit: "Satuan", title: "Judul", source: "Sumber", licence: "Lisensi", planned: "Rencana", actual: "Selesai", category: "Kategori", group: "Kelompok" };
    const model = modelOf(bar, "id"), view = firstView(model);
    assert.equal(csvOf(model, view, names), "Kabupaten,Tingkat,Nilai,Satuan,Judul,Sumber,Lisensi\r\n"
        + 'Ambon,Ringan,123456789012345678.10,rumah,Backlog,"Kementerian, ""PU""",Creative Commons\r\n' + "Lainnya,'=Berat,-5,rumah,Backlog,\"Kementerian, \"\"PU\"\"\",Creative Commons\r\n");
    view.off.add(0);
    assert.equal(csvOf(model, view, names).split("\r\n").length, 3, "what is switched off is not saved");
    const plan = modelOf({ ...bar, type: "gantt", rows: [{ category: "m", label: both("Kontrak"), series: "p", seriesLabel: both("Jalan"), planned: "2022-03-01", actual: null, value: null }] }, "id");
    assert.match(csvOf(plan, firstView(plan), names), /^Tingkat,Kabupaten,Rencana,Selesai,.*\r\nJalan,Kontrak,2022-03-01,,,rumah,/);
});

test("what a stop says aloud", async () => {
    speak("id");
    const { factsOf, nearest, sentenceOf } = await lib("chart/reading");
    const { firstView, modelOf } = await lib("chart/twin");
    const model = modelOf({ ...bar, type: "stacked" }, "id"), view = firstView(model);
    assert.equal(sentenceOf(factsOf(model, view, 1)), "Lainnya: Ringan tidak ada nilai; =Berat -0 ribu rumah; Jumlah -0 ribu rumah".replace(/-0/g, model.show("-5")));
    const plan = modelOf({ ...bar, type: "gantt", rows: [{ category: "m", label: both("Kontrak"), series: "p", seriesLabel: both("Jalan"), planned: "2022-03-01", actual: "2022-03-04", value: "3" }] }, "id");
    assert.equal(sentenceOf(factsOf(plan, firstView(plan), 0)), "Kontrak (Jalan): Rencana 1 Maret 2022; Selesai 4 Maret 2022; 3 hari terlambat");
    const stops = [{ x: 10, y: 0 }, { x: 50, y: 90 }, { x: 90, y: 40 }];
    assert.deepEqual([nearest(stops, false, 68, 0), nearest(stops, false, -5, 0), nearest(stops, true, 0, 80), nearest([], false, 0, 0)], [1, 0, 1, -1]);
});

test("axes have round borders, names stand apart", async () => {
    const { apart, axisOf, thinned, wrapped } = await lib("chart/layout");
    assert.deepEqual(axisOf(3, 97, 5, true).ticks, [0, 20, 40, 60, 80, 100]);
    assert.deepEqual([axisOf(0, 0, 5, true).lo, axisOf(0, 0, 5, true).hi], [0, 1]);
    assert.deepEqual(axisOf(-7, -2, 5, true).hi, 0);
    assert.deepEqual(axisOf(22.16, 22.19, 5, false, 0.1).ticks, [22.1, 22.2]);
    assert.deepEqual(axisOf(0, 3, 5, true, 1).ticks, [0, 1, 2, 3]);
    assert.deepEqual(apart([50, 50, 52], 15, 0, 100), [50, 65, 80]);
    assert.deepEqual(apart([95, 96], 15, 0, 100), [85, 100]);
    assert.deepEqual(thinned(["2020", "2021", "2022", "2023"], [0, 20, 40, 60]), [0, 3]);
    assert.ok(wrapped("satu dua tiga empat lima", 60, 12).length > 2);
});

test("groups of a question are a chart's document", async () => {
    speak("id");
    const { documentOf } = await lib("explore/groupchart"), { modelOf } = await lib("chart/twin");
    const app = (groupby, aggregate, sortby = []) => ({ question: { groupby, aggregate, sortby }, config: { lang: "id", title: "Perumahan", license: "CC-BY-4.0", name: "perumahan" } });
    const kab = { name: "kab", title: "Kabupaten", type: "string" }, year = { name: "tahun", title: "Tahun", type: "year" }, sum = { name: "sum(b)", title: "Backlog", type: "number", unit: "rumah" };
    const one = documentOf(app(["kab"], [{ fn: "sum", field: "b" }]), [kab, sum], [["a", "1"], ["b", "20"], [null, "3"]]);
    assert.deepEqual([one.type, one.categories.map((c) => c.key), modelOf(one, "id").values], ["bar", ["b", null, "a"], [["20"], ["3"], ["1"]]]);
    assert.deepEqual(documentOf(app(["kab"], [], [{ field: "kab" }]), [kab, sum], [["a", "1"], ["b", "20"]]).categories.map((c) => c.key), ["a", "b"]);
    const rows = ["2023", "2021", "2022"].flatMap((y) => [[y, "a", "1"], [y, "b", "2"]]);
    const two = documentOf(app(["tahun", "kab"], [{ fn: "avg", field: "b" }]), [year, kab, sum], rows);
    assert.deepEqual([two.type, two.category.axis, two.categories.map((c) => c.key), two.groups.length, two.total], ["line", "year", ["2021", "2022", "2023"], 2, false]);
    assert.equal(documentOf(app(["kab", "tahun"], []), [kab, year, sum], rows.map(([y, k, v]) => [k, y, v])).type, "bar", "years as moments");
    assert.equal(documentOf(app(["tahun", "kab"], []), [year, kab, sum], Array.from({ length: 20 }, (_, i) => ["2021", String(i), "1"])), null, "too many series");
    assert.equal(documentOf(app(["a", "b", "c"], []), [kab, kab, kab, sum], [["a", "b", "c", "1"]]), null);
    assert.equal(documentOf(app(["kab"], []), [kab, sum], []), null);
});

test("the colours, on paper and on the page, are the compiler's", () => {
    const code = readSource(join(folder, "lib/chart/save.js")), plot = readSource("tools/odp-build/write/charts/plot.c"), css = readSource("templates/portal/assets/css/parts/chart.css");
    const paper = Object.fromEntries(Array.from(code.matchAll(/"(--[a-z]+-[0-9a-z-]+)": "(#[0-9a-f]{6})"/g), (match) => [match[1], match[2]]));
    const shades = (name) => Array.from(plot.slice(plot.indexOf(` ${name}[`)).split(";")[0].matchAll(/\{0x(..), 0x(..), 0x(..)\}/g), (match) => `#${match.slice(1).join("")}`.toLowerCase());
    const [colors, steps] = [shades("colors"), shades("steps_of")].map((list) => [0, 1].map((dark) => list.filter((_, i) => i % 2 === dark)));
    assert.deepEqual([colors[0].length >= 7, steps[0].length], [true, 5]);
    colors[0].slice(0, 7).forEach((color, i) => assert.equal(paper[`--chart-${i + 1}`], color));
    steps[0].forEach((color, i) => assert.equal(paper[`--chart-step-${i + 1}`], color));
    const tokens = readSource("templates/portal/assets/css/parts/tokens.css");
    const written = (text, name) => Array.from(text.matchAll(new RegExp(`${name}: (#\\w{6})`, "g")), (match) => match[1]);
    colors[0].forEach((color, i) => assert.deepEqual(written(tokens, `--chart-${i + 1}`), [color, colors[1][i]]));
    steps.forEach((list, dark) => list.forEach((color, i) => assert.equal(written(css, `--chart-step-${i + 1}`)[dark], color)));
    assert.equal(paper["--chart-single"], steps[0][2]);
});

test("chart.js, compressed, is small enough to be loaded for a chart", () => {
    const built = ["build/share", "../../share", "share"].map((path) => join(source, path, "odp/portal/assets/chart.js")).find(existsSync);
    if (built !== undefined)
        assert.ok(gzipSync(readFileSync(built), { level: 9 }).length <= 90 * 1000);
});
