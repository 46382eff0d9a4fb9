/* What is JavaScript's own in the JavaScript library: iterators, signals, BigInts, streams and Blobs, what is shown of a key, what browsers get. Run by
 * tests/e2e/clients_javascript.py, in a folder whose node_modules has the package. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

const MODULE = process.env.ODP_MODULE;
const { Client, SignatureError, IntegrityError, ServerError, TransportError, OdpError, verify } = await import(MODULE);
const root = dirname(createRequire(import.meta.url).resolve(MODULE));
const KEY = "odp_live_Contoh0Kunci0Untuk0Vektor0Uji03n3sfB";
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const envelope = (data, more = {}) => JSON.stringify({ data, status: "success", ...more });

/** A server whose answers are ANSWER(request, response); ended with the test. */
async function serve(t, answer) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  t.after(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

const impatient = { retries: 0, sleep: async () => {} };

async function all(iterator) {
  const found = [];
  for await (const one of iterator) found.push(one);
  return found;
}

test("an iterator that failed goes on where it was", async (t) => {
  let faults = 0;
  const base = await serve(t, ({ url }, response) => {
    const page = Number(/p\/([0-9]+)/.exec(url)?.[1] ?? 1);
    if (page === 2 && faults++ < 2) return response.writeHead(500).end();
    const next = page < 3 ? `${page === 1 ? "x/v/1/p/" : ""}${page + 1}.json` : null;
    return response.end(envelope([{ n: page * 2 - 1 }, { n: page * 2 }], { links: { next } }));
  });
  const client = new Client({ baseUrl: base, apiKey: null, ...impatient });
  const records = client.dataset("x").list();
  const found = [];
  for (let failures = 0; ; ) {
    try {
      for await (const { n } of records) found.push(n);
      assert.equal(failures, 2);
      break;
    } catch (error) {
      assert.ok(error instanceof ServerError);
      failures++;
    }
  }
  assert.deepEqual(found, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await records.next(), { done: true, value: undefined });

  // Calls that do not wait for each other are answered in order; a return is the end.
  const more = client.dataset("x").list();
  assert.deepEqual((await Promise.all([more.next(), more.next(), more.next()])).map((r) => r.value.n), [1, 2, 3]);
  await more.return();
  assert.equal((await more.next()).done, true);
  assert.equal(more[Symbol.asyncIterator](), more);
});

test("changes that failed go on, none twice", async (t) => {
  const changes = [1, 2, 3].map((n) => ({ op: "removed", key: { n }, record: { n } }));
  const text = `{"from":{"version":"1"},\n"to":{"version":"2"},\n"changes":[\n${changes.map((c) => JSON.stringify(c)).join(",\n")}\n],\n"summary":{"added":0,"removed":3,"changed":0}}`;
  let asked = 0;
  const base = await serve(t, ({ url }, response) => {
    if (url.endsWith("versions.json"))
      return response.end(envelope([{ version: "2", resources: [{ name: "x", changes: { from: "1", json: "c.json" } }] }, { version: "1", resources: [{ name: "x" }] }]));
    if (asked++ > 0) return response.end(text);
    response.writeHead(200, { "content-length": text.length });
    response.write(text.slice(0, text.indexOf('{"op"') + 70));
    return setTimeout(() => response.destroy(), 50);
  });
  const iterator = new Client({ baseUrl: base, apiKey: null, ...impatient }).dataset("x").changes();
  const found = [];
  await assert.rejects(async () => {
    for await (const { key } of iterator) found.push(key.n);
  }, OdpError);
  for await (const { key } of iterator) found.push(key.n);
  assert.deepEqual(found, [1, 2, 3]);
});

test("whole numbers are never rounded", async (t) => {
  const base = await serve(t, (_, response) =>
    response.end(String.raw`{"data":[{"a":9007199254740993,"b":-18446744073709551616,"c":"9007199254740993","d":9007199254740991,"e":1.5,"f":"x\"9007199254740993","g":[12345678901234567890],"h":0.12345678901234567,"i":1e3}]}`),
  );
  const [record] = await all(new Client({ baseUrl: base, apiKey: null }).dataset("x").list());
  assert.deepEqual(record, {
    a: 9007199254740993n, b: -18446744073709551616n, c: "9007199254740993", d: 9007199254740991, e: 1.5, f: 'x"9007199254740993', g: [12345678901234567890n], h: 0.12345678901234567, i: 1000,
  });
});

test("the key is shown nowhere", async (t) => {
  const base = await serve(t, (_, response) => response.writeHead(401, { "content-type": "application/problem+json" }).end('{"code":"key-unknown"}'));
  const client = new Client({ baseUrl: base, apiKey: KEY });
  const error = await client.dataset("x").list().next().catch((e) => e);
  assert.equal(error.code, "key-unknown");
  const shown = [client, client.webhooks, client.dataset("x"), client.dataset("x").list(), error].flatMap((o) => [inspect(o, { depth: 20, showHidden: true, getters: true }), JSON.stringify(o), String(o)]);
  assert.ok(!shown.join("\n").includes(KEY.slice(9)));
  assert.throws(() => new Client({ apiKey: `${KEY}\nX: y` }), (e) => e instanceof TypeError && !e.message.includes(KEY));
});

test("signals end whatever is under way, and are left alone after that", async (t) => {
  const base = await serve(t, ({ url }, response) => {
    if (url.includes("busy")) return response.writeHead(429, { "retry-after": "30" }).end();
    if (url.includes("slow")) return response.writeHead(200).write('{"data":[');
    return response.end(envelope([{ n: 1 }]));
  });
  const client = new Client({ baseUrl: base, apiKey: null });
  const wanted = new Error("enough");
  for (const slug of ["busy", "slow"]) {
    const controller = new AbortController();
    const asked = client.dataset(slug).list({ signal: controller.signal }).next();
    setTimeout(() => controller.abort(wanted), 100);
    await assert.rejects(asked, wanted);
    assert.equal(getEventListeners(controller.signal, "abort").length, 0);
  }
  const { signal } = new AbortController();
  for (let n = 0; n < 20; n++) await all(client.dataset("x").list({ signal }));
  assert.equal(getEventListeners(signal, "abort").length, 0);
  await assert.rejects(client.catalog({ signal: AbortSignal.abort(wanted) }), wanted);

  // Many at once on one signal are no leak, and Node.js does not say so.
  const warnings = [];
  const warned = (warning) => warnings.push(warning);
  process.on("warning", warned);
  await Promise.all(Array.from({ length: 40 }, () => all(client.dataset("x").list({ signal }))));
  await new Promise((done) => setTimeout(done, 10));
  process.off("warning", warned);
  assert.deepEqual(warnings, []);

  const closing = client.dataset("slow").list().next();
  setTimeout(() => client.close(), 100);
  await assert.rejects(closing, OdpError);
  await assert.rejects(client.catalog(), OdpError);
});

test("what is not there, or not a value, is a TypeError and no request", async () => {
  const client = new Client({ baseUrl: "http://127.0.0.1:1/", apiKey: null });
  const table = client.dataset("x");
  for (const options of [{ tingkat: "Berat" }, { where: { a: undefined } }, { where: { a: NaN } }, { where: { a: {} } }, { where: [] }, { where: { a: new Date(NaN) } }, { sort: "-" && [] }, { bbox: [1, 2] }, { filter: 7 }])
    assert.throws(() => table.list(options), TypeError, inspect(options));
  assert.throws(() => client.dataset("../x"), TypeError);
  assert.throws(() => new Client({ key: KEY }), TypeError);
  await assert.rejects(table.download("csv", { signal: null }), TypeError);
});

test("a webhook's message, however its headers came", async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const body = Buffer.from('{"type":"webhook.test"}');
  const now = 1710478800;
  const signature = `v1,${createHmac("sha256", Buffer.alloc(32, 7)).update(`msg_1.${now}.`).update(body).digest("base64")}`;
  const plain = { "Webhook-Id": "msg_1", "WEBHOOK-TIMESTAMP": String(now), "webhook-signature": `v1,AAAA ${signature}` };
  const lists = Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, [value]]));
  for (const headers of [plain, lists, new Headers(plain), new Map(Object.entries(plain)), Object.entries(plain)])
    for (const payload of [body, body.toString(), new Uint8Array(body), new Uint8Array(body).buffer])
      assert.deepEqual(await verify(payload, headers, ["whsec_AAAA", secret], { now: new Date(now * 1000) }), { type: "webhook.test" });
  await assert.rejects(verify(body, plain, secret), SignatureError);
  await assert.rejects(verify(body, plain, secret, { now: NaN }), SignatureError);
  await assert.rejects(verify({ type: "webhook.test" }, plain, secret, { now }), /as its bytes came/);
  await assert.rejects(verify(body, plain, [], { now }), TypeError);
});

/** A site with one file of DATA, whose connections are cut after CUT bytes; AGAIN: it never goes on, but begins again (three times short). */
function siteOf(t, data, { cut = Infinity, again = false, hash = sha256(data) } = {}) {
  let short = 3;
  return serve(t, ({ url, headers }, response) => {
    if (url.endsWith("versions.json"))
      return response.end(envelope([{ version: "1", state: "published", resources: [{ name: "x", files: [{ name: "csv", format: "CSV", url: "1/x.csv", media_type: "text/csv", bytes: data.length, hash: `sha256:${hash}` }] }] }]));
    const from = again ? 0 : Number(/bytes=([0-9]+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { etag: '"x"', "content-length": data.length - from, ...(from > 0 && { "content-range": `bytes ${from}-${data.length - 1}/${data.length}` }) });
    const stop = again && short-- <= 0 ? data.length : Math.min(data.length, from + cut);
    let at = from;
    const more = () => {
      while (at < stop) {
        const end = Math.min(stop, at + 65536);
        const room = response.write(data.subarray(at, end));
        at = end;
        if (!room) return response.once("drain", more);
      }
      return stop === data.length ? response.end() : setTimeout(() => response.destroy(), 20);
    };
    return more();
  });
}

test("a file into a stream or memory, through cuts and from a server that begins again", async (t) => {
  const data = Buffer.from(Array.from({ length: 50_000 }, (_, n) => `${n},x\n`).join(""));
  for (const how of [{ cut: 100_000 }, { cut: 100_000, again: true }]) {
    const client = new Client({ baseUrl: await siteOf(t, data, how), apiKey: null, sleep: async () => {} });
    const pieces = [];
    let closed = false;
    const done = await client.dataset("x").download("csv", new WritableStream({ write: (piece) => void pieces.push(Buffer.from(piece)), close: () => void (closed = true) }));
    assert.ok(closed && Buffer.concat(pieces).equals(data), inspect(how));
    assert.equal(done.sha256, sha256(data));
    const { blob } = await client.dataset("x").download("csv");
    assert.deepEqual([blob.type, sha256(Buffer.from(await blob.arrayBuffer()))], ["text/csv", sha256(data)]);
  }
  const client = new Client({ baseUrl: await siteOf(t, data, { hash: sha256("another") }), apiKey: null });
  let reason = null;
  await assert.rejects(client.dataset("x").download("csv", new WritableStream({ abort: (why) => void (reason = why) })), IntegrityError);
  assert.ok(reason instanceof IntegrityError);
  await assert.rejects(client.dataset("x").download("csv"), IntegrityError);
});

test("a sync that breaks off leaves the file as it was, and nothing beside it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "odp-js-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [old, now, delta] = [Buffer.alloc(9000, "old"), Buffer.alloc(9000, "new"), Buffer.alloc(500, "delta")];
  const entry = (version, data, more) => ({ version, state: "published", resources: [{ name: "x", files: [{ name: "csv", format: "CSV", url: `${version}.csv`, media_type: "text/csv", bytes: data.length, hash: `sha256:${sha256(data)}` }], ...more }] });
  const base = await serve(t, ({ url }, response) => {
    if (url.endsWith("versions.json")) return response.end(envelope([entry("2", now, { deltas: [{ from: "1", name: "csv", url: "d", bytes: delta.length, hash: `sha256:${sha256(delta)}` }] }), entry("1", old)]));
    response.writeHead(200, { "content-length": delta.length });
    response.write(delta.subarray(0, 100));
    return setTimeout(() => response.destroy(), 20);
  });
  await writeFile(join(folder, "x.csv"), old);
  await assert.rejects(new Client({ baseUrl: base, apiKey: null, ...impatient }).dataset("x").sync(join(folder, "x.csv")), TransportError);
  assert.deepEqual(await readdir(folder), ["x.csv"]);
  assert.ok((await readFile(join(folder, "x.csv"))).equals(old));
});

test("memory does not grow with a file", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "odp-js-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const data = Buffer.alloc(192 * 1024 * 1024, "0123456789abcdefghijklmnopqrstuvwxyz\n");
  const client = new Client({ baseUrl: await siteOf(t, data, { cut: 50_000_000 }), apiKey: null, sleep: async () => {} });
  const before = process.memoryUsage().rss;
  let peak = 0;
  const done = await client.dataset("x").download("csv", pathToFileURL(join(folder, "x.csv")), { progress: () => (peak = Math.max(peak, process.memoryUsage().rss)) });
  assert.equal(done.transferred, data.length);
  assert.ok(peak - before < 128 * 1024 * 1024, `${(peak - before) / 2 ** 20} MiB more`);
  assert.deepEqual(await readdir(folder), ["x.csv"]);
});

test("browsers get nothing of Node.js", async (t) => {
  const seen = new Set();
  const follow = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from] of readFileSync(file, "utf8").matchAll(/(?:^|\n)(?:import|export)\b[^;]*?from "([^"]+)"/g)) {
      assert.match(from, /^\.\.?\//, file);
      follow(resolve(dirname(file), from));
    }
  };
  follow(join(root, "index.js"));
  assert.ok(seen.size > 10 && ![...seen].some((file) => file.includes("node/")));
  const { exports, sideEffects, dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  assert.deepEqual([exports["."].default, exports["."].node, sideEffects, dependencies], ["./index.js", "./node.js", false, undefined]);

  // The same modules, as they are there: no files, SHA-256 of their own.
  const web = await import(pathToFileURL(join(root, "index.js")));
  const data = Buffer.from("a,b\n1,2\n");
  const client = new web.Client({ baseUrl: await siteOf(t, data), apiKey: null });
  assert.equal(await (await client.dataset("x").download("csv")).blob.text(), data.toString());
  await assert.rejects(client.dataset("x").download("csv", "x.csv"), TypeError);
  await assert.rejects(client.dataset("x").sync("x.csv"), TypeError);
  assert.deepEqual(Object.keys(web).sort(), Object.keys(await import(MODULE)).sort());
});
