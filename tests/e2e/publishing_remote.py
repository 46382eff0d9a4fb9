"""odp-build publish over a real rclone remote on loopback (WebDAV, which knows no digests: the hard case)."""
import json
import shutil
import sys
import unittest.mock

import odp
import publishlib
from publishlib import rows


class Remote(publishlib.Case):
    def setUp(self):
        """Without pages: over WebDAV each file costs several requests, and pages are files like all others."""
        super().setUp()
        self.enterContext(unittest.mock.patch.object(odp, "PROGRAM", str(odp.program_without_portal(self.dir / "bare"))))

    def test_versions_come_foreign_files_stay_and_a_dry_run_writes_nothing(self):
        server = self.server()
        self.build()
        self.publish(server.remote, "--first")
        self.assertSameSite(server.folder, self.dir / "site")
        self.assertIn("the same already", self.publish(server.remote).stdout)

        (server.folder / "data/satu/catatan.txt").write_text("milik orang lain")
        (server.folder / "foto").mkdir()
        (server.folder / "foto/gedung.jpg").write_bytes(b"\xff\xd8")
        foreign = {"data/satu/catatan.txt", "foto/gedung.jpg"}
        self.change("satu", rows(25), "2024-03-20")
        self.build()
        before = odp.digests(server.folder)
        dry = self.publish(server.remote, "--dry-run").stdout
        self.assertEqual(odp.digests(server.folder), before)
        planned = [line[2:] for line in dry.splitlines() if line.startswith("+ ")]
        old, new = {k: v for k, v in before.items() if k not in foreign}, odp.digests(self.dir / "site")
        self.assertEqual(set(planned), {k for k in new if old.get(k) != new[k]})
        self.assertEqual({line[2:] for line in dry.splitlines() if line.startswith("- ")}, set(old) - set(new))
        self.assertEqual(planned[-3:], ["v1/index.json", "control", "manifest.json"])
        fresh = [p for p in planned if p.startswith("data/satu/2024-03-20/")]
        self.assertEqual(planned[:len(fresh)], fresh)  # what is immutable comes first

        done = self.publish(server.remote).stdout
        self.assertSameSite(server.folder, self.dir / "site", foreign)
        self.assertTrue((server.folder / "data/satu/2024-03-15/satu.csv").exists())
        public = publishlib.class_of(self.dir / "site")
        purge = {line[3:] for line in done.splitlines() if line.startswith("  /")}
        changed = {k for k in new if k in old and old[k] != new[k] and public.get(k, "public") == "public"} | (set(old) - set(new))
        self.assertEqual({p for p in purge if p and not p.endswith("/")}, changed)

    def test_two_publishers_from_the_same_base(self):
        server = self.server()
        self.build()
        self.publish(server.remote, "--first")
        self.run_odp("restore", server.remote, "--out", "lain")
        shutil.copytree(self.dir / "catalog", self.dir / "katalog-lain")
        self.change("satu", rows(25), "2024-03-20")
        self.build()
        self.change("dua", rows(35), "2024-03-21", catalog="katalog-lain")
        self.build("--catalog", "katalog-lain", out="lain")

        self.publish(server.remote)
        after_first = odp.digests(server.folder)
        done = self.publish(server.remote, out="lain", expect=1)
        self.assertIn("ODP-V42", done.stderr)
        self.assertIn("ODP-V43", done.stderr)
        self.assertIn("satu", done.stderr)
        self.assertEqual(odp.digests(server.folder), after_first)

        # On top of what is there now it goes, and nothing is lost.
        self.change("satu", rows(25), "2024-03-20", catalog="katalog-lain")
        self.build("--catalog", "katalog-lain", "--previous", server.remote, out="lain")
        self.publish(server.remote, out="lain")
        self.assertWhole(server.folder)
        for path in ("data/satu/2024-03-15/satu.csv", "data/satu/2024-03-20/satu.csv", "data/dua/2024-03-21/dua.csv"):
            self.assertTrue((server.folder / path).exists(), path)

    def test_overtaken_in_the_middle(self):
        server = self.server()
        self.build()
        self.publish(server.remote, "--first")
        self.run_odp("restore", server.remote, "--out", "lain")
        self.change("satu", rows(25), "2024-03-20")
        self.build()
        self.build("--catalog", self.copy_with("dua", rows(31), "2024-03-18"), out="lain")
        before = odp.digests(server.folder)
        # An rclone that lets the other publisher's manifest appear after the first files were copied.
        wrapper = self.dir / "rclone-balap"
        wrapper.write_text(f"#!/bin/sh\n{shutil.which('rclone')} \"$@\"\ncode=$?\n"
                           f"[ \"$1\" = copy ] && cp -f {self.dir}/lain/manifest.json {server.folder}/manifest.json\nexit $code\n")
        wrapper.chmod(0o755)
        done = self.publish(server.remote, expect=1, env={"ODP_RCLONE": str(wrapper)})
        self.assertIn("ODP-V45", done.stderr)
        after = odp.digests(server.folder)
        added = set(after) - set(before)
        self.assertTrue(added)
        self.assertTrue(all(p.startswith("data/satu/2024-03-20/") or p.startswith("search/") or p.startswith("assets/") or "/v/" in p for p in added), added)
        self.assertEqual({k for k in before if before[k] != after.get(k)}, {"manifest.json"})

    def copy_with(self, slug, text, date):
        shutil.copytree(self.dir / "catalog", self.dir / f"katalog-{slug}")
        self.change(slug, text, date, catalog=f"katalog-{slug}")
        return f"katalog-{slug}"

    def test_leftovers_under_new_names_are_not_believed(self):
        """A store without digests (WebDAV): an equal size proves nothing."""
        server = self.server()
        self.build()
        self.publish(server.remote, "--first")
        self.change("satu", rows(25), "2024-03-20")
        self.build()
        new = (self.dir / "site/data/satu/2024-03-20/satu.csv").read_bytes()
        stray = server.folder / "data/satu/2024-03-20/satu.csv"
        stray.parent.mkdir()
        stray.write_bytes(b"x" * len(new))
        self.publish(server.remote)
        self.assertSameSite(server.folder, self.dir / "site")

    def test_what_a_broken_run_had_still_to_remove(self):
        server = self.server()
        self.build()
        self.publish(server.remote, "--first")
        (server.folder / "usang.html").write_text("x")
        target = odp.digests(server.folder)["manifest.json"]
        lock = server.folder / ".odp-publish.json"
        lock.write_text(json.dumps({"token": "0" * 32, "base": None, "target": target, "doubtful": [], "remove": ["usang.html", "../x", "v1/index.json"]}))
        self.publish(server.remote)
        self.assertSameSite(server.folder, self.dir / "site")

    def test_what_was_withdrawn_goes_whoever_put_it_there(self):
        server = self.server()
        self.change("satu", rows(20) + "99,RAHASIA-TERBUKA,1\n", "2024-03-14")
        self.build()
        self.publish(server.remote, "--first")
        self.publish("tujuan", "--first")
        self.change("satu", rows(20), "2024-03-15")
        self.build()
        self.publish(server.remote)
        self.publish("tujuan")
        self.run_odp("withdraw", "satu", "2024-03-14", "--reason", "privacy", "--note", "ditarik", "--out", "site")
        # A copy that no manifest names, in a folder of the withdrawn version; and a foreign file beside it.
        (server.folder / "data/satu/2024-03-14/lama.csv").write_text("99,RAHASIA-TERBUKA,1\n")
        (server.folder / "v1/satu/v/2024-03-14/p").mkdir(parents=True, exist_ok=True)
        (server.folder / "v1/satu/v/2024-03-14/p/9.json").write_text("RAHASIA-TERBUKA")
        (server.folder / "data/satu/catatan.txt").write_text("milik orang lain")
        done = self.publish(server.remote)
        self.publish("tujuan")
        self.assertIn("/data/satu/2024-03-14/lama.csv", done.stdout)  # a CDN has to forget it too
        for folder in (server.folder, self.dir / "tujuan.builds"):
            holding = [p for p in folder.rglob("*") if p.is_file() and b"RAHASIA-TERBUKA" in p.read_bytes()]
            self.assertEqual(holding, [])
        self.assertTrue((server.folder / "data/satu/catatan.txt").exists())
        self.assertSameSite(server.folder, self.dir / "site", {"data/satu/catatan.txt"})
        self.assertSameSite(self.dir / "tujuan", self.dir / "site")

    def test_a_store_that_knows_digests_and_keeps_headers(self):
        """rclone's own folder (it knows digests), said to be a store of objects: types and caching go along, by control."""
        wrapper = self.dir / "rclone-objek"
        wrapper.write_text(f"""#!/bin/sh
if [ "$1" = backend ]; then {shutil.which("rclone")} "$@" | sed 's/"WriteMimeType": false/"WriteMimeType": true/'; exit; fi
for a; do case $a in --header-upload=*|--checksum|--size-only|--ignore-times) printf '%s|' "$a" >>{self.dir}/calls;; esac; done
if [ "$1" = copy ]; then cat >{self.dir}/list; tr '\\n' ' ' <{self.dir}/list >>{self.dir}/calls; echo >>{self.dir}/calls
exec {shutil.which("rclone")} "$@" <{self.dir}/list; fi
echo >>{self.dir}/calls; exec {shutil.which("rclone")} "$@"
""")
        wrapper.chmod(0o755)
        remote, env = f":local:{self.dir}/toko", {"ODP_RCLONE": str(wrapper)}
        self.build()
        self.publish(remote, "--first", env=env)
        self.assertSameSite(self.dir / "toko", self.dir / "site")
        said = {}
        for line in (self.dir / "calls").read_text().splitlines():
            *options, paths = line.split("|")
            for path in paths.split():
                self.assertIn("--checksum", options)
                said[path] = sorted(o.partition("=")[2] for o in options if "=" in o)
        lines = [line.split("\t") for line in (self.dir / "site/control").read_text().splitlines()[1:]]
        for path, _, kind, encoding, *_ , cache, _, _ in lines:
            wanted = [f"Cache-Control: {cache}"] + ([f"Content-Type: {kind}"] if encoding == "-" else [])
            self.assertEqual(said[path], wanted, path)
        # Something else of the same size under a new name is seen by its digest.
        self.change("satu", rows(25), "2024-03-20")
        self.build()
        stray = self.dir / "toko/data/satu/2024-03-20/satu.csv"
        stray.parent.mkdir()
        stray.write_bytes(b"x" * (self.dir / "site/data/satu/2024-03-20/satu.csv").stat().st_size)
        self.publish(remote, env=env)
        self.assertSameSite(self.dir / "toko", self.dir / "site")

    def test_public_and_origin(self):
        server = self.server()
        self.build()
        public = {p for p, c in publishlib.class_of(self.dir / "site").items() if c == "public"} | {"manifest.json"}
        everything = set(odp.digests(self.dir / "site"))
        self.assertTrue(everything - public)
        for destination, folder in ((server.remote, server.folder), ("tujuan", self.dir / "tujuan")):
            self.publish(destination, "--public", "--first")
            self.assertEqual(set(odp.digests(folder)), public)
            self.assertWhole(folder, only="public")
            self.assertIn("the same already", self.publish(destination, "--public").stdout)
            self.publish(destination, "--origin")
            self.assertEqual(set(odp.digests(folder)), everything)
            self.assertWhole(folder)
            self.publish(destination, "--public")
            self.assertEqual(set(odp.digests(folder)), public)

    def test_a_signature_that_comes_later_goes_alone(self):
        server = self.server()
        self.build()
        self.publish(server.remote, "--first")
        self.publish("tujuan", "--first")
        signature = (self.dir / "site").resolve() / "manifest.json.minisig"
        signature.write_text("tanda tangan\n")
        for destination, folder in ((server.remote, server.folder), ("tujuan", self.dir / "tujuan")):
            self.assertIn("1 files written", self.publish(destination).stdout)
            self.assertSameSite(folder, self.dir / "site")
        signature.unlink()
        for destination, folder in ((server.remote, server.folder), ("tujuan", self.dir / "tujuan")):
            self.publish(destination)
            self.assertSameSite(folder, self.dir / "site")


# Each starts rclone some dozens of times; the quick run takes those without which nobody should publish.
QUICK = ["test_versions_come_foreign_files_stay_and_a_dry_run_writes_nothing", "test_two_publishers_from_the_same_base",
         "test_overtaken_in_the_middle"]

if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.argv[1:] = [f"Remote.{name}" for name in QUICK]
    elif sys.argv[1] == "deep":
        sys.argv[1:] = [f"Remote.{name}" for name in dir(Remote) if name.startswith("test_") and name not in QUICK]
    publishlib.main(verbosity=2)
