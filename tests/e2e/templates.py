"""The catalogue's own templates/: a page, a part and words that win over ours file by file; and what happens when they are wrong."""
import json

import odp

PAGE = """{{> head}}
<h1>{{w.templates_test}}</h1>
<p id="proof" title="{{title}}">{{lang}} {{site.publisher}}</p>
{{> proof}}
{{> foot}}
"""


class Templates(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue()
        self.dataset("data", "kode,luas\na,1\n", [{"name": "kode", "type": "string"}, {"name": "luas", "type": "number"}])
        self.release("2.6.0")
        self.templates = self.dir / "catalog" / "templates"

    def put(self, path, text):
        target = self.templates / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if isinstance(text, str) else json.dumps(text))

    def build(self, expect=0):
        return self.report("build", "--catalog", "catalog", "--out", "site", expect=expect)

    def page(self, name):
        return (self.dir / "site" / name).read_text()

    def test_what_the_catalogue_has_wins(self):
        self.build()
        ours = self.page("rilis.html")
        self.put("pages/home.html", PAGE)
        self.put("parts/proof.html", "<p>bukti &amp; {{path}}</p>\n")
        self.put("words/kami.json", {"templates_test": {"id": "Milik <kami>", "en": "Of <ours>"}})
        self.build()
        home, english = self.page("index.html"), self.page("en/index.html")
        self.assertIn("<h1>Milik &lt;kami&gt;</h1>", home)
        self.assertIn("<h1>Of &lt;ours&gt;</h1>", english)
        self.assertIn("<p>bukti &amp; index.html</p>", home)
        self.assertEqual(home.count('id="proof"'), 1)
        self.assertEqual(self.page("rilis.html"), ours)  # a page that was not touched is ours still
        # a part that ours use is another in every page
        self.put("parts/foot.html", "</main><footer>kaki {{site.title}}</footer></body></html>\n")
        self.build()
        for path in ("index.html", "en/index.html", "rilis.html"):
            self.assertIn("<footer>kaki ", self.page(path))
        # and away again
        for path in ("pages/home.html", "parts/proof.html", "parts/foot.html", "words/kami.json"):
            (self.templates / path).unlink()
        self.build()
        self.assertEqual(self.page("rilis.html"), ours)

    def test_faults_leave_the_site_alone(self):
        self.build()
        before = (self.dir / "site").resolve()
        kinds = {
            "<h1>{{titel}}</h1>": (1, 5, "“titel”"),
            "<p>\n{{#site.logo}}": (2, 1, "{{/site.logo}}"),
            "{{/site}}": (1, 1, "{{/site}}"),
            "{{#site}}{{#other}}{{/site}}{{/other}}": (1, 20, "{{#other}}"),
            "{{> tidak}}": (1, 1, "parts/tidak.html"),
            "{{w.tidak}}": (1, 1, "“tidak”"),
            "<a href={{path}}>": (1, 9, 'href="{{path}}"'),
            "<p style=\"color:{{lang}}\">": (1, 17, "style"),
            "<p title=\"{{#is_home}}x\"{{/is_home}}>": (1, 11, "{{#is_home}}"),
            "x {{title} y": (1, 3, "}}"),
        }
        for text, (line, column, says) in kinds.items():
            self.put("pages/home.html", text)
            for lang in ("id", "en"):
                with self.subTest(text=text, lang=lang):
                    report = self.report("build", "--catalog", "catalog", "--out", "site", "--lang", lang, expect=None)
                    found = report["diagnostics"]
                    self.assertEqual([d["code"] for d in found], ["ODP-C25"])
                    self.assertEqual((found[0]["line"], found[0]["column"]), (line, column))
                    self.assertTrue(found[0]["file"].endswith("templates/pages/home.html"))
                    self.assertIn(says, json.dumps(found[0]["message"], ensure_ascii=False).replace('\\"', '"'))
            self.assertEqual((self.dir / "site").resolve(), before)
        done = self.odp("build", "--catalog", "catalog", "--out", "site", expect=2)
        self.assertIn("ODP-C25", done.stderr)

    def test_a_part_is_told_of_once(self):
        self.build()
        self.put("parts/foot.html", "{{> head}}{{> foot}}</body>")
        report = self.build(expect=2)
        cycles = [d for d in report["diagnostics"] if "foot → foot" in json.dumps(d, ensure_ascii=False)]
        self.assertEqual(len(cycles), 1)


if __name__ == "__main__":
    odp.unittest.main()
