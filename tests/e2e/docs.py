"""README.md, CONTRIBUTING.md and docs/ are true: links lead somewhere, README.md is short, and every command of the programs runs as it is printed. Commands with
words to be filled in (FILE, DIR, …) are held against --help: the command exists, and so does each option."""
import re
import shutil
import signal
import subprocess
import sys
import unittest

import odp

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import workbooks  # noqa: E402

PAGES = [odp.SOURCE / "README.md", odp.SOURCE / "CONTRIBUTING.md", odp.SOURCE / "SECURITY.md", *sorted((odp.SOURCE / "docs").glob("*.md"))]
BIN = odp.pathlib.Path(odp.PROGRAM).parent
COMMAND = re.compile(r"^ {4,}(?:build/bin/)?(odp-build|odp-gateway) (.*)$")
OPEN = re.compile(r"[A-Z]{2,}|…|[][|]|\b(?:wh_|/etc/|/srv/)")  # words that a reader fills in, or folders of another machine
STANDS_FOR = {"https://data.example.go.id/": "kiriman-situs", "remote:site": "kiriman-situs", "signing.key": "kunci/odp-signing.key", "../anggaran.csv": "pagu-baru.csv"}  # what this machine does not have


def commands():
    """(page, line number, program, words) of every command; what follows two spaces is what the page says of it."""
    for page in PAGES:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            found = COMMAND.match(line)
            if found:
                yield page, number, found[1], re.split(r" {2,}| #", found[2])[0].strip()


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"^\[[^]]+\]: (\S+)$", text, re.M)
            for target in targets:
                if re.match(r"https?:|mailto:", target):
                    continue
                path, _, anchor = target.partition("#")
                with self.subTest(page=page.name, target=target):
                    file = page.parent / path if path else page
                    self.assertTrue(file.exists(), "there is no such file")
                    if anchor:
                        heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)
                        self.assertIn(anchor, [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in heads])

    def test_named_references_are_defined(self):
        text = (odp.SOURCE / "README.md").read_text(encoding="utf-8")
        defined = set(re.findall(r"^\[([^]]+)\]: ", text, re.M))
        prose = re.sub(r"^ {4}.*$", "", text, flags=re.M)
        used = set(re.findall(r"\[([^]]+)\](?![(:])", prose))
        self.assertEqual(used, defined)

    def test_every_document_is_listed(self):
        listed = (odp.SOURCE / "docs/README.md").read_text(encoding="utf-8")
        for page in PAGES[3:]:
            if page.name != "README.md":
                self.assertIn(f"({page.name})", listed)

    def test_readme_is_short(self):
        lines = (odp.SOURCE / "README.md").read_text(encoding="utf-8").splitlines()
        self.assertLessEqual(len(lines), 130)
        self.assertLessEqual(max(map(len, lines)), 100)


class Commands(odp.Case):
    def test_commands_with_open_words_exist(self):
        helps = {}

        def help_of(program, command):
            if (program, command) not in helps:
                done = subprocess.run([BIN / program, command, "--help"], capture_output=True, text=True, check=False)
                helps[program, command] = done.stdout if done.returncode == 0 else None
            return helps[program, command]
        seen = 0
        for page, number, program, words in commands():
            if not OPEN.search(words):
                continue
            seen += 1
            for alternative in re.split(r" \| (?=[a-z]+(?: |$))", words):
                command = alternative.split()[0]
                text = help_of(program, words.split()[0]) or ""
                with self.subTest(page=page.name, line=number, command=alternative):
                    self.assertTrue(help_of(program, command) is not None or command in text, f"{program} has no command {command}")
                    for option in re.findall(r"--[a-z-]+", alternative):
                        self.assertIn(option, (help_of(program, command) or "") + text)
        self.assertGreater(seen, 15)

    def prepare(self):
        shutil.copytree(odp.SOURCE / "catalog", self.dir / "catalog")
        (self.dir / "kiriman").mkdir()
        shutil.copy(odp.SOURCE / "catalog/anggaran/anggaran.csv", self.dir / "pagu-baru.csv")
        shutil.copy(odp.SOURCE / "catalog/perumahan/perumahan.csv", self.dir / "kiriman.csv")
        lines = (self.dir / "kiriman.csv").read_text(encoding="utf-8").splitlines()[:20]
        workbooks.write({"sheets": [{"name": "Data", "rows": [line.split(";") for line in lines]}]}, self.dir / "kiriman/kab-bogor.xlsx")
        self.odp("keygen", "kunci", "--unencrypted")
        shutil.copy(self.dir / "kunci/keys.json", self.dir / "catalog/keys.json")
        self.odp("build", "--quiet")
        self.odp("publish", "kiriman-situs", "--public", "--first")
        self.odp("template", "--metadata")

    def test_commands_run_as_they_are_printed(self):
        self.prepare()
        ran = set()
        for page, number, program, words in commands():
            if OPEN.search(words) or program != "odp-build" or words in ran:
                continue
            ran.add(words)
            with self.subTest(page=page.name, line=number, command=words):
                self.run_one([STANDS_FOR.get(w, w) for w in words.split()])
        self.assertGreater(len(ran), 15)

    def run_one(self, words):
        if "--watch" in words or words[0] == "serve":
            watching = subprocess.Popen([odp.PROGRAM, *words], cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertTrue(watching.stdout.readline())
            watching.send_signal(signal.SIGINT)
            watching.communicate(timeout=60)
            return
        if words[0] == "intake": # nobody is asked here
            words = [*words, "--yes"]
        done = self.odp(*words, "--today", "2024-06-01", expect=None) if words[0] in ("check", "build") else self.odp(*words, expect=None)
        self.assertEqual(done.returncode, 0, done.stdout[-1500:] + done.stderr[-1500:])


if __name__ == "__main__":
    unittest.main()
