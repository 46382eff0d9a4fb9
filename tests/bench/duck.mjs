// Runs SQL in DuckDB: node duck.mjs MODULES THREADS FILE.sql
// MODULES is a node_modules folder that holds @duckdb/node-api. Statements are parted by lines of "--". The last one's first row goes to standard output.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const [modules, threads, file] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(modules + "/")("@duckdb/node-api");
const instance = await DuckDBInstance.create(":memory:", { threads });
const connection = await instance.connect();
let last;
for (const statement of readFileSync(file, "utf8").split(/^--$/m))
  if (statement.trim() !== "") last = await connection.runAndReadAll(statement);
const rows = last?.getRowsJson() ?? [];
if (rows.length > 0) console.log(rows[0].join("\t"));
