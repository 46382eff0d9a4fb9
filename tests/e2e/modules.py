"""Heavy libraries are loaded where they are needed (tools/lib/base/library.h): not by what does not need them; and where one cannot be loaded that is one
sentence and exit code 3, before anything was done."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import odp

MODULES = pathlib.Path(odp.PROGRAM).resolve().parent.parent / "lib/odp"
FIELDS = [{"name": "id", "type": "string"}, {"name": "nilai", "type": "integer"}]


@unittest.skipUnless(MODULES.is_dir(), "this program has its libraries linked")
class Modules(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("angka", "id,nilai\na,1\nb,2\n", FIELDS, {"schema": {"primaryKey": ["id"]}})
        program = odp.program_without_portal(self.dir / "program")
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = program
        self.modules = self.dir / "program/lib/odp"

    def damage(self, name):
        """Ways in which a module may be wrong; after each it is what it was."""
        path, good = self.modules / f"{name}.so", (self.modules / f"{name}.so").read_bytes()
        other = next(p for p in sorted(self.modules.iterdir()) if p.stem != name)
        path.unlink()
        yield "missing"
        path.write_bytes(b"")
        yield "empty"
        path.write_bytes(b"no library at all\n" * 1000)
        yield "garbage"
        path.write_bytes(good[:300])
        yield "cut"
        shutil.copy(other, path)
        yield "another one"
        path.write_bytes(good.replace(b"odp_table_", b"odp_tabel_"))
        yield "of another version"
        path.write_bytes(good)

    def refused(self, name, *command):
        """COMMAND says that NAME cannot be loaded; with NAME as it should be it goes on."""
        for how in self.damage(name):
            for lang in ("id", "en"):
                done = self.odp(*command, "--lang", lang, expect=3)
                self.assertIn(f"lib/odp/{name}.so", done.stderr, how)
                self.assertIn("not installed as a whole", done.stderr, how)
                self.assertEqual(len([line for line in done.stderr.splitlines() if "odp-build: " in line]), 1, done.stderr)

    def test_the_program_itself_needs_none_of_them(self):
        loaded = subprocess.run([odp.PROGRAM], env=dict(os.environ, LD_TRACE_LOADED_OBJECTS="1"), capture_output=True, text=True).stdout
        self.assertIn("libc.so", loaded)
        for name in ("libproj", "libcurl", "libarchive", "libqpdf", "libcairo", "libpango", "libglib", "libtiff", "libxml2", "libX11"):
            self.assertNotIn(name, loaded)
        shutil.rmtree(self.modules)
        self.odp("--version")
        self.odp("list")
        self.odp("check")

    def test_printing(self):
        path = self.dir / "catalog/angka/dataset.json"
        path.write_text(path.read_text().replace('"JSON"', '"JSON", "PDF"'))
        for name in ("drawing", "qpdf"):
            self.refused(name, "build")
            self.assertFalse((self.dir / "build/site").exists(), name)
        self.odp("check")
        self.odp("build")
        self.assertTrue(list((self.dir / "build/site/data/angka").glob("**/*.pdf")))

    def test_bundles(self):
        self.odp("build")
        self.refused("archive", "bundle", "berkas.zip")
        self.assertEqual(list(self.dir.glob("berkas*")), [])
        self.odp("bundle", "berkas.zip")

    def test_sites_on_the_web(self):
        self.refused("curl", "verify", "http://127.0.0.1:9/")
        done = self.odp("verify", "http://127.0.0.1:9/", expect=None)
        self.assertNotIn("not installed", done.stderr)

    def test_coordinates(self):
        """Of a projection that is not known without PROJ."""
        folder = self.dir / "catalog/kumuh"
        shutil.copytree(odp.SOURCE / "catalog/kumuh", folder)
        package = odp.read_json(folder / "dataset.json")
        for resource in package["resources"]:
            resource.pop("odp:foreignKeys", None)
        (folder / "dataset.json").write_text(json.dumps(package))
        (folder / "kumuh.prj").write_text(
            'PROJCS["Plate carree",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],'
            'UNIT["Degree",0.0174532925199433]],PROJECTION["Plate_Carree"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],'
            'PARAMETER["Central_Meridian",0.0],UNIT["Meter",1.0]]')
        self.refused("proj", "check", "kumuh")
        self.odp("check", "kumuh", expect=None)


if __name__ == "__main__":
    odp.main()
