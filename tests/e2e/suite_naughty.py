"""The big list of naughty strings: what our rules say of each by default, and with those rules off every string through every format
and back unchanged. The rules are told here a second time, independently, so that neither silence nor noise goes unseen."""
import csv
import re
import shutil
import subprocess
import unittest

import odp

SUITE = "csv/blns/blns.json"
# What the list has none of and our rules concern; the identifiers are made up.
MORE = ["#N/A", " #REF! ", "######", "a\nb", "a\r\nb\n", "lost \ufffd", "NIK 3171041204900001", "01.234.567.8-901.000", "081234567890",
        "budi@contoh.go.id"]
SPREADSHEET = re.compile(r"#(N/A|REF!|VALUE!|DIV/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!)")
SCIENTIFIC = re.compile(r"-?[0-9]([.,][0-9]+)?[eE][+-][0-9]{2,3}")
BLANK = " \t\n\v\f\r\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u202f\u3000\ufeff"


def reads_as_utf8(part):
    """Whether PART is one accented letter, quote or dash that went through the wrong encoding."""
    try:
        return part[0] in "\u00c2\u00c3\u00e2" and len(part.encode("cp1252").decode("utf-8")) == 1
    except UnicodeError:
        return False


def is_run(s):
    """Whether S is a formula: not a line of signs, a telephone number, a name with @, a list with a dash."""
    return bool(re.match(r"=.*[0-9A-Za-z]", s, re.S) or re.match(r"@.*[(|!]", s, re.S) or re.match(r"[+-]([A-Za-z(@=]|.*[+*^|!])", s, re.S))


# What our rules refuse or warn of, and why: (code, reason, rule).
RULES = [
    ("ODP-P01", "an identity number", lambda s: re.search(r"\b[0-9]{16}\b", s)),
    ("ODP-P02", "a tax number", lambda s: re.search(r"\b[0-9]{2}(\.[0-9]{3}){2}\.[0-9]-[0-9]{3}\.[0-9]{3}\b", s)),
    ("ODP-P03", "a telephone number", lambda s: re.search(r"\b08[0-9]{8,11}\b", s)),
    ("ODP-P04", "an e-mail address", lambda s: re.search(r"[a-z]@[a-z]+(\.[a-z]+)+", s)),
    ("ODP-W02", "a control character is never meant, and JSON, XML and terminals each treat it in their own way",
     lambda s: any(ord(c) < 32 and c not in "\t\n\r" or 0x7f <= ord(c) < 0xa0 for c in s)),
    ("ODP-S01", "an error value of a spreadsheet", lambda s: SPREADSHEET.fullmatch(s.strip())),
    ("ODP-S02", "a column that was too narrow", lambda s: re.fullmatch("#{4,}", s.strip())),
    ("ODP-S03", "a code that a spreadsheet turned into a number", lambda s: SCIENTIFIC.fullmatch(s.strip())),
    ("ODP-W03", "U+FFFD stands where a text was already lost", lambda s: "\ufffd" in s),
    ("ODP-W04", "two or three characters are what UTF-8 becomes when it is read as Windows-1252 (here by chance: a warning)",
     lambda s: any(reads_as_utf8(s[i:i + n]) for i in range(len(s)) for n in (2, 3))),
    ("ODP-W10", "a character inside that cannot be seen (zero width, soft hyphen, a space that is none)",
     lambda s: "\ufffd" not in s and any(c in "\u200b\u2060\ufeff\xad\xa0\u202f\u2007" for c in s.strip(BLANK + "\u2060\xad"))),
    ("ODP-W01", "white space at an end is kept, with a warning", lambda s: s != s.strip(BLANK)),
    ("ODP-W13", "a spreadsheet would run it", lambda s: is_run(s.strip(" \t\r\n\v\f"))),
    ("ODP-R09", "a line break inside a cell is kept, with a warning", lambda s: "\n" in s or "\r" in s),
]
ERRORS = {code for code, _, _ in RULES[:8]}  # a cell that is refused is not also told about its white space
OFF = {"control-character": "off", "spreadsheet-error": "off", "spreadsheet-hashes": "off", "spreadsheet-scientific": "off",
       "privacy-nik": "off", "privacy-npwp": "off", "privacy-phone": "off", "privacy-email": "off"}
NUMERIC = re.compile(r"(?=.*[0-9])[0-9 .,:/+\-eE%()]+", re.S)


def excel_cell(s):
    """The cell of excel.csv: text that a spreadsheet would take for a number or a formula is held as text."""
    if NUMERIC.fullmatch(s) and len(s) <= 255:
        return f'="{s}"'
    return "'" + s if len(s) > 1 and s[0] in "=+-@\t\r" else s


class Naughty(odp.Case):
    def setUp(self):
        super().setUp()
        suite = odp.read_json(self.needs(SUITE))
        self.assertGreater(len(suite), 450)
        self.strings = suite + MORE
        self.catalogue(references=False)

    def source(self, **more):
        """A dataset of all strings, every cell in quotes, as any CSV writer writes them."""
        fields = [{"name": "id", "type": "integer"}, {"name": "text", "type": "string"}]
        schema = {"primaryKey": ["id"], "missingValues": []}
        folder = self.dataset("naughty", "", fields, {"schema": schema, **more})
        with open(folder / "naughty.csv", "w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f, quoting=csv.QUOTE_ALL)
            writer.writerow(["id", "text"])
            writer.writerows(enumerate(self.strings, 1))

    def test_what_is_said_of_each(self):
        """Every string that a rule of ours concerns gets its code on its row, and no other string gets any."""
        self.source()
        report = self.report("check", expect=1)
        found = {(d["row"], d["code"]) for d in report["diagnostics"]}
        expected, count = set(), dict.fromkeys((code for code, _, _ in RULES), 0)
        for row, s in enumerate(self.strings, 1):
            codes = [code for code, _, rule in RULES if rule(s)]
            for code in codes:
                count[code] += 1
                if code not in ("ODP-W01", "ODP-W03", "ODP-W04", "ODP-W10", "ODP-W13") or not ERRORS.intersection(codes):
                    expected.add((row, code))
        self.assertEqual(found, expected)
        self.assertEqual(sum(report["counts"].values()), len(expected))
        print(f"\n{len(self.strings)} strings")
        for code, reason, _ in RULES:
            self.assertGreater(count[code], 0, f"{code} concerns no string")
            print(f"  {code} {count[code]:3}  {reason}")

    def test_round_trip(self):
        """With those rules off every string comes out of the JSON, the pages of the API and both CSV files as it went in."""
        self.source(**{"odp:severity": OFF})
        self.odp("build", "--out", "site")
        folder = next((self.dir / "site" / "data" / "naughty").glob("20*"))
        self.assertEqual([r["text"] for r in odp.read_json(folder / "naughty.json")["data"]], self.strings)
        self.assertEqual([r["text"] for r in odp.read_json(self.dir / "site" / "v1" / "naughty.json")["data"]], self.strings)
        with open(folder / "naughty.csv", newline="", encoding="utf-8") as f:
            self.assertEqual([r[1] for r in csv.reader(f, strict=True)][1:], self.strings)
        with open(folder / "naughty.excel.csv", newline="", encoding="utf-8-sig") as f:
            cells = [r[1] for r in csv.reader(f, delimiter=";", strict=True)][1:]
        self.assertEqual(cells, [excel_cell(s) for s in self.strings])
        for cell in cells:
            harmless = cell[:1] not in ("=", "+", "-", "@", "\t", "\r") or len(cell) == 1 or re.fullmatch(r'="[^"]*"', cell)
            self.assertTrue(harmless, f"a spreadsheet would compute {cell!r}")

    def test_our_csv_is_a_source(self):
        """The published CSV, taken as a source, gives the same content: the version does not change."""
        self.source(**{"odp:severity": OFF})
        self.odp("build", "--out", "site")
        folder = next((self.dir / "site" / "data" / "naughty").glob("20*"))
        first = (folder / "naughty.json").read_bytes()
        shutil.copyfile(folder / "naughty.csv", self.dir / "catalog" / "naughty" / "naughty.csv")
        self.odp("build", "--out", "again", "--previous", self.dir / "none")
        self.assertEqual(next((self.dir / "again" / "data" / "naughty").glob("20*/naughty.json")).read_bytes(), first)

    def test_geojson(self):
        """As attributes of a shapefile that GDAL wrote, out as properties of GeoJSON."""
        if shutil.which("ogr2ogr") is None:
            self.skipTest("ogr2ogr is not installed")
        # dBASE holds 254 bytes, and blanks at the end (for GDAL at the start too) are padding there, not text; an empty text is null.
        fit = [s for s in self.strings if s and s == s.strip() and len(s.encode()) <= 254]
        self.assertGreater(len(fit), len(self.strings) * 9 // 10)
        with open(self.dir / "in.csv", "w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f, quoting=csv.QUOTE_ALL)
            writer.writerow(["id", "text", "lon", "lat"])
            writer.writerows([i, s, "106.8", "-6.2"] for i, s in enumerate(fit, 1))
        (self.dir / "in.csvt").write_text('"Integer(9)","String(254)","Real","Real"\n')
        fields = [{"name": "id", "type": "integer"}, {"name": "text", "type": "string"}]
        folder = self.dataset("naughty", "", fields, {"path": "n.shp", "schema": {"primaryKey": ["id"]}, "odp:severity": OFF,
                                                     "odp:geometry": {"types": ["Point"]}})
        (folder / "naughty.csv").unlink()
        text = (folder / "dataset.json").read_text().replace('"CSV",', '"GeoJSON",')
        (folder / "dataset.json").write_text(text)
        subprocess.run(["ogr2ogr", "-f", "ESRI Shapefile", "-lco", "ENCODING=UTF-8", "-a_srs", "EPSG:4326", "-oo",
                        "X_POSSIBLE_NAMES=lon", "-oo", "Y_POSSIBLE_NAMES=lat", "-select", "id,text", folder / "n.shp",
                        self.dir / "in.csv"], check=True, capture_output=True)
        self.odp("build", "--out", "site")
        page = odp.read_json(next((self.dir / "site" / "data" / "naughty").glob("20*/naughty.geojson")))
        self.assertEqual([f["properties"]["text"] for f in page["features"]], fit)


if __name__ == "__main__":
    unittest.main()
