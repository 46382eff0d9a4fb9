"""Fails the Nth allocation, read, write, fsync, rename, link, close, open, mkdir, unlink, chmod, look, list and lock of `publish`, to a folder (first, and over
an older site) and by rclone: who reads there sees the site before or the whole new one, nothing that was withdrawn is left (by rclone: a manifest whose versions are whole), the exit code is 0
only with the latter, one sentence says what failed and what to do, our own side is as it was, and the next run finishes and leaves nothing beside it.
`full` takes a sample of the Ns of each kind, `deep` (ODP_FAULT_ALL=1) takes up to 200 of them, by rclone 12."""
import os
import re
import shutil

import command_faults
import odp
import versionslib
from restore_faults import FIELDS, KINDS

ENDED = "the site was published there"
FIXED = re.compile(r"(assets|search)/|data/[^/]+/(?!latest/)[^/]+/|v1/.*/v/")  # addresses whose bytes never change


class Publishing(command_faults.Sweep):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("satu", self.rows(0), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.odp("build", "--today", "2024-12-01")

    def rows(self, state):
        return "kode,nilai\n" + "".join(f"k{i},{(i + state) % 50}.5\n" for i in range(60))

    def next_version(self, date="2024-03-16"):
        self.update("satu", date, self.rows(3))
        self.odp("build", "--today", "2024-12-01")

    def begin(self):
        """All that there is from now on is what each run begins with."""
        self.new = odp.digests(self.dir / "build/site")
        odp.remove_tree(self.dir / "catalog")
        self.start()
        self.ours = {path: what for path, what in self.before.items() if path.startswith("build")}

    def ours_is_as_it_was(self):
        now = {path: what for path, what in self.tree().items() if path.startswith("build")}
        self.assertEqual(self.differing(now, self.ours), [], "our own side")


class ToFolder(Publishing):
    def right(self):
        self.ours_is_as_it_was()
        self.assertEqual(odp.digests(self.dir / "tujuan"), self.new)
        self.assertIsNone(versionslib.why_not_whole(self.dir / "tujuan"))
        left = os.listdir(self.dir / "tujuan.builds")
        self.assertEqual([p for p in left if p.startswith((".stage", ".scratch", ".new", ".old"))], [])

    def kept(self, path):
        """What may be there: a build that nothing leads to yet, the new site. The older one stays as it is."""
        if path == "tujuan":
            return odp.digests(self.dir / path) == self.new
        if path.startswith("tujuan.builds/"):
            return path not in self.before or path.split("/")[1] in ("log", "history", "seals", ".lock")
        return path == "tujuan.builds"

    def test_first(self):
        self.begin()
        self.sweep(["publish", "tujuan", "--origin", "--first"], KINDS if command_faults.DEEP else ("alloc", "write", "fsync", "make"),
                   right=self.right, kept=self.kept, ended_says=ENDED)

    def test_over_an_older_one(self):
        self.odp("publish", "tujuan", "--origin", "--first")
        self.next_version()
        self.begin()
        self.sweep(["publish", "tujuan", "--origin"], KINDS if command_faults.DEEP else ("jsonalloc", "read", "rename", "link", "open", "unlink", "mode"),
                   right=self.right, kept=self.kept, ended_says=ENDED)

    def test_withdrawal(self):
        """What was withdrawn here goes there, too: from the site, and from the builds that are kept beside it."""
        secret = "RAHASIA-9K3V"
        self.odp("publish", "tujuan", "--origin", "--first")
        self.update("satu", "2024-03-16", self.rows(1).replace("k7,", f"{secret},"))
        self.odp("build", "--today", "2024-12-01")
        self.odp("publish", "tujuan", "--origin")
        self.next_version("2024-03-17")
        self.odp("publish", "tujuan", "--origin")
        self.odp("withdraw", "satu", "2024-03-16", "--reason", "legal", "--note", "putusan", "--jobs", "1")
        self.begin()

        def right():
            self.right()
            for path in (self.dir / "tujuan.builds").rglob("*"):
                if path.is_file():
                    self.assertNotIn(secret.encode(), path.read_bytes(), path)
        self.assertTrue(any(secret.encode() in p.read_bytes() for p in (self.dir / "tujuan.builds").rglob("*.csv")))
        # Builds that hold it may be gone, or half gone, whatever else was done.
        self.sweep(["publish", "tujuan", "--origin"], KINDS if command_faults.DEEP else ("unlink", "rename", "alloc"), right=right,
                   kept=lambda path: self.kept(path) or self.is_older(path))

    def is_older(self, path):
        """Of a build beside the site that readers see."""
        return path.startswith("tujuan.builds/") and path.split("/")[1].split(".")[0] != os.readlink(self.dir / "tujuan").split("/")[-1]


class ByRclone(Publishing):
    """Its own calls fail, and those of the rclone that it starts where these go through the C library."""

    def right(self):
        self.ours_is_as_it_was()
        self.assertEqual(odp.digests(self.dir / "simpan"), self.new)

    def kept(self, path):
        """Until the manifest is there, the one before leads to what it led to; what does not change under it is whole."""
        if not path.startswith("simpan"):
            return False
        name = path.removeprefix("simpan/")
        if FIXED.match(name) or name == "manifest.json":
            whole = (self.dir / path).is_dir() or odp.digests(self.dir / "simpan").get(name) in (self.old.get(name), self.new.get(name))
            return whole or name not in self.old
        return True

    def test_over_an_older_one(self):
        if shutil.which("rclone") is None:
            self.skipTest("rclone is not on this machine")
        command_faults.MOST, most = min(command_faults.MOST, 12), command_faults.MOST
        self.addCleanup(setattr, command_faults, "MOST", most)
        (self.dir / "simpan").mkdir()
        words = ["publish", f":local:{self.dir}/simpan", "--origin"]
        self.odp(*words, "--first")
        self.old = odp.digests(self.dir / "simpan")
        self.next_version()
        self.begin()
        self.sweep(words, KINDS if command_faults.DEEP else ("alloc",), right=self.right, kept=self.kept)


if __name__ == "__main__":
    odp.main()
