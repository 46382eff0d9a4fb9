"""The page of a dataset: what it says is what the site has. Sizes, digests, counts, fields, records, differences and the scorecard are computed again from the
site's own files; every link leads somewhere; what is carried over looks as it did; the examples of code run, and say what is wrong when something is.
(What scripts do in a browser: tests/browser.)"""
import hashlib
import html.parser
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import pathlib
import threading
import urllib.parse

import odp

SLUGS = ("kumuh", "proyek", "kontraktor", "regulasi", "tenaga-kerja", "perumahan")
VOID = {"meta", "link", "br", "img", "input", "hr", "source"}
RUN = {"curl": "sh", "javascript": "node", "python": "python3", "php": "php"}


class Element:
    def __init__(self, tag, attrs, parent):
        self.tag, self.attrs, self.parent, self.children = tag, attrs, parent, []

    @property
    def text(self):
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def find(self, tag=None, **attrs):
        """All below of that tag whose attributes are these; class_ has to hold that word."""
        out = []
        for c in self.children:
            if isinstance(c, str):
                continue
            fits = all(v in c.attrs.get("class", "").split() if k == "class_" else c.attrs.get(k.replace("_", "-")) == v for k, v in attrs.items())
            if (tag is None or c.tag == tag) and fits:
                out.append(c)
            out += c.find(tag, **attrs)
        return out

    def one(self, tag=None, **attrs):
        found = self.find(tag, **attrs)
        assert len(found) == 1, (tag, attrs, len(found))
        return found[0]

    def section(self, name):
        """The section whose heading has that id."""
        heading = self.one(id=name)
        return heading.parent


class Tree(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.root = self.at = Element("", {}, None)
        self.feed(text)
        self.close()
        assert self.at is self.root, self.at.tag

    def handle_starttag(self, tag, attrs):
        element = Element(tag, {k: v or "" for k, v in attrs}, self.at)
        self.at.children.append(element)
        if tag not in VOID:
            self.at = element

    def handle_endtag(self, tag):
        assert self.at.tag == tag, (self.at.tag, tag)
        self.at = self.at.parent

    def handle_data(self, data):
        self.at.children.append(data)


def bytes_text(n, lang):
    """As people read it: 984,5 KB."""
    units = (["bita", "KB", "MB"], ["bytes", "kB", "MB"])[lang]
    if n < 1000:
        return f"{n} {units[0]}"
    unit, tenths = 1, (n + 50) // 100
    while tenths >= 10000:
        unit, tenths = unit + 1, (tenths + 500) // 1000
    return f"{number(tenths // 10, lang)}{',.'[lang]}{tenths % 10} {units[unit]}"


def number(n, lang):
    return f"{n:,}".replace(",", ".," [lang])


def decimal(text, lang):
    whole, _, fraction = text.partition(".")
    return number(int(whole), lang) + (",."[lang] + fraction if fraction else "")


class Pages(odp.Case):
    """One site of a part of the example catalogue, made once."""

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="odp-dataset-"))
        cls.addClassCleanup(odp.remove_tree, cls.home)
        catalog = cls.home / "catalog"
        catalog.mkdir()
        for name in ("portal.json", "changes.json"):
            shutil.copy(odp.SOURCE / "catalog" / name, catalog)
        for name in ("references", *SLUGS):
            shutil.copytree(odp.SOURCE / "catalog" / name, catalog / name)
        cls.site = cls.home / "site"
        cls.build()
        cls.index = {e["slug"]: e for e in odp.read_json(cls.site / "v1/index.json")["data"]}

    @classmethod
    def build(cls, *slugs, out="site", expect=0):
        done = subprocess.run([odp.PROGRAM, "build", *slugs, "--catalog", "catalog", "--out", out, "--quiet"], cwd=cls.home, capture_output=True, text=True,
                              env=dict(os.environ, ODP_NO_TIMES="1"))
        assert done.returncode == expect, done.stderr[-4000:]
        return done

    def path(self, slug, lang=0):
        return self.site / ("katalog", "en/catalog")[lang] / f"{slug}.html"

    def page(self, slug, lang=0):
        return Tree(self.path(slug, lang).read_text()).root

    def both(self):
        for slug in SLUGS:
            for lang in (0, 1):
                with self.subTest(slug=slug, lang=("id", "en")[lang]):
                    yield slug, lang, self.page(slug, lang)

    def target(self, slug, lang, href):
        """The file that a relative link leads to."""
        return (self.path(slug, lang).parent / urllib.parse.unquote(href.split("#")[0].split("?")[0])).resolve()

    # ---- form ----

    def test_form(self):
        """Nothing inline, nothing foreign, ids once, headings in order, tables with captions and heads, pictures with words."""
        for slug, lang, page in self.both():
            ids = [e.attrs["id"] for e in page.find() if "id" in e.attrs]
            self.assertEqual(len(ids), len(set(ids)))
            for e in page.find():
                self.assertFalse([k for k in e.attrs if k == "style" or k.startswith("on")], e.tag)
                for k in ("src", "data-src"):
                    self.assertFalse(re.match(r"[a-z]+:|//", e.attrs.get(k, "")), e.attrs.get(k))
                for k in ("aria-labelledby", "aria-describedby"):
                    for name in e.attrs.get(k, "").split():
                        self.assertIn(name, ids)
                if e.tag == "script":
                    self.assertTrue("src" in e.attrs or e.attrs.get("type", "").startswith("application/"))
                    if "src" not in e.attrs:
                        json.loads(e.text)
                if e.tag == "img" and "brand-logo" not in e.attrs.get("class", ""):
                    self.assertTrue(e.attrs["alt"])
                    self.assertTrue(int(e.attrs["width"]) > 0 and int(e.attrs["height"]) > 0)
            levels = [int(e.tag[1]) for e in page.find() if re.fullmatch("h[1-6]", e.tag)]
            self.assertEqual(levels.count(1), 1)
            main = [int(e.tag[1]) for e in page.one("main").find() if re.fullmatch("h[1-6]", e.tag)]
            for before, after in zip(main, main[1:]):
                self.assertLessEqual(after, before + 1)
            for table in page.find("table"):
                self.assertEqual(len(table.find("caption")), 1)
                self.assertTrue(all(th.attrs.get("scope") for th in table.find("th")))
                self.assertEqual(len({len([c for c in r.find() if c.tag in ("td", "th")]) for r in table.find("tr")}), 1)

    def test_links(self):
        for slug, lang, page in self.both():
            ids = {e.attrs["id"] for e in page.find() if "id" in e.attrs}
            for e in page.find():
                for k in ("href", "src", "data-src", "data-map-js", "data-map-css", "data-map-coast"):
                    link = e.attrs.get(k)
                    if link is None or re.match(r"(https?|mailto):", link):
                        continue
                    self.assertNotEqual(link, "", e.tag)
                    if link.startswith("#"):
                        self.assertIn(link[1:], ids)
                    elif "auth/" not in link:
                        self.assertTrue(self.target(slug, lang, link).is_file(), link)

    def test_tabs_name_what_is_there_in_the_same_ids(self):
        for slug in SLUGS:
            tabs = []
            for lang in (0, 1):
                page = self.page(slug, lang)
                tabs.append([a.attrs["href"] for a in page.one("nav", class_="tabs").find("a")])
                panels = [e for e in page.one("main").find() if "data-tab" in e.attrs and e.tag in ("div", "section") and e.parent.attrs.get("class") == "main"]
                self.assertEqual(len(tabs[lang]), len(panels))
                for href, panel in zip(tabs[lang], panels):  # each tab leads into its panel
                    self.assertTrue(panel.attrs.get("id") == href[1:] or panel.find(id=href[1:]), href)
                ids = {e.attrs["id"] for e in page.find() if "id" in e.attrs}
                self.assertLessEqual({"unduh", "kolom", "pratinjau", "versi", "satu-data", "api", "kutip", "lapor", "mesin", "tentang"}, ids)
            self.assertEqual(*tabs)
        self.assertTrue(self.page("kumuh").section("peta").find("img"), "the map is on the first tab")

    def test_used_by(self):
        """A code list names who takes its codes."""
        for lang in (0, 1):
            users = {a.attrs["href"] for a in self.page("kabkota", lang).section("dipakai").find("a")}
            wanted = set()
            for slug, entry in self.index.items():
                for r in entry["resources"]:
                    keys = odp.read_json(self.site / "v1" / r["schema"]).get("odp:foreignKeys", [])
                    wanted |= {f"{slug}.html" for k in keys if k["reference"]["dataset"].endswith("/kabkota") and slug != "kabkota"}
            self.assertEqual(users, wanted)
            self.assertGreater(len(users), 2)

    # ---- facts ----

    def test_downloads(self):
        for slug, lang, page in self.both():
            listed = [(r, f) for r in self.index[slug]["resources"] for f in r["files"]]
            cards = page.one("h2", id="unduh").parent.find("li", class_="card")
            self.assertEqual(len(cards), len(listed))
            base = odp.read_json(self.home / "catalog/portal.json")["baseUrl"]
            for card, (_, f) in zip(cards, listed):
                file = self.target(slug, lang, card.one("a", class_="button").attrs["href"])
                data = file.read_bytes()
                self.assertEqual(file, (self.site / "v1" / f["url"]).resolve())
                codes = [c.text for c in card.find("code")]
                self.assertIn(hashlib.sha256(data).hexdigest(), codes)
                self.assertIn(bytes_text(len(data), lang), card.text)
                twin = next((p for p in (file.with_name(file.name + e) for e in (".br", ".gz")) if p.exists()), None)
                self.assertEqual(twin is not None, ("terkompresi", "compressed")[lang] in card.text)
                if twin is not None:
                    self.assertIn(bytes_text(twin.stat().st_size, lang), card.text)
                addresses = [c for c in codes if c.startswith(base)]
                self.assertEqual(len(addresses), 2)
                for address in addresses:
                    self.assertEqual((self.site / address[len(base):]).read_bytes(), data)
                self.assertEqual([f"/{self.index[slug]['version']}/" in a for a in addresses], [False, True])

    def test_fields(self):
        for slug, lang, page in self.both():
            for r in self.index[slug]["resources"]:
                schema = odp.read_json(self.site / "v1" / r["schema"])
                rows = [li for li in page.section("kolom").find("li", class_="ds-field") if li.attrs["id"].startswith(f"kolom:{r['name']}:")]
                self.assertEqual([row.attrs["id"].split(":", 2)[2] for row in rows], [f["name"] for f in schema["fields"]])
                for row, field in zip(rows, schema["fields"]):
                    key = ("id", "en")[lang]
                    for wanted in (field.get("odp:title"), field.get("odp:description"), field.get("odp:unit"), field.get("sdi:konsep")):
                        if wanted:
                            self.assertIn(wanted[key], row.text)
                    self.assertEqual(field["name"] in schema.get("primaryKey", []), any(b.text in ("kunci", "key") for b in row.find(class_="badge")))
                    self.assertIn(("boleh kosong", "may be empty")[lang] if not field.get("constraints", {}).get("required") else ("wajib diisi", "required")[lang], row.text)
                    for bound in ("minimum", "maximum"):
                        value = field.get("constraints", {}).get(bound)
                        if value is not None:
                            self.assertIn(decimal(str(value), lang) if field["type"] in ("number", "integer") else str(value), row.text)
                    codes = {c.text for c in row.find("code")}
                    for c in field.get("categories", []):
                        self.assertIn(c["value"] if isinstance(c, dict) else c, codes)
        refers = self.page("proyek").section("kolom")
        self.assertIn("kontraktor.html", [a.attrs["href"].split("/")[-1] for a in refers.find("a")])
        self.assertIn("Kepmendagri", refers.text)

    def test_what_columns_hold(self):
        """What profile.json has of every column, in both languages; its intervals are all values that there are."""
        for slug, lang, page in self.both():
            for r in self.index[slug]["resources"]:
                further = "" if r is self.index[slug]["resources"][0] else "-" + r["name"]
                profile = odp.read_json(self.site / f"data/{slug}/latest/profile{further}.json")
                rows = {li.attrs["id"].split(":", 2)[2]: li for li in page.section("kolom").find("li", class_="ds-field")
                        if li.attrs["id"].startswith(f"kolom:{r['name']}:")}
                for f in profile["fields"]:
                    text, filled = rows[f["name"]].text, profile["rows"] - f["nulls"]
                    self.assertIn(decimal(str(filled), lang) + (" rekaman", " records")[lang], text)
                    self.assertIn(decimal(str(f["distinct"]), lang), text)
                    if f["type"] in ("number", "integer"):
                        self.assertIn(decimal(f["minimum"], lang), text)
                        self.assertIn(decimal(f["maximum"], lang), text)
                    for entry in f.get("frequent", []):
                        self.assertIn(entry["value"], text)
                    if "histogram" not in f:
                        self.assertNotIn(f["type"], ("number", "integer", "date", "year") if filled else ())
                        continue
                    bounds, counts = f["histogram"]["bounds"], f["histogram"]["counts"]
                    self.assertEqual((len(bounds), sum(counts)), (len(counts) + 1, filled))
                    self.assertLessEqual(len(counts), 20)
                    bars = rows[f["name"]].find("svg", class_="ds-histogram")
                    self.assertEqual(len(bars), len(counts) > 1)
                    for bar in bars:
                        self.assertEqual(len(bar.find("rect")), sum(n > 0 for n in counts))
                        self.assertIn(decimal(str(max(counts)), lang), bar.attrs["aria-label"])

    def test_preview(self):
        for slug, lang, page in self.both():
            for i, r in enumerate(self.index[slug]["resources"]):
                box = page.one("caption", id=f"tabel-{r['name']}").parent.parent.parent
                file = (self.site / "v1" / r["schema"]).parent / f"{slug}{'-' + r['name'] if i > 0 else ''}.preview.json"
                preview, schema = odp.read_json(file), odp.read_json(self.site / "v1" / r["schema"])
                lists = {k["fields"][0]: odp.read_json(self.site / f"data/{k['reference']['dataset'].split('/')[-1]}/labels-{k['reference']['resource']}.json")["labels"]
                         for k in schema.get("odp:foreignKeys", []) if len(k["fields"]) == 1}
                types = {f["name"]: f for f in schema["fields"]}
                self.assertEqual(preview["total"], r["rows"])
                rows = box.one("tbody").find("tr")
                self.assertEqual(len(rows), min(10, r["rows"]))
                self.assertIn(number(r["rows"], lang), " ".join(p.text for p in box.find("p")))
                link = box.one("a", class_="button").attrs["href"]
                self.assertEqual(link, f"{slug}/index.html" + (f"?table={r['name']}" if i > 0 else ""))
                self.assertTrue(self.target(slug, lang, link).is_file())
                for row, values in zip(rows, preview["rows"]):
                    cells = [c for c in row.find() if c.tag in ("td", "th")][:-1]
                    self.assertEqual(len(cells), len(values))
                    for cell, name, value in zip(cells, preview["fields"], values):
                        labels = {c["value"]: c.get("odp:label", {}).get(("id", "en")[lang]) for c in types[name].get("categories", []) if isinstance(c, dict)}
                        shown = "–" + ("kosong", "empty")[lang] if value is None else labels.get(value) or value
                        if value is not None and types[name]["type"] in ("number", "integer"):
                            shown = decimal(value, lang)
                        elif value is not None and types[name]["type"] == "boolean":
                            shown = (("tidak", "ya"), ("no", "yes"))[lang][value == "true"]
                        elif value in lists.get(name, {}):  # the name, and the code behind it
                            label = lists[name][value]
                            shown = f"{label.get(('id', 'en')[lang], label['id'])} {value}"
                        self.assertEqual(cell.text, shown)

    def test_what_the_table_reads(self):
        """lib/records.js makes of every file that it may be given the rows that Python reads, cell by cell; and refuses what is cut off."""
        if shutil.which("node") is None:
            self.skipTest("Node.js is not installed")
        jobs, wanted = [], []
        for r in (r for slug in SLUGS for r in self.index[slug]["resources"]):
            names = [f["name"] for f in odp.read_json(self.site / "v1" / r["schema"])["fields"]]
            preview = next((self.site / "v1" / r["schema"]).parent.glob(pathlib.Path(r["files"][0]["url"]).name.split(".")[0] + ".preview.json"))
            for f in r["files"]:
                path = self.site / "v1" / f["url"]
                if f["name"] == "csv":
                    rows = [[row[n] or None for n in names] for row in odp.read_csv(path)]
                elif f["name"] in ("json", "geojson"):
                    data = json.loads(path.read_text(), parse_float=str, parse_int=str)
                    data = data["data"] if f["name"] == "json" else [feature["properties"] for feature in data["features"]]
                    rows = [[str(row[n]).lower() if isinstance(row[n], bool) else row[n] for n in names] for row in data]
                else:
                    continue
                jobs.append([str(path), f["name"], str(preview)])
                wanted.append(rows)
        for name in ("records", "json"):
            shutil.copy(odp.SOURCE / f"templates/portal/assets/js/lib/{name}.js", self.dir / f"{name}.mjs")
        (self.dir / "records.mjs").write_text((self.dir / "records.mjs").read_text().replace("./json.js", "./json.mjs"))
        (self.dir / "run.mjs").write_text(RECORDS)
        done = subprocess.run(["node", "run.mjs"], cwd=self.dir, input=json.dumps(jobs), capture_output=True, text=True, check=True)
        for job, rows, (got, refused) in zip(jobs, wanted, json.loads(done.stdout), strict=True):
            self.assertEqual([[value or None for value in row] for row in got], rows, job)
            self.assertTrue(refused, job)
        self.assertGreaterEqual(len(jobs), 9)

    def test_reports_name_dataset_version_and_record(self):
        for slug, lang, page in self.both():
            for i, r in enumerate(self.index[slug]["resources"]):
                box = page.one("caption", id=f"tabel-{r['name']}").parent
                preview = odp.read_json((self.site / "v1" / r["schema"]).parent / f"{slug}{'-' + r['name'] if i > 0 else ''}.preview.json")
                key = odp.read_json(self.site / "v1" / r["schema"])["primaryKey"]
                for row, values in zip(box.one("tbody").find("tr"), preview["rows"]):
                    link = urllib.parse.urlsplit(row.find("a")[-1].attrs["href"])
                    self.assertEqual((link.scheme, link.path), ("mailto", "data@example.go.id"))
                    letter = urllib.parse.parse_qs(link.query, strict_parsing=True)
                    record = ",".join(values[preview["fields"].index(k)] for k in key)
                    self.assertIn(record, letter["subject"][0])
                    for text in (self.index[slug]["version"], record, f"/{slug}.html"):
                        self.assertIn(text, letter["body"][0])
            for a in page.section("lapor").find("a", class_="ds-report-file"):
                letter = urllib.parse.parse_qs(urllib.parse.urlsplit(a.attrs["href"]).query)
                self.assertIn(f"data/{slug}/{self.index[slug]['version']}/{a.text}", letter["body"][0])

    def test_charts(self):
        seen = 0
        for slug, lang, page in self.both():
            charts = [c for r in self.index[slug]["resources"] for c in r.get("charts", []) if c["type"] != "map"]
            figures = [f for f in page.find("figure") if "map-figure" not in f.attrs.get("class", "")]
            self.assertEqual(len(figures), len(charts))
            for figure, chart in zip(figures, charts):
                document, key = odp.read_json(self.site / "v1" / chart["data"]), ("id", "en")[lang]
                self.assertEqual(self.target(slug, lang, figure.one("img").attrs["src"]), (self.site / "v1" / chart["svg"][key]).resolve())
                self.assertIn(document["alternative"][key], figure.text)
                self.assertIn(("Creative Commons Atribusi", "Creative Commons Attribution")[lang], figure.text)
                rows = figure.one("tbody").find("tr")
                self.assertEqual([r.find("td")[-1].text for r in rows], [decimal(str(d["value"]), lang) for d in document["rows"]])
                self.assertEqual([r.find("th")[0].text for r in rows], [d["label"][key] if isinstance(d["label"], dict) else d["label"] for d in document["rows"]])
                seen += 1
        self.assertGreater(seen, 5)

    def test_map(self):
        for slug in ("kumuh", "proyek"):
            for lang in (0, 1):
                page = self.page(slug, lang)
                section = page.one("div", class_="ds-best")
                image = section.one("img")
                picture = self.target(slug, lang, image.attrs["src"])
                self.assertEqual(picture, (self.site / (f"katalog/{slug}-peta.svg", f"en/catalog/{slug}-map.svg")[lang]).resolve())
                self.assertIn("<svg", picture.read_text()[:500])
                about = odp.read_json(self.target(slug, lang, section.one("div", class_="map").attrs["data-src"]))["odp"]
                counts = [v["count"] for v in about["category"]["values"]]
                self.assertEqual([r.find("td")[0].text for r in section.one("tbody").find("tr")], [number(n, lang) for n in counts])
                self.assertGreater(len(section.one("figcaption").text), 60)

    def test_slices(self):
        for lang in (0, 1):
            rows = self.page("tenaga-kerja", lang).section("irisan").one("tbody").find("tr")
            slices = self.index["tenaga-kerja"]["resources"][0]["slices"]
            self.assertEqual(len(rows), len(slices))
            for row, s in zip(rows, slices):
                self.assertEqual((row.find("th")[0].text, row.find("td")[0].text, row.find("td")[1].text), (s["label"][("id", "en")[lang]], s["value"], number(s["rows"], lang)))
                for a, f in zip(row.find("a"), s["files"]):
                    data = self.target("tenaga-kerja", lang, a.attrs["href"]).read_bytes()
                    self.assertEqual("sha256:" + hashlib.sha256(data).hexdigest(), f["hash"])
                    self.assertIn(bytes_text(len(data), lang), row.text)

    def test_citation_is_pinned(self):
        base = odp.read_json(self.home / "catalog/portal.json")["baseUrl"]
        for slug, lang, page in self.both():
            section = page.section("kutip")
            bibtex = section.one("code").text
            url = re.search(r"url = \{(.*)\}", bibtex)[1]
            data = (self.site / url[len(base):]).read_bytes()
            self.assertIn("sha256:" + hashlib.sha256(data).hexdigest(), bibtex)
            self.assertIn(f"version = {{{self.index[slug]['version']}}}", bibtex)
            self.assertIn(url, section.one("blockquote").text)
            self.assertIn(self.index[slug]["title"][("id", "en")[lang]], section.one("cite").text)

    def test_scorecard(self):
        """Counted again, by other code."""
        for slug, _, page in self.both():
            entry = self.index[slug]
            schemas = [odp.read_json(self.site / "v1" / r["schema"]) for r in entry["resources"]]
            have = need = coded = listed = 0
            for s in schemas:
                lists = {n for k in s.get("odp:foreignKeys", []) for n in k["fields"]}
                masters = {n for k in s.get("foreignKeys", []) for n in k["fields"]}
                for f in s["fields"]:
                    wanted = [("sdi:konsep", True), ("sdi:definisi", True), ("sdi:klasifikasi", "categories" in f or f["name"] in lists),
                              ("sdi:ukuran", f["type"] in ("number", "integer")), ("sdi:satuan", f["type"] in ("number", "integer"))]
                    for member, needed in wanted:
                        need += needed
                        have += needed and (member in f or (member == "sdi:klasifikasi" and f["name"] in lists))
                    called = re.search(r"^(kode$|(kode|kd|id|code)_)|_(kode|kd|id|code)$", f["name"]) and f["type"] in ("string", "integer")
                    code = "categories" in f or called
                    if f["name"] in lists | masters:
                        coded, listed = coded + 1, listed + 1
                    elif code and f["name"] not in sum(s.get("uniqueKeys", []), s.get("primaryKey", [])) and not f.get("constraints", {}).get("unique"):
                        coded += 1
            section = page.section("satu-data")
            meters = [int(m.attrs["value"]) for m in section.find("meter")]
            cards = section.find("article")
            self.assertEqual(len(cards), 4)
            self.assertEqual(meters[0], 100 * have // need)
            if coded:
                self.assertEqual(meters[3], 100 * listed // coded)
            for card, meter in zip(cards, meters):
                met, of = map(int, re.search(r"(?:Terpenuhi )?(\d+) (?:dari|of) (\d+)(?: are met)?\.", card.find("p")[1].text).groups())
                self.assertEqual(meter, 100 * met // of)
                missing = [li for li in card.find("li") if li.find(class_="ds-no")]
                self.assertEqual(met == of, not missing)
                self.assertFalse([li.text for li in missing if "dataset.json" in li.text], "advice is for stewards")
            self.assertEqual(int(section.find("strong")[0].text), sum(meters) // len(meters))

    # ---- over time ----

    def test_versions_and_carrying_over(self):
        """A new version of one dataset: its differences are those of changes.json; other pages stay byte for byte, however the site was built."""
        out, slug, date = "later", "tenaga-kerja", "2024-03-19"  # not newer than the site's newest date, which every page names

        def pages(root):
            found = [p for folder in ("katalog", "en/catalog") for p in sorted((self.home / root / folder).glob("*")) if p.suffix in (".html", ".svg")]
            return {str(p.relative_to(self.home / root)): p.read_bytes() for p in found}

        self.build(out=out)
        first = pages(out)
        self.assertEqual(first, pages("site"))
        folder = self.home / "catalog" / slug
        package = odp.read_json(folder / "dataset.json")
        source = folder / package["resources"][0]["path"]
        kept = {p: p.read_bytes() for p in (source, folder / "dataset.json")}
        try:
            source.write_bytes(b"".join(kept[source].splitlines(keepends=True)[:-3]))
            package["odp:lastUpdate"] = date
            (folder / "dataset.json").write_text(json.dumps(package))
            self.build(slug, out=out)
            one = pages(out)
            self.assertEqual({p for p in first if first[p] != one[p]}, {f"katalog/{slug}.html", f"en/catalog/{slug}.html"})
            version = odp.read_json(self.home / out / f"data/{slug}/versions.json")["data"][0]
            counts = version["resources"][0]["changes"]
            self.assertEqual((version["version"], counts["removed"]), (date, 3))
            page = Tree(one[f"katalog/{slug}.html"].decode()).root
            newest = page.one("li", id=f"versi-{date}")
            for sign, name in (("+", "added"), ("−", "removed"), ("~", "changed")):
                self.assertIn(f"{sign}{counts[name]} ", newest.text)
            self.assertIn("ds-current", newest.attrs["class"])
            hrefs = [a.attrs["href"] for a in newest.find("a")]
            for name in (f"katalog/{slug}/perubahan.html#versi-{date}", f"data/{slug}/{date}/changes.json", f"data/{slug}/{date}/changes.csv"):
                self.assertIn(f"../{name}", hrefs)
            for href in hrefs:
                self.assertTrue((self.home / out / "katalog" / href.partition("#")[0]).resolve().is_file(), href)
            story = Tree((self.home / out / f"katalog/{slug}/perubahan.html").read_text()).root
            self.assertIn(f"../../data/{slug}/{date}/changes.html", [a.attrs["href"] for a in story.one("section", **{"aria-labelledby": f"versi-{date}"}).find("a")])
            self.assertTrue(any(h.endswith(".delta") for h in hrefs))
            self.assertEqual(len(page.one("ol", class_="ds-versions").find("li", id="versi-2024-03-12")), 1)
            # Another dataset is built, this one is carried over: its page is the same.
            os.utime(self.home / "catalog/kontraktor/dataset.json")
            self.build("kontraktor", out=out)
            self.assertEqual(pages(out), one)
        finally:
            for path, data in kept.items():
                path.write_bytes(data)

    def test_withdrawn(self):
        """A dataset that is withdrawn leaves a page that says so, in both languages; its old page's facts are gone."""
        out = "shrunk"
        self.build(out=out)
        path = self.home / "catalog/regulasi/dataset.json"
        kept = path.read_bytes()
        try:
            package = json.loads(kept)
            package.update({"odp:status": "withdrawn"})
            path.write_text(json.dumps(package))
            releases = self.home / "catalog/changes.json"
            history = releases.read_bytes()
            log = json.loads(history)
            log["releases"].append({"version": "3.0.0", "date": "2024-05-01", "changes": [{"id": "Regulasi ditarik", "en": "Regulations withdrawn"}]})
            releases.write_text(json.dumps(log))
            done = subprocess.run([odp.PROGRAM, "build", "--catalog", "catalog", "--out", out, "--quiet", "--report", "json"], cwd=self.home, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
            for name, words in (("katalog/regulasi.html", "datasetnya ditarik"), ("en/catalog/regulasi.html", "the dataset was withdrawn")):
                text = (self.home / out / name).read_text()
                self.assertIn(words, text)
                self.assertNotIn("regulasi.pdf", text)
        finally:
            path.write_bytes(kept)
            releases.write_bytes(history)


RECORDS = r"""
import { readFileSync } from "node:fs";
import { readCsv, readRecords } from "./records.mjs";
const odd = readCsv('a,b\r\n"","x""y\r\nz"\r\n,\r\n');
if (JSON.stringify(odd) !== '[["a","b"],["","x\\"y\\r\\nz"],[null,null]]') throw new Error(JSON.stringify(odd));
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(([path, kind, preview]) => {
    const [text, first] = [path, preview].map((file) => readFileSync(file, "utf8"));
    let refused = false;
    try {
        readRecords(text.slice(0, text.lastIndexOf("\n", text.length / 2) + 1), kind, JSON.parse(first));
    } catch (error) {
        refused = true;
    }
    return [readRecords(text, kind, JSON.parse(first)), refused];
})));
"""


class Answers(http.server.BaseHTTPRequestHandler):
    """An envelope for those who have the key; a problem for the others."""

    def do_GET(self):
        allowed = self.headers.get("Authorization") == "Bearer rahasia"
        text = '{"data":[\n{"n":0},\n{"n":1}\n],"status":"success","meta":{"total":2},"links":{"next":null,"prev":null}}\n'
        if not allowed:
            text = json.dumps({"type": "about:blank", "status": 401, "code": "key-unknown", "detail": "Kunci ini tidak dikenal."})
        text = text.encode()
        self.server.seen.append(self.path)
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Examples(odp.Case):
    """The code that a page prints, run as it is printed (against a real gateway: portal_examples.py)."""

    def test_code_runs_and_says_what_is_wrong(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        server.seen = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        catalog = self.catalogue(references=False)
        portal = odp.read_json(catalog / "portal.json")
        portal["baseUrl"] = f"http://127.0.0.1:{server.server_port}/"
        (catalog / "portal.json").write_text(json.dumps(portal))
        self.dataset("uji", "kode,nama\nA,satu\nB,dua\n", [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}], {"schema": {"primaryKey": ["kode"]}})
        self.odp("build")
        page = Tree((self.dir / "build/site/katalog/uji.html").read_text()).root
        blocks = [c for c in page.find("code") if "data-run" in c.attrs and not c.attrs["data-run"].endswith("-library")]  # those: portal_examples.py
        self.assertEqual([b.attrs["data-run"] for b in blocks], ["curl", "javascript", "python", "php"])
        for block in blocks:
            language = block.attrs["data-run"]
            if shutil.which(RUN[language]) is None:
                continue
            with self.subTest(language=language, code=block.text):
                file = self.dir / block.attrs["data-file"]
                file.write_text(block.text)
                server.seen.clear()
                good = subprocess.run([RUN[language], file], cwd=self.dir, capture_output=True, text=True, env=dict(os.environ, ODP_KEY="rahasia"), timeout=60)
                self.assertEqual(good.returncode, 0, good.stderr)
                self.assertEqual(server.seen, ["/v1/uji"])
                self.assertIn("n", good.stdout)
                bad = subprocess.run([RUN[language], file], cwd=self.dir, capture_output=True, text=True, env=dict(os.environ, ODP_KEY="salah"), timeout=60)
                self.assertNotEqual(bad.returncode, 0)
                self.assertIn("Kunci ini tidak dikenal.", bad.stdout + bad.stderr)


if __name__ == "__main__":
    odp.main()
