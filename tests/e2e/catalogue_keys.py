"""Every key that a table of tools/lib/catalog reads is described in docs/, and no description is of a key that nothing reads."""
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
ROWS = re.compile(r'KNOWN\("([^"]+)"\)|\{"([A-Za-z$][\w:$]*)", (?:KEY_|\.need)')


def keys():
    found = {}
    for path in sorted((SOURCE / "tools/lib/catalog").glob("*.c")):
        for match in ROWS.finditer(path.read_text(encoding="utf-8")):
            found.setdefault(match[1] or match[2], path.name)
    return found


class CatalogueKeys(unittest.TestCase):
    def test_every_key_is_described(self):
        text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((SOURCE / "docs").glob("*.md")))
        lacking = {key: where for key, where in keys().items() if not re.search(r"(?<![\w:])" + re.escape(key) + r"(?!\w)", text)}
        self.assertEqual(lacking, {})

    def test_every_property_of_ours_that_is_described_is_read(self):
        text = (SOURCE / "docs/catalogue.md").read_text(encoding="utf-8")
        named = set(re.findall(r"`(odp:[A-Za-z]+|sdi:[A-Za-z]+)`", text))
        self.assertGreater(len(named), 20)
        self.assertEqual(sorted(named - set(keys())), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
