/* What a table of records knows without a page: how a value is shown, which of two comes first, what a filter lets through. Values are canonical text, as
 * published, or null; a number never goes through a double. */

const isNumber = (field) => field.type === "number" || field.type === "integer";
const isOrdered = (field) => isNumber(field) || ["date", "datetime", "time", "year", "yearmonth"].includes(field.type);

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

/* CONFIG: {fields: [{name, title, unit, type, labels, ordered, …}], key: [names]}; LANG: of the page; WORDS: {yes, no}. */
export function makeTable(config, lang, words) {
    const collator = new Intl.Collator(lang, { sensitivity: "base", numeric: true });
    const fields = config.fields;
    const ranks = fields.map((field) => (field.ordered ? Object.keys(field.labels) : null));

    function shown(i, value) {
        const field = fields[i];
        if (value === null || value === undefined)
            return "";
        if (field.labels !== undefined && Object.prototype.hasOwnProperty.call(field.labels, value))
            return field.labels[value];
        if (isNumber(field))
            return decimal(value, lang);
        if (field.type === "boolean")
            return value === "true" ? words.yes : words.no;
        return value;
    }

    /* Both there. */
    function compare(i, a, b) {
        const field = fields[i];
        if (isNumber(field))
            return compareDecimals(a, b);
        if (field.type === "datetime")
            return Date.parse(a) - Date.parse(b) || compareText(a, b);
        if (isOrdered(field))
            return compareText(a, b);
        if (ranks[i] !== null)
            return ranks[i].indexOf(a) - ranks[i].indexOf(b);
        return collator.compare(shown(i, a), shown(i, b)) || compareText(a, b);
    }

    /* ROWS in the order of column I; DIRECTION 1 or -1. What is empty is last either way; equal ones stay as they were. */
    function sorted(rows, i, direction) {
        return rows.slice().sort((a, b) => {
            if (a[i] === null || b[i] === null)
                return (a[i] === null) - (b[i] === null);
            return direction * compare(i, a[i], b[i]);
        });
    }

    /* A bound as somebody typed it: canonical text, or null. */
    function typed(i, text) {
        return isNumber(fields[i]) ? typedDecimal(text, lang) : /^[\d:TZ.+-]+$/.test(text.trim()) ? text.trim() : null;
    }

    /* compare() with a bound: every day of 2024 is within 2024. */
    function against(i, value, bound) {
        return !isNumber(fields[i]) && value.startsWith(bound) ? 0 : compare(i, value, bound);
    }

    /* What TEXT asks of column I: a function of a value, or null where it asks nothing. ">100", "<=5", "10..20", else a part of what is shown. */
    function filter(i, text) {
        const wanted = text.trim();
        if (wanted === "")
            return null;
        const range = isOrdered(fields[i]) ? /^(.+?)\s*\.\.\s*(.+)$/.exec(wanted) : null;
        if (range !== null) {
            const [low, high] = [typed(i, range[1]), typed(i, range[2])];
            if (low !== null && high !== null)
                return (value) => value !== null && against(i, value, low) >= 0 && against(i, value, high) <= 0;
        }
        const bound = isOrdered(fields[i]) ? /^(>=|<=|>|<|=)\s*(.+)$/.exec(wanted) : null;
        const limit = bound === null ? null : typed(i, bound[2]);
        if (limit !== null) {
            const test = {
                ">": (order) => order > 0, ">=": (order) => order >= 0, "<": (order) => order < 0, "<=": (order) => order <= 0, "=": (order) => order === 0,
            }[bound[1]];
            return (value) => value !== null && test(against(i, value, limit));
        }
        const part = plain(wanted);
        return (value) => value !== null && sought(i, value).includes(part);
    }

    /* A choice among labels: exactly that value. */
    function choice(i, value) {
        return value === "" ? null : (other) => other === value;
    }

    /* What is searched of a value: how it is shown, and how it is published. */
    function sought(i, value) {
        const text = shown(i, value);
        return plain(text === value || value === null ? text : `${text}\n${value}`);
    }

    const texts = new WeakMap(); /* of rows, since every key that is pressed asks for all of them */
    function textOf(row) {
        if (!texts.has(row))
            texts.set(row, row.map((value, i) => sought(i, value)).join("\n"));
        return texts.get(row);
    }

    /* All words anywhere in the record. */
    function search(text) {
        const wanted = plain(text).split(/\s+/).filter(Boolean);
        if (wanted.length === 0)
            return null;
        return (row) => wanted.every((word) => textOf(row).includes(word));
    }

    const keys = config.key.map((name) => fields.findIndex((field) => field.name === name));
    /* "31.72-0001"; parts of a composite key with commas; "" without a key. */
    function key(row) {
        return keys.length === 0 || keys.some((i) => i < 0 || row[i] === null) ? "" : keys.map((i) => row[i]).join(",");
    }

    return { fields, isKey: (i) => keys.includes(i), isNumber: (i) => isNumber(fields[i]), isOrdered: (i) => isOrdered(fields[i]), shown, sorted, filter, choice, search, key };
}
