"""What an administrator limits for a process (setrlimit): sizes of files, open files, memory; and what is left to say when a process is ended by a fault. Whatever happens, the
published site is what it was, and the last line says why and what to do."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import unittest

import odp

CACHE = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "/nonexistent")) / "CMakeCache.txt"
SANITIZED = CACHE.exists() and re.search(r"^ODP_SANITIZE:\w+=.", CACHE.read_text(), re.M) is not None
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "number"}]


class Limits(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("satu", "kode,nilai\n" + "".join(f"k{i},{i}.5\n" for i in range(4000)), FIELDS,
                     **{"odp:formats": ["CSV", "JSON", "Excel", "PDF"]})
        self.odp("build")
        self.before = odp.digests(self.dir / "build/site")
        source = self.dir / "catalog/satu/satu.csv"
        source.write_text(source.read_text() + "k4000,1\n")
        package = self.dir / "catalog/satu/dataset.json"
        package.write_text(package.read_text().replace("2024-03-15", "2024-03-16"))

    def limited(self, what, value, lang="en"):
        done = subprocess.run([odp.PROGRAM, "build"], cwd=self.dir, env=dict(os.environ, ODP_LANG=lang), capture_output=True, text=True, timeout=300,
                              preexec_fn=lambda: resource.setrlimit(what, (value, value)))
        return done.returncode, done.stderr.strip().split("\n")[-1]

    def unchanged(self):
        self.assertEqual(odp.digests(self.dir / "build/site"), self.before)

    def test_sizes_of_files(self):
        """Not a death by SIGXFSZ."""
        code, last = self.limited(resource.RLIMIT_FSIZE, 30000)
        self.assertEqual(code, 3, last)
        self.assertRegex(last, r"^odp-build: (.*build/site.*|.*odp-workbook \(TMPDIR\)): File too large; raise the limit of file sizes \(ulimit -f\)")
        self.unchanged()
        code, last = self.limited(resource.RLIMIT_FSIZE, 30000, "id")
        self.assertRegex(last, r"^odp-build: mesin gagal, situs yang terbit tidak berubah: menulis .*: berkas terlalu besar; naikkan batas ukuran berkas \(ulimit -f\)")
        self.unchanged()

    @unittest.skipIf(SANITIZED, "the sanitizer opens files of its own")
    def test_open_files(self):
        code, last = self.limited(resource.RLIMIT_NOFILE, 9)
        self.assertEqual(code, 3, last)
        self.assertRegex(last, r"^odp-build: .*Too many open files; raise the limit of open files \(ulimit -n\)")
        self.unchanged()

    @unittest.skipIf(SANITIZED, "the sanitizer's shadow is larger than any limit")
    def test_memory(self):
        """A library may end the process, or crash, where it gets none; then, too, it is said."""
        for megabytes in (24, 32, 48, 64, 96, 128, 192, 256):
            with self.subTest(megabytes):
                code, last = self.limited(resource.RLIMIT_AS, megabytes << 20)
                if code == 0:
                    break
                self.unchanged()
                # 127: not even the loader had enough to start it.
                self.assertTrue(code == 127 or (last.startswith("odp-build: ") and "run this command again" in last), (code, last))

    @unittest.skipIf(SANITIZED, "the sanitizer has its own words")
    def test_crash(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
            with self.subTest(number.name):
                process = subprocess.Popen([odp.PROGRAM, "build", "--watch"], cwd=self.dir, text=True, env=dict(os.environ, ODP_LANG="en"),
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.addCleanup(process.kill)
                first = process.stderr.readline()  # it runs
                process.send_signal(number)
                _, words = process.communicate(timeout=60)
                words = first + words
                self.assertEqual(process.returncode, -number, "the signal is what it would be without us")
                self.assertRegex(words, r"odp-build: this program or a library of it crashed, .*what is published is whole\. Close other programs")


if __name__ == "__main__":
    odp.main()
