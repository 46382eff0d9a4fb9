"""Markup in data: a catalogue in which every text that people write, and every cell, tries to become markup, beside a harmless one of the same shape. Every page,
picture, feed and document of the hostile site has the very elements and attributes of the harmless one; no address runs anything; JSON inside of pages is JSON."""
import html.parser
import json
import pathlib
import re
import unittest
import xml.etree.ElementTree as tree

import odp

EVIL = ('"><img src=x onerror=alert(1)>', "</script><script>alert(1)</script>", "</title></style></textarea><svg onload=alert(1)>", "' onmouseover='alert(1)", "{{title}}{{{title}}}{{#x}}",
        "<!--", "]]><x>", "&lt;b&gt;&#x3c;i&#62;", "javascript:alert(1)", "\u2028alert(1)\u2029", "\u202egnp.exe", "${7*7} `x` \\u003cb\\u003e", "=HYPERLINK(\"x\")", "<a href=javascript:alert(1)>x</a>")
RUNS = re.compile(r"^[\s\x00-\x20]*(javascript|vbscript|data:text/html)", re.I)
VOID = {"href", "src", "action", "formaction", "xlink:href", "data", "poster", "srcset", "cite", "background"}


class Page(html.parser.HTMLParser):
    """The tags of a page with the names of their attributes; scripts' texts; what is wrong whatever the other page has."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.shape, self.scripts, self.wrong, self.policy, self.script = [], [], [], "", None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.shape.append((tag, tuple(sorted(k for k, _ in attrs))))
        values = dict(attrs)
        self.wrong += [f"<{tag} {k}>" for k, _ in attrs if k.startswith("on")]
        self.wrong += [f"<{tag} {k}={v!r}>" for k, v in attrs if k in VOID and v and RUNS.match(v)]
        if tag == "meta" and (values.get("http-equiv") or "").lower() == "content-security-policy":
            self.policy = values.get("content") or ""
        if tag == "script":
            self.script = (values, [])

    def handle_endtag(self, tag):
        self.shape.append("/" + tag)
        if tag == "script" and self.script:
            self.scripts.append((self.script[0], "".join(self.script[1])))
            self.script = None

    def handle_data(self, data):
        if self.script:
            self.script[1].append(data)


class Injection(odp.Case):
    def put(self, name, hostile):
        """A catalogue in folder NAME. Text k is an evil one or a word."""
        used = [0]

        def p(what):
            used[0] += 1
            return f"{what} {EVIL[used[0] % len(EVIL)]}" if hostile else f"{what} kata"

        def both(what):
            return {"id": p(what), "en": p(what)}
        catalog = self.dir / name
        (catalog / "data").mkdir(parents=True)
        portal = odp.read_json(odp.SOURCE / "tests/cases/_common/portal.json")
        portal.update(title=both("Portal"), description=both("Uraian"), publisher=both("Kementerian"), legalBasis=both("Dasar"))
        portal["contact"]["name"] = p("Walidata")
        portal["license"]["title"] = both("Lisensi")
        portal["subjects"] = [{"name": "bidang", "title": {"id": p("B")[:40], "en": p("S")[:40]}}]
        for tier in portal["tiers"]:
            tier.update(title=both("Tingkat"), support=both("Bantuan"))
        (catalog / "portal.json").write_text(json.dumps(portal))
        (catalog / "changes.json").write_text(json.dumps({"releases": [{"version": "1.0.0", "date": "2024-01-01", "changes": [both("Terbitan"), both("Juga")]}]}))

        def field(label, kind="string", **more):
            return {"name": label, "type": kind, "title": p("Judul"), "odp:title": both("Judul"), "description": p("Arti"), "odp:description": both("Arti"), **more}
        fields = [field("kode"), field("nama"), field("kelas", categories=[{"value": "a", "label": p("Satu"), "odp:label": both("Satu")}, {"value": "b", "label": p("Dua")}]),
                  field("nilai", "number", **{"sdi:satuan": both("satuan"), "sdi:konsep": p("konsep"), "sdi:definisi": p("definisi")}), field("wilayah"), field("letak", "geopoint")]
        rows = ["kode,nama,kelas,nilai,wilayah,letak"]
        for k in range(2 * len(EVIL)):
            evil = EVIL[k % len(EVIL)]  # the good ones are as many, since pages show the most frequent, and as long, since short files have no twins
            text = evil if hostile else f"kata {k % len(EVIL)}".ljust(len(evil), "a")
            rows.append(",".join(f'"{c.replace(chr(34), chr(34) * 2)}"' for c in (f"{k:02} {text}", text, "ab"[k % 2], f"{k}.5", f"{'w' if k % 3 else 'v'} {EVIL[0] if hostile else 'kata'}", f"{106 + k / 10},-6")))
        path = 'da"ta<b>.csv' if hostile else "data.csv"
        (catalog / "data" / path).write_text("\n".join(rows) + "\n")
        table = {"name": "data", "type": "table", "path": path, "title": p("Tabel"), "odp:title": both("Tabel"), "description": p("Isi"),
                 "schema": {"fields": fields, "primaryKey": ["kode"]}, "odp:slices": ["kelas"], "odp:severity": {"formula-text": "off", "key-lookalike": "warning"},
                 "odp:charts": [{"name": "batang", "type": "bar", "title": both("Bagan"), "category": "wilayah", "value": "nilai", "aggregate": "sum"}]}
        package = {"name": "data", "title": p("Data"), "odp:title": both("Data"), "description": p("Uraian"), "odp:description": both("Uraian"), "odp:formats": ["CSV", "JSON", "Excel", "PDF"],
                   "odp:lastUpdate": "2024-03-15", "keywords": [p("kunci"), p("kata")], "odp:subjects": ["bidang"], "licenses": [{"name": "CC-BY-4.0", "path": "https://example.org/", "title": p("Lisensi")}],
                   "contributors": [{"title": p("Orang"), "organization": p("Instansi"), "roles": ["producer"]}], "sources": [{"title": p("Sumber"), "path": "https://example.org/"}],
                   "sdi:produsenData": both("Produsen"), "sdi:walidata": both("Wali"), "sdi:pembina": both("Pembina"), "resources": [table]}
        (catalog / "data/dataset.json").write_text(json.dumps(package))
        site = self.dir / f"site-{name}"
        self.odp("build", "--catalog", catalog, "--out", site, "--today", "2024-03-21", "--report", f"html={self.dir / name}.html", *self.templates())
        return site.resolve()

    def templates(self):
        beside = pathlib.Path(odp.PROGRAM).resolve().parent.parent / "share/odp/portal/assets"
        self.pages = beside.is_dir() and any(beside.glob("*.js"))
        return [] if self.pages else ["--quiet"]

    def test_no_text_becomes_markup(self):
        sites = [self.put("jahat", True), self.put("baik", False)]
        names = [{str(f.relative_to(s)) for f in s.rglob("*") if f.is_file()} for s in sites]
        pages = sorted(n for n in names[0] if n.endswith(".html"))
        self.assertGreater(len(pages), 20 if self.pages else 8)
        for n in pages:
            evil = Page((sites[0] / n).read_text())
            self.assertIn(n, names[1])
            self.assertEqual(evil.shape, Page((sites[1] / n).read_text()).shape, n)
            self.check(n, evil)
        one, two = (Page((self.dir / f"{k}.html").read_text()) for k in ("jahat", "baik"))
        self.check("report", one)
        self.assertFalse([t for t in one.shape if t not in two.shape and t[0] in ("img", "svg", "script", "x", "a")], "report")
        for n in sorted(names[0]):
            data = (sites[0] / n).read_bytes()
            if n.endswith((".svg", ".xml")):
                self.check_xml(n, tree.fromstring(data))
            elif n.endswith((".json", ".jsonld", ".geojson")):
                json.loads(data)
            elif n.endswith(".csv"):
                data.decode()
        evil = [n for n in names[0] if re.search(r"[<>\"'&\s]", n)]
        self.assertEqual(evil, [], "names of files")

    def check(self, name, page):
        self.assertEqual(page.wrong, [], name)
        for attributes, text in page.scripts:
            kind = attributes.get("type", "")
            if "json" in kind:
                json.loads(text)
            elif text.strip():
                self.assertNotIn("alert(1)", text, name)
        if page.policy:
            self.assertNotIn("unsafe-eval", page.policy, name)
            self.assertFalse("unsafe-inline" in page.policy.split("style-src")[0], name)

    def check_xml(self, name, root):
        for node in root.iter():
            tag = str(node.tag).rsplit("}", 1)[-1]
            self.assertNotIn(tag, ("script", "foreignObject", "img", "x", "iframe"), name)
            for key, value in node.attrib.items():
                self.assertFalse(key.startswith("on"), f"{name}: {key}")
                self.assertFalse(RUNS.match(value) if key.endswith(("href", "src")) else None, f"{name}: {key}={value!r}")

    def test_addresses_that_run_are_refused(self):
        """Wherever an address may be written it is refused, or it is no link."""
        self.put("dasar", False)
        for path in (("dataset", "licenses", 0, "path"), ("dataset", "sources", 0, "path"), ("dataset", "homepage"), ("portal", "license", "path"), ("portal", "contact", "url"),
                     ("portal", "contact", "email"), ("portal", "baseUrl")):
            for address in ("javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", 'https://x/"><script>alert(1)</script>'):
                file = self.dir / "dasar" / ("portal.json" if path[0] == "portal" else "data/dataset.json")
                before = file.read_text()
                document = json.loads(before)
                at = document
                for k in path[1:-1]:
                    at = at[k]
                at[path[-1]] = address
                file.write_text(json.dumps(document))
                done = self.odp("build", "--catalog", "dasar", "--out", "site-x", "--today", "2024-03-21", "--quiet", expect=None)
                file.write_text(before)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                if done.returncode != 0:
                    continue
                site = (self.dir / "site-x").resolve()
                for page in site.rglob("*.html"):
                    self.check(f"{page.relative_to(site)} with {path} = {address}", Page(page.read_text()))
                for page in site.rglob("*.xml"):
                    self.check_xml(f"{page.relative_to(site)} with {path} = {address}", tree.fromstring(page.read_bytes()))


if __name__ == "__main__":
    odp.main()
