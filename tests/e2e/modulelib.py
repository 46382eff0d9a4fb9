"""What the tests of the nginx module by itself share: our own nginx.conf around the .so, a table made by table_tool. No service."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess

import gatewaylib
import odp
from gatewaylib import SMALL, Connection, Response, entry, envelope, free_port, link, make_key, wait_for, write_site

TOOL = gatewaylib.BINARY_DIR / "tests" / "table_tool"
NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
TIERS = ["public:1000:5", "tiny:3:1000", "government:-1:0", "wide:1000000:0", "quick:100000:200"]
PUBLIC, TINY, GOVERNMENT, WIDE, QUICK = range(5)
BASE = "https://data.example.go.id/"
EXPOSED = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, Repr-Digest, Content-Range, OGC-NumberMatched, OGC-NumberReturned"
MORE = {
    "v1/kecil.json": entry(envelope([]), cache_control="private, max-age=60"),
    "v1/kosong.json": entry(b""),
    "data/a b/2024-03-15/a+b.csv": entry("x\r\n1\r\n", type="text/csv; charset=utf-8"),
    "v1/raksasa.json": entry(envelope([{"isi": "z" * 1000} for _ in range(3000)])),
}


LOG = """log_format odp escape=json '{"request":"$request","uri":"$odp_uri","status":$status,"key":"$odp_key","tier":"$odp_tier",'
    '"code":"$odp_code","dataset":"$odp_dataset","format":"$odp_format","path":"$odp_path","referer":"$http_referer"}';"""


class Nginx:
    """One nginx with a configuration of our own."""

    def __init__(self, folder, name, servers, main="", http="", workers=1, module=True):
        self.folder = folder / name
        self.folder.mkdir()
        self.port, self.process, self.workers = free_port(), None, workers
        self.main, self.http, self.module = main, http, module
        self.configure(servers)

    def configure(self, servers):
        temporary = "".join(f"{n}_temp_path {self.folder}/{n};" for n in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        servers = servers.replace("PORT", f"127.0.0.1:{self.port}")
        (self.folder / "nginx.conf").write_text(f"""
            {f'load_module {gatewaylib.MODULE};' if self.module else ''}
            daemon off; worker_processes {self.workers}; pid {self.folder}/pid; error_log {self.folder}/error.log notice;
            {'user root;' if os.geteuid() == 0 else ''} {self.main}
            events {{ worker_connections 1024; }}
            http {{
                {temporary}
                {LOG if self.module else ''}
                access_log {self.folder}/access.log {'odp' if self.module else 'combined'};
                {self.http}
                {servers}
            }}""")

    def command(self, *args):
        return [NGINX, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), *args]

    def start(self):
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=open(self.folder / "stderr", "wb"), env=gatewaylib.environment(), start_new_session=True)
        # With a worker it hears signals, too: it listens some time before that.
        wait_for("nginx", lambda: self.process.poll() is not None or self.listens() and gatewaylib.children_of(self.process.pid))
        assert self.process.poll() is None, (self.folder / "stderr").read_text() + self.errors()
        return self

    def listens(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def reload(self):
        before = set(gatewaylib.children_of(self.process.pid))
        self.process.send_signal(signal.SIGHUP)
        wait_for("new workers", lambda: set(gatewaylib.children_of(self.process.pid)) - before)
        return before

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise

    def destroy(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def get(self, path, key=None, **more):
        connection = Connection(self.port)
        try:
            return connection.get(path, key, **{**more, "headers": ["Connection: close", *more.get("headers", ())]})
        finally:
            connection.close()

    def curl(self, path, *options, key=None):
        args = ["curl", "-sS", "--path-as-is", "-i", "--max-time", "60", *options] + (["-H", f"Authorization: Bearer {key}"] if key else [])
        done = subprocess.run([*args, f"http://127.0.0.1:{self.port}{path}"], capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        return Response(head, body)

    def errors(self):
        return "".join(p.read_text(errors="replace") for p in (self.folder / "error.log", self.folder / "stderr") if p.exists())

    def log(self, count):
        """The access log's lines, once there are COUNT."""
        def lines():
            found = (self.folder / "access.log").read_text().splitlines()
            return found if len(found) >= count else None
        return [json.loads(line) for line in wait_for(f"{count} lines in the log", lines)]


class ModuleCase(gatewaylib.Case):
    allowed = ()  # what may stand in the error log

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.path.exists(gatewaylib.MODULE):
            raise odp.unittest.SkipTest("ngx_http_odp_module.so was not built: nginx-dev is not installed")

    def tool(self, *args, stdin=""):
        done = subprocess.run([TOOL, *map(str, args)], input=stdin, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make_table(self, name="table", base=BASE):
        self.tool("create", self.dir / name, 10000, base, *TIERS)

    def put(self, key, tier=WIDE, state="active", until=0, table="table"):
        self.tool("put", self.dir / table, stdin=f"{key} {tier} {state} {until}\n")
        return key

    def key(self, tier=WIDE, state="active", until=0):
        return self.put(make_key(), tier, state, until)

    def used(self, key):
        return int(self.tool("used", self.dir / "table", stdin=key + "\n"))

    def meter(self):
        return {n: int(v) for n, v in (line.rsplit(" ", 1) for line in self.tool("meter", self.dir / "meter").splitlines())}

    def places(self):
        return f"odp_table {self.dir}/table; odp_meter {self.dir}/meter; odp_site {self.dir}/site;"

    def site(self, files=None, name="one"):
        folder = write_site(self.dir / "builds" / name, {**SMALL, **MORE} if files is None else files, "{}")
        link(self.dir / "site", folder)
        return folder

    def server(self, inside="", location="", table=True, site=True, **more):
        """An nginx that serves the site; INSIDE the server block, LOCATION inside a location /."""
        if table:
            self.make_table()
        if site and not (self.dir / "site").exists():
            self.site()
        problems = "error_page 400 403 404 405 408 413 414 416 431 500 502 503 504 /.problem; error_page 494 =431 /.problem; location = /.problem { internal; odp_problem; }"
        nginx = Nginx(self.dir, more.pop("name", "nginx"), f"server {{ listen PORT; {self.places()} odp on; {problems} {inside} {location} }}", **more)
        self.addCleanup(self.inspect, nginx)
        self.addCleanup(nginx.destroy)
        return nginx.start()

    def inspect(self, nginx):
        text = nginx.errors()
        for pattern in (r"\[alert\]", r"\[emerg\]", r"\[crit\]", r"AddressSanitizer", r"runtime error", r"exited on signal", r"LeakSanitizer"):
            for line in re.findall(rf".*{pattern}.*", text):
                if not any(a in line for a in self.allowed):
                    self.fail(f"in nginx's error log: {line}\n{text[-3000:]}")
