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

CHOSEN, CERTIFICATES = [], {}
NOWHERE = "http://127.0.0.1:9/"  # of clients that ask nothing
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


class Run:
    """One vector with one library: its folder and servers, what the driver is asked, what is wrong with what it told."""

    def __init__(self, library, vector):
        self.library, self.vector = library, vector
        self.shared = clientlib.CLIENTS / "vectors" / "files"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="odp-vector-"))
        certificate = CERTIFICATES["folder"] / f"{vector['tls']}.pem" if "tls" in vector else None
        self.script = clientlib.Script(vector.get("server", []), vector.get("client", {}).get("key"), self.shared, certificate)
        self.closed = clientlib.Closed()
        self.script.other = clientlib.Script(vector.get("other", []), None, self.shared)
        self.script.other.other = self.script
        for name, told in vector.get("files", {}).items():
            (self.folder / name).write_bytes(clientlib.body_of(told, self.shared))

    def request(self):
        vector, script = self.vector, self.script
        bare = [{k: v for k, v in call.items() if k not in ("result", "error")} for call in vector["calls"]]
        base = vector.get("base", script.base).replace("@BASE@", script.base).replace("@CLOSED@", self.closed.base)
        return {"base": base, "client": vector.get("client", {}), "folder": str(self.folder), "calls": script.filled(bare)}

    def faults(self, told):
        script = self.script
        return (script.finished() + [f"the other host: {f}" for f in script.other.finished()] + compare(self.vector, told, self.library.language, script)
                + files_after(self.vector, self.folder, self.shared))

    def close(self):
        self.closed.close()
        self.script.close()
        self.script.other.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def environment_of(vector):
    """What a vector adds to the driver's environment."""
    return {**vector.get("environment", {}), **(clientlib.trusting(CERTIFICATES["folder"]) if "tls" in vector else {})}


def run(library, vector):
    """What is wrong with LIBRARY by VECTOR: a list of sentences."""
    one = Run(library, vector)
    try:
        return one.faults(library.run(one.request(), environment_of(vector)))
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
            pass  # by themselves it is seen which of them it was
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
    want = {name: clientlib.body_of(told, shared) for name, told in vector["after"].items()}
    return [f"file {n}: {describe(have.get(n))}, not {describe(want.get(n))}" for n in sorted(have.keys() | want.keys()) if have.get(n) != want.get(n)]


def describe(data):
    return "none" if data is None else f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]}, {data[:80]!r}"


def batches(vectors, language, size=20):
    """VECTORS for LANGUAGE in groups that one process may do; what sets the process's environment goes alone."""
    mine = [v for v in vectors if language in v.get("only", clientlib.LANGUAGES)]
    together = [v for v in mine if "environment" not in v and "tls" not in v]
    return [together[n:n + size] for n in range(0, len(together), size)] + [[v] for v in mine if "environment" in v or "tls" in v]


class Vectors(odp.Case):
    def test_form(self):
        """The vectors themselves: names are there once, members are known."""
        names = collections.Counter(v["name"] for v in load())
        self.assertEqual([n for n, c in names.items() if c > 1], [])
        known = set("name about standard client server other calls waits files after base environment file shows_key only tls".split())
        entry = set("method path query headers body answer".split())
        answer = set("status headers json text base64 file repeat bytes gzip flip chunked garbage cut stall delay close".split())
        for vector in load():
            with self.subTest(vector["name"]):
                self.assertLessEqual(set(vector), known)
                self.assertTrue(vector["calls"] and vector["about"])
                for request in vector.get("server", []) + vector.get("other", []):
                    self.assertLessEqual(set(request), entry)
                    self.assertLessEqual(set(request.get("answer", {})), answer)

    def test_every_code(self):
        """Every code of problems.def is in the vectors, with the status it has."""
        text = (odp.SOURCE / "tools/lib/contract/problems.def").read_text()
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
        library.name = library.language = "python"
        library.module, library.folder = "x", self.dir
        library.command, library.environment = [sys.executable, str(driver)], dict(os.environ)
        good = {"name": "x", "about": "x", "server": [{"path": "/v1/a", "query": {"n": "1,2"}, "headers": {"x-a": "1"}, "answer": {"json": {"data": [1]}}}],
                "calls": [{"do": "x", "result": {"data": [1]}}], "waits": [3], "after": {"f": "ab"}}
        self.assertEqual(run(library, good), [])
        server = good["server"][0]
        for name, wrong in (("path", {"server": [{**server, "path": "/v1/b"}]}), ("query", {"server": [{**server, "query": {"n": "1"}}]}),
                            ("none of it", {"server": []}), ("one more", {"server": [server, server]}),
                            ("method", {"server": [{**server, "method": "POST"}]}),
                            ("header", {"server": [{**server, "headers": {"x-a": "2"}}]}), ("no header", {"server": [{**server, "headers": {"x-a": None}}]}),
                            ("body", {"server": [{**server, "body": {"a": 1}}]}), ("key", {"client": {"key": "odp_live_x"}}), ("waits", {"waits": [4]}),
                            ("result", {"calls": [{"do": "x", "result": {"data": [2]}}]}), ("error", {"calls": [{"do": "x", "error": {"kind": "Server"}}]}),
                            ("two calls", {"calls": good["calls"] * 2}), ("file", {"after": {"f": "ac"}}), ("file more", {"after": {}}),
                            ("answer", {"server": [{**server, "answer": {"json": {"data": [1]}, "flip": 9}}]})):
            with self.subTest(name):
                self.assertTrue(run(library, {**good, **wrong}))

    # ---- the libraries ----

    @classmethod
    def setUpClass(cls):
        """The three packages, out of a site that is built for it (unless the environment names others)."""
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="odp-clients-"))
        cls.addClassCleanup(odp.remove_tree, cls.home)
        if not clientlib.all_named():
            shutil.copytree(odp.SOURCE / "catalog", cls.home / "catalog")
            program = odp.program_without_portal(cls.home / "bin")
            subprocess.run([program, "build", "--out", "site", "--quiet"], cwd=cls.home, check=True)
        try:
            CERTIFICATES["folder"] = clientlib.certificates(cls.home / "certificates")
        except clientlib.Missing:
            pass
        cls.libraries, cls.missing = clientlib.libraries(cls.home / "libraries", cls.home / "site")

    def each(self, work, jobs):
        """(library, job, what WORK(library, job) gives) for every job of JOBS(library), some at a time."""
        for name, why in self.missing.items():
            with self.subTest(name):
                self.skipTest(why)
        with concurrent.futures.ThreadPoolExecutor(2 * max(1, len(self.libraries))) as pool:
            done = [(library, job, pool.submit(work, library, job)) for library in self.libraries.values() for job in jobs(library)]
            for library, job, future in done:
                yield library, job, future.result()

    def test_vectors(self):
        vectors = [v for v in load() if not CHOSEN or any(c in v["name"] for c in CHOSEN)]
        if not CERTIFICATES:
            with self.subTest("tls"):
                self.skipTest("openssl is not installed: no vectors with TLS")
            vectors = [v for v in vectors if "tls" not in v]
        for library, batch, results in self.each(run_many, lambda library: batches(vectors, library.language)):
            for vector, faults in zip(batch, results):
                with self.subTest(f"{library.name} {vector['name']}"):
                    self.assertFalse(faults, f"{vector['file']}: {vector['about']}\n  " + "\n  ".join(faults))

    def test_deltas(self):
        """The vectors of tests/cases/delta: every good delta gives the new file, every bad one is refused."""
        cases = odp.SOURCE / "tests/cases/delta"
        vectors = odp.read_json(cases / "vectors.json")["vectors"]
        self.assertGreater(len(vectors), 50)

        def work(library, _):
            folder = self.dir / library.name
            folder.mkdir()
            calls = [{"do": "patch", "old": str(cases / v["old"]), "delta": str(cases / v["delta"]), "new": str(folder / v["name"])} for v in vectors]
            return library.run({"base": NOWHERE, "folder": str(folder), "calls": calls})["outcomes"]
        for library, _, outcomes in self.each(work, lambda library: [None]):
            for vector, outcome in zip(vectors, outcomes):
                with self.subTest(f"{library.name} {vector['name']}"):
                    if vector["result"] == "ok":
                        new = (cases / vector["new"]).read_bytes()
                        self.assertEqual(outcome.get("result", outcome).get("sha256"), hashlib.sha256(new).hexdigest())
                        self.assertEqual((self.dir / library.name / vector["name"]).read_bytes(), new)
                    else:
                        error = outcome.get("error", {"kind": "none"})
                        own = error["kind"] == "Other" and re.match(r"[\w\\.]*Delta\w*:", error["message"])  # an error of the library's inside
                        self.assertTrue(own or error["kind"] in ("Integrity", "Protocol"), outcome)

    def test_reference_verifier(self):
        """What the npm reference library standardwebhooks signs is accepted; what it refuses is refused."""
        modules = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "clients/node_modules"
        if not (modules / "standardwebhooks").exists() or not shutil.which("node"):
            self.skipTest("standardwebhooks or Node.js is not installed: sh tools/setup.sh full")
        done = subprocess.run(["node", clientlib.CLIENTS / "reference.mjs", modules / "standardwebhooks"], capture_output=True, text=True,
                              timeout=clientlib.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        cases = json.loads(done.stdout)
        self.assertGreater(sum(c["accepted"] for c in cases), 50)
        self.assertGreater(sum(not c["accepted"] for c in cases), 200)

        def work(library, _):
            calls = [{"do": "verify", "payload_base64": c["payload"], "headers": c["headers"], "secret": c["secret"]} for c in cases]
            return library.run({"base": NOWHERE, "folder": str(self.dir), "calls": calls})["outcomes"]
        for library, _, outcomes in self.each(work, lambda library: [None]):
            for case, outcome in zip(cases, outcomes):
                with self.subTest(f"{library.name} {case['about']}"):
                    if case["accepted"]:
                        self.assertTrue(clientlib.same(case["message"], outcome.get("result"), library.language), f"{outcome} {case}")
                    else:
                        self.assertEqual(outcome.get("error", {}).get("kind"), "Signature", f"{outcome} {case}")


if __name__ == "__main__":
    while "-k" in sys.argv:
        at = sys.argv.index("-k")
        CHOSEN.append(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    if CHOSEN:
        sys.argv.append("Vectors.test_vectors")
    unittest.main(verbosity=1 if CHOSEN else 2)
