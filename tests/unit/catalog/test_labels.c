/* Names of codes: odp:labels of a code list, the case of names, and which edition a name comes from. */
#include "catalog_folder.h"

#include "catalog/records/code_lists.h"
#include "catalog/records/label_case.h"

#define LIST                                                                                                 \
    "{'name': 'd', 'odp:labels': {'name': 'sebutan', 'case': 'title', 'keep': ['DKI', 'dan']},\n"            \
    "'resources': [" EDITION("2022") ", " EDITION("2025") "]}"
#define EDITION(year)                                                                                        \
    "{'name': '" year "', 'path': 'd.csv', 'odp:editionDate': '" year "-01-01', 'schema': {'fields': "       \
    "[{'name': 'kode', 'type': 'string'}, {'name': 'jenis', 'type': 'string'}, {'name': 'sebutan', 'type': " \
    "'string'}, {'name': 'nama_en', 'type': 'string'}], 'primaryKey': ['kode']}}"
#define DATA                                                                                                 \
    "{'name': 'a', 'title': 'A', 'odp:formats': ['CSV'], 'odp:lastUpdate': '2024-03-15', 'resources': "      \
    "[{'name': 'a', 'path': 'a.csv', 'odp:labels': true, 'schema': {'fields': [{'name': 'x', 'type': "       \
    "'string'}, {'name': 'y', 'type': 'string', 'categories': [{'value': 'P', 'odp:label': {'id': "          \
    "'Putri', 'en': 'Girls'}}]}, {'name': 'z', 'type': 'string'}]}, 'odp:foreignKeys': [{'fields': ['x'], "  \
    "'reference': {'dataset': 'references/d', 'fields': ['kode']}}]}]}"

/* Rows of four cells; NULL: null. */
static void take(struct odp_code_lists *l, const struct odp_resource *r, const char *rows[][4], uint32_t n)
{
    enum { MOST = 8 };
    struct odp_slice text[4][MOST];
    uint8_t state[4][MOST], bad[MOST] = {0};
    struct odp_column columns[4];
    struct odp_batch b = {.resource = r, .nrecords = n, .record_bad = bad, .columns = columns};
    for (uint32_t k = 0; k < 4; k++) {
        columns[k] = (struct odp_column){text[k], state[k]};
        for (uint32_t i = 0; i < n; i++) {
            text[k][i] = odp_slice_of(rows[i][k] != NULL ? rows[i][k] : "");
            state[k][i] = rows[i][k] != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL;
        }
    }
    odp_code_lists_begin(l, r);
    must(odp_code_lists_take(l, &b));
}

static void found(const struct odp_code_lists *l, const struct odp_resource *r, uint32_t field,
                  const char *code, const char *id, const char *en)
{
    struct odp_text t = odp_code_lists_find(l, r, field, odp_slice_of(code));
    assert_string_equal(odp_text_get(&t, ODP_LANG_ID), id);
    assert_string_equal(odp_text_get(&t, ODP_LANG_EN), en);
}

TEST(names_come_from_editions)
{
    static const char *old[][4] = {{"11", NULL, "ACEH", NULL}, {"54", NULL, "TIMOR TIMUR", "East Timor"}};
    static const char *now[][4] = {{"11", NULL, "ACEH DARUSSALAM", NULL}, {"31", NULL, "DKI JAKARTA", NULL}};
    ARENA(arena);
    struct odp_code_lists *l;
    size_t n;
    bool says[ODP_LANGS];
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(&f, "references/d/dataset.json", LIST);
    folder_json(&f, "a/dataset.json", DATA);
    must(folder_open(&f));
    const struct odp_resource *r = &f.catalog->datasets[0].resources[0],
                              *editions = f.catalog->datasets[1].resources;
    must(odp_code_lists_new(&l, f.catalog, &arena));
    take(l, &editions[1], old, 2);
    take(l, &editions[0], now, 2);
    found(l, r, 0, "11", "Aceh Darussalam", "Aceh Darussalam");
    found(l, r, 0, "31", "DKI Jakarta", "DKI Jakarta");
    found(l, r, 0, "54", "Timor Timur", "East Timor"); /* of an edition that is gone */
    found(l, r, 0, "99", "", "");
    found(l, r, 1, "P", "Putri", "Girls");
    found(l, r, 2, "11", "", "");
    const struct odp_code_label *all =
        odp_code_lists_all(l, odp_code_lists_edition(l, &editions[0]), &arena, &n);
    assert_int_equal(n, 3);
    assert_true(odp_slice_is(all[2].code, "54"));
    odp_code_lists_say(l, r, 0, says);
    assert_true(says[ODP_LANG_ID] && !says[ODP_LANG_EN]);
    assert_true(r->schema.fields[0].labelled && r->schema.fields[1].labelled &&
                !r->schema.fields[2].labelled);
    /* Read again, a list is what it is now. */
    take(l, &editions[0], old, 1);
    found(l, r, 0, "31", "", "");
    found(l, r, 0, "11", "Aceh", "Aceh");
    odp_code_lists_free(l);
}

/* A list with more codes than are kept names the first ones. */
TEST(long_lists_are_cut)
{
    enum { ROWS = 8, BATCHES = ODP_CODES_MAX / ROWS + 1 };
    static char text[ROWS][16];
    struct odp_slice code[ROWS], name[ROWS];
    uint8_t ok[ROWS], bad[ROWS] = {0};
    struct odp_column columns[] = {{code, ok}, {name, ok}, {name, ok}, {name, ok}};
    ARENA(arena);
    struct odp_code_lists *l;
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(&f, "references/d/dataset.json", LIST);
    folder_json(&f, "a/dataset.json", DATA);
    must(folder_open(&f));
    const struct odp_resource *r = &f.catalog->datasets[0].resources[0], *list = r->foreign[0].target;
    struct odp_batch b = {.resource = list, .nrecords = ROWS, .record_bad = bad, .columns = columns};
    must(odp_code_lists_new(&l, f.catalog, &arena));
    odp_code_lists_begin(l, list);
    memset(ok, ODP_VALUE_OK, sizeof ok);
    for (int i = 0; i < BATCHES; i++) {
        for (int k = 0; k < ROWS; k++) {
            snprintf(text[k], sizeof text[k], "%d", i * ROWS + k);
            code[k] = odp_slice_of(text[k]);
            name[k] = ODP_LIT("NAMA DAERAH");
        }
        must(odp_code_lists_take(l, &b));
    }
    const struct odp_code_list *kept = odp_code_lists_edition(l, list);
    assert_true(kept->n == ODP_CODES_MAX && !kept->whole);
    found(l, r, 0, "0", "Nama Daerah", "Nama Daerah");
    found(l, r, 0, "99999", "Nama Daerah", "Nama Daerah");
    found(l, r, 0, "100000", "", "");
    odp_code_lists_free(l);
}

TEST(names_are_written_in_their_case)
{
    static const char *const cases[][2] = {
        {"KABUPATEN PENUKAL ABAB LEMATANG ILIR", "Kabupaten Penukal Abab Lematang Ilir"},
        {"DKI JAKARTA", "DKI Jakarta"},
        {"PANGKAJENE DAN KEPULAUAN", "Pangkajene dan Kepulauan"},
        {"TOLI-TOLI (KOTA)", "Toli-Toli (Kota)"},
        {"KECAMATAN II", "Kecamatan II"},
        {"SEKSI XXIX/MIX", "Seksi XXIX/Mix"},
        {"S.H. MA'RUF", "S.H. Ma'ruf"},
        {"RT.03 A1 BLOK", "RT.03 A1 Blok"},
        {"CAFÉ ÉLYSÉE", "Café Élysée"},
        {"Kota BANDUNG", "Kota BANDUNG"},
        {"CAFé BAR", "CAFé BAR"},
        {"日本 TOKYO", "日本 Tokyo"},
        {"", ""},
        {" - ", " - "},
    };
    struct odp_slice words[] = {ODP_LIT("DKI"), ODP_LIT("dan")};
    const struct odp_strings keep = {words, 2};
    ARENA(a);
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        assert_string_equal(odp_label_title(odp_slice_of(cases[i][0]), &keep, &a), cases[i][1]);
}
