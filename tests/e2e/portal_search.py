"""The search of every page answers what citizens ask, by name, in both languages: each question has what must be first. In Chromium, against the example site."""
import gzip
import json
import unittest

import portallib

HOME, KUMUH, ENGLISH = "index.html", "katalog/kumuh.html", "en/docs/index.html"

# page, question, which of the first suggestions (at most so many), its title, what its address has
QUESTIONS = [
    (HOME, "bandung", 1, "Kabupaten Bandung", "tempat/32.04.html"),
    (HOME, "bandung", 2, "Kota Bandung", "tempat/32.73.html"),
    (HOME, "kumuh bandung", 2, "Kota Bandung · Peta permukiman kumuh", "katalog/kumuh/index.html?filter=kode_kabkota%20%3D%20'32.73'"),
    (KUMUH, "kota bandung kumuh", 1, "Kota Bandung · Peta permukiman kumuh", "katalog/kumuh/index.html?filter=kode_kabkota%20%3D%20'32.73'"),
    (KUMUH, "slums", 1, "Peta permukiman kumuh", "katalog/kumuh.html"),
    (ENGLISH, "slums in bandung", 2, "Kota Bandung · Slum map", "en/catalog/kumuh/index.html?filter=kode_kabkota%20%3D%20'32.73'"),
    (ENGLISH, "bandung", 2, "Kota Bandung", "en/places/32.73.html"),
    (ENGLISH, "kumuh", 1, "Slum map", "en/catalog/kumuh.html"),
    (HOME, "air minum", 2, "Akses air bersih", "katalog/air-bersih.html"),
    (HOME, "DKI", 1, "DKI Jakarta", "tempat/31.html"),
    (HOME, "kota adm. jakarta pusat", 1, "Kota Administrasi Jakarta Pusat", "tempat/31.71.html"),
    (HOME, "kab. bogor", 1, "Kabupaten Bogor", "tempat/32.01.html"),
    (KUMUH, "proyek terlambat", 1, "Linimasa proyek", "katalog/proyek/index.html?table=timeline&q=terlambat"),
    (KUMUH, "kumhu", 1, "Peta permukiman kumuh", "katalog/kumuh.html"),
    (KUMUH, "perumaan", 1, "Statistik perumahan", "katalog/perumahan.html"),
    (KUMUH, "bandug", 2, "Kota Bandung", "tempat/32.73.html"),
    (HOME, "luas_kumuh_ha", 1, "Luas kumuh luas_kumuh_ha", "katalog/kumuh.html#kolom:kumuh:luas_kumuh_ha"),
    (HOME, "backlog", 1, "Statistik perumahan", "katalog/perumahan.html"),
    (ENGLISH, "how do I get a key", 2, "Getting an API key", "en/docs/keys.html"),
    (HOME, "kunci api", 2, "Mendapat kunci API", "dokumentasi/kunci.html"),
    (KUMUH, "sukamaju kumuh", 1, "Peta permukiman kumuh", "katalog/kumuh/index.html?q=sukamaju"),
    (HOME, "margahayu", 1, "Peta permukiman kumuh", "katalog/kumuh/index.html?q=margahayu"),
    (ENGLISH, "budget", 1, "Ministry budget", "en/catalog/anggaran.html"),
    (ENGLISH, "drinking water", 3, "Clean water access", "en/catalog/air-bersih.html"),
    (KUMUH, "nama kontraktor", 2, "Kontraktor terdaftar", "katalog/kontraktor.html"),
]


class Search(portallib.Case):
    def flow(self, name, *arguments):
        return self.node("flows.mjs", name, *arguments, timeout=300)

    def test_questions(self):
        answers = self.flow("searchQuestions", json.dumps([[page, words] for page, words, *_ in QUESTIONS]))
        for (page, words, most, title, address), answer in zip(QUESTIONS, answers, strict=True):
            with self.subTest(f"{words} ({page})"):
                first = answer["found"][:most]
                self.assertIn(title, [one[1] for one in first], first)
                self.assertTrue(any(one[1] == title and one[3].endswith(address) for one in first), first)

    def test_nothing_and_nearly(self):
        """What is not there is said; a question of which only a part is found gets the nearest, and is told so."""
        none, near, far = self.flow("searchQuestions", json.dumps([[KUMUH, "zzqqyx"], [KUMUH, "kumuh zzqqyx"], [KUMUH, "perumahaaan"]]))
        self.assertEqual(none["found"], [])
        self.assertIn("zzqqyx", none["said"])
        self.assertEqual(near["found"][0][1], "Peta permukiman kumuh")
        self.assertIn("terdekat", near["said"])
        self.assertEqual(far["found"][0][1], "Statistik perumahan")

    def test_another_spelling_is_said(self):
        """What is found is not what was written: said before it, and to who cannot see it."""
        said = [one["said"] for one in self.flow("searchQuestions", json.dumps([[KUMUH, "perumaan"], [ENGLISH, "housng"], [KUMUH, "perumahan"]]))]
        self.assertRegex(said[0], "Tidak ada yang memuat “perumaan”. Ini hasil untuk “perumahan”: [0-9]+ hasil")
        self.assertRegex(said[1], "Nothing has “housng”. These are the results for “housing”: [0-9]+ results")
        self.assertRegex(said[2], "^[0-9]+ hasil$")
        self.flow("searchSpelled")

    def test_by_keys(self):
        for width, scheme in ((360, "dark"), (1440, "light")):
            self.assertGreater(self.flow("searchKeys", width, scheme)["datasets"], 2)

    def test_a_pressed_suggestion_stays(self):
        self.flow("searchPressed")

    def test_page_of_results(self):
        self.flow("searchPage")

    def test_without_scripts(self):
        self.flow("searchPlain")

    def test_weight(self):
        """At most 30 KB, compressed, for the first letter."""
        core = json.loads((self.site / "cari.json").read_text())
        size = lambda path: len(gzip.compress((self.site / path).read_bytes()))
        shards = max(size(f"assets/{digest}.json") for digest in core["shards"].values())
        self.assertLess(size("cari.json") + shards, 30_000)
        self.assertLess(max((self.site / f"assets/{digest}.json").stat().st_size for digest in core["shards"].values()), 20_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
