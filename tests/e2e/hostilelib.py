"""Hostile inputs for odp-build: what a case is, and what must hold of every run over one.

A case is a dataset's folder with something wrong in it. Whatever it is: the program ends by itself with 0, 1 or 2, no sanitizer has anything to say, memory stays
bounded, an error names the file, nothing is published in part, and nothing that lies outside of the catalogue is read."""
import dataclasses
import json
import os
import pathlib
import random
import resource
import shutil
import stat
import subprocess
import tempfile
import threading

import odp

PATIENCE = 240        # seconds; a run takes a few at most, on a busy machine and with sanitizers, too
MEMORY = 3 << 30      # bytes of a run, sanitizers included
SECRET = "RAHASIA-" + "9f31c0"  # stands in a file outside of the catalogue; whoever prints it has read what is none of his business
SANITIZER = (b"Sanitizer", b"runtime error:", b"Assertion ")


@dataclasses.dataclass
class Attack:
    """NAME says kind and damage; FILES: path -> bytes, or a callable that makes something else at the path; SLUG's folder holds them. TOLD: it cannot be right."""
    name: str
    files: dict
    slug: str = "data"
    told: bool = False
    blame: str = ""      # part of the name of the file that a fault is to name; "": any file
    outside: dict = dataclasses.field(default_factory=dict)  # files beside the dataset's folder, by path from the catalogue


@dataclasses.dataclass
class Outcome:
    code: int
    memory: int
    out: bytes
    err: bytes
    late: bool = False


def link(to):
    return lambda path: os.symlink(to, path)


def fifo(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def field(name, kind="string", **more):
    return {"name": name, "type": kind, **more}


def descriptor(slug, path, fields, resource=None, **more):
    table = {"name": slug, "type": "table", "path": path, "schema": {"fields": fields}}
    table["schema"].update((resource or {}).pop("schema", {}))
    table.update(resource or {})
    return {"name": slug, "title": {"id": "Data", "en": "Data"}, "odp:formats": ["CSV", "JSON"], "odp:lastUpdate": "2024-03-15", "resources": [table], **more}


def text_of(document):
    return json.dumps(document).encode()


def flips(data, seed, count, start=0, end=None):
    """COUNT copies of DATA with one to eight bits or bytes changed at random."""
    rng = random.Random(seed)
    for k in range(count):
        out = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 4, 8])):
            at = rng.randrange(start, end or len(out))
            out[at] = out[at] ^ (1 << rng.randrange(8)) if rng.random() < 0.7 else rng.randrange(256)
        yield k, bytes(out)


class Range:
    """Where attacks are run: a catalogue's skeleton, the program without pages, a file that nobody may read."""

    def __init__(self, place):
        self.place = pathlib.Path(place)
        self.program = odp.program_without_portal(self.place / "program")
        (self.place / "secret.txt").write_text(f"kode,nama,nilai\n{SECRET},{SECRET},1\n")
        (self.place / "secret.json").write_text(json.dumps({"name": SECRET, "title": SECRET}))
        self.common = odp.SOURCE / "tests/cases/_common"

    def lay(self, attack, where):
        catalog = where / "catalog"
        (catalog / attack.slug).mkdir(parents=True)
        for name in ("portal.json", "changes.json"):
            shutil.copy(self.common / name, catalog)
        for base, files in ((catalog / attack.slug, attack.files), (catalog, attack.outside)):
            for path, content in files.items():
                target = base / path
                target.parent.mkdir(parents=True, exist_ok=True)
                if callable(content):
                    target.unlink(missing_ok=True)
                    content(target)
                else:
                    target.write_bytes(content)
        return catalog

    def run(self, *args, cwd):
        """One run, its memory measured."""
        environment = dict(os.environ, ODP_NO_TIMES="1", ASAN_OPTIONS="abort_on_error=0:detect_leaks=1:allocator_may_return_null=1")
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen([self.program, *map(str, args)], stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=cwd, env=environment,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE)))
            late = threading.Event()
            timer = threading.Timer(PATIENCE * 4, lambda: (late.set(), child.kill()))
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)  # of this run alone
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            return Outcome(child.returncode, usage.ru_maxrss * 1024, out.read(), err.read(), late.is_set())

    def attack(self, attack):
        """What is wrong with how ATTACK was met; empty: nothing."""
        where = pathlib.Path(tempfile.mkdtemp(dir=self.place))
        try:
            return self.judge(attack, where)
        finally:
            odp.remove_tree(where)

    def judge(self, attack, where):
        catalog = self.lay(attack, where)
        before = tree(catalog)
        wrong = []
        check = self.run("check", "--catalog", "catalog", "--today", "2024-03-21", "--no-progress", "--report", "json", "--quiet", "--jobs", "2", cwd=where)
        wrong += survived("check", check)
        if check.code in (0, 1, 2):
            wrong += explained(attack, check)
        build = self.run("build", "--catalog", "catalog", "--out", "site", "--today", "2024-03-21", "--no-progress", "--jobs", "2", cwd=where)
        wrong += survived("build", build)
        if check.code in (1, 2) and build.code == 0:
            wrong.append("build publishes what check refuses")
        if build.code != 0 and (where / "site").exists():
            wrong.append("a site in spite of errors")
        if build.code == 0:
            wrong += whole(where / "site")
        left = [p.name for p in where.iterdir() if p.name not in ("catalog", "site", "site.builds")]
        if left:
            wrong.append(f"left behind: {left}")
        builds = where / "site.builds"
        beside = [p.name for p in builds.iterdir() if p.name != ".lock"] if build.code != 0 and builds.is_dir() else []  # a lock that is removed guards nothing
        if beside:
            wrong.append(f"left beside the site: {beside}")
        if tree(catalog) != before:
            wrong.append("the catalogue was changed")
        if any(SECRET.encode() in text for text in (check.out, check.err, build.out, build.err)) or holds(where / "site", SECRET.encode()):
            wrong.append("what lies outside of the catalogue was read")
        return wrong


def survived(what, o):
    wrong = []
    if o.late or o.code in (-9, -24):
        wrong.append(f"{what}: hangs")
    elif o.code not in (0, 1, 2):
        wrong.append(f"{what}: exit {o.code}: {o.err[-600:].decode(errors='replace')}")
    if any(word in o.err for word in SANITIZER):
        at = min(o.err.find(word) for word in SANITIZER if word in o.err)
        wrong.append(f"{what}: {o.err[max(0, at - 200):at + 1500].decode(errors='replace')}")
    if o.memory > MEMORY:
        wrong.append(f"{what}: {o.memory >> 20} MiB")
    return wrong


def explained(attack, check):
    try:
        report = json.loads(check.out)
    except ValueError as e:
        return [f"check: the report is no JSON: {e}"]
    errors = [d for d in report["diagnostics"] if d["severity"] == "error"]
    if check.code == 0:
        return ["check: not told"] if attack.told else []
    if not errors:
        return [f"check: exit {check.code} and no error"]
    if not all(d.get("file") for d in errors):
        return [f"check: an error without a file: {errors[0]}"]
    if attack.blame and not any(attack.blame in d["file"] for d in errors):
        return [f"check: no error names {attack.blame}: {errors[0]['file']}"]
    if not all(d["message"] for d in errors):
        return ["check: an error without a sentence"]
    return []


def whole(site):
    """A site is as its manifest says, every file of it."""
    manifest = odp.read_json(site / "manifest.json")
    files = manifest["files"]
    names = {f["path"]: f["sha256"] for f in files} if isinstance(files, list) else {p: f["sha256"] for p, f in files.items()}
    have = odp.digests(site)
    have.pop("manifest.json")
    return [] if all(have.get(p) == d for p, d in names.items()) else ["the site is not what its manifest says"]


def tree(path):
    """{path: kind, size}: enough to see whether anything was touched."""
    return {str(p): (stat.S_IFMT(p.lstat().st_mode), p.lstat().st_size, p.lstat().st_mtime_ns) for p in path.rglob("*") if not p.is_dir()}


def holds(site, text):
    return site.exists() and any(text in p.read_bytes() for p in site.rglob("*") if p.is_file() and not p.is_symlink())
