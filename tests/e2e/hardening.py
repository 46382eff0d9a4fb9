"""Every program, module and library that is built has its hardening: read from the ELF files themselves, not from what the compiler was told."""
import os
import pathlib
import platform
import re
import subprocess
import unittest

BUILD = pathlib.Path(os.environ["ODP_BINARY_DIR"])
CACHE = (BUILD / "CMakeCache.txt").read_text(errors="replace")


def setting(name):
    found = re.search(rf"^{name}:\w+=(.*)$", CACHE, re.M)
    return found.group(1) if found else ""


INSTRUMENTED = bool(setting("ODP_SANITIZE")) or setting("ODP_FUZZ") == "ON"
OPTIMIZED = setting("CMAKE_BUILD_TYPE") not in ("Debug", "")


def readelf(option, path):
    return subprocess.run(["readelf", option, "-W", path], check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def imported(path):
    """Symbols that another library gives."""
    return {line.split()[7].split("@")[0] for line in readelf("--dyn-syms", path).splitlines() if " UND " in line and len(line.split()) > 7}


def built():
    """Every ELF file of bin/: what is installed."""
    return [path for path in sorted((BUILD / "bin").glob("*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


class Hardening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = built()
        cls.programs = [path for path in cls.files if path.suffix != ".so"]

    def each(self):
        self.assertTrue({"odp-build", "odp-gateway", "odp-sample"} <= {path.name for path in self.programs}, self.files)
        for path in self.files:
            with self.subTest(path.name):
                yield path

    def test_position_independent(self):
        for path in self.each():
            self.assertRegex(readelf("-h", path), r"Type:\s+DYN")
        for path in self.programs:
            self.assertRegex(readelf("-d", path), r"FLAGS_1.*\bPIE\b", path.name)

    def test_full_relro(self):
        """The table of addresses is read-only before main runs: all symbols are bound at start."""
        for path in self.each():
            self.assertIn("GNU_RELRO", readelf("-l", path))
            self.assertRegex(readelf("-d", path), r"\(FLAGS\).*BIND_NOW|FLAGS_1.*\bNOW\b")
            self.assertNotIn("(TEXTREL)", readelf("-d", path))

    def test_nothing_is_writable_and_executable(self):
        for path in self.each():
            headers = readelf("-l", path)
            self.assertRegex(headers, r"GNU_STACK\s.*\sRW\s", "the stack")
            loads = re.findall(r"^\s+LOAD\s+(?:0x\w+\s+){5}([RWE ]+?)\s+0x", headers, re.M)
            self.assertTrue(loads)
            self.assertEqual([flags for flags in loads if "W" in flags and "E" in flags], [])

    def test_stack_protector(self):
        for path in self.each():
            self.assertIn("__stack_chk_fail", imported(path))

    @unittest.skipIf(INSTRUMENTED or not OPTIMIZED, "sanitizers check instead, or nothing is optimized: _FORTIFY_SOURCE is not on")
    def test_fortified(self):
        for path in self.programs:
            self.assertTrue({name for name in imported(path) if re.fullmatch(r"__\w+_chk", name)} - {"__stack_chk_fail"}, path.name)
            self.assertIn("__snprintf_chk", imported(path), path.name)

    def test_faults_still_reach(self):
        """tests/fault/shim.c lets calls fail by their plain names: what _FORTIFY_SOURCE renames would never fail there."""
        (program,) = [path for path in self.programs if path.name == "odp-build"]
        renamed = {f"__{name}_chk" for name in ("read", "pread", "pread64", "readlink", "fread", "fgets")} | {"__open_2", "__open64_2", "__openat_2", "__openat64_2"}
        self.assertEqual(imported(program) & renamed, set(), "give these a function in tests/fault/shim_files.c, then take them from this list")

    @unittest.skipUnless(platform.machine() in ("x86_64", "i686"), "the instruction is x86's")
    @unittest.skipIf(INSTRUMENTED, "with instruments functions begin in other ways")
    def test_control_flow(self):
        """main begins with endbr64, so that the code is ready for a system that lets jumps land nowhere else."""
        for path in self.programs:
            (address,) = [line.split()[1] for line in readelf("--syms", path).splitlines() if line.endswith(" main")] or [None]
            self.assertIsNotNone(address, f"{path.name} has no symbols: is this the build folder?")
            sections = re.findall(r"\]\s+\.text\S*\s+PROGBITS\s+(\w+)\s+(\w+)\s+(\w+)", readelf("-S", path))
            (start, offset, _), = sections
            place = int(address, 16) - int(start, 16) + int(offset, 16)
            self.assertEqual(path.read_bytes()[place:place + 4], b"\xf3\x0f\x1e\xfa", path.name)


if __name__ == "__main__":
    if setting("ODP_HARDEN") == "OFF":
        raise SystemExit("this build folder was configured with ODP_HARDEN=OFF, which is only for measuring: configure it again without")
    unittest.main()
