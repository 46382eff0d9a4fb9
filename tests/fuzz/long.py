"""Runs the libFuzzer programs for long, two at a time, and says what came of it.

    long.py --programs BUILD/tests --out BUILD/tests/fuzz [--seconds 600] [--jobs 2] [--only NAME ...] [--without NAME ...]

The corpora grow in OUT/corpus-NAME and are kept: the next run begins with them, and with the seeds. What is found lies in OUT/finds, the programs'
own words in OUT/logs, the table in OUT/long.txt and OUT/long.json. A run replaces the rows of the targets it was asked for and leaves the others.
Exit status 1 where a target has a find: an input that crashes it, takes it more than TIMEOUT seconds or 2 GiB, or leaks.
"""
import argparse
import concurrent.futures
import datetime
import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 20
RSS_MB = 2048
# What a target's input can be at most. Elsewhere 16 KiB: more only makes each run slower.
MAX_LEN = {
    "fuzz_shape": 65536, "fuzz_document": 65536, "fuzz_delta": 65536, "fuzz_gateway_table": 65536, "fuzz_verify": 32768,
    "fuzz_csv_ways": 8192, "fuzz_dialect": 8192, "fuzz_expr": 4096, "fuzz_query": 4096, "fuzz_rewrite": 4096, "fuzz_workbook": 4096, "fuzz_fix": 8192,
    "fuzz_gateway_key": 4096, "fuzz_gateway_secret": 9000, "fuzz_shape_index": 8192, "fuzz_map": 8192,
}
FINDS = ("crash-", "timeout-", "oom-", "leak-")
STATUS = re.compile(r"^#(\d+)\s+(\w+)\s+cov: (\d+) ft: (\d+)(?: corp: (\d+)/(\S+))?")


def the_targets(programs):
    """Of all sources, so that a program that was not built is missed."""
    names = sorted(p.stem for p in HERE.glob("fuzz_*.c"))
    return names, {n: programs / n for n in names}


def read_log(path):
    """Coverage at the begin (with seeds and the kept corpus) and at the end, and libFuzzer's own figures."""
    row = {"cov_begin": None, "ft_begin": None, "cov": None, "ft": None}
    for line in path.read_text(errors="replace").splitlines():
        status = STATUS.match(line)
        if status is not None:
            if status[2] == "INITED":
                row["cov_begin"], row["ft_begin"] = int(status[3]), int(status[4])
            row["cov"], row["ft"] = int(status[3]), int(status[4])
            row["executions"] = int(status[1])
        figure = re.match(r"^stat::(\w+):\s+(\d+)", line)
        if figure is not None:
            row[{"number_of_executed_units": "executions", "average_exec_per_sec": "per_second", "peak_rss_mb": "rss_mb",
                 "slowest_unit_time_sec": "slowest_s"}.get(figure[1], figure[1])] = int(figure[2])
    return row


def run_one(name, program, options):
    """One target. The row of the table."""
    out = options.out
    corpus, finds, log = out / f"corpus-{name}", out / "finds", out / "logs" / f"{name}.txt"
    for folder in (corpus, finds, log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    row = {"target": name, "began": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%SZ"), "asked_s": options.seconds}
    if not program.exists():
        return row | {"finds": [], "failed": "was not built"}
    before = {p.name for p in finds.iterdir()}
    files = sum(1 for _ in corpus.iterdir())
    seeds = HERE / "seeds" / name
    words = HERE / f"{name}.dict"
    command = [str(program), f"-max_total_time={options.seconds}", f"-max_len={MAX_LEN.get(name, 16384)}", f"-timeout={TIMEOUT}",
               f"-rss_limit_mb={RSS_MB}", "-print_final_stats=1", "-reload=0", f"-artifact_prefix={finds}/{name}.", "-report_slow_units=5"]
    command += [f"-dict={words}"] if words.exists() else []
    command += [str(corpus)] + ([str(seeds)] if seeds.exists() else [])
    began = datetime.datetime.now()
    with open(log, "wb") as to:
        child = subprocess.Popen(command, stdout=to, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    row["seconds"] = round((datetime.datetime.now() - began).total_seconds())
    row["cpu_s"] = round(usage.ru_utime + usage.ru_stime)
    row |= read_log(log)
    new = sorted(n for n in {p.name for p in finds.iterdir()} - before if n.startswith(f"{name}."))
    row["finds"] = [n for n in new if n[len(name) + 1:].startswith(FINDS)]
    row["slow_units"] = len(new) - len(row["finds"])
    row["corpus_begin"], row["corpus"] = files, sum(1 for _ in corpus.iterdir())
    if child.returncode != 0 and not row["finds"]:
        row["failed"] = f"ended with {child.returncode}, see {log}"
    return row


def show(rows):
    """The table for people."""
    def pair(a, b):
        return f"{'-' if a is None else a} > {'-' if b is None else b}"
    head = ["target", "began (UTC)", "s", "CPU s", "executions", "/s", "cov", "features", "corpus", "slowest s", "MiB", "finds"]
    table = [head]
    for r in rows:
        finds = r.get("failed") or (", ".join(r["finds"]) if r["finds"] else "0") + (f" ({r['slow_units']} slow)" if r.get("slow_units") else "")
        table.append([r["target"], r["began"], str(r.get("seconds", "-")), str(r.get("cpu_s", "-")), f"{r.get('executions', 0):,}", f"{r.get('per_second', 0):,}",
                      pair(r.get("cov_begin"), r.get("cov")), pair(r.get("ft_begin"), r.get("ft")),
                      pair(r.get("corpus_begin"), r.get("corpus")), str(r.get("slowest_s", "-")), str(r.get("rss_mb", "-")), finds])
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in table]
    total = sum(r.get("executions", 0) for r in rows)
    bad = [r["target"] for r in rows if r["finds"] or r.get("failed")]
    seconds = sum(r.get("seconds", 0) for r in rows)
    lines += ["", f"{len(rows)} targets, {total:,} executions, {seconds:,} s; with finds: {', '.join(bad) if bad else 'none'}"]
    return "\n".join(lines) + "\n"


class Table:
    """The rows of all runs, on disk; another run may be at work on other targets."""

    def __init__(self, report):
        self.json, self.text, self.lock = report.with_suffix(".json"), report.with_suffix(".txt"), threading.Lock()
        report.parent.mkdir(parents=True, exist_ok=True)

    def put(self, row):
        with self.lock, open(self.json, "a+", encoding="utf-8") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.seek(0)
            rows = {r["target"]: r for r in json.loads(f.read() or "[]")}
            rows[row["target"]] = row
            ordered = [rows[k] for k in sorted(rows)]
            f.truncate(0)
            f.write(json.dumps(ordered, indent=1) + "\n")
            f.flush()
            self.text.write_text(show(ordered), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="where the fuzz_* programs are")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="for corpora, finds, logs and the table")
    parser.add_argument("--report", type=pathlib.Path, help="the table, without suffix (OUT/long)")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these targets, in this order")
    parser.add_argument("--without", nargs="+", metavar="NAME", default=[])
    options = parser.parse_args()
    names, places = the_targets(options.programs)
    wrong = [n for n in (options.only or []) + options.without if n not in names]
    if wrong:
        parser.error(f"no such target: {', '.join(wrong)}")
    todo = [n for n in (options.only or names) if n not in options.without]
    table = Table(options.report or options.out / "long")
    rows = []

    def work(name):
        row = run_one(name, places[name], options)
        table.put(row)
        print(show([row]).splitlines()[1], flush=True)
        rows.append(row)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for f in [pool.submit(work, n) for n in todo]:
            f.result()
    print(show(sorted(rows, key=lambda r: r["target"])), end="")
    return 1 if any(r["finds"] or r.get("failed") for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
