"""What is proposed for cells that are written in a way the field does not take: numbers with scales, signs of percent and currencies, dates with
times and letters, codes, addresses, points. A cell that can be read in two ways, or that nobody can read, gets no proposal."""
import json
import random
from decimal import Decimal

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
    # What the column's other numbers speak against is no proposal: signs, size, what a spreadsheet made dates of.
    "campur": ({"type": "number"}, {"12,5": "12.5", "1.234.567": None, "0.5 ha": "0.5", "1,234,567": None}),
    "tanggal": ({"type": "number"}, {"12-Mei": None, "1.250.000": None}),
    "ribuan": ({"type": "number"}, {"1.250.000": "1250000", "3.400.000": "3400000"}),
    "grup": ({"type": "number", "decimalChar": ",", "groupChar": "."}, {"12.5": "12,5", "1,234.5": "1.234,5"}),
    "bulat": ({"type": "integer"}, {"12,00": "12", "12.000": "12000", "1.234.567": "1234567", "12,5": None, "3,171E+03": "3171", "3,1E+05": None,
                                    "12 orang": "12", "1,234567890123450E+15": None, "1.234.567.890.123.450": None}),
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


def in_another_locale(number, sign, style, random):
    """NUMBER, whose decimal sign is SIGN, as a spreadsheet saves it whose thousands SIGN parts."""
    whole, _, fraction = number.partition(sign)
    if 0 < len(fraction) < 3:
        day_month = not number.startswith("-") and int(whole) in range(1, 32) and int(fraction) in range(1, 13)
        return f"{int(whole)}-{'Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des'.split()[int(fraction) - 1]}" if day_month else number
    value = int(whole + fraction)
    kept = len(str(abs(value)).rstrip("0"))
    value = int(str(value)[:15 + (value < 0)].ljust(len(str(value)), "0")) if kept > 15 else value
    grouped = f"{value:,}".replace(",", sign)
    return {"grouped": grouped, "formatted": grouped + (",00" if sign == "." else ".00"), "mixed": random.choice((grouped, str(value)))}[style]


class Mangled(odp.Case):
    """Numbers that were opened in a spreadsheet of another locale: whatever is still written, nothing that `fix` makes of them is another number."""
    KINDS = {"long": lambda r: repr(r.uniform(-20, 20)), "degrees": lambda r: f"{r.uniform(95, 141):.6f}", "rates": lambda r: f"{r.uniform(0.1, 99):.3f}",
             "amounts": lambda r: f"{r.uniform(1, 5e6):.2f}", "any": lambda r: r.choice((f"{r.uniform(1, 5000):.4f}", f"{r.uniform(1, 30):.1f}", str(r.randint(0, 900))))}

    def mangled(self, rows, share):
        rng = random.Random(rows)
        fields, columns = [{"name": "no", "type": "integer"}], []
        for kind, make in self.KINDS.items():
            for sign in ".,":
                for style in ("grouped", "formatted", "mixed"):
                    fields.append({"name": f"{kind}_{len(columns)}", "type": "number", "decimalChar": sign})
                    numbers = [make(rng).replace(".", sign) for _ in range(rows)]
                    columns.append([(sign, n, in_another_locale(n, sign, style, rng) if rng.random() < share else n) for n in numbers])
        text = [";".join(f["name"] for f in fields)] + [f"{i + 1};" + ";".join(column[i][2] for column in columns) for i in range(rows)]
        self.dataset(f"rusak-{rows}", "\n".join(text) + "\n", fields, {"dialect": {"delimiter": ";"}})
        return columns

    def test_nothing_false_is_written(self):
        self.catalogue(references=False)
        for rows, share in ((3, 1), (12, 0.6), (200, 0.6), (300, 0.05)):
            columns = self.mangled(rows, share)
            self.odp("fix", f"rusak-{rows}", "--yes", "all", expect=1)
            written = [line.split(";")[1:] for line in (self.dir / f"catalog/rusak-{rows}/rusak-{rows}.csv").read_text().splitlines()[1:]]
            self.assertEqual(len(written), rows)
            for at, column in enumerate(columns):
                for row, (sign, original, mangled) in enumerate(column):
                    if written[row][at] != mangled:
                        self.assertEqual(Decimal(written[row][at].replace(sign, ".")), Decimal(original.replace(sign, ".")), (rows, at, mangled, original))
            counts = self.report("check", f"rusak-{rows}", expect=1)["counts"]
            self.assertGreater(counts["ODP-S29"], 0, "what is lost is said")


if __name__ == "__main__":
    odp.main()
