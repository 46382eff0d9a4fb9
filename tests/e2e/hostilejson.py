"""Damaged descriptors, and resources that lead elsewhere."""
import copy
import json

import hostilecsv
import odp
from hostilelib import Attack, descriptor, field, fifo, flips, folder, link, text_of

RICH = descriptor(
    "data", "data.csv",
    [field("kode", title={"id": "Kode", "en": "Code"}, constraints={"required": True, "pattern": "[A-Z][0-9]{3}", "maxLength": 9}), field("nama", **{"odp:privacy": ["nik"]}),
     field("nilai", "number", constraints={"minimum": 0, "maximum": 1000}, **{"sdi:satuan": "ha"}), field("jumlah", "integer", constraints={"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0]}),
     field("tanggal", "date", format="%Y-%m-%d"), field("waktu", "datetime", **{"odp:timeZone": "Asia/Jakarta"}), field("aktif", "boolean", trueValues=["true"], falseValues=["false"]),
     field("daftar", "list", delimiter=","), field("objek", "object", constraints={"jsonSchema": {"type": "object"}}), field("letak", "geopoint")],
    {"schema": {"primaryKey": ["kode"], "uniqueKeys": [["kode", "nama"]], "missingValues": ["-"], "fieldsMatch": ["equal"],
                "foreignKeys": [{"fields": ["kode"], "reference": {"resource": "", "fields": ["kode"]}}]},
     "dialect": {"delimiter": ",", "headerRows": [1]}, "encoding": "utf-8", "bytes": None,
     "odp:rules": [{"code": "r", "expr": "nilai >= 0", "message": {"id": "x", "en": "y"}}], "odp:index": [["nilai"]], "odp:severity": {"line-break": "off"}, "odp:slices": ["aktif"]},
    **{"odp:frequency": "ANNUAL", "odp:status": "active", "keywords": ["a", "b"], "licenses": [{"name": "CC-BY-4.0", "path": "https://example.org/", "title": "CC"}],
       "contributors": [{"title": "X", "roles": ["producer"], "email": "a@example.go.id"}], "sources": [{"title": "S", "path": "https://example.org/"}],
       "odp:charts": [{"name": "c", "type": "bar", "title": {"id": "T", "en": "T"}, "category": "aktif"}], "odp:retention": {"all": 100}, "odp:spatial": "Indonesia",
       "odp:temporal": {"start": "2023-01-01", "end": "2023-12-31"}, "odp:drift": {"rows": 20}, "sdi:kegiatan": {"identitas": {"judul": "J", "tahun": 2024}}, "sdi:produsenData": "P",
       "odp:publisher": {"name": "P"}, "odp:subjects": [], "odp:formerSlugs": [{"slug": "lama", "sunset": "2025-01-01"}], "odp:notifyEvery": "PT1H", "version": "1.0.0", "odp:description": {"id": "D", "en": "D"}})
del RICH["resources"][0]["bytes"]
del RICH["odp:publisher"]
JUNK = {"null": None, "true": True, "-1": -1, "1e308": 1e308, "2^63": 2**63 - 1, "empty": "", "text": "\u202e<script>\u2028\u0007", "long": "x" * 70000, "[]": [], "{}": {},
        "[[[…]]]": [[[[[[[[[[[]]]]]]]]]]], "path": "../../etc/passwd", "[null]": [None], "{:}": {"": {"": ""}}, "many": ["a"] * 5000}


def attack(name, text, files=None, **more):
    return Attack(f"json {name}", {"dataset.json": text, "data.csv": hostilecsv.sound(), **(files or {})}, **more)


def places(node, path=()):
    """All paths of a document."""
    yield path
    for k, v in (node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()):
        yield from places(v, path + (k,))


def changed(document, path, value, remove=False):
    out = copy.deepcopy(document)
    if not path:
        return value
    at = out
    for k in path[:-1]:
        at = at[k]
    if remove:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return out


def trees(document, what, make, every):
    k = 0
    for path in places(document):
        where = "/".join(map(str, path))
        for name, junk in JUNK.items():
            k += 1
            if k % every == 0:
                yield make(f"{what} /{where} = {name}", text_of(changed(document, path, junk)))
        if path and isinstance(path[-1], str):
            k += 1
            if k % every == 0:
                yield make(f"{what} without /{where}", text_of(changed(document, path, None, remove=True)))


def beside(name):
    """Makes attacks whose damaged file lies in the catalogue's folder."""
    return lambda what, text: Attack(f"json {what}", {"dataset.json": text_of(RICH), "data.csv": hostilecsv.sound()}, outside={name: text})


def texts(deep):
    good = json.dumps(RICH, indent=1).encode()
    for at in range(0, len(good), len(good) // (120 if deep else 8)):
        yield attack(f"cut at {at}", good[:at], told=True, blame="dataset.json")
    for k, data in flips(good, 31, 150 if deep else 8):
        yield attack(f"flip {k}", data)
    deep_texts = {"arrays": b"[" * 1_000_000, "arrays, closed": b"[" * 1_000_000 + b"]" * 1_000_000, "objects": b'{"a":' * 1_000_000, "arrays of 2,000": b"[" * 2000 + b"]" * 2000,
                  "objects of 2,000": b'{"a":' * 2000 + b"1" + b"}" * 2000}
    for name, data in deep_texts.items():
        yield attack(f"nested {name}", data, told=True, blame="dataset.json")
        for path in (("title",), ("resources", 0, "schema"), ("resources", 0, "schema", "fields", 0, "constraints"), ("resources", 0, "schema", "fields", 8, "constraints", "jsonSchema"), ("odp:x",)):
            yield attack(f"nested {name} in {path[-1]}", text_of(changed(RICH, path, "@@")).replace(b'"@@"', data))
        yield beside("portal.json")(f"portal nested {name}", data)
        yield beside("rules.json")(f"rules nested {name}", data)
    odd = {"empty": b"", "NUL": b"\0", "NUL in it": good[:50] + b"\0" + good[50:], "NUL behind": good + b"\0", "bom": b"\xef\xbb\xbf" + good, "two boms": b"\xef\xbb\xbf" * 2 + good,
           "UTF-16": good.decode().encode("utf-16"), "bad UTF-8": good.replace(b"Kode", b"\xff\xfe"), "overlong": good.replace(b"Kode", b"\xc0\x80"), "half surrogate": good.replace(b"Kode", b"\\ud800"),
           "NUL as \\u0000": good.replace(b"Kode", b"\\u0000"), "twice": good.replace(b'"title"', b'"name": "x", "title"', 1), "two documents": good + good, "a comma more": good.replace(b"]", b",]", 1),
           "comments": b"// x\n" + good, "17 MiB": good + b" " * (17 << 20), "16 MiB of text": good.replace(b"Kode", b"x" * 16_000_000), "numbers": good.replace(b"1000", b"1e99999"),
           "long number": good.replace(b"1000", b"9" * 100000), "NaN": good.replace(b"1000", b"NaN"), "a list": b"[]", "a text": b'"x"', "a number": b"1", "null": b"null", "lines": b"\n" * 1_000_000}
    for name, data in odd.items():
        yield attack(f"text: {name}", data)
    wide = copy.deepcopy(RICH)
    wide["resources"][0]["schema"]["fields"] += [field(f"f{k}") for k in range(60000)]
    yield attack("60,000 fields", text_of(wide), told=True)
    wide = copy.deepcopy(RICH)
    wide["resources"] = [dict(wide["resources"][0], name=f"r{k}") for k in range(3000)]
    yield attack("3,000 resources", text_of(wide))
    for name, value in (("100,000 categories", [f"k{k}" for k in range(100000)]), ("categories, equal", ["k"] * 20000)):
        many = copy.deepcopy(RICH)
        many["resources"][0]["schema"]["fields"][1]["categories"] = value
        yield attack(name, text_of(many))
    for name, value in (("100,000 missing values", [f"k{k}" for k in range(100000)]), ("key of 100,000 fields", ["kode"] * 100000)):
        many = copy.deepcopy(RICH)
        many["resources"][0]["schema"]["missingValues" if "missing" in name else "primaryKey"] = value
        yield attack(name, text_of(many))
    many = copy.deepcopy(RICH)
    many["resources"][0]["odp:rules"] = [{"code": f"r{k}", "expr": "nilai >= 0", "message": {"id": "x", "en": "y"}} for k in range(5000)]
    yield attack("5,000 rules", text_of(many))
    for name, text in (("deep", "(" * 5000 + "nilai" + ")" * 5000 + " > 0"), ("NOTs", "NOT " * 5000 + "aktif"), ("long", " AND ".join(["nilai > 0"] * 20000)), ("IN", f"jumlah IN ({','.join(map(str, range(50000)))})"),
                       ("LIKE", "nama LIKE '" + "%a" * 5000 + "'"), ("signs", "-" * 50000 + "nilai > 0"), ("number", "nilai > " + "9" * 50000), ("spatial", "S_INTERSECTS(letak, POLYGON((" + "0 0," * 30000 + "0 0)))"),
                       ("exponent", "nilai ^ 99999999 > 1"), ("zero", "nilai / 0 > 1"), ("text not ended", "nama = '" + "x" * 50000)):
        rule = copy.deepcopy(RICH)
        rule["resources"][0]["odp:rules"][0]["expr"] = text
        yield attack(f"expression: {name}", text_of(rule))


def paths():
    """Where a resource may lead."""
    def at(name, path, files=None, **more):
        package = copy.deepcopy(hostilecsv.PACKAGE)
        package["resources"][0]["path"] = path
        return attack(f"path {name}", text_of(package), files, **more)
    for path in ("../data.csv", "../../secret.txt", "../../../secret.txt", "/etc/passwd", "a/../../data.csv", "./data.csv", "data.csv/", "data.csv/../../x", "..\\data.csv", "C:\\x.csv", "//etc/passwd",
                 "file:///etc/passwd", "http://127.0.0.1:1/x.csv", "https://127.0.0.1:1/x.csv", "~/x.csv", "", ".", "..", "...", " ", "x" * 5000 + ".csv", "a/" * 3000 + "x.csv", "data.csv\n", "dat\u0000a.csv",
                 ".hidden.csv", "a/.b/c.csv", "-rf.csv", "\u202evsc.csv", "data.csv ", "%2e%2e/secret.txt", "data.csv?x", "data.csv#x", "dataset.json", "/dev/stdin", "/dev/zero", "/proc/self/environ", "|id", "$(id).csv"):
        yield at(repr(path[:24]), path, told=True)
    for path in ([], ["data.csv", "../../secret.txt"], ["/etc/passwd"], [["data.csv"]], {"a": 1}, ["data.csv"] * 3000, 7, None):
        yield at(str(path)[:30], path)
    for name, make in (("link to /etc/passwd", link("/etc/passwd")), ("link to a secret", link("../../../secret.txt")), ("link to itself", link("data.csv")), ("link to nothing", link("nothing")),
                       ("link to /dev/zero", link("/dev/zero")), ("link to /dev/urandom", link("/dev/urandom")), ("link to /dev/tty", link("/dev/tty")), ("link to /proc/self/mem", link("/proc/self/mem")), ("a fifo", fifo), ("a folder", folder),
                       ("link to a folder", link("..")), ("link to /proc/self/environ", link("/proc/self/environ"))):
        yield at(f"data.csv is a {name}", "data.csv", {"data.csv": make}, told=True, blame="data.csv")
        yield Attack(f"json dataset.json is a {name}", {"dataset.json": make, "data.csv": hostilecsv.sound()}, told=True)
        yield Attack(f"json portal.json is a {name}", {"dataset.json": text_of(RICH), "data.csv": hostilecsv.sound()}, outside={"portal.json": make}, told=True, blame="portal.json")
        yield Attack(f"json rules.json is a {name}", {"dataset.json": text_of(RICH), "data.csv": hostilecsv.sound()}, outside={"rules.json": make}, told=True, blame="rules.json")
        yield Attack(f"json theme's css is a {name}", {"dataset.json": text_of(RICH), "data.csv": hostilecsv.sound()}, outside={"theme.json": b'{"css": "extra.css"}', "extra.css": make}, told=True)
    yield at("a folder that is a link out", "sub/secret.csv", {"sub": link("../../..")}, told=True)
    yield Attack("json dataset.json is a link to a secret", {"dataset.json": link("../../../secret.json")}, told=True)


def attacks(deep):
    yield from texts(True) if deep else (a for a in texts(False) if sum(len(d) for d in a.files.values() if isinstance(d, bytes)) < 500_000)
    yield from list(paths())[::1 if deep else 5]
    yield from trees(RICH, "dataset", attack, 3 if deep else 240)
    portal = json.loads((odp.SOURCE / "tests/cases/_common/portal.json").read_text())
    changes = json.loads((odp.SOURCE / "tests/cases/_common/changes.json").read_text())
    rules = {"rules": [{"code": "r", "message": {"id": "x", "en": "y"}, "each": "data", "group": ["kode"], "select": {"n": "COUNT()"}, "expr": "n < 2"}]}
    theme = {"light": {"accent": "#003366"}, "dark": {"accent": "#99ccff"}}
    for name, document, every in (("portal.json", portal, 4), ("changes.json", changes, 1), ("rules.json", rules, 1), ("theme.json", theme, 1)):
        yield from trees(document, name, beside(name), every if deep else every * 40)
