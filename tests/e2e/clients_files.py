"""Downloads where somebody else is at work: a link in the way of the part, a folder in the way of the file, two processes with one file; and many requests at once on
one client. What a server can do to a client is in tests/clients/vectors."""
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

import clientlib
import odp

BODY = b"".join(b"INO-%04d,Panel dinding ringan\n" % n for n in range(4000))
VERSIONS = {"data": [{"version": "2024-09-15", "date": "2024-09-15", "state": "published", "resources": [{"name": "inovasi", "files": [
    {"name": "csv", "url": "x.csv", "bytes": len(BODY), "hash": f"sha256:{hashlib.sha256(BODY).hexdigest()}"}]}]}],
    "meta": {"current": "2024-09-15"}}
HELD = 100000  # bytes of an answer that is held back there


class Server(http.server.ThreadingHTTPServer):
    """versions.json, the file (the first answer stops at HELD bytes until `release` is set, where `hold` is set), and a record at any other address."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.hold, self.held, self.release = False, threading.Event(), threading.Event()
        self.files = 0
        self.base = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """A client that was killed hears no more."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        server, path = self.server, self.path
        if path.endswith("/x.csv"):
            first, server.files = server.files == 0, server.files + 1
            self.send_response(200)
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            if server.hold and first:
                self.wfile.write(BODY[:HELD])
                server.held.set()
                server.release.wait(clientlib.PATIENCE)
                self.wfile.write(BODY[HELD:])
            else:
                self.wfile.write(BODY)
            return
        answer = VERSIONS if path.endswith("/versions.json") else {"data": [{"id_inovasi": "A"}], "meta": {"version": "1"}, "links": {"next": None}}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Files(odp.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="odp-clients-"))
        cls.addClassCleanup(odp.remove_tree, cls.home)
        if not clientlib.all_named():
            shutil.copytree(odp.SOURCE / "catalog", cls.home / "catalog")
            program = odp.program_without_portal(cls.home / "bin")
            subprocess.run([program, "build", "--out", "site", "--quiet"], cwd=cls.home, check=True)
        cls.libraries, cls.missing = clientlib.libraries(cls.home / "libraries", cls.home / "site")

    def each(self):
        """(library, a server of its own, an empty folder) for every library there is."""
        for name, why in self.missing.items():
            with self.subTest(name):
                self.skipTest(why)
        for name, library in self.libraries.items():
            with self.subTest(name):
                server, folder = Server(), self.dir / name
                folder.mkdir()
                try:
                    yield library, server, folder
                finally:
                    server.release.set()
                    server.shutdown()
                    server.server_close()

    def download(self, library, server, folder, path="x.csv"):
        return library.call(server.base, {"do": "download", "dataset": "inovasi", "format": "csv", "path": path}, folder=folder, timeout=50)[0]

    def is_whole(self, folder):
        self.assertEqual((folder / "x.csv").read_bytes(), BODY)
        self.assertFalse((folder / "x.csv").is_symlink())

    def part(self, folder):
        return folder / f"x.csv.{VERSIONS['data'][0]['resources'][0]['files'][0]['hash'][7:23]}.part"

    def test_a_link_is_not_written_through(self):
        for library, server, folder in self.each():
            victim = folder / "victim"
            victim.write_text("precious")
            self.part(folder).symlink_to(victim)
            self.assertIn("result", self.download(library, server, folder))
            self.assertEqual(victim.read_text(), "precious")
            self.is_whole(folder)
            self.assertEqual(sorted(os.listdir(folder)), ["victim", "x.csv"])

    def test_a_folder_is_no_file(self):
        for library, server, folder in self.each():
            (folder / "x.csv").mkdir()
            self.assertIn("error", self.download(library, server, folder))
            self.assertEqual(server.files, 0, "it was downloaded, although there is no place for it")
            self.assertEqual(os.listdir(folder), ["x.csv"])

    def test_two_at_once(self):
        for library, server, folder in self.each():
            server.hold, first = True, []
            thread = threading.Thread(target=lambda: first.append(self.download(library, server, folder)))
            thread.start()
            self.assertTrue(server.held.wait(clientlib.PATIENCE))
            second = self.download(library, server, folder)
            self.assertIn("result", second)
            self.is_whole(folder)
            server.release.set()
            thread.join()
            self.assertIn("result", first[0])
            self.is_whole(folder)
            self.assertEqual(os.listdir(folder), ["x.csv"])

    def test_killed_in_the_middle(self):
        """What a process left that was killed is gone on with or begun anew, and nothing of it stays."""
        for library, server, folder in self.each():
            server.hold = True
            told = {"module": library.module, "client": {}, "base": server.base, "folder": str(folder), "sleep": True,
                    "calls": [{"do": "download", "dataset": "inovasi", "format": "csv", "path": "x.csv"}]}
            process = subprocess.Popen(library.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=library.folder, env=library.environment)
            process.stdin.write(json.dumps(told).encode())
            process.stdin.close()
            self.assertTrue(server.held.wait(clientlib.PATIENCE))
            process.kill()
            process.wait()
            self.assertFalse((folder / "x.csv").exists())
            self.assertIn("result", self.download(library, server, folder))
            self.is_whole(folder)
            self.assertEqual(os.listdir(folder), ["x.csv"])

    def test_many_at_once(self):
        """Node.js takes many listeners of one signal for a leak, and says so on stderr."""
        library = self.libraries.get("javascript")
        if library is None:
            self.skipTest("no JavaScript")
        server = Server()
        program = library.folder / "many.mjs"
        program.write_text(f'import {{ Client }} from "{library.module}";\nconst client = new Client({{ apiKey: "k", baseUrl: "{server.base}" }});\n'
                           'const all = await Promise.all(Array.from({ length: 40 }, async () => { let n = 0; for await (const _ of client.dataset("inovasi").list()) n++; return n; }));\n'
                           "console.log(all.reduce((a, b) => a + b));\n")
        done = subprocess.run([library.command[0], str(program)], cwd=library.folder, env=library.environment, capture_output=True, text=True, timeout=60)
        server.shutdown()
        server.server_close()
        self.assertEqual((done.stdout, done.stderr), ("40\n", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
