/* versions.json of a dataset: what was published, and where it lies. All of it is public: no key is sent. */
import { ProtocolError } from "./errors.js";

/** @typedef {import("./transport.js").Transport} Transport */

/**
 * The entries of versions.json, newest first, with addresses that are whole.
 * @param {Transport} transport
 * @param {string} slug
 * @param {AbortSignal} [signal]
 * @returns {Promise<any[]>}
 */
export async function versionsOf(transport, slug, signal) {
  const url = transport.url(`data/${slug}/versions.json`);
  const { data } = await transport.envelope({ url, signal });
  for (const entry of data) {
    if (typeof entry?.version !== "string") throw new ProtocolError("An entry of versions.json has no version", { method: "GET", url });
    for (const resource of listOf(entry.resources)) {
      complete(resource, "schema", url);
      for (const file of [...listOf(resource.files), ...listOf(resource.deltas)]) complete(file, "url", url);
      if (resource.changes) for (const form of ["json", "csv", "html"]) complete(resource.changes, form, url);
    }
  }
  return data;
}

/** @param {any} object @param {string} name @param {string} base */
function complete(object, name, base) {
  if (typeof object?.[name] !== "string") return;
  let url;
  try {
    url = new URL(object[name], base);
  } catch {
    url = null;
  }
  if (!url || !/^https?:$/.test(url.protocol)) throw new ProtocolError(`An address of versions.json is none: ${object[name]}`, { method: "GET", url: base });
  object[name] = url.href;
}

/** @param {unknown} list @returns {any[]} */
export function listOf(list) {
  return Array.isArray(list) ? list.filter((one) => one !== null && typeof one === "object") : [];
}

/** The resource NAME of an entry. @param {any} entry @param {string} name */
export function resourceOf(entry, name) {
  return listOf(entry.resources).find((r) => r.name === name);
}

/**
 * The files of a resource in one format, newest version first.
 * @param {any[]} entries
 * @param {string} name of the resource
 * @param {string} format
 * @returns {{ version: string, url: string, bytes: number, sha256: string, mediaType: string }[]}
 */
export function filesOf(entries, name, format) {
  const found = [];
  for (const entry of entries) {
    for (const file of listOf(resourceOf(entry, name)?.files)) {
      if (file.name !== format) continue;
      const sha256 = digestOf(file);
      if (!sha256) throw new ProtocolError(`The file ${file.name} of version ${entry.version} has no address, size or digest`, { method: "GET", url: `${file.url}` });
      found.push({ version: entry.version, url: file.url, bytes: file.bytes, sha256, mediaType: String(file.media_type ?? "") });
    }
  }
  return found;
}

/** The digest of a file that is described whole. @param {any} file @returns {string | undefined} */
function digestOf(file) {
  const whole = typeof file?.url === "string" && Number.isSafeInteger(file.bytes) && file.bytes >= 0;
  return whole ? /^sha256:([0-9a-f]{64})$/.exec(file.hash)?.[1] : undefined;
}

/**
 * In what the resource NAME is or was offered: "csv", "excel.csv" …
 * @param {any[]} entries
 * @param {string} name
 * @returns {string[]}
 */
export function formatsOf(entries, name) {
  return [...new Set(entries.flatMap((e) => listOf(resourceOf(e, name)?.files).map((f) => String(f.name))))];
}

/**
 * The one file that is asked for.
 * @param {any[]} entries
 * @param {string} name
 * @param {string} format
 * @param {string} [version] the newest that has files
 */
export function fileOf(entries, name, format, version) {
  const formats = formatsOf(entries, name);
  if (!formats.includes(format)) throw new RangeError(`${name} is not offered as ${JSON.stringify(format)}, but as ${formats.join(", ") || "nothing at all"}`);
  const files = filesOf(entries, name, format);
  const file = version === undefined ? files[0] : files.find((f) => f.version === version);
  if (!file) throw new RangeError(`There is no version ${JSON.stringify(version)} of ${name} as ${format}; there are ${files.map((f) => f.version).join(", ")}`);
  return file;
}

/**
 * The deltas that lead from one version's file to another's, oldest first; null: there is no such chain.
 * @param {any[]} entries
 * @param {string} name
 * @param {string} format
 * @param {string} from
 * @param {string} to
 * @returns {{ from: string, to: string, url: string, bytes: number, sha256: string }[] | null}
 */
export function deltasOf(entries, name, format, from, to) {
  const chain = [];
  for (let at = to; at !== from; ) {
    const entry = entries.find((e) => e.version === at);
    const delta = listOf(entry && resourceOf(entry, name)?.deltas).find((d) => d.name === format);
    const sha256 = digestOf(delta);
    if (!delta || !sha256 || chain.length > entries.length) return null;
    chain.unshift({ from: delta.from, to: at, url: delta.url, bytes: delta.bytes, sha256 });
    at = delta.from;
  }
  return chain;
}
