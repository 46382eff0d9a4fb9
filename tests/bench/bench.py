"""odp-build beside its peers on one CSV, in one run. See README.md."""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def timed(command, cwd):
    """(seconds, peak MiB) of one run."""
    start = time.monotonic()
    pid = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = pid.stderr.read()
    _, status, usage = os.wait4(pid.pid, 0)
    if status != 0:
        sys.exit(f"{command}: status {status}\n{said.decode()[-2000:]}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def candidates(program, catalog, csv, header):
    """(name, what it does, command) of ours and of every peer that is here."""
    numeric = next((n for n in header if n.startswith(("luas", "jumlah"))), header[-1])
    yield "odp check --jobs 1", "types, constraints, keys, references, rules", [program, "check", "kumuh", "--jobs", "1", "--catalog", catalog, "--no-progress"]
    yield "odp check", "the same, all cores", [program, "check", "kumuh", "--catalog", catalog, "--no-progress"]
    yield "odp build", "check + JSON + pages + CSV + Excel CSV + digests + .gz + .br", [program, "build", "kumuh", "--catalog", catalog, "--out", "site", "--no-progress"]
    if shutil.which("mlr"):
        yield "mlr to JSON", "no validation", ["mlr", "--icsv", "--ojson", "cat", csv]
        yield "mlr stats1 sum", "no validation", ["mlr", "--icsv", "--ocsv", "stats1", "-a", "sum", "-f", numeric, csv]
    if shutil.which("sqlite3"):
        yield "sqlite3 .import", "no types", ["sqlite3", ":memory:", "-cmd", ".mode csv", f".import {csv} t", "select count(*) from t"]
    if shutil.which("duckdb"):
        yield "duckdb to JSON", "types only", ["duckdb", "-c", f"copy (from read_csv('{csv}')) to 'duck.json'"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bin", default=ROOT / "out/bin", type=pathlib.Path)
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="odp-bench-"))
    try:
        catalog = work / "catalog"
        shutil.copytree(ROOT / "catalog", catalog, ignore=lambda d, names: [n for n in names if pathlib.Path(d) == ROOT / "catalog" and (ROOT / "catalog" / n / "dataset.json").exists()])
        (catalog / "kumuh").mkdir()
        subprocess.run([args.bin / "odp-sample", "kumuh", "--csv", "--descriptor", "--rows", str(args.rows), "--seed", "7", "--out", catalog], check=True)
        csv = next((catalog / "kumuh").glob("*.csv"))
        size = csv.stat().st_size
        header = csv.open().readline().strip().split(",")
        print(f"{args.rows} rows, {len(header)} columns, {size / 1e6:.1f} MB")
        rows = list(candidates(str(args.bin / "odp-build"), str(catalog), str(csv), header))
        times = {name: [] for name, _, _ in rows}
        memory = dict.fromkeys(times, 0)
        for _ in range(args.rounds):
            for name, _, command in rows:
                shutil.rmtree(work / "site.builds", ignore_errors=True)
                (work / "site").unlink(missing_ok=True)
                seconds, peak = timed(command, work)
                times[name].append(seconds)
                memory[name] = max(memory[name], peak)
        for name, what, _ in rows:
            best = min(times[name])
            print(f"{name:28} best {best:6.2f} s  median {statistics.median(times[name]):6.2f} s  {size / best / 1e6:7.0f} MB/s"
                  f"  {args.rows / best / 1e6:5.2f} Mrow/s  peak {memory[name]:6.0f} MiB   {what}")
    finally:
        for folder, _, _ in os.walk(work):
            os.chmod(folder, 0o755)
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
