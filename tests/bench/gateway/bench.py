#!/usr/bin/env python3
"""Keyed, counted requests a second, side by side with peers: wrk, 64 connections, thousands of keys out of 100,000, one server core.

Everybody runs at once, pinned to one core; wrk has another. Rounds take turns (A B C, C A B, …), so that a noisy machine hurts all alike; what counts
is the ratio within a round. Nothing is asserted: the exit code is 0. See README.md."""
import argparse
import hashlib
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
os.environ.setdefault("ODP_SOURCE", str(ROOT))
for name, program in (("ODP_BUILD", "odp-build"), ("ODP_GATEWAY", "odp-gateway"), ("ODP_NGINX_MODULE", "ngx_http_odp_module.so")):
    os.environ.setdefault(name, str(ROOT / "build" / "bin" / program))
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import gatewaylib  # noqa: E402
import peers  # noqa: E402

SIZES = {"1k": 1024, "20k": 20 * 1024, "1m": 1024 * 1024}
TARGETS = {"1k": 1.15, "20k": 1.0, "1m": 1.0}
CPU_TARGETS = {"1k": 1.3, "20k": 1.05, "1m": 1.0}  # a request, beside bare's
P99_TARGET = 1.2
ALONE = {"1m"}  # sizes whose CPU alone.py tells: with wrk beside it, it is the loopback's that comes and goes
TIERS = [("public", 2000000000, 1000000), ("registered", 10000, 20)]  # limited, so that every check and header is made; never reached
CONNECTIONS = 64


def payload(size):
    """An envelope of exactly SIZE bytes."""
    empty = gatewaylib.envelope([{"isi": ""}])
    return gatewaylib.envelope([{"isi": "x" * (size - len(empty))}])


class Setup:
    """The site, the keys, our gateway, and the peers, in one temporary folder."""

    def __init__(self, options):
        self.options = options
        self.case = gatewaylib.Case()
        self.case.setUp()
        self.dir = self.case.dir
        self.site = self.case.small_site({f"v1/{name}.json": gatewaylib.entry(payload(SIZES[name])) for name in options.sizes}, TIERS)
        self.server_core, self.client_core = (sorted(os.sched_getaffinity(0)) * 2)[:2]
        self.wrk_keys = self.dir / "keys.txt"
        self.running = {}

    def close(self):
        for peer in self.running.values():
            peer.stop()
        self.case.doCleanups()

    def keys(self, state):
        """--keys keys in the store, a part of them for wrk."""
        keys = gatewaylib.add_keys(state, self.options.keys, TIERS[0][0])
        self.digests = self.dir / "digests.txt"
        self.digests.write_text("".join(hashlib.sha256(k.encode()).hexdigest() + "\n" for k in keys))
        self.wrk_keys.write_text("".join(k + "\n" for k in keys[:: max(1, len(keys) // self.options.rotate)]))

    def start(self):
        first = self.case.serve(self.site, workers=1)  # makes store and table
        if first.stop() != 0:
            raise SystemExit("the gateway did not end cleanly")
        self.keys(first.state)
        self.gateway = self.case.serve(self.site, *self.options.serve, workers=1, prefix=["taskset", "-c", str(self.server_core)])
        self.config = (self.gateway.state / "nginx.conf").read_text()
        self.running["odp"] = peers.Ours(self, "odp", self.gateway)
        for name in self.options.peers:
            peer = peers.REGISTRY[name](self, name)
            try:
                peer.start()
                self.running[name] = peer
            except peers.Missing as e:
                print(f"  {name}: left out, {e}", flush=True)

    def wrk(self, peer, size, seconds):
        env = dict(os.environ, ODP_BENCH_KEYS=str(self.wrk_keys), ODP_BENCH_OUT=str(self.dir / "wrk.json"))
        pathlib.Path(env["ODP_BENCH_OUT"]).unlink(missing_ok=True)
        pids = peer.processes()
        used, ours = peers.cpu_of(pids), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["taskset", "-c", str(self.client_core), "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s",
                               "-s", str(HERE / "keys.lua"), f"http://127.0.0.1:{peer.port}/v1/{size}{peer.suffix}"],
                              env=env, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"wrk: {done.stderr or done.stdout}")
        result = json.loads(pathlib.Path(env["ODP_BENCH_OUT"]).read_text())
        result["cpu"] = (peers.cpu_of(pids) - used) * 1e6 / max(1, result["requests"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        result["wrk_busy"] = (after.ru_utime + after.ru_stime - ours.ru_utime - ours.ru_stime) / seconds
        result["bad"] = [f"{k} {v}" for k, v in result["errors"].items() if v]
        if result["bytes"] < result["requests"] * SIZES[size]:
            result["bad"].append("answers shorter than the file")
        return result

    def cpu_alone(self, peer, size):
        """Microseconds a request that the peer's processes use where the client is bound to their core, and nobody else gets it meanwhile."""
        pids = peer.processes()
        peers.go_first(pids)
        used = peers.cpu_of(pids)
        done = subprocess.run(["taskset", "-c", str(self.server_core), sys.executable, str(HERE / "alone.py"), str(peer.port),
                               f"/v1/{size}{peer.suffix}", str(self.wrk_keys), str(self.options.seconds / 5)], capture_output=True, text=True,
                              preexec_fn=lambda: peers.go_first([0]))
        if done.returncode != 0:
            raise SystemExit(f"alone.py, {peer.name}: {done.stderr}")
        took = peers.cpu_of(pids) - used
        peers.go_first(pids, os.SCHED_OTHER)
        return took * 1e6 / int(done.stdout)

    def all_alone(self, size):
        """The same of everybody, the lower quartile of many short turns: the other cores' work and interrupts only add."""
        turns = [{name: self.cpu_alone(peer, size) for name, peer in self.running.items()} for _ in range(6)]
        return {name: statistics.quantiles([turn[name] for turn in turns], n=4)[0] for name in self.running}


def measure(setup, size, results):
    """All rounds of one size."""
    names, options = list(setup.running), setup.options
    for round_number in range(options.rounds + 1):  # the first warms up and is not counted
        turn = names[round_number % len(names):] + names[:round_number % len(names)]
        alone = setup.all_alone(size) if round_number and size in ALONE else {}
        for name in turn:
            peer = setup.running[name]
            cpu = {"cpu": alone[name]} if alone else {}
            before = peer.counted() if round_number else None
            r = setup.wrk(peer, size, options.seconds if round_number else 1)
            after = peer.counted(before + r["requests"]) if before is not None else None
            if before is not None and not r["requests"] <= after - before <= r["requests"] + CONNECTIONS:
                r["bad"].append(f"counted {after - before} of {r['requests']}")
            if round_number or r["bad"]:
                results.setdefault((size, name), []).append({**r, **cpu, "round": round_number})
        print(".", end="", flush=True)
    print()


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def report(setup, size, results):
    """The table of one size; of what is ours beside bare, (name, size, requests a second, p99, CPU)."""
    met = []
    print(f"\n{size} ({SIZES[size]} bytes)      requests/s    p99 ms  CPU us  wrk busy   ratio to bare: requests/s, p99, CPU")
    for name in setup.running:
        rounds = [r for r in results[size, name] if r["round"]]
        bad = sorted({b for r in results[size, name] for b in r["bad"]})
        rate, p99 = statistics.median(r["rate"] for r in rounds), statistics.median(r["p99"] for r in rounds)
        cpu, busy = statistics.median(r["cpu"] for r in rounds), statistics.median(r["wrk_busy"] for r in rounds)
        line = f"  {name:18} {rate:12,.0f} {p99 / 1000:9.2f} {cpu:7.2f} {busy:8.0%} "
        against = setup.running[name].against
        base = [r for r in results.get((size, against), ()) if r["round"]]
        if base and name != against:
            ratio = [r["rate"] / b["rate"] for r, b in zip(rounds, base)]
            tail = [r["p99"] / b["p99"] for r, b in zip(rounds, base)]
            work = [r["cpu"] / b["cpu"] for r, b in zip(rounds, base)]
            line += f"   {spread(ratio)}   {spread(tail)}   {spread(work)}" + (f"   to {against}" if against != "bare" else "")
            if name.startswith("odp"):
                met.append((name, size, *(statistics.median(x) for x in (ratio, tail, work))))
        print(line + ("   " + setup.running[name].note if setup.running[name].note else "") + (f"   WRONG: {bad}" if bad else ""))
    return met


def verdicts(met):
    print()
    for name, size, *values in met:
        for what, value, target in zip(("requests/s", "p99", "CPU"), values, (TARGETS[size], P99_TARGET, CPU_TARGETS[size])):
            ok = value >= target if what == "requests/s" else round(value, 2) <= target
            print(f"{'met   ' if ok else 'MISSED'} {name} {size} {what}: {value:.2f}, target {'>=' if what == 'requests/s' else '<='} {target}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("--sizes", default="1k,20k,1m")
    parser.add_argument("--peers", default=",".join(peers.USUAL), help="some of: " + ", ".join(peers.REGISTRY))
    parser.add_argument("--keys", type=int, default=100000)
    parser.add_argument("--rotate", type=int, default=5000, help="how many of the keys wrk uses")
    parser.add_argument("--serve", default="", help="further options of `odp-gateway serve`")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    options.sizes = [s for s in options.sizes.split(",") if s]
    options.peers = [p for p in options.peers.split(",") if p]
    options.serve = options.serve.split()
    unknown = [s for s in options.sizes if s not in SIZES] + [p for p in options.peers if p not in peers.REGISTRY]
    if unknown or options.rounds < 1 or options.seconds < 1:
        parser.error(f"unknown: {', '.join(unknown)}" if unknown else "rounds and seconds start at 1")
    for tool in ("wrk", "nginx", "taskset"):
        if not shutil.which(tool):
            raise SystemExit(f"{tool} is not installed")
    setup, results, met = Setup(options), {}, []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        setup.start()
        print(f"{options.keys} keys, {options.rotate} in use; server on core {setup.server_core}, wrk on core {setup.client_core}, "
              f"{CONNECTIONS} connections, {options.rounds} rounds of {options.seconds} s: {', '.join(setup.running)}", flush=True)
        for size in options.sizes:
            print(size, end=" ", flush=True)
            measure(setup, size, results)
            met += report(setup, size, results)
        verdicts(met)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps({
                "rounds": [{"size": s, "peer": n, **r} for (s, n), rs in results.items() for r in rs],
                "ratios": [{"peer": n, "size": s, "rate": a, "p99": b, "cpu": c} for n, s, a, b, c in met]}, indent=1) + "\n")
    finally:
        setup.close()


if __name__ == "__main__":
    main()
