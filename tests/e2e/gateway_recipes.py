"""templates/gateway: stock nginx, nginx with the module, Caddy and HAProxy, each with its recipe as it stands but for ports and paths."""
import os
import re
import shutil
import signal
import socket
import subprocess

import gatewaylib
import odp
from gatewaylib import wait_for

RECIPES = odp.SOURCE / "templates/gateway"
TIERS = [("public", 4, 1000), ("government", None, 100000)]


class Servers(gatewaylib.Case):
    """Servers with our recipes, before a gateway of this test."""

    def program(self, name):
        found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if found is None:
            self.skipTest(f"{name} is not installed")
        return found

    def behind(self, *options, site=None):
        self.auth_port, self.port = gatewaylib.free_port(), gatewaylib.free_port()
        self.small = site or self.small_site(tiers=TIERS)
        return self.serve(self.small, "--auth-listen", f"127.0.0.1:{self.auth_port}", "--trusted-proxy", "127.0.0.1", *options)

    def recipe(self, name, g):
        """The file with this test's places in it; every place must be named in it, else the recipe has changed under us."""
        text = (RECIPES / name).read_text()
        for old, new in (("8081", str(self.port)), ("127.0.0.1:9146", f"127.0.0.1:{self.auth_port}"), ("127.0.0.1:8080", f"127.0.0.1:{g.port}"),
                         ("/srv/odp/site", str(self.small)), ("/var/lib/odp", str(g.state))):
            text = text.replace(old, new)
        self.assertIn(str(self.port), text)
        path = self.dir / name.replace("/", "-")
        path.write_text(text)
        return path

    def run_server(self, *command, env=None):
        log = open(self.dir / "server.log", "ab")
        process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, start_new_session=True)
        log.close()

        def end():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        self.addCleanup(end)

        def up():
            if process.poll() is not None:
                raise AssertionError((self.dir / "server.log").read_text()[-3000:])
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return True
            except OSError:
                return False
        wait_for("the server", up)
        return process

    def nginx(self, recipe, load="", env=None):
        name = recipe.name
        conf = self.dir / "nginx.conf"
        for folder in ("b", "p", "f", "u", "s"):
            (self.dir / folder).mkdir(exist_ok=True)
        user = "user root;" if os.geteuid() == 0 else ""  # the test's folders are its own
        conf.write_text(f"{load}\n{user}\npid {self.dir}/own.pid;\nerror_log stderr warn;\nworker_processes 1;\nevents {{}}\nhttp {{\n"
                        f"access_log off; client_body_temp_path {self.dir}/b; proxy_temp_path {self.dir}/p; fastcgi_temp_path {self.dir}/f;"
                        f" uwsgi_temp_path {self.dir}/u; scgi_temp_path {self.dir}/s;\ninclude {self.dir}/{name};\n}}\n")
        return self.run_server(self.program("nginx"), "-e", "stderr", "-c", conf, "-g", "daemon off;", env=env)

    def ask(self, path, key=None, method="GET", *headers, body=b""):
        connection = gatewaylib.Connection(self.port)
        try:
            return connection.get(path, key, method=method, headers=["Connection: close", *headers], body=body)
        finally:
            connection.close()


class Recipes(Servers):
    def check_api(self, g, fine=True):
        """What every recipe must do. FINE: refusals have all their headers."""
        self.problem(self.ask("/v1/kumuh"), 401, "key-missing")
        self.assertEqual(len(self.ask("/v1/kumuh").all("www-authenticate")), 1)
        self.assertIn("Bearer", self.ask("/v1/kumuh").get("www-authenticate"))
        self.problem(self.ask("/v1/kumuh", gatewaylib.make_key()), 401, "key-unknown")
        answer = gatewaylib.Gateway.curl(g, "/auth/register", "-X", "POST", "-H", "Content-Type: application/json", "--data-binary",
                                         '{"name":"Sari","email":"sari@example.org"}', base=f"http://127.0.0.1:{self.port}")
        self.assertEqual(answer.status, 201, answer)
        key = answer.json()["data"][0]["key"]
        first = self.ask("/v1/kumuh", key)
        self.assertEqual((first.status, len(first.json()["data"])), (200, 30), first)
        self.assertEqual(first.remaining(), 3)
        self.assertEqual(first.all("ratelimit-policy"), ['"daily";q=4;w=86400, "burst";q=1000;w=1'])
        self.assertIn("private", first.get("cache-control"))
        self.assertTrue(first.get("content-type").startswith("application/json"), first)
        self.assertEqual(first.all("access-control-allow-origin"), ["*"])
        self.assertIn("RateLimit, RateLimit-Policy, Retry-After", first.get("access-control-expose-headers"))
        # What a client says of itself opens nothing.
        for header in ("X-Original-URI: /index.html", "X-Forwarded-Uri: /index.html", "X-Original-Method: OPTIONS", "X-Forwarded-Method: OPTIONS",
                       "X-Odp-Client-Kind: caddy", "X-Odp-Code: not-found"):
            self.problem(self.ask("/v1/kumuh", None, "GET", header), 401, "key-missing")
        for path in ("//v1/kumuh", "/v1//kumuh", "/x/../v1/kumuh", "/%761/kumuh", "/api/v1/kumuh", "/v1/kumuh.json", "/v1/./kumuh.json", "/V1/kumuh.json"):
            self.assertIn(self.ask(path).status, (400, 401, 404), path)
        self.assertEqual(self.ask("/api/v1/kumuh", key).body, first.body)
        self.assertEqual(self.ask("/v1/kumuh", key, "HEAD").status, 200)
        self.assertEqual(self.ask("/v1/kumuh.json", key).status, 200)
        spent = self.ask("/v1/kumuh", key)
        document = self.problem(spent, 429, "quota-exceeded")
        self.assertEqual(document["status"], 429)
        self.assertGreater(int(spent.get("retry-after")), 0)
        self.assertEqual(spent.remaining(), 0)
        self.check_webhooks(key)
        for path in ("/v1/", "/v1", "/api/v1/", "/v1/openapi.json", "/index.html", "/", "/data/kumuh/latest/kumuh.csv"):
            answer = self.ask(path)
            self.assertEqual(answer.status, 200, (path, answer))
        self.assertEqual(self.ask("/v1/").json()["data"][0]["slug"], "kumuh")
        preflight = self.ask("/v1/kumuh", None, "OPTIONS", "Origin: https://x", "Access-Control-Request-Method: GET")
        self.assertEqual(preflight.status, 204)
        self.allows(preflight)
        government = g.create_key()
        # No limit, no word of it: neither of an unlimited tier nor of what needs no key.
        for path, given, policy in (("/v1/kumuh", government, ['"burst";q=100000;w=1']), ("/v1/", None, []), ("/v1/openapi.json", None, [])):
            answer = self.ask(path, given)
            self.assertEqual((answer.status, answer.all("ratelimit"), answer.all("ratelimit-policy")), (200, [], policy), answer)
        for path in ("/control", "/gateway.json", "/search/kumuh-0.sqlite", "/nothing", "/.git/config"):
            self.problem(self.ask(path, government), 404, "not-found")
        self.check_public_index(lambda path, *headers: self.ask(path, None, "GET", *headers))
        self.problem(self.ask("/v1/nothing", government), 404, "not-found")
        self.problem(self.ask("/v1/kumuh", government, "POST"), 405, "method-not-allowed")

    def check_refusals(self, key):
        """What nginx refuses by itself, and refusals of bodies longer than most may be, are problem documents with their own status."""
        auth, long = f"Authorization: Bearer {key}", b'{"x":"' + b"a" * 30000 + b'"}'
        search = ["POST /v1/kumuh/search HTTP/1.1", "Content-Type: application/json", f"Content-Length: {len(long)}"]
        for lines, body, status, code in ((["GET /v1/ HTTP/1.1", "X: " + "a" * 70000], b"", 431, "headers-too-large"), (["GET /v1/kumuh HTTP/2.0", auth], b"", 400, "bad-request"), (["POST /auth/register HTTP/1.1", "Transfer-Encoding: xchunked"], b"", 501, "not-implemented"),
                                          (["GET /index.html HTTP/1.1", 'If-Match: "x"'], b"", 412, "precondition-failed"), (["GET /v1/kumuh HTTP/1.1", auth, 'If-Match: "x"'], b"", 412, "precondition-failed"),
                                          (search, long, 401, "key-missing"), ([*search, auth], long, 404, "not-found")):
            head, _, rest = gatewaylib.raw(self.port, "\r\n".join([*lines, "Host: x", "Connection: close", "", ""]).encode() + body).partition(b"\r\n\r\n")
            answer = gatewaylib.Response(head, rest)
            self.assertEqual((answer.status, answer.all("content-type")), (status, ["application/problem+json"]), (lines, answer))
            self.assertTrue(answer.reason.strip(), (lines, answer))
            self.assertEqual((answer.json()["code"], bool(answer.json()["detail"])), (code, True), lines)

    def check_webhooks(self, key):
        """They are managed with the service, all methods, by a key that has nothing left today."""
        body = ("Content-Type: application/json",)
        for prefix in ("/v1/webhooks", "/api/v1/webhooks"):
            self.problem(self.ask(prefix), 401, "key-missing")
            answer = self.ask(prefix, key)
            self.assertEqual((answer.status, answer.json()["data"], answer.all("ratelimit")), (200, [], []), answer)
            self.problem(self.ask(prefix, key, "POST", *body, body=b'{"events":["release.published"]}'), 400, "field-missing")
            for method in ("GET", "PATCH", "DELETE"):
                self.problem(self.ask(prefix + "/wh_00000000000000000000", key, method, *body, body=b"{}" if method == "PATCH" else b""), 404, "not-found")
            preflight = self.ask(prefix + "/wh_x", None, "OPTIONS", "Origin: https://x", "Access-Control-Request-Method: PATCH")
            self.assertEqual((preflight.status, preflight.get("access-control-allow-methods")), (204, "GET, HEAD, POST, PATCH, DELETE, OPTIONS"))

    def test_stock_nginx(self):
        g = self.behind()
        self.nginx(self.recipe("nginx-auth-request/odp.conf", g))
        self.check_api(g)
        self.check_refusals(g.create_key("public"))
        # With the gateway gone there is a problem document, not a bare page.
        self.assertEqual(g.stop(), 0)
        answer = self.ask("/v1/kumuh", gatewaylib.make_key())
        self.assertEqual((answer.status, answer.get("content-type"), answer.json()["code"]), (503, "application/problem+json", "unavailable"))
        self.assertEqual(self.ask("/index.html").status, 200)

    def test_nginx_with_the_module(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        g = self.behind()
        self.nginx(self.recipe("nginx-module/odp.conf", g), f"load_module {gatewaylib.MODULE};", gatewaylib.environment())
        self.check_api(g)
        self.check_refusals(g.create_key("public"))
        self.assertEqual(g.stop(), 0)
        self.assertEqual(self.ask("/v1/").status, 200)  # reads go on
        answer = self.ask("/auth/key", gatewaylib.make_key())
        self.problem(answer, 503, "unavailable")

    def test_caddy(self):
        caddy = self.program("caddy")
        g = self.behind()
        home = dict(os.environ, HOME=str(self.dir), XDG_CONFIG_HOME=str(self.dir), XDG_DATA_HOME=str(self.dir))
        self.run_server(caddy, "run", "--adapter", "caddyfile", "--config", self.recipe("caddy/Caddyfile", g), env=home)
        self.check_api(g)

    def test_haproxy_in_front(self):
        haproxy = self.program("haproxy")
        g = self.behind("--registrations", "2")
        recipe = self.recipe("haproxy/haproxy.cfg", g)
        done = subprocess.run([haproxy, "-c", "-f", recipe], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("WARNING", done.stdout + done.stderr)
        self.run_server(haproxy, "-db", "-f", recipe)
        wait_for("the backend", lambda: self.ask("/v1/").status == 200)
        key = g.create_key()
        self.assertEqual(self.ask("/v1/kumuh", key).status, 200)
        self.problem(self.ask("/v1/kumuh"), 401, "key-missing")
        # The address that limits registrations is the client's, and he cannot choose it.
        for n, want in enumerate((201, 201, 429)):
            answer = g.curl("/auth/register", "-X", "POST", "-H", "Content-Type: application/json", "-H", f"X-Forwarded-For: 10.0.0.{n}", "--data-binary",
                            f'{{"name":"A","email":"a{n}@example.org"}}', base=f"http://127.0.0.1:{self.port}")
            self.assertEqual(answer.status, want, answer)

    def test_queries_through_stock_nginx(self):
        g = self.behind(site=self.compile("kumuh", tiers=gatewaylib.QUERY_TIERS))
        self.nginx(self.recipe("nginx-auth-request/odp.conf", g))
        self.check_queries(self.ask, g)

    def test_queries_through_nginx_with_the_module(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        g = self.behind(site=self.compile("kumuh", tiers=gatewaylib.QUERY_TIERS))
        self.nginx(self.recipe("nginx-module/odp.conf", g), f"load_module {gatewaylib.MODULE};", gatewaylib.environment())
        self.check_queries(self.ask, g)

    def test_queries_through_caddy(self):
        caddy = self.program("caddy")
        g = self.behind(site=self.compile("kumuh", tiers=gatewaylib.QUERY_TIERS))
        home = dict(os.environ, HOME=str(self.dir), XDG_CONFIG_HOME=str(self.dir), XDG_DATA_HOME=str(self.dir))
        self.run_server(caddy, "run", "--adapter", "caddyfile", "--config", self.recipe("caddy/Caddyfile", g), env=home)
        self.check_queries(self.ask, g)

    def test_every_recipe_is_described(self):
        readme = (RECIPES / "README.md").read_text()
        for folder in sorted(p.name for p in RECIPES.iterdir() if p.is_dir()):
            self.assertIn(folder + "/", readme)
        for option in set(re.findall(r"--[a-z][a-z-]+", readme)):
            self.assertIn(option, "".join(gatewaylib.run(c, "--help").stdout for c in ("serve", "config", "pull", "keys")), option)


if __name__ == "__main__":
    gatewaylib.main()
