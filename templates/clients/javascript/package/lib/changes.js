/* What was added, removed and changed between two versions, out of the published differences (changes.json), line by line. */
import { ProtocolError } from "./errors.js";
import { bytesOf } from "./bytes.js";
import { iterate } from "./iterate.js";
import { parse } from "./json.js";
import { resourceOf } from "./versions.js";

/** @typedef {import("./transport.js").Transport} Transport */

const LINE_BYTES = 64 * 1024 * 1024;

/**
 * The steps from one version to another, oldest first.
 * @param {any[]} entries of versions.json, newest first
 * @param {string} name of the resource
 * @param {string | undefined} from the version before TO
 * @param {string | undefined} to the newest
 * @returns {{ from: string, to: string, url: string }[]}
 */
function stepsOf(entries, name, from, to) {
  const known = entries.filter((e) => resourceOf(e, name));
  if (known.length === 0) throw new RangeError(`No published version has ${JSON.stringify(name)}`);
  for (const version of [from, to]) {
    if (version !== undefined && !known.some((e) => e.version === version))
      throw new RangeError(`There is no version ${JSON.stringify(version)} of ${name}; there are ${known.map((e) => e.version).join(", ")}`);
  }
  const last = to ?? known[0].version;
  const steps = [];
  for (let at = last; at !== from; ) {
    const changes = resourceOf(known.find((e) => e.version === at) ?? {}, name)?.changes;
    if (typeof changes?.from !== "string" || steps.length > entries.length) {
      throw new RangeError(from === undefined ? `${last} is the first version of ${name}: nothing changed before` : `No differences lead from ${from} to ${last}`);
    }
    if (typeof changes.json !== "string") throw new RangeError(`What changed in ${name} from ${changes.from} to ${at} is published as counts only`);
    steps.unshift({ from: changes.from, to: at, url: changes.json });
    at = changes.from;
    if (from === undefined) break;
  }
  return steps;
}

/**
 * All differences between two versions, step by step.
 * @param {Transport} transport
 * @param {string} name of the resource
 * @param {() => Promise<any[]>} versions
 * @param {string | undefined} from
 * @param {string | undefined} to
 * @param {AbortSignal | undefined} signal
 * @returns {AsyncGenerator<any, void, void>}
 */
export function changesBetween(transport, name, versions, from, to, signal) {
  /** @type {{ from: string, to: string, url: string }[] | null} */
  let steps = null;
  /** @type {AsyncGenerator<any, void, void> | null} */
  let source = null;
  let given = 0; // of the first of STEPS
  return iterate(
    async () => {
      steps ??= stepsOf(await versions(), name, from, to);
      for (;;) {
        const step = steps[0];
        if (!step) return null;
        try {
          source ??= await skip(changesOf(transport, step, signal), given);
          const { done, value } = await source.next();
          if (!done) {
            given++;
            return { value };
          }
        } catch (error) {
          source = null;
          throw error;
        }
        steps.shift();
        source = null;
        given = 0;
      }
    },
    async () => source?.return(),
  );
}

/**
 * @param {AsyncGenerator<any, void, void>} source
 * @param {number} n how many are known already
 */
async function skip(source, n) {
  while (n-- > 0) await source.next();
  return source;
}

/**
 * The differences of one step. The document is read as it is written, a change a line; in any other layout it is read whole.
 * @param {Transport} transport
 * @param {{ from: string, to: string, url: string }} step
 * @param {AbortSignal | undefined} signal
 * @returns {AsyncGenerator<any, void, void>}
 */
async function* changesOf(transport, { from, to, url }, signal) {
  const request = { method: "GET", url };
  const part = { head: "", tail: "" };
  /** @type {"head" | "changes" | "tail"} */
  let where = "head";
  let given = 0;
  for await (const line of linesOf(transport, url, signal)) {
    if (where === "changes") {
      if (line.startsWith("]")) {
        where = "tail";
        part.tail = line.slice(1).replace(/^,/, "");
        continue;
      }
      yield { ...jsonOf(line.replace(/,\s*$/, ""), request), from, to };
      given++;
      continue;
    }
    part[where] += line;
    if (part[where].length > LINE_BYTES) throw new ProtocolError("The differences are not in the form that is published", request);
    if (where === "head" && line === '"changes":[') {
      where = "changes";
      checkVersions(jsonOf(`${part.head}]}`, request), from, to, request);
    }
  }
  if (where === "changes") throw new ProtocolError("The differences end early", request);
  const rest = jsonOf(where === "head" ? part.head : `{${part.tail}`, request);
  if (where === "head") {
    checkVersions(rest, from, to, request);
    for (const change of rest.changes) yield { ...change, from, to };
    given = rest.changes.length;
  }
  const told = ["added", "removed", "changed"].reduce((sum, kind) => sum + rest.summary?.[kind], 0);
  if (Number.isFinite(told) && told !== given) throw new ProtocolError(`There are ${given} differences instead of ${told}`, request);
}

/**
 * @param {any} head
 * @param {string} from
 * @param {string} to
 * @param {import("./transport.js").Request} request
 */
function checkVersions(head, from, to, request) {
  if (!Array.isArray(head?.changes)) throw new ProtocolError("The differences have no array `changes`", request);
  if (head.from?.version !== from || head.to?.version !== to) throw new ProtocolError(`The differences are from ${head.from?.version} to ${head.to?.version}, not from ${from} to ${to}`, request);
  // No differences would be another answer.
  if (typeof head.note === "string") throw new RangeError(`What changed from ${from} to ${to} is not told record by record: ${head.note}`);
}

/** @param {string} text @param {import("./transport.js").Request} request */
function jsonOf(text, request) {
  try {
    return parse(text);
  } catch (cause) {
    throw new ProtocolError("The differences are not JSON", request, { cause });
  }
}

/**
 * The lines of a published text; where the server begins again after a cut, what was read already is left out.
 * @param {Transport} transport
 * @param {string} url
 * @param {AbortSignal | undefined} signal
 * @returns {AsyncGenerator<string, void, void>}
 */
async function* linesOf(transport, url, signal) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const request = { method: "GET", url };
  const text = (/** @type {Uint8Array} */ bytes, /** @type {boolean} */ stream) => {
    try {
      return decoder.decode(bytes, { stream });
    } catch (cause) {
      throw new ProtocolError("The differences are not UTF-8", request, { cause });
    }
  };
  let done = 0;
  let rest = "";
  for await (const { at, data } of bytesOf(transport, { url, signal })) {
    if (at + data.length <= done) continue;
    rest += text(data.subarray(done - at), true);
    done = at + data.length;
    const lines = rest.split("\n");
    rest = /** @type {string} */ (lines.pop());
    if (rest.length > LINE_BYTES) throw new ProtocolError("A line of the differences is too long", request);
    yield* lines;
  }
  rest += text(new Uint8Array(), false);
  if (rest !== "") yield rest;
}
