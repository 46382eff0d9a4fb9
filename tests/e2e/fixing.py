"""odp-build fix: a steward's session on a terminal and a pipeline's without one. What is proposed is shown before it happens; what is accepted, and nothing
else, is written; the original can be found again."""
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

import odp

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cases"))
import shapes  # noqa: E402

FIELDS = [{"name": "kode", "type": "string", "constraints": {"required": True, "pattern": "[0-9]{2}\\.[0-9]{2}"}},
          {"name": "kelas", "type": "string", "categories": ["Ringan", "Sedang", "Berat"]},
          {"name": "luas", "type": "number", "decimalChar": ","},
          {"name": "nama", "type": "string"}]
MESS = ("Laporan kumuh 2024;;;\r\n"
        "\r\n"
        "kode;Kelas;luas;nama\r\n"
        "11.01;Ringan;12,5;\"A;1\"\r\n"
        "1.02;ringan;12.5;B\r\n"
        "kode;Kelas;luas;nama\r\n"
        "11.03;Sedan;1;  C\r\n"
        "\r\n"
        "11.04;Berat;banyak;D\n"
        "Jumlah;;26;\r\n")
MENDED = ("kode;kelas;luas;nama\r\n"
          "11.01;Ringan;12,5;\"A;1\"\r\n"
          "01.02;Ringan;12,5;B\r\n"
          "11.03;Sedang;1;C\r\n"
          "11.04;Berat;banyak;D\n")


class Terminal:
    """odp-build on a pseudo-terminal."""

    def __init__(self, folder, *args, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(odp.PROGRAM, [odp.PROGRAM, *map(str, args)], dict(os.environ, ODP_NO_TIMES="1", TERM="dumb", NO_COLOR="1", **(env or {})))
        self.text = ""

    def until(self, text, seconds=60):
        """Reads on until TEXT; what came since the last one."""
        end = time.monotonic() + seconds
        start = len(self.text)
        while text not in self.text[start:]:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no “{text}” in:\n{self.text}")
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                piece = b""
            if not piece:
                raise AssertionError(f"ended without “{text}”:\n{self.text}")
            self.text += piece.decode().replace("\r\n", "\n")
        return self.text[start:]

    def say(self, line):
        os.write(self.fd, line.encode() + b"\n")

    def end(self):
        """Reads to the end; the exit code."""
        while True:
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                break
            if not piece:
                break
            self.text += piece.decode(errors="replace").replace("\r\n", "\n")
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def kill(self):
        os.kill(self.pid, signal.SIGINT)
        self.end()


class Fixing(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def make(self, rows=MESS, fields=FIELDS, slug="kumuh", **resource):
        self.folder = self.dataset(slug, "", fields, {"dialect": {"delimiter": ";"}, **resource})
        self.source = self.folder / f"{slug}.csv"
        self.source.write_bytes(rows if isinstance(rows, bytes) else rows.encode())
        return self.source

    def left(self):
        """What lies beside the source."""
        return sorted(p.name for p in self.folder.iterdir() if p.name != "dataset.json")

    # ---- without a terminal

    def test_shows_only_and_says_what_to_type(self):
        source = self.make()
        done = self.odp("fix", "kumuh", expect=1)
        self.assertIn("ODP-H08", done.stdout)
        self.assertIn("Laporan kumuh 2024", done.stdout)
        self.assertIn("--yes", done.stdout)
        self.assertEqual(source.read_bytes().decode(), MESS)
        self.assertEqual(self.left(), ["kumuh.csv"])

    def test_all_at_once(self):
        source = self.make()
        done = self.odp("fix", "kumuh", "--yes", "all", expect=1) # one cell is left that nobody can guess
        self.assertEqual(source.read_bytes().decode(), MENDED)
        self.assertEqual(self.left(), ["kumuh.csv", "kumuh.csv.asli"])
        self.assertEqual((self.folder / "kumuh.csv.asli").read_bytes().decode(), MESS)
        for text in ("“1.02” → “01.02”", "“Sedan” → “Sedang”", "“  C” → “C”", "“Kelas” → “kelas”", "Jumlah;;26;", "kumuh.csv.asli", "Tersisa: galat 1"):
            self.assertIn(text, done.stdout)
        self.assertIn("ODP-T03", done.stderr)
        again = self.odp("fix", "kumuh", "--yes", "semua", expect=1)
        self.assertIn("Tidak ada usul", again.stdout)
        self.assertEqual(self.left(), ["kumuh.csv", "kumuh.csv.asli"])

    def test_one_rule_by_code_or_name(self):
        rows = "kode;kelas;luas;nama\n1.02;ringan;1;  C\n"
        for rule, after in (("ODP-W01", "1.02;ringan;1;C\n"), ("b11", "1.02;Ringan;1;C\n"), ("spreadsheet-zero", "01.02;Ringan;1;C\n")):
            with self.subTest(rule):
                if rule == "ODP-W01":
                    self.make(rows)
                self.odp("fix", "kumuh", "--yes", rule, expect=None)
                self.assertEqual(self.source.read_text(), "kode;kelas;luas;nama\n" + after)
        self.assertEqual(self.left(), ["kumuh.csv", "kumuh.csv.asli", "kumuh.csv.asli.2", "kumuh.csv.asli.3"])
        self.assertEqual((self.folder / "kumuh.csv.asli").read_text(), rows)

    def test_dry_run(self):
        source = self.make()
        done = self.odp("fix", "kumuh", "--yes", "all", "--dry-run", expect=1)
        self.assertIn("--dry-run", done.stdout)
        self.assertEqual(source.read_bytes().decode(), MESS)
        self.assertEqual(self.left(), ["kumuh.csv"])

    def test_clean_is_clean(self):
        self.make("kode;kelas;luas;nama\n11.02;Ringan;1;C\n")
        done = self.odp("fix", "kumuh")
        self.assertIn("Bersih", done.stdout)
        self.assertEqual(self.left(), ["kumuh.csv"])

    def test_wrong_usage(self):
        self.make()
        self.odp("fix", expect=2)
        self.odp("fix", "kumuhh", expect=2)
        self.assertIn("tidak ada aturan", self.odp("fix", "kumuh", "--yes", "ODP-X99", expect=2).stderr)
        self.odp("check", "kumuh", "--yes", "all", expect=2)
        self.assertEqual(self.left(), ["kumuh.csv"])

    def test_english_and_examples(self):
        self.make("kode;kelas;luas;nama\n" + "".join(f"11.{i:02};ringan;{i}.25;x\n" for i in range(30)))
        done = self.odp("fix", "kumuh", "--lang", "en", "--examples", "3", expect=1)
        self.assertEqual(done.stdout.count(",25”"), 3)
        self.assertIn("27 more", done.stdout)
        self.assertEqual(done.stdout.count("“ringan” → “Ringan”   30 cells: lines 2-31"), 1)
        self.assertEqual(self.odp("fix", "kumuh", "--examples", "30", expect=1).stdout.count(",25”"), 30)

    def test_by_column_and_by_value(self):
        rows = ["11.01;ringan;12.5;x", "11.02;ringan;7.25;x", "11.03;sedang;12.5;x"]
        good = {"B11": ["ringan", "Ringan"], "B11:kelas=sedang": ["sedang", "Sedang"], "t03:luas=7.25": ["7.25", "7,25"], "type-number:luas": [".5", ",5"]}
        for rule, (before, after) in good.items():
            with self.subTest(rule):
                if rule != "B11":
                    self.remake(rows)
                else:
                    self.make("kode;kelas;luas;nama\n" + "\n".join(rows) + "\n")
                self.odp("fix", "kumuh", "--yes", rule, expect=1)
                text = self.source.read_text()
                self.assertNotIn(f";{before};" if before[0] != "." else "2.5", text)
                self.assertEqual("Sedang" in text, rule.startswith("B11"))
                self.assertEqual("7,25" in text, "luas" in rule)
                self.assertEqual("12,5" in text, rule.endswith("luas"))
                self.assertEqual("Ringan" in text, rule == "B11")
        for wrong in ("B11:kela", "B11:", "XX:kelas", "B11:kelas:x"):
            self.assertIn(f"“{wrong}”", self.odp("fix", "kumuh", "--yes", wrong, expect=2).stderr)

    def remake(self, rows):
        self.source.write_text("kode;kelas;luas;nama\n" + "\n".join(rows) + "\n")

    def test_as_a_file_where_it_lies(self):
        self.make("kode;kelas;luas;nama\n")
        inbox = self.dir / "kiriman"
        inbox.mkdir()
        (inbox / "dari dinas.csv").write_bytes(b"kode;kelas;luas;nama\n11.01;ringan;1;x")
        self.odp("fix", "--as", "kumuh", "kiriman/dari dinas.csv", "--yes", "all")
        self.assertEqual((inbox / "dari dinas.csv").read_bytes(), b"kode;kelas;luas;nama\n11.01;Ringan;1;x")
        self.assertEqual(sorted(p.name for p in inbox.iterdir()), ["dari dinas.csv", "dari dinas.csv.asli"])
        self.assertEqual(self.left(), ["kumuh.csv"])

    def test_what_the_encoding_lacks_is_left_out_and_said(self):
        fields = [{"name": "kode", "type": "string"}, {"name": "kelas", "type": "string", "categories": ["Ωmega", "Sedang"]}]
        source = self.make("kode;kelas\n1;xmega\n2;Sedan\n3;S\xe9dang\n".encode("windows-1252"), fields, encoding="windows-1252")
        done = self.odp("fix", "kumuh", "--yes", "all", expect=1)
        self.assertIn("ODP-A01", done.stderr)
        self.assertEqual(source.read_bytes(), "kode;kelas\n1;xmega\n2;Sedang\n3;Sedang\n".encode("windows-1252"))

    def test_private_fields_are_masked(self):
        fields = [*FIELDS[:2], {"name": "nik", "type": "string", "sdi:aksesPublik": False}, {"name": "kontak", "type": "string"}]
        source = self.make("kode;kelas;nik;kontak\n11.01;ringan; 3171011505900001;Sari\nJumlah;;rahasia;\n11.02;Ringan;x;y\n", fields)
        done = self.odp("fix", "kumuh", "--examples", "100", expect=1)
        self.assertIn("“ringan” → “Ringan”", done.stdout)
        for secret in ("3171011505900001", "rahasia"):
            self.assertNotIn(secret, done.stdout + done.stderr)
        self.odp("fix", "kumuh", "--yes", "B11", expect=None)
        self.assertIn("11.01;Ringan; 3171011505900001;Sari\n", source.read_text())

    def test_sources_elsewhere_and_links(self):
        self.make("kode;kelas;luas;nama\n")
        store = self.dir / "simpan"
        store.mkdir()
        (store / "kumuh-2024.csv").write_text("kode;kelas;luas;nama\n11.01;ringan;1;x\n")
        os.chmod(store / "kumuh-2024.csv", 0o640)
        (self.dir / "sumber/kumuh").mkdir(parents=True)
        (self.dir / "sumber/kumuh/kumuh.csv").symlink_to("../../simpan/kumuh-2024.csv")
        self.odp("fix", "kumuh", "--sources", "sumber", "--yes", "all")
        self.assertTrue((self.dir / "sumber/kumuh/kumuh.csv").is_symlink())
        self.assertIn("Ringan", (store / "kumuh-2024.csv").read_text())
        self.assertEqual(sorted(p.name for p in store.iterdir()), ["kumuh-2024.csv", "kumuh-2024.csv.asli"])
        self.assertEqual((store / "kumuh-2024.csv").stat().st_mode & 0o777, 0o640)

    def test_reports_of_what_is_left(self):
        self.make("kode;kelas;luas;nama\n11.01;ringan;x;y\n")
        self.odp("fix", "kumuh", "--yes", "all", "--report", "json=sisa.json", expect=1)
        self.assertEqual(odp.read_json(self.dir / "sisa.json")["counts"], {"ODP-T03": 1})

    # ---- shapefiles

    def shapefile(self, categories, width=8, zipped=False):
        folder = self.dataset("zona", "", [{"name": "kode", "type": "string"}, {"name": "kelas", "type": "string", "categories": categories},
                                           {"name": "luas", "type": "number"}],
                              {"path": "zona.zip" if zipped else "zona.shp", "odp:geometry": {"types": ["Point"]}, "dialect": {}})
        (folder / "zona.csv").unlink()
        shapes.write({"name": "zona", "type": 1, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["kode", "C", 4, 0], ["kelas", "C", width, 0], ["luas", "N", 10, 3]],
                      "records": [{"shape": [106.8, -6.2], "values": ["a1", "Sedan", 1.5]}, {"shape": [106.9, -6.2], "values": ["a2", "Ringan", 2]}]}, folder)
        if zipped:
            shutil.make_archive(str(folder / "zona"), "zip", folder, None)
        self.folder = folder
        return folder

    def test_values_of_a_shapefile(self):
        folder = self.shapefile(["Ringan", "Sedang"])
        before = {p.name: p.read_bytes() for p in folder.iterdir()}
        self.odp("fix", "zona", "--yes", "all")
        after = {p.name: p.read_bytes() for p in folder.iterdir()}
        self.assertEqual(after.pop("zona.dbf.asli"), before["zona.dbf"])
        self.assertEqual(after.pop("zona.dbf"), before.pop("zona.dbf").replace(b"Sedan ", b"Sedang"))
        self.assertEqual(after, before)

    def test_a_shapefile_too_narrow(self):
        folder = self.shapefile(["Ringans", "Sedan"], width=6)
        before = (folder / "zona.dbf").read_bytes()
        done = self.odp("fix", "zona", "--yes", "all", expect=1)
        self.assertIn("ODP-A06", done.stderr)
        self.assertEqual((folder / "zona.dbf").read_bytes(), before)

    # ---- on a terminal

    def session(self, *args, **more):
        t = Terminal(self.dir, "fix", *args, **more)
        self.addCleanup(lambda: t.fd)
        return t

    def test_a_steward_answers(self):
        source = self.make()
        t = self.session("kumuh")
        self.assertIn("“Kelas” → “kelas”", t.until("[l]ihat"))
        t.say("apa?")
        self.assertIn("salah satu huruf dalam kurung", t.until("[l]ihat"))
        self.assertEqual(source.read_bytes().decode(), MESS, "nothing happens before the answers")
        t.say("ya")
        answers = {"ODP-R10": "y", "ODP-B11": "t", "ODP-R08": "Y", "ODP-R01": "tidak", "ODP-W01": "t"}
        while True:
            shown = t.until("[l]ihat") if "Tersisa" not in t.text else ""
            code = next((c for c in ("ODP-H04", "ODP-R01", "ODP-R08", "ODP-R10", "ODP-S04", "ODP-T03", "ODP-T04", "ODP-B11", "ODP-W01") if c in shown), None)
            t.say(answers.get(code, "y"))
            if code == "ODP-W01":
                break
        code = t.end()
        self.assertEqual(code, 1, t.text)
        self.assertIn("Laporan kumuh 2024", t.text)
        expected = MENDED.replace("01.02;Ringan", "01.02;ringan").replace("Sedang;1;C\r\n", "Sedan;1;  C\r\n\r\n")
        self.assertEqual(source.read_bytes().decode(), expected, t.text)
        self.assertEqual((self.folder / "kumuh.csv.asli").read_bytes().decode(), MESS)
        self.assertEqual(self.left(), ["kumuh.csv", "kumuh.csv.asli"])

    def test_sees_all_and_declines(self):
        rows = "kode;kelas;luas;nama\n" + "".join(f"11.{i:02};ringan;1;x\n" for i in range(30))
        source = self.make(rows)
        t = self.session("kumuh")
        self.assertEqual(t.until("[l]ihat").count("“ringan” → “Ringan”   30 sel: baris 2-31"), 1)
        t.say("l")
        self.assertEqual(t.until("[l]ihat").count("“ringan” → “Ringan”   30 sel: baris 2-31"), 1)
        t.say("t")
        self.assertEqual(t.end(), 1)
        self.assertEqual(source.read_text(), rows)
        self.assertEqual(self.left(), ["kumuh.csv"])

    def test_column_by_column_and_value_by_value(self):
        """The most frequent value first; what was declined is not asked again in the next round."""
        fields = [*FIELDS[:2], {"name": "luas", "type": "string", "categories": ["Satu", "Dua"]}, FIELDS[3]]
        source = self.make("kode;kelas;luas;nama\n11.01;ringan;satu;x\n11.02;sedang;dua;x\n11.03;sedang;satu;x\n11.04;BERAT;dua;x\n", fields)
        t = self.session("kumuh")
        t.until("[n]ilai demi nilai: ")
        t.say("k")
        self.assertIn("kelas", t.until("[n]ilai demi nilai: "))
        t.say("nilai")
        self.assertIn("“sedang” → “Sedang”   2 sel: baris 3, 4", t.until("[b]erhenti: ").replace("3-4", "3, 4"))
        t.say("t")
        self.assertIn("“ringan” → “Ringan”", t.until("[b]erhenti: "))
        t.say("r")
        self.assertIn("luas", t.until("[n]ilai demi nilai: "))
        t.say("y")
        self.assertEqual(t.end(), 1, t.text)
        self.assertEqual(source.read_text(), "kode;kelas;luas;nama\n11.01;Ringan;Satu;x\n11.02;sedang;Dua;x\n11.03;sedang;Satu;x\n11.04;Berat;Dua;x\n")

    def test_goes_away_in_the_middle(self):
        rows = "kode;kelas;luas;nama\n1.01;ringan;1;  x\n"
        source = self.make(rows)
        t = self.session("kumuh")
        t.until("[l]ihat")
        t.kill()
        self.assertEqual(source.read_text(), rows)
        self.assertEqual(self.left(), ["kumuh.csv"])

    def test_the_source_changes_while_it_is_asked(self):
        source = self.make("kode;kelas;luas;nama\n11.01;ringan;1;x\n")
        t = self.session("kumuh")
        t.until("[l]ihat")
        other = "kode;kelas;luas;nama\n11.99;Berat;1;x\n11.01;ringan;1;x\n"
        source.write_text(other)
        t.say("y")
        self.assertEqual(t.end(), 1, t.text)
        self.assertIn("ODP-A09", t.text)
        self.assertEqual(source.read_text(), other)
        self.assertEqual(self.left(), ["kumuh.csv"])


if __name__ == "__main__":
    odp.main()
