// DuckDB as a peer of bench.py: node duck.mjs MODULES CSV DELIMITER DECIMAL THREADS json|check OUT
// MODULES is a node_modules folder that holds @duckdb/node-api. Types are inferred from the whole file, as DuckDB does it best.
import { createRequire } from "node:module";
const [modules, csv, delimiter, decimal, threads, what, out] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(modules + "/")("@duckdb/node-api");
const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();
await connection.run(`SET threads = ${threads}`);
const source = `read_csv('${csv}', delim = '${delimiter}', decimal_separator = '${decimal}', header = true)`;
if (what === "json") await connection.run(`COPY (SELECT * FROM ${source}) TO '${out}' (FORMAT json)`);
else if (what === "csv") await connection.run(`COPY (SELECT * FROM ${source}) TO '${out}' (FORMAT csv)`);
else await connection.run(`SELECT count(*), max(columns(*)) FROM ${source}`);
