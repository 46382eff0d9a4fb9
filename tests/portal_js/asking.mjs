/* Answers questions with the modules of the explore page, without a browser: node asking.mjs FILE. FILE is JSON, {site: folder, tables: {name: CONFIG}, first, last,
 * questions: [{table, …}]}; the output a line of JSON a question, as tests/e2e/askinglib.py has answers, with the question's address and what is read back of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lib } from "./lib.mjs";

const { openTable, ask } = await lib("explore/engine");
const { readQuestion, writeQuestion } = await lib("explore/question");
const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const BASE = "https://site/katalog/x/index.html";
const load = async (address) => readFileSync(join(job.site, decodeURIComponent(new URL(address).pathname)), "utf8");

const tables = new Map();
/* As the page does, with geometry only where a question asks for it: that may be another file. */
async function tableOf(name, shapes) {
    const config = { ...job.tables[name], root: "../../" };
    const file = (shapes && config.shapes) || config.file;
    if (!tables.has(name + file.path))
        tables.set(name + file.path, await openTable({ ...config, file }, { base: BASE, load }));
    return tables.get(name + file.path);
}

for (const { table: name, facets, ...question } of job.questions) {
    const table = await tableOf(name, question.bbox !== null);
    const rows = async (from, n) => (await ask(table, { do: "rows", question, from, n })).rows;
    const { matched } = await ask(table, { do: "count", question });
    const counted = await ask(table, { do: "facets", question, fields: facets });
    /* An address is of records in their order, or of groups. */
    const address = writeQuestion({ ...question, groupby: [], aggregate: [] }, job.tables[name]);
    const grouped = writeQuestion({ ...question, sortby: [] }, job.tables[name]);
    console.log(JSON.stringify({
        matched, first: await rows(0, job.first), last: await rows(Math.max(0, matched - job.last), job.last), groups: await ask(table, { do: "groups", question }),
        facets: Object.fromEntries(facets.map((field) => [field, { values: counted.facets[field].map(({ value, count }) => [value, count]), more: counted.more[field] }])),
        address, grouped, back: [address, grouped].map((one) => readQuestion(one, job.tables[name])),
    }));
}
