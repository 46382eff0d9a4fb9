"""What the tests of webhooks share: a receiver over raw sockets that can misbehave, and a verifier that is not the gateway's."""
import base64
import hashlib
import hmac
import json
import socket
import struct
import threading
import time

import gatewaylib


def verify(secrets, headers, body, now=None, tolerance=300):
    """Standard Webhooks 1.0.0 by the letter: None, or what is wrong. SECRETS: one "whsec_…" or several that may have signed."""
    secrets = [secrets] if isinstance(secrets, str) else list(secrets)
    ident, stamp, given = (headers.get(name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature"))
    if not ident or not stamp or not given:
        return f"a header is missing: {headers}"
    if "." in ident or not stamp.isdigit():
        return f"id or timestamp: {ident!r} {stamp!r}"
    if abs(int(stamp) - (time.time() if now is None else now)) > tolerance:
        return f"timestamp {stamp} is not of now"
    signed = f"{ident}.{stamp}.".encode() + body
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        want = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        for one in given.split(" "):
            version, _, value = one.partition(",")
            if version == "v1" and hmac.compare_digest(value, want):
                return None
    return f"no signature of {given!r} is ours"


class Message:
    """One request as it came."""

    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.at, self.clock = time.monotonic(), time.time()

    @property
    def id(self):
        return self.headers.get("webhook-id")

    def json(self):
        return json.loads(self.body)

    @property
    def type(self):
        return self.json()["type"]

    def __repr__(self):
        return f"<{self.method} {self.path} {self.id} {self.body[:120]!r}>"


class Receiver:
    """Listens on a loopback address. Without more, every message is answered 204 and every challenge with itself. behave(path, …) says what the next requests
    to PATH get, one after the other (the last one for all that follow):

        200                       a status        (429, {"Retry-After": "7"})     with headers      (200, {}, b"body")    and a body
        "hang"                    nothing, until the client goes away             "hang-body"       a 200, then nothing
        "reset"                   the connection is reset                         "close"           closed without an answer
        "drip"                    one byte of a 200 every tenth of a second       "garbage"         what is no HTTP
        "ok"                      as without more
    """

    def __init__(self, address="127.0.0.1", tls=None):
        self.address, self.tls = address, tls
        self.messages, self.connections, self.plans = [], 0, {}
        self.lock, self.stopped = threading.Condition(), False
        self.socket = socket.create_server((address, 0), backlog=1024)
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def url(self, path="/hook", host=None):
        return f"{'https' if self.tls else 'http'}://{host or self.address}:{self.port}{path}"

    def close(self):
        self.stopped = True
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def behave(self, path, *plans):
        with self.lock:
            self.plans[path] = list(plans)

    def to(self, path=None, kind=None):
        """The messages so far, of PATH and of a type."""
        with self.lock:
            found = list(self.messages)
        return [m for m in found if (path is None or m.path == path) and (kind is None or m.type == kind)]

    def wait(self, count=1, path=None, kind=None, seconds=gatewaylib.PATIENCE):
        """The messages of PATH and KIND, once there are COUNT."""
        return gatewaylib.wait_for(f"{count} messages {path} {kind}, have {self.to(path)}",
                                   lambda: (lambda m: m if len(m) >= count else None)(self.to(path, kind)), seconds)

    def accept(self):
        while not self.stopped:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            rest = b""
            while True:
                message, rest = self.read(connection, rest)
                if message is None or not self.answer(connection, message):
                    return
        except OSError:
            pass
        finally:
            connection.close()

    @staticmethod
    def read(connection, data):
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return None, b""
            data += piece
        head, _, data = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ")
        headers = {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        while len(data) < length:
            piece = connection.recv(65536)
            if not piece:
                return None, b""
            data += piece
        return Message(method, path, headers, data[:length]), data[length:]

    def plan(self, message):
        with self.lock:
            self.messages.append(message)
            plans = self.plans.get(message.path, ["ok"])
            return plans.pop(0) if len(plans) > 1 else plans[0]

    def answer(self, connection, message):
        """False: the connection is at its end."""
        plan = self.plan(message)
        if plan == "ok":
            kind = message.json() if message.body.startswith(b"{") else {}
            plan = (200, {}, kind["data"]["challenge"].encode()) if kind.get("type") == "webhook.challenge" else 204
        if plan == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if plan == "close":
            return False
        if plan == "garbage":
            connection.sendall(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
            return False
        if plan in ("hang", "hang-body"):
            if plan == "hang-body":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1")
            while connection.recv(65536):
                pass
            return False
        if plan == "drip":
            for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"z" * 10000 + b"\r\n\r\n":
                connection.sendall(bytes([byte]))
                time.sleep(0.1)
            return False
        status, headers, body = (plan, {}, b"") if isinstance(plan, int) else (*plan, b"")[:3]
        lines = [f"HTTP/1.1 {status} Said", *(f"{n}: {v}" for n, v in headers.items())]
        if status not in (204, 304):
            lines.append(f"Content-Length: {len(body)}")
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return True
