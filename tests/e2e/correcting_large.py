"""A million rows of which 5 % of all cells are bad through the correction workbook and back: counts exact, memory bounded, LibreOffice opens it, every byte that was not
edited stays, and what comes out is clean. ODP_CORRECT_ROWS takes another number."""
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import unittest
import zipfile

import odp

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import workbook_edit  # noqa: E402

ROWS = int(os.environ.get("ODP_CORRECT_ROWS", "1000000"))
FIELDS = [{"name": "id", "type": "string", "constraints": {"required": True}},
          {"name": "kode", "type": "string", "constraints": {"pattern": "[0-9]{2}\\.[0-9]{2}"}},
          {"name": "luas_ha", "type": "number", "decimalChar": ","},
          {"name": "kelas", "type": "string", "categories": ["Baik", "Sedang", "Rusak"]},
          {"name": "tanggal", "type": "date", "format": "%d/%m/%Y"},
          {"name": "ket", "type": "string"}]


def is_bad(i, column):
    """5 % of each column's cells, no two in one row: 30 % of the rows have a bad cell."""
    return (i + 3 * column) % 20 == 0


def row(i, good):
    cells = [f"R{i:07}", f"{i % 90 + 10}.{i % 97:02}", f"{i % 500},{i % 10}", ("Baik", "Sedang", "Rusak")[i % 3], f"{i % 28 + 1:02}/{i % 12 + 1:02}/2023", f"catatan {i}"]
    if not good:
        spoilt = (cells[0] + " ", " " + cells[1], cells[2] + " ha", cells[3].lower(), "-".join(reversed(cells[4].split("/"))), cells[5] + "  ")
        cells = [spoilt[c] if is_bad(i, c) else cell for c, cell in enumerate(cells)]
    return ";".join(cells) + "\n"


class Large(odp.Case):
    def timed(self, what, *command, expect):
        """Runs, and says how long it took and how much memory; returns the memory in MiB."""
        began = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = subprocess.run(["/usr/bin/env", "time", "-f", "%M", "-o", "peak", odp.PROGRAM, *command] if shutil.which("time") else [odp.PROGRAM, *command],
                              cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, expect, done.stderr[-2000:])
        peak = int((self.dir / "peak").read_text().split()[-1]) if shutil.which("time") else max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        print(f"{what}: {time.monotonic() - began:.1f} s, {peak // 1024} MiB", flush=True)
        return done

    def test_round_trip(self):
        self.catalogue(references=False)
        folder = self.dataset("besar", "", FIELDS, {"schema": {"primaryKey": ["id"]}, "dialect": {"delimiter": ";"}})
        source, clean = folder / "besar.csv", self.dir / "clean.csv"
        head = ";".join(f["name"] for f in FIELDS) + "\n"
        for path, good in ((source, False), (clean, True)):
            with open(path, "w", newline="") as file:
                file.write(head)
                file.writelines(row(i, good) for i in range(1, ROWS + 1))
        self.timed("check", "check", "besar", expect=1)
        done = self.timed("check and workbook", "check", "besar", "--report", "xlsx=b.xlsx", expect=1)
        self.assertLess(done.stderr.count("\n"), 200)
        size = (self.dir / "b.xlsx").stat().st_size
        print(f"workbook: {size / 1e6:.1f} MB", flush=True)
        self.timed("apply, nothing edited", "apply", "b.xlsx", expect=0)
        self.accept_all()
        self.timed("apply", "apply", "c.xlsx", "--quiet", expect=0)
        self.assertEqual(source.read_bytes(), clean.read_bytes())
        self.timed("check of what came out", "check", "besar", expect=0)
        self.timed("apply once more", "apply", "c.xlsx", expect=0)
        self.assertEqual(source.read_bytes(), clean.read_bytes())
        self.through_libreoffice()

    def accept_all(self):
        """As a person would fill it down: "terima usul" in every row that has a proposal. By text alone: the sheet is too large for a tree."""
        with zipfile.ZipFile(self.dir / "b.xlsx") as old, zipfile.ZipFile(self.dir / "c.xlsx", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
            counts, bad = [], 0
            for name in old.namelist():
                data = old.read(name)
                if name == "xl/worksheets/sheet1.xml":
                    counts = [int(n.replace(".", "")) for n in re.findall(r">([0-9.]+)</t>", data.decode())]
                if name == "xl/worksheets/sheet2.xml":
                    data, bad = re.subn(rb'<c r="C(\d+)"( s="\d+")?/>(?=<c r="D\1"[^>]*><is><t[^>]*>(?:GALAT|PERINGATAN))', rb'<c r="C\1"\2 t="inlineStr"><is><t>terima usul</t></is></c>', data)
                new.writestr(name, data)
        each = [sum(is_bad(i, column) for i in range(1, ROWS + 1)) for column in range(len(FIELDS))]
        self.assertEqual(bad, sum(each))
        for n in (ROWS, sum(each), *each):
            self.assertIn(n, counts)

    def through_libreoffice(self):
        if not shutil.which("soffice"):
            print("LibreOffice is not installed", flush=True)
            return
        began = time.monotonic()
        (self.dir / "lo").mkdir()
        subprocess.run(["soffice", "--headless", f"-env:UserInstallation=file://{self.dir}/profile", "--convert-to", "xlsx", "--outdir", str(self.dir / "lo"), str(self.dir / "c.xlsx")],
                       check=True, capture_output=True, timeout=3000)
        print(f"LibreOffice, read and written: {time.monotonic() - began:.0f} s", flush=True)
        source = self.dir / "catalog/besar/besar.csv"
        want = source.read_bytes()
        shutil.copy(source.parent / "besar.csv.asli", source)
        self.timed("apply of LibreOffice's", "apply", "lo/c.xlsx", "--quiet", expect=0)
        self.assertEqual(source.read_bytes(), want)


if __name__ == "__main__":
    odp.main()
