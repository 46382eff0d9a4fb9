"""cmake --install and the Debian package put a program in place that runs, with the portal's templates and assets: building a site takes no Node."""
import base64
import hashlib
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import zlib

import odp


class Assets(html.parser.HTMLParser):
    """What a page names of assets/: (address, integrity or None)."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        addresses = {name: value for name, value in attributes.items() if value and re.search(r"(^|/)assets/", value)}
        for name, value in addresses.items():
            # data-map-js has its digest in data-map-js-integrity
            self.found.append((value, attributes.get("integrity") if name in ("src", "href") else attributes.get(f"{name}-integrity")))


class Package(odp.Case):
    BUILD = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "build"))

    def check_tree(self, prefix):
        program = prefix / "bin/odp-build"
        nowhere = self.dir / "nowhere"
        nowhere.mkdir(exist_ok=True)
        done = subprocess.run([program, "build", "--catalog", prefix / "share/odp/templates/catalog", "--out", self.dir / "site"], capture_output=True,
                              env={**os.environ, "PATH": str(nowhere)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.dir / "site/v1/air-minum.json").is_file())
        self.assertTrue(list(prefix.glob("share/man/man1/odp-build.1*")))
        if (self.BUILD / "share/odp/portal").is_dir():
            self.check_portal(prefix / "share/odp/portal")
            self.check_pages(self.dir / "site")
        else:  # -DODP_PORTAL_ASSETS=OFF
            self.assertFalse((self.dir / "site/index.html").exists())

    def check_portal(self, portal):
        """The whole of it, files of its own, and nothing of what made it."""
        self.assertEqual(sorted(p.name for p in portal.iterdir()), ["README.md", "assets", "model", "pages", "parts", "words"])
        files = [p for p in portal.rglob("*") if not p.is_dir()]
        self.assertEqual([p for p in files if p.is_symlink()], [], "an installed file leads back to the source")
        for name in ("portal.js", "portal.css", "map.js", "map.css", "coast.json", "licences.txt", "icon.svg"):
            self.assertTrue((portal / "assets" / name).is_file(), name)
        for path in (portal / "assets").iterdir():
            data = path.read_bytes()
            for trace in (str(odp.SOURCE), str(self.BUILD.resolve()), "sourceMappingURL", "node_modules"):
                self.assertNotIn(trace.encode(), data, path.name)
        licences = (portal / "assets/licences.txt").read_text()
        for owner in ("Leaflet", "Agafonkin", "Natural Earth", "world-atlas", "Bostock"):
            self.assertIn(owner, licences)
        self.check_coast(json.loads((portal / "assets/coast.json").read_text()))
        compressed = sum(len(zlib.compress((portal / "assets" / name).read_bytes(), 9)) for name in ("map.js", "map.css"))
        self.assertLess(compressed, 65_000, "the map is for slow networks, too")

    def check_coast(self, coast):
        """Indonesia and its neighbours as closed rings within the window; nothing that goes around the world."""
        self.assertEqual([f["properties"]["who"] for f in coast["features"]], ["id", "other"])
        for feature in coast["features"]:
            self.assertGreater(len(feature["geometry"]["coordinates"]), 20)
            for ring in (ring for polygon in feature["geometry"]["coordinates"] for ring in polygon):
                self.assertEqual(ring[0], ring[-1])
                self.assertGreaterEqual(len(ring), 4)
                xs, ys = zip(*ring)
                self.assertTrue(52 <= min(xs) and max(xs) <= 178 and -55 <= min(ys) and max(ys) <= 58, (min(xs), max(xs), min(ys), max(ys)))
        xs, ys = zip(*(p for polygon in coast["features"][0]["geometry"]["coordinates"] for ring in polygon for p in ring))
        self.assertTrue(94.5 < min(xs) < 95.6 and 140.9 < max(xs) < 141.1 and -11.2 < min(ys) < -10.5 and 5.4 < max(ys) < 6.3, "Indonesia, from Sabang to Merauke")

    def check_pages(self, site):
        """What pages name of assets/ is there, under its digest, and integrity is that of its bytes."""
        pages, named, whole = list(site.resolve().rglob("*.html")), set(), 0
        for page in pages:
            parser = Assets()
            parser.feed(page.read_text(encoding="utf-8"))
            for address, integrity in parser.found:
                path = re.sub(r"^(@ROOT@|/|(\.\./)+)", "", address)
                data = (site / path).read_bytes()
                digest = hashlib.sha256(data)
                self.assertRegex(path, r"^assets/[0-9a-f]{32}\.[a-z0-9]+$", page)
                self.assertEqual(path.split("/")[1].split(".")[0], digest.hexdigest()[:32], path)
                named.add(path)
                if integrity is not None:
                    self.assertEqual(integrity, "sha256-" + base64.b64encode(digest.digest()).decode(), f"{page}: {path}")
                    whole += 1
                elif path.endswith((".js", ".css")):
                    self.fail(f"{page} loads {path} without integrity")
        self.assertGreater(len(pages), 20)
        self.assertGreater(len(named), 5)
        self.assertGreater(whole, len(pages))
        lines = [line.split("\t") for line in (site / "control").read_text().splitlines()]
        columns = lines[0]
        cache = {line[0]: dict(zip(columns, line)) for line in lines[1:] if line[0].startswith("assets/")}
        for path in named:
            self.assertIn("public, max-age=31536000, immutable", cache[path].values(), path)

    def test_install(self):
        subprocess.run(["cmake", "--install", self.BUILD, "--prefix", self.dir / "prefix"], check=True, capture_output=True)
        self.check_tree(self.dir / "prefix")
        self.check_gateway_tree(self.dir / "prefix")

    def test_the_root_stays_clean_and_build_is_cmakes(self):
        tree = self.dir / "tree"
        left_out = {odp.SOURCE / "build", odp.SOURCE / ".git", odp.SOURCE / "catalog", odp.SOURCE / "tests/cases"}
        shutil.copytree(odp.SOURCE, tree, ignore=lambda folder, names: {name for name in names if pathlib.Path(folder, name) in left_out})
        done = subprocess.run(["cmake", "-S", tree, "-B", tree], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cmake -B build", " ".join(done.stderr.split()))
        for name in ("CMakeCache.txt", "CMakeFiles"):
            path = tree / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        done = subprocess.run(["cmake", "-B", "build", "-DODP_TESTS=OFF", "-DODP_PORTAL_ASSETS=OFF"], cwd=tree, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((tree / "build/compile_commands.json").exists())

    def check_gateway_tree(self, prefix):
        self.assertIn("odp-gateway serve", subprocess.run([prefix / "bin/odp-gateway", "serve", "--help"], check=True, capture_output=True, text=True).stdout)
        for path in ("share/man/man1/odp-gateway.1*", "lib/systemd/system/odp-gateway.service", "lib/systemd/system/odp-pull.service",
                     "lib/systemd/system/odp-pull.timer", "share/odp/templates/gateway/README.md", "share/odp/templates/gateway/caddy/Caddyfile"):
            self.assertTrue(list(prefix.glob(path)), path)
        if (self.BUILD / "bin/ngx_http_odp_module.so").exists():
            self.assertTrue((prefix / "lib/nginx/modules/ngx_http_odp_module.so").exists())

    def pack(self):
        """{name: file} of the packages."""
        if shutil.which("dpkg-deb") is None or shutil.which("dpkg-shlibdeps") is None:
            self.skipTest("dpkg-deb or dpkg-shlibdeps is not installed")
        subprocess.run(["cpack", "--config", self.BUILD / "CPackConfig.cmake", "-B", self.dir / "pack"], check=True, capture_output=True)
        packages = {path.name.split("_")[0]: path for path in (self.dir / "pack").glob("*.deb")}
        self.assertEqual(sorted(packages), ["odp-build", "odp-gateway"])
        return packages

    def fields(self, package):
        return subprocess.run(["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout

    def test_debian_package(self):
        packages = self.pack()
        fields = self.fields(packages["odp-build"])
        for library in ("libjansson4", "libcsv3", "libshp", "libproj", "libgeos-c1"):
            self.assertIn(library, fields)
        self.assertNotIn("nginx", fields)
        subprocess.run(["dpkg-deb", "--extract", packages["odp-build"], self.dir / "root"], check=True)
        self.check_tree(self.dir / "root/usr")
        self.assertFalse(list((self.dir / "root").rglob("*gateway*")), "the gateway is a package of its own")

        fields = self.fields(packages["odp-gateway"])
        for word in ("libsqlite3-0", "libmicrohttpd", "libhiredis", "libcurl", "nginx", "Suggests: redis-server"):
            self.assertIn(word, fields)
        self.assertNotIn("libshp", fields)
        provided = subprocess.run(["dpkg-query", "-W", "-f", "${Provides}", "nginx"], capture_output=True, text=True).stdout
        for abi in re.findall(r"nginx-abi-[^ ,]+", provided):
            self.assertIn(abi, fields)
        subprocess.run(["dpkg-deb", "--raw-extract", packages["odp-gateway"], self.dir / "gateway"], check=True)
        self.check_gateway_tree(self.dir / "gateway/usr")
        self.assertFalse(list((self.dir / "gateway").rglob("odp-build*")))
        for script in ("postinst", "prerm", "postrm"):
            path = self.dir / "gateway/DEBIAN" / script
            self.assertEqual(path.stat().st_mode & 0o777, 0o755, script)
            subprocess.run(["sh", "-n", path], check=True)
            self.assertNotRegex(path.read_text(), r"systemctl (enable|start|restart)", "the operator starts it")

    def test_installation_of_the_package(self):
        """Into a folder of its own: the scripts run, and a user odp would be made, with its folders; nothing is started."""
        packages = self.pack()
        subprocess.run(["dpkg-deb", "--raw-extract", packages["odp-gateway"], self.dir / "gateway"], check=True)
        tools, log = self.dir / "tools", self.dir / "calls"
        tools.mkdir()
        for name, answer in (("getent", 2), ("useradd", 0), ("install", 0), ("systemctl", 0)):
            (tools / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {log}\nexit {answer}\n')
            (tools / name).chmod(0o755)
        env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
        subprocess.run([self.dir / "gateway/DEBIAN/postinst", "configure"], check=True, env=env)
        calls = log.read_text()
        self.assertRegex(calls, r"(?m)^useradd --system .*/var/lib/odp .*odp$")
        if not os.path.exists("/var/lib/odp"):
            self.assertRegex(calls, r"(?m)^install -d -o odp -g odp -m 0700 /var/lib/odp$")
        self.assertNotRegex(calls, r"systemctl (enable|start|restart)")


if __name__ == "__main__":
    odp.main()
