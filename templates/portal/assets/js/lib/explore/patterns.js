/* LIKE and CASEI of CQL2, as the query engine has them (tools/lib/catalog/expr/text.c). */

/* Case folded as Unicode does in full: sharp s is ss. */
export function foldCase(text) {
    if (/^[\x00-\x7f]*$/.test(text))
        return text.toLowerCase();
    let out = "";
    for (const c of text)
        out += c.toUpperCase().toLowerCase().replace(/\u03c2/g, "\u03c3");
    return out;
}

/* A function of a text. */
export function likeTest(pattern) {
    let source = "";
    for (let i = 0; i < pattern.length; i++) {
        const c = pattern[i];
        if (c === "%")
            source += "[\\s\\S]*";
        else if (c === "_")
            source += "[\\s\\S]";
        else
            source += (c === "\\" && i + 1 < pattern.length ? pattern[++i] : c).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }
    const test = new RegExp(`^${source.replace(/(?:\[\\s\\S\]\*)+/g, "[\\s\\S]*")}$`, "u");
    return (text) => test.test(text);
}

/* TEXT as part of a pattern. */
export const escaped = (text) => text.replace(/[\\%_]/g, "\\$&");
