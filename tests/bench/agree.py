"""Whether those who did the same work made the same of it. Each function returns one sentence; Disagreement says what differs."""
import csv
import itertools
import json
import math
import pathlib
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
    n = 0
    for n, (a, b) in enumerate(itertools.zip_longest(records_of(own_json), records_of(s.work / duck.outputs[0])), 1):
        need(a is not None and b is not None, f"JSON: one has fewer than {n} records")
        need(all(same(a.get(k), b[k]) for k in b), f"JSON, record {n}: {a} is not {b}")
    with open(own_csv, encoding="utf-8", newline="") as f, open(s.work / duck.outputs[1], encoding="utf-8", newline="") as g:
        for m, (a, b) in enumerate(itertools.zip_longest(csv.reader(f), csv.reader(g))):
            need(a is not None and b is not None and len(a) == len(b), f"CSV: row {m} differs")
            need(a == b or all(same(number(x), number(y)) for x, y in zip(a, b)), f"CSV, row {m}: {a} is not {b}")
    need(n == s.rows == m, f"{n} and {m} records for {s.rows}")
    return f"{n:,} records equal those of DuckDB in JSON and CSV; digests hold; bytes equal on any number of threads"


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
