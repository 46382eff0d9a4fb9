"""What a published dataset says, read from its CSV or its API by the published schema alone, for comparison with what workbooks and
printed documents say: records as lists of canonical texts, and one digest of them. Independent of the compiler's own readers."""
import datetime
import decimal
import hashlib
import json
import pathlib
import urllib.parse

FIGURES = ("number", "integer")


def parse_csv(text, delimiter=","):
    """Records of RFC 4180 text as lists; an unquoted empty field is None, a quoted one "". """
    rows, row, at, end = [], [], 0, len(text)
    while at < end:
        if text[at] == '"':
            value, at = [], at + 1
            while True:
                close = text.index('"', at)
                value.append(text[at:close])
                at = close + 1
                if at < end and text[at] == '"':
                    value.append('"')
                    at += 1
                else:
                    break
            cell = "".join(value)
        else:
            stop = at
            while stop < end and text[stop] not in (delimiter, "\r", "\n"):
                stop += 1
            cell, at = text[at:stop] or None, stop
        row.append(cell)
        if at >= end:
            break
        if text[at] == delimiter:
            at += 1
            if at == end:
                row.append(None)
            elif text[at] in "\r\n":
                row.append(None)
                at += 2 if text.startswith("\r\n", at) else 1
                rows.append(row)
                row = []
            continue
        at += 2 if text.startswith("\r\n", at) else 1
        rows.append(row)
        row = []
    if row:
        rows.append(row)
    return rows


class Resource:
    """One resource of a site's index with its schema and records."""

    def __init__(self, site, entry, listed):
        self.site, self.entry, self.listed = pathlib.Path(site), entry, listed
        self.slug, self.name, self.version = entry["slug"], listed["name"], entry["version"]
        self.primary = entry["resources"][0]["name"] == self.name
        self.schema = json.loads(self.at(listed["schema"]).read_text())
        self.fields = self.schema["fields"]
        self.types = [f["type"] for f in self.fields]
        self.rows = listed["rows"]
        self.geometry = listed["geometry"]

    def at(self, url):
        """The file that the index means by URL."""
        return (self.site / "v1" / urllib.parse.unquote(url)).resolve()

    def file(self, name):
        """The file of the emitter NAME ("csv", "xlsx"), or None."""
        return next((self.at(f["url"]) for f in self.listed["files"] if f["name"] == name), None)

    def key_fields(self):
        key = self.schema.get("primaryKey", [])
        return [key] if isinstance(key, str) else key

    def records_of_csv(self, path=None):
        """(header, records) of the CSV: canonical texts, None is null; geometry columns stand behind the fields'."""
        rows = parse_csv((path or self.file("csv")).read_bytes().decode())
        width = len(rows[0])
        # A record of one null is an empty line (RFC 4180 has no other form).
        return rows[0], [r + [None] * (width - len(r)) for r in rows[1:]]

    def records_of_api(self):
        """Records as the API's pages say, in the same form, without geometry columns."""
        path, records = self.at(self.listed["api"]), []
        while path is not None:
            page = json.loads(path.read_text(), parse_float=str, parse_int=Literal)
            records += [[canonical(r[f["name"]], f["type"]) for f in self.fields] for r in page["data"]]
            path = path.parent / page["links"]["next"] if page["links"]["next"] else None
        return records

    def records(self):
        """(header, records): of the CSV where it is offered, else of the API."""
        if self.file("csv"):
            return self.records_of_csv()
        return [f["name"] for f in self.fields], self.records_of_api()


class Literal(str):
    """A JSON number as it was written."""


def canonical(value, kind):
    if value is None:
        return None
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str) and not isinstance(value, Literal):
        return value
    return str(value) if isinstance(value, Literal) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def resources(site, wanted=None):
    """Every resource of a site's index; WANTED: only those that offer the file of that emitter."""
    site = pathlib.Path(site)
    for entry in json.loads((site / "v1/index.json").read_text())["data"]:
        for listed in entry["resources"]:
            resource = Resource(site, entry, listed)
            if wanted is None or resource.file(wanted):
                yield resource


def digest(records):
    """SHA-256 of the texts of all cells, in order: null is not the empty text, and cells do not run into each other."""
    out = hashlib.sha256()
    for record in records:
        for cell in record:
            data = b"" if cell is None else cell.encode()
            out.update(b"-" if cell is None else b"%d:" % len(data))
            out.update(data)
        out.update(b"\n")
    return out.hexdigest()


def difference(found, expected, header):
    """The first cell that differs, in words; None: there is none."""
    for n, (a, b) in enumerate(zip(found, expected), 1):
        for name, x, y in zip(header, a, b):
            if x != y:
                return f"record {n}, {name}: {x!r} instead of {y!r}"
        if len(a) != len(b):
            return f"record {n}: {len(a)} cells instead of {len(b)}"
    return None if len(found) == len(expected) else f"{len(found)} records instead of {len(expected)}"


def indonesian(literal):
    """A number's literal as Indonesians write it: 1234567.89 is 1.234.567,89; exponents written out."""
    if "e" in literal.lower():
        literal = format(decimal.Decimal(literal), "f")
    sign, literal = ("-", literal[1:]) if literal.startswith("-") else ("", literal)
    whole, _, fraction = literal.partition(".")
    groups = []
    while len(whole) > 3:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    return sign + ".".join([whole] + groups) + ("," + fraction if fraction else "")


def squeezed(text):
    """Without white space, soft hyphens and other marks that a line break adds or takes away."""
    return "".join(c for c in text if not c.isspace() and c not in "\u00ad\u200b\u2060\ufeff")


EPOCH = datetime.datetime(1899, 12, 30)


def of_serial(serial):
    """Date and time of a spreadsheet's serial number (1900 system, from March 1900 on), to the millisecond, which is what it can hold and show."""
    days = decimal.Decimal(serial)
    whole = int(days)
    milli = int(((days - whole) * 86400 * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))
    return EPOCH + datetime.timedelta(days=whole, milliseconds=milli)
