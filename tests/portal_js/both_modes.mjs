/* Random questions asked of each table twice: of the published file, read whole (explore/file.js), and of its query index by SQL in WebAssembly (explore/index.js).
 * All answers are equal, saved files too. The tables are those of the example and one of 25,000 records, whose index has stored counts; what that costs is told.
 *
 *   ODP_BUILD=build/bin/odp-build ODP_SAMPLE=build/bin/odp-sample node --test tests/portal_js/both_modes.mjs */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { lib, source } from "./lib.mjs";

const { openTable, ask } = await lib("explore/engine");
const { OverBudget, Pages } = await lib("explore/pages");
const { startSqlite } = await lib("explore/sqlite");
const { isComplex, isNumber, isOrdered, isText } = await lib("explore/values");

const { ODP_BUILD: build, ODP_SAMPLE: sample } = process.env;
const sqlitePath = [join(source, "build/portal/node_modules"), "/usr/local/lib/node_modules", "/usr/lib/node_modules"]
    .map((folder) => join(folder, "@sqlite.org/sqlite-wasm/dist/node.mjs")).find(existsSync);
const skip = !build || !sqlitePath ? "no program, or no SQLite of npm" : false;
const init = skip ? null : (await import(pathToFileURL(sqlitePath).href)).default;
const sqlite = () => startSqlite(init, readFileSync(join(sqlitePath, "../sqlite3.wasm")));
const folder = mkdtempSync(join(tmpdir(), "odp-both-"));
after(() => {
    execFileSync("chmod", ["-R", "u+w", folder]);
    rmSync(folder, { recursive: true, force: true });
});

/* ---- tables ---- */

const load = async (address) => readFileSync(new URL(address), "utf8");

async function pagesOf(address) {
    const path = fileURLToPath(address);
    const { size } = statSync(path);
    const range = (from, to) => {
        const bytes = Buffer.alloc(to - from);
        const file = openSync(path);
        readSync(file, bytes, 0, to - from, from);
        closeSync(file);
        return new Uint8Array(bytes);
    };
    const head = range(0, 18);
    return new Pages({ size, page: (head[16] << 8) | head[17], range, fetchRange: async (from, to) => range(from, to) });
}

/* [{name, file, index, labels}] of SITE: each table that has a file, in both ways. */
async function tablesOf(site) {
    const read = (path) => JSON.parse(readFileSync(join(site, path), "utf8"));
    const tables = [];
    for (const entry of read("v1/index.json").data)
        for (const resource of entry.resources) {
            const schema = read(join("v1", resource.schema));
            const path = (url) => join("v1", url);
            const files = resource.files.map(({ name, url }) => ({ name, path: path(url) }));
            const kind = ["geojson", "json", "csv"].find((name) => files.some((file) => file.name === name));
            const primary = resource.api.split("/").length === 1;
            const stem = `${entry.slug}${primary ? "" : `-${resource.name}`}-`;
            const search = `search/${entry.slug}/${entry.version}`;
            const index = existsSync(join(site, search)) && readdirSync(join(site, search)).find((name) => name.startsWith(stem) && name.length === stem.length + 23);
            if (kind === undefined || !index || resource.rows === 0)
                continue;
            const columns = new Map((schema["odp:labelColumns"] || []).map((column) => [column["odp:labelOf"], []]));
            (schema["odp:labelColumns"] || []).forEach((column) => columns.get(column["odp:labelOf"]).push({ name: column.name, lang: column["odp:language"] }));
            const config = {
                slug: entry.slug, resource: primary ? undefined : resource.name, version: entry.version, title: entry.slug, total: resource.rows, lang: "id",
                key: [schema.primaryKey || []].flat(), geometry: files.some((file) => file.name === "geojson") ? {} : undefined, files,
                fields: schema.fields.map(({ name, type }) => ({ name, type, labelColumns: columns.get(name) })),
            };
            const base = pathToFileURL(site + "/").href;
            const byIndex = await openTable({ ...config, fields: config.fields.map(({ name, type }) => ({ name, type })), index: { path: `${search}/${index}`, bytes: 0 } },
                { base, load, sqlite, pages: pagesOf });
            const labels = {};
            for (const [column, code, id, en] of byIndex.connection.rows('SELECT "column",code,id,en FROM odp_label'))
                (labels[column] = labels[column] || {})[code] = { id, en };
            byIndex.labels = labels;
            config.fields.forEach((field) => {
                const column = byIndex.columns.get(field.name);
                Object.assign(field, { labels: labels[field.name], text: column.text });
            });
            byIndex.config = config;
            const byFile = await openTable({ ...config, file: { path: files.find((file) => file.name === kind).path, kind, bytes: 0 } }, { base, load });
            tables.push({ name: stem.slice(0, -1), config, byFile, byIndex, labels });
        }
    return tables;
}

/* ---- questions ---- */

class Dice {
    constructor(seed) {
        this.seed = seed;
    }

    below(n) {
        this.seed = (this.seed * 1103515245 + 12345) % 2147483648;
        return Math.floor(this.seed / 65536) % n;
    }

    of(list) {
        return list[this.below(list.length)];
    }
}

class Questions {
    constructor(table, seed) {
        this.dice = new Dice(seed);
        this.table = table;
        this.fields = table.config.fields.filter((field) => !isComplex(field));
    }

    value(field) {
        const { texts } = this.table.byFile.column(field.name);
        for (let i = 0; i < 20; i++) {
            const text = this.dice.of(texts);
            if (text !== null)
                return text;
        }
        return isNumber(field) ? "0" : isText(field) ? "" : null;
    }

    condition() {
        const { dice } = this;
        const field = dice.of(this.fields);
        const value = () => this.value(field);
        if (value() === null)
            return { field: field.name, op: "null" };
        const ops = ["=", "=", "<>", "in", "null", "notnull", ...(field.type === "duration" ? [] : ["<", "<=", ">", ">=", "between"]), ...(isText(field) ? ["like", "like"] : [])];
        const op = dice.of(ops);
        switch (op) {
        case "null":
        case "notnull":
            return { field: field.name, op };
        case "in":
            return { field: field.name, op, values: [value(), value(), value()] };
        case "between":
            return { field: field.name, op, values: [value(), value()] };
        case "like": {
            const text = value();
            const part = text.substr(dice.below(text.length + 1), 1 + dice.below(5)).replace(/[\\%_]/g, "\\$&").replace(/[\ud800-\udfff]/g, "_");
            return { field: field.name, op, value: dice.of([`%${part}%`, `${part}%`, `%${part}`, `_%${part}%`]), ...(dice.below(2) ? { casei: false } : {}) };
        }
        default:
            return { field: field.name, op, value: isNumber(field) && !dice.below(3) ? `${value()}`.replace(/^(-?\d+)$/, "$1.5") : value() };
        }
    }

    words() {
        const searched = this.fields.filter((field) => field.text);
        if (searched.length === 0)
            return "";
        const field = this.dice.of(searched);
        const text = this.value(field) || "a";
        const label = (this.table.labels[field.name] || {})[text];
        const word = this.dice.of((label === undefined ? text : `${label.id} ${label.en}`).split(/\s+/)) || "a";
        return this.dice.of([word, word.toUpperCase(), `${word.slice(0, 3)}*`, `"${text.replace(/"/g, "")}"`, `${word} ${text.split(" ")[0]}`]).trim();
    }

    question() {
        const { dice } = this;
        const [west, south] = [95 + dice.below(40), -10 + dice.below(12)];
        const keys = this.fields.filter((field) => field.type !== "duration");
        return {
            q: dice.below(4) ? "" : this.words(),
            where: Array.from({ length: dice.below(3) }, () => this.condition()),
            bbox: this.table.config.geometry && !dice.below(3) ? [west, south, west + 1 + dice.below(9), south + 1 + dice.below(5)] : null,
            sortby: Array.from(new Set(Array.from({ length: dice.below(3) }, () => dice.of(keys).name)), (field) => ({ field, desc: dice.below(2) === 0 })),
        };
    }

    messages(i) {
        const { dice } = this;
        const question = this.question();
        const numbers = this.fields.filter((field) => isNumber(field) && field.type !== "year");
        const aggregate = [{ fn: "count" }, ...(numbers.length > 0 ? ["sum", "avg", "min", "max"].map((fn) => ({ fn, field: dice.of(numbers).name })) : [])];
        const groupby = Array.from(new Set([dice.of(this.fields).name, dice.of(this.fields).name])).slice(0, dice.below(3));
        const ordered = this.fields.filter(isOrdered).map((field) => field.name);
        const forms = ["csv", "excel.csv", "json", ...(this.table.config.geometry ? ["geojson"] : [])];
        return [
            { do: "rows", question, from: 0, n: 50 },
            { do: "rows", question, from: dice.below(200), n: 30 },
            { do: "count", question },
            { do: "facets", question, fields: [dice.of(this.fields).name, dice.of(this.fields).name], max: 10 },
            { do: "extent", question, fields: ordered.slice(0, 3) },
            { do: "groups", question: { ...question, sortby: [], groupby, aggregate } },
            { do: "groups", question: { groupby: [dice.of(this.fields).name] } },
            { do: "save", question, form: forms[i % forms.length] },
        ];
    }
}

/* An answer as text; without what may be untold of an index, told in OTHER's stead. */
function plain(message, answer, other) {
    if (message.do === "save")
        return answer.parts.join("");
    const { matched, ...rest } = answer;
    return JSON.stringify({ ...rest, matched: other.matched === null ? null : matched });
}

async function agree(table, seed, n) {
    const questions = new Questions(table, seed);
    const csv = (table.config.files || []).some((file) => file.name === "csv");
    table.byIndex.pages.whole = table.byIndex.pages.range(0, table.byIndex.pages.size); /* loaded: nothing is too much */
    for (let i = 0; i < n; i++)
        for (const message of questions.messages(i)) {
            if (message.do === "save" && /csv$/.test(message.form) && table.config.geometry && !csv)
                continue; /* the points on its shapes are nowhere but in the index */
            const given = [];
            for (const way of [table.byFile, table.byIndex])
                given.push(await ask(way, message, load).catch((error) => ({ failed: error.constructor.name + (/Too|Over/.test(error.constructor.name) ? "" : error.stack) })));
            assert.equal(plain(message, given[1], given[1]), plain(message, given[0], given[1]), `${table.name} ${JSON.stringify(message)}`);
        }
}

test("the example, asked of its files and of its indexes", { skip }, async () => {
    const site = join(folder, "example");
    execFileSync(build, ["build", "--catalog", join(source, "catalog"), "--out", site, "--today", "2026-11-27", "--quiet"], { stdio: "ignore" });
    const tables = await tablesOf(site);
    assert.ok(tables.length > 20);
    for (const [i, table] of tables.entries())
        await agree(table, i + 1, 3);
});

test("a table with stored counts, and what its index costs", { skip: skip || (sample ? false : "no odp-sample") }, async () => {
    const catalog = join(folder, "catalog");
    execFileSync(sample, ["kumuh", "--rows", "25000", "--csv", "--descriptor", "--catalog", join(source, "catalog"), "--out", catalog], { stdio: "ignore" });
    const described = JSON.parse(readFileSync(join(catalog, "kumuh/dataset.json"), "utf8"));
    writeFileSync(join(catalog, "kumuh/dataset.json"), JSON.stringify({ ...described, "odp:charts": undefined, "odp:formats": ["CSV", "JSON"] }));
    execFileSync(build, ["build", "--catalog", catalog, "--out", join(folder, "site"), "--today", "2026-11-27", "--quiet"], { stdio: "ignore" });
    const [table] = await tablesOf(join(folder, "site"));
    const { pages } = table.byIndex;
    assert.ok(table.byIndex.stored.has("kode_kabkota") && !table.byIndex.stored.has("id_kawasan"));
    const cost = async (most, message) => {
        const before = pages.moved;
        const answer = await ask(table.byIndex, message);
        assert.ok(pages.moved - before < most, `${JSON.stringify(message)}: ${pages.moved - before} bytes`);
        return answer;
    };
    const question = { where: [{ field: "kode_kabkota", op: "=", value: "32.73" }] };
    await cost(100000, { do: "rows", question: {}, from: 0, n: 30 });
    assert.notEqual((await cost(300000, { do: "rows", question, from: 0, n: 30 })).matched, null);
    const { facets } = await cost(100000, { do: "facets", question: {}, fields: ["tingkat", "kode_kabkota"], max: 100 });
    assert.equal(facets.tingkat.reduce((sum, { count }) => sum + count, 0), 25000);
    pages.kept.clear();
    pages.budget = 1;
    assert.throws(() => pages.at(pages.size / pages.page - 1), OverBudget);
    await agree(table, 77, 12);
});

test("what a server sends wrongly is a fault, not an answer", { skip }, async () => {
    const site = join(folder, "example");
    const [table] = await tablesOf(site);
    const { pages } = table.byIndex;
    pages.kept.clear();
    pages.range = (from, to) => new Uint8Array(to - from).fill(0x5a);
    pages.fetchRange = async (from, to) => pages.range(from, to);
    await assert.rejects(async () => ask(table.byIndex, { do: "groups", question: { groupby: [table.config.fields[0].name], where: [{ field: table.config.fields[1].name, op: "notnull" }] } }));
    pages.range = () => {
        throw new Error("503");
    };
    pages.kept.clear();
    await assert.rejects(async () => ask(table.byIndex, { do: "extent", question: {}, fields: [] }).then(() => ask(table.byIndex, { do: "groups", question: { groupby: [table.config.fields[2].name] } })), /503/);
});
