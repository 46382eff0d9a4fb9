"""Fails the Nth allocation, read, write, fsync, rename, link, close, open, mkdir and unlink of a build that publishes a second version, and those that
SQLite asks for while it writes and reads query indexes: the published site is never half, the exit code never 0 with a lie, and the next run works,
whatever was left. Each run begins as the one before it did. `full` takes a sample of the Ns of each kind; `deep` (ODP_FAULT_ALL=1) takes all of them
(of SQLite's, 500 of each kind). The site has no pages: those are three calls of four, and have portal_faults.py."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import odp  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cases"))
import shapes  # noqa: E402

SHIM = os.environ["ODP_SHIM"]
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}, {"name": "kelas", "type": "string"}]


def run(words, folder, fault, timeout=600, **environment):
    """odp-build WORDS in FOLDER with the fault "kind:N" (None: none). What it did, and how many calls of that kind it made (or bytes it wrote)."""
    count = folder / "count"
    count.unlink(missing_ok=True)
    env = dict(os.environ, LD_PRELOAD=SHIM, ODP_FAULT_COUNT=str(count), ODP_NO_TIMES="1", **environment)
    if fault is not None:
        env["ODP_FAULT"] = fault
    done = subprocess.run([odp.PROGRAM, *map(str, words)], cwd=folder, env=env, capture_output=True, text=True, timeout=timeout)
    return done, int(count.read_text()) if count.exists() else 0


def tells(stderr):
    """Whether what a run said at last names what failed and what to do: a failure of the machine is one line for both, a diagnostic has its own."""
    last = stderr.strip().split("\n")[-1]
    return last.startswith("odp-build: ") and ("; " in last or "again" in last) or "ODP-" in stderr


def seals_of(build):
    """What odp-build would keep of BUILD: the file that published/seals.c describes."""
    files = sorted(str(p.relative_to(build)).encode() for p in build.rglob("*") if p.is_file())
    folders = list(dict.fromkeys(f[:i] for f in files for i in range(len(f)) if f[i:i + 1] == b"/"))
    seals, entries, texts = b"", b"", b"\0"
    for path in [*files, *folders]:
        st = os.lstat(os.fsencode(build) + b"/" + path)
        seals += struct.pack("<QQqq", st.st_ino, st.st_size, *divmod(st.st_mtime_ns, 10 ** 9))
    for path in files:
        entries += struct.pack("<Q32s4I", 0, b"", len(texts), 0, 0, 0)
        texts += path + b"\0"
    rest = struct.pack("<32s32sQQ", b"", b"", len(files), len(folders)) + seals + entries + texts
    return struct.pack("<16sQ", b"odp-seals-4\n", zlib.crc32(rest)) + rest


class Machine(odp.Case):
    """A site, and a catalogue that has moved on: what a build does of the second version while the machine fails."""
    options = ("--jobs", "1")

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = odp.program_without_portal(self.dir / "bare")
        self.catalogue(references=False)
        for slug in ("satu", "dua"):
            self.dataset(slug, "kode,nilai,kelas\n" + "".join(f"k{i},{i}.5,{i % 3}\n" for i in range(300)), FIELDS,
                         {"schema": {"primaryKey": ["kode"]}, "odp:slices": ["kelas"]})
        self.shapefile()
        self.odp("build")
        self.old = odp.digests(self.dir / "build/site")
        self.link = os.readlink(self.dir / "build/site")
        self.builds = self.dir / "build/site.builds"
        self.beside = {p.name: p.read_bytes() if p.is_file() else None for p in self.builds.iterdir()}
        # Rows added, changed and the same: differences, and a delta.
        rows = "".join(f"k{i},{i}.{5 if i % 40 else 25},{i % 3}\n" for i in range(320))
        self.update("dua", "2024-03-16", "kode,nilai,kelas\n" + rows)
        self.odp("build", "--out", "expected", "--previous", "build/site")
        self.new = odp.digests(self.dir / "expected")
        self.assertIn("data/dua/2024-03-16/dua.csv.from-2024-03-15.delta", self.new)
        self.assertIn("data/dua/2024-03-16/changes.json", self.new)
        self.spare()

    def spare(self):
        """What a build that has gone leaves: names that lead to files of the present one, and one that nobody knows."""
        spare = self.builds / ".spare"
        if spare.exists():
            odp.remove_tree(spare)
        shutil.copytree(self.dir / "build/site", spare, copy_function=os.link)
        (spare / "data/lama").mkdir()
        (spare / "data/lama/lama.csv").write_text("kode\n")
        (self.builds / ".spare.seals").write_bytes(seals_of(spare))

    def shapefile(self):
        folder = self.dataset("tiga", "", [{"name": "id", "type": "string"}], {"path": "tiga.shp", "odp:geometry": {"types": ["Polygon"]}})
        (folder / "tiga.csv").unlink()
        ring = [[106.8, -6.2], [106.8, -6.1], [106.9, -6.1], [106.9, -6.2], [106.8, -6.2]]
        shapes.write({"name": "tiga", "type": 5, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["id", "C", 10, 0]],
                      "records": [{"shape": [ring], "values": [f"a{i}"]} for i in range(40)]}, folder)

    def build(self, kind, n, more=""):
        return run(["build", *self.options], self.dir, f"{kind}:{n}{more}")

    def back_to_old(self):
        """As the machine was before: what runs have left is gone, what they wrote is as it was. Builds are never changed in place."""
        for path in self.builds.iterdir():
            if path.name not in self.beside:
                odp.remove_tree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, data in self.beside.items():
            if data is not None:
                (self.builds / name).write_bytes(data)
        (self.dir / "build/site").unlink()
        (self.dir / "build/site").symlink_to(self.link)
        self.spare()

    def left(self):
        return [p for p in os.listdir(self.builds) if p.startswith((".stage", ".scratch", ".new")) or p.endswith(".new")]

    def differing(self, one, other):
        return [path for path in sorted(one.keys() | other.keys()) if one.get(path) != other.get(path)]

    def whole_after(self, done):
        """The site is the old one or the new one and the run did not lie about it; then it is the old one for certain, or the new one."""
        site = odp.digests(self.dir / "build/site")
        if done.returncode == 0:
            self.assertEqual(self.differing(site, self.new), [], "it said that it published")
        else:
            self.assertIn(site, (self.old, self.new), "half a site")
            self.assertTrue(tells(done.stderr), f"what failed, and what to do?\n{done.stderr}")
            self.assertFalse(("unchanged" in done.stderr or "tidak berubah" in done.stderr) and site == self.new, f"the site is the new one\n{done.stderr}")
        return site

    def next_run(self):
        self.odp("build")
        self.assertEqual(self.differing(odp.digests(self.dir / "build/site"), self.new), [], "the next run")
        self.assertEqual(self.left(), [], "a later build must clear what failed ones left")


class Faults(Machine):
    def one_kind(self, kind):
        done, total = self.build(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(odp.digests(self.dir / "build/site"), self.new)
        self.assertGreater(total, 0, f"no {kind} was seen")
        sql = kind.startswith("sql")
        if os.environ.get("ODP_FAULT_ALL"):
            numbers = range(1, total + 1, max(1, total // 500) if sql else 1)
        else:
            ends, steps = (1, 4) if sql else (2, 5)
            numbers = sorted({*range(1, min(total, ends) + 1), *range(1, total + 1, max(1, total // steps)), *range(max(1, total - ends + 1), total + 1)})
        print(f"{kind}: {len(list(numbers))} of {total} calls fail, one a run", flush=True)
        self.failed = 0
        for n in numbers:
            with self.subTest(f"{kind}:{n}"):
                self.back_to_old()
                self.one_fault(kind, n)
        self.assertGreater(self.failed, 0, "no call has failed")

    def one_fault(self, kind, n):
        done, seen = self.build(kind, n)
        self.failed += seen >= n
        if seen < n:  # runs differ by some calls: in this one none failed, so all must be well
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertIn(done.returncode, (0, 3), done.stderr[-2000:])
        site = self.whole_after(done)
        if kind == "read":
            # Only the look at the end of the history, after the switch, can be done without.
            self.assertIn((done.returncode, site), ((3, self.old), (0, self.new)), f"what cannot be read is not known\n{done.stderr[-2000:]}")
        if kind.startswith("sql") and done.returncode != 0:
            self.assertIn("search/", done.stderr, "which index?")
            self.assertEqual(self.left(), [], "what SQLite has begun must go")
        self.next_run()

    def test_a_file_system_without_types(self):
        """readdir(3): not all tell with a name whether it is a folder."""
        done, total = self.build("types", 1, "+")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(total, 50, "no folder was looked through")
        self.assertEqual(odp.digests(self.dir / "build/site"), self.new)


for _kind in ("alloc", "read", "write", "fsync", "rename", "link", "close", "open", "make", "unlink", "sqlalloc", "sqlopen", "sqlread",
              "sqlwrite"):
    setattr(Faults, f"test_{_kind}", lambda self, kind=_kind: self.one_kind(kind))

if __name__ == "__main__":
    odp.main()
