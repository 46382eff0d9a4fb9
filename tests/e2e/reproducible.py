"""The same bytes on a second build, on any number of threads, in another locale, time zone and folder."""
import os

import odp


class Reproducible(odp.Case):
    def test_same_bytes_everywhere(self):
        catalog = odp.SOURCE / "catalog"
        self.odp("build", "--catalog", catalog, "--out", "one", "--jobs", "1")
        self.odp("build", "--catalog", catalog, "--out", "deep/er/two", "--jobs", "2",
                 env={"LC_ALL": "id_ID.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Jayapura"})
        self.odp("build", "--catalog", catalog, "--out", "three", "--jobs", "5")
        first = odp.digests(self.dir / "one")
        self.assertGreater(len(first), 200)
        self.assertEqual(first, odp.digests(self.dir / "deep/er/two"))
        self.assertEqual(first, odp.digests(self.dir / "three"))
        self.assertEqual(os.readlink(self.dir / "one").split("/")[-1], os.readlink(self.dir / "three").split("/")[-1])

    def test_building_again_changes_nothing(self):
        catalog = odp.SOURCE / "catalog"
        self.odp("build", "--catalog", catalog, "--out", "site")
        target, before = os.readlink(self.dir / "site"), odp.digests(self.dir / "site")
        self.odp("build", "--catalog", catalog, "--out", "site")
        self.assertEqual((os.readlink(self.dir / "site"), odp.digests(self.dir / "site")), (target, before))
        self.assertEqual([p for p in os.listdir(self.dir / "site.builds") if p.startswith(".stage")], [])

    def test_one_dataset_alone_gives_the_bytes_of_all(self):
        catalog = odp.SOURCE / "catalog"
        self.odp("build", "--catalog", catalog, "--out", "site")
        before = odp.digests(self.dir / "site")
        self.odp("build", "kumuh", "--catalog", catalog, "--out", "site")
        self.assertEqual(odp.digests(self.dir / "site"), before)


if __name__ == "__main__":
    odp.main()
