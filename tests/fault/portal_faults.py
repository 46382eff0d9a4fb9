"""Fails the Nth allocation (the program's own, and those that jansson asks for), read, open, close and write of a first build with all of the portal: pages of
datasets, map, pictures, theme, templates of the catalogue. Either the whole site is there, byte for byte, or none is, and the program says why and ends by itself;
nobody is told of a machine's fault as of a mistake in the catalogue; the next run works. `full` takes a sample of the Ns of each kind, `deep`
(ODP_FAULT_ALL=1) a hundred times as many."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import odp  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cases"))
import shapes  # noqa: E402

SHIM = os.environ["ODP_SHIM"]
SAMPLE = int(os.environ.get("ODP_FAULT_SAMPLE", 1200 if os.environ.get("ODP_FAULT_ALL") else 6))
FIRST = int(os.environ.get("ODP_FAULT_FIRST", 0))  # another sample: every N moved by it
FIELDS = [{"name": "kode", "type": "string", "odp:title": {"id": "Kode", "en": "Code"}},
          {"name": "nilai", "type": "number", "sdi:satuan": "ha"},
          {"name": "kelas", "type": "string", "categories": [{"value": "0", "odp:label": {"id": "Baik", "en": "Good"}}, {"value": "1"}, {"value": "2"}]},
          {"name": "rahasia", "type": "string", "sdi:aksesPublik": False}]


class Faults(odp.Case):
    def setUp(self):
        super().setUp()
        folder = self.catalogue(references=False)
        self.dataset("satu", "kode,nilai,kelas,rahasia\n" + "".join(f"k{i},{i}.5,{i % 3},R4H4S14-{i}\n" for i in range(60)), FIELDS,
                     {"schema": {"primaryKey": ["kode"]}, "odp:slices": ["kelas"]},
                     **{"odp:charts": [{"name": "kelas", "type": "bar", "title": {"id": "Kelas", "en": "Class"}, "category": "kelas"}]})
        self.shapefile()
        for name in ("theme.json", "logo.svg"):
            shutil.copy(odp.SOURCE / "catalog" / name, folder)
        (folder / "theme.json").write_text(json.dumps({"logo": "logo.svg", "css": "a.css"}))
        (folder / "a.css").write_text("h1 { letter-spacing: 0 }\n")
        (folder / "templates/words").mkdir(parents=True)
        (folder / "templates/words/kami.json").write_text(json.dumps({"site_skip": {"id": "Langsung ke isi", "en": "To the content"}}))
        self.odp("build", "--out", "expected")
        self.all = odp.digests(self.dir / "expected")
        self.assertIn("katalog/dua.html", self.all)
        self.assertIn("katalog/dua-peta.svg", self.all)
        self.site = self.dir / "build/site"

    def shapefile(self):
        folder = self.dataset("dua", "", [{"name": "id", "type": "string"}],
                              {"path": "dua.shp", "schema": {"primaryKey": ["id"]}, "odp:geometry": {"types": ["Polygon"]}})
        (folder / "dua.csv").unlink()
        ring = lambda i: [[106 + i, -6.2], [106 + i, -6.1], [106.1 + i, -6.1], [106.1 + i, -6.2], [106 + i, -6.2]]
        shapes.write({"name": "dua", "type": 5, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["id", "C", 10, 0]],
                      "records": [{"shape": [ring(i)], "values": [f"a{i}"]} for i in range(8)]}, folder)

    def clear(self):
        for path in (self.dir / "build").glob("*"):
            odp.remove_tree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def build(self, kind, n):
        count = self.dir / "count"
        env = dict(os.environ, LD_PRELOAD=SHIM, ODP_FAULT=f"{kind}:{n}", ODP_FAULT_COUNT=str(count), ODP_NO_TIMES="1")
        done = subprocess.run([odp.PROGRAM, "build", "--jobs", "1"], cwd=self.dir, env=env, capture_output=True, text=True, timeout=300)
        return done, int(count.read_text()) if count.exists() else 0

    def one_kind(self, kind):
        self.clear()
        done, total = self.build(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(odp.digests(self.site), self.all)
        self.assertGreater(total, 0, f"no {kind} was seen")
        step = max(1, total // SAMPLE)
        opening = range(1, 1200, 60) if kind == "alloc" else ()  # while catalogue and templates are read, reasons are many
        numbers = sorted({*range(1 + FIRST % step, total + 1, step), *opening})
        print(f"{kind}: {len(numbers)} of {total} calls fail, one a run", flush=True)
        self.failed = 0
        for n in numbers:
            with self.subTest(f"{kind}:{n}"):
                self.clear()
                self.one_fault(kind, n)
        self.assertGreater(self.failed, 0, "no call has failed")

    def one_fault(self, kind, n):
        done, seen = self.build(kind, n)
        self.failed += seen >= n
        if seen < n:  # runs differ by some calls: in this one none failed, so all must be well
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertIn(done.returncode, (0, 3), done.stderr[-2000:])
        site = odp.digests(self.site) if self.site.exists() else None
        if done.returncode == 0:
            self.assertEqual(self.differing(site), [], "it said that it published")
            return
        self.assertTrue(done.stderr.strip(), "it failed without a word")
        if kind == "alloc":
            self.assertNotIn("ODP-", done.stderr, "it is no fault of the catalogue or the templates")
        if site is not None:  # the switch was made, what follows it failed
            self.assertEqual(self.differing(site), [], "half a site")
        self.odp("build")  # what is left is no hindrance, and goes
        self.assertEqual(self.differing(odp.digests(self.site)), [], "the next run")
        self.assertEqual([p for p in os.listdir(self.dir / "build/site.builds") if p.startswith((".stage", ".scratch", ".new"))], [])

    def differing(self, site):
        return [path for path in sorted(site.keys() | self.all.keys()) if site.get(path) != self.all.get(path)]


for _kind in ("alloc", "jsonalloc", "read", "open", "close", "write"):
    setattr(Faults, f"test_{_kind}", lambda self, kind=_kind: self.one_kind(kind))

if __name__ == "__main__":
    odp.main()
