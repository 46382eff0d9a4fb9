"""Going back to an earlier build: one rename, never to something damaged, and written down. And the lists of builds and versions."""
import fcntl
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import odp

FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "integer"}]


class RollingBack(odp.Case):
    template = None  # a folder with three builds, made once, and their digests

    @classmethod
    def tearDownClass(cls):
        if cls.template is not None:
            odp.remove_tree(cls.template[0])

    def setUp(self):
        super().setUp()
        self.site = self.dir / "build/site"
        self.builds = self.dir / "build/site.builds"
        if RollingBack.template is not None:
            folder, digests = RollingBack.template
            self.digests = list(digests)
            for name in ("build", "catalog"):
                shutil.copytree(folder / name, self.dir / name, symlinks=True)
            return
        self.catalogue(references=False)
        self.digests = []
        for month in (1, 2, 3):
            self.build(month)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
        for name in ("build", "catalog"):
            shutil.copytree(self.dir / name, folder / name, symlinks=True)
        RollingBack.template = (folder, tuple(self.digests))

    def build(self, month):
        folder = self.dir / "catalog/satu"
        shutil.rmtree(folder, ignore_errors=True)
        self.dataset("satu", "kode,nilai\n" + "".join(f"k{i},{i * month}\n" for i in range(30)), FIELDS, {"schema": {"primaryKey": ["kode"]}},
                     **{"odp:lastUpdate": f"2024-0{month}-15"})
        self.odp("build", "--today", "2024-12-01")
        self.digests.append(self.current())

    def current(self):
        return os.readlink(self.site).split("/")[1]

    def log(self):
        return (self.builds / "log").read_text().split()

    def history(self):
        return [json.loads(line) for line in (self.builds / "history").read_text().splitlines()]

    def test_the_one_before(self):
        a, b, c = self.digests
        before = odp.digests(self.builds / b)
        done = self.odp("rollback", "--by", "Sari")
        self.assertIn(b, done.stdout)
        self.assertEqual(self.current(), b)
        self.assertEqual(odp.digests(self.site), before)
        self.assertEqual(self.log(), [a, c, b])
        last = self.history()[-1]
        self.assertEqual((last["action"], last["from"], last["to"], last["by"]), ("rollback", c, b, "Sari"))
        self.assertRegex(last["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_twice_goes_back_by_two(self):
        a, b, c = self.digests
        self.odp("rollback")
        self.odp("rollback")
        self.assertEqual(self.current(), a)
        done = self.odp("rollback", expect=1)
        self.assertIn("ODP-V81", done.stderr)
        self.assertEqual(self.current(), a)
        self.odp("rollback", "--to", c[:10])
        self.assertEqual(self.current(), c)
        self.odp("rollback")
        self.assertEqual(self.current(), b)

    def test_without_a_history_the_log_tells(self):
        (self.builds / "history").unlink()
        self.odp("rollback")
        self.assertEqual(self.current(), self.digests[1])

    def test_a_build_after_a_rollback(self):
        a, b, c = self.digests
        self.odp("rollback", "--to", a)
        self.build(4)
        self.odp("rollback")
        self.assertEqual(self.current(), a)
        self.assertTrue((self.builds / c).is_dir())

    def test_by_name(self):
        a, b, c = self.digests
        for word, code in (("xyz", "ODP-V80"), (a + "0", "ODP-V80"), ("../..", "ODP-V80")):
            done = self.odp("rollback", "--to", word, expect=1)
            self.assertIn(code, done.stderr)
            self.assertEqual(self.current(), c)
        done = self.odp("rollback", "--to", c)
        self.assertIn("ODP-V88", done.stderr)
        self.assertEqual(len(self.history()), 3)
        (self.builds / (a[:63] + ("0" if a[63] != "0" else "1"))).mkdir()
        self.assertIn("ODP-V82", self.odp("rollback", "--to", a[:20], expect=1).stderr)
        self.odp("rollback", a)
        self.assertEqual(self.current(), a)

    def test_usage(self):
        self.odp("rollback", "a", "b", expect=2)
        self.odp("rollback", "--by", "a\nb", expect=2)
        self.odp("builds", "x", expect=2)
        self.odp("rollback", "--note", "x", expect=2)
        self.assertIn("ODP-V89", self.odp("rollback", "--out", "tiada", expect=1).stderr)

    def test_a_damaged_build_is_refused(self):
        target = self.builds / self.digests[1]
        page = target / "v1/satu.json"
        for harm in ("cut", "gone", "link", "manifest", "none"):
            with self.subTest(harm=harm):
                saved = self.dir / "saved"
                shutil.copytree(target, saved, symlinks=True)
                if harm == "cut":
                    os.chmod(page, 0o644)
                    page.write_bytes(page.read_bytes()[:-1])
                elif harm == "gone":
                    page.unlink()
                elif harm == "link":
                    page.unlink()
                    page.symlink_to("/etc/hostname")
                elif harm == "manifest":
                    os.chmod(target / "manifest.json", 0o644)
                    with open(target / "manifest.json", "a", encoding="utf-8") as f:
                        f.write(" ")
                else:
                    (target / "manifest.json").unlink()
                done = self.odp("rollback", expect=1)
                self.assertIn("ODP-V03", done.stderr)
                self.assertEqual(self.current(), self.digests[2])
                odp.remove_tree(target)
                saved.rename(target)
        self.odp("rollback")
        self.assertEqual(self.current(), self.digests[1])

    def test_the_lock(self):
        with open(self.builds / ".lock", "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("ODP-V08", self.odp("rollback", expect=1).stderr)
        self.assertEqual(self.current(), self.digests[2])

    def test_a_lost_link(self):
        self.site.unlink()
        self.odp("rollback", "--to", self.digests[0])
        self.assertEqual(self.current(), self.digests[0])

    def test_readers_always_see_one_whole_site(self):
        """A reader opens the site by its link and reads two files of it, over and over, while it is switched."""
        stop, seen = threading.Event(), set()
        pairs = {(self.builds / d / "v1/satu.json").read_bytes(): (self.builds / d / "manifest.json").read_bytes() for d in self.digests}

        def read():
            while not stop.is_set():
                real = os.path.realpath(self.site)
                with open(f"{real}/v1/satu.json", "rb") as page, open(f"{real}/manifest.json", "rb") as manifest:
                    seen.add(pairs.get(page.read()) == manifest.read())

        reader = threading.Thread(target=read)
        reader.start()
        for _ in range(4):
            self.odp("rollback", "--to", self.digests[0])
            self.odp("rollback", "--to", self.digests[2])
        stop.set()
        reader.join()
        self.assertEqual(seen, {True})

    def test_killed_at_any_moment(self):
        command = [odp.PROGRAM, "rollback", "--to"]
        start = time.monotonic()
        self.odp("rollback", "--to", self.digests[0])
        whole, spread = time.monotonic() - start, random.Random(7)
        for i in range(int(os.environ.get("ODP_KILLS", "12"))):
            target = self.digests[1 + i % 2]
            child = subprocess.Popen([*command, target], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(spread.random() * whole)
            child.send_signal(signal.SIGKILL)
            child.wait()
            self.assertIn(self.current(), self.digests)
            self.assertEqual(sorted(self.log()), sorted(self.digests))
            self.odp("rollback", "--to", self.digests[0])
            self.assertEqual((self.current(), self.log()[-1]), (self.digests[0],) * 2)
            self.history()

    # -- lists ---------------------------------------------------------------------------------------------------------------

    def test_builds(self):
        a, b, c = self.digests
        heading, *lines = self.odp("builds").stdout.splitlines()
        self.assertEqual(heading.split(), ["build", "terakhir", "dipasang", "rilis", "data"])
        self.assertEqual((heading[20:28], lines[0][20:22]), ("terakhir", "20"))
        self.assertEqual([line[:18] for line in lines], [f"* {c[:16]}", f"  {b[:16]}", f"  {a[:16]}"])
        self.odp("rollback", "--to", a, "--by", "Sari")
        heading, *lines = self.odp("builds", "--lang", "en").stdout.splitlines()
        self.assertEqual(heading.split(), ["build", "last", "switched", "to", "release", "data"])
        self.assertEqual([line[:18] for line in lines], [f"* {a[:16]}", f"  {c[:16]}", f"  {b[:16]}"])
        files = len(odp.digests(self.site)) - 1
        size = sum(f["size"] for f in odp.read_json(self.site / "manifest.json")["files"])
        self.assertRegex(lines[0], rf" 2024-01-15 +{files} files +{size} bytes +Sari$")
        (self.builds / b / "manifest.json").unlink()
        self.assertTrue(self.odp("builds", "--lang", "en").stdout.splitlines()[3].endswith("damaged"))
        self.odp("builds", "--out", "tiada", expect=2)

    def test_versions(self):
        self.odp("withdraw", "satu", "2024-01-15", "--reason", "legal", "--note", "putusan pengadilan")
        lines = self.odp("versions", "satu").stdout.splitlines()
        self.assertEqual([re.split(r" {2,}", line)[0] for line in lines], ["2024-03-15", "2024-02-15", "2024-01-15"])
        self.assertIn("30 baris", lines[0])
        self.assertIn("+0 −0 ~29", lines[0])
        self.assertIn("ditarik (legal) putusan pengadilan", lines[2])
        said = json.loads(self.odp("versions", "satu", "--format", "json").stdout)
        self.assertEqual(said, odp.read_json(self.site / "data/satu/versions.json")["data"])
        all_of_them = json.loads(self.odp("versions", "--format", "json").stdout)
        self.assertEqual(all_of_them, [{"dataset": "satu", "version": "2024-03-15", "date": "2024-03-15", "state": "published", "versions": 3, "rows": 30}])
        self.assertIn("3 versi", self.odp("versions").stdout)
        self.odp("versions", "tiada", expect=2)
        self.odp("versions", "--format", "xml", expect=2)
        self.odp("versions", "--out", "tiada", expect=1)


if __name__ == "__main__":
    odp.main()
