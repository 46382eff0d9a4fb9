"""odp-build beside its peers on one CSV, in one run. See README.md."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def remove_tree(path):
    for folder, _, _ in os.walk(path):
        os.chmod(folder, 0o755)
    shutil.rmtree(path, ignore_errors=True)


def timed(command, cwd):
    """(seconds, peak MiB) of one run."""
    start = time.monotonic()
    pid = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = pid.stderr.read()
    _, status, usage = os.wait4(pid.pid, 0)
    if status != 0:
        sys.exit(f"{command}: status {status}\n{said.decode()[-2000:]}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def candidates(program, catalog, csv, duck):
    """(name, what it does, command) of ours and of every peer that is here."""
    work = ["--catalog", catalog, "--no-progress"]
    for jobs in ("1", "2"):
        yield f"odp check --jobs {jobs}", "types, constraints, keys, references, rules", [program, "check", "kumuh", "--jobs", jobs, *work]
    for jobs in ("1", "2"):
        yield f"odp build --jobs {jobs}", "check + JSON + pages + 2 CSV + digests + .gz + .br", [program, "build", "kumuh", "--jobs", jobs, "--out", "site", *work]
    if shutil.which("mlr"):
        yield "mlr to JSON", "no validation", ["mlr", "--icsv", "--ifs", ";", "--ojson", "cat", csv]
    if shutil.which("sqlite3"):
        yield "sqlite3 .import", "no types", ["sqlite3", ":memory:", "-cmd", ".mode csv", "-cmd", ".separator ;", f".import {csv} t", "select count(*) from t"]
    if duck:
        script = str(ROOT / "tests/bench/duck.mjs")
        for threads in ("1", "2"):
            for what in ("check", "json", "csv"):
                yield f"duckdb {what} {threads} thread(s)", "types only", ["node", script, duck, csv, ";", ",", threads, what, "duck.out"]


def rebuilds(program, work, rounds):
    """The example catalogue in full, again with nothing changed, and with a new version of one dataset."""
    catalog, times = work / "contoh", {"full": [], "nothing changed": [], "one dataset changed": []}
    shutil.copytree(ROOT / "catalog", catalog)
    descriptor = catalog / "air-bersih/dataset.json"
    package = json.loads(descriptor.read_text())
    source = catalog / "air-bersih" / package["resources"][0]["path"]
    lines = source.read_text().splitlines(keepends=True)
    build = [program, "build", "--catalog", str(catalog), "--out", "rebuilds", "--no-progress"]
    for n in range(rounds):
        remove_tree(work / "rebuilds.builds")
        (work / "rebuilds").unlink(missing_ok=True)
        for name in times:
            if name == "one dataset changed":
                package["odp:lastUpdate"] = f"2025-01-{n + 1:02}"
                descriptor.write_text(json.dumps(package))
                source.write_text("".join(lines[:len(lines) - n - 1]))
            times[name].append(timed(build, work)[0])
    for name, seconds in times.items():
        print(f"{'22 datasets, ' + name:34} best {min(seconds):6.3f} s  median {statistics.median(seconds):6.3f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--duckdb", help="a node_modules folder with @duckdb/node-api")
    parser.add_argument("--bin", default=ROOT / "out/bin", type=pathlib.Path)
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="odp-bench-"))
    try:
        catalog = work / "catalog"
        subprocess.run([args.bin / "odp-sample", "kumuh", "--csv", "--descriptor", "--rows", str(args.rows), "--seed", "7",
                        "--catalog", ROOT / "catalog", "--out", catalog], check=True)
        csv = next((catalog / "kumuh").glob("*.csv"))
        size = csv.stat().st_size
        print(f"{args.rows} rows, {size / 1e6:.1f} MB")
        rows = list(candidates(str(args.bin / "odp-build"), str(catalog), str(csv), args.duckdb))
        times = {name: [] for name, _, _ in rows}
        memory = dict.fromkeys(times, 0)
        for _ in range(args.rounds):
            for name, _, command in rows:
                remove_tree(work / "site.builds")
                (work / "site").unlink(missing_ok=True)
                seconds, peak = timed(command, work)
                times[name].append(seconds)
                memory[name] = max(memory[name], peak)
        rebuilds(str(args.bin / "odp-build"), work, args.rounds)
        for name, what, _ in rows:
            best = min(times[name])
            print(f"{name:28} best {best:6.2f} s  median {statistics.median(times[name]):6.2f} s  {size / best / 1e6:7.0f} MB/s"
                  f"  {args.rows / best / 1e6:5.2f} Mrow/s  peak {memory[name]:6.0f} MiB   {what}")
    finally:
        remove_tree(work)


if __name__ == "__main__":
    main()
