#!/usr/bin/env python3
"""How time and memory grow: `check` and `export` (JSON and CSV) of 10^4 to 5*10^7 rows, with a primary key and without one. Prints a Markdown table.

    scale.py --bin build/bin [--largest 1000000] [--commands check,export] [--scratch /tmp] [--jobs 2]

Inputs are made one at a time and removed. Time is that of both kernel and program (CPU) and of the wall; memory is the peak of the process."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SLUG = "pemantauan"
ROWS = [10**4, 10**5, 10**6, 10**7, 5 * 10**7]


def run(args, cwd):
    """(wall, CPU, peak in bytes) of one command."""
    begin = time.monotonic()
    child = subprocess.Popen([str(a) for a in args], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{args}: {child.stderr.read().decode()[-2000:]}")
    child.stderr.close()
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(bin_dir, folder, command, jobs):
    source = folder / SLUG / f"{SLUG}.csv"
    args = [bin_dir / "odp-build", command, "--catalog", folder, "--as", SLUG, source, "--jobs", jobs, "--quiet", "--no-progress"]
    out = folder / "build"
    if command == "export":
        args += ["--format", "json,csv", "--out", out]
    result = run(args, folder)
    shutil.rmtree(out, ignore_errors=True)
    return result


def declare(folder, key):
    """The dataset in both formats, with its key or without."""
    path = folder / SLUG / "dataset.json"
    package = json.loads(path.read_text())
    package["odp:formats"] = ["JSON", "CSV"]
    if not key:
        del package["resources"][0]["schema"]["primaryKey"]
    path.write_text(json.dumps(package))


def number(n):
    return f"{n:,}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=SOURCE / "build" / "bin", type=pathlib.Path)
    parser.add_argument("--largest", default=ROWS[-1], type=int)
    parser.add_argument("--commands", default="check,export")
    parser.add_argument("--scratch", default=tempfile.gettempdir())
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    options = parser.parse_args()
    bin_dir = options.bin.resolve()
    print("| command | key | rows | MB | s | CPU s | peak MB |\n|---|---|--:|--:|--:|--:|--:|", flush=True)
    for rows in (n for n in ROWS if n <= options.largest):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-scale-", dir=options.scratch))
        try:
            subprocess.run([bin_dir / "odp-sample", SLUG, "--catalog", SOURCE / "catalog", "--rows", str(rows), "--csv", "--descriptor", "--out", folder], check=True,
                           stdout=subprocess.DEVNULL)
            size = (folder / SLUG / f"{SLUG}.csv").stat().st_size
            for key in ("yes", "no"):
                declare(folder, key == "yes")
                for command in options.commands.split(","):
                    wall, cpu, peak = measure(bin_dir, folder, command, options.jobs)
                    print(f"| {command} | {key} | {number(rows)} | {size / 1e6:,.1f} | {wall:.2f} | {cpu:.2f} | {peak / 1e6:,.0f} |", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
