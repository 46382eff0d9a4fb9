"""Damaged CSV files."""
import random

from hostilelib import Attack, descriptor, field, flips, text_of

FIELDS = [field("kode", constraints={"required": True, "pattern": "[A-Z][0-9]{3}"}), field("nama"), field("nilai", "number"), field("jumlah", "integer"),
          field("tanggal", "date"), field("waktu", "datetime", **{"odp:timeZone": "Asia/Jakarta"}), field("aktif", "boolean"), field("daftar", "list"),
          field("objek", "object"), field("letak", "geopoint")]
PACKAGE = descriptor("data", "data.csv", FIELDS, {"schema": {"primaryKey": ["kode"]}})
HEADER = ",".join(f["name"] for f in FIELDS)


def row(k, nama="Nama", **more):
    cells = {"kode": f"A{k:03}", "nama": nama, "nilai": f"{k}.5", "jumlah": str(k), "tanggal": "2024-01-02", "waktu": "2024-01-02T03:04:05", "aktif": "true",
             "daftar": '"a,b"', "objek": '"{""a"": [1]}"', "letak": '"106.8,-6.2"', **more}
    return ",".join(cells[f["name"]] for f in FIELDS)


def sound(n=12):
    names = ['"Jalan ""Raya"""', '"dua\nbaris"', "Kelurahan Ñandú", "", '""', "東京"]
    return ("\n".join([HEADER] + [row(k, names[k % len(names)]) for k in range(n)]) + "\n").encode()


def attack(name, data, package=PACKAGE, **more):
    return Attack(f"csv {name}", {"dataset.json": text_of(package), "data.csv": data}, blame="data", **more)


def with_dialect(**more):
    return descriptor("data", "data.csv", FIELDS, {"dialect": more})


def truncated(step):
    data = sound()
    places = [i for i, b in enumerate(data) if b in b',"\n'] + list(range(0, len(data), 37))
    for at in sorted(set(places))[::step]:
        yield attack(f"cut at {at}", data[:at])


def inserted():
    bad = {"NUL": b"\0", "CR": b"\r", "CRCR": b"\r\r\n", "overlong": b"\xc0\x80", "surrogate": b"\xed\xa0\x80", "beyond": b"\xf5\x80\x80\x80", "ff": b"\xff", "tail": b"\x80",
           "half": b"\xe2\x82", "bom": b"\xef\xbb\xbf", "utf16": b"\xff\xfe", "utf32": b"\x00\x00\xfe\xff", "2028": b"\xe2\x80\xa8", "bidi": b"\xe2\x80\xae", "quote": b'"',
           "quotes": b'""', "three": b'"""', "VT": b"\x0b", "ESC": b"\x1b[2J\x1b]0;x\x07", "noncharacter": b"\xef\xbf\xbf", "LF": b"\n", "delimiters": b",,,,,,,,,,,,", "1a": b"\x1a"}
    data = sound()
    places = {"front": 0, "label": 3, "header end": len(HEADER), "cell": len(HEADER) + 3, "quoted": data.index(b"Raya"), "number": data.index(b"1.5"), "end": len(data)}
    for name, more in bad.items():
        for where, at in places.items():
            yield attack(f"{name} in {where}", data[:at] + more + data[at:])


def quotes():
    lines = sound(40).split(b"\n")
    for k in (0, 1, 2, 20, 39):
        for where in (b'"', b'x"', b'"x"y', b'"""'):
            changed = list(lines)
            changed[k] = where + changed[k]
            yield attack(f"quote {where!r} on line {k}", b"\n".join(changed))
    yield attack("quotes alone", b'"' * 1000001, told=True)
    yield attack("a quote a line", (HEADER + "\n").encode() + b'"\n' * 50000, told=True)
    yield attack("text behind quotes, many", (HEADER + "\n").encode() + b'"a"b,' * 100000, told=True)


def large():
    yield attack("field of 10 MB", (HEADER + "\n" + row(1, "x" * 10_000_000) + "\n").encode())
    yield attack("quoted field of 10 MB", (HEADER + "\n" + row(1, '"' + "x\n" * 5_000_000 + '"') + "\n").encode())
    yield attack("doubled quotes, 10 MB", (HEADER + "\n" + row(1, '"' + '""' * 5_000_000 + '"') + "\n").encode())
    yield attack("record of 17 MiB", (HEADER + "\n" + row(1, "x" * (17 << 20)) + "\n" + row(2) + "\n").encode(), told=True)
    yield attack("label of 17 MiB", b"x" * (17 << 20), told=True)
    yield attack("number of 5 MB", (HEADER + "\n" + row(1, nilai="1" * 5_000_000) + "\n").encode(), told=True)
    yield attack("header of 100,000 columns", (",".join(f"k{i}" for i in range(100000)) + "\n").encode(), told=True)
    yield attack("header of 100,000 columns of ours", (HEADER + "," + ",".join(f"k{i}" for i in range(100000)) + "\n" + row(1) + "," * 100000 + "\n").encode(), told=True)
    yield attack("header of one label 100,000 times", (",".join(["kode"] * 100000) + "\n" + "a," * 99999 + "a\n").encode(), told=True)
    yield attack("blank labels", (HEADER + "," * 2_000_000 + "\n" + row(1) + "\n").encode(), told=True)
    yield attack("row of a million cells", (HEADER + "\n" + "," * 1_000_000 + "\n" + row(2) + "\n").encode(), told=True)
    yield attack("rows of many cells", (HEADER + "\n" + ("," * 20000 + "\n") * 300).encode(), told=True)
    yield attack("a million blank lines", (HEADER + "\n").encode() + b"\n" * 1_000_000 + row(1).encode(), told=True)
    yield attack("blank lines before the header", b"\r\n" * 500_000 + sound())
    yield attack("spaces", b" " * 20_000_000, told=True)
    yield attack("CR alone", sound().replace(b"\n", b"\r"))
    yield attack("CR, 3 MB", b"\r" * 3_000_000, told=True)
    yield attack("NUL, 3 MB", b"\0" * 3_000_000, told=True)
    yield attack("ff, 3 MB", b"\xff" * 3_000_000, told=True)
    yield attack("random", random.Random(5).randbytes(300_000), told=True)
    yield attack("same key many times", (HEADER + "\n" + (row(1) + "\n") * 20000).encode(), told=True)
    yield attack("bad bytes many times", (HEADER + "\n" + (row(1, "\udcff") + "\n") * 20000).encode("utf-8", "surrogateescape"), told=True)
    yield attack("empty", b"", told=True)
    yield attack("a line feed", b"\n", told=True)
    yield attack("a header without line end", HEADER.encode())
    yield attack("bom alone", b"\xef\xbb\xbf", told=True)


def values():
    deep = 1_000_000
    cells = {"JSON, deep arrays": {"objek": '"' + "[" * deep + '"'}, "JSON, deep objects": {"objek": '"' + '{""a"":' * deep + '"'},
             "JSON, deep and closed": {"objek": '"{""a"":' + "[" * deep + "]" * deep + '}"'}, "JSON of 199": {"objek": '"{""a"":' + "[" * 199 + "]" * 199 + '}"'},
             "JSON, half surrogate": {"objek": '"{""a"": ""\\ud800""}"'}, "JSON, NUL": {"objek": '"{""a"": ""\\u0000""}"'}, "JSON, twice": {"objek": '"{""a"":1,""a"":2}"'},
             "exponent": {"nilai": "1e999999999999"}, "small exponent": {"nilai": "1e-999999999999"}, "exponent of int64": {"nilai": "1e9223372036854775808"},
             "400 digits": {"nilai": "9" * 400}, "integer of 400 digits": {"jumlah": "-" + "9" * 400}, "minus zero": {"jumlah": "-0", "nilai": "-0.0"},
             "NaN": {"nilai": "NaN"}, "INF": {"nilai": "-INF"}, "hex": {"nilai": "0x1p3"}, "full width": {"jumlah": "１２"},
             "year": {"tanggal": "99999999999-01-01"}, "day": {"tanggal": "2024-02-31"}, "negative year": {"tanggal": "-0001-01-01"}, "year 0": {"tanggal": "0000-00-00"},
             "hour": {"waktu": "2024-01-02T99:99:99"}, "offset": {"waktu": "2024-01-02T03:04:05+99:99"}, "fraction": {"waktu": "2024-01-02T03:04:05." + "1" * 100000 + "Z"},
             "letak, far": {"letak": '"1e308,1e308"'}, "letak, NaN": {"letak": '"nan,inf"'}, "letak, many": {"letak": '"' + "1," * 100000 + '1"'},
             "list of a million": {"daftar": '"' + "a," * 1_000_000 + 'a"'}, "list, blank": {"daftar": '"' + "," * 1_000_000 + '"'},
             "combining": {"nama": "a" + "\u0301" * 100000}, "zalgo, bidi": {"nama": "\u202e" * 1000}}
    for name, cell in cells.items():
        yield attack(f"value: {name}", (HEADER + "\n" + row(1, **cell) + "\n").encode())
    pattern = descriptor("data", "data.csv", [field("kode", constraints={"pattern": "(a+)+b"}), field("nama", constraints={"pattern": "(?:(?:a?)*)*c"})])
    yield attack("a pattern without end", ("kode,nama\n" + ("a" * 5000 + "," + "a" * 5000 + "\n") * 30).encode(), pattern, told=True)
    for name, code in (("back reference", "(a)\\1{1000}"), ("recursion", "(?R)"), ("look-behind", "(?<=a*)b"), ("callout", "(?C1)a"), ("verb", "(*LIMIT_MATCH=99999999)(a+)+b"),
                       ("large repeat", "((a{1,1000}){1,1000}){1,1000}"), ("deep", "(" * 5000 + "a" + ")" * 5000), ("\\C", "\\C\\C"), ("long", "a|" * 100000 + "b")):
        yield attack(f"pattern: {name}", b"kode\n" + b"a" * 3000 + b"\n", descriptor("data", "data.csv", [field("kode", constraints={"pattern": code})]))


def encodings():
    data = sound()
    for name, raw in (("utf-16", data.decode().encode("utf-16")), ("utf-16le", data.decode().encode("utf-16-le")), ("utf-16", data.decode().encode("utf-16")[:-1]),
                      ("utf-16", b"\xff\xfe" + b"\x00\xd8" * 1000), ("utf-16be", b"\xd8\x00" * 1001), ("utf-32", data.decode().encode("utf-32")),
                      ("utf-7", b"+AGEAYg-" * 1000), ("utf-7", b"+" * 100000), ("iso-2022-jp", b"\x1b$B" * 10000), ("iso-2022-kr", b"\x1b$)C\x0e" * 1000), ("hz", b"~{" * 10000),
                      ("windows-1252", bytes(range(256)) * 10), ("utf-8//IGNORE", data), ("", data), ("../../etc/passwd", data), ("x" * 100000, data), ("utf-8\0x", data),
                      ("utf-ebcdic", data), ("unicode", data), ("java", b"\\ud800" * 1000), ("c99", b"\\U00110000"), ("big5-hkscs", b"\x88\x62" * 999), ("tcvn", data),
                      ("char", data), ("wchar_t", data), ("ucs-2-internal", data + b"x"), ("ascii", data), ("utf-8", b"\xef\xbb\xbf" * 100 + data)):
        yield attack(f"encoding {name[:20]!r}, {len(raw)} bytes", raw, descriptor("data", "data.csv", FIELDS, {"encoding": name}))


def dialects():
    data = sound()
    for more in ({"delimiter": "\n"}, {"delimiter": '"'}, {"delimiter": "\0"}, {"delimiter": ""}, {"delimiter": "ab"}, {"delimiter": "é"}, {"quoteChar": ","}, {"quoteChar": "\r"},
                 {"escapeChar": '"'}, {"escapeChar": "\\", "doubleQuote": False}, {"commentChar": ","}, {"commentChar": "k"}, {"headerRows": [0]}, {"headerRows": [2147483648]},
                 {"headerRows": [1, 1]}, {"headerRows": list(range(1, 100001))}, {"headerRows": [-1]}, {"headerRows": []}, {"headerRows": [5, 3]}, {"commentRows": [1, 2, 3]},
                 {"header": False}, {"skipInitialSpace": True}, {"lineTerminator": "\r"}, {"lineTerminator": "xyz"}, {"headerJoin": "x" * 100000, "headerRows": [1, 2, 3]},
                 {"nullSequence": ""}, {"delimiter": ";"}, {"delimiter": "\t"}, {"property": "x", "itemType": "y"}, {"headerRows": [9999999]}, {"header": True, "headerRows": [13]}):
        yield attack(f"dialect {str(more)[:60]}", data, with_dialect(**more))
    escaped = b'kode,nama\\\n"' + b"\\" * 100001
    yield attack("escapes to the end", escaped, with_dialect(escapeChar="\\", doubleQuote=False), told=True)


def attacks(deep):
    yield from truncated(1 if deep else 20)
    yield from (attack(f"flip {k}", data) for k, data in flips(sound(), 11, 150 if deep else 8))
    yield from list(inserted())[::1 if deep else 11]
    yield from list(quotes())[::1 if deep else 4]
    yield from list(large()) if deep else [a for a in large() if sum(map(len, a.files.values())) < 1_500_000]
    yield from list(values())[::1 if deep else 3]
    yield from list(encodings())[::1 if deep else 4]
    yield from list(dialects())[::1 if deep else 4]
