/* Files of Node.js: downloads that can be gone on with, and delta files that are applied. Memory does not grow with any of them. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
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
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) hash.update(chunk);
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

/** The file PATH, as `PATH.<16 digits>.part` until it is right. */
export class FileTarget {
  #path;
  #part;
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
    this.#part = `${path}.${file.sha256.slice(0, 16)}.part`;
    this.#limit = file.bytes;
    this.#resume = resume;
  }

  /** @param {{ update(data: Uint8Array): unknown }} hash */
  async begin(hash) {
    const size = (await sizeOf(this.#part)) ?? 0;
    if (this.#resume && size > 0 && size <= this.#limit) {
      await hashInto(this.#part, hash);
      this.#handle ??= await open(this.#part, "r+");
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
    this.#handle = await open(this.#part, "w");
  }

  async finish() {
    await this.#handle?.sync();
    await this.#close();
    await rename(this.#part, this.#path);
  }

  /** @param {unknown} error */
  async fail(error) {
    await this.#close();
    if (error instanceof IntegrityError || (await sizeOf(this.#part)) === 0) await remove(this.#part);
  }

  async #close() {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }
}
