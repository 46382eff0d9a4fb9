"""Everything the portal points to is there: links, fragments, assets by their digests, what machines read. And what the home page weighs."""
import base64
import gzip
import hashlib
import html.parser
import json
import re
import unittest
import urllib.parse
import xml.etree.ElementTree

import portallib

# Addresses elsewhere that pages may link to; none is ever asked for anything.
ELSEWHERE = ("https://creativecommons.org/licenses/", "https://opendatacommons.org/licenses/", "https://schema.org/", "https://ogcapi.ogc.org/", "https://www.ogc.org/", "https://www.naturalearthdata.com/")
OF_DATA = re.compile(r"https://(jdih|inovasi)\.example\.go\.id/")  # values of the example datasets
BUDGET = 100_000  # bytes of the home page as it travels, without the map
PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Page(html.parser.HTMLParser):
    """What a page points to, its ids, what it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.meta, self.link = set(), [], [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if "id" in a:
            assert a["id"] not in self.ids, f"id {a['id']} twice"
            self.ids.add(a["id"])
        if tag == "link":
            self.link.append(a)
            if a.get("rel") in ("stylesheet", "icon"):
                self.loads.append((tag, a["href"], a.get("integrity")))
            else:
                self.links.append((tag, a["href"]))
        for name in ("href", "src", "action") if tag != "link" else ():
            if name in a:
                (self.loads.append((tag, a[name], a.get("integrity"))) if name == "src" else self.links.append((tag, a[name])))
        for name, value in a.items():
            if name in ("data-src", "data-search", "data-script") or (name.startswith("data-map-") and not name.endswith(("-integrity", "-open"))):
                self.loads.append((tag, value, a.get(f"{name}-integrity")))
        if tag == "meta" and ("property" in a or "name" in a):
            self.meta[a.get("property") or a.get("name")] = a.get("content", "")


class Links(portallib.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages_read = {}
        cls.answers = {}
        cls.key = cls.register("tautan@example.org")

    def read(self, path):
        if path not in self.pages_read:
            self.pages_read[path] = Page((self.site / path).read_text())
        return self.pages_read[path]

    def local(self, page, href):
        """The path of HREF from the site's root with query, and the fragment; None where it leads elsewhere."""
        whole = urllib.parse.urljoin(self.base + page, href)
        if not whole.startswith(self.base):
            return None, None
        path, _, fragment = whole[len(self.base):].partition("#")
        return path, urllib.parse.unquote(fragment)

    def answer(self, path):
        """How the gateway answers PATH: to HEAD, without following."""
        if path not in self.answers:
            self.answers[path] = self.gateway.get("/" + path, method="HEAD", headers=["Accept: text/html,*/*;q=0.8"])
        return self.answers[path]

    def check_address(self, page, href, elsewhere):
        if href.startswith("mailto:"):
            self.check_letter(href)
            return
        self.assertIsNone(PERCENT.search(href), href)
        self.assertNotRegex(href, r"[{} ]")
        path, fragment = self.local(page, href)
        if path is None:
            self.assertTrue(href.startswith(ELSEWHERE) or OF_DATA.match(href), f"{href} leads elsewhere")
            elsewhere.add(href)
            return
        if path.startswith("auth/"):  # forms are posted
            self.assertIn(self.answer(path).status, (405, 401), path)
            return
        file = urllib.parse.unquote(path.partition("?")[0])
        file += "index.html" if file == "" or file.endswith("/") else ""
        answer = self.answer(path)
        self.assertIn(answer.status, (200, 301, 308), f"{href} is answered {answer.status}")
        if fragment and file.endswith(".html") and (self.site / file).exists() and not (file in ("penjelajah.html", "en/explorer.html") and re.match(r"[A-Z]+/", fragment)):
            self.assertIn(fragment, self.read(file).ids, f"{href}: no such id")
        elif fragment and re.match(r"[A-Z]+/v1/", fragment):
            self.check_endpoint(fragment)

    def check_letter(self, href):
        """mailto: (RFC 6068): an address, and fields that are encoded."""
        address, _, fields = href[7:].partition("?")
        self.assertRegex(address, r"^[\w.+-]+@[\w.-]+$", href)
        self.assertIsNone(PERCENT.search(href), href)
        self.assertRegex(fields, r"^([\w-]+=[\w.~!$'()*+,;:@/?%-]*(&|$))*$", href)
        for name in urllib.parse.parse_qs(fields):
            self.assertIn(name, ("subject", "body"), href)

    def check_endpoint(self, fragment):
        """A link into the explorer names an endpoint of openapi.json, filled in or not."""
        method, path = fragment.split("/", 1)[0].lower(), "/" + fragment.split("/", 1)[1].partition("?")[0]
        openapi = json.loads((self.site / "v1/openapi.json").read_text())["paths"]
        known = [p for p in openapi if method in openapi[p] and re.fullmatch(re.sub(r"\\\{.*?\\\}", "[^/]+", re.escape(p)), path)]
        self.assertTrue(known, fragment)

    def test_links(self):
        """Every link of every page, those into the gateway too."""
        count, elsewhere = 0, set()
        for path in self.pages():
            page = self.read(path)
            for _, href in page.links:
                with self.subTest(page=path, href=href):
                    self.check_address(path, href, elsewhere)
                    count += 1
        print(f"links: {count} of {len(self.pages())} pages, {len(self.answers)} addresses of ours, {len(elsewhere)} elsewhere: {sorted(elsewhere)}")
        self.assertGreater(count, 3000)

    def test_pages_of_the_api_and_of_changes(self):
        elsewhere = set()
        for file in sorted([*self.site.glob("v1/**/*.html"), *self.site.glob("data/*/*/changes.html")]):
            path = str(file.relative_to(self.site))
            for _, href in Page(file.read_text()).links:
                if re.search(r"/items(\?|$)", href):
                    continue  # asks for a key
                with self.subTest(page=path, href=href):
                    self.check_address(path, href, elsewhere)

    def test_what_pages_load(self):
        """It is there, it is ours, it is what the page was made with."""
        seen = set()
        for path in self.pages():
            for tag, href, integrity in self.read(path).loads:
                if href.startswith("data:"):
                    continue
                target, _ = self.local(path, href)
                with self.subTest(page=path, href=href):
                    self.assertIsNotNone(target, "from elsewhere")
                    file = self.site / urllib.parse.unquote(target)
                    self.assertTrue(file.is_file(), target)
                    if tag in ("script", "link") and file.suffix in (".js", ".css") or integrity:
                        kind, _, digest = (integrity or "").partition("-")
                        self.assertIn(kind, ("sha256", "sha384", "sha512"))
                        self.assertEqual(base64.b64encode(hashlib.new(kind, file.read_bytes()).digest()).decode(), digest)
                    if target.startswith("assets/"):
                        self.assertEqual(file.name.partition(".")[0], hashlib.sha256(file.read_bytes()).hexdigest()[:32])
                    seen.add(target)
        self.assertGreater(len(seen), 40)
        for target in seen:
            self.assertEqual(self.answer(target).status, 200, target)

    def test_canonical_and_alternate(self):
        """Each page says its own address, and both languages' point to each other."""
        addresses = {}
        for path in self.pages():
            page = self.read(path)
            rel = {(a["rel"], a.get("hreflang")): a["href"] for a in page.link if a.get("rel") in ("canonical", "alternate") and a.get("type") is None}
            if "noindex" in page.meta.get("robots", ""):
                continue
            with self.subTest(path):
                canonical = rel[("canonical", None)]
                self.assertEqual(canonical, self.base + re.sub(r"(^|/)index\.html$", r"\1", path))
                self.assertEqual(rel[("alternate", "en" if path.startswith("en/") else "id")], canonical)
                self.assertEqual(rel[("alternate", "x-default")], rel[("alternate", "id")])
                addresses[canonical] = rel
                if "og:image" in page.meta:
                    self.assertTrue((self.site / page.meta["og:image"].removeprefix(self.base)).is_file())
        for canonical, rel in addresses.items():
            for lang in ("id", "en"):
                self.assertEqual(addresses[rel[("alternate", lang)]][("alternate", lang)], rel[("alternate", lang)], canonical)
        self.assertGreater(len(addresses), 60)
        locations = [e.text for e in xml.etree.ElementTree.parse(self.site / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
        self.assertEqual(len(locations), len(set(locations)))
        of_ones_own = {self.base + path for path in ("kunci-saya.html", "en/my-key.html")}  # nothing to come upon by searching
        self.assertEqual(set(addresses) - set(locations), of_ones_own, "not in the sitemap")
        for location in locations:
            self.assertEqual(self.answer(location.removeprefix(self.base)).status, 200, location)

    def own(self, value):
        """All texts in VALUE that are addresses of ours."""
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return [a for one in value for a in self.own(one)]
        return [value] if isinstance(value, str) and value.startswith(self.base) else []

    def check_named(self, what, addresses):
        self.assertTrue(addresses, what)
        for address in sorted(set(addresses)):
            path, _, fragment = address.removeprefix(self.base).partition("#")
            if "{" in path:
                continue  # a template
            with self.subTest(what=what, address=address):
                answer = self.answer(path)
                if answer.status == 401:  # what asks for a key: with one
                    answer = self.gateway.get("/" + path, self.key, method="HEAD")
                self.assertIn(answer.status, (200, 301, 308, 405), answer)

    def test_what_machines_read(self):
        """dcat.jsonld, datapackage.json, api-catalog, feeds, opensearch, robots.txt, security.txt name only what is there."""
        dcat = json.loads((self.site / "dcat.jsonld").read_text())
        # data/<dataset>/ and data/<dataset>/<version>/ are names of datasets there (@id), not addresses of something.
        self.check_named("dcat", [a for a in self.own(dcat) if not re.search(r"#|/id/|/data/[\w-]+/([\w-]+/)?$", a)])
        self.check_named("datapackage", self.own(json.loads((self.site / "datapackage.json").read_text())) or [self.base])
        self.check_named("api-catalog", self.own(json.loads(self.gateway.get("/.well-known/api-catalog").body)))
        feeds = [self.site / "feed.xml", *sorted((self.site / "katalog").glob("*.xml"))]
        self.assertGreater(len(feeds), 20)
        for feed in feeds:
            root = xml.etree.ElementTree.parse(feed).getroot()
            self.check_named(feed.name, [e.attrib["href"] for e in root.iter("{http://www.w3.org/2005/Atom}link")])
        search = xml.etree.ElementTree.parse(self.site / "opensearch.xml").getroot()
        templates = [e.attrib["template"] for e in search.iter() if "template" in e.attrib]
        for template in templates:
            self.assertEqual(self.answer(template.replace("{searchTerms}", "kumuh").removeprefix(self.base)).status, 200, template)
        self.assertTrue(templates)
        robots = (self.site / "robots.txt").read_text()
        self.assertIn(f"Sitemap: {self.base}sitemap.xml", robots)
        for answer in (self.gateway.get("/.well-known/security.txt"),):
            self.assertEqual(answer.status, 200)
            text = answer.body.decode()
            self.assertRegex(text, r"(?m)^Contact: (mailto:|https:)")
            self.assertRegex(text, r"(?m)^Expires: \d{4}-\d\d-\d\dT")
            self.check_named("security.txt", re.findall(rf"(?m)^(?:Canonical|Policy): ({re.escape(self.base)}\S+)", text) or [self.base])

    def test_what_the_home_page_weighs(self):
        """HTML, styles, scripts, icon and logo as they travel to a browser that reads Brotli; the map is not among them."""
        for path in ("index.html", "en/index.html"):
            total, parts = 0, {}
            targets = {path, *(self.local(path, href)[0] for tag, href, _ in self.read(path).loads if not href.startswith("data:"))}
            for target in targets:
                answer = self.gateway.get("/" + target, headers=["Accept-Encoding: br, gzip"])
                self.assertEqual(answer.status, 200, target)
                parts[target] = len(answer.body)
                total += len(answer.body)
            print(f"{path} with what it loads, compressed: {total} bytes: {sorted(parts.values(), reverse=True)}")
            self.assertLess(total, BUDGET, parts)
            self.assertFalse([t for t in targets if "map" in t])

    def test_it_finds_faults(self):
        """A link to nothing, a fragment that is nowhere, an address elsewhere, a letter with a space."""
        for href in ("tidak-ada.html", "katalog/kumuh.html#tidak-ada", "https://example.org/", "mailto:a b@example.org", "katalog/kumuh.html?x=%2", "#GET/v1/tidak-ada"):
            with self.assertRaises(AssertionError, msg=href):
                self.check_address("index.html", href, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
