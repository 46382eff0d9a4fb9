"""kill -9 at random moments of telling and sending, while the site grows, is rolled back, and a receiver fails now and then: nothing is lost, nothing is invented, and what comes twice has the
same id and the same bytes. Argument "deep": 200 kills instead of 12."""
import json
import os
import random
import sys
import time
import unittest

import webhooktoollib as lib
from webhooklib import Receiver
from webhooktoollib import DAY, HOUR, START

KILLS = 12
SEED = int(os.environ.get("ODP_SEED", "7"))


class Sometimes(Receiver):
    """Answers one of seven messages with 500, another with a reset."""

    def __init__(self, chance):
        self.chance = chance
        super().__init__()

    def plan(self, message):
        plan = super().plan(message)
        with self.lock:
            return {0: 500, 1: "reset"}.get(self.chance.randrange(7), plan) if message.type != "webhook.challenge" else plan


class Kill(lib.Case):
    options = ("--keep", str(1000 * 86400))  # 200 kills take 50 days: nothing is pruned

    def start(self):
        """The tool in its loop, hours after it was killed."""
        self.clock += 6 * HOUR
        self.tool = lib.Tool(self.dir / "state", "--site", self.dir / "link", *self.options, stderr=self.log)
        self.tool.now(self.clock)
        self.tool.ask("loop", self.dir / "link", 1000, 20)

    def switch(self, build):
        new = self.dir / "new"
        new.symlink_to(build)
        new.rename(self.dir / "link")

    def test_kills(self):
        chance = random.Random(SEED)
        receiver = Sometimes(chance)
        self.addCleanup(receiver.close)
        self.site.notify = {"joined": 600}
        self.clock = START
        self.begin()
        paths = {f"/{i}": datasets for i, datasets in enumerate(("", "", "a", "b joined", "a b", "joined"))}
        names = {path: self.subscribe(receiver, path, events="dataset.version.published release.published", datasets=datasets)[0] for path, datasets in paths.items()}
        self.switch(self.dir / "site" / "build-1")
        self.tool.kill()
        expected, versions = {path: set() for path in paths}, 0
        for kill in range(KILLS):
            self.start()
            for _ in range(chance.randrange(3)):
                time.sleep(chance.random() * 0.05)
                change = [(slug, f"v{versions + i}", "published") for i, slug in enumerate(chance.sample(("a", "b", "joined", "c"), chance.randrange(1, 4)))]
                versions += len(change)
                self.site.line(*change)
                for slug, version, _ in change:
                    for path, datasets in paths.items():
                        if not datasets or slug in datasets.split():
                            expected[path].add((slug, version))
                self.switch(self.site.build())
                if chance.randrange(5) == 0:  # back and forth
                    self.switch(self.dir / "site" / f"build-{self.site.builds - 1}")
                    time.sleep(chance.random() * 0.02)
                    self.switch(self.dir / "site" / f"build-{self.site.builds}")
            time.sleep(chance.random() * 0.15)
            self.assertIsNone(self.tool.process.poll(), self.said())
            self.tool.kill()
        self.finish_all()
        self.compare(receiver, names, expected)

    def finish_all(self):
        """Without kills, until nothing is pending."""
        self.clock += 6 * HOUR
        self.open(clock=self.clock)
        for _ in range(100):
            self.tell()
            self.tool.ask("settle", 30000)
            if not self.tool.rows("SELECT 1 FROM webhook_delivery WHERE state = 'pending' UNION SELECT 1 FROM webhook_event WHERE done = 0"):
                return
            self.tool.now(self.tool.clock + HOUR)
        self.fail("it has no end")

    def compare(self, receiver, names, expected):
        deliveries = 0
        for path, name in names.items():
            messages = [m for m in receiver.to(path) if m.type != "webhook.challenge"]
            bodies = {}
            for m in messages:
                self.assertEqual(bodies.setdefault(m.id, m.body), m.body)
            told = [(m["data"]["dataset"], version) for m in map(json.loads, bodies.values()) if m["type"] != "release.published"
                    for version in m["data"]["versions"]]
            self.assertEqual(len(told), len(set(told)), "told twice with two ids")
            self.assertEqual(set(told), expected[path])
            states = [(msg, state) for msg, state, _ in self.attempts(name)]
            self.assertEqual({state for _, state in states}, {"delivered"} if states else set())
            self.assertEqual({msg for msg, _ in states}, set(bodies))
            deliveries += len(states)
        self.assertGreater(deliveries, 0)
        self.assertEqual(self.tool.rows("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_line WHERE n > 0"), [(len(self.site.lines),)])
        self.assertLess(self.tool.clock, START + 400 * DAY)


if __name__ == "__main__":
    if sys.argv[1:] == ["deep"]:
        KILLS = 200
        del sys.argv[1:]
    unittest.main()
