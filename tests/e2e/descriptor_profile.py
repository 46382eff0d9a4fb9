"""Every descriptor keeps the published Data Package v2 profile (rules of datapackage.org/profiles/2.0/datapackage.json, told anew)."""
import json
import re
import unittest

import odp

PATH = re.compile(r"(?=[^./~])(?!file:)((?!/\.\./)(?!\\)(?!://).)*|(http|ftp)s?://.*")
FLAGS = {"required": bool, "unique": bool}
SPAN = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
NUMBER = dict(FLAGS, **{k: (str, int, float) for k in SPAN})
INTEGER = dict(FLAGS, **{k: (str, int) for k in SPAN})
TEXT = dict(FLAGS, **{k: str for k in SPAN})
TYPES = {
    "string": dict(FLAGS, pattern=str, minLength=int, maxLength=int), "number": NUMBER, "integer": INTEGER, "year": INTEGER,
    "date": TEXT, "time": TEXT, "datetime": TEXT, "yearmonth": TEXT, "duration": TEXT, "boolean": {"required": bool},
    "geopoint": FLAGS, "geojson": FLAGS, "object": FLAGS, "array": FLAGS, "any": FLAGS,
}
FORMATS = {"string": {"default", "email", "uri", "binary", "uuid"}}
OPTIONS = {"decimalChar": {"number"}, "groupChar": {"number", "integer"}, "bareNumber": {"number", "integer"},
           "trueValues": {"boolean"}, "falseValues": {"boolean"}, "categories": {"string", "integer"}}
DIALECT = {"delimiter": str, "lineTerminator": str, "quoteChar": str, "doubleQuote": bool, "header": bool, "headerRows": list,
           "headerJoin": str, "commentRows": list, "commentChar": str, "escapeChar": str, "nullSequence": str, "skipInitialSpace": bool}


class Profile(unittest.TestCase):
    def texts(self, o, *names):
        for name in names:
            if name in o:
                self.assertIsInstance(o[name], str, name)

    def field(self, f):
        kind = f["type"]  # without one a field fits two branches of the profile
        self.texts(f, "name", "title", "description", "format", "example", "rdfType")
        self.assertIn(kind, TYPES)
        if "format" in f and kind not in ("date", "time", "datetime"):
            self.assertIn(f["format"], FORMATS.get(kind, {"default"}))
        for name, allowed in OPTIONS.items():
            if name in f:
                self.assertIn(kind, allowed, name)
        for name, value in f.get("constraints", {}).items():
            if name == "enum":
                self.assertEqual(len({json.dumps(v) for v in value}), len(value))
                self.assertTrue(value, "enum has at least one value")
                self.assertEqual(len({type(v) for v in value}), 1)
                continue
            self.assertIn(name, TYPES[kind], f["name"])
            self.assertIsInstance(value, TYPES[kind][name], f"{f['name']}.{name}")
        categories = f.get("categories", [])
        self.assertLessEqual(len({type(c) for c in categories}), 1, "categories are all values or all objects")
        for c in categories:
            value = c["value"] if isinstance(c, dict) else c
            self.assertIsInstance(value, str if kind == "string" else int)
            if isinstance(c, dict):
                self.texts(c, "value", "label")

    def schema(self, s):
        names = [f["name"] for f in s["fields"]]
        self.assertEqual(len(set(names)), len(names))
        for f in s["fields"]:
            with self.subTest(field=f["name"]):
                self.field(f)
        if "fieldsMatch" in s:
            self.assertIsInstance(s["fieldsMatch"], list)  # the text of the standard says a string; the profile 2.0 takes none
            self.assertLessEqual(set(s["fieldsMatch"]), {"exact", "equal", "subset", "superset", "partial"})
        for key in [s.get("primaryKey", []), *s.get("uniqueKeys", [])]:
            self.assertLessEqual(set(key), set(names))
        for fk in s.get("foreignKeys", []):
            self.assertLessEqual(set(fk["fields"]), set(names))
            self.assertEqual(type(fk["fields"]), type(fk["reference"]["fields"]))
        for m in s.get("missingValues", []):
            self.assertIsInstance(m, str)

    def people(self, package):
        for licence in package.get("licenses", []):
            self.assertRegex(licence["name"], r"^[-a-zA-Z0-9._]+$")
            self.assertRegex(licence["path"], PATH)
        for person in package.get("contributors", []):
            self.texts(person, "title", "path", "email", "organization")
            self.assertTrue(all(isinstance(r, str) for r in person["roles"]) and person["roles"])
        for source in package.get("sources", []):
            self.texts(source, "title", "path", "email", "version")
            self.assertTrue(source)

    def package(self, path):
        package = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(package["$schema"], "https://datapackage.org/profiles/2.0/datapackage.json")
        self.assertEqual(package["name"], path.parent.name)
        self.texts(package, "title", "description", "homepage", "version", "created", "image")
        keywords = package.get("keywords", ["may be absent"])
        self.assertTrue(keywords and all(isinstance(k, str) for k in keywords))
        self.people(package)
        self.assertTrue(package["resources"])
        for r in package["resources"]:
            self.assertNotIn("data", r)
            self.assertEqual(r["type"], "table")
            self.assertTrue(PATH.fullmatch(r["path"]))
            self.texts(r, "name", "title", "description", "format", "mediatype", "encoding", "hash")
            self.assertRegex(r.get("mediatype", "text/csv"), r"^(.+)/(.+)$")
            self.assertRegex(r.get("hash", ""), r"^([^:]+:[a-fA-F0-9]+|[a-fA-F0-9]{32}|)$")
            self.assertIsInstance(r.get("bytes", 0), int)
            for name, value in r.get("dialect", {}).items():
                self.assertIsInstance(value, DIALECT[name])
            self.schema(r["schema"])
        for o in [package, *package["resources"], *(f for r in package["resources"] for f in r["schema"]["fields"])]:
            for name in o:
                self.assertRegex(name, r"^(\$schema|[a-z][A-Za-z0-9]*|[a-z]+:[A-Za-z]+)$")

    def test_all(self):
        found = [p for folder in ("catalog", "templates/catalog") for p in sorted((odp.SOURCE / folder).glob("**/dataset.json"))]
        self.assertGreater(len(found), 5)
        for path in found:
            with self.subTest(path.parent.name):
                self.package(path)

    def test_both_languages(self):
        """Titles and descriptions are there in Indonesian and English, and are not the same sentence."""
        for path in (odp.SOURCE / "catalog").glob("*/dataset.json"):
            package = json.loads(path.read_text(encoding="utf-8"))
            fields = [f for r in package["resources"] for f in r["schema"]["fields"]]
            self.assertTrue(package["keywords"] and package["licenses"] and package["contributors"], path)
            for o in [package, *fields]:
                text = o["odp:description"]
                self.assertTrue(text["id"] and text["en"] and text["id"] != text["en"], f"{path}: {o['name']}")
                self.assertTrue(o["title"] and o["description"] == text["id"])
            for r in package["resources"]:
                for rule in r.get("odp:rules", []):
                    self.assertEqual(set(rule["message"]), {"id", "en"})


if __name__ == "__main__":
    unittest.main()
