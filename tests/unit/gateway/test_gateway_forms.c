/* Forms without scripts, from body to page: how bodies are read, the shell, registering, a key's page,
 * replacing and revoking.
 */
#include "gateway_http_fixture.h"
#include "service/accounts/page_key.h"
#include "service/http/shell.h"

#define FORM "application/x-www-form-urlencoded"
#define SHELL                                                                                                \
    "<!doctype html><html lang=\"%s\"><title>@TITLE@</title><base "                                          \
    "data-root=\"@ROOT@\"><main>@CONTENT@</main>@ @ROOT @@\n"

/* ---- bodies ---- */

static const struct odp_member members[] = {{"name", ODP_FIELD_TEXT, true, 200},
                                            {"email", ODP_FIELD_EMAIL, true, 254},
                                            {"hours", ODP_FIELD_NUMBER, false, 9},
                                            {"sure", ODP_FIELD_BOOL, false, 0}};

static void test_bodies(void **state)
{
    static const struct {
        const char *body, *doc, *guilty; /* doc NULL: refused */
    } cases[] = {
        {"", "{}", NULL},
        {"&&&", "{}", NULL},
        {"name=Sari+Dewi&email=a%40b.id", "{\"email\":\"a@b.id\",\"name\":\"Sari Dewi\"}", NULL},
        {"name=%C3%A9%2B%26%3D", "{\"name\":\"\xc3\xa9+&=\"}", NULL},
        {"n%61me=x", "{\"name\":\"x\"}", NULL},
        {"name", "{\"name\":\"\"}", NULL},
        {"name=a=b", "{\"name\":\"a=b\"}", NULL},
        {"name=satu%0D%0Adua%0D%0A%0D%0A++tiga%09empat", "{\"name\":\"satu dua tiga empat\"}", NULL},
        {"name=a++b", "{\"name\":\"a  b\"}", NULL},
        {"hours=7&sure=on", "{\"hours\":7,\"sure\":true}", NULL},
        {"hours=+&sure=", "{\"hours\":null,\"sure\":false}", NULL},
        {"hours=1e3", "{\"hours\":\"1e3\"}", NULL},
        {"hours=-1", "{\"hours\":\"-1\"}", NULL},
        {"hours=99999999999999999999", "{\"hours\":\"99999999999999999999\"}", NULL},
        {"lang=en&lang=id&lang=%zz&name=x", "{\"name\":\"x\"}", NULL},
        {"other=1", "{\"other\":\"1\"}", NULL},
        {"=x", "{\"\":\"x\"}", NULL},
        {"name=%", NULL, "name"},
        {"name=%4", NULL, "name"},
        {"name=%zz", NULL, "name"},
        {"email=a&name=%00", NULL, "name"},
        {"name=%ff", NULL, "name"},
        {"name=%C3", NULL, "name"},
        {"name=%ED%A0%80", NULL, "name"},
        {"name=a&name=b", NULL, "name"},
        {"name=a&n%61me=a", NULL, "name"},
        {"x=1&x=2", NULL, NULL},
        {"%zz=1", NULL, NULL},
        {"%00=1", NULL, NULL},
        {"name=a&%ff=1", NULL, "name"}, /* the last field that could be read */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *doc = NULL;
        const char *guilty = "";
        enum odp_status st = odp_form_doc(odp_slice_of(cases[i].body), members, 4, &doc, &guilty);
        if (st != (cases[i].doc != NULL ? ODP_OK : ODP_BAD))
            fail_msg("%s: %d", cases[i].body, st);
        if (cases[i].doc != NULL) {
            char *text = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
            assert_string_equal(text, cases[i].doc);
            free(text);
        } else if (i + 1 < sizeof cases / sizeof *cases) {
            assert_true((guilty == NULL) == (cases[i].guilty == NULL));
            if (guilty != NULL)
                assert_string_equal(guilty, cases[i].guilty);
        }
        json_decref(doc);
    }
}

static void test_kept(void **state)
{
    static const struct {
        const char *body, *kept;
    } cases[] = {{"name=a&email=x", "x"},
                 {"email=x&email=y", "x"},
                 {"%zz=1&email=x", "x"},
                 {"email=%zz", ""},
                 {"email=%00", ""},
                 {"email=%ff", ""},
                 {"name=x", ""},
                 {"email=0123456789", "0123456789"},
                 {"email=01234567890", ""},
                 {"email=%3Cb%3E", "<b>"},
                 {"", ""},
                 {"email", ""},
                 {"email=%C3%A9123456789", "\xc3\xa9"
                                           "123456789"}};
    struct odp_buffer out;
    odp_buffer_init(&out);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        odp_form_kept(odp_slice_of(cases[i].body), "email", 10, &out);
        assert_string_equal(odp_buffer_cstr(&out), cases[i].kept);
    }
    odp_buffer_release(&out);
    enum odp_lang lang = ODP_LANG_ID;
    assert_true(odp_form_lang(ODP_LIT("a=b&lang=en"), &lang));
    assert_int_equal(lang, ODP_LANG_EN);
    assert_false(odp_form_lang(ODP_LIT("lang=fr"), &lang));
    assert_false(odp_form_lang(ODP_LIT("lang=EN"), &lang));
    assert_false(odp_form_lang(ODP_LIT(""), &lang));
    assert_int_equal(lang, ODP_LANG_EN);
    assert_true(odp_form_lang(ODP_LIT("lang=id"), &lang));
    assert_int_equal(lang, ODP_LANG_ID);
}

/* ---- the shell ---- */

static void test_shell(void **state)
{
    static const struct {
        const char *text;
        bool ok;
    } cases[] = {{"@CONTENT@", true},  {"a@CONTENT@b@TITLE@", true},  {"", false},
                 {"@TITLE@", false},   {"@CONTENT@@CONTENT@", false}, {"@CONTENT", false},
                 {"@content@", false}, {"\xff@CONTENT@", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(odp_shell_ok(odp_slice_of(cases[i].text)), cases[i].ok);
    char *big = malloc(ODP_SHELL_MAX + 1);
    assert_non_null(big);
    memset(big, 'x', ODP_SHELL_MAX + 1);
    memcpy(big, "@CONTENT@", 9);
    assert_true(odp_shell_ok((struct odp_slice){big, ODP_SHELL_MAX}));
    assert_false(odp_shell_ok((struct odp_slice){big, ODP_SHELL_MAX + 1}));
    free(big);

    /* Inserted text is not scanned again. */
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_shell_fill(&out, ODP_LIT("<@TITLE@>@ROOT@@CONTENT@@ROOT@x@@TITLE@ @TITL"), "<a>@CONTENT@",
                   ODP_LIT("<p>@ROOT@@TITLE@</p>"), "../\"");
    assert_string_equal(
        odp_buffer_cstr(&out),
        "<&lt;a&gt;@CONTENT@>../&quot;<p>@ROOT@@TITLE@</p>../&quot;x@&lt;a&gt;@CONTENT@ @TITL");
    odp_buffer_release(&out);
}

static void test_roots(void **state)
{
    static const struct {
        const char *path, *root;
    } cases[] = {{"/x", ""},
                 {"/auth/register", "../"},
                 {"/auth/key/view", "../../"},
                 {"/a/b/c/d", "../../../"},
                 {"/a/b/c/d/e/f/g", "../../../../"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct odp_call c = {.path = odp_slice_of(cases[i].path)};
        assert_string_equal(odp_page_root(&c), cases[i].root);
    }
}

/* A site of two shells; the service has switched to it. */
static void open_site(struct fixture *f)
{
    char dir[256], path[512], text[ODP_LANGS][512], hex[ODP_LANGS][ODP_SHA256_HEX];
    static const char *const names[] = {"id", "en"};
    struct odp_buffer control;
    const char *why = "";
    (void)snprintf(dir, sizeof dir, "%s/site", f->dir);
    assert_int_equal(mkdir(dir, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/service", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    odp_buffer_init(&control);
    odp_buffer_add_str(
        &control,
        "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n"
        "daftar.html\t\"x\"\ttext/html\t-\tpublic\tactive\t-\t-\tno-cache\t1\t-\n");
    for (int i = ODP_LANGS - 1; i >= 0; i--) {
        uint8_t digest[ODP_SHA256_SIZE];
        int n = snprintf(text[i], sizeof text[i], SHELL, names[i]);
        (void)snprintf(path, sizeof path, "%s/service/page.%s.html", dir, names[i]);
        must(odp_file_put(path, (struct odp_slice){text[i], (size_t)n}, 0644, NULL));
        must(odp_digest_of(text[i], (size_t)n, digest));
        odp_digest_hex(digest, hex[i]);
        odp_buffer_printf(
            &control,
            "service/page.%s.html\t\"%.32s\"\ttext/html\t-\tinternal\tactive\t-\t-\tno-store\t%d\t-\n",
            names[i], hex[i], n);
    }
    odp_buffer_add_str(
        &control,
        "v1/index.json\t\"x\"\ta/b\t-\tpublic\tactive\t-\t-\tno-cache\t1\t-\nv1/kumuh.json\t\"x\"\ta/"
        "b\t-\tkeyed\tactive\t-\t-\tno-cache\t1\t-\n");
    (void)snprintf(path, sizeof path, "%s/control", dir);
    must(odp_file_put(path, odp_buffer_slice(&control), 0644, NULL));
    odp_buffer_release(&control);
    must(odp_web_site(f->s.web, dir, &why));
}

static void test_a_shell_that_is_not_whole(void **state)
{
    struct fixture *f = *state;
    char path[512];
    const char *why = "";
    open_site(f);
    assert_true(f->s.web->shell->text[ODP_LANG_ID].len > 0 && f->s.web->shell->text[ODP_LANG_EN].len > 0);
    assert_string_equal(f->s.web->shell->example, "kumuh");
    /* A file that differs from control is not used; the other stays. */
    (void)snprintf(path, sizeof path, "%s/site/service/page.en.html", f->dir);
    assert_int_equal(unlink(path), 0);
    must(odp_file_put(path, ODP_LIT("<p>@CONTENT@"), 0644, NULL));
    (void)snprintf(path, sizeof path, "%s/site", f->dir);
    odp_control_close(f->s.web->site);
    f->s.web->site = NULL;
    must(odp_web_site(f->s.web, path, &why));
    assert_true(f->s.web->shell->text[ODP_LANG_ID].len > 0);
    assert_int_equal(f->s.web->shell->text[ODP_LANG_EN].len, 0);
}

/* ---- calls ---- */

static int form_from(struct fixture *f, const char *path, const char *body, const char *origin,
                     const char *fetch_site)
{
    struct odp_call c = f->call;
    c.method = ODP_LIT("POST");
    c.path = odp_slice_of(path);
    c.content_type = ODP_LIT(FORM);
    c.body = odp_slice_of(body);
    c.host = ODP_LIT("127.0.0.1:8080");
    c.origin = odp_slice_of(origin);
    c.fetch_site = odp_slice_of(fetch_site);
    return fixture_run(f, &c);
}

static int form(struct fixture *f, const char *path, const char *body)
{
    int status = form_from(f, path, body, "", "");
    char text[512];
    assert_string_equal(f->a.content_type, "text/html; charset=utf-8");
    assert_string_equal(fixture_header(f, "Cache-Control", text), "no-store");
    assert_string_equal(fixture_header(f, "Referrer-Policy", text), "no-referrer");
    assert_string_equal(fixture_header(f, "Access-Control-Allow-Origin", text), "");
    return status;
}

static bool says(struct fixture *f, const char *text)
{
    return strstr(odp_buffer_cstr(&f->a.body), text) != NULL;
}

static void expect(struct fixture *f, const char *text)
{
    if (!says(f, text))
        fail_msg("not there: %s\n%s", text, odp_buffer_cstr(&f->a.body));
}

/* The key that the page shows, in f->key. */
static void take_key(struct fixture *f)
{
    static const char before[] = "<pre class=\"key\" data-copy><code>";
    const char *at = strstr(odp_buffer_cstr(&f->a.body), before);
    assert_non_null(at);
    (void)snprintf(f->key, sizeof f->key, "%s", at + sizeof before - 1);
    assert_true(odp_key_ok(odp_slice_of(f->key)));
}

static void test_registers(void **state)
{
    struct fixture *f = *state;
    char text[512];
    assert_int_equal(form(f, "/auth/register",
                          "name=Sari&email=sari%40example.org&organisation=&purpose=peta%0D%0Akota&lang=id"),
                     201);
    take_key(f);
    expect(f, "<html lang=\"id\">");
    expect(f, "<h1>Kunci API Anda sudah jadi</h1>");
    expect(f, "action=\"../auth/key/view\"");
    expect(f, "curl -H &quot;Authorization: Bearer odp_live_");
    expect(f, "<dd>1.000 permintaan</dd>");
    assert_non_null(
        strstr(fixture_header(f, "Content-Security-Policy", text), "default-src 'none'; style-src 'sha256-"));
    asks(f, "GET", "/auth/key", NULL, f->key, 200, "");
    /* Once: the same form again does not show it. */
    must(odp_store_run(f->s.db, "UPDATE holder SET email_confirmed = 1", ""));
    assert_int_equal(form(f, "/auth/register", "name=Sari&email=SARI%40example.org&lang=id"), 409);
    expect(f, "Alamat surel ini sudah dikonfirmasi dan mempunyai kunci.");
    assert_false(says(f, "odp_live_"));
    assert_false(says(f, "tautan pemulihan ke")); /* this portal sends no mail */
    fixture_sendmail(f);
    assert_int_equal(form(f, "/auth/register", "name=Sari&email=sari%40example.org&lang=en"), 409);
    expect(f, "action=\"../auth/recover\"");
    assert_int_equal(form(f, "/auth/recover", "email=sari%40example.org&lang=en"), 202);
    expect(f, "Check your mail");
}

static void test_a_wrong_field(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        form(f, "/auth/register",
             "name=%3Cscript%3E%22&email=tanpa-at&organisation=BPS&purpose=a%0D%0A%3C/textarea%3E&lang=en"),
        400);
    expect(f, "value=\"&lt;script&gt;&quot;\"");
    expect(f, "aria-invalid=\"true\" value=\"tanpa-at\"");
    expect(f, "id=\"email-error\">E-mail address: is not an e-mail address");
    expect(f, "value=\"BPS\"");
    expect(f, ">\na\n&lt;/textarea&gt;</textarea>");
    expect(f, "name=\"lang\" value=\"en\"");
    assert_false(says(f, "<script>"));
    assert_int_equal(form(f, "/auth/register", "email=a%40b.id&lang=id"), 400);
    expect(f, "id=\"name-error\">Nama wajib diisi.");
    expect(f, "value=\"a@b.id\"");
    assert_int_equal(form(f, "/auth/register", "name=a&email=a%40b.id&purpose=%00&lang=id"), 400);
    expect(f, "id=\"purpose-error\">Isian formulir tidak dapat dibaca");
    assert_int_equal(form(f, "/auth/register", "name=a&name=b&email=a%40b.id"), 400);
    expect(f, "id=\"name-error\">The form cannot be read");
    assert_int_equal(form(f, "/auth/register", "name=a&email=a%40b.id&nama=x"), 400);
    expect(f, "Did you mean name?");
    char big[ODP_BODY_MAX + 32];
    memset(big, 'x', sizeof big);
    memcpy(big, "lang=id&name=", 13);
    big[sizeof big - 1] = '\0';
    assert_int_equal(form(f, "/auth/register", big), 413);
    expect(f, "<h1>The body is too large</h1>");
    memset(big, 'x', 900);
    memcpy(big, "email=a%40b.id&name=", 20);
    big[900] = '\0';
    assert_int_equal(form(f, "/auth/register", big), 400);
    expect(f, "id=\"name-error\">Name: at most 200 characters");
    asks(f, "GET", "/auth/register", NULL, NULL, 405, "");
}

static void test_limits_hold(void **state)
{
    struct fixture *f = *state;
    char text[512];
    f->options.registrations = 1;
    assert_int_equal(form(f, "/auth/register", "name=a&email=a%40b.id&lang=id"), 201);
    assert_int_equal(form(f, "/auth/register", "name=a&email=c%40b.id&lang=id"), 429);
    expect(f, "Terlalu banyak pendaftaran");
    expect(f, "value=\"c@b.id\"");
    assert_true(atoi(fixture_header(f, "Retry-After", text)) > 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(
            form(f, "/auth/key/view", "key=odp_live_000000000000000000000000000000000000&lang=id"), 401);
    f->s.writer = false; /* a machine whose writer is away */
    assert_int_equal(form(f, "/auth/register", "name=a&email=d%40b.id&lang=id"), 503);
    expect(f, "Pendaftaran dan perubahan kunci sedang tidak tersedia");
    f->s.writer = true;
}

/* A body "key=…&REST". */
static const char *with_key(const struct fixture *f, const char *rest)
{
    static char body[256];
    (void)snprintf(body, sizeof body, "key=%s&%s", f->key, rest);
    return body;
}

static void test_a_keys_page(void **state)
{
    struct fixture *f = *state;
    open_site(f);
    fixture_register(f, "sari@example.org");
    assert_int_equal(form(f, "/auth/key/view", with_key(f, "lang=id")), 200);
    expect(f,
           "<html lang=\"id\"><title>Kunci saya</title><base data-root=\"../../\"><main><h1>Kunci saya</h1>");
    expect(f, "</main>@ @ROOT @@");
    expect(f, "<dt>Kuota sehari</dt><dd>1.000</dd>");
    expect(f, "<time datetime=\"2024-03-16T00:00:00+07:00\">16 Maret 2024 pukul 00.00 WIB</time>");
    expect(f, "<dt>Webhook yang boleh didaftarkan</dt><dd>5</dd>");
    expect(f, "belum ada permintaan.");
    expect(f, "action=\"../../auth/key/rotate\"");
    expect(f, "<option value=\"168\" selected>sesudah 7 hari</option>");
    char text[512];
    assert_null(strstr(fixture_header(f, "Content-Security-Policy", text), "default-src"));
    /* As it is pasted. */
    char body[200];
    (void)snprintf(body, sizeof body, "key=+Bearer+%s%%0D%%0A&lang=en", f->key);
    assert_int_equal(form(f, "/auth/key/view", body), 200);
    expect(f, "<html lang=\"en\">");
    expect(f, "<dd>1,000</dd>");
    /* Text that is not a key stays in the field, with what is wrong. */
    assert_int_equal(form(f, "/auth/key/view", "key=odp_live_%3Cb%3E&lang=en"), 401);
    expect(f, "value=\"odp_live_&lt;b&gt;\"");
    expect(f, "check that it was copied whole");
    assert_string_equal(
        fixture_header(f, "WWW-Authenticate", text),
        "Bearer realm=\"odp\", error=\"invalid_token\", error_description=\"This is not an API key\"");
    assert_int_equal(form(f, "/auth/key/view", "key=&lang=id"), 400);
    assert_int_equal(form(f, "/auth/key/view", "lang=id"), 400);
    assert_int_equal(form(f, "/auth/key/view", with_key(f, "key=x")), 400);
    asks(f, "POST", "/auth/key/view", "{'key':'x'}", NULL, 415, "");
    assert_string_equal(fixture_header(f, "Accept-Post", text), FORM);
    /* In an address a key is nothing. */
    (void)snprintf(body, sizeof body, "/auth/key/view?key=%s", f->key);
    struct odp_call c = f->call;
    c.method = ODP_LIT("POST");
    c.path = ODP_LIT("/auth/key/view");
    c.query = odp_slice_of(body + 15);
    c.content_type = ODP_LIT(FORM);
    assert_int_equal(fixture_run(f, &c), 400);
}

static void test_replaces(void **state)
{
    struct fixture *f = *state;
    char old[ODP_KEY_LENGTH + 1];
    fixture_register(f, "sari@example.org");
    memcpy(old, f->key, sizeof old);
    assert_int_equal(form(f, "/auth/key/rotate", with_key(f, "grace_hours=9999&lang=id")), 400);
    assert_int_equal(form(f, "/auth/key/rotate", with_key(f, "grace_hours=x&lang=id")), 400);
    assert_int_equal(form(f, "/auth/key/rotate", with_key(f, "grace_hours=1&lang=id")), 201);
    take_key(f);
    assert_string_not_equal(f->key, old);
    expect(f, "<dt>Kunci lama berlaku sampai</dt><dd><time datetime=\"2024-03-15T10:00:00+07:00\">15 Maret "
              "2024 pukul 10.00 "
              "WIB</time></dd>");
    asks(f, "GET", "/auth/key", NULL, old, 200, "");
    asks(f, "GET", "/auth/key", NULL, f->key, 200, "");
    assert_int_equal(form(f, "/auth/key/rotate", with_key(f, "grace_hours=0&lang=en")), 201);
    take_key(f);
    expect(f, "The old key has stopped working.");
    f->call.now += 3601;
    asks(f, "GET", "/auth/key", NULL, old, 401, "");
    memcpy(f->key, old, sizeof old);
    assert_int_equal(form(f, "/auth/key/rotate", with_key(f, "lang=id")), 401);
}

static void test_revokes(void **state)
{
    struct fixture *f = *state;
    open_site(f);
    fixture_register(f, "sari@example.org");
    assert_int_equal(form(f, "/auth/key/revoke", with_key(f, "lang=id")), 200);
    expect(f, "<h1>Cabut kunci ini?</h1>");
    expect(f, "name=\"confirm\" value=\"yes\"");
    asks(f, "GET", "/auth/key", NULL, f->key, 200, ""); /* asking does nothing */
    assert_int_equal(form(f, "/auth/key/revoke", with_key(f, "confirm=yes&lang=id")), 200);
    expect(f, "<h1>Kunci sudah dicabut</h1>");
    expect(f, "href=\"../../daftar.html\"");
    asks(f, "GET", "/auth/key", NULL, f->key, 401, "");
    assert_int_equal(form(f, "/auth/key/view", with_key(f, "lang=id")), 401);
    expect(f, "Kunci itu sudah dicabut.");
}

static void test_foreign_pages(void **state)
{
    struct fixture *f = *state;
    fixture_register(f, "sari@example.org");
    static const struct {
        const char *origin, *fetch_site;
        int status;
    } cases[] = {
        {"", "", 200},
        {"null", "same-origin", 200},
        {"http://127.0.0.1:8080", "same-origin", 200},
        {"https://other.example", "same-site", 200},
        {"null", "none", 200},
        {"null", "", 200}, /* our own pages, in a browser that knows no Sec-Fetch-Site */
        {"http://127.0.0.1:8080", "", 200},
        {"https://data.example.go.id", "", 200}, /* baseUrl, through a replica */
        {"https://DATA.example.go.id:443", "", 200},
        {"https://evil.example", "", 403},
        {"https://data.example.go.id.evil.example", "", 403},
        {"https://evil.example", "cross-site", 403},
        {"null", "cross-site", 403},
        {"", "Cross-Site", 403},
    };
    static const char *const paths[] = {"/auth/key/view", "/auth/key/rotate", "/auth/key/revoke"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 3; k++) {
            if (cases[i].status == 200 && k == 1)
                continue; /* would replace it */
            int status = form_from(f, paths[k], with_key(f, "lang=en"), cases[i].origin, cases[i].fetch_site);
            if (status != cases[i].status)
                fail_msg("%s %s %s: %d", paths[k], cases[i].origin, cases[i].fetch_site, status);
            if (status == 403) {
                expect(f, "sent by another site");
                assert_false(says(f, f->key));
            }
        }
    /* Registering needs nothing secret. */
    assert_int_equal(
        form_from(f, "/auth/register", "name=a&email=x%40y.id", "https://evil.example", "cross-site"), 201);
}

static void test_without_a_form(void **state)
{
    struct fixture *f = *state;
    char text[512];
    open_site(f);
    f->call.accept = ODP_LIT("text/html,*/*;q=0.8");
    f->call.accept_language = ODP_LIT("id");
    asks(f, "GET", "/auth/register", NULL, NULL, 303, "");
    assert_string_equal(fixture_header(f, "Location", text), "../daftar.html");
    asks(f, "GET", "/auth/key/view", NULL, NULL, 405, ""); /* this site has no such page */
    f->call.accept = ODP_LIT("*/*");
    asks(f, "GET", "/auth/register", NULL, NULL, 405, "");
}

/* ---- the picture ---- */

static const char *text_of(const json_t *v, const char *name)
{
    return json_string_value(json_object_get(json_object_get(v, "usage"), name));
}

static void test_usage(void **state)
{
    uint64_t counts[ODP_USAGE_DAYS] = {[0] = 1, [10] = 1204, [ODP_USAGE_DAYS - 1] = 602};
    const struct odp_call id = {.lang = ODP_LANG_ID}, en = {.lang = ODP_LANG_EN};
    json_t *v = json_object();
    odp_page_usage(v, &id, counts, 19768); /* 2024-02-15 */
    const json_t *bars = json_object_get(json_object_get(v, "usage"), "bars"),
                 *days = json_object_get(json_object_get(v, "usage"), "days");
    assert_string_equal(text_of(v, "from"), "15 Februari 2024");
    assert_string_equal(text_of(v, "to"), "15 Maret 2024");
    assert_string_equal(text_of(v, "sum"), "1.807");
    assert_string_equal(text_of(v, "most"), "1.204");
    assert_string_equal(text_of(v, "most_day"), "25 Februari 2024");
    assert_int_equal(json_array_size(bars), 3); /* a day without requests has none */
    assert_int_equal(json_array_size(days), ODP_USAGE_DAYS);
    assert_string_equal(json_string_value(json_object_get(json_array_get(bars, 0), "height")),
                        "3"); /* one of 1,204 is seen */
    assert_string_equal(json_string_value(json_object_get(json_array_get(bars, 1), "height")), "160");
    assert_true(json_is_true(json_object_get(json_array_get(bars, 2), "today")));
    json_decref(v);
    memset(counts, 0, sizeof counts);
    v = json_object();
    odp_page_usage(v, &en, counts, 19768);
    assert_string_equal(text_of(v, "from"), "15 February 2024");
    assert_null(text_of(v, "sum"));
    json_decref(v);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies), cmocka_unit_test(test_kept),  cmocka_unit_test(test_shell),
        cmocka_unit_test(test_roots),  cmocka_unit_test(test_usage), TEST(test_a_shell_that_is_not_whole),
        TEST(test_registers),          TEST(test_a_wrong_field),     TEST(test_limits_hold),
        TEST(test_a_keys_page),        TEST(test_replaces),          TEST(test_revokes),
        TEST(test_foreign_pages),      TEST(test_without_a_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
