/* An index on a server, read in parts: ranges, what is known to be wanted, a server without ranges, answers that are wrong. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { lib } from "./lib.mjs";

const { OverBudget, Pages, openPages, wantRecords } = await lib("explore/pages");
const PAGE = 512;

/* A table of 2 * N records of SQLite's B-tree: page 2 its root, pages 3 … its leaves with two records each. */
function tableOf(n) {
    const bytes = new Uint8Array((n + 2) * PAGE);
    bytes[16] = PAGE >> 8;
    const root = bytes.subarray(PAGE, 2 * PAGE);
    root.set([5, 0, 0, (n - 1) >> 8, (n - 1) & 255, 0, 0, 0, 0, 0, 0, n + 2]);
    for (let k = 0; k < n - 1; k++) {
        const cell = PAGE - 6 * (k + 1);
        const fid = 2 * (k + 1);
        root.set([cell >> 8, cell & 255], 12 + 2 * k);
        root.set([0, 0, 0, 3 + k, 0x80 | (fid >> 7), fid & 127], cell);
    }
    for (let k = 0; k < n; k++)
        bytes.subarray((2 + k) * PAGE, (3 + k) * PAGE).fill(k).set([13]);
    return bytes;
}

async function serving(bytes, answer, run) {
    const asked = [];
    const server = createServer((request, response) => {
        const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range || "");
        asked.push(request.headers.range || "");
        answer(response, range === null ? null : [Number(range[1]), Number(range[2]) + 1]);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
        return await run(`http://127.0.0.1:${server.address().port}/x.sqlite`, asked);
    } finally {
        server.closeAllConnections();
        server.close();
    }
}

const bytes = tableOf(30);
const partly = (response, range) => response.writeHead(206).end(Buffer.from(bytes.subarray(...range)));
const wholly = (response) => response.writeHead(200).end(Buffer.from(bytes));

test("records that are wanted come with what leads to them, neighbours at once", async () => {
    await serving(bytes, partly, async (address, asked) => {
        const pages = await openPages(address, bytes.length, () => undefined);
        pages.kept.clear();
        asked.length = 0;
        await wantRecords(pages, 2, [1, 4, 5, 60, 31]);
        assert.deepEqual(asked, [[1, 2], [2, 5], [17, 18], [31, 32]].map(([from, to]) => `bytes=${from * PAGE}-${to * PAGE - 1}`));
        assert.equal(pages.at(31)[1], 29);
        asked.length = 0;
        await wantRecords(pages, 2, [60, 4]);
        assert.deepEqual(asked, []);
    });
});

test("a server without ranges sends all, with progress", async () => {
    await serving(bytes, wholly, async (address, asked) => {
        const told = [];
        const pages = await openPages(address, bytes.length, (read, total) => told.push([read, total]));
        assert.deepEqual(told[told.length - 1], [bytes.length, bytes.length]);
        const into = new Uint8Array(PAGE + 10);
        assert.equal(pages.read(bytes.length - PAGE, into), false);
        assert.deepEqual(Array.from(into.subarray(PAGE - 1)), [29, ...Array(10).fill(0)]);
        assert.equal(asked.length, 1);
    });
});

test("a wrong answer is a fault", async () => {
    const wrong = [
        (response, [from, to]) => response.writeHead(206).end(Buffer.from(bytes.subarray(from, to - 1))),
        (response) => response.writeHead(200).end(Buffer.from(bytes.subarray(1))),
        (response) => response.writeHead(200).end(Buffer.concat([bytes, Buffer.from("x")])),
        (response) => response.writeHead(404).end(),
    ];
    for (const answer of wrong)
        await serving(bytes, answer, (address) => assert.rejects(openPages(address, bytes.length, () => undefined)));
});

test("a run that goes on is fetched ahead; a budget ends it", () => {
    const asked = [];
    const pages = new Pages({ size: bytes.length, page: PAGE, range: (from, to) => (asked.push((to - from) / PAGE), bytes.subarray(from, to)) });
    const into = new Uint8Array(PAGE);
    for (let k = 0; k < 15; k++)
        assert.ok(pages.read(k * PAGE, into));
    assert.deepEqual(asked, [1, 2, 4, 8]);
    pages.read(25 * PAGE, into);
    assert.equal(asked[4], 1);
    pages.budget = PAGE;
    pages.read(28 * PAGE, into);
    assert.throws(() => pages.read(20 * PAGE, into), OverBudget);
    assert.ok(pages.read(28 * PAGE, into)); /* what is here costs nothing */
});
