/* A request: what the form says, as an address, as a fragment to share, and on its way. Nothing but paths of the document, under the
 * site's own root, is ever asked.
 *
 * {method, path (filled in and encoded, from "/"), query [[name, value]…], body (text or null), isPublic, headers that the body needs} */
import { itemsOf, matchPath } from "./openapi.js";

export const TIMEOUT = 60; /* seconds */
export const LARGEST = 32 * 1024 * 1024; /* bytes that are read of an answer */

/* Half a surrogate pair has no bytes. */
const wellFormed = (text) => text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (c) => (c.length === 2 ? c : "\ufffd"));

/* For query and path: everything but what is plain in every shell and program. */
export function encode(text) {
    return encodeURIComponent(wellFormed(text)).replace(/[!'*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
}

/* The request of OPERATION with VALUES {name: text} and BODY text. A path's parameter that is not filled in stays as {name}. */
export function makeRequest(operation, values, body) {
    const query = [];
    let path = operation.path;
    for (const field of operation.fields) {
        const text = values[field.name] === undefined ? "" : values[field.name];
        const value = field.list ? itemsOf(text).join(",") : field.type === "string" ? text : text.trim();
        if (value === "") continue;
        if (field.place === "path") path = path.split(`{${field.name}}`).join(encode(value));
        else query.push([field.name, wellFormed(value)]);
    }
    return {
        method: operation.method,
        path,
        query,
        body: operation.body && body.trim() !== "" ? wellFormed(body) : null,
        isPublic: operation.isPublic,
    };
}

/* Relative to the site's root: "v1/kumuh?limit=2". Lists stay readable: a comma needs no code there. */
export function addressOf(request) {
    const query = request.query
        .map(([name, value]) => `${encode(name)}=${encode(value).replace(/%2C/g, ",").replace(/%2F/g, "/")}`)
        .join("&");
    return request.path.slice(1) + (query === "" ? "" : `?${query}`);
}

/* ---- the state in the fragment ---- */

/* What is sent about keys is nobody else's: names, addresses, tokens. */
const mayShare = (path) => !path.startsWith("/auth/");

/* "#GET/v1/kumuh?limit=2"; a search's body goes along, other bodies may hold secrets. */
export function fragmentOf(request) {
    const path = request.path.replace(/\{/g, "%7B").replace(/\}/g, "%7D");
    if (!mayShare(request.path)) return `#${request.method}${path}`;
    const pairs = request.query.slice();
    if (request.body !== null && request.path.endsWith("/search")) pairs.push(["@body", request.body]);
    return `#${request.method}${addressOf({ path: `/${path}`, query: pairs })}`;
}

/* {method, path, values, body} of a fragment, or null where the document has no such endpoint. */
export function readFragment(document, fragment) {
    const match = /^#?([A-Za-z]+)(\/[^?]*)(?:\?(.*))?$/.exec(fragment);
    const method = match ? match[1].toUpperCase() : "GET";
    const address = match ? match[2] : fragment.replace(/^#?\/?/, "/").split("?")[0]; /* #v1/kumuh is GET */
    const query = match ? match[3] : fragment.split("?")[1];
    const found = matchPath(document, method, address);
    if (found === null) return null;
    const values = Object.assign({}, found.values);
    let body = "";
    for (const pair of mayShare(address) && query ? query.split("&") : []) {
        const [name, value] = [pair.split("=", 1)[0], pair.slice(pair.split("=", 1)[0].length + 1)].map((text) => {
            try {
                return decodeURIComponent(text.replace(/\+/g, " "));
            } catch (error) {
                return text;
            }
        });
        if (name === "@body") body = value;
        else if (name !== "") values[name] = value;
    }
    return { method, path: found.path, values, body };
}

/* The fragment of LINK, which an answer from ADDRESS gave, where it leads to something of the API under ROOT; else null. */
export function fragmentOfLink(link, address, root) {
    let url = null;
    try {
        url = new URL(link, address);
    } catch (error) {
        return null;
    }
    const base = new URL(root);
    if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname) || url.username !== "") return null;
    return `#GET/${url.pathname.slice(base.pathname.length)}${url.search}`;
}

/* ---- sending ---- */

/* Reads as much as LARGEST of RESPONSE, telling PROGRESS the bytes. */
async function readBody(response, progress) {
    const chunks = [];
    let size = 0;
    if (!response.body || !response.body.getReader) return { blob: await response.blob(), cut: false };
    const reader = response.body.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return { blob: new Blob(chunks), cut: false };
        if (size + value.length > LARGEST) {
            chunks.push(value.subarray(0, LARGEST - size));
            await reader.cancel();
            return { blob: new Blob(chunks), cut: true };
        }
        chunks.push(value);
        size += value.length;
        progress(size);
    }
}

const now = () => performance.now();

/* Sends REQUEST to ROOT (absolute, ends in "/"). Resolves to {status, headers [[name, value]…], blob, text, cut, ms, url}, or to
 * {fault} with a word's key: net_aborted, net_timeout, net_offline, net_file, net_failed. STOP is an AbortController. */
export async function send(request, root, { key, lang, stop, progress }) {
    const headers = { "Accept-Language": lang };
    let late = false;
    const started = now();
    if (key !== "" && !request.isPublic) headers.Authorization = `Bearer ${key}`;
    if (request.body !== null) headers["Content-Type"] = "application/json";
    const timer = setTimeout(() => {
        late = true;
        stop.abort();
    }, TIMEOUT * 1000);
    try {
        const response = await fetch(root + addressOf(request), {
            method: request.method,
            headers,
            body: request.body === null ? undefined : request.body,
            signal: stop.signal,
            cache: "no-store",
            credentials: "omit",
            referrerPolicy: "no-referrer",
        });
        const { blob, cut } = await readBody(response, progress);
        const text = await blob.text();
        return { status: response.status, headers: Array.from(response.headers), blob, text, cut, ms: now() - started, url: response.url };
    } catch (error) {
        const fault = late
            ? "net_timeout"
            : stop.signal.aborted
              ? "net_aborted"
              : location.protocol === "file:"
                ? "net_file"
                : navigator.onLine === false
                  ? "net_offline"
                  : "net_failed";
        return { fault, ms: now() - started };
    } finally {
        clearTimeout(timer);
    }
}
