"""build --watch: what changes is soon live, what a build writes itself starts none, a bad build is said and survived."""
import json
import os
import signal
import subprocess
import time

import odp
import versionslib

LIMIT = 120  # seconds: generous, the machine may be busy; the time it took is printed
FIELDS = [{"name": "id", "type": "integer"}, {"name": "tanggal", "type": "date"}, {"name": "nilai", "type": "integer"}]
MORE = {"odp:lastUpdate": {"field": "tanggal"}}
HEAD = "id,tanggal,nilai\n1,2024-03-01,5\n"
ROUND = "waiting for changes"


class Watching(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("pantau", HEAD, FIELDS, {"schema": {"primaryKey": ["id"]}}, **MORE)
        self.source = self.dir / "catalog/pantau/pantau.csv"

    def watch(self, *args):
        """Starts it, and waits until the first build is done."""
        self.log = open(self.dir / "log.txt", "w+")
        self.addCleanup(self.log.close)
        environment = dict(os.environ, ODP_NO_TIMES="1")
        self.process = subprocess.Popen([odp.PROGRAM, "build", "--watch", "--lang", "en", *map(str, args)], stderr=self.log,
                                        stdout=subprocess.DEVNULL, cwd=self.dir, env=environment)
        self.addCleanup(self.end)
        self.rounds(1)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def said(self):
        return (self.dir / "log.txt").read_text()

    def write(self, text):
        """At once: between emptying and filling a file a busy machine may let a build begin."""
        fresh = self.source.with_name(".baru")
        fresh.write_text(text)
        os.rename(fresh, self.source)

    def until(self, condition, what):
        begun = time.monotonic()
        while not condition():
            self.assertIsNone(self.process.poll(), self.said())
            self.assertLess(time.monotonic() - begun, LIMIT, f"{what}\n{self.said()}")
            time.sleep(0.005)
        return time.monotonic() - begun

    def rounds(self, n):
        return self.until(lambda: self.said().count(ROUND) >= n, f"round {n}")

    def records(self, slug="pantau"):
        """As a reader sees them; None before there is a site."""
        try:
            return odp.read_json(self.dir / f"build/site/v1/{slug}.json")["data"]
        except FileNotFoundError:
            return None

    def live(self, slug, count, what):
        seconds = self.until(lambda: len(self.records(slug) or []) == count, what)
        print(f"{what}: live after {seconds:.2f} s", flush=True)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.assertEqual(self.process.wait(LIMIT), 0, self.said())

    def test_a_change_is_soon_live(self):
        self.watch()
        with open(self.source, "a") as out:
            out.write("2,2024-03-02,6\n")
        self.live("pantau", 2, "appended")
        self.rounds(2)
        fresh = self.source.with_name("baru.csv")
        fresh.write_text(HEAD + "2,2024-03-02,6\n3,2024-03-03,7\n")
        os.rename(fresh, self.source)
        self.live("pantau", 3, "renamed over")
        self.assertEqual(odp.read_json(self.dir / "build/site/v1/pantau.json")["meta"]["version"], "2024-03-03")
        self.rounds(3)
        self.release("2.5.1")
        path = self.dir / "catalog/pantau/dataset.json"
        path.write_text(json.dumps(dict(odp.read_json(path), **{"odp:title": {"id": "Pantauan baru", "en": "New"}})))
        index = self.dir / "build/site/v1/index.json"
        seconds = self.until(lambda: b"Pantauan baru" in index.read_bytes(), "descriptor")
        print(f"descriptor: live after {seconds:.2f} s", flush=True)
        self.stop()

    def test_a_new_dataset_in_a_new_folder(self):
        self.watch()
        self.release("2.6.0")
        self.dataset("kedua", HEAD, FIELDS, {"schema": {"primaryKey": ["id"]}}, **MORE)
        self.live("kedua", 1, "new folder")
        with open(self.dir / "catalog/kedua/kedua.csv", "a") as out:  # the new folder is watched, too
            out.write("2,2024-03-02,6\n")
        self.live("kedua", 2, "appended in it")
        self.stop(signal.SIGINT)

    def test_sources_elsewhere_and_behind_links(self):
        (self.dir / "sumber/pantau").mkdir(parents=True)
        (self.dir / "jauh").mkdir()
        far = self.dir / "jauh/data.csv"
        far.write_text(HEAD)
        (self.dir / "sumber/pantau/pantau.csv").symlink_to(far)
        self.watch("--sources", "sumber")
        with open(far, "a") as out:
            out.write("2,2024-03-02,6\n")
        self.live("pantau", 2, "behind a link")
        self.rounds(2)
        link = self.dir / "sumber/pantau/.baru"
        link.symlink_to(self.source)
        self.source.write_text(HEAD + "2,2024-03-02,6\n3,2024-03-03,7\n")
        os.rename(link, self.dir / "sumber/pantau/pantau.csv")
        self.live("pantau", 3, "another link")
        self.stop()

    def test_a_bad_build_is_said_and_the_next_good_one_comes(self):
        self.watch()
        self.write(HEAD + "2,2024-03-02,enam\n")
        self.rounds(2)
        self.assertIn("ODP-T02", self.said())
        self.assertEqual(len(self.records()), 1)
        os.rename(self.dir / "catalog/changes.json", self.dir / "changes.json")  # not even a catalogue
        self.rounds(3)
        os.rename(self.dir / "changes.json", self.dir / "catalog/changes.json")
        self.write(HEAD + "2,2024-03-02,6\n")
        self.live("pantau", 2, "mended")
        self.stop()

    def test_what_it_writes_itself_starts_no_build(self):
        """Site and report in the middle of the catalogue; files of editors and of git beside the source."""
        self.watch("--out", "catalog/build/site", "--report", "json=catalog/laporan.json")
        time.sleep(1.5)
        self.assertEqual(self.said().count(ROUND), 1, self.said())
        (self.dir / "catalog/.git").mkdir()
        for name in ("pantau/.pantau.csv.swp", "pantau/pantau.csv~", "pantau/~$pantau.csv", ".git/index"):
            (self.dir / "catalog" / name).write_text("x")
        time.sleep(1.0)
        self.assertEqual(self.said().count(ROUND), 1, self.said())
        self.write(HEAD + "2,2024-03-02,6\n")
        self.rounds(2)
        self.assertEqual(odp.read_json(self.dir / "catalog/laporan.json")["summary"]["rows"], 2)
        self.assertEqual(len(odp.read_json(self.dir / "catalog/build/site/v1/pantau.json")["data"]), 2)
        time.sleep(1.0)
        self.assertEqual(self.said().count(ROUND), 2, self.said())
        self.stop()

    def test_half_a_copied_file_is_not_taken_for_a_whole_one(self):
        """Written in pieces for longer than the longest wait of other changes: one build, of all of it. Where the machine let us wait too long between two pieces, once more."""
        self.watch()
        for attempt in range(20):
            before, longest = self.said().count(ROUND), 0
            with open(self.source, "w") as out:
                out.write(HEAD)
                for i in range(2, 14):
                    begun = time.monotonic()
                    out.write(f"{i},2024-03-{i:02},{attempt}\n")
                    out.flush()
                    time.sleep(0.1)
                    longest = max(longest, time.monotonic() - begun)
            self.until(lambda: [record["nilai"] for record in self.records()[1:]] == [attempt] * 12, "slow copy")
            self.rounds(before + 1)
            if longest < 0.2:  # of 0.3, after which a writer counts as gone
                break
        self.assertEqual(self.said().count(ROUND), before + 1)
        self.stop()

    def test_a_site_held_by_another_build_is_tried_again(self):
        import fcntl
        self.watch()
        with open(self.dir / "build/site.builds/.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.write(HEAD + "2,2024-03-02,6\n")
            self.rounds(2)
            self.assertIn("ODP-V08", self.said())
            self.assertEqual(len(self.records()), 1)
        self.live("pantau", 2, "after the other build")
        self.stop()

    def test_a_missing_catalogue_is_a_slip_of_the_pen(self):
        done = self.odp("build", "--watch", "--catalog", "katalogg", expect=2)
        self.assertIn("katalogg", done.stderr)


if __name__ == "__main__":
    odp.main()
