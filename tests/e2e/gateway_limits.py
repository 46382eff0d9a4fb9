"""What a client may send, at each edge: as large as the limit passes, one more is told, with the number, and the connection or the next request goes on.
docs/gateway-limits.md is the list; what an option moves is tried at the moved edge, too."""
import json
import os
import urllib.parse

import gatewaylib
import odp
import webhooklib
from gatewaylib import raw, wait_for

FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "integer"}] + [{"name": f"p{n}", "type": "string"} for n in range(22)]
TIERS = [("public", 1000000, 100000), ("government", None, 100000)]
WEBHOOKS = {"public": 2, "government": 3}
QUERY = ["Content-Type: application/json"]


class Limits(gatewaylib.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.path.exists(gatewaylib.MODULE):
            raise odp.unittest.SkipTest("the module is not built")

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        header = ",".join(f["name"] for f in FIELDS)
        self.dataset("mini", header + "\n" + "".join(f"K{n},{n}" + ",x" * 22 + "\n" for n in range(3)), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.site = self.compile(tiers=TIERS)
        self.receiver = webhooklib.Receiver()
        self.addCleanup(self.receiver.close)

    def portal(self, tiers=None, **members):
        super().portal(tiers, **members)
        path = self.dir / "catalog" / "portal.json"
        portal = json.loads(path.read_text())
        for tier in portal["tiers"]:
            tier["webhooks"] = WEBHOOKS[tier["name"]]
        path.write_text(json.dumps(portal))

    def gateway(self, *options, **more):
        return self.serve(self.site, "--webhook-loopback", "--registrations", "1000", *options, workers=1, **more)

    def asks(self, g, *lines, body=b""):
        """The answer to a request of exactly these bytes."""
        head, _, rest = raw(g.port, "\r\n".join([*lines, "Host: x", "Connection: close", "", ""]).encode() + body).partition(b"\r\n\r\n")
        return gatewaylib.Response(head, rest)

    def test_headers_and_addresses(self):
        for options, size in (((), 8192), (("--header-size", "16k"), 16384)):
            with self.subTest(options):
                g = self.gateway(*options, state=f"state-{size}")
                key = g.create_key()
                # nginx keeps a line with its end in one buffer.
                fits = size - len("GET /v1/?x= HTTP/1.1\r\n")
                self.assertIn(self.asks(g, "GET /v1/?x=" + "a" * fits + " HTTP/1.1", f"Authorization: Bearer {key}").status, (200, 400))
                self.problem(self.asks(g, "GET /v1/?x=" + "a" * (fits + 1) + " HTTP/1.1", f"Authorization: Bearer {key}"), 414, "uri-too-long")
                fits = size - len("X: \r\n")
                self.assertEqual(self.asks(g, "GET /v1/ HTTP/1.1", f"Authorization: Bearer {key}", "X: " + "a" * fits).status, 200)
                self.problem(self.asks(g, "GET /v1/ HTTP/1.1", f"Authorization: Bearer {key}", "X: " + "a" * (fits + 1)), 431, "headers-too-large")
                # Four of these: the service behind takes what nginx passes on, too.
                three = [f"X-{n}: " + "a" * (size - 64) for n in range(3)]
                self.assertEqual(self.asks(g, "GET /auth/key HTTP/1.1", f"Authorization: Bearer {key}", *three[:2]).status, 200)
                self.problem(self.asks(g, "GET /v1/ HTTP/1.1", *three, *(f"Y{line}" for line in three)), 431, "headers-too-large")
                self.assertEqual(g.stop(), 0)

    def test_bodies(self):
        g = self.gateway()
        key = g.create_key()
        document = json.dumps({"name": "Sari", "email": "sari@example.org"}).encode()
        post = lambda path, body, **more: g.get(path, key, method="POST", headers=QUERY, body=body, **more)  # noqa: E731
        self.assertEqual(post("/auth/register", document + b" " * (16384 - len(document))).status, 201)
        refused = self.problem(post("/auth/register", document + b" " * (16385 - len(document))), 413, "body-too-large")
        self.assertIn("16 KiB", refused["detail"])
        self.assertEqual(post("/v1/mini/search", b"{}" + b" " * 65534).status, 200)
        self.assertIn(" 64 KiB", self.problem(post("/v1/mini/search", b"{}" + b" " * 65535), 413, "body-too-large")["detail"])
        self.assertEqual(g.stop(), 0)
        for size, name in ((4096, "4k"), (1 << 20, "1m")):
            with self.subTest(name):
                g = self.gateway("--query-size", name, state=f"state-{name}")
                key = g.create_key()
                self.assertEqual(post("/v1/mini/search", b"{}" + b" " * (size - 2)).status, 200)
                refused = self.problem(post("/v1/mini/search", b"{}" + b" " * (size - 1)), 413, "body-too-large")
                self.assertIn(f" {size // 1024} KiB", refused["detail"])
                chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (size + 1, b"{}" + b" " * (size - 1))
                refused = self.asks(g, "POST /v1/mini/search HTTP/1.1", f"Authorization: Bearer {key}", *QUERY, "Transfer-Encoding: chunked", body=chunked)
                self.assertIn(f" {size // 1024} KiB", self.problem(refused, 413, "body-too-large")["detail"])
                self.problem(g.curl("/auth/register", "--data-binary", "x" * 16385), 413, "body-too-large")
                self.assertEqual(g.stop(), 0)

    def test_what_the_options_refuse(self):
        for option in ("--header-size 3k", "--header-size 65k", "--header-size 5000", "--header-size 0", "--query-size 2k", "--query-size 1025k",
                       "--query-size 70000", "--query-size x", "--attempts x", "--attempts -1", "--attempts 0"):
            for lang in ("id", "en"):
                said = gatewaylib.run("serve", self.site, *option.split(), "--lang", lang, expect=2).stderr
                self.assertIn(option.split()[0], said)

    def test_attempts(self):
        g = self.gateway("--attempts", "3")
        answers = [g.get("/auth/key", gatewaylib.make_key()).status for _ in range(3)]
        self.assertEqual(answers, [401] * 3)
        refused = g.get("/auth/key", gatewaylib.make_key())
        self.problem(refused, 429, "attempt-rate")
        self.assertGreater(int(refused.get("retry-after")), 0)
        self.assertEqual(g.get("/v1/mini", g.create_key()).status, 200)  # data is another door
        self.assertEqual(g.stop(), 0)

    def test_members(self):
        """Characters of each member, counted as people do: a letter of three bytes is one."""
        g = self.gateway()
        for n, letter in enumerate(("x", "…")):
            good = {"name": letter * 200, "organisation": letter * 200, "purpose": letter * 1000}
            answer = g.post("/auth/register", {**good, "email": f"sari{n}@example.org"})
            self.assertEqual(answer.status, 201, answer)
            for name, value in good.items():
                refused = self.problem(g.post("/auth/register", {**good, "email": "budi@example.org", name: value + letter}), 400, "field-invalid")
                self.assertEqual(refused["field"], name)
                self.assertIn(str(len(value)), refused["detail"])
        domain = ".".join(["d" * 61] * 3) + ".id"
        address = lambda length: "s" * (length - len(domain) - 1) + "@" + domain  # noqa: E731
        self.assertEqual(g.post("/auth/register", {"name": "Sari", "email": address(252)}).status, 201)
        for long in ("s" * 65 + "@example.org", address(255)):
            self.assertEqual(self.problem(g.post("/auth/register", {"name": "Sari", "email": long}), 400, "field-invalid")["field"], "email")
        key = g.create_key("public")
        self.assertEqual(g.post("/auth/upgrade", {"tier": "government", "reason": "x" * 1000}, key=key).status, 202)
        key = g.create_key("public")
        refused = self.problem(g.post("/auth/upgrade", {"tier": "government", "reason": "x" * 1001}, key=key), 400, "field-invalid")
        self.assertEqual(refused["field"], "reason")
        self.assertEqual(g.stop(), 0)

    def test_subscriptions(self):
        g = self.gateway()
        key = g.create_key("government")
        body = lambda **members: {"url": self.receiver.url(), "events": ["dataset.version.published"], **members}  # noqa: E731
        base = self.receiver.url() + "?x="
        alike = " OR ".join(["kode = 'K1'"] * 250)
        edges = {"description": ("x" * 200, "x" * 201), "url": (base + "a" * (2048 - len(base)), base + "a" * (2049 - len(base))),
                 "filter": (alike + " " * (4096 - len(alike)), alike + " OR kode = 'K1'" * 100)}
        for name, (good, bad) in edges.items():
            more = {"datasets": ["mini"]} if name == "filter" else {}
            refused = self.problem(g.post("/v1/webhooks", body(**{name: bad}, **more), key=key), 400, "field-invalid")
            self.assertEqual(refused["field"], name)
            answer = g.post("/v1/webhooks", body(**{name: good}, **more), key=key)
            self.assertEqual(answer.status, 201, (name, answer))
        # A tier's number of subscriptions is reached.
        self.problem(g.post("/v1/webhooks", body(), key=key), 409, "webhook-limit")
        known = g.get("/v1/webhooks", key).json()["data"]
        self.assertEqual(len(known), 3)
        self.assertEqual(g.curl(f"/v1/webhooks/{known[0]['id']}", "-X", "DELETE", key=key).status, 200)
        self.assertEqual(g.post("/v1/webhooks", body(), key=key).status, 201)
        key = g.create_key("public")
        for _ in range(2):
            self.assertEqual(g.post("/v1/webhooks", body(), key=key).status, 201)
        self.problem(g.post("/v1/webhooks", body(), key=key), 409, "webhook-limit")
        refused = self.problem(g.post("/v1/webhooks", body(datasets=["mini"] * 51), key=g.create_key()), 400, "field-invalid")
        self.assertEqual(refused["field"], "datasets")
        wait_for("what was registered to be asked", lambda: len(self.receiver.to(kind="webhook.challenge")) >= 5)
        self.assertEqual(g.stop(), 0)

    def test_queries(self):
        """Parameters, values, words, columns, pages: at the edge an answer, beyond it a problem that names the parameter."""
        g = self.gateway("--header-size", "64k")
        key = g.create_key()
        values = lambda n: ",".join(str(i) for i in range(n))  # noqa: E731
        names = lambda n: ",".join(f"p{i}" for i in range(n))  # noqa: E731
        edges = [("nilai", values(1000), values(1001), "parameter-invalid"),
                 ("filter", "kode = 'K1'" + " " * (60000 - 11), "((" * 60 + "kode = 'K1'" + "))" * 60, "filter-invalid"),
                 ("facets", names(10), names(11), "parameter-invalid"),
                 ("q", " ".join(["x"] * 32), " ".join(["x"] * 33), "parameter-invalid"),
                 ("q", "x" * 1000, "x" * 1001, "parameter-invalid"),
                 ("offset", "100000", "100001", "parameter-invalid"),
                 ("cursor", None, "A" * 8193, "cursor-invalid")]
        for name, good, bad, code in edges:
            with self.subTest(name, bad=bad[:40]):
                quoted = lambda text: urllib.parse.urlencode({name: text})  # noqa: E731
                if good is not None:
                    answer = g.get("/v1/mini?" + quoted(good), key)
                    self.assertEqual(answer.status, 200, answer)
                refused = self.problem(g.get("/v1/mini?" + quoted(bad), key), 400, code)
                self.assertIn(refused.get("parameter", name), (name,))
        same = lambda n: "/v1/mini?" + "&".join(f"p{i}=x" for i in range(n))  # noqa: E731
        self.assertEqual(g.get(same(22), key).status, 200)
        self.assertEqual(g.get("/v1/mini?" + "&".join(["kode=K1"] + [""] * 200), key).status, 200)  # empty ones are none
        self.problem(g.get("/v1/mini?" + "&".join(f"x{i}=1" for i in range(101)), key), 400, "parameter-invalid")
        self.assertEqual(g.stop(), 0)


if __name__ == "__main__":
    gatewaylib.main()
