"""From the site's log to the outbox: each line once, through restarts, rollbacks and restored stores; joined where a dataset asks for it; quotas; who gets what; what is old goes."""
import hashlib
import shutil
import sqlite3
import unittest

import webhooktoollib as lib
from webhooklib import Receiver
from webhooktoollib import DAY, HOUR, MINUTE, SECOND, START

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Tell(lib.Case):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def told(self, path, kind="dataset.version.published"):
        """(dataset, version) of the messages at PATH, sorted; none came twice."""
        messages = self.receiver.to(path, kind)
        self.assertEqual(len({m.id for m in messages}), len(messages))
        return sorted((m.json()["data"]["dataset"], m.json()["data"]["version"]) for m in messages)

    def events(self):
        return self.tool.rows("SELECT key, type, due, done FROM webhook_event ORDER BY id")

    def test_first_start_knows_all(self):
        digests = [self.site.line((f"d{i}", "2024-03-15", "published")) for i in range(1200)]
        self.begin()
        name, _ = self.subscribe(self.receiver, "/a")
        self.tool.ask("tell")
        self.assertEqual(self.events(), [])
        known = {d.hex() for d, in self.tool.rows("SELECT digest FROM webhook_line")}
        self.assertEqual(known, set(digests) | {"0" * 64})
        self.publish(("baru", "2024-03-16", "published"))
        self.turn(START)
        self.assertEqual(self.told("/a"), [("baru", "2024-03-16")])

    def test_first_start_that_was_killed(self):
        """Some lines are in, the end is not: the next start knows the others, too."""
        digests = [self.site.line((f"d{i}", "2024-03-15", "published")) for i in range(20)]
        self.begin()
        self.tool.ask("sql", f"DELETE FROM webhook_line WHERE digest = x'{'0' * 64}' OR digest = x'{digests[-1]}'")
        self.finish()
        self.open()
        self.tool.ask("tell")
        self.assertEqual(self.events(), [])
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_line"), [(21,)])

    def test_a_site_without_a_log(self):
        """Nothing was there at the first start: the first line is told."""
        self.begin()
        self.subscribe(self.receiver, "/a")
        self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START)
        self.assertEqual(self.told("/a"), [("kumuh", "2024-03-15")])

    def test_once(self):
        """Every step again and again, through a restart and through switches that were not seen: each line once."""
        self.site.line(("kumuh", "2024-03-14", "published"))
        self.begin()
        self.subscribe(self.receiver, "/a", events="dataset.version.published release.published")
        self.publish(("kumuh", "2024-03-15", "published"), ("rumah", "2024-03-15", "published"))
        self.tool.ask("tell")
        self.site.line(("air", "2024-03-15", "published"))
        self.site.build()  # nobody has seen this one
        self.publish(("pasar", "2024-03-16", "published"), release="2.6.0")
        self.finish()
        self.open(clock=START + MINUTE)
        self.tell()
        self.tell()
        self.turn(START + MINUTE)
        self.turn(START + HOUR)
        self.assertEqual(self.told("/a"), [("air", "2024-03-15"), ("kumuh", "2024-03-15"), ("pasar", "2024-03-16"), ("rumah", "2024-03-15")])
        self.assertEqual([m.json()["data"]["release"] for m in self.receiver.to("/a", "release.published")], ["2.6.0"])

    def test_rollback_and_another_branch(self):
        self.site.line(("kumuh", "2024-03-14", "published"))
        self.begin()
        self.subscribe(self.receiver, "/a")
        before = list(self.site.lines), self.dir / "site" / "build-1"
        self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START)
        self.tool.ask("site", before[1])
        self.tool.ask("tell")
        self.turn(START + SECOND)
        self.assertEqual(self.told("/a"), [("kumuh", "2024-03-15")])
        self.site.lines = before[0]
        self.publish(("kumuh", "2024-03-16", "published"))
        self.turn(START + MINUTE)
        self.assertEqual(self.told("/a"), [("kumuh", "2024-03-15"), ("kumuh", "2024-03-16")])

    def test_restored_store_tells_again_with_the_same_ids(self):
        self.site.line(("kumuh", "2024-03-14", "published"))
        self.begin()
        self.subscribe(self.receiver, "/a")
        self.finish()
        store = self.dir / "state" / "store.sqlite"
        with sqlite3.connect(store) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        shutil.copy(store, self.dir / "backup")
        self.open(clock=START + MINUTE)
        for i in range(3):
            self.publish((f"d{i}", "2024-03-15", "published"))
        self.turn(START + MINUTE)
        first = {(m.id, m.json()["data"]["dataset"]) for m in self.receiver.to("/a", "dataset.version.published")}
        self.assertEqual(len(first), 3)
        self.finish()
        for rest in ("-wal", "-shm"):
            (self.dir / "state" / f"store.sqlite{rest}").unlink(missing_ok=True)
        shutil.copy(self.dir / "backup", store)
        self.open(clock=START + HOUR)
        self.tell()
        self.turn(START + HOUR)
        again = self.receiver.to("/a", "dataset.version.published")
        self.assertEqual(len(again), 6)
        self.assertEqual({(m.id, m.json()["data"]["dataset"]) for m in again}, first)

    def test_ids_are_made_of_line_and_subscription(self):
        self.begin()
        name, _ = self.subscribe(self.receiver, "/a")
        digest = self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START)
        message, = self.receiver.to("/a", "dataset.version.published")
        number = int.from_bytes(hashlib.sha256(f"{digest}/1\0{name}".encode()).digest()[:16], "big")
        text = ""
        for _ in range(22):
            number, rest = divmod(number, 62)
            text = BASE62[rest] + text
        self.assertEqual(message.id, "msg_" + text)

    def test_joined(self):
        """odp:notifyEvery: the first is told at once, what follows within the hour is told as one when the hour is over."""
        self.site.notify = {"pantau": 3600}
        self.begin()
        self.subscribe(self.receiver, "/a", events="dataset.version.published dataset.corrected")
        for minute in (0, 10, 20, 30):
            self.tool.now(START + minute * MINUTE)
            self.publish(("pantau", f"v{minute}", "published"), ("kumuh", f"v{minute}", "published"))
            self.tool.ask("settle", 20000)
        self.assertEqual(self.told("/a"), [("kumuh", f"v{m}") for m in (0, 10, 20, 30)] + [("pantau", "v0")])
        self.tool.now(START + HOUR)
        self.tool.ask("tell")
        self.turn(START + HOUR)
        self.assertEqual(len(self.told("/a")), 5)
        self.finish()
        self.open(clock=START + HOUR + lib.SETTLE)  # what is held survives
        self.tool.ask("tell")
        self.turn(START + HOUR)
        joined = [m.json()["data"] for m in self.receiver.to("/a", "dataset.version.published") if m.json()["data"]["dataset"] == "pantau"]
        self.assertEqual([d["versions"] for d in joined], [["v0"], ["v10", "v20", "v30"]])
        self.assertEqual(joined[1]["version"], "v30")
        self.tool.now(START + 2 * HOUR - MINUTE)
        self.publish(("pantau", "v99", "published"))
        self.turn(START + 2 * HOUR - MINUTE)
        self.assertEqual(len(self.told("/a")), 6)
        self.tool.now(START + 2 * HOUR + lib.SETTLE)
        self.tool.ask("tell")
        self.turn(START + 2 * HOUR)
        self.assertIn(("pantau", "v99"), self.told("/a"))
        self.tool.now(START + 9 * HOUR)
        self.publish(("pantau", "v100", "published"), ("pantau", "v101", "published"))
        self.turn(START + 9 * HOUR)
        self.assertIn(("pantau", "v101"), self.told("/a"))
        self.assertNotIn(("pantau", "v100"), self.told("/a"))  # both of one line: one message

    def test_who_gets_what(self):
        self.site.slugs = {"baru": {"odp:formerSlugs": [{"slug": "dulu"}]}}
        self.site.line()
        self.begin()
        everything, _ = self.subscribe(self.receiver, "/all")
        self.subscribe(self.receiver, "/rumah", datasets="rumah air")
        self.subscribe(self.receiver, "/dulu", datasets="dulu")
        self.subscribe(self.receiver, "/release", events="release.published", datasets="rumah")
        self.subscribe(self.receiver, "/gone", events="dataset.withdrawn dataset.deprecated", datasets="air")
        late = self.tool.ask("sub", self.key, self.receiver.url("/unverified"), "dataset.version.published")[0]
        self.tool.ask("sql", f"UPDATE webhook_delivery SET state = 'cancelled', done = {START} WHERE state = 'pending'")
        self.publish(("kumuh", "1", "published"), ("rumah", "1", "published"), ("baru", "1", "published"), ("rumahku", "1", "published"),
                     ("air", "1", "withdrawn"), ("pasar", "1", "withdrawn"), ("air", "0", "thinned"), release="2.6.0")
        self.subscribe(self.receiver, "/later")
        self.turn(START)
        self.assertEqual(self.told("/all"), [("baru", "1"), ("kumuh", "1"), ("rumah", "1"), ("rumahku", "1")])
        self.assertEqual(self.told("/rumah"), [("rumah", "1")])
        self.assertEqual(self.told("/dulu"), [("baru", "1")])
        self.assertEqual([m.type for m in self.receiver.to("/release")][1:], ["release.published"])
        self.assertEqual([(m.type, m.json()["data"]["dataset"]) for m in self.receiver.to("/gone")[1:]], [("dataset.withdrawn", "air")])
        self.assertEqual(self.told("/later"), [])
        self.assertEqual(self.told("/unverified"), [])
        self.assertEqual(self.state(late), ("unverified", ""))

    def test_equal_filters_share_a_message(self):
        self.site.line()
        self.begin()
        for i in range(6):
            self.subscribe(self.receiver, f"/{i}", datasets="kumuh", filter=("", "kode = '31'", "kode = '32'")[i % 3])
        self.publish(("kumuh", "1", "published"))
        self.turn(START)
        self.assertEqual(self.tool.rows("SELECT count(*), count(DISTINCT message) FROM webhook_delivery WHERE message IN"
                                        " (SELECT id FROM webhook_message WHERE event IS NOT NULL)"), [(6, 3)])
        self.assertEqual({len(self.told(f"/{i}")) for i in range(6)}, {1})
        # This site has no such data: nobody can say that nothing matches, so it is told, and says so.
        filtered = self.receiver.to("/1", "dataset.version.published")[0].json()["data"]["match"]
        self.assertEqual((filtered["applied"], set(filtered["why"])), (False, {"id", "en"}))
        self.assertIsNone(self.receiver.to("/0", "dataset.version.published")[0].json()["data"]["match"])

    def test_many_windows_and_filters(self):
        """More subscriptions than a batch and more filters than are held at once."""
        self.site.line()
        self.begin()
        self.tool.ask("subs", self.key, 1100, self.receiver.url("/%d"), "dataset.version.published")
        self.tool.ask("sql", "UPDATE webhook SET datasets = 'kumuh', filter = 'kode = ' || id WHERE id % 2 = 0")
        self.publish(("kumuh", "1", "published"), ("rumah", "1", "published"))
        rows = self.tool.rows("SELECT e.dataset, count(*), count(DISTINCT d.webhook), count(DISTINCT d.message) FROM webhook_delivery d"
                              " JOIN webhook_message m ON m.id = d.message JOIN webhook_event e ON e.id = m.event GROUP BY 1")
        self.assertEqual(rows[0][:3], ("kumuh", 1100, 1100))
        self.assertGreaterEqual(rows[0][3], 551)
        self.assertLessEqual(rows[0][3], 553)
        self.assertEqual(rows[1], ("rumah", 550, 550, 1))
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_event WHERE done = 0"), [(0,)])

    def test_withdrawn_keys_are_forgotten(self):
        """What waits or is kept has no keys of records of a withdrawn dataset any more; others have theirs."""
        self.site.line()
        self.begin()
        self.site.notify = {"kumuh": 3600}
        name, secret = self.subscribe(self.receiver, "/a")
        self.tool.ask("change", name, "state=paused")
        self.publish(("kumuh", "1", "published"), ("rumah", "1", "published"))
        self.publish(("kumuh", "2", "published"))
        resources = '[{"name":"x","rows":1,"changes":[],"keys":{"added":["3171-77"],"removed":[],"changed":[]}}]'
        for table, column, path in (("webhook_event", "data", "$.resources"), ("webhook_message", "body", "$.data.resources")):
            self.tool.ask("sql", f"UPDATE {table} SET {column} = json_set({column}, '{path}', json('{resources}')) WHERE type = 'dataset.version.published'")
        self.publish(("kumuh", "1", "withdrawn"))
        stored = self.tool.rows("SELECT dataset, data FROM webhook_event WHERE type = 'dataset.version.published' UNION ALL"
                                " SELECT e.dataset, m.body FROM webhook_message m JOIN webhook_event e ON e.id = m.event WHERE m.type = 'dataset.version.published'")
        self.assertEqual(len(stored), 5)
        for dataset, text in stored:
            self.assertEqual("3171-77" in text, dataset == "rumah", text)
        self.tool.ask("change", name, "state=active")
        self.tool.now(self.tool.clock + 2 * HOUR)
        self.tool.ask("tell")
        self.turn(self.tool.clock)
        messages = self.receiver.to("/a", "dataset.version.published")
        self.assertEqual(sorted((m.json()["data"]["dataset"], b"3171-77" in m.body) for m in messages), [("kumuh", False), ("kumuh", False), ("rumah", True)])
        self.check(secret, messages)

    def test_quota(self):
        self.begin(tier="public")
        self.subscribe(self.receiver, "/mine", events="quota.warning")
        mine = self.key
        self.key, _ = self.tool.ask("key", "Budi", "budi@example.go.id", "public")
        self.subscribe(self.receiver, "/other", events="quota.warning dataset.version.published")
        for used, expected in ((799, []), (800, [80]), (950, [80]), (1000, [80, 100]), (1000, [80, 100])):
            self.tool.ask("count", mine, used)
            self.tool.ask("tell")
            self.turn(START)
            self.assertEqual([m.json()["data"]["percent"] for m in self.receiver.to("/mine", "quota.warning")], expected)
        data = self.receiver.to("/mine", "quota.warning")[0].json()["data"]
        self.assertEqual(data, {"key": mine[:14], "tier": "public", "percent": 80, "limit": 1000, "used": 800, "resets": "2023-11-16T00:00:00+07:00"})
        self.assertEqual(self.receiver.to("/other", "quota.warning"), [])
        self.tool.now(START + DAY)
        self.tool.ask("count", mine, 5000)
        self.tool.ask("tell")
        self.turn(START + DAY)
        self.assertEqual([m.json()["data"]["percent"] for m in self.receiver.to("/mine", "quota.warning")], [80, 100, 80, 100])

    def test_account_without_a_key(self):
        self.begin()
        name, _ = self.subscribe(self.receiver, "/a")
        self.tool.ask("sql", f"UPDATE key SET until = {START // 1000 + 60} WHERE account = {self.account}")
        self.publish(("kumuh", "1", "published"))
        self.assertEqual(self.state(name), ("active", ""))
        self.tool.now(START + MINUTE)
        self.publish(("kumuh", "2", "published"))
        self.assertEqual(self.state(name), ("disabled", "key"))
        self.turn(START + MINUTE)
        self.assertEqual(self.told("/a"), [])
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["cancelled"])

    def test_pruned(self):
        """Ended deliveries, waiting ones of a paused subscription, their messages and events; not what is pending."""
        self.begin("--keep", str(10 * 86400))
        name, _ = self.subscribe(self.receiver, "/a")
        waiting, _ = self.subscribe(self.receiver, "/b")
        self.tool.ask("change", waiting, "state=paused")
        self.publish(("kumuh", "1", "published"))
        self.turn(START)
        self.tool.now(START + 9 * DAY)
        self.publish(("kumuh", "2", "published"))
        self.assertEqual([s for _, s, _ in self.attempts(name) + self.attempts(waiting)], ["delivered", "pending", "pending", "pending"])
        self.tool.now(START + 11 * DAY)
        self.tool.ask("tell")
        self.assertEqual([s for _, s, _ in self.attempts(name) + self.attempts(waiting)], ["pending", "expired", "pending"])
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_attempt"), [(0,)])
        self.tool.now(START + 22 * DAY)
        self.tool.ask("change", waiting, "state=active")
        self.turn(START + 22 * DAY)
        self.tool.ask("tell")
        self.assertEqual([s for _, s, _ in self.attempts(name) + self.attempts(waiting)], ["delivered", "delivered"])
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_event"), [(0,)])
        self.tool.now(START + 40 * DAY)
        self.tool.ask("tell")
        for table in ("webhook_delivery", "webhook_message", "webhook_event", "webhook_attempt"):
            self.assertEqual(self.tool.rows(f"SELECT count(*) FROM {table}"), [(0,)], table)
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_line"), [(3,)])

    def test_strangers_go(self):
        """A subscription that nobody has confirmed in all the time that deliveries are kept."""
        self.begin("--keep", str(10 * 86400))
        name, _ = self.tool.ask("sub", self.key, self.receiver.url("/a"), "dataset.version.published")
        kept, _ = self.subscribe(self.receiver, "/b")
        self.tool.ask("sql", "UPDATE webhook SET state = 'unverified', verified = 0 WHERE id = 1")
        for days, there in ((9, [name, kept]), (11, [kept])):
            self.tool.now(START + days * DAY)
            self.tool.ask("tell")
            self.assertEqual([n for n, in self.tool.rows("SELECT name FROM webhook ORDER BY id")], there)
        self.assertEqual(self.tool.rows("SELECT subject, detail FROM audit WHERE act = 'webhook.delete'"),
                         [(name, f'{{"account":{self.account},"host":"127.0.0.1","reason":"unverified"}}')])

    def test_another_key_file(self):
        """What an older key sealed is sealed anew; without the key the subscription waits; with it again it goes on."""
        self.begin()
        name, secret = self.subscribe(self.receiver, "/a")
        self.finish()
        path = self.dir / "state" / "webhook.key"
        old = path.read_text()
        sealed = self.tool.rows("SELECT url, secret FROM webhook")[0]
        new = "bmV3IGtleSBvZiB0ZXN0cyAzMiBieXRlcyBsb25nIDA=\n"
        path.write_text(new)
        self.open()
        self.tool.ask("tell")
        self.assertEqual(self.state(name), ("paused", "sealed"))
        self.publish(("kumuh", "1", "published"))
        self.turn(START)
        self.assertEqual(self.told("/a"), [])
        self.finish()
        path.write_text(new + old)
        self.open()
        self.tool.ask("tell")
        self.assertEqual(self.state(name), ("active", ""))
        again = self.tool.rows("SELECT url, secret FROM webhook")[0]
        self.assertNotEqual(again[0][1:5], sealed[0][1:5])
        self.assertNotEqual(again[1][1:5], sealed[1][1:5])
        self.turn(START)
        self.finish()
        path.write_text(new)
        self.open()
        self.tool.ask("tell")
        self.publish(("kumuh", "2", "published"))
        self.turn(START)
        self.assertEqual(self.told("/a"), [("kumuh", "1"), ("kumuh", "2")])
        self.check(secret, self.receiver.to("/a"))

    def test_broken_site(self):
        """A site or a log that cannot be read tells nothing; the next good one tells all."""
        self.begin()
        self.subscribe(self.receiver, "/a")
        self.site.line(("kumuh", "1", "published"))
        bad = self.site.build()
        (bad / "releases.log").write_text("{")
        self.tool.ask("site", bad)
        self.assertNotEqual(self.tool.raw("tell").split(" ")[0], "fail")
        self.assertFalse(self.tool.figures()["site_ok"])
        self.tool.ask("site", self.dir / "nowhere")
        self.assertNotEqual(self.tool.raw("tell").split(" ")[0], "fail")
        self.publish(("kumuh", "2", "published"))
        self.assertTrue(self.tool.figures()["site_ok"])
        self.turn(START)
        self.assertEqual(self.told("/a"), [("kumuh", "1"), ("kumuh", "2")])


if __name__ == "__main__":
    unittest.main()
