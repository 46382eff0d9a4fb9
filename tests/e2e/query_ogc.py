"""OGC API - Features as programs for maps use it: GDAL's driver and OWSLib page through every collection of the example and get exactly what is published;
filters and boxes give the counts that ogrinfo gives on the GeoJSON download. `deep` adds ogc-client from npm."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import urllib.parse
import urllib.request

import gatewaylib
import odp

DEEP = "deep" in sys.argv[1:]
GEOMETRIES = ["kumuh", "proyek", "kualitas-lingkungan", "analisis-spasial"]
CLIENT = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "node"


def tidy(value):
    """A published value as GDAL's GeoJSON writer gives it back: numbers of equal value are equal, texts are texts."""
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def rounded(geometry):
    """With the 7 decimals that are published: GDAL writes doubles."""
    def walk(value):
        return round(value, 7) if isinstance(value, (int, float)) else [walk(v) for v in value]
    return {"type": geometry["type"], "coordinates": walk(geometry["coordinates"])}


class Ogc(unittest.TestCase):
    """One site of the whole example and one gateway for all tests."""

    @classmethod
    def setUpClass(cls):
        gatewaylib.Case.setUpClass()
        if not shutil.which("ogrinfo"):
            raise unittest.SkipTest("GDAL's programs are not installed")
        case = gatewaylib.Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        port = gatewaylib.free_port()
        case.catalogue(*[p.name for p in sorted((odp.SOURCE / "catalog").iterdir()) if (p / "dataset.json").exists()])
        cls.dir = case.dir
        cls.site = case.compile(tiers=[("public", 1000, 20), ("government", None, 100000)])  # its baseUrl is elsewhere: links follow the address asked for
        cls.gateway = gatewaylib.Gateway(cls.site, case.dir / "state")
        cls.gateway.port = port
        case.addCleanup(cls.gateway.destroy)
        cls.gateway.start()
        cls.key = cls.gateway.create_key("government")
        cls.root = cls.gateway.url("/v1/ogc")

    def published(self, slug):
        (path,) = (self.site / "data" / slug).glob(f"2*/{slug}.geojson")
        return path

    def features(self, slug):
        """The published ones without the columns of names that files have beside codes; a query has them by labels=true."""
        called = {c["name"] for c in odp.read_json(self.published(slug).with_name("schema.json")).get("odp:labelColumns", [])}
        return [{**f, "properties": {k: v for k, v in f["properties"].items() if k not in called}} for f in odp.read_json(self.published(slug))["features"]]

    def gdal(self, program, *args, key=None):
        header = self.dir / "header.txt"  # GDAL_HTTP_HEADERS reaches no OAPIF of GDAL 3.8 and 3.10, which have headers of their own
        header.write_text(f"Authorization: Bearer {key or self.key}\n")
        env = dict(os.environ, GDAL_HTTP_HEADER_FILE=str(header), CPL_DEBUG="OFF")
        done = subprocess.run([program, *map(str, args)], capture_output=True, text=True, env=env, timeout=120)
        self.assertEqual(done.returncode, 0, f"{program} {args}\n{done.stderr[-2000:]}\n{done.stdout[-2000:]}")
        self.assertNotIn("ERROR", done.stderr, f"{program} {args}")
        return done.stdout

    def count(self, source, layer, *args):
        text = self.gdal("ogrinfo", "-ro", "-so", *args, source, layer)
        return int(next(line for line in text.splitlines() if line.startswith("Feature Count:")).split(":")[1])

    def test_gdal_lists_all_collections(self):
        text = self.gdal("ogrinfo", "-ro", f"OAPIF:{self.root}")
        names = [line.split(": ", 1)[1].split(" (")[0] for line in text.splitlines() if line[:1].isdigit()]
        self.assertGreaterEqual(set(names), set(GEOMETRIES))

    def test_gdal_gets_exactly_the_features(self):
        for slug in GEOMETRIES:
            with self.subTest(slug):
                out = self.dir / f"{slug}.geojson"
                self.gdal("ogr2ogr", "-f", "GeoJSON", "-lco", "COORDINATE_PRECISION=15", out, f"OAPIF:{self.root}", slug)
                got, want = odp.read_json(out)["features"], self.features(slug)
                self.assertEqual(len(got), len(want))
                key = next(iter(want[0]["properties"]))
                by_key = {f["properties"][key]: f for f in want}
                for feature in got:
                    mine = by_key.pop(feature["properties"][key])
                    self.assertEqual(rounded(feature["geometry"]), rounded(mine["geometry"]))
                    for name, value in mine["properties"].items():
                        self.assertEqual(tidy(feature["properties"].get(name)), tidy(value), (slug, name))
                self.assertEqual(by_key, {})

    def test_gdal_filters_count_as_on_the_download(self):
        cases = [("kumuh", "luas_ha > 10"), ("kumuh", "tingkat = 'Berat' AND luas_ha >= 5.5"), ("proyek", "nilai_kontrak IS NULL"),
                 ("proyek", "tahun_anggaran = '2023' OR progres < 50"), ("kualitas-lingkungan", "ph BETWEEN 6 AND 7"), ("analisis-spasial", "skor <> 50")]
        cases += [("kumuh", f"tanggal_sk {op} '2020-01-01'") for op in (">=", "<=")] + [("kumuh", "tanggal_sk >= '2019-01-01' AND tanggal_sk <= '2020-12-31'")]
        hits = 0
        for slug, where in cases:
            with self.subTest(slug, where=where):
                want = self.count(self.published(slug), slug, "-where", where)
                self.assertEqual(self.count(f"OAPIF:{self.root}", slug, "-where", where), want)
                hits += want > 0
        self.assertGreater(hits, 4)
        for slug in GEOMETRIES:
            w, s, e, n = odp.read_json(self.published(slug))["bbox"]
            for box in [(w, s, (w + e) / 2, (s + n) / 2), ((w + e) / 2, s, e, n), (w + (e - w) / 3, s, w + (e - w) / 2, n)]:
                with self.subTest(slug, box=box):
                    spat = ["-spat", *(f"{v:.6f}" for v in box)]
                    self.assertEqual(self.count(f"OAPIF:{self.root}", slug, *spat), self.count(self.published(slug), slug, *spat))

    def test_gdal_with_a_fresh_public_key(self):
        """It asks ten records at a time, far quicker than the burst allows, and takes a refusal for the end."""
        out, key = self.dir / "publik.gpkg", self.gateway.create_key("public")
        self.gdal("ogr2ogr", "-q", out, f"OAPIF:{self.gateway.url('/v1/ogc').replace('127.0.0.1', 'localhost')}", "analisis-spasial", key=key)
        self.assertEqual(self.count(out, "analisis-spasial"), len(odp.read_json(self.published("analisis-spasial"))["features"]))

    def test_gdal_gets_tables_too(self):
        for collection, slug, name in (("kontraktor", "kontraktor", "kontraktor.csv"), ("proyek-timeline", "proyek", "proyek-timeline.json")):
            (path,) = (self.site / "data" / slug).glob(f"2*/{name}")
            want = len(odp.read_json(path)["data"]) if name.endswith(".json") else len(odp.read_csv(path))
            self.assertEqual(self.count(f"OAPIF:{self.root}", collection), want)

    def test_owslib_pages_through_all(self):
        sys.path.append("/usr/lib/python3/dist-packages")  # Debian's own, where another Python comes first
        try:
            from owslib.ogcapi.features import Features
        except ImportError as e:
            self.skipTest(f"OWSLib is not installed: {e}")
        service = Features(self.root, headers={"Authorization": f"Bearer {self.key}"})
        self.assertGreaterEqual(set(service.feature_collections()), set(GEOMETRIES))
        self.assertIn("http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core", service.conformance()["conformsTo"])
        for slug in GEOMETRIES:
            with self.subTest(slug):
                self.assertEqual(service.collection(slug)["id"], slug)
                self.assertTrue(service.collection_queryables(slug)["properties"])
                want = {f["id"]: f for f in self.features(slug)}
                page, got = service.collection_items(slug, limit=37), {}
                self.assertEqual(page["numberMatched"], len(want))
                while True:
                    self.assertEqual(page["numberReturned"], len(page["features"]))
                    for feature in page["features"]:
                        self.assertNotIn(feature["id"], got, "a record came twice")
                        got[feature["id"]] = {k: v for k, v in feature.items() if k != "links"}
                    following = [link["href"] for link in page["links"] if link["rel"] == "next"]
                    if not following:
                        break
                    request = urllib.request.Request(following[0], headers={"Authorization": f"Bearer {self.key}"})
                    page = json.load(urllib.request.urlopen(request))
                self.assertEqual(got, want)
                first = next(iter(want))
                item = service.collection_item(slug, urllib.parse.quote(str(first), safe=""))
                self.assertEqual({k: v for k, v in item.items() if k != "links"}, want[first])

    @unittest.skipUnless(DEEP, "ogc-client is for the deep tests")
    def test_ogc_client_pages_through_all(self):
        if not (CLIENT / "node_modules" / "@camptocamp" / "ogc-client").exists():
            self.skipTest("ogc-client is not installed")
        script = odp.SOURCE / "tests" / "node" / "page.mjs"
        done = subprocess.run(["node", str(script), str(CLIENT), self.root, self.key, *GEOMETRIES], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        got = json.loads(done.stdout)
        for slug in GEOMETRIES:
            want = [f["id"] for f in odp.read_json(self.published(slug))["features"]]
            self.assertEqual(sorted(got[slug]), sorted(want), slug)


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "deep"], verbosity=2)
