"""The module under valgrind: varied requests on one worker, no error of ours, no leak of ours. (A build with ASan runs every test with it.)"""
import pathlib
import re
import shutil
import signal
import subprocess

import gatewaylib

TIERS = [("public", 60, 1000000), ("registered", 10000, 20)]
OURS = re.compile(r"odp_|ngx_http_odp")


class Memory(gatewaylib.Case):
    def requests(self, g, key):
        """Everything the module does, a few times."""
        etag = gatewaylib.control_of(self.site)["v1/kumuh.json"]["etag"]
        connection = gatewaylib.Connection(g.port, 120)
        options = [(), ("Accept-Encoding: gzip",), ("Accept-Encoding: br",), ("Range: bytes=1-5",), ("Range: bytes=1-5,7-9,20-",), ("Range: bytes=9999999-",),
                   (f"If-None-Match: {etag}",), ('If-Match: "x"',), ("Range: bytes=0-3", f"If-Range: {etag}"), ("Accept-Language: en",),
                   ("X: " + "y" * 3000,), ("Origin: https://example.org",)]
        paths = ["/v1/kumuh", "/api/v1/kumuh", "/v1/besar", "/v1/nothing", "/v1/", "/v1/ditarik/x", "/v1/lama", "/index.html", "/", "/control",
                 "/data/kumuh/latest/kumuh.csv", "/v1/%6bumuh?x=%00&y=" + "z" * 500, "/manifest.json", "/v1/kumuh?api_key=" + key, "/" + "a" * 900]
        seen = set()
        for path in paths:
            for headers in options:
                seen.add(self.ask(connection, path, key, headers=headers).status)
            for method in ("HEAD", "OPTIONS", "POST", "DELETE"):
                seen.add(self.ask(connection, path, key, method=method).status)
            for other in (None, key[:-1], gatewaylib.make_key(), "x" * 2000):
                seen.add(self.ask(connection, path, other).status)
        connection.close()
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0", b"GET /v1/ HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 70000 + b"\r\n\r\n",
                     b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", f"GET /v1/besar HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n".encode()):
            gatewaylib.raw(g.port, data, 5)
        two = gatewaylib.write_site(self.dir / "builds/two", gatewaylib.SMALL, (self.site / "gateway.json").read_text())
        gatewaylib.link(self.site, two)  # a switch: what was in memory is let go
        for _ in range(3):
            g.get("/v1/kumuh", key)
            subprocess.run(["sleep", "0.6"])
        return seen

    def ask(self, connection, path, key, **more):
        try:
            return connection.get(path, key, **more)
        except gatewaylib.Connection.Unanswered:
            connection.close()
            return connection.get(path, key, **more)

    def test_valgrind(self):
        if gatewaylib.sanitized():
            self.skipTest("this build has sanitizers instead")
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        self.site = self.small_site(tiers=TIERS)
        g = self.serve(self.site, workers=1)
        key = g.create_key("public")
        # A second nginx on the same state, in one process, under valgrind; the first goes on serving the commands' side.
        config = (g.state / "nginx.conf").read_text()
        port, folder = gatewaylib.free_port(), self.dir / "alone"
        folder.mkdir()
        config = re.sub(r"^\s*(daemon|master_process)\s[^;]*;", "", config, flags=re.M)
        config = re.sub(r"\bpid\s[^;]*;", f"pid {folder}/pid;", config).replace(f":{g.port}", f":{port}")
        (folder / "nginx.conf").write_text("daemon off; master_process off;\n" + config)
        log = folder / "valgrind.log"
        process = subprocess.Popen(["valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=30", f"--log-file={log}", "nginx", "-p",
                                    str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")], stdin=subprocess.DEVNULL,
                                   preexec_fn=gatewaylib.die_with_parent)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
        self.addCleanup(end)
        alone = gatewaylib.Gateway(self.site, g.state)
        alone.port = port

        def up():
            self.assertIsNone(process.poll(), log.read_text()[-2000:] if log.exists() else "")
            try:
                return alone.get("/v1/").status == 200
            except OSError:
                return False
        gatewaylib.wait_for("nginx under valgrind", up, 120)
        seen = self.requests(alone, key)
        self.assertLessEqual({200, 206, 304, 400, 401, 404, 405, 410, 412, 416, 429}, seen)
        process.send_signal(signal.SIGQUIT)
        process.wait(gatewaylib.PATIENCE)
        self.judge(log.read_text())

    def judge(self, text):
        """Errors and definite losses with a function of ours in their stack."""
        text = re.sub(r"(?m)^==\d+== ?", "", text)
        self.assertIn("ERROR SUMMARY", text)
        blocks = [b for b in re.split(r"\n\s*\n", text) if re.search(r"^   at 0x|^   by 0x|\n   (at|by) 0x", b)]
        bad = [b for b in blocks if OURS.search(b) or re.search(r"Invalid (read|write|free)|uninitialised", b)]
        self.assertEqual(bad, [], "\n\n".join(bad)[:6000])

    def test_sanitized_serve(self):
        """In a build with ASan: the same requests through serve; a report would end the worker."""
        if "address" not in gatewaylib.sanitized():
            self.skipTest("this build has no ASan")
        self.site = self.small_site(tiers=TIERS)
        g = self.serve(self.site)
        workers = set(g.nginx_workers())
        self.assertTrue(any("libasan" in pathlib.Path(f"/proc/{p}/maps").read_text() for p in workers), "ASan is not in the workers")
        seen = self.requests(g, g.create_key("public"))
        self.assertLessEqual({200, 206, 304, 401, 404, 405, 410, 412, 416, 429}, seen)
        self.assertEqual(set(g.nginx_workers()), workers, "a worker died")
        self.assertEqual(g.stop(), 0)
        texts = g.log_text() + "".join(p.read_text(errors="replace") for p in g.state.rglob("*.log"))
        self.assertNotRegex(texts, "AddressSanitizer|runtime error")


if __name__ == "__main__":
    gatewaylib.main()
