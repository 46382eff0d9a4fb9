"""All or nothing, and --keep-good: what is published stays whole, and one fault causes no report of another."""
import json
import os

import odp

PARENT = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "integer"}]
CHILD = [{"name": "id", "type": "string"}, {"name": "kode", "type": "string"}]
KEY = {"schema": {"primaryKey": ["kode"]}}
FOREIGN = {"schema": {"primaryKey": ["id"]},
           "odp:foreignKeys": [{"fields": ["kode"], "reference": {"dataset": "induk", "fields": ["kode"]}}]}


class KeepGood(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.parent = self.dataset("induk", "kode,nilai\na,1\nb,2\n", PARENT, dict(KEY, schema=dict(KEY["schema"])))
        self.child = self.dataset("anak", "id,kode\n1,a\n2,b\n", CHILD, dict(FOREIGN, schema=dict(FOREIGN["schema"])))
        self.other = self.dataset("lain", "kode,nilai\nz,9\n", PARENT)
        self.odp("build")
        self.before = odp.digests(self.dir / "build/site")

    def write(self, slug, text):
        """New data, and so a new date: its version."""
        self.day = getattr(self, "day", 0) + 1
        self.update(slug, f"2024-04-{self.day:02}", text)

    def records(self, slug):
        return odp.read_json(self.dir / f"build/site/v1/{slug}.json")["data"]

    def test_any_error_leaves_the_site_alone(self):
        self.write("lain", "kode,nilai\nz,10\n")
        self.write("induk", "kode,nilai\na,satu\n")
        link = os.readlink(self.dir / "build/site")
        report = self.report("build", expect=1)
        self.assertEqual(odp.digests(self.dir / "build/site"), self.before)
        self.assertEqual(os.readlink(self.dir / "build/site"), link)
        self.assertEqual(report["summary"]["errors"], 1)

    def test_a_rejected_parent_is_one_note_at_the_child(self):
        self.write("induk", "kode,nilai\na,satu\n")
        report = self.report("build", expect=1)
        self.assertEqual(report["counts"], {"ODP-T02": 1, "ODP-K04": 1})

    def test_a_rejected_parent_is_one_note_even_where_the_child_has_new_keys(self):
        self.write("induk", "kode,nilai\na,1\nc,satu\n")
        self.write("anak", "id,kode\n1,a\n3,c\n4,d\n")
        self.assertEqual(self.report("build", expect=1)["counts"], {"ODP-T02": 1, "ODP-K04": 1})

    def test_keep_good_publishes_the_others(self):
        self.write("lain", "kode,nilai\nz,10\n")
        self.write("induk", "kode,nilai\na,satu\n")
        self.odp("build", "--keep-good", expect=1)
        self.assertEqual(self.records("lain"), [{"kode": "z", "nilai": 10}])
        self.assertEqual(self.records("induk"), [{"kode": "a", "nilai": 1}, {"kode": "b", "nilai": 2}])
        self.assertEqual(len(self.records("anak")), 2)

    def test_keep_good_holds_back_whose_keys_do_not_resolve(self):
        self.write("induk", "kode,nilai\na,1\nc,satu\n")
        self.write("anak", "id,kode\n1,a\n3,c\n")
        report = self.report("build", "--keep-good", expect=1)
        self.assertEqual([r["kode"] for r in self.records("anak")], ["a", "b"])
        self.assertIn(("anak", "ODP-V02"), [(d["dataset"], d["code"]) for d in report["diagnostics"]])

    def test_keep_good_holds_back_a_parent_that_would_leave_published_keys_dangling(self):
        self.write("induk", "kode,nilai\na,1\n")
        self.write("anak", "id,kode\n1,a\n1,a\n")
        self.odp("build", "--keep-good", expect=1)
        self.assertEqual([r["kode"] for r in self.records("induk")], ["a", "b"])

    def codes(self, **editions):
        """The code list `daftar`: its editions by year, each a text of codes."""
        folder = self.dir / "catalog/references/daftar"
        folder.mkdir(parents=True, exist_ok=True)
        schema = {"fields": [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}], "primaryKey": ["kode"]}
        tables = [{"name": year[1:], "path": f"{year[1:]}.csv", "odp:editionDate": f"{year[1:]}-01-01", "schema": schema} for year in editions]
        (folder / "dataset.json").write_text(json.dumps({"name": "daftar", "resources": tables}))
        for year, letters in editions.items():
            (folder / f"{year[1:]}.csv").write_text("kode,nama\n" + "".join(f"{c},kelas {c}\n" for c in letters))

    def test_keep_good_keeps_a_code_list_and_what_refers_to_it(self):
        key = {"fields": ["kode"], "reference": {"dataset": "references/daftar", "fields": ["kode"]}}
        self.codes(_2023="ab")
        self.dataset("pakai", "id,kode\n1,a\n", CHILD, {"odp:foreignKeys": [key]})
        self.release("2.6.0")
        self.odp("build")
        labels = self.dir / "build/site/data/daftar/labels-2023.json"
        before = labels.read_text()
        self.codes(_2023="ab", _2024="abcc")
        self.release("2.7.0")
        self.write("pakai", "id,kode\n1,a\n2,b\n")
        self.write("lain", "kode,nilai\nz,10\n")
        report = self.report("build", "--keep-good", expect=1)
        self.assertIn(("pakai", "ODP-V02"), [(d["dataset"], d["code"]) for d in report["diagnostics"]])
        self.assertEqual(self.records("lain"), [{"kode": "z", "nilai": 10}])
        self.assertEqual([len(self.records(slug)) for slug in ("daftar", "pakai")], [2, 1])
        self.assertEqual((labels.read_text(), list(labels.parent.glob("labels-2024*"))), (before, []))
        self.codes(_2023="ab", _2024="abc")
        self.release("2.8.0")  # the table of the older edition is new to the site
        self.odp("build")
        self.assertEqual([len(self.records(slug)) for slug in ("daftar", "daftar/2023", "pakai")], [3, 2, 2])
        changes = odp.read_json(self.dir / "build/site/data/daftar/2024-01-01/changes.json")
        self.assertEqual((changes["from"]["version"], changes["to"]["version"]), ("2023-01-01", "2024-01-01"))

    def test_places_are_those_of_records_that_stay(self):
        key = {"fields": ["kode"], "reference": {"dataset": "references/daftar", "fields": ["kode"]}}
        self.codes(_2023="ab")
        listed = self.dir / "catalog/references/daftar/dataset.json"
        listed.write_text(json.dumps({**json.loads(listed.read_text()), "odp:places": True}))
        self.dataset("proyek", "id,kode\n1,a\n", CHILD, {"odp:foreignKeys": [key]})
        self.dataset("risiko", "id,kode\n7,1\n", CHILD, {"odp:foreignKeys": [{"fields": ["kode"], "reference": {"dataset": "proyek", "fields": ["id"]}}]})
        self.release("2.6.0")
        self.odp("build")
        latest = self.dir / "build/site/data/risiko/latest/risiko.summary.json"
        places = lambda: {code: row["total"] for code, row in odp.read_json(latest)["places"]["daftar"].items()}  # noqa: E731
        self.assertEqual(places(), {"a": [1]})
        self.write("proyek", "id,kode\n1,b\n2,z\n")
        self.write("risiko", "id,kode\n7,1\n8,1\n")
        self.odp("build", "--keep-good", expect=1)
        self.assertEqual((len(self.records("risiko")), places()), (2, {"a": [2]}))
        self.write("proyek", "id,kode\n1,b\n")
        self.odp("build")
        self.assertEqual(places(), {"b": [2]})

    def test_a_dataset_brings_its_code_lists_along(self):
        key = {"fields": ["kode"], "reference": {"dataset": "references/daftar@2023", "fields": ["kode"]}}
        self.codes(_2023="ab")
        self.dataset("pakai", "id,kode\n1,a\n", CHILD, {"odp:foreignKeys": [key]})
        self.write("lain", "kode,nilai\nz,10\n")
        self.release("2.6.0")
        report = self.report("build", "pakai")
        self.assertEqual([len(self.records(slug)) for slug in ("daftar", "pakai")], [2, 1])
        self.assertEqual(self.records("lain"), [{"kode": "z", "nilai": 9}])
        self.assertEqual(self.report("check", "pakai")["summary"]["datasets"], 1)
        self.assertEqual(self.report("check", "daftar", "--quiet")["summary"]["rows"], 2)
        self.assertEqual(report["summary"]["errors"], 0)

    def test_building_one_dataset_may_not_break_what_refers_to_it(self):
        self.write("induk", "kode,nilai\na,1\n")
        report = self.report("build", "induk", expect=1)
        self.assertEqual(report["counts"], {"ODP-V07": 1})
        self.assertEqual(odp.digests(self.dir / "build/site"), self.before)

    def test_keys_round_a_cycle_are_charged_to_whom_they_belong(self):
        both = {"schema": {"primaryKey": ["kode"]}}
        for slug, other in (("kiri", "kanan"), ("kanan", "kiri")):
            self.dataset(slug, "kode,ke\n1,1\n2,\n", [{"name": "kode", "type": "string"}, {"name": "ke", "type": "string"}],
                         dict(both, schema=dict(both["schema"]), **{"odp:foreignKeys": [
                             {"fields": ["ke"], "reference": {"dataset": other, "fields": ["kode"]}}]}))
        self.release("2.6.0")
        self.odp("build")
        self.write("kiri", "kode,ke\n1,1\n2,9\n")
        report = self.report("build", "--keep-good", expect=1)
        self.assertEqual([(d["code"], d["dataset"], d["line"]) for d in report["diagnostics"] if d["severity"] == "error"], [("ODP-K02", "kiri", 3)])
        self.assertEqual(self.records("kiri")[1], {"kode": "2", "ke": None})
        self.assertEqual(len(self.records("kanan")), 2)

    def test_a_key_that_is_not_public_is_read_from_the_source(self):
        secret = [{"name": "nik", "type": "string", "sdi:aksesPublik": False}, {"name": "nilai", "type": "integer"}]
        child = [{"name": "id", "type": "string"}, {"name": "nik", "type": "string", "sdi:aksesPublik": False}]
        self.dataset("orang", "nik,nilai\nA,1\nB,2\n", secret, {"schema": {"primaryKey": ["nik"]}})
        self.dataset("bantuan", "id,nik\n1,A\n", child, {"schema": {"primaryKey": ["id"]}, "odp:foreignKeys": [
            {"fields": ["nik"], "reference": {"dataset": "orang", "fields": ["nik"]}}]})
        self.release("2.6.0")
        self.odp("build")
        self.write("bantuan", "id,nik\n1,A\n2,B\n")
        self.odp("build", "bantuan")
        self.assertEqual(self.records("bantuan"), [{"id": "1"}, {"id": "2"}])
        self.write("bantuan", "id,nik\n1,A\n2,C\n")
        self.assertEqual(self.report("build", "bantuan", expect=1)["counts"], {"ODP-K02": 1})

    def lines_of(self, slug):
        """Of control: the lines of a dataset's addresses without a file, and the paths of its files."""
        lines = [line.split("\t") for line in (self.dir / "build/site/control").read_text().splitlines()[1:]]
        self.assertEqual([line[0] for line in lines], sorted((line[0] for line in lines), key=str.encode))
        mine = [line for line in lines if line[0].startswith((f"data/{slug}/", f"v1/{slug}/", f"v1/{slug}."))]
        return [line for line in mine if line[1] == "-"], [line[0] for line in mine if line[1] != "-"]

    def tombstone_only(self):
        """Of lain nothing is left but the names of its versions."""
        site, lists = self.dir / "build/site", ("data/lain/versions.json", "v1/lain/versions.json")
        files = [str(p.relative_to(site)) for top in ("data", "v1") for p in (site / top).rglob("*") if p.is_file() and "lain" in str(p.relative_to(site))]
        self.assertEqual(sorted(files), sorted(lists))
        for path in lists:
            entries = odp.read_json(site / path)["data"]
            digest = entries[0].pop("digest")
            self.assertRegex(digest, "^sha256:[0-9a-f]{64}$")
            self.assertEqual(entries, [{"version": "2024-03-15", "date": "2024-03-15", "state": "withdrawn", "release": "2.5.0", "reason": "dataset"}])
        return files

    def test_the_addresses_of_a_withdrawn_dataset_stay_known(self):
        """Whatever else is built: the gateway answers 410 by these lines. The previous site is read all the same. What was published is
        gone, but for the tombstones of its versions."""
        path = self.dir / "catalog/lain/dataset.json"
        path.write_text(json.dumps(dict(odp.read_json(path), **{"odp:status": "withdrawn", "odp:replacedBy": "induk"})))
        self.release("3.0.0")
        whole = {"data/lain/": "public", "v1/lain.json": "keyed", "v1/lain/": "keyed"}
        parts = {"data/lain/2024-03-15/": "public", "data/lain/latest/": "public", "data/lain/latest.json": "public", "v1/lain/v/2024-03-15/": "keyed"}
        expected = sorted({**whole, **parts}.items())
        link = f'<{odp.read_json(self.dir / "catalog/portal.json")["baseUrl"]}v1/induk>; rel="successor-version"'
        for build in (["build"], ["build", "anak"], ["build", "lain"], ["build", "--keep-good"], ["build", "--previous", "build/site"]):
            self.odp(*build)
            lines, files = self.lines_of("lain")
            self.assertEqual(sorted((line[0], line[4]) for line in lines), expected, build)
            self.assertEqual({(line[5], line[9], line[10]) for line in lines}, {("withdrawn", "0", link)})
            self.assertEqual(sorted(files), sorted(self.tombstone_only()))
            self.assertEqual(sorted(odp.read_json(self.dir / "build/site/gateway.json")["datasets"]), ["anak", "induk"])
        self.write("induk", "kode,nilai\na,satu\n")
        self.odp("build", "--keep-good", expect=1)
        lines, _ = self.lines_of("lain")
        self.assertEqual(sorted((line[0], line[4]) for line in lines), expected)
        self.tombstone_only()
        self.assertEqual(len(self.records("induk")), 2)

    def test_out_that_is_a_real_folder_is_refused(self):
        (self.dir / "plain").mkdir()
        (self.dir / "plain/file").write_text("x")
        self.odp("build", "--out", "plain", expect=1)
        self.assertEqual((self.dir / "plain/file").read_text(), "x")


if __name__ == "__main__":
    odp.main()
