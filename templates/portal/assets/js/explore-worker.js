/* The worker of the page of all records: it reads what is published and answers questions about it, so that the page never waits.
 *
 *   {id, do: "open", config, base}                 -> {id, ok, total, mode: "file" | "index"}; meanwhile {progress: {read, total}}
 *   {id, do: "load"}                               -> {id, ok}: the whole index, with {progress}
 *   {id, do: "rows", question, from, n}            -> {id, ok, rows: [[text | null, …], …], fids, matched}
 *   {id, do: "count", question}                    -> {id, ok, matched}
 *   {id, do: "facets", question, fields, max}      -> {id, ok, facets: {field: [{value, count}, …]}, more: {field: bool}}
 *   {id, do: "groups", question}                   -> {id, ok, columns, rows}
 *   {id, do: "extent", question, fields}           -> {id, ok, extent: {field: {min, max}}}
 *   {id, do: "points", question, max}              -> {id, ok, features, more, extent: [w, s, e, n] | null}
 *   {id, do: "record", fid}                        -> {id, ok, values, geometry}
 *   {id, do: "save", question, form}               -> {id, ok, blob, name, note: {blob, name}}
 *
 * A table that is read in parts says null for what would cost too much to tell besides: matched, a facet, an extent of a field. A failure is
 * {id, error: "…", kind}: "groups", there are too many; "whole", it can only be answered after "load"; "failed". Questions are answered one after the other. */
import { ask, openTable } from "./lib/explore/engine.js";
import { TooMany } from "./lib/explore/file.js";
import { OverBudget } from "./lib/explore/pages.js";
import { startSqlite } from "./lib/explore/sqlite.js";

let table = null;

function teller() {
    let told = 0;
    return (read, total) => {
        if (read - told > 65536 || read >= total) {
            told = read;
            self.postMessage({ progress: { read, total } });
        }
    };
}

/* SQLite and its code are assets of their own: only large tables need them. */
async function loadSqlite(assets, resolve) {
    const bytes = fetch(resolve(assets.wasm)).then((answer) => {
        if (!answer.ok)
            throw new Error(`${answer.status} ${assets.wasm}`);
        return answer.arrayBuffer();
    });
    importScripts(resolve(assets.sqlite));
    return startSqlite(self.odpSqlite, await bytes);
}

const kindOf = (error) => (error instanceof TooMany ? "groups" : error instanceof OverBudget ? "whole" : "failed");

async function answerOf(message) {
    if (message.do === "open") {
        const { config, base } = message;
        table = await openTable(config, { base, sqlite: (resolve) => loadSqlite(config.assets, resolve), progress: teller() });
        return { total: table.total, mode: config.file === undefined ? "index" : "file" };
    }
    if (message.do === "load") {
        await table.load(teller());
        return {};
    }
    const answer = await ask(table, message);
    if (message.do !== "save")
        return answer;
    const { parts, type, name, note } = answer;
    return { blob: new Blob(parts, { type }), name, note: { name: note.name, blob: new Blob([note.text], { type: "text/plain" }) } };
}

async function answer(message) {
    try {
        self.postMessage({ id: message.id, ok: true, ...(await answerOf(message)) });
    } catch (error) {
        self.postMessage({ id: message.id, error: String(error.message || error), kind: kindOf(error) });
    }
}

let last = Promise.resolve();
self.addEventListener("message", (event) => {
    last = last.then(() => answer(event.data));
});
