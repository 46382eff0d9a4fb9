"""Fails the Nth allocation, read, write, fsync, rename, link, close, open, mkdir, unlink, chmod, look, list and lock of the commands that the other files
beside this one leave out: `approve`, `export`, `init`, `template`, `headers`, `patch`, `bundle`, `keygen`, `rotate`, `sign`, and a report that is written
to a file. Either all of it is there, byte for byte, and the exit code is 0; or the exit code is 3, one sentence says what failed and what to do, and what
was there is as it was, with nothing beside it. The next run does the work whatever happened. `quick` takes a sample of the Ns of each kind, `deep`
(ODP_FAULT_ALL=1) takes up to 400 of them."""
import json
import os
import pathlib
import shutil

import faults
import odp
import workbook_edit  # noqa: E402

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))
MOST = int(os.environ.get("ODP_FAULT_SAMPLE", 400 if DEEP else 3))
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}]
KINDS = ("alloc", "jsonalloc", "read", "write", "fsync", "rename", "link", "close", "open", "make", "unlink", "mode", "look", "list", "lock", "mmap", "temp",
         "random")
NEVER = lambda path: False


def spread(total, most):
    """Up to MOST numbers from 1 to TOTAL, both ends among them."""
    if total <= most:
        return list(range(1, total + 1))
    return sorted({1 + (total - 1) * i // (most - 1) for i in range(most)})


class Sweep(odp.Case):
    """Commands in a folder that is put back before each run. What a test leaves in self.dir until start() is what there was."""
    tried = {}

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.store = pathlib.Path(str(self.dir) + "-before")
        self.addCleanup(odp.remove_tree, self.store)
        (self.dir / "bare/scratch").mkdir()
        os.environ["TMPDIR"] = str(self.dir / "bare/scratch")
        self.addCleanup(os.environ.pop, "TMPDIR")

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
        shutil.copytree(one, other, symlinks=True) if one.is_dir() else shutil.copy2(one, other)

    def back(self):
        for name in self.own():
            path = self.dir / name
            odp.remove_tree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name in os.listdir(self.store):
            self.copy(self.store / name, self.dir / name)

    def differing(self, one, other, besides):
        return sorted(p for p in one.keys() | other.keys() if not besides(p) and one.get(p, "absent") != other.get(p, "absent"))

    def sweep(self, words, kinds=KINDS, right=None, kept=NEVER, besides=NEVER, never_twice=False, allowed=(0, 3), shows="", environment=None, runs=None):
        """RIGHT(): fails where what is there is not what WORDS should give (None: it must be what the run without a fault gave). KEPT and BESIDES: paths that
        may be there after a fault, and paths that are not compared. NEVER_TWICE: the command refuses to do what has been done. SHOWS: what it may say before
        it does it begins so."""
        environment = dict({"ODP_LANG": "en"}, **(environment or {}))
        runs = runs or (lambda fault: faults.run(words, self.dir, fault, **environment))
        tried, refused = 0, 0
        for kind in kinds:
            self.back()
            calm, total = runs(f"{kind}:0")
            self.assertEqual(calm.returncode, 0, calm.stderr)
            new = self.tree()
            if right is not None:
                right()
            for n in spread(total, MOST):
                with self.subTest(f"{words[0]}, {kind}:{n}"):
                    self.back()
                    done, seen = runs(f"{kind}:{n}")
                    # Without memory for jansson the program ends then and there, and counts no more.
                    self.assertTrue(seen >= n or kind == "jsonalloc", "the call was not reached")
                    tried += 1
                    self.assertIn(done.returncode, allowed, done.stderr[-2000:])
                    now = self.tree()
                    ended = self.differing(now, new, besides) == [] if right is None else done.returncode == 0 or self.is_right(right)
                    if done.returncode == 0:
                        self.assertEqual(self.differing(now, new, besides) if right is None else right(), [] if right is None else None, "it said it was done")
                        self.assertEqual(done.stdout, calm.stdout) if right is None else None
                    else:
                        refused += 1
                        self.assertEqual(done.stderr.count("\n"), 1, f"one sentence\n{done.stderr}")
                        self.assertTrue(faults.tells(done.stderr), f"what failed, and what to do?\n{done.stderr}")
                        self.assertTrue(done.stdout == "" or (shows and done.stdout.startswith(shows)), "it said what it did, and did not do it")
                        if not ended:
                            self.assertEqual(self.differing(now, self.before, lambda p: kept(p) or besides(p)), [], f"neither old nor new\n{done.stderr}")
                    self.assertEqual(os.listdir(self.dir / "bare/scratch"), [], "left in TMPDIR")
                    if not (ended and never_twice):
                        again, _ = runs(None)
                        self.assertEqual(again.returncode, 0, f"the next run\n{again.stderr}\nafter\n{done.stderr}")
                    self.assertEqual(self.differing(self.tree(), new, besides) if right is None else right(), [] if right is None else None, "the next run")
                for left in (self.dir / "bare/scratch").iterdir():
                    odp.remove_tree(left) if left.is_dir() else left.unlink()
        self.assertGreater(tried, 0)
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
        self.sweep(words, shows="satu 2024-03-16")
        # And where there is a list of approvals already.
        path = self.dir / "catalog/approvals/satu.json"
        path.write_text(json.dumps([dict(odp.read_json(path)[0], version="2023-01-15")]))
        self.start()
        self.sweep(words, kinds=("alloc", "jsonalloc", "read", "write", "fsync", "rename", "open"), shows="satu 2024-03-16")

    def test_export(self):
        self.one_dataset()
        words = ["export", "satu", "--out", "ekspor", "--format", "csv,json", "--today", "2024-12-01", "--jobs", "1"]
        self.start()
        self.sweep(words)

    def test_export_over_an_older_one(self):
        self.one_dataset()
        words = ["export", "satu", "--out", "ekspor", "--format", "csv,json", "--today", "2024-12-01", "--jobs", "1"]
        self.odp(*words)
        old = self.tree()
        self.update("satu", "2024-03-16", self.rows(41))
        self.start()

        def right():
            sums = dict(reversed(line.split("  ")) for line in (self.dir / "ekspor/SHA256SUMS").read_text().splitlines())
            self.assertEqual(sums, odp.digests(self.dir / "ekspor").keys() and {k: v for k, v in odp.digests(self.dir / "ekspor").items() if k != "SHA256SUMS"})
            self.assertIn("k40", (self.dir / "ekspor/satu.csv").read_text())

        # The files are moved one after the other, the list of sums last: a mixture is one that the list gives away.
        self.sweep(words, right=right, kept=lambda p: p.startswith("ekspor/satu") and (self.dir / p).read_bytes() not in (b"", old.get(p)))

    def test_init(self):
        self.one_dataset()
        (self.dir / "masuk").mkdir()
        path = self.dir / "masuk/baru.csv"
        path.write_text("kode;nama;luas\n" + "".join(f"{i:04d};Desa {i};{i},5\n" for i in range(60)))
        os.utime(path, (1710504000, 1710504000))
        self.start()
        self.sweep(["init", "masuk/baru.csv", "baru", "--yes"], never_twice=True)
        self.sweep(["init", "masuk/baru.csv", "baru", "--yes", "--output", "keluar"], never_twice=True)

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
        self.sweep(["check", "--report", "json=laporan.json", "--jobs", "1"], right=lambda: self.assertEqual(odp.read_json(self.dir / "laporan.json")["valid"], True))

    def test_patch(self):
        self.one_dataset()
        self.odp("build", "--today", "2024-12-01")
        self.update("satu", "2024-03-16", self.rows(45))
        self.odp("build", "--today", "2024-12-01")
        data = self.dir / "out/site/data/satu"
        for name, path in (("lama", data / "2024-03-15/satu.csv"), ("delta", next((data / "2024-03-16").glob("satu.csv.from-*.delta")))):
            shutil.copy(path, self.dir / name)
        want = (data / "2024-03-16/satu.csv").read_bytes()
        odp.remove_tree(self.dir / "out")
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


if __name__ == "__main__":
    odp.main()
