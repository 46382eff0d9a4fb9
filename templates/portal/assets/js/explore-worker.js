/* The worker of the page of all records: it reads what is published and answers questions about it, so that the page never waits.
 *
 *   {id, do: "open", config, base}                 -> {id, ok, total, mode: "file" | "index"}; meanwhile {progress: {read, total}}
 *   {id, do: "rows", question, from, n}            -> {id, ok, rows: [[text | null, …], …], fids, matched}
 *   {id, do: "count", question}                    -> {id, ok, matched}
 *   {id, do: "facets", question, fields, max}      -> {id, ok, facets: {field: [{value, count}, …]}, more: {field: bool}}
 *   {id, do: "groups", question}                   -> {id, ok, columns, rows}
 *   {id, do: "extent", question, fields}           -> {id, ok, extent: {field: {min, max}}}
 *   {id, do: "points", question, max}              -> {id, ok, features, more, extent: [w, s, e, n] | null}
 *   {id, do: "record", fid}                        -> {id, ok, values, geometry}
 *   {id, do: "save", question, form}               -> {id, ok, blob, name, note: {blob, name}}
 *
 * A failure is {id, error: "…", kind: "groups" | "failed"}. Questions are answered one after the other. */
import { ask, openTable } from "./lib/explore/engine.js";
import { TooMany } from "./lib/explore/file.js";

let table = null;

async function answerOf(message) {
    if (message.do === "open") {
        let told = 0;
        table = await openTable(message.config, {
            base: message.base,
            progress: (read, total) => {
                if (read - told > 65536 || read >= total) {
                    told = read;
                    self.postMessage({ progress: { read, total } });
                }
            },
        });
        return { total: table.total, mode: message.config.file === undefined ? "index" : "file" };
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
        self.postMessage({ id: message.id, error: String(error.message || error), kind: error instanceof TooMany ? "groups" : "failed" });
    }
}

let last = Promise.resolve();
self.addEventListener("message", (event) => {
    last = last.then(() => answer(event.data));
});
