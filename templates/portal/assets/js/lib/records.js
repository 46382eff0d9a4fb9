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

/* The values of NAMES in an object at NODE. */
function valuesOf(text, node, names) {
    const members = new Map(childrenOf(text, node).map((child) => [child.name, child]));
    return names.map((name) => {
        const child = members.get(name);
        if (child === undefined)
            throw new Error(name);
        return child.kind === "null" ? null : textOf(text, child);
    });
}

const READERS = {
    csv: (text, names) => {
        const rows = readCsv(text);
        if (rows.length === 0 || names.some((name, i) => rows[0][i] !== name))
            throw new Error("CSV");
        return rows.slice(1).map((row) => row.slice(0, names.length)); // columns of a geometry stand behind
    },
    json: (text, names) => childrenOf(text, memberOf(text, readJson(text), "data")).map((node) => valuesOf(text, node, names)),
    geojson: (text, names) => childrenOf(text, memberOf(text, readJson(text), "features")).map((node) => valuesOf(text, memberOf(text, node, "properties"), names)),
};

/* All rows of a file of KIND ("csv", "json", "geojson"), with the columns and the first rows of PREVIEW, and as many as it tells. */
export function readRecords(text, kind, preview) {
    const rows = READERS[kind](text, preview.fields);
    if (rows.length !== preview.total || preview.rows.some((row, k) => row.some((value, i) => value !== rows[k][i])))
        throw new Error(`${rows.length} of ${preview.total}`);
    return rows;
}
