"""The PHP library where vectors do not reach: its records as objects of PHP, what PHP shows of a client; and all vectors once more through a PSR-18 client that a
program hands in."""
import os
import subprocess
import sys

import clientlib
import clients_vectors
import odp

PHP = clientlib.CLIENTS / "php"
# A PSR-18 client gives an answer whole or not at all, and has its own timeouts and connections: what vectors say of broken bodies is not for it (nor, for its slowness,
# are bodies in chunks, whose end PHP's wrapper waits for).
NOT_WHOLE = ("download-cut", "download-timeout", "sync-cut", "cut-", "timeout-", "not-connected", "protocol-garbage", "protocol-large", "proxy", "chunked", "tls-")


class Php(clients_vectors.Vectors):
    def library(self):
        found = {name: library for name, library in self.libraries.items() if library.language == "php"}
        if not found:
            self.skipTest(self.missing.get("php", "PHP is not tested"))
        return found["php"]

    def objects(self, *options):
        package = self.library().source(self.home / "site")
        done = subprocess.run(["php", *options, "-d", "error_reporting=-1", "-d", "display_errors=stderr", PHP / "objects.php", package], capture_output=True, text=True,
                              timeout=clientlib.PATIENCE, env=self.library().environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_objects(self):
        self.objects()

    def test_objects_bare(self):
        """The same without php.ini and the extensions that it brings."""
        self.objects("-n")

    def test_psr18(self):
        library = self.library()
        vectors = [v for v in clients_vectors.load() if "php" in v.get("only", clientlib.LANGUAGES) and not any(n in v["name"] for n in NOT_WHOLE)]
        self.assertGreater(len(vectors), 300)
        library.environment["ODP_PSR18"] = str(PHP / "psr18.php")
        try:
            for batch in clients_vectors.batches(vectors, "php"):
                for vector, faults in zip(batch, clients_vectors.run_many(library, batch)):
                    with self.subTest(vector["name"]):
                        self.assertFalse(faults, f"{vector['file']}: {vector['about']}\n  " + "\n  ".join(faults))
        finally:
            del library.environment["ODP_PSR18"]


for name in [n for n in dir(clients_vectors.Vectors) if n.startswith("test_")]:  # these run by themselves
    setattr(Php, name, None)


if __name__ == "__main__":
    os.environ.setdefault("ODP_CLIENTS_LANGUAGES", "php")
    odp.unittest.main(argv=sys.argv[:1] + ["-v", *sys.argv[1:]])
