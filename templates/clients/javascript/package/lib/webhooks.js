/* Subscriptions: who is told of new data. */
import { optionsOf, percentEncode } from "./query.js";

/** @typedef {import("./transport.js").Transport} Transport */

export class Webhooks {
  #transport;

  /** @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Subscribes. The answer has the secret, this once.
   * @param {{ url: string, events: string[], datasets?: string[], filter?: string | object, description?: string }} subscription
   * @param {{ signal?: AbortSignal }} [options]
   */
  async create(subscription, options) {
    const { url, events, datasets, filter, description } = optionsOf(subscription, ["url", "events", "datasets", "filter", "description"]);
    if (typeof url !== "string" || !Array.isArray(events)) throw new TypeError("A subscription needs url (a text) and events (a list)");
    return this.#one("POST", "", without({ url, events, datasets, filter, description }), options);
  }

  /**
   * All subscriptions of the key's account.
   * @param {{ signal?: AbortSignal }} [options]
   */
  async list(options) {
    const { signal } = optionsOf(options, ["signal"]);
    return (await this.#transport.envelope({ url: this.#url(""), keyed: true, signal })).data;
  }

  /** @param {string} id @param {{ signal?: AbortSignal }} [options] */
  async get(id, options) {
    return this.#one("GET", pathOf(id), undefined, options);
  }

  /** @param {string} id @param {{ signal?: AbortSignal }} [options] */
  async delete(id, options) {
    return this.#one("DELETE", pathOf(id), undefined, options);
  }

  /**
   * Confirms the address for a receiver that cannot answer the challenge by itself.
   * @param {string} id
   * @param {string} challenge
   * @param {{ signal?: AbortSignal }} [options]
   */
  async confirm(id, challenge, options) {
    if (typeof challenge !== "string") throw new TypeError("A challenge is a text");
    return this.#one("POST", `${pathOf(id)}/confirm`, { challenge }, options);
  }

  /**
   * Sends a `webhook.test`, or the challenge again.
   * @param {string} id
   * @param {{ signal?: AbortSignal }} [options]
   */
  async test(id, options) {
    return this.#one("POST", `${pathOf(id)}/test`, undefined, options);
  }

  /**
   * A new secret; for the hours of grace messages are signed with both.
   * @param {string} id
   * @param {{ graceHours?: number, signal?: AbortSignal }} [options]
   */
  async rotateSecret(id, options) {
    const { graceHours, signal } = optionsOf(options, ["graceHours", "signal"]);
    return this.#one("POST", `${pathOf(id)}/rotate-secret`, without({ grace_hours: graceHours }), { signal });
  }

  /** @param {string} rest */
  #url(rest) {
    return this.#transport.url(`v1/webhooks${rest}`);
  }

  /**
   * @param {string} method
   * @param {string} rest
   * @param {object | undefined} body
   * @param {{ signal?: AbortSignal } | undefined} options
   */
  async #one(method, rest, body, options) {
    const { signal } = optionsOf(options, ["signal"]);
    return this.#transport.one({ method, url: this.#url(rest), body, keyed: true, signal });
  }
}

/** @param {unknown} id */
function pathOf(id) {
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) throw new TypeError("The id of a subscription is a text, wh_…");
  return `/${percentEncode(id)}`;
}

/** Members that have no value are not sent. @param {{ [name: string]: unknown }} members */
export function without(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}
