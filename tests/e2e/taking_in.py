"""odp-build intake: every CSV file of the example catalogue in each of the clothes that files come in, taken in again, is the file byte by byte; a second
time changes nothing; and among thousands of planted faults of single cells nothing is invented. Also the command: its question, what it keeps, check --intake."""
import csv
import datetime
import functools
import html
import io
import json
import os
import pathlib
import pty
import random
import re
import subprocess
import sys
import unittest

import odp

sys.path.insert(0, str(odp.SOURCE / "tests/cases"))
import workbooks  # noqa: E402

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests/intake_tool"
CATALOG = odp.SOURCE / "catalog"
MONTHS = "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember".split()
ALL = len(sys.argv) > 1 and sys.argv[1] == "all"  # else every third of a few files' clothes: others of the next


class Source:
    """A CSV source of the example, read by its own dialect: front (raw lines before the header), header, rows."""

    def __init__(self, slug, folder, resource):
        self.slug, self.resource = slug, resource
        self.path = folder / resource["path"]
        self.bytes = self.path.read_bytes()
        self.encoding = resource.get("encoding", "utf-8")
        dialect = resource.get("dialect") or {}
        self.delimiter = dialect.get("delimiter", ",")
        self.fields = resource["schema"]["fields"]
        text = self.bytes.decode("utf-8-sig" if self.encoding == "utf-8" else self.encoding)
        self.eol = "\r\n" if "\r\n" in text else "\n"
        lines = text.split(self.eol)
        n = (dialect.get("headerRows") or [1])[0] - 1
        while dialect.get("commentChar") and lines[n].startswith(dialect["commentChar"]):
            n += 1
        self.comments = [line for line in lines[:n] if dialect.get("commentChar") and line.startswith(dialect["commentChar"])]
        self.front = lines[:n]
        table = list(csv.reader(io.StringIO(self.eol.join(lines[n:]), newline=""), delimiter=self.delimiter))
        self.header, self.rows = table[0], table[1:]
        missing = resource["schema"].get("missingValues") or [""]
        self.missing = [f.get("missingValues") or missing for f in self.fields]
        assert self.header == [f.get("odp:sourceName", f["name"]) for f in self.fields], slug

    def text(self, delimiter=None, eol="\n", header=None, rows=None, front=None, quoting=csv.QUOTE_MINIMAL):
        """As a file of commas or others, that a spreadsheet program might write."""
        out = io.StringIO()
        pen = csv.writer(out, delimiter=delimiter or self.delimiter, lineterminator=eol, quoting=quoting)
        for line in self.front if front is None else front:
            if line in self.comments:
                out.write(line + eol)
            else:
                pen.writerow(next(csv.reader([line], delimiter=self.delimiter), []))
        pen.writerow(self.header if header is None else header)
        pen.writerows(self.rows if rows is None else rows)
        return out.getvalue()

    def columns(self, kind, change):
        """Rows with CHANGE(field, cell) in each filled cell of the fields of KIND; None: nothing changes."""
        rows = [list(row) for row in self.rows]
        changed = False
        for i, field in enumerate(self.fields):
            if field["type"] not in kind:
                continue
            for row in rows:
                if row[i] not in self.missing[i] and row[i] != "":
                    new = change(field, row[i])
                    changed = changed or new != row[i]
                    row[i] = new
        return rows if changed else None

    @property
    def other(self):
        return ";" if self.delimiter == "," else ","

    def text_only(self, encoding):
        """What this encoding can hold."""
        try:
            self.text().encode(encoding)
            return True
        except UnicodeEncodeError:
            return False


def sources():
    found = []
    for path in sorted(CATALOG.glob("*/dataset.json")):
        for i, resource in enumerate(json.loads(path.read_text())["resources"]):
            if pathlib.Path(resource["path"]).suffix in (".csv", ".tsv"):
                slug = path.parent.name
                found.append(Source(slug if i == 0 else f"{slug}/{resource['name']}", path.parent, resource))
    return found


SWAP = str.maketrans(",.", ".,")


def swapped(_, cell):
    return re.sub(r"\d[\d.,]*\d|\d", lambda m: m[0].translate(SWAP), cell)


def day(field, cell):
    """The date of a cell by its field's pattern, or None."""
    pattern = field.get("format", "default")
    if pattern == "default":
        return datetime.date.fromisoformat(cell) if re.fullmatch(r"\d{4}-\d\d-\d\d", cell) else None
    for i, name in enumerate(MONTHS):
        cell = cell.replace(name, f"{i + 1:02d}")
    try:
        return datetime.datetime.strptime(cell, pattern.replace("%B", "%m")).date()
    except ValueError:
        return None


def dated(form):
    def change(field, cell):
        d = day(field, cell)
        return form(d) if d else cell
    return change


def worded(yes, no):
    def change(field, cell):
        return yes if cell in field.get("trueValues", ["true", "True", "TRUE", "1"]) else no if cell in field.get("falseValues", ["false"]) else cell
    return change


def book(rows):
    """A workbook whose cells are all texts."""
    out = io.BytesIO()
    workbooks.write({"sheets": [{"name": "Data", "rows": [[c or None for c in row] for row in rows]}]}, out)
    return out.getvalue()


def clothes(s):
    """(name, bytes) of S in the clothes that fit it."""
    d = s.delimiter
    for name, delimiter in (("semicolons", ";"), ("commas", ","), ("tabs", "\t"), ("bars", "|")):
        if delimiter != d:
            yield name, s.text(delimiter).encode(s.encoding)
    yield "sep", (f"sep={s.other}\r\n" + s.text(s.other, "\r\n")).encode(s.encoding)
    yield "crlf", s.text(eol="\r\n").encode(s.encoding)
    yield "bom", s.text().encode("utf-8-sig")
    yield "utf16", s.text("\t", "\r\n").encode("utf-16")
    yield "utf16 without a mark", s.text().encode("utf-16-be")
    if s.text_only("cp1252"):
        yield "windows-1252", s.text(";", "\r\n").encode("cp1252")
    if "\n" not in "".join(map("".join, s.rows)):
        yield "wrapped", "".join('"' + line.replace('"', '""') + '"\r\n' for line in s.text().split("\n")[:-1]).encode("utf-8")
    rows = s.columns(("number", "integer"), swapped)
    if rows:
        yield "other marks", s.text(rows=rows).encode(s.encoding)
        yield "other marks, other delimiter", s.text(s.other, rows=rows).encode(s.encoding)
    for name, form in (("iso", lambda x: x.isoformat()), ("day first", lambda x: x.strftime("%d/%m/%Y")), ("month first", lambda x: f"{x.month}/{x.day}/{x.year}"),
                       ("dashes", lambda x: x.strftime("%d-%m-%Y")), ("months", lambda x: f"{x.day:02d} {MONTHS[x.month - 1]} {x.year}"), ("midnight", lambda x: f"{x} 00:00:00")):
        rows = s.columns(("date",), dated(form))
        if rows:
            yield "dates: " + name, s.text(rows=rows).encode(s.encoding)
    def timed(form):
        return lambda f, c: datetime.datetime.strptime(c, f["format"]).strftime(form) if f.get("format", "").endswith("%H:%M") else c
    for name, form in (("day first", "%d/%m/%Y %H:%M"), ("iso", "%Y-%m-%dT%H:%M")):
        rows = s.columns(("datetime",), timed(form))
        if rows:
            yield "times: " + name, s.text(rows=rows).encode(s.encoding)
    for yes, no in (("TRUE", "FALSE"), ("1", "0"), ("Yes", "No"), ("y", "n")):
        rows = s.columns(("boolean",), worded(yes, no))
        if rows:
            yield "booleans: " + yes, s.text(rows=rows).encode(s.encoding)
    yield "titles", s.text(front=["Rekapitulasi Semester I", "", "Dinas PUPR, 2024"] + s.front).encode(s.encoding)
    units = [f.get("sdi:satuan", "") for f in s.fields]
    units = [u if isinstance(u, str) else u.get("id", "") for u in units]
    if any(units):
        yield "units", s.text(rows=[[f"({u})" if u else "" for u in units]] + s.rows).encode(s.encoding)
        yield "units bare", s.text(rows=[units] + s.rows).encode(s.encoding)
    yield "numbers in brackets", s.text(rows=[[f"({i + 1})" for i in range(len(s.fields))]] + s.rows).encode(s.encoding)
    yield "numbers", s.text(rows=[[str(i + 1) for i in range(len(s.fields))]] + s.rows).encode(s.encoding)
    yield "blank columns", s.text(header=s.header + ["", ""], rows=[row + ["", ""] for row in s.rows]).encode(s.encoding)
    yield "blank column in front", s.text(header=[""] + s.header, rows=[[""] + row for row in s.rows]).encode(s.encoding)
    yield "blank rows", s.text(rows=s.rows + [[""] * len(s.fields)] * 5).encode(s.encoding)
    yield "number column", s.text(header=["No."] + s.header, rows=[[str(i + 1)] + row for i, row in enumerate(s.rows)]).encode(s.encoding)
    order = list(range(len(s.fields)))
    random.Random(7).shuffle(order)
    yield "order", s.text(header=[s.header[i] for i in order], rows=[[row[i] for i in order] for row in s.rows]).encode(s.encoding)
    titles = [f.get("title", f["name"]) for f in s.fields]
    titles = [t if isinstance(t, str) else t.get("id", n) for t, n in zip(titles, s.header)]
    if len(set(titles)) == len(titles):
        yield "labels: titles", s.text(header=titles).encode("utf-8")
    yield "labels: capitals", s.text(header=[h.upper() for h in s.header]).encode(s.encoding)
    yield "labels: spaces", s.text(header=[" " + h.replace("_", " ").title() for h in s.header]).encode(s.encoding)
    long = max(range(len(s.header)), key=lambda i: len(s.header[i]))
    yield "labels: a slip", s.text(header=[h[:3] + h[2:] if i == long else h for i, h in enumerate(s.header)]).encode(s.encoding)
    marks = [[row[i] if row[i] != "" or "NULL" in s.missing[i] else "NULL" for i in range(len(row))] for row in s.rows]
    strong = [sum(row[i] == "NULL" for row in marks) for i, f in enumerate(s.fields) if f["type"] != "string" or "categories" in f]
    if max(strong, default=0) >= max(3, len(s.rows) / 50):
        yield "marks for nothing", s.text(rows=marks).encode(s.encoding)
    if not re.search(rf"[{d}\"\n]", "".join(map("".join, s.rows))):
        yield "spaces after delimiters", ("".join(line + "\n" for line in s.front) + "".join((d + " ").join(row) + "\n" for row in [s.header, *s.rows])).encode(s.encoding)
    yield "padded", s.text(rows=[[c + "  " if c else c for c in row] for row in s.rows]).encode(s.encoding)
    page = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>\r\n" for row in [*([c] for c in s.front), s.header, *s.rows])
    head = '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="utf-8"><style>td{}</style></head><body><table>\r\n'
    yield "HTML", (head + page + "</table></body></html>").encode()
    yield "workbook", book([*([line] for line in s.front), s.header, *s.rows])
    rows = s.columns(("number", "integer"), swapped) or s.rows
    yield "everything", (f"Data\t\r\n\t\r\n" + s.text("\t", "\r\n", header=[titles[i] if len(set(titles)) == len(titles) else s.header[i] for i in order] + [""],
                         rows=[[row[i] for i in order] + [""] for row in rows] + [[""] * (len(order) + 1)])).encode("utf-16")


@functools.cache
def chosen():
    """[(source, name, bytes)]."""
    files = sources() if ALL else [s for s in sources() if s.slug in ("anggaran", "inovasi", "kontraktor", "penghargaan", "regulasi")]
    return [(s, name, data) for k, s in enumerate(files) for i, (name, data) in enumerate(clothes(s)) if ALL or (i + k) % 3 == 0]


def damaged(data, rng):
    """DATA cut, and with bytes changed, put in and taken out."""
    data = bytearray(data[:rng.choice((200, 2000, 20000))])
    for _ in range(rng.choice((1, 3, 30))):
        at, what = rng.randrange(len(data)), rng.randrange(4)
        if what == 0:
            data[at] = rng.randrange(256)
        elif what == 1:
            data[at:at] = rng.choice((b'"', b'""', b"\n", b"\r", b";", b",", b"\0", b"\xff", b"<td>", b"&#x", b"sep=", b'\n"', b'"' * 50))
        elif what == 2:
            del data[at:at + rng.randrange(1, 200)]
            data += b";"
        else:
            data[at:at] = data[at:at + rng.randrange(500)]
    return bytes(data)


def planted(s, rng):
    """S with a fault in many single cells: rows, and what was planted {(row, column): cell}."""
    rows, faults = [list(row) for row in s.rows], {}
    kinds = [lambda c: c.replace(".", ","), lambda c: c.replace(",", "."), lambda c: "-", lambda c: "n/a", lambda c: " " + c, lambda c: c + "x", lambda c: "1,5",
             lambda c: "1.250", lambda c: "03/04/2024", lambda c: "2024-13-01", lambda c: c.upper(), lambda c: c[:-1], lambda c: "O" + c[1:], lambda c: "TRUE", lambda c: c * 2,
             lambda c: "Rp " + c, lambda c: "12/25/2023", lambda c: "(1)", lambda c: "\u00a0" + c]
    for _ in range(300):
        r, c = rng.randrange(len(rows)), rng.randrange(len(s.fields))
        new = rng.choice(kinds)(rows[r][c])
        if (r, c) not in faults and new != rows[r][c]:
            rows[r][c] = faults[r, c] = new
    return rows, faults


class Whole(odp.Case):
    maxDiff = 9000

    """Every file, every clothes, by the tool: no check in between."""

    def take(self, jobs):
        """JOBS: (slug, bytes, model). Yields (answer, bytes that came of it)."""
        lines = []
        for i, (slug, data, model, end) in enumerate(jobs):
            (self.dir / f"{i}{end}").write_bytes(data)
            lines.append(f"{slug}\t{self.dir}/{i}{end}\t{model}\t{self.dir}/{i}.out\n")
        done = subprocess.run([TOOL, CATALOG], input="".join(lines), capture_output=True, text=True, check=True)
        for i, line in enumerate(done.stdout.splitlines()):
            out = self.dir / f"{i}.out"
            yield line, out.read_bytes() if out.exists() else None

    def test_in_each_clothes_a_file_becomes_itself_again(self):
        found = chosen()
        jobs = [(s.slug, data, s.path, ".csv") for s, _, data in found]
        self.assertGreater(len(jobs), 600 if ALL else 50)
        wrong = [f"{s.slug}: {name}: {line}" for (s, name, _), (line, out) in zip(found, self.take(jobs)) if out != s.bytes]
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(jobs)}")

    def test_a_file_as_it_should_be_stays_as_it_is_with_a_model_and_without(self):
        found = sources()
        answers = list(self.take([(s.slug, s.bytes, model, ".csv") for s in found for model in (s.path, "-")]))
        bare = [s for s in found if s.bytes.startswith(b"\xef\xbb\xbf")]  # nothing says that it is to have one
        for i, (line, out) in enumerate(answers):
            s = found[i // 2]
            want = s.bytes[3:] if s in bare and i % 2 else s.bytes
            self.assertTrue(line.startswith("ok") and out == want, f"{s.slug} {i % 2}: {line}")

    def test_without_a_model_the_cells_are_the_same_and_a_second_time_changes_nothing(self):
        found = chosen()
        jobs = [(s.slug, data, "-", ".csv") for s, _, data in found]
        first = [out for _, out in self.take(jobs)]
        self.assertEqual([f"{s.slug}: {name}" for (s, name, _), out in zip(found, first) if out is None], [])
        again = self.take([(s.slug, out, "-", ".csv") for (s, _, _), out in zip(found, first)])
        wrong = [f"{s.slug}: {name}: {line}" for (s, name, _), before, (line, out) in zip(found, first, again) if out != before]
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(jobs)}")

    def test_among_planted_faults_nothing_is_invented(self):
        rng, jobs, told = random.Random(11), [], []
        for s in sources():
            rows, faults = planted(s, rng)
            front = s.text(rows=rows)
            jobs += [(s.slug, front.encode("utf-8" if s.encoding == "utf-8" else s.encoding), s.path, ".csv")]
            told.append((s, rows, faults))
        self.assertGreater(sum(len(f) for _, _, f in told), 4500)
        for (s, rows, faults), (line, out) in zip(told, self.take(jobs)):
            text = out.decode("utf-8-sig" if s.encoding == "utf-8" else s.encoding)
            table = list(csv.reader(io.StringIO(text, newline=""), delimiter=s.delimiter))[len(s.front) + 1:]
            wrong = [(s.slug, r, c, s.rows[r][c], rows[r][c], table[r][c]) for r in range(len(rows)) for c in range(len(s.fields))
                     if table[r][c] != rows[r][c] and table[r][c] != s.rows[r][c]]
            self.assertEqual(wrong, [], line)


    def test_a_damaged_file_is_taken_in_or_refused(self):
        rng = random.Random(5)
        jobs = [(s.slug, damaged(data, rng), s.path if i % 2 else "-", ".csv") for i, (s, _, data) in enumerate(chosen()[:: 1 if ALL else 2])]
        answers = list(self.take(jobs))
        self.assertEqual(len(answers), len(jobs))
        for (slug, data, _, _), (line, out) in zip(jobs, answers):
            self.assertTrue(line.startswith(("ok", "refused")), f"{slug}: {line}: {data[:200]}")
            self.assertEqual(line.startswith("ok"), out is not None, f"{slug}: {line}")


class Command(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue("inovasi")
        self.source = self.dir / "catalog/inovasi/inovasi.csv"
        self.before = self.source.read_bytes()
        s = next(s for s in sources() if s.slug == "inovasi")
        rows = s.columns(("number", "integer"), swapped)
        self.came = self.dir / "kiriman excel (1).csv"
        self.came.write_bytes(s.text(";", "\r\n", rows=rows).encode("cp1252"))
        self.source.write_bytes(b"".join(self.before.splitlines(True)[:40]))

    def ask(self, *answers):
        """Runs intake on a terminal; returns (exit code, what it says)."""
        leader, follower = pty.openpty()
        run = subprocess.Popen([odp.PROGRAM, "intake", "inovasi", self.came.name, "--today", "2024-04-01"], stdin=follower, stdout=follower, stderr=follower,
                               cwd=self.dir, env=dict(os.environ, ODP_NO_TIMES="1"))
        os.close(follower)
        said = b""
        waiting = list(answers)
        while True:
            try:
                got = os.read(leader, 65536)
            except OSError:
                break
            said += got
            if waiting and said.endswith(b": ") and not got.isspace():
                os.write(leader, waiting.pop(0))
        os.close(leader)
        return run.wait(), said.decode()

    def test_it_asks_once_shows_differences_and_keeps_what_was_there(self):
        code, said = self.ask(b"x\n", b"l\n", b"b\n")
        self.assertEqual(code, 1, said)
        self.assertIn("Jawab l, t atau b.", said)
        self.assertIn("→", said)
        self.assertIn("Dibatalkan", said)
        self.assertEqual(sorted(p.name for p in self.source.parent.iterdir()), ["dataset.json", "inovasi.csv"])
        old = self.source.read_bytes()
        code, said = self.ask(b"t\n")
        self.assertEqual(code, 0, said)
        self.assertIn("80 baris, 0 galat sesudahnya", said)
        self.assertEqual(self.source.read_bytes(), self.before)
        self.assertEqual(self.source.with_name("inovasi.csv.asli").read_bytes(), old)
        self.odp("check", "inovasi", "--today", "2024-04-01")

    def test_a_pipeline_says_yes_and_gets_a_report(self):
        done = self.odp("intake", "inovasi", self.came.name, "--report", "json", "--today", "2024-04-01", expect=1)
        self.assertEqual(json.loads(done.stdout)["diagnostics"], [])
        self.odp("intake", "inovasi", self.came.name, "--yes", "--today", "2024-04-01")
        self.assertEqual(self.source.read_bytes(), self.before)
        self.assertIn("sudah seperti", self.odp("intake", "inovasi", self.source, "--yes", "--today", "2024-04-01").stdout)

    def test_check_tells_of_it_and_checks_what_it_would_make(self):
        done = self.odp("check", "--as", "inovasi", self.came.name, "--today", "2024-04-01", expect=1)
        self.assertIn(f"odp-build intake inovasi '{self.came.name}'", done.stderr)
        done = self.odp("check", "--as", "inovasi", self.came.name, "--intake", "--today", "2024-04-01")
        self.assertIn("pemisah “;” → “,”", done.stdout)
        self.assertEqual(sorted(p.name for p in self.source.parent.iterdir()), ["dataset.json", "inovasi.csv"])

    def test_a_source_that_is_a_shapefile_is_refused(self):
        self.assertIn("ODP-A34", self.odp("intake", "batas-provinsi", self.came.name, "--yes", expect=1).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] if ALL else sys.argv)
