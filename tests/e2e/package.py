"""cmake --install and the Debian package put a program in place that runs."""
import os
import pathlib
import re
import shutil
import subprocess

import odp


class Package(odp.Case):
    BUILD = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "out"))

    def check_tree(self, prefix):
        program = prefix / "bin/odp-build"
        done = subprocess.run([program, "build", "--catalog", prefix / "share/odp/templates/catalog", "--out", self.dir / "site"], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.dir / "site/v1/air-minum.json").is_file())
        self.assertTrue(list(prefix.glob("share/man/man1/odp-build.1*")))

    def test_install(self):
        subprocess.run(["cmake", "--install", self.BUILD, "--prefix", self.dir / "prefix"], check=True, capture_output=True)
        self.check_tree(self.dir / "prefix")
        self.check_gateway_tree(self.dir / "prefix")

    def test_the_source_folder_build_is_not_cmakes(self):
        tree = self.dir / "tree"
        shutil.copytree(odp.SOURCE, tree, ignore=shutil.ignore_patterns("out", ".git", "catalog", "cases"))
        for folder in ("build", "."):
            done = subprocess.run(["cmake", "-S", tree, "-B", tree / folder], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0, folder)
            self.assertIn("cmake --preset default", " ".join(done.stderr.split()))

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
