"""Fails the Nth allocation, read, write, fsync, rename, link, close, open, mkdir and unlink of `withdraw` and `rollback`, and what SQLite asks for when
`withdraw` reads query indexes: the site is the old one or the new one, the exit code never lies, and running it again finishes: what was withdrawn is
then found nowhere. `full` takes a sample. The site has no pages (portal_faults.py)."""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import faults  # noqa: E402
import odp  # noqa: E402

FIELDS = [{"name": "kode", "type": "string"}, {"name": "catatan", "type": "string"}]
SECRET = b"RAHASIA-9K3V"
WITHDRAW = ["withdraw", "satu", "2024-02-15", "--reason", "legal", "--note", "putusan", "--jobs", "1"]


class Lifecycle(odp.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.catalogue(references=False)
        for month in (1, 2, 3):
            shutil.rmtree(self.dir / "catalog/satu", ignore_errors=True)
            word = SECRET.decode() if month == 2 else f"catatan {month}"
            self.dataset("satu", "kode,catatan\n" + "".join(f"k{i},{word if i == 7 else 'teks'}\n" for i in range(60)), FIELDS,
                         {"schema": {"primaryKey": ["kode"]}}, **{"odp:lastUpdate": f"2024-0{month}-15", "odp:formats": ["CSV"]})
            self.odp("build", "--today", "2024-12-01")
        shutil.copytree(self.dir / "build", self.dir / "before", symlinks=True)
        self.old = odp.digests(self.dir / "build/site")

    def back(self):
        odp.remove_tree(self.dir / "build")
        shutil.copytree(self.dir / "before", self.dir / "build", symlinks=True)

    def run_with(self, words, kind, n):
        return faults.run(words, self.dir, f"{kind}:{n}")

    def sample(self, total):
        if os.environ.get("ODP_FAULT_ALL"):
            return range(1, total + 1)
        return sorted(set(range(1, total + 1, max(1, total // 4))) | set(range(max(1, total - 1), total + 1)))

    def secret_is_gone(self):
        for path in (self.dir / "build").rglob("*"):
            if path.is_file() and not path.is_symlink():
                self.assertNotIn(SECRET, path.read_bytes(), path)

    def one_kind(self, words, kind, finished):
        done, total = self.run_with(words, kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        new = odp.digests(self.dir / "build/site")
        self.assertNotEqual(new, self.old)
        self.assertGreater(total, 0, f"no {kind} was seen")
        for n in self.sample(total):
            self.back()
            done, _ = self.run_with(words, kind, n)
            site = odp.digests(self.dir / "build/site")
            # A file that cannot be read may be taken for one that is not there: refused then, never half done.
            self.assertIn(done.returncode, (0, 1, 3) if kind in ("read", "list") else (0, 3), f"{kind}:{n}\n{done.stderr[-2000:]}")
            self.assertIn(site, (self.old, new), f"{kind}:{n} left half a site")
            if done.returncode == 0:
                self.assertEqual(site, new, f"{kind}:{n} said it was done")
                finished(new)
            else:
                self.assertTrue(faults.tells(done.stderr), f"{kind}:{n}: what failed, and what to do?\n{done.stderr}")
            self.odp(*words)
            finished(new)

    def withdrawn(self, new):
        self.assertEqual(odp.digests(self.dir / "build/site"), new)
        self.secret_is_gone()

    def back_again(self, new):
        self.assertEqual(odp.digests(self.dir / "build/site"), new)
        target = os.readlink(self.dir / "build/site").split("/")[1]
        self.assertEqual((self.dir / "build/site.builds/log").read_text().split()[-1], target)

    def withdraw(self, kind):
        self.one_kind(WITHDRAW, kind, self.withdrawn)

    def rollback(self, kind):
        log = (self.dir / "build/site.builds/log").read_text().split()
        self.one_kind(["rollback", "--to", log[0]], kind, self.back_again)


for _kind in ("alloc", "read", "write", "fsync", "rename", "link", "close", "open", "make", "unlink", "lock", "list", "change"):
    setattr(Lifecycle, f"test_withdraw_{_kind}", lambda self, kind=_kind: self.withdraw(kind))
    if _kind != "make":  # it makes no folder
        setattr(Lifecycle, f"test_rollback_{_kind}", lambda self, kind=_kind: self.rollback(kind))
for _kind in ("sqlalloc", "sqlopen", "sqlread"):  # query indexes are told of anew
    setattr(Lifecycle, f"test_withdraw_{_kind}", lambda self, kind=_kind: self.withdraw(kind))

if __name__ == "__main__":
    odp.main()
