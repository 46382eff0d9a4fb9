"""Differences of published versions against differences computed here: rows, cells, geometry, schema, in every form."""
import collections
import csv
import html.parser
import io
import json
import random
import sys

import odp
import versionslib

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import shapes  # noqa: E402

TODAY = ("--today", "2025-06-01")
WORDS = ["Kampung Baru", "Jalan “Melati”", "a,b", 'kutip "dalam"', "baris\nbaru", " spasi ", "é", "日本", "𝄞", "=1+1", "0123", "Ωmega", "x" * 300]


def literal(text):
    return ("number", text)


def load(path_or_text):
    """JSON whose numbers keep their literals: 12.5 is not 12.50."""
    text = path_or_text if isinstance(path_or_text, str) else path_or_text.read_text(encoding="utf-8")
    return json.loads(text, parse_float=literal, parse_int=literal)


def order_of(value):
    """Integers by value, text by bytes, nothing first."""
    return (0,) if value is None else (1, int(value[1])) if isinstance(value, tuple) else (1, value.encode())


class Table:
    """A source: fields (name, type, more) and rows as the text of cells, None for nothing."""

    def __init__(self, fields, rows):
        self.fields, self.rows = fields, rows

    def value(self, text, kind):
        if text is None:
            return None
        if kind in ("integer", "number"):
            return literal(text)
        return text == "true" if kind == "boolean" else text

    def records(self):
        return [{f[0]: self.value(cell, f[1]) for f, cell in zip(self.fields, row)} for row in self.rows]

    def text(self):
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([f[0] for f in self.fields])
        for row in self.rows:
            writer.writerow(["" if c is None else c for c in row])
        return out.getvalue()

    def descriptor(self):
        return [{"name": name, "type": kind, **(more[0] if more else {})} for name, kind, *more in self.fields]

    def renamed(self):
        """{name now: name before}"""
        return {f[0]: f[2]["odp:formerNames"][0] for f in self.fields if len(f) > 2 and "odp:formerNames" in f[2]}


def pairs(old, now):
    """(name now, name before) of the fields that both have, in the new order."""
    names, renamed = {f[0] for f in old.fields}, now.renamed()
    return [(f[0], f[0] if f[0] in names else renamed.get(f[0])) for f in now.fields if f[0] in names or renamed.get(f[0]) in names]


def keyed_difference(old, now, key):
    """The list "changes" of changes.json."""
    was = dict(pairs(old, now))
    before = {tuple(r[was[k]] for k in key): r for r in old.records()}
    after = {tuple(r[k] for k in key): r for r in now.records()}
    changes = []
    for k in sorted(before.keys() | after.keys(), key=lambda k: [order_of(v) for v in k]):
        named = dict(zip(key, k))
        if k not in before:
            changes.append({"op": "added", "key": named, "record": after[k]})
        elif k not in after:
            changes.append({"op": "removed", "key": named, "record": before[k]})
        else:
            cells = {n: [before[k][o], after[k][n]] for n, o in pairs(old, now) if before[k][o] != after[k][n]}
            if cells:
                changes.append({"op": "changed", "key": named, "cells": cells})
    return changes


def rows_of(table, names):
    return collections.Counter(tuple(json.dumps(r[n]) for n in names) for r in table.records())


def csv_lines(changes, key):
    """The lines of changes.csv that the list CHANGES comes to."""
    def show(v):
        return "" if v is None else v[1] if isinstance(v, (list, tuple)) and v[0] == "number" else str(v).lower() if isinstance(v, bool) else v
    lines = [["change", *key, "field", "before", "after"]]
    for c in changes:
        head = [c["op"], *(show(v) for v in c["key"].values())]
        for name, value in c.get("record", {}).items():
            if value is not None:
                lines.append([*head, name, *(["", show(value)] if c["op"] == "added" else [show(value), ""])])
        for name, (a, b) in c.get("cells", {}).items():
            lines.append([*head, name, show(a), show(b)])
    return lines


class Page(html.parser.HTMLParser):
    """A page's tags and text; every element is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.words, self.links = [], collections.Counter(), [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.seen[tag] += 1
        self.seen["record"] += tag == "h3" or dict(attrs).get("scope") == "rowgroup"  # new or gone, changed
        if tag == "a":
            self.links.append(dict(attrs)["href"])
        if tag not in ("meta", "br", "link", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)


class Differences(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def publish(self, table, date, key=None, **more):
        schema = {"primaryKey": key} if key else {}
        folder = self.dir / "catalog/uji"
        if folder.exists():
            odp.shutil.rmtree(folder)
        self.dataset("uji", table.text(), table.descriptor(), {"schema": schema}, **{"odp:lastUpdate": date, "title": {"id": "Uji <b>", "en": "Test"}, **more})
        self.odp("build", *TODAY)

    def changes(self, version):
        return self.dir / f"build/site/data/uji/{version}/changes.json"

    def check_summary(self, document, old, now, **counts):
        expected = {"from_rows": len(old.rows), "to_rows": len(now.rows), "added": 0, "removed": 0, "changed": 0, "cells": 0, "geometry": 0, **counts}
        self.assertEqual(document["summary"], {**{k: literal(str(v)) for k, v in expected.items()}, "geometry_compared": True})

    def check_keyed(self, old, now, key, a, b, kinds):
        """Version B against A in every form. KINDS: the schema's changes."""
        document = load(self.changes(b))
        expected = keyed_difference(old, now, key)
        self.assertEqual(document["changes"], expected)
        self.assertEqual((document["from"]["version"], document["to"]["version"], document["key"]), (a, b, key))
        self.assertEqual([c["change"] for c in document["schema"]], kinds)
        n = collections.Counter(c["op"] for c in expected)
        cells = sum(len(c.get("cells", ())) for c in expected)
        self.check_summary(document, old, now, added=n["added"], removed=n["removed"], changed=n["changed"], cells=cells)
        digests = {v["version"]: v["resources"][0]["digest"] for v in self.versions("uji")}
        self.assertEqual((document["from"]["digest"], document["to"]["digest"]), (digests[a], digests[b]))
        with open(self.changes(b).with_suffix(".csv"), newline="", encoding="utf-8") as handle:
            data = handle.read()
        self.assertEqual(list(csv.reader(io.StringIO(data, newline=""))), csv_lines(expected, key))
        self.assertEqual(data.count("\r\n"), len(csv_lines(expected, key)))
        page = Page(self.changes(b).with_suffix(".html").read_text(encoding="utf-8"))
        self.assertEqual((page.seen["record"], page.seen["script"]), (min(200, len(expected)), 0))
        self.assertEqual([l for l in page.links if l.startswith("changes.")], ["changes.csv", "changes.json"])
        for form in ("json", "csv", "html"): # the command says what was published
            self.odp("diff", "uji", a, b, "--format", form, "--output", "said")
            said, published = (self.dir / "said").read_bytes(), self.changes(b).with_suffix("." + form).read_bytes()
            if form == "html": # in the portal's frame
                said, published = (t[t.index(b"<h1"):t.index(b"Semua perubahan")] for t in (said, published))
            self.assertEqual(said, published, form)
        return expected

    def test_random_versions(self):
        """Rows come, go and change; then columns come, go, move and change their names; then the order of the rows alone."""
        r = random.Random(20240315)
        gone = {"odp:deprecated": "2024-01-01", "odp:sunset": "2024-06-30", "odp:replacedBy": None, "odp:note": {"id": "Diganti", "en": "Replaced"}}
        fields = [("kawasan", "string"), ("nomor", "integer"), ("nama", "string"), ("luas", "number", gone), ("aktif", "boolean"), ("tanggal", "date"),
                  ("lama", "string", gone)]

        def row(kawasan, nomor):
            return [kawasan, str(nomor), r.choice(WORDS), f"{r.uniform(-5, 90):.{r.randrange(4)}f}", r.choice(["true", "false"]),
                    f"20{r.randrange(10, 25)}-0{r.randrange(1, 10)}-1{r.randrange(10)}", r.choice([None, "x", "y"])]

        keys = [(w, n) for w in ("a", "ab", "é", "日", "Z", "a b") for n in range(-120, 180)]
        r.shuffle(keys)
        first = Table(fields, [row(*k) for k in keys[:1500]])
        rows = []
        for old in first.rows[100:]:
            new = list(old)
            for column in range(2, 7):
                if r.random() < 0.03:
                    new[column] = row("", 0)[column] if r.random() < 0.8 or column == 4 else None
            rows.append(new)
        second = Table(fields, rows + [row(*k) for k in keys[1500:1650]])
        r.shuffle(second.rows)
        # sumber_air is new, lama is gone, luas is luas_ha, the rest is in another order
        third_fields = [("sumber_air", "string"), ("tanggal", "date"), ("nomor", "integer"), ("kawasan", "string"), ("aktif", "boolean"),
                        ("luas_ha", "number", {"odp:formerNames": ["luas"]}), ("nama", "string")]
        third = Table(third_fields, [[r.choice(["ya", None]), t, n, k, a, l if r.random() > 0.02 else "7.5", m] for k, n, m, l, a, t, _ in second.rows[30:]])
        fourth = Table(third_fields, sorted(third.rows, key=lambda x: x[5] or ""))
        fourth.rows[0] = [*fourth.rows[0][:6], "satu sel"]

        key = ["kawasan", "nomor"]
        self.publish(first, "2024-01-15", key)
        self.publish(second, "2024-02-15", key)
        expected = self.check_keyed(first, second, key, "2024-01-15", "2024-02-15", [])
        self.assertEqual(collections.Counter(c["op"] for c in expected)["removed"], 100)
        self.release("3.0.0")
        self.describe("uji")
        self.publish(third, "2024-03-15", key)
        self.check_keyed(second, third, key, "2024-02-15", "2024-03-15", ["field-removed", "field-renamed", "field-added", "field-order"])
        self.publish(fourth, "2024-04-15", key)
        self.assertEqual(len(self.check_keyed(third, fourth, key, "2024-03-15", "2024-04-15", [])), 1)
        # any two versions, not only neighbours; and backwards
        self.assertEqual(load(self.odp("diff", "uji", "2024-01-15", "2024-04-15", "--format", "json").stdout)["changes"], keyed_difference(first, fourth, key))
        self.assertEqual(load(self.odp("diff", "uji", "2024-02-15", "2024-01-15", "--format", "json").stdout)["changes"], keyed_difference(second, first, key))

    def test_without_key(self):
        r = random.Random(7)
        fields = [("a", "string"), ("n", "integer")]
        old = Table(fields, [[r.choice(["x", "y", "", None, "é"]) or None, str(r.randrange(-3, 4))] for _ in range(400)])
        now = Table([("baru", "string"), *fields], [["b", *row] for row in r.sample(old.rows, 350)] + [["c", "z", str(k % 3)] for k in range(30)])
        self.publish(old, "2024-01-15")
        self.release("2.6.0")
        self.publish(now, "2024-02-15")
        document = load(self.changes("2024-02-15"))
        before, after = rows_of(old, ["a", "n"]), rows_of(now, ["a", "n"])
        found = {op: collections.Counter(tuple(json.dumps(c["record"][n]) for n in ("a", "n")) for c in document["changes"] if c["op"] == op) for op in ("added", "removed", "changed")}
        self.assertEqual(found, {"added": after - before, "removed": before - after, "changed": collections.Counter()})
        self.assertIsNone(document["key"])
        self.check_summary(document, old, now, added=sum((after - before).values()), removed=sum((before - after).values()))
        values = [[order_of(c["record"][n]) for n in ("a", "n")] for c in document["changes"]]
        self.assertEqual(values, sorted(values))

    def test_geometry(self):
        """A shapefile: a corner moved by 0.0000001 degrees is a change, a ring begun at another corner and turned round is what it is."""
        square = [[106.0, -6.0], [106.0, -5.9], [106.1, -5.9], [106.1, -6.0], [106.0, -6.0]]
        moved = [[106.0, -6.0], [106.0, -5.9], [106.1000001, -5.9], [106.1, -6.0], [106.0, -6.0]]
        less = [[106.0, -6.0], [106.0, -5.9], [106.1, -6.0], [106.0, -6.0]]
        folder = self.dir / "catalog/peta"
        folder.mkdir()

        def publish(date, records):
            shapes.write({"name": "peta", "type": 5, "prj": "EPSG:4326", "cpg": "UTF-8", "fields": [["id", "C", 10, 0], ["nama", "C", 10, 0]],
                          "records": [{"shape": [shape], "values": [key, name]} for key, name, shape in records]}, folder)
            (folder / "dataset.json").write_text(json.dumps({
                "$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": "peta", "title": "Peta", "odp:formats": ["GeoJSON", "CSV"],
                "odp:lastUpdate": date, "resources": [{"name": "peta", "type": "table", "path": "peta.shp", "schema": {
                    "fields": [{"name": "id", "type": "string"}, {"name": "nama", "type": "string"}], "primaryKey": ["id"]},
                    "odp:geometry": {"types": ["Polygon"]}}]}))
            self.odp("build", *TODAY)

        publish("2024-01-15", [("a", "A", square), ("b", "B", square), ("c", "C", square), ("d", "D", square), ("t", "T", square)])
        publish("2024-02-15", [("a", "A", square), ("b", "B", moved), ("c", "CC", less), ("e", "E", square), ("t", "T", square[::-1])])
        document = load(self.dir / "build/site/data/peta/2024-02-15/changes.json")
        self.assertEqual(document["changes"], [
            {"op": "changed", "key": {"id": "b"}, "geometry": {"before": "Polygon, 5 points", "after": "Polygon, 5 points"}},
            {"op": "changed", "key": {"id": "c"}, "cells": {"nama": ["C", "CC"]}, "geometry": {"before": "Polygon, 5 points", "after": "Polygon, 4 points"}},
            {"op": "removed", "key": {"id": "d"}, "record": {"id": "d", "nama": "D"}, "geometry": {"before": "Polygon, 5 points"}},
            {"op": "added", "key": {"id": "e"}, "record": {"id": "e", "nama": "E"}, "geometry": {"after": "Polygon, 5 points"}}])
        self.assertEqual({k: v[1] for k, v in document["summary"].items() if k in ("changed", "cells", "geometry")}, {"changed": "2", "cells": "1", "geometry": "2"})
        self.assertEqual(document["summary"]["geometry_compared"], True)
        self.assertEqual(self.odp("diff", "peta").stdout,
                         "peta  2024-01-15 → 2024-02-15     +1 baris   −1 baris   2 baris berubah (1 sel, 2 geometri)\n"
                         "  b   (geometri)   Polygon, 5 titik (letak berubah)\n"
                         "  c   nama         C → CC\n"
                         "      (geometri)   Polygon, 5 titik → Polygon, 4 titik\n"
                         "− d   nama D\n"
                         "+ e   nama E\n")


class Command(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.fields = [{"name": "id", "type": "string"}, {"name": "luas_ha", "type": "number"}, {"name": "tingkat", "type": "string"}]
        self.publish("2023-09-15", "id,luas_ha,tingkat\n31.71-0001,12.9,Sedang\n31.71-0002,3,Berat\n31.71-0003,1,\n")

    def publish(self, date, text):
        if (self.dir / "catalog/kumuh").exists():
            odp.shutil.rmtree(self.dir / "catalog/kumuh")
        self.dataset("kumuh", text, self.fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:lastUpdate": date})
        self.odp("build", *TODAY)

    def second(self):
        self.fields.append({"name": "sumber_air", "type": "string"})
        self.release("2.6.0")
        self.publish("2024-03-15", "id,luas_ha,tingkat,sumber_air\n31.71-0001,12.5,Ringan,PDAM\n31.71-0002,3,Berat,sumur\n31.71-0009,1000.25,,\n")

    def test_what_changed_in_both_languages(self):
        self.second()
        self.assertEqual(self.odp("diff", "kumuh").stdout,
                         "kumuh  2023-09-15 → 2024-03-15     +1 baris   −1 baris   1 baris berubah (2 sel)   skema: + sumber_air (minor)\n"
                         "  31.71-0001   luas_ha   12,9 → 12,5\n"
                         "               tingkat   Sedang → Ringan\n"
                         "− 31.71-0003   luas_ha 1\n"
                         "+ 31.71-0009   luas_ha 1000,25\n")
        english = self.odp("diff", "kumuh", "--lang", "en").stdout
        self.assertEqual(english.splitlines()[0],
                         "kumuh  2023-09-15 → 2024-03-15     +1 row   −1 row   1 row changed (2 cells)   schema: + sumber_air (minor)")
        self.assertIn("luas_ha   12.9 → 12.5\n", english)

    def test_which_versions(self):
        self.assertIn("hanya ada satu versi (2023-09-15)", self.odp("diff", "kumuh").stdout)
        self.second()
        self.publish("2024-06-15", "id,luas_ha,tingkat,sumber_air\n31.71-0001,12.5,Ringan,PDAM\n")
        heads = {words: self.odp("diff", "kumuh", *words).stdout.splitlines()[0][7:30] for words in
                 [(), ("2023-09-15",), ("2024-06-15",), ("2023-09-15", "2024-03-15"), ("2023-09-15", "latest"), ("2024-03-15", "2023-09-15")]}
        self.assertEqual(heads, {(): "2024-03-15 → 2024-06-15", ("2023-09-15",): "2023-09-15 → 2024-06-15", ("2024-06-15",): "2024-03-15 → 2024-06-15",
                                 ("2023-09-15", "2024-03-15"): "2023-09-15 → 2024-03-15", ("2023-09-15", "latest"): "2023-09-15 → 2024-06-15",
                                 ("2024-03-15", "2023-09-15"): "2024-03-15 → 2023-09-15"})

    def test_from_another_site(self):
        self.second()
        (self.dir / "build/site").resolve().rename(self.dir / "elsewhere")
        self.assertIn("+1 baris", self.odp("diff", "kumuh", "--previous", "elsewhere").stdout)
        self.assertIn("tidak ada situs di build/lain", self.odp("diff", "kumuh", "--out", "build/lain", expect=2).stderr)

    def test_what_is_not_there(self):
        self.second()
        for words, text in [(["kumoh"], "tidak ada dataset “kumoh” di build/site; mungkin: kumuh"), (["xyzxyz"], "tidak ada dataset “xyzxyz” di build/site\n"),
                            (["kumuh", "2024-03-16"], "kumuh tidak punya versi “2024-03-16”; mungkin: 2024-03-15; yang ada: 2024-03-15, 2023-09-15"),
                            (["kumuh", "2023-09-15", "x"], "tidak punya versi “x”; yang ada: 2024-03-15, 2023-09-15"),
                            (["kumuh/lain"], "kumuh tidak punya tabel “lain”; yang pertama: kumuh"), ([], "pemakaian: odp-build diff"),
                            (["kumuh", "--format", "xml"], "pemakaian: odp-build diff"), (["kumuh", "a", "b", "c"], "pemakaian: odp-build diff")]:
            done = self.odp("diff", *words, expect=2)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("there is no dataset “kumoh” in build/site; perhaps: kumuh", self.odp("diff", "kumoh", "--lang", "en", expect=2).stderr)

    def test_a_withdrawn_version_is_refused(self):
        self.second()
        self.publish("2024-06-15", "id,luas_ha,tingkat,sumber_air\n31.71-0001,12.5,Ringan,PDAM\n")
        self.odp("withdraw", "kumuh", "2024-03-15", "--reason", "error", "--note", "salah")
        self.assertIn("versi 2024-03-15 dari kumuh telah ditarik (error)", self.odp("diff", "kumuh", "2024-03-15", expect=1).stderr)
        self.assertIn("2023-09-15 → 2024-06-15", self.odp("diff", "kumuh").stdout)

    def test_a_damaged_file_is_named(self):
        self.second()
        path = (self.dir / "build/site/data/kumuh/2023-09-15/kumuh.json").resolve()
        path.chmod(0o644)
        path.write_bytes(path.read_bytes().replace(b"12.9", b"12.8"))
        report = self.report("diff", "kumuh", expect=1)
        self.assertEqual(report["counts"], {"ODP-V03": 1})
        self.assertIn("data/kumuh/2023-09-15/kumuh.json", json.dumps(report))

    def test_forms_that_are_left(self):
        """CSV alone will do; with Excel alone, there are only the API's pages, of the current version."""
        for formats in ["CSV"], ["Excel"]:
            odp.remove_tree(self.dir / "build")
            for n, date in enumerate(("2024-01-15", "2024-02-15", "2024-03-15")):
                odp.shutil.rmtree(self.dir / "catalog/kumuh")
                rows = "".join(f"{i:05d},{i + n}.5,x\n" for i in range(n, 2500))
                self.dataset("kumuh", "id,luas_ha,tingkat\n" + rows, self.fields, {"schema": {"primaryKey": ["id"]}},
                             **{"odp:lastUpdate": date, "odp:formats": formats})
                self.odp("build", *TODAY)
                if n > 0:
                    summary = odp.read_json(self.dir / f"build/site/data/kumuh/{date}/changes.json")["summary"]
                    self.assertEqual((summary["removed"], summary["changed"]), (1, 2500 - n), formats)
            if formats == ["CSV"]:
                self.assertIn("2.499 baris", self.odp("diff", "kumuh", "2024-01-15", "2024-02-15").stdout)
            else:
                self.assertIn("versi 2024-01-15 dari kumuh/kumuh tidak ada sebagai JSON", self.odp("diff", "kumuh", "2024-01-15", "2024-02-15", expect=1).stderr)

    def test_several_tables(self):
        table = {"name": "linimasa", "type": "table", "path": "linimasa.csv", "schema": {"fields": [{"name": "id", "type": "integer"}], "primaryKey": ["id"]}}

        def publish(date, ids):
            odp.shutil.rmtree(self.dir / "catalog/kumuh")
            self.dataset("kumuh", "id,luas_ha,tingkat\na,1,x\n", self.fields, {"schema": {"primaryKey": ["id"]}}, **{"odp:lastUpdate": date})
            path = self.dir / "catalog/kumuh/dataset.json"
            package = odp.read_json(path)
            if ids is not None:
                package["resources"].append(table)
                (self.dir / "catalog/kumuh/linimasa.csv").write_text("id\n" + "".join(f"{i}\n" for i in ids))
            path.write_text(json.dumps(package))
            self.odp("build", *TODAY)

        self.release("2.6.0")
        publish("2024-01-15", [1, 2])
        self.assertTrue(self.odp("diff", "kumuh").stdout.endswith("kumuh/linimasa: tabel baru\n"))
        publish("2024-02-15", [1, 3])
        self.assertEqual(self.odp("diff", "kumuh").stdout,
                         "kumuh  2024-01-15 → 2024-02-15     tidak ada baris yang berubah\n\n"
                         "kumuh/linimasa  2024-01-15 → 2024-02-15     +1 baris   −1 baris\n− 2\n+ 3\n")
        documents = json.loads(self.odp("diff", "kumuh", "--format", "json").stdout)
        self.assertEqual([d["resource"] for d in documents], ["kumuh", "linimasa"])
        self.assertEqual(json.loads(self.odp("diff", "kumuh/linimasa", "--format", "json").stdout), documents[1])
        self.assertIn("sebutkan satu, misalnya: odp-build diff kumuh/kumuh", self.odp("diff", "kumuh", "--format", "csv", expect=2).stderr)
        page = Page((self.dir / "build/site/data/kumuh/2024-02-15/changes-linimasa.html").read_text())
        self.assertEqual([l for l in page.links if l.startswith("changes")], ["changes-linimasa.csv", "changes-linimasa.json"])


if __name__ == "__main__":
    odp.main()
