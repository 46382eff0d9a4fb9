"""Datasets are read, checked and emitted beside each other where they are small and not linked: site, downloads and reports are those of one thread."""
import json

import odp

TODAY = ("--today", "2024-03-21")
FIELDS = [{"name": "kode", "type": "string"}, {"name": "tanggal", "type": "date"}, {"name": "luas", "type": "number"}]
ROWS = "kode,tanggal,luas\n" + "".join(f"{i:04},2024-03-{1 + i % 15:02},{i}.5\n" for i in range(200))


class Beside(odp.Case):
    def setUp(self):
        super().setUp()
        self.bare = odp.program_without_portal(self.dir / "bare")

    def build(self, jobs, *more, expect=0, out=None):
        """The report of a build without portal, on JOBS threads."""
        program, odp.PROGRAM = odp.PROGRAM, self.bare
        try:
            return self.report("build", "--jobs", jobs, "--out", out or f"jobs{jobs}", *TODAY, *more, expect=expect)
        finally:
            odp.PROGRAM = program

    def told(self, report):
        """All that a report says of the data."""
        return json.loads(json.dumps(report).replace("jobs1", "jobs4"))

    def several(self, **changed):
        """Ten small datasets, none linked; CHANGED: what is other of one."""
        self.catalogue(references=False)
        for i in range(10):
            of = changed.get(f"data{i}", {})
            self.dataset(f"data{i}", of.get("rows", ROWS.replace(".5", f".{i}5")), FIELDS, **of.get("more", {}))

    def sample(self, *more):
        done = odp.subprocess.run([odp.SAMPLE, "all", "--rows", "60", "--descriptor", "--catalog", str(odp.SOURCE / "catalog"), "--out", str(self.dir / "catalog"),
                                   *more], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_same_site(self):
        self.sample()
        reports = {jobs: self.build(jobs) for jobs in (1, 4)}
        self.assertEqual(self.told(reports[1]), self.told(reports[4]))
        one, four = odp.digests(self.dir / "jobs1"), odp.digests(self.dir / "jobs4")
        self.assertGreater(len(one), 22 * 5)
        self.assertEqual(one, four)

    def test_the_same_report_of_faults(self):
        self.sample("--faults", "0.05")
        for more in ((), ("--keep-good",)):
            one, four = self.build(1, *more, expect=1), self.build(4, *more, expect=1)
            self.assertGreater(one["summary"]["errors"], 50)
            self.assertEqual(self.told(one), self.told(four))

    def test_what_is_good_is_kept(self):
        self.several(data3={"rows": ROWS + "x,2024-13-01,1\n"}, data8={"rows": ROWS + "y,2024-03-01,banyak\n"})
        self.build(4, expect=1)
        self.assertFalse((self.dir / "jobs4").exists())
        for jobs in (1, 4):
            self.build(jobs, "--keep-good", expect=1)
        self.assertEqual(odp.digests(self.dir / "jobs1"), odp.digests(self.dir / "jobs4"))
        self.assertEqual([d["slug"] for d in odp.read_json(self.dir / "jobs4/v1/index.json")["data"]], [f"data{i}" for i in range(10) if i not in (3, 8)])

    def test_a_missing_date_is_told_whatever_else_is_wrong(self):
        undated = {"odp:lastUpdate": {"field": "tanggal"}}
        self.several(data0={"rows": ROWS + "x,2024-13-01,1\n"}, data5={"rows": "kode,tanggal,luas\nA,,1\n", "more": undated}, data6={"more": undated})
        one, four = self.build(1, expect=1), self.build(4, expect=1)
        self.assertEqual(self.told(one), self.told(four))
        self.assertEqual({(d["code"], d["dataset"]) for d in one["diagnostics"] if d["severity"] == "error"}, {("ODP-T08", "data0"), ("ODP-V05", "data5")})

    def test_downloads(self):
        self.several()
        for jobs in (1, 4):
            self.odp("export", *(f"data{i}" for i in range(10)), "--format", "json,csv", "--jobs", jobs, "--out", f"e{jobs}", *TODAY)
        self.assertEqual(len(odp.digests(self.dir / "e4")), 21)
        self.assertEqual(odp.digests(self.dir / "e1"), odp.digests(self.dir / "e4"))


if __name__ == "__main__":
    odp.main()
