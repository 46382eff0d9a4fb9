#!/usr/bin/env python3
"""The unit tests, the fuzzers' seeds and chosen end-to-end tests with every program of ours under valgrind: a read or write of memory that is not ours,
a decision on a value that was never set, or memory that nothing points to any more is a failure.

    cmake --build --preset default --target memcheck
    python3 tools/memcheck.py [--build DIR] [--jobs N] [--only REGEX] [--suppressions]

DIR is a build without sanitizers that has tests. --only: tests whose names match. --suppressions writes what valgrind would want in tests/valgrind.supp
for what it finds: a line there is of a library's own, with the reason beside it. Exit code 1 where anything is found or a test fails."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUPPRESSIONS = ROOT / "tests/valgrind.supp"
PATIENCE = 3600  # seconds for a test
FOUND = 99  # valgrind's exit code for a finding
# Their subject is the machine: the processor's forms, threads without end; and patterns that PCRE2 compiles read whole vectors, beyond a text's end.
LEFT_OUT = re.compile("^(test_base_lanes|test_gateway_sync_threads)$")
# End-to-end tests (file, what of it) that between them go through reading, checking, all formats, pages, differences, publishing, correcting and verifying.
END_TO_END = [("rare_catalogue", []), ("rare_proposals", []), ("cross_rules", ["CrossRules"]), ("drifting", []), ("limits", []), ("slices", [])]


def listed(build):
    """{name: test} of what ctest would run."""
    done = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return {test["name"]: test for test in json.loads(done.stdout)["tests"] if test.get("command")}


def environment(test):
    for one in test.get("properties", []):
        if one["name"] == "ENVIRONMENT":
            return dict(pair.split("=", 1) for pair in one["value"])
    return {}


def chosen(build, only):
    """(name, command, environment, whether the command itself runs under valgrind) of each test."""
    tests = listed(build)
    for name, test in sorted(tests.items()):
        if (name.startswith("test_") or re.match("fuzz_.*_seeds$", name)) and not LEFT_OUT.match(name):
            yield name, test["command"], environment(test), True
    for name, parts in END_TO_END:
        if f"e2e_{name}" in tests:
            test = tests[f"e2e_{name}"]
            yield f"e2e_{name}", [*test["command"], *parts], environment(test), False


def valgrind(folder, options):
    more = ["--gen-suppressions=all"] if options.suppressions else []
    return ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite", "--num-callers=40",
            "--fair-sched=try", f"--error-exitcode={FOUND}", f"--suppressions={SUPPRESSIONS}", f"--log-file={folder}/log-%p", *more]


def look(test, options):
    """What was found, as text; '' for nothing."""
    name, command, variables, itself = test
    with tempfile.TemporaryDirectory(prefix="odp-memcheck-") as folder:
        os.chmod(folder, 0o711)
        prefix = valgrind(folder, options)
        if itself:
            command = [*prefix, *command]
        else:
            wrapper = pathlib.Path(folder) / "odp-build"
            wrapper.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in prefix) + f" '{variables['ODP_BUILD']}' \"$@\"\n")
            wrapper.chmod(0o755)
            variables = dict(variables, ODP_BUILD=str(wrapper))
        try:
            done = subprocess.run(command, env=dict(os.environ, **variables), cwd=options.build, capture_output=True, text=True, errors="replace",
                                  timeout=PATIENCE)
            trouble = "" if done.returncode in (0, FOUND) else f"the test ended with {done.returncode}\n{(done.stdout + done.stderr)[-6000:]}\n"
        except subprocess.TimeoutExpired:
            trouble = f"not done within {PATIENCE} seconds\n"
        said = "".join(log.read_text(errors="replace") for log in sorted(pathlib.Path(folder).glob("log-*")))
        return trouble + said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", metavar="REGEX", default="")
    parser.add_argument("--suppressions", action="store_true")
    options = parser.parse_args()
    options.build = options.build.resolve()
    if shutil.which("valgrind") is None:
        print("memcheck: valgrind is not installed. On Debian: apt-get install valgrind", file=sys.stderr)
        return 2
    tests = [test for test in chosen(options.build, options.only) if re.search(options.only, test[0])]
    if not tests:
        print(f"memcheck: {options.build} has no such tests. Make it: cmake --preset default && cmake --build --preset default", file=sys.stderr)
        return 2
    bad = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, said in zip(tests, pool.map(lambda test: look(test, options), tests)):
            print(f"{'FOUND' if said else 'clean':5} {test[0]}", flush=True)
            if said:
                bad.append(test[0])
                print(said, flush=True)
    print(f"{len(tests)} tests under valgrind, {len(tests) - len(bad)} clean" + (f", not clean: {' '.join(bad)}" if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
