"""The words of templates/words: what the build refuses, and that every word is said by somebody."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import odp

WORDS = odp.SOURCE / "templates/words"
TOOL = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "generated/odp-words"


def made(text):
    """Exit code, header and message of odp-words for a file of TEXT."""
    with tempfile.TemporaryDirectory() as folder:
        source, header = pathlib.Path(folder, "a.json"), pathlib.Path(folder, "a.h")
        source.write_text(text, encoding="utf-8")
        done = subprocess.run([TOOL, source, header], capture_output=True, text=True)
        return done.returncode, header.read_text(encoding="utf-8") if header.exists() else None, done.stderr


class Words(unittest.TestCase):
    def test_shapes(self):
        code, header, _ = made('{"a_b": {"id": "satu \\"{x}\\"\\n", "en": "one \\"{x}\\"\\n"},'
                               '"K": {"title": {"id": "t", "en": "u"}, "example": "e\\\\??"}}')
        self.assertEqual(code, 0)
        self.assertEqual(header.splitlines()[1:], [r'#define W_a_b "satu \"{x}\"\n", "one \"{x}\"\n"',
                                                   r'WORDS(K, .title = {{"t", "u"}}, .example = "e\\\?\?")'])

    def test_refused(self):
        for text, says in (('{"k": {"id": "a"}}', '"k": wants both languages'),
                           ('{"k": {"id": "a", "en": ""}}', '"k": wants both languages'),
                           ('{"k": {"id": "{a} {b}", "en": "{b} {c}"}}', '"k": the languages do not have the same placeholders'),
                           ('{"k": {"id": "%s %zu", "en": "%zu %s"}}', '"k": the languages do not have the same placeholders'),
                           ('{"k": {"id": "a", "en": "b"}, "k": {"id": "a", "en": "b"}}', "duplicate"),
                           ('{"k-l": {"id": "a", "en": "b"}}', '"k-l": a key has letters'),
                           ('{"k": 1}', '"k": wants'), ("[]", "wants an object"), ("{", "1")):
            code, header, message = made(text)
            self.assertEqual((code, header), (1, None), text)
            self.assertIn(says, message)

    def test_accepted(self):
        """Names may change places, a per cent sign is no placeholder."""
        for pair in (("{a} dari {b}", "{b} of {a}"), ("5 % dari {a}", "5 % of {a}"), ("%1$s %2$s", "%2$s %1$s"), ("100%% %s", "%s")):
            self.assertEqual(made(json.dumps({"k": dict(zip(("id", "en"), pair))}))[0], 0, pair)

    def test_every_word_is_said(self):
        code = "\n".join(p.read_text(encoding="utf-8") for p in (odp.SOURCE / "tools").glob("**/*") if p.suffix in (".c", ".h", ".def"))
        said = set(re.findall(r"\bW_(\w+)", code))
        begun = set()
        for page in (odp.SOURCE / "templates").glob("*/*/*"):
            if page.suffix in (".html", ".xml", ".txt"):
                said |= set(re.findall(r"\{w\.(\w+)\}", page.read_text(encoding="utf-8")))
                begun |= set(re.findall(r"\|word (\w+_)\}", page.read_text(encoding="utf-8")))
        keys = {}
        for path in sorted(WORDS.glob("*.json")):
            for key, value in json.loads(path.read_text(encoding="utf-8")).items():
                if "id" in value:
                    self.assertNotIn(key, keys, f"{path.name}, {keys.get(key)}")
                    keys[key] = path.name
        self.assertEqual({k: f for k, f in keys.items() if k not in said and not k.startswith(tuple(begun))}, {}, "words that nobody says")


if __name__ == "__main__":
    unittest.main()
