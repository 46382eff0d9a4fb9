/* What a column holds, in figures: the same as the dataset's page has them (tests/unit/site/test_portal_dataset.c). */
import assert from "node:assert/strict";
import test from "node:test";
import { mean, share } from "../../templates/portal/assets/js/lib/explore/facts.js";

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
