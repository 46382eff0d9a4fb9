"""Files as district offices send them: each with every diagnostic it must give (code, line, column, field), and no other, in both languages.

One cause is one diagnostic: a wrong delimiter, a shifted row, a signature below the table is said once, and nothing that follows from it is.
What is proposed is checked too, where something is: see docs/checks.md for the kinds.
"""
import json
import pathlib
import unittest

import odp

SCHEMA = [
    {"name": "id", "type": "string", "title": "Nomor kawasan", "constraints": {"required": True, "pattern": "R-[0-9]{4}"}},
    {"name": "kode_kabkota", "type": "string", "title": "Kode kabupaten/kota", "constraints": {"required": True, "pattern": "[0-9]{2}\\.[0-9]{2}"}},
    {"name": "nama", "type": "string", "title": "Nama kawasan", "constraints": {"required": True}},
    {"name": "luas_ha", "type": "number", "decimalChar": ",", "sdi:satuan": "hektare", "constraints": {"minimum": 0.01, "maximum": 2000}},
    {"name": "biaya", "type": "integer", "groupChar": ".", "sdi:satuan": "rupiah"},
    {"name": "tanggal", "type": "date"},
    {"name": "tingkat", "type": "string", "categories": [{"value": "RINGAN", "label": "Ringan"}, {"value": "SEDANG", "label": "Sedang"},
                                                         {"value": "BERAT", "label": "Rusak berat"}]},
    {"name": "layak", "type": "boolean", "trueValues": ["ya"], "falseValues": ["tidak"]},
    {"name": "sumber", "type": "string"},
    {"name": "lintang", "type": "number", "decimalChar": ",", "constraints": {"minimum": -11, "maximum": 6}},
    {"name": "bujur", "type": "number", "decimalChar": ",", "constraints": {"minimum": 95, "maximum": 141}},
]
KEYS = [{"fields": ["kode_kabkota"], "reference": {"dataset": "references/kabkota@2025", "fields": ["kode"]}},
        {"fields": ["sumber"], "reference": {"dataset": "references/sumber-dana@2024", "fields": ["kode"]}}]
HEADER = ";".join(f["name"] for f in SCHEMA)
ROWS = [f"R-{i:04};32.0{i};Kel. {'ABCDEFGH'[i - 1]};{i},5;{i}.200.000;2024-03-0{i};RINGAN;ya;APBN;-6,{i};106,{i}" for i in range(1, 9)]


def lines(*rows, end="\n"):
    return end.join(rows) + end


def with_cells(row, **cells):
    """ROWS[row] with other cells."""
    values = ROWS[row].split(";")
    for name, text in cells.items():
        values[[f["name"] for f in SCHEMA].index(name)] = text
    return ";".join(values)


def table(**at):
    """The table with changed rows: r0={"luas_ha": "12,5 ha"}."""
    return lines(HEADER, *[with_cells(i, **at.get(f"r{i}", {})) for i in range(len(ROWS))])


GOOD = table()
ENDING = ";" * (len(SCHEMA) - 1)

# name: (text or bytes, [(code, line, column, field[, proposal])])
FILES = {
    "bersih.csv": (GOOD, []),
    "campuran-ganti-baris.csv": (GOOD.replace("\n", "\r\n", 4), []),
    "utf16.csv": (b"\xff\xfe" + GOOD.encode("utf-16-le"), []),
    "titik-koma-diganti-koma.csv": (GOOD.replace(",", ".").replace(";", ","), [
        ("H09", 1, 1, None),
        *[("T03", i + 1, at, name, value) for i in range(1, 9)
          for at, name, value in ((21, "luas_ha", f"{i},5"), (61, "lintang", f"-6,{i}"), (66, "bujur", f"106,{i}"))]]),
    "koma-semua-berkutip.csv": ("".join(",".join(f'"{c}"' for c in line.split(";")) + "\n" for line in GOOD.splitlines()), [
        ("H09", 1, 1, None)]),
    "judul-laporan-judul-kolom-besar.csv": ("DATA RUMAH\n" + GOOD.replace(GOOD.split("\n")[0], GOOD.split("\n")[0].upper()), [
        ("H08", 1, 1, None, "delete-lines"),
        *[("H04", 2, 1 + len(";".join(GOOD.split("\n")[0].split(";")[:i]) + ";") * (i > 0), name, "rename-label") for i, name in enumerate(GOOD.split("\n")[0].split(";"))]]),
    "tab.csv": (GOOD.replace(";", "\t"), [
        ("H09", 1, 1, None)]),
    "tab-dan-sel-salah.csv": (table(r2={"biaya": "x"}).replace(";", "\t"), [
        ("H09", 1, 1, None),
        ("T02", 4, 25, "biaya")]),
    "petunjuk-excel.csv": ("sep=;\r\n" + GOOD.replace("\n", "\r\n"), [
        ("H08", 1, 1, None, "delete-lines")]),
    "judul-laporan.csv": (lines("DATA RUMAH TIDAK LAYAK HUNI" + ENDING, "KABUPATEN BOGOR TAHUN 2024" + ENDING, ENDING) + GOOD, [
        ("H08", 1, 1, None, "delete-lines")]),
    "judul-laporan-dan-sel-salah.csv": (lines("DATA RUMAH TIDAK LAYAK HUNI", "", "KABUPATEN BOGOR") +
                                        table(r0={"luas_ha": "12.5"}, r7={"tingkat": "ringan"}) + "JUMLAH;;;36,0;43.200.000" + ";" * 6 + "\n", [
        ("H08", 1, 1, None, "delete-lines"),
        ("R08", 13, 1, None, "delete-record"),
        ("T03", 5, 21, "luas_ha", "12,5"),
        ("B11", 12, 46, "tingkat", "RINGAN")]),
    "baris-satuan.csv": (lines("LAPORAN", HEADER, "(kode);(kode);-;(ha);(Rp);(tgl);(kategori);(ya/tidak);(kode);(derajat);(derajat)",
                               with_cells(0, luas_ha="12.5"), *ROWS[1:]), [
        ("H08", 1, 1, None, "delete-lines"),
        ("R22", 3, 1, None, "delete-record"),
        ("T03", 4, 21, "luas_ha", "12,5")]),
    "judul-kembar.csv": (lines(HEADER.replace("bujur", "lintang"), with_cells(0, bujur="x"), *ROWS[1:]), [
        ("H03", 1, 73, "lintang", "rename-label"),
        ("T03", 2, 66, "bujur")]),
    "spasi.csv": (table(r0={"id": " R-0001"}, r1={"kode_kabkota": "32.02 "}, r2={"tingkat": "\u00a0RINGAN"}, r3={"nama": "Kel. D "}), [
        ("W12", 2, 1, "id", "R-0001"),
        ("W12", 3, 8, "kode_kabkota", "32.02"),
        ("W12", 4, 46, "tingkat", "RINGAN"),
        ("W01", 5, 14, "nama", "Kel. D")]),
    "gabungan-dua-berkas.csv": (b"\xef\xbb\xbf" + lines(HEADER, *ROWS[:4]).encode() + b"\xef\xbb\xbf" + lines(HEADER, *ROWS[4:], HEADER.upper()).encode(), [
        ("R10", 6, 1, None, "delete-record"),
        ("R10", 11, 1, None, "delete-record")]),
    "pemisah-di-ujung.csv": (lines(*[row + ";;;" for row in (HEADER, *ROWS)]), [
        ("H02", 1, 79, None)]),
    "disimpan-dua-kali.csv": (lines(*['"' + row.replace('"', '""') + '"' for row in (HEADER, *ROWS)]), [
        ("H20", 1, 1, None)]),
    "judul-dua-baris.csv": (lines(";".join("Ukuran" if c == "luas_ha" else "Koordinat" if c == "lintang" else "" if c in ("biaya", "bujur") else c for c in HEADER.split(";")),
                                    ";".join(c if c in ("luas_ha", "biaya", "lintang", "bujur") else "" for c in HEADER.split(";")), *ROWS), [
        ("H21", 1, 1, None)]),
    "judul-lain.csv": (lines("Nomor Kawasan;Kode Kabupaten/Kota;NAMA;Luas (Ha);Biaya (Rp);Tanggal ;tingkat;layak;sumber_dana;lintang;bujur", *ROWS), [
        ("H04", 1, 1, "id", "rename-label"),
        ("H04", 1, 15, "kode_kabkota", "rename-label"),
        ("H04", 1, 35, "nama", "rename-label"),
        ("H04", 1, 40, "luas_ha", "rename-label"),
        ("H04", 1, 50, "biaya", "rename-label"),
        ("H04", 1, 61, "tanggal", "rename-label"),
        ("H04", 1, 84, "sumber")]),
    "kolom-hilang.csv": (lines(*[";".join(row.split(";")[:6] + row.split(";")[7:]) for row in (HEADER, *ROWS)]), [
        ("H04", 1, 1, "tingkat")]),
    "tanda-tangan.csv": (lines(HEADER, *ROWS, "JUMLAH;;;36,0;43.200.000" + ";" * 6, "Rata-rata;;;4,5;5.400.000" + ";" * 6, ENDING, "Sumber: Dinas Perumahan" + ENDING,
                               ";;;;;;;;Cibinong, 3 Maret 2024;;", ";;;;;;;;Kepala Dinas;;", ";;;;;;;;NIP. 1975;;"), [
        ("R01", 12, 1, None, "delete-lines"),
        ("R08", 10, 1, None, "delete-record"),
        ("R08", 11, 1, None, "delete-record"),
        ("R11", 13, 1, None, "delete-record"),
        ("R11", 14, 1, None),
        ("R11", 15, 1, None, "delete-record"),
        ("R11", 16, 1, None, "delete-record")]),
    "nomor-kolom.csv": (lines(HEADER, ";".join(f"({k})" for k in range(1, 12)), *ROWS[:4], "Sub Total;;;10;10.000" + ";" * 6, *ROWS[4:]), [
        ("R11", 2, 1, None, "delete-record"),
        ("R08", 7, 1, None, "delete-record")]),
    "baris-bergeser.csv": (lines(HEADER, *ROWS[:3], ";".join(ROWS[3].split(";")[:3] + ["Blok B"] + ROWS[3].split(";")[3:-1]),
                                ";".join(ROWS[4].split(";")[:1] + ROWS[4].split(";")[2:] + [""]), *ROWS[5:]), [
        ("R20", 5, 21, "luas_ha"),
        ("R20", 6, 8, "kode_kabkota")]),
    "pemisah-kurang-lebih.csv": (lines(HEADER, *ROWS[:3], ROWS[3].replace(";Kel. D;", " Kel. D;"), ROWS[4].replace("Kel. E", "Kel. E; Blok 2"), *ROWS[5:]), [
        ("R02", 5, 71, None),
        ("R03", 6, 74, None)]),
    "kutip-terbuka.csv": (table(r3={"nama": '"Kel. D'}, r6={"nama": 'Kel. "G"'}), [
        ("R06", 5, 14, None),
        ("R04", 8, 19, "nama")]),
    "koordinat-tertukar.csv": (table(**{f"r{i}": {"lintang": f"106,{i + 1}", "bujur": f"-6,{i + 1}"} for i in range(8)}), [
        ("T20", 2, 61, "lintang"),
        ("T20", 3, 61, "lintang"),
        ("T20", 4, 61, "lintang"),
        ("T20", 5, 61, "lintang"),
        ("T20", 6, 61, "lintang"),
        ("T20", 7, 61, "lintang"),
        ("T20", 8, 61, "lintang"),
        ("T20", 9, 61, "lintang")]),
    "angka-kantor.csv": (table(r0={"luas_ha": "12,5 ha", "biaya": "Rp 1.200.000"}, r1={"luas_ha": "12.5", "biaya": "1200000,00"}, r2={"luas_ha": "1.234,5", "biaya": "Rp1.200.000,-"},
                              r3={"luas_ha": "125.000 m2", "biaya": "1,2 juta"}, r4={"luas_ha": "1.234", "biaya": "(500)"}, r5={"luas_ha": "> 5", "biaya": "#REF!"},
                              r6={"luas_ha": "-", "biaya": "1,2E+06"}, r7={"luas_ha": "2500", "biaya": "5 lusin"}), [
        ("T03", 2, 21, "luas_ha", "12,5"),
        ("T03", 3, 21, "luas_ha", "12,5"),
        ("T03", 5, 21, "luas_ha"),
        ("T03", 6, 21, "luas_ha"),
        ("T03", 7, 21, "luas_ha"),
        ("T03", 8, 21, "luas_ha"),
        ("T02", 2, 29, "biaya", "1.200.000"),
        ("T02", 3, 26, "biaya", "1.200.000"),
        ("T02", 4, 29, "biaya", "1.200.000"),
        ("T02", 5, 32, "biaya", "1.200.000"),
        ("T02", 6, 27, "biaya", "-500"),
        ("T02", 9, 26, "biaya"),
        ("T04", 4, 21, "luas_ha", "1234,5"),
        ("S01", 7, 25, "biaya"),
        ("S03", 8, 23, "biaya"),
        ("B06", 9, 21, "luas_ha")]),
    "tanggal-campur.csv": (table(r0={"tanggal": "15/03/2024"}, r1={"tanggal": "03/04/2024"}, r2={"tanggal": "17 Agustus 2023"}, r3={"tanggal": "17-Agt-23"}, r4={"tanggal": "20240315"},
                                r5={"tanggal": "31/02/2024"}, r6={"tanggal": "2024-02-30"}, r7={"tanggal": "kemarin"}), [
        ("T07", 2, 35, "tanggal", "2024-03-15"),
        ("T07", 3, 35, "tanggal", "2024-04-03"),
        ("T07", 4, 35, "tanggal", "2023-08-17"),
        ("T07", 5, 35, "tanggal", "2023-08-17"),
        ("T07", 6, 35, "tanggal", "2024-03-15"),
        ("T07", 7, 35, "tanggal"),
        ("T07", 9, 35, "tanggal"),
        ("T08", 8, 35, "tanggal")]),
    "tanggal-mendua.csv": (table(r0={"tanggal": "03/04/2024"}, r1={"tanggal": "05/06/2024"}), [
        ("T07", 2, 35, "tanggal"),
        ("T07", 3, 35, "tanggal")]),
    "tanggal-angka.csv": (table(**{f"r{i}": {"tanggal": str(45352 + i)} for i in range(8)}), [
        ("S05", 2, 35, "tanggal", "2024-03-01"),
        ("S05", 3, 35, "tanggal", "2024-03-02"),
        ("S05", 4, 35, "tanggal", "2024-03-03"),
        ("S05", 5, 35, "tanggal", "2024-03-04"),
        ("S05", 6, 35, "tanggal", "2024-03-05"),
        ("S05", 7, 35, "tanggal", "2024-03-06"),
        ("S05", 8, 35, "tanggal", "2024-03-07"),
        ("S05", 9, 35, "tanggal", "2024-03-08")]),
    "kode-rusak.csv": (table(r0={"kode_kabkota": "3201"}, r1={"kode_kabkota": "Kab. Bogor"}, r2={"kode_kabkota": "Bogor"}, r3={"kode_kabkota": "92.01"}, r4={"kode_kabkota": "3,201E+03"},
                            r5={"kode_kabkota": "11.1"}, r6={"kode_kabkota": "32.O7"}, r7={"kode_kabkota": "32.99"}), [
        ("B09", 2, 8, "kode_kabkota", "32.01"),
        ("B09", 3, 8, "kode_kabkota", "32.01"),
        ("B09", 4, 8, "kode_kabkota"),
        ("B09", 8, 8, "kode_kabkota", "32.07"),
        ("K02", 5, 8, "kode_kabkota", "96.01"),
        ("K02", 9, 8, "kode_kabkota"),
        ("S03", 6, 8, "kode_kabkota", "32.01"),
        ("S04", 7, 8, "kode_kabkota", "11.10")]),
    "pilihan-lain.csv": (table(r0={"tingkat": "ringan", "layak": "Y"}, r1={"tingkat": "Rusak Berat", "layak": "0"}, r2={"tingkat": "Sedng", "layak": "t"}, r3={"tingkat": "1. Sedang", "layak": "Benar"},
                              r4={"tingkat": "RINGAN ", "sumber": "apbn"}, r5={"tingkat": "parah", "sumber": "Anggaran Pendapatan dan Belanja Negara"}, r6={"sumber": "APBX"}), [
        ("B11", 2, 46, "tingkat", "RINGAN"),
        ("B11", 3, 46, "tingkat", "BERAT"),
        ("B11", 4, 46, "tingkat", "SEDANG"),
        ("B11", 5, 46, "tingkat", "SEDANG"),
        ("W12", 6, 46, "tingkat", "RINGAN"),
        ("B11", 7, 46, "tingkat"),
        ("T06", 2, 53, "layak", "ya"),
        ("T06", 3, 58, "layak", "tidak"),
        ("T06", 4, 52, "layak"),
        ("T06", 5, 56, "layak", "ya"),
        ("K02", 6, 57, "sumber", "APBN"),
        ("K02", 7, 55, "sumber", "APBN"),
        ("K02", 8, 56, "sumber")]),
    "salah-baca.csv": (table(r0={"nama": "Caf\u00c3\u00a9 Kita"}, r1={"nama": "Jakarta\u00a0Timur"}, r2={"nama": " Kel. C"}, r3={"nama": "Kel. \u0093D\u0094"}, r4={"nama": "Kel. \ufffd"}), [
        ("W02", 5, 14, "nama", "Kel. “D”"),
        ("W04", 2, 14, "nama", "Café Kita"),
        ("W10", 3, 14, "nama", "Jakarta Timur"),
        ("W01", 4, 14, "nama", "Kel. C"),
        ("W03", 6, 14, "nama")]),
    "latin.csv": (GOOD.replace("Kel. B", "Kel. B\u00e9").encode("windows-1252"), [
        ("E01", 3, 20, None)]),
    "ganda.csv": (lines(HEADER, *ROWS[:5], ROWS[1], with_cells(2, nama="Kel. lain"), "", *ROWS[5:]), [
        ("R01", 9, 1, None, "delete-lines"),
        ("K01", 7, 1, "id", "delete-record"),
        ("K01", 8, 1, "id")]),
    "sel-panjang.csv": (table(r0={"nama": "K" * 255}, r3={"nama": "\u00e9" * 255}), [
        ("W11", 2, None, "nama")]),
    "lebar-dan-baris.csv": (table(r0={"nama": "\u65e5\u672c\tKel", "luas_ha": "x"}, r1={"nama": '"Kel. B\nRT 1 \u65e5"', "luas_ha": "y", "biaya": "z"}, r2={"luas_ha": "?"}), [
        ("T03", 2, 21, "luas_ha"),
        ("T03", 4, 9, "luas_ha"),
        ("T03", 5, 21, "luas_ha"),
        ("T02", 4, 11, "biaya"),
        ("R09", 3, 14, "nama")]),
    "halaman-web.csv": ("<html><body><table><tr><td>id</td></tr></table></body></html>", [
        ("F03", None, None, None)]),
    "excel-lama.csv": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512, [
        ("F03", None, None, None)]),
    "utf16-tanpa-tanda.csv": (GOOD.encode("utf-16-le"), [
        ("E04", 1, 2, None)]),
    "kosong.csv": (b"", [
        ("F04", None, None, None)]),
    "satu-kolom-nik.csv": (table(r2={"nama": "Budi 3201010101800001"}), [
        ("P01", 4, 14, "nama")]),
}


class StewardFiles(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue()
        self.dataset("rumah", GOOD, SCHEMA, resource={"dialect": {"delimiter": ";"}, "odp:foreignKeys": KEYS, "schema": {"primaryKey": ["id"]}})

    def found(self, path, lang, slug="rumah"):
        """What is reported of PATH: the diagnostics, every one with its words."""
        report = self.report("check", "--as", slug, path, "--lang", lang, "--examples", "1000", expect=None)
        for d in report["diagnostics"]:
            self.assertTrue(d["message"].strip(), d)
            self.assertNotRegex(d["message"] + (d.get("help") or ""), r"\{[01]\}")
        return report["diagnostics"]

    def both(self, path, slug="rumah"):
        """The same in both languages, but for the words."""
        found, english = self.found(path, "id", slug), self.found(path, "en", slug)
        for a, b in zip(found, english):
            self.assertNotEqual(a.pop("message"), b.pop("message"), path)
            a.pop("help"), b.pop("help")
        self.assertEqual(found, english, path)
        return found

    def check(self, name):
        content, expected = FILES[name]
        path = self.dir / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        found = [(d["code"][4:], d.get("line"), d.get("column"), d.get("field"), *filter(None, [d.get("action") or d.get("proposal")]))
                 for d in self.both(path)]
        self.assertEqual(sorted(found, key=str), sorted(expected, key=str), name)

    def test_last_row_of_a_spreadsheet(self):
        path = self.dir / "terpotong.csv"
        rows = [HEADER, *(f"R-{i % 10000:04}" + ROWS[i % 8][6:] for i in range(65535))]
        path.write_text(lines(*rows))
        found = [d for d in self.both(path) if d["code"] != "ODP-K01"]
        self.assertEqual([(d["code"], d["line"], d["row"]) for d in found], [("ODP-R21", 65536, 65535)])

    def test_any_number_of_threads(self):
        """What is proposed does not depend on who looks at a cell: more rows than a batch holds, dates that only their neighbours explain."""
        path = self.dir / "banyak.csv"
        rows = [with_cells(i % 8, id=f"R-{i % 10000:04}", tanggal=f"{i % 28 + 1:02}/{i % 12 + 1:02}/2024", kode_kabkota=f"Kab. Boogor{'x' * (i % 3)}",
                           luas_ha=f"{i % 50 + 1}.5 ha" if i % 4 else "1,5", tingkat=("ringan", "sedng", "brt")[i % 3]) for i in range(9500)]
        path.write_text(lines(HEADER, *rows))
        one, many = [self.odp("check", "--as", "rumah", path, "--report", "json", "--quiet", "--examples", "100000", "--jobs", n, expect=1).stdout
                     for n in (1, 5)]
        self.assertTrue(one == many)
        found = json.loads(one)["diagnostics"]
        self.assertEqual({d["proposal"] for d in found if d["field"] == "luas_ha"}, {f"{k},5" for k in range(1, 51)})
        self.assertTrue(all(d.get("proposal") for d in found if d["field"] == "tanggal"))

    def test_villages_of_an_office(self):
        """Villages in windows-1252 with semicolons, as a spreadsheet writes them: one apostrophe is no UTF-8."""
        folder = self.needs("id/derived_third_party_writers")
        path = next(p for p in sorted(folder.iterdir()) if "1252" in p.name and p.suffix == ".csv")
        text = path.read_bytes()
        fields = [{"name": name, "type": "string"} for name in text.split(b"\r\n")[0].decode("cp1252").split(";")]
        bad = [(n, row.index(0x92)) for n, row in enumerate(text.split(b"\r\n"), 1) if 0x92 in row]
        self.dataset("desa", "", fields, resource={"dialect": {"delimiter": ";"}})
        found = self.both(path, "desa")
        self.assertEqual([(d["code"], d["line"], d["column"]) for d in found], [("ODP-E01", line, at + 1) for line, at in bad])
        self.assertTrue(bad)

    def test_indicators_with_a_preamble(self):
        """The World Bank's own CSV: title rows, all cells quoted, a delimiter at the end of every row."""
        folder = self.needs("id/wdi_excerpt")
        path = next(p for p in sorted(folder.iterdir()) if p.suffix == ".csv")
        fields = [{"name": name, "type": "string"} for name in ("Country Name", "Country Code", "Indicator Name", "Indicator Code")]
        self.dataset("sanitasi", "", fields, resource={"schema": {"fieldsMatch": ["subset"]}})
        found = self.both(path, "sanitasi")
        self.assertEqual([(d["code"], d["line"], d["action"], d["lines"]) for d in found], [("ODP-H08", 1, "delete-lines", 4)])


def add_case(name):
    setattr(StewardFiles, "test_" + pathlib.Path(name).stem.replace("-", "_"), lambda self: self.check(name))


for file_name in FILES:
    add_case(file_name)

if __name__ == "__main__":
    unittest.main()
