"""The paper that documents are printed on, by a tool that uses every function of it: what poppler and qpdf find in the file."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import odp

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests" / "paper_tool"
# Latin with what fonts like to join, signs, other scripts, characters that no font has, markup, controls, text from right to left.
TEXT = ("office affluent efficient fjord ffi – “kutip” m² ≤ − → ✓ ꦲꦏ꧀ꦱꦫ ᬩᬮᬶ ᮞᮥᮔ᮪ᮓ Ωμέγα Кириллица 中文 한국 "
        "<b>tebal</b> &amp; %s \\ 'x' =1+1")


def run(*args, **more):
    return subprocess.run([str(a) for a in args], capture_output=True, check=True, **more).stdout


class Paper(odp.Case):
    def make(self, text=TEXT, **env):
        path = self.dir / f"{len(list(self.dir.iterdir()))}.pdf"
        run(TOOL, path, text, env=dict(os.environ, **env))
        return path

    def qpdf(self, path):
        """All objects of the file by "obj:N G R", and the catalogue."""
        objects = json.loads(run("qpdf", "--json=2", "--json-key=qpdf", path))["qpdf"][1]
        return objects, next(o["value"] for o in objects.values() if isinstance(o.get("value"), dict) and o["value"].get("/Type") == "/Catalog")

    def test_text_is_what_went_in(self):
        text = run("pdftotext", "-layout", self.make(), "-").decode()
        first = " ".join(text.split("\f")[0].split())
        self.assertEqual(first, TEXT)
        first = run("pdftotext", "-layout", self.make("satu\x01dua\ttiga\u2028empat\r\nlima"), "-").decode().split("\f")[0]
        self.assertEqual(first.split("\n")[:3], ["satu\ufffddua tiga", "empat", "lima"])

    def test_valid_and_embedded(self):
        path = self.make()
        run("qpdf", "--check", path)
        fonts = run("pdffonts", path).decode().splitlines()[2:]
        self.assertGreater(len(fonts), 5)
        for line in fonts:
            self.assertRegex(line, r"^[A-Z]{6}\+NotoSans\w*-(Regular|Bold) ")
            self.assertRegex(line, r" yes yes yes +\d+ +\d+$")

    def test_structure(self):
        """As poppler reads it; text in its lines is joined."""
        lines = run("pdfinfo", "-struct-text", self.make(("kata " * 60).strip())).decode().splitlines()
        got = [re.sub(r" \((block|inline)\)$", "", line) for line in lines if not line.strip().startswith("Object ")]
        got = [line for line in got if "KEPALA" not in line]  # cairo 1.18 gives heads to the element that is open, finish.c takes them out (e2e_printed)
        want = f'''Document
  P
    "{("kata " * 60).strip()}"
  H1
    "Bab "satu" (\\ 'é)"
  H2
    "Bagian <b>"
  H3
    "Butir �"
  P
    Span
      "satu dua tiga "
    Span
      "empat lima enam"
  P
    "sebelum"
  P
    "sesudah"
  H1
    "Bab dua"
  Table
    TR
      TH
        "baris 0"
      TD
        P
          "awal"
    TR
      TD
        "baris 1"
      TD
        P
          "awal"
    TR
      TD
        "baris 2"
      TD
        P
          "awal"
        P
          "lanjutan"'''.splitlines()
        want += [line for i in range(9) for line in (["  P", "    Link", '      "tautan"'] if i < 3 else ["  P", '    "tautan"'])]
        want += ["  P", "    Link", '      "ke bab satu"', "  Figure"]
        got = [line for line in got if line.strip() != '""']  # of what has no text; only some versions of poppler and cairo say so
        self.assertEqual([line.rstrip(" ") for line in got], [line.rstrip(" ") for line in want])

    def test_heads_and_page_numbers(self):
        pages = run("pdftotext", "-layout", self.make(), "-").decode().split("\f")[:-1]
        n = len(pages)
        self.assertGreaterEqual(n, 6)
        self.assertNotIn("KEPALA", pages[0])
        self.assertNotIn("halaman", pages[0])
        for i, page in enumerate(pages[1:], 2):
            self.assertEqual(page.split("\n")[0].strip(), "KEPALA")
            self.assertEqual(page.rstrip().split("\n")[-1].strip(), f"halaman {i} dari {n}")
        sizes = re.findall(r"Page +\d+ size: +([\d.]+) x ([\d.]+)", run("pdfinfo", "-l", "99", self.make()).decode())
        self.assertEqual(len(sizes), n)
        self.assertEqual({(round(float(w)), round(float(h))) for w, h in sizes}, {(595, 842), (842, 595)})

    def test_links(self):
        objects, catalogue = self.qpdf(self.make())
        notes = [o["value"] for o in objects.values() if isinstance(o.get("value"), dict) and o["value"].get("/Subtype") == "/Link"]
        uris = sorted(n["/A"]["/URI"] for n in notes if "/A" in n)
        self.assertEqual(uris, ["u:HTTP://CONTOH.ID/", "u:https://data.example.go.id/a%20b?x=%27y%27&z=(1)%5C#%22%C3%A9", "u:mailto:data@example.go.id"])
        (dest,) = [n["/Dest"] for n in notes if "/Dest" in n]
        self.assertTrue(dest == "u:bab-1" or dest[1] == "/XYZ", dest)  # cairo 1.18 names the place itself
        for n in notes:
            x0, y0, x1, y1 = n["/Rect"]
            self.assertTrue(50 < x0 < x1 < 200 and 4 < y1 - y0 < 20, n["/Rect"])

    def test_bookmarks(self):
        outline = json.loads(run("qpdf", "--json=2", "--json-key=outlines", self.make()))["outlines"]

        def shape(items):
            return [(i["title"], i["destpageposfrom1"], shape(i["kids"])) for i in items]

        self.assertEqual(shape(outline), [("Bab \"satu\" (\\ 'é)", 2, [("Bagian <b>", 2, [("Butir  ", 2, [])])]), ("Bab dua", 5, [])])

    def test_same_bytes_wherever_it_is_made(self):
        want = self.make().read_bytes()
        places = [{"LANG": "ar_EG.UTF-8", "LC_ALL": "ar_EG.UTF-8", "LANGUAGE": "ja:zh", "FC_LANG": "ja"},
                  {"FONTCONFIG_FILE": "/nonexistent", "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
                  {"PANGO_LANGUAGE": "ur:fa", "TZ": "Asia/Jayapura", "SOURCE_DATE_EPOCH": "1"}]
        for env in places:
            self.assertEqual(self.make(**env).read_bytes(), want, env)

    def test_only_our_fonts_are_opened(self):
        if shutil.which("strace") is None:
            self.skipTest("strace is not installed")
        log = self.dir / "log"
        done = subprocess.run(["strace", "-f", "-o", log, "-e", "trace=openat", TOOL, self.dir / "x.pdf", "Jakarta"], capture_output=True,
                              env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        if done.returncode != 0:
            self.skipTest("strace may not trace here")
        names = set(re.findall(r'"([^"]*fonts?[^"]*)"', log.read_text())) - {n for n in re.findall(r'"([^"]*\.so[^"]*)"', log.read_text())}
        self.assertEqual({pathlib.Path(n).name for n in names}, {f"NotoSans-{f}.ttf" for f in ("Regular", "Bold", "Italic", "BoldItalic")})


if __name__ == "__main__":
    unittest.main()
