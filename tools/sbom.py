#!/usr/bin/env python3
"""The software bill of materials of what is installed: SPDX 2.3, as JSON.

    python3 tools/sbom.py --name odp-build --version 0.1.0 --prefix DIR --out FILE [--source DIR] FILES…

FILES, relative to --prefix or below it, are those of the package. It says of each its SHA-256 and SHA-1; which of Debian's (or Ubuntu's) packages have the
libraries that its programs are linked with, with version and licence; and what of npm's packages is in its scripts (--source: the project's tree, for the list).
The same files on the same machine give the same bytes: the date is SOURCE_DATE_EPOCH, else that of the commit, else the epoch; the name space is made of
the content. A library that belongs to no Debian package is told by its file alone."""
import argparse
import base64
import datetime
import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import uuid

BUNDLED = "templates/portal/assets/bundled.json"  # what was taken from a package once
LOCKED = "templates/portal/assets/package-lock.json"  # what is installed to be bundled at each build
LICENCES = "templates/portal/assets/static/licences.txt"  # what of that is
LICENCE = "Apache-2.0"
# Debian's short names (DEP-5) as SPDX writes them; any other becomes a licence of the document's own, with its text.
SHORT = {"Expat": "MIT", "MIT": "MIT", "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause", "BSD-3-Clause": "BSD-3-Clause", "Apache-2.0": "Apache-2.0", "ISC": "ISC",
         "Zlib": "Zlib", "zlib": "Zlib", "curl": "curl", "LGPL-2": "LGPL-2.0-only", "LGPL-2+": "LGPL-2.0-or-later", "LGPL-2.1": "LGPL-2.1-only",
         "LGPL-2.1+": "LGPL-2.1-or-later", "LGPL-3+": "LGPL-3.0-or-later", "GPL-2": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later", "GPL-3+": "GPL-3.0-or-later",
         "MPL-1.1": "MPL-1.1", "MPL-2.0": "MPL-2.0", "Artistic-2.0": "Artistic-2.0", "BSL-1.0": "BSL-1.0"}


def run(*command, **options):
    """What COMMAND writes; None where it fails or is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, **options)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def spdx_id(kind, text):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]+", "-", text)


def digest(path, kind):
    return hashlib.new(kind, path.read_bytes()).hexdigest()


# -- files -------------------------------------------------------------------------------------------------------------------------
def file_entry(path, prefix):
    name = path.relative_to(prefix).as_posix()
    return {"fileName": f"./{name}", "SPDXID": f"SPDXRef-File-{hashlib.sha256(name.encode()).hexdigest()[:24]}",
            "checksums": [{"algorithm": kind.upper(), "checksumValue": digest(path, kind)} for kind in ("sha1", "sha256")],
            "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}


def verification_code(files, left_out):
    """Section 7.9: the SHA-1 of all files' SHA-1s, in order."""
    sums = sorted(c["checksumValue"] for f in files for c in f["checksums"] if c["algorithm"] == "SHA1")
    return {"packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest(), "packageVerificationCodeExcludedFiles": [left_out]}


# -- Debian's packages ---------------------------------------------------------------------------------------------------------------
def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


@functools.cache
def loader_cache():
    """{name: [path]} of libraries the loader knows."""
    found = {}
    text = run("ldconfig", "-p") or run("/sbin/ldconfig", "-p") or ""
    for name, path in re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", text, re.M):
        found.setdefault(name, []).append(path)
    return found


def needed(path):
    """The libraries that an ELF file names itself."""
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.+)\]", run("readelf", "-dW", str(path)) or "")


def owners(names):
    """{library: Debian's package with it}, for this machine; asked at once, since every question reads all of dpkg's lists."""
    paths = {}
    for name in names:
        for path in loader_cache().get(name, []):
            for candidate in (path, os.path.realpath(path)):  # /lib may lead to /usr/lib, and dpkg know either
                paths[candidate] = paths[candidate.removeprefix("/usr")] = paths["/usr" + candidate.removeprefix("/usr")] = name
    found = {}
    if paths:
        said = subprocess.run(["dpkg-query", "-S", *sorted(paths)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout  # exit code 1: some are unknown
        for package, path in re.findall(r"^([^\s:,]+)[^ ]*: (/.+)$", said, re.M):
            found.setdefault(paths[path], package)
    return found


def stanzas(text):
    """The License: fields of a DEP-5 copyright file: ([(files, short)], {short: text})."""
    files, texts = [], {}
    for paragraph in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*((?:.*)(?:\n[ \t].*)*)", paragraph, re.M))
        if "License" in fields:
            short, _, more = fields["License"].partition("\n")
            if "Files" in fields:
                files.append((fields["Files"].strip(), short.strip()))
            texts.setdefault(short.strip(), more.strip())
    return files, texts


def expression(short, own):
    """SHORT ("LGPL-2+ or MPL-1.1") as an SPDX expression; OWN(name) for what SPDX's list has not."""
    words = re.split(r"\s+(and|or)\s+", short.replace(",", ""))
    if len(words) == 1 or all(w in SHORT for w in words[::2]):
        parts = [w.upper() if i % 2 else SHORT.get(w) or own(w) for i, w in enumerate(words)]
        return parts[0] if len(parts) == 1 else "(" + " ".join(parts) + ")" if len({*words[1::2]}) == 1 else own(short)
    return own(short)


def deb_licence(package, extracted):
    """The licence that the package's copyright file gives for its sources as a whole."""
    path = pathlib.Path("/usr/share/doc") / package.split(":")[0] / "copyright"
    if not path.is_file():
        return "NOASSERTION"
    text = path.read_text(encoding="utf-8", errors="replace")
    whole = text.startswith("Format:") and next((short for files, short in stanzas(text)[0] if "*" in files.split()), None)

    def own(name):
        reference = "LicenseRef-debian-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{package}-{name}")
        extracted[reference] = {"licenseId": reference, "name": f"{name}, as in {path}", "extractedText": (stanzas(text)[1].get(name) or text) if whole else text}
        return reference

    return expression(whole, own) if whole else own("copyright")


@functools.cache
def distribution():
    """NAME and ID ("Debian GNU/Linux", "debian") of this machine's."""
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {"NAME": "Debian", "ID": "debian"}


def deb_entry(package, extracted):
    version, arch, source = (run("dpkg-query", "-W", "-f", "${Version}\t${Architecture}\t${source:Package}", package) or "\t\t").split("\t")
    name, system = package.split(":")[0], distribution()
    return {"SPDXID": spdx_id("Deb", name), "name": name, "versionInfo": version, "supplier": f"Organization: {system['NAME'].split()[0]}", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "sourceInfo": f"built of the source package {source}", "licenseConcluded": "NOASSERTION", "licenseDeclared": deb_licence(package, extracted),
            "copyrightText": "NOASSERTION", "primaryPackagePurpose": "LIBRARY",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/{system['ID']}/{package}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={arch}"}]}


def unknown_library(name):
    return {"SPDXID": spdx_id("Library", name), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "LIBRARY", "comment": "belongs to no package of this machine"}


def linked(files, extracted):
    """(packages, relationships) of the libraries that FILES are linked with."""
    wanted = [(entry["SPDXID"], library) for path, entry in files if is_elf(path) for library in needed(path)]
    owned = owners({library for _, library in wanted}) if shutil.which("dpkg-query") else {}
    packages = {name: deb_entry(name, extracted) for name in sorted(set(owned.values()))}
    alone = {library: unknown_library(library) for _, library in wanted if library not in owned}
    relations = [(file, "DYNAMIC_LINK", (packages[owned[library]] if library in owned else alone[library])["SPDXID"]) for file, library in wanted]
    return [*packages.values(), *alone.values()], relations


# -- npm's packages ------------------------------------------------------------------------------------------------------------------
def npm_entry(name, told):
    algorithm, _, value = told["integrity"].partition("-")
    return {"SPDXID": spdx_id("Npm", name), "name": name, "versionInfo": told["version"], "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "checksums": [{"algorithm": algorithm.upper(), "checksumValue": base64.b64decode(value).hex()}], "licenseConcluded": "NOASSERTION",
            "licenseDeclared": told["license"], "copyrightText": "NOASSERTION", "primaryPackagePurpose": "LIBRARY",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:npm/{name.replace('@', '%40')}@{told['version']}"}]}


def bundled(source, files, main, extracted):
    """What of others is in the portal's files; what of that, and what bundled them, comes as a package of this machine."""
    if source is None or not any(path.name == "licences.txt" and path.parent.name == "assets" for path, _ in files):
        return [], []
    told = json.loads((source / BUNDLED).read_text(encoding="utf-8"))
    locked = json.loads((source / LOCKED).read_text(encoding="utf-8"))["packages"]
    licences = (source / LICENCES).read_text(encoding="utf-8")
    for path, package in locked.items():
        name = path.removeprefix("node_modules/")
        if f"{name} {package.get('version')} (" in licences:  # others are only installed with these: no byte of them is bundled
            told[name] = package
    packages = [npm_entry(name, told[name]) for name in told]
    relations = [(main, "CONTAINS", p["SPDXID"]) for p in packages]
    if run("dpkg-query", "-W", "libjs-leaflet") is not None:
        packages.append(deb_entry("libjs-leaflet", extracted))
        relations.append((main, "CONTAINS", packages[-1]["SPDXID"]))
    if run("dpkg-query", "-W", "esbuild") is not None:
        packages.append({**deb_entry("esbuild", extracted), "primaryPackagePurpose": "APPLICATION"})
        relations.append((packages[-1]["SPDXID"], "BUILD_TOOL_OF", main))
    return packages, relations


# -- the document --------------------------------------------------------------------------------------------------------------------
def created(source):
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or (source and run("git", "-C", str(source), "log", "-1", "--format=%ct")) or "0"
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def document(options, paths):
    extracted, prefix = {}, options.prefix.resolve()
    files = [(path, file_entry(path, prefix)) for path in paths]
    main = {"SPDXID": spdx_id("Package", options.name), "name": options.name, "versionInfo": options.version, "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION",
            "filesAnalyzed": True, "packageVerificationCode": verification_code([e for _, e in files], "./" + options.out.resolve().relative_to(prefix).as_posix()),
            "licenseConcluded": LICENCE, "licenseDeclared": LICENCE, "licenseInfoFromFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
            "primaryPackagePurpose": "APPLICATION"}
    debs, links = linked(files, extracted)
    npms, bundles = bundled(options.source, files, main["SPDXID"], extracted)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", main["SPDXID"]), *[(main["SPDXID"], "CONTAINS", e["SPDXID"]) for _, e in files], *links, *bundles,
                 *[(main["SPDXID"], "DEPENDS_ON", deb["SPDXID"]) for deb in debs]]
    out = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{options.name}-{options.version}",
           "creationInfo": {"created": created(options.source), "creators": [f"Tool: odp-sbom-{options.version}"]}, "documentDescribes": [main["SPDXID"]],
           "packages": [main, *sorted(debs, key=lambda p: p["SPDXID"]), *sorted(npms, key=lambda p: p["SPDXID"])], "files": [e for _, e in files],
           "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in sorted(set(relations))],
           "hasExtractedLicensingInfos": [extracted[key] for key in sorted(extracted)]}
    content = hashlib.sha256(json.dumps(out, sort_keys=True).encode()).hexdigest()
    return {**out, "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--prefix", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    prefix = options.prefix.resolve()
    paths = sorted({(prefix / f).absolute() for f in options.files} - {options.out.absolute(), options.out.resolve()})
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        print(f"sbom: these files are not there: {', '.join(missing)}. Install first (cmake --install), then make the bill.", file=sys.stderr)
        return 1
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(document(options, paths), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
