"""Somebody uses the portal with Chromium against a real gateway: searching, reading, trying the API, keeping a key; with keys alone, without JavaScript, on a telephone, on
paper, below another path. What somebody does stands in tests/browser/flows."""
import json
import os
import random
import subprocess
import sys
import unittest
import urllib.parse

import askinglib
import odp
import portallib

PHONE, DESK = 360, 1440
DEEP = "deep" in sys.argv[1:]


def seen(table, name, value):
    """What a cell of the Indonesian page may say."""
    kind = table.fields[name]
    if value is None:
        return ["–"]
    label = table.labels.get(name, {}).get(value, {}).get("id")
    if label:
        return [label, f"{label} {value}"]
    if kind in askinglib.NUMBERS:
        whole, _, fraction = value.lstrip("-").partition(".")
        return ["-" * value.startswith("-") + f"{int(whole):,}".replace(",", ".") + ("," + fraction if fraction else "")]
    return [{"true": "ya", "false": "tidak"}[value] if kind == "boolean" else value]


class Browser(portallib.Case):
    def flow(self, name, *arguments):
        return self.node("flows.mjs", name, *arguments, timeout=300)

    def test_home(self):
        for width in (PHONE, DESK):
            self.assertGreaterEqual(self.flow("homeFilters", width)["all"], 22)

    def test_components(self):
        for width in (PHONE, DESK):
            self.flow("components", width)

    def test_table(self):
        for width in (PHONE, DESK):
            self.flow("datasetTable", width)

    def test_all_records_as_the_files_have_them(self):
        """Every column of every table in both orders, words and conditions of each kind: what comes first and how many there are is what the files alone say. Of two tables here,
        of all in the deep one; e2e_asking asks all of them of the same modules."""
        jobs, wanted = [], []
        for table in askinglib.tables(self.site):
            if not DEEP and table.slug not in ("kumuh", "proyek"):
                continue
            asks = [{"sortby": [{"field": name, "desc": desc}]} for name in table.kinds for desc in (False, True)]
            asks += [{"q": word} for word in ("bandung", "zzyzx")]
            maker = askinglib.Maker(random.Random(table.path))
            asks += [{"where": [maker.condition(table)]} for _ in range(4)]
            questions = [{"q": "", "where": [], "bbox": None, "sortby": [], "groupby": [], "aggregate": [], "facets": [], **one} for one in asks]
            addresses = [urllib.parse.urlencode({**askinglib.address(table, one), **askinglib.sortby(one), "table": table.name}) for one in questions]
            jobs.append({"path": f"katalog/{table.slug}/index.html", "asks": addresses})
            wanted.append((table, questions))
        (self.dir / "jobs.json").write_text(json.dumps(jobs))
        n = 0
        for got, (table, questions) in zip(self.flow("exploreAnswers", self.dir / "jobs.json"), wanted, strict=True):
            for one, question in zip(got, questions, strict=True):
                with self.subTest(table=table.path, question=question):
                    found = askinglib.answer(table, question)
                    self.assertEqual(one["matched"], found["matched"])
                    for cells, values in zip(one["rows"], found["first"], strict=True):
                        for text, name, value in zip(cells, table.fields, values, strict=True):
                            self.assertIn(text, seen(table, name, value))
                    n += 1
        self.assertGreater(n, 372 if DEEP else 40)

    def test_tasks_by_name(self):
        """Slums in Bandung, the five regencies with the largest backlog of 2023, delayed projects of a province, a programme's budget by year: three steps each."""
        for width in (PHONE, DESK):
            self.flow("exploreTasks", width)

    def test_explore_by_keys(self):
        self.flow("exploreKeys")

    def test_explore_groups_saves_and_prints(self):
        self.flow("exploreParts", self.dir)

    def test_explore_that_fails(self):
        self.flow("exploreFails")

    def test_what_comes_late(self):
        """Each of these holds an answer back until something newer is there: which is not overwritten."""
        for name in ("exploreLate", "datasetKinds", "keyLate", "searchClosed", "statusLate"):
            with self.subTest(name):
                self.flow(name)

    def test_map(self):
        for width in (PHONE, DESK):
            self.assertGreater(self.flow("datasetMap", width)["records"], 1000)
        self.flow("datasetRegions")

    def test_charts_code_and_tabs(self):
        self.assertGreater(self.flow("datasetParts")["charts"], 0)

    def test_charts_are_read(self):
        """By keys and pointer; on a telephone too."""
        for width in (PHONE, DESK):
            self.assertRegex(self.flow("chartKeys", width)["first"], r"\d")
            self.flow("chartOfGroups", width)
        self.flow("chartParts")

    def test_charts_fill_their_room(self):
        for width in (PHONE, DESK):
            self.flow("chartRoom", width, *(f"embed/{chart}.html" for chart in ("risiko/grafik-risiko-per-kategori", "anggaran/grafik-pagu-per-sumber-dana", "analisis-pasar/grafik-indeks-per-triwulan")))

    def test_a_link_to_a_record(self):
        self.flow("recordLinked")

    def test_charts_are_saved(self):
        self.assertGreater(self.flow("chartFiles", self.dir)["csv"], 4)

    def test_a_chart_that_cannot_live(self):
        self.flow("chartFails")

    def test_frames_of_other_sites(self):
        chart = next((self.site / "embed/anggaran").glob("grafik-*.html"))
        self.flow("embedFrames", chart.relative_to(self.site))

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
        for file, wanted in (("dataset.pdf", ("kumuh", "sha256:", "CC")), ("releases.pdf", ("Rilis",)), ("docs.pdf", ("curl",))):
            text = subprocess.run(["pdftotext", self.dir / file, "-"], capture_output=True, text=True, check=True).stdout
            self.assertGreater(len(text), 1000)
            for word in wanted:
                self.assertIn(word, text, file)
            self.assertNotIn("Langsung ke isi", text)

    def test_a_failure_is_seen(self):
        """A flow that fails says so and leaves a picture."""
        with self.assertRaises(AssertionError) as caught:
            self.flow("homeFilters", 5)
        self.assertRegex(str(caught.exception), r"picture: \S+\.png")
        for line in str(caught.exception).splitlines():
            if line.startswith("picture: "):
                os.unlink(line.split()[1])


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "deep"], verbosity=2)
