"""Webhooks that are to be made a weapon: a running gateway with a DNS and a network of the test's own (names_shim.c). Every address that a name may lead to has a
receiver behind it, so a connection that should not be made is seen where it arrives, and in the shim's record."""
import json
import os
import shutil
import socket
import ssl
import subprocess
import time
import unittest

import gatewaylib
import odp
import webhooklib
from gatewaylib import wait_for

SHIM = gatewaylib.BINARY_DIR / "tests" / "libodp_names_shim.so"
# DEAD: nobody listens there; OWN: what the operator allows.
PUBLIC, SECOND, DEAD, OWN, V6 = "8.8.8.8", "9.9.9.9", "8.8.4.4", "10.20.0.5", "2606:4700::1111"
MAY_BE_CALLED = {PUBLIC, SECOND, DEAD, OWN, V6}
KEPT_S = 10  # a connection that nothing is sent on (service/webhooks/deliver/sender_transfer.c); a name's answer is kept for 5

# What must not be called though a name leads there. Each is an answer of the DNS.
FORBIDDEN = {
    "loopback": ["127.0.0.1", "127.8.9.10", "::1"],
    "unspecified": ["0.0.0.0", "::"],
    "private": ["10.1.2.3", "172.16.0.1", "172.31.255.254", "192.168.1.1"],
    "link-local": ["169.254.10.10", "fe80::1", "fe80::1%1", f"{V6}%1"],
    "shared": ["100.64.0.1", "100.127.255.254"],
    "unique-local": ["fc00::1", "fd00::1"],
    "metadata": ["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"],
    "mapped": ["::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254", f"::ffff:{PUBLIC}", f"::ffff:{OWN}"],
    "translated": ["::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::",
                   "2001:0:808:808::80ff:fffe"],
    "other": ["224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "2001:db8::1", "fec0::1", "ff02::1", "100::1"],
    # One that is refused comes first: nothing else is tried. (Of another order the public one is called, and it alone.)
    "mixed": [f"127.0.0.1,{PUBLIC}", f"10.1.2.3,{PUBLIC},{SECOND}", f"::1,{V6}", f"::ffff:127.0.0.1,{PUBLIC}", f"10.21.0.5,{OWN}",
              f"169.254.169.254,{PUBLIC},{OWN}"],
}


class Authority:
    """Certificates by openssl."""

    CONFIG = """
[req]
distinguished_name=dn
[dn]
[ca]
basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign
[leaf]
basicConstraints=critical,CA:FALSE
subjectAltName=${ENV::NAMES}
"""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        (folder / "openssl.cnf").write_text(self.CONFIG)
        self.file = self.make(f"ca-{name}", "ca")

    def make(self, name, kind, names="DNS:unused.example.org", *options):
        path = self.folder / name
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "30", "-subj", f"/CN={name}",
                        "-config", str(self.folder / "openssl.cnf"), "-extensions", kind, "-keyout", f"{path}.key", "-out", f"{path}.pem", *options],
                       env=dict(os.environ, NAMES=names), check=True, capture_output=True)
        return path.with_name(name + ".pem")

    def server(self, names):
        """What a TLS server with a certificate of NAMES needs."""
        name = f"{self.name}-{abs(hash(names))}"
        self.make(name, "leaf", names, "-CA", str(self.file), "-CAkey", str(self.file.with_suffix(".key")))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")
        return context


class Plain(webhooklib.Receiver):
    """Answers whatever comes with a 204 of plain HTTP."""

    def serve(self, connection):
        with connection:
            data = connection.recv(65536)
            if b"HTTP/1" in data:
                self.messages.append(data)
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


class Network:
    """The shim's files."""

    def __init__(self, folder):
        self.path, self.log, self.generation = folder / "names", folder / "names.log", 0
        self.names, self.ways = {}, {}
        self.log.touch()

    def environment(self):
        return {"LD_PRELOAD": str(SHIM), "ODP_NAMES": str(self.path), "ODP_NAMES_LOG": str(self.log)}

    def set(self, **answers):
        """NAME below uji.example.org leads to the answers of a list, one a question, or to one answer. What was asked before counts no more."""
        self.names.update({f"{name}.uji.example.org": [given] if isinstance(given, str) else given for name, given in answers.items()})
        self.generation += 1
        lines = [f"generation {self.generation}", *(f"to {a} {b}" for a, b in self.ways.items()),
                 *(f"{name} {one}" for name, given in self.names.items() for one in given)]
        new = self.path.with_suffix(".new")
        new.write_text("".join(line + "\n" for line in lines))
        new.rename(self.path)

    def happened(self):
        """[(what, which, more)], in order."""
        return [tuple(line.split(" ")) for line in self.log.read_text().splitlines()]

    def asked(self, name):
        return [more for what, which, more in self.happened() if what == "name" and which == f"{name}.uji.example.org"]

    def called(self, port=None):
        return [which for what, which, more in self.happened() if what == "connect" and (port is None or more == str(port))]


class Names(gatewaylib.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if gatewaylib.sanitized():
            raise unittest.SkipTest("a preloaded library and the sanitizers' runtimes do not go together")
        if not shutil.which("openssl"):
            raise unittest.SkipTest("openssl is not installed")
        assert SHIM.exists(), f"{SHIM} is not built: without it the gateway would ask and call others"

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("mini", "kode\nA\n", [{"name": "kode", "type": "string"}], {"schema": {"primaryKey": ["kode"]}})
        self.compile(out="site")
        self.network, self.ours, self.other = Network(self.dir), Authority(self.dir, "ours"), Authority(self.dir, "other")
        self.subscribed = 0

    def portal(self, tiers=None, **members):
        super().portal(tiers, **members)
        path = self.dir / "catalog" / "portal.json"
        portal = json.loads(path.read_text())
        for tier in portal["tiers"]:
            tier["webhooks"] = None
        path.write_text(json.dumps(portal))

    def receiver(self, names=None, authority=None):
        """Over https with a certificate of NAMES."""
        found = webhooklib.Receiver(tls=(authority or self.ours).server(names or "DNS:*.uji.example.org"))
        self.addCleanup(found.close)
        return found

    def start(self, *options, env=None, **answers):
        self.network.set(**answers)
        self.gateway = self.serve(self.dir / "site", "--webhook-ca", self.ours.file, *options, workers=1,
                                  env={**self.network.environment(), **(env or {})})
        self.key = self.gateway.create_key("government")
        return self.gateway

    def ask(self, path, method="GET", document=None, key=None):
        headers = ["Content-Type: application/json"] if document is not None else []
        body = json.dumps(document).encode() if document is not None else b""
        return self.gateway.get(path, key or self.key, method=method, headers=headers, body=body)

    def subscribe(self, url):
        """Its row. An account may make so many in an hour; then the next one does."""
        self.subscribed += 1
        if self.subscribed % 25 == 0:
            self.key = self.gateway.create_key("government")
        answer = self.ask("/v1/webhooks", "POST", {"url": url, "events": ["dataset.version.published"]})
        self.assertEqual(answer.status, 201, (url, answer))
        row = answer.json()["data"][0]
        row["key"] = self.key
        return row

    def attempts(self, row, kind=None):
        """[(status, outcome)] of all its attempts so far, oldest first."""
        answer = self.ask(f"/v1/webhooks/{row['id']}/deliveries", key=row["key"])
        self.assertEqual(answer.status, 200, answer)
        found = [a for d in reversed(answer.json()["data"]) if kind is None or d["type"] == kind for a in d["attempts"]]
        return [(a["status"], a["outcome"]) for a in found]

    def wait_attempts(self, row, count=1, kind=None):
        return wait_for(f"{count} attempts of {row['url']}", lambda: (lambda a: a if len(a) >= count else None)(self.attempts(row, kind)))

    def active(self, url):
        row = self.subscribe(url)
        wait_for(f"the confirmation of {url}", lambda: self.ask(f"/v1/webhooks/{row['id']}", key=row["key"]).json()["data"][0]["state"] == "active")
        return row

    def send_test(self, row):
        answer = self.ask(f"/v1/webhooks/{row['id']}/test", "POST", key=row["key"])
        self.assertEqual(answer.status, 202, answer)
        return answer.json()["data"][0]["delivery"]

    # ---- names ----

    def forbidden(self, port):
        """A subscription for each answer: {answer: row}."""
        answers = [a for of in FORBIDDEN.values() for a in of]
        self.network.set(**{f"tuju{n}": a for n, a in enumerate(answers)})
        return {a: self.subscribe(f"https://tuju{n}.uji.example.org:{port}/hook") for n, a in enumerate(answers)}

    def test_a_gateway_is_no_weapon(self):
        good, target, proxy = self.receiver(), self.receiver(), webhooklib.Receiver()
        self.addCleanup(proxy.close)
        # All ways lead to this machine: behind every address that must not be called stands TARGET, where nobody may arrive.
        listed = {a for of in FORBIDDEN.values() for one in of for a in one.split(",")}
        self.network.ways = {a: "127.0.0.1" for a in listed if "%" not in a and not a.startswith("127.")}
        self.network.ways.update({PUBLIC: "127.0.0.1", SECOND: "127.0.0.1", OWN: "127.0.0.1", V6: "127.0.0.1", DEAD: "127.255.255.254"})
        proxies = {name: proxy.url("") for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")}
        # Names that lead somewhere else while we look away.
        self.start("--webhook-allow", "10.20.0.0/16", "--webhook-allow", "127.0.0.0/8", "--webhook-allow", "::1", env=proxies,
                   baik=PUBLIC, pindah=PUBLIC, ulang=PUBLIC, dalam=[PUBLIC, "127.0.0.1"], dua=[f"{DEAD},{SECOND}", "127.0.0.1"], sendiri=OWN,
                   tiada="-", nanti="later")
        url = "https://{}.uji.example.org:" + str(good.port) + "/{}"
        rows = {name: self.active(url.format(name, name)) for name in ("baik", "pindah", "dua", "sendiri", "ulang", "dalam")}
        began = time.monotonic()
        challenge = good.to("/baik")[0]
        self.assertIsNone(webhooklib.verify(rows["baik"]["secret"], challenge.headers, challenge.body))
        self.assertEqual(challenge.headers["host"], f"baik.uji.example.org:{good.port}")
        # One question an attempt, and connections are made to what that one was answered, also where its first address is dead.
        self.assertEqual(self.network.asked("dalam"), [PUBLIC])
        self.assertEqual(self.network.asked("dua"), [f"{DEAD},{SECOND}"])
        self.assertEqual(self.network.called(good.port), [PUBLIC, PUBLIC, DEAD, SECOND, OWN, PUBLIC, PUBLIC])
        # Between two attempts: the first is refused, and from now on the name leads elsewhere. (For some seconds the answer is kept: what is sent then goes
        # to the address that was checked.)
        good.behave("/ulang", 500)
        self.send_test(rows["ulang"])
        self.assertEqual(self.wait_attempts(rows["ulang"], kind="webhook.test"), [(500, "refused")])
        self.network.set(pindah="127.0.0.1", ulang="127.0.0.1")
        good.behave("/ulang", "ok")
        # Between registration and delivery, and at the first question: every address that must not be called.
        self.wrong_certificates()
        self.redirects(good, target)
        for answer, row in self.forbidden(target.port).items():
            with self.subTest(answer=answer):
                self.assertEqual(set(self.wait_attempts(row)), {(None, "address-forbidden")})
        for name in ("tiada", "nanti"):
            with self.subTest(name=name):
                row = self.subscribe(f"https://{name}.uji.example.org:{target.port}/")
                self.assertEqual(set(self.wait_attempts(row)), {(None, "name-not-found")})
        if self.has_ipv6():
            self.network.set(enam=V6)
            self.active(url.format("enam", "enam"))
            self.assertEqual(self.network.called(good.port)[-1], V6)
        # The second attempt comes by itself: on the connection of the first, which leads where it was judged to lead, or not at all.
        self.assertIn(self.wait_attempts(rows["ulang"], 2, "webhook.test")[1], [(204, "delivered"), (200, "delivered"), (None, "address-forbidden")])
        began = time.monotonic()
        gatewaylib.wait_for("connections and answers of the DNS to be too old", lambda: time.monotonic() - began > KEPT_S + 1.1)  # libcurl counts whole seconds
        self.network.set(dua=f"{DEAD},{SECOND}", dalam="127.0.0.1")
        self.publish()
        messages = good.wait(1, "/baik", "dataset.version.published")
        self.assertIsNone(webhooklib.verify(rows["baik"]["secret"], messages[0].headers, messages[0].body))
        for name in ("dua", "sendiri"):
            good.wait(1, f"/{name}", "dataset.version.published")
        for name in ("pindah", "ulang", "dalam"):
            self.assertEqual(set(self.wait_attempts(rows[name], kind="dataset.version.published")), {(None, "address-forbidden")}, name)
            self.assertEqual(good.to(f"/{name}", "dataset.version.published"), [])
        # Nobody was called who must not be; nobody was asked for behind our back.
        self.assertEqual((target.connections, target.messages, proxy.connections), (0, [], 0))
        ports = {str(r.port) for r in (good, target, proxy)}
        called = {(which, more) for what, which, more in self.network.happened() if what == "connect"}
        self.assertEqual({a for a, _ in called if not a.startswith("127.")} - MAY_BE_CALLED, set())
        self.assertEqual({(a, p) for a, p in called if a.startswith("127.") and p in ports}, set())
        self.assertEqual({which for what, which, _ in self.network.happened() if what == "name"} - set(self.network.names), set())
        metrics = self.gateway.metrics()
        self.assertGreaterEqual(metrics['odp_webhook_attempts_total{outcome="address-forbidden"}'], sum(map(len, FORBIDDEN.values())) + 3)
        self.assertEqual(self.gateway.stop(), 0)

    def publish(self):
        self.update("mini", "2024-04-01", "kode\nA\nB\n")
        self.odp("build", "--out", self.dir / "site", "--quiet")

    @staticmethod
    def has_ipv6():
        try:
            socket.socket(socket.AF_INET6).close()
            return True
        except OSError:
            return False

    def wrong_certificates(self):
        """The connection is made, and nothing is said on it."""
        addresses = self.receiver(f"IP:{PUBLIC}")
        plain = Plain()
        self.addCleanup(plain.close)
        for what, receiver, host in (("another name", self.receiver("DNS:lain.example.org"), "baik.uji.example.org"),
                                     ("a name above", self.receiver("DNS:uji.example.org"), "baik.uji.example.org"),
                                     ("another CA", self.receiver(authority=self.other), "baik.uji.example.org"),
                                     ("an address instead of a name", addresses, "baik.uji.example.org"),
                                     ("another address", addresses, SECOND),
                                     ("a name instead of an address", self.receiver(), PUBLIC),
                                     ("no TLS", plain, "baik.uji.example.org")):
            with self.subTest(certificate=what):
                row = self.subscribe(f"https://{host}:{receiver.port}/tls")
                self.assertEqual(set(self.wait_attempts(row)), {(None, "tls-failed")})
                self.assertGreaterEqual(receiver.connections, 1)
                self.assertEqual(receiver.messages, [])
        self.active(f"https://{PUBLIC}:{addresses.port}/alamat")

    def redirects(self, good, target):
        """What an answer says is not done."""
        places = ["http://169.254.169.254/latest/meta-data/", f"https://127.0.0.1:{target.port}/", f"https://lain.uji.example.org:{target.port}/",
                  "//169.254.169.254/", "/baik"]
        for n, status in enumerate((301, 302, 303, 307, 308)):
            good.behave(f"/alih{n}", (status, {"Location": places[n]}))
            row = self.subscribe(f"https://baik.uji.example.org:{good.port}/alih{n}")
            self.assertEqual(self.wait_attempts(row)[0], (status, "redirect"))
            self.assertEqual([(m.method, m.path) for m in good.to(f"/alih{n}")][0], ("POST", f"/alih{n}"))
        good.behave("/samping", (503, {"Alt-Svc": f'h2="127.0.0.1:{target.port}"; ma=86400', "Refresh": f"0; url=https://127.0.0.1:{target.port}/"}))
        row = self.subscribe(f"https://baik.uji.example.org:{good.port}/samping")
        self.assertEqual(self.wait_attempts(row)[0], (503, "slow-down"))

    def test_what_opens_loopback(self):
        """The flag, and nothing else; http with it, but never off this machine."""
        good, plain = self.receiver(), webhooklib.Receiver()
        self.addCleanup(plain.close)
        self.network.ways = {a: "127.0.0.1" for a in (PUBLIC, "10.1.2.3")}
        self.start("--webhook-loopback", sini="127.0.0.1", campur="10.1.2.3,127.0.0.1", luar=f"127.0.0.1,{PUBLIC}", dalam="10.1.2.3")
        self.network.names.update({"a.localhost": ["127.0.0.1"], "b.localhost": [PUBLIC], "c.localhost": [f"127.0.0.1,{PUBLIC}"], "d.localhost": ["10.1.2.3"]})
        self.network.set()
        # Whatever a name server says, localhost is this machine (RFC 6761, 6.3).
        for url in (f"https://sini.uji.example.org:{good.port}/sini", f"https://luar.uji.example.org:{good.port}/luar",
                    *(f"http://{name}.localhost:{plain.port}/{name}" for name in "abcd")):
            self.active(url)
        for url in (f"https://{name}.uji.example.org:{good.port}/" for name in ("campur", "dalam")):
            with self.subTest(url=url):
                self.assertEqual(set(self.wait_attempts(self.subscribe(url))), {(None, "address-forbidden")})
        for url in (f"http://sini.uji.example.org:{plain.port}/", f"http://{PUBLIC}/"):
            answer = self.ask("/v1/webhooks", "POST", {"url": url, "events": ["dataset.version.published"]})
            self.assertEqual(self.problem(answer, 400, "field-invalid")["field"], "url")
        self.assertEqual({m.path for m in good.messages + plain.messages}, {"/sini", "/luar", "/a", "/b", "/c", "/d"})
        self.assertLessEqual(set(self.network.called()), {"127.0.0.1", PUBLIC})
        self.assertEqual(set(self.network.called(plain.port)), {"127.0.0.1"})
        self.assertEqual(self.gateway.stop(), 0)


if __name__ == "__main__":
    odp.main()
