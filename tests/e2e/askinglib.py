"""Questions about published tables, and their answers from the files alone: what the API and the page must agree with. Nothing of odp is used; what a question
means is read in docs/api.md. A question is what the explore page and its worker say to each other:

    {table, q, where: [{field, op, value|values}], bbox, sortby: [{field, desc}], properties, groupby: [field], aggregate: [{fn, field?}]}

and facets, the columns that are counted. Numbers are fractions; a value that is shown is its published text."""
import collections
import json
import pathlib
import re
import unicodedata
from fractions import Fraction

import filterlib
import odp
import readerlib

ORDERED = ("integer", "number", "year", "date", "datetime", "yearmonth", "time")
NUMBERS = ("integer", "number")
FACET_MAX = 100


# ---- files --------------------------------------------------------------------------------------------------------------------------


def text_of(value):
    """A value of JSON (numbers are their text) as canonical text."""
    return value if value is None or isinstance(value, str) else str(value).lower() if isinstance(value, bool) else json.dumps(value)


def read_json(path):
    return json.loads(path.read_bytes(), parse_float=str, parse_int=str)


def read_file(path, kind):
    """Records of a published file: [({name: text or None}, geometry or None)]."""
    if kind == "csv":
        head, *rows = readerlib.parse_csv(path.read_bytes().decode())
        return [(dict(zip(head, row, strict=True)), None) for row in rows]
    if kind == "json":
        return [({n: text_of(v) for n, v in r.items()}, r.get("geometry")) for r in read_json(path)["data"]]
    return [({n: text_of(v) for n, v in f["properties"].items()}, f["geometry"]) for f in read_json(path)["features"]]


def words_of(text):
    """Words as one searches for them: without case and marks over letters."""
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return re.findall(r"[^\W_]+", bare.lower())


class Labels:
    """What codes mean: categories in the schema, code lists from the files of labels that the site publishes."""

    def __init__(self, site):
        self.site, self.lists = pathlib.Path(site), {}

    def of_list(self, name, edition):
        if (name, edition) not in self.lists:
            path = self.site / "data" / name / f"labels-{edition}.json"
            self.lists[name, edition] = odp.read_json(path)["labels"] if path.exists() else self.of_source(name, edition)
        return self.lists[name, edition]

    @staticmethod
    def of_source(name, edition):
        """Where the site has no file of labels."""
        rows = odp.read_csv(odp.SOURCE / "catalog/references" / name / f"{edition}.csv")
        names = ("nama_en", "name_en", "en")
        return {r["kode"]: {"id": r["nama"], "en": next((r[n] for n in names if r.get(n)), r["nama"])} for r in rows}

    def of(self, schema):
        """{field: {code: {id, en}}} of a table."""
        found = {}
        for f in schema["fields"]:
            if any(isinstance(c, dict) for c in f.get("categories", [])):
                found[f["name"]] = {str(c["value"]): c.get("odp:label") or {"id": c.get("label", "")} for c in f["categories"]}
        references = [(key["fields"][-1], key["reference"]) for key in schema.get("odp:foreignKeys", [])]
        references += [(q["name"], q["reference"]) for q in schema.get("odp:queryables", []) if "reference" in q and "prefix" in q]
        for field, reference in references:
            folder, _, name = reference["dataset"].rpartition("/")
            if folder == "references":
                found[field] = self.of_list(name, reference.get("resource"))
        return found


class Table:
    """A table of a site as its files have it, in the order of the file."""

    def __init__(self, site, entry, resource, labels):
        api = resource["api"].removesuffix(".json")
        self.slug, self.path, self.name = entry["slug"], api, resource["name"]
        self.version, self.kind = entry["version"], entry.get("kind", "dataset")
        schema = odp.read_json(site / "v1" / resource["schema"])
        self.fields = {f["name"]: f["type"] for f in schema["fields"]}
        self.key = schema.get("primaryKey") or []
        self.titles = {f["name"]: f.get("odp:title") or {"id": f.get("title", f["name"]), "en": f.get("title", f["name"])} for f in schema["fields"]}
        self.titles.update({q["name"]: q["title"] for q in schema.get("odp:queryables", [])})
        self.files = {f["name"]: (site / "v1" / f["url"]).resolve() for f in resource["files"]}
        self.labels = labels.of(schema)
        records = {kind: read_file(self.files[kind], kind) for kind in ("json", "geojson", "csv") if kind in self.files}
        self.records = next(iter(records.values()))
        self.every = records
        self.shapes = None
        if "geojson" in records:
            self.shapes = [filterlib.Shape(g) if g else None for _, g in records["geojson"]]
        self.texts = [{n: r[n] for n in self.fields} for r, _ in self.records]
        self.derived = {d["name"]: (d["field"], d["prefix"]) for d in schema.get("odp:queryables", []) if "prefix" in d and d["field"] in self.fields}
        for name, (field, length) in self.derived.items():
            for row in self.texts:
                row[name] = None if row[field] is None else row[field][:length]
        self.kinds = {**self.fields, **{name: "string" for name in self.derived}}
        self.kinds = {n: k for n, k in self.kinds.items() if k in filterlib.READ}
        self.values = [{n: None if row[n] is None else filterlib.READ[k](row[n]) for n, k in self.kinds.items()} for row in self.texts]
        self.scales = {n: max((places(r[n]) for r in self.texts if r[n] is not None), default=0) for n, k in self.kinds.items() if k in NUMBERS}
        formats = {f["name"]: f.get("format", "default") for f in schema["fields"]}
        self.words_in = [n for n in self.kinds if self.has_words(n, formats.get(n))]
        self.words = [[self.words_at(n, row[n]) for n in self.words_in if row[n] is not None] for row in self.texts]

    def has_words(self, name, form):
        """A column of text whose values are not only codes (a digit, no white space), or whose codes have labels."""
        values = [r[name] for r in self.texts if r[name] is not None]
        if name in self.labels:
            return bool(values)
        return self.fields.get(name) == "string" and form not in ("uuid", "binary") and any(re.search(r"\s", v) or not re.search(r"\d", v) for v in values)

    def words_at(self, name, text):
        label = self.labels.get(name, {}).get(text, {})
        return words_of("\n".join(dict.fromkeys(v for v in (text, label.get("id"), label.get("en")) if v)))


def places(text):
    """Decimals of a number, without zeros at its end."""
    return len(text.partition(".")[2].rstrip("0"))


def tables(site, slugs=None):
    """All tables of a site (or of SLUGS) that have a file which can be read."""
    site, labels = pathlib.Path(site), Labels(site)
    return [Table(site, entry, resource, labels) for entry in odp.read_json(site / "v1/index.json")["data"] for resource in entry["resources"]
            if (slugs is None or entry["slug"] in slugs) and resource["rows"] and any(f["name"] in ("json", "csv", "geojson") for f in resource["files"])]


# ---- what a question means ----------------------------------------------------------------------------------------------------------


def tree_of(table, condition):
    """A condition as filterlib has it."""
    name, op = condition["field"], condition["op"]
    kind, field = table.kinds[name], ("field", name)

    def literal(text):
        return ("literal", kind, filterlib.READ[kind](text), text)
    if op in ("null", "notnull"):
        return ("null", op == "notnull", field)
    if op == "in":
        return ("in", False, field, [literal(v) for v in condition["values"]])
    if op == "between":
        return ("between", False, field, *(literal(v) for v in condition["values"]))
    if op == "like":
        return ("like", False, ("call", "CASEI", [field]), ("call", "CASEI", [("literal", "string", condition["value"], condition["value"])]))
    return ("compare", op, field, literal(condition["value"]))


def terms_of(q):
    """Words, phrases and beginnings of q: [(words, the last is a beginning)]."""
    found = []
    for phrase, star, word in re.findall(r'"([^"]*)"(\*?)|([^\s"]+)', q):
        words = words_of(phrase or word)
        if words:
            found.append((words, bool(star) or word.endswith("*")))
    return found


def has_term(texts, words, beginning):
    def at(text, i):
        piece = text[i:i + len(words)]
        return piece == words or (beginning and piece[:-1] == words[:-1] and len(piece) == len(words) and piece[-1].startswith(words[-1]))
    return any(at(text, i) for text in texts for i in range(len(text) - len(words) + 1))


def in_box(shape, box):
    w, s, e, n = box
    ring = [[w, s], [e, s], [e, n], [w, n], [w, s]]
    return shape is None or filterlib.intersects(shape, filterlib.Shape({"type": "Polygon", "coordinates": [ring]}))


def matching(table, question, without=None):
    """Places of the records that match; WITHOUT: a column whose own conditions do not count."""
    trees = [tree_of(table, c) for c in question["where"] if c["field"] != without]
    terms = terms_of(question["q"])
    return [i for i, record in enumerate(table.values)
            if all(filterlib.truth(t, record) is True for t in trees)
            and all(has_term(table.words[i], *term) for term in terms)
            and (question["bbox"] is None or table.shapes is None or in_box(table.shapes[i], question["bbox"]))]


def by_value(value):
    """In order, null last."""
    return (value is None, 0 if value is None else value)


def in_order(table, found, sortby):
    for key in reversed(sortby):
        there = [i for i in found if table.values[i][key["field"]] is not None]
        there.sort(key=lambda i, n=key["field"]: table.values[i][n])
        if key["desc"]:  # equal ones stay in the order of the file
            there.reverse()
            groups = collections.defaultdict(list)
            for i in there:
                groups[table.values[i][key["field"]]].insert(0, i)
            there = [i for group in groups.values() for i in group]
        found = there + [i for i in found if table.values[i][key["field"]] is None]
    return found


def average(values, scale):
    """Half even, to six decimals more than the column has."""
    return Fraction(round(sum(values, Fraction(0)) / len(values) * 10 ** (scale + 6)), 10 ** (scale + 6))


def aggregated(table, found, a):
    if a["fn"] == "count":
        return Fraction(len(found))
    values = [v for v in (table.values[i][a["field"]] for i in found) if v is not None]
    if not values:
        return None
    if a["fn"] == "avg":
        return average(values, table.scales[a["field"]])
    return {"sum": lambda v: sum(v, Fraction(0)), "min": min, "max": max}[a["fn"]](values)


def groups(table, found, question):
    """[key texts…, values…] of each group, in order."""
    names = question["groupby"]
    members = collections.defaultdict(list)
    for i in found:
        members[tuple(table.values[i][n] for n in names)].append(i)
    if not names:
        members.setdefault((), [])
    return [[*(table.texts[members[key][0]][n] for n in names), *(aggregated(table, members[key], a) for a in question["aggregate"])]
            for key in sorted(members, key=lambda k: [by_value(v) for v in k])]


def facet(table, found, name):
    first, counts = {}, collections.Counter()
    for i in found:
        value = table.values[i][name]
        first.setdefault(value, table.texts[i][name])
        counts[value] += 1
    order = sorted(counts, key=lambda v: (-counts[v], by_value(v)))
    return {"values": [[first[v], counts[v]] for v in order[:FACET_MAX]], "more": len(order) > FACET_MAX}


def answer(table, question):
    """{matched, first, last, groups, facets} of a question."""
    found = matching(table, question)
    ordered = in_order(table, found, question["sortby"])
    return {"matched": len(found), "first": [shown(table, i) for i in ordered[:FIRST]], "last": [shown(table, i) for i in ordered[-LAST:]],
            "groups": groups(table, found, question),
            "facets": {name: facet(table, matching(table, question, name), name) for name in question["facets"]}}


FIRST, LAST = 5, 3


def shown(table, i):
    return [table.texts[i][n] for n in table.fields]


def value_of(table, a, text):
    """A value of aggregate A that somebody shows, to be compared."""
    if text is None:
        return None
    kind = table.kinds[a["field"]] if a["fn"] in ("min", "max") else "number"
    return filterlib.READ[kind](text)


# ---- making questions ---------------------------------------------------------------------------------------------------------------


class Maker:
    """Questions of which most match something."""

    def __init__(self, rng):
        self.rng = rng

    def text_near(self, table, name):
        """A value of the column, or a number near its values."""
        texts = [r[name] for r in table.texts if r[name] is not None]
        text = self.rng.choice(texts)
        if table.kinds[name] in NUMBERS and self.rng.random() < 0.4:
            scale = 0 if table.kinds[name] == "integer" else self.rng.randrange(0, 3)
            value = Fraction(text) * self.rng.randrange(50, 151) / 100
            text = f"{float(round(value, scale)):.{scale}f}"
        return text

    def condition(self, table):
        rng = self.rng
        name = rng.choice([n for n in table.kinds if any(r[n] is not None for r in table.texts)])
        kind, pick = table.kinds[name], rng.random()
        if pick < 0.1:
            return {"field": name, "op": rng.choice(["null", "notnull"])}
        near = lambda: self.text_near(table, name)  # noqa: E731
        if kind == "boolean":
            return {"field": name, "op": rng.choice(["=", "<>"]), "value": near()}
        if kind == "string" and pick < 0.4:
            text = near()
            part = text[rng.randrange(len(text)):][:rng.randrange(1, 9)].strip() or text[:3]
            part = re.sub(r"([\\%_])", r"\\\1", part if rng.random() < 0.5 else part.upper())
            return {"field": name, "op": "like", "value": f"%{part}%"}
        if pick < 0.55:
            return {"field": name, "op": "in", "values": list(dict.fromkeys(near() for _ in range(rng.randrange(1, 5))))}
        if kind in ORDERED and pick < 0.75:
            return {"field": name, "op": "between", "values": sorted((near(), near()), key=filterlib.READ[kind])}
        return {"field": name, "op": rng.choice(["=", "<>", "<", "<=", ">", ">="] if kind in ORDERED else ["=", "=", "<>"]), "value": near()}

    def q(self, table):
        rng = self.rng
        texts = rng.choice([t for record in table.words for t in record if t])
        at = rng.randrange(len(texts))
        pick, word = rng.random(), texts[at]
        if pick < 0.25 and len(word) > 2:
            return word[:rng.randrange(2, len(word))] + "*"
        if pick < 0.45 and at + 1 < len(texts):
            return f'"{word} {texts[at + 1]}"'
        return " ".join([word.upper() if pick < 0.7 else word, *([rng.choice(texts)] if rng.random() < 0.3 else [])])

    def bbox(self, table):
        w, s, e, n = (v / 1e7 for v in self.rng.choice([shape.box for shape in table.shapes if shape]))
        reach = self.rng.choice([0.01, 0.2, 1, 5])
        return [round(w - reach, 3), round(s - reach * self.rng.random(), 3), round(e + reach * self.rng.random(), 3), round(n + reach, 3)]

    def question(self, table):
        rng, kinds = self.rng, table.kinds
        few = [n for n in kinds if kinds[n] != "number" and len({r[n] for r in table.texts}) <= 400]
        ordered = [n for n in kinds if kinds[n] in ORDERED]
        numbers = [n for n in kinds if kinds[n] in NUMBERS]
        aggregate = [{"fn": "count"}]
        for name in rng.sample(numbers, min(len(numbers), rng.randrange(3))):
            aggregate += [{"fn": fn, "field": name} for fn in ("sum", "avg")]
        aggregate += [{"fn": rng.choice(["min", "max"]), "field": rng.choice(ordered)}] if ordered else []
        return {"table": table.path, "q": self.q(table) if rng.random() < 0.3 and any(t for r in table.words for t in r) else "",
                "where": [self.condition(table) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3]))],
                "bbox": self.bbox(table) if table.shapes and rng.random() < 0.4 else None,
                "sortby": [{"field": n, "desc": rng.random() < 0.5} for n in rng.sample(sorted(kinds), rng.choice([0, 1, 1, 2]))], "properties": [],
                "groupby": rng.sample(few, min(len(few), rng.choice([0, 1, 1, 2]))), "aggregate": list({aggregate_name(a): a for a in aggregate}.values()),
                "facets": rng.sample(sorted(kinds), min(len(kinds), 2))}


def made(rng, every, n):
    """N questions (table, question) over all tables in turn; of three that match nothing two are made again."""
    maker, out = Maker(rng), []
    while len(out) < n:
        table = every[len(out) % len(every)]
        question = maker.question(table)
        if matching(table, question) or rng.random() < 0.33:
            out.append((table, question))
    return out


# ---- the API's words ----------------------------------------------------------------------------------------------------------------


def address(table, question, without=None):
    """Parameters of the API that are the question's conditions."""
    trees = [tree_of(table, c) for c in question["where"] if c["field"] != without]
    return {**({"q": question["q"]} if question["q"] else {}), **({"filter": " AND ".join(map(filterlib.text, trees))} if trees else {}),
            **({"bbox": ",".join(map(str, question["bbox"]))} if question["bbox"] else {})}


def sortby(question):
    return {"sortby": ",".join(("-" if k["desc"] else "") + k["field"] for k in question["sortby"])} if question["sortby"] else {}


def aggregate_name(a):
    return "count" if a["fn"] == "count" else f"{a['fn']}_{a['field']}"


def understood(table, question, found):
    """An answer of the page in the form of answer(): its groups' values are numbers."""
    by = len(question["groupby"])
    rows = [[*row[:by], *(value_of(table, a, v) for a, v in zip(question["aggregate"], row[by:], strict=True))] for row in found["groups"]["rows"]]
    fields = len(table.fields)
    return {**found, "groups": rows, "first": [r[:fields] for r in found["first"]], "last": [r[:fields] for r in found["last"]]}


def config_of(site, table):
    """CONFIG of the table's page."""
    page = (pathlib.Path(site) / "katalog" / table.slug / "index.html").read_text()
    listed = json.loads(re.search(r'<script[^>]* id="explore"[^>]*>(.*?)</script>', page, re.S)[1])["tables"]
    return next(c for c in listed if (c.get("resource") or table.slug) == table.name)
