"""Every fault that odp-sample plants is found by odp-build, under its code and on its line, and nothing else is."""
import collections
import csv
import subprocess
import unittest

import odp

QUOTES = {"ODP-R05": "quotes", "ODP-R06": "quotes"}  # an open quote before a quoted cell reads as text after a closing quote


def sample(*args):
    subprocess.run([odp.SAMPLE, *map(str, args)], check=True, cwd=odp.SOURCE)


def datasets():
    listing = subprocess.run([odp.SAMPLE, "--list"], check=True, capture_output=True, text=True).stdout
    return sorted({line.split()[0] for line in listing.splitlines()})


class Faults(odp.Case):
    def plant(self, slug, *options):
        """Clean sources of all datasets, those of SLUG with faults; the manifest and the report."""
        sources, manifest = self.dir / "sources", self.dir / "manifest.csv"
        sample("all", "--out", sources)
        sample(slug, "--out", sources, "--manifest", manifest, *options)
        with open(manifest, newline="") as f:
            planted = list(csv.DictReader(f))
        report = self.report("check", slug, "--catalog", odp.SOURCE / "catalog", "--sources", sources, "--today", "2024-03-21", expect=None)
        return planted, report

    def compare(self, slug, planted, report):
        skip = {"ODP-K04", "ODP-L03"} | ({"ODP-K02"} if slug == "regulasi" else set())  # keys into what is rejected are not checked
        want = collections.Counter(QUOTES.get(p["code"], p["code"]) for p in planted if p["code"] not in skip)
        got = collections.Counter()
        for code, n in report["counts"].items():
            if code not in skip:
                got[QUOTES.get(code, code)] += n
        for d in report["diagnostics"]:  # a key that was copied from another record names another regency, too
            if d.get("rule") == "kumuh-kode":
                got["ODP-L01"] -= d.get("count", 1)
        self.assertEqual(got, want, slug)
        lines = {(p["resource"], p["line"]) for p in planted}
        rows = {(p["resource"], p["row"]) for p in planted if p["line"] == "0"}
        for d in report["diagnostics"]:
            if d["code"] not in skip:
                known = (d["resource"], str(d["line"])) in lines or (d["resource"], str(d["row"])) in rows
                self.assertTrue(known, f"{slug}: nothing was planted here: {d}")

    def test_clean_sources_are_clean(self):
        sources = self.dir / "sources"
        sample("all", "--out", sources, "--seed", "77")
        report = self.report("check", "--catalog", odp.SOURCE / "catalog", "--sources", sources, "--today", "2024-03-21")
        self.assertEqual(report["counts"], {})

    def test_every_dataset(self):
        seen = set()
        for slug in datasets():
            with self.subTest(slug):
                planted, report = self.plant(slug, "--faults", "0.3", "--seed", "5")
                self.assertGreater(len(planted), 10)
                self.compare(slug, planted, report)
                seen |= {p["kind"] for p in planted}
        kinds = subprocess.run([odp.SAMPLE, "--list-faults"], check=True, capture_output=True, text=True).stdout
        self.assertEqual({line.split()[0] for line in kinds.splitlines()} - seen, set(), "kinds that were never planted")

    def test_one_kind_alone(self):
        planted, report = self.plant("perumahan", "--fault", "group=0.05", "--seed", "9")
        self.assertEqual({p["kind"] for p in planted}, {"group"})
        self.compare("perumahan", planted, report)

    def test_private_values_stay_private(self):
        planted, report = self.plant("rehabilitasi", "--fault", "unique=0.05", "--fault", "pattern=0.05")
        text = str(report["diagnostics"])
        with open(self.dir / "sources/rehabilitasi/rehabilitasi.csv", newline="", encoding="utf-8-sig") as f:
            for row in csv.DictReader(f):
                self.assertNotIn(row["nik"], text)


if __name__ == "__main__":
    unittest.main()
