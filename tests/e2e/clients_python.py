"""What is Python's own in the Python library: records as objects, threads, proxies, connections that are kept, data frames, memory. What the three libraries
have in common is clients_vectors.py and clients_gateway.py."""
import copy
import datetime
import decimal
import gzip
import hashlib
import http.server
import importlib
import json
import logging
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import clientlib
import odp

DATE = datetime.date(2024, 3, 15)
RECORD = {"id_kawasan": "31.71-0001", "luas_ha": 12.5, "jumlah_penduduk": 2 ** 60 + 1, "tingkat": "Berat", "tanggal_sk": "2024-03-15", "baru sekali": 1,
          "geometry": {"type": "Point", "coordinates": [106.8, -6.2]}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        with server.lock:
            server.seen.append((self.command, self.path, dict(self.headers), self.client_address))
        answer = server.answer(self)
        if answer is None:  # it has been sent
            return
        status, headers, body = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass  # clients go away

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.seen, self.lock = answer, [], threading.Lock()
        self.base = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()


def envelope(*records, **more):
    return json.dumps({"data": records, "status": "success", "meta": {"version": "1", "total": len(records)}, **more}).encode()


class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="odp-python-"))
        cls.addClassCleanup(odp.remove_tree, cls.home)
        if "ODP_CLIENTS_PYTHON" not in os.environ:
            shutil.copytree(odp.SOURCE / "catalog", cls.home / "catalog")
            done = subprocess.run([odp.program_without_portal(cls.home / "bin"), "build", "--catalog", "catalog", "--out", "site", "--quiet"], cwd=cls.home,
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise AssertionError(done.stderr[-3000:])
        library = clientlib.Library("python", cls.home / "libraries", cls.home / "site")
        cls.path = library.environment["PYTHONPATH"]
        sys.path.insert(0, cls.path)
        cls.addClassCleanup(sys.path.remove, cls.path)
        cls.odp = importlib.import_module(library.module)
        cls.module = library.module
        cls.datasets = importlib.import_module(library.module + ".datasets")
        for name in [n for n in os.environ if n.lower().endswith("_proxy") or n == "ODP_KEY"]:
            del os.environ[name]

    def serve(self, answer):
        server = Server(answer)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def client(self, server, **options):
        client = self.odp.Client(base_url=server if isinstance(server, str) else server.base, **{"sleep": lambda s: None, **options})
        self.addCleanup(client.close)
        return client

    # ---- records -----------------------------------------------------------------------------------------------------------------

    def test_record(self):
        r = self.datasets.Kumuh(RECORD)
        self.assertEqual((r.luas_ha, r["luas_ha"], r.tanggal_sk, r["tanggal_sk"], r.jumlah_penduduk), (12.5, 12.5, DATE, DATE, 2 ** 60 + 1))
        self.assertEqual((r["baru sekali"], r.get("baru sekali"), r.get("nope"), r.get("nope", 7)), (1, 1, None, 7))
        self.assertEqual((list(r), len(r), "luas_ha" in r, "nope" in r, r.keys()), (list(RECORD), len(RECORD), True, False, list(RECORD)))
        self.assertEqual(r.to_dict(raw=True), RECORD)
        self.assertEqual(r.to_dict(), {**RECORD, "tanggal_sk": DATE})
        self.assertEqual(dict(r), r.to_dict())
        r.to_dict(raw=True)["luas_ha"] = 1
        self.assertEqual(r.luas_ha, 12.5)

    def test_columns_that_are_not_there(self):
        r = self.datasets.Kumuh({"luas_ha": None})
        self.assertIsNone(r.luas_ha)
        with self.assertRaisesRegex(AttributeError, "'tingkat' was not asked for.*has: luas_ha"):
            r.tingkat
        with self.assertRaisesRegex(KeyError, "'tingkat' was not asked for"):
            r["tingkat"]
        with self.assertRaisesRegex(AttributeError, "Kumuh has no 'luas'"):
            r.luas
        self.assertFalse(hasattr(r, "geometry"))
        with self.assertRaises(self.odp.ProtocolError):
            self.datasets.Kumuh({"tanggal_sk": "15/03/2024"}).tanggal_sk

    def test_records_do_not_change(self):
        r = self.datasets.Kumuh(RECORD)
        for change in (lambda: setattr(r, "luas_ha", 1.0), lambda: setattr(r, "neu", 1), lambda: delattr(r, "luas_ha")):
            with self.assertRaisesRegex(AttributeError, "do not change"):
                change()

    def test_records_compared_hashed_copied(self):
        r, same, other = (self.datasets.Kumuh({**RECORD, **more}) for more in ({}, {}, {"luas_ha": 1}))
        self.assertEqual((r == same, r == other, r != other, hash(r) == hash(same), r == RECORD), (True, False, True, True, False))
        self.assertNotEqual(r, self.odp.Record(RECORD))
        self.assertEqual(len({r, same, other}), 2)
        self.assertEqual(hash(self.odp.Record(RECORD)), hash(self.odp.Record(dict(reversed(list(RECORD.items()))))))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            self.assertEqual(pickle.loads(pickle.dumps(r, protocol)), r)
        self.assertEqual((copy.copy(r), copy.deepcopy(r)), (r, r))
        self.assertEqual(repr(self.datasets.Kumuh({"luas_ha": 1.5, "tanggal_sk": "2024-03-15", "a b": 1, "geometry": RECORD["geometry"]})),
                         "Kumuh(luas_ha=1.5, tanggal_sk=datetime.date(2024, 3, 15), 'a b': 1, geometry=<Point>)")

    def test_times(self):
        records = importlib.import_module(self.module + ".records")
        zone = datetime.timezone(datetime.timedelta(hours=7))
        for text, want in (("2024-03-15T08:30:00+07:00", datetime.datetime(2024, 3, 15, 8, 30, tzinfo=zone)),
                           ("2024-03-15T08:30:00.25Z", datetime.datetime(2024, 3, 15, 8, 30, 0, 250000, datetime.timezone.utc)),
                           ("2024-03-15T08:30:00.123456000-09:30", datetime.datetime(2024, 3, 15, 8, 30, 0, 123456, datetime.timezone(-datetime.timedelta(hours=9, minutes=30))))):
            self.assertEqual(records.as_datetime(text), want)
            self.assertEqual(records.as_datetime(text).utcoffset(), want.utcoffset())
        self.assertEqual(records.as_time("08:30"), datetime.time(8, 30))
        for bad in ("2024-03-15", "2024-03-15T25:00:00Z", "2024-03-15T08:30:00.1234567Z", "x"):
            with self.assertRaises(ValueError, msg=bad):
                records.as_datetime(bad)

    # ---- numbers -------------------------------------------------------------------------------------------------------------------

    def test_digits(self):
        text = b'{"data":[{"luas_ha":0.1234567890123456789,"jumlah_penduduk":123456789012345678901234567890,"geometry":{"type":"Point","coordinates":[106.81234567890123456,-6.2]}}],"status":"success","meta":{},"links":{}}'
        server = self.serve(lambda request: (200, {}, text))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            record = next(self.client(server).kumuh.list())
        self.assertEqual((record.luas_ha, record.jumlah_penduduk), (0.12345678901234568, 123456789012345678901234567890))
        self.assertEqual({w.category for w in seen}, {self.odp.PrecisionWarning})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            record = next(self.client(server, decimals=True).kumuh.list())
        self.assertEqual(record.luas_ha, decimal.Decimal("0.1234567890123456789"))
        self.assertEqual([type(c) for c in record.geometry["coordinates"]], [float, float])

    # ---- connections -----------------------------------------------------------------------------------------------------------------

    def test_connections_are_kept_and_shared(self):
        server = self.serve(lambda request: (200, {}, envelope({"luas_ha": 1})))
        client = self.client(server)
        for _ in range(5):
            client.kumuh.get("x")
        self.assertEqual(len({address for *_, address in server.seen}), 1)
        barrier, got = threading.Barrier(8), []

        def work():
            barrier.wait()
            for _ in range(20):
                got.append(client.kumuh.get("x").luas_ha)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [1] * 160)
        self.assertLessEqual(len({address for *_, address in server.seen}), 9)
        client.close()
        with self.assertRaises(ValueError):
            client.kumuh.get("x")

    def test_rested_connections_that_were_closed(self):
        """A server that closes after each answer without saying so: no failure, no try used up, nothing sent twice that would change something."""
        def answer(request):
            request.close_connection = True
            return 200, {}, envelope({"luas_ha": 1, "key": "odp_live_x", "id": "wh_1"})

        server, waits = self.serve(answer), []
        client = self.client(server, retries=0, sleep=waits.append)
        for _ in range(4):
            client.kumuh.get("x")
            client.rotate()
        self.assertEqual((waits, [path for _, path, *_ in server.seen]), ([], ["/v1/kumuh/id/x", "/auth/rotate"] * 4))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_fork(self):
        server = self.serve(lambda request: (200, {}, envelope({"luas_ha": 1})))
        client = self.client(server)
        client.kumuh.get("x")
        script = [os.fork() for _ in range(1)]
        if script == [0]:
            try:
                client.kumuh.get("child")
                os._exit(0)
            except BaseException:
                os._exit(1)
        self.assertEqual(os.waitpid(script[0], 0)[1], 0)
        client.kumuh.get("x")
        by_path = {path: address for _, path, _, address in server.seen}
        self.assertNotEqual(by_path["/v1/kumuh/id/child"], by_path["/v1/kumuh/id/x"])

    def test_proxy(self):
        """http goes through a proxy by its whole address, https by CONNECT; no_proxy and the proxy's password are heeded."""
        proxy = self.serve(lambda request: (200, {}, envelope({"luas_ha": 1})))
        address = f"http://us%40er:secret@127.0.0.1:{proxy.server_port}"
        with unittest.mock.patch.dict(os.environ, {"http_proxy": address, "https_proxy": address, "no_proxy": "direct.invalid"}):
            self.client("http://data.invalid/").kumuh.get("x")
            with self.assertRaises(self.odp.TransportError):
                self.client("https://data.invalid/", retries=0).kumuh.get("x")
            with self.assertRaises(self.odp.TransportError):
                self.client("http://direct.invalid/", retries=0).kumuh.get("x")
            with self.assertRaisesRegex(ValueError, "http_proxy"), unittest.mock.patch.dict(os.environ, {"http_proxy": "socks5://127.0.0.1:1"}):
                self.client("http://data.invalid/").kumuh.get("x")
        method, path, headers, _ = proxy.seen[0]
        self.assertEqual((method, path, headers["Host"], headers["Proxy-Authorization"]), ("GET", "http://data.invalid/v1/kumuh/id/x", "data.invalid", "Basic dXNAZXI6c2VjcmV0"))
        self.assertEqual(len(proxy.seen), 1)  # CONNECT is none of its methods

    def test_certificates(self):
        """A certificate that nobody vouches for is refused, at once."""
        if shutil.which("openssl") is None:
            self.skipTest("openssl is not installed")
        import ssl
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], cwd=self.home, check=True, capture_output=True)
        server = self.serve(lambda request: (200, {}, envelope({"luas_ha": 1})))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.home / "cert.pem", self.home / "key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        base, waits = f"https://127.0.0.1:{server.server_port}/", []
        with self.assertRaises(self.odp.TransportError) as caught:
            self.client(base, sleep=waits.append).kumuh.get("x")
        self.assertIsInstance(caught.exception.__cause__, ssl.SSLCertVerificationError)
        self.assertEqual(waits, [])
        trusting = ssl.create_default_context(cafile=str(self.home / "cert.pem"))
        self.assertEqual(self.client(base, ssl_context=trusting).kumuh.get("x").luas_ha, 1)

    def test_packed_bodies(self):
        """Several members, a bomb, a stream that ends early, one that is none."""
        good = envelope({"luas_ha": 1})
        bomb = gzip.compress(b" " * (65 << 20))
        packed = [gzip.compress(good[:40]) + gzip.compress(good[40:]), bomb, gzip.compress(good)[:-9], b"no gzip"]
        server = self.serve(lambda request: (200, {"Content-Encoding": "gzip"}, packed[int(request.path[-1])]))
        client = self.client(server, retries=1)
        self.assertEqual(client.kumuh.get("0").luas_ha, 1)
        for key, error in (("1", self.odp.ProtocolError), ("2", self.odp.TransportError), ("3", self.odp.ProtocolError)):
            with self.assertRaises(error, msg=key):
                client.kumuh.get(key)

    # ---- iterators -----------------------------------------------------------------------------------------------------------------------

    def test_iterators_go_on_after_a_failure(self):
        """Who asks again after an error gets what is missing, not the end."""
        fail = [503, 503]

        def answer(request):
            if request.path.endswith("2") and fail:
                return fail.pop(), {}, b""
            number = 1 if request.path.endswith("json") else int(request.path[-1])
            return 200, {}, envelope({"luas_ha": number}, links={"next": f"/v1/kumuh/p{number + 1}" if number < 3 else None})

        records = self.client(self.serve(answer), retries=0).kumuh.list()
        got = []
        for _ in range(3):
            try:
                for r in records:
                    got.append(r.luas_ha)
            except self.odp.ServerError:
                got.append("failed")
        self.assertEqual(got, [1, "failed", "failed", 2, 3])
        self.assertEqual(list(records), [])

    def test_changes_go_on_after_a_failure(self):
        lines = [json.dumps({"op": "added", "key": {"id_kawasan": str(i)}, "record": {"id_kawasan": str(i), "tanggal_sk": "2024-03-15"}}) for i in range(5000)]
        whole = ('{"from":{"version":"1"},"to":{"version":"2"},"changes":[\n' + ",\n".join(lines) + '\n],"summary":{}}').encode()
        listed = envelope({"version": "2", "state": "published", "resources": [{"name": "kumuh", "changes": {"from": "1", "json": "../../data/kumuh/2/changes.json"}}]},
                          {"version": "1", "state": "published", "resources": [{"name": "kumuh"}]})
        cuts = [100000, 0, 300000]

        def answer(request):
            if request.path.endswith("versions.json"):
                return 200, {}, listed
            if not cuts:
                return 200, {}, whole
            request.send_response(200)
            request.send_header("Content-Length", str(len(whole)))
            request.end_headers()
            request.wfile.write(whole[:cuts.pop(0)])
            request.close_connection = True
            return None

        changes, got, failed = self.client(self.serve(answer), retries=0).kumuh.changes(), [], 0
        for _ in range(4):
            try:
                for change in changes:
                    got.append(change.key["id_kawasan"])
            except self.odp.TransportError:
                failed += 1
        self.assertEqual((got, failed), ([str(i) for i in range(5000)], 3))
        change = next(self.client(self.serve(answer)).kumuh.changes())
        self.assertEqual((change.op, change.record.tanggal_sk, change.from_version, change.to_version, change.cells), ("added", DATE, "1", "2", {}))

    # ---- secrets, logs, errors ---------------------------------------------------------------------------------------------------------

    def test_the_key_is_shown_nowhere(self):
        key = "odp_live_" + "aB3" * 12
        server = self.serve(lambda request: (200, {}, envelope({"key": key, "secret": "whsec_AAAA", "tier": "public"})) if "auth" in request.path else (404, {}, b"{}"))
        client = self.client(server, api_key=key)
        with self.assertLogs(self.module, logging.DEBUG) as logs, self.assertRaises(self.odp.NotFoundError) as caught:
            client.kumuh.get("x")
        issued = client.rotate()
        shown = [repr(client), str(client), *logs.output, repr(caught.exception), str(vars(caught.exception)), repr(issued), repr(vars(client._session)), str(client._session._key)]
        self.assertFalse([s for s in shown if key in s])
        self.assertEqual(issued.key, key)
        for wrong in ("", "a\nb", "kunci é", "a b", "http://127.0.0.1:8080"):
            with self.assertRaises(ValueError) as caught:
                self.odp.Client(wrong)
            self.assertNotIn(wrong or "\n", str(caught.exception))
        with self.assertRaises(TypeError):
            pickle.dumps(client)
        with unittest.mock.patch.dict(os.environ, {"ODP_KEY": key + "\n"}):
            self.client(server).rotate()
        self.assertEqual(server.seen[-1][2]["Authorization"], "Bearer " + key)

    def test_errors_travel(self):
        problem = {"type": "about:blank", "title": "No", "status": 400, "code": "filter-invalid", "detail": "Here."}
        server = self.serve(lambda request: (400, {"Content-Type": "application/problem+json"}, json.dumps(problem).encode()))
        with self.assertRaises(self.odp.BadRequestError) as caught:
            next(self.client(server).kumuh.list(filter="x"))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.status, again.code, again.title, again.detail, again.problem, str(again)), (400, "filter-invalid", "No", "Here.", problem, str(caught.exception)))
        self.assertIn("GET " + server.base + "v1/kumuh?filter=x", again.request)
        self.assertTrue(issubclass(self.odp.CursorExpiredError, self.odp.GoneError))

    def test_headers_of_every_kind(self):
        import base64
        import email.message
        import hmac
        secret, body, now = "whsec_" + base64.b64encode(b"k" * 24).decode(), b'{"type":"x"}', str(int(time.time()))
        signature = "v1," + base64.b64encode(hmac.new(b"k" * 24, b"msg_1." + now.encode() + b"." + body, hashlib.sha256).digest()).decode()
        message = email.message.Message()
        plain = {"webhook-id": "msg_1", "webhook-timestamp": now, "webhook-signature": signature}
        for name, value in plain.items():
            message[name.title()] = value
        kinds = [plain, message, list(plain.items()), {k.upper(): [v] for k, v in plain.items()}, {"HTTP_" + k.upper().replace("-", "_"): v for k, v in plain.items()},
                 [(k.encode(), v.encode()) for k, v in plain.items()]]
        for headers in kinds:
            self.assertEqual(self.odp.verify(body, headers, secret), {"type": "x"})
            self.assertEqual(self.odp.verify(body.decode(), headers, ["whsec_" + base64.b64encode(b"o" * 24).decode(), secret]), {"type": "x"})
        with self.assertRaises(self.odp.SignatureError):
            self.odp.verify(body, [*plain.items(), ("Webhook-Id", "msg_2")], secret)

    # ---- data frames -------------------------------------------------------------------------------------------------------------------------

    def frames(self, name):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            self.skipTest(f"{name} is not installed: {error}")

    def test_pandas(self):
        pandas = self.frames("pandas")
        rows = [{**RECORD, "jumlah_penduduk": 7}, {"id_kawasan": "b", "luas_ha": None, "jumlah_penduduk": None, "tanggal_sk": None, "geometry": None}]
        server = self.serve(lambda request: (200, {}, envelope(*rows)))
        frame = self.client(server).kumuh.list().to_pandas()
        self.assertEqual(list(frame.columns), list(RECORD))
        self.assertEqual([str(frame[c].dtype) for c in ("luas_ha", "jumlah_penduduk", "tanggal_sk")], ["float64", "Int64", "datetime64[ns]"])
        self.assertEqual((frame.luas_ha[0], frame.jumlah_penduduk[0], frame.tanggal_sk[0]), (12.5, 7, pandas.Timestamp(DATE)))
        self.assertTrue(frame.isna().loc[1, ["luas_ha", "jumlah_penduduk", "tanggal_sk", "geometry", "tingkat"]].all())
        empty = self.serve(lambda request: (200, {}, envelope()))
        self.assertEqual(len(self.client(empty).kumuh.list().to_pandas()), 0)

    def test_geopandas(self):
        self.frames("geopandas")
        rows = [RECORD, {**RECORD, "geometry": None}]
        server = self.serve(lambda request: (200, {}, envelope(*rows)))
        frame = self.client(server).kumuh.list().to_geopandas()
        self.assertEqual((frame.geometry[0].x, frame.geometry[0].y, frame.geometry[1], len(frame)), (106.8, -6.2, None, 2))
        self.assertEqual(frame.crs.to_authority(), ("OGC", "CRS84"))
        with self.assertRaises(ValueError):
            bare = self.serve(lambda request: (200, {}, envelope({"luas_ha": 1})))
            self.client(bare).kumuh.list().to_geopandas()

    def test_without_pandas(self):
        server = self.serve(lambda request: (200, {}, envelope(RECORD)))
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(ImportError, "pip install pandas"):
            self.client(server).kumuh.list().to_pandas()
        done = subprocess.run([sys.executable, "-c", f"import sys, {self.module}; print([m for m in ('pandas', 'geopandas', 'numpy') if m in sys.modules])"],
                              env={**os.environ, "PYTHONPATH": self.path}, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "[]\n")

    # ---- memory and several at once ------------------------------------------------------------------------------------------------------------

    def test_memory(self):
        """200 MB are downloaded, and brought up to date by a delta, in a process that could not hold them."""
        size, piece = 200 << 20, hashlib.sha256(b"odp").digest() * 32768
        head, tail = b"new head\n", b"new tail\n"
        old = hashlib.sha256()
        for _ in range(size // len(piece)):
            old.update(piece)
        new = hashlib.sha256(head)
        for _ in range(size // len(piece)):
            new.update(piece)
        new.update(tail)
        total = size + len(head) + len(tail)
        header = {"format": "odp-delta-1", "from": {"bytes": size, "sha256": old.hexdigest()}, "to": {"bytes": total, "sha256": new.hexdigest()}}
        delta = gzip.compress(json.dumps(header).encode() + b"\nI 9\n" + head + f"C 0 {size}\n".encode() + b"I 9\n" + tail + b"E\n")

        def version(name, data, count, **more):
            file = {"format": "CSV", "name": "csv", "url": f"../../data/kumuh/{name}/kumuh.csv", "bytes": count, "hash": "sha256:" + data}
            return {"version": name, "state": "published", "resources": [{"name": "kumuh", "files": [file], **more}]}

        deltas = [{"from": "1", "name": "csv", "url": "../../data/kumuh/2/delta", "bytes": len(delta), "hash": "sha256:" + hashlib.sha256(delta).hexdigest()}]
        versions = [version("1", old.hexdigest(), size)]

        def answer(request):
            if request.path.endswith("versions.json"):
                return 200, {}, envelope(*versions)
            if request.path.endswith("delta"):
                return 200, {}, delta
            request.send_response(200)
            request.send_header("Content-Length", str(size))
            request.end_headers()
            for _ in range(size // len(piece)):
                request.wfile.write(piece)
            return None

        server = self.serve(lambda request: answer(request))
        script = f"""
import resource, sys
from {self.module} import Client
with Client(base_url=sys.argv[1]) as client:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    got = client.kumuh.sync(sys.argv[2])
    print(got.action, got.transferred, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
        place = self.home / "besar.csv"

        def sync():
            done = subprocess.run([sys.executable, "-c", script, server.base, place], env={**os.environ, "PYTHONPATH": self.path}, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            action, transferred, more = done.stdout.split()
            self.assertLess(int(more), 32, "MB more than before")
            return action, int(transferred)

        self.assertEqual(sync(), ("downloaded", size))
        versions.insert(0, version("2", new.hexdigest(), total, deltas=deltas))
        self.assertEqual(sync(), ("patched", len(delta)))
        self.assertEqual((place.stat().st_size, [p.name for p in self.home.glob("besar*")]), (total, ["besar.csv"]))
        self.assertEqual(sync(), ("current", 0))
        place.unlink()

    def test_two_downloads_of_one_file(self):
        """At the same time, to the same place: each is whole."""
        body, gate = os.urandom(1 << 20), threading.Barrier(2)
        file = {"format": "CSV", "name": "csv", "url": "../../data/kumuh/1/kumuh.csv", "bytes": len(body), "hash": "sha256:" + hashlib.sha256(body).hexdigest()}
        listed = envelope({"version": "1", "state": "published", "resources": [{"name": "kumuh", "files": [file]}]})

        def answer(request):
            if request.path.endswith("versions.json"):
                return 200, {}, listed
            request.send_response(200)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body[:1000])
            gate.wait(60)
            request.wfile.write(body[1000:])
            return None

        server = self.serve(answer)
        client, got, place = self.client(server), [], self.home / "dua.csv"
        threads = [threading.Thread(target=lambda: got.append(client.kumuh.download("csv", place).transferred)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((got, place.read_bytes() == body, [p.name for p in self.home.glob("dua*")]), ([len(body)] * 2, True, ["dua.csv"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
