"""Whether those who did the same work made the same of it. Each function returns one sentence; Disagreement says what differs."""
import csv
import itertools
import json
import math
import pathlib
import sqlite3
import subprocess


class Disagreement(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Disagreement(text)


def ours(ran):
    return [c for c in ran if c.ours]


def checks(s, table, ran):
    """DuckDB counts nothing broken in what we accept, and counts what was planted where we reject."""
    duck = next((c for c in ran if c.name.startswith("DuckDB")), None)
    if duck is None:
        return "nobody to compare with"
    found = subprocess.run(duck.command, capture_output=True, text=True, check=True).stdout.split()
    report = subprocess.run([s.build, "check", table.slug, "--catalog", str(table.catalog), "--report", "json", "--no-progress", "--today", "2024-03-21"], capture_output=True, text=True)
    need(report.returncode == 0, "odp-build rejects the table: " + report.stderr[-300:])
    need(found[1:] == ["0", "0"] and int(found[0]) == s.rows, f"DuckDB: {found}")
    damaged = damage(table, s.work / "damaged.csv")
    script = table.script_check().replace(str(table.csv), str(s.work / "damaged.csv"))
    (s.work / "damaged.sql").write_text(script)
    counted = subprocess.run([*duck.command[:-1], str(s.work / "damaged.sql")], capture_output=True, text=True, check=True).stdout.split()
    own = subprocess.run([s.build, "check", "--as", table.slug, str(s.work / "damaged.csv"), "--catalog", str(table.catalog), "--report", "json", "--no-progress", "--today", "2024-03-21"],
                         capture_output=True, text=True)
    need(own.returncode == 1, f"odp-build accepts a damaged table (exit {own.returncode})")
    errors = json.loads(own.stdout)["summary"]["errors"]
    need(int(counted[1]) + int(counted[2]) == damaged and errors == damaged, f"{damaged} planted, DuckDB counts {counted[1:]}, odp-build {errors}")
    return f"both accept {s.rows:,} records, and both count {damaged} planted faults in a damaged copy"


def damage(table, path):
    """A copy of the first 10,000 records with ten values out of their bounds and ten keys that occur twice; how many faults that is."""
    key = next(i for i, f in enumerate(table.fields) if f["name"] == table.resource["schema"]["primaryKey"][0])
    rules = json.dumps(table.resource.get("odp:rules", []))  # a field of a rule is left alone: a broken rule would be a second fault
    bounded = next(i for i, f in enumerate(table.fields) if f["type"] in ("integer", "year") and "minimum" in f.get("constraints", {}) and f["name"] not in rules)
    with open(table.csv, encoding="utf-8-sig", newline="") as src, open(path, "w", encoding="utf-8", newline="") as out:
        delimiter = table.resource.get("dialect", {}).get("delimiter", ",")
        reader, writer = csv.reader(src, delimiter=delimiter), csv.writer(out, delimiter=delimiter, lineterminator="\n")
        previous = None
        for n, row in enumerate(itertools.islice(reader, 10001)):
            if n > 0 and n % 1000 == 0:
                row[bounded] = str(table.fields[bounded]["constraints"]["minimum"] - 1)
            if n > 0 and n % 1000 == 500:
                row[key] = previous
            previous = row[key]
            writer.writerow(row)
    return 20


def records_of(path):
    """The records of a JSON file of ours or of DuckDB: one a line in both, but for the first and the last line."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            text = line.strip()
            if text.startswith('{"data":['):
                text = text[9:]
            text = text.rstrip(",")
            if text.startswith("{") and text.endswith("}"):
                yield json.loads(text)


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=1e-12)
    return (a if a != "" else None) == (b if b != "" else None)


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def exports(s, table, ran):
    """Record by record: our JSON and DuckDB's, our CSV and DuckDB's. Numbers by value, empty text as null."""
    folders = [s.work / c.outputs[0] for c in ours(ran)]
    for folder in folders:
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder, check=True)
    for a, b in zip(folders, folders[1:]):
        need((a / "SHA256SUMS").read_text() == (b / "SHA256SUMS").read_text(), "the number of threads changes the bytes")
    duck = next((c for c in ran if c.name.startswith("DuckDB")), None)
    if duck is None:
        return "equal on any number of threads; nobody else to compare with"
    own_json, own_csv = (next(folders[0].rglob(f"{table.slug}.{e}")) for e in ("json", "csv"))
    same_unordered(table, own_json, own_csv, *(s.work / p for p in duck.outputs))
    return f"{s.rows:,} records equal those of DuckDB in JSON and CSV; digests hold; bytes equal on any number of threads"


def same_unordered(table, own_json, own_csv, other_json, other_csv):
    """By the primary key: the peer's files have their records in any order."""
    keys = table.resource["schema"]["primaryKey"]
    others = {tuple(str(r[k]) for k in keys): r for r in records_of(other_json)}
    for n, a in enumerate(records_of(own_json), 1):
        b = others.pop(tuple(str(a[k]) for k in keys), None)
        need(b is not None and set(a) == set(b) and all(same(a[k], b[k]) for k in b), f"JSON, record {n}: {a} is not {b}")
    need(not others, f"JSON: one has {len(others)} more records")
    with open(own_csv, encoding="utf-8", newline="") as f, open(other_csv, encoding="utf-8", newline="") as g:
        own, other = csv.reader(f), csv.reader(g)
        head = next(own)
        need(head == next(other), "CSV: the names of the columns differ")
        at = [head.index(k) for k in keys]
        others = {tuple(r[i] for i in at): r for r in other}
        for n, a in enumerate(own, 1):
            b = others.pop(tuple(a[i] for i in at), None)
            need(b is not None and all(same(number(x), number(y)) for x, y in zip(a, b, strict=True)), f"CSV, row {n}: {a} is not {b}")
    need(not others, f"CSV: one has {len(others)} more rows")


def same_records(own, other, rows):
    n = 0
    for n, (a, b) in enumerate(itertools.zip_longest(records_of(own), records_of(other)), 1):
        need(a is not None and b is not None, f"JSON: one has fewer than {n} records")
        need(set(a) == set(b) and all(same(a[k], b[k]) for k in b), f"JSON, record {n}: {a} is not {b}")
    need(n == rows, f"JSON: {n} records for {rows}")


def same_cells(own, other, rows, delimiter=",", value=number):
    """Row by row, the header's too; a BOM belongs to the first name."""
    n = 0
    with open(own, encoding="utf-8", newline="") as f, open(other, encoding="utf-8", newline="") as g:
        for n, (a, b) in enumerate(itertools.zip_longest(csv.reader(f, delimiter=delimiter), csv.reader(g, delimiter=delimiter))):
            need(a is not None and b is not None and len(a) == len(b), f"{own.name}: row {n} differs")
            need(a == b or all(same(value(x), value(y)) for x, y in zip(a, b)), f"{own.name}, row {n}: {a} is not {b}")
    need(n == rows, f"{own.name}: {n} records for {rows}")


# ---- the whole -------------------------------------------------------------------------------------------------------------------

def builds(s, table, ran):
    """Ours on any number of threads; and the peers': every record of the JSON, of both CSV and of every page, what twins hold, all digests, the index."""
    sites = [s.work / c.outputs[0] for c in ours(ran)]
    for a, b in zip(sites, sites[1:]):
        need((a / "manifest.json").read_bytes() == (b / "manifest.json").read_bytes(), "the number of threads changes the bytes")
    site, slug, peer = sites[0], table.slug, s.work / "peer"
    first = site / "v1" / f"{slug}.json"
    meta = json.loads(first.read_text())["meta"]
    folder = site / "data" / slug / meta["version"]
    pages = [first, *(site / "v1" / slug / "v" / meta["version"] / "p" / f"{n}.json" for n in range(2, meta["pages"] + 1))]
    files = [*pages, *(folder / f"{slug}.{kind}" for kind in ("json", "csv", "excel.csv"))]
    need(len(list(pages[-1].parent.glob("*.json"))) == len(pages) - 1, "our pages are not as many as the first says")
    digests(site, [*files, *twins(files)])
    unpacked(files)
    if all(c.ours for c in ran):
        return "equal on any number of threads; nobody else to compare with"
    theirs = [*(peer / "p" / f"{n}.json" for n in range(1, len(pages) + 1)), *(peer / f"peer.{kind}" for kind in ("json", "csv", "excel.csv"))]
    for kind, delimiter, value in (("csv", ",", number), ("excel.csv", ";", lambda text: number(text.replace(",", ".")))):
        same_cells(folder / f"{slug}.{kind}", peer / f"peer.{kind}", s.rows, delimiter, value)
    same_records(folder / f"{slug}.json", peer / "peer.json", s.rows)
    same_pages(pages, theirs[:len(pages)], s.rows)
    need([endings(p) for p in files[1:]] == [endings(p) for p in theirs[1:]], "the peers made other twins than we")  # our first page has one more
    made = {p.resolve() for p in peer.rglob("*") if p.is_file() and p.name not in ("SHA256SUMS", "peer.sqlite")}
    need(made == {p.resolve() for p in [*theirs, *twins(theirs)]}, "the peers made other files than these, or fewer")
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=peer, check=True)
    need(len((peer / "SHA256SUMS").read_text().splitlines()) == len(made) + 1, "the peers' digests are not of all files")
    unpacked(theirs)
    words = same_index(next((site / "search" / slug).rglob("*.sqlite")), peer / "peer.sqlite", s.rows)
    return (f"{s.rows:,} records equal in JSON, both CSV and {len(pages):,} pages; {len(twins(files)):,} twins unpack to their files; digests hold; "
            f"indexes hold the same values, {words}; bytes equal on any number of threads")


def endings(path):
    """Of the twins that PATH has: of a large file or page not brotli's."""
    return [e for e in (".gz", ".br") if path.with_name(path.name + e).exists()]


def twins(files):
    return [p.with_name(p.name + e) for p in files for e in endings(p)]


def digests(site, files):
    """Ours are in the manifest."""
    said = {f["path"]: f["sha256"] for f in json.loads((site / "manifest.json").read_text())["files"]}
    lines = "".join(f"{said[str(p.relative_to(site))]}  {p}\n" for p in files)
    subprocess.run(["sha256sum", "--quiet", "-c"], input=lines, text=True, check=True)


def same_pages(own, other, rows):
    """Records, and the envelope but for links: the peers' first page lies beside the others."""
    total = 0
    for a, b in zip(own, other, strict=True):
        x, y = json.loads(a.read_text()), json.loads(b.read_text())
        need(x["meta"] == y["meta"] and x["status"] == y["status"] and len(x["data"]) == len(y["data"]), f"{b}: another envelope than {a}'s, or not as many records")
        need(all(set(m) == set(n) and all(same(m[k], n[k]) for k in m) for m, n in zip(x["data"], y["data"])), f"{b}: other records than {a}'s")
        total += len(x["data"])
    need(total == rows, f"pages: {total} records for {rows}")


def digest_of(command, files):
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", f"xargs -0 {command} -- | sha256sum"], input="\0".join(map(str, files)), text=True, capture_output=True, check=True)
    return done.stdout


def unpacked(files):
    """All that FILES hold, one behind the other; brotli unpacks no second one to its output."""
    need(all(".gz" in endings(p) for p in files), f"{files[0]}, {files[-1]}: not all have a twin *.gz")
    for end, command in ((".gz", "gzip -dc"), (".br", "-n1 brotli -dc")):
        having = [p for p in files if end in endings(p)]
        need(not having or digest_of(command, [p.with_name(p.name + end) for p in having]) == digest_of("cat", having),
             f"{files[0]}, {files[-1]}: not all twins *{end} unpack to their files")


def same_index(own, other, rows):
    """Each column's values, counted and measured (an empty cell is null in ours, empty text in sqlite3's); the indexes; how many records have some words."""
    of = [sqlite3.connect(own), sqlite3.connect(other)]
    schemas = [[r[0] for r in db.execute("SELECT sql FROM sqlite_schema WHERE type = 'index' AND name GLOB 'odp_index_*' ORDER BY name")] for db in of]
    need(schemas[0] == schemas[1] and schemas[0], "the indexes are others")
    info = json.loads(of[0].execute("SELECT value FROM odp_meta WHERE name = 'info'").fetchone()[0])
    names, table = [f'"{c["name"]}"' for c in info["columns"]], own.name.rsplit("-", 1)[0]
    asked = ", ".join(f"count(nullif({c}, '')), count(DISTINCT nullif({c}, '')), total(length({c})), total({c}), min(nullif({c}, '')), max({c})" for c in names)
    values = [db.execute(f'SELECT count(*), {asked} FROM "{table}"').fetchone() for db in of]
    need(values[0][0] == rows and all(same(a, b) for a, b in zip(*values, strict=True)), f"the indexes' columns differ: {values}")
    text = next(n for n, c in zip(names, info["columns"]) if c["text"])
    words = sorted({w for (t,) in of[0].execute(f'SELECT DISTINCT {text} FROM "{table}" LIMIT 100') for w in (t or "").split() if w.isalpha()})[:20]
    found = [[db.execute("SELECT count(*) FROM odp_words WHERE odp_words MATCH ?", (f'"{w}"',)).fetchone()[0] for w in words] for db in of]
    need(found[0] == found[1] and sum(found[0]) > 0, f"words are found otherwise: {words}, {found}")
    for db in of:
        db.close()
    return f"{len(words)} words are found as often"


# ---- shapes ----------------------------------------------------------------------------------------------------------------------

def rings(geometry):
    parts = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    return [r for p in parts for r in p]


def normal(ring):
    """A ring from its smallest point on: peers begin it elsewhere."""
    open_ring = [tuple(p[:2]) for p in ring[:-1]]
    i = open_ring.index(min(open_ring))
    return open_ring[i:] + open_ring[:i]


def shapes(s, ran):
    """Every coordinate within one unit of the seventh decimal of ogr2ogr's (first 5,000 features, and the count of all). GDAL takes runs of nines and
    zeros at the end of a number for noise (105.3999990 becomes 105.4): such points, one in some 100,000, are counted apart."""
    folders = [s.work / c.outputs[0] for c in ours(ran)]
    for a, b in zip(folders, folders[1:]):
        need((a / "SHA256SUMS").read_text() == (b / "SHA256SUMS").read_text(), "the number of threads changes the bytes")
    peer = next((c for c in ran if c.name == "ogr2ogr"), None)
    if peer is None:
        return "equal on any number of threads; nobody else to compare with"
    own = list(features(next(folders[0].rglob("*.geojson"))))
    other = list(features(s.work / peer.outputs[0]))
    need(len(own) == len(other) == s.shapes, f"{len(own)} and {len(other)} features for {s.shapes}")
    worst = points = beyond = 0
    for a, b in zip(own[:5000], other[:5000]):
        for ra, rb in zip(rings(json.loads(a)["geometry"]), rings(json.loads(b)["geometry"])):
            ra, rb = normal(ra), normal(rb)
            need(len(ra) == len(rb), "a ring has another number of points")
            for p, q in zip(ra, rb):
                off = max(abs(p[0] - q[0]), abs(p[1] - q[1]))
                points += 1
                if off < 1.5e-7:
                    worst = max(worst, off)
                else:
                    beyond += 1
                    need(off < 1.1e-6, f"coordinates differ by {off:.2e} degrees")
    need(beyond <= points / 10000, f"{beyond} of {points} points differ by more than a unit of the seventh decimal")
    return (f"{len(own):,} features; of {points:,} points {points - beyond:,} differ from ogr2ogr's by at most {worst:.1e} degrees, {beyond} by at most 1e-6 (rounded away by GDAL); "
            "bytes equal on any number of threads")


def features(path):
    with open(pathlib.Path(path), encoding="utf-8") as f:
        for line in f:
            text = line.strip().rstrip(",")
            if text.startswith('{"type":"Feature",') or text.startswith('{ "type": "Feature",'):
                yield text
