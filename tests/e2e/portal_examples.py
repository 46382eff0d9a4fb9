"""Every example of code on every page of the portal is run as it is printed, in its own language, against a real gateway; those with a client library
with the package of that very site. The READMEs in the packages have the same programs."""
import concurrent.futures
import html
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
import urllib.parse

import clientlib
import odp
import portallib

RUN = {"curl": ["sh"], "register": ["sh"], "subscribe": ["sh"], "javascript": ["node"], "python": ["python3"], "php": ["php"],
       "javascript-library": ["node"], "python-library": ["python3", "-X", "dev"], "php-library": ["php", "-d", "display_errors=stderr", "-d", "error_reporting=-1"],
       "javascript-browser": ["node", "--check"]}
INSTALLING = "shell"  # lines for a terminal that install packages: clients_install.py
QUIET = ("javascript-browser",)
# What an example wants and this machine may lack: a Python package, a program.
WANTS = {"pandas": "pandas", "geopandas": "geopandas"}


class Examples(portallib.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = cls.register("contoh@example.org")
        found, missing = clientlib.libraries(cls.home / "libraries", cls.site)
        cls.libraries, cls.missing = ({name: one for name, one in both.items() if name in RUN} for both in (found, missing))
        cls.addClassCleanup(shutil.rmtree, cls.home / "libraries", ignore_errors=True)
        if "php" in cls.libraries:  # as Composer has it: vendor/ beside the program
            folder = cls.libraries["php"].folder
            (folder / "vendor").mkdir()
            (folder / "vendor/autoload.php").write_text(f"<?php require_once {clientlib.php_text(str(folder / 'autoload.php'))};\n")

    def blocks(self, path):
        text = (self.site / path).read_text()
        for m in re.finditer(r'<code data-run="([^"]*)" data-file="([^"]*)">(.*?)</code>', text, re.S):
            yield m[1], m[2], html.unescape(m[3])

    def library(self, language):
        """The library that a block in LANGUAGE is run with; None: none."""
        name, _, kind = language.partition("-")
        return self.libraries.get(name) if kind == "library" else None

    def can_run(self, language, code):
        wants = re.findall(r"(?m)^(?:import|from) (\w+)|to_(pandas|geopandas)\(", code)
        if any(WANTS.get(w) and subprocess.run(["python3", "-c", f"import {WANTS[w]}"], capture_output=True).returncode for pair in wants for w in pair):
            return False
        return shutil.which(RUN[language][0]) is not None and (not language.endswith("-library") or self.library(language) is not None)

    def run_block(self, language, file, code, **more):
        library = self.library(language)
        with tempfile.TemporaryDirectory(dir=library.folder if library else self.dir) as folder:
            pathlib.Path(folder, file).write_text(code)
            if library and language.startswith("php"):
                os.symlink(library.folder / "vendor", pathlib.Path(folder, "vendor"))
            environment = dict(library.environment if library else os.environ, ODP_KEY=self.key, **more)
            return subprocess.run([*RUN[language], file], cwd=folder, capture_output=True, text=True, timeout=120, env=environment)

    def check(self, language, code, done):
        self.assertEqual(done.returncode, 0, done.stderr[-2000:] + done.stdout[-2000:])
        if language not in QUIET:
            self.assertNotEqual(done.stdout.strip(), "", "it prints nothing")
        if language.endswith("-library"):
            self.assertNotRegex(done.stderr, "(?i)warning|deprecat|notice|error")  # how far a download is may be there
        if language == "register":
            self.assertRegex(done.stdout, r'"key":"odp_live_\w{36}"')
        elif language == "subscribe":
            self.assertRegex(done.stdout, r'"secret":"whsec_')

    def test_every_block(self):
        found, done, whole = {}, {}, {}
        for path in self.pages():
            for language, file, code in self.blocks(path):
                if language == INSTALLING:
                    continue
                self.assertIn(language, RUN, f"{path}: {file}")
                does = re.sub(r"^(#|//) .*\n", "", code, flags=re.M)  # the same program with another comment is run once
                found.setdefault((language, does), (path, file, code))
        wanted = [(language, *rest) for (language, _), rest in found.items() if self.can_run(language, rest[2])]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda w: self.run_block(w[0], w[2], w[3]), wanted))
        for (language, path, file, code), result in zip(wanted, results):
            with self.subTest(page=path, language=language, file=file, code=code):
                self.check(language, code, result)
                if "while " in code and "next" in code and language in ("curl", "javascript", "python", "php"):
                    dataset = re.search(r"/v1/([\w/-]+)['\"`]", code)[1]
                    self.assertEqual(int(result.stdout), odp.read_json(self.site / f"v1/{dataset}.json")["meta"]["total"])
                    whole[language] = whole.get(language, 0) + 1
                done[language] = done.get(language, 0) + 1
        print("run:", done, "all pages:", whole)
        for language in ("curl", *(n for n in ("javascript", "python", "php") if shutil.which(RUN[n][0]))):
            self.assertGreaterEqual(whole.get(language, 0), 1)  # the guide's
        self.assertGreater(done.get("curl", 0), 22)
        for language in ("javascript", "python", "php"):
            if shutil.which(RUN[language][0]):
                self.assertGreater(done.get(language, 0), 22)
            if language in self.libraries:
                self.assertGreater(done.get(f"{language}-library", 0), 22 + 9)  # one of each dataset, and those of the guide

    def test_answers_are_true(self):
        """What a page of the API shows as the answer to its example is what the gateway answers: of the first record each value that is not cut."""
        seen = 0
        for path in sorted(self.site.glob("dokumentasi/api/*.html")):
            for request, answer in re.findall(r'data-request="([^"]*)".*?</div>\n<div class="api-box">.*?<code>(.*?)</code>', path.read_text(), re.S):
                asked = json.loads(html.unescape(request))
                with self.subTest(page=path.name, asked=asked):
                    query = urllib.parse.urlencode([(p["name"], p["value"]) for p in asked["query"]])
                    address = asked["path"] + ("?" + query if query else "")
                    got = self.gateway.post(address, asked["body"], key=self.key) if asked["method"] == "POST" else self.gateway.get(address, self.key)
                    self.assertEqual(got.status, 200, got.body[:500])
                    lines = re.findall(r'^      "((?:[^"\\]|\\.)*)": (.*?),?$', html.unescape(answer), re.M)
                    self.assertTrue(lines)
                    record = got.json()["data"][0]
                    for name, value in lines:
                        if "…" not in value:
                            self.assertEqual(record[json.loads(f'"{name}"')], json.loads(value), name)
                    seen += 1
        self.assertGreater(seen, 100)

    def test_any_host(self):
        """ODP_BASE_URL sends every program elsewhere, the libraries' too."""
        asked = []

        class Elsewhere(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                body = b'{"data":[\n{"a":1}\n],"status":"success","meta":{"total":1,"version":"1"},"links":{"next":null}}\n'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for language, file, code in self.blocks("katalog/perumahan.html"):
            if language in RUN and language not in QUIET and self.can_run(language, code):
                with self.subTest(language=language, code=code):
                    asked.clear()
                    done = self.run_block(language, file, code, ODP_BASE_URL=f"http://127.0.0.1:{server.server_port}")
                    self.assertTrue(asked and asked[0].startswith("/v1/perumahan"), (asked, done.stderr[-1500:]))

    def test_readmes_have_the_programs_of_the_pages(self):
        for language, library in self.libraries.items():
            for page, name in ((f"en/docs/{language}.html", "README.md"), (f"dokumentasi/{language}.html", "README.id.md")):
                shown = [code for kind, _, code in self.blocks(page) if kind == f"{language}-library"]
                self.assertGreater(len(shown), 8, page)
                with self.subTest(language=language, readme=name):
                    found = [p for p in library.source(self.site).rglob("*") if p.name in (name, "METADATA" if name == "README.md" else name)]
                    self.assertEqual(len(found), 1, found)
                    text = found[0].read_text()
                    self.assertEqual(re.findall(rf"(?ms)^```{language}\n(.*?)\n```$", text), shown)
                    self.assertNotRegex(text, r"@[A-Z]+@")

    def test_every_library_was_tried(self):
        if self.missing:
            self.skipTest("; ".join(f"{language}: {why}" for language, why in self.missing.items()))

    def test_there_is_no_code_that_is_not_run(self):
        """A <pre> with code that a reader would copy says how it is run; those that say nothing are output, not code."""
        for path in self.pages():
            text = (self.site / path).read_text()
            for m in re.finditer(r"<pre[^>]*data-copy[^>]*>(.*?)</pre>", text, re.S):
                if "data-run=" not in m[1] and re.search(r"\bcurl\b|import |require|fetch\(|file_get_contents", m[1]):
                    self.fail(f"{path}: {m[1][:200]}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
