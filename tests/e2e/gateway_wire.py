"""HTTP as it is on the wire: every status with its headers, conditions, ranges, codings, HTTP/2, hostile paths and framing."""
import time
import email
import email.policy
import hashlib
import os
import re
import signal
import subprocess

import gatewaylib
from gatewaylib import entry, raw

TIERS = [("public", 1000000, 100000), ("registered", 3, 100000), ("government", None, 100000)]
EXPOSED = {"etag", "link", "ratelimit", "ratelimit-policy", "retry-after", "deprecation", "sunset", "content-range"}


class Wire(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        self.site = self.small_site(tiers=TIERS)
        self.control = gatewaylib.control_of(self.site)

    def start(self, *options, **more):
        g = self.serve(self.site, *options, **more)
        self.key = g.create_key("public")
        return g

    def bytes_of(self, path):
        return (self.site / path).read_bytes()

    def test_success(self):
        g = self.start()
        answer = g.curl("/v1/kumuh", key=self.key)
        self.assertEqual((answer.status, answer.body), (200, self.bytes_of("v1/kumuh.json")))
        want = {"etag": self.control["v1/kumuh.json"]["etag"], "cache-control": "private, max-age=60", "accept-ranges": "bytes",
                "content-length": str(len(answer.body)), "access-control-allow-origin": "*", "ratelimit-policy": '"daily";q=1000000;w=86400, "burst";q=100000;w=1'}
        for name, value in want.items():
            self.assertEqual(answer.all(name), [value], answer)
        self.assertRegex(answer.get("content-type"), r"^application/json")
        self.assertRegex(answer.get("ratelimit"), r'^"daily";r=999999;t=\d+$')
        self.assertIn("accept-encoding", answer.get("vary").lower())
        self.assertLessEqual(EXPOSED, set(re.split(r",\s*", answer.get("access-control-expose-headers").lower())))
        self.assertEqual(answer.all("last-modified"), [])  # reproducible files have no meaningful time
        self.assertNotIn("nginx/", answer.get("server", ""))
        for path in ("/api/v1/kumuh", "/v1/kumuh.json", "/api/v1/kumuh.json", "/v1/kumuh?"):
            self.assertEqual(g.curl(path, key=self.key).body, answer.body, path)

    def test_open_addresses(self):
        g = self.start()
        index = self.bytes_of("v1/index.json")
        for path in ("/v1/", "/api/v1/", "/v1/index.json"):
            answer = g.curl(path)
            self.assertEqual((answer.status, answer.body), (200, index), path)
            self.assertIsNone(answer.get("ratelimit"))
        self.assertEqual(g.curl("/v1/openapi.json").status, 200)
        answer = g.curl("/")
        self.assertEqual((answer.status, answer.body), (200, self.bytes_of("index.html")))
        answer = g.curl("/data/kumuh/2024-03-15/kumuh.csv")
        self.assertEqual((answer.status, answer.get("cache-control")), (200, "public, max-age=86400, immutable"))
        self.assertEqual(answer.get("content-type"), "text/csv; charset=utf-8")
        answer = g.curl("/manifest.json")
        self.assertEqual((answer.status, answer.body), (200, self.bytes_of("manifest.json")))

    def test_401(self):
        g = self.start()
        answer = g.curl("/v1/kumuh")
        self.problem(answer, 401, "key-missing")
        self.assertEqual(answer.all("www-authenticate"), ['Bearer realm="odp"'])
        for value in ("Basic YTpi", "Digest x", "bearerodp_live_x"):
            answer = g.curl("/v1/kumuh", "-H", f"Authorization: {value}")
            self.assertEqual(answer.status, 401, value)
        key = self.key
        for value in ("Bearer", "Bearer ", f"Bearer {key}x", f"Bearer {key[:-1]}", f"Bearer {key[:20]}_{key[21:]}", f"Bearer {key} {key}", f"Bearer,{key}",
                      f'Bearer "{key}"', f"Bearer {key[:9]}{'0' * 36}"):
            answer = g.curl("/v1/kumuh", "-H", f"Authorization: {value}")
            self.assertEqual(answer.status, 401, value)
        answer = g.curl("/v1/kumuh", key=key[:-1])
        self.problem(answer, 401, "key-malformed")
        self.assertIn('error="invalid_token"', answer.get("www-authenticate"))
        self.problem(g.curl("/v1/kumuh", key=gatewaylib.make_key()), 401, "key-unknown")
        for value in (f"bearer {key}", f"BEARER   {key}", f"Bearer {key}  "):
            self.assertEqual(g.curl("/v1/kumuh", "-H", f"Authorization: {value}").status, 200, value)
        # The language is the caller's, Indonesian unless English is preferred.
        titles = {lang: g.curl("/v1/kumuh", "-H", f"Accept-Language: {lang}").json()["title"] for lang in ("id", "en", "en;q=0.3, id", "fr")}
        self.assertNotEqual(titles["id"], titles["en"])
        self.assertEqual(titles["en;q=0.3, id"], titles["id"])
        self.assertEqual(titles["fr"], titles["id"])

    def test_404_405_410(self):
        g = self.start()
        answer = g.curl("/v1/tidak-ada", key=self.key)
        self.problem(answer, 404, "not-found")
        self.assertEqual(answer.remaining(), 999999)  # counted
        self.problem(g.curl("/v1/tidak-ada"), 401, "key-missing")  # what exists is not told without a key
        self.problem(g.curl("/tidak-ada"), 404, "not-found")
        for method, path, key in (("POST", "/v1/kumuh", self.key), ("DELETE", "/v1/kumuh", self.key), ("PUT", "/index.html", None),
                                  ("PATCH", "/data/kumuh/latest/kumuh.csv", None), ("PROPFIND", "/v1/", None)):
            answer = g.curl(path, "-X", method, key=key)
            self.problem(answer, 405, "method-not-allowed")
            self.assertEqual(set(re.split(r",\s*", answer.get("allow"))), {"GET", "HEAD", "OPTIONS"})
        for path in ("/v1/ditarik", "/v1/ditarik.json", "/v1/ditarik/v/2024-01-01/p/2", "/api/v1/ditarik"):
            answer = g.curl(path, key=self.key)
            self.problem(answer, 410, "gone")
        self.assertIn("successor-version", g.curl("/v1/ditarik", key=self.key).get("link"))

    def test_429(self):
        g = self.start()
        key = g.create_key("registered")
        self.assertEqual([g.curl("/v1/kumuh", key=key).remaining() for _ in range(3)], [2, 1, 0])
        answer = g.curl("/v1/kumuh", key=key)
        document = self.problem(answer, 429, "quota-exceeded")
        self.assertEqual(document["violated-policies"], ["daily"])
        self.assertEqual(answer.remaining(), 0)
        reset = int(re.search(r"t=(\d+)", answer.get("ratelimit")).group(1))
        self.assertGreaterEqual(int(answer.get("retry-after")), reset)
        self.assertEqual(answer.all("ratelimit-policy"), ['"daily";q=3;w=86400, "burst";q=100000;w=1'])
        self.assertEqual(g.curl("/index.html", key=key).status, 200)
        self.assertEqual(g.curl("/v1/", key=key).status, 200)

    def test_503_without_the_service(self):
        g = self.start()
        registration = {"name": "A", "email": "a@example.org"}
        self.assertEqual(g.stop(), 0)
        config = g.state / "nginx.conf"
        self.nginx_alone(g, config)
        answer = g.curl("/v1/kumuh", key=self.key)  # reading goes on
        self.assertEqual(answer.status, 200, answer)
        answer = g.post("/auth/register", registration)
        self.problem(answer, 503, "unavailable")
        self.assertGreater(int(answer.get("retry-after")), 0)

    def nginx_alone(self, g, config):
        """nginx by itself, on the configuration that serve wrote."""
        daemon = [] if re.search(r"^\s*daemon\s", config.read_text(), re.M) else ["-g", "daemon off;"]
        with open(self.dir / "alone.log", "wb") as log:
            process = subprocess.Popen(["nginx", "-p", str(g.state), "-c", str(config), "-e", "stderr", *daemon], stdin=subprocess.DEVNULL,
                                       stderr=log, env=gatewaylib.environment(), preexec_fn=gatewaylib.die_with_parent)
        g.process = process

        def up():
            self.assertIsNone(process.poll(), (self.dir / "alone.log").read_text())
            try:
                return g.get("/v1/")
            except OSError:
                return None
        gatewaylib.wait_for("nginx", up)

    def test_503_without_a_table(self):
        g = self.start()
        self.assertEqual(g.stop(), 0)
        (g.state / "keys.table").unlink()
        self.nginx_alone(g, g.state / "nginx.conf")
        answer = g.curl("/v1/kumuh", key=self.key)
        self.problem(answer, 503, "unavailable")
        self.assertEqual(g.curl("/v1/").status, 200)
        self.assertEqual(g.curl("/index.html").status, 200)

    def test_conditions(self):
        g = self.start()
        etag = self.control["v1/kumuh.json"]["etag"]
        first = g.curl("/v1/kumuh", key=self.key)
        for value in (etag, f"W/{etag}", "*", f'"x", {etag}', f'"x",W/{etag} , "y"'):
            answer = g.curl("/v1/kumuh", "-H", f"If-None-Match: {value}", key=self.key)
            self.assertEqual((answer.status, answer.body), (304, b""), value)
            for name in ("etag", "cache-control", "vary", "access-control-allow-origin"):
                self.assertEqual(answer.all(name), first.all(name), (name, answer))
            self.assertEqual(answer.all("content-type"), [])
            self.assertEqual(answer.remaining(), first.remaining())  # not counted
        for value in ('"x"', etag[:-2] + '"', etag[1:-1]):
            self.assertEqual(g.curl("/v1/kumuh", "-H", f"If-None-Match: {value}", key=self.key).status, 200, value)
        self.assertEqual(g.curl("/v1/kumuh", "-H", "If-Modified-Since: Wed, 01 Jan 2031 00:00:00 GMT", key=self.key).status, 200)
        answer = g.curl("/v1/kumuh", "-H", 'If-Match: "x"', key=self.key)
        self.problem(answer, 412, "precondition-failed")
        self.assertEqual(g.curl("/v1/kumuh", "-H", f"If-Match: {etag}", key=self.key).status, 200)
        self.problem(g.curl("/v1/kumuh", "-H", f"If-None-Match: {etag}"), 401, "key-missing")  # no 304 without a key
        # Each coding has its own.
        answer = g.curl("/v1/kumuh", "-H", f"If-None-Match: {etag}", "-H", "Accept-Encoding: br", key=self.key)
        self.assertEqual((answer.status, answer.get("etag")), (200, self.control["v1/kumuh.json.br"]["etag"]))
        # The same holds for a large file, which is not kept in memory, and a public one.
        for path in ("/v1/besar", "/index.html"):
            full = g.curl(path, key=self.key)
            self.assertEqual(full.status, 200)
            answer = g.curl(path, "-H", f"If-None-Match: {full.get('etag')}", key=self.key)
            self.assertEqual((answer.status, answer.body, answer.get("etag")), (304, b"", full.get("etag")), path)

    def test_ranges(self):
        g = self.start()
        for path, name in (("/v1/kumuh", "v1/kumuh.json"), ("/v1/besar", "v1/besar.json"), ("/data/kumuh/latest/kumuh.csv",) * 2):
            name, whole = name.lstrip("/"), self.bytes_of(name.lstrip("/"))
            size, etag = len(whole), self.control[name]["etag"]
            for wanted, first, last in (("0-0", 0, 0), ("5-9", 5, 9), ("5-", 5, size - 1), ("-5", size - 5, size - 1), (f"0-{size * 2}", 0, size - 1),
                                        (f"-{size * 2}", 0, size - 1)):
                answer = g.curl(path, "-H", f"Range: bytes={wanted}", key=self.key)
                self.assertEqual((answer.status, answer.body), (206, whole[first:last + 1]), (path, wanted))
                self.assertEqual(answer.all("content-range"), [f"bytes {first}-{last}/{size}"])
                self.assertEqual((answer.get("etag"), answer.get("content-length")), (etag, str(last - first + 1)))
                self.assertEqual(len(answer.all("cache-control")), 1)
            answer = g.curl(path, "-H", f"Range: bytes={size}-", key=self.key)
            self.problem(answer, 416, "range-not-satisfiable")
            self.assertEqual(answer.all("content-range"), [f"bytes */{size}"])
            answer = g.curl(path, "-H", "Range: bytes=0-1,4-6", key=self.key)
            self.assertEqual(answer.status, 206)
            parts = email.message_from_bytes(b"Content-Type: " + answer.get("content-type").encode() + b"\r\n\r\n" + answer.body,
                                             policy=email.policy.HTTP)
            self.assertEqual([(p["Content-Range"], p.get_payload(decode=True)) for p in parts.iter_parts()],
                             [(f"bytes 0-1/{size}", whole[0:2]), (f"bytes 4-6/{size}", whole[4:7])])
            for value, status in ((etag, 206), ('"x"', 200), (f"W/{etag}", 200), ("Wed, 01 Jan 2031 00:00:00 GMT", 200)):
                answer = g.curl(path, "-H", "Range: bytes=0-1", "-H", f"If-Range: {value}", key=self.key)
                self.assertEqual((answer.status, len(answer.body)), (status, 2 if status == 206 else size), (path, value))
            for value in ("bytes=9-5", "bytes=x", "lines=1-2", "bytes", "bytes=--5", "bytes=1-2-3"):
                self.assertIn(g.curl(path, "-H", f"Range: {value}", key=self.key).status, (200, 416), value)
            many = ",".join(f"{n}-" for n in range(0, 200))
            answer = g.curl(path, "-H", f"Range: bytes={many}", key=self.key)
            self.assertLess(len(answer.body), 3 * size, "overlapping ranges multiply the answer")

    def test_codings(self):
        g = self.start()
        for wanted, coding in (("gzip", "gzip"), ("br", "br"), ("gzip, br", "br"), ("br;q=0.5, gzip", "gzip"), ("br;q=0, gzip;q=0.1", "gzip"),
                               ("identity", None), ("*", "br"), ("deflate", None), ("", None), ("gzip;q=0", None), ("GZIP", "gzip"),
                               ("x-gzip", None), ("gzip;q=0.001, identity;q=0.5", None)):
            name = "v1/kumuh.json" + {"gzip": ".gz", "br": ".br", None: ""}[coding]
            answer = g.curl("/v1/kumuh", "-H", f"Accept-Encoding: {wanted}", key=self.key)
            got = {"coding": answer.get("content-encoding"), "etag": answer.get("etag"), "body": hashlib.sha256(answer.body).hexdigest()}
            want = {"coding": coding, "etag": self.control[name]["etag"], "body": hashlib.sha256(self.bytes_of(name)).hexdigest()}
            if wanted == "x-gzip":  # RFC 9110 says to treat it as gzip; not to is allowed too
                continue
            self.assertEqual(got, want, wanted)
            self.assertIn("accept-encoding", answer.get("vary").lower())
            self.assertRegex(answer.get("content-type"), r"^application/json")
        size = len(self.bytes_of("v1/kumuh.json.gz"))
        answer = g.curl("/v1/kumuh", "-H", "Accept-Encoding: gzip", "-H", "Range: bytes=0-9", key=self.key)
        self.assertEqual((answer.status, answer.get("content-range"), answer.get("content-encoding")), (206, f"bytes 0-9/{size}", "gzip"))
        self.assertEqual(answer.body, self.bytes_of("v1/kumuh.json.gz")[:10])
        answer = g.curl("/v1/besar", "-H", "Accept-Encoding: br, gzip", key=self.key)  # it has no twins; nothing is compressed on the way
        self.assertEqual((answer.get("content-encoding"), answer.body), (None, self.bytes_of("v1/besar.json")))

    def test_head(self):
        g = self.start()
        changing = {"date", "ratelimit"}
        for path in ("/v1/kumuh", "/v1/besar", "/v1/", "/index.html", "/v1/nothing", "/v1/ditarik", "/nothing"):
            get, head = g.curl(path, key=self.key), g.curl(path, "-I", key=self.key)
            self.assertEqual((head.status, head.body), (get.status, b""), path)
            self.assertEqual(sorted(h for h in head.headers if h[0] not in changing), sorted(h for h in get.headers if h[0] not in changing), path)
        connection = gatewaylib.Connection(g.port)  # no body on the wire either
        self.addCleanup(connection.close)
        for _ in range(3):
            self.assertEqual(connection.get("/v1/kumuh", self.key, method="HEAD").status, 200)
            self.assertEqual(connection.get("/v1/nothing", self.key, method="HEAD").status, 404)
            self.assertEqual(connection.get("/v1/kumuh", None, method="HEAD").status, 401)
        self.assertEqual(len(connection.get("/v1/kumuh", self.key).body), len(self.bytes_of("v1/kumuh.json")))

    def test_deprecation(self):
        g = self.start()
        answer = g.curl("/v1/lama", key=self.key)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.all("deprecation"), ["@1704067200"])
        self.assertEqual(answer.all("sunset"), ["Wed, 31 Dec 2036 23:59:59 GMT"])
        self.assertEqual(answer.all("link"), ['<https://data.example.go.id/v1/kumuh>; rel="successor-version"'])
        self.assertEqual(g.curl("/v1/kumuh", key=self.key).all("deprecation"), [])

    def test_preflight(self):
        g = self.start()
        for path in ("/v1/kumuh", "/api/v1/kumuh", "/v1/", "/data/kumuh/latest/kumuh.csv"):
            answer = g.curl(path, "-X", "OPTIONS", "-H", "Origin: https://example.org", "-H", "Access-Control-Request-Method: GET",
                            "-H", "Access-Control-Request-Headers: authorization")
            self.assertEqual((answer.status, answer.body), (204, b""), answer)
            self.assertEqual(answer.all("access-control-allow-origin"), ["*"])
            self.assertIn("GET", answer.get("access-control-allow-methods"))
            self.allows(answer)
            self.assertGreater(int(answer.get("access-control-max-age")), 0)
        self.assertEqual(g.curl("/v1/kumuh", key=self.key).remaining(), 999999)  # none was counted
        # A Content-Type on a GET does no harm.
        self.assertEqual(g.curl("/v1/kumuh", "-H", "Content-Type: application/json", key=self.key).status, 200)

    def test_http2_over_tls(self):
        cert, secret = self.dir / "cert.pem", self.dir / "key.pem"
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", secret, "-out", cert, "-days", "2", "-subj",
                               "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        g = self.serve(self.site, "--tls-cert", cert, "--tls-key", secret, wait=False)
        gatewaylib.wait_for("healthz", lambda: self.healthy(g))
        key = g.create_key("public")
        for version, want in (("--http2", "HTTP/2"), ("--http1.1", "HTTP/1.1")):
            for path, status in (("/v1/kumuh", 200), ("/v1/nothing", 404), ("/v1/ditarik", 410), ("/v1/besar", 200)):
                answer = g.curl(path, version, "--cacert", cert, key=key, base=f"https://127.0.0.1:{g.port}")
                self.assertEqual((answer.version, answer.status), (want, status), answer)
            answer = g.curl("/v1/kumuh", version, "--cacert", cert, base=f"https://127.0.0.1:{g.port}")
            self.problem(answer, 401, "key-missing")
            answer = g.curl("/v1/kumuh", version, "--cacert", cert, "-H", "Range: bytes=1-3", key=key, base=f"https://127.0.0.1:{g.port}")
            self.assertEqual((answer.status, len(answer.body)), (206, 3))
        old = subprocess.run(["curl", "-sS", "--cacert", cert, "--tlsv1.0", "--tls-max", "1.1", f"https://127.0.0.1:{g.port}/v1/"], capture_output=True)
        self.assertNotEqual(old.returncode, 0, "TLS 1.1 is spoken")

    def healthy(self, g):
        self.assertIsNone(g.process.poll(), g.log_text())
        try:
            return g.said_ready() and g.metrics_get("/healthz").status == 200
        except (OSError, gatewaylib.Connection.Unanswered):
            return False

    def test_internal_files_are_never_served(self):
        g = self.start()
        (self.dir / "outside").write_text("rahasia")
        internal = [self.bytes_of(p) for p in ("control", "gateway.json", "search/kumuh-0.sqlite")]
        paths = []
        for name in ("control", "gateway.json", "search/kumuh-0.sqlite", "../outside", "../../outside", "../state/keys.table", "../../state/keys.table",
                     "../../state/store.sqlite", "keys.table", "../../../etc/passwd", "../../../../../../../../etc/passwd"):
            for form in ("/{}", "/./{}", "//{}", "/v1/../{}", "/api/v1/../../{}", "/v1/kumuh.json/../../{}", "/x/../{}", "/{}/", "/{}/.", "/{}%00",
                         "/{}%00.json", "/{}?x=1", "/{}%20", "/{}.", "/{}%2e", "/{}\\", "/%2e/{}", "/{}#x", "/;/{}", "/{};x=1", "/v1/{}", "/v1/..;/{}"):
                path = form.format(name)
                paths += [path, path.replace("..", "%2e%2e"), path.replace("../", "..%2f"), path.replace("../", "%2e%2e%2f"),
                          path.replace("../", "..%5c"), path.replace("../", "..%252f"), path.replace("/", "%2f")[3:].join(["/", ""]),
                          path.upper(), path.replace("control", "%63ontrol").replace("search", "%73earch")]
        connection = gatewaylib.Connection(g.port)
        self.addCleanup(connection.close)
        for path in dict.fromkeys(paths):
            for key in (None, self.key):
                answer = self.ask(connection, path, key)
                self.assertIn(answer.status, (400, 401, 404, 410), f"{path}: {answer}")
                for body in internal:
                    self.assertNotEqual(answer.body, body, path)
                self.assertNotIn(b"rahasia", answer.body, path)
                self.assertNotIn(b"root:", answer.body, path)

    def ask(self, connection, path, key):
        try:
            return connection.get(path, key)
        except gatewaylib.Connection.Unanswered:
            connection.close()
            return connection.get(path, key)

    def test_no_way_around_the_key(self):
        g = self.start()
        connection = gatewaylib.Connection(g.port)
        self.addCleanup(connection.close)
        body = self.bytes_of("v1/kumuh.json")
        for path in ("/v1/kumuh", "//v1/kumuh", "/v1//kumuh", "/v1/./kumuh", "/./v1/kumuh", "/x/../v1/kumuh.json", "/V1/kumuh", "/v1/KUMUH.json", "/%76%31/kumuh",
                     "/v1%2fkumuh", "/%2fv1/kumuh.json", "/v1/kumuh.json/", "/v1/kumuh.json/.", "/v1/openapi.json/../kumuh.json", "/v1/index.json/../kumuh", "/v1/events/../kumuh.json",
                     "/api//v1/kumuh", "/api/v1//kumuh.json", "/api/v1/kumuh.json.gz", "/v1/kumuh.json.gz", "/v1/kumuh.json.br", "/v1/?/kumuh", "/v1/kumuh%00",
                     "/v1/kumuh.json%00", "/data/../v1/kumuh.json", "/v1/%2e/kumuh", "/api/../v1/kumuh", "/v1/index.json%2f..%2fkumuh", "/v1/kumuh%3fx"):
            answer = self.ask(connection, path, None)
            if path != "/v1/?/kumuh":
                self.assertIn(answer.status, (400, 401, 404), f"{path}: {answer}")
            for secret in (body, self.bytes_of("v1/kumuh.json.gz"), self.bytes_of("v1/kumuh.json.br")):
                self.assertNotEqual(answer.body, secret, path)

    def refused(self, g, lines, status, code, body=b""):
        """What comes for a request that is written out here, with the rest of its head: one problem document, in a sentence."""
        got = raw(g.port, "\r\n".join([*lines, "Host: x", "Connection: close", "", ""]).encode() + body)
        head, _, rest = got.partition(b"\r\n\r\n")
        self.assertTrue(head, lines)
        answer = gatewaylib.Response(head, rest)
        self.assertEqual((answer.status, answer.all("content-type")), (status, ["application/problem+json"]), (lines, answer))
        document = answer.json()
        self.assertEqual((document["status"], document["code"]), (status, code), document)
        self.assertTrue(document["title"] and document["detail"], document)

    def test_what_nginx_refuses_by_itself(self):
        """With the module and without: problem documents that say what to do, never a page of nginx."""
        for options in ((), ("--module", "off")):
            g = self.start(*options, state="state" + "-".join(options))
            key = f"Authorization: Bearer {self.key}"
            self.refused(g, ["GET /v1/kumuh HTTP/2.0", key], 400, "bad-request")
            self.refused(g, ["GET / HTTP/3.0"], 400, "bad-request")
            self.refused(g, ["POST /auth/register HTTP/1.1", "Transfer-Encoding: xchunked"], 501, "not-implemented")
            self.refused(g, ["POST /auth/register HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 9223372036854775807"], 400, "bad-request")
            self.refused(g, ["POST /v1/webhooks HTTP/1.1", "Transfer-Encoding: chunked", "Host: y"], 400, "bad-request", b"zz\r\n")
            self.refused(g, ["DELETE /auth/key HTTP/1.1", key, "Transfer-Encoding: chunked"], 400, "bad-request", b"zz\r\n")
            for path in ("/v1/kumuh", "/index.html"):
                for condition in ('If-Match: "x"', "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT")[:1 if not options else 2]:
                    self.refused(g, [f"GET {path} HTTP/1.1", key, condition], 412, "precondition-failed")
            # A query's body may be longer than others, also where it is refused, and where nginx asks elsewhere on the way.
            for size in (1000, 17000, 60000):
                body, post = b'{"x":"' + b"a" * size + b'"}', ["POST /v1/kumuh/search HTTP/1.1", "Content-Type: application/json"]
                for framed, sent in ((f"Content-Length: {len(body)}", body), ("Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))):
                    self.refused(g, [*post, framed], 401, "key-missing", sent)
                    self.refused(g, [*post, framed, f"Authorization: Bearer {gatewaylib.make_key()}"], 401, "key-unknown", sent)
                    self.refused(g, [*post, framed, key], 404, "not-found", sent)  # a site without indexes
            self.refused(g, [*post, "Content-Length: 70000", key], 413, "body-too-large", b"x" * 70000)
            self.refused(g, ["POST /auth/register HTTP/1.1", "Content-Length: 20000"], 413, "body-too-large", b"x" * 20000)
            os.kill(next(p for p in gatewaylib.children_of(g.process.pid) if p != g.nginx_master()), signal.SIGKILL)
            self.refused(g, [*post, framed, key], 503, "unavailable", sent)
            self.refused(g, ["GET /v1/kumuh.json?limit=1 HTTP/1.1", key], 503, "unavailable")
            g.stop()

    def test_a_key_is_not_taken_as_text(self):
        """Who writes a key into a text about himself is told to leave it out: it would stand in the store, its backups and lists."""
        g = self.start("--registrations", "0")
        for field in ("name", "email", "organisation", "purpose"):
            document = self.problem(g.post("/auth/register", {"name": "A", "email": "a@example.org", field: f"{self.key}@example.org"}), 400, "field-invalid")
            self.assertEqual(document["field"], field)
            self.assertIn("odp_live_", document["detail"])
        self.problem(g.post("/auth/upgrade", {"tier": "government", "reason": f"kunci {self.key} perlu lebih"}, key=self.key), 400, "field-invalid")
        self.assertEqual(g.post("/auth/upgrade", {"tier": "government", "reason": f"kunci {self.key[:14]} perlu lebih"}, key=self.key).status, 202)
        for path in g.state.glob("store.sqlite*"):
            self.assertNotIn(self.key.encode(), path.read_bytes())

    def test_framing(self):
        g = self.start()
        auth = f"Host: x\r\nAuthorization: Bearer {self.key}\r\n"
        hidden = f"GET /v1/kumuh HTTP/1.1\r\n{auth}\r\n"
        bodies = {
            "negative length": f"POST /auth/register HTTP/1.1\r\n{auth}Content-Length: -1\r\n\r\n{hidden}",
            "length not a number": f"POST /auth/register HTTP/1.1\r\n{auth}Content-Length: 5x\r\n\r\nabcde{hidden}",
            "two lengths": f"POST /auth/register HTTP/1.1\r\n{auth}Content-Length: 0\r\nContent-Length: 5\r\n\r\n{hidden}",
            "two lengths in a line": f"POST /auth/register HTTP/1.1\r\n{auth}Content-Length: 5, 5\r\n\r\nabcde{hidden}",
            "length and chunked": f"POST /auth/register HTTP/1.1\r\n{auth}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
            "chunked twice": f"POST /auth/register HTTP/1.1\r\n{auth}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n{hidden}",
            "unknown coding": f"POST /auth/register HTTP/1.1\r\n{auth}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}",
            "bad chunk": f"POST /auth/register HTTP/1.1\r\n{auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{hidden}",
            "length too large": f"POST /auth/register HTTP/1.1\r\n{auth}Content-Length: 99999999999999999999999\r\n\r\n{hidden}",
            "no host": f"GET /v1/kumuh HTTP/1.1\r\nAuthorization: Bearer {self.key}\r\n\r\n",
            "two hosts": f"GET /v1/kumuh HTTP/1.1\r\nHost: a\r\n{auth}\r\n",
            "two keys": f"GET /v1/kumuh HTTP/1.1\r\n{auth}Authorization: Bearer {gatewaylib.make_key()}\r\n\r\n",
            "nul in a header": f"GET /v1/kumuh HTTP/1.1\r\n{auth}X: a\0b\r\n\r\n",
        }
        for what, data in bodies.items():
            got = raw(g.port, data.encode("latin-1"))
            self.assertNotIn(b" 200 OK", got, what)
            self.assertLessEqual(len(re.findall(rb"HTTP/1\.1 \d\d\d ", got)), 1, (what, got[:2000]))
        # A body on a GET is read and dropped, never taken for a request.
        inner = hidden.encode()
        got = raw(g.port, f"GET /v1/nothing HTTP/1.1\r\n{auth}Content-Length: {len(inner)}\r\n\r\n".encode() + inner)
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d\d\d)", got), [b"404"], got[:1000])
        # Pipelined requests are answered in order.
        got = raw(g.port, f"GET /v1/nothing HTTP/1.1\r\n{auth}\r\nGET /v1/kumuh HTTP/1.1\r\n{auth}\r\nGET /v1/ditarik HTTP/1.1\r\n{auth}\r\n".encode(), answers=3)
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d\d\d) ", got), [b"404", b"200", b"410"])
        self.assertEqual(g.curl("/v1/kumuh", "--http1.0", key=self.key).status, 200)

    def test_too_long(self):
        g = self.start()
        answer = gatewaylib.Response(*raw(g.port, b"GET /v1/" + b"a" * 70000 + b" HTTP/1.1\r\nHost: x\r\n\r\n").partition(b"\r\n\r\n")[::2])
        self.problem(answer, 414, "uri-too-long")
        answer = gatewaylib.Response(*raw(g.port, b"GET /v1/ HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 70000 + b"\r\n\r\n").partition(b"\r\n\r\n")[::2])
        self.problem(answer, 431, "headers-too-large")
        many = b"".join(b"X-%d: %s\r\n" % (n, b"a" * 500) for n in range(500))
        answer = gatewaylib.Response(*raw(g.port, b"GET /v1/ HTTP/1.1\r\nHost: x\r\n" + many + b"\r\n").partition(b"\r\n\r\n")[::2])
        self.problem(answer, 431, "headers-too-large")
        self.assertEqual(g.curl("/v1/index.json?" + "a" * 3000, key=self.key).status, 200)

    def test_switch_of_the_site(self):
        g = self.start()
        files = {**gatewaylib.SMALL, "v1/kumuh.json": entry(gatewaylib.envelope([{"id": 77}]), twins=True),
                 "v1/baru.json": entry(gatewaylib.envelope([{"id": 1}]))}
        del files["v1/lama.json"]
        self.assertEqual(g.curl("/v1/baru", key=self.key).status, 404)
        two = gatewaylib.write_site(self.dir / "builds/two", files, (self.site / "gateway.json").read_text())
        gatewaylib.link(self.site, two)
        gatewaylib.wait_for("the new site", lambda: g.get("/v1/baru", self.key).status == 200)
        time.sleep(1.2)  # every worker looks once a second
        answer = g.curl("/v1/kumuh", key=self.key)
        self.assertEqual((answer.json()["data"], answer.get("etag")), ([{"id": 77}], gatewaylib.control_of(two)["v1/kumuh.json"]["etag"]))
        self.assertEqual(g.curl("/v1/lama", key=self.key).status, 404)


if __name__ == "__main__":
    gatewaylib.main()
