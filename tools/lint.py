#!/usr/bin/env python3
"""Static analysis of tools/ by gcc -fanalyzer, cppcheck and clang-tidy: whatever they find is mended, or stands in tools/lint-exceptions.txt with a
reason. Exit code 1 for a finding that stands nowhere, and (over all files) for an exception that nothing needs any more.

    python3 tools/lint.py --build DIR [--jobs N] [--tool NAME]… [--deep] [--update] [PATH…]

DIR is a folder that CMake configured (compile_commands.json). A tool that is not installed is left out with a line that says so. --deep: clang's path analyzer
too, which takes hours. --update appends what is new to the exceptions with the reason TODO, which the next run refuses: argue it or mend it. PATH: only files below these."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "tools/lint-exceptions.txt"
PATIENCE = 600  # seconds for a file
# Of cppcheck's, what is no fault of a file: it does not know a macro, or gives up on an expression.
CPPCHECK_ITSELF = {"internalAstError", "unknownMacro", "normalCheckLevelMaxBranches", "checkersReport", "noValidConfiguration"}
CPPCHECK = ["cppcheck", "--quiet", "--enable=warning,performance,portability", "--library=posix", "--library=gnu", "--suppress=missingIncludeSystem", "--suppress=varFuncNullUB", "--max-configs=2",
            "--template={file}:{line}: {id}: {message}"]


given_up = set()  # files that cppcheck does not understand the whole of; the others do


class Finding(collections.namedtuple("Finding", "tool check file line text message")):
    """TEXT is the source line, without space around: it says which finding this is when lines move."""

    def key(self):
        return f"{self.tool}:{self.check} | {self.file} | {self.text}"


def source_line(path, number):
    lines = (ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def inside(path):
    """PATH relative to the tree, where it is source of ours."""
    try:
        relative = pathlib.Path(os.path.realpath(path)).relative_to(ROOT)
    except ValueError:
        return None
    return relative.as_posix() if relative.parts[0] == "tools" else None


def finding(tool, check, path, line, message):
    file = inside(path)
    return None if file is None else Finding(tool, check, file, int(line), source_line(file, int(line)), message)


def run(command, folder):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=folder, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout + done.stderr


def gcc(unit, options):
    command = shlex.split(unit["command"])[1:]
    kept = [word for i, word in enumerate(command) if word not in ("-o", "-O3", "-O2", "-O0", "-D_FORTIFY_SOURCE=3") and command[i - 1] != "-o" and not word.startswith("-W")]
    text = run(["gcc", *kept, "-O1", "-o", os.devnull, "-fanalyzer", "-fdiagnostics-plain-output"], unit["directory"])
    found = re.findall(r"^(\S+?):(\d+):\d+: warning: (.*?) (?:\[CWE-\d+\] )?\[-W(analyzer-[a-z-]+)\]$", text or "", re.M)
    return None if text is None else [finding("gcc", check, os.path.join(unit["directory"], path), line, message) for path, line, message, check in found]


def clang_tidy(unit, options):
    text = run(["clang-tidy", "--quiet", "-p", str(options.build), *([] if options.deep else ["--checks=-clang-analyzer-*"]), unit["file"]], unit["directory"])
    found = re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*) \[([A-Za-z0-9.,-]+)\]$", text or "", re.M)
    return None if text is None else [finding("clang-tidy", check, path, line, message) for path, line, message, check in found]


def cppcheck(unit, options):
    flags = [word for word in shlex.split(unit["command"]) if word.startswith(("-I", "-D")) and word != "-D_FORTIFY_SOURCE=3"]
    text = run([*CPPCHECK, *flags, unit["file"]], unit["directory"])
    found = re.findall(r"^(\S+?):(\d+): (\w+): (.*)$", text or "", re.M)
    given_up.update(path for path, _, check, _ in found if check in CPPCHECK_ITSELF)
    return None if text is None else [finding("cppcheck", check, path, line, message) for path, line, check, message in found if check not in CPPCHECK_ITSELF]


TOOLS = {"gcc": gcc, "cppcheck": cppcheck, "clang-tidy": clang_tidy}


def units(options):
    """What is compiled of our own source, each file once."""
    seen = {}
    for unit in json.loads((options.build / "compile_commands.json").read_text()):
        path = inside(unit["file"])
        if path is not None and (not options.paths or any((path + "/").startswith(p.rstrip("/") + "/") for p in options.paths)):
            seen.setdefault(path, unit)
    return [seen[path] for path in sorted(seen)]


def analyze(options):
    """(findings, sentences about what could not be looked at)."""
    found, trouble, jobs = {}, [], []
    for name in options.tool or TOOLS:
        if shutil.which(name) is None:
            trouble.append(f"{name} is not installed and was left out. On Debian: apt-get install {name}")
        else:
            jobs += [(name, unit) for unit in units(options)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, unit), result in zip(jobs, pool.map(lambda job: TOOLS[job[0]](job[1], options), jobs)):
            if result is None:
                trouble.append(f"{name} did not finish {inside(unit['file'])} within {PATIENCE} seconds")
            for one in filter(None, result or []):
                found[one.key()] = one  # a header's finding is told by each file that includes it
    return found, trouble, jobs


def exceptions():
    """{key: reason}."""
    lines = EXCEPTIONS.read_text(encoding="utf-8").splitlines() if EXCEPTIONS.exists() else []
    return dict(line.rsplit(" || ", 1) for line in lines if line and not line.startswith("#"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tool", action="append", choices=list(TOOLS))
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    options.build = options.build.resolve()
    if not (options.build / "compile_commands.json").is_file():
        print(f"lint: {options.build} has no compile_commands.json. Configure first: cmake --preset default", file=sys.stderr)
        return 2
    found, trouble, jobs = analyze(options)
    known = exceptions()
    unargued = [key for key in found if known.get(key, "TODO") == "TODO"]
    whole = not options.paths and not trouble and not options.tool
    stale = [key for key in known if key not in found] if whole else []
    for sentence in trouble:
        print(f"lint: {sentence}")
    for key in unargued:
        one = found[key]
        print(f"{one.file}:{one.line}: {one.tool} {one.check}: {one.message}\n    {one.text}")
    for key in stale:
        print(f"lint: this exception is not needed any more, take it out of {EXCEPTIONS.relative_to(ROOT)}: {key}")
    for path in sorted(given_up):
        print(f"lint: cppcheck gave up on a part of {inside(path)}")
    counts = collections.Counter(f"{one.tool} {one.check}" for one in found.values())
    for check, n in sorted(counts.items()):
        print(f"{n:5} {check}")
    print(f"{len(jobs)} looks at {len({unit['file'] for _, unit in jobs})} files: {len(found)} findings, {len(found) - len(unargued)} argued, {len(unargued)} new, {len(stale)} stale exceptions")
    if options.update:
        with open(EXCEPTIONS, "a", encoding="utf-8") as f:
            f.writelines(f"{key} || TODO\n" for key in unargued if key not in known)
    return 1 if unargued or stale else 0


if __name__ == "__main__":
    sys.exit(main())
