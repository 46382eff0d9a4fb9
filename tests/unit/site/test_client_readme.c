/* READMEs of the packages: all marks are filled in, what a catalogue has nothing for is left out, its own words stay words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/arena.h"
#include "site/clients/describe.h"

enum { MANY = 80 };

static struct odp_arena arena;
static struct odp_client_names names;
static struct client_resource resources[2], many_resources[MANY];
static struct client_dataset datasets[2], many[MANY];
static struct client_model model;
static struct odp_buffer out;

static struct odp_text both(const char *id, const char *en)
{
    return (struct odp_text){{id, en}};
}

static int setup(void **state)
{
    (void)state;
    odp_arena_init(&arena);
    odp_buffer_init(&out);
    names = (struct odp_client_names){{"@odp/client", "odp-client", "odp/client"}, {"@odp/client", "odp_client", "Odp\\Client"}};
    resources[0] = (struct client_resource){.name = "air-bersih", .path = "air-bersih", .title = both("Air bersih", "Clean water")};
    resources[1] = (struct client_resource){.name = "timeline", .path = "air-bersih/timeline", .title = both("Linimasa", "Timeline"), .is_timeline = true};
    datasets[0] = (struct client_dataset){.slug = "air-bersih", .title = both("Akses *air* | bersih", "Access to [clean] water"), .resources = resources, .nresources = 2};
    datasets[1] = (struct client_dataset){.slug = "kumuh", .title = both("Peta kumuh", "Slum map"), .resources = resources, .nresources = 1};
    model = (struct client_model){.arena = &arena, .names = &names, .base_url = "https://data.example.go.id/sub/", .release = "2.5.0", .release_date = "2024-03-15",
                                  .title = both("Data @BASE@ kita", "Our _data_"), .publisher = both("Kementerian `A`", "Ministry <b>"), .license_name = "CC-BY-4.0",
                                  .datasets = datasets, .ndatasets = 2,
                                  .sample = {.dataset = &datasets[1], .number = "luas_ha", .text = "tingkat", .value = "Berat", .format = "csv", .timeline = &datasets[0]}};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    return 0;
}

static const char *readme(enum odp_client_language l, enum odp_lang lang)
{
    odp_buffer_clear(&out);
    assert_int_equal(client_readme(&out, &model, l, lang), ODP_OK);
    return odp_buffer_cstr(&out);
}

#define HAS(text, part) assert_non_null(strstr(text, part))
#define HAS_NOT(text, part) assert_null(strstr(text, part))

/* The first mark that stands in TEXT ("@NAME@"), or NULL. */
static const char *mark_in(const char *text)
{
    for (; *text != '\0'; text++) {
        size_t n = *text == '@' ? strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") : 0;
        if (n > 0 && text[n + 1] == '@')
            return text;
    }
    return NULL;
}

static void marks_are_filled_in(void **state)
{
    (void)state;
    model.title = both("Data kita", "Our data");
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            const char *text = readme((enum odp_client_language)l, (enum odp_lang)lang);
            const char *mark = mark_in(text);
            if (mark != NULL)
                print_error("%s: %.40s\n", client_languages[l]->name, mark);
            assert_null(mark);
            HAS(text, names.package[l]);
            HAS(text, "https://data.example.go.id/sub/");
            HAS(text, lang == ODP_LANG_ID ? "## Memasang" : "## Install");
            HAS(text, lang == ODP_LANG_ID ? "## Lisensi" : "## Licence");
            HAS(text, "CC-BY-4.0");
            HAS_NOT(text, "```\n\n\n");
            HAS_NOT(text, "\n\n\n#");
            HAS_NOT(text, "``\n``"); /* no empty code */
            assert_true(out.len > 2 && out.ptr[out.len - 1] == '\n' && out.ptr[out.len - 2] != '\n');
        }
    HAS(readme(ODP_CLIENT_PYTHON, ODP_LANG_EN), "pip install --index-url https://data.example.go.id/sub/simple/ odp-client\n");
    HAS(readme(ODP_CLIENT_JAVASCRIPT, ODP_LANG_EN), "npm install https://data.example.go.id/sub/packages/javascript/odp-client-2.5.0.tgz\n");
    HAS(readme(ODP_CLIENT_PHP, ODP_LANG_EN), "composer config repositories.odp composer https://data.example.go.id/sub/\n");
    HAS(readme(ODP_CLIENT_PHP, ODP_LANG_EN), "https://data.example.go.id/sub/en/docs/php.html");
    HAS(readme(ODP_CLIENT_PHP, ODP_LANG_ID), "https://data.example.go.id/sub/dokumentasi/php.html");
}

static void words_of_the_catalogue_stay_words(void **state)
{
    (void)state;
    const char *text = readme(ODP_CLIENT_PYTHON, ODP_LANG_ID);
    HAS(text, "Data @BASE@ kita"); /* filled in once, never again */
    HAS(text, "Kementerian \\`A\\`");
    HAS(text, "Akses \\*air\\* \\| bersih");
    text = readme(ODP_CLIENT_PYTHON, ODP_LANG_EN);
    HAS(text, "Our \\_data\\_");
    HAS(text, "Ministry \\<b\\>");
    HAS(text, "Access to \\[clean\\] water");
}

static void what_there_is_not_is_left_out(void **state)
{
    (void)state;
    HAS(readme(ODP_CLIENT_PYTHON, ODP_LANG_EN), "## Timeline");
    HAS(readme(ODP_CLIENT_PYTHON, ODP_LANG_EN), ".timeline(");
    model.sample.timeline = NULL;
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        HAS_NOT(readme((enum odp_client_language)l, ODP_LANG_EN), "## Timeline");
    HAS(readme(ODP_CLIENT_PYTHON, ODP_LANG_EN), "## Filter, search, sort");
    model.sample.text = model.sample.value = NULL; /* no closed list */
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        HAS_NOT(readme((enum odp_client_language)l, ODP_LANG_EN), "## Filter, search, sort");
        assert_null(mark_in(readme((enum odp_client_language)l, ODP_LANG_ID) + 100));
    }
    model.license_name = NULL;
    HAS_NOT(readme(ODP_CLIENT_PHP, ODP_LANG_EN), "The data, apart from the library");
    HAS(readme(ODP_CLIENT_PHP, ODP_LANG_EN), "`LICENSE`");
}

static void names_of_the_catalogue(void **state)
{
    (void)state;
    names = (struct odp_client_names){{"pu-data", "pu-data", "kemen/pu-data"}, {"pu-data", "pu_data", "Kemen\\Pu"}};
    const char *text = readme(ODP_CLIENT_JAVASCRIPT, ODP_LANG_EN);
    HAS(text, "# pu-data\n");
    HAS(text, "from \"pu-data\"");
    HAS_NOT(text, "odp/client");
    HAS_NOT(text, "npm config set"); /* a name without a scope has no registry of its own */
    text = readme(ODP_CLIENT_PYTHON, ODP_LANG_EN);
    HAS(text, "from pu_data import ");
    HAS_NOT(text, "odp_client");
    HAS_NOT(text, "odp-client");
    text = readme(ODP_CLIENT_PHP, ODP_LANG_EN);
    HAS(text, "composer require kemen/pu-data\n");
    HAS(text, "Kemen\\Pu\\Client");
    HAS_NOT(text, "Odp\\Client");
}

static void many_datasets_do_not_fill_the_readme(void **state)
{
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        many_resources[i] = resources[0];
        many[i] = (struct client_dataset){.slug = odp_arena_printf(&arena, "nomor%zu", i), .title = both("Nomor", "Number"), .resources = &many_resources[i], .nresources = 1};
    }
    model.datasets = many;
    model.ndatasets = MANY;
    model.sample.dataset = &many[1];
    model.sample.timeline = NULL;
    const char *text = readme(ODP_CLIENT_PYTHON, ODP_LANG_EN);
    HAS(text, "catalog/nomor59.html");
    HAS_NOT(text, "catalog/nomor60.html");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(marks_are_filled_in, setup, teardown),
        cmocka_unit_test_setup_teardown(words_of_the_catalogue_stay_words, setup, teardown),
        cmocka_unit_test_setup_teardown(what_there_is_not_is_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(names_of_the_catalogue, setup, teardown),
        cmocka_unit_test_setup_teardown(many_datasets_do_not_fill_the_readme, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
