"""kill -9 at random moments during build, publish and rollback. A reader who looks all the time sees one whole site; the next run
recovers, leaves nothing behind, and gives the bytes of a run that was not disturbed.

    crash_publish.py        20 kills       crash_publish.py deep     200
"""
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

import odp
import versionslib

DEEP = "deep" in sys.argv
FIELDS = [{"name": "id", "type": "integer"}, {"name": "tanggal", "type": "date"}, {"name": "wilayah", "type": "string"},
          {"name": "catatan", "type": "string"}]
COLUMNS = [f["name"] for f in FIELDS]


class Reader(threading.Thread):
    """Looks at a site again and again until it is ended. LOOK(site): (its name, what is wrong or None)."""

    def __init__(self, site, look):
        super().__init__(daemon=True)
        self.site, self.look, self.seen, self.looks, self.fault, self.ended = site, look, [], 0, None, threading.Event()

    def run(self):
        while not self.ended.is_set():
            name, self.fault = self.look(self.site)
            if self.fault is not None:
                return
            self.looks += 1
            self.ended.wait(0.003)  # the machine is to be the builds'
            if not self.seen or self.seen[-1] != name:
                self.seen.append(name)

    def end(self):
        self.ended.set()
        self.join()
        return self.fault


def look_through_link(link):
    """Follows the link and reads everything that the build it leads to promises."""
    try:
        build = link.parent / os.readlink(link)
    except OSError as error:
        return None, f"no link: {error}"
    return build.name, versionslib.why_not_whole(build)


def look_at_folder(folder):
    """Reads all that the index offers: what a reader of a plain folder, without a link, can ask for."""
    try:
        text = (folder / "v1/index.json").read_bytes()
    except FileNotFoundError:
        return "nothing yet", None
    for entry in json.loads(text)["data"]:
        for resource in entry["resources"]:
            for f in [*resource["files"], *[f for s in resource.get("slices", []) for f in s["files"]]]:
                try:
                    data = (folder / "v1" / f["url"]).read_bytes()
                except OSError as error:
                    return None, str(error)
                if "sha256:" + hashlib.sha256(data).hexdigest() != f["hash"]:
                    return None, f"{f['url']}: other bytes"
    return hashlib.sha256(text).hexdigest(), None


class Crash(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.draw = random.Random(20240315)
        rows = self.rows(0)
        for slug, more in (("satu", {"odp:slices": ["wilayah"]}), ("dua", {}), ("tiga", {"odp:formats": ["JSON"]})):
            self.dataset(slug, versionslib.csv_text(rows, COLUMNS), FIELDS, {"schema": {"primaryKey": ["id"]}},
                         **{"odp:lastUpdate": {"field": "tanggal"}}, **more)

    def rows(self, state):
        draw = random.Random(state)
        day = f"{2020 + state // 300:04}-{1 + state // 25 % 12:02}-{1 + state % 25:02}"
        return [{"id": i, "tanggal": day, "wilayah": str(11 + i % 4), "catatan": f"keadaan {state} {draw.random()}"} for i in range(80)]

    def advance(self, state):
        """The sources of state STATE; one dataset stays as it is at every second."""
        rows = self.rows(state)
        for slug in ("satu", "dua", "tiga")[state % 2:]:
            self.source(slug, rows, COLUMNS)

    def kill_during(self, longest, *args):
        """Runs odp-build ARGS and kills it at a random moment, unless it has ended by then. True: it was killed."""
        process = subprocess.Popen([odp.PROGRAM, *map(str, args)], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=dict(os.environ, ODP_NO_TIMES="1"))
        time.sleep(self.draw.uniform(0, longest))
        process.kill()
        return process.wait() == -9

    def timed(self, *args):
        begun = time.monotonic()
        self.odp(*args)
        return time.monotonic() - begun

    def test_build(self):
        kills = 80 if DEEP else 8
        self.odp("build")
        self.odp("build", "--out", "tenang/site")
        reader = Reader(self.dir / "build/site", look_through_link)
        reader.start()
        longest, killed = 0.3, 0
        for state in range(1, kills + 1):
            self.advance(state)
            before = self.build_of()
            killed += self.kill_during(longest * 1.1, "build")
            after = self.build_of()
            self.assertIsNone(versionslib.why_not_whole(self.dir / "build/site"))
            longest = self.timed("build", "--out", "tenang/site")
            self.assertIn(after, (before, self.build_of("tenang/site")))
            self.odp("build")
            self.assertEqual(self.build_of(), self.build_of("tenang/site"))
            self.assert_no_leftovers()
        self.assertIsNone(reader.end())
        self.assertEqual(odp.digests(self.dir / "build/site"), odp.digests(self.dir / "tenang/site"))
        print(f"build: {killed} of {kills} killed before their end; the reader looked {reader.looks} times, saw {len(reader.seen)} sites",
              flush=True)
        self.assertGreater(killed, kills // 10)

    def commands(self):
        return {line.split()[0] for line in self.odp("--help").stdout.splitlines() if line.startswith("  ") and line[2] != "-"}

    def test_rollback(self):
        kills = 60 if DEEP else 6
        if "rollback" not in self.commands():
            self.skipTest("this odp-build has no rollback")
        for state in range(4):
            self.advance(state)
            self.odp("build")
        builds = {n for n in os.listdir(self.dir / "build/site.builds") if len(n) == 64}
        self.assertEqual(len(builds), 4)
        reader = Reader(self.dir / "build/site", look_through_link)
        reader.start()
        killed, longest = 0, 0.15
        for _ in range(kills):
            before = self.build_of()
            goal = self.draw.choice(sorted(builds - {before}))
            killed += self.kill_during(longest, "rollback", "--to", goal, "--by", "Sari")
            self.assertIn(self.build_of(), (before, goal))
            if self.build_of() == before:
                longest = self.timed("rollback", "--to", goal, "--by", "Sari") * 1.1
            self.assertEqual(self.build_of(), goal)
            self.assertIsNone(versionslib.why_not_whole(self.dir / "build/site"))
        self.assertIsNone(reader.end())
        self.assertEqual({n for n in os.listdir(self.dir / "build/site.builds") if len(n) == 64}, builds)
        print(f"rollback: {killed} of {kills} killed before their end", flush=True)
        # What comes next stands on what was rolled back to.
        self.advance(7)
        self.odp("build")
        self.assert_no_leftovers()
        self.assert_whole("build/site")

    def test_publish_to_a_folder(self):
        kills = 60 if DEEP else 6
        if "publish" not in self.commands():
            self.skipTest("this odp-build has no publish")
        self.odp("build")
        target = self.dir / "tujuan"
        target.mkdir()
        reader = Reader(target, look_at_folder)
        reader.start()
        self.kill_during(0.05, "publish", target, "--origin", "--first")
        self.odp("publish", target, "--origin", "--first", expect=None)
        killed, longest = 0, 0.3
        calm = self.dir / "tenang"
        calm.mkdir()
        self.odp("publish", calm, "--origin", "--first")
        for state in range(1, kills + 1):
            self.advance(state)
            self.odp("build")
            killed += self.kill_during(longest, "publish", target, "--origin")
            self.assertIsNone(look_at_folder(target)[1])
            longest = self.timed("publish", calm, "--origin") * 1.1
            self.odp("publish", target, "--origin")
            self.assertIsNone(look_at_folder(target)[1])
            self.assertEqual(self.published(target), self.published(self.dir / "build/site"))
            if state % 5 == 0:
                self.assertEqual(self.published(calm), self.published(target))
        self.assertIsNone(reader.end())
        print(f"publish: {killed} of {kills} killed before their end; the reader looked {reader.looks} times, saw {len(reader.seen)} sites",
              flush=True)

    def published(self, folder):
        """What its manifest names, as it is there."""
        folder = pathlib.Path(folder)
        self.assertIsNone(versionslib.why_not_whole(folder))
        manifest = (folder / "manifest.json").read_bytes()
        return hashlib.sha256(manifest).hexdigest()


if __name__ == "__main__":
    if "deep" in sys.argv:
        sys.argv.remove("deep")
    odp.main()
