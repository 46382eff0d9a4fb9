"""Every client library does what the shared vectors say: tests/clients/vectors/*.json, against a server that keeps to the script.

    clients_vectors.py [-k NAME]…       vectors whose name contains NAME; clientlib.py says how to choose languages and packages"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import clientlib
import odp

CHOSEN = []
FAULTY = """
import json, sys, urllib.request
told = json.load(sys.stdin)
open(told["folder"] + "/f", "w").write("ab")
request = urllib.request.Request(told["base"] + "v1/a?n=1%2C2", headers={"User-Agent": "x/1.2.3 python/3.11", "X-A": "1"})
print(json.dumps({"outcomes": [{"result": json.load(urllib.request.urlopen(request))}], "waits": [3.4]}))
"""


def load():
    """All vectors; a name is there once."""
    found = []
    for path in sorted((clientlib.CLIENTS / "vectors").glob("*.json")):
        for vector in json.loads(path.read_text()):
            found.append({**vector, "file": path.name})
    return found


def content(told, folder):
    """The bytes of a file as a vector describes it."""
    if isinstance(told, str):
        return told.encode()
    script = clientlib.Script.__new__(clientlib.Script)
    script.folder = folder
    whole = script.body_of(told)
    return whole[slice(*told["bytes"])] if "bytes" in told else whole


class Run:
    """One vector with one library: its folder and servers, what the driver is asked, what is wrong with what it told."""

    def __init__(self, library, vector):
        self.library, self.vector = library, vector
        self.shared = clientlib.CLIENTS / "vectors" / "files"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-vector-"))
        self.script = clientlib.Script(vector.get("server", []), vector.get("client", {}).get("key"), self.shared)
        self.script.other = clientlib.Script(vector.get("other", []), None, self.shared)
        self.script.other.other = self.script
        for name, told in vector.get("files", {}).items():
            (self.folder / name).write_bytes(content(told, self.shared))

    def request(self):
        vector, script = self.vector, self.script
        bare = [{k: v for k, v in call.items() if k not in ("result", "error")} for call in vector["calls"]]
        base = vector.get("base", script.base).replace("@BASE@", script.base).replace("@CLOSED@", clientlib.closed_address())
        return {"base": base, "client": vector.get("client", {}), "folder": str(self.folder), "calls": script.filled(bare)}

    def faults(self, told):
        script = self.script
        return (script.finished() + [f"the other host: {f}" for f in script.other.finished()] + compare(self.vector, told, self.library.language, script)
                + files_after(self.vector, self.folder, self.shared))

    def close(self):
        self.script.close()
        self.script.other.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def run(library, vector):
    """What is wrong with LIBRARY by VECTOR: a list of sentences."""
    one = Run(library, vector)
    try:
        return one.faults(library.run(one.request(), vector.get("environment")))
    except AssertionError as e:
        return one.script.finished() + [str(e)]
    finally:
        one.close()


def run_many(library, vectors):
    """The same for several vectors in one process: a list of lists. One by one where that process fails, so that it is known whose fault it is."""
    if len(vectors) > 1:
        runs = [Run(library, vector) for vector in vectors]
        try:
            told = library.run([one.request() for one in runs])
            if isinstance(told, list) and len(told) == len(runs):
                return [one.faults(answer) for one, answer in zip(runs, told)]
        except (AssertionError, ValueError):
            pass
        finally:
            for one in runs:
                one.close()
    return [run(library, vector) for vector in vectors]


def compare(vector, told, language, script):
    faults, outcomes, key = [], told.get("outcomes", []), vector.get("client", {}).get("key")
    if len(outcomes) != len(vector["calls"]):
        faults.append(f"{len(vector['calls'])} calls, {len(outcomes)} outcomes: {outcomes}")
    for number, (call, got) in enumerate(zip(vector["calls"], outcomes)):
        name = f"call {number + 1} ({call['do']})"
        if "error" in call:
            error = got.get("error")
            wrong = error is None or any(not matches(v, error.get(k), language) for k, v in call["error"].items())
            if wrong:
                faults.append(f"{name}: {json.dumps(got, ensure_ascii=False)[:2000]}, not the error {call['error']}")
            elif not error.get("message"):
                faults.append(f"{name}: the error says nothing")
        elif "result" in call and ("result" not in got or not matches(script.filled(call["result"]), got["result"], language)):
            faults.append(f"{name}: {json.dumps(got, ensure_ascii=False)[:3000]}, not {json.dumps(call['result'], ensure_ascii=False)[:3000]}")
        elif "error" in got:
            faults.append(f"{name}: {got['error']}")
    waits, want = told.get("waits", []), vector.get("waits", [])
    if len(waits) != len(want) or not all(clientlib.wait_is(w, one) for w, one in zip(waits, want)):
        faults.append(f"it waited {waits}, not {want}")
    if key and key in json.dumps(told) and not vector.get("shows_key"):
        faults.append(f"it shows the key: {json.dumps(told)[:1000]}")
    return faults


def matches(want, got, language):
    """As same(); a result {"members": {…}} names some members of an object."""
    if isinstance(want, dict) and set(want) == {"members"}:
        return isinstance(got, dict) and all(k in got and matches(v, got[k], language) for k, v in want["members"].items())
    if isinstance(want, dict) and set(want) == {"one_of"}:
        return any(clientlib.same(one, got, language) for one in want["one_of"])
    return clientlib.same(want, got, language)


def files_after(vector, folder, shared):
    """What the calls left behind: exactly the files of `after`, where it is there."""
    if "after" not in vector:
        return []
    have = {p.name: p.read_bytes() for p in folder.iterdir()}
    want = {name: content(told, shared) for name, told in vector["after"].items()}
    return [f"file {n}: {describe(have.get(n))}, not {describe(want.get(n))}" for n in sorted(have.keys() | want.keys()) if have.get(n) != want.get(n)]


def describe(data):
    return "none" if data is None else f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]}, {data[:80]!r}"


def batches(vectors, language, size=20):
    """VECTORS for LANGUAGE in groups that one process may do; what sets the process's environment goes alone."""
    mine = [v for v in vectors if language in v.get("only", clientlib.LANGUAGES)]
    together = [v for v in mine if "environment" not in v]
    return [together[n:n + size] for n in range(0, len(together), size)] + [[v] for v in mine if "environment" in v]


class Vectors(odp.Case):
    def test_form(self):
        """The vectors themselves: names are there once, members are known."""
        names = collections.Counter(v["name"] for v in load())
        self.assertEqual([n for n, c in names.items() if c > 1], [])
        known = {"name", "about", "standard", "client", "server", "other", "calls", "waits", "files", "after", "base", "environment", "file", "shows_key", "only"}
        entry = {"method", "path", "query", "headers", "body", "answer"}
        answer = {"status", "headers", "json", "text", "base64", "file", "repeat", "bytes", "gzip", "flip", "chunked", "garbage", "cut", "stall", "delay", "close"}
        for vector in load():
            with self.subTest(vector["name"]):
                self.assertLessEqual(set(vector), known)
                self.assertTrue(vector["calls"] and vector["about"])
                for request in vector.get("server", []) + vector.get("other", []):
                    self.assertLessEqual(set(request), entry)
                    self.assertLessEqual(set(request.get("answer", {})), answer)

    def test_every_code(self):
        """Every code of problem.def is in the vectors, with the status it has."""
        text = (odp.SOURCE / "tools/odp-gateway/core/problem.def").read_text()
        codes = {code: int(status) for code, status in re.findall(r'ODP_PROBLEM\(\w+,\s*"([^"]+)",\s*(\d+)', text)}
        self.assertGreater(len(codes), 40)
        have = {}
        for vector in load():
            for request in vector["server"] if vector["file"] == "errors.json" and vector["name"].startswith("problem-") else ():
                document = request["answer"]["json"]
                have[document["code"]] = request["answer"]["status"]
                self.assertEqual(vector["calls"][0]["error"]["code"], document["code"])
                self.assertEqual(document["status"], request["answer"]["status"])
        self.assertEqual(have, codes)

    def test_runner(self):
        """The runner finds faults: a driver that asks for the wrong thing and tells the wrong thing."""
        driver = self.dir / "driver.py"
        driver.write_text(FAULTY)
        library = clientlib.Library.__new__(clientlib.Library)
        library.language, library.module, library.folder = "python", "x", self.dir
        library.command, library.environment = [sys.executable, str(driver)], dict(os.environ)
        good = {"name": "x", "about": "x", "server": [{"path": "/v1/a", "query": {"n": "1,2"}, "headers": {"x-a": "1"}, "answer": {"json": {"data": [1]}}}],
                "calls": [{"do": "x", "result": {"data": [1]}}], "waits": [3], "after": {"f": "ab"}}
        self.assertEqual(run(library, good), [])
        server = good["server"][0]
        for name, wrong in (("path", {"server": [{**server, "path": "/v1/b"}]}), ("query", {"server": [{**server, "query": {"n": "1"}}]}),
                            ("none of it", {"server": []}), ("one more", {"server": [server, server]}), ("method", {"server": [{**server, "method": "POST"}]}),
                            ("header", {"server": [{**server, "headers": {"x-a": "2"}}]}), ("no header", {"server": [{**server, "headers": {"x-a": None}}]}),
                            ("body", {"server": [{**server, "body": {"a": 1}}]}), ("key", {"client": {"key": "odp_live_x"}}), ("waits", {"waits": [4]}),
                            ("result", {"calls": [{"do": "x", "result": {"data": [2]}}]}), ("error", {"calls": [{"do": "x", "error": {"kind": "Server"}}]}),
                            ("two calls", {"calls": good["calls"] * 2}), ("file", {"after": {"f": "ac"}}), ("file more", {"after": {}}),
                            ("answer", {"server": [{**server, "answer": {"json": {"data": [1]}, "flip": 9}}]})):
            with self.subTest(name):
                self.assertTrue(run(library, {**good, **wrong}))

    def test_libraries(self):
        site = None
        if not clientlib.all_named():
            shutil.copytree(odp.SOURCE / "catalog", self.dir / "catalog")
            program = odp.program_without_portal(self.dir / "bin")
            subprocess.run([program, "build", "--out", "site", "--quiet"], cwd=self.dir, check=True)
            site = self.dir / "site"
        found, missing = clientlib.libraries(self.dir / "libraries", site)
        vectors = [v for v in load() if not CHOSEN or any(c in v["name"] for c in CHOSEN)]
        for language, why in missing.items():
            with self.subTest(language):
                self.skipTest(why)
        with concurrent.futures.ThreadPoolExecutor(2 * max(1, len(found))) as pool:
            jobs = [(library, batch, pool.submit(run_many, library, batch)) for library in found.values() for batch in batches(vectors, library.language)]
            for library, batch, job in jobs:
                for vector, faults in zip(batch, job.result()):
                    with self.subTest(f"{library.language} {vector['name']}"):
                        self.assertFalse(faults, f"{vector['file']}: {vector['about']}\n  " + "\n  ".join(faults))


if __name__ == "__main__":
    while "-k" in sys.argv:
        at = sys.argv.index("-k")
        CHOSEN.append(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=1 if CHOSEN else 2)
