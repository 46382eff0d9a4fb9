/* The JavaScript library as the conformance tests drive it: README.md has the protocol. It maps names, and judges nothing. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { inspect } from "node:util";

const KEY = /^odp_live_[0-9A-Za-z]{36}$/;
const KINDS = ["BadRequest", "Authentication", "PermissionDenied", "NotFound", "Conflict", "Gone", "CursorExpired", "QuotaExceeded", "Server", "Transport", "RequestTimeout", "Protocol", "Integrity", "Signature"];

const given = JSON.parse(await read(process.stdin));
let request, library, waits, client, last; // of the run that is being done

if (Array.isArray(given)) {
  const all = [];
  for (const one of given) all.push(toJson(await answer(one)));
  process.stdout.write(`[${all.join(",")}]\n`);
} else {
  process.stdout.write(`${toJson(await answer(given))}\n`);
}

async function answer(told) {
  request = told;
  library = await import(request.module);
  waits = [];
  client = makeClient();
  last = null;
  const outcomes = [];
  for (const call of request.calls) outcomes.push(await outcome(call));
  client?.close();
  return { outcomes, waits };
}

async function read(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

function makeClient() {
  const { key, timeout, retries, max_wait: maxWait, language } = request.client;
  const options = { baseUrl: request.base };
  if (key !== undefined) options.apiKey = key;
  if (timeout !== undefined) options.timeout = timeout * 1000;
  if (retries !== undefined) options.retries = retries;
  if (maxWait !== undefined) options.maxWait = maxWait * 1000;
  if (language !== undefined) options.language = language;
  if (!request.sleep) options.sleep = async (milliseconds) => void waits.push(milliseconds / 1000);
  return new library.Client(options);
}

async function outcome(call) {
  try {
    return { result: await run(call) };
  } catch (error) {
    return { error: told(error) };
  }
}

function told(error) {
  const name = String(error?.name).replace(/Error$/, "");
  const found = { kind: KINDS.includes(name) && error instanceof library.OdpError ? name : error instanceof TypeError || error instanceof RangeError ? "Argument" : "Other", message: error?.message ?? String(error) };
  if (found.kind === "Other") found.message = `${error?.name}: ${error?.stack ?? error}`;
  if (error instanceof library.ApiError) {
    found.status = error.status;
    if (error.code !== null) found.code = error.code;
    if (error.reset instanceof Date && !Number.isNaN(error.reset.getTime())) {
      found.reset = true;
      found.reset_time = error.reset.toISOString();
    }
  }
  return found;
}

function table({ dataset, resource }) {
  const found = client.dataset(dataset);
  return resource === undefined ? found : found.resource(resource);
}

function options({ options: given = {} }) {
  const { page_size: pageSize, skip_geometry: skipGeometry, ...same } = given;
  return { ...same, ...(pageSize !== undefined && { pageSize }), ...(skipGeometry !== undefined && { skipGeometry }) };
}

async function run(call) {
  const path = (name) => resolve(request.folder, call[name]);
  switch (call.do) {
    case "list":
      return taken(table(call).list(options(call)), call);
    case "search":
      return taken(table(call).search(call.q, options(call)), call);
    case "timeline":
      return taken(client.dataset(call.dataset).timeline(options(call)), call);
    case "pages":
      return (await taken(table(call).pages(options(call)), call)).map(({ records, total, version }) => ({ count: records.length, total, version }));
    case "get":
      return table(call).get(call.id);
    case "versions":
      return (await client.dataset(call.dataset).versions()).map((entry) => entry.version);
    case "changes":
      return (await taken(table(call).changes({ ...(call.from !== undefined && { from: call.from }), ...(call.to !== undefined && { to: call.to }) }), call)).map(
        ({ op, key, record, cells, geometry, from, to }) => ({ op, key, record, cells, geometry, from, to }),
      );
    case "download": {
      let progress = null;
      const { version, bytes, sha256, transferred } = await table(call).download(call.format, path("path"), {
        ...(call.version !== undefined && { version: call.version }),
        ...(call.resume !== undefined && { resume: call.resume }),
        progress: (done, total) => (progress = [done, total]),
      });
      return { version, bytes, sha256, transferred, progress };
    }
    case "sync": {
      const { version, action, transferred, sha256 } = await table(call).sync(path("path"), call.format === undefined ? {} : { format: call.format });
      return { version, action, transferred, sha256 };
    }
    case "patch": {
      const main = createRequire(import.meta.url).resolve(request.module);
      const { patch } = await import(new URL("lib/node/delta.js", pathToFileURL(main)).href);
      try {
        return { sha256: (await patch(path("old"), path("delta"), path("new"))).sha256 };
      } catch (error) {
        throw error.name === "DeltaError" ? new library.IntegrityError(error.message, "", "") : error;
      }
    }
    case "catalog":
      return (await client.catalog()).map((entry) => entry.slug);
    case "register": {
      const { do: _, ...person } = call;
      return masked(await client.register(person));
    }
    case "rotate":
      return masked(await client.rotate(call.grace_hours === undefined ? {} : { graceHours: call.grace_hours }));
    case "usage":
      return masked(await client.usage());
    case "verify":
      return library.verify(
        call.payload_base64 === undefined ? call.payload : Buffer.from(call.payload_base64, "base64"),
        call.headers,
        call.secret,
        call.now === undefined || call.now === null ? {} : { now: call.now },
      );
    case "text":
      return [String(client), inspect(client, { depth: 9, showHidden: true, getters: true }), JSON.stringify(client), Object.entries(client).join(), inspect(client.webhooks, { depth: 9, showHidden: true })].join("\n");
    default:
      return webhook(call);
  }
}

async function webhook({ do: what, id = null, grace_hours: graceHours, challenge, ...subscription }) {
  const { webhooks } = client;
  const wanted = id === "@LAST@" ? last : id;
  switch (what) {
    case "webhook_create": {
      const made = await webhooks.create(subscription);
      last = made.id;
      return made;
    }
    case "webhook_list":
      return webhooks.list();
    case "webhook_get":
      return webhooks.get(wanted);
    case "webhook_delete":
      return webhooks.delete(wanted);
    case "webhook_confirm":
      return webhooks.confirm(wanted, challenge);
    case "webhook_test":
      return webhooks.test(wanted);
    case "webhook_rotate_secret":
      return webhooks.rotateSecret(wanted, graceHours === undefined ? {} : { graceHours });
    default:
      throw new Error(`the driver does not know ${what}`);
  }
}

async function taken(iterator, { take = Infinity, digest = false }) {
  const found = [];
  if (take === 0) return found;
  for await (const one of iterator) {
    found.push(digest ? canonical(one) : one);
    if (found.length >= take) break;
  }
  if (!digest) return found;
  const lines = found.map((line) => Buffer.from(`${line}\n`)).sort(Buffer.compare);
  const hash = createHash("sha256");
  for (const line of lines) hash.update(line);
  return { count: found.length, distinct: new Set(found).size, sha256: hash.digest("hex") };
}

/** Members sorted, no spaces, BigInts as numbers. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return toJson(value);
  const names = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

function masked(members) {
  return { ...members, key: KEY.test(members.key) };
}

/** JSON, with integers that only a BigInt holds. */
function toJson(value) {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => toJson(one ?? null)).join(",")}]`;
  if (value === null || typeof value !== "object" || typeof value.toJSON === "function") return JSON.stringify(value) ?? "null";
  return `{${Object.entries(value).filter(([, one]) => one !== undefined).map(([name, one]) => `${JSON.stringify(name)}:${toJson(one)}`).join(",")}}`;
}
