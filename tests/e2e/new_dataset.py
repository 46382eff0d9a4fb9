"""Adding a dataset is one folder and touches no other file; publishing it is a release."""
import odp


class NewDataset(odp.Case):
    def test_a_folder_more_is_a_dataset_more(self):
        target = self.dir / "catalog"
        odp.shutil.copytree(odp.SOURCE / "catalog", target)
        before = {p: p.read_bytes() for p in target.rglob("*") if p.is_file()}
        self.odp("build")
        site = odp.read_json(self.dir / "build/site/v1/index.json")
        self.dataset("rusunawa", "kode,nama,unit\nR1,Rusunawa Marunda,2.580\nR2,Rusunawa Rancacili,480\n",
                     [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"},
                      {"name": "unit", "type": "integer", "groupChar": "."}], {"schema": {"primaryKey": ["kode"]}})
        self.assertEqual({p: p.read_bytes() for p in before}, before)
        self.assertIn("ODP-V20", self.odp("check", expect=1).stderr)  # what a build would refuse
        self.release("2.6.0")
        self.odp("check")
        self.odp("build")
        index = odp.read_json(self.dir / "build/site/v1/index.json")
        self.assertEqual(len(index["data"]), len(site["data"]) + 1)
        self.assertEqual(odp.read_json(self.dir / "build/site/v1/rusunawa.json")["data"][0], {"kode": "R1", "nama": "Rusunawa Marunda", "unit": 2580})

    def test_the_template_catalogue_builds_as_it_stands(self):
        self.odp("build", "--strict", "--catalog", odp.SOURCE / "templates/catalog")
        rows = odp.read_json(self.dir / "build/site/v1/air-minum.json")["data"]
        self.assertEqual(rows[0], {"kode_kabkota": "31.71", "tahun": 2023, "sambungan": 182450, "cakupan": 71.4})


if __name__ == "__main__":
    odp.main()
