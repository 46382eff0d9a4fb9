"""The correction workbook and back (tools/odp-build/repair): what is in the file, who may read it, a round trip through other programs' hands, shapefiles, long
cells, names that clash. What is said, word for word, is tests/cases/correct/."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import unittest

import odp

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import workbook_edit  # noqa: E402

FIELDS = [{"name": "id", "type": "string", "constraints": {"required": True}},
          {"name": "kode", "type": "string", "constraints": {"pattern": "[0-9]{4}"}},
          {"name": "luas_ha", "type": "number", "decimalChar": ","},
          {"name": "kelas", "type": "string", "categories": ["Baik", "Rusak"]},
          {"name": "tanggal", "type": "date", "format": "%d/%m/%Y"},
          {"name": "petugas", "type": "string", "sdi:aksesPublik": False},
          {"name": "ket", "type": "string"}]
TABLE = {"schema": {"primaryKey": ["id"]}, "dialect": {"delimiter": ";"}}
HEAD = "id;kode;luas_ha;kelas;tanggal;petugas;ket\r\n"


LIBREOFFICE = sys.argv[1:2] == ["libreoffice"] and bool(sys.argv.pop())
ROUND_TRIPS = ("test_sorted_deleted_moved", "test_long_cells_and_odd_labels", "test_kinds", "test_several_tables", "test_shapefile", "test_equal_records")


class Correcting(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def rows(self, *rows, slug="rumah"):
        text = HEAD + "".join(row + "\r\n" for row in rows)
        self.dataset(slug, text, FIELDS, {k: dict(v) for k, v in TABLE.items()})
        return self.dir / f"catalog/{slug}/{slug}.csv"

    def book(self, expect=1, *more):
        self.odp("check", "--report", "xlsx=b.xlsx", *more, expect=expect)
        return workbook_edit.Workbook(self.dir / "b.xlsx")

    def find(self, book, sheet, label, text):
        """The row of a sheet whose column LABEL holds TEXT."""
        return next(n for n, r in book.records(sheet) if r.get(label) == text)

    def set(self, book, row, label, text, kind="text", sheet="rumah"):
        book.set(sheet, f"{book.column(sheet, label)}{row}", text, kind)

    def apply(self, book, *more, expect=0):
        book.save(self.dir / "b.xlsx")
        return self.odp("apply", "b.xlsx", *more, expect=expect)

    def test_file(self):
        source = self.rows("R0;0100;1,5;Baik;17/08/2023;Sari;biasa", "R1;0101;12,5;Baik;17/08/2023;Sari;=1+2", "R2;12;1 ha;baik;17/08/2023; Budi;+62 812", "R3;0103;2,5;Baik;17/08/2023;Wati;@x")
        os.umask(0)
        self.addCleanup(os.umask, 0o022)
        book = self.book()
        self.assertEqual(stat.S_IMODE((self.dir / "b.xlsx").stat().st_mode), 0o600)
        self.assertEqual(book.hidden, ["odp"])
        self.assertEqual(list(book.sheets), ["Ringkasan", "rumah", "Daftar kode", "odp"])
        records = book.records("rumah")
        self.assertEqual([r["id"] for _, r in records], ["R0", "R1", "R2", "R3"])
        bad = records[2][1]
        self.assertEqual((bad["kode"], bad["luas_ha"], bad["petugas"], bad["ket"]), ("12", "1 ha", " Budi", "+62 812"))
        self.assertEqual(bad["usul: kelas"], "Baik")
        self.assertIn("GALAT kode", bad["masalah"])
        self.assertEqual(records[0][1]["masalah"], "(konteks)")
        self.assertIn("PERINGATAN ket: teks dapat dijalankan lembar kerja sebagai rumus", records[1][1]["masalah"])
        xml = "".join(p.decode() for n, p in book.parts.items() if n.startswith("xl/worksheets/sheet"))
        self.assertNotIn("<f>", xml)  # nothing is a formula, whatever it looks like
        self.assertIn('hidden="1"', book.parts["xl/worksheets/sheet2.xml"].decode())
        self.assertIn("terima usul,hapus", book.parts["xl/worksheets/sheet2.xml"].decode())
        self.assertIn("autoFilter", book.parts["xl/worksheets/sheet2.xml"].decode())
        self.assertIn("bukan bilangan desimal", book.parts["xl/comments1.xml"].decode())
        self.assertEqual(list(self.dir.glob("*.tmp")), [])
        before = source.read_bytes()
        self.assertIn("Tidak ada koreksi", self.apply(book).stdout)
        self.assertEqual(source.read_bytes(), before)
        # replaced as a whole, also where it was readable before
        (self.dir / "b.xlsx").write_text("old")
        (self.dir / "b.xlsx").chmod(0o644)
        self.book()
        self.assertEqual(stat.S_IMODE((self.dir / "b.xlsx").stat().st_mode), 0o600)

    def test_sorted_deleted_moved(self):
        """Sorting, deleting rows of the sheet and applying to the right rows; every byte that was not edited stays."""
        rows = [f"R{i};{1000 + i};{'x' if i % 3 == 0 else '1,5'};Baik;17/08/2023;Sari;\"a;{i}\"" for i in range(1, 40)]
        source = self.rows(*rows)
        book = self.book()
        book.sort("rumah", lambda r: tuple(-ord(c) for c in r.get(book.column("rumah", "id"), "")))
        book.remove_rows("rumah", [self.find(book, "rumah", "id", "R6"), self.find(book, "rumah", "id", "R7")])
        for i in range(3, 40, 3):
            if i != 6:
                self.set(book, self.find(book, "rumah", "id", f"R{i}"), "luas_ha", f"{i},25")
        self.set(book, self.find(book, "rumah", "id", "R11"), "tindakan", "HAPUS")
        self.apply(book)
        want = [re.sub(";x;", f";{i},25;", row) if i % 3 == 0 and i != 6 else row for i, row in enumerate(rows, 1) if i != 11]
        self.assertEqual(source.read_bytes().decode(), HEAD + "".join(row + "\r\n" for row in want))
        self.assertEqual((source.parent / "rumah.csv.asli").read_bytes().decode(), HEAD + "".join(row + "\r\n" for row in rows))

    def test_kinds(self):
        """Numbers and dates come back in the declared form; equal ones are no edit; codes are refused by name."""
        source = self.rows("R1;0101;12,50;Baik;17/08/2023;Sari;a", "R2;0102;x;Baik;2023-08-17;Budi;b", "R3;0103;1,5;Baik;17/08/2023;Wati;c")
        book = self.book()
        self.set(book, 2, "luas_ha", 12.5, "number")
        self.set(book, 2, "tanggal", 45155, "date")  # 2023-08-17
        self.set(book, 3, "luas_ha", 0.1 + 0.2, "number")
        self.set(book, 3, "tanggal", 45156, "date")
        self.set(book, 4, "kode", 103, "number")
        self.set(book, 4, "luas_ha", 1, "boolean")
        self.set(book, 4, "kelas", "#N/A", "error")
        book.merge("rumah", f"{book.column('rumah', 'petugas')}4:{book.column('rumah', 'ket')}4")
        said = self.apply(book, expect=1)
        self.assertEqual(source.read_bytes().decode(), HEAD + "R1;0101;12,50;Baik;17/08/2023;Sari;a\r\nR2;0102;0,3;Baik;18/08/2023;Budi;b\r\n"
                         "R3;0103;1,5;Baik;17/08/2023;Wati;c\r\n")
        for label in ("kode", "luas_ha", "kelas"):
            self.assertIn(f"{book.column('rumah', label)}4", said.stderr)
        self.assertEqual(len(re.findall(r"lembar rumah, sel", said.stderr)), 3)

    def test_merged_away(self):
        """Cells under a merged one are not emptied in the source, whether the program leaves empty cells there or none at all."""
        source = self.rows("R1;0101;x;Baik;17/08/2023;Sari;a", "R2;0102;1,5;Baik;17/08/2023;Budi;b", "R3;0103;2,5;Baik;17/08/2023;Wati;c")
        before = source.read_bytes()
        for listed in (True, False):
            book = self.book()
            one, two = book.column("rumah", "tanggal"), book.column("rumah", "ket")
            book.merge("rumah", f"{one}2:{two}3")
            for ref in [f"{chr(c)}{row}" for c in range(ord(one), ord(two) + 1) for row in (2, 3)][1:]:
                book.set("rumah", ref, None)
            if not listed:
                for row in book.tree("rumah").iter(workbook_edit.NS + "row"):
                    for cell in [c for c in row if c.find(workbook_edit.NS + "v") is None and c.find(workbook_edit.NS + "is") is None]:
                        row.remove(cell)
            said = self.apply(book, expect=1)
            self.assertEqual(source.read_bytes(), before, listed)
            self.assertEqual(sum(line.startswith("   ┌─ b.xlsx   lembar rumah, sel") for line in said.stderr.split("\n")), 5, said.stderr)

    def test_report_to_a_pipe(self):
        """A pipe or a device is written to, and never replaced by a file (the superuser could)."""
        self.rows("R1;0101;x;Baik;17/08/2023;Sari;a")
        pipe = self.dir / "pipa"
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        self.odp("check", "--quiet", "--report", "json=pipa", expect=1)
        self.assertIn(b'"ODP-T03"', os.read(end, 65536))
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.odp("check", "--quiet", "--report", "xlsx=pipa", expect=3)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.assertIn('"ODP-T03"', self.odp("check", "--quiet", "--report", "json=/dev/stdout", expect=1).stdout)
        self.assertEqual([p.name for p in self.dir.iterdir() if "tmp" in p.name], [])

    def test_copied_rows_and_added_ones(self):
        source = self.rows("R1;0101;x;Baik;17/08/2023;Sari;a", "R2;0102;1,5;Baik;17/08/2023;Budi;b")
        book = self.book()
        for column, text in book.rows("rumah")[2].items():
            book.set("rumah", f"{column}4", text)
            if column != "A":
                book.set("rumah", f"{column}5", text)
        self.set(book, 4, "id", "R3")
        self.set(book, 5, "id", "R4")
        self.set(book, 5, "ket", "dua\nbaris; \"kutip\"")
        said = self.apply(book, expect=1)
        self.assertIn("ODP-A18", said.stderr)
        self.assertEqual(source.read_bytes().decode(), HEAD + "R1;0101;x;Baik;17/08/2023;Sari;a\r\nR2;0102;1,5;Baik;17/08/2023;Budi;b\r\n"
                         'R4;0101;x;Baik;17/08/2023;Sari;"dua\nbaris; ""kutip"""\r\n')
        again = self.apply(book, expect=1)
        self.assertIn("ODP-A26", again.stderr)  # the added row is there already

    def test_equal_records(self):
        """Of records that are equal the one that was meant goes."""
        source = self.rows("R1;0101;1,5;Baik;17/08/2023;Sari;a", "R9;0102;1,5;Baik;17/08/2023;Sari;b", "R1;0101;1,5;Baik;17/08/2023;Sari;a", "R8;0103;x;Baik;17/08/2023;Sari;c")
        book = self.book()
        self.assertEqual([r["id"] for _, r in book.records("rumah")], ["R9", "R1", "R8"])
        self.set(book, 3, "tindakan", "hapus")
        self.set(book, 4, "luas_ha", "2")
        self.apply(book)
        self.assertEqual([line.split(";")[0] for line in source.read_text().splitlines()[1:]], ["R1", "R9", "R8"])
        self.assertIn("ODP-A26", self.apply(book).stderr)

    def test_what_the_source_cannot_take_is_left_out(self):
        """A character that the source's encoding has not: said with its cell; the other corrections are applied."""
        self.dataset("lama", "id;n;ket\r\nA;x;caf\xe9\r\nB;2;b\r\n", [{"name": "id", "type": "string"}, {"name": "n", "type": "number"}, {"name": "ket", "type": "string"}],
                     {"dialect": {"delimiter": ";"}, "encoding": "windows-1252"})
        source = self.dir / "catalog/lama/lama.csv"
        source.write_bytes(b"id;n;ket\r\nA;x;caf\xe9\r\nB;2;b\r\n")
        book = self.book()
        self.set(book, 2, "n", "1", sheet="lama")
        self.set(book, 2, "ket", "th\xe9", sheet="lama")
        self.set(book, 3, "ket", "\u4e2d", sheet="lama")
        said = self.apply(book, expect=1)
        self.assertIn("ODP-A01", said.stderr)
        self.assertEqual(source.read_bytes(), b"id;n;ket\r\nA;1;th\xe9\r\nB;2;b\r\n")

    def test_long_cells_and_odd_labels(self):
        """A cell beyond the format's bound is shown in part and never written back; labels like our own column names."""
        fields = [{"name": "id", "type": "string"}, {"name": "tindakan", "type": "number"}, {"name": "masalah", "type": "string"}]
        self.dataset("panjang", "id,tindakan,masalah\nA,x," + "m" * 40000 + "\nB,2,_x0041_ \u0001\n", fields)
        source = self.dir / "catalog/panjang/panjang.csv"
        before = source.read_bytes()
        book = self.book()
        head = book.rows("panjang")[1]
        self.assertEqual([head[c] for c in "ABCDEFG"], ["id panjang/panjang", "baris", "tindakan (2)", "masalah (2)", "id", "tindakan", "masalah"])
        cell = book.records("panjang")[0][1]["masalah"]
        self.assertEqual(cell, "m" * 32000 + "…")
        self.assertIn("Tidak ada koreksi", self.apply(book).stdout)
        self.assertEqual(source.read_bytes(), before)
        self.set(book, 2, "tindakan", "1", sheet="panjang")
        self.apply(book)
        self.assertEqual(source.read_bytes(), before.replace(b"A,x,", b"A,1,"))
        shutil.copy(source.parent / "panjang.csv.asli", source)
        self.set(book, 2, "masalah", "pendek", sheet="panjang")
        self.assertIn("ODP-A24", self.apply(book, expect=1).stderr)
        self.assertEqual(source.read_bytes(), before.replace(b"A,x,", b"A,1,"))

    def test_private_values_stay_private(self):
        """The terminal never shows them; the workbook does, which is why nobody else may read it."""
        self.rows("R1;0101;x;Baik;17/08/2023;Rahasia;a", "R2;0102;1,5;Baik;17/08/2023;Budi;b")
        book = self.book()
        self.assertIn("Rahasia", str(book.rows("rumah")))
        self.set(book, 2, "petugas", "Terang")
        self.set(book, 3, "petugas", 17, "number")
        self.set(book, 2, "luas_ha", "2,5")
        said = self.apply(book, expect=1)
        self.assertIn("ODP-A19", said.stderr)
        for word in ("Rahasia", "Terang", "Budi"):
            self.assertNotIn(word, said.stdout + said.stderr)

    def test_several_tables(self):
        """One workbook for all; a sheet that was deleted changes nothing, and a wrong catalogue makes none."""
        one, two = self.rows("R1;0101;x;Baik;17/08/2023;Sari;a"), self.rows("R1;0101;y;Baik;17/08/2023;Sari;a", slug="gedung")
        self.rows("R1;0101;1;Baik;17/08/2023;Sari;a", slug="bersih")
        book = self.book()
        self.assertEqual([s for s in book.sheets if s not in ("Ringkasan", "Daftar kode", "odp")], ["gedung", "rumah"])
        self.set(book, 2, "luas_ha", "1")
        self.set(book, 2, "luas_ha", "2", sheet="gedung")
        self.apply(book)
        self.assertIn(";1;", one.read_text())
        self.assertIn(";2;", two.read_text())
        (self.dir / "catalog/rumah/dataset.json").write_text("{")
        (self.dir / "b.xlsx").unlink()
        said = self.odp("check", "--report", "xlsx=b.xlsx", expect=2)
        self.assertIn("b.xlsx tidak ditulis", said.stderr)
        self.assertFalse((self.dir / "b.xlsx").exists())

    def test_machine_fails(self):
        """A full disk or a folder that is not there: said, exit 3, no half of a workbook and the old one still there."""
        self.rows(*(f"R{i};0101;x{i};Baik;17/08/2023;Sari;a" for i in range(3000)))
        self.book()
        old = (self.dir / "b.xlsx").read_bytes()
        for limit in (0, 20, 100, 300):  # KiB that a file may have
            done = subprocess.run(["bash", "-c", f"trap '' XFSZ; ulimit -f {limit}; exec \"$@\"", "x", odp.PROGRAM, "check", "--report", "xlsx=b.xlsx", "--report",
                                   "human=/dev/null"], cwd=self.dir, capture_output=True, env=dict(os.environ, TMPDIR=str(self.dir)))
            self.assertEqual(done.returncode, 3, done.stderr.decode()[-500:])
            self.assertEqual((self.dir / "b.xlsx").read_bytes(), old)
            self.assertEqual([p.name for p in self.dir.iterdir() if "tmp" in p.name], [])
        self.odp("check", "--report", "xlsx=nirwana/b.xlsx", expect=3)

    def test_shapefile(self):
        """Attributes can be changed; shapes are listed with where to mend them."""
        shutil.copytree(odp.SOURCE / "catalog/kumuh", self.dir / "catalog/kumuh")
        shutil.copytree(odp.SOURCE / "catalog/references", self.dir / "catalog/references")
        folder = self.dir / "catalog/kumuh"
        dbf = next(p for p in folder.rglob("*.dbf"))
        head = dbf.read_bytes()
        at, width = int.from_bytes(head[8:10], "little"), int.from_bytes(head[10:12], "little")
        names, place = {}, 1
        for i in range(32, at - 1, 32):
            names[head[i:i + 11].split(b"\0")[0].decode()] = (place, head[i + 16])
            place += head[i + 16]
        package = odp.read_json(folder / "dataset.json")
        category = next(f for f in package["resources"][0]["schema"]["fields"] if "categories" in f)
        label = next(n for n in names if n == category.get("odp:sourceName", category["name"])[:10])
        start, size = names[label]
        record = bytearray(head)
        good = bytes(record[at + width * 2 + start:at + width * 2 + start + size])
        record[at + width * 2 + start:at + width * 2 + start + size] = b"Entah".ljust(size)
        dbf.write_bytes(record)
        self.odp("check", "kumuh", "--report", "xlsx=b.xlsx", expect=1)
        book = workbook_edit.Workbook(self.dir / "b.xlsx")
        self.assertIn("shapefile", str(book.rows("Ringkasan")))
        self.assertNotIn("hapus\"", book.parts["xl/worksheets/sheet2.xml"].decode())
        header = next(t for t in book.rows("kumuh")[1].values() if t == label)
        at_row = self.find(book, "kumuh", header, "Entah")
        self.set(book, at_row, header, good.decode().strip(), sheet="kumuh")
        self.set(book, max(book.rows("kumuh")) + 1, header, good.decode().strip(), sheet="kumuh")  # a new record would have no shape
        self.set(book, at_row + 1, "tindakan", "hapus", sheet="kumuh")
        self.assertRegex(self.apply(book, expect=1).stderr, r"ODP-A24 .* 2 ")
        self.assertEqual(dbf.read_bytes()[at:], head[at:])
        self.odp("check", "kumuh")


@unittest.skipUnless(shutil.which("soffice"), "LibreOffice is not installed")
class ThroughLibreOffice(Correcting):
    """What LibreOffice writes after reading the workbook: shared strings, other styles, its own habits."""

    def apply(self, book, *more, expect=0):
        book.save(self.dir / "b.xlsx")
        (self.dir / "lo").mkdir(exist_ok=True)
        subprocess.run(["soffice", "--headless", f"-env:UserInstallation=file://{self.dir}/profile", "--convert-to", "xlsx", "--outdir", str(self.dir / "lo"),
                        str(self.dir / "b.xlsx")], check=True, capture_output=True, timeout=240)
        return self.odp("apply", "lo/b.xlsx", *more, expect=expect)


def load_tests(loader, tests, pattern):
    """With an argument the round trips through LibreOffice, which take their time; else the others."""
    if LIBREOFFICE:
        return unittest.TestSuite(ThroughLibreOffice(name) for name in loader.getTestCaseNames(ThroughLibreOffice) if name in ROUND_TRIPS)
    return loader.loadTestsFromTestCase(Correcting)


if __name__ == "__main__":
    odp.main()
