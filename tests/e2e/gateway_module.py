"""The nginx module by itself: files, keys, configuration."""
import hashlib
import json
import re
import select
import subprocess
import time
import urllib.parse

import gatewaylib
from gatewaylib import SMALL, Connection, control_of, make_key, wait_for
from modulelib import BASE, EXPOSED, GOVERNMENT, PUBLIC, QUICK, TINY, ModuleCase, Nginx


class Files(ModuleCase):
    def test_every_line_of_a_compiled_site_is_sent_as_control_says(self):
        site = self.compile("kumuh", "perumahan")
        self.make_table()
        nginx = self.server(site=False)
        key, control, seen = self.key(GOVERNMENT), control_of(site), set()
        for path, row in control.items():
            if path.endswith("/"):
                continue
            answer = nginx.get("/" + urllib.parse.quote(path), key)
            if row["class"] == "internal":
                self.problem(answer, 404, "not-found")
                continue
            self.assertEqual(answer.status, 200, (path, answer))
            self.assertEqual(hashlib.sha256(answer.body).hexdigest()[:32], row["etag"].strip('"'), path)
            self.assertEqual((answer.all("etag"), answer.all("content-type"), answer.all("cache-control")),
                             ([row["etag"]], [row["type"]], [row["cache-control"]]), path)
            self.assertEqual(answer.get("content-encoding", "-"), row["encoding"])
            self.assertIsNone(answer.get("last-modified"))
            seen.add(row["class"])
        self.assertEqual(seen, {"public", "keyed"})

    def test_short_addresses_and_the_alias_are_the_same_file(self):
        nginx, key = self.server(), self.key()
        want = nginx.get("/v1/kumuh.json", key)
        for path in ("/v1/kumuh", "/api/v1/kumuh", "/api/v1/kumuh.json", "/v1/../v1/kumuh", "/v1//kumuh", "/v1/%6Bumuh", "/v1/kumuh?x=1"):
            got = nginx.get(path, key)
            self.assertEqual((got.status, got.body, got.get("etag")), (200, want.body, want.get("etag")), path)
        self.assertEqual(nginx.get("/").body, SMALL["index.html"][0])
        self.assertEqual(nginx.get("/data/a%20b/2024-03-15/a+b.csv").body, b"x\r\n1\r\n")

    def test_headers_of_a_keyed_answer(self):
        nginx, key = self.server(), self.key(PUBLIC)
        answer = nginx.get("/v1/kumuh", key)
        self.assertEqual(answer.get("ratelimit-policy"), '"daily";q=1000;w=86400, "burst";q=5;w=1')
        self.assertRegex(answer.get("ratelimit"), r'^"daily";r=999;t=[1-9]\d{0,4}$')
        self.assertEqual(answer.get("access-control-allow-origin"), "*")
        self.assertEqual(answer.get("access-control-expose-headers"), EXPOSED)
        self.assertEqual(answer.get("x-content-type-options"), "nosniff")
        self.assertEqual(answer.get("vary"), "Accept-Encoding")
        self.assertEqual(answer.get("accept-ranges"), "bytes")
        names = [n for n, _ in answer.headers]
        self.assertEqual(len(names), len(set(names)), names)
        unlimited = nginx.get("/v1/kumuh", self.key(GOVERNMENT))
        self.assertEqual((unlimited.status, unlimited.get("ratelimit"), unlimited.get("ratelimit-policy")), (200, None, None))

    def test_twins_by_accept_encoding(self):
        nginx, key, control = self.server(), self.key(), control_of(self.dir / "site")
        for accept, suffix in (("gzip", ".gz"), ("br", ".br"), ("gzip, br", ".br"), ("gzip;q=1, br;q=0.5", ".gz"), ("identity", ""), ("br;q=0", ""),
                               ("deflate", ""), ("*", ".br"), ("", ""), ("GZIP", ".gz")):
            for _ in range(2):  # the second comes from memory
                answer = nginx.get("/v1/kumuh", key, headers=[f"Accept-Encoding: {accept}"])
                path = "v1/kumuh.json" + suffix
                self.assertEqual(answer.get("etag"), control[path]["etag"], accept)
                self.assertEqual(answer.body, (self.dir / "site" / path).read_bytes(), accept)
                self.assertEqual(answer.get("content-encoding", "-"), control[path]["encoding"])
                self.assertEqual(answer.get("vary"), "Accept-Encoding")
        self.assertIsNone(nginx.get("/v1/kecil", key, headers=["Accept-Encoding: gzip"]).get("vary"))

    def test_head_is_get_without_a_body(self):
        nginx, key = self.server(), self.key()
        for path in ("/v1/kumuh", "/v1/raksasa", "/v1/tidak-ada", "/v1/kosong"):
            connection = Connection(nginx.port)
            got, head = connection.get(path, key), connection.get(path, key, method="HEAD", headers=["Range: bytes=0-1"])
            again = connection.get(path, key)  # the connection is still in step
            connection.close()
            drop = ("date", "ratelimit", "connection")
            self.assertEqual([h for h in head.headers if h[0] not in drop], [h for h in got.headers if h[0] not in drop], path)
            self.assertEqual((head.status, again.body), (got.status, got.body))

    def test_ranges(self):
        nginx, key = self.server(), self.key()
        for name in ("kumuh", "raksasa"):  # from memory, from disk
            whole = nginx.get(f"/v1/{name}", key)
            size, etag = len(whole.body), whole.get("etag")

            def ranged(spec, *more):
                return nginx.get(f"/v1/{name}", key, headers=[f"Range: bytes={spec}", *more])
            part = ranged("3-11")
            self.assertEqual((part.status, part.body, part.get("content-range"), part.get("etag")), (206, whole.body[3:12], f"bytes 3-11/{size}", etag))
            self.assertEqual(part.all("cache-control"), whole.all("cache-control"))
            self.assertEqual(ranged("-4").body, whole.body[-4:])
            self.assertEqual(ranged(f"{size - 2}-").body, whole.body[-2:])
            several = ranged("0-1,4-5")
            self.assertEqual(several.status, 206)
            self.assertIn("multipart/byteranges", several.get("content-type"))
            self.assertEqual(ranged("0-1", f"If-Range: {etag}").status, 206)
            for other in ('"other"', f"W/{etag}", "Tue, 15 Nov 1994 12:45:26 GMT"):
                self.assertEqual(ranged("0-1", f"If-Range: {other}").status, 200, other)
            beyond = ranged(f"{size}-")
            self.problem(beyond, 416, "range-not-satisfiable")
            self.assertEqual(beyond.get("content-range"), f"bytes */{size}")
            self.assertEqual(ranged("x-y").status, 416)
        twin = nginx.get("/v1/kumuh", key, headers=["Accept-Encoding: br"])
        part = nginx.get("/v1/kumuh", key, headers=["Accept-Encoding: br", "Range: bytes=1-2", f"If-Range: {twin.get('etag')}"])
        self.assertEqual((part.status, part.body, part.get("content-encoding")), (206, twin.body[1:3], "br"))

    def test_conditions(self):
        nginx, key = self.server(), self.key()
        etag = nginx.get("/v1/kumuh", key).get("etag")
        used = self.used(key)
        for header in (etag, f'"x", W/{etag}', "*"):
            same = nginx.get("/v1/kumuh", key, headers=[f"If-None-Match: {header}", "If-Modified-Since: Tue, 15 Nov 1994 12:45:26 GMT"])
            self.assertEqual((same.status, same.body, same.get("etag")), (304, b"", etag))
            self.assertEqual((same.get("cache-control"), same.get("vary")), ("private, max-age=60", "Accept-Encoding"))
            self.assertEqual(same.remaining(), 1000000 - used)
            self.assertIsNone(same.get("content-type"))
        self.assertEqual(self.used(key), used)
        self.assertEqual(nginx.get("/v1/kumuh", key, headers=[f"If-None-Match: {etag}", "Accept-Encoding: br"]).status, 200)
        self.problem(nginx.get("/v1/kumuh", key, headers=['If-Match: "other"']), 412, "precondition-failed")
        self.assertEqual(nginx.get("/v1/kumuh", key, headers=[f"If-Match: {etag}"]).status, 200)
        for date in ("If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT", "If-Unmodified-Since: Tue, 15 Nov 1994 12:45:26 GMT"):
            self.assertEqual(nginx.get("/v1/kumuh", key, headers=[date]).status, 200, date)
        self.assertEqual(nginx.get("/v1/raksasa", key, headers=["If-None-Match: *"]).status, 304)

    def test_states_of_datasets(self):
        nginx, key = self.server(), self.key()
        old = nginx.get("/v1/lama", key)
        self.assertEqual((old.status, old.get("deprecation"), old.get("sunset")), (200, "@1704067200", "Wed, 31 Dec 2036 23:59:59 GMT"))
        self.assertIn("successor-version", old.get("link"))
        for path in ("/v1/ditarik", "/v1/ditarik/v/2024/p/1.json"):
            gone = nginx.get(path, key)
            self.problem(gone, 410, "gone")
            self.assertIsNotNone(gone.remaining())
        self.assertIn("successor-version", nginx.get("/v1/ditarik", key).get("link"))
        self.problem(nginx.get("/v1/ditarik"), 401, "key-missing")

    def test_internal_and_unknown_files_are_not_there(self):
        nginx, key = self.server(), self.key()
        for path in ("/search/kumuh-0.sqlite", "/gateway.json", "/control", "/v1/tidak-ada", "/..%2fcontrol", "/%00", "/v1/kumuh.json.bak", "/nginx.conf"):
            self.assertIn(nginx.curl(path, key=key).status, (400, 404), path)
        self.assertEqual(self.used(key), 2)  # what lies under /v1/

    def test_a_file_that_is_not_as_long_as_control_says_is_not_sent(self):
        self.allowed = ("control promises",)
        nginx, key = self.server(), self.key()
        for name in ("kumuh.json", "raksasa.json"):
            path = self.dir / "builds/one/v1" / name
            path.write_bytes(path.read_bytes()[:-1])
            answer = nginx.get("/v1/" + name, key)
            self.problem(answer, 500, "internal")
            self.assertIsNone(answer.get("etag"))
        self.assertEqual(self.used(key), 0)
        self.assertNotIn("use/kumuh/api/wide", {k for k, v in self.meter().items() if v})


class Keys(ModuleCase):
    def test_refusals(self):
        nginx = self.server()

        def ask(**headers):
            return nginx.get("/v1/kumuh", headers=[f"{n.title()}: {v}" for n, v in headers.items()])
        good = self.key()
        for header, code in ((None, "key-missing"), ("Basic dTpw", "key-missing"), ("Bearer", "key-malformed"), ("Bearer a b", "key-malformed"),
                             (f"Bearer {good[:-1]}", "key-malformed"), (f"Bearer {good[:-1]}{'0' if good[-1] != '0' else '1'}", "key-malformed"),
                             (f"Bearer {make_key()}", "key-unknown"), (f"Bearer {self.key(state='revoked')}", "key-revoked"),
                             (f"Bearer {self.key(state='rotated', until=1)}", "key-expired"), (f"Bearer {self.key(until=1)}", "key-expired")):
            answer = ask(authorization=header) if header else ask()
            self.problem(answer, 401, code)
            self.assertTrue(answer.get("www-authenticate").startswith('Bearer realm="'), answer)
            self.assertEqual("error=" in answer.get("www-authenticate"), code != "key-missing", answer)
            self.assertEqual((answer.get("vary"), answer.get("cache-control"), answer.get("content-language")), ("Accept-Language", "no-store", "id"))
        self.problem(ask(authorization=f"Bearer {self.key(state='suspended')}"), 403, "key-suspended")
        for header in (f"Bearer {good}", f"bearer  {good}", f"BEARER {good} "):
            self.assertEqual(ask(authorization=header).status, 200, header)
        self.assertEqual(ask(authorization=f"Bearer {self.key(state='rotated', until=int(time.time()) + 3600)}").status, 200)
        answer = nginx.get("/v1/kumuh", headers=["Accept-Language: en-GB, id;q=0.5"])
        english = answer.json()
        self.assertEqual(answer.get("content-language"), "en")
        self.assertEqual((english["title"], english["type"]), ("No API key was sent", BASE + "galat/key-missing"))

    def test_what_needs_no_key(self):
        nginx = self.server()
        for path in ("/v1/", "/v1/index.json", "/v1/openapi", "/v1/openapi.json", "/api/v1/", "/", "/data/kumuh/latest/kumuh.csv"):
            answer = nginx.get(path, make_key())  # a key that is not needed is not looked at
            self.assertEqual((answer.status, answer.get("ratelimit")), (200, None), path)
        self.problem(nginx.get("/v1/tidak-ada"), 401, "key-missing")
        self.problem(nginx.get("/data/tidak-ada"), 404, "not-found")
        self.assertIn("tanpa garis miring", self.problem(nginx.get("/v1/kumuh/", self.key()), 404, "not-found")["detail"])

    def test_the_quota_of_the_day(self):
        nginx, key = self.server(), self.key(TINY)
        left = [nginx.get("/v1/kumuh", key).remaining() for _ in range(3)]
        self.assertEqual(left, [2, 1, 0])
        for _ in range(2):
            answer = nginx.get("/v1/kumuh", key)
            document = self.problem(answer, 429, "quota-exceeded")
            self.assertEqual(document["violated-policies"], ["daily"])
            self.assertEqual((document["reset"], answer.remaining()), (int(answer.get("retry-after")), 0))
            self.assertGreaterEqual(int(answer.get("retry-after")), int(re.search(r"t=(\d+)", answer.get("ratelimit")).group(1)))
        self.assertEqual(self.used(key), 3)

    def at_once(self, nginx, key, n):
        """The answers to N requests on as many connections, in the order of asking."""
        connections = [Connection(nginx.port) for _ in range(n)]
        for c in connections:
            c.send(f"GET /v1/kecil HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
            self.addCleanup(c.close)
        return connections

    def test_the_burst(self):
        """Who is too quick waits for his turn, as long as the queue is; nobody else does."""
        nginx, key, other = self.server(), self.key(QUICK), self.key(QUICK)
        connection = Connection(nginx.port)
        began = time.monotonic()
        self.assertEqual([connection.get("/v1/kecil", key).status for _ in range(300)], [200] * 300)
        self.assertGreater(time.monotonic() - began, 0.4)  # 200 at once, and 200 a second

        def others_go_first():
            """Whether OTHER is answered while some wait: on a machine that is slow at that moment they have all had their turn, two seconds later."""
            key = self.key(PUBLIC)
            waiting = self.at_once(nginx, key, 200)
            self.assertEqual(connection.get("/v1/kecil", other).status, 200)
            answered, _, _ = select.select([c.socket for c in waiting], [], [], 0)
            answers = [c.receive() for c in waiting]
            refused = [a for a in answers if a.status != 200]
            for answer in refused:
                self.assertEqual(self.problem(answer, 429, "burst-exceeded")["violated-policies"], ["burst"])
                self.assertGreaterEqual(int(answer.get("retry-after")), 1)
            self.assertEqual(self.used(key), len(waiting) - len(refused))
            return len(answered) < len(waiting) and refused
        wait_for("the other's answer before theirs", others_go_first)
        connection.close()

    def test_who_goes_away_while_waiting(self):
        """gets back what was counted; the turns of others stay."""
        nginx = self.server()

        def given_back():
            """Whether most of nine were given back what was counted: on a machine that is slow at that moment they have had their turn before they went."""
            key = self.key(PUBLIC)
            self.assertEqual([c.receive().status for c in self.at_once(nginx, key, 5)], [200] * 5)
            waiting = self.at_once(nginx, key, 10)
            wait_for("ten who wait", lambda: self.used(key) == 15)
            for c in waiting[:9]:
                c.close()
            self.assertEqual(waiting[9].receive().status, 200)
            used = self.used(key)
            self.assertEqual(nginx.get("/v1/kecil", key).status, 200)
            return used <= 8
        wait_for("nine who went away", given_back)

    def test_methods_and_preflight(self):
        nginx, key = self.server(), self.key()
        for path in ("/v1/kumuh", "/v1/tidak-ada", "/data/kumuh/latest/kumuh.csv"):
            answer = nginx.get(path, method="OPTIONS", headers=["Origin: https://x.example", "Access-Control-Request-Method: GET",
                                                                "Access-Control-Request-Headers: authorization"])
            self.assertEqual((answer.status, answer.body), (204, b""))
            self.assertEqual(answer.get("access-control-allow-origin"), "*")
            self.assertEqual(answer.get("access-control-allow-methods"), "GET, HEAD, OPTIONS")
            self.allows(answer)
            self.assertEqual(answer.get("access-control-max-age"), "86400")
        for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "CONFUSE"):
            answer = nginx.curl("/v1/kumuh", "-X", method, key=key)
            self.problem(answer, 405, "method-not-allowed")
            self.assertEqual(answer.all("allow"), ["GET, HEAD, OPTIONS"], method)
        connection = Connection(nginx.port)  # bodies are thrown away, the connection goes on
        self.assertEqual(connection.get("/v1/kumuh", method="POST", body=b"x" * 5000).status, 405)
        self.assertEqual(connection.get("/v1/kumuh", key, headers=["Content-Type: text/xml"], body=b"abcd").status, 200)
        self.assertEqual(connection.get("/v1/kumuh", key).status, 200)
        connection.close()
        self.assertEqual(self.used(key), 2)

    def test_errors_of_nginx_itself(self):
        nginx = self.server("client_max_body_size 10; large_client_header_buffers 2 1k;")
        self.problem(nginx.curl("/v1/kumuh", "-X", "POST", "--data-binary", "x" * 100), 413, "body-too-large")
        self.problem(nginx.get("/v1/" + "x" * 3000), 414, "uri-too-long")
        self.problem(nginx.get("/v1/kumuh", headers=["X: " + "y" * 3000]), 431, "headers-too-large")
        self.problem(nginx.curl("/%2e%2e/%2e%2e/x"), 400, "bad-request")

    def test_counts_are_exact(self):
        nginx, key = self.server(), self.key()
        etag = nginx.get("/v1/kumuh", key).get("etag")
        statuses = {200: 1}
        plan = [("/v1/kumuh", [], 200), ("/v1/kumuh", ["Range: bytes=0-1"], 206), ("/v1/kumuh", [f"If-None-Match: {etag}"], 304),
                ("/v1/tidak-ada", [], 404), ("/v1/ditarik", [], 410), ("/v1/kumuh", ['If-Match: "x"'], 412),
                ("/v1/kumuh", ["Range: bytes=999999-"], 416), ("/v1/kumuh?api_key=" + key, [], 400), ("/v1/", [], 200)]
        for _ in range(7):
            for path, headers, status in plan:
                self.assertEqual(nginx.get(path, key, headers=headers).status, status, path)
                statuses[status] = statuses.get(status, 0) + 1
        self.assertEqual(nginx.get("/v1/kumuh", method="OPTIONS").status, 204)
        self.assertEqual(nginx.get("/data/kumuh/latest/kumuh.csv").status, 200)
        self.assertEqual(self.used(key), 1 + 7 * 6)  # 200 206 404 410 412 416, not 304, 400 or what is open
        wait_for("the meter", lambda: self.meter().get("status/204") == 1 and self.meter()["timed"] == 1 + 7 * 9 + 2)
        meter = self.meter()
        for status, n in statuses.items():
            self.assertEqual(meter[f"status/{status}"], n + (1 if status == 200 else 0), (status, meter))
        self.assertEqual(meter["not_modified"], 7)
        self.assertEqual(meter["use/kumuh/api/wide"], 1 + 7 * 4)  # 200 206 412 416
        self.assertEqual(meter["use/kumuh/csv/-"], 1)
        for code in ("not-found", "gone", "precondition-failed", "range-not-satisfiable", "key-in-query"):
            self.assertEqual(meter[f"refused/{code}"], 7, code)


class Configuration(ModuleCase):
    def verdict(self, text):
        nginx = Nginx(self.dir, f"c{len(list(self.dir.iterdir()))}", text)
        done = subprocess.run(nginx.command("-t"), capture_output=True, text=True, env=gatewaylib.environment())
        return done.returncode, done.stderr

    def test_wrong_configurations_are_named(self):
        secret, empty = self.dir / "s", self.dir / "e"
        secret.write_text("x")
        empty.write_text("\n")
        for path in (secret, empty):
            path.chmod(0o600)
        base = "odp_table t; odp_site s; odp on;"
        for text, what in (("odp on;", "needs odp_table and odp_site"), (base + "odp_content redirect;", "needs odp_redirect"),
                           (base + "odp_content other;", "invalid value"), (base + "odp_site x;", "is duplicate"), (base + "odp maybe;", "on"),
                           (base + "odp_redirect ftp http://x /y;", "knows secure_link and s3"), (base + "odp_redirect s3 x y;", "https://"),
                           (base + f"odp_redirect s3 https://x {secret};", "needs region"), (base + "odp_redirect secure_link https://x /no/where;", "cannot be read"),
                           (base + f"odp_redirect secure_link https://x {empty};", "empty secret"),
                           (base + f"odp_redirect s3 https://x region=y {secret};", "access_key="),
                           (base + f"odp_redirect secure_link https://x {secret} ttl=8d;", "ttl")):
            code, said = self.verdict(f"server {{ listen PORT; {text} }}")
            self.assertEqual(code, 1, text)
            self.assertIn(what, said, text)
        code, said = self.verdict(f"server {{ listen PORT; {base} odp_redirect secure_link https://x {secret} ttl=5m; odp_content redirect; }}")
        self.assertEqual(code, 0, said)

    def test_operators_own_rules_come_first(self):
        nginx, key = self.server("location /v1/ { deny all; }"), self.key()
        self.problem(nginx.get("/v1/kumuh", key), 403, "forbidden")
        self.assertEqual(self.used(key), 0)

    def test_without_error_pages_our_refusals_are_still_problems(self):
        self.make_table()
        self.site()
        nginx = Nginx(self.dir, "nginx", f"server {{ listen PORT; {self.places()} odp on; }}")
        self.addCleanup(self.inspect, nginx)
        self.addCleanup(nginx.destroy)
        nginx.start()
        key = self.key()
        for path, headers, status, code in (("/v1/kumuh", [], 401, "key-missing"), ("/x", [], 404, "not-found"),
                                            ("/v1/", ["Range: bytes=99999-"], 416, "range-not-satisfiable"), ("/v1/", ['If-Match: "x"'], 412, "precondition-failed")):
            self.problem(nginx.get(path, headers=headers), status, code)
        self.problem(nginx.get("/v1/kumuh", key, method="POST"), 405, "method-not-allowed")


if __name__ == "__main__":
    gatewaylib.main()
