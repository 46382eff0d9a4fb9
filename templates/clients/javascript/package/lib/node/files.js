/* Files of Node.js: downloads that can be gone on with, and delta files that are applied. Memory does not grow with any of them. */
import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";

import { IntegrityError } from "../errors.js";

export { patch, DeltaError } from "./delta.js";

/** @param {unknown} target @returns {string | null} a path; null: TARGET is none */
export function pathOf(target) {
  if (typeof target === "string") {
    if (target === "") throw new TypeError("An empty text is no path");
    return target;
  }
  return target instanceof URL ? fileURLToPath(target) : null;
}

/** @param {string} path @returns {Promise<number | null>} its size; null: there is none */
export async function sizeOf(path) {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (/** @type {any} */ (error).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * @param {string} path
 * @param {{ update(data: Uint8Array): unknown }} hash
 * @param {AbortSignal} [signal]
 */
export async function hashInto(path, hash, signal) {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(1 << 20);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** @param {string} path @param {AbortSignal} [signal] */
export async function sha256Of(path, signal) {
  const hash = createHash("sha256");
  await hashInto(path, hash, signal);
  return hash.digest("hex");
}

/** @param {string} path */
export async function remove(path) {
  await rm(path, { force: true });
}

/** @param {string} from @param {string} to */
export async function move(from, to) {
  await rename(from, to);
}

/** A piece of a name that nobody else has. */
export function own() {
  return `${process.pid}-${randomBytes(4).toString("hex")}`;
}

/**
 * Opens PATH itself: where a link lies there, not what it leads to.
 * @param {string} path
 * @param {number} flags
 */
async function openItself(path, flags) {
  try {
    return await open(path, flags | (constants.O_NOFOLLOW ?? 0), 0o666);
  } catch (error) {
    if (/** @type {any} */ (error).code !== "ELOOP") throw error;
    await remove(path);
    return open(path, flags | constants.O_NOFOLLOW | constants.O_CREAT, 0o666);
  }
}

/** Parts that this process is at work on. @type {Set<string>} */
const busy = new Set();

/**
 * Whether PART is ours from now on. Node.js has no locks of files: a file beside it names the process, and counts for nothing when that is gone.
 * @param {string} part
 */
async function claim(part) {
  const lock = `${part}.lock`;
  if (busy.has(part)) return false;
  busy.add(part);
  for (let tries = 0; tries < 2; tries++) {
    try {
      const file = await open(lock, "wx");
      await file.writeFile(JSON.stringify([hostname(), process.pid]));
      await file.close();
      return true;
    } catch (error) {
      if (/** @type {any} */ (error).code !== "EEXIST") {
        busy.delete(part);
        throw error;
      }
      if (await isAlive(lock)) break;
      await remove(lock);
    }
  }
  busy.delete(part);
  return false;
}

/** @param {string} lock */
async function isAlive(lock) {
  try {
    const [host, pid] = JSON.parse(await readFile(lock, "utf8"));
    if (host !== hostname() || !Number.isSafeInteger(pid) || pid <= 0) return true;
    if (pid === process.pid) return false; // of a process before us that had our number: ours are in BUSY
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ended yet, as it seems; or another user's, which may not be asked.
    if (error instanceof SyntaxError) return (Date.now() - ((await lstat(lock).catch(() => null))?.mtimeMs ?? 0)) < 60_000;
    return /** @type {any} */ (error).code === "EPERM";
  }
}

/** @param {string} part */
async function release(part) {
  await remove(`${part}.lock`);
  busy.delete(part);
}

/** The file PATH, as `PATH.<16 digits>.part` until it is right. Where somebody else is at work on that, under a name of its own. */
export class FileTarget {
  #path;
  #part;
  #shared;
  #claimed = false;
  #limit;
  #resume;
  /** @type {import("node:fs/promises").FileHandle | null} */
  #handle = null;
  again = true;

  /**
   * @param {string} path
   * @param {{ bytes: number, sha256: string }} file
   * @param {boolean} resume whether a part of an earlier time is gone on with
   */
  constructor(path, file, resume) {
    this.#path = path;
    this.#part = this.#shared = `${path}.${file.sha256.slice(0, 16)}.part`;
    this.#limit = file.bytes;
    this.#resume = resume;
  }

  /** @param {{ update(data: Uint8Array): unknown }} hash */
  async begin(hash) {
    if ((await stat(this.#path).catch(() => null))?.isDirectory()) throw new TypeError(`${JSON.stringify(this.#path)} is a folder: a file's name is needed`);
    if (!this.#claimed && this.#part === this.#shared) {
      this.#claimed = await claim(this.#shared);
      if (!this.#claimed) this.#part = this.#shared.replace(/part$/, `${own()}.part`);
    }
    const there = await lstat(this.#part).catch(() => null);
    const size = there?.isFile() ? there.size : 0;
    if (this.#resume && size > 0 && size <= this.#limit) {
      await hashInto(this.#part, hash);
      this.#handle ??= await openItself(this.#part, constants.O_RDWR);
      return size;
    }
    await this.empty();
    return 0;
  }

  /** @param {Uint8Array} data @param {number} at */
  async write(data, at) {
    for (let done = 0; done < data.length; ) {
      const { bytesWritten } = await /** @type {import("node:fs/promises").FileHandle} */ (this.#handle).write(data, done, data.length - done, at + done);
      done += bytesWritten;
    }
  }

  async empty() {
    await this.#handle?.close();
    this.#handle = await openItself(this.#part, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  }

  async finish() {
    await this.#handle?.sync();
    await this.#close();
    await rename(this.#part, this.#path);
    await this.#release();
  }

  /** @param {unknown} error */
  async fail(error) {
    await this.#close();
    if (error instanceof IntegrityError || this.#part !== this.#shared || (await sizeOf(this.#part)) === 0) await remove(this.#part);
    await this.#release();
  }

  async #release() {
    if (this.#claimed) await release(this.#shared);
    this.#claimed = false;
  }

  async #close() {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }
}
