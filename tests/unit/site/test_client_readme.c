/* READMEs of the packages: all marks are filled in, what a catalogue has nothing for is left out, its own
 * words stay words. */
#include "run.h"

#include "base/arena.h"
#include "base/diag.h"
#include "site/clients/clients_internal.h"

enum { MANY = 80 };

static struct odp_arena arena;
static struct odp_diags *diags;
static struct client_model model;
static struct odp_buffer out;

#define FIELDS                                                                                               \
    "\"fields\": [{\"name\": \"luas_ha\", \"type\": 1, \"item\": 15, \"title\": {}, \"values\": []},"        \
    "{\"name\": \"tingkat\", \"type\": 0, \"item\": 15, \"title\": {}, \"values\": [\"Berat\"]}], \"key\": " \
    "[\"tingkat\"], \"queryables\": [], \"formats\": [\"csv\"]"
static const char catalogue[] =
    "{\"title\": {\"id\": \"Data @BASE@ kita\", \"en\": \"Our _data_\"}, \"publisher\": {\"id\": "
    "\"Kementerian `A`\", \"en\": \"Ministry <b>\"}, \"license\": \"CC-BY-4.0\",\"datasets\": [{\"slug\": "
    "\"air-bersih\", \"title\": {\"id\": \"Akses *air* | bersih\", \"en\": \"Access to [clean] water\"}, "
    "\"resources\": [{\"name\": \"air-bersih\", \"path\": \"air-bersih\", \"title\": {\"en\": \"Clean "
    "water\"}, \"fields\": [], \"key\": [], \"queryables\": [], \"formats\": []},{\"name\": \"timeline\", "
    "\"path\": \"air-bersih/timeline\", \"timeline\": true, \"title\": {\"en\": \"Timeline\"}, \"fields\": "
    "[], \"key\": [], \"queryables\": [], \"formats\": []}]},{\"slug\": \"kumuh\", \"title\": {\"id\": "
    "\"Peta kumuh\", \"en\": \"Slum map\"}, \"resources\": [{\"name\": \"kumuh\", \"path\": \"kumuh\", "
    "\"title\": {\"en\": \"Slum map\"}, " FIELDS "}]}]}";

static void make(const char *json, struct odp_client_names names)
{
    client_model_release(&model);
    model = (struct client_model){
        .arena = &arena,
        .names = names,
        .base_url = "https://data.example.go.id/sub/",
        .release = "2.5.0",
        .release_date = "2024-03-15",
        .json = json_loads(json, 0, NULL),
    };
    assert_non_null(model.json);
    if (client_model_finish(&model, diags) != ODP_OK)
        fail_msg("%s", odp_failure_text());
}

static const struct odp_client_names usual = {{"@odp/client", "odp-client", "odp/client"},
                                              {"@odp/client", "odp_client", "Odp\\Client"}};

static int setup(void **state)
{
    odp_arena_init(&arena);
    odp_buffer_init(&out);
    must(odp_diags_new(&diags, 10));
    make(catalogue, usual);
    return 0;
}

static int teardown(void **state)
{
    client_model_release(&model);
    odp_diags_free(diags);
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    return 0;
}

static const char *readme(enum odp_client_language l, enum odp_lang lang)
{
    odp_buffer_clear(&out);
    must(client_readme(&out, &model, l, lang));
    return odp_buffer_cstr(&out);
}

/* The first mark in TEXT ("@NAME@"), or NULL. */
static const char *mark_in(const char *text)
{
    for (; *text != '\0'; text++) {
        size_t n = *text == '@' ? strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") : 0;
        if (n > 0 && text[n + 1] == '@')
            return text;
    }
    return NULL;
}

TEST(marks_are_filled_in)
{
    (void)json_object_set_new(model.json, "title",
                              json_pack("{s:s, s:s}", "id", "Data kita", "en", "Our data"));
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            const char *text = readme((enum odp_client_language)l, (enum odp_lang)lang);
            const char *mark = mark_in(text);
            if (mark != NULL)
                print_error("%s: %.40s\n", client_languages[l].name, mark);
            assert_null(mark);
            EXPECT(text, usual.package[l], "https://data.example.go.id/sub/",
                   lang == ODP_LANG_ID ? "## Memasang" : "## Install",
                   lang == ODP_LANG_ID ? "## Lisensi" : "## Licence", "CC-BY-4.0", "!", "```\n\n\n",
                   "\n\n\n#", "``\n``" /* no empty code */);
            assert_true(out.len > 2 && out.ptr[out.len - 1] == '\n' && out.ptr[out.len - 2] != '\n');
        }
    EXPECT(readme(ODP_CLIENT_PYTHON, ODP_LANG_EN),
           "pip install --index-url https://data.example.go.id/sub/simple/ odp-client\n");
    EXPECT(readme(ODP_CLIENT_JAVASCRIPT, ODP_LANG_EN),
           "npm install https://data.example.go.id/sub/packages/javascript/odp-client-2.5.0.tgz\n");
    EXPECT(readme(ODP_CLIENT_PHP, ODP_LANG_EN),
           "composer config repositories.odp composer https://data.example.go.id/sub/\n",
           "https://data.example.go.id/sub/en/docs/php.html");
    EXPECT(readme(ODP_CLIENT_PHP, ODP_LANG_ID), "https://data.example.go.id/sub/dokumentasi/php.html");
}

TEST(words_of_the_catalogue_stay_words)
{
    const char *text = readme(ODP_CLIENT_PYTHON, ODP_LANG_ID);
    EXPECT(text, "Data @BASE@ kita" /* filled in once, never again */, "Kementerian \\`A\\`",
           "Akses \\*air\\* \\| bersih");
    text = readme(ODP_CLIENT_PYTHON, ODP_LANG_EN);
    EXPECT(text, "Our \\_data\\_", "Ministry \\<b\\>", "Access to \\[clean\\] water");
}

TEST(what_there_is_not_is_left_out)
{
    EXPECT(readme(ODP_CLIENT_PYTHON, ODP_LANG_EN), "## Timeline", ".timeline(");
    model.sample.timeline = NO_DATASET;
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        EXPECT(readme((enum odp_client_language)l, ODP_LANG_EN), "!", "## Timeline");
    EXPECT(readme(ODP_CLIENT_PYTHON, ODP_LANG_EN), "## Filter, search, sort");
    model.sample.text = model.sample.value = NULL; /* no closed list */
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        EXPECT(readme((enum odp_client_language)l, ODP_LANG_EN), "!", "## Filter, search, sort");
        assert_null(mark_in(readme((enum odp_client_language)l, ODP_LANG_ID) + 100));
    }
    (void)json_object_set_new(model.json, "license", json_string(""));
    EXPECT(readme(ODP_CLIENT_PHP, ODP_LANG_EN), "`LICENSE`", "!", "The data, apart from the library");
}

TEST(names_of_the_catalogue)
{
    make(catalogue, (struct odp_client_names){{"pu-data", "pu-data", "kemen/pu-data"},
                                              {"pu-data", "pu_data", "Kemen\\Pu"}});
    const char *text = readme(ODP_CLIENT_JAVASCRIPT, ODP_LANG_EN);
    /* and a name without a scope has no separate registry */
    EXPECT(text, "# pu-data\n", "from \"pu-data\"", "!", "odp/client", "npm config set");
    text = readme(ODP_CLIENT_PYTHON, ODP_LANG_EN);
    EXPECT(text, "from pu_data import ", "!", "odp_client", "odp-client");
    text = readme(ODP_CLIENT_PHP, ODP_LANG_EN);
    EXPECT(text, "composer require kemen/pu-data\n", "Kemen\\Pu\\Client", "!", "Odp\\Client");
}

TEST(many_datasets_do_not_fill_the_readme)
{
    struct odp_buffer many = {0};
    odp_buffer_add_str(&many, "{\"title\": {}, \"publisher\": {}, \"datasets\": [");
    for (size_t i = 0; i < MANY; i++)
        odp_buffer_printf(
            &many,
            "%s{\"slug\": \"nomor%zu\", \"title\": {\"id\": \"Nomor\", \"en\": \"Number\"}, \"resources\": "
            "[{\"name\": \"nomor%zu\", \"path\": \"nomor%zu\", \"title\": {}, " FIELDS "}]}",
            i > 0 ? "," : "", i, i, i);
    odp_buffer_add_str(&many, "]}");
    make(odp_buffer_cstr(&many), usual);
    odp_buffer_release(&many);
    const char *text = readme(ODP_CLIENT_PYTHON, ODP_LANG_EN);
    EXPECT(text, "catalog/nomor59.html", "!", "catalog/nomor60.html");
}

EACH(setup, teardown)
