"""Workbooks (ECMA-376) read cell by cell from their XML, so that what is stored is seen: the kind of each cell, the literal, the number format.
Used beside openpyxl, which shows what a library makes of it."""
import datetime
import decimal
import re
import sys
import xml.etree.ElementTree as xml
import zipfile

import readerlib

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"
BUILTIN = {0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "mm-dd-yy", 15: "d-mmm-yy", 17: "mmm-yy",
           20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)", 49: "@"}
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def openpyxl():
    """The library, also where only the system's Python has it; None: it is not on this machine."""
    try:
        import openpyxl as found
        return found
    except ImportError:
        pass
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        import openpyxl as found
        return found
    except ImportError:
        return None
    finally:
        sys.path.remove("/usr/lib/python3/dist-packages")


def unescaped(text):
    """ST_Xstring: _xHHHH_ is a character."""
    return ESCAPED.sub(lambda m: chr(int(m.group(1), 16)), text)


def column_number(letters):
    n = 0
    for c in letters:
        n = n * 26 + ord(c) - 64
    return n


def letters(n):
    """The name of column N, from 1."""
    text = ""
    while n:
        n, rest = divmod(n - 1, 26)
        text = chr(65 + rest) + text
    return text


class Cell:
    """kind: n number, s text, b boolean, d ISO date, e error, str text of a formula, blank. text: as stored (texts unescaped)."""
    __slots__ = ("column", "row", "kind", "text", "format", "formula", "quoted")

    def __init__(self, column, row, kind, text, fmt, formula, quoted):
        self.column, self.row, self.kind, self.text, self.format, self.formula, self.quoted = column, row, kind, text, fmt, formula, quoted

    def __repr__(self):
        return f"<{self.kind} {self.text!r} {self.format!r}>"


class Sheet:
    def __init__(self, book, name, state, part):
        self.book, self.name, self.state, self.part = book, name, state, part

    def open(self):
        return self.book.zip.open(self.part)

    def rows(self):
        """(row's number, {column's number: cell}), in order; what is stored only. Memory does not grow."""
        with self.open() as stream:
            for _, element in xml.iterparse(stream):
                if element.tag == MAIN + "row":
                    yield int(element.get("r")), {c.column: c for c in map(self.cell, element.iter(MAIN + "c"))}
                    element.clear()

    def cell(self, c):
        letters, row = re.fullmatch(r"([A-Z]+)([0-9]+)", c.get("r")).groups()
        kind, value, formula = c.get("t", "n"), c.find(MAIN + "v"), c.find(MAIN + "f")
        text = value.text if value is not None else None
        if kind == "inlineStr":
            kind, text = "s", string_item(c.find(MAIN + "is"))
        elif kind == "s":
            text = self.book.shared[int(text)]
        elif text is None:
            kind = "blank"
        fmt, quoted = self.book.formats[int(c.get("s", "0"))]
        return Cell(column_number(letters), int(row), kind, text, fmt, formula.text if formula is not None else None, quoted)

    def parts(self, name):
        """Every element NAME of the sheet outside of its rows."""
        found = []
        with self.open() as stream:
            for _, element in xml.iterparse(stream):
                if element.tag == MAIN + name:
                    found.append(element)
                elif element.tag == MAIN + "row":
                    element.clear()
        return found

    def head_rows(self):
        """How many rows stand still above the records."""
        panes = [p for p in self.early("pane") if p.get("state") == "frozen"]
        return int(float(panes[0].get("ySplit", "0"))) if panes else 0

    def early(self, name):
        """Elements NAME that stand before the rows."""
        found = []
        with self.open() as stream:
            for event, element in xml.iterparse(stream, events=("start", "end")):
                if element.tag == MAIN + "sheetData":
                    return found
                if event == "end" and element.tag == MAIN + name:
                    found.append(element)
        return found

    def filtered(self):
        """The range that can be filtered: the sheet's own, or that of its table."""
        own = [e.get("ref") for e in self.parts("autoFilter")]
        for target in self.related().get("table", []):
            root = xml.fromstring(self.book.zip.read("xl/" + target.removeprefix("../")))
            own += [e.get("ref") for e in root.iter(MAIN + "autoFilter")]
        return own[0] if own else None

    def texts(self):
        """All texts of the sheet, in order."""
        return [c.text for _, cells in self.rows() for c in cells.values() if c.kind == "s" and c.text]

    def comments(self):
        """{cell: text} of the notes on the sheet."""
        found = {}
        for target in self.related().get("comments", []):
            root = xml.fromstring(self.book.zip.read("xl/" + target.removeprefix("../")))
            found.update({c.get("ref"): string_item(c.find(MAIN + "text")) for c in root.iter(MAIN + "comment")})
        return found

    def related(self):
        """{type's last word: [target]} of the parts and addresses that the sheet refers to."""
        folder, _, base = self.part.rpartition("/")
        found = {}
        try:
            root = xml.fromstring(self.book.zip.read(f"{folder}/_rels/{base}.rels"))
        except KeyError:
            return found
        for r in root:
            found.setdefault(r.get("Type").rsplit("/", 1)[1], []).append(r.get("Target"))
        return found


def string_item(si):
    """The text of an <si> or <is>: plain or in runs, without phonetic hints."""
    texts = [t for child in si for t in ([child] if child.tag == MAIN + "t" else child.findall(MAIN + "t") if child.tag == MAIN + "r" else [])]
    return unescaped("".join(t.text or "" for t in texts))


class Workbook:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.names = self.zip.namelist()
        self.shared = []
        if "xl/sharedStrings.xml" in self.names:
            self.shared = [string_item(si) for si in xml.fromstring(self.zip.read("xl/sharedStrings.xml")).findall(MAIN + "si")]
        self.formats = self.read_formats()
        root = xml.fromstring(self.zip.read("xl/workbook.xml"))
        targets = {r.get("Id"): r.get("Target") for r in xml.fromstring(self.zip.read("xl/_rels/workbook.xml.rels"))}
        self.sheets = [Sheet(self, s.get("name"), s.get("state", "visible"), "xl/" + targets[s.get(REL + "id")].removeprefix("/xl/"))
                       for s in root.iter(MAIN + "sheet")]
        self.defined = {(d.get("name"), d.get("localSheetId")): d.text for d in root.iter(MAIN + "definedName")}
        properties = root.find(MAIN + "workbookPr")
        assert properties is None or properties.get("date1904", "0") in ("0", "false")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.zip.close()

    def data_sheets(self, columns):
        """The sheets that hold records of so many columns: their head stands still and can be filtered."""
        found = []
        for sheet in self.sheets:
            head = sheet.head_rows()
            span = head and sheet.filtered()
            if span and re.fullmatch(rf"A{head}:{letters(columns)}[0-9]+", span):
                cells = next((cells for n, cells in sheet.rows() if n == head), {})
                if len(cells) == columns:
                    found.append(sheet)
        return found

    def resolve(self, formula):
        """The texts that a list's formula allows: written out, or in a range of a sheet, perhaps by a name."""
        if formula.startswith('"'):
            return formula.strip('"').split(",")
        formula = next((text for (name, _), text in self.defined.items() if name == formula), formula)
        m = re.fullmatch(r"'?((?:[^']|'')+?)'?!\$?([A-Z]+)\$?([0-9]+):\$?([A-Z]+)\$?([0-9]+)", formula)
        assert m and m.group(2) == m.group(4), formula
        column, first, last = column_number(m.group(2)), int(m.group(3)), int(m.group(5))
        sheet = self.sheet(m.group(1).replace("''", "'"))
        return [cells[column].text for n, cells in sheet.rows() if first <= n <= last and column in cells]

    def sheet(self, name):
        return next(s for s in self.sheets if s.name == name)

    def read_formats(self):
        """(number format, whether it is marked as quoted text) of every cell style."""
        root = xml.fromstring(self.zip.read("xl/styles.xml"))
        own = {int(f.get("numFmtId")): f.get("formatCode") for f in root.iter(MAIN + "numFmt")}
        return [(own.get(int(x.get("numFmtId", "0")), BUILTIN.get(int(x.get("numFmtId", "0")), "?")), x.get("quotePrefix") == "1")
                for x in root.find(MAIN + "cellXfs")]

    def properties(self):
        """Document properties: core and the application's, by the element's name."""
        found = {}
        for part in ("docProps/core.xml", "docProps/app.xml"):
            if part in self.names:
                for element in xml.fromstring(self.zip.read(part)):
                    found[element.tag.rpartition("}")[2]] = element.text
        return found

    def custom(self):
        """{name: text} of the user's own properties."""
        if "docProps/custom.xml" not in self.names:
            return {}
        return {p.get("name"): "".join(p.itertext()) for p in xml.fromstring(self.zip.read("docProps/custom.xml"))}


OFFSET = re.compile(r'"([^"]*)"|\\(.)')


def offset_of(fmt):
    """The offset that a number format carries as literal text ("+07:00", "Z"), or ""."""
    literal = "".join(m.group(1) if m.group(1) is not None else m.group(2) for m in OFFSET.finditer(fmt))
    m = re.search(r"Z|[+-][0-9]{2}:[0-9]{2}", literal)
    return m.group() if m else ""


def plain_number(text):
    """A number's literal without what does not change its value: "12.50" is 12.5; what a machine number can hold is that number."""
    number = decimal.Decimal(text)
    if number == 0:
        return "0"
    if len(number.as_tuple().digits) > 17:
        number = decimal.Decimal(repr(float(text)))
    return format(number.normalize(), "f") if -400 < number.adjusted() < 400 else str(number.normalize())


def is_date(fmt):
    return bool(re.search("[ymdhs]", OFFSET.sub("", fmt), re.I)) and fmt != "General"


def moment(when, kind, fmt):
    """A date and time in the canonical form of KIND, to the millisecond."""
    when = datetime.datetime.min + round((when - datetime.datetime.min) / datetime.timedelta(milliseconds=1)) * datetime.timedelta(milliseconds=1)
    fraction = f".{when.microsecond:06}".rstrip("0") if when.microsecond else ""
    if kind == "date":
        return when.strftime("%Y-%m-%d") if (when.hour, when.minute, when.second, when.microsecond) == (0, 0, 0, 0) else when.isoformat()
    if kind == "yearmonth":
        return when.strftime("%Y-%m")
    if kind == "time":
        return when.strftime("%H:%M:%S") + fraction
    return f"{when.year:04}" + when.strftime("-%m-%dT%H:%M:%S") + fraction + offset_of(fmt)


def comparable(text, kind):
    """A canonical text in the form in which those of workbooks are compared: value, not spelling."""
    if text is None:
        return None
    if kind in ("number", "integer"):
        return plain_number(text)
    if kind in ("time", "datetime") and "." in text:
        return re.sub(r"(\.[0-9]*?)0+(?![0-9])", r"\1", text).replace(".+", "+").replace(".Z", "Z").rstrip(".")
    return text


def stored(cell, kind):
    """What a cell of a field of type KIND says, as comparable text: by what is stored."""
    if cell is None or cell.kind == "blank":
        return None
    assert cell.formula is None and cell.kind in ("s", "n", "b", "d"), cell
    if cell.kind == "b":
        return "true" if cell.text == "1" else "false"
    if cell.kind == "s":
        return comparable(cell.text, kind)
    if cell.kind == "d" or is_date(cell.format):
        assert kind in ("date", "time", "datetime", "yearmonth"), cell
        when = datetime.datetime.fromisoformat(cell.text) if cell.kind == "d" else readerlib.of_serial(cell.text)
        return moment(when, kind, cell.format)
    assert kind in ("number", "integer", "year"), (kind, cell)
    return plain_number(repr(float(cell.text)))


def understood(value, fmt, kind):
    """The same of a value that openpyxl gives."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return comparable(unescaped(value), kind)
    if isinstance(value, datetime.datetime):
        return moment(value, kind, fmt)
    if isinstance(value, datetime.time):
        return moment(datetime.datetime.combine(datetime.date(2000, 1, 1), value), kind, fmt)
    return plain_number(repr(float(value)))
