"""W3C's CSV on the Web tests, where they say something about validation and parsing that dataset.json has words for too: every entry of both manifests.

The files are inputs of our own, made from the rules that the entries are about (csvw_cases.py), laid out as the suite is; where the suite itself lies in
the shared data (csvw/manifest-validation.jsonld) its files are read in the same way, by the same tables. An entry applies, then odp-build is asked and its
verdict is the suite's or stands in DIFFER with a reason; or it stands in OUT, then the converter must refuse it for just that reason. CSVW.md is the table
of all that, made by:  ODP_BUILD=… ODP_SOURCE=… python3 tests/e2e/suite_csvw.py --update"""
import collections
import json
import pathlib
import shutil
import sys
import unittest

import csvw_cases
import csvwlib
import odp

TABLE = pathlib.Path(__file__).resolve().parent / "CSVW.md"
SUITE = "csvw"
VERDICTS = {"P": "accepted", "W": "accepted with a warning", "N": "refused", "J": "parsed"}
TYPES = {"P": "csvt:PositiveValidationTest", "W": "csvt:WarningValidationTest", "N": "csvt:NegativeValidationTest", "J": "csvt:ToJsonTest"}


class Entry:
    def __init__(self, line):
        self.id, self.verdict, self.name = line.split(" ", 2)
        self.out = next((reason for reason, ids in csvw_cases.OUT.items() if self.id in ids.split()), None)
        self.differ = next((reason for reason, (_, _, ids) in csvw_cases.DIFFER.items() if self.id in ids.split()), None)


ENTRIES = {entry.id: entry for entry in map(Entry, csvw_cases.MANIFEST.split("\n")[1:-1])}


class Test:
    """An entry of a manifest as the suite writes it, with the folder that its addresses are relative to."""

    def __init__(self, folder, described):
        self.folder, self.described = folder, described
        self.id = described["id"].rsplit("#test", 1)[1]
        option, action = described.get("option", {}), described["action"]
        self.metadata = option.get("metadata") or (action if action.endswith(".json") else None)
        self.base = (folder / action).parent

    def read(self, url):
        return (self.base / url).read_bytes().decode("utf-8-sig")

    def alone(self):
        """Metadata for a file that comes without any."""
        beside = [name for name in self.described.get("implicit", []) if name.endswith(".json")]
        csvwlib.refuse(beside or "httpLink" in self.described, "LOCATE")
        absent = "header=absent" in self.described.get("contentType", "")
        return {"url": pathlib.PurePosixPath(self.described["action"]).name, **({"dialect": {"header": False}} if absent else {})}

    def package(self):
        """The dataset.json's text; Unmapped where there is none for it."""
        if self.metadata is None:
            return json.dumps(csvwlib.convert(self.alone(), self.read), indent=1)
        text = (self.folder / self.metadata).read_text(encoding="utf-8")
        try:
            metadata = json.loads(text)
        except ValueError:
            return text
        if self.metadata != self.described["action"]:  # the file is the action's, whatever the metadata call it
            metadata["url"] = pathlib.PurePosixPath(self.described["action"]).name
        return json.dumps(csvwlib.convert(metadata, self.read), indent=1)


def lay_out(folder):
    """CASES as a suite in FOLDER: two manifests and the files of each entry."""
    manifests = {"validation": [], "nonnorm": []}
    for number, case in csvw_cases.CASES.items():
        base = folder / f"test{number}"
        base.mkdir(parents=True)
        for name, text in case.files.items():
            (base / name).write_text(text, encoding="utf-8", newline="")
        action = f"test{number}/t.csv"
        if case.metadata is not None:
            action = f"test{number}/metadata.json"
            text = case.metadata if isinstance(case.metadata, str) else json.dumps(case.metadata)
            (folder / action).write_text(text, encoding="utf-8")
        kind = "nonnorm" if ENTRIES[number].verdict == "J" else "validation"
        manifests[kind].append({"id": f"manifest-{kind}#test{number}", "type": TYPES[ENTRIES[number].verdict], "name": ENTRIES[number].name, "action": action, **case.entry})
    for kind, entries in manifests.items():
        (folder / f"manifest-{kind}.jsonld").write_text(json.dumps({"entries": entries}))
    return folder


def tests_of(folder):
    for kind in ("validation", "nonnorm"):
        for described in json.loads((folder / f"manifest-{kind}.jsonld").read_text(encoding="utf-8"))["entries"]:
            yield Test(folder, described)


def table():
    """CSVW.md: what became of every entry."""
    applied = [e for e in ENTRIES.values() if e.out is None]
    lines = ["# CSV on the Web: which of W3C's tests apply, and what came of them", "",
             "Made by `tests/e2e/suite_csvw.py --update` and checked by every run of it; do not edit. Numbers are those of the suite's manifest-validation and",
             "manifest-nonnorm (the entries of manifest-json and manifest-rdf have the same files and compare CSVW's own output formats, which odp-build does not write).",
             "The inputs are our own, made from each entry's rule (csvw_cases.py): the suite's files are not part of the project.", "",
             f"{len(ENTRIES)} entries: {len(applied)} apply, {len(ENTRIES) - len(applied)} do not. Of those that apply "
             f"{sum(e.differ is None for e in applied)} agree, {sum(e.differ is not None for e in applied)} differ for a reason.", "", "## Differ", ""]
    for reason, (text, ours, _) in csvw_cases.DIFFER.items():
        found = [e for e in applied if e.differ == reason]
        lines += [f"**{reason}** ({len(found)}; here {VERDICTS[ours]}): {text}.", ""]
        lines += ["| test | the suite | subject |", "|---|---|---|", *(f"| {e.id} | {VERDICTS[e.verdict]} | {e.name} |" for e in found), ""]
    lines += ["## Do not apply", ""]
    for reason, text in csvwlib.REASONS.items():
        found = [e for e in ENTRIES.values() if e.out == reason]
        parts = [number for number, why in csvw_cases.PARTS.items() if why == reason]
        lines += [f"**{reason}** ({len(found)}): {text}.", *([f"Parts of {', '.join(parts)} too."] if parts else []), ""]
        lines += ["| test | subject |", "|---|---|", *(f"| {e.id} | {e.name} |" for e in found), ""] if found else []
    lines += ["## Agree", "", "| test | verdict | subject |", "|---|---|---|", *(f"| {e.id} | {VERDICTS[e.verdict]} | {e.name} |" for e in applied if e.differ is None)]
    return "\n".join(lines) + "\n"


class CsvOnTheWeb(odp.Case):
    def verdict(self, test, text):
        """(P, W or N, the codes of errors and warnings) for a dataset of TEXT."""
        catalog = self.dir / "catalog"
        if catalog.exists():
            shutil.rmtree(catalog)
        self.catalogue(references=False)
        shutil.copytree(test.base, catalog / "t", ignore=shutil.ignore_patterns("*.json", "*.jsonld", "*.ttl", "*.html"))
        (catalog / "t" / "dataset.json").write_text(text, encoding="utf-8")
        diagnostics = self.report("check", "--today", "2024-03-21", expect=None)["diagnostics"]
        found = {severity: sorted({d["code"] for d in diagnostics if d["severity"] == severity}) for severity in ("error", "warning")}
        return "N" if found["error"] else "W" if found["warning"] else "P", found

    def rows(self):
        out = self.dir / "export"
        shutil.rmtree(out, ignore_errors=True)
        self.odp("export", "t", "--format", "json", "--out", out, "--today", "2024-03-21", "--quiet")
        (path,) = out.rglob("*.json")
        return [list(record.values()) for record in json.loads(path.read_text())["data"]]

    def judge(self, test, own):
        """Asserts what the tables say of TEST; OWN: it is a case of ours. Returns what is counted."""
        entry = ENTRIES[test.id]
        try:
            text = test.package()
        except csvwlib.Unmapped as unmapped:
            expected = entry.out if own else entry.out or csvw_cases.PARTS.get(test.id)
            self.assertEqual(unmapped.reason, expected, unmapped)
            return "build"
        self.assertIsNone(entry.out, f"does not apply, it is said, but is a dataset.json:\n{text}")
        got, found = self.verdict(test, text)
        wanted = csvw_cases.DIFFER[entry.differ][1] if entry.differ else "P" if entry.verdict == "J" else entry.verdict
        said = f"the suite says {VERDICTS[entry.verdict]}\n{found}\n{text}"
        if entry.differ:
            self.assertNotEqual(wanted, entry.verdict, "differs, it is said, but is the same")
        self.assertEqual(got == "N", wanted == "N", said)
        self.assertTrue(wanted != "W" or got == "W", said)
        if own and csvw_cases.CASES[test.id].rows is not None:
            self.assertEqual(self.rows(), csvw_cases.CASES[test.id].rows)
        return "differ" if entry.differ else "agree"

    def run_suite(self, folder, own):
        count, seen = collections.Counter(), set()
        for test in tests_of(folder):
            with self.subTest(test.id):
                self.assertIn(test.id, ENTRIES, "an entry that stands in no table")
                count[self.judge(test, own)] += 1
                seen.add(test.id)
        print(f"\n{len(ENTRIES)} entries: {dict(count)}")
        return seen

    def test_cases(self):
        """Each entry that applies has a case; so has each reason not to apply, and it is refused for that."""
        seen = self.run_suite(lay_out(self.dir / "suite"), True)
        self.assertEqual({e.id for e in ENTRIES.values() if e.out is None} - seen, set(), "entries that apply, without a case")
        refused = {ENTRIES[number].out for number in seen} - {None}
        self.assertEqual(refused, set(csvw_cases.OUT), "reasons without a case")

    def test_suite(self):
        folder = self.needs(f"{SUITE}/manifest-validation.jsonld").parent
        self.assertEqual(self.run_suite(folder, False), set(ENTRIES))

    def test_tables(self):
        """No number in two tables, none that the manifest has not; the parses have rows to compare; CSVW.md is what the tables say."""
        out = [number for ids in csvw_cases.OUT.values() for number in ids.split()]
        differ = [number for _, _, ids in csvw_cases.DIFFER.values() for number in ids.split()]
        self.assertEqual([n for n, times in collections.Counter(out + differ).items() if times > 1], [])
        self.assertLessEqual({*out, *differ, *csvw_cases.PARTS, *csvw_cases.CASES}, set(ENTRIES))
        self.assertLessEqual(set(csvw_cases.OUT) | set(csvw_cases.PARTS.values()), set(csvwlib.REASONS))
        self.assertEqual(set(csvwlib.REASONS) - set(csvw_cases.OUT) - set(csvw_cases.PARTS.values()), set(), "reasons that no entry needs")
        self.assertEqual([e.id for e in ENTRIES.values() if e.verdict == "J" and e.out is None and csvw_cases.CASES[e.id].rows is None], [])
        self.assertEqual(TABLE.read_text(encoding="utf-8"), table(), "run it with --update")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        TABLE.write_text(table(), encoding="utf-8")
    else:
        unittest.main()
