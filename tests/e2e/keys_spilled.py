#!/usr/bin/env python3
"""Key sets that outgrow ODP_KEY_MEMORY go on in a file without a name: reports and sites are the same at every bound, on any number of threads, and a
full disk is one sentence. `deep`: peak memory of five million rows with keys and without."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import unittest

import odp

BOUNDS = ["0", "200K", "1M"]


class Spilled(odp.Case):
    def sampled(self, slug, rows, *faults):
        sample = self.dir / f"sample-{slug}"
        subprocess.run([odp.SAMPLE, slug, "--catalog", odp.SOURCE / "catalog", "--rows", str(rows), *faults, "--csv", "--descriptor", "--out", sample],
                       check=True, capture_output=True)
        return sample

    def said(self, catalog, slug, bound, jobs, expect):
        """The report, less what is of this run alone."""
        done = self.odp("check", "--catalog", catalog, "--as", slug, catalog / slug / f"{slug}.csv", "--jobs", jobs, "--report", "json", "--quiet", "--today",
                        "2024-03-21", expect=expect, env={"ODP_KEY_MEMORY": bound} if bound else None)
        return done.stdout

    def test_reports(self):
        """Two unique keys, one row in twelve with a fault, three in four of those a key that is there already."""
        catalog = self.sampled("rehabilitasi", 30000, "--fault", "key=0.03", "--fault", "unique=0.03", "--faults", "0.02")
        plain = self.said(catalog, "rehabilitasi", None, 1, 1)
        self.assertIn("ODP-K01", plain)
        for bound in BOUNDS:
            for jobs in (1, 3):
                self.assertEqual(self.said(catalog, "rehabilitasi", bound, jobs, 1), plain, (bound, jobs))
        self.assertEqual(self.said(catalog, "rehabilitasi", None, 8, 1), plain)

    def own(self):
        """A tree that refers to itself, and one that refers to it; some of both to what is not there."""
        self.catalogue(references=False)
        fields = [{"name": "kode", "type": "string"}, {"name": "induk", "type": "string"}]
        rows = "".join(f"K{i},{'' if i % 7 == 0 else f'K{i * 7919 % 9100}'}\n" for i in range(9000)) + "K12,\nK700,K9200\n"
        self.dataset("pohon", "kode,induk\n" + rows, fields, {"schema": {
            "primaryKey": "kode", "foreignKeys": [{"fields": "induk", "reference": {"resource": "", "fields": "kode"}}]}})
        daun = "".join(f"D{i},K{i * 31 % 9050}\n" for i in range(8000))
        self.dataset("daun", "kode,induk\n" + daun, fields, {"schema": {"primaryKey": "kode"}})
        return self.dir / "catalog"

    def test_references(self):
        catalog = self.own()
        texts = []
        for bound in [None, *BOUNDS]:
            for jobs in (1, 4):
                done = self.odp("check", "--catalog", catalog, "--jobs", jobs, "--report", "json", "--quiet", "--today", "2024-03-21", expect=None,
                                env={"ODP_KEY_MEMORY": bound} if bound else None)
                texts.append(done.stdout)
        self.assertIn("ODP-K02", texts[0])
        self.assertIn("ODP-K01", texts[0])
        self.assertEqual(len(set(texts)), 1)

    def test_ascending(self):
        """Keys that ascend are but listed, until one comes that does not: codes that grow longer, whole numbers (-0 is 0), in the same batch and much later."""
        self.catalogue(references=False)
        many = list(range(1, 20001))
        for slug, kind, keys, twice in (
                ("kode", "string", [f"K{i}" for i in many] + ["K20001", "K20001", "K7", "K20002", "K9"], {20003: "20002", 20004: "8", 20006: "10"}),
                ("nomor", "integer", [*many, 20002, 20001, 5, 20003], {20004: "6"}),
                ("acak", "integer", [i * 7919 % 20011 for i in many] + [7919], {20002: "2"}),
                ("naik", "string", [f"K{i}" for i in many], {})):
            self.dataset(slug, "id\n" + "".join(f"{key}\n" for key in keys), [{"name": "id", "type": kind}], {"schema": {"primaryKey": "id"}})
            for bound in (None, *BOUNDS):
                for jobs in (1, 3, 8):
                    report = json.loads(self.said(self.dir / "catalog", slug, bound, jobs, 1 if twice else 0))
                    told = {d["line"]: d["args"][0] if "args" in d else d["message"] for d in report["diagnostics"] if d["code"] == "ODP-K01"}
                    self.assertEqual(sorted(told), sorted(twice), (slug, bound, jobs))
                    for line, first in twice.items():
                        self.assertRegex(told[line], rf"\b{first}\b", (slug, bound, jobs))

    def test_exports(self):
        """What is let pass by odp:severity is published: the same bytes, however the keys were kept. What is not leaves nothing."""
        catalog = self.sampled("rehabilitasi", 20000, "--fault", "key=0.02")
        package = odp.read_json(catalog / "rehabilitasi" / "dataset.json")
        for waived in (False, True):
            if waived:
                package["odp:severity"] = {"ODP-K01": "warning"}
                (catalog / "rehabilitasi" / "dataset.json").write_text(json.dumps(package))
            files = []
            for bound in (None, "0"):
                out = self.dir / f"export-{waived}-{bound}"
                self.odp("export", "--catalog", catalog, "--as", "rehabilitasi", catalog / "rehabilitasi" / "rehabilitasi.csv", "--format", "json,csv", "--out", out, "--quiet",
                         expect=0 if waived else 1, env={"ODP_KEY_MEMORY": bound} if bound else None)
                files.append({p.name: p.read_bytes() for p in sorted(out.glob("*")) if p.is_file()} if out.exists() else {})
            self.assertEqual(files[0], files[1])
            self.assertEqual(len(files[0]) > 0, waived)

    def test_disk_full(self):
        catalog = self.sampled("rehabilitasi", 20000)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        done = subprocess.run([odp.PROGRAM, "check", "--catalog", catalog, "--as", "rehabilitasi", catalog / "rehabilitasi" / "rehabilitasi.csv", "--quiet"], preexec_fn=limit, restore_signals=False,
                              capture_output=True, cwd=self.dir, env=dict(os.environ, ODP_KEY_MEMORY="0"))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len([line for line in done.stderr.decode().splitlines() if line.strip()]), 1, done.stderr)
        self.assertIn("odp-keys (TMPDIR)", done.stderr.decode())

    def test_wrong_bounds(self):
        catalog = self.own()
        for bound in ("-1", "12x", "1KK", "K", "99999999999999999999G"):
            done = self.odp("check", "--catalog", catalog, "--quiet", expect=3, env={"ODP_KEY_MEMORY": bound})
            self.assertIn("ODP_KEY_MEMORY", done.stderr)
        leaves = [p.name for p in pathlib.Path(os.environ.get("TMPDIR", "/tmp")).glob("odp-keys-*")]
        self.assertEqual(leaves, [])


class Memory(odp.Case):
    """A tenth of what is promised for fifty million rows: 1.2 GiB of keys and 1.5 GB in all; without keys the same 128 MB."""

    def peak(self, catalog, env):
        args = [odp.PROGRAM, "check", "--catalog", catalog, "--as", "pemantauan", catalog / "pemantauan" / "pemantauan.csv", "--jobs", "2", "--quiet", "--no-progress"]
        child = subprocess.Popen(args, cwd=self.dir, env=dict(os.environ, **env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_peak(self):
        catalog = self.dir / "sample"
        subprocess.run([odp.SAMPLE, "pemantauan", "--catalog", odp.SOURCE / "catalog", "--rows", "5000000", "--csv", "--descriptor", "--out", catalog], check=True, capture_output=True)
        self.assertLess(self.peak(catalog, {"ODP_KEY_MEMORY": "120M"}), 200_000_000)
        self.assertLess(self.peak(catalog, {"ODP_KEY_MEMORY": "20M"}), 100_000_000)
        path = catalog / "pemantauan" / "dataset.json"
        package = odp.read_json(path)
        del package["resources"][0]["schema"]["primaryKey"]
        path.write_text(json.dumps(package))
        self.assertLess(self.peak(catalog, {}), 128_000_000)


if __name__ == "__main__":
    deep = sys.argv[1:2] == ["deep"]
    unittest.main(argv=sys.argv[:1] + ["Memory" if deep else "Spilled"])
