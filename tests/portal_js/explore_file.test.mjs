/* Questions about a table that was read whole: the worker's small mode. */
import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { openTable, ask } = await lib("explore/engine");
const { DecimalSum, normal, scaleOf } = await lib("explore/decimals");
const { compareBytes, instantOf } = await lib("explore/values");
const { tokensOf, matchOf } = await lib("explore/words");
const { likeTest, foldCase } = await lib("explore/patterns");
const { meetsBox, readGpb, geometryText } = await lib("explore/geometry");

const config = {
    slug: "kumuh", version: "2024-03-15", release: "2.5.0", title: "Kumuh", lang: "id", total: 7, key: ["id"], license: "https://example.org/l", lastUpdate: "2024-03-15",
    root: "../../", file: { path: "data/kumuh.csv", kind: "csv", bytes: 1 },
    fields: [
        { name: "id", type: "string" },
        { name: "kode", type: "string", list: "data/kabkota/labels-2025.json" },
        { name: "nama", type: "string" },
        { name: "luas", type: "number" },
        { name: "waktu", type: "datetime" },
        { name: "tingkat", type: "string", labels: { B: { id: "Berat", en: "Heavy" }, R: "Ringan" } },
        { name: "provinsi", type: "string", derived: { field: "kode", prefix: 2 } },
    ],
};
const files = {
    "https://x/odp/data/kumuh.csv": [
        "id,kode,kode_nama,nama,luas,waktu,tingkat",
        'a,32.73,Kota Bandung,"Kampung Édén, RW 1",10.50,2024-03-15T10:00:00+07:00,B',
        "b,32.73,Kota Bandung,,9,2024-03-15T03:00:00Z,R",
        'c,32.04,Kabupaten Bandung,"",10.5,,B',
        "d,,,kampung menteng,-0.1,2024-03-15T03:00:00.0005Z,",
        "e,31.71,Kota Jakarta Pusat,Menteng Kampung,,2024-01-01T00:00:00Z,R",
        "f,31.71,Kota Jakarta Pusat,50%_x,12345678901234567890.25,2025-01-01T00:00:00Z,X",
        "g,31.71,Kota Jakarta Pusat,\u{1f600},12345678901234567890.2500001,2025-01-01T00:00:00Z,X",
    ].join("\r\n") + "\r\n",
    "https://x/odp/data/kabkota/labels-2025.json": JSON.stringify({
        labels: { "32.73": { id: "Kota Bandung" }, "32.04": { id: "Kabupaten Bandung", en: "Bandung Regency" }, "31.71": { id: "Kota Jakarta Pusat", en: "Central Jakarta" } },
    }),
};
const table = await openTable(config, { base: "https://x/odp/katalog/kumuh/index.html", load: async (address) => files[address] });
const ids = async (question) => (await ask(table, { do: "rows", question, from: 0, n: 100 })).rows.map((row) => row[0]).join("");
const where = (field, op, value) => ids({ where: [{ field, op, ...(Array.isArray(value) ? { values: value } : { value }) }] });

test("conditions mean what they mean in the API", async () => {
    assert.equal(await where("luas", "=", "10.5"), "ac");
    assert.equal(await where("luas", "<>", "10.50"), "bdfg"); /* nothing is not unequal */
    assert.equal(await where("luas", ">", "12345678901234567890.25"), "g");
    assert.equal(await where("luas", "between", ["-1", "9.0"]), "bd");
    assert.equal(await where("luas", "in", ["9.00", "-0.10"]), "bd");
    assert.equal(await where("nama", "=", ""), "c");
    assert.equal(await where("nama", "null"), "b");
    assert.equal(await where("nama", "notnull"), "acdefg");
    assert.equal(await where("nama", "like", "%KAMPUNG%"), "ade");
    assert.equal(await where("nama", "like", "50\\%\\__"), "f");
    assert.equal(await where("nama", "like", "_"), "g");
    assert.equal(await ids({ where: [{ field: "nama", op: "like", value: "%Kampung%", casei: false }] }), "ae");
    assert.equal(await where("waktu", "=", "2024-03-15T03:00:00.000+00:00"), "ab");
    assert.equal(await where("waktu", ">", "2024-03-15T03:00:00Z"), "dfg");
    assert.equal(await where("provinsi", "=", "32"), "abc");
});

test("words are found without their marks, codes by their names in both languages", async () => {
    assert.equal(await ids({ q: "kampung" }), "ade");
    assert.equal(await ids({ q: "eden rw" }), "a");
    assert.equal(await ids({ q: '"kampung menteng"' }), "d");
    assert.equal(await ids({ q: "ment*" }), "de");
    assert.equal(await ids({ q: "bandung" }), "abc");
    assert.equal(await ids({ q: "central" }), "efg");
    assert.equal(await ids({ q: "heavy" }), "ac");
    assert.equal(await ids({ q: "32" }), "abc");
    assert.equal(await ids({ q: "bandung kampung" }), "a");
    assert.equal(matchOf('a-b "c d"* e* , *'), '"a-b" "c d"* "e"*');
});

test("order: nothing comes last, equal ones stay", async () => {
    assert.equal(await ids({ sortby: [{ field: "luas", desc: false }] }), "dbacfge");
    assert.equal(await ids({ sortby: [{ field: "luas", desc: true }] }), "gfacbde");
    assert.equal(await ids({ sortby: [{ field: "waktu", desc: true }] }), "fgdabec");
    assert.equal(await ids({ sortby: [{ field: "tingkat", desc: false }, { field: "id", desc: true }] }), "caebgfd");
    assert.deepEqual(await ask(table, { do: "rows", question: { sortby: [{ field: "luas", desc: false }] }, from: 2, n: 2 }),
        { rows: [table.rows[0], table.rows[2]], fids: [1, 3], matched: 7 });
});

test("a facet counts without its own condition", async () => {
    const { facets, more } = await ask(table, { do: "facets", question: { where: [{ field: "tingkat", op: "=", value: "B" }] }, fields: ["tingkat", "kode", "luas"], max: 3 });
    assert.deepEqual(facets.tingkat, [{ value: "B", count: 2 }, { value: "R", count: 2 }, { value: "X", count: 2 }]);
    assert.deepEqual(facets.kode, [{ value: "32.04", count: 1 }, { value: "32.73", count: 1 }]);
    assert.deepEqual(facets.luas, [{ value: "10.50", count: 2 }]);
    assert.deepEqual(more, { tingkat: true, kode: false, luas: false });
});

test("groups, sums and averages are exact", async () => {
    const aggregate = ["sum", "avg", "min", "max"].map((fn) => ({ fn, field: "luas" }));
    assert.deepEqual(await ask(table, { do: "groups", question: { groupby: ["provinsi"], aggregate: [...aggregate, { fn: "count" }] } }), {
        columns: ["provinsi", "sum_luas", "avg_luas", "min_luas", "max_luas", "count"],
        rows: [
            ["31", "24691357802469135780.5000001", "12345678901234567890.25000005", "12345678901234567890.25", "12345678901234567890.2500001", "3"],
            ["32", "30", "10", "9", "10.50", "3"],
            [null, "-0.1", "-0.1", "-0.1", "-0.1", "1"],
        ],
    });
    assert.deepEqual((await ask(table, { do: "groups", question: { where: [{ field: "id", op: "=", value: "z" }], aggregate } })).rows, [[null, null, null, null]]);
    assert.deepEqual((await ask(table, { do: "groups", question: { groupby: ["luas"] } })).rows.map((row) => row.join(":")).slice(0, 3), ["-0.1:1", "9:1", "10.50:2"]);
    assert.deepEqual((await ask(table, { do: "extent", question: {}, fields: ["luas", "waktu"] })).extent.waktu, { min: "2024-01-01T00:00:00Z", max: "2025-01-01T00:00:00Z" });
});

test("decimals", () => {
    const sum = (...texts) => texts.reduce((all, text) => (all.add(text), all), new DecimalSum());
    assert.equal(sum("0.1", "0.2").text(), "0.3");
    assert.equal(sum("999999999999999", "1", "0.000000000000001").text(), "1000000000000000.000000000000001");
    assert.equal(sum("1e3", "-1000").text(), "0");
    assert.equal(sum("1", "0", "0").average(0), "0.333333");
    assert.equal(sum("2", "0", "0").average(2), "0.66666667");
    assert.equal(sum("-2", "0", "0").average(0), "-0.666667");
    const among = (text, n) => Object.assign(sum(text), { count: n });
    assert.equal(among("1", 2000000).average(0), "0"); /* 0.0000005: half even */
    assert.equal(among("3", 2000000).average(0), "0.000002");
    assert.equal(sum("9".repeat(38), "1").text(), null);
    assert.equal(new DecimalSum().text(), null);
    for (const [text, short] of [["12.50", "12.5"], ["-0", "0"], ["-0.00", "0"], ["1.25e1", "12.5"], ["100", "100"], ["1E-3", "0.001"]])
        assert.equal(normal(text), short);
    assert.equal(scaleOf(["1.250", null, "3", "-0.10"]), 2);
    assert.equal(scaleOf(["1234567890.1234567"]), -1);
});

test("texts, instants, words, patterns", () => {
    assert.ok(compareBytes("\uffff", "\u{10000}") < 0);
    assert.ok(compareBytes("a", "ab") < 0);
    assert.equal(instantOf("2024-03-15T23:30:00.1234567-07:00"), "2024-03-16T06:30:00.123Z4567");
    assert.equal(instantOf("0001-01-01T00:00:00+07:00"), "0000-12-31T17:00:00.000Z");
    assert.equal(instantOf("9999-12-31T23:00:00-07:00"), "10000-01-01T06:00:00.000Z");
    assert.deepEqual(tokensOf("Édén-RW_1 e\u0301a Straße"), ["eden", "rw", "1", "ea", "straße"]);
    assert.equal(foldCase("STRASSE Σς"), foldCase("straße σΣ"));
    assert.ok(likeTest("(a|b)*$")("(a|b)*$"));
    assert.ok(likeTest("%-1/a%")("prj-1/a")); /* a dash needs no escape, and may have none */
});

test("shapes and boxes", () => {
    const polygon = { type: "Polygon", coordinates: [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]], [[4, 4], [6, 4], [6, 6], [4, 6], [4, 4]]] };
    assert.ok(meetsBox(polygon, [1, 1, 2, 2]));
    assert.ok(!meetsBox(polygon, [4.5, 4.5, 5.5, 5.5])); /* in its hole */
    assert.ok(meetsBox(polygon, [-5, -5, 15, 15]));
    assert.ok(!meetsBox(polygon, [11, 0, 12, 1]));
    assert.ok(meetsBox({ type: "LineString", coordinates: [[-1, 5], [5, -1]] }, [0, 0, 3, 3]));
    assert.ok(!meetsBox({ type: "LineString", coordinates: [[-1, 2], [2, -1]] }, [1, 1, 3, 3]));
    assert.ok(meetsBox({ type: "Point", coordinates: [-175, 0] }, [170, -1, -170, 1]));
    const bytes = Buffer.from("47500001e6100000" + "0101000000" + "0000000000405a40" + "00000000000019c0", "hex");
    assert.equal(geometryText(readGpb(bytes)), '{"type":"Point","coordinates":[105,-6.25]}');
});

test("what is selected is saved as it is published", async () => {
    const saved = async (question, form) => {
        const { parts, name, note } = await ask(table, { do: "save", question, form });
        return { text: parts.join(""), name, note };
    };
    const csv = await saved({ where: [{ field: "id", op: "in", values: ["a", "c"] }], properties: ["id", "nama", "luas"] }, "csv");
    assert.equal(csv.text, 'id,nama,luas\r\na,"Kampung Édén, RW 1",10.50\r\nc,"",10.5\r\n');
    assert.equal(csv.name, "kumuh-2024-03-15-terpilih.csv");
    assert.deepEqual(JSON.parse(csv.note.text).question, { filter: "id IN ('a', 'c')", properties: "id,nama,luas" });
    assert.equal(JSON.parse(csv.note.text).records, 2);
    assert.equal((await saved({ where: [{ field: "id", op: "=", value: "a" }], properties: ["kode", "luas"] }, "excel.csv")).text, '\ufeffkode;luas\r\n"=""32.73""";10,50\r\n');
    assert.equal((await saved({ where: [{ field: "id", op: "=", value: "d" }] }, "json")).text,
        '{"data":[\n{"id":"d","kode":null,"nama":"kampung menteng","luas":-0.1,"waktu":"2024-03-15T03:00:00.0005Z","tingkat":null}\n],"status":"success","meta":{"dataset":"kumuh","version":"2024-03-15","release":"2.5.0","total":1,"last_update":"2024-03-15","license":"https://example.org/l"}}\n');
});
