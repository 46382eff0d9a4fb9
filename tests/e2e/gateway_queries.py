"""Queries over HTTP, from the real service on its socket: every dataset of the example, searches, single records, faults in both languages, tags and
memory, limits, and a reader who pages while the site is switched. nginx does not run here (query_routing.py is about that)."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse

import gatewaylib
import odp
from gatewaylib import wait_for
from gatewayshimlib import Client

ACCOUNT = ("X-Odp-Account: 1", "X-Odp-Tier: government")


class Service(gatewaylib.Gateway):
    """The service alone."""

    def command_line(self):
        return [*super().command_line(), "--nginx", "off"]

    def wait_ready(self):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"serve ended with {self.process.returncode}:\n{self.log_text()[-4000:]}")
            try:
                return self.metrics_get("/healthz").status == 200 and self.ask("/v1/-").status == 404
            except OSError:
                return False
        wait_for("the service", ready)

    def client(self, name="query"):
        return Client(self.state / "run" / f"{name}.sock")

    def ask(self, path, method="GET", headers=ACCOUNT, body=b"", name="query"):
        connection = self.client(name)
        try:
            return connection.get(path, method=method, headers=["Connection: close", *headers], body=body)
        finally:
            connection.close()

    def post(self, path, document, headers=ACCOUNT):
        return self.ask(path, "POST", (*headers, "Content-Type: application/json"), json.dumps(document).encode())

    def serving(self):
        return re.findall(r"info site: ([0-9a-f]{64})", self.log_text())[-1:]


class Queries(odp.Case):
    @classmethod
    def setUpClass(cls):
        cls.example = odp.example_site()
        cls.list = odp.read_json(cls.example / "search" / "index.json")

    def start(self, *options, site=None, state="state"):
        service = Service(site or self.example, self.dir / state, *options)
        self.addCleanup(service.destroy)
        return service.start()

    def finish(self, service):
        """It ends well, and no sanitizer had anything to say."""
        self.assertEqual(service.stop(), 0, service.log_text()[-3000:])
        self.assertNotRegex(service.log_text(), r"(?i)sanitizer|runtime error|segmentation")

    def problem(self, answer, status, code):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.all("content-type"), ["application/problem+json"], answer)
        document = answer.json()
        self.assertEqual((document["status"], document["code"]), (status, code), document)
        self.assertTrue(document["type"].endswith("galat/" + code), document)
        self.assertEqual(answer.get("cache-control"), "no-store")
        return document

    def pages(self, service, address, step=None):
        """All records from ADDRESS on, following next; STEP is called after each page with its number."""
        records, n, connection = [], 0, service.client()
        while address:
            answer = connection.get(address, headers=ACCOUNT)
            self.assertEqual(answer.status, 200, answer)
            document = answer.json()
            records += document.get("data", document.get("features"))
            links = document["links"]
            following = links.get("next") if isinstance(links, dict) else next((x["href"] for x in links if x["rel"] == "next"), None)
            if following:
                self.assertIn(f'<{following}>; rel="next"', answer.get("link"))
                following = urllib.parse.urljoin("https://data.example.go.id" + address, following)
                following = following.removeprefix("https://data.example.go.id")
            n += 1
            if step:
                step(n)
            address = following
        connection.close()
        return records

    def static_records(self, row):
        """What the compiler's own pages have."""
        path, records = pathlib.Path("v1", row["slug"], *([row["resource"]] if row["resource"] else [])).with_suffix(".json"), []
        while path:
            document = odp.read_json(self.example / path)
            records += document["data"]
            following = document["links"]["next"]
            path = pathlib.Path(os.path.normpath(path.parent / following)) if following else None
        return records

    def test_every_dataset(self):
        s = self.start()
        self.assertGreaterEqual(len(self.list["resources"]), 23)
        for row in self.list["resources"]:
            address = "/v1/" + row["slug"] + ("/" + row["resource"] if row["resource"] else "")
            with self.subTest(address):
                want = self.static_records(row)
                self.assertEqual(len(want), row["rows"])
                got = self.pages(s, f"{address}?limit=1000")
                text = lambda records: sorted(json.dumps(r) for r in records)
                self.assertEqual(text(got), text(want))
                key = [row["info"]["columns"][k]["name"] for k in row["info"]["key"]]
                for record in got[:2]:
                    parts = ",".join(urllib.parse.quote(str(record[k]), safe="") for k in key)
                    answer = s.ask(f"/api{address}/id/{parts}")
                    self.assertEqual((answer.status, answer.json()["data"]), (200, [record]), answer)
                answer = s.ask(f"{address}.csv?limit=3")
                self.assertEqual(answer.get("content-type"), "text/csv; charset=utf-8")
                rows = list(csv.DictReader(io.StringIO(answer.body.decode(), newline="")))
                self.assertEqual(len(rows), min(3, row["rows"]))
                answer = s.ask(f"{address}.geojson?limit=3")
                collection = s.ask(f"/v1/ogc/collections/{row['collection']}/items?limit=3")
                self.assertEqual((collection.status, collection.get("content-type")), (200, "application/geo+json"), collection)
                if row["info"]["geometry"]:
                    self.assertEqual((answer.status, len(answer.json()["features"])), (200, 3))
                    self.assertEqual(answer.json()["features"], collection.json()["features"])
                else:
                    self.problem(answer, 406, "not-acceptable")
        answer = s.ask("/v1/kumuh?limit=2", headers=(*ACCOUNT, "Accept: text/html,*/*;q=0.5"))
        self.assertEqual((answer.status, answer.get("content-type"), answer.get("vary")),
                         (200, "text/html; charset=utf-8", "Accept, Accept-Language"))
        records = s.ask("/v1/kumuh?labels=true&limit=2").json()["data"]
        self.assertEqual(list(records[0])[:3], ["id_kawasan", "kode_kabkota", "kode_kabkota_nama"])
        one = s.ask(f"/v1/kumuh/id/{records[0]['id_kawasan']}?labels=true").json()["data"]
        self.assertEqual(one, records[:1])
        code, name = records[0]["kode_kabkota"], records[0]["kode_kabkota_nama"]
        self.assertRegex(s.ask(f"/v1/ogc/collections/kumuh/items/{records[0]['id_kawasan']}?f=html").body.decode(),
                         rf'<dd><a href="[^"]*tempat/{re.escape(code)}\.html">{name} \({re.escape(code)}\)</a></dd>')
        self.finish(s)

    def test_search(self):
        s = self.start()
        row = next(r for r in self.list["resources"] if r["slug"] == "kumuh")
        records = self.static_records(row)
        want = sorted((r for r in records if r["luas_ha"] > 10 and r["tingkat"] in ("Sedang", "Berat")),
                      key=lambda r: -r["luas_ha"])  # equal ones stay in the order of the file
        self.assertGreater(len(want), 20)
        text = "luas_ha > 10 AND tingkat IN ('Sedang','Berat')"
        got = self.pages(s, "/v1/kumuh/search?" + urllib.parse.urlencode({"filter": text, "sortby": "-luas_ha", "limit": 37}))
        self.assertEqual([r["id_kawasan"] for r in got], [r["id_kawasan"] for r in want])
        for body in ({"filter": text}, {"filter": {"op": "and", "args": [
                {"op": ">", "args": [{"property": "luas_ha"}, 10]},
                {"op": "in", "args": [{"property": "tingkat"}, ["Sedang", "Berat"]]}]}, "filter-lang": "cql2-json"}):
            answer = s.post("/v1/kumuh/search", {**body, "sortby": "-luas_ha", "limit": 5})
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual([r["id_kawasan"] for r in answer.json()["data"]], [r["id_kawasan"] for r in want[:5]])
            self.assertEqual(answer.json()["meta"]["total"], len(want))
            # the next page is an address for GET
            following = answer.json()["links"]["next"]
            more = s.ask("/v1/kumuh/" + following)
            self.assertEqual([r["id_kawasan"] for r in more.json()["data"]], [r["id_kawasan"] for r in want[5:10]])
        done = subprocess.run(["curl", "-sS", "--unix-socket", s.state / "run" / "query.sock", "-G", "http://odp/v1/kumuh/search.csv",
                               "--data-urlencode", f"filter={text}", "--data-urlencode", "sortby=-luas_ha"], capture_output=True, check=True)
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
        self.assertEqual([r["id_kawasan"] for r in rows], [r["id_kawasan"] for r in want])  # up to a thousand
        part = s.ask("/v1/kumuh/search.csv?" + urllib.parse.urlencode({"filter": text, "limit": 5}), headers=ACCOUNT)
        self.assertEqual([r["id_kawasan"] for r in csv.DictReader(io.StringIO(part.body.decode(), newline=""))],
                         [r["id_kawasan"] for r in records if r in want][:5])  # in the order of the file
        self.assertEqual((part.get("ogc-numbermatched"), part.get("ogc-numberreturned")), (str(len(want)), "5"))
        self.assertIn('rel="next"', part.get("link"))
        pages = [s.ask("/v1/kumuh?limit=5", headers=ACCOUNT).json(), odp.read_json(self.example / "v1/kumuh.json")]
        self.assertEqual([list(p["meta"]) for p in pages], [list(pages[1]["meta"])] * 2)
        self.assertEqual([list(p["links"]) for p in pages], [["self", "next", "prev", "first", "last"]] * 2)
        self.assertEqual(pages[0]["data"], pages[1]["data"][:5])
        self.finish(s)

    def test_faults_in_both_languages(self):
        s = self.start()
        cases = [("/v1/nope?a=b", 404, "not-found", None), ("/v1/kumuh?luas=1", 400, "parameter-unknown", "luas_ha"),
                 ("/v1/kumuh?filter=luas_ha%20%3E%20'x'", 400, "filter-invalid", None), ("/v1/kumuh?limit=-1", 400, "parameter-invalid", None),
                 ("/v1/kumuh?bbox=1,2,3", 400, "parameter-invalid", None), ("/v1/kumuh?datetime=x", 400, "parameter-invalid", None),
                 ("/v1/kumuh?cursor=AAAA", 400, "cursor-invalid", None), ("/v1/kumuh/id/nope", 404, "record-not-found", None),
                 ("/v1/anggaran.geojson", 406, "not-acceptable", None), ("/v1/kumuh?f=pdf", 400, "parameter-invalid", "geojson"),
                 ("/v1/ogc/collections/kumuh/items?limit=0", 400, "parameter-invalid", None),
                 ("/v1/kumuh?q=%00", 400, "parameter-invalid", None), ("/v1/kumuh?q=%ff", 400, "parameter-invalid", "UTF-8"),
                 ("/v1/kumuh/id/%ff", 400, "bad-request", None)]
        texts = {}
        for lang in ("id", "en"):
            for path, status, code, word in cases:
                document = self.problem(s.ask(path, headers=(*ACCOUNT, f"Accept-Language: {lang}")), status, code)
                self.assertTrue(document["detail"], document)
                if word:
                    self.assertIn(word, document["detail"])
                texts.setdefault((path, "detail"), set()).add(document["detail"])
        for (path, _), seen in texts.items():
            self.assertEqual(len(seen), 2, f"{path}: {seen}")
        document = self.problem(s.ask("/v1/kumuh?filter=tingkat%20%3D%20'Berat'%20AND%20skorr%20%3E%203"), 400, "filter-invalid")
        self.assertEqual((document["parameter"], document["position"], document["length"]), ("filter", 23, 5), document)
        document = self.problem(s.post("/v1/kumuh/search", {"filter": {"op": "=", "args": [{"property": "skorr"}, 1]}}), 400, "filter-invalid")
        self.assertTrue(document["pointer"].startswith("/"), document)
        self.problem(s.ask("/v1/kumuh", "POST"), 405, "method-not-allowed")
        self.problem(s.ask("/v1/kumuh/search", "POST", body=b"{}"), 415, "unsupported-media-type")
        json_type = (*ACCOUNT, "Content-Type: application/json")
        document = self.problem(s.ask("/v1/kumuh/search", "POST", (*json_type, "Accept-Language: en"), b'{"filter":\n'), 400, "invalid-json")
        self.assertIn("line 2", document["detail"])
        self.problem(s.ask("/v1/kumuh/search", "POST", json_type, b" " * 65537), 413, "body-too-large")
        self.problem(s.ask("/v1/kumuh/search", "POST", json_type, b" " * 3_000_000), 413, "body-too-large")
        answer = s.ask("/v1/kumuh/search", "POST", json_type, b"{}" + b" " * 65534)
        self.assertEqual(answer.status, 200, answer)
        long = "nama_kawasan=" + "x" * 65000
        self.assertEqual(s.ask("/v1/kumuh?" + long).status, 200)
        self.problem(s.ask("/v1/kumuh?" + long + "x" * 1000), 400, "parameter-invalid")
        self.problem(s.ask("/v1/kumuh?" + "&".join(f"a{i}=1" for i in range(101))), 400, "parameter-invalid")
        self.assertIn(s.ask("/v1/kumuh?" + "&".join("a" for i in range(2000))).status, (400, 413, 414, 431))
        self.finish(s)

    def test_tags_and_memory(self):
        s = self.start()
        first = s.ask("/v1/kumuh?tingkat=Berat&limit=10")
        tag = first.get("etag")
        self.assertRegex(tag, r'^"[0-9a-f]{32}"$')
        self.assertEqual(first.get("cache-control"), "private, max-age=60")
        again = s.ask("/v1/kumuh?limit=10&tingkat=Berat")
        self.assertEqual((again.get("etag"), again.body), (tag, first.body))
        for condition in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            answer = s.ask("/v1/kumuh?tingkat=Berat&limit=10", headers=(*ACCOUNT, f"If-None-Match: {condition}"))
            self.assertEqual((answer.status, answer.body, answer.get("etag"), answer.get("vary")), (304, b"", tag, "Accept"))
        self.assertEqual(s.ask("/v1/kumuh?tingkat=Berat&limit=11", headers=(*ACCOUNT, f"If-None-Match: {tag}")).status, 200)
        head = s.ask("/v1/kumuh?tingkat=Berat&limit=10", "HEAD")
        self.assertEqual((head.status, head.get("etag"), head.get("content-length"), head.body), (200, tag, str(len(first.body)), b""))
        metrics = s.metrics()
        self.assertEqual(metrics["odp_query_seconds_count"], 2)
        self.assertEqual(metrics['odp_query_answers_total{source="memory"}'], 2)
        self.assertEqual(metrics["odp_query_running"], 0)
        self.assertEqual(metrics["odp_query_open_indexes"], 1)
        self.finish(s)
        # another process with the same state: the same tag; with another secret: another
        t = self.start("--query-cache", "0")
        self.assertEqual(t.ask("/v1/kumuh?tingkat=Berat&limit=10").get("etag"), tag)
        t.ask("/v1/kumuh?tingkat=Berat&limit=10")
        self.assertEqual(t.metrics()["odp_query_seconds_count"], 2)
        self.finish(t)

    HEAVY = 1200

    def heavy(self, k):
        """A filter that takes its time on each record, and is true for none."""
        parts = [f"luas_ha*{k}.{i}*luas_ha < -{i}" for i in range(1, self.HEAVY)]
        return {"filter": " OR ".join(parts), "limit": 1, "properties": "id_kawasan"}

    def crowd(self, service, calls):
        """POSTs of all CALLS (document, headers) at once; their answers in order."""
        answers = [None] * len(calls)

        def one(i):
            answers[i] = service.post("/v1/kumuh/search", *calls[i])
        threads = [threading.Thread(target=one, args=(i,)) for i in range(len(calls))]
        for t in threads:
            t.start()
        # keys are issued all the while
        tiers = service.ask("/auth/tiers", name="service")
        self.assertEqual(tiers.status, 200, tiers)
        for t in threads:
            t.join()
        return answers

    def test_limits(self):
        s = self.start("--query-threads", "1", "--query-time", "30000")
        public = [f"X-Odp-Account: 5", "X-Odp-Tier: public"]
        concurrent = next(t["concurrent"] for t in odp.read_json(odp.SOURCE / "catalog" / "portal.json")["tiers"] if t["name"] == "public")
        answers = self.crowd(s, [(self.heavy(k), public) for k in range(1, concurrent + 4)])
        counts = [sum(a.status == x for a in answers) for x in (200, 429, 503)]
        self.assertEqual(sum(counts), len(answers), answers)
        self.assertGreaterEqual(counts[0], 1, answers)
        self.assertGreaterEqual(counts[1], 1, answers)
        refused = next(a for a in answers if a.status == 429)
        self.problem(refused, 429, "too-many-queries")
        self.assertEqual(refused.get("retry-after"), "1")
        # one that all of them want is made once
        before = s.metrics()
        answers = self.crowd(s, [(self.heavy(77), (f"X-Odp-Account: {n}", "X-Odp-Tier: public")) for n in range(6)])
        self.assertEqual([a.status for a in answers], [200] * 6, answers)
        after = s.metrics()
        self.assertEqual(after["odp_query_seconds_count"] - before["odp_query_seconds_count"], 1)
        self.assertEqual(sum(after[f'odp_query_answers_total{{source="{x}"}}'] - before[f'odp_query_answers_total{{source="{x}"}}']
                             for x in ("shared", "memory")), 5)
        self.finish(s)

    def test_busy_and_too_expensive(self):
        s = self.start("--query-threads", "1", "--query-time", "600", "--query-rows", "100000000")
        calls = [(self.heavy(k), (f"X-Odp-Account: {k}", "X-Odp-Tier: government")) for k in range(1, 21)]
        answers = self.crowd(s, calls)
        statuses = {a.status for a in answers}
        self.assertLessEqual(statuses, {200, 422, 503}, answers)
        self.assertIn(503, statuses)
        refused = next(a for a in answers if a.status == 503)
        self.problem(refused, 503, "busy")
        self.assertEqual(refused.get("retry-after"), "1")
        self.assertEqual(s.metrics()["odp_query_waiting"], 0)
        self.finish(s)
        t = self.start("--query-time", "10")
        document = self.problem(t.post("/v1/kumuh/search", self.heavy(1), (*ACCOUNT, "Accept-Language: en")), 422, "query-too-expensive")
        self.assertTrue(document["detail"], document)
        self.finish(t)

    def test_files_come_first(self):
        s = self.start("--no-webhooks")  # their threads stand back as much
        connection = s.client()
        self.assertEqual(connection.get("/v1/kumuh?limit=1", headers=ACCOUNT).status, 200)
        nice = []
        for pid in [s.process.pid, *gatewaylib.children_of(s.process.pid)]:
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                nice.append(int((task / "stat").read_text().rpartition(")")[2].split()[16]))
        own = os.getpriority(os.PRIO_PROCESS, 0)
        self.assertIn(own + 5, nice)  # the connection's thread, while it is open
        self.assertIn(own, nice)
        connection.close()
        self.finish(s)

    # ---- sites that are switched ----

    def rows(self, numbers):
        return "kode,nama,luas\n" + "".join(f"K-{n:04},Kawasan {n},{n * 7 % 31}.5\n" for n in numbers)

    def small(self, numbers):
        if not (self.dir / "catalog").exists():
            self.catalogue(references=False)
            fields = [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}, {"name": "luas", "type": "number"}]
            self.dataset("mini", self.rows(numbers), fields, {"schema": {"primaryKey": ["kode"]}})
        self.odp("build", "--out", self.dir / "site", "--quiet")

    def replace(self, service, date, numbers):
        """A newer version is published; returns when the service answers with it."""
        self.update("mini", date, self.rows(numbers))
        self.odp("build", "--out", self.dir / "site", "--quiet")
        wait_for("the new site", lambda: service.ask("/v1/mini?limit=1").json()["meta"]["version"] == date)

    def test_paging_through_a_switch(self):
        self.small(range(1, 251))
        s = self.start(site=self.dir / "site")
        versions = []

        def step(n):
            if n == 3:
                self.replace(s, "2024-04-15", range(40, 300))
            if n == 6:
                self.replace(s, "2024-05-15", range(1, 20))
        order = lambda numbers: [f"K-{n:04}" for n in sorted(numbers, key=lambda n: (-(n * 7 % 31), n))]
        got = self.pages(s, "/v1/mini?limit=23&sortby=-luas", step)
        self.assertEqual([r["kode"] for r in got], order(range(1, 251)))  # none lost, none repeated
        got = self.pages(s, "/v1/mini?limit=5&sortby=-luas")
        self.assertEqual([r["kode"] for r in got], order(range(1, 20)))
        self.finish(s)

    def test_cursors_end(self):
        self.small(range(1, 31))
        s = self.start(site=self.dir / "site")
        first = s.ask("/v1/mini?limit=10").json()
        cursor = "/v1/" + first["links"]["next"]
        self.replace(s, "2024-04-15", range(11, 31))
        self.finish(s)
        kept = self.dir / "state" / "indexes"
        self.assertEqual(len(list(kept.glob("index-*.sqlite"))), 2)
        # nothing but our link is left of the old index; the service starts again and still knows it
        current = (self.dir / "site").resolve()
        for build in (self.dir / "site.builds").iterdir():
            if build.is_dir() and build != current and not build.name.startswith("."):
                odp.remove_tree(build)
        for folder in (current, current / "search", current / "search" / "mini"):
            folder.chmod(0o755)
        if (current / "search" / "mini" / "2024-03-15").exists():
            odp.remove_tree(current / "search" / "mini" / "2024-03-15")
        s = self.start(site=self.dir / "site")
        answer = s.ask(cursor)
        self.assertEqual((answer.status, [r["kode"] for r in answer.json()["data"]]), (200, [f"K-{n:04}" for n in range(11, 21)]), answer)
        self.finish(s)
        # a day later
        record = json.loads((kept / "record.json").read_text())
        for entry in record["indexes"]:
            entry["superseded"] -= 86400 if entry["superseded"] else 0
        (kept / "record.json").write_text(json.dumps(record))
        s = self.start(site=self.dir / "site")
        answer = s.ask(cursor)
        document = self.problem(answer, 410, "cursor-expired")
        self.assertEqual(len(list(kept.glob("index-*.sqlite"))), 1)
        again = s.ask(urllib.parse.urljoin(cursor, document["links"]["first"]))
        self.assertEqual([r["kode"] for r in again.json()["data"]], [f"K-{n:04}" for n in range(11, 21)])
        self.assertEqual(answer.get("link"), f'<{document["links"]["first"]}>; rel="first"')
        self.finish(s)

    def test_withdrawn(self):
        self.small(range(1, 31))
        s = self.start(site=self.dir / "site")
        cursor = "/v1/" + s.ask("/v1/mini?limit=10").json()["links"]["next"]
        self.replace(s, "2024-04-15", range(11, 31))
        self.assertEqual(s.ask(cursor).status, 200)
        self.odp("withdraw", "mini", "2024-03-15", "--out", self.dir / "site", "--reason", "privacy", "--note", "x", "--quiet")
        wait_for("the withdrawal", lambda: s.ask(cursor).status == 410)
        self.problem(s.ask(cursor), 410, "cursor-expired")
        self.assertEqual(len(list((self.dir / "state" / "indexes").glob("index-*.sqlite"))), 1)
        self.finish(s)

    def test_check(self):
        self.small(range(1, 31))
        s = self.start(site=self.dir / "site")
        answer = lambda expect: json.loads(s.run("check", self.dir / "site", "--nginx", "off", "--json", expect=expect).stdout)
        row = lambda rows: next(r for r in rows if r["check"] == "queries")
        self.assertEqual(row(answer(None))["result"], "ok")
        current = (self.dir / "site").resolve()
        index = next(current.glob("search/mini/*/*.sqlite"))
        data = bytearray(index.read_bytes())
        data[-1] ^= 1
        for path in (index.parent, index):
            path.chmod(0o755)
        index.unlink()
        index.write_bytes(data)
        found = row(answer(1))
        self.assertEqual(found["result"], "error")
        self.assertIn("damaged", found["detail"])
        index.unlink()
        self.assertIn("missing", row(answer(1))["detail"])
        self.finish(s)

    def test_options(self):
        for option, value, word in (("--query-time", "5", "60000"), ("--query-threads", "2000", "1024"), ("--query-rows", "0", "query-rows"),
                                    ("--cursor-secret", "/nonexistent/secret", "/nonexistent/secret")):
            done = gatewaylib.run("serve", self.example, "--state", self.dir / "s", option, value, expect=2)
            self.assertIn(word, done.stderr)
        (self.dir / "short").write_text("short")
        (self.dir / "short").chmod(0o600)
        done = gatewaylib.run("serve", self.example, "--state", self.dir / "s", "--nginx", "off", "--metrics", "off", "--cursor-secret",
                              self.dir / "short", expect=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("short", done.stderr)

    def test_two_machines_share_a_secret(self):
        secret = self.dir / "secret"
        secret.write_text("0123456789abcdef" * 4 + "\n")
        secret.chmod(0o600)
        a = self.start("--cursor-secret", secret)
        b = self.start("--cursor-secret", secret, state="b")
        c = self.start(state="c")
        first = a.ask("/v1/kumuh?limit=10&sortby=skor")
        cursor = "/v1/" + first.json()["links"]["next"]
        self.assertEqual(a.ask(cursor).body, b.ask(cursor).body)
        self.assertEqual(b.ask("/v1/kumuh?limit=10&sortby=skor").get("etag"), first.get("etag"))
        self.problem(c.ask(cursor), 400, "cursor-invalid")
        for s in (a, b, c):
            self.finish(s)


if __name__ == "__main__":
    gatewaylib.main()
