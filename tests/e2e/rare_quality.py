"""tools/coverage.py says which lines were never reached and fails below the floor; tools/memcheck.py finds a leak and a read beyond the end, and lets
sound programs pass. Each on a small project of the test's own."""
import json
import os
import shutil
import subprocess
import sys
import unittest

import odp

HALF = """#include <stdio.h>
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        puts("with an argument");
        puts("that nobody gave");
    }
    return 0;
}
"""
LEAK = """#include <stdlib.h>
int main(int argc, char **argv)
{
    (void)argv;
    char *p = malloc((size_t)argc + 10);
    p[argc] = 0;
    p = malloc(1);
    free(p);
    return 0;
}
"""
BEYOND = "#include <stdlib.h>\nint main(void)\n{\n    char *volatile p = malloc(10);\n    int c = p[12];\n    free(p);\n    return c == 77;\n}\n"
SOUND = "int main(void)\n{\n    return 0;\n}\n"


def run(command, folder, **options):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, errors="replace", **options)


@unittest.skipIf(shutil.which("gcc") is None, "gcc is not installed")
class Quality(odp.Case):
    def compile(self, name, text, *flags):
        source = self.dir / "tools/lib" / f"{name}.c"
        source.write_text(text)
        done = run(["gcc", "-g", *flags, "-c", source, "-o", f"{name}.o"], self.dir / "build")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(["gcc", *flags, f"{name}.o", "-o", name], self.dir / "build")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.dir / "build" / name

    def setUp(self):
        super().setUp()
        for folder in ("tools/lib", "tools/odp-build", "tools/odp-gateway/core", "tests", "build"):
            (self.dir / folder).mkdir(parents=True)
        for tool in ("coverage.py", "memcheck.py"):
            shutil.copy(odp.SOURCE / "tools" / tool, self.dir / "tools")
        shutil.copy(odp.SOURCE / "tests/valgrind.supp", self.dir / "tests")

    def tool(self, name, *options, expect):
        done = run([sys.executable, "-B", self.dir / "tools" / name, "--build", self.dir / "build", *options], self.dir,
                   env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout + done.stderr

    @unittest.skipIf(shutil.which("gcovr") is None, "gcovr is not installed")
    def test_coverage(self):
        program = self.compile("half", HALF, "--coverage", "-O0")
        self.assertEqual(run([program], self.dir).returncode, 0)
        said = self.tool("coverage.py", "--lines", "tools/lib/half.c", expect=1)
        self.assertIn("coverage: tools/lib/ is below 90 % of lines", said)
        self.assertIn("tools/lib/half.c: 6-7", said)
        self.assertIn("not reached  tools/lib/half.c", said)
        told = json.loads((self.dir / "build/coverage.json").read_text())
        self.assertEqual(told["files"]["tools/lib/half.c"]["lines_not_reached"], [6, 7])
        self.assertEqual(told["folders"]["tools/lib"]["lines"] - told["folders"]["tools/lib"]["lines_reached"], 2)
        self.assertEqual((told["totals"]["tools/lib"]["branches"], told["totals"]["tools/lib"]["branches_taken"]), (2, 1))
        self.tool("coverage.py", "--floor", "50", expect=0)
        self.assertEqual(run([program, "x"], self.dir).returncode, 0)  # counters add up
        self.tool("coverage.py", expect=0)

    @unittest.skipIf(shutil.which("gcovr") is None, "gcovr is not installed")
    def test_a_build_without_counters(self):
        self.assertIn("cmake --preset coverage", self.tool("coverage.py", expect=2))

    @unittest.skipIf(shutil.which("valgrind") is None or shutil.which("ctest") is None, "valgrind or ctest is not installed")
    def test_memory(self):
        tests = {f"test_{name}": self.compile(name, text) for name, text in (("leak", LEAK), ("beyond", BEYOND), ("sound", SOUND))}
        (self.dir / "build/CTestTestfile.cmake").write_text("".join(f'add_test({name} "{path}")\n' for name, path in tests.items()))
        said = self.tool("memcheck.py", "--jobs", "1", expect=1)
        self.assertIn("clean test_sound", said)
        self.assertIn("FOUND test_leak", said)
        self.assertIn("definitely lost", said)
        self.assertIn("FOUND test_beyond", said)
        self.assertIn("Invalid read of size 1", said)
        self.assertIn("3 tests under valgrind, 1 clean", said)
        self.assertIn("1 tests under valgrind, 1 clean", self.tool("memcheck.py", "--only", "sound", expect=0))
        self.tool("memcheck.py", "--only", "no such test", expect=2)


if __name__ == "__main__":
    odp.main()
