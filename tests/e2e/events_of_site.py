"""What tools/odp-gateway/service/webhooks/events tells of real sites: first versions, new ones, corrections, differences and keys, withdrawals, thinned versions, renamed, deprecated and removed
datasets, releases, rollbacks. Keys and counts are computed here from the tables."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import urllib.parse

import odp
import versionslib

try:
    import jsonschema
except ImportError:
    jsonschema = None

TOOL = pathlib.Path(os.environ["ODP_BINARY_DIR"]) / "tests/events_tool"
BASE = "https://data.example.go.id/"
TODAY = ("--today", "2024-06-01")
FIELDS = [{"name": "kode", "type": "string"}, {"name": "tahun", "type": "integer"}, {"name": "nilai", "type": "number"}, {"name": "catatan", "type": "string"}]
KEY = ["kode", "tahun"]
WORDS = ["31.71", "a,b", "50%", "é/日本", 'x"y\\z', "-", "a b?", "~_"]
EMPTY = {"added": [], "removed": [], "changed": []}


def key_of(row):
    return ",".join(urllib.parse.quote(str(row[k]), safe="-_.~") for k in KEY)


def rows(n, seed=0):
    return [{"kode": WORDS[i % len(WORDS)], "tahun": 1990 + i // len(WORDS), "nilai": f"{i}.5{seed}", "catatan": None if i % 3 else f"baris\n{i}"} for i in range(n)]


def keys_between(old, new):
    d = versionslib.difference(old, new, KEY, [f["name"] for f in FIELDS])
    return {op: {",".join(urllib.parse.quote(str(v), safe="-_.~") for v in k) for k in d[op]} for op in ("added", "removed", "changed")}


def tool(*args, given="", fails=False):
    done = subprocess.run([TOOL, *map(str, args)], input=given.encode(), capture_output=True)
    assert (done.returncode != 0) == fails, done.stderr.decode()
    return done.stdout.decode()


class Events(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.valid = set()

    def table(self, slug, records, date, **more):
        folder = self.dir / "catalog" / slug
        shutil.rmtree(folder, ignore_errors=True)
        names = [f["name"] for f in FIELDS]
        resource = {"name": more.pop("resource", slug), **({"schema": {"primaryKey": KEY}} if more.pop("keyed", True) else {})}
        self.dataset(slug, versionslib.csv_text(records, names), FIELDS, resource, **{"odp:lastUpdate": date, **more})

    def build(self, *args, expect=0):
        return self.odp("build", *TODAY, *args, expect=expect)

    def told(self, faults=0, site="build/site"):
        """[(digest, [events])] by line of the log. Keys of events are their line and place."""
        lines = [json.loads(line) for line in tool("lines", self.dir / site, BASE).splitlines()]
        self.assertEqual(lines.pop(), {"faults": faults})
        all = []
        for line in lines:
            if "digest" in line:
                all.append((line["digest"], []))
            else:
                digest, place = line["key"].split("/")
                self.assertEqual(digest, all[-1][0])
                self.assertEqual(line["data"].get("dataset"), line["dataset"])
                all[-1][1].append({**line, "place": int(place)})
        log = (self.dir / site / "releases.log").read_bytes().splitlines()
        self.assertEqual([versionslib.hashlib.sha256(line).hexdigest() for line in log], [digest for digest, _ in all])
        self.validate(all, site)
        return [events for _, events in all]

    def validate(self, all, site):
        """Against the schemas that the site itself publishes; each event once."""
        for event in (e for _, events in all for e in events):
            text = json.dumps(event)
            if jsonschema is not None and text not in self.valid:
                body = tool("message", event["type"], 1700000000123, given=json.dumps(event["data"]) + "\nnull\n")
                schema = odp.read_json(self.dir / site / f"v1/events/{event['type']}.json")
                jsonschema.Draft202012Validator(schema).validate(json.loads(body))
                self.valid.add(text)

    def last(self, **known):
        return self.told(**known)[-1]

    def short(self, events):
        return [(e["place"], e["type"], e["dataset"], e["version"]) for e in events]

    def test_versions(self):
        first, words, title = rows(40), rows(9), {"odp:title": {"id": "Desa", "en": "Villages"}}
        self.table("desa", first, "2024-01-15", **title)
        self.table("acak", words, "2024-01-15", keyed=False)
        self.build()
        self.assertEqual(self.short(self.last()), [(0, "release.published", None, None), (1, "dataset.version.published", "acak", "2024-01-15"),
                                                   (2, "dataset.version.published", "desa", "2024-01-15")])
        release, _, desa = [e["data"] for e in self.last()]
        self.assertEqual(release, {"release": "2.5.0", "previous": None, "date": "2024-03-15", "url": BASE + "rilis.html", "openapi_url": BASE + "v1/openapi.json"})
        self.assertEqual(desa, {"dataset": "desa", "title": {"id": "Desa", "en": "Villages"}, "version": "2024-01-15", "previous": None,
                                "versions": ["2024-01-15"], "release": "2.5.0", "rows": 40,
                                "resources": [{"name": "desa", "rows": 40, "changes": [], "keys": None}],
                                "url": BASE + "v1/desa", "versions_url": BASE + "v1/desa/versions.json"})
        self.assertEqual(list(desa)[:7], ["dataset", "title", "version", "previous", "versions", "release", "rows"])
        known = len(self.told())
        self.build()
        self.assertEqual(len(self.told()), known)

        second = [dict(r, nilai="-1.5") if i < 5 else r for i, r in enumerate(first[3:])] + rows(44)[40:]
        self.table("desa", second, "2024-02-15", **title)
        self.table("acak", words[2:], "2024-02-15", keyed=False)
        self.build()
        acak, desa = [e["data"] for e in self.last()]
        self.assertEqual(self.short(self.last()), [(1, "dataset.version.published", "acak", "2024-02-15"), (2, "dataset.version.published", "desa", "2024-02-15")])
        want = keys_between(first, second)
        self.assertEqual([len(want[op]) for op in want], [4, 3, 5])
        resource = desa["resources"][0]
        self.assertEqual({op: set(resource["keys"][op]) for op in want}, want)
        self.assertEqual(resource["changes"], [{"from": "2024-01-15", "to": "2024-02-15", "added": 4, "removed": 3, "changed": 5,
                                                "url": BASE + "data/desa/2024-02-15/changes.json"}])
        self.assertEqual((desa["previous"], desa["version"], desa["rows"], resource["rows"]), ("2024-01-15", "2024-02-15", 41, 41))
        for list_ in resource["keys"].values():
            self.assertEqual(len(list_), len(set(list_)))
        self.assertEqual((acak["resources"][0]["keys"], acak["resources"][0]["changes"][0]["removed"]), (None, 2))

        third = [dict(r, nilai="7") for r in second[:20]] + second[20:]
        self.table("desa", third, "2024-02-15", **title, **{"odp:correction": {"id": "Nilai salah", "en": "Wrong values"}})
        self.build()
        self.assertEqual(self.short(self.last()), [(1, "dataset.corrected", "desa", "2024-02-15.1")])
        corrected = self.last()[0]["data"]
        self.assertEqual((corrected["correction"], corrected["previous"]), ({"id": "Nilai salah", "en": "Wrong values"}, "2024-02-15"))
        self.assertEqual(set(corrected["resources"][0]["keys"]["changed"]), {key_of(r) for r in third[:20]})

        fourth = [dict(r, nilai="8") for r in third] + rows(60)[50:]
        self.table("desa", fourth, "2024-03-15", **title)
        self.build()
        large = self.last()[0]["data"]["resources"][0]
        self.assertEqual((large["keys"], large["changes"][0]["changed"], large["changes"][0]["added"]), (None, 41, 10))
        fourth.pop()
        self.table("desa", fourth, "2024-04-15", **title)
        self.build()
        self.joined(desa, corrected, large, self.last()[0]["data"], keys_between(second, third))

    def joined(self, second, third, large, fifth, changed):
        """What odp:notifyEvery makes one of, with real data."""
        lines = lambda *all: "\n".join(map(json.dumps, all))
        data = json.loads(tool("join", given=lines(second, third)))
        before, after = second["resources"][0]["keys"], data["resources"][0]["keys"]
        self.assertEqual((data["versions"], data["version"], data["previous"]), (["2024-02-15", "2024-02-15.1"], "2024-02-15.1", "2024-01-15"))
        self.assertEqual(data["correction"], third["correction"])
        self.assertEqual(data["resources"][0]["changes"], second["resources"][0]["changes"] + third["resources"][0]["changes"])
        self.assertEqual(set(after["added"]), set(before["added"]))
        self.assertEqual(set(after["changed"]), set(before["changed"]) | (changed["changed"] - set(before["added"])))
        fourth = dict(third, version="2024-03-15", versions=["2024-03-15"], previous="2024-02-15.1", resources=[large])
        self.assertIsNone(json.loads(tool("join", given=lines(second, fourth)))["resources"][0]["keys"])
        data = json.loads(tool("join", given=lines(second, third, fourth, fifth)))
        self.assertEqual([(c["from"], c["to"]) for c in data["resources"][0]["changes"]],
                         [("2024-01-15", "2024-02-15"), ("2024-02-15", "2024-02-15.1"), ("2024-02-15.1", "2024-03-15"), ("2024-03-15", "2024-04-15")])
        self.assertEqual((data["rows"], data["resources"][0]["rows"], "correction" in data), (50, 50, False))
        tool("join", given=lines(second, dict(third, dataset="lain")), fails=True)

    def test_two_tables(self):
        shutil.copytree(odp.SOURCE / "catalog/references", self.dir / "catalog/references")
        for slug in ("proyek", "kontraktor"):
            shutil.copytree(odp.SOURCE / "catalog" / slug, self.dir / "catalog" / slug)
        path = self.dir / "catalog/proyek/timeline.csv"
        lines = path.read_text().splitlines(keepends=True)
        self.build()
        first = next(e["data"] for e in self.last() if e["dataset"] == "proyek")
        self.assertEqual([(r["name"], r["changes"], r["keys"]) for r in first["resources"]], [("proyek", [], None), ("timeline", [], None)])
        self.assertEqual((first["rows"], [r["rows"] for r in first["resources"]]), (400, [400, len(lines) - 1]))  # the main table's
        path.write_text("".join(lines[:2] + lines[3:-2]))
        self.describe("proyek", **{"odp:lastUpdate": "2024-04-15"})
        self.build()
        proyek, timeline = self.last()[-1]["data"]["resources"]
        self.assertEqual(proyek["keys"], EMPTY)
        gone = [",".join(urllib.parse.quote(v, safe="-_.~") for v in lines[i].split(",")[:2]) for i in (2, -2, -1)]
        self.assertEqual(timeline["keys"], {"added": [], "removed": sorted(gone), "changed": []})
        self.assertEqual(timeline["changes"][0]["url"], BASE + "data/proyek/2024-04-15/changes-timeline.json")

    def test_what_is_not_there_any_more(self):
        """A service that was down is told later: lines go as far as they can, and the same events have the same keys."""
        tables = {f"2024-0{n}-15": rows(20, n) for n in range(1, 6)}
        at_once = []
        for date, records in tables.items():
            self.table("desa", records, date)
            self.build()
            at_once.append(self.last()[-1])
        self.odp("withdraw", "desa", "2024-03-15", "--reason", "privacy", "--note", "memuat data pribadi")
        later = self.told()
        self.assertEqual(self.short(later[-1]), [(1, "dataset.withdrawn", "desa", "2024-03-15")])
        self.assertEqual(later[-1][0]["data"], {"dataset": "desa", "title": {"id": "desa", "en": "desa"}, "version": "2024-03-15", "reason": "privacy",
                                                "note": {"id": "memuat data pribadi", "en": "memuat data pribadi"},
                                                "versions_url": BASE + "v1/desa/versions.json"})
        self.assertEqual([events[-1]["key"] for events in later[:-1]], [e["key"] for e in at_once])
        for n in (0, 1, 4):
            self.assertEqual(later[n][-1], at_once[n])
        gone, after = later[2][-1]["data"], later[3][-1]["data"]
        self.assertEqual((gone["version"], gone["rows"], gone["resources"], gone["previous"], gone["versions"], gone["release"]),
                         ("2024-03-15", None, [], None, ["2024-03-15"], "2.5.0"))
        change = after["resources"][0]["changes"][0]
        self.assertEqual((after["resources"][0]["keys"], change["from"], change["changed"], change["url"]), (None, "2024-03-15", 20, None))
        data = json.loads(tool("join", given="\n".join(json.dumps(e[-1]["data"]) for e in later[1:5])))
        self.assertEqual((data["previous"], data["versions"], data["resources"][0]["keys"]), ("2024-01-15", list(tables)[1:], None))
        self.assertEqual([c["to"] for c in data["resources"][0]["changes"]], ["2024-02-15", "2024-04-15", "2024-05-15"])
        self.table("desa", rows(20, 7), "2024-06-15", **{"odp:retention": {"all": 24, "hourly": 48, "daily": 72}})
        self.build()
        self.assertEqual([e["version"] for e in self.last()], ["2024-06-15"])
        self.assertEqual([c["what"] for c in json.loads((self.dir / "build/site/releases.log").read_text().splitlines()[-1])["changes"]],
                         ["published"] + ["thinned"] * 4)
        self.assertEqual([e[-1]["data"]["resources"] for e in self.told()[:5]], [[]] * 5)

    def test_datasets_that_come_and_go(self):
        self.table("lama", rows(3), "2024-01-15", resource="tabel")
        self.table("lain", rows(3), "2024-01-15")
        self.build()
        then = self.last()
        shutil.rmtree(self.dir / "catalog/lama")
        self.table("baru", rows(3), "2024-01-15", resource="tabel", **{"odp:formerSlugs": [{"slug": "lama", "sunset": "2025-12-31"}]})
        self.release("3.0.0", "2024-03-21")
        self.build()
        (release,) = self.last()
        self.assertEqual((release["place"], release["type"]), (0, "release.published"))
        self.assertEqual((release["data"]["previous"], release["data"]["release"], release["data"]["date"]), ("2.5.0", "3.0.0", "2024-03-21"))
        self.assertEqual(self.short(self.told()[0])[1:], [(1, "dataset.version.published", "lain", "2024-01-15"), (2, "dataset.version.published", "baru", "2024-01-15")])
        self.assertEqual([e["key"] for e in self.told()[0]], [e["key"] for e in then])
        self.assertEqual(self.told()[0][2]["data"]["url"], BASE + "v1/baru")

        window = {"odp:deprecated": "2024-04-01", "odp:sunset": "2024-05-31", "odp:replacedBy": "baru", "odp:status": "deprecated"}
        self.table("lain", rows(3), "2024-01-15", **window)
        self.release("3.0.1", "2024-03-22")
        self.build()
        self.assertEqual(self.short(self.last())[1:], [(1, "dataset.deprecated", "lain", "2024-01-15")])
        self.assertEqual(self.last()[1]["data"], {"dataset": "lain", "title": {"id": "lain", "en": "lain"}, "version": "2024-01-15", "deprecated": "2024-04-01",
                                                  "sunset": "2024-05-31", "replaced_by": "baru", "url": BASE + "v1/lain"})
        shutil.rmtree(self.dir / "catalog/lain")
        self.release("4.0.0", "2024-03-23")
        self.build()
        self.assertEqual(self.short(self.last())[1:], [(1, "dataset.withdrawn", "lain", None)])
        self.assertEqual(self.last()[1]["data"], {"dataset": "lain", "title": None, "version": None, "reason": None, "note": None, "versions_url": None})
        self.assertEqual(self.told()[-2][1]["data"]["deprecated"], None)

        self.table("baru", rows(3), "2024-01-15", resource="tabel", **{"odp:status": "withdrawn"})
        self.release("5.0.0", "2024-03-24")
        self.build()
        self.assertEqual(self.short(self.last())[1:], [(1, "dataset.withdrawn", "baru", None)])
        self.assertEqual(self.last()[1]["data"], {"dataset": "baru", "title": None, "version": None, "reason": "dataset", "note": None,
                                                  "versions_url": BASE + "v1/baru/versions.json"})

    def test_another_branch(self):
        """After a rollback the log goes on from where it was: the lines that are gone are not told again, the new ones are other lines."""
        for n in (1, 2):
            self.table("desa", rows(5, n), f"2024-0{n}-15")
            self.build()
        before = self.told()
        self.odp("rollback")
        self.assertEqual(self.told(), before[:1])
        self.table("desa", rows(6, 3), "2024-03-15")
        self.build()
        after = self.told()
        self.assertEqual((len(after), after[0]), (2, before[0]))
        self.assertNotEqual(after[1][0]["key"], before[1][0]["key"])
        self.assertEqual((after[1][0]["data"]["previous"], after[1][0]["version"]), ("2024-01-15", "2024-03-15"))
        data = json.loads(tool("join", given=json.dumps(before[1][0]["data"]) + json.dumps(after[1][0]["data"])))
        self.assertEqual(data, after[1][0]["data"])

    def test_damage_makes_it_poorer(self):
        for n in (1, 2):
            self.table("desa", rows(5, n), f"2024-0{n}-15")
            self.build()
        site = (self.dir / "build/site").resolve()
        whole = self.last()[0]["data"]
        path = site / "data/desa/2024-02-15/changes.json"
        path.chmod(0o644)
        path.write_text(path.read_text().replace('"op":"changed"', '"op":"removed"', 1))
        poorer = self.last(faults=1)[0]["data"]
        self.assertEqual(poorer["resources"][0]["keys"], None)
        poorer["resources"][0]["keys"] = whole["resources"][0]["keys"]
        self.assertEqual(poorer, whole)
        path.unlink()
        self.assertIsNone(self.last(faults=1)[0]["data"]["resources"][0]["keys"])
        (site / "data/desa/versions.json").unlink()
        bare = self.last(faults=2)[0]["data"]
        self.assertEqual((bare["version"], bare["rows"], bare["resources"], bare["title"]), ("2024-02-15", None, [], whole["title"]))

    def test_random_differences(self):
        seed = int(os.environ.get("ODP_SEED", random.randrange(1 << 30)))
        rng = random.Random(seed)
        everything = rows(60)
        old = rng.sample(everything, 30)
        self.table("desa", old, "2024-01-01")
        self.build()
        for n in range(2, 5):
            had = {key_of(r) for r in old}
            new = [r for r in old if rng.random() < 0.8] + [r for r in everything if key_of(r) not in had and rng.random() < 0.2]
            new = [dict(r, nilai=f"{n}.25") if rng.random() < 0.3 else r for r in new]
            rng.shuffle(new)
            self.table("desa", new, f"2024-01-0{n}")
            self.build()
            want = keys_between(old, new)
            got = self.last()[0]["data"]["resources"][0]["keys"]
            few = sum(map(len, want.values())) <= 50
            self.assertEqual({op: set(got[op]) for op in got} if few else got, want if few else None, f"ODP_SEED={seed}")
            old = new


if __name__ == "__main__":
    odp.main()
