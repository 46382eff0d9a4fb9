"""A running gateway whose ground is taken away: floods, clients that never finish, the service killed, the key table cut, turned and exchanged, Redis gone, emptied and lying,
reloads in a row, secrets that are open to others or replaced under way. Counted as in gateway_abuse.py: tried, survived, let in. Deep: minutes, not seconds."""
import base64
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time

import abuselib
import gatewaylib
from abuselib import saw, wait_for
from gatewaylib import Connection


class Floods(abuselib.Abuse):
    def test_registrations(self):
        """One client asks for 600 keys: he gets the hour's 20, whatever address he claims; what is stored stays small, and reads go on."""
        g = self.start()
        issued, statuses = 0, {}
        for n in range(600):
            answer = self.post("/auth/register", {"name": "A", "email": f"a{n}@example.org"}, f"X-Forwarded-For: 203.0.113.{n % 250}", f"X-Odp-Client: 203.0.113.{n % 250}")
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
            issued += answer.status == 201
            self.tried("registrations", n, str(answer) if issued > 20 else None, survived=None if n % 20 == 0 else answer.status in (201, 429))
        self.assertEqual(statuses, {201: 20, 429: 580})
        self.assertEqual(len(json.loads(g.run("keys", "list", "--json").stdout)), 21)
        self.verdict()

    def test_who_is_registered(self):
        """An address that is taken is told to be (409): who asks for many addresses has the same 20 an hour for that."""
        g = self.start()
        self.assertEqual(self.post("/auth/register", {"name": "A", "email": "ada@example.org"}).status, 201)
        gatewaylib.confirm_address(g.state, "ada@example.org")
        told = 1
        for n in range(100):
            answer = self.post("/auth/register", {"name": "A", "email": "ada@example.org" if n % 2 else f"b{n}@example.org"})
            told += answer.status in (201, 409)
            self.tried("enumeration", n, str(answer) if told > 20 else None, survived=answer.status in (201, 409, 429))
        self.verdict()

    def test_slow_clients(self):
        """Headers and bodies that trickle, on 600 connections; everybody else is served, and each of them is ended by the gateway."""
        g = self.start()
        heads = (f"GET /v1/kumuh HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.key}\r\nX-Slow: ", "POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{",
                 f"POST /v1/kumuh/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.key}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{{",
                 "POST /auth/register HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n")
        slow = []
        self.addCleanup(lambda: [s.close() for s in slow])
        for n in range(600):
            s = socket.create_connection(("127.0.0.1", g.port), gatewaylib.PATIENCE)
            s.sendall(heads[n % len(heads)].encode())
            s.setblocking(False)
            slow.append(s)
        for n in range(10):
            for s in slow:
                try:
                    s.send(b"a")
                except OSError:
                    pass
            self.tried("slow clients", n, None)
        left = list(slow)

        def ended():
            for s in list(left):
                try:
                    if s.recv(65536) == b"":
                        left.remove(s)
                except BlockingIOError:
                    pass
                except OSError:
                    left.remove(s)
            return not left
        wait_for("all slow clients to be ended", ended, 120)
        self.tried("slow clients", "after all", None)
        self.verdict()

    def test_huge(self):
        g = self.start()
        small = {"name": "A", "email": "x@example.org"}
        bodies = {"1 MB of JSON": json.dumps({**small, "purpose": "x" * 1000000}), "nested": "[" * 15000, "nested objects": '{"a":' * 3000, "a long number": '{"name":' + "9" * 15000 + "}",
                  "many members": json.dumps({f"m{n}": n for n in range(1000)}), "many parameters": "&".join(f"a{n}=1" for n in range(2000)), "all NUL": "\0" * 10000}
        attacks = []
        for door, auth in (("/auth/register", ""), ("/v1/kumuh/search", f"Authorization: Bearer {self.key}\r\n"), ("/v1/webhooks", f"Authorization: Bearer {self.key}\r\n")):
            for kind in ("application/json", "application/x-www-form-urlencoded"):
                for name, body in bodies.items():
                    head = f"POST {door} HTTP/1.1\r\nHost: x\r\n{auth}Content-Type: {kind}\r\nConnection: close\r\n"
                    attacks.append((f"{door} {kind} {name}", f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()))
                    pieces = "".join(f"{len(body[n:n + 8000]):x}\r\n{body[n:n + 8000]}\r\n" for n in range(0, len(body), 8000))
                    attacks.append((f"{door} {kind} {name}, in chunks", f"{head}Transfer-Encoding: chunked\r\n\r\n{pieces}0\r\n\r\n".encode()))
        attacks += [(f"filter {name}", f"GET /v1/kumuh?filter={text} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.key}\r\nConnection: close\r\n\r\n".encode())
                    for name, text in (("parentheses", "(" * 5000), ("not", "NOT%20" * 1200), ("or", "%20OR%20".join(["skor=1"] * 600)), ("in", "skor%20IN%20(" + ",".join(["1"] * 3000) + ")"),
                                       ("like", "nama_kawasan%20LIKE%20'" + "%25a" * 1500 + "'"))]

        def judge(name, answer):
            status = answer[9:12]
            return answer[:200] if status in (b"201", b"500", b"502", b"504") or (b"filter" not in name.encode() and saw(answer)) else None
        self.volley("huge", attacks, judge)
        self.verdict()


class Ground(abuselib.Abuse):
    def service_of(self):
        return next(p for p in gatewaylib.children_of(self.g.process.pid) if p != self.g.nginx_master())

    def test_service_killed(self):
        """Files go on, with keys checked and counted; what only the service can answer is a 503; nobody is let in meanwhile."""
        g = self.start()
        self.restarts = True
        for n in range(4):
            pid = self.service_of()
            os.kill(pid, signal.SIGKILL)
            page, static = g.get("/v1/kumuh", self.key), g.get("/v1/openapi.json")
            self.assertEqual((page.status, page.body, static.status), (200, self.page, 200))
            for path in ("/v1/kumuh", "/v1/kumuh?limit=1", "/v1/kumuh/search", "/auth/key"):
                answer = g.get(path, gatewaylib.make_key())
                self.tried("service killed", f"{n} {path}", saw(answer.body) or (str(answer) if answer.status < 400 else None), survived=answer.status in (401, 503))
            for path in ("/v1/kumuh?limit=1", "/auth/tiers"):
                answer = g.get(path, self.key)
                self.assertIn(answer.status, (200, 503), answer)
            wait_for("the service again", self.alive_again)
            self.tried("service killed", f"{n} after", None)
        self.verdict()

    def alive_again(self):
        try:
            return self.alive()
        except (OSError, AssertionError, ValueError, Connection.Unanswered):
            return False

    def outsiders(self, group, name):
        """Nobody gets in: without a key, with one that nobody issued, with one that was suspended."""
        for key in (None, gatewaylib.make_key(), self.closed):
            try:
                answer = self.g.get("/v1/kumuh", key)
            except (OSError, Connection.Unanswered, AssertionError):
                continue  # a worker that was under way
            if answer.status < 400 or saw(answer.body):
                self.tally.let_in.append((group, name, answer))

    def damage(self, group, name, act, heals):
        """ACT on the table of the running gateway; public files are served whatever it was. HEALS: by itself, which the service must have said; else with the next start."""
        g, said = self.g, self.g.log_text().count("makes it anew from the store")
        act(g.state / "keys.table")
        for _ in range(3):
            self.outsiders(group, name)
        wait_for("public files", self.public)
        if heals:
            wait_for(f"{name}: the service to see it", lambda: "signal" in self.errors() or g.log_text().count("makes it anew from the store") > said)
            wait_for(f"{name}: the gateway to be well again", self.alive_again)
            self.outsiders(group, name)
        g.stop()
        g.start()
        self.outsiders(group, name)
        self.tried(group, name, None)

    def test_store_taken_away(self):
        """The store's files are removed or renamed under the running service while people register: who was told of a key has it, also after everything was killed."""
        g = self.start("--registrations", "0")
        self.restarts, told = True, {}
        store = g.state / "store.sqlite"

        def remove(pattern):
            for path in g.state.glob(pattern):
                path.unlink()

        def register(name, count):
            """How many were told of a key; the others were refused."""
            for n in range(count):
                answer = self.post("/auth/register", {"name": "A", "email": f"a{len(told)}.{n}@example.org"})
                self.assertIn(answer.status, (201, 503), answer)
                self.assertTrue(answer.json()["data" if answer.status == 201 else "detail"])
                if answer.status == 201:
                    told[answer.json()["data"][0]["key"]] = name
        for name, act in (("all of it", lambda: remove("store.sqlite*")), ("the store", lambda: remove("store.sqlite")), ("its log", lambda: remove("store.sqlite-wal")),
                          ("renamed", lambda: store.rename(g.state / "other"))):
            register(name, 3)
            pid = self.service_of()
            act()
            register(name, 10)
            wait_for(f"the service to end after: {name}", lambda: pid not in gatewaylib.children_of(g.process.pid))
            wait_for("the service again", self.alive_again)
            register(name, 3)
            g.process.kill()
            g.process.wait()
            wait_for("all to end", lambda: not g.processes())
            g.start()
            wait_for("the service again", self.alive_again)
            for key in told:
                self.tried("store taken away", f"{name}: {told[key]}", None, survived=g.get("/v1/kumuh", key).status == 200)
            self.assertIn("taken away or exchanged", g.log_text())
        self.assertGreaterEqual(len(told), 24)
        self.verdict()

    def test_sockets_taken_away(self):
        """The service's sockets are removed under it: it makes them anew by itself, and reads go on meanwhile."""
        g = self.start()
        self.restarts = True
        for name in ("service", "query", "control"):
            (g.state / "run" / f"{name}.sock").unlink()
            page = g.get("/v1/kumuh", self.key)
            self.assertEqual((page.status, page.body), (200, self.page))
            wait_for(f"{name}.sock", lambda: (g.state / "run" / f"{name}.sock").exists() and self.alive_again())
            self.tried("sockets taken away", name, None)
            self.assertIn(f"{name}.sock was taken away", g.log_text())
            g.create_key("public")
        self.verdict()

    def public(self):
        try:
            return self.g.get("/v1/openapi.json").status == 200
        except (OSError, Connection.Unanswered, AssertionError):
            return False

    def test_table(self):
        """The key table's bytes turned, the file cut under the feet of those who map it, exchanged for others: nobody gets in, files go on, and the store makes it new."""
        g = self.start()
        self.closed = g.create_key("public")
        g.run("keys", "suspend", self.closed[:14])
        wait_for("the suspension", lambda: g.get("/v1/kumuh", self.closed).status == 403)
        self.restarts = self.cut = True
        rng = random.Random(11)

        def turn(path, where):
            with open(path, "r+b") as f:
                for at in where:
                    f.seek(at)
                    byte = f.read(1)
                    f.seek(at)
                    f.write(bytes([(byte or b"\0")[0] ^ (1 << rng.randrange(8))]))
        size = (g.state / "keys.table").stat().st_size
        records = [n for n in range(size - 128 * 4000000, size - 128 * 4000000 + 512)] if size > 128 * 4000000 else list(range(4096, 4608))
        for n in range(12):
            where = rng.sample(range(4096), 3) if n % 2 else rng.sample(records, 8)
            self.damage("table, bits", f"{n} {where}", lambda p: turn(p, where), heals=False)

        def cut(path, length):
            os.truncate(path, length)
        for length in (0, 1, 4095, 4096, 5000, size // 2, size - 1):
            self.damage("table, cut", length, lambda p: cut(p, length), heals=True)

        def exchange(path, make):
            fresh = path.with_name("fresh")
            make(fresh)
            os.chmod(fresh, 0o600) if fresh.exists() else None
            os.replace(fresh, path)
        others = {"empty": lambda p: p.write_bytes(b""), "random": lambda p: p.write_bytes(os.urandom(100000)), "text": lambda p: p.write_text("{}\n" * 9000), "its head alone": self.head,
                  "a store": lambda p: shutil.copy(g.state / "store.sqlite", p)}
        for name, make in others.items():
            self.damage("table, exchanged", name, lambda p: exchange(p, make), heals=True)
        self.damage("table, exchanged", "removed", lambda p: p.unlink(), heals=True)
        self.verdict()

    def head(self, path):
        with open(self.g.state / "keys.table", "rb") as f:
            path.write_bytes(f.read(8192))

    def test_reloads(self):
        """200 reloads in a row, under load: no request fails, nobody gets in, no process is left over."""
        g = self.start()
        self.restarts = True
        failed, done, over = [], [0], threading.Event()

        def load():
            while not over.is_set():
                try:
                    a, b = g.get("/v1/kumuh", self.key), g.get("/v1/kumuh", gatewaylib.make_key())
                    done[0] += 1
                    if (a.status, b.status) != (200, 401):
                        failed.append((a, b))
                except (OSError, AssertionError, Connection.Unanswered) as e:
                    failed.append(repr(e))
        thread = threading.Thread(target=load)
        thread.start()
        try:
            for n in range(200):
                g.send_signal(signal.SIGHUP)
                time.sleep(0.02)
                self.tally.count("reloads", g.process.poll() is None)
        finally:
            over.set()
            thread.join()
        self.assertGreater(done[0], 0)
        self.assertEqual(failed[:3], [], f"{len(failed)} of {done[0]}")
        wait_for("old workers to go", lambda: len(g.nginx_workers()) == g.workers, 120)
        self.tried("reloads", "after all", None)
        self.verdict()


class Redis(abuselib.Abuse):
    def setUp(self):
        if not shutil.which("redis-server"):
            self.skipTest("redis-server is not installed")
        super().setUp()
        self.socket, self.process = self.dir / "redis.sock", None
        self.addCleanup(self.redis_stop)

    def redis_start(self, password="satu"):
        arguments = ["redis-server", "--port", "0", "--save", "", "--appendonly", "no", "--dir", self.dir, "--unixsocket", self.socket, "--requirepass", password]
        self.process = subprocess.Popen(list(map(str, arguments)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("redis-server", lambda: self.says(password, "PING") == b"+PONG")

    def redis_stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def says(self, password, *words):
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(5)
                s.connect(str(self.socket))
                for command in (("AUTH", password), words):
                    s.sendall(f"*{len(command)}\r\n".encode() + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (c if isinstance(c, bytes) else c.encode() for c in command)))
                    answer = s.recv(65536).split(b"\r\n")[0]
                return answer
        except OSError:
            return None

    def connected(self):
        return self.g.metrics().get("odp_redis_connected") == 1

    def test_redis(self):
        """Gone and back, emptied, full of rubbish, with another password: reads and counts go on, nothing that stands in it lets anybody in, and nothing is counted twice."""
        secret = self.dir / "redis.secret"
        secret.write_text("satu\n")
        secret.chmod(0o600)
        self.redis_start()
        g = self.start("--redis", f"unix:{self.socket}", "--redis-secret", secret, "--machine", "a")
        small = g.create_key("public")
        wait_for("Redis", self.connected)

        def spend(name):
            self.assertEqual(g.get("/v1/kumuh", small).status, 200)
            answer = g.get("/v1/kumuh", gatewaylib.make_key())
            self.tried("Redis", name, str(answer) if answer.status < 400 else None)
        forged = gatewaylib.make_key()
        digest = hashlib.sha256(forged.encode())
        for n in range(3):
            self.redis_stop()
            spend(f"gone {n}")
            self.redis_start()
            wait_for("Redis again", self.connected)
            spend(f"back {n}")
            self.assertEqual(self.says("satu", "FLUSHALL"), b"+OK")
            spend(f"emptied {n}")
        rubbish = (b"", b"\0" * 500, b"x" * 100000, b"1 2 3 4 5 6 7 8", b"{}", os.urandom(300), b"99999999999999999999 1 active government", b"-1")
        for n, text in enumerate(rubbish):
            for field in (digest.digest(), digest.hexdigest(), "x"):
                self.says("satu", "HSET", "odp:keys", field, text)
            self.says("satu", "ZADD", "odp:keys:order", "1", text)
            self.says("satu", "HSET", f"odp:count:{n}:b~x", "1", text)
            self.says("satu", "HSET", f"odp:count:{n}:b~x", "!", text)
            self.says("satu", "HSET", "odp:keys", "!", text)
            self.says("satu", "HSET", "odp:machines", text[:100], text)
            spend(f"rubbish {n}")
            answer = g.get("/v1/kumuh", forged)
            self.tried("Redis", f"forged {n}", str(answer) if answer.status < 400 else None)
        for key in ("odp:keys", "odp:keys:order", "odp:machines", "odp:epoch", "odp:writer"):
            self.says("satu", "DEL", key)
            self.says("satu", "SADD", key, "x")
            spend(f"another type: {key}")
        self.assertEqual(self.says("satu", "FLUSHALL"), b"+OK")
        # The password is replaced: both are known for a while, first here, then there; the exchange goes on.
        gatewaylib.run("secrets", "replace", "redis", "--file", secret, "--new", self.write("dua\n"), "--grace", "1h")
        self.redis_stop()
        self.redis_start()
        wait_for("Redis with the old password", self.connected)
        self.redis_stop()
        self.redis_start("dua")
        wait_for("Redis with the new password", self.connected)
        spend("another password")
        self.redis_stop()
        self.redis_start("tiga")
        spend("a password that we do not have")
        wait_for("the refusal to be told", lambda: "WRONGPASS" in g.log_text())
        self.assertNotIn("satu", g.log_text().replace("satu mesin", ""))
        spent = sum(n for group, n in self.tally.tried.items()) - len(rubbish)
        self.assertEqual(g.get("/auth/key", small).json()["data"][0]["used"], spent)
        self.verdict()

    def write(self, text):
        path = self.dir / "word"
        path.write_text(text)
        return path


class Secrets(abuselib.Abuse):
    def test_open_to_others(self):
        """No secret's file that others may read or write, that is somebody else's, or that is a link, is taken; the sentence is in the operator's language."""
        file = self.dir / "secret"
        word = base64.b64encode(os.urandom(32)).decode() + "\n"
        state = self.dir / "state"
        state.mkdir(mode=0o700)
        (state / "role").write_text("writer\n")
        options = {"cursor": ("--cursor-secret", file), "redis": ("--redis", "127.0.0.1:1", "--redis-secret", file), "webhook": ("--webhook-key", file),
                   "redirect": ("--content", f"redirect=secure_link,https://cdn.example.org,{file}"), "state": ()}

        def refused(name, *words):
            for lang, word in zip(("id", "en"), words):
                done = gatewaylib.run("serve", self.site, "--state", state, "--listen", f"127.0.0.1:{gatewaylib.free_port()}", "--metrics", "off", "--lang", lang, *options[kind], expect=None)
                self.tally.count("open secrets", done.returncode == 2 and word in done.stderr)
                if done.returncode == 0:
                    self.tally.let_in.append(("open secrets", kind, name))
                self.assertIn(word, done.stderr, (kind, name))
                self.assertNotIn(word.strip()[:20] if len(word) > 40 else "\0", done.stderr)
        for kind in options:
            target = file if kind != "state" else state / "cursor.key"
            for mode in (0o640, 0o604, 0o620, 0o602, 0o644, 0o666):
                target.write_text(word)
                target.chmod(mode)
                refused(oct(mode), "terbuka bagi pengguna lain", "open to others")
            target.unlink()
            target.with_name("real").write_text(word)
            target.symlink_to(target.with_name("real"))
            refused("link", "tautan simbolik", "symbolic link")
            target.unlink()
            if os.geteuid() == 0:
                target.write_text(word)
                target.chmod(0o600)
                os.chown(target, 12345, 12345)
                refused("another's", "milik pengguna 12345", "belongs to user 12345")
                target.unlink()
        self.verdict_of_commands()

    def verdict_of_commands(self):
        print(*self.tally.lines(), sep="\n", file=abuselib.sys.stderr)
        self.assertEqual(self.tally.let_in, [])
        self.assertEqual(self.tally.tried, self.tally.survived)

    def test_cursor_secret_replaced(self):
        """While it runs: what the old one signed is good until its end, then 410; the new one signs at once; a file that cannot be read changes nothing."""
        g = self.start()

        def page(path="/v1/kumuh?limit=3"):
            return g.get(path, self.key)

        def following(answer):
            return "/v1/" + answer.json()["links"]["next"]
        first = page()
        old = following(first)
        g.run("secrets", "replace", "cursor", "--grace", "1h")
        wait_for("the new secret", lambda: following(page())[:60] != old[:60])
        new = following(page())
        self.assertEqual((page(old).status, page(new).status), (200, 200))
        self.assertNotEqual(page().get("etag"), first.get("etag"))  # the bytes are others: links are signed anew
        path = g.state / "cursor.key"
        good = path.read_text()
        for name, text in (("empty", ""), ("damaged", good[:60]), ("all ended", "".join(f"{line.split()[0]} until 2020-01-01T00:00:00Z\n" for line in good.splitlines() if line[0] != "#"))):
            path.write_text(text)
            wait_for("the complaint", lambda: g.log_text().count("the secrets before stay") > self.complaints(g, name))
            self.tried("cursor secret", name, None if page(old).status == page(new).status == 200 else "lost")
        path.chmod(0o644)
        wait_for("the complaint", lambda: "open to others" in g.log_text())
        path.unlink()
        path.write_text(good.replace(good.split(" until ")[1].split()[0], "2020-01-01T00:00:00Z"))
        path.chmod(0o600)
        answer = wait_for("the old one's end", lambda: (lambda a: a if a.status != 200 else None)(page(old)))
        self.problem(answer, 410, "cursor-expired")
        self.assertEqual(page(new).status, 200)
        self.tried("cursor secret", "ended", None)
        self.verdict()

    def complaints(self, g, name):
        """How many there were before NAME."""
        return {"empty": 0, "damaged": 1, "all ended": 2}[name]


if __name__ == "__main__":
    gatewaylib.main()
