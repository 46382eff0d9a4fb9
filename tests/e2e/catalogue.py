"""The example catalogue as a whole: SPEC.md's table, the site's files, nothing private in it."""
import gzip
import html
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import odp
import workbooklib

# SPEC.md, "Dataset (catalogue entry)": name, formats, last update. The one place that knows the number 22.
TABLE = """
Slum map | GeoJSON, CSV | 2024-03-15
Housing statistics | CSV, JSON | 2024-03-20
Rehabilitation programmes | JSON, CSV | 2024-03-18
Ministry budget | CSV, Excel | 2024-03-10
Development projects | JSON, GeoJSON | 2024-03-15
Clean water access | CSV | 2024-03-12
Slum demographics | CSV, JSON | 2024-03-14
Property investment | Excel, CSV | 2024-03-11
Empowerment programmes | JSON | 2024-03-16
Registered contractors | CSV | 2024-03-13
Regulations and policy | PDF, JSON | 2024-03-09
Development targets | CSV | 2024-03-17
Technology and innovation | JSON | 2024-03-19
Public feedback | CSV | 2024-03-20
Awards and certification | JSON | 2024-03-08
Market analysis | CSV, Excel | 2024-03-14
Construction workforce | CSV | 2024-03-12
Environmental quality | GeoJSON, CSV | 2024-03-15
Real-time monitoring | JSON | 2024-03-20
Regulatory compliance | CSV | 2024-03-11
Spatial analysis | GeoJSON | 2024-03-13
Risk and mitigation | JSON, CSV | 2024-03-16
"""
SLUGS = """kumuh perumahan rehabilitasi anggaran proyek air-bersih demografi-kumuh investasi-properti pemberdayaan kontraktor
regulasi target-pembangunan inovasi aspirasi penghargaan analisis-pasar tenaga-kerja kualitas-lingkungan pemantauan kepatuhan
analisis-spasial risiko""".split()
EXTENSION = {"CSV": ".csv", "JSON": ".json", "GeoJSON": ".geojson", "Excel": ".xlsx", "PDF": ".pdf"}


def insides(path):
    """The bytes of a file and what is packed inside of it: a workbook's parts with their escapes undone, a PDF's streams and its text."""
    data = path.read_bytes()
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            parts = [book.read(name) for name in book.namelist()]
        return [data, *parts, *(html.unescape(part.decode()).encode() for part in parts if part[:5] == b"<?xml")]
    if path.suffix == ".pdf":
        commands = ["qpdf", "--qdf", "--object-streams=disable", path, "-"], ["pdftotext", path, "-"], ["pdftotext", "-raw", path, "-"]
        return [data, *(subprocess.run(c, check=True, capture_output=True).stdout for c in commands)]
    return [data]


class Catalogue(odp.Case):
    @classmethod
    def setUpClass(cls):
        cls.site = odp.example_site()

    def test_index_is_the_specified_table(self):
        index = odp.read_json(self.site / "v1/index.json")
        self.assertEqual(index["status"], "success")
        expected = [tuple(cell.strip() for cell in line.split("|")) for line in TABLE.strip().splitlines()]
        datasets = [e for e in index["data"] if e["kind"] == "dataset"]
        found = [(e["name"], ", ".join(e["formats"]), e["last_update"]) for e in datasets]
        self.assertEqual(found, expected)
        self.assertEqual([e["slug"] for e in datasets], SLUGS)

    def test_code_lists_are_published(self):
        """After the datasets; the newest edition under the list's name, older ones as further tables."""
        entries = odp.read_json(self.site / "v1/index.json")["data"][len(SLUGS):]
        folders = sorted(p.parent.name for p in (odp.SOURCE / "catalog/references").glob("*/dataset.json"))
        self.assertEqual([(e["slug"], e["kind"]) for e in entries], [(name, "code-list") for name in folders])
        for entry in entries:
            told = odp.read_json(odp.SOURCE / "catalog/references" / entry["slug"] / "dataset.json")
            editions = sorted(told["resources"], key=lambda r: r["odp:editionDate"], reverse=True)
            self.assertEqual([r["edition"] for r in entry["resources"]], [e["name"] for e in editions])
            self.assertEqual([r["name"] for r in entry["resources"]], [entry["slug"], *[e["name"] for e in editions[1:]]])
            self.assertEqual((entry["version"], entry["formats"]), (editions[0]["odp:editionDate"], told.get("odp:formats", ["CSV", "JSON"])))
            for table, edition in zip(entry["resources"], editions):
                if not edition["path"].endswith(".csv"):
                    continue
                source = odp.read_csv(odp.SOURCE / "catalog/references" / entry["slug"] / edition["path"])
                published = odp.read_json(self.site / "v1" / table["api"])["data"]
                self.assertEqual([r["kode"] for r in published], [r["kode"] for r in source])
                self.assertEqual(odp.read_csv(self.site / "v1" / table["download"]["CSV"]), source)
            self.assertFalse((self.site / f"data/{entry['slug']}/scorecard.json").exists())
            for page in (f"katalog/{entry['slug']}.html", f"en/catalog/{entry['slug']}.html"):
                self.assertTrue((self.site / page).is_file(), page)

    def test_data_point_to_the_edition_they_use(self):
        folder = self.site / "data/kumuh/2024-03-15"
        key = odp.read_json(folder / "schema.json")["odp:foreignKeys"][0]["reference"]
        self.assertEqual((key["dataset"], key["resource"], key["version"]), ("references/kabkota", "2025", "2025-04-25"))
        self.assertTrue((folder / key["page"]).resolve().samefile(self.site / "katalog/kabkota.html"))
        codes = {r["kode"] for r in odp.read_csv((folder / key["path"]).resolve())}
        self.assertLessEqual({r["kode_kabkota"] for r in odp.read_csv(folder / "kumuh.csv")}, codes)
        page = (self.site / "katalog/kumuh.html").read_text()
        self.assertIn('<a href="kabkota.html">', page)
        self.assertIn('<a href="../data/kabkota/2025-04-25/kabkota.csv" download>', page)
        nodes = {n["@id"]: n for n in odp.read_json(self.site / "dcat.jsonld")["@graph"]}
        kumuh = next(n for i, n in nodes.items() if i.endswith("/data/kumuh/"))
        self.assertEqual([n["@id"] in nodes for n in kumuh["dct:requires"]], [True])
        self.assertTrue(kumuh["dct:references"][0]["@id"].endswith("/data/kabkota/2025-04-25/kabkota.csv"))

    def test_downloads_exist_and_agree(self):
        index = odp.read_json(self.site / "v1/index.json")
        for entry in index["data"]:
            slug, version = entry["slug"], entry["version"]
            api = odp.read_json(self.site / f"v1/{slug}.json")
            self.assertEqual(api["status"], "success")
            rows = api["meta"]["total"]
            self.assertGreaterEqual(rows, 50 if slug != "regulasi" and entry["kind"] == "dataset" else 7, slug)
            self.assertLessEqual(rows, 2000, slug)
            for fmt in entry["formats"]:
                path = self.site / f"data/{slug}/{version}/{slug}{EXTENSION[fmt]}"
                self.assertTrue(path.is_file(), path)
                self.assertTrue((self.site / "v1" / entry["download"][fmt]).resolve().samefile(path), entry["download"])
                if fmt == "CSV":
                    self.assertEqual(len(odp.read_csv(path)), rows, slug)
                elif fmt == "JSON":
                    self.assertEqual(len(odp.read_json(path)["data"]), rows, slug)
                elif fmt == "Excel":
                    with workbooklib.Workbook(path) as book:
                        self.assertIn(rows + 1, [sum(1 for _ in sheet.rows()) for sheet in book.sheets], slug)
                elif fmt == "PDF":
                    self.assertTrue(path.read_bytes().startswith(b"%PDF-1."), slug)
                else:
                    self.assertEqual(len(odp.read_json(path)["features"]), rows, slug)

    def test_pages_hold_all_records_once(self):
        for slug in ("perumahan", "kontraktor", "pemantauan"):
            page = odp.read_json(self.site / f"v1/{slug}.json")
            total, pages, seen = page["meta"]["total"], page["meta"]["pages"], list(page["data"])
            path = self.site / f"v1/{slug}.json"
            while page["links"].get("next"):
                path = path.parent / page["links"]["next"]
                page = odp.read_json(path)
                seen += page["data"]
                pages -= 1
            self.assertEqual((len(seen), pages), (total, 1), slug)
            self.assertEqual(len({json.dumps(r, sort_keys=True) for r in seen}), total, slug)

    def test_manifest_names_every_file_with_its_digest(self):
        manifest = odp.read_json(self.site / "manifest.json")
        found = odp.digests(self.site)
        found.pop("manifest.json")
        self.assertEqual({f["path"]: f["sha256"] for f in manifest["files"]}, found)
        for f in manifest["files"]:
            self.assertEqual((self.site / f["path"]).stat().st_size, f["size"])
            self.assertIn(f["class"], ("public", "keyed", "internal"))
        control = (self.site / "control").read_text()
        for path, digest in found.items():
            if path != "control":
                self.assertIn(digest[:32], control, path)

    def test_twins_hold_the_same_bytes(self):
        twins = sorted(self.site.rglob("*.gz"))
        self.assertGreater(len(twins), 40)
        for twin in twins:
            self.assertEqual(gzip.decompress(twin.read_bytes()), twin.with_suffix("").read_bytes(), twin)

    def test_geojson_is_rfc_7946(self):
        files = sorted(self.site.glob("data/*/2*/*.geojson"))
        self.assertEqual(len(files), 10)  # five downloads, and what the maps on their pages show
        for path in files:
            done = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "rfc7946.py", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_private_values_are_nowhere(self):
        secrets = set()
        for descriptor in sorted((odp.SOURCE / "catalog").glob("*/dataset.json")):
            for resource in odp.read_json(descriptor)["resources"]:
                private = [f["name"] for f in resource["schema"]["fields"] if f.get("sdi:aksesPublik") is False]
                if not private:
                    continue
                dialect = resource.get("dialect", {})
                text = (descriptor.parent / resource["path"]).read_bytes().decode(resource.get("encoding", "utf-8"))
                lines = text.lstrip("\ufeff").splitlines()[dialect.get("headerRows", [1])[-1] - 1:]
                for row in odp.csv.DictReader(lines, delimiter=dialect.get("delimiter", ",")):
                    secrets |= {row[name] for name in private if row[name] and len(row[name]) >= 10}
        self.assertGreater(len(secrets), 300)
        paths = {p.stat().st_ino: p for p in pathlib.Path(f"{self.site}.builds").rglob("*") if p.is_file() and p.suffix not in (".gz", ".br")}  # also what lies beside
        self.assertLess({".xlsx", ".pdf", ".json", ".csv", ".html", ".svg"}, {p.suffix for p in paths.values()})
        everything = b"\n".join(part for p in paths.values() for part in insides(p))
        self.assertIn(b"Peta permukiman kumuh", everything)
        (self.dir / "secrets").write_text("".join(s + "\n" for s in secrets))
        found = subprocess.run(["grep", "-aoFf", self.dir / "secrets"], input=everything, capture_output=True, env=dict(os.environ, LC_ALL="C"))
        self.assertEqual((found.returncode, found.stdout), (1, b""), found.stderr)  # 1: there is none
        planted = subprocess.run(["grep", "-aoFf", self.dir / "secrets"], input=b"x" + min(secrets).encode() + b"x", capture_output=True, env=dict(os.environ, LC_ALL="C"))
        self.assertEqual(planted.stdout, min(secrets).encode() + b"\n")

    def test_every_format_of_the_table_is_a_download(self):
        index = odp.read_json(self.site / "v1/index.json")
        for entry in index["data"]:
            self.assertEqual(sorted(entry["download"]), sorted(entry["formats"]), entry["slug"])
            self.assertNotIn("formats_unbuilt", entry)
        report = self.report("build", "--catalog", odp.SOURCE / "catalog", "--out", self.dir / "site")
        self.assertEqual((report["summary"]["errors"], report["summary"]["warnings"]), (0, 0))


if __name__ == "__main__":
    odp.main()
