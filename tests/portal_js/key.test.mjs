import assert from "node:assert/strict";
import test from "node:test";
import zlib from "node:zlib";
import { lib } from "./lib.mjs";

const key = await lib("key");
const zlibCrc = zlib.crc32; /* since Node.js 22; the published vectors hold in any */

test("the checksum is that of the published vector", () => {
    assert.equal(key.checksum("zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ"), "0mLq17");
    assert.ok(key.validForm("odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"));
});

test("CRC-32 of known texts", () => {
    assert.equal(key.crc32(""), 0);
    assert.equal(key.crc32("123456789"), 0xcbf43926);
    if (zlibCrc)
        for (const text of ["a", "ab", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ", "0".repeat(30), "z".repeat(30)])
            assert.equal(key.crc32(text), zlibCrc(text));
});

test("every slip of one character is found", () => {
    const good = "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17";
    for (let i = 9; i < good.length; i++)
        for (const c of "0aZ9")
            if (good[i] !== c) assert.equal(key.validForm(good.slice(0, i) + c + good.slice(i + 1)), false, `${i} ${c}`);
});

test("what is no key", () => {
    const good = "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17";
    for (const bad of [
        "",
        "odp_live_",
        good.slice(0, -1),
        `${good}0`,
        ` ${good}`,
        `${good}\n`,
        good.replace("live", "test"),
        good.replace("z", "é"),
        good.toUpperCase(),
    ])
        assert.equal(key.validForm(bad), false, JSON.stringify(bad));
});

test("the key is kept for the session alone, and one that is none is not", () => {
    const store = new Map();
    globalThis.sessionStorage = {
        getItem: (k) => (store.has(k) ? store.get(k) : null),
        setItem: (k, v) => store.set(k, v),
        removeItem: (k) => store.delete(k),
    };
    const good = "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17";
    assert.equal(key.setKey("odp_live_salah"), false);
    assert.equal(key.getKey(), "");
    assert.equal(key.setKey(good), true);
    assert.equal(store.get("odp-key"), good);
    assert.equal(key.getKey(), good);
    store.set("odp-key", "<script>");
    assert.equal(key.getKey(), "");
    key.forgetKey();
    assert.equal(store.size, 0);
    assert.equal(key.getKey(), "");
    delete globalThis.sessionStorage; /* forbidden: the page remembers */
    assert.equal(key.setKey(good), true);
    assert.equal(key.getKey(), good);
    key.forgetKey();
    assert.equal(key.getKey(), "");
    assert.equal(key.shownForm(good), "odp_live_zQWBu…");
});
