"""Requests for the query engine find their way: nginx with the module before a service that says what it got; and the gateway as a whole."""
import http.server
import json
import os
import pathlib
import re
import socket
import socketserver
import threading
import urllib.parse

import gatewaylib
from gatewaylib import Connection, control_of, entry, envelope, make_key, wait_for
from modulelib import BASE, EXPOSED, GOVERNMENT, MORE, PUBLIC, SMALL, TINY, WIDE, ModuleCase, Nginx

HTML = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def page(text):
    return entry(f"<!doctype html><title>{text}</title>\n", type="text/html; charset=utf-8", **{"class": "public"}, cache_control="public, max-age=60")


def document(name, **more):
    return entry(json.dumps({"doc": name}), **{"class": "public"}, cache_control="public, max-age=60", **more)


MOVED = {"state": "moved", "sunset": "Wed, 31 Dec 2036 00:00:00 GMT", "cache_control": "public, max-age=300", "etag": "-", "type": "-"}
FILES = {**SMALL, **MORE,
         "v1/kumuh/timeline.json": entry(envelope([{"tahun": 2020}])),
         "v1/kumuh/v/2024-03-15/p/2.json": entry(envelope([{"id": 2}])),
         "v1/tua.json": entry(b"", **MOVED, link="v1/kumuh.json"), "v1/tua/": entry(b"", **MOVED, link="v1/kumuh/"),
         "v1/events/index.json": document("kinds"), "v1/events/dataset.corrected.json": document("corrected", type="application/schema+json"),
         "v1/ogc/index.json": document("index", twins=True), "v1/ogc/index.html": page("id"), "v1/ogc/index.en.html": page("en"),
         "v1/ogc/conformance.json": document("conformance"), "v1/ogc/conformance.html": page("c-id"),
         "v1/ogc/api.json": document("api", type="application/vnd.oai.openapi+json;version=3.0"),
         "v1/ogc/collections.json": document("collections"), "v1/ogc/collections/kumuh.json": document("kumuh")}


class Engine:
    """An HTTP server on a unix socket that answers what it was asked: method, target, headers, body. Parameters make it answer otherwise:
    status=N, tag=T (an ETag; 304 when If-None-Match has it), header=Name:value, size=N (bytes of a header), nothing=1 (closes)."""

    def __init__(self, path):
        self.path, self.asked, engine = path, [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def address_string(self):
                return "nginx"

            def log_message(self, *args):
                pass

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                asked = {"method": self.command, "target": self.path, "body": body.decode(), "headers": {k.lower(): v for k, v in self.headers.items()}}
                engine.asked.append(asked)
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                said = lambda name, other=None: query.get(name, [other])[0]
                status, tag = int(said("status", 200)), said("tag", "e1")
                if said("nothing"):
                    self.close_connection = True
                    return
                if f'"{tag}"' in self.headers.get("If-None-Match", ""):
                    status = 304
                text = b"" if status in (204, 304) else json.dumps(asked).encode()
                self.send_response(status)
                self.send_header("ETag", f'"{tag}"')
                if not said("silent"):
                    self.send_header("Cache-Control", "private, max-age=60")
                self.send_header("Vary", "Accept")
                for line in query.get("header", []):
                    name, _, value = line.partition(":")
                    self.send_header(name, value)
                if said("size"):
                    self.send_header("Link", f'<search?cursor={"c" * int(said("size"))}>; rel="next"')
                if status not in (204, 304):
                    self.send_header("Content-Type", "application/problem+json" if status >= 400 else "application/geo+json")
                    self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(text)
            do_GET = do_HEAD = do_POST = do_PUT = do_OPTIONS = answer

        class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads, request_queue_size = True, 64

            def handle_error(self, request, client_address):
                pass

            def process_request_thread(self, request, client_address):
                engine.open.add(request)
                super().process_request_thread(request, client_address)

        self.open = set()
        self.server = Server(str(path), Handler)
        os.chmod(path, 0o666)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        """As a service that ends: nobody listens, kept connections are closed."""
        self.server.shutdown()
        self.server.server_close()
        pathlib.Path(self.path).unlink(missing_ok=True)
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def location():
    """The location of the written configuration, by hand."""
    return f"""odp_query @odp_query; client_max_body_size 64k;
        location @odp_query {{ odp on; proxy_pass http://engine$odp_query_uri; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_set_header Authorization ""; proxy_set_header X-Odp-Account $odp_account; proxy_set_header X-Odp-Tier $odp_tier; proxy_set_header X-Odp-Origin $odp_origin;
            proxy_buffer_size 16k; proxy_buffers 8 16k; client_max_body_size 64k; proxy_next_upstream error non_idempotent;
            error_page 400 413 500 /.problem; error_page 502 503 504 =503 /.problem; }}"""


class Routing(ModuleCase):
    def start(self, inside="", listen="PORT", **more):
        self.engine = Engine(self.dir / "query.sock")
        self.addCleanup(self.engine.stop)
        self.site(FILES)
        upstream = f"upstream engine {{ server unix:{self.dir}/query.sock max_fails=0; keepalive 8; }}"
        return self.server(location() + inside, http=upstream, **more)

    def got(self, answer):
        self.assertEqual((answer.status, answer.get("content-type")), (200, "application/geo+json"), answer)
        return answer.json()

    # ---- ways ----

    def test_each_address_finds_its_way(self):
        nginx, key = self.start(), self.key()
        asked = {
            "/v1/kumuh?a=b": None, "/api/v1/kumuh?a=b": None, "/v1/kumuh.json?a": None, "/v1/kumuh.geojson": None, "/v1/kumuh.csv?a=%20b": None,
            "/v1/kumuh/timeline?view=gantt": None, "/v1/kumuh/timeline.csv": None, "/v1/kumuh/search": None, "/v1/kumuh/search.geojson?q=x": None,
            "/v1/kumuh/timeline/search?filter=a%20%3E%201%20AND%20b='%26'": None, "/v1/kumuh/id/31.71-0001": None, "/v1/kumuh/id/a,b?f=json": None,
            "/v1/kumuh/id/a%2Fb%2Cc": None, "/v1/kumuh/id/%2Fb": None, "/v1/kumuh/id/a%2F..%2Fb": None, "/v1/kumuh/timeline/id/%C3%A9%20x": None,
            "/v1/ogc/collections/kumuh/items?limit=3": None, "/v1/ogc/collections/kumuh/items/31.71-0001": None,
            "/v1/ogc/collections/kumuh-timeline/items?bbox=1,2,3,4": None, "/api/v1/ogc/collections/kumuh/items": None,
            "/v1/ogc/conformance?f=xml": None, "/v1/ogc/api?f=html": None,
            "/v1//kumuh/x/../search?a=b": "/v1/kumuh/search?a=b", "/v1/%6Bumuh/search": "/v1/kumuh/search", "/v1/kumuh?&a=b&&": "/v1/kumuh?a=b",
            "/v1/kumuh/id/a/b": "/v1/kumuh/id/a%2Fb", "/v1/tua/../kumuh/id/x?y": "/v1/kumuh/id/x?y",
            "/v1/kumuh?filter=a>1&x=[%22]": "/v1/kumuh?filter=a>1&x=[%22]",
        }
        for path, target in asked.items():
            with self.subTest(path):
                got = self.got(nginx.get(path, key))
                self.assertEqual((got["method"], got["target"]), ("GET", target or path))
        self.assertEqual(self.used(key), len(asked) - 2)  # what is under /v1/ogc/ and no record needs no key
        for path, file in {"/v1/kumuh": "v1/kumuh.json", "/v1/kumuh.json": "v1/kumuh.json", "/v1/kumuh?": "v1/kumuh.json", "/v1/kumuh?&": "v1/kumuh.json",
                           "/v1/kumuh/timeline": "v1/kumuh/timeline.json", "/v1/kumuh/v/2024-03-15/p/2?a=b": "v1/kumuh/v/2024-03-15/p/2.json",
                           "/v1/?a=b": "v1/index.json", "/v1/openapi.json?a=b": "v1/openapi.json",
                           "/v1/events?a=b": "v1/events/index.json", "/v1/events/dataset.corrected?f=csv": "v1/events/dataset.corrected.json", "/data/kumuh/latest/kumuh.csv?a=b": "data/kumuh/latest/kumuh.csv"}.items():
            for _ in range(2):  # the second by memory
                self.assertEqual(nginx.get(path, key).body, FILES[file][0], path)
        for path in ("/v1/tidak-ada?a=b", "/v1/tidak-ada/search", "/v1/tidak-ada/id/1", "/v1/kumuh/id/", "/v1/kumuh/search/", "/v1/kumuh.xlsx?a=b", "/v1/kumuh/lain/search",
                     "/v1/ogc/collections/tidak-ada/items", "/v1/ogc/tidak-ada", "/search/kumuh-0.sqlite?a=b", "/v1/search?q=x"):
            self.problem(nginx.get(path, key), 404, "not-found")
        self.assertEqual(len(self.engine.asked), len(asked))

    def test_the_service_is_told_who_asks_and_nothing_secret(self):
        nginx, first, second = self.start(), self.key(PUBLIC), self.key(GOVERNMENT)
        got = self.got(nginx.get("/v1/kumuh?a=b", second, headers=["X-Odp-Account: 77", "X-Odp-Tier: government", "Accept: text/csv", "If-None-Match: \"x\"",
                                                                    "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT", "Accept-Language: en"]))["headers"]
        self.assertEqual((got["x-odp-account"], got["x-odp-tier"]), ("1", "government"))
        self.assertEqual((got["accept"], got["if-none-match"], got["accept-language"]), ("text/csv", '"x"', "en"))
        self.assertNotIn("authorization", got)
        self.assertEqual(self.got(nginx.get("/v1/kumuh?a=b", first))["headers"]["x-odp-tier"], "public")
        # A key that follows another by rotation asks for the same account.
        follower = make_key()
        self.tool("put", self.dir / "table", stdin=f"{follower} {GOVERNMENT} active 0 {second}\n")
        got = self.got(nginx.get("/v1/kumuh?a=b", follower))["headers"]
        self.assertEqual((got["x-odp-account"], got["x-odp-tier"]), ("1", "government"))
        # Without a key nobody is named, whatever the client says.
        got = nginx.get("/v1/ogc/conformance?x=1", None, headers=["X-Odp-Account: 77", "X-Odp-Tier: government"]).json()["headers"]
        self.assertNotIn("x-odp-account", got)
        self.assertNotIn("x-odp-tier", got)

    def test_keys_are_checked_before_anybody_is_asked(self):
        nginx, revoked = self.start(), self.key(state="revoked")
        for path in ("/v1/kumuh?a=b", "/v1/kumuh.csv", "/v1/kumuh/search", "/v1/kumuh/id/1", "/v1/ogc/collections/kumuh/items", "/v1/ogc/collections/kumuh/items/1",
                     "/api/v1/kumuh/search", "/v1/tidak-ada/search"):
            self.problem(nginx.get(path), 401, "key-missing")
            self.problem(nginx.get(path, make_key()), 401, "key-unknown")
            self.problem(nginx.get(path, revoked), 401, "key-revoked")
        self.problem(nginx.get("/v1/kumuh/search", method="POST", body=b"{}"), 401, "key-missing")
        self.assertEqual(self.engine.asked, [])
        for path in ("/v1/ogc", "/v1/ogc/", "/v1/ogc/conformance", "/v1/ogc/collections/kumuh", "/v1/ogc/conformance?x=1"):
            self.assertEqual(nginx.get(path).status, 200, path)

    # ---- counting ----

    def test_what_counts(self):
        nginx, key = self.start(), self.key()
        counted = 0
        for status in (200, 400, 404, 406, 410, 422, 304, 429, 500, 503):
            for n in range(3):
                before = len(self.engine.asked)
                answer = nginx.get(f"/v1/kumuh/search?status={status}", key)
                counts = status not in (304, 429, 500, 503)
                counted += counts
                self.assertEqual((answer.status, len(self.engine.asked)), (status, before + 1))
                self.assertEqual((self.used(key), answer.remaining()), (counted, 1000000 - counted), status)
        same = nginx.get("/v1/kumuh/search?tag=t1", key, headers=['If-None-Match: W/"t0", "t1"'])
        self.assertEqual((same.status, same.body, same.all("etag"), same.all("cache-control")), (304, b"", ['"t1"'], ["private, max-age=60"]))
        self.assertEqual(self.used(key), counted)
        for n in range(4):
            self.assertEqual(nginx.get("/v1/kumuh/timeline?a=b", key).status, 200)
        self.problem(nginx.get("/v1/kumuh?nothing=1", key), 503, "unavailable")
        self.assertEqual(self.used(key), counted + 4)
        lines = nginx.log(4 * 3 + 6)
        self.assertEqual({(line["dataset"], line["format"], line["tier"]) for line in lines}, {("kumuh", "api", "wide")})
        wait_for("the meter", lambda: self.meter().get("timed", 0) >= 10 * 3 + 6)
        meter = self.meter()
        self.assertEqual(meter["use/kumuh/api/wide"], counted + 4)
        self.assertEqual((meter["status/200"], meter["status/304"], meter["status/429"], meter["status/422"]), (3 + 4, 4, 3, 3))

    def test_the_quota_is_exact(self):
        nginx, key = self.start(), self.key(TINY)  # 3 a day
        for status, left in ((503, 3), (200, 2), (429, 2), (400, 1), (304, 1), (404, 0)):
            answer = nginx.get(f"/v1/kumuh?status={status}", key)
            self.assertEqual((answer.status, answer.remaining()), (status, left))
            self.assertEqual(len(answer.all("ratelimit")), 1)
            self.assertEqual(answer.all("ratelimit-policy"), ['"daily";q=3;w=86400, "burst";q=1000;w=1'])
        before = len(self.engine.asked)
        self.problem(nginx.get("/v1/kumuh?a=b", key), 429, "quota-exceeded")
        self.problem(nginx.get("/v1/kumuh", key), 429, "quota-exceeded")
        self.assertEqual((self.used(key), len(self.engine.asked)), (3, before))

    def test_the_code_of_a_refusal_is_for_the_log(self):
        nginx, key = self.start(), self.key()
        answer = nginx.get("/v1/kumuh?status=429&header=X-Odp-Code:burst-exceeded", key)
        self.assertEqual((answer.status, answer.all("x-odp-code")), (429, []))
        nginx.get("/v1/kumuh?status=400&header=X-Odp-Code:no-such-code", key)
        self.assertEqual([line["code"] for line in nginx.log(2)], ["burst-exceeded", ""])
        wait_for("the meter", lambda: self.meter().get("refused/burst-exceeded") == 1)

    # ---- methods and bodies ----

    def test_post(self):
        nginx, key = self.start(), self.key()
        body = json.dumps({"filter": {"op": "=", "args": [{"property": "a"}, 1]}, "limit": 3})
        for path in ("/v1/kumuh/search", "/api/v1/kumuh/search.geojson", "/v1/kumuh/timeline/search?limit=2"):
            got = self.got(nginx.get(path, key, method="POST", headers=["Content-Type: application/json"], body=body.encode()))
            self.assertEqual((got["method"], got["target"], got["body"], got["headers"]["content-type"]), ("POST", path, body, "application/json"))
        large = "x" * 65536
        self.assertEqual(len(self.got(nginx.get("/v1/kumuh/search", key, method="POST", body=large.encode()))["body"]), 65536)
        used = self.used(key)
        refused = nginx.curl("/v1/kumuh/search", "--data-binary", large + "x", key=key)
        self.assertEqual(self.problem(refused, 413, "body-too-large")["detail"], "Kirim paling banyak 64 KiB.")
        self.assertEqual(self.used(key), used)
        pieces = nginx.curl("/v1/kumuh/search", "-H", "Transfer-Encoding: chunked", "-H", "Expect:", "--data-binary", body, key=key)
        self.assertEqual(pieces.json()["body"], body)
        self.problem(nginx.curl("/v1/kumuh/search", "-H", "Transfer-Encoding: chunked", "-H", "Expect:", "--data-binary", large + "x", key=key), 413, "body-too-large")
        for path in ("/v1/kumuh", "/v1/kumuh?a=b", "/v1/kumuh.geojson", "/v1/kumuh/id/1", "/v1/kumuh/id/search", "/v1/ogc/collections/kumuh/items", "/v1/ogc/conformance",
                     "/data/kumuh/latest/search", "/v1/search"):
            answer = nginx.get(path, key, method="POST", body=b"{}")
            self.problem(answer, 405, "method-not-allowed")
            self.assertEqual(answer.all("allow"), ["GET, HEAD, OPTIONS"], path)
        for method in ("PUT", "DELETE", "PATCH"):
            answer = nginx.curl("/v1/kumuh/search", "-X", method, "--data-binary", "{}", key=key)
            self.problem(answer, 405, "method-not-allowed")
            self.assertEqual(answer.all("allow"), ["GET, HEAD, POST, OPTIONS"], method)
        self.problem(nginx.get("/v1/tidak-ada/search", key, method="POST", body=b"{}"), 404, "not-found")

    def test_head(self):
        nginx, key = self.start(), self.key()
        connection = Connection(nginx.port)
        head, got = connection.get("/v1/kumuh?a=b", key, method="HEAD"), connection.get("/v1/kumuh?a=b", key)
        connection.close()
        self.assertEqual([a["method"] for a in self.engine.asked], ["HEAD", "GET"])
        self.assertEqual((head.status, head.get("etag"), self.used(key)), (200, got.get("etag"), 2))

    def test_preflight(self):
        nginx = self.start()
        for path, methods in (("/v1/kumuh/search", "GET, HEAD, POST, OPTIONS"), ("/v1/kumuh/timeline/search.csv?a", "GET, HEAD, POST, OPTIONS"),
                              ("/v1/kumuh?a=b", "GET, HEAD, OPTIONS"), ("/v1/ogc/collections/kumuh/items", "GET, HEAD, OPTIONS")):
            answer = nginx.get(path, method="OPTIONS", headers=["Origin: https://x.example", "Access-Control-Request-Method: POST"])
            self.assertEqual((answer.status, answer.all("allow"), answer.all("access-control-allow-methods")), (204, [methods], [methods]), path)
            self.assertEqual(answer.all("access-control-allow-origin"), ["*"])
            self.allows(answer)
        self.assertEqual(self.engine.asked, [])

    # ---- headers ----

    def test_headers_of_an_answer(self):
        nginx, key = self.start(), self.key(PUBLIC)
        lies = "".join(f"&header={urllib.parse.quote(line)}" for line in (
            "RateLimit:\"daily\";r=1", "Access-Control-Allow-Origin:https://x", "Access-Control-Expose-Headers:x", "Set-Cookie:a=b", "Sunset:never", "Deprecation:@1",
            "Link:<search?cursor=2>; rel=\"next\"", "Link:<kumuh.json>; rel=\"first\"", "Retry-After:7", "Content-Language:id"))
        answer = nginx.get("/v1/kumuh/search?a=b" + lies, key)
        self.assertEqual((answer.all("etag"), answer.all("cache-control"), answer.all("vary")), (['"e1"'], ["private, max-age=60"], ["Accept"]))
        self.assertEqual(answer.all("link"), ['<search?cursor=2>; rel="next"', '<kumuh.json>; rel="first"'])
        self.assertEqual((answer.all("access-control-allow-origin"), answer.all("access-control-expose-headers")), (["*"], [EXPOSED]))
        self.assertEqual((answer.all("set-cookie"), answer.all("sunset"), answer.all("deprecation")), ([], [], []))
        self.assertEqual((answer.all("x-content-type-options"), answer.remaining(), len(answer.all("ratelimit"))), (["nosniff"], 999, 1))
        self.assertEqual((answer.get("retry-after"), answer.get("content-language")), ("7", "id"))
        self.assertEqual(nginx.get("/v1/kumuh/search?silent=1", key).all("cache-control"), ["private, no-store"])
        big = nginx.get("/v1/kumuh/search?size=8000", key)
        self.assertEqual((big.status, len(big.get("link"))), (200, 8000 + len('<search?cursor=>; rel="next"')))
        long = "/v1/kumuh/search?filter=" + "x" * 7900
        self.assertEqual(self.got(nginx.get(long, key))["target"], long)
        self.problem(nginx.get(long + "x" * 1000, key), 414, "uri-too-long")

    def test_dates_are_no_conditions(self):
        nginx, key = self.start(), self.key()
        for line in ("If-Unmodified-Since: Tue, 15 Nov 1994 12:45:26 GMT", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT", "Range: bytes=0-1"):
            self.got(nginx.get("/v1/kumuh?a=b", key, headers=[line]))

    def test_states_of_datasets(self):
        nginx, key = self.start(), self.key()
        for path in ("/v1/lama?a=b", "/v1/lama/search?header=Link:%3Cx%3E", "/v1/ogc/collections/lama/items"):
            answer = nginx.get(path, key)
            self.assertEqual((answer.status, answer.all("deprecation"), answer.all("sunset")), (200, ["@1704067200"], ["Wed, 31 Dec 2036 23:59:59 GMT"]), path)
            self.assertIn('<https://data.example.go.id/v1/kumuh>; rel="successor-version"', answer.all("link"))
            self.assertEqual(len(answer.all("link")), 2 if "Link" in path else 1)
        asked = len(self.engine.asked)
        for path in ("/v1/ditarik?a=b", "/v1/ditarik/search", "/v1/ditarik.csv", "/v1/ditarik/id/1", "/v1/ogc/collections/ditarik/items/1"):
            gone = nginx.get(path, key)
            self.problem(gone, 410, "gone")
            self.assertIn("successor-version", gone.get("link"), path)
        self.problem(nginx.get("/v1/ditarik/search", key, method="POST", body=b"{}"), 410, "gone")
        self.problem(nginx.get("/v1/ogc/collections/ditarik"), 410, "gone")
        used = self.used(key)
        for path, to in {"/v1/tua?a=b": "/v1/kumuh?a=b", "/v1/tua.csv?a=b": "/v1/kumuh.csv?a=b", "/v1/tua/search?q=%20x": "/v1/kumuh/search?q=%20x",
                         "/v1/tua/id/a%2Fb": "/v1/kumuh/id/a%2Fb", "/api/v1/tua/timeline/search": "/api/v1/kumuh/timeline/search",
                         "/v1/ogc/collections/tua/items?limit=3": "/v1/ogc/collections/kumuh/items?limit=3",
                         "/v1/ogc/collections/tua-timeline/items/a%2Fb": "/v1/ogc/collections/kumuh-timeline/items/a%2Fb",
                         "/v1/ogc/collections/tua?f=html": "/v1/ogc/collections/kumuh?f=html"}.items():
            answer = nginx.get(path, key)
            self.assertEqual((answer.status, answer.all("location")), (308, [to]), path)
        post = nginx.get("/v1/tua/search", method="POST", body=b"{}")
        self.assertEqual((post.status, post.get("location")), (308, "/v1/kumuh/search"))
        self.assertEqual((self.used(key), len(self.engine.asked)), (used, asked))

    # ---- keys in addresses ----

    def test_a_key_in_the_address(self):
        nginx, key, other = self.start("odp_query_key api_key;"), self.key(), self.key()
        for path, target in {f"/v1/kumuh?api_key={key}&a=b": "/v1/kumuh?a=b", f"/v1/kumuh?a=b&api_key={key}": "/v1/kumuh?a=b",
                             f"/v1/kumuh/search?x=1&api_key={key}&a=%20b": "/v1/kumuh/search?x=1&a=%20b", f"/v1/kumuh/id/a%2Fb?api_key={key}": "/v1/kumuh/id/a%2Fb",
                             f"/v1/kumuh?api%5Fkey={key}&a=b": "/v1/kumuh?a=b", f"/v1/kumuh?token=geheim_kata&key=k2&api_key={key}": "/v1/kumuh?token=geheim_kata&key=k2",
                             f"/v1/ogc/collections/kumuh/items?api_key={key}": "/v1/ogc/collections/kumuh/items"}.items():
            answer = nginx.get(path)
            self.assertEqual(self.got(answer)["target"], target, path)
            self.assertEqual((answer.all("cache-control"), answer.all("etag")), (["private, no-store"], ['"e1"']), path)
        self.assertEqual(self.used(key), 7)
        static = nginx.get(f"/v1/kumuh?api_key={key}")
        self.assertEqual((static.body, static.all("cache-control")), (FILES["v1/kumuh.json"][0], ["private, no-store"]))
        root = nginx.get(f"/v1/ogc/?api_key={key}", headers=["Accept: application/json"])  # as map programs do with every address
        self.assertEqual((root.status, root.json()), (200, {"doc": "index"}))
        asked = len(self.engine.asked)
        for path in (f"/v1/kumuh?api_key={key}&api_key={other}&a=b", f"/v1/kumuh?q={key}&a=b", f"/v1/kumuh/id/{key}"):
            self.problem(nginx.get(path, other), 400, "key-in-query")
        self.problem(nginx.get("/v1/kumuh?api_key=odp_live_x&a=b"), 401, "key-malformed")
        self.assertEqual(len(self.engine.asked), asked)
        bearer = nginx.get("/v1/kumuh?a=b", other)
        self.assertEqual(bearer.all("cache-control"), ["private, max-age=60"])
        # The service away: nginx logs the address, which has no key any more.
        self.allowed = ("connect() to unix", "No such file")
        self.engine.stop()
        self.problem(nginx.get(f"/v1/kumuh?api_key={key}&a=b"), 503, "unavailable")
        nginx.log(14)
        nginx.stop()
        for name in ("access.log", "error.log"):
            text = (nginx.folder / name).read_text()
            for k in (key, other):
                self.assertNotIn(k[14:], text, name)

    def test_where_no_key_may_be_in_the_address(self):
        nginx, key = self.start(), self.key()
        self.problem(nginx.get(f"/v1/kumuh?api_key={key}&a=b"), 400, "key-in-query")
        self.problem(nginx.get(f"/v1/kumuh/search?q={key}", key), 400, "key-in-query")
        self.assertEqual(self.engine.asked, [])
        # What only looks as if it were one goes on as it came.
        path = "/v1/kumuh?key=k_1&token=abc"
        self.assertEqual(self.got(nginx.get(path, key))["target"], path)

    # ---- OGC documents ----

    def test_forms_of_documents(self):
        nginx, control = self.start(), control_of(self.dir / "site")
        for path, headers, file, vary in (
                ("/v1/ogc", [], "v1/ogc/index.json", "Accept, Accept-Encoding"), ("/api/v1/ogc/", ["Accept: */*"], "v1/ogc/index.json", "Accept, Accept-Encoding"),
                ("/v1/ogc", ["Accept-Encoding: br"], "v1/ogc/index.json.br", "Accept, Accept-Encoding"),
                ("/v1/ogc/", [HTML], "v1/ogc/index.html", "Accept, Accept-Language"), ("/v1/ogc/", [HTML, "Accept-Language: en"], "v1/ogc/index.en.html", "Accept, Accept-Language"),
                ("/v1/ogc/?f=html", ["Accept-Language: en-US"], "v1/ogc/index.en.html", "Accept-Language"), ("/v1/ogc?f=json", [HTML], "v1/ogc/index.json", "Accept-Encoding"),
                ("/v1/ogc/index.html", ["Accept-Language: en"], "v1/ogc/index.html", None), ("/v1/ogc/conformance", [HTML], "v1/ogc/conformance.html", "Accept"),
                ("/v1/ogc/api", [HTML], "v1/ogc/api.json", None), ("/v1/ogc/collections", [], "v1/ogc/collections.json", None),
                ("/v1/ogc/collections/kumuh?f=json", [], "v1/ogc/collections/kumuh.json", None)):
            for _ in range(2):
                answer = nginx.get(path, headers=headers)
                row = control[file]
                self.assertEqual((answer.status, answer.body), (200, (self.dir / "site" / file).read_bytes()), (path, headers))
                self.assertEqual((answer.all("etag"), answer.all("content-type"), answer.all("cache-control")), ([row["etag"]], [row["type"]], [row["cache-control"]]))
                self.assertEqual(answer.get("vary"), vary, (path, headers))
                self.assertEqual(nginx.get(path, headers=[*headers, f"If-None-Match: {row['etag']}"]).status, 304)
        # Links of pages are relative to one address.
        for path, to in (("/v1/ogc?f=html", "/v1/ogc/?f=html"), ("/api/v1/ogc?f=html", "/api/v1/ogc/?f=html"), ("/v1/ogc/conformance/?f=html", "/v1/ogc/conformance?f=html")):
            answer = nginx.get(path)
            self.assertEqual((answer.status, answer.all("location"), answer.body), (308, [to], b""), path)
        self.assertEqual(nginx.get("/v1/ogc", headers=[HTML]).all("location"), ["/v1/ogc/"])
        # What is a path here is another host's address to a browser that would follow it as it came.
        for path in ("//example.org/..%2fv1/ogc?f=html", "//example.org/..%2fv1/ogc/conformance/?f=html", "/\\example.org/..%2f..%2fv1/ogc?f=html"):
            answer = nginx.get(path)
            if answer.status == 308:
                self.assertRegex(answer.get("location"), r"^(?![/\\]{2})/", path)
            else:
                self.assertIn(answer.status, (400, 401, 404), path)
        self.assertEqual(nginx.get("/v1/ogc/collections/").status, 200)
        self.assertEqual(self.engine.asked, [])
        self.assertEqual(nginx.get("/v1/ogc/conformance?f=json&x=1").json()["target"], "/v1/ogc/conformance?f=json&x=1")

    # ---- the service away, and back ----

    def test_the_service_comes_and_goes(self):
        self.allowed = ("connect() to unix", "No such file")
        nginx, key = self.start(), self.key()
        connections = [Connection(nginx.port) for _ in range(6)]
        for connection in connections:
            self.got(connection.get("/v1/kumuh?a=b", key))
        used = self.used(key)
        self.engine.stop()
        for path, method in (("/v1/kumuh?a=b", "GET"), ("/v1/kumuh/search", "POST")):
            away = connections[0].get(path, key, method=method, headers=["Accept-Language: en"])
            document = self.problem(away, 503, "unavailable")
            self.assertIn("queries follow", document["detail"])
            self.assertEqual((away.all("retry-after"), away.all("cache-control"), away.remaining()), (["5"], ["no-store"], 1000000 - used))
        self.assertEqual(self.used(key), used)
        self.assertEqual(connections[1].get("/v1/kumuh", key).status, 200)  # files are sent all the same
        self.engine = Engine(self.dir / "query.sock")
        self.addCleanup(self.engine.stop)
        for method in ("POST", "GET", "POST", "GET"):  # over connections that the old one has left
            self.got(connections[2].get("/v1/kumuh/search", key, method=method, body=b"{}" if method == "POST" else b""))
        for connection in connections:
            connection.close()

    def test_a_switched_site(self):
        nginx, key = self.start(), self.key()
        self.got(nginx.get("/v1/kumuh/search", key))
        files = {k: v for k, v in FILES.items() if not k.startswith("v1/kumuh")}
        self.site({**files, "v1/baru.json": entry(envelope([]))}, "two")
        wait_for("the new site", lambda: nginx.get("/v1/baru/search", key).status == 200)
        self.problem(nginx.get("/v1/kumuh/search", key), 404, "not-found")

    # ---- content modes, HTTP/2, configuration ----

    def test_queries_are_local_in_every_mode(self):
        (self.dir / "secret").write_text("s")
        (self.dir / "secret").chmod(0o600)
        store = Nginx(self.dir, "store", 'server { listen PORT; location / { return 404; } }', module=False)
        self.addCleanup(store.destroy)
        store.start()
        nginx = self.start(f"location / {{ odp_content control; proxy_pass http://127.0.0.1:{store.port}/$odp_path; }}"
                           f"location /api/ {{ odp_content redirect; odp_redirect secure_link https://cdn.example/ {self.dir}/secret; }}")
        key = self.key()
        self.assertEqual(self.got(nginx.get("/v1/kumuh?a=b", key))["target"], "/v1/kumuh?a=b")
        self.assertEqual(self.got(nginx.get("/v1/kumuh/search", key, method="POST", body=b"{}"))["body"], "{}")
        self.assertEqual(self.got(nginx.get("/api/v1/kumuh?a=b", key))["target"], "/api/v1/kumuh?a=b")
        self.assertEqual(nginx.get("/v1/kumuh", key).status, 502)  # the store has no file
        self.assertEqual(nginx.get("/api/v1/kumuh", key).status, 302)

    def test_http2(self):
        self.engine = Engine(self.dir / "query.sock")
        self.addCleanup(self.engine.stop)
        self.site(FILES)
        self.make_table()
        nginx = Nginx(self.dir, "nginx", f"server {{ listen PORT http2; {self.places()} odp on; odp_query_key api_key; {location()}"
                      " location = /.problem { internal; odp_problem; } }", http=f"upstream engine {{ server unix:{self.dir}/query.sock; keepalive 4; }}")
        self.addCleanup(self.inspect, nginx)
        self.addCleanup(nginx.destroy)
        nginx.start()
        key = self.key()
        for _ in range(3):
            got = nginx.curl(f"/v1/kumuh/search?a=b&api_key={key}", "--http2-prior-knowledge")
            self.assertEqual((got.status, got.json()["target"], got.all("cache-control")), (200, "/v1/kumuh/search?a=b", ["private, no-store"]))
            post = nginx.curl("/v1/kumuh/search", "--http2-prior-knowledge", "--data-binary", '{"limit":1}', key=key)
            self.assertEqual((post.status, post.json()["method"], post.json()["body"]), (200, "POST", '{"limit":1}'))
        self.assertEqual(self.used(key), 6)

    def test_links_of_the_address_asked_for(self):
        """The site's own for hosts that nobody allowed, and for names of this machine that came through a proxy; what is made for one
        client is in no cache, ours or another's."""
        nginx, key = self.start("odp_origin $scheme://$http_host data.intra;"), self.key()
        text = json.dumps({"$id": BASE + "v1/ogc/collections", "links": [{"href": BASE + "v1/ogc/"}], "servers": [{"url": BASE[:-1]}]}).encode()
        ask = lambda path, host, *headers, key=None: nginx.curl(path, *(x for h in (f"Host: {host}", *headers) for x in ("-H", h)), key=key)
        self.site({**FILES, "v1/ogc/collections.json": entry(text, **{"class": "public"}, cache_control="public, max-age=60", twins=True)}, "two")
        wait_for("the other site", lambda: b"links" in nginx.get("/v1/ogc/collections").body)
        own = ask("/v1/ogc/collections", "data.example.go.id")
        self.assertEqual((own.body, own.all("cache-control")), (text, ["public, max-age=60"]))
        tags = {own.get("etag")}
        for host, more, origin in (("localhost:80", [], "http://localhost:80"), ("data.intra", ["X-Forwarded-For: 1.2.3.4"], "http://data.intra"),
                                   ("127.0.0.1:9", ["Accept-Encoding: br, gzip"], "http://127.0.0.1:9")):
            answer = ask("/v1/ogc/collections", host, *more)
            document = json.loads(answer.body)
            self.assertEqual((document["links"][0]["href"], document["servers"][0]["url"], document["$id"]), (origin + "/v1/ogc/", origin, BASE + "v1/ogc/collections"))
            self.assertEqual((answer.all("cache-control"), answer.all("content-encoding")), (["private, max-age=60"], []))
            tags.add(answer.get("etag"))
            again = ask("/v1/ogc/collections", host, *more, f"If-None-Match: {answer.get('etag')}")
            self.assertEqual(again.status, 304)
            self.assertEqual(ask("/v1/ogc/collections", "x", *more, f"If-None-Match: {answer.get('etag')}").status, 200)
            self.got(ask("/v1/ogc/collections/kumuh/items", host, "X-Odp-Origin: http://x", *more, key=key))
            self.assertEqual(self.engine.asked[-1]["headers"].get("x-odp-origin"), origin)
        self.assertEqual(len(tags), 4)
        for host, more in (("evil.example", []), ("localhost", ["X-Forwarded-For: 1.2.3.4"]), ("localhost", ["Via: 1.1 x"]), ("data.intra.evil.example", []), ("localhost/x", [])):
            answer = ask("/v1/ogc/collections", host, *more)
            self.assertIn((answer.status, answer.body == text), ((200, True), (400, False)), host)
            self.got(ask("/v1/ogc/collections/kumuh/items", "evil.example", "X-Odp-Origin: http://x", key=key))
            self.assertNotIn("x-odp-origin", self.engine.asked[-1]["headers"])

    def test_accept_of_a_plain_address(self):
        """The page, the whole file or the engine, also by HEAD; whoever asks the same address otherwise is told by Vary."""
        nginx, key = self.start(), self.key()
        csv, page = FILES["data/kumuh/latest/kumuh.csv"][0], FILES["v1/kumuh.json"][0]
        for accept, body in (("", page), ("*/*", page), ("text/csv", csv), ("application/json;q=0.5, text/csv", csv), ("text/html", None), ("application/geo+json", None)):
            for method in ("GET", "HEAD"):
                answer = nginx.get("/v1/kumuh", key, method=method, headers=[f"Accept: {accept}"] if accept else [])
                self.assertEqual(answer.status, 200, accept)
                if body is None:
                    self.assertEqual(answer.get("etag"), '"e1"', accept)  # the engine's
                    continue
                self.assertEqual((answer.body, int(answer.get("content-length"))), (b"" if method == "HEAD" else body, len(body)))
                self.assertIn("Accept", answer.get("vary").split(", "))
                self.assertEqual(answer.all("cache-control"), ["private, max-age=60"])
        self.assertNotIn("Accept", (nginx.get("/v1/kumuh.json", key, headers=["Accept: text/csv"]).get("vary") or "").split(", "))
        answer = nginx.get("/v1/kumuh", key, headers=["Accept: text/csv", f"If-None-Match: {nginx.get('/v1/kumuh.csv', key).get('etag')}"])
        self.assertEqual((answer.status, "Accept" in answer.get("vary").split(", ")), (304, True))
        self.assertNotIn("private", nginx.get("/data/kumuh/latest/kumuh.csv").get("cache-control"))

    def test_without_a_location_for_queries(self):
        self.site(FILES)
        nginx, key = self.server(), self.key()
        self.assertEqual(nginx.get("/v1/kumuh?a=b", key).body, FILES["v1/kumuh.json"][0])
        self.assertEqual(nginx.get("/v1/ogc?a=b").json(), {"doc": "index"})
        self.assertEqual(nginx.get("/v1/kumuh.csv", key).body, FILES["data/kumuh/latest/kumuh.csv"][0])
        for path in ("/v1/kumuh/search", "/v1/kumuh.html", "/v1/ogc/collections/kumuh/items"):
            self.problem(nginx.get(path, key), 501, "not-implemented")
        self.problem(nginx.get("/v1/kumuh/search", key, method="POST", body=b"{}"), 405, "method-not-allowed")
        self.assertEqual(self.used(key), 2)

    def test_wrong_configurations(self):
        base = "odp_table t; odp_site s; odp on;"
        for text, what in (("odp_query x;", "needs a named location"), ("odp_query @;", "needs a named location"), ("odp_query @a; odp_query @b;", "is duplicate")):
            nginx = Nginx(self.dir, f"c{len(list(self.dir.iterdir()))}", f"server {{ listen PORT; {base} {text} }}")
            done = gatewaylib.subprocess.run(nginx.command("-t"), capture_output=True, text=True, env=gatewaylib.environment())
            self.assertEqual(done.returncode, 1, text)
            self.assertIn(what, done.stderr)
        self.allowed = ("could not find named location",)
        self.site(FILES)
        nginx, key = self.server("odp_query @nowhere; location /api/ { odp_query off; }"), self.key()
        self.problem(nginx.get("/v1/kumuh/search", key), 500, "internal")
        self.assertEqual(nginx.get("/api/v1/kumuh?a=b", key).status, 200)
        self.assertEqual(self.used(key), 1)


class Whole(gatewaylib.Case):
    """The gateway as it is started, on a compiled site."""

    def start(self, *options, slugs=("kumuh",)):
        return self.serve(self.compile(*slugs, tiers=gatewaylib.QUERY_TIERS), *options)

    def asker(self, g):
        return lambda path, key=None, method="GET", *headers, body=b"": g.get(path, key, method=method, headers=headers, body=body)

    def test_with_the_module(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        g = self.start("--query-key", "api_key", slugs=("kumuh", "kontraktor", "proyek"))
        query, left = self.check_queries(self.asker(g), g)
        etag = g.get("/v1/kumuh?limit=2", g.create_key()).get("etag")
        for _ in range(2):
            self.assertEqual(query("/v1/kumuh?limit=2", f"If-None-Match: {etag}", status=304).body, b"")
            query("/v1/kumuh?limit=2", f"If-Match: {etag}")
            self.problem(query("/v1/kumuh?limit=2", 'If-Match: "lama"', status=412), 412, "precondition-failed")
        key = g.create_key()
        answer = g.get(f"/v1/ogc/collections/kumuh/items?limit=1&api_key={key}")  # as QGIS and GDAL send it
        self.assertEqual((answer.status, answer.all("cache-control")), (200, ["private, no-store"]))
        self.assertNotIn(key[14:].encode(), answer.body)
        self.problem(g.get("/v1/ogc/conformance?x=1"), 400, "parameter-unknown")
        self.problem(g.get("/v1/ogc/conformance?f=xml"), 400, "parameter-invalid")
        self.problem(g.curl("/v1/kumuh/search", "--data-binary", "x" * 70000, key=key), 413, "body-too-large")
        gantt = g.get("/v1/proyek/timeline?view=gantt&limit=2", key)
        self.assertEqual((gantt.status, len(gantt.json()["data"])), (200, 2))
        milestones = g.get("/v1/proyek/timeline/search?sortby=-tanggal_rencana&limit=3", key).json()["data"]
        dates = [m["tanggal_rencana"] for m in milestones]
        self.assertEqual((len(dates), dates), (3, sorted(dates, reverse=True)))
        items = g.get("/v1/ogc/collections/proyek-timeline/items?limit=1", key)
        self.assertEqual((items.status, len(items.json()["features"])), (200, 1))
        counted = gatewaylib.QUERY_TIERS[0][1] - left + 4 + 5  # the conditions above, and what the other key asked for
        self.assertEqual(g.settled(counted), (counted, counted))  # by key, by dataset

    def test_without_the_module(self):
        g = self.start("--module", "off")
        self.check_queries(self.asker(g), g)

    def test_a_machine_that_pulls_answers_by_itself(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        site = self.compile("kumuh", tiers=gatewaylib.QUERY_TIERS)
        gatewaylib.run("pull", f"file://{site.resolve()}/", "--to", self.dir / "pulled")
        self.assertTrue((self.dir / "pulled" / "search" / "index.json").exists())
        store = Nginx(self.dir, "store", f"server {{ listen PORT; root {site}; }}", module=False)
        self.addCleanup(store.destroy)
        store.start()
        g = self.serve(self.dir / "pulled", "--content", f"proxy=http://127.0.0.1:{store.port}")
        self.check_queries(self.asker(g), g)


if __name__ == "__main__":
    gatewaylib.main()
