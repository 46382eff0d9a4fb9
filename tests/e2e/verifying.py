"""odp-build verify: a flipped bit anywhere is named, and so is a site that was forged as a whole with all digests right.

A site is altered in two ways. damage() changes one file and nothing else: the manifest finds it. reseal() makes manifest, control,
twins and the build's name fit again, as somebody would who wants to hide what he did: then only what the file holds can tell."""
import functools
import gzip
import hashlib
import http.server
import json
import os
import random
import re
import shutil
import subprocess
import threading
import unittest
import urllib.parse

import odp

FIELDS = [{"name": "kode", "type": "string", "constraints": {"required": True}},
          {"name": "jumlah", "type": "integer"}, {"name": "luas", "type": "number"}, {"name": "ket", "type": "string"}]
ROWS = "kode,jumlah,luas,ket\n" + "".join(f"K{i:03},{i},{i}.{i % 7}0,\"satu, dua {i}\"\n" for i in range(60))
MINISIGN = shutil.which("minisign")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def newer(folder):
    """A newer version of air: a row less, a cell changed, a row more."""
    (folder / "air.csv").write_text(ROWS.replace("K003,3,", "K003,33,").replace("K059,", "K060,"), newline="")
    package = json.loads((folder / "dataset.json").read_text())
    package["odp:lastUpdate"] = "2024-04-01"
    (folder / "dataset.json").write_text(json.dumps(package, indent=2))


class Made(odp.Case):
    """The sites that the tests copy: ONE, of two datasets, and TWO, of one dataset in two versions. Made once."""
    sites = None

    @classmethod
    def all(cls):
        if Made.sites is None:
            made = Made("make")
            made.setUp()
            unittest.addModuleCleanup(made.doCleanups)
            made.make()
            Made.sites = made.dir
        return Made.sites

    def make(self):
        self.catalogue(references=False)
        folder = self.dataset("air", ROWS, FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.odp("build", "--out", "two/site")
        self.dataset("tanah", ROWS.replace("dua", "tiga"), FIELDS)
        self.odp("build", "--out", "one/site")
        newer(folder)
        shutil.rmtree(self.dir / "catalog/tanah")
        self.odp("build", "--out", "two/site")


class Site(odp.Case):
    """A copy of ONE, or of TWO."""

    def setUp(self):
        super().setUp()
        self.sites = Made.all()
        self.take("one")

    def take(self, name):
        shutil.rmtree(self.dir / "build", ignore_errors=True)
        subprocess.run(["cp", "-a", self.sites / name, self.dir / "build"], check=True)  # hard links stay what they are
        self.site = self.dir / "build/site"

    def second_version(self):
        self.take("two")

    def files(self):
        return sorted(str(p.relative_to(self.site.resolve())) for p in self.site.resolve().rglob("*") if p.is_file())

    def damage(self, path, change):
        """Gives PATH other bytes, under this name alone; returns what undoes it."""
        file, away = self.site.resolve() / path, self.dir / "kept"
        file.rename(away)
        file.write_bytes(change(away.read_bytes()))

        def undo():
            file.unlink()
            away.rename(file)
        return undo

    def write(self, path, data):
        """Gives PATH these bytes for good."""
        file = self.site.resolve() / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.write_bytes(data)

    def reseal(self, twins=True, control=True, drop=()):
        """Makes digests, twins, control and the build's name fit what is there; DROP goes."""
        root = self.site.resolve()
        manifest = json.loads((root / "manifest.json").read_text())
        for path in drop:
            (root / path).unlink()
        manifest["files"] = [e for e in manifest["files"] if e["path"] not in drop]
        for entry in manifest["files"]:
            plain = root / entry["path"][:-3]
            if twins and entry.get("encoding") == "gzip":
                self.write(entry["path"], gzip.compress(plain.read_bytes(), mtime=0))
            elif twins and entry.get("encoding") == "br" and sha256(plain.read_bytes()) != self.sums.get(entry["path"][:-3]):
                entry["gone"] = True  # this machine need not have brotli
                (root / entry["path"]).unlink()
        manifest["files"] = [e for e in manifest["files"] if not e.pop("gone", False)]
        lines = {}
        for entry in manifest["files"]:
            if entry["path"] != "control":
                data = (root / entry["path"]).read_bytes()
                entry["size"], entry["sha256"] = len(data), sha256(data)
                lines[entry["path"]] = entry
        if control:
            text = (root / "control").read_text().splitlines()
            kept = [text[0]]
            for line in text[1:]:
                cells = line.split("\t")
                if cells[0] in lines:
                    cells[1], cells[9] = f'"{lines[cells[0]]["sha256"][:32]}"', str(lines[cells[0]]["size"])
                elif cells[1] != "-":
                    continue
                kept.append("\t".join(cells))
            self.write("control", ("\n".join(kept) + "\n").encode())
        data = (root / "control").read_bytes()
        entry = next(e for e in manifest["files"] if e["path"] == "control")
        entry["size"], entry["sha256"] = len(data), sha256(data)
        text = '{"files":[\n' + ",\n".join(json.dumps(e, separators=(",", ":")) for e in manifest["files"]) + "\n]}\n"
        self.write("manifest.json", text.encode())
        root.rename(root.parent / sha256(text.encode()))
        self.site.unlink()
        self.site.symlink_to(f"site.builds/{sha256(text.encode())}")

    def remember(self):
        self.sums = odp.digests(self.site.resolve())

    def relist(self):
        """Sizes and hashes in index and lists of versions as the files are now."""
        root = self.site.resolve()

        def mend(path, base):
            document = json.loads((root / path).read_text())

            def walk(o):
                if isinstance(o, dict):
                    if "hash" in o and "url" in o:
                        data = (root / os.path.normpath(os.path.join(base, o["url"]))).read_bytes()
                        o["bytes"], o["hash"] = len(data), "sha256:" + sha256(data)
                    for value in o.values():
                        walk(value)
                elif isinstance(o, list):
                    for value in o:
                        walk(value)
            walk(document)
            self.write(path, json.dumps(document, ensure_ascii=False).encode())
        mend("v1/index.json", "v1")
        for lists in root.glob("data/*/versions.json"):
            slug = lists.parent.name
            mend(f"data/{slug}/versions.json", f"data/{slug}")
            if (root / f"v1/{slug}/versions.json").exists():
                self.write(f"v1/{slug}/versions.json", lists.read_bytes())

    def forge(self, path, change):
        """CHANGE to PATH (and to its copy in latest/), and every digest that tells of it."""
        self.remember()
        data = change((self.site.resolve() / path).read_bytes())
        before = self.sums[path]
        for other in [p for p, digest in self.sums.items() if digest == before]:
            self.write(other, data)
        self.relist()
        self.reseal()

    def verify(self, *args, expect=0, address=None):
        """The diagnostics: [(code, message)]."""
        report = self.report("verify", address or self.site, *args, expect=expect)
        return [(d["code"], d["message"]) for d in report["diagnostics"]]

    def one(self, code, *paths, args=()):
        """Exactly these faults, each of CODE and naming its path."""
        found = self.verify(*args, expect=1)
        self.assertEqual([c for c, _ in found], [code] * len(paths), found)
        for (_, message), path in zip(found, paths):
            self.assertIn(path, message)


class Sound(Site):
    def test_result_says_what_was_proved(self):
        said = self.odp("verify", self.site).stdout
        files = len(self.files()) - 1
        self.assertIn(f"{files} berkas", said)
        self.assertIn("2 versi", said)
        self.assertIn("6 distribusi dibaca kembali", said)  # CSV, JSON and pages, twice
        self.assertIn("tidak bertanda tangan", said)
        said = self.odp("verify", self.site, "--lang", "en").stdout
        self.assertRegex(said, rf"{files} files \([\d,]+ bytes\), \d+ compressed twins, 2 versions, 6 distributions read back")
        self.assertIn("not signed", said)

    def test_a_copy_elsewhere_and_the_build_itself(self):
        shutil.copytree(self.site.resolve(), self.dir / "copy")
        self.assertEqual(self.verify(address="copy"), [])
        self.assertEqual(self.verify(address=self.site.resolve()), [])
        self.odp("verify")  # --out

    def test_example_site(self):
        self.odp("build", "--catalog", odp.SOURCE / "catalog", "--out", "big")
        said = self.odp("verify", "big", "--lang", "en").stdout
        twins = len(list((self.dir / "big").resolve().rglob("*.gz"))) + len(list((self.dir / "big").resolve().rglob("*.br")))
        versions = len(odp.read_json(self.dir / "big/v1/index.json")["data"])
        self.assertRegex(said, rf"\b{twins:,} compressed twins, {versions} versions, \d+ distributions")

    def test_nothing_there(self):
        self.assertEqual([c for c, _ in self.verify(address="nowhere", expect=1)], ["ODP-V61"])
        (self.dir / "empty").mkdir()
        self.assertEqual([c for c, _ in self.verify(address="empty", expect=1)], ["ODP-V61"])

    def test_two_versions(self):
        self.second_version()
        self.assertEqual(self.verify(), [])
        self.assertIn("2 versi", self.odp("verify", self.site).stdout)

    def test_a_site_from_before_there_were_lists_and_a_log(self):
        later = [p for p in self.files() if "versions.json" in p or p.startswith(("releases.log", "inputs.json"))]
        self.assertGreater(len(later), 4)
        self.remember()
        self.reseal(twins=False, drop=later)
        self.assertEqual(self.verify(), [])
        self.assertIn("2 versi, 6 distribusi", self.odp("verify", self.site).stdout)
        self.forge("data/air/2024-03-15/air.csv", lambda d: d.replace(b"K007,7,", b"K007,8,"))
        self.one("ODP-V70", "data/air/2024-03-15/air.csv")

    def test_usage(self):
        self.odp("verify", "a", "b", expect=2)
        self.odp("verify", self.site, "--public", "--origin", expect=2)
        self.odp("verify", self.site, "--keys", "RWnonsense", expect=2)


class Damaged(Site):
    def test_a_flipped_bit_in_every_file_in_turn(self):
        self.second_version()
        dice = random.Random(20240401)
        paths = self.files()
        self.assertGreater(len(paths), 50)
        for path in paths:
            if path == "manifest.json":
                continue

            def flip(data):
                at = dice.randrange(len(data))
                return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1:]
            undo = self.damage(path, flip)
            with self.subTest(path):
                found = self.verify("--jobs", "1", expect=1)
                self.assertEqual([c for c, _ in found], ["ODP-V60"])
                self.assertIn(f"berubah: {path}: ", found[0][1])
            undo()
        self.assertEqual(self.verify(), [])

    def test_a_flipped_bit_in_the_manifest(self):
        size = len((self.site / "manifest.json").read_bytes())
        for at in random.Random(7).sample(range(size), 12):
            undo = self.damage("manifest.json", lambda d: d[:at] + bytes([d[at] ^ 1]) + d[at + 1:])
            found = self.verify(expect=1)
            self.assertIn("ODP-V63", [c for c, _ in found], at)
            undo()
        self.assertEqual(self.verify(), [])

    def test_lost_file_longer_file_and_other_kinds(self):
        path = "data/air/2024-03-15/air.csv"
        file = self.site.resolve() / path
        file.unlink()
        self.one("ODP-V61", path)
        file.symlink_to(self.site.resolve() / "data/air/latest/air.csv")
        self.one("ODP-V60", path)
        file.unlink()
        file.mkdir()
        self.one("ODP-V60", path)
        file.rmdir()
        shutil.copy(self.site.resolve() / "data/air/latest/air.csv", file)
        self.assertEqual(self.verify(), [])
        os.chmod(file, 0o644)
        with open(file, "a") as f:
            f.write("x")
        self.one("ODP-V60", path)

    def test_both_names_of_one_inode_are_named(self):
        file = self.site.resolve() / "data/air/2024-03-15/air.csv"
        self.assertGreater(file.stat().st_nlink, 1)
        os.chmod(file, 0o644)
        data = bytearray(file.read_bytes())
        data[40] ^= 4
        file.write_bytes(data)
        self.one("ODP-V60", "data/air/2024-03-15/air.csv", "data/air/latest/air.csv")

    def test_a_file_the_manifest_does_not_name(self):
        self.write("data/air/rahasia.xlsx", b"x")
        (self.site.resolve() / "assets").mkdir(exist_ok=True)
        (self.site.resolve() / "assets/link").symlink_to("/etc/hostname")
        found = self.verify()
        self.assertEqual([c for c, _ in found], ["ODP-V62", "ODP-V62"])
        self.assertIn("assets/link", found[0][1])
        self.assertIn("data/air/rahasia.xlsx", found[1][1])
        self.verify("--strict", expect=1)

    def test_manifests_that_are_none(self):
        text = (self.site / "manifest.json").read_text()
        copy = self.dir / "copy"
        shutil.copytree(self.site.resolve(), copy)
        os.chmod(copy / "manifest.json", 0o644)
        first, second = [line.rstrip(",") for line in text.splitlines() if line.startswith("{\"path\"")][:2]
        for name, bad in {"empty": "", "not JSON": "{", "no list": "{}", "deep": "[" * 5000, "number": "{\"files\":[1]}",
                          "twice": text.replace("{\"files\":", "{\"files\":[],\"files\":", 1),
                          "outside": text.replace(json.loads(first)["path"], "../x", 1),
                          "order": text.replace(first, "@").replace(second, first).replace("@", second),
                          "class": text.replace("\"class\":\"keyed\"", "\"class\":\"secret\"", 1),
                          "size": re.sub(r'"size":\d+', '"size":-1', text, count=1),
                          "hash": re.sub(r'"sha256":"..', '"sha256":"AB', text, count=1),
                          "encoding": text.replace("\"encoding\":\"gzip\"", "\"encoding\":\"zip\"", 1)}.items():
            (copy / "manifest.json").write_text(bad)
            with self.subTest(name):
                self.assertEqual([c for c, _ in self.verify(address=copy, expect=1)], ["ODP-V63"])

    def test_reports_are_the_same_on_any_number_of_threads(self):
        for path in ("data/air/latest/air.csv", "v1/tanah.json", "control", "data/tanah/2024-03-15/tanah.json.gz"):
            self.write(path, b"rusak")
        self.assertEqual(self.verify("--jobs", "1", expect=1), self.verify("--jobs", "5", expect=1))


class Forged(Site):
    """Every digest fits: only what the files hold can tell."""

    def test_resealing_alone_is_no_fault(self):
        self.remember()
        self.reseal()
        self.relist()
        self.reseal()
        self.assertEqual(self.verify(), [])

    def test_a_cell_of_a_csv(self):
        self.forge("data/air/2024-03-15/air.csv", lambda d: d.replace(b"K007,7,", b"K007,8,"))
        self.one("ODP-V70", "data/air/2024-03-15/air.csv")

    def test_trailing_zero_of_a_number_in_json(self):
        """12.50 and 12.5 are published differently, so they are different content."""
        path = "data/air/2024-03-15/air.json"
        self.forge(path, lambda d: d.replace(b":7.00", b":7.0", 1) if b":7.00" in d else d.replace(b": 7.00", b": 7.0", 1))
        self.one("ODP-V70", path)

    def test_a_row_less_in_every_form(self):
        for path in ("data/air/2024-03-15/air.csv", "data/air/2024-03-15/air.json"):
            with self.subTest(path):
                self.forge(path, lambda d: b"".join(line for line in d.splitlines(True) if b"K011" not in line))
        found = self.verify(expect=1)
        self.assertLessEqual({c for c, _ in found}, {"ODP-V69", "ODP-V70"})
        self.assertEqual(len(found), 2, found)

    def test_the_page_of_the_api(self):
        self.forge("v1/air.json", lambda d: d.replace(b"K011", b"K999"))
        self.one("ODP-V70", "v1/air.json")

    def test_a_file_that_is_no_csv_any_more(self):
        path = "data/air/2024-03-15/air.csv"
        self.forge(path, lambda d: d[:200] + b'"' + d[200:])
        self.assertIn([c for c, _ in self.verify(expect=1)], (["ODP-V69"], ["ODP-V70"]))

    def test_twin_of_something_else(self):
        self.remember()
        path = "data/air/2024-03-15/air.csv.gz"
        self.write(path, gzip.compress(b"kode,jumlah,luas,ket\n"))
        self.reseal(twins=False)
        self.one("ODP-V64", path)

    def test_twin_that_would_fill_the_disk(self):
        """A gigabyte of nothing in a megabyte: refused at the first byte too many."""
        self.remember()
        paths = ["data/air/2024-03-15/air.csv.gz", "data/tanah/2024-03-15/tanah.csv.gz"]
        bomb = gzip.compress(bytes(1 << 20)) * 1000
        self.write(paths[0], bomb)  # many members
        packer = gzip.zlib.compressobj(9, gzip.zlib.DEFLATED, 31)
        self.write(paths[1], b"".join(packer.compress(bytes(1 << 20)) for _ in range(200)) + packer.flush())
        self.reseal(twins=False)
        self.one("ODP-V64", *paths)

    def test_twin_with_something_behind_it_and_twin_cut_short(self):
        self.remember()
        paths = ["data/air/2024-03-15/air.csv.gz", "data/air/2024-03-15/air.json.gz", "index.html.br"]
        root = self.site.resolve()
        self.write(paths[2], (root / paths[2]).read_bytes() + b"x")
        self.write(paths[0], (root / paths[0]).read_bytes() + b"x")
        self.write(paths[1], (root / paths[1]).read_bytes()[:-9])
        self.reseal(twins=False)
        self.one("ODP-V64", *paths)

    def test_control_says_something_else(self):
        self.remember()
        text = (self.site / "control").read_text().splitlines()
        at = next(i for i, line in enumerate(text) if line.startswith("v1/air.json\t"))
        for column, value in ((1, '"00000000000000000000000000000000"'), (2, "text/html"), (4, "public"), (9, "1")):
            with self.subTest(column):
                cells = text[at].split("\t")
                cells[column] = value
                self.write("control", "\n".join([*text[:at], "\t".join(cells), *text[at + 1:], ""]).encode())
                self.reseal(twins=False, control=False)
                self.one("ODP-V65", "v1/air.json")
        self.write("control", "\n".join([*text[:at], *text[at + 1:], ""]).encode())
        self.reseal(twins=False, control=False)
        self.one("ODP-V65", "v1/air.json")
        self.write("control", "\n".join([*text, "zz/secret" + text[at][len("v1/air.json"):], ""]).encode())
        self.reseal(twins=False, control=False)
        self.one("ODP-V65", "zz/secret")

    def test_latest_is_another_file(self):
        self.remember()
        self.write("data/air/latest/air.csv", b"kode,jumlah,luas,ket\n")
        self.reseal()
        self.one("ODP-V66", "data/air/latest/air.csv")


class Lists(Site):
    def edit(self, path, change):
        self.remember()
        document = json.loads((self.site / path).read_text())
        change(document)
        data = json.dumps(document, ensure_ascii=False).encode()
        self.write(path, data)
        other = path.replace("data/", "v1/", 1)
        if path.endswith("versions.json") and (self.site / other).exists():
            self.write(other, data)
        self.reseal()

    def lists(self):
        return "data/air/versions.json"

    def test_index_names_another_digest(self):
        def change(o):
            o["data"][0]["resources"][0]["digest"] = "sha256:" + "0" * 64
        self.edit("v1/index.json", change)
        self.assertLessEqual({c for c, _ in self.verify(expect=1)}, {"ODP-V67", "ODP-V70"})

    def test_hash_of_a_file(self):
        path = self.lists()
        self.edit(path, lambda o: o["data"][0]["resources"][0]["files"][0].update(hash="sha256:" + "1" * 64))
        self.one("ODP-V67", path)

    def test_digest_of_a_version(self):
        path = self.lists()
        self.edit(path, lambda o: o["data"][0].update(digest="sha256:" + "2" * 64))
        found = self.verify(expect=1)
        self.assertEqual({c for c, _ in found}, {"ODP-V67"})  # its resources, and the index, say otherwise

    def test_digest_of_a_resource(self):
        path = self.lists()
        self.edit(path, lambda o: o["data"][0]["resources"][0].update(digest="sha256:" + "3" * 64))
        codes = [c for c, _ in self.verify(expect=1)]
        self.assertIn("ODP-V70", codes)
        self.assertIn("ODP-V67", codes)

    def test_rows_of_a_resource(self):
        path = self.lists()
        self.edit(path, lambda o: o["data"][0]["resources"][0].update(rows=61))
        self.assertEqual([c for c, _ in self.verify(expect=1)], ["ODP-V67"] + ["ODP-V70"] * 3)  # the index says 60

    def test_order_and_current(self):
        path = self.lists()
        self.second_version()
        self.edit(path, lambda o: o["data"].reverse())
        self.assertIn("ODP-V67", [c for c, _ in self.verify(expect=1)])

    def test_the_two_lists_differ(self):
        path = self.lists()
        self.remember()
        self.write(path, (self.site / path).read_bytes() + b"\n")
        self.reseal()
        self.one("ODP-V67", "v1/air/versions.json")

    def test_files_of_a_withdrawn_version_that_are_still_there(self):
        path = self.lists()
        self.second_version()

        def change(o):
            old = o["data"][1]
            for key in ("resources", "rows", "previous"):
                old.pop(key, None)
            old.update(state="withdrawn", reason="privacy")
            for resource in o["data"][0]["resources"]:
                resource.pop("deltas", None)
        self.edit(path, change)
        found = [(c, m) for c, m in self.verify(expect=1) if c != "ODP-V67"]  # the index says that it is published
        self.assertEqual({c for c, _ in found}, {"ODP-V68"})
        there = {p for p in self.files() if p.startswith(("data/air/2024-03-15/", "v1/air/v/2024-03-15/", "search/air/2024-03-15/"))}
        self.assertEqual(len(found), len(there))

    def test_stand_in_that_is_not_there(self):
        path = self.lists()

        def change(o):
            o["data"].append({"version": "2023-01-01", "date": "2023-01-01", "state": "thinned",
                              "digest": "sha256:" + "4" * 64, "stands_in": "2023-02-02"})
        self.edit(path, change)
        self.one("ODP-V67", path, path)  # and the index counts one version less

    def test_log_that_was_rewritten(self):
        self.second_version()
        self.remember()
        text = (self.site / "releases.log").read_text()
        self.assertEqual(text.count("\n"), 2)
        self.write("releases.log", text.replace("2024-03-15", "2024-03-14", 1).encode())
        self.reseal()
        self.one("ODP-V72", "releases.log")

    def deltas(self):
        self.second_version()
        return sorted((self.site.resolve() / "data/air/2024-04-01").glob("*.delta"))

    def test_delta_that_makes_something_else(self):
        found = self.deltas()
        self.assertNotEqual(found, [])
        self.remember()
        path = str(found[0].relative_to(self.site.resolve()))
        data = bytearray(gzip.decompress(found[0].read_bytes()))
        data[-3] ^= 1
        self.write(path, gzip.compress(bytes(data)))
        self.relist()
        self.reseal()
        self.one("ODP-V71", path)


class Later(Site):
    """Sites that other commands have left behind are sound."""

    def setUp(self):
        super().setUp()
        self.take("two")
        self.catalogue(references=False)
        self.dataset("air", ROWS, FIELDS, {"schema": {"primaryKey": ["kode"]}})
        newer(self.dir / "catalog/air")

    def test_newest_version_withdrawn(self):
        self.odp("withdraw", "air", "2024-04-01", "--reason", "privacy", "--note", "salah unggah")
        self.assertEqual(self.verify(), [])

    def test_older_version_withdrawn(self):
        self.odp("withdraw", "air", "2024-03-15", "--reason", "error", "--note", "salah unggah")
        self.assertEqual(self.verify(), [])
        self.assertIn("1 versi", self.odp("verify", self.site).stdout)

    def test_all_withdrawn(self):
        self.odp("withdraw", "air", "2024-03-15", "2024-04-01", "--reason", "legal", "--note", "perintah")
        self.assertEqual(self.verify(), [])

    def test_rolled_back(self):
        self.odp("rollback")
        self.assertEqual(self.verify(), [])
        self.odp("build")
        self.assertEqual(self.verify(), [])


class Sparse(Site):
    def test_bytes_that_are_elsewhere_are_counted(self):
        self.second_version()
        root = self.site.resolve()
        gone = [p for p in self.files() if p.startswith("data/air/2024-03-15/")]
        for path in gone:
            (root / path).unlink()
        self.one("ODP-V61", *gone)
        (root.parent / (root.name + ".remote")).write_text("https://data.example.go.id/\n")
        self.assertEqual(self.verify(), [])
        self.assertIn(f"{len(gone)} files are only at the site they came from", self.odp("verify", self.site, "--lang", "en").stdout)
        (root / "v1/index.json").unlink()
        self.one("ODP-V61", "v1/index.json")


class Web(Site):
    def serve(self):
        asked = []
        root = self.site.resolve()

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                super().do_GET()

            def log_message(self, *args):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=root))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}", asked

    def test_public_files_over_http(self):
        address, asked = self.serve()
        before = os.listdir(os.environ.get("TMPDIR", "/tmp"))
        self.assertEqual(self.verify(address=address), [])
        manifest = json.loads((self.site / "manifest.json").read_text())["files"]
        public = {f"/{e['path']}" for e in manifest if e["class"] == "public"}
        asked = [urllib.parse.unquote(p) for p in asked]
        self.assertLessEqual(public, set(asked))
        self.assertEqual([p for p in asked if p.startswith("/v1/") and p not in public], [])
        self.assertNotIn("/control", asked)
        self.assertEqual([n for n in os.listdir(os.environ.get("TMPDIR", "/tmp")) if n.startswith("odp-verify") and n not in before], [])

    def test_damage_is_named_over_http_too(self):
        address, _ = self.serve()
        self.write("data/air/latest/air.csv", b"x" * len((self.site / "data/air/latest/air.csv").read_bytes()))
        (self.site.resolve() / "data/tanah/latest/tanah.json").unlink()
        found = dict(self.verify(address=address, expect=1))
        self.assertEqual(set(found), {"ODP-V60", "ODP-V61"})
        self.assertIn("data/air/latest/air.csv", found["ODP-V60"])
        self.assertIn("data/tanah/latest/tanah.json", found["ODP-V61"])

    @unittest.skipUnless(shutil.which("rclone"), "rclone is not on this machine")
    def test_rclone_remote(self):
        address = f":local:{self.site.resolve()}"
        self.assertEqual(self.verify(address=address), [])  # all classes: nobody asks for a key there
        self.write("v1/air.json", b"x" * len((self.site / "v1/air.json").read_bytes()))
        (self.site.resolve() / "control").unlink()
        found = dict(self.verify(address=address, expect=1))
        self.assertEqual(set(found), {"ODP-V60", "ODP-V61"})
        self.assertIn("v1/air.json", found["ODP-V60"])
        self.assertIn("control", found["ODP-V61"])
        self.assertEqual(self.verify("--public", address=address), [])

    def test_nobody_there(self):
        done = self.odp("verify", "http://127.0.0.1:9/", expect=3)
        self.assertIn("127.0.0.1:9", done.stderr)


@unittest.skipUnless(MINISIGN, "minisign is not on this machine")
class Signed(Site):
    def setUp(self):
        super().setUp()
        self.keys = [self.key("one"), self.key("two")]

    def key(self, name):
        subprocess.run([MINISIGN, "-G", "-W", "-p", self.dir / f"{name}.pub", "-s", self.dir / f"{name}.key"],
                       check=True, capture_output=True)
        return (self.dir / f"{name}.pub").read_text().splitlines()[1]

    def sign(self, name="one", *more):
        manifest = self.site.resolve() / "manifest.json"
        subprocess.run([MINISIGN, "-S", "-s", self.dir / f"{name}.key", "-m", manifest, "-x", f"{manifest}.minisig", *more],
                       check=True, capture_output=True, input=b"\n")

    def test_signed_by_whom(self):
        self.sign()
        said = self.odp("verify", self.site, "--keys", self.keys[0], "--lang", "en").stdout
        self.assertRegex(said, r"signed with key [0-9A-F]{1,16} \(trusted")
        shown = (self.dir / "one.pub").read_text().splitlines()[0].split()[-1]
        self.assertIn(f"key {shown} ", said)
        self.odp("verify", self.site, "--keys", self.dir / "one.pub", "--need-signature")
        self.odp("verify", self.site, "--keys", f"{self.keys[1]},{self.keys[0]}", "--need-signature")

    def test_unknown_and_absent_signatures(self):
        self.assertEqual(self.verify(), [])
        self.assertEqual([c for c, _ in self.verify("--need-signature", expect=1)], ["ODP-V74"])
        self.assertEqual([c for c, _ in self.verify("--keys", self.keys[0])], ["ODP-V74"])
        self.sign()
        self.assertEqual([c for c, _ in self.verify()], ["ODP-V73"])  # a warning: nobody's key is known
        self.assertEqual([c for c, _ in self.verify("--need-signature", expect=1)], ["ODP-V73"])
        self.one("ODP-V73", "manifest.json.minisig", args=("--keys", self.keys[1]))

    def test_a_flipped_bit_in_the_signature(self):
        self.sign()
        file = self.site.resolve() / "manifest.json.minisig"
        good = file.read_bytes()
        dice = random.Random(3)
        for at in sorted(dice.sample(range(len(good)), 25)) + [3, len(good) - 1]:
            file.write_bytes(good[:at] + bytes([good[at] ^ 1 << dice.randrange(8)]) + good[at + 1:])
            with self.subTest(at):
                self.one("ODP-V73", "manifest.json.minisig", args=("--keys", self.keys[0]))
        lines = good.splitlines(True)
        for letter in (b"A", b"/", b"+", b"="):  # libsodium's decoder overlooks the top bit of some
            for line in (1, 3):
                at = sum(map(len, lines[:line])) + lines[line].find(letter)
                if lines[line].find(letter) >= 0:
                    file.write_bytes(good[:at] + bytes([good[at] | 0x80]) + good[at + 1:])
                    self.one("ODP-V73", "manifest.json.minisig", args=("--keys", self.keys[0]))
        for other in (b"", good[:-20], good + b"x", b"\0" * 400):
            file.write_bytes(other)
            self.one("ODP-V73", "manifest.json.minisig", args=("--keys", self.keys[0]))

    def test_another_manifest_signed_by_somebody_else(self):
        self.sign()
        self.forge("data/air/2024-03-15/air.csv", lambda d: d)
        self.sign("two")
        self.one("ODP-V73", "manifest.json.minisig", args=("--keys", self.keys[0]))


class OwnKeys(Site):
    """Keys and signatures of odp-build itself."""

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("air", ROWS, FIELDS)
        self.odp("keygen", "keys", "--unencrypted")
        self.publish()

    def publish(self, sign="odp-signing"):
        shutil.copy(self.dir / "keys/keys.json", self.dir / "catalog/keys.json")
        shutil.rmtree(self.dir / "build")
        self.odp("build")
        if sign:
            self.odp("sign", "--key", self.dir / f"keys/{sign}.key")

    def public(self, name="odp-signing"):
        return (self.dir / f"keys/{name}.pub").read_text().splitlines()[1]

    def test_trusted_or_by_its_own_word(self):
        self.assertIn("a key the site itself declares", self.odp("verify", "--lang", "en", "--need-signature").stdout)
        self.assertIn("(trusted", self.odp("verify", "--lang", "en", "--keys", self.public()).stdout)
        found = self.verify("--keys", "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3", expect=1)
        self.assertEqual({c for c, _ in found}, {"ODP-V73"})

    def test_not_signed_though_there_are_keys(self):
        (self.site.resolve() / "manifest.json.minisig").unlink()
        self.assertEqual([c for c, _ in self.verify()], ["ODP-V74"])
        self.verify("--strict", expect=1)

    def test_a_flipped_bit_is_named(self):
        file = self.site.resolve() / "manifest.json.minisig"
        good = file.read_bytes()
        os.chmod(file, 0o644)
        for at in random.Random(11).sample(range(len(good)), 15):
            file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
            with self.subTest(at):
                self.one("ODP-V73", "manifest.json.minisig")
        file.write_bytes(good)
        for at in (0, 40, 200):
            undo = self.damage(".well-known/odp-keys.json", lambda d: d[:at] + bytes([d[at] ^ 1]) + d[at + 1:])
            self.assertEqual(self.verify(expect=1)[0][0], "ODP-V60")
            undo()

    def test_rotated_key(self):
        old = self.public()
        self.odp("rotate", "fresh", "--key", self.dir / "keys/odp-signing.key", "--unencrypted")
        (self.dir / "keys").rename(self.dir / "former")
        (self.dir / "fresh").rename(self.dir / "keys")
        if not (self.dir / "keys/keys.json").exists():  # rotate may write it into the catalogue itself
            shutil.copy(self.dir / "catalog/keys.json", self.dir / "keys/keys.json")
        self.publish()
        self.assertNotEqual(self.public(), old)
        for key in (old, self.public()):
            self.assertIn("(trusted", self.odp("verify", "--lang", "en", "--keys", key).stdout)
        # Who goes on signing with the old key is no longer believed.
        self.odp("sign", "--key", self.dir / "former/odp-signing.key", expect=1)
        if MINISIGN:
            manifest = self.site.resolve() / "manifest.json"
            (manifest.parent / "manifest.json.minisig").unlink()
            subprocess.run([MINISIGN, "-S", "-s", self.dir / "former/odp-signing.key", "-m", manifest], check=True, capture_output=True)
            self.one("ODP-V73", "manifest.json.minisig", args=("--keys", old))


if __name__ == "__main__":
    odp.main()
