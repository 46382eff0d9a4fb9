"""What the tests of the client libraries share: packages put where each language finds them, drivers that are run, a server that says exactly what a vector
tells it to, and a proxy that cuts connections and flips bits. tests/clients/README.md has the form of vectors and of the drivers' protocol.

ODP_CLIENTS_LANGUAGES=python,php        only these
ODP_CLIENTS_PYTHON=FOLDER               a package's own folder instead of a built one (has odp_client/); ODP_CLIENTS_JAVASCRIPT (has package.json),
                                        ODP_CLIENTS_PHP (has composer.json)"""
import base64
import email.utils
import gzip
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import struct
import subprocess
import tarfile
import threading
import time
import urllib.parse
import zipfile

import odp

CLIENTS = odp.SOURCE / "tests/clients"
LANGUAGES = ("javascript", "python", "php", "php-streams")  # the last: PHP's own streams, where it has curl otherwise
DRIVERS = {"javascript": "driver.mjs", "python": "driver.py", "php": "driver.php"}
PATIENCE = 120  # seconds until something that does not come is a failure; never a measurement


# ---- packages and drivers --------------------------------------------------------------------------------------------------------------------------------

class Missing(Exception):
    """Why a language cannot be tested here."""


class Library:
    """One language's library, unpacked below FOLDER, and its driver. NAME is of LANGUAGES."""

    def __init__(self, name, folder, site=None):
        self.name, self.language, self.folder = name, name.partition("-")[0], pathlib.Path(folder) / name
        self.folder.mkdir(parents=True)
        self.environment = {k: v for k, v in os.environ.items() if k not in ("ODP_KEY", "NODE_OPTIONS", "PYTHONPATH") and not k.lower().endswith("_proxy")}
        self.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.command = getattr(self, "set_up_" + self.language)(self.source(site))

    def source(self, site):
        """The package's folder: the one named by the environment, else the newest package of SITE, unpacked."""
        named = os.environ.get("ODP_CLIENTS_" + self.language.upper())
        if named:
            return pathlib.Path(named).resolve()
        packages = pathlib.Path(site) / "packages" / self.language
        ends = {"javascript": ".tgz", "python": ".whl", "php": ".zip"}[self.language]
        found = sorted(packages.glob("*" + ends), key=lambda p: [int(n) for n in re.findall(r"\d+", p.name)])
        if not found:
            raise Missing(f"the site has no package for {self.language}")
        target = self.folder / "unpacked"
        if ends == ".tgz":
            with tarfile.open(found[-1]) as archive:
                archive.extractall(target)
            return target / "package"
        with zipfile.ZipFile(found[-1]) as archive:
            archive.extractall(target)
        inside = [p for p in target.iterdir() if (p / "composer.json").exists()]
        return inside[0] if ends == ".zip" and inside else target

    @staticmethod
    def program(*names):
        for name in names:
            if shutil.which(name):
                return name
        raise Missing(f"{names[0]} is not installed")

    def driver(self):
        path = CLIENTS / DRIVERS[self.language]
        if not path.exists():
            raise Missing(f"{path.name} does not exist")
        return path

    def set_up_javascript(self, source):
        node = self.program("node", "nodejs")
        self.module = json.loads((source / "package.json").read_text())["name"]
        link = self.folder / "node_modules" / self.module
        link.parent.mkdir(parents=True)
        link.symlink_to(source)
        copied = shutil.copy(self.driver(), self.folder)  # an import is looked for beside the file
        return [node, copied]

    def set_up_python(self, source):
        python = self.program("python3")
        self.module = next((p.parent.name for p in sorted(source.glob("*/__init__.py"))), None)
        if self.module is None:
            raise Missing(f"no Python package in {source}")
        self.environment["PYTHONPATH"] = str(source)
        return [python, "-X", "dev", "-W", "error", str(self.driver())]

    def set_up_php(self, source):
        php = self.program("php")
        composer = json.loads((source / "composer.json").read_text())
        load, self.module = ["<?php"], ""
        for prefix, folders in composer["autoload"].get("psr-4", {}).items():
            self.module = self.module or prefix.rstrip("\\")
            for folder in [folders] if isinstance(folders, str) else folders:
                load.append("spl_autoload_register(static function (string $class): void { $p = %s; if (strncmp($class, $p, strlen($p)) === 0) { "
                            "$f = %s . strtr(substr($class, strlen($p)), '\\\\', '/') . '.php'; if (is_file($f)) { require $f; } } });"
                            % (php_text(prefix), php_text(str(source / folder).rstrip("/") + "/")))
        load += [f"require_once {php_text(str(source / name))};" for name in composer["autoload"].get("files", [])]
        autoload = self.folder / "autoload.php"
        autoload.write_text("\n".join(load) + "\n")
        self.environment["ODP_AUTOLOAD"] = str(autoload)
        bare = ["-n"] if self.name == "php-streams" else []
        if bare and not int(subprocess.run([php, "-r", "echo (int) extension_loaded('curl');"], capture_output=True, text=True).stdout or 0):
            raise Missing("PHP has no curl here, so its streams are tested already")
        return [php, *bare, "-d", "display_errors=stderr", "-d", "error_reporting=-1", "-d", "memory_limit=256M", str(self.driver())]

    def run(self, request, environment=None, timeout=PATIENCE):
        """What the driver says to REQUEST: {"outcomes", "waits"}; to a list of them a list. Anything on stderr (warnings of the language) is a failure."""
        told = [{"module": self.module, "client": {}, **one} for one in (request if isinstance(request, list) else [request])]
        told = told if isinstance(request, list) else told[0]
        try:
            done = subprocess.run(self.command, input=json.dumps(told).encode(), capture_output=True, timeout=timeout, cwd=self.folder,
                                  env={**self.environment, **(environment or {})})
        except subprocess.TimeoutExpired as e:
            raise AssertionError(f"the {self.name} driver does not end within {timeout} s: {(e.stderr or b'')[-2000:]!r}") from None
        errors = done.stderr.decode("utf-8", "replace")
        if done.returncode != 0 or errors.strip():
            raise AssertionError(f"the {self.name} driver ended with {done.returncode}:\n{done.stdout[-500:]!r}\n{errors[-3000:]}")
        return json.loads(done.stdout)

    def call(self, base, *calls, folder=None, environment=None, timeout=PATIENCE, **client):
        """The outcomes of CALLS with one client at BASE that really sleeps."""
        request = {"base": base, "client": client, "calls": list(calls), "folder": str(folder or self.folder), "sleep": True}
        return self.run(request, environment, timeout)["outcomes"]


def php_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def languages():
    chosen = os.environ.get("ODP_CLIENTS_LANGUAGES", "")
    return [one for one in LANGUAGES if not chosen or one in chosen.split(",") or one.partition("-")[0] in chosen.split(",")]


def all_named():
    """Whether no site need be built: each language's package is named by the environment."""
    return all(os.environ.get("ODP_CLIENTS_" + one.partition("-")[0].upper()) for one in languages())


def libraries(folder, site=None):
    """({name: Library}, {name: why it is missing})."""
    found, missing = {}, {}
    for language in languages():
        try:
            found[language] = Library(language, folder, site)
        except Missing as why:
            missing[language] = str(why)
    return found, missing


# ---- comparing -----------------------------------------------------------------------------------------------------------------------------------------

def same(a, b, language=None):
    """Whether A and B are one JSON value. Members in any order; numbers by value. An integer that the language has no integer for (JavaScript above
    2^53, PHP above 2^63) is compared as the double it becomes."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        exact = {"javascript": 2 ** 53, "php": 2 ** 63}.get(language)
        return a == b or exact is not None and abs(a) > exact and float(a) == float(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, language) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], language) for k in a)
    return type(a) is type(b) and a == b


def wait_is(told, want):
    """Whether a wait of TOLD seconds is WANT: a number (rounded down), ["<=", n], ["between", low, high]."""
    if isinstance(want, list):
        return 0 <= told <= want[1] if want[0] == "<=" else want[1] <= told <= want[2]
    return int(told) == want


# ---- the scripted server -------------------------------------------------------------------------------------------------------------------------------

class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body
        self.path, _, self.query = target.partition("?")

    def __repr__(self):
        return f"{self.method} {self.target} {dict(self.headers)} {self.body[:2000]!r}"


LISTS = {"sortby", "properties", "bbox"}  # an array or its items joined by commas: the same


def pairs(query):
    """(name, value) of a query string, decoded, sorted. A bad escape or text that is no UTF-8 is an error."""
    found = []
    for one in filter(None, query.split("&")):
        name, _, value = one.partition("=")
        found.append((urllib.parse.unquote_plus(name, errors="strict"), urllib.parse.unquote_plus(value, errors="strict")))
    return sorted(found)


def is_value(text, want):
    """A value in an address; one that is to be an object is so as JSON."""
    if isinstance(want, str):
        return text == want
    try:
        return same(json.loads(text), want)
    except ValueError:
        return False


def plain_body(body):
    """A JSON body for comparing: members that are null are as good as none, lists of the parameters of LISTS as good as their text."""
    if not isinstance(body, dict):
        return body
    return {k: ",".join(str(x) for x in v) if k in LISTS and isinstance(v, list) else v for k, v in body.items()
            if v is not None and (k, v) != ("filter-lang", "cql2-json")}  # which a filter that is an object says by itself


def body_of(told, folder):
    """The bytes that a vector tells of: text, or an object (of an answer, of a file)."""
    if isinstance(told, str):
        return told.encode()
    body = b""
    for name, make in (("json", lambda v: json.dumps(v, ensure_ascii=False).encode()), ("text", str.encode), ("base64", base64.b64decode),
                       ("file", lambda v: (pathlib.Path(folder) / v).read_bytes()), ("repeat", lambda v: v[0].encode() * v[1])):
        if name in told:
            body = make(told[name])
    return body[slice(*told["bytes"])] if "bytes" in told else body


class Script:
    """An HTTP server that expects REQUESTS in this order and answers each as told; what differs is in `faults`. KEY: every request but those for public files
    must carry it, unless the entry says otherwise."""

    AGENT = re.compile(r"[A-Za-z0-9@._/-]+/\d+\.\d+\.\d+ (javascript|node|python|php)/\d[\w.+~-]*")

    def __init__(self, requests, key=None, folder=None, certificate=None):
        self.requests, self.key, self.folder, self.tls = list(requests), key, folder, None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)
        self.at, self.faults, self.lock, self.stopped = 0, [], threading.Lock(), False
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.host = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.base = f"http{'s' if self.tls else ''}://{self.host}/"
        self.other = None  # a second server, for links and redirects to another host
        self.connections = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.stopped = True
        for one in [self.socket, *self.connections]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def accept(self):
        while not self.stopped:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rest = b""
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            while True:
                request, rest = self.read(connection, rest)
                if request is None or not self.answer(connection, *self.take(request)):
                    return
        except OSError:
            pass
        except Exception as e:  # a fault of the script itself must not be silence
            self.faults.append(f"the scripted server: {type(e).__name__}: {e}")
        finally:
            self.connections.discard(connection)
            connection.close()

    def read(self, connection, data):
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                if data:
                    self.faults.append(f"half a request: {data[:300]!r}")
                return None, b""
            data += piece
        head, _, data = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        found = re.fullmatch(r"([A-Z]+) (\S+) HTTP/1\.1", lines[0])
        if not found:
            self.faults.append(f"no request line: {lines[0]!r}")
            return None, b""
        headers = [(n.strip().lower(), v.strip()) for n, _, v in (line.partition(":") for line in lines[1:])]
        said = dict(headers)
        if said.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while True:
                while b"\r\n" not in data:
                    data += self.more(connection)
                size, _, data = data.partition(b"\r\n")
                size = int(size, 16)
                while len(data) < size + 2:
                    data += self.more(connection)
                body, data = body + data[:size], data[size + 2:]
                if size == 0:
                    return Request(found[1], found[2], headers, body), data
        if said.get("expect", "").lower() == "100-continue":
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        length = int(said.get("content-length", 0))
        while len(data) < length:
            data += self.more(connection)
        return Request(found[1], found[2], headers, data[:length]), data[length:]

    @staticmethod
    def more(connection):
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("the client closed inside a request")
        return piece

    def filled(self, value):
        """VALUE with its marks filled in, wherever they stand."""
        if isinstance(value, str):
            value = value.replace("@BASE@", self.base).replace("@OTHER@", self.other.base if self.other else "")
            return re.sub(r"@DATE([+-]\d+)@", lambda m: email.utils.formatdate(time.time() + int(m[1]), usegmt=True), value)
        if isinstance(value, list):
            return [self.filled(v) for v in value]
        if isinstance(value, dict):
            return {k: self.filled(v) for k, v in value.items()}
        return value

    def take(self, request):
        """The script's entry for REQUEST, or None for one too many; faults are noted."""
        with self.lock:
            number, self.at = self.at, self.at + 1
            entry = self.filled(self.requests[number]) if number < len(self.requests) else None
        if entry is None:
            self.faults.append(f"request {number + 1} is one too many: {request}")
        else:
            for fault in [*self.usual(request, entry), *self.wrong(request, entry)]:
                self.faults.append(f"request {number + 1} ({entry.get('method', 'GET')} {entry['path']}): {fault}; it was {request}")
        return entry, request

    def usual(self, request, entry):
        """What holds for every request, said nowhere in the vectors."""
        said = dict(request.headers)
        if said.get("host") != self.host:
            yield f"Host is {said.get('host')!r}"
        if not self.AGENT.fullmatch(said.get("user-agent", "")):
            yield f"User-Agent is {said.get('user-agent')!r}"
        if "odp_live_" in urllib.parse.unquote(request.target) or "authorization" in request.query.lower():
            yield "a key in the address"
        public = "/data/" in request.path or request.path.endswith("/v1/index.json") or request.path.endswith("/auth/register")
        if "authorization" in entry.get("headers", {}):
            return
        if public and "/auth/" not in request.path and "authorization" in said:
            yield "the key was sent to a public file"
        if self.key and not public and said.get("authorization") != f"Bearer {self.key}":
            yield f"Authorization is {said.get('authorization')!r}"

    def wrong(self, request, entry):
        if request.method != entry.get("method", "GET"):
            yield f"method {request.method}"
        if request.path != entry["path"]:
            yield f"path {request.path}"
        try:
            query = pairs(request.query)
        except UnicodeDecodeError as e:
            yield f"query {request.query}: {e}"
            query = None
        want = sorted((k, v) for k, vs in entry.get("query", {}).items() for v in (vs if isinstance(vs, list) else [vs]))
        if query is not None and not (len(query) == len(want) and all(a[0] == b[0] and is_value(a[1], b[1]) for a, b in zip(query, want))):
            yield f"query {query}, not {want}"
        said = dict(request.headers)
        for name, value in entry.get("headers", {}).items():
            got = said.get(name.lower())
            if isinstance(value, dict) and (got is None or not re.fullmatch(value["match"], got)) or not isinstance(value, dict) and got != value:
                yield f"header {name} is {got!r}, not {value!r}"
        if "body" in entry:
            try:
                body = json.loads(request.body)
            except ValueError:
                body = request.body
            if not same(plain_body(body), plain_body(entry["body"])):
                yield f"body {request.body[:500]!r}, not {json.dumps(entry['body'])}"
            elif request.method != "DELETE" and not said.get("content-type", "").startswith("application/json"):
                yield f"Content-Type is {said.get('content-type')!r}"
        elif request.body and request.body != b"{}":
            yield f"a body: {request.body[:500]!r}"

    def answer(self, connection, entry, request):
        """False: the connection is at its end."""
        if entry is None:
            connection.sendall(b"HTTP/1.1 599 Not in the script\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return False
        answer = entry.get("answer", {})
        if answer.get("delay"):
            time.sleep(answer["delay"])
        if answer.get("close"):
            return self.reset(connection) if answer["close"] == "reset" else False
        body, status = body_of(answer, self.folder), answer.get("status", 200)
        headers = {"Date": email.utils.formatdate(usegmt=True), **answer.get("headers", {})}
        if not any(n.lower() == "content-type" for n in headers):
            headers["Content-Type"] = "application/problem+json" if status >= 400 else "application/json; charset=utf-8"
        if answer.get("gzip") and "gzip" in dict(request.headers).get("accept-encoding", ""):
            body = gzip.compress(body, mtime=0)
            headers["Content-Encoding"] = "gzip"
        if "flip" in answer:  # one bit of one byte
            body = body[:answer["flip"]] + bytes([body[answer["flip"]] ^ 1]) + body[answer["flip"] + 1:]
        headers.setdefault("Content-Length", len(body))
        if answer.get("chunked"):
            del headers["Content-Length"]
            headers["Transfer-Encoding"] = "chunked"
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
        if answer.get("garbage"):
            connection.sendall(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
            return False
        lines = [f"HTTP/1.1 {status} Said", *(f"{n}: {v}" for n, v in headers.items() if v is not None)]
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        if request.method == "HEAD" or status in (204, 304):
            body = b""
        ends = next((n for n in ("cut", "stall") if n in answer), None)
        connection.sendall(head + (body if ends is None else body[:answer[ends]]))
        if ends == "stall":
            while connection.recv(65536):  # until the client has had enough
                pass
            return False
        if ends == "cut":
            return self.reset(connection) if answer.get("close") == "reset" else False
        return headers.get("Connection", "").lower() != "close"

    @staticmethod
    def reset(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def finished(self):
        """All faults, those requests that never came among them."""
        with self.lock:
            missing = [f"never came: {r.get('method', 'GET')} {r['path']}" for r in self.requests[self.at:]]
        return self.faults + missing


class Closed:
    """An address that nobody listens on, and that nobody else is given meanwhile."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"

    def close(self):
        self.socket.close()


# ---- the proxy -------------------------------------------------------------------------------------------------------------------------------------------

def certificates(folder):
    """Makes FOLDER/ca.pem, good.pem (for 127.0.0.1, by that authority), other.pem (for another host) and alone.pem (by nobody). Missing without openssl."""
    folder.mkdir()

    def openssl(*arguments):
        done = subprocess.run([Library.program("openssl"), *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def signed(name, host):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (folder / f"{name}.ext").write_text(f"subjectAltName={host}\nbasicConstraints=CA:FALSE\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650", "-extfile", f"{name}.ext",
                "-out", f"{name}.crt")
        (folder / f"{name}.pem").write_text((folder / f"{name}.key").read_text() + (folder / f"{name}.crt").read_text())
    for name in ("ca", "alone"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "3650", "-subj", f"/CN={name}",
                "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "keyUsage=critical,digitalSignature,keyCertSign")  # Python 3.13 wants an authority to say that it is one
    (folder / "alone.pem").write_text((folder / "alone.key").read_text() + (folder / "alone.pem").read_text())
    signed("good", "IP:127.0.0.1")
    signed("other", "DNS:other.example")
    (folder / "php").mkdir()
    (folder / "php/ca.ini").write_text(f"openssl.cafile={folder / 'ca.pem'}\ncurl.cainfo={folder / 'ca.pem'}\n")
    return folder


def trusting(folder):
    """Variables with which each language trusts the authority of certificates(FOLDER)."""
    authority = str(folder / "ca.pem")
    return {"NODE_EXTRA_CA_CERTS": authority, "SSL_CERT_FILE": authority, "PHP_INI_SCAN_DIR": f":{folder / 'php'}"}


class Proxy:
    """Passes TCP connections on to PORT. `cut_after`: a list of counts of bytes; each connection that brings so many (of the answers) is cut there, one
    after the other, then no more. `flip`: at which byte of the stream a bit is turned, in every connection that comes so far (or in the first `flips`).
    `pause`: (bytes of all answers, function): once so many came, the function is called before anything more is passed on. `refused` counts answers
    with status 429."""

    def __init__(self, port, cut_after=(), flip=None, flips=None, pause=None):
        self.port, self.cuts, self.flip, self.flips, self.pause = port, list(cut_after), flip, flips, pause
        self.connections = self.cut = self.flipped = self.bytes = self.refused = 0
        self.paused = False
        self.lock, self.stopped = threading.Lock(), False
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.base = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.stopped = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def accept(self):
        while not self.stopped:
            try:
                inner, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(inner,), daemon=True).start()

    def serve(self, inner):
        with inner, socket.create_connection(("127.0.0.1", self.port)) as outer:
            asking = threading.Thread(target=self.pump, args=(inner, outer, False), daemon=True)
            asking.start()
            self.pump(outer, inner, True)
            asking.join()

    def pump(self, source, target, answers):
        passed = 0
        try:
            while True:
                piece = source.recv(65536)
                if not piece:
                    break
                stop = False
                if answers:
                    piece, stop = self.spoil(piece, passed)
                    passed += len(piece)
                target.sendall(piece)
                if stop:
                    break
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def spoil(self, piece, passed):
        with self.lock:
            self.bytes += len(piece)
            self.refused += piece.count(b"HTTP/1.1 429 ")
            if self.pause and not self.paused and self.bytes >= self.pause[0]:
                self.paused = True
                self.pause[1]()
            if self.flip is not None and (self.flips is None or self.flipped < self.flips) and passed <= self.flip < passed + len(piece):
                at = self.flip - passed
                piece = piece[:at] + bytes([piece[at] ^ 1]) + piece[at + 1:]
                self.flipped += 1
            if self.cuts and passed + len(piece) >= self.cuts[0]:
                piece = piece[:self.cuts.pop(0) - passed]
                self.cut += 1
                return piece, True
        return piece, False
