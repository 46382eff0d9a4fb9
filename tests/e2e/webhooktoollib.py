"""What the tests with webhook_tool share: the tool with its clock, sites made by hand whose log grows, the store read beside it."""
import hashlib
import json
import pathlib
import sqlite3
import subprocess
import time

import gatewaylib
import odp
from webhooklib import verify

TOOL = gatewaylib.BINARY_DIR / "tests" / "webhook_tool"
START = 1_700_000_000_000  # ms: when the tests' clock begins
SETTLE = 250
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]


class Site:
    """Builds of a site without data: manifest, index, settings, and a log to which lines are added. Each build has a folder of its own."""

    def __init__(self, folder, base_url="https://data.example.go.id/"):
        self.folder, self.base_url = pathlib.Path(folder), base_url
        self.lines, self.builds, self.notify, self.webhooks, self.slugs = [], 0, {}, None, {}

    def line(self, *changes, release="2.5.0"):
        """Adds a line of the log; CHANGES: (dataset, version, what)."""
        before = "sha256:" + hashlib.sha256(self.lines[-1].encode()).hexdigest() if self.lines else None
        doc = {"n": len(self.lines) + 1, "previous": before, "base": None, "date": "2024-03-15", "release": release,
               "changes": [{"dataset": d, "version": v, "digest": "sha256:" + hashlib.sha256(f"{d}{v}".encode()).hexdigest(), "what": w}
                           for d, v, w in changes]}
        self.lines.append(json.dumps(doc, separators=(",", ":")))
        return hashlib.sha256(self.lines[-1].encode()).hexdigest()

    def build(self):
        """A folder that has all lines so far."""
        self.builds += 1
        target = self.folder / f"build-{self.builds}"
        target.mkdir(parents=True)
        tiers = [{"name": "public", "daily": 1000, "burst": 5, "concurrent": 2, "webhooks": self.webhooks},
                 {"name": "government", "daily": None, "burst": 5, "concurrent": 2, "webhooks": None}]
        index = {"data": [{"slug": s, "title": {"id": s, "en": s}, **more} for s, more in self.slugs.items()], "status": "success",
                 "meta": {"release": "2.5.0"}}
        files = {"gateway.json": {"base_url": self.base_url, "zone_minutes": 420, "tiers": tiers, "notify_every": self.notify}, "v1/index.json": index}
        texts = {path: json.dumps(doc).encode() for path, doc in files.items()}
        texts["releases.log"] = "".join(line + "\n" for line in self.lines).encode()
        entries = []
        for path, text in sorted(texts.items()):
            (target / path).parent.mkdir(exist_ok=True)
            (target / path).write_bytes(text)
            entries.append({"path": path, "type": "application/json", "class": "public", "size": len(text), "sha256": hashlib.sha256(text).hexdigest()})
        (target / "manifest.json").write_text(json.dumps({"files": entries}))
        return target


class Tool:
    """A running webhook_tool."""

    def __init__(self, state, *options, stderr=None):
        self.state, self.clock = pathlib.Path(state), None
        self.process = subprocess.Popen([TOOL, state, *map(str, options)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self.ready = self.read()

    def read(self):
        answer = self.process.stdout.readline()
        if not answer.endswith("\n"):
            raise EOFError(f"webhook_tool ended: {self.process.wait()}")
        return answer.rstrip("\n")

    def raw(self, *words):
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.read()

    def ask(self, *words):
        """What follows "ok", as a list."""
        answer = self.raw(*words)
        kind, _, rest = answer.partition(" ")
        if kind != "ok":
            raise AssertionError(f"{words}: {answer}")
        return rest.split("\t")

    def now(self, ms):
        self.clock = ms
        self.ask("now", ms)

    def figures(self):
        return json.loads(self.ask("figures")[0])

    def end(self):
        """As the service ends."""
        self.process.stdin.close()
        code = self.process.wait(gatewaylib.PATIENCE)
        self.process.stdout.close()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def rows(self, sql, *values):
        """Of the store, read beside the tool."""
        store = sqlite3.connect(f"file:{self.state}/store.sqlite?mode=ro", uri=True)
        try:
            return store.execute(sql, values).fetchall()
        finally:
            store.close()


class Case(odp.Case):
    """A tool with a clock at START, a site, one key."""

    options = ()

    def setUp(self):
        super().setUp()
        self.log = open(self.dir / "log", "w+")
        self.addCleanup(self.log.close)
        self.site = Site(self.dir / "site")
        self.tool = None
        self.addCleanup(self.finish)

    def begin(self, *options, tier="government"):
        self.open(*options)
        self.tool.ask("tell")  # what the site has now is known
        self.key, self.account = self.tool.ask("key", "Sari", "sari@example.go.id", tier)

    def open(self, *options, clock=START):
        """The tool, at its site."""
        build = self.site.build() if self.site.builds == 0 else self.dir / "site" / f"build-{self.site.builds}"
        self.opened = time.monotonic()
        self.tool = Tool(self.dir / "state", "--site", build, *self.options, *options, stderr=self.log)
        self.tool.now(clock)
        self.tool.ask("site", build)

    def finish(self):
        if self.tool is not None and self.tool.process.poll() is None:
            self.assertEqual(self.tool.end(), 0, self.said())

    def said(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text()

    def subscribe(self, receiver, path, events="dataset.version.published", datasets="", filter=""):
        """An active one: its challenge was answered. Its name and secret."""
        name, secret = self.tool.ask("sub", self.key, receiver.url(path), events, datasets, filter)
        self.tool.ask("settle", 20000)
        self.assertEqual(self.state(name), ("active", ""))
        return name, secret

    def state(self, name):
        return self.tool.rows("SELECT state, reason FROM webhook WHERE name = ?", name)[0]

    def publish(self, *changes, release="2.5.0"):
        """A build with one more line, told."""
        digest = self.site.line(*changes, release=release)
        self.tool.ask("site", self.site.build())
        self.tell()
        return digest

    def tell(self):
        """What a site tells is told a moment after its switch was seen."""
        self.tool.ask("tell")
        self.tool.now(self.tool.clock + SETTLE)
        self.tool.ask("tell")

    def attempts(self, name):
        """Of the subscription's events: [(delivery, state, [(at, took, status, outcome)])], oldest first."""
        found = []
        for number, msg, state in self.tool.rows(
                "SELECT d.id, d.name, d.state FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook JOIN webhook_message m ON m.id = d.message"
                " WHERE w.name = ? AND m.type <> 'webhook.challenge' ORDER BY d.id", name):
            found.append((msg, state, self.tool.rows("SELECT at, took, status, outcome FROM webhook_attempt WHERE delivery = ? ORDER BY n", number)))
        return found

    def due(self, name):
        """When the next delivery of the subscription is due; None: nothing is pending."""
        return self.tool.rows("SELECT min(d.next) FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook WHERE w.name = ? AND d.state = 'pending'", name)[0][0]

    def ran(self):
        """How far the tool's clock can be ahead of where it was set, in ms: the machine's own time runs while a message is under way."""
        return 1000 + (time.monotonic() - self.opened) * 1000

    def turn(self, ms, wait=20000):
        """The clock goes on to MS, if that is not over, and what is due then is sent."""
        self.tool.now(max(ms, self.tool.clock))
        self.tool.ask("settle", wait)

    def check(self, secret, messages, clock=None):
        """Every message has a signature of SECRET, of the time of its sending."""
        for m in messages:
            stamp = int(m.headers["webhook-timestamp"])
            self.assertIsNone(verify(secret, m.headers, m.body, now=stamp if clock is None else clock / 1000), m)

