"""Fails the Nth allocation (the program's own, and those that jansson asks for), read, open, close and write of a build that publishes a second release's packages beside
the first's: either the whole site is there, byte for byte, or the old one still is, and the program says why; no package of the first release is ever another. `full`
takes a sample of the Ns of each kind, `deep` (ODP_FAULT_ALL=1) hundreds of times as many."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import odp  # noqa: E402

SHIM = os.environ["ODP_SHIM"]
SAMPLE = int(os.environ.get("ODP_FAULT_SAMPLE", 1500 if os.environ.get("ODP_FAULT_ALL") else 6))
FIELDS = [{"name": "kode", "type": "string"}, {"name": "kelas", "type": "string", "categories": ["Baik", "Rusak"]}]


class Faults(odp.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.catalogue(references=False)
        self.dataset("satu", "kode,kelas\na,Baik\n", FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.releases("1.0.0")
        self.odp("build")
        self.old, self.link = odp.digests(self.dir / "build/site"), os.readlink(self.dir / "build/site")
        self.before = {p.name for p in (self.dir / "build/site.builds").iterdir()}
        self.releases("1.0.0", "1.1.0")
        self.odp("build", "--out", "expected", "--previous", "build/site")
        self.new = odp.digests(self.dir / "expected")
        self.packages = {p: d for p, d in self.old.items() if p.startswith("packages/") and p.count("/") == 2}
        self.assertEqual(len(self.packages), 4)
        self.assertEqual({p: self.new[p] for p in self.packages}, self.packages)

    def releases(self, *versions):
        releases = [{"version": v, "date": "2024-03-15", "changes": [{"id": "Perubahan", "en": "Changes"}]} for v in versions]
        (self.dir / "catalog/changes.json").write_text(json.dumps({"releases": releases}))

    def back_to_old(self):
        site, builds = self.dir / "build/site", self.dir / "build/site.builds"
        site.unlink(missing_ok=True)
        site.symlink_to(self.link)
        for path in builds.iterdir():
            if path.name not in self.before:
                odp.remove_tree(path) if path.is_dir() else path.unlink()

    def build(self, kind, n):
        count = self.dir / "count"
        env = dict(os.environ, LD_PRELOAD=SHIM, ODP_FAULT=f"{kind}:{n}", ODP_FAULT_COUNT=str(count), ODP_NO_TIMES="1")
        done = subprocess.run([odp.PROGRAM, "build", "--jobs", "1"], cwd=self.dir, env=env, capture_output=True, text=True, timeout=300)
        return done, int(count.read_text()) if count.exists() else 0

    def one_kind(self, kind):
        done, total = self.build(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.same(self.new, "without a fault")
        self.assertGreater(total, 0, f"no {kind} was seen")
        numbers = range(1, total + 1, max(1, total // SAMPLE))
        print(f"{kind}: {len(numbers)} of {total} calls fail, one a run", flush=True)
        self.failed = 0
        for n in numbers:
            with self.subTest(f"{kind}:{n}"):
                self.back_to_old()
                self.one_fault(kind, n)
        self.assertGreater(self.failed, 0, "no call has failed")

    def one_fault(self, kind, n):
        done, seen = self.build(kind, n)
        self.failed += seen >= n
        if seen < n:  # runs differ by some calls: in this one none failed, so all must be well
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertIn(done.returncode, (0, 3), done.stderr[-2000:])
        if done.returncode == 0:
            self.same(self.new, "it said that it published")
            return
        self.assertTrue(done.stderr.strip(), "it failed without a word")
        switched = os.readlink(self.dir / "build/site") != self.link  # the switch was made, what follows it failed
        self.same(self.new if switched else self.old, "half a site")
        self.odp("build")
        self.same(self.new, "the next run")

    def same(self, want, when):
        site = odp.digests(self.dir / "build/site")
        self.assertEqual([p for p in sorted(site.keys() | want.keys()) if site.get(p) != want.get(p)], [], when)


class Recalled(Faults):
    """The same after the second release was rolled back: its packages come from the build that is kept."""

    def setUp(self):
        super().setUp()
        self.odp("build")
        second = {p: d for p, d in odp.digests(self.dir / "build/site").items() if p.startswith("packages/")}
        self.odp("rollback")
        portal = odp.read_json(self.dir / "catalog/portal.json")
        (self.dir / "catalog/portal.json").write_text(json.dumps({**portal, "title": {"id": "Lain", "en": "Other"}}))
        self.link = os.readlink(self.dir / "build/site")
        self.before = {p.name for p in (self.dir / "build/site.builds").iterdir()}
        self.odp("build")
        self.new = odp.digests(self.dir / "build/site")
        self.assertEqual({p: d for p, d in self.new.items() if p.startswith("packages/")}, second)
        self.back_to_old()


for _kind in ("alloc", "jsonalloc", "read", "open", "close", "write"):
    setattr(Faults, f"test_{_kind}", lambda self, kind=_kind: self.one_kind(kind))

if __name__ == "__main__":
    odp.main()
