"""The packages as checkers of types see them: TypeScript, mypy and pyright at their strictest, PHP's own reflection; of the example catalogue with a program that
uses every call rightly and wrongly (tests/clients/types/use.*), and of a catalogue whose names and texts are those that break generators."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import installlib
import odp

TYPES = odp.SOURCE / "tests/clients/types"
sys.path.insert(0, str(TYPES))
import strange  # noqa: E402

TSC, PYRIGHT = (installlib.MODULES / "node_modules" / p for p in ("typescript/bin/tsc", "pyright/index.js"))
STRICT = {"strict": True, "noEmit": True, "skipLibCheck": False, "target": "es2022", "noUncheckedIndexedAccess": True, "exactOptionalPropertyTypes": True,
          "noImplicitOverride": True, "verbatimModuleSyntax": True, "forceConsistentCasingInFileNames": True}
# Of what is written in JavaScript: JSON is of any type, options may be undefined.
LENIENT = {"noImplicitAny": False, "noUncheckedIndexedAccess": False, "exactOptionalPropertyTypes": False, "skipLibCheck": True}
# Where a program runs and how it is bundled: (name, options)
PROGRAMS = [("node", {"module": "nodenext", "moduleResolution": "nodenext", "lib": ["es2022"], "types": ["node"]}),
            ("browser", {"module": "preserve", "moduleResolution": "bundler", "lib": ["es2022", "dom", "dom.iterable"], "types": []})]


class Checks:
    """What holds of every catalogue's packages."""

    @classmethod
    def setUpClass(cls):
        cls.all = pathlib.Path(tempfile.mkdtemp(prefix="odp-types-"))
        cls.addClassCleanup(odp.remove_tree, cls.all)
        catalog = cls.all / "catalog"
        catalog.mkdir()
        for name in ("portal.json", "changes.json"):
            shutil.copy(odp.SOURCE / "catalog" / name, catalog)
        cls.fill(catalog)
        done = subprocess.run([odp.PROGRAM, "build", "--out", "site", "--quiet"], cwd=cls.all, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr[-4000:])
        cls.site = cls.all / "site"

    def check(self, *command, cwd=None, expect=0, **env):
        done = subprocess.run(list(map(str, command)), cwd=cwd or self.dir, capture_output=True, text=True, env={**os.environ, **env}, timeout=600)
        if expect is not None:
            self.assertEqual(done.returncode, expect, (done.stdout[-8000:] + done.stderr[-4000:]))
        return done.stdout

    # ---- JavaScript -----------------------------------------------------------------------------------------------------------------------------------

    def node(self):
        if shutil.which("node") is None:
            self.skipTest("Node.js is not installed")
        return installlib.unpack(self.site, "javascript", self.dir)

    def modules(self):
        """What tests/clients takes from npm, beside the package."""
        package = self.node()
        if not TSC.exists():
            self.skipTest("the packages of tests/clients are not installed: sh tools/setup.sh full")
        os.symlink(installlib.MODULES / "node_modules/@types", self.dir / "node_modules/@types")
        (self.dir / "package.json").write_text('{"type": "module", "private": true}')
        return package

    def tsc(self, files, name, expect=0, **options):
        path = self.dir / f"tsconfig.{name}.json"
        path.write_text(json.dumps({"compilerOptions": {**STRICT, **options}, "files": files}))
        return self.check("node", TSC, "--pretty", "false", "-p", path, expect=expect)

    def test_javascript_parses_and_loads(self):
        package = self.node()
        sources = sorted(package.rglob("*.js")) + sorted(package.rglob("*.mjs"))
        self.assertGreater(len(sources), 3)
        for source in sources:
            self.check("node", "--check", source)
        about = odp.read_json(package / "package.json")
        self.assertEqual((about["type"], about.get("dependencies", {}), about.get("scripts", {})), ("module", {}, {}))
        (self.dir / "x.mjs").write_text("import * as odp from '@odp/client';\nconst client = new odp.Client({apiKey: 'x'});\n"
                                        "console.log(JSON.stringify([Object.keys(odp), client.dataset('aneh') !== undefined]));\n")
        names, found = json.loads(self.check("node", "x.mjs"))
        self.assertTrue({"Client", "verify", "ApiError"} <= set(names) and found, names)

    def test_typescript(self):
        self.modules()
        files = self.typescript()
        for name, options in PROGRAMS:
            with self.subTest(name):
                self.tsc(files, name, **options)

    # ---- Python ---------------------------------------------------------------------------------------------------------------------------------------

    def python(self):
        """A virtual environment with the package in it, as pip would put it there; its folder of packages."""
        self.check(sys.executable, "-m", "venv", "--without-pip", self.dir / "venv")
        packages, = (self.dir / "venv/lib").glob("python*/site-packages")
        installlib.unpack(self.site, "python", packages)
        self.assertTrue((packages / "odp_client/py.typed").is_file())
        return packages

    def test_python_loads(self):
        self.python()
        source = "import importlib, pkgutil, odp_client\nfor m in pkgutil.walk_packages(odp_client.__path__, 'odp_client.'): importlib.import_module(m.name)\n"
        self.check(self.dir / "venv/bin/python", "-I", "-X", "dev", "-W", "error", "-c", source + "assert odp_client.Client().dataset('aneh')")

    def test_mypy(self):
        if shutil.which("mypy") is None:
            self.skipTest("mypy is not installed")
        packages = self.python()
        strict = ["mypy", "--strict", "--python-version", "3.9", "--warn-unreachable", "--no-error-summary", "--cache-dir", self.dir / "mypy-cache", "--show-error-codes"]
        with self.subTest("the library itself"):
            shutil.copytree(packages / "odp_client", self.dir / "own/odp_client")
            self.check(*strict, "-p", "odp_client", cwd=self.dir / "own")
        for source in self.programs():
            with self.subTest(source.name):
                self.check(*strict, "--python-executable", self.dir / "venv/bin/python", source)

    def test_pyright(self):
        if shutil.which("node") is None or not PYRIGHT.exists():
            self.skipTest("the packages of tests/clients are not installed: sh tools/setup.sh full")
        packages = self.python()
        strict = {"typeCheckingMode": "strict", "pythonVersion": "3.9", "venvPath": ".", "venv": "venv", "reportMissingModuleSource": False}
        for source in self.programs():
            with self.subTest(source.name):
                shutil.copy(source, self.dir)
                self.pyright(include=[source.name], reportUnnecessaryTypeIgnoreComment=True, **strict)
        with self.subTest("the library itself"):  # JSON is of unknown types, arguments are looked at as they come, modules of a package know each other
            shutil.copytree(packages / "odp_client", self.dir / "own/odp_client")
            self.pyright(include=["own"], **strict, **dict.fromkeys(
                ("reportUnknownArgumentType", "reportUnknownMemberType", "reportUnknownVariableType", "reportUnknownLambdaType", "reportUnknownParameterType", "reportUnnecessaryIsInstance", "reportUnnecessaryComparison",
                 "reportPrivateUsage", "reportMissingImports", "reportMissingTypeStubs"), False))
        with self.subTest("every public name has a declared type"):
            report = self.check("node", PYRIGHT, "--verifytypes", "odp_client", "--ignoreexternal", "--pythonversion", "3.9", cwd=packages.parent,
                                PATH=f"{self.dir}/venv/bin:{os.environ['PATH']}")
            self.assertIn("Type completeness score: 100%", report)

    def pyright(self, **settings):
        (self.dir / "pyrightconfig.json").write_text(json.dumps(settings))
        self.assertIn("0 errors, 0 warnings", self.check("node", PYRIGHT, "-p", self.dir / "pyrightconfig.json"))

    # ---- PHP ------------------------------------------------------------------------------------------------------------------------------------------

    def php(self):
        if shutil.which("php") is None:
            self.skipTest("PHP is not installed")
        return installlib.unpack(self.site, "php", self.dir)

    def test_php(self):
        package = self.php()
        sources = sorted(package.rglob("*.php"))
        self.assertGreater(len(sources), 40)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for source, done in zip(sources, pool.map(self.lint, sources)):
                self.assertEqual((done.returncode, done.stdout), (0, f"No syntax errors detected in {source}\n"), done.stderr)
        seen = json.loads(self.check("php", "-d", "error_reporting=-1", "-d", "display_errors=stderr", TYPES / "declared.php", package).splitlines()[-1])
        self.assertGreater(min(seen["classes"], seen["methods"], seen["properties"]), 20, seen)

    @staticmethod
    def lint(source):
        return subprocess.run(["php", "-d", "error_reporting=-1", "-d", "display_errors=1", "-l", source], capture_output=True, text=True)


class Example(Checks, odp.Case):
    """The catalogue of the project, as far as use.* speaks of it."""

    @classmethod
    def fill(cls, catalog):
        shutil.copytree(odp.SOURCE / "catalog/references", catalog / "references")
        for slug in ("kumuh", "proyek", "kontraktor", "perumahan"):
            shutil.copytree(odp.SOURCE / "catalog" / slug, catalog / slug)

    def typescript(self):
        source = (TYPES / "use.ts").read_text()
        self.assertGreater(source.count("@ts-expect-error"), 20)
        (self.dir / "use.ts").write_text(source)
        return ["use.ts"]

    def programs(self):
        source = TYPES / "use.py"
        self.assertGreater(source.read_text().count("# type: ignore["), 20)
        return [source]

    def test_declarations_are_what_there_is(self):
        """index.d.ts names what the modules export, no more and no less; classes have the methods that they declare."""
        package = self.modules()
        shutil.copy(TYPES / "exports.mjs", self.dir)
        print(self.check("node", "exports.mjs", TSC.parent.parent / "lib/typescript.js", package).strip())

    def test_javascript_itself(self):
        """The library's own modules, by the types in their comments."""
        package = self.modules()
        files = sorted(str(p.relative_to(self.dir)) for p in package.rglob("*.js"))
        options = {"allowJs": True, "checkJs": True, "module": "nodenext", "moduleResolution": "nodenext", "lib": ["es2022", "dom", "dom.iterable"], "types": ["node"]}
        said = self.tsc(files, "own", expect=None, **options, **LENIENT)
        # What the generated module tells the others is not declared to programs.
        self.assertEqual([line for line in said.splitlines() if not ("datasets.js" in line and re.search(r"TS(2305|2724):", line))], [])


class Strange(Checks, odp.Case):
    """Names and texts that break generators."""

    @classmethod
    def fill(cls, catalog):
        strange.add(catalog)

    def typescript(self):
        return sorted(str(p.relative_to(self.dir)) for p in (self.dir / "node_modules/@odp/client").rglob("*.d.ts"))

    def programs(self):
        return []

    def test_javascript_properties(self):
        """A dataset is where its name says or, where that is taken, by its slug; members of the client stay what they are."""
        self.node()
        slugs = ["aneh", *strange.SLUGS]
        (self.dir / "x.mjs").write_text("import { Client } from '@odp/client';\nconst client = new Client();\n"
                                        f"for (const slug of {json.dumps(slugs)}) if (typeof client.dataset(slug).list !== 'function') throw new Error(slug);\n"
                                        "for (const name of ['usage', 'register', 'rotate', 'dataset', 'catalog', 'close'])\n"
                                        "  if (typeof client[name] !== 'function') throw new Error(name);\n"
                                        "if (typeof client.then === 'function') throw new Error('awaiting a client calls it');\nawait client;\nconsole.log('ok');\n")
        self.assertEqual(self.check("node", "x.mjs").strip(), "ok")

    def test_python_properties(self):
        self.python()
        slugs = ["aneh", *strange.SLUGS]
        (self.dir / "x.py").write_text(f"from odp_client import Client\nclient = Client()\nfor slug in {slugs!r}:\n    assert callable(client.dataset(slug).list), slug\n"
                                       "for name in ('usage', 'register', 'rotate', 'dataset', 'catalog', 'close'):\n    assert callable(getattr(client, name)) and 'list' not in dir(getattr(client, name)), name\n"
                                       "client.aneh\nclient.ab\n")
        self.check(self.dir / "venv/bin/python", "-I", "-X", "dev", "-W", "error", self.dir / "x.py")

    def test_php_properties(self):
        package = self.php()
        spaces = odp.read_json(package / "composer.json")["autoload"]["psr-4"]
        (self.dir / "x.php").write_text("<?php declare(strict_types=1);\nspl_autoload_register(fn ($c) => require "
                                        f"{json.dumps(str(package / list(spaces.values())[0]))} . '/' . str_replace('\\\\', '/', substr($c, {len(list(spaces)[0])})) . '.php');\n"
                                        "$client = new Odp\\Client\\Client();\n"
                                        f"foreach ({json.dumps(['aneh', *strange.SLUGS])} as $slug) is_callable([$client->dataset($slug), 'list']) or exit($slug);\n"
                                        "is_callable([$client->aneh, 'list']) or exit('aneh');\n")
        self.assertEqual(self.check("php", "-d", "error_reporting=-1", "-d", "display_errors=1", "x.php"), "")


if __name__ == "__main__":
    odp.main()
