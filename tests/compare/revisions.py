#!/usr/bin/env python3
"""Builds an older revision and this one, compiles the example catalogue with both, and names the files of the
site that differ.

    python3 tests/compare/revisions.py [REVISION] [--to REVISION] [--catalog DIR] [--today DATE]
                                       [--expect FILE] [--full] [--keep DIR] [--jobs N]

REVISION is the newest tag or, without tags, HEAD; it is compared with the work tree as it stands, or with
--to. Both sides compile the older revision's catalog/, or --catalog: only the programs differ. Exit code 0:
the same, or only what is expected; 1: something differs; 2: wrong usage, or a side could not be built.
README.md says more."""
import argparse
import collections
import contextlib
import datetime
import fcntl
import fnmatch
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED_BY_CONTENT = re.compile(r"[0-9a-f]{16,}")  # the part of a file's name that is a digest of what it holds
TWINS = (".gz", ".br")
SHOWN = 20  # lines of a log or of a file's difference
LONGEST = 160  # characters of a line that --full shows unbroken

Side = collections.namedtuple("Side", "name revision commit tree")  # REVISION, COMMIT: None for the work tree
Found = collections.namedtuple("Found", "what old new note")  # OLD, NEW: the path in each site, or None


class Failed(Exception):
    """No comparison is possible; the text says what failed and what to do."""


def environment():
    """Ours, without what would make a site depend on who builds it, or git look at another repository."""
    strange = ("ODP_", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "SOURCE_DATE_EPOCH")
    return {name: value for name, value in os.environ.items() if not name.startswith(strange)}


def git(*args, fails="look at what git says above"):
    command = ["git", "-C", str(ROOT), "-c", f"core.hooksPath={os.devnull}", *map(str, args)]
    done = subprocess.run(command, capture_output=True, env=environment())
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace")
        raise Failed(f"{said}git {args[0]} failed: {fails}")
    return done.stdout.decode(errors="surrogateescape")


def commit_of(revision):
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}",
               fails=f"{revision!r} is no revision here; fetch it (git fetch --tags) or name another").strip()


def newest():
    return next(iter(git("tag", "--sort=-creatordate").split()), "HEAD")


# ---- the two sides -------------------------------------------------------------------------------------

def remove_tree(path):
    if path.is_symlink() or path.is_file():
        path.unlink()
    for folder, _, _ in os.walk(path):
        os.chmod(folder, 0o755)
    shutil.rmtree(path, ignore_errors=True)


def same_times(side, record):
    """A file that is as it was in this folder's last tree gets the time that it had there: what was built of
    it is not built again. RECORD remembers the tree for the next run."""
    try:
        before = json.loads(record.read_text())
    except (OSError, ValueError):
        before = {}
    record.unlink(missing_ok=True)
    now = {}
    for entry in filter(None, git("ls-tree", "-r", "-z", side.commit).split("\0")):
        kind, path = entry.split("\t", 1)
        file = side.tree / path
        blob, then = before.get(path, (None, 0))
        if blob == kind and not file.is_symlink():
            os.utime(file, ns=(then, then))
        now[path] = kind, file.lstat().st_mtime_ns
    record.write_text(json.dumps(now))


@contextlib.contextmanager
def checked_out(side, work):
    """SIDE's tree, for as long as it is needed; the work tree is already there."""
    if side.commit is None:
        yield
        return
    remove_tree(side.tree)  # of a run that was killed
    try:
        git("worktree", "add", "--force", "--detach", side.tree, side.commit,
            fails="is there room on the disk? `git worktree list` shows what git holds")
        same_times(side, work / f"tree-{side.name}.times")
        yield
    finally:
        if side.tree.exists():
            git("worktree", "remove", "--force", side.tree,
                fails="remove it by hand, then `git worktree prune`")


def run_to_end(command, log):
    """The exit code; who interrupts us ends all that COMMAND has started, before its files are removed."""
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(), start_new_session=True)
    try:
        return process.wait()
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        raise


class Log:
    """The commands of a side and all they say, in one file."""

    def __init__(self, side, path):
        self.side, self.path = side, path
        path.write_bytes(b"")

    def run(self, what, *command):
        with self.path.open("ab") as log:
            log.write(("\n$ " + " ".join(map(str, command)) + "\n").encode(errors="surrogateescape"))
            log.flush()
            try:
                code = run_to_end(list(map(str, command)), log)
            except OSError as error:
                self.fail(what, f"{command[0]}: {error.strerror}")
        if code != 0:
            self.fail(what, f"exit code {code}")

    def fail(self, what, why):
        last = self.path.read_text(errors="replace").splitlines()[-SHOWN:]
        raise Failed("\n".join([
            *last, f"{self.side.name}: {what} failed ({why}); all it said is in {self.path}",
            "Mend what it names (sh tools/setup.sh brings what is missing), then run this again; with "
            "--keep, an empty folder starts afresh."]))


def targets(folder):
    """odp-build and what lies beside it; none, which means all, where a revision calls them otherwise."""
    command = ["cmake", "--build", str(folder), "--target", "help"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    known = set(re.findall(r"^(?:\.\.\. )?([\w-]+)", done.stdout, re.M))
    wanted = ["odp-build", "portal_assets"]
    return ["--target", *wanted] if known.issuperset(wanted) else []


def make_site(side, work, catalog, today, jobs):
    """SIDE's program, and the site that it makes: the folder that the site's link names."""
    start, folder, site = time.monotonic(), work / f"bin-{side.name}", work / f"site-{side.name}"
    log = Log(side, work / f"log-{side.name}.txt")
    log.run("cmake's configuration", "cmake", "-S", side.tree, "-B", folder,
            "-DODP_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release")
    log.run("the build", "cmake", "--build", folder, "--parallel", jobs, *targets(folder))
    built = time.monotonic()
    for path in (site, pathlib.Path(f"{site}.builds")):  # nothing is inherited from a site before
        remove_tree(path)
    log.run("making the site", folder / "bin/odp-build", "build", "--catalog", catalog, "--out", site,
            "--no-progress", "--quiet", "--today", today)
    if not (site / "manifest.json").is_file():
        log.fail("making the site", "it has no manifest.json")
    took = f"program {built - start:.0f} s, site {time.monotonic() - built:.0f} s"
    print(f"{side.name}: {took}", file=sys.stderr)
    return site.resolve()


# ---- what differs --------------------------------------------------------------------------------------

def files_of(site):
    """{path: its full path} of all that is no folder."""
    return {os.path.relpath(os.path.join(folder, name), site): pathlib.Path(folder, name)
            for folder, below, names in os.walk(site)
            for name in names + [b for b in below if os.path.islink(os.path.join(folder, b))]}


def content(path):
    return os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()


def first_difference(a, b, step=4096):
    for at in range(0, min(len(a), len(b)), step):
        if a[at:at + step] != b[at:at + step]:
            pairs = zip(a[at:at + step], b[at:at + step])
            return next((at + i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))
    return min(len(a), len(b))


def index_of(path):
    """(schema, {table: digest of its rows}) of a query index."""
    name = urllib.parse.quote(str(path))
    with contextlib.closing(sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True)) as db:
        db.text_factory = bytes
        schema = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()
        pragmas = ("user_version", "application_id", "encoding")
        schema += [db.execute(f"PRAGMA {pragma}").fetchone() for pragma in pragmas]
        rows = {}
        for table in [s[1].decode() for s in schema if s[0] == b"table"]:
            digest = hashlib.sha256()
            for row in db.execute('SELECT * FROM "' + table.replace('"', '""') + '"'):
                digest.update(repr(row).encode() + b"\n")
            rows[table] = digest.digest()
    return schema, rows


def note_index(old, new):
    try:
        (old_schema, old_rows), (new_schema, new_rows) = index_of(old), index_of(new)
    except (sqlite3.Error, UnicodeDecodeError):  # a function or a kind of table that only the program knows
        return "bytes"
    tables = [t for t in old_rows if t in new_rows and old_rows[t] != new_rows[t]]
    notes = ["schema"] * (old_schema != new_schema) + [f"rows of {', '.join(tables)}"] * bool(tables)
    return " and ".join(notes) or "bytes only: the same schema and rows"


def note_zip(old, new):
    try:
        with zipfile.ZipFile(old) as a, zipfile.ZipFile(new) as b:
            one, other = ({i.filename: (i.CRC, i.file_size) for i in z.infolist()} for z in (a, b))
    except (zipfile.BadZipFile, NotImplementedError):
        return "bytes"
    names = [n for n in sorted({*one, *other}) if one.get(n) != other.get(n)]
    return f"members {', '.join(names)}" if names else "bytes only: the same members"


def note(old, new, data):
    """What kind of difference it is, where the kind of file tells."""
    if data.startswith(b"SQLite format 3\0"):
        return note_index(old, new)
    if data.startswith(b"PK\3\4"):
        return note_zip(old, new)
    return "bytes" if data.startswith(b"%PDF-") else ""


def compare(old, new, same):
    """None, or in words how the file NEW differs from OLD; SAME: the file that it is a twin of does not."""
    a, b = content(old), content(new)
    modes = [stat.S_IMODE(p.lstat().st_mode) for p in (old, new)]
    if a == b and old.name == new.name:
        return f"mode {modes[0]:o} -> {modes[1]:o}" if modes[0] != modes[1] else None
    more = "compression only: what it packs is the same" if same else note(old, new, a)
    where = f"first at byte {first_difference(a, b)}" if a != b else "another name alone"
    return f"{len(a)} -> {len(b)} bytes, {where}" + (f"; {more}" if more else "")


def pairs_of(old, new):
    """{old path: new path} of files that are named by a digest, where only one can be the other."""
    sides = []
    for mine, other in ((old, new), (new, old)):
        named = collections.defaultdict(list)
        for path in mine:
            if path not in other and NAMED_BY_CONTENT.search(path):
                named[NAMED_BY_CONTENT.sub("*", path)].append(path)
        sides.append({name: paths[0] for name, paths in named.items() if len(paths) == 1})
    return {path: sides[1][name] for name, path in sides[0].items() if name in sides[1]}


def differences(old, new):
    """All Found of two sites, given as {path: full path}."""
    pairs, found, same = pairs_of(old, new), [], set()
    taken = set(pairs.values())
    for path in sorted({*old, *new} - taken):
        other = pairs.get(path, path if path in new else None)
        if path not in old:
            found.append(Found("only in NEW", None, path, f"{new[path].lstat().st_size} bytes"))
        elif other is None:
            found.append(Found("only in OLD", path, None, f"{old[path].lstat().st_size} bytes"))
        else:
            words = compare(old[path], new[other], path.endswith(TWINS) and path[:-3] in same)
            if words is None:
                same.add(path)
            else:
                found.append(Found("differs", path, other, words))
    return found


# ---- what is said --------------------------------------------------------------------------------------

def read_expected(path):
    """[(pattern, reason)] of the file --expect."""
    if path is None:
        return []
    expected = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Failed(f"--expect {path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        words = line.split(None, 1)
        if not words or words[0].startswith("#"):
            continue
        if len(words) == 1:
            raise Failed(f"{path}:{number}: {words[0]!r} has no reason; write it after the pattern")
        expected.append((words[0], words[1].strip()))
    return expected


def expected_by(found, expected, differing):
    """The (pattern, reason) that FOUND matches, by either of its names; a twin also as the file that it
    packs, if that differs."""
    names = [n for n in (found.old, found.new) if n is not None]
    names += [n[:-3] for n in names if n.endswith(TWINS) and n[:-3] in differing]
    return next((e for e in expected for n in names if fnmatch.fnmatchcase(n, e[0])), None)


def lines_of(path):
    """The lines of a text, long ones broken where markup and JSON can be; None: no text."""
    data = content(path)
    if path.name.endswith(TWINS) or data.startswith(b"%PDF-") or b"\0" in data:
        return None
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError:
        return None
    pieces = ([line] if len(line) <= LONGEST else re.split(r"(?<=[>,;{}])(?=.)", line) for line in lines)
    return list(itertools.chain.from_iterable(pieces))


def show_text(old, new, work):
    """The first lines of the difference of two texts; git makes it, which is quick for long ones too."""
    texts = [lines_of(path) for path in (old, new)]
    if None in texts:
        return
    files = [work / "text-old", work / "text-new"]
    for file, lines in zip(files, texts):
        file.write_text("\n".join(lines) + "\n")
    command = ["git", "diff", "--no-index", "--no-color", "--no-ext-diff", "--text", *map(str, files)]
    done = subprocess.run(command, capture_output=True, env=environment())
    lines = done.stdout.decode(errors="replace").splitlines()
    lines = list(itertools.dropwhile(lambda line: not line.startswith("@@"), lines))
    for line in lines[:SHOWN]:
        print("    " + (line if len(line) <= 2 * LONGEST else line[:2 * LONGEST] + " …"))
    if len(lines) > SHOWN:
        print(f"    … {len(lines) - SHOWN} more lines")


def show(found, reason, old, new, args, work):
    name = " -> ".join(dict.fromkeys(n for n in (found.old, found.new) if n is not None))
    line = f"{found.what:<11}  {name}  {found.note}"
    print(f"expected: {line}  ({reason})" if reason else line)
    if args.full and found.what == "differs":
        show_text(old[found.old], new[found.new], work)


def label(side):
    if side.commit is None:
        return "work tree"
    short = side.commit[:12]
    return short if side.commit.startswith(side.revision) else f"{side.revision} ({short})"


def report(sides, sites, expected, args, work):
    """Prints all; the exit code."""
    old, new = map(files_of, sites)
    found = differences(old, new)
    verdict = "different" if found else "the same"
    print(f"OLD {label(sides[0])} {sites[0].name}  NEW {label(sides[1])} {sites[1].name}  {verdict}")
    differing = {n for f in found for n in (f.old, f.new)}
    judged = [(f, expected_by(f, expected, differing)) for f in found]
    for f, by in sorted(judged, key=lambda j: j[1] is not None):  # what nobody expects comes first
        show(f, by and by[1], old, new, args, work)
    for pattern in [e[0] for e in expected if e not in [by for _, by in judged]]:
        print(f"unused: the pattern {pattern} of {args.expect} matches nothing, remove it")
    counts = collections.Counter(f.what for f in found)
    twins = sum(f.what == "differs" and f.old.endswith(TWINS) for f in found)
    fine = sum(by is not None for _, by in judged)
    same = len(old) - counts["differs"] - counts["only in OLD"]
    print(f"{len(old)} files in OLD, {len(new)} in NEW: {same} the same, "
          f"{counts['differs']} differ ({twins} of them twins), {counts['only in OLD']} only in OLD, "
          f"{counts['only in NEW']} only in NEW; {fine} expected, {len(found) - fine} not")
    return 0 if fine == len(found) else 1


# ---- the command ---------------------------------------------------------------------------------------

@contextlib.contextmanager
def work_folder(keep):
    """The folder --keep, for one run at a time, or a temporary one, of which a failed run leaves the logs."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="odp-compare-")) if keep is None else keep.resolve()
    try:
        work.mkdir(parents=True, exist_ok=True)
        lock = (work / "lock").open("w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Failed(f"--keep {work}: another run works there; wait for it or name another folder") from error
    except OSError as error:
        raise Failed(f"--keep {work} cannot be used ({error.strerror}); name another folder") from error
    with lock:
        try:
            yield work
        finally:
            if keep is None:
                failed = isinstance(sys.exc_info()[1], Failed)
                for path in work.iterdir():
                    if not (failed and path.name.startswith("log-")):
                        remove_tree(path)
                if not any(work.iterdir()):
                    work.rmdir()


def run(args):
    expected = read_expected(args.expect)
    revision = args.revision or newest()
    commit, to = commit_of(revision), args.to and commit_of(args.to)
    if args.catalog is not None and not args.catalog.is_dir():
        raise Failed(f"--catalog {args.catalog} is no folder; name one that holds datasets")
    with work_folder(args.keep) as work:
        old = Side("old", revision, commit, work / "tree-old")
        new = Side("new", args.to, to, work / "tree-new") if to else Side("work", None, None, ROOT)
        with checked_out(old, work), checked_out(new, work):
            catalog = args.catalog.resolve() if args.catalog else old.tree / "catalog"
            sites = [make_site(side, work, catalog, args.today, args.jobs) for side in (old, new)]
            return report((old, new), sites, expected, args, work)


def options():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("revision", nargs="?", metavar="REVISION",
                        help="the older side (the newest tag, or HEAD)")
    parser.add_argument("--to", metavar="REVISION", help="the newer side (the work tree as it stands)")
    parser.add_argument("--catalog", type=pathlib.Path, metavar="DIR",
                        help="the catalogue of both (the older revision's)")
    parser.add_argument("--today", default=datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
                        metavar="DATE", help="the day that both take as today (today)")
    parser.add_argument("--expect", type=pathlib.Path, metavar="FILE",
                        help="differences that do not fail: lines of pattern  reason")
    parser.add_argument("--full", action="store_true",
                        help=f"the first {SHOWN} lines of each text's difference too")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="work there and leave it: the next run is quick")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="compile N files at a time")
    args = parser.parse_args()
    if args.jobs < 1:
        parser.error("--jobs is 1 or more")
    return args


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the trees are removed
    try:
        return run(options())
    except Failed as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
