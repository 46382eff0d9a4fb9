"""The clock jumps, forward and back, at any moment of a build, a rollback and a withdrawal. The site's bytes do not depend on it, the order of builds, log
and history is that of what was done, no lock gets old, and nothing waits for a time to come."""
import fcntl
import json
import os
import shutil

import faults
import odp
import versionslib

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))
FIELDS = [{"name": "kode", "type": "string"}]
JUMPS = {"a day back": -86400, "forty years back": -1261440000, "ten years on": 315360000, "an hour on": 3600}
TODAY = ("--today", "2024-12-01")


class Clock(odp.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.catalogue(references=False)
        self.month(1)
        self.odp("build", *TODAY)
        self.month(2)
        self.odp("build", "--out", "tenang/site", "--previous", "build/site", *TODAY)
        self.new = odp.digests(self.dir / "tenang/site")
        shutil.copytree(self.dir / "build", self.dir / "before", symlinks=True)

    def month(self, month):
        shutil.rmtree(self.dir / "catalog/satu", ignore_errors=True)
        self.dataset("satu", "kode\n" + "".join(f"k{month}-{i}\n" for i in range(50)), FIELDS, {"schema": {"primaryKey": ["kode"]}},
                     **{"odp:lastUpdate": f"2024-0{month}-15"})

    def jumping(self, words, n, seconds):
        return faults.run(words, self.dir, f"clock:{n}", timeout=300, ODP_CLOCK_JUMP=str(seconds))

    def back(self):
        odp.remove_tree(self.dir / "build")
        shutil.copytree(self.dir / "before", self.dir / "build", symlinks=True)

    def in_order(self):
        """The order is that of what was done: log, link and history agree, whatever times stand in it."""
        builds = self.dir / "build/site.builds"
        current = os.readlink(self.dir / "build/site").split("/")[-1]
        self.assertEqual((builds / "log").read_text().split()[-1], current)
        events = [json.loads(line) for line in (builds / "history").read_text().splitlines()]
        self.assertEqual(events[-1]["to"], current)
        for one, next_one in zip(events, events[1:]):
            self.assertEqual(one["to"], next_one["from"])

    def test_build(self):
        done, total = self.jumping(["build", *TODAY], 0, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(total, 0, "it never looks at the clock")
        tried = 0
        numbers = range(1, total + 1) if DEEP else sorted({1, 2, total // 2, total} - {0})
        for name, seconds in JUMPS.items():
            for n in numbers:
                with self.subTest(f"{name} at {n}"):
                    self.back()
                    done, _ = self.jumping(["build", *TODAY], n, seconds)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(odp.digests(self.dir / "build/site"), self.new)
                    self.in_order()
                    tried += 1
        print(f"clock: {tried} builds, {total} looks at the clock each", flush=True)

    def test_without_a_day_of_its_own(self):
        """Without --today the day decides what is said (overdue, sunsets), and no byte."""
        for name, seconds in JUMPS.items():
            with self.subTest(name):
                self.back()
                done, _ = self.jumping(["build"], 1, seconds)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(odp.digests(self.dir / "build/site"), self.new)

    def test_the_order_of_builds(self):
        """Each with another clock, and each finds the one before it."""
        first = (self.dir / "build/site.builds/log").read_text().split()[0]
        for k, seconds in enumerate(JUMPS.values()):
            self.month(3 + k)
            done, _ = self.jumping(["build", *TODAY], 1, seconds)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.in_order()
            versions = [v["version"] for v in odp.read_json(self.dir / "build/site/data/satu/versions.json")["data"]]
            self.assertEqual(versions, sorted(versions, reverse=True), "versions are named by the data, not by the clock")
        for words, seconds in ((["rollback"], -1261440000), (["build", *TODAY], 315360000), (["rollback", "--to", first], -86400), (["build", *TODAY], 0),
                               (["withdraw", "satu", "2024-01-15", "--reason", "legal", "--note", "putusan"], -315360000)):
            done, _ = self.jumping(words, 1, seconds)
            self.assertEqual(done.returncode, 0, f"{words}\n{done.stderr}")
            self.in_order()
            self.assertIsNone(versionslib.why_not_whole(self.dir / "build/site"))
        self.odp("verify", "build/site")
        self.odp("build", *TODAY)

    def test_no_lock_gets_old(self):
        """A lock is held by a process, not until a time."""
        with open(self.dir / "build/site.builds/.lock", "a", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            for seconds in JUMPS.values():
                done, _ = self.jumping(["build", *TODAY], 1, seconds)
                self.assertEqual(done.returncode, 1)
                self.assertIn("ODP-V08", done.stderr)
        done, _ = self.jumping(["build", *TODAY], 1, -1261440000)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_publish(self):
        """The mark of who publishes holds by its token; a clock that went back does not make it anybody's."""
        for seconds in JUMPS.values():
            done, _ = self.jumping(["publish", "tujuan", "--origin", *(["--first"] if not (self.dir / "tujuan").exists() else [])], 1, seconds)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.odp("verify", "tujuan")


if __name__ == "__main__":
    odp.main()
