"""Workbooks as LibreOffice reads them: converted to CSV there, without a screen, each is the dataset's own CSV, value by value. `deep`: those of every
dataset of the catalogue."""
import csv
import datetime
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import odp
import readerlib
import workbooklib
import workbooks

# Comma, double quotes, UTF-8, from the first line, all texts quoted; numbers as stored or as shown; every sheet a file of its own.
STORED = "44,34,76,1,,0,true,true,false,false,false,-1"
SHOWN = "44,34,76,1,,0,true,false,true,false,false,-1"


class LibreOffice(workbooks.Books):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("soffice"):
            raise unittest.SkipTest("LibreOffice is not on this machine")
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
        cls.addClassCleanup(odp.remove_tree, cls.root)

    def convert(self, paths, options):
        """{workbook: {sheet: rows}}; everything in one start of the program, with a profile of its own."""
        out, found = pathlib.Path(tempfile.mkdtemp(dir=self.root)), {}
        copies = {path: out / f"w{n}.xlsx" for n, path in enumerate(paths)}  # a sheet's file is named after both
        for path, copy in copies.items():
            shutil.copy(path, copy)
        done = subprocess.run(["soffice", f"-env:UserInstallation=file://{self.root}/profile", "--headless", "--convert-to",
                               f"csv:Text - txt - csv (StarCalc):{options}", "--outdir", out, *copies.values()], capture_output=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        for path, copy in copies.items():
            for sheet in sorted(out.glob(f"{copy.stem}-*.csv")):
                with open(sheet, newline="", encoding="utf-8") as handle:
                    found.setdefault(path, {})[sheet.stem.removeprefix(copy.stem + "-")] = list(csv.reader(handle))
        return found

    def value(self, stored, shown, kind, fmt):
        """What LibreOffice says of a cell, as comparable text; FMT: the number format of cells that show a date or time."""
        if stored == "":
            return None
        if kind == "boolean":
            return {"TRUE": "true", "FALSE": "false"}[stored]
        if kind in ("date", "time", "datetime", "yearmonth") and fmt:
            return self.moment(shown, kind, fmt)
        if kind in ("number", "integer"):
            return workbooklib.plain_number(stored)
        return stored

    def moment(self, shown, kind, fmt):
        """A date or time as it is shown, by the format that shows it."""
        fields = {"yyyy": "%Y", "mmmm": "%B", "mm": "%m", "dd": "%d", "hh": "%H", "ss": "%S", ".000000": ".%f", ".000": ".%f", ".00": ".%f", ".0": ".%f"}
        pattern, at, last = "", 0, ""
        for m in re.finditer(r'"([^"]*)"|\\(.)|(yyyy|mmmm|mm|dd|hh|ss|\.0+)|(\[[^\]]*\])|(.)', fmt, re.I):
            quoted, escaped, code, _, other = m.groups()
            if code:
                code = code.lower()
                pattern += "%M" if code == "mm" and last == "hh" else fields[code]
                last = code
            else:
                pattern += (quoted or escaped or other or "").replace("%", "%%")
        literal = workbooklib.offset_of(fmt)
        when = datetime.datetime.strptime(shown, pattern)
        self.assertTrue(not literal or literal in shown, (shown, fmt))
        return workbooklib.moment(when, kind, fmt)

    def check_all(self, found):
        """Every workbook of FOUND (resources): one set of conversions."""
        paths = {r.file("xlsx"): r for r in found}
        stored, shown = self.convert(list(paths), STORED), self.convert(list(paths), SHOWN)
        for path, resource in paths.items():
            with workbooklib.Workbook(path) as book:
                header, expected = workbooks.expected_records(resource)
                kinds = workbooks.kinds_of(resource, header)
                sheets = book.data_sheets(len(header))
                self.assertEqual(sorted(s.name for s in book.sheets), sorted(stored[path]), path.name)  # it opens, whole
                records, figures = [], set()
                for sheet in sheets:
                    head, formats = sheet.head_rows(), {}
                    for number, cells in sheet.rows():
                        if number > head:
                            figures.update(k for k, c in cells.items() if c.kind == "n" and kinds[k - 1] in readerlib.FIGURES)
                            formats.update({(number, k): c.format for k, c in cells.items() if c.kind == "n" and c.text is not None and workbooklib.is_date(c.format)})
                    rows = zip(stored[path][sheet.name][head:], shown[path][sheet.name][head:])
                    for number, (a, b) in enumerate(rows, head + 1):
                        records.append([self.value(x, y, kind, formats.get((number, k))) for k, (x, y, kind) in enumerate(zip(a, b, kinds), 1)])
            records, expected = ([[digits(t) if k in figures else flat(t) for k, t in enumerate(r, 1)] for r in rows] for rows in (records, expected))
            self.same(records, expected, header, resource.slug)

    def test_the_workbooks_of_the_catalogue(self):
        found = list(workbooks.books(odp.example_site(), "xlsx"))
        self.assertGreaterEqual(len(found), 3)
        self.check_all(found)


    def test_values_that_spreadsheets_get_wrong(self):
        self.catalogue(references=False)
        workbooks.Made.edges(self)
        self.odp("build", *workbooks.TODAY)
        self.check_all(list(workbooks.books(self.dir / "build/site", "xlsx")))


def digits(text):
    """A number as far as a CSV of LibreOffice holds it: 15 digits."""
    return workbooklib.plain_number(f"{float(text):.15g}") if text is not None else None


def flat(text):
    """A text as a CSV of LibreOffice holds it: one kind of line break."""
    return text.replace("\r\n", "\n") if text is not None else None


class Deep(LibreOffice):
    def test_every_dataset_as_a_workbook(self):
        catalog = self.root / "catalog"
        shutil.copytree(odp.SOURCE / "catalog", catalog)
        for path in catalog.glob("*/dataset.json"):
            package = odp.read_json(path)
            package["odp:formats"] = ["CSV", "Excel"]
            path.write_text(odp.json.dumps(package))
        subprocess.run([odp.PROGRAM, "build", "--catalog", catalog, "--out", self.root / "whole"], check=True, capture_output=True)
        found = list(workbooks.books(self.root / "whole", "xlsx"))
        self.assertGreater(len(found), 20)
        for resource in found:
            self.check(resource)
        self.check_all(found)


if __name__ == "__main__":
    if sys.argv[1:] == ["deep"]:
        unittest.main(argv=[sys.argv[0], "Deep.test_every_dataset_as_a_workbook"], verbosity=2)
    del Deep
    odp.main()
