"""templates/ci: the recipes run as shell, as they stand: a ministry's own repository, empty workspaces, the package installed, checked and published."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import odp

try:
    import yaml
except ImportError:
    yaml = None

RECIPES = odp.SOURCE / "templates/ci"
BUILD = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "build"))
# Installs a package by unpacking it into a folder of the test; everything else is there already.
APT = """#!/bin/sh
echo "$@" >> "$APT_LOG"
for word; do
    case $word in *.deb) dpkg-deb --extract "$word" "$APT_ROOT" ;; esac
done
"""


def git(folder, *args):
    done = subprocess.run(["git", "-C", str(folder), "-c", "user.name=Sari", "-c", "user.email=sari@example.org", *args], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"git {args}: {done.stderr}")
    return done.stdout.strip()


class Recipes(odp.Case):
    @classmethod
    def setUpClass(cls):
        for tool in ("git", "dpkg-deb", "dpkg-shlibdeps", "cpack"):
            if shutil.which(tool) is None:
                raise unittest.SkipTest(f"{tool} is not installed")
        if yaml is None:
            raise unittest.SkipTest("python3-yaml is not installed")
        cls.packs = pathlib.Path(tempfile.mkdtemp(prefix="odp-pack-"))
        subprocess.run(["cpack", "--config", str(BUILD / "CPackConfig.cmake"), "-D", "CPACK_COMPONENTS_ALL=build", "-B", str(cls.packs)], check=True, capture_output=True)
        cls.package = next(cls.packs.glob("odp-build_*.deb"))

    @classmethod
    def tearDownClass(cls):
        odp.remove_tree(cls.packs)

    def setUp(self):
        super().setUp()
        self.tools, self.origin = self.dir / "tools", self.dir / "origin.git"
        self.tools.mkdir()
        (self.tools / "apt-get").write_text(APT)
        (self.tools / "odp-build").write_text('#!/bin/sh\nexec "$APT_ROOT/usr/bin/odp-build" "$@"\n')
        (self.tools / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
        for path in self.tools.iterdir():
            path.chmod(0o755)
        self.repository()

    def repository(self):
        """The ministry's own: the catalogue to begin with, and the recipes where their README says."""
        work = self.dir / "work"
        shutil.copytree(odp.SOURCE / "templates/catalog", work / "catalog")
        for source, target in (("odp.sh", "ci/odp.sh"), ("github/odp.yml", ".github/workflows/odp.yml"), ("gitlab/.gitlab-ci.yml", ".gitlab-ci.yml")):
            (work / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(RECIPES / source, work / target)
        (work / ".gitignore").write_text("build/\nreports/\n")
        second = work / "catalog/sumur"
        shutil.copytree(work / "catalog/air-minum", second)
        (second / "air-minum.csv").rename(second / "sumur.csv")
        text = (second / "dataset.json").read_text().replace("air-minum", "sumur")
        (second / "dataset.json").write_text(text)
        git(self.dir, "init", "-q", "-b", "main", str(work))
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", "first")
        git(self.dir, "clone", "-q", "--bare", str(work), str(self.origin))
        git(work, "remote", "add", "origin", str(self.origin))
        self.work = work

    def workspace(self, name, branch="main"):
        """A fresh clone, as a runner has it."""
        git(self.dir, "clone", "-q", "--branch", branch, str(self.origin), str(self.dir / name))
        return self.dir / name

    def env(self, name, **more):
        root = self.dir / f"root-{name}"
        root.mkdir(exist_ok=True)
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("ODP_", "GITHUB_", "CI_", "GIT_"))}
        return {**keep, "PATH": f"{self.tools}:{os.environ['PATH']}", "APT_ROOT": str(root), "APT_LOG": str(self.dir / f"apt-{name}"), "HOME": str(root),
                "ODP_PACKAGE": str(self.package), "ODP_DESTINATION": str(self.dir / "site"), **more}

    def steps(self, folder, lines, env):
        """Runs LINES, each by a shell that stops at the first fault; returns the exit code and what was said."""
        said = ""
        for line in lines:
            done = subprocess.run(["sh", "-e", "-c", line], cwd=folder, env=env, capture_output=True, text=True)
            said += done.stdout + done.stderr
            if done.returncode != 0:
                return done.returncode, said
        return 0, said

    def github(self, folder, job, env, **values):
        """Runs a job's `run:` steps; VALUES replace ${{ … }} by what is named in it."""
        recipe = yaml.safe_load((folder / ".github/workflows/odp.yml").read_text())
        lines = []
        for step in recipe["jobs"][job]["steps"]:
            for name, value in (step.get("env") or {}).items():
                known = [v for k, v in values.items() if k in value]
                if known:
                    env = {**env, name: known[0]}
            if "run" in step:
                self.assertNotIn("${{", step["run"], "an expression in a script is a way in for whoever names a branch")
                lines.append(step["run"])
        self.assertGreaterEqual(len(lines), 3)
        return self.steps(folder, lines, {**env, "GITHUB_ACTIONS": "true"})

    def gitlab(self, folder, job, env):
        recipe = yaml.safe_load((folder / ".gitlab-ci.yml").read_text())
        return self.steps(folder, recipe[job]["script"], {**{k: str(v) for k, v in recipe["variables"].items()}, **env})

    def change(self, slug, date, edit):
        path = self.work / "catalog" / slug / f"{slug}.csv"
        path.write_text(edit(path.read_text()), newline="")
        descriptor = path.parent / "dataset.json"
        descriptor.write_text(re.sub(r'("odp:lastUpdate": )"[^"]*"', rf'\1"{date}"', descriptor.read_text()))

    def versions(self, slug):
        return [v["version"] for v in odp.read_json(self.dir / "site/data" / slug / "versions.json")["data"]]

    def publish_twice(self, run):
        """Two runs, each in an empty workspace: the second keeps what the first published, byte for byte."""
        code, said = run("one", True)
        self.assertEqual(code, 0, said)
        before = odp.digests(self.dir / "site")
        self.assertEqual(len(self.versions("air-minum")), 1)
        self.change("air-minum", "2031-01-01", lambda text: text + "33.74;2023;90.000;50,5\n")
        git(self.work, "commit", "-q", "-a", "-m", "newer")
        git(self.work, "push", "-q", "origin", "main")
        code, said = run("two", False)
        self.assertEqual(code, 0, said)
        self.assertEqual(self.versions("air-minum")[0], "2031-01-01")
        self.assertEqual(len(self.versions("air-minum")), 2)
        after = odp.digests(self.dir / "site")
        fixed = [p for p in before if re.match(r"data/[^/]+/\d", p)]
        self.assertGreater(len(fixed), 5)
        for path in fixed:
            self.assertEqual(after.get(path), before[path], path)
        self.assertIn("install", (self.dir / "apt-one").read_text())
        odp.subprocess.run([odp.PROGRAM, "verify", str(self.dir / "site"), "--quiet"], check=True)

    def test_github_publishes_twice_from_empty_workspaces(self):
        def run(name, first):
            return self.github(self.workspace(name), "publish", self.env(name), **{"inputs.first": "--first" if first else "", "vars.ODP_DESTINATION": str(self.dir / "site")})
        self.publish_twice(run)

    def test_gitlab_publishes_twice_from_empty_workspaces(self):
        def run(name, first):
            return self.gitlab(self.workspace(name), "publish", self.env(name, **({"ODP_FIRST": "--first"} if first else {})))
        self.publish_twice(run)

    def test_a_destination_that_is_empty_is_not_taken_for_the_first_time(self):
        code, said = self.gitlab(self.workspace("one"), "publish", self.env("one"))
        self.assertEqual(code, 1, said)
        self.assertIn("ODP-V40", said)
        self.assertFalse((self.dir / "site").exists())

    def propose(self, edit):
        """A branch with air-minum changed; returns the commit it left main at."""
        base = git(self.work, "rev-parse", "main")
        git(self.work, "checkout", "-q", "-b", "usul")
        self.change("air-minum", "2031-01-01", edit)
        git(self.work, "commit", "-q", "-a", "-m", "proposal")
        git(self.work, "push", "-q", "origin", "usul")
        return base

    def check_reports(self, folder, errors):
        report = odp.read_json(folder / "reports/odp.json")
        self.assertEqual(report["summary"]["datasets"], 1, "only what has changed")
        self.assertEqual(report["summary"]["errors"], errors)
        self.assertEqual(odp.read_json(folder / "reports/odp.sarif")["version"], "2.1.0")
        self.assertIn("<testsuites", (folder / "reports/odp.xml").read_text())
        self.assertIn("</html>", (folder / "reports/odp.html").read_text())

    def test_github_checks_what_a_pull_request_changes(self):
        base = self.propose(lambda text: text + "\n")
        folder = self.workspace("pull", "usul")
        code, said = self.github(folder, "check", self.env("pull"), **{"base.sha": base})
        self.assertEqual(code, 1, said)
        self.check_reports(folder, 1)
        self.assertRegex(said, r"(?m)^::error .*file=catalog/air-minum/air-minum\.csv")
        self.assertIn("air-minum", said)

    def test_gitlab_checks_what_a_merge_request_changes(self):
        base = self.propose(lambda text: text)
        folder = self.workspace("merge", "usul")
        code, said = self.gitlab(folder, "check", self.env("merge", CI_MERGE_REQUEST_DIFF_BASE_SHA=base))
        self.assertEqual(code, 0, said)
        self.check_reports(folder, 0)

    def test_a_package_with_another_digest_is_not_installed(self):
        code, said = self.gitlab(self.workspace("one"), "check", self.env("one", ODP_PACKAGE_SHA256="0" * 64, CI_MERGE_REQUEST_DIFF_BASE_SHA=""))
        self.assertEqual(code, 2, said)
        self.assertFalse((self.dir / "root-one/usr").exists())
        code, said = self.gitlab(self.workspace("two"), "check", self.env("two", ODP_PACKAGE="https://example.org/odp-build.deb", CI_MERGE_REQUEST_DIFF_BASE_SHA=""))
        self.assertEqual(code, 2, said)
        self.assertIn("ODP_PACKAGE_SHA256", said)


class Changed(odp.Case):
    """check --changed BASE."""

    def setUp(self):
        super().setUp()
        if shutil.which("git") is None:
            self.skipTest("git is not installed")
        self.catalogue("kontraktor", "proyek", "kepatuhan", "inovasi")
        git(self.dir, "init", "-q", "-b", "main", ".")
        git(self.dir, "add", "-A")
        git(self.dir, "commit", "-q", "-m", "first")

    def checked(self, *args, expect=0):
        report = self.odp("check", "--changed", "main", "--report", "json", "--lang", "en", "--today", "2024-03-21", *args, expect=expect)
        line = re.search(r"datasets checked: (.*)", report.stderr)
        return sorted(line[1].split()) if line else None, json.loads(report.stdout) if report.stdout else None

    def test_datasets_and_those_that_refer_to_them(self):
        self.assertEqual(self.checked()[0], ["none"])
        path = self.dir / "catalog/inovasi/inovasi.csv"
        path.write_bytes(path.read_bytes() + b"\n")
        slugs, report = self.checked(expect=1)
        self.assertEqual(slugs, ["inovasi"])
        self.assertEqual((report["summary"]["datasets"], report["counts"]), (1, {"ODP-R01": 1}))
        git(self.dir, "checkout", "-q", ".")
        with open(self.dir / "catalog/kontraktor/dataset.json", "a") as file:
            file.write("\n")
        self.assertEqual(self.checked()[0], ["kepatuhan", "kontraktor", "proyek"])
        git(self.dir, "checkout", "-q", ".")
        (self.dir / "catalog/references/status-proyek/baru.txt").write_text("x")  # not yet added
        self.assertEqual(self.checked()[0], ["proyek", "status-proyek"])

    def test_those_that_a_rule_binds(self):
        rule = {"code": "inovasi-ada", "message": {"id": "x", "en": "x"}, "each": "inovasi", "join": [{"name": "k", "resource": "kontraktor", "on": {"id_inovasi": "id_kontraktor"}, "select": {"n": "COUNT()"}}], "expr": "k.n >= 0"}
        (self.dir / "catalog/rules.json").write_text(json.dumps({"rules": [rule]}))
        git(self.dir, "add", "-A")
        git(self.dir, "commit", "-q", "-m", "rules")
        (self.dir / "catalog/kontraktor/catatan.txt").write_text("x")
        self.assertEqual(self.checked()[0], ["inovasi", "kepatuhan", "kontraktor", "proyek"], "inovasi, too, which no key binds")

    def test_since_the_branch_was_left(self):
        """What others have put on main since is not ours."""
        git(self.dir, "checkout", "-q", "-b", "ours")
        git(self.dir, "checkout", "-q", "main")
        (self.dir / "catalog/kontraktor/catatan.txt").write_text("theirs")
        git(self.dir, "add", "-A")
        git(self.dir, "commit", "-q", "-m", "theirs")
        git(self.dir, "checkout", "-q", "ours")
        (self.dir / "catalog/inovasi/catatan.txt").write_text("ours")
        git(self.dir, "add", "-A")
        git(self.dir, "commit", "-q", "-m", "ours")
        self.assertEqual(self.checked()[0], ["inovasi"])

    def test_the_portal_and_sources_elsewhere(self):
        with open(self.dir / "catalog/portal.json", "a") as file:
            file.write("\n")
        self.assertEqual(self.checked()[0], ["all"])
        git(self.dir, "checkout", "-q", ".")
        for slug in ("kontraktor", "proyek", "kepatuhan", "inovasi"):
            shutil.copytree(self.dir / "catalog" / slug, self.dir / "sumber" / slug, ignore=shutil.ignore_patterns("dataset.json"))
        git(self.dir, "add", "-A")
        git(self.dir, "commit", "-q", "-m", "sources")
        with open(self.dir / "sumber/kepatuhan/kepatuhan.csv", "a") as file:
            file.write("\n")
        self.assertEqual(self.checked("--sources", "sumber", expect=1)[0], ["kepatuhan"])

    def test_what_cannot_be(self):
        for args, word in ((["nowhere"], "no commit"), (["--upload-pack=x"], "no commit"), (["main", "inovasi"], "neither SLUG")):
            said = self.odp("check", "--changed", *args, "--lang", "en", expect=2).stderr
            self.assertIn(word, said)
        shutil.rmtree(self.dir / ".git")
        env = {"GIT_CEILING_DIRECTORIES": str(self.dir.parent)}
        self.assertIn("not inside a git", self.odp("check", "--changed", "main", "--lang", "en", expect=2, env=env).stderr)
        empty = self.dir / "empty"
        empty.mkdir()
        self.assertIn("not installed", self.odp("check", "--changed", "main", "--lang", "en", expect=3, env={"PATH": str(empty)}).stderr)


class Inbox(odp.Case):
    """templates/ci/inbox: a file dropped in gets its reports beside it."""

    def setUp(self):
        super().setUp()
        self.catalogue("inovasi")
        (self.dir / "inbox/inovasi").mkdir(parents=True)
        self.source = (odp.SOURCE / "catalog/inovasi/inovasi.csv").read_bytes()

    def look(self):
        env = {**os.environ, "PATH": f"{pathlib.Path(odp.PROGRAM).parent}:{os.environ['PATH']}", "ODP_CATALOG": str(self.dir / "catalog")}
        done = subprocess.run(["sh", str(RECIPES / "inbox/odp-inbox.sh"), "--once", "inbox"], cwd=self.dir, env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def files(self):
        return sorted(p.name for p in (self.dir / "inbox/inovasi").iterdir())

    def test_a_file_gets_its_reports_once(self):
        name = "kiriman dinas; $(x) 'a'.csv"
        path = self.dir / "inbox/inovasi" / name
        path.write_bytes(self.source + b"\n")
        self.assertIn(f"{name}: 1", self.look())
        self.assertEqual(self.files(), [name, name + ".laporan.html", name + ".perbaikan.xlsx"])
        html = (path.parent / (name + ".laporan.html")).read_text()
        self.assertIn("ODP-R01", html)
        self.assertEqual((path.parent / (name + ".perbaikan.xlsx")).stat().st_mode & 0o777, 0o600)
        self.assertEqual(path.read_bytes(), self.source + b"\n", "the file itself stays")
        self.assertEqual(self.look(), "", "not again")
        path.write_bytes(self.source)
        os.utime(path, (1900000000, 1900000000))
        self.assertIn(f"{name}: 0", self.look())
        self.assertEqual(self.files(), [name, name + ".laporan.html"], "nothing to correct any more")

    def test_other_files_and_a_folder_of_no_dataset(self):
        (self.dir / "inbox/tidak-ada").mkdir()
        (self.dir / "inbox/tidak-ada/x.csv").write_bytes(self.source)
        (self.dir / "inbox/inovasi/catatan.docx").write_bytes(b"x")
        (self.dir / "inbox/inovasi/tautan.csv").symlink_to("/etc/passwd")
        self.assertEqual(self.look(), "")
        self.assertEqual(self.files(), ["catatan.docx", "tautan.csv"])
        self.assertEqual([p.name for p in (self.dir / "inbox/tidak-ada").iterdir()], ["x.csv"])


if __name__ == "__main__":
    odp.main()
