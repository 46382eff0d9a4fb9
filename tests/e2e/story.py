"""What became of a dataset is told from version to version: katalog/<slug>/perubahan.html, en/catalog/<slug>/changes.html."""
import html
import re
import shutil
import unittest

import odp

FIELDS = [
    {"name": "id", "type": "string", "odp:title": {"id": "Nomor", "en": "Number"}},
    {"name": "nama", "type": "string", "odp:title": {"id": "Nama", "en": "Name"}},
    {"name": "luas", "type": "number", "odp:title": {"id": "Luas", "en": "Size"}, "sdi:satuan": {"id": "hektare", "en": "hectares"}},
]


class Story(odp.Case):
    slug = "kawasan"

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def publish(self, date, **sizes):
        text = "id,nama,luas\n" + "".join(f"{name},Kawasan <{name}>,{size}\n" for name, size in sizes.items())
        if (self.dir / "catalog" / self.slug).exists():
            self.update(self.slug, date, text)
        else:
            self.dataset(self.slug, text, FIELDS, {"schema": {"primaryKey": ["id"]}}, **{"odp:lastUpdate": date, "odp:record": {"id": "kawasan", "en": "areas"}, "odp:recordOne": {"id": "kawasan", "en": "area"}})
        self.odp("build", "--quiet")

    def text(self, path):
        page = (self.dir / "build/site" / path).read_text()
        return page, re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))

    def story(self):
        return self.text(f"katalog/{self.slug}/perubahan.html"), self.text(f"en/catalog/{self.slug}/changes.html")

    def test_it_is_told(self):
        self.publish("2024-01-01", A=100, B=50, C=10, D=1)
        self.assertFalse((self.dir / f"build/site/katalog/{self.slug}/perubahan.html").exists())
        self.publish("2024-02-01", A=100, B=55, C=10, E=2.5)
        self.publish("2024-03-01", A=80, B=55, C=1234.5, E=2.5)
        (page, indonesian), (_, english) = self.story()
        self.assertIn("2 kawasan berubah; luas naik ", indonesian)
        self.assertIn("1 kawasan berubah, 1 baru, 1 hilang; luas naik ", indonesian)
        self.assertIn("1 area changed, 1 is new, 1 is gone; size rose by ", english)
        # The biggest first, with its name (which is data), in the page's language.
        self.assertRegex(indonesian, r"Luas \(hektare\).*?Kawasan <C>, C 10 1\.234,5 .*?Kawasan <A>, A 100 80 −20%")
        self.assertRegex(english, r"Size \(hectares\).*?Kawasan <C>, C 10 1,234\.5 .*?Kawasan <A>, A 100 80 −20%")
        self.assertIn("Baru: Kawasan <E>, E", indonesian)
        self.assertIn("Gone: Kawasan <D>, D", english)
        self.assertNotIn("<A>", page.replace("&lt;A&gt;", ""))
        # What a record was in each version; B changed once, and not in the last one.
        b = re.search(r'id="rekaman-B">(.*?)</details>', page, re.S)[1]
        self.assertEqual(re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", b)[1:], ["2024-01-01", "2024-02-01", "2024-03-01"])
        self.assertEqual(re.findall(r"<td[^>]*>(.*?)</td>", b), ["50", "<ins>55</ins>", "55"])

        # The page that lies in the version's folder for ever, in both languages.
        page, lasting = self.text(f"data/{self.slug}/2024-03-01/changes.html")
        self.assertIn("2 rekaman berubah, 0 baru, 0 hilang: 4 menjadi 4 rekaman.", lasting)
        self.assertIn("Records changed: 2, new: 0, gone: 0; in all 4 before, 4 now.", lasting)
        self.assertIn('<th scope="row"><bdi>Luas (hektare)</bdi> <span lang="en"><bdi>Size (hectares)</bdi></span></th>', page)

    def test_places_lead_to_their_pages(self):
        shutil.copytree(odp.SOURCE / "catalog/references", self.dir / "catalog/references")
        fields = [{"name": "kode", "type": "string"}, {"name": "unit", "type": "integer"}]
        more = {"schema": {"primaryKey": ["kode"]}, "odp:foreignKeys": [{"fields": ["kode"], "reference": {"dataset": "references/provinsi", "fields": ["kode"]}}]}
        self.dataset("rumah", "kode,unit\n11,5\n12,7\n", fields, more, **{"odp:lastUpdate": "2024-01-01"})
        self.odp("build", "--quiet")
        self.update("rumah", "2024-02-01", "kode,unit\n11,9\n31,1\n")
        self.odp("build", "--quiet")
        page, text = self.text("katalog/rumah/perubahan.html")
        self.assertEqual(set(re.findall(r'<a href="\.\./\.\./(tempat/\d+\.html)">(.*?)</a>', page)), {("tempat/11.html", "Aceh"), ("tempat/31.html", "DKI Jakarta")})
        self.assertIn("Hilang: Sumatera Utara", text)  # no table has it any more, so it has no page
        listed = {r["collection"]: r.get("place") for r in odp.read_json(self.dir / "build/site/search/index.json")["resources"]}
        self.assertEqual((listed["rumah"], listed["kabkota"]), ("kode", None))

    def test_what_is_not_known_is_not_told(self):
        """A version between that was withdrawn: nobody knows what changed there."""
        self.publish("2024-01-01", A=1, B=1)
        self.publish("2024-02-01", A=2, B=1)
        self.publish("2024-03-01", A=3, B=1)
        self.odp("withdraw", self.slug, "2024-02-01", "--reason", "error", "--note", "Salah")
        self.assertFalse((self.dir / f"build/site/katalog/{self.slug}/perubahan.html").exists())
        self.publish("2024-04-01", A=4, B=1)
        a = re.search(r'id="rekaman-A">(.*?)</details>', self.story()[0][0], re.S)[1]
        self.assertEqual(re.findall(r'<th scope="col"[^>]*>(.*?)</th>', a)[1:], ["2024-03-01", "2024-04-01"])
        self.assertEqual(re.findall(r"<td[^>]*>(.*?)</td>", a), ["3", "<ins>4</ins>"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
