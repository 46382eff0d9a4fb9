"""The whole life of a key, with curl: registering, using, rotating, upgrading, recovering, revoking; bodies that are wrong; secrets nowhere."""
import email
import email.policy
import json
import os
import re
import stat
import urllib.parse

import gatewaylib
from gatewaylib import wait_for

TIERS = [("public", 1000, 1000), ("registered", 10000, 1000), ("government", None, 1000)]
SARI = {"name": "Sari", "email": "sari@example.org"}


class Api(gatewaylib.Case):
    def start(self, *options, **more):
        return self.serve(self.small_site(tiers=TIERS), "--registrations", "1000", *options, **more)

    def register(self, gateway, *options, **members):
        answer = gateway.post("/auth/register", {**SARI, **members}, *options)
        self.assertEqual(answer.status, 201, answer)
        return answer.json()["data"][0]["key"]

    def row(self, answer, status=200):
        """The single record of an envelope."""
        self.assertEqual(answer.status, status, answer)
        document = answer.json()
        self.assertEqual((document["status"], len(document["data"])), ("success", 1), document)
        return document["data"][0]

    def test_life_of_a_key(self):
        g = self.start()
        answer = g.post("/auth/register", {**SARI, "organisation": "Dinas", "purpose": "penelitian"})
        row = self.row(answer, 201)
        self.assertRegex(row["key"], r"^odp_live_[0-9A-Za-z]{36}$")
        self.assertEqual((row["tier"], row["limit"], row["used"]), ("public", 1000, 0))
        self.assertRegex(row["reset"], r"^\d{4}-\d\d-\d\dT00:00:00\+07:00$")
        self.assertIn("no-store", answer.get("cache-control", ""), answer)
        key = row["key"]
        for n, path in enumerate(("/v1/kumuh", "/api/v1/kumuh", "/v1/kumuh.json"), 1):  # at once: no reload, no pause
            answer = g.curl(path, key=key)
            self.assertEqual((answer.status, len(answer.json()["data"])), (200, 30), answer)
            self.assertEqual(answer.remaining(), 1000 - n)
        self.assertEqual(self.row(g.curl("/auth/key", key=key))["used"], 3)

        new = self.row(g.post("/auth/rotate", {}, key=key), 201)["key"]
        self.assertNotEqual(new, key)
        self.assertEqual(g.curl("/v1/kumuh", key=new).remaining(), 996)  # one account
        self.assertEqual(g.curl("/v1/kumuh", key=key).remaining(), 995)  # in its grace
        self.assertEqual(self.row(g.curl("/auth/key", key=new))["used"], 5)

        answer = g.curl("/auth/key", "-X", "DELETE", key=new)
        self.assertIn(answer.status, (200, 204), answer)
        answer = g.curl("/v1/kumuh", key=new)
        self.problem(answer, 401, "key-revoked")
        self.assertIn('error="invalid_token"', answer.get("www-authenticate"))

    def test_grace_and_term_end(self):
        env, set_clock = self.clock()
        set_clock("2026-11-25 10:00:00")
        g = self.start("--grace", "2", "--key-term", "30", env=env)
        key = self.register(g)
        new = self.row(g.post("/auth/rotate", {}, key=key), 201)["key"]
        set_clock("2026-11-27 09:59:00")
        self.assertEqual([g.curl("/v1/kumuh", key=k).status for k in (key, new)], [200, 200])
        set_clock("2026-11-27 10:01:00")
        answer = wait_for("the grace to end", lambda: (lambda a: a if a.status != 200 else None)(g.curl("/v1/kumuh", key=key)))
        self.problem(answer, 401, "key-expired")
        self.assertEqual(g.curl("/v1/kumuh", key=new).status, 200)
        set_clock("2026-12-30 10:00:00")
        answer = wait_for("the term to end", lambda: (lambda a: a if a.status != 200 else None)(g.curl("/v1/kumuh", key=new)))
        self.problem(answer, 401, "key-expired")
        self.assertIn('error="invalid_token"', answer.get("www-authenticate"))

    def test_wrong_bodies(self):
        g = self.start()
        cases = [
            ({"email": "a@example.org"}, "field-missing", "name"),
            ({"name": "A"}, "field-missing", "email"),
            ({"name": "", "email": "a@example.org"}, "field-missing", "name"),
            ({"name": 7, "email": "a@example.org"}, "field-invalid", "name"),
            ({"name": "A", "email": "a"}, "field-invalid", "email"),
            ({"name": "A", "email": "a@b\r\nBcc: c@example.org"}, "field-invalid", "email"),
            ({"name": "A", "email": "a@example.org, b@example.org"}, "field-invalid", "email"),
            ({"name": "x" * 5000, "email": "a@example.org"}, "field-invalid", "name"),
            ({"name": "A", "email": "a@example.org", "tier": "government"}, "field-unknown", "tier"),
            ({"name": "A", "email": "a@example.org", "purpose": ["x"]}, "field-invalid", "purpose"),
        ]
        for body, code, field in cases:
            with self.subTest(body=str(body)[:80]):
                texts = set()
                for lang in ("id", "en"):
                    document = self.problem(g.post("/auth/register", body, "-H", f"Accept-Language: {lang}"), 400, code)
                    self.assertEqual(document["field"], field)
                    texts.add((document["title"], document["detail"]))
                self.assertEqual(len(texts), 2, "the two languages say the same")
        for body in ("", "{", "[]", "null", '"x"', '{"name":"A","email":"a@example.org"}x', '{"name":"\\ud800","email":"a@example.org"}', "\xff\xfe",
                     "[" * 10000, '{"name":"A","name":"B","email":"a@example.org"}'):
            with self.subTest(body=body[:40]):
                answer = g.post("/auth/register", body)
                self.assertEqual(answer.status, 400, answer)
                self.assertIn(self.problem(answer, 400, answer.json()["code"])["code"], ("invalid-json", "field-invalid", "field-missing"))
        self.assertNotIn("a@example.org", g.run("keys", "list", "--json").stdout)

    def test_wrong_kinds_of_request(self):
        g = self.start()
        body = json.dumps(SARI)
        for content_type in ("text/plain", "application/x-www-form-urlencoded", "application/json-seq", ""):
            answer = g.curl("/auth/register", "-X", "POST", "-H", f"Content-Type: {content_type}" if content_type else "Content-Type:",
                            "--data-binary", body)
            self.problem(answer, 415, "unsupported-media-type")
        self.assertEqual(g.curl("/auth/register", "-X", "POST", "-H", "Content-Type: Application/JSON; charset=UTF-8",
                                "--data-binary", body).status, 201)
        for size in (16385, 100000, 20000000):
            big = self.dir / "big"
            big.write_bytes(b'{"name":"' + b"x" * (size - 11) + b'"}')
            answer = g.curl("/auth/register", "-X", "POST", "-H", "Content-Type: application/json", "-H", "Expect:", "--data-binary", f"@{big}")
            self.problem(answer, 413, "body-too-large")
        answer = g.curl("/auth/register")
        self.problem(answer, 405, "method-not-allowed")
        self.assertIn("POST", answer.get("allow"))
        answer = g.curl("/auth/key", "-X", "PUT")
        self.problem(answer, 405, "method-not-allowed")
        self.assertLessEqual({"GET", "DELETE"}, set(re.split(r",\s*", answer.get("allow"))))
        self.problem(g.curl("/auth/nothing"), 404, "not-found")
        for path in ("/admin", "/metrics", "/healthz", "/problem", "/forward-auth"):  # other doors
            self.assertEqual(g.curl(path).status, 404, path)
            self.assertIn(g.post(path, {"command": "keys.list"}).status, (404, 405), path)
        answer = g.curl("/auth/key")
        self.problem(answer, 401, "key-missing")
        self.assertEqual(answer.get("www-authenticate"), 'Bearer realm="odp"')
        self.problem(g.curl("/auth/key", key=gatewaylib.make_key()), 401, "key-unknown")

    def test_preflight(self):
        g = self.start()
        answer = g.curl("/auth/register", "-X", "OPTIONS", "-H", "Origin: https://example.org", "-H", "Access-Control-Request-Method: POST",
                        "-H", "Access-Control-Request-Headers: content-type, authorization")
        self.assertEqual(answer.status, 204, answer)
        self.assertEqual(answer.get("access-control-allow-origin"), "*")
        self.assertIn("POST", answer.get("access-control-allow-methods"))
        self.allows(answer)

    def test_upgrade_and_approval(self):
        g = self.start()
        key = self.register(g)
        self.problem(g.post("/auth/upgrade", {"tier": "raja", "reason": "x"}, key=key), 400, "field-invalid")
        self.problem(g.post("/auth/upgrade", {"tier": "registered", "reason": "x"}), 401, "key-missing")
        answer = g.post("/auth/upgrade", {"tier": "registered", "reason": "aplikasi kota"}, key=key)
        self.assertIn(answer.status, (201, 202), answer)
        request = answer.json()["data"][0]["id"]
        self.problem(g.post("/auth/upgrade", {"tier": "registered", "reason": "lagi"}, key=key), 409, "conflict")
        self.assertEqual(g.curl("/v1/kumuh", key=key).remaining(), 999)  # asking changes nothing
        g.run("keys", "approve", request)
        answer = wait_for("the tier", lambda: (lambda a: a if "q=10000;" in a.get("ratelimit-policy", "") else None)(g.curl("/v1/kumuh", key=key)))
        self.assertEqual(self.row(g.curl("/auth/key", key=key))["tier"], "registered")

    def test_operator_suspends_and_lifts(self):
        g = self.start()
        key = self.register(g)
        g.run("keys", "suspend", key[:14])
        answer = g.curl("/v1/kumuh", key=key)
        self.problem(answer, 403, "key-suspended")
        self.assertEqual(answer.all("www-authenticate"), [])
        listed = json.loads(g.run("keys", "list", "--json").stdout)
        states = [k["state"] for k in (listed["data"] if isinstance(listed, dict) else listed)]
        self.assertEqual(states, ["suspended"])

    def mail(self):
        """A sendmail that keeps what it gets in files; returns (command, function that reads all)."""
        if "thread" in gatewaylib.sanitized():
            self.skipTest("a shell does not start with TSan's runtime in it")
        box = self.dir / "mail"
        box.mkdir()
        script = self.dir / "sendmail"
        script.write_text(f'#!/bin/sh\nt=$(mktemp {box}/new.XXXXXX) && cat > "$t" && mv "$t" {box}/mail.$$.$(date +%N)\n')
        script.chmod(0o755)
        return str(script), lambda: [p.read_text() for p in sorted(box.glob("mail.*"), key=os.path.getmtime)]

    def link(self, box, purpose, having="", to=SARI["email"]):
        """The token of the newest link for PURPOSE that was sent to TO, in a mail that has HAVING; the body may be quoted-printable or base64."""
        found = None
        for text in box():
            message = email.message_from_string(text, policy=email.policy.default)
            link = re.search(rf"https://data\.example\.go\.id/auth/{purpose}\?token=([0-9A-Za-z_-]+)", message.get_content())
            if link and having in message.get_content() and message["To"].addresses[0].addr_spec.lower() == to:
                found = link.group(1)
        return found

    def form(self, gateway, path, **fields):
        return gateway.curl(path, "-X", "POST", "--data", urllib.parse.urlencode(fields))

    def test_confirmation_and_recovery(self):
        sendmail, box = self.mail()
        g = self.start("--sendmail", sendmail, "--mail-from", "portal@example.org", "--confirm-email")
        key = self.register(g)
        self.assertEqual(g.curl("/v1/kumuh", key=key).status, 200)  # works for a day unconfirmed
        token = wait_for("the mail", lambda: self.link(box, "confirm"))
        page = g.curl(f"/auth/confirm?token={token}")
        self.assertEqual(page.status, 200, page)
        self.assertIn("text/html", page.get("content-type"))
        self.assertIsNone(self.key_row(g, "email_confirmed") or None)  # looking is not confirming: mail scanners follow links
        self.assertEqual(self.form(g, "/auth/confirm", token=token).status, 200)
        self.assertEqual(self.form(g, "/auth/confirm", token=token).status, 400)  # once
        self.assertEqual(self.form(g, "/auth/confirm", token="x" * 43).status, 400)
        self.assertTrue(self.key_row(g, "email_confirmed"))

        answer = g.post("/auth/recover", {"email": SARI["email"]})
        nobody = g.post("/auth/recover", {"email": "nobody@example.org"})
        self.assertEqual((answer.status, answer.body), (202, nobody.body))
        token = wait_for("the second mail", lambda: self.link(box, "recover"))
        page = g.curl(f"/auth/recover?token={token}")
        self.assertEqual(page.status, 200, page)
        redeemed = self.form(g, "/auth/recover/redeem", token=token)
        self.assertEqual(redeemed.status, 200, redeemed)
        new = re.search(r"odp_live_[0-9A-Za-z]{36}", redeemed.body.decode()).group(0)
        self.problem(g.curl("/v1/kumuh", key=key), 401, "key-revoked")
        self.assertEqual(g.curl("/v1/kumuh", key=new).status, 200)
        self.assertEqual(self.form(g, "/auth/recover/redeem", token=token).status, 400)
        self.assertEqual(len(box()), 2)
        g.stop()
        self.no_secrets(g, [key, new, token], [SARI["email"]])

    def test_an_address_belongs_to_who_confirms_it(self):
        """Somebody who registers others' addresses, again and again, keeps them from nothing: they need a mail that arrives, nothing else."""
        sendmail, box = self.mail()
        g = self.start("--sendmail", sendmail, "--mail-from", "portal@example.org")
        strangers = [self.register(g, name="Bukan Sari", email=email) for email in ("sari@example.org", "SARI@Example.org")]
        key = self.register(g)
        token = wait_for("the mail for this key", lambda: self.link(box, "confirm", key[:14]))
        self.assertNotEqual(token, self.link(box, "confirm", strangers[0][:14]))
        again = g.post("/auth/register", {**SARI, "name": "x" * 200})
        self.assertFalse(self.row(again, 201)["confirmation_sent"])  # three mails an hour
        self.row(g.post("/auth/confirm", {"token": token}))
        for address in ("sari@example.org", "SARI@Example.org"):
            self.problem(g.post("/auth/register", {"name": "x", "email": address}), 409, "email-registered")
        for stranger in strangers:  # goes on for a week, but the address is not his
            row = self.row(g.curl("/auth/key", key=stranger))
            self.assertEqual((row["state"], row["email_confirmed"], row["expires"] is None), ("active", False, False), row)
            self.assertEqual(g.post("/auth/confirm", {"token": self.link(box, "confirm", stranger[:14])}).status, 400)
        row = self.row(g.curl("/auth/key", key=key))
        self.assertEqual((row["email_confirmed"], row["expires"]), (True, None))
        self.assertEqual([(k["email"], k["email_confirmed"]) for k in json.loads(g.run("keys", "list", "--json").stdout)],
                         [("", False), ("", False), (SARI["email"], True), ("", False)])
        listed = g.run("keys", "list", "--lang", "en").stdout.splitlines()
        self.assertEqual([line.split()[-1] for line in listed], ["confirmed", "no", "no", "yes", "no"], listed)

        # An address that only strangers have used, and whose confirmations they have used up: the mailbox is enough.
        other = "data@bps.go.id"
        for _ in range(4):
            stranger = self.register(g, email=other)
        self.assertEqual(g.post("/auth/recover", {"email": other}).status, 202)
        token = wait_for("the link", lambda: self.link(box, "recover", to=other))
        row = self.row(g.post("/auth/recover/redeem", {"token": token}), 201)
        self.assertEqual((row["tier"], row["email_confirmed"], row["expires"]), ("public", True, None))
        self.assertEqual(g.curl("/v1/kumuh", key=row["key"]).status, 200)
        self.assertIsNotNone(self.row(g.curl("/auth/key", key=stranger))["expires"])
        self.problem(g.post("/auth/register", {"name": "x", "email": other}), 409, "email-registered")

    def test_without_mail_nobody_is_kept_out(self):
        g = self.start()
        keys = [self.register(g) for _ in range(12)]
        for key in keys:
            self.assertIsNone(self.row(g.curl("/auth/key", key=key))["expires"])
        self.problem(g.post("/auth/recover", {"email": SARI["email"]}), 501, "not-implemented")

    def key_row(self, gateway, member):
        listed = json.loads(gateway.run("keys", "list", "--json").stdout)
        return (listed["data"] if isinstance(listed, dict) else listed)[0][member]

    def test_registrations_are_limited_by_address(self):
        g = self.serve(self.small_site(tiers=TIERS), "--registrations", "3", "--trusted-proxy", "127.0.0.0/8")
        n = iter(range(100))

        def register(address):
            return g.post("/auth/register", {"name": "A", "email": f"a{next(n)}@example.org"}, "-H", f"X-Forwarded-For: {address}")
        for _ in range(3):
            self.assertEqual(register("203.0.113.7").status, 201)
        answer = register("203.0.113.7")
        self.problem(answer, 429, "registration-rate")
        self.assertGreater(int(answer.get("retry-after")), 0)
        self.assertEqual(register("203.0.113.8").status, 201)
        for host in ("1", "2", "3"):
            self.assertEqual(register(f"2001:db8:1:2::{host}").status, 201)
        self.assertEqual(register("2001:db8:1:2:ffff::9").status, 429)  # the same /64
        self.assertEqual(register("2001:db8:1:3::1").status, 201)

    def test_a_stranger_cannot_choose_his_address(self):
        g = self.serve(self.small_site(tiers=TIERS), "--registrations", "2")  # no trusted proxy
        got = [g.post("/auth/register", {"name": "A", "email": f"a{n}@example.org"}, "-H", f"X-Forwarded-For: 203.0.113.{n}",
                      "-H", f"X-Odp-Client: 203.0.113.{n}", "-H", f"X-Real-IP: 203.0.113.{n}").status for n in range(3)]
        self.assertEqual(got, [201, 201, 429])

    def no_secrets(self, gateway, secrets, personal=()):
        """No file of the state, no log, has a key in clear; no log a mail address."""
        looked = 0
        for folder, _, names in os.walk(gateway.state):
            for name in names:
                path = os.path.join(folder, name)
                if not stat.S_ISREG(os.lstat(path).st_mode):
                    continue
                self.assertEqual(os.lstat(path).st_mode & 0o077, 0, path)
                with open(path, "rb") as f:
                    while True:
                        piece = f.read(1 << 24)
                        looked += len(piece)
                        for secret in secrets:
                            self.assertNotIn(secret.encode(), piece, path)
                        if name.endswith(".log"):
                            for text in personal:
                                self.assertNotIn(text.encode(), piece, path)
                        if len(piece) < 1 << 24 or name.endswith(".table"):
                            break
        for text in (*secrets, *personal):
            self.assertNotIn(text, gateway.log_text())
        self.assertGreater(looked, 10000)
        self.assertEqual(os.lstat(gateway.state).st_mode & 0o777, 0o700)

    def test_secrets_stay_secret(self):
        g = self.start()
        key = self.register(g)
        unknown = gatewaylib.make_key()
        for secret in (key, unknown):
            g.curl("/v1/kumuh", key=secret)
            g.curl("/v1/nothing", key=secret)
            g.curl(f"/v1/kumuh?api_key={secret}")
            g.curl(f"/v1/kumuh?x={secret}", key=secret)
            g.curl(f"/v1/{secret}", key=secret)
            g.curl("/v1/kumuh?api%5fkey=" + "".join(f"%{ord(c):02x}" for c in secret))
            g.curl(f"/{secret}", "-A", secret, "-e", f"https://example.org/?key={secret}")
            g.curl("/v1/kumuh", "-u", f"{secret}:", "-H", f"Cookie: key={secret}")
            g.curl("/auth/key", "-H", f"X-Forwarded-For: {secret}", key=secret)
            g.post("/auth/register", {**SARI, secret: secret})
            g.post("/auth/register", "{" + secret)
        g.post("/auth/rotate", {}, key=key)
        gatewaylib.raw(g.port, f"GET /v1/kumuh {key} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        gatewaylib.raw(g.port, f"GET /v1/kumuh HTTP/1.1\r\nHost: x\r\nAuthorization {key}\r\nContent-Length: {key}\r\n\r\n".encode())
        g.run("keys", "list")
        g.run("check")
        self.assertEqual(g.stop(), 0)
        self.no_secrets(g, [key[14:], unknown[14:], "".join(f"%{ord(c):02x}" for c in key)], [SARI["email"]])

    def test_access_log(self):
        g = self.start()
        key = self.register(g)
        g.curl("/v1/kumuh", key=key)
        g.curl("/v1/kumuh?a=1&token=rahasia", key=key)
        g.curl('/v1/%22%0a%22', "-A", 'x"\\', key=key)

        def lines():
            found = [p for p in g.state.rglob("*access*.log*")]
            text = "".join(p.read_text() for p in found)
            return [json.loads(line) for line in text.splitlines()] if text.count("/v1/") >= 3 else None
        for line in wait_for("the log", lines):
            self.assertNotIn("rahasia", json.dumps(line))
        self.assertTrue(any(key[:14] in json.dumps(line) for line in lines()))

    def test_key_in_the_address(self):
        g = self.start()
        key = self.register(g)
        answer = g.curl(f"/v1/kumuh?api_key={key}")
        self.problem(answer, 400, "key-in-query")
        self.assertNotIn(key, answer.body.decode())


if __name__ == "__main__":
    gatewaylib.main()
