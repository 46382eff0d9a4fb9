/* What browsers and other places with fetch get. Node.js gets node.js, which can do the same and write files. */
import { BaseClient } from "./lib/client.js";
import { browser } from "./lib/platform.js";
import { verify as verifyWith } from "./lib/verify.js";

export * from "./lib/errors.public.js";

export class Client extends BaseClient {
  /** @param {any} [options] */
  constructor(options) {
    super(options, browser);
  }
}

/** @type {typeof import("./index.js").verify} */
export async function verify(payload, headers, secret, options) {
  return verifyWith(browser.subtle(), payload, headers, secret, options);
}
