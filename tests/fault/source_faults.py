"""A source that changes while it is read: appended to, cut short, rewritten in place with the same size, replaced by a rename, taken away; a CSV file, a
shapefile (and its .dbf alone), a zip. It is no matter of timing: the shim runs the change right before the Nth time that the file is opened or read.

`check`, `build` and `export` either say so in one sentence that names the file (exit code 3), or what they give is of one state of the source: the one
before the change or the one after it, to the byte. They never crash. After it the site is whole, and the next build publishes the source as it is then. The
catalogue's own files are treated likewise, and a published file that is cut short while it is mapped ends the build with a sentence, too."""
import os
import shutil
import zipfile

import faults
import odp
import shapes

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}]
ROWS = 6000  # some hundred kilobytes: several reads


def table(state, rows=ROWS):
    return "kode,nilai\n" + "".join(f"k{i:05},{100 + (i * 7 + state) % 900}.5\n" for i in range(rows))


def shape(folder, name, state):
    ring = [[106.8, -6.2], [106.8, -6.1], [106.9, -6.1], [106.9, -6.2], [106.8, -6.2]]
    shapes.write({"name": name, "type": 5, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["id", "C", 10, 0]],
                  "records": [{"shape": [[[x + state / 100, y] for x, y in ring]], "values": [f"{'ab'[state]}{i}"]} for i in range(3000)]}, folder)


class Changing(odp.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.catalogue(references=False)
        self.counts = {"told": 0, "before": 0, "after": 0}

    def hooked(self, words, hook, command):
        """odp-build WORDS with COMMAND run at HOOK (None: never)."""
        more = {"ODP_HOOK": hook, "ODP_HOOK_DO": command} if hook else {}
        return faults.run(words, self.dir, None, ODP_LANG="en", **more)[0]

    def published(self):
        """The site's content; what a build may say of when and what came before is not compared."""
        site = odp.digests(self.dir / "build/site")
        return {path: digest for path, digest in site.items() if path.startswith("data/") and "/latest/" not in path}

    def go_through(self, part, before, after, changes, moments, commands=("check", "build", "export")):
        """BEFORE() and AFTER() make the source's two states; CHANGES are shell commands by name, which lead to another one."""
        states = {}
        for name, make in (("before", before), ("after", after)):
            make()
            odp.remove_tree(self.dir / "build")
            self.odp("build")
            states[name] = self.published()
        self.assertNotEqual(states["before"], states["after"])
        for name, command in changes.items():
            for moment in moments:
                for word in commands:
                    with self.subTest(f"{name} at {moment}, {word}"):
                        before()
                        self.one(part, word, f"{moment}:{part}", command, states)
        print(f"{part}: {self.counts}", flush=True)
        self.assertGreater(self.counts["told"], 0)

    def one(self, part, word, hook, command, states):
        for name in ("build", "ekspor"):
            odp.remove_tree(self.dir / name)
        mark = self.dir / "changed"
        mark.unlink(missing_ok=True)
        words = [word, "satu", "--out", "ekspor"] if word == "export" else [word]
        done = self.hooked(words, hook, f"cd {self.dir} && touch changed && {command}")
        if not mark.exists():
            self.assertEqual(done.returncode, 0, done.stderr)
            return  # so often the file is not read by this command
        self.assertIn(done.returncode, (0, 1, 3), f"{done.returncode}\n{done.stderr[-2000:]}")
        if done.returncode == 3:
            self.counts["told"] += 1
            last = done.stderr.strip().split("\n")[-1]
            self.assertIn("catalog/satu/satu.", last)
            self.assertIn("changed while it was read; wait until nobody writes to it", last)
            self.assertFalse((self.dir / "build/site").exists())
            self.assertEqual([p.name for p in (self.dir / "ekspor").glob("*")] if (self.dir / "ekspor").is_dir() else [], [])
        elif done.returncode == 0 and word == "build":
            self.counts[self.state_of(self.published(), states)] += 1
        elif done.returncode == 0:
            self.counts["after"] += 1
        else:  # the state after the change is wrong by itself
            self.assertTrue(faults.tells(done.stderr), done.stderr)
            self.counts["told"] += 1
        if word == "build":
            self.next_build()

    def state_of(self, site, states):
        found = [name for name in states if states[name] == site]
        if not found:  # a third state, which the change has made: it must be the one that is there now
            self.odp("build", "--out", "sekarang/site")
            now = {path: d for path, d in odp.digests(self.dir / "sekarang/site").items() if path in site}
            odp.remove_tree(self.dir / "sekarang")
            self.assertEqual(site, now, "neither state of the source")
            return "after"
        return found[0]

    def next_build(self):
        done = self.odp("build", expect=None)
        again = self.odp("build", "--out", "segar/site", expect=None)
        fresh = odp.digests(self.dir / "segar/site") if again.returncode == 0 else {}
        odp.remove_tree(self.dir / "segar")
        rows = sorted(p for p in self.published() if p.endswith("/satu.csv"))
        now = again.returncode == 0 and rows and self.published()[rows[-1]] in fresh.values()
        if again.returncode == 0 and not now:  # it had been read to its end: what came after is an edit like any other, and has no date of its own yet
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("ODP-V10", done.stderr)
        else:
            self.assertEqual(done.returncode, again.returncode, done.stderr)
        if done.returncode == 0:
            self.odp("verify", "build/site")
            self.assertTrue(now, "not the source as it is now")

    def csv_states(self):
        self.dataset("satu", table(0), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        path = self.dir / "catalog/satu/satu.csv"
        (self.dir / "lain.csv").write_text(table(1), newline="")
        self.assertEqual(path.stat().st_size, (self.dir / "lain.csv").stat().st_size)
        return path

    def test_csv(self):
        path = self.csv_states()
        source = "catalog/satu/satu.csv"
        changes = {"appended": f"printf 'x1,1.5\\n' >> {source}", "cut": f"truncate -s 5000 {source}", "emptied": f": > {source}",
                   "rewritten": f"cat lain.csv > {source}", "replaced": f"cp lain.csv neu && mv neu {source}", "gone": f"rm {source}"}
        if not DEEP:
            changes = {name: changes[name] for name in ("cut", "rewritten", "replaced")}
        moments = [f"read:{n}" for n in (range(1, 13) if DEEP else (2, 4))] + [f"open:{n}" for n in (range(1, 5) if DEEP else (2,))]
        self.go_through("satu.csv", lambda: path.write_text(table(0), newline=""), lambda: path.write_text(table(1), newline=""), changes, moments,
                        ("check", "build", "export") if DEEP else ("build", "export"))

    def shape_states(self, form):
        folder = self.dataset("satu", "", [{"name": "id", "type": "string"}], {"path": f"satu.{form}", "odp:geometry": {"types": ["Polygon"]}},
                              **{"odp:formats": ["CSV", "GeoJSON"]})
        (folder / "satu.csv").unlink()
        for state, name in enumerate(("awal", "lain")):
            (self.dir / name).mkdir()
            shape(self.dir / name, "satu", state)
            with zipfile.ZipFile(self.dir / name / "satu.zip", "w", zipfile.ZIP_DEFLATED) as z:
                for part in sorted((self.dir / name).glob("satu.*")):
                    if part.suffix != ".zip":
                        z.write(part, part.name)
        return folder

    def put(self, folder, name, pattern):
        for path in (self.dir / name).glob(pattern):
            (folder / path.name).unlink(missing_ok=True)
            shutil.copy(path, folder / path.name)

    def test_shapefile(self):
        folder = self.shape_states("shp")
        to = "catalog/satu"
        changes = {"all replaced": f"for f in lain/satu.[!z]*; do cp $f neu && mv neu {to}/$(basename $f); done",
                   "dbf swapped": f"cp lain/satu.dbf neu && mv neu {to}/satu.dbf", "dbf rewritten": f"cat lain/satu.dbf > {to}/satu.dbf",
                   "shp cut": f"truncate -s 20000 {to}/satu.shp", "dbf cut": f"truncate -s 9000 {to}/satu.dbf", "shx gone": f"rm {to}/satu.shx"}
        if not DEEP:
            changes = {name: changes[name] for name in ("all replaced", "dbf swapped", "shp cut")}
        moments = [f"read:{n}" for n in (range(1, 9) if DEEP else (3,))] + [f"open:{n}" for n in (range(1, 6) if DEEP else (2, 4))]
        for part in ("satu.shp", "satu.dbf") if DEEP else ("satu.dbf",):
            self.go_through(part, lambda: self.put(folder, "awal", "satu.[!z]*"), lambda: self.put(folder, "lain", "satu.[!z]*"), changes, moments,
                            ("build", "export") if DEEP else ("build",))

    def test_zip(self):
        folder = self.shape_states("zip")
        changes = {"replaced": "cp lain/satu.zip neu && mv neu catalog/satu/satu.zip", "rewritten": "cat lain/satu.zip > catalog/satu/satu.zip",
                   "cut": "truncate -s 3000 catalog/satu/satu.zip"}
        moments = [f"read:{n}" for n in (range(1, 16) if DEEP else (2, 5))] + [f"open:{n}" for n in (range(1, 4) if DEEP else (2,))]
        self.go_through("satu.zip", lambda: self.put(folder, "awal", "satu.zip"), lambda: self.put(folder, "lain", "satu.zip"), changes, moments, ("build",))

    def test_portal(self):
        """What holds for all datasets is read first and digested later: what came between is not taken for what was read."""
        self.csv_states()
        portal = self.dir / "catalog/portal.json"
        old = portal.read_text()
        other = old.replace('"title"', '"title" ', 1)
        (self.dir / "portal").write_text(other)
        for n in (1, 2, 3):
            with self.subTest(n):
                odp.remove_tree(self.dir / "build")
                portal.write_text(old)
                mark = self.dir / "changed"
                mark.unlink(missing_ok=True)
                done = self.hooked(["build"], f"open:{n}:portal.json", f"cd {self.dir} && touch changed && cat portal > catalog/portal.json")
                if done.returncode == 3:
                    self.assertIn("changed while it was read", done.stderr)
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(done.returncode, (3,) if n in (1, 2) and mark.exists() else (0,))

    def test_a_published_file_cut_short_while_it_is_mapped(self):
        self.csv_states()
        self.odp("build")
        self.update("satu", "2024-03-16", table(0).replace("k00007,", "k00007,9"))
        published = self.dir / "build/site/data/satu/2024-03-15/satu.csv"
        old = self.dir / "published"
        shutil.copy(published, old)
        # It was opened and has its size; it is cut right before it is mapped.
        done = self.hooked(["build"], "mmap:1:/satu.csv", f"cd {published.parent} && chmod u+w satu.csv && truncate -s 0 satu.csv")
        self.assertEqual(published.stat().st_size, 0)
        self.assertEqual(done.returncode, 3, f"{done.returncode}\n{done.stderr}")
        last = done.stderr.strip().split("\n")[-1]
        self.assertRegex(last, "read .*data/satu/2024-03-15/satu.csv: it was cut short while it was read; build the site again")
        os.chmod(published, 0o644)
        shutil.copy(old, published)
        os.chmod(published, 0o444)
        self.odp("build")
        self.odp("verify", "build/site")


if __name__ == "__main__":
    odp.main()
