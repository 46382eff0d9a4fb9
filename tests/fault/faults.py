"""Fails the Nth allocation, read, write, fsync, rename, link and close of a build: the published site is never half, the exit code never
0 with a lie, and the next run works. `quick` takes a sample of the Ns of each kind; `deep` (ODP_FAULT_ALL=1) takes all of them."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import odp  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cases"))
import shapes  # noqa: E402

SHIM = os.environ["ODP_SHIM"]
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}, {"name": "kelas", "type": "string"}]


class Faults(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        for slug in ("satu", "dua"):
            self.dataset(slug, "kode,nilai,kelas\n" + "".join(f"k{i},{i}.5,{i % 3}\n" for i in range(300)), FIELDS,
                         {"schema": {"primaryKey": ["kode"]}, "odp:slices": ["kelas"]})
        self.shapefile()
        self.odp("build")
        self.old = odp.digests(self.dir / "out/site")
        self.link = os.readlink(self.dir / "out/site")
        (self.dir / "catalog/dua/dua.csv").write_text("kode,nilai,kelas\n" + "".join(f"k{i},{i}.25,{i % 3}\n" for i in range(400)))
        text = (self.dir / "catalog/dua/dataset.json").read_text().replace("2024-03-15", "2024-03-16")
        (self.dir / "catalog/dua/dataset.json").write_text(text)
        self.odp("build", "--out", "expected", "--previous", "out/site")
        self.new = odp.digests(self.dir / "expected")
        self.assertNotEqual(self.old, self.new)

    def shapefile(self):
        folder = self.dataset("tiga", "", [{"name": "id", "type": "string"}], {"path": "tiga.shp", "odp:geometry": {"types": ["Polygon"]}})
        (folder / "tiga.csv").unlink()
        ring = [[106.8, -6.2], [106.8, -6.1], [106.9, -6.1], [106.9, -6.2], [106.8, -6.2]]
        shapes.write({"name": "tiga", "type": 5, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["id", "C", 10, 0]],
                      "records": [{"shape": [ring], "values": [f"a{i}"]} for i in range(40)]}, folder)

    def build(self, kind, n):
        count = self.dir / "count"
        env = dict(os.environ, LD_PRELOAD=SHIM, ODP_FAULT=f"{kind}:{n}", ODP_FAULT_COUNT=str(count), ODP_NO_TIMES="1")
        done = subprocess.run([odp.PROGRAM, "build", "--jobs", "1"], cwd=self.dir, env=env, capture_output=True, text=True)
        return done, int(count.read_text()) if count.exists() else 0

    def back_to_old(self):
        os.remove(self.dir / "out/site")
        os.symlink(self.link, self.dir / "out/site")

    def one_kind(self, kind):
        done, total = self.build(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(odp.digests(self.dir / "out/site"), self.new)
        self.assertGreater(total, 0, f"no {kind} was seen")
        self.back_to_old()
        if os.environ.get("ODP_FAULT_ALL"):
            numbers = range(1, total + 1)
        else:
            numbers = sorted(set(range(1, min(total, 12) + 1)) | set(range(1, total + 1, max(1, total // 25))) | set(range(max(1, total - 6), total + 1)))
        print(f"{kind}: {len(list(numbers))} of {total} calls fail, one a run", flush=True)
        for n in numbers:
            done, _ = self.build(kind, n)
            self.assertIn(done.returncode, (0, 3), f"{kind}:{n} gave {done.returncode}\n{done.stderr[-2000:]}")
            site = odp.digests(self.dir / "out/site")
            if kind == "read":
                # Only the look at the end of the history, after the switch, can be done without.
                self.assertIn((done.returncode, site), ((3, self.old), (0, self.new)),
                              f"{kind}:{n}: what cannot be read is not known\n{done.stderr[-2000:]}")
            if done.returncode == 0:
                self.assertEqual(site, self.new, f"{kind}:{n} said it published")
            else:
                self.assertIn(site, (self.old, self.new), f"{kind}:{n} left half a site")
                self.assertTrue(done.stderr.strip(), f"{kind}:{n} failed without a word")
            self.back_to_old()
        self.odp("build")
        self.assertEqual(odp.digests(self.dir / "out/site"), self.new)
        left = [p for p in os.listdir(self.dir / "out/site.builds") if p.startswith(".stage")]
        self.assertEqual(left, [], "a later build must clear what failed ones left")


for _kind in ("alloc", "read", "write", "fsync", "rename", "link", "close"):
    setattr(Faults, f"test_{_kind}", lambda self, kind=_kind: self.one_kind(kind))

if __name__ == "__main__":
    odp.main()
