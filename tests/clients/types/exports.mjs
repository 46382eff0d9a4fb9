// exports.mjs TYPESCRIPT PACKAGE: every value that the package's declarations name is exported, every export is declared; the same of the methods and accessors of its classes.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [typescript, folder] = process.argv.slice(2);
const { default: ts } = await import(pathToFileURL(typescript));
const about = JSON.parse(fs.readFileSync(path.join(folder, "package.json")));
const entry = about.exports["."] ?? about.exports;
const module = await import(about.name);
const file = path.join(folder, entry.types ?? about.types);
const program = ts.createProgram([file], { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] });
const checker = program.getTypeChecker();
const resolve = (s) => (s.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(s) : s);
const symbols = new Map(checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))).map((s) => [s.name, resolve(s)]));
const declared = [...symbols].filter(([, s]) => s.flags & ts.SymbolFlags.Value).map(([name]) => name);

const faults = [];
const compare = (what, said, there) => {
  for (const name of said) if (!there.has(name)) faults.push(`${what}: ${name} is declared but not there`);
  for (const name of there) if (!said.has(name)) faults.push(`${what}: ${name} is there but not declared`);
};
compare("exports", new Set(declared), new Set(Object.keys(module)));

// What instances have by their class: names of methods and accessors, without those that are private by their name.
const members = (object, end) => {
  const found = new Set();
  for (let p = object; p && p !== end; p = Object.getPrototypeOf(p))
    for (const [name, d] of Object.entries(Object.getOwnPropertyDescriptors(p)))
      if (name !== "constructor" && !name.startsWith("_") && (typeof d.value === "function" || d.get)) found.add(name);
  return found;
};
const own = (type) => type.getProperties().filter((p) => p.declarations?.every((d) => !d.getSourceFile().fileName.includes("/lib.")));
let methods = 0;
const compareMembers = (name, type, prototype, end) => {
  const callable = (p) => p.flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor);
  const said = own(type), known = new Set(said.map((p) => p.name)), there = members(prototype, end);
  for (const m of said) if (callable(m) && !there.has(m.name) && !m.name.startsWith("__@")) faults.push(`${name}: ${m.name} is declared but not there`);
  for (const m of there) if (!known.has(m)) faults.push(`${name}: ${m} is there but not declared`);
  methods += there.size;
};
for (const [name, symbol] of symbols)
  if (symbol.flags & ts.SymbolFlags.Class && typeof module[name] === "function")
    compareMembers(name, checker.getDeclaredTypeOfSymbol(symbol), module[name].prototype, module[name].prototype instanceof Error ? Error.prototype : Object.prototype);
// Those that no program makes by itself.
const client = new module.Client();
for (const [name, object] of Object.entries({ Webhooks: client.webhooks, Dataset: client.dataset("x"), Resource: client.dataset("x").resource("y") }))
  compareMembers(name, checker.getDeclaredTypeOfSymbol(symbols.get(name)), Object.getPrototypeOf(object), Object.prototype);
if (faults.length) throw new Error(faults.join("\n"));
if (declared.length < 10 || methods < 40) throw new Error(`only ${declared.length} exports and ${methods} methods were looked at`);
console.log(`${declared.length} exports, ${methods} methods`);
