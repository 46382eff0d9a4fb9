"""The gateway's deliver/ against other implementations: addresses against Python's ipaddress and against glibc's reading of odd spellings, signatures against
its hmac, sealed values against an AES-256-GCM written here from FIPS 197 and NIST SP 800-38D."""
import base64
import hashlib
import hmac
import ipaddress
import os
import pathlib
import random
import re
import socket
import subprocess
import unittest

import odp

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests" / "deliver_tool"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def ask(lines):
    """The tool's answer to each of LINES (tuples of words)."""
    text = "".join("\t".join(line) + "\n" for line in lines)
    done = subprocess.run([TOOL], input=text.encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    answers = done.stdout.decode().splitlines()
    assert len(answers) == len(lines)
    return answers


def base62(number, digits):
    text = ""
    for _ in range(digits):
        number, rest = divmod(number, 62)
        text = ALPHABET[rest] + text
    return text


# ---- AES-256-GCM ----

def times2(b):
    return (b << 1 ^ (0x11b if b & 0x80 else 0)) & 0xff


def multiply8(a, b):
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = times2(a), b >> 1
    return product


def sbox_of(b):
    inverse = next((x for x in range(256) if multiply8(b, x) == 1), 0)
    out = 0x63
    for shift in range(5):
        out ^= (inverse << shift | inverse >> (8 - shift)) & 0xff
    return out


SBOX = [sbox_of(b) for b in range(256)]


def round_keys(key):
    words, rcon = [key[i:i + 4] for i in range(0, 32, 4)], 1
    while len(words) < 60:
        word = words[-1]
        if len(words) % 8 == 0:
            word = bytes(SBOX[b] for b in word[1:] + word[:1])
            word, rcon = bytes([word[0] ^ rcon]) + word[1:], times2(rcon)
        elif len(words) % 8 == 4:
            word = bytes(SBOX[b] for b in word)
        words.append(bytes(a ^ b for a, b in zip(word, words[-8])))
    return [b"".join(words[i:i + 4]) for i in range(0, 60, 4)]


def aes(keys, block):
    state = bytes(a ^ b for a, b in zip(block, keys[0]))
    for n, key in enumerate(keys[1:], 1):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if n < 14:
            mixed = []
            for c in range(0, 16, 4):
                a = state[c:c + 4]
                mixed += [times2(a[i]) ^ times2(a[(i + 1) % 4]) ^ a[(i + 1) % 4] ^ a[(i + 2) % 4] ^ a[(i + 3) % 4] for i in range(4)]
            state = mixed
        state = bytes(a ^ b for a, b in zip(state, key))
    return state


def multiply128(x, y):
    z = 0
    for i in range(127, -1, -1):
        if x >> i & 1:
            z ^= y
        y = y >> 1 ^ (0xe1 << 120 if y & 1 else 0)
    return z


def gcm(key, nonce, data, aad, decrypt=False):
    """Ciphertext (or cleartext) and tag."""
    keys = round_keys(key)
    out = b""
    for i in range(0, len(data), 16):
        pad = aes(keys, nonce + (i // 16 + 2).to_bytes(4, "big"))
        out += bytes(a ^ b for a, b in zip(data[i:i + 16], pad))
    h, y = int.from_bytes(aes(keys, bytes(16)), "big"), 0
    cipher = data if decrypt else out
    for part in (aad, cipher):
        for i in range(0, len(part), 16):
            y = multiply128(y ^ int.from_bytes(part[i:i + 16].ljust(16, b"\0"), "big"), h)
    y = multiply128(y ^ (len(aad) * 8 << 64 | len(cipher) * 8), h)
    return out, (y ^ int.from_bytes(aes(keys, nonce + b"\0\0\0\1"), "big")).to_bytes(16, "big")


def seal(key, context, clear, nonce):
    head = b"\1" + hashlib.sha256(key).digest()[:4]
    cipher, tag = gcm(key, nonce, clear, head + context)
    return head + nonce + cipher + tag


def unseal(key, context, value):
    head, nonce, cipher, tag = value[:5], value[5:17], value[17:-16], value[-16:]
    clear, want = gcm(key, nonce, cipher, head + context, decrypt=True)
    assert head == b"\1" + hashlib.sha256(key).digest()[:4] and tag == want, value.hex()
    return clear


class Addresses(unittest.TestCase):
    # Refused, though Python (of some version) calls them global: IANA's entries that are globally reachable, newer entries, transition; ISATAP and what
    # is outside of 2000::/3 apart.
    MORE = [ipaddress.ip_network(text) for text in (
        "168.63.129.16/32", "192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.175.48.0/24", "224.0.0.0/4",
        "2001::/23", "2002::/16", "2620:4f:8000::/48", "3fff::/20")]

    def judge(self, addresses):
        for address, said in zip(addresses, ask([("address", str(a)) for a in addresses])):
            if said == "public":
                self.assertTrue(address.is_global, address)
                self.assertFalse(address.is_multicast or address.is_reserved or address.is_private or address.is_link_local or address.is_loopback, address)
                if address.version == 6:
                    self.assertIsNone(address.ipv4_mapped or address.teredo or address.sixtofour or (True if address.is_site_local else None), address)
            elif address.is_global:
                other = address.version == 6 and (address.packed[0] >> 5 != 1 or address.packed[8] & 0xfd == 0 and address.packed[9:12] == b"\0\x5e\xfe")
                self.assertTrue(other or any(address in net for net in self.MORE if net.version == address.version), f"{address}: {said}")

    def test_ipv4_against_ipaddress(self):
        rng = random.Random(7)
        addresses = [ipaddress.IPv4Address(n << 16 | rng.getrandbits(16)) for n in range(1 << 16)]
        self.judge(addresses)

    def test_ipv6_against_ipaddress(self):
        rng = random.Random(8)
        addresses = [ipaddress.IPv6Address(n << 112 | rng.getrandbits(112)) for n in range(0, 1 << 16, 7)]
        addresses += [ipaddress.IPv6Address((0x2000 | n) << 112 | rng.getrandbits(112)) for n in range(1 << 13)]
        addresses += [ipaddress.IPv6Address(0x2001 << 112 | n << 96 | rng.getrandbits(96)) for n in range(1 << 13)]
        for head in ("::", "::ffff:0:0", "64:ff9b::", "64:ff9b:1::", "2002::", "100::", "fe80::", "fd00:ec2::", "2620:4f:8000::", "3fff::", "2400::5efe:0:0"):
            base = int(ipaddress.IPv6Address(head))
            addresses += [ipaddress.IPv6Address(base | rng.getrandbits(bits)) for bits in (1, 8, 16, 32) for _ in range(100)]
        self.judge(addresses)


class Targets(unittest.TestCase):
    def parse(self, urls):
        return ask([("target", (u if isinstance(u, bytes) else u.encode()).hex()) for u in urls])

    def test_what_glibc_reads_as_an_address_is_checked_or_refused(self):
        """inet_aton reads decimal, octal, hexadecimal and short forms, in all mixtures: none may pass for a name."""
        rng = random.Random(9)
        hosts = set()
        for _ in range(20000):
            value, parts = rng.getrandbits(32), rng.choice((1, 2, 3, 4))
            sizes = {1: (32,), 2: (8, 24), 3: (8, 8, 16), 4: (8, 8, 8, 8)}[parts]
            numbers = []
            for i, bits in enumerate(sizes):
                number = value >> (32 - sum(sizes[:i + 1])) & (1 << bits) - 1
                numbers.append(rng.choice((str, hex, lambda n: f"0{n:o}", lambda n: f"0X{n:08X}", lambda n: f"00{n:o}"))(number))
            hosts.add(".".join(numbers))
        hosts = sorted(hosts)
        literals = 0
        for host, said in zip(hosts, self.parse([f"https://{h}/" for h in hosts])):
            plain = re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){3}", host)
            if said != "refused":
                self.assertTrue(plain and ipaddress.ip_address(host).is_global, host)
                self.assertEqual(said.split("\t"), [f"https://{host}/", host, f"{host}:443", "literal"])
                literals += 1
            else:
                self.assertTrue(not plain or ask([("address", host)]) != ["public"], host)
        self.assertGreater(literals, 10)

    def test_no_name_is_an_address_to_glibc(self):
        """Random hosts of the characters of which such spellings are made: what is taken as a name is none to inet_aton, which is what a resolver asks first."""
        rng = random.Random(10)
        hosts = ["".join(rng.choice("0123456789abcdefxX..--") for _ in range(rng.randint(1, 18))) for _ in range(60000)]
        names = 0
        for host, said in zip(hosts, self.parse([f"https://{h}/" for h in hosts])):
            if said.endswith("\tname"):
                names += 1
                with self.assertRaises(OSError, msg=host):
                    socket.inet_aton(host)
        self.assertGreater(names, 1000)


class Signatures(unittest.TestCase):
    def test_against_hmac(self):
        rng = random.Random(11)
        calls, want = [], []
        for _ in range(300):
            ident, stamp = "msg_" + "".join(rng.choices(ALPHABET, k=rng.randint(1, 40))), rng.choice((0, 1, 1614265330, rng.getrandbits(40), 2**63 - 1))
            body, keys = rng.randbytes(rng.choice((0, 1, 63, 64, 65, 1000, 20000))), [rng.randbytes(rng.choice((1, 24, 32, 63, 64, 65, 200))) for _ in range(rng.choice((1, 2)))]
            calls.append(("sign", ident, str(stamp), body.hex(), *(k.hex() for k in keys)))
            signed = f"{ident}.{stamp}.".encode() + body
            want.append(" ".join("v1," + base64.b64encode(hmac.new(k, signed, hashlib.sha256).digest()).decode() for k in keys))
        self.assertEqual(ask(calls), want)

    def test_names(self):
        rng = random.Random(12)
        calls, want = [], []
        for n in range(300):
            event, webhook, secret = hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() + f"/{n}", "wh_" + "".join(rng.choices(ALPHABET, k=20)), rng.randbytes(32)
            calls += [("id", event, webhook), ("challenge", secret.hex(), webhook, str(n - 1))]
            digest = hashlib.sha256(f"{event}\0{webhook}".encode()).digest()
            mac = hmac.new(secret, f"challenge\0{webhook}\0{n - 1}".encode(), hashlib.sha256).digest()
            want += ["msg_" + base62(int.from_bytes(digest[:16], "big"), 22), base62(int.from_bytes(mac, "big"), 32)]
        self.assertEqual(ask(calls), want)


class Seals(odp.Case):
    def setUp(self):
        super().setUp()
        self.key = bytes(range(32))
        self.file = str(self.dir / "key")
        with open(self.file, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
            f.write(base64.b64encode(self.key).decode() + "\n")

    def test_the_implementation_here(self):
        # The Galois/Counter Mode of Operation (McGrew, Viega), test case 16
        key = bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2)
        clear = bytes.fromhex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        aad = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        cipher, tag = gcm(key, bytes.fromhex("cafebabefacedbaddecaf888"), clear, aad)
        self.assertEqual(cipher.hex()[:32], "522dc1f099567d07f47f37a32a84427d")
        self.assertEqual(tag.hex(), "76fc6ece0f4e1768cddf8853bb2d551b")

    def test_both_ways(self):
        rng = random.Random(13)
        values = [(rng.choice((b"", b"url wh_x", b"secret wh_" + bytes(rng.choices(range(97, 123), k=30)))), rng.randbytes(n)) for n in (0, 1, 15, 16, 17, 32, 64, 300)]
        sealed = [seal(self.key, context, clear, rng.randbytes(12)) for context, clear in values]
        self.assertEqual(ask([("unwrap", self.file, c.decode(), s.hex()) for (c, _), s in zip(values, sealed)]), [clear.hex() for _, clear in values])
        for (context, clear), said in zip(values, ask([("wrap", self.file, c.decode(), clear.hex()) for c, clear in values])):
            self.assertEqual(unseal(self.key, context, bytes.fromhex(said)), clear)
        self.assertEqual(ask([("unwrap", self.file, "other", s.hex()) for s in sealed]), ["shut"] * len(sealed))


if __name__ == "__main__":
    odp.main()
