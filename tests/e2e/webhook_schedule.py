"""What becomes of a message at each kind of receiver, over days of a turned clock: the schedule of Standard Webhooks 1.0.0, what asks to wait, what wants no more, what fails for
days, and that none of them holds up another."""
import json
import pathlib
import unittest

import gatewaylib
import webhooktoollib as lib
from webhooklib import Receiver
from webhooktoollib import DAY, DELAYS, HOUR, MINUTE, SECOND, START


class Schedule(lib.Case):
    options = ("--timeout", "20000")  # nobody is taken for one that hangs, however slow the machine is

    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def follow(self, name, most=50):
        """Turns the clock from one due moment to the next until nothing is pending."""
        for _ in range(most):
            due = self.due(name)
            if due is None or self.state(name)[0] != "active":
                return
            self.turn(max(due, self.tool.clock))
        self.fail(f"{name} has no end: {self.attempts(name)}")

    def assert_schedule(self, attempts, delays=None):
        """Each attempt comes after the delay of the standard, with at most a fifth more, from the end of the one before."""
        delays = DELAYS if delays is None else delays
        self.assertEqual(len(attempts), len(delays) + 1)
        for (at, took, _, _), (after, _, _, _), delay in zip(attempts, attempts[1:], delays):
            gap = after - at - took
            self.assertGreaterEqual(gap, delay)
            self.assertLessEqual(gap, delay * 1.2 + self.ran())

    def test_delivered(self):
        self.begin()
        name, secret = self.subscribe(self.receiver, "/ok")
        digest = self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START + SECOND)
        message, = self.receiver.to("/ok", "dataset.version.published")
        self.check(secret, [message], START + SECOND)
        self.assertEqual((message.method, message.headers["content-type"]), ("POST", "application/json"))
        (msg, state, [(at, took, status, outcome)]), = self.attempts(name)
        self.assertEqual((msg, state, status, outcome), (message.id, "delivered", 204, "delivered"))
        self.assertGreaterEqual(at, START + SECOND)
        doc = message.json()
        self.assertEqual((doc["timestamp"], doc["data"]["dataset"], doc["data"]["version"]), ("2023-11-14T22:13:20.000Z", "kumuh", "2024-03-15"))
        self.assertEqual(self.tool.rows("SELECT key FROM webhook_event WHERE type = 'dataset.version.published'"), [(digest + "/1",)])
        self.turn(START + 30 * DAY)
        self.assertEqual(len(self.receiver.to("/ok", "dataset.version.published")), 1)

    def test_every_failure_has_the_schedule(self):
        """500, a redirect, resets, no HTTP: ten attempts over three days, then failed; the body and the id stay the same."""
        self.begin()
        self.fail_to_the_end({"/500": (500, 500, "refused"), "/302": ((302, {"Location": self.receiver.url("/elsewhere")}), 302, "redirect"),
                              "/reset": ("reset", 0, "broken"), "/garbage": ("garbage", 0, "broken"), "/404": (404, 404, "refused")})
        self.assertEqual(self.receiver.to("/elsewhere"), [])

    def test_who_takes_too_long_has_the_schedule(self):
        """The same of those that hang, and that send a byte now and then."""
        self.begin()
        self.fail_to_the_end({"/hang": ("hang", 0, "timeout"), "/drip": ("drip", 0, "timeout")}, 200)

    def limit(self, ms):
        """From here on, who takes longer than MS is taken for one that hangs; a challenge before that had all the time a slow machine needs."""
        self.assertEqual(self.tool.end(), 0)
        self.open("--timeout", ms)

    def fail_to_the_end(self, plans, limit=None):
        names = {path: self.subscribe(self.receiver, path) for path in plans}
        if limit is not None:
            self.limit(limit)
        for path, (plan, _, _) in plans.items():
            self.receiver.behave(path, plan)
        self.publish(("kumuh", "2024-03-15", "published"))
        for _ in range(200):
            due = [d for d in (self.due(name) for name, _ in names.values()) if d is not None]
            if not due:
                break
            self.turn(max(max(due), self.tool.clock))
        for path, (_, status, outcome) in plans.items():
            name, secret = names[path]
            with self.subTest(path):
                (msg, state, attempts), = self.attempts(name)
                self.assertEqual((state, {(a[2], a[3]) for a in attempts}), ("failed", {(status, outcome)}))
                self.assert_schedule(attempts)
                messages = self.receiver.to(path, "dataset.version.published")
                self.assertEqual({(m.id, m.body) for m in messages}, {(msg, messages[0].body)})
                self.assertEqual(len({m.headers["webhook-timestamp"] for m in messages}), 10)
                self.check(secret, messages)

    def test_works_again(self):
        self.begin()
        name, secret = self.subscribe(self.receiver, "/flaky")
        self.receiver.behave("/flaky", 500, 404, 503, 200)
        self.publish(("kumuh", "2024-03-15", "published"))
        self.follow(name)
        (_, state, attempts), = self.attempts(name)
        self.assertEqual((state, [a[3] for a in attempts]), ("delivered", ["refused", "refused", "slow-down", "delivered"]))
        self.assert_schedule(attempts, DELAYS[:3])
        self.assertEqual(self.tool.rows("SELECT failing, not_before FROM webhook"), [(0, 0)])
        self.check(secret, self.receiver.to("/flaky"))

    def test_retry_after(self):
        """429 with Retry-After: nothing goes there before, neither this message nor another; then both."""
        self.begin()
        name, _ = self.subscribe(self.receiver, "/429")
        self.receiver.behave("/429", (429, {"Retry-After": "7200"}), 200)
        self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START + SECOND)
        self.assertEqual(self.attempts(name)[0][2][0][2:], (429, "slow-down"))
        until, = self.tool.rows("SELECT not_before FROM webhook")[0]
        self.assertLess(abs(until - START - 7201 * SECOND), self.ran())
        self.publish(("rumah", "2024-03-15", "published"))
        for ms in (START + MINUTE, START + HOUR, until - MINUTE):  # the machine's own time runs while a turn lasts
            self.turn(ms)
        self.assertEqual(len(self.receiver.to("/429", "dataset.version.published")), 1)
        self.turn(until)
        self.assertEqual([m.json()["data"]["dataset"] for m in self.receiver.to("/429", "dataset.version.published")][:2], ["kumuh", "rumah"])
        self.follow(name)
        self.assertEqual([(state, len(tries)) for _, state, tries in self.attempts(name)], [("delivered", 2), ("delivered", 1)])
        at = [a[0] for a in self.attempts(name)[0][2]]
        self.assertGreaterEqual(at[1] - at[0], 7200 * SECOND)

    def test_too_long_a_wait_is_a_day(self):
        self.begin()
        name, _ = self.subscribe(self.receiver, "/503")
        self.receiver.behave("/503", (503, {"Retry-After": "99999999"}), 200)
        self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START)
        until, = self.tool.rows("SELECT not_before FROM webhook")[0]
        self.assertLess(abs(until - START - DAY), self.ran())
        self.follow(name)
        self.assertEqual(self.attempts(name)[0][1], "delivered")

    def test_gone(self):
        """410: disabled, what waits is cancelled, the owner is told once; asking for "active" asks the address again."""
        mail = self.dir / "mail"
        script = self.dir / "sendmail"
        script.write_text(f"#!/bin/sh\ncat >> {mail}\n")
        script.chmod(0o755)
        self.begin("--mail", script)
        name, _ = self.subscribe(self.receiver, "/gone")
        other, _ = self.subscribe(self.receiver, "/other")
        self.receiver.behave("/gone", 500)
        self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START)
        self.receiver.behave("/gone", 410)
        self.publish(("rumah", "2024-03-15", "published"))
        self.turn(START + SECOND)
        self.assertEqual(self.state(name), ("disabled", "gone"))
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["cancelled", "failed"])
        self.assertEqual([s for _, s, _ in self.attempts(other)], ["delivered", "delivered"])
        self.publish(("air", "2024-03-15", "published"))
        self.turn(START + DAY)
        self.assertEqual(len(self.attempts(name)), 2)
        text = self.unfold(mail)
        self.assertEqual(text.count("To: sari@example.go.id"), 1)
        self.assertIn("127.0.0.1", text)
        self.assertIn("410", text)
        self.assertIn(f"https://data.example.go.id/v1/webhooks/{name}", text)
        self.assertNotIn(self.receiver.url("/gone"), text)
        self.assertIn("PATCH", text)
        self.receiver.behave("/gone", "ok")
        self.tool.ask("change", name, "state=active")
        self.assertEqual(self.state(name), ("unverified", ""))
        self.turn(START + DAY + SECOND)
        self.assertEqual(self.state(name), ("active", ""))
        self.assertEqual(len(self.receiver.to("/gone", "dataset.version.published")), 2)

    @staticmethod
    def unfold(mail):
        """The mails' text, decoded."""
        import email
        import email.header
        parts = []
        for one in pathlib.Path(mail).read_text().split("From: ")[1:]:
            m = email.message_from_string("From: " + one)
            parts += [f"{k}: {email.header.make_header(email.header.decode_header(v))}" for k, v in m.items()]
            parts.append(m.get_payload(decode=True).decode())
        return "\n".join(parts)

    def test_failing_for_days_is_paused(self):
        """No success for three and a half days and one that has failed: paused, told once; what comes waits; active again: all of it goes."""
        mail = self.dir / "mail"
        script = self.dir / "sendmail"
        script.write_text(f"#!/bin/sh\ncat >> {mail}\n")
        script.chmod(0o755)
        self.begin("--mail", script)
        name, secret = self.subscribe(self.receiver, "/dead")
        self.receiver.behave("/dead", 500)
        days = []
        for day in range(6):
            self.tool.now(max(self.tool.clock, START + day * DAY))
            self.publish(("kumuh", f"2024-03-{15 + day}", "published"))
            while self.due(name) is not None and self.due(name) < START + (day + 1) * DAY and self.state(name)[0] == "active":
                self.turn(max(self.due(name), self.tool.clock + 10 * SECOND))  # one that fails for long rests in between
            days.append(self.state(name))
        self.assertEqual(days[:3], [("active", "")] * 3)
        self.assertEqual(days[-1], ("paused", "failing"))
        paused = next(i for i, d in enumerate(days) if d[0] == "paused")
        self.assertGreaterEqual(paused, 3)
        states = [s for _, s, _ in self.attempts(name)]
        self.assertEqual((states[0], set(states[1:])), ("failed", {"pending"}))
        before = len(self.receiver.to("/dead"))
        self.turn(START + 7 * DAY)
        self.assertEqual(len(self.receiver.to("/dead")), before)
        text = self.unfold(mail)
        self.assertEqual(text.count("To: sari@example.go.id"), 1)
        self.assertIn("dijeda", text)
        self.assertIn("is paused", text)
        self.receiver.behave("/dead", "ok")
        self.tool.ask("change", name, "state=active")
        self.turn(START + 7 * DAY)
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["failed"] + ["delivered"] * 5)
        self.assertEqual(self.tool.rows("SELECT failing FROM webhook"), [(0,)])
        self.check(secret, self.receiver.to("/dead"))
        self.tool.ask("redeliver", name, self.attempts(name)[0][0])
        self.turn(START + 7 * DAY + SECOND)
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["delivered"] * 6)
        acts = [a for a, in self.tool.rows("SELECT act FROM audit WHERE act LIKE 'webhook.%' ORDER BY seq")]
        self.assertEqual(acts, ["webhook.create", "webhook.verify", "webhook.pause", "webhook.resume", "webhook.redeliver"])

    def test_challenge(self):
        """Only an answer with the challenge in it makes it active; attempts by the schedule, then it stays as it is. Events before that are not its."""
        self.begin()
        self.receiver.behave("/silent", 200)
        name, _ = self.tool.ask("sub", self.key, self.receiver.url("/silent"), "dataset.version.published")
        self.tool.ask("settle", 20000)
        self.publish(("kumuh", "2024-03-15", "published"))
        while self.due(name) is not None:
            self.turn(max(self.due(name), self.tool.clock))
        self.assertEqual(self.state(name), ("unverified", ""))
        self.assertEqual(self.tool.rows("SELECT outcome, status, count(*) FROM webhook_attempt GROUP BY 1, 2"), [("challenge-unmet", 200, 10)])
        asked, = {m.json()["data"]["challenge"] for m in self.receiver.to("/silent")}
        self.receiver.behave("/silent", (200, {}, json.dumps({"challenge": asked + "x"}).encode()), (200, {}, json.dumps({"challenge": asked}).encode()))
        self.tool.ask("test", name)
        self.turn(self.tool.clock + SECOND)
        self.assertEqual(self.state(name), ("unverified", ""))
        self.turn(self.due(name) + 10 * SECOND)  # it has failed for long: it rests
        self.assertEqual(self.state(name), ("active", ""))
        self.assertEqual(self.receiver.to("/silent", "dataset.version.published"), [])
        self.assertEqual(self.attempts(name), [])

    def test_rotated_secrets(self):
        """Both sign while the old one is valid, then only the new one; the old one leaves the store."""
        self.begin()
        name, old = self.subscribe(self.receiver, "/rotated")
        new, = self.tool.ask("rotate", name, 3600)
        self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START)
        first = self.receiver.to("/rotated", "dataset.version.published")[0]
        self.check(old, [first])
        self.check(new, [first])
        self.assertEqual(len(first.headers["webhook-signature"].split(" ")), 2)
        self.tool.now(START + HOUR)
        self.publish(("rumah", "2024-03-15", "published"))
        self.turn(START + HOUR)
        second = self.receiver.to("/rotated", "dataset.version.published")[1]
        self.check(new, [second])
        self.assertEqual(len(second.headers["webhook-signature"].split(" ")), 1)
        self.assertEqual(self.tool.rows("SELECT previous_secret, previous_until FROM webhook"), [(None, 0)])

    def test_owner_pauses(self):
        self.begin()
        name, _ = self.subscribe(self.receiver, "/paused")
        self.tool.ask("change", name, "state=paused")
        self.publish(("kumuh", "2024-03-15", "published"))
        self.turn(START + HOUR)
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["pending"])
        msg, = self.tool.ask("test", name)
        self.turn(START + HOUR)
        self.assertEqual([m.type for m in self.receiver.to("/paused")], ["webhook.challenge", "webhook.test"])
        self.assertEqual(self.receiver.to("/paused", "webhook.test")[0].id, msg)
        self.tool.ask("change", name, "state=active")
        self.turn(START + HOUR)
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["delivered", "delivered"])

    def test_one_that_fails_for_long_rests(self):
        """With a backlog of messages it is tried once in ten seconds, not with one after the other; a success ends that."""
        self.begin()
        name, _ = self.subscribe(self.receiver, "/flood")
        self.receiver.behave("/flood", 500)
        self.publish(("kumuh", "0", "published"))
        self.turn(START)
        self.tool.now(START + HOUR)
        for i in range(1, 9):
            self.publish(("kumuh", str(i), "published"))
        begun, before = self.tool.clock, len(self.receiver.to("/flood"))
        for second in range(0, 60, 2):
            self.turn(begun + second * SECOND)
        self.assertIn(len(self.receiver.to("/flood")) - before, (6, 7))  # the machine's own time runs, too
        self.receiver.behave("/flood", "ok")
        self.turn(begun + 80 * SECOND)
        self.turn(begun + HOUR)
        self.assertEqual({s for _, s, _ in self.attempts(name)}, {"delivered"})

    def test_attempts_are_bounded(self):
        """One that is asked for again and again keeps its newest fifty."""
        self.begin()
        name, _ = self.subscribe(self.receiver, "/again")
        self.publish(("kumuh", "0", "published"))
        self.turn(START)
        (msg, _, _), = self.attempts(name)
        for i in range(1, 61):
            self.tool.ask("redeliver", name, msg)
            self.turn(START + i * MINUTE)
        (_, state, attempts), = self.attempts(name)
        self.assertEqual((state, len(attempts)), ("delivered", 50))
        self.assertEqual(self.tool.rows("SELECT min(n), max(n) FROM webhook_attempt WHERE delivery = (SELECT id FROM webhook_delivery WHERE name = ?)", msg), [(12, 61)])
        self.assertEqual(len(self.receiver.to("/again", "dataset.version.published")), 61)

    def test_clock_goes_back(self):
        """What was made while the clock stood in 2040 is sent when it has gone back."""
        self.begin()
        name, _ = self.subscribe(self.receiver, "/time")
        self.tool.now(START + 5000 * DAY)
        self.receiver.behave("/time", (503, {"Retry-After": "60"}), "ok")
        self.publish(("kumuh", "0", "published"))
        self.turn(START + 5000 * DAY)
        self.site.notify = {"rumah": 3600}
        self.publish(("rumah", "0", "published"))
        self.publish(("rumah", "1", "published"))  # held
        self.tool.now(START)
        self.turn(START + HOUR)
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["pending", "pending"])
        self.tool.ask("tell")
        self.tool.ask("tell")
        self.turn(START + HOUR)
        self.turn(START + HOUR + MINUTE)
        self.assertEqual([s for _, s, _ in self.attempts(name)], ["delivered"] * 3)

    def test_deleted_under_way(self):
        self.begin()
        name, _ = self.subscribe(self.receiver, "/away")
        self.limit(1000)
        self.receiver.behave("/away", "hang")
        self.publish(("kumuh", "2024-03-15", "published"))
        self.tool.ask("send", 100)
        self.tool.ask("delete", name)
        self.tool.ask("settle", 20000)
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_delivery"), [(0,)])
        self.assertEqual(self.tool.rows("SELECT count(*) FROM webhook_attempt"), [(0,)])


class Fair(lib.Case):
    """Receivers that hang, with many messages waiting for them, hold up nobody."""

    options = ("--connections", "16")

    def test_fair(self):
        receiver, others = Receiver(), [Receiver() for _ in range(20)]
        for r in (receiver, *others):
            self.addCleanup(r.close)
        self.begin()
        name, secret = self.subscribe(receiver, "/fine")
        self.tool.ask("change", name, "state=paused")
        dead = [self.subscribe(r, "/dead")[0] for r in others]
        for r in others:
            r.behave("/dead", 500, "hang")
        self.publish(("kumuh", "v0", "published"))
        self.turn(START)  # from here on they are known to fail
        self.tool.now(START + DAY)
        for i in range(1, 40):
            self.publish(("kumuh", f"v{i}", "published"))
        self.tool.ask("send", 0)
        hanging = sum(len(r.to("/dead", "dataset.version.published")) for r in others)
        self.tool.ask("change", name, "state=active")
        # All of them arrive while the others hang, which takes 20 seconds.
        fine = gatewaylib.wait_for("messages to the one that answers", lambda: (lambda m: m if len(m) == 40 else self.tool.ask("send", 50) and None)(
            receiver.to("/fine", "dataset.version.published")), gatewaylib.PATIENCE)
        self.check(secret, fine)
        versions = [m.json()["data"]["version"] for m in fine]
        self.assertEqual(versions[0], "v0")
        self.assertEqual(sorted(versions), sorted(f"v{i}" for i in range(40)))
        for d in dead:
            self.assertEqual([len(a) for _, _, a in self.attempts(d)], [1] + 39 * [0])
        # A quarter of the connections is theirs.
        gatewaylib.wait_for("those that hang", lambda: sum(len(r.to("/dead", "dataset.version.published")) for r in others) == 24)
        self.assertLessEqual(hanging, 24)


if __name__ == "__main__":
    unittest.main()
