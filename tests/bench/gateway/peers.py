"""The servers beside ours. Each serves the same files from the same folder on the same core and writes the same access log."""
import os
import pathlib
import re
import shutil
import subprocess
import time

import gatewaylib


class Missing(Exception):
    """The peer cannot run here; why."""


def log_of(config):
    """log_format and access_log of our configuration, our variables replaced by texts of the same length for those who lack them."""
    form = re.search(r"^\s*log_format\s.*?;\s*$", config, re.M | re.S)
    access = re.search(r"^\s*access_log\s+(?!off)[^;]*;", config, re.M)
    if not form or not access:
        raise SystemExit("no log_format or access_log in our own nginx.conf: the comparison would not be fair")
    text = form.group(0)
    for name, value in (("odp_uri", "$request_uri"), ("odp_agent", "$http_user_agent"), ("odp_key", "odp_live_Ab3dE"), ("odp_tier", "public"), ("odp_code", ""),
                        ("odp_dataset", "kumuh"), ("odp_format", "api"), ("odp_path", "v1/kumuh.json")):
        text = re.sub(r"\$\{?" + name + r"\b\}?", value, text)
    return text.strip(), re.sub(r"(access_log\s+)\S+", r"\1LOG", access.group(0).strip())


def processes_below(pid):
    """PID and all that descend from it."""
    return [pid] + [p for child in gatewaylib.children_of(pid) for p in processes_below(child)]


def cpu_of(pids):
    """Seconds of processor time that the threads of these processes have used, to the nanosecond: a tick is a tenth of what a fast round takes."""
    total = 0
    for pid in pids:
        for thread in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
            try:
                total += int(thread.read_text().split()[0])
            except OSError:  # it has ended
                continue
    return total / 1e9


def go_first(pids, policy=os.SCHED_RR):
    """The threads of these processes run before all others (0: this one), or as usual again; as they were where the user may not say so."""
    for pid in pids:
        for thread in [0] if pid == 0 else os.listdir(f"/proc/{pid}/task"):
            try:
                os.sched_setscheduler(int(thread), policy, os.sched_param(int(policy == os.SCHED_RR)))
            except (PermissionError, ProcessLookupError):
                pass


class Peer:
    against, note, suffix = "bare", "", ".json"

    def __init__(self, setup, name):
        self.setup, self.name, self.port, self.process = setup, name, gatewaylib.free_port(), None
        self.dir = setup.dir / f"peer-{name}"

    def counted(self, at_least=0):
        """Requests counted so far, None where nobody counts."""
        return None

    def processes(self):
        """All that work for this peer."""
        return processes_below(self.process.pid)

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                raise Missing(f"{program} is not installed")

    def spawn(self, *args, env=None):
        self.log = open(self.dir / "stderr.log", "ab")
        self.process = subprocess.Popen(["taskset", "-c", str(self.setup.server_core), *map(str, args)], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log, env=dict(os.environ, **(env or {})), start_new_session=True,
                                        preexec_fn=gatewaylib.die_with_parent)
        key = self.setup.wrk_keys.read_text().split()[0]

        def up():
            if self.process.poll() is not None:
                raise Missing("it does not start: " + (self.dir / "stderr.log").read_text()[-400:].strip())
            try:
                size = self.setup.options.sizes[0]
                answer = gatewaylib.Connection(self.port).get(f"/v1/{size}{self.suffix}", key)
                return answer if answer.status == 200 else None
            except (OSError, gatewaylib.Connection.Unanswered):
                return None
        try:
            return gatewaylib.wait_for(self.name, up, 20)
        except AssertionError:
            self.stop()
            raise Missing("it does not answer 200: " + (self.dir / "stderr.log").read_text()[-400:].strip()) from None
        except Missing:
            self.stop()
            raise

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def refuses(self, why="it serves without a key"):
        """A peer that claims to check keys must refuse one that nobody issued."""
        answer = gatewaylib.Connection(self.port).get(f"/v1/{self.setup.options.sizes[0]}{self.suffix}", gatewaylib.make_key())
        if answer.status not in (401, 403):
            raise Missing(f"{why} ({answer.status})")


class Nginx(Peer):
    main = http = server = location = ""
    log, nopush = True, "on"

    def start(self):
        self.need("nginx")
        self.dir.mkdir()
        form, access = log_of(self.setup.config)
        access = access.replace("LOG", str(self.dir / "access.log")) if self.log else "access_log off;"
        keep = "".join(re.findall(r"^\s*(?:keepalive_requests|keepalive_timeout|reset_timedout_connection|tcp_nodelay)\s[^;]*;\s*$",
                                  self.setup.config, re.M))
        temp = "".join(f"{m}_temp_path {self.dir}/{m};" for m in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.dir / "nginx.conf").write_text(f"""daemon off; user {self.user()}; worker_processes 1; pid {self.dir}/pid; error_log {self.dir}/error.log; {self.main}
events {{ worker_connections 4096; }}
http {{ {temp} {form if self.log else ""} {access} {keep}
sendfile on; tcp_nopush {self.nopush}; open_file_cache max=1000 inactive=60s; default_type application/json; server_tokens off; {self.http}
server {{ listen 127.0.0.1:{self.port} backlog=4096; root {self.setup.site}; {self.server}
location / {{ {self.location} }} }} }}
""")
        self.spawn("nginx", "-p", self.dir, "-c", self.dir / "nginx.conf", "-e", self.dir / "error.log")

    @staticmethod
    def user():
        import grp
        import pwd
        return f"{pwd.getpwuid(os.geteuid()).pw_name} {grp.getgrgid(os.getegid()).gr_name}"


class Bare(Nginx):
    note, nopush = "no check, no count: sendfile and open_file_cache on, the rest as nginx has it", "off"


class BareNopush(Nginx):
    note = "the same with tcp_nopush: head and file leave together"


class BareNoLog(Nginx):
    note, log = "no check, no access log", False


class Lua(Nginx):
    note = "SHA-256, shared dict, count; no daily headers but RateLimit"

    def start(self):
        modules = [p for p in ("/usr/lib/nginx/modules", "/usr/lib64/nginx/modules") if pathlib.Path(p, "ngx_http_lua_module.so").exists()]
        if not modules:
            raise Missing("nginx's Lua module is not installed")
        self.main = f"load_module {modules[0]}/ndk_http_module.so; load_module {modules[0]}/ngx_http_lua_module.so;"
        self.http = """lua_shared_dict keys 64m; lua_shared_dict counts 64m;
init_by_lua_block { local d = ngx.shared.keys; for line in io.lines("DIGESTS") do d:set((line:gsub("%x%x", function(h)
    return string.char(tonumber(h, 16)) end)), 2000000000) end
  ffi = require "ffi"; ffi.cdef "unsigned char *SHA256(const unsigned char *d, size_t n, unsigned char *md);"; digest = ffi.new("unsigned char[32]") }
""".replace("DIGESTS", str(self.setup.digests))
        self.location = """access_by_lua_block { local h = ngx.var.http_authorization; local k = h and h:match("^Bearer (odp_live_%w+)$")
  if not k then return ngx.exit(401) end
  ffi.C.SHA256(k, #k, digest); k = ffi.string(digest, 32)
  local limit = ngx.shared.keys:get(k); if not limit then return ngx.exit(401) end
  local n = ngx.shared.counts:incr(k, 1, 0); if n > limit then return ngx.exit(429) end
  ngx.header["RateLimit"] = '"daily";r=' .. (limit - n) .. ';t=3600'; ngx.header["RateLimit-Policy"] = '"daily";q=2000000000;w=86400' }"""
        super().start()
        self.refuses()


class AuthRequest(Nginx):
    note = "stock nginx asking our service"

    def processes(self):
        return super().processes() + self.setup.running["odp"].processes()

    def start(self):
        self.http = f"upstream odp {{ server unix:{self.setup.gateway.state}/run/service.sock; keepalive 64; }}"
        self.server = """location = /auth { internal; proxy_pass http://odp/forward-auth; proxy_http_version 1.1; proxy_set_header Connection "";
  proxy_pass_request_body off; proxy_set_header Content-Length ""; proxy_set_header X-Original-URI $request_uri;
  proxy_set_header X-Original-Method $request_method; }"""
        self.location = "auth_request /auth;"
        super().start()
        self.refuses()


class Haproxy(Peer):
    note = "SHA-256, map, stick table, before bare nginx on the same core"

    def processes(self):
        return super().processes() + self.setup.running["bare"].processes()

    def start(self):
        self.need("haproxy")
        self.dir.mkdir()
        if "bare" not in self.setup.running:
            raise Missing("it needs the peer bare behind it")
        (self.dir / "map").write_text("".join(f"{d.upper()} 1\n" for d in self.setup.digests.read_text().split()))
        (self.dir / "haproxy.cfg").write_text(f"""global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend keyed
  bind 127.0.0.1:{self.port}
  stick-table type string len 64 size 200k expire 24h store gpc0
  http-request set-var(txn.key) req.hdr(authorization),regsub(^Bearer\\ ,),sha2(256),hex
  http-request deny deny_status 401 unless {{ var(txn.key),map_str({self.dir}/map) -m found }}
  http-request track-sc0 var(txn.key)
  http-request sc-inc-gpc0(0)
  http-request deny deny_status 429 if {{ sc0_get_gpc0 gt 2000000000 }}
  default_backend files
backend files
  server bare 127.0.0.1:{self.setup.running["bare"].port} maxconn 256
""")
        self.spawn("haproxy", "-db", "-f", self.dir / "haproxy.cfg")
        self.refuses()


class Caddy(Peer):
    note = "forward_auth to our service, file_server"

    def processes(self):
        return super().processes() + self.setup.running["odp"].processes()

    def start(self):
        self.need("caddy")
        self.dir.mkdir()
        (self.dir / "Caddyfile").write_text(f"""{{
  admin off
  auto_https off
}}
http://:{self.port} {{
  bind 127.0.0.1
  root * {self.setup.site}
  forward_auth unix/{self.setup.gateway.state}/run/service.sock {{
    uri /forward-auth
  }}
  file_server
}}
""")
        home = {"HOME": str(self.dir), "XDG_DATA_HOME": str(self.dir), "XDG_CONFIG_HOME": str(self.dir), "GOMAXPROCS": "1"}
        self.spawn("caddy", "run", "--config", self.dir / "Caddyfile", "--adapter", "caddyfile", env=home)
        self.refuses()


class Ours(Peer):
    """The gateway as `serve` runs it."""

    def __init__(self, setup, name, gateway):
        super().__init__(setup, name)
        self.gateway, self.port = gateway, gateway.port

    def processes(self):
        return processes_below(self.gateway.process.pid)

    def counted(self, at_least=0):
        """The store's sum, once it has come that far and a flush more has passed."""
        end = time.monotonic() + 10
        while self.gateway.counted()[0] < at_least and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(1.3)
        return self.gateway.counted()[0]

    def stop(self):
        pass  # the test case that started it ends it


class OursNoLog(Ours):
    """Our configuration as it is, but without an access log, as a second nginx on the same table."""
    against, note = "bare-nolog", "no access log"

    def __init__(self, setup, name):
        super().__init__(setup, name, setup.gateway)
        self.port = gatewaylib.free_port()

    def processes(self):
        return Peer.processes(self)

    def start(self):
        self.dir.mkdir()
        config = re.sub(r"\baccess_log\s[^;]*;", "access_log off;", self.setup.config)
        config = re.sub(r"\bpid\s[^;]*;", f"pid {self.dir}/pid;", config).replace(f":{self.gateway.port}", f":{self.port}")
        (self.dir / "nginx.conf").write_text(config)
        more = [] if re.search(r"\bdaemon\s+off", config) else ["-g", "daemon off;"]
        self.spawn("nginx", "-p", self.dir, "-c", self.dir / "nginx.conf", "-e", self.dir / "error.log", *more)

    def stop(self):
        Peer.stop(self)


REGISTRY = {"bare": Bare, "bare-nopush": BareNopush, "bare-nolog": BareNoLog, "odp-nolog": OursNoLog, "lua": Lua, "haproxy": Haproxy, "auth_request": AuthRequest, "caddy": Caddy}
USUAL = [n for n in REGISTRY if not n.endswith(("-nopush", "-nolog"))]  # the others say where the time goes
