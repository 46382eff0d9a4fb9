"""Data against the published version: what is kept of it (profile.json), what a check and a build say, and that it stays with carried, restored and rolled back
sites. The scorecard: the same in show, report and site."""
import json
import re
import shutil
import unittest.mock

import odp

FIELDS = [{"name": "id", "type": "string"}, {"name": "wilayah", "type": "string", "categories": ["Barat", "Timur"]},
          {"name": "nilai", "type": "number"}, {"name": "nik", "type": "string", "sdi:aksesPublik": False}]
TODAY = ["--today", "2024-03-20"]


def rows(n, unit=1, region=lambda i: "Timur" if i % 3 else "Barat"):
    lines = [f"K{i:04},{region(i)},{(100 + i % 50) * unit}.5,31710123456{i:05}" for i in range(n)]
    return "\n".join(["id,wilayah,nilai,nik", *lines]) + "\n"


class Drifting(odp.Case):
    def setUp(self):
        """Without pages, but for the one test that looks at them."""
        super().setUp()
        self.program = odp.PROGRAM
        self.enterContext(unittest.mock.patch.object(odp, "PROGRAM", str(odp.program_without_portal(self.dir / "bare"))))
        self.catalogue(references=False)
        key = {"schema": {"primaryKey": ["id"]}}
        self.dataset("data", rows(300), FIELDS, key)
        self.dataset("lain", rows(50), FIELDS, {"schema": {"primaryKey": ["id"]}})
        self.site = self.dir / "build/site"
        self.odp("build", "--quiet", *TODAY)

    def put(self, text, slug="data"):
        (self.dir / f"catalog/{slug}/{slug}.csv").write_text(text)

    def counts(self, *args, expect=0):
        return self.report(*(args or ["check"]), *TODAY, expect=expect)["counts"]

    def profile(self, slug="data", version="2024-03-15", site=None):
        return odp.read_json((site or self.site) / f"data/{slug}/{version}/profile.json")

    def test_profile_of_a_version(self):
        profile = self.profile()
        fields = {f["name"]: f for f in profile["fields"]}
        self.assertEqual((profile["dataset"], profile["resource"], profile["version"], profile["rows"]), ("data", "data", "2024-03-15", 300))
        self.assertEqual(list(fields), ["id", "wilayah", "nilai"])
        self.assertEqual(fields["nilai"]["sum"], str(sum(100 + i % 50 for i in range(300)) + 150))
        self.assertEqual((fields["nilai"]["minimum"], fields["nilai"]["maximum"], fields["nilai"]["distinct"]), ("100.5", "149.5", 50))
        self.assertEqual(fields["wilayah"]["values"], {"Barat": 100, "Timur": 200})
        self.assertEqual(fields["id"]["distinct"], 300)
        text = (self.site / "data/data/2024-03-15/profile.json").read_text()
        self.assertNotIn("nik", text)
        self.assertNotIn("31710123456", text)
        # It is a file of the version like all others: public, listed, under latest/, verified.
        manifest = {f["path"]: f for f in odp.read_json(self.site / "manifest.json")["files"]}
        for folder in ("2024-03-15", "latest"):
            self.assertEqual(manifest[f"data/data/{folder}/profile.json"]["class"], "public")
        self.odp("verify")
        # Whatever the threads.
        for jobs in (1, 3):
            self.odp("build", "--out", f"j{jobs}", "--jobs", jobs, "--quiet", *TODAY)
        self.assertEqual(odp.digests(self.dir / "j1"), odp.digests(self.dir / "j3"))

    def test_check_and_build_compare(self):
        self.assertEqual(self.counts(), {})
        # What a build would refuse a check says: the same date with other content, an older date.
        self.put(rows(290))
        self.assertEqual(self.counts(expect=1), {"ODP-V10": 1})
        self.assertEqual(self.counts("check", "--previous", "build/site", expect=1), {"ODP-V10": 1})
        self.assertEqual(self.counts("check", "lain"), {})
        self.update("data", "2024-03-14")
        self.assertEqual(self.counts(expect=1), {"ODP-V11": 1})
        self.assertIn("(build/site), odp-build build akan menolak: ODP-V11", self.odp("check", *TODAY, expect=1).stderr)
        before = sorted((self.dir / "build").rglob("*"))
        self.update("data", "2024-03-17", rows(100))
        self.assertEqual(self.counts(), {"ODP-Q01": 1})
        self.assertEqual(sorted((self.dir / "build").rglob("*")), before)
        report = self.report("check", "data", "--lang", "en", *TODAY)
        self.assertEqual([(d["severity"], d["dataset"], d["field"]) for d in report["diagnostics"]], [("warning", "data", None)])
        self.assertIn("rows 300 → 100 (−66.7%)", report["diagnostics"][0]["message"])
        self.assertIn("±30%", report["diagnostics"][0]["message"])
        self.assertIn('"odp:drift": {"rows": 0.7}', report["diagnostics"][0]["help"])
        # The file where it lies; the site by name; a site that is not there.
        self.put(rows(300))
        (self.dir / "kiriman.csv").write_text(rows(100))
        self.assertEqual(self.counts("check", "--as", "data", "kiriman.csv"), {"ODP-Q01": 1})
        self.put(rows(300, unit=10000))
        self.assertEqual(self.counts("check", "--previous", "build/site"), {"ODP-Q04": 1})
        self.assertEqual(self.counts("check", "--out", "kosong"), {})
        # A build says it, too, and under --strict publishes nothing.
        self.update("data", "2024-03-18")
        self.assertEqual(self.counts("build", "--strict", expect=1), {"ODP-Q04": 1})
        self.assertFalse((self.site / "data/data/2024-03-18").exists())
        self.assertEqual(self.counts("build"), {"ODP-Q04": 1})
        # What is published is what the next one is compared with.
        self.assertEqual(self.counts(), {})
        self.update("data", "2024-03-19", rows(300))
        self.assertEqual(self.counts(), {"ODP-Q04": 1})

    def test_one_cause(self):
        """Errors go first; half the rows are not told of by each of their columns; nor one column by all of its figures."""
        self.update("data", "2024-03-17", rows(100, region=lambda i: "Barat"))
        report = self.report("check", *TODAY)
        self.assertEqual(report["counts"], {"ODP-Q01": 1})
        self.assertIn("wilayah “Timur”", report["diagnostics"][0]["message"])
        self.put(rows(100) + "K9999,Utara,1,\n")
        self.assertNotIn("ODP-Q01", self.counts("check", expect=1))
        # Nothing but the header is no new version of a table that has rows; unless it is said to be meant.
        self.put("id,wilayah,nilai,nik\n")
        self.assertEqual(self.counts("check", expect=1), {"ODP-F07": 1, "ODP-Q08": 1})
        before = odp.digests(self.site)
        self.update("data", "2024-03-18", "id,wilayah,nilai,nik\n")
        self.assertEqual(self.counts("build", expect=1), {"ODP-F07": 1, "ODP-Q08": 1})
        self.assertEqual(odp.digests(self.site), before)
        self.assertEqual(self.counts("build", "--keep-good", expect=1), {"ODP-F07": 1, "ODP-Q08": 1})
        self.assertEqual([p for p in (self.site / "data/data/2024-03-18").rglob("*") if p.is_file()], [])
        path = self.dir / "catalog/data/dataset.json"
        path.write_text(json.dumps({**odp.read_json(path), "odp:drift": {"rows": False}}))
        self.assertEqual(self.counts("build"), {"ODP-F07": 1})
        self.assertTrue((self.site / "data/data/2024-03-18/profile.json").exists())

    def test_carried_over_and_incremental(self):
        before = (self.site / "data/lain/2024-03-15/profile.json").read_bytes()
        score = (self.site / "data/lain/scorecard.json").read_bytes()
        self.update("data", "2024-03-18", rows(290))
        self.odp("build", "data", "--quiet", *TODAY)
        self.assertEqual((self.site / "data/lain/2024-03-15/profile.json").read_bytes(), before)
        self.assertEqual((self.site / "data/lain/scorecard.json").read_bytes(), score)
        self.assertEqual(self.profile(version="latest")["version"], "2024-03-18")
        self.assertEqual(self.profile()["rows"], 300)  # versions stay as they were made
        self.odp("verify")
        # All in one go gives the same site.
        self.odp("build", "--out", "dua", "--previous", "build/site", "--quiet", *TODAY)
        self.assertEqual(odp.digests(self.dir / "dua"), odp.digests(self.site))

    def test_rolled_back_and_restored(self):
        self.update("data", "2024-03-18", rows(250, unit=10000))
        self.odp("build", "--quiet", *TODAY)
        self.assertEqual(self.counts(), {})
        self.odp("rollback")
        self.assertEqual(self.profile(version="latest")["version"], "2024-03-15")
        self.assertEqual(self.counts(), {"ODP-Q04": 1})
        shutil.move(self.dir / "build", self.dir / "asal")
        self.odp("restore", "asal/site")
        self.assertEqual(self.counts(), {"ODP-Q04": 1})
        self.assertEqual(self.counts("build"), {"ODP-Q04": 1})
        self.odp("verify")

    def test_renamed(self):
        shutil.move(self.dir / "catalog/data", self.dir / "catalog/baru")
        shutil.move(self.dir / "catalog/baru/data.csv", self.dir / "catalog/baru/baru.csv")
        path = self.dir / "catalog/baru/dataset.json"
        package = odp.read_json(path)
        package.update({"name": "baru", "odp:formerSlugs": [{"slug": "data", "sunset": "2025-12-31"}]})
        package["resources"][0].update({"name": "baru", "path": "baru.csv"})
        fields = package["resources"][0]["schema"]["fields"]
        fields[2].update({"name": "besaran", "odp:formerNames": ["nilai"]})
        path.write_text(json.dumps(package))
        (path.parent / "baru.csv").write_text(rows(300, unit=100).replace("nilai", "besaran", 1))
        report = self.report("check", *TODAY, expect=1)  # the gate has its say, too
        self.assertEqual([(d["code"], d["field"]) for d in report["diagnostics"] if d["code"][:5] != "ODP-V"], [("ODP-Q04", "besaran")])

    def test_sites_without_profiles(self):
        """Of a time before there were any: the index knows the rows. A build makes what is missing of the current version, and mends what is damaged."""
        profile = self.site / "data/data/latest/profile.json"
        folder = profile.parent
        mode = folder.stat().st_mode
        self.update("data", "2024-03-17")
        folder.chmod(0o755)
        text = profile.read_text()
        for damage in (None, "", "{}", text[:-30]):
            profile.unlink(missing_ok=True)
            if damage is not None:
                profile.write_text(damage)
            self.put(rows(100))
            self.assertEqual(self.counts(), {"ODP-Q01": 1})
            self.put(rows(300, unit=1000))
            self.assertEqual(self.counts(), {"ODP-Q14": 1})
        folder.chmod(mode)
        self.update("data", "2024-03-15", rows(300))
        self.odp("build", "--quiet", *TODAY)
        self.assertEqual(self.profile(version="latest")["rows"], 300)
        self.odp("verify")

    def test_overdue(self):
        path = self.dir / "catalog/data/dataset.json"
        package = odp.read_json(path)
        package["odp:frequency"] = "MONTHLY"
        path.write_text(json.dumps(package))
        for command in ("check", "build"):
            for day, expected in (("2024-04-15", {}), ("2024-04-16", {"ODP-Q10": 1})):
                report = self.report(command, "--strict", "--today", day)
                self.assertEqual(report["counts"], expected)
        self.assertEqual(report["diagnostics"][0]["severity"], "note")
        self.assertIn("2024-04-15", report["diagnostics"][0]["message"])
        self.assertEqual(self.report("check", "lain", "--today", "2034-04-16")["counts"], {})
        # A date that is a field's: what was read, or of what was not read the published version's.
        package["odp:lastUpdate"] = {"field": "tanggal"}
        package["resources"][0]["schema"]["fields"].append({"name": "tanggal", "type": "date"})
        path.write_text(json.dumps(package))
        self.release("2.6.0")
        lines = rows(300).splitlines()
        self.put("\n".join([lines[0] + ",tanggal", *(line + ",2024-05-01" for line in lines[1:])]) + "\n")
        for _ in range(2):  # the second has nothing to do
            report = self.report("build", "--today", "2024-06-03")
            self.assertEqual(report["counts"], {"ODP-Q10": 1})
            self.assertIn("2024-06-01", report["diagnostics"][0]["message"])
        package["odp:severity"] = {"overdue": "error"}
        path.write_text(json.dumps(package))
        self.report("build", "--today", "2024-06-04", expect=1)
        package["odp:severity"] = {"overdue": "off"}
        path.write_text(json.dumps(package))
        self.assertEqual(self.report("build", "--today", "2024-06-04")["counts"], {})

    def test_scorecard(self):
        shutil.rmtree(self.dir / "catalog")
        shutil.rmtree(self.dir / "build", onerror=lambda f, p, e: None)
        self.catalogue("kontraktor")
        with unittest.mock.patch.object(odp, "PROGRAM", self.program):
            self.odp("build", "--out", "nilai", "--quiet", *TODAY)
        score = odp.read_json(self.dir / "nilai/data/kontraktor/scorecard.json")
        self.assertEqual([p["id"] for p in score["principles"]], ["standard", "metadata", "interoperability", "codes"])
        for p in score["principles"]:
            self.assertEqual((p["have"], p["need"]), (sum(i["have"] for i in p["items"]), sum(i["need"] for i in p["items"])))
            self.assertEqual(p["percent"], 100 * p["have"] // p["need"] if p["need"] else None)
        counted = [p["percent"] for p in score["principles"] if p["percent"] is not None]
        self.assertEqual(score["percent"], sum(counted) // len(counted))
        shown = {lang: self.odp("show", "kontraktor", "--lang", lang).stdout for lang in ("id", "en")}
        self.assertIn(f"{score['percent']} dari 100", shown["id"])
        for lang, text in shown.items():
            for p in score["principles"]:
                self.assertRegex(text, rf"{re.escape(p['title'][lang])} +{p['percent']} % +{p['have']}/{p['need']}\n")
                for item in p["items"]:
                    if not item["met"]:
                        self.assertIn(f"✗ {item['label'][lang]}", text)
                        self.assertIsNone(item["note"])  # what to do about it is for stewards
        lines = (self.dir / "catalog/kontraktor/dataset.json").read_text().split("\n")
        at = next(i for i, text in enumerate(lines) if '"id_kontraktor"' in text)  # its object begins in the line before
        self.assertIn(f"id_kontraktor:{at},", shown["id"])
        self.assertIn("catalog/kontraktor/dataset.json", shown["en"])
        page = self.dir / "nilai/katalog/kontraktor.html"
        if page.exists():  # not where the portal's assets were not built
            text = page.read_text()
            self.assertIn(f'<p class="ds-score-total"><strong>{score["percent"]}</strong>', text)
            for p in score["principles"]:
                self.assertIn(f'value="{p["percent"]}" aria-label="{p["title"]["id"]}"', text)
        self.assertEqual(odp.read_json(self.dir / "nilai/manifest.json")["files"] and [f["class"] for f in odp.read_json(self.dir / "nilai/manifest.json")["files"]
                                                                                      if f["path"] == "data/kontraktor/scorecard.json"], ["public"])

    def test_scorecard_beside_another(self):
        """What a name means in one dataset counts in the scorecard of another, which is not read again for it."""
        def met(slug):
            score = odp.read_json(self.site / f"data/{slug}/scorecard.json")
            return {i["id"]: i["met"] for i in score["principles"][2]["items"]}["meaning"]
        self.assertTrue(met("lain"))
        path = self.dir / "catalog/data/dataset.json"
        package = odp.read_json(path)
        package["resources"][0]["schema"]["fields"][2]["sdi:satuan"] = "hektare"
        package["odp:lastUpdate"] = "2024-03-18"
        path.write_text(json.dumps(package))
        self.release("3.0.0")  # a unit is part of the contract
        self.odp("build", "--quiet", *TODAY)
        self.assertFalse(met("data"))
        self.assertFalse(met("lain"))
        self.odp("build", "--out", "dua", "--previous", "build/site", "--quiet", *TODAY)
        self.assertEqual(odp.digests(self.dir / "dua"), odp.digests(self.site))


if __name__ == "__main__":
    odp.main()
