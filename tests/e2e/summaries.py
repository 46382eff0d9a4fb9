"""The summaries of all tables of the example, recomputed from the published records: every sum, mean and count, of all records, by time, by place, and by the
place above it, which is looked up in the published code lists. Classes part the values; nothing private is in them."""
import collections
import csv
import decimal
import json
import re
import sys
import xml.etree.ElementTree as xml

import odp
import readerlib

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import shapes  # noqa: E402

D = decimal.Decimal
decimal.getcontext().prec = 60


def number(text):
    return None if text is None else D(text).quantize(D("1E-9"), decimal.ROUND_HALF_EVEN)


class Summary:
    """One resource's document, and its records as dictionaries."""

    def __init__(self, resource):
        name = f"{resource.slug}{'' if resource.primary else '-' + resource.name}.summary.json"
        self.path = resource.site / f"data/{resource.slug}/{resource.version}/{name}"
        self.document = json.loads(self.path.read_text(), parse_float=D, parse_int=D)
        names = [f["name"] for f in resource.fields]
        self.records = [dict(zip(names, r)) for r in resource.records_of_api()]
        self.types = dict(zip(names, resource.types))

    def time_of(self, record):
        time = self.document.get("time")
        text = record[time["field"]] if time else None
        return text[:4] if text and self.types[time["field"]] in ("date", "datetime") else text

    def value(self, measure, records):
        if measure["aggregate"] == "count":
            return D(sum("field" not in measure or r[measure["field"]] == measure["value"] for r in records))
        values = [v for v in (number(r[measure["field"]]) for r in records) if v is not None]
        if not values:
            return None
        if measure["aggregate"] == "sum":
            return sum(values, D(0))
        return (sum(values, D(0)) / len(values)).quantize(D(1).scaleb(-int(measure["decimals"])), decimal.ROUND_HALF_EVEN)


class Example(odp.Case):
    @classmethod
    def setUpClass(cls):
        cls.site = odp.example_site()
        cls.index = odp.read_json(cls.site / "v1/index.json")["data"]
        cls.resources = list(readerlib.resources(cls.site))
        cls.above = collections.defaultdict(dict)  # (list, edition): {code: (list above, code there)}
        for r in cls.resources:
            for record in Summary(r).records if r.slug == "kabkota" else []:
                cls.above[r.slug, r.listed["edition"]][record["kode"]] = record["kode_provinsi"]

    def block(self, summary, block, records, whole=True):
        """BLOCK says what RECORDS come to; WHOLE: no measure is cut off."""
        measures, time = summary.document["measures"], summary.document.get("time")
        last = [r for r in records if summary.time_of(r) == time["values"][-1]] if time and time["panel"] else records
        rows = [(block["total"], last)]
        if time and (whole or "times" in block):
            self.assertEqual(len(block["times"]), len(time["values"]))
            rows += [(row, [r for r in records if summary.time_of(r) == t]) for row, t in zip(block["times"], time["values"])]
        for row, some in rows:
            if row is None:
                self.assertEqual(some, [])
                continue
            self.assertLessEqual(len(row), len(measures))
            self.assertEqual(len(row) == len(measures) or not whole, True)
            for measure, value in zip(measures, row):
                self.assertEqual(value, summary.value(measure, some), f"{summary.path.name} {measure['name']}")

    def places(self, summary):
        place, places = summary.document["place"], summary.document["places"]
        groups = {place["list"]: collections.defaultdict(list)}
        if "parent" in place:
            groups[place["parent"]] = collections.defaultdict(list)
        through, held = place.get("through"), {}
        if through:  # the places of the records of another table, by its key
            other = next(r for r in self.resources if r.slug == through["dataset"] and r.primary)
            held = {record[through["field"]]: record[place["field"]] for record in Summary(other).records}
        for record in summary.records:
            code = held.get(record[through["field"]]) if through else record[place["field"]]
            if code is None:
                continue
            groups[place["list"]][code].append(record)
            if "parent" in place:
                groups[place["parent"]][self.above[place["list"], place["edition"]][code]].append(record)
        self.assertEqual(list(places), list(groups))
        for name, found in groups.items():
            self.assertEqual(list(places[name]), sorted(found))
            for code, records in found.items():
                self.block(summary, places[name][code], records, "left_out" not in summary.document)

    def classes(self, summary):
        for measure in summary.document["measures"]:
            for level, breaks in measure.get("classes", {}).items():
                at = summary.document["measures"].index(measure)
                places = summary.document["places"][level].values()
                panel = summary.document.get("time", {}).get("panel")
                values = sorted(row[at] for b in places for row in (b["times"] if panel else [b["total"]]) if row and row[at] is not None)
                self.assertTrue(1 <= len(breaks) <= 4 and sorted(set(breaks)) == breaks, breaks)
                self.assertTrue(values[0] < breaks[0] and breaks[-1] <= values[-1], (measure["name"], breaks))

    def test_every_figure_is_that_of_the_records(self):
        self.assertGreater(len(self.resources), 25)
        placed = 0
        for resource in self.resources:
            summary = Summary(resource)
            document = summary.document
            self.assertEqual((document["table"], document["records"]), (resource.name, resource.rows))
            self.assertLessEqual(summary.path.stat().st_size, 300_000)
            self.assertLessEqual(sum(m.get("highlight", False) for m in document["measures"]), 4)
            self.assertTrue(all(m["title"]["id"] and m["title"]["en"] for m in document["measures"]))
            self.assertLessEqual({m["field"] for m in document["measures"] if "field" in m}, set(summary.types))  # none that is not public
            self.block(summary, document["all"], summary.records)
            if "place" in document:
                placed += 1
                self.places(summary)
                self.classes(summary)
        self.assertGreater(placed, 19)
        self.assertEqual({r.slug: through["dataset"] for r in self.resources if (through := Summary(r).document.get("place", {}).get("through"))},
                         {"risiko": "proyek", "pemantauan": "proyek", "kepatuhan": "kontraktor", "demografi-kumuh": "kumuh", "proyek": "proyek"})

    def test_pictures_of_places(self):
        """A choropleth of every table whose places have boundaries: its words name the highest place and those without a shape; wide and narrow, in both
        languages; light by attributes, dark by its style; nothing fetched."""
        shapes = {f["properties"]["kode"] for f in odp.read_json(self.site / "data/batas-provinsi/latest/batas-provinsi.map.geojson")["features"]}
        names = {r["kode"]: odp.read_json(self.site / "data/provinsi/labels-2025.json")["labels"][r["kode"]]["id"]
                 for r in odp.read_csv(odp.SOURCE / "catalog/references/provinsi/2025.csv")}
        drawn = set()
        for resource in self.resources:
            document = Summary(resource).document
            at = next((k for k, m in enumerate(document["measures"]) if "provinsi" in m.get("classes", {})), None)
            stem = self.site / f"gambar/peta/{resource.slug}{'' if resource.primary else '-' + resource.name}"
            if at is None or resource.slug in ("batas-provinsi",):
                self.assertFalse(stem.with_suffix(".svg").exists(), stem)
                continue
            values = {code: b["total"][at] for code, b in document["places"]["provinsi"].items() if b["total"][at] is not None}
            for end, lang in ((".svg", "id"), (".en.svg", "en"), (".narrow.svg", "id"), (".narrow.en.svg", "en")):
                text = stem.with_name(stem.name + end).read_text()
                root = xml.fromstring(text)
                self.assertEqual((root.get("role"), root.get("lang")), ("img", lang))
                self.assertLess(len(text), 40_000)
                self.assertNotRegex(text, r"(href|src)\s*=|url\((?!#)|@import|<script")
                fills = set(re.findall(r'<path class="(c[0-4]|n)" fill="#[0-9a-f]{6}" d="M[^"]+z"', text.partition('class="areas"')[2]))
                self.assertGreater(len(fills), 1)
                self.assertEqual("n" in fills, bool(shapes - set(values)))
                said = root.find("{http://www.w3.org/2000/svg}desc").text
                self.assertIn(names[max(values, key=lambda code: values[code])], said)
                for code in set(values) - shapes:
                    self.assertIn(names[code], said)
                self.assertIn("prefers-color-scheme:dark", text)
            drawn.add(resource.slug)
        self.assertLessEqual({"perumahan", "kumuh", "anggaran", "kontraktor"}, drawn)
        page = (self.site / "katalog/perumahan.html").read_text()
        self.assertIn("gambar/peta/perumahan.svg", page)
        self.assertIn("gambar/peta/perumahan.narrow.svg", page)
        self.assertIn("gambar/peta/perumahan.en.svg", (self.site / "en/catalog/perumahan.html").read_text())
        self.assertTrue((self.site / "katalog/kumuh-peta.svg").exists())  # shapes of its own stay on its page

    def test_the_catalogue_says_what_matters(self):
        def highlights(slug):
            resource = next(r for r in self.resources if r.slug == slug)
            return [m["name"] for m in Summary(resource).document["measures"] if m.get("highlight")]
        self.assertEqual(highlights("kumuh"), ["count", "luas_kumuh_ha", "tingkat=Berat", "jumlah_penduduk"])
        self.assertEqual(highlights("perumahan")[0], "backlog_kepemilikan")
        self.assertEqual({e["slug"] for e in self.index if e.get("places")}, {"provinsi", "kabkota"})
        self.assertEqual({e["slug"]: e["boundaries_of"] for e in self.index if "boundaries_of" in e}, {"batas-provinsi": "provinsi"})

    def test_a_summary_is_made_anew_with_other_highlights(self):
        """It is no part of the version: the version's name and its other files stay."""
        path = self.catalogue("kumuh") / "kumuh/dataset.json"
        latest = self.dir / "site/data/kumuh/latest"
        self.odp("build", "--out", "site")
        before, csv = odp.read_json(self.dir / "site/data/kumuh/latest.json")["version"], (latest / "kumuh.csv").read_bytes()
        self.assertEqual(odp.read_json(latest / "kumuh.summary.json")["measures"][0]["name"], "count")
        path.write_text(path.read_text().replace('"odp:highlights": ["count", ', '"odp:highlights": ["skor", '))
        self.odp("build", "--out", "site")
        self.assertEqual(odp.read_json(latest / "kumuh.summary.json")["measures"][0]["name"], "skor")
        self.assertEqual(odp.read_json(self.dir / "site/data/kumuh/latest.json")["version"], before)
        self.assertEqual((latest / "kumuh.csv").read_bytes(), csv)


class Levels(odp.Case):
    def test_two_levels_with_boundaries(self):
        """Regencies with boundaries of their own (squares): the page's map shows them, and the provinces as a choice; its summary has both."""
        fields = [{"name": "kode", "type": "string"}, {"name": "unit", "type": "integer", "title": "Unit", "odp:unit": "unit", "sdi:satuan": "unit"}]
        self.catalogue()
        lists = self.dir / "catalog/references"
        with (lists / "kabkota/2025.csv").open() as f:
            codes = [row["kode"] for row in csv.DictReader(f)][::40]
        square = lambda x: [[[x, 0], [x, 1], [x + 1, 1], [x + 1, 0], [x, 0]]]
        (lists / "batas-kabkota").mkdir()
        shapes.write({"name": "2025", "type": 5, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["KODE", "C", 5, 0], ["NAMA", "C", 20, 0]],
                      "records": [{"shape": square(95 + 2 * i), "values": [code, f"Wilayah {code}"]} for i, code in enumerate(codes)]}, lists / "batas-kabkota")
        package = odp.read_json(lists / "batas-provinsi/dataset.json")
        package.update(name="batas-kabkota", title="Batas kabupaten")
        package["resources"][0]["schema"]["fields"][0]["constraints"].pop("pattern")
        package["resources"][0]["odp:foreignKeys"][0]["reference"]["dataset"] = "references/kabkota@2025"
        (lists / "batas-kabkota/dataset.json").write_text(json.dumps(package))
        self.dataset("rumah", "kode,unit\n" + "".join(f"{code},{i}\n" for i, code in enumerate(codes, 1)), fields,
                     {"schema": {"primaryKey": ["kode"]}, "odp:foreignKeys": [{"fields": ["kode"], "reference": {"dataset": "references/kabkota", "fields": ["kode"]}}]})
        self.odp("build", "--out", "site")
        [box] = re.findall(r'<div class="map[^>]*data-level[^>]*>', (self.dir / "site/katalog/rumah.html").read_text())
        said = {name: re.search(f' data-{name}="(.*?)"', box)[1] for name in ("level", "level-title", "boundaries", "above-level", "above-title", "above-boundaries", "above-names")}
        self.assertEqual([said[name] for name in ("level", "level-title", "above-level", "above-title")], ["kabkota", "Kabupaten dan kota", "provinsi", "Provinsi"])
        self.assertIn("batas-kabkota.map.geojson", said["boundaries"])
        self.assertIn("batas-provinsi.map.geojson", said["above-boundaries"])
        self.assertEqual(set(odp.read_json(self.dir / "site/gambar/peta/rumah.json")["places"]), {"kabkota", "provinsi"})


if __name__ == "__main__":
    odp.main()
