"""Damaged shapefiles, in their folder and in a zip."""
import io
import struct
import sys
import zipfile

import odp
from hostilelib import Attack, descriptor, field, flips, link, fifo, folder, text_of

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import shapes  # noqa: E402

FIELDS = [field("kode"), field("luas", "number"), field("tgl", "date"), field("ya", "boolean")]
COLUMNS = [["kode", "C", 10, 0], ["luas", "N", 12, 3], ["tgl", "D", 8, 0], ["ya", "L", 1, 0]]
NUMBERS = [0, 1, -1, 2, 0x7FFFFFFF, -0x80000000, 0x10000, 99999, -9994]
DOUBLES = {"NaN": float("nan"), "inf": float("inf"), "-inf": float("-inf"), "huge": 1e308, "no data": -1e39, "denormal": 5e-324, "-0": -0.0, "far": 1e15}
TYPES = {"Point": 1, "LineString": 3, "Polygon": 5, "MultiPoint": 8}


def square(x, y, d=0.1):
    return [[x, y], [x, y + d], [x + d, y + d], [x + d, y], [x, y]]


SHAPES = {1: lambda k: [106 + k / 10, -6], 8: lambda k: [[106 + k / 10, -6], [107, -7]], 3: lambda k: [[[106, -6], [106 + k / 10, -6.5], [107, -7]]],
          5: lambda k: [square(106 + k, -6), list(reversed(square(106.02 + k, -5.98, 0.02)))]}


def job(kind=5, **more):
    records = [{"shape": SHAPES[kind](k), "values": [f"A{k}", k + 0.5, "20240102", "T"]} for k in range(4)]
    return {"name": "data", "type": kind, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": COLUMNS, "records": records, **more}


def parts(kind=5):
    j = job(kind)
    shp, shx = shapes.shp_and_shx(j)
    return {"shp": shp, "shx": shx, "dbf": shapes.dbf(j), "prj": shapes.WGS84.encode(), "cpg": b"UTF-8"}


def package(path="data.shp", **more):
    table = {"odp:geometry": {"types": ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"]}, **more}
    return descriptor("data", path, FIELDS, table, **{"odp:formats": ["CSV", "GeoJSON"]})


def attack(name, changed, kind=5, descriptor_of=None, **more):
    """CHANGED: extension -> bytes, None (not there) or a callable."""
    files = {f"data.{e}": content for e, content in {**parts(kind), **changed}.items() if content is not None}
    return Attack(f"shape {name}", {"dataset.json": text_of(descriptor_of or package()), **files}, blame="data", **more)


def poked(data, at, form, value):
    out = bytearray(data)
    struct.pack_into(form, out, at, value)
    return bytes(out)


def truncated():
    whole = parts()
    for e in ("shp", "shx", "dbf", "prj", "cpg"):
        data = whole[e]
        places = {0, 1, 4, 24, 28, 32, 36, 99, 100, 101, 104, 108, 112, 120, 144, 148, 152, 156, 160, 180, 200, 8, 10, 12, 31, 33, 64, 65, 66, len(data) - 1, len(data) // 2}
        for at in sorted(p for p in places if p < len(data)):
            yield attack(f".{e} cut at {at}", {e: data[:at]})
        yield attack(f".{e} is not there", {e: None})
        yield attack(f".{e} is empty", {e: b""})
        yield attack(f".{e} doubled", {e: data + data})
        yield attack(f".{e} all ff", {e: b"\xff" * len(data)})
        yield attack(f".{e} all NUL", {e: b"\0" * len(data)})
        for name, make in (("a fifo", fifo), ("a folder", folder), ("a link to itself", link(f"data.{e}")), ("/dev/zero", link("/dev/zero")), ("/dev/full", link("/dev/full")),
                           ("a link out", link("../../../secret.txt"))):
            yield attack(f".{e} is {name}", {e: make})


def numbers():
    """Every count, length and offset of all three files, with values that lie; in both byte orders."""
    whole = parts()
    shp = {"code": 0, "length": 24, "version": 28, "type": 32, "number": 100, "record length": 104, "shape type": 108, "parts": 144, "points": 148, "part 0": 152, "part 1": 156}
    shx = {"length": 24, "type": 32, "offset 0": 100, "length 0": 104, "offset 1": 108, "length 3": 128}
    for e, places in (("shp", shp), ("shx", shx)):
        for name, at in places.items():
            for v in NUMBERS:
                for form in ("<i", ">i"):
                    data = poked(whole[e], at, form, v)
                    if data != whole[e]:
                        yield attack(f".{e} {name} = {v} ({form})", {e: data})
    for kind, places in ((3, {"parts": 144, "points": 148, "part 0": 152}), (8, {"points": 144}), (1, {"shape type": 108})):
        data = parts(kind)["shp"]
        for name, at in places.items():
            for v in NUMBERS + [3, 5, 8, 11, 13, 15, 18, 21, 23, 25, 28, 31]:
                yield attack(f"type {kind} .shp {name} = {v}", {"shp": poked(data, at, "<i", v)}, kind)
    size = len(whole["shx"])
    yield attack(".shx same record four times", {"shx": whole["shx"][:100] + whole["shx"][100:108] * ((size - 100) // 8)})
    yield attack(".shx backwards", {"shx": whole["shx"][:100] + b"".join(whole["shx"][a:a + 8] for a in range(size - 8, 99, -8))})
    yield attack(".shx overlapping", {"shx": poked(whole["shx"], 108, ">i", struct.unpack_from(">i", whole["shx"], 100)[0] + 2)})
    many = poked(whole["shx"][:100] + whole["shx"][100:108] * 500000, 24, ">i", (100 + 8 * 500000) // 2)
    yield attack(".shx of 500,000 records at one place", {"shx": many}, told=True)


def doubles():
    whole = parts()["shp"]
    places = {"file box": 36, "file z": 68, "record box": 112, "x": 160, "y": 168, "last y": 160 + 8 * 19}
    for name, at in places.items():
        for what, v in DOUBLES.items():
            yield attack(f".shp {name} = {what}", {"shp": poked(whole, at, "<d", v)})
    for what, v in DOUBLES.items():
        yield attack(f"point x = {what}", {"shp": poked(parts(1)["shp"], 112, "<d", v)}, 1)
        yield attack(f"UTM point x = {what}", {"shp": poked(parts(1)["shp"], 112, "<d", v), "prj": shapes.UTM48S.encode()}, 1)


def geometries():
    """Shapes that are well framed and hostile."""
    def shape(name, rings, kind=5, **more):
        j = job(kind)
        j["records"][0]["shape"] = rings
        shp, shx = shapes.shp_and_shx(j)
        return attack(name, {"shp": shp, "shx": shx}, kind, **more)
    yield shape("no ring", [])
    yield shape("empty rings", [[], [], []])
    yield shape("one point", [[[106, -6]]])
    yield shape("a point a thousand times", [[[106, -6]] * 1000])
    yield shape("20,000 rings of one place", [square(106, -6)] * 20000, told=True)
    yield shape("20,000 holes, nested", [square(100, -10, 20)] + [list(reversed(square(100 + k / 40000, -10 + k / 40000, 20 - k / 20000))) for k in range(1, 20000)], told=True)
    yield shape("20,000 holes without shells", [list(reversed(square(100 + k % 200 / 10, -9 + k // 200 / 10, 0.01))) for k in range(20000)])
    yield shape("a comb of 100,000 teeth", [[[100, -5]] + [[100 + k / 10000, -5 + k % 2] for k in range(100000)] + [[110, -6], [100, -6], [100, -5]]])
    yield shape("a knot of 3,000 sides", [[[100 + (k * 7919) % 3000 / 1000, -6 + (k * 104729) % 3001 / 1000] for k in range(3000)] + [[100, -6]]], told=True)
    yield shape("a line of 200,000 points", [[[100 + (k * 7919) % 1000 / 100, -6 + (k * 104729) % 1001 / 1000] for k in range(200000)]], 3)
    yield shape("a line of 100,000 parts", [[[100, -6], [101, -6]]] * 100000, 3)
    yield shape("100,000 points", [[100 + k / 100000, -6] for k in range(100000)], 8)


def tables():
    data = parts()["dbf"]
    for name, at, form, bits in (("records", 4, "<I", 32), ("header length", 8, "<H", 16), ("record length", 10, "<H", 16), ("version", 0, "<B", 8), ("memo", 28, "<B", 8),
                                 ("driver", 29, "<B", 8), ("field length", 32 + 16, "<B", 8), ("decimals", 64 + 17, "<B", 8), ("field type", 32 + 11, "<B", 8)):
        for v in (0, 1, 2, 5, 31, 32, 33, 127, 128, 254, 255, 65535, 65534, 0x7FFFFFFF, 0xFFFFFFFF):
            if v < 1 << bits:
                yield attack(f".dbf {name} = {v}", {"dbf": poked(data, at, form, v)})
    head = 32 + 32 * len(COLUMNS)
    yield attack(".dbf without the header's end", {"dbf": data[:head] + b" " + data[head + 1:]})
    yield attack(".dbf name not ended", {"dbf": data[:32] + b"\xffabcdefghij" + data[43:]})
    yield attack(".dbf name empty", {"dbf": data[:32] + b"\0" * 11 + data[43:]})
    yield attack(".dbf same name twice", {"dbf": data[:64] + b"kode\0" + data[69:]})
    yield attack(".dbf bad deletion marks", {"dbf": data[:head + 1] + b"\x00" + data[head + 2:]})
    yield attack(".dbf text with NUL and controls", {"dbf": data[:head + 2] + b"\0\x1a\x1b\xff\xfe" + data[head + 7:]})
    for n in (255, 1000, 2046, 2047):
        header = struct.pack("<4BIHH20x", 3, 124, 1, 1, 4, min(33 + 32 * n, 65535), min(1 + n, 65535))
        wide = header + b"".join(f"f{i}".encode().ljust(11, b"\0") + b"C" + b"\0" * 4 + b"\x01\0" + b"\0" * 14 for i in range(n)) + b"\r" + (b" " + b"x" * n) * 4
        yield attack(f".dbf of {n} columns", {"dbf": wide}, told=True)
    for code in (0x57, 0x00, 0xFF, 0x13, 0xC8):
        yield attack(f".dbf driver {code:#x}, no .cpg", {"dbf": poked(data, 29, "<B", code), "cpg": None})


def sidecars():
    wgs = shapes.WGS84.encode()
    prj = {"of 10 MB": wgs + b" " * 10_000_000, "10 MB of names": wgs.replace(b"GCS_WGS_1984", b"x" * 10_000_000), "nested": b"GEOGCS[" * 100000, "nested and closed": b"PARAMETER[" * 9000 + b"]" * 9000,
           "NUL": wgs[:20] + b"\0" + wgs[20:], "garbage": bytes(range(256)), "a PROJ string": b"+proj=longlat +datum=WGS84", "init": b"+init=../../../../etc/passwd:1",
           "a pipeline": b"+proj=pipeline +step +proj=hgridshift +grids=/etc/passwd", "grids": b"+proj=longlat +nadgrids=/etc/passwd +type=crs", "a URL": b"http://127.0.0.1:1/crs",
           "a name": b"EPSG:4326", "EPSG of nothing": b"EPSG:999999999999", "JSON": b'{"$schema":"x","type":"GeographicCRS"}', "extension": wgs[:-1] + b',EXTENSION["PROJ4_GRIDS","/etc/passwd"]]',
           "radius 0": wgs.replace(b"6378137.0", b"0"), "radius NaN": wgs.replace(b"6378137.0", b"nan"), "radius -1": wgs.replace(b"6378137.0", b"-1"), "radius 1e400": wgs.replace(b"6378137.0", b"1e400"),
           "flattening 0": wgs.replace(b"298.257223563", b"0"), "unit 0": wgs.replace(b"0.0174532925199433", b"0"), "scale 0": shapes.UTM48S.encode().replace(b"0.9996", b"0"),
           "middle 1e300": shapes.UTM48S.encode().replace(b"105.0", b"1e300"), "quotes": b'GEOGCS["' + b'""' * 30000, "only brackets": b"[" * 60000, "empty name": wgs.replace(b"GCS_WGS_1984", b""),
           "UTF-16": wgs.decode().encode("utf-16"), "a projection nobody has": shapes.UTM48S.encode().replace(b"Transverse Mercator", b"Peta Saya")}
    for name, data in prj.items():
        yield attack(f".prj {name}", {"prj": data})
    cpg = {"of 10 MB": b"UTF-8" + b" " * 10_000_000, "garbage": bytes(range(256)), "IGNORE": b"utf-8//IGNORE", "UTF-7": b"UTF-7", "UTF-16": b"UTF-16", "NUL": b"\0UTF-8", "path": b"../../etc/passwd",
           "lines": b"UTF-8\nlatin1\n", "bom": b"\xef\xbb\xbfUTF-8", "number": b"65001", "large number": b"9" * 500, "iso": b"ISO-2022-JP"}
    for name, data in cpg.items():
        yield attack(f".cpg {name}", {"cpg": data})
    for operation in ("+proj=pipeline +step +proj=hgridshift +grids=/etc/passwd", "@/etc/passwd", "+proj=pipeline " * 10000, "", "x\0y", "http://127.0.0.1:1/", "+init=/etc/passwd:1"):
        yield attack(f"operation {operation[:30]!r}", {"prj": shapes.UTM48S.encode()}, descriptor_of=package(**{"odp:crsOperation": operation}))
        yield attack(f"system {operation[:30]!r}", {"prj": None}, descriptor_of=package(**{"odp:geometry": {"types": ["Polygon"], "crs": operation}}))


# ---- zip ----------------------------------------------------------------------------------------------------------------


def zipped(members, kind=zipfile.ZIP_DEFLATED):
    """MEMBERS: (name, bytes) or (ZipInfo, bytes)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as z:
        for name, data in members:
            z.writestr(name, data)
    return out.getvalue()


def all_parts(stem="data", **changed):
    return [(f"{stem}.{e}", d) for e, d in {**parts(), **changed}.items() if d is not None]


def archive(name, data, **more):
    return Attack(f"zip {name}", {"dataset.json": text_of(package("data.zip")), "data.zip": data}, blame="data.zip", **more)


def entry(name, mode):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def find_all(data, mark):
    at = data.find(mark)
    while at >= 0:
        yield at
        at = data.find(mark, at + 1)


def archives(deep):
    import warnings
    warnings.simplefilter("ignore")  # duplicate names are what is wanted
    good = zipped(all_parts())
    for stem in ("../data", "../../../../tmp/odp-hostile", "/tmp/odp-hostile", "a/../../b", "C:\\data", "..\\data", "a\\b", "x" * 60000, "data\n", "\x1b[2J", "<script>", "é", "dat\0a", " ", ".data", "."):
        yield archive(f"entries {stem[:24]!r}", zipped(all_parts(stem)))
    yield archive("a symbolic link for .shp", zipped([(entry("data.shp", 0o120777), "/etc/passwd")] + all_parts(shp=None)), told=True)
    yield archive("a symbolic link for .prj", zipped(all_parts(prj=None) + [(entry("data.prj", 0o120777), "/etc/passwd")]))
    yield archive("a fifo for .dbf", zipped(all_parts(dbf=None) + [(entry("data.dbf", 0o010777), b"")]), told=True)
    yield archive("a folder called .shp", zipped([(entry("data.shp/", 0o040755), b"")] + all_parts(shp=None)), told=True)
    yield archive("parts twice", zipped(all_parts() + all_parts()))
    yield archive(".dbf twice, the second bad", zipped(all_parts() + [("data.dbf", b"x" * 100)]), told=True)
    yield archive(".SHP and .shp", zipped(all_parts() + [("DATA.SHP", b"x" * 200)]))
    yield archive("a zip in a zip", zipped([("data.zip", good)]), told=True)
    yield archive("nothing", zipped([]), told=True)
    yield archive("empty file", b"", told=True)
    yield archive("60,000 entries", zipped([(f"{k}.txt", b"") for k in range(60000)] + all_parts(), zipfile.ZIP_STORED))
    yield archive("a bomb in .shp", zipped(all_parts(shp=parts()["shp"] + bytes(400_000_000))), told=True)
    yield archive("a bomb in .prj", zipped(all_parts(prj=parts()["prj"] + b" " * 200_000_000)))
    yield archive("a bomb nobody reads", zipped([("lain.txt", bytes(200_000_000))] + all_parts()))
    for kind in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED):
        yield archive(f"method {kind}", zipped(all_parts(), kind))
    yield archive("junk in front", b"junk" * 1000 + good)
    yield archive("junk behind", good + b"junk" * 20000)
    yield archive("twice", good + good)
    local, central, end = list(find_all(good, b"PK\x03\x04")), list(find_all(good, b"PK\x01\x02")), good.rfind(b"PK\x05\x06")
    for what, base, places in (("local", local[0], {"flags": (6, "<H"), "method": (8, "<H"), "crc": (14, "<I"), "packed": (18, "<I"), "size": (22, "<I"), "name": (26, "<H"), "extra": (28, "<H")}),
                               ("central", central[0], {"flags": (8, "<H"), "method": (10, "<H"), "crc": (16, "<I"), "packed": (20, "<I"), "size": (24, "<I"), "name": (28, "<H"), "extra": (30, "<H"),
                                                        "comment": (32, "<H"), "disk": (34, "<H"), "offset": (42, "<I")}),
                               ("end", end, {"disk": (4, "<H"), "disks": (6, "<H"), "here": (8, "<H"), "entries": (10, "<H"), "length": (12, "<I"), "offset": (16, "<I"), "comment": (20, "<H")})):
        for name, (at, form) in places.items():
            for v in ([0, 1, 8, 99, 0x7FFF, 0xFFFF] if form == "<H" else [0, 1, 100, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF]):
                if struct.unpack_from(form, good, base + at)[0] != v:
                    yield archive(f"{what} {name} = {v}", poked(good, base + at, form, v))
    yield archive("overlapping entries", poked(good, central[1] + 42, "<I", struct.unpack_from("<I", good, central[0] + 42)[0]), told=True)
    for n in range(0, len(good), max(1, len(good) // (60 if deep else 12))):
        yield archive(f"cut at {n}", good[:n])
    for k, data in flips(good, 17, 120 if deep else 10):
        yield archive(f"flip {k}", data)
    zip64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 2**63, 2**63, 2**64 - 1, 2**64 - 1) + struct.pack("<IIQI", 0x07064B50, 0, end, 1)
    yield archive("zip64 that lies", good[:end] + zip64 + poked(poked(good[end:], 16, "<I", 0xFFFFFFFF), 10, "<H", 0xFFFF), told=True)
    yield archive("zip64 locator far away", good[:end] + struct.pack("<IIQI", 0x07064B50, 0, 2**62, 1) + poked(good[end:], 16, "<I", 0xFFFFFFFF))


def attacks(deep):
    def some(what, every):
        return list(what)[::1 if deep else every]
    yield from some(truncated(), 11)
    yield from some(numbers(), 23)
    yield from some(doubles(), 9)
    yield from list(geometries()) if deep else []
    yield from some(tables(), 9)
    yield from some((a for a in sidecars() if deep or sum(len(d) for d in a.files.values() if isinstance(d, bytes)) < 1_000_000), 5)
    for e in ("shp", "shx", "dbf", "prj"):
        for k, data in flips(parts()[e], 23, 60 if deep else 3):
            yield attack(f".{e} flip {k}", {e: data})
    yield from some((a for a in archives(deep) if deep or "bomb" not in a.name), 7)
