#!/usr/bin/env python3
"""Strict RFC 7946 checker, independent of the compiler and of its cases: standard library only.

    rfc7946.py [--max-decimals 7] [--no-ids] FILE...

Every violation is one line "FILE: PATH: what (section)" on stdout, at most 50 a file. Beyond the MUSTs it asks for what this
project promises: right-hand rule (a SHOULD for readers, a MUST for writers), at most 7 decimals, unique feature ids, bbox
where present equal to the coordinates, the six geometry types and no GeometryCollection nested in another.

Exit code: 0 all files pass, 1 a violation, 2 wrong usage or an unreadable file.
"""
import argparse
import json
import sys

MOST = 50
GEOMETRIES = {"Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"}
TYPES = GEOMETRIES | {"Feature", "FeatureCollection"}


class Number(float):
    """A number that remembers how it was written."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


class Checker:
    def __init__(self, decimals, ids):
        self.decimals, self.want_ids = decimals, ids
        self.faults, self.ids, self.positions, self.features = [], {}, 0, 0

    def fault(self, path, what, section=""):
        self.faults.append(f"{path or '/'}: {what}" + (f" (RFC 7946, {section})" if section else ""))

    # -- JSON -------------------------------------------------------------------------------------------------------------
    def pairs(self, pairs):
        seen = {}
        for key, value in pairs:
            if key in seen:
                self.fault("", f"member {key!r} occurs twice in an object (RFC 7493, 2.3)")
            seen[key] = value
        return seen

    def constant(self, text):
        self.fault("", f"{text} is not JSON (RFC 8259, 6)")
        return Number("0")

    def load(self, data):
        if data.startswith(b"\xef\xbb\xbf"):
            self.fault("", "begins with a byte order mark (RFC 8259, 8.1)")
            data = data[3:]
        return json.loads(data.decode("utf-8"), object_pairs_hook=self.pairs, parse_float=Number, parse_int=Number,
                          parse_constant=self.constant)

    # -- coordinates ------------------------------------------------------------------------------------------------------
    def position(self, path, p, box):
        self.positions += 1
        if not isinstance(p, list) or not 2 <= len(p) <= 3 or not all(isinstance(v, Number) for v in p):
            self.fault(path, "a position is an array of two or three numbers", "3.1.1")
            return None
        if not -180 <= p[0] <= 180:
            self.fault(path, f"longitude {p[0].text} is out of range", "4")
        if not -90 <= p[1] <= 90:
            self.fault(path, f"latitude {p[1].text} is out of range", "4")
        for v in p[:2]:
            if "e" in v.text.lower():
                self.fault(path, f"{v.text} is in scientific notation")
            elif "." in v.text and len(v.text.split(".")[1]) > self.decimals:
                self.fault(path, f"{v.text} has more than {self.decimals} decimals", "11.2")
            if v.text.startswith("-") and v == 0:
                self.fault(path, "negative zero")
        if box is not None:
            box.append(p)
        return p

    def line(self, path, line, least, box):
        if not isinstance(line, list):
            self.fault(path, "not an array of positions", "3.1")
            return []
        out = [self.position(f"{path}/{i}", p, box) for i, p in enumerate(line)]
        if len(out) < least:
            self.fault(path, f"{len(out)} positions, at least {least}", "3.1.4" if least == 2 else "3.1.6")
        return out

    def polygon(self, path, rings, box):
        if not isinstance(rings, list) or not rings:
            self.fault(path, "a polygon has at least one ring", "3.1.6")
            return
        for k, ring in enumerate(rings):
            here = f"{path}/{k}"
            pts = self.line(here, ring, 4, box)
            if len(pts) < 4 or None in pts:
                continue
            if [list(map(float, pts[0]))] != [list(map(float, pts[-1]))]:
                self.fault(here, "the last position is not the first", "3.1.6")
            x0, y0 = pts[0][0], pts[0][1]
            area = sum((a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0) for a, b in zip(pts, pts[1:]))
            if k == 0 and area < 0:
                self.fault(here, "the exterior ring is clockwise", "3.1.6")
            if k > 0 and area > 0:
                self.fault(here, "an interior ring is counter-clockwise", "3.1.6")

    def geometry(self, path, g, box, nested=False):
        if not isinstance(g, dict):
            self.fault(path, "a geometry is an object", "3.1")
            return
        kind = g.get("type")
        if kind not in GEOMETRIES:
            self.fault(path + "/type", f"{kind!r} is not a geometry type", "1.4")
            return
        self.common(path, g, {"geometry", "properties", "features"})
        own = []
        if kind == "GeometryCollection":
            if nested:
                self.fault(path, "a collection within a collection", "3.1.8")
            members = g.get("geometries")
            if not isinstance(members, list):
                self.fault(path, "has no array geometries", "3.1.8")
                members = []
            for i, m in enumerate(members):
                self.geometry(f"{path}/geometries/{i}", m, own, True)
        else:
            c, here = g.get("coordinates"), path + "/coordinates"
            if not isinstance(c, list):
                self.fault(path, "has no array coordinates", "3.1")
                return
            if kind == "Point":
                self.position(here, c, own)
            elif kind in ("MultiPoint", "LineString"):
                self.line(here, c, 2 if kind == "LineString" else 0, own)
            elif kind == "MultiLineString":
                for i, line in enumerate(c):
                    self.line(f"{here}/{i}", line, 2, own)
            elif kind == "Polygon":
                self.polygon(here, c, own)
            else:
                for i, rings in enumerate(c):
                    self.polygon(f"{here}/{i}", rings, own)
        self.bbox(path, g, own)
        box.extend(own)

    def bbox(self, path, o, positions):
        if "bbox" not in o:
            return
        b, here = o["bbox"], path + "/bbox"
        good = [p for p in positions if p is not None]
        if not isinstance(b, list) or len(b) not in (4, 6) or not all(isinstance(v, Number) for v in b):
            self.fault(here, "not four or six numbers", "5")
            return
        n = len(b) // 2
        if b[1] > b[n + 1]:
            self.fault(here, "south is north of north", "5")
        if b[0] > b[n]:
            self.fault(here, "crosses the antimeridian: not expected here", "5.2")
        if not good:
            return
        want = [min(p[0] for p in good), min(p[1] for p in good), max(p[0] for p in good), max(p[1] for p in good)]
        have = [b[0], b[1], b[n], b[n + 1]]
        if any(abs(h - w) > 1.01 * 10 ** -self.decimals for h, w in zip(have, want)):
            self.fault(here, f"{[float(v) for v in have]} is not the box of the coordinates {[float(v) for v in want]}", "5")

    # -- objects ----------------------------------------------------------------------------------------------------------
    def common(self, path, o, forbidden):
        if "crs" in o:
            self.fault(path + "/crs", "a crs member", "4")
        for name in sorted(forbidden & o.keys()):
            self.fault(f"{path}/{name}", f"a {o.get('type')} has no member {name}", "7.1")

    def feature(self, path, f, box):
        self.features += 1
        if not isinstance(f, dict) or f.get("type") != "Feature":
            self.fault(path, "not a Feature", "3.2")
            return
        self.common(path, f, {"coordinates", "geometries", "features"})
        own = []
        if "geometry" not in f:
            self.fault(path, "has no member geometry", "3.2")
        elif f["geometry"] is not None:
            self.geometry(path + "/geometry", f["geometry"], own)
        if "properties" not in f:
            self.fault(path, "has no member properties", "3.2")
        elif f["properties"] is not None and not isinstance(f["properties"], dict):
            self.fault(path + "/properties", "neither an object nor null", "3.2")
        if "id" in f:
            key = f["id"]
            if not isinstance(key, (str, Number)):
                self.fault(path + "/id", "neither text nor number", "3.2")
            else:
                key = (type(key).__name__, key.text if isinstance(key, Number) else key)
                if key in self.ids:
                    self.fault(path + "/id", f"{key[1]!r} is also the id of {self.ids[key]}")
                self.ids.setdefault(key, path)
        elif self.want_ids:
            self.fault(path, "has no id")
        self.bbox(path, f, own)
        box.extend(own)

    def document(self, o):
        if not isinstance(o, dict) or o.get("type") not in TYPES:
            self.fault("", "not a GeoJSON object", "3")
            return
        box = []
        if o["type"] == "FeatureCollection":
            self.common("", o, {"coordinates", "geometries", "geometry", "properties"})
            if not isinstance(o.get("features"), list):
                self.fault("", "has no array features", "3.3")
                return
            for i, f in enumerate(o["features"]):
                self.feature(f"/features/{i}", f, box)
            self.bbox("", o, box)
        elif o["type"] == "Feature":
            self.feature("", o, box)
        else:
            self.geometry("", o, box)


def main():
    parser = argparse.ArgumentParser(description="Strict RFC 7946 checker")
    parser.add_argument("--max-decimals", type=int, default=7, metavar="N")
    parser.add_argument("--no-ids", action="store_true", help="features need no id")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    code = 0
    for name in args.files:
        c = Checker(args.max_decimals, not args.no_ids)
        try:
            with open(name, "rb") as f:
                c.document(c.load(f.read()))
        except OSError as e:
            print(f"{name}: {e.strerror}", file=sys.stderr)
            return 2
        except (ValueError, RecursionError) as e:
            c.fault("", f"not JSON in UTF-8: {e}")
        for text in c.faults[:MOST]:
            print(f"{name}: {text}")
        if len(c.faults) > MOST:
            print(f"{name}: and {len(c.faults) - MOST} more")
        if c.faults:
            code = 1
        else:
            print(f"{name}: {c.features} features, {c.positions} positions: RFC 7946")
    return code


if __name__ == "__main__":
    sys.exit(main())
