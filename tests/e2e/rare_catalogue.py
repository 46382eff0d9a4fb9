"""Mistakes in a catalogue that are rarer than those of tests/cases: lists that are too long, names twice, members of another kind, files that cannot be read.
Each is told once, with its code, the file it is in, and what was expected; and the same catalogue without it passes."""
import copy
import json

import odp

TEXT = {"id": "Teks", "en": "Text"}
TIER = {"name": "umum", "title": TEXT, "daily": 10, "burst": 1, "concurrent": 1}
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}, {"name": "bentuk", "type": "object"}]


def rule(n, **more):
    return {"code": f"aturan-{n}", "message": TEXT, "each": "satu", "group": ["kode"], "expr": "jumlah > 0", "select": {"jumlah": "count()"}, **more}


class Catalogue(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("satu", "kode,nilai,bentuk\na,1,\nb,2,\n", FIELDS)
        self.dataset("dua", "kode,nilai,bentuk\na,1,\nb,2,\n", FIELDS)
        self.path("rules.json").write_text(json.dumps({"rules": [rule(1)]}))
        self.path("theme.json").write_text(json.dumps({"light": {"accent": "#0b57d0"}}))
        self.assertEqual(self.faults(expect=0), [])

    def path(self, name):
        return self.dir / "catalog" / name

    def faults(self, expect):
        report = self.report("check", "--lang", "en", "--today", "2024-03-21", "--examples", "1000", expect=expect)
        return [d for d in report["diagnostics"] if d["severity"] == "error"]

    def one(self, name, edit, code, *words):
        """The file NAME of the catalogue, changed by EDIT (of its JSON), has one fault, CODE, which says WORDS."""
        path = self.path(name)
        whole = path.read_bytes() if path.exists() else None
        data = json.loads(whole) if whole else {}
        data = edit(copy.deepcopy(data)) or data
        path.write_text(json.dumps(data, indent=1))
        with self.subTest(f"{name} {code} {words}"):
            found = self.faults(expect=2)
            self.assertEqual([d["code"] for d in found], [code], found)
            fault = next(d for d in found if d["code"] == code)
            self.assertEqual(fault["file"], f"catalog/{name}")
            self.assertGreater(fault["line"], 0)
            said = " ".join(filter(None, (fault["message"], fault["value"], fault["help"])))
            for word in words:
                self.assertIn(word, said)
        if whole is None:
            path.unlink()
        else:
            path.write_bytes(whole)

    def set(self, *keys, to):
        """An edit: the member that KEYS lead to is TO."""
        def edit(data):
            at = data
            for key in keys[:-1]:
                at = at[key]
            if isinstance(at, list) and keys[-1] == len(at):
                at.append(to)
            else:
                at[keys[-1]] = to
            return data
        return edit

    def portal(self, *keys, to, code, words=()):
        self.one("portal.json", self.set(*keys, to=to), code, *words)

    def test_portal(self):
        self.portal("timeZone", to="Asia/Bandung", code="ODP-C05", words=["Asia/Makassar"])
        self.portal("security", "contact", to=[], code="ODP-C04", words=["[…] ≥ 1"])
        self.portal("security", "contact", to=["telepon 021"], code="ODP-C05")
        self.portal("contact", "url", to="javascript:alert(1)", code="ODP-C05")
        self.portal("tiers", to=[TIER, TIER], code="ODP-C08", words=["umum"])
        self.portal("tiers", to=[dict(TIER, name=f"t{k}") for k in range(101)], code="ODP-C04", words=["[…] ≤ 100"])
        self.portal("subjects", to=[{"name": f"s{k}", "title": TEXT} for k in range(101)], code="ODP-C04", words=["[…] ≤ 100"])
        self.portal("bbox", to=[1, 2, 3], code="ODP-C04")

    def test_as_many_as_there_may_be(self):
        portal = odp.read_json(self.path("portal.json"))
        portal["tiers"] = [dict(TIER, name=f"t{k}") for k in range(100)]
        portal["subjects"] = [{"name": f"s{k}", "title": TEXT} for k in range(100)]
        self.path("portal.json").write_text(json.dumps(portal))
        self.assertEqual(self.faults(expect=0), [])
        portal["tiers"] = []
        self.path("portal.json").write_text(json.dumps(portal))
        self.assertEqual(self.faults(expect=0), [])

    def test_releases(self):
        release = {"version": "1.0.0", "date": "2024-01-01", "changes": [TEXT]}
        self.one("changes.json", self.set("releases", to=[release, release]), "ODP-C08", "1.0.0")
        self.one("changes.json", self.set("releases", to=[dict(release, version="1.0")]), "ODP-C04", "2.5.0")
        self.one("changes.json", self.set("releases", to=[dict(release, version=f"1.0.{k}") for k in range(10001)]), "ODP-C04", "[…] ≤ 10000")

    def test_theme(self):
        self.one("theme.json", self.set("logo", to="tidak-ada.svg"), "ODP-C02", "tidak-ada.svg", "no such file")
        self.one("theme.json", self.set("logo", to="../logo.svg"), "ODP-C13")
        self.one("theme.json", self.set("css", to="sub/gaya.css"), "ODP-C13")
        self.path("gaya.css").write_text("a{}" * 400000)
        self.one("theme.json", self.set("css", to="gaya.css"), "ODP-C26", "gaya.css", "KiB")
        self.path("logo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")
        self.one("theme.json", self.set("logo", to="logo.svg"), "ODP-C26", "logo.svg")
        outside = self.dir / "rahasia.css"
        outside.write_text("a{}")
        self.path("luar.css").symlink_to(outside)
        self.one("theme.json", self.set("css", to="luar.css"), "ODP-C13")

    def test_rules_over_several_datasets(self):
        def rules(*list_, code, words=()):
            self.one("rules.json", self.set("rules", to=list(list_)), code, *words)
        join = {"table": "dua", "on": {"kode": "kode"}, "as": "lain"}
        rules(*[rule(k) for k in range(1001)], code="ODP-C04", words=["[…] ≤ 1000"])
        rules(rule(1), rule(1), code="ODP-C08", words=["aturan-1"])
        rules(rule(1, select={f"s{k}": "count()" for k in range(65)}), code="ODP-C04", words=["{…} ≤ 64"])
        rules(rule(1, join=[dict(join, **{"as": f"l{k}"}) for k in range(17)]), code="ODP-C04", words=["[…] ≤ 16"])
        rules(rule(1, group=["bentuk"]), code="ODP-C17", words=["object"])
        rules(rule(1, group=["tiada"]), code="ODP-C07", words=["tiada"])
        rules({k: v for k, v in rule(1).items() if k != "group"}, code="ODP-C03", words=["group"])
        self.one("rules.json", self.set("rules", to={}), "ODP-C04")

    def test_dataset(self):
        def dataset(*keys, to, code, words=()):
            self.one("satu/dataset.json", self.set(*keys, to=to), code, *words)
        schema = ("resources", 0, "schema")
        dataset("odp:subjects", to=[f"s{k}" for k in range(11)], code="ODP-C04", words=["[…] ≤ 10"])
        dataset(*schema, "primaryKey", to=["kode"] * 65, code="ODP-C04", words=["[…] ≤ 64"])
        dataset(*schema, "fields", 0, "required", to=True, code="ODP-C11", words=["constraints.required"])
        dataset(*schema, "fields", 0, "odp:sourceName", to=3, code="ODP-C04", words=["expected: text"])
        dataset(*schema, "fields", 0, "odp:sourceName", to="nilai", code="ODP-C08", words=["nilai"])
        dataset(*schema, "fields", 1, "groupChar", to="5", code="ODP-C05", words=[". , ' _"])
        dataset(*schema, "fields", 1, "groupChar", to=".", code="ODP-C16", words=["decimalChar"])
        many = FIELDS + [{"name": f"f{k}", "type": "string"} for k in range(1846)]
        dataset(*schema, "fields", to=many, code="ODP-C04", words=["[…] ≤ 1848"])
        dataset("sdi:kegiatan", to=[], code="ODP-C29", words=["{…}"])
        dataset("sdi:indikator", to={}, code="ODP-C29", words=["[{…}]"])
        dataset("description", to="x" * (1 << 20) + "x", code="ODP-C18", words=["1048576"])

    def test_texts_of_a_mebibyte(self):
        self.one("portal.json", self.set("legalBasis", to=dict(TEXT, id="x" * ((1 << 20) + 1))), "ODP-C18", "1048576")


if __name__ == "__main__":
    odp.main()
