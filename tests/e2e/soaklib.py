"""What the soak test is made of: what each site holds and when it stood, who asked how often, which process was away when, what processes take."""
import bisect
import collections
import gzip
import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

import gatewaylib
import gateway_webhook_kills as kills
from gatewaylib import Connection

SWITCH_SEEN = 0.25   # seconds until a request is answered by the new site: a tenth says the module's README, and the clocks of both sides are read apart
QUERY_SEEN = 30      # the same for the service, which looks twenty times a second and opens indexes then: what was seen is in the table, this is only a bound
WRITER_BACK = 20     # a replica that found no writer looks again every 5 s
MIB = 1048576
WHOLE = ["master", "serve", "service", "worker", "worker"]  # what a gateway is, with two workers


# ---- sites ----

class Build:
    """One build: its control file, and the bytes of what anybody may have."""

    def __init__(self, folder, bytes_of):
        self.digest, self.files = folder.name, {}
        self.control = {p: row for p, row in gatewaylib.control_of(folder).items() if row["class"] != "internal" and not p.endswith("/")}
        for f in json.loads((folder / "manifest.json").read_bytes())["files"]:
            if f["path"] in self.control:
                if f["sha256"] not in bytes_of:
                    data = (folder / f["path"]).read_bytes()
                    assert hashlib.sha256(data).hexdigest() == f["sha256"], f["path"]
                    bytes_of[f["sha256"]] = data
                self.files[f["path"]] = bytes_of[f["sha256"]]
        for path, data in self.files.items():  # what a client makes of a twin is the plain file
            if self.control[path]["encoding"] == "gzip":
                assert gzip.decompress(data) == self.files[path.removesuffix(".gz")], path
        self.versions = {slug: json.loads(self.files[f"v1/{slug}.json"])["meta"]["version"] for slug in kills.DATASETS}

    def variants(self, path):
        """{content coding, None for none: (path of the file, its line of control)}"""
        found = {None: path} | {c: path + e for c, e in (("gzip", ".gz"), ("br", ".br")) if self.control.get(path + e, {}).get("encoding") == c}
        return {coding: (p, self.control[p]) for coding, p in found.items()}


class Sites:
    """All builds that there were."""

    def __init__(self):
        self.lock, self.builds, self.bytes_of = threading.Lock(), {}, {}

    def load(self, folder):
        folder = pathlib.Path(folder)
        with self.lock:
            if folder.name not in self.builds:
                self.builds[folder.name] = Build(folder, self.bytes_of)
            return self.builds[folder.name]


class Watch(threading.Thread):
    """When which build stood at a link: seen from outside, a hundred times a second."""

    def __init__(self, link, sites):
        super().__init__(daemon=True)
        self.link, self.sites, self.over = pathlib.Path(link), sites, threading.Event()
        self.stood = [[os.readlink(link).split("/")[-1], time.monotonic(), None]]  # build, from (at the earliest), until (at the latest)
        self.looked = time.monotonic()

    def run(self):
        while not self.over.wait(0.01):
            before = time.monotonic()
            build = os.readlink(self.link).split("/")[-1]
            if build != self.stood[-1][0]:
                seen = time.monotonic()
                self.build(build)
                self.stood[-1][2] = seen
                self.stood.append([build, self.looked, None])
            self.looked = before

    def build(self, name):
        return self.sites.load(self.link.parent / f"{self.link.name}.builds" / name)

    def now(self):
        return self.build(self.stood[-1][0])

    def builds(self, begin, end, seen, patient=False):
        """Those that may have answered a request from BEGIN to END; PATIENT: waits until the link was looked at after END."""
        while patient and self.looked < end and not self.over.is_set():
            time.sleep(0.01)
        names = [b for b, since, until in list(self.stood)[-200:] if since <= end and (until is None or until + seen >= begin)]
        return [self.build(name) for name in dict.fromkeys(reversed(names))]

    def behind(self, begin, fits):
        """How long before BEGIN the last build that FITS had ceased to stand; 0: it stood."""
        untils = [until for b, _, until in list(self.stood) if fits(self.build(b))]
        return 0 if None in untils else max(0, begin - max(untils, default=0))


def ranges_of(text, size):
    """[(first, last)] of a Range header's value; an empty list: none lies inside of SIZE bytes."""
    found = []
    for part in text.removeprefix("bytes=").split(","):
        first, _, last = part.partition("-")
        if first == "":
            first, last = max(0, size - int(last)), size - 1
        else:
            first, last = int(first), min(int(last or size - 1), size - 1)
        if first <= last and first < size:
            found.append((first, last))
    return found


def multipart(answer, data, ranges):
    """Whether a multipart/byteranges answer has RANGES of DATA."""
    boundary = re.fullmatch(r"multipart/byteranges; boundary=(\S+)", answer.get("content-type", ""))
    if not boundary:
        return "no boundary"
    parts = answer.body.split(b"\r\n--" + boundary.group(1).encode())
    if parts[0] != b"" or parts[-1] != b"--\r\n" or len(parts) != len(ranges) + 2:
        return "the parts are not those asked for"
    for part, (first, last) in zip(parts[1:], ranges):
        head, _, body = part.partition(b"\r\n\r\n")
        if f"Content-Range: bytes {first}-{last}/{len(data)}".encode() not in head.split(b"\r\n") or body != data[first:last + 1]:
            return "a part has other bytes"
    return None


def why_not_of(build, path, answer, asked):
    """Why ANSWER cannot be BUILD's to a request for PATH; None: it is. ASKED: codings (accepted), method, range, if_range, if_none_match."""
    if path not in build.control:
        return None if answer.status == 404 and answer.get("content-type") == "application/problem+json" else "the build has no such file"
    coding, variants = answer.get("content-encoding"), build.variants(path)
    if answer.status == 304:
        tags = [row["etag"] for c, (_, row) in variants.items() if c is None or c in asked["codings"]]
        if answer.get("etag") not in tags or answer.get("etag") != asked["if_none_match"]:
            return "304 for another tag"
        return "304 with a body" if answer.body else None
    if answer.status == 416:
        if asked["range"] is None or coding not in (None, *asked["codings"]):
            return "416"
        sizes = [len(build.files[p]) for p, _ in variants.values()]
        size = re.fullmatch(r"bytes \*/(\d+)", answer.get("content-range", ""))
        return None if size and int(size.group(1)) in sizes and not ranges_of(asked["range"], int(size.group(1))) else "416 for what is there"
    if answer.status not in (200, 206):
        return "another status"
    if coding not in variants or coding not in (None, *asked["codings"]):
        return f"coded as {coding}"
    file, row = variants[coding]
    data = build.files[file]
    if answer.get("etag") != row["etag"]:
        return "another tag"
    if asked["if_none_match"] == row["etag"]:
        return "sent again what the client has"
    if answer.get("cache-control") != row["cache-control"]:
        return "another Cache-Control"
    want, ranges = data, None
    if asked["range"] is not None and asked["if_range"] in (None, row["etag"]):
        ranges = ranges_of(asked["range"], len(data))
        if not ranges:
            return "not 416"
    if (answer.status == 206) != (ranges is not None):
        return "whole or part"
    if ranges and len(ranges) > 1:
        return multipart(answer, data, ranges)
    if answer.get("content-type") != row["type"]:
        return "another type"
    if ranges:
        want = data[ranges[0][0]:ranges[0][1] + 1]
        if answer.get("content-range") != f"bytes {ranges[0][0]}-{ranges[0][1]}/{len(data)}":
            return "another Content-Range"
    if answer.get("content-length") != str(len(want)):
        return "another Content-Length"
    return None if answer.body == (b"" if asked["method"] == "HEAD" else want) else "other bytes"


# ---- who asks ----

class Account:
    """What was asked for in the name of an account: counted for certain (on each machine), and possibly (a connection that broke)."""

    def __init__(self, key, tier, daily):
        self.key, self.tier, self.daily = key, tier, daily
        self.sure, self.maybe, self.started = collections.Counter(), 0, 0

    @property
    def total(self):
        return sum(self.sure.values())


class Tally:
    """Everything that is counted, and everything that was wrong."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kinds, self.statuses, self.notes = collections.Counter(), collections.Counter(), collections.Counter()
        self.bytes, self.wrong = 0, {"bytes": [], "counts": [], "answers": []}
        self.wrong_count = collections.Counter()

    def note(self, name, n=1):
        with self.lock:
            self.notes[name] += n

    def compared(self, answer):
        with self.lock:
            self.bytes += len(answer.body)

    def most(self, name, value):
        with self.lock:
            self.notes[name] = max(self.notes[name], value)

    def fault(self, sort, text):
        with self.lock:
            self.wrong_count[sort] += 1
            if len(self.wrong[sort]) < 20:
                self.wrong[sort].append(text)


class Machine:
    """A gateway that is killed now and then, and when it was away."""

    def __init__(self, name, gateway, link, sites):
        self.name, self.gateway, self.watch = name, gateway, Watch(link, sites)
        self.away, self.kills = [], []  # [begin, end]; (moment, what)

    def disturbed(self, begin, end, more=1.0):
        """Whether it was away at any moment from BEGIN to END, or MORE seconds before."""
        return any(since <= end and (until is None or until + more >= begin) for since, until in list(self.away))

    def works(self):
        try:
            g = self.gateway
            return (g.metrics_get("/healthz").status == 200 and g.get("/v1/").status == 200 and g.get("/v1/dua?limit=1").status == 401
                    and g.get("/auth/tiers").status in (200, 502, 503))
        except (OSError, AssertionError, Connection.Unanswered):
            return False

    def tree(self):
        children = gatewaylib.children_of(self.gateway.process.pid)
        return [self.gateway.process.pid, *(p for c in children for p in (c, *gatewaylib.children_of(c)))]

    def roles(self):
        """{pid: what it is}"""
        found = {self.gateway.process.pid: "serve"}
        for child in gatewaylib.children_of(self.gateway.process.pid):
            if kills.is_nginx(child):
                found |= {child: "master"} | {w: "worker" for w in gatewaylib.children_of(child)}
            else:
                found[child] = "service"
        return found

    def kill(self, what, chance):
        """kill -9, and all again as systemd would start it (Restart=on-failure, what is left of it ended first). Returns when it works."""
        g, roles = self.gateway, self.roles()
        victims = {"serve": [g.process.pid], "all": chance.sample(list(roles), len(roles))}.get(what) or [p for p, r in roles.items() if r == what][:1]
        self.away.append([time.monotonic(), None])
        try:
            for pid in victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.kills.append((time.monotonic(), what))

            if what in ("serve", "all", "master"):  # the end of serve or of nginx is the end of all
                gatewaylib.wait_for("an end", lambda: g.process.poll() is not None, 120)
                g.destroy()
                time.sleep(chance.random() * 2)
                g.start(wait=False)

            def recovered():
                assert g.process.poll() is None, f"{self.name} ended ({g.process.returncode}) after its {what} was killed: {g.log_text()[-2000:]}"
                return sorted(r for p, r in self.roles().items() if p not in victims) == WHOLE and self.works()
            gatewaylib.wait_for(f"{self.name} to be whole after its {what} was killed", recovered, 120)
        finally:
            self.away[-1][1] = time.monotonic()


class Client:
    """A kept connection to one machine."""

    def __init__(self, machine, tally, writer):
        self.machine, self.tally, self.writer = machine, tally, writer
        self.connection, self.opened = Connection(machine.gateway.port, 120), 0.0

    def close(self):
        self.connection.close()

    def disturbed(self, begin, end, writes=False):
        """Whether no answer, or 502 to 504, says nothing: the machine (or, for who WRITES, the writer) was killed at that time."""
        return self.machine.disturbed(min(begin, self.opened), end) or (writes and self.writer.disturbed(begin, end, WRITER_BACK))

    def ask(self, kind, path, account=None, key=None, costs=False, method="GET", headers=(), body=b"", writes=False):
        """The answer with .begin and .end; None where there was none, for a reason that is allowed."""
        t, c, m = self.tally, self.connection, self.machine.name
        begin = time.monotonic()
        if c.socket is None:
            self.opened = begin
        with t.lock:
            t.kinds[kind] += 1
            if account is not None and costs:
                account.started += 1
                before = account.sure[m]
        key = key or (account.key if account is not None else None)
        used = c.used
        try:
            answer = c.get(path, key, method, headers, body)
        except (OSError, AssertionError, Connection.Unanswered) as e:
            end = time.monotonic()
            c.close()
            with t.lock:
                t.statuses[kind, "none"] += 1
                if account is not None and costs:
                    account.maybe += 1
            if not self.disturbed(begin, end, writes):
                if isinstance(e, Connection.Unanswered) and used:
                    t.note("idle connections closed")
                else:
                    t.fault("answers", f"{m} {method} {path}: {type(e).__name__} {e} although nothing was killed")
            time.sleep(0.02)
            return None
        answer.begin, answer.end = begin, time.monotonic()
        with t.lock:
            t.statuses[kind, str(answer.status)] += 1
            if account is not None and costs:
                counts = answer.status < 500 and answer.status not in (304, 401, 403, 429)
                account.sure[m] += counts
                started = account.started
        if account is not None and costs and answer.remaining() is not None and account.daily:
            # Never more than were begun, never fewer than this machine has acknowledged.
            spent = account.daily - answer.remaining()
            if not before + counts <= spent <= started:
                t.fault("counts", f"{m} {path}: RateLimit says {spent} spent, {before + counts} answered there, {started} begun in all")
        if answer.status >= 500:
            if answer.status == 503 and answer.get("content-type") == "application/problem+json" and answer.json()["code"] == "busy":
                t.note("queries told to come again")
            elif answer.status == 500 or not self.disturbed(begin, answer.end, writes):
                t.fault("answers", f"{m} {method} {path}: {answer} although nothing was killed")
            time.sleep(0.02)
            return None
        return answer


# ---- processes ----

def is_of_site(descriptor):
    try:
        return re.search(r"\.builds/(?!.*/search/)", os.readlink(descriptor)) is not None
    except OSError:
        return False


def memory_of(pid):
    """(RSS, PSS, what is private and changed) in bytes, file descriptors, state; None: it is gone. Descriptors of a site's files, which nginx keeps for
    a minute after their last use, are left out."""
    try:
        text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        found = {n: int(v) * 1024 for n, v in re.findall(r"^(Rss|Pss|Anonymous):\s+(\d+) kB", text, re.M)}
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        files = sum(not is_of_site(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
        return (found["Rss"], found["Pss"], found["Anonymous"]), files, state
    except (OSError, KeyError):
        return None


def slope(points):
    """Least squares: units of y in a unit of x."""
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mx) ** 2 for x, _ in points)
    return sum((x - mx) * (y - my) for x, y in points) / spread if spread else 0.0


class Series:
    def __init__(self, machine, role, pid):
        self.machine, self.role, self.pid, self.at, self.rss, self.pss, self.own, self.files = machine, role, pid, [], [], [], [], []

    def after(self, moment):
        """The samples since MOMENT."""
        k = bisect.bisect(self.at, moment)
        return {name: list(zip(self.at[k:], getattr(self, name)[k:])) for name in ("rss", "pss", "own", "files")}


class Sampler(threading.Thread):
    """What each process takes, over time; zombies."""

    def __init__(self, machines, every):
        super().__init__(daemon=True)
        self.machines, self.every, self.over = machines, every, threading.Event()
        self.series, self.zombies, self.dead = {}, [], set()

    def run(self):
        while not self.over.wait(self.every):
            now, dead = time.monotonic(), set()
            for m in self.machines:
                for pid, role in m.roles().items():
                    took = memory_of(pid)
                    if took is None:
                        try:  # smaps_rollup of a zombie cannot be read
                            if pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z" and pid != m.gateway.process.pid:
                                dead.add((m.name, role, pid))
                        except OSError:
                            pass
                        continue
                    s = self.series.setdefault((m.name, pid, role), Series(m.name, role, pid))
                    s.at.append(now)
                    for values, value in zip((s.rss, s.pss, s.own, s.files), (*took[0], took[1])):
                        values.append(value)
            self.zombies += dead & self.dead  # nobody has waited for it between two looks
            self.dead = dead


def kinds_of_files(pid):
    """What a process has open: sockets, indexes of queries, everything else by name."""
    found = collections.Counter()
    try:
        descriptors = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return found
    for fd in descriptors:
        try:
            target = os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            continue
        found["socket" if target.startswith("socket:") else "index" if re.search(r"/search/|/indexes/", target) else
              re.sub(r"\d+", "#", target.split("/")[-1].removesuffix(" (deleted)"))] += 1
    return found


class Redis:
    """A redis-server with a password on a unix socket."""

    def __init__(self, folder, password):
        self.path, self.password = folder / "redis.sock", password
        config = folder / "redis.conf"
        config.write_text(f'port 0\nunixsocket "{self.path}"\nsave ""\nappendonly no\ndir "{folder}"\nrequirepass {password}\nmaxmemory-policy noeviction\n')
        config.chmod(0o600)
        self.process = subprocess.Popen(["redis-server", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=gatewaylib.die_with_parent)
        gatewaylib.wait_for("redis-server", self.answers)

    def answers(self):
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(str(self.path))
                s.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                return b"OK" in s.recv(1000)
        except OSError:
            return False

    def stop(self):
        self.process.kill()
        self.process.wait()
