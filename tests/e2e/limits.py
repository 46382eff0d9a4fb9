"""The limits of what comes from outside (docs/limits.md): as large as a limit passes, one more is told, with the limit's name and number, the file, and the line where
there is one. The limits are lowered in portal.json, which is how they are changed."""
import io
import json
import re
import sys
import zipfile

import odp

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import shapes  # noqa: E402
import workbooks  # noqa: E402

ROWS = "kode,nama\n" + "".join(f"{k},nama\n" for k in range(30))
SHAPES = {"types": ["Point", "LineString", "MultiLineString"]}


class Limits(odp.Case):
    def put(self, path, fields=("kode", "nama"), **resource):
        self.catalogue(references=False)
        folder = self.dir / "catalog/data"
        folder.mkdir()
        table = {"name": "data", "type": "table", "path": path, "schema": {"fields": [{"name": f, "type": "string"} for f in fields]}, **resource}
        (folder / "dataset.json").write_text(json.dumps({"name": "data", "title": "Data", "odp:formats": ["CSV"], "odp:lastUpdate": "2024-03-15", "resources": [table]}))
        return folder / path

    def limit(self, **limits):
        path = self.dir / "catalog/portal.json"
        portal = odp.read_json(path)
        portal["limits"] = limits
        path.write_text(json.dumps(portal))

    def check(self, expect):
        report = self.report("check", "--catalog", "catalog", "--today", "2024-03-21", "--lang", "en", expect=expect)
        return [d for d in report["diagnostics"] if d["severity"] == "error"]

    def edge(self, name, most, code="ODP-F15", **also):
        """With NAME at MOST nothing is said, with one less one fault of CODE."""
        self.limit(**{name: most}, **also)
        self.assertEqual(self.check(0), [])
        self.limit(**{name: most - 1}, **also)
        (fault,) = self.check(1)
        self.assertEqual(fault["code"], code)
        self.assertTrue(fault["file"].startswith("catalog/data/data."), fault)
        if code == "ODP-F15":
            self.assertIn(name, fault["message"])
            self.assertIn(f"at most {most - 1}", json.dumps(fault))
            self.assertIn(f'"{name}"', fault["help"])
        self.odp("build", "--catalog", "catalog", "--out", "site", "--today", "2024-03-21", expect=1)
        self.assertFalse((self.dir / "site").exists())
        return fault

    def test_source_bytes(self):
        self.put("data.csv").write_text(ROWS)
        fault = self.edge("sourceBytes", len(ROWS))
        self.assertEqual(fault["value"], str(len(ROWS)))

    def test_record_bytes(self):
        self.put("data.csv").write_text(ROWS + "x," + "y" * 1998 + "\nz,z\n")
        fault = self.edge("recordBytes", 2000, "ODP-R07")
        self.assertEqual(fault["line"], 32)
        self.assertIn("1999", json.dumps(fault))

    def test_record_bytes_of_a_quoted_record(self):
        self.put("data.csv").write_text(ROWS + 'x,"' + "y" * 1996 + '"\nz,z\n')
        self.edge("recordBytes", 2000, "ODP-R07")

    def test_cell_bytes(self):
        self.put("data.csv").write_text(ROWS + "x," + "y" * 500 + "\nz,z\n")
        fault = self.edge("cellBytes", 500)
        self.assertEqual((fault["line"], fault["field"], fault["value"]), (32, "nama", "500"))

    def test_columns(self):
        self.put("data.csv", fields=[f"k{i}" for i in range(12)]).write_text(",".join(f"k{i}" for i in range(12)) + "\n" + ",".join("x" * 12) + "\n")
        fault = self.edge("columns", 12)
        self.assertEqual(fault["line"], 1)

    def lines(self, nparts, npoints):
        """A shapefile of one line of NPARTS parts with NPOINTS points in all."""
        folder = self.put("data.shp", fields=["kode"], **{"odp:geometry": SHAPES}).parent
        parts = [[[106 + i / 1000, -6 + p / 100] for i in range(npoints // nparts)] for p in range(nparts)]
        shapes.write({"name": "data", "type": 3, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["kode", "C", 10, 0]], "records": [{"shape": parts, "values": ["a"]}]}, folder)

    def test_parts(self):
        self.lines(6, 24)
        self.edge("parts", 6)

    def test_points(self):
        self.lines(1, 40)
        fault = self.edge("points", 40)
        self.assertEqual((fault["value"], fault["row"]), ("40", 1))

    def archive(self, more=b""):
        self.lines(1, 40)
        folder = self.dir / "catalog/data"
        package = odp.read_json(folder / "dataset.json")
        package["resources"][0]["path"] = "data.zip"
        (folder / "dataset.json").write_text(json.dumps(package))
        out, size = io.BytesIO(), 0
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
            for e in ("shp", "shx", "dbf", "prj", "cpg"):
                path = folder / f"data.{e}"
                data = path.read_bytes() + (more if e == "prj" else b"")
                size += len(data)
                z.writestr(f"data.{e}", data)
                path.unlink()
        (folder / "data.zip").write_bytes(out.getvalue())
        return size

    def test_archive_bytes(self):
        self.edge("archiveBytes", self.archive())

    def test_ratio_of_an_archive(self):
        self.archive(b" " * (17 << 20))
        with zipfile.ZipFile(self.dir / "catalog/data/data.zip") as z:
            info = z.getinfo("data.prj")
        self.edge("ratio", info.file_size // info.compress_size + 1)

    def book(self, **more):
        path = self.put("data.xlsx")
        workbooks.write({"sheets": [{"name": "data", "rows": [["kode", "nama"]] + [[f"k{i}", f"nama {i}"] for i in range(40)]}], "shared": True, **more}, path)
        with zipfile.ZipFile(path) as z:
            return max(i.file_size for i in z.infolist())

    def test_workbook_bytes(self):
        self.edge("workbookBytes", self.book(), "ODP-F12")

    def test_string_bytes(self):
        """What is counted is the texts and their places: the edge is found, and there is one."""
        self.book()
        low, high = 1, 1 << 20
        while low < high:
            middle = (low + high) // 2
            self.limit(stringBytes=middle)
            code = self.odp("check", "--catalog", "catalog", "--today", "2024-03-21", "--quiet", expect=None).returncode
            low, high = (low, middle) if code == 0 else (middle + 1, high)
        self.assertGreater(low, len("nama 0") * 40)
        self.edge("stringBytes", low, "ODP-F12")

    def test_cell_bytes_of_a_workbook(self):
        path = self.put("data.xlsx")
        workbooks.write({"sheets": [{"name": "data", "rows": [["kode", "nama"], ["a", "x" * 300]]}]}, path)
        self.edge("cellBytes", 300, "ODP-F12")

    def test_ratio_of_a_workbook(self):
        path = self.put("data.xlsx")
        spec = {"sheets": [{"name": "data", "rows": [["kode", "nama"], ["a", "b"]]}]}
        sheet = workbooks.Book(spec).parts()["xl/worksheets/sheet1.xml"]
        workbooks.write({**spec, "replace": {"xl/worksheets/sheet1.xml": sheet.replace("<sheetData>", "<sheetData>" + " " * (17 << 20))}}, path)
        self.limit(ratio=1000000)
        self.assertEqual(self.check(0), [])
        self.limit(ratio=2)
        self.assertEqual([d["code"] for d in self.check(1)], ["ODP-F12"])

    def test_fields(self):
        """1,848 fields are published, one more is told: SQLite takes no more columns of a query index."""
        for n in (1848, 1849):
            path = self.put("data.csv", fields=[f"k{i}" for i in range(n)]) if n == 1848 else self.dir / "catalog/data/data.csv"
            package = odp.read_json(path.parent / "dataset.json")
            package["resources"][0]["schema"]["fields"] = [{"name": f"k{i}", "type": "string"} for i in range(n)]
            (path.parent / "dataset.json").write_text(json.dumps(package))
            path.write_text(",".join(f"k{i}" for i in range(n)) + "\n" + ",".join("x" * n) + "\n")
            if n == 1848:
                self.odp("build", "--catalog", "catalog", "--out", "site", "--today", "2024-03-21")
            else:
                self.assertEqual([d["code"] for d in self.check(2)], ["ODP-C04"])

    def test_a_text_of_the_catalogue(self):
        self.put("data.csv").write_text(ROWS)
        path = self.dir / "catalog/data/dataset.json"
        package = odp.read_json(path)
        for n, expect in ((1 << 20, 0), ((1 << 20) + 1, 2)):
            package["description"] = "x" * n
            path.write_text(json.dumps(package))
            self.assertEqual([d["code"] for d in self.check(expect)], ["ODP-C18"] if expect else [])
            self.odp("build", "--catalog", "catalog", "--out", "site", "--today", "2024-03-21", expect=expect)

    def test_what_a_limit_may_be(self):
        """Every limit of limits.def: its least and its most are taken, what is beyond is a fault of portal.json with its line."""
        self.put("data.csv").write_text(ROWS)
        text = (odp.SOURCE / "tools/lib/base/limits.def").read_text()
        rows = re.findall(r'^ODP_LIMIT\(\w+, "(\w+)", ([^,]+), ([^,]+), ([^,]+),', text, re.M)
        self.assertGreater(len(rows), 8)
        table = (odp.SOURCE / "docs/limits.md").read_text()
        for name, usual, least, most in rows:
            numbers = [eval(re.sub(r"INT64_C\((\d+)\)", r"\1", n)) for n in (usual, least, most)]  # "INT64_C(1) << 30"
            self.assertTrue(numbers[1] <= numbers[0] <= numbers[2], name)
            self.assertIn(f"`{name}`", table)
            for value, good in ((numbers[2], True), (numbers[1] - 1, False), (numbers[2] + 1, False), (-1, False), ("x", False), (None, False)):
                self.limit(**{name: value})
                if good:
                    self.check(0)
                else:
                    faults = self.check(2)
                    self.assertIn("portal.json", faults[0]["file"])
                    self.assertGreater(faults[0]["line"], 0)
        self.limit(kolom=3)
        self.assertIn("ODP-C12", self.odp("check", "--catalog", "catalog", "--today", "2024-03-21", expect=0).stderr)


class Links(odp.Case):
    """Symbolic links: what comes with a catalogue stays in it; folders of --sources are the operator's."""

    def put(self):
        self.catalogue(references=False)
        folder = self.dataset("data", ROWS, [{"name": "kode"}, {"name": "nama"}])
        (self.dir / "luar").mkdir()
        (folder / "data.csv").rename(self.dir / "luar/data.csv")
        return folder

    def codes(self, *more, expect):
        return [d["code"] for d in self.report("check", "--catalog", "catalog", "--today", "2024-03-21", *more, expect=expect)["diagnostics"]]

    def test_a_source(self):
        folder = self.put()
        (folder / "data.csv").symlink_to("../../luar/data.csv")
        self.assertEqual(self.codes(expect=1), ["ODP-F16"])
        self.odp("build", "--catalog", "catalog", "--out", "site", "--today", "2024-03-21", expect=1)
        (folder / "data.csv").unlink()
        (folder / "asli.csv").write_text(ROWS)
        (folder / "data.csv").symlink_to("asli.csv")
        self.assertEqual(self.codes(expect=0), [])

    def test_a_folder_on_the_way(self):
        folder = self.put()
        package = odp.read_json(folder / "dataset.json")
        package["resources"][0]["path"] = "sub/data.csv"
        (folder / "dataset.json").write_text(json.dumps(package))
        (folder / "sub").symlink_to("../../luar")
        self.assertEqual(self.codes(expect=1), ["ODP-F16"])

    def test_sources_elsewhere_may_be_links(self):
        self.put()
        (self.dir / "sumber/data").mkdir(parents=True)
        (self.dir / "sumber/data/data.csv").symlink_to("../../luar/data.csv")
        self.assertEqual(self.codes("--sources", "sumber", expect=0), [])

    def test_a_catalogue_behind_a_link(self):
        folder = self.put()
        (folder / "data.csv").write_text(ROWS)
        (self.dir / "catalog").rename(self.dir / "asli")
        (self.dir / "catalog").symlink_to("asli")
        self.assertEqual(self.codes(expect=0), [])

    def test_files_of_the_catalogue(self):
        folder = self.put()
        (folder / "data.csv").write_text(ROWS)
        for path in ("data/dataset.json", "portal.json", "changes.json", "rules.json", "theme.json"):
            file = self.dir / "catalog" / path
            there = file.exists()
            if there:
                file.rename(self.dir / "luar/simpan.json")
            else:
                (self.dir / "luar/simpan.json").write_text("{}")
            file.symlink_to(self.dir / "luar/simpan.json")
            self.assertIn("ODP-C36", self.codes(expect=2), path)
            file.unlink()
            file.symlink_to("tidak-ada")
            self.assertIn("ODP-C02", self.codes(expect=2), path)
            file.unlink()
            if there:
                (self.dir / "luar/simpan.json").rename(file)
        self.assertEqual(self.codes(expect=0), [])

    def test_a_part_of_a_shapefile(self):
        self.catalogue(references=False)
        folder = self.dataset("data", "", [{"name": "kode"}], resource={"path": "data.shp", "odp:geometry": {"types": ["Point"]}})
        shapes.write({"name": "data", "type": 1, "prj": "EPSG:4326", "fields": [["kode", "C", 10, 0]], "records": [{"shape": [106, -6], "values": ["a"]}]}, folder)
        (folder / "data.prj").rename(self.dir / "data.prj")
        (folder / "data.prj").symlink_to("../../data.prj")
        self.assertEqual(self.codes(expect=1), ["ODP-F16"])


class Formulas(odp.Case):
    """Text that a spreadsheet would run: told, and never changed where the format is exact."""
    RUN = ["=1+1", "=HYPERLINK(\"http://x\";\"y\")", "=cmd|' /C calc'!A0", "@SUM(1+1)", "+A1*2", "-SUM(A1)", "+1+1", "-2+3+cmd|' /C calc'!A0", "\t=1+1", "-(1)", "=-1"]
    STAY = ["-5", "+62 812-3456", "- dengan jarak", "====", "@kementerian", "-", "+", "=", "@", "a=1+1", "1-2", "+62-21-7226601"]

    def test_told_and_kept(self):
        self.catalogue(references=False)
        quoted = ['"' + t.replace('"', '""') + '"' for t in self.RUN + self.STAY]
        self.dataset("data", "teks\n" + "\n".join(quoted) + "\n", [{"name": "teks", "type": "string", "odp:privacy": ["nik", "npwp", "phone", "email"]}],
                     **{"odp:formats": ["CSV", "JSON", "Excel"]})
        report = self.report("check", "--catalog", "catalog", "--today", "2024-03-21")
        told = [d["value"] for d in report["diagnostics"] if d["code"] == "ODP-W13"]
        self.assertEqual(told, self.RUN)
        self.odp("build", "--catalog", "catalog", "--out", "site", "--today", "2024-03-21")
        latest = self.dir / "site/data/data/latest"
        self.assertEqual([r["teks"] for r in odp.read_csv(latest / "data.csv")], self.RUN + self.STAY)
        self.assertEqual([r["teks"] for r in odp.read_json(latest / "data.json")["data"]] if isinstance(odp.read_json(latest / "data.json"), dict) else
                         [r["teks"] for r in odp.read_json(latest / "data.json")], self.RUN + self.STAY)
        excel = (latest / "data.excel.csv").read_text(encoding="utf-8-sig")
        for text in self.RUN:
            self.assertNotRegex(excel, rf'(^|[\r\n;])"?{re.escape(text.replace(chr(34), chr(34) * 2))}"?([;\r\n]|$)')
        with zipfile.ZipFile(latest / "data.xlsx") as z:
            for name in z.namelist():
                if name.startswith("xl/worksheets/"):
                    self.assertNotIn(b"<f>", z.read(name))


if __name__ == "__main__":
    odp.main()
