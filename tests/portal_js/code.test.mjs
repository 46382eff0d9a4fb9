/* The programs that people copy, run as they are printed, against a server that keeps what it was asked. */
import assert from "node:assert/strict";
import test from "node:test";
import { has, lib, runCode, withServer } from "./lib.mjs";

const { codeOf, withKey } = await lib("code");
const { addressOf } = await lib("request");

const KEY = "odp_live_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17";
const nasty = [
    "biasa",
    "a b",
    "O'Brien's \"kutip\"",
    "$HOME `id` $(id) ${x} \\n \\",
    "100% & a=b;c#d",
    "é 漢字 😀",
    "baris\nbaru\ttab",
    "'; rm -rf / #",
    "@/etc/passwd",
    "<script>",
    "%41+%20",
    "{a,b}[1-3]",
    "!history",
    "\u2028\u2029\u007f",
    "-x",
    "<?php ?> //",
    "*",
    "~",
    "\\'",
    "{$x} \\u{41} \\x41",
    "'''\"\"\"",
    "a\rb",
];
const languages = {
    curl: ["sh", [], "contoh.sh"],
    javascript: ["node", [], "contoh.js"],
    python: ["python3", [], "contoh.py"],
    php: ["php", ["-n"], "contoh.php"],
};

const request = (more) => ({ method: "GET", path: "/v1/kumuh", query: [], body: null, isPublic: false, ...more });
const requests = [
    request({}),
    request({ isPublic: true, path: "/v1/index.json" }),
    request({ query: nasty.map((value, i) => [`p${i}`, value]) }),
    request({
        query: [
            ["filter-lang", "cql2-text"],
            ["a'b\"c", "x"],
        ],
    }),
    request({ path: "/v1/kumuh/id/O%27Brien%20%26%20%22x%22" }),
    request({ method: "POST", path: "/v1/kumuh/search", body: JSON.stringify({ filter: nasty }, null, 2) }),
    request({
        method: "POST",
        path: "/v1/kumuh/search",
        body: nasty.join("\n"),
        query: nasty.slice(0, 5).map((value, i) => [`p${i}`, value]),
    }),
    request({ method: "POST", path: "/v1/webhooks/1/test" }),
    request({ method: "PATCH", path: "/v1/webhooks/1", body: '{"state": "paused"}' }),
    request({ method: "DELETE", path: "/v1/webhooks/1" }),
    request({ path: "/v1/salah" }),
];

for (const [name, [program, args, file]] of Object.entries(languages))
    test(
        `what ${name} sends is what was asked for`,
        { skip: has(program) && (name !== "curl" || has("curl")) ? false : `${program} is not installed` },
        async () => {
            await withServer(async (origin, asked) => {
                for (const one of requests) {
                    asked.length = 0;
                    const code = codeOf(one, origin)[name];
                    assert.ok(!code.includes(KEY));
                    const elsewhere = codeOf(one, "https://lain.example.org/odp/")[name];
                    const output = await runCode(program, args, file, one.isPublic ? elsewhere : code, {
                        ODP_KEY: KEY,
                        ...(one.isPublic ? { ODP_BASE_URL: origin.replace(/\/$/, "") } : {}),
                    });
                    assert.ok(output.includes('"status":"success"'), `${code}\n${output}`);
                    assert.equal(asked.length, 1, code);
                    const [got] = asked,
                        url = new URL(got.url, "http://x/"),
                        want = new URL(addressOf(one), "http://x/odp/");
                    assert.equal(got.method, one.method, code);
                    assert.equal(url.pathname, want.pathname, code);
                    assert.deepEqual(Array.from(url.searchParams), one.query, code);
                    assert.equal(got.headers.authorization, one.isPublic ? undefined : `Bearer ${KEY}`, code);
                    assert.equal(got.body, one.body === null ? "" : one.body, code);
                    if (one.body !== null) assert.equal(got.headers["content-type"], "application/json", code);
                }
            });
        },
    );

for (const [name, [program, args, file]] of Object.entries(languages))
    test(`${name} with the key filled in needs no environment`, { skip: has(program) ? false : `${program} is not installed` }, async () => {
        await withServer(async (origin, asked) => {
            for (const one of [request({}), request({ method: "POST", path: "/v1/kumuh/search", body: "{}" })]) {
                asked.length = 0;
                const code = withKey(codeOf(one, origin)[name], KEY);
                assert.ok(!code.includes("ODP_KEY"), code);
                await runCode(program, args, file, code, {});
                assert.equal(asked[0].headers.authorization, `Bearer ${KEY}`, code);
            }
        });
        assert.equal(withKey("ODP_KEY", ""), "ODP_KEY");
    });

test("a key in a value is not what is printed for the key", () => {
    const code = codeOf(request({}), "https://data.example.go.id/");
    for (const text of Object.values(code)) assert.ok(text.includes("ODP_KEY") && !text.includes("odp_live"), text);
});
