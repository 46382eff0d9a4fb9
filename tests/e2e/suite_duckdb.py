"""DuckDB's CSV files: every one is read; what Python's strict csv module reads as a table is published exactly so, and of what it
does not, something is reported. Faults of the rejects files on their lines; numbers with declared signs to the last digit.

All files are datasets of one catalogue, built with --keep-good: a file that is rejected holds nothing else back. Fields are text
without missing values, so that every cell comes out as it went in. Rules about contents (not the CSV) are switched off."""
import collections
import csv
import decimal
import io
import json
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
    "error/banklist": {"header": True, "encoding": "windows-1252"},
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
OFF = {"control-character": "off", "privacy-nik": "off", "privacy-npwp": "off", "privacy-phone": "off",
       "privacy-email": "off", "spreadsheet-error": "off", "spreadsheet-hashes": "off", "spreadsheet-scientific": "off"}

# Files where Python's reading and ours differ: the reason.
DIFFERENCES = {
    "encodings/all_utf16.csv": "a line that is one tab or one space is a blank row here (ODP-R01), a cell of white space for Python",
}

PEOPLE = ["name:string", "age:integer", "current_day:date", "barks:integer"]
PLAIN = ["a:string", "b:integer"]
ABC = ["a:integer", "b:integer", "c:string"]
ABCD = [f"{c}:integer" for c in "abcd"]
MANY = "rejects/multiple_errors/"

# rejects/: the fields as upstream's tests cast them, and [line, code] of every error. Where upstream tells several faults of one
# row we tell the first cause: a row with a wrong number of cells or a bad byte is no record whose cells could be checked. Upstream's
# limit for the length of a line has no counterpart, so those lines carry only their other faults.
REJECTS = {
    "rejects/dr_who.csv": (["date:date", "datetime:datetime", "time:time", "timestamp:datetime", "time_tz:time"],
                           "2:T07 2:T09 2:T09 2:T10 2:T10"),
    "rejects/flush.csv": ([{"name": "number", "type": "number", "decimalChar": ",", "groupChar": "."}], "2:T03 6:T04 7:T04"),
    "rejects/frankstein/nightmare.csv": (ABC, "10:R02 14:R03 19:T02 22:R05 38:E01"),
    "rejects/incorrect_columns/few_columns.csv": (ABCD, "1814:R02 1823:R02 2378:R02 2762:R02"),
    "rejects/incorrect_columns/many_columns.csv": (ABCD, "1096:R03 1159:R03 1206:R03 2769:R03"),
    "rejects/incorrect_columns/mix_columns.csv": (ABCD, "1604:R02 1671:R03 2751:R02 2768:R03"),
    "rejects/incorrect_columns/small_mix.csv": (ABCD, "3:R03 4:R02"),
    "rejects/maximum_line/max_10.csv": (PLAIN, ""),
    "rejects/maximum_line/over_vector.csv": (PLAIN, ""),
    MANY + "cast_and_less_col.csv": (PEOPLE, "4:R02 5:R02"),
    MANY + "cast_and_maxline.csv": (PEOPLE, "4:T02"),
    MANY + "cast_and_more_col.csv": (PEOPLE, "4:R03 5:R03"),
    MANY + "invalid_utf_cast.csv": (PEOPLE, "3:E01"),
    MANY + "invalid_utf_less.csv": (PEOPLE, "3:E01"),
    MANY + "invalid_utf_max_line.csv": (PEOPLE, "3:E01"),
    MANY + "invalid_utf_more.csv": (PEOPLE, "3:E01"),
    MANY + "invalid_utf_unquoted.csv": ([PEOPLE[0], "last_name:string", *PEOPLE[1:]], "3:R05"),
    MANY + "less_col_and_max_line.csv": (PEOPLE, "4:R02"),
    MANY + "more_col_and_max_line.csv": (PEOPLE, "4:R03"),
    MANY + "multiple_cast_implicit.csv": (PEOPLE, "4:T02 4:T02"),
    MANY + "multiple_casts_flush.csv": ([*PEOPLE[:3], "tomorrow:date"], "4:T07 4:T07"),
    MANY + "multiple_casts_mixed.csv": (PEOPLE, "4:T02 4:T07"),
    # Lines 7 and 8 fit no record and are taken for the text of the broken quote on line 6: told when that is mended.
    MANY + "multiple_errors.csv": (PEOPLE, "4:R03 5:R03 6:R05"),
    MANY + "unquoted_cast.csv": (PEOPLE, "3:R05 5:R01"),
    MANY + "unquoted_less.csv": (PEOPLE, "3:R05 5:R01"),
    MANY + "unquoted_maxline.csv": (PEOPLE, "3:R05 5:R01"),
    MANY + "unquoted_more.csv": (PEOPLE, "3:R05 5:R01"),
    "rejects/unquoted/basic.csv": (PLAIN, "5:R05"),
    "rejects/unquoted/unquoted_last_value.csv": (["a:string"], "5:R06"),
    "rejects/unquoted/unquoted_new_line.csv": (PLAIN, "6:R05"),
}

# Numbers: fields with their signs, errors as [line, code], and where there are none the sum of each number column.
NUMBERS = {
    "decimal_separators/decimal_separators.csv":
        ([{"name": "commas", "type": "number", "decimalChar": ","}, {"name": "periods", "type": "number"}], ""),
    "decimal_separators/decimal_separators_csv.csv":
        ([{"name": "commas", "type": "number", "decimalChar": ","}, {"name": "periods", "type": "number"}], ""),
    "decimal_separators/mixed_format_fail.csv": ([{"name": "foo", "type": "number", "decimalChar": ","}], "4:T03"),
    "decimal_separators/invalid_char.csv": ([{"name": "foo", "type": "number"}], "2:T03"),
    "thousands_separator/integers.csv": ([{"name": "bigvalues", "type": "integer", "groupChar": ","}], "5:T04"),
    "thousands_separator/multi_column.csv":
        (["name:string", {"name": "money", "type": "number", "groupChar": ","}, "city:string"], ""),
    "thousands_separator/multi_column_quote.csv":
        (["name:string", {"name": "money", "type": "number", "groupChar": ","}, "city:string"], ""),
    "thousands_separator/simple.csv": ([{"name": "v", "type": "number", "groupChar": ","}], ""),
    "thousands_separator/simple_quoted.csv": ([{"name": "v", "type": "number", "groupChar": ","}], ""),
    "thousands_separator/thousands_broken.csv": ([{"name": "v", "type": "number", "groupChar": ","}], "3:T04 4:T04"),
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
        rows = [list(r.values()) for r in odp.read_json(found[0])["data"]]
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
        print(f"\n{len(files)} files: {count['equal']} published as Python reads them, {count['reported']} no tables and reported, "
              f"{count['differ']} differ")
        for name, reason in DIFFERENCES.items():
            print(f"  differs: {name}: {reason}")
            self.assertIn(name, files)
        for key in DIALECTS:
            self.assertTrue(any(f.startswith(key) for f in files), f"no file for the dialect of {key}")

    def errors(self, report):
        """{dataset: its errors as 'line:code'}."""
        found = collections.defaultdict(list)
        for d in report["diagnostics"]:
            if d["severity"] == "error":
                found[d["dataset"]].append((d["line"], d["code"][4:]))
        return {k: " ".join(f"{line}:{code}" for line, code in sorted(v)) for k, v in found.items()}

    def compare(self, table, **dialect):
        for i, (name, (fields, _)) in enumerate(table.items()):
            self.add(f"d{i}", name, fields, {"missingValues": [""]}, **dialect)
        found = self.errors(self.report("build", "--out", "site", "--keep-good", expect=None))
        for i, (name, (_, expected)) in enumerate(table.items()):
            with self.subTest(name):
                self.assertEqual(found.get(f"d{i}", ""), expected)

    def test_rejects(self):
        """Every file of rejects/: the faults where upstream tells them."""
        files = {p.relative_to(self.folder).as_posix() for p in (self.folder / "rejects").rglob("*.csv")}
        self.assertEqual(files, set(REJECTS))
        self.compare(REJECTS, skipInitialSpace=True)

    def test_numbers(self):
        """Decimal and thousands signs as declared: the published numbers are exact, to the last digit."""
        files = {p.relative_to(self.folder).as_posix() for f in ("decimal_separators", "thousands_separator")
                 for p in (self.folder / f).iterdir()}
        self.assertEqual(files, set(NUMBERS))
        self.compare(NUMBERS)
        for i, (name, (fields, expected)) in enumerate(NUMBERS.items()):
            found = sorted((self.dir / "site" / "data" / f"d{i}").glob("20*/*.json"))
            self.assertEqual(bool([p for p in found if p.name == f"d{i}.json"]), expected == "", name)
            if expected:
                continue
            dialect = dialect_of(name)
            theirs = python_rows((self.folder / name).read_bytes(), dialect)[1 if dialect["header"] else 0:]
            page = next(p for p in found if p.name == f"d{i}.json").read_text()
            ours = json.loads(page, parse_float=decimal.Decimal, parse_int=decimal.Decimal)["data"]
            for k, field in enumerate(fields):
                if not isinstance(field, dict):
                    continue
                texts = [r[k].replace(field["groupChar"], "") if "groupChar" in field else r[k] for r in theirs]
                values = [decimal.Decimal(t.replace(field.get("decimalChar", "."), ".")) for t in texts]
                self.assertEqual([r[field["name"]] for r in ours], values, name)
                self.assertEqual(sum(r[field["name"]] for r in ours), sum(values), name)

    def test_nulls(self):
        """Missing values as declared, in quotes or not; everything else stays text."""
        for slug, name in (("a", "null/multiple_nulls.csv"), ("b", "null/multiple_quoted_nulls.csv")):
            self.add(slug, name, ["name:string", "age:integer", "height:number"], {"missingValues": ["", "none", "null"]})
        self.report("build", "--out", "site")
        for slug in "ab":
            rows = odp.read_json(next((self.dir / "site" / "data" / slug).glob(f"20*/{slug}.json")))["data"]
            self.assertEqual([list(r.values()) for r in rows], [["Pedro", 31, 1.73], ["Mark", None, None], ["Thijs", 26, None]])

    def test_delimiter_of_several_characters(self):
        """A delimiter is one character: another is refused where it is declared, before anything is read."""
        self.add("a", "multidelimiter/aa_delim.csv", ["a:integer", "b:integer"], delimiter="aa")
        report = self.report("check", expect=2)
        self.assertEqual(set(report["counts"]), {"ODP-C05"})


if __name__ == "__main__":
    unittest.main()
