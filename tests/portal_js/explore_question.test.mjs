/* The question of the page of all records: to its address and back, and what of an address is no question. */
import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { readQuestion, writeQuestion, emptyQuestion, containing, contained } = await lib("explore/question");
const { readFilter, writeFilter } = await lib("explore/cql");
const { callsOf } = await lib("explore/calls");

const config = {
    api: "https://data.example.go.id/odp/v1/kumuh",
    geometry: { types: ["Polygon"] },
    fields: [
        { name: "nama", type: "string" },
        { name: "luas", type: "number" },
        { name: "tahun", type: "year" },
        { name: "legal", type: "boolean" },
        { name: "tanggal", type: "date" },
        { name: "waktu", type: "datetime" },
        { name: "lama", type: "duration" },
        { name: "daftar", type: "list" },
        { name: "in", type: "string" },
        { name: 'a "b"', type: "integer" },
        { name: "S_x", type: "string" },
    ],
};
const question = (more) => ({ ...emptyQuestion(), ...more });

test("a question is its address again", () => {
    const nasty = ["biasa", "O'Brien \\ 'x'", "100%_", "a\nb", "é 漢字 😀", "' OR 1=1 --", "AND", "\\'", "\\n", "''"];
    const where = [
        ...nasty.map((value) => ({ field: "nama", op: "=", value })),
        ...nasty.map((value) => ({ field: "in", op: "like", value: containing(value) })),
        { field: "nama", op: "like", value: "A_%\\%", casei: false },
        ...["=", "<>", "<", "<=", ">", ">="].map((op) => ({ field: "luas", op, value: "-12345678901234567890.50" })),
        { field: "tahun", op: "between", values: ["2020", "2024"] },
        { field: "luas", op: "in", values: ["1", "2.50", "3e5"] },
        { field: "legal", op: "=", value: "true" },
        { field: "tanggal", op: "between", values: ["2024-01-01", "2024-12-31"] },
        { field: "waktu", op: ">", value: "2024-03-15T10:00:00.5+07:00" },
        { field: "lama", op: "=", value: "P1Y2M" },
        { field: "daftar", op: "notnull" },
        { field: 'a "b"', op: "null" },
        { field: "S_x", op: "in", values: nasty },
    ];
    const asked = question({
        where, q: '"kampung kumuh" ment*', bbox: [106.5, -7, 107.25, -6], sortby: [{ field: "luas", desc: true }, { field: "nama", desc: false }],
        properties: ["nama", "luas"],
    });
    const address = new URLSearchParams(writeQuestion(asked, config)).toString();
    assert.deepEqual(readQuestion(new URLSearchParams(address), config), { question: asked, left: [] });
    const groups = question({ groupby: ["tahun"], aggregate: [{ fn: "sum", field: "luas" }, { fn: "count" }, { fn: "max", field: "tanggal" }] });
    assert.deepEqual(readQuestion(writeQuestion(groups, config), config), { question: groups, left: [] });
    assert.deepEqual(writeQuestion(emptyQuestion(), config), []);
});

test("a filter reads as people and the API write it", () => {
    const read = (text) => readFilter(text, config);
    assert.deepEqual(read("(luas > .5) and ((tahun between 2020 AND 2024 AND nama LIKE 'x%'))").where, [
        { field: "luas", op: ">", value: "0.5" },
        { field: "tahun", op: "between", values: ["2020", "2024"] },
        { field: "nama", op: "like", value: "x%", casei: false },
    ]);
    assert.deepEqual(read("tanggal >= DATE('2024-01-01') AND CASEI(nama) LIKE CASEI('%a\\'b''c%')").where, [
        { field: "tanggal", op: ">=", value: "2024-01-01" },
        { field: "nama", op: "like", value: "%a'b'c%" },
    ]);
    assert.equal(writeFilter(read("luas=1 AND legal = TRUE").where, config), "luas = 1 AND legal = TRUE");
    assert.deepEqual(read("starts_with(nama, '5%') AND ENDS_WITH(nama, 'a_b') AND CONTAINS(CASEI(nama), CASEI('x\\\\y')) AND (CONTAINS(\"in\", ''))"), {
        where: [
            { field: "nama", op: "like", value: "5\\%%", casei: false },
            { field: "nama", op: "like", value: "%a\\_b", casei: false },
            { field: "nama", op: "like", value: "%x\\\\y%" },
            { field: "in", op: "like", value: "%%", casei: false },
        ],
        left: [],
    });
});

test("what cannot be read is said, and the rest is read", () => {
    const cases = [
        ["nama = 'x' OR luas > 1", 0, "or"],
        ["luas > 1 AND (nama = 'x' OR nama = 'y')", 1, "or"],
        ["luas > 1 AND NOT nama = 'x'", 1, "operation"],
        ["luas > 1 AND S_INTERSECTS(geometry, BBOX(1,2,3,4))", 1, "operation"],
        ["luas > 1 AND asing = 2", 1, "column"],
        ["luas > 1 AND luas = 'satu'", 1, "value"],
        ["luas > 1 AND luas = nama", 1, "operation"],
        ["luas > 1 AND luas = luas + 1", 1, "operation"],
        ["luas > 1 AND tanggal = 'kemarin'", 1, "value"],
        ["luas > 1 AND luas LIKE '1%'", 1, "kind"],
        ["luas > 1 AND STARTS_WITH(luas, '1')", 1, "kind"],
        ["luas > 1 AND STARTS_WITH(nama, nama)", 1, "syntax"],
        ["luas > 1 AND STARTS_WITH(nama)", 1, "syntax"],
        ["luas > 1 AND LENGTH(nama) = 2", 1, "operation"],
        ["luas > 1 AND nama = UPPER('x')", 1, "operation"],
        ["luas > 1 AND lama < 'P1Y'", 1, "kind"],
        ["luas > 1 AND daftar = 'x'", 1, "kind"],
        ["luas > 1 AND nama = 'x", 0, "syntax"],
        ["luas > 1 AND", 0, "syntax"],
        ["luas > 1)) AND nama = 'x'", 0, "syntax"],
        ["luas > 1; DROP TABLE x", 0, "syntax"],
        ["luas > 1 AND nama = 'x' 'y'", 1, "syntax"],
        ["1 = 1", 0, "operation"],
        ["()", 0, "syntax"],
    ];
    for (const [text, n, why] of cases) {
        const found = readFilter(text, config);
        assert.equal(found.where.length, n, text);
        assert.equal(found.left[0].why, why, text);
    }
    const { question: read, left } = readQuestion(
        new URLSearchParams("bbox=200,1,2&sortby=-luas,daftar,tidak&groupby=nama,tidak&aggregate=sum(nama),median(luas),count()&asing=1&luas=1,2&nama=a,b&view=map&table=x&legal=ya"),
        config,
    );
    assert.deepEqual(left.map(({ what, why }) => `${what} ${why}`), [
        "bbox box", "sortby kind", "sortby column", "groupby column", "aggregate kind", "aggregate function", "asing parameter", "legal value",
    ]);
    assert.deepEqual(read.where, [{ field: "luas", op: "in", values: ["1", "2"] }, { field: "nama", op: "=", value: "a,b" }]);
});

test("what is looked for in a pattern", () => {
    for (const text of ["a", "50%", "a_b\\", "%"])
        assert.equal(contained(containing(text)), text);
    assert.equal(contained("a%"), null);
    assert.equal(contained("%a_b%"), null);
});

test("a question as a call and as code", () => {
    const calls = callsOf(question({ where: [{ field: "nama", op: "=", value: "O'Brien" }], sortby: [{ field: "luas", desc: true }] }), config);
    assert.equal(calls.address, "https://data.example.go.id/odp/v1/kumuh?filter=nama%20%3D%20%27O%27%27Brien%27&sortby=-luas".replace(/%27/g, "%27"));
    assert.equal(calls.filter, "nama = 'O''Brien'");
    for (const language of ["curl", "javascript", "python", "php"])
        assert.match(calls[language], /https:\/\/data\.example\.go\.id\/odp["'}][^]*\/v1\/kumuh/); /* ODP_BASE_URL may stand in the place of the host */
});
