"""Delta files (docs/delta.md): the vectors and random pairs, by odp-build and by an applier of a few lines of Python."""
import gzip
import hashlib
import json
import os
import random
import re
import subprocess
import unittest
import zlib

import odp

TOOL = odp.pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests" / "delta_tool"
VECTORS = odp.SOURCE / "tests" / "cases" / "delta"
MOST = 2 ** 53 - 1


class Bad(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Bad(what)


def no_duplicates(pairs):
    need(len(dict(pairs)) == len(pairs), "header")
    return dict(pairs)


def apply(delta, old):
    """The new file's bytes."""
    stream = zlib.decompressobj(31)
    try:
        text = stream.decompress(delta)
    except zlib.error as error:
        raise Bad("gzip") from error
    need(stream.eof and not stream.unused_data, "gzip")
    line, found, text = text.partition(b"\n")
    need(found and len(line) <= 4096, "header")
    try:
        header = json.loads(line, object_pairs_hook=no_duplicates)
        sides = [header["from"], header["to"]]
        good = header["format"] == "odp-delta-1" and all(
            type(s["bytes"]) is int and 0 <= s["bytes"] <= MOST and re.fullmatch("[0-9a-f]{64}", s["sha256"]) and isinstance(s.get("version", ""), str)
            for s in sides)
    except (ValueError, KeyError, TypeError) as error:
        raise Bad("header") from error
    need(good, "header")
    need(prove(old, header["from"]), "old-file")
    new, at = bytearray(), 0
    while True:
        operation = re.compile(rb"(?:C (0|[1-9][0-9]{0,15}) ([1-9][0-9]{0,15})|I ([1-9][0-9]{0,15})|E)\n").match(text, at)
        need(operation, "operation")
        at = operation.end()
        if operation[0] == b"E\n":
            break
        length = int(operation[2] or operation[3])
        need(len(new) + length <= header["to"]["bytes"], "overflow")
        if operation[1]:
            offset = int(operation[1])
            need(offset + length <= len(old), "range")
            new += old[offset:offset + length]
        else:
            need(at + length <= len(text), "end")
            new += text[at:at + length]
            at += length
    need(at == len(text), "end")
    need(prove(new, header["to"]), "result")
    return bytes(new)


def prove(data, side):
    return len(data) == side["bytes"] and hashlib.sha256(data).hexdigest() == side["sha256"]


def make(old, new, pick):
    """A delta by Python: pieces that are in the old file at random places, the rest inserted."""
    def side(data):
        return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    out, at = [json.dumps({"format": "odp-delta-1", "from": side(old), "to": side(new)}).encode() + b"\n"], 0
    while at < len(new):
        n = pick.randint(1, 400)
        piece = new[at:at + n]
        where = old.find(piece)
        out.append(b"C %d %d\n" % (where, len(piece)) if where >= 0 else b"I %d\n%s" % (len(piece), piece))
        at += n
    return gzip.compress(b"".join(out) + b"E\n", pick.randint(1, 9))


def random_pair(pick):
    """Two files that have something to do with each other."""
    kind = pick.randrange(4)
    if kind == 0:  # lines
        lines = [f"{i},{pick.randint(0, 99999)},{pick.choice(['Aceh', 'Papua', 'Bali'])}\n" for i in range(pick.randint(0, 3000))]
        new = list(lines)
        for _ in range(pick.randint(0, 60)):
            place = pick.randint(0, len(new))
            new[place:place + pick.randint(0, 5)] = [f"baru {pick.random()}\n"] * pick.randint(0, 3)
        if pick.random() < 0.3:
            pick.shuffle(new)
        if pick.random() < 0.3:
            new = [line[:-1] + ",tambahan\n" for line in new]
        return "".join(lines).encode(), "".join(new).encode()
    alphabet = [b"\0", b"ab", bytes(range(256))][kind - 1]
    old = bytes(pick.choices(alphabet, k=pick.randint(0, 30000)))
    new = bytearray(old)
    for _ in range(pick.randint(0, 40)):
        a, b = sorted((pick.randint(0, len(new)), pick.randint(0, len(new))))
        piece = new[a:min(b, a + 2000)]
        place = pick.randint(0, len(new))
        if pick.random() < 0.5:
            new[place:place] = piece
        else:
            del new[a:min(b, a + 300)]
    return old, bytes(new)


class Delta(odp.Case):
    def write(self, name, data):
        path = self.dir / name
        path.write_bytes(data)
        return path

    def make_by_c(self, old, new, limit=MOST, expect=0):
        self.write("old", old)
        self.write("new", new)
        (self.dir / "delta").unlink(missing_ok=True)
        done = subprocess.run([TOOL, self.dir / "old", self.dir / "new", self.dir / "delta", str(limit)], capture_output=True)
        self.assertEqual(done.returncode, expect, done.stderr)
        self.assertEqual((self.dir / "delta").exists(), expect == 0)
        return (self.dir / "delta").read_bytes() if expect == 0 else None

    def test_vectors_by_python(self):
        vectors = odp.read_json(VECTORS / "vectors.json")["vectors"]
        self.assertGreater(len(vectors), 50)
        for v in vectors:
            with self.subTest(v["name"]):
                old, delta = (VECTORS / v["old"]).read_bytes(), (VECTORS / v["delta"]).read_bytes()
                if v["result"] == "ok":
                    self.assertEqual(apply(delta, old), (VECTORS / v["new"]).read_bytes())
                else:
                    with self.assertRaises(Bad):
                        apply(delta, old)

    def test_vectors_by_odp_build(self):
        for i, v in enumerate(odp.read_json(VECTORS / "vectors.json")["vectors"]):
            if v["result"] == "bad" and i % 4:
                continue  # all of them are golden cases and in the unit test
            with self.subTest(v["name"]):
                new = self.dir / v["name"]
                self.odp("patch", VECTORS / v["delta"], VECTORS / v["old"], "--output", new, expect=0 if v["result"] == "ok" else 1)
                if v["result"] == "ok":
                    self.assertEqual(new.read_bytes(), (VECTORS / v["new"]).read_bytes())
                else:
                    self.assertEqual(list(self.dir.glob(v["name"] + "*")), [])

    def test_deltas_of_random_pairs(self):
        pick = random.Random(20240315)
        for i in range(120):
            old, new = random_pair(pick)
            with self.subTest(i):
                delta = self.make_by_c(old, new)
                self.assertEqual(apply(delta, old), new)
                self.assertEqual(delta, self.make_by_c(old, new))
                self.assertEqual(delta[:4], b"\x1f\x8b\x08\x00")
                self.assertEqual(delta[4:8], bytes(4), "the time in gzip's header")

    def test_deltas_by_python_are_applied(self):
        pick = random.Random(7)
        for i in range(12):
            old, new = random_pair(pick)
            self.write("lama", old)
            self.write("d", make(old, new, pick))
            (self.dir / "baru").unlink(missing_ok=True)
            self.odp("patch", "d", "lama", "baru")
            self.assertEqual((self.dir / "baru").read_bytes(), new)
            self.assertEqual((self.dir / "lama").read_bytes(), old)

    def test_what_one_damaged_byte_does(self):
        old, new = random_pair(random.Random(4))
        delta = bytearray(self.make_by_c(old, new))
        good, text = apply(bytes(delta), old), gzip.decompress(delta)
        pick = random.Random(5)
        for _ in range(400):
            at, bit = pick.randrange(len(delta)), 1 << pick.randrange(8)
            delta[at] ^= bit
            try:
                self.assertEqual(apply(bytes(delta), old), good)
                self.assertEqual(gzip.decompress(delta), text)  # gzip has bits that mean nothing
            except Bad:
                pass
            delta[at] ^= bit

    def test_small_where_little_changed(self):
        pick = random.Random(1)
        rows = [[f"31.{i % 99:02d}-{i:05d}", f"Kelurahan {i}", str(pick.randint(1, 10 ** 6)), pick.choice(["Ringan", "Sedang", "Berat"]), "2024-01-01"]
                for i in range(20000)]
        old = "\n".join(",".join(r) for r in rows).encode()
        changed = [list(r) for r in rows]
        for r in pick.sample(changed, 200):
            r[2] = str(pick.randint(1, 10 ** 6))
        cells = "\n".join(",".join(r) for r in changed).encode()
        self.assertLess(len(self.make_by_c(old, cells)), 200 * 16)
        self.assertLess(len(self.make_by_c(old, "\n".join(",".join([*r, "WIB"]) for r in rows).encode())), len(old) // 10)
        block = rows[5000:] + rows[:5000]
        self.assertLess(len(self.make_by_c(old, "\n".join(",".join(r) for r in block).encode())), 400)
        pick.shuffle(rows)
        self.assertLess(len(self.make_by_c(old, "\n".join(",".join(r) for r in rows).encode())), len(old) // 3)
        self.assertLess(len(self.make_by_c(old, old[:300000] + os.urandom(5000) + old[600000:])), 5400)

    def test_limit(self):
        old, new = os.urandom(5000), os.urandom(5000)
        size = len(self.make_by_c(old, new))
        self.assertEqual(len(self.make_by_c(old, new, size)), size)
        self.make_by_c(old, new, size - 1, expect=1)
        self.make_by_c(old, new, 0, expect=1)
        self.make_by_c(b"", b"", 0, expect=1)

    def test_refusals(self):
        delta = self.make_by_c(b"lama\n" * 50, b"baru\n" * 60)
        self.write("ada", b"jangan ditimpa")
        done = self.odp("patch", "delta", "old", "ada", expect=1)
        self.assertIn("ada sudah ada", done.stderr)
        self.assertEqual((self.dir / "ada").read_bytes(), b"jangan ditimpa")
        os.symlink("nirgendwo", self.dir / "tautan")
        self.odp("patch", "delta", "old", "tautan", expect=1)
        self.assertFalse((self.dir / "nirgendwo").exists())
        self.odp("patch", "delta", "old", "old", expect=1)
        self.assertIn("cannot be opened", self.odp("patch", "none", "old", "x", "--lang", "en", expect=1).stderr)
        self.assertIn("tidak dapat dibuka", self.odp("patch", "delta", "none", "x", expect=1).stderr)
        self.assertIn("ini folder, bukan berkas", self.odp("patch", "delta", ".", "x", expect=1).stderr)
        done = self.odp("patch", "delta", "new", "x", "--lang", "en", expect=1).stderr
        self.assertIn(hashlib.sha256(b"lama\n" * 50).hexdigest(), done)
        self.assertIn(hashlib.sha256(b"baru\n" * 60).hexdigest(), done)
        self.odp("patch", "delta", "old", expect=2)
        self.odp("patch", "delta", "old", "x", "y", expect=2)
        self.odp("patch", "delta", "old", "no/such/folder/x", expect=3)
        self.assertFalse((self.dir / "x").exists())
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["ada", "delta", "new", "old", "tautan"])
        self.assertEqual((self.dir / "delta").read_bytes(), delta)


if __name__ == "__main__":
    odp.main()
