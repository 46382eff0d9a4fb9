"""Steers tests/fault/gateway_shim.c, which is preloaded into all processes of a gateway: faults by kind, role and number, a budget of bytes, a clock that jumps, a log
of what is written. struct block and the list of kinds are those of gateway_shim.h."""
import errno
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import unittest

import gatewaylib

LIBRARY = pathlib.Path(os.environ.get("ODP_GATEWAY_SHIM_LIBRARY", gatewaylib.BINARY_DIR / "tests" / "fault" / "libodp_gateway_shim.so"))
KINDS = ("alloc json crypto sqlalloc http curl nginx pool open sqlopen read sqlread write sqlwrite fsync sqlsync rename link unlink make map sqlmap resize sqlresize"
         " thread process descriptor random lock mode stat").split()
PARENT, SERVICE, MASTER, WORKER = 1, 2, 4, 8
EVERYBODY = PARENT | SERVICE | MASTER | WORKER
HEAD = struct.Struct("<QiiqqqiiqiiQ")  # magic kind on fail_at calls failed roles errnum budget budget_errnum logging ahead
MAGIC = 0x316d696873706467
AT = {"kind": (8, "i"), "on": (12, "i"), "fail_at": (16, "q"), "calls": (24, "q"), "failed": (32, "q"), "roles": (40, "i"), "errnum": (44, "i"), "budget": (48, "q"),
      "budget_errnum": (56, "i"), "logging": (60, "i"), "ahead": (64, "q")}
COUNTS, COUNT_ALL = 72, -2


def points(random, count, many):
    """MANY of COUNT calls, in order; all where there are not more: the last are as likely as the first."""
    return sorted(random.sample(range(1, count + 1), min(many, count)))


def needs_shim():
    if gatewaylib.sanitized():
        raise unittest.SkipTest("a preloaded library and the sanitizers' runtimes do not go together")
    if not LIBRARY.exists():
        raise unittest.SkipTest(f"{LIBRARY} was not built")


class Shim:
    """FOLDER gets the shared file; STATE is the folder whose bytes are counted and logged, LOG the file of what is written there."""

    def __init__(self, folder, state, log=None):
        self.path, self.state, self.log = pathlib.Path(folder) / "shim", pathlib.Path(state), log
        self.path.write_bytes(HEAD.pack(MAGIC, -1, 0, 0, 0, 0, 0, 0, -1, errno.ENOSPC, 0, 0).ljust(4096, b"\0"))
        with open(self.path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 4096)

    def env(self):
        env = {"LD_PRELOAD": str(LIBRARY), "ODP_GATEWAY_SHIM": str(self.path), "ODP_GATEWAY_STATE": str(self.state)}
        return {**env, "ODP_GATEWAY_LOG": str(self.log)} if self.log else env

    def set(self, name, value):
        at, form = AT[name]
        struct.pack_into("<" + form, self.map, at, value)

    def get(self, name):
        at, form = AT[name]
        return struct.unpack_from("<" + form, self.map, at)[0]

    def arm(self, kind, n, on=False, roles=EVERYBODY, errnum=0):
        """The Nth call of KIND fails, and with ON all that follow it. N = 0: they are counted only."""
        self.set("kind", -1)
        for name, value in (("fail_at", n), ("on", on), ("calls", 0), ("failed", 0), ("roles", roles), ("errnum", errnum)):
            self.set(name, value)
        self.set("kind", KINDS.index(kind))

    def disarm(self):
        """How many calls there were, and how many of them failed."""
        self.set("kind", -1)
        return self.get("calls"), self.get("failed")

    def count_all(self, roles=EVERYBODY):
        self.map[COUNTS:COUNTS + 8 * len(KINDS)] = bytes(8 * len(KINDS))
        self.set("roles", roles)
        self.set("kind", COUNT_ALL)

    def counts(self):
        self.set("kind", -1)
        return dict(zip(KINDS, struct.unpack_from(f"<{len(KINDS)}q", self.map, COUNTS)))

    def budget(self, count, error=errno.ENOSPC):
        """COUNT bytes may still be written; None: any number."""
        self.set("budget_errnum", error)
        self.set("budget", -1 if count is None else count)

    def ahead(self, seconds):
        self.set("ahead", int(seconds * 1000000000))


def copy_state(old, new):
    """A state folder with its holes; what was at NEW is gone."""
    shutil.rmtree(new, ignore_errors=True)
    subprocess.run(["cp", "-a", "--sparse=always", old, new], check=True)


class Service(gatewaylib.Gateway):
    """The service alone, asked at its sockets as nginx and the commands do."""

    def command_line(self):
        return [*super().command_line(), "--nginx", "off"]

    def ask(self, path, key=None, method="GET", headers=(), body=b"", name="service"):
        connection = Client(self.state / "run" / f"{name}.sock")
        try:
            return connection.get(path, key, method=method, headers=["Connection: close", *headers], body=body)
        finally:
            connection.close()

    def get(self, path, key=None, **more):  # who waits for the gateway asks nginx
        return self.ask("/problem") if path == "/v1/" else self.ask(path, key, **more)


class Client(gatewaylib.Connection):
    """Of a unix socket."""

    def __init__(self, path, timeout=gatewaylib.PATIENCE):
        super().__init__(0, timeout)
        self.path = str(path)

    def send(self, data):
        if self.socket is None:
            self.socket = gatewaylib.socket.socket(gatewaylib.socket.AF_UNIX)
            self.socket.settimeout(self.timeout)
            self.socket.connect(self.path)
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
