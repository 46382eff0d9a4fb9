"""Starting a gateway while memory, the disk, SQLite, threads and processes fail: the Nth call of every kind, once or from then on, in the program and in its service, with
a state folder that has keys, with none, and with nginx. Either it runs, and then the keys are right; or it ends with a code and a sentence. In both cases the next start
of a sound machine works, with every key as it was, and nothing is left in the folder. Nobody is let in meanwhile. `full` takes a sample; `deep` (ODP_FAULT_ALL=1)
takes all Ns, or 400 of a kind that has more."""
import os
import pathlib
import random
import re
import signal
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import gatewaylib  # noqa: E402
import gatewayshimlib  # noqa: E402
from gatewaylib import Connection, wait_for  # noqa: E402
from gatewayshimlib import KINDS, PARENT, SERVICE  # noqa: E402

ALL = bool(os.environ.get("ODP_FAULT_ALL"))
MOST, SAMPLE = 400, int(os.environ.get("ODP_FAULT_SAMPLE", "1"))
SEED = int(os.environ.get("ODP_FAULT_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
LEFTOVERS = re.compile(r"\.(part|new|rebuild|restore|tmp)\b|-journal$|\.part-")
SENTENCE = re.compile(r"^odp-gateway: (?!warning|peringatan|working as|ready)\S.{7,}|^[\d:TZ-]+ error .{10,}|\[emerg\] .{10,}", re.M)


class Start(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        gatewayshimlib.needs_shim()
        self.random = random.Random(SEED)
        self.site = self.small_site(tiers=[("public", 1000, 1000)])
        self.shim = gatewayshimlib.Shim(self.dir, self.dir / "state")
        self.tried, self.ran, self.ended, self.let_in, self.lost, self.gateways = {}, 0, 0, [], [], {}

    def gateway(self, nginx):
        """One for all starts of a test: the ports of each are kept until the test ends, and thousands of them are not to be had."""
        if nginx not in self.gateways:
            kind = gatewaylib.Gateway if nginx else gatewayshimlib.Service
            self.gateways[nginx] = kind(self.site, self.dir / "state", workers=1, env=self.shim.env())
            self.addCleanup(self.gateways[nginx].destroy)
        return self.gateways[nginx]

    def prepare(self):
        """A folder with a key that works, one that was replaced, and a revoked one."""
        g = self.gateway(False).start()
        self.good, self.old, self.bad = (g.create_key("public") for _ in range(3))
        self.new = g.ask("/auth/rotate", self.old, "POST").json()["data"][0]["key"]
        self.assertEqual(g.ask("/auth/key", self.bad, "DELETE").status, 200)
        self.assertEqual(g.stop(), 0)
        gatewayshimlib.copy_state(self.dir / "state", self.dir / "made")

    def status(self, g, key):
        try:
            return g.get("/auth/key", key).status
        except (OSError, AssertionError, Connection.Unanswered):
            return None

    def outsiders(self, g, what):
        for name, key in (("revoked", self.bad), ("unknown", gatewaylib.make_key()), ("none", None)):
            status = self.status(g, key)
            if status is not None and status < 400:
                self.let_in.append((what, name, status))

    def right(self, g):
        return [self.status(g, k) for k in (self.good, self.old, self.new, self.bad)] == [200, 200, 200, 401]

    def sound(self, g, what):
        """The next start, on a machine that has what it needs."""
        g.start()
        if not self.right(g):
            self.lost.append((what, [self.status(g, k) for k in (self.good, self.old, self.new, self.bad)]))
        g.run("check")
        self.assertEqual(g.stop(), 0, what)
        store = sqlite3.connect(g.state / "store.sqlite")
        self.assertEqual(store.execute("PRAGMA integrity_check").fetchone(), ("ok",), what)
        self.assertEqual(store.execute("SELECT count(*), max(seq) - count(*) FROM audit").fetchone()[1], 0, what)
        store.close()
        self.assertEqual([p.name for p in g.state.rglob("*") if LEFTOVERS.search(p.name)], [], what)

    def put_back(self, made):
        if made:
            gatewayshimlib.copy_state(self.dir / "made", self.dir / "state")
        else:
            gatewayshimlib.shutil.rmtree(self.dir / "state", ignore_errors=True)

    def one(self, nginx, made, kind, n, on):
        what = f"{kind}:{n}{' on' if on else ''}{' nginx' if nginx else ''}{' made' if made else ' new'}"
        self.put_back(made)
        g = self.gateway(nginx)
        self.shim.arm(kind, n, on, self.roles)
        g.start(wait=False)

        def over():
            if g.process.poll() is not None:
                return "ended"
            return b"odp-gateway: ready" in g.log_path.read_bytes()[g.log_start:] and "ready"
        try:
            outcome = wait_for(what, over)
        except AssertionError:
            g.destroy()
            self.fail(f"{what}: it neither runs nor ends:\n{g.log_text()[-2000:]}")
        if outcome == "ready" and made:
            self.outsiders(g, what)
        calls, failed = self.shim.disarm()
        if outcome == "ready":
            self.ran += 1
            if made:
                wait_for(f"{what}: the keys\n{g.log_text()[-2000:]}", lambda: self.right(g) or g.process.poll() is not None)
            self.assertEqual(g.stop(), 0, f"{what}\n{g.log_text()[-2000:]}")
        else:
            said = g.log_path.read_bytes()[g.log_start:].decode(errors="replace")
            self.ended += 1
            self.assertGreater(g.process.returncode, 0, f"{what}\n{said}")
            self.assertRegex(said, SENTENCE, what)
            self.assertTrue(failed, f"{what} ended although nothing failed\n{said}")
        self.assertEqual(g.processes(), {}, what)
        if made:
            self.sound(self.gateway(nginx), what)
        elif outcome == "ended":
            g.start()
            self.assertEqual(g.stop(), 0, what)
        self.tried[kind] = self.tried.get(kind, 0) + (failed > 0)
        return calls

    def rounds(self, nginx, made, kinds=KINDS):
        self.prepare()
        self.put_back(made)
        g = self.gateway(nginx)
        self.shim.count_all(self.roles)
        g.start()
        counts = self.shim.counts()
        self.assertEqual(g.stop(signal.SIGTERM), 0)
        print(f"seed {SEED}; {({k: v for k, v in counts.items() if v})}", file=sys.stderr)
        for kind in kinds:
            for n in gatewayshimlib.points(self.random, counts[kind], MOST if ALL else SAMPLE):
                with self.subTest(kind=kind, n=n):
                    try:
                        self.one(nginx, made, kind, n, on=n % 2 == 0)
                    except AssertionError:
                        gatewaylib.Gateway.destroy(self.gateway(nginx))
                        raise
        print(f"faults {self.tried} = {sum(self.tried.values())}; ran {self.ran}, ended with a sentence {self.ended}, lost {len(self.lost)}, let in {len(self.let_in)}", file=sys.stderr)
        self.assertEqual((self.lost, self.let_in), ([], []))
        self.assertGreater(sum(self.tried.values()), 5)

    roles = PARENT | SERVICE

    def test_keys(self):
        self.rounds(nginx=False, made=True)

    def test_new_folder(self):
        self.rounds(nginx=False, made=False, kinds=KINDS if ALL else ["alloc", "open", "write", "fsync", "rename", "make", "resize", "sqlwrite", "random"])

    def test_nginx(self):
        """What only the start of nginx has: its configuration, its test, its process, its own opening of table, meter and site."""
        self.roles = PARENT | gatewayshimlib.MASTER | gatewayshimlib.WORKER
        self.rounds(nginx=True, made=True, kinds=["alloc", "open", "read", "write", "fsync", "rename", "unlink", "make", "map", "process", "descriptor", "nginx", "pool", "stat"] if ALL else
                    ["alloc", "open", "write", "rename", "process", "nginx", "pool", "map"])


if __name__ == "__main__":
    gatewaylib.main()
