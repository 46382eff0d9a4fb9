"""setup.sh on a machine that has nothing: a bare chroot of each distribution that it is to run on. Somebody who may not install is told all that is missing in one
line; root installs it, builds and compiles the catalogue; then nothing is missing any more, for a user either. Needs root, debootstrap, and the distribution's mirror.

    python3 tests/e2e/fresh_machine.py Fresh.test_debian_13             one of them (environment as of all tests of this folder)
    ODP_FRESH_TESTS=1 python3 tests/e2e/fresh_machine.py …              `setup.sh test`, too: the tests of every day, there"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

import odp

SCRIPTS = pathlib.Path("/usr/share/debootstrap/scripts")
DEBIAN, UBUNTU = "http://deb.debian.org/debian", "http://archive.ubuntu.com/ubuntu"
AUTHORITIES = pathlib.Path("/usr/local/share/ca-certificates")  # of whoever stands between this machine and the internet
# What only a namespace of its own has mounted ends with it, whatever happens.
INSIDE = """mount -t proc proc "$1/proc" && mkdir -p "$1/dev/shm" "$1/dev/pts" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" && mount -t devpts devpts "$1/dev/pts" &&
exec chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt sh -c "$2" """


@unittest.skipUnless(os.geteuid() == 0, "only root can make a chroot")
@unittest.skipUnless(shutil.which("debootstrap") and shutil.which("unshare"), "debootstrap or unshare is not installed")
class Fresh(unittest.TestCase):
    def inside(self, command, expect=0):
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", INSIDE, "sh", self.root, command], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, expect, f"{command}\n{done.stdout[-6000:]}")
        return done.stdout

    def bare(self, suite, mirror, parts):
        """The smallest machine there is, with the project in /home/user/odp."""
        try:
            urllib.request.urlopen(f"{mirror}/dists/{suite}/InRelease", timeout=20).close()
        except OSError as e:
            self.skipTest(f"{mirror} cannot be reached: {e}")
        script = SCRIPTS / suite if (SCRIPTS / suite).exists() else SCRIPTS / ("gutsy" if mirror == UBUNTU else "sid")
        top = pathlib.Path(tempfile.mkdtemp(prefix="odp-fresh-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, top, ignore_errors=True)
        self.root = top / "root"
        made = subprocess.run(["debootstrap", "--variant=minbase", f"--components={parts}", suite, self.root, mirror, script], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr[-2000:])
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        if AUTHORITIES.is_dir():
            shutil.copytree(AUTHORITIES, self.root / AUTHORITIES.relative_to("/"), dirs_exist_ok=True)
        self.inside("useradd --create-home user")
        shutil.copytree(odp.SOURCE, self.root / "home/user/odp", symlinks=True, ignore=lambda folder, names: {"build", ".git", "__pycache__"} & set(names))
        self.inside("chown -R user: /home/user")

    def check(self, suite, mirror, parts="main"):
        self.bare(suite, mirror, parts)
        setup = "cd /home/user/odp && sh tools/setup.sh"
        said = self.inside(f"su user -c '{setup} run'", expect=1)
        (line,) = [line for line in said.splitlines() if line.strip().startswith("apt-get install ")]
        self.inside(f"{setup} run")
        self.assertEqual(self.inside(f"dpkg-query -W -f '${{db:Status-Status}}\\n' {line.split('install', 1)[1]} | sort -u"), "installed\n")
        self.assertTrue((self.root / "home/user/odp/build/site/index.html").is_file())
        self.assertTrue((self.root / "home/user/odp/build/bin/ngx_http_odp_module.so").is_file())
        self.inside("chown -R user: /home/user")
        self.assertNotIn("missing", self.inside(f"su user -c '{setup} run'"))
        if os.environ.get("ODP_FRESH_TESTS"):
            print(self.inside(f"{setup} test"))

    def test_debian_12(self):
        self.check("bookworm", DEBIAN)

    def test_debian_13(self):
        self.check("trixie", DEBIAN)

    def test_ubuntu_24_04(self):
        self.check("noble", UBUNTU, "main,universe")


if __name__ == "__main__":
    odp.main()
