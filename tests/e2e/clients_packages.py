"""The packages of the client libraries: their forms read back by others' programs, their bytes the same anywhere and for ever, the indexes that pip, npm and
Composer read. Installing them is clients_install.py."""
import base64
import csv
import functools
import gzip
import hashlib
import html.parser
import http.server
import io
import json
import os
import pathlib
import shutil
import tarfile
import threading
import tempfile
import time
import unittest
import unittest.mock
import urllib.parse
import zipfile
import zlib

import odp

BASE = "https://data.example.go.id/portal/"
FIELDS = [{"name": "kode", "type": "string", "constraints": {"required": True}}, {"name": "nilai", "type": "number"},
          {"name": "tingkat", "type": "string", "categories": ["Ringan", "Berat"]}]
ROWS = "kode,nilai,tingkat\nA,1.5,Ringan\nB,2.5,Berat\n"
NAMES = {"javascript": "@odp/client", "python": "odp-client", "php": "odp/client"}
FILES = {"javascript": "packages/javascript/odp-client-{}.tgz", "python": "packages/python/odp_client-{}-py3-none-any.whl",
         "php": "packages/php/odp-client-{}.zip"}


class Page(html.parser.HTMLParser):
    """The links of a page of simple/: (address, attributes, text)."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.inside, self.tags = [], False, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "a":
            self.links.append([dict(attrs)["href"], dict(attrs), ""])
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "a"

    def handle_data(self, data):
        if self.inside:
            self.links[-1][2] += data


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Case(odp.Case):
    """A catalogue of two datasets whose site lies below a path. No pages: nothing here is about them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-bare-"))
        cls.addClassCleanup(odp.remove_tree, folder)
        cls.enterClassContext(unittest.mock.patch.object(odp, "PROGRAM", str(odp.program_without_portal(folder / "bin"))))

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.portal(baseUrl=BASE)
        self.changes("2.5.0")
        for slug in ("satu", "air-bersih"):
            self.dataset(slug, ROWS, FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.site = self.dir / "site"

    def portal(self, **members):
        path = self.dir / "catalog/portal.json"
        path.write_text(json.dumps({**odp.read_json(path), **members}))

    def changes(self, *versions):
        path = self.dir / "catalog/changes.json"
        releases = [{"version": v, "date": "2024-03-15", "changes": [{"id": "Perubahan", "en": "Changes"}]} for v in versions]
        path.write_text(json.dumps({"releases": releases}))

    def build(self, *args, out="site", **more):
        return self.odp("build", "--out", out, *args, **more)

    def notes(self, *args, expect=0):
        """Builds; the C32 that it reports."""
        report = self.report("build", "--out", "site", *args, expect=expect)
        return [d for d in report["diagnostics"] if d["code"] == "ODP-C32"]

    def index(self, site=None):
        return odp.read_json((site or self.site) / "packages/index.json")

    def listed(self, site=None):
        return {(p["language"], p["name"], p["version"]) for p in self.index(site)["packages"]}

    def packages(self, site=None):
        """{path: bytes} of the packages, and of what lies beside them."""
        site = site or self.site
        return {str(p.relative_to(site)): p.read_bytes() for p in sorted((site / "packages").glob("*/*"))}

    def all_of(self, *versions):
        return {(language, name, v) for language, name in NAMES.items() for v in versions}


class Forms(Case):
    """What is in the packages, and that others can read them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        case.build()
        cls.made = case.site

    def setUp(self):
        unittest.TestCase.setUp(self)
        self.dir = self.made.parent
        self.site = self.made

    def test_the_list_tells_what_there_is(self):
        index = self.index()
        self.assertEqual(index["current"], NAMES)
        self.assertEqual([p["language"] for p in index["packages"]], ["javascript", "python", "php"])
        manifest = {f["path"]: f for f in odp.read_json(self.site / "manifest.json")["files"]}
        types = {"javascript": "application/gzip", "python": "application/zip", "php": "application/zip"}
        for p in index["packages"]:
            data = (self.site / p["file"]).read_bytes()
            self.assertEqual((p["name"], p["version"], p["date"]), (NAMES[p["language"]], "2.5.0", "2024-03-15"))
            self.assertEqual(p["file"], FILES[p["language"]].format("2.5.0"))
            self.assertEqual((p["bytes"], p["sha256"]), (len(data), sha256(data)))
            self.assertEqual((manifest[p["file"]]["class"], manifest[p["file"]]["type"]), ("public", types[p["language"]]))
            self.assertEqual(p["file"] + ".gz" in manifest or p["file"] + ".br" in manifest, False)

    def test_npm(self):
        data = (self.site / FILES["javascript"].format("2.5.0")).read_bytes()
        self.assertEqual(data[:10], b"\x1f\x8b\x08\0\0\0\0\0\x02\x03")  # no name, no time
        self.assertEqual(zlib.decompressobj(31).decompress(data), gzip.decompress(data))
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            members = tar.getmembers()
            names = [m.name for m in members]
            self.assertEqual(names, sorted(names))
            for m in members:
                self.assertTrue(m.name.startswith("package/"))
                self.assertEqual((m.isfile(), m.mode, m.uid, m.gid, m.uname, m.gname), (True, 0o644, 0, 0, "", ""))
                self.assertEqual(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(m.mtime)), "2024-03-15 00:00:00")
            package = json.loads(tar.extractfile("package/package.json").read())
            self.assertEqual(tar.extractfile("package/LICENSE").read(), (odp.SOURCE / "LICENSE").read_bytes())
        self.assertEqual((package["name"], package["version"]), ("@odp/client", "2.5.0"))
        self.assertTrue({"package/README.md", "package/README.id.md"} <= set(names))

    def assertZip(self, data):
        archive = zipfile.ZipFile(io.BytesIO(data))
        self.assertIsNone(archive.testzip())
        for i in archive.infolist():
            self.assertEqual((i.date_time, i.external_attr >> 16, i.create_system, i.extra, i.comment), ((2024, 3, 15, 0, 0, 0), 0o100644, 3, b"", b""))
            self.assertIn(i.compress_type, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
        return archive

    def test_wheel(self):
        path = self.site / FILES["python"].format("2.5.0")
        archive = self.assertZip(path.read_bytes())
        names, info = archive.namelist(), "odp_client-2.5.0.dist-info/"
        self.assertEqual(names, sorted(names, key=lambda n: (n == info + "RECORD", n.startswith(info), n)))  # dist-info last (PEP 427)
        record = list(csv.reader(io.StringIO(archive.read(info + "RECORD").decode())))
        self.assertEqual(sorted(r[0] for r in record), sorted(names))
        for name, digest, size in record:
            data = archive.read(name)
            right = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, size), ("", "") if name == info + "RECORD" else (right, str(len(data))), name)
        self.assertIn("Tag: py3-none-any", archive.read(info + "WHEEL").decode())
        headers = archive.read(info + "METADATA").decode().split("\n\n")[0].split("\n")
        self.assertTrue({"Name: odp-client", "Version: 2.5.0"} <= set(headers))
        self.assertEqual((path.parent / (path.name + ".metadata")).read_bytes(), archive.read(info + "METADATA"))
        self.assertEqual(archive.read(info + "LICENSE"), (odp.SOURCE / "LICENSE").read_bytes())

    def test_composer(self):
        archive = self.assertZip((self.site / FILES["php"].format("2.5.0")).read_bytes())
        self.assertEqual(archive.namelist(), sorted(archive.namelist()))
        self.assertEqual(json.loads(archive.read("composer.json"))["name"], "odp/client")
        self.assertTrue({"LICENSE", "README.md", "README.id.md"} <= set(archive.namelist()))

    def file_at(self, address):
        """The file of the site at an absolute address; that of a folder is its page."""
        self.assertTrue(address.startswith(BASE), address)
        path = self.site / urllib.parse.unquote(address[len(BASE):])
        return path / "index.html" if address.endswith("/") else path

    def test_simple(self):
        root = Page((self.site / "simple/index.html").read_text())
        self.assertEqual([(a, t) for a, _, t in root.links], [("odp-client/", "odp-client")])
        address = urllib.parse.urljoin(BASE + "simple/", root.links[0][0])
        text = self.file_at(address).read_text()
        self.assertTrue(text.startswith("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"))
        (href, attributes, name), = Page(text).links
        target, fragment = urllib.parse.urldefrag(urllib.parse.urljoin(address, href))
        file = self.file_at(target)
        metadata = (file.parent / (file.name + ".metadata")).read_bytes()
        self.assertEqual((file.name, fragment), (name, "sha256=" + sha256(file.read_bytes())))
        self.assertEqual(attributes["data-core-metadata"], "sha256=" + sha256(metadata))
        self.assertNotIn("data-dist-info-metadata", attributes)  # pip 23.0 reads it, and then compares names as they are spelt
        self.assertIn(f"Requires-Python: {attributes['data-requires-python']}\n", metadata.decode())

    def test_npm_document(self):
        document = odp.read_json(self.site / "npm/@odp/client")
        self.assertEqual((document["name"], document["dist-tags"]), ("@odp/client", {"latest": "2.5.0"}))
        version = document["versions"]["2.5.0"]
        self.assertEqual((version["name"], version["version"]), ("@odp/client", "2.5.0"))
        data = self.file_at(version["dist"]["tarball"]).read_bytes()
        self.assertEqual(version["dist"]["shasum"], hashlib.sha1(data).hexdigest())
        self.assertEqual(version["dist"]["integrity"], "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode())
        self.assertEqual(document["time"]["2.5.0"], "2024-03-15T00:00:00.000Z")
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            package = json.loads(tar.extractfile("package/package.json").read())
        self.assertEqual({k: version[k] for k in package}, package)

    def test_composer_repository(self):
        root = odp.read_json(self.site / "packages.json")
        self.assertEqual((root["packages"], root["available-packages"]), ([], ["odp/client"]))
        package = odp.read_json(self.file_at(root["metadata-url"].replace("%package%", "odp/client")))["packages"]["odp/client"]
        version, = package
        data = self.file_at(version["dist"]["url"]).read_bytes()
        self.assertEqual((version["version"], version["version_normalized"], version["dist"]["type"]), ("2.5.0", "2.5.0.0", "zip"))
        self.assertEqual(version["dist"]["shasum"], hashlib.sha1(data).hexdigest())
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            composer = json.loads(archive.read("composer.json"))
        self.assertEqual({k: version[k] for k in composer}, composer)
        self.assertEqual(version["name"], "odp/client")

    def test_how_long_they_may_be_kept(self):
        control = {line.split("\t")[0]: line.split("\t") for line in (self.site / "control").read_text().splitlines()}
        for path in self.packages():
            self.assertEqual(control[path][8], "public, max-age=31536000, immutable", path)
        for path in ("packages/index.json", "simple/index.html", "simple/odp-client/index.html", "npm/@odp/client", "packages.json", "p2/odp/client.json"):
            self.assertEqual(control[path][8], "public, max-age=300", path)
            self.assertEqual(control[path][1], f'"{sha256((self.site / path).read_bytes())[:32]}"')
        self.assertEqual(control["npm/@odp/client"][2], "application/json")

    def test_recipes_of_other_servers(self):
        nginx = self.odp("headers", self.site, "--format", "nginx").stdout
        self.assertIn("location /npm/ { types { } default_type application/json; }", nginx)
        self.assertIn("    application/gzip tgz;\n", nginx)
        self.assertIn("    application/zip whl;\n", nginx)
        netlify = self.odp("headers", self.site, "--format", "netlify").stdout
        self.assertRegex(netlify, r"/npm/[^\n]*\n(  [^\n]*\n)*  Content-Type: application/json\n")
        s3 = {o["Key"]: o for o in map(json.loads, self.odp("headers", self.site, "--format", "s3").stdout.splitlines())}
        self.assertEqual(s3["npm/@odp/client"]["ContentType"], "application/json")
        self.assertEqual(s3[FILES["python"].format("2.5.0")],
                         {"Key": FILES["python"].format("2.5.0"), "ContentType": "application/zip", "CacheControl": "public, max-age=31536000, immutable"})


class Kept(Case):
    """What was published stays, whatever happens."""

    def test_the_same_anywhere(self):
        self.build("--jobs", "1", env={"TZ": "Asia/Jakarta", "SOURCE_DATE_EPOCH": "86400"})
        previous = os.umask(0o077)
        try:
            self.build("--jobs", "4", out="other", env={"TZ": "America/New_York", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1700000000"})
        finally:
            os.umask(previous)
        self.assertEqual(self.packages(), self.packages(self.dir / "other"))
        self.assertEqual(self.index(), self.index(self.dir / "other"))

    def test_a_release_adds(self):
        self.build()
        first = self.packages()
        self.changes("2.5.0", "2.9.0")
        self.assertEqual(self.notes(), [])
        self.changes("2.10.0", "2.5.0", "2.9.0")
        self.assertEqual(self.notes(), [])
        now = self.packages()
        self.assertEqual({k: now[k] for k in first}, first)
        self.assertEqual(len(now), 3 * len(first))
        self.assertEqual(self.listed(), self.all_of("2.5.0", "2.9.0", "2.10.0"))
        order = ["2.10.0", "2.9.0", "2.5.0"]
        self.assertEqual([p["version"] for p in self.index()["packages"]], order * 3)
        document = odp.read_json(self.site / "npm/@odp/client")
        self.assertEqual((list(document["versions"]), document["dist-tags"]["latest"]), (order[::-1], "2.10.0"))
        links = Page((self.site / "simple/odp-client/index.html").read_text()).links
        self.assertEqual([t.split("-")[1] for _, _, t in links], order)
        self.assertEqual([v["version"] for v in odp.read_json(self.site / "p2/odp/client.json")["packages"]["odp/client"]], order)
        self.odp("verify", self.site)

    def test_nothing_changed_nothing_done(self):
        self.build()
        link = os.readlink(self.site)
        self.assertEqual(self.notes(), [])
        self.build("satu")
        self.assertEqual(os.readlink(self.site), link)

    def test_a_change_under_the_same_number_waits(self):
        self.build()
        first = self.packages()
        self.portal(title={"id": "Portal lain", "en": "Another portal"})
        note, = self.notes()
        self.assertEqual(note["severity"], "note")
        self.assertIn("2.5.0", note["message"])
        self.assertIn("JavaScript, Python, PHP", note["message"])
        self.assertIn("changes.json", note["help"])
        self.assertEqual(self.packages(), first)
        self.assertEqual(len(self.notes("--strict", "satu")), 1)  # again, and still no error
        self.changes("2.5.0", "2.5.1")
        self.assertEqual(self.notes(), [])
        self.assertEqual(self.listed(), self.all_of("2.5.0", "2.5.1"))
        self.assertEqual({k: v for k, v in self.packages().items() if k in first}, first)

    def test_data_change_nothing(self):
        self.build()
        first = self.packages()
        self.update("satu", "2024-04-01", ROWS + "C,3.5,Ringan\n")
        self.assertEqual(self.notes(), [])
        self.assertEqual(self.packages(), first)

    def test_the_address_moves_in_the_indexes_alone(self):
        self.build()
        first = self.packages()
        self.portal(baseUrl="https://lain.example.go.id/")
        self.assertEqual(len(self.notes()), 1)
        self.assertEqual(self.packages(), first)
        self.assertEqual(odp.read_json(self.site / "npm/@odp/client")["versions"]["2.5.0"]["dist"]["tarball"],
                         "https://lain.example.go.id/packages/javascript/odp-client-2.5.0.tgz")

    def test_other_names(self):
        self.build()
        first = self.packages()
        self.portal(clients={"javascript": "pu-data", "python": "PU.Data", "php": "pu/data-terbuka"})
        self.assertEqual(self.notes(), [])
        new = {("javascript", "pu-data", "2.5.0"), ("python", "PU.Data", "2.5.0"), ("php", "pu/data-terbuka", "2.5.0")}
        self.assertEqual(self.listed(), self.all_of("2.5.0") | new)
        now = self.packages()
        self.assertEqual({k: now[k] for k in first}, first)
        self.assertEqual(set(now) - set(first), {"packages/javascript/pu-data-2.5.0.tgz", "packages/python/pu_data-2.5.0-py3-none-any.whl",
                                                 "packages/python/pu_data-2.5.0-py3-none-any.whl.metadata", "packages/php/pu-data-terbuka-2.5.0.zip"})
        self.assertEqual(self.index()["current"], {"javascript": "pu-data", "python": "PU.Data", "php": "pu/data-terbuka"})
        for path in ("npm/pu-data", "npm/@odp/client", "simple/pu-data/index.html", "simple/odp-client/index.html", "p2/pu/data-terbuka.json", "p2/odp/client.json"):
            self.assertTrue((self.site / path).is_file(), path)
        self.assertEqual(odp.read_json(self.site / "packages.json")["available-packages"], ["odp/client", "pu/data-terbuka"])
        names = zipfile.ZipFile(io.BytesIO(now["packages/python/pu_data-2.5.0-py3-none-any.whl"])).namelist()
        self.assertTrue(all(n.startswith(("pu_data/", "pu_data-2.5.0.dist-info/")) for n in names), names)
        with tarfile.open(fileobj=io.BytesIO(now["packages/javascript/pu-data-2.5.0.tgz"])) as tar:
            text = b"".join(tar.extractfile(m).read() for m in tar if m.name.endswith((".js", ".ts", ".json", ".md")))
        self.assertNotIn(b"@odp/client", text)
        self.portal(clients={"javascript": "pu-data", "python": "pu_data", "php": "pu/data-terbuka"})  # the same package to pip
        self.build()
        self.assertEqual(self.packages(), now)

    def test_names_that_make_one_file(self):
        self.portal(clients={"php": "pu-a/b"})
        self.build()
        self.portal(clients={"php": "pu/a-b"})
        done = self.build(expect=1)
        self.assertIn("ODP-C31", done.stderr)
        self.assertIn("packages/php/pu-a-b-2.5.0.zip", done.stderr)

    def test_no_release_no_packages(self):
        self.changes()
        self.build()
        for path in ("packages", "simple", "npm", "packages.json", "p2"):
            self.assertFalse((self.site / path).exists(), path)

    def test_a_withdrawal_keeps_them(self):
        self.build()
        self.update("satu", "2024-04-01", ROWS + "C,3.5,Ringan\n")
        self.build()
        first = self.packages()
        self.odp("withdraw", "satu", "2024-03-15", "--reason", "privacy", "--note", "Uji", "--by", "Uji", "--out", "site", expect=None)
        self.assertFalse((self.site / "data/satu/2024-03-15").exists())
        self.assertEqual(self.packages(), first)
        self.assertEqual(self.listed(), self.all_of("2.5.0"))
        self.odp("verify", self.site)

    def test_rolled_back_is_still_published(self):
        self.build()
        self.changes("2.5.0", "2.6.0")
        self.build()
        second = self.packages()
        self.odp("rollback", "--out", "site")
        self.assertEqual(self.listed(), self.all_of("2.5.0"))
        self.portal(title={"id": "Portal lain", "en": "Another portal"})
        note, = self.notes()
        self.assertIn("2.6.0", note["message"])
        self.assertEqual(self.packages(), second)
        self.odp("verify", self.site)


class Elsewhere(Case):
    """The previous site is a folder, a web server, or damaged."""

    def serve(self, folder):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *args):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/"

    def test_published_folder(self):
        self.build()
        first = self.packages()
        self.odp("publish", "there", "--out", "site", "--first")
        self.assertEqual(self.packages(self.dir / "there"), first)
        self.portal(title={"id": "Portal lain", "en": "Another portal"})
        self.changes("2.5.0", "2.6.0")
        self.build("--previous", "there", out="again")
        self.assertEqual(self.listed(self.dir / "again"), self.all_of("2.5.0", "2.6.0"))
        self.odp("publish", "there", "--out", "again")
        now = self.packages(self.dir / "there")
        self.assertEqual({k: now[k] for k in first}, first)
        self.assertEqual(len(now), 2 * len(first))
        self.odp("verify", "there")
        self.odp("restore", "there", "--out", "back")
        self.assertEqual(self.packages(self.dir / "back"), now)

    def test_web_server(self):
        self.build()
        first = self.packages()
        address = self.serve(self.site)
        self.changes("2.5.0", "2.6.0")
        self.build("--previous", address, out="sparse")
        sparse = self.dir / "sparse"
        self.assertEqual(self.listed(sparse), self.all_of("2.5.0", "2.6.0"))
        self.assertEqual(set(self.packages(sparse)) & set(first), set())  # the bytes stay where they are
        manifest = {f["path"]: f["sha256"] for f in odp.read_json(sparse / "manifest.json")["files"]}
        for path, data in first.items():
            self.assertEqual(manifest[path], sha256(data))
        links = Page((sparse / "simple/odp-client/index.html").read_text()).links
        self.assertEqual([t.split("-")[1] for _, _, t in links], ["2.6.0", "2.5.0"])

    def copy(self):
        """The site as somebody else's copy, which can be spoilt together with its manifest."""
        target = self.dir / "copy"
        shutil.copytree(self.site, target)
        for folder, _, names in os.walk(target):
            for name in names:
                os.chmod(pathlib.Path(folder) / name, 0o644)
        return target

    def spoil(self, target, path, data):
        """PATH becomes DATA (None: it goes), in the manifest, too."""
        manifest = odp.read_json(target / "manifest.json")
        for name in (path, path + ".gz", path + ".br"):
            (target / name).unlink(missing_ok=True)
            manifest["files"] = [f for f in manifest["files"] if f["path"] != name or (name == path and data is not None)]
        if data is not None:
            (target / path).write_bytes(data)
            for f in manifest["files"]:
                if f["path"] == path:
                    f.update(sha256=sha256(data), size=len(data))
        (target / "manifest.json").write_text(json.dumps(manifest))

    def refuse(self, target, *words):
        done = self.build("--previous", target, out="again", expect=1)
        self.assertIn("ODP-V03", done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.dir / "again").exists())

    def test_damaged_list(self):
        self.build()
        wheel = FILES["python"].format("2.5.0")
        good = self.index()
        for spoilt, words in (
                (b"{", ["packages/index.json"]),
                (b"{}", ["packages/index.json"]),
                (json.dumps({**good, "packages": good["packages"][:1]}).encode(), ["packages/index.json", FILES["php"].format("2.5.0")]),
                (None, ["packages/index.json", FILES["javascript"].format("2.5.0")]),
                (json.dumps({**good, "packages": [{**p, "sha256": "0" * 64} for p in good["packages"]]}).encode(), [wheel]),
                (json.dumps({**good, "packages": [{**p, "file": "manifest.json"} for p in good["packages"]]}).encode(), ["packages/index.json"]),
                (json.dumps({**good, "packages": good["packages"] + [{**good["packages"][1], "file": "packages/python/none.whl"}]}).encode(),
                 ["packages/python/none.whl"])):
            with self.subTest(words):
                shutil.rmtree(self.dir / "copy", True)
                target = self.copy()
                self.spoil(target, "packages/index.json", spoilt)
                self.refuse(target, *words)

    def test_damaged_names_and_metadata(self):
        self.build()
        good, wheel = self.index(), FILES["python"].format("2.5.0")
        for members, words in (({"name": "../../x"}, ["packages/index.json"]), ({"name": ""}, ["packages/index.json"]), ({"version": None}, ["packages/index.json"]),
                               ({"metadata": "0" * 64}, [wheel + ".metadata"]), ({"sha256": "x"}, [wheel])):
            with self.subTest(members):
                shutil.rmtree(self.dir / "copy", True)
                target = self.copy()
                spoilt = [{**p, **(members if p["language"] == "python" else {})} for p in good["packages"]]
                self.spoil(target, "packages/index.json", json.dumps({**good, "packages": spoilt}).encode())
                self.refuse(target, *words)
        for language, manifest in (("php", None), ("javascript", "text"), ("php", [])):
            with self.subTest(language=language, manifest=manifest):
                shutil.rmtree(self.dir / "copy", True)
                target = self.copy()
                spoilt = [{**p, **({"manifest": manifest} if p["language"] == language else {})} for p in good["packages"]]
                self.spoil(target, "packages/index.json", json.dumps({**good, "packages": spoilt}).encode())
                self.refuse(target, "packages/index.json", "manifest")
        shutil.rmtree(self.dir / "copy")
        target = self.copy()
        self.spoil(target, wheel + ".metadata", None)
        self.refuse(target, wheel + ".metadata")

    def test_damaged_package(self):
        self.build()
        for path in (FILES["php"].format("2.5.0"), "packages/index.json"):
            target = self.copy()
            data = bytearray((target / path).read_bytes())
            data[50] ^= 1
            (target / path).write_bytes(data)
            self.refuse(target, path)
            shutil.rmtree(target)

    def test_languages_of_a_newer_program(self):
        self.build()
        target, good = self.copy(), self.index()
        (target / "packages/ruby").mkdir()
        manifest = odp.read_json(target / "manifest.json")
        manifest["files"].append({**next(f for f in manifest["files"] if f["path"].endswith(".zip")), "path": "packages/ruby/odp-2.5.0.gem",
                                  "sha256": sha256(b"gem"), "size": 3})
        manifest["files"].sort(key=lambda f: f["path"])
        (target / "manifest.json").write_text(json.dumps(manifest))
        (target / "packages/ruby/odp-2.5.0.gem").write_bytes(b"gem")
        other = {"language": "ruby", "name": "odp", "version": "2.5.0", "file": "packages/ruby/odp-2.5.0.gem", "sha256": sha256(b"gem"), "more": [1]}
        good["packages"][0]["later"] = "kept"
        self.spoil(target, "packages/index.json", json.dumps({**good, "packages": good["packages"] + [other]}).encode())
        self.build("--previous", target, out="again")
        now = self.index(self.dir / "again")["packages"]
        self.assertEqual(now[-1], other)
        self.assertEqual(now[0]["later"], "kept")
        self.assertEqual((self.dir / "again/packages/ruby/odp-2.5.0.gem").read_bytes(), b"gem")


if __name__ == "__main__":
    unittest.main()
