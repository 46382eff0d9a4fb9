/* What can be asked of a dataset, and of a further resource of it. */
import { ProtocolError } from "./errors.js";
import { Memory, Stream, download } from "./download.js";
import { changesBetween } from "./changes.js";
import { addressOf, needsBody, optionsOf, parametersOf, percentEncode } from "./query.js";
import { recordsOf, walk } from "./pages.js";
import { fileOf, formatsOf, resourceOf, versionsOf } from "./versions.js";
import { sync } from "./sync.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {{ name: string, path: string, key?: readonly string[], timeline?: boolean }} Described what the package knows of a resource */

/** A table of records: a dataset's own, or a further one. */
export class Resource {
  #transport;
  #slug;
  #about;

  /**
   * @param {Transport} transport
   * @param {string} slug
   * @param {Described} about
   */
  constructor(transport, slug, about) {
    this.#transport = transport;
    this.#slug = slug;
    this.#about = about;
  }

  /** Its name: of the dataset's own table the dataset's slug. */
  get name() {
    return this.#about.name;
  }

  /** The columns of its primary key, as far as the package knows. @returns {readonly string[]} */
  get key() {
    return this.#about.key ?? [];
  }

  /**
   * All records, page by page as they are wanted.
   * @param {any} [options]
   * @returns {AsyncGenerator<any, void, void>}
   */
  list(options) {
    return recordsOf(this.#pages(options));
  }

  /**
   * The same, a page at a time.
   * @param {any} [options]
   */
  pages(options) {
    return this.#pages(options);
  }

  /**
   * The records that have these words, and what options ask for.
   * @param {string | null} [q]
   * @param {any} [options]
   * @returns {AsyncGenerator<any, void, void>}
   */
  search(q, options) {
    const asked = parametersOf(options);
    if (q !== undefined && q !== null) {
      if (typeof q !== "string") throw new TypeError("The first argument of search is words, a text; everything else is an option behind it");
      asked.q = q;
    }
    return recordsOf(this.#found(asked, options?.signal));
  }

  /**
   * One record by its key.
   * @param {any} id
   * @param {{ signal?: AbortSignal }} [options]
   */
  async get(id, options) {
    const { signal } = optionsOf(options, ["signal"]);
    const parts = await this.#partsOf(id, signal);
    const path = parts.map((part) => percentEncode(partOf(part))).join(",");
    if (path === "." || path === "..") throw new RangeError(`No address can have the key ${JSON.stringify(path)}: use list({ where: … })`);
    return this.#transport.one({ url: this.#url(`/id/${path}`), keyed: true, signal });
  }

  /**
   * A published file, whole and proved: into a file (Node.js), a stream, or memory.
   * @param {string} format
   * @param {string | URL | WritableStream<Uint8Array> | null} [target]
   * @param {{ version?: string, resume?: boolean, progress?: (done: number, total: number) => void, signal?: AbortSignal }} [options]
   */
  async download(format, target, options) {
    const { version, resume = true, progress, signal } = optionsOf(options, ["version", "resume", "progress", "signal"]);
    if (typeof format !== "string") throw new TypeError('The first argument of download is a format, such as "csv"');
    const { files } = this.#transport.platform;
    const path = typeof target === "string" || target instanceof URL ? this.#pathOf(target) : null;
    const stream = path === null && target !== undefined && target !== null ? /** @type {any} */ (target) : null;
    if (stream !== null && typeof stream.getWriter !== "function") throw new TypeError("The second argument of download is a path, a WritableStream, or nothing");

    const file = fileOf(await this.#versions(signal), this.name, format, version);
    if (path !== null && files) return { path, ...(await download(this.#transport, file, new files.FileTarget(path, file, resume), { signal, progress })) };
    if (stream !== null) return download(this.#transport, file, new Stream(stream), { signal, progress });
    const memory = new Memory();
    const done = await download(this.#transport, file, memory, { signal, progress });
    return { ...done, blob: memory.blob(file.mediaType) };
  }

  /**
   * What was added, removed and changed between two versions, in the order of time.
   * @param {{ from?: string, to?: string, signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<any, void, void>}
   */
  changes(options) {
    const { from, to, signal } = optionsOf(options, ["from", "to", "signal"]);
    for (const version of [from, to]) if (version !== undefined && version !== null && typeof version !== "string") throw new TypeError("A version is a text");
    return changesBetween(this.#transport, this.name, () => this.#versions(signal), from ?? undefined, to ?? undefined, signal);
  }

  /**
   * Makes the file at PATH the newest version's, by deltas where that is less.
   * @param {string | URL} path
   * @param {{ format?: string, progress?: (done: number, total: number) => void, signal?: AbortSignal }} [options]
   */
  async sync(path, options) {
    const { format, progress, signal } = optionsOf(options, ["format", "progress", "signal"]);
    const file = this.#pathOf(path);
    const entries = await this.#versions(signal);
    const formats = formatsOf(entries, this.name).sort((a, b) => b.length - a.length); // "excel.csv" before "csv"
    const chosen = format ?? formats.find((f) => file.toLowerCase().endsWith(`.${f}`));
    if (chosen === undefined) throw new RangeError(`The format cannot be told by the name ${JSON.stringify(file)}: give { format } (${formats.join(", ")})`);
    return sync(this.#transport, entries, this.name, file, chosen, { signal, progress });
  }

  /** @param {unknown} target */
  #pathOf(target) {
    const { files } = this.#transport.platform;
    if (!files) throw new TypeError("A path needs Node.js; here give a WritableStream, or nothing for a Blob");
    const path = files.pathOf(target);
    if (path === null) throw new TypeError("A path is a text or a file: URL");
    return path;
  }

  /** @param {string} rest */
  #url(rest) {
    return this.#transport.url(`v1/${this.#about.path}${rest}`);
  }

  /** @param {AbortSignal | undefined} signal */
  #versions(signal) {
    return versionsOf(this.#transport, this.#slug, signal);
  }

  /** @param {any} options */
  #pages(options) {
    const asked = parametersOf(options);
    const signal = options?.signal;
    if (needsBody(asked)) return this.#found(asked, signal);
    const query = addressOf(asked);
    return walk(this.#transport, { url: this.#url(query === "" ? ".json" : `?${query}`), keyed: true, signal });
  }

  /** @param {{ [name: string]: any }} asked @param {AbortSignal | undefined} signal */
  #found(asked, signal) {
    return walk(this.#transport, { url: this.#url("/search"), method: "POST", body: asked, keyed: true, safe: true, signal });
  }

  /**
   * The parts of a key, in the schema's order.
   * @param {unknown} id
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<unknown[]>}
   */
  async #partsOf(id, signal) {
    const known = this.#about.key;
    if (Array.isArray(id)) {
      if (id.length === 0 || (known && known.length > 0 && id.length !== known.length)) throw new RangeError(`The key of ${this.name} has ${known?.length ?? "some"} parts: ${known?.join(", ") ?? ""}`);
      return id;
    }
    if (id === null || typeof id !== "object" || id instanceof Date) {
      if (known && known.length > 1) throw new RangeError(`The key of ${this.name} has ${known.length} parts: [${known.join(", ")}]`);
      return [id];
    }
    const key = known ?? (await this.#publishedKey(signal));
    const names = Object.keys(id);
    const strange = names.find((name) => !key.includes(name)) ?? key.find((name) => !names.includes(name));
    if (strange !== undefined || key.length === 0) throw new RangeError(`The key of ${this.name} is {${key.join(", ")}}${strange === undefined ? "" : `; see ${JSON.stringify(strange)}`}`);
    return key.map((name) => /** @type {any} */ (id)[name]);
  }

  /**
   * Of a dataset that is newer than the package.
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<string[]>}
   */
  async #publishedKey(signal) {
    const schema = resourceOf((await this.#versions(signal))[0] ?? {}, this.name)?.schema;
    if (typeof schema !== "string") throw new RangeError(`No version of ${this.name} is published`);
    const { primaryKey } = await this.#transport.json({ url: schema, signal });
    if (!Array.isArray(primaryKey)) throw new ProtocolError("The schema has no primary key", { method: "GET", url: schema });
    return primaryKey;
  }
}

/** A dataset: its own table, its versions, its further resources. */
export class Dataset extends Resource {
  #transport;
  #slug;
  #resources;

  /**
   * @param {Transport} transport
   * @param {string} slug
   * @param {readonly Described[]} resources what the package knows; empty: nothing
   */
  constructor(transport, slug, resources) {
    super(transport, slug, resources[0] ?? { name: slug, path: slug });
    this.#transport = transport;
    this.#slug = slug;
    this.#resources = resources;
  }

  /** Its name in addresses. */
  get slug() {
    return this.#slug;
  }

  /**
   * The milestones of a dataset that has a timeline, asked for as in list.
   * @param {any} [options]
   * @returns {AsyncGenerator<any, void, void>}
   */
  timeline(options) {
    const about = this.#resources.find((r) => r.timeline);
    if (!about && this.#resources.length > 0) throw new TypeError(`${this.#slug} has no timeline`);
    return this.resource(about?.name ?? "timeline").list(options);
  }

  /**
   * A further resource.
   * @param {string} name
   */
  resource(name) {
    checkName(name, "resource");
    const about = this.#resources.find((r) => r.name === name) ?? { name, path: name === this.#slug ? name : `${this.#slug}/${name}` };
    return new Resource(this.#transport, this.#slug, about);
  }

  /**
   * What was published, newest first.
   * @param {{ signal?: AbortSignal }} [options]
   */
  async versions(options) {
    const { signal } = optionsOf(options, ["signal"]);
    return versionsOf(this.#transport, this.#slug, signal);
  }
}

/** @param {unknown} name @param {string} what */
export function checkName(name, what) {
  if (typeof name !== "string" || !/^[a-z0-9][a-z0-9._-]*$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is not the name of a ${what}`);
}

/** @param {unknown} part */
function partOf(part) {
  const text = part instanceof Date ? part.toISOString() : typeof part === "string" || typeof part === "bigint" || (typeof part === "number" && Number.isFinite(part)) || typeof part === "boolean" ? String(part) : "";
  if (text === "") throw new TypeError("A key is a text or a number, or a list or an object of its parts; none of them empty");
  return text;
}
