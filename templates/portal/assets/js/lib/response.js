/* What an answer is and says: its kind, its quota, its records as a table or as features. Pure; numbers stay as they were sent (json.js). */
import { childrenOf, memberOf, readJson, textOf } from "./json.js";

export const header = (answer, name) => {
    const found = answer.headers.find(([key]) => key.toLowerCase() === name);
    return found ? found[1] : "";
};

/* "application/json" of "application/json; charset=utf-8". */
export const mediaType = (answer) => header(answer, "content-type").split(";")[0].trim().toLowerCase();

/* {json: the root's node or null, kind: "problem" | "json" | "csv" | "text" | "empty"} */
export function understand(answer) {
    const type = mediaType(answer);
    let json = null;
    if (answer.text.trim() === "") return { json, kind: "empty" };
    if (/[/+]json$/.test(type) && !answer.cut)
        try {
            json = readJson(answer.text);
        } catch (fault) {
            /* shown as it came */
        }
    if (json !== null) return { json, kind: type === "application/problem+json" ? "problem" : "json" };
    return { json, kind: type === "text/csv" ? "csv" : "text" };
}

/* ---- quota ---- */

/* {daily: true where there is such a limit, limit, left, reset (seconds)} of RateLimit and RateLimit-Policy
 * (draft-ietf-httpapi-ratelimit-headers); null: neither says anything. */
export function quotaOf(answer) {
    const item = (name) =>
        header(answer, name)
            .split(",")
            .map((one) => one.trim())
            .find((one) => one.startsWith('"daily"')) || "";
    const number = (text, key) => {
        const match = new RegExp(`;\\s*${key}=(\\d+)`).exec(text);
        return match === null ? null : Number(match[1]);
    };
    if (header(answer, "ratelimit-policy") === "" && header(answer, "ratelimit") === "") return null;
    const policy = item("ratelimit-policy");
    const state = item("ratelimit");
    return { daily: policy !== "" || state !== "", limit: number(policy, "q"), left: number(state, "r"), reset: number(state, "t") };
}

/* [[word, number]…] of SECONDS, the two largest units: "7 h 29 min". */
export function durationOf(seconds) {
    const units = [
        ["day", 86400],
        ["hour", 3600],
        ["minute", 60],
        ["second", 1],
    ];
    const parts = [];
    let left = Math.max(0, Math.ceil(seconds));
    for (const [word, size] of units) {
        const n = Math.floor(left / size);
        left -= n * size;
        if (n > 0 && parts.length < 2) parts.push([word, n]);
        else if (parts.length > 0) break;
    }
    return parts.length > 0 ? parts : [["second", 0]];
}

/* Where the next page is: links.next of an envelope, the link of GeoJSON, or the header Link (all there is with CSV). "" at the end. */
export function nextOf(answer, json) {
    if (json !== null) {
        const links = memberOf(answer.text, json, "links");
        if (links !== undefined && links.kind === "object") {
            const next = memberOf(answer.text, links, "next");
            return next !== undefined && next.kind === "string" ? textOf(answer.text, next) : "";
        }
    }
    for (const part of header(answer, "link").split(/,(?=\s*<)/)) {
        const match = /^\s*<([^>]*)>(.*)$/.exec(part);
        if (match !== null && /;\s*rel="?(?:[^";]*\s)?next(?:\s[^";]*)?"?(?:\s*;|\s*$)/i.test(match[2])) return match[1];
    }
    return "";
}

/* ---- tables ---- */

/* CSV text (RFC 4180) as arrays of texts; null: an empty field without quotes. */
export function readCsv(text) {
    const rows = [];
    let row = [],
        i = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    while (i < text.length) {
        let value = null;
        if (text[i] === '"') {
            value = "";
            for (i++; i < text.length; i++)
                if (text[i] !== '"') value += text[i];
                else if (text[i + 1] === '"') value += text[i++];
                else break;
            i++;
        } else {
            const from = i;
            while (i < text.length && text[i] !== "," && text[i] !== "\n" && text[i] !== "\r") i++;
            value = i > from ? text.slice(from, i) : null;
        }
        row.push(value);
        if (text[i] === ",") {
            i++;
            if (i === text.length) row.push(null);
            else continue;
        }
        i += text[i] === "\r" && text[i + 1] === "\n" ? 2 : 1;
        rows.push(row);
        row = [];
    }
    return rows;
}

/* The nodes of an answer's records and whether they are GeoJSON features; null where it has none. Looked for once. */
function recordsOf(answer, understood) {
    if (understood.records === undefined)
        understood.records = understood.kind === "json" ? findRecords(answer.text, understood.json) : null;
    return understood.records;
}

function findRecords(text, json) {
    if (json.kind !== "object") return null;
    const data = memberOf(text, json, "data"),
        features = memberOf(text, json, "features"),
        type = memberOf(text, json, "type");
    const is = (node, kind) => node !== undefined && node.kind === kind;
    if (is(features, "array") && is(type, "string")) return { nodes: childrenOf(text, features), features: true };
    if (is(type, "string") && textOf(text, type) === "Feature") return { nodes: [json], features: true };
    if (!is(data, "array")) return null;
    const nodes = childrenOf(text, data);
    if (nodes.some((node) => node.kind !== "object")) return null;
    return {
        nodes,
        features:
            nodes.length > 0 && is(memberOf(text, nodes[0], "type"), "string") && is(memberOf(text, nodes[0], "properties"), "object"),
    };
}

/* The members of a record as columns: a feature's id, its properties, its geometry. */
function membersOf(text, node, feature) {
    const members = childrenOf(text, node);
    if (!feature) return members;
    const named = (name) => members.find((member) => member.name === name);
    const properties = named("properties");
    const inside = properties === undefined ? [] : childrenOf(text, properties);
    const id = named("id"),
        geometry = named("geometry");
    return [
        ...(id !== undefined && !inside.some((member) => member.name === "id") ? [id] : []),
        ...inside,
        ...(geometry !== undefined ? [geometry] : []),
    ];
}

/* {columns(): [names, as they first come], size, row(i): [cell by column]}; a cell is undefined (not there), null, {text, number} or
 * {node}. Null: no table. Only what is asked for is read. */
export function tableOf(answer, understood) {
    const text = answer.text;
    if (understood.kind === "csv") {
        const [columns, ...rows] = readCsv(text);
        return {
            columns: () => columns,
            size: rows.length,
            row: (i) =>
                columns.map((_, at) =>
                    rows[i][at] === undefined || rows[i][at] === null ? rows[i][at] : { text: rows[i][at], number: false },
                ),
        };
    }
    const records = recordsOf(answer, understood);
    if (records === null) return null;
    let names = null;
    const columns = () => {
        if (names === null) {
            const seen = new Set();
            records.nodes.forEach((node) => membersOf(text, node, records.features).forEach((member) => seen.add(member.name)));
            names = Array.from(seen);
        }
        return names;
    };
    const row = (i) => {
        const members = membersOf(text, records.nodes[i], records.features);
        return columns().map((name) => {
            const node = members.find((member) => member.name === name);
            if (node === undefined || node.kind === "null") return node === undefined ? undefined : null;
            return node.kind === "object" || node.kind === "array"
                ? { node }
                : { text: textOf(text, node), number: node.kind === "number" };
        });
    };
    return { columns, size: records.nodes.length, row };
}

/* {type, points} of a node that is GeoJSON geometry, or null. */
export function geometryOf(text, node) {
    if (node.kind !== "object") return null;
    const type = memberOf(text, node, "type");
    if (
        type === undefined ||
        type.kind !== "string" ||
        !/^(Multi)?(Point|LineString|Polygon)$|^GeometryCollection$/.test(textOf(text, type))
    )
        return null;
    return { type: textOf(text, type), points: (text.slice(node.start, node.end).match(/\[\s*-?\d/g) || []).length };
}

/* ---- maps ---- */

/* A function that makes a FeatureCollection of what has a place, or null where nothing has. */
export function featuresOf(answer, understood) {
    const records = recordsOf(answer, understood);
    const hasPlace = (node) => {
        const geometry = memberOf(answer.text, node, "geometry");
        return geometry !== undefined && geometryOf(answer.text, geometry) !== null;
    };
    if (records === null || !records.nodes.some(hasPlace)) return null;
    return () => ({
        type: "FeatureCollection",
        features: records.nodes
            .filter(hasPlace)
            .map((node) => JSON.parse(answer.text.slice(node.start, node.end)))
            .map((record) => {
                if (records.features) return record;
                const properties = Object.assign({}, record);
                delete properties.geometry;
                return { type: "Feature", geometry: record.geometry, properties };
            }),
    });
}

/* A name for the answer as a file: of its address and type. */
export function fileNameOf(request, answer) {
    const endings = {
        "application/json": "json",
        "application/geo+json": "geojson",
        "text/csv": "csv",
        "text/html": "html",
        "application/problem+json": "json",
        "application/schema+json": "json",
    };
    const name = request.path
        .replace(/^\/(v1\/)?/, "")
        .replace(/\.(json|geojson|csv)$/, "")
        .replace(/%[0-9A-F]{2}/gi, "_")
        .replace(/[^0-9A-Za-z._-]+/g, "-")
        .replace(/^[-.]+|-+$/g, "");
    return `${name || "api"}.${endings[mediaType(answer)] || "txt"}`;
}
