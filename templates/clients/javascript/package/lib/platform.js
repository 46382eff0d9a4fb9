/* What differs between Node.js and browsers. This is the browsers' side; node/platform.js is the other. Nothing of node: is named here. */
import { Sha256 } from "./sha256.js";

/**
 * @typedef {object} Platform
 * @property {RequestRedirect} redirect of a GET: "manual" where fetch shows the answer, so that the key is kept from other hosts; browsers do that themselves
 * @property {RequestRedirect} redirectOfPost
 * @property {string | null} userAgent null: the browser says who it is
 * @property {{ [name: string]: string }} identity headers that ask for bytes as they are
 * @property {(name: string) => string | undefined} environment
 * @property {() => { update(data: Uint8Array): unknown, digest(encoding: "hex"): string }} createHash SHA-256
 * @property {() => SubtleCrypto} subtle
 * @property {(signal: AbortSignal) => void} shared many requests may listen to it: no leak
 * @property {typeof import("./node/files.js") | null} files
 */

/** @type {Platform} */
export const browser = {
  redirect: "follow",
  redirectOfPost: "manual",
  userAgent: null,
  identity: {},
  environment: () => undefined,
  createHash: () => new Sha256(),
  subtle() {
    const subtle = globalThis.crypto?.subtle;
    if (!subtle) throw new TypeError("WebCrypto is not available here: a page needs https");
    return subtle;
  },
  shared() {},
  files: null,
};
