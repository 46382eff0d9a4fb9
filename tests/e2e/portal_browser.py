"""Somebody uses the portal with Chromium against a real gateway: searching, reading, trying the API, keeping a key; with keys alone, without JavaScript, on a telephone, on
paper, below another path. What somebody does stands in tests/browser/flows."""
import json
import os
import subprocess
import unittest
from decimal import Decimal

import odp
import portallib

PHONE, DESK = 360, 1440


def shown(value):
    """As the Indonesian page has it."""
    if value is None or not value.lstrip("-").replace(".", "", 1).isdigit():
        return "–kosong" if value is None else value
    whole, _, fraction = value.partition(".")
    return f"{int(whole):,}".replace(",", ".") + ("," + fraction if fraction else "")


class Browser(portallib.Case):
    def flow(self, name, *arguments):
        return self.node("flows.mjs", name, *arguments, timeout=300)

    def test_home(self):
        for width in (PHONE, DESK):
            self.assertGreaterEqual(self.flow("homeFilters", width)["all"], 22)

    def test_table(self):
        for width in (PHONE, DESK):
            self.assertGreater(self.flow("datasetTable", width)["rows"], 100)

    def records(self, slug, n):
        """Column names and rows of a table, read from its published CSV or JSON."""
        resource = next(e for e in odp.read_json(self.site / "v1/index.json")["data"] if e["slug"] == slug)["resources"][n]
        files = {f["name"]: self.site / "v1" / f["url"] for f in resource["files"]}
        names = [f["name"] for f in odp.read_json(self.site / "v1" / resource["schema"])["fields"]]
        if "csv" in files:
            return names, [[r[n] or None for n in names] for r in odp.read_csv(files["csv"])]
        data = json.loads(files["json"].read_text(), parse_float=str, parse_int=str)["data"]
        return names, [[str(r[n]).lower() if isinstance(r[n], bool) else r[n] for n in names] for r in data]

    def test_table_answers_for_all_records(self):
        """What comes first and what is found are of the whole file, as it is read here: of tables larger than the first records, in CSV and in JSON, of a second table."""
        jobs, wanted = [], []
        for slug, n, column, kind, word in (("perumahan", 0, "backlog_kepemilikan", Decimal, "31.7"),
                                            ("kontraktor", 0, "tanggal_berdiri", str, "Margahayu"), ("pemantauan", 0, "baterai", Decimal, "PRJ-0001"), ("proyek", 1, "bobot", Decimal, "PRJ-0039")):
            names, rows = self.records(slug, n)
            i, asks = names.index(column), []
            for direction in ("ascending", "descending"):
                there = sorted((r for r in rows if r[i] is not None), key=lambda r, i=i, kind=kind: kind(r[i]), reverse=direction == "descending")
                asks.append({"sort": [i, direction]})
                wanted.append((i, there[:10], f"{len(rows):,} rekaman."))
            for text in (word, "zzyzx"):
                found = [r for r in rows if any(text.lower() in (form or "").lower() for value in r for form in (value, shown(value)))]
                asks.append({"search": text, "sort": [i, "descending"]})
                found = sorted((r for r in found if r[i] is not None), key=lambda r, i=i, kind=kind: kind(r[i]), reverse=True) + [r for r in found if r[i] is None]
                wanted.append((i, found[:10], f"{len(found):,} dari {len(rows):,} rekaman cocok."))
            jobs.append({"path": f"katalog/{slug}.html", "table": n, "asks": asks})
        for got, (i, rows, status) in zip(self.flow("tableAnswers", json.dumps(jobs)), wanted, strict=True):
            self.assertEqual(got["status"], status.replace(",", "."))
            self.assertEqual([r[0] for r in got["rows"]], [r[0] for r in rows] or ["Tidak ada rekaman yang cocok."])
            self.assertEqual([r[i] for r in got["rows"] if rows], [shown(r[i]) for r in rows])

    def test_table_of_a_part(self):
        self.flow("tableOfAPart")

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
