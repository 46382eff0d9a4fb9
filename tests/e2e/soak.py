"""Twenty minutes (ODP_SOAK_SECONDS) of mixed traffic on two gateways that share keys and counts through Redis, the second a replica of the first:

    files       whole, in ranges, conditional, compressed; each answer must be, byte for byte, of a build that stood while it was asked for
    queries     filters, sorting, CQL2 by address and by body, CSV, GeoJSON, single records, and walks from page to page that must add up
    keys        registered, replaced, revoked at either machine; days of 150 requests spent to the end
    webhooks    subscriptions that come and go, receivers that verify and fail now and then, a new version every few switches
    sites       switched every 5 s by publish and rollback; the second machine pulls
    kill -9     of the first machine in the first half, of the second one in the second, at random moments, started again as systemd would

No wrong byte, no wrong count; memory and descriptors of what lives long enough are flat; no zombie, nothing left in a state folder, no secret in a log.
With the argument "short" the same in a few seconds. ODP_SEED: another course of events. The table is written to soak.json in the binary folder, too."""
import collections
import csv
import datetime
import hashlib
import io
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import traceback
import urllib.parse

import gatewaylib
import gateway_webhook_kills as kills
import odp
import soaklib
import webhooklib
from gatewaylib import wait_for
from soaklib import MIB, Account, Client, Machine

SHORT = "short" in sys.argv
SECONDS = float(os.environ.get("ODP_SOAK_SECONDS", "7" if SHORT else "1200"))
SEED = int(os.environ.get("ODP_SEED", "1"))
SWITCH = 1.0 if SHORT else 5.0          # seconds from switch to switch
NEW_VERSION = 3 if SHORT else 4         # every how many of them has new data
KILL = 1.5 if SHORT else min(25.0, SECONDS / 8)  # seconds from kill to kill, on the average
WARM = min(120.0, SECONDS / 8)          # seconds until memory is looked at, in the life of a process, too
DAY = 1000000000                        # requests of a key's day: never reached
SPENT = 150                             # requests of a key's day that are spent to the end
TIERS = [("public", DAY, 1000000), ("registered", SPENT, 1000000), ("government", None, 1000000)]
LEAST = {"file": 200, "walk": 50, "query": 50, "register": 10, "webhooks": 10}  # however slow the machine is
DATASETS = kills.DATASETS
ROWS = {"satu": 300, "dua": 1500}
FIRST_DAY = datetime.date(2024, 3, 15)
FIELDS = [{"name": "kode", "type": "string"}, {"name": "provinsi", "type": "string"}, {"name": "luas", "type": "number"}, {"name": "nilai", "type": "integer"}]
# A process that lives on may grow by this much while it is watched (a straight line through all its samples, over some eight minutes): bytes of its own, by
# role, and descriptors. The writer's service has four connections to its store, whose memory of pages (2 MiB each) fills as the store does; a worker may be
# given its first connections late.
GROWTH, GROWTH_FILES = {"service": 12 * MIB, "worker": 8 * MIB, "serve": 2 * MIB, "master": 2 * MIB}, 32
CODINGS = [((), None), (("gzip",), "gzip"), (("br",), "br"), (("gzip", "br"), "gzip, deflate, br"), (("gzip",), "gzip;q=0.8, br;q=0, *;q=0"), ((), "identity")]
FILTERS = [(None, lambda r: True), ("provinsi = '31'", lambda r: r["provinsi"] == "31"),
           ("luas > 10 AND provinsi IN ('31','35','40')", lambda r: r["luas"] > 10 and r["provinsi"] in ("31", "35", "40")),
           ("nilai BETWEEN 100 AND 400 OR NOT (luas < 25)", lambda r: 100 <= r["nilai"] <= 400 or r["luas"] >= 25),
           ("kode LIKE 'K001%' AND nilai <> 7", lambda r: r["kode"].startswith("K001") and r["nilai"] != 7), ("luas < 0", lambda r: False)]
SECRETS = re.compile(rb"odp_live_[0-9A-Za-z]{8}|whsec_[0-9A-Za-z+/]{8}")  # a shown part of a key has five characters


def version(n):
    return str(FIRST_DAY + datetime.timedelta(days=n))


def number_of(text):
    return (datetime.date.fromisoformat(text) - FIRST_DAY).days


def rows_of(slug, n):
    """The records of a version: those of province 31 always change, those of 73 never."""
    count, found = ROWS[slug], []
    for i in range(count + n * 13 % 40):
        province = str(31 + i % 43) if i < count else "35"
        moved = n if province == "31" or (i % 10 == 0 and province != "73") else 0
        found.append({"kode": f"K{i:05}", "provinsi": province, "luas": (i * 7 + moved) % 31 + 0.5, "nilai": i + moved})
    return found


def text_of(rows):
    return "kode,provinsi,luas,nilai\n" + "".join(f"{r['kode']},{r['provinsi']},{r['luas']},{r['nilai']}\n" for r in rows)


class Receiver(kills.Sometimes):
    """Remembers what it said to which message."""

    def plan(self, message):
        message.said = super().plan(message)
        return message.said


class Worker(threading.Thread):
    """Does STEP again and again until it is over; what goes wrong in it ends the soak."""

    def __init__(self, soak, step, pause, name):
        super().__init__(daemon=True, name=name)
        self.soak, self.step, self.pause = soak, step, pause
        self.chance = random.Random(f"{SEED} {name}")
        self.clients = [Client(m, soak.tally, soak.machines[0]) for m in soak.machines]

    def run(self):
        try:
            while not self.soak.over.is_set():
                if self.soak.calm.is_set():
                    for c in self.clients:
                        c.close()
                    self.soak.over.wait(0.05)
                    continue
                self.step(self)
                self.soak.over.wait(self.chance.random() * 2 * self.pause)
        except BaseException:  # told by the test's own thread
            self.soak.failures.append(f"{self.name}: {traceback.format_exc()}")
            self.soak.over.set()
        finally:
            for c in self.clients:
                c.close()

    def client(self):
        return self.chance.choice(self.clients)


class Soak(gatewaylib.Case):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not shutil.which("redis-server"):
            raise odp.unittest.SkipTest("redis-server is not installed")
        if not os.path.exists(gatewaylib.MODULE):
            raise odp.unittest.SkipTest("ngx_http_odp_module.so was not built: without it some answers are counted that are not counted here")

    # ---- sites ----

    def portal(self, tiers=None, **members):
        super().portal(tiers, **members)
        path = self.dir / "catalog" / "portal.json"
        portal = json.loads(path.read_text())
        for tier in portal["tiers"]:
            tier.update(webhooks=None, concurrent=100000)
        path.write_text(json.dumps(portal))

    def build(self, slugs):
        """A new version of SLUGS, published to the first machine's site."""
        for slug in slugs:
            self.newest[slug] += 1
            self.update(slug, version(self.newest[slug]), text_of(rows_of(slug, self.newest[slug])))
        self.odp("build", "--out", self.dir / "work", "--quiet")
        self.odp("publish", self.dir / "live", "--out", self.dir / "work", "--origin", "--quiet", *([] if (self.dir / "live").exists() else ["--first"]))
        self.sites.load((self.dir / "live").resolve())

    def pull(self):
        gatewaylib.run("pull", f"file://{(self.dir / 'live').resolve()}/", "--to", self.dir / "mirror")

    def make_sites(self):
        self.catalogue("kumuh")
        self.newest, self.published = dict.fromkeys(DATASETS, 0), []
        for slug in DATASETS:
            self.dataset(slug, text_of(rows_of(slug, 0)), FIELDS, {"schema": {"primaryKey": ["kode"]}}, **{"odp:lastUpdate": version(0)})
        self.portal(TIERS)
        for slugs in ((), DATASETS[:1], DATASETS):
            self.build(slugs)
        self.pull()
        self.paths = sorted(next(iter(self.sites.builds.values())).control)

    def switch(self, worker):
        """Every SWITCH seconds the site is another one, every few times with new versions; the other machine follows."""
        self.over.wait(max(0, self.next_switch - time.monotonic()))
        if self.over.is_set() or self.calm.is_set():
            return
        self.next_switch = max(self.next_switch + SWITCH, time.monotonic())
        self.switches += 1
        live = self.dir / "live"
        if self.switches % NEW_VERSION == 0:
            slugs, began = worker.chance.choice((DATASETS[:1], DATASETS[1:], DATASETS)), time.monotonic()
            self.build(slugs)
            self.published += [(slug, version(self.newest[slug]), began) for slug in slugs]
            # Gone back from at once, while nobody who tells was up, it would be told by the next build: it is waited for.
            due = {(slug, version(self.newest[slug])) for slug in slugs}
            wait_for(f"{due} to be told", lambda: due <= {kills.told(m) for m in self.canary.to("/canary", "dataset.version.published")}, 180, 0.1)
        else:
            current = os.readlink(live).split("/")[-1]
            kept = [b.name for b in (self.dir / "live.builds").iterdir() if re.fullmatch("[0-9a-f]{64}", b.name) and b.name != current]
            self.odp("rollback", "--to", worker.chance.choice(sorted(kept)), "--out", live, "--quiet")
        self.pull()

    # ---- files ----

    def read_file(self, w):
        c, chance = w.client(), w.chance
        path = chance.choice(self.popular) if chance.random() < 0.5 else chance.choice(self.paths)
        base = re.sub(r"\.(br|gz)$", "", path)
        build = c.machine.watch.now()
        keyed = any(b.control[base]["class"] == "keyed" for b in list(self.sites.builds.values()) if base in b.control)
        account = chance.choice(self.accounts)
        codings, accept = chance.choice(CODINGS)
        asked = {"codings": codings, "method": "HEAD" if chance.random() < 0.05 else "GET", "range": None, "if_range": None, "if_none_match": None}
        variants = build.variants(base) if base in build.control else {}
        tag = chance.choice([row["etag"] for _, row in variants.values()]) if variants else '"0"'
        size = int(build.control[base]["size"]) if variants else 100
        what = chance.random()
        if what < 0.2:
            asked["if_none_match"] = tag
        elif what < 0.45 and asked["method"] == "GET":
            a, b = sorted(chance.choices(range(size + 10), k=2))
            asked["range"] = "bytes=" + chance.choice((f"{a}-{b}", f"{a}-", f"-{a + 1}", f"0-{b // 9},{b + 20}-{b + 40}"))
            asked["if_range"] = tag if chance.random() < 0.3 else None
        # By a name that is not this machine's: for that links are the site's own, and the bytes those of the file.
        headers = [f"{n}: {v}" for n, v in (("Host", "x"), ("Accept-Encoding", accept), ("If-None-Match", asked["if_none_match"]), ("Range", asked["range"]),
                                            ("If-Range", asked["if_range"])) if v is not None]
        address = base
        if chance.random() < 0.3:  # other names of the same file
            folder = base.endswith("index.html") and "ogc" not in base  # there Accept chooses
            address = re.sub(r"(^|/)index\.html$", r"\1", base) if folder else re.sub(r"^(v1/\w+)\.json$", r"\1", base)
        if address.startswith("v1/") and chance.random() < 0.2:
            address = "api/" + address
        key = account.key if keyed or chance.random() < 0.3 else None
        answer = c.ask("file", "/" + urllib.parse.quote(address), account if key else None, key, keyed, asked["method"], headers)
        if answer is None:
            return
        self.judge_file(c, base, answer, asked)

    def judge_file(self, c, path, answer, asked):
        for patient in (False, True):  # the second time with what may have come in between
            reasons = {}
            for build in c.machine.watch.builds(answer.begin, answer.end, soaklib.SWITCH_SEEN, patient):
                reasons[build.digest[:8]] = soaklib.why_not_of(build, path, answer, asked)
                if reasons[build.digest[:8]] is None:
                    self.tally.compared(answer)
                    return
        behind = [(b[:8], round(answer.begin - since, 3), until and round(answer.begin - until, 3)) for b, since, until in c.machine.watch.stood[-6:]]
        others = [b.digest[:8] for b in self.sites.builds.values() if soaklib.why_not_of(b, path, answer, asked) is None]
        self.tally.fault("bytes", f"{c.machine.name} {path} {asked}: {answer.status} {answer.headers} {len(answer.body)} bytes: {reasons}; it is of {others}; "
                                  f"stood (from, until before the request's begin): {behind}")

    # ---- queries ----

    def expected(self, slug, of):
        with self.expect_lock:
            if (slug, of) not in self.rows:
                self.rows[slug, of] = rows_of(slug, number_of(of))
            return self.rows[slug, of]

    def names_a_version(self, c, slug, of, begin, end):
        """Notes how late an answer was that names version OF; one that no build has is wrong."""
        fits = lambda b: b.versions[slug] == of
        for seen, patient in ((0, False), (soaklib.QUERY_SEEN, True)):
            if any(map(fits, c.machine.watch.builds(begin, end, seen, patient))):
                behind = c.machine.watch.behind(begin, fits)
                self.tally.most("most seconds that a query was behind the site", round(behind, 3))
                return True
        self.tally.fault("bytes", f"{c.machine.name}: a query names {slug} {of}, which no build has that stood")
        return False

    def query(self, w, kind, c, path, account, **more):
        """An answer of 200; equal tags are equal bytes, on both machines."""
        answer = c.ask(kind, path, account, costs=True, **more)
        if answer is None or answer.status == 304:
            return answer
        if answer.status != 200:
            self.tally.fault("answers", f"{c.machine.name} {path}: {answer}")
            return None
        self.tally.compared(answer)
        tag = answer.get("etag")
        if tag is not None:
            # Where counting takes too long the number is null; once it is known it is not (docs/api.md).
            body = hashlib.sha256(re.sub(rb'"numberMatched":\w+,?|"total":\w+', b"", answer.body)).digest()
            with self.tally.lock:
                was = self.tags.setdefault(tag, body)
            if was != body:
                self.tally.fault("bytes", f"{c.machine.name} {path}: another answer with the tag {tag}")
        return answer

    def walk(self, w):
        """From page to page to the end, whatever is switched meanwhile: the records of one version, each once."""
        c, chance, account = w.client(), w.chance, w.chance.choice(self.accounts)
        slug, (text, wanted) = chance.choice(DATASETS), chance.choice(FILTERS)
        by, reverse = chance.choice((("luas", False), ("luas", True), ("nilai", True), ("kode", False)))
        parameters = {"limit": chance.choice((53, 211, 499)), "sortby": ("-" if reverse else "") + by, **({"filter": text} if text else {})}
        address = f"/v1/{slug}/search?" + urllib.parse.urlencode(parameters)
        got, of, pages, total = [], None, 0, None
        while address:
            answer = self.query(w, "walk", c, address, account)
            if answer is None:
                if self.over.is_set() or self.calm.is_set():
                    return
                continue
            document = answer.json()
            meta = document["meta"]
            if of is None:
                of = meta["version"]
                if not self.names_a_version(c, slug, of, answer.begin, answer.end):
                    return
            total = meta["total"] if total is None else total
            if meta["version"] != of or meta["total"] not in (None, total):
                self.tally.fault("bytes", f"{c.machine.name} {address}: page {pages} is of {meta}, the first of {of}, {total}")
                return
            got += document["data"]
            pages += 1
            following = document["links"]["next"]
            address = urllib.parse.urljoin(address, following) if following else None
        want = sorted((r for r in self.expected(slug, of) if wanted(r)), key=lambda r: r["kode"])
        want.sort(key=lambda r: r[by], reverse=reverse)
        if got != want or total not in (None, len(want)) or sum(r["nilai"] for r in got) != sum(r["nilai"] for r in want):
            self.tally.fault("bytes", f"{c.machine.name} {slug} {of} {parameters}: {len(got)} records in {pages} pages, {len(want)} wanted, total {total}")
        self.tally.note("walks to the end")
        self.tally.note("pages walked", pages)

    def query_once(self, w):
        c, chance, account = w.client(), w.chance, w.chance.choice(self.accounts)
        slug, (text, wanted) = chance.choice(DATASETS), chance.choice(FILTERS)
        what = chance.choice(("body", "csv", "one", "items", "bbox", "words", "known"))
        if what == "body":
            number = chance.randrange(400)
            both = [{"op": ">", "args": [{"property": "nilai"}, number]}, {"op": "=", "args": [{"property": "provinsi"}, "31"]}]
            document = {"filter": {"op": "and", "args": both}, "filter-lang": "cql2-json", "limit": 1000}
            answer = self.query(w, "query", c, f"/v1/{slug}/search", account, method="POST", headers=["Content-Type: application/json"],
                                body=json.dumps(document).encode())
            if answer is not None:
                self.records(c, slug, answer, lambda r: r["nilai"] > number and r["provinsi"] == "31")
        elif what == "csv":
            slug = "satu"  # one page has room for all of it
            answer = self.query(w, "query", c, f"/v1/{slug}/search.csv?" + urllib.parse.urlencode({"limit": 1000, "filter": text or "luas > 0"}), account)
            if answer is not None:
                got = [dict(r, luas=float(r["luas"]), nilai=int(r["nilai"])) for r in csv.DictReader(io.StringIO(answer.body.decode(), newline=""))]
                builds = c.machine.watch.builds(answer.begin, answer.end, soaklib.QUERY_SEEN, True)
                if not any(sorted(got, key=lambda r: r["kode"]) == [r for r in self.expected(slug, b.versions[slug]) if wanted(r)] for b in builds):
                    self.tally.fault("bytes", f"{c.machine.name} {slug}.csv {text}: {len(got)} records of no build that stood")
        elif what == "one":
            code = f"K{chance.randrange(ROWS[slug]):05}"
            answer = self.query(w, "query", c, f"/v1/{slug}/id/{code}", account)
            if answer is not None:
                self.records(c, slug, answer, lambda r: r["kode"] == code)
        elif what == "items":
            self.query(w, "query", c, f"/v1/ogc/collections/kumuh/items?limit={chance.choice((3, 30))}", account)
        elif what == "bbox":
            x, y = 95 + chance.randrange(40), -10 + chance.randrange(14)
            self.query(w, "query", c, f"/v1/kumuh.geojson?bbox={x},{y},{x + 5},{y + 5}&limit=50", account)
        elif what == "words":
            self.query(w, "query", c, f"/v1/kumuh?q={chance.choice(('kawasan', 'jakarta', 'berat', 'utara'))}&limit=20", account)
        else:
            path = f"/v1/{slug}?limit=5&sortby=-nilai"
            first = self.query(w, "query", c, path, account)
            if first is not None:
                again = self.query(w, "query", c, path, account, headers=[f"If-None-Match: {first.get('etag')}"])
                if again is not None and again.status == 304 and again.get("etag") != first.get("etag"):
                    self.tally.fault("bytes", f"{c.machine.name} {path}: 304 for {again.get('etag')}, asked with {first.get('etag')}")

    def records(self, c, slug, answer, wanted):
        document = answer.json()
        of = document["meta"]["version"]
        if not self.names_a_version(c, slug, of, answer.begin, answer.end):
            return
        want = [r for r in self.expected(slug, of) if wanted(r)]
        if sorted(document["data"], key=lambda r: r["kode"]) != want:
            self.tally.fault("bytes", f"{c.machine.name} {slug} {of}: {len(document['data'])} records, {len(want)} wanted")

    # ---- keys ----

    def act_on_keys(self, w):
        c, chance = w.client(), w.chance
        what = chance.random()
        live = self.holders[-200:]
        if what < 0.5 or len(live) < 5:
            name = secrets.token_hex(6)
            answer = c.ask("register", "/auth/register", method="POST", headers=["Content-Type: application/json"], writes=True,
                           body=json.dumps({"name": "Uji", "email": f"{name}@example.org"}).encode())
            if answer is None:
                self.unheard["register"] += 1
            elif self.said(answer, 201, "register"):
                a = Account(answer.json()["data"][0]["key"], "public", DAY)
                a.dead, a.old, a.rotations, a.at = [], [], 0, time.monotonic()  # keys that let nobody in any more; keys in their grace; the last act on it
                self.holders.append(a)
                self.registered.append(a)
                self.let_in(w, self.machines[0], a, a.key, True)
        elif what < 0.65:
            a = chance.choice([x for x in live if x.rotations < 3] or [self.holders[-1]])  # a day has a limit of its own
            a.rotations += 1
            grace = chance.choice((0, 24))
            self.holders.remove(a)  # nobody else acts on it meanwhile
            answer = c.ask("rotate", "/auth/rotate", None, a.key, method="POST", headers=["Content-Type: application/json"], writes=True,
                           body=json.dumps({"grace_hours": grace}).encode())
            if answer is None:
                self.unheard["rotate"] += 1
                a.key = None  # it may have been replaced, by a key that nobody knows
            elif self.said(answer, 201, "rotate"):
                (a.old if grace else a.dead).append(a.key)
                a.key, a.at = answer.json()["data"][0]["key"], time.monotonic()
                self.tally.note("keys replaced")
                self.holders.append(a)
                self.let_in(w, self.machines[0], a, a.key, True)
                if not grace:
                    self.let_in(w, self.machines[0], a, a.dead[-1], False)
        elif what < 0.75:
            a = chance.choice(live)
            self.holders.remove(a)
            answer = c.ask("revoke", "/auth/key", None, a.key, method="DELETE", writes=True)
            if answer is None:
                self.unheard["revoke"] += 1
                a.key = None
            elif self.said(answer, 200, "revoke"):
                a.dead.append(a.key)
                a.key, a.at = None, time.monotonic()
                self.tally.note("keys revoked")
                self.let_in(w, self.machines[0], a, a.dead[-1], False)
        else:
            a, now = chance.choice(self.registered[-400:]), time.monotonic()
            key = chance.choice([k for k in (a.key, *a.dead) if k] or [None])
            # The replica hears of it within half a second; here it is given half a minute in which nobody was killed.
            heard = now - a.at > 30 and not any(m.disturbed(now - 30, now) for m in self.machines)
            if key is not None:
                self.let_in(w, c.machine if heard else self.machines[0], a, key, key == a.key)
                self.tally.note("keys tried at the replica", heard and c.machine is self.machines[1])

    def said(self, answer, status, what):
        if answer.status == status:
            return True
        self.tally.fault("answers", f"{what}: {answer}")
        return False

    def let_in(self, w, machine, account, key, welcome):
        """At the writer an answered act on a key holds from the next request on."""
        c = next(c for c in w.clients if c.machine is machine)
        answer = c.ask("key", "/v1/satu", account, key, costs=True)
        if answer is None:
            return
        if (answer.status == 200) != welcome or answer.status not in (200, 401):
            self.tally.fault("answers", f"{machine.name}: a key that is {'alive' if welcome else 'dead'} gets {answer}")

    def spend_a_day(self, w):
        """All requests of a key's day, on one machine: as many as the tier says are let through, no more, whatever is killed."""
        if not self.small:
            return
        a, c = self.small.pop(), w.client()
        refused, patience = 0, 3 * SPENT + 500
        while refused < 5 and patience and not self.over.is_set():
            patience -= 1
            answer = c.ask("spend", "/v1/satu?limit=1" if patience % 7 == 0 else "/v1/satu", a, costs=True)
            if answer is not None and answer.status == 429:
                if a.total > SPENT or a.total + a.maybe < SPENT:
                    self.tally.fault("counts", f"{c.machine.name}: {a.total} let through, {a.maybe} not answered, {SPENT} allowed")
                refused += 1
            elif answer is not None and (answer.status != 200 or refused):
                self.tally.fault("counts", f"{c.machine.name}: after {a.total} of {SPENT} (and {refused} refusals): {answer}")
        if refused:
            self.spent.append((a, c.machine))
            self.tally.note("days spent to the end")

    def press(self, w):
        """wrk for a few seconds: pressure beside the rest, counted too."""
        c = w.client()
        a = self.pressing[c.machine.name]
        seconds = "1" if SHORT else "4"
        before = time.monotonic()
        done = subprocess.run(["nice", "-n", "10", "wrk", "-t1", "-c6", f"-d{seconds}s", "-H", f"Authorization: Bearer {a.key}",
                               f"http://127.0.0.1:{c.machine.gateway.port}/v1/satu"], capture_output=True, text=True)
        count = re.search(r"(\d+) requests in", done.stdout)
        if count is None:
            if not c.machine.disturbed(before, time.monotonic()):
                self.tally.fault("answers", f"wrk: {done.stdout} {done.stderr}")
            return
        count, other = int(count.group(1)), re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
        broken = re.search(r"Socket errors: connect \d+, read (\d+), write (\d+), timeout (\d+)", done.stdout)
        other, broken = int(other.group(1)) if other else 0, sum(map(int, broken.groups())) if broken else 0
        if (other or broken) and not c.machine.disturbed(before, time.monotonic()):
            self.tally.fault("answers", f"wrk: {done.stdout}")
        with self.tally.lock:
            a.sure[c.machine.name] += count - other
            a.maybe += broken + 6 + other
            self.tally.kinds["wrk"] += count
            self.tally.statuses["wrk", "200"] += count - other
            self.tally.statuses["wrk", "other"] += other

    # ---- webhooks ----

    def subscribe(self, w):
        """Subscriptions come, go, and get other secrets; which have become active is looked at."""
        c, chance = w.client(), w.chance
        active = [s for s in self.subscriptions[1:] if s.active is not None and not s.deleting]
        what, n = chance.random(), len(self.subscriptions)
        if what < 0.3 and n < len(self.owners) * kills.AN_ACCOUNT and len(active) < 40:
            self.create_subscription(c, kills.WANTS[n % len(kills.WANTS)], f"/s{n}", self.receivers[n % len(self.receivers)])
        elif what < 0.4 and len(active) > 4:
            s = chance.choice(active)
            s.deleting = True
            answer = c.ask("webhooks", f"/v1/webhooks/{s.id}", None, s.key, method="DELETE", writes=True)
            s.deleted = answer is not None and answer.status in (200, 404)
            if answer is not None and not s.deleted:
                self.tally.fault("answers", f"deleting {s.path}: {answer}")
        elif what < 0.45 and active:
            s = chance.choice(active)
            answer = c.ask("webhooks", f"/v1/webhooks/{s.id}/rotate-secret", None, s.key, method="POST", headers=["Content-Type: application/json"],
                           body=b'{"grace_hours":24}', writes=True)
            if answer is not None and self.said(answer, 200, "rotate-secret"):
                s.secrets.append(answer.json()["data"][0]["secret"])
        else:
            for s in self.subscriptions:
                if s.id is not None and s.active is None and not s.deleting:
                    self.look(c, s)

    def create_subscription(self, c, want, path, receiver):
        about, fields = want
        s = kills.Subscription(path, receiver.url(path), self.owners[len(self.subscriptions) // kills.AN_ACCOUNT].key, about, fields)
        s.secrets = []
        self.subscriptions.append(s)
        answer = c.ask("webhooks", "/v1/webhooks", None, s.key, method="POST", headers=["Content-Type: application/json"], writes=True,
                       body=json.dumps({"url": s.url, "events": ["dataset.version.published"], **fields}).encode())
        if answer is not None and self.said(answer, 201, "subscribe"):
            s.id = answer.json()["data"][0]["id"]
            s.secrets.append(answer.json()["data"][0]["secret"])
        return s

    def look(self, c, s):
        answer = c.ask("webhooks", f"/v1/webhooks/{s.id}", None, s.key, writes=True)
        if answer is not None and self.said(answer, 200, "subscription") and answer.json()["data"][0]["state"] == "active":
            s.active = time.monotonic()
        return s.active

    # ---- killing, logs ----

    def kill(self, chance):
        """The first machine in the first half, the second one in the second. The test's own thread does it: with die_with_parent, what a thread has
        started ends with that thread."""
        half = time.monotonic() - self.began > SECONDS / 2 and self.machines[0].kills
        for r in self.receivers:  # what fails last is sent again five seconds later
            r.failing = not SHORT and time.monotonic() - self.began < SECONDS * 0.9
        self.over.wait(chance.uniform(0.5, 1.5) * KILL)
        if not self.over.is_set():
            self.machines[bool(half)].kill(chance.choice(("serve", "serve", "all", "service", "worker", "master")), chance)

    def rotate_logs(self, w):
        """As logrotate does: renamed, opened anew by SIGUSR1. What is in the old one is looked at."""
        self.over.wait(3 if SHORT else 45)
        for m in self.machines:
            log = m.gateway.state / "nginx/access.log"
            old = log.with_name("access.log.1")
            try:
                if old.exists():
                    self.look_at_log(old)
                    old.unlink()
                    self.tally.note("access logs turned")
                log.rename(old)
                m.gateway.process.send_signal(signal.SIGUSR1)
            except (FileNotFoundError, ProcessLookupError):
                pass

    def look_at_log(self, path):
        data = path.read_bytes()
        for found in SECRETS.finditer(data):
            self.tally.fault("answers", f"a secret in {path.name}: {data[max(0, found.start() - 200):found.end()]!r}")
        for secret in self.secrets:
            if secret in data:
                self.tally.fault("answers", f"a secret of a file in {path.name}")
        self.tally.note("bytes of logs looked at", len(data))
        return data

    # ---- the whole ----

    def start(self):
        self.secrets = [secrets.token_hex(32).encode(), secrets.token_hex(16).encode()]
        for name, secret in zip(("cursor.secret", "redis.secret"), self.secrets):
            (self.dir / name).write_bytes(secret + b"\n")
            (self.dir / name).chmod(0o600)
        self.redis = soaklib.Redis(self.dir, self.secrets[1].decode())
        self.addCleanup(self.redis.stop)
        # The memory for answers is full soon, so that answers leave it, too.
        options = ["--registrations", "1000000", "--redis", f"unix:{self.redis.path}", "--redis-secret", self.dir / "redis.secret",
                   "--cursor-secret", self.dir / "cursor.secret", "--query-time", "60000", "--query-cache", "4m", "--webhook-loopback"]
        a = self.serve(self.dir / "live", *options, "--machine", "a", state="state-a", workers=2)
        b = self.serve(self.dir / "mirror", *options, "--machine", "b", "--writer", a.url(), state="state-b", workers=2)
        self.machines = [Machine("a", a, self.dir / "live", self.sites), Machine("b", b, self.dir / "mirror", self.sites)]
        if not SHORT:  # what a state folder holds after a clean end
            for g in (b, a):
                self.assertEqual(g.stop(), 0, g.log_text())
            self.clean = {g: self.files_of(g) for g in (a, b)}
            for g in (a, b):
                g.start()
        self.created = 0

        def create(tier, daily):
            self.created += 1
            return Account(a.create_key(tier), tier, daily)
        self.accounts = [create("public", DAY) for _ in range(6)]
        self.owners = [create("government", None) for _ in range(2 if SHORT else 6)]
        self.small = [create("registered", SPENT) for _ in range(4 if SHORT else int(SECONDS / 20))]
        self.pressing = {m.name: create("public", DAY) for m in self.machines}
        for account in (*self.accounts, *self.owners, *self.small, *self.pressing.values()):
            wait_for("the keys at the replica", lambda: b.get("/auth/key", account.key).status == 200 and self.accepts(b, account.key))
        wait_for("the first site to be known", lambda: "are known; what comes is told" in a.log_text())

    def accepts(self, gateway, key):
        """Whether it lets the key in; costs nothing, since the file has not changed."""
        for _ in range(100):
            tag = self.sites.load(gateway.site.resolve()).control["v1/satu.json"]["etag"]
            answer = gateway.get("/v1/satu", key, headers=[f"If-None-Match: {tag}"])
            if answer.status != 200:
                return answer.status in (304, 429)
            time.sleep(0.1)  # it has just been switched
        self.fail("the site never stands still")

    def files_of(self, gateway):
        """The files of a state folder, numbers left out."""
        return {re.sub(r"index-.*\.sqlite$", "index", str(p.relative_to(gateway.state))) for p in gateway.state.rglob("*")}

    def test_soak(self):
        print(f"# seed {SEED}, {SECONDS:.0f} s", file=sys.stderr)
        self.sites, self.tally = soaklib.Sites(), soaklib.Tally()
        self.tags, self.rows, self.expect_lock, self.failures = {}, {}, threading.Lock(), []
        self.over, self.calm = threading.Event(), threading.Event()
        self.holders, self.registered, self.spent, self.unheard, self.switches = [], [], [], collections.Counter(), 0
        self.make_sites()
        self.popular = [p for p in self.paths if re.match(r"v1/(satu|dua|kumuh|index)[./]|data/\w+/latest/\w+\.(csv|json)|index\.html", p)]
        self.start()
        for m in self.machines:
            m.watch.start()
            self.addCleanup(m.watch.over.set)
        chance = random.Random(SEED)
        self.canary = Receiver(random.Random(0))
        self.canary.failing = False
        self.receivers = [Receiver(random.Random(chance.random())) for _ in range(3)]
        for r in (self.canary, *self.receivers):
            self.addCleanup(r.close)
        self.subscriptions = []
        client = Client(self.machines[0], self.tally, self.machines[0])
        s = self.create_subscription(client, kills.WANTS[0], "/canary", self.canary)
        wait_for("a subscription that is active", lambda: self.look(client, s))
        client.close()
        self.traffic()
        self.settle()
        self.finish()

    def traffic(self):
        self.began = self.next_switch = time.monotonic()
        sampler = soaklib.Sampler(self.machines, 0.25 if SHORT else 1.0)
        self.sampler = sampler
        steps = [(self.read_file, 0.002, f"files {n}") for n in range(3)] + [(self.walk, 0.005, f"walk {n}") for n in range(2)]
        steps += [(self.query_once, 0.01, "queries"), (self.act_on_keys, 0.15, "keys"), (self.spend_a_day, 0.5 if SHORT else 15, "spending"),
                  (self.subscribe, 0.2 if SHORT else 1.5, "subscribing"), (self.switch, 0, "switching"), (self.rotate_logs, 0, "logs")]
        if shutil.which("wrk"):
            steps.append((self.press, 1 if SHORT else 15, "pressing"))
        workers = [Worker(self, *step) for step in steps]
        for t in (sampler, *workers):
            t.start()
        try:
            if not SHORT:
                self.over.wait(WARM)
                self.files_before = self.rest(workers)
            chance = random.Random(f"{SEED} kills")
            while not self.over.is_set():
                enough = all(m.kills for m in self.machines) and self.switches > 4 and self.spent and all(self.tally.kinds[k] > n for k, n in LEAST.items())
                if sum(self.tally.wrong_count.values()) > 40 or (time.monotonic() - self.began > SECONDS and enough):
                    break
                self.assertLess(time.monotonic() - self.began, SECONDS * 3 + 300, "it does not come to its end")
                self.kill(chance)
        finally:
            self.lasted = time.monotonic() - self.began
            self.over.set()
            for t in workers:
                t.join()
            sampler.over.set()
            sampler.join()

    def open_files(self):
        """{(machine, role): what it has open}, with nobody connected."""
        found = {}
        for m in self.machines:
            for pid, role in m.roles().items():
                found.setdefault((m.name, role), []).append(soaklib.kinds_of_files(pid))
        return found

    def rest(self, workers):
        """A pause in which nobody asks, to see what stays open."""
        self.calm.set()
        time.sleep(3)
        found = self.open_files()
        self.calm.clear()
        return found

    # ---- what must be so at the end ----

    def settle(self):
        self.assertEqual(self.failures, [])
        for m in self.machines:
            self.assertIsNone(m.gateway.process.poll(), m.gateway.log_text()[-2000:])
            wait_for(f"{m.name} to work", m.works, 120)
        for r in self.receivers:
            r.failing = False
        time.sleep(1 if SHORT else 3)
        self.files_after = self.open_files()

    def finish(self):
        a, b = (m.gateway for m in self.machines)
        self.check_keys(a, b)
        self.check_counts(a)
        self.check_webhooks(a)
        for m in self.machines:
            m.watch.over.set()
        for g in (a, b):
            g.run("check")
        ends = [g.stop() for g in (b, a)]
        logs = {m.name: self.check_logs(m) for m in self.machines}
        for m in self.machines:  # of our own making
            (m.gateway.state / "nginx/access.log.1").unlink(missing_ok=True)
        left = {m.name: sorted(self.files_of(m.gateway) - self.clean[m.gateway]) for m in self.machines} if not SHORT else {}
        report = self.report(logs)
        self.write(report)
        for sort, faults in self.tally.wrong.items():
            print("".join(f"  WRONG {sort}: {fault}\n" for fault in faults), end="", file=sys.stderr)
        self.assertEqual({sort: faults for sort, faults in self.tally.wrong.items() if faults}, {})
        self.assertEqual(ends, [0, 0])
        self.assertEqual({n: f for n, f in left.items() if f}, {}, "left in a state folder")
        self.nothing_left(a)
        self.nothing_left(b)
        self.assertEqual(self.sampler.zombies, [])
        self.assertEqual({n: lines for n, lines in logs.items() if lines}, {}, "unexpected in a log")
        self.assertEqual([row for row in report["processes"] if row.get("grows")], [], "memory or descriptors are not flat")
        for name in ("walks to the end", "days spent to the end", "webhooks: messages due"):
            self.assertGreater(self.tally.notes[name], 0, name)

    def check_keys(self, a, b):
        """What was acknowledged is there, on both machines."""
        for gateway in (a, b):
            for account in self.registered:
                alive = [account.key, *account.old] if account.key else []
                for key, welcome in [(k, True) for k in alive] + [(k, False) for k in account.dead]:
                    try:
                        wait_for("it", lambda: self.accepts(gateway, key) == welcome)
                    except AssertionError:
                        self.tally.fault("counts", f"{gateway.state.name}: {key[:14]} is {'refused' if welcome else 'let in'}")
        db = sqlite3.connect(f"file:{a.state}/store.sqlite?mode=ro", uri=True, timeout=30)
        holders = db.execute("SELECT count(*) FROM holder").fetchone()[0] - self.created
        db.close()
        if not len(self.registered) <= holders <= len(self.registered) + self.unheard["register"]:
            self.tally.fault("counts", f"{holders} holders, {len(self.registered)} registrations answered, {self.unheard['register']} not")

    def check_counts(self, a):
        """Of each account: what was acknowledged, and no more than what may have been counted when a connection broke."""
        every = [*self.accounts, *self.owners, *self.pressing.values(), *(s for s, _ in self.spent), *(r for r in self.registered if r.key)]
        for account in every:
            # Asked for twice with a pause where it is short: counts of the other machine come within moments.
            def used():
                row = a.get("/auth/key", account.key).json()["data"][0]
                self.used = sum(day["requests"] for day in row["usage"])
                return account.total <= self.used
            try:
                wait_for("counts", used)
            except AssertionError:
                pass
            if not account.total <= self.used <= account.total + account.maybe:
                self.tally.fault("counts", f"{account.key[:14]} ({account.tier}): {self.used} counted, {account.total} answered, {account.maybe} perhaps")
            self.tally.note("requests counted by the gateways", self.used)
            self.tally.note("requests acknowledged", account.total)
            if account not in self.pressing.values():  # wrk tells broken connections, not broken requests
                self.tally.note("requests not answered, perhaps counted", account.maybe)
        # By key and by dataset, of all machines, as operators see it. What is not there is of no dataset.
        every = [*every, *self.small, *(r for r in self.registered if not r.key)]
        total, maybe = sum(x.total for x in every), sum(x.maybe for x in every)
        nowhere = self.tally.statuses["file", "404"]
        # The other machine tells those by dataset at other moments than those by key: short is only what stays short.
        try:
            wait_for("counts", lambda: a.counted()[0] >= total and a.counted()[1] >= total - nowhere)
        except AssertionError:
            pass
        keys, datasets = a.settled(total)
        self.tally.note("requests in the store, by key", keys)
        self.tally.note("requests in the store, by dataset", datasets)
        if not total <= keys <= total + maybe or not total - nowhere <= datasets <= total - nowhere + maybe:
            self.tally.fault("counts", f"in the store {keys} by key, {datasets} by dataset; {total} answered, {nowhere} of them 404, {maybe} perhaps")
        for account, machine in self.spent:
            for m in self.machines:
                try:  # the other machine knows it soon
                    wait_for("the day to be over", lambda: m.gateway.get("/v1/satu", account.key).status == 429)
                except AssertionError:
                    self.tally.fault("counts", f"{m.name} lets in {account.key[:14]}, whose day was spent on {machine.name}")

    def check_webhooks(self, a):
        """Every version's message has come to every subscription that was there, once, or again for a documented reason."""
        log, writer = {}, self.machines[0]
        for line in (self.dir / "work/releases.log").read_bytes().splitlines():
            digest = hashlib.sha256(line).hexdigest()
            log.update({f"{digest}/{k}": (c["dataset"], c["version"]) for k, c in enumerate(json.loads(line)["changes"], 1) if c["what"] == "published"})
        rows = lambda: {row["url"]: row for owner in self.owners for row in a.get("/v1/webhooks", owner.key).json()["data"]}
        wait_for("nothing to wait", lambda: all(row["deliveries"]["pending"] == 0 for row in rows().values()), 180, 0.2)
        here = rows()
        fault = lambda text: self.tally.fault("counts", f"webhooks: {text}")
        came = collections.defaultdict(list)
        for r in (self.canary, *self.receivers):
            for m in r.to():
                came[f"http://127.0.0.1:{r.port}{m.path}"].append(m)
        for s in self.subscriptions:
            row = here.get(s.url)
            if (row is None and s.id is not None and not s.deleting) or (row is not None and s.deleted):
                fault(f"{s.path} was {'deleted and is there' if s.deleted else 'acknowledged and is gone'}")
            ident = s.id or (row and row["id"])
            if ident is None:
                continue
            ids = {"msg_" + kills.base62(int.from_bytes(hashlib.sha256(f"{key}\0{ident}".encode()).digest()[:16], "big"), 22): of for key, of in log.items()}
            first, found = {}, set()
            for m in came[s.url]:
                if s.secrets and webhooklib.verify(s.secrets, m.headers, m.body, now=m.clock) is not None:
                    fault(f"{s.path}: {webhooklib.verify(s.secrets, m.headers, m.body, now=m.clock)}")
                self.tally.note(f"webhooks: {m.type}")
                if m.type != "dataset.version.published":
                    continue
                if ids.get(m.id) != kills.told(m) or kills.told(m)[0] not in s.about:
                    fault(f"{s.path}: {m} was not asked for")
                found.add(kills.told(m))
                before = first.get(m.id)
                first[m.id] = m
                if before is not None:
                    killed = any(before.at - 1 <= at <= m.at for at, _ in writer.kills)
                    self.tally.note("webhooks: came again after a kill" if before.said == "ok" else "webhooks: came again after a failure")
                    if before.body != m.body or (before.said == "ok" and not killed):
                        fault(f"{s.path}: {m} came twice")
            if row is not None and s.active is not None:
                wanted = {(slug, of) for slug, of, began in self.published if began > s.active and slug in s.about}
                self.tally.note("webhooks: messages due", len(wanted))
                if wanted - found:
                    fault(f"{s.path} has lost {sorted(wanted - found)}")

    # What a log may say whenever: of a trial, and by which signal we have ended a worker (serve's own words quote nginx's last ones, with its level).
    ALWAYS = [r"warning: this runs as root", r"warning: --webhook-loopback"]
    # What it may say in the moments when its machine, or the writer, is away.
    AWAY = [r"connect\(\) .*failed \((2|111): .*while connecting to upstream", r"upstream prematurely closed connection",
            r"recv\(\) failed \(104: .*upstream", r"(send|writev)\(\) failed \(32: ", r"the service has ended; reads go on",
            r"nginx has ended; its last words", r"exited on signal 9", r"the writer is not reachable"]

    def expected_line(self, machine, line):
        if any(re.search(pattern, line) for pattern in self.ALWAYS):
            return True
        at = re.search(r"(\d{4})[/-](\d\d)[/-](\d\d)[ T](\d\d):(\d\d):(\d\d)(Z?)", line)
        if at is None or not any(re.search(pattern, line) for pattern in self.AWAY):
            return False
        moment = datetime.datetime(*map(int, at.groups()[:6]))
        moment = moment.replace(tzinfo=datetime.timezone.utc).timestamp() if at.group(7) else moment.timestamp()
        moment += time.monotonic() - time.time()  # whole seconds, of another clock
        return any(m.disturbed(moment - 1, moment + 2, 2) for m in (machine, self.machines[0]))

    def check_logs(self, machine):
        """Lines that should not be there."""
        found, state = [], machine.gateway.state
        for name in ("webhook.key", "cursor.key"):
            self.secrets += [word for word in (state / name).read_bytes().split() if len(word) >= 32] if (state / name).exists() else []
        for path in [machine.gateway.log_path, *state.rglob("*.log"), *state.rglob("*.log.1")]:
            data = self.look_at_log(path)
            if path.name.startswith("access.log"):
                for line in data.splitlines():
                    try:
                        json.loads(line)
                    except ValueError:
                        found.append(f"{path.name}: {line[:300]!r}")
                continue
            for line in data.decode(errors="replace").splitlines():
                if re.search(r"(^|[ Z])(warning|error)[ :]|\[(warn|error|crit|alert|emerg)\]|(?i:sanitizer|runtime error|segmentation|assert)", line):
                    if self.expected_line(machine, line):
                        self.tally.note("lines in logs about what was killed")
                    else:
                        found.append(f"{path.name}: {line[:400]}")
        return list(dict.fromkeys(found))[:20]

    # ---- the table ----

    def processes(self):
        rows = []
        for s in self.sampler.series.values():
            points = s.after(s.at[0] + WARM)
            row = {"machine": s.machine, "role": s.role, "lived_s": round(s.at[-1] - s.at[0]), "samples": len(points["own"])}
            watched = points["own"][-1][0] - points["own"][0][0] if points["own"] else 0
            if len(points["own"]) < 30:
                continue
            for name, values in points.items():
                ys = [y for _, y in values]
                begin, end = sum(ys[:10]) / 10, sum(ys[-10:]) / 10
                unit, digits = (1, 1) if name == "files" else (MIB, 2)
                row[name] = {"begin": round(begin / unit, digits), "end": round(end / unit, digits),
                             "per_hour": round(soaklib.slope(values) * 3600 / unit, digits), "growth": round(soaklib.slope(values) * watched / unit, digits)}
            row["watched_s"] = round(watched)
            if not SHORT and not gatewaylib.sanitized():  # the sanitizers keep what was freed
                row["grows"] = watched > 180 and WARM >= 120 and (row["own"]["growth"] * MIB > GROWTH[s.role] or row["files"]["growth"] > GROWTH_FILES)
            rows.append(row)
        return sorted(rows, key=lambda r: (r["machine"], r["role"], -r["watched_s"]))

    def report(self, logs):
        t = self.tally
        return {"seed": SEED, "seconds": round(self.lasted, 1), "requests": dict(t.kinds), "all_requests": sum(t.kinds.values()),
                "statuses": {kind: {s: n for (k, s), n in sorted(t.statuses.items()) if k == kind} for kind in sorted(t.kinds)},
                "bytes_compared": t.bytes, "switches": {m.name: len(m.watch.stood) - 1 for m in self.machines}, "versions": len(self.published),
                "kills": {m.name: dict(collections.Counter(what for _, what in m.kills)) for m in self.machines},
                "away_s": {m.name: round(sum(e - s for s, e in m.away), 1) for m in self.machines},
                "registered": len(self.registered), "acts_not_answered": dict(self.unheard), "subscriptions": len(self.subscriptions),
                "notes": dict(sorted(t.notes.items())), "wrong": dict(t.wrong_count), "zombies": len(self.sampler.zombies), "processes": self.processes(),
                "open_files": {f"{m} {role}": [list(map(dict, side.get((m, role), []))) for side in (getattr(self, "files_before", {}), self.files_after)]
                               for m, role in self.files_after}}

    def write(self, report):
        if gatewaylib.BINARY_DIR.is_dir():
            (gatewaylib.BINARY_DIR / ("soak_short.json" if SHORT else "soak.json")).write_text(json.dumps(report, indent=1) + "\n")
        say = lambda text="": print(text, file=sys.stderr)
        say(f"\n{report['all_requests']} requests in {report['seconds']} s (seed {report['seed']})")
        for kind, n in sorted(report["requests"].items()):
            say(f"  {kind:10} {n:9}   " + "  ".join(f"{s}: {k}" for s, k in report["statuses"][kind].items()))
        for name in ("bytes_compared", "switches", "versions", "kills", "away_s", "registered", "acts_not_answered", "subscriptions"):
            say(f"  {name.replace('_', ' '):45} {report[name]}")
        for name, n in report["notes"].items():
            say(f"  {name:45} {n}")
        say(f"  {'wrong bytes, counts, answers':45} {[report['wrong'].get(k, 0) for k in ('bytes', 'counts', 'answers')]}, zombies {report['zombies']}")
        say(f"  {'process (watched after warm-up)':32} {'RSS MiB':>18} {'PSS MiB':>18} {'own MiB':>18} {'own MiB/h':>10} {'descriptors':>16}")
        for row in report["processes"]:
            pairs = [f"{row[k]['begin']:>8} {row[k]['end']:>8}" for k in ("rss", "pss", "own")]
            say(f"  {row['machine']} {row['role']:8} {row['watched_s']:5} s of {row['lived_s']:5} s   " + "  ".join(pairs) + f" {row['own']['per_hour']:>10}"
                f" {row['files']['begin']:>8} {row['files']['end']:>7}" + ("  GROWS" if row.get("grows") else ""))


if __name__ == "__main__":
    if SHORT:
        sys.argv.remove("short")
    gatewaylib.main()
