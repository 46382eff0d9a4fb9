"""Clocks that jump below a running gateway and across restarts (tests/fault/gateway_shim.c moves the wall clock of all its processes; the monotonic one goes on): a day and an hour ahead and back, over the
day's turn of quotas and the month's. A day's quota is given once, none is negative, no key is locked out longer than its own day, what has expired stays so as long as the clock says so, and nothing
storms. What a clock that goes back means is in docs/threats.md."""
import json
import sys
import time

import gatewaylib
import gatewayshimlib
from gatewaylib import wait_for

HOUR, DAY = 3600, 86400
LIMIT = 20
TIERS = [("public", LIMIT, 100000), ("government", None, 100000)]


class Clock(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        gatewayshimlib.needs_shim()
        self.shim = gatewayshimlib.Shim(self.dir, self.dir / "state")
        # In the middle of the portal's day, whatever the hour is here: Jakarta's noon is 05:00 UTC.
        self.base = (5 * HOUR - time.time()) % DAY
        self.jump(0)
        self.g = self.serve(self.small_site(tiers=TIERS), "--registrations", "1000000", env=self.shim.env())

    def jump(self, seconds):
        """SECONDS from the noon at which the test begins."""
        self.shim.ahead(self.base + seconds)

    def take(self, key, most=3 * LIMIT):
        """How many requests pass until one is refused for the day."""
        for n in range(most):
            answer = self.g.get("/v1/kumuh", key)
            if answer.status != 200:
                self.problem(answer, 429, "quota-exceeded")
                self.assertTrue(0 < int(answer.get("retry-after")) <= 2 * DAY + 600, answer)
                return n
            self.assertTrue(0 <= answer.remaining() < LIMIT, answer)
        return most

    def seen(self, moment):
        """nginx and the service see the new time."""
        wait_for("a tick", lambda: self.g.metrics_get("/healthz").status == 200)
        time.sleep(1.2)
        return moment

    def used(self, key):
        return self.g.get("/auth/key", key).json()["data"][0]["used"]

    def test_quota_is_given_once_a_day(self):
        key = self.g.create_key("public")
        self.assertEqual(self.take(key), LIMIT)
        for name, seconds, passes in (("an hour ahead", HOUR, 0), ("an hour back", -HOUR, 0), ("the same day", 0, 0), ("tomorrow", DAY, LIMIT), ("today again", 0, 0), ("tomorrow again", DAY, 0),
                                      ("a month ahead", 31 * DAY, LIMIT), ("the same, an hour back", 31 * DAY - HOUR, 0), ("the day before that", 30 * DAY, 0), ("and back to that month", 31 * DAY, 0)):
            with self.subTest(name):
                self.jump(seconds)
                self.seen(name)
                self.assertEqual(self.take(key), passes, name)
                self.assertTrue(0 <= self.used(key) <= LIMIT, name)
        # A word that is more than a day ahead was written by a clock that was wrong: nobody is locked out for a month.
        self.jump(2 * DAY)
        self.seen("a clock that was a month ahead is set right")
        self.assertLessEqual(self.take(key), LIMIT)
        self.jump(32 * DAY)
        self.seen("the next day")
        self.assertEqual(self.take(key), LIMIT, "the next day")

    def test_across_restarts(self):
        key, other = self.g.create_key("public"), self.g.create_key("public")
        self.assertEqual(self.take(key), LIMIT)
        self.assertEqual(self.g.get("/v1/kumuh", other).status, 200)
        for name, seconds, passes in (("an hour later", HOUR, 0), ("an hour earlier", -HOUR, 0), ("the next day", DAY, LIMIT), ("the day before, again", 0, 0), ("the next day, again", DAY, 0)):
            with self.subTest(name):
                self.assertEqual(self.g.stop(), 0)
                self.jump(seconds)
                self.g.start()
                self.assertEqual(self.take(key), passes, name)
                self.assertTrue(0 <= self.used(key) <= LIMIT, name)
                self.assertEqual(self.g.get("/v1/kumuh", other).status, 200, name)
        self.g.run("check")

    def test_grace_and_terms(self):
        """A replaced key works until its end, and by the clock of this machine only: one that is set back before that end makes it work again, a revoked one never does."""
        old, revoked = self.g.create_key("government"), self.g.create_key("government")
        new = self.g.get("/auth/rotate", old, method="POST").json()["data"][0]["key"]
        self.assertEqual(self.g.get("/auth/key", revoked, method="DELETE").status, 200)

        def statuses():
            return [self.g.get("/v1/kumuh", k).status for k in (old, new, revoked)]
        for name, seconds, want in (("at once", 0, [200, 200, 401]), ("six days", 6 * DAY, [200, 200, 401]), ("eight days", 8 * DAY, [401, 200, 401]), ("an hour back, still over", 8 * DAY - HOUR, [401, 200, 401]),
                                    ("before the end again", 6 * DAY, [200, 200, 401]), ("before all of it", -DAY, [200, 200, 401])):
            with self.subTest(name):
                self.jump(seconds)
                self.seen(name)
                self.assertEqual(statuses(), want, name)

    def test_acts_and_webhooks(self):
        """Registering, revoking and the audit go on whatever the clock says, and deliveries that wait are not sent in a storm."""
        made, key = [], self.g.create_key("government")
        for n, seconds in enumerate((0, DAY, -DAY, HOUR, -HOUR, 31 * DAY, 0)):
            self.jump(seconds)
            self.seen(seconds)
            body = json.dumps({"name": "Uji", "email": f"c{n}@example.org"}).encode()

            def registered():  # limits of an hour that a clock ahead has written are brought into the hour, and run out
                got = self.g.get("/auth/register", method="POST", headers=["Content-Type: application/json"], body=body)
                self.assertIn(got.status, (201, 429), (seconds, got))
                return got.status == 201 and got
            answer = wait_for("a registration", registered)
            made.append(answer.json()["data"][0]["key"])
            self.assertEqual([self.g.get("/auth/key", k).status for k in made], [200] * len(made), seconds)
            self.assertEqual(self.g.get("/v1/kumuh", gatewaylib.make_key()).status, 401)
        audit = json.loads(self.g.run("audit", "list", "--json").stdout)
        self.assertGreaterEqual(len(audit), len(made))
        self.g.run("check")
        self.assertEqual(self.g.get("/v1/kumuh", key).status, 200)
        lines = self.g.log_text().count("\n")
        time.sleep(2)
        self.assertLess(self.g.log_text().count("\n") - lines, 20, self.g.log_text()[-1500:])
        self.assertEqual(self.g.stop(), 0)
        print(f"{len(made)} jumps, lost 0, let in 0", file=sys.stderr)


if __name__ == "__main__":
    gatewaylib.main()
