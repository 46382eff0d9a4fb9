"""Writes small shapefiles out of shape.json, so that a case can be read (ESRI Shapefile Technical Description, 1998; dBASE III).

    {"name": "titik", "type": 1, "prj": "EPSG:4326" | WKT | null, "cpg": "UTF-8" | null,
     "fields": [["id", "C", 10, 0], ["luas", "N", 8, 2]],
     "records": [{"shape": [106.8, -6.2], "values": ["a", 12.5]}, {"shape": null, …}],
     "without": ["shx"], "deleted": [0], "truncate": {"shp": 40}, "append": {"shp": 8}, "poke": {"dbf": {"4": 7}},
     "zip": ["satu", …], "inside": "dalam.zip": that archive in another one, beside a text}

A point is [x, y]; lines and polygons are lists of parts, a part a list of points. Values are written as they stand, so a
case can hold bytes of any encoding (\\u0000 to \\u00FF stand for bytes when "bytes" is true).
"""
import struct
import zipfile

WGS84 = ('GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],'
         'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]')
UTM48S = ('PROJCS["WGS_1984_UTM_Zone_48S",' + WGS84 + ',PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],'
          'PARAMETER["False_Northing",10000000.0],PARAMETER["Central_Meridian",105.0],PARAMETER["Scale_Factor",0.9996],'
          'PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]')
PROJECTIONS = {"EPSG:4326": WGS84, "EPSG:32748": UTM48S}


def points_of(shape):
    return [p for part in shape for p in part]


def box(points):
    xs, ys = [p[0] for p in points] or [0], [p[1] for p in points] or [0]
    return struct.pack("<4d", min(xs), min(ys), max(xs), max(ys))


def content(kind, shape):
    """The content of one record, without its header."""
    if shape is None:
        return struct.pack("<i", 0)
    if kind == 1:
        return struct.pack("<i2d", 1, *shape)
    if kind == 8:
        return struct.pack("<i", 8) + box(shape) + struct.pack("<i", len(shape)) + b"".join(struct.pack("<2d", *p) for p in shape)
    points, starts, at = points_of(shape), [], 0
    for part in shape:
        starts.append(at)
        at += len(part)
    head = struct.pack("<i", kind) + box(points) + struct.pack("<2i", len(shape), len(points)) + struct.pack(f"<{len(starts)}i", *starts)
    if kind == 31:
        head += struct.pack(f"<{len(starts)}i", *([0] * len(starts)))
    body = head + b"".join(struct.pack("<2d", *p) for p in points)
    if kind == 31:
        body += struct.pack("<2d", 0, 0) + struct.pack(f"<{len(points)}d", *([0] * len(points)))
        body += struct.pack("<2d", 0, 0) + struct.pack(f"<{len(points)}d", *([0] * len(points)))
    return body


def header(kind, size, points):
    return struct.pack(">i20xi", 9994, size // 2) + struct.pack("<2i", 1000, kind) + box(points) + struct.pack("<4d", 0, 0, 0, 0)


def shp_and_shx(job):
    kind, points, records, index, at = job["type"], [], b"", b"", 100
    for number, record in enumerate(job["records"], 1):
        if "shape" not in record:
            continue
        shape = record["shape"]
        if shape is not None:
            points += [shape] if kind == 1 else shape if kind == 8 else points_of(shape)
        body = content(kind, shape)
        index += struct.pack(">2i", at // 2, len(body) // 2)
        records += struct.pack(">2i", number, len(body) // 2) + body
        at += 8 + len(body)
    return header(kind, 100 + len(records), points) + records, header(kind, 100 + len(index), points) + index


def dbf(job):
    """Values stand in their columns as given; numbers to the right, text to the left."""
    coding = "latin-1" if job.get("bytes") else "utf-8"
    fields, rows = job["fields"], [r for r in job["records"] if "values" in r]
    size = 1 + sum(f[2] for f in fields)
    out = struct.pack("<4BIHH20x", 3, 124, 1, 1, len(rows), 33 + 32 * len(fields), size)
    for name, kind, length, places in fields:
        out += name.encode("ascii").ljust(11, b"\0") + kind.encode("ascii") + b"\0" * 4 + bytes([length, places]) + b"\0" * 14
    out += b"\r"
    for number, row in enumerate(rows):
        out += b"*" if number in job.get("deleted", []) else b" "
        for (name, kind, length, places), value in zip(fields, row["values"]):
            text = "" if value is None else f"{value:.{places}f}" if isinstance(value, (int, float)) else str(value)
            data = text.encode(coding)[:length]
            out += data.rjust(length) if kind in "NF" else data.ljust(length)
    return out + b"\x1a"


def write(job, folder):
    name = job["name"]
    shp, shx = shp_and_shx(job)
    parts = {"shp": shp, "shx": shx, "dbf": dbf(job)}
    if job.get("prj"):
        parts["prj"] = PROJECTIONS.get(job["prj"], job["prj"]).encode("ascii")
    if job.get("cpg"):
        parts["cpg"] = job["cpg"].encode("ascii")
    for part, size in job.get("truncate", {}).items():
        parts[part] = parts[part][:size]
    for part, size in job.get("append", {}).items():
        parts[part] += b"\0" * size
    for part, pokes in job.get("poke", {}).items():
        data = bytearray(parts[part])
        for at, value in pokes.items():
            data[int(at)] = value
        parts[part] = bytes(data)
    for part in job.get("without", []):
        parts.pop(part, None)
    if "zip" in job:
        path = folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for base in job["zip"]:
                for part, data in parts.items():
                    archive.writestr(f"{base}.{part}", data)
        if "inside" in job:
            inner = path.read_bytes()
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(f"kiriman/{job['inside']}", inner)
                archive.writestr("kiriman/baca.txt", "dari dinas")
    else:
        for part, data in parts.items():
            (folder / f"{name}.{part}").write_bytes(data)
