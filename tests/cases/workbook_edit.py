"""A workbook as somebody else reads and edits it: by zip and XML alone, with none of the libraries that odp-build uses. For golden cases and
end-to-end tests of the correction workbook. Cells that are set get the form a spreadsheet program would give them."""
import re
import xml.etree.ElementTree as ET
import zipfile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
NS = "{" + MAIN + "}"
ET.register_namespace("", MAIN)
ET.register_namespace("r", "http://schemas.openxmlformats.org/officeDocument/2006/relationships")


def split(ref):
    """"B17" -> ("B", "17")"""
    return re.match(r"([A-Z]+)(\d+)$", ref).groups()


def column_number(name):
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - 64
    return number


def column_name(number):
    name = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name


def unescape(text):
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), text)


class Workbook:
    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            bad = archive.testzip()
            if bad:
                raise ValueError(f"{path}: {bad} is damaged")
            self.parts = {name: archive.read(name) for name in archive.namelist()}
        self.book = ET.fromstring(self.parts["xl/workbook.xml"])
        targets = {r.get("Id"): r.get("Target") for r in ET.fromstring(self.parts["xl/_rels/workbook.xml.rels"])}
        key = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
        self.sheets = {s.get("name"): "xl/" + targets[s.get(key)].lstrip("/").removeprefix("xl/") for s in self.book.iter(NS + "sheet")}
        self.hidden = [s.get("name") for s in self.book.iter(NS + "sheet") if s.get("state") in ("hidden", "veryHidden")]
        self.strings = []
        if "xl/sharedStrings.xml" in self.parts:
            self.strings = ["".join(t.text or "" for t in si.iter(NS + "t")) for si in ET.fromstring(self.parts["xl/sharedStrings.xml"]).iter(NS + "si")]
        self.trees = {}

    def tree(self, sheet):
        if sheet not in self.trees:
            self.trees[sheet] = ET.fromstring(self.parts[self.sheets[sheet]])
        return self.trees[sheet]

    def text(self, cell):
        value = cell.find(NS + "v")
        if cell.get("t") == "s":
            return unescape(self.strings[int(value.text)])
        if cell.get("t") == "inlineStr":
            return unescape("".join(t.text or "" for t in cell.iter(NS + "t")))
        return value.text if value is not None else ""

    def rows(self, sheet):
        """{row: {column: text}}"""
        return {int(r.get("r")): {split(c.get("r"))[0]: self.text(c) for c in r} for r in self.tree(sheet).iter(NS + "row")}

    def records(self, sheet):
        """[(row, {label: text})] by the first row's labels."""
        rows = self.rows(sheet)
        labels = rows[min(rows)]
        return [(n, {labels[c]: text for c, text in row.items() if c in labels}) for n, row in sorted(rows.items()) if n != min(rows)]

    def column(self, sheet, label):
        rows = self.rows(sheet)
        return next(c for c, text in rows[min(rows)].items() if text == label)

    def cell(self, sheet, ref):
        """The element of a cell, made where it is not there."""
        column, row = split(ref)
        data = self.tree(sheet).find(NS + "sheetData")
        line = next((r for r in data if r.get("r") == row), None)
        if line is None:
            line = ET.Element(NS + "row", {"r": row})
            data.insert(sum(int(r.get("r")) < int(row) for r in data), line)
        cell = next((c for c in line if c.get("r") == ref), None)
        if cell is None:
            cell = ET.Element(NS + "c", {"r": ref})
            line.insert(sum(column_number(split(c.get("r"))[0]) < column_number(column) for c in line), cell)
        return cell

    def set(self, sheet, ref, value, kind="text"):
        """KIND: text, number, date (a serial; the style must be a date's), boolean, error, formula (value: [formula, result]). None empties the cell."""
        cell = self.cell(sheet, ref)
        for child in list(cell):
            cell.remove(child)
        cell.attrib.pop("t", None)
        if value is None:
            return
        if kind == "text":
            cell.set("t", "inlineStr")
            text = ET.SubElement(ET.SubElement(cell, NS + "is"), NS + "t")
            text.text = value
            text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            return
        if kind == "formula":
            ET.SubElement(cell, NS + "f").text = value[0]
            value = value[1]
        if kind in ("boolean", "error"):
            cell.set("t", "b" if kind == "boolean" else "e")
        if kind == "date":
            cell.set("s", str(self.date_style()))
        ET.SubElement(cell, NS + "v").text = str(value)

    def date_style(self):
        """A style with a date's number format, added to the workbook."""
        styles = ET.fromstring(self.parts["xl/styles.xml"])
        formats = styles.find(NS + "cellXfs")
        for i, xf in enumerate(formats):
            if xf.get("numFmtId") == "14":
                return i
        ET.SubElement(formats, NS + "xf", {"numFmtId": "14", "fontId": "0", "fillId": "0", "borderId": "0", "xfId": "0", "applyNumberFormat": "1"})
        formats.set("count", str(len(formats)))
        self.parts["xl/styles.xml"] = ET.tostring(styles, encoding="UTF-8", xml_declaration=True)
        return len(formats) - 1

    def sort(self, sheet, order):
        """The rows below the header in another order, as a sort does it: ORDER gets {column: text}."""
        rows = self.rows(sheet)
        data = self.tree(sheet).find(NS + "sheetData")
        lines = {int(r.get("r")): r for r in data}
        numbers = sorted(lines)[1:]
        for number, old in zip(numbers, sorted(numbers, key=lambda n: order(rows[n]))):
            line = lines[old]
            line.set("r", str(number))
            for cell in line:
                cell.set("r", split(cell.get("r"))[0] + str(number))
        data[1:] = sorted(data[1:], key=lambda r: int(r.get("r")))

    def remove_rows(self, sheet, numbers):
        data = self.tree(sheet).find(NS + "sheetData")
        for line in [r for r in data if int(r.get("r")) in numbers]:
            data.remove(line)

    def remove_column(self, sheet, name):
        for line in self.tree(sheet).iter(NS + "row"):
            for cell in [c for c in line if split(c.get("r"))[0] == name]:
                line.remove(cell)

    def rename(self, old, new):
        for item in self.book.iter(NS + "sheet"):
            if item.get("name") == old:
                item.set("name", new)
        self.sheets = {new if name == old else name: part for name, part in self.sheets.items()}
        self.trees = {new if name == old else name: tree for name, tree in self.trees.items()}

    def merge(self, sheet, ref):
        tree = self.tree(sheet)
        at = list(tree).index(tree.find(NS + "sheetData")) + 1
        merged = ET.Element(NS + "mergeCells")
        ET.SubElement(merged, NS + "mergeCell", {"ref": ref})
        tree.insert(at, merged)

    def save(self, path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in self.parts.items():
                sheet = next((s for s, part in self.sheets.items() if part == name), None)
                if sheet in self.trees:
                    data = ET.tostring(self.trees[sheet], encoding="UTF-8", xml_declaration=True)
                elif name == "xl/workbook.xml":
                    data = ET.tostring(self.book, encoding="UTF-8", xml_declaration=True)
                archive.writestr(name, data)
