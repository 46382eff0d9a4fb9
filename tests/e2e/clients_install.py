"""pip, npm and Composer install the packages from the site itself, out of an empty home: from the gateway, where every README's programs then run against
the same gateway, and from plain servers of files below a base path; what was changed on the way is refused."""
import base64
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import textwrap

import installlib
import odp
import portallib

OLD, NEW = "2.5.0", "2.5.1"
NAMES = {"javascript": "@odp/client", "python": "odp-client", "php": "odp/client"}


def have(language):
    """Why LANGUAGE's package cannot be installed here, None if it can."""
    if language == "python":
        return None if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv") else "this Python makes no virtual environments (python3-venv)"
    if language == "javascript":
        return None if shutil.which("npm") and shutil.which("node") else "npm or Node.js is not installed"
    if not (shutil.which("php") and shutil.which("composer")):
        return "php or composer is not installed"
    return None if shutil.which("unzip") else "unzip is not installed, Composer needs it"


def with_release(path, version):
    """Adds a release to a changes.json: packages of its number are published."""
    history = odp.read_json(path)
    history["releases"].append({"version": version, "date": "2024-04-01", "changes": [{"id": "Pustaka klien diperbarui", "en": "Client libraries updated"}]})
    path.write_text(json.dumps(history))


class Places:
    """Empty places that are removed afterwards, and a look at who wanted to go elsewhere."""

    def setUp(self):
        super().setUp()
        self.elsewhere = installlib.Elsewhere()
        self.addCleanup(self.elsewhere.close)

    def place(self, language, name="place", **more):
        reason = have(language)
        if reason:
            self.skipTest(reason)
        place = installlib.Place(self.dir / name, self.elsewhere, **more)
        if language == "python":
            place.program("python3", sys.executable)
        if language == "php":  # no network here: its own index is not asked; and this site has no TLS
            (place.work / "composer.json").write_text('{"repositories": {"packagist.org": false}, "config": {"secure-http": false}}')
        return place

    def nothing_elsewhere(self):
        self.assertEqual(self.elsewhere.wanted, [])

    # ---- what each of them has installed ---------------------------------------------------------------------------------------------------------------

    def python_version(self, place, python):
        return place.run(python, "-c", "import importlib.metadata, odp_client; print(importlib.metadata.version('odp-client'), odp_client.__version__)").text.split()

    def node_version(self, folder):
        return odp.read_json(folder / "node_modules/@odp/client/package.json")["version"]

    def node_imports(self, place):
        (place.work / "x.mjs").write_text("import * as odp from '@odp/client';\nif (typeof odp.verify !== 'function') throw new Error(Object.keys(odp));\n")
        return place.run("node", "x.mjs")

    def php_version(self, folder):
        return next(p["version"] for p in odp.read_json(folder / "vendor/composer/installed.json")["packages"] if p["name"] == "odp/client")

    def php_imports(self, place):
        (place.work / "x.php").write_text(r"""<?php require 'vendor/autoload.php';
foreach (['Client', 'Exception\\ApiException', 'About'] as $c) class_exists('Odp\\Client\\' . $c) or throw new Exception($c);
""")
        return place.run("php", "x.php")


class FromTheGateway(Places, portallib.Case):
    """The server of the packages is the server that the programs then ask."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = cls.register("pasang@example.org")

    @classmethod
    def make_history(cls):
        super().make_history()
        with_release(cls.home / "catalog/changes.json", NEW)

    def programs(self, place, readme, language, command):
        """Runs all programs of a README as they stand there, in the folder with the package; the first is the one that must be there."""
        found = [text for name, text in installlib.fences(readme) if name == language and "to_pandas" not in text]  # no pandas in an empty environment
        self.assertGreater(len(found), 8, readme[:3000])
        for text in found:
            with self.subTest(language=language, program=text):
                (place.work / installlib.FENCES[language]).write_text(text)
                done = place.run(*command, installlib.FENCES[language], ODP_KEY=self.key)
                self.assertNotEqual(done.text.strip(), "", "it prints nothing")

    def follow(self, place, readme, complaints=()):
        """Does what the README says a reader may type in a terminal, in its order, and nothing complains (but for COMPLAINTS). What is to be in a file gets there
        with the digest that was printed last."""
        typed, said = 0, ""
        for name, text in installlib.fences(readme):
            if name == "text":
                (place.work / "requirements.txt").write_text(text.replace("…", re.search(r"sha256:([0-9a-f]{64})", said)[1]))
            elif name == "sh" and "ODP_KEY" not in text:
                active = ". .venv/bin/activate\n" if (place.work / ".venv").exists() else ""
                said = place.shell(active + text).text
                for complaint in complaints:
                    said = said.replace(complaint, "")
                self.assertNotRegex(said, "(?i)error|err!|warn|deprecat")
                typed += 1
        self.assertGreater(typed, 2)

    def readme(self, language):
        """Of the newest package, before it is installed."""
        with tempfile.TemporaryDirectory(dir=self.dir) as folder:
            root = installlib.unpack(self.site, language, folder)
            if language != "python":
                return (root / "README.md").read_text()
            metadata, = root.glob("*.dist-info/METADATA")
            return metadata.read_text().partition("\n\n")[2]

    def test_pip(self):
        place = self.place("python")
        readme = self.readme("python")
        self.follow(place, readme)
        bin_ = place.work / ".venv/bin"
        self.assertEqual(self.python_version(place, bin_ / "python"), [NEW, NEW])
        self.assertIn("No broken requirements", place.run(bin_ / "pip", "check").text)
        about = place.run(bin_ / "pip", "show", "--files", "odp-client").text
        self.assertRegex(about, r"(?m)^Requires: *$")
        self.assertRegex(about, r"(?m)^  odp_client/py\.typed$")
        self.nothing_elsewhere()
        self.programs(place, readme, "python", [bin_ / "python"])
        call = re.search(r"(?m)^    from odp_client import Client\n(?:    .+\n)+", (odp.SOURCE / "README.md").read_text(encoding="utf-8"))[0]
        (place.work / "main.py").write_text(textwrap.dedent(call).replace("http://127.0.0.1:8080", self.base))
        self.assertIn("Kawasan ", place.run(bin_ / "python", "main.py", ODP_KEY=self.key, ODP_BASE_URL="http://127.0.0.1:9/").text)
        self.nothing_elsewhere()
        place.run(bin_ / "pip", "uninstall", "-y", "odp-client")
        self.assertEqual(list((bin_.parent / "lib").glob("python*/site-packages/odp_client*")), [])

    def test_npm(self):
        place = self.place("javascript")
        readme = self.readme("javascript")
        self.follow(place, readme)
        self.assertEqual(self.node_version(place.work), NEW)
        self.nothing_elsewhere()
        self.programs(place, (place.work / "node_modules/@odp/client/README.md").read_text(), "javascript", ["node"])

    def test_npm_by_registry(self):
        place = self.place("javascript")
        done = place.run("npm", "install", "@odp/client", f"--@odp:registry={self.base}npm/")
        self.assertNotRegex(done.text, "(?i)err!|error|warn")
        locked = odp.read_json(place.work / "package-lock.json")["packages"]["node_modules/@odp/client"]
        tarball = (self.site / locked["resolved"].removeprefix(self.base)).read_bytes()
        self.assertEqual((locked["version"], locked["integrity"][:7]), (NEW, "sha512-"))
        self.assertEqual(base64.b64decode(locked["integrity"][7:]), hashlib.sha512(tarball).digest())
        self.node_imports(place)
        self.assertIn(NEW, place.run("npm", "view", "@odp/client", f"--@odp:registry={self.base}npm/").text)
        self.nothing_elsewhere()

    def test_composer(self):
        place = self.place("php")
        readme = self.readme("php")
        self.follow(place, readme, ["Warning: Accessing 127.0.0.1 over http which is an insecure protocol."])
        self.assertEqual(self.php_version(place.work), NEW)
        self.php_imports(place)
        self.nothing_elsewhere()
        self.programs(place, (place.work / "vendor/odp/client/README.md").read_text(), "php", ["php"])


class FromFiles(Places, odp.Case):
    """A small site below a base path, copied to servers that know nothing of it."""

    PATH = "satu/data-terbuka/"

    @classmethod
    def setUpClass(cls):
        cls.all = pathlib.Path(tempfile.mkdtemp(prefix="odp-install-"))
        cls.addClassCleanup(odp.remove_tree, cls.all)
        cls.sites, cls.good = {}, {}

    def serve(self, server):
        """(running server, base address) of a site of its own; both releases are in it."""
        if server.missing():
            self.skipTest(f"{server.__name__}: not installed")
        if server not in self.sites:
            root = self.all / server.__name__
            (root / self.PATH).parent.mkdir(parents=True, exist_ok=True)
            running = server(root, self.all / f"{server.__name__}.log")
            base = f"http://127.0.0.1:{running.port}/{self.PATH}"
            catalog = self.catalogue("kumuh")
            portal = odp.read_json(catalog / "portal.json")
            portal["baseUrl"] = base
            (catalog / "portal.json").write_text(json.dumps(portal))
            self.odp("build", "--out", root / self.PATH.rstrip("/"), "--quiet")
            with_release(catalog / "changes.json", NEW)
            self.odp("build", "--out", root / self.PATH.rstrip("/"), "--quiet")
            type(self).sites[server] = running, base
        running, base = self.sites[server]
        self.addCleanup(running.stop)
        return running.start(), base

    def flip(self, base, language, byte=None):
        """Turns one bit of the newest package round, until the test ends; its bytes are others' links, too, so the file is made anew."""
        running = next(r for r, b in self.sites.values() if b == base)
        entry, file = installlib.newest(running.root / self.PATH, language)
        good = self.good.setdefault(file, file.read_bytes())
        bad = bytearray(good)
        bad[len(bad) // 2 if byte is None else byte] ^= 1

        def put(data):
            new = file.with_name(file.name + ".new")
            new.write_bytes(data)
            new.replace(file)
        os.chmod(file.parent, 0o755)
        put(bytes(bad))
        self.addCleanup(put, good)

    # ---- pip ---------------------------------------------------------------------------------------------------------------------------------------------

    def pip_on(self, server):
        running, base = self.serve(server)
        place = self.place("python")
        bin_ = place.venv()
        path = "/" + self.PATH
        pip = [bin_ / "pip", "install", "--index-url", f"{base}simple/", "--no-cache-dir"]
        done = place.run(*pip, "odp-client")
        self.assertNotRegex(done.text, "(?i)error|warning|deprecat")
        self.assertEqual(self.python_version(place, bin_ / "python"), [NEW, NEW])
        asked = running.asked()
        wheel = f"{path}packages/python/odp_client-{NEW}-py3-none-any.whl"
        version = [int(n) for n in re.search(r"pip (\d+)\.(\d+)", place.run(bin_ / "pip", "--version").text).groups()]
        metadata = [(f"{wheel}.metadata", 200)] if version >= [23, 2] else []  # PEP 658, by the name that PEP 714 gave it: pip 23.0 and 23.1 had it wrong
        self.assertEqual(asked[:1 + len(metadata)], [(f"{path}simple/odp-client/", 200), *metadata])
        self.assertIn((wheel, 200), asked[1 + len(metadata):])
        self.assertEqual([a for a in asked if a[0].endswith(".whl") and a[0] != wheel], [])  # nothing of the other release
        place.run(*pip, f"odp-client=={OLD}")
        self.assertEqual(self.python_version(place, bin_ / "python"), [OLD, OLD])
        place.run(*pip, "--upgrade", "Odp_Client")  # names are one however they are spelt
        self.assertEqual(self.python_version(place, bin_ / "python"), [NEW, NEW])
        place.run(*pip, "odp-client>=3", expect=1)
        self.nothing_elsewhere()
        return place, bin_, base

    def test_pip_from_http_server(self):
        self.pip_on(installlib.PythonServer)

    def test_pip_from_caddy(self):
        self.pip_on(installlib.CaddyServer)

    def test_pip_by_digest(self):
        """Downloads, digests asked for, and one bit that is another."""
        running, base = self.serve(installlib.PythonServer)
        place = self.place("python")
        bin_ = place.venv()
        index = ["--index-url", f"{base}simple/", "--no-cache-dir"]
        place.run(bin_ / "pip", "download", *index, "--dest", "got", "odp-client")
        got, = (place.work / "got").iterdir()
        entry, file = installlib.newest(running.root / self.PATH, "python")
        digest = hashlib.sha256(got.read_bytes()).hexdigest()
        self.assertEqual((got.name, got.read_bytes(), digest), (file.name, file.read_bytes(), entry["sha256"]))
        for line, code in ((f"odp-client=={NEW} --hash=sha256:{digest}", 0), (f"odp-client=={NEW} --hash=sha256:{'0' * 64}", 1), (f"odp-client=={NEW}", 1)):
            (place.work / "requirements.txt").write_text(line + "\n")
            done = place.run(bin_ / "pip", "install", *index, "--require-hashes", "--force-reinstall", "-r", "requirements.txt", expect=code)
            self.assertEqual(code != 0, "hash" in done.text.lower(), done.text)
        self.flip(base, "python")
        done = place.run(bin_ / "pip", "install", *index, "--force-reinstall", "odp-client", expect=1)
        self.assertIn("HASH", done.text.upper())
        self.assertEqual(self.python_version(place, bin_ / "python"), [NEW, NEW])  # what was there stays
        address = f"{base}packages/python/odp_client-{OLD}-py3-none-any.whl"
        place.run(bin_ / "pip", "install", "--no-index", "--no-cache-dir", address)
        self.assertEqual(self.python_version(place, bin_ / "python"), [OLD, OLD])
        self.nothing_elsewhere()

    # ---- npm ---------------------------------------------------------------------------------------------------------------------------------------------

    def npm_on(self, server):
        running, base = self.serve(server)
        tarball = f"packages/javascript/odp-client-{NEW}.tgz"
        place = self.place("javascript")
        done = place.run("npm", "install", f"{base}{tarball}")
        self.assertNotRegex(done.text, "(?i)err!|error|warn")
        self.assertEqual(running.asked(), [(f"/{self.PATH}{tarball}", 200)])
        self.node_imports(place)
        place = self.place("javascript", "registry")
        (place.work / ".npmrc").write_text(f"@odp:registry={base}npm/\n")
        done = place.run("npm", "install", "@odp/client")
        self.assertNotRegex(done.text, "(?i)err!|error|warn")
        self.assertEqual([(a.replace("%2F", "%2f"), s) for a, s in running.asked()], [(f"/{self.PATH}npm/@odp%2fclient", 200), (f"/{self.PATH}{tarball}", 200)])
        self.assertEqual(self.node_version(place.work), NEW)
        self.node_imports(place)
        place.run("npm", "install", f"@odp/client@{OLD}")
        self.assertEqual(self.node_version(place.work), OLD)
        self.assertIn(NEW, place.run("npm", "outdated", expect=None).text)
        place.run("npm", "install", "@odp/client@latest")
        self.assertEqual(self.node_version(place.work), NEW)
        place.run("npm", "ci")
        self.nothing_elsewhere()

    def test_npm_from_http_server(self):
        self.npm_on(installlib.PythonServer)

    def test_npm_from_caddy(self):
        self.npm_on(installlib.CaddyServer)

    def test_npm_refuses_another_bit(self):
        _, base = self.serve(installlib.PythonServer)
        good = self.place("javascript")
        good.run("npm", "install", f"{base}packages/javascript/odp-client-{NEW}.tgz")
        for byte, why in ((None, "Z_DATA_ERROR|EINTEGRITY"), (9, "EINTEGRITY")):  # in the midst of it; in gzip's head, so that it unpacks as before
            self.flip(base, "javascript", byte)
            place = self.place("javascript", f"registry{byte}")
            done = place.run("npm", "install", "@odp/client", f"--@odp:registry={base}npm/", "--fetch-retries=0", expect=None)
            self.assertRegex(done.text, why)
            self.assertFalse((place.work / "package.json").exists() or (place.work / "package-lock.json").exists())  # npm may leave some of what it had unpacked
        place = self.place("javascript", "locked")  # by address, known from a lock file
        for name in ("package.json", "package-lock.json"):
            shutil.copy(good.work / name, place.work)
        self.assertIn("EINTEGRITY", place.run("npm", "ci", "--fetch-retries=0", expect=None).text)

    # ---- Composer ----------------------------------------------------------------------------------------------------------------------------------------

    def composer_on(self, server):
        running, base = self.serve(server)
        place = self.place("php")
        place.run("composer", "config", "repositories.odp", "composer", base)
        done = place.run("composer", "require", "odp/client")
        self.assertRegex(done.text, rf"Installing odp/client \({re.escape(NEW)}\): Extracting archive")
        asked = running.asked()
        self.assertEqual([a for a in asked if a[1] not in (200, 304)], [])
        self.assertIn((f"/{self.PATH}packages/php/{installlib.newest(running.root / self.PATH, 'php')[1].name}", 200), asked)
        self.assertEqual(self.php_version(place.work), NEW)
        self.php_imports(place)
        place.run("composer", "require", f"odp/client:{OLD}")
        self.assertEqual(self.php_version(place.work), OLD)
        self.assertIn(NEW, place.run("composer", "show", "--all", "odp/client").text)
        place.run("composer", "require", "odp/client:^2.5")
        self.assertEqual(self.php_version(place.work), NEW)
        self.assertIn("is valid", place.run("composer", "validate", "--no-check-publish", "--no-check-all", place.work / "vendor/odp/client/composer.json").text)
        self.nothing_elsewhere()

    def test_composer_from_http_server(self):
        self.composer_on(installlib.PythonServer)

    def test_composer_from_caddy(self):
        self.composer_on(installlib.CaddyServer)

    def test_composer_refuses_another_bit(self):
        _, base = self.serve(installlib.PythonServer)
        self.flip(base, "php")
        place = self.place("php")
        place.run("composer", "config", "repositories.odp", "composer", base)
        done = place.run("composer", "require", "odp/client", expect=None)
        self.assertIn("checksum verification of the file failed", done.text)
        self.assertFalse((place.work / "vendor/odp/client").exists())

    # ---- names of the catalogue's own ----------------------------------------------------------------------------------------------------------------------

    def test_other_names(self):
        """What portal.json calls them: without a scope, with capitals and signs, beginning with a digit."""
        root = self.dir / "root"
        root.mkdir()
        running = installlib.PythonServer(root, self.dir / "http.log").start()
        self.addCleanup(running.stop)
        base = f"http://127.0.0.1:{running.port}/site/"
        catalog = self.catalogue("kumuh")
        portal = odp.read_json(catalog / "portal.json")
        portal.update(baseUrl=base, clients={"javascript": "pu-data.terbuka", "python": "PU.Data-_terbuka2", "php": "3pu/data_terbuka--klien"})
        (catalog / "portal.json").write_text(json.dumps(portal))
        self.odp("build", "--out", root / "site", "--quiet")
        with self.subTest("python"):
            place = self.place("python")
            bin_ = place.venv()
            place.run(bin_ / "pip", "install", "--no-cache-dir", "--index-url", f"{base}simple/", "pu_data.TERBUKA2")
            place.run(bin_ / "python", "-c", "import pu_data_terbuka2 as odp; odp.Client().close()")
        with self.subTest("javascript"):
            place = self.place("javascript", "node")
            place.run("npm", "install", "pu-data.terbuka", f"--registry={base}npm/", "--no-audit")
            (place.work / "x.mjs").write_text("import { Client } from 'pu-data.terbuka';\nnew Client();\n")
            place.run("node", "x.mjs")
        with self.subTest("php"):
            place = self.place("php", "composer")
            place.run("composer", "config", "repositories.odp", "composer", base)
            place.run("composer", "require", "3pu/data_terbuka--klien")
            spaces = list(odp.read_json(place.work / "vendor/3pu/data_terbuka--klien/composer.json")["autoload"]["psr-4"])
            (place.work / "x.php").write_text(f"<?php require 'vendor/autoload.php';\nnew {spaces[0]}Client();\n")
            place.run("php", "x.php")
        for path in (root / "site/packages").rglob("*"):
            self.assertNotRegex(path.name, "(?i)odp")
        self.nothing_elsewhere()


if __name__ == "__main__":
    odp.main()
