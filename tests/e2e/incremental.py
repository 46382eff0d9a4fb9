"""A build that reads only what has changed gives the bytes of one that reads everything; where nothing has changed, nothing is done."""
import json
import os
import shutil
import struct
import time
import zlib

import odp
import versionslib

CODES = [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}]
FIELDS = [{"name": "id", "type": "integer"}, {"name": "tanggal", "type": "date"}, {"name": "kode", "type": "string"}, {"name": "induk", "type": "integer"}]
COLUMNS = [f["name"] for f in FIELDS]


PARTS_HEAD, PART = struct.Struct("<48sI"), struct.Struct("<100s3I")  # published/parts.c: up to the CRC-32; up to how many files, how long the part's text and all texts
MARK = b"\n"  # in front of a part's text or after it: whoever reads the text reads the same
UNMARKED = (b"api.openapi\0", b"figures/")  # but not of these: pages of documentation are made of the first, byte for byte


def parts_of(data):
    """Of each part that a .parts file has: digests, number of files, name and paths, its own text."""
    at = PARTS_HEAD.size
    while at < len(data):
        digests, files, own, size = PART.unpack_from(data, at)
        at += PART.size + size
        yield digests, files, data[at - size:at - own], data[at - own:at]


class Incremental(versionslib.Case):
    def setUp(self):
        """parent ← child, both with codes of a list of places; one whose places are the parent's; another that has nothing to do with them."""
        super().setUp()
        self.catalogue(references=False)
        (self.dir / "catalog/references/daftar").mkdir(parents=True)
        self.codes("ABCD", 1)
        code = {"fields": ["kode"], "reference": {"dataset": "references/daftar@2024", "fields": ["kode"]}}
        parent = {"fields": ["induk"], "reference": {"dataset": "induk", "fields": ["id"]}}
        for slug, keys in (("induk", [code]), ("anak", [code, parent]), ("titipan", [parent]), ("lain", [])):
            self.dataset(slug, "", FIELDS, {"schema": {"primaryKey": ["id"]}, "odp:foreignKeys": keys, "odp:slices": ["kode"]},
                         **{"odp:lastUpdate": {"field": "tanggal"}})
            self.rows(slug, 1)

    def codes(self, letters, day, name="kelas"):
        """The list is published: what changes it has a date of its own."""
        folder = self.dir / "catalog/references/daftar"
        table = {"name": "2024", "type": "table", "path": "2024.csv", "odp:editionDate": f"2024-01-{day:02}",
                 "schema": {"fields": CODES, "primaryKey": ["kode"]}}
        (folder / "dataset.json").write_text(json.dumps({"name": "daftar", "title": "Daftar", "odp:places": True, "resources": [table]}))
        (folder / "2024.csv").write_text("kode,nama\n" + "".join(f"{c},{name} {c}\n" for c in letters))

    def rows(self, slug, state, n=300):
        self.source(slug, [{"id": i, "tanggal": f"2024-01-{state:02}", "kode": "ABCD"[(i + state) % 4], "induk": i} for i in range(1, n + 1)], COLUMNS)

    def places_of(self, slug):
        version = next(e["version"] for e in odp.read_json(self.dir / "cepat/site/v1/index.json")["data"] if e["slug"] == slug)
        places = odp.read_json(self.dir / f"cepat/site/data/{slug}/{version}/{slug}.summary.json")["places"]["daftar"]
        return {code: row["total"] for code, row in places.items()}

    def both(self, what, expect=0):
        """An incremental build, and one that has forgotten what it was built from: the same site."""
        begun = time.monotonic()
        self.odp("build", "--out", "cepat/site", expect=expect)
        seconds = time.monotonic() - begun
        for path in (self.dir / "penuh").glob("site.builds/*.inputs"):
            path.unlink()
        begun = time.monotonic()
        self.odp("build", "--out", "penuh/site", expect=expect)
        print(f"{what}: {seconds:.3f} s, in full {time.monotonic() - begun:.3f} s", flush=True)
        if expect == 0:
            self.assertEqual(self.build_of("cepat/site"), self.build_of("penuh/site"), what)
            self.assert_whole("cepat/site")
        return self.build_of("cepat/site")

    def test_other_levels_make_all_twins_anew(self):
        """The portal's "compression": files stay, their twins do not; 0 takes them away."""
        self.both("the usual levels")
        def twins(suffix):
            site = self.dir / "cepat/site"
            return {str(p.relative_to(site)).removesuffix(suffix): p.read_bytes() for p in site.rglob(f"*.json{suffix}")}
        plain, gz = twins(""), twins(".gz")
        self.assertTrue(gz.keys() & twins(".br").keys())
        portal = odp.read_json(self.dir / "catalog/portal.json")
        for compression in ({"gzip": 1, "br": 0}, {"largeAbove": 0, "largeGzip": 1, "largeBr": 0}):
            (self.dir / "catalog/portal.json").write_text(json.dumps({**portal, "compression": compression}))
            self.both(str(compression))
            stays = {p for p in plain if p.endswith("/profile.json")}  # with its twins: a build does not make that of a published version again
            self.assertEqual(twins(".br").keys() - stays, set())
            now = {p: b for p, b in twins(".gz").items() if p not in stays}
            lists = {p for p in plain if p.count("/") == 0}  # the manifest and the like tell of twins
            self.assertEqual([p for p in now if now[p] == gz.get(p)], [])
            self.assertTrue(gz.keys() & now.keys())
            self.assertEqual({p: b for p, b in twins("").items() if p not in lists}, {p: b for p, b in plain.items() if p not in lists})

    def test_search_is_carried_over_while_words_are_the_same(self):
        def search():
            return (self.dir / "cepat/site/cari.json").stat().st_ino
        self.both("first")
        before = search()
        self.rows("lain", 5)  # the codes of day 1
        self.both("another day")
        self.assertEqual(search(), before)
        self.codes("ABCD", 2, "golongan")
        self.both("codes renamed")
        self.assertNotEqual(search(), before)

    def test_an_incremental_build_gives_the_bytes_of_a_full_one(self):
        builds = [self.both("first")]
        self.assertTrue(list((self.dir / "cepat").glob("site.builds/*.inputs")))
        parts = next((self.dir / "cepat").glob("site.builds/*.parts")).read_bytes()
        for part in ("search", "listing"):  # what search takes of a dataset can be carried over: nothing in it asks for all files, or for the clock
            self.assertTrue(f"{part}/lain\0".encode() in parts, part)
        self.assertEqual(self.both("nothing changed"), builds[-1])
        self.rows("anak", 2)
        self.rows("titipan", 2, n=49)
        builds.append(self.both("the children changed"))
        self.release("2.5.1")
        builds.append(self.both("a release"))
        self.codes("ABCDE", 2)
        self.both("a code more")
        self.codes("ABCDE", 3, "golongan")
        builds.append(self.both("codes renamed"))
        index = odp.read_json(self.dir / "cepat/site/v1/index.json")["data"]
        self.assertEqual([(e["slug"], e["version"]) for e in index if e["kind"] == "code-list"], [("daftar", "2024-01-03")])
        for entry in index[:3]:
            labels = [s.get("label", {}).get("id") for s in entry["resources"][0]["slices"]]
            self.assertEqual(labels, [None] * 4 if entry["slug"] == "lain" else [f"golongan {c}" for c in "ABCD"])
        self.rows("induk", 3)
        for site in ("cepat", "penuh"):
            self.odp("build", "titipan", "--out", f"{site}/site")  # its places are those of the parent as it is published
        self.assertEqual(self.places_of("titipan"), {"A": [12], "B": [12], "C": [13], "D": [12]})
        builds.append(self.both("the parent changed"))
        self.assertEqual(self.places_of("titipan"), {"A": [13], "B": [12], "C": [12], "D": [12]})
        self.rows("lain", 4)
        self.rows("anak", 5)
        builds.append(self.both("two changed"))
        self.assertEqual(len(set(builds)), len(builds))
        self.rows("induk", 6, n=299)  # the child's last record has no parent now, though the child did not change
        self.both("a key lost", expect=1)
        self.assertEqual(self.build_of("cepat/site"), builds[-1])
        self.codes("ABC", 4)
        self.rows("induk", 6)
        self.both("a code lost", expect=1)
        self.codes("ABCDE", 3, "golongan")
        self.rows("induk", 3)
        self.assertEqual(self.both("as it was"), builds[-1])

    def made_anew(self):
        """The parts that a build makes: those without a mark after it, though all of the build before got one. No byte of the site tells what was carried over, only time."""
        def kept():
            return self.dir / f"cepat/site.builds/{self.build_of('cepat/site')}.parts"

        before, rest = kept().read_bytes(), b""
        for digests, files, names, text in parts_of(before):
            if not names.startswith(UNMARKED):
                text = MARK + text if names.startswith(b"metadata/") else text + MARK  # an entry of the feed, then JSON
            rest += PART.pack(digests, files, len(text), len(names) + len(text)) + names + text
        kept().write_bytes(PARTS_HEAD.pack(before[:48], zlib.crc32(rest)) + rest)
        self.odp("build", "--out", "cepat/site")
        return {names.split(b"\0")[0].decode() for _, _, names, text in parts_of(kept().read_bytes()) if MARK not in (text[:1], text[-1:]) and not names.startswith(UNMARKED)}

    def test_a_change_makes_the_parts_of_its_own_dataset_alone(self):
        self.odp("build", "--out", "cepat/site")
        slugs = {"induk", "anak", "titipan", "lain", "daftar"}
        for state, slug in ((2, "lain"), (3, "induk")):
            self.rows(slug, state)
            anew = self.made_anew()
            self.assertEqual({f"{kind}/{slug}" for kind in ("pages", "docs", "docs.en", "metadata", "api", "listing", "search")} - anew, set())
            self.assertEqual({name for name in anew if slugs - {slug} & set(name.split("/"))}, set())

    def test_what_pages_are_made_of(self):
        """Words, templates and the look of a catalogue: no dataset changed, the pages are others."""
        def put(path, text):
            (self.dir / "catalog" / path).parent.mkdir(parents=True, exist_ok=True)
            (self.dir / "catalog" / path).write_text(text)

        home = self.dir / "cepat/site/index.html"
        builds = [self.both("first")]
        for what, path, text, shown in (("words", "templates/words/kami.json", '{"site_skip": {"id": "Lompat saja", "en": "Just jump"}}', "Lompat saja"),
                                        ("other words", "templates/words/kami.json", '{"site_skip": {"id": "Lompatlah", "en": "Just jump"}}', "Lompatlah"),
                                        ("a part", "templates/parts/foot.html", "</main><footer>Kaki kami</footer></body></html>\n", "Kaki kami")):
            put(path, text)
            builds.append(self.both(what))
            self.assertIn(shown, home.read_text())
        for what, path, text in (("a theme", "theme.json", '{"css": "kami.css"}'), ("its styles", "kami.css", "h1 { letter-spacing: 1px }\n")):
            put("kami.css", "h1 { letter-spacing: 0 }\n")
            put(path, text)
            builds.append(self.both(what))
        styles = {p.read_text() for p in (self.dir / "cepat/site/assets").glob("*.css")}
        self.assertTrue(any("letter-spacing: 1px" in text for text in styles))
        self.assertEqual(len(set(builds)), len(builds))
        for path in ("templates/words/kami.json", "templates/parts/foot.html", "theme.json", "kami.css"):
            (self.dir / "catalog" / path).unlink()
        self.both("as it came")
        self.assertNotIn("Kaki kami", home.read_text())
        self.odp("rollback", "--out", "cepat/site")
        self.assertIn("Kaki kami", home.read_text())
        self.assert_whole("cepat/site")

    def test_a_source_whose_time_alone_changed_is_the_same(self):
        first = self.both("first")
        for path in (self.dir / "catalog").rglob("*.csv"):
            path.write_bytes(path.read_bytes())
        self.assertEqual(self.both("written again"), first)

    def test_the_surroundings_do_not_show(self):
        builds = {}
        for name, jobs, env in (("a", 1, {}), ("b", 2, {"LC_ALL": "de_DE.UTF-8", "LANG": "id_ID.UTF-8", "TZ": "Asia/Jayapura"}),
                                ("c", 3, {"TZ": "America/St_Johns", "HOME": "/nonexistent", "USER": "lain"})):
            env = dict(env)
            for state in (7, 8, 9):
                self.rows("induk", state)
                self.rows("anak", state + 1)
                self.odp("build", "--out", f"{name}/site", "--jobs", jobs, env=env)
                builds.setdefault(state, set()).add(self.build_of(f"{name}/site"))
        self.assertEqual({state: len(found) for state, found in builds.items()}, {7: 1, 8: 1, 9: 1})

    def test_another_day_does_not_show(self):
        if shutil.which("faketime") is None:
            self.skipTest("faketime is not installed")
        environment = dict(os.environ, ODP_NO_TIMES="1", ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
        environment.pop("SOURCE_DATE_EPOCH", None)
        for name, day in (("a", "2024-02-29 23:59:58"), ("b", "2031-07-01 05:00:00")):
            for state in (7, 8):
                self.rows("induk", state)
                done = odp.run_on(day, [odp.PROGRAM, "build", "--out", f"{name}/site"], cwd=self.dir, env=environment)
                self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertEqual(self.build_of("a/site"), self.build_of("b/site"))
        self.odp("build", "--out", "a/site")
        self.assertEqual(self.build_of("a/site"), self.build_of("b/site"))

    def test_what_a_build_without_work_remembers(self):
        """The second build that finds nothing to do keeps what it said (<build>.idle); one of the same command says it again, unless anything has changed: told by words put into the file."""
        def build(*args, **kw):
            return self.odp("build", *args, **kw).stderr

        def marked():
            """What is kept says "REMEMBERED"; what the build says without."""
            time.sleep(0.25)  # younger files are not trusted
            said = build()
            kept = next((self.dir / "build").glob("site.builds/*.idle"))
            kept.write_bytes(kept.read_bytes().replace(b"0 galat", b"KEPT!!!"))
            self.assertIn("KEPT!!!", build())
            return said

        build()
        said = marked()
        self.assertEqual(build("--lang", "en").count("KEPT"), 0)
        build()
        marked()
        self.assertEqual(build("--quiet"), "")
        source = self.dir / "catalog/lain/lain.csv"

        def overwrite(path):
            """The same size, and the time of before."""
            times = path.stat()
            path.write_bytes(path.read_bytes().replace(b"300,", b"301,"))
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

        kept = next((self.dir / "build").glob("site.builds/*.idle"))
        whole = kept.read_bytes()
        for bad in (b"", whole[:60], whole[:-9], whole[:20] + os.urandom(4000)):
            kept.write_bytes(bad)
            self.assertNotIn("KEPT", build(), len(bad))
        for what, change in (("a row", lambda: overwrite(source)), ("a new file", lambda: (self.dir / "catalog/theme.json").write_text("{}")),
                             ("a page less", lambda: (self.dir / "build/site/index.html").unlink())):
            build()
            marked()
            change()
            self.assertNotIn("KEPT", build(expect=None), what)
            self.rows("lain", 1)
        build()
        self.assert_whole("build/site")
        self.assertIn("0 galat", said)

    def test_the_example_catalogue_unchanged_is_no_work(self):
        """22 datasets: well under 100 ms, where the machine is not busy and the program not a debug build; the time is printed."""
        catalog = odp.SOURCE / "catalog"
        begun = time.monotonic()
        self.odp("build", "--catalog", catalog)
        full = time.monotonic() - begun
        before, times = self.build_of(), []
        for _ in range(5):
            begun = time.monotonic()
            self.odp("build", "--catalog", catalog)
            times.append(time.monotonic() - begun)
        self.assertEqual(self.build_of(), before)
        print(f"22 datasets: {full:.3f} s, nothing changed {min(times):.3f} s", flush=True)
        self.assertLess(min(times), full)


if __name__ == "__main__":
    odp.main()
