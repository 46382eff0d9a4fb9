/* Decimals as people read and type them, and their order, exactly. */
import assert from "node:assert/strict";
import test from "node:test";
import { lib } from "./lib.mjs";

const { compareDecimals, decimal, plain, typedDecimal } = await lib("table");

test("written and read in both languages", () => {
    assert.deepEqual([decimal("-1234567.50", "id"), decimal("999", "en"), decimal("1e5", "id")], ["-1.234.567,50", "999", "1e5"]);
    assert.deepEqual([typedDecimal("1.204,5", "id"), typedDecimal("0.5", "id"), typedDecimal("1.204", "id"), typedDecimal("1,204", "en"), typedDecimal("x", "id")],
        ["1204.5", "0.5", "1204", "1204", null]);
    assert.equal(plain("Élok"), "elok");
});

test("ordered however long they are", () => {
    const pairs = [["10", "9"], ["-10", "-9"], ["0.10", "0.1"], ["1.05", "1.1"], ["-0", "0"], ["99999999999999999998", "99999999999999999999"], ["-1", "1"]];
    assert.deepEqual(pairs.map(([a, b]) => Math.sign(compareDecimals(a, b))), [1, -1, 0, -1, 0, -1, -1]);
});
