"""The same bytes on a second build, on any number of threads, in another locale, time zone and folder, on another day: of a site, and of
one with a history, where each version was published from somewhere else."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile

import odp


class Reproducible(odp.Case):
    def forget(self, site):
        """What the last build was made from: the next one reads everything that it is asked to build."""
        for path in (self.dir / f"{site}.builds").glob("*.inputs"):
            path.unlink()

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
        self.assertIn("tidak ada yang berubah", self.odp("build", "--catalog", catalog, "--out", "site").stderr)
        self.assertEqual((os.readlink(self.dir / "site"), odp.digests(self.dir / "site")), (target, before))
        self.forget("site")
        self.assertNotIn("tidak ada yang berubah", self.odp("build", "--catalog", catalog, "--out", "site").stderr)
        self.assertEqual((os.readlink(self.dir / "site"), odp.digests(self.dir / "site")), (target, before))
        self.assertEqual([p for p in os.listdir(self.dir / "site.builds") if p.startswith(".stage")], [])

    def test_one_dataset_alone_gives_the_bytes_of_all(self):
        catalog = odp.SOURCE / "catalog"
        self.odp("build", "--catalog", catalog, "--out", "site")
        before = odp.digests(self.dir / "site")
        self.odp("build", "kumuh", "--catalog", catalog, "--out", "site")
        self.assertEqual(odp.digests(self.dir / "site"), before)
        self.forget("site")
        self.odp("build", "kumuh", "--catalog", catalog, "--out", "site")
        self.assertEqual(odp.digests(self.dir / "site"), before)


class History(odp.Case):
    """Lines, several resources, keys across datasets, slices: published, then with other values and a column more, then corrected."""

    SLUGS = ("proyek", "kontraktor", "air-bersih", "tenaga-kerja")
    made = None  # a folder with the states of the catalogue, made once

    @classmethod
    def tearDownClass(cls):
        if History.made is not None:
            odp.remove_tree(History.made)

    def setUp(self):
        super().setUp()
        if History.made is None:
            History.made = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
            self.make_states()

    def make_states(self):
        self.catalogue(*self.SLUGS)
        shutil.copytree(self.dir / "catalog", self.made / "1")
        self.other_values()
        shutil.copytree(self.dir / "catalog", self.made / "2")
        self.correction()
        shutil.copytree(self.dir / "catalog", self.made / "3")

    def other_values(self):
        """Every dataset has other values under the same keys; clean water has fewer rows, and a column more."""
        subprocess.run([odp.SAMPLE, *self.SLUGS, "--seed", "2", "--catalog", "catalog", "--out", "sampel"], cwd=self.dir, check=True, capture_output=True)
        for source in (self.dir / "sampel").rglob("*.*"):
            shutil.copy(source, self.dir / "catalog" / source.relative_to(self.dir / "sampel"))
        for slug in self.SLUGS:
            self.update(slug, "2024-05-02")
        folder = self.dir / "catalog/air-bersih"
        lines = (folder / "air-bersih.csv").read_text().splitlines()
        rows = [lines[0] + ";catatan"] + [f"{line};{f'ke-{n}' if n % 3 else ''}" for n, line in enumerate(lines[1:]) if n % 17]
        self.update("air-bersih", "2024-05-02", "\n".join(rows) + "\n")
        package = odp.read_json(folder / "dataset.json")
        package["resources"][0]["schema"]["fields"].append({"name": "catatan", "type": "string"})
        (folder / "dataset.json").write_text(json.dumps(package))
        self.release("2.6.0")

    def correction(self):
        folder = self.dir / "catalog/air-bersih"
        package = odp.read_json(folder / "dataset.json")
        package["odp:correction"] = {"id": "Satu catatan salah.", "en": "One note was wrong."}
        (folder / "dataset.json").write_text(json.dumps(package))
        text = (folder / "air-bersih.csv").read_text()
        self.assertEqual(text.count(";ke-1\n"), 1)
        (folder / "air-bersih.csv").write_text(text.replace(";ke-1\n", ";ke-1a\n"))

    def publish(self, where, state, *options, day=None, env=None):
        """Builds STATE of the catalogue in the folder WHERE, as if it were DAY (where the clock can be set)."""
        folder = self.dir / where
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / "catalog", ignore_errors=True)
        shutil.copytree(self.made / str(state), folder / "catalog")
        environment = dict(os.environ, ODP_NO_TIMES="1", ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0", **(env or {}))
        environment.pop("SOURCE_DATE_EPOCH", None)
        done = odp.run_on(day if shutil.which("faketime") else None, [odp.PROGRAM, "build", *map(str, options)], cwd=folder, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return self.seen(folder / "build/site")

    def seen(self, site):
        """The build's name, and path, mode and digest of every file."""
        modes = {str(p.relative_to(site)): stat.S_IMODE(p.stat().st_mode) for p in site.rglob("*")}
        return os.readlink(site).split("/")[-1], modes, odp.digests(site)

    def same(self, found, expected):
        self.assertEqual([p for p in sorted({*found[2], *expected[2]}) if found[2].get(p) != expected[2].get(p)], [])
        self.assertEqual(found, expected)

    def check_history(self, site):
        """It is a history that the others are compared with."""
        versions = {s: [v["version"] for v in odp.read_json(site / f"data/{s}/versions.json")["data"]] for s in self.SLUGS}
        expected = {s: ["2024-05-02", odp.read_json(self.made / f"1/{s}/dataset.json")["odp:lastUpdate"]] for s in self.SLUGS}
        expected["air-bersih"].insert(0, "2024-05-02.1")
        self.assertEqual(versions, expected)
        water = site / "data/air-bersih/2024-05-02.1"
        self.assertEqual(odp.read_json(water / "changes.json")["summary"]["changed"], 1)
        self.assertTrue((water / "air-bersih.csv.from-2024-05-02.delta").is_file())
        self.assertIn("2.6.0", (site / "feed.xml").read_text())
        self.assertGreater(len((site / "releases.log").read_text().splitlines()), 2)

    def test_threads_locale_zone_folder_and_day(self):
        """Each version by another machine on another day; the days are far apart, and one lies before the data's."""
        there = {"LC_ALL": "id_ID.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Jayapura", "HOME": "/nonexistent", "USER": "lain"}
        builds = set()
        for state, day, other_day, env in ((1, "2024-02-29 23:59:58", "2030-12-31 23:59:59", there),
                                           (2, "2024-05-03 00:00:00", "2038-01-19 03:14:07", {"LC_ALL": "C.UTF-8", "TZ": "America/St_Johns"}),
                                           (3, "2025-01-01 00:00:01", "2031-07-01 05:00:00", there)):
            here = self.publish("a", state, "--jobs", 1, day=day, env={"LC_ALL": "C", "TZ": "UTC"})
            self.same(self.publish("jauh/di/sana", state, "--jobs", 2 + state, day=other_day, env=env), here)
            builds.add(here[0])
        self.assertEqual(len(builds), 3)
        self.check_history(self.dir / "a/build/site")
        if not shutil.which("faketime"):
            self.skipTest("the rest held; faketime is not installed")

    def test_where_the_history_comes_from(self):
        """Built on top of what lies here, of a site that lies elsewhere, and by somebody who has lost every hint."""
        first = self.publish("a", 1)
        subprocess.run(["cp", "-a", "a", "b"], cwd=self.dir, check=True)
        for hint in (self.dir / "b/build/site.builds").iterdir():
            if len(hint.name) != 64:  # no build: log, history, seals, inputs
                hint.unlink()
        self.same(self.publish("c", 2, "--previous", self.dir / "a/build/site"), self.publish("b", 2))
        second = self.publish("a", 2)
        self.assertNotEqual(first[0], second[0])
        self.same(second, self.seen(self.dir / "c/build/site"))


if __name__ == "__main__":
    odp.main()
