"""What is proposed for cells that are written in a way the field does not take: numbers with scales, signs of percent and currencies, dates with
times and letters, codes, addresses, points. A cell that can be read in two ways, or that nobody can read, gets no proposal."""
import json

import odp

NUMBERS = {
    # field: (definition, {cell: proposal})
    "jt": ({"type": "number", "decimalChar": ",", "sdi:satuan": {"id": "juta rupiah", "en": "million rupiah"}},
           {"1,5 juta": "1,5", "Rp 1,5 jt": "1,5", "1,5 miliar": None, "Rp 500": None, "2,5 ribu": None}),
    "rupiah": ({"type": "number", "decimalChar": ",", "sdi:satuan": {"id": "rupiah", "en": "rupiah"}},
               {"1,5 juta": "1500000", "Rp 2,25 miliar": "2250000000", "Rp. 1.200.000,-": "1200000", "Rp 1.200.000,00": "1200000,00",
                "IDR 7,5 rb": "7500", "Rp 3 jt*)": "3000000", "(1.234.567)": "-1234567", "-(5)": None, "Rp Rp 5": None, "5 kg": None, "12 lusin": None,
                "0,000001 triliun": "1000000"}),
    "persen": ({"type": "number", "decimalChar": ",", "sdi:satuan": {"id": "persen", "en": "percent"}},
               {"12,5%": "12,5", "12,5 persen": "12,5", "40 %": "40"}),
    "bagian": ({"type": "number", "constraints": {"minimum": 0, "maximum": 1}}, {"25%": "0.25", "7.5 %": "0.075", "100%": "1", "0.5%": "0.005"}),
    "nilai": ({"type": "number", "constraints": {"minimum": 0, "maximum": 100}}, {"25%": "25"}),
    "bebas": ({"type": "number"}, {"25%": None, "1 234 567": "1234567", "1'234'567.5": "1234567.5", "1.234.567": "1234567", "1.234,5": "1234.5",
                                   "1O5": "105", "l05": None, "1l5": "115", "\u22125": "-5", "+-5": None, "10-12": None, "> 5": None, "5,": "5", ",5": "0.5"}),
    "bulat": ({"type": "integer"}, {"12,00": "12", "12.000": "12000", "1.234.567": "1234567", "12,5": None, "3,171E+03": "3171", "3,1E+05": None,
                                    "12 orang": "12"}),
}
DATES = {
    "hari": ({"type": "date"}, {"2024-03-15 00:00:00": "2024-03-15", "15 Maret 2024": "2024-03-15", "2024 Maret 15": "2024-03-15",
                                "Maret 15, 2024": "2024-03-15", "Jumat, 15 Maret 2024": "2024-03-15", "20240315": "2024-03-15", "31/12/2024": "2024-12-31",
                                "15 Maret 24": "2024-03-15", "31-Des-99": "1999-12-31",
                                "2024/3/5": "2024-03-05", "30 Februari 2024": None, "15 Foo 2024": None, "15 Maret": None, "1/2/3/4": None,
                                "45366": "2024-03-15"}),
    "pola": ({"type": "date", "format": "%d/%m/%Y"}, {"2024-03-15": "15/03/2024", "15-03-2024": "15/03/2024", "15 Maret 2024": "15/03/2024"}),
    "saat": ({"type": "datetime", "odp:timeZone": "Asia/Jakarta"}, {"2024-03-15 08:30": "2024-03-15T08:30:00", "15 Maret 2024 1:05 PM": "2024-03-15T13:05:00",
                                    "15 Maret 2024 12:05 AM": "2024-03-15T00:05:00",
                                    "15 Maret 2024 13:05 PM": None, "2024-03-15 25:00": None}),
    "bulan": ({"type": "yearmonth"}, {"Maret 2024": "2024-03", "2024/3": "2024-03", "03-2024": "2024-03", "13-2024": None, "Maret": None}),
    "tahun": ({"type": "year"}, {"TA 2024": "2024", "2.024": "2024", "2024.0": "2024", "2024/25": None, "2024/2025": None, "24": None}),
    "jam": ({"type": "time"}, {"8.30": "08:30:00", "8:30 PM": "20:30:00", "12:00 am": "00:00:00", "pukul 08.30 WIB": None, "24:30": None}),
}
TEXTS = {
    "situs": ({"type": "string", "format": "uri"}, {"www.pu.go.id/rumah": "https://www.pu.go.id/rumah", "pu": None}),
    "surel": ({"type": "string", "format": "email"}, {"nama di pu.go.id": None}),
    "kode": ({"type": "string", "constraints": {"pattern": "[0-9]{2}\\.[0-9]{2}"}},
             {"31-71": "31.71", "31 71": "31.71", "3171": "31.71", "3l.7l": "31.71", "31.71.": "31.71", "31.71*": "31.71", "317": None, "Jakarta": None}),
    "huruf": ({"type": "string", "constraints": {"pattern": "[A-Z]{3}-[0-9]"}}, {"abc-1": "ABC-1", "abc 1": None, "ABC/1": "ABC-1"}),
    "kelas": ({"type": "string", "categories": [{"value": "R", "label": {"id": "Ringan", "en": "Light"}},
                                                {"value": "B", "label": {"id": "Berat", "en": "Heavy"}}]},
              {"ringan": "R", "heavy": "B", "1. Berat": "B", "r": "R", "Sedang": None}),
    "titik": ({"type": "geopoint"}, {"106,82; -6,17": "106.82,-6.17", "(106.82 -6.17)": "106.82,-6.17", "-6.17, 106.82": "106.82,-6.17",
                                     "[106.82, -6.17]": "106.82,-6.17",
                                     "106.82": None, "1;2;3": None}),
    "benar": ({"type": "boolean"}, {"maybe": None}),
}


class Proposals(odp.Case):
    def proposed(self, fields):
        """{(field, cell): proposal or None} of what `check` says."""
        self.catalogue(references=False)
        names = list(fields)
        lines, cells = ["no;" + ";".join(names)], {}
        for at, (name, (_, values)) in enumerate(fields.items()):
            for cell in values:
                lines.append(f"{len(lines)}" + ";" * (at + 1) + f'"{cell}"' + ";" * (len(names) - at - 1))
                cells[len(lines)] = name, cell
        definitions = [{"name": "no", "type": "integer"}] + [dict(definition, name=name) for name, (definition, _) in fields.items()]
        self.dataset("usul", "\n".join(lines) + "\n", definitions, {"dialect": {"delimiter": ";"}})
        report = self.report("check", "--lang", "en", "--examples", "1000", expect=1)
        said = {}
        for d in report["diagnostics"]:
            if d["file"].endswith(".csv") and d["line"] in cells:
                self.assertEqual(d["field"], cells[d["line"]][0], d)
                said.setdefault(cells[d["line"]], d.get("proposal"))
        return said

    def compare(self, fields):
        said = self.proposed(fields)
        for name, (_, values) in fields.items():
            for cell, wanted in values.items():
                with self.subTest(f"{name}: {cell}"):
                    self.assertIn((name, cell), said, "nothing was found wrong with it")
                    self.assertEqual(said[name, cell], wanted)
        return said

    def test_numbers(self):
        self.compare(NUMBERS)

    def test_dates(self):
        self.compare(DATES)

    def test_texts(self):
        self.compare(TEXTS)

    def test_fixing_writes_what_was_proposed(self):
        """All that has a proposal is written by `fix --yes`, and is right then: the check has only the others left."""
        said = self.proposed(NUMBERS)
        numbers = {cell: n for n, cell in enumerate(((name, cell) for name, (_, values) in NUMBERS.items() for cell in values), 1)}
        self.odp("fix", "usul", "--yes", "all", expect=1)
        report = self.report("check", "--lang", "en", "--examples", "1000", expect=1)
        left = {d["line"] for d in report["diagnostics"] if d["file"].endswith(".csv") and d["severity"] == "error"}
        rows = (self.dir / "catalog/usul/usul.csv").read_text().splitlines()
        written = {row.split(";", 1)[0]: row for row in rows[1:]}
        for (name, cell), proposal in said.items():
            number = numbers[name, cell]
            with self.subTest(f"{name}: {cell}"):
                self.assertEqual(number + 1 in left, proposal is None)
                self.assertIn(proposal if proposal is not None else cell, written[str(number)])


if __name__ == "__main__":
    odp.main()
