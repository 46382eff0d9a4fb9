"""cmake --install and the Debian package put a program in place that runs."""
import os
import pathlib
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

    def test_the_source_folder_build_is_not_cmakes(self):
        tree = self.dir / "tree"
        shutil.copytree(odp.SOURCE, tree, ignore=shutil.ignore_patterns("out", ".git", "catalog", "cases"))
        for folder in ("build", "."):
            done = subprocess.run(["cmake", "-S", tree, "-B", tree / folder], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0, folder)
            self.assertIn("cmake --preset default", " ".join(done.stderr.split()))

    def test_debian_package(self):
        if shutil.which("dpkg-deb") is None or shutil.which("dpkg-shlibdeps") is None:
            self.skipTest("dpkg-deb or dpkg-shlibdeps is not installed")
        subprocess.run(["cpack", "--config", self.BUILD / "CPackConfig.cmake", "-B", self.dir / "pack"], check=True, capture_output=True)
        package = next((self.dir / "pack").glob("*.deb"))
        fields = subprocess.run(["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout
        for library in ("libjansson4", "libcsv3", "libshp", "libproj", "libgeos-c1"):
            self.assertIn(library, fields)
        subprocess.run(["dpkg-deb", "--extract", package, self.dir / "root"], check=True)
        self.check_tree(self.dir / "root/usr")


if __name__ == "__main__":
    odp.main()
