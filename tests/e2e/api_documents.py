"""The documents that describe the API (tools/odp-build/site/api), made of the example catalogue: they are well-formed, complete, true of the records, and every
link of them leads to something. With "deep" two linters, and what GDAL makes of them."""
import html.parser
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

import odp

try:
    import jsonschema
except ImportError:
    jsonschema = None

BASE = "https://data.example.go.id/"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
LINTERS = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "node/node_modules/.bin"  # tools/setup.sh makes it of tests/node


def walk(value, path=""):
    """Every (pointer, value) of a document."""
    yield path, value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from walk(item, f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}")


def resolve(root, ref):
    for part in ref[2:].split("/"):
        root = root[part.replace("~1", "/").replace("~0", "~")]
    return root


def operations(document):
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item, item[method]


def parameters(document, item, operation):
    for p in item.get("parameters", []) + operation.get("parameters", []):
        yield resolve(document, p["$ref"]) if "$ref" in p else p


def file_of(url):
    """The file of the site that an address of ours stands for; None: the service answers it. Raises where it is none of ours."""
    assert url.startswith(BASE), url
    path = urllib.parse.unquote(url[len(BASE):].split("?")[0].split("#")[0])
    if re.fullmatch(r"v1/ogc/collections/[^/]+/items", path):
        return None
    if path.endswith("/"):
        return path + "index.json"
    return path if "." in path.rsplit("/", 1)[1] else path + ".json"


class Page(html.parser.HTMLParser):
    """Links, identifiers, headings of a page; complains about what was not closed."""
    VOID = {"meta", "link", "br", "img", "hr", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.ids, self.headings, self.tags, self.lang, self.alternate = [], [], [], [], set(), None, None
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a":
            self.links.append(attrs["href"])
        if tag == "link" and attrs.get("rel") == "alternate":
            self.alternate = attrs["href"]
        if tag == "html":
            self.lang = attrs["lang"]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "th":
            assert attrs.get("scope") in ("row", "col"), attrs

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="odp-e2e-"))
        cls.addClassCleanup(odp.remove_tree, cls.dir)
        cls.site = odp.example_site()
        cls.api = odp.read_json(cls.site / "v1/openapi.json")
        cls.ogc = odp.read_json(cls.site / "v1/ogc/api.json")
        cls.entries = odp.read_json(cls.site / "v1/index.json")["data"]
        cls.indexes = odp.read_json(cls.site / "search/index.json")["resources"]

    def json(self, path):
        return odp.read_json(self.site / path)

    # ---- both descriptions ----

    def check_description(self, document):
        used, names, tags = set(), set(), {t["name"] for t in document["tags"]}
        for where, value in walk(document):
            if isinstance(value, dict) and isinstance(value.get("$ref"), str):
                self.assertTrue(value["$ref"].startswith("#/"), where)
                resolve(document, value["$ref"])
                used.add(value["$ref"])
        for kind, components in document["components"].items():
            for name in components if kind != "securitySchemes" else ():
                self.assertRegex(name, r"^[A-Za-z0-9._-]+$")
                self.assertIn(f"#/components/{kind}/{name}", used, "nothing refers to it")
        for path, method, item, operation in operations(document):
            where = f"{method} {path}"
            self.assertTrue(path.startswith("/"), where)
            self.assertNotIn(operation["operationId"], names)
            names.add(operation["operationId"])
            self.assertRegex(operation["operationId"], r"^[a-z][A-Za-z0-9]*$")
            self.assertTrue(operation["summary"] and operation["description"], where)
            self.assertTrue(operation["tags"] and set(operation["tags"]) <= tags, where)
            self.assertTrue(any(code.startswith("2") for code in operation["responses"]), where)
            self.assertIn("default", operation["responses"], where)
            given = [(p["in"], p["name"]) for p in parameters(document, item, operation)]
            self.assertEqual(len(given), len(set(given)), where)
            self.assertEqual({name for kind, name in given if kind == "path"}, set(re.findall(r"\{(.+?)\}", path)), where)
        self.assertEqual(len(names), len(set(n.lower() for n in names)))
        return names

    def test_descriptions_are_whole(self):
        self.assertEqual(self.api["openapi"], "3.1.0")
        self.assertEqual(self.ogc["openapi"], "3.0.3")
        self.assertGreater(len(self.check_description(self.api)), 100)
        self.assertGreater(len(self.check_description(self.ogc)), 100)
        self.assertEqual(self.api["info"]["version"], self.json("v1/index.json")["meta"]["release"])
        self.assertEqual(self.api["servers"], [{"url": BASE.rstrip("/")}])
        self.assertEqual(self.ogc["servers"], [{"url": BASE + "v1/ogc"}])

    def test_nothing_of_3_1_is_in_the_3_0_document(self):
        for where, value in walk(self.ogc):
            if isinstance(value, dict) and "/schema" in where:
                self.assertNotIsInstance(value.get("type"), list, where)
                self.assertNotIn("const", value, where)
                self.assertNotIn("examples", value, where)
                if value.get("type") == "array":
                    self.assertIn("items", value, where)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_examples_fit_their_schemas(self):
        seen = 0
        for where, value in walk(self.api):
            if not isinstance(value, dict) or "schema" not in value:
                continue
            schema = dict(value["schema"], components=self.api["components"])
            for example in [value[k] for k in ("example",) if k in value] + [e["value"] for e in value.get("examples", {}).values()]:
                jsonschema.Draft202012Validator(schema).validate(example)
                seen += 1
        self.assertGreater(seen, 50)

    # ---- what the API is ----

    def test_every_resource_has_its_paths(self):
        expected = set()
        for entry in self.entries:
            for k, resource in enumerate(entry["resources"]):
                path = "/v1/" + entry["slug"] + (f"/{resource['name']}" if k > 0 else "")
                expected |= {path, f"{path}/search", f"{path}/id/{{key}}"} | ({f"{path}/versions" if k == 0 else f"{path}.json"})
        there = {p for p in self.api["paths"] if p.startswith("/v1/") and not p.startswith(("/v1/{", "/v1/events/", "/v1/webhooks")) and p not in ("/v1/index.json", "/v1/openapi.json")}
        self.assertEqual(there, expected)
        self.assertEqual(self.api["components"]["parameters"]["slug"]["schema"]["enum"], [e["slug"] for e in self.entries])
        self.assertEqual(self.api["components"]["parameters"]["resource"]["schema"]["enum"],
                         list(dict.fromkeys(r["name"] for e in self.entries for r in e["resources"][1:])))
        self.assertIn("post", self.api["paths"]["/v1/kumuh/search"])
        for open_path in ("/v1/index.json", "/v1/openapi.json", "/v1/events/index.json", "/v1/events/{type}.json", "/auth/register", "/auth/tiers"):
            for method in set(METHODS) & set(self.api["paths"][open_path]):
                self.assertEqual(self.api["paths"][open_path][method]["security"], [], open_path)
        self.assertEqual(self.api["security"], [{"key": []}])

    def test_parameters_are_those_of_the_engine(self):
        text = (odp.SOURCE / "tools/odp-gateway/service/queries/engine/parse_base.c").read_text()
        engine = set(re.findall(r'\[QUERY_P_\w+\] = \{"([^"]+)"', text))
        self.assertGreater(len(engine), 10)
        shared = {n for n, p in self.api["components"]["parameters"].items() if p["in"] == "query" and "." not in n}
        self.assertEqual(shared, engine)
        search = self.api["paths"]["/v1/proyek/timeline/search"]["get"]
        names = {p["name"] for p in parameters(self.api, {}, search)}
        spatial = {"bbox", "bbox-crs", "filter-crs", "crs", "skipGeometry"}
        index = next(i for i in self.indexes if i["collection"] == "proyek-timeline")
        columns = {c["name"] for c in index["info"]["columns"]}
        self.assertEqual(names, (engine - spatial) | columns)
        # What changes the form of the answer is at /search alone, so that the plain path has one type.
        plain = {p["name"] for p in parameters(self.api, {}, self.api["paths"]["/v1/kumuh"]["get"])}
        self.assertFalse(plain & {"facets", "aggregate", "groupby", "view", "properties", "skipGeometry"})
        self.assertLess(spatial - {"skipGeometry"}, plain)

    def test_every_error_is_there_once(self):
        text = (odp.SOURCE / "tools/lib/contract/problems.def").read_text()
        codes = dict(re.findall(r'^ODP_PROBLEM\(\w+, "([a-z-]+)", (\d+)', text, re.M))
        self.assertGreater(len(codes), 20)
        seen = {}
        for name, response in self.api["components"]["responses"].items():
            for code, example in response.get("content", {}).get("application/problem+json", {}).get("examples", {}).items():
                self.assertNotIn(code, seen)
                self.assertEqual(example["value"]["type"], f"{BASE}galat/{code}")
                seen[code] = str(example["value"]["status"])
        self.assertEqual(seen, codes)
        # A status that an operation names has the component with its codes.
        for path, method, _, operation in operations(self.api):
            for status, response in operation["responses"].items():
                if status.startswith("4") and "$ref" in response:
                    examples = resolve(self.api, response["$ref"])["content"]["application/problem+json"].get("examples", {})
                    for example in examples.values():
                        self.assertEqual(str(example["value"]["status"]), status, f"{method} {path}")

    def test_keys_are_described_as_the_service_has_them(self):
        text = (odp.SOURCE / "tools/odp-gateway/service/endpoints.def").read_text()
        endpoints = {(m.lower(), p) for m, p in re.findall(r'^ODP_ENDPOINT\("(\w+)", "(/auth/[a-z/]+)"', text, re.M)}
        described = {(method, path) for path, method, _, _ in operations(self.api) if path.startswith("/auth/")}
        self.assertEqual(described, endpoints)
        fields = (odp.SOURCE / "tools/odp-gateway/service/accounts/endpoint_register.c").read_text()
        limits = {n: int(m) for n, m in re.findall(r'\{"(\w+)", ODP_FIELD_\w+, \w+, (\d+)\}', fields)}
        body = self.api["components"]["schemas"]["Registration"]["properties"]
        self.assertEqual({n: p["maxLength"] for n, p in body.items()}, limits)

    def test_webhooks_are_described_as_the_service_has_them(self):
        service = odp.SOURCE / "tools/odp-gateway/service"
        text = (service / "endpoints.def").read_text()
        endpoints = {(m.lower(), p) for m, p in re.findall(r'^ODP_ENDPOINT\("(\w+)", "(/v1/webhooks[a-z/{}-]*)"', text, re.M)}
        described = {(method, path) for path, method, _, _ in operations(self.api) if path.startswith("/v1/webhooks")}
        self.assertEqual(described, endpoints)
        schemas = self.api["components"]["schemas"]
        outcomes = re.findall(r'^ODP_OUTCOME\(\w+, "([a-z-]+)"', (odp.SOURCE / "tools/odp-gateway/service/webhooks/deliver/outcomes.def").read_text(), re.M)
        self.assertEqual(schemas["WebhookAttempt"]["properties"]["outcome"]["enum"], outcomes)
        limits = dict(re.findall(r"#define ODP_WEBHOOK_(\w+) +(\d+)", (service / "webhooks/endpoint_internal.h").read_text()))
        limits.update(re.findall(r"#define ODP_TARGET_(URL)\w* +(\d+)", (odp.SOURCE / "tools/odp-gateway/service/webhooks/deliver/address.h").read_text()))
        for body in (schemas["WebhookNew"]["properties"], schemas["WebhookChange"]["properties"]):
            self.assertEqual((body["url"]["maxLength"], body["description"]["maxLength"], body["datasets"]["maxItems"]),
                             tuple(int(limits[name]) for name in ("URL", "DESCRIPTION", "DATASETS")))
        states = re.search(r"CHECK\(state IN \(('pending'.*?)\)\)", (service / "state/migrations.def").read_text())[1].replace("'", "").split(", ")
        self.assertEqual(sorted(schemas["WebhookDelivery"]["properties"]["state"]["enum"]), sorted(states))
        for _, path, _, operation in ((m, p, i, o) for p, m, i, o in operations(self.api) if p.startswith("/v1/webhooks")):
            self.assertNotIn("security", operation, path)  # a key, as everywhere

    # ---- records ----

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_records_fit_their_schemas(self):
        rows = 0
        for entry in self.entries:
            for resource in entry["resources"]:
                page = self.json("v1/" + resource["api"])
                name = resource["package_name"]
                whole = jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}.page", "components": self.api["components"]})
                page["data"] = page["data"][:60] + page["data"][-5:]
                whole.validate(page)
                rows += len(page["data"])
                record = page["data"][0]
                one = jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": self.api["components"]})
                self.assertEqual(set(resolve(self.api, f"#/components/schemas/{name}")["required"]), set(record), name)
                for field in record: # what is missing, or of another type, is noticed
                    self.assertFalse(one.is_valid({k: v for k, v in record.items() if k != field}), f"{name}.{field}")
                    self.assertFalse(one.is_valid(dict(record, **{field: [True]})), f"{name}.{field}")
                part = jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}.part", "components": self.api["components"]})
                part.validate({})
        self.assertGreater(rows, 1000)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_features_fit_their_schemas(self):
        features = nulls = 0
        for index in self.indexes:
            name = index["collection"]
            schema = self.json(f"v1/ogc/collections/{name}/schema.json")
            jsonschema.Draft7Validator.check_schema(schema)
            seven = jsonschema.Draft7Validator(schema)
            download = self.site / f"data/{index['slug']}/latest/{name}.geojson"
            if not index["info"]["geometry"]:
                rows = self.json("v1/" + (name if index["resource"] is None else f"{index['slug']}/{index['resource']}") + ".json")["data"][:40]
                collection = [{"type": "Feature", "geometry": None, "properties": r} for r in rows]
            elif download.exists():
                collection = odp.read_json(download)["features"][:40]
                three = jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}.feature", "components": self.api["components"]})
                for feature in collection:
                    three.validate(feature)
            else:
                continue
            for feature in collection:
                seven.validate(feature)
                nulls += sum(v is None for v in feature["properties"].values())
                features += 1
            wrong = json.loads(json.dumps(collection[0]))
            for field in set(wrong["properties"]) & {c["name"] for c in index["info"]["columns"]}:
                self.assertFalse(seven.is_valid(dict(wrong, properties={field: [True]})), f"{name}.{field}")
        self.assertGreater(features, 500)
        self.assertGreater(nulls, 50)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_answers_fit_their_schemas(self):
        tool = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "/nonexistent")) / "tests/query_tool"
        if not tool.exists():
            self.skipTest("query_tool is not built")

        def ask(index, *questions):
            """The answers to (form, query, key)."""
            lines = "".join("\t".join(filter(None, q)) + "\n" for q in questions)
            out = subprocess.run([tool, self.site / index["file"]], input=lines.encode(), capture_output=True, check=True).stdout
            for question in questions:
                head, _, out = out.partition(b"\n")
                self.assertTrue(head.startswith(b"ok "), f"{index['collection']} {question}: {head.decode()}")
                size = int(head.split()[1])
                yield json.loads(out[:size])
                out = out[size + 1:]

        def check(schema, answer, more=0):
            jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{schema}", "components": self.api["components"]}).validate(answer)
            self.assertGreater(len(answer.get("data", answer.get("features", [0]))), more)

        for index in self.indexes:
            name, columns = index["collection"], [urllib.parse.quote(c["name"]) for c in index["info"]["columns"]]
            first = self.json("v1/" + (name if index["resource"] is None else f"{index['slug']}/{index['resource']}") + ".json")["data"][0]
            whole, part, one, facets, figures, features = ask(
                index, ("envelope", "limit=30"), ("envelope", "limit=30&properties=" + columns[-1]), ("envelope", "f=json", self.key_of(index, first)),
                ("envelope", "facets=" + columns[0]), ("envelope", "aggregate=count()"),
                ("geojson" if index["info"]["geometry"] else "envelope", "limit=30"))
            most = min(20, index["rows"] - 1)  # a code list may be short
            check(f"{name}.page", whole, most)
            check(f"{name}.found", part, most)
            check(f"{name}.page", one)
            self.assertEqual(one["data"], [first])
            check("Facets", facets)
            check("Figures", figures)
            check(f"{name}.features" if index["info"]["geometry"] else f"{name}.page", features, most)
            with self.assertRaises(jsonschema.ValidationError):
                check("Facets", whole)
            with self.assertRaises(jsonschema.ValidationError):
                check(f"{name}.page", part)
        timeline = next(i for i in self.indexes if i["collection"] == "proyek-timeline")
        check("Gantt", *ask(timeline, ("envelope", "view=gantt&limit=5")), 4)

    @staticmethod
    def key_of(index, record):
        columns = index["info"]["columns"]
        parts = [str(record[columns[k]["name"]]).replace("%", "%25").replace(",", "%2C") for k in index["info"]["key"]]
        return urllib.parse.quote(",".join(parts), safe=",") if parts else "1"

    def test_schemas_say_how_records_can_be_searched(self):
        timeline = self.json("data/proyek/latest/schema-timeline.json")
        self.assertEqual(timeline["odp:timeline"], {"project": "id_proyek", "milestone": "tonggak", "planned": "tanggal_rencana", "actual": "tanggal_aktual",
                                                    "date": "tanggal", "delay": "keterlambatan_hari"})
        self.assertNotIn("odp:datetime", timeline)
        self.assertIn({"name": "kode_provinsi", "title": {"id": "Kode provinsi", "en": "Province code"}, "type": "string", "field": "kode_kabkota", "prefix": 2,
                       "reference": {"dataset": "references/provinsi", "resource": "2025"}},
                      timeline["odp:queryables"])
        self.assertEqual(self.json("data/proyek/latest/schema.json")["odp:datetime"], ["tanggal_mulai", "tanggal_selesai"])
        self.assertEqual(self.json("data/kumuh/latest/schema.json")["odp:datetime"], ["tanggal_sk"])

    # ---- OGC ----

    def test_collections_are_what_can_be_queried(self):
        collections = self.json("v1/ogc/collections.json")["collections"]
        self.assertEqual(sorted(c["id"] for c in collections), sorted(i["collection"] for i in self.indexes))
        spatial = [bool(i["info"]["geometry"]) for c in collections for i in self.indexes if i["collection"] == c["id"]]
        self.assertEqual(spatial, sorted(spatial, reverse=True))
        for c in collections:
            self.assertEqual(self.json(f"v1/ogc/collections/{c['id']}.json"), c)
            index = next(i for i in self.indexes if i["collection"] == c["id"])
            self.assertEqual(c["itemCount"], index["rows"])
            self.assertEqual(c["itemType"], "feature")
            self.assertNotIn("storageCrs", c)
            by = {(link["rel"], link.get("type")) for link in c["links"]}
            for link in (("self", "application/json"), ("items", "application/geo+json"), ("items", "text/html"), ("alternate", "text/html"),
                         ("http://www.opengis.net/def/rel/ogc/1.0/queryables", "application/schema+json"), ("describedby", "application/schema+json")):
                self.assertIn(link, by)
            self.assertIn("license", {link["rel"] for link in c["links"]})
        kumuh = next(c for c in collections if c["id"] == "kumuh")
        points = [p for f in odp.read_json(self.site / "data/kumuh/latest/kumuh.geojson")["features"] for p in positions(f["geometry"]["coordinates"])]
        west, south, east, north = kumuh["extent"]["spatial"]["bbox"][0]
        self.assertEqual((west, south, east, north), (min(p[0] for p in points), min(p[1] for p in points), max(p[0] for p in points),
                                                      max(p[1] for p in points)))
        days = sorted(r["properties"]["tanggal_sk"] for r in odp.read_json(self.site / "data/kumuh/latest/kumuh.geojson")["features"]
                      if r["properties"]["tanggal_sk"])
        self.assertEqual(kumuh["extent"]["temporal"]["interval"], [[days[0] + "T00:00:00Z", days[-1] + "T23:59:59Z"]])

    def test_queryables(self):
        for index in self.indexes:
            name, info = index["collection"], index["info"]
            document = self.json(f"v1/ogc/collections/{name}/queryables.json")
            self.assertEqual(document["$schema"], "https://json-schema.org/draft/2020-12/schema")
            self.assertEqual(document["$id"], f"{BASE}v1/ogc/collections/{name}/queryables")
            self.assertIs(document["additionalProperties"], False)
            spatial = [info["geometry"]["name"]] if info["geometry"] else []
            self.assertEqual(list(document["properties"]), spatial + [c["name"] for c in info["columns"] if c["type"] not in
                                                                      ("list", "array", "object", "geopoint", "geojson")])
            for g in spatial:
                self.assertNotIn("type", document["properties"][g])
                self.assertRegex(document["properties"][g]["format"], "^geometry-")
            get = self.ogc["paths"][f"/collections/{name}/items"]["get"]
            simple = {p["name"]: p for p in get["parameters"] if "$ref" not in p}
            self.assertEqual(list(simple), [n for n in document["properties"] if n not in spatial])
            for p in simple.values(): # what QGIS takes for a queryable
                self.assertEqual((p["in"], p["style"], p["explode"]), ("query", "form", False))
                self.assertIsInstance(p["schema"]["type"], str)
            for p in get["parameters"]: # and what it must not
                shared = resolve(self.ogc, p["$ref"]) if "$ref" in p else None
                if shared and shared.get("style") == "form" and shared.get("explode") is False:
                    self.assertIn(shared["name"], ("limit", "bbox", "datetime", "filter", "filter-lang", "filter-crs"))
            self.assertIn({"$ref": "#/components/parameters/limit"}, get["parameters"])
        self.assertEqual(self.json("v1/ogc/collections/kumuh/queryables.json")["properties"]["geometry"]["format"], "geometry-polygon-or-multipolygon")
        self.assertEqual(self.ogc["components"]["parameters"]["limit"]["schema"], {"type": "integer", "minimum": 1, "maximum": 1000, "default": 1000})

    def test_landing_page_and_conformance(self):
        links = {(link["rel"], link.get("type")): link["href"] for link in self.json("v1/ogc/index.json")["links"]}
        self.assertEqual(links["service-desc", "application/vnd.oai.openapi+json;version=3.0"], BASE + "v1/ogc/api.json")
        self.assertEqual(links["data", "application/json"], BASE + "v1/ogc/collections")
        self.assertEqual(links["conformance", "application/json"], BASE + "v1/ogc/conformance")
        classes = self.json("v1/ogc/conformance.json")["conformsTo"]
        self.assertEqual(len(classes), len(set(classes)))
        for name in ("ogcapi-features-1/1.0/conf/core", "ogcapi-features-3/1.0/conf/features-filter", "cql2/1.0/conf/basic-cql2", "cql2/1.0/conf/functions"):
            self.assertIn("http://www.opengis.net/spec/" + name, classes)
        functions = {f["name"]: f for f in self.json("v1/ogc/functions.json")["functions"]}
        self.assertEqual(functions["SUBSTR"], {"name": "SUBSTR", "description": "SUBSTR(x, i[, n])", "returns": ["string"],
                                               "arguments": [{"type": ["string"]}, {"type": ["integer"]}, {"type": ["integer"]}]})
        for page in ("conformance.html", "conformance.en.html"):
            text = (self.site / "v1/ogc" / page).read_text()
            self.assertEqual(re.findall(r"<li><code>(.*?)</code></li>", text), classes)
        control = (self.site / "control").read_text().splitlines()
        types = {line.split("\t")[0]: line.split("\t")[2] for line in control if line.startswith("v1/ogc/")}
        self.assertEqual(types["v1/ogc/api.json"], "application/vnd.oai.openapi+json;version=3.0")
        self.assertEqual(types["v1/ogc/collections/kumuh/queryables.json"], "application/schema+json")

    def test_links_lead_somewhere(self):
        checked = 0
        for path in sorted(set((self.site / "v1/ogc").rglob("*.json")) - {self.site / "v1/ogc/api.json"}):
            for where, value in walk(odp.read_json(path)):
                if isinstance(value, dict) and "href" in value and value.get("rel") != "license":
                    target = file_of(value["href"])
                    if target is not None:
                        self.assertTrue((self.site / target).is_file(), f"{path.name}{where}: {value['href']}")
                        if value.get("type") == "text/html":
                            self.assertTrue(target.endswith(".html"))
                    else:
                        self.assertIn(value["href"].split("/items")[0].rsplit("/", 1)[1], [i["collection"] for i in self.indexes])
                    checked += 1
        self.assertGreater(checked, 400)

    def test_pages(self):
        pages, checked = sorted((self.site / "v1/ogc").rglob("*.html")), 0
        self.assertEqual(len(pages), 2 * (3 + 2 * len(self.indexes)))
        parsed = {p.resolve(): Page(p.read_text()) for p in pages}
        for path, page in parsed.items():
            self.assertEqual(page.lang, "en" if path.name.endswith(".en.html") else "id")
            self.assertEqual(page.headings[0], 1)
            self.assertEqual(page.headings.count(1), 1)
            self.assertTrue(all(b <= a + 1 for a, b in zip(page.headings, page.headings[1:])), path)
            self.assertEqual(len(page.ids), len(set(page.ids)))
            self.assertFalse(page.tags & {"script", "img", "iframe", "form"})
            other = (path.parent / page.alternate).resolve()
            self.assertEqual(parsed[other].lang, "id" if page.lang == "en" else "en")
            self.assertEqual((other.parent / parsed[other].alternate).resolve(), path.resolve())
            for link in page.links:
                if link.startswith("https://") or "/items?" in link:
                    continue
                name, _, fragment = link.partition("#")
                target = (path.parent / name).resolve() if name else path.resolve()
                self.assertTrue(target.is_file(), f"{path}: {link}")
                if fragment:
                    self.assertIn(fragment, parsed[target].ids if target in parsed else [fragment])
                checked += 1
        self.assertGreater(checked, 500)


def positions(coordinates):
    if isinstance(coordinates[0], (int, float)):
        yield coordinates
    else:
        for part in coordinates:
            yield from positions(part)


class CarriedOver(odp.Case):
    def test_a_dataset_that_is_carried_over_is_described_as_before(self):
        self.catalogue("kontraktor", "inovasi")
        self.odp("build", "--catalog", "catalog", "--out", "site")
        before = self.documents()
        package = odp.read_json(self.dir / "catalog/inovasi/dataset.json")
        package["odp:title"] = {"id": "Judul lain", "en": "Another title"}
        (self.dir / "catalog/inovasi/dataset.json").write_text(json.dumps(package))
        self.odp("build", "kontraktor", "--catalog", "catalog", "--out", "site")  # inovasi comes from the site before
        self.assertEqual(self.documents(), before)
        self.release("9.0.0")
        self.odp("build", "--catalog", "catalog", "--out", "site")
        after = self.documents()
        changed = {p for p in after if after[p] != before.get(p)}
        self.assertIn("v1/openapi.json", changed)
        self.assertFalse([p for p in changed if "/kontraktor" in p])
        self.assertIn(b"Judul lain", after["v1/ogc/collections/inovasi.json"])

    def documents(self):
        site = self.dir / "site"
        return {str(p.relative_to(site)): p.read_bytes() for p in [site / "v1/openapi.json", *sorted((site / "v1/ogc").rglob("*"))] if p.is_file()}


class Deep(Documents):
    """Linters, and GDAL."""

    def run_linter(self, *command):
        program = LINTERS / command[0]
        if not program.exists():
            self.skipTest(f"{command[0]} is not installed: tools/setup.sh")
        (self.dir / "rules.yaml").write_text('extends: ["spectral:oas"]\n')
        done = subprocess.run([program, *command[1:]], capture_output=True, cwd=self.dir,
                              env=dict(os.environ, REDOCLY_TELEMETRY="off", REDOCLY_SUPPRESS_UPDATE_NOTICE="true", CI="true"))
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr).decode()[-4000:])

    def test_redocly_has_nothing_to_say(self):
        self.run_linter("redocly", "lint", "--extends=recommended-strict", self.site / "v1/openapi.json", self.site / "v1/ogc/api.json")

    def test_spectral_has_nothing_to_say(self):
        self.run_linter("spectral", "lint", "--ruleset", self.dir / "rules.yaml", "--fail-severity", "hint", self.site / "v1/openapi.json",
                        self.site / "v1/ogc/api.json")

    def test_linters_can_find_something(self):
        wrong = json.loads(json.dumps(self.api))
        wrong["paths"]["/v1/kumuh"]["get"]["operationId"] = "listProyek"
        (self.dir / "wrong.json").write_text(json.dumps(wrong))
        with self.assertRaises(AssertionError):
            self.run_linter("redocly", "lint", "--extends=recommended", self.dir / "wrong.json")
        with self.assertRaises(AssertionError):
            self.run_linter("spectral", "lint", "--ruleset", self.dir / "rules.yaml", self.dir / "wrong.json")

    def test_gdal_reads_the_types(self):
        if shutil.which("ogrinfo") is None:
            self.skipTest("gdal-bin is not installed")
        with Server(self.site) as address:
            for slug, expected in (("kumuh", {"luas_ha": "Real", "jumlah_penduduk": "Integer", "tanggal_sk": "Date", "tingkat": "String"}),
                                   ("kualitas-lingkungan", {"memenuhi_baku_mutu": "Integer"}), ("anggaran", {"pagu_awal": "Real", "tahun_anggaran": "Integer", "id_proyek": "String"})):
                done = subprocess.run(["ogrinfo", "-so", "-oo", "PAGE_SIZE=1000", f"OAPIF:{address}v1/ogc", slug], capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                text = done.stdout.decode()
                fields = dict(re.findall(r"^(\w+): (\w+)(?:\(\w+\))? \([0-9.]+\)", text, re.M))
                info = next(i for i in self.indexes if i["collection"] == slug)
                self.assertEqual(set(fields) - {"id"} | ({"id"} & {c["name"] for c in info["info"]["columns"]}),
                                 {c["name"] for c in info["info"]["columns"] if c["of_record"]})
                for name, kind in expected.items():
                    self.assertEqual(fields[name], kind, name)
                self.assertIn(f"Feature Count: {info['rows']}", text)
            # What is declared as a parameter GDAL leaves to the server.
            subprocess.run(["ogrinfo", "-so", "-where", "tingkat='Berat'", f"OAPIF:{address}v1/ogc", "kumuh"], capture_output=True, check=True)
            self.assertTrue([a for a in Server.asked if "/kumuh/items" in a and "tingkat=Berat" in a], Server.asked[-5:])


class Server:
    """The site with its own address in place of the portal's; items come from the downloads, all of them at once."""
    asked = []

    def __init__(self, site):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                Server.asked.append(self.path)

            def do_GET(self):
                kind, body = server.answer(site, urllib.parse.unquote(self.path.split("?")[0]).strip("/"))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}/"

    def answer(self, site, path):
        items = re.fullmatch("v1/ogc/collections/([^/]+)/items", path)
        if items:
            name = items[1]
            download = site / f"data/{name}/latest/{name}.geojson"
            features = odp.read_json(download)["features"] if download.exists() else [
                {"type": "Feature", "geometry": None, "properties": r} for r in odp.read_json(site / f"v1/{name}.json")["data"]]
            return "application/geo+json", json.dumps({"type": "FeatureCollection", "numberMatched": len(features), "features": features}).encode()
        file = site / path if (site / path).is_file() else site / (path + "/index.json" if path == "v1/ogc" else path + ".json")
        kinds = {"api.json": "application/vnd.oai.openapi+json;version=3.0", "schema.json": "application/schema+json"}
        return kinds.get(file.name, "application/json"), file.read_bytes().replace(BASE.encode(), self.address.encode())

    def __enter__(self):
        self.thread = threading.Thread(target=self.http.serve_forever)
        self.thread.start()
        return self.address

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


def load_tests(loader, _, __):
    if len(sys.argv) > 1 and sys.argv[1] == "deep":
        names = set(loader.getTestCaseNames(Deep)) - set(loader.getTestCaseNames(Documents))
        return unittest.TestSuite(Deep(name) for name in sorted(names))
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Documents, CarriedOver))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
