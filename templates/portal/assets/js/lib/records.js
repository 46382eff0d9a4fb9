/* A published file of a table as rows of canonical text, null where there is no value: what preview.json has of the first records, of all of them. A number never
 * goes through a double. Throws where the text is not what is published. */
import { childrenOf, memberOf, readJson, textOf } from "./json.js";

/* RFC 4180 as odp writes it: an empty field without quotes is null. The header comes first. */
export function readCsv(text) {
    const rows = [];
    let row = [];
    let i = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    const quoted = () => {
        let value = "";
        for (let from = i + 1; ; from = i + 1) {
            i = text.indexOf('"', from);
            if (i < 0)
                throw new Error("CSV");
            value += text.slice(from, i);
            i++;
            if (text[i] !== '"')
                return value;
            value += '"';
        }
    };
    const plain = () => {
        const from = i;
        while (i < text.length && text[i] !== "," && text[i] !== "\r" && text[i] !== "\n")
            i++;
        return i === from ? null : text.slice(from, i);
    };
    while (i < text.length) {
        row.push(text[i] === '"' ? quoted() : plain());
        if (text[i] === ",") {
            i++;
            if (i < text.length)
                continue;
            row.push(null);
        }
        rows.push(row);
        row = [];
        i += text.startsWith("\r\n", i) ? 2 : 1;
    }
    return rows;
}

/* The members of an object at NODE, by name. */
const membersOf = (text, node) => new Map(childrenOf(text, node).map((child) => [child.name, child]));

/* The values of NAMES among MEMBERS. */
function valuesOf(text, members, names) {
    return names.map((name) => {
        const child = members.get(name);
        if (child === undefined)
            throw new Error(name);
        return child.kind === "null" ? null : textOf(text, child);
    });
}

const shapeOf = (text, child) => (child === undefined || child.kind === "null" ? null : text.slice(child.start, child.end));

/* "geometry", or what it is called beside columns of that name. */
export function freeName(names, name) {
    while (names.includes(name))
        name = `geometry_${name}`;
    return name;
}

/* Columns of labels and of a geometry stand between and behind those of NAMES. */
function fromCsv(text, names) {
    const [head, ...rows] = readCsv(text);
    const at = names.map((name) => (head === undefined ? -1 : head.indexOf(name)));
    if (at.includes(-1))
        throw new Error("CSV");
    const [lon, lat] = ["lon", "lat"].map((name) => head.indexOf(freeName(names, name)));
    const point = (row) => (row[lon] === null ? null : `{"type":"Point","coordinates":[${row[lon]},${row[lat]}]}`);
    return { rows: rows.map((row) => at.map((i) => row[i])), shapes: lon < 0 || lat < 0 ? null : rows.map(point) };
}

const SHAPE_NAMES = /^(geometry_)*(lon|lat|label_lon|label_lat|geometry_type|wkt)$/;

/* The columns of the geometry, at the end of a published CSV of TOTAL records: {names, rows}. */
export function readShapes(text, total) {
    const [head, ...rows] = readCsv(text);
    let from = head.length;
    while (from > 0 && SHAPE_NAMES.test(head[from - 1]))
        from--;
    if (rows.length !== total)
        throw new Error(`${rows.length} of ${total}`);
    return { names: head.slice(from), rows: rows.map((row) => row.slice(from)) };
}

function fromJson(text, names) {
    const records = childrenOf(text, memberOf(text, readJson(text), "data")).map((node) => membersOf(text, node));
    const geometry = freeName(names, "geometry");
    const shaped = records.length > 0 && records[0].has(geometry);
    return { rows: records.map((members) => valuesOf(text, members, names)), shapes: shaped ? records.map((members) => shapeOf(text, members.get(geometry))) : null };
}

function fromGeojson(text, names) {
    const features = childrenOf(text, memberOf(text, readJson(text), "features")).map((node) => membersOf(text, node));
    return {
        rows: features.map((members) => valuesOf(text, membersOf(text, members.get("properties")), names)),
        shapes: features.map((members) => shapeOf(text, members.get("geometry"))),
    };
}

const READERS = { csv: fromCsv, json: fromJson, geojson: fromGeojson };

/* A file of KIND ("csv", "json", "geojson") with the columns NAMES: {rows, shapes}; the shapes as the text of their GeoJSON, null where there are none. */
export function readTable(text, kind, names) {
    return READERS[kind](text, names);
}

/* All rows of a file, with the columns and the first rows of PREVIEW, and as many as it tells. */
export function readRecords(text, kind, preview) {
    const { rows } = readTable(text, kind, preview.fields);
    if (rows.length !== preview.total || preview.rows.some((row, k) => row.some((value, i) => value !== rows[k][i])))
        throw new Error(`${rows.length} of ${preview.total}`);
    return rows;
}
