"""Rules across datasets (catalog/rules.json): what check and build make of them, and when they are looked at again."""
import json
import os

import odp

BUDGET = [{"name": "program", "type": "string"}, {"name": "pagu", "type": "integer"}]
PROJECT = [{"name": "id", "type": "string"}, {"name": "program", "type": "string"}, {"name": "nilai", "type": "integer"},
           {"name": "nik", "type": "string", "sdi:aksesPublik": False}]
SUM = {"code": "pagu-program", "message": {"id": "pagu berbeda", "en": "the budget differs"}, "each": "anggaran",
       "join": [{"name": "proyek", "resource": "proyek", "on": {"program": "program"}, "select": {"n": "COUNT()", "nilai": "SUM(nilai)"}}],
       "expr": "proyek.n > 0 AND proyek.nilai = pagu"}
GOOD_BUDGET, GOOD_PROJECTS = "program,pagu\n07.01,150\n07.02,30\n", "id,program,nilai,nik\n1,07.01,100,x\n2,07.01,50,y\n3,07.02,30,z\n"


class CrossRules(odp.Case):
    def setUp(self):
        super().setUp()
        program = odp.program_without_portal(self.dir / "bin")
        self.addCleanup(setattr, odp, "PROGRAM", odp.PROGRAM)
        odp.PROGRAM = program
        self.catalogue(references=False)
        self.dataset("anggaran", GOOD_BUDGET, BUDGET, {"schema": {"primaryKey": ["program"]}})
        self.dataset("proyek", GOOD_PROJECTS, PROJECT, {"schema": {"primaryKey": ["id"]}})
        self.dataset("lain", "program,pagu\nz,9\n", BUDGET)
        self.rules(SUM)

    def rules(self, *rules):
        (self.dir / "catalog/rules.json").write_text(json.dumps({"rules": rules}))

    def write(self, slug, text):
        self.day = getattr(self, "day", 0) + 1
        self.update(slug, f"2024-04-{self.day:02}", text)

    def records(self, slug):
        return odp.read_json(self.dir / f"build/site/v1/{slug}.json")["data"]

    def test_a_broken_rule_rejects_its_dataset_and_names_both_figures(self):
        self.odp("build")
        before = os.readlink(self.dir / "build/site")
        self.write("proyek", GOOD_PROJECTS.replace(",50,", ",45,"))
        report = self.report("build", expect=1)
        self.assertEqual(os.readlink(self.dir / "build/site"), before)
        self.assertEqual(report["counts"], {"ODP-L02": 1})
        fault = report["diagnostics"][0]
        self.assertEqual((fault["dataset"], fault["row"], fault["line"], fault["rule"]), ("anggaran", 1, 2, "pagu-program"))
        self.assertEqual(fault["value"], "program = 07.01: proyek.n = 2, proyek.nilai = 145, pagu = 150")
        self.assertEqual(self.report("check", expect=1)["counts"], {"ODP-L02": 1})

    def test_one_dataset_is_judged_beside_the_others_as_they_lie(self):
        self.odp("build")
        self.write("anggaran", GOOD_BUDGET.replace("150", "160"))
        for slug in ("anggaran", "proyek"):
            self.assertEqual(self.report("check", slug, expect=1)["counts"], {"ODP-L02": 1}, slug)
        self.assertEqual(self.report("check", "lain")["counts"], {})
        self.assertEqual(self.report("build", "anggaran", expect=1)["counts"], {"ODP-L02": 1})
        self.write("proyek", GOOD_PROJECTS.replace(",50,", ",60,"))
        self.odp("build", "anggaran")  # with the projects that lie ready
        self.assertEqual(self.records("anggaran")[0]["pagu"], 160)
        self.assertEqual(self.records("proyek")[1]["nilai"], 50)
        self.odp("build")
        self.assertEqual(self.records("proyek")[1]["nilai"], 60)

    def test_a_file_where_it_lies_is_judged_too(self):
        (self.dir / "baru.csv").write_text(GOOD_PROJECTS.replace(",50,", ",51,"))
        self.assertEqual(self.report("check", "--as", "proyek", "baru.csv", expect=1)["counts"], {"ODP-L02": 1})

    def test_a_table_with_errors_of_its_own_is_one_note(self):
        self.write("proyek", GOOD_PROJECTS.replace(",50,", ",lima,"))
        report = self.report("check", expect=1)
        self.assertEqual(report["counts"], {"ODP-T02": 1, "ODP-L03": 1})
        self.assertEqual(self.report("check", "anggaran")["counts"], {"ODP-L03": 1})

    def test_keep_good_holds_back_the_dataset_of_the_rule_alone(self):
        self.odp("build")
        self.write("proyek", GOOD_PROJECTS.replace(",50,", ",45,"))
        self.write("anggaran", GOOD_BUDGET.replace("30", "31"))
        self.write("lain", "program,pagu\nz,10\n")
        self.odp("build", "--keep-good", expect=1)
        self.assertEqual([r["pagu"] for r in self.records("anggaran")], [150, 30])
        self.assertEqual(self.records("proyek")[1]["nilai"], 45)
        self.assertEqual(self.records("lain")[0]["pagu"], 10)

    def test_what_takes_part_is_looked_at_again_and_nothing_else(self):
        self.odp("build")
        self.write("proyek", GOOD_PROJECTS.replace(",50,", ",40,").replace(",100,", ",110,"))  # the sum is the same
        self.odp("build")
        self.assertEqual(self.records("proyek")[1]["nilai"], 40)
        self.write("proyek", GOOD_PROJECTS.replace(",50,", ",41,"))  # only the projects changed: the budget is asked again all the same
        self.assertEqual(self.report("build", expect=1)["counts"], {"ODP-L02": 1})
        self.write("proyek", GOOD_PROJECTS)
        self.odp("build")
        self.rules(dict(SUM, expr="proyek.n > 1"))  # nothing but the rule changed
        self.assertEqual(self.report("build", expect=1)["counts"], {"ODP-L02": 1})
        self.rules(dict(SUM, severity="warning", expr="proyek.n > 1"))
        self.assertEqual(self.report("build")["counts"], {"ODP-L02": 1})
        link = os.readlink(self.dir / "build/site")
        self.odp("build")  # nothing to do
        self.assertEqual(os.readlink(self.dir / "build/site"), link)

    def test_private_values_are_never_told(self):
        self.rules(SUM, {"code": "rahasia", "message": "m", "each": "proyek", "severity": "warning", "expr": "nik = a.besar",
                         "join": [{"name": "a", "resource": "proyek", "on": {"program": "program"}, "select": {"besar": "MAX(nik)"}}]})
        done = self.odp("check", "--report", "json")
        self.assertEqual(json.loads(done.stdout)["diagnostics"][0]["value"], "id = 1, program = 07.01: nik = ***, a.besar = ***")

    def test_the_result_does_not_depend_on_threads_or_on_the_order_of_rules(self):
        rows = "".join(f"{i},07.{i % 40:02},{i % 7},\n" for i in range(20000))
        wrong = sum(sum(i % 7 for i in range(k, 20000, 40)) != 1500 for k in range(40)) + sum(i % 7 == 6 for i in range(20000))
        self.write("proyek", "id,program,nilai,nik\n" + rows)
        self.write("anggaran", "program,pagu\n" + "".join(f"07.{i:02},1500\n" for i in range(40)))
        second = dict(SUM, code="nilai", each="proyek", expr="nilai < 6", join=[dict(SUM["join"][0], resource="anggaran", select={"n": "COUNT()"})])
        said = set()
        for rules in ((SUM, second), (second, SUM)):
            self.rules(*rules)
            for jobs in (1, 4):
                report = self.report("check", "--jobs", jobs, expect=1)
                for d in report["diagnostics"]:
                    d.pop("where", None)
                said.add(json.dumps([report["counts"], sorted(map(json.dumps, report["diagnostics"]))]))
        self.assertEqual(len(said), 1)
        self.assertEqual(json.loads(said.pop())[0]["ODP-L02"], wrong)

    def test_show_names_the_rules(self):
        for slug in ("anggaran", "proyek"):
            self.assertIn("pagu-program", self.odp("show", slug).stdout)
        self.assertNotIn("pagu-program", self.odp("show", "lain").stdout)


if __name__ == "__main__":
    odp.main()
