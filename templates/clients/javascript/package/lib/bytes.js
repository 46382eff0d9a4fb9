/* The bytes of a published file, which goes on where a connection broke. */
import { BadRequestError, ProtocolError, TransportError } from "./errors.js";

/** @typedef {import("./transport.js").Transport} Transport */

/**
 * Yields pieces of a file and where they belong. They are in order from START on; only where the server does not go on (it answers 200), they begin again at 0.
 * What was counted as a failure is forgotten as soon as bytes come that were not there before: a server that always begins again and never ends is given up.
 * @param {Transport} transport
 * @param {{ url: string, bytes?: number, start?: number, signal?: AbortSignal | undefined }} file BYTES: its size, where that is known
 * @returns {AsyncGenerator<{ at: number, data: Uint8Array }, void, void>}
 */
export async function* bytesOf(transport, { url, bytes, start = 0, signal }) {
  const request = { method: "GET", url };
  let at = start;
  let furthest = start;
  let etag = null;
  for (let failures = 0; ; ) {
    const answer = await openAt(transport, url, at, etag, signal); // which has its own tries
    at = answer.at;
    try {
      const told = answer.headers.has("content-encoding") ? null : answer.headers.get("content-length");
      const end = told === null ? undefined : at + Number(told);
      const tag = answer.headers.get("etag");
      etag = tag && !tag.startsWith("W/") ? tag : null;
      for await (const data of answer.body) {
        yield { at, data };
        at += data.length;
        if (at > furthest) {
          furthest = at;
          failures = 0;
        }
      }
      // An answer that was as long as it said is whole: then the file is another one, which whoever hashes it will see.
      if (bytes === undefined || at >= bytes || at === end) return;
      throw new TransportError(`The file ended early, at ${at} of ${bytes} bytes`, request);
    } catch (error) {
      if (!(error instanceof TransportError) || failures >= transport.retries) throw error;
      await transport.backOff(failures++, signal);
    }
  }
}

/**
 * @param {Transport} transport
 * @param {string} url
 * @param {number} at
 * @param {string | null} etag
 * @param {AbortSignal | undefined} signal
 */
async function openAt(transport, url, at, etag, signal) {
  /** @type {{ [name: string]: string }} */
  const headers = { accept: "*/*" };
  if (at === 0) {
    Object.assign(headers, transport.platform.identity);
  } else {
    // fetch itself adds `Accept-Encoding: identity` where there is a range.
    headers.range = `bytes=${at}-`;
    if (etag) headers["if-range"] = etag;
  }
  let answer;
  try {
    answer = await transport.open({ url, headers, signal });
  } catch (error) {
    // What we have is longer than the file is now: from the beginning.
    if (at > 0 && error instanceof BadRequestError && error.status === 416) return openAt(transport, url, 0, null, signal);
    throw error;
  }
  if (answer.status === 206) {
    const from = /^bytes ([0-9]+)-/.exec(answer.headers.get("content-range") ?? "")?.[1];
    if (from !== undefined && Number(from) !== at) {
      answer.cancel();
      throw new ProtocolError(`Bytes from ${at} were asked for, bytes from ${from} came`, { method: "GET", url });
    }
    return { ...answer, at };
  }
  return { ...answer, at: 0 };
}
