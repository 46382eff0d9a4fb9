/* Which places have pages: the rule of odp_path_place_is (tests/unit/site/test_places.c has the same rows). */
import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { isPlacePage } = await lib("place");
const { hrefOf } = await lib("explore/names");

test("codes that are names of files", () => {
    for (const code of ["32.73", "32", "ID-JB", "a_b", "x".repeat(64)]) assert.ok(isPlacePage(code), code);
    for (const code of ["", "index", ".32", "-1", "_a", "../32", "a/b", "a b", "é", "x".repeat(65), "32\n"]) assert.ok(!isPlacePage(code), code);
});

test("cells of places are links", () => {
    const field = { type: "string", place: "tempat/", named: { 32.73: "Kota Bandung", "../x": "Jahat" } };
    assert.equal(hrefOf(field, "32.73", "../../"), "../../tempat/32.73.html");
    assert.equal(hrefOf(field, "32.74", "../../"), null, "not in the list");
    assert.equal(hrefOf(field, "../x", "../../"), null);
    assert.equal(hrefOf({ ...field, place: undefined }, "32.73", ""), null);
});
