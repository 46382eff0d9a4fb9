"""Fails the Nth allocation, read, write, fsync, rename, link, close, open, mkdir, unlink, chmod, look, list and lock of `restore`, from a folder and from a
web address, where there is no site and where there is an older one: afterwards the site is the one before or the whole one that was published, the exit
code is 0 only with the latter, one sentence says what failed and what to do, and the next run finishes. What it has fetched may stay in .restore for that
run, and nothing else does. `full` takes a sample of the Ns of each kind, `deep` (ODP_FAULT_ALL=1) takes up to 100 of them."""
import functools
import http.server
import json
import os
import shutil
import tempfile
import threading

import command_faults
import odp
import versionslib

FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}]


def in_memory(path="/dev/shm"):
    """Whether there is a folder in memory with room, where programs may run: each of these runs syncs hundreds of files, which a disk takes seconds for."""
    if not os.access(path, os.W_OK):
        return False
    fs = os.statvfs(path)
    return not fs.f_flag & os.ST_NOEXEC and fs.f_bavail * fs.f_frsize > 300 << 20


if "TMPDIR" not in os.environ and in_memory():
    tempfile.tempdir = "/dev/shm"
command_faults.MOST = min(command_faults.MOST, 100)  # each run is of hundreds of files
KINDS = tuple(k for k in command_faults.KINDS if k not in ("random", "temp"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *args):
        """Somebody who ends in the middle of an answer is what this is about."""


class Restore(command_faults.Sweep):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("satu", self.rows(0), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.odp("build", "--today", "2024-12-01")
        self.odp("keygen", "kunci", "--unencrypted")
        self.odp("publish", "terbit", "--origin", "--first")
        shutil.copytree(self.dir / "build", self.dir / "lama", symlinks=True)
        self.update("satu", "2024-03-16", self.rows(3))
        self.odp("build", "--today", "2024-12-01")
        self.odp("sign", "--key", "kunci/odp-signing.key")
        self.odp("publish", "terbit", "--origin")
        self.new = odp.digests(self.dir / "build/site")
        self.key = (self.dir / "kunci/odp-signing.pub").read_text().split()[-1]
        odp.remove_tree(self.dir / "build")
        odp.remove_tree(self.dir / "catalog")
        self.words = ["restore", "terbit", "--keys", self.key]

    def rows(self, state):
        return "kode,nilai\n" + "".join(f"k{i},{(i + state) % 50}.5\n" for i in range(60))

    def right(self):
        self.assertEqual(odp.digests(self.dir / "build/site"), self.new)
        self.assertIsNone(versionslib.why_not_whole(self.dir / "build/site"))
        builds = self.dir / "build/site.builds"
        current = os.readlink(self.dir / "build/site").split("/")[-1]
        self.assertEqual((builds / "log").read_text().split()[-1], current)
        for line in (builds / "history").read_text().splitlines():
            if line:  # an empty one ends a line that could not be looked at
                json.loads(line)
        self.assertEqual([p for p in os.listdir(builds) if p.startswith((".stage", ".scratch", ".new", ".restore"))], [])

    def kept(self, path):
        """What may be there: what was fetched or begun, a build that nothing leads to yet, the new site. The older one stays as it is."""
        if path == "build/site":
            return odp.digests(self.dir / path) == self.new
        if path.startswith("build/site.builds/"):
            return path not in self.before or path.split("/")[2] in ("log", "history", "seals", ".lock")
        return path in ("build", "build/site.builds")

    def test_where_there_is_none(self):
        self.start()
        self.sweep(self.words, KINDS if command_faults.DEEP else ("alloc", "write", "fsync", "make"), right=self.right, kept=self.kept, ended_says="the site was restored")

    def test_over_an_older_one(self):
        (self.dir / "lama").rename(self.dir / "build")
        self.start()
        self.sweep(self.words, KINDS, right=self.right, kept=self.kept, ended_says="the site was restored")

    def test_from_a_web_address(self):
        server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(self.dir / "terbit")))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(lambda: (server.shutdown(), thread.join(), server.server_close()))
        self.start()
        self.sweep(["restore", f"http://127.0.0.1:{server.server_address[1]}/", "--keys", self.key],
                   ("alloc", "jsonalloc", "read", "write", "fsync", "rename", "open", "unlink", "make") if command_faults.DEEP else ("alloc", "write"),
                   right=self.right, kept=self.kept, ended_says="the site was restored")


if __name__ == "__main__":
    odp.main()
