"""Workbooks (xlsx) read back: by what is stored in their XML and by openpyxl, against the CSV of the same version, value by value and by
count and digest. The example site, and tables made of values that spreadsheets get wrong."""
import csv
import datetime
import decimal
import io
import json
import re
import shutil
import sys
import unittest
import zipfile

import odp
import readerlib
import workbooklib

TODAY = ("--today", "2024-06-01")


def labels_of(resource):
    """By field, the names of its codes: of its categories, else of the code list that it points into."""
    found = {}
    for key in resource.schema.get("odp:foreignKeys", []):
        reference = key["reference"]
        if len(key["fields"]) == 1:
            path = resource.site / "data" / reference["dataset"].partition("/")[2] / f"labels-{reference['resource']}.json"
            found[key["fields"][0]] = json.loads(path.read_text())["labels"]
    for field in resource.fields:
        labels = {c["value"]: c["odp:label"] for c in field.get("categories", []) if isinstance(c, dict) and "odp:label" in c}
        found.update({field["name"]: labels} if labels else {})
    return found


def books(site, name):
    """The resources with a workbook, with the columns that it has: names after codes that say nothing by themselves."""
    for resource in readerlib.resources(site, name):
        labels, plain, fields = labels_of(resource), resource.records, []
        for field in resource.fields:
            names = labels.get(field["name"], {})
            fields.append((field, None))
            if any(text["id"] != code for code, text in names.items()):
                for lang in ("id", "en"):
                    if lang == "id" or any(text.get("en", text["id"]) != text["id"] for text in names.values()):
                        title = (field.get("odp:title") or {}).get(lang, field["name"])
                        fields.append(({"name": field["name"] + ("_nama" if lang == "id" else "_nama_en"), "type": "string",
                                        "odp:title": {"id": title}, "odp:description": {}}, (field["name"], names, lang)))

        def records(plain=plain, fields=fields):
            header, rows = plain()
            at = {name: k for k, name in enumerate(header)}
            rest = [n for n in header if n not in {f["name"] for f, _ in fields}]

            def cell(row, field, label):
                if label is None:
                    return row[at[field["name"]]]
                name, names, lang = label
                text = names.get(row[at[name]])
                return text and text.get(lang, text["id"])
            return [f["name"] for f, _ in fields] + rest, [[cell(r, f, label) for f, label in fields] + [r[at[n]] for n in rest] for r in rows]
        resource.records, resource.fields = records, [f for f, _ in fields]
        resource.types = [f["type"] for f in resource.fields]
        yield resource


def stored_records(resource, book=None, path=None):
    """(data sheets, records as comparable texts) by the cells that are stored."""
    book = book or workbooklib.Workbook(path or resource.file("xlsx"))
    header, _ = resource.records()
    kinds = kinds_of(resource, header)
    sheets, records = book.data_sheets(len(header)), []
    for sheet in sheets:
        at = sheet.head_rows() + 1
        for number, cells in sheet.rows():
            if number < at:
                continue
            # A record of nulls alone may leave no row behind.
            records += [[None] * len(header)] * (number - at)
            records.append([workbooklib.stored(cells.get(k), kind) for k, kind in enumerate(kinds, 1)])
            at = number + 1
    return sheets, records


def understood_records(resource, path=None):
    """The records as openpyxl reads them."""
    openpyxl = workbooklib.openpyxl()
    header, _ = resource.records()
    kinds = kinds_of(resource, header)
    with workbooklib.Workbook(path or resource.file("xlsx")) as raw:
        names = [(s.name, s.head_rows()) for s in raw.data_sheets(len(header))]
    book = openpyxl.load_workbook(path or resource.file("xlsx"), read_only=True)
    records = []
    for name, head in names:
        for row in book[name].iter_rows(min_row=head + 1, max_col=len(kinds)):
            cells = [workbooklib.understood(c.value, getattr(c, "number_format", ""), kind) for c, kind in zip(row, kinds)]
            records.append(cells + [None] * (len(kinds) - len(cells)))
    book.close()
    return records


def kinds_of(resource, header):
    """The type of each column: the schema's, then those of the geometry's columns."""
    more = {"lon": "number", "lat": "number", "label_lon": "number", "label_lat": "number"}
    names = [f["name"] for f in resource.fields]
    assert header[:len(names)] == names
    return resource.types + [more.get(n.removeprefix("geometry_"), "string") for n in header[len(names):]]


def expected_records(resource):
    """The records of the CSV as comparable texts. A spreadsheet's cell is empty for null and for the empty text."""
    header, records = resource.records()
    kinds = kinds_of(resource, header)
    return header, [[workbooklib.comparable(t, k) or None for t, k in zip(r, kinds)] for r in records]


class Books(odp.Case):
    def same(self, found, expected, header, what):
        self.assertEqual(len(found), len(expected), what)
        if readerlib.digest(found) != readerlib.digest(expected):
            self.fail(f"{what}: {readerlib.difference(found, expected, header)}")

    def check(self, resource, library=True):
        """The workbook of RESOURCE is its CSV."""
        header, expected = expected_records(resource)
        with workbooklib.Workbook(resource.file("xlsx")) as book:
            sheets, found = stored_records(resource, book)
            self.sound(book)
        self.assertEqual(len(found), resource.rows)
        self.same(found, expected, header, f"{resource.slug}, as stored")
        if library and workbooklib.openpyxl() is not None:
            self.same(understood_records(resource), expected, header, f"{resource.slug}, by openpyxl")
        return sheets

    def sound(self, book):
        """Nothing that computes, runs or fetches; no clock; every part is well-formed XML."""
        for name in book.names:
            self.assertRegex(name, r"^[A-Za-z0-9_./\[\]]+\.(xml|rels|vml)$")
            workbooklib.xml.fromstring(book.zip.read(name))
        self.assertEqual([n for n in book.names if re.search(r"vba|externalLink|connections|embeddings|calcChain|queryTable", n)], [])
        self.assertEqual({i.date_time for i in book.zip.infolist()}, {(1980, 1, 1, 0, 0, 0)})
        for sheet in book.sheets:
            self.assertEqual([e.text for e in sheet.parts("f")], [], sheet.name)
            self.assertLessEqual(len(sheet.name), 31)
            self.assertFalse(set(sheet.name) & set("[]:*?/\\"), sheet.name)
        self.assertEqual(len({s.name.lower() for s in book.sheets}), len(book.sheets))


class Example(Books):
    """The workbooks that the example catalogue offers."""

    @classmethod
    def setUpClass(cls):
        cls.site = odp.example_site()
        cls.resources = list(books(cls.site, "xlsx"))

    def test_every_workbook_is_its_csv(self):
        self.assertGreaterEqual(len(self.resources), 3)
        for resource in self.resources:
            self.assertEqual(len(self.check(resource)), 1)
            row = next(f for f in resource.listed["files"] if f["name"] == "xlsx")
            self.assertEqual(row["format"], "Excel")
            self.assertEqual(row["media_type"], "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
            self.assertEqual(resource.at(resource.entry["download"]["Excel"]) if resource.primary else None,
                             resource.file("xlsx") if resource.primary else None)

    def test_openpyxl_reads_types_as_declared(self):
        openpyxl = workbooklib.openpyxl()
        if openpyxl is None:
            self.skipTest("openpyxl is not on this machine")
        expected = {"string": {str}, "integer": {int}, "number": {int, float}, "year": {int}, "date": {datetime.datetime}, "boolean": {bool},
                    "yearmonth": {str, datetime.datetime}, "datetime": {datetime.datetime}, "time": {datetime.time}}
        for resource in self.resources:
            book = openpyxl.load_workbook(resource.file("xlsx"))
            with workbooklib.Workbook(resource.file("xlsx")) as raw:
                [sheet] = raw.data_sheets(len(resource.fields))
                name, head = sheet.name, sheet.head_rows()
            columns = list(book[name].iter_cols(min_row=head + 1, max_col=len(resource.fields)))
            for field, column in zip(resource.fields, columns):
                types = {type(c.value) for c in column if c.value is not None}
                self.assertLessEqual(types, expected[field["type"]], f"{resource.slug}.{field['name']}")
                self.assertTrue(types, field["name"])
                self.assertEqual({c.data_type for c in column} - {"n", "s", "d", "b", "inlineStr"}, set())
                if field["type"] in ("date", "datetime"):
                    self.assertTrue(all(c.is_date for c in column if c.value is not None), field["name"])
            book.close()

    def test_heads_are_frozen_filterable_and_fit(self):
        for resource in self.resources:
            with workbooklib.Workbook(resource.file("xlsx")) as book:
                [sheet] = book.data_sheets(len(resource.fields))
                head = sheet.head_rows()
                rows = list(sheet.rows())
                width = len(resource.fields)
                heads = [rows[head - 1][1][k].text for k in range(1, width + 1)]
                self.assertEqual(len(set(heads)), width)
                for field, text in zip(resource.fields, heads):
                    title = field.get("odp:title", {}).get("id") or field.get("title") or field["name"]
                    self.assertIn(title, text)
                    unit = field.get("sdi:satuan")
                    if unit:
                        self.assertIn(unit["id"] if isinstance(unit, dict) else unit, text)
                [pane] = sheet.parts("pane")
                self.assertEqual((pane.get("state"), int(pane.get("ySplit"))), ("frozen", head))
                corner = workbooklib.letters(width) + str(head + resource.rows)
                self.assertEqual(sheet.filtered(), f"A{head}:{corner}")
                [dimension] = sheet.parts("dimension")
                if dimension.get("ref") != "A1":  # constant memory: the library does not know it in time
                    self.assertEqual(dimension.get("ref"), f"A1:{corner}")
                widths = {}
                for col in sheet.parts("col"):
                    for k in range(int(col.get("min")), int(col.get("max")) + 1):
                        widths[k] = float(col.get("width"))
                self.assertEqual(sorted(widths)[:width], list(range(1, width + 1)))
                for k, (field, kind) in enumerate(zip(resource.fields, resource.types), 1):
                    self.assertTrue(4 <= widths[k] <= 80, f"{field['name']}: {widths[k]}")
                    if kind in ("integer", "number", "date"):  # such a cell that does not fit shows as ####
                        longest = max(len(shown(c)) for _, row in rows[head:] if (c := row.get(k)) is not None and c.text is not None)
                        self.assertGreaterEqual(widths[k], longest, field["name"])

    def test_number_formats_by_unit(self):
        wanted = {"rupiah": r'#,##0(\.0+)?', "persen": r'(#,##)?0\.0+.*', "hektare": r'#,##0(\.0+|\.#+)?.*', "orang": r"#,##0", "unit": r"#,##0"}
        seen = set()
        for resource in self.resources:
            with workbooklib.Workbook(resource.file("xlsx")) as book:
                [sheet] = book.data_sheets(len(resource.fields))
                head = sheet.head_rows()
                for number, cells in sheet.rows():
                    if number <= head:
                        continue
                    for k, field in enumerate(resource.fields, 1):
                        unit = (field.get("sdi:satuan") or {}).get("id", "")
                        cell = cells.get(k)
                        if cell is None or cell.kind != "n" or cell.text is None:
                            continue
                        if unit in wanted:
                            self.assertRegex(cell.format, wanted[unit] + r"(\\? ?\"[^\"]*\")?$", f"{field['name']} in {unit}")
                            seen.add(unit)
                        if field["type"] == "year":
                            self.assertIn(cell.format, ("0", "General", "0000"))
                        if field["type"] == "date":
                            self.assertTrue(workbooklib.is_date(cell.format), cell.format)
                            self.assertRegex(cell.format.lower(), "y{4}")
        self.assertEqual(seen, {"rupiah", "persen", "hektare", "orang", "unit"})

    def test_a_sheet_describes_the_dataset(self):
        for resource in self.resources:
            with workbooklib.Workbook(resource.file("xlsx")) as book:
                data = {s.name for s in book.data_sheets(len(resource.fields))}
                about = "\n".join(text for s in book.sheets if s.name not in data for text in s.texts())
                entry, said = resource.entry, []
                for key in ("title", "description"):
                    said += list(entry[key].values())
                said += [resource.version, entry["license"]["path"], entry["sources"][0]["title"]]
                for key in ("sdi:produsenData", "sdi:walidata", "sdi:pembina"):
                    said += list(entry[key].values())
                for f in resource.fields:
                    said += [f["name"], *f["odp:title"].values(), *f["odp:description"].values()]
                    for key in ("sdi:satuan", "sdi:konsep", "sdi:definisi", "sdi:ukuran", "sdi:klasifikasi"):
                        said += list(f.get(key, {}).values())
                for text in said:
                    self.assertIn(text, about, resource.slug)
                properties = book.properties()
                self.assertIn(entry["title"]["id"], properties["title"])
                self.assertTrue(properties.get("creator"))
                for key in ("created", "modified"):
                    self.assertTrue(properties[key].startswith(resource.version[:10]), properties)

    def test_codes_have_sheets_and_validation(self):
        lists = 0
        for resource in self.resources:
            with workbooklib.Workbook(resource.file("xlsx")) as book:
                data = book.data_sheets(len(resource.fields))
                others = {s.name: s.texts() for s in book.sheets if s not in data}
                everything = {text for texts in others.values() for text in texts}
                for f in resource.fields:
                    for category in f.get("categories", []):
                        value = category["value"] if isinstance(category, dict) else category
                        self.assertIn(value, everything, f"{resource.slug}.{f['name']}")
                for key in resource.schema.get("odp:foreignKeys", []) + resource.schema.get("foreignKeys", []):
                    if key["reference"].get("dataset", "").startswith("references/provinsi"):
                        provinces = {r["kode"]: r["nama"] for r in odp.read_csv(odp.SOURCE / "catalog/references/provinsi/2025.csv")}
                        self.assertLessEqual(set(provinces) | set(provinces.values()), {text.upper() for text in everything})
                        lists += 1
                for sheet in data:
                    head, rows = sheet.head_rows(), list(sheet.rows())
                    for rule in sheet.parts("dataValidation"):
                        self.assertEqual(rule.get("type"), "list")
                        formula = rule.find(workbooklib.MAIN + "formula1").text
                        first = re.match(r"([A-Z]+)", rule.get("sqref")).group(1)
                        field = resource.fields[workbooklib.column_number(first) - 1]
                        allowed = book.resolve(formula)
                        values = {cells[workbooklib.column_number(first)].text for n, cells in rows
                                  if n > head and workbooklib.column_number(first) in cells}
                        self.assertLessEqual(values - {None}, set(allowed), field["name"])
                        lists += 1
        self.assertGreater(lists, 3)


def shown(cell):
    """About what a spreadsheet shows of a number or date."""
    if workbooklib.is_date(cell.format):
        return re.sub(r'\\(.)|"([^"]*)"', r"\1\2", cell.format)
    places = len(cell.format.partition(".")[2].rstrip("%").replace("#", "0").split('"')[0].strip()) if "." in cell.format else 0
    return format(decimal.Decimal(repr(float(cell.text))), f",.{places}f")


# Values by type: what spreadsheets turn into something else.
LONG = "".join(chr(0x61 + i % 26) for i in range(32767))
VALUES = {
    "teks": ["=1+1", "+62 21", "-5", "@SUM(A1)", "=cmd|'/c calc'!A1", "'kutip", "0071", "1e5", "31.71", "1234567890123456", "TRUE", "2024-03-15", "1/2",
             "a\nb", "a\r\nb", " tepi ", "\tx", "_x0041_", "_x000D_x", "<b>&amp;\"'</b>", "]]>", "日本語 ไทย العربية", "😀𝒳", "e\u0301", "a\u00a0b\u200bc",
             "#N\u200b/A", "null", LONG, "x" * 300, "https://example.org/a?b=c&d=e#f", "mailto:a", "\u2028", "\ue000"],
    "bulat": ["0", "-1", "999999999999999", "-999999999999999", "1234567890123456", "9007199254740993", "123456789012345678901234567890", "1000000"],
    "angka": ["0", "-0.0", "0.1", "12.50", "9.95", "0.30000000000000004", "123456789012.345", "1234567890.123456", "1E+5", "1e-7", "1E+300", "1E+400", "-1234567.891",
              "0.1234567890123456789"],
    "ganda": [repr(n / 7) for n in range(1, 30)] + ["0.30000000000000004", "536.7012345678901", "12.50", "-1.7976931348623156E+300", "5e-300"],
    "besar": ["999999999999999", "1234567890123456", "3621300000000000", "-9007199254740991"],
    "ya": ["true", "false"],
    "tanggal": ["1899-12-30", "1899-12-31", "1900-01-01", "1900-02-28", "1900-03-01", "1945-08-17", "2024-02-29", "9999-12-31", "0001-01-01"],
    "jam": ["00:00:00", "07:05:00", "23:59:59", "12:00:00.5", "12:34:56.123456789"],
    "saat": ["2024-03-15T07:05:00+07:00", "2024-03-15T07:05:00+08:00", "2024-03-15T07:05:00+09:00", "2024-03-15T23:59:59.5+07:00", "2024-03-15T00:00:00Z",
             "2024-03-15T00:00:00.000001+07:00", "1900-02-28T12:00:00+07:00", "1850-01-01T00:00:00+07:00", "9999-12-31T23:59:59+07:00", "2024-03-15T01:02:03-03:30",
             "2024-03-15T01:02:03.123+07:00"],
    "tahun": ["2024", "1899", "1000", "9999"],
    "bulan": ["2024-03", "1899-12", "9999-12", "0001-01"],
    "lama": ["P1Y2M", "PT1H"],
    "daftar": ["a,b", "=1+1"],
    "titik": ["106.8, -6.1"],
    "objek": ['{"a": [1, "=x"]}'],
    "larik": ['[1, null, "b"]'],
    "apa": ["=x", "1", "b"],
}
TYPES = {"teks": "string", "bulat": "integer", "angka": "number", "ganda": "number", "besar": "integer", "ya": "boolean", "tanggal": "date", "jam": "time", "saat": "datetime", "tahun": "year",
         "bulan": "yearmonth", "lama": "duration", "daftar": "list", "titik": "geopoint", "objek": "object", "larik": "array", "apa": "any"}
ALLOWED = dict.fromkeys(("control-character", "white-space", "line-break", "privacy-nik", "privacy-phone", "privacy-email", "privacy-npwp",
                                                     "spreadsheet-scientific", "spreadsheet-error", "spreadsheet-hashes", "spreadsheet-digits", "mojibake", "replacement-character"), "off")


def table(header, rows):
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


class Made(Books):
    """Tables made for the purpose."""

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def one(self, slug, site="build/site", name="xlsx"):
        return next(r for r in books(self.dir / site, name) if r.slug == slug)

    def edges(self, formats=("CSV", "JSON", "Excel")):
        """Every type with every value, one value a record, the other cells empty."""
        fields = [{"name": "id", "type": "integer"}] + [{"name": n, "type": t} for n, t in TYPES.items()]
        rows = []
        for name, values in VALUES.items():
            for value in values:
                rows.append([len(rows) + 1] + [value if n == name else "" for n in TYPES])
        rows.append([len(rows) + 1] + [""] * len(TYPES))
        self.dataset("tepi", table(["id", *TYPES], rows), fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": list(formats), "odp:severity": ALLOWED})
        return rows

    def test_every_type_with_values_that_spreadsheets_get_wrong(self):
        rows = self.edges()
        self.odp("build", *TODAY)
        resource = self.one("tepi")
        self.assertEqual(resource.rows, len(rows))
        self.check(resource)
        with workbooklib.Workbook(resource.file("xlsx")) as book:
            [sheet] = book.data_sheets(len(TYPES) + 1)
            column = {n: k for k, n in enumerate(TYPES, 2)}
            cells = {number - sheet.head_rows(): c for number, c in sheet.rows() if number > sheet.head_rows()}
            of = {(r[column[n] - 1], n): cells[r[0]][column[n]] for r in rows for n in TYPES if r[column[n] - 1] != ""}
            for text in VALUES["teks"]:
                self.assertEqual((of[text, "teks"].kind, of[text, "teks"].text), ("s", text))
            for number in VALUES["bulat"] + VALUES["angka"]:
                name = "bulat" if number in VALUES["bulat"] else "angka"
                self.assertEqual((of[number, name].kind, of[number, name].text), ("s", number))  # one value is beyond a double
            for number in VALUES["ganda"] + VALUES["besar"]:
                name = "ganda" if number in VALUES["ganda"] else "besar"
                self.assertEqual((of[number, name].kind, float(of[number, name].text)), ("n", float(number)))
            for date in VALUES["tanggal"]:
                self.assertEqual(of[date, "tanggal"].kind, "n" if date >= "1900-03-01" else "s", date)
            for when in VALUES["saat"]:
                self.assertIn(of[when, "saat"].kind, "ns", when)
            self.assertEqual(of["2024-03-15T07:05:00+08:00", "saat"].kind, "n")
            self.assertEqual({of[v, "ya"].kind for v in VALUES["ya"]}, {"b"})
            for n in ("lama", "daftar", "titik", "objek", "larik"):
                self.assertEqual({of[v, n].kind for v in VALUES[n]}, {"s"})

    def test_naughty_strings(self):
        suite = odp.read_json(self.needs("csv/blns/blns.json"))
        # What XML has no place for, and what its escapes look like.
        more = ["\x01", "a\x1f\x7f", "\ufffe", "\uffff", "_x0001_", "_x005F_x0041_", "_xZZZZ_", "__x0041__", "\x80\x85", "\b\v\f"]
        self.dataset("nakal", table(["id", "teks"], enumerate(suite + more, 1)), [{"name": "id", "type": "integer"}, {"name": "teks", "type": "string"}],
                     {"schema": {"primaryKey": ["id"], "missingValues": []}}, **{"odp:formats": ["CSV", "Excel"], "odp:severity": ALLOWED})
        self.odp("build", *TODAY)
        resource = self.one("nakal")
        with workbooklib.Workbook(resource.file("xlsx")) as book:
            _, found = stored_records(resource, book)
            self.sound(book)
        self.assertEqual([r[1] or "" for r in found], suite + more)

    def test_empty_text_and_null(self):
        """Neither is a value to a spreadsheet: such a cell is empty, and says nothing like 'null'."""
        self.dataset("kosong", 'a,b\n"",x\n,x\ny,""\ny,\n"null",NULL\n', [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}],
                     {"schema": {"missingValues": []}}, **{"odp:formats": ["CSV", "Excel"]})
        self.odp("build", *TODAY)
        resource = self.one("kosong")
        self.check(resource)
        _, found = stored_records(resource)
        self.assertEqual(found, [[None, "x"], [None, "x"], ["y", None], ["y", None], ["null", "NULL"]])

    def test_no_record_and_one(self):
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        self.dataset("nihil", "id,nilai\n", fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "Excel"]})
        self.dataset("satu", "id,nilai\n1,2.5\n", fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "Excel"]})
        self.odp("build", *TODAY, expect=None)
        for slug in ("nihil", "satu"):
            self.check(self.one(slug))

    def test_many_columns(self):
        names = [f"kolom_{i:03d}" for i in range(300)]
        self.dataset("lebar", table(names, [[i * 1000 + r for i in range(300)] for r in range(20)]), [{"name": n, "type": "integer"} for n in names], {},
                     **{"odp:formats": ["CSV", "Excel"]})
        self.odp("build", *TODAY)
        self.check(self.one("lebar"))

    def test_several_resources_have_workbooks_of_their_own(self):
        self.catalogue_of_example("proyek", "kontraktor", formats=("CSV", "Excel"))
        self.odp("build", *TODAY)
        found = [r for r in books(self.dir / "build/site", "xlsx") if r.slug == "proyek"]
        self.assertEqual([r.file("xlsx").name for r in found], ["proyek.xlsx", "proyek-timeline.xlsx"])
        for resource in found:
            self.check(resource)
        header, _ = found[0].records()
        self.assertIn("label_lon" if "label_lon" in header else "lon", header)  # the geometry has its columns

    def catalogue_of_example(self, *slugs, formats=("CSV", "JSON", "Excel", "PDF"), beside=()):
        """Datasets of the example with all FORMATS, and BESIDE them others that they refer to, as they are."""
        odp.remove_tree(self.dir / "catalog")
        target = self.catalogue(*slugs, *beside)
        for slug in slugs:
            path = target / slug / "dataset.json"
            package = odp.read_json(path)
            package["odp:formats"] = list(formats)
            path.write_text(odp.json.dumps(package))
        return target

    def test_private_values_are_in_no_workbook_and_no_print(self):
        slugs = ("kontraktor", "aspirasi", "rehabilitasi")
        target = self.catalogue_of_example(*slugs, beside=["kumuh"])
        secrets = {}
        for slug in slugs:
            resource = odp.read_json(target / slug / "dataset.json")["resources"][0]
            private = [f["name"] for f in resource["schema"]["fields"] if f.get("sdi:aksesPublik") is False]
            if not private:
                continue
            lines = (target / slug / resource["path"]).read_bytes().decode(resource.get("encoding", "utf-8")).lstrip("\ufeff").splitlines()
            rows = csv.DictReader(lines[resource.get("dialect", {}).get("headerRows", [1])[-1] - 1:], delimiter=resource.get("dialect", {}).get("delimiter", ","))
            secrets[slug] = {r[n] for r in rows for n in private if r[n] and len(r[n]) >= 10} | set(private)
        self.assertEqual(set(secrets), set(slugs))
        self.odp("build", *TODAY)
        import printlib
        for slug, values in secrets.items():
            resource = self.one(slug)
            self.check(resource)
            with zipfile.ZipFile(resource.file("xlsx")) as book:
                inside = b"\n".join(book.read(n) for n in book.namelist()).decode()
            self.assertEqual([v for v in values if v in inside], [], slug)
            path = resource.file("pdf")
            document = printlib.Document(path)
            text = readerlib.squeezed(document.root.text()) + readerlib.squeezed(printlib.run("pdftotext", "-raw", path, "-").decode())
            text += printlib.run("qpdf", "--qdf", path, "-").decode("latin-1") + document.metadata()
            self.assertGreater(len(text), 10000)
            self.assertEqual([v for v in values if readerlib.squeezed(v) in text], [], slug)

    def test_slices_have_workbooks(self):
        rows = [[i, ("11", "31", "31.71")[i % 3], i * 1.5] for i in range(1, 301)]
        self.dataset("survei", table(["id", "wilayah", "nilai"], rows), [{"name": "id", "type": "integer"}, {"name": "wilayah", "type": "string"}, {"name": "nilai", "type": "number"}],
                     {"schema": {"primaryKey": ["id"]}, "odp:slices": ["wilayah"]}, **{"odp:formats": ["CSV", "Excel", "PDF"]})
        sites = {}
        for jobs in (1, 4):
            self.odp("build", *TODAY, "--jobs", jobs, "--out", f"site{jobs}")
            sites[jobs] = odp.digests(self.dir / f"site{jobs}")
        self.assertEqual(sites[1], sites[4])
        resource = self.one("survei", "site4")
        self.assertEqual([s["value"] for s in resource.listed["slices"]], ["11", "31", "31.71"])
        header, whole = expected_records(resource)
        for found in resource.listed["slices"]:
            file = next(f for f in found["files"] if f["name"] == "xlsx")
            self.assertTrue(any(f["name"] == "pdf" for f in found["files"]))
            _, records = stored_records(resource, path=resource.at(file["url"]))
            self.same(records, [r for r in whole if r[1] == found["value"]], header, found["value"])
            self.assertEqual(len(records), found["rows"])

    def test_a_format_listed_later_is_added_beside(self):
        """No new version: the published files stay, the workbook and the print come beside them, and are those of a build with all."""
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        rows = table(["id", "nilai"], [[i, i / 4] for i in range(100)])
        self.dataset("uji", rows, fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV"]})
        self.odp("build", *TODAY)
        before = odp.digests(self.dir / "build/site/data/uji/2024-03-15")
        path = self.dir / "catalog/uji/dataset.json"
        package = odp.read_json(path)
        package["odp:formats"] = ["CSV", "Excel", "PDF"]
        path.write_text(odp.json.dumps(package))
        self.release("2.6.0")
        self.odp("build", *TODAY)
        after = odp.digests(self.dir / "build/site/data/uji/2024-03-15")
        self.assertEqual({p: d for p, d in after.items() if p in before}, before)
        self.assertLessEqual({"uji.xlsx", "uji.pdf"}, set(after) - set(before))
        self.assertEqual([v["version"] for v in odp.read_json(self.dir / "build/site/data/uji/versions.json")["data"]], ["2024-03-15"])
        self.check(self.one("uji"))
        self.odp("build", *TODAY, "--out", "anew", "--previous", self.dir / "none")
        self.assertEqual(odp.digests(self.dir / "anew/data/uji/2024-03-15"), after)
        self.odp("verify")

    def test_the_published_workbook_stays(self):
        """Building again, with other words in the entry too, leaves the bytes of a published version as they are."""
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        self.dataset("uji", "id,nilai\n1,2.5\n2,3\n", fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "Excel", "PDF"]})
        self.odp("build", *TODAY)
        before = odp.digests(self.dir / "build/site/data/uji/2024-03-15")
        path = self.dir / "catalog/uji/dataset.json"
        package = odp.read_json(path)
        package["description"] = "Lain sekali."
        path.write_text(odp.json.dumps(package))
        self.release("2.5.1")
        self.odp("build", *TODAY)
        after = odp.digests(self.dir / "build/site/data/uji/2024-03-15")
        self.assertEqual({p: after.get(p) for p in ("uji.xlsx", "uji.pdf", "uji.csv")}, {p: before[p] for p in ("uji.xlsx", "uji.pdf", "uji.csv")})

    def test_versions_and_differences_do_not_read_workbooks(self):
        """diff, verify, versions work with workbooks beside; a workbook that was changed is found by verify and never published again."""
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        more = {"odp:formats": ["CSV", "Excel", "PDF"]}
        self.dataset("uji", "id,nilai\n1,2.5\n2,3\n", fields, {"schema": {"primaryKey": ["id"]}}, **more)
        self.odp("build", *TODAY)
        self.update("uji", "2024-04-15", "id,nilai\n1,2.5\n2,4\n3,1\n")
        self.odp("build", *TODAY)
        summary = odp.read_json(self.dir / "build/site/data/uji/2024-04-15/changes.json")["summary"]
        self.assertEqual((summary["added"], summary["removed"], summary["changed"]), (1, 0, 1))
        self.assertIn("3 → 4", self.odp("diff", "uji").stdout)
        folder = self.dir / "build/site/data/uji"
        self.assertEqual([p.name for p in sorted(folder.rglob("*.delta")) if "xlsx" in p.name or "pdf" in p.name], [])
        self.odp("verify")
        for name in ("uji.xlsx", "uji.pdf"):
            path = (folder / "2024-03-15" / name).resolve()
            data = path.read_bytes()
            path.chmod(0o644)
            path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
            report = self.report("verify", expect=1)
            self.assertEqual(report["counts"], {"ODP-V60": 1})
            path.write_bytes(data)
            path.chmod(0o444)
        self.odp("verify")

    def test_held_back_published_and_built_again(self):
        """--keep-good keeps the published workbook and print; publish carries them; a build of what has not changed reads and writes none."""
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        more = {"odp:formats": ["CSV", "Excel", "PDF"]}
        for slug in ("baik", "buruk"):
            self.dataset(slug, "id,nilai\n1,2.5\n2,3\n", fields, {"schema": {"primaryKey": ["id"]}}, **more)
        self.odp("build", *TODAY)
        first = odp.digests(self.dir / "build/site/data")
        self.assertIn("tidak ada yang berubah", self.odp("build", *TODAY).stderr)
        self.update("baik", "2024-04-15", "id,nilai\n1,2.5\n2,4\n")
        self.update("buruk", "2024-04-15", "id,nilai\n1,dua\n2,4\n")
        self.odp("build", *TODAY, "--keep-good", expect=1)
        second = odp.digests(self.dir / "build/site/data")
        self.assertEqual({p: second.get(p) for p in first if "/2024-03-15/" in p}, {p: d for p, d in first.items() if "/2024-03-15/" in p})
        self.assertLessEqual({"baik/2024-04-15/baik.xlsx", "baik/2024-04-15/baik.pdf"}, set(second))
        self.assertFalse([p for p in second if p.startswith("buruk/2024-04-15")])
        self.assertEqual(self.one("buruk").version, "2024-03-15")
        self.check(self.one("buruk"))
        self.odp("publish", self.dir / "terbit", "--origin", "--first")
        published = odp.digests(self.dir / "terbit/data")
        self.assertEqual({p: published.get(p) for p in second if p.endswith((".xlsx", ".pdf"))}, {p: d for p, d in second.items() if p.endswith((".xlsx", ".pdf"))})
        # From the published site alone the same site is made again, its old workbooks as they were.
        self.update("buruk", "2024-04-15", "id,nilai\n1,2\n2,4\n")
        self.odp("build", *TODAY, "--out", "lain", "--previous", self.dir / "terbit")
        again = odp.digests(self.dir / "lain/data")
        self.assertEqual({p: again.get(p) for p in second if p.endswith((".xlsx", ".pdf")) and "/2024" in p},
                         {p: d for p, d in second.items() if p.endswith((".xlsx", ".pdf")) and "/2024" in p})
        self.odp("verify", "lain")

    def test_a_rejected_dataset_leaves_no_workbook(self):
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        self.dataset("uji", "id,nilai\n" + "".join(f"{i},{i}\n" for i in range(9000)) + "x,y\n", fields, {"schema": {"primaryKey": ["id"]}},
                     **{"odp:formats": ["CSV", "Excel", "PDF"]})
        shared = self.dir / "tmp"
        shared.mkdir()
        self.odp("build", *TODAY, expect=1, env={"TMPDIR": str(shared)})
        left = [str(p) for p in (self.dir / "build").rglob("*") if p.is_file() and p.stat().st_size] if (self.dir / "build").exists() else []
        self.assertEqual([p for p in left if p.endswith((".xlsx", ".pdf", ".csv", ".svg"))], [])
        self.assertEqual(list(shared.iterdir()), [])

    def test_nothing_of_the_machine_shows(self):
        """Same bytes with other threads, locale, zone, day, folder for scratch files."""
        self.edges(("CSV", "Excel", "PDF"))
        environments = [{}, {"LC_ALL": "id_ID.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Jayapura", "USER": "lain", "HOME": "/nonexistent"}]
        if shutil.which("faketime"):
            environments.append({"TZ": "America/St_Johns"})
        digests = []
        for n, env in enumerate(environments):
            environment = dict(odp.os.environ, ODP_NO_TIMES="1", ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0", **env)
            done = odp.run_on("2031-07-01 05:00:00" if n == 2 else None, [odp.PROGRAM, "build", *TODAY, "--jobs", str(1 + 3 * n), "--out", f"site{n}"],
                              cwd=self.dir, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr[-3000:])
            digests.append(odp.digests(self.dir / f"site{n}"))
        for other in digests[1:]:
            self.assertEqual([p for p in digests[0] if digests[0][p] != other.get(p)], [])
        self.assertTrue(any(p.endswith(".xlsx") for p in digests[0]))


class Large(Books):
    """More records than a sheet holds. Deep: takes a minute."""

    def test_records_go_on_on_further_sheets(self):
        self.catalogue(references=False)
        rows = 1048575 + 1048575 + 10
        folder = self.dataset("besar", "", [{"name": "id", "type": "integer"}, {"name": "teks", "type": "string"}], {"schema": {"primaryKey": ["id"]}},
                              **{"odp:formats": ["CSV", "Excel"]})
        with open(folder / "besar.csv", "w", newline="") as out:
            out.write("id,teks\n")
            for start in range(0, rows, 10000):
                out.write("".join(f"{i},t{i % 97}\n" for i in range(start, min(start + 10000, rows))))
        self.odp("build", *TODAY)
        [resource] = books(self.dir / "build/site", "xlsx")
        self.assertEqual(resource.rows, rows)
        with workbooklib.Workbook(resource.file("xlsx")) as book:
            sheets = book.data_sheets(2)
            self.assertEqual(len(sheets), 3)
            at = 0
            for sheet in sheets:
                head = sheet.head_rows()
                for number, cells in sheet.rows():
                    self.assertLessEqual(number, 1048576)
                    if number <= head:
                        continue
                    if cells[1].text != str(at) or cells[2].text != f"t{at % 97}":
                        self.fail(f"{sheet.name} row {number}: {cells}")
                    at += 1
            self.assertEqual(at, rows)
            names = [s.name for s in sheets]
            self.assertIs(book.sheets[0].part, sheets[0].part)
            said = "\n".join(book.sheets[0].comments().values())
            for text in (names[-1], "2.097.160", "3"):
                self.assertIn(text, said)
            self.assertEqual(book.sheets[1].comments(), {})


if __name__ == "__main__":
    if sys.argv[1:] == ["deep"]:
        unittest.main(argv=[sys.argv[0], "Large"], verbosity=2)
    del Large
    odp.main()
