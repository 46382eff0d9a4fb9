/* The library in a page, without a bundler: the package's own files and an import map, the API on another origin (CORS as the gateway has it). Prints what the page
 * found as JSON. Arguments: the package's folder. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, normalize } from "node:path";

const { chromium } = createRequire(join(process.env.ODP_MODULES, "package.json"))("playwright-core");
const folder = process.argv[2];
const file = Buffer.from("id,luas\n1,2\n");
const asked = [];

const api = await listen(({ method, url, headers }, response) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  if (method === "OPTIONS") return response.writeHead(204, { "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, If-Range, Range" }).end();
  asked.push({ method, url, key: headers.authorization !== undefined });
  if (url === "/data/x/versions.json")
    return json(response, [{ version: "1", state: "published", resources: [{ name: "x", files: [{ name: "csv", format: "CSV", url: "1/x.csv", media_type: "text/csv", bytes: file.length, hash: `sha256:${createHash("sha256").update(file).digest("hex")}` }] }] }]);
  if (url === "/data/x/1/x.csv") return response.writeHead(200, { "Content-Type": "text/csv" }).end(file);
  if (url === "/v1/x.json") return json(response, [{ n: 1 }], { next: "x/v/1/p/2.json" });
  if (url === "/v1/x/v/1/p/2.json") return json(response, [{ n: 2 }]);
  if (url === "/v1/x/search") return json(response, [{ n: 3 }]);
  return response.writeHead(404, { "Content-Type": "application/problem+json" }).end('{"code":"record-not-found"}');
});
const site = await listen(async ({ url }, response) => {
  if (url === "/") {
    response.setHeader("Content-Type", "text/html");
    return response.end('<!doctype html><script type="importmap">{"imports":{"@odp/client":"/package/index.js"}}</script><script type="module" src="/page.js"></script>');
  }
  try {
    const body = url === "/page.js" ? program(address(api)) : await readFile(join(folder, normalize(url.replace("/package/", "/"))));
    return response.writeHead(200, { "Content-Type": "text/javascript" }).end(body);
  } catch {
    return response.writeHead(404).end();
  }
});

const browser = await chromium.launch({ executablePath: process.env.ODP_CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(address(site));
await page.waitForFunction(() => globalThis.found !== undefined, null, { timeout: 60000 });
console.log(JSON.stringify({ ...(await page.evaluate(() => globalThis.found)), asked }));
await browser.close();
for (const server of [api, site]) {
  server.closeAllConnections?.();
  server.close();
}

function json(response, data, links = {}) {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ data, status: "success", links }));
}

async function listen(answer) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  return server;
}

function address(server) {
  return `http://127.0.0.1:${server.address().port}/`;
}

/** What the page does. */
function program(base) {
  return `import { Client, NotFoundError, SignatureError, verify } from "@odp/client";
const found = {};
try {
  const client = new Client({ baseUrl: ${JSON.stringify(base)}, apiKey: "odp_live_x" });
  found.records = [];
  for await (const { n } of client.dataset("x").list()) found.records.push(n);
  for await (const { n } of client.dataset("x").search("words")) found.records.push(n);
  const { blob, bytes } = await client.dataset("x").download("csv");
  found.file = [bytes, blob.type, await blob.text()];
  found.missing = await client.dataset("x").get("nope").catch((error) => [error instanceof NotFoundError, error.code]);
  found.path = await client.dataset("x").sync("x.csv").catch((error) => error.name);
  const headers = new Headers({ "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330", "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" });
  const [secret, now] = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", { now: 1614265330 }];
  found.message = await verify('{"test": 2432232314}', headers, secret, now);
  found.tampered = await verify('{"test": 2432232315}', headers, secret, now).catch((error) => error instanceof SignatureError);
} catch (error) {
  found.error = String(error.stack);
}
globalThis.found = found;
`;
}
