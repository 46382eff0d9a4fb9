"""Counts are exact to the request: through reloads and switches of the site, over two workers, across midnight, at the burst.

The large run (ODP_REQUESTS, 1,000,000 by default) is started with the argument `deep`; without it the file runs the quick ones."""
import collections
import json
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import traceback

import gatewaylib
from gatewaylib import wait_for

LIMITED = [("public", 2000000000, 1000000), ("registered", 500, 1000000), ("government", None, 5)]
DEEP = "deep" in sys.argv
REQUESTS = int(os.environ.get("ODP_REQUESTS", "1000000" if DEEP else "20000"))


def client(port, keys, requests, etag, seed, out, progress, connections=16):
    """Sends REQUESTS over keep-alive connections, one in flight on each; OUT gets what came back. Every request is answered or retried only
    when its reused connection closed without a byte."""
    seen, rng = collections.Counter(), random.Random(seed)
    pool = [gatewaylib.Connection(port) for _ in range(connections)]
    kinds = [("/v1/kumuh", ""), ("/api/v1/kumuh.json", ""), ("/v1/besar", "Range: bytes=0-99\r\n"), ("/v1/tidak-ada", ""),
             ("/v1/kumuh", f"If-None-Match: {etag}\r\n"), ("/v1/kumuh", "Accept-Encoding: gzip\r\n"), ("/v1/", "")]
    try:
        while requests > 0:
            batch = []
            for c in pool[:requests]:
                path, header = rng.choice(kinds)
                data = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {rng.choice(keys)}\r\n{header}\r\n".encode()
                c.send(data)
                batch.append((c, path, data))
            for c, path, data in batch:
                while True:
                    try:
                        answer = c.receive()
                        break
                    except c.Unanswered:
                        if c.used == 0:
                            raise AssertionError("a fresh connection closed without an answer") from None
                        seen["retried"] += 1
                        c.close()
                        c.send(data)
                seen[answer.status] += 1
                if answer.status in (200, 206, 404) and path != "/v1/":
                    seen["counted"] += 1
                requests -= 1
            with progress.get_lock():
                progress.value += len(batch)
        out.put(seen)
    except BaseException:
        out.put(traceback.format_exc())
    finally:
        for c in pool:
            c.close()


def together(port, keys, requests, etag, clients=2):
    """Starts CLIENTS processes. Returns a function that waits for them and adds up what they saw; its .progress() is how many were answered."""
    context = multiprocessing.get_context("fork")
    out, progress = context.Queue(), context.Value("q", 0)
    started = [context.Process(target=client, args=(port, keys, requests // clients, etag, n, out, progress), daemon=True) for n in range(clients)]
    for p in started:
        p.start()

    def finish():
        total = collections.Counter()
        for _ in started:
            seen = out.get(timeout=3600)
            if isinstance(seen, str):
                raise AssertionError(seen)
            total += seen
        for p in started:
            p.join()
        return total
    finish.progress = lambda: progress.value
    finish.running = lambda: any(p.is_alive() for p in started)
    return finish


class Exact(gatewaylib.Case):
    def run_exact(self, requests):
        site = self.small_site(tiers=LIMITED)
        two = gatewaylib.write_site(self.dir / "builds/two", gatewaylib.SMALL, (site / "gateway.json").read_text())
        builds = [os.readlink(site), two]
        g = self.serve(site)
        keys = [g.create_key("public") for _ in range(40)]
        etag = gatewaylib.control_of(site)["v1/kumuh.json"]["etag"]
        before = g.settled()[0]
        finish = together(g.port, keys, requests, etag)

        def disturb():
            """Five reloads and five switches by turns, spread over the run."""
            for n in range(10):
                while finish.progress() < requests * (n + 1) // 11:
                    if not finish.running():
                        return
                    time.sleep(0.01)
                if n % 2:
                    gatewaylib.link(site, builds[(n // 2 + 1) % 2])
                else:
                    g.send_signal(signal.SIGHUP)
                disturbed.append(n)
        disturbed = []
        thread = threading.Thread(target=disturb)
        thread.start()
        try:
            seen = finish()
        finally:
            thread.join()
        self.assertEqual(set(seen) - {"counted", "retried"}, {200, 206, 304, 404}, seen)
        counted = g.settled(before + seen["counted"])
        self.assertEqual(counted[0] - before, seen["counted"], seen)
        listed = json.loads(g.run("keys", "list", "--json").stdout)
        listed = listed["data"] if isinstance(listed, dict) else listed
        self.assertEqual(sum(k["used"] for k in listed), seen["counted"] + before)
        self.assertEqual(len(disturbed), 10)
        self.assertEqual(g.stop(), 0)
        self.nothing_left(g)
        g.start()  # the counts outlive a stop
        self.assertEqual(g.settled(counted[0])[0], counted[0])
        print(dict(seen), file=sys.stderr)

    def test_exact(self):
        self.run_exact(REQUESTS)

    def test_two_workers_share_a_quota(self):
        g = self.serve(self.small_site(tiers=LIMITED))
        key = g.create_key("registered")
        seen = collections.Counter()

        def hammer():
            connection = gatewaylib.Connection(g.port)
            for _ in range(150):
                seen[connection.get("/v1/kumuh", key).status] += 1
            connection.close()
        threads = [threading.Thread(target=hammer) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(dict(seen), {200: 500, 429: 700})

    def test_what_is_counted(self):
        g = self.serve(self.small_site(tiers=LIMITED))
        key = g.create_key("public")
        left = [2000000000]

        def costs(cost, path, status, *options, by=key):
            answer = g.curl(path, *options, key=by)
            self.assertEqual(answer.status, status, (path, answer))
            left[0] -= cost
            if answer.remaining() is not None:
                self.assertEqual(answer.remaining(), left[0], (path, options))
            self.assertEqual(g.curl("/auth/key", key=key).json()["data"][0]["used"], 2000000000 - left[0], (path, options))
        etag = g.curl("/v1/kumuh", key=key).get("etag")
        left[0] -= 1
        costs(1, "/v1/kumuh", 200, "-I")
        costs(0, "/v1/kumuh", 304, "-H", f"If-None-Match: {etag}")
        costs(0, "/v1/kumuh", 204, "-X", "OPTIONS", "-H", "Access-Control-Request-Method: GET", "-H", "Origin: https://example.org")
        costs(1, "/v1/kumuh", 206, "-H", "Range: bytes=0-1")
        costs(1, "/v1/kumuh", 416, "-H", "Range: bytes=99999999-")
        costs(1, "/v1/nothing", 404)
        costs(1, "/v1/ditarik", 410)
        costs(0, "/v1/", 200)
        costs(0, "/v1/openapi.json", 200)
        costs(0, "/index.html", 200)
        costs(0, "/data/kumuh/latest/kumuh.csv", 200)
        costs(0, "/auth/tiers", 200)
        costs(0, "/v1/kumuh", 401, by=gatewaylib.make_key())

    def test_midnight_in_jakarta(self):
        env, set_clock = self.clock()
        set_clock("2026-11-25 16:59:57")  # 23:59:57 in Jakarta; the clock stands
        g = self.serve(self.small_site(tiers=[("public", 5, 1000000), ("registered", 500, 20)]), env=env)
        key = g.create_key("public")
        self.assertEqual([g.get("/v1/kumuh", key).remaining() for _ in range(5)], [4, 3, 2, 1, 0])
        answer = g.get("/v1/kumuh", key)
        self.problem(answer, 429, "quota-exceeded")
        self.assertEqual(answer.get("ratelimit"), '"daily";r=0;t=3')
        retry = int(answer.get("retry-after"))
        self.assertTrue(3 <= retry <= 303, retry)
        self.assertEqual(g.get("/v1/kumuh", key).get("retry-after"), str(retry))  # jittered, but steady
        set_clock("2026-11-25 16:59:59")
        wait_for("the second before", lambda: g.get("/v1/kumuh", key).get("ratelimit") == '"daily";r=0;t=1')
        self.assertEqual(g.get("/v1/kumuh", key).status, 429)
        set_clock("2026-11-25 17:00:00")
        answer = wait_for("midnight", lambda: (lambda a: a if a.status == 200 else None)(g.get("/v1/kumuh", key)))
        self.assertEqual(answer.get("ratelimit"), '"daily";r=4;t=86400')
        row = g.get("/auth/key", key).json()["data"][0]
        self.assertEqual((row["used"], row["reset"]), (1, "2026-11-27T00:00:00+07:00"))
        # Both days are kept.
        def days():
            text = g.run("usage", "--by", "day", "--csv", env={}).stdout
            return text if "2026-11-26" in text else None
        text = wait_for("both days", days)
        self.assertRegex(text, r"(?m)^2026-11-25,5\s*$")
        self.assertRegex(text, r"(?m)^2026-11-26,1\s*$")
        # The counts of a day that is over do not come back with a restart.
        self.assertEqual(g.stop(), 0)
        g.start()
        self.assertEqual(g.get("/v1/kumuh", key).remaining(), 3)

    def test_burst_by_tier(self):
        """While the clock stands still nothing flows back: a second's requests at once, five seconds' in the queue, the others are refused."""
        env, set_clock = self.clock()
        set_clock("2026-11-25 10:00:00")
        g = self.serve(self.small_site(tiers=[("public", 1000, 3), ("government", None, 7)]), env=env)
        asked = {}
        for tier, burst in (("public", 3), ("government", 7)):
            key, pool = g.create_key(tier), [gatewaylib.Connection(g.port) for _ in range(burst * 6 + 5)]
            for c in pool:
                c.send(f"GET /v1/kumuh HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
                self.addCleanup(c.close)
            asked[burst] = key, pool
        for burst, (key, pool) in asked.items():
            answers = sorted((c.receive() for c in pool), key=lambda a: a.status)
            self.assertEqual([a.status for a in answers], [200] * burst * 6 + [429] * 5)
            document = self.problem(answers[-1], 429, "burst-exceeded")
            self.assertEqual(document["violated-policies"], ["burst"])
            self.assertGreaterEqual(int(answers[-1].get("retry-after")), 1)
            if burst == 3:  # refusals cost nothing of the day
                self.assertEqual(g.get("/auth/key", key).json()["data"][0]["used"], burst * 6)
        set_clock("2026-11-25 10:01:00")
        wait_for("a later moment", lambda: g.get("/v1/kumuh", asked[3][0]).status == 200)


if __name__ == "__main__":
    if DEEP:
        sys.argv[1:] = ["Exact.test_exact"]
    gatewaylib.main()
