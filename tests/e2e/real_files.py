"""The kinds of files that stewards bring, made here byte for byte: tables of Indonesian agencies as spreadsheets leave them, and
boundaries as GIS desks export them. Each has the descriptor a user would write. Clean values come out exactly; each fault is
reported once, at its line, column and field, in both languages, with nothing in its wake."""
import decimal
import gzip
import io
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import zipfile

import odp

SEMICOLON = {"delimiter": ";"}
BOX = [94.5, -11.5, 141.5, 6.5]


def text(name, **more):
    return {"name": name, "type": "string", **more}


def number(name, **more):
    return {"name": name, "type": "number", **more}


def integer(name, **more):
    return {"name": name, "type": "integer", **more}


def date(name, **more):
    return {"name": name, "type": "date", **more}


REQUIRED = {"constraints": {"required": True}}
REGENCY = {"odp:foreignKeys": [{"fields": ["kode"], "reference": {"dataset": "references/kabkota@2025", "fields": ["kode"]}}]}
PLAIN = [text("kode", **REQUIRED), text("nama", **REQUIRED), integer("jumlah", groupChar=".")]
HEADER = "kode;nama;jumlah\n"
CLEAN = "11.01;Aceh Selatan;1.234\n11.02;Aceh Tenggara;22\n"
CLEAN_ROWS = [{"kode": "11.01", "nama": "Aceh Selatan", "jumlah": 1234}, {"kode": "11.02", "nama": "Aceh Tenggara", "jumlah": 22}]


class Files(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue()

    def put(self, data, fields=PLAIN, slug="berkas", **resource):
        """A dataset whose source is DATA, byte for byte."""
        resource.setdefault("dialect", SEMICOLON)
        folder = self.dataset(slug, "", fields, json.loads(json.dumps(resource)))
        (folder / f"{slug}.csv").write_bytes(data.encode() if isinstance(data, str) else data)

    def no_site(self):
        """A build to come is the first one: it reads everything, and what another case published has no say."""
        odp.remove_tree(self.dir / "build/site.builds")
        (self.dir / "build/site").unlink(missing_ok=True)

    def faults(self, *slugs, expect=1, command="check"):
        """The diagnostics of a run, as (code, line, column, field), in the order of the file; the same in both languages, and no
        template with an empty place."""
        reports = []
        for lang in ("id", "en"):
            self.no_site()
            report = self.report(command, *slugs, "--lang", lang, expect=expect)
            reports.append(report)
            for d in report["diagnostics"]:
                for part in (d["message"], d["help"] or ""):
                    self.assertNotRegex(part, r"\{\d\}|\{value\}|; $|^; |\(null\)")
        self.diagnostics = odp.each(reports[0])
        place = [[(d["code"], d["line"], d["column"], d["field"], d.get("proposal")) for d in odp.each(r)] for r in reports]
        self.assertEqual(*place)
        self.assertEqual(sum(reports[0]["counts"].values()), len(self.diagnostics))
        self.proposals = {(d["line"], d["field"]): d.get("proposal") for d in self.diagnostics}
        self.help = {d["code"]: d["help"] for d in reports[1]["diagnostics"]}
        return sorted(((d["code"], d["line"], d["column"], d["field"]) for d in self.diagnostics), key=lambda f: (f[1] or 0, f[2] or 0, f[0]))

    def published(self, slug="berkas"):
        """The records as JSON has them, numbers exact."""
        path = self.dir / "build/site/data" / slug / "2024-03-15" / f"{slug}.json"
        return json.loads(path.read_text(), parse_float=decimal.Decimal)["data"]

    def comes_out(self, rows, warnings=()):
        """A build publishes ROWS and says no more than WARNINGS."""
        self.assertEqual(self.faults("berkas", expect=0, command="build"), sorted(warnings, key=lambda f: (f[1], f[2], f[0])))
        self.assertEqual(self.published(), rows)

    def finds(self, *faults):
        self.assertEqual(self.faults("berkas"), list(faults))


class Cells(Files):
    def test_agency_table(self):
        fields = [text("kode", **REQUIRED), text("nama"), number("luas", decimalChar=",", groupChar="."), date("tanggal", format="%d %B %Y")]
        self.put('kode;nama;luas;tanggal\r\n11.01;Aceh Selatan;"40.734,54 ";06 Juli 2017\r\n11.02;Aceh Tenggara;4.242,04;6 Agt 2017\r\n'
                 '11.03;"Aceh; Timur";0,50;17 Agustus 1945\r\n11.04;Aceh Tengah;;\r\n', fields, **REGENCY)
        D = decimal.Decimal
        self.comes_out([{"kode": "11.01", "nama": "Aceh Selatan", "luas": D("40734.54"), "tanggal": "2017-07-06"},
                        {"kode": "11.02", "nama": "Aceh Tenggara", "luas": D("4242.04"), "tanggal": "2017-08-06"},
                        {"kode": "11.03", "nama": "Aceh; Timur", "luas": D("0.50"), "tanggal": "1945-08-17"},
                        {"kode": "11.04", "nama": "Aceh Tengah", "luas": None, "tanggal": None}],
                       [("ODP-W01", 2, 20, "luas")])
        self.assertEqual(self.proposals[2, "luas"], "40.734,54")
        path = self.dir / "build/site/data/berkas/2024-03-15/berkas.csv"
        self.assertIn("\n11.01,Aceh Selatan,40734.54,2017-07-06\n", path.read_text().replace("\r", ""))
        self.sums_agree(path, "luas", D("44977.08"), 3)

    def sums_agree(self, path, field, total, count):
        """With Miller and csvkit, where they are."""
        if shutil.which("mlr"):
            done = subprocess.run(["mlr", "--icsv", "--ojson", "filter", f'${{{field}}} != ""', "then", "stats1", "-a", "sum,count",
                                   "-f", field, path], capture_output=True, check=True)
            found = json.loads(done.stdout)
            found = found[0] if isinstance(found, list) else found
            self.assertAlmostEqual(float(found[f"{field}_sum"]), float(total), places=6)
            self.assertEqual(int(found[f"{field}_count"]), count)
        if shutil.which("csvstat"):
            done = subprocess.run(["csvstat", "--sum", "-c", field, path], capture_output=True, check=True)
            self.assertAlmostEqual(float(done.stdout.decode().replace(",", "")), float(total), places=2)

    def test_numbers_that_spreadsheets_and_people_write(self):
        cells = ["1.234,56", "-5", "Rp 1.500.000,00", "12 %", "-", "n/a", "(1.234)", "1\u00a0234,5", "1,234.56", "12.5", "1.234.56",
                 "2.9O3", "#REF!", "#####", "1,23E+15", "-Rp 500", "\u22125", "1.234*)", "500-", "Nihil"]
        self.put("kode;luas\n" + "".join(f"{n};{c}\n" for n, c in enumerate(cells, 2)),
                 [text("kode"), number("luas", decimalChar=",", groupChar=".")])
        said = {d["line"]: (d["code"][4:], d.get("proposal")) for d in (self.faults("berkas"), self.diagnostics)[1]}
        self.assertEqual({cells[line - 2]: fault for line, fault in said.items()}, {
            "Rp 1.500.000,00": ("T03", "1.500.000,00"), "12 %": ("T03", None), "-": ("T03", None), "n/a": ("T03", None),
            "(1.234)": ("T03", "-1.234"), "1\u00a0234,5": ("T03", "1.234,5"), "1,234.56": ("T04", "1.234,56"), "12.5": ("T04", "12,5"),
            "1.234.56": ("T04", None), "2.9O3": ("T03", "2.903"), "#REF!": ("S01", None), "#####": ("S02", None), "1,23E+15": ("S06", None),
            "-Rp 500": ("T03", "-500"), "\u22125": ("T03", "-5"), "1.234*)": ("T03", None), "500-": ("T03", None), "Nihil": ("T03", None)})
        helps = {d["value"]: d["help"] or "" for d in self.diagnostics}
        self.assertIn("negatif", helps["(1.234)"])
        self.assertIn("missingValues", helps["-"])
        self.assertIn("bareNumber", helps["12 %"])
        self.assertIn("'.'", helps["1,234.56"])

    def test_numbers_with_text_around_them_when_declared(self):
        self.put("kode;rp;persen\n1;Rp 1.500.000,00;12,5 %\n2;Rp1.500,-;-3%\n3;-Rp 20;0\n4;(1.234);1\n",
                 [text("kode"), number("rp", decimalChar=",", groupChar=".", bareNumber=False), number("persen", decimalChar=",", bareNumber=False)])
        self.finds(("ODP-T03", 5, 3, "rp"))
        self.assertEqual(self.proposals[5, "rp"], "-1.234")
        self.put_again(lambda s: s.replace("(1.234)", "-"))
        self.finds(("ODP-T03", 5, 3, "rp"))
        self.put_again(lambda s: s.replace(";-;", ";;"))
        D = decimal.Decimal
        self.comes_out([{"kode": "1", "rp": D("1500000.00"), "persen": D("12.5")}, {"kode": "2", "rp": 1500, "persen": -3},
                        {"kode": "3", "rp": -20, "persen": 0}, {"kode": "4", "rp": None, "persen": 1}])

    def put_again(self, change):
        path = self.dir / "catalog/berkas/berkas.csv"
        path.write_bytes(change(path.read_bytes().decode()).encode())

    def test_integers(self):
        cells = {"1.5": ("T04", None), "(1.234)": ("T02", "-1.234"), "1,234": ("T02", "1.234"), "12,0": ("T02", "12"), "12,5": ("T02", None),
                 "1.234.56": ("T04", None), "dua": ("T02", None), "1 234": ("T02", "1.234"), "1,23E+15": ("S03", None)}
        self.put("kode;jumlah\n" + "".join(f"{n};{c}\n" for n, c in enumerate(cells, 2)), [text("kode"), integer("jumlah", groupChar=".")])
        self.faults("berkas")
        self.assertEqual({d["value"]: (d["code"][4:], d.get("proposal")) for d in self.diagnostics}, cells)
        for d in self.diagnostics:
            if d["code"] != "ODP-S03":
                self.assertIn("1.234.567", d["message"])
                self.assertNotIn("desimal '.'", d["message"])

    def test_floats_where_integers_are_meant(self):
        self.put("kode;jumlah\n1;12.0\n2;1.234\n3;7\n", [text("kode"), integer("jumlah")])
        self.finds(("ODP-T02", 2, 3, "jumlah"), ("ODP-T02", 3, 3, "jumlah"))
        self.assertEqual((self.proposals[2, "jumlah"], self.proposals[3, "jumlah"]), ("12", "1234"))

    def test_dates(self):
        cells = {"2017/07/06": ("T07", "06 Juli 2017"), "2017-07-06": ("T07", "06 Juli 2017"), "13/07/2017": ("T07", "13 Juli 2017"),
                 "06/07/2017": ("T07", None), "45123": ("S05", "16 Juli 2023"), "Mei-17": ("T07", None), "31 Februari 2017": ("T08", None),
                 "#N/A": ("S01", None), "Kamis, 6 Juli 2017": ("T07", "06 Juli 2017")}
        right = ["06 Juli 2017", "6 Agt 2017", "6 juli 2017", "1 Nopember 2017", "6 July 2017"]
        self.put("no;tanggal\n" + "".join(f"{n};{c}\n" for n, c in enumerate([*cells, *right], 2)),
                 [text("no"), date("tanggal", format="%d %B %Y")])
        self.faults("berkas")
        self.assertEqual({d["value"]: (d["code"][4:], d.get("proposal")) for d in self.diagnostics}, cells)
        self.assertTrue(all("17 Agustus 2017" in d["message"] for d in self.diagnostics if d["code"] == "ODP-T07"))

    def test_mixed_dates_when_declared(self):
        self.put("no;tanggal\n1;06 Juli 2017\n2;6 Agt 2017\n3;2017/07/06\n4;2017-07-06\n5;06/07/2017\n", [text("no"), date("tanggal", format="any")])
        self.finds(("ODP-T07", 6, 3, "tanggal"))
        self.put_again(lambda s: s.replace("5;06/07/2017\n", ""))
        self.comes_out([{"no": str(n), "tanggal": f"2017-{m}-06"} for n, m in ((1, "07"), (2, "08"), (3, "07"), (4, "07"))])

    def test_codes_that_a_spreadsheet_mangled(self):
        self.put("kode;nama\n11.1;a\n1,11E+01;b\n11.10;c\n317402;d\n", [text("kode", constraints={"required": True, "pattern": r"[0-9][0-9]\.[0-9][0-9]"}), text("nama")],
                 **REGENCY)
        self.finds(("ODP-S04", 2, 1, "kode"), ("ODP-S03", 3, 1, "kode"), ("ODP-B09", 5, 1, "kode"))
        self.assertEqual(self.proposals[2, "kode"], "11.10")

    def test_one_cell_very_long(self):
        long = "x" * 300_000
        self.put(HEADER + f"11.01;{long};1\n11.02;b;z\n")
        self.finds(("ODP-T02", 3, 9, "jumlah"))
        self.assertLess(len(self.odp("check", "berkas", expect=1).stderr), 4000)
        self.put_again(lambda s: s.replace(";z", ";2"))
        self.comes_out([{"kode": "11.01", "nama": long, "jumlah": 1}, {"kode": "11.02", "nama": "b", "jumlah": 2}])

    def test_three_hundred_columns(self):
        names = [f"k{n:03}" for n in range(300)]
        self.put(";".join(names) + "\n" + ";".join(map(str, range(300))) + "\n" + ";".join([*map(str, range(299)), "x"]) + "\n", [integer(n) for n in names])
        column = len(";".join(map(str, range(299)))) + 2
        self.finds(("ODP-T02", 3, column, "k299"))


class Rows(Files):
    def test_title_rows_declared(self):
        self.put("JUMLAH RUMAH TIDAK LAYAK HUNI;;\nProvinsi Aceh, Tahun 2023;;\n\n" + HEADER + CLEAN, dialect={"delimiter": ";", "headerRows": [4]})
        self.comes_out(CLEAN_ROWS)

    def test_title_rows_undeclared(self):
        self.put("JUMLAH RUMAH TIDAK LAYAK HUNI;;\nProvinsi Aceh, Tahun 2023;;\n\n" + HEADER + CLEAN)
        self.finds(("ODP-H08", 1, 1, None))
        self.assertIn("headerRows", self.help["ODP-H08"])
        self.assertIn("4", self.help["ODP-H08"])

    def test_excel_separator_line(self):
        self.put("sep=;\n" + HEADER + CLEAN)
        self.finds(("ODP-H08", 1, 1, None))

    def test_merged_header(self):
        fields = [text("kode"), integer("layak", **{"odp:sourceName": "Rumah layak"}), integer("tidak", **{"odp:sourceName": "tidak layak"})]
        self.put("kode;Rumah;\n;layak;tidak layak\n11.01;1;2\n", fields, dialect={"delimiter": ";", "headerRows": [1, 2]})
        self.comes_out([{"kode": "11.01", "layak": 1, "tidak": 2}])

    def test_totals_and_notes(self):
        self.put(HEADER + "11.01;Aceh Selatan;1\nSub Total;;1\n11.02;Aceh Tenggara;22\nJumlah;;23\n;Jumlah Total;23\nTOTAL;23\n;;;\n\n"
                 "Sumber: BPS Provinsi Aceh, 2023;;\nCatatan : angka sementara\n*) belum diaudit;;\nKeterangan: RTLH; diolah\n")
        self.finds(("ODP-R08", 3, 1, None), ("ODP-R08", 5, 1, None), ("ODP-R08", 6, 1, None), ("ODP-R08", 7, 1, None), ("ODP-R01", 8, 1, None),
                   ("ODP-R01", 9, 1, None), ("ODP-R11", 10, 1, None), ("ODP-R11", 11, 1, None), ("ODP-R11", 12, 1, None), ("ODP-R11", 13, 1, None))

    def test_column_numbers_below_the_header(self):
        self.put("\ufeff" + '"kode";"nama";"jumlah"\n(1);(2);(3)\n' + CLEAN)
        self.finds(("ODP-R11", 2, 1, None))

    def test_words_of_totals_and_notes_in_records_are_data(self):
        rows = [("T1", "Total", 1), ("T2", "Catatan: rusak berat", 2), ("Jumlah", "Kel. Jumlah", 3)]
        self.put(HEADER + "".join(f"{a};{b};{c}\n" for a, b, c in rows))
        self.comes_out([{"kode": a, "nama": b, "jumlah": c} for a, b, c in rows])

    def test_trailing_empty_columns_and_rows(self):
        self.put("kode;nama;jumlah;;;;\n11.01;Aceh Selatan;1;;;;\n11.02;Aceh Tenggara;22;;;;\n;;;;;;\n")
        self.finds(("ODP-H02", 1, 18, None), ("ODP-R01", 4, 1, None))
        shutil.rmtree(self.dir / "catalog/berkas")
        self.put(HEADER + "11.01;Aceh Selatan;1;;;\n11.02;Aceh; Tenggara;22\n")
        self.finds(("ODP-R03", 2, 22, None), ("ODP-R03", 3, 22, None))
        empty, text_ = (d["help"] for d in self.diagnostics)
        self.assertIn("kosong", empty)
        self.assertIn("kutip", text_)

    def test_header_faults(self):
        for header, row, faults in (
                (" kode ;NAMA;Jumlah \n", "1;a;2\n", [("ODP-H07", 1, 1, "kode"), ("ODP-H04", 1, 8, "nama"), ("ODP-H04", 1, 13, "jumlah")]),
                (";kode;nama;jumlah\n", "0;1;a;2\n", [("ODP-H02", 1, 1, None)]),
                ("kode;nama;jumlah;nama\n", "1;a;2;b\n", [("ODP-H03", 1, 18, "nama")]),
                ("kode;jumlah\n", "1;2\n", [("ODP-H04", 1, 1, "nama")]),
                ('kode;na"ma;jumlah\n', "1;a;2\n", [("ODP-H04", 1, 6, "nama")]),
                ("kode;nama;jumlah;catatan\n", "1;a;2;b\n", [("ODP-H05", 1, 18, None)]),
                ("nama;kode;jumlah\n", "a;1;2\n", [("ODP-H06", 1, 6, None)]),
                ("Kode Kab/Kota;Nama Kabupaten;Banyaknya\n", "1;a;2\n", [("ODP-H01", 1, 1, None)]),
                ("kode,nama,jumlah\n", "1,a,2\n", [("ODP-H09", 1, 1, None)]),
                ("kode\tnama\tjumlah\n", "1\ta\t2\n", [("ODP-H09", 1, 1, None)])):
            with self.subTest(header=header):
                self.put(header + row)
                self.finds(*faults)
                shutil.rmtree(self.dir / "catalog/berkas")

    def test_header_repeated(self):
        self.put(HEADER + CLEAN + HEADER + "11.03;Aceh Timur;3\n")
        self.finds(("ODP-R10", 4, 1, None))

    def test_quotes(self):
        self.put(HEADER + '11.01;"Kel. "Menteng" Dalam";1\n11.02;"Kel. ""Menteng""";2\n11.03;Jl. 5" besar;5\n11.04;"Baris satu\nbaris dua";6\n'
                 '11.05;"tak tutup;7\n11.06;h;8\n11.07;i;x\n')
        self.finds(("ODP-R05", 2, 14, None), ("ODP-R04", 4, 12, "nama"), ("ODP-R09", 5, 7, "nama"), ("ODP-R06", 7, 7, None), ("ODP-T02", 9, 9, "jumlah"))
        self.assertNotIn("\ufffd", self.odp("check", "berkas", expect=1).stderr)

    def test_quotes_that_are_right(self):
        self.put(HEADER + '11.01;"Kel. ""Menteng""; Dalam";1\n11.02;"dua\r\nbaris";2\n11.03;Ma"mun;3\n')
        self.comes_out([{"kode": "11.01", "nama": 'Kel. "Menteng"; Dalam', "jumlah": 1}, {"kode": "11.02", "nama": "dua\r\nbaris", "jumlah": 2},
                        {"kode": "11.03", "nama": 'Ma"mun', "jumlah": 3}], [("ODP-R09", 3, 7, "nama"), ("ODP-R04", 5, 9, "nama")])


class Bytes(Files):
    TEXT = HEADER + "11.01;Kel. “Menteng” – café;1.234\n11.02;Aceh’s;22\n"
    ROWS = [{"kode": "11.01", "nama": "Kel. “Menteng” – café", "jumlah": 1234}, {"kode": "11.02", "nama": "Aceh’s", "jumlah": 22}]

    def test_encodings(self):
        tabs = self.TEXT.replace(";", "\t").replace("\n", "\r\n")
        for name, data, resource in (
                ("UTF-8 with a mark", b"\xef\xbb\xbf" + self.TEXT.encode(), {}),
                ("Windows-1252", self.TEXT.encode("cp1252"), {"encoding": "windows-1252"}),
                ("Unicode text", b"\xff\xfe" + tabs.encode("utf-16-le"), {"dialect": {"delimiter": "\t"}}),
                ("UTF-16", b"\xff\xfe" + tabs.encode("utf-16-le"), {"dialect": {"delimiter": "\t"}, "encoding": "utf-16"}),
                ("lone CR", self.TEXT.replace("\n", "\r").encode(), {}),
                ("CRLF, no line end", self.TEXT.replace("\n", "\r\n").rstrip().encode(), {})):
            with self.subTest(name):
                self.put(data, **resource)
                self.comes_out(self.ROWS)
                shutil.rmtree(self.dir / "catalog/berkas")

    def test_encoding_not_declared(self):
        self.put(self.TEXT.encode("cp1252"))
        self.finds(("ODP-E01", 2, 12, None), ("ODP-E01", 3, 11, None))
        self.assertIn("windows-1252", self.help["ODP-E01"])

    def test_windows_1252_declared_as_latin_1(self):
        self.put(self.TEXT.encode("cp1252"), encoding="iso-8859-1")
        self.finds(("ODP-W02", 2, 7, "nama"), ("ODP-W02", 3, 7, "nama"))
        self.assertIn("windows-1252", self.help["ODP-W02"])

    def test_utf16_contradicts_or_lacks_its_mark(self):
        data = self.TEXT.encode("utf-16-le")
        self.put(b"\xff\xfe" + data, encoding="utf-8")
        self.finds(("ODP-E03", 1, 1, None))
        shutil.rmtree(self.dir / "catalog/berkas")
        self.put(data)
        self.finds(("ODP-E04", 1, 2, None))

    def test_nul(self):
        self.put(HEADER + "11.01;a\0b;1\n11.02;b;2\n")
        self.finds(("ODP-E04", 2, 8, None))

    def test_damaged_text(self):
        self.put(HEADER + "11.01;AceÃ¨h;1\n11.02;R\ufffdmah;2\n")
        self.assertEqual(self.faults("berkas", expect=0), [("ODP-W04", 2, 7, "nama"), ("ODP-W03", 3, 7, "nama")])

    def test_other_kinds_of_files(self):
        xlsx = io.BytesIO()
        with zipfile.ZipFile(xlsx, "w") as z:
            z.writestr("[Content_Types].xml", "<Types/>")
            z.writestr("xl/workbook.xml", "<workbook/>")
        for name, data in (("Excel (.xlsx)", xlsx.getvalue()), ("Excel 97 (.xls)", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
                           ("HTML", b"\n<!DOCTYPE html>\n<html><table><tr><td>kode</td></tr></table></html>"),
                           ("HTML", b"\xef\xbb\xbf<table border=1><tr><td>kode;nama</td></tr></table>"),
                           ("JSON", b'[{"kode":"11.01","nama":"a","jumlah":1},\n{"kode":"11.02"}]'), ("JSON", b'{ "data": [] }\n'),
                           ("PDF", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), ("gzip", b"\x1f\x8b\x08\x00" + bytes(range(99)))):
            with self.subTest(name):
                self.put(data)
                self.finds(("ODP-F03", None, None, None))
                self.assertIn(name, self.help["ODP-F03"])
                shutil.rmtree(self.dir / "catalog/berkas")

    def test_labels_that_look_like_other_kinds(self):
        self.put("[kode];{nama}\n1;a\n", [text("kode", **{"odp:sourceName": "[kode]"}), text("nama", **{"odp:sourceName": "{nama}"})])
        self.comes_out([{"kode": "1", "nama": "a"}])

    def test_nothing(self):
        for data in ("", "\n\n\n", "   \n"):
            self.put(data)
            self.finds(("ODP-F04", None, None, None))
            shutil.rmtree(self.dir / "catalog/berkas")
        self.put(HEADER)
        self.assertEqual(self.faults("berkas", expect=0), [("ODP-F07", None, None, None)])


class Keys(Files):
    def test_regency_codes(self):
        codes = ["31.71", "11.1", "11,10", "11.1O", "99.99", " 11.01", "Aceh"]
        self.put("id;kode\n" + "".join(f"{n};{c}\n" for n, c in enumerate(codes, 2)), [text("id"), text("kode")], **REGENCY)
        self.finds(("ODP-S04", 3, 3, "kode"), *[("ODP-W12" if line == 7 else "ODP-K02", line, 3, "kode") for line in range(4, 9)])
        self.assertEqual([self.proposals[line, "kode"] for line in (3, 4, 5, 7)], ["11.10", "11.10", "11.10", "11.01"])
        self.assertIsNone(self.proposals[8, "kode"])

    def test_rejected_parent(self):
        self.put("id;nama\nA1;x\nA2;\n", [text("id"), text("nama", **REQUIRED)], slug="induk", schema={"primaryKey": ["id"]})
        self.put("id;induk\n1;A1\n2;A3\n3;A9\n", [text("id"), text("induk")], slug="anak",
                 **{"odp:foreignKeys": [{"fields": ["induk"], "reference": {"dataset": "induk", "fields": ["id"]}}]})
        self.assertEqual(self.faults("induk", "anak"), [("ODP-K04", None, None, "induk"), ("ODP-B01", 3, 4, "nama")])


class Privacy(Files):
    SECRETS = ["3174012501900001", "0812-3456-7890", "tono@example.go.id", "01.234.567.8-901.000", "+62 812 3456 7890"]
    FIELDS = [text("id"), text("nama"), text("ket"), text("rahasia", **{"sdi:aksesPublik": False}, constraints={"pattern": "[a-z0-9]+"})]

    def texts(self):
        """All that is said, and all that is written."""
        for lang in ("id", "en"):
            self.no_site()
            done = self.odp("build", "berkas", "--lang", lang, "--report", "json", expect=None)
            yield from (done.stdout, done.stderr)
        yield from self.written()

    def written(self):
        for path in (self.dir / "build").rglob("*"):
            if path.is_file() and path.suffix != ".br":
                data = path.read_bytes()
                yield (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(errors="replace")

    def test_identifiers_in_public_fields(self):
        self.put("id;nama;ket;rahasia\n" + "".join(f"{n};Nama{n}tetangga;lihat {s};sandi{n}\n" for n, s in enumerate(self.SECRETS, 2)), self.FIELDS)
        self.assertEqual([(code, line, field) for code, line, _, field in self.faults("berkas")],
                         [("ODP-P01", 2, "ket"), ("ODP-P03", 3, "ket"), ("ODP-P04", 4, "ket"), ("ODP-P02", 5, "ket"), ("ODP-P03", 6, "ket")])
        for said in self.texts():
            for secret in (*self.SECRETS, "tetangga", "sandi", "lihat"):
                self.assertNotIn(secret, said)

    def test_fields_that_are_not_public(self):
        self.put("id;nama;ket;rahasia\n1;a;b;sandiwara1\n2;c;d;SANDIWARA-2\n3;e;f;(12)\n", self.FIELDS)
        self.finds(("ODP-B09", 3, 7, "rahasia"), ("ODP-B09", 4, 7, "rahasia"))
        for said in self.texts():
            for secret in ("sandiwara1", "SANDIWARA-2", "(12)"):
                self.assertNotIn(secret, said)

    def test_values_of_private_numbers_are_not_explained(self):
        self.put("id;gaji\n1;Rp 7.654.321\n2;(7.654.321)\n3;nihil\n", [text("id"), number("gaji", decimalChar=",", groupChar=".", **{"sdi:aksesPublik": False})])
        self.finds(("ODP-T03", 2, 3, "gaji"), ("ODP-T03", 3, 3, "gaji"), ("ODP-T03", 4, 3, "gaji"))
        self.assertEqual(set(self.proposals.values()), {None})
        for said in self.texts():
            for secret in ("7.654.321", "7654321", "nihil"):
                self.assertNotIn(secret, said)

    def test_published_without_them(self):
        self.put("id;nama;ket;rahasia\n1;a;b;sandiwara1\n", self.FIELDS)
        self.comes_out([{"id": "1", "nama": "a", "ket": "b"}])
        for said in self.texts():
            self.assertNotIn("sandiwara1", said)


    def test_differences_between_versions(self):
        """Neither what was there nor what is there now is in differences, deltas or the list of versions; a change of it alone is none."""
        def rows(name, secret):
            return "id;nama;ket;rahasia\n" + "".join(f"{n};{name if n % 9 == 0 else 'nama'}{n};b;{secret}{n}\n" for n in range(300))
        self.put(rows("lama", "sandiwara"), self.FIELDS, schema={"primaryKey": ["id"]})
        self.odp("build")
        self.update("berkas", "2024-04-15", rows("baru", "sandiloka"))
        self.odp("build")
        said = [self.odp("diff", "berkas", "--lang", lang).stdout for lang in ("id", "en")]
        changes = odp.read_json(self.dir / "build/site/data/berkas/2024-04-15/changes.json")
        self.assertEqual(changes["summary"]["changed"], 34)
        self.assertTrue(list((self.dir / "build/site/data/berkas/2024-04-15").glob("*.delta")))
        before = odp.digests(self.dir / "build/site")
        self.update("berkas", "2024-04-15", rows("baru", "sandisatria"))
        self.odp("build")
        self.assertEqual(odp.digests(self.dir / "build/site"), before)
        self.assertIn("lama9", said[0])
        for text in (*said, *self.written()):
            for secret in ("sandiwara", "sandiloka", "sandisatria"):
                self.assertNotIn(secret, text)


# ---- shapefiles, made by hand ------------------------------------------------------------------------------------------------

WGS84 = ('GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],'
         'UNIT["Degree",0.0174532925199433]]')
NULL = struct.pack("<i", 0)
COLUMNS = (("KODE", "C", 10), ("NAMA", "C", 40))
SHAPE_FIELDS = [text("kode", **{"odp:sourceName": "KODE"}, constraints={"required": True}), text("nama", **{"odp:sourceName": "NAMA"})]


def table(rows, columns=COLUMNS, encoding="latin-1", deleted=()):
    width = 1 + sum(c[2] for c in columns)
    out = struct.pack("<BBBBIHH20x", 3, 124, 3, 15, len(rows), 33 + 32 * len(columns), width)
    for name, kind, size in columns:
        out += struct.pack("<11sc4xBB14x", name.encode(), kind.encode(), size, 2 if kind == "N" else 0)
    out += b"\r"
    for n, row in enumerate(rows):
        out += b"*" if n in deleted else b" "
        out += b"".join(v.encode(encoding).ljust(c[2]) for v, c in zip(row, columns))
    return out + b"\x1a"


def polygon(*rings, z=None):
    points = [p for r in rings for p in r]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    starts = [sum(len(r) for r in rings[:n]) for n in range(len(rings))] if len(rings) < 100 else list(range(0, len(points), len(rings[-1])))
    out = struct.pack("<i4d2i", 5 if z is None else 15, min(xs), min(ys), max(xs), max(ys), len(rings), len(points))
    out += struct.pack(f"<{len(starts)}i", *starts) + b"".join(struct.pack("<2d", *p) for p in points)
    return out if z is None else out + struct.pack(f"<{len(points) + 2}d", *[z] * (len(points) + 2))


def point(x, y, m=None):
    return struct.pack("<i2d", 1, x, y) if m is None else struct.pack("<i3d", 21, x, y, m)


def shapes(kind, records):
    """The .shp and the .shx."""
    body, index = b"", b""
    for n, record in enumerate(records):
        index += struct.pack(">2i", (100 + len(body)) // 2, len(record) // 2)
        body += struct.pack(">2i", n + 1, len(record) // 2) + record

    def head(size):
        return struct.pack(">7i", 9994, 0, 0, 0, 0, 0, (100 + size) // 2) + struct.pack("<2i8d", 1000, kind, *BOX, 0, 0, 0, 0)
    return head(len(body)) + body, head(len(index)) + index


def square(x, y, size=0.1, hole=False):
    ring = [(x, y), (x, y + size), (x + size, y + size), (x + size, y), (x, y)]
    return ring[::-1] if hole else ring


class ShapeFiles(Files):
    def shape(self, kind, records, rows, prj=WGS84, without=(), upper=False, zipped=None, fields=SHAPE_FIELDS, columns=COLUMNS, encoding="latin-1",
              deleted=(), **resource):
        """Dataset peta, a shapefile. ZIPPED: the folder inside a zip archive."""
        name = "peta.zip" if zipped is not None else "peta.SHP" if upper else "peta.shp"
        resource.setdefault("schema", {"primaryKey": [fields[0]["name"]]})
        folder = self.dataset("peta", "", fields, {"path": name, **resource}, **{"odp:formats": ["GeoJSON", "CSV"]})
        (folder / "peta.csv").unlink()
        shp, shx = shapes(kind, records)
        parts = {"shp": shp, "shx": shx, "dbf": table(rows, columns, encoding, deleted), "prj": prj and prj.encode()}
        parts = {f"peta.{k.upper() if upper else k}": v for k, v in parts.items() if v is not None and k not in without}
        if zipped is None:
            for part, data in parts.items():
                (folder / part).write_bytes(data)
            return
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as z:
            for part, data in parts.items():
                z.writestr(zipped + part, data)

    def again(self):
        shutil.rmtree(self.dir / "catalog/peta")

    def geojson(self, slug="peta"):
        path = self.dir / f"build/site/data/{slug}/2024-03-15/{slug}.geojson"
        done = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "rfc7946.py", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[:2000])
        return path, json.loads(path.read_text())["features"]

    def gives(self, *features, notes=()):
        """A build publishes FEATURES: (kode, nama, geometry type, first position)."""
        self.assertEqual(self.faults("peta", expect=0, command="build"), list(notes))
        found = []
        for f in self.geojson()[1]:
            at = f["geometry"] and f["geometry"]["coordinates"]
            while at and isinstance(at[0], list):
                at = at[0]
            found.append((f["properties"]["kode"], f["properties"]["nama"], f["geometry"] and f["geometry"]["type"], at))
        self.assertEqual(found, list(features))

    def finds(self, *faults):
        self.assertEqual([(code, line) for code, line, _, _ in self.faults("peta")], list(faults))


class Shapes(ShapeFiles):
    def test_boundaries_with_every_fault(self):
        bow = [(107, -6), (107.1, -5.9), (107.1, -6), (107, -5.9), (107, -6)]
        spike = [(107, -6), (107, -5.9), (107.05, -5.9), (107.05, -5.8), (107.05, -5.9), (107.1, -5.9), (107.1, -6), (107, -6)]
        twice = [(107, -6), (107, -5.9), (107, -5.9), (107.1, -5.9), (107.1, -6), (107, -6)]
        rings = [square(106, -6), None, bow, square(107, -6)[:-1], spike, twice, square(108, -6), square(150, -6), square(-6, 107)]
        codes = ["31.01", "31.02", "31.03", "31.04", "31.05", "31.06", "31.01", "31.08", "31.09"]
        self.shape(5, [polygon(r) if r else NULL for r in rings], [[c, "x"] for c in codes])
        self.finds(("ODP-G01", 2), ("ODP-G04", 3), ("ODP-G03", 4), ("ODP-G04", 5), ("ODP-K01", 7), ("ODP-G06", 8), ("ODP-G07", 9))
        self.assertEqual({d["line"]: d["value"] for d in self.diagnostics}[3], "107.05, -5.95")

    def test_null_geometry_when_allowed(self):
        self.shape(5, [NULL, polygon(square(106, -6))], [["1", "a"], ["2", "b"]], **{"odp:geometry": {"required": False}})
        self.gives(("1", "a", None, None), ("2", "b", "Polygon", [106, -6]))

    def test_text_without_cpg(self):
        rows, at = [["1", "Café"], ["2", "Ragaïl"]], [point(106, -6), point(107, -6)]
        good = [("1", "Café", "Point", [106, -6]), ("2", "Ragaïl", "Point", [107, -6])]
        self.shape(1, at, rows, encoding="utf-8")
        self.gives(*good)
        self.again()
        self.shape(1, at, [["1", "Caf\x81"], ["2", "Raga\x8dl"]])  # no windows-1252 either
        self.finds(("ODP-E01", 1), ("ODP-E01", 2))
        self.again()
        self.shape(1, at, rows)
        self.assertEqual(self.report("check", "peta")["counts"], {"ODP-G28": 1})
        path = self.dir / "catalog/peta/dataset.json"
        path.write_text(path.read_text().replace('"type": "table"', '"type": "table", "encoding": "iso-8859-1"'))
        self.gives(*good)

    def test_parts_missing(self):
        at, rows = [point(106, -6)], [["1", "a"]]
        for part, code in (("dbf", "ODP-G10"), ("prj", "ODP-G09")):
            self.shape(1, at, rows, without=(part,))
            self.assertEqual(self.faults("peta"), [(code, None, None, None)])
            self.again()
        self.shape(1, at, rows, without=("prj",), **{"odp:geometry": {"crs": "EPSG:4326"}})
        self.gives(("1", "a", "Point", [106, -6]))
        self.again()
        self.shape(1, at * 2, rows)
        self.assertEqual([f[0] for f in self.faults("peta")], ["ODP-G12"])

    def test_wrong_prj(self):
        self.shape(1, [point(700000, 9300000), point(106, -6)], [["1", "a"], ["2", "b"]])
        self.finds(("ODP-G06", 1))
        self.assertIn("metres", self.help["ODP-G06"])

    def test_axes_swapped(self):
        self.shape(1, [point(-6, 106), point(107, -6)], [["1", "a"], ["2", "b"]])
        self.finds(("ODP-G07", 1))

    def test_thousands_of_islands_and_lakes(self):
        islands = []
        for n in range(2500):
            x, y = 100 + n % 50 * 0.1, -5 + n // 50 * 0.1
            islands += [square(x, y, 0.08), square(x + 0.02, y + 0.02, 0.01, hole=True)]
        lakes = [square(99, -6, 8)] + [square(100 + n % 100 * 0.05, -5 + n // 100 * 0.05, 0.02, hole=True) for n in range(5000)]
        self.shape(5, [polygon(*islands), polygon(*lakes)], [["1", "pulau"], ["2", "danau"]])
        self.assertEqual(self.faults("peta", expect=0, command="build"), [])
        many, one = (f["geometry"] for f in self.geojson()[1])
        self.assertEqual((many["type"], len(many["coordinates"]), {len(p) for p in many["coordinates"]}), ("MultiPolygon", 2500, {2}))
        self.assertEqual((one["type"], len(one["coordinates"])), ("Polygon", 5001))

    def test_names_cut_and_mapped(self):
        fields = [text("kode"), text("nama_kabupaten", **{"odp:sourceName": "NAMA_KABUPATEN"}), number("luas", **{"odp:sourceName": "LUAS_WILAY"})]
        self.shape(1, [point(106, -6)], [["1", "a", "12.50"]], fields=fields, columns=(("kode", "C", 5), ("NAMA_KABUP", "C", 9), ("LUAS_WILAY", "N", 9)))
        self.assertEqual(self.faults("peta", expect=0, command="build"), [])
        self.assertEqual(self.geojson()[1][0]["properties"], {"kode": "1", "nama_kabupaten": "a", "luas": 12.5})

    def test_other_shapes_of_files(self):
        one, rows = [point(106, -6)], [["1", "a"]]
        good = ("1", "a", "Point", [106, -6])
        self.shape(1, one, rows, upper=True)
        self.gives(good)
        self.again()
        self.shape(1, one, rows, zipped="Batas Wilayah 2023/")
        self.gives(good)
        self.again()
        self.shape(21, [point(106, -6, 3)], rows)
        self.gives(good)
        self.again()
        self.shape(15, [polygon(square(106, -6), z=5.0)], rows)
        self.gives(("1", "a", "Polygon", [106, -6, 5]))
        self.again()
        self.shape(1, [point(106, -6), point(107, -6), point(108, -6)], [["1", "a"], ["2", "b"], ["3", "c"]], deleted=(1,))
        self.gives(good, ("3", "c", "Point", [108, -6]), notes=[("ODP-G18", 2, None, None)])
        self.again()
        self.shape(5, [], [])
        self.gives(notes=[("ODP-F07", None, None, None)])


class Projected(ShapeFiles):
    """What ogr2ogr writes in the systems of Indonesian offices, and where it says that the points are."""

    def setUp(self):
        super().setUp()
        if shutil.which("ogr2ogr") is None:
            self.skipTest("ogr2ogr (gdal-bin) is not installed")

    def ogr(self, *args):
        subprocess.run(["ogr2ogr", *map(str, args)], check=True, capture_output=True)

    def near(self, x, y):
        self.assertEqual(isinstance(x, list), isinstance(y, list))
        if isinstance(x, list):
            self.assertEqual(len(x), len(y))
            for a, b in zip(x, y):
                self.near(a, b)
        else:
            self.assertAlmostEqual(x, y, delta=1e-7)

    def test_systems(self):
        slugs = {}
        for code, lon, lat in ((32748, 106, -6), (32650, 116, 2), (32754, 140, -4), (23868, 105, 2), (23888, 105, -3), (4755, 110, -7), (4238, 110, -7),
                               (23830, 97.5, 3), (23838, 118.5, -7), (23845, 139.5, -4), (3857, 110, -5)):
            slug = f"sistem-{code}"
            folder = self.dataset(slug, "", [text("kode"), text("nama")], {"path": "titik.shp", "schema": {"primaryKey": ["kode"]}},
                                  **{"odp:formats": ["GeoJSON"]})
            source = self.dir / "titik.geojson"
            source.write_text(json.dumps({"type": "FeatureCollection", "features": [
                {"type": "Feature", "properties": {"kode": f"{n}", "nama": f"Titik {n}"},
                 "geometry": {"type": "Point", "coordinates": [lon + n * 0.2718281828, lat - n * 0.1414213562]}} for n in range(-3, 4)]}))
            self.ogr("-f", "ESRI Shapefile", "-t_srs", f"EPSG:{code}", folder / "titik.shp", source)
            slugs[slug] = folder
        self.assertEqual(self.faults(*slugs, expect=0, command="build"), [])
        for slug, folder in slugs.items():
            with self.subTest(slug):
                back = self.dir / f"{slug}.geojson"
                self.ogr("-f", "GeoJSON", "-t_srs", "EPSG:4326", "-lco", "COORDINATE_PRECISION=12", back, folder / "titik.shp")
                ours, theirs = self.geojson(slug)[1], odp.read_json(back)["features"]
                self.assertEqual([f["properties"] for f in ours], [f["properties"] for f in theirs])
                self.near([f["geometry"]["coordinates"] for f in ours], [f["geometry"]["coordinates"] for f in theirs])

    def test_gdal_reads_it_back_equal(self):
        self.shape(5, [polygon(square(106, -6), square(106.02, -5.98, 0.01, hole=True), square(107, -6)), polygon(square(108, -6))],
                   [["1", 'Kab. "A"'], ["2", "b; c"]])
        self.assertEqual(self.faults("peta", expect=0, command="build"), [])
        path, ours = self.geojson()
        back = self.dir / "back.geojson"
        self.ogr("-f", "GeoJSON", "-lco", "COORDINATE_PRECISION=7", "-lco", "RFC7946=YES", back, path)
        theirs = odp.read_json(back)["features"]
        self.assertEqual([f["properties"] for f in ours], [f["properties"] for f in theirs])
        self.assertEqual([f["geometry"] for f in ours], [f["geometry"] for f in theirs])


if __name__ == "__main__":
    odp.main()
