"""The same faults as faults.py while a workbook, a printed document and pictures are made: the version is published with all of them, or not at
all, and what is said of it is true. What the libraries do by themselves (their temporary files, their memory) is not counted."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import odp  # noqa: E402

import faults  # noqa: E402

FIELDS = [{"name": "kode", "type": "string", "categories": ["a", "b"]}, {"name": "nilai", "type": "number"}, {"name": "nomor", "type": "integer"}]
CHART = {"name": "jumlah", "type": "bar", "title": {"id": "Jumlah", "en": "Sum"}, "category": "kode", "value": "nilai"}


class DocumentFaults(faults.Faults):
    def setUp(self):
        odp.Case.setUp(self)
        self.catalogue(references=False)
        more = {"odp:formats": ["JSON", "Excel", "PDF"]}
        self.dataset("satu", self.rows(20), FIELDS, {"schema": {"primaryKey": ["nomor"]}, "odp:charts": [CHART]}, **more)
        self.odp("build")
        self.old = odp.digests(self.dir / "build/site")
        self.link = os.readlink(self.dir / "build/site")
        self.builds = self.dir / "build/site.builds"
        self.beside = {p.name: p.read_bytes() if p.is_file() else None for p in self.builds.iterdir()}
        self.update("satu", "2024-03-16", self.rows(25))
        self.odp("build", "--out", "expected", "--previous", "build/site")
        self.new = odp.digests(self.dir / "expected")
        made = {pathlib.Path(p).suffix for p in self.new if p.startswith("data/satu/2024-03-16/")}
        self.assertLessEqual({".xlsx", ".pdf", ".svg"}, made)

    def test_a_chart_that_cannot_be_read_back(self):
        """The picture beside links to the dataset is made of it: without it, it would be one of the title."""
        charts = "build/site.builds/.stage-*/data/satu/2024-03-16/charts"
        # the workbook of variables is read back just before
        done, _ = faults.run(["build", *self.options], self.dir, None, ODP_HOOK="read:1:ms-var.xlsx",
                             ODP_HOOK_DO=f"cd {self.dir}; for f in {charts}/*.png; do rm $f; mkdir $f; echo $f >> gone; done")
        self.assertTrue((self.dir / "gone").exists(), "the moment was not met")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("charts/jumlah", done.stderr)
        self.assertEqual(self.whole_after(done), self.old)
        self.next_run()

    def rows(self, n):
        return "kode,nilai,nomor\n" + "".join(f"{'ab'[i % 2]},{i}.5,{i}\n" for i in range(n))


if not os.environ.get("ODP_FAULT_ALL"):  # how files come to their places, and the index, is what faults.py looks at
    for kind in ("fsync", "rename", "link", "unlink", "sqlalloc", "sqlopen", "sqlread", "sqlwrite"):
        setattr(DocumentFaults, f"test_{kind}", None)
del faults.Faults  # it has a run of its own

if __name__ == "__main__":
    odp.main()
