/* The colours of groups: css/parts/tokens.css has those that write/charts/plot.c draws with, so that a living chart and its picture are the same. */
import assert from "node:assert/strict";
import test from "node:test";
import { readSource } from "./lib.mjs";

test("charts of the browser have the colours of the pictures", () => {
    const tokens = readSource("templates/portal/assets/css/parts/tokens.css").split("@media");
    const plot = readSource("tools/odp-build/write/charts/plot.c");
    // each shade: of the light, of the dark; "others" is the first of the greys
    const shades = (list) => [...plot.split(`${list}[] = {`)[1].split(";")[0].matchAll(/0x(..), 0x(..), 0x(..)/g)]
        .map((m) => `#${m[1]}${m[2]}${m[3]}`.toLowerCase());
    const all = [...shades("colors"), ...shades("greys").slice(0, 2)];
    for (const mode of tokens) {
        const named = [...mode.matchAll(/--chart-(\d): (#[0-9a-f]{6});/g)];
        assert.deepEqual(named.map((m) => m[1]), ["1", "2", "3", "4", "5", "6", "7", "8"]);
        assert.equal(new Set(named.map((m) => m[2])).size, 8);
    }
    for (const [dark, mode] of tokens.entries())
        assert.deepEqual([...mode.matchAll(/--chart-\d: (#[0-9a-f]{6});/g)].map((m) => m[1]), all.filter((_, i) => i % 2 === dark));
});
