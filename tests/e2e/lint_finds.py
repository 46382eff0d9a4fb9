"""tools/lint.py tells a planted fault, refuses an exception without a reason, takes one with a reason, and tells when it is not needed any more."""
import json
import shutil
import subprocess
import sys
import unittest

import odp

FAULT = """#include <stdlib.h>
int *first(int n);
int *first(int n)
{
    int *p = malloc(sizeof *p);
    *p = n;
    return p;
}
"""
SOUND = "int first(int n);\nint first(int n)\n{\n    return n;\n}\n"


@unittest.skipIf(shutil.which("gcc") is None, "gcc is not installed")
class Lint(odp.Case):
    def setUp(self):
        super().setUp()
        for folder in ("tools", "build"):
            (self.dir / folder).mkdir()
        shutil.copy(odp.SOURCE / "tools/lint.py", self.dir / "tools")
        self.source, self.exceptions = self.dir / "tools/a.c", self.dir / "tools/lint-exceptions.txt"
        self.source.write_text(FAULT)
        unit = {"directory": str(self.dir / "build"), "file": str(self.source), "command": f"cc -O3 -Wall -o a.o -c {self.source}"}
        (self.dir / "build/compile_commands.json").write_text(json.dumps([unit]))

    def lint(self, *options, expect):
        done = subprocess.run([sys.executable, "-B", self.dir / "tools/lint.py", "--build", self.dir / "build", *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout

    def test_a_fault_is_told(self):
        said = self.lint("--tool", "gcc", expect=1)
        self.assertIn("tools/a.c:6: gcc analyzer-possible-null-dereference", said)
        self.assertIn("    *p = n;", said)

    def test_an_exception_wants_a_reason(self):
        self.lint("--tool", "gcc", "--update", expect=1)
        self.assertIn("tools/a.c | *p = n; || TODO", self.exceptions.read_text())
        self.lint("--tool", "gcc", expect=1)
        self.exceptions.write_text(self.exceptions.read_text().replace("TODO", "memory is never short here"))
        self.source.write_text("\n\n" + FAULT)  # lines move
        self.assertIn("0 new", self.lint("--tool", "gcc", expect=0))

    @unittest.skipIf(shutil.which("cppcheck") is None or shutil.which("clang-tidy") is None, "cppcheck or clang-tidy is not installed")
    def test_an_exception_goes_with_its_fault(self):
        self.exceptions.write_text("gcc:analyzer-possible-null-dereference | tools/a.c | *p = n; || memory is never short here\n")
        self.source.write_text(SOUND)
        self.assertIn("not needed any more", self.lint(expect=1))
        self.exceptions.unlink()
        self.lint(expect=0)

    def test_a_folder_that_is_no_build(self):
        done = subprocess.run([sys.executable, "-B", self.dir / "tools/lint.py", "--build", self.dir / "tools"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cmake --preset default", done.stderr)


if __name__ == "__main__":
    unittest.main()
