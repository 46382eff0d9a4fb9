"""Webhooks from `odp-build build` to a verified message in hand: real sites, gateways, receivers over sockets. With "deep" the reference verifier from npm
looks at every message, too."""
import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import gatewaylib
import odp
import webhooklib
from gatewaylib import wait_for

FIELDS = [{"name": "kode", "type": "string"}, {"name": "provinsi", "type": "string"}, {"name": "luas", "type": "number"}]
ROWS = {"A": ("31", "1.5"), "B": ("31", "2"), "C": ("32", "3"), "D": ("73", "4")}
NODE = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "node"
DEEP = sys.argv[1:2] == ["deep"]
sys.argv[1:] = [a for a in sys.argv[1:] if a != "deep"]


def csv_of(rows):
    return "kode,provinsi,luas\n" + "".join(f"{k},{p},{n}\n" for k, (p, n) in rows.items())


class Webhooks(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        self.kept = []  # (secret, message) of all that was verified
        self.catalogue(references=False)
        self.dataset("mini", csv_of(ROWS), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.dataset("lain", csv_of(ROWS), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.compile(out="site")

    def portal(self, tiers=None, **members):
        """Any number of subscriptions for every tier, unless a test says otherwise."""
        super().portal(tiers, **members)
        path = self.dir / "catalog/portal.json"
        portal = json.loads(path.read_text())
        for tier in portal["tiers"]:
            tier["webhooks"] = None
        path.write_text(json.dumps(portal))

    def receiver(self, **options):
        found = webhooklib.Receiver(**options)
        self.addCleanup(found.close)
        return found

    def gateway(self, *options, **more):
        return self.serve(self.dir / "site", "--webhook-loopback", *options, workers=1, **more)

    def subscribe(self, gateway, key, url, events=("dataset.version.published",), active=True, **more):
        """A subscription whose address has confirmed: (id, secret)."""
        answer = gateway.post("/v1/webhooks", {"url": url, "events": list(events), **more}, key=key)
        self.assertEqual(answer.status, 201, answer)
        row = answer.json()["data"][0]
        if active:
            wait_for("the challenge", lambda: self.row(gateway, key, row["id"])["state"] == "active")
        return row["id"], row["secret"]

    def row(self, gateway, key, ident):
        answer = gateway.get(f"/v1/webhooks/{ident}", key)
        self.assertEqual(answer.status, 200, answer)
        return answer.json()["data"][0]

    def publish(self, slug="mini", date="2024-04-01", rows=None, **describe):
        """A new version of a dataset: the site is switched."""
        package_path = self.dir / "catalog" / slug / "dataset.json"
        package = json.loads(package_path.read_text())
        package.update(describe)
        package_path.write_text(json.dumps(package))
        self.update(slug, date, csv_of(rows) if rows is not None else None)
        self.odp("build", "--out", self.dir / "site", "--quiet")

    def verified(self, message, secret):
        self.assertIsNone(webhooklib.verify(secret, message.headers, message.body), message)
        self.assertEqual((message.method, message.headers["content-type"]), ("POST", "application/json"))
        self.assertLess(len(message.body), 20000)
        self.kept.append((secret, message))
        return message.json()

    def tearDown(self):
        if DEEP and self.kept:
            lines = "".join(json.dumps({"secret": s, "body": base64.b64encode(m.body).decode(),
                                        "headers": {n: v for n, v in m.headers.items() if n.startswith("webhook-")}}) + "\n" for s, m in self.kept)
            done = subprocess.run(["node", str(odp.SOURCE / "tests/node/verify.mjs"), str(NODE)], input=lines, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout), {"accepted": len(self.kept), "refused": []})
        super().tearDown()

    def quiet(self, seconds=1):
        """Long enough for what must not come; what is late is found by the counts that follow."""
        time.sleep(seconds)

    # ---- one gateway ----

    def test_from_build_to_message(self):
        receiver, gateway = self.receiver(), self.gateway()
        key = gateway.create_key("registered")
        ident, secret = self.subscribe(gateway, key, receiver.url())
        challenge = receiver.to(kind="webhook.challenge")
        self.assertEqual(len(challenge), 1)
        self.verified(challenge[0], secret)
        rows = {**ROWS, "B": ("31", "2.5"), "E": ("73", "9")}
        del rows["C"]
        began = time.monotonic()
        self.publish(rows=rows)
        built = time.monotonic()
        message = receiver.wait(1, kind="dataset.version.published")[0]
        print(f"# build {built - began:.2f} s, build to verified message {message.at - began:.2f} s", file=sys.stderr)
        body = self.verified(message, secret)
        data = body["data"]
        self.assertEqual((data["dataset"], data["version"], data["previous"], data["versions"], data["rows"]),
                         ("mini", "2024-04-01", "2024-03-15", ["2024-04-01"], 4))
        resource = data["resources"][0]
        self.assertEqual([(c["from"], c["to"], c["added"], c["removed"], c["changed"]) for c in resource["changes"]],
                         [("2024-03-15", "2024-04-01", 1, 1, 1)])
        self.assertEqual(resource["keys"], {"added": ["E"], "removed": ["C"], "changed": ["B"]})
        self.assertIsNone(data["match"])
        # The addresses lead to what they say, on this gateway.
        base = json.loads((self.dir / "catalog/portal.json").read_text())["baseUrl"]
        for url, key_needed in ((resource["changes"][0]["url"], False), (data["url"], True), (data["versions_url"], True)):
            self.assertTrue(url.startswith(base), url)
            self.assertEqual(gateway.get("/" + url[len(base):], key if key_needed else None).status, 200, url)
        self.assertEqual(gateway.get("/v1/mini/id/E", key).status, 200)
        # Once: building again, and starting again, tells nothing.
        self.odp("build", "--out", self.dir / "site", "--quiet")
        self.assertEqual(gateway.stop(), 0)
        gateway.start()
        self.publish("lain", rows={**ROWS, "Z": ("11", "1")})
        receiver.wait(2, kind="dataset.version.published")
        self.quiet()
        self.assertEqual([m.json()["data"]["dataset"] for m in receiver.to(kind="dataset.version.published")], ["mini", "lain"])
        deliveries = gateway.get(f"/v1/webhooks/{ident}/deliveries", key).json()["data"]
        self.assertEqual([(d["type"], d["state"], [a["outcome"] for a in d["attempts"]]) for d in deliveries],
                         [("dataset.version.published", "delivered", ["delivered"])] * 2 + [("webhook.challenge", "delivered", ["delivered"])])
        self.assertEqual(deliveries[1]["id"], message.id)
        log = gateway.log_text()
        self.assertNotIn(secret, log)
        self.assertNotIn(key, log)

    def test_who_is_told(self):
        receiver, gateway = self.receiver(), self.gateway()
        key = gateway.create_key("government")
        told = {"all": {}, "lain": {"datasets": ["lain"]}, "jakarta": {"datasets": ["mini"], "filter": "provinsi = '31'"},
                "sulawesi": {"datasets": ["mini", "lain"], "filter": {"op": "=", "args": [{"property": "provinsi"}, "73"]}},
                "large": {"datasets": ["mini"], "filter": "luas > 100"},
                "corrections": {"events": ["dataset.corrected"]}}
        made = {name: self.subscribe(gateway, key, receiver.url(f"/{name}"), **more) for name, more in told.items()}
        receiver.behave("/silent", 204)
        unverified, _ = self.subscribe(gateway, key, receiver.url("/silent"), active=False)
        # B leaves Jakarta: it is told there as well.
        self.publish(rows={**ROWS, "B": ("32", "2")})
        receiver.wait(1, "/all", "dataset.version.published")
        found = receiver.wait(1, "/jakarta", "dataset.version.published")[0]
        data = self.verified(found, made["jakarta"][1])["data"]
        self.assertEqual((data["match"]["applied"], data["match"]["resources"]),
                         (True, [{"name": "mini", "added": 0, "removed": 0, "changed": 1, "keys": {"added": [], "removed": [], "changed": ["B"]}}]))
        self.publish(rows={**ROWS, "B": ("32", "2"), "D": ("73", "5")}, date="2024-04-01",
                     **{"odp:correction": {"id": "Luas D salah", "en": "The area of D was wrong"}})
        receiver.wait(1, "/corrections", "dataset.corrected")
        corrected = self.verified(receiver.to("/corrections", "dataset.corrected")[0], made["corrections"][1])["data"]
        self.assertEqual((corrected["version"], corrected["previous"], corrected["correction"]["en"]),
                         ("2024-04-01.1", "2024-04-01", "The area of D was wrong"))
        self.publish("lain", rows={**ROWS, "D": ("73", "5")})
        receiver.wait(1, "/lain", "dataset.version.published")
        receiver.wait(1, "/sulawesi", "dataset.version.published")
        self.quiet()
        counts = {path: [m.type for m in receiver.to(f"/{path}") if m.type != "webhook.challenge"] for path in [*told, "silent"]}
        published = "dataset.version.published"
        self.assertEqual(counts, {"all": [published] * 2, "lain": [published], "jakarta": [published], "sulawesi": [published],
                                  "large": [], "corrections": ["dataset.corrected"], "silent": []})
        self.assertEqual(self.row(gateway, key, unverified)["state"], "unverified")

    def test_states_of_datasets_and_releases(self):
        receiver, gateway = self.receiver(), self.gateway()
        key = gateway.create_key("government")
        _, secret = self.subscribe(gateway, key, receiver.url(), events=["dataset.deprecated", "dataset.withdrawn", "release.published"])
        self.release("2.6.0")
        self.publish("lain", date="2024-03-15", **{"odp:status": "deprecated", "odp:deprecated": "2024-03-16", "odp:sunset": "2030-01-01", "odp:replacedBy": "mini"})
        receiver.wait(2 + 1)
        found = {m.type: self.verified(m, secret)["data"] for m in receiver.to() if m.type != "webhook.challenge"}
        self.assertEqual(set(found), {"dataset.deprecated", "release.published"})
        self.assertEqual((found["dataset.deprecated"]["dataset"], found["dataset.deprecated"]["sunset"], found["dataset.deprecated"]["replaced_by"]),
                         ("lain", "2030-01-01", "mini"))
        self.assertEqual((found["release.published"]["release"], found["release.published"]["previous"]), ("2.6.0", "2.5.0"))
        self.publish(rows={**ROWS, "E": ("73", "9")})
        self.odp("withdraw", "mini", "2024-03-15", "--reason", "privacy", "--note", "x", "--out", self.dir / "site", "--quiet")
        withdrawn = self.verified(receiver.wait(1, kind="dataset.withdrawn")[0], secret)["data"]
        self.assertEqual((withdrawn["dataset"], withdrawn["version"], withdrawn["reason"]), ("mini", "2024-03-15", "privacy"))

    def test_secrets_and_keys(self):
        receiver, gateway = self.receiver(), self.gateway()
        key = gateway.create_key("registered")
        ident, old = self.subscribe(gateway, key, receiver.url())
        answer = gateway.post(f"/v1/webhooks/{ident}/rotate-secret", {"grace_hours": 1}, key=key)
        self.assertEqual(answer.status, 200, answer)
        new = answer.json()["data"][0]["secret"]
        self.assertNotEqual(old, new)
        self.publish(rows={**ROWS, "E": ("73", "9")})
        message = receiver.wait(1, kind="dataset.version.published")[0]
        self.verified(message, new)
        self.verified(message, old)
        self.assertEqual(len(message.headers["webhook-signature"].split(" ")), 2)
        gateway.post(f"/v1/webhooks/{ident}/rotate-secret", {"grace_hours": 0}, key=key)
        self.publish("lain", rows={**ROWS, "E": ("73", "9")})
        last = receiver.wait(2, kind="dataset.version.published")[1]
        self.assertIsNotNone(webhooklib.verify([old, new], last.headers, last.body))
        # At rest nothing of it can be read.
        for name in ("store.sqlite", "store.sqlite-wal"):
            path = gateway.state / name
            stored = path.read_bytes() if path.exists() else b""
            for text in (old, new):
                self.assertNotIn(base64.b64decode(text.removeprefix("whsec_")), stored)
                self.assertNotIn(text.encode(), stored)
            self.assertNotIn(receiver.url().encode(), stored)
        self.assertEqual((gateway.state / "webhook.key").stat().st_mode & 0o777, 0o600)
        # The key is revoked: nothing is sent any more.
        gateway.run("keys", "revoke", key[:14])
        self.publish(date="2024-05-01", rows=ROWS)
        self.quiet()
        self.assertEqual(len(receiver.to(kind="dataset.version.published")), 2)

    def test_quota_warnings(self):
        self.compile(out="site", tiers=[("public", 10, 1000), ("registered", 10000, 20), ("government", None, 100)])
        receiver, gateway = self.receiver(), self.gateway()
        key, other = gateway.create_key("public"), gateway.create_key("public")
        _, secret = self.subscribe(gateway, key, receiver.url(), events=["quota.warning"])
        for _ in range(10):
            gateway.get("/v1/mini", other)
        for _ in range(7):
            self.assertEqual(gateway.get("/v1/mini", key).status, 200)
        self.quiet()
        self.assertEqual(receiver.to(kind="quota.warning"), [])
        gateway.get("/v1/mini", key)
        first = self.verified(receiver.wait(1, kind="quota.warning")[0], secret)["data"]
        self.assertEqual((first["percent"], first["limit"], first["used"], first["tier"]), (80, 10, 8, "public"))
        self.assertTrue(key.startswith(first["key"]) and len(first["key"]) < 20, first)
        for _ in range(4):
            gateway.get("/v1/mini", key)
        second = self.verified(receiver.wait(2, kind="quota.warning")[1], secret)["data"]
        self.assertEqual((second["percent"], second["used"]), (100, 10))
        self.quiet()
        self.assertEqual(len(receiver.to(kind="quota.warning")), 2)
        # A spent day does not keep anybody from managing subscriptions.
        self.assertEqual(gateway.get("/v1/mini", key).status, 429)
        self.assertEqual(gateway.get("/v1/webhooks", key).status, 200)

    def test_joined(self):
        """odp:notifyEvery: the first is told at once, those that follow together."""
        self.publish(date="2024-03-15", **{"odp:notifyEvery": "PT1M"})
        receiver = self.receiver()
        variables, set_clock = self.clock()
        set_clock("+0")
        gateway = self.gateway(env=variables)
        key = gateway.create_key("registered")
        _, secret = self.subscribe(gateway, key, receiver.url())
        for n, day in enumerate(("2024-04-01", "2024-04-02", "2024-04-03")):
            self.publish(date=day, rows={**ROWS, f"E{n}": ("73", "9")})
            if n == 0:
                receiver.wait(1, kind="dataset.version.published")
        self.quiet()
        self.assertEqual(len(receiver.to(kind="dataset.version.published")), 1)
        set_clock("+70")
        message = receiver.wait(2, kind="dataset.version.published")[1]
        self.assertIsNone(webhooklib.verify(secret, message.headers, message.body, now=time.time() + 70))
        data = message.json()["data"]
        self.assertEqual((data["versions"], data["previous"], data["version"]), (["2024-04-02", "2024-04-03"], "2024-04-01", "2024-04-03"))
        self.assertEqual([c["to"] for c in data["resources"][0]["changes"]], ["2024-04-02", "2024-04-03"])
        self.assertEqual(data["resources"][0]["keys"], {"added": ["E2"], "removed": ["E0"], "changed": []})

    # ---- a process that dies, several machines ----

    def test_killed_and_started_again(self):
        receiver, gateway = self.receiver(), self.gateway()
        key = gateway.create_key("government")
        made = dict([self.subscribe(gateway, key, receiver.url(f"/{n}")) for n in range(5)])
        for round_, day in enumerate(("2024-04-01", "2024-04-02", "2024-04-03", "2024-04-04")):
            self.publish(date=day, rows={**ROWS, f"E{round_}": ("73", "9")})
            time.sleep(0.05 * round_)
            os.kill(gateway.process.pid, signal.SIGKILL)
            gateway.destroy()
            gateway.start()
        secrets = list(made.values())
        for n in range(5):
            wait_for("four messages", lambda: len({m.id for m in receiver.to(f"/{n}", "dataset.version.published")}) >= 4)
        self.quiet()
        for n in range(5):
            messages = receiver.to(f"/{n}", "dataset.version.published")
            # A version may come twice after a kill, then with the same id.
            self.assertEqual(len({(m.id, m.json()["data"]["version"]) for m in messages}), 4, messages)
            self.assertEqual({m.json()["data"]["version"] for m in messages}, {"2024-04-01", "2024-04-02", "2024-04-03", "2024-04-04"})
            for m in messages:
                self.verified(m, secrets[n])

    def test_three_gateways(self):
        if not shutil.which("redis-server"):
            self.skipTest("redis-server is not installed")
        path = self.dir / "redis.sock"
        redis = subprocess.Popen(["redis-server", "--port", "0", "--save", "", "--appendonly", "no", "--dir", str(self.dir), "--unixsocket", str(path)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (redis.kill(), redis.wait()))
        wait_for("redis-server", path.exists)
        receiver, common = self.receiver(), ("--redis", f"unix:{path}")
        a = self.gateway(*common, "--machine", "a", state="state-a")
        b, c = (self.gateway(*common, "--machine", n, "--writer", a.url(), state=f"state-{n}") for n in "bc")
        key = a.create_key("registered")
        wait_for("the key at a replica", lambda: b.get("/v1/mini", key).status == 200)
        ident, secret = self.subscribe(b, key, receiver.url())  # passed on to the writer
        self.assertEqual(self.row(c, key, ident)["id"], ident)
        for n, day in enumerate(("2024-04-01", "2024-04-02")):
            self.publish(date=day, rows={**ROWS, f"E{n}": ("73", "9")})
            receiver.wait(n + 1, kind="dataset.version.published")
        self.quiet(2.5)
        messages = receiver.to(kind="dataset.version.published")
        self.assertEqual([self.verified(m, secret)["data"]["version"] for m in messages], ["2024-04-01", "2024-04-02"])
        self.assertEqual(len({m.id for m in messages}), 2)
        self.assertFalse((b.state / "webhook.key").exists() or (c.state / "webhook.key").exists())
        answer = c.curl(f"/v1/webhooks/{ident}", "-X", "DELETE", key=key)
        self.assertEqual(answer.status, 200, answer)
        self.publish(date="2024-04-03", rows=ROWS)
        self.quiet()
        self.assertEqual(len(receiver.to(kind="dataset.version.published")), 2)

    def test_a_copy_of_the_store_tells_with_the_same_ids(self):
        """What a store that was restored from a backup tells again has the ids it had."""
        receiver, gateway = self.receiver(), self.gateway()
        key = gateway.create_key("registered")
        _, secret = self.subscribe(gateway, key, receiver.url())
        gateway.run("backup", self.dir / "backup.sqlite")
        self.publish(rows={**ROWS, "E": ("73", "9")})
        first = receiver.wait(1, kind="dataset.version.published")[0]
        self.assertEqual(gateway.stop(), 0)
        gateway.run("restore", self.dir / "backup.sqlite")
        gateway.start()
        again = receiver.wait(2, kind="dataset.version.published")[1]
        self.assertEqual((again.id, again.json()["data"]), (first.id, first.json()["data"]))
        self.verified(again, secret)

    # ---- addresses that must not be called ----

    def test_refused_addresses(self):
        gateway = self.serve(self.dir / "site", workers=1)  # without --webhook-loopback
        key = gateway.create_key("government")
        for url in ("http://example.org/", "https://127.0.0.1/", "https://[::1]/", "https://10.1.2.3/x", "https://169.254.169.254/latest/meta-data/",
                    "https://0x7f000001/", "https://2130706433/", "https://0177.0.0.1/", "https://127.1/", "https://[::ffff:10.0.0.1]/", "https://[fd00::1]/",
                    "https://[64:ff9b::a00:1]/", "https://100.64.0.1/", "https://localhost/", "https://foo.internal/", "https://user:pass@example.org/",
                    "https://example.org/#x", "ftp://example.org/", "https://example.org:0/", "https://intranet/", "//example.org/", "https://exa\u202emple.org/"):
            answer = gateway.post("/v1/webhooks", {"url": url, "events": ["release.published"]}, key=key)
            document = self.problem(answer, 400, "field-invalid")
            self.assertEqual(document["field"], "url", (url, document))
        self.assertEqual(gateway.get("/v1/webhooks", key).json()["data"], [])


if __name__ == "__main__":
    odp.main()
