"""The nginx module by itself: keys in addresses, replaced sites and tables, upstreams and redirects."""
import hashlib
import hmac
import json
import os
import re
import shutil
import socket
import threading
import time
import urllib.parse

import gatewaylib
from gatewaylib import Connection, control_of, entry, envelope, free_port, link, make_key, wait_for, write_site
from modulelib import GOVERNMENT, ModuleCase, Nginx


class Addresses(ModuleCase):
    def check_logs(self, nginx, *keys):
        nginx.stop()
        for name in ("access.log", "error.log"):
            text = (nginx.folder / name).read_text()
            for key in keys:
                self.assertNotIn(key[14:], text, name)
                self.assertNotIn(key[20:40], text, name)
                self.assertNotIn(key[14:].lower(), text.lower(), name)

    def test_a_key_in_the_address_is_refused_and_never_logged(self):
        self.allowed = ("no live upstreams", "connect() failed")
        dead = free_port()
        nginx = self.server(f"location /lost/ {{ odp off; proxy_pass http://127.0.0.1:{dead}; }} location /plain/ {{ odp off; root /nonexistent; }}")
        key, other = self.key(), self.key()
        encoded = "".join(f"%{ord(c):02x}" for c in other)
        for path in (f"/v1/kumuh?api_key={other}", f"/v1/kumuh?x={other}", f"/v1/kumuh?{other}", f"/v1/{other}", f"/v1/kumuh?api_key={encoded}",
                     f"/v1/kumuh?x={encoded}", f"/v1/{encoded}", f"/data/kumuh/latest/kumuh.csv?token={other}", f"/v1/kumuh?x=1&key={other}&y=2",
                     f"/v1/kumuh?x={other.replace('odp_live_', 'ODP_Live_')}"):
            self.problem(nginx.curl(path, key=key), 400, "key-in-query")
        self.assertEqual(self.used(key), 0)
        self.assertEqual(nginx.curl(f"/lost/?access_token={other}").status, 502)
        self.assertIn(nginx.curl(f"/plain/{other}").status, (404,))
        nginx.curl("/v1/kumuh", "-H", f"Referer: https://x.example/?api_key={other}", key=key)
        for line in (f"GET /v1/kumuh?api_key={other} HTTP/9.9\r\n\r\n", f"GET /v1/kumuh?api_key={other} HTTP/1.1\r\nHost: a b\r\n\r\n",
                     f"G\x01T /v1/kumuh?api_key={other}\r\n\r\n", f"GET /v1/kumuh?api_key={other}\r\n"):
            gatewaylib.raw(nginx.port, line.encode())
        lines = nginx.log(16)
        self.assertTrue(any("api_key=" in line["request"] for line in lines))
        (nginx.folder / "error.log").write_text(re.sub(r".*\[info\].*\n", "", (nginx.folder / "error.log").read_text()))
        self.check_logs(nginx, key, other)

    def test_the_same_in_http2(self):
        """The address goes into the connection's header table, which the second and third request refer to: it may not be masked there."""
        self.make_table()
        self.site()
        nginx = Nginx(self.dir, "nginx", f"server {{ listen PORT http2; {self.places()} odp on; odp_query_key kunci; }}")
        self.addCleanup(self.inspect, nginx)
        self.addCleanup(nginx.destroy)
        nginx.start()
        key = self.key()
        with socket.create_connection(("127.0.0.1", nginx.port), 30) as s:
            def read(n):
                got = b""
                while len(got) < n:
                    piece = s.recv(n - len(got))
                    self.assertTrue(piece, "the connection closed")
                    got += piece
                return got

            def ask(stream, block):
                """The first byte of the answer's header block: 0x88 is 200, 0x8c is 400 (RFC 7541, appendix A)."""
                s.sendall(len(block).to_bytes(3, "big") + b"\1\5" + stream.to_bytes(4, "big") + block)
                status, ended = None, False
                while not ended:
                    head = read(9)
                    body, kind, flags = read(int.from_bytes(head[:3], "big")), head[3], head[4]
                    if int.from_bytes(head[5:], "big") == stream:
                        status = body[0] if kind == 1 else status
                        ended = bool(flags & 1)
                return status

            def path(text):  # literal, put into the table; then GET, http, and the authority that the first request put there
                return b"\x44" + bytes([len(text)]) + text.encode()
            s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
            self.assertEqual(ask(1, b"\x82\x86\x41\1x" + path(f"/v1/kumuh?kunci={key}")), 0x88)
            self.assertEqual(ask(3, b"\x82\x86\xbf\xbe"), 0x88)
            self.assertEqual(ask(5, b"\x82\x86\xbf\xbe"), 0x88)
            self.assertEqual(ask(7, b"\x82\x86\xbf" + path(f"/v1/kumuh?lain={key}")), 0x8c)
        self.assertEqual(self.used(key), 3)
        log = nginx.log(4)
        self.assertEqual([e["status"] for e in log], [200, 200, 200, 400])
        self.assertIn("HTTP/2.0", log[0]["request"])
        self.check_logs(nginx, key)

    def test_a_key_in_the_query_where_an_operator_allows_it(self):
        nginx, key, other = self.server("odp_query_key api_key;"), self.key(), self.key()
        answer = nginx.get(f"/v1/kumuh?api_key={key}")
        self.assertEqual((answer.status, answer.all("cache-control")), (200, ["private, no-store"]))
        self.assertEqual(nginx.get(f"/v1/kumuh?x=1&api_key={urllib.parse.quote(key)}&y").status, 200)
        self.assertEqual(nginx.get("/v1/kumuh?api%5Fkey=" + "".join(f"%{ord(c):02X}" for c in key)).status, 200)
        self.assertEqual(self.used(key), 3)
        self.assertEqual(nginx.get(f"/v1/kumuh?api_key={key}", other).status, 200)  # Authorization goes first
        self.assertEqual((self.used(key), self.used(other)), (3, 1))
        self.problem(nginx.get("/v1/kumuh?api_key=nonsense"), 401, "key-malformed")
        self.problem(nginx.get("/v1/kumuh?api_key="), 401, "key-missing")
        self.problem(nginx.get(f"/v1/kumuh?other={key}"), 400, "key-in-query")
        self.problem(nginx.get(f"/v1/kumuh?api_key={key}&api_key={other}"), 400, "key-in-query")
        log = nginx.log(8)
        self.assertEqual(log[0]["key"], key[:14])
        self.check_logs(nginx, key, other)

    def test_a_links_token_reaches_the_service_and_no_log(self):
        backend = Nginx(self.dir, "backend", 'server { listen PORT; return 200 "$request_uri"; }', module=False)
        self.addCleanup(backend.destroy)
        backend.start()
        nginx = self.server(f"location /auth/ {{ odp off; proxy_pass http://127.0.0.1:{backend.port}; }}")
        self.assertEqual(nginx.get("/auth/recover?token=Geheim12345&x=1").body, b"/auth/recover?token=Geheim12345&x=1")
        key = self.key()
        self.assertNotIn(key[14:].encode(), nginx.get(f"/auth/key?token={key}").body)
        self.assertNotIn("Geheim12345", str(nginx.log(2)))
        self.assertIn("/auth/recover?token=***", nginx.log(2)[-2]["request"])
        self.check_logs(nginx, key)

    def test_the_access_log_names_what_was_asked(self):
        nginx, key = self.server(), self.key(GOVERNMENT)
        nginx.get("/api/v1/kumuh", key, headers=["Accept-Encoding: br"])
        nginx.get("/data/kumuh/latest/kumuh.csv")
        nginx.get("/v1/kumuh")
        log = nginx.log(3)
        self.assertEqual([(e["uri"], e["status"], e["key"], e["tier"], e["code"], e["dataset"], e["format"], e["path"]) for e in log], [
            ("/api/v1/kumuh", 200, key[:14], "government", "", "kumuh", "api", "v1/kumuh.json.br"),
            ("/data/kumuh/latest/kumuh.csv", 200, "", "", "", "kumuh", "csv", "data/kumuh/latest/kumuh.csv"),
            ("/v1/kumuh", 401, "", "", "key-missing", "", "", "")])


class Replacements(ModuleCase):
    def test_switches_of_the_site_under_load_fail_no_request(self):
        files = [{"v1/kumuh.json": entry(envelope([{"n": n}] * 10)), "v1/besar.json": entry(envelope([{"n": n, "x": "y" * 900}] * 400)),
                  "v1/index.json": entry(envelope([]))} for n in range(6)]
        builds = [write_site(self.dir / "builds" / str(n), files[n], "{}") for n in range(6)]
        wanted = {p: {(control_of(b)[p]["etag"], f[p][0]) for b, f in zip(builds, files)} for p in ("v1/kumuh.json", "v1/besar.json")}
        link(self.dir / "site", builds[0])
        nginx, key = self.server(site=False, workers=2, inside="open_file_cache max=100; open_file_cache_valid 60s;"), self.key(GOVERNMENT)
        stop, done, wrong = threading.Event(), [0], []

        def load(path):
            connection = Connection(nginx.port)
            while not stop.is_set():
                answer = connection.get("/" + path, key)
                if (answer.get("etag"), answer.body) not in wanted[path] or answer.status != 200:
                    wrong.append(repr(answer))
                done[0] += 1
            connection.close()
        threads = [threading.Thread(target=load, args=(p,)) for p in ("v1/kumuh.json", "v1/besar.json") * 2]
        for t in threads:
            t.start()
        try:
            for n in range(1, 6):
                link(self.dir / "site", builds[n])
                wait_for("the new site", lambda: nginx.get("/v1/kumuh", key).body == files[n]["v1/kumuh.json"][0])
        finally:
            stop.set()
            for t in threads:
                t.join()
        self.assertEqual(wrong, [])
        self.assertGreater(done[0], 0)

    def test_a_slow_reader_keeps_what_it_began(self):
        nginx, key = self.server("odp_cache_file 8m;", http="odp_cache 16m;"), self.key()
        body = (self.dir / "site/v1/raksasa.json").read_bytes()
        slow = Connection(nginx.port)
        slow.send(f"GET /v1/raksasa HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
        wait_for("the first bytes", lambda: slow.more() and slow.buffer)
        new = self.site({"v1/kumuh.json": entry(envelope([{"neu": 1}]))}, "two")
        wait_for("the switch", lambda: nginx.get("/v1/kumuh", key).body == (new / "v1/kumuh.json").read_bytes())
        shutil.rmtree(self.dir / "builds/one")
        self.problem(nginx.get("/v1/raksasa", key), 404, "not-found")
        self.assertEqual(slow.receive().body, body)
        slow.close()

    def test_the_cache_stays_within_its_size(self):
        """What was pushed out must be read again, and cannot be when the files are gone; what was used last is still there."""
        self.allowed = ("control promises",)
        folder = self.site({f"v1/d{n}.json": entry(envelope([{"n": n, "x": "y" * 20000}])) for n in range(60)})
        nginx, key = self.server(site=False, http="odp_cache 300k;"), self.key()
        connection = Connection(nginx.port)
        for n in range(60):
            self.assertEqual(connection.get(f"/v1/d{n}", key).json()["data"][0]["n"], n)
        shutil.rmtree(folder / "v1")
        answers = [connection.get(f"/v1/d{n}", key) for n in reversed(range(60))]
        connection.close()
        kept = [a.json()["data"][0]["n"] for a in answers if a.status == 200]
        self.assertEqual(kept, list(range(59, 59 - len(kept), -1)))
        self.assertTrue(5 <= len(kept) <= 15, kept)
        wait_for("the meter", lambda: self.meter()["memory"] == 60 + len(kept))

    def test_start_before_table_and_site_are_there(self):
        nginx = self.server(table=False, site=False)
        key = make_key()
        self.problem(nginx.get("/v1/kumuh", key), 503, "unavailable")
        self.problem(nginx.get("/v1/kumuh"), 401, "key-missing")
        self.problem(nginx.get("/"), 503, "unavailable")
        self.assertIn("odp: the key table", nginx.errors())
        self.assertIn("odp: the site", nginx.errors())
        self.site()
        wait_for("the site", lambda: nginx.get("/").status == 200)
        self.problem(nginx.get("/v1/kumuh", key), 503, "unavailable")
        self.make_table()
        self.put(key)
        wait_for("the table", lambda: nginx.get("/v1/kumuh", key).status == 200)
        self.assertGreaterEqual(self.meter()["table_missing"], 2)

    def test_a_table_that_is_replaced(self):
        nginx, old = self.server(), self.key()
        self.assertEqual(nginx.get("/v1/kumuh", old).status, 200)
        self.make_table("next")
        new = self.put(make_key(), table="next")
        os.rename(self.dir / "next", self.dir / "table")
        wait_for("the new table", lambda: nginx.get("/v1/kumuh", new).status == 200)
        self.problem(nginx.get("/v1/kumuh", old), 401, "key-unknown")
        (self.dir / "next").write_bytes(b"not a table")  # what is no table does not replace one
        os.rename(self.dir / "next", self.dir / "table")
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            self.assertEqual(nginx.get("/v1/kumuh", new).status, 200)

    def test_a_new_key_and_a_revoked_one_count_at_once(self):
        nginx, key = self.server(workers=2), make_key()
        for state, status in (("active", 200), ("suspended", 403), ("active", 200), ("revoked", 401)):
            self.put(key, state=state)
            self.assertEqual({nginx.get("/v1/kumuh", key).status for _ in range(8)}, {status})

    def test_reloads_lose_no_count(self):
        nginx, key = self.server(workers=2), self.key()
        sent = 0
        for _ in range(3):
            old = nginx.reload()
            for _ in range(20):
                self.assertEqual(nginx.get("/v1/kumuh", key).status, 200)
                sent += 1
            wait_for("the old workers to end", lambda: not old & set(gatewaylib.children_of(nginx.process.pid)))
        self.assertEqual(self.used(key), sent)
        wait_for("the meter", lambda: self.meter()["use/kumuh/api/wide"] == sent)


class Behind(ModuleCase):
    """odp_content control and redirect."""

    def upstream(self, extra=""):
        backend = Nginx(self.dir, "upstream", f"""server {{ listen PORT; root {self.dir}/store; etag on; add_header Set-Cookie a=b; expires 1d;
            add_header X-Seen "$http_authorization|$http_if_none_match|$http_if_modified_since|$http_if_range|$http_accept_encoding|$request_uri";
            {extra} }}""", module=False)
        self.addCleanup(backend.destroy)
        return backend.start()

    def front(self, backend, inside=""):
        return self.server(f"""location / {{ odp_content control; {inside}
            proxy_pass http://127.0.0.1:{backend.port}/$odp_path; proxy_set_header X-Test 1; }}""")

    def test_files_of_an_upstream_get_their_headers_from_control(self):
        site = self.site()
        shutil.copytree(site, self.dir / "store")
        backend = self.upstream()
        nginx, key, control = self.front(backend), self.key(), control_of(site)
        for path, accept, file in (("/v1/kumuh", "", "v1/kumuh.json"), ("/v1/kumuh", "br", "v1/kumuh.json.br"), ("/v1/raksasa", "gzip", "v1/raksasa.json"),
                                   ("/data/a%20b/2024-03-15/a+b.csv", "", "data/a b/2024-03-15/a+b.csv"), ("/", "", "index.html")):
            answer = nginx.get(path, key, headers=[f"Accept-Encoding: {accept}", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"])
            row = control[file]
            self.assertEqual((answer.status, answer.body), (200, (site / file).read_bytes()), path)
            self.assertEqual((answer.all("etag"), answer.all("content-type"), answer.all("cache-control")), ([row["etag"]], [row["type"]], [row["cache-control"]]))
            self.assertEqual(answer.get("content-encoding", "-"), row["encoding"])
            self.assertTrue(answer.get("x-seen").startswith("|||||/"), answer)
            self.assertEqual((answer.all("last-modified"), answer.all("expires"), answer.all("set-cookie")), ([], [], []))
            self.assertEqual(answer.all("access-control-allow-origin"), ["*"])
        etag = control["v1/kumuh.json"]["etag"]
        asked = lambda: len((backend.folder / "access.log").read_text().splitlines())
        wait_for("the upstream's log", lambda: asked() == 5)  # it is written after the answer is sent
        same = nginx.get("/v1/kumuh", key, headers=[f"If-None-Match: {etag}"])
        self.assertEqual((same.status, same.get("etag"), same.get("cache-control")), (304, etag, "private, max-age=60"))
        self.problem(nginx.get("/v1/kumuh", key, headers=['If-Match: "x"']), 412, "precondition-failed")
        self.problem(nginx.get("/v1/kumuh"), 401, "key-missing")
        self.problem(nginx.get("/v1/tidak-ada", key), 404, "not-found")
        self.assertEqual(nginx.get("/v1/kumuh", method="OPTIONS").status, 204)
        self.assertEqual(asked(), 5)  # the upstream was not asked
        head = nginx.get("/v1/kumuh", key, method="HEAD")
        self.assertEqual((head.status, head.get("etag"), int(head.get("content-length"))), (200, etag, int(control["v1/kumuh.json"]["size"])))
        self.assertEqual(self.used(key), 3 + 2 + 1)
        wait_for("the meter", lambda: self.meter().get("use/kumuh/api/wide") == 4)

    def test_ranges_through_an_upstream(self):
        site = self.site()
        shutil.copytree(site, self.dir / "store")
        nginx, key = self.front(self.upstream()), self.key()
        whole, etag = (site / "v1/raksasa.json").read_bytes(), control_of(site)["v1/raksasa.json"]["etag"]
        part = nginx.get("/v1/raksasa", key, headers=["Range: bytes=5-9", f"If-Range: {etag}"])
        self.assertEqual((part.status, part.body, part.all("etag"), part.get("content-range")), (206, whole[5:10], [etag], f"bytes 5-9/{len(whole)}"))
        self.assertEqual(nginx.get("/v1/raksasa", key, headers=["Range: bytes=5-9", 'If-Range: "old"']).body, whole)
        beyond = nginx.get("/v1/raksasa", key, headers=[f"Range: bytes={len(whole)}-"])
        self.problem(beyond, 416, "range-not-satisfiable")

    def test_an_upstream_that_differs_from_control(self):
        site = self.site()
        shutil.copytree(site, self.dir / "store")
        store = self.dir / "store/v1"
        (store / "kumuh.json").chmod(0o644)
        (store / "kumuh.json").write_bytes(b"{}")
        (store / "kecil.json").unlink()
        nginx, key = self.front(self.upstream()), self.key()
        other = nginx.get("/v1/kumuh", key)
        self.assertEqual((other.status, other.body, other.all("etag"), other.all("cache-control")), (200, b"{}", [], ["no-store"]))
        self.assertIn("control says", nginx.errors())
        self.problem(nginx.get("/v1/kecil", key), 502, "bad-gateway")
        self.assertEqual(self.used(key), 1)  # what failed behind us is not counted

    def test_an_upstream_that_is_down_is_not_counted(self):
        self.site()

        class Nowhere:
            port = free_port()
        nginx, key = self.front(Nowhere), self.key()
        answer = nginx.get("/v1/kumuh", key)
        self.problem(answer, 502, "bad-gateway")
        self.assertEqual((self.used(key), answer.remaining()), (0, 1000000))
        wait_for("the meter", lambda: self.meter().get("refused/bad-gateway") == 1)
        self.assertFalse(self.meter().get("use/kumuh/api/wide"))

    def test_nginx_cache_between(self):
        site = self.site()
        shutil.copytree(site, self.dir / "store")
        backend = self.upstream()
        self.make_table()
        nginx = Nginx(self.dir, "nginx", f"""proxy_cache_path {self.dir}/cache keys_zone=files:1m;
            server {{ listen PORT; {self.places()} odp on; location / {{ odp_content control; proxy_cache files; proxy_cache_key "$odp_path $odp_etag";
            proxy_cache_valid 200 1h; proxy_ignore_headers Cache-Control Expires Set-Cookie; proxy_pass http://127.0.0.1:{backend.port}/$odp_path; }} }}""")
        self.addCleanup(self.inspect, nginx)
        self.addCleanup(nginx.destroy)
        nginx.start()
        key, etag = self.key(), control_of(site)["v1/kumuh.json"]["etag"]
        for _ in range(3):
            answer = nginx.get("/v1/kumuh", key)
            self.assertEqual((answer.status, answer.all("etag")), (200, [etag]))
        part = nginx.get("/v1/kumuh", key, headers=["Range: bytes=0-3"])
        self.assertEqual((part.status, part.body, part.all("etag")), (206, answer.body[:4], [etag]))
        backend.stop()  # it writes its log after its answers
        self.assertEqual((backend.folder / "access.log").read_text().count("GET /v1/kumuh.json"), 1)
        self.assertEqual(self.used(key), 4)

    def test_another_handler_is_guarded(self):
        backend = Nginx(self.dir, "backend", 'server { listen PORT; location /v1/busy { return 503; } location / { return 200 "found $request_uri"; } }', module=False)
        self.addCleanup(backend.destroy)
        backend.start()
        nginx, key = self.server(f"location ~ ^/v1/(search|busy) {{ proxy_pass http://127.0.0.1:{backend.port}; }}"), self.key()
        self.problem(nginx.get("/v1/search?q=x"), 401, "key-missing")
        found = nginx.get("/v1/search?q=x", key)
        self.assertEqual((found.status, found.body, found.remaining()), (200, b"found /v1/search?q=x", 999999))
        busy = nginx.get("/v1/busy", key)
        self.assertEqual((busy.status, self.used(key)), (503, 1))

    def test_redirect_by_secure_link(self):
        secret = self.dir / "secret"
        secret.write_text("s3cret\n")
        secret.chmod(0o600)
        self.site()
        shutil.copytree(self.dir / "site", self.dir / "store/odp")
        cdn = Nginx(self.dir, "cdn", f"""server {{ listen PORT; root {self.dir}/store; secure_link $arg_md5,$arg_expires;
            secure_link_md5 "$secure_link_expires$uri s3cret"; if ($secure_link = "") {{ return 403; }} if ($secure_link = "0") {{ return 410; }} }}""", module=False)
        self.addCleanup(cdn.destroy)
        cdn.start()
        nginx, key = self.server(f"odp_content redirect; odp_redirect secure_link http://127.0.0.1:{cdn.port}/odp/ {secret} ttl=60s;"), self.key()
        answer = nginx.get("/v1/kumuh", key, headers=["Accept-Encoding: gzip"])
        self.assertEqual((answer.status, answer.all("cache-control"), answer.get("vary")), (302, ["no-store"], "Accept-Encoding"))
        where = urllib.parse.urlsplit(answer.get("location"))
        self.assertEqual((where.netloc, where.path), (f"127.0.0.1:{cdn.port}", "/odp/v1/kumuh.json.gz"))
        self.assertEqual(cdn.get(f"{where.path}?{where.query}").body, (self.dir / "site/v1/kumuh.json.gz").read_bytes())
        self.assertEqual(cdn.get(f"{where.path}?{where.query.replace('md5=', 'md5=x')}").status, 403)
        spaced = urllib.parse.urlsplit(nginx.get("/data/a%20b/2024-03-15/a+b.csv").get("location"))
        self.assertEqual(cdn.get(f"{spaced.path}?{spaced.query}").status, 200)
        self.problem(nginx.get("/v1/kumuh"), 401, "key-missing")
        etag = control_of(self.dir / "site")["v1/kumuh.json"]["etag"]
        self.assertEqual(nginx.get("/v1/kumuh", key, headers=[f"If-None-Match: {etag}"]).status, 304)
        self.assertEqual(self.used(key), 1)

    def test_redirect_to_s3(self):
        secret = self.dir / "secret"
        secret.write_text("geheim")
        secret.chmod(0o600)
        nginx, key = self.server(f"odp_content redirect; odp_redirect s3 https://store.example/bucket region=ap-southeast-3 access_key=AKID {secret};"), self.key()
        where = urllib.parse.urlsplit(nginx.get("/v1/kumuh", key).get("location"))
        query = dict(urllib.parse.parse_qsl(where.query))
        self.assertEqual((where.netloc, where.path, query["X-Amz-Expires"]), ("store.example", "/bucket/v1/kumuh.json", "300"))
        date = query["X-Amz-Date"]
        scope = f"{date[:8]}/ap-southeast-3/s3/aws4_request"
        canonical = "\n".join(["GET", where.path, where.query.split("&X-Amz-Signature")[0], "host:store.example", "", "host", "UNSIGNED-PAYLOAD"])
        text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signing = b"AWS4geheim"
        for step in scope.split("/"):
            signing = hmac.new(signing, step.encode(), hashlib.sha256).digest()
        self.assertEqual(query["X-Amz-Signature"], hmac.new(signing, text.encode(), hashlib.sha256).hexdigest())


if __name__ == "__main__":
    gatewaylib.main()
