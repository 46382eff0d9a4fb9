"""Publishing with the connection cut in the middle: readers see a whole old site, and the same command goes on."""
import hashlib
import re
import sys
import threading
import time

import odp
import publishlib
from publishlib import rows

SLOW = {"RCLONE_BWLIMIT": "1500k"}


class Cut(publishlib.Case):
    def setUp(self):
        super().setUp()
        self.store = self.server()
        self.build()
        self.publish(self.store.remote, "--first")
        self.old = odp.digests(self.store.folder)
        self.change("satu", rows(12000, 7), "2024-03-20")
        self.build()
        self.new = odp.digests(self.dir / "site")

    def publish_and_cut(self, when, env=None):
        """Kills the server, by its process, as soon as WHEN() says so; then publishing has failed."""
        failed, over = [], threading.Event()

        def watch():
            while not over.is_set():
                if when():
                    self.store.kill()
                    failed.append(True)
                    return
                time.sleep(0.005)

        watcher = threading.Thread(target=watch)
        watcher.start()
        done = self.publish(self.store.remote, expect=None, env=env)
        over.set()
        watcher.join()
        self.assertEqual(failed, [True], "the connection was not cut in time")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("ODP-V41", done.stderr)

    def go_on(self):
        self.store.start()
        self.publish(self.store.remote)
        self.assertEqual(odp.digests(self.store.folder), self.new)
        self.assertIn("the same already", self.publish(self.store.remote).stdout)

    def test_cut_while_what_is_new_arrives(self):
        fresh = self.store.folder / "data/satu/2024-03-20"
        self.publish_and_cut(lambda: fresh.exists() and any(f.stat().st_size > 0 for f in fresh.iterdir()), SLOW)
        # Readers: the manifest is the old one, and everything it names is there as it was.
        now = odp.digests(self.store.folder)
        self.assertEqual({p: now.get(p) for p in self.old}, self.old)
        self.assertWhole(self.store.folder)
        self.assertNotIn("data/satu/2024-03-20/satu.csv", {f["path"] for f in publishlib.manifest_of(self.store.folder)})
        self.go_on()

    def test_cut_twice(self):
        fresh = self.store.folder / "data/satu/2024-03-20"
        self.publish_and_cut(lambda: fresh.exists(), SLOW)
        self.store.start()
        self.publish_and_cut(lambda: len(list(fresh.iterdir())) > 3, SLOW)
        self.assertWhole(self.store.folder)
        self.go_on()

    def test_cut_while_current_files_change(self):
        page = self.store.folder / "v1/satu.json"
        before = page.read_bytes()
        self.publish_and_cut(lambda: page.read_bytes() != before, {"RCLONE_BWLIMIT": "600k", "RCLONE_TRANSFERS": "1"})
        # The old manifest still stands; what never changes under it is whole, and all that is new is there already.
        now = odp.digests(self.store.folder)
        self.assertEqual(now["manifest.json"], self.old["manifest.json"])
        fixed = re.compile(r"(assets|search)/|data/[^/]+/(?!latest/)[^/]+/|v1/.*/v/")
        for path in self.old:
            if fixed.match(path):
                self.assertEqual(now[path], self.old[path], path)
        for path in self.new:
            if fixed.match(path) and path not in self.old:
                self.assertEqual(now[path], self.new[path], path)
        self.go_on()

    def test_cut_and_another_site_comes_from_the_same_machine(self):
        """What the first run left under new names is not taken for the second one's."""
        fresh = self.store.folder / "data/satu/2024-03-20"
        self.publish_and_cut(lambda: fresh.exists() and any(f.stat().st_size > 0 for f in fresh.iterdir()), SLOW)
        self.store.start()
        self.run_odp("restore", self.store.remote, "--out", "lain")
        text = rows(12000, 7).replace(".5", ".6")  # the same sizes, other bytes
        self.change("satu", text, "2024-03-20")
        self.build(out="lain")
        done = self.publish(self.store.remote, out="lain", expect=1)
        self.assertIn("ODP-V44", done.stderr)
        (self.store.folder / ".odp-publish.json").unlink()
        self.publish(self.store.remote, out="lain")
        self.assertWhole(self.store.folder)
        self.assertSameSite(self.store.folder, self.dir / "lain", foreign=set(self.new) - set(odp.digests(self.dir / "lain")))
        csv = self.store.folder / "data/satu/2024-03-20/satu.csv"
        self.assertEqual(hashlib.sha256(csv.read_bytes()).hexdigest(), odp.digests(self.dir / "lain")["data/satu/2024-03-20/satu.csv"])


QUICK = ["test_cut_while_what_is_new_arrives"]

if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.argv[1:] = [f"Cut.{name}" for name in QUICK]
    elif sys.argv[1] == "deep":
        sys.argv[1:] = [f"Cut.{name}" for name in dir(Cut) if name.startswith("test_") and name not in QUICK]
    publishlib.main(verbosity=2)
