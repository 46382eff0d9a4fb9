"""The serial script of the best peers for a whole build: the same files as ours, each step by who does it best.

    python3 tests/bench/whole.py [--rows N] [--bin FOLDER] [--npm FOLDER] [--work FOLDER]    what each step takes

DuckDB reads and checks the table once and writes JSON, CSV, the spreadsheets' CSV and the CSV that the query index is filled from; pages.mjs cuts its JSON
into pages without parsing it (mawk takes twice as long, and DuckDB cannot write JSON by partitions); libdeflate-gzip and brotli press files of a level in
one call; sqlite3 sorts in memory and gives its words a large hash table; openssl digests everything in one call, with the CPU's instructions for it."""
import argparse
import dataclasses
import json
import pathlib
import resource
import sqlite3
import subprocess
import time

from duckdb import quoted
from measure import remove
from search_index import peer_script

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20
NUMERIC = "0123456789 .,:/+-eE%()"  # text of these alone is guarded in a spreadsheet, as tools/odp-build/write/csv.c has it


@dataclasses.dataclass
class Site:
    """What a first build of ours tells the script: sizes decide levels, and the index has the columns and indexes to be made."""
    sizes: dict
    index: pathlib.Path
    records: int   # of a page
    meta: dict     # of every page, but for its number


def levels(size):
    """Levels of gzip and brotli of a download by its size (0: no such twin), as tools/lib/catalog/portal.c has them (odp_compression_usual)."""
    return (6, 5) if size <= 64 * MIB else (5, 0)


PAGES = ((6, 5), (5, 0))  # the same of a page: up to 128 KiB, above


def build_command(s, table):
    return [s.build, "build", table.slug, "--catalog", str(table.catalog), "--no-progress", "--quiet", "--today", "2024-03-21"]


def look_at(site, slug):
    page = json.loads((site / "v1" / f"{slug}.json").read_text())
    meta = {k: v for k, v in page["meta"].items() if k != "page"}
    folder = site / "data" / slug / meta["version"]
    return Site({kind: (folder / f"{slug}.{kind}").stat().st_size for kind in ("json", "csv", "excel.csv")}, next((site / "search" / slug).rglob("*.sqlite")),
                len(page["data"]), meta)


# ---- DuckDB ------------------------------------------------------------------------------------------------------------------------

def guarded(field):
    """The text a spreadsheet leaves alone. Where a field can have listed values only, and none needs it, nothing is asked of each record. (Of a list of six
    DuckDB makes a join, which takes longer and loses the records' order.)"""
    name = '"' + field["name"] + '"'
    listed = [c["value"] if isinstance(c, dict) else c for c in field.get("categories", [])]
    if listed and not any(all(c in NUMERIC for c in v) or v[:1] in ("=", "+", "-", "@") for v in listed):
        return name
    return (f"CASE WHEN regexp_full_match({name}, '[ .,:/+\\-eE%()]*[0-9][0-9 .,:/+\\-eE%()]*') AND length({name}) <= 255 THEN '=\"' || {name} || '\"' "
            f"WHEN length({name}) > 1 AND ({name}[1] IN ('=', '+', '-') OR {name}[1] IN ('@', chr(9), chr(13))) THEN '''' || {name} ELSE {name} END AS {name}")


def excel(table, out):
    """BOM, semicolons, decimal commas, CRLF."""
    columns = []
    for f in table.fields:
        name = '"' + f["name"] + '"'
        if f["name"] in table.public:
            columns.append(guarded(f) if f["type"] in ("string", "any") else f"replace({name}::VARCHAR, '.', ',') AS {name}" if f["type"] == "number" else name)
    first = '"' + table.public[0] + '"'
    columns[0] = columns[0].removesuffix(" AS " + first) + ' AS "\ufeff' + table.public[0] + '"'
    return f"COPY (SELECT {', '.join(columns)} FROM t) TO {quoted(out)} (FORMAT csv, HEADER, DELIMITER ';', NEW_LINE '\\r\\n')"


def derived(table, index):
    """Columns of the index that are no fields, as SQL: prefixes of one."""
    db = sqlite3.connect(index)
    info = json.loads(db.execute("SELECT value FROM odp_meta WHERE name = 'info'").fetchone()[0])
    db.close()
    given = {q["name"]: q for q in table.resource.get("odp:queryables", []) if "prefix" in q}
    return [f'left("{given[c["name"]]["field"]}", {given[c["name"]]["prefix"]})' for c in info["columns"] if not c["of_record"]]


def duckdb_sql(table, site, folder):
    """All that DuckDB writes, and the file that sqlite3 is to read: the CSV itself where the index has no further columns."""
    statements = [table.script_export(folder / "peer.json", folder / "peer.csv", ordered=True), excel(table, folder / "peer.excel.csv")]
    more, filling = derived(table, site.index), folder / "peer.csv"
    if more:
        filling = folder / "import.csv"
        columns = ", ".join([*(f'"{n}"' for n in table.public), *more])
        statements.append(f"COPY (SELECT {columns} FROM t) TO {quoted(filling)} (FORMAT csv, HEADER)")
    return "\n--\n".join(statements), filling


# ---- the script --------------------------------------------------------------------------------------------------------------------

def pressed(site):
    """Both presses over the downloads, and over the pages: a call for each level."""
    for k, (name, press) in enumerate((("libdeflate-gzip", "libdeflate-gzip -{}"), ("brotli", "brotli -q {}"))):
        by_level = {}
        for kind, size in site.sizes.items():
            by_level.setdefault(levels(size)[k], []).append(f"peer.{kind}")
        small, large = (f"find p -name '*.json' {size} -size +128k -print0 | xargs -0r {press.format(level[k])} -k -f" if level[k] else ""
                        for size, level in zip(("!", ""), PAGES))
        downloads = [f"{press.format(level)} -k -f {' '.join(files)}" for level, files in by_level.items() if level]
        yield from ((f"{name}, {what}", "\n".join(lines)) for what, lines in (("downloads", downloads), ("pages", [large, small])) if lines)


def steps_for(s, table, site):
    folder = s.work / "peer"
    sql, filling = duckdb_sql(table, site, folder)
    sql = s.script(f"{table.slug}-whole.sql", sql)
    index = s.script(f"{table.slug}-index.sql", peer_script(site.index, filling))
    meta = json.dumps(site.meta, separators=(",", ":"))
    yield "DuckDB", f"node '{HERE / 'duck.mjs'}' '{s.npm}' {s.threads} '{sql}'"
    yield "pages", f"node '{HERE / 'pages.mjs'}' peer.json p {site.records} '{meta}'"
    yield from pressed(site)
    yield "sqlite3", f"sqlite3 peer.sqlite <'{index}'\nrm -f '{folder / 'import.csv'}'"
    yield "openssl", "find . -type f ! -name SHA256SUMS -print0 | xargs -0 openssl dgst -sha256 -r >SHA256SUMS"


def steps(s, table):
    """(name, shell) of each step, to be run one after the other in peer/, with a folder p/ in it. A site of ours is made for this, and removed."""
    first = s.work / "first"
    paths = [first, s.work / "first.builds"]
    for path in paths:
        remove(path)
    subprocess.run([*build_command(s, table), "--out", str(first)], check=True, stdout=subprocess.DEVNULL)
    found = list(steps_for(s, table, look_at(first, table.slug)))
    for path in paths:
        remove(path)
    return found


def script(s, table):
    return "mkdir -p peer/p\ncd peer\n" + "\n".join(shell for _, shell in steps(s, table))


def main():
    import workloads
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    workloads.add_options(parser)
    o = parser.parse_args()
    pathlib.Path(o.work).mkdir(parents=True, exist_ok=True)
    s = workloads.Setting(o)
    table = workloads.table_of(s, s.tables[0])
    remove(s.work / "peer")
    found, total = steps(s, table), [0.0, 0.0, 0.0]
    (s.work / "peer/p").mkdir(parents=True)
    for name, shell in found:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(["sh", "-e", "-c", shell], cwd=s.work / "peer", check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = [after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, time.monotonic() - start]
        total = [a + b for a, b in zip(total, took)]
        print(f"{name:28} {took[0]:6.2f} user {took[1]:6.2f} sys {took[2]:6.2f} wall", flush=True)
    print(f"{'all':28} {total[0]:6.2f} user {total[1]:6.2f} sys {total[2]:6.2f} wall")
    remove(s.work / "peer")


if __name__ == "__main__":
    main()
