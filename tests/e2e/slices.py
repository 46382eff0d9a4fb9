"""odp:slices: files of their own for every value of a field. All slices together are the whole, whatever the values and the threads."""
import csv
import hashlib
import io
import json
import os
import pathlib
import random
import shutil

import odp

FIELDS = [{"name": "id", "type": "integer"}, {"name": "wilayah", "type": "string"}, {"name": "tahun", "type": "year"},
          {"name": "nama", "type": "string"}, {"name": "nilai", "type": "number"}]
# What may not stand in a path as it is; a value of 64 bytes; values that differ only in case; a region.
VALUES = ["11", "31.71", "a/b", "..", ".", "%41", "~41", "DKI Jakarta", "ÉÀ☃", "x" * 64, "sama", "SAMA", "-", "a\\b", "c:d", "tab\there"]


def segment(value):
    """The name of a value's folder, after tools/odp-build/write/emit.h."""
    raw = value.encode()
    plain = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
    return "".join(chr(c) if c in plain or c == ord(".") and 0 < i < len(raw) - 1 else f"~{c:02X}" for i, c in enumerate(raw))


class Slices(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def rows(self, n, seed=1):
        draw = random.Random(seed)
        return [{"id": str(i + 1), "wilayah": draw.choice(VALUES + [""]), "tahun": draw.choice(["2020", "2021", ""]),
                 "nama": draw.choice(["Sari", "Bu, \"Ani\"", ""]) + str(i), "nilai": f"{draw.randrange(1000)}.5"} for i in range(n)]

    def write(self, slug, rows, slices, resource=None, **more):
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, [f["name"] for f in FIELDS], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        own = {"schema": {"primaryKey": ["id"]}, "odp:slices": slices}
        own.update(resource or {})
        return self.dataset(slug, out.getvalue(), FIELDS, own, **more)

    def entry(self, slug, site="build/site"):
        index = odp.read_json(self.dir / site / "v1/index.json")
        return next(e for e in index["data"] if e["slug"] == slug)["resources"][0]

    def file(self, found, name, site="build/site"):
        """A file of a slice, whose address, size and digest are those listed."""
        row = next(f for f in found["files"] if f["name"] == name)
        path = self.dir / site / "v1" / row["url"]
        data = path.read_bytes()
        self.assertEqual(row["bytes"], len(data))
        self.assertEqual(row["hash"], "sha256:" + hashlib.sha256(data).hexdigest())
        return path

    def test_all_slices_together_are_the_whole(self):
        rows = self.rows(3000)
        self.write("survei", rows, ["wilayah", "tahun"])
        self.odp("build", "--jobs", "1")
        resource = self.entry("survei")
        whole = {r["id"]: r for r in odp.read_csv(self.dir / "build/site/v1" / resource["download"]["CSV"])}
        records = {r["id"]: r for r in odp.read_json(self.dir / "build/site/v1" / resource["download"]["JSON"])["data"]}
        self.assertEqual((len(whole), len(records)), (3000, 3000))
        for field in ("wilayah", "tahun"):
            slices = [s for s in resource["slices"] if s["field"] == field]
            expected = {v: [r["id"] for r in rows if r[field] == v] for v in {r[field] for r in rows} - {""}}
            self.assertEqual([s["value"] for s in slices], sorted(expected, key=str.encode))
            for found in slices:
                value, ids = found["value"], expected[found["value"]]
                self.assertEqual([f["name"] for f in found["files"]], [f["name"] for f in resource["files"]])
                self.assertEqual(found["rows"], len(ids))
                path = self.file(found, "csv")
                self.assertEqual(path.parent.relative_to(self.dir / "build/site"),
                                 pathlib.Path(f"v1/../data/survei/2024-03-15/slices/{field}/{segment(value)}"))
                part = odp.read_csv(path)
                self.assertEqual([r["id"] for r in part], ids)  # in the source's order
                self.assertEqual(part, [whole[i] for i in ids])
                document = odp.read_json(self.file(found, "json"))
                self.assertEqual(document["data"], [records[int(i)] for i in ids])
                self.assertEqual((document["meta"]["slice"], document["meta"]["total"]), ({field: value}, len(ids)))
                excel = self.file(found, "excel.csv").read_bytes()
                self.assertTrue(excel.startswith(b"\xef\xbb\xbf"))
                self.assertEqual(excel.count(b"\r\n"), len(ids) + 1)
        folder = self.dir / "build/site/data/survei/2024-03-15/slices/wilayah"
        self.assertEqual(sorted(os.listdir(folder)), sorted(segment(v) for v in VALUES))

    def test_threads_do_not_show(self):
        self.write("survei", self.rows(12000), ["wilayah", "tahun"])
        for jobs in (1, 2, 4):
            self.odp("build", "--jobs", jobs, "--out", f"site{jobs}")
        self.assertEqual(odp.digests(self.dir / "site1"), odp.digests(self.dir / "site2"))
        self.assertEqual(odp.digests(self.dir / "site1"), odp.digests(self.dir / "site4"))
        self.assertEqual(sum(s["rows"] for s in self.entry("survei", "site2")["slices"] if s["field"] == "tahun"),
                         sum(1 for r in self.rows(12000) if r["tahun"]))

    def test_more_than_memory_holds_goes_through_a_scratch_file(self):
        """40 MB in two forms, sorted by region so that each slice in turn is large: the same bytes as the parts alone."""
        folder = self.write("besar", [], ["wilayah"], **{"odp:formats": ["CSV"]})
        text = "isi " * 100
        with open(folder / "besar.csv", "w", newline="") as out:
            out.write("id,wilayah,tahun,nama,nilai\n")
            for i in range(50000):
                out.write(f"{i},{i // 10000},2020,{text}{i},1.5\n")
        self.odp("build", "--jobs", "2")
        slices = self.entry("besar")["slices"]
        self.assertEqual([(s["value"], s["rows"]) for s in slices], [(str(k), 10000) for k in range(5)])
        whole = (self.dir / "build/site/data/besar/2024-03-15/besar.csv").read_bytes().split(b"\r\n")
        for k, found in enumerate(slices):
            expected = b"\r\n".join([whole[0]] + whole[1 + k * 10000:1 + (k + 1) * 10000] + [b""])
            self.assertEqual(self.file(found, "csv").read_bytes(), expected)
        self.assertEqual([p for p in os.listdir(self.dir / "build/site.builds") if p.startswith(".scratch")], [])

    def test_labels_of_categories(self):
        fields = [dict(f) for f in FIELDS]
        fields[1]["categories"] = [{"value": "B", "label": "Berat"}, {"value": "R", "label": "Ringan"}]
        self.dataset("tingkat", "id,wilayah,tahun,nama,nilai\n1,R,2020,a,1\n2,B,2020,b,2\n", fields,
                     {"schema": {"primaryKey": ["id"]}, "odp:slices": ["wilayah"]})
        self.odp("build")
        self.assertEqual([(s["value"], s["label"]["id"]) for s in self.entry("tingkat")["slices"]], [("B", "Berat"), ("R", "Ringan")])

    def test_labels_of_code_lists(self):
        shutil.copytree(odp.SOURCE / "catalog/references", self.dir / "catalog/references")
        self.dataset("daerah", "id,kode\n1,31\n2,11\n", [{"name": "id", "type": "integer"}, {"name": "kode", "type": "string"}],
                     {"schema": {"primaryKey": ["id"]}, "odp:slices": ["kode"], "odp:foreignKeys": [
                         {"fields": ["kode"], "reference": {"dataset": "references/provinsi@2025", "fields": ["kode"]}}]})
        self.odp("build")
        self.assertEqual([(s["value"], s["label"]["id"]) for s in self.entry("daerah")["slices"]],
                         [("11", "Aceh"), ("31", "DKI Jakarta")])

    def test_differences_name_a_code_of_an_edition_that_is_gone(self):
        shutil.copytree(odp.SOURCE / "catalog/references", self.dir / "catalog/references")
        degrees = [{"value": name, "label": name, "odp:label": {"id": name, "en": english}} for name, english in (("Ringan", "Light"), ("Berat", "Severe"))]
        for date, edition, code, degree in (("2024-03-15", "2022", "92.01", "Ringan"), ("2024-04-15", "2025", "96.01", "Berat")):
            shutil.rmtree(self.dir / "catalog/daerah", ignore_errors=True)
            self.dataset("daerah", f"id,kode,tingkat\n1,31.71,Ringan\n2,{code},{degree}\n",
                         [{"name": "id", "type": "integer"}, {"name": "kode", "type": "string"}, {"name": "tingkat", "type": "string", "categories": degrees}],
                         {"schema": {"primaryKey": ["id"]}, "odp:foreignKeys": [
                             {"fields": ["kode"], "reference": {"dataset": f"references/kabkota@{edition}", "fields": ["kode"]}}]},
                         **{"odp:lastUpdate": date})
            self.odp("build")
        page = (self.dir / "build/site/data/daerah/2024-04-15/changes.html").read_text()
        for code in ("92.01", "96.01"):
            self.assertIn(f'<bdi>Kabupaten Sorong</bdi> <span class="muted">(<bdi>{code}</bdi>)</span>', page)
        self.assertIn('<del><bdi>Ringan</bdi> <span lang="en"><bdi>Light</bdi></span></del>', page)  # a name that is the code is in both languages, too

    def test_too_many_values_and_too_long_ones(self):
        rows = [dict(self.rows(1)[0], id=str(i), wilayah=f"w{i}") for i in range(601)]
        self.write("banyak", rows, ["wilayah"])
        self.write("panjang", [dict(rows[0], wilayah="x" * 65)], ["wilayah"])
        for command in ("check", "build"):
            report = self.report(command, expect=1)
            self.assertEqual([(d["code"], d["dataset"], d["field"], d["line"]) for d in report["diagnostics"]],
                             [("ODP-V90", "banyak", "wilayah", 602), ("ODP-V91", "panjang", "wilayah", 2)])
        self.assertFalse((self.dir / "build/site").exists())
        self.write_again("banyak", rows[:600])
        self.write_again("panjang", [dict(rows[0], wilayah="x" * 64)])
        self.odp("build")
        self.assertEqual(len(self.entry("banyak")["slices"]), 600)

    def write_again(self, slug, rows):
        shutil.rmtree(self.dir / "catalog" / slug)
        self.write(slug, rows, ["wilayah"])

    def test_where_the_fault_is_no_error_the_field_has_no_slices(self):
        rows = [dict(self.rows(1)[0], id=str(i), wilayah=f"w{i}", tahun="2020") for i in range(700)]
        self.write("banyak", rows, ["wilayah", "tahun"], {"odp:severity": {"slices-many": "warning"}})
        report = self.report("build")
        self.assertEqual(report["counts"], {"ODP-V90": 1})
        self.assertEqual({s["field"] for s in self.entry("banyak")["slices"]}, {"tahun"})
        self.assertFalse((self.dir / "build/site/data/banyak/2024-03-15/slices/wilayah").exists())

    def test_a_rejected_dataset_leaves_no_slices(self):
        self.write("baik", self.rows(50), ["tahun"])
        self.write("buruk", self.rows(5000) + [dict(self.rows(1)[0], id="1")], ["wilayah"])
        self.odp("build", "--keep-good", expect=1)
        self.assertEqual([p for p in odp.digests(self.dir / "build/site") if "buruk" in p], [])
        self.assertTrue(self.entry("baik")["slices"])
        self.assertEqual([p for p in os.listdir(self.dir / "build/site.builds") if p.startswith(".s")], [])

    def test_geometry_goes_with_its_record(self):
        shutil.copytree(odp.SOURCE / "catalog/references", self.dir / "catalog/references")
        shutil.copytree(odp.SOURCE / "catalog/kumuh", self.dir / "catalog/kumuh")
        path = self.dir / "catalog/kumuh/dataset.json"
        package = odp.read_json(path)
        package["resources"][0]["odp:slices"] = ["kode_kabkota"]
        path.write_text(json.dumps(package))
        self.odp("build")
        resource = self.entry("kumuh")
        whole = odp.read_json(self.dir / "build/site/v1" / resource["download"]["GeoJSON"])["features"]
        seen = []
        for found in resource["slices"]:
            document = odp.read_json(self.file(found, "geojson"))
            expected = [f for f in whole if f["properties"]["kode_kabkota"] == found["value"]]
            self.assertEqual(document["features"], expected)
            boxes = [p for f in expected for p in points(f["geometry"]["coordinates"])]
            box = [min(p[0] for p in boxes), min(p[1] for p in boxes), max(p[0] for p in boxes), max(p[1] for p in boxes)]
            for got, want in zip(document["bbox"], box):
                self.assertAlmostEqual(got, want, places=6)
            seen += document["features"]
        self.assertEqual(len(seen), len(whole))


def points(coordinates):
    if isinstance(coordinates[0], (int, float)):
        return [coordinates]
    return [p for c in coordinates for p in points(c)]


if __name__ == "__main__":
    odp.main()
