"""What the abuse tests of the gateway share: one compiled site, a gateway that is attacked, and the count of it: how many attacks were tried, how many of them the gateway
survived (it is alive and right after each), and how many let somebody in (none may)."""
import json
import pathlib
import re
import selectors
import shutil
import socket
import sys
import tempfile
import time

import gatewaylib
from gatewaylib import wait_for

TIERS = [("public", 1000, 1000), ("registered", 3, 1000), ("government", None, 1000000)]
# What an answer has that somebody without a key, or with another's, must not get: records, a key, the site's internal files.
KEYED = b'{"data":[\n{"id_kawasan":"'
MARKS = (KEYED, b'"FeatureCollection"', b"id_kawasan,kode_kabkota", b"#odp-control", b"SQLite format 3", b"zone_minutes", b"root:x:")


class Tally:
    def __init__(self):
        self.tried, self.survived, self.let_in = {}, {}, []

    def count(self, group, survived):
        self.tried[group] = self.tried.get(group, 0) + 1
        self.survived[group] = self.survived.get(group, 0) + bool(survived)

    def lines(self):
        return [f"{group}: tried {n}, survived {self.survived[group]}, let in {sum(g == group for g, _, _ in self.let_in)}" for group, n in self.tried.items()]


def exchange(port, attacks, between=lambda name: None, idle=1.5):
    """Sends each attack (name, bytes) on a connection of its own, with BETWEEN after each; then reads what comes on all of them until they are closed or silent.
    Returns {name: bytes}."""
    selector, got = selectors.DefaultSelector(), {}
    for name, data in attacks:
        s = socket.create_connection(("127.0.0.1", port), gatewaylib.PATIENCE)
        got[name] = b""
        try:
            s.sendall(data)
        except OSError:
            pass  # it was closed before all was sent: an answer may be there all the same
        s.setblocking(False)
        selector.register(s, selectors.EVENT_READ, name)
        between(name)
    last = time.monotonic()
    while selector.get_map() and time.monotonic() - last < idle:
        for key, _ in selector.select(0.1):
            try:
                piece = key.fileobj.recv(262144)
            except BlockingIOError:
                continue
            except OSError:
                piece = b""
            last = time.monotonic()
            got[key.data] += piece
            if not piece:
                selector.unregister(key.fileobj)
                key.fileobj.close()
    for key in list(selector.get_map().values()):
        key.fileobj.close()
    selector.close()
    return got


class Abuse(gatewaylib.Case):
    """A gateway with a compiled site (kumuh, proyek), shared by the class; each test has a state of its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="odp-abuse-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, True)
        maker = gatewaylib.Case("compile")  # for its catalogue and compiler
        maker.dir = cls.shared
        cls.site = maker.compile("kumuh", "kontraktor", tiers=TIERS)

    def setUp(self):
        super().setUp()
        self.tally, self.restarts, self.cut = Tally(), False, False

    def start(self, *options, **more):
        self.g = self.serve(self.site, *options, **more)
        self.key = self.g.create_key("government")
        self.page = self.g.get("/v1/kumuh", self.key).body
        self.assertIn(KEYED, self.page)
        self.family = self.processes()
        return self.g

    def processes(self):
        """The processes of the gateway; a crash shows as another pid."""
        return sorted([*gatewaylib.children_of(self.g.process.pid), *self.g.nginx_workers()])

    def alive(self):
        """Everything works, for an honest client, and nothing has died on the way."""
        g = self.g
        page = g.get("/v1/kumuh", self.key)
        tiers = g.get("/auth/tiers")
        query = g.get("/v1/kumuh?limit=1", self.key)
        return (g.process.poll() is None and page.status == 200 and page.body == self.page and tiers.status == 200 and
                query.status == 200 and len(query.json()["data"]) == 1 and (self.restarts or self.processes() == self.family))

    def tried(self, group, name, let_in, survived=None):
        """One attack: LET_IN is what shows that it got somewhere, or None."""
        ok = self.alive() if survived is None else survived
        self.tally.count(group, ok)
        if let_in:
            self.tally.let_in.append((group, name, let_in))
        if not ok:
            self.fail(f"{group}: {name}: the gateway is not well after it\n{self.g.log_text()[-3000:]}\n{self.errors()[-3000:]}")

    def volley(self, group, attacks, judge):
        """All of ATTACKS, [(name, bytes)]; the gateway is looked at after each. JUDGE(name, answer) says how it let somebody in, or None."""
        well = {}
        got = exchange(self.g.port, attacks, lambda name: well.update({name: self.alive()}))
        for name, answer in got.items():
            self.tried(group, name, judge(name, answer), well[name])

    def errors(self):
        path = self.g.state / "nginx" / "error.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def verdict(self):
        print(*self.tally.lines(), sep="\n", file=sys.stderr)
        self.assertGreater(sum(self.tally.tried.values()), 0)
        self.assertEqual(self.tally.let_in, [], "let in")
        self.assertEqual(self.tally.tried, self.tally.survived)
        text = self.g.log_text() + self.errors()
        for report in re.findall(r"ERROR: \w+Sanitizer.*|runtime error:.*|.*exited on signal.*|.*segfault.*", text):
            # Who maps a file that somebody cuts gets SIGBUS (7) at the next look; an end by SIGABRT (6) is how a sanitizer's report ends.
            self.assertTrue(self.cut and re.search(r": BUS on|signal [67]\b", report), report)

    def post(self, path, document, *headers, key=None):
        return self.g.get(path, key, method="POST", headers=["Content-Type: application/json", *headers], body=json.dumps(document).encode())


def saw(answer):
    """How ANSWER shows that somebody got what he should not have."""
    found = re.search(b"|".join([*map(re.escape, MARKS), rb"odp_live_[0-9A-Za-z]{36}", rb"whsec_[0-9A-Za-z+/=]{40}"]), answer)
    return answer[max(0, found.start() - 200):found.end() + 100] if found else None


__all__ = ["Abuse", "KEYED", "MARKS", "TIERS", "exchange", "saw", "wait_for"]
