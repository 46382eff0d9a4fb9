"""A running gateway while memory, the disk, SQLite, threads, sockets and nginx's pools fail: the Nth call of every kind, once or from then on, during registrations,
rotations, revocations, the operator's acts, counts, backups, switches of the site, reloads, `pull` and reads. One gateway lives through all of it. Nothing that was
acknowledged is lost, also after a restart; what was refused has not happened; nobody is let in; each failure is a problem document and a sentence in the log. `full`
takes a sample; `deep` (ODP_FAULT_ALL=1) takes all Ns, or 400 of a kind that has more."""
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import gatewaylib  # noqa: E402
import gatewayshimlib  # noqa: E402
import webhooklib  # noqa: E402
from gatewaylib import Connection, wait_for  # noqa: E402
from gatewayshimlib import EVERYBODY, MASTER, PARENT, SERVICE, WORKER  # noqa: E402

ALL = bool(os.environ.get("ODP_FAULT_ALL"))
MOST, SAMPLE = 400, int(os.environ.get("ODP_FAULT_SAMPLE", "1"))
SEED = int(os.environ.get("ODP_FAULT_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
TIERS = [("public", 1000000, 1000000), ("government", None, 1000000)]
STORE = "alloc json crypto sqlalloc open sqlopen read sqlread write sqlwrite fsync sqlsync map sqlmap resize sqlresize random stat".split()
TRANSPORT = "http thread descriptor".split()  # where the answer is lost, or headers of it: what happened may not be known to the client


class Faults(gatewaylib.Case):
    KINDS = STORE + TRANSPORT
    ROLES = SERVICE
    ATTEMPTS = 0
    OPTIONS = ()

    def setUp(self):
        super().setUp()
        gatewayshimlib.needs_shim()
        self.random = random.Random(SEED)
        self.shim = gatewayshimlib.Shim(self.dir, self.dir / "state")
        self.site = self.small_site(tiers=TIERS)
        self.g = self.serve(self.site, "--registrations", "1000000", *self.OPTIONS, workers=1, env=self.shim.env())
        self.key = self.g.create_key("government")
        self.revoked = self.g.create_key("government")
        self.assertEqual(self.g.get("/auth/key", self.revoked, method="DELETE").status, 200)
        self.page = self.g.get("/v1/kumuh", self.key).body
        self.tried, self.survived, self.unsure, self.let_in, self.half, self.lost = {}, 0, 0, [], [], []
        self.good, self.dead = [self.key], [self.revoked]
        self.store = sqlite3.connect(f"file:{self.g.state}/store.sqlite?mode=ro", uri=True, timeout=30)
        self.addCleanup(self.store.close)

    patience = 15  # seconds; less where no call succeeds any more, and nothing is to be waited for

    def ask(self, path, key=None, method="GET", document=None):
        """An answer, or None where there was none."""
        connection = Connection(self.g.port, self.patience)
        headers = ["Connection: close"] + (["Content-Type: application/json"] if document is not None else [])
        try:
            return connection.get(path, key, method=method, headers=headers, body=json.dumps(document).encode() if document is not None else b"")
        except (OSError, AssertionError, Connection.Unanswered):
            return None
        finally:
            connection.close()

    def admin(self, command, **arguments):
        """What the control socket answers to an operator's command; None: nothing."""
        connection = gatewayshimlib.Client(self.g.state / "run" / "control.sock", self.patience)
        try:
            answer = connection.get("/admin", method="POST", headers=["Connection: close", "Content-Type: application/json"],
                                    body=json.dumps({"command": command, "lang": "en", **arguments}).encode())
            return answer
        except (OSError, AssertionError, Connection.Unanswered):
            return None
        finally:
            connection.close()

    @contextlib.contextmanager
    def sound(self):
        """Meanwhile nothing fails and nothing is counted."""
        kind, calls = self.shim.get("kind"), self.shim.get("calls")
        self.shim.set("kind", -1)
        yield
        self.shim.set("calls", calls)
        self.shim.set("kind", kind)

    def fresh(self):
        """A key to act on, made by a sound machine."""
        self.ATTEMPTS += 1
        with self.sound():
            return self.admin("keys.create", name="Uji", email=f"k{self.ATTEMPTS}@example.org", tier="government").json()["data"][0]["key"]

    def rows(self, sql, *values):
        return self.store.execute(sql, values).fetchall()

    def well(self, what):
        """An honest client gets everything, a stranger nothing."""
        def check():
            page, key, tiers = self.ask("/v1/kumuh", self.key), self.ask("/auth/key", self.key), self.ask("/auth/tiers")
            return None not in (page, key, tiers) and (page.status, page.body, key.status, tiers.status) == (200, self.page, 200, 200)
        try:
            wait_for("the gateway to be well", check, 40)
        except AssertionError:
            self.fail(f"{what}: the gateway is not well after it\n{self.g.log_text()[-3000:]}\n{self.errors()[-1500:]}")
        self.assertIsNone(self.g.process.poll(), what)
        self.strangers(what)
        self.survived += 1

    def strangers(self, what):
        for key in (self.revoked, gatewaylib.make_key(), None):
            answer = self.ask("/v1/kumuh", key)
            if answer is not None and (answer.status < 400 or self.page[:60] in answer.body):
                self.let_in.append((what, answer))

    def errors(self):
        path = self.g.state / "nginx" / "error.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def refused(self, answer, what):
        """A refusal is a problem document; without memory for that its status has to do."""
        if answer is None:
            return
        self.assertGreaterEqual(answer.status, 400, what)
        if answer.get("content-type") == "application/problem+json" and (answer.body or "alloc" not in what):
            self.assertEqual(answer.json()["status"], answer.status, what)

    def each(self, act, after, kinds=None, most=MOST):
        """ACT under each fault; AFTER(its result, transport, what) says whether it is right."""
        self.shim.count_all(self.ROLES)
        answer = act()
        counts = self.shim.counts()
        after(answer, False, "without a fault")
        print(f"\nseed {SEED}; {({k: v for k, v in counts.items() if v})}", file=sys.stderr)
        for kind in kinds or self.KINDS:
            ns = gatewayshimlib.points(self.random, counts[kind] + 2, most if ALL else SAMPLE) if counts[kind] else []
            for n in ns:
                for on in ((False, True) if ALL or n == ns[-1] else (False,)):
                    what = f"{kind}:{n}{' on' if on else ''}"
                    with self.subTest(fault=what):
                        said = len(self.g.log_text()) + len(self.errors())
                        self.shim.arm(kind, n, on, self.ROLES)
                        self.patience = 3 if on else Faults.patience
                        answer = act()
                        self.strangers(what)
                        _, failed = self.shim.disarm()
                        self.patience = Faults.patience
                        if not failed:
                            continue
                        self.tried[kind] = self.tried.get(kind, 0) + 1
                        self.well(what)
                        after(answer, kind in TRANSPORT, what)
                        if answer is not None and answer.status >= 500 and kind not in TRANSPORT:
                            self.assertGreater(len(self.g.log_text()) + len(self.errors()), said, f"{what}: nothing in the log of {answer}")
        self.verdict()

    def verdict(self):
        self.restart()
        print(f"faults {self.tried} = {sum(self.tried.values())}; survived {self.survived}, lost {len(self.lost)}, half there {len(self.half)}, let in {len(self.let_in)},"
              f" answers lost on their way {self.unsure}; keys acknowledged {len(self.good)}, ended {len(self.dead)}", file=sys.stderr)
        self.assertEqual((self.lost, self.half, self.let_in), ([], [], []))
        self.assertGreater(sum(self.tried.values()), 3)
        self.assertNotRegex(self.errors(), r"exited on signal")

    def restart(self):
        """What was acknowledged holds after a restart, too."""
        g = self.g
        self.assertEqual(g.stop(), 0)
        g.start()
        for key in self.good:
            if self.ask("/v1/kumuh", key).status != 200:
                self.lost.append(("after the restart", key[:14]))
        for key in self.dead:
            if self.ask("/v1/kumuh", key).status != 401 and self.ask("/v1/kumuh", key).status != 403:
                self.let_in.append(("after the restart", key[:14]))
        g.run("check")
        self.assertEqual(self.rows("SELECT max(seq) - count(*) FROM audit"), [(0,)])


class Acts(Faults):
    def registration(self):
        self.ATTEMPTS += 1
        self.email = f"a{self.ATTEMPTS}@example.org"
        return self.ask("/auth/register", method="POST", document={"name": "Uji", "email": self.email})

    def registered(self, answer, transport, what):
        there = self.rows("SELECT count(*) FROM holder WHERE email_fold = ?", self.email)[0][0]
        if answer is not None and answer.status == 201:
            key = answer.json()["data"][0]["key"]
            self.good.append(key)
            if self.ask("/v1/kumuh", key).status != 200 or there != 1:
                self.lost.append((what, key[:14], there))
            if not transport and "no-store" not in " ".join(answer.all("cache-control")):
                self.half.append((what, "a key that caches may keep"))
        elif there:
            if transport or answer is None or answer.status in (502, 503) and "service is away" in str(answer):
                self.unsure += 1
            else:
                self.half.append((what, answer))
        if answer is None or answer.status != 201:
            self.refused(answer, what)

    def test_register(self):
        self.each(self.registration, self.registered)

    def form(self):
        self.ATTEMPTS += 1
        self.email = f"f{self.ATTEMPTS}@example.org"
        body = urllib.parse.urlencode({"name": "Uji", "email": self.email, "lang": "en"}).encode()
        connection = Connection(self.g.port, 15)
        try:
            return connection.get("/auth/register", method="POST", headers=["Connection: close", "Content-Type: application/x-www-form-urlencoded", "Accept: text/html"], body=body)
        except (OSError, AssertionError, Connection.Unanswered):
            return None
        finally:
            connection.close()

    def test_register_by_form(self):
        def after(answer, transport, what):
            there = self.rows("SELECT count(*) FROM holder WHERE email_fold = ?", self.email)[0][0]
            found = re.search(rb"odp_live_[0-9A-Za-z]{36}", answer.body) if answer is not None else None
            if found:
                self.assertEqual(answer.status, 201, what)
                self.good.append(found.group(0).decode())
                if not transport and "no-store" not in " ".join(answer.all("cache-control")):
                    self.half.append((what, "a key that caches may keep"))
                if self.ask("/v1/kumuh", self.good[-1]).status != 200 or there != 1:
                    self.lost.append((what, self.good[-1][:14], there))
            elif there:
                if transport or answer is None:
                    self.unsure += 1
                else:
                    self.half.append((what, answer))
        self.each(self.form, after)

    def test_rotate(self):
        def act():
            self.old = self.fresh()
            return self.ask("/auth/rotate", self.old, "POST")

        def after(answer, transport, what):
            states = [r[0] for r in self.rows("SELECT state FROM key WHERE account = (SELECT account FROM key WHERE shown = ?) ORDER BY id", self.old[:14])]
            if self.ask("/v1/kumuh", self.old).status != 200:
                self.lost.append((what, "the old key"))
            if answer is not None and answer.status == 201:
                key = answer.json()["data"][0]["key"]
                self.good += [key, self.old]
                if self.ask("/v1/kumuh", key).status != 200 or states != [2, 1]:
                    self.lost.append((what, key[:14], states))
                if not transport and "no-store" not in " ".join(answer.all("cache-control")):
                    self.half.append((what, "a key that caches may keep"))
            elif states != [1]:
                if transport or answer is None:
                    self.unsure += 1
                else:
                    self.half.append((what, answer, states))
            else:
                self.refused(answer, what)
        self.each(act, after)

    def test_revoke(self):
        def act():
            self.old = self.fresh()
            return self.ask("/auth/key", self.old, "DELETE")

        def after(answer, transport, what):
            status = self.ask("/v1/kumuh", self.old).status
            if answer is not None and answer.status == 200:
                self.dead.append(self.old)
                if status != 401:
                    self.let_in.append((what, "revoked", status))
            else:
                self.refused(answer, what)
                state = self.rows("SELECT state FROM key WHERE shown = ?", self.old[:14])[0][0]
                if (state, status) == (1, 200):
                    self.good.append(self.old)
                elif transport or answer is None:
                    self.unsure += 1
                else:
                    self.half.append((what, answer, state, status))
        self.each(act, after)

    def test_operator(self):
        """What `odp-gateway keys` does: suspend, resume, another tier, reissue, forget; usage, lists and checks."""
        def act():
            answers = []
            self.old = self.fresh()
            for command, more in (("keys.suspend", {}), ("keys.resume", {}), ("keys.tier", {"tier": "public"}), ("keys.show", {}), ("keys.reissue", {}), ("usage", {}), ("status", {})):
                answers.append((command, self.admin(command, **({"key": self.old[:14]} if command.startswith("keys") else {}), **more)))
            self.answers = answers
            return next((a for _, a in answers if a is not None and a.status >= 400), answers[-1][1])

        def after(answer, transport, what):
            done = {c: a is not None and a.status == 200 for c, a in self.answers}
            unknown = {c: not done[c] and (transport or a is None) for c, a in self.answers}
            can = {(1, "government")}  # state and tier: what was acknowledged is there, what was refused is not, else either
            for command, change in (("keys.suspend", lambda s, t: (3, t)), ("keys.resume", lambda s, t: (1, t)), ("keys.tier", lambda s, t: (s, "public"))):
                can = {change(*k) for k in can if done[command] or unknown[command]} | (can if not done[command] else set())
            rows = self.rows("SELECT state, tier, shown FROM key WHERE account = (SELECT account FROM key WHERE shown = ?) ORDER BY id", self.old[:14])
            status = self.ask("/v1/kumuh", self.old).status
            if done["keys.reissue"]:
                new = dict(self.answers)["keys.reissue"].json()["data"][0]["key"]
                self.good.append(new)
                self.dead.append(self.old)
                if self.ask("/v1/kumuh", new).status != 200 or status != 401 or len(rows) != 2:
                    self.lost.append((what, rows, status))
            elif len(rows) == 1:
                self.unsure += len(can) > 1
                if rows[0][:2] not in can or (status == 200) != (rows[0][0] == 1):
                    self.half.append((what, rows, status, done))
            elif unknown["keys.reissue"]:
                self.unsure += 1  # an operator sees it with keys.show, and reissues
            else:
                self.half.append((what, rows, status, done))
        self.each(act, after)

    def test_forget(self):
        def act():
            self.old = self.fresh()
            self.name = f"k{self.ATTEMPTS}@example.org"
            return self.admin("keys.forget", key=self.old[:14])

        def after(answer, transport, what):
            there = self.rows("SELECT count(*) FROM holder WHERE email_fold = ?", self.name)[0][0]
            status = self.ask("/v1/kumuh", self.old).status
            if answer is not None and answer.status == 200:
                self.dead.append(self.old)
                if there or status != 401:
                    self.half.append((what, there, status))
            elif (there, status) != (1, 200):
                if (there, status) == (0, 401) and (transport or answer is None):
                    self.unsure += 1  # done, and the answer was lost on its way
                else:
                    self.half.append((what, there, status, answer))
        self.each(act, after)

    def test_upgrade(self):
        """A request for another tier, and the operator's word on it."""
        def act():
            self.old, self.decided = self.fresh(), None
            self.asked = self.ask("/auth/upgrade", self.old, "POST", {"tier": "public", "reason": "Uji"})
            if self.asked is None or self.asked.status != 202:
                return self.asked
            self.decided = self.admin("keys.approve", id=self.asked.json()["data"][0]["id"])
            return self.decided

        def after(answer, transport, what):
            there = self.rows("SELECT u.state, k.tier FROM key k LEFT JOIN upgrade u ON u.key = k.id WHERE k.shown = ?", self.old[:14])
            asked, decided = (a is not None and a.status == want for a, want in ((self.asked, 202), (self.decided, 200)))
            lost = transport or answer is None
            can = [("approved", "public")] if decided else [("open", "government")] if asked else [(None, "government")]
            can += [] if decided or not lost else [("approved", "public")] if asked else [("open", "government")]
            self.unsure += len(can) > 1
            if len(there) != 1 or there[0] not in can:
                self.half.append((what, there, self.asked, self.decided))
            if not decided:
                self.refused(answer, what)
        self.each(act, after)

    def test_backup(self):
        """A backup is whole or not there, and the one before it stays."""
        target = self.dir / "backup.sqlite"
        self.assertEqual(self.admin("backup", path=str(target)).status, 200)

        def act():
            return self.admin("backup", path=str(target))

        def after(answer, transport, what):
            db = sqlite3.connect(f"file:{target}?mode=ro", uri=True)
            sound = db.execute("PRAGMA integrity_check").fetchone(), db.execute("SELECT count(*) > 1 FROM key").fetchone()
            db.close()
            if sound != (("ok",), (1,)):
                self.half.append((what, answer, sound))
            if left := [p.name for p in self.dir.iterdir() if ".part" in p.name]:
                self.half.append((what, left))
        self.each(act, after)

    def test_counts(self):
        """Requests are counted whatever fails, and the store has them in the end."""
        def act():
            for _ in range(3):
                self.assertEqual(self.ask("/v1/kumuh", self.counted).status, 200)
                self.count += 1
            said = self.g.log_text().count("\n")
            wait_for("a tick", lambda: self.shim.get("failed") or self.g.log_text().count("\n") > said or not time.sleep(0.4), 3)
            return self.ask("/auth/key", self.counted)

        def after(answer, transport, what):
            used = self.ask("/auth/key", self.counted).json()["data"][0]["used"]
            if used != self.count:
                self.lost.append((what, used, self.count))
                self.count = used
        self.counted, self.count = self.fresh(), 0
        self.each(act, after, [k for k in self.KINDS if k.startswith("sql") or k in ("alloc", "fsync", "stat")], 60)
        account = self.rows("SELECT account FROM key WHERE shown = ?", self.counted[:14])[0][0]
        wait_for("the store to have the counts", lambda: self.rows("SELECT sum(count) FROM usage_key WHERE account = ?", account) == [(self.count,)])

    def test_site_switch(self):
        """Another build is served whole, or the one before is; never a mixture, and never nothing."""
        self.ROLES = SERVICE | WORKER
        builds = {}
        for n in range(2):
            text = gatewaylib.envelope([{"build": n, "row": i} for i in range(50)])
            files = {**gatewaylib.SMALL, "v1/kumuh.json": gatewaylib.entry(text, twins=True)}
            builds[n] = (gatewaylib.write_site(self.dir / "builds" / f"b{n}", files, self.gateway_json_text), text)
        turn = 0

        def act():
            nonlocal turn
            turn += 1
            gatewaylib.link(self.site, builds[turn % 2][0])
            answers = []
            for _ in range(6):
                answers.append(self.ask("/v1/kumuh", self.key))
                time.sleep(0.03)
            for a in answers:
                if a is not None and a.status == 200 and a.body not in (self.page, builds[0][1], builds[1][1]):
                    self.half.append((turn, a))
            return answers[-1]

        def after(answer, transport, what):
            self.page = builds[turn % 2][1]
            wait_for(f"{what}: the new build", lambda: (a := self.ask("/v1/kumuh", self.key)) and a.body == self.page)

        def well(what):
            self.page = builds[turn % 2][1]
            Faults.well(self, what)
        self.well = well
        self.each(act, after, ["alloc", "pool", "nginx", "open", "read", "map", "stat", "json", "sqlopen", "sqlread"], 60)

    def small_site(self, *args, **more):
        self.gateway_json_text = self.gateway_json(more.get("tiers"))
        return super().small_site(*args, **more)


class Hooks(Faults):
    """Subscriptions: what was answered is there, and its secret signs; what was refused has left nothing, and the secret from before signs."""
    OPTIONS = ("--webhook-loopback",)
    KINDS = STORE + TRANSPORT if ALL else "alloc json crypto sqlalloc sqlwrite sqlsync".split()
    SECRET = r"^whsec_[0-9A-Za-z+/]{43}=$"

    def setUp(self):
        super().setUp()
        self.receiver = webhooklib.Receiver()
        self.addCleanup(self.receiver.close)

    def subscribe(self, *plan):
        self.owner = self.fresh()
        self.path = f"/{self.ATTEMPTS}"
        if plan:
            self.receiver.behave(self.path, *plan)
        return self.ask("/v1/webhooks", self.owner, "POST", {"url": self.receiver.url(self.path), "events": ["release.published"]})

    def one(self, *plan):
        """A subscription that a sound machine made, and whose address got its challenge; without a PLAN it is active."""
        with self.sound():
            answers = []

            def answered():  # 503 until the service has looked at the site, with the tiers' limits
                answers.append(self.subscribe(*plan))
                return answers[-1].status != 503
            wait_for("the site to be read", answered)
            made = answers[-1].json()["data"][0]
            self.hook, self.secret = made["id"], made["secret"]
            challenge = self.receiver.wait(1, self.path)[0].json()["data"]["challenge"]
            if not plan:
                wait_for("it to be active", lambda: self.rows("SELECT state FROM webhook WHERE name = ?", self.hook) == [("active",)])
        return challenge

    def signed(self, what, secret, nth):
        """The NTH message is signed with SECRET."""
        message = self.receiver.wait(nth, self.path)[nth - 1]
        if wrong := webhooklib.verify(secret, message.headers, message.body):
            self.lost.append((what, wrong))

    def signs(self, what, secret):
        """What is sent now is signed with SECRET."""
        sent = len(self.receiver.to(self.path))
        answer = self.ask(f"/v1/webhooks/{self.hook}/test", self.owner, "POST", {})
        if answer is not None and answer.status == 202:
            self.signed(what, secret, sent + 1)
        else:
            self.lost.append((what, answer))

    def unknown(self, answer, transport):
        return transport or answer is None or answer.status in (502, 503) and "service is away" in str(answer)

    def test_create(self):
        def after(answer, transport, what):
            there = self.rows("SELECT name FROM webhook WHERE account = (SELECT account FROM key WHERE shown = ?)", self.owner[:14])
            if answer is not None and answer.status == 201:
                row = answer.json()["data"][0]
                self.hook = row["id"]
                self.assertRegex(row["secret"], self.SECRET, what)
                if not transport:
                    self.assertEqual(answer.get("location"), f"/v1/webhooks/{self.hook}", what)
                if there != [(self.hook,)]:
                    self.lost.append((what, there, row["id"]))
                else:
                    self.signed(what, row["secret"], 1)
                return
            if there:
                if self.unknown(answer, transport):
                    self.unsure += 1
                else:
                    self.half.append((what, answer))
            self.refused(answer, what)
        self.each(self.subscribe, after)

    def test_rotate(self):
        def act():
            self.one()
            return self.ask(f"/v1/webhooks/{self.hook}/rotate-secret", self.owner, "POST", {"grace_hours": 0})

        def after(answer, transport, what):
            if answer is not None and answer.status == 200:
                secret = answer.json()["data"][0]["secret"]
                self.assertRegex(secret, self.SECRET, what)
                self.assertNotEqual(secret, self.secret)
                self.signs(what, secret)
                return
            self.refused(answer, what)
            if self.unknown(answer, transport) and self.rows("SELECT 1 FROM audit WHERE act = 'webhook.rotate' AND subject = ?", self.hook):
                self.unsure += 1  # whoever did not get it rotates again
            else:
                self.signs(what, self.secret)
        self.each(act, after)

    def test_acts(self):
        """What else owners do, and operators: each has its entry in the audit if it was answered, and none if it was refused."""
        def act():
            challenge = self.one(200)
            path, self.answers = f"/v1/webhooks/{self.hook}", {}
            for name, method, tail, document in (("confirm", "POST", "/confirm", {"challenge": challenge}), ("change", "PATCH", "", {"description": "uji"}),
                                                 ("test", "POST", "/test", {}), ("redeliver", "POST", "/redeliver", {"since": "2020-01-01T00:00:00+07:00"})):
                self.answers[name] = self.ask(path + tail, self.owner, method, document)
            self.operators = {}
            for name, more in (("pause", {}), ("resume", {}), ("test", {}), ("replay", {"since": "2020-01-01"})):
                self.operators[name] = self.admin(f"webhooks.{name}", id=self.hook, **more)
            answers = [*self.answers.values(), *self.operators.values()]
            return next((a for a in answers if a is not None and a.status >= 400), answers[-1])

        def after(answer, transport, what):
            said = self.rows("SELECT act, actor FROM audit WHERE subject = ?", self.hook)
            for who, answers in (("api", self.answers), ("command:", self.operators)):
                for name, got in answers.items():
                    there = sum(a == "webhook." + ("redeliver" if name == "replay" else name) and actor.startswith(who) for a, actor in said)
                    if got is not None and got.status in (200, 202):
                        if there != 1:
                            self.lost.append((what, who, name, got, said))
                        continue
                    self.refused(got, f"{what} {name}")
                    if there and not self.unknown(got, transport):
                        self.half.append((what, who, name, got, said))
                    self.unsure += there
            sent = [d for (d,) in self.rows("SELECT d.name FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook WHERE w.name = ?", self.hook)]
            for answers in (self.answers, self.operators):
                got = answers["test"]
                if got is not None and got.status in (200, 202) and got.json()["data"][0]["delivery"] not in sent:
                    self.lost.append((what, "test", got, sent))
        self.each(act, after)


class Commands(Hooks):
    """What an operator reads is whole and right, or the command says that it failed: in its own process, and in the service that it asks."""
    COMMANDS = ("keys list", "keys list --json", "keys show KEY", "webhooks list", "webhooks show HOOK", "webhooks show HOOK --json", "usage --by dataset,tier",
                "usage --by dataset --csv", "audit list", "audit check", "status", "secrets list cursor", "check --json", "config SITE",
                "config SITE --tls-cert /c.pem --tls-key /k.pem --redis h:1 --writer https://w.example.org")

    def run_command(self, words):
        command = [gatewaylib.PROGRAM, *words.replace("KEY", self.owner[:14]).replace("HOOK", self.hook).replace("SITE", str(self.site)).split(), "--state", self.g.state, "--lang", "en"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=gatewaylib.environment(self.shim.env()), timeout=120)
        # Not what differs by the moment: times, and how much memory and disk are left.
        return done.returncode, re.sub(r"\d{4}-\d\d-\d\dT[\d:]+(Z|\+07:00)|[\d.]+ [GM]iB", "-", done.stdout), done.stderr

    def test_commands(self):
        self.one()
        for _ in range(2):
            self.assertEqual(self.ask("/v1/kumuh", self.owner).status, 200)
        self.assertEqual(self.ask("/auth/rotate", self.owner, "POST").status, 201)
        self.g.settled(2)
        tried = said = 0
        for words in self.COMMANDS:
            right = self.run_command(words)
            self.assertEqual(right[0], 0, right)
            for role in (PARENT, SERVICE):
                self.shim.count_all(role)
                self.assertEqual(self.run_command(words)[:2], right[:2])
                counts = self.shim.counts()
                for kind in "alloc json sqlalloc http".split():
                    ns = gatewayshimlib.points(self.random, counts[kind], (200 if ALL else 3 * SAMPLE) if role == SERVICE or kind != "alloc" else counts[kind])
                    for n in ns:
                        what = f"{words}: {'command' if role == PARENT else 'service'} {kind}:{n}"
                        with self.subTest(fault=what):
                            self.shim.arm(kind, n, n % 2 == 1, role)
                            code, out, err = self.run_command(words)
                            _, failed = self.shim.disarm()
                            tried += failed > 0
                            if code == 0:
                                self.assertEqual(out, right[1], what)
                            else:
                                said += 1
                                self.assertGreater(code, 0, f"{what}: {err}")
                                self.assertRegex(err + out, r"\w.{18}", what)
        print(f"faults {tried}, told {said}", file=sys.stderr)
        self.assertGreater(said, 10)


class Queries(gatewaylib.Case):
    """An answer to a query is whole, with the links to what follows, its tag and its counts, or it is refused; so is a refusal."""
    PATHS = ("/v1/kumuh?limit=3", "/v1/kumuh.csv?limit=3", "/v1/kumuh.geojson?limit=3", "/v1/kumuh.html?limit=3", "/v1/kumuh/search?q=jalan&limit=3", "/v1/ogc/collections/kumuh/items?limit=2",
             "/v1/kumuh?filter=luas%20%3E%205", "/v1/kumuh.csv?sortby=-luas", "/v1/kumuh/search.html?limit=2")

    def test_answers(self):
        gatewayshimlib.needs_shim()
        chance, shim, tried = random.Random(SEED), gatewayshimlib.Shim(self.dir, self.dir / "state"), collections.Counter()
        g = self.serve(self.compile("kumuh", tiers=TIERS), "--query-cache", "0", "--query-threads", "1", workers=1, env=shim.env())
        key = g.create_key("government")

        def ask(path):
            answer = g.get(path, key)
            return answer.status, answer.body, sorted(h for h in answer.headers if h[0] not in ("date", "ratelimit", "connection"))
        print(f"seed {SEED}", file=sys.stderr)
        for path in self.PATHS:
            right = ask(path)
            shim.count_all(SERVICE)
            self.assertEqual(ask(path), right)
            counts = shim.counts()
            for kind in "alloc json sqlalloc sqlread crypto stat".split():
                for n in gatewayshimlib.points(chance, counts[kind], MOST if ALL or kind == "alloc" else 3 * SAMPLE):
                    with self.subTest(path=path, fault=f"{kind}:{n}"):
                        shim.arm(kind, n, n % 2 == 1, SERVICE)
                        got = ask(path)
                        tried[kind] += shim.disarm()[1] > 0
                        if got[0] < 500:
                            self.assertEqual(got, right)
        print(f"faults {dict(tried)}", file=sys.stderr)
        self.assertGreater(tried["alloc"], 100)


class Nginx(Faults):
    """Reads, and refusals, while nginx's memory and files fail: a page is whole or refused, and a worker never dies."""
    ROLES = WORKER
    KINDS = "alloc pool nginx open read map stat descriptor crypto".split()
    PATHS = ("/v1/kumuh", "/v1/besar", "/v1/ditarik", "/v1/tidak-ada", "/", "/v1/lama", "/data/kumuh/latest/kumuh.csv", "/v1/kumuh?limit=1", "/auth/key", "/v1/openapi.json")

    def test_reads(self):
        right = {path: self.ask(path, self.key) for path in self.PATHS}

        def act():
            self.answers = {path: self.ask(path, self.key) for path in self.PATHS}
            return self.answers["/v1/kumuh"]

        def after(answer, transport, what):
            for path, got in self.answers.items():
                want = right[path]
                if got is None or path == "/auth/key":
                    continue
                if got.status == want.status:
                    if got.body != want.body and want.status < 400:
                        self.half.append((what, path, got))
                else:
                    self.assertIn(got.status, (500, 502, 503), (what, path, got))
        self.each(act, after)

    def test_strangers(self):
        """Those who may not read get a refusal, whatever failed while it was made."""
        def act():
            for path in self.PATHS[:3]:
                for key in (self.revoked, gatewaylib.make_key(), None, "odp_live_x"):
                    answer = self.ask(path, key)
                    if answer is not None and (answer.status < 400 or self.page[:60] in answer.body):
                        self.let_in.append((path, answer))
            return None

        self.each(act, lambda answer, transport, what: None)


class Reload(Faults):
    """SIGHUP while things fail: the configuration in use stays, or the new one is taken; nginx goes on in both cases."""
    ROLES = PARENT | MASTER
    KINDS = "alloc open read write fsync rename unlink process descriptor nginx".split()

    def test_reload(self):
        def act():
            said = self.g.log_text()
            self.g.send_signal(signal.SIGHUP)
            wait_for("the end of the reload", lambda: re.search(r"nginx reloads|in use stays", self.g.log_text()[len(said):]))
            return self.ask("/v1/kumuh", self.key)

        def after(answer, transport, what):
            if answer is None or answer.status != 200:
                self.lost.append((what, answer))
            self.assertTrue((self.g.state / "nginx.conf").read_text().rstrip().endswith("}"), what)
        self.each(act, after, most=80)


class Crash(gatewaylib.Case):
    def test_crash(self):
        """A fault inside of the program is told before it ends by that signal."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(30)
            for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
                command = [gatewaylib.PROGRAM, "pull", f"http://127.0.0.1:{server.getsockname()[1]}/", "--to", str(self.dir / "pulled"), "--lang", "en"]
                run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=gatewaylib.environment())
                with server.accept()[0]:
                    run.send_signal(number)
                    said = run.communicate(timeout=30)[1]
                self.assertEqual(run.returncode, -number)
                self.assertRegex(said, r"^odp-gateway: this program or a library of it crashed.*stays.*run this command again")


class Pull(Faults):
    """`odp-gateway pull` while things fail: the site is the old one or the new one, the command says which, and the next run goes on."""

    def test_pull(self):
        builds = [self.compile(tiers=[("public", 1000 + n, 5)], out=f"build{n}").resolve() for n in range(2)]
        target, turn = self.dir / "pulled", 0

        def pull(env):
            return subprocess.run([gatewaylib.PROGRAM, "pull", f"file://{self.dir}/from/", "--to", str(target)], capture_output=True, text=True, env=gatewaylib.environment(env), timeout=120)
        gatewaylib.link(self.dir / "from", builds[0])
        self.assertEqual((first := pull({})).returncode, 0, first.stderr)
        pages = [(b / "gateway.json").read_bytes() for b in builds]
        self.ROLES = PARENT
        self.shim.count_all(PARENT)
        gatewaylib.link(self.dir / "from", builds[1])
        self.assertEqual(pull(self.shim.env()).returncode, 0)
        counts = self.shim.counts()
        turn, done, ended = 1, 0, 0
        print(f"\nseed {SEED}; {({k: v for k, v in counts.items() if v})}", file=sys.stderr)
        for kind in "alloc json crypto curl open read write fsync rename link unlink make thread descriptor stat mode lock".split():
            ns = gatewayshimlib.points(self.random, counts[kind], MOST if ALL else SAMPLE)
            if kind == "alloc":  # the last of them write what lies beside a build, of all of its files
                ns += range(counts[kind] - 40 | 1, counts[kind], 4)
            for n in ns:
                what = f"{kind}:{n}{' on' if n % 2 else ''}"
                with self.subTest(fault=what):
                    gatewaylib.link(self.dir / "from", builds[(turn + 1) % 2])
                    self.shim.arm(kind, n, n % 2 == 1, PARENT)
                    got = pull(self.shim.env())
                    _, failed = self.shim.disarm()
                    page = (target / "gateway.json").read_bytes()
                    if got.returncode == 0:
                        turn, done = turn + 1, done + 1
                        self.assertEqual(page, pages[turn % 2], what)
                    else:
                        ended += 1
                        if kind == "crypto" and got.returncode < 0:  # inside of libcrypto, which does not look at all it gets: it is told, at least
                            self.assertIn("odp-gateway: ", got.stderr, f"{what}: ended by signal {-got.returncode}")
                        else:
                            self.assertGreater(got.returncode, 0, f"{what}: {got.stderr}")
                        self.assertGreater(len(got.stderr.strip()), 20, f"{what}: ended without a word")
                        self.assertIn(page, pages, what)
                        again = pull({})
                        self.assertEqual(again.returncode, 0, f"{what}: {again.stderr}")
                        turn += 1
                        self.assertEqual((target / "gateway.json").read_bytes(), pages[turn % 2], what)
                    self.tried[kind] = self.tried.get(kind, 0) + (failed > 0)
        print(f"faults {self.tried} = {sum(self.tried.values())}; went on {done}, ended with a sentence {ended}", file=sys.stderr)
        self.assertGreater(sum(self.tried.values()), 3)


if __name__ == "__main__":
    gatewaylib.main()
