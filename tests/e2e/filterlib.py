"""An evaluator of CQL2 of its own (OGC 21-065), over records as Python values: what the query engine must agree with. Nothing of odp is used: numbers are
Fractions, geometry is exact (whole numbers). A filter is a tree of tuples; it can be written as CQL2 text and as CQL2 JSON."""
import datetime
import decimal
import unicodedata
from fractions import Fraction

COMPARE = {"=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
           ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


# ---- values -------------------------------------------------------------------------------------------------------------------------


def instant(text):
    """A timestamp with offset as microseconds since 1970 (exact for up to six decimals)."""
    stamp = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (stamp - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


READ = {"string": str, "integer": Fraction, "number": Fraction, "year": Fraction, "boolean": lambda t: t == "true",
        "date": str, "yearmonth": str, "time": str, "datetime": instant}


def read(kind, text):
    """TEXT of a published CSV as a value; the unquoted empty field is null."""
    return None if text == "" else READ[kind](text)


# ---- geometry: points, lines and polygons as lists of rings, exact -----------------------------------------------------------------


def exact(position):
    """In whole 1e-7 degrees: what is published has 7 decimals, literals here have fewer."""
    units = [decimal.Decimal(str(v)).scaleb(7) for v in position[:2]]
    assert all(u == u.to_integral_value() for u in units), position
    return (int(units[0]), int(units[1]))


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def on_segment(p, a, b):
    return cross(a, b, p) == 0 and min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])


def segments_meet(a, b, c, d):
    if max(a[0], b[0]) < min(c[0], d[0]) or max(c[0], d[0]) < min(a[0], b[0]):
        return False
    if max(a[1], b[1]) < min(c[1], d[1]) or max(c[1], d[1]) < min(a[1], b[1]):
        return False
    one, two, three, four = cross(a, b, c), cross(a, b, d), cross(c, d, a), cross(c, d, b)
    if one * two < 0 and three * four < 0:
        return True
    return on_segment(c, a, b) or on_segment(d, a, b) or on_segment(a, c, d) or on_segment(b, c, d)


def place(p, rings):
    """1 inside of a polygon, 0 on its boundary, -1 outside (even-odd, exact)."""
    inside = False
    for ring in rings:
        for a, b in zip(ring, ring[1:]):
            if on_segment(p, a, b):
                return 0
            if (a[1] > p[1]) != (b[1] > p[1]):
                inside ^= (cross(a, b, p) > 0) == (b[1] > a[1])
    return 1 if inside else -1


class Shape:
    """Simple parts of one geometry: points, lines (lists of positions), polygons (lists of rings)."""

    def __init__(self, geojson):
        kind, at = geojson["type"], geojson["coordinates"]
        self.points, self.lines, self.polygons = [], [], []
        if kind in ("Point", "MultiPoint"):
            self.points = [exact(p) for p in ([at] if kind == "Point" else at)]
        elif kind in ("LineString", "MultiLineString"):
            self.lines = [[exact(p) for p in line] for line in ([at] if kind == "LineString" else at)]
        else:
            self.polygons = [[[exact(p) for p in ring] for ring in polygon] for polygon in ([at] if kind == "Polygon" else at)]
        every = self.points + [p for line in self.all_lines() for p in line]
        self.box = (min(p[0] for p in every), min(p[1] for p in every), max(p[0] for p in every), max(p[1] for p in every))

    def all_lines(self):
        return self.lines + [ring for polygon in self.polygons for ring in polygon]

    def some_of_each(self):
        return self.points + [line[0] for line in self.lines] + [polygon[0][0] for polygon in self.polygons]

    def covers(self, p):
        if p in self.points or any(on_segment(p, a, b) for line in self.lines for a, b in zip(line, line[1:])):
            return True
        return any(place(p, polygon) >= 0 for polygon in self.polygons)


def intersects(a, b):
    if a.box[0] > b.box[2] or b.box[0] > a.box[2] or a.box[1] > b.box[3] or b.box[1] > a.box[3]:
        return False
    if any(b.covers(p) for p in a.some_of_each()) or any(a.covers(p) for p in b.some_of_each()):
        return True
    return any(segments_meet(p, q, r, s) for one in a.all_lines() for p, q in zip(one, one[1:])
               for two in b.all_lines() for r, s in zip(two, two[1:]))


def within_convex(a, b):
    """A within B, one convex polygon: nothing of A outside, something of it in the inside."""
    places = [place(p, b.polygons[0]) for p in a.points + [p for line in a.all_lines() for p in line]]
    return min(places) >= 0 and (max(places) > 0 or bool(a.polygons))


SPATIAL = {"S_INTERSECTS": intersects, "S_DISJOINT": lambda a, b: not intersects(a, b), "S_WITHIN": within_convex}


# ---- evaluation ---------------------------------------------------------------------------------------------------------------------


def like(text, pattern):
    """By characters; % any, _ one, backslash escapes."""
    spots = {0}
    i = 0
    while i < len(pattern):
        c = pattern[i]
        if c == "\\" and i + 1 < len(pattern):
            i += 1
            c = pattern[i]
            spots = {s + 1 for s in spots if s < len(text) and text[s] == c}
        elif c == "%":
            spots = set(range(min(spots), len(text) + 1)) if spots else spots
        elif c == "_":
            spots = {s + 1 for s in spots if s < len(text)}
        else:
            spots = {s + 1 for s in spots if s < len(text) and text[s] == c}
        i += 1
    return len(text) in spots


def kept(x, divided=False):
    """X as the language keeps it (tools/lib/catalog/expr/expr.h): exact in 38 digits; else, and after a division, rounded half even at 20 decimals, or at fewer where
    the integer part needs the digits; null where that has more than 38."""
    if x is None:
        return None
    scale = next((n for n in range(39) if 10 ** n % x.denominator == 0), None)
    if not divided and scale is not None and abs(x.numerator * (10 ** scale // x.denominator)) < 10 ** 38:
        return x
    whole = len(str(abs(x) // 1)) if abs(x) >= 1 else 0
    return None if whole > 38 else Fraction(round(x * 10 ** min(20, 38 - whole)), 10 ** min(20, 38 - whole))


def substr(text, start, n=None):
    """Characters from START (1 is the first, -1 the last), at most N."""
    if start == 0 or start.denominator != 1 or (n is not None and (n.denominator != 1 or n < 0)):
        return None
    first = int(start) - 1 if start > 0 else len(text) + int(start)
    last = len(text) if n is None else first + int(n)
    return text[max(first, 0):max(last, 0)]


def rounded(x, places=Fraction(0)):
    unit = Fraction(10) ** int(places)
    return kept(Fraction(int(abs(x) * unit + Fraction(1, 2)), 1) / unit * (1 if x > 0 else -1))


def without_marks(text):
    return unicodedata.normalize("NFC", "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn"))


FUNCTIONS = {"CASEI": str.casefold, "ACCENTI": without_marks, "UPPER": str.upper, "LOWER": str.lower, "TRIM": str.strip, "LENGTH": lambda x: Fraction(len(x)),
             "SUBSTR": substr, "CONCAT": lambda *x: "".join(x), "STARTS_WITH": str.startswith, "ENDS_WITH": str.endswith, "CONTAINS": str.__contains__,
             "ABS": abs, "ROUND": rounded, "YEAR": lambda d: Fraction(int(d[:4])), "MONTH": lambda d: Fraction(int(d[5:7]))}
ARITHMETIC = {"+": lambda a, b: kept(a + b), "-": lambda a, b: kept(a - b), "*": lambda a, b: kept(a * b),
              "/": lambda a, b: kept(a / b if b else None, True)}


def value(tree, record):
    kind = tree[0]
    if kind == "field":
        return record[tree[1]]
    if kind == "literal":
        return tree[2]
    if kind == "call":
        arguments = [value(t, record) for t in tree[2]]
        if tree[1] == "COALESCE":
            return next((a for a in arguments if a is not None), None)
        return None if None in arguments else FUNCTIONS[tree[1]](*arguments)
    if kind == "arith":
        a, b = value(tree[2], record), value(tree[3], record)
        return None if a is None or b is None else ARITHMETIC[tree[1]](a, b)
    return truth(tree, record)


def both(results):
    """AND of three-valued truths."""
    results = list(results)
    return False if False in results else None if None in results else True


def negated(result, negate):
    return result if result is None else result != negate


def truth(tree, record):
    kind = tree[0]
    if kind == "and":
        return both(truth(t, record) for t in tree[1])
    if kind == "or":
        result = both(negated(truth(t, record), True) for t in tree[1])
        return negated(result, True)
    if kind == "not":
        return negated(truth(tree[1], record), True)
    if kind == "field":
        return record[tree[1]]
    if kind == "compare":
        a, b = value(tree[2], record), value(tree[3], record)
        return None if a is None or b is None else COMPARE[tree[1]](a, b)
    if kind == "between":
        x, low, high = (value(t, record) for t in tree[2:5])
        parts = [None if x is None or low is None else x >= low, None if x is None or high is None else x <= high]
        return negated(both(parts), tree[1])
    if kind == "in":
        x, items = value(tree[2], record), [value(t, record) for t in tree[3]]
        if x is None:
            return None
        return negated(x in items, tree[1])
    if kind == "like":
        x = value(tree[2], record)
        pattern = value(tree[3], record)
        return None if x is None else negated(like(x, pattern), tree[1])
    if kind == "null":
        return (value(tree[2], record) is None) != tree[1]
    if kind == "call":
        return value(tree, record)
    shape = record["geometry"]
    return None if shape is None else SPATIAL[tree[1]](shape, tree[2]["shape"])


# ---- writing ------------------------------------------------------------------------------------------------------------------------


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def literal_text(kind, raw):
    if kind in ("string", "time", "yearmonth"):
        return quoted(raw)
    if kind == "boolean":
        return raw.upper()
    if kind == "date":
        return f"DATE('{raw}')"
    if kind == "datetime":
        return f"TIMESTAMP('{raw}')"
    return raw


def text(tree):
    kind = tree[0]
    if kind in ("and", "or"):
        return "(" + f" {kind.upper()} ".join(text(t) for t in tree[1]) + ")"
    if kind == "not":
        return f"NOT ({text(tree[1])})"
    if kind == "field":
        return tree[1] if tree[1].isidentifier() else '"' + tree[1] + '"'
    if kind == "literal":
        return literal_text(tree[1], tree[3])
    if kind == "call":
        return f"{tree[1]}({', '.join(text(t) for t in tree[2])})"
    if kind == "arith":
        return f"({text(tree[2])} {tree[1]} {text(tree[3])})"
    if kind == "compare":
        return f"{text(tree[2])} {tree[1]} {text(tree[3])}"
    no = "NOT " if tree[1] is True else ""
    if kind == "between":
        return f"{text(tree[2])} {no}BETWEEN {text(tree[3])} AND {text(tree[4])}"
    if kind == "in":
        return f"{text(tree[2])} {no}IN ({', '.join(text(t) for t in tree[3])})"
    if kind == "like":
        return f"{text(tree[2])} {no}LIKE {text(tree[3])}"
    if kind == "null":
        return f"{text(tree[2])} IS {no}NULL"
    return f"{tree[1]}(geometry, {tree[2]['wkt']})"


def literal_json(kind, raw):
    if kind in ("string", "time", "yearmonth"):
        return raw
    if kind == "boolean":
        return raw == "true"
    if kind == "date":
        return {"date": raw}
    if kind == "datetime":
        return {"timestamp": raw}
    return int(raw) if raw.lstrip("-").isdigit() else float(raw)


def as_json(tree):
    kind = tree[0]
    if kind in ("and", "or"):
        return {"op": kind, "args": [as_json(t) for t in tree[1]]} if len(tree[1]) > 1 else as_json(tree[1][0])
    if kind == "not":
        return {"op": "not", "args": [as_json(tree[1])]}
    if kind == "field":
        return {"property": tree[1]}
    if kind == "literal":
        return literal_json(tree[1], tree[3])
    if kind == "call":
        return {"op": tree[1].lower(), "args": [as_json(t) for t in tree[2]]}
    if kind in ("arith", "compare"):
        return {"op": tree[1], "args": [as_json(tree[2]), as_json(tree[3])]}
    if kind == "between":
        inner = {"op": "between", "args": [as_json(t) for t in tree[2:5]]}
    elif kind == "in":
        inner = {"op": "in", "args": [as_json(tree[2]), [as_json(t) for t in tree[3]]]}
    elif kind == "like":
        inner = {"op": "like", "args": [as_json(tree[2]), as_json(tree[3])]}
    elif kind == "null":
        inner = {"op": "isNull", "args": [as_json(tree[2])]}
    else:
        return {"op": tree[1].lower(), "args": [{"property": "geometry"}, tree[2]["json"]]}
    return {"op": "not", "args": [inner]} if tree[1] else inner
