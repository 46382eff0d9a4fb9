"""Queries over a million kumuh-like records: the engine beside the sqlite3 shell that prints JSON for the same SQL; the service under two concurrent clients; static
files while queries run. Nothing is asserted: ratios within one run are what counts. See
README.md.

    python3 tests/bench/query.py [--rows 1000000] [--parts engine,service,static] [--site FOLDER]     FOLDER: kept between runs"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(os.environ.get('ODP_BENCH_BUILD', ROOT / 'build'))
for name, value in (("ODP_SOURCE", ROOT), ("ODP_BINARY_DIR", OUT), ("ODP_BUILD", OUT / "bin/odp-build"), ("ODP_SAMPLE", OUT / "bin/odp-sample"),
                    ("ODP_GATEWAY", OUT / "bin/odp-gateway"), ("ODP_NGINX_MODULE", OUT / "bin/ngx_http_odp_module.so")):
    os.environ.setdefault(name, str(value))
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import gatewaylib  # noqa: E402

TOOL = OUT / "tests/query_tool"
ROUNDS = 5


def build(folder, rows):
    """The site of a catalogue of kumuh with ROWS records."""
    site = folder / "site"
    if site.exists():
        return site
    subprocess.run([OUT / "bin/odp-sample", "kumuh", "--rows", str(rows), "--out", folder / "catalog", "--descriptor", "--catalog", ROOT / "catalog"], check=True)
    portal = folder / "catalog/portal.json"
    settings = json.loads(portal.read_text())
    for tier in settings["tiers"]:
        tier.update(daily=None, burst=1000000, concurrent=1000)
    portal.write_text(json.dumps(settings))
    subprocess.run([OUT / "bin/odp-build", "build", "--catalog", folder / "catalog", "--out", site, "--quiet"], check=True)
    return site


class Index:
    """The index, and values to ask for."""

    def __init__(self, site):
        (self.path,) = (site / "search/kumuh").rglob("*.sqlite")
        self.db = sqlite3.connect(f"file:{self.path}?immutable=1", uri=True)
        info = json.loads(self.db.execute("SELECT value FROM odp_meta WHERE name = 'info'").fetchone()[0])
        self.fields = [c["name"] for c in info["columns"] if c["of_record"]]
        self.rows = info["rows"]
        self.regions = [r[0] for r in self.db.execute("SELECT DISTINCT kode_kabkota FROM kumuh LIMIT 200")]
        words = self.db.execute("SELECT nama_kawasan FROM kumuh WHERE fid % 9973 = 1 LIMIT 100").fetchall()
        self.words = sorted({w for (text,) in words for w in re.findall(r"[A-Za-z]{4,}", text)})
        self.boxes = self.db.execute("SELECT minx, miny, maxx, maxy FROM rtree_kumuh_geometry WHERE id % 4999 = 1 LIMIT 200").fetchall()


def questions(ix, rng):
    """One of each kind with values of their own: (parameters, the same SQL or None)."""
    shown = ", ".join(f"d.{f}" for f in ix.fields)
    region, grade, least = rng.choice(ix.regions), rng.choice(["Ringan", "Sedang", "Berat"]), round(rng.uniform(1, 12), 2)
    word = rng.choice(ix.words)
    w, s, e, n = rng.choice(ix.boxes)
    box = [w - .02, s - .02, e + .02, n + .02]
    ring = [(box[0], box[1]), (box[2], box[1]), (box[2], (box[1] + box[3]) / 2), ((box[0] + box[2]) / 2, box[3]), (box[0], box[3]), (box[0], box[1])]
    found = {
        "filter, sort": ({"filter": f"kode_kabkota = '{region}' AND luas_ha > {least}", "sortby": "-luas_ha", "limit": "100"},
                         f"SELECT {shown} FROM kumuh d WHERE d.kode_kabkota = '{region}' AND d.luas_ha > {least} "
                         "ORDER BY d.luas_ha DESC, d.id_kawasan LIMIT 100"),
        "category, sort": ({"filter": f"tingkat = '{grade}' AND luas_ha > {least}", "sortby": "-luas_ha", "limit": "100"},
                           f"SELECT {shown} FROM kumuh d WHERE d.tingkat = '{grade}' AND d.luas_ha > {least} "
                           "ORDER BY d.luas_ha DESC, d.id_kawasan LIMIT 100"),
        "full text": ({"q": word, "limit": "100"},
                      f"SELECT {shown} FROM kumuh d WHERE d.fid IN (SELECT rowid FROM odp_words('\"{word}\"')) ORDER BY d.id_kawasan LIMIT 100"),
        "bbox": ({"bbox": ",".join(f"{v:.7f}" for v in box), "limit": "100"},
                 f"SELECT {shown} FROM kumuh d WHERE d.fid IN (SELECT id FROM rtree_kumuh_geometry WHERE minx <= {box[2]} AND maxx >= {box[0]} AND "
                 f"miny <= {box[3]} AND maxy >= {box[1]}) ORDER BY d.id_kawasan LIMIT 100"),
        "exact polygon": ({"filter": "S_INTERSECTS(geometry, POLYGON((" + ", ".join(f"{x:.7f} {y:.7f}" for x, y in ring) + ")))", "limit": "100"}, None),
    }
    return found


def elapsed(command, lines):
    begun = time.monotonic()
    done = subprocess.run(command, input="".join(lines), text=True, check=True, stdout=subprocess.PIPE)
    return time.monotonic() - begun, done.stdout


def timed_shell(path, statements):
    """Milliseconds a statement: the sqlite3 shell with JSON output, without its start, which is that with one small statement."""
    command = ["sqlite3", "-json", f"file:{path}?immutable=1"]
    start = ["PRAGMA mmap_size=8589934592;\n", "SELECT fid FROM kumuh LIMIT 1;\n"]
    return max(1e-3, elapsed(command, start + [s + ";\n" for s in statements])[0] - elapsed(command, start)[0]) * 1e3 / len(statements)


def timed_engine(path, params, count):
    """The same of the engine; COUNT: milliseconds it may take to count what matches (0: it is not counted)."""
    command, start = [TOOL, "--count", str(count), path], ["envelope\tlimit=1\n"]
    took, out = elapsed(command, start + ["envelope\t" + urllib.parse.urlencode(p) + "\n" for p in params])
    assert out.startswith("ok "), out[:300]
    return max(1e-3, took - elapsed(command, start)[0]) * 1e3 / len(params)


def bench_engine(ix, rng):
    print(f"\nEngine beside the sqlite3 shell printing JSON for the same SQL ({ix.rows:,} records; ms a query, ratio within a round; +count: with numberMatched, as the\n"
          "service has it, which the shell's SQL does not ask for)")
    for kind in questions(ix, rng):
        ratios, ours, theirs, counted, n = [], [], [], [], 20
        for turn in range(ROUNDS + 1):  # the first is for warmth, and says how many fit into a round
            many = [questions(ix, rng)[kind] for _ in range(n)]
            # `properties` leaves the geometry away, as the shell's SQL does.
            params = [{**p, "properties": ",".join(ix.fields)} for p, _ in many]
            a = timed_engine(ix.path, params, 0)
            b = timed_shell(ix.path, [s for _, s in many]) if many[0][1] else None
            c = timed_engine(ix.path, params[:100], 50)
            if turn:
                ours, counted = ours + [a], counted + [c]
                if b is not None:
                    theirs, ratios = theirs + [b], ratios + [a / b]
            n = min(2000, max(20, int(1500 / max(a, b or 0))))
        line = f"  {kind:15} engine {statistics.median(ours):8.3f}  +count {statistics.median(counted):8.3f}"
        if theirs:
            line += f"  sqlite3 {statistics.median(theirs):8.3f}  ratio {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
        print(line, flush=True)


class Clients:
    """Two clients that ask one kind of question for some seconds."""

    def __init__(self, port, key, ix, kind, path, seconds):
        self.times, self.bad = [], []
        self.end = time.monotonic() + seconds
        self.threads = [threading.Thread(target=self.ask, args=(port, key, ix, kind, path, random.Random(i))) for i in range(2)]
        for t in self.threads:
            t.start()

    def ask(self, port, key, ix, kind, path, rng):
        connection = gatewaylib.Connection(port)
        made = [path + urllib.parse.urlencode(questions(ix, rng)[kind][0]) for _ in range(2000)]
        for address in made * 1000:
            begun = time.monotonic()
            if begun > self.end:
                return
            answer = connection.get(address, key)
            self.times.append(time.monotonic() - begun)
            if answer.status != 200:
                self.bad.append(answer)

    def wait(self):
        for t in self.threads:
            t.join()
        return self


def serve(case, site):
    gateway = case.serve(site, "--query-cache", "0", workers=1)
    return gateway, gateway.create_key("government")


def bench_service(ix, site, seconds):
    case = gatewaylib.Case()
    case.setUp()
    try:
        gateway, key = serve(case, site)
        print(f"\nService through nginx, 2 concurrent clients, {seconds} s each, no cache of answers (ms)")
        for kind in questions(ix, random.Random(1)):
            done = Clients(gateway.port, key, ix, kind, "/v1/kumuh?", seconds).wait()
            times = sorted(t * 1e3 for t in done.times)
            print(f"  {kind:15} {len(times) / seconds:8.0f}/s  p50 {times[len(times) // 2]:8.3f}  p99 {times[int(len(times) * .99)]:8.3f}"
                  + (f"  {len(done.bad)} refused, first: {done.bad[0]}" if done.bad else ""), flush=True)
    finally:
        case.doCleanups()


def bench_static(ix, site, seconds):
    if not shutil.which("wrk"):
        print("\nStatic files while queries run: wrk is not installed")
        return
    case = gatewaylib.Case()
    case.setUp()
    try:
        gateway, key = serve(case, site)

        def rate():
            done = subprocess.run(["wrk", "-t1", "-c16", f"-d{seconds}s", "-H", f"Authorization: Bearer {key}", gateway.url("/v1/kumuh/versions")],
                                  capture_output=True, text=True, check=True)
            return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
        rate()
        print(f"\nStatic file (16 connections, {os.cpu_count()} cores shared by server and clients), requests a second")
        for kind in ("filter, sort", "full text", "exact polygon"):
            alone = rate()
            clients = Clients(gateway.port, key, ix, kind, "/v1/kumuh?", seconds + 1)
            both = rate()
            clients.wait()
            print(f"  beside {kind:15} {both:9.0f} of {alone:9.0f}: {both / alone:.2f}   ({len(clients.times) / (seconds + 1):.0f} queries a second meanwhile)", flush=True)
    finally:
        case.doCleanups()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--parts", default="engine,service,static")
    parser.add_argument("--site", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.site or pathlib.Path(tempfile.mkdtemp(prefix="odp-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        site = build(folder, options.rows)
        ix, parts = Index(site), options.parts.split(",")
        if "engine" in parts:
            bench_engine(ix, random.Random(20240315))
        if "service" in parts:
            bench_service(ix, site, options.seconds)
        if "static" in parts:
            bench_static(ix, site, options.seconds)
    finally:
        if options.site is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
