"""odp-build export: the downloads of a dataset in a plain folder, checked like everything and byte for byte those of a build; or nothing."""
import fcntl
import json
import os
import resource
import subprocess

import odp

FIELDS = [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}, {"name": "luas", "type": "number"}]
ROWS = "kode,nama,luas\n" + "".join(f"{i:04},\"Kel. \"\"{i}\"\", RW {i % 7}\",{i}.5\n" for i in range(3000))
TODAY = ("--today", "2024-04-01")
NAMES = ["lahan-warga.csv", "lahan-warga.excel.csv", "lahan-warga.json", "lahan-warga.xlsx",
         "lahan.csv", "lahan.excel.csv", "lahan.json", "lahan.pdf", "lahan.xlsx"]


class Exporting(odp.Case):
    def make(self, rows=ROWS, **more):
        self.catalogue(references=False)
        folder = self.dataset("lahan", rows, FIELDS, {"schema": {"primaryKey": ["kode"]}}, **{"odp:formats": ["CSV", "JSON", "Excel"], **more})
        return folder / "lahan.csv"

    def tree(self, folder="ekspor"):
        folder = self.dir / folder
        return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")} if folder.exists() else None

    def export(self, *args, out="ekspor", **more):
        return self.odp("export", *args, "--out", out, *TODAY, **more)

    def sums(self, folder="ekspor"):
        subprocess.run(["sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS"], cwd=self.dir / folder, check=True)
        return [line.split("  ", 1)[1] for line in (self.dir / folder / "SHA256SUMS").read_text().splitlines()]

    def test_the_bytes_are_those_of_a_build(self):
        self.make()
        odp_json = self.dir / "catalog/lahan/dataset.json"
        package = odp.read_json(odp_json)
        package["odp:formats"].append("PDF")
        package["resources"].append({**package["resources"][0], "name": "warga", "path": "warga.csv"})
        odp_json.write_text(json.dumps(package))
        (self.dir / "catalog/lahan/warga.csv").write_text("kode,nama,luas\n1,a,\n,\"\",2\n".replace("\n,", "\n2,"))
        bare = odp.program_without_portal(self.dir / "bare")
        subprocess.run([bare, "build", *TODAY, "--quiet"], cwd=self.dir, check=True, capture_output=True)
        published = {p.name: p for p in (self.dir / "build/site/data/lahan/2024-03-15").iterdir()}
        for jobs in ("1", "3"):
            said = self.export("lahan", "--jobs", jobs, out=f"semua-{jobs}").stdout
            names = self.sums(f"semua-{jobs}")
            self.assertTrue(set(names) >= {n for n in NAMES if n in published}, names)
            self.assertEqual(sorted(names), names)
            self.assertEqual(sorted(self.tree(f"semua-{jobs}")), sorted([*names, "SHA256SUMS"]))
            for name in names:
                self.assertEqual((self.dir / f"semua-{jobs}" / name).read_bytes(), published[name].read_bytes(), name)
                self.assertIn(f"semua-{jobs}/{name} ", said)
        self.export("lahan", "--format", "json,csv")
        self.assertEqual(self.sums(), ["lahan-warga.csv", "lahan-warga.json", "lahan.csv", "lahan.json"])
        self.assertEqual((self.dir / "ekspor/lahan.json").read_bytes(), published["lahan.json"].read_bytes())

    def test_with_geometry(self):
        slug = "kumuh"
        self.catalogue(slug)
        self.export(slug, "--format", "geojson,csv")
        self.assertEqual(self.sums(), [f"{slug}.csv", f"{slug}.geojson"])
        self.assertEqual(odp.read_json(self.dir / f"ekspor/{slug}.geojson")["name"], slug)

    def test_what_is_rejected_leaves_nothing(self):
        source = self.make()
        source.write_text(ROWS + "9999,x,banyak\n")
        said = self.odp("export", "lahan", "--out", "baru/a/b", *TODAY, "--lang", "en", expect=1)
        self.assertIn("ODP-T03", said.stderr)
        self.assertEqual(said.stdout, "")
        self.assertFalse((self.dir / "baru").exists())
        source.write_text(ROWS)
        self.export("lahan", "--format", "json")
        (self.dir / "ekspor/catatan.txt").write_text("punya orang lain")
        before = self.tree()
        source.write_text(ROWS.replace("0005", "0004"))  # a key twice is known late
        self.export("lahan", expect=1)
        self.assertEqual(self.tree(), before)
        source.write_text(ROWS.replace("\n0001,", "\n0001 ,"))
        self.export("lahan", "--strict", expect=1)       # a warning
        self.assertEqual(self.tree(), before)
        source.write_text("kode,nama,luas\nA,b,1\n")
        self.export("lahan", "--format", "csv")
        after = self.tree()
        self.assertEqual(sorted(after), ["SHA256SUMS", "catatan.txt", "lahan.csv", "lahan.json"])
        self.assertEqual(after["lahan.csv"], b"kode,nama,luas\r\nA,b,1\r\n")
        self.assertEqual((after["lahan.json"], after["catatan.txt"]), (before["lahan.json"], before["catatan.txt"]))
        self.assertEqual(self.sums(), ["lahan.csv"])     # what this export has written

    def test_a_full_disk_changes_nothing(self):
        self.make()
        self.export("lahan", "--format", "csv")
        before = self.tree()
        for limit in (0, 4096, 100_000):                 # bytes a file may have
            done = subprocess.run([odp.PROGRAM, "export", "lahan", "--out", "ekspor", "--format", "json,csv,xlsx", *TODAY, "--lang", "en", "--quiet"], cwd=self.dir,
                                  capture_output=True, text=True, restore_signals=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("the machine failed", done.stderr)
            self.assertEqual(self.tree(), before)

    def test_one_file_as_a_dataset(self):
        self.make()
        (self.dir / "kiriman.csv").write_text("kode,nama,luas\nZ,z,9\n")
        self.export("--as", "lahan", "kiriman.csv", "--format", "json")
        self.assertEqual(odp.read_json(self.dir / "ekspor/lahan.json")["data"], [{"kode": "Z", "nama": "z", "luas": 9}])
        self.export("--as", "lahan", "--format", "json", expect=2)

    def test_the_version_may_be_in_the_data(self):
        self.make("kode,nama,luas,tanggal\na,b,1,2024-01-02\nc,d,2,2024-02-01\n", **{"odp:lastUpdate": {"field": "tanggal"}})
        package = odp.read_json(self.dir / "catalog/lahan/dataset.json")
        package["resources"][0]["schema"]["fields"].append({"name": "tanggal", "type": "date"})
        (self.dir / "catalog/lahan/dataset.json").write_text(json.dumps(package))
        self.export("lahan", "--format", "json")
        self.assertEqual(odp.read_json(self.dir / "ekspor/lahan.json")["meta"]["version"], "2024-02-01")

    def refused(self, word, *args, **more):
        """Exit code 2 with WORD in the message, before anything is read or written."""
        before = self.tree()
        said = self.export(*args, "--lang", "en", expect=2, **more)
        self.assertIn(word, said.stderr)
        self.assertEqual(said.stdout, "")
        self.assertEqual(self.tree(), before)

    def test_what_is_refused(self):
        source = self.make()
        self.dataset("lahan-warga", ROWS, FIELDS)
        package = odp.read_json(self.dir / "catalog/lahan/dataset.json")
        package["resources"].append({**package["resources"][0], "name": "warga"})
        (self.dir / "catalog/lahan/dataset.json").write_text(json.dumps(package))
        self.assertIn("--out FOLDER", self.odp("export", "lahan", expect=2).stderr)
        self.assertIn("export SLUG", self.odp("export", "--out", "ekspor", "--lang", "en", expect=2).stderr)
        self.refused("available: json, geojson, csv, excel.csv, xlsx, pdf", "lahan", "--format", "json,parquet")
        self.refused("available:", "lahan", "--format", "json,")
        self.refused("not published as geojson", "lahan", "--format", "json,geojson")
        self.refused("ODP-C14", "lahn")
        self.refused("lahan-warga.csv; export them one by one", "lahan", "lahan-warga", "--format", "csv")
        bytes_before = source.read_bytes()
        self.refused("is the source file", "lahan", "--format", "csv", out="catalog/lahan")
        self.assertEqual(source.read_bytes(), bytes_before)
        self.export("lahan", "--format", "json", out="catalog/lahan")    # takes no source's place
        (self.dir / "ekspor/lahan.csv").mkdir(parents=True)
        self.refused("is not a file", "lahan", "--format", "csv")
        (self.dir / "situs").mkdir()
        (self.dir / "situs/manifest.json").write_text("{}")
        self.refused("is a published site", "lahan", out="situs")

    def test_withdrawn_datasets_are_refused(self):
        self.make(**{"odp:status": "withdrawn"})
        said = self.export("lahan", "--lang", "en", expect=2)
        self.assertIn("lahan is withdrawn", said.stderr)
        self.assertFalse((self.dir / "ekspor").exists())

    def test_one_at_a_time_and_after_a_killed_one(self):
        self.make()
        left = self.dir / "ekspor/.odp-export/data"
        left.mkdir(parents=True)
        (left / "lahan.json").write_text("setengah")
        handle = os.open(self.dir / "ekspor", os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        self.refused("another export", "lahan")
        os.close(handle)
        self.export("lahan", "--format", "json")
        self.assertEqual(sorted(self.tree()), ["SHA256SUMS", "lahan.json"])

    def test_reports_and_quiet(self):
        self.make()
        report = self.report("export", "lahan", "--out", "ekspor", *TODAY)
        self.assertEqual((report["summary"]["errors"], report["summary"]["rows"]), (0, 3000))
        self.assertEqual(self.export("lahan", "--quiet").stdout, "")


if __name__ == "__main__":
    odp.main()
