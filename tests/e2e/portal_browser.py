"""Somebody uses the portal with Chromium against a real gateway: searching, reading, trying the API, keeping a key; with keys alone, without JavaScript, on a telephone, on
paper, below another path. What somebody does stands in tests/browser/flows."""
import os
import subprocess
import unittest

import portallib

PHONE, DESK = 360, 1440


class Browser(portallib.Case):
    def flow(self, name, *arguments):
        return self.node("flows.mjs", name, *arguments, timeout=300)

    def test_home(self):
        for width in (PHONE, DESK):
            self.assertGreaterEqual(self.flow("homeSearch", width)["all"], 22)

    def test_home_in_english(self):
        self.flow("homeEnglish")

    def test_table(self):
        for width in (PHONE, DESK):
            self.assertGreater(self.flow("datasetTable", width)["rows"], 100)

    def test_table_by_keys(self):
        self.flow("datasetKeys")

    def test_map(self):
        for width in (PHONE, DESK):
            self.assertGreater(self.flow("datasetMap", width)["shapes"], 10)

    def test_charts_code_and_tabs(self):
        self.assertGreater(self.flow("datasetParts")["charts"], 0)

    def test_explorer_from_registration_to_an_answer(self):
        for lang, width in (("id", DESK), ("en", PHONE)):
            self.assertIn("curl", self.flow("explorerWhole", lang, width)["curl"])

    def test_explorer_by_keys(self):
        self.flow("explorerKeys")

    def test_my_key(self):
        for width in (PHONE, DESK):
            self.flow("keyWhole", width)

    def test_reading_without_scripts(self):
        self.assertGreaterEqual(self.flow("plainReading", PHONE)["files"], 3)

    def test_a_key_without_scripts(self):
        self.flow("plainKey")

    def test_languages(self):
        self.flow("languages")

    def test_keyboard(self):
        self.flow("keyboard")

    def test_another_base_path(self):
        self.flow("basePath")

    def test_less_motion(self):
        self.flow("motion")

    def test_paper(self):
        """The PDF of a page has its text, and nothing that is there for clicking."""
        self.flow("print", self.dir)
        for file, wanted in (("dataset.pdf", ("kumuh", "SHA-256", "CC")), ("releases.pdf", ("Rilis",)), ("docs.pdf", ("curl",))):
            text = subprocess.run(["pdftotext", self.dir / file, "-"], capture_output=True, text=True, check=True).stdout
            self.assertGreater(len(text), 1000)
            for word in wanted:
                self.assertIn(word, text, file)
            self.assertNotIn("Langsung ke isi", text)

    def test_a_failure_is_seen(self):
        """A flow that fails says so and leaves a picture."""
        with self.assertRaises(AssertionError) as caught:
            self.flow("homeSearch", 5)
        self.assertRegex(str(caught.exception), r"picture: \S+\.png")
        for line in str(caught.exception).splitlines():
            if line.startswith("picture: "):
                os.unlink(line.split()[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
