"""From nothing to a page: new, init, serve. The preview shows drafts, loads itself again, shows what is wrong, and cannot be published."""
import html.parser
import http.client
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse

import odp

LIMIT = 120  # seconds: generous, the machine may be busy
CSV = "kode,tahun,pagu\nA-001,2023,1500\nA-002,2024,2500\nA-003,2024,3500\n"


class Form(html.parser.HTMLParser):
    """The names and values of a form's controls, as a browser sends them."""
    @classmethod
    def values(cls, text):
        form = cls()
        form.found, form.select, form.area = {}, None, None
        form.feed(text)
        return form.found

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "input" and "name" in a and (a.get("type") not in ("checkbox", "radio") or "checked" in a):
            self.found[a["name"]] = a.get("value", "")
        elif tag == "select":
            self.select = a["name"]
            self.found[self.select] = ""
        elif tag == "option" and "selected" in a:
            self.found[self.select] = a.get("value", "")
        elif tag == "textarea":
            self.area = a["name"]
            self.found[self.area] = ""

    def handle_data(self, data):
        if self.area:
            self.found[self.area] += data

    def handle_endtag(self, tag):
        if tag == "textarea":
            self.area = None


class Starting(odp.Case):
    def new(self, *args, expect=0):
        return self.odp("new", "data-dinas", "--yes", "--lang", "en", *args, expect=expect)

    def serve(self, *args):
        """Starts it; the first build is done when it answers."""
        self.port = odp.free_port()
        self.process = subprocess.Popen([odp.PROGRAM, "serve", "--port", str(self.port), "--lang", "en", *args], cwd=self.home, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, ODP_NO_TIMES="1"))
        self.addCleanup(self.end)
        self.assertIn(f"http://127.0.0.1:{self.port}/", self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.communicate()

    def get(self, path, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        connection.request(method, path, body, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer, body

    def listen(self):
        """The stream of builds; the first event tells the one that is shown."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        connection.request("GET", "/_odp/events")
        self.addCleanup(connection.close)
        self.stream = connection.getresponse()
        return self.event()

    def event(self):
        end = time.monotonic() + LIMIT
        for line in iter(self.stream.readline, b""):
            if line.startswith(b"data: "):
                self.shown = int(line[6:])
                return self.shown
            self.assertLess(time.monotonic(), end, "no build comes")
        self.fail("the stream has ended")

    def until(self, path, seen):
        """The answer to PATH once SEEN(answer, text) is true: of one change there may be two builds, the first of half of it."""
        while not seen(*(found := self.get(path))):
            self.event()
        return found

    def setUp(self):
        super().setUp()
        self.home = self.dir / "data-dinas"

    def test_new(self):
        done = self.new("--publisher", "Dinas PUPR", "--address", "data.example.org", "--license", "cc0-1.0", "--title", "Data Dinas / Our Data")
        self.assertIn("odp-build serve", done.stdout)
        portal = odp.read_json(self.home / "catalog/portal.json")
        self.assertEqual(portal["title"], {"id": "Data Dinas", "en": "Our Data"})
        self.assertEqual((portal["publisher"]["id"], portal["baseUrl"], portal["license"]["name"], portal["languages"]),
                         ("Dinas PUPR", "https://data.example.org/", "CC0-1.0", ["id", "en"]))
        self.assertEqual(sorted(p.name for p in self.home.rglob("*")), [".gitignore", "README.md", "catalog", "portal.json"])
        before = (self.home / "catalog/portal.json").read_bytes()
        self.new(expect=2)
        self.assertEqual((self.home / "catalog/portal.json").read_bytes(), before)
        self.odp("build", "--catalog", self.home / "catalog")
        for args, title, publisher in (((), {"id": "Data Terbuka Dinas Perkim", "en": "Dinas Perkim Open Data"}, {"id": "Dinas Perkim", "en": "Dinas Perkim"}),
                                       (("--publisher", "Dinas A / Agency A"), {"id": "Data Terbuka Dinas A", "en": "Agency A Open Data"}, {"id": "Dinas A", "en": "Agency A"})):
            self.odp("new", "data-dinas-perkim", "--yes", *args)
            portal = odp.read_json(self.dir / "data-dinas-perkim/catalog/portal.json")
            self.assertEqual((portal["title"], portal["publisher"]), (title, publisher))
            odp.shutil.rmtree(self.dir / "data-dinas-perkim")
        for wrong in (("--address", "https://a b/"), ("--address", ""), ("--languages", "de")):
            self.odp("new", "other", "--yes", *wrong, expect=2)
            self.assertFalse((self.dir / "other").exists(), wrong)

    def test_from_a_file_to_a_page(self):
        self.new()
        self.serve()
        self.assertEqual(self.get("/")[0].status, 200)
        first = self.listen()
        (self.dir / "pagu.csv").write_text(CSV)
        self.odp("init", "pagu.csv", "--yes", "--catalog", self.home / "catalog")
        self.assertGreater(self.event(), first)
        self.until("/", lambda _, page: "pagu" in page)

        answer, page = self.get("/katalog/pagu.html")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        script = '<script defer src="/_odp/reload.js"'
        built = (self.home / "build/pratinjau/katalog/pagu.html").read_text()
        self.assertEqual([page.count(script), built.count(script), built.count("/_odp/metadata/pagu")], [1, 0, 1])
        self.assertIn("script-src 'self';", page)
        for path in ("/katalog/pagu/", "/embed/pagu/tabel.html", "/en/catalog/pagu.html"):
            self.assertIn("Draf: belum terbit" if path[1:3] != "en" else "Draft: not published", self.get(path)[1], path)
        (entry,) = json.loads(self.get("/v1/index.json")[1])["data"]
        self.assertIs(entry["draft"], True)
        self.assertEqual(self.get("/v1/pagu")[0].status, 200)
        self.assertEqual(self.get("/katalog/pagu")[0].headers["Location"], "/katalog/pagu/")
        part, text = self.get("/data/pagu/latest/pagu.csv", Range="bytes=0-3")
        self.assertEqual((part.status, text, part.headers["Content-Range"].split("/")[0]), (206, "kode", "bytes 0-3"))

        source = self.home / "catalog/pagu/pagu.csv"
        source.write_text(CSV.replace("2500", "banyak"))
        report = self.until("/katalog/pagu.html", lambda answer, page: answer.status == 500 and "banyak" in page)[1]
        number = int(re.search(r'data-build="(\d+)"', report)[1])
        while self.shown != number:
            self.event()
        source.write_text(CSV)
        self.until("/katalog/pagu.html", lambda answer, _: answer.status == 200)

        self.fill_in_metadata()

        for out in ("publish", "bundle", "build"):
            where = {"publish": ["../there", "--first"], "bundle": ["there.zip"], "build": []}[out]
            done = self.odp(out, "--out", self.home / "build/pratinjau", "--catalog", self.home / "catalog", *where, expect=1)
            self.assertIn("ODP-V53", done.stderr, out)
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(LIMIT), 0)
        self.assertEqual(sorted(p.name for p in self.home.iterdir()), [".gitignore", "README.md", "build", "catalog"])

    def fill_in_metadata(self):
        """The form saves what is missing, and only for its own page."""
        address, here = "/_odp/metadata/pagu", f"http://127.0.0.1:{self.port}"
        answer, form = self.get(address + "?lang=id")
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        values = Form.values(form)
        named = next(n for n, v in values.items() if v == "Pagu")
        values[named] = "Pagu anggaran dinas"
        descriptor = self.home / "catalog/pagu/dataset.json"
        before = descriptor.read_bytes()
        for status, headers, changed in ((403, {}, {}), (403, {"Origin": "http://evil.example"}, {}), (422, {"Origin": here}, {"token": "0" * 32})):
            self.assertEqual(self.get(address, "POST", body=urllib.parse.urlencode({**values, **changed}), **headers)[0].status, status)
            self.assertEqual(descriptor.read_bytes(), before)
        answer = self.get(address, "POST", body=urllib.parse.urlencode(values), Origin=here)[0]
        self.assertEqual((answer.status, answer.headers["Location"]), (303, address + "?lang=en&saved"))
        self.until("/katalog/pagu.html", lambda _, page: "Pagu anggaran dinas" in page)

    def test_only_for_this_machine(self):
        self.new()
        self.serve()
        here = f"127.0.0.1:{self.port}"
        for status, headers in ((200, {}), (200, {"Origin": f"http://{here}"}), (403, {"Host": f"evil.example:{self.port}"}),
                                (403, {"Origin": "http://evil.example"}), (403, {"Sec_Fetch_Site": "cross-site"}), (403, {"Origin": f"http://localhost:{self.port}"})):
            self.assertEqual(self.get("/", **headers)[0].status, status, headers)
        for path in ("/../catalog/portal.json", "/%2e%2e/%2e%2e/catalog/portal.json", "/..%2f..%2fcatalog/portal.json", "//etc/passwd", "/manifest.json", "/nothing.csv"):
            self.assertEqual(self.get(path)[0].status, 404, path)
        self.assertEqual(self.get("/%00")[0].status, 400)
        self.assertEqual(self.get("/", "POST", Origin=f"http://{here}")[0].status, 405)
        listening = subprocess.run(["grep", "-i", f":{self.port:04X} 00000000:0000 0A", "/proc/net/tcp", "/proc/net/tcp6"], capture_output=True, text=True).stdout
        self.assertRegex(listening, r"^/proc/net/tcp: +\d+: 0100007F:[^\n]*\n$")
        taken = subprocess.run([odp.PROGRAM, "serve", "--port", str(self.port), "--lang", "en"], cwd=self.home, capture_output=True, text=True)
        self.assertEqual(taken.returncode, 3)
        self.assertIn("--port", taken.stderr)
        self.odp("serve", "--catalog", "nowhere", expect=2)


if __name__ == "__main__":
    odp.main()
