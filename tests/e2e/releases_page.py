"""rilis.html, en/releases.html and feed.xml of the example catalogue: well-formed, whole, true to changes.json and the index, and leading somewhere."""
import html.parser
import re
import urllib.parse
import xml.etree.ElementTree as ET

import odp

ATOM = "{http://www.w3.org/2005/Atom}"
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
VOID = {"meta", "link", "br", "img", "input", "hr", "path", "rect"}


class Page(html.parser.HTMLParser):
    """Tags are closed in order; collects links, ids and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.ids, self.texts, self.tags, self.lang, self.scripts = [], [], [], [], set(), None, []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        self.links += [attrs["href"]] if "href" in attrs else []
        self.scripts += [attrs] if tag == "script" else []
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.lang = attrs["lang"] if tag == "html" else self.lang
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> in {self.open}"

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.texts))


class ReleasesPage(odp.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.holder = odp.Case()
        cls.holder.setUp()
        cls.site = odp.example_site()
        cls.history = odp.read_json(odp.SOURCE / "catalog" / "changes.json")["releases"]
        cls.entries = odp.read_json(cls.site / "v1/index.json")["data"]
        cls.base = odp.read_json(odp.SOURCE / "catalog" / "portal.json")["baseUrl"]

    @classmethod
    def tearDownClass(cls):
        cls.holder.doCleanups()
        super().tearDownClass()

    def page(self, name):
        return Page((self.site / name).read_text(encoding="utf-8"))

    def test_pages(self):
        for name, lang in (("rilis.html", "id"), ("en/releases.html", "en")):
            page = self.page(name)
            self.assertEqual(page.lang, lang)
            self.assertEqual(len(page.ids), len(set(page.ids)))
            self.assertFalse(page.tags & {"style", "iframe", "object"})
            for script in page.scripts:  # it is read without them
                self.assertTrue("defer" in script and "integrity" in script or script.get("type") == "application/ld+json", script)
            self.assertLess((self.site / name).stat().st_size, 64 << 10)
            for release in self.history:
                self.assertIn("rilis-" + release["version"], page.ids)
                for change in release["changes"]:
                    text = change if isinstance(change, str) else change.get(lang) or change["id"]
                    self.assertIn(re.sub(r"\s+", " ", text), page.text)
            for entry in self.entries:
                self.assertIn(entry["title"][lang], page.text)
                self.assertIn(entry["version"], page.text)

    def test_every_link_leads_to_a_file_of_the_site(self):
        for name in ("rilis.html", "en/releases.html"):
            page = self.page(name)
            for link in page.links:
                self.assertFalse(link.startswith("/"), link)
                if link.startswith("#"):
                    self.assertIn(link[1:], page.ids)
                if urllib.parse.urlparse(link).scheme or link.startswith("#"):
                    continue
                target = ((self.site / name).parent / urllib.parse.unquote(link.partition("#")[0])).resolve()
                self.assertTrue(target.is_file(), f"{name}: {link}")

    def test_every_download_is_named(self):
        links = self.page("rilis.html").links
        for entry in self.entries:
            for url in entry["download"].values():
                self.assertIn(url.removeprefix("../"), links)

    def test_feed(self):
        feed = ET.parse(self.site / "feed.xml").getroot()
        self.assertEqual(feed.tag, ATOM + "feed")
        for element in ("id", "title", "updated", "author"):  # RFC 4287, section 4.1.1
            self.assertEqual(len(feed.findall(ATOM + element)), 1, element)
        self.assertTrue(feed.find(f"{ATOM}author/{ATOM}name").text)
        self.assertEqual([link.get("href") for link in feed.findall(ATOM + "link") if link.get("rel") == "self"], [self.base + "feed.xml"])
        entries = feed.findall(ATOM + "entry")
        ids = [e.find(ATOM + "id").text for e in entries]
        self.assertEqual(len(ids), len(set(ids)))
        expected = {f"{self.base}rilis.html#rilis-{r['version']}": r["date"] for r in self.history}
        expected |= {f"{self.base}data/{e['slug']}/{e['version']}/": e["last_update"] for e in self.entries}
        self.assertEqual(dict(zip(ids, (e.find(ATOM + "updated").text[:10] for e in entries))), {k: v[:10] for k, v in expected.items()})
        stamps = [e.find(ATOM + "updated").text for e in entries]
        self.assertEqual([s[:10] for s in stamps], sorted((s[:10] for s in stamps), reverse=True))
        self.assertEqual(feed.find(ATOM + "updated").text, stamps[0])
        for e in entries:
            self.assertRegex(e.find(ATOM + "updated").text, RFC3339)
            self.assertEqual(len(e.findall(ATOM + "title")), 1)
            alternate = [link for link in e.findall(ATOM + "link") if link.get("rel") == "alternate"]
            self.assertTrue(alternate or e.findall(ATOM + "content"))
            for link in e.findall(ATOM + "link"):
                path = link.get("href").removeprefix(self.base).partition("#")[0]
                self.assertTrue((self.site / path).is_file(), link.get("href"))
            content = e.find(ATOM + "content")
            if content is not None:
                Page(content.text)

    def test_they_are_public_files_of_the_site(self):
        lines = {line.split("\t")[0]: line.split("\t") for line in (self.site / "control").read_text().splitlines()}
        for path, media in (("rilis.html", "text/html; charset=utf-8"), ("en/releases.html", "text/html; charset=utf-8"), ("feed.xml", "application/atom+xml")):
            self.assertEqual((lines[path][2], lines[path][4]), (media, "public"))

    def test_what_is_about_to_go(self):
        case = odp.Case()
        case.setUp()
        self.addCleanup(case.doCleanups)
        case.catalogue(references=False)
        fields = [{"name": "kode", "type": "string"},
                  {"name": "luas", "type": "number", "odp:deprecated": "2024-03-01", "odp:sunset": "2099-06-30", "odp:replacedBy": "luas_ha"},
                  {"name": "luas_ha", "type": "number"}]
        case.dataset("kumuh", "kode,luas,luas_ha\na,1,1\n", fields, **{"odp:title": {"id": "Peta", "en": "Map"}, "title": "Peta",
                     "odp:status": "deprecated", "odp:deprecated": "2024-03-01", "odp:sunset": "2099-12-31", "odp:replacedBy": "permukiman",
                     "odp:formerSlugs": [{"slug": "tua", "sunset": "2099-01-01"}]})
        case.dataset("permukiman", "kode\na\n", [{"name": "kode", "type": "string"}])
        case.odp("build", "--catalog", "catalog", "--out", "site", "--quiet")
        expected = {"rilis.html": ("Dataset kumuh Peta 31 Desember 2099 permukiman", "Kolom luas Peta 30 Juni 2099 luas_ha", "Alamat lama v1/tua Peta 1 Januari 2099 v1/kumuh"),
                    "en/releases.html": ("Dataset kumuh Map 31 December 2099 permukiman", "Column luas Map 30 June 2099 luas_ha", "Old address v1/tua Map 1 January 2099 v1/kumuh")}
        for name, lines in expected.items():
            text = (case.dir / "site" / name).read_text(encoding="utf-8")
            section = text[text.index('<section id="akan-dihapus">'):]
            rows = re.findall("<tr>(.*?)</tr>", section[:section.index("</section>")], re.S)[1:]
            self.assertEqual([" ".join(re.sub("<[^>]*>", " ", row).split()) for row in rows], list(lines))
        self.assertNotIn('id="akan-dihapus"', (self.site / "rilis.html").read_text(encoding="utf-8"))

    def test_no_day_but_those_of_the_catalogue(self):
        for day in ("2020-01-01", "2036-12-31"):
            self.holder.odp("build", "--catalog", odp.SOURCE / "catalog", "--out", "other-" + day, "--previous", "nothing", "--today", day, "--quiet")
            for name in ("rilis.html", "en/releases.html", "feed.xml"):
                self.assertEqual((self.site / name).read_bytes(), (self.holder.dir / ("other-" + day) / name).read_bytes())


if __name__ == "__main__":
    odp.main()
