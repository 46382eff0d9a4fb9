/* The form of metadata: what is missing, what is posted, and that dataset.json keeps every other byte. */
#include "catalog_folder.h"

#include "base/buffer.h"
#include "base/file_read.h"
#include "metadata/metadata_internal.h"

#define DATASET                                                                                              \
    "{\n"                                                                                                    \
    "  \"name\": \"a\",   \"x\": [1,2],\n"                                                                   \
    "  \"title\": \"Rumah\", \"odp:title\": {\"id\": \"Rumah\", \"en\": \"\"},\n"                            \
    "  \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\",\n"                                    \
    "  \"resources\": [{\"name\": \"a\", \"path\": \"a.csv\", \"schema\": {\"fields\": [\n"                  \
    "    {\"name\": \"kode\", \"type\": \"string\", \"categories\": [\"1\", {\"value\": \"2\"}, "            \
    "\"rusak\"]},\n"                                                                                         \
    "    {\n"                                                                                                \
    "      \"name\": \"luas\",\n"                                                                            \
    "      \"type\": \"number\"\n"                                                                           \
    "    }\n"                                                                                                \
    "  ]}}]\n"                                                                                               \
    "}\n"

static const char portal[] =
    "{\"title\": \"Portal\", \"publisher\": {\"id\": \"Dinas\", \"en\": \"Office\"}, "
    "\"baseUrl\": \"https://data.example.go.id/\"}";

static void open_folder(struct folder *f)
{
    folder_init(f);
    folder_write(f, "portal.json", portal);
    folder_write(f, "a/dataset.json", DATASET);
    must(odp_diags_new(&f->diags, 10));
    must(odp_catalog_open(&f->catalog, f->dir, f->diags));
}

/* The file PATH, until the next call. */
static const char *text_of(const struct folder *f, const char *path)
{
    static struct odp_buffer b;
    char full[512];
    snprintf(full, sizeof full, "%s/%s", f->dir, path);
    odp_buffer_clear(&b);
    must(odp_file_read(full, 1 << 20, &b, NULL));
    return odp_buffer_cstr(&b);
}

/* The value of hidden input NAME of PAGE. */
static void hidden(const char *page, const char *name, char out[80])
{
    char begin[64];
    snprintf(begin, sizeof begin, "name=\"%s\" value=\"", name);
    const char *at = strstr(page, begin);
    assert_non_null(at);
    snprintf(out, 80, "%.*s", (int)strcspn(at + strlen(begin), "\""), at + strlen(begin));
}

static enum odp_status post(const struct folder *f, const char *slug, const char *body,
                            struct odp_buffer *page)
{
    struct odp_metadata_request q = {.catalog = f->catalog, .slug = slug, .token = "t0", .lang = ODP_LANG_EN};
    char digest[80], whole[2000];
    odp_buffer_clear(page);
    must(odp_metadata_page(&q, page));
    hidden(odp_buffer_cstr(page), "digest", digest);
    snprintf(whole, sizeof whole, "token=t0&digest=%s&%s", digest, body);
    odp_buffer_clear(page);
    return odp_metadata_save(&q, odp_slice_of(whole), page);
}

TEST(what_is_missing_is_one_warning)
{
    struct folder f;
    const bool wanted[1] = {true};
    size_t n;
    open_folder(&f);
    must(odp_metadata_warn(f.catalog, wanted, true, f.diags));
    const struct odp_diag_group *const *g = odp_diags_groups(f.diags, &n);
    assert_int_equal(n, 2);
    assert_string_equal(g[0]->examples->diag.message->in[ODP_LANG_ID],
                        "metadata kurang: Uraian; Lisensi; Surel kontak");
    assert_string_equal(
        g[1]->examples->diag.message->in[ODP_LANG_EN],
        "metadata is missing: Title (en); Description; Update frequency; Title of kode, luas; "
        "Meaning of kode, luas; Unit of luas; Meaning of the category of kode=1, kode=2");
    assert_int_equal(odp_metadata_count(f.catalog, &f.catalog->datasets[0]).fields, 2);
    folder_release(&f);
}

TEST(what_is_saved_leaves_every_other_byte)
{
    struct folder f;
    BUFFER(page);
    BUFFER(saved);
    open_folder(&f);
    must(post(
        &f, "a",
        "title.en=Houses&description.id=Baris+pertama%0D%0Abaris%20%22kedua%22&frequency=ANNUAL&a%2Fluas%"
        "2Funit.id=ha"
        "&a/luas/title.id=Luas&a/luas/title.en=Area&a%2Fkode%3D1%2Flabel.id=Baik&a%2Fkode%3D2%2Flabel.en=Bad"
        "&a/kode/title.id=Keadaan&unknown=x",
        &page));
    must(odp_file_read(ODP_TESTS_DIR "/unit/metadata/answers/saved.json", 1 << 16, &saved, NULL));
    assert_string_equal(text_of(&f, "a/dataset.json"), odp_buffer_cstr(&saved));
    /* The catalogue is what it was: the same page again would undo what is there now. */
    must_refuse(post(&f, "a", "title.en=Homes", &page));
    EXPECT(odp_buffer_cstr(&page), "The file has changed");
    EXPECT(odp_buffer_cstr(&page), "value=\"Homes\"");
    folder_release(&f);
}

TEST(what_is_emptied_goes)
{
    struct folder f;
    BUFFER(page);
    open_folder(&f);
    must(post(&f, NULL, "description.id=Data+dinas&license=CC0-1.0&contact-email=data%40example.go.id",
              &page));
    assert_string_equal(
        text_of(&f, "portal.json"),
        "{\"title\": \"Portal\", \"publisher\": {\"id\": \"Dinas\", \"en\": \"Office\"}, \"baseUrl\": "
        "\"https://data.example.go.id/\", \"description\": \"Data dinas\", \"license\": {\"name\": "
        "\"CC0-1.0\"}, \"contact\": {\"email\": \"data@example.go.id\"}}");
    folder_write(&f, "portal.json", portal);
    must(post(&f, NULL, "publisher.en=", &page));
    EXPECT(text_of(&f, "portal.json"), "\"publisher\": {\"id\": \"Dinas\", \"en\": \"\"}");
    folder_write(&f, "a/dataset.json", DATASET);
    must(post(&f, "a", "updated=", &page));
    EXPECT(text_of(&f, "a/dataset.json"), "\"odp:formats\": [\"CSV\"],\n  \"resources\"");
    folder_release(&f);
}

TEST(what_does_not_fit_is_said_next_to_it)
{
    struct folder f;
    BUFFER(page);
    open_folder(&f);
    must_refuse(post(&f, "a", "title.id=&title.en=&updated=15+Maret+2024&frequency=often&a/luas/title.id=%FF",
                     &page));
    const char *html = odp_buffer_cstr(&page);
    EXPECT(html, "value=\"15 Maret 2024\" size=\"12\" spellcheck=\"false\" "
                 "aria-describedby=\"m4-0-fault\" aria-invalid=\"true\"");
    EXPECT(html, "<p class=\"fault\" id=\"m4-0-fault\">write year-month-day: 2024-03-15</p>");
    EXPECT(html, "choose one of the list");
    EXPECT(html, "needed, in one language at least");
    EXPECT(html, "luas: Title</a>: it has characters that are no text");
    assert_string_equal(text_of(&f, "a/dataset.json"), DATASET);
    must_refuse(post(&f, NULL, "contact-email=nobody&license-address=javascript:alert(1)", &page));
    EXPECT(odp_buffer_cstr(&page), "not an e-mail address");
    EXPECT(odp_buffer_cstr(&page), "must begin with https://");
    folder_release(&f);
}

TEST(what_is_typed_is_text)
{
    struct folder f;
    BUFFER(page);
    struct odp_metadata_request q = {.catalog = NULL, .slug = "a", .token = "t0", .lang = ODP_LANG_ID};
    open_folder(&f);
    q.catalog = f.catalog;
    static const char hostile[] =
        "token=wrong&digest=&title.id=%22%3E%3Cscript%3E&description.id=%3C/textarea%3E&%&=&&a=%0";
    must_refuse(odp_metadata_save(&q, odp_slice_of(hostile), &page));
    EXPECT(odp_buffer_cstr(&page), "value=\"&quot;&gt;&lt;script&gt;\"");
    EXPECT(odp_buffer_cstr(&page), "!", "<script");
    EXPECT(odp_buffer_cstr(&page), "&lt;/textarea&gt;");
    assert_string_equal(text_of(&f, "a/dataset.json"), DATASET);
    q.slug = "../a";
    odp_buffer_clear(&page);
    must_refuse(odp_metadata_page(&q, &page));
    folder_release(&f);
}

/* Every way to write an object keeps its way. */
TEST(edits_keep_the_form)
{
    static const struct {
        const char *before, *key, *after, *value, *text;
    } cases[] = {
        {"{}", "a", NULL, "1", "{\"a\": 1}"},
        {"{ }", "a", NULL, "1", "{\"a\": 1 }"},
        {"{\"b\":2}", "a", NULL, "1", "{\"b\":2, \"a\": 1}"},
        {"{\"b\":2,\"c\":3}", "a", "b", "1", "{\"b\":2, \"a\": 1,\"c\":3}"},
        {"{\r\n\t\"b\": \"x:\\\"\"\r\n}", "a", NULL, "{\"id\": \"é\"}",
         "{\r\n\t\"b\": \"x:\\\"\",\r\n\t\"a\": {\"id\": \"é\"}\r\n}"},
        {"{\"a\": 1, \"b\": 2}", "a", NULL, NULL, "{ \"b\": 2}"},
        {"{\"a\": 1, \"b\" : {\"a\": 5}}", "b", NULL, NULL, "{\"a\": 1}"},
        {"{\"a\": 1}", "a", NULL, NULL, "{}"},
        {"{\"a\":\n 1}", "a", NULL, "[2]", "{\"a\":\n [2]}"},
        {"{\"b\": {\"a\": 1}}", "a", NULL, "2", "{\"b\": {\"a\": 1}, \"a\": 2}"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct edit e = {.tree = json_loads(cases[i].before, 0, NULL)};
        odp_buffer_add_str(&e.text, cases[i].before);
        edit_set(&e, "", cases[i].key, cases[i].after,
                 cases[i].value != NULL ? json_loads(cases[i].value, JSON_DECODE_ANY, NULL) : NULL);
        assert_string_equal(odp_buffer_cstr(&e.text), cases[i].text);
        assert_true(edit_holds(&e));
        json_decref(e.tree);
        odp_buffer_release(&e.text);
    }
}
