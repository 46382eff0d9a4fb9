#!/usr/bin/env python3
"""Golden cases: what odp-build says of small catalogues. See README.md for the layout of a case.

    run.py AREA…            runs the cases of these areas (or one case: AREA/CASE)
    run.py --update AREA…   writes what the program says now as what is expected: read the difference before committing
    run.py --text AREA/CASE…   writes expected.txt, too: for a case that is about what is said
    run.py --coverage       fails when a code of diagnostics.def has no case and no reason in exempt.json
"""
import argparse
import difflib
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import shapes
import workbook_edit
import workbooks

HERE = pathlib.Path(__file__).resolve().parent
CODES = HERE.parent.parent / "tools/lib/contract/diagnostics.def"
KEPT = ("code", "severity", "dataset", "resource", "file", "line", "column", "row", "field", "value", "proposal", "action", "lines", "rule", "count", "of", "at_least", "rows", "step")
REPORTING = {"check", "build", "sign"}  # commands whose standard output is free for --report json
FILING = {"apply", "init", "fix", "withdraw", "rollback", "approve", "versions", "verify", "bundle", "publish", "restore"}  # commands that say something on standard output: their report is a file
OWN = {"args", "expected.txt", "expected.json", "dataset.json", "shape.json", "catalog", "about.txt"}


def place_file(source, target):
    """Copies a case's file; NAME.escaped holds \\xNN escapes of bytes that an editor would spoil."""
    if source.suffix == ".escaped":
        text = source.read_text(encoding="utf-8")
        data = re.sub(rb"\\x([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8"))
        (target / source.stem).write_bytes(data)
    elif source.name.endswith(".xlsx.json"):
        workbooks.write(json.loads(source.read_text(encoding="utf-8")), target / source.stem)
    else:
        shutil.copyfile(source, target / source.name)


def place_folder(source, target):
    target.mkdir(parents=True, exist_ok=True)
    for item in sorted(source.iterdir()):
        if item.is_dir():
            place_folder(item, target / item.name)
        elif item.name == "shape.json":
            shapes.write(json.loads(item.read_text(encoding="utf-8")), target)
        else:
            place_file(item, target)


def make_catalogue(case, root):
    """The catalogue of a case under ROOT/catalog: common files, then catalog/ or the one dataset of the case."""
    catalogue = root / "catalog"
    place_folder(HERE / "_common", catalogue)
    if (case / "catalog").is_dir():
        place_folder(case / "catalog", catalogue)
    if (case / "dataset.json").exists():
        text = (case / "dataset.json").read_text(encoding="utf-8")
        name = re.search(r'"name"\s*:\s*"([^"]*)"', text)
        folder = catalogue / (name[1] if name and re.fullmatch(r"[a-z0-9-]+", name[1]) else "data")
        folder.mkdir(parents=True)
        shutil.copyfile(case / "dataset.json", folder / "dataset.json")
        if (case / "shape.json").exists():
            shapes.write(json.loads((case / "shape.json").read_text(encoding="utf-8")), folder)
        for item in sorted(case.iterdir()):
            if item.is_file() and item.name not in OWN and not item.name.startswith("report."):
                place_file(item, folder)
    for item in sorted(case.iterdir()):
        if item.is_dir() and item.name != "catalog":
            place_folder(item, root / item.name)


def file_step(root, words, held):
    """A step of args that begins with @: what happens to files between two runs. HELD keeps locked files open."""
    verb, paths = words[0], [root / w for w in words[1:]]
    if verb == "@copy":
        shutil.copyfile(paths[0], paths[1])
    elif verb == "@remove":
        shutil.rmtree(paths[0]) if paths[0].is_dir() else paths[0].unlink()
    elif verb == "@mkdir":
        paths[0].mkdir(parents=True)
    elif verb == "@append":
        os.chmod(paths[0].resolve(), 0o644)
        with open(paths[0], "a", encoding="utf-8") as f:
            f.write(words[2] + "\n")
    elif verb == "@repeat":
        with open(paths[0], "a", encoding="utf-8") as f:
            f.write(words[2] * int(words[3]))
    elif verb == "@link":  # TARGET as it stands in the link
        os.symlink(words[1], paths[1])
    elif verb == "@size":  # grows by a hole, which takes no room
        os.truncate(paths[0], int(words[2]))
    elif verb == "@lock":
        held.append(open(paths[0], "a", encoding="utf-8"))
        fcntl.flock(held[-1], fcntl.LOCK_EX)
    elif verb == "@edit":
        edit_workbook(paths[0], words[2], words[3:])
    elif verb == "@show":
        return show_workbook(paths[0], words)
    else:
        raise SystemExit(f"unknown step {verb}")
    return ""


def edit_workbook(path, what, words):
    book = workbook_edit.Workbook(path)
    if what == "cell":  # SHEET CELL VALUE [KIND]
        kind = words[3] if len(words) > 3 else "text"
        book.set(words[0], words[1], [words[2], words[4]] if kind == "formula" else words[2] or None, kind)
    elif what in ("rename", "merge"):  # OLD NEW; SHEET RANGE
        getattr(book, what)(words[0], words[1])
    elif what == "column":  # SHEET LETTER: goes
        book.remove_column(words[0], words[1])
    else:
        raise SystemExit(f"unknown edit {what}")
    book.save(path)


def show_workbook(path, words):
    """A sheet as text: a row a line, without what is empty; ids and digests are masked."""
    lines = []
    for number, row in sorted(workbook_edit.Workbook(path).rows(words[2]).items()):
        cells = [f"{column}: {text}" for column, text in row.items() if text]
        lines.append(f"{number:4} " + " | ".join(cells).replace("\n", "⏎"))
    text = "\n".join([f"$ {shlex.join(words)}", *lines, ""])
    text = re.sub(r"\b\d+\.\d+\.\d+\b", "…", text)  # the program's version
    return re.sub(r"\b(r\d+\.[dx]*\.)[\w~-]+\.[\w~-]+|\b[0-9a-f]{64}\b", lambda m: (m[1] or "") + "…", text)


def run_step(program, root, words):
    """Runs one command; returns its text for expected.txt, its exit code and its json report or None."""
    reports = words[0] in REPORTING
    command = [program, *words, "--no-color", "--no-progress"]
    if "--lang" not in words:
        command += ["--lang", "id"]
    if reports:
        command += ["--report", "json"]
    report = root.parent / f"{root.name}.report"
    if words[0] in FILING:
        command += ["--report", f"json={report}"]
    environment = dict(os.environ, ODP_NO_TIMES="1", LC_ALL="C.UTF-8")
    done = subprocess.run(command, capture_output=True, cwd=root, env=environment, timeout=120)
    out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    text = f"$ odp-build {shlex.join(words)}\n" + ("" if reports else out) + err + f"exit {done.returncode}\n"
    if report.exists():  # not where the command line was wrong
        out = report.read_text(encoding="utf-8")
        report.unlink()
        return text, done.returncode, json.loads(out)
    return text, done.returncode, json.loads(out) if reports and out else None


def without_sizes(text):
    """A build's digest, number of files and bytes change with every emitter: other tests look at them."""
    text = re.sub(r"(\.builds/)[0-9a-f]{12,}", r"\1…", text)
    text = re.sub(r"\d+ (berkas dihapus|files removed)", r"… \1", text)
    return re.sub(r"\d[\d.,]* (berkas|files), [\d.,]+ (bita|bytes?|[kK]B|MB|GB)", r"… \1, …", text)


def report_text(path, version):
    """A report as it is kept: without the program's version, a page without its style and script, which other tests look at.
    Of report.findings.html only the findings."""
    text = path.read_text(encoding="utf-8").replace(version, "…")
    if path.suffix != ".html":
        return text
    text = re.sub(r"<(style|script)>.*?</\1>", r"<\1>…</\1>", text, flags=re.S)
    text = re.sub(r"'sha256-[^']*'", "'sha256-…'", text)
    return "\n".join(re.findall(r"<article.*?</article>", text, re.S)) + "\n" if path.stem.endswith(".findings") else text


def version_of(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[-1]


def golden_of(runs, report):
    """expected.json: what each command ended with, and the diagnostics of the last report, a line each."""
    lines = [json.dumps({k: d[k] for k in KEPT if d.get(k) is not None}, ensure_ascii=False) for d in (report or {}).get("diagnostics", [])]
    return ('{"runs": [' + ",".join("\n  " + json.dumps(r, ensure_ascii=False) for r in runs) + '],\n "diagnostics": [' +
            ",".join("\n  " + line for line in lines) + "]}\n")


def run_case(program, case):
    """Returns what expected.txt and expected.json should hold, and the reports that were written into files named report.*."""
    args = (case / "args").read_text(encoding="utf-8") if (case / "args").exists() else "check"
    text, runs, report, held = [], [], None, []
    with tempfile.TemporaryDirectory(prefix="odp-case-") as folder:
        root = pathlib.Path(folder)
        make_catalogue(case, root)
        for line in args.splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0].startswith("@"):
                text.append(file_step(root, words, held))
                continue
            said, code, now = run_step(program, root, words)
            text.append(without_sizes(said))
            runs.append({"command": words[0], "exit": code, **({"counts": now["counts"]} if now else {})})
            report = now or report
            unsaid = [d["code"] for d in (now or {}).get("diagnostics", []) if not d.get("message") or re.search(r"(?:^|[\s“(])\{\d\}", d["message"])]
            if unsaid:  # words are looked at where a case is about them; that there are some, everywhere
                raise OSError(f"nothing is said of {sorted(set(unsaid))}")
        for file in held:
            file.close()
        reports = {p.name: report_text(p, version_of(program)) for p in sorted(root.glob("report.*"))}
        for path in root.rglob("*"):  # sites are read-only
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
    return "".join(text), golden_of(runs, report), reports


def compare(case, name, got, update):
    """True when the golden file NAME holds GOT."""
    path = case / name
    want = path.read_text(encoding="utf-8") if path.exists() else None
    if want == got:
        return True
    if update:
        path.unlink() if got is None else path.write_text(got, encoding="utf-8")
        print(f"updated {path.relative_to(HERE)}")
        return True
    difference = difflib.unified_diff((want or "").splitlines(), (got or "").splitlines(), f"expected {name}", f"found {name}", lineterm="")
    print(f"FAILED {case.relative_to(HERE)}\n" + "\n".join(difference) + f"\nalone: python3 tests/cases/run.py --program build/bin/odp-build {case.relative_to(HERE)}\n")
    return False


def find_cases(names):
    if not names:
        names = sorted(p.name for p in HERE.iterdir() if p.is_dir() and p.name[0] not in "_.")
    for name in names:
        folder = HERE / name
        if not folder.is_dir():
            raise SystemExit(f"there are no cases {name}")
        if "/" in name.strip("/"):
            yield folder
        else:
            yield from sorted(p for p in folder.iterdir() if p.is_dir() and p.name[0] not in "_.")


def run_cases(options):
    bad = count = 0
    for case in find_cases(options.names):
        count += 1
        try:
            text, golden, reports = run_case(options.program, case)
        except (OSError, UnicodeDecodeError, json.JSONDecodeError, subprocess.TimeoutExpired) as error:
            print(f"FAILED {case.relative_to(HERE)}: {error}")
            bad += 1
            continue
        good = compare(case, "expected.json", golden, options.update)
        if (case / "expected.txt").exists() or options.text:
            good = compare(case, "expected.txt", text, options.update or options.text) and good
        for name in sorted({*reports, *(p.name for p in case.glob("report.*"))}):
            good = compare(case, name, reports.get(name), options.update) and good
        bad += not good
    print(f"{count} cases, {bad} failed")
    return 1 if bad or count == 0 else 0


def coverage():
    """Every code has a case, or a reason in exempt.json why it has none."""
    codes = set(re.findall(r'^ODP_CODE\(\w+, "([^"]+)"', CODES.read_text(encoding="utf-8"), re.M))
    exempt = json.loads((HERE / "exempt.json").read_text(encoding="utf-8"))
    seen = set()
    for golden in HERE.glob("*/*/expected.json"):
        for run in json.loads(golden.read_text(encoding="utf-8"))["runs"]:
            seen.update(run.get("counts", {}))
    missing = sorted(codes - seen - set(exempt))
    stale = sorted((set(exempt) & seen) | (set(exempt) - codes) | (seen - codes))
    for code in missing:
        print(f"{code}: no case produces it")
    for code in stale:
        print(f"{code}: in exempt.json, but it has a case or is no code")
    print(f"{len(codes)} codes, {len(codes & seen)} with cases, {len(exempt)} exempt, {len(missing)} missing")
    return 1 if missing or stale else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("ODP_BUILD", "odp-build"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.coverage:
        return coverage()
    if shutil.which(options.program) is None:
        print(f"there is no program {options.program}: set ODP_BUILD, or --program")
        return 2
    options.program = os.path.abspath(shutil.which(options.program))
    return run_cases(options)


if __name__ == "__main__":
    sys.exit(main())
