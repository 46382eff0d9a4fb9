"""Query indexes of the example catalogue, read with Python's sqlite3: the same files on any number of threads; every published record, letter for letter
and as values; words, boxes, derived columns and labels as this file works them out by itself from the pages of the API and the descriptors."""
import datetime
import decimal
import hashlib
import json
import re
import sqlite3
import unicodedata
import unittest

import odp


class Literal(str):
    """A number as it is written."""


def parse(text):
    return json.loads(text, parse_int=Literal, parse_float=Literal)


def stored(kind, value):
    """What the table of records has for a published value."""
    if value is None:
        return None
    if kind in ("integer", "year"):
        return int(value) if -2**63 <= int(value) < 2**63 else str(value).encode()
    if kind == "number":
        digits = decimal.Decimal(value).normalize().as_tuple().digits
        return float(value) if len(digits) <= 15 else str(value).encode()
    if kind == "boolean":
        return int(value)
    if kind == "datetime":
        moment = datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).astimezone(datetime.timezone.utc)
        finer = f"{moment.microsecond % 1000:03d}".rstrip("0")
        return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{moment.microsecond // 1000:03d}Z" + finer
    if isinstance(value, str):
        return value
    return ...  # JSON: compared when it was parsed


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def tokens(text):
    """Words as unicode61 finds them: letters, digits and what is for private use, small, without marks."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    return [word for word in re.split(r"[^\w]|_", plain) if word]


def points(coordinates):
    if coordinates and not isinstance(coordinates[0], list):
        yield coordinates
    else:
        for part in coordinates:
            yield from points(part)


def units(literal):
    return int((decimal.Decimal(literal) * 10**7).to_integral_value())


class SearchIndex(odp.Case):
    about = ""

    @classmethod
    def setUpClass(cls):
        case = cls("build_once")
        odp.Case.setUp(case)
        cls.case, cls.dir = case, case.dir
        for jobs in (1, 4):
            case.odp("build", "--catalog", odp.SOURCE / "catalog", "--out", f"site{jobs}", "--jobs", jobs)
        cls.site = case.dir / "site1"
        cls.listed = odp.read_json(cls.site / "search/index.json")["resources"]

    @classmethod
    def tearDownClass(cls):
        cls.case.doCleanups()

    def setUp(self):
        pass

    def build_once(self):
        pass

    def open(self, entry):
        db = sqlite3.connect(f"file:{self.site / entry['file']}?mode=ro", uri=True)
        self.addCleanup(db.close)
        return db

    def info(self, db):
        return json.loads(db.execute("SELECT value FROM odp_meta WHERE name = 'info'").fetchone()[0])

    def table(self, entry):
        return quoted(entry["collection"])

    def records(self, entry):
        """All records of a resource, by the pages of the API, in order."""
        name = entry["slug"] + (f"/{entry['resource']}" if entry["resource"] else "")
        path, out = self.site / f"v1/{name}.json", []
        while path:
            page = parse(path.read_text())
            out += page["data"]
            following = page["links"]["next"]
            path = path.parent / following if following else None
        return out

    def schema(self, entry):
        folder = next(f for f in (odp.SOURCE / "catalog" / entry["slug"], odp.SOURCE / "catalog/references" / entry["slug"]) if f.is_dir())
        package = odp.read_json(folder / "dataset.json")
        first = max(package["resources"], key=lambda r: r.get("odp:editionDate", ""))  # of a code list the newest edition; else the first
        resource = next((r for r in package["resources"] if r["name"] == entry["resource"]), first)
        return resource, [f for f in resource["schema"]["fields"] if f.get("sdi:aksesPublik", True)]

    def each(self):
        for entry in self.listed:
            self.about = entry["collection"]  # for the messages of what fails
            db = self.open(entry)
            yield entry, db, self.info(db)

    def _formatMessage(self, msg, standard):
        return f"{self.about}: {super()._formatMessage(msg, standard)}"

    # ---- files ------------------------------------------------------------------------------------------------------------------

    def test_every_resource_has_one(self):
        catalogue = odp.read_json(self.site / "v1/index.json")["data"]
        self.assertEqual(sum(e["kind"] == "dataset" for e in catalogue), 22)
        self.assertEqual(len(self.listed), sum(len(e["resources"]) for e in catalogue))
        self.assertEqual({e["slug"] for e in self.listed}, {e["slug"] for e in catalogue})

    def test_same_files_on_any_number_of_threads(self):
        first, second = ({p: d for p, d in odp.digests(self.dir / f"site{n}").items() if p.startswith("search/")} for n in (1, 4))
        self.assertEqual(len([name for name in first if not str(name).endswith(".words.json")]), 1 + len(self.listed))
        self.assertEqual(first, second)

    def test_name_and_manifest_say_the_digest(self):
        files = {f["path"]: f for f in odp.read_json(self.site / "manifest.json")["files"]}
        there = sorted(str(p.relative_to(self.site)) for p in (self.site / "search").rglob("*") if p.is_file())
        self.assertEqual(there, sorted(p for p in files if p.startswith("search/")))
        for entry in self.listed:
            path = entry["file"]
            digest = hashlib.sha256((self.site / path).read_bytes()).hexdigest()
            self.assertEqual((files[path]["sha256"], files[path]["class"], files[path]["type"]), (digest, "internal", "application/geopackage+sqlite3" if entry["info"]["geometry"] else "application/vnd.sqlite3"))
            stem = entry["slug"] + (f"-{entry['resource']}" if entry["resource"] else "")
            self.assertEqual(path, f"search/{entry['slug']}/{entry['version']}/{stem}-{digest[:16]}.sqlite")

    def test_sound(self):
        for entry, db, info in self.each():
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(db.execute("PRAGMA journal_mode").fetchone(), ("delete",))
            if info["geometry"]:
                rtree = f"rtree_{entry['collection']}_{info['geometry']['name']}"
                self.assertEqual(db.execute("SELECT rtreecheck(?)", (rtree,)).fetchone(), ("ok",))
                self.assertEqual(db.execute("PRAGMA application_id").fetchone()[0].to_bytes(4, "big"), b"GPKG")
                self.assertEqual(db.execute("SELECT table_name FROM gpkg_contents WHERE data_type = 'features'").fetchall(), [(entry["collection"],)])

    # ---- records ----------------------------------------------------------------------------------------------------------------

    def test_every_record(self):
        count = 0
        for entry, db, info in self.each():
            records, (resource, fields) = self.records(entry), self.schema(entry)
            of_record = [c for c in info["columns"] if c["of_record"]]
            self.assertEqual([(c["name"], c["type"]) for c in of_record], [(f["name"], f["type"]) for f in fields])
            self.assertEqual((info["rows"], entry["rows"]), (len(records), len(records)))
            names, exact = [c["name"] for c in info["columns"]], [c["name"] for c in info["columns"] if c["type"] in ("number", "datetime")]
            rows = db.execute(f"SELECT fid, {', '.join(map(quoted, names))} FROM {self.table(entry)} ORDER BY fid").fetchall()
            texts = db.execute(f"SELECT fid, {', '.join(map(quoted, exact))} FROM odp_exact ORDER BY fid").fetchall() if exact else []
            self.assertEqual([r[0] for r in rows], list(range(1, len(records) + 1)))
            self.assertEqual([t[0] for t in texts], [r[0] for r in rows] if exact else [])
            seen = [[] for _ in info["columns"]]
            for i, (record, row) in enumerate(zip(records, rows)):
                published = dict(zip(exact, texts[i][1:])) if exact else {}
                for k, column in enumerate(info["columns"]):
                    value = published.get(column["name"], row[k + 1])
                    if column["of_record"]:
                        shown = record[column["name"]]
                        want = stored(column["type"], shown)
                        if want is ...:
                            self.assertEqual(parse(row[k + 1]), shown)
                        else:
                            self.assertEqual((type(row[k + 1]), row[k + 1]), (type(want), want))
                        if column["name"] in published:
                            self.assertEqual(value, shown)
                    seen[k].append(value)
                count += 1
            for column, values in zip(info["columns"], seen):
                self.assertEqual(column["required"], None not in values, column["name"])
                if column["type"] == "number" and not column["wide"]:
                    scales = [max(0, -decimal.Decimal(v).normalize().as_tuple().exponent) for v in values if v is not None]
                    self.assertEqual(column["scale"], max(scales, default=0), column["name"])
        self.assertEqual(count, sum(e["rows"] for e in self.listed))
        self.assertGreater(count, 18000)

    def test_keys_are_unique_and_found_by_their_index(self):
        for entry, db, info in self.each():
            resource, fields = self.schema(entry)
            key = resource["schema"].get("primaryKey", [])
            names = [c["name"] for c in info["columns"]]
            self.assertEqual([names[k] for k in info["key"]], key)
            columns = ", ".join(map(quoted, key))
            plan = db.execute(f"EXPLAIN QUERY PLAN SELECT fid FROM {self.table(entry)} ORDER BY {columns}").fetchall()
            self.assertEqual(len(plan), 1)
            self.assertIn("USING COVERING INDEX odp_index_0", plan[0][3])
            twice = db.execute(f"SELECT count(*) FROM (SELECT 1 FROM {self.table(entry)} GROUP BY {columns} HAVING count(*) > 1)").fetchone()
            self.assertEqual(twice, (0,))

    def test_indexes_are_told(self):
        for entry, db, info in self.each():
            first = {row[0] for row in db.execute("SELECT DISTINCT i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i "
                                                  "WHERE i.seqno = 0 AND l.name <> 'odp_bare'", (entry["collection"],))}
            self.assertEqual(first, {c["name"] for c in info["columns"] if c["indexed"]})
            resource, _ = self.schema(entry)
            for declared in resource.get("odp:index", []):
                declared = declared if isinstance(declared, list) else [declared]
                indexes = [[r[0] for r in db.execute("SELECT name FROM pragma_index_info(?) ORDER BY seqno", row)]
                           for row in db.execute("SELECT name FROM pragma_index_list(?)", (entry["collection"],)).fetchall()]
                self.assertTrue(any(i[:len(declared)] == declared for i in indexes), declared)

    # ---- geometry ---------------------------------------------------------------------------------------------------------------

    def test_boxes_hold_the_geometries(self):
        count = 0
        for entry, db, info in self.each():
            if not info["geometry"]:
                self.assertNotIn("geometry", self.records(entry)[0])
                continue
            geometry = quoted(info["geometry"]["name"])
            rtree = quoted(f"rtree_{entry['collection']}_{info['geometry']['name']}")
            boxes = {r[0]: r[1:] for r in db.execute(f"SELECT id, minx, miny, maxx, maxy FROM {rtree}")}
            shapes = {r[0] for r in db.execute(f"SELECT fid FROM {self.table(entry)} WHERE {geometry} NOT NULL")}
            self.assertEqual(info["geometry"]["bare"], info["rows"] - len(shapes))
            want, types = {}, set()
            for i, record in enumerate(self.records(entry), 1):
                if record["geometry"]:
                    xy = [(units(p[0]), units(p[1])) for p in points(record["geometry"]["coordinates"])]
                    want[i] = (min(x for x, _ in xy), min(y for _, y in xy), max(x for x, _ in xy), max(y for _, y in xy))
                    types.add(record["geometry"]["type"])
            self.assertEqual(set(boxes), set(want))
            for i, box in boxes.items():  # rounded outwards, by no more than 32 bits do
                for k, (edge, exact) in enumerate(zip(box, want[i])):
                    over = (edge * 1e7 - exact) * (1 if k > 1 else -1)
                    self.assertTrue(-1e-3 <= over <= 400, (i, box, want[i]))
            self.assertEqual(shapes, set(want))
            west, south, east, north = (f(b[k] for b in want.values()) for k, f in enumerate((min, min, max, max)))
            self.assertEqual([units(str(v)) for v in info["geometry"]["bbox"]], [west, south, east, north])
            bits = {"Point": 1, "MultiPoint": 2, "LineString": 4, "MultiLineString": 8, "Polygon": 16, "MultiPolygon": 32}
            self.assertEqual(info["geometry"]["types"], sum(bits[t] for t in types))
            count += 1
        self.assertEqual(count, 5)

    # ---- words ------------------------------------------------------------------------------------------------------------------

    def test_words_are_found(self):
        asked, without = 0, []
        for entry, db, info in self.each():
            names = [c["name"] for c in info["columns"]]
            text = [k for k, c in enumerate(info["columns"]) if c["text"]]
            labels = {(r[0], r[1]): [t for t in r[2:] if t] for r in db.execute("SELECT \"column\", code, id, en FROM odp_label")}
            self.assertEqual({n for n, _ in labels}, {c["name"] for c in info["columns"] if c["labels"]})
            self.assertEqual(text != [], db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'odp_words'").fetchone() == (1,))
            if not text:
                without.append(entry["slug"])
                continue
            words, pairs = {}, {}
            for row in db.execute(f"SELECT fid, {', '.join(quoted(names[k]) for k in text)} FROM {self.table(entry)}"):
                for k, value in zip(text, row[1:]):
                    for part in [value or ""] + labels.get((names[k], value), []):
                        found = tokens(part)
                        for word in found:
                            words.setdefault(word, set()).add(row[0])
                        for pair in zip(found, found[1:]):
                            pairs.setdefault(pair, set()).add(row[0])
            # Codes and their labels stand in one text: a phrase may go from one to the other, so only those are asked that lie within one.
            ask = lambda query: {r[0] for r in db.execute("SELECT rowid FROM odp_words WHERE odp_words MATCH ?", (query,))}
            some = sorted(words)[:: max(1, len(words) // 25)]
            for word in some:
                self.assertEqual(ask(f'"{word}"'), words[word], word)
                for n in (1, 2, 3, 4):
                    begin = word[:n]
                    self.assertEqual(ask(f'"{begin}"*'), set().union(*(ids for w, ids in words.items() if w.startswith(begin))), begin)
                asked += 5
            for pair in sorted(pairs)[:: max(1, len(pairs) // 15)]:
                self.assertLessEqual(pairs[pair], ask(f'"{pair[0]} {pair[1]}"'), pair)
                asked += 1
        self.assertGreater(asked, 2000)
        self.assertEqual(without, ["demografi-kumuh"])  # codes and figures, nothing else

    def test_diacritics(self):
        self.catalogue_of_two()
        db = sqlite3.connect(next((self.dir / "small/search/kota").rglob("*.sqlite")))
        ask = lambda query: [r[0] for r in db.execute("SELECT rowid FROM odp_words WHERE odp_words MATCH ? ORDER BY rowid", (query,))]
        for query, want in (("ete", [1]), ("\"été\"", [1]), ("ÉTÉ", [1]), ("nguyen", [2]), ("jalan", [1, 2]), ("\"jalan ete\"", [1]), ("ngu*", [2])):
            self.assertEqual(ask(query), want, query)
        db.close()

    def catalogue_of_two(self):
        if not (self.dir / "small").exists():
            self.case.catalogue(references=False)
            self.case.dataset("kota", "kode,nama\nk1,Jalan Été\nk2,\"Jalan \"\"Nguyễn\"\" Văn\"\n",
                              [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}], {"schema": {"primaryKey": ["kode"]}})
            self.case.odp("build", "--out", "small")

    # ---- columns that are no fields -----------------------------------------------------------------------------------------------

    def test_derived_columns(self):
        prefixes = taken = 0
        for entry, db, info in self.each():
            resource, fields = self.schema(entry)
            records = self.records(entry)
            names = [c["name"] for c in info["columns"]]
            self.assertEqual([c["of_record"] for c in info["columns"]], [True] * len(fields) + [False] * (len(names) - len(fields)))
            derived = {n: [] for n in names[len(fields):]}
            for queryable in resource.get("odp:queryables", []):
                name = queryable.get("name", queryable.get("take"))
                values = []
                if "take" in queryable:
                    target, local, remote = self.target(entry, resource, queryable["key"])
                    by_key = {tuple(r[n] for n in remote): r[queryable["take"]] for r in target}
                    values = [by_key.get(tuple(r[n] for n in local)) for r in records]
                    taken += 1
                else:
                    source = derived.get(queryable["field"]) or [r[queryable["field"]] for r in records]
                    values = [None if v is None else v[:queryable["prefix"]] for v in source]
                    prefixes += 1
                derived[name] = values
            timeline = resource.get("odp:timeline")
            if timeline:
                today = datetime.date.fromisoformat(info["last_update"])
                day = lambda v: v and datetime.date.fromisoformat(v)
                for r in records:
                    planned, actual = day(r[timeline["planned"]]), day(r[timeline["actual"]])
                    derived[timeline["date"]].append((actual or planned) and (actual or planned).isoformat())
                    late = None if planned is None else (actual - planned).days if actual else (today - planned).days
                    derived[timeline["delay"]].append(late if late is not None and (actual or late > 0) else None)
                self.assertEqual([names[info["timeline"][n]] for n in ("project", "milestone", "planned", "actual", "date", "delay")],
                                 [timeline[n] for n in ("project", "milestone", "planned", "actual", "date", "delay")])
                self.assertGreater(sum(v is not None and v > 0 for v in derived[timeline["delay"]]), 10)
            for name, values in derived.items():
                got = [r[0] for r in db.execute(f"SELECT {quoted(name)} FROM {self.table(entry)} ORDER BY fid")]
                self.assertEqual(got, values, name)
        self.assertGreater(prefixes, 8)
        self.assertEqual(taken, 3)

    def target(self, entry, resource, key):
        """The records that the foreign key KEY leads to, and its fields on both sides."""
        for foreign in resource["schema"]["foreignKeys"]:
            local = foreign["fields"] if isinstance(foreign["fields"], list) else [foreign["fields"]]
            if local == key:
                remote = foreign["reference"]["fields"]
                name = foreign["reference"]["resource"]
                target = next(e for e in self.listed if e["slug"] == entry["slug"] and (e["resource"] or e["slug"]) == name)
                return self.records(target), local, remote if isinstance(remote, list) else [remote]
        self.fail(key)

    def test_interval(self):
        for entry, db, info in self.each():
            if info["datetime"] is None:
                self.assertEqual((info["start"], info["end"]), (None, None))
                continue
            for k, (member, which) in enumerate((("start", "min"), ("end", "max"))):
                column = info["datetime"][k]
                value = db.execute(f"SELECT {which}({quoted(info['columns'][column]['name'])}) FROM {self.table(entry)}").fetchone()[0]
                self.assertEqual(stored(info["columns"][column]["type"], info[member]), value)

    def test_labels_are_those_of_the_catalogue(self):
        db = self.open(next(e for e in self.listed if e["collection"] == "kumuh"))
        labels = {(r[0], r[1]): r[2:] for r in db.execute("SELECT \"column\", code, id, en FROM odp_label")}
        self.assertEqual(labels["tingkat", "Berat"], ("Berat", "Severe"))
        rows = [r for year in (2022, 2025) for r in odp.read_csv(odp.SOURCE / f"catalog/references/kabkota/{year}.csv")]
        regencies = {r["kode"]: r["nama"] for r in rows}  # those of an edition that is gone, too
        seen = {code: text[0] for (name, code), text in labels.items() if name == "kode_kabkota"}
        self.assertEqual({code: name.upper() for code, name in seen.items()}, regencies)
        self.assertEqual(seen["31.71"], "Kota Administrasi Jakarta Pusat")
        self.assertEqual(labels["kode_provinsi", "31"], ("DKI Jakarta", ""))  # the prefix of a code is a code of its own list


if __name__ == "__main__":
    odp.main()
