"""Earlier addresses of a dataset (odp:formerSlugs) behind the gateway's module: 308 with the rest of the address, before any key is asked for."""
import gatewaylib
from gatewaylib import entry, envelope, make_key
from modulelib import EXPOSED, MORE, SMALL, ModuleCase

SUNSET = "Wed, 31 Dec 2036 00:00:00 GMT"
CACHE = "public, max-age=300"


def moved(to, cls="keyed"):
    return entry(b"", **{"class": cls}, state="moved", sunset=SUNSET, cache_control=CACHE, link=to, etag="-", type="-")


FILES = {**SMALL, **MORE, "v1/tua.json": moved("v1/kumuh.json"), "v1/tua/": moved("v1/kumuh/"), "data/tua/": moved("data/kumuh/", "public"),
         "v1/kumuh/timeline.json": entry(envelope([{"tahun": 2020}])),
         "data/tua/2023-01-01/tua.csv": entry("id\r\n1\r\n", type="text/csv; charset=utf-8")}


class Moved(ModuleCase):
    def start(self, inside=""):
        self.site(FILES)
        return self.server(inside)

    def moves(self, answer, to):
        self.assertEqual((answer.status, answer.all("location")), (308, [to]), answer)
        self.assertEqual(answer.body, b"")
        self.assertEqual(answer.all("sunset"), [SUNSET])
        self.assertEqual(answer.all("access-control-allow-origin"), ["*"])
        self.assertEqual(answer.all("access-control-expose-headers"), [EXPOSED])
        for header in ("ratelimit", "etag", "www-authenticate", "link"):
            self.assertEqual(answer.all(header), [], header)

    def test_the_rest_of_the_address_stays(self):
        nginx, key = self.start(), self.key()
        for path, to in {
            "/v1/tua": "/v1/kumuh", "/v1/tua.json": "/v1/kumuh.json", "/v1/tua?page=2&x=%20": "/v1/kumuh?page=2&x=%20",
            "/v1/tua/id/31.71": "/v1/kumuh/id/31.71", "/v1/tua/id/a%2Fb,c%20d?x": "/v1/kumuh/id/a%2Fb,c%20d?x",
            "/v1/tua/search?filter=luas%20%3E%2010&q=a+b": "/v1/kumuh/search?filter=luas%20%3E%2010&q=a+b",
            "/v1/tua/timeline": "/v1/kumuh/timeline", "/api/v1/tua": "/api/v1/kumuh", "/api/v1/tua/timeline.json?a": "/api/v1/kumuh/timeline.json?a",
            "/data/tua/latest/tua.csv": "/data/kumuh/latest/kumuh.csv", "/data/tua/latest/schema.json": "/data/kumuh/latest/schema.json",
            "/data/tua/2022-01-01/tua.csv": "/data/kumuh/2022-01-01/tua.csv",
            "/v1//tua/../tua/timeline": "/v1/kumuh/timeline", "/v1/t%75a?x=1": "/v1/kumuh?x=1",
        }.items():
            with self.subTest(path):
                for k in (None, key):
                    answer = nginx.curl(path, key=k)
                    self.moves(answer, to)
                    self.assertEqual(answer.all("cache-control"), [CACHE])
        self.assertEqual(self.used(key), 0)

    def test_following_arrives(self):
        nginx, key = self.start(), self.key()
        for path, rows in (("/v1/tua", 30), ("/api/v1/tua/timeline", 1)):
            answer = nginx.get(path, key)
            answer = nginx.get(answer.get("location"), key)
            self.assertEqual((answer.status, len(answer.json()["data"])), (200, rows))
        answer = nginx.get(nginx.get("/data/tua/latest/tua.csv").get("location"))
        self.assertEqual((answer.status, answer.body), (200, b"id,nama\r\n1,Kawasan 1\r\n"))
        self.assertEqual(self.used(key), 2)

    def test_files_that_are_still_there_are_sent(self):
        nginx = self.start()
        answer = nginx.get("/data/tua/2023-01-01/tua.csv")
        self.assertEqual((answer.status, answer.body), (200, b"id\r\n1\r\n"))

    def test_methods(self):
        nginx = self.start()
        head = nginx.curl("/v1/tua", "-I")
        self.moves(head, "/v1/kumuh")
        self.problem(nginx.curl("/v1/tua", "-X", "POST"), 405, "method-not-allowed")
        self.assertEqual(nginx.curl("/v1/tua", "-X", "OPTIONS", "-H", "Origin: https://x.example").status, 204)

    def test_keys_in_the_address(self):
        nginx, key = self.start(), self.key()
        answer = nginx.curl(f"/v1/tua?api_key={key}")
        self.problem(answer, 400, "key-in-query")
        self.assertEqual(answer.all("location"), [])

    def test_keys_in_the_address_where_an_operator_allows_them(self):
        nginx, key, other = self.start("odp_query_key api_key;"), self.key(), make_key()
        answer = nginx.curl(f"/v1/tua?a=1&api_key={key}")
        self.moves(answer, f"/v1/kumuh?a=1&api_key={key}")
        self.assertEqual(answer.all("cache-control"), ["private, no-store"])
        self.assertEqual(nginx.get(answer.get("location")).status, 200)
        self.problem(nginx.curl(f"/v1/tua?x={other}"), 400, "key-in-query")
        for line in nginx.log(3):
            self.assertNotIn(key[14:], str(line))

    def test_names_that_only_begin_so(self):
        nginx, key = self.start(), self.key()
        for path in ("/v1/tuan", "/v1/tua.xls", "/v1/tu", "/data/tuan/latest/x.csv"):
            self.problem(nginx.get(path, key), 404, "not-found")


if __name__ == "__main__":
    gatewaylib.main()
