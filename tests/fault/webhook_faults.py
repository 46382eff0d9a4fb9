"""Webhooks while memory, the disk or SQLite fail: the Nth call of every kind, once, or from then on, in everything that they do. An act says that it failed and nothing
of it is there, or it is whole; no event and no delivery is lost or invented; the next step of a sound machine goes on; a key file is there whole or not at all, and is
never made anew where something was sealed. One process lives through it all, so leaks show at its end (AddressSanitizer). `full` takes a sample; `deep`
(ODP_FAULT_ALL=1) takes all Ns, up to 400 of a kind."""
import base64
import os
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import gatewaylib  # noqa: E402
import odp  # noqa: E402
import webhooktoollib  # noqa: E402
from webhooklib import Receiver  # noqa: E402

webhooktoollib.TOOL = gatewaylib.BINARY_DIR / "tests" / "webhook_fault_tool"
ALL = bool(os.environ.get("ODP_FAULT_ALL"))
KINDS = ("alloc json crypto sqlalloc open read write fsync rename link close unlink random"
         " sqlopen sqlread sqlwrite sqlsync sqlmap").split()
TABLES = ("webhook", "webhook_event", "webhook_line", "webhook_message", "webhook_delivery", "webhook_attempt", "audit")
# What must not be, whatever failed.
RULES = {
    "deliveries that have ended and have not": "SELECT count(*) FROM webhook_delivery WHERE (state = 'pending') <> (done = 0)",
    "delivered without an attempt": "SELECT count(*) FROM webhook_delivery WHERE state = 'delivered' AND attempts = 0",
    "attempts that are not counted": "SELECT count(*) FROM webhook_delivery d WHERE attempts <= 50 AND attempts <>"
                                     " (SELECT count(*) FROM webhook_attempt a WHERE a.delivery = d.id)",
    "attempts with holes": "SELECT count(*) FROM (SELECT max(n) - min(n) + 1 - count(*) AS x FROM webhook_attempt GROUP BY delivery) WHERE x <> 0",
    "rows that lead nowhere": "SELECT count(*) FROM pragma_foreign_key_check",
    "unverified without its challenge": "SELECT count(*) FROM webhook w WHERE state = 'unverified' AND NOT EXISTS (SELECT 1 FROM webhook_delivery d"
                                        " JOIN webhook_message m ON m.id = d.message WHERE d.webhook = w.id AND m.type = 'webhook.challenge')",
    "states without a reason": "SELECT count(*) FROM webhook WHERE (state IN ('paused', 'disabled')) <> (reason <> '')",
    "entries of the audit left out": "SELECT max(seq) - count(*) FROM audit",
    "events that are told and have places to go": "SELECT count(*) FROM webhook_event WHERE done = 1 AND told < upto",
}


class Faults(webhooktoollib.Case):
    options = ("--timeout", 5000)

    def setUp(self):
        super().setUp()
        self.store, self.number, self.seen = None, 0, 0

    def start(self):
        self.begin()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.store = sqlite3.connect(f"file:{self.tool.state}/store.sqlite?mode=ro", uri=True)
        self.addCleanup(self.store.close)

    def tearDown(self):
        if self.store is not None:
            self.assertEqual(self.store.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        if self.tool is not None:
            self.assertEqual(self.tool.end(), 0, self.said()[-4000:])
            self.assertNotIn("Sanitizer", self.said())
        super().tearDown()

    # ---- what is there ----

    def dump(self, *but):
        return {t: self.store.execute(f"SELECT * FROM {t} ORDER BY 1, 2").fetchall() for t in TABLES if t not in but}

    def sizes(self):
        return {t: len(rows) for t, rows in self.dump().items()}

    def sound(self):
        self.assertEqual({words: n for words, sql in RULES.items() if (n := self.store.execute(sql).fetchone()[0])}, {})

    # ---- faults ----

    def with_fault(self, kind, n, on, act):
        """What the act answers while the Nth call of KIND fails, and how many there were."""
        self.tool.ask("fault", kind, n, *(["on"] if on else []))
        answer = act()
        return answer, int(self.tool.ask("faults")[0])

    def each(self, act, after, kinds=KINDS, most=400, may="ok|fail"):
        """ACT under all faults. AFTER(answer, before) looks at what it did, and does it again where it failed. MAY: how it may answer."""
        for kind in kinds:
            before = self.dump()
            answer, total = self.with_fault(kind, 0, False, act)
            self.assertTrue(answer.startswith("ok"), answer)
            after(answer, before)
            many, few = (most, 2) if ALL else (3, 1)
            numbers = sorted({*range(1, total + 1, max(1, total // many)), *range(max(1, total - few + 1), total + 1)})
            for i, n in enumerate(numbers):
                for on in (False, True) if ALL else ((n + i) % 2 == 0,):
                    with self.subTest(f"{kind}:{n}{' and on' if on else ''} of {total}"):
                        self.seen += 1
                        before = self.dump()
                        answer, _ = self.with_fault(kind, n, on, act)
                        self.assertRegex(answer, f"^({may})")
                        after(answer, before)
                        self.sound()

    def whole_or_nothing(self, act, done):
        """An act of an owner. DONE(before, answer): it is all there."""
        def after(answer, before):
            if answer.startswith("fail"):
                self.assertEqual(self.dump(), before, "something of what failed is there")
                answer = act()
                self.assertTrue(answer.startswith("ok"), f"a sound machine: {answer}")
            done(before, answer)
        self.each(act, after)

    def added(self, before, **rows):
        """So many rows more of these tables, and no other."""
        sizes = self.sizes()
        self.assertEqual({t: sizes[t] - len(before[t]) for t in TABLES}, {t: rows.get(t, 0) for t in TABLES})

    # ---- the key file ----

    def key_file(self):
        return self.tool.state / "webhook.key"

    def is_key(self, text):
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return len(lines) == 1 and len(base64.b64decode(lines[0], validate=True)) == 32

    def test_key_file_is_made(self):
        self.start()
        self.tool.ask("close")

        def act():
            self.key_file().unlink(missing_ok=True)
            return self.tool.raw("again")

        def after(answer, _):
            there = self.key_file().exists()
            if there:
                self.assertTrue(self.is_key(self.key_file().read_text()), "half a key file")
                self.assertEqual(self.key_file().stat().st_mode & 0o777, 0o600)
            self.assertTrue(there or not answer.startswith("ok"))
            left = [p for p in os.listdir(self.tool.state) if p.startswith("webhook.key.")]
            self.assertLessEqual(len(left), 1)
            for name in left:  # where it could not be removed
                (self.tool.state / name).unlink()
            kept = self.key_file().read_text() if there else None
            self.tool.ask("again")
            self.assertTrue(self.is_key(self.key_file().read_text()))
            self.assertIn(kept, (None, self.key_file().read_text()), "one that is there is the one")
        self.each(act, after, may="ok|fail|bad")  # bad: the file cannot be opened, and it is said why

    def test_key_file_is_opened(self):
        """With subscriptions that it seals, which stay as they are."""
        self.start()
        name, secret = self.subscribe(self.receiver, "/hook")
        key = self.key_file().read_bytes()
        build = self.dir / "site" / "build-1"

        def act():
            answer = self.tool.raw("again")
            if not answer.startswith("ok"):
                return answer
            self.tool.ask("site", build)
            return self.tool.raw("tell")

        def after(answer, before):
            self.assertEqual(self.key_file().read_bytes(), key)
            self.assertEqual(self.dump(), before, "nothing that was sealed has changed")
            self.tool.ask("again")
            self.tool.ask("site", build)
            self.tool.ask("tell")
        self.each(act, after, may="ok|fail|bad")
        self.tool.ask("test", name)
        self.tool.ask("settle", 20000)
        self.check(secret, self.receiver.to("/hook", "webhook.test"))

    # ---- acts ----

    def test_create(self):
        self.start()

        def act():
            self.number += 1
            return self.tool.raw("sub", self.key, self.receiver.url(f"/{self.number}"), "release.published")

        def done(before, answer):
            name, secret = answer[3:].split("\t")
            self.assertRegex(name, "^wh_[0-9A-Za-z]{20}$")
            self.assertTrue(secret.startswith("whsec_"))
            self.added(before, webhook=1, webhook_message=1, webhook_delivery=1, audit=1)
            self.assertEqual(self.state(name), ("unverified", ""))
            if len(before["webhook"]) > 20:
                self.tool.ask("sql", "DELETE FROM webhook")
                self.tool.ask("sql", "DELETE FROM webhook_message")
        self.whole_or_nothing(act, done)
        self.assertGreater(self.seen, 20)

    def one(self):
        self.start()
        return self.subscribe(self.receiver, "/hook")

    def test_change(self):
        name, _ = self.one()
        self.round = 1

        def act():
            self.number += 1
            return self.tool.raw("change", name, "url=" + self.receiver.url(f"/{self.number}"), "events=release.published")

        def done(before, answer):
            self.assertEqual(self.state(name), ("unverified", ""))
            rounds = self.tool.rows("SELECT round, events FROM webhook")
            self.assertEqual(rounds, [(self.round + 1, "release.published")])
            self.round += 1
            self.added(before, webhook_message=1, webhook_delivery=1, audit=1)
            self.assertEqual(len(self.tool.rows("SELECT 1 FROM webhook_delivery WHERE state = 'pending'")), 1, "only the last challenge waits")
        self.whole_or_nothing(act, done)

    def test_rotate(self):
        name, _ = self.one()

        def done(before, answer):
            self.added(before, audit=1)
            now, old = self.tool.rows("SELECT secret, previous_secret FROM webhook")[0]
            had = before["webhook"][0]
            self.assertIn(old, had)
            self.assertNotIn(now, had)
        self.whole_or_nothing(lambda: self.tool.raw("rotate", name, 3600), done)
        last = self.tool.ask("rotate", name, 0)[0]
        self.tool.ask("test", name)
        self.tool.ask("settle", 20000)
        self.check(last, self.receiver.to("/hook", "webhook.test"))

    def test_confirm(self):
        self.start()
        self.receiver.behave("/mute", 200)
        name = self.tool.ask("sub", self.key, self.receiver.url("/mute"), "release.published")[0]
        self.tool.ask("settle", 20000)
        challenge = self.receiver.to("/mute")[0].json()["data"]["challenge"]

        def act():
            return self.tool.raw("confirm", name, challenge)

        def done(before, answer):
            self.assertEqual(self.state(name), ("active", ""))
            self.added(before, audit=1)
            self.tool.ask("sql", "UPDATE webhook SET state = 'unverified', verified = 0")
            self.tool.ask("sql", "UPDATE webhook_delivery SET state = 'pending', done = 0")
        self.whole_or_nothing(act, done)
        self.assertEqual(self.receiver.to("/mute")[1:], [], "nobody asked anew")

    def test_test_and_again(self):
        name, _ = self.one()

        def done(before, answer):
            self.added(before, webhook_message=1, webhook_delivery=1, audit=1)
            self.assertEqual(self.tool.rows("SELECT state FROM webhook_delivery WHERE name = ?", answer[3:]), [("pending",)])
        self.whole_or_nothing(lambda: self.tool.raw("test", name), done)
        self.tool.ask("sql", "UPDATE webhook_delivery SET state = 'cancelled', done = 1")
        waiting = len(self.tool.rows("SELECT 1 FROM webhook_message WHERE type = 'webhook.test'"))

        def done_again(before, answer):
            self.assertEqual(answer, f"ok {waiting}")
            self.added(before, audit=1)
            self.assertEqual(len(self.tool.rows("SELECT 1 FROM webhook_delivery WHERE state = 'pending'")), waiting)
            self.tool.ask("sql", "UPDATE webhook_delivery SET state = 'cancelled', done = 1")
        self.whole_or_nothing(lambda: self.tool.raw("since", name, 0), done_again)

    def test_delete(self):
        self.start()

        def make():
            self.name = self.tool.ask("sub", self.key, self.receiver.url("/gone"), "release.published")[0]

        def done(before, answer):
            self.assertEqual(self.tool.rows("SELECT 1 FROM webhook UNION ALL SELECT 1 FROM webhook_delivery"), [])
            self.added(before, webhook=-1, webhook_delivery=-1, audit=1)
            make()
        make()
        self.whole_or_nothing(lambda: self.tool.raw("delete", self.name), done)

    # ---- the announcer ----

    def told(self, line, names, changes):
        """Every event of the line once; every subscription has each of them once."""
        events = self.tool.rows("SELECT id, key, done FROM webhook_event")
        self.assertEqual(sorted(key for _, key, _ in events), sorted(f"{line}/{i}" for i in range(1, changes + 1)))
        self.assertEqual({done for *_, done in events}, {1})
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_line WHERE digest = ?", bytes.fromhex(line)), [(1,)])
        got = self.tool.rows("SELECT w.name, e.key, m.body FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook JOIN webhook_message m ON m.id = d.message"
                             " JOIN webhook_event e ON e.id = m.event")
        # Where a filter could not be asked, all are told, and the message says so.
        unasked = [name for name, _, body in got if '"applied":false' in body]
        wanted = {*names, *unasked} if unasked else set(names)
        self.assertEqual(sorted((name, key) for name, key, _ in got), sorted((name, key) for name in wanted for _, key, _ in events))
        self.assertEqual(len(self.tool.rows("SELECT DISTINCT name FROM webhook_delivery WHERE message IN (SELECT id FROM webhook_message WHERE event > 0)")), len(got))

    def forget(self, line):
        """As before the line."""
        for sql in ("DELETE FROM webhook_delivery", "DELETE FROM webhook_message", "DELETE FROM webhook_event", f"DELETE FROM webhook_line WHERE digest = x'{line}'"):
            self.tool.ask("sql", sql)

    def tell_again(self, first, second, line, names, changes, kinds, most=400):
        """The switch from build FIRST to SECOND, under faults."""
        self.forget(line)

        def act():
            self.tool.ask("site", second)
            answer = self.tool.raw("tell")
            self.tool.now(self.tool.clock + webhooktoollib.SETTLE)
            return self.tool.raw("tell") if answer.startswith("ok") else answer

        def after(answer, before):
            # A site that could not be read is looked at again half a minute later.
            for ms in (0, webhooktoollib.SETTLE, 31000, webhooktoollib.SETTLE):
                self.tool.now(self.tool.clock + ms)
                self.tool.ask("tell")
            self.told(line, names, changes)
            self.forget(line)
            self.tool.ask("site", first)
            self.tool.ask("tell")
        self.each(act, after, kinds, most)

    def test_intake_and_fan_out(self):
        self.start()
        self.site.slugs = {"satu": {}, "dua": {}}
        names = [self.subscribe(self.receiver, f"/{i}", "dataset.version.published dataset.withdrawn")[0] for i in range(3)]
        self.site.line(("satu", "2024-03-15", "published"))
        first = self.site.build()
        line = self.site.line(("satu", "2024-03-16", "published"), ("dua", "2024-03-16", "published"), ("dua", "2024-02-16", "withdrawn"))
        second = self.site.build()
        self.tool.ask("site", first)
        self.tell()
        self.tell_again(first, second, line, names, 3, KINDS)
        self.assertGreater(self.seen, 30)

    def real_site(self):
        fields = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}]
        self.catalogue(references=False)
        self.dataset("satu", "kode,nilai\n" + "".join(f"k{i},{i}.5\n" for i in range(50)), fields, {"schema": {"primaryKey": ["kode"]}})
        self.odp("build")
        first = os.path.realpath(self.dir / "build/site")
        self.update("satu", "2024-03-16", "kode,nilai\n" + "".join(f"k{i},{i}.{5 if i % 7 else 9}\n" for i in range(55)))
        self.odp("build")
        return first, os.path.realpath(self.dir / "build/site")

    def test_filters(self):
        """Versions are read, differences asked: a real site, two that want it and one that does not."""
        first, second = self.real_site()
        line = webhooktoollib.hashlib.sha256((pathlib.Path(second) / "releases.log").read_bytes().splitlines()[-1]).hexdigest()
        self.tool = webhooktoollib.Tool(self.dir / "state", "--site", first, *self.options, stderr=self.log)
        self.tool.now(webhooktoollib.START)
        self.tool.ask("site", first)
        self.tool.ask("tell")
        self.key, _ = self.tool.ask("key", "Sari", "sari@example.go.id", "government")
        self.store = sqlite3.connect(f"file:{self.tool.state}/store.sqlite?mode=ro", uri=True)
        self.addCleanup(self.store.close)
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        names = [self.subscribe(self.receiver, f"/{i}", "dataset.version.published", "satu", f)[0]
                 for i, f in enumerate(("nilai > 48", "kode LIKE 'k1%' AND nilai < 30"))]
        self.subscribe(self.receiver, "/none", "dataset.version.published", "satu", "nilai > 1000")
        self.tell_again(first, second, line, names, 1, [k for k in KINDS if k not in ("fsync", "rename", "link", "unlink", "sqlopen", "sqlmap")], 150)
        self.tool.ask("site", second)
        self.tell()
        bodies = [webhooktoollib.json.loads(b)["data"]["match"] for (b,) in self.tool.rows("SELECT body FROM webhook_message ORDER BY id")]
        self.assertEqual([m["resources"][0]["added"] for m in bodies], [5, 0], "what is told after all of it")

    # ---- the sender ----

    def test_results(self):
        """Messages under way while things fail: accepted, refused, and one that says it is gone."""
        self.start()
        names = [self.subscribe(self.receiver, f"/{i}")[0] for i in range(2)]
        self.receiver.behave("/busy", (200, {}, b""), 500)
        refused = self.tool.ask("sub", self.key, self.receiver.url("/busy"), "release.published")[0]
        self.tool.ask("settle", 20000)
        self.tool.ask("sql", "UPDATE webhook SET state = 'active', verified = 1")
        expected = {}

        def act():
            expected.clear()
            for name in (*names, refused):
                expected[self.tool.ask("test", name)[0]] = name
            self.receiver_before = len(self.receiver.to())
            self.tool.ask("fault", *self.fault)  # not while they are made
            return self.tool.raw("settle", 20000)

        def after(answer, before):
            self.assertTrue(answer.startswith("ok") or answer.startswith("fail"))
            for _ in range(3):
                self.tool.ask("settle", 20000)
            rows = {r[0]: r[1:] for r in self.tool.rows("SELECT name, state, attempts FROM webhook_delivery")}
            got = [m.id for m in self.receiver.to()[self.receiver_before:]]
            for msg, name in expected.items():
                self.assertIn(msg, got, "lost")
                self.assertEqual(rows[msg][0], "pending" if name == refused else "delivered")
            self.assertLessEqual(set(got), set(rows), "invented")
            for name in (*names, refused):
                self.assertEqual(self.state(name), ("active", ""))
            self.sound()
            self.tool.ask("sql", "DELETE FROM webhook_delivery")
            self.tool.ask("sql", "DELETE FROM webhook_message")
            self.tool.ask("sql", "UPDATE webhook SET failing = 0, not_before = 0")

        def with_fault(kind, n, on, act):
            self.fault = (kind, n, *(["on"] if on else []))
            answer = act()
            return answer, int(self.tool.ask("faults")[0])
        self.with_fault = with_fault
        self.each(act, after, [k for k in KINDS if k not in ("rename", "link")])

    # ---- pruning ----

    def test_pruning(self):
        name, _ = self.one()

        def act():
            for _ in range(4):
                self.tool.ask("test", name)
            self.tool.ask("sql", "UPDATE webhook_delivery SET state = 'cancelled', done = created WHERE state = 'pending'")
            self.tool.ask("rotate", name, 3600)
            self.tool.now(self.tool.clock + 31 * webhooktoollib.DAY)
            self.young = self.tool.ask("test", name)[0]
            self.tool.ask("fault", *self.fault)
            return self.tool.raw("tell")

        def after(answer, before):
            if answer.startswith("fail"):
                self.tool.ask("tell")
            self.assertEqual(self.tool.rows("SELECT name FROM webhook_delivery"), [(self.young,)])
            self.assertEqual(len(self.tool.rows("SELECT 1 FROM webhook_message")), 1)
            self.assertEqual(self.tool.rows("SELECT previous_secret IS NULL, previous_until FROM webhook"), [(1, 0)])

        def with_fault(kind, n, on, act):
            self.fault = (kind, n, *(["on"] if on else []))
            answer = act()
            return answer, int(self.tool.ask("faults")[0])
        self.with_fault = with_fault
        self.each(act, after, ["alloc", "json", "crypto", "sqlalloc", "sqlread", "sqlwrite", "sqlsync"])


if __name__ == "__main__":
    odp.main()
