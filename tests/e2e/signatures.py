"""Signatures and keys (tools/odp-build/publish/sign): against minisign in both directions, key files, rotations and whom they let one trust, signing a site.

Nothing here is secret: the keys are made for the tests."""
import base64
import hashlib
import json
import os
import pathlib
import pty
import random
import shutil
import struct
import subprocess
import time
import unittest

import odp

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests" / "sign_tool"
MINISIGN = shutil.which("minisign")
# Made by minisign 0.11 -G with the password "pw".
ENCRYPTED = ("untrusted comment: minisign encrypted secret key\n"
             "RWRTY0IyN8EAQ38aDHq6IcTp/cZYnuhX2ZWvgPkb6GbxHuwBQhwAAAACAAAAAAAAAEAAAAAAdGVoq/czQE91XX/hK/Y2lnlAjAg8BMQozwr9XdOurnwTNFeg7fSZArwGQ0SgWXQM8Pdx"
             "RxtbVNcaqP0UGMfDuvhxPiSN4pz8KlyL5bmgZoZ/2GWurOTylGCFSr7M8uaXLTE3CarjaG0=\n")
ENCRYPTED_PUBLIC = "RWQXzy1y9R3y/cljl8QFBbTeaAlXfvD4N/wQZPrqTzGQQiBDbjCK92j4"


def second_line(path):
    return pathlib.Path(path).read_text().splitlines()[1]


def small_key(plain, password, salt=b"\x07" * 32, operations=32768, memory=1 << 24):
    """The unencrypted key file PLAIN encrypted with small parameters, so that a test need not wait for scrypt."""
    data = base64.b64decode(plain.splitlines()[1])
    identity, key = data[54:62], data[62:126]
    check = hashlib.blake2b(b"Ed" + identity + key, digest_size=32).digest()
    # As libsodium chooses: N r p from operations and memory.
    n, r = 1, 8
    while (1 << n) <= operations // (r * 4) // 2:
        n += 1
    stream = hashlib.scrypt(password, salt=salt, n=1 << n, r=r, p=1, maxmem=1 << 28, dklen=104)
    locked = bytes(a ^ b for a, b in zip(identity + key + check, stream))
    whole = b"EdScB2" + salt + struct.pack("<QQ", operations, memory) + locked
    return "untrusted comment: small\n" + base64.b64encode(whole).decode() + "\n"


class Signatures(odp.Case):
    def setUp(self):
        super().setUp()
        if MINISIGN is None:
            self.skipTest("minisign is not on this machine")

    def tool(self, *words, expect=0):
        done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(done.returncode, expect, (words, done.stdout, done.stderr))
        return done.stdout if expect == 0 else done.stderr

    def minisign(self, *words, expect=0, text=""):
        done = subprocess.run([MINISIGN, *map(str, words)], capture_output=True, text=True, input=text, cwd=self.dir)
        self.assertEqual(done.returncode == 0, expect == 0, (words, done.stdout, done.stderr))
        return done.stdout

    def path(self, name, data):
        (self.dir / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        os.chmod(self.dir / name, 0o600)
        return self.dir / name

    def key(self, name, password="-"):
        """A key of ours; returns its public line."""
        self.tool("key", name + ".key", name + ".pub", password)
        return second_line(self.dir / (name + ".pub"))

    def test_ours_verified_by_minisign(self):
        public = self.key("a")
        for name, data in (("empty", b""), ("small", b"x"), ("large", random.Random(1).randbytes(1_000_000))):
            self.path(name, data)
            self.tool("sign", "a.key", "-", name, name + ".minisig", "komentar tepercaya é " + name)
            said = self.minisign("-V", "-H", "-p", "a.pub", "-m", name)
            self.assertIn("komentar tepercaya é " + name, said)
            self.minisign("-V", "-P", public, "-m", name)
        shutil.copy(self.dir / "small.minisig", self.dir / "empty.minisig")
        self.minisign("-V", "-p", "a.pub", "-m", "empty", expect=1)
        first = (self.dir / "large.minisig").read_bytes()
        self.tool("sign", "a.key", "-", "large", "again", "komentar tepercaya é large")
        self.assertEqual((self.dir / "again").read_bytes(), first)
        comment = (self.dir / "a.pub").read_text().splitlines()[0]
        self.minisign("-R", "-s", "a.key", "-p", "b.pub")
        self.assertEqual((self.dir / "b.pub").read_text(), comment + "\n" + public + "\n")

    def test_minisign_verified_by_us(self):
        self.minisign("-G", "-W", "-p", "m.pub", "-s", "m.key")
        public = second_line(self.dir / "m.pub")
        other = self.key("other")
        self.path("data", b"isi\n" * 1000)
        self.minisign("-S", "-s", "m.key", "-m", "data", "-t", "dari minisign")
        self.assertEqual(self.tool("verify", public, "data", "data.minisig"), "0 dari minisign\n")
        self.assertEqual(self.tool("verify", f"{other},{public}", "data", "data.minisig"), "1 dari minisign\n")
        self.assertIn("none of the keys", self.tool("verify", other, "data", "data.minisig", expect=1))
        self.assertIn("none of the keys", self.tool("verify", "", "data", "data.minisig", expect=1))
        # The id of a key is not enough.
        forged = base64.b64encode(base64.b64decode(public)[:10] + base64.b64decode(other)[10:]).decode()
        self.assertIn("does not fit", self.tool("verify", forged, "data", "data.minisig", expect=1))
        self.path("data2", b"isi\n" * 999 + b"isj\n")
        self.assertIn("does not fit the content", self.tool("verify", public, "data2", "data.minisig", expect=1))
        self.minisign("-S", "-l", "-s", "m.key", "-m", "data", "-x", "old.minisig")
        self.assertIn("old form", self.tool("verify", public, "data", "old.minisig", expect=1))

    def test_every_damage_of_a_signature_is_seen(self):
        public = self.key("a")
        self.path("data", b"isi\n")
        self.tool("sign", "a.key", "-", "data", "sig", "release 2.5.0")
        text = (self.dir / "sig").read_bytes()
        lines = text.split(b"\n")
        starts = [0, len(lines[0]) + 1]
        pick = random.Random(3)
        for _ in range(60):
            at = pick.randrange(starts[1], len(text) - 1)
            damaged = bytearray(text)
            damaged[at] ^= 1 << pick.randrange(7)
            self.path("bad", bytes(damaged))
            self.tool("verify", public, "data", "bad", expect=1)
        for bad in (b"", b"\n", text[:-30], lines[0], b"\n".join(lines[:2]), text + b"more\n", text.replace(b"release 2.5.0", b"release 2.6.0"),
                    text.replace(b"trusted comment: release", b"trusted comment: \0release"), b"\n" + text, text.replace(b"untrusted comment:", b"x:"),
                    text * 2, b"x" * 100000):
            self.path("bad", bad)
            self.tool("verify", public, "data", "bad", expect=1)
        for good in (text[:-1], text.replace(b"\n", b"\r\n"), text.replace(b"made by a test", b"siapa pun")):
            self.path("good", good)
            self.assertEqual(self.tool("verify", public, "data", "good"), "0 release 2.5.0\n")

    def test_encrypted_keys_both_ways(self):
        self.path("data", b"isi\n")
        self.path("theirs.key", ENCRYPTED)
        self.tool("sign", "theirs.key", "pw", "data", "a.minisig", "c")
        self.minisign("-V", "-P", ENCRYPTED_PUBLIC, "-m", "data", "-x", "a.minisig")
        public = self.key("ours", "kata sandi é")
        key = base64.b64decode(second_line(self.dir / "ours.key"))
        self.assertEqual((key[:6], struct.unpack("<QQ", key[38:54])), (b"EdScB2", (33554432, 1 << 30)))
        self.assertEqual((self.dir / "ours.key").stat().st_mode & 0o777, 0o600)
        self.minisign("-S", "-s", "ours.key", "-m", "data", "-x", "b.minisig", text="kata sandi é\n")
        self.tool("verify", public, "data", "b.minisig")

    def test_passwords(self):
        self.key("plain")
        self.path("data", b"isi\n")
        self.path("small.key", small_key((self.dir / "plain.key").read_text(), b"benar"))
        self.tool("sign", "small.key", "benar", "data", "s", "c")
        self.minisign("-V", "-p", "plain.pub", "-m", "data", "-x", "s")
        self.minisign("-S", "-s", "small.key", "-m", "data", "-x", "t", text="benar\n")
        for wrong in ("salah", "benar ", "Benar", ""):
            said = self.tool("sign", "small.key", wrong, "data", "u", "c", expect=1)
            self.assertIn("wrong password", said)
            self.assertTrue(wrong == "" or wrong not in said)
        self.assertIn("encrypted", self.tool("sign", "small.key", "-", "data", "u", "c", expect=1))
        # scrypt that would take a day, or all memory
        for operations, memory in ((1 << 60, 1 << 24), (32768, 1 << 60)):
            data = bytearray(base64.b64decode(second_line(self.dir / "small.key")))
            data[38:54] = struct.pack("<QQ", operations, memory)
            self.path("bad.key", "untrusted comment: x\n" + base64.b64encode(data).decode() + "\n")
            start = time.monotonic()
            self.tool("sign", "bad.key", "benar", "data", "u", "c", expect=1)
            self.assertLess(time.monotonic() - start, 60)

    def test_damaged_key_files(self):
        self.key("a")
        self.path("data", b"isi\n")
        text = (self.dir / "a.key").read_text()
        whole = base64.b64decode(text.splitlines()[1])
        self.assertEqual(len(whole), 158)

        def line(data):
            return "untrusted comment: x\n" + base64.b64encode(data).decode() + "\n"

        def flip(at):
            return whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:]

        for bad in ("", "\n", text.splitlines()[0], text[:-10] + "\n", text.replace("untrusted comment: ", ""), text + "more\n", text[:60] + "!" + text[61:],
                    "x" * 20000, line(whole[:-1]), line(whole + b"\0"), line(b"ED" + whole[2:]), line(whole[:2] + b"Xx" + whole[4:]), line(whole[:4] + b"XX" + whole[6:]),
                    line(flip(56)), line(flip(70)), line(flip(100)), line(flip(130)), (self.dir / "a.pub").read_text()):
            self.path("bad.key", bad)
            said = self.tool("sign", "bad.key", "-", "data", "s", "c", expect=1)
            self.assertNotIn(text.splitlines()[1][60:90], said)
        # minisign's unencrypted files have no check sum; the key's two halves still must fit
        self.path("none.key", line(whole[:126] + bytes(32)))
        self.tool("sign", "none.key", "-", "data", "s", "c")
        self.path("bad.key", line(flip(100)[:126] + bytes(32)))
        self.tool("sign", "bad.key", "-", "data", "s", "c", expect=1)
        self.assertIn("cannot be opened", self.tool("sign", "gone.key", "-", "data", "s", "c", expect=1))
        self.tool("key", "a.key", "x.pub", "-", expect=3)  # never written over
        self.assertEqual((self.dir / "a.key").read_text(), text)


class Keys(odp.Case):
    tool, path, minisign = Signatures.tool, Signatures.path, Signatures.minisign

    def setUp(self):
        super().setUp()
        if MINISIGN is None:
            self.skipTest("minisign is not on this machine")
        (self.dir / "catalog").mkdir()

    def keygen(self, folder="kunci"):
        done = self.odp("keygen", folder, "--unencrypted")
        shutil.copy(self.dir / folder / "keys.json", self.dir / "catalog" / "keys.json")
        return done.stdout

    def public(self, path):
        return second_line(self.dir / path)

    def identity(self, path):
        return (self.dir / path).read_text().split("\n")[0].split()[-1]

    def read(self, trusted="", document="catalog/keys.json", expect=0):
        said = self.tool("keys", document, trusted, expect=expect)
        return said if expect else [line.split() for line in said.split("\n")[:2]]

    def edit(self, change, name="edited.json"):
        document = odp.read_json(self.dir / "catalog/keys.json")
        change(document)
        return self.path(name, json.dumps(document))

    def test_keygen(self):
        said = self.keygen()
        self.assertEqual(sorted(p.name for p in (self.dir / "kunci").iterdir()),
                         ["keys.json", "odp-recovery.key", "odp-recovery.pub", "odp-signing.key", "odp-signing.pub"])
        for name in ("odp-signing", "odp-recovery"):
            self.assertEqual((self.dir / f"kunci/{name}.key").stat().st_mode & 0o777, 0o600)
            secret = second_line(self.dir / f"kunci/{name}.key")
            self.assertNotIn(secret[80:120], said)
            self.assertIn(self.public(f"kunci/{name}.pub"), said)
            self.path("x", b"x")
            self.minisign("-S", "-s", f"kunci/{name}.key", "-m", "x")
            self.minisign("-V", "-p", f"kunci/{name}.pub", "-m", "x")
        self.assertEqual((self.dir / "kunci").stat().st_mode & 0o777, 0o700)
        self.assertIn("media yang tidak tersambung", said)
        self.assertIn((self.dir / "kunci/keys.json").read_text(), said)
        before = {p: p.read_bytes() for p in (self.dir / "kunci").iterdir()}
        self.assertIn("tidak pernah ditimpa", self.odp("keygen", "kunci", "--unencrypted", expect=2).stderr)
        self.assertEqual({p: p.read_bytes() for p in (self.dir / "kunci").iterdir()}, before)
        self.assertIn("not connected", self.odp("keygen", "k2", "--unencrypted", "--lang", "en").stdout)
        signing, recovery = self.identity("kunci/odp-signing.pub"), self.identity("kunci/odp-recovery.pub")
        self.assertEqual(self.read(), [[signing], [recovery]])

    def test_keygen_without_a_password(self):
        self.assertIn("kata sandi", self.odp_without_terminal("keygen", "k").stderr.decode())
        self.path("empty", "\n")
        self.odp("keygen", "k", "--password-file", "empty", expect=2)
        self.path("long", "x" * 1025)
        self.odp("keygen", "k", "--password-file", "long", expect=2)
        self.odp("keygen", "k", "--password-file", "gone", expect=2)
        self.odp("keygen", expect=2)
        self.assertFalse((self.dir / "k/odp-signing.key").exists())

    def odp_without_terminal(self, *words):
        done = subprocess.run([odp.PROGRAM, *words], capture_output=True, cwd=self.dir, stdin=subprocess.DEVNULL, start_new_session=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done

    def test_a_password_is_typed_without_echo(self):
        """keygen on a terminal, two passwords that differ: nothing is made, nothing typed is shown."""
        try:
            child, terminal = pty.fork()
        except OSError as why:
            self.skipTest(f"this machine has no terminals to give: {why}")
        if child == 0:
            os.chdir(self.dir)
            os.execv(odp.PROGRAM, [odp.PROGRAM, "keygen", "k"])
        shown, typed = b"", [b"rahasia satu\n", b"rahasia dua\n"]
        try:
            while True:
                shown += os.read(terminal, 1000)
                if typed and shown.endswith(b": "):  # not after the end of its line: what is typed before the next question is thrown away
                    os.write(terminal, typed.pop(0))
        except OSError:
            pass  # the child is gone
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.close(terminal)
        self.assertEqual(code, 2, shown)
        self.assertIn("tidak sama".encode(), shown)
        self.assertNotIn(b"rahasia", shown)
        self.assertFalse((self.dir / "k/odp-signing.key").exists())

    def test_minisign_agrees_with_the_statement(self):
        self.keygen()
        rotation = odp.read_json(self.dir / "catalog/keys.json")["rotations"][0]
        signing, recovery = self.public("kunci/odp-signing.pub"), self.public("kunci/odp-recovery.pub")
        self.assertEqual((rotation["from"], rotation["to"], rotation["role"]), (self.identity("kunci/odp-signing.pub"), recovery, "recovery"))
        self.path("statement", f"odp-key-rotation-1\nfrom {rotation['from']}\nto {recovery}\nrole recovery\n")
        self.path("statement.minisig", rotation["signature"])
        self.minisign("-V", "-P", signing, "-m", "statement")

    def test_rotation_by_the_signing_key_and_by_the_recovery_key(self):
        self.keygen()
        first = self.public("kunci/odp-signing.pub")
        recovery = self.public("kunci/odp-recovery.pub")
        said = self.odp("rotate", "baru", "--key", "kunci/odp-signing.key", "--unencrypted").stdout
        self.assertIn("odp-build sign --key baru/odp-signing.key", said)
        second = self.public("baru/odp-signing.pub")
        self.odp("rotate", "lagi", "--key", "kunci/odp-recovery.key", "--unencrypted")
        third, third_id = self.public("lagi/odp-signing.pub"), self.identity("lagi/odp-signing.pub")
        recovery_id = self.identity("kunci/odp-recovery.pub")
        # Whatever key one begins with, one is led to the third.
        for trusted in ("", first, recovery, f"{first},{recovery}", third):
            self.assertEqual(self.read(trusted)[0], [third_id], trusted)
        self.assertEqual(self.read(first)[1], [recovery_id])
        # The second alone knows no recovery key, and the third was signed by that.
        self.assertIn("can be reached", self.read(second, expect=1))
        # The recovery key replaced by itself.
        self.odp("rotate", "luring", recovery_id, "--key", "kunci/odp-recovery.key", "--unencrypted")
        self.assertEqual(self.read(first), [[third_id], [self.identity("luring/odp-recovery.pub")]])
        self.odp("rotate", "salah", "--key", "kunci/odp-recovery.key", "--unencrypted", expect=1)
        self.odp("rotate", "akhir", "--key", "luring/odp-recovery.key", "--unencrypted")
        self.assertEqual(self.read(first)[0], [self.identity("akhir/odp-signing.pub")])
        self.assertEqual(len(odp.read_json(self.dir / "catalog/keys.json")["rotations"]), 5)
        self.assertEqual(list((self.dir / "catalog").iterdir()), [self.dir / "catalog/keys.json"])

    def test_rotations_that_are_refused(self):
        self.keygen()
        self.odp("rotate", "baru", "--key", "kunci/odp-signing.key", "--unencrypted")
        before = (self.dir / "catalog/keys.json").read_bytes()
        self.odp("keygen", "asing", "--unencrypted")
        signing, recovery = self.identity("baru/odp-signing.pub"), self.identity("kunci/odp-recovery.pub")
        for words, said in ((("x", "--key", "kunci/odp-signing.key"), "not in force"), (("x", "--key", "asing/odp-signing.key"), "not in force"),
                            (("x", recovery, "--key", "baru/odp-signing.key"), "only a recovery key"), (("x", "ABC", "--key", "baru/odp-signing.key"), "no key ABC")):
            self.assertIn(said, self.odp("rotate", *words, "--unencrypted", "--lang", "en", expect=1).stderr)
        self.assertIn("exists already", self.odp("rotate", "baru", signing, "--key", "kunci/odp-recovery.key", "--unencrypted", "--lang", "en", expect=2).stderr)
        self.odp("rotate", "x", expect=2)
        self.odp("rotate", "--key", "baru/odp-signing.key", expect=2)
        self.assertFalse((self.dir / "x/odp-signing.key").exists())
        self.assertEqual((self.dir / "catalog/keys.json").read_bytes(), before)
        (self.dir / "catalog/keys.json").unlink()
        self.assertIn("keygen", self.odp("rotate", "x", "--key", "baru/odp-signing.key", "--unencrypted", expect=2).stderr)

    def test_documents_that_are_refused(self):
        self.keygen()
        self.odp("rotate", "baru", "--key", "kunci/odp-signing.key", "--unencrypted")
        self.odp("keygen", "asing", "--unencrypted")
        foreign = self.public("asing/odp-signing.pub")
        recovery = {"role": "recovery", "key": self.public("asing/odp-recovery.pub")}

        def change(what):
            return lambda d: what(d)

        edits = {
            "another key in a rotation": lambda d: d["rotations"][1].update(to=foreign),
            "another role": lambda d: d["rotations"][1].update(role="recovery"),
            "no role": lambda d: d["rotations"][1].pop("role"),
            "a rotation taken out of the middle": lambda d: d["rotations"].insert(1, d["rotations"].pop(0)),
            "a rotation twice": lambda d: d["rotations"].append(d["rotations"][1]),
            "an unsigned rotation": lambda d: d["rotations"][1].update(signature=""),
            "a key twice": lambda d: d["keys"].append(d["keys"][0]),
            "no signing key": lambda d: d["keys"].pop(0),
            "no keys": lambda d: d.update(keys=[]),
            "keys as an object": lambda d: d.update(keys={}),
            "rotations as text": lambda d: d.update(rotations="x"),
            "an unknown role": lambda d: d["keys"][0].update(role="root"),
            "a key that is none": lambda d: d["keys"][0].update(key="RWabc"),
            "too many keys": lambda d: d["keys"].extend([recovery] * 70),
            "too many rotations": lambda d: d["rotations"].extend([d["rotations"][1]] * 1001),
        }
        for name, edit in edits.items():
            with self.subTest(name):
                self.assertTrue(self.read(document=self.edit(change(edit)), expect=1))
        for text in ("", "[]", "{", "null", '{"keys":[],"keys":[]}', "[" * 5000, " " * (1 << 20) + "{}"):
            self.read(document=self.path("bad.json", text), expect=1)

    def test_what_a_thief_can_do(self):
        """Without a key that is trusted nobody is led anywhere; a stolen signing key brings in no recovery key beside a known one."""
        self.keygen()
        first, recovery = self.public("kunci/odp-signing.pub"), self.public("kunci/odp-recovery.pub")
        honest = odp.read_json(self.dir / "catalog/keys.json")
        # A document of the thief's own, with the true first key and a recovery key of his.
        self.odp("keygen", "pencuri", "--unencrypted")
        thief = odp.read_json(self.dir / "pencuri/keys.json")
        thief_recovery = {"role": "recovery", "key": self.public("pencuri/odp-recovery.pub")}
        document = {"keys": [honest["keys"][0], thief_recovery], "rotations": []}
        (self.dir / "catalog/keys.json").write_text(json.dumps(document))
        self.odp("rotate", "curian", "--key", "pencuri/odp-recovery.key", "--unencrypted")
        self.assertEqual(self.read()[0], [self.identity("curian/odp-signing.pub")])  # first use believes it
        self.assertIn("can be reached", self.read(first, expect=1))
        self.assertIn("can be reached", self.read(f"{first},{recovery}", expect=1))
        self.assertIn("can be reached", self.read(first, document=self.path("own.json", json.dumps(thief)), expect=1))
        # With the stolen signing key he introduces his recovery key, where the true one is known.
        (self.dir / "catalog/keys.json").write_text(json.dumps({"keys": [*honest["keys"], thief_recovery], "rotations": honest["rotations"]}))
        signing_id = self.identity("kunci/odp-signing.pub")
        self.path("statement", f"odp-key-rotation-1\nfrom {signing_id}\nto {thief_recovery['key']}\nrole recovery\n")
        self.tool("sign", "kunci/odp-signing.key", "-", "statement", "statement.minisig", "x")
        introduced = odp.read_json(self.dir / "catalog/keys.json")
        introduced["rotations"].append({"from": signing_id, "to": thief_recovery["key"], "role": "recovery", "signature": (self.dir / "statement.minisig").read_text()})
        document = self.path("introduced.json", json.dumps(introduced))
        self.assertEqual(self.read(first, document=document)[1], [self.identity("kunci/odp-recovery.pub")])


class Site(odp.Case):
    def setUp(self):
        super().setUp()
        if MINISIGN is None:
            self.skipTest("minisign is not on this machine")
        self.catalogue("regulasi", references=True)
        self.odp("keygen", "kunci", "--unencrypted")

    def signature(self):
        return self.dir / "site" / "manifest.json.minisig"

    def test_signing_a_site(self):
        shutil.copy(self.dir / "kunci/keys.json", self.dir / "catalog/keys.json")
        self.assertIn("ODP-V32", self.odp("sign", "--out", "site", "--key", "kunci/odp-signing.key", expect=1).stderr)
        self.odp("build", "--out", "site")
        self.assertEqual((self.dir / "site/.well-known/odp-keys.json").read_bytes(), (self.dir / "catalog/keys.json").read_bytes())
        before = odp.digests(self.dir / "site")
        said = self.odp("sign", "--out", "site", "--key", "kunci/odp-signing.key").stdout
        self.assertIn("site/manifest.json.minisig", said)
        done = subprocess.run([MINISIGN, "-V", "-H", "-p", "kunci/odp-signing.pub", "-m", "site/manifest.json"], cwd=self.dir, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        digest = os.readlink(self.dir / "site").split("/")[-1]
        release = odp.read_json(self.dir / "site/v1/index.json")["meta"]["release"]
        self.assertIn(f"Trusted comment: odp site manifest sha256:{digest} release {release}\n", done.stdout)
        self.assertEqual(self.signature().stat().st_mode & 0o777, 0o444)
        after = odp.digests(self.dir / "site")
        after.pop("manifest.json.minisig")
        self.assertEqual(after, before)
        first = self.signature().read_bytes()
        self.odp("sign", "--out", "site", "--key", "kunci/odp-signing.key")
        self.assertEqual(self.signature().read_bytes(), first)
        # The recovery key signs no site, nor does another's.
        self.odp("keygen", "asing", "--unencrypted")
        for key in ("kunci/odp-recovery.key", "asing/odp-signing.key"):
            self.assertIn("ODP-V30", self.odp("sign", "--out", "site", "--key", key, expect=1).stderr)
        self.assertEqual(self.signature().read_bytes(), first)
        self.assertEqual([p.name for p in (self.dir / "site.builds").iterdir() if p.name.startswith(".new")], [])
        # A rotation: the new key signs once the site names it.
        self.odp("rotate", "baru", "--key", "kunci/odp-signing.key", "--unencrypted")
        self.assertIn("ODP-V30", self.odp("sign", "--out", "site", "--key", "baru/odp-signing.key", expect=1).stderr)
        self.odp("build", "--out", "site")
        self.odp("sign", "--out", "site", "--key", "baru/odp-signing.key")
        self.assertIn("ODP-V30", self.odp("sign", "--out", "site", "--key", "kunci/odp-signing.key", expect=1).stderr)

    def test_keys_and_passwords_on_the_command_line(self):
        self.odp("build", "--out", "site")
        key = self.dir / "small.key"
        key.write_text(small_key((self.dir / "kunci/odp-signing.key").read_text(), b"benar sekali"))
        password = self.dir / "sandi"
        for path in (key, password):
            path.touch()
            path.chmod(0o600)
        for text in ("benar sekali", "benar sekali\n", "benar sekali\r\n", "benar sekali\nlain\n"):
            password.write_text(text)
            done = self.odp("sign", "--out", "site", "--key", key, "--password-file", password)
            self.assertEqual(done.stderr, "")
        key.chmod(0o640)
        password.chmod(0o604)
        done = self.odp("sign", "--out", "site", "--key", key, "--password-file", password)
        self.assertIn("small.key dapat dibaca pengguna lain", done.stderr)
        self.assertIn("sandi dapat dibaca pengguna lain", done.stderr)
        self.assertIn("others may read", self.odp("sign", "--out", "site", "--key", key, "--password-file", password, "--lang", "en").stderr)
        first = self.signature().read_bytes()
        password.write_text("tidak benar\n")
        done = self.odp("sign", "--out", "site", "--key", key, "--password-file", password, expect=1)
        self.assertIn("salah", done.stderr)
        self.assertNotIn("tidak benar", done.stdout + done.stderr)
        self.assertEqual(self.signature().read_bytes(), first)
        self.odp("sign", "--out", "site", expect=2)
        self.odp("sign", "x", "--key", key, expect=2)
        self.odp("sign", "--out", "site", "--key", "gone", expect=1)
        done = subprocess.run([odp.PROGRAM, "sign", "--out", "site", "--key", key], cwd=self.dir, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, start_new_session=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--password-file", done.stderr)

    def test_a_manifest_that_was_changed_is_not_signed(self):
        self.odp("build", "--out", "site")
        manifest = self.dir / "site/manifest.json"
        manifest.chmod(0o644)
        manifest.write_text(manifest.read_text().replace("public", "keyed", 1))
        self.assertIn("ODP-V03", self.odp("sign", "--out", "site", "--key", "kunci/odp-signing.key", expect=1).stderr)
        self.assertFalse(self.signature().exists())


if __name__ == "__main__":
    odp.main()
