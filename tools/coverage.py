#!/usr/bin/env python3
"""How much of tools/ the tests reach, by gcov's counters and gcovr: a table by folder, the files that are reached least, and the same as JSON.

    cmake --build --preset coverage --target coverage
    python3 tools/coverage.py [--build DIR] [--run] [--tests REGEX] [--keep] [--json FILE] [--floor PERCENT] [--jobs N] [--lines PATH…]

DIR is a folder configured with the preset `coverage` (build/coverage). --run sets the counters to zero and runs the tests of CI, but those that only need
Chromium or Node and never this build's C code (LEFT_OUT); --tests only those whose names match; --keep adds to what the counters have. Without --run the
counters are read as they are. --lines says which lines of these files were never reached. Exit code 1 where fewer than PERCENT (90) of lines of tools/lib,
of tools/odp-build or of tools/odp-gateway/core were reached.

What is under-reported: a process that is killed keeps its counts to itself (so the last moments before each kill of the crash tests are missing); children that
end by _exit write theirs (tools/cmake/coverage_exit.c), and so does the module inside of nginx's workers, which end by exit. Workers and services that run as
another user write into files that are made writable for all before the run."""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# They look at what a browser or a language's package makes of files that other tests have had built, or want a build as it is installed.
LEFT_OUT = "|".join(["portal_browser", "portal_quality", "portal_js", "portal_lighthouse", "clients_install", "clients_types", "clients_packages",
                     "clients_php", "e2e_hardening", "e2e_package$", "e2e_modules", "lint_finds", "rare_quality", "e2e_layering", "ci_recipes",
                     "bill_of_materials", "security_policy", "bench", "workbook_libreoffice", "e2e_gateway_memory", "e2e_gateway_slow"])
MUST = ("tools/lib", "tools/odp-build", "tools/odp-gateway/core")  # where the floor holds
FILE_FLOOR = 80  # files below it are listed


def clear(build):
    for path in build.rglob("*.gcda"):
        path.unlink()


def let_all_write(build):
    """A counter file for each compiled file, empty: whoever runs the program may write into it."""
    for notes in build.rglob("*.gcno"):
        counts = notes.with_suffix(".gcda")
        counts.touch()
        try:
            counts.chmod(0o666)
        except PermissionError:
            pass  # somebody else's, of an earlier run


def run_tests(options):
    """Names of the tests that failed."""
    if not options.keep:
        clear(options.build)
    let_all_write(options.build)
    command = ["ctest", "--test-dir", str(options.build), "-L", "quick|full", "-E", LEFT_OUT, "-j", str(options.jobs), "--timeout", "3000"]
    if options.tests:
        command += ["-R", options.tests]
    failed = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as tests:
        for line in tests.stdout:
            print(line, end="", flush=True)
            failed += re.findall(r"Test\s+#\d+: (\S+) .*(?:\*\*\*|Not Run)", line) if "***Skipped" not in line else []
    return sorted(set(failed))


def measure(options):
    """{path: (lines, lines reached, branches, branches taken, lines not reached)} of each file with code in it."""
    for path in options.build.rglob("*.gcda"):
        if path.stat().st_size == 0:
            path.unlink()
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = ["gcovr", "--root", str(ROOT), "--filter", "tools/", "--exclude", "tools/cmake/", "--gcov-ignore-parse-errors",
                   "-j", str(options.jobs), "--json", out.name, str(options.build)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"coverage: gcovr failed: {done.stderr.strip()[-2000:]}")
        told = json.load(open(out.name, encoding="utf-8"))
    files = {}
    for file in told["files"]:
        lines = {}
        for line in file["lines"]:
            if line.get("gcovr/noncode") or line.get("gcovr/excluded"):
                continue
            count, branches = lines.get(line["line_number"], (0, []))
            lines[line["line_number"]] = (count + line["count"], branches + [b["count"] for b in line["branches"]])
        missed = sorted(n for n, (count, _) in lines.items() if count == 0)
        branches = [b for _, of_line in lines.values() for b in of_line]
        if lines:
            files[file["file"]] = (len(lines), len(lines) - len(missed), len(branches), sum(b > 0 for b in branches), missed)
    return files


def add(rows):
    return tuple(sum(row[i] for row in rows) for i in range(4))


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def folder_of(path):
    """tools/odp-build/write/csv.c -> tools/odp-build/write."""
    return str(pathlib.PurePosixPath(path).parent)


def below(files, folder):
    return [row for path, row in files.items() if path.startswith(folder + "/")]


def as_dict(row):
    lines, reached, branches, taken = row[:4]
    return {"lines": lines, "lines_reached": reached, "lines_percent": round(percent(reached, lines), 2), "branches": branches, "branches_taken": taken,
            "branches_percent": round(percent(taken, branches), 2)}


def show(name, row):
    lines, reached, branches, taken = row[:4]
    print(f"{name:44} {reached:6} of {lines:6} {percent(reached, lines):6.1f} %   {taken:6} of {branches:6} {percent(taken, branches):6.1f} %")


def in_words(numbers):
    """1-3, 7, 9-12"""
    runs = []
    for n in numbers:
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def report(options, files, failed):
    folders = collections.defaultdict(list)
    for path, row in files.items():
        folders[folder_of(path)].append(row)
    print(f"{'':44} {'lines':>25} {'branches':>27}")
    for folder in sorted(folders):
        show(folder, add(folders[folder]))
    totals = {name: add(below(files, name)) for name in (*MUST, "tools/odp-gateway", "tools/odp-build", "tools")}
    print()
    for name, row in totals.items():
        show(f"all of {name}/", row)
    show("all", add(files.values()))
    low = sorted((percent(row[1], row[0]), path) for path, row in files.items() if percent(row[1], row[0]) < FILE_FLOOR)
    if low:
        print(f"\nfiles below {FILE_FLOOR} % of lines:")
        for share, path in low:
            print(f"{share:6.1f} %  {files[path][0] - files[path][1]:4} of {files[path][0]:4} not reached  {path}")
    for path in options.lines:
        for name in sorted(name for name in files if name == path or name.startswith(path.rstrip("/") + "/")):
            if files[name][4]:
                print(f"{name}: {in_words(files[name][4])}")
    if failed:
        print(f"\n{len(failed)} tests failed in this build, so what they reach may be missing: {' '.join(failed)}")
    said = {"folders": {folder: as_dict(add(rows)) for folder, rows in sorted(folders.items())},
            "totals": {name: as_dict(row) for name, row in totals.items()},
            "files": {path: dict(as_dict(row), lines_not_reached=row[4]) for path, row in sorted(files.items())},
            "tests_failed": failed, "tests_left_out": LEFT_OUT}
    options.json.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten: {options.json}")
    missed = [name for name in MUST if percent(totals[name][1], totals[name][0]) < options.floor]
    for name in missed:
        print(f"coverage: {name}/ is below {options.floor:g} % of lines", file=sys.stderr)
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/coverage")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--tests", metavar="REGEX")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--floor", type=float, default=90)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--lines", nargs="*", default=[])
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.json = options.json or options.build / "coverage.json"
    if shutil.which("gcovr") is None:
        print("coverage: gcovr is not installed. On Debian: apt-get install gcovr", file=sys.stderr)
        return 2
    if not any(options.build.rglob("*.gcno")):
        print(f"coverage: {options.build} is no build with counters. Make one: cmake --preset coverage && cmake --build --preset coverage", file=sys.stderr)
        return 2
    failed = run_tests(options) if options.run else []
    return report(options, measure(options), failed)


if __name__ == "__main__":
    sys.exit(main())
