"""A site as odp-build makes it, behind the gateway: every file byte for byte, a new build within moments, deprecated and withdrawn datasets."""
import json
import os
import pathlib
import shutil

import gatewaylib
import odp

TIERS = [("public", 2000000000, 1000000), ("registered", 10000, 20)]
ROW = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "integer"}]
KEYED = {"schema": {"primaryKey": ["kode"]}}


class Site(gatewaylib.Case):
    def build(self, *slugs):
        """Examples (those that stand without others) and one of our own."""
        self.catalogue(*slugs)
        self.dataset("angka", "kode,nilai\n1,10\n2,20\n", ROW, dict(KEYED))
        return self.compile(tiers=TIERS)

    def next_version(self, site):
        """A second version of angka, long enough for differences, a delta and twins."""
        for date, step in (("2024-04-15", 10), ("2024-05-15", 11)):
            self.update("angka", date, "kode,nilai\n" + "".join(f"{n},{n * 10 if n % 50 else n * step}\n" for n in range(1, 2500)))
            self.odp("build", "--out", site, "--quiet")

    def test_every_file(self):
        site = self.build("kumuh")
        self.next_version(site)
        g = self.serve(site)
        key, connection = g.create_key("public"), gatewaylib.Connection(g.port)
        self.addCleanup(connection.close)
        control, keyed = gatewaylib.control_of(site), 0
        for path, row in control.items():
            if row["class"] == "internal":
                self.assertEqual(connection.get("/" + path, key).status, 404, path)
                continue
            coding = [f"Accept-Encoding: {row['encoding']}"] if row["encoding"] != "-" else []
            base = path.removesuffix(".br").removesuffix(".gz") if coding else path
            answer = connection.get("/" + base, key, headers=["Host: x", *coding])  # for localhost some links are others
            self.assertEqual((answer.status, answer.get("etag")), (200, row["etag"]), path)
            self.assertEqual(answer.body, (site / path).read_bytes(), path)
            self.assertEqual((answer.get("content-type"), answer.get("cache-control")), (row["type"], row["cache-control"]), path)
            self.assertEqual(answer.get("content-encoding"), None if row["encoding"] == "-" else row["encoding"], path)
            self.assertEqual(int(answer.get("content-length")), int(row["size"]), path)
            if row["class"] == "keyed":
                keyed += 1
                self.assertEqual(connection.get("/" + base, headers=coding).status, 401, path)
        self.assertGreater(keyed, 3)
        # Every version, what changed since the one before, and the older pages of the API.
        for path in ("data/angka/2024-03-15/angka.csv", "data/angka/2024-05-15/changes.json", "data/angka/2024-05-15/angka.csv.from-2024-04-15.delta",
                     "data/angka/versions.json", "v1/angka/versions.json", "v1/angka/v/2024-04-15/p/2.json", "feed.xml"):
            self.assertIn(path, control)
        document = connection.get("/v1/kumuh", key).json()
        following = document["links"]["next"]
        self.assertEqual(connection.get("/v1/" + following, key).json()["meta"]["page"], 2)
        # Links of this document begin with the address that was asked for: another text under another tag.
        local = f"Host: localhost:{g.port}"
        plain, here = (connection.get("/v1/openapi.json", headers=[host]) for host in ("Host: x", local))
        self.assertNotEqual(plain.body, here.body)
        self.assertNotEqual(plain.get("etag"), here.get("etag"))
        self.assertIn(f"http://localhost:{g.port}/".encode(), here.body)
        self.assertEqual(connection.get("/v1/openapi.json", headers=[local, f"If-None-Match: {plain.get('etag')}"]).status, 200)
        self.assertEqual(connection.get("/v1/openapi.json", headers=[local, f"If-None-Match: {here.get('etag')}"]).status, 304)
        # What a browser or curl --compressed makes of it is the file.
        self.assertEqual(g.curl("/v1/kumuh", "--compressed", key=key).body, (site / "v1/kumuh.json").read_bytes())

    def appears(self, g, key, path, status, want=None):
        def seen():
            answer = g.get(path, key)
            return answer if answer.status == status and (want is None or want(answer)) else None
        return gatewaylib.wait_for(f"{status} at {path}", seen)

    def test_new_builds(self):
        site = self.build()
        g = self.serve(site)
        key = g.create_key("public")
        self.assertEqual(g.get("/v1/angka", key).json()["data"][1], {"kode": "2", "nilai": 20})
        self.dataset("baru", "kode,nilai\n7,70\n", ROW, dict(KEYED))
        self.release("3.0.0")
        self.odp("build", "--out", site, "--quiet")
        self.assertEqual(self.appears(g, key, "/v1/baru", 200).json()["data"], [{"kode": "7", "nilai": 70}])

        package = self.dir / "catalog" / "baru" / "dataset.json"
        plain = odp.read_json(package)
        package.write_text(json.dumps({**plain, "odp:status": "deprecated", "odp:deprecated": "2024-04-01", "odp:sunset": "2034-04-01",
                                       "odp:replacedBy": "angka"}))
        self.release("3.0.1")
        self.odp("build", "--out", site, "--quiet")
        answer = self.appears(g, key, "/v1/baru", 200, lambda a: a.get("deprecation"))
        self.assertEqual(answer.get("deprecation"), "@1711929600")
        self.assertRegex(answer.get("sunset"), r"^\w{3}, \d\d (Mar|Apr) 2034 \d\d:00:00 GMT$")
        self.assertIn("v1/angka", answer.get("link"))

        package.write_text(json.dumps({**plain, "odp:status": "withdrawn", "odp:replacedBy": "angka"}))
        self.release("4.0.0")
        self.odp("build", "--out", site, "--quiet")
        answer = self.appears(g, key, "/v1/baru", 410)
        self.problem(answer, 410, "gone")
        self.assertIn("v1/angka", answer.get("link"))
        self.assertEqual(g.get("/data/baru/latest/baru.csv").status, 410)
        self.assertEqual(g.get("/v1/angka", key).status, 200)

    def test_tiers_of_a_new_build(self):
        """Limits are the catalogue's: a new build changes them while it runs."""
        site = self.build()
        g = self.serve(site)
        key = g.create_key("public")
        g.get("/v1/angka", key)
        self.portal([("public", 3, 1000000), ("registered", 10000, 20)])
        self.dataset("baru", "kode,nilai\n7,70\n", ROW, dict(KEYED))
        self.release("3.0.0")
        self.odp("build", "--out", site, "--quiet")
        self.appears(g, key, "/v1/", 200, lambda a: "baru" in a.body.decode())
        gatewaylib.wait_for("the new limit", lambda: "q=3;" in g.get("/v1/angka", key).get("ratelimit-policy", ""))
        self.assertEqual([g.get("/v1/angka", key).status for _ in range(4)][-1], 429)

    def test_a_build_that_is_gone(self):
        """The site's link leads nowhere for a while: what was served goes on being served, and the next build is picked up."""
        site = self.build()
        g = self.serve(site)
        key = g.create_key("public")
        self.assertEqual(g.get("/v1/angka", key).status, 200)
        real = os.readlink(site)
        os.unlink(site)
        gatewaylib.wait_for("a word about it", lambda: g.get("/v1/angka", key).status in (200, 503) and "site" in g.log_text().lower())
        self.assertIn(g.get("/v1/angka", key).status, (200, 503))
        site.symlink_to(real)
        self.appears(g, key, "/v1/angka", 200)
        broken = self.dir / "site.builds" / "broken"
        shutil.copytree(site.resolve(), broken)
        for name in ("control", "gateway.json"):
            (broken / name).chmod(0o644)
            (broken / name).write_text("")
        gatewaylib.link(site, pathlib.Path("site.builds") / "broken")
        for _ in range(30):
            self.assertEqual(g.get("/v1/angka", key).status, 200)
            os.sched_yield()
        gatewaylib.link(site, real)
        self.appears(g, key, "/v1/angka", 200)
        self.assertEqual(g.stop(), 0)


if __name__ == "__main__":
    gatewaylib.main()
