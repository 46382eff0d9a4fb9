"""The nginx module by itself: our own nginx.conf around the .so, a table made by table_tool, a hand-made site or one by odp-build. No service."""
import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

import gatewaylib
import odp
from gatewaylib import SMALL, Connection, Response, control_of, entry, envelope, free_port, link, make_key, wait_for, write_site

TOOL = gatewaylib.BINARY_DIR / "tests" / "table_tool"
NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
TIERS = ["public:1000:5", "tiny:3:1000", "government:-1:0", "wide:1000000:0"]
PUBLIC, TINY, GOVERNMENT, WIDE = range(4)
BASE = "https://data.example.go.id/"
EXPOSED = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, Repr-Digest, Content-Range"
MORE = {
    "v1/kecil.json": entry(envelope([]), cache_control="private, max-age=60"),
    "v1/kosong.json": entry(b""),
    "data/a b/2024-03-15/a+b.csv": entry("x\r\n1\r\n", type="text/csv; charset=utf-8"),
    "v1/raksasa.json": entry(envelope([{"isi": "z" * 1000} for _ in range(3000)])),
}


LOG = """log_format odp escape=json '{"request":"$request","uri":"$odp_uri","status":$status,"key":"$odp_key","tier":"$odp_tier",'
    '"code":"$odp_code","dataset":"$odp_dataset","format":"$odp_format","path":"$odp_path","referer":"$http_referer"}';"""


class Nginx:
    """One nginx with a configuration of our own."""

    def __init__(self, folder, name, servers, main="", http="", workers=1, module=True):
        self.folder = folder / name
        self.folder.mkdir()
        self.port, self.process, self.workers = free_port(), None, workers
        self.main, self.http, self.module = main, http, module
        self.configure(servers)

    def configure(self, servers):
        temporary = "".join(f"{n}_temp_path {self.folder}/{n};" for n in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        servers = servers.replace("PORT", f"127.0.0.1:{self.port}")
        (self.folder / "nginx.conf").write_text(f"""
            {f'load_module {gatewaylib.MODULE};' if self.module else ''}
            daemon off; worker_processes {self.workers}; pid {self.folder}/pid; error_log {self.folder}/error.log notice;
            {'user root;' if os.geteuid() == 0 else ''} {self.main}
            events {{ worker_connections 1024; }}
            http {{
                {temporary}
                {LOG if self.module else ''}
                access_log {self.folder}/access.log {'odp' if self.module else 'combined'};
                {self.http}
                {servers}
            }}""")

    def command(self, *args):
        return [NGINX, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), *args]

    def start(self):
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=open(self.folder / "stderr", "wb"), env=gatewaylib.environment(), start_new_session=True)
        wait_for("nginx", lambda: self.process.poll() is not None or self.listens())
        assert self.process.poll() is None, (self.folder / "stderr").read_text() + self.errors()
        return self

    def listens(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def reload(self):
        before = set(gatewaylib.children_of(self.process.pid))
        self.process.send_signal(signal.SIGHUP)
        wait_for("new workers", lambda: set(gatewaylib.children_of(self.process.pid)) - before)
        return before

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise

    def destroy(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def get(self, path, key=None, **more):
        connection = Connection(self.port)
        try:
            return connection.get(path, key, **{**more, "headers": ["Connection: close", *more.get("headers", ())]})
        finally:
            connection.close()

    def curl(self, path, *options, key=None):
        args = ["curl", "-sS", "--path-as-is", "-i", "--max-time", "60", *options] + (["-H", f"Authorization: Bearer {key}"] if key else [])
        done = subprocess.run([*args, f"http://127.0.0.1:{self.port}{path}"], capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        return Response(head, body)

    def errors(self):
        return "".join(p.read_text(errors="replace") for p in (self.folder / "error.log", self.folder / "stderr") if p.exists())

    def log(self, count):
        """The access log's lines, once there are COUNT."""
        def lines():
            found = (self.folder / "access.log").read_text().splitlines()
            return found if len(found) >= count else None
        return [json.loads(line) for line in wait_for(f"{count} lines in the log", lines)]


class ModuleCase(gatewaylib.Case):
    allowed = ()  # what may stand in the error log

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.path.exists(gatewaylib.MODULE):
            raise odp.unittest.SkipTest("ngx_http_odp_module.so was not built: nginx-dev is not installed")

    def tool(self, *args, stdin=""):
        done = subprocess.run([TOOL, *map(str, args)], input=stdin, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make_table(self, name="table", base=BASE):
        self.tool("create", self.dir / name, 10000, base, *TIERS)

    def put(self, key, tier=WIDE, state="active", until=0, table="table"):
        self.tool("put", self.dir / table, stdin=f"{key} {tier} {state} {until}\n")
        return key

    def key(self, tier=WIDE, state="active", until=0):
        return self.put(make_key(), tier, state, until)

    def used(self, key):
        return int(self.tool("used", self.dir / "table", stdin=key + "\n"))

    def meter(self):
        return {n: int(v) for n, v in (line.rsplit(" ", 1) for line in self.tool("meter", self.dir / "meter").splitlines())}

    def places(self):
        return f"odp_table {self.dir}/table; odp_meter {self.dir}/meter; odp_site {self.dir}/site;"

    def site(self, files=None, name="one"):
        folder = write_site(self.dir / "builds" / name, {**SMALL, **MORE} if files is None else files, "{}")
        link(self.dir / "site", folder)
        return folder

    def server(self, inside="", location="", table=True, site=True, **more):
        """An nginx that serves the site; INSIDE the server block, LOCATION inside a location /."""
        if table:
            self.make_table()
        if site and not (self.dir / "site").exists():
            self.site()
        problems = "error_page 400 403 404 405 408 413 414 416 431 500 502 503 504 /.problem; error_page 494 =431 /.problem; location = /.problem { internal; odp_problem; }"
        nginx = Nginx(self.dir, more.pop("name", "nginx"), f"server {{ listen PORT; {self.places()} odp on; {problems} {inside} {location} }}", **more)
        self.addCleanup(self.inspect, nginx)
        self.addCleanup(nginx.destroy)
        return nginx.start()

    def inspect(self, nginx):
        text = nginx.errors()
        for pattern in (r"\[alert\]", r"\[emerg\]", r"\[crit\]", r"AddressSanitizer", r"runtime error", r"exited on signal", r"LeakSanitizer"):
            for line in re.findall(rf".*{pattern}.*", text):
                if not any(a in line for a in self.allowed):
                    self.fail(f"in nginx's error log: {line}\n{text[-3000:]}")


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
            self.assertEqual((answer.get("vary"), answer.get("cache-control")), ("Accept-Language", "no-store"))
        self.problem(ask(authorization=f"Bearer {self.key(state='suspended')}"), 403, "key-suspended")
        for header in (f"Bearer {good}", f"bearer  {good}", f"BEARER {good} "):
            self.assertEqual(ask(authorization=header).status, 200, header)
        self.assertEqual(ask(authorization=f"Bearer {self.key(state='rotated', until=int(time.time()) + 3600)}").status, 200)
        english = nginx.get("/v1/kumuh", headers=["Accept-Language: en-GB, id;q=0.5"]).json()
        self.assertEqual((english["title"], english["type"]), ("No API key was sent", BASE + "galat/key-missing"))

    def test_what_needs_no_key(self):
        nginx = self.server()
        for path in ("/v1/", "/v1/index.json", "/v1/openapi", "/v1/openapi.json", "/api/v1/", "/", "/data/kumuh/latest/kumuh.csv"):
            answer = nginx.get(path, make_key())  # a key that is not needed is not looked at
            self.assertEqual((answer.status, answer.get("ratelimit")), (200, None), path)
        self.problem(nginx.get("/v1/tidak-ada"), 401, "key-missing")
        self.problem(nginx.get("/data/tidak-ada"), 404, "not-found")

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

    def test_the_burst(self):
        nginx, key = self.server(), self.key(PUBLIC)
        connection = Connection(nginx.port)
        answers = [connection.get("/v1/kecil", key) for _ in range(40)]
        connection.close()
        refused = [a for a in answers if a.status != 200]
        self.assertTrue(refused)
        for answer in refused:
            self.assertEqual(self.problem(answer, 429, "burst-exceeded")["violated-policies"], ["burst"])
            self.assertGreaterEqual(int(answer.get("retry-after")), 1)
        self.assertEqual(self.used(key), 40 - len(refused))

    def test_methods_and_preflight(self):
        nginx, key = self.server(), self.key()
        for path in ("/v1/kumuh", "/v1/tidak-ada", "/data/kumuh/latest/kumuh.csv"):
            answer = nginx.get(path, method="OPTIONS", headers=["Origin: https://x.example", "Access-Control-Request-Method: GET",
                                                                "Access-Control-Request-Headers: authorization"])
            self.assertEqual((answer.status, answer.body), (204, b""))
            self.assertEqual(answer.get("access-control-allow-origin"), "*")
            self.assertEqual(answer.get("access-control-allow-methods"), "GET, HEAD, OPTIONS")
            self.assertEqual(answer.get("access-control-allow-headers"), "Authorization, Content-Type, If-None-Match, If-Range, Range")
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
        self.assertGreater(done[0], 20)

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
        self.site({f"v1/d{n}.json": entry(envelope([{"n": n, "x": "y" * 20000}])) for n in range(60)})
        nginx, key = self.server(site=False, http="odp_cache 300k;"), self.key()
        connection = Connection(nginx.port)
        for _ in range(3):
            for n in range(60):
                self.assertEqual(connection.get(f"/v1/d{n}", key).json()["data"][0]["n"], n)
        connection.close()
        meter = self.meter()
        self.assertEqual(meter["memory"], 180)

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
        before = len((backend.folder / "access.log").read_text().splitlines())
        same = nginx.get("/v1/kumuh", key, headers=[f"If-None-Match: {etag}"])
        self.assertEqual((same.status, same.get("etag"), same.get("cache-control")), (304, etag, "private, max-age=60"))
        self.problem(nginx.get("/v1/kumuh", key, headers=['If-Match: "x"']), 412, "precondition-failed")
        self.problem(nginx.get("/v1/kumuh"), 401, "key-missing")
        self.problem(nginx.get("/v1/tidak-ada", key), 404, "not-found")
        self.assertEqual(nginx.get("/v1/kumuh", method="OPTIONS").status, 204)
        self.assertEqual(len((backend.folder / "access.log").read_text().splitlines()), before)  # the upstream was not asked
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


class Configuration(ModuleCase):
    def verdict(self, text):
        nginx = Nginx(self.dir, f"c{len(list(self.dir.iterdir()))}", text)
        done = subprocess.run(nginx.command("-t"), capture_output=True, text=True, env=gatewaylib.environment())
        return done.returncode, done.stderr

    def test_wrong_configurations_are_named(self):
        secret, empty = self.dir / "s", self.dir / "e"
        secret.write_text("x")
        empty.write_text("\n")
        base = "odp_table t; odp_site s; odp on;"
        for text, what in (("odp on;", "needs odp_table and odp_site"), (base + "odp_content redirect;", "needs odp_redirect"),
                           (base + "odp_content other;", "invalid value"), (base + "odp_site x;", "is duplicate"), (base + "odp maybe;", "on"),
                           (base + "odp_redirect ftp http://x /y;", "knows secure_link and s3"), (base + "odp_redirect s3 x y;", "https://"),
                           (base + f"odp_redirect s3 https://x {secret};", "needs region"), (base + "odp_redirect secure_link https://x /no/where;", "cannot be read"),
                           (base + f"odp_redirect secure_link https://x {empty};", "empty secret"),
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
