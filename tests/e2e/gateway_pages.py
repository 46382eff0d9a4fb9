"""The portal behind the gateway: pages and folders, what browsers get where there is nothing, headers, forms without scripts, usage by day, several machines."""
import email
import email.policy
import html
import html.parser
import json
import os
import re
import shutil
import sqlite3
import subprocess
import urllib.parse

import gatewaylib
import odp
from gatewaylib import entry, wait_for
from gateway_recipes import Servers

HTML = "text/html; charset=utf-8"
BROWSER = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
FOR_EVER = "public, max-age=31536000, immutable"
POLICY = "frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
SHELL = """<!doctype html><html lang="{}"><head><title>@TITLE@ — Portal</title><link rel="stylesheet" href="@ROOT@assets/a.css">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'"></head>
<body><a href="@ROOT@index.html">@portal@ data@example.go.id</a><main id="isi">@CONTENT@</main></body></html>
"""


def page(title, **columns):
    return entry(f"<!doctype html><title>{title}</title>\n", type=HTML, **columns)


PORTAL = {
    **{path: file for path, file in gatewaylib.SMALL.items() if path != "index.html"},
    "index.html": page("Beranda", twins=True),
    "en/index.html": page("Home"),
    "dokumentasi/index.html": page("Dokumentasi", twins=True),
    "dokumentasi/galat.html": page("Galat"),
    "en/docs/index.html": page("Documentation"),
    "en/docs/errors.html": page("Errors"),
    "daftar.html": page("Daftar"),
    "en/register.html": page("Register"),
    "kunci-saya.html": page("Kunci saya"),
    "404.html": page("Tidak ditemukan", twins=True),
    "en/404.html": page("Not found"),
    "assets/" + "0" * 32 + ".css": entry("body{}", type="text/css; charset=utf-8", cache_control="public, max-age=31536000, immutable"),
    ".well-known/api-catalog": entry('{"linkset":[]}', type=LINKSET),
    "simple/index.html": page("Python packages"),
    "simple/odp-client/index.html": page("odp-client", twins=True),
    "npm/@odp/client": entry('{"name":"@odp/client"}\n', type="application/json", twins=True),
    "packages.json": entry('{"packages":[]}\n', type="application/json"),
    "p2/odp/client.json": entry('{"packages":{}}\n', type="application/json"),
    "packages/index.json": entry('{"packages":[]}\n', type="application/json"),
    "packages/javascript/odp-client-2.5.0.tgz": entry("tgz", type="application/gzip", cache_control=FOR_EVER),
    "packages/php/odp-client-2.5.0.zip": entry("zip", type="application/zip", cache_control=FOR_EVER),
    "packages/python/odp_client-2.5.0-py3-none-any.whl": entry("whl", type="application/zip", cache_control=FOR_EVER),
    "packages/python/odp_client-2.5.0-py3-none-any.whl.metadata": entry("Name: odp-client\n", type="application/octet-stream", cache_control=FOR_EVER),
    ".well-known/security.txt": entry("Contact: mailto:data@example.go.id\n", type="text/plain; charset=utf-8"),
    "service/page.id.html": entry(SHELL.format("id"), type=HTML, **{"class": "internal"}),
    "service/page.en.html": entry(SHELL.format("en"), type=HTML, **{"class": "internal"}),
}


class Form(html.parser.HTMLParser):
    """The forms of a page as a browser would send them, its headings, and every id."""

    def __init__(self, answer):
        super().__init__()
        self.forms, self.headings, self.ids, self.attributes, self.open, self.select = [], [], [], [], None, None
        self.feed(answer.body.decode())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.open = tag
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.attributes += [(tag, name) for name in attrs]
        if tag == "form":
            self.forms.append({"action": attrs["action"], "method": attrs["method"], "fields": {}})
        elif tag in ("input", "textarea") and self.forms:
            self.forms[-1]["fields"][attrs["name"]] = attrs.get("value", "")
        elif tag == "select":
            self.select = attrs["name"]
            self.forms[-1]["fields"][self.select] = None
        elif tag == "option" and (self.forms[-1]["fields"][self.select] is None or "selected" in attrs):
            self.forms[-1]["fields"][self.select] = attrs["value"]
        elif tag in ("h1", "h2"):
            self.headings.append("")

    def handle_data(self, data):
        if self.open in ("h1", "h2"):
            self.headings[-1] += data
        elif self.open == "textarea":
            name = list(self.forms[-1]["fields"])[-1]
            self.forms[-1]["fields"][name] += data.removeprefix("\n")

    def handle_endtag(self, tag):
        self.open = None

    def form(self, end):
        """The one form whose address ends so."""
        found = [f for f in self.forms if f["action"].endswith(end)]
        assert len(found) == 1, (end, self.forms)
        return found[0]


class Case(Servers):
    def portal_site(self, files=None, tiers=None, **members):
        return self.small_site({**PORTAL, **(files or {})}, tiers, **members)

    def post(self, g, path, fields, *headers, base=None, raw=None):
        """A form as a browser sends it."""
        body = raw if raw is not None else urllib.parse.urlencode(fields).encode()
        options = [o for h in (BROWSER, *headers) for o in ("-H", h)]
        file = self.dir / "body"
        file.write_bytes(body)
        return g.curl(path, "-X", "POST", "-H", "Content-Type: application/x-www-form-urlencoded", *options, "--data-binary", f"@{file}", base=base)

    def page(self, answer, status, lang="id", shell=True):
        """Checks what every page of the service has; the page read."""
        self.assertEqual((answer.status, answer.all("content-type")), (status, [HTML]), answer)
        self.assertEqual(answer.all("cache-control"), ["no-store"], answer)
        self.assertEqual((answer.all("referrer-policy"), answer.all("x-content-type-options")), (["no-referrer"], ["nosniff"]), answer)
        self.assertEqual(answer.all("access-control-allow-origin"), [], answer)
        self.assertEqual(len(answer.all("content-security-policy")), 1)
        policy = answer.get("content-security-policy")
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertEqual("default-src" in policy, not shell)  # the shell's own is in its <meta>
        self.assertEqual(answer.get("content-language"), lang)
        text = answer.body.decode()
        self.assertIn(f'<html lang="{lang}"', text)
        self.assertNotRegex(text, r"@(TITLE|CONTENT|ROOT)@")
        read = Form(answer)
        self.assertEqual(len(re.findall("<h1>", text)), 1, text)
        self.assertEqual(len(read.ids), len(set(read.ids)), read.ids)
        self.assertFalse([a for a in read.attributes if a[1] == "style" or a[1].startswith("on")], read.attributes)
        for form in read.forms:
            self.assertEqual(form["method"], "post")
            self.assertEqual(form["fields"]["lang"], lang) if "lang" in form["fields"] else None
        if shell:
            self.assertIn("@portal@ data@example.go.id", text)
        return read

    def key_of(self, answer):
        found = re.findall(r'<pre class="key"[^>]*><code>(odp_live_[0-9A-Za-z]{36})</code>', answer.body.decode())
        self.assertEqual(len(found), 1, answer.body.decode())
        return found[0]

    def check_no_keys(self, *keys):
        """No file below the test's folder has a key, but those that the test itself wrote."""
        for key in keys:
            done = subprocess.run(["grep", "-rlF", key, str(self.dir), "--exclude=body"], capture_output=True, text=True)
            self.assertEqual(done.stdout, "", key[:14])


class Pages(Case):
    def check_pages(self, ask, exact=True):
        """ASK(path, *headers, method=). EXACT: answered by the module, which knows the site's own types, ETags and caching."""
        for path, title in (("/", "Beranda"), ("/en/", "Home"), ("/dokumentasi/", "Dokumentasi"), ("/en/docs/", "Documentation"), ("/daftar.html", "Daftar")):
            answer = ask(path, BROWSER)
            self.assertEqual((answer.status, answer.get("content-type")), (200, HTML), (path, answer))
            self.assertIn(f"<title>{title}</title>", answer.body.decode(), path)
            self.assertEqual((answer.all("x-content-type-options"), answer.all("content-security-policy")), (["nosniff"], [POLICY]), (path, answer))
            self.assertEqual(answer.all("referrer-policy"), ["strict-origin-when-cross-origin"], path)
            self.assertEqual(answer.all("cross-origin-opener-policy"), ["same-origin"], path)
            self.assertEqual(len(answer.all("permissions-policy")), 1, path)
            self.assertEqual(answer.get("cache-control"), "public, max-age=300", path)
            if exact:
                self.assertTrue(answer.get("etag"), path)
                again = ask(path, f"If-None-Match: {answer.get('etag')}")
                self.assertEqual((again.status, again.all("content-security-policy")), (304, [POLICY]), path)
        # A folder without its slash: relative, so that it holds under whatever a server before us takes off.
        for path, to in (("/en", "./en/"), ("/dokumentasi", "./dokumentasi/"), ("/en/docs", "./docs/"), ("/en/docs?x=1&y=%20", "./docs/?x=1&y=%20")):
            for headers in ((), (BROWSER, "Accept-Encoding: gzip, br")):
                answer = ask(path, *headers)
                self.assertEqual((answer.status, answer.all("location")), (308, [to]), (path, answer))
        self.assertEqual(ask("/en/docs", method="HEAD").status, 308)
        css = ask("/assets/" + "0" * 32 + ".css")
        self.assertEqual((css.status, css.get("cache-control")), (200, "public, max-age=31536000, immutable"), css)
        self.assertEqual(css.all("content-security-policy"), [])
        catalog = ask("/.well-known/api-catalog")
        self.assertEqual((catalog.status, catalog.all("content-type")), (200, [LINKSET]), catalog)
        self.assertTrue(ask("/.well-known/security.txt").get("content-type").startswith("text/plain"))
        self.check_nothing_there(ask)
        self.check_explained(ask)
        self.check_packages(ask, exact)

    def check_packages(self, ask, exact):
        """Indexes of pip, npm and Composer, and the packages themselves: npm's clients escape the slash of a scope. Caddy takes /packages for /packages.json."""
        for path in ("/npm/@odp%2fclient", "/npm/@odp%2Fclient", "/npm/%40odp%2Fclient", "/npm/@odp/client"):
            answer = ask(path)
            self.assertEqual((answer.status, answer.all("content-type"), answer.json()), (200, ["application/json"], {"name": "@odp/client"}), (path, answer))
            self.assertEqual(answer.all("cache-control"), ["public, max-age=300"], (path, answer))
        self.assertEqual(ask("/npm/@odp%2fclient", "Accept-Encoding: gzip").get("content-encoding"), "gzip")
        for path in ("/npm/@odp%2fnone", "/npm/@odp", "/npm/", "/npm/@odp%2f..%2f..%2fcontrol", "/p2/odp/client~dev.json", *(("/packages/", "/packages") if exact else ())):
            self.problem(ask(path), 404, "not-found")
        self.assertIn("<title>odp-client</title>", ask("/simple/odp-client/").body.decode())
        self.assertIn("<title>Python packages</title>", ask("/simple/").body.decode())
        answer = ask("/simple/odp-client")
        self.assertEqual((answer.status, answer.all("location")), (308, ["./odp-client/"]))
        for path in ("/packages.json", "/p2/odp/client.json", "/packages/index.json"):
            answer = ask(path)
            self.assertEqual((answer.status, answer.get("content-type").split(";")[0], answer.get("cache-control")), (200, "application/json", "public, max-age=300"), path)
        for path, type_ in (("javascript/odp-client-2.5.0.tgz", "application/gzip"), ("php/odp-client-2.5.0.zip", "application/zip"),
                            ("python/odp_client-2.5.0-py3-none-any.whl", "application/zip"), ("python/odp_client-2.5.0-py3-none-any.whl.metadata", None)):
            answer = ask("/packages/" + path, "Accept-Encoding: gzip, br")
            self.assertEqual((answer.status, answer.all("cache-control"), answer.all("content-encoding")), (200, [FOR_EVER], []), (path, answer))
            self.assertEqual(answer.body, PORTAL["packages/" + path][0])
            if type_ is not None:
                self.assertEqual(answer.get("content-type"), type_, (path, answer))
            part = ask("/packages/" + path, "Range: bytes=1-")
            self.assertEqual((part.status, part.body), (206, PORTAL["packages/" + path][0][1:]), (path, part))

    def check_nothing_there(self, ask):
        for path, headers, title in (("/tidak-ada", (), "Tidak ditemukan"), ("/katalog/x.html", ("Accept-Language: en-GB,en;q=0.9",), "Not found"),
                                     ("/en/x", ("Accept-Language: id",), "Not found"), ("/a/b/c?x=1", ("Accept-Language: fr",), "Tidak ditemukan"),
                                     ("/service/page.id.html", (), "Tidak ditemukan"), ("/service/", (), "Tidak ditemukan"), ("/search/index.json", (), "Tidak ditemukan"),
                                     ("/control", (), "Tidak ditemukan"), ("/v1x", (), "Tidak ditemukan")):
            answer = ask(path, BROWSER, *headers)
            self.assertEqual((answer.status, answer.all("content-type")), (404, [HTML]), (path, answer))
            self.assertIn(f"<title>{title}</title>", answer.body.decode(), path)
            self.assertEqual(answer.all("content-security-policy"), [POLICY], (path, answer))
            self.assertEqual(answer.all("x-content-type-options"), ["nosniff"], (path, answer))
            self.assertNotIn("max-age", answer.get("cache-control", ""), path)
            self.assertIn("Accept", answer.get("vary", ""), path)
        head = ask("/tidak-ada", BROWSER, method="HEAD")
        self.assertEqual((head.status, head.get("content-type"), head.body), (404, HTML, b""))
        # Programs, the API and the service keep problem documents.
        for path, headers in (("/tidak-ada", ()), ("/tidak-ada", ("Accept: */*",)), ("/tidak-ada", ("Accept: application/json, text/html;q=0.5",)), ("/en/x", ("Accept: text/html;q=0",)),
                              ("/service/page.id.html", ()), ("/auth/tidak-ada", (BROWSER,)), ("/api", (BROWSER,)), ("/api/v2/x", (BROWSER,))):
            self.problem(ask(path, *headers), 404, "not-found")
        self.problem(ask("/v1/tidak-ada", BROWSER), 401, "key-missing")

    def check_explained(self, ask):
        for path, headers, to in (("/galat/key-missing", (), "../dokumentasi/galat.html#key-missing"), ("/galat/gone", ("Accept-Language: en",), "../en/docs/errors.html#gone"),
                                  ("/galat/", (), "../dokumentasi/galat.html")):
            answer = ask(path, *headers)
            self.assertEqual((answer.status, answer.all("location")), (308, [to]), (path, answer))
            self.assertIn("Accept-Language", answer.get("vary"))
            where = urllib.parse.urljoin("http://x/portal" + path, to)
            self.assertTrue(where.startswith("http://x/portal/"), where)
            self.assertEqual(ask(urllib.parse.urlsplit(where).path.removeprefix("/portal")).status, 200)
        for path in ("/galat/tidak-ada/x", "/galat/Key-Missing", "/galat/%0d%0aX:y", "/galat/key-missing%23x"):
            self.assertEqual(ask(path).status, 404, path)

    def asking(self, g):
        return lambda path, *headers, method="GET": g.get(path, headers=headers, method=method)

    def twins(self, g):
        """Compressed pages keep their status and headers."""
        answer = g.get("/tidak-ada", headers=(BROWSER, "Accept-Encoding: gzip"))
        self.assertEqual((answer.status, answer.get("content-encoding")), (404, "gzip"))
        self.assertEqual(answer.body, (self.dir / "site/404.html.gz").read_bytes())
        self.assertIn("Accept-Encoding", answer.get("vary"))
        self.assertEqual(answer.all("content-security-policy"), [POLICY])

    def test_by_the_module(self):
        g = self.serve(self.portal_site())
        self.check_pages(self.asking(g))
        self.twins(g)
        self.check_the_log(g)

    def check_the_log(self, g):
        """A page for what is not there is a 404 with its code in log and figures."""
        g.get("/tidak-ada-" + "x" * 9, headers=(BROWSER,))
        text = wait_for("the log", lambda: (t := (g.state / "nginx/access.log").read_text()) and "tidak-ada-xxxxxxxxx" in t and t)
        line = json.loads([row for row in text.splitlines() if "tidak-ada-xxxxxxxxx" in row][0])
        self.assertEqual((line["status"], line["code"]), (404, "not-found"))

    def test_without_the_module(self):
        g = self.serve(self.portal_site(), "--module", "off")
        self.check_pages(self.asking(g), exact=False)

    def test_from_an_origin(self):
        """Bytes come from elsewhere, the page for what is not there from the disk."""
        site = self.portal_site()
        origin = self.serve(site, state="origin")
        g = self.serve(site, "--content", f"proxy={origin.url()}")
        self.check_pages(self.asking(g))

    def test_by_redirects(self):
        """Data are sent elsewhere; the portal, whose forms and scripts must be of one origin, is not."""
        secret = self.dir / "secret"
        secret.write_text("rahasia")
        secret.chmod(0o600)
        site, content = self.portal_site(), f"redirect=secure_link,https://cdn.example/,{secret}"
        g = self.serve(site, "--content", content)
        self.check_pages(self.asking(g))
        answer = g.get("/data/kumuh/latest/kumuh.csv")
        self.assertEqual((answer.status, answer.get("location")[:20]), (302, "https://cdn.example/"))
        self.assertEqual(g.get("/v1/").status, 302)
        # A page that is not on this disk is sent for as everything is (by a gateway that has never seen it: small files stay in memory).
        (site / "daftar.html").unlink()
        other = self.serve(site, "--content", content, state="other")
        self.assertEqual(other.get("/daftar.html").status, 302)

    def test_a_site_without_pages(self):
        """What was before there were any: problem documents, and no way from a type to its page."""
        g = self.serve(self.small_site())
        for path in ("/tidak-ada", "/galat/key-missing", "/en", "/dokumentasi/"):
            self.problem(g.get(path, headers=(BROWSER,)), 404, "not-found")
        # And one whose page is listed and is not there.
        site = gatewaylib.write_site(self.dir / "builds/two", PORTAL, self.gateway_json())
        (site / "404.html").unlink()
        (site / "404.html.gz").unlink()
        gatewaylib.link(self.dir / "site", site)
        wait_for("the new site", lambda: g.get("/galat/key-missing").status == 308)
        self.problem(g.get("/tidak-ada", headers=(BROWSER,)), 404, "not-found")
        self.assertEqual(g.get("/en/tidak-ada", headers=(BROWSER,)).get("content-type"), HTML)

    def test_stock_nginx_with_pages(self):
        g = self.behind(site=self.portal_site(tiers=[("public", 1000, 1000), ("government", None, 100000)]))
        self.nginx(self.recipe("nginx-auth-request/odp.conf", g))
        self.check_pages(self.through(), exact=False)
        self.check_forms_through(g)

    def test_nginx_with_the_module_and_pages(self):
        if not os.path.exists(gatewaylib.MODULE):
            self.skipTest("the module is not built")
        g = self.behind(site=self.portal_site())
        self.nginx(self.recipe("nginx-module/odp.conf", g), f"load_module {gatewaylib.MODULE};", gatewaylib.environment())
        self.check_pages(self.through())
        self.check_forms_through(g)

    def test_caddy_with_pages(self):
        caddy = self.program("caddy")
        g = self.behind(site=self.portal_site())
        home = dict(os.environ, HOME=str(self.dir), XDG_CONFIG_HOME=str(self.dir), XDG_DATA_HOME=str(self.dir))
        self.run_server(caddy, "run", "--adapter", "caddyfile", "--config", self.recipe("caddy/Caddyfile", g), env=home)
        self.check_pages(self.through(), exact=False)
        self.check_forms_through(g)

    def test_haproxy_with_pages(self):
        haproxy = self.program("haproxy")
        g = self.behind(site=self.portal_site())
        self.run_server(haproxy, "-db", "-f", self.recipe("haproxy/haproxy.cfg", g))
        wait_for("the backend", lambda: self.ask("/v1/").status == 200)
        self.check_pages(self.through())
        self.check_forms_through(g)

    def through(self):
        return lambda path, *headers, method="GET": self.ask(path, None, method, *headers)

    def check_forms_through(self, g):
        """A form goes through a server before us as JSON does."""
        base = f"http://127.0.0.1:{self.port}"
        made = self.post(g, "/auth/register", {"name": "Sari", "email": "sari@example.org", "lang": "id"}, base=base)
        self.page(made, 201)
        key = self.key_of(made)
        self.page(self.post(g, "/auth/key/view", {"key": key, "lang": "en"}, base=base), 200, "en")


class Forms(Case):
    TIERS = [("public", 1000, 1000), ("registered", 10000, 20), ("government", None, 100000)]

    def start(self, *options, files=None, **more):
        return self.serve(self.portal_site(files), *options, **more)

    def register(self, g, email="sari@example.org", lang="id"):
        answer = self.post(g, "/auth/register", {"name": "Sari", "email": email, "organisation": "", "purpose": "", "lang": lang})
        self.page(answer, 201, lang)
        return self.key_of(answer)

    def follow(self, g, path, read, end, **fields):
        """Sends the form of a page as a browser would, from the page's address."""
        form = read.form(end)
        to = urllib.parse.urlsplit(urllib.parse.urljoin(g.url(path), form["action"])).path
        return to, self.post(g, to, {**form["fields"], **fields})

    def test_from_registering_to_revoking(self):
        """A browser without scripts, page by page; every form leads to the next."""
        g = self.start()
        made = self.post(g, "/auth/register", {"name": "Sari <b>Dewi</b>", "email": "sari@example.org", "organisation": "BPS", "purpose": "satu\r\ndua", "lang": "id"})
        read = self.page(made, 201)
        key = self.key_of(made)
        self.assertEqual(g.get("/v1/kumuh", key).status, 200)
        curl = re.search(r"<pre data-copy><code>(curl .*?)</code></pre>", made.body.decode()).group(1)
        self.assertIn(key, curl)
        self.assertTrue(html.unescape(curl).endswith('v1/besar"'), curl)  # the first dataset that needs a key
        held = g.run("keys", "show", key[:14], "--json").stdout
        self.assertIn("satu dua", held)
        path, view = self.follow(g, "/auth/register", read, "auth/key/view")
        self.assertEqual(path, "/auth/key/view")
        read = self.page(view, 200)
        self.assertEqual(read.headings[0], "Kunci saya")
        self.assertIn(key[:14] + "…", view.body.decode())
        self.assertIn("<dt>Terpakai hari ini</dt><dd>1</dd>", view.body.decode())
        self.assertEqual(view.body.decode().count(key), 2)  # in the two forms, and nowhere else
        path, asked = self.follow(g, path, read, "auth/key/rotate", grace_hours="0")
        read = self.page(asked, 201)
        new = self.key_of(asked)
        self.assertNotEqual(new, key)
        wait_for("the old key to end", lambda: g.get("/v1/kumuh", key).status == 401)
        path, view = self.follow(g, path, read, "auth/key/view", lang="en")
        read = self.page(view, 200, "en")
        self.assertIn("<dt>Used today</dt>", view.body.decode())
        path, asked = self.follow(g, path, read, "auth/key/revoke")
        read = self.page(asked, 200, "en")
        self.assertEqual(g.get("/v1/kumuh", new).status, 200)
        path, back = self.follow(g, path, read, "auth/key/view")
        self.page(back, 200, "en")
        path, done = self.follow(g, "/auth/key/revoke", read, "auth/key/revoke")
        self.page(done, 200, "en")
        self.assertIn('href="../../en/register.html"', done.body.decode())
        wait_for("the key to end", lambda: g.get("/v1/kumuh", new).status == 401)
        again = self.post(g, "/auth/key/view", {"key": new, "lang": "en"})
        self.assertEqual(self.page(again, 401, "en").form("auth/key/view")["fields"]["key"], new)
        self.assertEqual(g.stop(), 0)
        self.check_no_keys(key, new)

    def test_what_is_wrong_is_named_and_kept(self):
        g = self.start("--registrations", "1000")
        typed = {"name": "Sari & \"Dewi\"", "email": "sari", "organisation": "BPS <Jakarta>", "purpose": "satu\r\n</textarea>dua", "lang": "en"}
        answer = self.post(g, "/auth/register", typed)
        read = self.page(answer, 400, "en")
        self.assertEqual(read.form("auth/register")["fields"], {**typed, "purpose": "satu\n</textarea>dua"})
        self.assertIn('aria-invalid="true"', answer.body.decode())
        self.assertIn("email-error", read.ids)
        path, made = self.follow(g, "/auth/register", read, "auth/register", email="sari@example.org")
        self.page(made, 201, "en")
        gatewaylib.confirm_address(g.state, "sari@example.org")
        self.page(self.post(g, "/auth/register", {**typed, "email": "SARI@example.org"}), 409, "en")
        # JSON is answered as ever.
        self.problem(g.post("/auth/register", {"name": "A", "email": "sari@example.org"}), 409, "email-registered")
        self.assertEqual(g.post("/auth/register", {"name": "A", "email": "b@example.org"}).get("content-type").split(";")[0], "application/json")

    def test_hostile_bodies(self):
        g = self.start("--registrations", "1000")
        good = b"name=A&email=a%40b.id&lang=id"
        for raw, status in ((b"", 400), (b"&" * 16000, 400), (b"=" * 16000, 400), (b"name=%", 400), (b"name=%zz&email=a%40b.id", 400), (b"name=%00&email=a%40b.id", 400),
                            (b"name=\x00&email=a%40b.id", 400), (b"name=\xff&email=a%40b.id", 400), (b"name=%ED%A0%80&email=a%40b.id", 400), (good + b"&name=B", 400),
                            (good + b"&n%61me=A", 400), (good + b"&x=1", 400), (b"name=%E2%80%AEA&email=a%40b.id", 400), (b"name=" + b"x" * 201 + b"&email=a%40b.id", 400),
                            (b"name=A&email=" + b"a" * 250 + b"%40b.id", 400), (b"name=A&email=a%40b.id%0D%0ABcc:+x%40y.id", 400), (b"name=A&email=a%40b.id&" + b"a=&" * 5000, 400),
                            ("name=Ä".encode("utf-16"), 400)):
            self.page(self.post(g, "/auth/register", None, raw=raw), status)
        # Marks of the shell are a text as any other.
        self.assertIn(b'value="@CONTENT@">', self.post(g, "/auth/register", None, raw=b"name=@CONTENT@&email=@ROOT@").body)
        # Larger than any form of ours: nginx refuses it before the service sees it.
        for size in (16385, 70000, 3000000):
            self.assertEqual(self.post(g, "/auth/register", None, raw=b"name=" + b"x" * size).status, 413)
        for kind in ("multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=utf-16", "text/plain"):
            self.problem(g.curl("/auth/register", "-X", "POST", "-H", f"Content-Type: {kind}", "--data-binary", good.decode()), 415, "unsupported-media-type")
        for path in ("/auth/key/view", "/auth/key/rotate", "/auth/key/revoke"):
            for raw in (b"", b"key=", b"key=x", b"key=%00", b"key=a&key=b", b"key=" + b"x" * 9000, b"key=odp_live_" + b"0" * 36 + b"&confirm=yes", b"lang=en&keys=1"):
                self.assertIn(self.post(g, path, None, raw=raw).status, (400, 401), (path, raw))
            self.assertEqual(g.get(path, headers=(BROWSER,)).get("location"), "../../kunci-saya.html")
            self.problem(g.get(path), 405, "method-not-allowed")
            self.problem(g.post(path, {"key": "x"}), 415, "unsupported-media-type")
        self.assertEqual(self.post(g, "/auth/register", None, raw=good).status, 201)
        self.assertEqual(g.get("/v1/").status, 200)

    def test_pages_of_other_sites(self):
        g = self.start()
        key = self.register(g)
        for headers, status in ((("Sec-Fetch-Site: same-origin", "Origin: null"), 200), ((f"Origin: {g.url()}",), 200), (("Origin: null",), 200), (("Sec-Fetch-Site: cross-site",), 403),
                                (("Origin: https://evil.example",), 403), (("Origin: https://evil.example", "Sec-Fetch-Site: cross-site"), 403)):
            self.page(self.post(g, "/auth/key/view", {"key": key, "lang": "id"}, *headers), status)
        for path in ("/auth/key/rotate", "/auth/key/revoke"):
            self.page(self.post(g, path, {"key": key, "lang": "id", "confirm": "yes"} if "revoke" in path else {"key": key, "lang": "id"}, "Sec-Fetch-Site: cross-site"), 403)
        self.assertEqual(g.get("/v1/kumuh", key).status, 200)

    def test_a_shell_of_a_new_site_and_none(self):
        """The shell is the present site's; without one, or with one that is not as control says, pages are plain and work all the same."""
        g = self.start()
        key = self.register(g)
        files = {**PORTAL, "service/page.id.html": entry("<html lang=\"id\"><title>Lain @TITLE@</title>@CONTENT@", type=HTML, **{"class": "internal"}),
                 "service/page.en.html": entry("<p>@CONTENT@@CONTENT@", type=HTML, **{"class": "internal"})}
        gatewaylib.link(self.dir / "site", gatewaylib.write_site(self.dir / "builds/two", files, self.gateway_json()))
        view = lambda lang: self.post(g, "/auth/key/view", {"key": key, "lang": lang})  # noqa: E731
        wait_for("the other shell", lambda: b"<title>Lain Kunci saya</title>" in view("id").body)
        self.page(view("en"), 200, "en", shell=False)
        self.assertIn("service/page.en.html cannot be used", g.log_text())
        third = gatewaylib.write_site(self.dir / "builds/three", files, self.gateway_json())
        (third / "service/page.id.html").write_text("<p>@CONTENT@ diganti")
        gatewaylib.link(self.dir / "site", third)
        wait_for("the plain page", lambda: b"<title>Kunci saya</title>" in view("id").body)
        self.page(view("id"), 200, "id", shell=False)

    def test_keys_are_in_no_log(self):
        """Not of the service, nor nginx's, whatever became of them; and not in an address."""
        for name, options in (("module", ()), ("plain", ("--module", "off"))):
            g = self.serve(self.portal_site() if name == "module" else self.dir / "site", *options, state=f"state-{name}")
            key, unknown = self.register(g, f"{name}@example.org"), gatewaylib.make_key()
            for k in (key, unknown, key[:-1] + "!"):
                self.post(g, "/auth/key/view", {"key": k, "lang": "id"})
            self.post(g, f"/auth/key/view?key={key}", {"lang": "id"})
            self.post(g, "/auth/key/view", {"key": key, "lang": "id"}, f"Referer: {g.url()}/auth/key/view?key={key}")
            self.post(g, "/auth/key/revoke", {"key": key, "confirm": "yes", "lang": "id"})
            self.assertEqual(g.stop(), 0)
            self.check_no_keys(key, unknown, key[9:-1])
        self.assertIn("/auth/key/view", (self.dir / "state-module/nginx/access.log").read_text())

    def test_recovery_by_a_form(self):
        if "thread" in gatewaylib.sanitized():
            self.skipTest("a shell does not start with TSan's runtime in it")
        mails = self.dir / "mails"
        mails.mkdir()
        script = self.dir / "sendmail"
        script.write_text(f"#!/bin/sh\ncat > {mails}/$$.part && mv {mails}/$$.part {mails}/$$.mail\n")
        script.chmod(0o700)
        g = self.start("--sendmail", str(script), "--mail-from", "data@example.go.id")
        answer = self.post(g, "/auth/register", {"name": "Sari", "email": "sari@example.org", "lang": "id"})
        key = self.key_of(answer)
        self.assertIn("Kami mengirim surel", answer.body.decode())

        def token(purpose):
            texts = [email.message_from_bytes(m.read_bytes(), policy=email.policy.default).get_content() for m in mails.glob("*.mail")]
            found = re.findall(rf"auth/{purpose}\?token=([A-Za-z0-9_-]+)", "".join(texts))
            return found[0] if found else None
        link = wait_for("the mail", lambda: token("confirm"))
        shown = g.get(f"/auth/confirm?token={link}", headers=(BROWSER,))
        path, done = self.follow(g, "/auth/confirm", self.page(shown, 200), "auth/confirm")
        self.page(done, 200)
        taken = self.post(g, "/auth/register", {"name": "Sari", "email": "sari@example.org", "lang": "en"})
        path, sent = self.follow(g, "/auth/register", self.page(taken, 409, "en"), "auth/recover")
        self.page(sent, 202, "en")
        link = wait_for("the mail", lambda: token("recover"))
        shown = g.get(f"/auth/recover?token={link}", headers=("Accept-Language: en",))
        path, done = self.follow(g, "/auth/recover", self.page(shown, 200, "en"), "auth/recover/redeem")
        self.assertEqual(path, "/auth/recover/redeem")
        self.page(done, 200, "en")
        new = self.key_of(done)
        self.assertEqual((g.get("/v1/kumuh", new).status, wait_for("the old key to end", lambda: g.get("/v1/kumuh", key).status == 401)), (200, True))
        path, twice = self.follow(g, "/auth/recover", self.page(shown, 200, "en"), "auth/recover/redeem")
        self.page(twice, 400, "en")


class Usage(Case):
    def days(self, g, key):
        """What GET /auth/key and the page say, which must be the same."""
        def usage():
            answer = g.get("/auth/key", key)
            self.assertEqual(answer.status, 200, f"{answer.body[:500]}\n{g.log_text()[-1500:]}")
            return answer.json()["data"][0]["usage"]

        while True:  # counts of other machines may come between two looks
            rows, page = usage(), self.post(g, "/auth/key/view", {"key": key, "lang": "en"}).body.decode()
            if rows == usage():
                break
        shown = re.findall(r'<th scope="row"><time datetime="([\d-]+)">[^<]*</time></th><td class="number">([\d,]+)</td>', page)
        self.assertEqual([(r["date"], r["requests"]) for r in reversed(rows)], [(d, int(n.replace(",", ""))) for d, n in shown])
        self.assertEqual(page.count("<rect "), sum(r["requests"] > 0 for r in rows))
        self.assertEqual(len(rows), 30)
        self.assertEqual([r["date"] for r in rows], sorted({r["date"] for r in rows}))
        return {r["date"]: r["requests"] for r in rows}

    def stored(self, g, count):
        try:
            return wait_for("the flush", lambda: g.counted()[0] == count, 3)
        except AssertionError:
            return False

    def test_by_day(self):
        """The day turns at midnight in the portal's time zone; days without requests are there; the thirty-first goes."""
        env, set_clock = self.clock()
        set_clock("2026-10-20 16:59:50")  # 23:59:50 in Jakarta
        g = self.serve(self.portal_site(tiers=[("public", 1000, 1000)]), env=env)
        key = g.create_key("public")
        for n, (moment, date) in enumerate((("2026-10-20 16:59:5", "2026-10-20"), ("2026-10-20 17:00:0", "2026-10-21"), ("2026-11-18 03:00:0", "2026-11-18"))):
            set_clock(moment + "1")
            wait_for("the day", lambda: date in self.days(g, key))
            for _ in range(n + 2):
                self.assertEqual(g.get("/v1/kumuh", key).status, 200)
            days = wait_for("the counts", lambda: (d := self.days(g, key))[date] == n + 2 and d)
            for second in range(2, 10):  # the clock stands but for us, and counts are written about once a second
                set_clock(moment + str(second))
                if self.stored(g, sum(days.values())):
                    break
            else:
                self.fail(f"the store has {g.counted()} of {days}; {g.log_text()[-800:]}")
        self.assertEqual(len(days), 30)
        self.assertEqual((min(days), max(days)), ("2026-10-20", "2026-11-18"))
        self.assertEqual({d: n for d, n in days.items() if n}, {"2026-10-20": 2, "2026-10-21": 3, "2026-11-18": 4})
        set_clock("2026-11-18 17:00:00")
        days = wait_for("midnight", lambda: (d := self.days(g, key)).get("2026-11-19") == 0 and d)
        self.assertEqual({d: n for d, n in days.items() if n}, {"2026-10-21": 3, "2026-11-18": 4})
        # A key that replaces another is the same account; a restart forgets nothing.
        new = g.post("/auth/rotate", {}, key=key).json()["data"][0]["key"]
        self.assertEqual(self.days(g, new), self.days(g, key))
        self.assertEqual(g.stop(), 0)
        g = self.serve(self.dir / "site", env=env)
        self.assertEqual({d: n for d, n in self.days(g, new).items() if n}, {"2026-10-21": 3, "2026-11-18": 4})

    def test_today_without_a_clock(self):
        g = self.serve(self.portal_site(tiers=[("public", 1000, 1000)]))
        key = g.create_key("public")
        self.assertEqual(set(self.days(g, key).values()), {0})
        for _ in range(3):
            g.get("/v1/kumuh", key)
        days = self.days(g, key)
        self.assertEqual((days[max(days)], sum(days.values())), (3, 3))

    def test_several_machines(self):
        """Forms go through a replica to the writer, and what all machines counted adds up."""
        if not shutil.which("redis-server"):
            self.skipTest("redis-server is not installed")
        path = self.dir / "redis.sock"
        redis = subprocess.Popen(["redis-server", "--port", "0", "--save", "", "--appendonly", "no", "--dir", str(self.dir), "--unixsocket", str(path)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(redis.wait)
        self.addCleanup(redis.kill)
        wait_for("redis-server", path.exists)
        site = self.portal_site(tiers=[("public", 1000, 1000)])
        options = ["--redis", f"unix:{path}", "--registrations", "1000"]
        a = self.serve(site, *options, "--machine", "a", "--trusted-proxy", "127.0.0.1", state="state-a")
        b = self.serve(site, *options, "--machine", "b", "--writer", a.url(), state="state-b")
        made = self.post(b, "/auth/register", {"name": "Sari", "email": "sari@example.org", "lang": "id"})
        self.page(made, 201)
        key = self.key_of(made)
        for g, n in ((a, 3), (b, 4)):
            wait_for("the key to arrive", lambda: g.get("/v1/kumuh", key, headers=[f"If-None-Match: {gatewaylib.control_of(site)['v1/kumuh.json']['etag']}"]).status == 304)
            for _ in range(n):
                self.assertEqual(g.get("/v1/kumuh", key).status, 200)
        wait_for("the counts", lambda: (d := self.days(b, key))[max(d)] == 7 and d)
        # A browser that is too old for Sec-Fetch-Site says the address that it knows, not the writer's.
        self.page(self.post(b, "/auth/key/view", {"key": key, "lang": "id"}, f"Origin: {b.url()}"), 200)
        self.page(self.post(b, "/auth/key/view", {"key": key, "lang": "id"}, "Origin: https://evil.example"), 403)
        self.assertEqual(a.stop(), 0)
        answer = self.post(b, "/auth/key/view", {"key": key, "lang": "id"})
        self.problem(answer, 503, "unavailable")
        self.assertEqual(b.stop(), 0)
        for state in ("state-a", "state-b"):
            self.assertEqual(subprocess.run(["grep", "-rlF", key, str(self.dir / state)], capture_output=True, text=True).stdout, "")


if __name__ == "__main__":
    gatewaylib.main()
