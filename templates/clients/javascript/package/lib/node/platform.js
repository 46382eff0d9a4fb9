/* What Node.js has and browsers do not. */
import { createHash, webcrypto } from "node:crypto";
import { setMaxListeners } from "node:events";
import { packageName, release } from "../../datasets.js";
import * as files from "./files.js";

/** A product's name has no "@" and no "/" (RFC 9110, 10.1.5). */
const product = packageName.replace(/^@/, "").replaceAll("/", "-");

/** @type {import("../platform.js").Platform} */
export const node = {
  redirect: "manual",
  redirectOfPost: "manual",
  userAgent: `${product}/${release} node/${process.versions.node}`,
  identity: { "accept-encoding": "identity" },
  environment: (name) => process.env[name],
  createHash: () => createHash("sha256"),
  subtle: () => /** @type {SubtleCrypto} */ (/** @type {unknown} */ (webcrypto.subtle)),
  shared: (signal) => void (signal instanceof AbortSignal && setMaxListeners(0, signal)),
  files,
};
