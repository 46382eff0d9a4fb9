"""A survey in three published versions, and all that can happen to a version: every one keeps its address and bytes, and the published
differences are those that an independent program finds."""
import csv
import decimal
import json
import random

import odp
import versionslib

FIELDS = [{"name": "id", "type": "integer"}, {"name": "wilayah", "type": "string"}, {"name": "luas_ha", "type": "number"},
          {"name": "tingkat", "type": "string"}, {"name": "tanggal", "type": "date"}]
NEW = [{"name": "sumber_air", "type": "string"}, {"name": "rumah_tangga", "type": "integer"}]
COLUMNS = [f["name"] for f in FIELDS]
KEY = {"schema": {"primaryKey": ["id"]}}


def survey(n, draw):
    return [{"id": i, "wilayah": f"{draw.randrange(11, 95)}.{draw.randrange(1, 80):02}",
             "luas_ha": decimal.Decimal(draw.randrange(1, 100000)).scaleb(-2),
             "tingkat": draw.choice(["Ringan", "Sedang", "Berat", None]), "tanggal": f"2023-0{draw.randrange(1, 10)}-1{draw.randrange(10)}"}
            for i in range(1, n + 1)]


class Versions(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def start(self, rows, date="2023-09-15", **more):
        self.dataset("survei", versionslib.csv_text(rows, COLUMNS), FIELDS, {"schema": dict(KEY["schema"])}, **{"odp:lastUpdate": date}, **more)
        self.odp("build")

    def next(self, rows, date, columns=COLUMNS, expect=0, **more):
        """Another state of the source; the report."""
        self.source("survei", rows, columns)
        self.describe("survei", **{"odp:lastUpdate": date}, **more)
        return self.report("build", expect=expect)

    def files(self, version):
        return odp.digests(self.dir / f"build/site/data/survei/{version}")

    def assert_difference(self, slug, version, before, expected, key):
        """changes.json, changes.csv and the entry of the version tell EXPECTED (versionslib.difference)."""
        folder = self.dir / f"build/site/data/{slug}/{version}"
        document = json.loads((folder / "changes.json").read_text(), parse_float=decimal.Decimal)
        told = {"added": {}, "removed": {}, "changed": {}}
        for change in document["changes"]:
            k = tuple(change["key"][name] for name in key)
            self.assertNotIn(k, told[change["op"]])
            if change["op"] == "changed":
                told["changed"][k] = {name: tuple(cells) for name, cells in change["cells"].items()}
            else:
                told[change["op"]][k] = change["record"]
        self.assertEqual(told["changed"], expected["changed"])
        self.assertEqual(told["added"], expected["added"])
        self.assertEqual(told["removed"], expected["removed"])
        numbers = {op: len(expected[op]) for op in told}
        numbers["cells"] = sum(len(c) for c in expected["changed"].values())
        self.assertEqual({n: document["summary"][n] for n in numbers}, numbers)
        self.assertEqual((document["from"]["version"], document["to"]["version"]), (before, version))
        entry = next(v for v in self.versions(slug) if v["version"] == version)
        self.assertEqual(entry["previous"], before)
        changes = entry["resources"][0]["changes"]
        self.assertEqual({n: changes[n] for n in numbers}, numbers)
        self.assertEqual(changes["from"], before)
        with open(folder / "changes.csv", newline="") as handle:
            lines = list(csv.DictReader(handle))
        self.assertEqual(sum(1 for r in lines if r["change"] == "changed"), numbers["cells"])
        self.assertEqual(len({tuple(r[k] for k in key) for r in lines if r["change"] == "added"}), numbers["added"])
        self.assertTrue((folder / "changes.html").read_bytes())
        return document, entry

    def test_a_survey_in_three_versions(self):
        draw = random.Random(7)
        first = survey(1200, draw)
        self.start(first)
        published = self.files("2023-09-15")
        self.assertEqual([(v["version"], v["rows"], v["state"]) for v in self.versions("survei")], [("2023-09-15", 1200, "published")])
        # Rows are added, some go, some change.
        second = [dict(r) for r in first if r["id"] % 37]
        for r in draw.sample(second, 150):
            r["luas_ha"] += 1
        for r in draw.sample(second, 60):
            r["tingkat"] = None if r["tingkat"] else "Berat"
        second += [dict(r, id=r["id"] + 5000) for r in survey(90, draw)]
        draw.shuffle(second)
        self.next(second, "2024-03-15")
        expected = versionslib.difference(first, second, ["id"], COLUMNS)
        self.assertGreater(len(expected["changed"]), 180)
        document, _ = self.assert_difference("survei", "2024-03-15", "2023-09-15", expected, ["id"])
        self.assertEqual(document["schema"], [])
        self.assertEqual(self.files("2023-09-15"), published)
        published_second = self.files("2024-03-15")
        # Columns are added and all of them reordered: not under the same release.
        third = [dict(r, sumber_air=draw.choice(["PDAM", "sumur", None]), rumah_tangga=draw.randrange(500)) for r in second]
        for r in draw.sample(third, 25):
            r["wilayah"] = "99.99"
        columns = ["tanggal", "id", "rumah_tangga", "tingkat", "sumber_air", "wilayah", "luas_ha"]
        by_name = {f["name"]: f for f in FIELDS + NEW}
        schema = {"schema": {"fields": [by_name[c] for c in columns], "primaryKey": ["id"]}}
        link = self.build_of()
        refused = self.next(third, "2024-09-15", columns, expect=1, resource=schema)
        said = " ".join(d["message"] for d in refused["diagnostics"])
        for name in ("sumber_air", "rumah_tangga"):
            self.assertIn(name, said)
        self.assertEqual(self.build_of(), link)
        self.release("2.5.1")  # columns added: that is more than a patch
        self.report("build", expect=1)
        self.release("2.6.0")
        self.report("build")
        expected = versionslib.difference(second, third, ["id"], COLUMNS)
        document, entry = self.assert_difference("survei", "2024-09-15", "2024-03-15", expected, ["id"])
        self.assertEqual([(c["change"], c["to"]) for c in document["schema"] if c["change"] == "field-added"],
                         [("field-added", "rumah_tangga"), ("field-added", "sumber_air")])
        self.assertIn("field-order", [c["change"] for c in document["schema"]])
        self.assertEqual((entry["resources"][0]["changes"]["needs"], entry["release"]), ("minor", "2.6.0"))
        # Every version is at its address, as it was.
        self.assertEqual(self.files("2023-09-15"), published)
        for path, digest in published_second.items():
            self.assertEqual(self.files("2024-03-15")[path], digest)
        self.assertEqual([v["version"] for v in self.versions("survei")], ["2024-09-15", "2024-03-15", "2023-09-15"])
        for v in self.versions("survei"):
            for f in v["resources"][0]["files"]:
                data = (self.dir / "build/site/data/survei" / f["url"]).read_bytes()
                self.assertEqual((len(data), "sha256:" + odp.hashlib.sha256(data).hexdigest()), (f["bytes"], f["hash"]))
        old = odp.read_csv(self.dir / "build/site/data/survei/2023-09-15/survei.csv")
        self.assertEqual([int(r["id"]) for r in old], [r["id"] for r in first])
        self.assert_whole("build/site")

    def test_a_real_table_in_three_versions(self):
        """Regencies and cities of Indonesia: the editions of 2022 and 2025, then how many districts and villages each has."""
        folder = self.needs("id/wilayah_idn_area_data")
        lists = odp.SOURCE / "catalog/references/kabkota"
        names = ["kode", "kode_provinsi", "nama", "jenis"]
        first, second = ([{n: r[n] for n in names} for r in odp.read_csv(lists / f"{y}.csv")] for y in (2022, 2025))
        kecamatan = [r["regency_code"] for r in odp.read_csv(folder / "districts.csv")]
        desa = [r["district_code"][:5] for r in odp.read_csv(folder / "villages.csv")]
        count = {k: (kecamatan.count(k), desa.count(k)) for k in {r["kode"] for r in second}}
        third = [dict(r, jumlah_kecamatan=count[r["kode"]][0], jumlah_desa=count[r["kode"]][1]) for r in second]
        fields = [{"name": n, "type": "string"} for n in names]
        more = [{"name": n, "type": "integer"} for n in ("jumlah_kecamatan", "jumlah_desa")]
        self.dataset("kabkota", versionslib.csv_text(first, names), fields, {"schema": {"primaryKey": ["kode"]}}, **{"odp:lastUpdate": "2022-02-09"})
        self.odp("build")
        self.source("kabkota", second, names)
        self.describe("kabkota", **{"odp:lastUpdate": "2025-04-25"})
        self.odp("build")
        self.assert_difference("kabkota", "2025-04-25", "2022-02-09", versionslib.difference(first, second, ["kode"], names), ["kode"])
        columns = ["jumlah_desa", "nama", "kode", "jumlah_kecamatan", "jenis", "kode_provinsi"]
        by_name = {f["name"]: f for f in fields + more}
        self.source("kabkota", third, columns)
        self.describe("kabkota", resource={"schema": {"fields": [by_name[c] for c in columns], "primaryKey": ["kode"]}}, **{"odp:lastUpdate": "2025-07-01"})
        self.odp("build", expect=1)
        self.release("2.6.0", "2025-07-01")
        self.odp("build")
        self.assert_difference("kabkota", "2025-07-01", "2025-04-25", versionslib.difference(second, third, ["kode"], names), ["kode"])
        self.assertEqual(len(self.versions("kabkota")), 3)

    def test_the_same_content_under_a_new_date_is_no_version(self):
        rows = survey(50, random.Random(1))
        self.start(rows)
        before = self.files("2023-09-15")
        self.next(rows, "2024-01-01")
        self.assertEqual([v["version"] for v in self.versions("survei")], ["2023-09-15"])
        self.assertEqual(self.files("2023-09-15"), before)
        self.assertEqual(self.files("2024-01-01"), {})

    def test_the_same_date_with_other_content_is_refused(self):
        rows = survey(50, random.Random(1))
        self.start(rows)
        link = self.build_of()
        other = [dict(r, tingkat="Berat") for r in rows]
        self.assertEqual(self.next(other, "2023-09-15", expect=1)["counts"], {"ODP-V10": 1})
        self.assertEqual(self.next(other, "2023-09-14", expect=1)["counts"], {"ODP-V11": 1})
        self.assertEqual(self.build_of(), link)
        # A correction is a version of its own, once for each reason.
        self.next(other, "2023-09-15", **{"odp:correction": {"id": "Tingkat salah salin", "en": "Levels were copied wrongly"}})
        self.assertEqual([v["version"] for v in self.versions("survei")], ["2023-09-15.1", "2023-09-15"])
        self.assertEqual(self.versions("survei")[0]["correction"]["en"], "Levels were copied wrongly")
        self.assert_difference("survei", "2023-09-15.1", "2023-09-15", versionslib.difference(rows, other, ["id"], COLUMNS), ["id"])
        self.assertEqual(self.report("build")["counts"], {})  # the reason may stay where it is
        third = other[:-1]
        self.assertEqual(self.next(third, "2023-09-15", expect=1)["counts"], {"ODP-V14": 1})
        self.next(third, "2023-09-15", **{"odp:correction": "Baris terakhir dihapus"})
        self.assertEqual([v["version"] for v in self.versions("survei")], ["2023-09-15.2", "2023-09-15.1", "2023-09-15"])
        self.next(rows, "2023-09-16", **{"odp:correction": None})
        self.assertEqual(self.versions("survei")[0]["version"], "2023-09-16")
        self.assertNotIn("correction", self.versions("survei")[0])

    def test_going_back_is_a_new_version_with_the_old_content(self):
        rows = survey(80, random.Random(1))
        self.start(rows)
        other = [dict(r, luas_ha=r["luas_ha"] + 1) for r in rows[:-5]]
        self.next(other, "2024-01-01")
        self.next(rows, "2024-02-01")
        versions = self.versions("survei")
        self.assertEqual([v["version"] for v in versions], ["2024-02-01", "2024-01-01", "2023-09-15"])
        self.assertEqual(versions[0]["digest"], versions[2]["digest"])
        self.assertNotEqual(versions[0]["digest"], versions[1]["digest"])
        self.assert_difference("survei", "2024-02-01", "2024-01-01", versionslib.difference(other, rows, ["id"], COLUMNS), ["id"])
        self.assertEqual((self.dir / "build/site/data/survei/2024-02-01/survei.csv").read_bytes(),
                         (self.dir / "build/site/data/survei/2023-09-15/survei.csv").read_bytes())

    def test_a_format_that_is_listed_later_lies_beside_the_others(self):
        rows = survey(50, random.Random(1))
        self.start(rows, **{"odp:formats": ["CSV"]})
        before = self.files("2023-09-15")
        self.assertNotIn("survei.json", before)
        self.describe("survei", **{"odp:formats": ["CSV", "JSON"]})
        self.odp("build", expect=1)  # a new format is a minor change
        self.release("2.6.0")
        self.odp("build")
        after = self.files("2023-09-15")
        self.assertEqual({p: after[p] for p in before}, before)
        self.assertEqual(len(odp.read_json(self.dir / "build/site/data/survei/2023-09-15/survei.json")["data"]), 50)
        self.assertIn("json", [f["name"] for f in self.versions("survei")[0]["resources"][0]["files"]])
        self.assertEqual(len(self.versions("survei")), 1)

    def test_slices_that_are_listed_later_lie_beside_the_others(self):
        rows = survey(50, random.Random(1))
        self.start(rows)
        before = self.files("2023-09-15")
        self.describe("survei", **{"odp:slices": ["tingkat"]})
        self.odp("build")
        after = self.files("2023-09-15")
        self.assertEqual({p: after[p] for p in before}, before)
        self.assertEqual({p.split("/")[2] for p in after if p.startswith("slices/")}, {"Ringan", "Sedang", "Berat"})
        entry = odp.read_json(self.dir / "build/site/v1/index.json")["data"][0]
        self.assertEqual([s["value"] for s in entry["resources"][0]["slices"]], ["Berat", "Ringan", "Sedang"])
        self.assertEqual(len(self.versions("survei")), 1)

    def test_what_was_withdrawn_does_not_come_back(self):
        rows = survey(50, random.Random(1))
        self.start(rows)
        other = [dict(r, tingkat="Berat") for r in rows]
        self.next(other, "2024-01-01")
        self.odp("withdraw", "survei", "2024-01-01", "--reason", "error", "--note", "salah berkas")
        self.assertEqual([(v["version"], v["state"]) for v in self.versions("survei")],
                         [("2024-01-01", "withdrawn"), ("2023-09-15", "published")])
        self.assertEqual(self.next(other, "2024-02-01", expect=1)["counts"], {"ODP-V12": 1})
        self.next(rows[:-1], "2024-02-01")
        self.assertEqual([v["version"] for v in self.versions("survei")], ["2024-02-01", "2024-01-01", "2023-09-15"])
        self.assertFalse((self.dir / "build/site/data/survei/2024-01-01").exists())


if __name__ == "__main__":
    odp.main()
