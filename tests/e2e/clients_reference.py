"""templates/clients/reference.json names every public member of each library and nothing else: the libraries are asked what they have. What is said of a call
(names of options, the signature) is what the call takes."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import clientlib
import odp

LANGUAGES = ("javascript", "python", "php")
REFERENCE = odp.read_json(odp.SOURCE / "templates/clients/reference.json")

# Each prints {"members": ["Client", "Client.list", …], "parameters": {"Client.list": ["where", …]}}.
PYTHON = r'''
import importlib, inspect, json, re, sys
module = importlib.import_module(sys.argv[1])
members, parameters = [], {}
def takes(name, f):
    parameters[name] = [p for p in inspect.signature(f).parameters if p != "self"]
for name in module.__all__:
    if name.startswith("_"):
        continue
    value = getattr(module, name)
    if inspect.ismodule(value):
        continue
    members.append(name)
    if not inspect.isclass(value):
        takes(name, value)
        continue
    if not issubclass(value, BaseException):
        takes(name, value)
    mine = [c for c in value.__mro__ if c.__module__.split(".")[0] == module.__name__ and c.__module__ != module.__name__ + ".datasets"]
    for cls in mine[:1]:
        if hasattr(cls, "dataset"):  # what the catalogue's own base class has beside its datasets
            members.append(f"{name}.dataset")
            takes(f"{name}.dataset", cls.dataset)
        set_there = re.findall(r"\bself\.([a-z]\w*)(?::[^=\n]+)? = ", inspect.getsource(cls.__init__)) if "__init__" in vars(cls) and issubclass(cls, BaseException) else []
        for member, what in [*vars(cls).items(), *((a, None) for a in [*vars(cls).get("__annotations__", {}), *set_there])]:
            if member.startswith("_") or f"{name}.{member}" in members:
                continue
            members.append(f"{name}.{member}")
            if inspect.isfunction(what):
                takes(f"{name}.{member}", what)
print(json.dumps({"members": members, "parameters": parameters}))
'''

# Reflection: public classes outside of Internal and Record, their own public members; not what an interface of PHP asks for, nor what says @internal.
PHP = r'''<?php
require getenv('ODP_AUTOLOAD');
[$folder, $namespace] = [$argv[1], $argv[2]];
$members = []; $parameters = [];
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS)) as $file) {
    $name = strtr(substr($file->getPathname(), strlen($folder) + 1, -4), '/', '\\');
    if ($file->getExtension() !== 'php' || preg_match('/^(Internal|Record)\\\\/', $name)) {
        continue;
    }
    $class = new ReflectionClass("$namespace\\$name");
    if (str_contains((string) $class->getDocComment(), '@internal')) {
        continue;
    }
    $short = $class->getShortName();
    $members[] = $short;
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $m) {
        $from = $m->getDeclaringClass()->getName();
        $takes = array_map(static fn ($p) => $p->getName(), $m->getParameters());
        if ($m->isConstructor() && $from === $class->getName()) {
            $parameters[$short] = $takes;
        }
        if (str_starts_with($m->getName(), '__') || $from !== $class->getName() || $m->isInternal() || str_contains((string) $m->getDocComment(), '@internal')
            || ($m->hasPrototype() && $m->getPrototype()->isInternal())) {
            continue;
        }
        $members[] = "$short.{$m->getName()}";
        $parameters["$short.{$m->getName()}"] = $takes;
    }
    foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $p) {
        if ($p->getDeclaringClass()->getName() === $class->getName() && !($class->isEnum() && in_array($p->getName(), ['name', 'value'], true))) {
            $members[] = "$short.{$p->getName()}";
        }
    }
    foreach ($class->getReflectionConstants(ReflectionClassConstant::IS_PUBLIC) as $c) {
        if (!str_contains((string) $c->getDocComment(), '@internal') && $c->getDeclaringClass()->getName() === $class->getName()) {
            $members[] = "$short.{$c->getName()}";
        }
    }
}
echo json_encode(['members' => $members, 'parameters' => (object) $parameters]);
'''

# What index.d.ts exports, by the compiler's own eyes: {"exports": {name: all members of the type}, "own": {name: those that it declares itself}, "datasets": names
# from datasets.d.ts, which are the catalogue's}; and what the running module has.
JAVASCRIPT = r'''
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const require = createRequire(pathToFileURL(process.argv[3] + "/package.json"));
const ts = require("typescript");
const file = process.argv[2] + "/index.d.ts";
const program = ts.createProgram([file], { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [] });
const checker = program.getTypeChecker();
const all = {}, own = {}, datasets = [];
const parts = (type) => (type.isUnion() ? type.types : [type]);
for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported, name = exported.name;
  const places = (symbol.declarations ?? []).map((d) => d.getSourceFile().fileName);
  if (places.length > 0 && places.every((f) => f.endsWith("/datasets.d.ts"))) { datasets.push(name); continue; }
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const here = (p) => (p.declarations ?? []).some((d) => d.getSourceFile().fileName === file);
  const members = parts(type).flatMap((t) => checker.getPropertiesOfType(t)).filter((p) => here(p) && p.name !== "prototype");
  all[name] = [...new Set(members.map((p) => p.name))];
  const mine = new Set(symbol.declarations ?? []);
  own[name] = [...new Set(members.filter((p) => p.declarations.some((d) => mine.has(d.parent))).map((p) => p.name))];
}
const running = Object.keys(await import(process.argv[4]));
console.log(JSON.stringify({ all, own, datasets, running }));
'''


def ours(value, language):
    """What VALUE says for LANGUAGE: itself, or its member of that name."""
    if isinstance(value, dict) and any(one in value for one in LANGUAGES):
        return value.get(language)
    return value


def concerns(o, language):
    only = o.get("only")
    return only is None or language in ([only] if isinstance(only, str) else only)


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(w[:1].upper() + w[1:] for w in rest)


def option_name(option, language):
    return option.get("names", {}).get(language) or (option["name"] if language == "python" else camel(option["name"]))


def entries(language):
    for section in REFERENCE["reference"]:
        for entry in section["entries"]:
            if concerns(entry, language) and ours(entry["signature"], language) is not None:
                yield section, entry


def described(language):
    """The members that reference.json names."""
    for _, entry in entries(language):
        of = ours(entry.get("of"), language)
        if of is not None:
            yield of
            yield from (f"{of}.{option_name(o, language)}" for o in entry.get("options", ()) if concerns(o, language))
        yield from entry.get("symbols", {}).get(language, ())
    for kind in REFERENCE["kinds"]:
        yield ours(kind["name"], language)
        yield from (f"{ours(kind['name'], language)}.{m}" for m in ours(kind.get("members"), language) or ())


class Texts(unittest.TestCase):
    def texts(self, value, path=""):
        if isinstance(value, dict) and set(value) == {"id", "en"}:
            yield path, value
        elif isinstance(value, dict):
            for key, item in value.items():
                yield from self.texts(item, f"{path}/{key}")
        elif isinstance(value, list):
            for i, item in enumerate(value):
                yield from self.texts(item, f"{path}/{i}")

    def test_both_languages_have_the_same_marks_and_code(self):
        seen = 0
        for path, text in self.texts(REFERENCE):
            seen += 1
            with self.subTest(path=path):
                self.assertTrue(text["id"].strip() and text["en"].strip())
                for pattern in (r"@[A-Z]+@", r"\]\(@BASE@"):
                    found = [sorted(set(re.findall(pattern, text[lang])) - {"@REFERENCE@"}) for lang in ("id", "en")]
                    self.assertEqual(*found)
                own = {"`record.kolom`": "`record.column`", "`record[\"kolom\"]`": "`record[\"column\"]`", "`$hasil['…']`": "`$result['…']`"}
                code = [sorted(re.findall(r"`[^`]+`", text[lang])) for lang in ("id", "en")]
                self.assertEqual(sorted({own.get(c, c) for c in code[0]}), sorted(set(code[1])))
        self.assertGreater(seen, 150)

    def test_ids_are_unique_and_references_lead_somewhere(self):
        ids = [e["id"] for s in REFERENCE["reference"] for e in s["entries"]]
        self.assertEqual(len(ids), len(set(ids)))
        kinds = {k["id"] for k in REFERENCE["kinds"]}
        examples = {b["example"] for c in REFERENCE["guide"] for b in c["body"] if "example" in b}
        for section in REFERENCE["reference"]:
            for entry in section["entries"]:
                self.assertLessEqual(set(entry.get("errors", ())), kinds)
                self.assertIn(entry.get("options_of"), [None, *(e["id"] for e in section["entries"])])
                if "example" in entry:
                    self.assertIn(entry["example"], examples)
        for kind in REFERENCE["kinds"]:
            self.assertIn(kind.get("parent"), kinds | {None})

    def test_every_example_is_shown(self):
        shown = {b["example"] for c in REFERENCE["guide"] for b in c["body"] if "example" in b}
        for language in LANGUAGES:
            there = {p.stem for p in (odp.SOURCE / "templates/clients" / language / "examples").iterdir()}
            self.assertLessEqual(there, shown, language)
            wanted = {b["example"] for c in REFERENCE["guide"] if concerns(c, language) for b in c["body"] if "example" in b and concerns(b, language)}
            self.assertLessEqual(wanted, there, language)


class Members(odp.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.all = tempfile.mkdtemp(prefix="odp-reference-")
        cls.addClassCleanup(shutil.rmtree, cls.all, ignore_errors=True)

    def library(self, language):
        catalog = self.catalogue("kumuh", "perumahan")
        self.odp("build", "--catalog", catalog)
        found, missing = clientlib.libraries(self.dir / "libraries", self.dir / "build/site")
        if language not in found:
            self.skipTest(missing.get(language, "not chosen"))
        return found[language]

    def asked(self, library, file, text, *arguments):
        (library.folder / file).write_text(text)
        run = [*library.command[:-1], library.folder / file, *arguments]
        done = subprocess.run(run, capture_output=True, text=True, cwd=library.folder, env=library.environment, timeout=clientlib.PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def compare(self, language, there, ignored=()):
        found, said = {m for m in there["members"] if m not in ignored}, set(described(language))
        self.assertEqual(sorted(found - said), [], "reference.json does not name them")
        self.assertEqual(sorted(said - found), [], "the library does not have them")
        self.options(language, there["parameters"])

    def options(self, language, parameters):
        """The options of an entry are the parameters of its call, and stand in its signature."""
        checked = 0
        for section, entry in entries(language):
            symbol = (entry.get("symbols", {}).get(language) or [None])[0]
            if symbol not in parameters or (symbol.count(".") == 0 and symbol not in ("Client", "verify")) or entry["id"] == "webhooks":
                continue
            with self.subTest(language=language, entry=entry["id"]):
                source = next((e for e in section["entries"] if e["id"] == entry.get("options_of")), entry)
                named = [option_name(o, language) for o in source.get("options", ()) if concerns(o, language)]
                self.assertEqual(sorted(named), sorted(parameters[symbol]))
                for name in named:
                    self.assertRegex(ours(entry["signature"], language), rf"\b{re.escape(name)}\b")
                checked += 1
        self.assertGreater(checked, 15)

    def test_python(self):
        library = self.library("python")
        self.compare("python", self.asked(library, "ask.py", PYTHON, library.module))

    def test_php(self):
        library = self.library("php")
        source = library.source(self.dir / "build/site")
        folder = source / next(iter(odp.read_json(source / "composer.json")["autoload"]["psr-4"].values()))
        there = self.asked(library, "ask.php", PHP, str(folder).rstrip("/"), library.module)
        self.compare("php", there, {m for m in there["members"] if m.split(".")[0] == "Datasets"})

    def test_javascript(self):
        modules = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "clients"
        if not (modules / "node_modules/typescript").exists():
            self.skipTest("typescript is not installed: sh tools/setup.sh full")
        library = self.library("javascript")
        source = library.source(self.dir / "build/site")
        there = self.asked(library, "ask.mjs", JAVASCRIPT, str(source), str(modules), library.module)
        self.assertIn("KumuhRecord" if "KumuhRecord" in there["datasets"] else "Kumuh", there["datasets"])
        self.assertLessEqual(set(there["running"]) - set(there["datasets"]), set(there["all"]))
        of = {ours(e["of"], "javascript"): e for _, e in entries("javascript") if ours(e.get("of"), "javascript")}
        kinds = {ours(k["name"], "javascript") for k in REFERENCE["kinds"]}
        takes = {t: (s, e) for s, e in entries("javascript") if (t := e.get("takes", {}).get("javascript"))}
        found = set(there["all"])
        for name in there["all"]:  # members: of results all they have, of the rest those that are their own; of options see below
            if name in of and name not in ("Resource", "Dataset"):
                found |= {f"{name}.{m}" for m in there["all"][name]}
            elif name in ("Client", "Resource", "Dataset", "Webhooks") or name in kinds:
                found |= {f"{name}.{m}" for m in there["own"][name]}
        said = set(described("javascript"))
        self.assertEqual(sorted(found - said), [], "reference.json does not name them")
        self.assertEqual(sorted(said - found), [], "the declarations do not have them")
        self.assertGreater(len(takes), 5)
        for name, (section, entry) in takes.items():
            with self.subTest(options=name):
                named = {option_name(o, "javascript") for o in entry["options"] if concerns(o, "javascript")}
                self.assertLessEqual(set(there["all"][name]) - {"signal"}, named)
        for section, entry in entries("javascript"):
            source = next((e for e in section["entries"] if e["id"] == entry.get("options_of")), entry)
            if entry.get("of") is None and entry["id"] != "client":
                for o in source.get("options", ()):
                    if concerns(o, "javascript"):
                        self.assertRegex(ours(entry["signature"], "javascript"), rf"\b{option_name(o, 'javascript')}\b", entry["id"])


# What stands in the table of datasets, asked of the library: {accessor: [slug, type of its records]}.
ASKED = {
    "python": ("ask.py", '''
import json, sys
client = __import__(sys.argv[1]).Client()
print(json.dumps({a: [(d := eval(a)).slug, d._record.__name__] for a in json.loads(sys.argv[2])}))
'''),
    "php": ("ask.php", '''<?php
require getenv('ODP_AUTOLOAD');
$class = $argv[1] . '\\Client';
$client = new $class();
$of = static fn ($d) => (new ReflectionProperty(get_parent_class($d), 'record'))->getValue($d);
$found = [];
foreach (json_decode($argv[2]) as $a) {
    $d = eval("return $a;");
    $found[$a] = [$d->slug, basename(strtr($of($d), '\\\\', '/'))];
}
echo json_encode($found);
'''),
    "javascript": ("ask.mjs", '''
import { Client } from "@odp/client";
const client = new Client();
console.log(JSON.stringify(Object.fromEntries(JSON.parse(process.argv[3]).map((a) => [a, [eval(a).slug, null]]))));
'''),
}


class Names(odp.Case):
    """The table of datasets says how each is really called, also where its name is taken, is a word of the language, or another dataset's, too."""

    def table(self, language):
        text = (self.dir / "build/site/en/docs" / f"{language}.html").read_text()
        rows = re.findall(r'<tr><th scope="row"><a href="[^"]*catalog/([^"/]*)\.html">.*?</a></th><td><code>(.*?)</code></td><td><code>(.*?)</code>', text[text.index('id="tabel-dataset"'):], re.S)
        return {html.unescape(accessor): [slug, html.unescape(kind)] for slug, accessor, kind in rows}

    def test_strange_names(self):
        sys.path.insert(0, str(odp.SOURCE / "tests/clients/types"))
        import strange
        strange.add(self.catalogue("kumuh", "proyek", "kontraktor"))
        self.odp("build")
        lists = sum(e["kind"] == "code-list" for e in odp.read_json(self.dir / "build/site/v1/index.json")["data"])
        found, missing = clientlib.libraries(self.dir / "libraries", self.dir / "build/site")
        for language, (file, text) in ASKED.items():
            if language not in found:
                continue
            with self.subTest(language=language):
                library, said = found[language], self.table(language)
                self.assertEqual(len(said), len(strange.SLUGS) + 4 + lists)
                (library.folder / file).write_text(text)
                done = subprocess.run([*library.command[:-1], library.folder / file, library.module, json.dumps(list(said))], capture_output=True, text=True,
                                      cwd=library.folder, env=library.environment, timeout=clientlib.PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                there = json.loads(done.stdout)
                if language == "javascript":  # its types are declarations alone
                    declared = (library.source(self.dir / "build/site") / "datasets.d.ts").read_text()
                    for accessor, (slug, kind) in said.items():
                        self.assertRegex(declared, rf"\b{re.escape(kind)}\b")
                        there[accessor][1] = kind
                    self.assertEqual(len({kind for _, kind in said.values()}), len(said))
                self.assertEqual(there, said)
        if missing:
            self.skipTest(str(missing))


if __name__ == "__main__":
    unittest.main(verbosity=2)
