"""What machines read of the example catalogue: DCAT-AP (its SHACL shapes, where node and they are), schema.org, ISO 19139, sheets for BPS, feeds, sitemap, pictures, files under
.well-known; each against the index and the site, not against itself."""
import csv
import html.parser
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import urllib.parse
import xml.etree.ElementTree as ET
import zlib

import descriptor_profile
import odp
import workbooklib

NODE = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build")) / "browser"  # tools/setup.sh makes it of tests/browser
SHAPES = "dcat/dcat-ap-3.0.1/shacl"
ATOM, MAP, XHTML = "{http://www.w3.org/2005/Atom}", "{http://www.sitemaps.org/schemas/sitemap/0.9}", "{http://www.w3.org/1999/xhtml}"
GMD, GCO = "{http://www.isotc211.org/2005/gmd}", "{http://www.isotc211.org/2005/gco}"
EU = "http://publications.europa.eu/resource/authority/"

# ISO/TS 19139 (gmd.xsd): every type is a sequence; what stands here is its order, with * for what must be there.
SEQUENCES = {
    "MD_Metadata": "fileIdentifier* language* characterSet* parentIdentifier hierarchyLevel* hierarchyLevelName contact* dateStamp* metadataStandardName* metadataStandardVersion* dataSetURI locale "
                   "spatialRepresentationInfo* referenceSystemInfo* metadataExtensionInfo identificationInfo* contentInfo distributionInfo* dataQualityInfo*",
    "CI_ResponsibleParty": "individualName organisationName* positionName contactInfo* role*",
    "CI_Contact": "phone address* onlineResource* hoursOfService contactInstructions",
    "CI_Address": "deliveryPoint city administrativeArea postalCode country* electronicMailAddress*",
    "CI_OnlineResource": "linkage* protocol applicationProfile name description function",
    "CI_Citation": "title* alternateTitle date* edition editionDate identifier citedResponsibleParty presentationForm series",
    "CI_Date": "date* dateType*",
    "MD_Identifier": "authority code*",
    "RS_Identifier": "authority code* codeSpace",
    "PT_Locale": "languageCode* country characterEncoding*",
    "MD_VectorSpatialRepresentation": "topologyLevel geometricObjects*",
    "MD_GeometricObjects": "geometricObjectType* geometricObjectCount",
    "MD_ReferenceSystem": "referenceSystemIdentifier*",
    "MD_DataIdentification": "citation* abstract* purpose* credit status* pointOfContact* resourceMaintenance* graphicOverview resourceFormat descriptiveKeywords* resourceSpecificUsage "
                             "resourceConstraints* aggregationInfo spatialRepresentationType* spatialResolution language* characterSet* topicCategory* environmentDescription extent* supplementalInformation",
    "MD_MaintenanceInformation": "maintenanceAndUpdateFrequency*",
    "MD_Keywords": "keyword* type thesaurusName",
    "MD_LegalConstraints": "useLimitation* accessConstraints* useConstraints* otherConstraints*",
    "EX_Extent": "description geographicElement* temporalElement verticalElement",
    "EX_TemporalExtent": "extent*",
    "EX_GeographicBoundingBox": "extentTypeCode westBoundLongitude* eastBoundLongitude* southBoundLatitude* northBoundLatitude*",
    "MD_Distribution": "distributionFormat* distributor* transferOptions*",
    "MD_Format": "name* version*",
    "MD_Distributor": "distributorContact*",
    "MD_DigitalTransferOptions": "unitsOfDistribution transferSize onLine*",
    "DQ_DataQuality": "scope* report lineage*",
    "DQ_Scope": "level*",
    "LI_Lineage": "statement*",
}


class Scripts(html.parser.HTMLParser):
    """The JSON-LD of a page."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script" and ("type", "application/ld+json") in attrs

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.found.append(json.loads(data))


def many(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def nodes(value):
    """Every object of a JSON-LD document, wherever it stands."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else many(value) if isinstance(value, list) else []:
        yield from nodes(inner)


def harvested(path):
    """{address: (distributions, titles of their licences, versions)} as harvesters of CKAN read it: every node that is a Dataset is one."""
    found = list(nodes(odp.read_json(path)["@graph"]))
    titled = {n["@id"]: n for n in found if "@id" in n and "dct:title" in n}
    out = {}
    for n in found:
        if "dcat:Dataset" in many(n.get("@type")):
            licences = [titled.get(d["dct:license"].get("@id"), d["dct:license"]) for d in n["dcat:distribution"]]
            out[n["@id"]] = (n["dcat:distribution"], [[t["@value"] for t in many(x.get("dct:title"))] for x in licences], n["dct:hasVersion"])
    return out


class Metadata(odp.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.site = odp.example_site()
        cls.portal = odp.read_json(odp.SOURCE / "catalog" / "portal.json")
        cls.base = cls.portal["baseUrl"]
        cls.entries = {e["slug"]: e for e in odp.read_json(cls.site / "v1/index.json")["data"]}
        cls.control = {}
        for line in (cls.site / "control").read_text().splitlines()[1:]:
            path, _, media_type, encoding, *_ = line.split("\t")
            if encoding == "-":
                cls.control[path] = media_type

    def path(self, address):
        """The file of the site that ADDRESS leads to."""
        self.assertTrue(address.startswith(self.base), address)
        path = urllib.parse.urlsplit(address[len(self.base):]).path
        return path + "index.html" if path == "" or path.endswith("/") else path

    def assert_leads(self, address):
        self.assertTrue((self.site / self.path(address)).is_file(), address)

    def files(self, entry):
        return [f for r in entry["resources"] for f in r["files"]]

    # ---- DCAT ----

    def graph(self):
        return odp.read_json(self.site / "dcat.jsonld")["@graph"]

    def test_dcat_tells_every_file(self):
        graph = self.graph()
        catalog = next(n for n in graph if n["@type"] == "dcat:Catalog")
        datasets = {n["dct:identifier"]: n for n in graph if n["@type"] == "dcat:Dataset"}
        self.assertEqual(set(datasets), set(self.entries))
        self.assertEqual({d["@id"] for d in catalog["dcat:dataset"]}, {d["@id"] for d in datasets.values()})
        for slug, entry in self.entries.items():
            node = datasets[slug]
            downloads = {self.path(d["dcat:downloadURL"]["@id"]): d for d in node["dcat:distribution"]}
            self.assertEqual(set(downloads), {f["url"][3:] for f in self.files(entry)})
            for file in self.files(entry):
                d = downloads[file["url"][3:]]
                self.assertEqual(int(d["dcat:byteSize"]["@value"]), file["bytes"])
                self.assertEqual("sha256:" + d["spdx:checksum"]["spdx:checksumValue"]["@value"], file["hash"])
                self.assertTrue(d["dcat:mediaType"]["@id"].endswith("/" + file["media_type"].split(";")[0]))
                self.assertEqual(d["dct:license"]["@id"], entry["license"]["path"])
                self.assert_leads(d["dcat:accessURL"]["@id"])
            self.assertEqual({t["@language"]: t["@value"] for t in node["dct:title"]}, entry["title"])
            if entry["kind"] == "dataset":
                self.assertEqual(node["dct:accrualPeriodicity"]["@id"], EU + "frequency/" + entry["frequency"])
            self.assertTrue(all(t["@id"].startswith(EU + "data-theme/") for t in node.get("dcat:theme", [])), slug)
            self.assertEqual(node["dct:hasVersion"], [{"@id": f"{node['@id']}{v['version']}/"} for v in entry["versions"] if v["state"] == "published"])
            self.assertEqual(any("dcat:bbox" in p for p in node["dct:spatial"]), "bbox" in entry)
            for page in node["dcat:landingPage"]:
                self.assert_leads(page["@id"])

    def test_harvesters_find_each_dataset_once(self):
        found = harvested(self.site / "dcat.jsonld")
        self.assertEqual(set(found), {f"{self.base}data/{slug}/" for slug in self.entries})
        for address, (distributions, licences, _) in found.items():
            self.assertTrue(distributions, address)
            own = self.entries[address.rstrip("/").rsplit("/", 1)[1]]["license"]
            if own["path"] != self.portal["license"]["path"]:  # of the regions' codes
                self.assertTrue(all(own["title"] in titles for titles in licences), address)
                continue
            self.assertEqual({titles[0] for titles in licences}, {"Creative Commons Attribution"})  # by which CKAN's list knows it

    def test_dcat_identifiers_are_of_one_thing(self):
        """Every address of ours that is named is described there, or a file; none is described twice."""
        described, named = [], []

        def walk(node, inside):
            if isinstance(node, list):
                for one in node:
                    walk(one, inside)
            elif isinstance(node, dict):
                if "@id" in node:
                    (described if "@type" in node else named).append(node["@id"])
                for key, value in node.items():
                    walk(value, key)

        walk(self.graph(), None)
        pages = [i for i in described if i.endswith(".html")]
        self.assertEqual(sorted(i for i in set(described) if described.count(i) > 1 and i not in pages), [])
        for address in set(named) - set(described):
            if address.startswith(self.base) and not address.endswith("/"):
                self.assert_leads(address)

    def shacl(self, document):
        if not shutil.which("node"):
            self.skipTest("node is not on this machine")
        if not (NODE / "node_modules" / "rdf-validate-shacl").is_dir():
            self.skipTest("rdf-validate-shacl is not installed (npm, see tests/browser)")
        folder = self.needs(SHAPES)
        done = subprocess.run(["node", str(odp.SOURCE / "tests/shacl/validate.mjs"), str(NODE), str(document), str(folder / "dcat-ap-SHACL.ttl"), str(folder / "ranges.ttl")],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(done.stdout)

    def test_dcat_ap_shapes(self):
        report = self.shacl(self.site / "dcat.jsonld")
        self.assertEqual(report["results"], [])
        dcat = "http://www.w3.org/ns/dcat#"
        self.assertEqual(report["focus"][dcat + "Dataset"], len(self.entries)) # the shapes had something to look at
        self.assertEqual(report["focus"][dcat + "Distribution"], sum(len(self.files(e)) for e in self.entries.values()))

    def test_dcat_ap_shapes_find_faults(self):
        document = odp.read_json(self.site / "dcat.jsonld")
        dataset = next(n for n in document["@graph"] if n["@type"] == "dcat:Dataset")
        del dataset["dct:title"]
        dataset["dcat:distribution"][0]["dcat:byteSize"] = "many"
        broken = self.dir / "broken.jsonld"
        broken.write_text(json.dumps(document))
        paths = {r["path"].rpartition("/")[2].rpartition("#")[2] for r in self.shacl(broken)["results"]}
        self.assertTrue({"title", "byteSize"} <= paths, paths)

    # ---- Data Package ----

    def test_schemas_keep_the_published_profile(self):
        profile, matched = descriptor_profile.Profile("test_all"), 0
        for slug, entry in self.entries.items():
            for resource in entry["resources"]:
                schema = odp.read_json(self.site / resource["schema"][3:])
                self.assertEqual(schema["$schema"], "https://datapackage.org/profiles/2.0/tableschema.json")
                profile.schema(schema)
                self.assertEqual(schema.get("fieldsMatch"), ["subset"] if {"odp:geometry", "odp:labelColumns"} & set(schema) else None, slug)
                matched += "fieldsMatch" in schema
        self.assertGreater(matched, 0)

    # ---- schema.org ----

    def test_schema_org_of_datasets(self):
        for slug, entry in self.entries.items():
            for lang, name in (("id", f"katalog/{slug}.html"), ("en", f"en/catalog/{slug}.html")):
                found = [s for s in Scripts((self.site / name).read_text(encoding="utf-8")).found if s.get("@type") == "Dataset"]
                self.assertEqual(len(found), 1, name)
                o = found[0]
                self.assertEqual(o["name"], entry["title"][lang])
                self.assertTrue(50 <= len(o["description"]) <= 5000, o["description"])
                self.assertEqual(self.path(o["url"]), name)
                self.assertEqual({self.path(d["contentUrl"]) for d in o["distribution"]}, {f["url"][3:] for f in self.files(entry)})
                self.assertEqual({d["sha256"] for d in o["distribution"]}, {f["hash"][7:] for f in self.files(entry)})
                fields = [f["name"] for r in entry["resources"] for f in odp.read_json(self.site / r["schema"][3:])["fields"]]
                self.assertEqual([v["propertyID"] for v in o["variableMeasured"]], fields)
                for member in ("creator", "publisher", "license", "identifier", "keywords", "includedInDataCatalog", "spatialCoverage", "version", "dateModified", "isAccessibleForFree"):
                    self.assertTrue(o[member], f"{name}: {member}")
                self.assert_leads(o["image"])

    def test_schema_org_of_the_catalogue(self):
        found = [s for s in Scripts((self.site / "index.html").read_text(encoding="utf-8")).found if s.get("@type") == "DataCatalog"]
        self.assertEqual(len(found), 1)
        self.assertEqual({self.path(d["url"]) for d in found[0]["dataset"]}, {f"katalog/{s}.html" for s in self.entries})

    # ---- ISO 19139 ----

    def check_order(self, element, slug):
        name = element.tag.rpartition("}")[2]
        children = [c.tag.rpartition("}")[2] for c in element]
        if element.tag.startswith(GMD) and name in SEQUENCES:
            order = SEQUENCES[name].split()
            names = [o.rstrip("*") for o in order]
            self.assertEqual([c for c in children if c not in names], [], f"{slug}: {name}")
            self.assertEqual(children, sorted(children, key=names.index), f"{slug}: {name}")
            self.assertEqual([o for o in order if o.endswith("*") and o[:-1] not in children], [], f"{slug}: {name}")
        elif element.tag.startswith(GMD) and re.match(r"(CI|MD|EX|DQ|LI|RS)_", name) and len(element):
            self.fail(f"{slug}: the test does not know {name}")
        for child in element:
            self.check_order(child, slug)

    def test_iso19139(self):
        with_geometry = {s for s, e in self.entries.items() if e["resources"][0]["geometry"]}
        self.assertEqual({s for s in self.entries if (self.site / f"katalog/{s}/iso19139.xml").exists()}, with_geometry)
        self.assertTrue(with_geometry)
        for slug in with_geometry:
            entry, root = self.entries[slug], ET.parse(self.site / f"katalog/{slug}/iso19139.xml").getroot()
            self.assertEqual(self.control[f"katalog/{slug}/iso19139.xml"], "application/xml")
            self.check_order(root, slug)
            box = [float(root.find(f".//{GMD}{side}/{GCO}Decimal").text) for side in
                   ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")]
            self.assertEqual(box, entry["bbox"])
            self.assertEqual(root.find(f"{GMD}identificationInfo//{GMD}citation//{GMD}title/{GCO}CharacterString").text, entry["title"]["id"])
            links = [u.text for u in root.iterfind(f".//{GMD}distributionInfo//{GMD}onLine//{GMD}URL")]
            self.assertTrue({self.base + f["url"][3:] for f in entry["resources"][0]["files"]} <= set(links))
            self.assertIn(entry["license"]["path"], root.find(f".//{GMD}useLimitation/{GCO}CharacterString").text)
            for code in root.iter():
                if "codeListValue" in code.attrib:
                    self.assertEqual(code.get("codeListValue"), code.text)

    # ---- sheets for BPS ----

    def rows(self, slug, kind, name):
        with workbooklib.Workbook(self.site / f"katalog/{slug}/ms-{kind}.xlsx") as book:
            self.assertEqual([s.name for s in book.sheets], [name])
            found = book.properties()
            self.assertIn(self.entries[slug]["license"]["path"], found["description"])
            self.assertEqual(found["created"][:10], self.entries[slug]["last_update"])
            return [{c: cell.text for c, cell in cells.items() if cell.text} for _, cells in book.sheets[0].rows()]

    def test_sheet_of_variables(self):
        for slug, entry in self.entries.items():
            rows = self.rows(slug, "var", "MS-Var")
            head = next(i for i, r in enumerate(rows) if r.get(1) == "No.")
            names = list(rows[head].values())
            column = {name: i for i, name in enumerate(names, 1)}
            fields = [f for r in entry["resources"] for f in odp.read_json(self.site / r["schema"][3:])["fields"]]
            self.assertEqual([r.get(column["Nama variabel"]) for r in rows[head + 1:]], [f["name"] for f in fields])
            for row, field in zip(rows[head + 1:], fields):
                self.assertEqual(row.get(column["Definisi"]), (field.get("sdi:definisi") or field.get("odp:description") or {}).get("id"))
                self.assertEqual(row.get(column["Satuan"]), (field.get("odp:unit") or {}).get("id"))
                self.assertEqual("wajib diisi" in row[column["Aturan validasi"]], bool(field.get("constraints", {}).get("required")))

    def test_sheet_of_the_activity(self):
        for slug in (s for s, e in self.entries.items() if e["kind"] == "dataset"):
            rows = self.rows(slug, "keg", "MS-Keg")
            self.assertEqual([r[1] for r in rows if re.fullmatch(r"[0-9]", r.get(1, ""))], [str(n) for n in range(1, 10)], slug)
            said = {r.get(2): (r.get(3), r.get(4)) for r in rows if re.fullmatch(r"[0-9]\.[0-9]+", r.get(1, ""))}
            self.assertEqual(said["Instansi penyelenggara"], (self.portal["publisher"]["id"], "portal"))
            blank = sum(1 for r in rows if re.fullmatch(r"[0-9]\.[0-9]+", r.get(1, "")) and 3 not in r)
            self.assertIn(f"{blank} dari ", rows[2][1])
            declared = odp.read_json(odp.SOURCE / "catalog" / slug / "dataset.json").get("sdi:kegiatan", {})
            if "identitas" in declared:
                self.assertEqual(said["Judul kegiatan"], (declared["identitas"]["judul"]["id"], "produsen data"))
                self.assertEqual(said["Tahun kegiatan"][0], str(declared["identitas"]["tahun"]))
        self.assertTrue(any("sdi:kegiatan" in e for e in self.entries.values()))

    def test_sheet_of_indicators(self):
        declared = {s: e["sdi:indikator"] for s, e in self.entries.items() if "sdi:indikator" in e}
        self.assertTrue(declared)
        self.assertEqual({s for s in self.entries if (self.site / f"katalog/{s}/ms-ind.xlsx").exists()}, set(declared))
        for slug, indicators in declared.items():
            rows = self.rows(slug, "ind", "MS-Ind")
            head = next(i for i, r in enumerate(rows) if r.get(1) == "No.")
            names = list(rows[head].values())
            self.assertEqual(len(names), 1 + 16) # STANDARDS: columns 2 to 17
            self.assertEqual([r[2] for r in rows[head + 1:]], [i["nama"]["id"] for i in indicators])
            self.assertEqual([r[names.index("Indikator komposit") + 1] for r in rows[head + 1:]], ["Ya" if i["komposit"] else "Tidak" for i in indicators])

    # ---- how many records ----

    def records(self, resource):
        """How many a resource's files have, counted in the files."""
        counted = set()
        for file in resource["files"]:
            path = self.site / "v1" / file["url"]
            if file["name"] in ("csv", "excel.csv"):
                with open(path, newline="", encoding="utf-8-sig") as f:
                    counted.add(sum(1 for _ in csv.reader(f, delimiter=";" if file["name"] == "excel.csv" else ",")) - 1)
            elif file["name"] in ("json", "geojson"):
                counted.add(len(odp.read_json(path)["data" if file["name"] == "json" else "features"]))
            elif file["name"] == "pdf":
                text = subprocess.run(["pdftotext", "-l", "2", "-raw", path, "-"], capture_output=True, text=True, check=True).stdout
                counted.add(int(re.search(r"Jumlah rekaman\s+Records\s+([\d.]+)", text)[1].replace(".", "")))
        self.assertEqual(len(counted), 1, resource["name"])
        return counted.pop()

    def shown(self, slug, count, beside):
        """The counts in all places that people read, as they must stand there."""
        feed = ET.parse(self.site / f"katalog/{slug}.xml").getroot().find(ATOM + "entry").findtext(ATOM + "summary")
        more = " ({})".format(", ".join(f"{r['name']} {n}" for r, n in beside)) if beside else ""
        self.assertTrue(feed.startswith(f"{count} rekaman{more}. "), feed)
        for lang, point in enumerate(".,"):
            def number(n, point=point):
                return f"{n:,}".replace(",", point)
            said = number(count) + (" rekaman", " records")[lang] + "".join(f" · {r['name']}: {number(n)}" for r, n in beside)
            more = "".join(f" · {r['title'][('id', 'en')[lang]]}: {number(n)}" for r, n in beside)
            home, page = ((self.site / p).read_text() for p in (("index.html", f"katalog/{slug}.html"), ("en/index.html", f"en/catalog/{slug}.html"))[lang])
            if self.entries[slug]["kind"] == "dataset":
                card = re.search(rf'<li class="card card-link dataset" data-slug="{slug}".*?</li>\n', home, re.S)[0]
                self.assertRegex(card, rf"</time> · {re.escape(number(count))} [^·<]+{re.escape(more)} · ")  # what a record is has its own word
            self.assertIn(f"<dt>{('Rekaman', 'Records')[lang]}</dt><dd>{number(count)}{more}</dd>", page)
            self.assertRegex(page, rf'class="ds-current">\n<p>.*</time> · {re.escape(said)} <span')

    def test_counts_of_records_agree(self):
        """A dataset's records are those of its main table, everywhere; further tables are counted beside it (docs/formats.md)."""
        total = 0
        for slug, entry in self.entries.items():
            with self.subTest(slug=slug):
                rows = [self.records(r) for r in entry["resources"]]
                total += rows[0] if entry["kind"] == "dataset" else 0
                versions = odp.read_json(self.site / f"data/{slug}/versions.json")["data"]
                self.assertEqual((entry["rows"], entry["versions"][0]["rows"], versions[0]["rows"]), (rows[0],) * 3)
                for listed in (entry["resources"], versions[0]["resources"]):
                    self.assertEqual([r["rows"] for r in listed], rows)
                for r, n in zip(entry["resources"], rows):
                    page = odp.read_json(self.site / "v1" / r["api"])["meta"]
                    self.assertEqual((page["total"], odp.read_json(self.site / "v1" / r["schema"])["odp:rows"]), (n, n))
                self.shown(slug, rows[0], list(zip(entry["resources"][1:], rows[1:])))
        for page, point in (("index.html", "."), ("en/index.html", ",")):
            self.assertIn(f" · {total:,} re".replace(",", point), (self.site / page).read_text())  # rekaman, records

    # ---- feeds, sitemap ----

    def test_feeds_of_datasets(self):
        overall = {e.findtext(ATOM + "id"): e for e in ET.parse(self.site / "feed.xml").getroot().iter(ATOM + "entry")}
        for slug, entry in self.entries.items():
            self.assertEqual(self.control[f"katalog/{slug}.xml"], "application/atom+xml")
            root = ET.parse(self.site / f"katalog/{slug}.xml").getroot()
            found = {e.findtext(ATOM + "id"): e for e in root.iter(ATOM + "entry")}
            self.assertEqual(list(found), [f"{self.base}data/{slug}/{v['version']}/" for v in entry["versions"]])
            newest = f"{self.base}data/{slug}/{entry['version']}/"
            for member in ("title", "updated"):
                self.assertEqual(found[newest].findtext(ATOM + member), overall[newest].findtext(ATOM + member))
            self.assertEqual(root.findtext(ATOM + "updated"), found[newest].findtext(ATOM + "updated"))
            links = [link for e in found.values() for link in e.iter(ATOM + "link") if link.get("rel") in ("enclosure", "related", "alternate")]
            self.assertTrue(links)
            for link in links:
                self.assert_leads(link.get("href"))

    def test_sitemap(self):
        urls = ET.parse(self.site / "sitemap.xml").getroot().findall(MAP + "url")
        listed = {self.path(u.findtext(MAP + "loc")): u for u in urls}
        self.assertEqual(len(listed), len(urls))
        pages = {p for p, t in self.control.items() if t.startswith("text/html") and not p.startswith(("data/", "v1/", "service/", "simple/", "embed/", "en/embed/"))}
        not_listed = {"404.html", "en/404.html", "kunci-saya.html", "en/my-key.html", "komponen.html", "en/components.html"}
        downloads = {f["url"][3:] for e in self.entries.values() for f in self.files(e)}
        self.assertEqual(set(listed), (pages - not_listed) | downloads)
        for path, url in listed.items():
            self.assertTrue((self.site / path).is_file(), path)
            self.assertRegex(url.findtext(MAP + "lastmod"), r"^\d{4}-\d\d-\d\d$")
            other = {link.get("hreflang"): self.path(link.get("href")) for link in url.iter(XHTML + "link")}
            if path in pages:
                self.assertEqual(set(other), {"id", "en", "x-default"}, path)
                self.assertIn(path, (other["id"], other["en"]))
                for page in (other["id"], other["en"]): # they name each other
                    self.assertEqual({link.get("hreflang"): self.path(link.get("href")) for link in listed[page].iter(XHTML + "link")}, other)

    # ---- pictures ----

    def test_pictures(self):
        names = [f"gambar/{slug}.png" for slug, entry in self.entries.items() if entry["kind"] == "dataset"] + ["gambar/portal.png"]
        self.assertEqual(sorted(p for p in self.control if p.startswith("gambar/") and p.endswith(".png")), sorted(names))
        seen = set()
        for name in names:
            data = (self.site / name).read_bytes()
            self.assertEqual(self.control[name], "image/png")
            self.assertLess(len(data), 100 * 1024, name)
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">II", data[16:24]), (1200, 630))
            at, pixels = 8, b""
            while at < len(data):
                length, kind = struct.unpack(">I4s", data[at:at + 8])
                body = data[at + 8:at + 8 + length]
                self.assertEqual(struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], zlib.crc32(kind + body))
                pixels += body if kind == b"IDAT" else b""
                at += 12 + length
            pixels = zlib.decompress(pixels)
            self.assertEqual(len(pixels), 630 * (1 + {2: 3, 3: 1}[data[25]] * 1200))  # in colours, or by a palette
            self.assertGreater(len(set(pixels)), 16, name) # something is drawn
            self.assertNotIn(pixels, seen, name)
            seen.add(pixels)

    # ---- agreed addresses ----

    def test_well_known(self):
        self.assertEqual(self.control[".well-known/api-catalog"], 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
        linkset = odp.read_json(self.site / ".well-known/api-catalog")["linkset"]
        apis = {i["href"] for i in linkset[0]["item"]}
        self.assertEqual(apis, {link["anchor"] for link in linkset[1:]})
        for link in linkset[1:]:
            for relation in ("service-desc", "service-doc"):
                for target in link[relation]:
                    self.assert_leads(target["href"])
        security = dict(line.split(": ", 1) for line in (self.site / ".well-known/security.txt").read_text().splitlines())
        self.assertTrue(security["Expires"].startswith(self.portal["security"]["expires"]))
        self.assertEqual(security["Canonical"], self.base + ".well-known/security.txt")
        self.assertEqual(self.control[".well-known/security.txt"], "text/plain; charset=utf-8")
        self.assertIn(f"Sitemap: {self.base}sitemap.xml\n", (self.site / "robots.txt").read_text())
        self.assertNotIn("Disallow: /\n", (self.site / "robots.txt").read_text())
        template = ET.parse(self.site / "opensearch.xml").getroot().find("{http://a9.com/-/spec/opensearch/1.1/}Url").get("template")
        self.assertEqual(template, self.base + "index.html?q={searchTerms}")

    # ---- the licence in every format that can hold it ----

    def test_licence_is_in_the_formats(self):
        for slug, entry in self.entries.items():
            licence = entry["license"]["path"]
            for file in self.files(entry):
                path = self.site / file["url"][3:]
                if file["name"] == "xlsx":
                    with workbooklib.Workbook(path) as book:
                        self.assertIn(licence, " ".join(filter(None, [*book.properties().values(), *book.custom().values()])), path)
                elif file["name"] == "pdf":
                    self.assertIn(f"<xmpRights:WebStatement>{licence}</xmpRights:WebStatement>".encode(), path.read_bytes())
            for resource in entry["resources"]:
                for chart in resource.get("charts", []):
                    for picture in chart["svg"].values():
                        self.assertIn(licence, (self.site / picture[3:]).read_text(encoding="utf-8"))
        self.assertEqual(odp.read_json(self.site / "datapackage.json")["licenses"][0]["path"], self.portal["license"]["path"])


class Carried(odp.Case):
    """What is carried over looks as if it had been built: nothing here comes from a dataset's catalogue entry."""

    MADE = ("katalog/", "en/catalog/", "gambar/", "dcat.jsonld", "sitemap.xml", ".well-known/")

    def made(self, site):
        return {p: d for p, d in odp.digests(site).items() if p.startswith(self.MADE)}

    def test_incremental_is_whole(self):
        catalog = self.catalogue("kumuh", "air-bersih", "target-pembangunan")
        for path in catalog.glob("references/*/dataset.json"):  # JSON says under which release it was published
            path.write_text(json.dumps({**odp.read_json(path), "odp:formats": ["CSV"]}))
        self.odp("build", "--quiet")
        before = self.made(self.dir / "build/site")
        self.assertTrue(before)
        path = catalog / "target-pembangunan" / "dataset.json"
        package = odp.read_json(path)
        package["odp:title"] = {"id": "Sasaran", "en": "Targets"}
        package["title"] = "Sasaran"
        package["sdi:indikator"] = []
        path.write_text(json.dumps(package, indent=2))
        changes = odp.read_json(catalog / "changes.json")
        changes["releases"].append({"version": "2.5.1", "date": "2024-03-15", "changes": ["Judul"]})
        (catalog / "changes.json").write_text(json.dumps(changes))
        self.odp("build", "--quiet")
        incremental = self.made(self.dir / "build/site")
        self.odp("build", "--quiet", "--out", "whole")
        whole = self.made(self.dir / "whole")
        self.assertEqual([p for p in sorted({*incremental, *whole}) if incremental.get(p) != whole.get(p)], [])
        self.assertEqual({p for p in before if p.startswith(("katalog/kumuh/", "gambar/kumuh"))} - set(incremental), set())
        sheets = [p for p in incremental if p.startswith("katalog/kumuh/") and "/index.html" not in p]  # the page names the release
        self.assertEqual([p for p in sheets if incremental[p] != before[p]], [])
        self.assertNotEqual(incremental["gambar/target-pembangunan.png"], before["gambar/target-pembangunan.png"])
        self.assertIn("katalog/target-pembangunan/ms-ind.xlsx", before)
        self.assertNotIn("katalog/target-pembangunan/ms-ind.xlsx", incremental)

    def test_changes_are_counted_by_table(self):
        """What a version changed is told of each table under its own name: never as one sum."""
        fields = [{"name": "kode", "type": "string"}]
        self.catalogue(references=False)
        folder = self.dataset("dua", "", fields, {"schema": {"primaryKey": ["kode"]}})
        package = odp.read_json(folder / "dataset.json")
        package["resources"].append({**package["resources"][0], "name": "anak", "path": "anak.csv"})
        for date, main, further in (("2024-01-01", "ab", "xyz"), ("2024-02-01", "abc", "yzuvw"), ("2024-03-01", "abc", "yz")):
            for name, keys in (("dua", main), ("anak", further)):
                (folder / f"{name}.csv").write_text("kode\n" + "".join(f"{k}\n" for k in keys))
            package["odp:lastUpdate"] = date
            (folder / "dataset.json").write_text(json.dumps(package))
            self.odp("build", "--quiet")
        site = self.dir / "build/site"
        second = "1 rekaman baru, 0 dihapus, 0 berubah; anak: 3 rekaman baru, 1 dihapus, 0 berubah sejak 2024-01-01."
        feed = [e.findtext(ATOM + "summary") for e in ET.parse(site / "katalog/dua.xml").getroot().iter(ATOM + "entry")]
        self.assertTrue(feed[1].startswith(f"3 rekaman (anak 5). {second} / 3 records (anak 5). 1 records added"), feed[1])
        self.assertTrue(feed[2].startswith("2 rekaman (anak 3). / "), feed[2])
        self.assertIn(second, (site / "feed.xml").read_text())
        titles = [d["dct:title"] for e in odp.read_json(site / "dcat.jsonld")["@graph"] if e["@type"] == "dcat:Dataset" for d in e["dcat:distribution"]]
        self.assertIn([{"@value": "anak (JSON)", "@language": lang} for lang in ("id", "en")], titles)  # a table without a title has its name
        self.assertIn("; anak: 0 rekaman baru, 3 dihapus, 0 berubah sejak 2024-02-01.", (site / "dcat.jsonld").read_text())  # of the newest
        self.assertIn("anak: 3 dihapus", (site / "index.html").read_text())
        self.assertIn("anak: 3 removed", (site / "en/index.html").read_text())
        self.assertEqual([v["rows"] for v in odp.read_json(site / "data/dua/versions.json")["data"]], [3, 3, 2])
        package["resources"][1]["odp:title"] = {"id": "Turunan", "en": "Offspring"}
        (folder / "anak.csv").write_text("kode\ny\nz\nq\n")
        releases = folder.parent / "changes.json"
        told = {"version": "2.5.1", "date": "2024-04-01", "changes": [{"id": "Judul tabel", "en": "Title of a table"}]}
        releases.write_text(json.dumps({"releases": [told, *odp.read_json(releases)["releases"]]}))
        (folder / "dataset.json").write_text(json.dumps({**package, "odp:lastUpdate": "2024-04-01"}))
        self.odp("build", "--quiet")
        for path in ("feed.xml", "katalog/dua.xml", "dcat.jsonld"):
            self.assertIn("; Turunan: 1 rekaman baru, 0 dihapus", (site / path).read_text(), path)
            self.assertIn("; Offspring: 1 records added, 0 removed", (site / path).read_text(), path)
        for page, name in (("index.html", "Turunan: 1 rekaman baru"), ("en/index.html", "Offspring: 1 records added"), ("katalog/dua.html", "Turunan: "), ("en/catalog/dua.html", "Offspring: ")):
            self.assertIn(name, (site / page).read_text(), page)
        self.assertNotIn("anak</code>: ", (site / "katalog/dua.html").read_text())

    def test_withdrawn_dataset_leaves_nothing(self):
        catalog = self.catalogue("kumuh", "air-bersih")
        path = catalog / "kumuh" / "dataset.json"
        package = odp.read_json(path)
        package["licenses"] = [{"name": "Lisensi kota"}]
        path.write_text(json.dumps(package, indent=2))
        self.odp("build", "--quiet")
        source = catalog / "air-bersih" / "air-bersih.csv"
        self.update("air-bersih", "2024-04-20", source.read_bytes().decode().rpartition("\n")[0].rpartition("\n")[0] + "\n")
        self.odp("build", "--quiet")
        found = {a.split("/")[-2]: f for a, f in harvested(self.dir / "build/site/dcat.jsonld").items()}
        self.assertEqual({slug: len(found[slug][2]) for slug in ("kumuh", "air-bersih", "kabkota")}, {"kumuh": 1, "air-bersih": 2, "kabkota": 1})
        self.assertEqual([titles for titles in found["kumuh"][1] if set(titles) != {"Lisensi kota"}], [])
        path = catalog / "air-bersih" / "dataset.json"
        package = odp.read_json(path)
        package["odp:status"] = "withdrawn"
        path.write_text(json.dumps(package, indent=2))
        self.release("3.0.0")
        self.odp("build", "--quiet")
        left = [p for p in self.made(self.dir / "build/site") if "air-bersih" in p and not p.endswith((".html", ".html.gz", ".html.br"))]
        self.assertEqual(left, [])
        self.assertNotIn("air-bersih", (self.dir / "build/site/dcat.jsonld").read_text())


if __name__ == "__main__":
    odp.main()
