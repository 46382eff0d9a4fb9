import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { durationOf, featuresOf, fileNameOf, geometryOf, nextOf, quotaOf, readCsv, tableOf, understand } = await lib("response");
const { childrenOf } = await lib("json");

const answer = (text, headers) => ({
    status: 200,
    text,
    headers: Object.entries({ "content-type": "application/json; charset=utf-8", ...headers }),
});

test("kinds of answers", () => {
    assert.equal(understand(answer("")).kind, "empty");
    assert.equal(understand(answer('{"data":[]}')).kind, "json");
    assert.equal(understand(answer("{}", { "content-type": "application/problem+json" })).kind, "problem");
    assert.equal(understand(answer("{}", { "content-type": "application/geo+json" })).kind, "json");
    assert.equal(understand(answer("{", { "content-type": "application/problem+json" })).kind, "text");
    assert.equal(understand(answer("<p>", { "content-type": "text/html" })).kind, "text");
    assert.equal(understand(answer("a,b\n", { "content-type": "text/csv; charset=utf-8" })).kind, "csv");
});

test("the quota, as the gateway tells it", () => {
    assert.deepEqual(
        quotaOf(answer("", { "ratelimit-policy": '"daily";q=1000;w=86400, "burst";q=5;w=1', ratelimit: '"daily";r=998;t=1529' })),
        { daily: true, limit: 1000, left: 998, reset: 1529 },
    );
    assert.deepEqual(quotaOf(answer("", { "ratelimit-policy": '"burst";q=100;w=1' })), {
        daily: false,
        limit: null,
        left: null,
        reset: null,
    });
    assert.equal(quotaOf(answer("", {})), null);
    assert.deepEqual(durationOf(27005), [
        ["hour", 7],
        ["minute", 30],
    ]);
    assert.deepEqual(durationOf(86400 * 2 + 59), [["day", 2]]);
    assert.deepEqual(durationOf(59.2), [["minute", 1]]);
    assert.deepEqual(durationOf(0), [["second", 0]]);
    assert.deepEqual(durationOf(-5), [["second", 0]]);
});

test("where it goes on", () => {
    const next = (text, headers) => {
        const given = answer(text, headers);
        return nextOf(given, understand(given).json);
    };
    assert.equal(next('{"data":[],"links":{"self":"a","next":"b?cursor=1"}}', {}), "b?cursor=1");
    assert.equal(next('{"data":[],"links":{"next":null}}', { link: '<x>; rel="next"' }), "");
    assert.equal(
        next('{"type":"FeatureCollection","features":[],"links":[]}', { link: '<kumuh?cursor=A,B>; rel="next"' }),
        "kumuh?cursor=A,B",
    );
    assert.equal(
        next("a\n", { "content-type": "text/csv", link: '<https://x/>; rel="successor-version", <kumuh?c=1>; rel="next"' }),
        "kumuh?c=1",
    );
    assert.equal(next("a\n", { "content-type": "text/csv", link: '<https://x/>; rel="nextish"' }), "");
});

test("CSV as RFC 4180 has it", () => {
    assert.deepEqual(readCsv('a,b\r\n1,"x ""y"", z"\r\n,""\r\n'), [
        ["a", "b"],
        ["1", 'x "y", z'],
        [null, ""],
    ]);
    assert.deepEqual(readCsv('a\n"1\n2"\n3'), [["a"], ["1\n2"], ["3"]]);
    assert.deepEqual(readCsv("a,b\n1,\n"), [
        ["a", "b"],
        ["1", null],
    ]);
    assert.deepEqual(readCsv("a,b\n1,"), [
        ["a", "b"],
        ["1", null],
    ]);
    assert.deepEqual(readCsv(""), []);
});

const rows = (given) => {
    const table = tableOf(given, understand(given));
    return (
        table && {
            columns: table.columns(),
            rows: Array.from({ length: table.size }, (_, i) =>
                table.row(i).map((cell) => (cell && cell.node ? cell.node.kind : cell && cell.text)),
            ),
        }
    );
};

test("tables of envelopes, features and CSV", () => {
    assert.deepEqual(rows(answer('{"data":[{"a":1.50,"b":null},{"b":"x","c":[1]}],"status":"success"}')), {
        columns: ["a", "b", "c"],
        rows: [
            ["1.50", null, undefined],
            [undefined, "x", "array"],
        ],
    });
    assert.deepEqual(
        rows(
            answer(
                '{"type":"FeatureCollection","features":[{"type":"Feature","id":"k1","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":"A"}}]}',
            ),
        ),
        { columns: ["id", "n", "geometry"], rows: [["k1", "A", "object"]] },
    );
    assert.deepEqual(rows(answer("a,b\r\n1,\r\n", { "content-type": "text/csv" })), { columns: ["a", "b"], rows: [["1", null]] });
    assert.deepEqual(rows(answer('{"data":[],"status":"success"}')), { columns: [], rows: [] });
    for (const text of ['{"data":{}}', "[]", '{"data":[1]}', '"x"', '{"openapi":"3.1.0"}']) assert.equal(rows(answer(text)), null, text);
});

test("geometry in few words, and features for the map", () => {
    const text = '{"type":"Polygon","coordinates":[[[1,2],[-3,4.5],[5,6],[1,2]]]}';
    const node = { kind: "object", start: 0, end: text.length };
    assert.deepEqual(geometryOf(text, node), { type: "Polygon", points: 4 });
    assert.equal(geometryOf('{"type":"Kucing"}', { kind: "object", start: 0, end: 17 }), null);
    const given = answer(`{"data":[{"nama":"A","geometry":${text}},{"nama":"B","geometry":null}]}`);
    const collection = featuresOf(given, understand(given))();
    assert.deepEqual(
        collection.features.map((feature) => [feature.properties, feature.geometry.type]),
        [[{ nama: "A" }, "Polygon"]],
    );
    for (const none of ['{"data":[{"geometry":null}]}', '{"data":[{"geometry":{"type":"x"}}]}', '{"data":[]}', "{}"])
        assert.equal(featuresOf(answer(none), understand(answer(none))), null, none);
    assert.equal(childrenOf(text, node).length, 2);
});

test("names of files", () => {
    const name = (path, type) => fileNameOf({ path }, answer("", { "content-type": type }));
    assert.equal(name("/v1/kumuh", "text/csv; charset=utf-8"), "kumuh.csv");
    assert.equal(name("/v1/kumuh/id/31.72%2F1", "application/json"), "kumuh-id-31.72_1.json");
    assert.equal(name("/v1/kumuh.json", "application/geo+json"), "kumuh.geojson");
    assert.equal(name("/v1/../x", "a/b"), "x.txt");
});
