"""The examples of docs/webhooks.md do what the guide says: each verifier against the vector of Standard Webhooks and what was tampered with, each receiver
with real requests, the calls with curl against a gateway."""
import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import urllib.parse

import gatewaylib
import odp
import webhooklib

GUIDE = odp.SOURCE / "docs/webhooks.md"
SECRET, OTHER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + base64.b64encode(bytes(range(32))).decode()
STAMP = 1614265330  # the vector of the standard's reference libraries
VECTOR = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": str(STAMP),
          "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
BODY = b'{"test": 2432232314}'


def sign(secret, ident, stamp, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, f"{ident}.{stamp}.".encode() + body, hashlib.sha256).digest()).decode()


def cases():
    """(what, secrets, headers, body, now, is it ours) of the vector and what differs from it in one thing."""
    signature, flipped = VECTOR["webhook-signature"], bytearray(BODY)
    flipped[-2] ^= 1
    old = sign(OTHER, VECTOR["webhook-id"], STAMP, BODY)

    def with_(**changes):
        return {name: value for name, value in {**VECTOR, **{k.replace("_", "-"): v for k, v in changes.items()}}.items() if value is not None}
    yield "the vector", [SECRET], VECTOR, BODY, STAMP, True
    yield "the new secret of two", [SECRET, OTHER], VECTOR, BODY, STAMP, True
    yield "the old secret of two", [OTHER, SECRET], VECTOR, BODY, STAMP, True
    yield "two signatures", [SECRET], with_(webhook_signature=f"{old} {signature}"), BODY, STAMP, True
    yield "an unknown version beside it", [SECRET], with_(webhook_signature=f"v1a,bm90IG91cnM= v9 {signature}"), BODY, STAMP, True
    for seconds in (300, -300):
        yield f"a clock {seconds} s off", [SECRET], VECTOR, BODY, STAMP + seconds, True
    body = json.dumps({"type": "dataset.version.published", "data": {"title": "Rumah susun “Tuah” ü"}}, ensure_ascii=False).encode()
    yield "text beyond ASCII", [SECRET], with_(webhook_signature=sign(SECRET, VECTOR["webhook-id"], STAMP, body)), body, STAMP, True
    for seconds in (301, -301, 86400):
        yield f"a clock {seconds} s off", [SECRET], VECTOR, BODY, STAMP + seconds, False
    yield "another secret", [OTHER], VECTOR, BODY, STAMP, False
    yield "another body", [SECRET], VECTOR, bytes(flipped), STAMP, False
    yield "a body with a line end", [SECRET], VECTOR, BODY + b"\n", STAMP, False
    yield "an empty body", [SECRET], VECTOR, b"", STAMP, False
    yield "another id", [SECRET], with_(webhook_id="msg_p5jXN8AQM9LWM0D4loKWxJel"), BODY, STAMP, False
    yield "another time", [SECRET], with_(webhook_timestamp=str(STAMP + 1)), BODY, STAMP, False
    for stamp in (f"{STAMP}x", f" {STAMP}", f"+{STAMP}", f"{STAMP}.0", "-5", "1e9", "٣", "NaN"):
        yield f"the time {stamp!r}", [SECRET], with_(webhook_timestamp=stamp), BODY, STAMP, False
    for given in (signature[3:], "v1," + signature[3:-5], signature + "AA", "v2," + signature[3:], "V1," + signature[3:], "v1,", "v1", signature.lower(), "v1a," + signature[3:],
                  "v1," + base64.b64encode(b"x" * 32).decode(), old):
        yield f"the signature {given!r}", [SECRET], with_(webhook_signature=given), BODY, STAMP, False
    for name in VECTOR:
        yield f"no {name}", [SECRET], with_(**{name.replace("-", "_"): None}), BODY, STAMP, False


DRIVERS = {
    "python": ("drive.py", """
import base64, json, sys
from verify import verify
for line in sys.stdin:
    c = json.loads(line)
    try:
        print(json.dumps(verify(c["secrets"], c["headers"], base64.b64decode(c["body"]), c["now"])))
    except ValueError as e:
        print("refused")
"""),
    "js": ("drive.mjs", """
import { createInterface } from "node:readline";
import { verify } from "./verify.mjs";
for await (const line of createInterface({ input: process.stdin })) {
  const c = JSON.parse(line);
  try {
    console.log(JSON.stringify(verify(c.secrets, c.headers, Buffer.from(c.body, "base64"), c.now)));
  } catch (e) {
    console.log(e instanceof SyntaxError || e instanceof TypeError ? String(e) : "refused");
  }
}
"""),
    "php": ("drive.php", """<?php
require __DIR__ . '/verify.php';
while (($line = fgets(STDIN)) !== false) {
    $c = json_decode($line, true);
    try {
        echo json_encode(verify($c['secrets'], $c['headers'], base64_decode($c['body']), $c['now'])), "\\n";
    } catch (RuntimeException) {
        echo "refused\\n";
    }
}
"""),
}


class Guide(odp.Case):
    """Needs no gateway."""

    @classmethod
    def setUpClass(cls):
        text = GUIDE.read_text()
        cls.files = {name: (language, body) for language, name, body in re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", text, re.M | re.S)}

    def program(self, language):
        names = {"python": ["python3"], "js": ["node"], "php": ["php", "php8.4", "php8.3", "php8.2"]}[language]
        found = next(filter(None, map(shutil.which, names)), None)
        if found is None:
            self.skipTest(f"{names[0]} is not installed")
        return found

    def put(self, language):
        """The guide's files of a language, in a folder."""
        folder = self.dir / language
        folder.mkdir(exist_ok=True)
        for name, (its, body) in self.files.items():
            if its == language:
                (folder / name).write_text(body)
        return folder

    def test_files(self):
        self.assertEqual(sorted(self.files), ["library.mjs", "library.php", "library.py", "receiver.mjs", "receiver.php", "receiver.py",
                                              "verify.mjs", "verify.php", "verify.py"])

    def check_verifier(self, language):
        program, folder, (name, driver) = self.program(language), self.put(language), DRIVERS[language]
        (folder / name).write_text(driver)
        given = list(cases())
        lines = "".join(json.dumps({"secrets": s, "headers": h, "body": base64.b64encode(b).decode(), "now": n}) + "\n" for _, s, h, b, n, _ in given)
        done = subprocess.run([program, name], cwd=folder, input=lines, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = done.stdout.splitlines()
        self.assertEqual(len(answers), len(given), done.stdout)
        for (what, _, _, body, _, ours), answer in zip(given, answers):
            with self.subTest(what=what, language=language):
                if ours:
                    self.assertEqual(json.loads(answer), json.loads(body))
                else:
                    self.assertEqual(answer, "refused")
        self.assertGreater(sum(ours for *_, ours in given), 7)

    def test_verify_in_python(self):
        self.check_verifier("python")

    def test_verify_in_javascript(self):
        self.check_verifier("js")

    def test_verify_in_php(self):
        self.check_verifier("php")

    # ---- receivers ----

    def post(self, port, body, secret=SECRET, ident="msg_1", headers=None, path="/odp"):
        stamp = str(int(time.time()))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("POST", path, body, {"Content-Type": "application/json", "webhook-id": ident, "webhook-timestamp": stamp,
                                                    "webhook-signature": sign(secret, ident, stamp, body), **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def check_receiver(self, language, command, worked):
        """WORKED(folder, process) waits for the two lines of work."""
        folder, port = self.put(language), gatewaylib.free_port()
        (folder / "spool").mkdir()
        env = dict(os.environ, PORT=str(port), WEBHOOK_SECRETS=f"{SECRET} {OTHER}", WEBHOOK_SPOOL=str(folder / "spool"))
        process = subprocess.Popen([part.replace("PORT", str(port)) for part in command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   preexec_fn=gatewaylib.die_with_parent)
        try:
            def listens():
                try:
                    return self.post(port, b"{}", secret="whsec_AAAA")[0] == 401
                except OSError:
                    return False
            gatewaylib.wait_for("the receiver", listens)
            challenge = json.dumps({"type": "webhook.challenge", "data": {"webhook": "wh_1", "challenge": "7xQ" * 10 + "ab"}}).encode()
            self.assertEqual(self.post(port, challenge), (200, b"7xQ" * 10 + b"ab"))
            self.assertEqual(self.post(port, challenge, secret="whsec_AAAA")[0], 401)  # somebody else's subscription of our address: no answer
            message = json.dumps({"type": "dataset.version.published", "data": {"dataset": "kumuh"}}).encode()
            for _ in range(3):  # at least once: the same id is worked on once
                self.assertEqual(self.post(port, message, ident="msg_2"), (204, b""))
            self.assertEqual(self.post(port, message + b" ", ident="msg_2", headers={"webhook-signature": sign(SECRET, "msg_2", int(time.time()), message)})[0], 401)
            self.assertEqual(self.post(port, message.replace(b"kumuh", b"proyek"), secret=OTHER, ident="msg_3")[0], 204)  # the older of two secrets
            worked(folder, process)
        finally:
            process.kill()
            process.communicate()

    def two_lines(self, folder, process):
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["dataset.version.published kumuh\n", "dataset.version.published proyek\n"])

    def two_files(self, folder, process):
        self.assertEqual(sorted(p.name for p in (folder / "spool").iterdir()), ["msg_2.json", "msg_3.json"])
        self.assertEqual(json.loads((folder / "spool/msg_2.json").read_text())["data"], {"dataset": "kumuh"})

    def test_receiver_in_python(self):
        self.check_receiver("python", [self.program("python"), "receiver.py"], self.two_lines)

    def test_receiver_in_javascript(self):
        self.check_receiver("js", [self.program("js"), "receiver.mjs"], self.two_lines)

    def test_receiver_in_php(self):
        self.check_receiver("php", [self.program("php"), "-S", "127.0.0.1:PORT", "receiver.php"], self.two_files)

    # ---- libraries ----

    def test_library_in_javascript(self):
        modules = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "build")) / "node/node_modules"
        if not (modules / "standardwebhooks").exists():
            self.skipTest("standardwebhooks is not installed (npm, see tests/node)")
        folder = self.put("js")
        (folder / "node_modules").symlink_to(modules.resolve())
        (folder / "drive.mjs").write_text("""
import { verify } from "./library.mjs";
const [secret, body, id, timestamp, signature] = process.argv.slice(2);
console.log(JSON.stringify(verify(secret, { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature }, body)));
""")
        stamp = str(int(time.time()))
        args = [SECRET, BODY.decode(), "msg_1", stamp, sign(SECRET, "msg_1", stamp, BODY)]
        done = subprocess.run([self.program("js"), "drive.mjs", *args], cwd=folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, json.loads(done.stdout or "null")), (0, json.loads(BODY)), done.stderr)
        args[1] += " "
        self.assertNotEqual(subprocess.run([self.program("js"), "drive.mjs", *args], cwd=folder, capture_output=True, timeout=60).returncode, 0)


class Calls(gatewaylib.Case):
    """The guide's calls with curl, as they stand there but for host names, ids and the key."""

    def shell(self, block, **replaced):
        """(status, document) of the one curl in BLOCK."""
        for old, new in {"https://data.example.go.id": self.gateway.url(), "https://hooks.example.org/odp": self.receiver.url("/odp"), **replaced}.items():
            block = block.replace(old, new)
        self.assertEqual(block.count("curl -s "), 1, block)
        block = block.replace("curl -s ", "curl -s -w '\\n%{http_code}' ")
        done = subprocess.run(["sh", "-eu", "-c", block], env=dict(os.environ, KEY=self.key), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        body, _, status = done.stdout.rpartition("\n")
        return int(status), json.loads(body)

    def test_calls(self):
        blocks = re.findall(r"^```sh\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)
        self.assertEqual(len(blocks), 6)
        subscribe, test, confirm, redeliver, filters, rotate = blocks
        self.receiver = webhooklib.Receiver()
        self.addCleanup(self.receiver.close)
        self.receiver.behave("/odp", 204)  # one that cannot answer the challenge by itself
        self.gateway = self.serve(self.compile("kumuh"), "--webhook-loopback", workers=1)
        self.key = self.gateway.create_key("government")
        status, document = self.shell(subscribe)
        self.assertEqual(status, 201, document)
        row = document["data"][0]
        self.assertEqual((row["datasets"], row["filter"], row["state"]), (["kumuh"], "kode_provinsi = '31'", "unverified"))
        self.assertRegex(row["id"], r"^wh_[0-9A-Za-z]{20}$")
        self.assertRegex(row["secret"], r"^whsec_[0-9A-Za-z+/]{43}=$")
        example = re.search(r"wh_\w{20}", test).group(0)
        status, document = self.shell(test, **{example: row["id"]})
        self.assertEqual(status, 202, document)
        challenge = self.receiver.wait(2, "/odp", "webhook.challenge")[-1]
        self.assertIsNone(webhooklib.verify(row["secret"], challenge.headers, challenge.body))
        asked = challenge.json()["data"]["challenge"]
        placeholder = re.search(r'"challenge": "(\w+)"', confirm).group(1)
        self.assertEqual(len(placeholder), len(asked))
        self.assertEqual(self.shell(confirm, **{example: row["id"]})[0], 409)
        status, document = self.shell(confirm, **{example: row["id"], placeholder: asked})
        self.assertEqual((status, document["data"][0]["state"]), (200, "active"), document)
        status, document = self.shell(redeliver, **{example: row["id"]})
        self.assertEqual((status, document["data"][0]["redelivered"]), (202, 0), document)
        status, document = self.shell(rotate, **{example: row["id"]})
        self.assertEqual(status, 200, document)
        self.assertNotEqual(document["data"][0]["secret"], row["secret"])
        self.assertIsNotNone(document["data"][0]["previous_secret_valid_until"])
        status, document = self.shell(test, **{example: row["id"]})
        message = self.receiver.wait(1, "/odp", "webhook.test")[0]
        for secret in (row["secret"], document["data"][0].get("secret")):
            if secret:
                self.assertIsNone(webhooklib.verify(secret, message.headers, message.body))
        self.assertEqual(len(message.headers["webhook-signature"].split(" ")), 2)
        lines = [line for line in filters.splitlines() if not line.startswith("#")]
        self.assertEqual(len(lines), 4)
        for line in lines:
            document = json.loads(subprocess.run(["sh", "-c", line + '; printf %s "$filter"'], capture_output=True, text=True, check=True).stdout)
            answer = self.gateway.post("/v1/webhooks", {**document, "url": self.receiver.url("/filter")}, key=self.key)
            self.assertEqual((answer.status, answer.json()["data"][0]["filter"]), (201, document["filter"]), answer)
        # A mistake is told where it is.
        answer = self.gateway.post("/v1/webhooks", {"url": self.receiver.url("/x"), "events": ["dataset.corrected"], "datasets": ["kumuh"], "filter": "provinsi = 1"}, key=self.key)
        self.assertIn(answer.status, (400, 409), answer)  # 409: the tier's limit is reached
        self.assertEqual(self.gateway.stop(), 0)


if __name__ == "__main__":
    odp.main()
