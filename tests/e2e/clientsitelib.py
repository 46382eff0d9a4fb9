"""What the tests of the client libraries against a real gateway share: a site, its gateway, the packages out of it, answers compared with the site's files."""
import hashlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

import clientlib
import gatewaylib
import odp
from gatewaylib import wait_for


def plain(value):
    """VALUE as canonical JSON has it (tests/clients/README.md)."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2 ** 53:
        return int(value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def digest(records):
    lines = sorted(json.dumps(plain(r), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n" for r in records)
    return hashlib.sha256(b"".join(lines)).hexdigest()


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class Site(gatewaylib.Case):
    """A site, its gateway and the libraries' packages out of it, once for a class."""

    TIERS = [("public", 100000, 100000), ("registered", 100000, 100000), ("government", None, 100000)]
    OPTIONS = ("--registrations", "1000")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="odp-clients-"))
        cls.addClassCleanup(odp.remove_tree, cls.home)
        cls.builder = odp.program_without_portal(cls.home / "bin")
        cls.site = cls.home / "site"
        cls.gateway = gatewaylib.Gateway(cls.site, cls.home / "state", *cls.OPTIONS)
        cls.addClassCleanup(cls.gateway.destroy)
        cls.base = f"http://127.0.0.1:{cls.gateway.port}/"
        cls.make_catalogue()
        cls.gateway.start()
        cls.key = cls.gateway.create_key("government")
        cls.libraries, cls.missing = clientlib.libraries(cls.home / "libraries", cls.site)
        if not cls.libraries:
            raise odp.unittest.SkipTest(f"no library can be run here: {cls.missing}")

    @classmethod
    def make_catalogue(cls):
        shutil.copytree(odp.SOURCE / "catalog", cls.home / "catalog")
        cls.portal_of(cls.TIERS)
        cls.build()

    @classmethod
    def portal_of(cls, tiers, **members):
        path = cls.home / "catalog/portal.json"
        portal = json.loads(path.read_text())
        portal.update(baseUrl=cls.base, **members)
        portal["tiers"] = [{"name": n, "title": {"id": n, "en": n}, "daily": d, "burst": b, "concurrent": 20, "price": 0, "webhooks": None,
                            "support": {"id": "Surel", "en": "Email"}} for n, d, b in tiers]
        path.write_text(json.dumps(portal))

    @classmethod
    def build(cls):
        done = subprocess.run([cls.builder, "build", "--catalog", "catalog", "--out", "site", "--quiet"], cwd=cls.home, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr[-4000:])

    @classmethod
    def package(cls, slug, **members):
        """Changes a dataset's descriptor; returns the path of its source."""
        path = cls.home / "catalog" / slug / "dataset.json"
        package = json.loads(path.read_text())
        package.update(members)
        path.write_text(json.dumps(package, ensure_ascii=False))
        return path.parent / package["resources"][0]["path"]

    @classmethod
    def publish(cls):
        """Builds, and waits until the gateway answers from the new site: its pages, and its queries, which another process answers."""
        cls.build()
        index = (cls.site / "v1/index.json").read_bytes()
        wait_for("the new site", lambda: cls.gateway.get("/v1/index.json").body == index)
        for entry in json.loads(index)["data"]:
            wait_for(f"queries of {entry['slug']}", lambda: cls.gateway.get(f"/v1/{entry['slug']}?limit=1", cls.key).json()["meta"]["version"] == entry["version"])

    @classmethod
    def records(cls, path):
        """All records that the site's own pages have below v1/PATH."""
        page, found = cls.site / "v1" / f"{path}.json", []
        while True:
            envelope = json.loads(page.read_text())
            found += envelope["data"]
            if not envelope["links"]["next"]:
                return found
            page = page.parent / envelope["links"]["next"]

    @classmethod
    def published(cls, slug):
        return json.loads((cls.site / "data" / slug / "versions.json").read_text())["data"]

    def walk_through_refusals(self, library, key, call, cuts=(), refusals=2):
        """(What CALL gives, its proxy): while others use up the burst of KEY and all places in its queue, until the library was refused so often,
        however slow the machine is."""
        proxy = clientlib.Proxy(self.gateway.port, cuts)
        self.addCleanup(proxy.close)
        ended = threading.Event()

        def spend():
            connection = gatewaylib.Connection(self.gateway.port)
            while not ended.is_set() and proxy.refused < refusals:
                try:
                    if connection.get(f"/v1/{call['dataset']}/versions.json", key).status == 429:
                        time.sleep(0.05)
                except (connection.Unanswered, OSError):
                    connection.close()
            connection.close()
        others = [threading.Thread(target=spend) for _ in range(60)]  # of eight a second forty may wait
        for other in others:
            other.start()
        try:
            return library.call(proxy.base, call, key=key, timeout=600)[0], proxy
        finally:
            ended.set()
            for other in others:
                other.join()

    def each(self, *calls, base=None, key="", timeout=clientlib.PATIENCE, **client):
        """{language: its outcomes of CALLS}, the libraries side by side; each has a folder of its own. KEY None: without one."""
        told = {}
        if key is not None:
            client["key"] = key or self.key

        def run(library):
            folder = self.dir / library.name
            folder.mkdir(exist_ok=True)
            try:
                told[library.name] = library.call(base or self.base, *calls, folder=folder, timeout=timeout, **client)
            except AssertionError as e:
                told[library.name] = [{"error": {"kind": "driver", "message": str(e)}}] * len(calls)
        threads = [threading.Thread(target=run, args=(library,)) for library in self.libraries.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {language: told[language] for language in self.libraries}

    def everyone(self, *pairs, **options):
        """Each library's result of every call is what is wanted: PAIRS of (call, want), done by one client of each."""
        for language, outcomes in self.each(*(call for call, _ in pairs), **options).items():
            for (call, want), outcome in zip(pairs, outcomes):
                with self.subTest(f"{language}: {json.dumps(call, ensure_ascii=False)[:200]}"):
                    self.is_result(language, outcome, want)

    def is_result(self, language, outcome, want):
        if "error" in outcome:
            self.fail(f"{outcome['error']}, not {str(want)[:1000]}")
        got = outcome["result"]
        if isinstance(want, list) and isinstance(got, list) and len(got) == len(want):
            for number, (a, b) in enumerate(zip(want, got)):
                self.assertTrue(clientlib.same(a, b, language.partition("-")[0]), f"item {number}: {str(b)[:1500]}, not {str(a)[:1500]}")
        elif not clientlib.same(want, got, language.partition("-")[0]):
            self.fail(f"{len(got) if isinstance(got, list) else ''} {str(got)[:1500]}, not {len(want) if isinstance(want, list) else ''} {str(want)[:1500]}")

    def is_error(self, outcome, **want):
        self.assertIn("error", outcome)
        self.assertEqual({k: outcome["error"].get(k) for k in want}, want, outcome)

    def setUp(self):
        super().setUp()
        for language, why in self.missing.items():
            with self.subTest(language):
                self.skipTest(why)
