/* Numbers and days of lib/format.js: what templates and pictures write, from the table that the C test has. */
import assert from "node:assert/strict";
import test from "node:test";
import { lib, readSource } from "./lib.mjs";

const { bound, number, day } = await lib("format");

test("bounds of classes are those of the pictures", () => {
    const cases = [...readSource("tests/unit/base/answers/numbers.txt").matchAll(/^bound  \[(-?[0-9.]+)\]\n    id (.*)\n    en (.*)$/gm)];
    assert.ok(cases.length > 10);
    for (const [, text, id, en] of cases) assert.deepEqual([bound(Number(text), "id"), bound(Number(text), "en")], [id, en], text);
});

test("numbers and days", () => {
    assert.deepEqual([number(1204.5, 12, "id"), number(1204.56, 1, "en")], ["1.204,5", "1,204.6"]);
    assert.deepEqual([day("2024-03-15", "id"), day("2024-03-15T10:00:00+07:00", "en"), day("lama")], ["15 Maret 2024", "15 March 2024", "lama"]);
});
