"""Printed documents (PDF) read back: every record by the structure tree, against the CSV or the API of the same version, by count and digest;
what poppler and qpdf say of them; and how they look, by boxes and pixels. The example site, and tables made for the purpose."""
import json
import re
import shutil
import sys
import unicodedata
import unittest
import xml.etree.ElementTree as xml

import odp
import printlib
import readerlib
import workbooks

TODAY = workbooks.TODAY
MONTHS = "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember".split()
DASH = "–"
MARGIN = 72 * 5 / 25.4  # 5 mm: no printer reaches further


def words_of_date(text):
    m = re.match(r"(\d{4})-(\d\d)-(\d\d)", text)
    return f"{int(m.group(3))} {MONTHS[int(m.group(2)) - 1]} {m.group(1)}" if m else text


def text_of(value):
    return value.get("id") if isinstance(value, dict) else value


class Printed:
    """What the document of a resource has to say, made of the published schema and records alone."""

    def __init__(self, resource):
        self.resource = resource
        self.header, self.records = resource.records()
        self.fields = resource.fields
        bounded = lambda f: [str(f.get("constraints", {}).get(k, "")) for k in ("minimum", "maximum")]
        keys = set(resource.key_fields()) | {n for k in resource.schema.get("uniqueKeys", []) for n in k}
        self.figures = set()
        for f in self.fields:
            low, high = bounded(f)
            is_year = len(low) == 4 and len(high) == 4 and low >= "1800" and high <= "2200"
            if f["type"] in readerlib.FIGURES and f["name"] not in keys and not f.get("constraints", {}).get("unique") and not is_year:
                self.figures.add(f["name"])

    def head(self, field):
        title = text_of(field.get("odp:title")) or field.get("title") or field["name"]
        unit = text_of(field.get("sdi:satuan"))
        return f"{title} ({unit})" if unit else title

    def cell(self, field, value):
        """A value as it stands in a table."""
        if value is None:
            return DASH
        if field["type"] in readerlib.FIGURES:
            return readerlib.indonesian(value) if field["name"] in self.figures else value.replace(".", ",")
        if field["type"] == "boolean":
            return {"true": "Ya", "false": "Tidak"}[value]
        return value

    def place(self, name, value):
        return DASH if value is None else value if name.endswith("type") else value.replace(".", ",")

    def table(self):
        """(heads, rows of squeezed texts): of all columns in order, as far as the heads of the geometry are known."""
        heads = [self.head(f) for f in self.fields]
        places = self.header[len(self.fields):]
        rows = []
        for record in self.records:
            row = [self.cell(f, v) for f, v in zip(self.fields, record)]
            rows.append([readerlib.squeezed(t) for t in row + [self.place(n, v) for n, v in zip(places, record[len(self.fields):])]])
        return heads, rows


class Prints(odp.Case):
    """The checks that every document has to pass."""

    def one(self, slug, site="build/site", name="pdf"):
        return next(r for r in readerlib.resources(self.dir / site, name) if r.slug == slug)

    def sound(self, path, title=None):
        """Valid, tagged, with its fonts, a language, a title and metadata; nothing that runs. Returns what printlib reads."""
        said = printlib.run("qpdf", "--check", path)
        self.assertNotIn(b"WARNING", said)
        document = printlib.Document(path)
        catalog = document.catalog
        self.assertEqual(document.string(catalog["/Lang"]), "id-ID")
        self.assertTrue(document.get(catalog["/MarkInfo"])["/Marked"])
        self.assertTrue(document.get(catalog["/ViewerPreferences"])["/DisplayDocTitle"])
        info = printlib.information(path)
        self.assertEqual((info["Tagged"], info["Encrypted"], info["JavaScript"], info["Suspects"]), ("yes", "no", "no", "no"))
        self.assertEqual(int(info["Pages"]), len(document.page_list))
        if title is not None:
            self.assertIn(title, info["Title"])
        self.assertTrue(info["Title"])
        for name, kind, embedded, subset in printlib.fonts(path):
            self.assertTrue(embedded and subset, f"{name} {kind}")
            self.assertRegex(name, r"^[A-Z]{6}\+NotoSans", name)
        self.assertEqual(document.names() & {"/JavaScript", "/JS", "/Launch", "/EmbeddedFile", "/EmbeddedFiles", "/SubmitForm", "/OpenAction", "/AA", "/RichMedia",
                                             "/GoToR", "/ImportData", "/AcroForm"}, set())
        metadata = document.metadata()
        xml.fromstring(re.sub(r"<\?xpacket.*?\?>", "", metadata))
        self.assertIn("dc:title", metadata)
        self.assertIn("dc:language", metadata)
        for size in (document.get(p)["/MediaBox"] for p in document.page_list):
            self.assertIn(sorted(round(v) for v in document.get(size)[2:]), ([595, 842],))
        return document

    def structure(self, document):
        """The tree is one that a screen reader can follow."""
        [top] = document.root.children()
        self.assertEqual(top.type, "Document")
        known = {"Document", "Sect", "H1", "H2", "H3", "P", "Table", "TR", "TH", "TD", "L", "LI", "Lbl", "LBody", "Figure", "TOC", "TOCI", "Link", "Span",
                 "THead", "TBody", "Caption", "Div", "Part", "Reference"}
        level = 0
        for e in document.root.walk():
            self.assertIn(e.type, known)
            if e.type in ("H1", "H2", "H3"):
                self.assertLessEqual(int(e.type[1]), level + 1, e.text())
                level = int(e.type[1])
                self.assertTrue(e.text().strip())
            elif e.type == "TR":
                self.assertIn(e.parent.type, ("Table", "THead", "TBody"))
                self.assertLessEqual({k.type for k in e.children()}, {"TH", "TD"})
            elif e.type in ("TH", "TD"):
                self.assertEqual(e.parent.type, "TR")
            elif e.type == "LI":
                self.assertEqual(e.parent.type, "L")
            elif e.type == "TOCI":
                self.assertEqual(e.parent.type, "TOC")
            elif e.type == "Figure":
                self.assertTrue(document.string(e.node.get("/Alt")), "a figure without a text")
            if e.type == "TH":
                attributes = json.dumps([document.get(a) for a in self.listed(document.get(e.node.get("/A"), []))])
                self.assertIn("/Scope", attributes)

    @staticmethod
    def listed(value):
        return value if isinstance(value, list) else [value]

    def order(self, document):
        """No head of a table or of a chapter is the last on its page; what follows a heading begins beneath it."""
        leaves = [e for e in document.root.walk() if e.type in ("H1", "H2", "H3", "P", "TR", "LI", "Figure", "TOCI", "Caption") and e.pages()
                  and not any(k.type in ("P", "LI", "TR") and e.type != "TR" for k in e.children())]
        for e, following in zip(leaves, leaves[1:]):
            if e.type in ("H1", "H2", "H3") or (e.type == "TR" and {k.type for k in e.children()} == {"TH"}):
                self.assertEqual(e.pages()[-1], following.pages()[0], f"{e.type} {e.text()[:60]!r} is left alone at the foot of page {e.pages()[-1]}")

    def feet(self, document):
        """Every page but the cover says which it is, and what of."""
        total = len(document.page_list)
        for n in range(2, total + 1):
            text = readerlib.squeezed(document.untagged(n))
            self.assertIn(f"halaman{readerlib.indonesian(str(n))}dari{readerlib.indonesian(str(total))}", text.lower(), f"page {n}")
        self.assertNotIn("halaman", document.untagged(1).lower())

    def boxes(self, path, document, pages=None):
        """Every word is on the paper, inside of the margins, and over no other."""
        for n, (width, height, words) in enumerate(printlib.words(path), 1):
            if pages is not None and n not in pages:
                continue
            self.assertTrue(words, f"page {n} is empty")
            if n > 1:
                foot = max((w for w in words if w[4].lower() == "halaman"), key=lambda w: w[1])
                low = [w for w in words if w[3] > foot[1] and not (abs(w[1] - foot[1]) < 1 and w[0] >= foot[0])]
                self.assertEqual(low, [], f"page {n}: text runs into the foot")
            for x0, y0, x1, y1, word in words:
                self.assertTrue(MARGIN < x0 and x1 < width - MARGIN and MARGIN < y0 and y1 < height - MARGIN, f"page {n}: {word!r} at {x0}, {y0}, {x1}, {y1}")
            cells = {}
            for k, (x0, y0, x1, y1, word) in enumerate(words):
                inner = (x0 + 0.4, y0 + (y1 - y0) * 0.3, x1 - 0.4, y1 - (y1 - y0) * 0.3)
                for bucket in range(int(inner[1] // 20), int(inner[3] // 20) + 1):
                    for other, o, o_word in cells.get(bucket, ()):
                        if inner[0] < o[2] and o[0] < inner[2] and inner[1] < o[3] and o[1] < inner[3]:
                            self.fail(f"page {n}: {word!r} stands over {o_word!r} at {x0}, {y0}")
                    cells.setdefault(bucket, []).append((k, inner, word))

    def margins_are_white(self, path, pages):
        """Nothing is drawn in the outer 5 mm, and no page is empty."""
        resolution = 50
        border = int(resolution * 5 / 25.4)
        for page in pages:
            width, height, grey = printlib.pixels(path, page, resolution)
            rows = [grey[y * width:(y + 1) * width] for y in range(height)]
            for y, row in enumerate(rows):
                parts = (row,) if y < border or y >= height - border else (row[:border], row[-border:])
                self.assertTrue(all(min(part) > 250 for part in parts), f"page {page}, line {y}")
            self.assertLess(min(grey), 160, f"page {page}")

    def contents(self, document):
        """The printed page numbers are those of the places that the links and the bookmarks lead to."""
        pages = {}

        def walk(items, depth):
            for item in items:
                pages.setdefault(readerlib.squeezed(item["title"]), []).append(item["destpageposfrom1"])
                self.assertIsNotNone(item["destpageposfrom1"], item["title"])
                walk(item["kids"], depth + 1)
        walk(document.outlines, 1)
        self.assertTrue(pages)
        headings = {}
        for e in document.root.find("H1", "H2", "H3"):
            headings.setdefault(readerlib.squeezed(e.text()), []).append(e.pages()[0])
        for title, at in pages.items():
            self.assertEqual(headings.get(title), at, f"bookmark {title}")
        entries = document.root.find("TOCI")
        self.assertTrue(entries)
        for entry in entries:
            text = readerlib.squeezed(entry.text())
            candidates = [t for t in pages if text.startswith(t)]
            self.assertTrue(candidates, text)
            title = max(candidates, key=len)
            self.assertTrue(any(text[len(title):].endswith(readerlib.indonesian(str(p))) for p in pages[title]), f"{text}: {pages[title]}")

    # ---- records

    def chapter(self, document, *starts):
        """The elements of the chapter whose heading begins with one of STARTS."""
        found, inside = [], False
        for e in document.root.walk():
            if e.type == "H1":
                inside = e.text().strip().startswith(starts)
            elif inside:
                found.append(e)
        self.assertTrue(found, starts)
        return found

    def table_rows(self, document):
        """{heads of a band: rows} of the table of the records, over all pages and bands."""
        bands, heads = {}, None
        for e in self.chapter(document, "Lampiran: data"):
            if e.type != "TR":
                continue
            cells = e.children("TH", "TD")
            if all(c.type == "TH" for c in cells):
                heads = tuple(readerlib.squeezed(c.text()) for c in cells)
                bands.setdefault(heads, [])
            else:
                bands[heads].append([readerlib.squeezed(c.text()) for c in cells])
        return bands

    def check_table(self, resource, document, records=None, path=None):
        """The records are all there, cell by cell. RECORDS: how many are printed of them."""
        expected = Printed(resource)
        heads, rows = expected.table()
        rows = rows[:records]
        names = workbooks.labels_of(resource)
        for k, field in enumerate(expected.fields):
            for row in rows:
                name = names.get(field["name"], {}).get(row[k], {}).get("id", row[k])
                row[k] = row[k] if name == row[k] else readerlib.squeezed(f"{name} ({row[k]})")
        bands = self.table_rows(document)
        known = {readerlib.squeezed(h): k for k, h in enumerate(heads)}
        self.assertEqual(len(known), len(heads))
        found, places = [[None] * len(heads) for _ in rows], []
        for band, lines in bands.items():
            self.assertEqual(len(lines), len(rows), f"{resource.slug}, {band}")
            for n, line in enumerate(lines):
                self.assertEqual(len(line), len(band), f"{resource.slug}, record {n + 1}")
            for k, head in enumerate(band):
                if head in known:
                    for n, line in enumerate(lines):
                        if found[n][known[head]] not in (None, line[k]):
                            self.fail(f"{resource.slug}: the bands differ in record {n + 1}")
                        found[n][known[head]] = line[k]
                else:
                    places.append([line[k] for line in lines])
        self.assertEqual(len(places), len(expected.header) - len(heads))
        found = [row + [column[n] for column in places] for n, row in enumerate(found)]
        if readerlib.digest(found) != readerlib.digest(rows):
            self.fail(f"{resource.slug}: {readerlib.difference(found, rows, expected.header)}")
        self.assertEqual(len(found), resource.rows if records is None else min(records, resource.rows))
        return bands

    def check_entries(self, resource, document, spec):
        """One section a record: its heading, and every value that it has."""
        expected = Printed(resource)
        schema = {f["name"]: f for f in expected.fields}
        level = "H3" if spec.get("group") else "H2"
        sections = [e for e in self.chapter(document, "Lampiran: rekaman") if e.type == "Sect" and e.children(level)]
        self.assertEqual(len(sections), len(expected.records))
        heading = spec.get("heading") or resource.key_fields()
        named = set(heading) | {spec.get("title"), spec.get("status")}
        codes = {}
        found, wanted = [], []
        for section in sections:
            said = [readerlib.squeezed(section.children(level)[0].text()), *(readerlib.squeezed(p.text()) for p in section.children("P"))]
            facts = {}
            for item in section.find("LI"):
                label = readerlib.squeezed("".join(e.text() for e in item.children("Lbl")))
                facts[label] = readerlib.squeezed("".join(e.text() for e in item.children("LBody")))
            found.append((said, {k: v for k, v in facts.items() if v != DASH}))
        for record in expected.records:
            values = dict(zip(expected.header, record))
            name = readerlib.squeezed("".join(expected.cell(schema[n], values[n]) for n in heading if values[n] is not None))
            more = [readerlib.squeezed(expected.cell(schema[n], values[n])) for n in (spec.get("status"), spec.get("title")) if n and values[n] is not None]
            facts = {}
            for f in expected.fields:
                if f["name"] in named or values[f["name"]] is None:
                    continue
                label = readerlib.squeezed(text_of(f.get("odp:title")) or f.get("title") or f["name"])
                facts[label] = (f, values[f["name"]])
            wanted.append(([name] + more, facts))
        by_name = {}
        for said, facts in found:
            by_name.setdefault(said[0], []).append((said, facts))
        self.assertEqual(sorted(s[0][0] for s in found), sorted(w[0][0] for w in wanted))
        plain_found, plain_wanted = [], []
        for said, facts in wanted:
            match = next(m for m in by_name[said[0]] if all(self.fact_is(m[1].get(label, ""), f, v, expected) for label, (f, v) in facts.items()))
            by_name[said[0]].remove(match)
            self.assertEqual(sorted(match[0]), sorted(said))
            self.assertEqual(set(match[1]), set(facts), said)
            plain_found.append([*match[0], *(match[1][k] for k in facts)])
            plain_wanted.append(plain_found[-1])
        self.assertEqual(len(plain_found), resource.rows)
        return plain_found

    def fact_is(self, text, field, value, expected):
        """Whether TEXT says VALUE: as it is, as a date in words, a figure with separators and unit, a code with its meaning."""
        if field["type"] == "date":
            return text == readerlib.squeezed(words_of_date(value))
        if field["type"] == "datetime":
            return text == readerlib.squeezed(f"{words_of_date(value)}, {value.partition('T')[2]}")
        plain = readerlib.squeezed(expected.cell(field, value))
        if field["type"] in readerlib.FIGURES:
            return text == plain + readerlib.squeezed(text_of(field.get("sdi:satuan")) or "")
        if "odp:document" in field:
            return readerlib.squeezed(value.rpartition("/")[2]) in text
        return text == plain or text.startswith(plain + "—")

    def all_text(self, resource, path, records=None):
        """pdftotext finds every value, in the layout and in raw order; what is wrapped is compared without white space."""
        expected = Printed(resource)
        _, rows = expected.table()
        whole = readerlib.squeezed(printlib.run("pdftotext", "-layout", path, "-").decode())
        # Wrapped cells stand beside others in the layout: their words are looked for one by one.
        words = {w for w in re.split(r"\s+", printlib.run("pdftotext", "-layout", path, "-").decode()) if w}
        missing = []
        for record in expected.records[:records]:
            for field, value in zip(expected.fields, record):
                if value is None:
                    continue
                text = words_of_date(value) if field["type"] == "date" else expected.cell(field, value)
                if readerlib.squeezed(text) in whole or value in whole:
                    continue
                pieces = re.split(r"[\s]+", text)
                missing += [p for p in pieces if p and p not in words and not any(p in w for w in words) and not self.broken(p, whole)]
        self.assertEqual(missing, [], resource.slug)

    @staticmethod
    def broken(piece, whole):
        """A word longer than its column is broken: its parts are there, each of some length."""
        at = 0
        while at < len(piece):
            end = len(piece)
            while end > at and piece[at:end] not in whole:
                end -= 1
            if end - at < min(3, len(piece) - at):
                return False
            at = end
        return True

    def look(self, resource, pages=None):
        """All of the above that holds for every document; returns it."""
        path = resource.file("pdf")
        document = self.sound(path, text_of(resource.entry["title"]) if resource.primary else None)
        self.structure(document)
        self.order(document)
        self.feet(document)
        self.boxes(path, document, pages)
        self.contents(document)
        cover = readerlib.squeezed(printlib.run("pdftotext", "-f", 1, "-l", 1, path, "-").decode())
        entry = resource.entry
        own = (*entry["title"].values(), *entry["description"].values()) if resource.primary else (entry["title"]["id"], *resource.listed["title"].values())
        for text in (*own, resource.version, resource.listed["digest"].removeprefix("sha256:")):
            self.assertIn(readerlib.squeezed(text), cover)
        self.assertTrue(any(u == entry["license"]["path"] for _, u in document.uris()))
        return document


class Example(Prints):
    """What the example catalogue prints."""

    @classmethod
    def setUpClass(cls):
        cls.site = odp.example_site()
        cls.resources = list(readerlib.resources(cls.site, "pdf"))
        cls.documents = {r.slug: printlib.Document(r.file("pdf")) for r in cls.resources}

    def spec(self, resource):
        package = odp.read_json(odp.SOURCE / "catalog" / resource.slug / "dataset.json")
        table = next(t for t in package["resources"] if t["name"] == resource.name)
        return table.get("odp:print", package.get("odp:print", {}) if resource.primary else {})

    def test_they_are_sound_and_look_right(self):
        self.assertIn("regulasi", self.documents)
        for resource in self.resources:
            document = self.look(resource)
            self.margins_are_white(resource.file("pdf"), range(1, len(document.page_list) + 1))

    def test_every_record_is_there(self):
        for resource in self.resources:
            spec = self.spec(resource)
            if spec.get("layout") == "entries":
                found = self.check_entries(resource, self.documents[resource.slug], spec)
                self.assertEqual(len(found), resource.rows)
            else:
                self.check_table(resource, self.documents[resource.slug])

    def test_pdftotext_finds_every_cell(self):
        for resource in self.resources:
            self.all_text(resource, resource.file("pdf"))

    def test_every_address_is_a_link(self):
        """Addresses that records name, documents that are published beside, references between records."""
        for resource in self.resources:
            document = self.documents[resource.slug]
            uris = {u for _, u in document.uris()}
            base = f"{odp.read_json(odp.SOURCE / 'catalog/portal.json')['baseUrl']}data/{resource.slug}/{resource.version}/"
            header, records = resource.records()
            count = 0
            for k, field in enumerate(resource.fields):
                for record in records:
                    if record[k] is None:
                        continue
                    if "odp:document" in field:
                        self.assertIn(base + record[k], uris)
                        self.assertTrue((self.site / f"data/{resource.slug}/{resource.version}" / record[k]).is_file())
                        count += 1
                    elif field["type"] == "string" and field.get("format") == "uri":
                        self.assertIn(record[k], uris)
                        count += 1
            if resource.slug == "regulasi":
                self.assertGreater(count, resource.rows // 2)
            for uri in uris:
                self.assertRegex(uri, r"^(https?://|mailto:)[!-~]+$")
            names = json.dumps(document.get(document.catalog.get("/Names"), {}))
            for _, a in document.annotations():
                self.assertIn(a["/Subtype"], ("/Link",))
                self.assertTrue("/Dest" in a or "/A" in a, names)

    def test_regulations_say_what_a_lawyer_looks_for(self):
        """Number, year, title, status, subject and links of each, in its own entry."""
        resource = next(r for r in self.resources if r.slug == "regulasi")
        document = self.documents["regulasi"]
        entries = [e for e in self.chapter(document, "Lampiran: rekaman") if e.type == "Sect" and e.children("H3")]
        texts = [readerlib.squeezed(e.text()) for e in entries]
        header, records = resource.records()
        self.assertEqual(len(entries), len(records))
        for record in records:
            values = dict(zip(header, record))
            wanted = [readerlib.squeezed(values[n]) for n in ("nomor", "tahun", "judul", "status", "bidang", "tautan") if values[n] is not None]
            self.assertTrue(any(all(w in t for w in wanted if w != readerlib.squeezed(values["bidang"])) for t in texts), values)
        self.assertEqual(len(set(texts)), len(texts))

    def test_the_digest_and_the_addresses_of_the_cover(self):
        """The QR code opens the dataset's page at this version, in a page that people read; the cover tells it, too, and the data's address and digest."""
        if not shutil.which("zbarimg"):
            self.skipTest("zbarimg is not on this machine")
        base = odp.read_json(odp.SOURCE / "catalog/portal.json")["baseUrl"]
        for resource in self.resources:
            path = resource.file("pdf")
            picture = self.dir / "cover"
            printlib.run("pdftoppm", "-r", 200, "-png", "-singlefile", "-f", 1, "-l", 1, path, picture)
            found = printlib.run("zbarimg", "--quiet", "--raw", picture.with_suffix(".png")).decode().strip()
            self.assertTrue(found.startswith(base), found)
            address, _, place = found.removeprefix(base).partition("#")
            page = (self.site / address).read_text()
            self.assertTrue(page.startswith("<!doctype html>"), address)
            self.assertIn(f'<li id="{place}"', page)
            self.assertTrue(place.endswith(resource.version), place)
            cover = readerlib.squeezed(printlib.run("pdftotext", "-f", 1, "-l", 1, path, "-").decode())
            self.assertIn(found, cover)
            self.assertIn(f"{base}data/{resource.slug}/{resource.version}/", cover)
            self.assertIn(resource.listed["digest"].removeprefix("sha256:"), cover.replace(" ", ""))

    def test_no_clock(self):
        for resource in self.resources:
            info = self.documents[resource.slug].info
            for key in ("/CreationDate", "/ModDate"):
                if key in info:
                    self.assertTrue(self.documents[resource.slug].string(info[key]).startswith("D:" + resource.version[:10].replace("-", "")), info)


class Made(Prints):
    """Tables made for the purpose."""

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def build(self, *more):
        self.odp("build", *TODAY, *more)

    def test_wide_tables_turn_or_are_cut_into_bands(self):
        """14 columns of prose need more than a page's width: each column is there, whole, for every record."""
        fields = [{"name": "id", "type": "string", "odp:title": {"id": "Nomor", "en": "Number"}}]
        fields += [{"name": f"k{i:02d}", "type": "string", "odp:title": {"id": f"Uraian panjang kolom ke-{i}", "en": f"Column {i}"}} for i in range(1, 14)]
        rows = [[f"BARIS-{r:03d}"] + [f"Kalimat ke-{i} dari baris {r}, cukup panjang untuk dibungkus beberapa kali dalam satu sel." for i in range(1, 14)] for r in range(60)]
        self.dataset("lebar", workbooks.table([f["name"] for f in fields], rows), fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "PDF"]})
        fields = [{"name": f"n{i:02d}", "type": "integer"} for i in range(14)]
        rows = [[r * 1000 + i * 37 for i in range(14)] for r in range(100)]
        self.dataset("angka", workbooks.table([f["name"] for f in fields], rows), fields, {}, **{"odp:formats": ["CSV", "PDF"]})
        fields = [{"name": f"s{i:02d}", "type": "string"} for i in range(40)]
        rows = [[f"isi {r} {i} {'kata ' * (i % 5)}".strip() for i in range(40)] for r in range(50)]
        self.dataset("amat-lebar", workbooks.table([f["name"] for f in fields], rows), fields, {"schema": {"primaryKey": ["s00", "s01"]}}, **{"odp:formats": ["CSV", "PDF"]})
        self.build()
        shapes = {}
        for slug in ("lebar", "angka", "amat-lebar"):
            resource = self.one(slug)
            document = self.look(resource)
            bands = self.check_table(resource, document)
            self.all_text(resource, resource.file("pdf"))
            shapes[slug] = (len(bands), {tuple(round(v) for v in document.get(document.get(p)["/MediaBox"])[2:]) for p in document.page_list})
        self.assertIn((842, 595), shapes["lebar"][1])
        self.assertGreater(shapes["amat-lebar"][0], 1)
        for heads in self.table_rows(printlib.Document(self.one("amat-lebar").file("pdf"))):
            self.assertEqual(heads[:2], ("s00", "s01"))  # the key stands in each band

    def test_long_texts_are_wrapped_and_never_cut(self):
        """A text over several pages, a word that is wider than a page, many lines: all of it is printed."""
        texts = ["kata " * 4000, "".join(chr(97 + i % 26) for i in range(3000)), "\n".join(f"baris {i}" for i in range(300)), "pendek", "日本語" * 200,
                 "x" * 500 + " " + "y" * 500, "https://example.org/" + "a/" * 300]
        rows = [[i + 1, t.strip()] for i, t in enumerate(texts)]
        self.dataset("panjang", workbooks.table(["id", "isi"], rows), [{"name": "id", "type": "integer"}, {"name": "isi", "type": "string"}],
                     {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "PDF"], "odp:severity": {"line-break": "off"}})
        self.build()
        resource = self.one("panjang")
        document = self.look(resource)
        whole = "".join("".join(line[1:]) for lines in self.table_rows(document).values() for line in lines)
        for _, text in rows:
            self.assertIn(readerlib.squeezed(text), whole)
        self.assertEqual(whole.replace(DASH, ""), "".join(readerlib.squeezed(t) for _, t in rows))

    def test_every_type_and_naughty_text(self):
        """Text is text: no markup, no attribute of a tag, no direction mark changes what is printed."""
        naughty = ["<b>tebal</b> &amp; <span foreground='red'>x</span>", "a' b' uri='https://evil.example'", "=1+1", "\\(kurung\\)", "%PDF-1.4", "tab\tdi sini",
                   "😀 wajah 𝒳", "e\u0301 dan é", "ﬁ ligatur fi ffi", "nol\u200blebar", "satu\u00a0dua", "kanan \u05d0\u05d1\u05d2 kiri", "ไทยภาษา", "日本語", "a" * 60, "\ufffe\uffff\ufdd0 bukan karakter"]
        fields = [{"name": "id", "type": "integer"}, {"name": "teks", "type": "string"}, {"name": "angka", "type": "number", "sdi:satuan": {"id": "hektare", "en": "hectare"}},
                  {"name": "ya", "type": "boolean"}, {"name": "tanggal", "type": "date"}, {"name": "saat", "type": "datetime"}, {"name": "tahun", "type": "year"},
                  {"name": "bulan", "type": "yearmonth"}, {"name": "daftar", "type": "list"}, {"name": "objek", "type": "object"}]
        numbers = ["1234567.89", "-1000", "0.5", "12.50", "999", "1000", "-0.0", "123456789012345678901234567890.5", "1E+5", "1e-7", "0"]
        rows = []
        for i, text in enumerate(naughty):
            rows.append([i + 1, text, numbers[i % len(numbers)], ("true", "false", "")[i % 3], "2024-02-29", "2024-03-15T07:05:00+08:00", "2024", "2024-03",
                         "a,b" if i % 2 else "", '{"a": 1}' if i % 4 == 0 else ""])
        rows.append([len(rows) + 1] + [""] * 9)
        self.dataset("nakal", workbooks.table([f["name"] for f in fields], rows), fields, {"schema": {"primaryKey": ["id"]}},
                     **{"odp:formats": ["CSV", "PDF"], "odp:severity": workbooks.ALLOWED})
        self.build()
        resource = self.one("nakal")
        document = self.look(resource)
        expected = Printed(resource)
        heads, wanted = expected.table()
        bands = self.table_rows(document)
        text = {k: "".join(line[k] for lines in bands.values() for line in lines) for k in range(2)} if len(bands) == 1 else None
        self.assertIsNotNone(text)
        [lines] = bands.values()
        for n, (line, row) in enumerate(zip(lines, wanted)):
            if any("\u0590" <= c <= "\u05ff" for c in row[1]):
                self.assertEqual(sorted(line[1]), sorted(row[1]))  # right to left: drawn in the order of sight
                line, row = line[:1] + line[2:], row[:1] + row[2:]
            elif "bukankarakter" in row[1]:  # noncharacters have no form in print
                self.assertTrue(line[1].endswith("bukankarakter"), line[1])
                line, row = line[:1] + line[2:], row[:1] + row[2:]
            self.assertEqual([t.replace("ﬁ", "fi") for t in line], [t.replace("ﬁ", "fi") for t in row], f"record {n + 1}")
        self.assertEqual(len(lines), len(wanted))
        self.assertNotIn("evil.example", json.dumps([u for _, u in document.uris()]))

    def test_the_big_list_of_naughty_strings(self):
        suite = odp.read_json(self.needs("csv/blns/blns.json"))
        self.dataset("nakal", workbooks.table(["id", "teks"], enumerate(suite, 1)), [{"name": "id", "type": "integer"}, {"name": "teks", "type": "string"}],
                     {"schema": {"primaryKey": ["id"], "missingValues": []}}, **{"odp:formats": ["CSV", "PDF"], "odp:severity": workbooks.ALLOWED})
        self.build()
        resource = self.one("nakal")
        document = self.look(resource, pages=())  # the boxes of enclosing marks overlap, and should
        [lines] = self.table_rows(document).values()
        self.assertEqual(len(lines), len(suite))
        plain = 0
        for line, text in zip(lines, suite):
            text = readerlib.squeezed(text)
            if all(unicodedata.category(c)[0] in "LNPSZ" and unicodedata.bidirectional(c) not in ("R", "AL", "AN") for c in text):
                self.assertEqual(unicodedata.normalize("NFKC", line[1]), unicodedata.normalize("NFKC", text))
                plain += 1
        self.assertGreater(plain, 400)

    def test_no_record_one_record_one_column(self):
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        self.dataset("nihil", "id,nilai\n", fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "PDF"]})
        self.dataset("satu", "id,nilai\n1,2.5\n", fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "PDF"]})
        self.dataset("kolom", "nama\nSari\nBudi\n", [{"name": "nama", "type": "string"}], {}, **{"odp:formats": ["CSV", "PDF"]})
        self.odp("build", *TODAY, expect=None)
        for slug in ("satu", "kolom"):
            self.check_table(self.one(slug), self.look(self.one(slug)))
        document = self.look(self.one("nihil"))
        [lines] = self.table_rows(document).values()
        self.assertEqual(lines, [["Tidakadarekaman./Norecords."]])

    def test_several_resources_and_geometry(self):
        """Each resource is a document of its own; a place has its columns."""
        odp.remove_tree(self.dir / "catalog")
        target = self.catalogue("proyek", "kontraktor")
        path = target / "proyek/dataset.json"
        package = odp.read_json(path)
        package["odp:formats"] = ["CSV", "PDF"]
        for table in package["resources"]:
            table.pop("odp:charts", None)
        path.write_text(json.dumps(package))
        self.build()
        found = [r for r in readerlib.resources(self.dir / "build/site", "pdf") if r.slug == "proyek"]
        self.assertEqual([r.file("pdf").name for r in found], ["proyek.pdf", "proyek-timeline.pdf"])
        for resource in found:
            self.check_table(resource, self.look(resource))

    def test_slices_say_what_they_are_of(self):
        fields = [{"name": "id", "type": "integer"}, {"name": "wilayah", "type": "string", "odp:title": {"id": "Wilayah", "en": "Region"}}]
        self.dataset("survei", workbooks.table(["id", "wilayah"], [[i, ("Utara", "Selatan")[i % 2]] for i in range(1, 41)]), fields,
                     {"schema": {"primaryKey": ["id"]}, "odp:slices": ["wilayah"]}, **{"odp:formats": ["CSV", "PDF"]})
        self.build()
        resource = self.one("survei")
        for found in resource.listed["slices"]:
            path = resource.at(next(f for f in found["files"] if f["name"] == "pdf")["url"])
            document = self.sound(path)
            self.structure(document)
            cover = printlib.run("pdftotext", "-f", 1, "-l", 1, path, "-").decode()
            self.assertIn(f"Wilayah: {found['value']}", cover)
            [lines] = self.table_rows(document).values()
            self.assertEqual([line[1] for line in lines], [found["value"]] * 20)

    def test_an_excerpt_says_so(self):
        """odp:print records: as many are printed; the true total and where the others are stand on the cover and before them."""
        fields = [{"name": "id", "type": "integer"}, {"name": "nilai", "type": "number"}]
        rows = workbooks.table(["id", "nilai"], [[i, i / 4] for i in range(1, 2346)])
        self.dataset("besar", rows, fields, {"schema": {"primaryKey": ["id"]}, "odp:print": {"records": 300}}, **{"odp:formats": ["CSV", "PDF"]})
        self.build()
        resource = self.one("besar")
        document = self.look(resource)
        self.check_table(resource, document, records=300)
        before = readerlib.squeezed("".join(e.text() for e in self.chapter(document, "Lampiran: data") if e.type == "P"))
        cover = readerlib.squeezed(printlib.run("pdftotext", "-f", 1, "-l", 1, resource.file("pdf"), "-").decode())
        for text in (before, cover):
            self.assertIn("2.345", text)
            self.assertIn("300", text)
        self.assertTrue(any(u.endswith("data/besar/2024-03-15/besar.csv") for _, u in document.uris()))

    def test_the_brief_tells_what_has_changed(self):
        """Figures of this version beside those of the version before, as that one published them."""
        fields = [{"name": "id", "type": "integer"}, {"name": "luas", "type": "number", "odp:title": {"id": "Luas", "en": "Size"}, "odp:unit": "hektare", "sdi:satuan": "hektare"}]
        for day, sizes in (("2024-03-15", [10, 20.5]), ("2024-03-16", [10, 20.5, 9.75])):
            odp.remove_tree(self.dir / "catalog/lahan")
            rows = workbooks.table(["id", "luas"], [[i, size] for i, size in enumerate(sizes, 1)])
            self.dataset("lahan", rows, fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "PDF"], "odp:lastUpdate": day})
            self.build()
            text = " ".join(printlib.run("pdftotext", "-layout", self.one("lahan").file("pdf"), "-").decode().split())
            if day == "2024-03-15":
                self.assertIn("30,5", text)
                self.assertNotIn("Sejak versi", text)
        self.assertIn("Sejak versi 2024-03-15", text)
        self.assertIn("2 3 +1 (+50,0 %)", text)
        self.assertIn("30,5 40,25 +9,75", text.replace("30,50", "30,5"))

    def test_the_brief_has_a_map(self):
        """Places with boundaries are coloured by the figure that matters; who has no shape stands below; the picture says all of it, too."""
        odp.remove_tree(self.dir / "catalog")
        self.catalogue(references=True)
        codes = ("11", "12", "31", "32", "33", "65")
        fields = [{"name": "kode", "type": "string"}, {"name": "unit", "type": "integer", "title": "Unit", "odp:title": {"id": "Unit", "en": "Dwellings"}, "odp:unit": "unit", "sdi:satuan": "unit"}]
        self.dataset("rumah", workbooks.table(["kode", "unit"], [[code, 100 * i] for i, code in enumerate(codes, 1)]), fields,
                     {"schema": {"primaryKey": ["kode"]}, "odp:foreignKeys": [{"fields": ["kode"], "reference": {"dataset": "references/provinsi", "fields": ["kode"]}}]},
                     **{"odp:formats": ["CSV", "PDF"], "odp:highlights": ["unit"]})
        self.build()
        document = self.look(self.one("rumah"))
        [words] = [w for w in (document.string(e.node.get("/Alt")) for e in document.root.find("Figure")) if "Tanpa bentuk" in w]
        for text in ("Tertinggi: Kalimantan Utara 600; Jawa Tengah 500", "terendah: Aceh 100", "Tanpa bentuk di peta: Kalimantan Utara 600.", "Natural Earth", "menurut unit"):
            self.assertIn(text, words)
        brief = " ".join(printlib.run("pdftotext", "-layout", self.one("rumah").file("pdf"), "-").decode().split())
        self.assertIn("Peringkat teratas: Unit / Top places: Dwellings", brief)
        self.assertIn("≥ 200 ≥ 300", brief)

    def test_nothing_of_the_records_is_untagged(self):
        """What is not in the tree is running heads, feet and repeated heads only: no value of a record."""
        rows = [[f"kode-{i:04d}-unik", f"teks-{i}-lain"] for i in range(200)]
        self.dataset("uji", workbooks.table(["a", "b"], rows), [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}],
                     {"schema": {"primaryKey": ["a"]}}, **{"odp:formats": ["CSV", "PDF"]})
        self.build()
        document = self.look(self.one("uji"))
        outside = "".join(document.untagged(n + 1) for n in range(len(document.page_list)))
        self.assertNotIn("unik", outside)
        self.assertNotIn("lain", outside.replace("lanjutan", ""))
        self.assertEqual(document.root.text().count("-unik"), 200)


class Deep(Prints):
    """Ten thousand rows, more than are printed, and every dataset of the catalogue."""

    def test_ten_thousand_rows_and_one_more(self):
        self.catalogue(references=False)
        fields = [{"name": "id", "type": "integer"}, {"name": "nama", "type": "string"}, {"name": "nilai", "type": "number"}, {"name": "tanggal", "type": "date"}]
        for slug, n in (("pas", 10000), ("lebih", 12345)):
            rows = workbooks.table([f["name"] for f in fields], [[i, f"Nama ke-{i}", i * 1.25, f"2024-01-{1 + i % 28:02d}"] for i in range(1, n + 1)])
            self.dataset(slug, rows, fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV", "PDF"]})
        self.odp("build", *TODAY)
        for slug, records in (("pas", None), ("lebih", 10000)):
            resource = self.one(slug)
            document = self.look(resource)
            self.check_table(resource, document, records=records)
        cover = readerlib.squeezed(printlib.run("pdftotext", "-f", 1, "-l", 1, self.one("lebih").file("pdf"), "-").decode())
        self.assertIn("12.345", cover)
        self.assertIn("10.000", cover)

    def test_many_entries(self):
        """Above a thousand entries the tree is coarser; every text is still in it, in order, and every entry has its heading."""
        self.catalogue(references=False)
        fields = [{"name": "id", "type": "string"}, {"name": "judul", "type": "string"}, {"name": "isi", "type": "string"}, {"name": "nilai", "type": "number"}]
        rows = [[f"N-{i:05d}", f"Judul nomor {i}", f"Isi dari catatan {i}, agak panjang.", f"{i * 7}.5"] for i in range(1, 2501)]
        spec = {"layout": "entries", "heading": ["id"], "title": "judul"}
        self.dataset("banyak", workbooks.table([f["name"] for f in fields], rows), fields, {"schema": {"primaryKey": ["id"]}, "odp:print": spec},
                     **{"odp:formats": ["CSV", "PDF"]})
        self.odp("build", *TODAY)
        resource = self.one("banyak")
        document = self.look(resource)
        self.all_text(resource, resource.file("pdf"))
        text = readerlib.squeezed("".join(e.text() for e in self.chapter(document, "Lampiran: rekaman") if e.type in ("H2", "H3", "P", "L") and e.parent.type == "Sect"))
        at = 0
        for row in rows:
            for cell in [row[0], row[1], row[2], readerlib.indonesian(row[3])]:
                at = text.find(readerlib.squeezed(cell), at)
                self.assertGreaterEqual(at, 0, row)

    def test_every_dataset_as_a_document(self):
        catalog = self.dir / "catalog"
        shutil.copytree(odp.SOURCE / "catalog", catalog)
        for path in catalog.glob("*/dataset.json"):
            package = odp.read_json(path)
            package["odp:formats"] = ["CSV", "JSON", "PDF"]
            path.write_text(json.dumps(package))
        self.odp("build", *TODAY)
        seen = 0
        for resource in readerlib.resources(self.dir / "build/site", "pdf"):
            document = self.look(resource)
            package = odp.read_json(catalog / resource.slug / "dataset.json")
            table = next(t for t in package["resources"] if t["name"] == resource.name)
            spec = table.get("odp:print", package.get("odp:print", {}) if resource.primary else {})
            if spec.get("layout") == "entries":
                self.check_entries(resource, document, spec)
            else:
                self.check_table(resource, document, records=spec.get("records"))
            seen += 1
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    if sys.argv[1:] == ["deep"]:
        unittest.main(argv=[sys.argv[0], "Deep"], verbosity=2)
    del Deep
    odp.main()
