"""Fails the Nth allocation, read, write, fsync, rename, link, close, open and unlink of `odp-build fix`: the source is the old one or the new one, whole,
never anything else; where it is the new one the old one lies beside it; what fails says so; the next run does it. `full` takes a sample of the Ns of each
kind, `deep` (ODP_FAULT_ALL=1) takes all of them."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import odp  # noqa: E402

SHIM = os.environ["ODP_SHIM"]
FIELDS = [{"name": "kode", "type": "string", "constraints": {"pattern": "[0-9]{2}\\.[0-9]{2}"}}, {"name": "kelas", "type": "string", "categories": ["Ringan", "Sedang"]}]
ROWS = "".join(f"{11 + i % 80}.{10 + i % 89},{'Sedan' if i % 7 == 0 else 'Ringan'},é{i}\r\n" for i in range(3000))
BEFORE = ("kode,kelas,catatan\r\n" + ROWS).encode("windows-1252")
AFTER = BEFORE.replace(b",Sedan,", b",Sedang,")


class Faults(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        folder = self.dataset("satu", "", [*FIELDS, {"name": "catatan", "type": "string"}], {"encoding": "windows-1252"})
        self.source = folder / "satu.csv"
        self.original = folder / "satu.csv.asli"
        self.back()

    def back(self):
        for path in self.source.parent.iterdir():
            if path.name != "dataset.json":
                path.unlink()
        self.source.write_bytes(BEFORE)

    def fix(self, kind, n):
        count = self.dir / "count"
        env = dict(os.environ, LD_PRELOAD=SHIM, ODP_FAULT=f"{kind}:{n}", ODP_FAULT_COUNT=str(count), ODP_NO_TIMES="1")
        done = subprocess.run([odp.PROGRAM, "fix", "satu", "--yes", "all", "--jobs", "1"], cwd=self.dir, env=env, capture_output=True, text=True)
        return done, int(count.read_text()) if count.exists() else 0

    def one_kind(self, kind):
        done, total = self.fix(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.source.read_bytes(), AFTER)
        self.assertEqual(self.original.read_bytes(), BEFORE)
        self.assertGreater(total, 0, f"no {kind} was seen")
        if os.environ.get("ODP_FAULT_ALL"):
            numbers = range(1, total + 1)
        else:
            numbers = sorted({*range(1, min(total, 3) + 1), *range(1, total + 1, max(1, total // 5)), *range(max(1, total - 2), total + 1)})
        print(f"{kind}: {len(list(numbers))} of {total} calls fail, one a run", flush=True)
        for n in numbers:
            with self.subTest(f"{kind}:{n}"):
                self.back()
                self.one_fault(kind, n)

    def one_fault(self, kind, n):
        done, seen = self.fix(kind, n)
        now = self.source.read_bytes()
        if seen < n:  # threads: this run made fewer calls than the one that counted them, so none failed
            self.assertEqual((done.returncode, now), (0, AFTER), done.stderr)
            return
        self.assertIn(now, (BEFORE, AFTER), "half a source")
        self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr[-2000:])
        if now == AFTER:
            self.assertTrue(self.original.exists(), "the original is gone")
            self.assertEqual(self.original.read_bytes(), BEFORE)
        else:
            self.assertNotEqual(done.returncode, 0, "it said that all is well")
        if done.returncode != 0:
            self.assertTrue(done.stderr.strip(), "it failed without a word")
        left = [p.name for p in self.source.parent.iterdir() if ".tmp" in p.name]
        if kind != "unlink":
            self.assertEqual(left, [], "a temporary file was left")
        again = subprocess.run([odp.PROGRAM, "fix", "satu", "--yes", "all"], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.source.read_bytes(), AFTER, "the next run")


for _kind in ("alloc", "read", "write", "fsync", "rename", "link", "close", "open"):
    setattr(Faults, f"test_{_kind}", lambda self, kind=_kind: self.one_kind(kind))

if __name__ == "__main__":
    odp.main()
