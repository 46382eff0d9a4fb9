"""/v1/webhooks through nginx: with the module, without it, and from a replica to its writer. What is sent is gateway_webhooks.py's."""
import json
import os

import gatewaylib
import webhooklib
from gatewaylib import wait_for

FIELDS = [{"name": "kode", "type": "string"}, {"name": "provinsi", "type": "string"}]
TIERS = [("public", 2, 1000), ("government", None, 100000)]


class WebhookApi(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("mini", "kode,provinsi\nA,31\nB,32\n", FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.site = self.compile(tiers=TIERS)
        self.receiver = webhooklib.Receiver()
        self.addCleanup(self.receiver.close)

    def gateway(self, *options, **more):
        return self.serve(self.site, "--webhook-loopback", *options, workers=1, **more)

    def call(self, g, method, path, key, document=None, *options, status=200):
        """The answer; its rows, if it is STATUS and a success."""
        more = ["-H", "Content-Type: application/json", "--data-binary", json.dumps(document)] if document is not None else []
        answer = g.curl(path, "-X", method, *more, *options, key=key)
        self.assertEqual(answer.status, status, (method, path, answer))
        self.assertEqual(answer.all("access-control-allow-origin"), ["*"], answer)
        self.assertEqual(len(answer.all("cache-control")), 1, answer)
        return answer.json()["data"] if status < 300 else answer

    def spent(self, g, key):
        """A key of which nothing is left today."""
        while g.get("/v1/mini", key).status == 200:
            pass
        self.problem(g.get("/v1/mini", key), 429, "quota-exceeded")

    def subscribe(self, g, key, prefix="", **members):
        body = {"url": self.receiver.url(), "events": ["dataset.version.published"], **members}
        answer = g.post(prefix + "/v1/webhooks", body, key=key)
        self.assertEqual(answer.status, 201, answer)
        row = answer.json()["data"][0]
        self.assertEqual(answer.get("location"), f"/v1/webhooks/{row['id']}")
        self.assertRegex(row["secret"], r"^whsec_[0-9A-Za-z+/]{43}=$")
        return row

    def message(self, ident):
        return wait_for("a message", lambda: next((m for m in self.receiver.to() if m.id == ident), None))

    def manage(self, g, key, prefix=""):
        """All that an owner may do, through whatever is before the service."""
        made = self.subscribe(g, key, prefix, datasets=["mini"], filter="provinsi = '31'", description="Dasbor")
        here = f"{prefix}/v1/webhooks/{made['id']}"
        wait_for("the confirmation", lambda: self.call(g, "GET", here, key)[0]["state"] == "active")
        message = self.receiver.to(kind="webhook.challenge")[-1]
        self.assertEqual(message.json()["data"]["webhook"], made["id"])
        self.assertIsNone(webhooklib.verify(made["secret"], message.headers, message.body))
        row = self.call(g, "GET", here, key)[0]
        self.assertEqual((row["filter"], row["datasets"], row["description"], row["reason"]), ("provinsi = '31'", ["mini"], "Dasbor", None))
        self.assertNotIn("secret", row)
        self.assertEqual([r["id"] for r in self.call(g, "GET", prefix + "/v1/webhooks", key)], [made["id"]])
        self.assertEqual([r["id"] for r in self.call(g, "GET", prefix + "/v1/webhooks/", key)], [made["id"]])
        cql = {"op": "=", "args": [{"property": "provinsi"}, "32"]}
        self.assertEqual(self.call(g, "PATCH", here, key, {"filter": cql})[0]["filter"], cql)
        refused = self.problem(self.call(g, "PATCH", here, key, {"filter": "propinsi = '31'"}, status=400), 400, "filter-invalid")
        self.assertEqual((refused["field"], refused["dataset"], refused["position"], refused["length"]), ("filter", "mini", 1, 8))
        refused = self.problem(self.call(g, "PATCH", here, key, {"datasets": ["minni"]}, status=400), 400, "field-invalid")
        self.assertEqual(refused["field"], "datasets")
        self.assertIn("mini?", refused["detail"])
        test = self.call(g, "POST", here + "/test", key, status=202)[0]
        self.assertEqual(test["webhook"], made["id"])
        self.assertEqual(self.message(test["delivery"]).json()["data"]["webhook"], made["id"])
        rotated = self.call(g, "POST", here + "/rotate-secret", key, {"grace_hours": 1})[0]
        self.assertNotEqual(rotated["secret"], made["secret"])
        second = self.call(g, "POST", here + "/test", key, {}, status=202)[0]["delivery"]
        message = self.message(second)
        for secret in (made["secret"], rotated["secret"]):
            self.assertIsNone(webhooklib.verify(secret, message.headers, message.body))
        self.deliveries(g, key, here, second)
        self.assertEqual(self.call(g, "PATCH", here, key, {"state": "paused"})[0]["reason"], "owner")
        self.assertEqual(self.call(g, "DELETE", here, key)[0], {"id": made["id"], "state": "deleted"})
        self.problem(self.call(g, "GET", here, key, status=404), 404, "not-found")
        return made["secret"], rotated["secret"]

    def deliveries(self, g, key, here, test):
        rows = wait_for("all to be delivered", lambda: (lambda r: r if len(r) == 3 and all(d["state"] == "delivered" for d in r) else None)(
            self.call(g, "GET", here + "/deliveries", key)))
        self.assertEqual([r["type"] for r in rows], ["webhook.test", "webhook.test", "webhook.challenge"])
        self.assertEqual(rows[0]["id"], test)
        for row in rows:
            self.assertEqual([(a["status"], a["outcome"]) for a in row["attempts"]][-1], (200 if row["type"] == "webhook.challenge" else 204, "delivered"), row)
        page = g.curl(here + "/deliveries?limit=2", key=key)
        self.assertEqual(len(page.json()["data"]), 2)
        following = page.json()["links"]["next"]
        self.assertEqual([r["id"] for r in self.call(g, "GET", here + "/" + following, key)], [rows[2]["id"]])
        one = self.call(g, "GET", f"{here}/deliveries/{test}", key)[0]
        self.assertEqual(one["payload"], self.message(test).json())
        challenge = self.call(g, "GET", f"{here}/deliveries/{rows[2]['id']}", key)[0]["payload"]
        self.assertEqual((challenge["type"], challenge["data"]["challenge"]), ("webhook.challenge", None))
        again = self.call(g, "POST", here + "/redeliver", key, {"delivery": test}, status=202)
        self.assertEqual(again, [{"redelivered": 1}])
        wait_for("the same once more", lambda: len([m for m in self.receiver.to() if m.id == test]) == 2)

    def refusals(self, g, key):
        self.problem(g.get("/v1/webhooks"), 401, "key-missing")
        self.assertEqual(len(g.get("/v1/webhooks").all("www-authenticate")), 1)
        self.problem(g.get("/v1/webhooks", gatewaylib.make_key()), 401, "key-unknown")
        self.assertNotIn(key, json.dumps(self.problem(g.get(f"/v1/webhooks?api_key={key}"), 400, "key-in-query")))
        self.problem(g.get("/v1/webhooks?key=x", key), 400, "parameter-unknown")
        preflight = g.curl("/api/v1/webhooks/wh_x", "-X", "OPTIONS", "-H", "Origin: https://x", "-H", "Access-Control-Request-Method: PATCH")
        self.assertEqual((preflight.status, preflight.all("access-control-allow-methods")), (204, ["GET, HEAD, POST, PATCH, DELETE, OPTIONS"]))
        self.allows(preflight)
        refused = g.curl("/v1/webhooks", "-X", "PUT", key=key)
        self.problem(refused, 405, "method-not-allowed")
        self.assertEqual(refused.all("allow"), ["POST, GET, HEAD, OPTIONS"])
        self.problem(g.post("/v1/webhooks", "x" * 20000, key=key), 413, "body-too-large")
        self.problem(g.post("/v1/webhooks", "{", key=key), 400, "invalid-json")
        self.problem(g.curl("/v1/webhooks", "-X", "POST", "--data-binary", "x=1", key=key), 415, "unsupported-media-type")
        for path in ("/v1/webhooksx", "/v1/webhooks/x/../../nothing", "/v1/webhooks.json"):
            self.assertIn(g.curl(path, key=g.create_key()).status, (400, 404), path)
        # Other addresses are none of the service's by this door.
        for path in ("/v1/webhooks/../../auth/key", "/v1/webhooks/..%2f..%2fforward-auth", "/v1/webhooks/%2e%2e/%2e%2e/problem"):
            self.assertIn(g.curl(path).status, (400, 401, 404), path)

    def check(self, *options):
        g = self.gateway(*options)
        key = g.create_key("public")
        self.spent(g, key)
        secrets = self.manage(g, key) + self.manage(g, key, "/api")
        self.refusals(g, key)
        used = g.get("/auth/key", key).json()["data"][0]["used"]
        self.assertEqual(used, 2)
        self.assertEqual(g.stop(), 0, g.log_text())
        seen = "".join(p.read_text(errors="replace") for p in [g.log_path, *(g.state / "nginx").glob("*.log")])
        for text in (key, *secrets, *(s.removeprefix("whsec_") for s in secrets), self.receiver.url()):
            self.assertNotIn(text, seen)
        self.assertNotRegex(g.log_text(), r"(?i)sanitizer|assert|segmentation")
        self.assertIn("/v1/webhooks", seen)
        return seen

    def test_with_the_module(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        self.check()

    def test_without_the_module(self):
        seen = self.check("--module", "off")
        self.assertNotIn('"dataset":"webhooks"', seen)

    def test_from_a_replica(self):
        writer = self.gateway()
        options = ["--writer", writer.url(), "--redis", f"127.0.0.1:{gatewaylib.free_port()}"]  # that is away: these requests do without it
        replicas = [self.gateway(*options, "--module", "off", state="fallback")]
        if os.path.exists(gatewaylib.MODULE):
            replicas.append(self.gateway(*options, state="module"))
        for i, replica in enumerate(replicas):
            key = writer.create_key("public")
            self.manage(replica, key, "/api" if i else "")
            made = self.subscribe(replica, key)
            self.assertEqual(self.call(writer, "GET", "/v1/webhooks", key)[0]["id"], made["id"])
            self.problem(replica.get("/v1/webhooks"), 401, "key-missing")
        self.assertEqual(writer.stop(), 0)
        for replica in replicas:
            answer = replica.get("/v1/webhooks", key)
            self.assertEqual((answer.status, answer.json()["code"]), (503, "unavailable"))
            self.assertTrue(answer.get("retry-after"))
            self.assertEqual(replica.get("/v1/").status, 200)

    def test_switched_off(self):
        g = self.gateway("--no-webhooks", "--module", "off")
        key = g.create_key("public")
        for method, path in (("GET", "/v1/webhooks"), ("POST", "/v1/webhooks"), ("DELETE", "/v1/webhooks/wh_00000000000000000000")):
            answer = g.curl(path, "-X", method, "-H", "Content-Type: application/json", "--data-binary", "{}", key=key)
            self.assertIn("feed.xml", self.problem(answer, 501, "not-implemented")["detail"])


if __name__ == "__main__":
    gatewaylib.main()
