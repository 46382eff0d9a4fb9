"""Query indexes that pages read by parts: those of tables too large to be read whole are public, in manifest, control, recipes and at the gateway; no other is."""
import hashlib
import json
import sqlite3

import gatewaylib
import odp

FIELDS = [{"name": "id", "type": "integer"}, {"name": "a", "type": "string"}, {"name": "b", "type": "string"}]


def rows(n):
    """N records that no compression makes small."""
    digest = lambda *parts: hashlib.sha256(repr(parts).encode()).hexdigest()
    return "id,a,b\n" + "".join(f"{i},{digest(i, 'a')[:48]},{digest(i, 'b')[:48]}\n" for i in range(n))


class PublicIndexes(gatewaylib.Case):
    def build(self):
        self.odp("build", "--catalog", self.dir / "catalog", "--out", self.dir / "site", "--today", "2024-12-01", "--quiet", "--no-progress")
        site = self.dir / "site"
        self.files = {f["path"]: f for f in odp.read_json(site / "manifest.json")["files"]}
        return site, {r["slug"]: r["file"] for r in odp.read_json(site / "search/index.json")["resources"]}

    def catalogue_of_two(self):
        self.catalogue(references=False)
        for slug, n in (("besar", 50000), ("kecil", 50)):
            self.dataset(slug, rows(n), FIELDS, {"schema": {"primaryKey": ["id"]}}, **{"odp:formats": ["CSV"]})

    def test_large_tables_alone(self):
        self.catalogue_of_two()
        site, index = self.build()
        self.assertGreater(self.files["data/besar/2024-03-15/besar.csv.br"]["size"], 2000000)
        classes = {p: f["class"] for p, f in self.files.items() if p.startswith("search/")}
        self.assertEqual([p for p, c in classes.items() if c != "internal"], [index["besar"]])
        self.assertEqual(classes[index["besar"]], "public")
        self.assertFalse([p for p in self.files if p.startswith("search/") and p.endswith((".br", ".gz"))])
        control = gatewaylib.control_of(site)
        self.assertEqual((control[index["besar"]]["class"], control[index["besar"]]["cache-control"]), ("public", "public, max-age=86400, immutable"))
        self.assertEqual((control[index["kecil"]]["class"], control[index["kecil"]]["cache-control"]), ("internal", "no-store"))
        # Public is what other servers and public copies have.
        s3 = {json.loads(line)["Key"] for line in self.run_headers("s3").splitlines()}
        self.assertEqual({k for k in s3 if k.startswith("search/")}, {index["besar"]})
        self.assertIn(f'/{index["besar"]}\n', self.run_headers("netlify").replace("*", ""))
        self.odp("publish", self.dir / "copy", "--out", site, "--public", "--first", "--quiet")
        self.assertEqual([str(p.relative_to(self.dir / "copy")) for p in (self.dir / "copy/search").rglob("*") if p.is_file()], [index["besar"]])
        self.odp("verify", site, "--quiet")
        body = (site / index["besar"]).read_bytes()
        for state, options in (("module", ()), ("plain", ("--module", "off"))):
            g = self.serve(site, *options, state=state)
            answer = g.get("/" + index["besar"], headers=["Range: bytes=0-99"])
            self.assertEqual((answer.status, answer.body, answer.get("content-range")), (206, body[:100], f"bytes 0-99/{len(body)}"), answer)
            self.assertEqual((answer.all("access-control-allow-origin"), answer.all("cache-control")), (["*"], ["public, max-age=86400, immutable"]), answer)
            if state == "module":
                self.assertEqual(answer.get("etag"), control[index["besar"]]["etag"])
                self.assertEqual(g.get("/" + index["besar"], headers=["Range: bytes=0-99", 'If-Range: "other"']).status, 200)
            for path in (index["kecil"], "search/index.json", "search/"):
                self.assertEqual(g.get("/" + path).status, 404, path)
            g.destroy()
        # A version that is small again hides its index; the one before stays as it was, for pages that were opened before.
        before = index["besar"]
        self.update("besar", "2024-06-01", rows(50))
        site, index = self.build()
        self.assertEqual((self.files[index["besar"]]["class"], self.files[before]["class"]), ("internal", "public"))
        self.assertEqual(sqlite3.connect(f"file:{site / before}?immutable=1", uri=True).execute("SELECT count(*) FROM besar").fetchone(), (50000,))

    def run_headers(self, form):
        return self.odp("headers", "--out", self.dir / "site", "--format", form).stdout

    def test_by_parts_and_nothing_else(self):
        for state, options in (("module", ()), ("plain", ("--module", "off"))):
            with self.subTest(state):
                g = self.serve(self.small_site(name=f"builds/{state}"), *options, state=state)
                whole = self.check_public_index(lambda path, *headers: g.get(path, headers=headers))
                if state == "module":
                    self.assertEqual(whole.get("etag"), f'"{hashlib.sha256(whole.body).hexdigest()[:32]}"')
                g.destroy()


if __name__ == "__main__":
    gatewaylib.main()
