"""The command line as pipelines use it: exit codes, reports, languages, help."""
import json

import odp

FIELDS = [{"name": "kode", "type": "string"}, {"name": "luas", "type": "number", "decimalChar": ",", "groupChar": "."}]


class CommandLine(odp.Case):
    def small(self, rows="kode,luas\na,\"1.234,5\"\nb,2\n"):
        self.catalogue(references=False)
        return self.dataset("lahan", rows, FIELDS, {"schema": {"primaryKey": ["kode"]}})

    def test_exit_codes(self):
        self.odp(expect=2)
        self.odp("tidak-ada", expect=2)
        self.odp("build", "--apa", expect=2)
        self.odp("build", "--jobs", "0", expect=2)
        self.odp("check", expect=2)                       # no catalogue here
        folder = self.small()
        self.odp("check")
        self.odp("check", "lahn", expect=2)
        (folder / "lahan.csv").write_text("kode,luas\na,x\n")
        self.odp("check", expect=1)
        (folder / "dataset.json").write_text("{")
        self.odp("check", expect=2)

    def test_a_catalogue_fault_has_file_line_and_column(self):
        folder = self.small()
        text = (folder / "dataset.json").read_text().replace('"number"', '"nomor"')
        (folder / "dataset.json").write_text(text)
        report = self.report("check", expect=2)
        fault = next(d for d in report["diagnostics"] if d["severity"] == "error")
        line = next(i for i, row in enumerate(text.splitlines(), 1) if '"nomor"' in row)
        self.assertEqual((fault["code"], fault["line"]), ("ODP-C05", line))
        self.assertTrue(fault["file"].endswith("catalog/lahan/dataset.json"))
        self.assertEqual(text.splitlines()[line - 1][fault["column"] - 1], '"')

    def test_the_json_report_has_the_promised_members(self):
        folder = self.small()
        (folder / "lahan.csv").write_text("kode,luas\na,1\nb,\"12,5 ha\"\na,1.5\n")
        report = self.report("check", expect=1)
        self.assertEqual(set(report["summary"]) >= {"datasets", "resources", "rows", "errors", "warnings"}, True)
        members = {"code", "severity", "dataset", "resource", "file", "line", "column", "row", "field", "value", "message", "help"}
        for d in report["diagnostics"]:
            self.assertTrue(members <= set(d), d)
        found = sorted((d["code"], d["line"], d["column"], d["row"], d["field"]) for d in report["diagnostics"])
        self.assertEqual(found, [("ODP-K01", 4, 1, 3, "kode"), ("ODP-T03", 3, 3, 2, "luas"), ("ODP-T04", 4, 3, 3, "luas")])

    def test_report_goes_to_file_and_human_to_stderr(self):
        self.small()
        done = self.odp("check", "--report", "json=laporan.json", "--lang", "en")
        self.assertEqual(done.stdout, "")
        self.assertNotEqual(done.stderr, "")
        self.assertEqual(odp.read_json(self.dir / "laporan.json")["summary"]["errors"], 0)

    def test_check_as_reads_a_file_where_it_lies(self):
        self.small()
        (self.dir / "kiriman.csv").write_text("kode,luas\na,salah\n")
        report = self.report("check", "--as", "lahan", "kiriman.csv", expect=1)
        self.assertEqual([(d["code"], d["file"], d["line"]) for d in report["diagnostics"]], [("ODP-T03", "kiriman.csv", 2)])

    def test_sources_may_live_elsewhere(self):
        self.small()
        (self.dir / "sumber/lahan").mkdir(parents=True)
        (self.dir / "sumber/lahan/lahan.csv").write_text("kode,luas\nz,9\n")
        self.odp("build", "--sources", "sumber")
        self.assertEqual(odp.read_json(self.dir / "build/site/v1/lahan.json")["data"], [{"kode": "z", "luas": 9}])

    def test_strict_makes_warnings_errors(self):
        folder = self.small()
        (folder / "lahan.csv").write_text("kode,luas\na,1 \n")
        self.odp("check")
        self.odp("check", "--strict", expect=1)

    def test_explain_knows_every_code_in_both_languages(self):
        codes = [line.split()[0] for line in self.odp("explain").stdout.splitlines()]
        self.assertGreater(len(codes), 100)
        for lang in ("id", "en"):
            for code in codes:
                self.assertGreater(len(self.odp("explain", code, "--lang", lang).stdout), 120, code)
        self.odp("explain", "ODP-Z99", expect=2)
        self.assertEqual(self.odp("explain", "foreign-key").stdout, self.odp("explain", "odp-k02").stdout)

    def test_list_and_show(self):
        self.small()
        self.assertIn("lahan", self.odp("list").stdout)
        self.odp("build")
        shown = self.odp("show", "lahan").stdout
        self.assertIn("kode", shown)
        self.assertIn("lahan.csv", shown)
        self.assertIn("lahan", self.odp("show", "lahn", expect=2).stderr)

    def test_versions_and_rollback_of_a_first_build_without_releases(self):
        self.small()
        (self.dir / "catalog/changes.json").unlink()
        self.odp("build")
        self.assertRegex(self.odp("versions", "lahan").stdout, r"(?m) rilis —$")
        self.assertIn("tidak ada build sebelum yang sekarang", self.odp("rollback", expect=1).stderr)
        self.assertIn("bangun dulu (odp-build build)", self.odp("diff", "lahan", "--out", "lain", expect=2).stderr)

    def test_help_and_version(self):
        self.assertIn("build", self.odp("--help").stdout)
        self.assertIn("--keep-good", self.odp("build", "--help", "--lang", "en").stdout)
        for lang, line, option in (("id", "intake SLUG BERKAS", "--output BERKAS"), ("en", "intake SLUG FILE", "--output FILE")):
            said = self.odp("intake", "--help", "--lang", lang).stdout
            self.assertIn(f"odp-build {line}\n", said)
            self.assertIn(f"  {option} ", said)
            self.assertIn(line, self.odp("intake", "--lang", lang, expect=2).stderr)
        self.assertRegex(self.odp("--version").stdout, r"^odp-build \d+\.\d+\.\d+\n$")

    def test_full_disk_is_exit_3_and_leaves_no_trace(self):
        self.small()
        done = odp.subprocess.run(f"{odp.PROGRAM} check --report json > /dev/full", shell=True, cwd=self.dir, capture_output=True)
        self.assertEqual(done.returncode, 3)

    def test_both_languages(self):
        folder = self.small()
        (folder / "lahan.csv").write_text("kode,luas\na,x\n")
        self.assertIn("galat", self.odp("check", expect=1).stderr)
        self.assertIn("error", self.odp("check", "--lang", "en", expect=1).stderr)
        self.assertIn("error", self.odp("check", expect=1, env={"ODP_LANG": "en"}).stderr)


if __name__ == "__main__":
    odp.main()
