"""Workbooks as sources: what is published from one is what is published from the CSV with the same values; the entry workbook of `template`, filled in, is
accepted as it is; places are a sheet's. `deep`: the workbooks of every dataset, and LibreOffice as the program that writes them."""
import csv
import datetime
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile
from xml.sax.saxutils import escape

import odp

sys.path.insert(0, str(odp.SOURCE / "tests" / "cases"))
import workbooks  # noqa: E402  (of the golden cases)

EPOCH = datetime.date(1899, 12, 30)
PLAIN = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


def cell(field, text):
    """What stands in a workbook for the CSV's TEXT of a field: numbers and dates as such, everything else as text."""
    kind = field.get("type", "string")
    if text in ("", None):
        return None
    if kind in ("number", "integer", "year"):
        plain = text.replace(field.get("groupChar", "\0"), "").replace(field.get("decimalChar", "."), ".")
        return {"number": plain} if PLAIN.fullmatch(plain) and len(plain) < 15 else text
    if kind == "date":
        pattern = field.get("format", "default")
        try:
            day = datetime.datetime.strptime(text, "%Y-%m-%d" if pattern in ("default", "any") else pattern).date()
        except ValueError:  # a missing value's mark
            return text
        return {"date": (day - EPOCH).days, "format": "dd/mm/yyyy"}
    return text


def sheet_of(resource, path):
    """[header, rows] of a CSV source as cells."""
    dialect = resource.get("dialect", {})
    fields = {f.get("odp:sourceName", f["name"]): f for f in resource["schema"]["fields"]}
    with open(path, newline="", encoding=resource.get("encoding", "utf-8").replace("utf-8", "utf-8-sig")) as handle:
        rows = list(csv.reader(handle, delimiter=dialect.get("delimiter", ",")))
    head = rows[0]
    return [head] + [[cell(fields[label], text) if label in fields else text for label, text in zip(head, row)] for row in rows[1:]]


def fill(path, rows):
    """ROWS below the header of the first sheet of an entry workbook, formatted as its columns are."""
    with zipfile.ZipFile(path) as z:
        parts = {name: z.read(name) for name in z.namelist()}
    xml = parts["xl/worksheets/sheet1.xml"].decode()
    styles = {}
    for low, high, style in re.findall(r'<col min="(\d+)" max="(\d+)" [^>]*?style="(\d+)"', xml):
        styles.update({k: style for k in range(int(low), int(high) + 1)})
    body = ""
    for r, row in enumerate(rows, 2):
        body += f'<row r="{r}">'
        for c, value in enumerate(row, 1):
            at = f'r="{workbooks.column_name(c - 1)}{r}" s="{styles.get(c, 0)}"'
            if isinstance(value, dict):
                body += f'<c {at}><v>{value.get("number", value.get("date"))}</v></c>'
            elif value is not None:
                body += f'<c {at} t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
        body += "</row>"
    assert "</sheetData>" in xml
    parts["xl/worksheets/sheet1.xml"] = xml.replace("</sheetData>", body + "</sheetData>").encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in parts.items():
            z.writestr(name, data)


class Base(odp.Case):
    def sample(self, *slugs, rows=40):
        """The example catalogue's datasets as CSV in catalog/<slug>/."""
        self.catalogue(*slugs)
        subprocess.run([odp.SAMPLE, *slugs, "--rows", str(rows), "--csv", "--out", self.dir / "sumber", "--catalog", self.dir / "catalog"], check=True,
                       capture_output=True)

    def package(self, slug):
        return odp.read_json(self.dir / "catalog" / slug / "dataset.json")

    def source(self, slug):
        resource = self.package(slug)["resources"][0]
        return resource, self.dir / "sumber" / slug / resource["path"]

    def filled(self, slug, lang="id"):
        """The entry workbook of a dataset with its sample's records."""
        path = self.dir / f"{slug}-{lang}.xlsx"
        self.odp("template", slug, "--output", path, "--lang", lang)
        resource, source = self.source(slug)
        head, *rows = sheet_of(resource, source)
        names = [f.get("odp:sourceName", f["name"]) for f in resource["schema"]["fields"]]
        fill(path, [[row[head.index(name)] if name in head else None for name in names] for row in rows])
        return path, len(rows)


class Source(Base):
    def test_the_same_is_published(self):
        program = odp.program_without_portal(self.dir / "bin")
        self.sample("perumahan", "kontraktor")
        for slug in ("perumahan", "kontraktor"):
            resource, source = self.source(slug)
            folder = self.dir / "buku" / slug
            folder.mkdir(parents=True)
            for other in self.package(slug)["resources"][1:]:
                shutil.copy(self.dir / "sumber" / slug / other["path"], folder)
            workbooks.write({"shared": slug == "perumahan", "sheets": [{"name": "Lain", "rows": []}, {"name": resource["name"], "rows": sheet_of(resource, source)}]},
                            folder / pathlib.Path(resource["path"]).with_suffix(".xlsx"))
        out = {}
        for kind in ("sumber", "buku"):
            if kind == "buku":
                for slug in ("perumahan", "kontraktor"):
                    package = self.package(slug)
                    first = package["resources"][0]
                    first.update(path=str(pathlib.Path(first["path"]).with_suffix(".xlsx")), dialect={})
                    for key in ("encoding", "format", "mediatype"):
                        first.pop(key, None)
                    (self.dir / "catalog" / slug / "dataset.json").write_text(odp.json.dumps(package))
            done = subprocess.run([program, "build", "--sources", self.dir / kind, "--out", self.dir / f"situs-{kind}", "--quiet"], capture_output=True, text=True,
                                  cwd=self.dir, env={**odp.os.environ, "ODP_NO_TIMES": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            out[kind] = {name: digest for name, digest in odp.digests(self.dir / f"situs-{kind}").items()
                         if re.match(r"(data|v1)/", name) and re.search(r"\.(csv|json|geojson)$", name) and "schema" not in name and "datapackage" not in name}
        self.assertGreater(len(out["sumber"]), 5)
        same = {name for name in out["sumber"] if out["sumber"][name] == out["buku"].get(name)}
        data = {name for name in out["sumber"] if name.startswith("data/") and re.search(r"/(perumahan|kontraktor)[a-z.-]*\.(csv|json)$", name)}
        self.assertGreater(len(data), 2)
        self.assertEqual(data - same, set())
        again = subprocess.run([program, "build", "--sources", self.dir / "buku", "--out", self.dir / "situs-buku"], capture_output=True, text=True, cwd=self.dir,
                               env={**odp.os.environ, "ODP_NO_TIMES": "1"})
        self.assertEqual(again.returncode, 0)

    def test_an_entry_workbook_is_accepted_as_it_is(self):
        self.sample("perumahan", "proyek", "kontraktor")
        for slug, lang in (("perumahan", "id"), ("kontraktor", "en")):
            path, n = self.filled(slug, lang)
            report = self.report("check", "--as", slug, path, "--strict", "--sources", self.dir / "sumber")
            self.assertEqual([d for d in report["diagnostics"] if d["dataset"] == slug], [])
            self.assertEqual(report["summary"]["rows"], n)

    def test_an_empty_one_has_no_rows_and_no_faults(self):
        self.catalogue("perumahan")
        self.odp("template", "perumahan")
        report = self.report("check", "--as", "perumahan", "perumahan.xlsx")
        self.assertEqual({d["code"] for d in report["diagnostics"]}, {"ODP-F07"})

    def test_what_a_template_says(self):
        self.catalogue("perumahan", "kumuh")
        said = self.odp("template", "kumuh", "--output", "k.xlsx").stdout
        self.assertIn("shapefile", said)
        again = self.odp("template", "kumuh", "--output", "k.xlsx", expect=2)
        self.assertIn("sudah ada", again.stderr)
        self.odp("template", "tidak-ada", expect=2)
        self.odp("template", expect=2)
        self.odp("template", "perumahan", "--output", "p.csv", expect=2)
        self.odp("template", "perumahan", "--output", "/nowhere/p.xlsx", expect=3)
        self.assertFalse(list(self.dir.glob("*.part*")))
        texts = zipfile.ZipFile(self.dir / "k.xlsx").read("xl/sharedStrings.xml").decode()
        self.assertIn("program GIS", texts)
        book = zipfile.ZipFile(self.dir / "k.xlsx").read("xl/workbook.xml").decode()
        self.assertIn("daftar_1", book)

    def test_places_are_cells(self):
        self.catalogue()
        fields = [{"name": "kode", "type": "string", "constraints": {"pattern": "[0-9]{2}\\.[0-9]{2}"}}, {"name": "luas", "type": "number"}]
        self.dataset("uji", "kode,luas\n11.10,1\n", fields)
        workbooks.write({"sheets": [{"name": "Lembar 1", "rows": [[None, "kode", "luas"], [None, 11.1, 2], [None, "11.11", {"error": "#DIV/0!"}]]}]}, self.dir / "x.xlsx")
        found = self.report("check", "--as", "uji", "x.xlsx", expect=1)["diagnostics"]
        self.assertEqual([(d["code"], d["sheet"], d["cell"], d["line"], d["column"], d["row"], d["field"], d.get("proposal")) for d in found],
                         [("ODP-S20", "Lembar 1", "B2", 2, 2, 1, "kode", "11.10"), ("ODP-S01", "Lembar 1", "C3", 3, 3, 2, "luas", None)])

    def test_private_values_are_masked(self):
        self.catalogue()
        fields = [{"name": "nama", "type": "string", "sdi:aksesPublik": False}, {"name": "luas", "type": "number"}]
        self.dataset("uji", "nama,luas\na,1\n", fields)
        workbooks.write({"sheets": [{"name": "A", "rows": [["nama", "luas"], [4471120, "rahasia"], ["Siti Rahayu", "dua"]]}]}, self.dir / "x.xlsx")
        done = self.odp("check", "--as", "uji", "x.xlsx", expect=1)
        for word in ("4471120", "Siti", "Rahayu"):
            self.assertNotIn(word, done.stdout + done.stderr)
        report = self.odp("check", "--as", "uji", "x.xlsx", "--report", "json", expect=1)
        self.assertNotIn("4471120", report.stdout)
        self.assertNotIn("Siti", report.stdout)


class Deep(Base):
    def convert(self, kind, *paths, options=""):
        """PATHS converted by LibreOffice; the new files."""
        if not shutil.which("soffice"):
            self.skipTest("LibreOffice is not on this machine")
        out = self.dir / f"lo-{kind}"
        done = subprocess.run(["soffice", f"-env:UserInstallation=file://{self.dir}/profile", "--headless", *([f"--infilter={options}"] if options else []),
                               "--convert-to", kind, "--outdir", out, *paths], capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return [out / f"{pathlib.Path(p).stem}.{kind}" for p in paths]

    def test_entry_workbooks_of_every_dataset(self):
        slugs = sorted(p.parent.name for p in (odp.SOURCE / "catalog").glob("*/dataset.json"))
        self.sample(*slugs, rows=25)
        checked = 0
        for slug in slugs:
            resource, source = self.source(slug)
            if resource.get("path", "").endswith((".shp", ".zip")):
                self.odp("template", slug)
                continue
            path, n = self.filled(slug, "en" if len(slug) % 2 else "id")
            report = self.report("check", "--as", slug, path, "--sources", self.dir / "sumber", expect=None)
            faults = [d for d in report["diagnostics"] if d["dataset"] == slug and d["severity"] == "error" and not d["code"].startswith("ODP-K")]
            self.assertEqual(faults, [], slug)
            checked += 1
        self.assertGreater(checked, 10)

    def test_libreoffice_keeps_an_entry_workbook(self):
        self.sample("perumahan", "kontraktor")
        paths = [self.filled(slug)[0] for slug in ("perumahan", "kontraktor")]
        for slug, path in zip(("perumahan", "kontraktor"), self.convert("xlsx", *paths)):
            report = self.report("check", "--as", slug, path, "--sources", self.dir / "sumber")
            self.assertEqual([d for d in report["diagnostics"] if d["dataset"] == slug and d["severity"] != "note"], [])

    def test_a_csv_opened_and_saved_by_libreoffice(self):
        """Codes become numbers there: each is found, and the right one proposed where it can be known."""
        self.sample("perumahan")
        resource, source = self.source("perumahan")
        delimiter = ord(resource.get("dialect", {}).get("delimiter", ","))
        (path,) = self.convert("xlsx", source, options=f"CSV:{delimiter},34,76,1,,1033,false,true,false")
        report = self.report("check", "--as", "perumahan", path, expect=None)
        with open(source, newline="", encoding="utf-8-sig") as handle:
            rows = list(csv.DictReader(handle, delimiter=chr(delimiter)))
        numbers = [d for d in report["diagnostics"] if d["code"] in ("ODP-S20", "ODP-S21") and d["field"] == "kode_kabkota"]
        self.assertGreater(len(numbers), 0, {(d["code"], d["field"]) for d in report["diagnostics"]})
        for d in numbers:
            if d.get("proposal"):
                self.assertEqual(d["proposal"], rows[d["row"] - 1]["kode_kabkota"])
        self.assertGreater(sum(1 for d in numbers if d.get("proposal")), 0)


if __name__ == "__main__":
    deep = "deep" in sys.argv
    unittest.main(argv=[sys.argv[0]], defaultTest="Deep" if deep else "Source", verbosity=2)
