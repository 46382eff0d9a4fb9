"""500 random questions (ODP_QUESTIONS, ODP_QUESTIONS_SEED) over all tables of the example, asked of the API over HTTP, of the page, and of the published files
(askinglib): the same counts, sums, averages, extremes, groups, facets, first and last rows."""
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import urllib.parse

import askinglib
import gatewaylib
import odp
import portallib

COUNT = int(os.environ.get("ODP_QUESTIONS", 500))
SEED = int(os.environ.get("ODP_QUESTIONS_SEED", 30))


class Api:
    """Asks a gateway, on one connection."""

    def __init__(self, gateway):
        self.connection, self.key = gatewaylib.Connection(gateway.port), gateway.create_key()

    def get(self, table, **parameters):
        path = f"/v1/{table.path}?{urllib.parse.urlencode({'skipGeometry': 'true', **parameters} if 'limit' in parameters else parameters)}"
        got = self.connection.get(path, self.key, headers=["Accept: application/json"])
        if got.status != 200:
            raise AssertionError(f"{path}: {got.status} {got.body.decode()}")
        return json.loads(got.body, parse_float=str, parse_int=str)

    def rows(self, table, limit, offset, asked):
        found = self.get(table, limit=limit, offset=offset, **asked)
        return int(found["meta"]["total"]), [[askinglib.text_of(r[n]) for n in table.fields] for r in found["data"]]

    def answer(self, table, question):
        asked = {**askinglib.address(table, question), **askinglib.sortby(question)}
        matched, first = self.rows(table, askinglib.FIRST, 0, asked)
        _, last = self.rows(table, askinglib.LAST, max(0, matched - askinglib.LAST), asked)
        wanted = ",".join(f"{a['fn']}({a.get('field', '')})" for a in question["aggregate"])
        by = {"groupby": ",".join(question["groupby"])} if question["groupby"] else {}
        grouped = self.get(table, aggregate=wanted, **by, **askinglib.address(table, question))
        names = [askinglib.aggregate_name(a) for a in question["aggregate"]]
        facets = {}
        for name in question["facets"]:
            (facet,) = self.get(table, facets=name, **askinglib.address(table, question, name))["data"]
            facets[name] = {"values": [[askinglib.text_of(v["value"]), int(v["count"])] for v in facet["values"]], "more": facet["more"]}
        return {"matched": matched, "first": first, "last": last, "facets": facets,
                "groups": [[*(askinglib.text_of(g[n]) for n in question["groupby"]),
                            *(askinglib.value_of(table, a, askinglib.text_of(g[n])) for a, n in zip(question["aggregate"], names))] for g in grouped["data"]]}


class Questions:
    """What all who are asked share: SELF.tables, SELF.questions."""

    def make(self, site, count, slugs=None):
        print(f"{count} questions, seed {SEED}", file=sys.stderr)
        self.tables = askinglib.tables(site, slugs)
        self.questions = askinglib.made(random.Random(SEED), self.tables, count)

    def agree(self, who, answers):
        """ANSWERS, one a question, are those of the files."""
        wrong = []
        for (table, question), found in zip(self.questions, answers, strict=True):
            for part, value in askinglib.answer(table, question).items():
                if found[part] != value:
                    wrong.append(f"{who}: {part}: {short(found[part])}\nthe file: {short(value)}\n{json.dumps(question, ensure_ascii=False)}\n"
                                 f"/v1/{table.path}?{urllib.parse.urlencode(askinglib.address(table, question))}")
                    break
        if wrong:
            self.fail(f"{len(wrong)} of {len(self.questions)}:\n" + "\n\n".join(wrong[:5]))

    def job(self, site, **more):
        """What tests/portal_js/asking.mjs and the browser are told."""
        path = self.dir / "questions.json"
        path.write_text(json.dumps({"site": str(site.resolve()), "tables": {t.path: askinglib.config_of(site, t) for t in self.tables}, "first": askinglib.FIRST,
                                    "last": askinglib.LAST, "questions": [question for _, question in self.questions], **more}))
        return path

    def modules(self, site):
        """The page's modules in Node.js: they answer as the file does, and an address says all of a question."""
        if shutil.which("node") is None:
            self.skipTest("Node.js is not installed")
        done = subprocess.run(["node", odp.SOURCE / "tests/portal_js/asking.mjs", self.job(site)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        found = [json.loads(line) for line in done.stdout.splitlines()]
        self.agree("the page's modules", [askinglib.understood(*asked, answer) for asked, answer in zip(self.questions, found, strict=True)])
        for (_, question), answer in zip(self.questions, found):
            whole = {name: value for name, value in question.items() if name not in ("table", "facets")}
            self.assertEqual(answer["back"], [{"question": {**whole, "groupby": [], "aggregate": []}, "left": []}, {"question": {**whole, "sortby": []}, "left": []}])
        return found


class Modules(odp.Case, Questions):
    """A part of it, quickly: the page's modules and the files."""

    def test_answer_as_the_files_do(self):
        site = odp.example_site()
        slugs = random.Random(SEED).sample([e["slug"] for e in odp.read_json(site / "v1/index.json")["data"]], 7)
        self.make(site, min(COUNT, 50), {"kumuh", *slugs})
        self.modules(site)


class Asking(portallib.Case, Questions):
    def setUp(self):
        super().setUp()
        self.make(self.site, COUNT)

    def test_files_of_a_table_are_one_table(self):
        """CSV, JSON and GeoJSON have the same records in the same order."""
        for table in self.tables:
            for kind, records in table.every.items():
                self.assertEqual([[r[n] for n in table.fields] for r, _ in records], [[r[n] for n in table.fields] for r, _ in table.records], (table.path, kind))

    def api(self):
        api = Api(self.gateway)
        self.addCleanup(api.connection.close)
        return api

    def test_the_api_answers_as_the_file_does(self):
        api = self.api()
        self.agree("the API", (api.answer(*asked) for asked in self.questions))

    def test_the_page_answers_as_the_file_does(self):
        """Its modules; and what it writes into an address means the same to the API."""
        api = self.api()
        for (table, question), found in zip(self.questions, self.modules(self.site)):
            matched, first = api.rows(table, askinglib.FIRST, 0, dict(found["address"]))
            self.assertEqual((matched, first), (found["matched"], [r[:len(table.fields)] for r in found["first"]]), question)
            names = [*question["groupby"], *map(askinglib.aggregate_name, question["aggregate"])]
            groups = [[askinglib.text_of(g[n]) for n in names] for g in api.get(table, **dict(found["grouped"]))["data"]]
            self.assertEqual(groups, found["groups"]["rows"], question)

    def understood(self, answers):
        return [askinglib.understood(*asked, answer) for asked, answer in zip(self.questions, answers, strict=True)]

    def test_the_worker_answers_as_the_file_does(self):
        """In Chromium, from a static host: from the published file, and from the query index by parts."""
        found = self.node("flows.mjs", "askWorker", self.job(self.site), timeout=900)
        self.assertEqual(found["modes"], {"file": COUNT})
        self.agree("the worker", self.understood(found["answers"]))
        found = self.node("flows.mjs", "askWorker", self.job(self.site, indexes=self.indexes()), timeout=900)
        self.assertEqual(found["modes"], {"index": COUNT})
        answers = self.understood(found["answers"])
        told = 0
        for (table, question), answer in zip(self.questions, answers, strict=True):
            for name, counted in answer["facets"].items():  # None: counting would have moved too much
                told += counted is not None
                answer["facets"][name] = counted or askinglib.answer(table, question)["facets"][name]
        self.assertGreater(told, COUNT // 4)
        self.agree("the worker with the index", answers)

    def indexes(self):
        listed = {(r["slug"], r["resource"]): r["file"] for r in odp.read_json(self.site / "search/index.json")["resources"]}
        paths = {t.path: listed[t.slug, None if t.path == t.slug else t.name] for t in self.tables}
        return {name: {"path": path, "bytes": (self.site / path).stat().st_size} for name, path in paths.items()}

    def test_the_page_shows_what_the_file_has(self):
        """The page itself, by addresses: how many match, and the first records."""
        jobs = collections.defaultdict(list)
        for (table, question), found in zip(self.questions[:100], self.modules(self.site)):
            jobs[table.slug, table.path].append((urllib.parse.urlencode([*map(tuple, found["address"]), *([("table", table.name)] if "/" in table.path else [])]),
                                                 found["matched"], json.dumps(question)))
        path = self.dir / "jobs.json"
        path.write_text(json.dumps([{"path": f"katalog/{slug}/index.html", "asks": [ask for ask, *_ in asks]} for (slug, _), asks in jobs.items()]))
        for asks, answers in zip(jobs.values(), self.node("flows.mjs", "exploreAnswers", path, timeout=900), strict=True):
            self.assertEqual([(question, answer["matched"]) for (_, _, question), answer in zip(asks, answers, strict=True)], [(question, n) for _, n, question in asks])


def short(value):
    text = repr(value)
    return text if len(text) < 1500 else text[:1500] + "…"


if __name__ == "__main__":
    odp.main()
