"""odp:charts: the published figures, recomputed from the published records; pictures that are sound, the same in both languages' numbers, and listed."""
import datetime
import decimal
import hashlib
import json
import pathlib
import re
import xml.etree.ElementTree as xml

import odp
import readerlib
import workbooks

SVG = "{http://www.w3.org/2000/svg}"
SERIES_MOST, BARS_MOST, BINS_MOST, TASKS_MOST = 7, 60, 20, 30
D = decimal.Decimal
decimal.getcontext().prec = 60


def aggregate(how, values, places):
    """What VALUES come to, or None."""
    if how == "count":
        return D(len(values))
    if not values:
        return None
    if how == "sum":
        return sum(values, D(0))
    if how in ("min", "max"):
        return {"min": min, "max": max}[how](values)
    return (sum(values, D(0)) / len(values)).quantize(D(1).scaleb(-min(places + 2, 9)), decimal.ROUND_HALF_EVEN)


def number(text):
    return D(text).quantize(D("1E-9"), decimal.ROUND_HALF_EVEN)


class Charts(odp.Case):
    def charts(self, site, source):
        """(resource, chart as declared, chart as listed) of all charts of a site."""
        for resource in readerlib.resources(site):
            if resource.entry["kind"] == "code-list":  # without charts, and elsewhere in the catalogue
                self.assertNotIn("charts", resource.listed)
                continue
            path = pathlib.Path(source) / resource.slug / "dataset.json"
            package = odp.read_json(path)
            table = next(t for t in package["resources"] if t["name"] == resource.name)
            listed = {c["name"]: c for c in resource.listed.get("charts", [])}
            own = table.get("odp:charts", package.get("odp:charts") if resource.primary else None)
            declared = {c["name"]: c for c in (own if own is not None else [self.derived(resource, c) for c in listed.values()])}
            self.assertEqual(sorted(listed), sorted(declared), resource.slug)
            for name in declared:
                yield resource, declared[name], listed[name]

    def derived(self, resource, listed):
        """A chart that no catalogue declares, as one would: its figures say of which fields they are."""
        data = odp.read_json(self.file(resource, listed["data"]))
        fields = {"category": data["category"], "series": data["group"], "value": data.get("value")}
        if data["type"] == "histogram":
            fields["category"] = None
        chart = {"name": data["name"], "type": data["type"], "title": data["title"], "top": 12, **{k: v["field"] for k, v in fields.items() if v}}
        return chart if data["aggregate"] == "count" else {**chart, "aggregate": data["aggregate"]}

    def file(self, resource, url):
        path = resource.at(url)
        self.assertEqual(path.parent, (resource.site / f"data/{resource.slug}/{resource.version}/charts").resolve())
        return path

    def figures(self, resource, chart):
        """{(category, series): values} of the records."""
        names = [f["name"] for f in resource.fields]
        groups, places = {}, 0
        how = chart.get("aggregate") or ("sum" if "value" in chart else "count")
        for record in resource.records_of_api():
            values = dict(zip(names, record))
            if how == "count":
                value = D(1)
            elif values[chart["value"]] is None:
                continue
            else:
                value = number(values[chart["value"]])
                places = max(places, max(0, -value.normalize().as_tuple().exponent))
            key = (values[chart["category"]] if "category" in chart else None, values[chart["series"]] if chart.get("series") else None)
            groups.setdefault(key, []).append(value)
        return how, groups, places

    def check(self, resource, chart, listed):
        self.assertEqual((listed["type"], listed["title"]), (chart["type"], {k: chart["title"][k] for k in ("id", "en")} if isinstance(chart["title"], dict)
                         else listed["title"]))
        data = json.loads(self.file(resource, listed["data"]).read_text(), parse_float=D, parse_int=D)
        self.assertEqual((data["name"], data["type"]), (chart["name"], chart["type"]))
        self.assertEqual(sorted(data["alternative"]), ["en", "id"])
        others = {"map": self.check_map, "histogram": self.check_histogram, "gantt": self.check_gantt}
        if chart["type"] in others:
            return others[chart["type"]](resource, chart, data)
        how, groups, places = self.figures(resource, chart)
        rows = data["rows"]
        axis = next(f["type"] for f in resource.fields if f["name"] == chart["category"])
        line = chart["type"] == "line" and axis in ("date", "datetime", "year", "yearmonth", "number", "integer")
        ordinary = {c for c, _ in groups if not (line and c is None)}  # on an axis of time there is no place for null
        kept = {r["category"] for r in rows if "folded" not in r}
        self.assertTrue(kept)
        between = kept - ordinary  # a count by year has every year between the first and the last
        if between:
            self.assertEqual((how, axis), ("count", "year"))
            years = {int(c) for c in ordinary - {None}}
            self.assertLessEqual({int(c) for c in between}, set(range(min(years), max(years))))
            kept -= between
        self.assertEqual({r["folded"] for r in rows if "folded" in r}, {len(ordinary - kept)} - {0})
        self.assertLessEqual(len({r["series"] for r in rows}), SERIES_MOST + 1)
        series = {s for _, s in groups}
        rest = [r for r in rows if chart.get("series") and r["series"] is None and re.match("Lainnya|Sebelum", r["seriesLabel"]["id"])]
        kept_series = {r["series"] for r in rows if r not in rest}
        for row in rows:
            folded_category, folded_series = "folded" in row, row in rest
            values = [v for (c, s), vs in groups.items() for v in vs
                      if c in ordinary and ((c not in kept) if folded_category else c == row["category"])
                      and (not chart.get("series") or (s not in kept_series if folded_series else s == row.get("series")))]
            expected = aggregate(how, values, places)
            self.assertEqual(row["value"], expected, f"{resource.slug} {chart['name']}: {row}")
        # Nothing is left out: all cells together are the whole, where that means something.
        if how in ("sum", "count"):
            whole = sum((v for (c, _), vs in groups.items() for v in vs if not (line and c is None)), D(0))
            self.assertEqual(sum((r["value"] for r in rows if r["value"] is not None), D(0)), whole, chart["name"])
        # What is kept is what is largest.
        totals = {c: aggregate(how, [v for (k, _), vs in groups.items() for v in vs if k == c], places) for c in ordinary}
        if ordinary - kept and chart["type"] == "bar" and not chart.get("series"):
            least = min(abs(totals[c]) for c in kept if totals[c] is not None)
            self.assertEqual([(c, totals[c]) for c in ordinary - kept if abs(totals[c]) > least], [], f"{chart['name']}: kept {kept}")
            self.assertLessEqual(len(kept), chart.get("top", 12) or BARS_MOST)
        return data

    def check_map(self, resource, chart, data):
        """Each kind of symbol stands for so many records: those of the category, or those whose value is within the class."""
        names = [f["name"] for f in resource.fields]
        column = [r[names.index(chart.get("category") or chart["value"])] for r in resource.records_of_api()]
        if "category" in chart:
            kept = {r["category"] for r in data["rows"] if "folded" not in r}
            for row in data["rows"]:
                self.assertEqual(row["value"], sum(1 for c in column if (c not in kept if "folded" in row else c == row["category"])), row)
        else:
            classes = [(r["from"], r["to"]) for r in data["rows"]]
            self.assertEqual(classes, sorted(classes))
            for row in data["rows"]:
                self.assertEqual(row["value"], sum(1 for c in column if c is not None and row["from"] <= D(c) <= row["to"]), row)
        self.assertEqual(sum(r["value"] for r in data["rows"]), sum(1 for c in column if c is not None or "category" in chart))
        return data

    def check_histogram(self, resource, chart, data):
        """Every value is in one class, and the classes follow each other; the outer ones may be open."""
        column = [D(r[[f["name"] for f in resource.fields].index(chart["value"])]) for r in resource.records_of_api()
                  if r[[f["name"] for f in resource.fields].index(chart["value"])] is not None]
        rows = data["rows"]
        self.assertLessEqual(len(rows), BINS_MOST)
        for i, row in enumerate(rows):
            below = i > 0 and row["from"]
            above = i + 1 < len(rows) and rows[i + 1]["from"]
            self.assertEqual(row["value"], sum(1 for v in column if (i == 0 or v >= below) and (i + 1 == len(rows) or v < above)), row)
        self.assertEqual(sum(r["value"] for r in rows), len(column))
        return data

    def check_gantt(self, resource, chart, data):
        """The projects with most days late, whole: their milestones by the planned day."""
        projects = {}
        names = [f["name"] for f in resource.fields]
        for record in resource.records_of_api():
            values = dict(zip(names, record))
            planned, actual = values["tanggal_rencana"], values["tanggal_aktual"]
            late = (datetime.date.fromisoformat(actual) - datetime.date.fromisoformat(planned)).days if actual else None
            projects.setdefault(values["id_proyek"], []).append((planned, actual, late))
        worst = sorted(projects.items(), key=lambda p: (-sum(max(t[2] or 0, 0) for t in p[1]), p[0]))
        expected = []
        for project, tasks in worst:
            if expected and len(expected) + len(tasks) > TASKS_MOST:
                break
            expected += [(project, *t) for t in sorted(tasks, key=lambda t: (t[0], t[2] is not None, -(t[2] or 0)))]
        self.assertEqual([(r["series"], r["planned"], r["actual"], r["value"] if r["value"] is None else int(r["value"])) for r in data["rows"]], expected)
        names = {row["id_proyek"]: row["nama_proyek"] for row in odp.read_json(resource.site / "v1/proyek.json")["data"]}
        self.assertEqual([r["seriesLabel"]["id"] for r in data["rows"]], [names[r["series"]] for r in data["rows"]])
        return data

    def pictures(self, resource, chart, listed, data):
        """All pictures: well-formed, with title and description inside, no script, nothing fetched, every line of text as long as it is in our font."""
        for form, lang in ((f, l) for f in ("svg", "narrow") for l in ("id", "en")):
            self.assertEqual(sorted(listed[form]), ["en", "id"])
            path = self.file(resource, listed[form][lang])
            text = path.read_text()
            root = xml.fromstring(text)
            self.assertEqual((root.tag, root.get("role")), (SVG + "svg", "img"))
            title, description = root.find(SVG + "title").text, root.find(SVG + "desc").text
            if isinstance(chart["title"], dict):
                self.assertEqual(title, chart["title"][lang])
            self.assertEqual(readerlib.squeezed(description), readerlib.squeezed(data["alternative"][lang]))
            self.assertEqual({e.tag.partition("}")[2] for e in root.iter()} & {"script", "image", "foreignObject", "a", "animate"}, set())
            self.dark(text)
            self.assertNotRegex(text, r"(href|src)\s*=\s*[\"'](?!#)|url\((?!#)|@import|<!ENTITY|@font-face|\son[a-z]+=")
            self.assertTrue(all(float(e.get("textLength")) > 0 and e.text for e in root.iter(SVG + "text")))
            ids = [e.get("id") for e in root.iter() if e.get("id")]
            self.assertEqual(len(ids), len(set(ids)))
            used = {v[1:] for e in root.iter() for k, v in e.attrib.items() if k.rpartition("}")[2] == "href"} | set(re.findall(r"url\(#([^)]+)\)", text))
            self.assertLessEqual(used, set(ids))
            self.assertTrue(all(re.match("M|$", e.get("d")) for e in root.iter(SVG + "path")))
            self.assertRegex(root.get("viewBox"), r"^0 0 [0-9.]+ [0-9.]+$")
            box = [float(v) for v in root.get("viewBox").split()]
            self.assertTrue(190 < box[2] < 2000 and 50 < box[3] < 2000, box)
            self.assertNotRegex(text, r"(?i)\b(nan|inf)\b")
        self.assertEqual(len(re.findall("<path|<rect|<circle|<line", resource.at(listed["svg"]["id"]).read_text())) > 2, True)

    def dark(self, text):
        """Every colour of the picture has another in the dark."""
        head, _, rest = text.partition("<style>")
        style, _, rest = rest.partition("</style>")
        self.assertIn("@media(prefers-color-scheme:dark)", style)
        for place, color in set(re.findall(r'(fill|stroke)="(#[0-9a-f]{6})"', rest)):
            self.assertRegex(style, rf'\[{place}="{color}"\]\{{{place}:#[0-9a-f]{{6}}\}}')

    def alternative(self, data, how):
        """The sentences name the largest figure that the picture shows; numbers in them are written as the language does."""
        for lang, (group, point) in {"id": (".", ","), "en": (",", ".")}.items():
            text = data["alternative"][lang]
            self.assertGreater(len(text), 20)
            for found in re.findall(r"[0-9][0-9.,]*[0-9]", text):
                self.assertRegex(found, rf"^[0-9]{{1,3}}(\{group}[0-9]{{3}})*(\{point}[0-9]+)?$|^[0-9]+(\{point}[0-9]+)?$|^[0-9]{{4}}-|^[0-9.]+$")
        self.assertNotEqual(data["alternative"]["id"], data["alternative"]["en"])


class Example(Charts):
    @classmethod
    def setUpClass(cls):
        cls.site = odp.example_site()

    def test_figures_are_those_of_the_records(self):
        types = set()
        for resource, chart, listed in self.charts(self.site, odp.SOURCE / "catalog"):
            data = self.check(resource, chart, listed)
            self.pictures(resource, chart, listed, data)
            self.alternative(data, chart.get("aggregate"))
            types.add(chart["type"])
        self.assertEqual(types, {"bar", "line", "stacked", "map", "histogram", "gantt"})

    def test_the_manifest_knows_them(self):
        manifest = {f["path"]: f for f in odp.read_json(self.site / "manifest.json")["files"]}
        found = [p.relative_to(self.site) for p in self.site.glob("data/*/2*/charts/*") if p.suffix in (".svg", ".json")]
        self.assertGreater(len(found), 5)
        for path in found:
            entry = manifest[str(path)]
            self.assertEqual((entry["class"], entry["sha256"]), ("public", hashlib.sha256((self.site / path).read_bytes()).hexdigest()))
            control = next(line for line in (self.site / "control").read_text().splitlines() if line.split("\t")[0].lstrip("/") == str(path) or f"{path}" in line)
            self.assertIn("image/svg+xml" if path.suffix == ".svg" else "application/json", control)


class Made(Charts):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.fields = [{"name": "id", "type": "integer"}, {"name": "jenis", "type": "string"}, {"name": "tahun", "type": "year"}, {"name": "tanggal", "type": "date"},
                       {"name": "nilai", "type": "number", "sdi:satuan": {"id": "rupiah", "en": "rupiah"}}, {"name": "bagian", "type": "string"}]

    def rows(self, n):
        kinds = ["A", "B & <C>", "Ünïcode", "D", "", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "'kutip\"", "lainnya"]
        found = []
        for i in range(n):
            k = i * i % 89
            found.append([i + 1, kinds[k % len(kinds)], str(2015 + i % 9) if i % 31 else "", f"20{15 + i % 9}-{1 + i % 12:02d}-15", ("" if i % 13 == 0 else f"{k * 1000 + i / 8}"
                          if i % 7 else f"-{k}.125"), "abcdefghij"[i % 10]])
        return found

    def make(self, charts, rows, formats=("CSV", "PDF")):
        own = {"schema": {"primaryKey": ["id"]}, **({"odp:charts": charts} if charts else {})}
        self.dataset("grafik", workbooks.table([f["name"] for f in self.fields], rows), self.fields, own, **{"odp:formats": list(formats)})

    ALL = [{"name": "per-jenis", "type": "bar", "title": {"id": "Per jenis", "en": "By kind"}, "category": "jenis", "value": "nilai"},
           {"name": "hitung", "type": "bar", "title": {"id": "Banyaknya", "en": "How many"}, "category": "jenis", "top": 5},
           {"name": "rerata", "type": "bar", "title": {"id": "Rerata", "en": "Mean"}, "category": "bagian", "value": "nilai", "aggregate": "mean"},
           {"name": "terkecil", "type": "bar", "title": {"id": "Terkecil", "en": "Least"}, "category": "bagian", "value": "nilai", "aggregate": "min", "sort": "category"},
           {"name": "terbesar", "type": "bar", "title": {"id": "Terbesar", "en": "Greatest"}, "category": "jenis", "value": "nilai", "aggregate": "max", "top": 3},
           {"name": "per-tahun", "type": "line", "title": {"id": "Per tahun", "en": "By year"}, "category": "tahun", "value": "nilai"},
           {"name": "per-tanggal", "type": "line", "title": {"id": "Per tanggal", "en": "By date"}, "category": "tanggal", "value": "nilai", "series": "bagian"},
           {"name": "tumpuk", "type": "stacked", "title": {"id": "Bertumpuk", "en": "Stacked"}, "category": "tahun", "value": "nilai", "series": "bagian"},
           {"name": "tumpuk-hitung", "type": "stacked", "title": {"id": "Bertumpuk, banyaknya", "en": "Stacked, how many"}, "category": "jenis", "series": "tahun"}]

    def test_every_type_and_aggregate(self):
        self.make(self.ALL, self.rows(3000))
        self.odp("build", *workbooks.TODAY)
        seen = 0
        for resource, chart, listed in self.charts(self.dir / "build/site", self.dir / "catalog"):
            self.pictures(resource, chart, listed, self.check(resource, chart, listed))
            seen += 1
        self.assertEqual(seen, len(self.ALL))

    def test_order_threads_and_slices_do_not_show(self):
        """Sums are exact: the same bytes whatever the order of the records, the batches and the threads."""
        rows = self.rows(9000)
        self.make(self.ALL, rows, ["CSV"])
        digests = []
        for n, env in enumerate(({"LC_ALL": "C"}, {"LC_ALL": "id_ID.UTF-8", "TZ": "Asia/Jayapura"}, {})):
            if n == 2:
                odp.shutil.rmtree(self.dir / "catalog/grafik")
                self.make(self.ALL, rows[::-1], ["CSV"])
            self.odp("build", *workbooks.TODAY, "--jobs", 1 + n, "--out", f"site{n}", env=env)
            digests.append(odp.digests(self.dir / f"site{n}/data/grafik/2024-03-15/charts"))
        self.assertEqual(digests[0], digests[1])
        self.assertEqual(digests[0], digests[2])
        self.assertGreaterEqual(len(digests[0]), 5 * len(self.ALL))

    def test_nothing_to_draw(self):
        """No record, or none with a value: figures and sentences are there, and nobody fails."""
        self.make(self.ALL, [[1, "A", "", "", "", ""]])
        self.odp("build", *workbooks.TODAY, expect=0)
        odp.shutil.rmtree(self.dir / "catalog/grafik")
        self.make(self.ALL, [])
        self.odp("build", *workbooks.TODAY, "--out", "kosong", expect=None)
        for site in ("build/site", "kosong"):
            for resource in readerlib.resources(self.dir / site):
                for listed in resource.listed.get("charts", []):
                    data = json.loads(resource.at(listed["data"]).read_text())
                    self.assertTrue(data["alternative"]["id"])
                    for url in listed["svg"].values():
                        xml.fromstring(resource.at(url).read_text())

    def test_private_fields_are_in_no_picture(self):
        self.fields.append({"name": "rahasia", "type": "string", "sdi:aksesPublik": False})
        self.make(self.ALL[:2], [[*r, f"RAHASIA-{r[0]:05d}"] for r in self.rows(200)])
        self.odp("build", *workbooks.TODAY)
        for path in (self.dir / "build/site").rglob("*"):
            if path.is_file() and path.suffix in (".svg", ".json"):
                self.assertNotIn(b"RAHASIA", path.read_bytes(), path)

    def test_charts_do_not_make_a_version(self):
        """A chart that is declared later comes beside the published version."""
        self.make(None, self.rows(100))
        self.odp("build", *workbooks.TODAY)
        before = odp.digests(self.dir / "build/site/data/grafik/2024-03-15")
        odp.shutil.rmtree(self.dir / "catalog/grafik")
        self.make(self.ALL[:1], self.rows(100))
        self.release("2.5.1")
        self.odp("build", *workbooks.TODAY)
        after = odp.digests(self.dir / "build/site/data/grafik/2024-03-15")
        self.assertEqual({p: d for p, d in after.items() if p in before and p.startswith("grafik.")}, {p: d for p, d in before.items() if p.startswith("grafik.")})
        [name] = [p for p in after if p.startswith("charts/per-jenis") and p.endswith(".en.svg") and ".narrow" not in p]
        self.assertRegex(name, r"^charts/per-jenis-[0-9a-f]{8}\.en\.svg$")
        self.odp("verify")


if __name__ == "__main__":
    odp.main()
