"""What the query engine gives is what is published: every record of every dataset from its index, in the envelope, as CSV and as GeoJSON, has the bytes of
the static pages and the downloads; so has each record by its key."""
import contextlib
import csv
import html.parser
import io
import json
import os
import pathlib
import sqlite3
import subprocess
import urllib.parse

import odp

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests/query_tool"
EVERYTHING = "limit=1000000"


def indexes(site):
    """{(slug, resource or None): path of the index}, of the current version of each dataset."""
    found = {}
    for path in sorted((site / "search").glob("*/*/*.sqlite")):
        slug, stem = path.parent.parent.name, path.stem.rsplit("-", 1)[0]
        assert stem == slug or stem.startswith(slug + "-"), path
        found[slug, stem[len(slug) + 1:] or None] = path
    return found


def ask(index, *questions, options=()):
    """Bodies (bytes) of QUESTIONS: (form, query[, key])."""
    lines = "".join("\t".join(q) + "\n" for q in questions)
    done = subprocess.run([TOOL, *options, index], input=lines.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    bodies, rest = [], done.stdout
    for question in questions:
        head, _, rest = rest.partition(b"\n")
        words = head.split(b" ", 5)
        assert words[0] == b"ok", (index, question, head)
        size = int(words[1])
        bodies.append(rest[:size])
        rest = rest[size + 1:]
    assert rest == b""
    return bodies


def lines_between(body, before, after):
    """Records of BODY, one a line, without the commas between them."""
    start, end = body.index(before) + len(before), body.rindex(after)
    return [line.rstrip(b",") for line in body[start:end].strip(b"\n").split(b"\n") if line]


def pages(site, slug, resource):
    """Records of all static pages."""
    path, records = site / "v1" / (slug if resource is None else f"{slug}/{resource}"), []
    page = path.with_name(path.name + ".json")
    while page is not None:
        body = page.read_bytes()
        records += lines_between(body, b'{"data":[', b'],"status"')
        following = json.loads(body)["links"]["next"]
        page = (page.parent / following).resolve() if following else None
    return records


def identifier(record, key):
    """A record's id as GeoJSON has it."""
    parts = [str(record[name]) for name in key]
    return parts[0] if len(parts) == 1 else ",".join(p.replace("%", "%25").replace(",", "%2C") for p in parts)


class Page(html.parser.HTMLParser):
    """A page's rows of cells, after a look at whether every element is closed in its place."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.links, self.text = [], [], [], ""
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta",):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "a":
            self.links.append(dict(attrs)["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.rows and self.rows[-1] and "tr" in self.open:
            self.rows[-1][-1] += data


def columns_of(table, left_out):
    """The rows of a CSV without columns."""
    rows = list(csv.reader(io.StringIO(table.decode(), newline="")))
    return [[v for v, name in zip(row, rows[0], strict=True) if name not in left_out] for row in rows]


class Static(odp.Case):
    def check_resource(self, site, slug, resource, index, csv_too=True):
        name = slug if resource is None else f"{slug}-{resource}"
        envelope, table, features = ask(index, ("envelope", EVERYTHING), ("csv", EVERYTHING), ("geojson", EVERYTHING), options=("--ogc",))
        records, published = lines_between(envelope, b'{"data":[', b'],"status"'), pages(site, slug, resource)
        self.assertEqual(sorted(records), sorted(published), name)
        self.assertEqual(json.loads(envelope)["meta"]["total"], len(published))
        data = site / "data" / slug / index.parent.name
        schema = json.loads((data / f"schema{name[len(slug):]}.json").read_bytes())
        called = [c["name"] for c in schema.get("odp:labelColumns", [])]  # files may have names beside codes: then they are those of labels=true
        if csv_too and (data / f"{name}.csv").exists():
            expected = (data / f"{name}.csv").read_bytes()
            if called:
                with_names, = ask(index, ("csv", EVERYTHING + "&labels=true"))
                expected, table = columns_of(expected, ()), columns_of(with_names, set(columns_of(with_names, ())[0]) - set(columns_of(expected, ())[0]))
            else:
                expected, table = expected.split(b"\r\n"), table.split(b"\r\n")
            self.assertEqual(table[0], expected[0], name)
            self.assertEqual(sorted(table), sorted(expected), name)
            self.seen["csv"] += 1
        if (data / f"{name}.geojson").exists():
            expected = lines_between((data / f"{name}.geojson").read_bytes(), b'"features":[', b"\n]")
            found = lines_between(features, b'"features":[', b'],"links"')
            if called:
                found, expected = ([json.loads(f) for f in sorted(lines)] for lines in (found, expected))
                for feature in expected:
                    feature["properties"] = {k: v for k, v in feature["properties"].items() if k not in called}
            self.assertEqual(*(sorted(lines, key=str) for lines in (found, expected)), name)
            self.seen["geojson"] += 1
        self.check_items(index, records, name)
        self.check_page(index, records, name)
        self.check_names(index, name)
        self.seen["envelope"] += 1
        return len(records)

    def check_page(self, index, records, name):
        """A page for people has the texts of the records, and the names of codes."""
        labels = self.labels(index)
        for lang in ("id", "en"):
            body, envelope = ask(index, ("html", "limit=20"), ("envelope", "limit=20"), options=("--lang", lang))
            page, shown = Page(body.decode()), json.loads(envelope, parse_float=str, parse_int=str)["data"]
            for record in shown:
                for column, code in record.items():
                    if isinstance(code, str) and (column, code) in labels:
                        text = labels[column, code]
                        name = text[lang == "en"] or text[lang != "en"]
                        record[column] = code if name == code else f"{name} ({code})"
            self.assertEqual(len(page.rows), 1 + len(shown))
            self.assertEqual({len(row) for row in page.rows}, {len(page.rows[0])})
            for row, record in zip(page.rows[1:], shown, strict=True):
                texts = [v for k, v in record.items() if isinstance(v, str) and k != "geometry"]
                missing = [t for t in texts if t not in row]
                self.assertEqual(missing, [], name)

    def labels(self, index):
        """{(column, code): (Indonesian, English)}"""
        with contextlib.closing(sqlite3.connect(f"file:{index}?immutable=1", uri=True)) as db:
            return {(column, code): (name or "", name_en or "") for column, code, name, name_en in db.execute('SELECT "column", code, id, en FROM odp_label')}

    def check_names(self, index, name):
        """labels=true adds names right after their codes, and nothing else."""
        labels = self.labels(index)
        english = {column for (column, _), (text, text_en) in labels.items() if text_en not in ("", text)}
        envelope, plain, table, features = ask(index, ("envelope", EVERYTHING + "&labels=true"), ("envelope", EVERYTHING), ("csv", EVERYTHING + "&labels=true"),
                                               ("geojson", "limit=50&labels=true"), options=("--ogc",))
        named, bare = (json.loads(b, parse_float=str)["data"] for b in (envelope, plain))
        rows = list(csv.DictReader(io.StringIO(table.decode(), newline="")))
        for record, row, before in zip(named, rows, bare, strict=True):
            wanted = {}
            for column, value in before.items():
                wanted[column] = value
                if not any(c == column for c, _ in labels):
                    continue
                text, text_en = labels.get((column, str(value)), ("", ""))
                for tail, shown in (("_nama", text or text_en), ("_nama_en", text_en or text))[:1 + (column in english)]:
                    wanted[column + tail] = shown or None
                    self.assertEqual(row[column + tail], shown, name)
                    self.seen["names"] += bool(shown)
            self.assertEqual(list(record.items()), list(wanted.items()), name)
        for feature, record in zip(json.loads(features, parse_float=str)["features"], named):
            self.assertEqual(feature["properties"], {k: v for k, v in record.items() if k != "geometry"})

    def check_items(self, index, records, name):
        """Some records by their keys."""
        slug = index.parents[1].name
        schema = index.parents[3] / "data" / slug / index.parent.name / f"schema{name[len(slug):]}.json"
        key = json.loads(schema.read_bytes()).get("primaryKey", [])
        if not key:
            return
        some = records[:: max(1, len(records) // 25)]
        ids = [identifier(json.loads(r), key) for r in some]
        for record, wanted, body in zip(some, ids, ask(index, *(("envelope", "", urllib.parse.quote(i)) for i in ids)), strict=True):
            self.assertEqual(lines_between(body, b'{"data":[', b'],"status"'), [record], (name, wanted))
            self.seen["item"] += 1
        for record, wanted, body in zip(some, ids, ask(index, *(("geojson", "", urllib.parse.quote(i)) for i in ids), options=("--ogc",)), strict=True):
            feature = json.loads(body)
            self.assertEqual(feature["id"], wanted)
            self.assertEqual({k: v for k, v in json.loads(record).items() if k != "geometry"}, feature["properties"])

    def setUp(self):
        super().setUp()
        self.seen = {"envelope": 0, "csv": 0, "geojson": 0, "item": 0, "names": 0}

    def test_every_record_of_the_example_is_the_same_in_the_index(self):
        site = odp.example_site().resolve()
        found = indexes(site)
        total = sum(self.check_resource(site, slug, resource, index) for (slug, resource), index in found.items())
        self.assertEqual(self.seen["envelope"], len(odp.read_json(site / "search/index.json")["resources"]))
        self.assertGreaterEqual(self.seen["envelope"], 23)
        self.assertGreaterEqual(self.seen["csv"], 10)
        self.assertGreaterEqual(self.seen["geojson"], 3)
        self.assertGreaterEqual(self.seen["item"], 100)
        self.assertGreater(self.seen["names"], 5000)
        self.assertGreater(total, 10000)

    def test_texts_of_all_kinds_and_composite_keys(self):
        texts = ["", "polos", '"kutip"', "a,b", "100%", "a%2Cb", "x,y%", "baris\nbaru", " spasi ", "a\tb", "é ü ñ 漢字 🏠", "\u2028\u2029", "=1+1", "\\", "\\n",
                 "</script><b>&amp;", "' OR 1=1 --", "a;b", "null", "0012"]
        self.catalogue(references=True)
        rows = "kode,bagian,nilai,tanggal,waktu,benar,sifat\n"
        for i, text in enumerate(texts):
            quoted = '"' + text.replace('"', '""') + '"' if text else '"(kosong)"'
            rows += f"{quoted},{i % 3},{i}.{i:02d}0,2024-03-{i + 1:02d},2024-03-15T0{i % 10}:00:00.50+0{i % 9}:00,{'Ya' if i % 2 else ''},"
            rows += '"{""a"":[1,""x,y""]}"\n' if i % 4 else "\n"
        fields = [{"name": "kode", "type": "string", "constraints": {"required": True}},
                  {"name": "bagian", "type": "integer", "constraints": {"required": True}},
                  {"name": "nilai", "type": "number"}, {"name": "tanggal", "type": "date"}, {"name": "waktu", "type": "datetime"},
                  {"name": "benar", "type": "boolean", "trueValues": ["Ya"]}, {"name": "sifat", "type": "object"}]
        keys = {"uji": ["kode", "bagian"], "uji-satu": ["kode"], "uji-tanpa": []}
        for slug, key in keys.items():
            self.dataset(slug, rows, fields, {"schema": {"primaryKey": key} if key else {}}, **{"odp:severity": {"ODP-K07": "off"}})  # " spasi "
        self.release("2.6.0")
        self.odp("build", "--catalog", self.dir / "catalog", "--out", self.dir / "site", "--quiet", "--no-progress")
        site = (self.dir / "site").resolve()
        for slug in keys:
            self.assertEqual(self.check_resource(site, slug, None, indexes(site)[slug, None]), len(texts))
        self.assertEqual(self.seen["csv"], 3)
        self.assertEqual(self.seen["item"], 40)


if __name__ == "__main__":
    odp.main()
