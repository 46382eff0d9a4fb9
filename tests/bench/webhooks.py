"""Ten thousand subscriptions, one new version: how long until each has its message, what the service takes for it, and what static files lose meanwhile. The receiver is
tests/bench/receiver.c on loopback; everything runs on this machine. Nothing is asserted but that every message arrives once. See README.md.

    python3 tests/bench/webhooks.py [--subscriptions 10000] [--places 1000] [--rounds 3] [--filters 0]
                                    PLACES: hosts that the receiver has (127.x.y.z); FILTERS: how many different filters they have; 0: none"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "build"
for name, value in (("ODP_SOURCE", ROOT), ("ODP_BINARY_DIR", OUT), ("ODP_BUILD", OUT / "bin/odp-build"), ("ODP_SAMPLE", OUT / "bin/odp-sample"),
                    ("ODP_GATEWAY", OUT / "bin/odp-gateway"), ("ODP_NGINX_MODULE", OUT / "bin/ngx_http_odp_module.so")):
    os.environ.setdefault(name, str(value))
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import gatewaylib  # noqa: E402

FIELDS = [{"name": "kode", "type": "string"}, {"name": "provinsi", "type": "string"}, {"name": "luas", "type": "number"}]
ROWS = 2000
KEYS = 500


def csv_of(changed):
    return "kode,provinsi,luas\n" + "".join(f"K{i},{i % 97:02d},{i + (changed if i % 97 == 31 else 0)}\n" for i in range(ROWS))


class Receiver:
    def __init__(self, folder):
        program = folder / "receiver"
        subprocess.run(["cc", "-O2", "-o", program, ROOT / "tests/bench/receiver.c"], check=True)
        self.port = gatewaylib.free_port()
        self.process = subprocess.Popen([program, str(self.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def count(self):
        self.say("count")
        return int(self.process.stdout.readline())

    def dump(self):
        self.say("dump")
        return [(ident, path, int(at)) for ident, path, at in (line.split() for line in iter(self.process.stdout.readline, "end\n"))]


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def threads_of(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def memory_of(pid, name="VmHWM"):
    return int(re.search(rf"{name}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def wrk(gateway, key, seconds):
    done = subprocess.run(["wrk", "-t1", "-c16", f"-d{seconds}s", "-H", f"Authorization: Bearer {key}", gateway.url("/v1/mini")], capture_output=True, text=True)
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    return float(found.group(1)), "Non-2xx" in done.stdout


class Bench(gatewaylib.Case):
    def portal(self, tiers=None, **members):
        super().portal(tiers, **members)
        path = self.dir / "catalog/portal.json"
        portal = json.loads(path.read_text())
        for tier in portal["tiers"]:
            tier["webhooks"] = None  # any number
        path.write_text(json.dumps(portal))

    def runTest(self):
        a = self.arguments
        self.catalogue(references=False)
        self.dataset("mini", csv_of(0), FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.compile(out="site", tiers=[("government", None, 1000000)])
        gateway = self.serve(self.dir / "site", "--webhook-loopback", workers=1)
        gateway.stop()
        keys = gatewaylib.add_keys(gateway.state, KEYS, "government")
        gateway.start()
        receiver = Receiver(self.dir)
        self.addCleanup(receiver.process.kill)
        self.register(gateway, keys, receiver)
        service = max(gateway.processes(), key=threads_of)
        print(f"service after registering: {memory_of(service, 'VmRSS'):.0f} MiB")
        alone, _ = wrk(gateway, keys[0], 3) if shutil.which("wrk") else (0, False)
        for round_ in range(a.rounds):
            self.round(gateway, receiver, service, round_, keys[0], alone)

    def register(self, gateway, keys, receiver):
        a, began = self.arguments, time.monotonic()

        def some(part):
            connection = gatewaylib.Connection(gateway.port)
            for i in part:
                place = i % a.places
                document = {"url": f"http://127.{1 + place // 62500}.{place // 250 % 250}.{place % 250 + 1}:{receiver.port}/hook/{i}",
                            "events": ["dataset.version.published"]}
                if a.filters:
                    document.update(datasets=["mini"], filter=f"luas > {i % a.filters} AND provinsi = '31'")
                body = json.dumps(document).encode()
                answer = connection.get("/v1/webhooks", keys[i % KEYS], "POST", ["Content-Type: application/json"], body)
                assert answer.status == 201, answer
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(some, [range(n, a.subscriptions, 4) for n in range(4)]))
        print(f"{a.subscriptions} subscriptions registered in {time.monotonic() - began:.1f} s")
        gatewaylib.wait_for("the challenges", lambda: gateway.metrics().get('odp_webhook_subscriptions{state="active"}') == a.subscriptions, 300, 1)
        print(f"all confirmed after {time.monotonic() - began:.1f} s")

    def round(self, gateway, receiver, service, round_, key, alone):
        a = self.arguments
        receiver.say("clear")
        self.update("mini", f"2024-04-{round_ + 1:02d}", csv_of(round_ + 1))
        cpu = cpu_of(service)
        began = time.time_ns()
        self.odp("build", "--out", self.dir / "site", "--quiet")
        switched = os.lstat(self.dir / "site").st_mtime_ns
        load = None
        if shutil.which("wrk") and round_ == a.rounds - 1:
            load = wrk(gateway, key, 2)
        gatewaylib.wait_for("all messages", lambda: receiver.count() >= a.subscriptions, 300, 0.05)
        time.sleep(1)
        messages = receiver.dump()
        took = sorted((at - switched) / 1e9 for _, _, at in messages)
        assert len({m[0] for m in messages}) == len(messages) == a.subscriptions, (len(messages), len({m[0] for m in messages}))
        print(f"round {round_ + 1}: build {(switched - began) / 1e9:.2f} s; from the switch: first {took[0]:.2f}, p50 {statistics.median(took):.2f}, "
              f"p99 {took[int(len(took) * 0.99)]:.2f}, last {took[-1]:.2f} s; service {cpu_of(service) - cpu:.2f} s CPU, at most {memory_of(service):.0f} MiB"
              + (f"; static files beside it {load[0] / alone:.2f} of their rate alone{' WITH ERRORS' if load[1] else ''}" if load else ""))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name, value in (("--subscriptions", 10000), ("--places", 1000), ("--rounds", 3), ("--filters", 0)):
        parser.add_argument(name, type=int, default=value)
    Bench.arguments = parser.parse_args()
    sys.argv[1:] = []
    gatewaylib.odp.unittest.TextTestRunner().run(Bench())
