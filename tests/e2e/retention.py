"""Ten thousand versions of one dataset. The history is made by hand (that many builds would take too long): a whole site, to which a real
build then adds a version. What stays and what becomes a tombstone is what an independent program says.

    retention.py        10,000 with odp:retention, 2,000 without        retention.py deep        10,000 of both
"""
import datetime
import hashlib
import json
import os
import sys
import time

import odp
import versionslib

VERSIONS = 10000
ALL = VERSIONS if "deep" in sys.argv else 2000
FIELDS = [{"name": "id", "type": "integer"}, {"name": "waktu", "type": "datetime"}, {"name": "nilai", "type": "integer"}]
START = datetime.datetime(2024, 3, 20, 3, 0, 0)  # of the newest version, UTC
FILES = ("pantau.csv", "schema.json")
RETENTION = {"all": 24, "hourly": 168, "daily": 720}


def name_of(instant):
    return instant.strftime("%Y-%m-%dT%H%M%SZ")


def instant_of(name):
    return datetime.datetime.strptime(name, "%Y-%m-%dT%H%M%SZ")


def standing(names, rule):
    """{version: itself, or the one that stands in for it}; NAMES newest first. The last of each hour or day stays, then none."""
    newest, seen, stands, keeper = instant_of(names[0]), set(), {}, names[0]
    for name in names:
        at = instant_of(name)
        age = (newest - at).total_seconds() / 3600
        seconds = int(at.replace(tzinfo=datetime.timezone.utc).timestamp())
        if age < rule["all"]:
            slot = seconds
        elif age < rule["hourly"]:
            slot = ("hour", seconds // 3600)
        elif rule["daily"] is None or age < rule["daily"]:
            slot = ("day", seconds // 86400)
        else:
            slot = None
        if slot is not None and slot not in seen:
            seen.add(slot)
            keeper = name
        stands[name] = keeper
    return stands


class Retention(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)

    def start(self, **more):
        self.dataset("pantau", self.rows([START]), FIELDS, {"schema": {"primaryKey": ["id"]}},
                     **{"odp:formats": ["CSV"], "odp:lastUpdate": {"field": "waktu"}, **more})
        self.odp("build")

    def rows(self, instants):
        return "id,waktu,nilai\n" + "".join(f"{i},{t.isoformat()}+00:00,{i}\n" for i, t in enumerate(instants, 1))

    def age(self, step, count=VERSIONS):
        """Gives the site COUNT - 1 older versions, one every STEP."""
        builds = self.dir / "build/site.builds"
        site = builds / self.build_of()
        manifest = odp.read_json(site / "manifest.json")
        gone = {f"{at}/pantau/versions.json.{twin}" for at in ("data", "v1") for twin in ("gz", "br")}
        files = {f["path"]: f for f in manifest["files"] if f["path"] not in gone}
        for folder in ("data/pantau", "v1/pantau"):
            os.chmod(site / folder, 0o755)
        for path in gone:
            (site / path).unlink(missing_ok=True)
        document = odp.read_json(site / "data/pantau/versions.json")
        newest, text = document["data"][0], json.dumps(document["data"][0])
        own = newest["version"]
        names = [name_of(START - k * step) for k in range(count)]
        for k, name in enumerate(names[1:], 1):
            entry = json.loads(text.replace(f"/{own}/", f"/{name}/"))
            entry.update(version=name, date=(START - k * step).isoformat() + "+00:00", superseded=1,
                         digest="sha256:" + hashlib.sha256(name.encode()).hexdigest())
            entry["resources"][0]["files"] = [f for f in entry["resources"][0]["files"] if f["url"].endswith(FILES)]
            document["data"].append(entry)
            os.mkdir(site / "data/pantau" / name)
            for file in FILES:
                path = f"data/pantau/{name}/{file}"
                if k % 1000 == 1:  # a file takes only so many links
                    (site / path).write_bytes((site / f"data/pantau/{own}/{file}").read_bytes())
                    os.chmod(site / path, 0o444)
                else:
                    os.link(site / f"data/pantau/{names[k - 1]}/{file}", site / path)
                files[path] = dict(files[f"data/pantau/{own}/{file}"], path=path)
        for k in range(len(names) - 1):
            document["data"][k]["previous"] = names[k + 1]
        document["meta"]["total"] = len(names)
        lines = ",\n".join(json.dumps(v) for v in document["data"])
        text = '{"data":[\n' + lines + '\n],"status":"success","meta":' + json.dumps(document["meta"]) + ',"links":{"self":"versions.json"}}\n'
        for at in ("data", "v1"):
            path = site / at / "pantau/versions.json"
            path.unlink()
            path.write_text(text)
            files[f"{at}/pantau/versions.json"].update(size=len(text), sha256=hashlib.sha256(text.encode()).hexdigest())
        manifest["files"] = [files[p] for p in sorted(files, key=str.encode)]
        written = json.dumps({"files": []})[:-2] + "\n" + ",\n".join(json.dumps(f, separators=(",", ":")) for f in manifest["files"]) + "\n]"
        for key, value in manifest.items():
            if key != "files":
                written += "," + json.dumps(key) + ":" + json.dumps(value)
        (site / "manifest.json").unlink()
        (site / "manifest.json").write_text(written + "}\n")
        digest = hashlib.sha256((site / "manifest.json").read_bytes()).hexdigest()
        os.rename(site, builds / digest)
        for path in [*builds.glob("*.inputs"), *builds.glob("*.seals")]:
            path.unlink()
        (builds / "log").write_text(digest + "\n")
        (self.dir / "build/site").unlink()
        (self.dir / "build/site").symlink_to(f"site.builds/{digest}")
        return names

    def build(self, what, *instants):
        (self.dir / "catalog/pantau/pantau.csv").write_text(self.rows([START, *instants]))
        begun = time.monotonic()
        self.odp("build")
        print(f"{what}: {time.monotonic() - begun:.2f} s", flush=True)

    def assert_history(self, names, stands):
        versions = self.versions("pantau")
        self.assertEqual([v["version"] for v in versions], names)
        found = {v["version"]: v["version"] if v["state"] == "published" else v["stands_in"] for v in versions}
        self.assertEqual(found, stands)
        folders = {p.name for p in (self.dir / "build/site/data/pantau").iterdir() if p.is_dir() and any(p.iterdir())} - {"latest"}
        self.assertEqual(folders, {n for n in names if stands[n] == n})
        for v in versions:
            if v["state"] == "thinned":
                self.assertNotIn("resources", v)
        paths = {f["path"] for f in odp.read_json(self.dir / "build/site/manifest.json")["files"]}
        self.assertEqual({p.split("/")[2] for p in paths if p.startswith("data/pantau/2")}, folders)

    def test_versions_that_all_stay(self):
        self.start()
        names = self.age(datetime.timedelta(minutes=5), ALL)
        first, second = START + datetime.timedelta(minutes=1), START + datetime.timedelta(minutes=2)
        self.build(f"{ALL} versions, one more (files proved for the first time)", first)
        names.insert(0, name_of(first))
        self.assert_history(names, {n: n for n in names})
        self.build(f"{ALL + 1} versions, one more", first, second)
        names.insert(0, name_of(second))
        self.assert_history(names, {n: n for n in names})
        self.build("nothing changed", first, second)
        self.assert_whole("build/site")

    def test_ten_thousand_versions_thinned_out(self):
        self.start(**{"odp:retention": RETENTION})
        names = self.age(datetime.timedelta(minutes=5))  # some 35 days
        first, second = START + datetime.timedelta(seconds=30), START + datetime.timedelta(hours=30)
        self.build(f"{VERSIONS} versions, thinned out for the first time", first)
        names.insert(0, name_of(first))
        stands = standing(names, RETENTION)
        kept = [n for n in names if stands[n] == n]
        self.assertGreater(len(kept), 288 + 140)
        self.assertLess(len(kept), 500)
        self.assert_history(names, stands)
        self.assert_whole("build/site")
        # Later some of those that stayed go; a tombstone then names what still stands.
        self.build("30 hours later", first, second)
        names.insert(0, name_of(second))
        again = standing([names[0], *kept], RETENTION)
        final, keeper = {}, names[0]
        for n in names:
            keeper = n if again.get(n) == n else keeper
            final[n] = keeper
        self.assert_history(names, final)
        self.build("nothing changed", first, second)
        self.assert_whole("build/site")


if __name__ == "__main__":
    if "deep" in sys.argv:
        sys.argv.remove("deep")
    odp.main()
