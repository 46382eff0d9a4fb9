"""Five thousand clients that send a byte now and then, others that never read: everybody else is served."""
import resource
import selectors
import socket
import time

import gatewaylib

SLOW = 5000
TIERS = [("public", 2000000000, 1000000), ("registered", 10000, 20)]


class Slow(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < SLOW + 1000:
            self.skipTest(f"at most {hard} open files are allowed here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))

    def open(self, g, count, first):
        """COUNT connections, each having sent FIRST."""
        opened = []
        self.addCleanup(lambda: [s.close() for s in opened])
        for _ in range(count):
            s = socket.create_connection(("127.0.0.1", g.port), gatewaylib.PATIENCE)
            s.setblocking(False)
            opened.append(s)
            s.send(first)
        return opened

    def trickle(self, sockets):
        """One more byte from each that is still open; returns how many are."""
        alive = 0
        for s in sockets:
            try:
                s.send(b"a")
                alive += 1
            except BlockingIOError:
                alive += 1
            except OSError:
                pass
        return alive

    def test_trickling_clients(self):
        g = self.serve(self.small_site(tiers=TIERS), "--registrations", "1000")
        key = g.create_key("public")
        slow = self.open(g, SLOW - 400, f"GET /v1/kumuh HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nX-Slow: ".encode())
        slow += self.open(g, 200, b"POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n")
        deaf = self.open(g, 200, f"GET /v1/besar HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n".encode() * 8)
        self.assertEqual(len(slow) + len(deaf), SLOW)
        most = 0
        for n in range(20):
            most = max(most, self.trickle(slow))
            for path in ("/v1/kumuh", "/v1/besar", "/index.html"):  # a new connection each
                self.assertEqual(g.get(path, key).status, 200)
            if n % 5 == 0:
                answer = g.post("/auth/register", {"name": "Uji", "email": f"a{n}@example.org"})
                self.assertEqual(answer.status, 201, answer)
                self.assertEqual(g.get("/v1/kumuh", answer.json()["data"][0]["key"]).status, 200)
                self.assertEqual(g.metrics_get("/healthz").status, 200)
        self.assertEqual(most, len(slow), "the slow ones were not there at once: this test proves nothing")
        # One of them is served when it comes to its end.
        ended = 0
        for s in slow[:50]:
            try:
                s.send(b"\r\n\r\n")
                ended += 1
            except OSError:
                pass
        self.assertEqual(self.answers(slow[:50]), ended)
        self.assertGreater(ended, 0)
        # With the slow ones still there, a stop is clean.
        g.send_signal(15)
        self.assertEqual(g.wait(), 0)
        self.nothing_left(g)

    def answers(self, sockets):
        selector, got = selectors.DefaultSelector(), 0
        for s in sockets:
            selector.register(s, selectors.EVENT_READ)
        end = time.monotonic() + gatewaylib.PATIENCE
        while selector.get_map() and time.monotonic() < end:
            for key, _ in selector.select(0.5):
                try:
                    got += key.fileobj.recv(12) == b"HTTP/1.1 200"
                except OSError:
                    pass
                selector.unregister(key.fileobj)
        return got


if __name__ == "__main__":
    gatewaylib.main()
