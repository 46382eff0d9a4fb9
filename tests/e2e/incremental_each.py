"""Each member of dataset.json and portal.json of the example is changed, one after the other, and each dataset and code list gets other records: an incremental build gives
the bytes of a full one. So nothing that a page says of another dataset is missing in what its part (published/parts.h) is made of.

    incremental_each.py [SLUG…]     what is changed; without: those of the example that know of others"""
import json
import re
import sys

import odp
import versionslib

KNOWN = ("proyek", "risiko", "kumuh", "perumahan")
SLUGS = [a for a in sys.argv[1:] if (odp.SOURCE / "catalog" / a / "dataset.json").exists()]
CHANGED = SLUGS or KNOWN
BESIDE = ("rehabilitasi", "anggaran", "pemantauan", "kepatuhan", "demografi-kumuh", "kontraktor")
ENOUGH = 2  # members of one name in one file: each field has a title


def other(value):
    """VALUE, changed a little."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value if re.fullmatch(r"[\d-]*|https?:.*", value) else value + " x"
    if isinstance(value, list):
        return value[:-1] if len(value) > 1 else value
    return {k: other(v) for k, v in value.items()} if set(value) <= {"id", "en"} else value


def members(node, path=()):
    """The way to each member below NODE, outer ones first."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from members(value, (*path, key))


class Each(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(*dict.fromkeys((*KNOWN, *CHANGED, *BESIDE)))
        self.done = self.refused = 0
        self.assertTrue(self.both("first"))

    def both(self, what):
        """Whether it was built; then both ways."""
        if self.odp("build", "--out", "cepat/site", expect=None).returncode != 0:
            self.refused += 1
            return False
        for end in ("inputs", "parts", "idle"):
            for path in (self.dir / "penuh").glob(f"site.builds/*.{end}"):
                path.unlink()
        self.odp("build", "--out", "penuh/site")
        if self.build_of("cepat/site") != self.build_of("penuh/site"):
            fast, full = (odp.digests(self.dir / f"{out}/site") for out in ("cepat", "penuh"))
            self.fail(f"{what}: {sorted(p for p in set(fast) | set(full) if fast.get(p) != full.get(p))[:20]}")
        self.done += 1
        return True

    def change(self, path, what, edit):
        """EDIT changes what the file PATH holds, if it can be built."""
        before = path.read_bytes()
        after = edit(before.decode("latin-1")).encode("latin-1")  # byte for byte, whatever it is
        if after != before:
            path.write_bytes(after)
            if not self.both(what):
                path.write_bytes(before)

    def each_member(self, path):
        seen = {}
        for way in list(members(json.loads(path.read_text()))):
            name = tuple("" if isinstance(k, int) else k for k in way)
            seen[name] = seen.get(name, 0) + 1

            def edit(text, way=way):
                root = node = json.loads(text.encode("latin-1"))
                try:
                    for key in way[:-1]:
                        node = node[key]
                    node[way[-1]] = other(node[way[-1]])
                except (KeyError, IndexError, TypeError):
                    return text  # what is before it took it away
                return json.dumps(root, indent=2) if root != json.loads(text.encode("latin-1")) else text

            if seen[name] <= ENOUGH and not isinstance(way[-1], int):
                self.change(path, f"{path.parent.name}/{path.name}: {'.'.join(map(str, way))}", edit)

    def test_each_member(self):
        for slug in CHANGED:
            self.each_member(self.dir / f"catalog/{slug}/dataset.json")
        if CHANGED == KNOWN:
            self.each_member(self.dir / "catalog/portal.json")
        print(f"{self.done} changes, {self.refused} refused", flush=True)
        self.assertGreater(self.done, 30)

    def test_other_records(self):
        """A record less in each table, under a later day; another name of a code."""
        for path in sorted((self.dir / "catalog").glob("*/*.csv")):
            described = odp.read_json(path.parent / "dataset.json")
            if isinstance(described.get("odp:lastUpdate"), str):
                self.describe(path.parent.name, **{"odp:lastUpdate": "2026-01-01"})
            self.change(path, str(path), lambda text: "".join(text.splitlines(keepends=True)[:-1]))
        for path in sorted((self.dir / "catalog/references").glob("*/*.csv")):
            self.change(path, str(path), lambda text: re.sub(r"(\w)(,|\r?\n)$", r"\1 baru\2", text, count=1, flags=re.M))
        print(f"{self.done} changes, {self.refused} refused", flush=True)
        self.assertGreater(self.done, 5)


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a not in SLUGS]
    odp.main()
