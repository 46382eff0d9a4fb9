/* Makes a new file out of an old one by a delta file, odp-delta-1: a gzip stream of a header line, copies of the old file and inserted bytes. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { createInflateRaw } from "node:zlib";
import { hashInto, sizeOf } from "./files.js";

const HEADER_BYTES = 4096;
const LINE_BYTES = 35;
const COPY_BYTES = 256 * 1024;

/** A delta that does not fit or is damaged. It is no error of the caller's: the whole file is downloaded then. */
export class DeltaError extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "DeltaError" });
  }
}

/**
 * Writes the file NEW and proves it. What was written of a file that is not right is removed.
 * @param {string} oldPath
 * @param {string} deltaPath
 * @param {string} newPath
 * @param {{ from?: { bytes: number, sha256: string }, to?: { bytes: number, sha256: string }, signal?: AbortSignal | undefined }} [expected] what the caller knows of both files
 * @returns {Promise<{ bytes: number, sha256: string }>}
 */
export async function patch(oldPath, deltaPath, newPath, { from, to, signal } = {}) {
  const input = new Input(unzipped(deltaPath));
  const old = await open(oldPath, "r");
  try {
    const header = headerOf(await input.line(HEADER_BYTES));
    if (!same(header.from, from) || !same(header.to, to)) throw new DeltaError("The delta is of other files");
    await proveOld(oldPath, header.from, signal);
    const out = await open(newPath, "w");
    let right = false;
    try {
      const sha256 = await apply(input, old, header, out, signal);
      await out.sync();
      right = true;
      return { bytes: header.to.bytes, sha256 };
    } finally {
      await out.close();
      if (!right) await rm(newPath, { force: true });
    }
  } finally {
    await input.end();
    await old.close();
  }
}

/** @param {{ bytes: number, sha256: string }} told @param {{ bytes: number, sha256: string } | undefined} known */
function same(told, known) {
  return known === undefined || (told.bytes === known.bytes && told.sha256 === known.sha256);
}

/** @param {string} path @param {{ bytes: number, sha256: string }} file @param {AbortSignal | undefined} signal */
async function proveOld(path, file, signal) {
  if ((await sizeOf(path)) !== file.bytes) throw new DeltaError("The old file has another size");
  const hash = createHash("sha256");
  await hashInto(path, hash, signal);
  if (hash.digest("hex") !== file.sha256) throw new DeltaError("The old file is another one");
}

/**
 * @param {Input} input
 * @param {import("node:fs/promises").FileHandle} old
 * @param {{ from: { bytes: number }, to: { bytes: number, sha256: string } }} header
 * @param {import("node:fs/promises").FileHandle} out
 * @param {AbortSignal | undefined} signal
 */
async function apply(input, old, { from, to }, out, signal) {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  let written = 0;
  const write = async (/** @type {Uint8Array} */ data) => {
    signal?.throwIfAborted();
    hash.update(data);
    for (let done = 0; done < data.length; ) done += (await out.write(data, done, data.length - done)).bytesWritten;
    written += data.length;
  };
  for (;;) {
    const operation = operationOf(await input.line(LINE_BYTES));
    if (operation === null) break;
    const { offset, length } = operation;
    if (length > to.bytes - written) throw new DeltaError("The result would be too long");
    if (offset === undefined) {
      for (let left = length; left > 0; ) {
        const piece = await input.some(left);
        await write(piece);
        left -= piece.length;
      }
      continue;
    }
    if (length > from.bytes || offset > from.bytes - length) throw new DeltaError("A copy reaches beyond the old file");
    for (let done = 0; done < length; ) {
      const { bytesRead } = await old.read(buffer, 0, Math.min(buffer.length, length - done), offset + done);
      if (bytesRead === 0) throw new DeltaError("The old file became shorter");
      await write(buffer.subarray(0, bytesRead));
      done += bytesRead;
    }
  }
  await input.nothing();
  const sha256 = hash.digest("hex");
  if (written !== to.bytes || sha256 !== to.sha256) throw new DeltaError("The result is another file");
  return sha256;
}

/** @param {string} line @returns {{ offset?: number, length: number } | null} null: the end */
function operationOf(line) {
  if (line === "E") return null;
  const found = /^(?:C (0|[1-9][0-9]*)|I) ([1-9][0-9]*)$/.exec(line);
  const offset = found?.[1] === undefined ? undefined : Number(found[1]);
  const length = Number(found?.[2]);
  if (!found || !Number.isSafeInteger(length) || (offset !== undefined && !Number.isSafeInteger(offset))) throw new DeltaError("An operation that is none");
  return offset === undefined ? { length } : { offset, length };
}

/* ---- header ---- */

/** @param {string} line */
function headerOf(line) {
  const header = readJson(line);
  if (!(header instanceof Map) || header.get("format") !== "odp-delta-1") throw new DeltaError("Not a delta of this format");
  return { from: describedFile(header.get("from")), to: describedFile(header.get("to")) };
}

/** @param {unknown} told @returns {{ bytes: number, sha256: string }} */
function describedFile(told) {
  if (!(told instanceof Map)) throw new DeltaError("The header does not say which files");
  const sha256 = told.get("sha256");
  const bytes = told.get("bytes");
  const version = told.get("version");
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) throw new DeltaError("A digest in the header is none");
  if (!(bytes instanceof Literal) || !/^(0|[1-9][0-9]*)$/.test(bytes.text) || !Number.isSafeInteger(Number(bytes.text))) throw new DeltaError("A size in the header is none");
  if (version !== undefined && typeof version !== "string") throw new DeltaError("A version in the header is no text");
  return { bytes: Number(bytes.text), sha256 };
}

/** A number as it was written. */
class Literal {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * JSON, where a member that is there twice is a fault and a number is not rounded: objects are Maps, numbers Literals.
 * @param {string} text
 * @returns {unknown}
 */
function readJson(text) {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new DeltaError("The header is not JSON", { cause });
  }
  // The grammar was checked: what follows only has to find its way.
  const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  let at = 0;
  return value();

  /** @returns {unknown} */
  function value() {
    const token = /** @type {string} */ (tokens[at++]);
    if (token === "{") return members();
    if (token === "[") return items();
    if (token[0] === '"') return JSON.parse(token);
    return /^[tfn]/.test(token) ? JSON.parse(token) : new Literal(token);
  }

  function members() {
    const found = new Map();
    while (tokens[at] !== "}") {
      const name = JSON.parse(/** @type {string} */ (tokens[at]));
      if (found.has(name)) throw new DeltaError("A member of the header is there twice");
      at += 2; // the name and its colon
      found.set(name, value());
      if (tokens[at] === ",") at++;
    }
    at++;
    return found;
  }

  function items() {
    const found = [];
    while (tokens[at] !== "]") {
      found.push(value());
      if (tokens[at] === ",") at++;
    }
    at++;
    return found;
  }
}

/* ---- the stream ---- */

/** Lines and bytes out of pieces. */
class Input {
  #pieces;
  /** @type {Buffer} */
  #rest = Buffer.alloc(0);

  /** @param {AsyncGenerator<Buffer, void, void>} pieces */
  constructor(pieces) {
    this.#pieces = pieces;
  }

  /** False: there is no more. */
  async #more() {
    const { done, value } = await this.#pieces.next();
    if (done) return false;
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, value]) : value;
    return true;
  }

  /** A line of at most LIMIT bytes, without its end. @param {number} limit */
  async line(limit) {
    let end;
    while ((end = this.#rest.subarray(0, limit + 1).indexOf(10)) < 0) {
      if (this.#rest.length > limit || !(await this.#more())) throw new DeltaError("A line without end");
    }
    const line = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end + 1);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    } catch (cause) {
      throw new DeltaError("A line that is not UTF-8", { cause });
    }
  }

  /** At least one byte, at most LIMIT. @param {number} limit */
  async some(limit) {
    while (this.#rest.length === 0) if (!(await this.#more())) throw new DeltaError("Inserted bytes are missing");
    const piece = this.#rest.subarray(0, limit);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** The end, also of the gzip stream. */
  async nothing() {
    do {
      if (this.#rest.length > 0) throw new DeltaError("Something stands behind the end");
    } while (await this.#more());
  }

  async end() {
    await this.#pieces.return();
  }
}

/**
 * What a gzip file holds: one member (RFC 1952) with nothing behind it, its CRC-32 and length right. (zlib's own reader takes more members, and what stands behind them.)
 * @param {string} path
 * @returns {AsyncGenerator<Buffer, void, void>}
 */
async function* unzipped(path) {
  const size = (await sizeOf(path)) ?? 0;
  const head = await gzipHeader(path, size);
  const source = createReadStream(path, { start: head });
  const inflate = createInflateRaw();
  source.on("error", (error) => inflate.destroy(error)).pipe(inflate);
  let crc = ~0;
  let length = 0;
  try {
    for await (const chunk of inflate) {
      crc = crc32(crc, chunk);
      length += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    if (/^Z_|^ERR_(STREAM|BUFFER)/.test(/** @type {any} */ (cause)?.code ?? "")) throw new DeltaError("The gzip stream is damaged", { cause });
    throw cause;
  } finally {
    source.destroy();
    inflate.destroy();
  }
  const end = head + inflate.bytesWritten;
  if (size !== end + 8) throw new DeltaError("The gzip stream does not end with the file");
  const tail = await readAt(path, end, 8);
  if (tail.readUInt32LE(0) !== ~crc >>> 0 || tail.readUInt32LE(4) !== length % 2 ** 32) throw new DeltaError("The gzip stream is damaged");
}

/** Where the compressed bytes begin. @param {string} path @param {number} size */
async function gzipHeader(path, size) {
  const head = await readAt(path, 0, Math.min(size, 70000));
  const flags = head[3] ?? 0;
  if (head.length < 18 || head[0] !== 0x1f || head[1] !== 0x8b || head[2] !== 8 || flags & 0xe0) throw new DeltaError("Not gzip");
  let at = 10;
  if (flags & 4) at += 2 + (at + 2 <= head.length ? head.readUInt16LE(at) : 0);
  for (const text of [8, 16]) {
    if (!(flags & text)) continue;
    const end = head.indexOf(0, at);
    if (end < 0) throw new DeltaError("Not gzip");
    at = end + 1;
  }
  if (flags & 2) at += 2;
  if (at > size - 8) throw new DeltaError("Not gzip");
  return at;
}

/** @param {string} path @param {number} at @param {number} length */
async function readAt(path, at, length) {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const CRC = Int32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

/** @param {number} crc @param {Uint8Array} data */
function crc32(crc, data) {
  for (let i = 0; i < data.length; i++) crc = (crc >>> 8) ^ /** @type {number} */ (CRC[(crc ^ /** @type {number} */ (data[i])) & 0xff]);
  return crc;
}
