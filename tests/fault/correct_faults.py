"""Fails the Nth allocation, read, open, close, write, fsync and rename of a check that writes a correction workbook over an older one, and of an apply:
the workbook is the whole new one or the old one, the source is as it was or as it should be, and the program says why. `full` takes a sample of the Ns of
each kind, `deep` (ODP_FAULT_ALL=1) a hundred times as many."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "cases")]
import odp  # noqa: E402
import workbook_edit  # noqa: E402

SHIM = os.environ["ODP_SHIM"]
SAMPLE = int(os.environ.get("ODP_FAULT_SAMPLE", 600 if os.environ.get("ODP_FAULT_ALL") else 6))
FIELDS = [{"name": "kode", "type": "string"}, {"name": "kelas", "type": "string", "categories": ["Baik", "Rusak"]}, {"name": "n", "type": "integer"}]
ROWS = "kode,kelas,n\na,Baik,1\nb,baik,2\nc,Rusak,x\nd,Baik,4\ne,Hancur,5\n"


class Faults(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.source = self.dataset("satu", ROWS, FIELDS, {"schema": {"primaryKey": ["kode"]}}) / "satu.csv"
        self.odp("check", "--report", "xlsx=b.xlsx", expect=1)
        self.old = (self.dir / "b.xlsx").read_bytes()
        self.rows = workbook_edit.Workbook(self.dir / "b.xlsx").rows("satu")
        self.assertGreaterEqual(len(self.rows), 5)

    def back(self):
        self.source.write_text(ROWS, newline="")
        for left in self.source.parent.glob("*.asli*"):
            left.unlink()

    def run_with(self, kind, n, *command):
        count = self.dir / "count"
        count.unlink(missing_ok=True)
        env = dict(os.environ, LD_PRELOAD=SHIM, ODP_FAULT=f"{kind}:{n}", ODP_FAULT_COUNT=str(count), ODP_NO_TIMES="1")
        done = subprocess.run([odp.PROGRAM, *command, "--jobs", "1"], cwd=self.dir, env=env, capture_output=True, text=True, timeout=300)
        return done, int(count.read_text()) if count.exists() else 0

    def each(self, kind, command, good, look):
        """Runs COMMAND once for each N; GOOD is its exit code without a fault."""
        self.back()
        done, total = self.run_with(kind, 0, *command)
        self.assertEqual(done.returncode, good, done.stderr)
        self.assertGreater(total, 0, f"no {kind} was seen")
        numbers = range(1, total + 1, max(1, total // SAMPLE))
        print(f"{command[0]}: {kind}: {len(numbers)} of {total} calls fail, one a run", flush=True)
        for n in numbers:
            with self.subTest(f"{command[0]} {kind}:{n}"):
                self.back()
                done, _ = self.run_with(kind, n, *command)
                self.assertIn(done.returncode, (good, 3, 1, 2), done.stderr[-2000:])
                if done.returncode != good:
                    self.assertTrue(done.stderr.strip(), "it failed without a word")
                look(done)

    def workbook(self, done):
        path = self.dir / "b.xlsx"
        self.assertEqual(workbook_edit.Workbook(path).rows("satu"), self.rows)
        self.assertEqual([p.name for p in self.dir.glob("*.tmp")], [])
        path.write_bytes(self.old)

    def test_check(self):
        for kind in ("alloc", "read", "open", "close", "fsync", "rename"):  # the library writes in ways of its own: e2e correcting fills the disk
            self.each(kind, ["check", "--report", "xlsx=b.xlsx"], 1, self.workbook)

    def test_apply(self):
        book = workbook_edit.Workbook(self.dir / "b.xlsx")
        fixed = ROWS.replace("c,Rusak,x", "c,Rusak,3").replace("e,Hancur,5", "e,Rusak,5")
        book.set("satu", book.column("satu", "n") + "4", "3")
        book.set("satu", book.column("satu", "kelas") + str(next(n for n, r in book.records("satu") if r["kode"] == "e")), "Rusak")
        book.save(self.dir / "c.xlsx")

        def source(done):
            text = self.source.read_text()
            self.assertIn(text, (ROWS, fixed))
            if done.returncode == 0:
                self.assertEqual(text, fixed)
            if text == fixed:
                self.assertIn(ROWS, [p.read_text() for p in self.source.parent.glob("*.asli*")], "the original is lost")

        for kind in ("alloc", "read", "open", "close", "write", "fsync", "rename", "link"):
            self.each(kind, ["apply", "c.xlsx"], 0, source)


if __name__ == "__main__":
    odp.main()
