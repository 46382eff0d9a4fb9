"""The power fails at any moment of a build that publishes (the first site, and a second version of it), of `rollback` and of `withdraw`.

The shim writes down, in order and with their bytes, all operations by which the command changes the folder of the site. From that log states are made in
which a machine may come up again, by the strictest reading of what a file system promises:

- the operations up to a moment drawn by lot have been asked for, those after it have not;
- the bytes of a file are certain as of its last fsync (or syncfs) before that moment; what was written later is there in full, not at all, in any part, or
  torn in the middle of a write, with zeros where a hole stays;
- a name (made, linked, renamed, removed) is certain once its folder has been synced afterwards (for a rename: the folder it goes to) or syncfs was called;
  any other may be there or not, whatever its neighbours do. fsync of a file says nothing of its name. A rename is one step.

What was there before the command is on the disk. In each state the site that the link names is whole, the one before or the new one; once the command has
ended with 0 it is the new one. Then the command is run again: it gives the bytes of a run that nothing disturbed, and leaves nothing behind. What was
withdrawn is, after the command's success, in no file of the state itself.

The states are drawn from a seed, which is printed (ODP_SEED sets another); `full` looks at 64, `deep` (ODP_FAULT_ALL=1) at 2,000 (ODP_STATES: as many)."""
import bisect
import os
import pathlib
import random
import shutil
import urllib.parse

import faults
import odp
import versionslib

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))
SEED = int(os.environ.get("ODP_SEED", "20240315"))
STATES = int(os.environ.get("ODP_STATES", "2000" if DEEP else "64"))
FIELDS = [{"name": "kode", "type": "string"}, {"name": "catatan", "type": "string"}]
SECRET = b"RAHASIA-9K3V"
TODAY = ("--today", "2024-12-01")


class File:
    def __init__(self, content=b"", mode=0o644, kept=None):
        self.before, self.mode, self.kept = content, mode, kept  # kept: where its bytes lie, read-only, as long as nobody writes to it
        self.writes, self.syncs = [], []                         # (moment, offset, bytes or None: cut there), (moment, content)

    def certain(self, moment):
        """Content and the moment it is of: the last that was synced before MOMENT."""
        at = bisect.bisect_left(self.syncs, moment, key=lambda s: s[0])
        return self.syncs[at - 1][::-1] if at > 0 else (self.before, -1)

    def after(self, moment, draw):
        content, since = self.certain(moment)
        later = [w for w in self.writes if since < w[0] < moment]
        how = draw.choice(("all", "none", "some", "torn")) if draw else "all"
        if not later or how == "none":
            return content
        if how == "some":
            later = [w for w in later if draw.random() < 0.5]
        out = bytearray(content)
        for _, offset, data in later:
            if data is None:
                del out[offset:]
                out.extend(bytes(offset - len(out)))
                continue
            if how == "torn" and (_, offset, data) == later[-1]:
                data = data[:draw.randrange(len(data) + 1)]
            out.extend(bytes(max(0, offset - len(out))))
            out[offset:offset + len(data)] = data
        return bytes(out)


class Folder:
    def __init__(self):
        self.before = {}  # name: File, Folder or the target of a link


class Replay:
    """The log of a run below ROOT, and the states that it may leave."""

    def __init__(self, root, store):
        self.root, self.store = str(root), store
        self.numbers = {}   # inode: File or Folder
        self.top = self.scan(root)
        self.now = {id(self.top): dict(self.top.before)}  # the names of each folder, as the log goes on
        self.folders = {id(self.top): self.top}
        self.remember(self.top)
        self.names = []     # [moment, folder synced for it, ((folder, name, what or None), …), moment it became certain or None]
        self.moment = 0

    def remember(self, folder):
        self.now.setdefault(id(folder), dict(folder.before))
        self.folders[id(folder)] = folder
        for child in folder.before.values():
            if isinstance(child, Folder):
                self.remember(child)

    def scan(self, path):
        folder = Folder()
        self.numbers[os.stat(path).st_ino] = folder
        for entry in sorted(os.scandir(path), key=lambda e: e.name):
            st = entry.stat(follow_symlinks=False)
            if entry.is_symlink():
                folder.before[entry.name] = os.readlink(entry.path)
            elif entry.is_dir():
                folder.before[entry.name] = self.scan(entry.path)
            else:
                if st.st_ino not in self.numbers:
                    kept = None
                    if st.st_mode & 0o222 == 0:
                        kept = self.store / str(len(self.numbers))
                        shutil.copyfile(entry.path, kept)
                        kept.chmod(0o444)
                    self.numbers[st.st_ino] = File(pathlib.Path(entry.path).read_bytes(), st.st_mode & 0o777, kept)
                folder.before[entry.name] = self.numbers[st.st_ino]
        return folder

    def place(self, path):
        """(Folder, name) of a path below the root; None: it is elsewhere."""
        path = os.path.normpath(path)
        if not path.startswith(self.root + "/"):
            return None
        folder, parts = self.top, path[len(self.root) + 1:].split("/")
        for part in parts[:-1]:
            folder = self.now[id(folder)].get(part)
            if not isinstance(folder, Folder):
                return None
        return folder, parts[-1]

    def change(self, synced, *names):
        for folder, name, what in names:
            if what is None:
                self.now[id(folder)].pop(name, None)
            else:
                self.now[id(folder)][name] = what
        self.names.append([self.moment, synced, names, None])

    def settle(self, folder):
        for change in self.names:
            if change[3] is None and (folder is None or change[1] is folder):
                change[3] = self.moment

    def read(self, log, blob):
        for line in log.read_text().splitlines():
            self.moment += 1
            word, *rest = line.split("\t")
            if word in ("write", "content"):
                number, offset, size, at = map(int, rest)
                node = self.numbers.get(number)
                if isinstance(node, File) and word == "write":
                    node.writes.append((self.moment, offset, blob[at:at + size]))
                elif isinstance(node, File):
                    node.content = blob[at:at + size]
            elif word == "cut":
                node = self.numbers.get(int(rest[0]))
                if isinstance(node, File):
                    node.writes.append((self.moment, int(rest[1]), None))
            elif word == "sync":
                node = self.numbers.get(int(rest[0]))
                if isinstance(node, File):
                    node.syncs.append((self.moment, node.__dict__.pop("content", b"")))
                elif node is not None:
                    self.settle(node)
            elif word == "syncfs":
                self.settle(None)
                for node in self.numbers.values():
                    if isinstance(node, File) and "content" in node.__dict__:
                        node.syncs.append((self.moment, node.__dict__.pop("content")))
                    elif isinstance(node, File) and node.writes:
                        node.syncs.append((self.moment, node.after(self.moment, None)))
            else:
                self.name(word, int(rest[0]), [urllib.parse.unquote(p) for p in rest[1:]])
        self.moment += 1

    def name(self, word, number, paths):
        last = self.place(paths[-1])
        if last is None:
            return
        folder, name = last
        here = self.now[id(folder)].get(name)
        if word in ("open", "empty"):
            if not isinstance(here, File):
                self.numbers[number] = here = File()
                self.change(folder, (folder, name, here))
            if word == "empty":
                here.writes.append((self.moment, 0, None))
        elif word == "mkdir":
            self.numbers[number] = child = Folder()
            self.remember(child)
            self.change(folder, (folder, name, child))
        elif word == "symlink":
            self.change(folder, (folder, name, paths[0]))
        elif word == "unlink":
            self.change(folder, (folder, name, None))
        else:
            other, old = self.place(paths[0])
            node = self.now[id(other)][old]
            if word == "link":
                self.change(folder, (folder, name, node))
            elif word == "rename":
                self.change(folder, (other, old, None), (folder, name, node))
            else:
                self.change(folder, (other, old, here), (folder, name, node))

    def state(self, moment, draw, target):
        """Lays out at TARGET the state of MOMENT; DRAW chooses what is uncertain, None: nothing is, all that was asked for is there."""
        names, luck = {}, draw.choice((0.0, 0.2, 0.5, 0.8, 1.0)) if draw else 1.0
        for at, _, sets, certain in self.names:
            if at < moment and ((certain is not None and certain < moment) or draw is None or draw.random() < luck):
                for folder, name, what in sets:
                    names.setdefault(id(folder), {})[name] = what
        self.lay(self.top, names, target, moment, draw, {})

    def lay(self, folder, names, path, moment, draw, made):
        path.mkdir()
        for name, what in {**folder.before, **names.get(id(folder), {})}.items():
            there = path / name
            if what is None:
                continue
            if isinstance(what, str):
                there.symlink_to(what)
            elif isinstance(what, Folder):
                if id(what) not in made:  # a folder has one place; a rename that is half forgotten would give it two
                    made[id(what)] = there
                    self.lay(what, names, there, moment, draw, made)
            elif id(what) in made:
                os.link(made[id(what)], there)
            else:
                made[id(what)] = there
                if what.kept and not what.writes:
                    os.link(what.kept, there)
                else:
                    there.write_bytes(what.after(moment, draw))
                    there.chmod(0o444 if what.mode == 0o444 else 0o644)


class Power(odp.Case):
    where = "build/site"

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.dir = self.dir / "in"
        self.dir.mkdir()
        self.catalogue(references=False)

    def month(self, month, secret=False):
        shutil.rmtree(self.dir / "catalog/satu", ignore_errors=True)
        rows = "".join(f"k{i},{SECRET.decode() if secret and i == 3 else f'catatan {month if i % 5 == 0 else 0} baris {i}'}\n" for i in range(60))
        self.dataset("satu", "kode,catatan\n" + rows, FIELDS, {"schema": {"primaryKey": ["kode"]}},
                     **{"odp:lastUpdate": f"2024-0{month}-15", "odp:formats": ["CSV", "JSON"]})

    def site(self):
        link = self.dir / self.where
        return link.parent / os.readlink(link) if link.is_symlink() else None

    def back(self):
        if (self.dir / "build").exists():
            odp.remove_tree(self.dir / "build")

    def contents(self):
        """All that lies in the folder of the site, but for the lock and what the system says of files."""
        out = self.dir / "build"
        return {str(p.relative_to(out)): os.readlink(p) if p.is_symlink() else p.read_bytes() if p.is_file() else "folder" for p in out.rglob("*")}

    def lose_power(self, words, again, share, done=lambda: None, first=False):
        """States of the command WORDS; AGAIN is run after each. DONE() looks at one where the command had ended well."""
        before = self.site()
        log, store = self.dir / "log", self.dir / "store"
        log.mkdir()
        store.mkdir()
        if first:
            (self.dir / "build").mkdir()
        replay = Replay(self.dir / "build", store)
        ran, _ = faults.run(words, self.dir, None, ODP_POWER_LOG=str(log), ODP_POWER_ROOT=str(self.dir / "build"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        after = self.site()
        new = odp.digests(after)
        self.assertNotEqual(before, after)
        replay.read(log / "log", (log / "blob").read_bytes())
        expected = self.contents()
        self.back()
        replay.state(replay.moment, None, self.dir / "build")
        found = self.contents()
        self.assertEqual([p for p in sorted({*expected, *found}) if expected.get(p) != found.get(p)], [], "the log does not tell all")
        draw, states, ended = random.Random(f"{SEED} {words}"), max(4, int(STATES * share)), 0
        for i in range(states):
            # Most moments are before the command's end; every sixth is after it, when only what was synced is certain.
            moment = replay.moment if i % 6 == 0 else draw.randrange(1, replay.moment + 1)
            with self.subTest(f"{words[0]}, seed {SEED}, state {i}, moment {moment} of {replay.moment}"):
                self.back()
                replay.state(moment, draw, self.dir / "build")
                self.look(before, after, moment == replay.moment, i % 3 == 0)
                if moment == replay.moment:
                    ended += 1
                    done()
                self.odp(*again)
                self.assertEqual(self.site(), after)
                self.assertEqual(odp.digests(self.site()), new)
                left = [n for n in os.listdir(self.dir / f"{self.where}.builds") if n.startswith((".stage", ".scratch", ".new", ".withdrawing"))]
                self.assertEqual(left, [])
        print(f"power: {words[0]}: {states} states of {replay.moment} operations, {ended} after the end, seed {SEED}", flush=True)

    def look(self, before, after, ended, verified):
        site = self.site()
        self.assertIn(site, (after,) if ended else (before, after), "it had said that it was done" if ended else None)
        if site is not None:
            self.assertIsNone(versionslib.why_not_whole(site))
            if verified:
                self.odp("verify", self.where)

    def test_first_build(self):
        """With the folders that lead to the site."""
        self.month(1)
        self.where = "build/baru/lagi/site"
        build = ["build", *TODAY, "--out", self.where]
        self.lose_power([*build, "--jobs", "1"], build, 0.15, first=True)

    def test_build(self):
        self.month(1)
        self.odp("build", *TODAY)
        self.month(2)
        self.lose_power(["build", *TODAY, "--jobs", "2"], ["build", *TODAY], 0.2)

    def test_build_on_a_spare(self):
        """The stage begins as the tree of the build that went last."""
        self.dataset("dua", "kode,catatan\na,b\n", FIELDS)
        for month in range(1, 7):
            self.month(month)
            self.odp("build", *TODAY)
        self.assertTrue((self.dir / "build/site.builds/.spare").is_dir())
        self.month(7)
        self.lose_power(["build", *TODAY, "--jobs", "2"], ["build", *TODAY], 0.2)

    def test_rollback(self):
        for month in (1, 2):
            self.month(month)
            self.odp("build", *TODAY)
        target = (self.dir / "build/site.builds/log").read_text().split()[0]
        self.lose_power(["rollback", "--to", target], ["rollback", "--to", target], 0.2)

    def test_withdraw(self):
        for month in (1, 2, 3):
            self.month(month, secret=month == 2)
            self.odp("build", *TODAY)
        words = ["withdraw", "satu", "2024-02-15", "--reason", "legal", "--note", "putusan", "--jobs", "1"]
        self.lose_power(words, words, 0.3, done=self.secret_is_gone)
        self.secret_is_gone()

    def secret_is_gone(self):
        for path in (self.dir / "build").rglob("*"):
            if path.is_file() and not path.is_symlink():
                self.assertNotIn(SECRET, path.read_bytes(), path)


if __name__ == "__main__":
    odp.main()
