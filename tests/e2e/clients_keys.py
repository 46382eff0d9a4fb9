"""The three client libraries and what a gateway keeps of them: keys and quotas, new versions in the middle of a walk, webhooks. clientlib.py says how to
choose languages and packages."""
import datetime
import json
import shutil
import time

import clientlib
import clientsitelib
import gatewaylib
import odp
import webhooklib


class Keys(clientsitelib.Site):
    """Registering, rotating, counting; the burst and the day's end."""

    TIERS = [("public", 25, 1000), ("registered", 100000, 4), ("government", None, 100000)]

    @classmethod
    def make_catalogue(cls):
        (cls.home / "catalog").mkdir()
        for name in ("portal.json", "changes.json", "references", "inovasi", "risiko"):
            source = odp.SOURCE / "catalog" / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, cls.home / "catalog" / name)
        path = cls.home / "catalog/risiko/dataset.json"
        if "odp:foreignKeys" in path.read_text():
            shutil.rmtree(cls.home / "catalog/risiko")
            shutil.copytree(odp.SOURCE / "catalog/penghargaan", cls.home / "catalog/penghargaan")
        cls.portal_of(cls.TIERS, page={"records": 5, "bytes": 1048576})
        cls.build()

    def test_register_and_rotate(self):
        calls = lambda email: ({"do": "register", "name": "Sari", "email": email, "organisation": "Universitas Contoh", "purpose": "penelitian"},
                               {"do": "get", "dataset": "inovasi", "id": "INO-0001"}, {"do": "usage"}, {"do": "rotate", "grace_hours": 0}, {"do": "usage"})
        for language, library in self.libraries.items():
            with self.subTest(language):
                told = library.call(self.base, *calls(f"{language}@example.org"))
                for number in range(5):
                    self.assertIn("result", told[number], told[number])
                issued, record, usage, rotated, after = (t["result"] for t in told[:5])
                self.assertEqual((issued["key"], issued["tier"], issued["limit"], issued["used"]), (True, "public", 25, 0))
                self.assertEqual(record, self.records("inovasi")[0])
                self.assertEqual((usage["tier"], usage["limit"], usage["used"]), ("public", 25, 1))
                self.assertEqual((rotated["key"], rotated["used"]), (True, 1))
                self.assertEqual(after["used"], 1)
                gatewaylib.confirm_address(self.gateway.state, f"{language}@example.org")
                told = library.call(self.base, {"do": "register", "name": "Sari", "email": f"{language}@example.org"})
                self.is_error(told[0], kind="Conflict", status=409, code="email-registered")

    def test_burst(self):
        """Where somebody else uses up the burst 429s really come, and no record is lost."""
        records = self.records("inovasi")
        self.assertEqual(len(records), 80)
        for language, library in self.libraries.items():
            with self.subTest(language):
                told, proxy = self.walk_through_refusals(library, self.gateway.create_key("registered"), {"do": "list", "dataset": "inovasi", "digest": True})
                self.is_result(language, told, {"count": 80, "distinct": 80, "sha256": clientsitelib.digest(records)})
                self.assertGreaterEqual(proxy.refused, 2)

    def test_daily_quota(self):
        """25 requests a day: the walk ends with an error that says when the day turns, at once."""
        now = time.time()
        midnight = now + 86400 - (now + 7 * 3600) % 86400  # in Jakarta
        if midnight - now < 600:  # a library would wait for it
            self.skipTest("midnight is near")
        for language, library in self.libraries.items():
            with self.subTest(language):
                key = self.gateway.create_key("public")
                told = library.call(self.base, {"do": "list", "dataset": "inovasi", "digest": True},
                                    {"do": "list", "dataset": "inovasi", "options": {"page_size": 5}, "take": 80}, key=key)
                self.assertEqual(told[0].get("result", {}).get("count"), 80, told[0])
                self.is_error(told[1], kind="QuotaExceeded", status=429, code="quota-exceeded", reset=True)
                reset = datetime.datetime.fromisoformat(told[1]["error"]["reset_time"].replace("Z", "+00:00"))
                self.assertIsNotNone(reset.tzinfo)
                self.assertTrue(-60 <= reset.timestamp() - midnight <= 3600, reset)  # a while after it, not everybody at once


class Switching(clientsitelib.Site):
    """A new version in the middle of a walk."""

    @classmethod
    def make_catalogue(cls):
        (cls.home / "catalog").mkdir()
        for name in ("portal.json", "changes.json", "references", "perumahan"):
            source = odp.SOURCE / "catalog" / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, cls.home / "catalog" / name)
        cls.portal_of(cls.TIERS, page={"records": 200, "bytes": 1048576})
        cls.build()
        cls.turn = 0

    def test_switch(self):
        """Static pages, cursors, searches: every record of the version that the walk began with, once."""
        for language, library in self.libraries.items():
            for name, call in (("pages", {"do": "list"}), ("cursors", {"do": "list", "options": {"page_size": 150}}),
                               ("search", {"do": "search", "options": {"page_size": 150, "sort": ["-jumlah_rumah"]}})):
                with self.subTest(f"{language} {name}"):
                    old = self.records("perumahan")
                    proxy = clientlib.Proxy(self.gateway.port, pause=(20000, self.new_version))
                    self.addCleanup(proxy.close)
                    told = library.call(proxy.base, {**call, "dataset": "perumahan", "digest": True}, key=self.key)
                    self.is_result(language, told[0], {"count": len(old), "distinct": len(old), "sha256": clientsitelib.digest(old)})
                    self.assertTrue(proxy.paused)
                    self.assertEqual(len(self.records("perumahan")), len(old) - 1)

    def new_version(self):
        type(self).turn += 1
        source = self.package("perumahan", **{"odp:lastUpdate": f"2024-04-{self.turn:02}"})
        lines = source.read_bytes().splitlines(keepends=True)
        del lines[3]
        source.write_bytes(b"".join(lines))
        self.publish()


class Webhooks(clientsitelib.Site):
    """Created, confirmed and verified by the libraries."""

    OPTIONS = ("--webhook-loopback",)

    @classmethod
    def make_catalogue(cls):
        (cls.home / "catalog").mkdir()
        for name in ("portal.json", "changes.json"):
            shutil.copy(odp.SOURCE / "catalog" / name, cls.home / "catalog")
        folder = cls.home / "catalog/mini"
        folder.mkdir()
        (folder / "mini.csv").write_text("kode,nama\n1,Ménténg\n")
        (folder / "dataset.json").write_text(json.dumps({
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": "mini", "title": "Mini", "odp:formats": ["CSV"],
            "odp:lastUpdate": "2024-03-15", "resources": [{"name": "mini", "type": "table", "path": "mini.csv", "schema": {
                "fields": [{"name": "kode", "type": "string"}, {"name": "nama", "type": "string"}], "primaryKey": ["kode"]}}]}))
        cls.portal_of(cls.TIERS)
        cls.build()

    def test_webhooks(self):
        receiver = webhooklib.Receiver()
        self.addCleanup(receiver.close)
        made = {}
        for language, library in self.libraries.items():
            with self.subTest(f"{language}: create"):
                key, path = self.gateway.create_key("registered"), f"/{language}"
                receiver.behave(path, (200, {}, b"not it"))  # so that it is confirmed by hand
                wanted = {"url": receiver.url(path), "events": ["dataset.version.published"], "datasets": ["mini"], "filter": "kode <> '0'",
                          "description": f"uji {language}"}
                told = library.call(self.base, {"do": "webhook_create", **wanted}, {"do": "webhook_list"}, key=key)
                self.assertIn("result", told[0], told)
                hook = told[0]["result"]
                self.assertEqual([w["id"] for w in told[1]["result"]], [hook["id"]])
                self.assertNotIn("secret", told[1]["result"][0])
                self.assertEqual({k: hook[k] for k in wanted}, wanted)
                challenge = receiver.wait(path=path, kind="webhook.challenge")[0].json()["data"]["challenge"]
                told = library.call(self.base, {"do": "webhook_confirm", "id": hook["id"], "challenge": challenge}, {"do": "webhook_get", "id": hook["id"]}, key=key)
                self.assertEqual([t.get("result", t).get("state") for t in told[:2]], ["active", "active"], told)
                receiver.behave(path, 204)
                told = library.call(self.base, {"do": "webhook_test", "id": hook["id"]}, key=key)
                self.assertIn("result", told[0], told)
                test = receiver.wait(path=path, kind="webhook.test")[0]
                self.verify(library, test, hook["secret"])
                made[language] = (key, hook, path)
        source = self.package("mini", **{"odp:lastUpdate": "2024-04-01"})
        source.write_text("kode,nama\n1,Ménténg\n2,\"Ü 🏚\"\n")
        self.publish()
        for language, (key, hook, path) in made.items():
            with self.subTest(f"{language}: a publication"):
                library = self.libraries[language]
                message = receiver.wait(path=path, kind="dataset.version.published")[0]
                self.verify(library, message, hook["secret"])
                told = library.call(self.base, {"do": "webhook_rotate_secret", "id": hook["id"], "grace_hours": 0},
                                    {"do": "webhook_test", "id": hook["id"]}, key=key)
                self.assertNotEqual(told[0]["result"]["secret"], hook["secret"])
                again = receiver.wait(2, path=path, kind="webhook.test")[-1]
                self.verify(library, again, told[0]["result"]["secret"], old=hook["secret"])
                told = library.call(self.base, {"do": "webhook_delete", "id": hook["id"]}, {"do": "webhook_list"},
                                    {"do": "webhook_get", "id": hook["id"]}, key=key)
                self.assertEqual(told[1].get("result"), [], told)
                self.is_error(told[2], kind="NotFound", status=404)

    def verify(self, library, message, secret, old=None):
        """The message as it came is accepted; a bit turned, another secret, is not."""
        self.assertIsNone(webhooklib.verify(secret, message.headers, message.body))
        headers, body = dict(message.headers), message.body.decode()
        other = old or "whsec_" + "A" * 43 + "="
        call = {"do": "verify", "payload": body, "headers": headers, "secret": secret}
        later = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}
        tampered = body.replace("mini", "nimi", 1) if "mini" in body else body + " "
        told = library.call(self.base, call, {**call, "secret": [other, secret]}, {**call, "payload": tampered}, {**call, "secret": other}, {**call, "headers": later})
        for number in (0, 1):
            self.is_result(library.language, told[number], message.json())
        for number in (2, 3, 4):
            self.is_error(told[number], kind="Signature")


if __name__ == "__main__":
    gatewaylib.main()
