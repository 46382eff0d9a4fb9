"""How long the query index takes, and how large it is: odp-build with it and without it (odp:index false), by turns, beside the sqlite3 command that
imports the published CSV into a table of the same types and makes the same indexes, the same full-text table and ANALYZE.

    python3 tests/bench/search_index.py [--rows 1000000] [--rounds 3] [--build FILE] [--sample FILE]

What sqlite3 does less: no checks, no numbers as published, no labels beside codes, no key set, no digests; and it reads a clean file. Times are the CPU's
(user + system) and the wall's."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def run(command, **options):
    """CPU seconds, wall seconds."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def descriptor(folder, indexed):
    """Pictures and printed documents are no part of this."""
    path = folder / "kumuh/dataset.json"
    package = json.loads(path.read_text())
    package.pop("odp:charts", None)
    package["odp:formats"] = ["CSV"]
    table = package["resources"][0]
    if not indexed:
        table["odp:index"] = False
        table.pop("odp:queryables", None)
        table.pop("odp:datetime", None)
    path.write_text(json.dumps(package))


def peer_script(index, csv, derived=None):
    """The SQL that makes of CSV what INDEX has: a table of its columns, its indexes, its words. DERIVED: expressions for the columns that CSV lacks; None:
    it has them all. Sorts stay in memory, the words' hash table holds all of them, and what they merge to is made once."""
    db = sqlite3.connect(index)
    info = json.loads(db.execute("SELECT value FROM odp_meta WHERE name = 'info'").fetchone()[0])
    name = index.name.rsplit("-", 1)[0]
    schema = [r[0] for r in db.execute("SELECT sql FROM sqlite_schema WHERE name IN (?, 'odp_words') OR name GLOB 'odp_index_*' ORDER BY rowid", (name,))]
    table = next(s for s in schema if s.startswith("CREATE TABLE"))
    raw = ", ".join(f'"{c["name"]}"' for c in info["columns"] if c["of_record"])
    words = ", ".join(f'"{c["name"]}"' for c in info["columns"] if c["text"])
    lines = ["PRAGMA page_size=16384;", "PRAGMA journal_mode=OFF;", "PRAGMA synchronous=OFF;", "PRAGMA cache_size=-1048576;", "PRAGMA temp_store=MEMORY;",
             "PRAGMA threads=2;", table.replace("fid INTEGER PRIMARY KEY, ", "") + ";", ".mode csv", "BEGIN;"]
    if derived:
        lines += [f"CREATE TEMP TABLE raw({raw});", f".import --skip 1 {csv} raw",
                  f'INSERT INTO "{name}" SELECT {raw}, {", ".join(derived)} FROM raw;', "DROP TABLE raw;"]
    else:
        lines.append(f".import --skip 1 {csv} {name}")
    lines += [s + ";" for s in schema if "INDEX" in s] + [next(s for s in schema if "fts5" in s).replace(", content_rowid='fid'", "") + ";"]
    lines += ["INSERT INTO odp_words(odp_words, rank) VALUES('automerge', 0);", "INSERT INTO odp_words(odp_words, rank) VALUES('hashsize', 1073741824);",
              f'INSERT INTO odp_words(rowid, {words}) SELECT rowid, {words} FROM "{name}";', "INSERT INTO odp_words(odp_words) VALUES('optimize');", "ANALYZE;",
              "COMMIT;"]
    db.close()
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--build", default=SOURCE / "build/bin/odp-build")
    parser.add_argument("--sample", default=SOURCE / "build/bin/odp-sample")
    o = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-bench-"))
    try:
        subprocess.run([o.sample, "kumuh", "--rows", str(o.rows), "--csv", "--descriptor", "--catalog", SOURCE / "catalog", "--out", folder / "with"],
                       check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(folder / "with", folder / "without")
        descriptor(folder / "with", True)
        descriptor(folder / "without", False)
        times = {"with": [], "without": [], "sqlite3": []}
        for _ in range(o.rounds):
            for name in ("without", "with"):
                for path in folder.glob("site*"):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
                times[name].append(run([o.build, "build", "--catalog", folder / name, "--out", folder / "site", "--jobs", o.jobs, "--quiet"]))
            index, csv = next((folder / "site/search/kumuh").rglob("*.sqlite")), next((folder / "site/data/kumuh").rglob("kumuh.csv"))
            target = folder / "peer.sqlite"
            target.unlink(missing_ok=True)
            script = peer_script(index, csv, ["substr(kode_kabkota, 1, 2)"])
            times["sqlite3"].append(run(["sqlite3", target], input=script.encode()))
        best = {n: [min(t[k] for t in times[n]) for k in (0, 1)] for n in times}
        own = [best["with"][k] - best["without"][k] for k in (0, 1)]
        sizes = [p.stat().st_size / 2**20 for p in (index, target, csv)]
        print(f"{o.rows:,} records, best of {o.rounds}; CPU and wall seconds")
        print(f"build without an index   {best['without'][0]:7.2f} {best['without'][1]:7.2f}")
        print(f"build with it            {best['with'][0]:7.2f} {best['with'][1]:7.2f}")
        print(f"the index alone          {own[0]:7.2f} {own[1]:7.2f}   {sizes[0]:.0f} MiB")
        print(f"sqlite3 .import and the same indexes {best['sqlite3'][0]:7.2f} {best['sqlite3'][1]:7.2f}   {sizes[1]:.0f} MiB   (CSV {sizes[2]:.0f} MiB)")
        print(f"ratio to sqlite3         {own[0] / best['sqlite3'][0]:7.2f} {own[1] / best['sqlite3'][1]:7.2f}")
    finally:
        for path, _, _ in os.walk(folder):
            os.chmod(path, 0o755)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
