"""Fails the Nth allocation, read, write, fsync, rename and close of verify and bundle: a machine that fails is never a fault of the site (exit
3, not 1), nothing sound is said that was not proved, and nothing half is left behind. `deep` (ODP_FAULT_ALL=1) takes all Ns."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import odp  # noqa: E402
import verifying  # noqa: E402

SHIM = os.environ["ODP_SHIM"]


class Verify(odp.Case):
    def setUp(self):
        super().setUp()
        subprocess.run(["cp", "-a", verifying.Made.all() / "two", self.dir / "build"], check=True)
        (self.dir / "scratch").mkdir()

    def run_with(self, fault, *args):
        count = self.dir / "count"
        count.unlink(missing_ok=True)
        env = dict(os.environ, LD_PRELOAD=SHIM, ODP_FAULT=fault, ODP_FAULT_COUNT=str(count), TMPDIR=str(self.dir / "scratch"))
        done = subprocess.run([odp.PROGRAM, *args, "--jobs", "1"], cwd=self.dir, env=env, capture_output=True, text=True)
        return done, int(count.read_text()) if count.exists() else 0

    def one_command(self, *args):
        made = args[1] if args[0] == "bundle" else None
        seen = 0
        for kind in ("alloc", "read", "write", "fsync", "rename", "close"):
            done, total = self.run_with(f"{kind}:0", *args)
            self.assertEqual(done.returncode, 0, done.stderr)
            whole = (self.dir / made).read_bytes() if made else done.stdout
            numbers = range(1, total + 1)
            if not os.environ.get("ODP_FAULT_ALL"):
                numbers = sorted({*numbers[:6], *numbers[::max(1, total // 20)], *numbers[-4:]})
            for n in numbers:
                if made:
                    (self.dir / made).unlink(missing_ok=True)
                done, _ = self.run_with(f"{kind}:{n}", *args)
                with self.subTest(f"{kind}:{n}"):
                    seen += 1
                    self.assertIn(done.returncode, (0, 3) if kind in ("close", "alloc") else (3,), done.stderr[-2000:])
                    self.assertEqual(bool(done.stderr.strip()), done.returncode == 3)
                    if done.returncode == 0:
                        self.assertEqual((self.dir / made).read_bytes() if made else done.stdout, whole)
                    else:
                        self.assertEqual(done.stdout, "")
                    self.assertEqual([p for p in os.listdir(self.dir) if "part" in p] + os.listdir(self.dir / "scratch"), [])
                for left in (self.dir / "scratch").iterdir():
                    shutil.rmtree(left)
        self.assertGreater(seen, 40)

    def test_verify(self):
        self.one_command("verify")

    def test_bundle(self):
        self.one_command("bundle", "a.zip")
        self.one_command("bundle", "a.tar.zst")


if __name__ == "__main__":
    odp.main()
