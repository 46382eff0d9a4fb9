/* A published file, whole and proved. Where its bytes go is a target's affair: a file (node/files.js), a stream, or memory. */
import { IntegrityError } from "./errors.js";
import { bytesOf } from "./bytes.js";

/** @typedef {import("./transport.js").Transport} Transport */

/**
 * @typedef {object} Target
 * @property {(hash: { update(data: Uint8Array): unknown }) => Promise<number>} begin how many bytes are there already; they are hashed
 * @property {(data: Uint8Array, at: number) => Promise<void>} write
 * @property {() => Promise<void>} empty what is there goes, for another try
 * @property {boolean} again whether it can be emptied
 * @property {() => Promise<void>} finish it is right: the file gets its name
 * @property {(error: unknown) => Promise<void>} fail it goes no further; what is there may stay for the next time
 */

/**
 * @param {Transport} transport
 * @param {{ version: string, url: string, bytes: number, sha256: string }} file
 * @param {Target} target
 * @param {{ signal?: AbortSignal, progress?: (done: number, total: number) => void }} options
 * @returns {Promise<{ version: string, bytes: number, sha256: string, transferred: number }>}
 */
export async function download(transport, file, target, { signal, progress }) {
  let transferred = 0;
  try {
    for (let second = false; ; second = true) {
      const copy = new Copy(transport.platform, target);
      const resumed = await copy.begin();
      if (resumed) progress?.(copy.at, file.bytes);
      if (copy.at < file.bytes || file.bytes === 0) {
        for await (const { at, data } of bytesOf(transport, { url: file.url, bytes: file.bytes, start: copy.at, signal })) {
          transferred += data.length;
          await copy.add(data, at);
          if (copy.at > file.bytes) break;
          progress?.(copy.at, file.bytes);
        }
      }
      const wrong = copy.wrong(file);
      if (wrong === null) {
        await target.finish();
        return { version: file.version, bytes: file.bytes, sha256: file.sha256, transferred };
      }
      if (!target.again) throw wrong;
      await target.empty();
      if (second || !(resumed || copy.continued)) throw wrong;
    }
  } catch (error) {
    await target.fail(error);
    throw error;
  }
}

/** Bytes on their way into a target, hashed. */
class Copy {
  #platform;
  #target;
  #hash;

  /** @param {import("./platform.js").Platform} platform @param {Target} target */
  constructor(platform, target) {
    this.#platform = platform;
    this.#target = target;
    this.#hash = platform.createHash();
    this.at = 0;
    /** Whether a connection was cut and gone on with. */
    this.continued = false;
  }

  /** Whether there is something to go on with. */
  async begin() {
    this.at = await this.#target.begin(this.#hash);
    return this.at > 0;
  }

  /** @param {Uint8Array} data @param {number} at */
  async add(data, at) {
    if (at < this.at) {
      if (this.#target.again) {
        await this.#target.empty();
        this.#hash = this.#platform.createHash();
        this.at = at;
      } else {
        // What went into a stream cannot be called back: the same bytes once more are left out.
        data = data.subarray(this.at - at);
        at = this.at;
      }
    }
    if (data.length === 0) return;
    this.#hash.update(data);
    await this.#target.write(data, at);
    this.at = at + data.length;
  }

  /** @param {{ url: string, bytes: number, sha256: string }} file @returns {IntegrityError | null} */
  wrong(file) {
    if (this.at !== file.bytes) return new IntegrityError(`Size of ${file.url}`, file.bytes, this.at);
    const found = this.#hash.digest("hex");
    return found === file.sha256 ? null : new IntegrityError(`SHA-256 of ${file.url}`, file.sha256, found);
  }
}

/** In memory: what a Blob is made of. */
export class Memory {
  /** @type {Uint8Array[]} */
  #pieces = [];
  again = true;

  async begin() {
    return 0;
  }

  /** @param {Uint8Array} data */
  async write(data) {
    this.#pieces.push(data);
  }

  async empty() {
    this.#pieces = [];
  }

  async finish() {}

  async fail() {
    this.#pieces = [];
  }

  /** @param {string} type */
  blob(type) {
    return new Blob(/** @type {BlobPart[]} */ (this.#pieces), { type });
  }
}

/** A WritableStream: it is closed when the file is right, else aborted. */
export class Stream {
  #writer;
  again = false;

  /** @param {WritableStream<Uint8Array>} stream */
  constructor(stream) {
    this.#writer = stream.getWriter();
  }

  async begin() {
    return 0;
  }

  /** @param {Uint8Array} data */
  async write(data) {
    await this.#writer.ready;
    await this.#writer.write(data);
  }

  async empty() {}

  async finish() {
    await this.#writer.close();
  }

  /** @param {unknown} error */
  async fail(error) {
    await this.#writer.abort(error).catch(() => {});
  }
}
