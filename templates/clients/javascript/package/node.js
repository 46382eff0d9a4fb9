/* What Node.js gets: the same as index.js, and files. */
import { BaseClient } from "./lib/client.js";
import { node } from "./lib/node/platform.js";
import { verify as verifyWith } from "./lib/verify.js";

export * from "./lib/errors.public.js";

export class Client extends BaseClient {
  /** @param {any} [options] */
  constructor(options) {
    super(options, node);
  }
}

/** @type {typeof import("./index.js").verify} */
export async function verify(payload, headers, secret, options) {
  return verifyWith(node.subtle(), payload, headers, secret, options);
}
