"""odp-build bundle: the public site as one archive, the same bytes everywhere, that works from a folder without a server."""
import hashlib
import html.parser
import io
import json
import os
import shutil
import subprocess
import tarfile
import unittest
import urllib.parse
import zipfile

import odp

FIELDS = [{"name": "kode", "type": "string"}, {"name": "jumlah", "type": "integer"}]
ROWS = "kode,jumlah\n" + "".join(f"K{i},{i}\n" for i in range(200))
ZSTD = shutil.which("zstd")


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.tags, self.text = [], set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.text += data


class Bundling(odp.Case):
    def make(self, portal=True):
        """A small site; without a portal it is one of a program that finds no templates beside itself."""
        self.catalogue(references=False)
        self.dataset("air", ROWS, FIELDS)
        self.dataset("tanah", ROWS, FIELDS, title={"id": "Tanah <b>& \"air\"</b>", "en": "Land's <script>x()</script>"})
        if portal:
            self.odp("build")
        else:
            subprocess.run([odp.program_without_portal(self.dir / "bare"), "build"], cwd=self.dir, check=True, capture_output=True)
            shutil.rmtree(self.dir / "bare")
        self.site = (self.dir / "build/site").resolve()
        self.assertEqual((self.site / "index.html").exists(), portal)

    def manifest(self):
        return {e["path"]: e for e in json.loads((self.site / "manifest.json").read_text())["files"]}

    def expected(self):
        """Paths that belong into the archive."""
        public = [p for p, e in self.manifest().items() if e["class"] == "public" and "encoding" not in e]
        return sorted([*public, "manifest.json", *([] if (self.site / "index.html").exists() else ["start.html"])])

    def unpacked(self, archive):
        """[(name, mode, time, bytes)] by Python's readers, which are not libarchive."""
        if str(archive).endswith(".zip"):
            with zipfile.ZipFile(self.dir / archive) as z:
                self.assertIsNone(z.testzip())
                return [(i.filename, i.external_attr >> 16, i.date_time, z.read(i)) for i in z.infolist()]
        if not ZSTD:
            self.skipTest("zstd is not on this machine")
        data = subprocess.run([ZSTD, "-dc", self.dir / archive], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(data)) as t:
            for member in t.getmembers():
                self.assertEqual((member.uid, member.gid, member.uname, member.gname, member.isreg()), (0, 0, "", "", True))
            return [(m.name, m.mode, m.mtime, t.extractfile(m).read()) for m in t.getmembers()]

    def test_what_is_in_it(self):
        for portal in (False, True):
            with self.subTest(portal=portal):
                self.setUp()
                self.check_what_is_in_it(portal)

    def check_what_is_in_it(self, portal):
        self.make(portal)
        for name in ("a.zip", "a.tar.zst"):
            with self.subTest(name):
                said = self.odp("bundle", name).stdout
                data = (self.dir / name).read_bytes()
                self.assertIn(hashlib.sha256(data).hexdigest(), said)
                entries = self.unpacked(name)
                self.assertEqual([e[0] for e in entries], self.expected())
                self.assertIn("v1/index.json", [e[0] for e in entries])
                for path, mode, _, content in entries:
                    self.assertEqual(mode & 0o7777, 0o644)
                    if path in self.manifest():
                        self.assertEqual(hashlib.sha256(content).hexdigest(), self.manifest()[path]["sha256"])
                self.assertEqual(dict((e[0], e[3]) for e in entries)["manifest.json"], (self.site / "manifest.json").read_bytes())
                self.assertEqual("start.html" in [e[0] for e in entries], not portal)
                self.assertEqual("index.html" in [e[0] for e in entries], portal)
        self.assertEqual([n for n in os.listdir(self.dir) if "part" in n], [])

    def test_same_bytes_everywhere(self):
        self.make()
        for end in (".zip", ".tar.zst"):
            self.odp("bundle", "one" + end)
            self.odp("build", "--jobs", "3")  # the same site once more
            old = os.umask(0o077)
            try:
                self.odp("bundle", "two" + end, "--jobs", "4", env={"TZ": "America/St_Johns", "LC_ALL": "id_ID.UTF-8", "LANG": "de_DE"})
                self.odp("bundle", "six" + end, env={"TZ": ":/nonexistent", "LANGUAGE": "zh"})
            finally:
                os.umask(old)
            self.assertEqual((self.dir / ("one" + end)).read_bytes(), (self.dir / ("two" + end)).read_bytes())
            self.assertEqual((self.dir / ("one" + end)).read_bytes(), (self.dir / ("six" + end)).read_bytes())

    def test_date(self):
        self.make()
        self.odp("bundle", "a.zip")
        self.odp("bundle", "b.zip", env={"SOURCE_DATE_EPOCH": "1700000000", "TZ": "Asia/Jakarta"})
        self.odp("bundle", "c.zip", env={"SOURCE_DATE_EPOCH": "not a number"})
        self.assertEqual({e[2] for e in self.unpacked("a.zip")}, {(2024, 3, 15, 0, 0, 0)})
        self.assertEqual({e[2] for e in self.unpacked("b.zip")}, {(2023, 11, 14, 22, 13, 20)})
        self.assertEqual((self.dir / "a.zip").read_bytes(), (self.dir / "c.zip").read_bytes())
        self.odp("bundle", "a.tar.zst")
        self.assertEqual({e[2] for e in self.unpacked("a.tar.zst")}, {1710460800})

    def test_pages_work_from_a_folder(self):
        """Every page of the portal leads to what is in the archive; the page that is sent for any address that does not exist leads to the site's."""
        self.make()
        self.odp("bundle", "a.zip")
        with zipfile.ZipFile(self.dir / "a.zip") as z:
            z.extractall(self.dir / "unpacked")
        # Not those of the API, nor pip's index, whose folders take a server (PEP 503).
        pages = [p for p in (self.dir / "unpacked").rglob("*.html") if p.name != "404.html" and not {"v1", "simple"} & set(p.relative_to(self.dir / "unpacked").parts)]
        self.assertLessEqual({"index.html", "katalog/air.html", "katalog/tanah.html", "en/index.html", "en/catalog/tanah.html"},
                             {str(p.relative_to(self.dir / "unpacked")) for p in pages})
        local = 0
        for page in pages:
            for link in Links(page.read_text()).links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc or not parts.path:
                    continue
                self.assertFalse(parts.path.startswith("/"), f"{page}: {link}")
                self.assertTrue((page.parent / urllib.parse.unquote(parts.path)).is_file(), f"{page}: {link}")
                local += 1
        self.assertGreater(local, 20 * len(pages))

    def test_start_page_works_from_a_folder(self):
        self.make(portal=False)
        self.odp("bundle", "a.zip")
        with zipfile.ZipFile(self.dir / "a.zip") as z:
            z.extractall(self.dir / "unpacked")
        page = Links((self.dir / "unpacked/start.html").read_text())
        self.assertEqual(len(page.links), len(set(page.links)))
        self.assertGreaterEqual(len(page.links), 8)
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            self.assertEqual((parts.scheme, parts.netloc), ("", ""))
            self.assertTrue((self.dir / "unpacked" / urllib.parse.unquote(parts.path)).is_file(), link)
        for path in self.manifest():
            if path.startswith("data/") and path.endswith((".csv", "/air.json", "/tanah.json")) and "/latest/" not in path:
                self.assertIn(path, [urllib.parse.unquote(link) for link in page.links])
        self.assertNotIn("script", page.tags)
        self.assertIn("Tanah <b>& \"air\"</b>", page.text)
        self.assertIn("Land's <script>x()</script>", page.text)

    def test_unpacked_it_can_be_verified(self):
        for portal, others in ((False, ["ODP-V62"]), (True, [])):  # start.html is in no manifest
            with self.subTest(portal=portal):
                self.setUp()
                self.check_unpacked(portal, others)

    def check_unpacked(self, portal, others):
        self.make(portal)
        self.odp("bundle", "a.zip")
        with zipfile.ZipFile(self.dir / "a.zip") as z:
            z.extractall(self.dir / "unpacked")
        found = self.report("verify", "unpacked", "--public")["diagnostics"]
        self.assertEqual([d["code"] for d in found], others)
        (self.dir / "unpacked/data/air/2024-03-15/air.csv").write_text("kode,jumlah\n")
        found = self.report("verify", "unpacked", "--public", expect=1)["diagnostics"]
        self.assertIn("ODP-V60", [d["code"] for d in found])

    def test_example_site(self):
        self.odp("build", "--catalog", odp.SOURCE / "catalog", "--out", "build/site")
        self.site = (self.dir / "build/site").resolve()
        self.odp("bundle", "a.tar.zst")
        entries = {e[0]: e[3] for e in self.unpacked("a.tar.zst")}
        self.assertEqual(sorted(entries), self.expected())
        links = [urllib.parse.urlsplit(link) for link in Links(entries["index.html"].decode()).links]
        local = [urllib.parse.unquote(link.path) for link in links if not link.scheme and link.path]
        self.assertLessEqual({f"katalog/{e['slug']}.html" for e in json.loads(entries["v1/index.json"])["data"]}, set(local))
        self.assertEqual([path for path in local if path not in entries], [])

    def test_damaged_site_gives_no_archive(self):
        self.make()
        file = self.site / "data/air/2024-03-15/air.csv"
        for change in (lambda d: d.replace(b"K7,7", b"K7,8"), lambda d: d + b"x", lambda d: d[:-1]):
            good = file.read_bytes()
            file.unlink()
            file.write_bytes(change(good))
            (self.dir / "old.zip").write_text("the one before")
            for name in ("old.zip", "new.tar.zst"):
                found = self.report("bundle", name, expect=1)["diagnostics"]
                self.assertEqual([d["code"] for d in found], ["ODP-V60"])
                self.assertIn("data/air/2024-03-15/air.csv", found[0]["message"])
            self.assertEqual((self.dir / "old.zip").read_text(), "the one before")
            self.assertEqual(sorted(os.listdir(self.dir)), ["build", "catalog", "old.zip"])
            file.write_bytes(good)
        self.odp("bundle", "old.zip")
        self.assertEqual(len(self.unpacked("old.zip")), len(self.expected()))

    def test_disk_full_and_folder_missing(self):
        self.make()
        done = self.odp("bundle", "nowhere/a.zip", expect=3)
        self.assertIn("nowhere/a.zip", done.stderr)

    def test_usage(self):
        self.make()
        for words in ([], ["a.rar"], ["a.zip", "b.zip"], ["a.zip", "--output", "b.zip"], [".zip"]):
            self.odp("bundle", *words, expect=2)
        self.odp("bundle", "--output", "c.zip")
        self.assertTrue((self.dir / "c.zip").exists())
        found = self.report("bundle", "d.zip", "--out", "nothing", expect=1)["diagnostics"]
        self.assertEqual([d["code"] for d in found], ["ODP-V61"])


if __name__ == "__main__":
    odp.main()
