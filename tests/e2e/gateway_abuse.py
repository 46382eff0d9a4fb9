"""A running gateway is attacked by script: requests that two servers could read differently, addresses that mean another file, headers that only we may set, guesses at keys,
cursors and addresses that were signed and then changed. Counted: tried, survived (alive and right after each), let in (none). What breaks the machine under it is in
gateway_abuse_faults.py."""
import base64
import hashlib
import hmac
import itertools
import json
import os
import random
import re
import signal
import sys
import urllib.parse

import abuselib
import gatewaylib
from abuselib import saw, wait_for
from modulelib import Nginx

DEEP = "deep" in sys.argv
GATEWAY_HEADERS = ("X-Odp-Account: 0", "X-Odp-Account: 1", "X-Odp-Tier: government", "X_Odp_Tier: government", "X-Odp-Client: 127.0.0.1", "X-Odp-Code: x", "X-Odp-Status: 200",
                   "X-Accel-Redirect: /search/index.json", "X-Accel-Redirect: /v1/kumuh.json", "X-Original-URI: /v1/openapi.json", "X-Original-Method: OPTIONS",
                   "X-Forwarded-Uri: /v1/openapi.json", "X-Forwarded-Method: OPTIONS", "X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1", "X-Rewrite-URL: /control",
                   "X-Original-URL: /control", "X-HTTP-Method-Override: OPTIONS", "Forwarded: for=127.0.0.1", "Destination: /v1/kumuh", "Connection: Authorization, X-Odp-Tier",
                   "Upgrade: h2c", "Upgrade: websocket", "Expect: 100-continue", "Expect: x", "Range: bytes=0-,0-,0-,0-,0-", "Trailer: Authorization", "TE: trailers")


class Abuse(abuselib.Abuse):
    # ---- requests that two servers could read differently ----

    def test_smuggling(self):
        self.start()
        # The request around it is refused itself (its body is no JSON), so whatever is served was hidden. What would be served if a server behind read it as a request of its own: as a tier that has no limit, and without a key.
        hidden = ("GET /v1/kumuh/search?limit=3 HTTP/1.1\r\nHost: x\r\nX-Odp-Account: 1\r\nX-Odp-Tier: government\r\n\r\n",
                  'POST /admin HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n{"command":"keys.list"}',
                  "GET /forward-auth HTTP/1.1\r\nHost: x\r\nX-Original-URI: /v1/openapi.json\r\nX-Original-Method: GET\r\n\r\n")
        codings = ("Transfer-Encoding: chunked", "Transfer-Encoding : chunked", " Transfer-Encoding: chunked", "Transfer-Encoding:\tchunked", "Transfer-Encoding: xchunked",
                   "Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                   "X: y\nTransfer-Encoding: chunked", "X: y\r\n\tTransfer-Encoding: chunked", "Transfer-Encoding\r\n : chunked", "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked",
                   "Transfer_Encoding: chunked", 'Transfer-Encoding: "chunked"', "Transfer-Encoding: chunked\x0b", "Transfer-Encoding: chunked\x00", "\x00Transfer-Encoding: chunked",
                   "Transfer-Encoding:\r\n chunked", "TRANSFER-ENCODING: ChUnKeD", "Transfer-Encoding: chunked;x=1", "Transfer-Encoding: \xa0chunked", "X:\r\rTransfer-Encoding: chunked")
        lengths = ("Content-Length: 4", "Content-Length: 0", "Content-Length : 4", "Content-Length: +4", "Content-Length: 4\r\nContent-Length: 6", "Content-Length: 4, 4",
                   "Content-Length: 0x4", "Content-Length: 4 ", "Content_Length: 4", "Content-Length: 4\r\n 5", "Content-Length: 18446744073709551620", "Content-Length: -4", "Content-Length:")
        attacks = []
        doors = ("POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n",
                 f"POST /v1/kumuh/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {self.key}\r\n")
        for n, (coding, length) in enumerate(itertools.product(codings, lengths)):
            door, tail = doors[n % 2], hidden[n % 3]
            order = f"{coding}\r\n{length}" if n % 5 else f"{length}\r\n{coding}"
            attacks.append((f"{coding!r} {length!r}", f"{door}{order}\r\n\r\n0\r\n\r\n{tail}".encode("latin-1")))
        for n, length in enumerate(lengths):
            attacks.append((f"alone {length!r}", f"{doors[n % 2]}{length}\r\n\r\nnope{hidden[n % 3]}".encode("latin-1")))
        for chunk in ("zz", "-1", "0x5", "ffffffffffffffff", "fffffffffffffffff0", "5;" + "a" * 9000, " 5", "5 ", "", "\n", "5\n"):
            attacks.append((f"chunk {chunk[:30]!r}", f"{doors[1]}Transfer-Encoding: chunked\r\n\r\n{chunk}\r\nnope!\r\n0\r\n\r\n{hidden[0]}".encode("latin-1")))
        if not DEEP:
            attacks = random.Random(4).sample(attacks, 150)

        def judge(name, answer):
            # The hidden request has no key: if anybody answers it with more than a refusal, it came through.
            answers = re.findall(rb"HTTP/1\.1 (\d\d\d)", answer)
            return saw(answer) or (f"{answers}" if b"200" in answers[1:] or b"204" in answers[1:] else None)
        for part in range(0, len(attacks), 50):
            self.volley("smuggling", attacks[part:part + 50], judge)
        self.verdict()

    def test_odd_requests(self):
        self.start()
        bare = "GET /v1/kumuh HTTP/1.1\r\nHost: x\r\n"
        attacks = [(f"method {m!r}", f"{m} /v1/kumuh HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".encode("latin-1"))
                   for m in ("get", "TRACE", "TRACK", "CONNECT", "PUT", "DELETE", "PATCH", "PROPFIND", "MOVE", "COPY", "LINK", "PURGE", "DEBUG", "G" * 9000, "GET\x00", "\x16\x03\x01", "M-SEARCH",
                             "OPTIONS\tGET", "HEAD\x0bGET", "GET ", "")]
        attacks += [(f"line {line[:40]!r}", f"{line}\r\nHost: x\r\n\r\n".encode("latin-1"))
                    for line in ("GET http://evil/v1/kumuh HTTP/1.1", "GET http://127.0.0.1:1/v1/kumuh HTTP/1.1", "GET https://x/v1/kumuh HTTP/1.1", "GET //v1/kumuh HTTP/1.1", "GET /v1/kumuh HTTP/0.9",
                                 "GET /v1/kumuh HTTP/1.2", "GET /v1/kumuh HTTP/3.0", "GET /v1/kumuh HTTP/11.1", "GET /v1/kumuh", "GET /v1/kumuh\tHTTP/1.1", "GET  /v1/kumuh HTTP/1.1",
                                 "GET /v1/kumuh HTTP/1.1 x", "GET /v1/kumuh http/1.1", "GET v1/kumuh HTTP/1.1", "GET * HTTP/1.1", "OPTIONS * HTTP/1.1", "GET ftp://x/v1/kumuh HTTP/1.1",
                                 "GET unix:/run/control.sock:/admin HTTP/1.1", "CONNECT 127.0.0.1:22 HTTP/1.1", "PRI * HTTP/2.0", "GET /v1/kumuh\x00 HTTP/1.1", "GET /v1/kumuh#x HTTP/1.1")]
        attacks += [(f"head {head[:40]!r}", f"{bare}{head}\r\n\r\n".encode("latin-1"))
                    for head in ("Host: y", "Host:", "Host: x\x00", "Host: ../../x", "Authorization: Bearer", "Authorization: Bearer \x00", "Authorization: Bearer odp_live_", "Authorization : Bearer x",
                                 f"Authorization: Bearer {'0' * 8000}", "Authorization: Bearer null\r\nAuthorization: Bearer null", "Authorization:\r\n Bearer x", "Cookie: key=odp_live_x", ": x", "x", "x y: z",
                                 "X: " + "a" * 30000, *(f"X{n}: y" for n in range(3)), "\r\n".join(f"X{n}: y" for n in range(5000)), "X: \x7f\x01\x02")]
        attacks += [(f"ours {h!r}", f"{bare}{h}\r\n\r\n".encode("latin-1")) for h in GATEWAY_HEADERS]
        attacks += [(f"ours, query {h!r}", f"GET /v1/kumuh/search?limit=2 HTTP/1.1\r\nHost: x\r\n{h}\r\n\r\n".encode("latin-1")) for h in GATEWAY_HEADERS]
        attacks += [("pipelined", (bare + "\r\n").encode() * 500), ("HTTP/0.9", b"GET /v1/kumuh\r\n"), ("only line ends", b"\r\n" * 3000), ("zeros", b"\0" * 30000),
                    ("TLS hello", bytes.fromhex("160301020001") + os.urandom(300)), ("random", os.urandom(20000)),
                    ("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"), ("query of 100 kB", b"GET /v1/kumuh?" + b"a" * 100000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")]
        self.volley("odd requests", attacks, lambda name, answer: saw(answer))
        self.verdict()

    def test_headers_of_ours_change_nothing(self):
        """A client with a small tier sends what only nginx may say: its tier stays, its quota is spent all the same."""
        g = self.start()
        small = g.create_key("registered")
        for n, header in enumerate(GATEWAY_HEADERS):
            answer = g.get("/v1/kumuh/search?limit=1", small, headers=[header])
            spent = answer.status == 429
            self.tried("headers of ours", header, None if spent or n < 3 else answer.body[:100])
            if n < 3:
                self.assertIn(answer.status, (200, 417), answer)
                self.assertEqual((answer.get("ratelimit-policy") or "q=3;").split(";")[1], "q=3")
        self.verdict()

    # ---- addresses ----

    def test_paths(self):
        g = self.start()
        targets = ("control", "gateway.json", "search/index.json", "service/page.id.html", "../state/keys.table", "../state/store.sqlite", "../state/cursor.key", "../state/webhook.key",
                   "run/control.sock", "admin", "forward-auth", ".odp/problem", ".odp/unavailable", "odp_query", "@odp_query", "metrics", "healthz", "etc/passwd", "v1/kumuh.json", "nginx.conf",
                   f"{g.state}/cursor.key")
        dots = ("..", "%2e%2e", ".%2e", "%252e%252e", "..%00", "%c0%ae%c0%ae", "%e0%80%ae%e0%80%ae", "..;", ". .", "%uff0e%uff0e", "\uff0e\uff0e".encode().decode("latin-1"))
        slashes = ("/", "%2f", "%252f", "\\", "%5c", "//", "%c0%af", "%e0%80%af", "/./", "%00/", "/%20/")
        attacks, n = [], 0
        for target in targets:
            for dot, slash in itertools.product(dots, slashes):
                head = ("", "v1", "v1/openapi.json", "auth", "api/v1", "data", "en", "assets")[n % 8]
                climb = slash.join([dot] * (1 + n % 6))
                attacks.append(f"/{head}{slash}{climb}{slash}{target}")
                n += 1
            for form in ("/{}", "//{}", "/%2f{}", "/./{}", "/{}/", "/{}%00", "/{}%00.json", "/{}.", "/{}%20", "/{};x", "/{}?", "/{}%3f", "/auth/{}", "/auth/../{}", "/auth/%2e%2e/{}", "/v1/..%2f{}"):
                attacks.append(form.format(target))
        attacks = list(dict.fromkeys(a for a in attacks if not re.fullmatch(r"/+(\./)?admin|.*data.*", a)))
        attacks = attacks if DEEP else random.Random(7).sample(attacks, 400)
        connection = gatewaylib.Connection(g.port, 20)
        for path in attacks:
            line = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode("latin-1")
            connection.send(line)
            try:
                answer = connection.receive()
                body, status = answer.body, answer.status
            except (gatewaylib.Connection.Unanswered, AssertionError, ValueError):
                connection.close()
                body, status = b"", 0
            let_in = saw(body) or (body[:100] if b"Signs cursors" in body or b"Seals the secrets" in body else None)
            self.tried("paths", path, let_in or (f"status {status}" if status >= 500 else None), survived=None if len(self.tally.tried) == 0 or random.random() < 0.1 else g.process.poll() is None)
        self.tried("paths", "after all", None)
        connection.close()
        self.verdict()

    def test_administration(self):
        """Nobody speaks to the control socket by HTTP, and no endpoint takes its commands."""
        g = self.start()

        def keys():
            return [(k["id"], k["state"], k["tier"]) for k in json.loads(g.run("keys", "list", "--json").stdout)]
        before = keys()
        commands = [{"command": "keys.create", "name": "x", "email": "x@example.org", "tier": "government"}, {"command": "keys.list"}, {"command": "status"}, {"command": "backup", "path": "/tmp/x"}]
        paths = ("/admin", "/auth/admin", "/auth/../admin", "/auth/%2e%2e/admin", "/auth/..%2fadmin", "/auth/register/../../admin", "/v1/webhooks/../../admin", "/v1/webhooks/%2e%2e/%2e%2e/admin", "/v1/admin",
                 "/v1/kumuh/search/../../../admin", "/auth//admin", "/auth/;/admin", "/auth/key/../../admin", "/problem", "/forward-auth", "/auth/forward-auth", "/metrics", "/healthz")
        for path, command in itertools.product(paths, commands):
            answer = self.post(path, command, key=self.key)
            self.tried("administration", f"{path} {command}", saw(answer.body) or (str(answer) if answer.status < 300 else None))
        self.assertEqual(keys(), before)
        self.verdict()

    # ---- guessing ----

    def test_guessing_keys(self):
        g = self.start()
        suspended, revoked = g.create_key("public"), g.create_key("public")
        g.run("keys", "suspend", suspended[:14])
        g.run("keys", "revoke", revoked[:14], "--yes")
        wait_for("both to be closed", lambda: [g.get("/v1/kumuh", k).status for k in (suspended, revoked)] != [200, 200])
        answers = set()
        connection = gatewaylib.Connection(g.port, 30)

        def ask(name, key, expected):
            answer = connection.get("/v1/kumuh", key)
            self.tried("guessed keys", name, saw(answer.body) or (f"{answer.status}" if answer.status not in expected else None), survived=answer.status in expected)
            return answer
        shown = self.key[:14]
        for n in range(3000 if DEEP else 500):  # well-formed, with the shown part of a key that there is
            answer = ask(f"guess {n}", gatewaylib.make_key(shown[9:] + "".join(random.choice(gatewaylib.ALPHABET) for _ in range(25))), (401,))
            answers.add((answer.status, answer.body, answer.get("www-authenticate"), answer.get("ratelimit")))
        self.assertEqual(len(answers), 1, "the answer tells guesses apart")
        for n in range(len("odp_live_"), len(self.key)):  # each character changed, the checksum right
            body = self.key[9:39]
            if n < 39:
                k = n - 9
                ask(f"character {n}", gatewaylib.make_key(body[:k] + ("A" if body[k] != "A" else "B") + body[k + 1:]), (401,))
            ask(f"without checksum {n}", self.key[:n] + ("A" if self.key[n] != "A" else "B") + self.key[n + 1:], (401,))
        for name, key in (("suspended", suspended), ("revoked", revoked), ("upper case", self.key.upper()), ("twice", self.key + self.key), ("a digest", hashlib.sha256(self.key.encode()).hexdigest()),
                          ("shown part", shown), ("empty", " "), ("quoted", f'"{self.key}"')):
            ask(name, key, (401, 403, 400))
        connection.close()
        self.tried("guessed keys", "after all", None)
        self.verdict()

    def test_what_belongs_to_others(self):
        """Webhooks of another account and webhooks that are not there: the same answer. Recovery: the same for who is registered and who is not."""
        g = self.start("--webhook-loopback", "--sendmail", "/bin/false", "--mail-from", "portal@example.org")
        mine, other = g.create_key("public"), g.create_key("public")
        made = self.post("/v1/webhooks", {"url": "http://127.0.0.1:9999/x", "events": ["dataset.version.published"]}, key=mine)
        name = made.json()["data"][0]["id"] if made.status == 201 else None
        self.assertIsNotNone(name, made)
        ids = [name, name[:-1] + ("a" if name[-1] != "a" else "b"), "wh_" + "0" * (len(name) - 3)]
        for suffix, method, body in (("", "GET", None), ("", "DELETE", None), ("", "PATCH", {"state": "paused"}), ("/rotate-secret", "POST", {}), ("/test", "POST", {}), ("/deliveries", "GET", None),
                                     ("/confirm", "POST", {"challenge": "x"}), ("/redeliver", "POST", {"since": "2024-01-01T00:00:00Z"})):
            seen = set()
            for path in (f"/v1/webhooks/{i}{suffix}" for i in ids):
                answer = g.get(path, other, method=method, headers=["Content-Type: application/json"], body=json.dumps(body).encode() if body is not None else b"")
                seen.add((answer.status, answer.json().get("code"), answer.json().get("title"), answer.json().get("detail")))
                self.tried("webhooks of others", f"{method} {path}", str(answer) if answer.status < 400 else None)
            self.assertEqual(len(seen), 1, f"{suffix}: the answer tells whether there is one: {seen}")
        self.assertEqual(g.get(f"/v1/webhooks/{name}", mine).status, 200)
        self.assertEqual(self.post("/auth/register", {"name": "A", "email": "ada@example.org"}).status, 201)
        seen = set()
        for email in ("ada@example.org", "tidak-ada@example.org", "ADA@example.org"):
            answer = self.post("/auth/recover", {"email": email})
            seen.add((answer.status, re.sub(rb"[a-z-]+@", b"", answer.body.lower())))
            self.tried("recovery", email, saw(answer.body))
        self.assertEqual(len(seen), 1, seen)
        self.verdict()

    # ---- what was signed ----

    def test_cursors(self):
        g = self.start()
        second = self.serve(self.site, state="other")  # another secret
        stranger = second.create_key("government")
        def cursor_of(gateway, key, path):
            link = gateway.get(path, key).json()["links"]["next"]
            return urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["cursor"][0]
        good, foreign = cursor_of(g, self.key, "/v1/kumuh?limit=3"), cursor_of(second, stranger, "/v1/kumuh?limit=3")
        self.assertEqual(g.get(f"/v1/kumuh?limit=3&cursor={good}", self.key).status, 200)
        data = base64.urlsafe_b64decode(good + "=" * (-len(good) % 4))

        def text(value):
            return base64.urlsafe_b64encode(value).decode().rstrip("=")
        changed = [(f"byte {n} xor {bit}", text(data[:n] + bytes([data[n] ^ bit]) + data[n + 1:])) for n in range(len(data)) for bit in ((1, 2, 4, 8, 16, 32, 64, 128) if DEEP else (1, 128))]
        changed += [(f"first {n} bytes", text(data[:n])) for n in range(len(data))] + [("of another secret", foreign), ("doubled", text(data + data)), ("one more byte", text(data + b"\0"))]
        for guess in (b"", b"\0" * 32, b"secret", data[2:6], hashlib.sha256(b"").digest()):
            changed.append((f"signed with {guess!r}", text(data[:-16] + hmac.new(guess, data[:-16], "sha256").digest()[:16])))
        changed += [(f"text {t[:20]!r}", urllib.parse.quote(t, safe="")) for t in ("", " ", "null", "AAAA", "../../x", "' OR 1=1 --", "%00", "A" * 5000, good + "=", good[:-1], good.swapcase())]
        connection = gatewaylib.Connection(g.port, 30)
        for name, cursor in changed:
            answer = connection.get(f"/v1/kumuh?limit=3&cursor={cursor}", self.key)
            let_in = answer.body[:200] if answer.status == 200 and name != "text ''" else None
            self.tried("cursors", name, let_in, survived=answer.status in (400, 410, 414) or name == "text ''")
        for path in ("/v1/kontraktor?limit=3", "/v1/kumuh?limit=3&sortby=skor", "/v1/kumuh?limit=3&tingkat=Berat", "/v1/ogc/collections/kontraktor/items?limit=3"):
            answer = connection.get(f"{path}&cursor={good}", self.key)
            self.tried("cursors", f"at {path}", answer.body[:200] if answer.status == 200 else None, survived=answer.status in (400, 410))
        answer = connection.get(f"/v1/kumuh?limit=3&cursor={good}", None)
        self.tried("cursors", "without a key", saw(answer.body), survived=answer.status == 401)
        connection.close()
        self.verdict()

    def test_signed_redirects(self):
        """The other end, as the module's README writes it for nginx: what was not signed, or was changed, gets nothing; two secrets are good while one is replaced."""
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        secret = self.dir / "redirect"
        gatewaylib.run("secrets", "replace", "redirect", "--file", secret)
        old = gatewaylib.run("secrets", "show", "redirect", "--file", secret).stdout.strip()
        store = self.dir / "store"
        store.mkdir()
        (store / "x").mkdir()

        def id_of(word):
            return hashlib.sha256(base64.b64decode(word)).hexdigest()[:8]
        cdn = Nginx(self.dir, "cdn", "", module=False)
        self.addCleanup(cdn.destroy)

        def accept(*words):
            keys = "".join(f"{id_of(w)} \"{w}\"; " for w in words)
            cdn.configure(f"""map $arg_key $odp_secret {{ default "{os.urandom(16).hex()}"; {keys}}}
                server {{ listen PORT; root {os.path.realpath(self.site)}; secure_link $arg_md5,$arg_expires; secure_link_md5 "$secure_link_expires$uri $odp_secret";
                          if ($secure_link = "") {{ return 403; }} if ($secure_link = "0") {{ return 410; }} }}""")
        accept(old)
        cdn.start()
        g = self.start_redirecting(f"redirect=secure_link,http://127.0.0.1:{cdn.port},{secret},ttl=60s")

        def address():
            answer = g.get("/v1/kumuh", self.key)
            self.assertEqual(answer.status, 302, answer)
            return urllib.parse.urlsplit(answer.get("location"))
        where = address()
        self.assertEqual(cdn.get(f"{where.path}?{where.query}").status, 200)
        good, parts = f"{where.path}?{where.query}", dict(urllib.parse.parse_qsl(where.query))
        self.assertEqual(parts["key"], id_of(old))
        attacks = [good.replace(f"expires={parts['expires']}", f"expires={int(parts['expires']) + n}") for n in (-1, 1, 1000000)] + [good.replace("kumuh", "kontraktor"), where.path, f"{where.path}?"]
        last = good.index(parts["md5"]) + len(parts["md5"]) - 1
        for n, c in enumerate(good):
            # The digest's last sign carries two bits of it: only "A", "Q", "g" and "w" stand for others than its neighbours do.
            if n > len(where.path):
                attacks.append(good[:n] + (next(x for x in "AQ" if x != c) if n == last else "0" if c != "0" else "1") + good[n + 1:])
        for word in ("", "x", parts["key"]):
            digest = base64.urlsafe_b64encode(hashlib.md5(f"9999999999{where.path} {word}".encode()).digest()).decode().rstrip("=")
            attacks += [f"{where.path}?md5={digest}&expires=9999999999&key={k}" for k in ("", "0", "00000000", parts["key"])] + [f"{where.path}?md5={digest}&expires=9999999999"]
        for attack in attacks:
            answer = cdn.get(attack)
            self.tally.count("redirects", answer.status in (400, 403, 404, 410))
            if answer.status == 200 or saw(answer.body):
                self.tally.let_in.append(("redirects", attack, answer))
        # Another secret: the other end learns it first, then it signs; what the old one signed stays good.
        gatewaylib.run("secrets", "replace", "redirect", "--file", secret, "--after", "2s", "--grace", "1h")
        new = gatewaylib.run("secrets", "show", "redirect", "--file", secret).stdout.strip()
        accept(old, new)
        cdn.reload()
        g.send_signal(signal.SIGHUP)
        later = wait_for("the new secret to sign", lambda: (lambda a: a if id_of(new) in a.query else None)(address()))
        wait_for("the other end", lambda: cdn.get(f"{later.path}?{later.query}").status == 200)
        self.assertEqual(cdn.get(good).status, 200)
        self.verdict()

    def start_redirecting(self, content):
        self.g = g = self.serve(self.site, "--content", content)
        self.key = g.create_key("government")
        return g


@gatewaylib.odp.unittest.skipUnless(DEEP, "deep")
class WithoutModule(Abuse):
    """The same against auth_request, where connections to the service are kept: what one client sent must not become the beginning of another's request."""
    test_guessing_keys = test_what_belongs_to_others = test_cursors = test_signed_redirects = None

    def start(self, *options, **more):
        return super().start("--module", "off", *options, **more)


if __name__ == "__main__":
    if DEEP:
        sys.argv.remove("deep")
    gatewaylib.main()
