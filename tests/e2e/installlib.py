"""What tests of the packages share: a place where nothing is set up but the package managers, a proxy that shows who wants to go elsewhere, plain
servers of static files with their logs, and packages laid out as their installers would."""
import os
import pathlib
import re
import shutil
import socketserver
import subprocess
import sys
import tarfile
import threading
import urllib.request
import zipfile

import gatewaylib
import odp

MODULES = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "clients"  # tools/setup.sh makes it of tests/clients
FENCES = {"javascript": "main.mjs", "python": "main.py", "php": "main.php"}  # what a README's programs are called when they are run


class Elsewhere(socketserver.ThreadingTCPServer):
    """A proxy through which every request would go that is not for this machine: it refuses each and remembers what was wanted."""

    daemon_threads = allow_reuse_address = True

    class Handler(socketserver.StreamRequestHandler):
        timeout = 10

        def handle(self):
            line = self.rfile.readline(4096).decode("latin-1").strip()
            if line:
                self.server.wanted.append(line)
                self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.wanted = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Place:
    """An empty folder and home, and an environment without anything of ours: no configuration, cache, proxy or certificate of the surroundings reaches in."""

    def __init__(self, folder, elsewhere, **more):
        self.folder = pathlib.Path(folder)
        self.work, self.home = self.folder / "work", self.folder / "home"
        for path in (self.work, self.home, self.folder / "tmp"):
            path.mkdir(parents=True)
        proxy = f"http://127.0.0.1:{elsewhere.server_address[1]}"
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.folder / "tmp"), "LANG": "C.UTF-8", "no_proxy": "127.0.0.1",
                    "http_proxy": proxy, "https_proxy": proxy, "NO_PROXY": "127.0.0.1", "HTTPS_PROXY": proxy, "PIP_CONFIG_FILE": os.devnull,
                    "NPM_CONFIG_GLOBALCONFIG": str(self.home / "no-npmrc"),
                    "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NPM_CONFIG_UPDATE_NOTIFIER": "false", "NPM_CONFIG_AUDIT": "false",  # what pip and npm ask at home of their own accord
                    "COMPOSER_HOME": str(self.home / "composer"), "COMPOSER_ALLOW_SUPERUSER": "1", "COMPOSER_NO_INTERACTION": "1",
                    "PYTHONDONTWRITEBYTECODE": "1", **more}

    def run(self, *command, cwd=None, expect=0, timeout=300, **env):
        """What COMMAND did: .text is all that it wrote. EXPECT: the exit code; None: any but 0."""
        done = subprocess.run(list(map(str, command)), cwd=cwd or self.work, env={**self.env, **env}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout)
        done.text = done.stdout
        if done.returncode != expect and not (expect is None and done.returncode != 0):
            raise AssertionError(f"{command}: {done.returncode}\n{done.text[-5000:]}")
        return done

    def program(self, name, path):
        """Makes PATH the program that is called NAME here."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f'#!/bin/sh\nexec "{path}" "$@"\n')
        (folder / name).chmod(0o755)
        self.env["PATH"] = f"{folder}:{os.environ['PATH']}"

    def shell(self, lines, **more):
        """Lines as a README has them."""
        return self.run("sh", "-e", "-c", lines, **more)

    def venv(self, name="venv", pip=True):
        """A virtual environment of this Python; the folder of its programs."""
        self.run(sys.executable, "-m", "venv", *([] if pip else ["--without-pip"]), self.folder / name)
        return self.folder / name / "bin"


def fences(readme):
    """[(language, text)] of the fenced blocks of a README."""
    return [(m[1], m[2]) for m in re.finditer(r"^```(\w+)\n(.*?)^```$", readme, re.M | re.S)]


# ---- servers that know nothing of odp --------------------------------------------------------------------------------------------------------------------


class Plain:
    """A server of static files. asked(): [(path, status)] of what was asked of it since it was last asked."""

    def __init__(self, root, log, port=None):
        self.root, self.log_path, self.port, self.read = pathlib.Path(root), pathlib.Path(log), port or gatewaylib.free_port(), 0

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command(), cwd=self.root, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={"PATH": os.environ["PATH"], "HOME": str(self.log_path.parent), "PYTHONUNBUFFERED": "1"},
                                            preexec_fn=gatewaylib.die_with_parent)
        gatewaylib.wait_for("the server of files", self.answers)
        self.asked()
        return self

    def answers(self, path="/"):
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as e:
            return e.code
        except OSError:
            return None

    def asked(self):
        """A question of its own is the end of what it reads: a server may write down an answer after it was sent."""
        end = f"/?asked={self.read}"
        self.answers(end)

        def whole():
            log = self.log_path.read_text(errors="replace")
            return log if any(path == end for path, _ in self.lines(log)) else None
        text = gatewaylib.wait_for("the log", whole)
        found, self.read = self.lines(text[self.read:]), len(text)
        return [(path, int(status)) for path, status in found if path != end]

    def stop(self):
        self.process.kill()
        self.process.wait()


class PythonServer(Plain):
    """python3 -m http.server: no ranges, no ETag, types by extension."""

    @staticmethod
    def missing():
        return False

    def command(self):
        return [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", self.root, str(self.port)]

    def lines(self, text):
        return re.findall(r'"(?:GET|HEAD|POST) (\S+) HTTP/[\d.]+" (\d+)', text)


class CaddyServer(Plain):
    """caddy file-server as it is installed."""

    @staticmethod
    def missing():
        return shutil.which("caddy") is None

    def command(self):
        return ["caddy", "file-server", "--root", str(self.root), "--listen", f"127.0.0.1:{self.port}", "--access-log"]

    def lines(self, text):
        return re.findall(r'"uri": ?"([^"]*)".*?"status": ?(\d+)', text)


# ---- packages without their installers -------------------------------------------------------------------------------------------------------------------


def newest(site, language):
    """The entry of packages/index.json of the newest package, and the file's path."""
    entries = odp.read_json(pathlib.Path(site) / "packages/index.json")["packages"]
    entry = next(e for e in entries if e["language"] == language)
    return entry, pathlib.Path(site) / entry["file"]


def unpack(site, language, folder):
    """Lays the newest package out in FOLDER as its installer would: node_modules/<name>, the modules themselves, vendor/<name>. The package's own folder."""
    entry, file = newest(site, language)
    folder = pathlib.Path(folder)
    target = {"javascript": folder / "node_modules" / entry["name"], "python": folder, "php": folder / "vendor" / entry["name"]}[language]
    target.mkdir(parents=True, exist_ok=True)
    if language == "javascript":
        with tarfile.open(file) as archive:
            for member in archive.getmembers():
                if not (member.isfile() and member.name.startswith("package/") and ".." not in member.name.split("/")):
                    raise AssertionError(f"{file.name} has a member {member.name}")
                path = target / member.name.removeprefix("package/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
    else:
        with zipfile.ZipFile(file) as archive:
            archive.extractall(target)
    return target
