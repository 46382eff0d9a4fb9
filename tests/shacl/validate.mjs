// Checks JSON-LD documents against SHACL shapes:  node validate.mjs MODULES DOCUMENT SHAPES…
// MODULES: the folder with node_modules (tools/setup.sh makes it of tests/browser). Nothing is fetched: a context that is not in the document is an error.
// Writes one JSON object: {"quads": n, "focus": {class: n}, "results": [{severity, focus, path, value, message, component}…]}.
import fs from "node:fs";
import module from "node:module";
import path from "node:path";

const [modules, document, ...shapes] = process.argv.slice(2);
const require = module.createRequire(path.join(path.resolve(modules), "package.json"));
const load = async (name) => {
  const found = await import(require.resolve(name));
  return found.default ?? found;
};
const jsonld = await load("jsonld");
const N3 = await load("n3");
const factory = await load("@rdfjs/dataset");
const Validator = await load("rdf-validate-shacl");

const offline = async (url) => {
  throw new Error(`not in the document, and nothing is fetched: ${url}`);
};
const text = await jsonld.toRDF(JSON.parse(fs.readFileSync(document, "utf8")), { format: "application/n-quads", documentLoader: offline });
const dataset = (quads) => factory.dataset(quads);

const parse = (content) => new N3.Parser().parse(content);
const data = dataset(parse(text));
const shape = dataset(shapes.flatMap((file) => parse(fs.readFileSync(file, "utf8"))));

const report = await new Validator(shape).validate(data);
const type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const focus = {};
for (const quad of data) if (quad.predicate.value === type) focus[quad.object.value] = (focus[quad.object.value] ?? 0) + 1;
const short = (term) => (term === null || term === undefined ? null : term.value);
const results = report.results.map((r) => ({
  severity: short(r.severity)?.replace(/.*#/, ""),
  focus: short(r.focusNode),
  path: short(r.path),
  value: short(r.value),
  message: r.message.map((m) => m.value).join(" "),
  component: short(r.sourceConstraintComponent)?.replace(/.*#/, ""),
}));
process.stdout.write(JSON.stringify({ quads: data.size, focus, results }));
