// Questions of tests/e2e/asking.py for the worker of the page of all records, in the browser, from a static server that knows ranges.
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json", svg: "image/svg+xml", wasm: "application/wasm", geojson: "application/json" };

/* FOLDER as a static host serves it, for RUN(address). */
async function withSite(folder, run) {
    const server = createServer((request, response) => {
        const path = join(folder, decodeURIComponent(new URL(request.url, "http://x").pathname));
        let size;
        try {
            size = statSync(path).size;
        } catch (error) {
            response.writeHead(404).end();
            return;
        }
        const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range || "");
        const [start, end] = range === null ? [0, size - 1] : [Number(range[1]), Math.min(Number(range[2]), size - 1)];
        const partial = range === null ? {} : { "Content-Range": `bytes ${start}-${end}/${size}` };
        response.writeHead(range === null ? 200 : 206, { "Content-Type": TYPES[path.split(".").pop()] || "application/octet-stream", "Content-Length": end - start + 1, ...partial });
        createReadStream(path, { start, end }).pipe(response);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
        return await run(`http://127.0.0.1:${server.address().port}/`);
    } finally {
        server.closeAllConnections();
        server.close();
    }
}

/* Runs in the page: a worker of the page's own opens CONFIG and answers QUESTIONS. */
async function askAll({ config, worker, questions, first, last }) {
    const root = new URL("../../", location.href).href;
    const running = new Worker(root + worker);
    let id = 0;
    const ask = (what, about) => new Promise((resolve, reject) => {
        const own = ++id;
        const listen = ({ data }) => {
            if (data.id !== own)
                return;
            running.removeEventListener("message", listen);
            if (data.error === undefined)
                resolve(data);
            else
                reject(new Error(`${what}: ${data.error} (${data.kind}) ${JSON.stringify(about).slice(0, 500)}`));
        };
        running.addEventListener("message", listen);
        running.addEventListener("error", (event) => reject(new Error(`${worker}: ${event.message}`)), { once: true });
        running.postMessage({ ...about, id: own, do: what });
    });
    const { mode } = await ask("open", { config, base: root });
    const answers = [];
    for (const { table, facets, ...question } of questions) {
        const { matched } = await ask("count", { question });
        const rows = async (from, n) => (await ask("rows", { question, from, n })).rows;
        const counted = await ask("facets", { question, fields: facets });
        const { columns, rows: groups } = await ask("groups", { question });
        answers.push({
            matched, first: await rows(0, first), last: await rows(Math.max(0, matched - last), last), groups: { columns, rows: groups },
            facets: Object.fromEntries(facets.map((name) => [name, counted.facets[name] && { values: counted.facets[name].map(({ value, count }) => [value, count]), more: counted.more[name] }])),
        });
    }
    running.terminate();
    return { mode, answers };
}

/* The answers to the questions of JOB (a file), in their order, and how the tables were read. A table in job.indexes is read from its index, by parts. */
export async function askWorker({ visit }, file) {
    const job = JSON.parse(readFileSync(file, "utf8"));
    return withSite(job.site, async (base) => {
        const answers = [];
        const modes = {};
        for (const [name, own] of Object.entries(job.tables)) {
            const at = job.questions.map((question, i) => (question.table === name ? i : -1)).filter((i) => i >= 0);
            const { page } = await visit(`katalog/${own.slug}/index.html`, { base });
            const { assets } = JSON.parse(await page.locator("#explore").textContent());
            const whole = (shapes) => ({ ...own, file: (shapes && own.shapes) || own.file });
            const config = job.indexes ? { ...own, file: undefined, index: job.indexes[name], assets } : whole(false);
            /* With geometry only where it is asked for, as the page does. */
            for (const shapes of [false, true]) {
                const some = at.filter((i) => (job.questions[i].bbox !== null) === shapes);
                const questions = some.map((i) => job.questions[i]);
                const found = await page.evaluate(askAll, { config: job.indexes ? config : whole(shapes), worker: assets.worker, questions, first: job.first, last: job.last });
                some.forEach((i, k) => {
                    answers[i] = found.answers[k];
                });
                modes[found.mode] = (modes[found.mode] || 0) + some.length;
            }
            await page.context().close();
        }
        return { answers, modes };
    });
}
