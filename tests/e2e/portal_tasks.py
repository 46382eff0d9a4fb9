"""What people come to the portal for, in Chromium at 360 and 1440 px: by name only, in at most three steps; the answers are those of the published files. Steps are counted in
tests/browser/flows/tasks.mjs."""
import unittest
from fractions import Fraction

import askinglib
import portallib

STEPS = 3


def figure(text):
    """A number as the Indonesian page shows it."""
    return Fraction(text.replace(".", "").replace(",", "."))


class Tasks(portallib.Case):
    @classmethod
    def make_history(cls):
        """The example as it is."""

    def asked(self, path, groupby=(), aggregate=(), **where):
        """The answer of the files of table PATH to equalities."""
        table = next(t for t in self.tables if t.path == path)
        question = {"q": "", "bbox": None, "sortby": [], "where": [{"field": n, "op": "=", "value": v} for n, v in where.items()], "groupby": list(groupby),
                    "aggregate": list(aggregate), "facets": []}
        return table, [table.texts[i] for i in askinglib.matching(table, question)], askinglib.answer(table, question)["groups"]

    def named(self, table, field, code):
        return table.labels[field][code]["id"]

    def check(self, width):
        found = self.node("flows.mjs", "tasks", width, timeout=300)
        print({name: answer["steps"] for name, answer in found.items()}, f"steps at {width} px")
        for name, answer in found.items():
            self.assertLessEqual(answer["steps"], STEPS, (name, width))
        table, records, _ = self.asked("kumuh", kode_kabkota="32.73")
        self.assertEqual(found["slums"]["status"].split()[0], str(len(records)))
        self.assertEqual([row[0] for row in found["slums"]["rows"]], [r["id_kawasan"] for r in records][:20])
        table, records, _ = self.asked("perumahan", tahun="2023")
        top = sorted((r for r in records if r["backlog_kepemilikan"]), key=lambda r: -int(r["backlog_kepemilikan"]))[:5]
        at = next(i for i, head in enumerate(found["backlog"]["heads"]) if head.startswith("Backlog kepemilikan"))
        self.assertEqual([(row[0].strip(), figure(row[at])) for row in found["backlog"]["rows"]],
                         [(f"{self.named(table, 'kode_kabkota', r['kode_kabkota'])} {r['kode_kabkota']}", Fraction(r["backlog_kepemilikan"])) for r in top])
        table, records, _ = self.asked("proyek", kode_provinsi="32", status="LAKSANA")
        self.assertGreater(len(records), 3)
        records.sort(key=lambda r: (r["tanggal_selesai"] is None, r["tanggal_selesai"] or ""))
        self.assertEqual([row[0] for row in found["late"]["rows"]], [r["id_proyek"] for r in records][:40])
        measure = found["budget"]["measure"]  # what the page adds up by itself
        _, _, groups = self.asked("anggaran", groupby=["tahun_anggaran"], aggregate=[{"fn": "count"}, *measure], program="Perumahan dan Kawasan Permukiman")
        self.assertTrue(any(one["field"].startswith("pagu") for one in measure), measure)
        self.assertEqual([[row[0], *map(figure, row[1:])] for row in found["budget"]["rows"]], groups)
        return found

    def test_tasks(self):
        self.tables = askinglib.tables(self.site, {"kumuh", "perumahan", "proyek", "anggaran"})
        for width in (360, 1440):
            self.check(width)


if __name__ == "__main__":
    unittest.main(verbosity=2)
