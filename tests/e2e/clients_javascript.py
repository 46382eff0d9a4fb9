"""What is JavaScript's own in the JavaScript library: iterators, signals, BigInts, streams, memory (tests/clients/javascript/library.mjs), and a page in
Chromium that loads the package's files as they are (page.mjs). What the three libraries have in common is clients_vectors.py and clients_gateway.py."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import clientlib
import odp
import portallib

SCRIPTS = clientlib.CLIENTS / "javascript"


class JavaScript(odp.Case):
    def setUp(self):
        super().setUp()
        site = self.dir / "site"
        if not os.environ.get("ODP_CLIENTS_JAVASCRIPT"):
            (self.dir / "catalog").mkdir(exist_ok=True)
            for name in ("portal.json", "changes.json"):
                shutil.copy(odp.SOURCE / "catalog" / name, self.dir / "catalog")
            for name in ("references", "inovasi"):
                shutil.copytree(odp.SOURCE / "catalog" / name, self.dir / "catalog" / name)
            done = subprocess.run([odp.PROGRAM, "build", "--catalog", "catalog", "--out", "site", "--quiet"], cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-javascript-"))
        self.addCleanup(odp.remove_tree, folder)
        try:
            self.library = clientlib.Library("javascript", folder, site)
        except clientlib.Missing as why:
            self.skipTest(str(why))

    def test_library(self):
        script = shutil.copy(SCRIPTS / "library.mjs", self.library.folder)
        done = subprocess.run([self.library.command[0], script], capture_output=True, text=True, cwd=self.library.folder, timeout=600,
                              env={**self.library.environment, "ODP_MODULE": self.library.module})
        self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-3000:])
        self.assertIn("# fail 0", done.stdout.replace("ℹ", "#"))

    def test_page(self):
        if not (portallib.MODULES / "node_modules").exists():
            self.skipTest("the packages of tests/browser are not installed: sh tools/setup.sh full")
        if portallib.CHROMIUM is None:
            self.skipTest("Chromium is not installed")
        package = (self.library.folder / "node_modules" / self.library.module).resolve()
        done = subprocess.run([self.library.command[0], SCRIPTS / "page.mjs", package], capture_output=True, text=True, timeout=600,
                              env={**self.library.environment, "ODP_MODULES": str(portallib.MODULES), "ODP_CHROMIUM": portallib.CHROMIUM})
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        found = json.loads(done.stdout)
        asked = found.pop("asked")
        self.assertEqual(found, {"records": [1, 2, 3], "file": [12, "text/csv", "id,luas\n1,2\n"], "missing": [True, "record-not-found"], "path": "TypeError",
                                 "message": {"test": 2432232314}, "tampered": True})
        self.assertEqual({one["url"] for one in asked if one["key"]}, {"/v1/x.json", "/v1/x/v/1/p/2.json", "/v1/x/search", "/v1/x/id/nope"})
        self.assertEqual({one["url"] for one in asked if not one["key"]}, {"/data/x/versions.json", "/data/x/1/x.csv"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
