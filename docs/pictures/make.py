"""The pictures of README.md: python3 docs/pictures/make.py [build/bin]. Chromium takes the portal; a fault is drawn from what odp-build prints.

portal.png   the English page of a dataset of the example catalogue, with its map
fault.svg    the report of a file with a decimal point where a comma belongs
"""
import functools
import html
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TODAY = ["--today", "2024-06-01"]
COLOURS = {"error": "#ff8a8a", "place": "#8ab4ff", "mark": "#ffd166", "proposal": "#8fe388", "plain": "#e6e6e6"}
LETTER, LINE, MARGIN = 8.43, 20, 16  # of 14 px monospace


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=False, capture_output=True, text=True, **more)


def faulty_file(folder):
    """The first records of the example's source, with a decimal point in line 4."""
    lines = (ROOT / "catalog/perumahan/perumahan.csv").read_text(encoding="utf-8").splitlines()[:20]
    cells = lines[3].split(";")
    cells[6] = cells[6].replace(",", ".")
    lines[3] = ";".join(cells)
    (folder / "kiriman.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def colour_of(line):
    for pattern, name in ((r"error|summary", "error"), (r"\s+┌─", "place"), (r"\s+│\s+\^", "mark"), (r"\s+= proposal", "proposal")):
        if re.match(pattern, line):
            return COLOURS[name]
    return COLOURS["plain"]


def draw(lines):
    width = int(max(map(len, lines)) * LETTER) + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN
    rows = "\n".join(f'<text x="{MARGIN}" y="{MARGIN + LINE * i + 14}" fill="{colour_of(line)}" xml:space="preserve">{html.escape(line)}</text>'
                     for i, line in enumerate(lines) if line)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="{html.escape(lines[0], quote=True)}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">\n'
            f'<rect width="{width}" height="{height}" rx="6" fill="#1e1e1e"/>\n{rows}\n</svg>\n')


def make_fault(program, folder):
    faulty_file(folder)
    done = run(program, "check", "--as", "perumahan", "kiriman.csv", "--catalog", ROOT / "catalog", "--lang", "en", "--no-color", *TODAY, cwd=folder,
               env={**os.environ, "ODP_NO_TIMES": "1"})
    text = done.stdout + done.stderr
    fault = text[:text.index("\n\nsummary")]
    (HERE / "fault.svg").write_text(draw([f"$ odp-build check --as perumahan kiriman.csv", "", *fault.splitlines()]), encoding="utf-8")


def make_portal(program, folder):
    site = folder / "site"
    done = run(program, "build", "--catalog", ROOT / "catalog", "--out", site, "--quiet", *TODAY)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=site)
    handler.log_message = lambda *words: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/en/catalog/perumahan.html"
        run("chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1280,1260", "--force-device-scale-factor=0.75", "--virtual-time-budget=8000", f"--screenshot={HERE / 'portal.png'}", address)
        server.shutdown()


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin").resolve() / "odp-build"
    with tempfile.TemporaryDirectory() as name:
        make_fault(program, pathlib.Path(name))
        make_portal(program, pathlib.Path(name))
    for picture in ("fault.svg", "portal.png"):
        print(f"docs/pictures/{picture}: {(HERE / picture).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
