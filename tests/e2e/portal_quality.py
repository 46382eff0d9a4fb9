"""Every page of the portal under the eyes of checkers: axe-core (light and dark, wide and narrow), the Nu HTML checker, and what a browser says of it on its console. Also
the pages that the gateway makes: answers to forms, errors, the API's own HTML."""
import collections
import json
import os
import re
import subprocess
import sys
import time
import unittest
import urllib.parse

import odp
import portallib

BROWSER = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

# Messages of the Nu HTML checker that are errors and are none of ours: (pattern, why).
NOT_OURS = [
    (r"^Attribute “lang” not allowed on element “svg”", "SVG 2 (section 5.11.3) has lang without a prefix; the checker knows SVG 1.1"),
]


DEEP = "deep" in sys.argv[1:]
DATASETS = ("kumuh", "perumahan", "proyek", "regulasi", "risiko", "kabkota") # points, a panel, several tables, documents, none of them, a list of codes


class Quality(portallib.Case):
    def looks_of(self, path):
        """A look costs a second or two: the quick test takes every page once, in Indonesian dark and narrow, in English, out of the same templates, light and wide; of the datasets' pages,
        which one template makes, those of a few that differ in what they have. The deep one takes each page in both looks."""
        dataset = re.fullmatch(r"(katalog|en/catalog)/([a-z0-9-]+)(?:\.html|/index\.html)", path)
        if dataset and not DEEP and dataset[2] not in DATASETS:
            return []
        if re.match(r"(dokumentasi|en/docs)/api/", path) and not DEEP and not path.endswith(("/kumuh.html", "/proyek.html", "/kabkota.html")):
            return []
        if re.match(r"(en/)?embed/", path) and not DEEP and not re.search(r"/(kumuh|anggaran)/", path):
            return []
        if self.is_one_more_place(path):
            return []
        return ["light", "dark"] if DEEP else ["light"] if path.startswith("en/") else ["dark"]

    @staticmethod
    def is_one_more_place(path):
        """One template makes more than a thousand pages of places: a regency, a province and the page of all stand for them."""
        place = re.fullmatch(r"(?:tempat|en/places)/(.+)\.html", path)
        return place is not None and place[1] not in ("index", "32", "32.73")

    def of_the_api(self):
        """The API's own HTML in both languages: pages of one kind are made by one template, so one with a geometry and one without stand for all collections."""
        collections_ = [f"v1/ogc/collections/{slug}{sub}?f=html" for slug in ("kumuh", "regulasi") for sub in ("", "/queryables")]
        return ["v1/ogc/?f=html", "v1/ogc/conformance?f=html", "v1/ogc/collections?f=html", *collections_, "data/perumahan/latest/changes.html"]

    def of_the_gateway(self, key, other):
        """Pages that answer forms without scripts, step by step."""
        register = {"path": "daftar.html", "scripts": False, "status": [400]}
        steps = [{"fill": {"#key": key}, "click": "form[action$='key/view'] button"}]
        rotate = [{"click": "form[action$='key/rotate'] button"}]
        revoke = [{"click": "form[action$='key/revoke'] button"}]
        register["looks"] = ["light", "dark"]
        mine = {"path": "kunci-saya.html", "scripts": False, "looks": ["light", "dark"]}
        return [
            {**register, "steps": [{"fill": {"#name": "Uji", "#email": "form@example.org"}, "click": "#daftar button[type=submit]"}], "ends": "auth/register"},
            {**register, "path": "en/register.html", "steps": [{"fill": {"#name": "Uji", "#email": "salah@"}, "click": "#daftar button[type=submit]"}], "ends": "auth/register"},
            {**mine, "steps": steps, "ends": "auth/key/view"},
            {**mine, "path": "en/my-key.html", "status": [401], "steps": [{"fill": {"#key": other}, "click": "form[action$='key/view'] button"}], "ends": "auth/key/view"},
            {**mine, "steps": steps + revoke, "ends": "auth/key/revoke"},
            {**mine, "steps": steps + rotate, "ends": "auth/key/rotate"},
        ]

    def wanted(self):
        pages = self.pages()
        looks = [{"path": p, "looks": self.looks_of(p)} for p in pages]
        looks = [entry for entry in looks if entry["looks"]]
        plain = [{"path": p, "scripts": False, "looks": ["dark"]} for p in ("index.html", "katalog/kumuh.html", "katalog/kumuh/index.html", "penjelajah.html", "status.html", "daftar.html", "rilis.html")]
        tabs = [{"path": f"katalog/proyek.html#{tab}", "looks": ["light", "dark"]} for tab in ("tabel", "grafik", "api", "versi", "tentang")]  # what is hidden is not looked at
        api = [{"path": p, "looks": ["light", "dark"]} for p in self.of_the_api()]
        errors = [{"path": p, "status": [404], "looks": ["light", "dark"]} for p in ("tidak/ada/di/sini", "en/tidak-ada")]
        return looks + plain + tabs + api + errors

    def test_in_a_browser(self):
        """No violation, nothing on the console, nothing asked of anybody else, no scrolling sideways at 320 px."""
        key = self.register("axe@example.org")
        entries = self.wanted() + self.of_the_gateway(key, portallib.gatewaylib.make_key())
        (self.dir / "list.json").write_text(json.dumps(entries))
        began = time.monotonic()
        found = self.node("quality.mjs", self.dir / "list.json", timeout=1800)
        print(f"axe: {found['pages']} pages, {found['looks']} looks in {time.monotonic() - began:.0f} s")
        self.assertEqual(found["pages"], len(entries))
        self.assertEqual(found["faults"], [], "\n" + "\n".join(found["faults"][:40]))

    def nu(self, files, *options):
        """Errors of the Nu HTML checker; nothing is fetched."""
        jar = portallib.MODULES / "node_modules/vnu-jar/build/dist/vnu.jar"
        if not jar.exists() or portallib.shutil.which("java") is None:
            self.skipTest("the Nu HTML checker or Java is not installed: sh tools/setup.sh full")
        command = ["java", "-Xss2m", "-XX:+UseSerialGC", "-jar", jar, "--format", "json", "--exit-zero-always", "--stdout", *options, *files]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        messages = json.loads(done.stdout)["messages"]
        errors = [m for m in messages if m["type"] != "info"]
        return [f"{urllib.parse.unquote(m['url']).rpartition('/site')[2]}:{m.get('lastLine')}: {m['message']} {m.get('extract', '')!r}" for m in errors
                if not any(re.search(pattern, m["message"]) for pattern, _ in NOT_OURS)]

    def test_html(self):
        """All pages, also those of the API; and what the gateway answers, saved."""
        files = [p for p in sorted(self.site.rglob("*.html")) if not str(p.relative_to(self.site)).startswith("service/") and not self.is_one_more_place(str(p.relative_to(self.site)))]
        self.assertGreater(len(files), 100)
        answers = self.dir / "answers"
        answers.mkdir()
        key = self.register("nu@example.org")
        asked = [("auth/register", {"name": "Nu & <b>", "email": "nu-form@example.org", "lang": "id"}), ("auth/register", {"name": "", "email": "x", "lang": "en"}),
                 ("auth/key/view", {"key": key, "lang": "id"}), ("auth/key/revoke", {"key": key, "lang": "en"}), ("auth/key/rotate", {"key": key, "lang": "en"}),
                 ("auth/key/view", {"key": "x", "lang": "en"})]
        for i, (path, fields) in enumerate(asked):
            body = urllib.parse.urlencode(fields)
            answer = self.gateway.curl(f"/{path}", "-X", "POST", "-H", BROWSER, "-H", "Content-Type: application/x-www-form-urlencoded", "--data", body)
            self.assertTrue(answer.get("content-type").startswith("text/html"), answer)
            (answers / f"{i}.html").write_bytes(answer.body)
        began = time.monotonic()
        errors = self.nu([*files, *sorted(answers.iterdir())])
        print(f"Nu: {len(files)} pages and {len(asked)} answers in {time.monotonic() - began:.0f} s")
        self.assertEqual(errors, [], f"{len(errors)} errors\n" + "\n".join(errors[:20]))

    def test_pictures(self):
        files = sorted(self.site.rglob("*.svg"))
        self.assertGreater(len(files), 20)
        errors = self.nu(files, "--svg")
        self.assertEqual(errors, [], "\n".join(errors[:20]))

    def test_checkers_find_faults(self):
        """They are there, and they look: a page with faults has them found."""
        bad = self.dir / "bad.html"
        bad.write_text('<!doctype html><html lang="id"><head><title>x</title></head><body><p><div></p><img src="x.png"></body></html>')
        self.assertTrue(self.nu([bad]))


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "deep"], verbosity=2)
