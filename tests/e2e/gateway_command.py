"""The commands of odp-gateway besides serve: config, keys, usage, check, audit, status, pull; and how serve looks after its children."""
import csv
import functools
import http.server
import io
import json
import os
import pwd
import pathlib
import re
import shutil
import signal
import subprocess
import threading

import gatewaylib
import odp
from gatewaylib import wait_for

COMMANDS = ("serve", "config", "keys", "usage", "check", "backup", "restore", "promote", "audit", "status", "pull", "webhooks", "secrets")
KEY = r"odp_live_[0-9A-Za-z]{36}"


class Commands(gatewaylib.Case):
    def test_help_of_every_command_in_both_languages(self):
        whole = gatewaylib.run("--help").stdout
        for name in COMMANDS:
            self.assertIn(f"\n  {name} ", whole)
            texts = {gatewaylib.run(name, "--help", "--lang", lang).stdout for lang in ("id", "en")}
            self.assertEqual(len(texts), 2, name)
            for text in texts:
                self.assertIn(f"odp-gateway {name}", text)
                self.assertIn("--lang", text)
        self.assertRegex(gatewaylib.run("--version").stdout, r"^odp-gateway \d")

    def test_config(self):
        site = self.small_site()
        full = gatewaylib.run("config", site, "--state", self.dir / "state", "--listen", "127.0.0.1:8099").stdout
        part = gatewaylib.run("config", site, "--state", self.dir / "state", "--listen", "127.0.0.1:8099", "--part", "http").stdout
        self.assertFalse((self.dir / "state").exists(), "config writes nothing")
        self.assertIn("\nhttp {", full)
        self.assertNotIn("\nhttp {", part)
        self.assertIn("load_module", full)
        server = full[full.index("\nserver {"):].strip()
        self.assertIn(server.rstrip("}").strip(), part)
        # An operator's own nginx takes the part as it is.
        for folder in ("nginx", "nginx.d"):
            (self.dir / "state" / folder).mkdir(parents=True)
        (self.dir / "part.conf").write_text(part)
        module = re.search(r'load_module "?([^";]+)', part).group(1)
        own = self.dir / "own.conf"
        own.write_text(f"load_module {module};\npid {self.dir}/own.pid;\nevents {{}}\nhttp {{ client_body_temp_path {self.dir}/b; proxy_temp_path {self.dir}/p;"
                       f" fastcgi_temp_path {self.dir}/f; uwsgi_temp_path {self.dir}/u; scgi_temp_path {self.dir}/s; include {self.dir}/part.conf; }}\n")
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        done = subprocess.run([nginx, "-t", "-e", "stderr", "-c", own], capture_output=True, text=True, env=gatewaylib.environment())
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_keys(self):
        g = self.serve(self.small_site())
        done = g.run("keys", "create", "--name", "Sari, S.T.", "--email", "sari@example.org", "--tier", "registered", "--organisation", "=Dinas")
        self.assertRegex(done.stdout, rf"^{KEY}\n$")  # the key, nothing else: for a pipe
        self.assertNotRegex(done.stderr, KEY)
        self.assertTrue(done.stderr.strip())
        key = done.stdout.strip()
        table = g.run("keys", "list").stdout
        self.assertIn(key[:14], table)
        self.assertNotIn(key, table)
        self.assertIn("registered", table)
        self.assertIn("sari@example.org", g.run("keys", "show", key[:14]).stdout)
        self.assertIn(key[:14], subprocess.run([gatewaylib.PROGRAM, "keys", "show", "-", "--state", g.state], input=key + "\n", capture_output=True, text=True).stdout)
        g.run("keys", "tier", key[:14], "government")
        self.assertEqual([k["tier"] for k in json.loads(g.run("keys", "list", "--json").stdout)], ["government"])
        g.run("keys", "suspend", key[:14])
        self.assertEqual(json.loads(g.run("keys", "list", "--only", "active", "--json").stdout), [])
        g.run("keys", "resume", key[:14])
        new = re.search(KEY, g.run("keys", "reissue", key[:14]).stdout).group(0)
        self.problem(g.get("/v1/kumuh", key), 401, "key-revoked")
        self.assertEqual(g.get("/v1/kumuh", new).status, 200)
        rows = list(csv.DictReader(io.StringIO(g.run("keys", "export").stdout, newline="")))
        self.assertEqual({r["name"] for r in rows}, {"Sari, S.T."})
        self.assertEqual({r["organisation"] for r in rows}, {"'=Dinas"})  # no formula for whoever opens it in a spreadsheet
        g.run("keys", "forget", new[:14], "--yes")
        self.assertNotIn("sari@example.org", g.run("keys", "export").stdout)
        self.problem(g.get("/v1/kumuh", new), 401, "key-revoked")
        for args, code in ((("keys", "show", "odp_live_zzzzz"), 1), (("keys", "show", "nobody@example.org"), 1), (("keys", "tier", new[:14], "raja"), None),
                           (("keys", "approve", "12345"), 1), (("keys", "approve", "x"), 2), (("keys", "tier", new[:14]), 2), (("keys", "wat"), 2),
                           (("keys", "create", "--name", "x"), 2)):
            done = g.run(*args, expect=None)
            self.assertIn(done.returncode, (1, 2) if code is None else (code,), (args, done.stderr))
            self.assertTrue(done.stderr.strip(), args)
        acts = g.run("audit", "list").stdout
        for act in ("create", "tier", "suspend", "reissue", "forget"):
            self.assertIn(act, acts)
        self.assertNotIn(key, acts)
        g.run("audit", "check")
        self.assertEqual(g.stop(), 0)

    def test_another_users_folder_or_none(self):
        done = gatewaylib.run("keys", "list", "--state", self.dir / "nowhere", expect=1)
        self.assertIn("--state", done.stderr)
        self.assertFalse((self.dir / "nowhere").exists())
        (self.dir / "other").mkdir()
        (self.dir / "other" / "holiday.jpg").write_text("x")
        self.assertEqual(gatewaylib.run("keys", "list", "--state", self.dir / "other", expect=1).stdout, "")
        done = gatewaylib.run("serve", self.small_site(), "--state", self.dir / "other", expect=1)
        self.assertIn(str(self.dir / "other"), done.stderr)
        self.assertEqual(os.listdir(self.dir / "other"), ["holiday.jpg"])

    def test_usage(self):
        g = self.serve(self.small_site())
        key = g.create_key()
        for path, times in (("/v1/kumuh", 5), ("/v1/lama", 2)):
            for _ in range(times):
                self.assertEqual(g.get(path, key).status, 200)
        g.settled(7)
        text = wait_for("the counts", lambda: (lambda t: t if "kumuh,5" in t else None)(g.run("usage", "--by", "dataset", "--csv").stdout))
        self.assertEqual(sorted(text.split()[1:]), ["kumuh,5", "lama,2"])
        table = g.run("usage", "--by", "dataset,tier", "--lang", "en").stdout
        bars = {line.split()[0]: line.count("#") for line in table.splitlines() if "#" in line}
        self.assertGreater(bars["kumuh"], bars["lama"])
        self.assertRegex(table, r"(?m)^\s+7$")
        rows = json.loads(g.run("usage", "--by", "day,format", "--json").stdout)
        self.assertEqual(len({r["day"] for r in rows}), 1)
        today = rows[0]["day"]
        self.assertIn(today, g.run("usage", "--by", "day", "--from", today, "--to", today, "--csv").stdout)
        self.assertNotIn("kumuh", g.run("usage", "--from", "2001-01-01", "--to", "2001-01-02", "--csv").stdout)
        self.assertEqual(g.run("usage", "--by", "wat", expect=None).returncode, 2)
        self.assertEqual(g.stop(), 0)
        self.assertIn("kumuh,5", g.run("usage", "--csv").stdout)  # the same without the service

    def test_check_and_status(self):
        site = self.small_site()
        g = self.serve(site)
        good = g.run("check", site, "--lang", "en", "--listen", f"127.0.0.1:{g.port}")
        for word in ("state", "disk", "clock", "time zone", "site", "module", "nginx"):
            self.assertRegex(good.stdout, rf"(?m)^ok +{word} ", good.stdout)
        self.assertNotRegex(good.stdout, r"(?m)^error")
        self.assertTrue(json.loads(g.run("status", "--json").stdout)[0]["running"])
        self.assertEqual(g.stop(), 0)
        self.assertFalse(json.loads(g.run("status", "--json").stdout)[0]["running"])
        g.run("check")
        g.state.chmod(0o755)
        self.assertRegex(g.run("check", "--lang", "en", expect=1).stdout, r"(?m)^error +state ")
        g.state.chmod(0o700)
        none = gatewaylib.run("check", site, "--state", self.dir / "none", "--lang", "id", expect=1)
        self.assertRegex(none.stdout, r"(?m)^kesalahan +keadaan +tidak ada folder keadaan.*--state FOLDER")
        self.assertEqual((none.stdout.count("kesalahan"), none.stderr), (1, ""), none.stdout)
        rows = json.loads(g.run("check", self.dir / "nothing", "--json", expect=1).stdout)
        self.assertIn("error", [r["result"] for r in rows if r["check"] == "site"])

    def test_what_the_system_refuses_is_told_in_the_language_asked_for(self):
        """A reason of the system's, and a failure with what to do, have no word of the other language."""
        blocked, rubbish, site = self.dir / "file", self.dir / "rubbish", self.small_site()
        blocked.write_text("x")
        rubbish.write_text("#\n0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEF\n")
        rubbish.chmod(0o600)
        for lang, none, part, failed, unusable in (
                ("id", "tidak ada berkas atau folder", "bukan folder", "membuat folder", "layanan tidak dapat dimulai: baris 2 berkas kunci {} bukan kunci: "),
                ("en", "there is no such file or folder", "is not a folder", "make folder", "the service cannot start: line 2 of the key file {} is not a key: ")):
            def refused(code, *args):
                return gatewaylib.run(*args, "--lang", lang, expect=code).stderr
            self.assertIn(none, refused(3, "backup", self.dir / "nowhere" / "backup", "--state", self.dir / "state"))
            self.assertIn(part, refused(2, "serve", site, "--state", blocked / "below" / "state"))
            self.assertRegex(refused(3, "restore", blocked, "--state", blocked / "below"), f"odp-gateway: {failed} {blocked}: .+; .+")
            said = refused(1, "serve", site, "--webhook-key", rubbish, "--state", self.dir / lang, "--nginx", "off", "--metrics", "off")
            self.assertIn(unusable.format(rubbish), said)
        g = self.serve(site)
        for lang, sentence, used, secret, damaged in (
                ("id", "setiap kunci ada di tempatnya", "sedang dipakai proses", "other/none tidak ada", "kosong"),
                ("en", "every key has its place", "is in use by process", "other/none is not there", "is empty")):
            self.assertIn(sentence, g.run("check", "--lang", lang, "--listen", f"127.0.0.1:{g.port}").stdout)
            self.assertIn(used, g.run("restore", blocked, "--lang", lang, expect=1).stderr)
            other = ("--state", self.dir / "other", "--lang", lang)
            said = gatewaylib.run("restore", blocked, *other, expect=1).stderr
            self.assertTrue(damaged in said and f"odp-gateway: {blocked}: " in said, said)
            said = gatewaylib.run("serve", site, "--content", "redirect=secure_link,https://x.example/,none", *other, expect=2).stderr
            self.assertIn(secret, said)
            gatewaylib.run("serve", site, "--metrics", "0.0.0.0", *other, expect=2)
        replica = self.dir / "replica"
        replica.mkdir(mode=0o700)
        (replica / "role").write_text("replica\n")
        self.assertIn("--writer URL", gatewaylib.run("serve", site, "--state", replica, "--nginx", "off", "--metrics", "off", expect=1).stderr)
        self.assertRegex(g.run("audit", "check", "--lang", "id").stdout, r"(?m)^Rantai utuh +ya$")
        self.assertRegex(g.run("status", "--lang", "id").stdout, r"(?m)^Keadaan kunci +active 0, rotated 0, ")

    # ---- where the bytes come from ----

    def origin(self, site, seen):
        """A plain store of files."""
        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                super().do_GET()

            def log_message(self, *args):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def test_proxy_to_a_store_of_files(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        site, seen = self.small_site(), []
        server = self.origin(site, seen)
        g = self.serve(site, "--content", f"proxy=http://127.0.0.1:{server.server_port}")
        key, control = g.create_key(), gatewaylib.control_of(site)
        seen.clear()
        for _ in range(2):
            answer = g.get("/v1/kumuh", key, headers=["Cookie: a=b", "Accept-Encoding: gzip"])
            self.assertEqual((answer.status, answer.get("etag")), (200, control["v1/kumuh.json.gz"]["etag"]), answer)
            self.assertEqual(answer.body, (site / "v1/kumuh.json.gz").read_bytes())
            self.assertEqual(answer.get("content-encoding"), "gzip")
        self.assertEqual([path for path, _ in seen], ["/v1/kumuh.json.gz"])  # the second was nginx's
        for _, headers in seen:
            self.assertFalse({"authorization", "cookie", "x-forwarded-for"} & set(headers), headers)
        answer = g.get("/v1/besar", key, headers=["Range: bytes=10-19"])
        self.assertEqual((answer.status, answer.body), (206, (site / "v1/besar.json").read_bytes()[10:20]), answer)
        self.problem(g.get("/v1/kumuh"), 401, "key-missing")
        self.assertEqual(g.get("/v1/kumuh", key, headers=[f"If-None-Match: {control['v1/kumuh.json']['etag']}"]).status, 304)
        for path in ("/control", "/search/kumuh-0.sqlite", "/v1/nothing"):
            self.assertEqual(g.get(path, key).status, 404)
        # The store goes away: what was fetched is still served, the rest is a problem document.
        server.shutdown()
        server.server_close()
        self.assertEqual(g.get("/v1/kumuh", key, headers=["Accept-Encoding: gzip"]).status, 200)
        answer = g.get("/v1/lama", key)
        self.assertIn(answer.status, (502, 503, 504), answer)
        self.assertEqual(answer.get("content-type"), "application/problem+json")
        self.assertEqual(g.stop(), 0)

    def test_signed_redirects(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        secret = self.dir / "secret"
        secret.write_text("rahasia\n")
        secret.chmod(0o600)
        site = self.small_site()
        for mode, wants in ((f"secure_link,https://cdn.example.org/situs,{secret},ttl=60s", ("md5=", "expires=")),
                            (f"s3,https://s3.example.org/ember,region=id-1,access_key=AK,{secret}", ("X-Amz-Signature=", "X-Amz-Expires=300"))):
            with self.subTest(mode=mode):
                g = self.serve(site, "--content", f"redirect={mode}", state="state-" + mode[:2])
                answer = g.get("/v1/kumuh", g.create_key())
                self.assertEqual(answer.status, 302, answer)
                self.assertIn("/v1/kumuh.json", answer.get("location"))
                for want in wants:
                    self.assertIn(want, answer.get("location"))
                self.assertNotIn("rahasia", answer.get("location"))
                self.problem(g.get("/v1/kumuh"), 401, "key-missing")
                self.assertEqual(g.stop(), 0)

    @odp.unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_root_becomes_another_user(self):
        """Service and workers have neither root's user, groups nor capabilities, and can get none by what they start."""
        for folder in (self.dir, *self.dir.parents):
            folder.chmod(folder.stat().st_mode | 0o011) if folder == self.dir else None
        site = self.small_site()
        for path in (self.dir / "builds").rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        (self.dir / "builds").chmod(0o755)
        g = self.serve(site, "--user", "nobody")
        self.assertEqual(g.get("/v1/openapi.json").status, 200)
        for pid in (self.service_of(g), *g.nginx_workers()):
            status = dict(line.split(":\t", 1) for line in open(f"/proc/{pid}/status").read().splitlines() if ":\t" in line)
            self.assertEqual(set(status["Uid"].split()), {str(pwd.getpwnam("nobody").pw_uid)}, pid)
            self.assertNotIn("0", status["Groups"].split() + status["Gid"].split(), pid)
            self.assertEqual((int(status["CapEff"], 16), int(status["CapPrm"], 16), status["NoNewPrivs"]), (0, 0, "1"), pid)
        for path in ("cursor.key", "webhook.key"):
            found = (g.state / path).stat()
            self.assertEqual((found.st_mode & 0o7777, found.st_uid), (0o600, pwd.getpwnam("nobody").pw_uid))
        self.assertEqual(g.stop(), 0)

    def test_modes_need_the_module(self):
        done = gatewaylib.run("serve", self.small_site(), "--state", self.dir / "state", "--listen", f"127.0.0.1:{gatewaylib.free_port()}",
                              "--content", "proxy=https://cdn.example.org", "--module", "off", "--lang", "en", expect=2)
        self.assertIn("module", done.stderr)

    # ---- children ----

    def service_of(self, g):
        master = g.nginx_master()
        return next(p for p in gatewaylib.children_of(g.process.pid) if p != master)

    def test_killed_service_comes_back_and_reads_go_on(self):
        g = self.serve(self.small_site())
        key, old = g.create_key(), self.service_of(g)
        os.kill(old, signal.SIGKILL)
        self.assertEqual(g.get("/v1/kumuh", key).status, 200)
        answer = g.post("/auth/register", {"name": "A", "email": "a@example.org"})
        self.assertIn(answer.status, (201, 503), answer)
        wait_for("the service", lambda: gatewaylib.children_of(g.process.pid) and len(gatewaylib.children_of(g.process.pid)) == 2 and self.service_of(g) != old
                 and g.post("/auth/register", {"name": "B", "email": "b@example.org"}).status in (201, 409))
        self.assertEqual(g.get("/v1/kumuh", key).status, 200)
        self.assertEqual(g.stop(), 0)
        self.nothing_left(g)

    def test_killed_nginx_ends_all(self):
        g = self.serve(self.small_site())
        os.kill(g.nginx_master(), signal.SIGKILL)
        self.assertEqual(g.wait(), 3)
        self.nothing_left(g)

    def test_killed_parent_leaves_nothing_and_the_next_start_works(self):
        socket_path = self.dir / "odp.sock"
        g = self.serve(self.small_site(), "--listen", f"unix:{socket_path}")
        g.process.kill()
        g.process.wait()
        self.nothing_left(g)
        g.start()
        self.assertTrue(socket_path.is_socket())
        self.assertEqual(g.get("/v1/").status, 200)
        self.assertEqual(g.stop(), 0)
        self.assertFalse(socket_path.exists())

    def test_logs_are_opened_again(self):
        g = self.serve(self.small_site())
        log = g.state / "nginx" / "access.log"
        log.rename(f"{log}.1")
        g.send_signal(signal.SIGUSR1)
        wait_for("a new log", log.exists)
        key = g.create_key()
        g.get("/v1/kumuh", key)
        line = json.loads(wait_for("a line", lambda: log.read_text().splitlines())[-1])
        self.assertEqual((line["method"], line["uri"], line["status"], line["key"], line["tier"], line["dataset"], line["code"]),
                         ("GET", "/v1/kumuh", 200, key[:14], "government", "kumuh", ""))
        self.assertEqual(line["client"], "127.0.0.1")
        self.assertEqual(g.stop(), 0)

    def test_service_alone(self):
        g = gatewaylib.Gateway(self.small_site(), self.dir / "state", "--nginx", "off")
        self.addCleanup(g.destroy)
        g.start(wait=False)
        wait_for("the service", lambda: "/metrics" in g.log_text())
        self.assertRegex(g.create_key(), KEY)
        self.assertFalse((g.state / "nginx.conf").exists())
        self.assertEqual(g.stop(), 0)


class Pull(odp.Case):
    """pull: whole or not at all."""

    def setUp(self):
        super().setUp()
        self.catalogue("proyek", "kontraktor")
        self.site = self.dir / "site"
        self.odp("build", "--out", self.site, "--quiet")
        self.assertTrue((self.site / "gateway.json").exists())

    def serve(self, hidden=(), seen=None):
        """The site over HTTP; paths in HIDDEN are 403. SEEN collects what was asked for."""
        site = self.site

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if seen is not None:
                    seen.append(self.path)
                if self.path.lstrip("/") in hidden:
                    self.send_error(403)
                else:
                    try:
                        super().do_GET()
                    except (BrokenPipeError, ConnectionResetError):
                        pass  # pull stops at the first fault

            def log_message(self, *args):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/"

    def pull(self, url, expect=0, *more):
        return gatewaylib.run("pull", url, "--to", self.dir / "mirror", "--lang", "en", *more, expect=expect)

    def change(self):
        """Another build of the site."""
        path = self.dir / "catalog" / "portal.json"
        portal = odp.read_json(path)
        portal["tiers"][0]["daily"] += 1
        path.write_text(json.dumps(portal))
        self.odp("build", "--out", self.site, "--quiet")

    def test_file_and_http(self):
        for url in (f"file://{self.site}/", self.serve()):
            shutil.rmtree(self.dir / "mirror.builds", ignore_errors=True)
            (self.dir / "mirror").unlink(missing_ok=True)
            self.pull(url)
            self.assertEqual(odp.digests(self.site), odp.digests(self.dir / "mirror"))
            self.assertTrue((self.dir / "mirror").is_symlink())
            self.assertFalse((self.dir / "mirror.builds/.pull").exists())

    def test_only_what_changed(self):
        seen = []
        url = self.serve(seen=seen)
        self.pull(url)
        before = os.path.realpath(self.dir / "mirror")
        seen.clear()
        self.pull(url)
        self.assertEqual(seen, ["/manifest.json"])
        self.change()
        seen.clear()
        self.pull(url)
        after = os.path.realpath(self.dir / "mirror")
        self.assertNotEqual(before, after)
        self.assertEqual(odp.digests(self.site), odp.digests(after))
        self.assertIn("/gateway.json", seen)
        self.assertLess(len(seen), 29, seen)
        self.assertEqual(os.stat(f"{before}/v1/proyek.json").st_ino, os.stat(f"{after}/v1/proyek.json").st_ino)
        for _ in range(3):
            self.change()
            self.pull(url, 0, "--keep", "2")
        self.assertEqual(len([p for p in os.listdir(self.dir / "mirror.builds") if len(p) == 64]), 2)

    def test_internal_files_that_are_not_served(self):
        url = self.serve(hidden={"control", "gateway.json"})
        done = self.pull(url, 1)
        self.assertRegex(done.stderr, r"internal")
        self.assertIn("--internal", done.stderr)
        self.assertFalse((self.dir / "mirror").exists())
        self.pull(url, 0, "--internal", f"file://{self.site}")
        self.assertEqual(odp.digests(self.site), odp.digests(self.dir / "mirror"))

    def test_damage_on_the_way_leaves_the_old_site_and_is_taken_up_again(self):
        self.pull(f"file://{self.site}")
        old = odp.digests(self.dir / "mirror")
        self.change()
        real = os.path.realpath(self.site)
        for path in ("v1/proyek.json", "gateway.json"):
            os.chmod(f"{real}/{path}", 0o644)
        good = pathlib.Path(f"{real}/gateway.json").read_bytes()
        for bad in (good[:-1] + b"x", good + b"\n", good[:-1], b""):
            pathlib.Path(f"{real}/gateway.json").write_bytes(bad)
            self.assertIn("gateway.json", self.pull(self.serve(), 1).stderr)
            self.assertEqual(odp.digests(self.dir / "mirror"), old)
        pathlib.Path(f"{real}/gateway.json").write_bytes(good)
        self.pull(self.serve())
        self.assertEqual(odp.digests(self.site), odp.digests(self.dir / "mirror"))
        self.assertEqual([p for p in os.listdir(self.dir / "mirror.builds") if p.startswith(".stage")], [])

    def test_a_broken_pull_goes_on(self):
        seen = []
        url = self.serve(hidden={"v1/proyek.json"}, seen=seen)
        self.pull(url, 1)
        first = set(seen)
        seen.clear()
        self.pull(self.serve(seen=seen))
        self.assertEqual(odp.digests(self.site), odp.digests(self.dir / "mirror"))
        self.assertLess(len(set(seen) & first), len(first), "nothing was taken from the first run")

    def test_hostile_manifests(self):
        real = pathlib.Path(os.path.realpath(self.site)) / "manifest.json"
        os.chmod(real, 0o644)
        manifest = odp.read_json(real)
        for path in ("../../escaped", "/tmp/escaped", "v1/../../escaped", "a\\b"):
            document = {"files": sorted([*manifest["files"], {**manifest["files"][0], "path": path}], key=lambda f: f["path"].encode())}
            real.write_text(json.dumps(document))
            self.pull(self.serve(), 1)
            self.assertFalse((self.dir / "mirror").exists())
        self.assertFalse((self.dir / "escaped").exists())
        real.write_text(json.dumps(manifest))
        self.assertIn("max-site", self.pull(self.serve(), 1, "--max-site", "1k").stderr)

    def test_wrong_targets(self):
        (self.dir / "mirror").mkdir()
        (self.dir / "mirror" / "precious").write_text("x")
        self.pull(f"file://{self.site}", 1)
        self.assertTrue((self.dir / "mirror" / "precious").exists())
        for args in (["ftp://x/", "--to", "y"], ["https://x/"], ["http://127.0.0.1:1/", "--to", self.dir / "z"]):
            self.assertNotEqual(gatewaylib.run("pull", *args, expect=None).returncode, 0)


class Units(odp.Case):
    def test_systemd_reads_them(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        for unit in sorted((odp.SOURCE / "tools/odp-gateway/packaging/systemd").iterdir()):
            text = unit.read_text().replace("/usr/bin/odp-gateway", gatewaylib.PROGRAM)
            (self.dir / unit.name).write_text(text)
        for unit in sorted(self.dir.glob("odp-*")):
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
            faults = [line for line in done.stderr.splitlines() if unit.name in line]
            self.assertEqual(faults, [])

    def test_systemd_closes_what_costs_nothing(self):
        """Nobody opens a unit again without a reason that stands here."""
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        for name, most in (("odp-gateway.service", 1.7), ("odp-pull.service", 1.3)):
            done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", odp.SOURCE / "tools/odp-gateway/packaging/systemd" / name], capture_output=True, text=True)
            found = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
            if found is None:
                self.skipTest("this systemd-analyze has no --offline")
            self.assertLessEqual(float(found[1]), most, done.stdout)

    def test_manual(self):
        page = odp.SOURCE / "tools/odp-gateway/odp-gateway.1"
        text = page.read_text()
        for name in COMMANDS:
            self.assertIn(name, text)
        for option in re.findall(r"(?m)^  --([a-z-]+)", "".join(gatewaylib.run(c, "--help").stdout for c in COMMANDS)):
            self.assertIn(f"Fl -{option}", text, f"--{option} is not in the manual")
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    gatewaylib.main()
