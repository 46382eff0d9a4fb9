"""odp-build headers: what control says, in other servers' forms. nginx is asked by HTTP; _headers is read by the hosts' rules."""
import http.client
import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.parse

import odp
import publishlib
from publishlib import rows

PAGE_HEADERS = dict(re.findall(r'ODP_PAGE_HEADER\("([^"]+)", "([^"]+)"\)', (odp.SOURCE / "tools/lib/contract/page_headers.def").read_text()))
FRAMED = re.search(r'#define ODP_FRAMED_POLICY "([^"]+)"', (odp.SOURCE / "tools/lib/base/framed.h").read_text())[1]
DATES = {"odp:deprecated": "2024-01-15", "odp:sunset": "2099-06-30", "odp:replacedBy": "dua"}


def policy_of(path):
    return FRAMED if re.match(r"(en/)?embed/", path) else PAGE_HEADERS["Content-Security-Policy"]


def control_of(site):
    lines = (site / "control").read_text().splitlines()
    names = ["path", *lines[0].split("\t")[1:]]
    return [dict(zip(names, (None if c == "-" else c for c in line.split("\t")))) for line in lines[1:]]


class Headers(publishlib.Case):
    """Paths that share beginnings with others of another kind are where rules go wrong."""

    def setUp(self):
        odp.Case.setUp(self)
        self.catalogue(references=False)
        self.small("satu", rows(20))
        self.small("dua", rows(30))
        self.small("satu-dua", rows(3))
        self.small("usang", rows(5), **{"odp:status": "deprecated", **DATES})
        self.small("pergi", rows(5), **{"odp:status": "withdrawn", "odp:replacedBy": "dua"})
        self.build()
        self.change("satu", rows(21), "2024-03-20")
        self.build()
        self.control = control_of(self.dir / "site")
        self.files = [line for line in self.control if line["etag"]]
        self.assertGreater(len(self.files), 80)

    def headers(self, form):
        return self.run_odp("headers", "--out", "site", "--format", form).stdout

    def test_netlify(self):
        """Every matching rule applies, and equal headers are joined: beside the rule for all, a path must meet one. A * takes everything."""
        rules, current = [], None
        for line in self.headers("netlify").splitlines():
            if line.startswith("#"):
                continue
            if not line.startswith(" "):
                self.assertTrue(line.startswith("/"))
                self.assertLessEqual(line.count("*"), 1)
                pattern = "(.*)".join(re.escape(urllib.parse.unquote(part)) for part in line.split("*"))
                current = (re.compile(pattern + r"\Z"), {})
                rules.append(current)
            else:
                name, value = line.strip().split(": ", 1)
                self.assertNotIn(name, current[1])
                current[1][name] = value
        self.assertLess(len(rules), 100)
        everywhere = rules.pop(0)[1]
        policy = "Content-Security-Policy"
        self.assertEqual(set(everywhere), {"X-Content-Type-Options", *PAGE_HEADERS} - {policy})
        self.assertEqual({n: everywhere[n] for n in PAGE_HEADERS if n != policy}, {n: v for n, v in PAGE_HEADERS.items() if n != policy})
        deprecated = 0
        for line in self.files:
            met = [h for pattern, h in rules if pattern.match("/" + line["path"])]
            if line["class"] != "public":
                continue
            self.assertEqual(len(met), 1, line["path"])
            wanted = {policy: policy_of(line["path"]), "Cache-Control": line["cache-control"], "Deprecation": line["deprecation"], "Sunset": line["sunset"],
                      "Link": line["link"], "Content-Type": line["type"] if line["path"] == ".well-known/api-catalog" or line["path"].startswith("npm/") else None}
            self.assertEqual(met[0], {k: v for k, v in wanted.items() if v}, line["path"])
            deprecated += "Deprecation" in met[0]
        self.assertGreater(deprecated, 3)

    def test_s3(self):
        objects = {o["Key"]: o for o in map(json.loads, self.headers("s3").splitlines())}
        self.assertEqual(set(objects), {line["path"] for line in self.files if line["class"] != "internal"})
        for line in self.files:
            if line["class"] != "internal":
                wanted = {"Key": line["path"], "ContentType": line["type"], "ContentEncoding": line["encoding"],
                          "CacheControl": line["cache-control"]}
                self.assertEqual(objects[line["path"]], {k: v for k, v in wanted.items() if v})

    def test_nginx(self):
        if shutil.which("nginx") is None:
            self.skipTest("nginx is not on this machine")
        text = self.headers("nginx")
        (self.dir / "odp.conf").write_text(text)
        advice = "\n".join(line[6:] for line in text.splitlines() if line.startswith("#     "))
        port = odp.free_port()
        user = "user root;\n" if os.geteuid() == 0 else ""
        (self.dir / "nginx.conf").write_text(f"""{user}daemon off; worker_processes 1; pid {self.dir}/pid; error_log {self.dir}/log;
events {{ }}
http {{
    types {{ text/html html; application/json json; }}
    include {self.dir}/odp.conf;
    access_log off; client_body_temp_path {self.dir}/t1; proxy_temp_path {self.dir}/t2; fastcgi_temp_path {self.dir}/t3;
    uwsgi_temp_path {self.dir}/t4; scgi_temp_path {self.dir}/t5;
    server {{
        listen 127.0.0.1:{port}; root {self.dir}/site;
        {advice}
        add_header X-Keyed $odp_keyed;
    }}
}}
""")
        nginx = subprocess.Popen(["nginx", "-p", str(self.dir), "-c", str(self.dir / "nginx.conf")], stderr=subprocess.PIPE)
        self.addCleanup(lambda: (nginx.terminate(), nginx.communicate()))
        odp.until_listening(port, nginx)
        connection = http.client.HTTPConnection("127.0.0.1", port)
        gone = 0
        for line in self.control:
            path = line["path"] + ("x" if line["path"].endswith("/") else "")
            connection.request("HEAD", "/" + urllib.parse.quote(path))
            answer = connection.getresponse()
            answer.read()
            if not line["etag"]:
                gone += 1
                self.assertEqual(answer.status, 410, path)
                continue
            if line["class"] == "internal":
                self.assertEqual(answer.status, 404, path)
                continue
            self.assertEqual(answer.status, 200, path)
            for header, column in (("Cache-Control", "cache-control"), ("Deprecation", "deprecation"), ("Sunset", "sunset"), ("Link", "link")):
                self.assertEqual(answer.getheader(header), line[column], f"{path} {header}")
            self.assertEqual(answer.getheader("X-Keyed"), "1" if line["class"] == "keyed" else None, path)
            if path.endswith(".csv"):
                self.assertEqual(answer.getheader("Content-Type"), "text/csv")
            if path != ".well-known/api-catalog":  # it is in a location of its own there
                self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")
            else:
                self.assertEqual(answer.getheader("Content-Type"), line["type"])
            for name, value in {**PAGE_HEADERS, "Content-Security-Policy": policy_of(path)}.items():
                self.assertEqual(answer.getheader(name), value if path.endswith(".html") else None, f"{path} {name}")
        self.assertEqual(gone, 3)
        connection.request("GET", "/tidak/ada")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (404, (self.dir / "site/404.html").read_bytes()))
        connection.close()

    def test_published_beside_the_site(self):
        self.publish("tujuan", "--first", "--format", "netlify,nginx")
        self.assertEqual((self.dir / "tujuan/_headers").read_text(), self.headers("netlify"))
        self.assertEqual((self.dir / "tujuan/headers.nginx.conf").read_text(), self.headers("nginx"))
        self.assertIn("the same already", self.publish("tujuan", "--format", "netlify,nginx").stdout)

    def test_wrong_use(self):
        self.run_odp("headers", "--format", "apache", expect=2)
        self.run_odp("headers", expect=2)
        self.run_odp("publish", "x", "--format", "netlify,apache", expect=2)
        (self.dir / "palsu").mkdir()
        line = "\t".join
        head = "#odp-control-1\tetag\n"
        for text in ("", "#odp-control-2\tx\n", head + "a\tb\n", head + line(["b"] * 11) + "\n" + line(["a"] * 11) + "\n",
                     head + line(["../a"] * 11) + "\n", head + line(["a", *"\x01" * 10]) + "\n", head + line(["a" * 3000, *"-" * 10]) + "\n"):
            (self.dir / "palsu/control").write_text(text)
            self.run_odp("headers", "palsu", "--format", "s3", expect=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
