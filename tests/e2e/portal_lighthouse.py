"""Lighthouse's four scores of the home page, of a dataset's page and of all its records, as a telephone on a slow network has them, through a gateway that compresses."""
import json
import os
import subprocess
import unittest

import portallib

TOOL = portallib.MODULES.parent / "node/node_modules/lighthouse/cli/index.js"
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
LEAST = 95


class Lighthouse(portallib.Case):
    def scores(self, path):
        if not TOOL.exists() or portallib.CHROMIUM is None:
            self.skipTest("Lighthouse or Chromium is not installed: sh tools/setup.sh deep")
        report = self.dir / "report.json"
        command = ["node", TOOL, self.base + path, "--output=json", f"--output-path={report}", "--quiet", "--no-enable-error-reporting", f"--chrome-flags={FLAGS}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=dict(os.environ, CHROME_PATH=portallib.CHROMIUM, CI="1"))
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        found = json.loads(report.read_text())
        lost = [f"{name}: {audit['title']} ({audit['score']})" for name, audit in found["audits"].items() if audit["score"] is not None and audit["score"] < 0.9
                and audit["scoreDisplayMode"] in ("binary", "numeric")]
        times = {name: found["audits"][name]["displayValue"] for name in ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "speed-index")}
        scores = {name: round(100 * category["score"]) for name, category in found["categories"].items()}
        print(f"/{path}: {scores} {times}; points lost by: {lost}")
        return scores

    def check(self, path):
        """The machine may be busy with something else: of three times the best counts, a score by category."""
        best = {}
        for _ in range(3):
            for name, score in self.scores(path).items():
                best[name] = max(score, best.get(name, 0))
            if min(best.values()) >= LEAST:
                break
        self.assertEqual(set(best), {"performance", "accessibility", "best-practices", "seo"})
        self.assertGreaterEqual(min(best.values()), LEAST, best)

    def test_home(self):
        self.check("")  # its canonical address

    def test_dataset(self):
        self.check("katalog/kumuh.html")

    def test_explore(self):
        self.check("katalog/perumahan/")  # its canonical address

    def test_english(self):
        self.check("en/catalog/perumahan.html")


if __name__ == "__main__":
    unittest.main(verbosity=2)
