"""The portal's frame and its plain pages: home, releases, status, about, privacy, terms, 404, the frame of the service. What a page is made of, where it leads, in both languages;
texts of a catalogue stay text; subjects; themes. (What scripts do in a browser: tests/browser.)"""
import base64
import hashlib
import html.parser
import json
import re
import shutil
import urllib.parse

import odp

PAGES = {"index.html": "en/index.html", "rilis.html": "en/releases.html", "status.html": "en/status.html", "tentang.html": "en/about.html",
         "privasi.html": "en/privacy.html", "ketentuan.html": "en/terms.html", "404.html": "en/404.html"}
BOTH = {**PAGES, **{en: name for name, en in PAGES.items()}}
NAV = {"index.html": "index.html", "rilis.html": "rilis.html", "en/index.html": "en/index.html", "en/releases.html": "en/releases.html"}
VOID = {"meta", "link", "br", "img", "input", "hr", "source", "wbr"}
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'&#x41;{{root}}<!--'


class Page(html.parser.HTMLParser):
    """Elements as (tag, attributes, text so far) in order; fails where they are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.source, self.elements, self.stack, self.doctype = text, [], [], None
        self.feed(text)
        self.close()
        assert not self.stack, [e["tag"] for e in self.stack]

    def handle_decl(self, decl):
        self.doctype = decl

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        element = {"tag": tag, "attrs": {k: v or "" for k, v in attrs}, "text": "", "in": [e["tag"] for e in self.stack]}
        self.elements.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop()["tag"] == tag, f"</{tag}> in {[e['tag'] for e in self.stack]}"

    def handle_data(self, data):
        for element in self.stack:
            element["text"] += data

    def all(self, tag, **attrs):
        wanted = {k.rstrip("_").replace("_", "-"): v for k, v in attrs.items()}
        return [e for e in self.elements if e["tag"] == tag and all(e["attrs"].get(k) == v for k, v in wanted.items())]

    def one(self, tag, **attrs):
        found = self.all(tag, **attrs)
        assert len(found) == 1, (tag, attrs, len(found))
        return found[0]


def read_page(site, name):
    return Page((site / name).read_text(encoding="utf-8"))


def cards(page):
    return {e["attrs"]["data-slug"]: e["attrs"] for e in page.elements if "data-slug" in e["attrs"]}


class Site(odp.Case):
    """One site for all that only looks."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.holder = odp.Case()
        cls.holder.setUp()
        target = cls.holder.catalogue("perumahan", "regulasi", "investasi-properti")
        for name in ("theme.json", "logo.svg"):
            shutil.copy(odp.SOURCE / "catalog" / name, target)
        cls.holder.dataset("lepas", "kode\na\n", [{"name": "kode", "type": "string", "odp:title": {"id": "Kode unik", "en": "Peculiar code"}}],
                           **{"odp:frequency": "MONTHLY", "odp:lastUpdate": "2024-01-31"})
        cls.holder.odp("build", "--catalog", "catalog", "--out", "site", "--quiet")
        cls.site = cls.holder.dir / "site"
        cls.everything = odp.read_json(cls.site / "v1/index.json")["data"]
        cls.entries = [e for e in cls.everything if e["kind"] == "dataset"]
        cls.base = odp.read_json(target / "portal.json")["baseUrl"]

    @classmethod
    def tearDownClass(cls):
        cls.holder.doCleanups()
        super().tearDownClass()

    def test_frame(self):
        for name, other in BOTH.items():
            page, lang = read_page(self.site, name), "en" if name.startswith("en/") else "id"
            with self.subTest(name):
                self.assertEqual(page.doctype, "doctype html")
                self.assertEqual(page.one("html")["attrs"]["lang"], lang)
                self.assertEqual(len(page.all("h1")), 1)
                self.assertEqual(page.one("main")["attrs"]["id"], "isi")
                self.assertTrue(page.one("title")["text"].endswith(read_page(self.site, BOTH["en/index.html"] if lang == "id" else "en/index.html").one("title")["text"]))
                switch = page.one("a", class_="language")["attrs"]
                self.assertEqual(switch["hreflang"], "id" if lang == "en" else "en")
                self.assertEqual(switch["lang"], switch["hreflang"])
                self.assertEqual(self.target(name, switch["href"]), other)
                current = [self.target(name, e["attrs"]["href"]) for e in page.all("a") if e["attrs"].get("aria-current") == "page"]
                self.assertEqual(current, [NAV[name]] if name in NAV else [])
                ids = [e["attrs"]["id"] for e in page.elements if "id" in e["attrs"]]
                self.assertEqual(len(ids), len(set(ids)))
                levels = [int(e["tag"][1]) for e in page.elements if re.fullmatch("h[1-6]", e["tag"]) and "main" in e["in"]]
                self.assertEqual(levels[0], 1)
                for before, after in zip(levels, levels[1:]):
                    self.assertLessEqual(after, before + 1, levels)
                for element in page.elements:
                    for attribute in ("aria-labelledby", "aria-describedby", "for", "form"):
                        for reference in element["attrs"].get(attribute, "").split():
                            self.assertIn(reference, ids)
                controls = [e for e in page.elements if e["tag"] in ("input", "select", "textarea") and e["attrs"].get("type") != "hidden"]
                for control in controls:
                    self.assertTrue(page.all("label", for_=control["attrs"]["id"]), control)
                for image in page.all("img"):
                    self.assertIn("alt", image["attrs"])
                for table in page.all("th"):
                    self.assertIn(table["attrs"].get("scope"), ("col", "row"))

    def test_security(self):
        """Nothing inline, nothing foreign, and what is loaded is what the page was made with."""
        for name in BOTH:
            page = read_page(self.site, name)
            with self.subTest(name):
                policy = page.one("meta", http_equiv="Content-Security-Policy")["attrs"]["content"]
                self.assertIn("default-src 'none'", policy)
                self.assertNotIn("unsafe", policy)
                for element in page.elements:
                    attrs = element["attrs"]
                    self.assertFalse([a for a in attrs if a == "style" or a.startswith("on")], element)
                    self.assertNotIn(element["tag"], ("style", "iframe", "object", "embed", "base"))
                    if element["tag"] == "script" and "src" not in attrs:
                        self.assertIn(attrs.get("type"), ("application/json", "application/ld+json"))
                        json.loads(element["text"])
                    loaded = attrs.get("src") if element["tag"] in ("script", "img") else attrs.get("href") if attrs.get("rel") in ("stylesheet", "icon") else None
                    if loaded is None:
                        continue
                    path = self.site / self.target(name, loaded)
                    self.assertTrue(path.is_file(), loaded)
                    if element["tag"] == "script" or attrs.get("rel") == "stylesheet":
                        kind, _, digest = attrs["integrity"].partition("-")
                        self.assertEqual(base64.b64encode(hashlib.new(kind, path.read_bytes()).digest()).decode(), digest)

    def target(self, name, link):
        """The path from the site's root that LINK of page NAME leads to."""
        path = urllib.parse.unquote(link.partition("#")[0].partition("?")[0])
        if path.startswith("/"):
            return path[1:]
        parts = name.split("/")[:-1] if path else name.split("/")
        for part in path.split("/") if path else []:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        return "/".join(parts)

    def test_links(self):
        pages = {}
        for name in BOTH:
            pages[name] = read_page(self.site, name)
            for link in [e["attrs"]["href"] for e in pages[name].all("a") + pages[name].all("link")]:
                with self.subTest(f"{name}: {link}"):
                    if urllib.parse.urlparse(link).scheme:
                        self.assertIn(urllib.parse.urlparse(link).scheme, ("https", "mailto", "tel"))
                        continue
                    self.assertEqual(link.startswith("/"), name.endswith("404.html") and not link.startswith("#"))
                    target = self.target(name, link)
                    self.assertTrue((self.site / target).is_file(), target)
                    if "#" in link and target.endswith(".html"):
                        there = pages.get(target) or read_page(self.site, target)
                        self.assertIn(link.partition("#")[2], [e["attrs"].get("id") for e in there.elements])

    def test_head(self):
        for name, other in BOTH.items():
            page = read_page(self.site, name)
            heads = {(e["attrs"].get("name") or e["attrs"].get("property")): e["attrs"].get("content") for e in page.all("meta")}
            with self.subTest(name):
                if name.endswith("404.html"):
                    self.assertEqual(heads["robots"], "noindex")
                    self.assertFalse(page.all("link", rel="canonical"))
                    continue
                address = self.base + re.sub("index.html$", "", name)
                indonesian = self.base + re.sub("index.html$", "", name if not name.startswith("en/") else other)
                english = self.base + re.sub("index.html$", "", name if name.startswith("en/") else other)
                self.assertEqual(page.one("link", rel="canonical")["attrs"]["href"], address)
                alternates = {e["attrs"]["hreflang"]: e["attrs"]["href"] for e in page.all("link", rel="alternate") if "hreflang" in e["attrs"]}
                self.assertEqual(alternates, {"id": indonesian, "en": english, "x-default": indonesian})
                self.assertEqual(heads["og:url"], address)
                self.assertTrue(heads["og:title"] and heads["description"] and heads["og:description"] == heads["description"])
                self.assertEqual(heads["og:image"], self.base + "gambar/portal.png")
                self.assertTrue((self.site / "gambar/portal.png").is_file())
                self.assertTrue(page.all("link", type="application/atom+xml"))
                self.assertTrue(page.all("link", rel="search"))

    def test_home_has_code_lists_apart(self):
        for name, heading in (("index.html", "Daftar kode"), ("en/index.html", "Code lists")):
            page = read_page(self.site, name)
            part = page.source.split('id="daftar-kode"')[1].split("</section>")[0]
            self.assertIn(f">{heading}</h2>", part)
            self.assertEqual(re.findall(r'href="[^"]*/([a-z-]+)\.html"', part), [e["slug"] for e in self.everything if e["kind"] == "code-list"])
            self.assertRegex(part, {"Daftar kode": "514 kode · edisi 2022: 514<", "Code lists": "514 codes · edition 2022: 514<"}[heading])
            number = re.search(r"<p class=\"small\">([0-9.,]+) dataset", page.source)[1]
            self.assertEqual(int(re.sub("[.,]", "", number)), len(self.entries))

    def test_home_has_every_dataset(self):
        for name, lang, folder in (("index.html", "id", "katalog/"), ("en/index.html", "en", "en/catalog/")):
            page = read_page(self.site, name)
            found = cards(page)
            self.assertEqual(set(found), {e["slug"] for e in self.entries})
            for entry in self.entries:
                card = found[entry["slug"]]
                self.assertEqual(card["data-formats"].split(), entry["formats"])
                self.assertEqual(card["data-date"], entry["last_update"])
                self.assertEqual(card["data-subjects"].split(), entry.get("subjects", []))
                self.assertTrue([e for e in page.all("a") if e["text"] == entry["title"][lang] and self.target(name, e["attrs"]["href"]) == f"{folder}{entry['slug']}.html"])
            form = page.one("form", role="search")["attrs"]
            self.assertEqual((form["method"], self.target(name, form["action"])), ("get", name))
            self.assertEqual({e["attrs"]["name"] for e in page.elements if e["tag"] in ("input", "select")}, {"q", "subject", "format", "fresh", "sort"})
            self.assertTrue(page.all("p", role="status"))
            self.assertEqual(json.loads(page.one("script", type="application/ld+json")["text"])["@type"], "DataCatalog")

    def test_home_by_subject(self):
        subjects = {s["name"]: s["title"]["id"] for s in odp.read_json(odp.SOURCE / "catalog" / "portal.json")["subjects"]}
        page = read_page(self.site, "index.html")
        topics = [e["text"] for e in page.all("p", class_="card-topic")]
        self.assertEqual(list(dict.fromkeys(topics)), [subjects["perumahan"], subjects["tata-kelola"]])
        self.assertEqual([re.search("data-slug=.([a-z-]+)", card)[1] for card in page.source.split("<li class=\"card")[1:] if "data-slug" in card][-1], "lepas")  # of no subject: last, and no topic
        self.assertEqual(len(topics), len(self.entries) - 1)
        options = {e["attrs"]["value"] for e in page.all("option")}
        self.assertTrue({"perumahan", "anggaran", "tata-kelola", "CSV"} <= options)
        self.assertNotIn("kumuh", options)  # nothing to be found under it
        card = re.search(r'data-slug="investasi-properti".*?</li>', page.source, re.S)[0]
        self.assertIn(subjects["perumahan"], card)  # of its first subject alone, though the choice finds it under both
        self.assertEqual(page.source.count('data-slug="investasi-properti"'), 1)

    def test_search_of_every_page(self):
        """One form a page, which goes to the home page without scripts; what it loads is there."""
        for name in BOTH:
            page = read_page(self.site, name)
            form = page.one("form", role="search")["attrs"]
            home = "en/index.html" if name.startswith("en/") else "index.html"
            self.assertEqual((form["method"], self.target(name, form["action"])), ("get", home))
            self.assertEqual(self.target(name, form["data-search"]), "cari.json")
            script = (self.site / self.target(name, form["data-script"])).read_bytes()
            self.assertEqual("sha256-" + base64.b64encode(hashlib.sha256(script).digest()).decode(), form["data-script-integrity"])
            self.assertEqual(page.one("input", type="search")["attrs"]["name"], "q")

    def test_what_the_search_looks_through(self):
        core = odp.read_json(self.site / "cari.json")
        slugs = [t[0] for t in core["tables"]]
        self.assertEqual(list(dict.fromkeys(slugs)), [e["slug"] for e in self.everything])
        columns = {i[2]: i for i in core["items"] if i[0] == "k"}
        self.assertEqual((columns["Kode unik"][1], columns["Kode unik"][3], [slugs[t] for t in columns["Kode unik"][4]]), ("kode", "Peculiar code", ["lepas"]))
        datasets = {slugs[i[1]]: i for i in core["items"] if i[0] in "dl"}
        self.assertIn("adequate housing", datasets["perumahan"][2])
        places = {i[3]: i for i in core["items"] if i[0] == "v" and i[2] == "32.73"}
        self.assertEqual(list(places), ["Kota Bandung"])
        group = core["groups"][places["Kota Bandung"][1]]
        rows = odp.read_csv(next(self.site.glob("data/perumahan/2*/perumahan.csv")))
        at = [slugs[t] for t, _ in group[2]].index("perumahan")
        self.assertEqual(places["Kota Bandung"][5][at], len([r for r in rows if r["kode_kabkota"] == "32.73"]))
        self.assertTrue(core["docs"] and [i for i in core["items"] if i[0] == "h"])
        found = {}
        for key, digest in core["shards"].items():
            shard = odp.read_json(self.site / f"assets/{digest}.json")
            self.assertTrue(all(word.startswith(key) for word in shard["words"]), key)
            found.update(shard["words"])
        self.assertIn(slugs.index("perumahan"), found["bandung"][::2])
        self.assertLess(min(found["webhook"]), 0)

    def test_home_is_light(self):
        """HTML, styles and scripts as they go over the wire; the map is no part of this page."""
        page = read_page(self.site, "index.html")
        paths = {"index.html"} | {self.target("index.html", e["attrs"].get("src") or e["attrs"]["href"])
                                  for e in page.elements if e["tag"] in ("script", "img") and "src" in e["attrs"] or e["attrs"].get("rel") in ("stylesheet", "icon")}
        self.assertGreater(len(paths), 5)
        size = 0
        for path in paths:
            twin = self.site / (path + ".gz")
            size += (twin if twin.exists() else self.site / path).stat().st_size
        self.assertLess(size, 40_000, paths)

    def test_status(self):
        for name, lang, due in (("status.html", "id", "29 Februari 2024"), ("en/status.html", "en", "29 February 2024")):
            page = read_page(self.site, name)
            row = [r for r in re.findall("<tr>.*?</tr>", page.source, re.S) if "lepas.html" in r]
            self.assertEqual(len(row), 1)
            self.assertIn(f'datetime="2024-02-29">{due}</time>', row[0])  # a month after 31 January
            rows = page.one("tbody")
            for entry in self.entries:
                self.assertIn(entry["title"][lang] if isinstance(entry["title"], dict) else entry["title"], rows["text"])
            self.assertEqual([self.target(name, e["attrs"]["data-address"]) for e in page.elements if "data-live" in e["attrs"]], ["v1/index.json", "auth/tiers"])

    def test_frame_of_the_service(self):
        classes = {f["path"]: f["class"] for f in odp.read_json(self.site / "manifest.json")["files"]}
        for name, home in (("service/page.id.html", "en/index.html"), ("service/page.en.html", "index.html")):
            page = read_page(self.site, name)
            self.assertEqual(classes[name], "internal")
            self.assertEqual(page.source.count("@CONTENT@"), 1)
            self.assertIn("@CONTENT@", page.one("main")["text"])
            self.assertIn("@TITLE@", page.one("title")["text"])
            self.assertEqual(page.one("meta", name="robots")["attrs"]["content"], "noindex")
            self.assertFalse(page.all("link", rel="canonical") or page.all("script", type="application/ld+json") or page.all("h1") or page.all("meta", name="description"))
            self.assertEqual(page.one("a", class_="language")["attrs"]["href"], "@ROOT@" + home)
            for element in page.elements:
                for link in (element["attrs"].get("href"), element["attrs"].get("src")):
                    if link and not link.startswith("#") and not urllib.parse.urlparse(link).scheme:
                        self.assertTrue(link.startswith("@ROOT@") and (self.site / link[6:].partition("#")[0]).is_file(), link)

    def test_theme_of_the_example(self):
        page = read_page(self.site, "index.html")
        logo = page.one("img", class_="brand-logo")["attrs"]["src"]
        self.assertEqual((self.site / logo).read_bytes(), (odp.SOURCE / "catalog/logo.svg").read_bytes())
        styles = "".join((self.site / self.target("index.html", e["attrs"]["href"])).read_text() for e in page.all("link", rel="stylesheet"))
        used, made = set(re.findall(r"var\((--[a-z0-9-]+)", styles)), set(re.findall(r"(--[a-z0-9-]+)\s*:", styles))
        self.assertEqual({name for name in used - made if not name.startswith("--ex-")}, set())  # --ex-…: widths, set by lib/explore/grid.js
        accents = re.findall(r"--color-accent:(#[0-9a-f]{6})", styles)
        self.assertEqual(re.findall(r"--ramp-5:(#[0-9a-f]{6})", styles), accents)  # light, dark: the accent moves the classes of maps


class Catalogues(odp.Case):
    def small(self, **portal):
        """A catalogue of one dataset; PORTAL replaces members of portal.json."""
        self.catalogue(references=False)
        self.dataset("satu", "kode\na\n", [{"name": "kode", "type": "string"}])
        if portal:
            self.edit("portal.json", lambda p: p.update(portal))

    def edit(self, path, change):
        value = odp.read_json(self.dir / "catalog" / path)
        change(value)
        (self.dir / "catalog" / path).write_text(json.dumps(value))

    def build(self, **more):
        self.odp("build", "--catalog", "catalog", "--out", "site", "--quiet", **more)
        return self.dir / "site"

    def test_texts_stay_text(self):
        """The same hostile text wherever people write some: no page has an element or attribute more than with plain text."""
        shapes = []
        for text in ("x y", HOSTILE):
            shutil.rmtree(self.dir / "catalog", ignore_errors=True)
            both = {"id": text, "en": text + " en"}
            self.small(title=both, description=both, publisher=both, legalBasis=both, subjects=[{"name": "a", "title": both}],
                       contact={"name": text, "email": "a@example.org", "phone": text, "address": text}, license={"name": text, "path": "https://example.org/" + text, "title": both})
            self.edit("portal.json", lambda p: [tier.update(title=both, support=both) for tier in p["tiers"]])
            self.edit("changes.json", lambda c: c.update(releases=[{"version": "1.0.0", "date": "2024-03-15", "changes": [both]}]))
            self.edit("satu/dataset.json", lambda d: d.update({"title": text, "odp:title": both, "description": text, "odp:description": both, "odp:subjects": ["a"], "keywords": [text],
                                                               "odp:keywords": {"id": [text], "en": [text]}, "odp:status": "deprecated", "odp:deprecated": "2024-01-01",
                                                               "odp:sunset": "2099-01-01", "odp:replacedBy": None, "odp:note": both, "sdi:produsenData": both}))
            self.edit("satu/dataset.json", lambda d: d["resources"][0]["schema"]["fields"][0].update({"title": text, "odp:title": both}))
            self.odp("build", "--catalog", "catalog", "--out", "site", "--previous", "nothing", "--quiet")
            shape = {}
            for name in [*BOTH, "service/page.id.html", "service/page.en.html"]:
                page = read_page(self.dir / "site", name)
                shape[name] = [(e["tag"], tuple(e["attrs"])) for e in page.elements]
                self.assertNotIn("<script>", page.source)
                if text == HOSTILE and name in PAGES:
                    self.assertIn(HOSTILE, page.one("main")["text"] + page.one("footer")["text"], name)
            shapes.append(shape)
            odp.remove_tree(self.dir / "site.builds")
            (self.dir / "site").unlink()
        for name, shape in shapes[0].items():
            self.assertEqual(shape, shapes[1][name], name)

    def test_empty_catalogue(self):
        self.catalogue(references=False)
        self.edit("changes.json", lambda c: c.update(releases=[]))
        self.edit("portal.json", lambda p: [p.pop(key) for key in ("subjects", "contact", "license", "legalBasis", "description", "tiers")])
        site = self.build()
        for name in BOTH:
            read_page(site, name)
        releases = (site / "rilis.html").read_text()
        self.assertIn("Belum ada rilis.", releases)
        self.assertNotIn('id="versi"', releases)
        self.assertNotIn('id="akan-dihapus"', releases)
        self.assertIn("Belum ada dataset.", (site / "status.html").read_text())

    def test_not_found_works_from_any_depth(self):
        self.small(baseUrl="https://example.go.id/data/terbuka/")
        site = self.build()
        for name in ("404.html", "en/404.html"):
            for element in read_page(site, name).elements:
                for link in (element["attrs"].get("href"), element["attrs"].get("src")):
                    if link and not link.startswith("#") and not urllib.parse.urlparse(link).scheme:
                        self.assertTrue(link.startswith("/data/terbuka/"), link)
                        self.assertTrue((site / link.removeprefix("/data/terbuka/").partition("#")[0]).is_file(), link)

    def test_a_theme_is_seen_by_the_next_build(self):
        self.small()
        folder = self.dir / "catalog"
        style = lambda site: "".join((site / e["attrs"]["href"]).read_text() for e in read_page(site, "index.html").all("link", rel="stylesheet"))
        before = style(self.build())
        self.assertIn("--color-accent:#0b4f7d", before)
        (folder / "theme.json").write_text(json.dumps({"logo": "lambang.png", "light": {"accent": "#075"}, "css": "tambahan.css"}))
        (folder / "lambang.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
        (folder / "tambahan.css").write_text(".brand-title{letter-spacing:.01em}")
        site = self.build()
        after = style(site)
        self.assertIn("--color-accent:#007755", after)
        self.assertIn("--color-accent:#7cc4f5", after)  # dark is as it was
        self.assertIn(".brand-title{letter-spacing:.01em}", after)
        self.assertTrue(read_page(site, "index.html").one("img", class_="brand-logo")["attrs"]["src"].endswith(".png"))
        (folder / "tambahan.css").write_text(".brand-title{letter-spacing:.02em}")
        self.assertIn(".02em", style(self.build()))
        (folder / "theme.json").unlink()
        site = self.build()
        self.assertEqual(style(site), before)
        self.assertFalse(read_page(site, "index.html").all("img"))

    def test_theme_faults(self):
        self.small()
        folder = self.dir / "catalog"
        theme = lambda value: (folder / "theme.json").write_text(json.dumps(value))
        faults = lambda: [(d["code"], d.get("proposal")) for d in self.report("check", "--catalog", "catalog", expect=2)["diagnostics"]]
        theme({"light": {"link": "#6aa9d8"}})
        codes = faults()
        self.assertEqual([c for c, _ in codes], ["ODP-C26", "ODP-C26"])  # on the page, on cards
        theme({"light": {"link": codes[0][1]}})
        self.odp("check", "--catalog", "catalog", "--quiet")  # what was proposed will do
        theme({"light": {"accent": "white"}})
        self.assertEqual(faults(), [("ODP-C26", None)])
        theme({"logo": "tiada.svg"})
        self.assertEqual([c for c, _ in faults()], ["ODP-C02"])
        theme({"logo": "../logo.svg"})
        self.assertEqual([c for c, _ in faults()], ["ODP-C13"])
        (folder / "logo.svg").write_text("<svg>" + " " * (101 << 10) + "</svg>")
        theme({"logo": "logo.svg"})
        self.assertEqual([c for c, _ in faults()], ["ODP-C26"])
        (folder / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>')
        self.assertEqual([c for c, _ in faults()], ["ODP-C26"])
        (folder / "theme.json").write_text("{")
        self.assertEqual([c for c, _ in faults()], ["ODP-C01"])
        self.odp("build", "--catalog", "catalog", "--out", "site", "--quiet", expect=2)
        self.assertFalse((self.dir / "site").exists())

    def test_words_of_the_catalogue_win(self):
        self.small()
        words = self.dir / "catalog/templates/words"
        words.mkdir(parents=True)
        (words / "home.json").write_text(json.dumps({"home_catalogue": {"id": "Daftar data kami", "en": "Our data"}}))
        site = self.build()
        self.assertEqual(read_page(site, "index.html").one("h2", id="katalog-judul")["text"], "Daftar data kami")
        self.assertEqual(read_page(site, "en/index.html").one("h2", id="katalog-judul")["text"], "Our data")

    def test_many_datasets(self):
        """Hundreds stand there, and the page stays light enough for a telephone."""
        self.catalogue(references=False)
        for i in range(200):
            self.dataset(f"data-{i:03}", "kode\na\n", [{"name": "kode", "type": "string"}], **{"odp:formats": ["CSV"], "description": f"Uraian dataset nomor {i}."})
        site = self.build()
        self.assertEqual(len(cards(read_page(site, "index.html"))), 200)
        self.assertLess((site / "index.html.gz").stat().st_size, 40_000)

    def test_search_stays_bounded(self):
        """A list of thousands of names, a table of thousands of words, hostile ones among them: cari.json and each shard stay small, and everything is found in the shard of its letters."""
        def name(i):
            return "".join("abcdefghij"[int(d)] + "aeiou"[int(d) % 5] for d in f"{i:04}")
        self.catalogue(references=False)
        odd = ["__proto__", "constructor", "ÉCOLE", "naïve", "x" * 60, "日本", '"quoted"', "</script>", "a b"]
        names = [name(i) for i in range(4000)]
        folder = self.dir / "catalog/references/desa"
        folder.mkdir(parents=True)
        (folder / "2024.csv").write_text("kode,nama\n" + "".join(f"{i},Desa {n}\n" for i, n in enumerate(names)))
        fields = [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}]
        (folder / "dataset.json").write_text(json.dumps({"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": "desa", "title": "Desa", "resources": [
            {"name": "2024", "type": "table", "path": "2024.csv", "odp:editionDate": "2024-01-01", "schema": {"fields": fields, "primaryKey": ["kode"]}}]}))
        self.dataset("satu", "kode,kata\n" + "".join(f'{i},"{n[::-1]} {odd[i % len(odd)].replace(chr(34), chr(34) * 2)}"\n' for i, n in enumerate(names)),
                     [{"name": "kode", "type": "string"}, {"name": "kata", "type": "string"}],
                     {"odp:foreignKeys": [{"fields": ["kode"], "reference": {"dataset": "references/desa@2024", "fields": ["kode"]}}]})
        site = self.build()
        core = odp.read_json(site / "cari.json")
        shards = {key: odp.read_json(site / f"assets/{digest}.json") for key, digest in core["shards"].items()}
        self.assertLess((site / "cari.json").stat().st_size, 60_000)
        self.assertLess(max((site / f"assets/{digest}.json").stat().st_size for digest in core["shards"].values()), 80_000)

        def shard(word):
            return shards[max((key for key in shards if word.startswith(key)), key=len)]
        for i in range(0, 4000, 97):
            self.assertEqual(shard(names[i][::-1])["words"][names[i][::-1]][:2], [0, 1])
            self.assertEqual([v[2] for v in shard(names[i])["items"] if v[3] == f"Desa {names[i]}"], [str(i)])
        for word, n in (("__proto__", None), ("proto", 445), ("constructor", 445), ("ecole", 445), ("naive", 445), ("日本", 444), ("quoted", 444), ("script", 444)):
            found = shard(word)["words"].get(word) if any(word.startswith(key) for key in shards) else None
            self.assertEqual(found and found[1], n, word)


if __name__ == "__main__":
    odp.main()
