#!/usr/bin/env python3
"""What a change costs in a catalogue of many small datasets: building all, nothing changed, one dataset changed (a value, and a release) and check. CPU seconds of program and kernel
(of one process, so a busy machine disturbs little), wall in brackets; medians of --rounds, and how many files were written anew. Prints a Markdown table.

    catalogue.py --bin build/bin [--sizes 22,220,2000] [--rounds 3] [--scratch /tmp]

Each dataset is a CSV file of 60 rows and eight columns: a key, a regency of the list kabkota, a year, a category, numbers, words."""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TODAY = "2026-11-28"
BUILDS = 5  # are kept: from then on a build begins as the tree of the one that has gone
WORDS = "jalan air rumah jembatan pasar sungai taman gedung sanitasi drainase".split()


def field(name, title, kind, **more):
    return {"name": name, "type": kind, "title": title, "description": f"{title} setiap catatan.", **more}


def package(slug, number):
    subject = f"{WORDS[number % len(WORDS)]} {number}"
    fields = [field("id", "Nomor", "string", constraints={"required": True, "pattern": "R-[0-9]{4}"}), field("kode_kabkota", "Kabupaten/kota", "string", constraints={"required": True}),
              field("tahun", "Tahun", "year"), field("jenis", "Jenis", "string", categories=["baik", "sedang", "rusak"]),
              field("panjang_km", "Panjang", "number", **{"sdi:satuan": {"id": "km", "en": "km"}}), field("biaya", "Biaya", "integer", **{"sdi:satuan": {"id": "rupiah", "en": "rupiah"}}),
              field("nama", "Nama", "string"), field("tanggal", "Tanggal", "date")]
    return {"name": slug, "title": f"Data {subject}", "odp:title": {"id": f"Data {subject}", "en": f"Data on {subject}"}, "description": f"Catatan {subject} menurut kabupaten/kota.",
            "odp:lastUpdate": "2024-03-15", "odp:frequency": "ANNUAL", "odp:formats": ["JSON", "CSV"], "licenses": [{"name": "CC-BY-4.0"}],
            "resources": [{"name": slug, "path": f"{slug}.csv", "format": "csv", "dialect": {"delimiter": ";"}, "schema": {
                "fields": fields, "primaryKey": ["id"]}, "odp:foreignKeys": [{"fields": ["kode_kabkota"], "reference": {"dataset": "references/kabkota@2025", "fields": ["kode"]}}]}]}


def source(number, codes):
    random.seed(number)
    lines = ["id;kode_kabkota;tahun;jenis;panjang_km;biaya;nama;tanggal"]
    for i in range(60):
        lines.append(f"R-{i:04};{random.choice(codes)};{random.randint(2019, 2024)};{random.choice(('baik', 'sedang', 'rusak'))};{random.randint(1, 9999) / 100};{random.randint(10**6, 10**9)};"
                     f"Ruas {random.choice(WORDS)} {i};2024-{random.randint(1, 12):02}-{random.randint(1, 28):02}")
    return "\n".join(lines) + "\n"


def make(folder, n):
    """A catalogue of N datasets in FOLDER, with the example's portal and lists."""
    catalog = folder / "catalog"
    example = SOURCE / "catalog"
    shutil.copytree(example / "references", catalog / "references", ignore=shutil.ignore_patterns("README.md"))
    portal = json.loads((example / "portal.json").read_text())
    for name in ("logo.svg", "theme.json"):
        if (example / name).exists():
            shutil.copy(example / name, catalog / name)
    codes = [line.split(",")[0].split(";")[0] for line in next((catalog / "references/kabkota").glob("2025.csv")).read_text().splitlines()[1:]]
    slugs = [f"set-{i:04}" for i in range(n)]
    for i, slug in enumerate(slugs):
        (catalog / slug).mkdir()
        (catalog / slug / "dataset.json").write_text(json.dumps(package(slug, i), ensure_ascii=False, indent=2))
        (catalog / slug / f"{slug}.csv").write_text(source(i, codes))
    (catalog / "portal.json").write_text(json.dumps(portal, ensure_ascii=False, indent=2))
    return catalog


def run(bin_dir, folder, *args):
    """CPU and wall of one command."""
    began = time.monotonic()
    child = subprocess.Popen([bin_dir / "odp-build", *args, "--today", TODAY, "--quiet", "--no-progress"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.stderr.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{args}: {said[-3000:]}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024


def change(catalog, turn):
    """One value of the middle dataset is another one, on a later day."""
    sets = sorted(p for p in catalog.iterdir() if p.name.startswith("set-"))
    folder = sets[len(sets) // 2]
    path = folder / "dataset.json"
    described = json.loads(path.read_text())
    described["odp:lastUpdate"] = f"2024-04-{turn + 1:02}"
    path.write_text(json.dumps(described, ensure_ascii=False, indent=2))
    table = folder / f"{folder.name}.csv"
    lines = table.read_text().splitlines()
    cells = lines[30].split(";")
    cells[4] = f"{100 + turn}.5"
    lines[30] = ";".join(cells)
    table.write_text("\n".join(lines) + "\n")


def inodes(site):
    """Of every file of a site, by its path: a file that was carried over keeps its own."""
    found = ((folder, name) for folder, _, names in os.walk(os.path.realpath(site)) for name in names)
    return {os.path.join(*one): os.lstat(os.path.join(*one)).st_ino for one in found}


def measure(bin_dir, n, rounds, scratch):
    folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    try:
        catalog = make(folder, n)
        rows = [("all", [run(bin_dir, folder, "build")]), ("check", [run(bin_dir, folder, "check") for _ in range(rounds)]),
                ("nothing changed", [run(bin_dir, folder, "build") for _ in range(rounds)])]
        changed, fresh = [], 0
        for turn in range(BUILDS + rounds):
            change(catalog, turn)
            before = set(inodes(folder / "build/site").values())
            changed.append(run(bin_dir, folder, "build"))
            after = inodes(folder / "build/site")
            fresh = sum(i not in before for i in after.values())
        rows += [("one changed, of the first builds", changed[:BUILDS]), (f"one changed ({fresh} of {len(after)} files anew)", changed[BUILDS:])]
        for what, runs in rows:
            cpu, wall, peak = (statistics.median(r[i] for r in runs) for i in range(3))
            print(f"| {n} | {what} | {cpu:.2f} s ({wall:.2f}) | {peak:.0f} MiB |", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--sizes", default="22,220,2000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scratch", default=None)
    args = parser.parse_args()
    print("| datasets | what | CPU (wall) | peak |\n|--:|---|--:|--:|")
    for n in args.sizes.split(","):
        measure(args.bin.resolve(), int(n), args.rounds, args.scratch)


if __name__ == "__main__":
    main()
