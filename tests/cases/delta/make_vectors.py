#!/usr/bin/env python3
"""Makes the vectors of odp-delta-1 (docs/delta.md) in this folder: for each a folder with files/{old,new,delta} and args (the
golden case: what `odp-build patch` says), and vectors.json, which client libraries read. Good ones marked "made" come from delta_tool:

    make_vectors.py build/tests/delta_tool

Then: run.py --update delta."""
import gzip
import hashlib
import io
import json
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
vectors = []


def side(data, version, **other):
    return {"version": version, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), **other}


def header(old, new, **other):
    return {"format": "odp-delta-1", "from": side(old, "2023-09-15"), "to": side(new, "2024-03-15"), **other}


def pack(head, *operations):
    """The bytes of a delta; HEAD a dict or the line's bytes."""
    line = head if isinstance(head, bytes) else json.dumps(head, separators=(",", ":")).encode() + b"\n"
    return gzip.compress(line + b"".join(operations), mtime=0)


def copy(offset, length):
    return b"C %d %d\n" % (offset, length)


def insert(data):
    return b"I %d\n" % len(data) + data


END = b"E\n"


def vector(name, about, old, new, delta=None, bad=None):
    """BAD: why it must be refused, a stable word; None: applying must give NEW. DELTA None: made by delta_tool."""
    folder = HERE / name / "files"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "old").write_bytes(old)
    if bad is None:
        (folder / "new").write_bytes(new)
    target = folder / "delta"
    target.unlink(missing_ok=True)
    if delta is None:
        subprocess.run([sys.argv[1], folder / "old", folder / "new", target, "1000000"], check=True)
    else:
        target.write_bytes(delta)
    lines = ["patch files/delta files/old baru"]
    if bad is not None:
        lines.append("patch files/delta files/old baru --lang en")
    (HERE / name / "args").write_text("\n".join(lines) + "\n")
    (HERE / name / "about.txt").write_text(about + "\n")
    entry = {"name": name, "about": about, "old": f"{name}/files/old", "delta": f"{name}/files/delta"}
    entry.update({"result": "ok", "new": f"{name}/files/new"} if bad is None else {"result": "bad", "reason": bad})
    vectors.append(entry)


def rows(n, seed=1):
    pick = random.Random(seed)
    return [f"31.{i:02d}-{i:04d},Kelurahan {i},{pick.randint(1, 9999) / 10:.1f},{pick.choice(['Ringan', 'Sedang', 'Berat'])}\n" for i in range(1, n + 1)]


def table(lines, head="id_kawasan,nama,luas_ha,tingkat\n"):
    return (head + "".join(lines)).encode()


def good():
    lines = rows(60)
    old = table(lines)
    new = table([*lines[:7], lines[7].replace("Kelurahan", "Desa"), *lines[8:20], "31.99-9999,Kelurahan baru,1.0,Ringan\n", *lines[25:]])
    vector("normal", "changed, inserted and removed lines", old, new)
    vector("empty-old", "everything is inserted", b"", old)
    vector("empty-new", "nothing is left: E alone", old, b"")
    vector("empty-both", "empty to empty", b"", b"")
    vector("equal", "one copy of the whole file", old, old)
    turned = list(lines)
    random.Random(2).shuffle(turned)
    vector("reordered", "the same lines in another order", old, table(turned))
    vector("column", "a column appended to every line", old, table([line[:-1] + ",WIB\n" for line in lines], "id_kawasan,nama,luas_ha,tingkat,zona\n"))
    noise = bytes(random.Random(3).randrange(256) for _ in range(3000))
    vector("binary", "any bytes, NUL and line feeds among them", noise, noise[1500:] + b"\0\n\r\n" + noise[:1500])
    head = header(b"0123456789", b"89E\n0123\nC 1 2\n45")
    vector("inserted-operations", "inserted bytes that look like operations", b"0123456789", b"89E\n0123\nC 1 2\n45",
           pack(head, copy(8, 2), insert(b"E\n"), copy(0, 4), insert(b"\nC 1 2\n"), copy(4, 2), END))
    out = io.BytesIO()
    with gzip.GzipFile("nama.csv", "wb", 9, out, mtime=1700000000) as f:
        f.write(json.dumps({"kind": "x", **header(b"ab", b"ba")}).encode() + b"\n" + copy(1, 1) + copy(0, 1) + END)
    vector("foreign-writer", "by another program: gzip with name and time, spaces and an unknown member in the header", b"ab", b"ba", out.getvalue())
    plain = {"format": "odp-delta-1", "from": side(b"ab", ""), "to": side(b"abab", "")}
    for s in ("from", "to"):
        del plain[s]["version"]
    vector("no-versions", "a header without versions; overlapping copies", b"ab", b"abab", pack(plain, copy(0, 2), copy(0, 2), END))


def bad_gzip(old, new, whole):
    vector("not-gzip", "a text file", old, new, b"id,nama\n1,Aceh\n", "not-gzip")
    vector("empty-delta", "a file without bytes", old, new, b"", "not-gzip")
    vector("truncated-gzip", "cut off in the middle", old, new, whole[:len(whole) // 2], "gzip")
    vector("truncated-checksum", "all operations are there, the last bytes of gzip are not", old, new, whole[:-4], "gzip")
    vector("wrong-checksum", "gzip's CRC-32 is another", old, new, whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:], "gzip")
    vector("flipped-byte", "a byte inside was changed", old, new, whole[:40] + bytes([whole[40] ^ 0x10]) + whole[41:], "gzip")
    vector("behind-gzip", "bytes behind the gzip stream", old, new, whole + b"\0", "gzip")
    vector("two-streams", "a second gzip stream behind the first", old, new, whole + gzip.compress(b"", mtime=0), "gzip")


def bad_header(old, new):
    head = header(old, new)
    operations = (insert(new), END)
    vector("header-not-json", "the first line is not JSON", old, new, pack(b"odp-delta-1\n", *operations), "header")
    vector("header-array", "JSON, but no object", old, new, pack(b"[1]\n", *operations), "header")
    vector("header-no-line", "the header has no line feed", old, new, pack(json.dumps(head).encode()), "header")
    vector("header-empty", "gzip of nothing", old, new, pack(b""), "header")
    vector("header-long", "a first line of more than 4096 bytes", old, new, pack({**head, "x": "x" * 5000}, *operations), "header")
    vector("header-format", "a later format", old, new, pack({**head, "format": "odp-delta-2"}, *operations), "header")
    vector("header-twice", "a member that is there twice", old, new,
           pack(json.dumps(head).encode()[:-1] + b',"to":{"bytes":0,"sha256":"' + hashlib.sha256(b"").hexdigest().encode() + b'"}}\n', *operations), "header")
    for name, about, other in (("negative", "a negative size", {"bytes": -1}), ("fraction", "a size that is no integer", {"bytes": 1.5}),
                               ("text", "a size as text", {"bytes": str(len(new))}), ("huge", "a size beyond 2^53 - 1", {"bytes": 2 ** 53}),
                               ("digest", "a digest that is no SHA-256", {"sha256": "00"}),
                               ("digest-case", "a digest in capital letters", {"sha256": hashlib.sha256(new).hexdigest().upper()}),
                               ("version", "a version that is no text", {"version": 1})):
        vector(f"header-{name}", about, old, new, pack({**head, "to": {**head["to"], **other}}, *operations), "header")


def bad_files(old, new):
    vector("wrong-old", "an old file of the same size, with other bytes", b"X" + old[1:], new, pack(header(old, new), insert(new), END), "old-file")
    vector("wrong-old-size", "an old file of another size", old + b"\n", new, pack(header(old, new), insert(new), END), "old-file")
    vector("wrong-new", "the result has the right size and other bytes", old, new, pack(header(old, new), insert(new[:-1] + b"!"), END), "result")
    vector("result-short", "the operations end too early", old, new, pack(header(old, new), insert(new[:-1]), END), "result")


def bad_operations(old, new):
    head, n = header(old, new), len(old)
    vector("copy-out-of-range", "one byte more than there is", old, new, pack(head, copy(1, n), END), "range")
    vector("copy-behind", "it begins behind the end", old, new, pack(head, copy(n + 1, 1), END), "range")
    vector("copy-overflow", "offset and length that overflow when they are added", old, new, pack(head, copy(2 ** 53 - 1, 1), END), "range")
    vector("result-overflow-copy", "copies beyond the size of the result", old, new, pack(head, *[copy(0, n)] * 5, END), "overflow")
    vector("result-overflow-insert", "inserts beyond the size of the result", old, new, pack(head, insert(new), insert(b"x"), END), "overflow")
    vector("huge-insert", "a length of 2^53 - 1", old, new, pack(head, b"I 9007199254740991\n", b"x"), "overflow")
    for name, about, line in (("huge-length", "a length of twenty digits", b"I 99999999999999999999\n"), ("huge-64", "a length of 2^64", b"C 0 18446744073709551616\n"),
                              ("beyond-53", "a length of 2^53", b"I 9007199254740992\n"),
                              ("zero-length", "a length of 0", b"I 0\n"), ("leading-zero", "a leading zero", b"C 00 1\n"), ("plus", "a sign", b"C +0 1\n"),
                              ("minus", "a negative offset", b"C -1 1\n"), ("two-spaces", "two spaces", b"C 0  1\n"), ("no-number", "no number", b"C 0\n"),
                              ("more-numbers", "a third number", b"C 0 1 1\n"), ("carriage-return", "CR LF", b"C 0 1\r\n"), ("hexadecimal", "a hexadecimal number", b"C 0x0 1\n"),
                              ("unknown", "an operation that is none", b"D 0 1\n"), ("small-letter", "a small letter", b"c 0 1\n"), ("blank-line", "a blank line", b"\n"),
                              ("end-with-space", "E and a space", b"E \n"), ("long-line", "a line that does not end", b"C " + b"0" * 4000)):
        vector(f"operation-{name}", about, old, new, pack(head, line, insert(new), END), "operation")
    vector("missing-end", "no E", old, new, pack(head, insert(new)), "end")
    vector("end-without-line", "E without its line feed", old, new, pack(head, insert(new), b"E"), "end")
    vector("trailing-bytes", "an operation after E", old, new, pack(head, insert(new), END, END), "end")
    vector("insert-cut", "fewer bytes than the insert has", old, new, pack(head, b"I %d\n" % len(new), new[:-3]), "end")


def main():
    good()
    old, new = table(rows(4)), table(rows(5)[1:])
    bad_gzip(old, new, pack(header(old, new), insert(new), END))
    bad_header(old, new)
    bad_files(old, new)
    bad_operations(old, new)
    (HERE / "vectors.json").write_text('{"format": "odp-delta-1", "vectors": [\n' + ",\n".join(json.dumps(v) for v in vectors) + "\n]}\n")
    known = {v["name"] for v in vectors}
    for path in HERE.iterdir():
        if path.is_dir() and path.name not in known:
            print(f"{path.name} is no vector any more")


if __name__ == "__main__":
    main()
