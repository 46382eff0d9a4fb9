"""What the end-to-end tests share: running the program in a folder of their own, reading sites and reports."""
import atexit
import csv
import datetime
import fcntl
import hashlib
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["ODP_BUILD"]
SAMPLE = os.environ.get("ODP_SAMPLE", "")
SOURCE = pathlib.Path(os.environ["ODP_SOURCE"])
SHARED = pathlib.Path(os.environ.get("ODP_SHARED_DATA", "/nonexistent"))


class Result(unittest.TextTestResult):
    """A run's failures once more at its end, in a line each, and how to run the file alone: what somebody reads first."""
    failed = []

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed.append((test, err[1]))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed.append((subtest, err[1]))

    @classmethod
    def say(cls):
        for test, error in cls.failed[:6]:
            print(f"FAILED {test.id().removeprefix('__main__.')}: {' '.join(str(error).split())[:300] or type(error).__name__}", file=sys.stderr)
        if cls.failed:
            path = pathlib.Path(sys.argv[0]).resolve()
            name = f"e2e_{path.stem}$" if path.parent.name == "e2e" else path.stem.replace("faults", "fault_full$")
            print(f"alone: ctest --test-dir build -R '^{name}' --output-on-failure", file=sys.stderr)


unittest.TextTestRunner.resultclass = Result
atexit.register(Result.say)


class Case(unittest.TestCase):
    """A test with a temporary folder, removed afterwards."""

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
        self.addCleanup(remove_tree, self.dir)

    def odp(self, *args, expect=0, env=None):
        """Runs odp-build; the result has .stdout and .stderr as text. EXPECT is the exit code, None for any."""
        environment = dict(os.environ, ODP_NO_TIMES="1", **(env or {}))
        done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, env=environment, cwd=self.dir)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        if expect is not None:
            self.assertEqual(done.returncode, expect, f"{args}\n{done.stderr[-4000:]}")
        return done

    def report(self, *args, expect=0):
        """Runs with --report json; returns the report."""
        return json.loads(self.odp(*args, "--report", "json", "--quiet", expect=expect).stdout)

    def catalogue(self, *slugs, references=True):
        """A catalogue in the temporary folder: portal, history, code lists, and the named example datasets."""
        target = self.dir / "catalog"
        target.mkdir()
        shutil.copy(SOURCE / "catalog" / "changes.json", target)
        # Tables made for a test need not say what they are; the example's do.
        portal = (SOURCE / "catalog" / "portal.json").read_text(encoding="utf-8")
        (target / "portal.json").write_text(portal.replace("{", '{"odp:severity": {"catalog-undescribed": "off"},', 1), encoding="utf-8")
        if references:
            shutil.copytree(SOURCE / "catalog" / "references", target / "references")
        for slug in slugs:
            shutil.copytree(SOURCE / "catalog" / slug, target / slug)
        return target

    def dataset(self, slug, rows, fields, resource=None, **more):
        """Adds dataset SLUG to the catalogue: ROWS is the CSV's text."""
        folder = self.dir / "catalog" / slug
        folder.mkdir(parents=True)
        (folder / f"{slug}.csv").write_text(rows, newline="")
        table = {"name": slug, "type": "table", "path": f"{slug}.csv", "schema": {"fields": fields}}
        table["schema"].update((resource or {}).pop("schema", {}))
        table.update(resource or {})
        package = {"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": slug, "title": slug,
                   "odp:formats": ["CSV", "JSON"], "odp:lastUpdate": "2024-03-15", "resources": [table], **more}
        (folder / "dataset.json").write_text(json.dumps(package, indent=2))
        return folder

    def release(self, version):
        """The catalogue's next release: what changes in schemas and datasets asks for one."""
        path = self.dir / "catalog" / "changes.json"
        history = read_json(path)
        history["releases"].append({"version": version, "date": "2024-03-15", "changes": [{"id": "Perubahan", "en": "Changes"}]})
        path.write_text(json.dumps(history))

    def update(self, slug, date, rows=None):
        """A newer version of a dataset: its date, and its source where ROWS (the CSV's text) is given."""
        path = self.dir / "catalog" / slug / "dataset.json"
        package = read_json(path)
        package["odp:lastUpdate"] = date
        path.write_text(json.dumps(package, indent=2))
        if rows is not None:
            (path.parent / package["resources"][0]["path"]).write_text(rows, newline="")

    def needs(self, path):
        """The shared file PATH, or skip."""
        if not (SHARED / path).exists():
            self.skipTest(f"third-party data {path} is not on this machine")
        return SHARED / path


def each(report):
    """The diagnostics of a report, one a line of the source: equal cells, which are one diagnostic, come apart again (with the first one's column)."""
    found = []
    for d in report["diagnostics"]:
        runs = [run.partition("-") for run in d["rows"].split(", ")] if "rows" in d else []
        lines = [line for first, _, last in runs for line in range(int(first), int(last or first) + 1)] or [d["line"]]
        found += [dict(d, line=line, row=d["row"] and d["row"] + line - (d["line"] or 0)) for line in lines]
    return found


READ = []  # files whose locks say, until this process ends, which example sites it reads


def remove_unread(home, name):
    """The example site NAME, unless a test reads it: of yesterday, or of templates as they were."""
    with open(home / f"{name}.used", "w", encoding="utf-8") as used:
        try:
            fcntl.flock(used, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        for old in home.glob(f"{name}*"):
            old.unlink() if old.is_symlink() or old.is_file() else remove_tree(old)


def example_site():
    """The example catalogue's site, built once a day for each program, catalogue and templates: a link to a folder that only this function writes.
    Tests read it; one that changes a site builds its own."""
    state = hashlib.sha256(f"{datetime.date.today()} {sys.byteorder}".encode())
    state.update(pathlib.Path(PROGRAM).read_bytes())
    for folder in ("catalog", "templates"):
        for path in sorted(p for p in (SOURCE / folder).rglob("*") if p.is_file()):
            state.update(f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}\n".encode())
    home = pathlib.Path(os.environ.get("ODP_BINARY_DIR", SOURCE / "build")) / "tests/example"
    home.mkdir(parents=True, exist_ok=True)
    site = home / state.hexdigest()[:16]
    with open(home / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        used = open(home / f"{site.name}.used", "w", encoding="utf-8")
        fcntl.flock(used, fcntl.LOCK_SH)
        READ.append(used)
        if not site.is_symlink():
            for name in {p.name[:16] for p in home.glob("????????????????*")}:
                remove_unread(home, name)
            subprocess.run([PROGRAM, "build", "--catalog", SOURCE / "catalog", "--out", site, "--quiet"], check=True, capture_output=True)
    return site


def free_port():
    """A port that nothing uses, and that no other test is given while this one runs: between this and the moment somebody listens there, another would get the same.
    Below those that the system gives to outgoing connections (from 32768 on), one of which may begin in between."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        kept = socket.socket(socket.AF_UNIX)
        try:
            kept.bind(f"\0odp-test-port-{port}")
        except OSError:
            kept.close()
            continue
        kept.detach()  # open until this process ends
        return port


def until_listening(port, process, seconds=120):
    """Waits until PROCESS listens on PORT."""
    end = time.monotonic() + seconds
    while True:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"nobody listens on {port}: {process.stderr.read().decode() if process.stderr and process.poll() is not None else ''}")
        time.sleep(0.02)


def program_without_portal(folder):
    """The program in FOLDER, which is made: it finds no templates beside itself, and makes a site without pages (and in half the time)."""
    (folder / "bin").mkdir(parents=True)
    return shutil.copy(PROGRAM, folder / "bin/odp-build")


def remove_tree(path):
    for folder, _, _ in os.walk(path):
        os.chmod(folder, 0o755)
    shutil.rmtree(path, ignore_errors=True)


def digests(site):
    """{path: sha256} of every file of a site."""
    site = pathlib.Path(site)
    return {str(p.relative_to(site)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(site.rglob("*")) if p.is_file()}


def read_json(path):
    return json.loads(pathlib.Path(path).read_text())


def read_csv(path, **options):
    with open(path, newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle, **options))


def run_on(day, command, **options):
    """subprocess.run(COMMAND) with output captured, its clock begun at DAY (None: as it is). faketime names its shared memory by its process
    number and gives up where somebody who was killed left some under that name; the next process has another number."""
    for left in range(5, -1, -1):
        done = subprocess.run([*(["faketime", day] if day else []), *command], capture_output=True, text=True, **options)
        if not (left and day and done.returncode == 1 and "faketime: " in done.stderr and "_open: File exists" in done.stderr):
            return done


def main():
    unittest.main(verbosity=2)
