"""The three client libraries against a real gateway: what they give is what the site's own files have, in each of them the same.

    clients_gateway.py [deep] [unittest's arguments]; clientlib.py says how to choose languages and packages. deep: the 100,000 records also over the query engine"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import clientlib
import gatewaylib
import odp
import webhooklib
from gatewaylib import wait_for

DEEP = "deep" in sys.argv
SLOW_TIERS = [("public", 25, 1000), ("registered", 100000, 4), ("government", None, 100000)]
ODD = ["a,b", "50%", "x/y", "%2C", "ü 🏚 古", "a b", "?#&=+;:@", "plain", "a%2Cb", "'q'", '"dq"', "back\\slash", "..x", "~-._", "<>|{}[]^`", "$!*()"]


def plain(value):
    """VALUE as canonical JSON has it (tests/clients/README.md)."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2 ** 53:
        return int(value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def digest(records):
    lines = sorted(json.dumps(plain(r), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n" for r in records)
    return hashlib.sha256(b"".join(lines)).hexdigest()


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class Site(gatewaylib.Case):
    """A site, its gateway and the libraries' packages out of it, once for a class."""

    TIERS = [("public", 100000, 100000), ("registered", 100000, 100000), ("government", None, 100000)]
    OPTIONS = ("--registrations", "1000")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="odp-clients-"))
        cls.addClassCleanup(odp.remove_tree, cls.home)
        cls.builder = odp.program_without_portal(cls.home / "bin")
        cls.site = cls.home / "site"
        cls.gateway = gatewaylib.Gateway(cls.site, cls.home / "state", *cls.OPTIONS)
        cls.addClassCleanup(cls.gateway.destroy)
        cls.base = f"http://127.0.0.1:{cls.gateway.port}/"
        cls.make_catalogue()
        cls.gateway.start()
        cls.key = cls.gateway.create_key("government")
        cls.libraries, cls.missing = clientlib.libraries(cls.home / "libraries", cls.site)
        if not cls.libraries:
            raise odp.unittest.SkipTest(f"no library can be run here: {cls.missing}")

    @classmethod
    def make_catalogue(cls):
        shutil.copytree(odp.SOURCE / "catalog", cls.home / "catalog")
        cls.portal_of(cls.TIERS)
        cls.build()

    @classmethod
    def portal_of(cls, tiers, **members):
        path = cls.home / "catalog/portal.json"
        portal = json.loads(path.read_text())
        portal.update(baseUrl=cls.base, **members)
        portal["tiers"] = [{"name": n, "title": {"id": n, "en": n}, "daily": d, "burst": b, "concurrent": 20, "price": 0, "webhooks": None,
                            "support": {"id": "Surel", "en": "Email"}} for n, d, b in tiers]
        path.write_text(json.dumps(portal))

    @classmethod
    def build(cls):
        done = subprocess.run([cls.builder, "build", "--catalog", "catalog", "--out", "site", "--quiet"], cwd=cls.home, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr[-4000:])

    @classmethod
    def package(cls, slug, **members):
        """Changes a dataset's descriptor; returns the path of its source."""
        path = cls.home / "catalog" / slug / "dataset.json"
        package = json.loads(path.read_text())
        package.update(members)
        path.write_text(json.dumps(package, ensure_ascii=False))
        return path.parent / package["resources"][0]["path"]

    @classmethod
    def publish(cls):
        """Builds, and waits until the gateway answers from the new site."""
        cls.build()
        index = (cls.site / "v1/index.json").read_bytes()
        wait_for("the new site", lambda: cls.gateway.get("/v1/index.json").body == index)

    @classmethod
    def records(cls, path):
        """All records that the site's own pages have below v1/PATH."""
        page, found = cls.site / "v1" / f"{path}.json", []
        while True:
            envelope = json.loads(page.read_text())
            found += envelope["data"]
            if not envelope["links"]["next"]:
                return found
            page = page.parent / envelope["links"]["next"]

    @classmethod
    def published(cls, slug):
        return json.loads((cls.site / "data" / slug / "versions.json").read_text())["data"]

    def walk_through_refusals(self, library, key, call, cuts=(), refusals=2):
        """(What CALL gives, its proxy): while somebody else uses up the burst of KEY until the library was refused so often. No matter how slow the machine is."""
        proxy = clientlib.Proxy(self.gateway.port, cuts)
        self.addCleanup(proxy.close)
        ended = threading.Event()

        def spend():
            connection = gatewaylib.Connection(self.gateway.port)
            while not ended.is_set() and proxy.refused < refusals:
                try:
                    if connection.get(f"/v1/{call['dataset']}/versions.json", key).status != 429:
                        continue
                    time.sleep(0.002)
                except (connection.Unanswered, OSError):
                    connection.close()
            connection.close()
        other = threading.Thread(target=spend)
        other.start()
        try:
            return library.call(proxy.base, call, key=key, timeout=600)[0], proxy
        finally:
            ended.set()
            other.join()

    def each(self, *calls, base=None, key="", timeout=clientlib.PATIENCE, **client):
        """{language: its outcomes of CALLS}, the libraries side by side; each has a folder of its own. KEY None: without one."""
        told = {}
        if key is not None:
            client["key"] = key or self.key

        def run(library):
            folder = self.dir / library.name
            folder.mkdir(exist_ok=True)
            try:
                told[library.name] = library.call(base or self.base, *calls, folder=folder, timeout=timeout, **client)
            except AssertionError as e:
                told[library.name] = [{"error": {"kind": "driver", "message": str(e)}}] * len(calls)
        threads = [threading.Thread(target=run, args=(library,)) for library in self.libraries.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {language: told[language] for language in self.libraries}

    def everyone(self, call, want, **options):
        """Each library's result of CALL is WANT."""
        for language, outcomes in self.each(call, **options).items():
            with self.subTest(f"{language}: {json.dumps(call, ensure_ascii=False)[:200]}"):
                self.is_result(language, outcomes[0], want)

    def is_result(self, language, outcome, want):
        if "error" in outcome:
            self.fail(f"{outcome['error']}, not {str(want)[:1000]}")
        got = outcome["result"]
        if isinstance(want, list) and isinstance(got, list) and len(got) == len(want):
            for number, (a, b) in enumerate(zip(want, got)):
                self.assertTrue(clientlib.same(a, b, language.partition("-")[0]), f"item {number}: {str(b)[:1500]}, not {str(a)[:1500]}")
        elif not clientlib.same(want, got, language.partition("-")[0]):
            self.fail(f"{len(got) if isinstance(got, list) else ''} {str(got)[:1500]}, not {len(want) if isinstance(want, list) else ''} {str(want)[:1500]}")

    def is_error(self, outcome, **want):
        self.assertIn("error", outcome)
        self.assertEqual({k: outcome["error"].get(k) for k in want}, want, outcome)

    def setUp(self):
        super().setUp()
        for language, why in self.missing.items():
            with self.subTest(language):
                self.skipTest(why)


class Reading(Site):
    """The example catalogue, a dataset with a history, and keys that addresses do not like."""

    VERSIONS = ["2024-03-30", "2024-03-25", "2024-03-20"]

    @classmethod
    def make_catalogue(cls):
        shutil.copytree(odp.SOURCE / "catalog", cls.home / "catalog")
        cls.portal_of(cls.TIERS)
        for slug, key in (("tunggal", ["kunci"]), ("ganda", ["kunci", "nomor"])):
            folder = cls.home / "catalog" / slug
            folder.mkdir()
            quoted = [k.replace('"', '""') for k in ODD]
            (folder / "isi.csv").write_text("kunci,nomor\n" + "".join(f'"{k}",{n}\n' for n, k in enumerate(quoted)), newline="", encoding="utf-8")
            (folder / "dataset.json").write_text(json.dumps({
                "$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": slug, "title": slug, "odp:formats": ["CSV", "JSON"],
                "odp:lastUpdate": "2024-03-15", "resources": [{"name": slug, "type": "table", "path": "isi.csv", "schema": {
                    "fields": [{"name": "kunci", "type": "string"}, {"name": "nomor", "type": "integer"}], "primaryKey": key}}]}))
        cls.portal_of(cls.TIERS, page={"records": 400, "bytes": 1048576})
        cls.build()
        cls.before = {v: cls.home / f"perumahan-{v}" for v in cls.VERSIONS}
        shutil.copytree(cls.site / "data/perumahan/2024-03-20", cls.before["2024-03-20"])
        for version, change in (("2024-03-25", cls.one_less), ("2024-03-30", cls.some_changed)):
            source = cls.package("perumahan", **{"odp:lastUpdate": version})
            lines = source.read_bytes().splitlines(keepends=True)
            source.write_bytes(b"".join(change(lines)))
            cls.build()
            shutil.copytree(cls.site / "data/perumahan" / version, cls.before[version])

    @staticmethod
    def one_less(lines):
        return lines[:-1]

    @staticmethod
    def some_changed(lines):
        """The 40th record is gone, the 50th to 52nd have other numbers in their last digit."""
        changed = list(lines)
        for n in (50, 51, 52):
            fields = changed[n].split(b";" if b";" in changed[n] else b",")
            fields[7] = fields[7][:-1] + (b"1" if fields[7][-1:] != b"1" else b"2")
            changed[n] = (b";" if b";" in lines[n] else b",").join(fields)
        del changed[40]
        return changed

    # ---- pages ----

    def test_every_record(self):
        """Every record of every dataset and resource, through the static pages."""
        index = json.loads((self.site / "v1/index.json").read_text())["data"]
        calls, want = [], []
        for entry in index:
            for number, resource in enumerate(entry["resources"]):
                path = entry["slug"] if number == 0 else f"{entry['slug']}/{resource['name']}"
                records = self.records(path)
                calls.append({"do": "list", "dataset": entry["slug"], "digest": True, **({"resource": resource["name"]} if number else {})})
                want.append({"count": len(records), "distinct": len(records), "sha256": digest(records)})
        self.assertGreaterEqual(sum(w["count"] for w in want), 17000)
        for language, outcomes in self.each(*calls).items():
            for call, told, expected in zip(calls, outcomes, want):
                with self.subTest(f"{language} {call['dataset']} {call.get('resource', '')}"):
                    self.is_result(language, told, expected)

    def test_every_record_by_query(self):
        """The same through the query engine and its cursors: no record lost, none twice."""
        records = self.records("perumahan")
        self.everyone({"do": "list", "dataset": "perumahan", "digest": True, "options": {"page_size": 100}},
                      {"count": len(records), "distinct": len(records), "sha256": digest(records)})
        self.everyone({"do": "search", "dataset": "perumahan", "digest": True, "options": {"page_size": 97, "sort": ["-tahun"]}},
                      {"count": len(records), "distinct": len(records), "sha256": digest(records)})

    def test_pages(self):
        found = self.records("perumahan")
        sizes = [min(400, len(found) - n) for n in range(0, len(found), 400)]
        self.everyone({"do": "pages", "dataset": "perumahan"}, [{"count": n, "total": len(found), "version": self.VERSIONS[0]} for n in sizes])

    def test_timeline(self):
        self.everyone({"do": "timeline", "dataset": "proyek"}, self.records("proyek/timeline"))
        self.everyone({"do": "timeline", "dataset": "proyek", "options": {"where": {"id_proyek": "PRJ-00001"}, "sort": ["urutan"]}},
                      [r for r in self.records("proyek/timeline") if r["id_proyek"] == "PRJ-00001"])

    # ---- queries ----

    def test_where(self):
        kumuh, milestones = self.records("kumuh"), self.records("proyek/timeline")
        name = kumuh[7]["nama_kawasan"]

        def check(where, records, condition, dataset="kumuh", resource=None, key="id_kawasan"):
            want = sorted((r for r in records if condition(r)), key=lambda r: [str(r[k]).zfill(9) if isinstance(r[k], int) else r[k] for k in key.split()])
            self.assertTrue(want, where)
            self.everyone({"do": "list", "dataset": dataset, **({"resource": resource} if resource else {}), "options": {"where": where, "sort": key.split()}}, want)
        check({"tingkat": "Berat", "status_lahan": "Legal"}, kumuh, lambda r: r["tingkat"] == "Berat" and r["status_lahan"] == "Legal")
        check({"tingkat": ["Berat", "Sedang"]}, kumuh, lambda r: r["tingkat"] in ("Berat", "Sedang"))
        check({"nama_kawasan": name}, kumuh, lambda r: r["nama_kawasan"] == name)
        check({"luas_ha": kumuh[3]["luas_ha"]}, kumuh, lambda r: r["luas_ha"] == kumuh[3]["luas_ha"])
        check({"tanggal_sk": kumuh[0]["tanggal_sk"]}, kumuh, lambda r: r["tanggal_sk"] == kumuh[0]["tanggal_sk"])
        check({"tercapai": False, "bobot": [5, 10]}, milestones, lambda r: not r["tercapai"] and r["bobot"] in (5, 10), "proyek", "timeline", "id_proyek urutan")
        odd = self.records("tunggal")
        for value in ODD:
            check({"kunci": value}, odd, lambda r: r["kunci"] == value, "tunggal", key="nomor")
        check({"kunci": ODD}, odd, lambda r: True, "tunggal", key="nomor")
        self.everyone({"do": "list", "dataset": "tunggal", "options": {"where": {"kunci": "x' OR '1'='1"}}}, [])

    def test_filters(self):
        kumuh = self.records("kumuh")
        want = sorted((r for r in kumuh if r["luas_ha"] > 40 and r["tingkat"] in ("Sedang", "Berat")), key=lambda r: (-r["luas_ha"], r["id_kawasan"]))
        self.assertGreater(len(want), 10)
        tree = {"op": "and", "args": [{"op": ">", "args": [{"property": "luas_ha"}, 40]}, {"op": "in", "args": [{"property": "tingkat"}, ["Sedang", "Berat"]]}]}
        text = "luas_ha > 40 AND tingkat IN ('Sedang','Berat')"
        for do in ("list", "search"):
            for one in (text, tree):
                self.everyone({"do": do, "dataset": "kumuh", "options": {"filter": one, "sort": ["-luas_ha", "id_kawasan"], "page_size": 50}}, want)
        few = [{k: r[k] for k in ("id_kawasan", "luas_ha", "nomor_sk")} for r in want]
        self.everyone({"do": "list", "dataset": "kumuh", "options": {"filter": text, "sort": ["-luas_ha", "id_kawasan"], "fields": ["id_kawasan", "luas_ha", "nomor_sk"]}}, few)
        self.everyone({"do": "search", "dataset": "kumuh", "options": {"filter": tree, "sort": ["-luas_ha", "id_kawasan"], "skip_geometry": True}},
                      [{k: v for k, v in r.items() if k != "geometry"} for r in want])
        missing = sorted((r["id_kawasan"] for r in kumuh if r["nomor_sk"] is None))
        self.everyone({"do": "list", "dataset": "kumuh", "options": {"filter": "nomor_sk IS NULL", "fields": ["id_kawasan"], "sort": ["id_kawasan"]}},
                      [{"id_kawasan": one} for one in missing])

    def test_long_search(self):
        """A filter that is longer than an address may be, over several pages."""
        records = sorted(self.records("kumuh"), key=lambda r: r["id_kawasan"])
        wanted = [r["id_kawasan"] for r in records[::2]]
        want = [{"id_kawasan": one, "skor": r["skor"]} for one, r in zip(wanted, records[::2])]
        self.assertGreater(len(",".join(wanted)) * 1.4, 8192)
        options = {"sort": ["id_kawasan"], "fields": ["id_kawasan", "skor"], "page_size": 100}
        self.everyone({"do": "list", "dataset": "kumuh", "options": {"where": {"id_kawasan": wanted}, **options}}, want)
        self.everyone({"do": "search", "dataset": "kumuh", "options": {"where": {"id_kawasan": wanted}, **options}}, want)

    def test_text_box_time(self):
        """q, bbox and datetime: what the gateway says to curl."""
        for options, parameters in (({"q": "rawasari \"RW 20\""}, {"q": "rawasari \"RW 20\""}), ({"bbox": [106.7, -6.4, 107, -6.1]}, {"bbox": "106.7,-6.4,107,-6.1"}),
                                    ({"datetime": "2020-01-01/2020-12-31"}, {"datetime": "2020-01-01/2020-12-31"}), ({"datetime": "../2016-06-01"}, {"datetime": "../2016-06-01"})):
            query = urllib.parse.urlencode({**parameters, "sortby": "id_kawasan", "limit": 1000})
            want = self.gateway.get(f"/v1/kumuh?{query}", self.key).json()
            self.assertTrue(want["data"] and want["meta"]["total"] <= 1000, parameters)
            for do in ("list", "search"):
                self.everyone({"do": do, "dataset": "kumuh", "options": {**options, "sort": ["id_kawasan"], "page_size": 37}}, want["data"])

    def test_get(self):
        record, project = self.records("kumuh")[5], self.records("proyek/timeline")[8]
        self.everyone({"do": "get", "dataset": "kumuh", "id": record["id_kawasan"]}, record)
        self.everyone({"do": "get", "dataset": "proyek", "resource": "timeline", "id": [project["id_proyek"], project["urutan"]]}, project)
        self.everyone({"do": "get", "dataset": "proyek", "resource": "timeline", "id": {"urutan": project["urutan"], "id_proyek": project["id_proyek"]}}, project)
        calls = [{"do": "get", "dataset": "tunggal", "id": k} for k in ODD] + [{"do": "get", "dataset": "ganda", "id": [k, n]} for n, k in enumerate(ODD)]
        for language, outcomes in self.each(*calls).items():
            for number, (call, told) in enumerate(zip(calls, outcomes)):
                with self.subTest(f"{language} {call['dataset']} {call['id']}"):
                    self.is_result(language, told, {"kunci": ODD[number % len(ODD)], "nomor": number % len(ODD)})

    def test_errors(self):
        calls = ({"do": "get", "dataset": "kumuh", "id": "tidak/ada"}, {"do": "list", "dataset": "kumuh", "options": {"filter": "luas_ha >"}},
                 {"do": "list", "dataset": "tidak-ada"}, {"do": "list", "dataset": "kumuh", "options": {"where": {"warna": "merah"}}})
        want = (("NotFound", 404, "record-not-found"), ("BadRequest", 400, "filter-invalid"), ("NotFound", 404, "not-found"), ("BadRequest", 400, "parameter-unknown"))
        for language, outcomes in self.each(*calls).items():
            for call, told, (kind, status, code) in zip(calls, outcomes, want):
                with self.subTest(f"{language} {code}"):
                    self.is_error(told, kind=kind, status=status, code=code)
        for language, outcomes in self.each(calls[0], key=gatewaylib.make_key()).items():
            with self.subTest(f"{language} unknown key"):
                self.is_error(outcomes[0], kind="Authentication", status=401, code="key-unknown")

    def test_catalog(self):
        self.everyone({"do": "catalog"}, [entry["slug"] for entry in json.loads((self.site / "v1/index.json").read_text())["data"]], key=None)

    # ---- versions ----

    def test_versions_and_changes(self):
        self.everyone({"do": "versions", "dataset": "perumahan"}, self.VERSIONS)
        steps = [(a, b, json.loads((self.site / "data/perumahan" / b / "changes.json").read_text())) for a, b in
                 ((self.VERSIONS[2], self.VERSIONS[1]), (self.VERSIONS[1], self.VERSIONS[0]))]
        want = [[{**change, "from": a, "to": b} for change in document["changes"]] for a, b, document in steps]
        self.assertEqual([len(w) for w in want], [1, 4])
        self.everyone({"do": "changes", "dataset": "perumahan"}, want[1], key=None)
        self.everyone({"do": "changes", "dataset": "perumahan", "from": self.VERSIONS[2]}, want[0] + want[1], key=None)
        self.everyone({"do": "changes", "dataset": "perumahan", "from": self.VERSIONS[2], "to": self.VERSIONS[1]}, want[0], key=None)

    def test_sync(self):
        """No file, each older version, the newest, a file that is none: always the newest afterwards."""
        newest = self.before[self.VERSIONS[0]] / "perumahan.csv"
        size, found = newest.stat().st_size, {}
        for name, start, action in (("none", None, "downloaded"), ("one", 1, "patched"), ("two", 2, "patched"), ("same", 0, "current"), ("mine", None, "downloaded")):
            for library in self.libraries.values():
                folder = self.dir / library.name
                folder.mkdir(exist_ok=True)
                if start is not None:
                    shutil.copy(self.before[self.VERSIONS[start]] / "perumahan.csv", folder / "data.csv")
                    (folder / "data.csv").chmod(0o644)
                else:
                    (folder / "data.csv").unlink(missing_ok=True)
                    if name == "mine":
                        (folder / "data.csv").write_text("mine")
            for language, outcomes in self.each({"do": "sync", "dataset": "perumahan", "format": "csv", "path": "data.csv"}, key=None).items():
                with self.subTest(f"{language} {name}"):
                    self.assertIn("result", outcomes[0], outcomes)
                    result = outcomes[0]["result"]
                    self.assertEqual((result["action"], result["version"], result["sha256"]), (action, self.VERSIONS[0], sha256(newest)))
                    self.assertEqual(sha256(self.dir / language / "data.csv"), sha256(newest))
                    self.assertEqual(os.listdir(self.dir / language), ["data.csv"])
                    self.assertTrue({"downloaded": result["transferred"] == size, "patched": 0 < result["transferred"] < size / 2, "current": result["transferred"] == 0}[action],
                                    result)
                    found.setdefault(name, set()).add(result["transferred"])
        self.assertTrue(all(len(one) == 1 for one in found.values()), found)

    # ---- files ----

    def test_download_every_file(self):
        calls, want = [], []
        for slug in ("kumuh", "proyek", "anggaran", "regulasi", "perumahan"):
            version = self.published(slug)[0]
            for number, resource in enumerate(version["resources"]):
                for file in resource["files"]:
                    path = self.site / "data" / slug / file["url"]
                    calls.append({"do": "download", "dataset": slug, "format": file["name"], "path": f"{number}-{path.name}", **({"resource": resource["name"]} if number else {})})
                    want.append((path, version["version"], file["bytes"], file["hash"].removeprefix("sha256:")))
        self.assertGreater(len(calls), 12)
        for language, outcomes in self.each(*calls, key=None).items():
            for call, told, (path, version, size, sha) in zip(calls, outcomes, want):
                with self.subTest(f"{language} {call['path']}"):
                    self.is_result(language, told, {"version": version, "bytes": size, "sha256": sha, "transferred": size, "progress": [size, size]})
                    self.assertEqual(sha256(self.dir / language / call["path"]), sha)
                    self.assertEqual(sha256(path.resolve()), sha)

    def test_download_cut(self):
        """A connection that is cut five times in the middle: gone on with, whole in the end, no byte twice."""
        file = next(f for f in self.published("kumuh")[0]["resources"][0]["files"] if f["name"] == "geojson")
        for library in self.libraries.values():
            with self.subTest(library.name):
                proxy = clientlib.Proxy(self.gateway.port)
                self.addCleanup(proxy.close)
                proxy.cuts = [200000, 150000, 100000, 300000, 50000]
                told = library.call(proxy.base, {"do": "download", "dataset": "kumuh", "format": "geojson", "path": "kumuh.geojson"}, folder=self.folder(library), retries=2)
                self.assertIn("result", told[0], told)
                self.assertEqual(proxy.cut, 5)
                result = told[0]["result"]
                self.assertEqual((result["bytes"], result["sha256"], result["transferred"]), (file["bytes"], file["hash"].removeprefix("sha256:"), file["bytes"]))
                self.assertEqual(sha256(self.folder(library) / "kumuh.geojson"), result["sha256"])
                self.assertEqual(os.listdir(self.folder(library)), ["kumuh.geojson"])

    def folder(self, library):
        folder = self.dir / library.name
        folder.mkdir(exist_ok=True)
        return folder

    def test_download_across_processes(self):
        """A process that gives up leaves a part; the next one goes on with it."""
        file = next(f for f in self.published("kumuh")[0]["resources"][0]["files"] if f["name"] == "csv")
        call = {"do": "download", "dataset": "kumuh", "format": "csv", "path": "kumuh.csv"}
        for library in self.libraries.values():
            with self.subTest(library.name):
                proxy = clientlib.Proxy(self.gateway.port, [100000])
                self.addCleanup(proxy.close)
                folder = self.folder(library)
                first = library.call(proxy.base, call, folder=folder, retries=0)
                self.is_error(first[0], kind="Transport")
                left = os.listdir(folder)
                self.assertEqual([n.startswith("kumuh.csv.") and n.endswith(".part") for n in left], [True], left)
                have = (folder / left[0]).stat().st_size
                self.assertTrue(50000 < have <= 100000, have)
                second = library.call(self.base, call, folder=folder)
                self.is_result(library.language, second[0], {"version": self.published("kumuh")[0]["version"], "bytes": file["bytes"], "sha256": file["hash"].removeprefix("sha256:"),
                                                             "transferred": file["bytes"] - have, "progress": [file["bytes"], file["bytes"]]})
                self.assertEqual(os.listdir(folder), ["kumuh.csv"])

    def test_download_flipped(self):
        """One bit that is turned on the way is found; nothing is left under the name."""
        for library in self.libraries.values():
            with self.subTest(library.name):
                proxy = clientlib.Proxy(self.gateway.port, flip=100000)
                self.addCleanup(proxy.close)
                told = library.call(proxy.base, {"do": "download", "dataset": "kumuh", "format": "csv", "path": "kumuh.csv"}, folder=self.folder(library))
                self.is_error(told[0], kind="Integrity")
                self.assertGreaterEqual(proxy.flipped, 1)
                self.assertEqual(os.listdir(self.folder(library)), [])

    def test_walk_through_cuts(self):
        """A walk whose pages break off several times has every record once."""
        records = self.records("perumahan")
        for library in self.libraries.values():
            with self.subTest(library.name):
                proxy = clientlib.Proxy(self.gateway.port, [9000, 12000, 3000, 8000])
                self.addCleanup(proxy.close)
                told = library.call(proxy.base, {"do": "list", "dataset": "perumahan", "digest": True}, key=self.key, retries=4)
                self.is_result(library.language, told[0], {"count": len(records), "distinct": len(records), "sha256": digest(records)})
                self.assertEqual(proxy.cut, 4)


class Keys(Site):
    """Registering, rotating, counting; the burst and the day's end."""

    TIERS = SLOW_TIERS

    @classmethod
    def make_catalogue(cls):
        (cls.home / "catalog").mkdir()
        for name in ("portal.json", "changes.json", "references", "inovasi", "risiko"):
            source = odp.SOURCE / "catalog" / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, cls.home / "catalog" / name)
        path = cls.home / "catalog/risiko/dataset.json"
        if "odp:foreignKeys" in path.read_text():
            shutil.rmtree(cls.home / "catalog/risiko")
            shutil.copytree(odp.SOURCE / "catalog/penghargaan", cls.home / "catalog/penghargaan")
        cls.portal_of(cls.TIERS, page={"records": 5, "bytes": 1048576})
        cls.build()

    def test_register_and_rotate(self):
        calls = lambda email: ({"do": "register", "name": "Sari", "email": email, "organisation": "Universitas Contoh", "purpose": "penelitian"},
                               {"do": "get", "dataset": "inovasi", "id": "INO-0001"}, {"do": "usage"}, {"do": "rotate", "grace_hours": 0}, {"do": "usage"},
                               {"do": "register", "name": "Sari", "email": email})
        for language, library in self.libraries.items():
            with self.subTest(language):
                told = library.call(self.base, *calls(f"{language}@example.org"))
                for number in range(5):
                    self.assertIn("result", told[number], told[number])
                issued, record, usage, rotated, after = (t["result"] for t in told[:5])
                self.assertEqual((issued["key"], issued["tier"], issued["limit"], issued["used"]), (True, "public", 25, 0))
                self.assertEqual(record, self.records("inovasi")[0])
                self.assertEqual((usage["tier"], usage["limit"], usage["used"]), ("public", 25, 1))
                self.assertEqual((rotated["key"], rotated["used"]), (True, 1))
                self.assertEqual(after["used"], 1)
                self.is_error(told[5], kind="Conflict", status=409, code="email-registered")

    def test_burst(self):
        """Where somebody else uses up the burst 429s really come, and no record is lost."""
        records = self.records("inovasi")
        self.assertEqual(len(records), 80)
        for language, library in self.libraries.items():
            with self.subTest(language):
                told, proxy = self.walk_through_refusals(library, self.gateway.create_key("registered"), {"do": "list", "dataset": "inovasi", "digest": True})
                self.is_result(language, told, {"count": 80, "distinct": 80, "sha256": digest(records)})
                self.assertGreaterEqual(proxy.refused, 2)

    def test_daily_quota(self):
        """25 requests a day: the walk ends with an error that says when the day turns, at once."""
        for language, library in self.libraries.items():
            with self.subTest(language):
                key = self.gateway.create_key("public")
                told = library.call(self.base, {"do": "list", "dataset": "inovasi", "digest": True}, {"do": "list", "dataset": "inovasi", "options": {"page_size": 5}, "take": 80},
                                    key=key)
                self.assertEqual(told[0].get("result", {}).get("count"), 80, told[0])
                self.is_error(told[1], kind="QuotaExceeded", status=429, code="quota-exceeded", reset=True)


class Switching(Site):
    """A new version in the middle of a walk."""

    @classmethod
    def make_catalogue(cls):
        (cls.home / "catalog").mkdir()
        for name in ("portal.json", "changes.json", "references", "perumahan"):
            source = odp.SOURCE / "catalog" / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, cls.home / "catalog" / name)
        cls.portal_of(cls.TIERS, page={"records": 200, "bytes": 1048576})
        cls.build()
        cls.turn = 0

    def test_switch(self):
        """Static pages, cursors, searches: every record of the version that the walk began with, once."""
        for language, library in self.libraries.items():
            for name, call in (("pages", {"do": "list"}), ("cursors", {"do": "list", "options": {"page_size": 150}}),
                               ("search", {"do": "search", "options": {"page_size": 150, "sort": ["-jumlah_rumah"]}})):
                with self.subTest(f"{language} {name}"):
                    old = self.records("perumahan")
                    proxy = clientlib.Proxy(self.gateway.port, pause=(20000, self.new_version))
                    self.addCleanup(proxy.close)
                    told = library.call(proxy.base, {**call, "dataset": "perumahan", "digest": True}, key=self.key)
                    self.is_result(language, told[0], {"count": len(old), "distinct": len(old), "sha256": digest(old)})
                    self.assertTrue(proxy.paused)
                    self.assertEqual(len(self.records("perumahan")), len(old) - 1)

    def new_version(self):
        type(self).turn += 1
        source = self.package("perumahan", **{"odp:lastUpdate": f"2024-04-{self.turn:02}"})
        lines = source.read_bytes().splitlines(keepends=True)
        del lines[3]
        source.write_bytes(b"".join(lines))
        self.publish()


class Webhooks(Site):
    """Created, confirmed and verified by the libraries."""

    OPTIONS = ("--webhook-loopback",)

    @classmethod
    def make_catalogue(cls):
        (cls.home / "catalog").mkdir()
        for name in ("portal.json", "changes.json"):
            shutil.copy(odp.SOURCE / "catalog" / name, cls.home / "catalog")
        folder = cls.home / "catalog/mini"
        folder.mkdir()
        (folder / "mini.csv").write_text("kode,nama\n1,Ménténg\n")
        (folder / "dataset.json").write_text(json.dumps({
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": "mini", "title": "Mini", "odp:formats": ["CSV"], "odp:lastUpdate": "2024-03-15",
            "resources": [{"name": "mini", "type": "table", "path": "mini.csv", "schema": {
                "fields": [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}], "primaryKey": ["kode"]}}]}))
        cls.portal_of(cls.TIERS)
        cls.build()

    def test_webhooks(self):
        receiver = webhooklib.Receiver()
        self.addCleanup(receiver.close)
        made = {}
        for language, library in self.libraries.items():
            with self.subTest(f"{language}: create"):
                key, path = self.gateway.create_key("registered"), f"/{language}"
                receiver.behave(path, (200, {}, b"not it"))  # so that it is confirmed by hand
                told = library.call(self.base, {"do": "webhook_create", "url": receiver.url(path), "events": ["dataset.version.published"], "datasets": ["mini"],
                                                "filter": "kode <> '0'", "description": f"uji {language}"}, {"do": "webhook_list"}, key=key)
                self.assertIn("result", told[0], told)
                hook = told[0]["result"]
                self.assertEqual([w["id"] for w in told[1]["result"]], [hook["id"]])
                self.assertNotIn("secret", told[1]["result"][0])
                challenge = receiver.wait(path=path, kind="webhook.challenge")[0]
                told = library.call(self.base, {"do": "webhook_confirm", "id": hook["id"], "challenge": challenge.json()["data"]["challenge"]}, {"do": "webhook_get", "id": hook["id"]},
                                    {"do": "webhook_confirm", "id": hook["id"], "challenge": "another"}, key=key)
                self.assertEqual([t.get("result", t).get("state") for t in told[:2]], ["active", "active"], told)
                receiver.behave(path, 204)
                told = library.call(self.base, {"do": "webhook_test", "id": hook["id"]}, key=key)
                self.assertIn("result", told[0], told)
                test = receiver.wait(path=path, kind="webhook.test")[0]
                self.verify(library, test, hook["secret"])
                made[language] = (key, hook, path)
        source = self.package("mini", **{"odp:lastUpdate": "2024-04-01"})
        source.write_text("kode,nama\n1,Ménténg\n2,\"Ü 🏚\"\n")
        self.publish()
        for language, (key, hook, path) in made.items():
            with self.subTest(f"{language}: a publication"):
                library = self.libraries[language]
                message = receiver.wait(path=path, kind="dataset.version.published")[0]
                self.verify(library, message, hook["secret"])
                told = library.call(self.base, {"do": "webhook_rotate_secret", "id": hook["id"], "grace_hours": 0}, {"do": "webhook_test", "id": hook["id"]}, key=key)
                self.assertNotEqual(told[0]["result"]["secret"], hook["secret"])
                again = receiver.wait(2, path=path, kind="webhook.test")[-1]
                self.verify(library, again, told[0]["result"]["secret"], old=hook["secret"])
                told = library.call(self.base, {"do": "webhook_delete", "id": hook["id"]}, {"do": "webhook_list"}, {"do": "webhook_get", "id": hook["id"]}, key=key)
                self.assertEqual(told[1].get("result"), [], told)
                self.is_error(told[2], kind="NotFound", status=404)

    def verify(self, library, message, secret, old=None):
        """The message as it came is accepted; a bit turned, another secret, is not."""
        self.assertIsNone(webhooklib.verify(secret, message.headers, message.body))
        headers, body = dict(message.headers), message.body.decode()
        other = old or "whsec_" + "A" * 43 + "="
        told = library.call(self.base, {"do": "verify", "payload": body, "headers": headers, "secret": secret}, {"do": "verify", "payload": body, "headers": headers, "secret": [other, secret]},
                            {"do": "verify", "payload": body.replace("mini", "nimi", 1) if "mini" in body else body + " ", "headers": headers, "secret": secret},
                            {"do": "verify", "payload": body, "headers": headers, "secret": other},
                            {"do": "verify", "payload": body, "headers": {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}, "secret": secret})
        for number in (0, 1):
            self.is_result(library.language, told[number], message.json())
        for number in (2, 3, 4):
            self.is_error(told[number], kind="Signature")


class Hundred(Site):
    """The issue's measure: 100,000 records, each exactly once, through 429s and cut connections."""

    TIERS = [("public", 100000, 8), ("registered", 100000, 8), ("government", None, 100000)]
    ROWS = 100000

    @classmethod
    def make_catalogue(cls):
        if not odp.SAMPLE:
            raise odp.unittest.SkipTest("odp-sample was not built")
        done = subprocess.run([odp.SAMPLE, "penghargaan", "--rows", str(cls.ROWS), "--catalog", str(odp.SOURCE / "catalog"), "--out", "catalog", "--descriptor"],
                              cwd=cls.home, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr[-2000:])
        cls.portal_of(cls.TIERS)
        cls.build()

    def test_every_record_once(self):
        records = self.records("penghargaan")
        self.assertEqual(len(records), self.ROWS)
        want = {"count": self.ROWS, "distinct": self.ROWS, "sha256": digest(records)}
        for options in ({}, {"page_size": 1000}) if DEEP else ({},):
            told = {}

            def run(library):
                began = time.monotonic()
                try:
                    told[library.name] = self.walk_through_refusals(library, self.gateway.create_key("registered"), {"do": "list", "dataset": "penghargaan", "digest": True, "options": options},
                                                                    [20000, 5000, 100000, 30000])
                except AssertionError as e:
                    told[library.name] = {"error": {"kind": "driver", "message": str(e)}}, None
                outcome, proxy = told[library.name]
                print(f"{library.name}: {self.ROWS} records {options} in {time.monotonic() - began:.1f} s, {proxy and proxy.refused} answers 429, {proxy and proxy.cut} cuts",
                      file=sys.stderr)
            threads = [threading.Thread(target=run, args=(library,)) for library in self.libraries.values()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for language, (outcome, proxy) in told.items():
                with self.subTest(f"{language} {options}"):
                    self.is_result(language, outcome, want)
                    self.assertGreaterEqual(proxy.cut, 1)
                    self.assertGreaterEqual(proxy.refused, 2)


del Site

if __name__ == "__main__":
    sys.argv[1:] = [a for a in sys.argv[1:] if a != "deep"]
    gatewaylib.main()
