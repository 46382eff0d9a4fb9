"""Query indexes in a site that lives on: how long those of earlier versions stay, what is carried over, taken back, renamed, sent to other
machines; and that what the site says of itself (search/index.json, v1/ogc/, v1/openapi.json) is what can be asked."""
import functools
import http.server
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tarfile
import threading
import zipfile

import odp
import versionslib

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests/query_tool"
GATEWAY = os.environ.get("ODP_GATEWAY", "")
FIELDS = [{"name": "id", "type": "integer"}, {"name": "nama", "type": "string"}, {"name": "kelas", "type": "string"}]
WITHDRAW = ["--reason", "privacy", "--note", "memuat data pribadi"]
CODES = [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}]


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def collections_of(site):
    return [c["id"] for c in odp.read_json(site / "v1/ogc/collections.json")["collections"]]


class Lifecycle(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.site = self.dir / "build/site"
        path = self.dir / "catalog/portal.json"
        path.write_text(json.dumps({**odp.read_json(path), "page": {"records": 2, "bytes": 1048576}}))
        for slug in ("satu", "dua"):
            self.dataset(slug, self.table(slug, 3), FIELDS, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV"]})

    @staticmethod
    def table(slug, n):
        return "id,nama,kelas\n" + "".join(f"{i},{slug} {i},{'AB'[i % 2]}\n" for i in range(1, n + 1))

    def build(self, *args, **more):
        return self.odp("build", "--today", "2024-12-01", *args, **more)

    def next(self, slug, date, n, *args, **more):
        self.update(slug, date, self.table(slug, n))
        return self.build(*args, **more)

    def indexes(self, site=None):
        """{path: bytes} of the indexes below search/."""
        site = site or self.site
        return {str(p.relative_to(site)): p.read_bytes() for p in sorted((site / "search").rglob("*")) if p.suffix == ".sqlite"}

    def versions_there(self, slug, site=None):
        return sorted({p.split("/")[2] for p in self.indexes(site) if p.startswith(f"search/{slug}/")})

    def listed(self, site=None):
        document = odp.read_json((site or self.site) / "search/index.json")
        return {r["collection"]: r for r in document["resources"]}, document["withdrawn"]

    def rows_of(self, path):
        with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as db:
            table = pathlib.Path(path).name.rsplit("-", 1)[0]
            return db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]

    def ask(self, path, query):
        if not TOOL.exists():
            self.skipTest("query_tool is not built")
        done = subprocess.run([TOOL, path, query], capture_output=True, check=True)
        return json.loads(done.stdout)

    def serve(self, folder):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=os.path.realpath(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/"

    def check(self, expected, site=None, sparse=False):
        """The list names exactly EXPECTED {collection: (version, rows)}, and so do all the documents; each index is there, and whole."""
        site = site or self.site
        listed, _ = self.listed(site)
        self.assertEqual({name: (r["version"], r["rows"]) for name, r in listed.items()}, expected)
        manifest = {f["path"]: f for f in odp.read_json(site / "manifest.json")["files"]}
        for name, r in listed.items():
            self.assertEqual((r["info"]["slug"], r["info"]["version"], r["info"]["rows"]), (r["slug"], r["version"], r["rows"]))
            self.assertEqual([c["name"] for c in r["info"]["columns"]], [f["name"] for f in FIELDS])
            self.assertEqual(manifest[r["file"]]["class"], "internal")
            if not sparse:
                self.assertEqual(self.rows_of(site / r["file"]), r["rows"], name)
        self.assertEqual(set(collections_of(site)), set(expected))
        for document, lead in (("v1/openapi.json", "/v1/"), ("v1/ogc/api.json", "/collections/")):
            paths = odp.read_json(site / document)["paths"]
            queried = {p.removeprefix(lead).split("/")[0] for p in paths if p.startswith(lead) and p.endswith(("/search", "/items"))}
            self.assertEqual(queried, set(expected), document)
        for p in (site / "v1/ogc/collections").iterdir() if expected else ():
            self.assertIn(p.name.split(".")[0], expected)

    # ---- how long they stay -------------------------------------------------------------------------------------------------

    def test_a_superseded_one_stays_for_five_builds(self):
        self.build()
        first = self.indexes()
        (path,) = [p for p in first if p.startswith("search/satu/")]
        self.assertRegex(path, r"^search/satu/2024-03-15/satu-[0-9a-f]{16}\.sqlite$")
        self.next("satu", "2024-04-15", 5)
        self.assertEqual(self.versions_there("satu"), ["2024-03-15", "2024-04-15"])
        self.check({"satu": ("2024-04-15", 5), "dua": ("2024-03-15", 3)})
        self.build()  # nothing has changed: not a build
        for n in range(4, 10):
            self.assertEqual(self.indexes()[path], first[path], "not the same bytes")
            self.assertEqual(self.rows_of(self.site / path), 3)
            self.next("dua", f"2024-04-{n:02}", n)
            self.check({"satu": ("2024-04-15", 5), "dua": (f"2024-04-{n:02}", n)})
            self.assertEqual((self.site / "v1/satu/v/2024-03-15").exists(), (self.site / path).exists(), "as long as its pages")
            if not (self.site / path).exists():
                break
        self.assertEqual(n, 8, "five builds have it: the one that superseded it, and four more")
        self.assertEqual(self.versions_there("satu"), ["2024-04-15"])
        self.assertEqual(self.versions_there("dua"), ["2024-03-15", *(f"2024-04-{n:02}" for n in range(4, 9))])
        self.next("dua", "2024-04-09", 9)
        self.assertEqual(self.versions_there("dua"), [f"2024-04-{n:02}" for n in range(4, 10)])
        self.assert_whole("build/site")
        self.odp("verify", "build/site")

    def test_versions_that_are_thinned_out_lose_theirs(self):
        fields = [{"name": "id", "type": "integer"}, {"name": "waktu", "type": "datetime"}, {"name": "kelas", "type": "string"}]
        self.dataset("pantau", "", fields, {"schema": {"primaryKey": ["id"]}},
                     **{"odp:formats": ["CSV"], "odp:lastUpdate": {"field": "waktu"}, "odp:retention": {"all": 1, "hourly": 24, "daily": None}})
        for time in ("01:00", "01:10", "01:20", "02:30"):
            (self.dir / "catalog/pantau/pantau.csv").write_text("id,waktu,kelas\n" + "".join(f"{i},2024-03-20T{time}:00+00:00,A\n" for i in (1, 2, 3)))
            self.build()
        states = {v["version"]: v["state"] for v in self.versions("pantau")}
        self.assertEqual(states, {"2024-03-20T023000Z": "published", "2024-03-20T012000Z": "published", "2024-03-20T011000Z": "thinned",
                                  "2024-03-20T010000Z": "thinned"})
        self.assertEqual(self.versions_there("pantau"), ["2024-03-20T012000Z", "2024-03-20T023000Z"])
        self.assertEqual({p.name for p in (self.site / "v1/pantau/v").iterdir()}, {"2024-03-20T012000Z", "2024-03-20T023000Z"}, "pages, too")
        self.odp("verify", "build/site")

    # ---- the same bytes ---------------------------------------------------------------------------------------------------------

    def test_an_incremental_build_has_the_bytes_of_a_full_one(self):
        folder = self.dir / "catalog/references/daftar"
        folder.mkdir(parents=True)
        def put_list(date, name):
            table = {"name": "2024", "type": "table", "path": "2024.csv", "odp:editionDate": date, "schema": {"fields": CODES, "primaryKey": ["kode"]}}
            (folder / "dataset.json").write_text(json.dumps({"name": "daftar", "title": "Daftar", "resources": [table]}))
            (folder / "2024.csv").write_text(f"kode,nama\nA,{name} A\nB,{name} B\n")

        put_list("2024-01-01", "kelas")
        self.describe("satu", resource={"odp:foreignKeys": [{"fields": ["kelas"], "reference": {"dataset": "references/daftar@2024", "fields": ["kode"]}}]})

        def both(what):
            self.build("--out", "cepat/site")
            for path in (self.dir / "penuh").glob("site.builds/*.inputs"):
                path.unlink()
            self.build("--out", "penuh/site")
            self.assertEqual(self.indexes(self.dir / "cepat/site"), self.indexes(self.dir / "penuh/site"), what)
            self.assertEqual(self.build_of("cepat/site"), self.build_of("penuh/site"), what)
            return {p.split("/")[1]: p for p in sorted(self.indexes(self.dir / "cepat/site"))}

        first = both("first")
        self.update("dua", "2024-04-15", self.table("dua", 4))
        second = both("one changed")
        self.assertEqual((first["satu"] == second["satu"], first["dua"] == second["dua"]), (True, False))
        put_list("2024-02-01", "golongan")
        third = both("codes renamed: what is found by their names is in the index")
        self.assertEqual((second["satu"] == third["satu"], second["dua"] == third["dua"]), (False, True))
        self.assertEqual(os.path.dirname(second["satu"]), os.path.dirname(third["satu"]), "but no version")
        listed, _ = self.listed(self.dir / "cepat/site")
        self.assertEqual(listed["satu"]["file"], third["satu"])
        self.assertEqual(len([p for p in self.indexes(self.dir / "cepat/site") if p.startswith("search/satu/")]), 1, "the old one has gone")
        if TOOL.exists():
            path = self.dir / "cepat/site" / third["satu"]
            self.assertEqual([len(self.ask(path, f"q={w}")["data"]) for w in ("golongan", "kelas")], [3, 0])

    def test_one_dataset_alone(self):
        self.build()
        before = self.indexes()
        self.update("satu", "2024-04-15", self.table("satu", 5))
        (self.dir / "catalog/dua/dua.csv").unlink()
        self.build("satu")
        self.check({"satu": ("2024-04-15", 5), "dua": ("2024-03-15", 3)})
        for path, data in before.items():
            self.assertEqual(self.indexes()[path], data)

    def test_a_rejected_dataset_keeps_its_own(self):
        self.build()
        self.next("satu", "2024-04-15", 4)
        before = self.indexes()
        self.update("dua", "2024-05-15", self.table("dua", 6))
        self.update("satu", "2024-05-15", self.table("satu", 6) + "7x,salah,A\n")
        self.build(expect=1)
        self.assertEqual(self.indexes(), before)
        self.build("--keep-good", expect=1)
        self.check({"satu": ("2024-04-15", 4), "dua": ("2024-05-15", 6)})
        after = self.indexes()
        self.assertEqual({p: d for p, d in after.items() if "/satu/" in p}, {p: d for p, d in before.items() if "/satu/" in p})
        self.assertEqual([p for p in (self.dir / "build").rglob("*.making*")], [])
        self.odp("verify", "build/site")

    def test_a_candidate_has_none(self):
        self.build()
        before = self.indexes()
        self.odp("keygen", "kunci", "--unencrypted")
        path = self.dir / "catalog/portal.json"
        path.write_text(json.dumps({**odp.read_json(path), "approval": {"keys": [(self.dir / "kunci/odp-signing.pub").read_text().split()[-1]]}}))
        self.next("satu", "2024-04-15", 5)
        self.check({"satu": ("2024-03-15", 3), "dua": ("2024-03-15", 3)})
        self.assertEqual(self.indexes(), before)
        self.odp("approve", "satu", "--by", "Sari", "--ref", "B-12/2024", "--key", "kunci/odp-signing.key")
        self.build()
        self.check({"satu": ("2024-04-15", 5), "dua": ("2024-03-15", 3)})
        self.assertEqual(self.versions_there("satu"), ["2024-03-15", "2024-04-15"])

    def test_one_that_is_not_wanted(self):
        self.build()
        self.describe("satu", resource={"odp:index": False})
        self.release("2.5.1")
        self.build()
        self.check({"dua": ("2024-03-15", 3)})
        self.assertEqual(self.versions_there("satu"), [])
        self.assertTrue((self.site / "v1/satu.json").exists())
        self.odp("verify", "build/site")
        self.describe("satu", resource={"odp:index": []})
        self.release("2.6.0")
        self.build()
        self.check({"satu": ("2024-03-15", 3), "dua": ("2024-03-15", 3)})

    def test_a_renamed_dataset(self):
        self.build()
        self.next("satu", "2024-04-15", 4)
        shutil.move(self.dir / "catalog/satu", self.dir / "catalog/baru")
        path = self.dir / "catalog/baru/dataset.json"
        package = odp.read_json(path)
        package.update({"name": "baru", "odp:formerSlugs": [{"slug": "satu", "sunset": "2025-12-31"}]})
        path.write_text(json.dumps(package))
        self.release("3.0.0")
        self.build("--today", "2024-12-01")
        self.check({"baru": ("2024-04-15", 4), "dua": ("2024-03-15", 3)})
        self.assertFalse((self.site / "search/satu").exists())
        self.assertEqual(self.versions_there("baru"), ["2024-04-15"])
        self.odp("verify", "build/site")

    # ---- taken back ---------------------------------------------------------------------------------------------------------------

    def three(self):
        self.build()
        self.next("satu", "2024-04-15", 4)
        self.next("satu", "2024-05-15", 5)
        self.assertEqual(self.versions_there("satu"), ["2024-03-15", "2024-04-15", "2024-05-15"])

    def everywhere(self, part):
        return [str(p) for p in (self.dir / "build").rglob("*") if part in str(p) and p.is_file()]

    def test_the_current_version_is_withdrawn(self):
        self.three()
        rest = {p: d for p, d in self.indexes().items() if "2024-05-15" not in p}
        self.odp("withdraw", "satu", "2024-05-15", *WITHDRAW)
        self.check({"dua": ("2024-03-15", 3)})
        self.assertEqual(self.listed()[1], ["satu/2024-05-15"])
        self.assertEqual(self.indexes(), rest)
        self.assertEqual(self.everywhere("search/satu/2024-05-15"), [])
        self.assert_whole("build/site")
        self.odp("verify", "build/site")
        self.build("dua")
        self.assertEqual(self.listed()[1], ["satu/2024-05-15"])
        self.next("satu", "2024-06-15", 6)
        self.check({"satu": ("2024-06-15", 6), "dua": ("2024-03-15", 3)})
        self.assertEqual(self.listed()[1], ["satu/2024-05-15"])
        self.odp("verify", "build/site")

    def test_an_older_version_is_withdrawn(self):
        self.three()
        rest = {p: d for p, d in self.indexes().items() if "2024-04-15" not in p}
        self.odp("withdraw", "satu", "2024-04-15", *WITHDRAW)
        self.check({"satu": ("2024-05-15", 5), "dua": ("2024-03-15", 3)})
        self.assertEqual(self.listed()[1], ["satu/2024-04-15"])
        self.assertEqual(self.indexes(), rest)
        self.assertEqual(self.everywhere("search/satu/2024-04-15"), [])
        self.odp("verify", "build/site")
        self.odp("withdraw", "satu", "2024-03-15", *WITHDRAW)
        self.assertEqual(self.listed()[1], ["satu/2024-04-15", "satu/2024-03-15"])
        self.assertEqual(self.versions_there("satu"), ["2024-05-15"])

    def test_a_dataset_is_withdrawn_by_the_catalogue(self):
        self.three()
        past = {"odp:deprecated": "2024-01-01", "odp:sunset": "2024-06-30", "odp:replacedBy": "dua", "odp:note": {"id": "Diganti", "en": "Replaced"}}
        self.describe("satu", **{"odp:status": "deprecated", **past})
        self.release("2.5.1")
        self.build()
        self.describe("satu", **{"odp:status": "withdrawn", **past})
        self.release("3.0.0")
        self.build()
        self.check({"dua": ("2024-03-15", 3)})
        self.assertFalse((self.site / "search/satu").exists())
        self.assertEqual(sorted(self.listed()[1]), ["satu/2024-03-15", "satu/2024-04-15", "satu/2024-05-15"])

    # ---- other machines -----------------------------------------------------------------------------------------------------------

    def test_a_machine_without_the_files_lists_them(self):
        self.build()
        self.next("satu", "2024-04-15", 4)
        address, runner = self.serve(self.site), self.dir / "runner"
        shutil.copytree(self.dir / "catalog", runner / "catalog")
        (runner / "catalog/dua/dua.csv").unlink()
        home, self.dir = self.dir, runner
        self.update("satu", "2024-05-15", self.table("satu", 5))
        self.build("satu", "--previous", address)
        self.dir = home
        site, expected = runner / "build/site", {"satu": ("2024-05-15", 5), "dua": ("2024-03-15", 3)}
        self.check(expected, site, sparse=True)
        (dua,) = [r["file"] for r in self.listed(site)[0].values() if r["slug"] == "dua"]
        self.assertFalse((site / dua).exists(), "its bytes are not needed here")
        self.next("satu", "2024-05-15", 5)
        self.assertEqual(self.build_of("runner/build/site"), self.build_of(), "the same site as beside its history")
        self.dir = runner  # and on top of the sparse one
        self.update("satu", "2024-06-15", self.table("satu", 6))
        self.build("satu")
        self.odp("withdraw", "satu", "2024-06-15", *WITHDRAW)
        self.dir = home
        self.check({"dua": ("2024-03-15", 3)}, site, sparse=True)
        self.assertEqual(self.listed(site)[1], ["satu/2024-06-15"])

    def test_what_is_sent_where(self):
        self.build()
        self.next("satu", "2024-04-15", 4)
        self.odp("publish", "asal", "--origin", "--first")
        self.odp("publish", "umum", "--public", "--first")
        self.assertEqual(self.indexes(self.dir / "asal"), self.indexes())
        self.assertFalse((self.dir / "umum/search").exists())
        self.odp("bundle", "arsip.zip")
        with zipfile.ZipFile(self.dir / "arsip.zip") as z:
            self.assertEqual([n for n in z.namelist() if n.startswith("search/") or ".sqlite" in n], [])
        if not os.path.exists(GATEWAY):
            self.skipTest("odp-gateway is not built")
        subprocess.run([GATEWAY, "pull", self.serve(self.dir / "asal"), "--to", self.dir / "cermin"], check=True, capture_output=True)
        self.assertEqual(self.indexes(self.dir / "cermin"), self.indexes())
        mirror = self.listed(self.dir / "cermin")[0]["satu"]["file"]
        self.assertEqual([r["id"] for r in self.ask(self.dir / "cermin" / mirror, "kelas=A")["data"]], [2, 4])

    def test_a_flipped_bit_is_named(self):
        self.build()
        self.odp("verify", "build/site")
        (path,) = [p for p in self.indexes() if "/satu/" in p]
        file = (self.site / path).resolve()
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        os.chmod(file, 0o644)
        file.write_bytes(data)
        done = self.odp("verify", "build/site", expect=1)
        self.assertIn(path, done.stdout + done.stderr)
        # Neither is it carried over.
        self.update("dua", "2024-04-15", self.table("dua", 4))
        self.assertIn(path, self.build("dua", expect=1).stderr)


if __name__ == "__main__":
    odp.main()
