"""Every example of code on every page of the portal is run as it is printed, in its own language, against a real gateway."""
import concurrent.futures
import html
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import portallib

RUN = {"curl": ["sh"], "register": ["sh"], "subscribe": ["sh"], "javascript": ["node"], "python": ["python3"], "php": ["php"]}


class Examples(portallib.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = cls.register("contoh@example.org")

    def blocks(self, path):
        text = (self.site / path).read_text()
        for m in re.finditer(r'<code data-run="([^"]*)" data-file="([^"]*)">(.*?)</code>', text, re.S):
            yield m[1], m[2], html.unescape(m[3])

    def run_block(self, language, file, code):
        with tempfile.TemporaryDirectory(dir=self.dir) as folder:
            with open(f"{folder}/{file}", "w") as f:
                f.write(code)
            return subprocess.run([*RUN[language], file], cwd=folder, capture_output=True, text=True, timeout=120, env=dict(os.environ, ODP_KEY=self.key))

    def check(self, language, code, done):
        self.assertEqual(done.returncode, 0, done.stderr[-2000:] + done.stdout[-2000:])
        self.assertNotEqual(done.stdout.strip(), "", "it prints nothing")
        if language == "register":
            self.assertRegex(done.stdout, r'"key":"odp_live_\w{36}"')
        elif language == "subscribe":
            self.assertRegex(done.stdout, r'"secret":"whsec_')

    def test_every_block(self):
        found, done = {}, {}
        for path in self.pages():
            for language, file, code in self.blocks(path):
                self.assertIn(language, RUN, f"{path}: {file}")
                does = re.sub(r"^(#|//) .*\n", "", code, flags=re.M)  # the same program with another comment is run once
                found.setdefault((language, does), (path, file, code))
        wanted = [(language, *rest) for (language, _), rest in found.items() if shutil.which(RUN[language][0])]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda w: self.run_block(w[0], w[2], w[3]), wanted))
        for (language, path, file, code), result in zip(wanted, results):
            with self.subTest(page=path, language=language, file=file, code=code):
                self.check(language, code, result)
                done[language] = done.get(language, 0) + 1
        print("run:", done)
        self.assertGreater(done.get("curl", 0), 22)
        for language in ("javascript", "python", "php"):
            if shutil.which(RUN[language][0]):
                self.assertGreater(done.get(language, 0), 22)

    def test_there_is_no_code_that_is_not_run(self):
        """A <pre> with code that a reader would copy says how it is run; those that say nothing are output, not code."""
        for path in self.pages():
            text = (self.site / path).read_text()
            for m in re.finditer(r"<pre[^>]*data-copy[^>]*>(.*?)</pre>", text, re.S):
                if "data-run=" not in m[1] and re.search(r"\bcurl\b|import |require|fetch\(|file_get_contents", m[1]):
                    self.fail(f"{path}: {m[1][:200]}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
