"""Fails the Nth allocation, read, write, fsync, rename, link, close, open, mkdir, unlink, chmod, look, list and lock, or fills the disk, in the commands
that the other files beside this one leave out: `approve`, `export`, `init`, `template`, `headers`, `patch`, `bundle`, `keygen`, `rotate`, `sign`, and a
report that is written to a file. Either all of it is there, byte for byte, and the exit code is 0; or the exit code is 3, one sentence says what failed
and what to do, and what was there is as it was, with nothing beside it. The next run does the work whatever happened. `full` takes a sample of the Ns of
each kind, `deep` (ODP_FAULT_ALL=1) takes up to 200 of them."""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import faults
import odp
import workbook_edit  # of tests/cases: faults has put it on the path

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))
MOST = int(os.environ.get("ODP_FAULT_SAMPLE", 200 if DEEP else 2))
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}]
KINDS = ("alloc", "jsonalloc", "read", "write", "fsync", "rename", "link", "close", "open", "make", "unlink", "mode", "look", "list", "lock", "mmap", "temp",
         "random", "bytes")
NEVER = lambda path: False  # noqa: E731


def spread(total, most):
    """Up to MOST numbers from 1 to TOTAL, both ends among them."""
    if total <= most:
        return list(range(1, total + 1))
    return sorted({1 + (total - 1) * i // (most - 1) for i in range(most)})


class Sweep(odp.Case):
    """Commands in a folder that is put back before each run. What a test leaves in self.dir until start() is what there was."""

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.store = pathlib.Path(str(self.dir) + "-before")
        self.addCleanup(odp.remove_tree, self.store)
        (self.dir / "bare/scratch").mkdir()

    def own(self):
        return sorted(p for p in os.listdir(self.dir) if p not in ("bare", "count"))

    def tree(self):
        """{path: bytes, target of a link, or None for a folder} of all that there is."""
        out = {}
        for name in self.own():
            top = self.dir / name
            for path in [top, *(top.rglob("*") if top.is_dir() and not top.is_symlink() else ())]:
                key = str(path.relative_to(self.dir))
                out[key] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        return out

    def start(self):
        odp.remove_tree(self.store)
        self.store.mkdir()
        for name in self.own():
            self.copy(self.dir / name, self.store / name)
        self.before = self.tree()

    def copy(self, one, other):
        shutil.copytree(one, other, symlinks=True) if one.is_dir() and not one.is_symlink() else shutil.copy2(one, other, follow_symlinks=False)

    def back(self):
        for name in self.own():
            path = self.dir / name
            odp.remove_tree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name in os.listdir(self.store):
            self.copy(self.store / name, self.dir / name)

    def differing(self, one, other, besides=NEVER):
        """The first few paths: a long list takes unittest minutes to show."""
        return sorted(p for p in one.keys() | other.keys() if not besides(p) and one.get(p, "absent") != other.get(p, "absent"))[:8]

    def sweep(self, words, kinds=KINDS, right=None, kept=NEVER, never_twice=False, shows="", ended_says="", every=()):
        """RIGHT(): fails where what is there is not what WORDS should give (None: it must be what the run without a fault gave). KEPT(path): it
        may be there after a fault, but not after the next run. NEVER_TWICE: the command refuses to do what has been done. SHOWS: what it may say before
        it does it begins so. ENDED_SAYS: what the sentence has where all was done before the machine failed. EVERY: of these kinds all calls fail,
        not a sample of them."""
        environment = {"ODP_LANG": "en", "TMPDIR": str(self.dir / "bare/scratch")}
        runs = lambda fault: faults.run(words, self.dir, fault, **environment)  # noqa: E731
        tried, refused, missed = 0, 0, 0
        for kind in kinds:
            self.back()
            calm, total = runs(f"{kind}:0")
            self.assertEqual(calm.returncode, 0, calm.stderr)
            new = self.tree()
            if right is not None:
                right()
            for n in spread(total, total if kind in every else MOST):
                with self.subTest(f"{words[0]}, {kind}:{n}"):
                    self.back()
                    done, seen = runs(f"{kind}:{n}")
                    # Runs differ by a call or two: then the last that this one made fails. Without memory for jansson the program ends then and there, and
                    # counts no more.
                    if 0 < seen < n and kind != "jsonalloc":
                        self.back()
                        n = max(1, seen - 2)
                        done, seen = runs(f"{kind}:{n}")
                    if seen < n and kind != "jsonalloc":  # no call failed, so all must be well
                        self.assertEqual(done.returncode, 0, done.stderr)
                        missed += 1
                        continue
                    tried += 1
                    # What cannot be looked at, or listed, may be taken for what is not there.
                    self.assertIn(done.returncode, (0, 1, 2, 3) if kind in ("look", "list") else (0, 3), done.stderr[-2000:])
                    now = self.tree()
                    ended = self.differing(now, new, kept) == [] if right is None else done.returncode == 0 or self.is_right(right)
                    if done.returncode == 0:
                        self.assertEqual(self.differing(now, new, kept) if right is None else right(), [] if right is None else None, "it said it was done")
                        self.assertEqual(done.stdout, calm.stdout) if right is None else None
                    else:
                        refused += 1
                        if done.returncode == 3:
                            # Of the other side of a publication a diagnostic tells.
                            self.assertTrue(done.stderr.count("\n") == 1 or "ODP-V41" in done.stderr, f"one sentence\n{done.stderr}")
                            self.assertTrue(faults.tells(done.stderr), f"what failed, and what to do?\n{done.stderr}")
                        self.assertTrue(done.stderr.strip(), "it failed without a word")
                        if done.returncode in (1, 2):
                            continue
                        if ended and kind != "jsonalloc":
                            self.assertIn(ended_says, done.stderr)
                        self.assertTrue(ended or done.stdout == "" or (shows and done.stdout.startswith(shows)), "it said what it did, and did not do it")
                        if not ended:
                            self.assertEqual(self.differing(now, self.before, kept), [], f"neither old nor new\n{done.stderr}")
                    if kind not in ("unlink", "open", "list"):  # else it may be its removal that failed
                        self.assertEqual(os.listdir(self.dir / "bare/scratch"), [], "left in TMPDIR")
                    if not (ended and never_twice):
                        again, _ = runs(None)
                        self.assertEqual(again.returncode, 0, f"the next run\n{again.stderr}\nafter\n{done.stderr}")
                    self.assertEqual(self.differing(self.tree(), new) if right is None else right(), [] if right is None else None, "the next run")
                for left in (self.dir / "bare/scratch").iterdir():
                    odp.remove_tree(left) if left.is_dir() else left.unlink()
        self.assertGreater(tried, missed)
        print(f"{' '.join(map(str, words))}: {tried} calls failed, {refused} runs refused, {tried - refused} could do without", flush=True)

    def is_right(self, right):
        try:
            right()
        except (AssertionError, OSError, ValueError):
            return False
        return True


class Commands(Sweep):
    def rows(self, n=40, state=0):
        return "kode,nilai\n" + "".join(f"k{i},{(i + state) % 50}.5\n" for i in range(n))

    def one_dataset(self):
        self.catalogue(references=False)
        self.dataset("satu", self.rows(), FIELDS, {"schema": {"primaryKey": ["kode"]}})

    def test_approve(self):
        self.one_dataset()
        self.odp("build")
        self.odp("keygen", "kunci", "--unencrypted")
        portal = self.dir / "catalog/portal.json"
        portal.write_text(json.dumps(dict(odp.read_json(portal), approval={"keys": [(self.dir / "kunci/odp-signing.pub").read_text().split()[-1]]})))
        self.update("satu", "2024-03-16", self.rows(41))
        self.odp("build", "--today", "2024-12-01")
        words = ["approve", "satu", "--by", "Sari Dewi", "--ref", "B-12/2024", "--key", "kunci/odp-signing.key"]
        self.start()
        self.sweep(words, kept=lambda p: p == "catalog/approvals", shows="satu 2024-03-16")
        # And where there is a list of approvals already.
        path = self.dir / "catalog/approvals/satu.json"
        path.write_text(json.dumps([dict(odp.read_json(path)[0], version="2023-01-15")]))
        self.start()
        self.sweep(words, kinds=("alloc", "jsonalloc", "read", "write", "fsync", "rename", "open"), shows="satu 2024-03-16")

    def test_export(self):
        self.one_dataset()
        words = ["export", "satu", "--out", "ekspor", "--format", "csv,json", "--today", "2024-12-01", "--jobs", "1", "--quiet"]
        self.odp(*words)
        want = self.tree()
        odp.remove_tree(self.dir / "ekspor")
        self.start()
        # The files are moved one after the other: each is whole, and without the list of sums they are not all.
        self.sweep(words, kept=lambda p: p == "ekspor" or p.startswith("ekspor/.odp-export") or (
            p in want and (self.dir / p).is_file() and (self.dir / p).read_bytes() == want[p]))

    def test_export_over_an_older_one(self):
        self.one_dataset()
        words = ["export", "satu", "--out", "ekspor", "--format", "csv,json", "--today", "2024-12-01", "--jobs", "1", "--quiet"]
        self.odp(*words)
        self.update("satu", "2024-03-16", self.rows(41))
        self.start()

        def right():
            sums = dict(reversed(line.split("  ")) for line in (self.dir / "ekspor/SHA256SUMS").read_text().splitlines())
            self.assertEqual(sums, {k: v for k, v in odp.digests(self.dir / "ekspor").items() if not k.startswith((".odp-export", "SHA256SUMS"))})
            self.assertIn("k40", (self.dir / "ekspor/satu.csv").read_text())

        # The list of sums, which is moved last, gives a mixture away.
        self.sweep(words, right=right, kept=lambda p: p.startswith("ekspor/") and p != "ekspor/SHA256SUMS")

    def test_what_only_prints(self):
        """Each allocation: all of the output, or one sentence; nobody is told of a fault of the catalogue, or that there is none of what there is."""
        self.one_dataset()
        (self.dir / "catalog/theme.json").write_text(json.dumps({"css": "a.css"}))
        (self.dir / "catalog/a.css").write_text("h1 { letter-spacing: 0 }\n")
        self.odp("build", "--today", "2024-12-01")
        self.update("satu", "2024-03-16", self.rows(41))
        self.odp("build", "--today", "2024-12-01")
        for words in (["list"], ["show", "satu"], ["versions"], ["diff", "satu"], ["explain", "ODP-C26"], ["headers", "--format", "nginx"]):
            calm, total = faults.run(words, self.dir, "alloc:0", ODP_LANG="en")
            self.assertEqual(calm.returncode, 0, calm.stderr)
            for n in range(1, total + 1):
                with self.subTest(f"{words[0]}, alloc:{n}"):
                    done, _ = faults.run(words, self.dir, f"alloc:{n}", ODP_LANG="en")
                    if done.returncode == 0:
                        self.assertEqual((done.stdout, done.stderr), (calm.stdout, calm.stderr))
                        continue
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    self.assertTrue(faults.tells(done.stderr), done.stderr)

    def test_init(self):
        self.one_dataset()
        (self.dir / "masuk").mkdir()
        path = self.dir / "masuk/baru.csv"
        path.write_text("kode;nama;luas\n" + "".join(f"{i:04d};Desa {i};{i},5\n" for i in range(60)))
        os.utime(path, (1710504000, 1710504000))
        self.start()
        # Without memory for jansson the program ends then and there, as if it were killed: a draft that is there by then is not written over.
        kinds = [k for k in KINDS if k != "jsonalloc"]
        self.sweep(["init", "masuk/baru.csv", "baru", "--yes"], kinds, never_twice=True, every=("alloc",))  # else it would be another draft
        self.sweep(["init", "masuk/baru.csv", "baru", "--yes", "--output", "keluar"], kinds, never_twice=True)
        self.no_fault_of_the_file(["init", "masuk/baru.csv", "baru", "--yes"], "ODP-I01")

    def no_fault_of_the_file(self, words, code):
        """What cannot be looked at because the disk fails is not said to be a file that its owner must mend (CODE)."""
        for n in range(1, faults.run(words, self.dir, "look:0")[1] + 1):
            self.back()
            done, _ = faults.run(words, self.dir, f"look:{n}:EIO")
            self.assertNotIn(code, done.stderr, f"look:{n}")

    def test_fix_of_a_column(self):
        """Each allocation: a rule that there is is never said to be none."""
        self.catalogue(references=False)
        self.dataset("satu", "kode,kelas\nk1,Sedan\nk2,Ringan\n",
                     [{"name": "kode", "type": "string"}, {"name": "kelas", "type": "string", "categories": ["Ringan", "Sedang"]}])
        self.start()
        self.sweep(["fix", "satu", "--yes", "ODP-B11:kelas=Sedan", "--jobs", "1"], ("alloc",), every=("alloc",), right=self.is_fixed, shows="satu")

    def is_fixed(self):
        self.assertIn("k1,Sedang\n", (self.dir / "catalog/satu/satu.csv").read_text())

    def test_apply(self):
        self.one_dataset()
        self.odp("template", "--metadata", "--output", "metadata.xlsx")
        self.start()
        self.no_fault_of_the_file(["apply", "metadata.xlsx"], "ODP-A10")

    def test_template(self):
        self.one_dataset()
        self.start()

        def right():
            workbook_edit.Workbook(self.dir / "satu.xlsx")
            self.assertEqual([p for p in self.own() if p not in self.before], ["satu.xlsx"])

        self.sweep(["template", "satu"], right=right, never_twice=True)

    def test_headers_and_reports(self):
        self.one_dataset()
        self.odp("build")
        self.start()
        self.sweep(["headers", "--format", "nginx", "--output", "nginx.conf"])
        self.sweep(["check", "--report", "json=laporan.json", "--jobs", "1", "--quiet"])

    def test_patch(self):
        self.catalogue(references=False)
        self.dataset("satu", self.rows(3000), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.odp("build", "--today", "2024-12-01")
        self.update("satu", "2024-03-16", self.rows(3000).replace("k7,", "k7,1"))
        self.odp("build", "--today", "2024-12-01")
        data = self.dir / "build/site/data/satu"
        for name, path in (("lama", data / "2024-03-15/satu.csv"), ("delta", next((data / "2024-03-16").glob("satu.csv.from-*.delta")))):
            shutil.copy(path, self.dir / name)
        want = (data / "2024-03-16/satu.csv").read_bytes()
        odp.remove_tree(self.dir / "build")
        self.start()
        self.sweep(["patch", "delta", "lama", "baru"], never_twice=True)
        self.assertEqual((self.dir / "baru").read_bytes(), want)

    def test_bundle(self):
        self.one_dataset()
        self.odp("build")
        self.odp("keygen", "kunci", "--unencrypted")
        self.odp("sign", "--key", "kunci/odp-signing.key")
        self.start()
        # Its allocations, reads, writes, fsyncs, renames and closes: verify_faults.
        self.sweep(["bundle", "b.zip"], kinds=("open", "unlink", "look", "list", "lock", "mmap", "jsonalloc"))

    def test_sign(self):
        self.one_dataset()
        self.odp("build")
        self.odp("keygen", "kunci", "--unencrypted")
        self.start()
        self.sweep(["sign", "--key", "kunci/odp-signing.key"])

    def test_sign_with_a_password(self):
        """What is not the password's fault, nor the key's. The key only says that it is encrypted: nobody comes to turn its lock, which takes seconds."""
        self.one_dataset()
        self.odp("build")
        (self.dir / "sandi").write_text("kata sandi\n")
        (self.dir / "sandi").chmod(0o600)
        self.odp("keygen", "kunci", "--unencrypted")
        path = self.dir / "kunci/odp-signing.key"
        comment, text = path.read_text().splitlines()
        key = base64.b64decode(text)
        path.write_text(f"{comment}\n{base64.b64encode(key[:2] + b'Sc' + key[4:]).decode()}\n")
        self.start()
        for fault in ("open:1", "open:2", "read:1", "read:2", "read:3"):
            with self.subTest(fault):
                done, _ = faults.run(["sign", "--key", "kunci/odp-signing.key", "--password-file", "sandi"], self.dir, fault, ODP_LANG="en")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertTrue(faults.tells(done.stderr) and done.stderr.count("\n") == 1, done.stderr)
                self.assertEqual(self.differing(self.tree(), self.before), [])


class Keys(Sweep):
    """No secret key is lost that a document names, none is left that none names."""

    def pair(self, folder, name):
        """The public key of a pair of files, or None: there is neither."""
        secret, public = self.dir / folder / f"{name}.key", self.dir / folder / f"{name}.pub"
        self.assertEqual(secret.exists(), public.exists(), "half a pair")
        if not secret.exists():
            return None
        self.assertEqual(secret.stat().st_mode & 0o777, 0o600)
        self.assertEqual(len(secret.read_text().splitlines()), 2)
        return public.read_text().split()[-1]

    def test_keygen(self):
        self.start()

        def right():
            keys = [self.pair("kunci", name) for name in ("odp-signing", "odp-recovery")]
            text = (self.dir / "kunci/keys.json").read_text()
            for key in keys:
                self.assertIn(key, text)
            self.assertEqual(len(os.listdir(self.dir / "kunci")), 5)

        self.sweep(["keygen", "kunci", "--unencrypted"], right=right, kept=lambda p: p == "kunci", never_twice=True)

    def test_rotate(self):
        self.catalogue(references=False)
        self.odp("keygen", "kunci", "--unencrypted")
        shutil.copy(self.dir / "kunci/keys.json", self.dir / "catalog")
        old = (self.dir / "catalog/keys.json").read_text()
        self.start()

        def right():
            key = self.pair("baru", "odp-signing")
            text = (self.dir / "catalog/keys.json").read_text()
            self.assertNotEqual(text, old)
            self.assertIn(key, text)
            self.assertEqual(sorted(os.listdir(self.dir / "baru")), ["odp-signing.key", "odp-signing.pub"])
            self.assertEqual([p for p in os.listdir(self.dir / "catalog") if "keys.json" in p], ["keys.json"])

        self.sweep(["rotate", "baru", "--key", "kunci/odp-signing.key", "--unencrypted"], right=right, kept=lambda p: p == "baru", never_twice=True)


class Killed(Sweep):
    """What a run that was killed leaves beside the file it writes goes with the next run that writes it; what looks like it and is not, stays."""

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.source = self.dataset("satu", "kode,kelas\n" + "".join(f"k{i},{'Sedan' if i % 7 == 0 else 'Ringan'}\n" for i in range(300)),
                                   [{"name": "kode", "type": "string"}, {"name": "kelas", "type": "string", "categories": ["Ringan", "Sedang"]}],
                                   {"schema": {"primaryKey": ["kode"]}}) / "satu.csv"
        self.dead, self.gone = self.ended(), self.ended()

    def ended(self):
        process = subprocess.Popen(["true"])
        process.wait()
        return process.pid

    def kill(self, words, moment):
        done, _ = faults.run(words, self.dir, None, ODP_HOOK=moment, ODP_HOOK_DO="kill -9 $PPID")
        self.assertEqual(done.returncode, -9, f"{moment} did not come\n{done.stderr}")
        self.old()

    def old(self):
        """What is left is from an hour ago: what is fresh might be another container's."""
        for path in self.dir.rglob("*"):
            if re.search(r"\.\d+\.(tmp|part|tmp\.csv)$", path.name) and not path.is_symlink():
                os.utime(path, (time.time() - 3600,) * 2)

    def strangers(self, folder, before, after):
        """Names that are none of ours, or of a process that lives."""
        names = [f"{before}{os.getpid()}{after}", f"{before}{after}", f"{before}0{self.dead}{after}", f"{before}-{self.dead}{after}",
                 f"{before}{self.dead}x{after}", f"x{before}{self.dead}{after}", f"{before}{self.dead}{after}x", f"{before}{10 ** 30}{after}",
                 f"{before}{self.dead}.{self.dead}{after}"]
        for name in names:
            (folder / name).write_text("somebody's")
        (folder / f"{before}{self.gone}{after}").mkdir()
        self.old()
        fresh = f"{before}{self.gone + 2 ** 22}{after}"
        (folder / fresh).write_text("somebody's in another container")
        return set(os.listdir(folder))

    def test_bundle(self):
        self.source.write_text(self.source.read_text().replace("Sedan\n", "Sedang\n"))
        self.odp("build")
        self.odp("bundle", "want.zip")
        self.kill(["bundle", "b.zip"], "read:1:satu.csv")
        left = [p for p in os.listdir(self.dir) if p.startswith("b.zip")]
        self.assertEqual(len(left), 1, left)
        self.assertRegex(left[0], r"^b\.zip\.[0-9]+\.part$")
        (self.dir / left[0]).rename(self.dir / f"b.zip.{self.dead + 2 ** 22}.part")  # the number that a run takes whose own is taken
        names = self.strangers(self.dir, "b.zip.", ".part") - {f"b.zip.{self.dead + 2 ** 22}.part", "count"}
        self.odp("bundle", "b.zip")
        self.assertEqual(set(os.listdir(self.dir)) - {"count"}, names | {"b.zip"})
        self.assertEqual((self.dir / "b.zip").read_bytes(), (self.dir / "want.zip").read_bytes())

    def test_fix(self):
        folder = self.source.parent
        before = self.source.read_text()
        self.kill(["fix", "satu", "--yes", "all"], "open:2:.tmp.csv")
        left = [p for p in os.listdir(folder) if p not in ("satu.csv", "dataset.json")]
        self.assertEqual(len(left), 1, left)
        self.assertRegex(left[0], r"^\.satu\.csv\.[0-9]+\.tmp\.csv$")
        self.assertEqual(self.source.read_text(), before)
        names = self.strangers(folder, ".satu.csv.", ".tmp.csv") - set(left)
        self.odp("fix", "satu", "--yes", "all")
        self.assertEqual(set(os.listdir(folder)), names | {"satu.csv.asli"})
        self.assertEqual(self.source.read_text(), before.replace("Sedan\n", "Sedang\n"))

    def test_every_command_that_writes_a_file(self):
        good = self.source.read_text().replace("Sedan\n", "Sedang\n")
        commands = [(["check", "--report", "xlsx=b.xlsx"], "b.xlsx.", ".part", 1), (["check", "--report", "json=b.json"], "b.json.", ".tmp", 1),
                    (["template", "satu", "--output", "t.xlsx"], "t.xlsx.", ".part", 0)]
        self.odp("keygen", "kunci", "--unencrypted")
        shutil.copy(self.dir / "kunci/keys.json", self.dir / "catalog")
        self.source.write_text(good)
        for date in ("2024-03-16", "2024-03-17"):
            self.odp("build", "--today", "2024-12-01")
            self.update("satu", date, good := good + f"{date},Ringan\n")
        self.source.write_text(good.replace("Sedang\n", "Sedan\n"))
        commands += [(["headers", "--format", "s3", "--output", "h.json"], "h.json.", ".tmp", 0),
                     (["diff", "satu", "--format", "csv", "--output", "d.csv"], "d.csv.", ".tmp", 0),
                     (["rotate", "baru", "--key", "kunci/odp-signing.key", "--unencrypted"], "catalog/keys.json.", ".tmp", 0)]
        for words, before, after, code in commands:
            with self.subTest(words[0]):
                folder, before = self.dir / os.path.dirname(before), os.path.basename(before)
                (folder / f"{before}{self.dead}{after}").write_text("half")
                names = self.strangers(folder, before, after) - {f"{before}{self.dead}{after}"}
                self.odp(*words, expect=code)
                self.assertLessEqual(names, set(os.listdir(folder)), "what is not ours is gone")
                self.assertNotIn(f"{before}{self.dead}{after}", os.listdir(folder))

    def test_the_number_is_taken(self):
        """In a container each run may have the number of the one that was killed: it takes another name, and does not fail."""
        self.source.write_text(self.source.read_text().replace("Sedan\n", "Sedang\n"))
        self.odp("build")
        words = ["headers", "--format", "nginx", "--output", "h.conf"]
        self.odp(*words)
        want = (self.dir / "h.conf").read_text()
        done, _ = faults.run(words, self.dir, None, ODP_HOOK="open:1:control", ODP_HOOK_DO=f"cd {self.dir}; echo half > h.conf.$PPID.tmp")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.dir / "h.conf").read_text(), want)
        left = [p for p in os.listdir(self.dir) if p.startswith("h.conf.")]
        self.assertEqual(len(left), 1, left)
        self.old()
        self.odp(*words)
        self.assertEqual([p for p in os.listdir(self.dir) if p.startswith("h.conf.")], [], "its process has ended by now")


if __name__ == "__main__":
    odp.main()
