/* Values of a column, as canonical text: what kind they are, how they are written, their order. The same as the query engine's (docs/expressions.md, Kinds of
 * values): numbers as exact decimals, datetimes by instant, all others by bytes. */
import { compareDecimals } from "../table.js";

const NUMBERS = ["number", "integer", "year"];
const MOMENTS = {
    date: /^\d{4}-\d\d-\d\d$/,
    time: /^\d\d:\d\d:\d\d(\.\d+)?$/,
    datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/,
    yearmonth: /^\d{4}-\d\d$/,
    duration: /^-?P[\dYMWDTHS.]+$/,
};

export const isNumber = (field) => NUMBERS.includes(field.type);
export const isBoolean = (field) => field.type === "boolean";
export const isText = (field) => field.type === "string" || field.type === "any";
/* Their values are not compared. */
export const isComplex = (field) => !isNumber(field) && !isBoolean(field) && !isText(field) && MOMENTS[field.type] === undefined;
/* They have a least and a greatest value. */
export const isOrdered = (field) => isNumber(field) || (MOMENTS[field.type] !== undefined && field.type !== "duration");

/* TEXT as a literal of the column's type, or null: ".5" is 0.5. */
export function canonical(field, text) {
    if (isNumber(field)) {
        const parts = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,4}))?$/.exec(text.trim());
        if (parts === null || (parts[2] === "" && !parts[3]))
            return null;
        const minus = parts[1] === "-" ? "-" : "";
        return minus + (parts[2].replace(/^0+(?=\d)/, "") || "0") + (parts[3] ? `.${parts[3]}` : "") + (parts[4] ? `e${Number(parts[4])}` : "");
    }
    if (isBoolean(field))
        return ["true", "false"].includes(text.trim()) ? text.trim() : null;
    const form = MOMENTS[field.type];
    return form === undefined || form.test(text) ? text : null;
}

/* Texts as their UTF-8 bytes are ordered: by code point, where JavaScript's own order is by units of UTF-16. */
export function compareBytes(a, b) {
    if (a === b)
        return 0;
    const n = Math.min(a.length, b.length);
    let i = 0;
    while (i < n && a.charCodeAt(i) === b.charCodeAt(i))
        i++;
    if (i === n)
        return a.length - b.length;
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    const high = (unit) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
    return high(x) - high(y);
}

/* A datetime in UTC, "2024-03-15T03:00:00.500Z" with what is finer than a millisecond after the Z: bytes order it. */
export function instantOf(text) {
    const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|([-+])(\d\d):(\d\d))$/.exec(text);
    if (parts === null)
        return text;
    const [year, month, day, hour, minute] = parts.slice(1, 6).map(Number);
    const offset = parts[8] === "Z" ? 0 : (Number(parts[10]) * 60 + Number(parts[11])) * (parts[9] === "-" ? -1 : 1);
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute - offset);
    const iso = date.toISOString();
    const whole = iso.startsWith("+") ? `10000${iso.slice(7)}` : iso.startsWith("-") ? `0000${iso.slice(7)}` : iso;
    const fraction = (parts[7] || "").padEnd(3, "0");
    return `${whole.slice(0, -7)}${parts[6]}.${fraction.slice(0, 3)}Z${fraction.slice(3).replace(/0+$/, "")}`;
}

/* Two decimals with their doubles, which order all but the nearest ones. */
export const compareNumbers = (x, a, y, b) => (x < y ? -1 : x > y ? 1 : a === b ? 0 : compareDecimals(a, b));

/* Canonical texts A and B of FIELD, neither null. */
export function compareValues(field, a, b) {
    if (isNumber(field))
        return compareNumbers(Number(a), a, Number(b), b);
    return field.type === "datetime" ? compareBytes(instantOf(a), instantOf(b)) : compareBytes(a, b);
}
