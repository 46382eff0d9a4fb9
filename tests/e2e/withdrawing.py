"""Withdrawing versions: what was in them is found nowhere on the machine any more, whichever version it was; everything else stays as it
was, byte for byte; and nothing brings it back."""
import ctypes
import ctypes.util
import functools
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import zlib

import odp

FIELDS = [{"name": "kode", "type": "string"}, {"name": "catatan", "type": "string"}, {"name": "nilai", "type": "number"}]
V1, V2, V3 = "2024-01-15", "2024-02-15", "2024-03-15"
SECRET = {V1: "RAHASIA-SATU-8H2K", V2: "RAHASIA-DUA-5Q7Z", V3: "RAHASIA-TIGA-1W9X"}
WORDS = ["--reason", "privacy", "--note", "memuat data pribadi"]


def unbrotli(data):
    """DATA decompressed; None when it is not brotli."""
    library = ctypes.CDLL(ctypes.util.find_library("brotlidec"))
    size = ctypes.c_size_t(max(1 << 20, 64 * len(data)))
    out = ctypes.create_string_buffer(size.value)
    ok = library.BrotliDecoderDecompress(ctypes.c_size_t(len(data)), data, ctypes.byref(size), out)
    return out.raw[:size.value] if ok == 1 else None


def contents(path):
    """All that can be read out of a file: its bytes, and what is compressed in them."""
    data = path.read_bytes()
    yield data
    if data[:2] == b"\x1f\x8b":
        try:
            yield gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            pass
    if path.suffix == ".br":
        plain = unbrotli(data)
        assert plain is not None, path
        yield plain


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Withdrawing(odp.Case):
    template = None  # a folder with a site of three versions, made once

    @classmethod
    def tearDownClass(cls):
        if cls.template is not None:
            odp.remove_tree(cls.template)

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("lain", "kode,catatan,nilai\n" + "".join(f"x{i},teks,{i}\n" for i in range(80)), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.site = self.dir / "build/site"
        self.builds = self.dir / "build/site.builds"

    def version(self, date, secret=None, slug="rumah", build=True, expect=0, extra=""):
        """Writes (and builds) the version of DATE: 80 rows, one of which holds the secret."""
        folder = self.dir / "catalog" / slug
        shutil.rmtree(folder, ignore_errors=True)
        secret = SECRET[date] if secret is None else secret
        rows = "".join(f"k{i},{secret if i == 40 else 'catatan nomor ' + str(i)},{i + (int(date[6]) if i % 9 == 0 else 0)}\n" for i in range(80))
        self.dataset(slug, "kode,catatan,nilai\n" + rows + extra, FIELDS, {"schema": {"primaryKey": ["kode"]}}, **{"odp:lastUpdate": date})
        return self.odp("build", "--today", "2024-06-01", expect=expect) if build else None

    def three(self):
        if Withdrawing.template is None:
            for date in (V1, V2, V3):
                self.version(date)
            Withdrawing.template = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
            for name in ("build", "catalog"):
                shutil.copytree(self.dir / name, Withdrawing.template / name, symlinks=True)
        else:
            shutil.rmtree(self.dir / "catalog")
            for name in ("build", "catalog"):
                shutil.copytree(Withdrawing.template / name, self.dir / name, symlinks=True)
        for secret in SECRET.values():
            self.assertTrue(self.found(secret), secret)

    def found(self, needle, top="build"):
        """Every file below TOP that holds NEEDLE, whichever way it is compressed; also by name."""
        needle = needle.encode()
        return sorted(str(p.relative_to(self.dir)) for p in (self.dir / top).rglob("*")
                      if p.is_file() and not p.is_symlink() and (needle in p.name.encode() or any(needle in c for c in contents(p))))

    def withdraw(self, *versions, expect=0, slug="rumah", words=WORDS):
        return self.odp("withdraw", slug, *versions, *words, expect=expect)

    def versions(self, slug="rumah"):
        public = odp.read_json(self.site / f"data/{slug}/versions.json")
        self.assertEqual((self.site / f"data/{slug}/versions.json").read_bytes(), (self.site / f"v1/{slug}/versions.json").read_bytes())
        return {v["version"]: v for v in public["data"]}

    def control(self):
        lines = (self.site / "control").read_text().splitlines()[1:]
        self.assertEqual(lines, sorted(lines, key=lambda line: line.split("\t")[0].encode()))
        return {line.split("\t")[0]: line.split("\t") for line in lines}

    def gone_paths(self):
        return sorted(path for path, line in self.control().items() if line[5] == "withdrawn")

    def entry(self, slug="rumah"):
        return next(e for e in odp.read_json(self.site / "v1/index.json")["data"] if e["slug"] == slug)

    def check_whole(self):
        """The site is what its manifest says, no more and no less, and nothing it says leads nowhere."""
        manifest = odp.read_json(self.site / "manifest.json")["files"]
        listed = {f["path"]: f["sha256"] for f in manifest}
        there = odp.digests(self.site)
        digest = there.pop("manifest.json")
        there.pop("manifest.json.minisig", None)
        self.assertEqual(listed, there)
        self.assertEqual(os.readlink(self.site), f"site.builds/{digest}")
        control = self.control()
        for path in listed:
            if path != "control":
                self.assertIn(path, control)
                self.assertNotEqual(control[path][5], "withdrawn", path)
        for entry in odp.read_json(self.site / "v1/index.json")["data"]:
            for url in self.urls(entry):
                self.assertTrue((self.site / "v1" / url).resolve().is_file(), url)
            folder = self.site / "data" / entry["slug"]
            for url in self.urls(odp.read_json(folder / "versions.json")):
                self.assertTrue((folder / url).resolve().is_file(), url)
            if (folder / "latest.json").exists():
                for name in odp.read_json(folder / "latest.json")["files"]:
                    self.assertTrue((folder / "latest" / name).is_file(), name)
        self.check_log()

    def urls(self, value, key=None):
        if isinstance(value, dict):
            for name, item in value.items():
                yield from self.urls(item, name)
        elif isinstance(value, list):
            for item in value:
                yield from self.urls(item, key)
        elif isinstance(value, str) and "/" in value and key in ("url", "schema", "json", "csv", "html", "versions_url", "CSV", "JSON", "GeoJSON"):
            yield value

    def check_log(self):
        lines = (self.site / "releases.log").read_bytes().splitlines()
        for i, line in enumerate(lines):
            said = json.loads(line)
            before = "sha256:" + hashlib.sha256(lines[i - 1]).hexdigest() if i > 0 else None
            self.assertEqual((said["n"], said["previous"]), (i + 1, before))
        return [json.loads(line) for line in lines]

    def kept_builds(self):
        return sorted(p.name for p in self.builds.iterdir() if p.is_dir())

    # -- one version of several --------------------------------------------------------------------------------------------

    def test_the_middle_one(self):
        self.three()
        before = odp.digests(self.site)
        counts = self.versions()[V3]["resources"][0]["changes"]
        base = os.readlink(self.site).split("/")[1]
        self.withdraw(V2)
        self.assertEqual(self.found(SECRET[V2]), [])
        self.assertTrue(self.found(SECRET[V1]) and self.found(SECRET[V3]))
        self.check_whole()
        now = self.versions()
        self.assertEqual(list(now), [V3, V2, V1])
        stone = now[V2]
        self.assertEqual((stone["state"], stone["reason"], stone["note"]),
                         ("withdrawn", "privacy", {"id": "memuat data pribadi", "en": "memuat data pribadi"}))
        self.assertEqual(set(stone) - {"release"}, {"version", "date", "state", "digest", "reason", "note"})
        changes = now[V3]["resources"][0]["changes"]
        self.assertTrue(changes["counts_only"])
        for key in ("from", "added", "removed", "changed"):
            self.assertEqual(changes[key], counts[key])
        self.assertFalse({"json", "csv", "html"} & set(changes))
        self.assertEqual(now[V3]["resources"][0].get("deltas", []), [])
        after = odp.digests(self.site)
        gone = {p for p in set(before) - set(after)  # a twin may go because its file is so short now
                if not (p.endswith((".gz", ".br")) and p[:-3] in after and before[p[:-3]] != after[p[:-3]])}
        for path in gone:
            base_name = path.rsplit("/", 1)[1]
            self.assertTrue(path.startswith((f"data/rumah/{V2}/", f"search/rumah/{V2}/")) or f"/v/{V2}/" in path or base_name.startswith(("changes.", "perubahan.")) or
                            f".from-{V2}." in base_name, path)
        self.assertEqual(self.gone_paths(), [f"data/rumah/{V2}/", f"v1/rumah/v/{V2}/"])
        self.assertEqual(self.entry()["version"], V3)
        self.assertEqual([v["state"] for v in self.entry()["versions"]], ["published", "withdrawn", "published"])
        last = self.check_log()[-1]
        self.assertEqual(last["changes"], [{"dataset": "rumah", "version": V2, "digest": stone["digest"], "what": "withdrawn", "reason": "privacy"}])
        self.assertEqual(last["base"], "sha256:" + base)
        self.assertEqual(self.kept_builds(), [os.readlink(self.site).split("/")[1]])
        self.assertEqual((self.builds / "log").read_text().split(), self.kept_builds())
        event = json.loads((self.builds / "history").read_text().splitlines()[-1])
        self.assertEqual((event["action"], event["from"], event["to"]), ("withdraw", base, self.kept_builds()[0]))

    def test_other_bytes_stay(self):
        self.three()
        before = odp.digests(self.site)
        self.withdraw(V2)
        after = odp.digests(self.site)
        anew = ("manifest.json", "control", "gateway.json", "releases.log", "v1/index.json", "datapackage.json", "data/rumah/versions.json",
                "v1/rumah/versions.json", "data/rumah/latest.json", "rilis.html", "en/releases.html", "feed.xml", "search/index.json")
        for path in set(before) & set(after):
            if path.startswith(("data/", "v1/", "search/")) and not path.startswith(anew): # the portal is made of all datasets
                self.assertEqual(before[path], after[path], path)
        self.assertEqual({p for p in set(after) - set(before) if not p.startswith(anew)}, set())  # of those a twin may come
        for path in after:
            if path.startswith(("data/lain/", "v1/lain")):
                self.assertEqual(before[path], after[path], path)

    def test_the_oldest(self):
        self.three()
        self.withdraw(V1, words=["--reason", "error", "--note", "salah berkas"])
        self.assertEqual(self.found(SECRET[V1]), [])
        self.check_whole()
        self.assertTrue(self.versions()[V2]["resources"][0]["changes"]["counts_only"])
        self.assertNotIn("counts_only", self.versions()[V3]["resources"][0]["changes"])
        self.assertTrue((self.site / f"data/rumah/{V3}/changes.json").exists())
        self.assertTrue((self.site / "v1/rumah.json").exists())

    def test_the_newest(self):
        self.three()
        self.withdraw(V3)
        self.assertEqual(self.found(SECRET[V3]), [])
        self.check_whole()
        self.assertFalse((self.site / "v1/rumah.json").exists())
        self.assertEqual({p.name.removesuffix(".gz").removesuffix(".br") for p in (self.site / "data/rumah/latest").iterdir()}, {"schema.json"})
        schema = odp.read_json(self.site / "data/rumah/latest/schema.json")
        self.assertEqual([f["name"] for f in schema["fields"]], ["kode", "catatan", "nilai"])
        self.assertFalse({"odp:rows", "odp:content", "odp:version"} & set(schema))
        self.assertTrue((self.site / f"data/rumah/{V2}/rumah.csv").exists())
        entry = self.entry()
        self.assertIsNone(entry["version"])
        self.assertEqual(entry["withdrawn"], {"version": V3, "reason": "privacy", "note": {"id": "memuat data pribadi", "en": "memuat data pribadi"}})
        self.assertEqual((entry["title"]["id"], entry["download"], entry["rows"]), ("rumah", {}, None))
        self.assertEqual(entry["resources"], [{"name": "rumah", "package_name": "rumah", "title": {"id": "rumah", "en": "rumah"},
                                               "schema": "../data/rumah/latest/schema.json", "download": {}, "files": []}])
        self.assertEqual(self.gone_paths(), [f"data/rumah/{V3}/", "data/rumah/latest.json", "data/rumah/latest/", "v1/rumah.json", "v1/rumah/",
                                             f"v1/rumah/v/{V3}/"])
        self.assertEqual(odp.read_json(self.site / "gateway.json")["datasets"], ["lain"])

    def test_the_only_one(self):
        self.version(V1)
        self.withdraw(V1)
        self.assertEqual(self.found(SECRET[V1]), [])
        self.check_whole()
        self.assertEqual([v["state"] for v in self.versions().values()], ["withdrawn"])
        self.assertEqual([p.name for p in (self.site / "data/rumah").iterdir() if p.is_dir()], ["latest"])

    def test_all_at_once(self):
        self.three()
        self.withdraw(V1, V2, V3, V2)
        for secret in SECRET.values():
            self.assertEqual(self.found(secret), [])
        self.check_whole()
        self.assertEqual(self.entry()["withdrawn"]["version"], V3)

    def test_one_after_the_other(self):
        self.three()
        for date in (V2, V3, V1):
            self.withdraw(date)
            self.assertEqual(self.found(SECRET[date]), [])
            self.check_whole()
        self.assertEqual({v["state"] for v in self.versions().values()}, {"withdrawn"})

    def test_a_value_that_only_the_difference_shows(self):
        """The row is gone in the next version: its values stand in that version's differences as what was removed."""
        self.version(V1, secret="biasa", extra="k900,TERHAPUS-3J6P,1\n")
        self.version(V2, secret="biasa")
        self.assertTrue([p for p in self.found("TERHAPUS-3J6P") if f"/{V2}/changes" in p])
        self.withdraw(V1)
        self.assertEqual(self.found("TERHAPUS-3J6P"), [])
        self.check_whole()

    # -- afterwards ----------------------------------------------------------------------------------------------------------

    def test_its_content_is_refused(self):
        self.three()
        self.withdraw(V3)
        report = self.report("build", "--today", "2024-06-01", expect=1)
        self.assertEqual(report["counts"].get("ODP-V12"), 1, report)
        self.assertEqual(self.found(SECRET[V3]), [])

    def test_the_next_difference_gives_counts_only(self):
        self.three()
        self.withdraw(V3)
        self.version("2024-04-15", secret="sudah dibersihkan")
        self.check_whole()
        self.assertEqual(self.found(SECRET[V3]), [])
        new = self.versions()["2024-04-15"]
        changes = odp.read_json(self.site / "data/rumah/2024-04-15/changes.json")
        self.assertNotIn("sudah dibersihkan", json.dumps(changes))
        self.assertEqual(new["resources"][0]["changes"]["from"], V2)
        self.assertNotIn("withdrawn", self.entry())
        self.assertEqual(self.gone_paths(), [f"data/rumah/{V3}/", f"v1/rumah/v/{V3}/"])
        self.version("2024-05-15", secret="lagi")
        self.assertIn("lagi", (self.site / "data/rumah/2024-05-15/changes.json").read_text())
        self.assertEqual(self.gone_paths(), [f"data/rumah/{V3}/", f"v1/rumah/v/{V3}/"])

    def test_other_datasets_are_built_as_ever(self):
        self.three()
        self.withdraw(V3)
        self.odp("build", "lain", "--today", "2024-06-01")
        self.check_whole()
        self.assertIsNone(self.entry()["version"])
        self.assertIn("v1/rumah.json", self.gone_paths())
        self.odp("build", "--keep-good", "--today", "2024-06-01", expect=1)
        self.check_whole()
        self.assertIsNone(self.entry()["version"])
        self.assertIn("v1/rumah.json", self.gone_paths())
        self.assertEqual(self.found(SECRET[V3]), [])

    def test_rollback_refuses_a_build_that_holds_it(self):
        self.three()
        old = os.readlink(self.site).split("/")[1]
        shutil.copytree(self.builds / old, self.dir / "saved", symlinks=True)
        self.withdraw(V2)
        now = os.readlink(self.site)
        self.odp("rollback", expect=1)
        shutil.copytree(self.dir / "saved", self.builds / old, symlinks=True)
        done = self.odp("rollback", "--to", old[:12], expect=1)
        self.assertIn("ODP-V83", done.stderr)
        self.assertEqual(os.readlink(self.site), now)
        # Withdrawing it once more clears what was brought back.
        done = self.withdraw(V2)
        self.assertIn("ODP-V76", done.stderr)
        self.assertFalse((self.builds / old).exists())
        self.assertEqual(self.found(SECRET[V2]), [])
        self.assertEqual(os.readlink(self.site), now)

    def test_what_lies_beside_the_builds_goes(self):
        self.three()
        for name in (".pull-1/x", ".scratch-7", ".inputs/rumah"):
            path = self.builds / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(SECRET[V2])
        candidate = self.dir / "build/site.candidates/rumah"
        candidate.mkdir(parents=True)
        (candidate / "changes.json").write_text(SECRET[V2])
        (self.builds / "cadangan").mkdir()
        done = self.withdraw(V2)
        self.assertEqual(self.found(SECRET[V2]), [])
        self.assertIn("ODP-V79", done.stderr)
        self.assertIn("cadangan", done.stderr)
        self.assertTrue((self.builds / "cadangan").is_dir())

    # -- what is said ----------------------------------------------------------------------------------------------------------

    def test_messages(self):
        self.version(V1)
        before = odp.digests(self.site)
        done = self.withdraw("2024-01-51", expect=1)
        self.assertIn("ODP-V75", done.stderr)
        self.assertIn(V1, done.stderr)
        self.assertIn("ODP-V75", self.withdraw(V1, slug="tiada", expect=1).stderr)
        self.assertIn("ODP-V89", self.withdraw(V1, words=[*WORDS, "--out", "kosong"], expect=1).stderr)
        for words in ([], ["--reason", "privacy"], ["--reason", "malas", "--note", "x"], ["--reason", "legal", "--note", ""],
                      ["--reason", "legal", "--note", "dua\nbaris"]):
            self.withdraw(V1, words=words, expect=2)
        self.withdraw(V1, "2024-01-51", expect=1)
        self.assertEqual(odp.digests(self.site), before)
        done = self.withdraw(V1, words=["--reason", "privacy", "--note", "ada NIK 3171046712890003"])
        self.assertIn("ODP-V77", done.stderr)
        self.assertNotIn("3171046712890003", done.stderr)

    def test_the_same_table_elsewhere(self):
        """Two tables, of which the second alone has changed: the first stands in both versions."""
        for date, value in ((V1, "a"), (V2, "b")):
            folder = self.dir / "catalog/rumah"
            shutil.rmtree(folder, ignore_errors=True)
            self.dataset("rumah", "kode,catatan,nilai\nk1,SAMA-4T8B,1\n", FIELDS, {"schema": {"primaryKey": ["kode"]}}, **{"odp:lastUpdate": date})
            (folder / "rinci.csv").write_text(f"kode,catatan,nilai\nk1,{value},1\n")
            package = odp.read_json(folder / "dataset.json")
            package["resources"].append({"name": "rinci", "type": "table", "path": "rinci.csv", "schema": {"fields": FIELDS, "primaryKey": ["kode"]}})
            (folder / "dataset.json").write_text(json.dumps(package))
            self.odp("build", "--today", "2024-06-01")
        done = self.withdraw(V2)
        self.assertIn("ODP-V78", done.stderr)
        self.assertTrue(self.found("SAMA-4T8B"))
        self.withdraw(V1)
        self.assertEqual(self.found("SAMA-4T8B"), [])

    def test_a_lock_is_respected(self):
        import fcntl
        self.version(V1)
        with open(self.builds / ".lock", "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("ODP-V08", self.withdraw(V1, expect=1).stderr)

    # -- a site that is elsewhere ------------------------------------------------------------------------------------------------

    def serve(self, folder):
        """FOLDER over HTTP on this machine; returns its address."""
        handler = functools.partial(Quiet, directory=str(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/"

    def test_from_a_site_whose_old_files_are_elsewhere(self):
        """An empty machine builds on the published site: it names old versions whose bytes it does not hold."""
        self.three()
        (self.dir / "build").rename(self.dir / "terbit")
        address = self.serve(os.path.realpath(self.dir / "terbit/site"))
        self.version("2024-04-15", secret="bersih", build=False)
        self.odp("build", "--previous", address, "--today", "2024-06-01")
        build = os.readlink(self.site).split("/")[1]
        self.assertTrue((self.builds / f"{build}.remote").exists())
        self.withdraw(V1)
        listed = [f["path"] for f in odp.read_json(self.site / "manifest.json")["files"]]
        self.assertFalse([p for p in listed if V1 in p])
        self.assertTrue([p for p in listed if p.startswith(f"data/rumah/{V3}/")])
        self.assertEqual(self.found(SECRET[V1]), [])
        build = os.readlink(self.site).split("/")[1]
        self.assertEqual(sorted(p.name for p in self.builds.glob("*.remote")), [f"{build}.remote"])
        self.assertEqual(self.gone_paths(), [f"data/rumah/{V1}/", f"v1/rumah/v/{V1}/"])
        # The newest too; then another empty machine carries the dataset as it is.
        self.withdraw("2024-04-15")
        self.assertIn("v1/rumah.json", self.gone_paths())

    def test_tombstones_come_along_from_elsewhere(self):
        self.three()
        self.withdraw(V3)
        gone = self.gone_paths()
        (self.dir / "build").rename(self.dir / "terbit")
        address = self.serve(os.path.realpath(self.dir / "terbit/site"))
        self.odp("build", "lain", "--previous", address, "--today", "2024-06-01")
        self.assertEqual(self.gone_paths(), gone)
        self.assertIsNone(self.entry()["version"])

    # -- killed ------------------------------------------------------------------------------------------------------------------

    def test_killed_at_any_moment(self):
        """The site is whole afterwards, with the version or without it; the next run finishes what was begun."""
        self.three()
        shutil.copytree(self.dir / "build", self.dir / "before", symlinks=True)
        command = [odp.PROGRAM, "withdraw", "rumah", V2, *WORDS, "--jobs", "1"]
        start = time.monotonic()
        subprocess.run(command, cwd=self.dir, capture_output=True, check=True)
        whole, spread = time.monotonic() - start, random.Random(4)
        for _ in range(int(os.environ.get("ODP_KILLS", "4"))):
            odp.remove_tree(self.dir / "build")
            shutil.copytree(self.dir / "before", self.dir / "build", symlinks=True)
            child = subprocess.Popen(command, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(spread.random() * whole)
            child.send_signal(signal.SIGKILL)
            child.wait()
            self.check_whole()
            gone = self.versions()[V2]["state"] == "withdrawn"
            self.assertEqual((self.site / f"data/rumah/{V2}").exists(), not gone)
            self.withdraw(V2)
            self.check_whole()
            self.assertEqual(self.found(SECRET[V2]), [])
            self.assertEqual(len(self.kept_builds()), 1)
            self.assertFalse((self.builds / ".withdrawing").exists())


if __name__ == "__main__":
    odp.main()
