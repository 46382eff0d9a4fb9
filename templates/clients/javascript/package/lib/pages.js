/* A walk over all pages of an answer: each page whole or not at all, none twice, none left out, all of one version. */
import { ProtocolError } from "./errors.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {import("./transport.js").Call} Call */

/**
 * @param {Transport} transport
 * @param {Call & { body?: any }} call of the first page
 * @returns {AsyncGenerator<{ records: any[], total: number | null, version: string | null }, void, void>}
 */
export async function* walk(transport, call) {
  let version = null;
  for (;;) {
    const { data, meta, links } = await transport.envelope(call);
    const request = { method: call.method ?? "GET", url: call.url };
    const found = typeof meta?.version === "string" ? meta.version : null;
    version ??= found;
    if (found !== version) throw new ProtocolError(`A page is of version ${found}, the first one of ${version}`, request);
    yield { records: data, total: typeof meta?.total === "number" ? meta.total : null, version };

    const next = nextOf(links?.next, transport.baseUrl, request);
    if (next === null) return;
    if (call.body !== undefined) {
      const cursor = next.searchParams.get("cursor");
      if (!cursor || cursor === call.body.cursor) throw new ProtocolError("The link to the next page has no cursor of its own", request);
      call = { ...call, body: { ...call.body, cursor } };
    } else {
      if (next.href === new URL(call.url).href) throw new ProtocolError("The link to the next page leads to the page itself", request);
      call = { ...call, url: next.href };
    }
  }
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
