"""SECURITY.md says what can be done: its commands exist, its addresses are the packages', what it points to is there."""
import os
import re
import subprocess
import unittest

import odp

TEXT = (odp.SOURCE / "SECURITY.md").read_text(encoding="utf-8")
GATEWAY = os.environ.get("ODP_GATEWAY", "")


class Policy(unittest.TestCase):
    def test_commands(self):
        named = set(re.findall(r"`odp-build ([a-z]+)", TEXT))
        self.assertLessEqual({"verify", "rotate", "sign", "publish", "keygen", "rollback"}, named)
        for command in named:
            self.assertEqual(subprocess.run([odp.PROGRAM, command, "--help"], capture_output=True).returncode, 0, command)

    @unittest.skipUnless(os.path.exists(GATEWAY), "odp-gateway is not built")
    def test_gateway_commands(self):
        named = {(command, act) for command, act in re.findall(r"`(?:odp-gateway )?(keys|audit|usage|backup|restore|webhooks) ?([a-z]*)", TEXT)}
        self.assertIn(("keys", "reissue"), named)
        for command, act in named:
            said = subprocess.run([GATEWAY, command, "--help", "--lang", "en"], capture_output=True, text=True)
            self.assertEqual(said.returncode, 0, command)
            self.assertIn(act, said.stdout, command)

    def test_places(self):
        for path in re.findall(r"`((?:tools|build|templates)/[\w./-]+|CHANGELOG\.md)`", TEXT):
            self.assertTrue((odp.SOURCE / path).exists(), path)
        for code in re.findall(r"ODP-([A-Z]\d\d)", TEXT):
            self.assertIn(f'"ODP-{code}"', (odp.SOURCE / "tools/lib/contract/diagnostics.def").read_text(encoding="utf-8"))

    def test_contact(self):
        """One address here and in the packages."""
        (address,) = set(re.findall(r"<([^<>\s]+@[^<>\s]+)>", TEXT))
        self.assertIn(f"<{address}>", re.search(r'set\(CPACK_PACKAGE_CONTACT "(.*)"\)', (odp.SOURCE / "CMakeLists.txt").read_text()).group(1))

    def test_it_is_installed(self):
        self.assertRegex((odp.SOURCE / "CMakeLists.txt").read_text(), r"install\(FILES .*\bSECURITY\.md\b")


if __name__ == "__main__":
    unittest.main()
