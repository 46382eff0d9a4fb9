"""Instructions that fixed workloads take, beside what was recorded: a machine's noise does not change them, a slower program does.

    python3 tests/bench/instructions.py [--bin build/bin] [WORKLOAD…]             compares; exit 1 where one grew by more than 5 %
    python3 tests/bench/instructions.py --record [--bin build/bin] [WORKLOAD…]    records the figures in instructions.json

Counted by valgrind's callgrind, which shows every program the same CPU (AVX2, no AVX-512), on one thread, with inputs of odp-sample. Two figures
are compared: the instructions of odp's own code, and those of libraries. What the dynamic loader does is left out: it depends on the libraries of the
machine. Figures of another compiler or another release of Debian are not comparable: there the test is skipped (exit 77), as it is without valgrind and
with sanitizers."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORD = HERE / "instructions.json"
TOLERANCE = 0.05
SMALL = 2_000_000  # instructions that are no growth in any case
TOP = 60           # functions that are recorded
SHOWN = 10
SKIPPED = 77
TODAY = ["--today", "2024-03-21"]
QUESTIONS = ["filter=luas_ha%20%3E%205%20AND%20tingkat%20%3D%20%27Berat%27&sortby=-luas_ha&limit=50", "limit=100&offset=200", "q=permukiman&limit=20",
             "bbox=95,-11,141,6&limit=100", "fields=id_kawasan,luas_ha&sortby=id_kawasan&limit=100", "filter=luas_ha%20BETWEEN%202%20AND%204&limit=10"]


class Setting:
    def __init__(self, bin_folder, work):
        self.bin = pathlib.Path(bin_folder).resolve()
        self.build, self.sample = self.bin / "odp-build", self.bin / "odp-sample"
        self.query = self.bin.parent / "tests/query_tool"
        self.work = work

    def catalog(self, name, slug, *options):
        folder = self.work / name
        subprocess.run([self.sample, slug, *map(str, options), "--descriptor", "--catalog", ROOT / "catalog", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        return folder


def check(s, name, *options):
    return [s.build, "check", "rehabilitasi", "--catalog", s.catalog(name, "rehabilitasi", "--rows", 8000, *options), *TODAY], None


def export(s, name, slug, formats, *options):
    return [s.build, "export", slug, "--catalog", s.catalog(name, slug, *options), "--format", formats, "--out", s.work / f"{name}-out", *TODAY], None


def query(s, name):
    """Each question 20 times: what is measured is the engine, not the opening of the index."""
    catalog, site = s.catalog(name, "kumuh", "--rows", 2000), s.work / f"{name}-site"
    subprocess.run([s.build, "build", "kumuh", "--catalog", catalog, "--out", site, "--quiet", *TODAY], check=True, stdout=subprocess.DEVNULL)
    (index,) = (site / "search/kumuh").rglob("*.sqlite")
    return [s.query, index], "".join(f"envelope\t{q}\n" for q in QUESTIONS * 20)


# A workload makes its input and gives the command and its standard input.
WORKLOADS = {
    "check": ("a CSV of 16 columns is checked", lambda s: check(s, "check")),
    "faults": ("the same with 5 % of its rows faulty", lambda s: check(s, "faults", "--faults", 0.05)),
    "export": ("a CSV becomes JSON and CSV", lambda s: export(s, "export", "rehabilitasi", "json,csv", "--rows", 8000)),
    "shape": ("a shapefile in UTM becomes GeoJSON", lambda s: export(s, "shape", "kumuh", "geojson", "--rows", 400, "--points", 100, "--zone", 48)),
    "catalogue": ("the example catalogue is checked", lambda s: ([s.build, "check", "--catalog", ROOT / "catalog", *TODAY], None)),
    "query": ("queries to the engine", lambda s: query(s, "query")),
}


def read_profile(path, own):
    """(instructions by kind, instructions by function) of a callgrind file. OWN: the folder whose programs and modules are ours."""
    names, kinds, functions = {}, collections.Counter(), collections.Counter()
    kind, module, function, inclusive = "libraries", "", "", False

    def named(what, text):
        number, _, name = text.partition(" ")
        if name:
            names[what, number] = name
        return names[what, number]

    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line[0] in "0123456789+-*":
                if inclusive:  # of the function that is called: counted there
                    inclusive = False
                    continue
                cost = int(line.split()[-1])
                kinds[kind] += cost
                if kind != "loader":
                    functions[function] += cost
            elif line.startswith("calls="):
                inclusive = True
            elif line.startswith("ob="):
                place = named("object", line[3:].strip())
                module = pathlib.Path(place).name
                kind = "odp" if place.startswith(own) else "loader" if "/ld-linux" in place else "libraries"
            elif line.startswith("cob="):
                named("object", line[4:].strip())
            elif line.startswith("fn="):
                function = re.sub(r"(\.(isra|part|constprop|lto_priv|cold)(\.\d+)?)+|'\d+$", "", named("function", line[3:].strip()))
                if function.startswith("0x"):  # without a name
                    function = f"{module}:{function}"
            elif line.startswith("cfn="):
                named("function", line[4:].strip())
    return kinds, functions


def measure(s, name):
    command, text = WORKLOADS[name][1](s)
    if command[0] == s.build:
        command += ["--jobs", "1", "--quiet"]
    profile = s.work / f"{name}.callgrind"
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "TMPDIR": str(s.work), "HOME": str(s.work), "ODP_NO_TIMES": "1"}
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *map(str, command)], input=text, text=True, env=environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=s.work)
    if done.returncode not in (0, 1):
        sys.exit(f"{name}: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stderr[-2000:]}")
    kinds, functions = read_profile(profile, str(s.bin.parent) + "/")
    return {"odp": kinds["odp"], "libraries": kinds["libraries"], "functions": dict(functions.most_common(TOP))}, functions


def platform():
    """What the figures depend on beside our code."""
    release = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
    compiler = subprocess.run(["cc", "-dumpversion"], capture_output=True, text=True).stdout.strip()
    return {"system": f"{release.get('ID', '')} {release.get('VERSION_ID', '')}".replace('"', ""), "compiler": f"cc {compiler}", "machine": os.uname().machine}


def why_not(options, record):
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    if options.configuration not in ("", "Release"):
        return f"only a Release build without sanitizers and coverage is counted, this one is {options.configuration}"
    if " avx2 " not in open("/proc/cpuinfo").read().replace("\n", " ") + " ":
        return "this CPU has no AVX2"
    here = platform()
    if not options.record and record and record["platform"] != here:
        return f"the figures are those of {record['platform']}, this is {here}"
    return None


def compare(name, found, functions, recorded):
    """The lines that say what grew; empty where nothing did."""
    said = []
    for kind, what in (("odp", "of odp's own code"), ("libraries", "of libraries")):
        now, before = found[kind], recorded[kind]
        if now - before > max(TOLERANCE * before, SMALL if kind == "libraries" else 0):
            said.append(f"{name} ({WORKLOADS[name][0]}): {now:,} instructions {what}, {100 * (now / before - 1):.1f} % more than the {before:,} recorded")
    if said:
        known = recorded["functions"]
        least = min(known.values())  # what is not recorded took less
        grown = sorted(((count - known.get(f, least), f) for f, count in functions.items()), reverse=True)
        said += [f"    {more:+15,}  {f}{'' if f in known else ' (not among those recorded)'}" for more, f in grown[:SHOWN] if more > 0]
        said.append(f"    Where that is as it should be: python3 tests/bench/instructions.py --record {name}   and commit tests/bench/instructions.json")
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--bin", default=ROOT / "build/bin", help="the folder of odp-build (default build/bin)")
    parser.add_argument("--record", action="store_true", help="records the figures in place of comparing them")
    parser.add_argument("--configuration", default="", help="how it was compiled (given by ctest)")
    options = parser.parse_args()
    unknown = set(options.workloads) - set(WORKLOADS)
    if unknown:
        parser.error(f"no workload: {', '.join(sorted(unknown))}")
    record = json.loads(RECORD.read_text()) if RECORD.exists() else None
    reason = why_not(options, record)
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    names = options.workloads or list(WORKLOADS)
    with tempfile.TemporaryDirectory(prefix="odp-instructions-") as work:
        setting = Setting(options.bin, pathlib.Path(work))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = dict(zip(names, pool.map(lambda name: measure(setting, name), names)))
    if options.record:
        record = {"platform": platform(), "workloads": {**(record or {}).get("workloads", {}), **{name: f[0] for name, f in found.items()}}}
        record["workloads"] = {name: record["workloads"][name] for name in WORKLOADS if name in record["workloads"]}
        RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    worse = False
    for name, (counts, functions) in found.items():
        recorded = record["workloads"].get(name) if record else None
        said = compare(name, counts, functions, recorded) if recorded else [f"{name}: no figure is recorded. python3 tests/bench/instructions.py --record {name}"]
        worse = worse or bool(said)
        change = "" if recorded is None else f"  {100 * (counts['odp'] / recorded['odp'] - 1):+.1f} %, {100 * (counts['libraries'] / recorded['libraries'] - 1):+.1f} %"
        print("\n".join(said) or f"{name:10} {counts['odp']:13,} own {counts['libraries']:13,} in libraries{change}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
