"""The schemas of messages that a site publishes (v1/events/): they are well-formed, the same as in v1/openapi.json, open to everybody; messages that the program
itself makes of a site fit them, with no member that they do not tell of; and what lacks a member does not."""
import copy
import json
import os
import pathlib
import re
import subprocess
import unittest

import gatewaylib
import odp
import webhooklib

try:
    import jsonschema
except ImportError:
    jsonschema = None

TOOL = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "/nonexistent")) / "tests/events_tool"
BASE = "https://data.example.go.id/"
FIELDS = [{"name": "kode", "type": "string"}, {"name": "nilai", "type": "integer"}]


def kinds_of_the_program():
    """{type: (audience, joined)} of events.def."""
    text = (odp.SOURCE / "tools/lib/contract/events.def").read_text()
    return {m[0]: (m[1].lower(), m[2] == "true") for m in re.findall(r'^ODP_EVENT\(\w+, "([a-z._]+)", ODP_EVENT_(\w+), (true|false)', text, re.M)}


def strict(schema):
    """The same schema, for tests: a member that it does not name is a fault. Definitions that others are made of (allOf) are closed where they are used."""
    out = copy.deepcopy(schema)
    shared = {ref for part in json.loads(json.dumps(walk(out))) for ref in part}

    def close(value, name=None):
        if isinstance(value, dict):
            if "properties" in value and f"#/$defs/{name}" not in shared:
                value["unevaluatedProperties"] = False
            for key, item in value.items():
                if key == "$defs":
                    for definition, body in item.items():
                        close(body, definition)
                elif key not in ("const", "enum", "examples"):
                    close(item)
        elif isinstance(value, list):
            for item in value:
                close(item)

    close(out)
    data = out["properties"]["data"]
    if "$ref" in data:
        out["properties"]["data"] = {"allOf": [data], "unevaluatedProperties": False}
    return out


def walk(schema):
    """Per place, the definitions that stand in an allOf or are a message's whole data."""
    found = [[schema["properties"]["data"].get("$ref")]]

    def look(value):
        if isinstance(value, dict):
            found.append([part.get("$ref") for part in value.get("allOf", [])])
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)

    look(schema)
    return found


def required_places(schema, value, place=()):
    """Every place in VALUE of a member that there must be."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield place + (key,)
        yield from required_places(schema, item, place + (key,))


def check(site, message):
    """MESSAGE fits the schema that SITE publishes, and has no member that it does not tell of."""
    schema = odp.read_json(pathlib.Path(site) / f"v1/events/{message['type']}.json")
    jsonschema.Draft202012Validator(schema).validate(message)
    jsonschema.Draft202012Validator(strict(schema)).validate(message)


@unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
class Schemas(odp.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.site = self.dir / "site"

    def table(self, rows, date, **more):
        text = "kode,nilai\n" + "".join(f"{k},{v}\n" for k, v in rows.items())
        if (self.dir / "catalog/desa").exists():
            odp.remove_tree(self.dir / "catalog/desa")
        self.dataset("desa", text, FIELDS, {"schema": {"primaryKey": ["kode"]}}, **{"odp:lastUpdate": date, "odp:title": {"id": "Desa", "en": "Villages"}, **more})

    def build(self):
        self.odp("build", "--out", "site", "--quiet", "--today", "2024-04-01")

    def schema(self, kind):
        return odp.read_json(self.site / f"v1/events/{kind}.json")

    def test_documents(self):
        self.table({"A": 1}, "2024-03-15")
        self.build()
        kinds, api = kinds_of_the_program(), odp.read_json(self.site / "v1/openapi.json")
        listed = odp.read_json(self.site / "v1/events/index.json")
        self.assertEqual(listed["status"], "success")
        self.assertEqual({k["type"]: (k["audience"], k["joined"]) for k in listed["data"]}, kinds)
        self.assertEqual(list(api["webhooks"]), list(kinds))
        self.assertEqual(api["components"]["schemas"]["EventType"]["enum"], [k for k, (audience, _) in kinds.items() if audience != "one"])
        validator = jsonschema.Draft202012Validator(dict(api["components"]["schemas"]["EventKinds"], components=api["components"]))
        validator.validate(listed)
        lines = {line.split("\t")[0]: line.split("\t") for line in (self.site / "control").read_text().splitlines()}
        for kind in kinds:
            path = f"v1/events/{kind}.json"
            schema = self.schema(kind)
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertEqual((schema["$schema"], schema["$id"]), ("https://json-schema.org/draft/2020-12/schema", BASE + path))
            self.assertEqual((lines[path][2], lines[path][4]), ("application/schema+json", "public"))
            self.assertEqual({lines[path + twin][4] for twin in (".gz", ".br") if path + twin in lines} - {"public"}, set())
            for example in schema["examples"]:
                check(self.site, example)
            # The same as in openapi.json, but for where definitions stand; each definition is needed.
            text = json.dumps({k: v for k, v in schema.items() if k not in ("$schema", "$id", "examples", "$defs")})
            self.assertEqual(json.loads(self.moved(text)), api["components"]["schemas"][f"Event.{kind}"])
            for name, definition in schema.get("$defs", {}).items():
                self.assertIn(f'"#/$defs/{name}"', json.dumps(schema))
                if name != "Text":
                    self.assertEqual(json.loads(self.moved(json.dumps(definition))), api["components"]["schemas"][f"Event.{name}"])
            call = api["webhooks"][kind]["post"]
            self.assertEqual(call["requestBody"]["content"]["application/json"]["example"], schema["examples"][0])
            self.assertEqual([p["$ref"].rsplit("/", 1)[1] for p in call["parameters"]], ["webhook-id", "webhook-timestamp", "webhook-signature"])
            self.assertLessEqual({"2XX", "410", "429", "default"}, set(call["responses"]))
        self.assertEqual(len(list((self.site / "v1/events").glob("*.json"))), len(kinds) + 1)

    @staticmethod
    def moved(text):
        return text.replace("#/$defs/Text", "#/components/schemas/Text").replace("#/$defs/", "#/components/schemas/Event.")

    def test_what_lacks_a_member_is_noticed(self):
        self.table({"A": 1}, "2024-03-15")
        self.build()
        seen = 0
        for kind in kinds_of_the_program():
            schema = self.schema(kind)
            validator, example = jsonschema.Draft202012Validator(schema), schema["examples"][0]
            for place in list(required_places(schema, example)):
                if place[-1] == "correction" or isinstance(place[-1], int):
                    continue
                wrong = copy.deepcopy(example)
                holder = wrong
                for key in place[:-1]:
                    holder = holder[key]
                del holder[place[-1]]
                self.assertFalse(validator.is_valid(wrong), f"{kind} without {place}")
                holder[place[-1]] = [[True]]
                self.assertFalse(validator.is_valid(wrong), f"{kind} with another {place}")
                seen += 1
            self.assertFalse(validator.is_valid(dict(example, type="dataset.other")))
        self.assertGreater(seen, 60)

    # ---- what the program makes ----

    def tool(self, *args, given=""):
        done = subprocess.run([TOOL, *map(str, args)], input=given.encode(), capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def events(self):
        """(type, data) of all the log's lines."""
        lines = [json.loads(line) for line in self.tool("lines", self.site, BASE).splitlines()]
        return [(e["type"], e["data"]) for e in lines if "data" in e]

    def message(self, kind, data, match=None):
        text = self.tool("message", kind, 1710471600123, given=json.dumps(data) + "\n" + json.dumps(match) + "\n")
        self.assertLess(len(text.encode()), 20000)
        message = json.loads(text)
        self.assertEqual(message["timestamp"], "2024-03-15T03:00:00.123Z")
        check(self.site, message)
        return message

    def test_messages_of_a_site(self):
        if not TOOL.exists():
            self.skipTest("events_tool is not built")
        self.table({"A": 1, "B": 2}, "2024-01-15")
        self.build()
        self.table({"A": 1, "B": 3, "C": 1}, "2024-02-15")
        self.build()
        self.table({"A": 1, "B": 4, "C": 1}, "2024-02-15", **{"odp:correction": {"id": "Salah", "en": "Wrong"}})
        self.build()
        state = {"odp:status": "deprecated", "odp:deprecated": "2024-04-01", "odp:sunset": "2024-12-31", "odp:replacedBy": None, "odp:note": {"id": "Selesai", "en": "Done"}}
        self.table({"A": 1, "B": 4, "C": 1}, "2024-02-15", **{"odp:correction": {"id": "Salah", "en": "Wrong"}}, **state)
        self.release("2.6.0")
        self.build()
        self.odp("withdraw", "desa", "2024-01-15", "--reason", "error", "--note", "salah berkas", "--out", "site", "--quiet")
        events = self.events()
        self.assertEqual([kind for kind, _ in events], ["release.published", "dataset.version.published", "dataset.version.published", "dataset.corrected",
                                                        "release.published", "dataset.deprecated", "dataset.withdrawn"])
        for kind, data in events:
            self.message(kind, data)
        keys = {"added": ["C"], "removed": [], "changed": []}
        found = {"applied": True, "resources": [{"name": "desa", "added": 1, "removed": 0, "changed": 0, "keys": keys}]}
        for match in (found, {"applied": False, "why": {"id": "Kolom hilang", "en": "A field is gone"}}):
            self.assertEqual(self.message(*events[2], match)["data"]["match"], match)
        # Two versions told as one.
        joined = json.loads(self.tool("join", given="".join(json.dumps(data) + "\n" for kind, data in events if kind == "dataset.version.published")))
        self.assertEqual(self.message("dataset.version.published", joined)["data"]["versions"], ["2024-01-15", "2024-02-15"])

    def test_messages_that_would_be_too_large(self):
        if not TOOL.exists():
            self.skipTest("events_tool is not built")
        self.table({"A": 1}, "2024-01-15")
        self.build()
        data = dict(self.schema("dataset.version.published")["examples"][0]["data"])
        data.pop("match")
        change = data["resources"][0]["changes"][0]
        data["versions"] = [f"2023-{m:02d}-{d:02d}" for m in range(1, 13) for d in range(1, 29)]
        data["resources"] = [dict(data["resources"][0], changes=[dict(change, to=v) for v in data["versions"]])]
        self.assertGreater(self.message("dataset.version.published", data)["data"]["versions_left_out"], 100)


@unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
class Service(gatewaylib.Case):
    """What the service sends and answers, against what the site says of it."""

    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.dataset("desa", "kode,nilai\nA,1\n", FIELDS, {"schema": {"primaryKey": ["kode"]}})
        self.site = self.compile(out="site", tiers=(("public", 5, 50), ("government", None, 50)))
        self.receiver = webhooklib.Receiver()
        self.addCleanup(self.receiver.close)

    def fits(self, answer, path, method, status):
        """ANSWER is what openapi.json says that METHOD of PATH answers."""
        self.assertEqual(answer.status, status, answer)
        described = self.api["paths"][path][method]["responses"][str(status)]
        schema = described["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator(dict(schema, components=self.api["components"])).validate(answer.json())
        return answer.json()["data"]

    def test_messages_and_answers(self):
        gateway = self.serve(self.site, "--webhook-loopback", workers=1)
        self.api = gateway.get("/v1/openapi.json").json()
        key, one = gateway.create_key("public"), "/v1/webhooks/{id}"
        body = {"url": self.receiver.url(), "events": ["dataset.version.published", "quota.warning"], "description": "Uji"}
        row = self.fits(gateway.post("/v1/webhooks", body, key=key), "/v1/webhooks", "post", 201)[0]
        address = f"/v1/webhooks/{row['id']}"
        gatewaylib.wait_for("the challenge", lambda: gateway.get(address, key).json()["data"][0]["state"] == "active")
        self.fits(gateway.get("/v1/webhooks", key), "/v1/webhooks", "get", 200)
        self.fits(gateway.get(address, key), one, "get", 200)
        self.fits(gateway.post(address + "/test", {}, key=key), one + "/test", "post", 202)
        for _ in range(5):
            self.assertEqual(gateway.get("/v1/desa", key).status, 200)
        self.receiver.wait(2, kind="quota.warning")
        self.receiver.wait(1, kind="webhook.test")
        self.update("desa", "2024-04-01", "kode,nilai\nA,2\n")
        self.odp("build", "--out", self.site, "--quiet")
        self.receiver.wait(1, kind="dataset.version.published")
        kinds = set()
        for message in self.receiver.to():
            check(self.site, message.json())
            kinds.add(message.type)
        self.assertEqual(kinds, {"webhook.challenge", "webhook.test", "quota.warning", "dataset.version.published"})
        listed = self.fits(gateway.get(address + "/deliveries", key), one + "/deliveries", "get", 200)
        self.assertEqual({d["type"] for d in listed}, kinds)
        self.fits(gateway.get(f"{address}/deliveries/{listed[0]['id']}", key), one + "/deliveries/{msg}", "get", 200)
        self.fits(gateway.post(address + "/redeliver", {"delivery": listed[0]["id"]}, key=key), one + "/redeliver", "post", 202)
        self.fits(gateway.post(address + "/rotate-secret", {"grace_hours": 1}, key=key), one + "/rotate-secret", "post", 200)
        self.fits(gateway.curl(address, "-X", "PATCH", "-H", "Content-Type: application/json", "-d", '{"state": "paused"}', key=key), one, "patch", 200)
        self.fits(gateway.get(address, key, method="DELETE"), one, "delete", 200)
        kinds_of_all = {k["type"] for k in gateway.get("/v1/events/").json()["data"]}
        self.assertLess(kinds, kinds_of_all)
        self.assertEqual(gateway.get("/api/v1/events/quota.warning").json()["$id"], BASE + "v1/events/quota.warning.json")


if __name__ == "__main__":
    odp.main()
