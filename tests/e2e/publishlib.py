"""What the tests of publishing share: small catalogues, versions of them, and a real WebDAV server on loopback, reached by rclone."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

import odp

FIELDS = [{"name": "id", "type": "integer"}, {"name": "nama", "type": "string"}, {"name": "nilai", "type": "number"}]
ENVIRONMENT = {"ODP_LANG": "en", "RCLONE_CONFIG": "/dev/null"}


def rows(n, first=0):
    return "id,nama,nilai\n" + "".join(f"{i},baris {i},{i + first}.5\n" for i in range(n))


def manifest_of(folder):
    return json.loads((pathlib.Path(folder) / "manifest.json").read_text())["files"]


def class_of(folder):
    return {f["path"]: f["class"] for f in manifest_of(folder)}


class Server:
    """rclone serve webdav over FOLDER, on a port that stays the same when it is started again."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.port = odp.free_port()
        self.remote = f":webdav,url='http://127.0.0.1:{self.port}':"
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(["rclone", "serve", "webdav", "--addr", f"127.0.0.1:{self.port}", "--dir-cache-time", "0s",
                                         str(self.folder)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, RCLONE_CONFIG="/dev/null"))
        odp.until_listening(self.port, self.process)

    def kill(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None


class Case(odp.Case):
    """A catalogue with two datasets, and what can be done with it."""

    def setUp(self):
        super().setUp()
        if shutil.which("rclone") is None:
            self.skipTest("rclone is not on this machine")
        self.catalogue(references=False)
        self.small("satu", rows(20))
        self.small("dua", rows(30))

    def small(self, slug, text, date="2024-03-15", **more):
        self.dataset(slug, text, FIELDS, {"schema": {"primaryKey": ["id"]}}, **{"odp:lastUpdate": date, **more})

    def change(self, slug, text, date, catalog="catalog"):
        folder = self.dir / catalog / slug
        (folder / f"{slug}.csv").write_text(text)
        package = odp.read_json(folder / "dataset.json")
        package["odp:lastUpdate"] = date
        (folder / "dataset.json").write_text(json.dumps(package, indent=2))

    def run_odp(self, *args, expect=0, env=None):
        return self.odp(*args, expect=expect, env={**ENVIRONMENT, **(env or {})})

    def build(self, *args, out="site", **more):
        return self.run_odp("build", "--out", out, *args, **more)

    def publish(self, destination, *args, out="site", **more):
        return self.run_odp("publish", destination, "--out", out, *args, **more)

    def server(self, name="store"):
        server = Server(self.dir / name)
        self.addCleanup(server.stop)
        return server

    def assertWhole(self, folder, only=None, but=()):
        """Every file that FOLDER's manifest names is there with its digest (of class ONLY, where given)."""
        folder = pathlib.Path(folder)
        for f in manifest_of(folder):
            if (only is None or f["class"] == only) and f["path"] not in but:
                path = folder / f["path"]
                self.assertTrue(path.is_file(), f"{f['path']} is missing")
                self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), f["sha256"], f["path"])

    def assertSameSite(self, folder, site, foreign=()):
        there = {k: v for k, v in odp.digests(folder).items() if k not in foreign}
        self.assertEqual(there, odp.digests(site))


main = unittest.main
