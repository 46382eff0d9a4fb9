"""Real Indonesian files that nobody here wrote: regions, islands, boundaries; sums and counts by independent tools."""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

import odp

# The fourth group of a village's code begins with 1 (kelurahan), 2 (desa) or, in Papua, 3 (desa adat).
CODE = {"provinsi": r"\d{2}", "kabkota": r"\d{2}\.\d{2}", "kecamatan": r"\d{2}\.\d{2}\.\d{2}", "desa": r"\d{2}\.\d{2}\.\d{2}\.[123]\d{3}",
        "pulau": r"\d{2}\.\d{2}\.4\d{4}"}
FILES = {"provinsi": "provinces", "kabkota": "regencies", "kecamatan": "districts", "desa": "villages", "pulau": "islands"}
PARENT = {"kabkota": ("province_code", "provinsi"), "kecamatan": ("regency_code", "kabkota"), "desa": ("district_code", "kecamatan"),
          "pulau": ("regency_code", "kabkota")}
ROWS = {"provinsi": 38, "kabkota": 514, "kecamatan": 7277, "desa": 83763, "pulau": 16995}


def checker(path):
    done = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "rfc7946.py", path], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Regions(odp.Case):
    def setUp(self):
        super().setUp()
        self.data = self.needs("id/wilayah_idn_area_data")
        self.catalogue(references=False)
        for slug, name in FILES.items():
            header = (self.data / f"{name}.csv").read_text().splitlines()[0].split(",")
            fields = [{"name": column, "type": "string"} for column in header]
            fields[0]["constraints"] = {"required": True, "pattern": CODE[slug] if slug != "pulau" else CODE[slug] + r"|\d{2}\.00\.4\d{4}"}
            resource = {"schema": {"primaryKey": ["code"]}}
            if slug in PARENT:
                column, parent = PARENT[slug]
                resource["odp:foreignKeys"] = [{"fields": [column], "reference": {"dataset": parent, "fields": ["code"]}}]
            folder = self.dataset(slug, "", fields, resource)
            shutil.copy(self.data / f"{name}.csv", folder / f"{slug}.csv")

    def test_all_levels_with_all_keys(self):
        report = self.report("build")
        self.assertEqual(report["summary"]["rows"], sum(ROWS.values()))
        self.assertEqual(report["summary"]["errors"], 0)
        # Every island's coordinate holds a bare quote, and so do some names of villages: kept as text, said once a record.
        quoted = sum('"' in line for name in FILES.values() for line in (self.data / f"{name}.csv").read_text().splitlines())
        self.assertEqual(report["counts"], {"ODP-R04": quoted})
        for slug, name in FILES.items():
            source = odp.csv.reader((self.data / f"{name}.csv").open(newline="", encoding="utf-8"), quoting=odp.csv.QUOTE_NONE)
            expected = [[cell for cell in row] for row in source][1:]
            site = self.dir / "build/site/data" / slug / "2024-03-15"
            from_json = [[value or "" for value in r.values()] for r in odp.read_json(site / f"{slug}.json")["data"]]
            from_csv = [list(r.values()) for r in odp.read_csv(site / f"{slug}.csv")]
            self.assertEqual(len(expected), ROWS[slug])
            self.assertEqual(from_json, expected, slug)
            self.assertEqual(from_csv, expected, slug)

    def test_a_lost_zero_is_found_and_the_code_proposed(self):
        path = self.dir / "catalog/kabkota/kabkota.csv"
        text = path.read_text()
        self.assertIn("\n11.10,", text)
        path.write_text(text.replace("\n11.10,", "\n11.1,"))
        report = self.report("check", expect=1)
        found = [d for d in report["diagnostics"] if d["dataset"] == "kabkota" and d["severity"] == "error"]
        self.assertEqual([(d["code"], d["value"], d["field"]) for d in found], [("ODP-S04", "11.1", "code")])
        line = text.splitlines().index(next(row for row in text.splitlines() if row.startswith("11.10,"))) + 1
        self.assertEqual((found[0]["line"], found[0]["column"]), (line, 1))
        # kecamatan refers to the rejected kabkota: one note, no error a row.
        self.assertEqual(report["counts"].get("ODP-K02", 0), 0)


class OtherWriters(odp.Case):
    """The same villages as three spreadsheets write them give the same records."""

    def test_encodings(self):
        data = self.needs("id/derived_third_party_writers")
        self.catalogue(references=False)
        forms = {"cp1252": ("desa_ngada_cp1252_semicolon_crlf.csv", "windows-1252", ";"),
                 "utf8bom": ("desa_ngada_utf8bom_crlf.csv", "utf-8", ","), "utf16": ("desa_ngada_utf16le_tab.txt", "utf-16", "\t")}
        for slug, (name, encoding, delimiter) in forms.items():
            text = (data / name).read_bytes().decode("utf-8-sig" if encoding == "utf-8" else encoding)
            fields = [{"name": c, "type": "string"} for c in text.splitlines()[0].split(delimiter)]
            folder = self.dataset(slug, "", fields, {"encoding": encoding, "dialect": {"delimiter": delimiter}})
            shutil.copy(data / name, folder / f"{slug}.csv")
        self.odp("build")
        records = [odp.read_json(self.dir / f"build/site/data/{s}/2024-03-15/{s}.json")["data"] for s in forms]
        self.assertEqual(len(records[0]), 194)
        self.assertEqual(records[0], records[1])
        self.assertEqual(records[0], records[2])
        self.assertTrue(any("’" in r["name"] for r in records[0]))


class Shapes(odp.Case):
    def build_shape(self, slug, source, fields, geometry, path):
        self.catalogue(references=False)
        folder = self.dataset(slug, "", fields, {"path": path, "odp:geometry": geometry}, **{"odp:formats": ["GeoJSON", "CSV"]})
        (folder / f"{slug}.csv").unlink()
        for part in source:
            shutil.copy(part, folder / part.name)
        self.odp("build")
        return self.dir / f"build/site/data/{slug}/2024-03-15/{slug}.geojson"

    def ogr_digest(self, path, extra=()):
        """Coordinates as GDAL reads them, rounded to 7 places."""
        if shutil.which("ogr2ogr") is None:
            self.skipTest("ogr2ogr is not installed")
        out = self.dir / f"ogr-{hashlib.md5(str(path).encode()).hexdigest()}.json"
        subprocess.run(["ogr2ogr", "-f", "GeoJSON", "-lco", "RFC7946=YES", "-lco", "COORDINATE_PRECISION=7", *extra, out, path],
                       check=True, capture_output=True)
        return odp.read_json(out)["features"]

    def test_islands(self):
        data = self.needs("shp/pulau_points")
        fields = [{"name": n, "type": "string"} for n in self.dbf_names(data / "pulau_utf8.zip")]
        out = self.build_shape("pulau", [data / "pulau_utf8.zip"], fields, {"types": ["Point"], "required": False}, "pulau_utf8.zip")
        ours = odp.read_json(out)["features"]
        self.assertEqual(len(ours), 16995)
        self.assertEqual(checker(out)[0], 0, checker(out)[1][:2000])
        theirs = self.ogr_digest("/vsizip/" + str(data / "pulau_utf8.zip"))
        self.assertEqual([f["geometry"] for f in ours], [f["geometry"] for f in theirs])
        back = self.ogr_digest(out)
        self.assertEqual([f["geometry"] for f in back], [f["geometry"] for f in ours])
        names = list(theirs[0]["properties"])
        self.assertEqual([[str(f["properties"][n] or "") for n in names] for f in ours],
                         [[str(f["properties"][n] if f["properties"][n] is not None else "") for n in names] for f in theirs])

    def dbf_names(self, archive):
        if shutil.which("ogrinfo") is None:
            self.skipTest("ogrinfo is not installed")
        listing = subprocess.run(["ogrinfo", "-so", "-al", "/vsizip/" + str(archive)], capture_output=True, text=True).stdout
        return [line.split(":")[0] for line in listing.splitlines() if line.endswith(")") and ": String" in line or ": Integer" in line or ": Real" in line]

    def test_indonesia(self):
        data = self.needs("shp/ne_indonesia_10m")
        expected = odp.read_json(data / "ne_indonesia_10m.expected.gdal.geojson")["features"]
        fields = [{"name": n, "type": "string"} for n in expected[0]["properties"]]
        # Natural Earth's outline may touch itself: whether it is valid is not what is asked here.
        out = self.build_shape("negara", sorted(data.glob("ne_indonesia_10m.???")), fields, {"check": False}, "ne_indonesia_10m.shp")
        ours = odp.read_json(out)["features"]
        self.assertEqual(len(ours), 1)
        self.assertEqual(checker(out)[0], 0, checker(out)[1][:2000])
        self.assertEqual(len(ours[0]["geometry"]["coordinates"]), 264)
        rings = lambda f: sorted(json.dumps(self.canonical(p)) for p in f["geometry"]["coordinates"])
        self.assertEqual(rings(ours[0]), rings(expected[0]))

    def canonical(self, polygon):
        """Rings with 7 decimals that begin at their smallest point; which point comes first says nothing."""
        result = []
        for ring in polygon:
            points = [[round(float(c), 7) for c in p] for p in ring[:-1]]
            start = points.index(min(points))
            result.append(points[start:] + points[:start])
        return result


if __name__ == "__main__":
    odp.main()
