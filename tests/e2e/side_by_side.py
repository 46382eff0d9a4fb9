"""A check reads several datasets at the same time: what it says is what it says with one thread, whichever of them refer to each other."""
import json
import random

import odp


def key(fields, target, of, name=None):
    reference = {"dataset": target, "fields": of}
    if name is not None:
        reference["resource"] = name
    return {"fields": fields, "reference": reference}


def text_field(name):
    return {"name": name, "type": "string"}


class SideBySide(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.random = random.Random(11)

    def code_list(self, name, editions):
        """EDITIONS: {edition: rows}."""
        folder = self.dir / "catalog/references" / name
        folder.mkdir(parents=True)
        fields = [text_field("kode"), text_field("nama"), text_field("kode_pengganti")]
        for edition, rows in editions.items():
            (folder / f"{edition}.csv").write_text("kode,nama,kode_pengganti\n" + rows)
        package = {"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": name, "title": name, "resources": [
            {"name": edition, "odp:editionDate": f"{edition}-01-01", "type": "table", "path": f"{edition}.csv", "schema": {"fields": fields, "primaryKey": ["kode"]}} for edition in editions]}
        (folder / "dataset.json").write_text(json.dumps(package))

    def table(self, slug, rows, keys=(), twice=0):
        """Records of a key (TWICE of them come twice), a code and a reference, some of them wrong; KEYS are its foreign keys."""
        text = "id,kode,induk\n" + "".join(f"{slug}-{i % (rows - twice)},{self.random.choice(['11', '12', '13', '21', '99'])},{self.random.choice(self.others)}\n"
                                           for i in range(rows))
        self.dataset(slug, text, [text_field("id"), text_field("kode"), text_field("induk")],
                     {"schema": {"primaryKey": ["id"]}, "odp:foreignKeys": list(keys)})

    def compare(self, *args):
        """The reports of check ARGS by one thread and by more, again and again."""
        expected = [self.odp("check", *args, "--report", form, "--jobs", 1, "--today", "2024-03-20", expect=None) for form in ("json", "human")]
        self.assertIn(expected[0].returncode, (1, 2))
        for jobs in (2, 2, 3, 3, 8, 8):
            for form, one in zip(("json", "human"), expected):
                many = self.odp("check", *args, "--report", form, "--jobs", jobs, "--today", "2024-03-20", expect=one.returncode)
                self.assertEqual(many.stdout, one.stdout, jobs)
                self.assertEqual(many.stderr, one.stderr, jobs)
        return json.loads(expected[0].stdout)["counts"]

    def test_code_lists_chains_and_cycles(self):
        self.code_list("daftar", {"2023": "11,satu,\n12,dua,13\n21,lama,13\n", "2024": "11,satu,\n13,tiga,\n"})
        code = key(["kode"], "references/daftar@2024", ["kode"])
        self.others = ["", "a-1", "b-2", "c-3", "d-4", "z-9"]
        self.table("a", 400, [code, key(["induk"], "b", ["id"])])                            # a cycle of three
        self.table("b", 300, [key(["induk"], "c", ["id"])])
        self.table("c", 200, [code, key(["induk"], "a", ["id"])])
        self.table("d", 300, [code, key(["induk"], "d", ["id"])])                            # to itself
        self.table("e", 500, [code, key(["induk"], "f", ["id"])])                            # a chain, and one that waits for nobody
        self.table("f", 100, [key(["induk"], "d", ["id"]), key(["kode"], "references/daftar@2023", ["kode"])])
        self.table("g", 900, twice=2)                                                       # rejected
        for i in range(8):                                                                   # many that wait for the same
            self.table(f"h{i}", 50 + i, [code, key(["induk"], "g", ["id"])])
        counts = self.compare()
        self.assertGreaterEqual(set(counts), {"ODP-K01", "ODP-K02", "ODP-K04"})
        self.compare("e", "h3")

    def test_a_large_one_among_small_ones(self):
        self.others = ["besar-1", "kecil-3", "x"]
        self.table("kecil", 30)
        self.table("besar", 260_000, [key(["induk"], "kecil", ["id"])])
        self.assertGreater((self.dir / "catalog/besar/besar.csv").stat().st_size, 4 << 20, "as tools/odp-build/run/schedule.c tells them apart")
        for i in range(4):
            self.table(f"sesudah{i}", 40, [key(["induk"], "besar", ["id"])])
        self.compare()

    def test_rules_across_datasets_gather_from_all(self):
        self.others = ["x"]
        for slug in ("a", "b", "c"):
            self.table(slug, 800 + 60 * ord(slug))
        (self.dir / "catalog/rules.json").write_text(json.dumps({"rules": [
            {"code": f"jumlah-{one}{other}", "message": {"id": "beda", "en": "differs"}, "each": one,
             "join": [{"name": "lain", "resource": other, "on": {"kode": "kode"}, "select": {"n": "COUNT()"}}], "expr": "lain.n < 1300"}
            for one in "abc" for other in "abc" if one != other]}))
        self.assertIn("ODP-L02", self.compare())

    def test_nothing_is_said_of_the_data_where_the_templates_are_wrong(self):
        self.others = ["x"]
        for slug in ("a", "b", "c"):
            self.table(slug, 200, twice=2)
        pages = self.dir / "catalog/templates/pages"
        pages.mkdir(parents=True)
        (pages / "home.html").write_text("<p>{{tidak_ada}}</p>\n")
        counts = self.compare()
        if "ODP-C25" not in counts:
            self.skipTest("this program has no portal")
        self.assertEqual(set(counts), {"ODP-C25"})


if __name__ == "__main__":
    odp.main()
