"""What `odp-gateway serve` says and does when something is not as it should be; stopping, starting, backing up, restoring."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading

import gatewaylib
from gatewaylib import wait_for

TIERS = [("public", 2000000000, 1000000), ("registered", 10000, 20)]


class Restart(gatewaylib.Case):
    def fails(self, site, *options, code=None, state="other", **more):
        """serve ends by itself, without a trace; returns what it said."""
        g = self.serve(site, *options, state=state, wait=False, **more)
        self.assertNotEqual(g.wait(), 0, g.log_text())
        if code is not None:
            self.assertEqual(g.process.returncode, code, g.log_text())
        if state == "other":
            wait_for("its children to go", lambda: not g.processes())
        text = g.log_text()
        self.assertNotRegex(text, r"(?i)segmentation|sanitizer|assert")
        self.assertLess(len(text.splitlines()), 12, "a sentence, not a flood:\n" + text)
        return text

    def test_port_taken(self):
        site = self.small_site(tiers=TIERS)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen(1)
            port = s.getsockname()[1]
            text = self.fails(site, "--listen", f"127.0.0.1:{port}")
            self.assertIn(str(port), text)
            text = self.fails(site, "--metrics", f"127.0.0.1:{port}")
            self.assertIn(str(port), text)

    def test_port_not_allowed_or_wrong(self):
        site = self.small_site(tiers=TIERS)
        for listen in ("127.0.0.1:99999", "localhost:x", "300.1.1.1:80", "8.8.8.8:18080", ""):
            text = self.fails(site, "--listen", listen)
            self.assertRegex(text, re.escape(listen) if listen else "listen")

    def test_nginx_missing(self):
        text = self.fails(self.small_site(tiers=TIERS), "--nginx", "/nonexistent/nginx")
        self.assertIn("nginx", text)

    def test_not_a_site(self):
        (self.dir / "empty").mkdir()
        (self.dir / "file").write_text("x")
        for site in ("empty", "nonexistent", "file"):
            text = self.fails(self.dir / site)
            self.assertIn(str(self.dir / site), text)
        site = self.small_site(tiers=TIERS)
        (site / "gateway.json").chmod(0o644)
        (site / "gateway.json").write_text('{"tiers":[]}')
        self.assertIn("gateway.json", self.fails(site))

    def test_wrong_usage(self):
        for args in (["serve"], ["serve", "a", "b"], ["serve", "a", "--nonsense"], ["nonsense"], ["keys"], ["keys", "create", "--tier"], []):
            done = gatewaylib.run(*args, expect=None)
            self.assertEqual(done.returncode, 2, args)
            self.assertTrue(done.stderr.strip(), args)

    def test_a_state_has_one_master(self):
        site = self.small_site(tiers=TIERS)
        g = self.serve(site)
        before = set(g.processes())
        text = self.fails(site, state="state")
        self.assertIn(str(g.state), text)
        self.assertEqual(set(g.processes()), before)
        self.assertEqual(g.get("/v1/").status, 200)
        self.assertEqual(g.stop(), 0)
        self.nothing_left(g)

    def test_clean_stops(self):
        site = self.small_site(tiers=TIERS)
        g = self.serve(site)
        key = g.create_key("public")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            self.assertEqual(g.get("/v1/kumuh", key).status, 200)
            self.assertEqual(g.stop(number), 0, g.log_text())
            self.nothing_left(g)
            g.start()
        used = g.get("/auth/key", key).json()["data"][0]["used"]
        self.assertEqual(used, 3)  # keys and counts survive
        # The whole process group, as a terminal's Ctrl-C does it.
        os.killpg(g.process.pid, signal.SIGINT)
        self.assertEqual(g.wait(), 0, g.log_text())
        self.nothing_left(g)

    def test_a_stop_lets_requests_finish(self):
        site = self.small_site({**gatewaylib.SMALL, "v1/raksasa.json": gatewaylib.entry(gatewaylib.envelope([{"x": "y" * 30000000}]))}, TIERS)
        g = self.serve(site)
        key, size = g.create_key("public"), (site / "v1/raksasa.json").stat().st_size
        with socket.create_connection(("127.0.0.1", g.port), gatewaylib.PATIENCE) as s:
            s.sendall(f"GET /v1/raksasa HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
            got = len(s.recv(1000))
            g.send_signal(signal.SIGTERM)
            while True:
                piece = s.recv(1 << 20)
                if not piece:
                    break
                got += len(piece)
        self.assertGreater(got, size)
        self.assertEqual(g.wait(), 0)

    def test_reload(self):
        g = self.serve(self.small_site(tiers=TIERS))
        key = g.create_key("public")
        before = set(g.nginx_workers())
        g.send_signal(signal.SIGHUP)
        wait_for("new workers", lambda: not before & set(g.nginx_workers()) and g.nginx_workers())
        self.assertEqual(g.get("/v1/kumuh", key).status, 200)

    def test_module_missing(self):
        """Without a module that nginx loads: a loud warning, and the same answers by way of auth_request."""
        bad = self.dir / "ngx_http_odp_module.so"
        bad.write_bytes(b"\x7fELF not a module")
        site = self.small_site(tiers=[("public", 5, 1000)])
        for module in (self.dir / "nonexistent.so", bad):
            with self.subTest(module=module.name):
                g = self.serve(site, "--module", module, state=f"state-{module.stem}")
                self.assertRegex(g.log_text(), r"(?i)warning.*module")
                key = g.create_key("public")
                answer = g.get("/v1/kumuh", key)
                self.assertEqual((answer.status, len(answer.json()["data"])), (200, 30))
                self.assertEqual(answer.remaining(), 4)
                self.assertEqual(g.get("/api/v1/kumuh", key).body, answer.body)
                self.problem(g.get("/v1/kumuh"), 401, "key-missing")
                self.problem(g.get("/v1/kumuh", gatewaylib.make_key()), 401, "key-unknown")
                self.problem(g.get("/v1/nothing", key), 404, "not-found")
                self.assertEqual(g.get("/v1/").status, 200)
                self.assertEqual(g.get("/index.html").status, 200)
                for path in ("/control", "/gateway.json", "/search/kumuh-0.sqlite"):
                    self.assertEqual(g.get(path, key).status, 404, path)
                self.assertEqual([g.get("/v1/kumuh", key).status for _ in range(4)][-1], 429)
                self.assertEqual(g.stop(), 0)
                self.nothing_left(g)

    def test_backup_while_running_and_restore(self):
        site = self.small_site(tiers=TIERS)
        g = self.serve(site, "--registrations", "100000")
        first = g.create_key("public")
        for _ in range(5):
            g.get("/v1/kumuh", first)
        g.settled(5)
        registered, over = [], threading.Event()

        def register():
            n = 0
            while not over.is_set():
                n += 1
                registered.append(g.post("/auth/register", {"name": "Uji", "email": f"b{n}@example.org"}).json()["data"][0]["key"])
        thread = threading.Thread(target=register)
        thread.start()
        try:
            wait_for("registrations", lambda: len(registered) > 3)
            sure = list(registered)
            copies = [self.dir / f"backup-{n}" for n in range(3)]
            for copy in copies:
                g.run("backup", copy)
        finally:
            over.set()
            thread.join()
        self.assertNotEqual(g.run("restore", copies[0], expect=None).returncode, 0, "restored over a running gateway")
        self.assertEqual(g.stop(), 0)
        # The disaster: everything is gone.
        shutil.rmtree(g.state)
        g.run("restore", copies[-1])
        g.start()
        for key in [first, *sure]:
            self.assertEqual(g.get("/v1/kumuh", key).status, 200)
        self.assertEqual(g.get("/auth/key", first).json()["data"][0]["used"], 6)
        g.run("check")
        self.assertEqual(g.stop(), 0)
        for copy in copies:
            files = [copy] if copy.is_file() else list(copy.rglob("*"))
            for file in files:
                self.assertEqual(file.stat().st_mode & 0o077, 0, file)

    def test_damaged_table(self):
        """A table that was overwritten is built anew from the store."""
        g = self.serve(self.small_site(tiers=TIERS))
        key = g.create_key("public")
        g.get("/v1/kumuh", key)
        self.assertEqual(g.stop(), 0)
        table = g.state / "keys.table"
        for damage in ("zero", "short", "noise", "empty", "gone"):
            with self.subTest(damage=damage):
                size = table.stat().st_size
                with open(table, "r+b") as f:
                    if damage == "zero":
                        f.write(bytes(65536))
                    elif damage == "short":
                        f.truncate(size // 2)
                    elif damage == "noise":
                        f.seek(8)
                        f.write(os.urandom(100000))
                    elif damage == "empty":
                        f.truncate(0)
                if damage == "gone":
                    table.unlink()
                g.start()
                answer = g.get("/v1/kumuh", key)
                self.assertEqual(answer.status, 200, answer)
                g.run("check")
                self.assertEqual(g.stop(), 0)
        g.start()
        self.assertEqual(g.get("/auth/key", key).json()["data"][0]["used"], 6)

    def test_unprivileged(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv, to become somebody else")
        site = self.small_site(tiers=TIERS)
        self.dir.chmod(0o755)
        home = self.dir / "nobody"
        home.mkdir()
        os.chown(home, 65534, 65534)
        seen = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x", gatewaylib.PROGRAM]).returncode == 0
        if not seen:
            self.skipTest("the program lies where nobody else can read it")
        g = self.serve(site, state="nobody/state", prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        key = self.as_nobody(g, "keys", "create", "--name", "x", "--email", "x@example.org", "--tier", "public", "--json")
        key = re.search(r"odp_live_\w{36}", key).group(0)
        self.assertEqual(g.get("/v1/kumuh", key).status, 200)
        self.assertEqual(g.post("/auth/register", {"name": "A", "email": "a@example.org"}).status, 201)
        for pid in g.processes():
            uid = re.search(r"^Uid:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M).group(1)
            self.assertEqual(uid, "65534", g.processes()[pid])
        self.assertEqual(g.stop(), 0)
        self.nothing_left(g)

    def as_nobody(self, g, *args):
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", gatewaylib.PROGRAM, *args, "--state", g.state],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_state_of_somebody_else_or_open_to_all(self):
        site = self.small_site(tiers=TIERS)
        state = self.dir / "open"
        state.mkdir(mode=0o777)
        state.chmod(0o777)
        g = self.serve(site, state="open", wait=False)
        ended = wait_for("an end or a gateway", lambda: g.process.poll() is not None or self.up(g))
        if g.process.poll() is None:  # it may mend the mode, or refuse; it may not go on with it
            self.assertEqual(state.stat().st_mode & 0o777, 0o700)
        else:
            self.assertIn(str(state), g.log_text())
        self.assertTrue(ended)

    def up(self, g):
        try:
            return g.metrics_get("/healthz").status == 200
        except (OSError, gatewaylib.Connection.Unanswered):
            return False

    def test_keys_while_it_does_not_run(self):
        site = self.small_site(tiers=TIERS)
        g = self.serve(site)
        self.assertEqual(g.stop(), 0)
        key = g.create_key("public")
        other = g.create_key("public")
        g.run("keys", "revoke", other[:14])
        listed = json.loads(g.run("keys", "list", "--json").stdout)
        listed = listed["data"] if isinstance(listed, dict) else listed
        self.assertEqual(sorted(k["state"] for k in listed), ["active", "revoked"])
        g.start()
        self.assertEqual(g.get("/v1/kumuh", key).status, 200)
        self.problem(g.get("/v1/kumuh", other), 401, "key-revoked")

    def test_metrics(self):
        g = self.serve(self.small_site(tiers=TIERS))
        key = g.create_key("public")
        before = g.metrics()
        for _ in range(5):
            g.get("/v1/kumuh", key)
        g.get("/v1/kumuh")
        wait_for("the numbers", lambda: sum(v for n, v in g.metrics().items() if "requests_total" in n and "200" in n) >=
                 sum(v for n, v in before.items() if "requests_total" in n and "200" in n) + 5)
        text = g.metrics_get().body.decode()
        self.assertIn("key-missing", text)
        self.assertNotIn(key[14:], text)
        self.assertEqual(g.metrics_get("/nothing").status, 404)
        check = shutil.which("promtool")
        if check:
            done = subprocess.run([check, "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) [a-z_:]+ .+|[a-z_:]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? [0-9.e+-]+(inf)?)$')


if __name__ == "__main__":
    gatewaylib.main()
