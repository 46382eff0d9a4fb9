"""kill -9 of anything at any moment: no acknowledged key is lost, no counted request forgotten, nothing is left behind.

Rounds: ODP_ROUNDS, or 40 with the argument `deep`, else 4 (one of each victim)."""
import collections
import os
import random
import secrets
import signal
import sys
import threading
import time

import gatewaylib
from gatewaylib import Connection, wait_for

DEEP = "deep" in sys.argv
ROUNDS = int(os.environ.get("ODP_ROUNDS", "40" if DEEP else "4"))
TIERS = [("public", 2000000000, 1000000), ("registered", 10000, 20)]
VICTIMS = ("worker", "service", "master", "parent")


class Load:
    """Readers and one who registers, until told to stop. What was answered is certain; what was under way when a connection broke is not."""

    def __init__(self, gateway, keys):
        self.gateway, self.keys, self.lock, self.over = gateway, keys, threading.Lock(), False
        self.counted, self.unsure, self.registered, self.wrong = 0, 0, [], []
        self.threads = [threading.Thread(target=self.read, args=(n,)) for n in range(6)] + [threading.Thread(target=self.register)]
        for t in self.threads:
            t.start()

    def read(self, n):
        connection, rng = Connection(self.gateway.port, 20), random.Random(n)
        while not self.over:
            try:
                answer = connection.get("/v1/kumuh", rng.choice(self.keys))
                with self.lock:
                    self.counted += answer.status == 200
                    if answer.status not in (200, 502, 503):
                        self.wrong.append(answer)
            except ConnectionRefusedError:
                time.sleep(0.01)
            except (OSError, AssertionError, Connection.Unanswered):
                with self.lock:
                    self.unsure += 1
                connection.close()
                time.sleep(0.01)
        connection.close()

    def register(self):
        while not self.over:
            name = secrets.token_hex(6)
            body = f'{{"name":"Uji","email":"{name}@example.org"}}'.encode()
            try:
                answer = self.gateway.get("/auth/register", method="POST", headers=["Content-Type: application/json"], body=body)
                if answer.status == 201:
                    self.registered.append(answer.json()["data"][0]["key"])
                elif answer.status not in (502, 503, 504):
                    self.wrong.append(answer)
            except (OSError, AssertionError, Connection.Unanswered):
                time.sleep(0.01)

    def stop(self):
        self.over = True
        for t in self.threads:
            t.join()


class Crash(gatewaylib.Case):
    def victim(self, g, what):
        """The process to kill; the service may live in the parent."""
        if what == "parent":
            return g.process.pid
        master = g.nginx_master()
        if what == "master":
            return master
        if what == "worker":
            return random.choice(gatewaylib.children_of(master))
        others = [p for p in gatewaylib.children_of(g.process.pid) if p != master]
        return random.choice(others) if others else g.process.pid

    def test_kill_anything(self):
        site = self.small_site(tiers=TIERS)
        g = self.serve(site, "--registrations", "1000000")
        keys = [g.create_key("public") for _ in range(10)]
        acknowledged, counted, unsure, deaths = [], 0, 0, collections.Counter()
        for n in range(ROUNDS):
            what = VICTIMS[n % len(VICTIMS)]
            with self.subTest(round=n, victim=what):
                load = Load(g, keys)
                try:
                    wait_for("some registrations", lambda: len(load.registered) > 3 and load.counted > 100)
                    time.sleep(random.random() * 1.5)
                    pid = self.victim(g, what)
                    os.kill(pid, signal.SIGKILL)
                    deaths[what] += 1
                    time.sleep(0.5)
                finally:
                    load.stop()
                acknowledged += load.registered
                counted, unsure = counted + load.counted, unsure + load.unsure + 6
                self.assertEqual(load.wrong, [])
                self.recover(g, pid)
                self.check(g, keys, acknowledged, counted, unsure)
        print(dict(deaths), len(acknowledged), "keys", counted, "requests", unsure, "unsure", file=sys.stderr)
        self.assertEqual(g.stop(), 0)
        self.nothing_left(g)

    def recover(self, g, pid):
        """Either serve mends itself, or it ends with all its children and starts again."""
        if pid != g.process.pid:
            def settled():
                if g.process.poll() is not None:
                    return "ended"
                try:
                    return g.get("/v1/").status == 200 and g.metrics_get("/healthz").status == 200 and "goes on"
                except (OSError, AssertionError, Connection.Unanswered):
                    return None
            if wait_for("an end or a recovery", settled) == "goes on":
                return
            self.assertNotEqual(g.process.returncode, 0, "a crash is not a clean end")
        g.process.wait()
        self.nothing_left(g)
        g.start()

    def check(self, g, keys, acknowledged, counted, unsure):
        missing = [k[:14] for k in acknowledged if g.get("/auth/key", k).status != 200 or g.get("/v1/", k).status != 200]
        self.assertEqual(missing, [], "acknowledged keys are gone")
        used = sum(g.get("/auth/key", k).json()["data"][0]["used"] for k in keys)
        self.assertTrue(counted <= used <= counted + unsure, f"{used} counted, {counted} answered, {unsure} unsure")
        g.run("check")

    def test_killed_while_starting(self):
        """The first start, cut off at any moment, never leaves a state that the next one cannot use."""
        site = self.small_site(tiers=TIERS)
        for n in range(20 if DEEP else 6):
            g = self.serve(site, wait=False)
            time.sleep(random.random() * 0.4)
            g.process.kill()
            g.process.wait()
            self.nothing_left(g)
        g = self.serve(site)
        self.assertEqual(g.get("/v1/kumuh", g.create_key("public")).status, 200)
        g.run("check")


if __name__ == "__main__":
    if DEEP:
        sys.argv.remove("deep")
    gatewaylib.main()
