"""Facets, aggregates and the gantt view of the example's indexes against the same computed here, from the static pages, with exact fractions."""
import collections
import csv
import datetime
import decimal
import fractions
import io
import json
import re
import urllib.parse

import odp
import query_static

decimal.getcontext().prec = 60


def pages(site, slug, resource):
    return [json.loads(r, parse_float=decimal.Decimal) for r in query_static.pages(site, slug, resource)]


def rounded(value, places):
    """VALUE (a fraction) half even, without zeros at its end."""
    return decimal.Decimal(round(value * 10 ** places)) / 10 ** places


def scale(values):
    return max((max(0, -decimal.Decimal(v).normalize().as_tuple().exponent) for v in values), default=0)


def instant(value):
    """A datetime in UTC; all else as it is."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+([+-]\d\d:\d\d|Z)", value):
        return datetime.datetime.fromisoformat(value).astimezone(datetime.timezone.utc).isoformat()
    return value


def by_value(value):
    """Order of the engine: null last, texts by bytes, false before true."""
    return (value is None, value.encode() if isinstance(value, str) else value if value is not None else 0)


class Views(odp.Case):
    @classmethod
    def setUpClass(cls):
        cls.site = odp.example_site().resolve()
        cls.indexes = query_static.indexes(cls.site)

    def ask_all(self, index, *questions):
        """Answers to QUESTIONS, (form, parameters): one process for all of them."""
        lines = [(form, urllib.parse.urlencode(parameters)) for form, parameters in questions]
        bodies = query_static.ask(index, *lines, options=("--page", "1000", "--page-max", "1000"))
        return [json.loads(body, parse_float=decimal.Decimal) if form == "envelope" else list(csv.DictReader(io.StringIO(body.decode(), newline="")))
                for (form, _), body in zip(lines, bodies, strict=True)]

    def ask(self, index, form, **parameters):
        return self.ask_all(index, (form, parameters))[0]

    def plain_fields(self, records):
        """Names of the columns whose values are no lists or objects."""
        return [n for n in records[0] if n != "geometry" and not any(isinstance(r[n], (list, dict)) for r in records)]

    def check_facets(self, index, records):
        fields = self.plain_fields(records)
        lists = [fields[at:at + 10] for at in range(0, len(fields), 10)]
        for some, answer in zip(lists, self.ask_all(index, *(("envelope", {"facets": ",".join(some)}) for some in lists)), strict=True):
            self.assertEqual([f["facet"] for f in answer["data"]], some)
            self.assertEqual(answer["meta"]["total"], len(records))
            for facet in answer["data"]:
                first, counts = {}, collections.Counter()
                for record in records:  # equal instants and numbers are one value, as the first record has it
                    value = record[facet["facet"]]
                    first.setdefault(instant(value), value)
                    counts[instant(value)] += 1
                expected = [(first[v], n) for v, n in sorted(counts.items(), key=lambda c: (-c[1], by_value(c[0])))]
                self.assertEqual([(v["value"], v["count"]) for v in facet["values"]], expected[:100], (index.name, facet["facet"]))
                self.assertEqual(facet["more"], len(expected) > 100)
                self.facets += 1

    def check_aggregates(self, index, records):
        numbers = [n for n in self.plain_fields(records) if any(isinstance(r[n], (int, decimal.Decimal)) and not isinstance(r[n], bool) for r in records)]
        schema = json.loads((index.parents[3] / "data" / index.parents[1].name / index.parent.name / "schema.json").read_bytes())
        numbers = [f["name"] for f in schema["fields"] if f["name"] in numbers and f["type"] in ("number", "integer")]
        groups = [n for n in self.plain_fields(records) if isinstance(records[0][n], str) and len({r[n] for r in records}) < 40][:2]
        if not numbers:
            return
        asked = [(group, name, {"aggregate": f"sum({name}),avg({name}),min({name}),max({name}),count()", **({"groupby": ",".join(group)} if group else {})})
                 for group in ([], groups[:1], groups) for name in numbers]
        answers = self.ask_all(index, *(("envelope", p) for _, _, p in asked), *(("csv", p) for _, _, p in asked))
        for (group, name, parameters), answer, table in zip(asked, answers, answers[len(asked):], strict=False):
            self.check_groups(records, group, name, answer["data"], table, (index.name, parameters))

    def check_groups(self, records, group, name, answer, table, what):
        members, places = collections.defaultdict(list), scale([r[name] for r in records if r[name] is not None]) + 6
        for r in records:
            members[tuple(r[g] for g in group)].append(r[name])
        keys = sorted(members, key=lambda k: [by_value(v) for v in k])
        self.assertEqual([tuple(a[g] for g in group) for a in answer], keys, what)
        for a, line, key in zip(answer, table, keys, strict=True):
            values = [v for v in members[key] if v is not None]
            total = sum(fractions.Fraction(v) for v in values)
            expected = {"count": len(members[key]), f"sum_{name}": None, f"avg_{name}": None, f"min_{name}": None, f"max_{name}": None}
            if values:
                expected.update({f"sum_{name}": total, f"avg_{name}": fractions.Fraction(rounded(total / len(values), places)),
                                 f"min_{name}": min(values), f"max_{name}": max(values)})
            for member, value in expected.items():
                self.assertEqual(a[member] if a[member] is None else fractions.Fraction(a[member]), value, (what, key, member))
                self.assertEqual(line[member], "" if a[member] is None else str(a[member]))
            self.groups += 1

    def test_facets_and_aggregates_of_every_dataset(self):
        self.facets = self.groups = 0
        for (slug, resource), index in self.indexes.items():
            records = pages(self.site, slug, resource)
            self.check_facets(index, records)
            if resource is None:
                self.check_aggregates(index, records)
        self.assertGreater(self.facets, 150)
        self.assertGreater(self.groups, 500)

    def test_gantt(self):
        index = self.indexes["proyek", "timeline"]
        projects = {r["id_proyek"]: r for r in pages(self.site, "proyek", None)}
        milestones = collections.defaultdict(list)
        today = datetime.date(2024, 3, 15)
        day = datetime.date.fromisoformat
        for r in pages(self.site, "proyek", "timeline"):
            r["date"] = r["tanggal_aktual"] or r["tanggal_rencana"]
            late = (day(r["tanggal_aktual"]) if r["tanggal_aktual"] else today) - day(r["tanggal_rencana"])
            r["delay_days"] = late.days if r["tanggal_aktual"] or late.days > 0 else None
            milestones[r.pop("id_proyek")].append(r)
        found, cursor = [], {}
        while True:
            body = query_static.ask(index, ("envelope", urllib.parse.urlencode({"view": "gantt", "limit": 170, **cursor})),
                                    options=("--page-max", "1000"))[0]
            answer = json.loads(body, parse_float=decimal.Decimal)
            self.assertEqual(answer["meta"]["total"], len(milestones))
            found += answer["data"]
            following = answer["links"]["next"]
            if following is None:
                break
            cursor = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(following).query))
        self.assertEqual([p["id_proyek"] for p in found], sorted(milestones))
        for entry in found:
            own, project = milestones[entry["id_proyek"]], projects[entry["id_proyek"]]
            days = [d for m in own for d in (m["tanggal_rencana"], m["tanggal_aktual"]) if d]
            late = [(m["tanggal_rencana"], m["delay_days"]) for m in own if m["delay_days"] is not None]
            self.assertEqual(entry, {"id_proyek": entry["id_proyek"], "nama_proyek": project["nama_proyek"], "kode_kabkota": project["kode_kabkota"],
                                     "kode_provinsi": project["kode_kabkota"][:2], "status": project["status"], "start": min(days), "end": max(days),
                                     "delay_days": max(late)[1] if late else None, "milestones": sorted(own, key=lambda m: m["date"])})
        self.assertGreater(len(found), 300)

    def test_gantt_filters(self):
        index = self.indexes["proyek", "timeline"]
        whole = {p["id_proyek"]: p for p in self.ask(index, "envelope", view="gantt", limit=1000)["data"]}
        state = min(p["status"] for p in whole.values())
        for parameters, matches in (({"status": state}, lambda p, m: p["status"] == state),
                                    ({"kode_provinsi": "32"}, lambda p, m: p["kode_provinsi"] == "32"),
                                    ({"datetime": "2023-06-01/2023-06-30"}, lambda p, m: "2023-06-01" <= m["date"] <= "2023-06-30"),
                                    ({"filter": "bobot > 20"}, lambda p, m: m["bobot"] > 20)):
            expected = []
            for project in whole.values():
                shown = [m for m in project["milestones"] if matches(project, m)]
                if shown:
                    expected.append({**project, "milestones": shown})
            answer = self.ask(index, "envelope", view="gantt", limit=1000, **parameters)
            self.assertEqual(answer["data"], expected, parameters)
            self.assertTrue(expected, parameters)
            table = self.ask(index, "csv", view="gantt", limit=1000, **parameters)
            self.assertEqual([(r["id_proyek"], r["urutan"], r["date"]) for r in table],
                             [(p["id_proyek"], str(m["urutan"]), m["date"]) for p in expected for m in p["milestones"]])


if __name__ == "__main__":
    odp.main()
