/* SQLite's own WebAssembly build, for the worker of large tables, which loads it when it opens one: importScripts() gives it odpSqlite. */
import init from "@sqlite.org/sqlite-wasm";

self.odpSqlite = init;
