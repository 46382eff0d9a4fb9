"""The pages of three places say what the published CSV files say: every figure and rank of the example site is computed anew from the records; each page and
file that names lead to exists."""
import collections
import csv
import decimal
import functools
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import odp

PLACES = {"32.73": "kabkota", "73.71": "kabkota", "32": "provinsi"}


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Places(odp.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
        cls.addClassCleanup(odp.remove_tree, folder)
        subprocess.run([odp.PROGRAM, "build", "--catalog", str(odp.SOURCE / "catalog"), "--out", "site", "--quiet"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        cls.site = folder / "site"
        cls.above = {row["kode"]: row["kode_provinsi"] for row in read(cls.site / "data/kabkota/latest/kabkota.csv")}
        cls.index = {entry["slug"]: entry for entry in json.loads((cls.site / "v1/index.json").read_text())["data"]}

    def summary(self, slug):
        return json.loads((self.site / f"data/{slug}/{self.index[slug]['version']}/{slug}.summary.json").read_text())

    @functools.cache
    def records(self, slug):
        """All of them, page by page."""
        found, page = [], f"v1/{slug}.json"
        while page:
            answer = json.loads((self.site / page).read_text())
            found += answer["data"]
            page = answer["links"].get("next") and f"v1/{answer['links']['next']}"
        return found

    def values(self, slug, measure, level, time):
        """{code: exact value} of a measure at a time ("" is all of them), from the records."""
        summary = self.summary(slug)
        m = next(m for m in summary["measures"] if m["name"] == measure)
        place, when = summary["place"], summary.get("time")
        groups = collections.defaultdict(list)
        through, held = place.get("through"), {}
        if through:
            held = {row[through["field"]]: row[place["field"]] for row in self.records(through["dataset"])}
        for row in read(self.site / f"data/{slug}/latest/{slug}.csv"):
            code = held[row[through["field"]]] if through else row[place["field"]]
            if time and row[when["field"]][:len(time)] != time:
                continue
            if "value" in m and row[m["field"]] != m["value"]:
                continue
            code = "" if level == "" else code if place["list"] == level else self.above[code]
            groups[code].append(row[m["field"]] if m["aggregate"] != "count" else "1")
        found = {}
        for code, texts in groups.items():
            numbers = [decimal.Decimal(text) for text in texts if text != ""]
            if numbers:
                found[code] = sum(numbers) / (len(numbers) if m["aggregate"] == "mean" else 1)
        return found

    def test_figures(self):
        seen = 0
        for code, level in PLACES.items():
            for line in read(self.site / f"tempat/{code}.csv"):
                slug, measure, time = line["dataset"], line["measure"], line["time"]
                if not (self.site / f"data/{slug}/latest/{slug}.csv").is_file():
                    continue  # published in other formats alone
                with self.subTest(f"{code} {slug} {measure} {time}"):
                    all_of = self.values(slug, measure, level, time)
                    exact, step = all_of.get(code, decimal.Decimal(0)), decimal.Decimal(10) ** -self.decimals(slug, measure)
                    self.assertLessEqual(abs(decimal.Decimal(line["value"]) - exact), step)
                    nation = self.values(slug, measure, "", time)[""]
                    self.assertLessEqual(abs(decimal.Decimal(line["nation"]) - nation), step)
                    if "=" in measure or self.aggregate(slug, measure) == "mean":
                        continue  # of means the published, rounded ones are ranked; of categories those with none, too
                    self.assertEqual(int(line["of"]), len(all_of))
                    self.assertEqual(int(line["rank"]), 1 + sum(value > exact for value in all_of.values()))
                    if level == "kabkota":
                        inner = [value for other, value in all_of.items() if self.above[other] == self.above[code]]
                        self.assertEqual(int(line["province_rank"]), 1 + sum(value > exact for value in inner))
                        self.assertEqual(int(line["province_of"]), len(inner))
                    seen += 1
        self.assertGreater(seen, 150)
        self.assertIn("risiko", {line["dataset"] for line in read(self.site / "tempat/32.csv")})  # by its projects

    def test_files_say_the_same(self):
        """The JSON has the CSV's lines, in order; what is not there is left out."""
        for code in PLACES:
            document = json.loads((self.site / f"tempat/{code}.json").read_text(), parse_float=str, parse_int=str)
            found = []
            for m in document["data"]:
                title = m["title"]["id"] + (f": {m['label']['id']}" if "label" in m else "")
                slug = "/".join(m[k] for k in ("dataset", "resource") if k in m)
                found += [{"dataset": slug, "measure": m["measure"], "title": title, "unit": m.get("unit", {}).get("id", ""), **v} for v in m["values"]]
            self.assertEqual(found, [{k: v for k, v in line.items() if v != "" or k == "unit"} for line in read(self.site / f"tempat/{code}.csv")])
            self.assertEqual((document["code"], document["status"]), (code, "success"))
            for path, name in ((f"tempat/{code}.oembed.json", "tempat"), (f"en/places/{code}.oembed.json", "places")):
                oembed = json.loads((self.site / path).read_text())
                self.assertIn(f"/{name}.html?kode={code}", oembed["html"])
                self.assertIn(f'application/json+oembed" title="{oembed["title"]}"', (self.site / path.replace(".oembed.json", ".html")).read_text())

    def decimals(self, slug, measure):
        return next(m["decimals"] for m in self.summary(slug)["measures"] if m["name"] == measure)

    def aggregate(self, slug, measure):
        return next(m["aggregate"] for m in self.summary(slug)["measures"] if m["name"] == measure)

    def test_pages(self):
        """Every place with figures has its pages and its file, in both languages; what pages link to exists."""
        with_figures = set()
        for entry in self.index.values():
            path = self.site / f"data/{entry['slug']}/{entry['version']}/{entry['slug']}.summary.json"
            if entry.get("kind") != "code-list" and path.is_file():
                for level, rows in json.loads(path.read_text()).get("places", {}).items():
                    with_figures |= set(rows) if level in ("kabkota", "provinsi") else set()
        self.assertGreater(len(with_figures), 500)
        for code in with_figures:
            for path in (f"tempat/{code}.html", f"en/places/{code}.html", f"tempat/{code}.csv", f"tempat/{code}.json"):
                self.assertTrue((self.site / path).is_file(), path)
        self.assertEqual({path.stem for path in (self.site / "tempat").glob("*.html")}, with_figures | {"index"})
        for page in ("tempat/32.73.html", "en/places/32.html", "tempat/index.html", "katalog/kumuh/index.html"):
            for href in re.findall(r'href="([^"#?:]*(?:tempat|places)/[^"#?]*)"', (self.site / page).read_text()):
                self.assertTrue(((self.site / page).parent / href).resolve().is_file(), f"{page}: {href}")

        bandung, west_java = (self.site / "tempat/32.73.html").read_text(), (self.site / "en/places/32.html").read_text()
        for page, said in ((bandung, "Tingkat kekumuhan: Berat.*kawasan"), (bandung, "Penduduk miskin.*orang"), (west_java, "Degree of slum conditions: Severe.*slum areas"), (west_java, "Poor people.*people")):
            title, unit = said.split(".*")
            self.assertRegex(page, rf'<dt>{title}</dt>\n<dd class="place-value"><b>[^<]+</b> {unit}')  # no number without its unit
        self.assertIn(" · Linimasa proyek: 2.000 · ", (self.site / "index.html").read_text())  # nor a table by the name that programs have for it

        explore = self.site / "katalog/kumuh/index.html"
        [outlines] = re.findall(r' data-boundaries="(.*?)"', explore.read_text())  # provinces, for orientation
        self.assertTrue((explore.parent / outlines).resolve().is_file())

    def test_small(self):
        """Pages stay small: half a thousand of them in two languages are compressed at each change."""
        sizes = sorted(path.stat().st_size for path in (self.site / "tempat").glob("*.html"))
        self.assertLess(sizes[len(sizes) // 2], 20_000)
        self.assertLess((self.site / "tempat/32.73.html.br").stat().st_size, 6_000)

    def test_search_leads_there(self):
        core = json.loads((self.site / "cari.json").read_text())
        self.assertEqual(core["places"], ["tempat/", "en/places/"])
        self.assertEqual({group[0] for group in core["groups"] if group[3] == 2}, {"Kabupaten dan kota", "Provinsi"})


if __name__ == "__main__":
    unittest.main()
