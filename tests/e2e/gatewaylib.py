"""What the gateway's end-to-end tests share: sites, a running `odp-gateway serve`, clients over real sockets, keys made by the thousand."""
import ctypes
import gzip
import hashlib
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import zlib

import odp
from odp import free_port

PROGRAM = os.environ["ODP_GATEWAY"]
MODULE = os.environ.get("ODP_NGINX_MODULE", "")
BINARY_DIR = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "/nonexistent"))
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
COLUMNS = ("etag", "type", "encoding", "class", "state", "deprecation", "sunset", "cache-control", "size", "link")
PATIENCE = 60  # seconds until a wait is a failure: generous, since machines may be slow; never a measurement


def sanitized():
    """The sanitizers of this build, "" if none."""
    cache = BINARY_DIR / "CMakeCache.txt"
    found = re.search(r"^ODP_SANITIZE:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    return found.group(1) if found else ""


def sanitizer_preload():
    """The runtimes that must come first in nginx when the module was built with ASan or TSan: a list of files, empty otherwise."""
    if not sanitized():
        return []
    libraries = subprocess.run(["ldd", MODULE], capture_output=True, text=True).stdout
    return re.findall(r"=> (\S*lib[at]san\S*)", libraries)


def environment(more=None):
    """Of a gateway and all that belongs to it."""
    env = dict(os.environ, ODP_LANG="en")
    preload = sanitizer_preload()
    if preload:  # nginx itself frees nothing when it ends; the rest is fatal, in a log that a test looks at
        env.update(LD_PRELOAD=" ".join(preload), ASAN_OPTIONS="detect_leaks=0:abort_on_error=1",
                   UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1", TSAN_OPTIONS="halt_on_error=1:abort_on_error=1")
    env.update(more or {})
    return env


def make_key(body=None):
    """A well-formed key that nobody has issued."""
    body = body or "".join(secrets.choice(ALPHABET) for _ in range(30))
    crc, tail = zlib.crc32(body.encode()), ""
    for _ in range(6):
        crc, digit = divmod(crc, 62)
        tail = ALPHABET[digit] + tail
    return f"odp_live_{body}{tail}"


def wait_for(what, check, seconds=PATIENCE, pause=0.02):
    """Calls CHECK until it answers something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for {what}")
        time.sleep(pause)


class Response:
    """One answer. Header names are matched without regard to case."""

    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.version, status, self.reason = (lines[0] + " ").split(" ", 2)
        self.status = int(status)
        self.headers = [(n.strip().lower(), v.strip()) for n, _, v in (line.partition(":") for line in lines[1:] if line)]
        self.body = body

    def all(self, name):
        return [v for n, v in self.headers if n == name.lower()]

    def get(self, name, default=None):
        found = self.all(name)
        return found[0] if found else default

    def json(self):
        return json.loads(self.body)

    def remaining(self):
        """What RateLimit says is left of the day, None when it says nothing."""
        found = re.search(r'"daily";r=(\d+)', self.get("ratelimit", ""))
        return int(found.group(1)) if found else None

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:300]!r}>"


class Connection:
    """A keep-alive client that can tell an unanswered request from a failed one."""

    class Unanswered(Exception):
        """The connection closed before one byte of an answer came."""

    def __init__(self, port, timeout=PATIENCE):
        self.port, self.timeout, self.socket, self.buffer, self.used = port, timeout, None, b"", 0

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.buffer, self.used = None, b"", 0

    def send(self, data):
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # an answer may have come nevertheless; else receive() says so

    def more(self):
        try:
            got = self.socket.recv(262144)
        except ConnectionResetError:
            got = b""
        self.buffer += got
        return got

    def receive(self, head_only=False):
        while b"\r\n\r\n" not in self.buffer:
            if not self.more():
                if self.buffer:
                    raise AssertionError(f"the connection closed inside a head: {self.buffer[:200]!r}")
                raise self.Unanswered()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        answer = Response(head, b"")
        if head_only or answer.status in (204, 304) or answer.status < 200:
            body = b""
        elif answer.get("content-length") is not None:
            length = int(answer.get("content-length"))
            while len(self.buffer) < length:
                if not self.more():
                    raise AssertionError(f"the connection closed inside a body: {len(self.buffer)} of {length} bytes")
            body, self.buffer = self.buffer[:length], self.buffer[length:]
        elif answer.get("transfer-encoding", "").lower() == "chunked":
            body = self.chunks()
        else:
            while self.more():
                pass
            body, self.buffer = self.buffer, b""
            self.close()
        answer.body = body
        self.used += 1
        if answer.get("connection", "").lower() == "close":
            self.close()
        return answer

    def chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.buffer:
                assert self.more(), "the connection closed between chunks"
            size, _, self.buffer = self.buffer.partition(b"\r\n")
            size = int(size.split(b";")[0], 16)
            while len(self.buffer) < size + 2:
                assert self.more(), "the connection closed inside a chunk"
            body, self.buffer = body + self.buffer[:size], self.buffer[size + 2:]
            if size == 0:
                return body

    def get(self, path, key=None, method="GET", headers=(), body=b""):
        host = [] if any(h.lower().startswith("host:") for h in headers) else ["Host: localhost"]
        lines = [f"{method} {path} HTTP/1.1", *host, *headers]
        if key:
            lines.append(f"Authorization: Bearer {key}")
        if body or method in ("POST", "PUT", "PATCH"):
            lines.append(f"Content-Length: {len(body)}")
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
        return self.receive(head_only=method == "HEAD")


def whole_answers(data):
    """How many answers DATA holds, none of them cut off; 0 if one is."""
    count = 0
    while data:
        head, found, data = data.partition(b"\r\n\r\n")
        length = re.search(rb"\ncontent-length: *(\d+)", head, re.I)
        if not found or not length or len(data) < int(length[1]):
            return 0
        count, data = count + 1, data[int(length[1]):]
    return count


def raw(port, data, timeout=20, answers=1):
    """Sends bytes as they are; returns all that comes back until the end, or until half a second's silence after ANSWERS whole ones."""
    with socket.create_connection(("127.0.0.1", port), timeout) as s:
        got = b""
        try:
            s.sendall(data)
            while True:
                piece = s.recv(65536)
                if not piece:
                    break
                got += piece
                s.settimeout(0.5 if whole_answers(got) >= answers else timeout)
        except (socket.timeout, ConnectionResetError, BrokenPipeError):
            pass
        return got


def entry(body, **columns):
    """A file of a hand-made site; columns as in control, with _ for -."""
    if isinstance(body, str):
        body = body.encode()
    return body, {k.replace("_", "-"): v for k, v in columns.items()}


def envelope(rows):
    return (json.dumps({"data": rows, "status": "success"}) + "\n").encode()


def write_site(folder, files, gateway_json):
    """A site by hand: FILES is {path: entry(...)}; a path that ends in '/' has no file (withdrawn). Text twins are made for `twins`."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    lines = {}

    def add(path, body, columns):
        if not path.endswith("/"):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
            target.chmod(0o644)
        keyed = path.startswith("v1/") and path.split(".")[0] not in ("v1/index", "v1/openapi") and not path.startswith("v1/events/")
        row = {"etag": f'"{hashlib.sha256(body).hexdigest()[:32]}"', "type": "application/json", "encoding": "-",
               "class": "keyed" if keyed else "public", "state": "active", "deprecation": "-", "sunset": "-",
               "cache-control": "private, max-age=60" if keyed else "public, max-age=300", "size": str(len(body)), "link": "-"}
        row.update({k: v for k, v in columns.items() if k != "twins"})
        lines[path] = "\t".join([path, *(row[c] for c in COLUMNS)])

    for path, (body, columns) in {**files, "gateway.json": entry(gateway_json, **{"class": "internal"})}.items():
        add(path, body, columns)
        if columns.get("twins"):
            add(path + ".gz", gzip.compress(body, mtime=0), {**columns, "encoding": "gzip"})
            # Bytes that stand for Brotli's: the gateway sends what is there, it does not look inside.
            add(path + ".br", b"br:" + hashlib.sha256(body).digest() * 4, {**columns, "encoding": "br"})
    manifest = [{"path": p, "size": (folder / p).stat().st_size, "sha256": hashlib.sha256((folder / p).read_bytes()).hexdigest()}
                for p in sorted(lines) if not p.endswith("/")]
    text = "#odp-control-1\t" + "\t".join(COLUMNS) + "\n" + "".join(lines[p] + "\n" for p in sorted(lines, key=str.encode))
    (folder / "control").write_text(text)
    (folder / "manifest.json").write_text(json.dumps({"files": manifest}))
    return folder


def control_of(site):
    """{path: {column: value}} of a site's control file."""
    lines = (pathlib.Path(site) / "control").read_text().splitlines()
    names = lines[0].split("\t")[1:]
    return {f[0]: dict(zip(names, f[1:])) for f in (line.split("\t") for line in lines[1:])}


def link(path, target):
    """Switches the link PATH to TARGET as odp-build does: by rename."""
    new = pathlib.Path(f"{path}.new-{os.getpid()}")
    new.symlink_to(target)
    os.rename(new, path)


def processes_of(folder):
    """The processes that have a file of FOLDER open, mapped or as an argument: {pid: command line}. Ourselves excepted."""
    folder, found = str(folder), {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            mine = folder in command or folder in pathlib.Path(f"/proc/{pid}/maps").read_text()
            if not mine:
                mine = any(os.readlink(f"/proc/{pid}/fd/{fd}").startswith(folder) for fd in os.listdir(f"/proc/{pid}/fd"))
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mine and state != "Z":
            found[int(pid)] = command
    return found


def children_of(pid):
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def die_with_parent():
    """In a child before exec: SIGTERM when this test is killed, so that nothing is left behind even then (Linux)."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Gateway:
    """`odp-gateway serve` on free ports. Use through Case.serve, which ends it whatever happens."""

    def __init__(self, site, state, *options, workers=2, env=None, prefix=(), program=PROGRAM):
        self.site, self.state, self.workers = site, pathlib.Path(state), workers
        self.options, self.env, self.prefix, self.program = list(map(str, options)), env or {}, list(prefix), program
        self.port, self.metrics_port, self.process = free_port(), free_port(), None
        self.log_path = pathlib.Path(f"{state}.log")

    def command_line(self):
        return [*self.prefix, self.program, "serve", str(self.site), "--state", str(self.state), "--listen", f"127.0.0.1:{self.port}",
                "--metrics", f"127.0.0.1:{self.metrics_port}", "--workers", str(self.workers), *self.options]

    def start(self, wait=True):
        self.log = open(self.log_path, "ab")
        self.log_start = self.log.tell()
        self.process = subprocess.Popen(self.command_line(), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        env=environment(self.env), start_new_session=True, preexec_fn=die_with_parent)
        self.log.close()
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"serve ended with {self.process.returncode}:\n{self.log_text()[-4000:]}")
            if not self.said_ready():
                return False
            try:
                return self.metrics_get("/healthz").status == 200 and self.get("/v1/").status is not None
            except (OSError, AssertionError, Connection.Unanswered):
                return False
        try:
            wait_for("the gateway", ready)
        except AssertionError as e:
            raise AssertionError(f"{e}\n{self.log_text()[-4000:]}") from None

    def said_ready(self):
        """Before that another could answer at a port that our nginx is still trying to get, or the service alone."""
        return re.search(rb"^odp-gateway: (ready|siap)\b", self.log_path.read_bytes()[self.log_start:], re.M) is not None

    def log_text(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def metrics_get(self, path="/metrics"):
        return Connection(self.metrics_port, 10).get(path, headers=["Connection: close"])

    def metrics(self):
        """{name{labels}: value} of /metrics."""
        found = {}
        for line in self.metrics_get().body.decode().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                found[name] = float(value)
        return found

    def get(self, path, key=None, **more):
        connection = Connection(self.port)
        try:
            return connection.get(path, key, **{**more, "headers": ["Connection: close", *more.get("headers", ())]})
        finally:
            connection.close()

    def url(self, path=""):
        return f"http://127.0.0.1:{self.port}{path}"

    def curl(self, path, *options, key=None, base=None):
        """curl's answer. Redirects are not followed; the path is sent as it is."""
        args = ["curl", "-sS", "--path-as-is", "-i", "--max-time", str(PATIENCE), *options]
        if key:
            args += ["-H", f"Authorization: Bearer {key}"]
        done = subprocess.run([*args, (base or self.url()) + path], capture_output=True)
        assert done.returncode == 0, f"curl {options} {path}: {done.returncode} {done.stderr.decode()}"
        out = done.stdout
        while True:  # a 100 comes before the answer
            head, _, body = out.partition(b"\r\n\r\n")
            if not re.match(rb"HTTP/[\d.]+ 1\d\d", head):
                return Response(head, body)
            out = body

    def post(self, path, document, *options, key=None):
        body = document if isinstance(document, str) else json.dumps(document)
        return self.curl(path, "-X", "POST", "-H", "Content-Type: application/json", "--data-binary", body, *options, key=key)

    def run(self, *args, expect=0, env=None):
        """A command of odp-gateway on this state."""
        return run(*args, "--state", self.state, expect=expect, env=self.env if env is None else env)

    def create_key(self, tier="government", email=None):
        name = secrets.token_hex(4)
        done = self.run("keys", "create", "--name", name, "--email", email or f"{name}@example.org", "--tier", tier, "--json")
        return re.search(r"odp_live_[0-9A-Za-z]{36}", done.stdout).group(0)

    def counted(self):
        """What the store knows: (requests by key account, requests by dataset), after the next flushes."""
        db = sqlite3.connect(f"file:{self.state}/store.sqlite?mode=ro", uri=True, timeout=30)
        try:
            keys = db.execute("SELECT coalesce(sum(count), 0) FROM usage_key").fetchone()[0]
            datasets = db.execute("SELECT coalesce(sum(count), 0) FROM usage_dataset WHERE tier <> '-'").fetchone()[0]
            return keys, datasets
        finally:
            db.close()

    def settled(self, want=0):
        """counted(), once it is WANT for keys or more, and has been the same for longer than the second after which the service counts again."""
        wait_for(f"{want} to be counted", lambda: self.counted()[0] >= want, pause=0.1)
        last, since = self.counted(), time.monotonic()
        while time.monotonic() - since < 1.2:
            time.sleep(0.1)
            now = self.counted()
            if now != last:
                last, since = now, time.monotonic()
        return last

    def processes(self):
        return processes_of(self.state)

    def nginx_master(self):
        return int((self.state / "nginx" / "nginx.pid").read_text())

    def nginx_workers(self):
        return children_of(self.nginx_master())

    def send_signal(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """Ends it as an operator would; returns the exit code."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait()

    def wait(self):
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"serve does not end; its log ends:\n{self.log_text()[-3000:]}") from None

    def destroy(self):
        """Whatever is left of it: killed."""
        for _ in range(50):
            if self.process and self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            left = self.processes()
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not left:
                return
            time.sleep(0.05)


def run(*args, expect=0, env=None, timeout=300):
    """odp-gateway ARGS; the result has .stdout and .stderr as text."""
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, env=environment(env), timeout=timeout)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"odp-gateway {' '.join(map(str, args))}: {done.returncode}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}")
    return done


def add_keys(state, count, tier):
    """COUNT keys straight into the store of a gateway that does not run: it puts them into its table when it starts. Returns their texts."""
    db = sqlite3.connect(f"{state}/store.sqlite")
    keys, now = [make_key() for _ in range(count)], int(time.time())
    with db:
        email = f"{secrets.token_hex(8)}@example.org"
        db.execute("INSERT INTO holder(name, email, email_fold, organisation, purpose, email_confirmed, created) VALUES('Uji', ?, ?, '', '', 1, ?)",
                   (email, email, now))
        holder = db.execute("SELECT max(id) FROM holder").fetchone()[0]
        first = db.execute("SELECT coalesce(max(id), 0) FROM key").fetchone()[0] + 1
        changed = db.execute("SELECT coalesce(max(changed), 0) FROM key").fetchone()[0] + 1
        db.executemany("INSERT INTO key(id, holder, digest, shown, account, tier, state, created, until, changed) VALUES(?,?,?,?,?,?,?,?,?,?)",
                       ((first + i, holder, hashlib.sha256(k.encode()).digest(), k[:14], first + i, tier, 1, now, 0, changed + i)
                        for i, k in enumerate(keys)))
        db.execute("UPDATE setting SET value = ? WHERE name = 'change'", (changed + count,))
    db.close()
    return keys


def confirm_address(state, email):
    """As if the link to EMAIL had been used, where a test has no mail."""
    db = sqlite3.connect(f"{state}/store.sqlite", timeout=30)
    with db:
        assert db.execute("UPDATE holder SET email_confirmed = 1 WHERE email_fold = ?", (email.lower(),)).rowcount
    db.close()


class Case(odp.Case):
    """A test with a folder of its own, sites and gateways."""

    TIERS = [("public", 1000, 5), ("registered", 10000, 20), ("government", None, 100000)]

    @classmethod
    def setUpClass(cls):
        if not shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"):
            raise odp.unittest.SkipTest("nginx is not installed")

    def portal(self, tiers=None, **members):
        """Rewrites the catalogue's portal.json."""
        path = self.dir / "catalog" / "portal.json"
        portal = json.loads(path.read_text())
        portal["tiers"] = [{"name": n, "title": {"id": n, "en": n}, "daily": d, "burst": b, "concurrent": 2, "price": 0,
                            "support": {"id": "Surel", "en": "Email"}} for n, d, b in tiers or self.TIERS]
        portal.update(members)
        path.write_text(json.dumps(portal))

    def compile(self, *slugs, tiers=None, out="site", **members):
        """A site made by odp-build from example datasets."""
        if not (self.dir / "catalog").exists():
            self.catalogue(*slugs)
        self.portal(tiers, **members)
        self.odp("build", "--out", self.dir / out, "--quiet")
        return self.dir / out

    def gateway_json(self, tiers=None, **members):
        """The gateway.json that the compiler writes for these tiers."""
        if not (self.dir / "tiny").exists():
            self.catalogue(references=False)
            self.dataset("mini", "kode\n1\n", [{"name": "kode", "type": "string"}], {"schema": {"primaryKey": ["kode"]}})
        site = self.compile(tiers=tiers, out="tiny", **members)
        return (site / "gateway.json").read_text()

    def small_site(self, files=None, tiers=None, name="builds/one", **members):
        """A hand-made site at SELF.DIR/site, a link to builds/one."""
        folder = write_site(self.dir / name, files if files is not None else SMALL, self.gateway_json(tiers, **members))
        if not (self.dir / "site").exists():
            link(self.dir / "site", folder)
        return self.dir / "site"

    def serve(self, site, *options, state="state", wait=True, **more):
        gateway = Gateway(site, self.dir / state, *options, **more)
        self.addCleanup(gateway.destroy)
        return gateway.start(wait)

    def clock(self):
        """(environment of a gateway whose clock we set, function that sets it). Skips without libfaketime."""
        found = [p for p in ("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
                             "/usr/lib64/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1") if os.path.exists(p)]
        if not found:
            self.skipTest("libfaketime is not installed")
        if sanitized():
            self.skipTest("libfaketime and the sanitizers' runtimes do not go together")
        file = self.dir / "clock"
        variables = {"FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                     "DONT_FAKE_MONOTONIC": "1", "TZ": "UTC", "LD_PRELOAD": found[0]}
        extra = self.dir / "state" / "nginx.d"
        extra.mkdir(parents=True, mode=0o700)
        (self.dir / "state").chmod(0o700)
        # nginx clears the environment of its workers; these stay.
        (extra / "main-clock.conf").write_text("".join(f"env {n};\n" for n in variables))

        def set_clock(text):
            new = self.dir / "clock.new"
            new.write_text(text + "\n")
            new.rename(file)
        return variables, set_clock

    def nothing_left(self, gateway):
        """After a stop: no process holds a file of the state, and the ports are free."""
        try:
            wait_for("the processes to go", lambda: not gateway.processes(), 20)
        except AssertionError:
            self.fail(f"left behind: {gateway.processes()}")
        for port in (gateway.port, gateway.metrics_port):
            with socket.socket() as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                s.bind(("127.0.0.1", port))

    def check_queries(self, ask, g):
        """What every way to the query engine must do: ASK(path, key, method, *headers, body=). G serves kumuh with QUERY_TIERS; exact counts."""
        key, left = g.create_key("public"), 50

        def query(path, *headers, status=200, method="GET", body=b""):
            nonlocal left
            answer = ask(path, key, method, *headers, body=body)
            left -= status != 304
            self.assertEqual((answer.status, answer.remaining()), (status, left), (path, answer))
            self.assertEqual(answer.all("access-control-allow-origin"), ["*"], path)
            self.assertEqual((len(answer.all("ratelimit")), len(answer.all("cache-control"))), (1, 1), (path, answer))
            return answer
        whole = query("/v1/kumuh").json()
        self.assertIn("meta", whole)
        first = query("/v1/kumuh?limit=2")
        self.assertEqual((len(first.json()["data"]), first.json()["meta"]["total"]), (2, whole["meta"]["total"]))
        self.assertTrue(first.get("etag").startswith('"') and "private" in first.get("cache-control"), first)
        self.assertTrue(any('rel="next"' in line for line in first.all("link")), first)
        self.assertEqual(query("/api/v1/kumuh?limit=2").json()["data"], first.json()["data"])
        following = query("/v1/" + first.json()["links"]["next"]).json()["data"]
        self.assertEqual(first.json()["data"] + following, query("/v1/kumuh/search.json?limit=4").json()["data"])
        self.assertEqual(query("/v1/kumuh.geojson?limit=1").json()["type"], "FeatureCollection")
        self.assertEqual(query("/v1/kumuh?limit=1", "Accept: text/csv").get("content-type"), "text/csv; charset=utf-8")
        self.assertEqual(query("/v1/kumuh/search.csv?limit=3").body.count(b"\r\n"), 4)
        one = first.json()["data"][1]
        self.assertEqual(query(f"/v1/kumuh/id/{one['id_kawasan']}").json()["data"], [one])
        filtered = query("/v1/kumuh/search?filter=" + urllib.parse.quote(f"id_kawasan = '{one['id_kawasan']}'")).json()["data"]
        self.assertEqual(filtered, [one])
        body = json.dumps({"filter": {"op": "=", "args": [{"property": "id_kawasan"}, one["id_kawasan"]]}}).encode()
        self.assertEqual(query("/v1/kumuh/search", "Content-Type: application/json", method="POST", body=body).json()["data"], [one])
        items = query("/v1/ogc/collections/kumuh/items?limit=1").json()
        self.assertEqual((items["type"], items["numberMatched"], len(items["features"])), ("FeatureCollection", whole["meta"]["total"], 1))
        feature = query(f"/v1/ogc/collections/kumuh/items/{urllib.parse.quote(items['features'][0]['id'], safe='')}").json()
        self.assertEqual((feature["type"], feature["id"]), ("Feature", items["features"][0]["id"]))
        self.problem(query("/v1/kumuh?warna=merah", status=400), 400, "parameter-unknown")
        self.problem(query("/v1/kumuh/id/tidak-ada", status=404), 404, "record-not-found")
        # What needs a key, what does not, and methods.
        for path in ("/v1/kumuh?limit=1", "/v1/kumuh.csv", "/v1/kumuh/search", "/v1/kumuh/id/1", "/v1/ogc/collections/kumuh/items"):
            self.problem(ask(path), 401, "key-missing")
            self.assertEqual(len(ask(path).all("www-authenticate")), 1)
        for path, type_ in (("/v1/ogc", "application/json"), ("/v1/ogc/conformance", "application/json"), ("/v1/ogc/collections?f=html", "text/html"),
                            ("/v1/ogc/collections/kumuh?f=json", "application/json")):
            answer = ask(path)
            self.assertEqual((answer.status, answer.get("content-type").split(";")[0]), (200, type_), (path, answer))
        page = ask("/v1/ogc/", None, "GET", "Accept: text/html,*/*;q=0.8", "Accept-Language: en")
        self.assertTrue(page.status == 200 and b'lang="en"' in page.body, page)
        self.assertEqual(ask("/v1/ogc/collections/kumuh/items", None, "OPTIONS", "Origin: https://x", "Access-Control-Request-Method: GET").status, 204)
        preflight = ask("/v1/kumuh/search", None, "OPTIONS", "Origin: https://x", "Access-Control-Request-Method: POST")
        self.assertEqual((preflight.status, preflight.get("access-control-allow-methods")), (204, "GET, HEAD, POST, OPTIONS"))
        self.problem(ask("/v1/kumuh?limit=1", key, "POST", body=b"{}"), 405, "method-not-allowed")
        self.problem(ask("/search/index.json", key), 404, "not-found")
        return query, left

    def check_public_index(self, ask):
        """ASK(path, *headers): a query index of class public is sent by parts, without a key; all else below search/ is not there."""
        path, body = next((f"/{p}", b) for p, (b, _) in SMALL.items() if p.startswith("search/besar/"))
        for range_, start, end in (("bytes=0-15", 0, 16), ("bytes=1024-", 1024, len(body)), ("bytes=-5", len(body) - 5, len(body))):
            answer = ask(path, f"Range: {range_}", "Accept-Encoding: br, gzip", "Origin: https://lain.example.org")
            self.assertEqual((answer.status, answer.get("content-range"), answer.body), (206, f"bytes {start}-{end - 1}/{len(body)}", body[start:end]), answer)
            self.assertEqual(answer.all("access-control-allow-origin"), ["*"], answer)
            self.assertEqual(answer.all("cache-control"), ["public, max-age=86400, immutable"], answer)
            self.assertEqual((answer.get("content-type"), answer.get("content-encoding"), answer.all("ratelimit")), ("application/vnd.sqlite3", None, []), answer)
        whole = ask(path)
        self.assertEqual((whole.status, whole.body, whole.get("accept-ranges")), (200, body, "bytes"), whole)
        for hidden in ("/search/kumuh-0.sqlite", "/search/", "/search", "/search/besar/", "/search/besar/2024-03-15/", path + ".gz", path[:-8] + "0.sqlite", "/search/index.json",
                       "/search/besar/../kumuh-0.sqlite", "/x/../search/kumuh-0.sqlite", "//search/kumuh-0.sqlite", "/search//kumuh-0.sqlite", "/search/%6bumuh-0.sqlite",
                       "/%73earch/kumuh-0.sqlite", "/search/./kumuh-0.sqlite", "/search/besar/2024-03-15/%2e%2e/../kumuh-0.sqlite"):
            for more in ((), ("Range: bytes=0-15",)):
                self.assertIn(ask(hidden, *more).status, (400, 404), hidden)
        return whole

    def allows(self, preflight):
        """Scripts of other sites may send what HTTP libraries, caches and tracing send; `*` alone would not mean Authorization."""
        allowed = re.split(r",\s*", preflight.get("access-control-allow-headers").lower())
        self.assertLessEqual({"authorization", "baggage", "content-type", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
                              "traceparent", "tracestate", "x-requested-with", "*"}, set(allowed), preflight)

    def problem(self, answer, status, code):
        """Checks a refusal's form (RFC 9457) and returns its document."""
        self.assertEqual(answer.status, status, answer)
        self.assertTrue(answer.reason.strip() or answer.version != "HTTP/1.1", answer)  # nginx itself has no phrase for some
        self.assertEqual(answer.all("content-type"), ["application/problem+json"], answer)
        document = answer.json()
        self.assertEqual((document["status"], document["code"]), (status, code), document)
        self.assertTrue(document["type"].endswith("galat/" + code), document)
        self.assertTrue(document["title"] and isinstance(document["title"], str), document)
        self.assertEqual(answer.all("access-control-allow-origin"), ["*"], answer)
        self.assertEqual(len(answer.all("cache-control")), 1, answer)
        self.assertNotIn("max-age", answer.get("cache-control"), answer)
        return document


QUERY_TIERS = [("public", 50, 1000), ("government", None, 100000)]

SMALL = {
    "v1/index.json": entry(envelope([{"slug": "kumuh"}]), twins=True),
    "v1/openapi.json": entry('{"openapi":"3.1.0"}'),
    "v1/kumuh.json": entry(envelope([{"id": n, "nama": f"Kawasan {n}"} for n in range(30)]), twins=True),
    "v1/besar.json": entry(envelope([{"id": n, "isi": "x" * 1000} for n in range(400)])),
    "v1/lama.json": entry(envelope([{"id": 1}]), state="deprecated", deprecation="@1704067200", sunset="Wed, 31 Dec 2036 23:59:59 GMT",
                          link='<https://data.example.go.id/v1/kumuh>; rel="successor-version"'),
    "v1/ditarik.json": entry(b"", state="withdrawn", link='<https://data.example.go.id/v1/kumuh>; rel="successor-version"'),
    "v1/ditarik/": entry(b"", state="withdrawn"),
    "data/kumuh/latest/kumuh.csv": entry("id,nama\r\n1,Kawasan 1\r\n", type="text/csv; charset=utf-8"),
    "data/kumuh/2024-03-15/kumuh.csv": entry("id,nama\r\n1,Kawasan 1\r\n", type="text/csv; charset=utf-8",
                                             cache_control="public, max-age=86400, immutable"),
    "index.html": entry("<!doctype html><title>Portal</title>\n", type="text/html; charset=utf-8"),
    "search/besar/2024-03-15/besar-0123456789abcdef.sqlite": entry(b"SQLite format 3\0" + bytes(range(256)) * 8, type="application/vnd.sqlite3",
                                                                   cache_control="public, max-age=86400, immutable"),
    "search/kumuh-0.sqlite": entry(b"SQLite format 3\0secret", **{"class": "internal"}),
}


def main():
    sys.stdout.flush()
    odp.unittest.main(verbosity=2)
