/* A chart's document (charts/<name>.json, docs/formats.md) as what is drawn, read and saved: in one language, values as the exact texts that were published.
 *
 * {type, heading, title, measure, unit, axis, category, group, total, lang, source, licence, notes, dataset, stops: [{key, label, kind, at, from, to}],
 *  groups: [{label, kind, color}], values: [[text or null of each group] of each stop], rows: of a gantt}
 *
 * color: the name of a custom property (tokens.css, parts/chart.css). at: the place on an axis of time or numbers. */

const COLORS = 7; /* --chart-1 … --chart-7; --chart-8 is of what was folded */
const STEPS = 5;

/* Numbers of rows stay text: none of them goes through a double. Within a JSON string the quotes are escaped, so no text can look like a member. */
export const parseTwin = (text) => JSON.parse(text.replace(/"(value|from|to)":(-?\d[\d.eE+-]*)/g, '"$1":"$2"'));

/* Years as numbers, times as years with a fraction, by the days of the calendar. */
export function placeOf(key, axis) {
    if (axis === "year" || axis === "number")
        return Number(key);
    const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?/.exec(key) || [];
    const start = Date.UTC(Number(year), 0, 1), at = Date.UTC(Number(year), Number(month || 1) - 1, Number(day || 1));
    return Number(year) + (at - start) / (Date.UTC(Number(year) + 1, 0, 1) - start);
}

const unique = (rows, key, label) => {
    const found = new Map();
    rows.forEach((row) => found.set(`${row[key]}\t${row[label] ? row[label].id : ""}`, { key: row[key], label: row[label] || { id: "", en: "" } }));
    return [...found.values()];
};

/* "Jan 2021" where the label is "Januari 2021": below an axis there is little room. */
function shortOf(key, label, lang) {
    if (!/^\d{4}-\d\d$/.test(key || ""))
        return label;
    return new Intl.DateTimeFormat(lang, { month: "short", year: "numeric", timeZone: "UTC" }).format(new Date(`${key}-01T00:00:00Z`));
}

const isGrey = (group) => group.kind === "others" || group.kind === "earlier";

function colorOf(group, i, n, ordered) {
    if (isGrey(group))
        return "--chart-8";
    if (n === 1)
        return "--chart-single";
    return ordered && n <= STEPS ? `--chart-step-${1 + Math.round((i * (STEPS - 1)) / (n - 1))}` : `--chart-${(i % COLORS) + 1}`;
}

/* What documents of before say less of: categories in the order of their rows, the kind of their axis by what they look like. */
function completed(twin) {
    const rows = twin.rows || [], keys = rows.map((row) => row.category).filter((key) => key !== null && key !== undefined);
    const axis = keys.length > 0 && keys.every((key) => /^\d{4}$/.test(key)) ? "year" : keys.length > 0 && keys.every((key) => /^\d{4}-\d\d/.test(key)) ? "time" : "text";
    const grouped = rows.some((row) => row.seriesLabel);
    return {
        category: { title: { id: "", en: "" }, axis, ordered: axis !== "text" },
        group: grouped ? { title: { id: "", en: "" }, ordered: false } : null,
        categories: unique(rows, "category", "label"),
        groups: grouped ? unique(rows, "series", "seriesLabel") : [],
        scale: { power: 0, decimals: 2, unit: twin.unit },
        ...twin,
    };
}

/* The values of ROWS by stop and group. */
function valuesOf(twin, several) {
    const place = (list) => new Map(list.map((one, i) => [`${one.key}\t${one.label.id}`, i]));
    const stops = place(twin.categories), groups = place(twin.groups);
    const values = twin.categories.map(() => new Array(Math.max(1, twin.groups.length)).fill(null));
    twin.rows.forEach((row, i) => {
        const stop = twin.type === "histogram" ? i : stops.get(`${row.category}\t${row.label.id}`);
        const group = several ? groups.get(`${row.series}\t${row.seriesLabel ? row.seriesLabel.id : ""}`) : 0;
        if (values[stop] !== undefined && group !== undefined)
            values[stop][group] = row.value;
    });
    return values;
}

export function modelOf(document, lang) {
    const twin = completed(document);
    const both = (text) => (text ? text[lang] || text.id || "" : "");
    const several = twin.groups.length > 0, { axis } = twin.category;
    const formatter = new Intl.NumberFormat(lang, { maximumFractionDigits: twin.scale.decimals });
    const whole = new Intl.NumberFormat(lang, { maximumFractionDigits: 9 });
    const model = {
        type: twin.type, lang, axis, ordered: twin.category.ordered === true, total: twin.total === true, aggregate: twin.aggregate,
        title: both(twin.title), heading: both(twin.headline) || both(twin.title), measure: both(twin.measure) || both(twin.scale.unit || twin.unit),
        unit: both(twin.scale.unit || twin.unit), exactUnit: both(twin.unit), least: 10 ** (twin.scale.power - twin.scale.decimals),
        category: both(twin.category.title), group: several && twin.group ? both(twin.group.title) : "",
        stops: twin.categories.map((one, i) => ({
            key: one.key, label: both(one.label), short: shortOf(axis === "time" ? one.key : "", both(one.label), lang), kind: one.kind || "", from: twin.rows[i] && twin.rows[i].from, to: twin.rows[i] && twin.rows[i].to,
            at: one.key !== null && axis !== "text" && !isGrey(one) ? placeOf(one.key, axis) : i,
        })),
        groups: (several ? twin.groups : [{ key: null, label: { id: "", en: "" } }]).map((one, i) => ({
            key: one.key, label: both(one.label), kind: one.kind || "",
            color: colorOf(one, i, Math.max(1, twin.groups.length), Boolean(twin.group && twin.group.ordered)),
        })),
        values: twin.type === "gantt" ? [] : valuesOf(twin, several),
        rows: twin.type === "gantt" ? twin.rows.map((row) => ({ label: both(row.label), group: both(row.seriesLabel), planned: row.planned, actual: row.actual, value: row.value })) : [],
        source: both(twin.source), notes: both(twin.notes), dataset: twin.dataset || "", version: twin.version || "", name: twin.name || "chart",
        licence: twin.license ? { name: twin.license.title || twin.license.name, path: twin.license.path } : null,
        show: (value) => formatter.format(Number(value) / 10 ** twin.scale.power),
        write: (value) => whole.format(Number(value)),
    };
    /* Groups that are years are moments of one picture: a slider instead of bars side by side. */
    model.moments = twin.type === "bar" && several && model.groups.length > 1 && twin.groups.every((one) => /^\d{4}$/.test(one.key || ""));
    return model;
}

/* Which stops and groups are seen. VIEW: {off: Set of groups, from, to: stops, moment: group}. */
export function shownOf(model, view) {
    const stops = model.stops.map((_, i) => i).filter((i) => i >= view.from && i <= view.to);
    const groups = model.groups.map((_, i) => i).filter((i) => (model.moments ? i === view.moment : !view.off.has(i)));
    return { stops, groups };
}

export const firstView = (model) => ({ off: new Set(), from: 0, to: model.stops.length - 1, moment: model.groups.length - 1 });

/* Whether the picture has a period that can be made shorter. */
export const hasPeriod = (model) => (model.axis === "year" || model.axis === "time") && model.stops.length > 3 && model.type !== "histogram";

/* The sum of texts of decimals: exact while the numbers have no more than 15 digits, and shown with few. */
export const sumOf = (texts) => texts.reduce((sum, text) => sum + (text === null ? 0 : Number(text)), 0);

/* A decimal of an earlier document may have an exponent: no CSV has one. */
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/* A cell that a spreadsheet would run as a formula begins with a quote; numbers are none. */
const cell = (text) => quoted(/^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text);

/* The figures that are seen, as CSV; each line says where it is from. WORDS: names of columns {value, unit, title, source, licence, planned, actual}. */
export function csvOf(model, view, words) {
    const last = [model.title, model.source, model.licence ? model.licence.name : ""];
    const lines = [];
    if (model.type === "gantt") {
        lines.push([model.group || words.group, model.category || words.category, words.planned, words.actual, words.value, words.unit, words.title, words.source, words.licence]);
        model.rows.forEach((row) => lines.push([row.group, row.label, row.planned || "", row.actual || "", row.value === null ? "" : row.value, model.exactUnit, ...last]));
    } else {
        const { stops, groups } = shownOf(model, view), several = model.groups.length > 1 || model.groups[0].label !== "";
        lines.push([model.category || words.category, ...(several ? [model.group || words.group] : []), words.value, words.unit, words.title, words.source, words.licence]);
        stops.forEach((i) => groups.forEach((k) => {
            const value = model.values[i][k];
            if (value !== null)
                lines.push([model.stops[i].label, ...(several ? [model.groups[k].label] : []), value, model.exactUnit, ...last]);
        }));
    }
    return `${lines.map((line) => line.map((text) => cell(String(text))).join(",")).join("\r\n")}\r\n`;
}
