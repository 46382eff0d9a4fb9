/* The client: what belongs to a key, and the way to the datasets. */
import { baseUrl, datasets, release } from "../datasets.js";
import { Dataset, checkName } from "./dataset.js";
import { ProtocolError } from "./errors.js";
import { optionsOf } from "./query.js";
import { Transport } from "./transport.js";
import { Webhooks, without } from "./webhooks.js";

/** @typedef {import("./platform.js").Platform} Platform */

const OPTIONS = ["apiKey", "baseUrl", "timeout", "retries", "maxWait", "language", "fetch", "sleep"];

export class BaseClient {
  /** @type {Transport} */
  #transport;
  /** @type {Map<string, Dataset>} */
  #datasets = new Map();
  #webhooks;

  static {
    for (const { slug, property } of datasets) {
      Object.defineProperty(this.prototype, property, {
        /** @this {BaseClient} */
        get() {
          return this.dataset(slug);
        },
        configurable: true,
      });
    }
  }

  /**
   * @param {any} options
   * @param {Platform} platform
   */
  constructor(options, platform) {
    if (typeof options === "string") throw new TypeError("The key is an option: new Client({ apiKey: … }); without it, that of the environment's ODP_KEY");
    const chosen = optionsOf(options, OPTIONS);
    const { timeout = 30_000, retries = 3, maxWait = 60_000, language, sleep } = chosen;
    const fetch = chosen.fetch ?? globalThis.fetch?.bind(globalThis);
    if (typeof fetch !== "function") throw new TypeError("There is no fetch here: Node.js 18 or newer is needed");
    if (!(typeof timeout === "number" && timeout > 0)) throw new RangeError("timeout is milliseconds, more than 0");
    if (!(Number.isSafeInteger(retries) && retries >= 0)) throw new RangeError("retries is a whole number from 0");
    if (!(typeof maxWait === "number" && maxWait >= 0)) throw new RangeError("maxWait is milliseconds, from 0");
    if (language !== undefined && language !== "id" && language !== "en") throw new RangeError('language is "id" or "en"');
    const key = keyOf(chosen.apiKey === undefined ? platform.environment("ODP_KEY")?.trim() : chosen.apiKey);
    this.#transport = new Transport({ baseUrl: siteOf(chosen.baseUrl ?? (platform.environment("ODP_BASE_URL")?.trim() || baseUrl)), key, timeout, retries, maxWait, language, fetch, sleep }, platform);
    this.#webhooks = new Webhooks(this.#transport);
  }

  /** The site's root. */
  get baseUrl() {
    return this.#transport.baseUrl.href;
  }

  /** The release of the API that this package was made from. */
  get release() {
    return release;
  }

  get webhooks() {
    return this.#webhooks;
  }

  /**
   * A dataset by its slug, also one that is newer than the package.
   * @param {string} slug
   */
  dataset(slug) {
    checkName(slug, "dataset");
    let found = this.#datasets.get(slug);
    if (!found) {
      found = new Dataset(this.#transport, slug, datasets.find((d) => d.slug === slug)?.resources ?? []);
      this.#datasets.set(slug, found);
    }
    return found;
  }

  /**
   * The catalogue. No key is needed.
   * @param {{ signal?: AbortSignal }} [options]
   */
  async catalog(options) {
    const { signal } = optionsOf(options, ["signal"]);
    return (await this.#transport.envelope({ url: this.#transport.url("v1/index.json"), signal })).data;
  }

  /**
   * A key of the public tier, at once. This client goes on with it.
   * @param {{ name: string, email: string, organisation?: string, purpose?: string }} person
   * @param {{ signal?: AbortSignal }} [options]
   */
  async register(person, options) {
    const { name, email, organisation, purpose } = optionsOf(person, ["name", "email", "organisation", "purpose"]);
    const { signal } = optionsOf(options, ["signal"]);
    if (typeof name !== "string" || typeof email !== "string") throw new TypeError("Registering needs name and email");
    return this.#issued({ method: "POST", url: this.#transport.url("auth/register"), body: without({ name, email, organisation, purpose }), signal });
  }

  /**
   * A new key; the old one works for the hours of grace. This client goes on with the new one.
   * @param {{ graceHours?: number, signal?: AbortSignal }} [options]
   */
  async rotate(options) {
    const { graceHours, signal } = optionsOf(options, ["graceHours", "signal"]);
    return this.#issued({ method: "POST", url: this.#transport.url("auth/rotate"), body: without({ grace_hours: graceHours }), keyed: true, signal });
  }

  /**
   * What the key may do and has done: tier, limit, used, remaining, reset, days.
   * @param {{ signal?: AbortSignal }} [options]
   */
  async usage(options) {
    const { signal } = optionsOf(options, ["signal"]);
    const state = await this.#transport.one({ url: this.#transport.url("auth/key"), keyed: true, signal });
    return { ...state, remaining: typeof state.limit === "number" ? Math.max(0, state.limit - state.used) : null, days: state.usage ?? [] };
  }

  /** Ends what is under way; nothing can be asked after that. */
  close() {
    this.#transport.close();
  }

  /** @param {import("./transport.js").Call} call */
  async #issued(call) {
    const issued = await this.#transport.one(call);
    if (typeof issued.key !== "string" || !/^[\x21-\x7e]+$/.test(issued.key)) throw new ProtocolError("The answer has no key", { method: "POST", url: call.url });
    this.#transport.key = issued.key;
    return issued;
  }
}

/** @param {unknown} key @returns {string | null} */
function keyOf(key) {
  if (key === undefined || key === null || key === "") return null;
  // Told without the key itself: messages end up in logs.
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) throw new TypeError("An API key is a text of letters, digits and signs, without spaces");
  return key;
}

/** @param {unknown} base */
function siteOf(base) {
  let url;
  try {
    url = new URL(String(base));
  } catch (cause) {
    throw new TypeError("baseUrl is the address of the site, https://…/", { cause });
  }
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") throw new TypeError("baseUrl is an http address without a user");
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
