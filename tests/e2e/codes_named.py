"""Codes do not stand alone: on every page, in workbooks, and where the catalogue or the caller says so in files and answers of the API, the name is with the
code. Names are worked out from the catalogue's code lists and the schemas' categories by this file itself."""
import collections
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import urllib.parse

import askinglib
import gatewaylib
import odp
import portallib
import readerlib
import workbooklib

VOID = {"meta", "link", "br", "img", "input", "hr", "path", "rect", "wbr", "use", "circle", "line"}
ITEMS = ("li", "option", "figcaption")
LISTS = odp.SOURCE / "catalog/references"


def name_of_code(site):
    """{list: {code: its names in small letters}} of all editions, from the sources."""
    found = {}
    for folder in sorted(p.parent for p in LISTS.glob("*/dataset.json")):
        names = found.setdefault(folder.name, collections.defaultdict(set))
        for path in folder.glob("*.csv"):
            for row in odp.read_csv(path):
                names[row["kode"]] |= {text.casefold() for column, text in row.items() if column.startswith("nama") and text}
    return found


class Cells(html.parser.HTMLParser):
    """The tables of a page as rows of cells' texts, the first row the heads; terms with what is said of them, as rows; and the texts of list items and choices."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.open, self.texts, self.terms = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")
        elif tag == "dt":
            self.terms.append([""])
        elif tag == "dd" and self.terms:
            self.terms[-1].append("")
        elif tag in ITEMS:
            self.texts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        inside = next((t for t in reversed(self.open) if t in ("td", "th", "dd", "dt", *ITEMS, "script", "style")), "")
        if inside in ("td", "th") and self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data
        elif inside in ("dd", "dt") and self.terms:
            self.terms[-1][-1] += data
        elif inside in ITEMS and self.texts:
            self.texts[-1] += data


def squeezed(text):
    return " ".join(text.split())


class Pages(portallib.Case):
    """Everything that is looked at is of the example."""

    def setUp(self):
        super().setUp()
        self.tables = askinglib.tables(self.site)
        self.names = name_of_code(self.site)
        self.titles = {title for t in self.tables for titles in t.titles.values() for title in titles.values()}
        self.slugs = {t.slug for t in self.tables if t.kind == "dataset"}

    def heads(self, slug, lang):
        """{title of a labelled column: its labels} of a dataset's tables."""
        found = {}
        for table in self.tables:
            if table.slug == slug:
                for field, labels in table.labels.items():
                    found[table.titles[field][lang]] = {code: label.get(lang) or label["id"] for code, label in labels.items()}
        return found

    def check_cells(self, page, lang, slug, where):
        """Cells below the head of a labelled column have the name of what they say."""
        heads, found = self.heads(slug, lang), []
        for rows in page.tables:
            head = [squeezed(cell) for cell in rows[0]] if rows else []
            found += [(heads[title], row[i]) for row in rows[1:] if len(row) == len(head) for i, title in enumerate(head) if title in heads]
        found += [(heads[squeezed(term)], text) for term, *texts in page.terms if squeezed(term) in heads for text in texts]
        self.cells += len(found)
        faults = []
        for labels, text in found:
            code = squeezed(text)
            if code in labels and labels[code].casefold() != code.casefold():
                faults.append(f"{where}: {code} stands alone: {labels[code]} is its name")
        return faults

    def check_codes(self, page, where):
        """No item or choice, and no head of a row in a table of other things, is the code of a region and nothing else."""
        first = [row[0] for table in page.tables for row in table[1:] if row and table[0] and squeezed(table[0][0]) not in self.titles]
        return [f"{where}: {squeezed(text)} without its name" for text in first + page.texts if squeezed(text) in self.names["kabkota"]]

    def test_pages(self):
        """Of every page of the portal, and of changes."""
        self.cells, faults, pages = 0, [], 0
        for path in sorted(self.site.resolve().rglob("*.html")):
            local = path.relative_to(self.site.resolve())
            if local.parts[0] in ("simple", "packages"):
                continue
            page, pages = Cells(path.read_text()), pages + 1
            lang = "en" if local.parts[0] == "en" or ".en." in local.name else "id"
            slug = next((p for p in (*local.parts[-2:-1], local.stem.split(".")[0], *local.parts[1:2]) if p in self.slugs), None)
            if slug is not None:
                faults += self.check_cells(page, lang, slug, local)
            if not re.match(r"(katalog|en/catalog|data|v1)/(kabkota|provinsi)\b", str(local)):
                faults += self.check_codes(page, local)
        self.assertGreater(pages, 100)
        self.assertGreater(self.cells, 1000)
        self.assertEqual(faults, [], f"{len(faults)}:\n" + "\n".join(faults[:30]))

    def test_pages_of_the_api(self):
        """Records as pages, of all tables that have labels, in both languages."""
        self.cells, faults, key = 0, [], self.gateway.create_key()
        connection = gatewaylib.Connection(self.gateway.port)
        self.addCleanup(connection.close)
        for table in self.tables:
            if not table.labels or table.kind != "dataset":
                continue
            ident = ",".join(table.texts[0][n].replace("%", "%25").replace(",", "%2C") for n in table.key)
            for lang in ("id", "en"):
                for path in (f"/v1/{table.path}?f=html&limit=50", f"/v1/ogc/collections/{table.path.replace('/', '-')}/items?f=html&limit=50",
                             f"/v1/{table.path}/id/{urllib.parse.quote(ident, safe=',')}?f=html"):
                    answer = connection.get(path, key, headers=[f"Accept-Language: {lang}", "Accept: text/html"])
                    self.assertEqual(answer.status, 200, (path, answer))
                    page = Cells(answer.body.decode())
                    faults += self.check_cells(page, lang, table.slug, f"{path} ({lang})") + self.check_codes(page, f"{path} ({lang})")
        self.assertGreater(self.cells, 1000)
        self.assertEqual(faults, [], f"{len(faults)}:\n" + "\n".join(faults[:30]))

    def test_workbooks(self):
        """Beside a column of codes stands a column of names."""
        seen = 0
        for table in self.tables:
            path = table.files.get("xlsx")
            if path is None or not any(n in table.labels for n in table.fields):
                continue
            with workbooklib.Workbook(path) as book:
                sheets = {sheet.name: [{k: c.text for k, c in cells.items()} for _, cells in sheet.rows()] for sheet in book.sheets}
            for field, labels in table.labels.items():
                seen += self.check_sheet(max(sheets.values(), key=len), table.titles[field]["id"], labels, path.name)
        self.assertGreater(seen, 1000)

    def check_sheet(self, rows, title, labels, where):
        """How many names stand beside the codes of the column with that TITLE."""
        at, head = next((k, i) for i, row in enumerate(rows) for k, text in row.items() if text == title)
        seen = 0
        for row in rows[head + 1:]:
            code = row.get(at)
            if code in labels and labels[code]["id"].casefold() != code.casefold():
                self.assertEqual(row.get(at + 1), labels[code]["id"], (where, title, code))
                seen += 1
        return seen

    def test_names_are_read_as_names(self):
        """No list's name is in capitals only, but for abbreviations; but for its case it is the list's own."""
        checked = 0
        for path in sorted(self.site.glob("data/*/labels-*.json")):
            document = odp.read_json(path)
            names = self.names[document["list"]]
            if not names:  # the list of boundaries: a shapefile
                continue
            for code, label in document["labels"].items():
                self.assertIn(label["id"].casefold(), names[code], (path.name, code))
                shouted = [w for w in re.findall(r"[^\W\d_]{4,}", label["id"]) if w.isupper() and w not in ("SPALD", "APBN", "APBD")]
                if document["list"] in ("kabkota", "provinsi"):
                    self.assertEqual(shouted, [], (path.name, code, label))
                checked += 1
        self.assertGreater(checked, 500, "data/<list>/labels-<edition>.json")

    def test_labels_of_the_api(self):
        """labels=true: beside each column with labels its names, in JSON, GeoJSON, CSV."""
        key, seen = self.gateway.create_key(), 0
        connection = gatewaylib.Connection(self.gateway.port)
        self.addCleanup(connection.close)
        for table in self.tables:
            if not table.labels:
                continue
            answer = connection.get(f"/v1/{table.path}?labels=true&limit=1000&skipGeometry=true", key, headers=["Accept: application/json"])
            self.assertEqual(answer.status, 200, answer)
            for record in json.loads(answer.body)["data"]:
                seen += self.check_names(table, record)
            text = connection.get(f"/v1/{table.path}.csv?labels=true&limit=1000", key).body.decode()
            head, *rows = readerlib.parse_csv(text)
            for row in rows:
                self.check_names(table, dict(zip(head, row, strict=True)))
        self.assertGreater(seen, 10000)

    def check_names(self, table, record):
        """How many names a record has; each is right, and right after its code."""
        seen, names = 0, list(record)
        for field, labels in table.labels.items():
            if field not in record:
                continue
            self.assertEqual(names[names.index(field) + 1], f"{field}_nama", (table.path, names))
            label = labels.get(askinglib.text_of(record[field]), {})
            self.assertEqual(record[f"{field}_nama"], label.get("id") or label.get("en"), (table.path, field, record[field]))
            if any(one.get("en") and one["en"] != one["id"] for one in labels.values()):
                self.assertEqual(record[f"{field}_nama_en"], label.get("en") or label.get("id"), (table.path, field, record[field]))
            seen += 1
        return seen


class Files(odp.Case):
    """What the catalogue says with odp:labels."""

    def build(self, labels, *slugs):
        self.catalogue(*slugs)
        for slug in slugs:
            path = self.dir / "catalog" / slug / "dataset.json"
            package = odp.read_json(path)
            if labels:
                package["odp:labels"] = True
            path.write_text(json.dumps(package))
        self.odp("build", "--out", "site", "--quiet")
        return {t.path: t for t in askinglib.tables(self.dir / "site")}

    def test_columns_of_names(self):
        tables, checked = self.build(True, "kumuh", "perumahan"), 0
        for path in ("kumuh", "perumahan"):
            table = tables[path]
            schema = odp.read_json(next((self.dir / "site/data" / path).glob("2*/schema.json")))
            described = {c["name"]: c["odp:labelOf"] for c in schema.get("odp:labelColumns", [])}
            self.assertEqual({n for n in described if n.endswith("_nama")}, {f"{n}_nama" for n in table.fields if n in table.labels}, path)
            for kind, records in table.every.items():
                for record, _ in records:
                    for name, field in described.items():
                        label = table.labels[field].get(record[field], {})
                        expected = label.get("en", label.get("id")) if name.endswith("_en") else label.get("id")
                        self.assertEqual(record[name], expected, (path, kind, name, record[field]))
                        self.assertEqual(list(record).index(name), list(record).index(field) + (2 if name.endswith("_en") else 1), (kind, list(record)))
                        checked += 1
            excel = readerlib.parse_csv(table.files["excel.csv"].read_bytes().decode("utf-8-sig"), ";")
            self.assertIn("kode_kabkota_nama", excel[0])
        self.assertGreater(checked, 1000)

    def test_identity_is_the_codes(self):
        """Names are no part of a version: the same digest with and without, and no new version when they come."""
        self.build(False, "perumahan")
        before = odp.read_json(self.dir / "site/v1/index.json")["data"]
        path = self.dir / "catalog/perumahan/dataset.json"
        path.write_text(json.dumps({**odp.read_json(path), "odp:labels": True}))
        self.odp("build", "--out", "other", "--quiet")
        after = odp.read_json(self.dir / "other/v1/index.json")["data"]
        digests = [[(e["slug"], e["version"], e["digest"]) for e in found if e["slug"] == "perumahan"] for found in (before, after)]
        self.assertEqual(*digests)

    def test_gdal_reads_them(self):
        if shutil.which("ogr2ogr") is None:
            self.skipTest("GDAL is not installed")
        table = self.build(True, "kumuh")["kumuh"]
        for kind in ("geojson", "csv"):
            out = self.dir / f"{kind}.csv"
            subprocess.run(["ogr2ogr", "-f", "CSV", out, table.files[kind]], check=True, capture_output=True)
            rows = odp.read_csv(out)
            self.assertEqual([r["kode_kabkota_nama"] for r in rows], [table.labels["kode_kabkota"][r["kode_kabkota"]]["id"] for r in table.texts], kind)


if __name__ == "__main__":
    odp.main()
