"""What the tests of versions share: releases, histories, whole sites, and a difference of two tables that is not odp's."""
import hashlib
import io
import csv
import json
import os
import pathlib

import odp


class Case(odp.Case):
    def release(self, version, date="2024-03-20"):
        """A release of the catalogue, so that a change of what it promises may be published."""
        path = self.dir / "catalog/changes.json"
        history = odp.read_json(path)
        history["releases"].insert(0, {"version": version, "date": date, "changes": [{"id": "Perubahan", "en": "Changes"}]})
        path.write_text(json.dumps(history))

    def describe(self, slug, **properties):
        """Sets (None: removes) properties of a dataset, those of its first resource in resource={…}."""
        path = self.dir / f"catalog/{slug}/dataset.json"
        package = odp.read_json(path)
        package["resources"][0].update(properties.pop("resource", {}))
        for key, value in properties.items():
            package.pop(key, None)
            if value is not None:
                package[key] = value
        path.write_text(json.dumps(package, indent=2))

    def source(self, slug, rows, columns):
        """Replaces the source: ROWS are dicts, None is an empty cell."""
        (self.dir / f"catalog/{slug}/{slug}.csv").write_text(csv_text(rows, columns), newline="")

    def versions(self, slug, site="build/site"):
        """The entries of versions.json, newest first; it is the same under both its names."""
        public = (self.dir / site / f"data/{slug}/versions.json").read_bytes()
        self.assertEqual(public, (self.dir / site / f"v1/{slug}/versions.json").read_bytes())
        document = json.loads(public)
        self.assertEqual((document["status"], document["meta"]["total"]), ("success", len(document["data"])))
        return document["data"]

    def build_of(self, site="build/site"):
        """The digest that the link leads to."""
        return os.readlink(self.dir / site).split("/")[-1]

    def assert_no_leftovers(self, out="build/site"):
        left = [n for n in os.listdir(self.dir / f"{out}.builds") if n.startswith((".stage", ".scratch", ".new"))]
        self.assertEqual(left, [])

    def assert_whole(self, site):
        self.assertIsNone(why_not_whole(self.dir / site))


def csv_text(rows, columns):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        writer.writerow({c: "" if row[c] is None else row[c] for c in columns})
    return out.getvalue()


def why_not_whole(site):
    """Whether everything that the manifest of SITE (one build, not the link) names is there with its bytes; None: it is."""
    site = pathlib.Path(site)
    try:
        manifest = json.loads((site / "manifest.json").read_bytes())
    except (OSError, ValueError) as error:
        return f"manifest: {error}"
    for entry in manifest["files"]:
        try:
            data = (site / entry["path"]).read_bytes()
        except OSError as error:
            return f"{entry['path']}: {error}"
        if len(data) != entry["size"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
            return f"{entry['path']}: other bytes"
    return None


def difference(old, new, key, columns):
    """Rows added and removed by key, and the cells that changed, of COLUMNS that both have: {"added": {…}, "removed": {…},
    "changed": {key: {column: (before, after)}}}."""
    before = {tuple(r[k] for k in key): r for r in old}
    after = {tuple(r[k] for k in key): r for r in new}
    changed = {}
    for k in before.keys() & after.keys():
        cells = {c: (before[k][c], after[k][c]) for c in columns if before[k][c] != after[k][c]}
        if cells:
            changed[k] = cells
    return {"added": {k: after[k] for k in after.keys() - before.keys()},
            "removed": {k: before[k] for k in before.keys() - after.keys()}, "changed": changed}
