/* What a column holds, in figures: the same as the dataset's page has them (tests/unit/site/test_portal_dataset.c). */
import assert from "node:assert/strict";
import test from "node:test";
import { mean, share, toldOf } from "../../templates/portal/assets/js/lib/explore/facts.js";

test("a share is neither 0 nor 100 where it is not exactly that", () => {
    const cases = [[0, 9, "0"], [1, 100000, "0.1"], [999, 1000, "99.9"], [99999, 100000, "99.9"], [5, 5, "100"], [1, 3, "33.3"], [455, 1204, "37.8"]];
    cases.forEach(([n, all, want]) => assert.equal(share(n, all), want));
});

test("a mean has one decimal more than the values", () => {
    assert.equal(mean({ minimum: "0.5", maximum: "1204.5", mean: "12.345678" }), "12.35");
    assert.equal(mean({ minimum: "1", maximum: "9", mean: "4.5" }), "4.5");
    assert.equal(mean({ minimum: "100", maximum: "140", mean: "120.04" }), "120");
    assert.equal(mean({ minimum: "-5", maximum: "123456789012345678", mean: "61728394506172836.5" }), "61728394506172836.5");
});

test("a head tells from where to where, or what is most frequent, and all of it in words", () => {
    const words = { ex_facts_filled: "terisi {share}%", ex_facts_distinct: "{n} nilai", ex_facts_different: "{n} berbeda", ex_facts_about: "sekitar {n} nilai", ex_facts_mean: "rata-rata {mean}", ex_facts_ends: "{low} sampai {high}",
        ex_facts_most: "terbanyak {value} ({share}%)" };
    globalThis.document = { getElementById: () => ({ textContent: JSON.stringify(words) }) };
    const number = { name: "luas", type: "number", nulls: 1, distinct: 900, estimated: true, minimum: "0.5", maximum: "1204.5", mean: "12.345678" };
    assert.deepEqual(toldOf(number, 1000, { type: "number" }, "id"), { ends: ["0,5", "1.204,5"], told: "0,5 sampai 1.204,5 · terisi 99,9% · sekitar 900 nilai · rata-rata 12,35" });
    const category = { name: "t", type: "string", nulls: 0, distinct: 2, values: { B: 600, S: 400 } };
    assert.deepEqual(toldOf(category, 1000, { type: "string", named: { B: "Berat" } }, "id"), { ends: ["Berat 60%"], told: "terbanyak Berat (60%) · terisi 100% · 2 nilai" });
    const key = { name: "id", type: "string", nulls: 0, distinct: 1000 };
    assert.deepEqual(toldOf(key, 1000, { type: "string" }, "id"), { ends: ["1.000 berbeda"], told: "terisi 100% · 1.000 nilai" });
    const one = { ...number, minimum: "3", maximum: "3", mean: "3", nulls: 0, distinct: 1 };
    const long = { ...category, values: { "Infrastruktur Konektivitas": 600, B: 400 } };
    assert.deepEqual(toldOf(long, 1000, { type: "string" }, "id").ends, ["Infrastruktur Konektivitas 60%"]); // a name is not cut
    const stamp = { type: "datetime", nulls: 0, distinct: 2, minimum: "2024-01-01T08:00:00Z", maximum: "2024-03-15T08:00:00Z" };
    assert.deepEqual(toldOf(stamp, 1000, { type: "datetime" }, "id").ends, ["2024-01-01", "2024-03-15"]);
    assert.deepEqual(toldOf({ ...one, estimated: false }, 5, { type: "number" }, "id").ends, ["3"]);
    const nothing = { name: "id", type: "string", nulls: 5, distinct: 0 };
    assert.deepEqual(toldOf(nothing, 5, { type: "string" }, "id"), { ends: [], told: "terisi 0%" });
});
