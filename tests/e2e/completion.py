"""odp-build completion: what bash and zsh offer, asked of the shells themselves; every command and option is there."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

import odp


class Completion(odp.Case):
    def script(self, shell):
        path = self.dir / f"odp-build.{shell}"
        if not path.exists():
            path.write_text(self.odp("completion", shell, "--lang", "en").stdout)
        return path

    def env(self):
        return {**os.environ, "PATH": f"{pathlib.Path(odp.PROGRAM).parent}:{os.environ['PATH']}", "TERM": "dumb", "HOME": str(self.dir)}

    def bash(self, *words):
        """What is offered for the last word."""
        ask = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _odp_build; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", ask, str(self.script("bash")), "odp-build", *words], cwd=self.dir, env=self.env(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def help(self, *command):
        return self.odp(*command, "--help", "--lang", "en").stdout

    def test_bash(self):
        if shutil.which("bash") is None:
            self.skipTest("bash is not installed")
        self.catalogue("kontraktor", "inovasi", references=False)
        listed = re.findall(r"^  ([a-z]+) ", self.help(), re.M)
        self.assertGreater(len(listed), 20)
        self.assertEqual(sorted(self.bash("")), sorted(listed))
        self.assertEqual(self.bash("che"), ["check"])
        for command in listed:
            options = sorted(set(re.findall(r"^  (--[a-z-]+)", self.help(command), re.M)))
            self.assertEqual(sorted(set(self.bash(command, "--"))), options, command)
        self.assertEqual(self.bash("check", "ko"), ["kontraktor"])
        self.assertEqual(self.bash("--catalog", "nowhere", "check", "ko"), [])
        self.assertEqual(self.bash("check", "--catalog", "=", "catalog", "ino"), ["inovasi"])
        self.assertEqual(self.bash("check", "--as", "ino"), ["inovasi"])
        self.assertEqual(self.bash("check", "--lang", ""), ["id", "en"])
        self.assertIn("sarif", self.bash("check", "--report", ""))
        self.assertEqual(self.bash("check", "--report", "=", "js"), ["json"])
        self.assertEqual(self.bash("explain", "odp-t03"), ["ODP-T03"])
        self.assertEqual(self.bash("build", "--catalog", "cata"), ["catalog"])

    def test_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        self.catalogue("kontraktor", "inovasi", references=False)
        script = self.script("zsh")
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.dir)
            os.execvpe("zsh", ["zsh", "-f", "-i"], self.env())
        self.addCleanup(lambda: (os.kill(pid, 9), os.waitpid(pid, 0), os.close(fd)))
        said = b""

        def type_and_wait(text, pattern, seconds=60):
            nonlocal said
            said = b""
            os.write(fd, text.encode())
            end = time.monotonic() + seconds
            while not re.search(pattern, said):
                self.assertLess(time.monotonic(), end, said.decode(errors="replace")[-2000:])
                if select.select([fd], [], [], 1)[0]:
                    said += os.read(fd, 65536)
            return said.decode(errors="replace")

        def leave_the_line():
            """Ctrl-C until the prompt is back: one that comes while the completion still runs ends that alone."""
            for wait in (1, 5, 60):
                try:
                    return type_and_wait("\x03", rb"@@ ", wait)
                except AssertionError:
                    if wait == 60:
                        raise

        type_and_wait(f"PS1='@@ '; stty -echo; autoload -U compinit; compinit -u -d {self.dir}/dump; source {script}; print RE''ADY\n", rb"READY\r?\n")
        type_and_wait("odp-build che\t", rb"odp-build check ")
        type_and_wait("kon\t", rb"kontraktor ")
        type_and_wait("--keep\t", rb"--keep(?s:.*)\x07")  # nothing fits: the completion is over when the bell rings
        leave_the_line()
        type_and_wait("odp-build build --keep\t", rb"--keep-good ")
        leave_the_line()
        type_and_wait("odp-build check --lang e\t", rb"--lang en ")

    def test_the_manual_names_every_command_and_option(self):
        manual = (odp.SOURCE / "tools/odp-build/odp-build.1").read_text()
        for command in re.findall(r"^  ([a-z]+) ", self.help(), re.M):
            self.assertRegex(manual, rf"(?m)^\.It Cm {command}\b", command)
            for option in re.findall(r"^  --([a-z-]+)", self.help(command), re.M):
                self.assertRegex(manual, rf"(?m)Fl -{option}\b|Fl h , Fl -help", f"{command} --{option}")

    def test_what_is_asked_wrongly(self):
        for args in ([], ["fish"], ["bash", "zsh"]):
            self.assertIn("completion bash|zsh", self.odp("completion", *args, "--lang", "en", expect=2).stderr)


if __name__ == "__main__":
    odp.main()
