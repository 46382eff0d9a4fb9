"""Damaged workbooks."""
import io
import sys
import zipfile
import zlib

import odp
from hostilelib import Attack, descriptor, field, flips, text_of

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import workbooks  # noqa: E402

FIELDS = [field("kode", constraints={"required": True}), field("nama"), field("nilai", "number"), field("tgl", "date")]
ROWS = [["kode", "nama", "nilai", "tgl"]] + [[f"A{k}", f"Nama {k}", k + 0.5, {"date": 45000 + k}] for k in range(8)]
SHEET, STRINGS, STYLES, BOOK, RELS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
MAIN = workbooks.MAIN[False]
PACKAGE = descriptor("data", "data.xlsx", FIELDS)


def parts():
    return workbooks.Book({"sheets": [{"name": "data", "rows": ROWS, "merge": ["F1:G2"]}], "shared": True}).parts()


def packed(members, kind=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), data, kind)
    return out.getvalue()


def whole(**changed):
    return packed([(n, d) for n, d in {**parts(), **changed}.items() if d is not None])


def attack(name, data, **more):
    return Attack(f"xlsx {name}", {"dataset.json": text_of(PACKAGE), "data.xlsx": data}, blame="data.xlsx", **more)


def replaced(name, part, old, new, **more):
    text = parts()[part]
    assert old in text, (part, old)
    return attack(name, whole(**{part: text.replace(old, new, 1)}), **more)


def sheet(inner, **more):
    return f'{workbooks.HEAD}<worksheet xmlns="{MAIN}">{inner}</worksheet>'


def entities():
    laughs = "".join(f'<!ENTITY l{k} "{"&l" + str(k - 1) + ";" * 1}{("&l" + str(k - 1) + ";") * 9}">' for k in range(1, 12))
    for part in (SHEET, STRINGS, STYLES, BOOK, RELS, "[Content_Types].xml", "_rels/.rels"):
        body = parts()[part].split("\n", 1)[1]
        root = body[1:].split(" ", 1)[0]
        for name, dtd in (("billion laughs", f'<!DOCTYPE {root} [<!ENTITY l0 "ha">{laughs}]>'), ("external entity", f'<!DOCTYPE {root} [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
                          ("external DTD", f'<!DOCTYPE {root} SYSTEM "http://127.0.0.1:1/x.dtd">'),
                          ("parameter entity", f'<!DOCTYPE {root} [<!ENTITY % p SYSTEM "../../../../secret.txt"> %p;]>'), ("empty DTD", f"<!DOCTYPE {root}>")):
            used = body.replace("</", "&l11;</", 1) if "laughs" in name else body.replace("</", "&x;</", 1) if name == "external entity" else body
            yield attack(f"{name} in {part}", whole(**{part: workbooks.HEAD + dtd + used}), told=part in (SHEET, BOOK))
    one = '<!DOCTYPE sst [<!ENTITY a "' + "a" * 100000 + '">]>'
    yield attack("quadratic entity", whole(**{STRINGS: workbooks.HEAD + one + f'<sst xmlns="{MAIN}"><si><t>{"&a;" * 20000}</t></si></sst>'}), told=True)


def structures():
    yield replaced("shared string out of range", SHEET, 't="s"><v>0<', 't="s"><v>99999<', told=True)
    yield replaced("shared string negative", SHEET, 't="s"><v>0<', 't="s"><v>-1<', told=True)
    yield replaced("shared string huge", SHEET, 't="s"><v>0<', 't="s"><v>99999999999999999999<', told=True)
    yield replaced("shared string no number", SHEET, 't="s"><v>0<', 't="s"><v>x<', told=True)
    yield replaced("shared string 1e3", SHEET, 't="s"><v>0<', 't="s"><v>0e3<')
    for ref in ("A0", "A1048577", "A4294967297", "XFE1", "ZZZZZZ1", "A99999999999999999999", "1A", "A-1", "", "A", "1", "a1", "$A$1", "A1:B2", "A1A1", "AAAAAAAAAAAAAAAAAAAAAAAA1", "\u0661"):
        yield replaced(f"cell reference {ref[:12]!r}", SHEET, 'r="A1"', f'r="{ref}"')
    for r in ("0", "-1", "4294967297", "1048577", "x", "", "99999999999999999999", "2"):
        yield replaced(f"row number {r!r}", SHEET, '<row r="1"', f'<row r="{r}"')
    yield replaced("rows backwards", SHEET, '<row r="3"', '<row r="1"', told=True)
    for d in ("A1:XFD1048576", "A1:ZZZ99999999999", "", "x", "B2:A1"):
        yield replaced(f"dimension {d!r}", SHEET, "<sheetData>", f'<dimension ref="{d}"/><sheetData>')
        yield replaced(f"merge {d!r}", SHEET, 'ref="F1:G2"', f'ref="{d}"')
    merges = "".join(f'<mergeCell ref="A{k}:XFD{k}"/>' for k in range(2, 3000))
    yield replaced("3,000 wide merges", SHEET, '<mergeCell ref="F1:G2"></mergeCell>', merges)
    yield replaced("200,000 merges", SHEET, '<mergeCell ref="F1:G2"></mergeCell>', '<mergeCell ref="F1:G2"/>' * 200000)
    for s in ("-1", "99999", "4294967296", "x", ""):
        yield replaced(f"style {s!r}", SHEET, 's="1"', f's="{s}"')
    for t in ("z", "", "d", "str", "e", "b", "n", "inlineStr", "x" * 100000):
        yield replaced(f"cell type {t[:9]!r}", SHEET, 't="s"', f't="{t}"')
    for v in ("1e999", "-1e999", "NaN", "INF", "0x10", "1" * 100000, "", " 1 ", "1,5", "2958466", "-1", "1e-400", "45000.9999999999"):
        yield replaced(f"number {v[:10]!r}", SHEET, "<v>0.5</v>", f"<v>{v}</v>")
        yield replaced(f"date {v[:10]!r}", SHEET, "<v>45000</v>", f"<v>{v}</v>")
    for code in ("yyyy" * 100000, "[", "[h", '"', "\\", "[$-409", "[>=1e999]yyyy", "yyyy;" * 10000, "General", "", "_", "*", "@"):
        yield replaced(f"number format {code[:9]!r}", STYLES, 'formatCode="yyyy-mm-dd"', f'formatCode="{code.replace(chr(34), "&quot;")}"')
    yield attack("100,000 styles", whole(**{STYLES: parts()[STYLES].replace("</cellXfs>", '<xf numFmtId="1"/>' * 100000 + "</cellXfs>")}))
    yield attack("depth of 1,000,000", whole(**{SHEET: workbooks.HEAD + f'<worksheet xmlns="{MAIN}">' + "<a>" * 1_000_000}), told=True)
    yield attack("an attribute of 10 MB", whole(**{SHEET: parts()[SHEET].replace('<row r="1"', f'<row x="{"y" * 10_000_000}" r="1"')}))
    yield attack("300,000 attributes", whole(**{SHEET: parts()[SHEET].replace('<row r="1"', "<row " + " ".join(f'a{k}="1"' for k in range(300000)) + ' r="1"')}))
    yield attack("a comment of 10 MB", whole(**{SHEET: parts()[SHEET].replace("<sheetData>", f'<!--{"x" * 10_000_000}--><sheetData>')}))
    yield attack("a cell of 5 MB", whole(**{STRINGS: parts()[STRINGS].replace(">kode<", ">" + "k" * 5_000_000 + "<")}), told=True)
    yield attack("a name of 10 MB", whole(**{SHEET: parts()[SHEET].replace("<sheetData>", f'<{"x" * 10_000_000}/><sheetData>')}))
    yield attack("17,000 cells in a row", whole(**{SHEET: sheet("<sheetData><row>" + "<c><v>1</v></c>" * 17000 + "</row></sheetData>")}), told=True)
    yield attack("5,000 sheets", whole(**{BOOK: parts()[BOOK].replace("</sheets>", '<sheet name="x" sheetId="9" r:id="rId1"/>' * 5000 + "</sheets>")}))
    yield attack("100,000 relationships", whole(**{RELS: parts()[RELS].replace("</Relationships>", '<Relationship Id="x" Type="y" Target="z"/>' * 100000 + "</Relationships>")}))


def packages():
    for target in ("../../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:1/sheet.xml", "../../secret.txt", "", ".", "..", "worksheets/../worksheets/sheet1.xml", "x" * 70000,
                   "worksheets/sheet1.xml#x", "workbook.xml", "%2e%2e/sheet1.xml", "\\\\host\\share"):
        yield replaced(f"sheet at {target[:24]!r}", RELS, "worksheets/sheet1.xml", target)
        yield replaced(f"strings at {target[:24]!r}", RELS, "sharedStrings.xml", target)
    yield replaced("external sheet", RELS, 'Target="worksheets/sheet1.xml"', 'TargetMode="External" Target="worksheets/sheet1.xml"')
    yield replaced("relationship without target", RELS, 'Target="worksheets/sheet1.xml"', "")
    for part in (SHEET, STRINGS, STYLES, BOOK, RELS, "[Content_Types].xml", "_rels/.rels"):
        text = parts()[part].encode()
        yield attack(f"without {part}", whole(**{part: None}))
        yield attack(f"empty {part}", whole(**{part: b""}))
        for k in range(1, 10):
            yield attack(f"{part} cut at {len(text) * k // 10}", whole(**{part: text[:len(text) * k // 10]}))
        for k, data in flips(text, zlib.crc32(part.encode()), 12):
            yield attack(f"{part} flip {k}", whole(**{part: data}))
        yield attack(f"{part} in UTF-16", whole(**{part: text.decode().replace("UTF-8", "UTF-16").encode("utf-16")}))
        yield attack(f"{part} in no encoding", whole(**{part: text.replace(b"UTF-8", b"x-tidak-ada")}))
        yield attack(f"{part} in latin1", whole(**{part: text.replace(b"UTF-8", b"ISO-8859-1")}))
        yield attack(f"{part} with NUL", whole(**{part: text.replace(b">", b">\0", 3)}))
        yield attack(f"{part} HTML", whole(**{part: b"<html><body>x</body></html>"}))
        yield attack(f"{part} twice", packed(list(parts().items()) + [(part, b"<x/>")]))
    good = whole()
    for n in range(0, len(good), max(1, len(good) // 40)):
        yield attack(f"cut at {n}", good[:n])
    for k, data in flips(good, 29, 60):
        yield attack(f"flip {k}", data)
    yield attack("a bomb in the sheet", whole(**{SHEET: parts()[SHEET].replace("<sheetData>", "<sheetData>" + " " * 300_000_000)}), told=True)
    yield attack("a bomb in the strings", whole(**{STRINGS: parts()[STRINGS].replace("<si>", "<si>" + "<r/>" * 60_000_000, 1)}), told=True)
    yield attack("a bomb in a part nobody reads", whole(**{"xl/media/x.png": bytes(300_000_000)}))
    yield attack("old Excel", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000), told=True)
    yield attack("a CSV", b"kode,nama,nilai,tgl\nA,B,1,2024-01-01\n", told=True)
    yield attack("an OpenDocument", packed([("mimetype", "application/vnd.oasis.opendocument.spreadsheet")], zipfile.ZIP_STORED), told=True)
    yield attack("70,000 parts", packed(list(parts().items()) + [(f"x/{k}", b"") for k in range(70000)], zipfile.ZIP_STORED))


def attacks(deep):
    import warnings
    warnings.simplefilter("ignore")  # duplicate names are what is wanted
    if deep:
        yield from entities()
        yield from structures()
        yield from packages()
    else:
        light = [a for a in [*entities(), *structures(), *(p for p in packages() if "bomb" not in p.name)] if sum(map(len, a.files.values())) < 300_000]
        yield from light[::7]
