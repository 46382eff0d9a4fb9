"""penjelajah.html and en/explorer.html as they stand before any script runs: every endpoint of v1/openapi.json, links that name it, words for
the script, and commands that work as they are printed against a real gateway. What the script does is tests/portal_js (its modules) and
tests/browser (the page)."""
import base64
import hashlib
import html.parser
import json
import os
import re
import subprocess
import urllib.parse

import gatewaylib
import odp

VOID = {"meta", "link", "br", "img", "input", "hr", "path", "rect"}
PAGES = {"id": "penjelajah.html", "en": "en/explorer.html"}
METHODS = ("get", "post", "put", "patch", "delete")
HOSTILE = "Peta </script><script>alert(1)</script> \"&'\u2028"


class Page(html.parser.HTMLParser):
    """Endpoints with their groups, examples, scripts, ids; and whatever may not be there."""

    def __init__(self, text):
        super().__init__()
        self.open, self.endpoints, self.groups, self.ids, self.scripts, self.attributes, self.main = [], [], [], [], [], [], {}
        self.text, self.labels, self.controls = {}, [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        classes = (attrs.get("class") or "").split()
        self.attributes += [(tag, name, value) for name, value in attrs.items()]
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.labels += [attrs["for"]] if tag == "label" and "for" in attrs else []
        self.controls += [attrs["id"]] if tag in ("input", "select", "textarea") else []
        if attrs.get("id") == "explorer":
            self.main = attrs
        if "explorer-group" in classes:
            self.groups.append({"name": attrs["data-name"], "label": ""})
        elif "explorer-endpoint" in classes:
            self.endpoints.append({"group": self.groups[-1]["name"], "href": attrs["href"], "id": self.ids[-1], "text": "", "example": None})
        elif "explorer-example" in classes:
            self.endpoints[-1]["example"] = ""
        elif tag == "script":
            self.scripts.append(dict(attrs, text=""))
        if tag not in VOID:
            self.open.append((tag, classes))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop()[0] == tag, f"</{tag}> in {self.open}"

    def handle_data(self, data):
        inside = {name for _, classes in self.open for name in classes} | {tag for tag, _ in self.open}
        if "script" in inside:
            self.scripts[-1]["text"] += data
        elif "explorer-example" in inside:
            self.endpoints[-1]["example"] += data
        elif "explorer-endpoint" in inside:
            self.endpoints[-1]["text"] += data
        elif "explorer-group" in inside and "summary" in inside:
            self.groups[-1]["label"] += data


def for_programs(operation):
    """Not what takes forms alone, or answers with pages alone."""
    body = operation.get("requestBody", {}).get("content")
    well = [set(answer.get("content", {})) for status, answer in operation["responses"].items() if status[0] == "2"]
    return (body is None or "application/json" in body) and any(types != {"text/html"} for types in well)


class Explorer(gatewaylib.Case):
    SLUGS = ("kumuh", "proyek", "kontraktor")

    def setUp(self):
        super().setUp()
        self.catalogue(*self.SLUGS)

    def change(self, slug, **members):
        path = self.dir / "catalog" / slug / "dataset.json"
        path.write_text(json.dumps(dict(odp.read_json(path), **members)))

    def site(self):
        site = self.compile(tiers=gatewaylib.QUERY_TIERS)
        if not (site / PAGES["id"]).exists():
            self.skipTest("this build has no templates and assets of the portal (node was not there)")
        return site

    def pages(self, site):
        return {lang: Page((site / path).read_text()) for lang, path in PAGES.items()}

    def test_every_endpoint(self):
        site = self.site()
        document = odp.read_json(site / "v1" / "openapi.json")
        want = {f"{m.upper()}{path}": item[m] for path, item in document["paths"].items() for m in METHODS if m in item and for_programs(item[m])}
        self.assertGreater(len(want), 40)
        self.assertFalse([anchor for anchor in want if anchor in ("GET/auth/confirm", "POST/auth/key/view")])
        self.assertIn("POST/auth/recover/redeem", want)
        for lang, page in self.pages(site).items():
            found = {urllib.parse.unquote(e["href"]): e for e in page.endpoints}
            self.assertEqual(sorted(found), sorted("#" + anchor for anchor in want), lang)
            self.assertEqual(len(page.endpoints), len(want))
            self.assertEqual(len(page.ids), len(set(page.ids)), "ids are there once")
            for anchor, operation in want.items():
                endpoint = found["#" + anchor]
                self.assertEqual(endpoint["group"], operation["tags"][0], anchor)
                self.assertEqual(endpoint["id"], anchor, "without a script the link leads to its own line")
                self.assertNotRegex(endpoint["href"], r"[{}<>\s]", "what may not stand in an address")
                public = operation.get("security") == []
                self.assertEqual(("tanpa kunci" if lang == "id" else "no key") in endpoint["text"], public, anchor)
                halves = operation["summary"].split(" / ")
                half = halves[0 if lang == "id" else 1]
                tag = next(t for t in document["tags"] if t["name"] == operation["tags"][0])
                title = tag.get("x-displayName", "x / x").split(" / ")[0 if lang == "id" else 1]
                self.assertIn(re.sub(f": {re.escape(title)}$", "", half), endpoint["text"], anchor)
            names = [g["name"] for g in page.groups]
            datasets = [t["name"] for t in document["tags"] if "x-displayName" in t]
            self.assertEqual((names[:len(datasets)], datasets[:3]), (datasets, list(self.SLUGS)), "datasets come first")
            self.assertEqual(sorted(names[len(datasets):]), ["halaman", "katalog", "kunci", "webhook"])
            self.assertTrue(all(g["label"].strip() and g["label"].strip() != g["name"] for g in page.groups), page.groups)

    def test_the_page_is_safe_and_whole(self):
        self.change("kumuh", **{"title": HOSTILE, "odp:title": {"id": HOSTILE, "en": HOSTILE + " (en)"}})
        site = self.site()
        for lang, page in self.pages(site).items():
            raw = (site / PAGES[lang]).read_text()
            self.assertNotIn("<script>alert", raw)
            self.assertNotIn("odp_live_0", raw)
            for script in page.scripts:
                if "src" in script:
                    path = (site / PAGES[lang]).parent / script["src"]
                    digest = base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()
                    self.assertEqual(script["integrity"], f"sha256-{digest}", script["src"])
                else:
                    self.assertIn(script["type"], ("application/json", "application/ld+json"))
                    json.loads(script["text"])
            self.assertFalse([a for a in page.attributes if a[1] == "style" or a[1].startswith("on")])
            words = json.loads(next(s["text"] for s in page.scripts if s.get("id") == "words"))
            ours = odp.read_json(odp.SOURCE / "templates/portal/words/explorer.json")
            said = {k: v[lang] for k, v in ours.items() if k.startswith("explorer_js_")}
            self.assertEqual({k: words.get(k) for k in said}, said)
            self.assertTrue(any(k.startswith("map_") for k in words), "the map's words, too")
            for name in ("root", "errors", "status", "map-js", "map-css", "map-coast"):
                value = page.main[f"data-{name}"]
                self.assertFalse(re.match(r"[a-z]+:|/", value), value)
                if name.startswith("map-"):
                    self.assertTrue(((site / PAGES[lang]).parent / value).exists(), value)
            self.assertEqual(page.main["data-published"], odp.read_json(self.dir / "catalog" / "portal.json")["baseUrl"])
            self.assertEqual(set(page.controls) - set(page.labels), set(), "a control without a label")
            self.assertIn("</script><script>alert(1)</script>", next(g["label"] for g in page.groups if g["name"] == "kumuh"))
            for twin in (".br", ".gz"):
                size = os.path.getsize(str((site / PAGES[lang]).parent / page.scripts[-1]["src"]) + twin)
                self.assertLess(size, 20 * 1024, "the explorer's script has 20 KiB")

    def test_printed_commands_run(self):
        site = self.site()
        gateway = self.serve(site)
        key = gateway.create_key("government")
        base = odp.read_json(self.dir / "catalog" / "portal.json")["baseUrl"].rstrip("/")
        examples = [e for e in self.pages(site)["id"].endpoints if e["example"]]
        self.assertGreater(len(examples), 15)
        for endpoint in examples:
            self.assertIn(base, endpoint["example"])
            code = endpoint["example"].replace(base, f"http://127.0.0.1:{gateway.port}")
            done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, env={"PATH": os.environ["PATH"], "ODP_KEY": key}, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), f"{code}\n{done.stdout[:500]}")
            answer = json.loads(done.stdout)
            self.assertTrue(answer.get("status") == "success" or "openapi" in answer, done.stdout[:200])
            if "limit" in code:
                self.assertEqual(len(answer["data"]), 2, code)
            public = "tanpa kunci" in endpoint["text"]
            self.assertEqual("ODP_KEY" in code, not public)


if __name__ == "__main__":
    gatewaylib.main()
