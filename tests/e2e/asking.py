"""500 random questions (ODP_QUESTIONS, ODP_QUESTIONS_SEED) over all tables of the example, asked of the API over HTTP, of the page, and of the published files
(askinglib): the same counts, sums, averages, extremes, groups, facets, first and last rows."""
import json
import os
import random
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


class Asking(portallib.Case):
    def setUp(self):
        super().setUp()
        print(f"{COUNT} questions, seed {SEED}", file=sys.stderr)
        self.tables = askinglib.tables(self.site)
        self.questions = askinglib.made(random.Random(SEED), self.tables, COUNT)

    def agree(self, table, question, found, expected, who):
        for part, value in expected.items():
            if found[part] != value:
                raise AssertionError(f"{who}: {part}: {short(found[part])}\nthe file: {short(value)}\n{json.dumps(question, ensure_ascii=False)}\n"
                                     f"/v1/{table.path}?{urllib.parse.urlencode(askinglib.address(table, question))}")

    def test_files_of_a_table_are_one_table(self):
        """CSV, JSON and GeoJSON have the same records in the same order."""
        for table in self.tables:
            for kind, records in table.every.items():
                self.assertEqual([[r[n] for n in table.fields] for r, _ in records], [[r[n] for n in table.fields] for r, _ in table.records], (table.path, kind))

    def test_the_api_answers_as_the_file_does(self):
        api, wrong = Api(self.gateway), []
        self.addCleanup(api.connection.close)
        for table, question in self.questions:
            try:
                self.agree(table, question, api.answer(table, question), askinglib.answer(table, question), "the API")
            except AssertionError as e:
                wrong.append(str(e))
        if wrong:
            self.fail(f"{len(wrong)} of {len(self.questions)}:\n" + "\n\n".join(wrong[:5]))


def short(value):
    text = repr(value)
    return text if len(text) < 1500 else text[:1500] + "…"


if __name__ == "__main__":
    odp.main()
