"""A disk that is full, over its quota, or cannot be written any more, below a running gateway: registrations and changes of keys are refused with 503 and a sentence in the log, keys that are known go
on to read, nothing that was refused is there, and as soon as there is room it all goes on without a restart. By a budget of bytes (tests/fault/gateway_shim.c), on a small tmpfs
in a mount namespace of the test's own, and on one that is made read-only; the last two skip where mounting is not allowed."""
import ctypes
import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import gatewaylib
import gatewayshimlib
from gatewaylib import wait_for

TIERS = [("public", 1000000, 1000000)]
CLONE_NEWNS, CLONE_NEWUSER, MS_RDONLY, MS_REMOUNT, MS_REC, MS_PRIVATE = 0x20000, 0x10000000, 1, 32, 16384, 1 << 18


class Disk(gatewaylib.Case):
    def start(self, **more):
        self.site = self.small_site(tiers=TIERS)
        self.g = self.serve(self.site, "--registrations", "1000000", **more)
        self.key, self.revoked, self.n = self.g.create_key("public"), self.g.create_key("public"), 0
        self.assertEqual(self.g.get("/auth/key", self.revoked, method="DELETE").status, 200)
        self.page = self.g.get("/v1/kumuh", self.key).body
        self.good = [self.key]

    def register(self):
        self.n += 1
        self.email = f"a{self.n}@example.org"
        body = json.dumps({"name": "Uji", "email": self.email, "purpose": "x" * 900}).encode()
        answer = self.g.get("/auth/register", method="POST", headers=["Content-Type: application/json", "Accept-Language: en"], body=body)
        if answer.status == 201:
            self.good.append(answer.json()["data"][0]["key"])
        return answer

    def reads(self, what):
        """Those who may read do, and nobody else."""
        answer = self.g.get("/v1/kumuh", self.key)
        self.assertEqual((answer.status, answer.body), (200, self.page), what)
        for key in (self.revoked, gatewaylib.make_key(), None):
            self.assertEqual(self.g.get("/v1/kumuh", key).status, 401, what)

    def refused(self, answer, what):
        document = self.problem(answer, 503, "unavailable")
        self.assertIn("Data can still be read", document["detail"], what)
        self.assertTrue(int(answer.get("retry-after")) > 0, answer)
        store = sqlite3.connect(f"file:{self.g.state}/store.sqlite?mode=ro", uri=True, timeout=30)
        there = store.execute("SELECT count(*) FROM holder WHERE email_fold = ?", (self.email,)).fetchone()[0]
        store.close()
        self.assertEqual(there, 0, f"{what}: what was refused is there")

    def told(self, what, words=("ok",)):
        """What monitors and load balancers are told, within a second: that something is refused, and that reads go on."""
        def agree():
            health, ready, metrics = self.g.metrics_get("/healthz"), self.g.metrics_get("/readyz"), self.g.metrics()
            said = health.json()
            ok = said["writes"] == "ok"
            self.assertEqual((ready.status, said["status"], health.status), (200, "ok" if ok else "degraded", 200 if ok else 503), f"{what}: {said}")
            return said["writes"] in words and metrics["odp_writes_ok"] == ok and (metrics["odp_state_free_bytes"] > 0 or not ok)
        wait_for(f"{what}: {words}", agree)

    def full(self, what, sentence, most=3000):
        """Registrations until one is refused; then what holds meanwhile."""
        for _ in range(most):
            answer = self.register()
            if answer.status != 201:
                break
        self.refused(answer, what)
        for _ in range(3):
            self.refused(self.register(), what)
            self.reads(what)
        self.told(what, ("no-space", "read-only", "failing"))
        self.assertEqual(self.g.get("/auth/tiers").status, 200)
        said = re.findall(r"error /auth/register: (.*)", self.g.log_text())
        self.assertTrue(said and re.search(sentence, said[-1]) and "make room on the disk" in said[-1], said[-3:] or self.g.log_text()[-1500:])

    def again(self, what):
        """There is room: it goes on by itself, and all that was acknowledged is there."""
        wait_for(f"{what}: registrations", lambda: self.register().status == 201)
        self.told(what)
        rotated = self.g.get("/auth/rotate", self.good[-1], method="POST")
        self.assertEqual(rotated.status, 201, rotated)
        self.good.append(rotated.json()["data"][0]["key"])
        self.whole(what)

    def whole(self, what):
        self.reads(what)
        self.assertEqual([k[:14] for k in self.good if self.g.get("/v1/kumuh", k).status != 200], [], what)
        done = self.g.run("check", env={}, expect=None)  # which also says that a small disk is small
        self.assertEqual([line for line in done.stdout.splitlines() if not line.startswith(("ok ", "skip")) and " disk " not in f" {line} "], [], what)

    def restarted(self, what):
        pid = self.g.process.pid
        self.assertEqual(self.g.stop(), 0)
        self.g.start()
        self.whole(f"{what}, after a restart")
        self.assertNotEqual(pid, self.g.process.pid)
        print(f"{what}: {self.n} asked, {len(self.good) - 2} acknowledged, lost 0, let in 0", file=sys.stderr)

    def test_budget(self):
        """ENOSPC and EDQUOT after so many bytes, at whatever byte that is."""
        gatewayshimlib.needs_shim()
        self.shim = gatewayshimlib.Shim(self.dir, self.dir / "state")
        self.start(env=self.shim.env())
        for left, error, sentence in ((40000, errno.ENOSPC, "No space left on device"), (41, errno.EDQUOT, "disk I/O error|quota"), (0, errno.EROFS, "disk I/O error|Read-only"), (5000, errno.EDQUOT, "disk I/O error|quota")):
            self.shim.budget(left, error)
            self.full(f"{left} bytes", sentence)
            self.shim.budget(None)
            self.again(f"after {left} bytes")
        self.restarted("budget")

    def test_table_has_no_room(self):
        """Where the disk has room for the store and none for the key table's next records, nothing is acknowledged, and nothing half there."""
        gatewayshimlib.needs_shim()
        self.shim = gatewayshimlib.Shim(self.dir, self.dir / "state")
        self.start(env=self.shim.env())
        self.shim.arm("resize", 1, True, gatewayshimlib.SERVICE)
        for _ in range(200):  # what is allocated already is used first
            answer = self.register()
            if answer.status != 201:
                break
        self.refused(answer, "no room in the table")
        self.reads("no room in the table")
        self.assertGreater(self.shim.disarm()[1], 0)
        self.again("room in the table")
        self.restarted("no room in the table")

    def space(self, command):
        """COMMAND of this file again, in a mount namespace; skips where there can be none."""
        env = {**os.environ, "ODP_DISK_INSIDE": command}
        done = subprocess.run([sys.executable, __file__, f"Inside.{command}"], env=env, capture_output=True, text=True)
        if "cannot mount here" in done.stderr:
            self.skipTest("mounting is not allowed here")
        self.assertTrue("acknowledged" in done.stderr or done.returncode, done.stderr)
        sys.stderr.write("".join(line + "\n" for line in done.stderr.splitlines() if "acknowledged" in line))
        self.assertEqual(done.returncode, 0, done.stderr[-6000:])

    def test_small_disk(self):
        self.space("small_disk")

    def test_read_only(self):
        self.space("read_only")


def mounted(folder, size):
    """A tmpfs of SIZE at FOLDER, in a namespace of ours that ends with us."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNS) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
            raise PermissionError("cannot mount here")
        try:
            open("/proc/self/setgroups", "w").write("deny")
            open("/proc/self/uid_map", "w").write(f"0 {user} 1")
            open("/proc/self/gid_map", "w").write(f"0 {group} 1")
        except OSError:
            raise PermissionError("cannot mount here") from None
    libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    if libc.mount(b"odp", str(folder).encode(), b"tmpfs", 0, f"size={size},mode=700".encode()) != 0:
        raise PermissionError("cannot mount here")
    return libc


class Inside(Disk):
    """What runs in the namespace."""

    def make(self, size):
        (self.dir / "disk").mkdir()
        self.libc = mounted(self.dir / "disk", size)
        self.addCleanup(self.libc.mount, b"odp", str(self.dir / "disk").encode(), b"tmpfs", MS_REMOUNT, b"")

    def small_disk(self):
        self.make("48m")
        self.start(state="disk/state")
        ballast = self.dir / "disk" / "ballast"

        def fill(left):
            """Ballast until LEFT bytes are free; the gateway writes meanwhile, so the disk may be full before."""
            stat = os.statvfs(self.dir / "disk")
            with open(ballast, "ab", buffering=0) as f:
                try:
                    f.write(bytes(max(0, stat.f_bavail * stat.f_frsize - left)))
                except OSError as e:
                    if e.errno != errno.ENOSPC:
                        raise
        for left in (0, 60000, 400000):
            fill(left)
            self.told("nobody has asked for anything yet", ("no-space",))
            self.full(f"{left} bytes left on a tmpfs", "No space left on device")
            ballast.unlink()
            self.again("the tmpfs has room")
        fill(0)
        wait_for("the service to say it", lambda: "No space" in self.g.log_text())
        self.assertEqual(self.g.stop(), 0)  # with a full disk, too
        g = self.g.start(wait=False)
        code = wait_for("a start on a full disk", lambda: g.process.poll() is not None or b"odp-gateway: ready" in g.log_path.read_bytes()[g.log_start:])
        if g.process.poll() is not None:
            self.assertGreater(g.process.returncode, 0)
            self.assertRegex(g.log_path.read_bytes()[g.log_start:].decode(), "No space left on device")
        else:
            self.reads("started on a full disk")
            self.assertEqual(g.stop(), 0)
        self.assertTrue(code)
        ballast.unlink()
        g.start()
        self.whole("room again")
        self.assertEqual(g.stop(), 0)
        print(f"a small disk: {self.n} asked, {len(self.good) - 4} acknowledged, lost 0, let in 0", file=sys.stderr)

    def read_only(self):
        self.make("200m")
        self.start(state="disk/state")
        self.assertEqual(self.g.stop(), 0)
        at = str(self.dir / "disk").encode()
        self.assertEqual(self.libc.mount(b"odp", at, b"tmpfs", MS_REMOUNT | MS_RDONLY, b""), 0)
        self.g.log_path = self.dir / "gateway.log"  # not on that disk
        g = self.g.start(wait=False)
        wait_for("the end", lambda: g.process.poll() is not None)
        said = g.log_path.read_bytes()[g.log_start:].decode()
        self.assertGreater(g.process.returncode, 0, said)
        self.assertRegex(said, r"odp-gateway: .*(Read-only file system|cannot be (written|made|opened))")
        self.assertEqual(self.libc.mount(b"odp", at, b"tmpfs", MS_REMOUNT, b""), 0)
        self.g.start()
        self.again("it can be written again")
        self.assertEqual(self.g.stop(), 0)
        print(f"read-only: {self.n} asked, {len(self.good) - 2} acknowledged, lost 0, let in 0", file=sys.stderr)


def load_tests(loader, standard, pattern):
    suite = gatewaylib.odp.unittest.TestSuite()
    if os.environ.get("ODP_DISK_INSIDE"):
        suite.addTest(Inside(os.environ["ODP_DISK_INSIDE"]))
    else:
        suite.addTests(loader.loadTestsFromTestCase(Disk))
    return suite


if __name__ == "__main__":
    if os.environ.get("ODP_DISK_INSIDE"):
        sys.argv = sys.argv[:1]
    gatewaylib.main()
