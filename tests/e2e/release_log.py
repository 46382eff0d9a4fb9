"""releases.log and feed.xml over the life of two datasets: what is said, when, once, and the same however often and wherever it is built; `verify` takes every
log there is."""
import hashlib
import json
import xml.etree.ElementTree as ET

import odp
import versionslib

ATOM = "{http://www.w3.org/2005/Atom}"
BASE = "https://data.example.go.id/"
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "integer"}]
KEY = {"schema": {"primaryKey": ["kode"]}}


class ReleaseLog(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.make("satu", "kode,nilai\nA,1\nB,2\n")
        self.make("dua", "kode,nilai\nC,3\n")
        self.lines = []

    def make(self, slug, rows):
        self.dataset(slug, rows, FIELDS, dict(KEY, schema=dict(KEY["schema"])), **{"odp:title": {"id": f"Data {slug}", "en": f"{slug} data"}})

    def log(self):
        """The log's lines; the chain is whole, and what was there before is there."""
        raw = (self.dir / "build/site/releases.log").read_bytes().splitlines()
        self.assertEqual(raw[:len(self.lines)], self.lines)
        for i, line in enumerate(raw):
            said = json.loads(line)
            before = "sha256:" + hashlib.sha256(raw[i - 1]).hexdigest() if i else None
            self.assertEqual((said["n"], said["previous"]), (i + 1, before))
        self.lines = raw
        return [json.loads(line) for line in raw]

    def build(self, *args, anew=False, **options):
        """Builds; what the new line says, as (what, dataset, version, has a digest, reason), or None where there is no new line. A second build says nothing, and
        writes the same bytes; so does (ANEW) one that makes everything anew. The site is whole."""
        known = len(self.lines)
        self.odp("build", *args, "--quiet", **options)
        log, build = self.log(), self.build_of()
        self.odp("build", *args, "--quiet", **options)
        self.assertEqual(self.build_of(), build)
        if anew:
            (self.dir / f"build/site.builds/{build}.inputs").unlink()
            self.odp("build", *args, "--quiet", **options)
            self.assertEqual(self.build_of(), build)
        self.odp("verify", "--quiet")
        self.assertLessEqual(len(log), known + 1)
        return self.said(log[-1]) if len(log) > known else None

    @staticmethod
    def said(line):
        for change in line["changes"]:
            assert set(change) <= {"dataset", "version", "digest", "what", "reason"}, change
        return [(c["what"], c["dataset"], c.get("version"), "digest" in c, c.get("reason")) for c in line["changes"]]

    def feed(self):
        """{id without the base address: entry} of feed.xml, which is in order and names only files that are there."""
        root = ET.parse(self.dir / "build/site/feed.xml").getroot()
        entries = root.findall(ATOM + "entry")
        stamps = [e.find(ATOM + "updated").text for e in entries]
        self.assertEqual([s[:10] for s in stamps], sorted((s[:10] for s in stamps), reverse=True))
        found = {}
        for entry in entries:
            name = entry.find(ATOM + "id").text
            self.assertTrue(name.startswith(BASE) and name not in found, name)
            found[name.removeprefix(BASE)] = entry
            self.assertTrue([link for link in entry.findall(ATOM + "link") if link.get("rel") == "alternate"])
            for link in entry.findall(ATOM + "link"):
                self.assertTrue((self.dir / "build/site" / link.get("href").removeprefix(BASE).partition("#")[0]).is_file(), link.get("href"))
        return {name: entry for name, entry in found.items() if not name.startswith("rilis.html")}

    @staticmethod
    def text(entry, tag):
        found = entry.find(ATOM + tag)
        return found.text if found is not None else None

    def patch(self):
        """A release, which each change of what the catalogue promises needs."""
        self.patches = getattr(self, "patches", 0) + 1
        self.release(f"2.5.{self.patches}")

    def leave(self, slug, sunset="2024-06-01"):
        self.describe(slug, **{"odp:status": "deprecated", "odp:deprecated": "2024-04-01", "odp:sunset": sunset, "odp:replacedBy": "satu"})
        self.patch()

    def test_the_life_of_a_dataset(self):
        first = self.build()
        self.assertEqual(first, [("published", "dua", "2024-03-15", True, None), ("published", "satu", "2024-03-15", True, None)])
        self.assertEqual(list(self.feed()), ["data/dua/2024-03-15/", "data/satu/2024-03-15/"])
        self.update("satu", "2024-03-18", "kode,nilai\nA,1\nB,5\nD,4\n")
        self.assertEqual(self.build(), [("published", "satu", "2024-03-18", True, None)])
        self.describe("satu", **{"odp:correction": {"id": "Salah ketik", "en": "A slip"}})
        self.update("satu", "2024-03-18", "kode,nilai\nA,1\nB,6\nD,4\n")
        self.assertEqual(self.build(anew=True), [("corrected", "satu", "2024-03-18.1", True, None)])
        feed = self.feed()
        self.assertEqual(set(feed), {"data/satu/2024-03-18.1/", "data/satu/2024-03-18/", "data/dua/2024-03-15/", "data/satu/2024-03-15/"})
        self.assertEqual(self.text(feed["data/satu/2024-03-18.1/"], "title"), "Data satu / satu data: 2024-03-18.1 (koreksi / correction)")
        self.assertEqual(self.text(feed["data/satu/2024-03-18.1/"], "summary"), "Salah ketik 0 rekaman baru, 0 dihapus, 1 berubah sejak 2024-03-18. / "
                         "A slip 0 records added, 0 removed, 1 changed since 2024-03-18.")
        self.assertEqual(self.text(feed["data/satu/2024-03-18/"], "summary"), "1 rekaman baru, 0 dihapus, 1 berubah sejak 2024-03-15. / "
                         "1 records added, 0 removed, 1 changed since 2024-03-15.")
        for version in ("2024-03-18", "2024-03-18.1"):
            links = {(link.get("rel"), link.get("href").removeprefix(BASE)) for link in feed[f"data/satu/{version}/"].findall(ATOM + "link")}
            folder = f"data/satu/{version}"
            self.assertEqual(links, {("alternate", "rilis.html#versi"), ("enclosure", f"{folder}/satu.csv"), ("enclosure", f"{folder}/satu.json"),
                                     ("related", f"{folder}/changes.html"), ("related", f"{folder}/changes.json")})

        # What is not data makes a line, but no change.
        self.describe("satu", **{"odp:title": {"id": "Data pertama", "en": "First data"}})
        self.patch()
        self.assertEqual(self.build(), [])

        # Deprecated, once; another date is no other state; back, and deprecated again.
        self.leave("dua")
        self.assertEqual(self.build("--today", "2024-04-01", anew=True), [("deprecated", "dua", "2024-03-15", False, None)])
        entry = self.feed()["data/dua/2024-03-15/#deprecated"]
        self.assertEqual(self.text(entry, "title"), "Data dua / dua data: akan dihentikan / deprecated")
        self.assertEqual(self.text(entry, "summary"), "Paling cepat dihapus 2024-06-01. Penggantinya: satu. / Removed on 2024-06-01 at the earliest. Use satu instead.")
        self.leave("dua", "2024-06-02")
        self.assertEqual(self.build("--today", "2024-04-01"), [])
        self.describe("dua", **{"odp:status": None, "odp:deprecated": None, "odp:sunset": None, "odp:replacedBy": None})
        self.patch()
        self.assertEqual(self.build("--today", "2024-04-01"), [])
        self.assertEqual([name for name in self.feed() if "#" in name], [])
        self.leave("dua")
        self.update("dua", "2024-03-19", "kode,nilai\nC,4\n")
        self.assertEqual(self.build("--today", "2024-04-01"), [("published", "dua", "2024-03-19", True, None), ("deprecated", "dua", "2024-03-19", False, None)])

        # A version is forced out; the entry of its publication goes, another one says so.
        self.odp("withdraw", "satu", "2024-03-18", "--reason", "privacy", "--note", "memuat data pribadi", "--quiet")
        self.assertEqual(self.said(self.log()[-1]), [("withdrawn", "satu", "2024-03-18", True, "privacy")])
        self.odp("verify", "--quiet")
        feed = self.feed()
        self.assertNotIn("data/satu/2024-03-18/", feed)
        self.assertEqual(self.text(feed["data/satu/2024-03-18/#withdrawn"], "title"), "Data pertama / First data: 2024-03-18 ditarik / withdrawn")
        self.assertEqual(self.text(feed["data/satu/2024-03-18/#withdrawn"], "summary"), "Alasan: privacy. memuat data pribadi / Reason: privacy. memuat data pribadi")
        before = (self.dir / "build/site/feed.xml").read_bytes()
        self.assertIsNone(self.build("--today", "2024-04-01", anew=True))
        self.assertEqual((self.dir / "build/site/feed.xml").read_bytes(), before)

        # The dataset as a whole: one change, whatever it had; then it leaves the catalogue, which is no news.
        self.describe("dua", **{"odp:status": "withdrawn"})
        self.release("3.0.0")
        self.assertEqual(self.build("--today", "2024-06-02", anew=True), [("withdrawn", "dua", None, False, None)])
        feed = self.feed()
        self.assertEqual({name for name in feed if "dua" in name}, {"data/dua/#withdrawn", "data/dua/2024-03-19/#deprecated", "data/dua/2024-03-15/#deprecated"})
        self.assertEqual(self.text(feed["data/dua/#withdrawn"], "title"), "Data dua / dua data: ditarik / withdrawn")
        odp.remove_tree(self.dir / "catalog/dua")
        self.assertEqual(self.build("--today", "2024-06-02"), [])

    def test_a_dataset_that_leaves_the_catalogue(self):
        self.leave("dua")
        self.assertEqual([c[0] for c in self.build("--today", "2024-04-01")], ["published", "published"])  # who reads of it for the first time sees its state
        odp.remove_tree(self.dir / "catalog/dua")
        self.release("3.0.0")
        self.assertEqual(self.build("--today", "2024-06-02", anew=True), [("removed", "dua", None, False, None)])
        self.assertEqual(self.text(self.feed()["data/dua/#removed"], "title"), "dua: tidak ada lagi dalam katalog / no longer in the catalogue")
        self.make("dua", "kode,nilai\nC,3\n")
        self.release("3.1.0")
        self.assertEqual(self.build("--today", "2024-06-02"), [("published", "dua", "2024-03-15", True, None)])
        self.assertNotIn("data/dua/#removed", self.feed())

    def test_a_new_name_is_no_removal(self):
        self.build()
        (self.dir / "catalog/dua").rename(self.dir / "catalog/tiga")
        (self.dir / "catalog/tiga/dua.csv").rename(self.dir / "catalog/tiga/tiga.csv")
        self.describe("tiga", name="tiga", **{"odp:formerSlugs": [{"slug": "dua", "sunset": "2025-01-01"}],
                                              "resource": {"path": "tiga.csv"}})
        self.release("3.0.0")
        self.assertNotIn("removed", [c[0] for c in self.build("--today", "2024-06-02") or []])

    def test_a_branch_after_a_rollback(self):
        self.build()
        self.update("satu", "2024-03-18", "kode,nilai\nA,7\n")
        self.build()
        self.odp("rollback", "--quiet")
        self.lines = self.lines[:1]
        self.log()
        self.assertEqual(list(self.feed()), ["data/dua/2024-03-15/", "data/satu/2024-03-15/"])
        self.update("satu", "2024-03-18", "kode,nilai\nA,8\n")
        self.assertEqual(self.build(), [("published", "satu", "2024-03-18", True, None)])

    def test_a_partial_build_says_what_it_made(self):
        self.build()
        self.leave("dua")
        self.update("satu", "2024-03-18", "kode,nilai\nA,7\n")
        self.assertEqual(self.build("satu", "--today", "2024-04-01"), [("published", "satu", "2024-03-18", True, None)])
        self.patch()
        self.assertEqual(self.build("--today", "2024-04-01"), [("deprecated", "dua", "2024-03-15", False, None)])

    def test_the_same_steps_elsewhere_make_the_same_files(self):
        files = []
        for out in ("build/site", "lain/tempat"):
            for date, rows in (("2024-03-15", "kode,nilai\nA,1\n"), ("2024-03-18", "kode,nilai\nA,2\n")):
                self.update("satu", date, rows)
                self.odp("build", "--out", out, "--quiet")
            files.append([(self.dir / out / name).read_bytes() for name in ("releases.log", "feed.xml")])
        self.assertEqual(files[0], files[1])

    def test_a_dataset_of_every_hour_does_not_push_the_others_out(self):
        self.odp("build", "--quiet")
        for hour in range(11):
            self.update("satu", f"2024-03-16T{hour:02d}:00:00+07:00", f"kode,nilai\nA,{hour}\n")
            self.odp("build", "--quiet")
        feed = self.feed()
        self.assertEqual(len([name for name in feed if name.startswith("data/satu/")]), 10)
        self.assertIn("data/dua/2024-03-15/", feed)


if __name__ == "__main__":
    odp.main()
