"""Every file of the example site read back: each form gives the digest that the index names, or the attributes of the other forms."""
import json
import os
import pathlib
import shutil
import subprocess
import zipfile

import odp

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests" / "read_tool"
FORMS = {".json": "json", ".geojson": "geojson", ".csv": "csv"}


def ask(questions):
    """[[schema, form, file, …], …] -> [[rows, attributes, logical], …], or a fault as text."""
    lines = "".join("\t".join(map(str, q)) + "\n" for q in questions)
    done = subprocess.run([TOOL], input=lines, capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1):
        raise AssertionError(done.stderr)
    answers = [line[4:] if line.startswith("bad ") else line.split(" ") for line in done.stdout.splitlines()]
    assert len(answers) == len(questions), done.stderr
    return answers


def resources(site):
    """(slug, version, resource of the index, {form: files}) of a site."""
    for entry in json.loads((site / "v1/index.json").read_text())["data"]:
        for resource in entry["resources"]:
            slug, version = entry["slug"], entry["version"]
            schema = (site / "v1" / resource["schema"]).resolve()
            stem = schema.name.removeprefix("schema").removesuffix(".json")
            files = {form: [schema.parent / f"{slug}{stem}{ending}"] for ending, form in FORMS.items()}
            pages = site / "v1" / slug / (resource["name"] if stem else "") / "v" / version / "p"
            files["api"] = [site / "v1" / resource["api"]] + [pages / f"{n}.json" for n in range(2, resource["pages"] + 1)]
            yield slug, schema, resource, {f: p for f, p in files.items() if p[0].exists()}


class ReadBack(odp.Case):
    def build(self, *args):
        self.odp("build", *args, "--out", "site")
        return self.dir / "site"

    def test_all_forms_of_the_example_site(self):
        site = self.build("--catalog", odp.SOURCE / "catalog")
        asked, questions = [], []
        for slug, schema, resource, files in resources(site):
            for form, paths in files.items():
                asked.append((slug, resource, form))
                questions.append([schema, form, *paths])
        whole, plain = 0, {}
        for (slug, resource, form), answer in zip(asked, ask(questions)):
            what = f"{slug}/{resource['name']} {form}"
            self.assertIsInstance(answer, list, f"{what}: {answer}")
            rows, attributes, logical = answer
            self.assertEqual(int(rows), resource["rows"], what)
            self.assertEqual(plain.setdefault((slug, resource["name"]), attributes), attributes, what)
            if form in ("json", "geojson") or not resource["geometry"]:
                self.assertEqual("sha256:" + logical, resource["digest"], what)
            elif logical != "-":
                self.assertEqual("sha256:" + logical, resource["digest"], what)
            whole += logical != "-"
        self.assertGreater(len(asked), 50)
        self.assertGreater(whole, 45)
        self.assertEqual({form for _, _, form in asked}, {"json", "geojson", "csv", "api"})

    def test_what_is_cut_or_from_elsewhere_is_not_whole(self):
        site = self.build("--catalog", odp.SOURCE / "catalog")
        questions = []
        for slug, schema, resource, files in resources(site):
            for form, paths in files.items():
                if resource["rows"] == 0:
                    continue
                lines = paths[-1].read_bytes().splitlines(keepends=True)
                cut = self.dir / f"cut-{len(questions)}"
                cut.write_bytes(b"".join(lines[:-2] + lines[-1:] if form != "csv" else lines[:-1]))
                questions.append([schema, form, *paths[:-1], cut])
        for question, answer in zip(questions, ask(questions)):
            self.assertIsInstance(answer, str, f"{question}: {answer}")
            self.assertRegex(answer, "records|record|row|list|ends|damaged")
        self.assertGreater(len(questions), 50)

    def test_real_shapes(self):
        """Geometries that nobody here made, with and without heights, whole in JSON, GeoJSON, API, and in WKT."""
        sources = {"titik": "pulau_points/pulau_utf8.zip", "garis": "r-sf/storms_xyz_feature.shp", "daerah": "r-sf/nc.shp",
                   "negara": "ne_indonesia_10m/ne_indonesia_10m.shp"}
        self.catalogue(references=False)
        for slug, path in sources.items():
            source = self.needs("shp/" + path)
            parts = [source] if source.suffix == ".zip" else [p for p in source.parent.glob(source.stem + ".???") if p.suffix != ".prj"]
            geometry = {"required": False, "check": False, "crs": "EPSG:4326", "bbox": [-180, -90, 180, 90]}
            resource = {"path": source.name, "odp:geometry": geometry, "odp:csvGeometry": "wkt"}
            formats = {"odp:formats": ["JSON", "GeoJSON", "CSV"]}
            folder = self.dataset(slug, "", [{"name": n, "type": "string"} for n in dbf_names(source)], resource, **formats)
            (folder / f"{slug}.csv").unlink()
            for part in parts:
                shutil.copy(part, folder / part.name)
        site = self.build()
        seen = 0
        for slug, schema, resource, files in resources(site):
            for form, paths in files.items():
                [answer] = ask([[schema, form, *paths]])
                self.assertIsInstance(answer, list, f"{slug} {form}: {answer}")
                self.assertEqual("sha256:" + answer[2], resource["digest"], f"{slug} {form}")
                seen += 1
        self.assertEqual(seen, 4 * len(sources))


def dbf_names(path):
    """The columns of a shapefile's table."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            head = archive.read(next(n for n in archive.namelist() if n.lower().endswith(".dbf")))
    else:
        head = path.with_suffix(".dbf").read_bytes()
    return [head[at:at + 11].split(b"\0")[0].decode() for at in range(32, int.from_bytes(head[8:10], "little") - 32, 32)]


if __name__ == "__main__":
    odp.main()
