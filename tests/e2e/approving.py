"""Where portal.json asks for approval a new version waits until an officer has signed its content; and only that content is published."""
import json
import shutil
import subprocess

import odp

FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "integer"}]


class Approving(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.site = self.dir / "build/site"
        self.write("2024-01-15", 1)
        self.odp("build")
        self.public = self.key("kunci")

    def key(self, name):
        """Makes a key pair in the folder NAME; returns the public one."""
        self.odp("keygen", name, "--unencrypted")
        return (self.dir / name / "odp-signing.pub").read_text().split()[-1]

    def write(self, date, value):
        shutil.rmtree(self.dir / "catalog/satu", ignore_errors=True)
        self.dataset("satu", f"kode,nilai\na,{value}\nb,2\n", FIELDS, {"schema": {"primaryKey": ["kode"]}}, **{"odp:lastUpdate": date})

    def ask(self, *keys):
        path = self.dir / "catalog/portal.json"
        path.write_text(json.dumps(dict(odp.read_json(path), approval={"keys": list(keys)})))

    def build(self, expect=0):
        return self.odp("build", "--today", "2024-12-01", expect=expect)

    def approve(self, *more, key="kunci/odp-signing.key", expect=0):
        return self.odp("approve", "satu", "--by", "Sari Dewi", "--ref", "B-12/2024", "--key", key, *more, expect=expect)

    def published(self):
        return odp.read_json(self.site / "v1/satu.json")["meta"]["version"]

    def candidate(self):
        return odp.read_json(self.dir / "build/site.candidates/satu/candidate.json")

    def approvals(self):
        return self.dir / "catalog/approvals/satu.json"

    def test_from_candidate_to_version(self):
        self.ask(self.public)
        self.write("2024-02-15", 5)
        self.build()
        self.assertEqual(self.published(), "2024-01-15")
        candidate = self.candidate()
        done = self.approve()
        self.assertIn(candidate["digest"], done.stdout)
        self.assertIn("2024-02-15", done.stdout)
        self.assertIn("+0 −0 ~1", done.stdout)
        said = odp.read_json(self.approvals())
        self.assertEqual([(a["version"], a["digest"], a["by"], a["ref"]) for a in said],
                         [("2024-02-15", candidate["digest"], "Sari Dewi", "B-12/2024")])
        self.build()
        self.assertEqual(self.published(), "2024-02-15")

    def test_minisign_agrees(self):
        if shutil.which("minisign") is None:
            self.skipTest("minisign is not installed")
        self.ask(self.public)
        self.write("2024-02-15", 5)
        self.build()
        self.approve()
        said = odp.read_json(self.approvals())[0]
        (self.dir / "pesan").write_text(f"odp-approval 1\nsatu\n{said['version']}\n{said['digest']}\n{said['by']}\n{said['ref']}\n")
        (self.dir / "pesan.minisig").write_text(said["signature"])
        subprocess.run(["minisign", "-Vm", "pesan", "-P", self.public], cwd=self.dir, check=True, capture_output=True)

    def test_other_content_waits_again(self):
        self.ask(self.public)
        self.write("2024-02-15", 5)
        self.build()
        self.approve()
        self.write("2024-02-15", 6)
        self.build()
        self.assertEqual(self.published(), "2024-01-15")

    def test_what_is_changed_afterwards_is_no_approval(self):
        self.ask(self.public)
        self.write("2024-02-15", 5)
        self.build()
        self.approve()
        good = self.approvals().read_text()
        for key, value in (("by", "Budi"), ("ref", "B-13/2024"), ("version", "2024-02-16")):
            said = json.loads(good)
            said[0][key] = value
            self.approvals().write_text(json.dumps(said))
            report = self.report("build", "--today", "2024-12-01", expect=1)
            self.assertEqual(report["counts"].get("ODP-V84"), 1, report)
            self.assertEqual(self.published(), "2024-01-15")
        self.approvals().write_text(good)
        self.build()
        self.assertEqual(self.published(), "2024-02-15")

    def test_a_key_of_somebody_else(self):
        self.key("lain")
        self.ask(self.public)
        self.write("2024-02-15", 5)
        self.build()
        self.assertIn("ODP-V85", self.approve(key="lain/odp-signing.key", expect=1).stderr)
        self.assertFalse(self.approvals().exists())

    def test_nothing_to_approve(self):
        self.ask(self.public)
        self.assertIn("ODP-V86", self.approve(expect=1).stderr)
        self.write("2024-02-15", 5)
        self.build()
        self.approve()
        saved = self.dir / "saved"
        shutil.copytree(self.dir / "build/site.candidates", saved)
        self.build()
        shutil.rmtree(self.dir / "build/site.candidates", ignore_errors=True)
        shutil.copytree(saved, self.dir / "build/site.candidates")
        self.assertIn("ODP-V87", self.approve(expect=1).stderr)

    def test_a_candidate_that_is_none(self):
        self.ask(self.public)
        folder = self.dir / "build/site.candidates/satu"
        folder.mkdir(parents=True)
        for text in ("", "[]", "{}", '{"dataset":"lain","version":"2024-02-15","digest":"sha256:' + "a" * 64 + '"}',
                     '{"dataset":"satu","version":"2024\\n","digest":"sha256:' + "a" * 64 + '"}',
                     '{"dataset":"satu","version":"2024-02-15","digest":"' + "a" * 64 + '"}'):
            (folder / "candidate.json").write_text(text)
            self.assertIn("ODP-V86", self.approve(expect=1).stderr, text)
        self.assertFalse(self.approvals().exists())

    def test_usage(self):
        self.ask(self.public)
        for words in ([], ["satu"], ["satu", "--by", "a", "--ref", "b"], ["satu", "--by", "a\nb", "--ref", "b", "--key", "kunci/odp-signing.key"],
                      ["satu", "x", "--by", "a", "--ref", "b", "--key", "kunci/odp-signing.key"], ["satuu", "--by", "a", "--ref", "b", "--key", "kunci/odp-signing.key"]):
            self.odp("approve", *words, expect=2)


if __name__ == "__main__":
    odp.main()
