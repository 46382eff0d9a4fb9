"""History from anywhere: a runner without any of its own builds on a site that is only to be had by HTTP, or by rclone."""
import functools
import http.server
import json
import os
import shutil
import threading

import odp
import versionslib

FIELDS = [{"name": "id", "type": "integer"}, {"name": "nama", "type": "string"}]
SCHEMA = {"schema": {"primaryKey": ["id"]}}


class Handler(http.server.SimpleHTTPRequestHandler):
    public_only = False
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        if self.public_only and self.path.startswith("/v1/") and self.path != "/v1/index.json":
            self.send_error(401)
            return
        super().do_GET()

    def log_message(self, *_):
        pass


class RemoteHistory(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        for slug in ("satu", "dua"):
            self.dataset(slug, self.table(slug, 3), FIELDS, dict(SCHEMA), **{"odp:formats": ["CSV", "JSON"]})
        self.odp("build")
        self.update("satu", "2024-04-15", self.table("satu", 4))
        self.odp("build")

    @staticmethod
    def table(slug, n):
        return "id,nama\n" + "".join(f"{i},{slug} {i}\n" for i in range(1, n + 1))

    def serve(self, public_only=False):
        """The address of the site as it is now; it stays that build."""
        site = os.path.realpath(self.dir / "build/site")
        kind = type("Kind", (Handler,), {"public_only": public_only, "asked": []})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(kind, directory=site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.asked = kind.asked
        return f"http://127.0.0.1:{server.server_port}/"

    def runner(self):
        """A machine with the catalogue alone."""
        other = self.dir / "runner"
        shutil.copytree(self.dir / "catalog", other / "catalog")
        return other

    def build(self, folder, *args, **options):
        home, self.dir = self.dir, folder
        try:
            return self.odp("build", *args, **options)
        finally:
            self.dir = home

    def test_an_empty_runner_keeps_all_versions(self):
        self.update("satu", "2024-05-15", self.table("satu", 6))
        address, runner = self.serve(), self.runner()
        self.build(runner, "--previous", address)
        asked = {p.split("?")[0].lstrip("/") for p in self.asked}
        self.odp("build")
        self.assertEqual(self.build_of("runner/build/site"), self.build_of(), "the same site as beside its history")
        manifest = {f["path"]: f for f in odp.read_json(runner / "build/site/manifest.json")["files"]}
        old = [p for p in manifest if p.startswith("data/satu/2024-03-15/")]
        self.assertGreater(len(old), 4)
        for path in old:
            self.assertFalse((runner / "build/site" / path).exists(), "its bytes are not needed here")
            if not path.endswith(".summary.json"):  # the story of the versions compares figures
                self.assertNotIn(path, asked)
        origin = (runner / f"build/site.builds/{self.build_of('runner/build/site')}.remote").read_text()
        self.assertEqual(origin, address + "\n")
        changes = odp.read_json(runner / "build/site/data/satu/2024-05-15/changes.json")
        self.assertEqual(changes["summary"]["added"], 2)

    def test_a_sparse_build_is_a_history_too(self):
        address, runner = self.serve(), self.runner()
        self.build(runner, "--previous", address)
        for catalog in (self.dir, runner):
            home, self.dir = self.dir, catalog
            self.update("dua", "2024-06-15", self.table("dua", 5))
            self.dir = home
            self.build(catalog)
        self.assertEqual(self.build_of("runner/build/site"), self.build_of())

    def test_one_dataset_of_an_empty_runner(self):
        address, runner = self.serve(), self.runner()
        (runner / "catalog/dua/dua.csv").unlink()
        self.build(runner, "satu", "--previous", address)
        self.assertEqual(self.build_of("runner/build/site"), self.build_of())

    def test_a_public_site_tells_enough_to_build_everything(self):
        self.update("satu", "2024-05-15", self.table("satu", 6))
        address, runner = self.serve(public_only=True), self.runner()
        self.build(runner, "--previous", address)
        names = [v["version"] for v in self.versions("satu", "runner/build/site")]
        self.assertEqual(names, ["2024-05-15", "2024-04-15", "2024-03-15"])
        page = odp.read_json(runner / "build/site/v1/satu.json")
        self.assertEqual(len(page["data"]), 6)

    def test_but_not_to_leave_datasets_out(self):
        address, runner = self.serve(public_only=True), self.runner()
        report = json.loads(self.build(runner, "satu", "--previous", address, "--report", "json", "--quiet", expect=1).stdout)
        self.assertEqual([(d["code"], d["dataset"]) for d in report["diagnostics"]], [("ODP-V16", "dua")])
        self.assertFalse((runner / "build/site").exists())

    def test_nobody_answers(self):
        done = self.odp("build", "--previous", "http://127.0.0.1:1/", "--out", "lain/site", expect=1)
        self.assertIn("ODP-V13", done.stderr)
        self.assertFalse((self.dir / "lain/site").exists())

    def test_what_comes_must_be_what_the_manifest_says(self):
        site = self.dir / "build/site/data/satu/versions.json"
        address, runner = self.serve(), self.runner()
        text = site.read_text()
        os.chmod(site, 0o644)
        site.write_text(text.replace("2024-03-15", "2024-03-16"))
        done = self.build(runner, "--previous", address, expect=1)
        self.assertIn("data/satu/versions.json", done.stderr)
        self.assertFalse((runner / "build/site").exists())

    def test_a_fit_number_is_asked_of_the_remote_site(self):
        address, runner = self.serve(), self.runner()
        path = runner / "catalog/satu/dataset.json"
        package = odp.read_json(path)
        package["resources"][0]["schema"]["fields"].append({"name": "ket", "type": "string"})
        path.write_text(json.dumps(package))
        (runner / "catalog/satu/satu.csv").write_text("id,nama,ket\n1,a,b\n")
        home, self.dir = self.dir, runner
        done = self.odp("check", "--previous", address, expect=1)
        self.dir = home
        self.assertIn("ODP-V20", done.stderr)

    @odp.unittest.skipIf(shutil.which("rclone") is None, "rclone is not on this machine")
    def test_through_rclone(self):
        runner = self.runner()
        site = os.path.realpath(self.dir / "build/site")
        self.build(runner, "--previous", f":local:{site}")
        self.assertEqual(self.build_of("runner/build/site"), self.build_of())


if __name__ == "__main__":
    odp.main()
