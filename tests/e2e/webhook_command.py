"""odp-gateway webhooks …: with a running service and without one; what backup, restore and check say of webhooks; --no-webhooks."""
import json
import os
import re
import shutil

import gatewaylib
import odp
import webhooklib
from gatewaylib import wait_for


class WebhookCommand(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("mini", "kode,provinsi\nA,31\n", [{"name": "kode", "type": "string"}, {"name": "provinsi", "type": "string"}], {"schema": {"primaryKey": ["kode"]}})
        self.compile(out="site")
        self.receiver = webhooklib.Receiver()
        self.addCleanup(self.receiver.close)

    def start(self, *options, **more):
        return self.serve(self.dir / "site", "--webhook-loopback", *options, workers=1, **more)

    def subscribe(self, g, key, path, active=True):
        answer = g.post("/v1/webhooks", {"url": self.receiver.url(path), "events": ["dataset.version.published", "quota.warning"],
                                         "datasets": ["mini"], "description": "papan"}, key=key)
        self.assertEqual(answer.status, 201, answer)
        row = answer.json()["data"][0]
        if active:
            wait_for("the confirmation", lambda: self.show(g, row["id"])["state"] == "active")
        return row["id"], row["secret"]

    def show(self, g, ident):
        return json.loads(g.run("webhooks", "show", ident, "--json").stdout)[0]

    def list(self, g, *options):
        return json.loads(g.run("webhooks", "list", "--json", *options).stdout)

    def checks(self, g, *options, expect=0):
        return {r["check"]: r for r in json.loads(g.run("check", *options, "--json", expect=expect).stdout)}

    def test_acts_of_operators(self):
        g = self.start()
        key, other = g.create_key("government"), g.create_key("registered")
        said = g.run("webhooks", "list", "--lang", "en")
        self.assertEqual((said.stdout, "none" in said.stderr), ("", True))
        one, secret = self.subscribe(g, key, "/hook?token=rahasia")
        self.receiver.behave("/diam", 500)
        two, _ = self.subscribe(g, other, "/diam", active=False)
        everything = []

        def run(*args, **more):
            done = g.run("webhooks", *args, **more)
            everything.append(done.stdout + done.stderr)
            return done
        # What there is, for people in both languages, and for programs.
        tables = {lang: run("list", "--lang", lang).stdout for lang in ("id", "en")}
        self.assertRegex(tables["id"], r"^Webhook +Kunci +Alamat +Peristiwa +Keadaan ")
        self.assertRegex(tables["en"], r"^Webhook +Key +Address +Events +State ")
        lines = tables["en"].splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]], [one, two])
        self.assertIn(f"http://127.0.0.1:{self.receiver.port}/hook?…", lines[1])
        self.assertIn("dataset.version.published, quota.warning", lines[1])
        self.assertIn(key[:14], lines[1])
        self.assertEqual([(r["id"], r["state"], r["datasets"]) for r in self.list(g)], [(one, "active", ["mini"]), (two, "unverified", ["mini"])])
        self.assertEqual([r["id"] for r in self.list(g, "--only", "unverified")], [two])
        self.assertEqual([r["id"] for r in self.list(g, "--key", key[:14])], [one])
        # A test, verified by its receiver; what became of it.
        test = json.loads(run("test", one, "--json").stdout)[0]
        self.assertEqual(test["sends"], "webhook.test")
        message = self.receiver.wait(1, kind="webhook.test")[0]
        self.assertIsNone(webhooklib.verify(secret, message.headers, message.body))
        self.assertEqual(message.id, test["delivery"])
        row = wait_for("the result", lambda: (lambda r: r if r["deliveries"][0]["state"] == "delivered" else None)(self.show(g, one)))
        self.assertEqual([(d["id"], d["type"], [a["outcome"] for a in d["attempts"]]) for d in row["deliveries"]],
                         [(test["delivery"], "webhook.test", ["delivered"]), (row["deliveries"][1]["id"], "webhook.challenge", ["delivered"])])
        self.assertEqual((row["name"] != "", row["tier"], row["description"], row["delivered"]), (True, "government", "papan", 2))
        text = run("show", one, "--lang", "en").stdout
        for words in (r"(?m)^State +active$", r"(?m)^Datasets +mini$", rf"(?m)^{test['delivery']} +webhook.test +delivered ", r"Accepted \(2xx\)", r"(?m)^Last deliveries$"):
            self.assertRegex(text, words)
        self.assertEqual(len(self.show(g, one)["deliveries"]), 2)
        self.assertEqual(len(json.loads(run("show", one, "--limit", "1", "--json").stdout)[0]["deliveries"]), 1)
        # One that has not confirmed is asked again.
        row = wait_for("an attempt", lambda: (lambda r: r if r["deliveries"][0]["attempts"] else None)(self.show(g, two)))
        self.assertEqual(row["deliveries"][0]["attempts"][0]["status"], 500)
        self.assertRegex(run("show", two, "--lang", "id").stdout, r"Penerima menjawab bukan 2xx")
        asked = len(self.receiver.to("/diam"))
        self.receiver.behave("/diam", "ok")
        self.assertIn("webhook.challenge", run("test", two).stdout)
        wait_for("the confirmation", lambda: self.show(g, two)["state"] == "active")
        again = self.receiver.to("/diam")
        self.assertGreater(len(again), asked)
        self.assertEqual(len({m.id for m in again}), 1)
        # Held and let go; sent again with the id it had.
        self.assertEqual(json.loads(run("pause", one, "--json").stdout)[0]["reason"], "operator")
        self.assertRegex(run("show", one, "--lang", "en").stdout, r"(?m)^operator: ")
        self.problem(g.curl(f"/v1/webhooks/{one}", "-X", "PATCH", "-H", "Content-Type: application/json", "-d", '{"state":"active"}', key=key), 409, "conflict")
        self.assertEqual(json.loads(run("resume", one, "--json").stdout)[0]["state"], "active")
        self.assertEqual(json.loads(run("replay", one, "--delivery", test["delivery"], "--json").stdout)[0]["redelivered"], 1)
        self.assertEqual({m.id for m in self.receiver.wait(2, kind="webhook.test")}, {test["delivery"]})
        wait_for("the result", lambda: self.show(g, one)["deliveries"][0]["state"] == "delivered")
        self.assertEqual(json.loads(run("replay", one, "--since", "2024-03-15", "--json").stdout)[0]["redelivered"], 1)  # challenges are not
        self.receiver.wait(3, kind="webhook.test")
        self.assertEqual(json.loads(run("replay", one, "--since", "2024-03-15T00:00:00+07:00", "--failed", "--json").stdout)[0]["redelivered"], 0)
        # What is refused, with the exit code of its kind.
        for args, code in ((("show", "wh_tidakada"), 1), (("show",), 2), (("show", one, two), 2), (("wat",), 2), (("list", one), 2), (("list", "--only", "failing"), 2),
                           (("list", "--failed"), 2), (("show", one, "--only", "active"), 2), (("replay", one), 2), (("replay", one, "--delivery", "msg_x"), 1),
                           (("replay", one, "--since", "kemarin"), 2), (("replay", one, "--delivery", "msg_x", "--since", "2024-03-15"), 2),
                           (("pause", "wh_tidakada"), 1), (("delete", "wh_tidakada"), 1)):
            done = run(*args, expect=code)
            self.assertEqual((done.stdout, bool(done.stderr.strip())), ("", True), args)
        # The rest of the house.
        metrics = g.metrics()
        self.assertIn('odp_webhook_subscriptions{state="active"}', metrics)  # counted every ten seconds
        self.assertGreaterEqual(metrics['odp_webhook_attempts_total{outcome="delivered"}'], 5)
        self.assertGreaterEqual(metrics['odp_webhook_attempts_total{outcome="refused"}'], 1)
        health = g.metrics_get("/healthz")
        self.assertEqual((health.status, [w for w in health.json()["warnings"] if w.startswith("webhooks")]), (200, []))
        found = self.checks(g)
        self.assertEqual((found["webhooks"]["result"], found["webhook-key"]["result"]), ("ok", "ok"), found)
        acts = [(a["act"], a["subject"]) for a in json.loads(g.run("audit", "list", "--json").stdout) if a["actor"].startswith("command:") and a["act"].startswith("webhook.")]
        self.assertEqual(acts, [("webhook.test", one), ("webhook.test", two), ("webhook.pause", one), ("webhook.resume", one), *[("webhook.redeliver", one)] * 3])
        g.run("audit", "check")
        everything += [g.log_text(), g.run("audit", "list").stdout, g.metrics_get().body.decode(), json.dumps(found)]
        for text in everything:
            for hidden in (secret, secret[6:], "whsec_", "rahasia", "token=", key):
                self.assertNotIn(hidden, text)

        # Without the service.
        self.assertEqual(g.stop(), 0)
        self.assertIn(f"http://127.0.0.1:{self.receiver.port}/hook?…", g.run("webhooks", "list").stdout)
        for act in (("test", one), ("replay", one, "--since", "2024-03-15")):
            for lang, words in (("en", "does not run"), ("id", "tidak berjalan")):
                done = g.run("webhooks", *act, "--lang", lang, expect=1)
                self.assertIn(words, done.stderr)
                self.assertIn("odp-gateway serve", done.stderr)
        self.assertEqual(json.loads(g.run("webhooks", "pause", one, "--json").stdout)[0]["state"], "paused")
        done = g.run("webhooks", "resume", one, "--lang", "en")
        self.assertIn("once odp-gateway serve is started", done.stderr)
        self.assertEqual(json.loads(g.run("webhooks", "delete", two, "--json").stdout)[0]["state"], "deleted")
        self.assertEqual([r["id"] for r in self.list(g)], [one])
        self.check_backup(g, one)

    def check_backup(self, g, one):
        """A backup has the webhooks and not their key; where that is missing is said, and what it means."""
        done = g.run("backup", self.dir / "backup", "--lang", "en")
        self.assertRegex(done.stderr, r"its webhooks \(1\) are sealed; their key \(STATE/webhook\.key")
        key = (g.state / "webhook.key").read_bytes()
        self.assertEqual((g.state / "webhook.key").stat().st_mode & 0o777, 0o600)
        self.assertNotIn(b"/hook", (self.dir / "backup").read_bytes())
        shutil.rmtree(g.state)
        done = g.run("restore", self.dir / "backup", "--lang", "en")
        self.assertIn(str(g.state / "webhook.key"), done.stderr)
        self.assertRegex(done.stderr, r"warning: its webhooks \(1\) .* PATCH url")
        row = self.show(g, one)
        self.assertEqual((row["url"], row["place"]), (None, f"127.0.0.1:{self.receiver.port}"))
        self.assertFalse((g.state / "webhook.key").exists(), "looking makes no key")
        self.assertEqual(self.checks(g, expect=1)["webhook-key"]["result"], "error")
        # Started without it: held, nothing is sent; the key comes back: it goes on.
        g.start()
        wait_for("the pause", lambda: (self.show(g, one)["state"], self.show(g, one)["reason"]) == ("paused", "sealed"))
        self.assertRegex(g.run("webhooks", "show", one, "--lang", "en").stdout, r"(?m)^sealed: .*rotate-secret")
        self.assertEqual(g.stop(), 0)
        with open(g.state / "webhook.key", "ab") as file:
            file.write(b"\n" + re.search(rb"(?m)^[0-9A-Za-z+/]{43}=$", key).group(0) + b"\n")
        before = len(self.receiver.to(kind="webhook.test"))
        g.start()
        wait_for("what was held", lambda: self.show(g, one)["state"] == "active")
        g.run("webhooks", "test", one)
        self.receiver.wait(before + 1, kind="webhook.test")
        wait_for("all sealed with the first key", lambda: "opens all 1" in self.checks(g)["webhook-key"]["detail"])
        self.assertEqual(g.stop(), 0)

    def test_an_operator_who_wants_none(self):
        g = self.start("--no-webhooks")
        key = g.create_key("government")
        answer = g.post("/v1/webhooks", {"url": "https://hooks.example.org/", "events": ["quota.warning"]}, key=key)
        self.assertEqual(answer.status, 501, answer)
        self.assertEqual(self.list(g), [])
        self.assertNotIn("odp_webhook_pending", g.metrics())
        self.assertFalse((g.state / "webhook.key").exists())
        self.assertEqual(self.checks(g)["webhook-key"]["result"], "ok")
        self.assertEqual(g.stop(), 0)

    def test_a_key_file_of_ones_own(self):
        file = self.dir / "sealing.key"
        g = gatewaylib.Gateway(self.dir / "site", self.dir / "state", "--webhook-key", file)
        self.assertIn(str(file), gatewaylib.run(*g.command_line()[1:], expect=2).stderr)  # it is not made where one was named
        file.write_text("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n")
        file.chmod(0o600)
        g = self.start("--webhook-key", file)
        one, _ = self.subscribe(g, g.create_key("government"), "/hook")
        self.assertEqual(g.stop(), 0)
        self.assertFalse((g.state / "webhook.key").exists())
        self.assertIsNone(self.show(g, one)["url"])
        self.assertEqual(json.loads(g.run("webhooks", "show", one, "--webhook-key", file, "--json").stdout)[0]["url"], self.receiver.url("/hook"))
        self.assertEqual(self.checks(g, "--webhook-key", file)["webhook-key"]["result"], "ok")
        file.chmod(0o640)
        self.assertEqual(self.checks(g, "--webhook-key", file, expect=1)["webhook-key"]["result"], "error")


if __name__ == "__main__":
    odp.main()
