import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { faultOf, inLanguage, itemsOf, matchPath, readOperation } = await lib("openapi");
const { addressOf, encode, fragmentOf, fragmentOfLink, makeRequest, readFragment } = await lib("request");

const document = {
    openapi: "3.1.0",
    security: [{ key: [] }],
    paths: {
        "/v1/index.json": { get: { summary: "Daftar / List", security: [], responses: {} } },
        "/v1/{slug}.json": { parameters: [{ $ref: "#/components/parameters/slug" }], get: { responses: {} } },
        "/v1/kumuh": {
            get: {
                summary: "Rekaman: Peta / Records: Map",
                description: "Satu `a`.\n\nOne `a`.",
                parameters: [
                    { $ref: "#/components/parameters/filter" },
                    { $ref: "#/components/parameters/limit" },
                    { $ref: "#/components/parameters/kumuh.tingkat" },
                    { $ref: "#/components/parameters/kumuh.luas_ha" },
                    { name: "X-Aneh", in: "header", schema: { type: "string" } },
                ],
                responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/kumuh.page" } } } } },
            },
        },
        "/v1/kumuh/search": {
            post: {
                requestBody: {
                    required: true,
                    content: {
                        "application/json": {
                            schema: { type: "object", required: ["q"], properties: { q: { type: "string", description: "Teks / Text" } } },
                            examples: { a: { summary: "Satu / one", value: { q: "x" } } },
                        },
                    },
                },
                responses: {},
            },
        },
        "/v1/kumuh/id/{key}": {
            get: { parameters: [{ name: "key", in: "path", required: true, schema: { type: "string" } }], responses: {} },
        },
        "/v1/webhooks": { get: { responses: {} } },
        "/auth/confirm": {
            get: { security: [], parameters: [{ name: "token", in: "query", required: true, schema: { type: "string" } }], responses: {} },
        },
    },
    components: {
        parameters: {
            slug: { name: "slug", in: "path", required: true, schema: { type: "string", enum: ["kumuh", "proyek"] } },
            filter: { name: "filter", in: "query", schema: { type: "string", maxLength: 20 }, examples: { a: { value: "luas > 1" } } },
            limit: { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 } },
            "kumuh.tingkat": {
                name: "tingkat",
                in: "query",
                description: "Tingkat / Degree",
                schema: { type: "string", enum: ["Ringan", "Berat"] },
            },
            "kumuh.luas_ha": {
                name: "luas_ha",
                in: "query",
                style: "form",
                explode: false,
                schema: { type: "array", items: { type: "number" }, minItems: 1 },
            },
        },
        schemas: {
            "kumuh.fields": {
                properties: {
                    tingkat: {
                        title: "Tingkat / Degree",
                        type: ["string", "null"],
                        enum: ["Ringan", "Berat", null],
                        "x-labels": { Berat: { id: "Berat", en: "Severe" } },
                    },
                    luas_ha: { title: "Luas / Size", type: "number" },
                },
            },
            "kumuh.part": { properties: { geometry: { title: "GeoJSON", oneOf: [{ type: "object" }, { type: "null" }] } } },
        },
    },
};

test("texts in two languages", () => {
    assert.equal(inLanguage("Rekaman / Records", "id"), "Rekaman");
    assert.equal(inLanguage("Rekaman / Records", "en"), "Records");
    assert.equal(inLanguage("Kota / Kabupaten / City / Regency", "en"), "City / Regency");
    assert.equal(inLanguage("Satu.\n\nDua.\n\nOne.\n\nTwo.", "id"), "Satu.\n\nDua.");
    assert.equal(inLanguage("pH", "en"), "pH");
    assert.equal(inLanguage("a / b / c", "id"), "a / b / c");
    assert.equal(inLanguage(undefined, "id"), "");
});

test("an operation's fields, columns and language", () => {
    const operation = readOperation(document, "get", "/v1/kumuh", "en");
    assert.equal(operation.summary, "Records: Map");
    assert.equal(operation.description, "One `a`.");
    assert.equal(operation.isPublic, false);
    assert.deepEqual(
        operation.fields.map((field) => [field.name, field.type, field.list, field.own, field.required]),
        [
            ["filter", "string", false, false, false],
            ["limit", "integer", false, false, false],
            ["tingkat", "string", false, true, false],
            ["luas_ha", "number", true, true, false],
        ],
    );
    assert.deepEqual(operation.fields[2].options, [
        { value: "Ringan", label: "" },
        { value: "Berat", label: "Severe" },
    ]);
    assert.equal(operation.fields[0].example, "luas > 1");
    assert.deepEqual(
        operation.columns.map((column) => [column.name, column.type, column.title]),
        [
            ["tingkat", "string", "Degree"],
            ["luas_ha", "number", "Size"],
            ["geometry", "geometry", "GeoJSON"],
        ],
    );
    assert.equal(readOperation(document, "get", "/v1/index.json", "id").isPublic, true);
    assert.deepEqual(readOperation(document, "POST", "/v1/kumuh/search", "id").body, {
        required: true,
        examples: [{ label: "Satu", value: { q: "x" } }],
        members: [{ name: "q", required: true, help: "Teks" }],
    });
    for (const [method, path] of [
        ["get", "/v1/tidak"],
        ["delete", "/v1/kumuh"],
        ["parameters", "/v1/{slug}.json"],
        ["get", "constructor"],
        ["get", "__proto__"],
    ])
        assert.equal(readOperation(document, method, path, "id"), null);
});

test("paths: literal ones first, parameters filled in and decoded", () => {
    assert.deepEqual(matchPath(document, "GET", "/v1/index.json").path, "/v1/index.json");
    assert.deepEqual(matchPath(document, "GET", "/v1/kumuh.json"), { path: "/v1/{slug}.json", values: { slug: "kumuh" }, literal: 1 + 1 });
    assert.deepEqual(matchPath(document, "GET", "/v1/kumuh/id/a%2Fb%20c").values, { key: "a/b c" });
    assert.deepEqual(matchPath(document, "GET", "/v1/kumuh/id/%7Bkey%7D").values, {});
    assert.equal(matchPath(document, "GET", "/v1/kumuh/id/"), null);
    assert.equal(matchPath(document, "GET", "/v1/lain"), null);
    assert.equal(matchPath(document, "DELETE", "/v1/kumuh"), null);
    assert.equal(matchPath(document, "GET", "//jahat.example/v1/kumuh"), null);
});

const field = (more) => ({ name: "x", type: "string", list: false, required: false, options: null, ...more });
const fault = (given, text) => (faultOf(field(given), text) || ["good"])[0];

test("what may be filled in", () => {
    assert.equal(fault({ required: true }, ""), "bad_required");
    assert.equal(fault({}, ""), "good");
    for (const [text, want] of [
        ["1", "good"],
        ["-1", "bad_min"],
        ["1001", "bad_max"],
        ["1.5", "bad_integer"],
        ["x", "bad_integer"],
        ["1e3", "bad_integer"],
        [" 7 ", "good"],
    ])
        assert.equal(fault({ type: "integer", min: 0, max: 1000 }, text), want, text);
    for (const [text, want] of [
        ["1,5", "bad_number"],
        ["1.5", "good"],
        ["-.5", "good"],
        ["1e3", "good"],
        [".", "bad_number"],
        ["", "good"],
        ["NaN", "bad_number"],
        ["0x10", "bad_number"],
    ])
        assert.equal(fault({ type: "number" }, text), want, text);
    for (const [text, want] of [
        ["2024-02-29", "good"],
        ["2023-02-29", "bad_date"],
        ["2024-13-01", "bad_date"],
        ["15-03-2024", "bad_date"],
        ["2100-02-29", "bad_date"],
        ["2000-02-29", "good"],
        ["2024-04-31", "bad_date"],
    ])
        assert.equal(fault({ type: "date" }, text), want, text);
    for (const [text, want] of [
        ["2024-03-15T08:00:00+07:00", "good"],
        ["2024-03-15T08:00Z", "good"],
        ["2024-03-15T25:00:00Z", "bad_date-time"],
        ["2024-03-15T08:00:00", "bad_date-time"],
        ["2024-02-30T08:00:00Z", "bad_date-time"],
        ["2024-03-15", "good"],
    ])
        assert.equal(fault({ type: "date-time" }, text), want, text);
    assert.equal(fault({ type: "boolean" }, "ya"), "bad_boolean");
    assert.equal(fault({ options: [{ value: "a" }] }, "b"), "bad_enum");
    assert.equal(fault({ maxLength: 3 }, "😀😀😀"), "good");
    assert.equal(fault({ maxLength: 3 }, "abcd"), "bad_length");
    assert.equal(fault({ pattern: "^msg_[0-9A-Za-z]{2}$" }, "msg_ab"), "good");
    assert.equal(fault({ pattern: "^msg_[0-9A-Za-z]{2}$" }, "msg_"), "bad_pattern");
    assert.equal(fault({ pattern: "(" }, "x"), "good"); /* not ours to judge */
    assert.equal(fault({ list: true, type: "integer", least: 2, most: 3 }, "1"), "bad_few");
    assert.equal(fault({ list: true, type: "integer", least: 2, most: 3 }, "1, 2 ,3"), "good");
    assert.equal(fault({ list: true, type: "integer", least: 2, most: 3 }, "1,2,3,4"), "bad_many");
    assert.equal(fault({ list: true, type: "integer" }, "1,x"), "bad_integer");
    assert.equal(fault({ name: "bbox", list: true, type: "number" }, "1,2,3,4,5"), "bad_bbox");
    for (const [text, want] of [
        ["2024-03-15", "good"],
        ["2024-01-01/..", "good"],
        ["../2024-01-01", "good"],
        ["..", "bad_datetime"],
        ["2024", "bad_datetime"],
        ["a/b", "bad_datetime"],
        ["2024-01-01/2024-02-01/x", "bad_datetime"],
    ])
        assert.equal(fault({ name: "datetime" }, text), want, text);
    assert.deepEqual(itemsOf(" a ,, b,"), ["a", "b"]);
});

const kumuh = readOperation(document, "get", "/v1/kumuh", "id");

test("requests: what is empty is left out, lists are tidied, texts stay as they are", () => {
    const request = makeRequest(kumuh, { filter: "nama = 'a,b'  ", limit: " 5 ", tingkat: "", luas_ha: "1, 2 ,", tidak: "x" }, "");
    assert.deepEqual(request.query, [
        ["filter", "nama = 'a,b'  "],
        ["limit", "5"],
        ["luas_ha", "1,2"],
    ]);
    assert.equal(addressOf(request), "v1/kumuh?filter=nama%20%3D%20%27a,b%27%20%20&limit=5&luas_ha=1,2");
    const one = readOperation(document, "get", "/v1/kumuh/id/{key}", "id");
    assert.equal(makeRequest(one, { key: "../../auth/key?x#y%2F" }, "").path, "/v1/kumuh/id/..%2F..%2Fauth%2Fkey%3Fx%23y%252F");
    assert.equal(makeRequest(one, {}, "").path, "/v1/kumuh/id/{key}");
    assert.equal(encode("\ud800a\udc00😀"), "%EF%BF%BDa%EF%BF%BD%F0%9F%98%80");
});

test("fragments there and back, whatever the values hold", () => {
    const nasty = ["a&b=c#d?e", "100%", "%20", "+ +", "'\"`$\\", "é😀\n\t", "{key}", "a,b", "@body", "=", "&"];
    for (const text of nasty) {
        const request = makeRequest(kumuh, { filter: text }, "");
        assert.deepEqual(
            readFragment(document, fragmentOf(request)),
            { method: "GET", path: "/v1/kumuh", values: { filter: text }, body: "" },
            text,
        );
        const one = makeRequest(readOperation(document, "get", "/v1/kumuh/id/{key}", "id"), { key: text }, "");
        assert.deepEqual(readFragment(document, fragmentOf(one)).values, text === "{key}" ? {} : { key: text }, text);
        const body = makeRequest(readOperation(document, "post", "/v1/kumuh/search", "id"), {}, text);
        assert.equal(readFragment(document, fragmentOf(body)).body, text.trim() === "" ? "" : text, text);
    }
    assert.equal(readFragment(document, "#v1/kumuh?limit=3").values.limit, "3");
    assert.equal(readFragment(document, "#GET/v1/tidak"), null);
    assert.equal(readFragment(document, "#GET/v1/kumuh?a=%E0%A4%A").values.a, "%E0%A4%A");
});

test("what belongs to a key is never part of an address to share", () => {
    const confirm = makeRequest(readOperation(document, "get", "/auth/confirm", "id"), { token: "rahasia" }, "");
    assert.equal(fragmentOf(confirm), "#GET/auth/confirm");
    assert.equal(addressOf(confirm), "auth/confirm?token=rahasia");
    assert.deepEqual(readFragment(document, "#GET/auth/confirm?token=x").values, {});
});

test("links of answers: the API's own alone", () => {
    const root = "https://data.example.go.id/odp/",
        at = `${root}v1/kumuh?limit=1`;
    assert.equal(fragmentOfLink("kumuh?limit=1&cursor=AQ", at, root), "#GET/v1/kumuh?limit=1&cursor=AQ");
    assert.equal(fragmentOfLink("/odp/v1/kumuh", at, root), "#GET/v1/kumuh");
    for (const link of [
        "https://jahat.example/odp/v1/kumuh",
        "//jahat.example/odp/v1/",
        "javascript:alert(1)",
        "../../v1/kumuh",
        "data:text/html,x",
        "https://a@data.example.go.id/odp/v1/kumuh",
        "http://data.example.go.id/odp/v1/kumuh",
        "https://data.example.go.id:8/odp/v1/k",
    ])
        assert.equal(fragmentOfLink(link, at, root), null, link);
});
