"""odp-build publish: what it refuses, and publishing to a folder."""
import fcntl
import json
import os
import threading

import odp
import publishlib
from publishlib import rows


class Refusals(publishlib.Case):
    def test_a_first_publication_must_be_called_one(self):
        server = self.server()
        self.build()
        for destination in (server.remote, "tujuan"):
            done = self.publish(destination, expect=1)
            self.assertIn("ODP-V40", done.stderr)
            self.assertIn("--first", done.stderr)
        self.assertEqual(os.listdir(server.folder), [])
        self.assertFalse((self.dir / "tujuan.builds").exists())

    def test_nothing_to_publish(self):
        self.assertIn("ODP-V48", self.publish("tujuan", "--first", expect=1).stderr)

    def test_a_web_address_is_read_only(self):
        self.build()
        self.assertIn("ODP-V46", self.publish("https://user:geheim@127.0.0.1:1/x", expect=2).stderr)

    def test_without_rclone_it_says_what_to_install(self):
        self.build()
        done = self.publish("s3:data", expect=3, env={"ODP_RCLONE": "/nonexistent/rclone"})
        self.assertIn("ODP-V41", done.stderr)
        self.assertIn("rclone is not installed", done.stderr)

    def test_secrets_are_in_no_message(self):
        self.build()
        remote = ":webdav,url='http://sari:kunci-rahasia@127.0.0.1:1/',pass=oScUrEd-rahasia,bearer_token='tok en':"
        done = self.publish(remote, "--first", expect=3)
        for secret in ("kunci-rahasia", "oScUrEd-rahasia", "tok en"):
            self.assertNotIn(secret, done.stderr + done.stdout)
        self.assertIn("***", done.stderr)
        self.assertIn("ODP-V41", done.stderr)

    def test_a_damaged_local_file_is_not_sent(self):
        server = self.server()
        self.build()
        path = next((self.dir / "site").resolve().glob("data/satu/2024-03-15/satu.csv"))
        path.chmod(0o644)
        text = path.read_bytes()
        path.write_bytes(text[:-2] + bytes([text[-2] ^ 1]) + text[-1:])
        for destination in (server.remote, "tujuan"):
            done = self.publish(destination, "--first", expect=1)
            self.assertIn("ODP-V03", done.stderr)
            self.assertIn("satu.csv", done.stderr)
        self.assertEqual(os.listdir(server.folder), [])
        self.assertFalse((self.dir / "tujuan").exists())

    def test_somebody_else_is_at_it(self):
        store = self.dir / "store"  # a store without a server: rclone makes WebDAV wait between any two calls
        store.mkdir()
        remote = f":local:{store}"
        self.build()
        self.publish(remote, "--first")
        self.change("satu", rows(21), "2024-03-16")
        self.build()
        before = odp.digests(store)
        lock = store / ".odp-publish.json"
        for text in (json.dumps({"token": "0" * 32, "base": None, "target": "1" * 64, "doubtful": [], "remove": ["v1/index.json"]}), "rusak"):
            lock.write_text(text)
            done = self.publish(remote, expect=1)
            self.assertIn("ODP-V44", done.stderr)
            self.assertIn("rclone deletefile", done.stderr)
            self.assertEqual({k: v for k, v in odp.digests(store).items() if k != lock.name}, before)
        lock.unlink()
        self.publish(remote)
        self.assertSameSite(store, self.dir / "site")


class Folder(publishlib.Case):
    def test_readers_see_one_whole_site_or_the_other(self):
        self.build()
        self.publish("tujuan", "--first")
        self.assertTrue((self.dir / "tujuan").is_symlink())
        stop, seen, wrong = threading.Event(), set(), []

        def read():
            while not stop.is_set():
                real = (self.dir / "tujuan").resolve()
                try:
                    self.assertWhole(real)
                    seen.add(real.name)
                except AssertionError as e:
                    wrong.append(str(e))

        reader = threading.Thread(target=read)
        reader.start()
        try:
            for day in (16, 17, 18):
                self.change("satu", rows(20 + day), f"2024-03-{day}")
                self.build()
                self.publish("tujuan")
        finally:
            stop.set()
            reader.join()
        self.assertEqual(wrong, [])
        self.assertSameSite(self.dir / "tujuan", self.dir / "site")
        copies = list((self.dir / "tujuan.builds").glob("*/data/dua/2024-03-15/dua.csv"))
        self.assertEqual(len(copies), 4)
        self.assertEqual(len({p.stat().st_ino for p in copies}), 1)  # what was there already is linked

    def test_another_build_is_at_it(self):
        self.build()
        self.publish("tujuan", "--first")
        self.change("satu", rows(21), "2024-03-16")
        self.build()
        with open(self.dir / "tujuan.builds/.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("ODP-V08", self.publish("tujuan", expect=1).stderr)
        self.publish("tujuan")

    def test_an_ordinary_folder_is_not_replaced(self):
        self.build()
        (self.dir / "penting").mkdir()
        (self.dir / "penting/berkas").write_text("x")
        self.assertIn("ODP-V06", self.publish("penting", "--first", expect=1).stderr)
        self.assertEqual(os.listdir(self.dir / "penting"), ["berkas"])


if __name__ == "__main__":
    publishlib.main(verbosity=2)
