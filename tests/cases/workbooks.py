"""Writes small workbooks out of NAME.xlsx.json, so that a case can be read (ECMA-376).

    {"sheets": [{"name": "Data", "rows": [["kode", "luas"], ["11.10", 12.5], null, …], "hidden": true, "merge": ["A2:A4"], "hiddenRows": [3],
                 "hiddenColumns": [2]}],
     "date1904": true, "strict": true, "prefix": "x", "shared": true, "without": ["xl/styles.xml"], "replace": {"xl/workbook.xml": "<x/>"}}

A cell is a text, a number, true or false, null (none), or {"number": "12.300000000000001", "format": "0%"}, {"date": 45366, "format": "dd/mm/yyyy"},
{"error": "#N/A"}, {"formula": "B2*2", "value": 25} (value null: none stored), {"blank": true} (there, without a value), {"xml": "<c …/>"}.
Texts are shared strings where "shared" is true, else they stand in the cell.
"""
import zipfile
from xml.sax.saxutils import escape, quoteattr

MAIN = {False: "http://schemas.openxmlformats.org/spreadsheetml/2006/main", True: "http://purl.oclc.org/ooxml/spreadsheetml/main"}
TYPES = {False: "http://schemas.openxmlformats.org/officeDocument/2006/relationships", True: "http://purl.oclc.org/ooxml/officeDocument/relationships"}
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
CONTENT = "http://schemas.openxmlformats.org/package/2006/content-types"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def column_name(i):
    name = ""
    i += 1
    while i > 0:
        i, digit = divmod(i - 1, 26)
        name = chr(65 + digit) + name
    return name


class Book:
    def __init__(self, spec):
        self.spec, self.strict = spec, bool(spec.get("strict"))
        self.formats, self.strings = [], []
        self.p = spec["prefix"] + ":" if spec.get("prefix") else ""
        self.space = f'xmlns{":" + spec["prefix"] if spec.get("prefix") else ""}="{MAIN[self.strict]}"'

    def tag(self, name, inner="", **attributes):
        text = "".join(f" {k}={quoteattr(str(v))}" for k, v in attributes.items() if v is not None)
        return f"<{self.p}{name}{text}>{inner}</{self.p}{name}>"

    def style(self, code):
        if code not in self.formats:
            self.formats.append(code)
        return self.formats.index(code) + 1

    def text(self, ref, value):
        if self.spec.get("shared"):
            if value not in self.strings:
                self.strings.append(value)
            return self.tag("c", self.tag("v", self.strings.index(value)), r=ref, t="s")
        return self.tag("c", self.tag("is", f'<{self.p}t xml:space="preserve">{escape(value)}</{self.p}t>'), r=ref, t="inlineStr")

    def cell(self, ref, v):
        if v is None:
            return ""
        if isinstance(v, bool):
            return self.tag("c", self.tag("v", int(v)), r=ref, t="b")
        if isinstance(v, (int, float)):
            return self.tag("c", self.tag("v", repr(v)), r=ref)
        if isinstance(v, str):
            return self.text(ref, v)
        if "xml" in v:
            return v["xml"]
        if "number" in v:
            return self.tag("c", self.tag("v", v["number"]), r=ref, s=self.style(v["format"]) if "format" in v else None)
        if "date" in v:
            return self.tag("c", self.tag("v", v["date"]), r=ref, s=self.style(v.get("format", "yyyy-mm-dd")))
        if "error" in v:
            return self.tag("c", self.tag("v", v["error"]), r=ref, t="e")
        if "formula" in v:
            value = v.get("value")
            kind = "str" if isinstance(value, str) else None
            return self.tag("c", self.tag("f", escape(v["formula"])) + ("" if value is None else self.tag("v", value)), r=ref, t=kind)
        return self.tag("c", r=ref, s=0)

    def sheet(self, s):
        rows = ""
        for i, row in enumerate(s["rows"], 1):
            if row is not None:
                cells = "".join(self.cell(f"{column_name(k)}{i}", v) for k, v in enumerate(row))
                rows += self.tag("row", cells, r=i, hidden=1 if i in s.get("hiddenRows", []) else None)
        cols = "".join(self.tag("col", min=c, max=c, hidden=1, width=9) for c in s.get("hiddenColumns", []))
        merges = "".join(self.tag("mergeCell", ref=m) for m in s.get("merge", []))
        inner = (self.tag("cols", cols) if cols else "") + self.tag("sheetData", rows) + (self.tag("mergeCells", merges) if merges else "")
        return f"{HEAD}<{self.p}worksheet {self.space}>{inner}</{self.p}worksheet>"

    def parts(self):
        sheets = self.spec["sheets"]
        types = TYPES[self.strict]
        out = {}
        for i, s in enumerate(sheets, 1):
            out[f"xl/worksheets/sheet{i}.xml"] = self.sheet(s)
        listed = "".join(f'<{self.p}sheet name={quoteattr(s["name"])} sheetId="{i}" r:id="rId{i}"{" state=" + chr(34) + "hidden" + chr(34) if s.get("hidden") else ""}/>'
                         for i, s in enumerate(sheets, 1))
        props = self.tag("workbookPr", date1904=1) if self.spec.get("date1904") else ""
        out["xl/workbook.xml"] = f'{HEAD}<{self.p}workbook {self.space} xmlns:r="{types}">{props}{self.tag("sheets", listed)}</{self.p}workbook>'
        formats = "".join(self.tag("numFmt", numFmtId=164 + i, formatCode=f) for i, f in enumerate(self.formats))
        cells = self.tag("xf", numFmtId=0) + "".join(self.tag("xf", numFmtId=164 + i, applyNumberFormat=1) for i in range(len(self.formats)))
        font, fill, border = self.tag("fonts", self.tag("font")), self.tag("fills", self.tag("fill")), self.tag("borders", self.tag("border"))
        out["xl/styles.xml"] = (f"{HEAD}<{self.p}styleSheet {self.space}>{self.tag('numFmts', formats) if formats else ''}{font}{fill}{border}"
                                f"{self.tag('cellXfs', cells)}</{self.p}styleSheet>")
        rels = [(f"rId{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(1, len(sheets) + 1)] + [("rIdS", "styles", "styles.xml")]
        if self.strings:
            rels.append(("rIdT", "sharedStrings", "sharedStrings.xml"))
            texts = "".join(self.tag("si", f'<{self.p}t xml:space="preserve">{escape(t)}</{self.p}t>') for t in self.strings)
            out["xl/sharedStrings.xml"] = f"{HEAD}<{self.p}sst {self.space}>{texts}</{self.p}sst>"
        links = "".join(f'<Relationship Id="{i}" Type="{types}/{t}" Target="{p}"/>' for i, t, p in rels)
        out["xl/_rels/workbook.xml.rels"] = f'{HEAD}<Relationships xmlns="{PACKAGE}">{links}</Relationships>'
        out["_rels/.rels"] = (f'{HEAD}<Relationships xmlns="{PACKAGE}"><Relationship Id="r" Type="{types}/officeDocument" '
                              f'Target="xl/workbook.xml"/></Relationships>')
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
        names = {"xl/workbook.xml": "sheet.main", "xl/styles.xml": "styles", "xl/sharedStrings.xml": "sharedStrings"}
        types_of = "".join(f'<Override PartName="/{n}" ContentType="{kind}{names.get(n, "worksheet")}+xml"/>' for n in sorted(out)
                           if n.startswith("xl/") and "_rels" not in n)
        out["[Content_Types].xml"] = (f'{HEAD}<Types xmlns="{CONTENT}"><Default Extension="rels" '
                                      f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{types_of}</Types>')
        return out


def write(spec, path):
    parts = Book(spec).parts()
    parts.update(spec.get("replace", {}))
    for name in spec.get("without", []):
        parts.pop(name, None)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name in sorted(parts):
            z.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), parts[name], zipfile.ZIP_DEFLATED)
