"""What is measured: for each workload its contenders, what their outputs must have in common, and what is aimed at."""
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

import agree
import whole
from duckdb import Table
from measure import Contender, remove

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHECKED = "types, constraints, keys, references, rules, places, proposals, warnings"


@dataclasses.dataclass
class Workload:
    name: str
    title: str
    contenders: list
    agree: object = None             # called with the contenders that ran; returns what was compared, raises Disagreement
    targets: dict = dataclasses.field(default_factory=dict)  # name of a group of peers -> (aim, never under)
    groups: dict = dataclasses.field(default_factory=dict)   # name of a group -> names of contenders; "best": all peers
    size: int = 0                    # bytes of the input


def add_options(parser):
    """What a Setting needs."""
    out = ROOT / "build/bench"
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--tables", default="pemberdayaan,rehabilitasi,inovasi")
    parser.add_argument("--without", default="", help="programs of peers that are left out, such as csvjson (csvkit), which takes minutes")
    parser.add_argument("--sql", metavar="FILE", help="SQL for DuckDB as one more contender of check, or of export where {json} is in it (README.md)")
    parser.add_argument("--shapes", type=int, default=50000)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--bin", default=ROOT / "build/bin")
    parser.add_argument("--npm", default=out / "node_modules", help="node_modules with the peers that come from npm")
    parser.add_argument("--work", default=out / "work", help="inputs and outputs; on the disk that is to be measured")


class Setting:
    """Where programs, peers, inputs and outputs are."""

    def __init__(self, options):
        self.bin = pathlib.Path(options.bin).resolve()
        self.build = str(self.bin / "odp-build")
        self.sample = str(self.bin / "odp-sample")
        self.work = pathlib.Path(options.work).resolve()
        self.npm = pathlib.Path(options.npm).resolve()
        self.rows = options.rows
        self.shapes = options.shapes
        self.threads = options.threads
        self.tables = [t for t in options.tables.split(",") if t]
        self.sql = pathlib.Path(options.sql) if options.sql else None
        self.without = [w for w in options.without.split(",") if w]
        self.absent = {}
        self.has_duckdb = (self.npm / "@duckdb/node-api").is_dir() and self.has("node", "DuckDB needs Node.js")
        if not self.has_duckdb:
            self.absent["DuckDB"] = "npm ci in a copy of tests/bench (see README.md), then --npm FOLDER/node_modules"

    def has(self, program, word=None):
        if program in self.without:
            self.absent[program] = "--without"
            return False
        if shutil.which(program):
            return True
        self.absent[program] = word or "not installed"
        return False

    def has_npm(self, name):
        if (self.npm / name).is_dir() and self.has("node"):
            return True
        self.absent[name] = "not installed from npm"
        return False

    def catalog(self, slug, name, *options):
        """A catalogue of one dataset, made by odp-sample; the same bytes each time."""
        folder = self.work / "in" / name
        if not (folder / slug / "dataset.json").exists():
            remove(folder)
            folder.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.sample, slug, "--descriptor", "--seed", "7", "--catalog", ROOT / "catalog", "--out", folder, *options], check=True,
                           stdout=subprocess.DEVNULL)
        return folder

    def own_sql(self, exports):
        """The text of --sql, if it is for this workload; else empty."""
        text = self.sql.read_text() if self.sql and self.has_duckdb else ""
        return text if ("{json}" in text) == exports else ""

    def script(self, name, text):
        path = self.work / name
        path.write_text(text)
        return str(path)


def by_threads(s, make):
    return [make(n) for n in sorted({1, s.threads})]


def plural(n):
    return "1 thread" if n == 1 else f"{n} threads"


# ---- CSV -------------------------------------------------------------------------------------------------------------------------

def table_of(s, slug):
    """The table in a catalogue of its own, which offers JSON and CSV alone: workbooks and printed documents are no part of this."""
    catalog = s.catalog(slug, f"{slug}-{s.rows}", "--csv", "--rows", str(s.rows))
    path = catalog / slug / "dataset.json"
    package = json.loads(path.read_text())
    package["odp:formats"] = ["JSON", "CSV"]
    package.pop("odp:charts", None)
    path.write_text(json.dumps(package))
    return Table(catalog, slug)


def sqlite_check(table, s):
    """A table with the constraints SQLite can say (patterns it cannot), filled by .import, which stops at none but counts them."""
    columns = []
    for f in table.fields:
        rules, name = f.get("constraints", {}), '"' + f["name"] + '"'
        text = name + {"integer": " INTEGER", "number": " REAL", "year": " INTEGER"}.get(f["type"], " TEXT")
        if rules.get("required"):
            text += " NOT NULL"
        if rules.get("unique"):
            text += " UNIQUE"
        if f["type"] in ("integer", "number", "year"):
            bounds = [f"{name} {sign} {rules[k]}" for k, sign in (("minimum", ">="), ("maximum", "<=")) if k in rules]
            text += f" CHECK ({name} = '' OR ({' AND '.join([f'typeof({name}) <> ' + chr(39) + 'text' + chr(39), *bounds])}))"
        values = [c["value"] if isinstance(c, dict) else c for c in f.get("categories", [])]
        if values:
            listed = ", ".join("'" + v.replace("'", "''") + "'" for v in values)
            text += f" CHECK ({name} IN ({listed}))"
        if "maxLength" in rules:
            text += f" CHECK (length({name}) <= {rules['maxLength']})"
        columns.append(text)
    keys = table.resource["schema"].get("primaryKey", [])
    if keys:
        columns.append("PRIMARY KEY (" + ", ".join(f'"{k}"' for k in keys) + ")")
    delimiter = table.resource.get("dialect", {}).get("delimiter", ",")
    return "\n".join(["PRAGMA journal_mode=OFF;", "PRAGMA synchronous=OFF;", f"CREATE TABLE t ({', '.join(columns)});", ".mode csv", f'.separator "{delimiter}"',
                      f".import --skip 1 {table.csv} t", "SELECT count(*) FROM t;", ""])


def csv_check(s, slug):
    table = table_of(s, slug)
    contenders = by_threads(s, lambda n: Contender(f"odp check, {plural(n)}", CHECKED, [s.build, "check", slug, "--catalog", str(table.catalog), "--jobs", str(n),
                                                   "--no-progress", "--quiet", "--today", "2024-03-21"], [], n, True))
    if s.has_duckdb:
        def duck(name, n, does, sql):
            return Contender(f"DuckDB, {name}{plural(n)}", does, ["node", str(HERE / "duck.mjs"), str(s.npm), str(n), s.script(f"{slug}-check-{name}{n}.sql", sql)], [], n)
        does = "types, constraints, keys, code lists, plain rules as one WHERE … OR … over an unordered table in memory: how many are broken"
        contenders += by_threads(s, lambda n: duck("", n, does, table.script_check()))
        if s.own_sql(False):
            contenders.append(duck(f"{s.sql.stem}, ", s.threads, f"what {s.sql} says", table.script_own(s.own_sql(False))))
    if s.has("sqlite3"):
        script = s.script(f"{slug}-check.sqlite", sqlite_check(table, s))
        contenders.append(Contender("sqlite3 .import with CHECK", "constraints without patterns, keys", ["sh", "-c", f"exec sqlite3 :memory: <'{script}'"], at_most=2))
    return Workload(f"check-{slug}", f"Check of {slug}: {s.rows:,} records × {len(table.fields)} fields, {table.csv.stat().st_size / 1e6:.0f} MB of CSV", contenders,
                    lambda ran: agree.checks(s, table, ran), {"DuckDB": (4, 2.5)}, {"DuckDB": ["DuckDB"]}, table.csv.stat().st_size)


def csv_export(s, slug):
    table = table_of(s, slug)
    contenders = by_threads(s, lambda n: Contender(f"odp export, {plural(n)}", CHECKED + "; JSON, CSV, SHA-256",
                                                   [s.build, "export", slug, "--catalog", str(table.catalog), "--format", "json,csv", "--out", f"odp-{n}", "--jobs", str(n),
                                                    "--no-progress", "--quiet", "--today", "2024-03-21"], [f"odp-{n}"], n, True))
    sums = "| xargs -P2 -n1 openssl dgst -sha256"  # with the CPU's instructions for it, which coreutils' sha256sum does without
    if s.has_duckdb:
        def duck(name, n, sql):
            out = [f"duck-{name or n}.json", f"duck-{name or n}.csv"]
            script = s.script(f"{slug}-export-{name or n}.sql", sql(s.work / out[0], s.work / out[1]))
            line = f"node '{HERE / 'duck.mjs'}' '{s.npm}' {n} '{script}' && printf '%s\\n' {out[0]} {out[1]} " + (sums if n > 1 else sums.replace("-P2 ", ""))
            return Contender(f"DuckDB + openssl, {name and name + ', '}{plural(n)}", "checks as above; JSON, CSV (unordered), SHA-256", ["sh", "-c", line], out, n)
        contenders += by_threads(s, lambda n: duck("", n, table.script_export))
        if s.own_sql(True):
            contenders.append(duck(s.sql.stem, s.threads, lambda json_out, csv_out: table.script_own(s.own_sql(True), json_out, csv_out)))
    delimiter = table.resource.get("dialect", {}).get("delimiter", ",")
    if s.has("mlr"):
        line = (f"mlr --icsv --ifs '{delimiter}' --ojson cat '{table.csv}' >mlr.json & mlr --icsv --ifs '{delimiter}' --ocsv cat '{table.csv}' >mlr.csv; wait;"
                f"printf '%s\\n' mlr.json mlr.csv {sums}")
        contenders.append(Contender("Miller + openssl", "no checks; JSON, CSV, SHA-256", ["sh", "-c", line], ["mlr.json", "mlr.csv"], 2, at_most=2))
    if s.has("csvjson", "csvkit is not installed"):
        line = (f"csvjson -I --snifflimit 0 -d '{delimiter}' '{table.csv}' >kit.json && csvformat -d '{delimiter}' '{table.csv}' >kit.csv && printf '%s\\n' kit.json kit.csv {sums}")
        contenders.append(Contender("csvkit + openssl", "no checks, no types; JSON, CSV, SHA-256", ["sh", "-c", line], ["kit.json", "kit.csv"], 2, at_most=1))
    if s.has("sqlite3"):
        script = s.script(f"{slug}-export.sqlite", sqlite_check(table, s) + ".mode json\n.output lite.json\nSELECT * FROM t;\n.mode csv\n.headers on\n.output lite.csv\nSELECT * FROM t;\n")
        contenders.append(Contender("sqlite3 + openssl", "constraints without patterns, keys; JSON, CSV, SHA-256",
                                    ["sh", "-c", f"sqlite3 :memory: <'{script}' && printf '%s\\n' lite.json lite.csv {sums}"], ["lite.json", "lite.csv"], 2, at_most=1))
    return Workload(f"export-{slug}", f"CSV to checked JSON + CSV + SHA-256: {slug}, {s.rows:,} records × {len(table.fields)} fields, "
                    f"{table.csv.stat().st_size / 1e6:.0f} MB", contenders, lambda ran: agree.exports(s, table, ran), {"DuckDB": (8, 5)},
                    {"DuckDB": ["DuckDB"]}, table.csv.stat().st_size)


# ---- shapes ----------------------------------------------------------------------------------------------------------------------

def shapes(s, zone):
    slug, points = "kumuh", 101
    name = "WGS 84" if zone == 0 else f"UTM zone {zone} S"
    catalog = s.catalog(slug, f"{slug}-{s.shapes}x{points}-{zone}", "--rows", str(s.shapes), "--points", str(points), "--zone", str(zone))
    source = next((catalog / slug).rglob("*.shp"), None)
    archive = next((catalog / slug).rglob("*.zip"), None)
    if source is None:
        subprocess.run(["unzip", "-qo", archive.name], cwd=archive.parent, check=True)
        source = next(archive.parent.rglob("*.shp"))
    unchecked = s.work / "in" / f"{catalog.name}-unchecked"
    if not unchecked.exists():  # the peers do not look whether a ring crosses itself
        shutil.copytree(catalog, unchecked)
        path = unchecked / slug / "dataset.json"
        package = json.loads(path.read_text())
        package["resources"][0]["odp:geometry"]["check"] = False
        path.write_text(json.dumps(package))

    def export(n, folder, name, does, out):
        return Contender(f"{name}, {plural(n)}", does, [s.build, "export", slug, "--catalog", str(folder), "--format", "geojson", "--out", f"{out}-{n}", "--jobs", str(n),
                                                        "--no-progress", "--quiet", "--today", "2024-03-21"], [f"{out}-{n}"], n, True)
    contenders = by_threads(s, lambda n: export(n, unchecked, "odp export", CHECKED + ", rings and their orientation; SHA-256", "odp"))
    contenders.append(export(s.threads, catalog, "odp export, validity", "the same, and that no ring crosses itself or another", "valid"))
    if s.has("ogr2ogr"):
        contenders.append(Contender("ogr2ogr", "no checks", ["ogr2ogr", "-f", "GeoJSON", "-lco", "RFC7946=YES", "--config", "GDAL_NUM_THREADS", "ALL_CPUS", "ogr.geojson",
                                                             str(source)], ["ogr.geojson"], 2))
    if s.has_npm("mapshaper"):
        contenders.append(Contender("mapshaper", "no checks", ["node", "--max-old-space-size=8192", str(s.npm / "mapshaper/bin/mapshaper"), "-i", str(source), "-proj", "wgs84",
                                                               "-o", "format=geojson", "precision=0.0000001", "shaper.geojson"], ["shaper.geojson"]))
    if zone == 0 and s.has_npm("shapefile"):
        contenders.append(Contender("npm shapefile", "no checks, no projection, no rounding", ["sh", "-c", f"node '{s.npm}/shapefile/bin/shp2json' '{source}' -o npm.geojson"],
                                    ["npm.geojson"]))
    size = sum(p.stat().st_size for p in source.parent.glob(source.stem + ".*") if p.suffix in (".shp", ".dbf", ".shx"))
    targets = {"ogr2ogr": (40, 20), "others": (15, 8)} if zone == 0 else {"ogr2ogr": (25, 15)}
    groups = {"ogr2ogr": ["ogr2ogr"], "others": ["mapshaper", "npm shapefile"]}
    return Workload(f"shapes-{'wgs84' if zone == 0 else 'utm'}", f"Shapefile in {name} to GeoJSON (RFC 7946): {s.shapes:,} polygons of {points} points, {size / 1e6:.0f} MB",
                    contenders, lambda ran: agree.shapes(s, ran), targets, groups, size)


# ---- the whole -------------------------------------------------------------------------------------------------------------------

def whole_build(s, slug):
    """Everything of a dataset with its twins and its query index, and the serial script of those who do each step best."""
    table = table_of(s, slug)
    command = whole.build_command(s, table)
    contenders = by_threads(s, lambda n: Contender(f"odp build, {plural(n)}", CHECKED + "; JSON, API pages, 2 CSV, index, twins, SHA-256, manifest, portal",
                                                   command + ["--out", f"site-{n}", "--jobs", str(n)], [f"site-{n}", f"site-{n}.builds"], n, True))
    if s.has_duckdb and s.has("sqlite3") and s.has("brotli") and s.has("libdeflate-gzip", "libdeflate-tools is not installed"):
        contenders.append(Contender("DuckDB, libdeflate, brotli, sqlite3, openssl",
                                    "checks as above; JSON, API pages, 2 CSV, twins and SHA-256 of them all, the index without numbers as published, labels and nulls; no profile, "
                                    "preview, differences, openapi, portal or manifest", ["sh", "-e", "-c", whole.script(s, table)], ["peer"], s.threads))
    return Workload(f"build-{slug}", f"A whole build of {slug} with twins and index: {s.rows:,} records, {table.csv.stat().st_size / 1e6:.0f} MB of CSV", contenders,
                    lambda ran: agree.builds(s, table, ran), {"best": (4, 4)}, {"best": None}, table.csv.stat().st_size)


class Growing:
    """A copy of the example catalogue in which a dataset gets a new version, a day later and a record shorter, before each run."""

    def __init__(self, folder, slug="air-bersih"):
        remove(folder)
        shutil.copytree(ROOT / "catalog", folder)
        self.folder, self.descriptor, self.n = folder, folder / slug / "dataset.json", 0
        self.package = json.loads(self.descriptor.read_text())
        self.source = folder / slug / self.package["resources"][0]["path"]
        self.lines = self.source.read_text().splitlines(keepends=True)

    def grow(self):
        self.n += 1
        self.package["odp:lastUpdate"] = f"2025-{self.n // 28 + 1:02}-{self.n % 28 + 1:02}"
        self.descriptor.write_text(json.dumps(self.package))
        self.source.write_text("".join(self.lines[:len(self.lines) - self.n]))


def catalogue(s):
    """The example catalogue: no peer does this; figures to hold."""
    def build(catalog, out):
        return [s.build, "build", "--catalog", str(catalog), "--no-progress", "--quiet", "--today", "2025-06-30", "--out", str(out)]
    example, growing, n = ROOT / "catalog", Growing(s.work / "in/growing"), s.threads
    for name, catalog in (("kept", example), ("grown", growing.folder)):
        remove(s.work / name)
        remove(s.work / f"{name}.builds")
        subprocess.run(build(catalog, s.work / name), check=True, stdout=subprocess.DEVNULL)
    return Workload("catalogue", "The example catalogue (22 datasets)", [
        Contender("odp-build --version", "start and end", [s.build, "--version"], [], n, True),
        Contender("odp check", "all datasets", [s.build, "check", "--catalog", str(example), "--no-progress", "--quiet", "--today", "2025-06-30"], [], n, True),
        Contender("odp build, all new", "everything", build(example, "new"), ["new", "new.builds"], n, True),
        Contender("odp build, nothing changed", "finds that nothing is to be done", build(example, s.work / "kept"), [], n, True),
        Contender("odp build, one dataset changed", "its new version, differences, pages", build(growing.folder, s.work / "grown"), [], n, True, prepare=growing.grow)])


ALL = {"check": lambda s: [csv_check(s, slug) for slug in s.tables],
       "export": lambda s: [csv_export(s, slug) for slug in s.tables],
       "shapes": lambda s: [shapes(s, 0), shapes(s, 48)],
       "build": lambda s: [whole_build(s, s.tables[0])],
       "catalogue": lambda s: [catalogue(s)]}
