"""DuckDB's CSV files: every one is read; what Python's strict csv module reads as a table is published exactly so, and of what it
does not, something is reported. Faults of the rejects files on their lines; numbers with declared signs to the last digit.

All files are datasets of one catalogue, built with --keep-good: a file that is rejected holds nothing else back. Fields are text
without missing values, so that every cell comes out as it went in. Rules about contents (not the CSV) are switched off."""
import collections
import csv
import decimal
import io
import unittest

import odp

SUITE = "csv/duckdb"

# What the folders and the upstream tests say about each file: the longest key that begins the path.
DIALECTS = {
    "": {"delimiter": ",", "header": False},
    "auto_date/date_example": {"header": True},
    "auto_date/device": {},
    "comments/": {"delimiter": ";", "commentChar": "#", "header": True},
    "comments/14635": {"delimiter": ",", "commentChar": None},
    "comments/14648": {"delimiter": ",", "commentChar": None},
    "comments/17226": {"delimiter": ","},
    "comments/comment_skip": {"delimiter": ",", "commentRows": [1]},
    "comments/empty_space": {"header": False},
    "comments/invalid_rows": {"commentRows": [3, 5]},
    "comments/mid_line.csv": {"header": False},
    "comments/mid_line_invalid": {"header": False},
    "comments/mixed_options": {"delimiter": ",", "commentChar": None, "header": False},
    "comments/only_midline": {"header": False},
    "comments/simple_comma": {"commentChar": ","},
    "dateformat/": {"header": True},
    "decimal_separators/decimal_separators.csv": {"delimiter": ";", "header": True},
    "decimal_separators/": {"header": True},
    "decimal_separators/mixed": {"delimiter": ";", "header": True},
    "encodings/": {"header": True},
    "encodings/all_": {"header": False},
    "encodings/all_latin1": {"header": False, "encoding": "iso-8859-1"},
    "encodings/only_": {"header": False, "encoding": "utf-16"},
    "encodings/only_latin1": {"header": False, "encoding": "iso-8859-1"},
    "encodings/latin1.csv": {"header": True, "encoding": "iso-8859-1"},
    "encodings/all_utf16": {"header": False, "encoding": "utf-16"},
    "encodings/latin1.csv.gz": {"header": False, "encoding": None},
    "encodings/utf16": {"header": True, "encoding": "utf-16"},
    "encodings/utf16.csv.gz": {"header": False, "encoding": None},
    "encodings/shift_jis": {"header": True, "encoding": "shift_jis"},
    "error/": {"header": True},
    "error/csv_error": {"header": True, "quoteChar": "'"},
    "error/date.csv": {"header": True, "quoteChar": "'"},
    "error/mixedtypes": {"header": True, "quoteChar": "'"},
    "error/quotednewlines": {"header": True, "quoteChar": "'"},
    "error/time": {"header": True, "quoteChar": "'"},
    "error/json": {"header": False},
    "error/mid_null": {"header": True, "delimiter": ";"},
    "error/mismatch/": {"header": False},
    "error/mismatch/example": {"header": False, "delimiter": "\t"},
    "error/mismatch/half": {"header": True},
    "error/mismatch/part": {"header": True},
    "error/mismatch/small": {"header": True},
    "headers/": {"header": True},
    "headers/integer": {"header": False},
    "headers/undetected": {"header": True, "delimiter": ";"},
    "headers/empty": {"header": False},
    "inconsistencies/": {"header": True},
    "null/": {"header": True},
    "rejects/": {"header": True},
    "rejects/unquoted/unquoted_last": {"header": False},
    "thousands_separator/": {"header": False},
    "thousands_separator/integers": {"header": True},
    "thousands_separator/multi_column.csv": {"header": True, "delimiter": ";"},
    "thousands_separator/multi_column_quote": {"header": True},
    "thousands_separator/simple.csv": {"delimiter": ";"},
    "unescaped_quotes/": {"header": False},
    "unescaped_quotes/stops": {"header": True},
    "unescaped_quotes/unescaped": {"delimiter": ";"},
    "unquoted_escape/": {"escapeChar": "\\"},
    "unquoted_escape/basic": {"escapeChar": "\\", "delimiter": "\t"},
    "unquoted_escape/human_eval.tsv": {"escapeChar": "\\", "delimiter": "\t"},
    "unquoted_escape/identical": {"header": True, "escapeChar": None},
    "unquoted_escape/mixed": {"header": True},
}
OFF = {"control-character": "off", "nul-byte": "off", "privacy-nik": "off", "privacy-npwp": "off", "privacy-phone": "off",
       "privacy-email": "off", "spreadsheet-error": "off", "spreadsheet-hashes": "off", "spreadsheet-scientific": "off"}

# Files where Python's reading and ours differ: the reason.
DIFFERENCES = {
    "encodings/all_utf16.csv": "a line that is one tab or one space is a blank row here (ODP-R01), a cell of white space for Python",
}


def dialect_of(name):
    """The entries of the path from the general to the special."""
    merged = {}
    for key in sorted(DIALECTS, key=len):
        if name.startswith(key):
            merged.update(DIALECTS[key])
    return {k: v for k, v in merged.items() if v is not None}


def python_rows(data, dialect):
    """The rows as Python reads them, or None where it does not; comment lines left out before."""
    try:
        encoding = dialect.get("encoding", "utf-8")
        text = data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError:
        return None
    lines = text.split("\n") if dialect.get("commentChar") or dialect.get("commentRows") else [text]
    kept = [line for n, line in enumerate(lines, 1)
            if n not in dialect.get("commentRows", []) and not (dialect.get("commentChar") and line.startswith(dialect["commentChar"]))]
    try:
        return list(csv.reader(io.StringIO("\n".join(kept), newline=""), strict=True, delimiter=dialect["delimiter"],
                               quotechar=dialect.get("quoteChar", '"'), escapechar=dialect.get("escapeChar")))
    except csv.Error:
        return None


def width(data, dialect):
    """How many columns the dataset declares: those of the header, or of most rows."""
    text = data.decode("utf-8-sig" if dialect.get("encoding", "utf-8") == "utf-8" else dialect["encoding"], errors="replace")
    skip = dialect.get("commentChar")
    lines = [x for n, x in enumerate(text.splitlines(), 1)
             if n not in dialect.get("commentRows", []) and not (skip and x.startswith(skip))]
    rows = list(csv.reader(lines[:2000], delimiter=dialect["delimiter"], quotechar=dialect.get("quoteChar", '"'),
                           escapechar=dialect.get("escapeChar")))
    if dialect["header"]:
        return len(rows[0]), rows[0]
    return collections.Counter(map(len, rows)).most_common(1)[0][0] or 1, None


class Duckdb(odp.Case):
    def setUp(self):
        super().setUp()
        self.folder = self.needs(SUITE)
        self.catalogue(references=False)

    def add(self, slug, name, fields, schema=None, severity=None, **dialect):
        """Dataset SLUG of the suite's file NAME; FIELDS: 'name:type' or full descriptors."""
        options = {**dialect_of(name), **dialect}
        encoding = options.pop("encoding", None)
        resource = {"dialect": options, "schema": {"missingValues": [], **(schema or {})}, "odp:severity": severity or {}}
        if encoding:
            resource["encoding"] = encoding
        folder = self.dataset(slug, "", [f if isinstance(f, dict) else dict(zip(("name", "type"), f.split(":"))) for f in fields], resource)
        (folder / f"{slug}.csv").write_bytes((self.folder / name).read_bytes())

    def published(self, slug):
        """The dataset's rows from the JSON and from the CSV, or None where it was not published."""
        site = self.dir / "site" / "data" / slug
        found = sorted(site.glob(f"20*/{slug}.json"))
        if not found:
            return None
        rows = [list(r.values()) for r in odp.read_json(found[0])["data"]] if isinstance(odp.read_json(found[0]), dict) \
            else [list(r.values()) for r in odp.read_json(found[0])]
        with open(found[0].with_suffix(".csv"), newline="", encoding="utf-8") as f:
            self.assertEqual([["" if v is None else v for v in r] for r in rows], list(csv.reader(f, strict=True))[1:], slug)
        return rows

    def test_every_file(self):
        files = sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*") if p.is_file() and p.name != "LICENSE")
        self.assertGreaterEqual(len(files), 160)
        slugs = {}
        for i, name in enumerate(files):
            dialect = dialect_of(name)
            columns, labels = width((self.folder / name).read_bytes(), dialect)
            fields = [{"name": f"c{k}", "type": "string"} for k in range(columns)]
            for f, label in zip(fields, labels or []):
                if label:
                    f["odp:sourceName"] = label
            slugs[name] = f"d{i}"
            self.add(slugs[name], name, fields, severity=OFF)
        report = self.report("build", "--out", "site", "--keep-good", "--examples", "3", expect=None)
        faults = collections.defaultdict(list)
        for d in report["diagnostics"]:
            self.assertNotEqual(d["code"][:5], "ODP-C", d)
            faults[d["dataset"]].append(f"{d['code']} {d['line']}:{d['column']}")
        count = collections.Counter()
        for name, slug in slugs.items():
            with self.subTest(name):
                dialect = dialect_of(name)
                theirs = python_rows((self.folder / name).read_bytes(), dialect)
                ours = self.published(slug)
                table = theirs is not None and len({len(r) for r in theirs}) == 1
                labels, rows = (theirs[:1], theirs[1:]) if table and dialect["header"] else ([[]], theirs)
                good = table and len(labels[0]) == len(set(labels[0])) and "" not in labels[0]
                same = ours == rows if good else ours is None and bool(faults[slug])
                if name in DIFFERENCES:
                    self.assertFalse(same, "stands in DIFFERENCES and no longer differs")
                    count["differ"] += 1
                    continue
                if good:
                    self.assertEqual(ours, rows, faults[slug])
                    count["equal"] += 1
                else:
                    self.assertIsNone(ours, "not a table for Python's csv module, and was published")
                    self.assertTrue(faults[slug], "not a table for Python's csv module, and nothing was reported")
                    count["reported"] += 1
                    print("   ",name,faults[slug][:6])#XX
        print(f"\n{len(files)} files: {count['equal']} published as Python reads them, {count['reported']} no tables and reported, "
              f"{count['differ']} differ")
        for name, reason in DIFFERENCES.items():
            print(f"  differs: {name}: {reason}")
            self.assertIn(name, files)
        for key in DIALECTS:
            self.assertTrue(any(f.startswith(key) for f in files), f"no file for the dialect of {key}")


if __name__ == "__main__":
    unittest.main()
