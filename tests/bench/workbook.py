"""A workbook of a million records with twelve columns, beside openpyxl's write-only mode on a tenth of them; and a printed document of 10,000. See README.md."""
import argparse
import json
import pathlib
import random
import shutil
import sys
import tempfile

import bench

sys.path.insert(0, str(bench.ROOT / "tests/e2e"))
import workbooklib  # noqa: E402

FIELDS = [("id", "integer", None), ("kode_kabkota", "string", None), ("nama", "string", None), ("tahun", "year", None), ("jenis", "string", None),
          ("luas", "number", "hektare"), ("pagu", "integer", "rupiah"), ("realisasi", "integer", "rupiah"), ("persen", "number", "persen"),
          ("tanggal", "date", None), ("aktif", "boolean", None), ("catatan", "string", None)]
KINDS = ("Rumah tapak", "Apartemen", "Perkantoran", "Pusat belanja", "Kawasan industri")


def write_rows(path, rows):
    draw = random.Random(7)
    with open(path, "w", newline="") as out:
        out.write(",".join(n for n, _, _ in FIELDS) + "\n")
        for i in range(rows):
            budget = draw.randrange(10 ** 7, 10 ** 11)
            out.write(f"{i + 1},{draw.randrange(11, 95)}.{draw.randrange(1, 80):02},Kegiatan nomor {i},{2010 + i % 15},{KINDS[i % 5]},{draw.randrange(10 ** 6) / 100},"
                      f"{budget},{budget * draw.randrange(100) // 100},{draw.randrange(10000) / 100},20{10 + i % 15}-{1 + i % 12:02}-{1 + i % 28:02},"
                      f"{'true' if i % 3 else 'false'},{'Catatan pendek' if i % 4 else ''}\n")


def make(folder, rows, formats):
    """A catalogue of one dataset, the portal's that of the example."""
    catalog = folder / "catalog"
    (catalog / "besar").mkdir(parents=True)
    for name in ("portal.json", "changes.json"):
        shutil.copy(bench.ROOT / "catalog" / name, catalog)
    write_rows(catalog / "besar/besar.csv", rows)
    fields = [{"name": n, "type": t, **({"sdi:satuan": {"id": u, "en": u}} if u else {})} for n, t, u in FIELDS]
    package = {"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": "besar", "title": "besar", "odp:formats": formats,
               "odp:lastUpdate": "2024-03-15",
               "resources": [{"name": "besar", "type": "table", "path": "besar.csv", "schema": {"fields": fields, "primaryKey": ["id"]}}]}
    (catalog / "besar/dataset.json").write_text(json.dumps(package))
    return catalog


def peer(path, target):
    """What openpyxl is asked to do: the same cells with the same types, from the CSV, in its mode for large tables."""
    import csv
    import datetime
    openpyxl = workbooklib.openpyxl()
    from openpyxl.cell import WriteOnlyCell
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("data")
    convert = {"integer": int, "year": int, "number": float, "boolean": "true".__eq__, "string": str, "date": datetime.date.fromisoformat}
    formats = {"rupiah": "#,##0", "hektare": "#,##0.00", "persen": "0.00"}
    with open(path, newline="") as handle:
        reader = csv.reader(handle)
        sheet.append(next(reader))
        kinds = [(convert[t], formats.get(u)) for _, t, u in FIELDS]
        for row in reader:
            cells = []
            for text, (kind, fmt) in zip(row, kinds):
                value = kind(text) if text != "" else None
                if fmt is not None:
                    value = WriteOnlyCell(sheet, value)
                    value.number_format = fmt
                cells.append(value)
            sheet.append(cells)
    book.save(target)


def best(command, folder, rounds, clean):
    seconds, peak = [], 0
    for _ in range(rounds):
        clean()
        s, p = bench.timed(command, folder)
        seconds.append(s)
        peak = max(peak, p)
    return min(seconds), peak


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--print-rows", type=int, default=10000)
    parser.add_argument("--bin", default=bench.ROOT / "build/bin", type=pathlib.Path)
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        return peer(*args.peer)
    work = pathlib.Path(tempfile.mkdtemp(prefix="odp-bench-"))
    program = str(args.bin / "odp-build")
    try:
        def build(name, rows, formats):
            folder = work / name
            make(folder, rows, formats)
            command = [program, "build", "--no-progress", "--quiet", "--today", "2024-06-01"]
            clean = lambda: bench.remove_tree(folder / "build")
            found = best(command, folder, args.rounds, clean)
            files = list((folder / "build/site/data/besar/2024-03-15").glob("besar.*"))
            print(f"{name:44} best {found[0]:7.2f} s  peak {found[1]:6.0f} MiB   "
                  + ", ".join(f"{p.name} {p.stat().st_size / 1e6:.1f} MB" for p in sorted(files)), flush=True)
            return found
        print(f"{args.rows} records of {len(FIELDS)} columns")
        plain = build("check, CSV", args.rows, ["CSV"])
        with_book = build("check, CSV, Excel", args.rows, ["CSV", "Excel"])
        if workbooklib.openpyxl() is not None:
            write_rows(work / "tenth.csv", args.rows // 10)
            command = [sys.executable, __file__, "--peer", str(work / "tenth.csv"), str(work / "tenth.xlsx")]
            theirs = best(command, work, args.rounds, lambda: None)
            print(f"{'openpyxl write-only, a tenth of the records':44} best {theirs[0]:7.2f} s  peak {theirs[1]:6.0f} MiB")
            print(f"ratio: whole build with the workbook / openpyxl on a tenth {with_book[0] / theirs[0]:.2f}; the workbook alone {(with_book[0] - plain[0]) / theirs[0]:.2f}")
        else:
            print("openpyxl is not on this machine")
        plain = build(f"check, CSV of {args.print_rows}", args.print_rows, ["CSV"])
        printed = build(f"check, CSV, PDF of {args.print_rows}", args.print_rows, ["CSV", "PDF"])
        print(f"the printed document alone {printed[0] - plain[0]:.2f} s")
    finally:
        bench.remove_tree(work)


if __name__ == "__main__":
    main()
