"""kill -9 of a running gateway at random moments, while builds publish, subscriptions come and go and receivers fail now and then. At the end every subscription that was
acknowledged has every version's message, by its deliveries and by what arrived; nothing was invented; what came twice has the same id and bytes.

Kills: ODP_ROUNDS, or 200 with the argument "deep", else 12. ODP_SEED: another course of events. (webhook_kill.py kills telling and sending by themselves.)"""
import collections
import datetime
import hashlib
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time

import gatewaylib
import odp
import webhooklib
from gatewaylib import Connection, wait_for

DEEP = "deep" in sys.argv
ROUNDS = int(os.environ.get("ODP_ROUNDS", "200" if DEEP else "12"))
SEED = int(os.environ.get("ODP_SEED", "1"))
VERSIONS = 120 if DEEP else 12     # at most, of each dataset: their folders all stay
AN_ACCOUNT = 20                    # challenges: an account may ask for 30 in an hour
FIELDS = [{"name": "kode", "type": "string"}, {"name": "provinsi", "type": "string"}, {"name": "luas", "type": "number"}]
DATASETS = ("satu", "dua")
# What subscriptions ask for: (datasets it is about, fields). In each version a record of province 31 changes, and none of 73.
WANTS = [(DATASETS, {}), (DATASETS, {}), (("satu",), {"datasets": ["satu"]}), (("dua",), {"datasets": ["dua"], "filter": "provinsi = '31'"}),
         (DATASETS, {"datasets": list(DATASETS), "filter": "provinsi = '31' AND luas > 1"}), ((), {"datasets": list(DATASETS), "filter": "provinsi = '73'"})]


def base62(number, digits):
    text = ""
    for _ in range(digits):
        number, rest = divmod(number, 62)
        text = gatewaylib.ALPHABET[rest] + text
    return text


def told(message):
    data = message.json()["data"]
    return data["dataset"], data["version"]


def is_nginx(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"nginx:")
    except OSError:
        return True


class Sometimes(webhooklib.Receiver):
    """Fails now and then when a message comes for the first time, never the second time: the third attempt would come after five minutes."""

    FAILURES = (500, "reset", "close", "garbage", (503, {"Retry-After": "1"}), (429, {"Retry-After": "2"}), (302, {"Location": "/x"}))

    def __init__(self, chance):
        self.chance, self.seen, self.failing, self.failed = chance, set(), True, 0
        super().__init__()

    def plan(self, message):
        plan = super().plan(message)
        with self.lock:
            first = message.id not in self.seen
            self.seen.add(message.id)
            if first and self.failing and self.chance.random() < 0.08:
                self.failed += 1
                return self.chance.choice(self.FAILURES)
        return plan


class Subscription:
    def __init__(self, path, url, key, about, fields):
        self.path, self.url, self.key, self.about, self.fields = path, url, key, about, fields
        self.id = self.secret = self.active = None  # ACTIVE: when it was seen to be
        self.deleting = self.deleted = False        # asked for; acknowledged


class Publisher(threading.Thread):
    """Builds with newer versions of one dataset or both, one after the other."""

    def __init__(self, case, chance):
        super().__init__(daemon=True)
        self.case, self.chance, self.over, self.failure = case, chance, threading.Event(), None
        self.published = []                         # (dataset, version, when its build began)
        self.days = collections.Counter()

    def publish(self, slugs):
        began = time.monotonic()
        for slug in slugs:
            self.days[slug] += 1
            version = str(datetime.date(2024, 4, 1) + datetime.timedelta(days=self.days[slug]))
            self.case.update(slug, version, self.case.rows(self.days[slug]))
            self.published.append((slug, version, began))
        self.case.odp("build", "--out", self.case.dir / "site", "--quiet")

    def run(self):
        try:
            while not self.over.is_set() and max(self.days.values(), default=0) < VERSIONS:
                self.publish(self.chance.choice((DATASETS[:1], DATASETS[1:], DATASETS)))
                self.over.wait(self.chance.random() * (1.5 if DEEP else 0.3))
        except Exception as e:  # told by the test's thread
            self.failure = e


class Subscriber(threading.Thread):
    """Makes and deletes subscriptions, and looks which have become active. What was not answered is not known: such a one may be there or not."""

    def __init__(self, gateway, keys, receivers, chance):
        super().__init__(daemon=True)
        self.gateway, self.keys, self.receivers, self.chance = gateway, keys, receivers, chance
        self.over, self.all, self.wrong = threading.Event(), [], []

    def call(self, key, method="GET", ident="", document=None):
        """The answer, None: there was none that says anything."""
        body = json.dumps(document).encode() if document is not None else b""
        try:
            answer = self.gateway.get(f"/v1/webhooks{ident}", key, method=method, body=body, headers=["Content-Type: application/json"] if body else [])
        except (OSError, AssertionError, Connection.Unanswered):
            return None
        return None if answer.status in (502, 503, 504) else answer

    def create(self):
        n = len(self.all)
        about, fields = WANTS[n % len(WANTS)]
        url = self.receivers[n % len(self.receivers)].url(f"/s{n}")
        s = Subscription(f"/s{n}", url, self.keys[n // AN_ACCOUNT], about, fields)
        self.all.append(s)
        answer = self.call(s.key, "POST", "", {"url": url, "events": ["dataset.version.published"], **fields})
        if answer is not None and answer.status == 201:
            row = answer.json()["data"][0]
            s.id, s.secret = row["id"], row["secret"]
        elif answer is not None:
            self.wrong.append(answer)

    def delete(self, s):
        s.deleting = True
        answer = self.call(s.key, "DELETE", f"/{s.id}")
        if answer is not None and answer.status in (200, 404):  # 404: an earlier call did it, unheard
            s.deleted = True
        elif answer is not None:
            self.wrong.append(answer)

    def look(self):
        for s in self.all:
            if s.id is None or s.active is not None or s.deleting:
                continue
            answer = self.call(s.key, "GET", f"/{s.id}")
            if answer is not None and answer.status != 200:
                self.wrong.append(answer)
            elif answer is not None and answer.json()["data"][0]["state"] == "active":
                s.active = time.monotonic()

    def run(self):
        while not self.over.wait(self.chance.random() * 0.25):
            if len(self.all) < len(self.keys) * AN_ACCOUNT and self.chance.random() < 0.3:
                self.create()
            old = [s for s in self.all if s.active is not None and not s.deleting]
            if len(old) > 4 and self.chance.random() < 0.15:
                self.delete(self.chance.choice(old))
            self.look()


class Kills(gatewaylib.Case):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        for slug in DATASETS:
            self.dataset(slug, self.rows(0), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.compile(out="site")
        self.chance = random.Random(SEED)

    def portal(self, tiers=None, **members):
        super().portal(tiers, **members)
        path = self.dir / "catalog" / "portal.json"
        portal = json.loads(path.read_text())
        for tier in portal["tiers"]:
            tier["webhooks"] = None
        path.write_text(json.dumps(portal))

    @staticmethod
    def rows(n):
        return f"kode,provinsi,luas\nA,31,{n + 2}\nB,32,{n}\nC,73,1\n"

    # ---- killing ----

    def tree(self, g):
        return [p for c in gatewaylib.children_of(g.process.pid) for p in (c, *gatewaylib.children_of(c))] + [g.process.pid]

    def kill_one(self, g):
        """The service, which serve starts again, or everything at once, in any order."""
        service = [p for p in gatewaylib.children_of(g.process.pid) if not is_nginx(p)]
        whole = self.chance.random() < 0.5
        victims = self.tree(g) if whole or not service else service
        self.chance.shuffle(victims)
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not whole and service:
            try:  # it waits longer each time; we do not
                wait_for("the service", lambda: [p for p in gatewaylib.children_of(g.process.pid) if p not in service and not is_nginx(p)], 1.6)
                return "service"
            except AssertionError:
                pass
        g.destroy()
        g.start(wait=False)
        return "tree"

    # ---- what must be so at the end ----

    def deliveries(self, s):
        """{id: (type, state)} of a subscription, of all pages."""
        found, query = {}, "?limit=100"
        while query:
            answer = self.gateway.get(f"/v1/webhooks/{s.id}/deliveries{query}", s.key)
            self.assertEqual(answer.status, 200, answer)
            document = answer.json()
            for d in document["data"]:
                self.assertNotIn(d["id"], found)
                found[d["id"]] = (d["type"], d["state"])
            following = document["links"]["next"]
            query = following and "?" + following.partition("?")[2]
        return found

    def log(self):
        """{event's key: (dataset, version)} by the site's releases.log."""
        found = {}
        for line in (self.dir / "site" / "releases.log").read_bytes().splitlines():
            digest = hashlib.sha256(line).hexdigest()
            found.update({f"{digest}/{k}": (c["dataset"], c["version"]) for k, c in enumerate(json.loads(line)["changes"], 1) if c["what"] == "published"})
        return found

    def check_messages(self, s, messages, log):
        """Each is of an event of the log that it asked for, signed, with the id that the event gives; {version: id}."""
        ids = {"msg_" + base62(int.from_bytes(hashlib.sha256(f"{key}\0{s.id}".encode()).digest()[:16], "big"), 22): of for key, of in log.items()}
        bodies, found = {}, {}
        for m in messages:
            if s.secret is not None:
                self.assertIsNone(webhooklib.verify(s.secret, m.headers, m.body, now=m.clock), m)
            self.assertEqual(bodies.setdefault(m.id, m.body), m.body, "two bodies of one id")
            self.assertEqual(ids.get(m.id), told(m), f"{s.path}: {m} is not in the log")
            self.assertIn(told(m)[0], s.about)
            self.assertEqual([r["changes"][0][k] for r in m.json()["data"]["resources"] for k in ("added", "removed", "changed")], [0, 0, 2])
            found[told(m)] = m.id
        return found

    def check(self, subscriber, publisher, receivers):
        log, here = self.log(), self.there(subscriber.keys)
        self.assertEqual(set(here) - {s.url for s in subscriber.all}, set(), "invented subscriptions")
        published = {(slug, version) for slug, version, _ in publisher.published}
        self.assertLessEqual(published, set(log.values()))
        came = collections.defaultdict(list)
        for r in receivers:
            for m in r.to():
                came[f"http://127.0.0.1:{r.port}{m.path}", m.type].append(m)
        self.assertEqual({kind for _, kind in came}, {"webhook.challenge", "dataset.version.published"})
        self.assertEqual({url for url, _ in came} - {s.url for s in subscriber.all}, set())
        complete = twice = 0
        for s in subscriber.all:
            row = here.get(s.url)
            if row is None:
                self.assertTrue(s.deleting or s.id is None, f"{s.path} was acknowledged and is gone")
            else:
                self.assertFalse(s.deleted, f"{s.path} was deleted and is there")
                self.assertIn(s.id, (None, row["id"]))
            if s.id is None and row is None:  # never acknowledged, and nothing of it is there
                self.assertEqual(came[s.url, "dataset.version.published"], [])
                continue
            s.id = row["id"] if row else s.id
            messages = came[s.url, "dataset.version.published"]
            found = self.check_messages(s, messages, log)
            twice += len(messages) - len(found)
            if row is None:
                continue
            listed = {ident: state for ident, (kind, state) in self.deliveries(s).items() if kind == "dataset.version.published"}
            self.assertEqual(listed, {ident: "delivered" for ident in found.values()}, s.path)
            if s.active is not None:
                wanted = {(slug, version) for slug, version, began in publisher.published if began > s.active and slug in s.about}
                self.assertLessEqual(wanted, set(found), f"{s.path} has lost messages")
                complete += len(wanted)
        return complete, twice

    def there(self, keys):
        """{url: row} of all that there are, acknowledged or not."""
        return {row["url"]: row for key in keys for row in self.gateway.get("/v1/webhooks", key).json()["data"]}

    def test_kills(self):
        chance = self.chance
        receivers = [Sometimes(random.Random(chance.random())) for _ in range(3)]
        for r in receivers:
            self.addCleanup(r.close)
        g = self.gateway = self.serve(self.dir / "site", "--webhook-loopback", workers=1)
        keys = [g.create_key("government") for _ in range(4 if DEEP else 2)]
        subscriber, publisher = Subscriber(g, keys, receivers, random.Random(chance.random())), Publisher(self, random.Random(chance.random()))
        wait_for("the first site to be known", lambda: "are known; what comes is told" in g.log_text())
        for _ in range(6):
            subscriber.create()
        wait_for("a subscription that is active", lambda: (subscriber.look(), any(s.active for s in subscriber.all))[1])
        subscriber.start()
        publisher.start()
        deaths = collections.Counter()
        try:
            for n in range(ROUNDS):
                time.sleep(chance.random() * chance.choice((0.1, 0.4, 0.8)))
                deaths[self.kill_one(g)] += 1
                for r in receivers:  # what fails last is sent again five seconds later
                    r.failing = DEEP or n < ROUNDS // 2
        finally:
            for thread in (publisher, subscriber):
                thread.over.set()
                thread.join()
        self.assertEqual((publisher.failure, subscriber.wrong), (None, []))
        if g.process.poll() is not None:
            g.destroy()
            g.start(wait=False)
        g.wait_ready()
        for r in receivers:
            r.failing = False
        wait_for("those that were acknowledged to be active", lambda: (subscriber.look(), all(s.active for s in subscriber.all if s.id and not s.deleting))[1])
        gone = [s for s in subscriber.all if s.deleted]
        last = len(publisher.published)
        publisher.publish(DATASETS)
        wanted = {(slug, version) for slug, version, _ in publisher.published[last:]}
        for s in subscriber.all:
            if s.active and not s.deleting:
                r = receivers[int(s.path[2:]) % len(receivers)]
                due = {v for v in wanted if v[0] in s.about}
                wait_for(f"the last versions at {s.path}", lambda: due <= set(map(told, r.to(s.path, "dataset.version.published"))))
        wait_for("nothing to wait", lambda: all(row["deliveries"]["pending"] == 0 for row in self.there(keys).values()), 90)
        complete, twice = self.check(subscriber, publisher, receivers)
        self.assertGreater(complete, len(wanted))
        for s in gone:
            r = receivers[int(s.path[2:]) % len(receivers)]
            self.assertEqual([m for m in r.to(s.path, "dataset.version.published") if told(m) in wanted], [])
        g.run("check")
        print(f"# seed {SEED}: {dict(deaths)} killed, {len(publisher.published)} versions, {len(subscriber.all)} subscriptions ({len(gone)} deleted), "
              f"{complete} messages due, {twice} came twice, {sum(r.failed for r in receivers)} failures", file=sys.stderr)
        self.assertEqual(g.stop(), 0)
        self.nothing_left(g)


if __name__ == "__main__":
    if DEEP:
        sys.argv.remove("deep")
    odp.main()
