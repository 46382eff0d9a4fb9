"""odp beside its peers, in one run: see README.md. `cmake --build --preset bench`, or

    python3 tests/bench/run.py [--only check,export,shapes,build,catalogue,query,gateway] [--rows N] [--rounds N]
"""
import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import agree  # noqa: E402
import picture  # noqa: E402
import workloads  # noqa: E402
from measure import contest, fastest, ratio, remove  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def describe(contender):
    return {"name": contender.name, "does": contender.does, "threads": contender.threads, "ours": contender.ours, "seconds": contender.seconds, "cpu": contender.cpu,
            "median": statistics.median(contender.seconds), "best": min(contender.seconds), "memory": contender.memory}


def versions():
    """What runs here, by its own word."""
    found = {"machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release().split('-')[0]}"}
    for name, command in {"sqlite3": ["sqlite3", "--version"], "GDAL": ["ogr2ogr", "--version"], "Miller": ["mlr", "--version"], "nginx": ["nginx", "-v"],
                          "HAProxy": ["haproxy", "-v"], "Caddy": ["caddy", "version"], "Node.js": ["node", "--version"], "brotli": ["brotli", "--version"]}.items():
        if shutil.which(command[0]):
            said = subprocess.run(command, capture_output=True, text=True)
            found[name] = (said.stdout or said.stderr).strip().splitlines()[0][:60]
    return found


def apart(compare):
    """What COMPARE says, called in a process of its own: a program's peak memory begins with that of the one that starts it, so this one stays small."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = compare()
        except (agree.Disagreement, subprocess.CalledProcessError, OSError, LookupError, ValueError, StopIteration) as e:
            said = f"DISAGREEMENT: {e or type(e).__name__}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as f:
        said = f.read()
    os.waitpid(child, 0)
    return said or "DISAGREEMENT: the comparison ended without a word"


def measure(workload, setting, rounds):
    print(f"\n{workload.title}", flush=True)
    ran = contest(workload.contenders, setting.work, rounds)
    result = {"name": workload.name, "title": workload.title, "bytes": workload.size, "contenders": [describe(c) for c in ran],
              "left_out": {c.name: c.failed for c in workload.contenders if c.failed}, "ratios": []}
    for c in sorted(ran, key=lambda c: statistics.median(c.seconds)):
        speed = f"{workload.size / statistics.median(c.seconds) / 1e6:6.0f} MB/s" if workload.size else ""
        print(f"  {c.name:46} {statistics.median(c.seconds):8.3f} s  ({min(c.seconds):.3f} to {max(c.seconds):.3f})  CPU {statistics.median(c.cpu):7.2f} s"
              f"  {c.memory:6.0f} MiB  {speed}")
    if workload.agree:
        result["agreement"] = apart(lambda: workload.agree(ran))
        print(f"  {result['agreement']}")
    own = fastest(ran, True)
    for group, (aim, floor) in workload.targets.items():
        names = workload.groups.get(group)
        peers = [c for c in ran if not c.ours and (names is None or any(c.name.startswith(n) for n in names))]
        if own is None or not peers:
            continue
        peer = fastest(peers, False)
        middle, low, high = ratio(peer, own)
        verdict = "aim reached" if middle >= aim else "reached" if middle >= floor else "MISSED"
        result["ratios"].append({"to": peer.name, "ratio": middle, "lowest": low, "highest": high, "aim": aim, "floor": floor, "verdict": verdict})
        print(f"  {middle:.1f} times faster than {peer.name} ({low:.1f} to {high:.1f}); aim {aim}, never under {floor}: {verdict}")
    threads = [c for c in ran if c.ours][:2]  # the first two are the same on one thread and on all
    if len(threads) == 2 and threads[0].threads == 1 < threads[1].threads:
        middle, low, high = ratio(*threads)
        result["scaling"] = {"threads": threads[1].threads, "ratio": middle}
        print(f"  from 1 to {threads[1].threads} threads: {middle:.2f} times ({low:.2f} to {high:.2f})", flush=True)
    for c in workload.contenders:
        for path in c.outputs:
            remove(setting.work / path)
    return result


def others(only, options):
    """The benchmarks of the query engine and of the gateway, which have their own servers and clients."""
    here, found = pathlib.Path(__file__).resolve().parent, {}
    for name, script, more in (("query", here / "query.py", ["--rows", str(options.rows)]), ("gateway", here / "gateway/bench.py", ["--rounds", str(options.rounds)])):
        if name not in only:
            continue
        print(f"\n{name}", flush=True)
        said = []
        with subprocess.Popen([sys.executable, str(script), *more], stdout=subprocess.PIPE, text=True) as running:
            for line in running.stdout:  # at once: it takes minutes
                print(line, end="", flush=True)
                said.append(line)
        found[name] = ("" if running.returncode == 0 else f"failed ({running.returncode}): ") + "".join(said)
        if running.returncode != 0:
            print(f"  left out: {script.name} ended with {running.returncode}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join([*workloads.ALL, "query", "gateway"]))
    parser.add_argument("--rounds", type=int, default=5)
    workloads.add_options(parser)
    parser.add_argument("--out", default=ROOT / "build/bench", help="where bench.json and bench.svg go")
    options = parser.parse_args()
    only = [w for w in options.only.split(",") if w]
    unknown = [w for w in only if w not in [*workloads.ALL, "query", "gateway"]]
    if unknown or options.rounds < 1:
        parser.error("unknown: " + ", ".join(unknown) if unknown else "--rounds is at least 1")
    os.makedirs(options.work, exist_ok=True)
    setting = workloads.Setting(options)
    report = {"versions": versions(), "rows": options.rows, "rounds": options.rounds, "threads": options.threads, "workloads": []}
    for name in only:
        for workload in workloads.ALL[name](setting) if name in workloads.ALL else []:
            report["workloads"].append(measure(workload, setting, options.rounds))
    report["others"] = others(only, options)
    report["absent"] = setting.absent
    for name, why in setting.absent.items():
        print(f"left out: {name}: {why}")
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "bench.json").write_text(json.dumps(report, indent=1) + "\n")
    (out / "bench.svg").write_text(picture.svg(report["workloads"], f"Median of {options.rounds} rounds by turns, {report['versions']['machine']}; multiple of our fastest; peak memory"))
    print(f"\nwritten: {out / 'bench.json'}, {out / 'bench.svg'}")
    wrong = [w["name"] for w in report["workloads"] if w.get("agreement", "").startswith("DISAGREEMENT")]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
