"""The release gate: a catalogue is published, then changed in each way; what release it then needs, what must have been announced, what is said."""
import copy
import datetime
import json
import re
import shutil

import odp

FIELDS = [{"name": "kode", "type": "string", "constraints": {"required": True}},
          {"name": "nama", "type": "string", "title": "Nama"},
          {"name": "luas", "type": "number", "sdi:satuan": "hektare"},
          {"name": "tingkat", "type": "string", "categories": ["ringan", "berat"]}]
WINDOW = {"odp:deprecated": "2024-04-01", "odp:sunset": "2024-12-31"}
NONE, PATCH, MINOR, MAJOR = "none", "patch", "minor", "major"
NUMBERS = {NONE: "2.5.0", PATCH: "2.5.1", MINOR: "2.6.0", MAJOR: "3.0.0"}


def package(slug, more=None, **members):
    tables = [{"name": slug, "type": "table", "path": "data.csv", "schema": {"fields": copy.deepcopy(FIELDS), "primaryKey": ["kode"]}}]
    if slug == "kawasan":
        tables.append({"name": "waktu", "type": "table", "path": "waktu.csv", "title": "Waktu",
                       "schema": {"fields": [{"name": "kode", "type": "string"}, {"name": "tahun", "type": "year"}]}})
    return {"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": slug, "title": {"id": slug, "en": slug + " (en)"},
            "description": "Uraian", "odp:formats": ["CSV", "JSON"], "odp:lastUpdate": "2024-03-15", "resources": tables, **members}


class Catalogue:
    """Descriptors in memory; written when they are built."""

    def __init__(self):
        self.packages = {slug: package(slug) for slug in ("kawasan", "lain")}
        self.releases = ["2.5.0"]
        self.license = "CC-BY-4.0"
        self.values = {"kode": "a", "tahun": "2020", "luas": "1.5", "tingkat": "ringan", "jumlah": "7"}

    def copy(self):
        return copy.deepcopy(self)

    def table(self, slug="kawasan", n=0):
        return self.packages[slug]["resources"][n]

    def fields(self, slug="kawasan", n=0):
        return self.table(slug, n)["schema"]["fields"]

    def field(self, name, slug="kawasan", n=0):
        return next(f for f in self.fields(slug, n) if f["name"] == name)

    def remove(self, name, slug="kawasan", n=0):
        self.fields(slug, n).remove(self.field(name, slug, n))

    def rename(self, slug, to, **members):
        p = self.packages.pop(slug)
        p["name"] = to
        p.update(members)
        self.packages[to] = p

    def write(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        portal = odp.read_json(odp.SOURCE / "tests/cases/_common/portal.json")
        portal["license"]["name"] = self.license
        (folder / "portal.json").write_text(json.dumps(portal))
        if self.releases is not None:
            (folder / "changes.json").write_text(json.dumps({"releases": [
                {"version": v, "date": "2024-03-15", "changes": [{"id": "Perubahan", "en": "Changes"}]} for v in self.releases]}))
        for slug, p in self.packages.items():
            (folder / slug).mkdir(parents=True)
            (folder / slug / "dataset.json").write_text(json.dumps(p))
            for table in p["resources"]:
                names = [f["name"] for f in table["schema"]["fields"]]
                rows = [names, [self.values.get(n, "x") for n in names]]
                (folder / slug / table["path"]).write_text("".join(",".join(r) + "\n" for r in rows))


# name, change, [(level, kind, dataset, resource, field)], and whether the announcement is missing
def change_field(name, **members):
    return lambda c: c.field(name).update(members)


def retype(c):
    c.field("luas").update(type="string")


def rename_field(c):
    c.field("nama").update({"name": "nama_kawasan", "odp:formerNames": ["nama"]})


def rename_dataset(c):
    c.rename("lain", "baru", **{"odp:formerSlugs": [{"slug": "lain", "sunset": "2025-12-31"}]})


def reorder(c):
    c.fields()[1], c.fields()[3] = c.fields()[3], c.fields()[1]


def new_table(c):
    c.packages["lain"]["resources"].append({"name": "tambahan", "type": "table", "path": "t.csv",
                                            "schema": {"fields": [{"name": "kode", "type": "string"}]}})


def new_list(c):
    fields = [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}]
    edition = {"name": "2025", "type": "table", "path": "2025.csv", "odp:editionDate": "2025-01-01", "schema": {"fields": fields, "primaryKey": ["kode"]}}
    c.packages["references/daftar"] = {"name": "daftar", "title": "Daftar", "resources": [edition]}


def member(slug, **members):
    return lambda c: c.packages[slug].update(members)


MATRIX = [
    ("nothing", lambda c: None, []),
    ("data", lambda c: c.values.update(nama="lain"), []),
    ("field added", lambda c: c.fields().append({"name": "jumlah", "type": "integer"}), [(MINOR, "field-added", "kawasan", "jumlah")]),
    ("field removed", lambda c: c.remove("luas"), [(MAJOR, "field-removed", "kawasan", "luas"), "V22"]),
    ("field renamed", rename_field, [(MAJOR, "field-renamed", "kawasan", "nama_kawasan"), "V22"]),
    ("field made private", change_field("luas", **{"sdi:aksesPublik": False}), [(MAJOR, "field-removed", "kawasan", "luas"), "V22"]),
    ("type", retype, [(MAJOR, "field-type", "kawasan", "luas")]),
    ("unit", change_field("luas", **{"sdi:satuan": "meter persegi"}), [(MAJOR, "field-unit", "kawasan", "luas")]),
    ("key", lambda c: c.table()["schema"].update(primaryKey=["kode", "nama"]), [(MAJOR, "key", "kawasan", None)]),
    ("category added", change_field("tingkat", categories=["ringan", "sedang", "berat"]), [(MINOR, "category-added", "kawasan", "tingkat")]),
    ("field deprecated", change_field("luas", **WINDOW, **{"odp:replacedBy": "nama"}), [(PATCH, "field-deprecated", "kawasan", "luas")]),
    ("field's title", change_field("nama", title="Nama kawasan"), [(PATCH, "field-wording", "kawasan", "nama")]),
    ("order", reorder, [(PATCH, "field-order", "kawasan", None)]),
    ("dataset added", lambda c: c.packages.update(baru=package("baru")), [(MINOR, "dataset-added", "baru", None)]),
    ("code list added", new_list, []),
    ("draft added", lambda c: c.packages.update(baru=package("baru", **{"odp:status": "draft"})), []),
    ("dataset removed", lambda c: c.packages.pop("lain"), [(MAJOR, "dataset-removed", "lain", None), "V22"]),
    ("dataset made a draft", member("lain", **{"odp:status": "draft"}), [(MAJOR, "dataset-removed", "lain", None), "V22"]),
    ("dataset withdrawn", member("lain", **{"odp:status": "withdrawn"}), [(MAJOR, "dataset-withdrawn", "lain", None)]),
    ("dataset renamed", rename_dataset, [(MAJOR, "dataset-renamed", "baru", None)]),
    ("dataset deprecated", member("lain", **WINDOW, **{"odp:status": "deprecated", "odp:replacedBy": "kawasan"}),
     [(PATCH, "dataset-deprecated", "lain", None)]),
    ("table added", new_table, [(MINOR, "resource-added", "lain", None)]),
    ("table removed", lambda c: c.packages["kawasan"]["resources"].pop(), [(MAJOR, "resource-removed", "kawasan", None), "V22"]),
    ("table deprecated", lambda c: c.table(n=1).update(WINDOW, **{"odp:replacedBy": None, "odp:note": "Tidak diperbarui"}),
     [(PATCH, "resource-deprecated", "kawasan", None)]),
    ("table's title", lambda c: c.table(n=1).update(title="Garis waktu"), [(PATCH, "resource-title", "kawasan", None)]),
    ("format added", lambda c: c.packages["lain"]["odp:formats"].append("Excel"), [(MINOR, "format-added", "lain", None)]),
    ("format removed", lambda c: c.packages["lain"]["odp:formats"].pop(), [(MAJOR, "format-removed", "lain", None)]),
    ("title", member("lain", title={"id": "lain", "en": "other"}), [(PATCH, "dataset-title", "lain", None)]),
    ("description", member("lain", description="Uraian lain"), [(PATCH, "dataset-description", "lain", None)]),
    ("licence", lambda c: setattr(c, "license", "CC0-1.0"), [(PATCH, "dataset-license", "kawasan", None), (PATCH, "dataset-license", "lain", None)]),
]
LEVELS = [NONE, PATCH, MINOR, MAJOR]


class ReleaseGate(odp.Case):
    def setUp(self):
        super().setUp()
        self.base = Catalogue()
        self.n = 0

    def build(self, catalogue, previous=None, today="2024-05-01", expect=0, lang="id", out=None):
        self.n += 1
        for p in catalogue.packages.values():
            p["odp:lastUpdate"] = str(datetime.date(2024, 1, 1) + datetime.timedelta(self.n))  # what changes is a new version
        catalogue.write(self.dir / "catalog")
        out = out or f"site-{self.n}"
        more = ["--previous", previous] if previous else []
        done = self.odp("build", "--out", out, "--today", today, "--report", "json", "--quiet", "--lang", lang, *more, expect=expect)
        self.last = json.loads(done.stdout)
        return out

    def said(self, code):
        return [d for d in self.last["diagnostics"] if d["code"] == "ODP-" + code]

    def findings(self, code):
        return sorted((d.get("rule"), d.get("dataset"), d.get("field")) for d in self.said(code))

    def test_matrix(self):
        first = self.build(self.base)
        self.assertEqual(self.last["diagnostics"], [])
        for name, change, expected in MATRIX:
            window = "V22" in expected
            expected = [e for e in expected if e != "V22"]
            needed = max((e[0] for e in expected), key=LEVELS.index, default=NONE)
            for given in LEVELS[max(LEVELS.index(needed) - 1, 0):LEVELS.index(needed) + 1]:
                with self.subTest(name, given=given):
                    c = self.base.copy()
                    change(c)
                    c.releases = ["2.5.0"] + [NUMBERS[given]] * (given != NONE)
                    enough = LEVELS.index(given) >= LEVELS.index(needed)
                    self.build(c, first, expect=0 if enough and not window else 1)
                    asked = [] if enough else [e for e in expected if LEVELS.index(e[0]) > LEVELS.index(given)]
                    self.assertEqual(self.findings("V20"), sorted((e[1], e[2], e[3]) for e in asked))
                    for d in self.said("V20"):
                        self.assertIn(NUMBERS[needed], d["help"])
                    self.assertEqual(self.findings("V22"), sorted((e[1], e[2], e[3]) for e in expected) if window else [])

    def test_wording(self):
        """Exactly what a steward reads."""
        first = self.build(self.base)
        c = self.base.copy()
        c.remove("luas")
        expected = {
            "id": {"ODP-V20": ("kolom luas dihapus; diharapkan: rilis 3.0.0 atau lebih tinggi dalam changes.json (perubahan major)",
                               "tambahkan rilis 3.0.0 dengan tanggal dan uraiannya ke changes.json, atau kembalikan perubahannya"),
                   "ODP-V22": ("kolom luas dihapus tanpa diumumkan lebih dahulu; diharapkan: diumumkan dalam situs yang terbit (odp:deprecated, "
                               "odp:sunset), dan odp:sunset tidak setelah 2024-05-01",
                               "kembalikan, umumkan dengan odp:deprecated, odp:sunset dan odp:replacedBy, terbitkan, dan hapus setelah harinya")},
            "en": {"ODP-V20": ("field luas was removed; expected: release 3.0.0 or higher in changes.json (a major change)",
                               "add release 3.0.0 with its date and what changes to changes.json, or take the change back"),
                   "ODP-V22": ("field luas was removed without having been announced; expected: announced in the published site "
                               "(odp:deprecated, odp:sunset), with odp:sunset not after 2024-05-01",
                               "bring it back, announce it with odp:deprecated, odp:sunset and odp:replacedBy, publish, and remove it after that day")},
        }
        for lang, texts in expected.items():
            self.build(c, first, expect=1, lang=lang)
            self.assertEqual({d["code"]: (d["message"], d["help"]) for d in self.last["diagnostics"]}, texts)
            for d in self.last["diagnostics"]:
                self.assertEqual((d["dataset"], d["resource"], d["field"]), ("kawasan", "kawasan", "luas"))
                self.assertEqual(d["file"], "catalog/kawasan/dataset.json")

    def test_several_at_once_need_the_highest(self):
        first = self.build(self.base)
        c = self.base.copy()
        c.fields().append({"name": "jumlah", "type": "integer"})
        c.field("nama")["title"] = "Nama kawasan"
        c.packages["lain"]["odp:formats"].pop()
        self.build(c, first, expect=1)
        self.assertEqual(self.findings("V20"), [("field-added", "kawasan", "jumlah"), ("field-wording", "kawasan", "nama"),
                                                ("format-removed", "lain", None)])
        self.assertEqual({d["help"] for d in self.said("V20")},
                         {"tambahkan rilis 3.0.0 dengan tanggal dan uraiannya ke changes.json, atau kembalikan perubahannya"})
        c.releases.append("2.6.0")  # enough for the field, not for the format
        self.build(c, first, expect=1)
        self.assertEqual(self.findings("V20"), [("format-removed", "lain", None)])
        c.releases.append("3.0.0")
        self.build(c, first)

    def test_numbers(self):
        """What counts is the published number: changes.json may hold the new one for long."""
        first = self.build(self.base)
        c = self.base.copy()
        c.releases.append("2.6.0")
        second = self.build(c, first)
        c.fields().append({"name": "jumlah", "type": "integer"})
        self.build(c, second, expect=1)  # 2.6.0 was published without that field
        self.assertIn("2.7.0", self.said("V20")[0]["help"])
        for version, least in (("2.6.9", "2.7.0"), ("2.10.0", None), ("10.0.0", None)):
            d = c.copy()
            d.releases.append(version)
            self.build(d, second, expect=0 if least is None else 1)
        c.releases = ["2.5.0"]
        self.build(c, second, expect=1)
        self.assertEqual([d["message"] for d in self.said("V21")],
                         ["rilis 2.5.0 dalam changes.json lebih rendah daripada yang terbit, 2.6.0; diharapkan: rilis 2.6.0 atau lebih tinggi"])
        self.assertEqual(self.said("V20"), [])
        c.releases = None
        self.build(c, second, expect=1)
        self.assertEqual(len(self.said("V21")), 1)

    def test_a_portal_without_releases_has_promised_none(self):
        self.base.releases = None
        first = self.build(self.base)
        c = self.base.copy()
        c.fields().append({"name": "jumlah", "type": "integer"})
        self.build(c, first)
        c.remove("luas")
        self.build(c, first, expect=1)
        self.assertEqual((self.findings("V20"), self.findings("V22")), ([], [("field-removed", "kawasan", "luas")]))

    def announced(self, change, releases=("2.5.0", "2.5.1")):
        """A site in which CHANGE was announced."""
        first = self.build(self.base)
        c = self.base.copy()
        change(c)
        c.releases = list(releases)
        return c, self.build(c, first)

    def test_windows(self):
        """Announced: refused the day before, allowed on the day; a smaller number is refused all the same."""
        ways = {
            "field": (change_field("luas", **WINDOW, **{"odp:replacedBy": "nama"}), lambda c: c.remove("luas"), "luas"),
            "rename": (change_field("nama", **WINDOW, **{"odp:replacedBy": "tingkat"}),
                       lambda c: (rename_field(c), [c.field("nama_kawasan").pop(k) for k in (*WINDOW, "odp:replacedBy")]), "nama_kawasan"),
            "table": (lambda c: c.table(n=1).update(WINDOW, **{"odp:replacedBy": None, "odp:note": "Selesai"}),
                      lambda c: c.packages["kawasan"]["resources"].pop(), None),
            "dataset": (member("lain", **WINDOW, **{"odp:status": "deprecated", "odp:replacedBy": "kawasan"}),
                        lambda c: c.packages.pop("lain"), None),
            "a field of such a dataset": (member("kawasan", **WINDOW, **{"odp:status": "deprecated", "odp:replacedBy": "lain"}),
                                          lambda c: c.remove("luas"), "luas"),
            "a field of such a table": (lambda c: c.table(n=1).update(WINDOW, **{"odp:replacedBy": None, "odp:note": "Selesai"}),
                                        lambda c: c.remove("tahun", n=1), "tahun"),
        }
        for name, (announce, remove, field) in ways.items():
            with self.subTest(name):
                c, second = self.announced(announce)
                remove(c)
                c.releases.append("3.0.0")
                self.build(c, second, today="2024-12-30", expect=1)
                self.assertEqual([d.get("field") for d in self.said("V22")], [field])
                self.assertIn("sebelum hari yang diumumkan, 2024-12-31", self.said("V22")[0]["message"])
                self.assertEqual(self.said("V20"), [])
                for today in ("2024-12-31", "2025-06-01"):
                    self.build(c, second, today=today)
                c.releases.pop()
                self.build(c, second, today="2024-12-31", expect=1)
                self.assertEqual((len(self.said("V22")), len(self.said("V20")) > 0), (0, True))

    def test_what_is_published_counts_not_what_the_catalogue_says_now(self):
        c, second = self.announced(change_field("luas", **WINDOW, **{"odp:replacedBy": "nama"}))
        earlier = c.copy()
        earlier.field("luas")["odp:sunset"] = "2024-06-01"
        earlier.releases.append("2.5.2")
        third = self.build(earlier, second)
        self.assertEqual([d["message"] for d in self.said("V24")],
                         ["odp:sunset dimajukan dari 2024-12-31 ke 2024-06-01; diharapkan: tanggal setelah 2024-05-01, dan tidak lebih awal "
                          "daripada yang sudah diumumkan"])
        past = self.base.copy()
        past.field("luas").update({"odp:deprecated": "2024-01-01", "odp:sunset": "2024-05-01", "odp:replacedBy": "nama"})
        past.releases.append("2.5.1")
        self.build(past, "site-1")
        self.assertEqual([(d["field"], "2024-05-01" in d["message"]) for d in self.said("V24")], [("luas", True)])
        later = c.copy()
        later.field("luas")["odp:sunset"] = "2025-12-31"
        later.releases.append("2.5.2")
        self.build(later, second)
        self.assertEqual(self.last["diagnostics"], [])
        self.assertTrue(third)

    def test_still_there_after_its_sunset(self):
        def announce(c):
            c.field("luas").update(WINDOW, **{"odp:replacedBy": "nama"})
            c.table(n=1).update(WINDOW, **{"odp:replacedBy": None, "odp:note": "Selesai"})
            c.packages["lain"].update(WINDOW, **{"odp:status": "deprecated", "odp:replacedBy": "kawasan"})
        c, second = self.announced(announce)
        self.assertEqual(self.said("V23"), [])
        c.packages["kawasan"]["odp:lastUpdate"] = "2024-12-31"
        self.build(c, second, today="2024-12-30")
        self.assertEqual(self.said("V23"), [])
        self.build(c, second, today="2024-12-31")
        self.assertEqual(sorted(d["message"] for d in self.said("V23")),
                         ["dataset lain boleh dihapus: odp:sunset 2024-12-31 sudah lewat", "kolom luas boleh dihapus: odp:sunset 2024-12-31 sudah lewat",
                          "tabel waktu boleh dihapus: odp:sunset 2024-12-31 sudah lewat"])

    def test_former_addresses(self):
        c, second = self.announced(rename_dataset, ("2.5.0", "3.0.0"))
        gone = c.copy()
        gone.packages["baru"].pop("odp:formerSlugs")
        gone.releases.append("3.0.1")
        self.build(gone, second, today="2025-12-30", expect=1)
        self.assertEqual(self.findings("V22"), [("address-removed", "baru", None)])
        self.assertIn("alamat lama lain tidak dialihkan lagi sebelum hari yang diumumkan, 2025-12-31", self.said("V22")[0]["message"])
        self.build(gone, second, today="2025-12-31")
        back = c.copy()  # the old name again, the new one as a former one: both addresses answer
        back.rename("baru", "lain", **{"odp:formerSlugs": [{"slug": "baru", "sunset": "2026-12-31"}]})
        back.releases.append("4.0.0")
        self.build(back, second)
        c.packages["baru"]["odp:status"] = "withdrawn"
        c.packages["baru"].pop("odp:formerSlugs")
        c.releases.append("4.0.0")
        self.build(c, second)

    def test_renamed_and_changed(self):
        """A renamed dataset is compared with what it was, and renaming is one finding."""
        first = self.build(self.base)
        c = self.base.copy()
        rename_dataset(c)
        c.fields("baru").append({"name": "jumlah", "type": "integer"})
        self.build(c, first, expect=1)
        self.assertEqual(self.findings("V20"), [("dataset-renamed", "baru", None), ("field-added", "baru", "jumlah")])

    def test_published_traces(self):
        """What was announced is in schema, index and control."""
        def announce(c):
            c.field("luas").update(WINDOW, **{"odp:replacedBy": "nama"})
            c.field("tingkat").update(WINDOW, **{"odp:replacedBy": None, "odp:note": {"id": "Tidak diukur lagi", "en": "No longer measured"}})
            c.table(n=1).update(WINDOW, **{"odp:replacedBy": "kawasan"})
            rename_dataset(c)
        _, site = self.announced(announce, ("2.5.0", "3.0.0"))
        site = self.dir / site
        schema = odp.read_json(site / "data/kawasan/latest/schema.json")
        fields = {f["name"]: f for f in schema["fields"]}
        self.assertEqual({k: v for k, v in fields["luas"].items() if k.startswith("odp:") and k != "odp:unit"}, {**WINDOW, "odp:replacedBy": "nama"})
        self.assertIsNone(fields["tingkat"]["odp:replacedBy"])
        self.assertEqual(fields["tingkat"]["odp:note"]["en"], "No longer measured")
        entries = {e["slug"]: e for e in odp.read_json(site / "v1/index.json")["data"]}
        self.assertEqual(entries["kawasan"]["deprecated_fields"],
                         [{"resource": "kawasan", "field": "luas", "deprecated": "2024-04-01", "sunset": "2024-12-31", "replacedBy": "nama"},
                          {"resource": "kawasan", "field": "tingkat", "deprecated": "2024-04-01", "sunset": "2024-12-31", "replacedBy": None}])
        self.assertEqual(entries["kawasan"]["resources"][1]["odp:sunset"], "2024-12-31")
        self.assertEqual(entries["baru"]["odp:formerSlugs"], [{"slug": "lain", "sunset": "2025-12-31"}])
        lines = [line.split("\t") for line in (site / "control").read_text().splitlines()]
        names = lines[0][1:]
        control = {line[0]: dict(zip(names, line[1:])) for line in lines[1:]}
        self.assertEqual(sorted(control), [line[0] for line in lines[1:]])
        link = '<https://data.example.go.id/data/kawasan/latest/schema.json>; rel="deprecation"; type="application/json"'
        self.assertEqual(control["v1/kawasan.json"]["link"], link)
        self.assertEqual(control["v1/kawasan.json"]["deprecation"], "-")
        self.assertEqual((control["v1/kawasan/waktu.json"]["deprecation"], control["v1/kawasan/waktu.json"]["sunset"]),
                         ("@1711929600", "Tue, 31 Dec 2024 00:00:00 GMT"))
        self.assertEqual(control["data/kawasan/latest/kawasan-waktu.csv"]["deprecation"], "@1711929600")
        self.assertEqual(control["data/kawasan/latest/kawasan.csv"]["deprecation"], "-")
        moved = {path: (line["state"], line["class"], line["sunset"], line["link"]) for path, line in control.items() if line["state"] == "moved"}
        sunset = "Wed, 31 Dec 2025 00:00:00 GMT"
        self.assertEqual(moved, {"v1/lain.json": ("moved", "keyed", sunset, "v1/baru.json"), "v1/lain/": ("moved", "keyed", sunset, "v1/baru/"),
                                 "data/lain/": ("moved", "public", sunset, "data/baru/")})

    def test_one_dataset_is_asked_for_its_own_changes_only(self):
        self.base.write(self.dir / "catalog")
        self.odp("build", "kawasan", "--out", "satu")
        self.odp("build", "kawasan", "--out", "satu")
        report = self.report("build", "--out", "satu", expect=1)
        self.assertEqual([(d["code"], d["dataset"]) for d in report["diagnostics"]], [("ODP-V20", "lain")])

    def test_human_report(self):
        first = self.build(self.base)
        c = self.base.copy()
        c.remove("luas")
        c.write(self.dir / "catalog")
        text = self.odp("build", "--out", "x", "--previous", first, "--today", "2024-05-01", "--no-color", "--lang", "en", expect=1).stderr
        self.assertRegex(text, r"error ODP-V20: field luas was removed +kawasan\.luas\n")
        self.assertRegex(text, r"error ODP-V22: field luas was removed without having been announced +kawasan\.luas\n")
        self.assertIsNone(re.search(r"^build/", text, re.M))
        self.assertFalse((self.dir / "x").exists())


if __name__ == "__main__":
    odp.main()
