/* One request and its answer: who gets the key, how long is waited, what is tried again. Everything above speaks of documents and bytes. */
import { OdpError, ApiError, QuotaExceededError, TransportError, RequestTimeoutError, ProtocolError, errorOf } from "./errors.js";
import { parse } from "./json.js";

/** @typedef {import("./platform.js").Platform} Platform */

/**
 * @typedef {object} Call
 * @property {string} url
 * @property {string} [method] GET
 * @property {unknown} [body] sent as JSON
 * @property {boolean} [keyed] the key goes with it
 * @property {boolean} [safe] may be sent twice; GET by itself
 * @property {{ [name: string]: string }} [headers]
 * @property {AbortSignal | undefined} [signal]
 */

/** @typedef {{ method: string, url: string }} Request */
/** @typedef {{ status: number, headers: Headers, url: string, body: AsyncGenerator<Uint8Array, void, void>, cancel: () => void }} Answer CANCEL: nobody reads it */

const ANSWER_BYTES = 64 * 1024 * 1024;
const PROBLEM_BYTES = 1024 * 1024;
const DEPTH = 100;
const REDIRECTS = 5;
const TRANSIENT = new Set([408, 502, 503, 504]);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH/;
const LONGEST = 2 ** 31 - 1; // milliseconds: setTimeout takes what is more as nothing at all
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "UND_ERR_CONNECT_TIMEOUT"]);

/** Errors of requests that no server can have seen. @type {WeakSet<object>} */
const unsent = new WeakSet();

/** Errors that asking again does not mend. @type {WeakSet<object>} */
const final = new WeakSet();

/** What an AbortSignal has of the end of a client. (Node.js takes more than ten requests that listen to one AbortSignal for a leak, and says so.) */
class Closing {
  aborted = false;
  /** @type {unknown} */
  reason;
  /** @type {Set<() => void>} */
  #listeners = new Set();

  /** @param {"abort"} _ @param {() => void} listener @param {object} [_options] */
  addEventListener(_, listener, _options) {
    this.#listeners.add(listener);
  }

  /** @param {"abort"} _ @param {() => void} listener */
  removeEventListener(_, listener) {
    this.#listeners.delete(listener);
  }

  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }

  /** @param {unknown} reason */
  abort(reason) {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}

/** Ends what it watches when nothing happens for too long, when the caller has enough, or when the client is closed. */
class Patience {
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {(() => void)[]} */
  #undo = [];
  /** @type {() => void} */
  #late;
  #timeout;

  /**
   * @param {number} timeout
   * @param {Request} request
   * @param {(AbortSignal | Closing | undefined)[]} signals
   */
  constructor(timeout, request, signals) {
    this.#timeout = timeout;
    this.#late = () => this.#controller.abort(new RequestTimeoutError(`Nothing came for ${timeout / 1000} s`, request));
    for (const signal of signals) {
      if (!signal) continue;
      const stop = () => this.#controller.abort(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      this.#undo.push(() => signal.removeEventListener("abort", stop));
    }
  }

  get signal() {
    return this.#controller.signal;
  }

  /**
   * Waits for PROMISE, no longer than the timeout. What else rejects it is told by FAILED.
   * @template T
   * @param {Promise<T>} promise
   * @param {(cause: unknown) => Error} failed
   * @returns {Promise<T>}
   */
  async wait(promise, failed) {
    const { signal } = this;
    /** @type {() => void} */
    let stop = () => {};
    const stopped = new Promise((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
    });
    if (Number.isFinite(this.#timeout)) this.#timer = setTimeout(this.#late, Math.min(this.#timeout, LONGEST));
    try {
      return await /** @type {Promise<T>} */ (Promise.race([promise, stopped]));
    } catch (cause) {
      throw signal.aborted ? signal.reason : failed(cause);
    } finally {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Nothing of it outlives the request. */
  end() {
    for (const undo of this.#undo.splice(0)) undo();
  }

  /** Lets go of a connection in the middle of an answer. */
  cut() {
    this.end();
    this.#controller.abort(new OdpError("The answer is not read any further"));
  }
}

/** @param {unknown} error @returns {string[]} */
function codesOf(error) {
  const codes = [];
  for (let e = /** @type {any} */ (error), depth = 0; e && depth < 4; e = e.cause, depth++) {
    if (typeof e.code === "string") codes.push(e.code);
    for (const one of e.errors ?? []) if (typeof one?.code === "string") codes.push(one.code);
  }
  return codes;
}

/** Why there was no answer: fetch says "fetch failed", its cause says why. @param {any} error */
function reasonOf(error) {
  const cause = error?.cause;
  return [error?.message, cause?.message || cause?.code].filter(Boolean).join(": ") || String(error);
}

/** @param {Request} request @returns {(cause: unknown) => TransportError} */
function noAnswer(request) {
  return (cause) => {
    const codes = codesOf(cause);
    const late = codes.some((code) => code.endsWith("_TIMEOUT") || code === "ETIMEDOUT");
    const error = new (late ? RequestTimeoutError : TransportError)(`No answer: ${reasonOf(cause)}`, request, { cause });
    if (codes.some((code) => NEVER_CONNECTED.has(code))) unsent.add(error);
    if (codes.some((code) => CERTIFICATE.test(code))) final.add(error);
    return error;
  };
}

/**
 * The seconds that Retry-After asks for: a number, or a date by the server's own clock; null where there is none.
 * @param {Headers} headers
 */
function retryAfterOf(headers) {
  const told = headers.get("retry-after")?.trim();
  if (!told) return null;
  if (/^[0-9]+$/.test(told)) return Number(told);
  const date = Date.parse(told);
  if (!/[a-z]/i.test(told) || Number.isNaN(date)) return null;
  const now = Date.parse(headers.get("date") ?? "");
  return Math.max(0, Math.ceil((date - (Number.isNaN(now) ? Date.now() : now)) / 1000));
}

/** How deep arrays and objects lie in each other, and what of them is still open at the end. @param {string} text */
function depthOf(text) {
  let inside = false;
  let open = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (inside) {
      if (sign === 0x5c) i++;
      else if (sign === 0x22) inside = false;
    } else if (sign === 0x22) inside = true;
    else if (sign === 0x5b || sign === 0x7b) deepest = Math.max(deepest, ++open);
    else if (sign === 0x5d || sign === 0x7d) open--;
  }
  return { deepest, open };
}

export class Transport {
  #platform;
  #fetch;
  #sleep;
  #timeout;
  #retries;
  #maxWait;
  #language;
  /** @type {string | null} */
  #key;
  #closing = new Closing();

  /**
   * @param {object} options
   * @param {URL} options.baseUrl
   * @param {string | null} options.key
   * @param {number} options.timeout milliseconds
   * @param {number} options.retries
   * @param {number} options.maxWait milliseconds
   * @param {string | undefined} options.language
   * @param {typeof globalThis.fetch} options.fetch
   * @param {(milliseconds: number, signal?: AbortSignal) => Promise<unknown>} [options.sleep]
   * @param {Platform} platform
   */
  constructor({ baseUrl, key, timeout, retries, maxWait, language, fetch, sleep }, platform) {
    this.baseUrl = baseUrl;
    this.#platform = platform;
    this.#fetch = fetch;
    this.#sleep = sleep ?? pause;
    this.#timeout = timeout;
    this.#retries = retries;
    this.#maxWait = maxWait;
    this.#language = language;
    this.#key = key;
  }

  get platform() {
    return this.#platform;
  }

  get retries() {
    return this.#retries;
  }

  /** @param {string | null} key */
  set key(key) {
    this.#key = key;
  }

  close() {
    this.#key = null;
    this.#closing.abort(new OdpError("The client is closed"));
  }

  /** @param {string} path below the site's root */
  url(path) {
    return new URL(path, this.baseUrl).href;
  }

  /**
   * The next random wait of a row of failures, as long as TOLD says at least.
   * @param {number} failures
   * @param {AbortSignal | undefined} signal
   * @param {number} [told] milliseconds
   */
  async backOff(failures, signal, told = 0) {
    await this.#rest(Math.max(told, Math.random() * Math.min(8000, 500 * 2 ** failures)), signal);
  }

  /** @param {number} milliseconds @param {AbortSignal | undefined} signal */
  async #rest(milliseconds, signal) {
    signal?.throwIfAborted();
    this.#closing.throwIfAborted();
    const patience = new Patience(Infinity, { method: "", url: "" }, [signal, this.#closing]);
    try {
      await patience.wait(Promise.resolve(this.#sleep(milliseconds, patience.signal)), (cause) => /** @type {Error} */ (cause));
    } finally {
      patience.end();
    }
  }

  /**
   * The document of an answer, and of which address it is.
   * @param {Call} call
   * @param {number} [limit] bytes
   * @returns {Promise<any>}
   */
  async json(call, limit = ANSWER_BYTES) {
    return this.#again(call, async (answer, request) => {
      const text = await readText(answer, limit, request);
      const { deepest, open } = depthOf(text);
      // Not every fetch notices that a connection was cut where the answer did not say how long it is.
      if ((open > 0 || text === "") && !answer.headers.has("content-length")) throw new TransportError("The answer ended early", request);
      if (deepest > DEPTH) throw new ProtocolError(`The answer is deeper than ${DEPTH}`, request);
      try {
        return parse(text);
      } catch (cause) {
        throw new ProtocolError("The answer is not JSON", request, { cause });
      }
    });
  }

  /**
   * The envelope of an answer: `data` is an array.
   * @param {Call} call
   * @returns {Promise<{ data: any[], meta?: any, links?: any }>}
   */
  async envelope(call) {
    const document = await this.json(call);
    if (!Array.isArray(document?.data) || !document.data.every(isObject)) throw new ProtocolError("The answer has no array `data` of records", requestOf(call));
    for (const name of ["meta", "links"]) if (!isObject(document[name] ?? {})) throw new ProtocolError(`\`${name}\` of the answer is no object`, requestOf(call));
    return document;
  }

  /**
   * The only record of an envelope.
   * @param {Call} call
   * @returns {Promise<any>}
   */
  async one(call) {
    const { data } = await this.envelope(call);
    if (data.length !== 1) throw new ProtocolError(`The answer has ${data.length} records instead of one`, requestOf(call));
    return data[0];
  }

  /**
   * An answer whose body is still to be read, by the caller, to its end or until it is returned.
   * @param {Call} call
   * @returns {Promise<Answer>}
   */
  async open(call) {
    return this.#again(call, async (answer) => answer);
  }

  /**
   * Sends CALL until READ has what it wants.
   * @template T
   * @param {Call} call
   * @param {(answer: Answer, request: Request) => Promise<T>} read
   * @returns {Promise<T>}
   */
  async #again(call, read) {
    const request = requestOf(call);
    const safe = call.safe ?? request.method === "GET";
    if (call.signal) this.#platform.shared(call.signal);
    for (let failures = 0, waited = 0; ; ) {
      try {
        return await read(await this.#send(call, request), request);
      } catch (error) {
        if (error instanceof QuotaExceededError) {
          const wait = Math.max(1, error.retryAfter ?? 1) * 1000;
          if (waited + wait > this.#maxWait) throw error;
          waited += wait;
          await this.#rest(wait, call.signal);
          continue;
        }
        const transient = (error instanceof TransportError && !final.has(error)) || (error instanceof ApiError && TRANSIENT.has(error.status));
        if (!transient || failures >= this.#retries || !(safe || unsent.has(error))) throw error;
        const told = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
        if (waited + told > this.#maxWait) throw error;
        waited += told;
        await this.backOff(failures++, call.signal, told);
      }
    }
  }

  /**
   * One try: the answer of the last address that redirects lead to, or the error that its status is.
   * @param {Call} call
   * @param {Request} request
   * @returns {Promise<Answer>}
   */
  async #send(call, request) {
    const patience = new Patience(this.#timeout, request, [call.signal, this.#closing]);
    try {
      patience.signal.throwIfAborted();
      const response = await this.#follow(call, request, patience);
      const body = bodyOf(response, request, patience);
      const answer = { status: response.status, headers: response.headers, url: response.url || request.url, body, cancel: () => patience.cut() };
      if (response.status >= 200 && response.status < 300) return answer;
      if (response.status < 400) throw new ProtocolError(`Status ${response.status} was not expected`, request);
      throw errorOf(response.status, await problemOf(answer, request), request, retryAfterOf(response.headers));
    } catch (error) {
      patience.cut();
      throw error;
    }
  }

  /**
   * @param {Call} call
   * @param {Request} request
   * @param {Patience} patience
   */
  async #follow(call, request, patience) {
    let url = request.url;
    for (let hops = 0; ; hops++) {
      const response = await patience.wait(
        this.#fetch(url, {
          method: request.method,
          headers: this.#headers(call, url),
          body: call.body === undefined ? null : JSON.stringify(call.body),
          signal: patience.signal,
          credentials: "omit",
          redirect: request.method !== "GET" ? this.#platform.redirectOfPost : this.#platform.redirect,
        }),
        noAnswer(request),
      );
      if (response.type === "opaqueredirect") throw new ProtocolError("A redirect that cannot be followed", request);
      if (![301, 302, 303, 307, 308].includes(response.status)) return response;
      if (request.method !== "GET") throw new ProtocolError("A redirect of a request that is not a GET", request);
      if (hops === REDIRECTS) throw new ProtocolError(`More than ${REDIRECTS} redirects`, request);
      const from = new URL(url);
      const to = redirectOf(response, from);
      if (to === null || (from.protocol === "https:" && to.protocol !== "https:")) throw new ProtocolError("A redirect to where nobody should go", request);
      await response.body?.cancel();
      url = to.href;
    }
  }

  /**
   * @param {Call} call
   * @param {string} url
   */
  #headers(call, url) {
    const headers = new Headers({ accept: "application/json", ...call.headers });
    if (this.#platform.userAgent) headers.set("user-agent", this.#platform.userAgent);
    if (this.#language !== undefined) headers.set("accept-language", this.#language);
    if (call.body !== undefined) headers.set("content-type", "application/json");
    // Never to another host, and never without TLS where the site has it.
    if (call.keyed && this.#key !== null && new URL(url).origin === this.baseUrl.origin) headers.set("authorization", `Bearer ${this.#key}`);
    return headers;
  }
}

/** @param {unknown} value */
function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** @param {Call} call @returns {Request} */
function requestOf(call) {
  return { method: call.method ?? "GET", url: call.url };
}

/** @param {Response} response @param {URL} from @returns {URL | null} */
function redirectOf(response, from) {
  try {
    const to = new URL(response.headers.get("location") ?? "", from);
    return /^https?:$/.test(to.protocol) && to.username === "" && to.password === "" && response.headers.has("location") ? to : null;
  } catch {
    return null;
  }
}

/**
 * The bytes of an answer. The clock runs while we wait for the server, not while the reader works.
 * @param {Response} response
 * @param {Request} request
 * @param {Patience} patience
 * @returns {AsyncGenerator<Uint8Array, void, void>}
 */
async function* bodyOf(response, request, patience) {
  const reader = response.body?.getReader();
  let whole = false;
  try {
    while (reader) {
      const { done, value } = await patience.wait(reader.read(), (cause) => new TransportError(`The answer ended early: ${reasonOf(cause)}`, request, { cause }));
      if (done) break;
      if (value) yield value;
    }
    whole = true;
  } finally {
    if (whole) patience.end();
    else patience.cut();
    reader?.cancel().catch(() => {});
  }
}

/**
 * @param {Answer} answer
 * @param {number} limit
 * @param {Request} request
 */
async function readText(answer, limit, request) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > limit) throw new ProtocolError(`The answer has more than ${limit} bytes`, request);
    pieces.push(decode(chunk, true));
  }
  pieces.push(decode(new Uint8Array(), false));
  return pieces.join("");

  /** @param {Uint8Array} bytes @param {boolean} stream */
  function decode(bytes, stream) {
    try {
      return decoder.decode(bytes, { stream });
    } catch (cause) {
      throw new ProtocolError("The answer is not UTF-8", request, { cause });
    }
  }
}

/**
 * The problem document of an answer; {} where its body is none.
 * @param {Answer} answer
 * @param {Request} request
 * @returns {Promise<{ [member: string]: any }>}
 */
async function problemOf(answer, request) {
  try {
    const problem = JSON.parse(await readText(answer, PROBLEM_BYTES, request));
    return problem !== null && typeof problem === "object" && !Array.isArray(problem) ? problem : {};
  } catch (error) {
    if (error instanceof OdpError || error instanceof SyntaxError) return {};
    throw error;
  }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    let left = milliseconds;
    /** @type {ReturnType<typeof setTimeout>} */
    let timer;
    signal?.addEventListener("abort", done, { once: true });
    next();

    function next() {
      const now = Math.min(left, LONGEST);
      left -= now;
      timer = setTimeout(left > 0 ? next : done, now);
    }
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
