"""The disk is full, read-only, or the quota is used up while a build publishes a second version, and while `withdraw` and `rollback` switch: the old site
stays as it was, one sentence names the path and what to do, and with room again the next run works and clears what was left.

By the shim: a disk with room for N bytes (the last write is a short one), one that is full, over quota or read-only from the Nth change on. For real, where
the test may mount: a small tmpfs, of many sizes and of few inodes, and one that is made read-only. `full` takes a sample, `deep` (ODP_FAULT_ALL=1) a dense
one."""
import os
import shutil
import subprocess
import sys

import faults
import odp

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))
REASONS = {"ENOSPC": "ruang disk habis", "EDQUOT": "kuota disk terlampaui", "EROFS": "sistem berkas hanya dapat dibaca"}


def spread(total, n):
    """N numbers from 1 to TOTAL, both ends among them."""
    return sorted({1 + (total - 1) * i // (n - 1) for i in range(n)})


class Disk(faults.Machine):
    def refused(self, done, reason):
        self.assertEqual(done.returncode, 3, done.stderr[-2000:])
        last = done.stderr.strip().split("\n")[-1]
        self.assertIn(REASONS[reason], last)
        self.assertIn("build/site", last, "which path?")
        return last

    def sweep(self, kind, reason, quick, deep, more=""):
        done, total = self.build(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(total, 0)
        refused, late, sentences = 0, 0, set()
        numbers = spread(total, deep if DEEP else quick)
        for n in numbers:
            with self.subTest(f"{kind}:{n}{more}"):
                self.back_to_old()
                done, _ = self.build(kind, n, more)
                site = self.whole_after(done)
                if site == self.old:
                    sentences.add(self.refused(done, reason))
                    refused += 1
                else:  # after the switch nothing is left that must be written
                    late += 1
                self.next_run()
        self.assertGreater(refused, 0)
        print(f"{kind}{more}: {len(numbers)} of {total}: {refused} refused, {late} after the switch; one: {min(sentences)[:220]}", flush=True)

    def test_room_for_so_many_bytes(self):
        self.sweep("bytes", "ENOSPC", 8, 600)

    def test_full_from_then_on(self):
        self.sweep("write", "ENOSPC", 4, 300, "+")

    def test_quota(self):
        self.sweep("change", "EDQUOT", 6, 300, "+:EDQUOT")

    def test_read_only_from_then_on(self):
        self.sweep("change", "EROFS", 6, 300, "+:EROFS")

    def test_delayed_writes(self):
        """A file system that finds its disk full only when it is asked to write for certain."""
        self.sweep("fsync", "ENOSPC", 4, 200, "+:ENOSPC")
        self.back_to_old()
        self.sweep("fsync", "EDQUOT", 4, 200, "+:EDQUOT")

    def test_a_folder_that_may_not_be_written_to(self):
        if os.geteuid() == 0:
            self.skipTest("the superuser may write to any folder")
        self.builds.chmod(0o555)
        self.addCleanup(self.builds.chmod, 0o755)
        done = self.odp("build", expect=3)
        self.assertTrue(faults.tells(done.stderr))
        self.assertIn("site.builds", done.stderr)
        self.assertEqual(odp.digests(self.dir / "build/site"), self.old)
        self.builds.chmod(0o755)
        self.next_run()


class Switching(odp.Case):
    """`rollback` and `withdraw` on a full disk."""

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        fields = [{"name": "kode", "type": "string"}]
        for month in (1, 2, 3):
            shutil.rmtree(self.dir / "catalog/satu", ignore_errors=True)
            self.dataset("satu", "kode\n" + "".join(f"k{month}{i}\n" for i in range(40)), fields, {"schema": {"primaryKey": ["kode"]}},
                         **{"odp:lastUpdate": f"2024-0{month}-15", "odp:formats": ["CSV"]})
            self.odp("build", "--today", "2024-12-01")
        self.first = (self.dir / "build/site.builds/log").read_text().split()[0]
        shutil.copytree(self.dir / "build", self.dir / "before", symlinks=True)

    def back(self):
        odp.remove_tree(self.dir / "build")
        shutil.copytree(self.dir / "before", self.dir / "build", symlinks=True)

    def full(self, words, fault, quick, deep):
        kind, more = fault
        self.back()
        old = odp.digests(self.dir / "build/site")
        done, total = faults.run(words, self.dir, f"{kind}:0")
        self.assertEqual(done.returncode, 0, done.stderr)
        new = odp.digests(self.dir / "build/site")
        numbers, sentences = spread(total, deep if DEEP else quick), set()
        for n in numbers:
            with self.subTest(f"{words[0]}, {kind}:{n}{more}"):
                self.back()
                done, _ = faults.run(words, self.dir, f"{kind}:{n}{more}")
                self.assertIn(done.returncode, (0, 3), done.stderr)
                site = odp.digests(self.dir / "build/site")
                self.assertIn(site, (new,) if done.returncode == 0 else (old, new))
                if done.returncode == 3:
                    self.assertTrue(faults.tells(done.stderr), done.stderr)
                    sentences.add(done.stderr.strip().split("\n")[-1])
                self.odp(*words)
                self.assertEqual(odp.digests(self.dir / "build/site"), new)
        print(f"{words[0]}, {kind}{more}: {len(numbers)} of {total}, {len(sentences)} sentences; one: {min(sentences)[:200]}", flush=True)

    def test_rollback(self):
        self.full(["rollback", "--to", self.first], ("change", "+:EROFS"), 4, 100)
        self.full(["rollback", "--to", self.first], ("bytes", ""), 3, 60)

    def test_withdraw(self):
        words = ["withdraw", "satu", "2024-02-15", "--reason", "legal", "--note", "putusan", "--jobs", "1"]
        self.full(words, ("bytes", ""), 4, 200)
        self.full(words, ("change", "+:EDQUOT"), 4, 200)


class Mounted(faults.Machine):
    """On real file systems: the folder of the site is a tmpfs of its own, in a mount namespace of the test's own."""

    def setUp(self):
        if not shutil.which("unshare"):
            self.skipTest("no unshare")
        probe = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"], capture_output=True, text=True)
        if probe.returncode != 0:
            self.skipTest(f"no mount namespace of its own: {probe.stderr.strip()}")
        super().setUp()

    def inside(self, script, check=True):
        """Runs SCRIPT in one namespace; "build" in it is a build whose exit code and words are printed."""
        prelude = f"set -e; cd '{self.dir}'; mount --make-rprivate / 2>/dev/null || true; M='{self.dir}/build'; B='{odp.PROGRAM}'; "
        done = subprocess.run(["unshare", "-m", "sh", "-c", prelude + script], capture_output=True, text=True, env=dict(os.environ, ODP_NO_TIMES="1"))
        if check:
            self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}\n{done.stderr}")
        return done

    def on_tmpfs(self, options):
        """A build on a tmpfs with OPTIONS that holds the old site; then one with room. Its exit code, its words, and the digests after each."""
        digests = f"'{sys.executable}' -c 'import json, sys; sys.path.insert(0, sys.argv[1]); import odp; " \
                  f"json.dump(odp.digests(\"build/site\"), open(sys.argv[2], \"w\"))' '{odp.SOURCE}/tests/e2e'"
        script = f"""
            cp -a build saved; mount -t tmpfs -o size=64m tmpfs "$M"; cp -a saved/. "$M"; rm -rf saved
            used=$(df -k --output=used "$M" | tail -n 1); inodes=$(df --output=iused "$M" | tail -n 1)
            mount -o remount,{options} "$M" || {{ echo too small; exit 0; }}
            "$B" build --jobs 1 2> words && code=0 || code=$?
            echo "code $code"; tail -n 1 words
            {digests} first.json
            mount -o remount,rw,size=64m,nr_inodes=0 "$M"
            "$B" build --jobs 1
            ls -A build/site.builds | grep -c '^[.]\\(stage\\|scratch\\|new\\)' > left || true
            {digests} second.json
        """
        done = self.inside(script)
        if done.stdout.startswith("too small"):
            return None
        code = int(done.stdout.split("\n")[0].split()[1])
        self.assertEqual((self.dir / "left").read_text().strip(), "0", "what a build with no room left is cleared by the next")
        self.assertEqual(self.differing(odp.read_json(self.dir / "second.json"), self.new), [])
        return code, done.stdout.split("\n")[1], odp.read_json(self.dir / "first.json")

    def sizes(self, name, reason, values):
        refused = built = 0
        sentence = ""
        for value in values:
            with self.subTest(f"{name}={value}"):
                result = self.on_tmpfs(f"{name}={value}")
                if result is None:
                    continue
                code, words, site = result
                self.assertIn(code, (0, 3), words)
                self.assertEqual(self.differing(site, self.new if code == 0 else self.old), [])
                if code == 0:
                    built += 1
                else:
                    self.assertTrue(faults.tells(words), words)
                    self.assertIn(REASONS[reason], words)
                    self.assertIn("build/site", words)
                    refused, sentence = refused + 1, words
        self.assertGreater(refused, 0)
        print(f"tmpfs {name}: {refused} refused, {built} with room enough; one: {sentence[:220]}", flush=True)

    def test_blocks(self):
        more = range(4, 2400, 40) if DEEP else (40, 400, 900)
        self.sizes("size", "ENOSPC", [f"$((used + {n}))k" for n in more])

    def test_inodes(self):
        more = range(1, 400, 10) if DEEP else (3, 60)
        self.sizes("nr_inodes", "ENOSPC", [f"$((inodes + {n}))" for n in more])

    def test_read_only(self):
        self.sizes("ro,size", "EROFS", ["64m"])


if __name__ == "__main__":
    odp.main()
