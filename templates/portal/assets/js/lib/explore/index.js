/* Questions answered from a query index by SQL: the statements are the query engine's (tools/odp-gateway/service/queries/engine), so are the answers. Of the file
 * only what they need is moved; what would cost more than BUDGET is not done (OverBudget): null for a facet, an extent or a count, else a failure of kind "whole",
 * until the whole index is loaded. Other than explore/file.js these answer later: functions that give promises. */
import { decimalDigits } from "./decimals.js";
import { coordinate, extend, geometryText, readGpb, wktOf } from "./geometry.js";
import { freeName } from "../records.js";
import { foldCase } from "./patterns.js";
import { GROUPS_MAX, TooMany, groupColumns } from "./file.js";
import { wantRecords } from "./pages.js";
import { hasConditions, shownFields, wholeQuestion } from "./question.js";
import { instantOf, isNumber } from "./values.js";
import { matchOf } from "./words.js";

const MIB = 1 << 20;
const BUDGET = 16 * MIB; /* of a question */
const GLANCE = MIB / 8; /* of what is told besides: a count, facets, extents */
const SAVED = 128 * MIB;
const CHUNK = 500; /* records that are looked up at once */
const LAYOUT = "2";

/* ---- names (tools/lib/catalog/index/names.c) ---- */

const quoted = (name) => `"${name.replace(/"/g, '""')}"`;
const small = (name) => name.replace(/[A-Z]/g, (c) => c.toLowerCase());

function namesOf(info) {
    const table = info.resource === null ? info.slug : `${info.slug}-${info.resource}`;
    const taken = ['"fid"', '"rowid"', '"rank"', '"odp_words"'];
    const names = { table: quoted(table), plain: table, columns: new Map() };
    if (info.geometry !== null) {
        names.geometry = quoted(info.geometry.name);
        names.rtree = quoted(`rtree_${table}_${info.geometry.name}`);
        taken.push(small(names.geometry));
    }
    for (const column of info.columns) {
        let sql = quoted(column.name);
        while (taken.includes(small(sql)))
            sql = `${sql.slice(0, -1)}_"`;
        taken.push(small(sql));
        names.columns.set(column.name, sql);
    }
    return names;
}

/* ---- SQL with its values ---- */

class Sql {
    constructor(text = "") {
        this.text = text;
        this.values = [];
    }

    add(text, ...values) {
        this.text += text;
        this.values.push(...values);
        return this;
    }
}

const INT64 = BigInt("9223372036854775807");

/* A number as SQLite has it, or null where only its text is exact. */
function numberOf(column, text) {
    if (column.wide || decimalDigits(text) > 15)
        return null;
    const whole = column.type !== "number" && /^-?\d+$/.test(text);
    const n = whole ? BigInt(text) : Number(text);
    return whole && (n > INT64 || n < -INT64) ? null : n;
}

const keyOf = (question) => JSON.stringify([question.q, question.where, question.bbox]);

/* Its text as published is in a table of its own. */
const isExact = (column) => column.type === "number" || column.type === "datetime";

export class IndexTable {
    constructor(config, connection, labels) {
        const layout = connection.one("SELECT value FROM odp_meta WHERE name='layout'");
        if (layout !== LAYOUT)
            throw new Error(`layout ${layout}`);
        this.config = config;
        this.connection = connection;
        this.pages = connection.pages;
        this.labels = labels;
        this.info = JSON.parse(connection.one("SELECT value FROM odp_meta WHERE name='info'"));
        this.names = namesOf(this.info);
        this.columns = new Map(this.info.columns.map((column) => [column.name, { ...column, sql: this.names.columns.get(column.name) }]));
        this.roots = new Map(connection.rows("SELECT name,rootpage FROM sqlite_schema WHERE type='table'"));
        this.stored = new Set(this.roots.has("odp_count") ? connection.rows('SELECT DISTINCT "column" FROM odp_count').map(([name]) => name) : []);
        this.found = { key: null, count: null };
    }

    get total() {
        return this.info.rows;
    }

    get geometry() {
        return this.info.geometry;
    }

    /* The whole index, so that nothing costs anything. */
    async load(progress) {
        await this.pages.load(progress);
    }

    /* ---- conditions ---- */

    /* "d.<column> <op> …" of a condition. */
    addCondition(sql, condition) {
        const column = this.columns.get(condition.field);
        const name = `d.${column.sql}`;
        const texts = condition.values || (condition.value === undefined ? [] : [condition.value]);
        let [key, place, values] = [name, "?", texts];
        if (isNumber(column)) {
            values = texts.map((text) => numberOf(column, text));
            if (values.includes(null))
                [key, place, values] = [`odp_order(${name})`, "odp_order(?)", texts];
        } else if (column.type === "datetime") {
            values = texts.map(instantOf);
        } else if (column.type === "boolean") {
            values = texts.map((text) => (text === "true" ? 1 : 0));
        }
        switch (condition.op) {
        case "null":
            return sql.add(`${name} IS NULL`);
        case "notnull":
            return sql.add(`${name} IS NOT NULL`);
        case "between":
            return sql.add(`${key} BETWEEN ${place} AND ${place}`, ...values);
        case "in":
            return sql.add(`${key} IN (${values.map(() => place).join(",")})`, ...values);
        case "like":
            return condition.casei === false ? sql.add(`odp_like(${name},?)`, texts[0]) : sql.add(`odp_like(odp_casei(${name}),?)`, foldCase(texts[0]));
        default:
            return sql.add(`${key} ${condition.op} ${place}`, ...values);
        }
    }

    addBox(sql, [w, s, e, n]) {
        const part = "SELECT id FROM " + this.names.rtree + " WHERE minx<=? AND maxx>=? AND miny<=? AND maxy>=?";
        const boxes = w <= e ? [[w, s, e, n]] : [[w, s, 180, n], [-180, s, e, n]];
        sql.add("((d.fid IN (");
        boxes.forEach((box, i) => sql.add((i > 0 ? " UNION " : "") + part, box[2], box[0], box[3], box[1]));
        sql.add(`) AND odp_box(d.${this.names.geometry},?))`, JSON.stringify([w, s, e, n]));
        sql.add(this.geometry.bare > 0 ? ` OR d.fid IN (SELECT fid FROM ${this.names.table} WHERE ${this.names.geometry} IS NULL))` : ")");
    }

    /* " FROM … WHERE …" of a whole question; MORE: conditions as SQL. */
    addMatching(sql, question, more = []) {
        const parts = question.where.map((condition) => (to) => this.addCondition(to, condition));
        const match = matchOf(question.q);
        if (match !== "")
            parts.push((to) => (this.roots.has("odp_words") ? to.add("d.fid IN (SELECT rowid FROM odp_words WHERE odp_words MATCH ?)", match) : to.add("0")));
        if (question.bbox !== null && this.geometry !== null)
            parts.push((to) => this.addBox(to, question.bbox));
        more.forEach((text) => parts.push((to) => to.add(text)));
        sql.add(` FROM ${this.names.table} AS d`);
        parts.forEach((part, i) => {
            sql.add(i === 0 ? " WHERE " : " AND ");
            part(sql);
        });
        return sql;
    }

    key(name) {
        const column = this.columns.get(name);
        return column.wide ? `odp_order(d.${column.sql})` : `d.${column.sql}`;
    }

    /* ---- texts as published ---- */

    /* Numbers of one form and instants of one zone need no look at odp_exact. */
    textOf(column, value) {
        if (value === null)
            return null;
        if (column.type === "boolean")
            return value === 1 ? "true" : "false";
        if (column.type === "number" && column.places >= 0)
            return value.toFixed(column.places);
        return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
    }

    needsExact(column) {
        return isExact(column) && !(column.type === "number" && column.places >= 0);
    }

    /* ",d.a,e.b" of COLUMNS. */
    textsSql(columns) {
        return columns.map((column) => `,${this.needsExact(column) ? "e" : "d"}.${column.sql}`).join("");
    }

    exactJoin(columns) {
        return columns.some((column) => this.needsExact(column)) ? " CROSS JOIN odp_exact AS e ON e.fid=d.fid" : "";
    }

    fieldColumns() {
        return this.config.fields.map((field) => this.columns.get(field.name));
    }

    /* The records FIDS in that order, [{fid, values, shape, label}]: COLUMNS of them; SHAPES: with their geometry. */
    async records(fids, columns, shapes) {
        const withShapes = shapes && this.geometry !== null;
        const withLabels = withShapes && this.roots.has("odp_geometry");
        const roots = [this.names.plain, ...(columns.some((column) => this.needsExact(column)) ? ["odp_exact"] : []), ...(withLabels ? ["odp_geometry"] : [])];
        await Promise.all(roots.map((name) => wantRecords(this.pages, this.roots.get(name), fids)));
        const sql = `SELECT d.fid${this.textsSql(columns)}${withShapes ? `,d.${this.names.geometry}` : ""}${withLabels ? ",g.lon,g.lat" : ""}` +
            ` FROM json_each(?) AS w CROSS JOIN ${this.names.table} AS d ON d.fid=w.value${this.exactJoin(columns)}` +
            (withLabels ? " LEFT JOIN odp_geometry AS g ON g.fid=d.fid" : "");
        return this.connection.rows(sql, [JSON.stringify(fids)]).map((row) => {
            const at = 1 + columns.length;
            return {
                fid: row[0],
                values: columns.map((column, i) => this.textOf(column, row[1 + i])),
                shape: withShapes ? readGpb(row[at]) : null,
                label: withLabels && row[at + 1] !== null ? [row[at + 1], row[at + 2]] : null,
            };
        });
    }

    /* ---- pages ---- */

    begin(bytes = BUDGET) {
        this.pages.budget = bytes;
    }

    /* By the keys of SORTBY. VALUED: all have the first one's, so that an index of it is used. */
    addOrder(sql, sortby, valued = false) {
        const keys = sortby.map(({ field, desc }, i) => this.key(field) + (desc ? " DESC" : "") +
            (desc || (valued && i === 0) || this.columns.get(field).required ? "" : " NULLS LAST"));
        return sql.add(` ORDER BY ${[...keys, "d.fid"].join(",")}`);
    }

    select(question, more, n, from, sortby = question.sortby, valued = false) {
        const sql = this.addMatching(new Sql("SELECT d.fid"), question, more);
        this.addOrder(sql, sortby, valued).add(" LIMIT ? OFFSET ?", n, from);
        return this.connection.rows(sql.text, sql.values).map(([fid]) => fid);
    }

    /* An index has no values first, and would not be used for "nulls last": so a page is those with a value, then those without. */
    fids(question, from, n) {
        const first = question.sortby[0];
        if (first === undefined && !hasConditions(question) && this.isDense())
            return Array.from({ length: Math.max(0, Math.min(n, this.total - from)) }, (_, i) => from + i + 1);
        if (first === undefined || first.desc || this.columns.get(first.field).required)
            return this.select(question, [], n, from);
        const name = this.key(first.field);
        const valued = this.select(question, [`${name} IS NOT NULL`], n, from, question.sortby, true);
        if (valued.length === n)
            return valued;
        const before = from > 0 && valued.length === 0 ? this.countMore(question, `${name} IS NOT NULL`) : from + valued.length;
        return [...valued, ...this.select(question, [`${name} IS NULL`], n - valued.length, Math.max(0, from - before), question.sortby.slice(1))];
    }

    countMore(question, more) {
        const sql = this.addMatching(new Sql("SELECT count(*)"), question, [more]);
        return this.connection.one(sql.text, sql.values);
    }

    /* Whether the records' numbers have no gaps. */
    isDense() {
        if (this.dense === undefined)
            this.dense = this.connection.one(`SELECT max(fid) FROM ${this.names.table}`) === this.total;
        return this.dense;
    }

    async page(asked, from, n) {
        const question = wholeQuestion(asked);
        this.begin();
        const fids = this.fids(question, from, n);
        const records = await this.records(fids, this.fieldColumns(), false);
        const ended = fids.length < n && (fids.length > 0 || from === 0);
        const matched = ended ? from + fids.length : this.connection.within(GLANCE, () => this.matched(question));
        return { rows: records.map(({ values }) => values), fids, matched };
    }

    /* ---- counts ---- */

    /* What the index tells of all values of a column, in the order ORDER: [[text, count], …]. */
    storedCounts(name, order, most) {
        const column = { ...this.columns.get(name), places: -1 };
        return this.connection.rows(`SELECT value,n,text FROM odp_count AS d WHERE "column"=? ORDER BY ${order} LIMIT ?`, [name, most])
            .map(([value, n, text]) => [text === null ? this.textOf(column, value) : text, n]);
    }

    /* Of stored counts, where they are all that CONDITION asks about; null: they do not tell. */
    countOf(condition) {
        if (!this.stored.has(condition.field))
            return null;
        const sql = new Sql(`SELECT coalesce(sum(d.n),0) FROM (SELECT value AS ${this.columns.get(condition.field).sql},n FROM odp_count WHERE "column"=?) AS d WHERE `);
        sql.values.push(condition.field);
        this.addCondition(sql, condition);
        return this.connection.one(sql.text, sql.values);
    }

    /* Whether looking at each record that matches would cost more than GLANCE, as far as stored counts tell: most lie on pages of their own. */
    isFar(question) {
        if (this.pages.whole !== null || this.total * this.pages.page <= GLANCE)
            return false;
        const one = question.where.length === 1 && question.q === "" && question.bbox === null;
        const n = !hasConditions(question) ? this.total : this.found.key === keyOf(question) ? this.found.count : one ? this.countOf(question.where[0]) : null;
        return n !== null && n * this.pages.page > GLANCE;
    }

    /* How many records match. */
    matched(question) {
        const key = keyOf(question);
        if (this.found.key === key)
            return this.found.count;
        const plain = question.q === "" && question.bbox === null;
        let count = null;
        if (plain && question.where.length === 0)
            count = this.total;
        else if (plain && question.where.length === 1)
            count = this.countOf(question.where[0]);
        if (count === null && question.where.length === 0 && question.bbox === null && this.roots.has("odp_words") && matchOf(question.q) !== "")
            count = this.connection.one("SELECT count(*) FROM odp_words WHERE odp_words MATCH ?", [matchOf(question.q)]);
        if (count === null) {
            const sql = this.addMatching(new Sql("SELECT count(*)"), question);
            count = this.connection.one(sql.text, sql.values);
        }
        this.found = { key, count };
        return count;
    }

    async count(asked) {
        this.begin();
        return this.connection.within(BUDGET, () => this.matched(wholeQuestion(asked)));
    }

    async record(fid) {
        this.begin();
        const [record] = await this.records([fid], this.fieldColumns(), true);
        return record === undefined ? null : { values: record.values, geometry: record.shape };
    }

    /* ---- facets ---- */

    facet(asked, name, max) {
        const column = this.columns.get(name);
        const question = { ...asked, where: asked.where.filter((condition) => condition.field !== name) };
        if (this.stored.has(name) && !hasConditions(question))
            return this.storedCounts(name, "n DESC,value NULLS LAST", max + 1).map(([value, count]) => ({ value, count }));
        if (this.isFar(question))
            return null;
        const key = this.key(name);
        const sql = new Sql(`SELECT v.n${this.textsSql([column])} FROM (SELECT min(d.fid) AS fid,count(*) AS n,${key} AS k`);
        this.addMatching(sql, question).add(` GROUP BY ${key} ORDER BY count(*) DESC,${key} NULLS LAST LIMIT ?) AS v CROSS JOIN ${this.names.table} AS d ON d.fid=v.fid`, max + 1);
        sql.add(`${this.exactJoin([column])} ORDER BY v.n DESC,v.k NULLS LAST`);
        return this.connection.rows(sql.text, sql.values).map(([count, value]) => ({ value: this.textOf(column, value), count }));
    }

    async facets(asked, fields, max) {
        const question = wholeQuestion(asked);
        const answer = { facets: {}, more: {} };
        this.begin(GLANCE);
        for (const name of fields) {
            const values = this.connection.within(GLANCE, () => this.facet(question, name, max));
            answer.facets[name] = values === null ? null : values.slice(0, max);
            answer.more[name] = values !== null && values.length > max;
        }
        return answer;
    }

    /* The published text of the least or greatest value (FN) of a column among the matching records. */
    extreme(question, name, fn) {
        const column = this.columns.get(name);
        const sql = this.addMatching(new Sql(hasConditions(question) ? `SELECT ${this.extremeSql(column, fn)}` : `SELECT d.fid,${fn}(${this.key(name)})`), question);
        const [[fid, value]] = this.connection.rows(sql.text, sql.values);
        return fid === null || value === null ? null : this.text(fid, column);
    }

    text(fid, column) {
        const [row] = this.connection.rows(`SELECT 0${this.textsSql([column])} FROM ${this.names.table} AS d${this.exactJoin([column])} WHERE d.fid=?`, [fid]);
        return this.textOf(column, row[1]);
    }

    async extent(asked, fields) {
        const question = wholeQuestion(asked);
        const byIndex = (name) => !hasConditions(question) && this.columns.get(name).indexed && !this.columns.get(name).wide;
        const both = (name) => ({ min: this.extreme(question, name, "min"), max: this.extreme(question, name, "max") });
        this.begin(GLANCE);
        return Object.fromEntries(fields.map((name) => [name, byIndex(name) || !this.isFar(question) ? this.connection.within(GLANCE, () => both(name)) : null]));
    }

    /* ---- groups ---- */

    /* The groups' rows: SELECT of each, its first record's texts of COLUMNS at the end. */
    groupRows(question, select, columns) {
        const keys = question.groupby.map((name) => this.key(name));
        const plus = question.aggregate.some((one) => one.field !== undefined) ? "+" : "";
        const sql = new Sql(`SELECT g.*${this.textsSql(columns)} FROM (SELECT ${select}${keys.map((key, i) => `,${key} AS g${i}`).join("")}`);
        this.addMatching(sql, question);
        if (keys.length > 0)
            sql.add(` GROUP BY ${keys.map((key) => plus + key).join(",")} ORDER BY ${keys.map((key) => `${plus}${key} NULLS LAST`).join(",")}`);
        sql.add(` LIMIT ${GROUPS_MAX + 1}) AS g`);
        if (columns.length > 0)
            sql.add(` CROSS JOIN ${this.names.table} AS d ON d.fid=g.fid${this.exactJoin(columns)}`);
        if (columns.length > 0 && keys.length > 0)
            sql.add(` ORDER BY ${keys.map((key, i) => `g.g${i} NULLS LAST`).join(",")}`);
        return this.connection.rows(sql.text, sql.values);
    }

    async groups(asked) {
        const question = wholeQuestion(asked);
        const aggregates = question.aggregate.length > 0 ? question.aggregate : [{ fn: "count" }];
        const by = question.groupby.map((name) => this.columns.get(name));
        const sums = aggregates.filter((one) => one.fn === "sum" || one.fn === "avg");
        this.begin();
        if (by.length === 1 && aggregates.every((one) => one.fn === "count") && this.stored.has(by[0].name) && !hasConditions(question))
            return { columns: groupColumns(question), rows: this.storedCounts(by[0].name, "value NULLS LAST", GROUPS_MAX).map(([text, n]) => [text, ...aggregates.map(() => String(n))]) };
        const select = ["min(d.fid) AS fid", "count(*)", ...sums.map((one) => `odp_sum(d.${this.columns.get(one.field).sql},'${one.fn === "avg" ? this.columns.get(one.field).scale : ""}')`)];
        const rows = this.groupRows(question, select.join(","), by);
        if (rows.length > GROUPS_MAX)
            throw new TooMany(String(GROUPS_MAX));
        const extremes = aggregates.map((one) => (one.fn === "min" || one.fn === "max" ? this.extremes(question, one) : null));
        return {
            columns: groupColumns(question),
            rows: rows.map((row, i) => {
                const texts = row.slice(row.length - by.length).map((value, k) => this.textOf(by[k], value));
                return [...texts, ...aggregates.map((one, k) => (one.fn === "count" ? String(row[1]) : extremes[k] !== null ? extremes[k][i] : row[2 + sums.indexOf(one)]))];
            }),
        };
    }

    /* With one min() or max(), SQLite takes other columns from a record with that value: from any, so that equal numbers of several forms need more. */
    extremeSql(column, fn) {
        if (this.needsExact(column))
            return `coalesce(odp_first(d.${column.sql},d.fid,${fn === "min" ? -1 : 1}),min(d.fid)) AS fid,0`;
        return `d.fid AS fid,${fn}(${this.key(column.name)})`;
    }

    extremes(question, { fn, field }) {
        const column = this.columns.get(field);
        const rows = this.groupRows(question, this.extremeSql(column, fn), [column]);
        return rows.length === 0 ? [null] : rows.map((row) => this.textOf(column, row[row.length - 1]));
    }

    /* ---- the map ---- */

    async points(asked, max) {
        const question = wholeQuestion(asked);
        if (this.geometry === null)
            return { features: [], more: false, extent: null };
        this.begin();
        const fids = this.select(question, [`d.${this.names.geometry} IS NOT NULL`], max + 1, 0);
        const columns = this.fieldColumns();
        let extent = null;
        const features = (await this.records(fids.slice(0, max), columns, true)).map(({ fid, values, shape }) => {
            extent = extend(extent, shape);
            return { type: "Feature", id: fid, geometry: shape, properties: Object.fromEntries(columns.map((column, i) => [column.name, values[i]])) };
        });
        return { features, more: fids.length > max, extent };
    }

    /* ---- saving ---- */

    get csvNames() {
        if (this.geometry === null)
            return [];
        const names = this.config.fields.map((field) => field.name);
        const all = this.geometry.csv_points ? ["lon", "lat"] : ["label_lon", "label_lat", "geometry_type", ...(this.geometry.csv_wkt ? ["wkt"] : [])];
        return all.map((name) => freeName(names, name));
    }

    csvOf(shape, label) {
        if (shape === null)
            return this.csvNames.map(() => null);
        if (this.geometry.csv_points)
            return shape.coordinates.slice(0, 2).map(coordinate);
        return [...(label || [null, null]).map((v) => (v === null ? null : coordinate(v))), shape.type, ...(this.geometry.csv_wkt ? [wktOf(shape)] : [])];
    }

    /* VISIT as in explore/file.js. */
    async each(asked, visit) {
        const question = wholeQuestion(asked);
        this.begin(SAVED);
        const sql = this.addOrder(this.addMatching(new Sql("SELECT d.fid"), question), question.sortby);
        const fids = this.connection.rows(sql.text, sql.values).map(([fid]) => fid);
        const shown = new Set(shownFields(question, this.config).map((field) => field.name));
        const columns = this.fieldColumns().filter((column) => shown.has(column.name) || (this.config.key || []).includes(column.name));
        const at = this.config.fields.map((field) => columns.findIndex((column) => column.name === field.name));
        for (let i = 0; i < fids.length; i += CHUNK)
            for (const { fid, values, shape, label } of await this.records(fids.slice(i, i + CHUNK), columns, true))
                visit(at.map((k) => (k < 0 ? null : values[k])), { fid, shape: shape === null ? null : geometryText(shape), csv: this.csvOf(shape, label) });
    }
}
