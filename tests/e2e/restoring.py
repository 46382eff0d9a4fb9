"""odp-build restore: a lost --out made again from a folder, a web address and an rclone remote."""
import functools
import http.server
import os
import threading
import unittest.mock

import odp
import publishlib
from publishlib import rows


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; a path of WRONG answers with its code, once or for ever; requests are noted with their key."""

    protocol_version = "HTTP/1.1"
    wrong, seen = {}, []

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.lstrip("/")
        self.seen.append((path, self.headers.get("Authorization")))
        codes = self.wrong.get(path) or (self.wrong.get("v1/*") if path.startswith("v1/") and path != "v1/index.json" else None)
        if callable(codes):
            codes = codes(self)
        if codes:
            code = codes[0] if len(codes) == 1 else codes.pop(0)
            self.send_response(code)
            if code in (301, 302):
                self.send_header("Location", "ftp://127.0.0.1/x")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        super().do_GET()


class Restoring(publishlib.Case):
    def setUp(self):
        """Without pages: each file costs several requests, and pages are files like all others."""
        super().setUp()
        self.enterContext(unittest.mock.patch.object(odp, "PROGRAM", str(odp.program_without_portal(self.dir / "bare"))))
        self.build()
        self.change("satu", rows(25), "2024-03-20")
        self.build()

    def web(self, folder, wrong=None):
        handler = type("Handler", (Quiet,), {"wrong": wrong or {}, "seen": []})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/", handler

    def assertRestored(self, out="pulih"):
        self.assertSameSite(self.dir / out, self.dir / "site")
        self.assertEqual((self.dir / out).resolve().name, (self.dir / "site").resolve().name)
        self.assertFalse((self.dir / f"{out}.builds/.restore").exists())
        self.assertTrue(all(p.stat().st_mode & 0o222 == 0 for p in (self.dir / out).resolve().rglob("*") if p.is_file()))

    def test_from_a_folder(self):
        self.run_odp("restore", "site", "--out", "pulih")
        self.assertRestored()
        # Copied, not linked: neither side can change the other's bytes.
        path = "data/satu/2024-03-20/satu.csv"
        self.assertNotEqual((self.dir / "pulih" / path).stat().st_ino, (self.dir / "site" / path).stat().st_ino)

    def test_from_a_remote(self):
        server = self.server()
        self.publish(server.remote, "--first")
        self.run_odp("restore", server.remote, "--out", "pulih")
        self.assertRestored()

    def test_from_a_web_address_whatever_falls_over(self):
        url, handler = self.web(self.dir / "site")
        handler.wrong["data/satu/2024-03-20/satu.csv"] = lambda h, left=[503, 500, 429]: [left.pop(0)] if left else None
        self.run_odp("restore", url, "--out", "pulih", env={"ODP_KEY": "odp_live_kunci"})
        self.assertRestored()
        keys = {path.startswith("v1/"): set() for path, _ in handler.seen}
        for path, key in handler.seen:
            keys[path.startswith("v1/")].add(key)
        self.assertEqual(keys, {True: {"Bearer odp_live_kunci"}, False: {None}})  # the key goes nowhere else

    def test_without_a_key_only_what_is_public(self):
        internal = {p: [404] for p, c in publishlib.class_of(self.dir / "site").items() if c == "internal"}
        keyed = {p: [401] for p, c in publishlib.class_of(self.dir / "site").items() if c == "keyed"}
        url, handler = self.web(self.dir / "site", {**internal, **keyed})
        done = self.run_odp("restore", url, "--out", "pulih")
        self.assertIn("ODP-V50", done.stderr)
        self.assertIn(f"{len(keyed)} files of the API and {len(internal)} internal", done.stderr)
        self.assertWhole(self.dir / "pulih", only="public")
        self.assertFalse(any((self.dir / "pulih" / p).exists() for p in {**internal, **keyed}))
        build = (self.dir / "pulih").resolve()
        self.assertEqual(build.with_name(build.name + ".remote").read_text(), url + "\n")
        self.assertLess(len([p for p, _ in handler.seen if p in keyed]), 3)  # it does not ask for each
        # What is not here cannot be published where it is not either.
        refused = self.publish("baru", "--first", out="pulih", expect=1)
        self.assertIn("ODP-V47", refused.stderr)
        self.assertFalse((self.dir / "baru").exists())
        self.publish("baru", "--first", "--public", out="pulih")
        self.assertWhole(self.dir / "baru", only="public")
        # Later, with a key or from the origin, it is completed; what is here is not fetched again.
        handler.wrong.clear()
        handler.seen.clear()
        self.run_odp("restore", url, "--out", "pulih", env={"ODP_KEY": "odp_live_kunci"})
        self.assertRestored()
        self.assertFalse(build.with_name(build.name + ".remote").exists())
        self.assertEqual({p for p, _ in handler.seen} - {"manifest.json", "manifest.json.minisig"}, {*internal, *keyed})

    def test_what_comes_wrong_is_named_and_the_rest_is_kept(self):
        server = self.server()
        self.publish(server.remote, "--first")
        bad = server.folder / "data/satu/2024-03-20/satu.csv"
        good = bad.read_bytes()
        for address in (str(server.folder), server.remote, self.web(server.folder)[0]):
            for damage in (good[:-2] + b"?\n", good + b"x", good[:-1]):
                bad.write_bytes(damage)
                done = self.run_odp("restore", address, "--out", "pulih", expect=1)
                self.assertIn("ODP-V51", done.stderr)
                self.assertIn("data/satu/2024-03-20/satu.csv", done.stderr)
                self.assertFalse((self.dir / "pulih").exists())
            kept = list((self.dir / "pulih.builds/.restore").rglob("*.json"))
            self.assertTrue(kept)
        bad.write_bytes(good)
        url, handler = self.web(server.folder)
        self.run_odp("restore", url, "--out", "pulih")
        self.assertRestored()
        self.assertLessEqual(len([p for p, _ in handler.seen if p.startswith("data/")]), 1)

    def test_no_site_there(self):
        (self.dir / "kosong").mkdir()
        url, _ = self.web(self.dir / "kosong")
        for address in ("kosong", url):
            self.assertIn("ODP-V49", self.run_odp("restore", address, "--out", "pulih", expect=1).stderr)
        (self.dir / "kosong/manifest.json").write_text('{"files":[{"path":"../x","size":1}]}')
        self.assertIn("ODP-V49", self.run_odp("restore", "kosong", "--out", "pulih", expect=1).stderr)
        self.assertFalse((self.dir / "pulih.builds").exists())

    def test_redirects_to_another_scheme_are_not_followed(self):
        url, _ = self.web(self.dir / "site", {"manifest.json": [302]})
        done = self.run_odp("restore", url, "--out", "pulih", expect=3)
        self.assertIn("ODP-V41", done.stderr)

    def test_nobody_answers(self):
        done = self.run_odp("restore", "http://sari:geheim@127.0.0.1:1/", "--out", "pulih", expect=3)
        self.assertIn("ODP-V41", done.stderr)
        self.assertNotIn("geheim", done.stderr)

    def test_a_signature_is_asked_for(self):
        done = self.run_odp("restore", "site", "--out", "pulih", "--keys", "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3", expect=1)
        self.assertIn("ODP-V52", done.stderr)
        self.assertFalse((self.dir / "pulih").exists())


if __name__ == "__main__":
    publishlib.main(verbosity=2)
