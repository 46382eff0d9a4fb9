"""Random filters: the query engine and an evaluator of its own (filterlib) over the published CSV and GeoJSON agree on every record, in CQL2 text and CQL2
JSON. ODP_RANDOM_FILTERS and ODP_RANDOM_SEED set how many and which."""
import csv
import datetime
import decimal
import json
import os
import random
import subprocess
import sys
import urllib.parse
from fractions import Fraction

import filterlib
import odp

TOOL = os.path.join(os.environ["ODP_BINARY_DIR"], "tests", "query_tool")
FIELDS = [("id", "string"), ("kode", "string"), ("nama", "string"), ("catatan", "string"), ("jumlah", "integer"), ("nilai", "number"),
          ("presisi", "number"), ("tahun", "year"), ("tanggal", "date"), ("waktu", "datetime"), ("jam", "time"), ("bulan", "yearmonth"), ("aktif", "boolean")]
WORDS = ["Kali", "kali", "RUMAH", "rumah", "Désa", "DÉSA", "Ñusa", "100%", "a_b", "O'Neil", 'kata "dalam"', "naïve", "; DROP TABLE data--", "x\\y"]
ORDERED = ["=", "<>", "<", "<=", ">", ">="]


def made_rows(rng, n):
    """Raw texts by field: few different values, so that filters hit, some nulls, some that a double cannot tell apart."""
    rows = []
    for i in range(n):
        day = datetime.date(2020, 1, 1) + datetime.timedelta(days=rng.randrange(0, 900))
        zone = rng.choice(["+07:00", "+08:00", "+09:00", "Z"])
        row = {"id": f"R-{i:04d}", "kode": f"{rng.randrange(11, 20)}.{rng.randrange(1, 9):02d}", "nama": " ".join(rng.choices(WORDS, k=rng.randrange(1, 4))),
               "catatan": rng.choice(WORDS), "jumlah": str(rng.choice([0, -3, 7, 12, 99, 10 ** 6, 2 ** 62, 9223372036854775808, 9223372036854775809])),
               "nilai": str(decimal.Decimal(rng.randrange(-2000, 2000)).scaleb(-rng.randrange(0, 4))),
               "presisi": rng.choice(["0.1", "0.10000000000000000001", "0.1000000000000000055", "12345678901234567.1", "12345678901234567.2", "-5"]),
               "tahun": str(rng.randrange(2015, 2026)), "tanggal": day.isoformat(),
               "waktu": f"{day.isoformat()}T{rng.randrange(0, 24):02d}:{rng.randrange(0, 60):02d}:00{rng.choice(['', '.5', '.25'])}{zone}",
               "jam": f"{rng.randrange(0, 24):02d}:30:00", "bulan": day.isoformat()[:7], "aktif": rng.choice(["true", "false"])}
        for name, _ in FIELDS[1:]:
            if rng.random() < 0.12:
                row[name] = ""
        rows.append(row)
    return rows


class Maker:
    """Random trees over fields whose values are known."""

    def __init__(self, rng, fields, rows, wide):
        self.rng, self.fields, self.kinds, self.rows, self.wide = rng, fields, dict(fields), rows, wide

    def literal(self, name):
        kind = self.kinds[name]
        raws = [r[name] for r in self.rows if r[name] != ""]
        raw = self.rng.choice(raws)
        if kind in ("number", "integer") and self.rng.random() < 0.4:
            raw = str(decimal.Decimal(self.rng.randrange(-300, 300)).scaleb(-self.rng.randrange(0, 3)))
        if not self.wide and kind in ("number", "integer") and len(raw.replace(".", "").lstrip("-0")) > 15:
            raw = "12"
        return ("literal", kind, filterlib.read(kind, raw), raw)

    def text(self, depth=0):
        """A text, often made by functions."""
        rng = self.rng
        name = rng.choice([f for f, k in self.fields if k == "string"])
        if depth > 2 or rng.random() < 0.4:
            return ("field", name) if rng.random() < 0.7 else self.literal(name)
        call = rng.choice(["CASEI", "ACCENTI", "UPPER", "LOWER", "TRIM", "SUBSTR", "CONCAT", "COALESCE"])
        arguments = [self.text(depth + 1)]
        if call in ("CONCAT", "COALESCE"):
            arguments += [self.text(depth + 1) for _ in range(rng.randrange(1, 3))]
        if call == "SUBSTR":
            arguments += [("literal", "integer", Fraction(n), str(n)) for n in (rng.choice([-3, -1, 1, 2, 4]), rng.randrange(0, 4))][:rng.randrange(1, 3)]
        return ("call", call, arguments)

    def called(self):
        """A condition that a function makes."""
        rng, pick = self.rng, self.rng.random()
        if pick < 0.4:
            return ("call", rng.choice(["STARTS_WITH", "ENDS_WITH", "CONTAINS"]), [self.text(), self.text(2)])
        if pick < 0.6:
            return ("compare", rng.choice(ORDERED), ("call", "LENGTH", [self.text()]), ("literal", "integer", Fraction(4), "4"))
        if pick < 0.7:
            unit = ("literal", "integer", Fraction(rng.choice([-1, 0, 1])), None)
            return ("compare", rng.choice(ORDERED), ("call", "ROUND", [("field", "nilai"), (*unit[:3], str(unit[2]))]), ("call", "ABS", [self.number()]))
        if pick < 0.8:
            return ("compare", rng.choice(ORDERED), ("call", rng.choice(["YEAR", "MONTH"]), [("field", rng.choice(["tanggal", "bulan"]))]), ("literal", "integer", Fraction(6), "6"))
        return ("compare", rng.choice(ORDERED), self.text(), self.text())

    def number(self, depth=0):
        name = self.rng.choice([f for f, k in self.fields if k in ("number", "integer")])
        if depth > 2 or self.rng.random() < 0.5:
            return ("field", name) if self.rng.random() < 0.7 else self.literal(name)
        return ("arith", self.rng.choice("+-*/"), self.number(depth + 1), self.number(depth + 1))

    def leaf(self):
        rng = self.rng
        name, kind = rng.choice(self.fields)
        field, pick = ("field", name), rng.random()
        if rng.random() < 0.15:
            return self.called()
        if pick < 0.12:
            return ("null", rng.random() < 0.5, field)
        if kind == "boolean":
            return field if pick < 0.5 else ("compare", rng.choice(["=", "<>"]), field, self.literal(name))
        if kind == "string" and pick < 0.45:
            word = rng.choice(WORDS)
            part = word[:rng.randrange(1, len(word) + 1)].replace("\\", "\\\\").replace("%", "\\%")
            pattern = rng.choice(["{}%", "%{}%", "{}", "%{}", "_{}%"]).format(part)
            literal = ("literal", "string", pattern, pattern)
            if rng.random() < 0.3:
                return ("like", rng.random() < 0.3, ("call", "CASEI", [field]), ("call", "CASEI", [literal]))
            return ("like", rng.random() < 0.3, field, literal)
        if kind == "string" and pick < 0.6:
            return ("compare", rng.choice(["=", "<>"]), ("call", "CASEI", [field]), ("call", "CASEI", [self.literal(name)]))
        if kind in ("number", "integer") and pick < 0.35:
            return ("compare", rng.choice(ORDERED), self.number(), self.number())
        if pick < 0.7:
            return ("between", rng.random() < 0.3, field, self.literal(name), self.literal(name))
        if pick < 0.85:
            return ("in", rng.random() < 0.3, field, [self.literal(name) for _ in range(rng.randrange(1, 5))])
        same = [f for f, k in self.fields if k == kind]
        other = ("field", rng.choice(same)) if rng.random() < 0.3 else self.literal(name)
        sides = [field, other]
        rng.shuffle(sides)
        return ("compare", rng.choice(ORDERED), *sides)

    def tree(self, depth=0):
        if depth >= 3 or self.rng.random() < 0.35:
            return self.leaf()
        kind = self.rng.choice(["and", "or", "not"])
        if kind == "not":
            return ("not", self.tree(depth + 1))
        return (kind, [self.tree(depth + 1) for _ in range(self.rng.randrange(2, 4))])


def polygon(rng, box, convex):
    """A star round a centre (convex: a rectangle or triangle) as WKT, GeoJSON and Shape, with 3 decimals."""
    x, y = rng.uniform(box[0], box[2]), rng.uniform(box[1], box[3])
    reach = rng.choice([0.02, 0.2, 1, 5])
    if convex:
        w, s, e, n = (round(v, 3) for v in (x - reach, y - reach, x + reach, y + reach * rng.uniform(0.2, 1)))
        ring = rng.choice([[(w, s), (e, s), (e, n), (w, n), (w, s)], [(w, s), (e, s), (w, n), (w, s)]])
    else:
        # A corner in each quarter at least: then the centre is inside, and no edge meets another.
        angles = sorted({90 * quarter + 12 * rng.randrange(8) for quarter in range(4)} | set(rng.sample(range(0, 360, 12), rng.randrange(0, 5))))
        at = [complex(x, y) + reach * rng.uniform(0.3, 1) * complex(*unit(a)) for a in angles]
        ring = [(round(p.real, 5), round(p.imag, 5)) for p in at]
        ring.append(ring[0])
    return ring


def unit(degrees):
    # A few exact-looking directions are enough: no trigonometry is needed for a star.
    table = [(1, 0), (0.98, 0.21), (0.91, 0.41), (0.81, 0.59), (0.67, 0.74), (0.5, 0.87), (0.31, 0.95), (0.1, 0.99)]
    quarter, step = divmod(degrees, 90)
    c, s = table[min(step // 12, 7)]
    return [(c, s), (-s, c), (-c, -s), (s, -c)][quarter]


def wkt_ring(ring):
    return "(" + ", ".join(f"{x} {y}" for x, y in ring) + ")"


def spatial(rng, box):
    """A spatial predicate with a random literal. Rings of a star are simple, since its corners go round the centre."""
    op = rng.choice(["S_INTERSECTS", "S_INTERSECTS", "S_WITHIN", "S_DISJOINT"])
    kind = "polygon" if op == "S_WITHIN" else rng.choice(["point", "bbox", "polygon", "multi", "line"])
    if kind == "bbox":
        ring = polygon(rng, box, True)
        xs, ys = [p[0] for p in ring], [p[1] for p in ring]
        bounds = [min(xs), min(ys), max(xs), max(ys)]
        corners = [(bounds[0], bounds[1]), (bounds[2], bounds[1]), (bounds[2], bounds[3]), (bounds[0], bounds[3]), (bounds[0], bounds[1])]
        literal = {"wkt": "BBOX({}, {}, {}, {})".format(*bounds), "json": {"bbox": bounds}, "shape": {"type": "Polygon", "coordinates": [corners]}}
    elif kind == "point":
        at = [round(rng.uniform(box[0], box[2]), 3), round(rng.uniform(box[1], box[3]), 3)]
        literal = {"wkt": f"POINT({at[0]} {at[1]})", "json": {"type": "Point", "coordinates": at}}
    elif kind == "line":
        line = [[round(rng.uniform(box[0], box[2]), 3), round(rng.uniform(box[1], box[3]), 3)] for _ in range(3)]
        literal = {"wkt": "LINESTRING" + wkt_ring(line), "json": {"type": "LineString", "coordinates": line}}
    elif kind == "multi":
        first, second = polygon(rng, box, True), polygon(rng, (box[0] + 20, box[1], box[2] + 20, box[3]), True)
        literal = {"wkt": f"MULTIPOLYGON(({wkt_ring(first)}), ({wkt_ring(second)}))", "json": {"type": "MultiPolygon", "coordinates": [[first], [second]]}}
    else:
        ring = polygon(rng, box, op == "S_WITHIN")
        literal = {"wkt": f"POLYGON({wkt_ring(ring)})", "json": {"type": "Polygon", "coordinates": [ring]}}
    literal["shape"] = filterlib.Shape(literal.get("shape", literal["json"]))
    return ("spatial", op, literal)


class Random(odp.Case):
    """COUNT filters in all: 60 % over a made table, the rest over the geometries of the example."""

    COUNT = int(os.environ.get("ODP_RANDOM_FILTERS", "500"))

    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("ODP_RANDOM_SEED", "20240315"))
        self.rng, self.tools = random.Random(self.seed), {}

    def index(self, slug):
        found = list((self.dir / "site" / "search" / slug).rglob("*.sqlite"))
        self.assertEqual(len(found), 1, found)
        return found[0]

    def ask(self, index, query):
        """The answer's document; one process a table answers all questions."""
        tool = self.tools.get(index)
        if tool is None:
            tool = self.tools[index] = subprocess.Popen([TOOL, str(index)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(tool.__exit__, None, None, None)
        tool.stdin.write(f"envelope\t{query}\n".encode())
        tool.stdin.flush()
        head = tool.stdout.readline().decode()
        self.assertTrue(head.startswith("ok "), f"seed {self.seed}: {urllib.parse.unquote_plus(query)}\n{head}")
        body = tool.stdout.read(int(head.split()[1]))
        self.assertEqual(tool.stdout.read(1), b"\n")
        return json.loads(body)

    def matching(self, index, tree, form, key):
        """The keys that the engine finds, over all pages."""
        params = {"filter": filterlib.text(tree)} if form == "text" else {"filter": json.dumps(filterlib.as_json(tree)), "filter-lang": "cql2-json"}
        query = urllib.parse.urlencode({**params, "limit": 1000, "properties": key})
        found = []
        while query is not None:
            page = self.ask(index, query)
            found += [r[key] for r in page["data"]]
            link = page["links"]["next"]
            query = link.partition("?")[2] if link is not None else None
        return found

    def agree(self, index, tree, records, key, form):
        want = sorted(r[key] for r in records if filterlib.truth(tree, r) is True)
        got = self.matching(index, tree, form, key)
        self.assertEqual(sorted(got), want, f"seed {self.seed}, {form}: {filterlib.text(tree)}")
        return len(want)

    def test_a_table_of_all_types(self):
        rows = made_rows(self.rng, 700)
        self.catalogue(references=False)
        text = ",".join(n for n, _ in FIELDS) + "\n" + "".join(",".join('"' + r[n].replace('"', '""') + '"' if r[n] != "" else "" for n, _ in FIELDS) + "\n" for r in rows)
        self.dataset("acak", text, [{"name": n, "type": k} for n, k in FIELDS], resource={"schema": {"primaryKey": ["id"]}})
        self.odp("build", "--out", "site")
        (published,) = (self.dir / "site" / "data" / "acak").glob("2*/acak.csv")
        with open(published, newline="", encoding="utf-8") as handle:
            records = [{n: filterlib.read(k, r[n]) for n, k in FIELDS} for r in csv.DictReader(handle)]
        self.assertEqual(len(records), 700)
        hits = 0
        for i in range(self.COUNT * 6 // 10):
            form = "json" if i % 3 == 0 else "text"
            tree = Maker(self.rng, FIELDS, rows, wide=form == "text").tree()
            found = self.agree(self.index("acak"), tree, records, "id", form)
            hits += 0 < found < len(records)
        self.assertGreater(hits, self.COUNT * 6 // 10 // 3, "hardly any filter told records apart")

    def test_geometries_of_the_example(self):
        cases = [("kumuh", "id_kawasan"), ("kualitas-lingkungan", "id_sampel"), ("analisis-spasial", "id_zona")]
        self.catalogue(*(slug for slug, _ in cases))
        self.odp("build", "--out", "site")
        hits, total = 0, self.COUNT - self.COUNT * 6 // 10
        for slug, key in cases:
            (published,) = (self.dir / "site" / "data" / slug).glob(f"2*/{slug}.geojson")
            features = odp.read_json(published)["features"]
            records = [{key: f["properties"][key], "geometry": filterlib.Shape(f["geometry"]) if f["geometry"] else None} for f in features]
            boxes = [r["geometry"].box for r in records if r["geometry"] is not None]
            for i in range(total // len(cases) + 1):
                near = [v / 1e7 for v in self.rng.choice(boxes)]
                area = (near[0] - 0.05, near[1] - 0.05, near[2] + 0.05, near[3] + 0.05)
                tree = spatial(self.rng, area)
                if self.rng.random() < 0.4:
                    tree = (self.rng.choice(["and", "or"]), [tree, spatial(self.rng, area)])
                if self.rng.random() < 0.2:
                    tree = ("not", tree)
                found = self.agree(self.index(slug), tree, records, key, "json" if i % 3 == 0 else "text")
                hits += 0 < found < len(records)
        self.assertGreater(hits, total // 4, "hardly any filter told records apart")


if __name__ == "__main__":
    odp.main()
