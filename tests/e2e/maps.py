"""<slug>.preview.json and <slug>.map.geojson beside the downloads, and pictures made of maps: nobody missing, nothing private, shapes that GEOS finds as valid as
the published ones, the same bytes on any number of threads."""
import ctypes
import ctypes.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import odp
import readerlib

SHAPES = ("kumuh", "proyek", "kualitas-lingkungan", "analisis-spasial")
TOOL = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "/nonexistent")) / "tests/picture_tool"
SVG = "{http://www.w3.org/2000/svg}"


class Geos:
    """GEOS itself, by its C interface."""

    def __init__(self):
        name = ctypes.util.find_library("geos_c")
        self.lib = ctypes.CDLL(name) if name else None
        if not self.lib or not hasattr(self.lib, "GEOSGeoJSONReader_readGeometry_r"):
            raise OSError("GEOS with GeoJSON (3.10) is not on this machine")
        for function, result, arguments in (("GEOS_init_r", ctypes.c_void_p, []), ("GEOSGeoJSONReader_create_r", ctypes.c_void_p, [ctypes.c_void_p]),
                                            ("GEOSGeoJSONReader_readGeometry_r", ctypes.c_void_p, [ctypes.c_void_p] * 2 + [ctypes.c_char_p]),
                                            ("GEOSisValid_r", ctypes.c_char, [ctypes.c_void_p] * 2),
                                            ("GEOSGeom_destroy_r", None, [ctypes.c_void_p] * 2),
                                            ("GEOSHausdorffDistance_r", ctypes.c_int, [ctypes.c_void_p] * 3 + [ctypes.POINTER(ctypes.c_double)])):
            getattr(self.lib, function).restype, getattr(self.lib, function).argtypes = result, arguments
        self.h = self.lib.GEOS_init_r()
        self.reader = self.lib.GEOSGeoJSONReader_create_r(self.h)

    def look(self, one, other):
        """(ONE is valid, OTHER is valid, how far they are from each other in degrees)."""
        a, b = (self.lib.GEOSGeoJSONReader_readGeometry_r(self.h, self.reader, json.dumps(g).encode()) for g in (one, other))
        far = ctypes.c_double()
        self.lib.GEOSHausdorffDistance_r(self.h, a, b, ctypes.byref(far))
        valid = [self.lib.GEOSisValid_r(self.h, g) == b"\1" for g in (a, b)]
        for g in (a, b):
            self.lib.GEOSGeom_destroy_r(self.h, g)
        return *valid, far.value


def rings(geometry):
    """How many parts and rings a geometry has: all that must not get fewer."""
    depth = {"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}[geometry["type"]]

    def shape(c, d):
        return len(c) if d == 2 else [shape(x, d - 1) for x in c]
    return shape(geometry["coordinates"], depth) if depth >= 2 else len(geometry["coordinates"]) if depth == 1 and geometry["type"] == "MultiPoint" else 1


def positions(c):
    return 1 if not isinstance(c[0], list) else sum(positions(x) for x in c)


def canonical(value):
    if value is None or isinstance(value, str):
        return value
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else json.dumps(value)


def exact(path):
    """JSON with numbers as the texts they are written as."""
    return json.loads(pathlib.Path(path).read_text(), parse_float=lambda t: Number(t), parse_int=lambda t: Number(t))


class Number(str):
    pass


def text_of(value):
    return canonical(value) if not isinstance(value, Number) else str(value)


class Maps(odp.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
        cls.addClassCleanup(odp.remove_tree, cls.folder)
        for out, jobs in (("one", "1"), ("eight", "8")):
            subprocess.run([odp.PROGRAM, "build", "--catalog", str(odp.SOURCE / "catalog"), "--out", out, "--jobs", jobs, "--quiet"],
                           cwd=cls.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.site = cls.folder / "one"

    def of(self, slug):
        """(the folder of the version, the document of the map)."""
        folder = next(p for p in sorted((self.site / "data" / slug).iterdir()) if (p / f"{slug}.map.geojson").exists())
        return folder, json.loads((folder / f"{slug}.map.geojson").read_text())

    def test_same_bytes_on_any_number_of_threads(self):
        files = [p.relative_to(self.site) for p in self.site.rglob("*") if p.name.endswith((".map.geojson", ".preview.json")) and "latest" not in p.parts]
        self.assertEqual(sum(p.name.endswith(".map.geojson") for p in files), len(SHAPES) + 1)  # and the boundaries of provinces
        self.assertGreater(len(files), 22 + len(SHAPES))  # a preview of every resource
        for path in files:
            self.assertEqual((self.site / path).read_bytes(), (self.folder / "eight" / path).read_bytes(), path)

    def test_previews_are_the_first_records(self):
        seen = 0
        for resource in readerlib.resources(self.site):
            name = resource.slug if resource.primary else f"{resource.slug}-{resource.name}"
            path = self.site / "data" / resource.slug / resource.version / f"{name}.preview.json"
            preview = json.loads(path.read_text())
            self.assertLessEqual(path.stat().st_size, 256 * 1024)
            self.assertEqual(preview["fields"], [f["name"] for f in resource.fields])
            self.assertEqual(preview["total"], resource.rows)
            self.assertEqual(preview["shown"], len(preview["rows"]))
            self.assertTrue(len(preview["rows"]) == min(50, resource.rows) or path.stat().st_size > 200 * 1024, name)
            api = exact(self.site / "v1" / (f"{resource.slug}.json" if resource.primary else f"{resource.slug}/{resource.name}.json"))["data"]
            for row, record in zip(preview["rows"], api):
                for field, cell in zip(preview["fields"], row):
                    if not isinstance(record[field], (list, dict)):
                        self.assertEqual(cell, text_of(record[field]), f"{name} {field}")
            seen += 1
        self.assertGreater(seen, 22)

    def test_maps_show_every_record(self):
        try:
            geos = Geos()
        except OSError as why:
            self.skipTest(str(why))
        for slug in SHAPES:
            folder, shown = self.of(slug)
            published = exact(folder / f"{slug}.geojson")
            say, features = shown["odp"], shown["features"]
            self.sound(folder / f"{slug}.map.geojson")
            self.assertEqual(say["form"], "features")
            self.assertEqual(say["total"], len(published["features"]))
            self.assertEqual([f["id"] for f in features], [f["id"] for f in published["features"]])
            for mine, theirs in zip(shown["bbox"], published["bbox"]):
                self.assertAlmostEqual(mine, float(theirs), delta=0.0000051 + say["tolerance"])
            names = [f["name"] for f in say["fields"]]
            self.assertTrue(3 <= len(names) <= 12 and set(say["key"]) <= set(names), names)
            self.assertTrue(say["label"] is None or say["label"] in names)
            budget = 0
            for f, g in zip(features, published["features"]):
                self.assertEqual(list(f["properties"]), names)
                for name, value in f["properties"].items():
                    self.assertEqual(value, text_of(g["properties"][name]))
                real = json.loads(json.dumps(g["geometry"], default=str), parse_float=float)
                real["coordinates"] = numbers(real["coordinates"])
                self.assertEqual(f["geometry"]["type"], real["type"])
                self.assertEqual(rings(f["geometry"]), rings(real))
                budget += positions(f["geometry"]["coordinates"])
                valid, was, far = geos.look(f["geometry"], real)
                self.assertTrue(valid or not was, f["id"])
                self.assertLess(far, 0.002 + 3 * say["tolerance"], f["id"])
            self.assertLessEqual(budget, 60000)
            self.assertLessEqual((folder / f"{slug}.map.geojson").stat().st_size, 1600000)
            self.assertLessEqual((folder / f"{slug}.map.geojson.br").stat().st_size, 400000)
            self.check_counts(say, features)

    def check_counts(self, say, features):
        values = say["category"]["values"]
        field = say["category"]["field"]
        listed = {v["value"] for v in values if v["value"] is not None}
        for v in values:
            n = sum(f["properties"][field] == v["value"] if v["value"] is not None else f["properties"][field] not in listed for f in features)
            self.assertEqual(n, v["count"])
        self.assertEqual(sum(v["count"] for v in values), say["total"])
        self.assertLessEqual(len(values), 9)
        self.assertEqual(len({v["color"] for v in values}), len(values))
        if say["place"]:
            counts = [v["count"] for v in say["place"]["values"]]
            self.assertEqual(counts, sorted(counts, reverse=True))
            for v in say["place"]["values"]:
                if say["place"]["field"] in features[0]["properties"]:
                    self.assertEqual(v["count"], sum(f["properties"][say["place"]["field"]] == v["value"] for f in features))
                self.assertTrue(v["label"]["id"].isupper() or v["label"]["id"][:1].isupper())

    def test_private_fields_are_nowhere(self):
        self.catalogue("kumuh")
        path = self.dir / "catalog/kumuh/dataset.json"
        package = odp.read_json(path)
        for f in package["resources"][0]["schema"]["fields"]:
            if f["name"] in ("nama_kawasan", "kelurahan"):
                f["sdi:aksesPublik"] = False
        path.write_text(json.dumps(package))
        source = [f["properties"] for f in json.loads((self.of("kumuh")[0] / "kumuh.geojson").read_text())["features"]]
        self.odp("build", "--quiet")
        folder = self.dir / "build/site/data/kumuh/2024-03-15"
        for name in ("kumuh.map.geojson", "kumuh.preview.json"):
            text = (folder / name).read_text()
            self.assertNotIn("nama_kawasan", text)
            self.assertNotIn("kelurahan\"", text)
            for record in source[:200]:
                self.assertNotIn(record["nama_kawasan"], text)
        self.assertEqual(odp.read_json(folder / "kumuh.map.geojson")["odp"]["total"], len(source))

    def test_published_ones_stay_as_they_are(self):
        self.catalogue("kumuh")
        self.odp("build", "--quiet")
        before = odp.digests(self.dir / "build/site")
        path = self.dir / "catalog/kumuh/dataset.json"
        package = odp.read_json(path)
        package["odp:charts"][0]["category"] = "sumber_air"
        path.write_text(json.dumps(package))
        self.odp("build", "--quiet")
        after = odp.digests(self.dir / "build/site")
        for name in ("kumuh.map.geojson", "kumuh.preview.json"):
            self.assertEqual(before[f"data/kumuh/2024-03-15/{name}"], after[f"data/kumuh/2024-03-15/{name}"])
        self.assertIn("utuh", self.odp("verify", "--lang", "id").stdout + self.odp("verify", "--lang", "id").stderr)
        for entry in odp.read_json(self.dir / "build/site/v1/index.json")["data"]:
            self.assertFalse([f for r in entry["resources"] for f in r["files"] if "preview" in f["url"] or ".map." in f["url"]])

    def test_too_many_for_one_by_one(self):
        self.catalogue("kualitas-lingkungan")
        subprocess.run([odp.SAMPLE, "kualitas-lingkungan", "--rows", "20000", "--catalog", self.dir / "catalog", "--out", self.dir / "sample"], check=True,
                       stdout=subprocess.DEVNULL)
        self.odp("build", "--sources", self.dir / "sample", "--quiet")
        folder = self.dir / "build/site/data/kualitas-lingkungan/2024-03-15"
        shown = odp.read_json(folder / "kualitas-lingkungan.map.geojson")
        self.assertEqual((shown["odp"]["form"], shown["odp"]["shown"], shown["odp"]["total"]), ("grid", 0, 20000))
        self.assertEqual(sum(f["properties"]["n"] for f in shown["features"]), shown["odp"]["located"])
        values = shown["odp"]["category"]["values"]
        for i, v in enumerate(values):
            self.assertEqual(sum(f["properties"]["counts"][i] for f in shown["features"]), v["count"])
        self.sound(folder / "kualitas-lingkungan.map.geojson")
        cells = set()
        for f in shown["features"]:
            ring = f["geometry"]["coordinates"][0]
            self.assertEqual(len(ring), 5)
            self.assertAlmostEqual(ring[2][0] - ring[0][0], shown["odp"]["cell"], delta=0.00002)
            cells.add(tuple(ring[0]))
        self.assertEqual(len(cells), len(shown["features"]))
        self.picture(folder / "kualitas-lingkungan.map.geojson")

    def sound(self, path):
        done = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "rfc7946.py", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def picture(self, path, lang="id"):
        if not TOOL.exists():
            self.skipTest("picture_tool was not built")
        coast = self.dir / "coast.json"
        coast.write_text(json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"who": "id"}, "geometry": {"type": "Polygon", "coordinates": [
                [[95, -11], [141, -11], [141, 6], [95, 6], [95, -11]], [[110, -5], [112, -5], [112, -4], [110, -5]]]}}]}))
        done = subprocess.run([TOOL, path, coast, lang, "Peta <uji> & \"lain\""], capture_output=True, check=True)
        again = subprocess.run([TOOL, path, coast, lang, "Peta <uji> & \"lain\""], capture_output=True, check=True)
        self.assertEqual(done.stdout, again.stdout)
        picture, alternative = done.stdout.decode().rsplit("</svg>\n", 1)
        picture += "</svg>\n"
        self.assertLessEqual(len(picture), 150 * 1000)
        root = xml.fromstring(picture)
        self.assertEqual(root.get("role"), "img")
        self.assertEqual(root.find(f"{SVG}title").text, "Peta <uji> & \"lain\"")
        self.assertEqual(root.find(f"{SVG}desc").text, alternative.strip())
        self.assertIn("prefers-color-scheme:dark", picture)
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        for e in root.iter():
            for key, value in e.attrib.items():
                self.assertNotRegex(key, "^on|style$")
                self.assertNotRegex(value, "nan|inf|https?:(?!//www.w3.org/2000/svg)")
                self.assertTrue("href" not in key or value[1:] in ids)
        return root, alternative

    def test_pictures(self):
        for slug in SHAPES:
            folder, shown = self.of(slug)
            for lang, many in (("id", "."), ("en", ",")):
                root, alternative = self.picture(folder / f"{slug}.map.geojson", lang)
                self.assertIn(f"{shown['odp']['total']:,}".replace(",", many), alternative)
                texts = " ".join("".join(e.itertext()) for e in root.iter(f"{SVG}text"))
                for v in shown["odp"]["category"]["values"]:
                    self.assertIn(v["label"][lang], alternative)
                    self.assertIn(f"{v['label'][lang]} {v['count']}", texts)
                for v in shown["odp"]["place"]["values"]:
                    self.assertIn(v["label"][lang], alternative)
                self.assertRegex(texts, r"\d k?m\b")
                self.assertIn({"id": "° BT".replace(" ", "\u00a0"), "en": "°\u00a0E"}[lang], texts)
        if shutil.which("rsvg-convert"):
            (self.dir / "map.svg").write_text(xml.tostring(root, encoding="unicode"))
            subprocess.run(["rsvg-convert", "map.svg", "-o", "map.png"], cwd=self.dir, check=True)
            self.assertGreater((self.dir / "map.png").stat().st_size, 5000)


def numbers(c):
    return [numbers(x) for x in c] if isinstance(c, list) else float(c)


if __name__ == "__main__":
    odp.main()
