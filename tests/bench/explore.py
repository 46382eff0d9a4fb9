"""The page of all records of a large table: 1,000,000 records of 15 columns built into a site, opened in Chromium on loopback, from a server that knows ranges (nginx) and
from Python's http.server, which does not. Told are the time until the first records are there and the bytes that moved until then, the same for filters on indexed columns, and
the longest task of the page's own thread. Figures only: nothing is asserted.

    python3 tests/bench/explore.py [--rows 1000000] [--bin build/bin] [--work FOLDER] [--rounds 3]     FOLDER keeps the site between runs"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["Sukamaju", "Mekarsari", "Cihampelas", "Margahayu", "Kampung Baru", "Tanjung", "Pulo Gadung", "Wonokromo", "Sidorejo", "Banjarsari"]
FIELDS = [("id_unit", "string", "ID unit", "Unit ID"), ("kode_kabkota", "string", "Kabupaten/kota", "Regency or city"), ("tahun", "year", "Tahun", "Year"),
          ("jenis", "string", "Jenis", "Kind"), ("status", "string", "Status", "State"), ("nama", "string", "Nama", "Name"), ("kelurahan", "string", "Kelurahan", "Village"),
          ("luas", "number", "Luas", "Size"), ("nilai", "integer", "Nilai", "Value"), ("harga", "number", "Harga", "Price"), ("penghuni", "integer", "Penghuni", "People"),
          ("skor", "integer", "Skor", "Score"), ("tanggal", "date", "Tanggal", "Date"), ("aktif", "boolean", "Aktif", "Active"), ("keterangan", "string", "Keterangan", "Remarks")]
KINDS = [("tapak", "Rumah tapak", "House"), ("susun", "Rumah susun", "Flats"), ("deret", "Rumah deret", "Terrace"), ("khusus", "Rumah khusus", "Special")]
STATES = [("rencana", "Rencana", "Planned"), ("bangun", "Dibangun", "Being built"), ("selesai", "Selesai", "Finished")]


def catalogue(folder, rows):
    """The example's portal and code lists, and one dataset."""
    folder.mkdir(parents=True)
    for name in ("portal.json", "changes.json"):
        shutil.copy(ROOT / "catalog" / name, folder)
    shutil.copytree(ROOT / "catalog/references", folder / "references")
    fields = [{"name": n, "type": t, "title": i, "odp:title": {"id": i, "en": e}, "description": i, "odp:description": {"id": i, "en": e}} for n, t, i, e in FIELDS]
    for field in fields:
        if field["name"] in ("jenis", "status"):
            field["categories"] = [{"value": v, "label": i, "odp:label": {"id": i, "en": e}} for v, i, e in (KINDS if field["name"] == "jenis" else STATES)]
    table = {"name": "unit-rumah", "type": "table", "path": "unit-rumah.csv", "schema": {"fields": fields, "primaryKey": ["id_unit"]},
             "odp:foreignKeys": [{"fields": ["kode_kabkota"], "reference": {"dataset": "references/kabkota@2025", "fields": ["kode"]}}]}
    (folder / "unit-rumah").mkdir()
    (folder / "unit-rumah/dataset.json").write_text(json.dumps({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": "unit-rumah", "title": "Unit rumah", "odp:title": {"id": "Unit rumah", "en": "Dwellings"},
        "odp:formats": ["CSV"], "odp:lastUpdate": "2024-03-15", "resources": [table]}))
    rng = random.Random(7)
    with open(ROOT / "catalog/references/kabkota/2025.csv", encoding="utf-8") as f:
        regions = [line.split(",")[0] for line in f.read().splitlines()[1:]]
    with open(folder / "unit-rumah/unit-rumah.csv", "w", encoding="utf-8", newline="") as out:
        out.write(",".join(n for n, *_ in FIELDS) + "\r\n")
        for i in range(rows):
            out.write(f"U-{i:08d},{rng.choice(regions)},{rng.randrange(2000, 2025)},{rng.choice(KINDS)[0]},{rng.choice(STATES)[0]},"
                      f"{rng.choice(NAMES)} {rng.randrange(1, 500)},{rng.choice(NAMES)},{rng.randrange(21, 300)}.{rng.randrange(10)},{rng.randrange(10**7, 10**9)},"
                      f"{rng.randrange(10**4, 10**6)}.{rng.randrange(100):02d},{rng.randrange(0, 12)},{rng.randrange(0, 101)},"
                      f"{rng.randrange(2000, 2025)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d},{rng.choice(('true', 'false'))},"
                      f"{rng.choice(('', 'dekat sungai', 'tepi jalan', 'perlu perbaikan'))}\r\n")


def build(work, rows, program):
    """The site in WORK, made where it is not there yet."""
    site = work / "site"
    if not site.exists():
        shutil.rmtree(work / "catalog", ignore_errors=True)
        catalogue(work / "catalog", rows)
        began = time.monotonic()
        subprocess.run([program, "build", "--catalog", work / "catalog", "--out", site, "--quiet", "--today", "2024-03-21"], check=True)
        print(f"built in {time.monotonic() - began:.1f} s")
    for path in sorted(p for p in site.resolve().rglob("unit-rumah*") if p.is_file() and p.suffix in (".sqlite", ".csv", ".br")):
        print(f"  {path.relative_to(site.resolve())}: {path.stat().st_size:,} bytes")
    return site


def nginx(site, folder, port):
    """nginx as any static host has it."""
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    folder.mkdir(exist_ok=True)
    (folder / "nginx.conf").write_text(
        f"daemon off; worker_processes 1; error_log {folder}/error.log; pid {folder}/pid; {'user root;' if os.getuid() == 0 else ''}\n"
        f"events {{}} http {{ include /etc/nginx/mime.types; access_log off; gzip_static on; etag on; server {{ listen 127.0.0.1:{port}; root {site}/; index index.html; }} }}\n")
    return [program, "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"]


def tell(name, runs):
    middle = {key: statistics.median(run[key] for run in runs) for key in ("first", "firstBytes", "openBytes", "longest")}
    print(f"{name}: first records after {middle['first']:.0f} ms with {middle['firstBytes'] / 1000:,.0f} kB moved ({middle['openBytes'] / 1000:,.0f} kB until it was quiet); "
          f"longest task {middle['longest']:.0f} ms")
    for i, asked in enumerate(runs[0]["asked"]):
        times, moved = [run["asked"][i]["time"] for run in runs], [run["asked"][i]["bytes"] for run in runs]
        print(f"    {statistics.median(times):6.0f} ms {statistics.median(moved) / 1000:8,.0f} kB  {asked['query']}: {asked['status']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--modules", type=pathlib.Path, default=ROOT / "build/browser", help="where playwright-core is")
    options = parser.parse_args()
    work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="odp-explore-"))
    work.mkdir(parents=True, exist_ok=True)
    site = build(work, options.rows, options.bin / "odp-build")
    servers = {"nginx": nginx(site, work / "nginx", 8391), "http.server": [sys.executable, "-m", "http.server", "-b", "127.0.0.1", "-d", site, "8392"]}
    env = dict(os.environ, ODP_MODULES=str(options.modules), ODP_CHROMIUM=shutil.which("chromium") or "/usr/bin/chromium")
    for (name, command), port in zip(servers.items(), (8391, 8392)):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                runs = []
                for _ in range(options.rounds):
                    done = subprocess.run(["node", ROOT / "tests/bench/explore.mjs", str(port), "katalog/unit-rumah/index.html"], env=env, capture_output=True, text=True, check=False)
                    if done.returncode != 0:
                        sys.exit(f"{name}: {done.stderr[-3000:]}")
                    runs.append(json.loads(done.stdout.splitlines()[-1]))
                tell(name, runs)
            finally:
                server.terminate()
    if options.work is None:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
