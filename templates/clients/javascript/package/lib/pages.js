/* A walk over all pages of an answer: each page whole or not at all, none twice, none left out, all of one version. */
import { ProtocolError } from "./errors.js";
import { iterate } from "./iterate.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {import("./transport.js").Call} Call */

/** @typedef {{ records: any[], total: number | null, version: string | null }} Page */

/**
 * @param {Transport} transport
 * @param {Call & { body?: any }} first
 * @returns {AsyncGenerator<Page, void, void>}
 */
export function walk(transport, first) {
  /** @type {(Call & { body?: any }) | null} */
  let call = first;
  /** @type {string | null} */
  let version = null;
  const seen = new Set([addressOf(first.url)]);
  return iterate(async () => {
    if (call === null) return null;
    const { data, meta, links } = await transport.envelope(call);
    const request = { method: call.method ?? "GET", url: call.url };
    const found = typeof meta?.version === "string" ? meta.version : null;
    if (found !== (version ?? found)) throw new ProtocolError(`A page is of version ${found}, the first one of ${version}`, request);
    call = following(call, nextOf(links?.next, transport.baseUrl, request), seen);
    version = found;
    return { value: { records: data, total: typeof meta?.total === "number" ? meta.total : null, version } };
  });
}

/**
 * The records of pages, one by one.
 * @param {AsyncGenerator<Page, void, void>} pages
 * @returns {AsyncGenerator<any, void, void>}
 */
export function recordsOf(pages) {
  /** @type {any[]} */
  let records = [];
  let at = 0;
  return iterate(async () => {
    while (at === records.length) {
      const page = await pages.next();
      if (page.done) return null;
      ({ records } = page.value);
      at = 0;
    }
    return { value: records[at++] };
  });
}

/**
 * What asks for the page at NEXT; a page that was read already would go on for ever.
 * @param {Call & { body?: any }} call
 * @param {URL | null} next
 * @param {Set<string>} seen
 * @returns {(Call & { body?: any }) | null}
 */
function following(call, next, seen) {
  if (next === null) return null;
  const request = { method: call.method ?? "GET", url: call.url };
  const cursor = call.body === undefined ? null : next.searchParams.get("cursor");
  if (call.body !== undefined && !cursor) throw new ProtocolError("The link to the next page has no cursor", request);
  const address = cursor ?? addressOf(next.href);
  if (seen.has(address)) throw new ProtocolError("The link to the next page leads back to a page that was read", request);
  seen.add(address);
  return cursor === null ? { ...call, url: next.href } : { ...call, body: { ...call.body, cursor } };
}

/** What is asked for: a fragment makes no other page. @param {string} url */
function addressOf(url) {
  const address = new URL(url);
  address.hash = "";
  return address.href;
}

/**
 * @param {unknown} link
 * @param {URL} base
 * @param {import("./transport.js").Request} request
 * @returns {URL | null}
 */
function nextOf(link, base, request) {
  if (link === undefined || link === null) return null;
  let next;
  try {
    next = typeof link === "string" && link !== "" ? new URL(link, request.url) : null;
  } catch {
    next = null;
  }
  if (next === null || next.origin !== base.origin || next.username !== "" || next.password !== "") throw new ProtocolError("The link to the next page leads elsewhere", request);
  return next;
}
