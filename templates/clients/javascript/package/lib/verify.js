/* Whether a webhook's message is ours and of now: Standard Webhooks 1.0.0. */
import { SignatureError } from "./errors.js";

const TOLERANCE = 300;

/**
 * @param {SubtleCrypto} subtle
 * @param {string | Uint8Array | ArrayBuffer} payload
 * @param {any} headers
 * @param {string | readonly string[]} secret
 * @param {{ now?: Date | number }} [options]
 * @returns {Promise<any>} the message
 */
export async function verify(subtle, payload, headers, secret, { now } = {}) {
  const body = bytesOf(payload);
  const secrets = (typeof secret === "string" ? [secret] : [...(secret ?? [])]).map(keyOf);
  if (secrets.length === 0) throw new TypeError("A secret is needed: whsec_…");
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures) throw new SignatureError("A header of the signature is missing");
  const seconds = now === undefined ? Date.now() / 1000 : now instanceof Date ? now.getTime() / 1000 : now;
  if (!/^[0-9]{1,12}$/.test(timestamp) || !(Math.abs(seconds - Number(timestamp)) <= TOLERANCE)) throw new SignatureError("The message is not of now: see the clock");

  const given = signatures.split(" ").map(signatureOf).filter((one) => one !== null);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  for (const bytes of secrets) {
    const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of given) {
      // WebCrypto compares in constant time.
      if (await subtle.verify("HMAC", key, signature, signed)) return messageOf(body);
    }
  }
  throw new SignatureError("No signature is of this message and secret");
}

/** @param {Uint8Array} body */
function messageOf(body) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new SignatureError("The message is signed, but it is not JSON", { cause });
  }
}

/** @param {unknown} payload @returns {Uint8Array<ArrayBuffer>} */
function bytesOf(payload) {
  if (typeof payload === "string") return new TextEncoder().encode(payload);
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload);
  if (ArrayBuffer.isView(payload)) return Uint8Array.from(new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength));
  throw new TypeError("The payload is the body as its bytes came, or as text: parsed and written again it is another text, and the signature is wrong");
}

/** @param {unknown} secret @returns {Uint8Array<ArrayBuffer>} */
function keyOf(secret) {
  const bytes = typeof secret === "string" ? fromBase64(secret.trim().replace(/^whsec_/, "")) : null;
  if (bytes === null || bytes.length === 0) throw new TypeError("A secret is whsec_ and base64");
  return bytes;
}

/** @param {string} entry @returns {Uint8Array<ArrayBuffer> | null} null: of another kind, or no signature at all */
function signatureOf(entry) {
  const bytes = entry.startsWith("v1,") ? fromBase64(entry.slice(3)) : null;
  // Only as it is written by us: other texts that stand for the same bytes are not taken.
  return bytes?.length === 32 && btoa(String.fromCharCode(...bytes)) === entry.slice(3) ? bytes : null;
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer> | null} */
function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
  } catch {
    return null;
  }
}

/**
 * A header, whatever they came in: Headers, Map, an object of texts or lists (IncomingMessage.headers), pairs.
 * @param {any} headers
 * @param {string} name
 * @returns {string}
 */
function headerOf(headers, name) {
  if (headers === null || typeof headers !== "object") throw new TypeError("Headers are a Headers object, a Map, or an object by name");
  const pairs = typeof headers[Symbol.iterator] === "function" ? [...headers] : Object.entries(headers);
  const found = pairs.filter((pair) => String(pair[0]).toLowerCase() === name).map((pair) => (Array.isArray(pair[1]) ? pair[1].join(" ") : String(pair[1] ?? "")));
  return found.join(" ");
}
