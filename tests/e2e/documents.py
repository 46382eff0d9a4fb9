"""PDF files that records name (odp:document): published beside the data, known by their digest, in every version; and what is refused."""
import hashlib
import json
import os
import shutil
import subprocess
import unittest
import zipfile

import odp
import versionslib

FIELDS = [{"name": "id", "type": "string"}, {"name": "halaman", "type": "integer"},
          {"name": "berkas", "type": "string", "odp:document": {"folder": "dokumen", "pages": "halaman"}}]
KEY = {"schema": {"primaryKey": ["id"]}}
COLUMNS = ["id", "halaman", "berkas"]


def pdf(text, pages=1):
    """A PDF of PAGES pages, TEXT on each."""
    contents = f"BT /F1 12 Tf 60 770 Td ({text}) Tj ET\n"
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>",
              f"<< /Type /Pages /Kids [{' '.join(f'{k} 0 R' for k in range(5, 5 + pages))}] /Count {pages} >>",
              "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", f"<< /Length {len(contents)} >>\nstream\n{contents}endstream"]
    bodies += ["<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"] * pages
    out, places = "%PDF-1.4\n", []
    for i, body in enumerate(bodies):
        places.append(len(out))
        out += f"{i + 1} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out.encode("ascii")


def published(name, data, folder="dokumen"):
    """The value of a record that names the file: an independent reading of what the documentation says."""
    plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
    escaped = "".join(c if c in plain + "/" else "".join(f"~{b:02X}" for b in c.encode()) for c in name)
    return f"{folder}/{hashlib.sha256(data).hexdigest()[:16]}/{escaped}"


class Documents(versionslib.Case):
    def setUp(self):
        super().setUp()
        self.catalogue(references=False)
        self.one, self.two = pdf("satu"), pdf("dua", 2)
        self.rows = [{"id": "A-1", "halaman": 1, "berkas": "permen-01.pdf"}, {"id": "A-2", "halaman": 2, "berkas": "2024/SE No. 2.PDF"},
                     {"id": "A-3", "halaman": None, "berkas": "permen-01.pdf"}, {"id": "A-4", "halaman": 7, "berkas": None}]
        self.folder = self.dataset("naskah", versionslib.csv_text(self.rows, COLUMNS), FIELDS, {"schema": dict(KEY["schema"])})
        self.put("permen-01.pdf", self.one)
        self.put("2024/SE No. 2.PDF", self.two)

    def put(self, name, data):
        path = self.folder / "dokumen" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def version(self, name="2024-03-15", site="build/site"):
        return self.dir / site / "data/naskah" / name

    def records(self, name="2024-03-15"):
        return {r["id"]: r["berkas"] for r in odp.read_json(self.version(name) / "naskah.json")["data"]}

    def test_published_beside_the_data(self):
        self.odp("build")
        first, second = published("permen-01.pdf", self.one), published("2024/SE No. 2.PDF", self.two)
        self.assertEqual(self.records(), {"A-1": first, "A-2": second, "A-3": first, "A-4": None})
        self.assertEqual([r["berkas"] for r in odp.read_csv(self.version() / "naskah.csv")], [first, second, first, ""])
        api = odp.read_json(self.dir / "build/site/v1/naskah.json")
        self.assertEqual([r["berkas"] for r in api["data"]], [first, second, first, None])
        for folder in (self.version(), self.version("latest")):
            self.assertEqual((folder / first).read_bytes(), self.one)
            self.assertEqual((folder / second).read_bytes(), self.two)
            self.assertEqual(sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.suffix.lower() == ".pdf"), sorted([first, second]))
        self.assertEqual(list(self.version().glob("dokumen/**/*.gz")), [])
        self.assertEqual(odp.read_json(self.version() / "documents.json"), {"data": [
            {"path": first, "bytes": len(self.one), "sha256": f"sha256:{hashlib.sha256(self.one).hexdigest()}", "pages": 1,
             "source": "permen-01.pdf", "records": ["A-1", "A-3"]},
            {"path": second, "bytes": len(self.two), "sha256": f"sha256:{hashlib.sha256(self.two).hexdigest()}", "pages": 2,
             "source": "2024/SE No. 2.PDF", "records": ["A-2"]}], "status": "success"})

    def test_manifest_and_control_know_them(self):
        self.odp("build")
        path = f"data/naskah/2024-03-15/{published('permen-01.pdf', self.one)}"
        entry = next(f for f in odp.read_json(self.dir / "build/site/manifest.json")["files"] if f["path"] == path)
        self.assertEqual((entry["size"], entry["sha256"], entry["class"]), (len(self.one), hashlib.sha256(self.one).hexdigest(), "public"))
        line = next(l for l in (self.dir / "build/site/control").read_text().splitlines() if l.startswith(path + "\t")).split("\t")
        self.assertEqual(line[2], "application/pdf")
        self.odp("verify")

    def test_a_changed_file_is_a_changed_value(self):
        self.odp("build")
        changed = pdf("lain")
        self.put("permen-01.pdf", changed)
        refused = self.report("build", expect=1)  # other content under the same date
        self.assertEqual([d["code"] for d in refused["diagnostics"] if d["severity"] == "error"], ["ODP-V10"])
        self.describe("naskah", **{"odp:lastUpdate": "2024-04-01"})
        self.odp("build")
        old, new = published("permen-01.pdf", self.one), published("permen-01.pdf", changed)
        self.assertEqual(self.records("2024-04-01")["A-1"], new)
        self.assertEqual((self.version("2024-04-01") / new).read_bytes(), changed)
        self.assertEqual((self.version() / old).read_bytes(), self.one)  # the version before keeps its own
        self.assertFalse((self.version("2024-04-01") / old).exists())
        changes = odp.read_json(self.version("2024-04-01") / "changes.json")["changes"]
        self.assertEqual([(c["op"], c["key"]["id"], c["cells"]) for c in changes],
                         [("changed", k, {"berkas": [old, new]}) for k in ("A-1", "A-3")])
        told = self.odp("diff", "naskah").stdout
        self.assertIn(old, told)
        self.assertIn(new, told)
        self.odp("verify")

    def test_a_removed_file_is_an_error_and_nothing_changes(self):
        self.odp("build")
        before = odp.digests(self.dir / "build/site")
        (self.folder / "dokumen/permen-01.pdf").unlink()
        report = self.report("build", expect=1)
        self.assertEqual(report["counts"], {"ODP-D02": 2})
        self.assertEqual(odp.digests(self.dir / "build/site"), before)

    def test_nothing_changed_nothing_is_done(self):
        self.odp("build")
        before = self.build_of()
        self.odp("build")
        self.assertEqual(self.build_of(), before)
        # The same bytes in another file: read again, the same site.
        self.put("permen-02.pdf", self.one)
        os.replace(self.folder / "dokumen/permen-02.pdf", self.folder / "dokumen/permen-01.pdf")
        self.odp("build")
        self.assertEqual(self.build_of(), before)

    def test_links_stay_inside(self):
        secret = self.dir / "rahasia.pdf"
        secret.write_bytes(self.one)
        path = self.folder / "dokumen/permen-01.pdf"
        path.unlink()
        path.symlink_to(secret)
        self.assertEqual(self.report("build", expect=1)["counts"], {"ODP-D04": 2})
        self.assertFalse((self.dir / "build/site").exists())
        path.unlink()
        (self.folder / "dokumen/asli.pdf").write_bytes(self.one)
        path.symlink_to("asli.pdf")
        self.odp("build")
        self.assertEqual((self.version() / published("permen-01.pdf", self.one)).read_bytes(), self.one)

    @unittest.skipUnless(shutil.which("qpdf"), "qpdf is not installed")
    def test_encrypted(self):
        clear = self.put("permen-01.pdf", self.one)
        for user in ("rahasia", ""):
            locked = self.dir / "terkunci.pdf"
            subprocess.run(["qpdf", "--encrypt", user, "pemilik", "256", "--", clear, locked], check=True)
            self.put("2024/SE No. 2.PDF", locked.read_bytes())
            self.assertEqual(self.report("check", expect=1)["counts"], {"ODP-D07": 1})

    @unittest.skipUnless(shutil.which("qpdf"), "qpdf is not installed")
    def test_as_other_programs_write_them(self):
        """Object streams, linearized, an old version: sound, and with as many pages as qpdf says."""
        for options in (["--object-streams=generate"], ["--linearize"], ["--qdf", "--object-streams=disable"], ["--force-version=1.2"]):
            path = self.dir / "tulis.pdf"
            source = self.dir / "asal.pdf"
            source.write_bytes(self.two)
            subprocess.run(["qpdf", *options, source, path], check=True)
            self.put("2024/SE No. 2.PDF", path.read_bytes())
            self.assertEqual(self.report("check")["counts"], {}, options)

    def test_same_site_on_any_number_of_threads(self):
        rows = [{"id": f"B-{i}", "halaman": 1 + i % 2, "berkas": f"f{i % 40}.pdf"} for i in range(5000)]
        for i in range(40):
            self.put(f"f{i}.pdf", pdf(f"naskah {i}", 1 + i % 2))
        self.source("naskah", rows, COLUMNS)
        for jobs in (1, 4):
            self.odp("build", "--jobs", jobs, "--out", f"build/jobs{jobs}")
        self.assertEqual(odp.digests(self.dir / "build/jobs1"), odp.digests(self.dir / "build/jobs4"))
        listed = odp.read_json(self.version(site="build/jobs4") / "documents.json")["data"]
        self.assertEqual([d["source"] for d in listed], [f"f{i}.pdf" for i in range(40)])
        self.assertEqual(listed[3]["records"], [f"B-{i}" for i in range(3, 5000, 40)])

    def test_two_resources_may_name_one_file(self):
        path = self.folder / "dataset.json"
        package = odp.read_json(path)
        second = json.loads(json.dumps(package["resources"][0]))
        second.update(name="lampiran", path="lampiran.csv")
        package["resources"].append(second)
        path.write_text(json.dumps(package))
        (self.folder / "lampiran.csv").write_text("id,halaman,berkas\nL-1,1,permen-01.pdf\n")
        self.odp("build")
        listed = odp.read_json(self.version() / "documents-lampiran.json")["data"]
        self.assertEqual([(d["path"], d["records"]) for d in listed], [(published("permen-01.pdf", self.one), ["L-1"])])
        self.odp("verify")

    def test_withdrawn_with_its_version(self):
        self.odp("build")
        self.put("permen-01.pdf", pdf("baru"))
        self.describe("naskah", **{"odp:lastUpdate": "2024-04-01"})
        self.odp("build")
        self.assertTrue((self.version() / published("permen-01.pdf", self.one)).exists())
        self.odp("withdraw", "naskah", "2024-03-15", "--reason", "error", "--note", "salah")
        self.assertFalse(self.version().exists())
        self.assertTrue((self.version("2024-04-01") / published("2024/SE No. 2.PDF", self.two)).exists())
        self.odp("verify")

    def test_bundle_and_folder_hold_them(self):
        self.odp("build")
        self.odp("publish", self.dir / "cermin", "--first")
        there = self.dir / "cermin/data/naskah/2024-03-15" / published("permen-01.pdf", self.one)
        self.assertEqual(there.read_bytes(), self.one)
        self.odp("verify", "cermin")
        self.odp("bundle", "paket.zip")
        with zipfile.ZipFile(self.dir / "paket.zip") as bundle:
            names = [n for n in bundle.namelist() if n.endswith("/permen-01.pdf") and "/2024-03-15/" in n]
            self.assertEqual([bundle.read(n) for n in names], [self.one])

    def test_sources_elsewhere(self):
        shutil.copytree(self.folder, self.dir / "sumber/naskah")
        shutil.rmtree(self.folder / "dokumen")
        self.odp("build", "--sources", "sumber")
        self.assertEqual((self.version() / published("permen-01.pdf", self.one)).read_bytes(), self.one)


if __name__ == "__main__":
    odp.main()
