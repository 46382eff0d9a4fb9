"""Two commands at once for one site: build, withdraw, rollback, publish into its folder. Whoever comes second is refused with a sentence, at every moment
of the first one: right before it takes the lock, while it reads, writes, switches. What was published in between is not lost. The moments are those of
calls (the shim runs the second command there), not of a clock; and once many commands run into each other as they like."""
import os
import subprocess

import faults
import odp
import versionslib

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}]
TODAY = ("--today", "2024-12-01")
# Where in a build: before the lock; while the source is read; the first file is made; the log is written; the history is, after the switch.
MOMENTS = ("open:1:site.builds/.lock", "open:2:satu.csv", "open:1:.stage-", "open:1:.new-log", "open:1:site.builds/history")
# What a build asks of the disk before it holds the lock: there, another command may go first.
FREE = MOMENTS[0]


class Beside(odp.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.catalogue(references=False)
        for slug in ("satu", "dua"):
            self.dataset(slug, self.rows(0), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        for day in (15, 16):
            for slug in ("satu", "dua"):
                self.update(slug, f"2024-03-{day}", self.rows(day))
            self.odp("build", *TODAY)
        self.day = 17
        self.change()

    def change(self, slug="satu"):
        """A new version of a dataset, of a later day than all before."""
        self.day += 1
        date = f"2024-{3 + self.day // 28:02}-{1 + self.day % 28:02}"
        self.update(slug, date, self.rows(self.day))
        return date

    def rows(self, state):
        return "kode,nilai\n" + "".join(f"k{i},{(i + state) % 90}.5\n" for i in range(100))

    def both(self, moment, first, second):
        """FIRST with SECOND begun, and ended, at MOMENT: (first's run, second's exit code or None, second's words)."""
        words = " ".join(f"'{w}'" for w in (odp.PROGRAM, *second))
        (self.dir / "zweites").unlink(missing_ok=True)
        done, _ = faults.run(first, self.dir, None, ODP_LANG="en", ODP_HOOK=moment,
                             ODP_HOOK_DO=f"cd {self.dir}; ODP_LANG=en ODP_NO_TIMES=1 {words} > zweites.words 2>&1; echo $? > zweites")
        code = int((self.dir / "zweites").read_text()) if (self.dir / "zweites").exists() else None
        return done, code, (self.dir / "zweites.words").read_text() if code is not None else ""

    def whole(self):
        self.assertIsNone(versionslib.why_not_whole(self.dir / "build/site"))
        self.odp("verify", "build/site")
        left = [n for n in os.listdir(self.dir / "build/site.builds") if n.startswith((".stage", ".scratch", ".new"))]
        self.assertEqual(left, [])

    def refused(self, code, words):
        self.assertEqual(code, 1, words)
        self.assertIn("ODP-V08", words)
        self.assertIn("build/site", words)

    def first_build(self):
        return (self.dir / "build/site.builds/log").read_text().split()[0]

    def test_beside_a_build(self):
        withdraw = ["withdraw", "dua", "2024-03-15", "--reason", "legal", "--note", "putusan"]
        seconds = {"build": ["build", *TODAY], "withdraw": withdraw, "rollback": ["rollback", "--to", self.first_build()]}
        tried = 0
        for moment in MOMENTS[1:]:
            for name, second in seconds.items():
                with self.subTest(f"{name} at {moment}"):
                    self.change()
                    done, code, words = self.both(moment, ["build", *TODAY], second)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if (name, moment) == ("build", MOMENTS[-1]):  # the new site stands: there is nothing to do, so it needs no lock
                        self.assertEqual(code, 0, words)
                        self.assertIn("nothing has changed", words)
                    else:
                        self.refused(code, words)
                    self.whole()
                    tried += 1
        print(f"beside a build: {tried} tried", flush=True)

    def test_published_between(self):
        """Another one publishes after this one has read what is published, and before it has the lock: it must not take that back."""
        build = ["build", *TODAY]
        self.odp(*build)
        date = self.change("dua")
        done, code, words = self.both(FREE, build, build)
        self.assertEqual(code, 0, words)
        self.refused(done.returncode, done.stderr)
        self.assertTrue((self.dir / f"build/site/data/dua/{date}/dua.csv").is_file())
        self.whole()
        self.odp(*build)
        self.whole()

    def test_rolled_back_or_withdrawn_between(self):
        for name, second in (("rollback", ["rollback", "--to", self.first_build()]),
                             ("withdraw", ["withdraw", "dua", "2024-03-15", "--reason", "legal", "--note", "putusan"])):
            with self.subTest(name):
                self.change()
                done, code, words = self.both(FREE, ["build", *TODAY], second)
                self.assertEqual(code, 0, words)
                self.refused(done.returncode, done.stderr)
                self.whole()
        self.odp("build", *TODAY)
        for path in (self.dir / "build/site").rglob("2024-03-15"):
            self.assertNotIn("/dua/", f"{path}/", "what was withdrawn came back")
        self.whole()

    def test_beside_the_others(self):
        withdraw = ["withdraw", "dua", "2024-03-15", "--reason", "legal", "--note", "putusan"]
        rollback = ["rollback", "--to", self.first_build()]
        build = ["build", *TODAY]
        for first, moment, second in ((rollback, "open:1:.new-log", build), (rollback, "open:1:.new-log", withdraw),
                                      (withdraw, "open:1:.new-log", rollback), (withdraw, "open:1:.withdrawing", build)):
            with self.subTest(f"{second[0]} in {first[0]}"):
                self.change()
                done, code, words = self.both(moment, first, second)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.refused(code, words)
                self.whole()
                self.odp(*build)

    def test_publish_to_a_folder(self):
        self.odp("build", *TODAY)
        publish = ["publish", "tujuan", "--origin", "--first"]
        done, code, words = self.both("open:1:.lock", publish, publish)
        self.assertIn((done.returncode, code), ((0, 0), (1, 0), (0, 1)), f"{done.stderr}\n{words}")
        self.odp("publish", "tujuan", "--origin")
        self.change()
        self.odp("build", *TODAY)
        # The site that is being published is switched, and pruned, meanwhile.
        self.change()
        done, code, words = self.both("open:3:build/site", ["publish", "tujuan", "--origin"], ["build", *TODAY])
        self.assertIn(code, (0, None), words)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        self.assertTrue(done.returncode == 0 or faults.tells(done.stderr), done.stderr)
        self.odp("publish", "tujuan", "--origin")
        self.odp("verify", "tujuan")
        self.whole()

    def test_all_at_once(self):
        """Whatever comes of each, the site is whole afterwards and the log and the link agree."""
        builds = 0
        for _ in range(12 if DEEP else 3):
            self.change()
            commands = [["build", *TODAY], ["build", *TODAY, "--jobs", "1"], ["rollback", "--to", self.first_build()], ["build", *TODAY],
                        ["verify", "build/site"]]
            running = [subprocess.Popen([odp.PROGRAM, *c], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, ODP_NO_TIMES="1")) for c in commands]
            for command, process in zip(commands, running):
                words = process.communicate(timeout=300)[1]
                # What is verified while it is switched may be found missing; then it says so.
                self.assertIn(process.returncode, (0, 1), f"{command}\n{words}")
                self.assertTrue(process.returncode == 0 or faults.tells(words), f"{command}\n{words}")
                builds += process.returncode == 0
            self.whole()
            self.assertEqual((self.dir / "build/site.builds/log").read_text().split()[-1], os.readlink(self.dir / "build/site").split("/")[-1])
        self.odp("build", *TODAY)
        self.whole()
        print(f"all at once: {builds} of {5 * (12 if DEEP else 3)} went through", flush=True)


if __name__ == "__main__":
    odp.main()
