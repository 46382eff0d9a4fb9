"""The driver of the Python library (README.md): reads calls from standard input, prints what came of them."""
import base64
import hashlib
import importlib
import itertools
import json
import pathlib
import re
import sys
import warnings

KEY = re.compile(r"odp_live_[0-9A-Za-z]{36}")


def wire(record):
    return record.to_dict(raw=True)


def number(value):
    """The double's shortest form; whole ones as integers."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else re.sub(r"e([+-])0?", r"e\1", repr(value))


def canonical(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(k)}:{canonical(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def digest(records):
    """Never holds the records themselves: there may be a hundred thousand."""
    lines, keys = [], set()
    for record in records:
        line = canonical(wire(record)).encode()
        lines.append(line)
        key = type(record)._key
        keys.add(canonical([record.to_dict(raw=True).get(name) for name in key]) if key else line)
    lines.sort()
    sha256 = hashlib.sha256()
    for line in lines:
        sha256.update(line + b"\n")
    return {"count": len(lines), "distinct": len(keys), "sha256": sha256.hexdigest()}


class Driver:
    def __init__(self, job):
        self.odp = importlib.import_module(job["module"])
        warnings.simplefilter("ignore", self.odp.PrecisionWarning)  # what is compared is the double
        self.folder = pathlib.Path(job.get("folder", "."))
        self.waits = []
        given = dict(job.get("client", {}))
        options = {name: given[name] for name in ("timeout", "retries", "max_wait", "language") if name in given}
        if not job.get("sleep"):
            options["sleep"] = self.waits.append
        self.client = self.odp.Client(given.get("key"), base_url=given.get("base_url", job["base"]), **options)
        self.last = None

    def run(self, call):
        try:
            return {"result": getattr(self, "do_" + call["do"])(call)}
        except self.odp.OdpError as error:
            told = {"kind": self.kind(error), "message": str(error)}
            if isinstance(error, self.odp.ApiError):
                told["status"] = error.status
                if error.code is not None:
                    told["code"] = error.code
            if getattr(error, "reset", None) is not None:
                told["reset"], told["reset_time"] = True, error.reset.isoformat()
            return {"error": told}
        except (TypeError, ValueError) as error:
            return {"error": {"kind": "Argument", "message": str(error)}}
        except Exception as error:  # noqa: BLE001
            return {"error": {"kind": "Other", "message": f"{type(error).__name__}: {error}"}}

    @staticmethod
    def kind(error):
        return type(error).__name__.removesuffix("Error")

    def table(self, call):
        dataset = self.client.dataset(call["dataset"])
        return dataset.resource(call["resource"]) if call.get("resource") else dataset

    @staticmethod
    def options(call):
        given = dict(call.get("options", {}))
        if isinstance(given.get("datetime"), list):
            given["datetime"] = tuple(given["datetime"])
        return given

    @staticmethod
    def told(records, call):
        records = itertools.islice(records, call.get("take"))
        return digest(records) if call.get("digest") else [wire(record) for record in records]

    def do_list(self, call):
        return self.told(self.table(call).list(**self.options(call)), call)

    def do_search(self, call):
        options = self.options(call)
        q = options.pop("q", None)
        return self.told(self.table(call).search(call.get("q", q), **options), call)

    def do_timeline(self, call):
        return self.told(self.client.dataset(call["dataset"]).timeline(**self.options(call)), call)

    def do_pages(self, call):
        pages = itertools.islice(self.table(call).pages(**self.options(call)), call.get("take"))
        return [{"count": len(page.records), "total": page.total, "version": page.version} for page in pages]

    def do_get(self, call):
        return wire(self.table(call).get(call["id"]))

    def do_versions(self, call):
        return [version.version for version in self.client.dataset(call["dataset"]).versions()]

    def do_changes(self, call):
        changes = self.table(call).changes(call.get("from"), call.get("to"))
        names = ("op", "key", "record", "cells", "geometry")
        return [{**{name: change.raw[name] for name in names if name in change.raw}, "from": change.from_version, "to": change.to_version}
                for change in itertools.islice(changes, call.get("take"))]

    def do_download(self, call):
        last = []

        def progress(done, total):
            last[:] = [done, total]

        got = self.table(call).download(call["format"], self.folder / call["path"], version=call.get("version"), resume=call.get("resume", True), progress=progress)
        return {"version": got.version, "bytes": got.bytes, "sha256": got.sha256, "transferred": got.transferred, "progress": last}

    def do_sync(self, call):
        got = self.table(call).sync(self.folder / call["path"], call.get("format"))
        return {"version": got.version, "action": got.action, "transferred": got.transferred, "sha256": got.sha256}

    def do_patch(self, call):
        delta = importlib.import_module(self.odp.__name__ + "._delta")
        with open(call["old"], "rb") as old, open(call["delta"], "rb") as change, open(call["new"], "wb") as new:
            return {"sha256": delta.apply(old, change, new).sha256}

    def do_catalog(self, call):
        return [entry.slug for entry in self.client.catalog()]

    @staticmethod
    def masked(record):
        told = wire(record)
        if "key" in told:
            told["key"] = KEY.fullmatch(str(told["key"])) is not None
        return told

    def do_register(self, call):
        more = {name: call[name] for name in ("organisation", "purpose") if name in call}
        return self.masked(self.client.register(call["name"], call["email"], **more))

    def do_rotate(self, call):
        return self.masked(self.client.rotate(grace_hours=call.get("grace_hours")))

    def do_usage(self, call):
        usage = self.client.usage()
        return {**self.masked(usage), "remaining": usage.remaining}

    def id(self, call):
        return self.last if call["id"] == "@LAST@" else call["id"]

    def do_webhook_create(self, call):
        more = {name: call[name] for name in ("datasets", "filter", "description") if name in call}
        webhook = self.client.webhooks.create(call["url"], call["events"], **more)
        self.last = webhook.id
        return wire(webhook)

    def do_webhook_list(self, call):
        return [wire(webhook) for webhook in self.client.webhooks.list()]

    def do_webhook_get(self, call):
        return wire(self.client.webhooks.get(self.id(call)))

    def do_webhook_delete(self, call):
        return wire(self.client.webhooks.delete(self.id(call)))

    def do_webhook_confirm(self, call):
        return wire(self.client.webhooks.confirm(self.id(call), call["challenge"]))

    def do_webhook_test(self, call):
        return wire(self.client.webhooks.test(self.id(call)))

    def do_webhook_rotate_secret(self, call):
        return wire(self.client.webhooks.rotate_secret(self.id(call), grace_hours=call.get("grace_hours")))

    def do_verify(self, call):
        payload = base64.b64decode(call["payload_base64"]) if "payload_base64" in call else call["payload"]
        return self.odp.verify(payload, call["headers"], call["secret"], now=call.get("now"))

    def do_text(self, call):
        session = self.client._session
        return " ".join([repr(self.client), str(self.client), f"{self.client}", repr(vars(self.client)), repr(vars(session)), repr(vars(session._transport))])


def answer(job):
    driver = Driver(job)
    with driver.client:
        return {"outcomes": [driver.run(call) for call in job["calls"]], "waits": driver.waits}


def main():
    jobs = json.load(sys.stdin)
    told = [answer(job) for job in jobs] if isinstance(jobs, list) else answer(jobs)
    json.dump(told, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
