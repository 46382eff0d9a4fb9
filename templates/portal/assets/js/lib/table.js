/* Texts and decimals as people type and read them. Values are canonical text, as published; a number never goes through a double. */

/* Case and marks over letters do not count where somebody searches. */
export function plain(text) {
    return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
}

/* "1.204,5" of "1204.5"; the text as it is where it is no plain decimal. */
export function decimal(text, lang) {
    const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
    if (parts === null)
        return text;
    const [group, point] = lang === "id" ? [".", ","] : [",", "."];
    return parts[1] + parts[2].replace(/\B(?=(\d{3})+$)/g, group) + (parts[3] === undefined ? "" : point + parts[3]);
}

/* The other way round: what somebody types, in either language's manner. Where one sign alone can be both, it groups if three digits follow. */
export function typedDecimal(text, lang) {
    const [group, point] = lang === "id" ? [".", ","] : [",", "."];
    let s = text.trim();
    if (s.includes(point) || new RegExp(`^-?\\d{1,3}(\\${group}\\d{3})+$`).test(s))
        s = s.split(group).join("").replace(point, ".");
    return /^-?\d+(\.\d+)?$/.test(s) ? s : null;
}

/* Of two decimals as text: <0, 0, >0, exactly, however long they are. */
export function compareDecimals(a, b) {
    const [x, y] = [a, b].map((text) => /^(-?)0*(\d*?)(?:\.(\d*?)0*)?$/.exec(text));
    if (x === null || y === null || /[eEnN]/.test(a + b))
        return Number(a) - Number(b) || 0;
    const sign = ([, minus, whole, fraction]) => (whole || fraction ? (minus ? -1 : 1) : 0);
    if (sign(x) !== sign(y))
        return sign(x) - sign(y);
    const order = x[2].length - y[2].length || compareText(x[2], y[2]) || compareText(x[3] || "", y[3] || "");
    return order * sign(x);
}

function compareText(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}
