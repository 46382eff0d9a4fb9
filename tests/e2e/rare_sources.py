"""Sources that are not what their name says, that are no file at all, or whose text is in an encoding seldom met; label rows with comments between them. A
steward reads what it is, or gets the right text."""
import os
import socket
import sys
import unittest

import odp

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import shapes  # noqa: E402

TEXT = [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}]
OTHERS = {
    "RAR": b"Rar!\x1a\x07\x01\x00" + b"\x33" * 200,
    "7-Zip": b"7z\xbc\xaf\x27\x1c\x00\x04" + b"\x33" * 200,
    "ZIP": b"PK\x03\x04" + b"\x33" * 200,
    "Excel (.xlsx)": b"PK\x03\x04" + b"\0" * 22 + b"[Content_Types].xml" + b"\x33" * 200,
    "OpenDocument (.ods)": b"PK\x03\x04" + b"\0" * 22 + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
    "Excel 97 (.xls)": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 200,
    "PDF": b"%PDF-1.7\n1 0 obj\n",
    "gzip": b"\x1f\x8b\x08\x00" + b"\x33" * 200,
    "HTML": b"\xef\xbb\xbf \r\n<TABLE><tr><td>kode</td><td>nama</td></tr></TABLE>\n",
    "XML": b"<?xml version='1.0'?>\n<data><kode>1</kode></data>\n",
    "Excel 2003 XML": b"<?xml version='1.0'?>\n<?mso-application progid='Excel.Sheet'?><Workbook/>\n",
    "JSON": b"[ {\"kode\": \"1\", \"nama\": \"a\"} ]\n",
}
# What a .cpg says, Python's name of the encoding, and a text that has other bytes in it than in UTF-8.
CPG = [("UTF-8", "utf-8", "Sélat é"), ("8859_1", "latin-1", "Sélat é"), ("ISO 8859-15", "iso8859-15", "5 € é"), ("ISO-8859-2", "iso8859-2", "Łódź"),
       ("28592", "iso8859-2", "Łódź"), ("28605", "iso8859-15", "5 € é"),
       ("10000", "mac-roman", "Sélat é"), ("macroman", "mac-roman", "Sélat é"), ("ANSI 1252", "cp1252", "5 € é"),
       ("windows-1250", "cp1250", "Łódź"), ("OEM 850", "cp850", "Sélat é"), ("LDID/87", "cp1252", "5 € é"),
       ("LDID/100", "cp852", "Łódź"), ("Shift_JIS", "shift-jis", "ジャワ"),
       ("GBK", "gbk", "爪哇"), ("\ufeffUTF-8\r\nlain", "utf-8", "Sélat é"), ("CP1252\0", "cp1252", "5 € é")]
UNKNOWN_CPG = ["LDID/250", "klingon", "CP99999"]


class Sources(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def faults(self, expect=1):
        report = self.report("check", "--lang", "en", "--today", "2024-03-21", expect=expect)
        return [d for d in report["diagnostics"] if d["severity"] == "error"]

    def test_other_kinds_of_files(self):
        folder = self.dataset("satu", "", TEXT)
        for kind, data in OTHERS.items():
            with self.subTest(kind):
                (folder / "satu.csv").write_bytes(data)
                found = self.faults()
                self.assertEqual([d["code"] for d in found], ["ODP-F03"], found)
                self.assertIn(kind, " ".join(filter(None, (found[0]["message"], found[0]["value"], found[0]["help"]))))
                self.assertEqual(found[0]["file"], "catalog/satu/satu.csv")

    def test_a_label_may_begin_with_a_bracket(self):
        folder = self.dataset("satu", "", [{"name": "[kode]", "type": "string"}, {"name": "{nama}", "type": "string"}])
        (folder / "satu.csv").write_text("[kode],{nama}\n1,a\n")
        found = self.faults(expect=None)
        self.assertNotIn("ODP-F03", [d["code"] for d in found])

    def refused(self, path, word):
        (fault,) = self.faults()
        self.assertEqual(fault["code"], "ODP-F02", fault)
        self.assertEqual(fault["file"], "catalog/satu/satu.csv")
        self.assertIn(word, " ".join(filter(None, (fault["message"], fault["value"], fault["help"]))))

    def test_no_file_at_all(self):
        folder = self.dataset("satu", "", TEXT)
        source = folder / "satu.csv"
        source.unlink()
        os.mkfifo(source)  # nobody writes into it: reading would wait for ever
        self.refused(source, "it is not a regular file")
        source.unlink()
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(folder)  # the path of a socket may have 107 bytes
            server.bind("satu.csv")
            os.chdir(here)
            self.refused(source, "it is not a regular file")
        source.unlink()
        source.mkdir()
        self.refused(source, "it is a folder, not a file")

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_a_file_that_may_not_be_read(self):
        source = self.dataset("satu", "kode,nama\n1,a\n", TEXT) / "satu.csv"
        source.chmod(0)
        self.refused(source, "permission denied")

    def shapefile(self, cpg, text):
        folder = self.dir / "catalog/peta"
        job = {"name": "peta", "type": 1, "prj": "EPSG:4326", "fields": [["nama", "C", 30, 0]],
               "records": [{"shape": [106.8, -6.2], "values": [text.decode("latin-1")]}], "bytes": True}
        shapes.write(job, folder)
        (folder / "peta.cpg").write_bytes(cpg.encode())

    def test_encodings_of_shapefiles(self):
        folder = self.dataset("peta", "", [{"name": "nama", "type": "string"}], {"path": "peta.shp", "odp:geometry": {"types": ["Point"]}})
        (folder / "peta.csv").unlink()
        for number, (cpg, coding, text) in enumerate(CPG):
            with self.subTest(cpg):
                self.shapefile(cpg, text.encode(coding))
                self.odp("build", "--out", f"site{number}", "--today", "2024-03-21")
                (row,) = odp.read_csv(self.dir / f"site{number}/data/peta/latest/peta.csv")
                self.assertEqual(row["nama"], text)
        for cpg in UNKNOWN_CPG:
            with self.subTest(cpg):
                self.shapefile(cpg, b"a")
                (fault,) = self.faults()
                self.assertEqual(fault["code"], "ODP-E02", fault)
                self.assertIn(cpg, " ".join(filter(None, (fault["message"], fault["value"], fault["help"]))), fault)

    def test_label_rows_with_comments_between(self):
        fields = [{"name": "wilayah kode", "type": "string"}, {"name": "wilayah nama", "type": "string"}, {"name": "luas", "type": "number"}]
        rows = "# laporan\nwilayah,wilayah,luas\n# satuan: ha\nkode,nama\n31.71,Jakarta Pusat,5\n# akhir\n"
        self.dataset("satu", rows, fields, {"dialect": {"headerRows": [2, 4], "commentChar": "#"}})
        self.odp("build", "--out", "site", "--today", "2024-03-21")
        (row,) = odp.read_csv(self.dir / "site/data/satu/latest/satu.csv")
        self.assertEqual(row, {"wilayah kode": "31.71", "wilayah nama": "Jakarta Pusat", "luas": "5"})


if __name__ == "__main__":
    odp.main()
