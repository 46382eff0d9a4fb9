"""odp-build init: drafts of files nobody has described. What is found out, that the draft passes the check of its own file, questions on a terminal; deep:
every file of the example catalogue against its hand-written descriptor, and every file of the shared suites."""
import json
import os
import pathlib
import pty
import select
import sys
import unittest

import odp

DEEP = len(sys.argv) > 1 and sys.argv[1] == "deep"


class Drafts(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue()

    def draft(self, name, data, *args, expect=0):
        """The draft of a file with these bytes: its resource."""
        path = self.dir / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        os.utime(path, (1710504000, 1710504000))  # 2024-03-15
        self.done = self.odp("init", path, "uji", "--yes", *args, expect=expect)
        self.package = odp.read_json(self.dir / "catalog/uji/dataset.json")
        return self.package["resources"][0]

    def fields(self, resource):
        return {f["name"]: f for f in resource["schema"]["fields"]}

    def table(self, rows, *args, name="uji.csv", expect=0):
        return self.fields(self.draft(name, "\n".join(rows) + "\n", *args, expect=expect))

    def notes(self):
        return (self.dir / "catalog/uji/dataset.catatan.md").read_text()


class Text(Drafts):
    def test_semicolons_a_decimal_comma_and_windows_1252_with_titles_in_front(self):
        rows = ["Laporan luas permukiman;;;", ";;;", "Kode;Nama Kawasan;Luas (Ha);Tanggal"]
        rows += [f"{i:04d};Café {i};{i}.{i % 7 + 100},{i % 90 + 10};{i % 28 + 1:02d}/{i % 12 + 1:02d}/2024" for i in range(1, 41)]
        resource = self.draft("uji.csv", "\r\n".join(rows).encode("cp1252") + b"\r\n")
        self.assertEqual(resource["encoding"], "windows-1252")
        self.assertEqual(resource["dialect"], {"delimiter": ";", "headerRows": [3]})
        fields = self.fields(resource)
        self.assertEqual(list(fields), ["kode", "nama_kawasan", "luas_ha", "tanggal"])
        self.assertEqual((fields["kode"]["type"], fields["kode"]["constraints"]), ("string", {"required": True, "pattern": "[0-9]{4}"}))
        self.assertEqual(fields["luas_ha"] | {"decimalChar": ",", "groupChar": ".", "type": "number", "odp:sourceName": "Luas (Ha)", "sdi:satuan": "Ha"}, fields["luas_ha"])
        self.assertEqual((fields["tanggal"]["type"], fields["tanggal"]["format"]), ("date", "%d/%m/%Y"))
        self.assertEqual(resource["schema"]["primaryKey"], ["kode"])
        self.assertEqual(self.package["odp:lastUpdate"], "2024-03-15")
        self.assertEqual(self.package["odp:status"], "draft")
        self.assertIn("40 dari 40 nilai: kode", self.notes())
        self.assertIn("usul, bila batas itu berlaku", self.notes())

    def test_utf16_tabs_and_a_byte_order_mark(self):
        rows = ["kode\tnama"] + [f"A{i:03d}\tKäfer {i}" for i in range(30)]
        resource = self.draft("uji.txt", "\r\n".join(rows).encode("utf-16"))
        self.assertEqual((resource["encoding"], resource["dialect"]["delimiter"]), ("utf-16", "\t"))
        resource_without = "\r\n".join(rows).encode("utf-16-le")
        self.odp("init", self.write("lain.txt", resource_without), "lain", "--yes")
        self.assertEqual(odp.read_json(self.dir / "catalog/lain/dataset.json")["resources"][0]["encoding"], "utf-16le")

    def write(self, name, data):
        path = self.dir / name
        path.write_bytes(data)
        return path

    def test_one_bad_byte_at_the_end_of_a_long_file_is_seen(self):
        data = "kode,nama\n".encode() + b"".join(b"A%05d,biasa\n" % i for i in range(60000)) + b"A60000,caf\xe9 au lait\n"
        self.assertEqual(self.draft("uji.csv", data)["encoding"], "windows-1252")
        self.assertIn("karena bukan UTF-8: 1 byte tidak sah", self.done.stdout)

    def test_header_of_two_rows_and_a_row_that_numbers_the_columns(self):
        rows = ["No;Provinsi;Rumah;;Luas", ";;Layak;Tidak;", "(1);(2);(3);(4);(5)"] + [f"{i};P{i};{i * 3};{i};{i},5" for i in range(1, 12)]
        resource = self.draft("uji.csv", "\n".join(rows))
        self.assertEqual(resource["dialect"], {"delimiter": ";", "headerRows": [1, 2], "commentRows": [3]})
        self.assertEqual([f.get("odp:sourceName") for f in resource["schema"]["fields"]], ["No", "Provinsi", "Rumah Layak", "Tidak", "Luas"])
        self.assertEqual(list(self.fields(resource)), ["no", "provinsi", "rumah_layak", "rumah_tidak", "luas"], "a group's title goes for all its columns")

    def test_header_of_two_rows_whose_lower_labels_repeat(self):
        resource = self.draft("uji.csv", "Kabupaten;2022;;2023;\n;L;P;L;P\n" + "".join(f"Kab {i};{i * 3};{i * 5};{i * 7};{i}\n" for i in range(1, 30)))
        self.assertEqual([(f["name"], f["odp:sourceName"]) for f in resource["schema"]["fields"]],
                         [("kabupaten", "Kabupaten"), ("kolom_2022_l", "2022 L"), ("kolom_2022_p", "P"), ("kolom_2023_l", "2023 L"), ("kolom_2023_p", "P")])
        report = self.report("check", "uji")
        self.assertEqual((report["summary"]["rows"], report["diagnostics"]), (29, []))

    def test_no_header(self):
        resource = self.draft("uji.csv", "".join(f"{i},{i * 2},2024-01-{i:02d}\n" for i in range(1, 20)))
        self.assertEqual(resource["dialect"], {"delimiter": ",", "header": False})
        self.assertEqual(list(self.fields(resource)), ["kolom_1", "kolom_2", "kolom_3"])

    def test_labels_twice_or_missing_are_told_apart_by_their_order(self):
        resource = self.draft("uji.csv", ",nama,nama,nilai,\n" + "".join(f"{i},a{i},b,{i * 3 % 7},c{i}\n" for i in range(12)))
        self.assertNotIn("header", resource["dialect"])
        self.assertEqual([(f["name"], f["odp:sourceName"]) for f in resource["schema"]["fields"]],
                         [("kolom_1", ""), ("nama", "nama"), ("nama_2", "nama"), ("nilai", "nilai"), ("kolom_5", "")])
        self.assertIn("judul ganda", self.done.stdout)
        self.odp("check", "uji")
        self.odp("export", "uji", "--format", "json", "--out", "keluar")
        record = next(json.loads(path.read_text()) for path in (self.dir / "keluar").rglob("uji.json"))["data"][1]
        self.assertEqual([record[f] for f in ("kolom_1", "nama", "nama_2", "nilai", "kolom_5")], [1, "a1", "b", 3, "c1"])

    def test_an_index_without_a_label_leaves_the_others_their_names(self):
        resource = self.draft("uji.csv", ",nama,nilai\n" + "".join(f"{i},Kel {i % 7},{i * 13 % 101}\n" for i in range(40)))
        self.assertEqual([(f["name"], f.get("odp:sourceName")) for f in resource["schema"]["fields"]], [("kolom_1", ""), ("nama", None), ("nilai", None)])
        self.assertEqual(resource["schema"]["primaryKey"], ["kolom_1"])

    def test_colons_of_times_part_no_columns(self):
        fields = self.table(["mulai"] + [f"{i % 24:02d}:{i * 7 % 60:02d}" for i in range(50)])
        self.assertEqual([(f["name"], f["type"]) for f in fields.values()], [("mulai", "time")])

    def test_what_is_no_csv_is_told_with_what_to_do(self):
        for name, data, said in (("a.csv", b"SQLite format 3\0" + bytes(52) + b"GPKG" + bytes(900), "GeoPackage"), ("b.fgb", b"fgb\x03fgb\0" + bytes(90), "FlatGeobuf"),
                                 ("c.kml", b"<?xml version='1.0'?>\n<kml xmlns='http://www.opengis.net/kml/2.2'></kml>", "KML"), ("d.tab", b"!table\n!version 300\n", "MapInfo"),
                                 ("e.mif", b"Version 300\nCharset \"Neutral\"\nColumns 1\n", "MapInfo"), ("e.mid", b"1,A\n2,B\n", "MapInfo"),
                                 ("f.kmz", b"PK\x03\x04" + bytes(26) + b"doc.kml<kml", "KMZ"), ("g.geojson", b'{"type": "FeatureCollection", "features": []}', "GeoJSON")):
            with self.subTest(name):
                (self.dir / name).write_bytes(data)
                done = self.odp("init", name, "uji", "--yes", expect=2)
                self.assertRegex(done.stderr, f"ODP-I09: .*{said}")
                whole = name.replace(".mid", ".mif")
                self.assertIn(f"ogr2ogr -f \"ESRI Shapefile\" -lco ENCODING=UTF-8 {whole.split('.')[0]}-shp {whole}", done.stderr)
                self.assertFalse((self.dir / "catalog/uji").exists())
        for name, data in (("h.parquet", b"PAR1\x15\x04" + bytes(99)), ("i.bin", bytes(range(256)) * 9), ("j.json", b'[{"a": 1}]'), ("k.sql", b"-- dump\nSET x = 1;\n")):
            (self.dir / name).write_bytes(data)
            self.assertIn("ODP-I02", self.odp("init", name, "uji", "--yes", expect=2).stderr)

    def test_delimiters_at_the_end_of_lines(self):
        resource = self.draft("uji.csv", "kode;nama;\n" + "".join(f"A{i:02d};b{i};\n" for i in range(9)))
        self.assertEqual(resource["schema"]["fieldsMatch"], ["subset"])
        self.assertEqual(list(self.fields(resource)), ["kode", "nama"])

    def test_comments_quotes_and_escapes(self):
        rows = ["# dibuat oleh dinas", "kode|ket"] + [f'K{i}|"a \\"b\\" | {i}"' for i in range(9)]
        resource = self.draft("uji.csv", "\n".join(rows))
        self.assertEqual(resource["dialect"], {"delimiter": "|", "escapeChar": "\\", "doubleQuote": False, "commentChar": "#"})


class Columns(Drafts):
    def test_types_by_the_whole_column(self):
        rows = ["tahun,aktif,persen,harga,jam,waktu,catatan"]
        rows += [f"{2000 + i},{'Ya' if i % 2 else 'Tidak'},{i}.5,\"Rp 1.{i:03d}.000\",{i % 24:02d}:30,2024-01-{i % 28 + 1:02d} 08:15:00,catatan ke {i}" for i in range(24)]
        fields = self.table(rows)
        self.assertEqual([fields[n]["type"] for n in fields], ["year", "boolean", "number", "integer", "time", "datetime", "string"])
        self.assertEqual((fields["aktif"]["trueValues"], fields["aktif"]["falseValues"]), (["Ya"], ["Tidak"]))
        self.assertEqual((fields["harga"]["bareNumber"], fields["harga"]["groupChar"]), (False, "."))
        self.assertEqual(fields["waktu"]["odp:timeZone"], "Asia/Jakarta")

    def test_a_measure_is_a_key_only_where_somebody_says_so(self):
        resource = self.draft("uji.csv", "kecamatan,jumlah_penduduk\n" + "".join(f"K{i % 6},{10000 + i * i * 37 % 89989}\n" for i in range(200)))
        self.assertNotIn("primaryKey", resource["schema"])
        self.assertIn("Kunci utama: jumlah_penduduk?", self.done.stdout)

    def test_a_key_with_one_value_twice_is_no_compound_key(self):
        resource = self.draft("uji.csv", "kode,jenis,n\n" + "".join(f"R{i if i != 300 else 299:03d},{'XYZ'[i % 3]},{i * 7 % 9}\n" for i in range(522)))
        self.assertNotIn("primaryKey", resource["schema"])
        self.assertRegex(self.done.stdout, "Kunci utama: kode.*521 nilai berbeda dalam 522 baris")

    def test_a_late_value_decides_day_and_month(self):
        rows = ["kode,tanggal"] + [f"K{i:05d},{i % 12 + 1:02d}/{i % 12 + 1:02d}/2024" for i in range(20000)] + ["K99999,01/31/2024"]
        self.assertEqual(self.table(rows)["tanggal"]["format"], "%m/%d/%Y")

    def test_thousands_or_decimals_by_the_other_columns_of_the_file(self):
        rows = ["kode;jumlah;luas"] + [f"K{i};{i + 1}.{i:03d};{i},25" for i in range(12)]
        fields = self.table(rows)
        self.assertEqual((fields["jumlah"]["type"], fields["jumlah"]["groupChar"]), ("integer", "."))
        self.assertNotIn("jumlah: arti", self.done.stdout)

    def test_words_for_no_value(self):
        rows = ["kode;nilai;status"] + [f"K{i:02d};{'-' if i % 5 == 0 else 'tidak diukur' if i % 5 == 1 else i};{'Tidak ada' if i % 2 else 'n/a'}" for i in range(30)]
        fields = self.table(rows, expect=None)
        self.assertEqual(fields["status"]["missingValues"], ["", "n/a"])  # "Tidak ada" may be a status
        rows = ["kode;nilai"] + [f"K{i:02d};{'tidak diukur' if i % 12 == 1 else 'NULL' if i % 9 == 0 else i}" for i in range(36)]
        (self.dir / "lagi.csv").write_text("\n".join(rows))
        self.odp("init", "lagi.csv", "--yes")
        field = odp.read_json(self.dir / "catalog/lagi/dataset.json")["resources"][0]["schema"]["fields"][1]
        self.assertEqual((field["type"], field["missingValues"]), ("integer", ["", "NULL", "tidak diukur"]))

    def test_faults_are_counted_over_the_whole_file_with_line_and_value(self):
        rows = ["kode,luas"] + [f"K{i:04d},{i}.25" for i in range(1203)] + ["K9999,12 ha kurang lebih"]
        self.table(rows, expect=1)
        self.assertIn("1.203 dari 1.204 nilai: bilangan desimal dengan titik; 1 tidak: baris 1.205 `12 ha kurang lebih`", self.notes())
        self.assertIn("ODP-T03", self.done.stderr)

    def test_code_lists_of_the_catalogue_and_one_code_they_lack(self):
        codes = [line.split(",")[0] for line in (self.dir / "catalog/references/kabkota/2025.csv").read_text().splitlines()[1:120]]
        rows = ["kab,tahun,jumlah"] + [f"{c},{y},{i}" for i, c in enumerate(codes + ["99.99"]) for y in (2022, 2023)]
        fields = self.table(rows, expect=1)
        resource = self.package["resources"][0]
        self.assertEqual(resource["odp:foreignKeys"], [{"fields": ["kab"], "reference": {"dataset": "references/kabkota@2025", "fields": ["kode"]}}])
        self.assertEqual(resource["schema"]["primaryKey"], ["kab", "tahun"])
        self.assertEqual(fields["kab"]["type"], "string")
        self.assertIn("119 dari 120 nilai berbeda ada di references/kabkota@2025", self.done.stdout)
        self.assertIn("`99.99`", self.done.stdout)

    def test_personal_data_are_not_public_and_not_shown(self):
        rows = ["nik,surel,nama_penerima,unit"] + [f"317101{i % 28 + 1:02d}0190{i:04d},orang{i}@example.org,Orang {i},{i}" for i in range(1, 30)]
        fields = self.table(rows)
        self.assertEqual([n for n in fields if fields[n].get("sdi:aksesPublik") is False], ["nik", "surel", "nama_penerima"])
        self.assertEqual((fields["nik"]["type"], fields["surel"]["format"]), ("string", "email"))
        shown = self.done.stdout + self.done.stderr + self.notes() + json.dumps(self.package)
        for secret in ("orang7@example.org", "Orang 7", "3171010801900007"):
            self.assertNotIn(secret, shown)

    def test_totals_do_not_spoil_what_is_found(self):
        rows = ["kode,nama,unit"] + [f"K{i:02d},n{i},{i}" for i in range(30)] + ["Jumlah,,435"]
        fields = self.table(rows, expect=1)
        self.assertEqual(self.package["resources"][0]["schema"]["primaryKey"], ["kode"])
        self.assertEqual(fields["kode"]["constraints"]["pattern"], "[A-Z][0-9]{2}")
        self.assertIn("ODP-R08", self.done.stderr)

    def test_names(self):
        fields = self.table(["Luas (m²),% Layak,2019,Nama Kab./Kota,Éluard,---"] + [f"{i},{i},{i},N{i},x{i},y{i}" for i in range(5)])
        self.assertEqual(list(fields), ["luas_m2", "persen_layak", "tahun_2019", "nama_kab_kota", "eluard", "kolom_6"])


class Command(Drafts):
    def test_nothing_is_overwritten_and_the_source_is_copied(self):
        self.table(["a,b"] + [f"{i},x{i}" for i in range(3)])
        before = (self.dir / "catalog/uji/dataset.json").read_bytes()
        self.assertEqual((self.dir / "catalog/uji/uji.csv").read_bytes(), (self.dir / "uji.csv").read_bytes())
        self.odp("init", "uji.csv", "uji", "--yes", expect=2)
        self.assertEqual((self.dir / "catalog/uji/dataset.json").read_bytes(), before)
        folder = self.dir / "catalog/lain"
        folder.mkdir()
        (folder / "lain.csv").write_text("a,b\n1,x\n2,y\n")
        self.odp("init", folder / "lain.csv", "--yes")  # it lies there already
        self.odp("check", "lain")
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["dataset.catatan.md", "dataset.json", "lain.csv"])

    def test_a_draft_elsewhere_without_a_catalogue(self):
        (self.dir / "x.csv").write_text("a,b\n1,x\n2,y\n")
        done = self.odp("init", "x.csv", "--output", "draf/x", "--catalog", "nirgendwo", "--lang", "en", "--yes")
        self.assertIn("passed", done.stdout)
        self.assertEqual(sorted(p.name for p in (self.dir / "draf/x").iterdir()), ["dataset.json", "dataset.notes.md", "x.csv"])

    def test_questions_on_a_terminal(self):
        """What is doubtful is asked, with evidence; answers are taken, Enter takes the default."""
        rows = ["kode,tanggal,jumlah"] + [f"K{i},{i % 12 + 1:02d}/{i % 12 + 1:02d}/2024,{i + 1}.{i:03d}" for i in range(24)]
        (self.dir / "tanya.csv").write_text("\n".join(rows))
        answers = ["jawab", "Tabel jawaban", "Table of answers", "9", "2", "2"]
        text = self.talk(["init", "tanya.csv"], answers)
        self.assertIn("tidak ada hari di atas 12", text)
        self.assertIn("tulis salah satu nomornya", text)  # 9 is none
        package = odp.read_json(self.dir / "catalog/jawab/dataset.json")
        self.assertEqual(package["odp:title"], {"id": "Tabel jawaban", "en": "Table of answers"})
        fields = self.fields(package["resources"][0])
        self.assertEqual((fields["tanggal"]["format"], fields["jumlah"]["type"]), ("%m/%d/%Y", "number"))
        self.assertIn("Dipilih: bulan/hari", (self.dir / "catalog/jawab/dataset.catatan.md").read_text())

    def test_a_header_that_is_data_after_all(self):
        (self.dir / "kata.csv").write_text("merah,apel\nbiru,langit\nhijau,daun\nputih,awan\n")
        self.talk(["init", "kata.csv"], ["", "", "", "2"])
        resource = odp.read_json(self.dir / "catalog/kata/dataset.json")["resources"][0]
        self.assertEqual(resource["dialect"]["header"], False)

    def talk(self, args, answers):
        """The program on a terminal of its own; each answer is given when it asks."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.dir)
            os.environ["ODP_NO_TIMES"] = "1"
            os.execv(odp.PROGRAM, [odp.PROGRAM, *args])
        seen, answered = b"", 0
        while select.select([terminal], [], [], 60)[0]:
            try:
                got = os.read(terminal, 4096)
            except OSError:
                break
            if not got:
                break
            seen += got
            if seen.endswith(b": ") and answered < 40:
                answer = answers[answered] if answered < len(answers) else ""
                answered += 1
                os.write(terminal, answer.encode() + b"\n")
        status = os.waitpid(pid, 0)[1]
        os.close(terminal)
        text = seen.decode()
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, text)
        self.assertGreaterEqual(answered, len(answers), text)
        return text


class Shapes(Drafts):
    def test_a_shapefile_of_the_example_catalogue(self):
        self.odp("init", odp.SOURCE / "catalog/kumuh/kumuh.shp", "kawasan", "--yes")
        package = odp.read_json(self.dir / "catalog/kawasan/dataset.json")
        resource = package["resources"][0]
        self.assertEqual(package["odp:formats"], ["GeoJSON", "CSV"])
        self.assertIn("Polygon", resource["odp:geometry"]["types"])
        self.assertEqual(resource["schema"]["primaryKey"], ["id_kawasan"])
        self.assertEqual([k["reference"]["dataset"] for k in resource["odp:foreignKeys"]], ["references/kabkota@2025"])
        self.assertEqual(sorted(p.suffix for p in (self.dir / "catalog/kawasan").iterdir()), [".cpg", ".dbf", ".json", ".md", ".prj", ".shp", ".shx"])
        self.assertIn("EPSG:32748", (self.dir / "catalog/kawasan/dataset.catatan.md").read_text())

    def test_without_a_coordinate_system(self):
        for name in ("kumuh.shp", "kumuh.shx", "kumuh.dbf"):
            odp.shutil.copy(odp.SOURCE / "catalog/kumuh" / name, self.dir)
        done = self.odp("init", "kumuh.shp", "kawasan", "--yes", expect=1)
        self.assertIn("Koordinat bukan derajat", done.stdout)


@unittest.skipUnless(DEEP, "deep")
class Deep(odp.Case):
    def test_every_source_of_the_example_catalogue(self):
        """Each draft passes its check; types and keys are those of the hand-written descriptor, but for what only its author can know."""
        same = total = 0
        for path in sorted((odp.SOURCE / "catalog").glob("*/dataset.json")):
            for resource in odp.read_json(path)["resources"]:
                out = self.dir / f"{path.parent.name}-{resource['name']}"
                self.odp("init", path.parent / resource["path"], "draf", "--output", out, "--catalog", odp.SOURCE / "catalog", "--yes")
                draft = odp.read_json(out / "dataset.json")["resources"][0]
                hand = {f.get("odp:sourceName", f["name"])[:10 if resource["path"].endswith("shp") else None].lower(): f for f in resource["schema"]["fields"]}
                for field in draft["schema"]["fields"]:
                    known = hand[field.get("odp:sourceName", field["name"]).lower()]
                    total += 1
                    same += all(field.get(k) == known.get(k) for k in ("type", "format", "decimalChar"))
        self.assertGreater(total, 250)
        self.assertGreaterEqual(same / total, 0.95, f"{same} of {total}")

    def test_every_file_of_the_suites(self):
        """None crashes or hangs; a draft is written or the reason said; most pass their own check."""
        if not odp.SHARED.is_dir():
            self.skipTest("no shared data")
        count = {0: 0, 1: 0, 2: 0}
        for number, path in enumerate(sorted(p for p in odp.SHARED.rglob("*") if p.suffix.lower() in (".csv", ".tsv", ".shp"))):
            done = self.odp("init", path, "draf", "--output", self.dir / str(number), "--catalog", odp.SOURCE / "catalog", "--yes", expect=None)
            self.assertIn(done.returncode, count, f"{path}\n{done.stderr[-2000:]}")
            count[done.returncode] += 1
            self.assertEqual((self.dir / str(number) / "dataset.json").exists(), done.returncode < 2, path)
            self.assertTrue(done.returncode == 0 or "ODP-" in done.stderr, path)
        self.assertGreater(count[0], 2 * count[1], count)


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "deep"]
    odp.main()
