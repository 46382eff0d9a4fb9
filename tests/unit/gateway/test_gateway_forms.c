/* Forms: how bodies are read, the frame of pages, the picture on a key's page. What is answered to forms:
 * answers/forms.txt (test_gateway_answers.c). */
#include "gateway_shell_fixture.h"
#include "service/accounts/page_key.h"

/* ---- bodies ---- */

static const struct odp_member members[] = {
    {"name", ODP_FIELD_TEXT, true, 200},
    {"email", ODP_FIELD_EMAIL, true, 254},
    {"hours", ODP_FIELD_NUMBER, false, 9},
    {"sure", ODP_FIELD_BOOL, false, 0},
};

TEST(bodies)
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
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        json_t *doc = NULL;
        const char *guilty = "";
        enum odp_status st = odp_form_doc(odp_slice_of(cases[i].body), members, 4, &doc, &guilty);
        if (st != (cases[i].doc != NULL ? ODP_OK : ODP_BAD))
            fail_msg("%s: %d", cases[i].body, st);
        if (cases[i].doc != NULL) {
            char *text = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
            assert_string_equal(text, cases[i].doc);
            free(text);
        } else if (i + 1 < ODP_COUNT(cases)) {
            assert_true((guilty == NULL) == (cases[i].guilty == NULL));
            if (guilty != NULL)
                assert_string_equal(guilty, cases[i].guilty);
        }
        json_decref(doc);
    }
}

TEST(kept)
{
    static const struct {
        const char *body, *kept;
    } cases[] = {
        {"name=a&email=x", "x"},
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
                                  "123456789"},
    };
    struct odp_buffer out = {0};
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
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

TEST(shell)
{
    static const struct {
        const char *text;
        bool ok;
    } cases[] = {
        {"@CONTENT@", true},  {"a@CONTENT@b@TITLE@", true},  {"", false},
        {"@TITLE@", false},   {"@CONTENT@@CONTENT@", false}, {"@CONTENT", false},
        {"@content@", false}, {"\xff@CONTENT@", false},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        assert_int_equal(odp_shell_ok(odp_slice_of(cases[i].text)), cases[i].ok);
    char *big = malloc(ODP_SHELL_MAX + 1);
    assert_non_null(big);
    memset(big, 'x', ODP_SHELL_MAX + 1);
    memcpy(big, "@CONTENT@", 9);
    assert_true(odp_shell_ok((struct odp_slice){big, ODP_SHELL_MAX}));
    assert_false(odp_shell_ok((struct odp_slice){big, ODP_SHELL_MAX + 1}));
    free(big);

    /* Inserted text is not scanned again. */
    struct odp_buffer out = {0};
    odp_shell_fill(&out, ODP_LIT("<@TITLE@>@ROOT@@CONTENT@@ROOT@x@@TITLE@ @TITL"), "<a>@CONTENT@",
                   ODP_LIT("<p>@ROOT@@TITLE@</p>"), "../\"");
    assert_string_equal(
        odp_buffer_cstr(&out),
        "<&lt;a&gt;@CONTENT@>../&quot;<p>@ROOT@@TITLE@</p>../&quot;x@&lt;a&gt;@CONTENT@ @TITL");
    odp_buffer_release(&out);
}

TEST(roots)
{
    static const struct {
        const char *path, *root;
    } cases[] = {
        {"/x", ""},
        {"/auth/register", "../"},
        {"/auth/key/view", "../../"},
        {"/a/b/c/d", "../../../"},
        {"/a/b/c/d/e/f/g", "../../../../"},
        {"", ""},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        const struct odp_call c = {.path = odp_slice_of(cases[i].path)};
        assert_string_equal(odp_page_root(&c), cases[i].root);
    }
}

TEST(a_shell_that_is_not_whole)
{
    struct fixture *f = *state;
    char path[512];
    const char *why = "";
    open_site(f);
    const struct odp_web_site *site = f->s.web->site.now;
    assert_true(site->shell->text[ODP_LANG_ID].len > 0 && site->shell->text[ODP_LANG_EN].len > 0);
    assert_string_equal(site->shell->example, "kumuh");
    /* A file that differs from control is not used; the other stays. */
    snprintf(path, sizeof path, "%s/site/service/page.en.html", f->dir);
    assert_int_equal(unlink(path), 0);
    must(odp_file_put(path, ODP_LIT("<p>@CONTENT@"), 0644, NULL));
    snprintf(path, sizeof path, "%s/site", f->dir);
    odp_holder_drop(&f->s.web->site, f->s.web->site.now);
    f->s.web->site.now = NULL;
    must(odp_web_site(f->s.web, path, &why));
    site = f->s.web->site.now;
    assert_true(site->shell->text[ODP_LANG_ID].len > 0);
    assert_int_equal(site->shell->text[ODP_LANG_EN].len, 0);
}

/* ---- the picture ---- */

static const char *text_of(const json_t *v, const char *name)
{
    return json_string_value(json_object_get(json_object_get(v, "usage"), name));
}

TEST(usage)
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

EACH(fixture_setup, fixture_teardown)
