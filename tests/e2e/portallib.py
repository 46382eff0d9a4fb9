"""What tests of the portal share: the example catalogue as a site whose base address is a running gateway's, with some history; Node.js with what
tests/browser takes from npm."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import gatewaylib
import odp

MODULES = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "browser"  # tools/setup.sh makes it of tests/browser
PICTURES = MODULES.parent / "portal-pictures"  # of pages on which something failed
CHROMIUM = next((p for p in ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome") if os.path.exists(p)), None)


class Case(gatewaylib.Case):
    """One site and one gateway for all tests of a class: building and starting take longer than looking."""

    PREFIX = ""  # of paths on the gateway
    TIERS = [("public", 1000, 100), ("registered", 10000, 100), ("government", None, 1000)]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="odp-portal-"))
        cls.addClassCleanup(odp.remove_tree, cls.home)
        shutil.copytree(odp.SOURCE / "catalog", cls.home / "catalog")
        cls.site = cls.home / "site"
        cls.gateway = gatewaylib.Gateway(cls.site, cls.home / "state", "--registrations", "1000")
        cls.addClassCleanup(cls.gateway.destroy)
        cls.base = f"http://127.0.0.1:{cls.gateway.port}/"
        path = cls.home / "catalog/portal.json"
        portal = json.loads(path.read_text())
        portal["baseUrl"] = cls.base
        for tier in portal["tiers"]:  # tests ask faster than people
            tier["burst"], tier["concurrent"] = 1000, 20
        path.write_text(json.dumps(portal))
        cls.build()
        cls.make_history()
        cls.build()
        cls.gateway.start()

    @classmethod
    def build(cls):
        done = subprocess.run([odp.PROGRAM, "build", "--catalog", "catalog", "--out", "site", "--quiet"], cwd=cls.home, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr[-4000:])

    @classmethod
    def make_history(cls):
        """A second version of perumahan: one record less, one changed."""
        folder = cls.home / "catalog/perumahan"
        package = json.loads((folder / "dataset.json").read_text())
        package["odp:lastUpdate"] = "2024-03-25"
        (folder / "dataset.json").write_text(json.dumps(package, indent=2, ensure_ascii=False))
        source = folder / package["resources"][0]["path"]
        with open(source, newline="", encoding=package["resources"][0].get("encoding", "utf-8")) as f:
            lines = f.read().splitlines(keepends=True)
        with open(source, "w", newline="", encoding=package["resources"][0].get("encoding", "utf-8")) as f:
            f.writelines(lines[:-1])

    @classmethod
    def register(cls, email):
        answer = cls.gateway.post("/auth/register", {"name": "Uji", "email": email})
        if answer.status != 201:
            raise AssertionError(answer.body)
        return answer.json()["data"][0]["key"]

    def pages(self):
        """The paths of all pages of the portal, as the sitemap of the site's folders has them."""
        found = sorted(str(p.relative_to(self.site)) for p in self.site.rglob("*.html"))
        return [p for p in found if not p.startswith(("data/", "v1/", "service/", "simple/"))]

    def node(self, script, *arguments, timeout=600, browser=True):
        """Runs tests/browser/SCRIPT; what it prints last is JSON. Skips where Node.js, its packages or Chromium are missing."""
        if shutil.which("node") is None or not (MODULES / "node_modules").exists():
            self.skipTest("Node.js or the packages of tests/browser are not installed: sh tools/setup.sh full")
        if browser and CHROMIUM is None:
            self.skipTest("Chromium is not installed")
        env = dict(os.environ, ODP_MODULES=str(MODULES), ODP_CHROMIUM=CHROMIUM or "", ODP_BASE=self.base, ODP_SITE=str(self.site), ODP_PICTURES=str(PICTURES))
        done = subprocess.run(["node", odp.SOURCE / "tests/browser" / script, *map(str, arguments)], capture_output=True, text=True, env=env, timeout=timeout)
        self.assertEqual(done.returncode, 0, (done.stdout[-3000:] + done.stderr[-6000:]))
        return json.loads(done.stdout.strip().splitlines()[-1])
