"""The three client libraries against a real gateway: what they give is what the site's own files have, in each of them the same.

    clients_gateway.py [deep] [unittest's arguments]

clientlib.py says how to choose languages and packages. deep: the 100,000 records also over the query engine."""
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse

import clientlib
import clientsitelib
import gatewaylib
import odp

DEEP = "deep" in sys.argv
ODD = ["a,b", "50%", "x/y", "%2C", "ü 🏚 古", "a b", "?#&=+;:@", "plain", "a%2Cb", "'q'", '"dq"', "back\\slash", "..x", "~-._", "<>|{}[]^`", "$!*()"]


class Reading(clientsitelib.Site):
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
                want.append({"count": len(records), "distinct": len(records), "sha256": clientsitelib.digest(records)})
        self.assertGreaterEqual(sum(w["count"] for w in want), 17000)
        for language, outcomes in self.each(*calls).items():
            for call, told, expected in zip(calls, outcomes, want):
                with self.subTest(f"{language} {call['dataset']} {call.get('resource', '')}"):
                    self.is_result(language, told, expected)

    def test_every_record_by_query(self):
        """The same through the query engine and its cursors: no record lost, none twice."""
        records = self.records("perumahan")
        want = {"count": len(records), "distinct": len(records), "sha256": clientsitelib.digest(records)}
        self.everyone(({"do": "list", "dataset": "perumahan", "digest": True, "options": {"page_size": 100}}, want),
                      ({"do": "search", "dataset": "perumahan", "digest": True, "options": {"page_size": 97, "sort": ["-tahun"]}}, want))

    def test_pages(self):
        found = self.records("perumahan")
        sizes = [min(400, len(found) - n) for n in range(0, len(found), 400)]
        self.everyone(({"do": "pages", "dataset": "perumahan"}, [{"count": n, "total": len(found), "version": self.VERSIONS[0]} for n in sizes]))

    def test_timeline(self):
        self.everyone(({"do": "timeline", "dataset": "proyek"}, self.records("proyek/timeline")),
                      ({"do": "timeline", "dataset": "proyek", "options": {"where": {"id_proyek": "PRJ-00001"}, "sort": ["urutan"]}},
                       [r for r in self.records("proyek/timeline") if r["id_proyek"] == "PRJ-00001"]))

    # ---- queries ----

    def test_where(self):
        kumuh, milestones = self.records("kumuh"), self.records("proyek/timeline")
        name, pairs = kumuh[7]["nama_kawasan"], []

        def check(where, records, condition, dataset="kumuh", resource=None, key="id_kawasan"):
            want = sorted((r for r in records if condition(r)), key=lambda r: [str(r[k]).zfill(9) if isinstance(r[k], int) else r[k] for k in key.split()])
            self.assertTrue(want, where)
            call = {"do": "list", "dataset": dataset, "options": {"where": where, "sort": key.split()}, **({"resource": resource} if resource else {})}
            pairs.append((call, want))
        check({"tingkat": "Berat", "status_lahan": "Legal"}, kumuh, lambda r: r["tingkat"] == "Berat" and r["status_lahan"] == "Legal")
        check({"tingkat": ["Berat", "Sedang"]}, kumuh, lambda r: r["tingkat"] in ("Berat", "Sedang"))
        check({"nama_kawasan": name}, kumuh, lambda r: r["nama_kawasan"] == name)
        check({"luas_ha": kumuh[3]["luas_ha"]}, kumuh, lambda r: r["luas_ha"] == kumuh[3]["luas_ha"])
        check({"tanggal_sk": kumuh[0]["tanggal_sk"]}, kumuh, lambda r: r["tanggal_sk"] == kumuh[0]["tanggal_sk"])
        check({"tercapai": False, "bobot": [5, 10]}, milestones, lambda r: not r["tercapai"] and r["bobot"] in (5, 10), "proyek", "timeline",
              "id_proyek urutan")
        odd = self.records("tunggal")
        for value in ODD:
            check({"kunci": value}, odd, lambda r: r["kunci"] == value, "tunggal", key="nomor")
        check({"kunci": ODD}, odd, lambda r: True, "tunggal", key="nomor")
        pairs.append(({"do": "list", "dataset": "tunggal", "options": {"where": {"kunci": "x' OR '1'='1"}}}, []))
        self.everyone(*pairs)

    def test_filters(self):
        kumuh = self.records("kumuh")
        want = sorted((r for r in kumuh if r["luas_ha"] > 40 and r["tingkat"] in ("Sedang", "Berat")), key=lambda r: (-r["luas_ha"], r["id_kawasan"]))
        self.assertGreater(len(want), 10)
        tree = {"op": "and", "args": [{"op": ">", "args": [{"property": "luas_ha"}, 40]},
                                      {"op": "in", "args": [{"property": "tingkat"}, ["Sedang", "Berat"]]}]}
        text = "luas_ha > 40 AND tingkat IN ('Sedang','Berat')"
        pairs = [({"do": do, "dataset": "kumuh", "options": {"filter": one, "sort": ["-luas_ha", "id_kawasan"], "page_size": 50}}, want)
                 for do in ("list", "search") for one in (text, tree)]
        fields, sort = ["id_kawasan", "luas_ha", "nomor_sk"], ["-luas_ha", "id_kawasan"]
        pairs += [({"do": "list", "dataset": "kumuh", "options": {"filter": text, "sort": sort, "fields": fields}}, [{k: r[k] for k in fields} for r in want]),
                  ({"do": "search", "dataset": "kumuh", "options": {"filter": tree, "sort": sort, "skip_geometry": True}},
                   [{k: v for k, v in r.items() if k != "geometry"} for r in want])]
        missing = sorted((r["id_kawasan"] for r in kumuh if r["nomor_sk"] is None))
        pairs.append(({"do": "list", "dataset": "kumuh", "options": {"filter": "nomor_sk IS NULL", "fields": ["id_kawasan"], "sort": ["id_kawasan"]}},
                      [{"id_kawasan": one} for one in missing]))
        self.everyone(*pairs)

    def test_long_search(self):
        """A filter that is longer than an address may be, over several pages."""
        records = sorted(self.records("kumuh"), key=lambda r: r["id_kawasan"])
        wanted = [r["id_kawasan"] for r in records[::2]]
        want = [{"id_kawasan": one, "skor": r["skor"]} for one, r in zip(wanted, records[::2])]
        self.assertGreater(len(",".join(wanted)) * 1.4, 8192)
        options = {"sort": ["id_kawasan"], "fields": ["id_kawasan", "skor"], "page_size": 100}
        self.everyone(*(({"do": do, "dataset": "kumuh", "options": {"where": {"id_kawasan": wanted}, **options}}, want) for do in ("list", "search")))

    def test_text_box_time(self):
        """q, bbox and datetime: what the gateway says to curl."""
        pairs = []
        for option, given, said in (("q", 'rawasari "RW 20"', 'rawasari "RW 20"'), ("bbox", [106.7, -6.4, 107, -6.1], "106.7,-6.4,107,-6.1"),
                                    ("datetime", "2020-01-01/2020-12-31", "2020-01-01/2020-12-31"), ("datetime", "../2016-06-01", "../2016-06-01")):
            query = urllib.parse.urlencode({option: said, "sortby": "id_kawasan", "limit": 1000})
            want = self.gateway.get(f"/v1/kumuh?{query}", self.key).json()
            self.assertTrue(want["data"] and want["meta"]["total"] <= 1000, said)
            options = {option: given, "sort": ["id_kawasan"], "page_size": 37}
            pairs += [({"do": do, "dataset": "kumuh", "options": options}, want["data"]) for do in ("list", "search")]
        self.everyone(*pairs)

    def test_get(self):
        record, project = self.records("kumuh")[5], self.records("proyek/timeline")[8]
        milestone = {"do": "get", "dataset": "proyek", "resource": "timeline"}
        self.everyone(({"do": "get", "dataset": "kumuh", "id": record["id_kawasan"]}, record),
                      ({**milestone, "id": [project["id_proyek"], project["urutan"]]}, project),
                      ({**milestone, "id": {"urutan": project["urutan"], "id_proyek": project["id_proyek"]}}, project),
                      *(({"do": "get", "dataset": "tunggal", "id": k}, {"kunci": k, "nomor": n}) for n, k in enumerate(ODD)),
                      *(({"do": "get", "dataset": "ganda", "id": [k, n]}, {"kunci": k, "nomor": n}) for n, k in enumerate(ODD)))

    def test_errors(self):
        calls = ({"do": "get", "dataset": "kumuh", "id": "tidak/ada"}, {"do": "list", "dataset": "kumuh", "options": {"filter": "luas_ha >"}},
                 {"do": "list", "dataset": "tidak-ada"}, {"do": "list", "dataset": "kumuh", "options": {"where": {"warna": "merah"}}})
        want = (("NotFound", 404, "record-not-found"), ("BadRequest", 400, "filter-invalid"), ("NotFound", 404, "not-found"),
                ("BadRequest", 400, "parameter-unknown"))
        for language, outcomes in self.each(*calls).items():
            for call, told, (kind, status, code) in zip(calls, outcomes, want):
                with self.subTest(f"{language} {code}"):
                    self.is_error(told, kind=kind, status=status, code=code)
        for language, outcomes in self.each(calls[0], key=gatewaylib.make_key()).items():
            with self.subTest(f"{language} unknown key"):
                self.is_error(outcomes[0], kind="Authentication", status=401, code="key-unknown")

    def test_catalog(self):
        self.everyone(({"do": "catalog"}, [entry["slug"] for entry in json.loads((self.site / "v1/index.json").read_text())["data"]]), key=None)

    # ---- versions ----

    def test_versions_and_changes(self):
        steps = [(a, b, json.loads((self.site / "data/perumahan" / b / "changes.json").read_text())) for a, b in
                 ((self.VERSIONS[2], self.VERSIONS[1]), (self.VERSIONS[1], self.VERSIONS[0]))]
        want = [[{**change, "from": a, "to": b} for change in document["changes"]] for a, b, document in steps]
        self.assertEqual([len(w) for w in want], [1, 4])
        changes = {"do": "changes", "dataset": "perumahan"}
        self.everyone(({"do": "versions", "dataset": "perumahan"}, self.VERSIONS), (changes, want[1]),
                      ({**changes, "from": self.VERSIONS[2]}, want[0] + want[1]),
                      ({**changes, "from": self.VERSIONS[2], "to": self.VERSIONS[1]}, want[0]), key=None)

    def test_sync(self):
        """No file, each older version, the newest, a file that is none: always the newest afterwards."""
        newest = self.before[self.VERSIONS[0]] / "perumahan.csv"
        size, found = newest.stat().st_size, {}
        for name, start, action in (("none", None, "downloaded"), ("one", 1, "patched"), ("two", 2, "patched"), ("same", 0, "current"),
                                    ("mine", None, "downloaded")):
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
                    self.assertEqual((result["action"], result["version"], result["sha256"]), (action, self.VERSIONS[0], clientsitelib.sha256(newest)))
                    self.assertEqual(clientsitelib.sha256(self.dir / language / "data.csv"), clientsitelib.sha256(newest))
                    self.assertEqual(os.listdir(self.dir / language), ["data.csv"])
                    moved = result["transferred"]
                    self.assertTrue({"downloaded": moved == size, "patched": 0 < moved < size / 2, "current": moved == 0}[action], result)
                    found.setdefault(name, set()).add(moved)
        self.assertTrue(all(len(one) == 1 for one in found.values()), found)

    # ---- files ----

    def test_download_every_file(self):
        calls, want = [], []
        for slug in ("kumuh", "proyek", "anggaran", "regulasi", "perumahan"):
            version = self.published(slug)[0]
            for number, resource in enumerate(version["resources"]):
                for file in resource["files"]:
                    path = self.site / "data" / slug / file["url"]
                    calls.append({"do": "download", "dataset": slug, "format": file["name"], "path": f"{number}-{path.name}",
                                  **({"resource": resource["name"]} if number else {})})
                    want.append((path, version["version"], file["bytes"], file["hash"].removeprefix("sha256:")))
        self.assertGreater(len(calls), 12)
        for language, outcomes in self.each(*calls, key=None).items():
            for call, told, (path, version, size, sha) in zip(calls, outcomes, want):
                with self.subTest(f"{language} {call['path']}"):
                    self.is_result(language, told, {"version": version, "bytes": size, "sha256": sha, "transferred": size, "progress": [size, size]})
                    self.assertEqual(clientsitelib.sha256(self.dir / language / call["path"]), sha)
                    self.assertEqual(clientsitelib.sha256(path.resolve()), sha)

    def test_download_cut(self):
        """A connection that is cut five times in the middle: gone on with, whole in the end, no byte twice."""
        file = next(f for f in self.published("kumuh")[0]["resources"][0]["files"] if f["name"] == "geojson")
        for library in self.libraries.values():
            with self.subTest(library.name):
                proxy = clientlib.Proxy(self.gateway.port)
                self.addCleanup(proxy.close)
                proxy.cuts = [200000, 150000, 100000, 300000, 50000]
                told = library.call(proxy.base, {"do": "download", "dataset": "kumuh", "format": "geojson", "path": "kumuh.geojson"},
                                    folder=self.folder(library), retries=2)
                self.assertIn("result", told[0], told)
                self.assertEqual(proxy.cut, 5)
                result = told[0]["result"]
                self.assertEqual((result["bytes"], result["sha256"], result["transferred"]),
                                 (file["bytes"], file["hash"].removeprefix("sha256:"), file["bytes"]))
                self.assertEqual(clientsitelib.sha256(self.folder(library) / "kumuh.geojson"), result["sha256"])
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
                self.is_result(library.language, second[0], {
                    "version": self.published("kumuh")[0]["version"], "bytes": file["bytes"], "sha256": file["hash"].removeprefix("sha256:"),
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
                self.is_result(library.language, told[0], {"count": len(records), "distinct": len(records), "sha256": clientsitelib.digest(records)})
                self.assertEqual(proxy.cut, 4)


class Hundred(clientsitelib.Site):
    """The issue's measure: 100,000 records, each exactly once, through 429s and cut connections."""

    TIERS = [("public", 100000, 8), ("registered", 100000, 8), ("government", None, 100000)]
    ROWS = 100000

    @classmethod
    def make_catalogue(cls):
        if not odp.SAMPLE:
            raise odp.unittest.SkipTest("odp-sample was not built")
        done = subprocess.run([odp.SAMPLE, "penghargaan", "--rows", str(cls.ROWS), "--catalog", odp.SOURCE / "catalog", "--out", "catalog",
                               "--descriptor"], cwd=cls.home, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr[-2000:])
        cls.portal_of(cls.TIERS)
        cls.build()

    def test_every_record_once(self):
        records = self.records("penghargaan")
        self.assertEqual(len(records), self.ROWS)
        want = {"count": self.ROWS, "distinct": self.ROWS, "sha256": clientsitelib.digest(records)}
        for options in ({}, {"page_size": 1000}) if DEEP else ({},):
            call, told = {"do": "list", "dataset": "penghargaan", "digest": True, "options": options}, {}

            def run(library):
                began = time.monotonic()
                try:
                    told[library.name] = self.walk_through_refusals(library, self.gateway.create_key("registered"), call, [8000, 3000, 12000])
                except AssertionError as e:
                    told[library.name] = {"error": {"kind": "driver", "message": str(e)}}, None
                outcome, proxy = told[library.name]
                if proxy:
                    print(f"{library.name}: {self.ROWS} records {options} in {time.monotonic() - began:.1f} s, {proxy.refused} answers 429, "
                          f"{proxy.cut} cuts", file=sys.stderr)
            threads = [threading.Thread(target=run, args=(library,)) for library in self.libraries.values()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for language, (outcome, proxy) in told.items():
                with self.subTest(f"{language} {options}"):
                    self.is_result(language, outcome, want)
                    self.assertEqual(proxy.cut, 3)
                    self.assertGreaterEqual(proxy.refused, 2)


if __name__ == "__main__":
    sys.argv[1:] = [a for a in sys.argv[1:] if a != "deep"]
    gatewaylib.main()
