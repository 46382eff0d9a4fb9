/* Places by way of records: which keys lead to them, and what is known of the records. */
#include "catalog_folder.h"

#include "catalog/records/row_places.h"

#define LIST(name, keys)                                                                                     \
    "{'name': '" name "', 'title': 'L', 'odp:places': true, 'resources': [{'name': '2025', 'path': "         \
    "'2025.csv', 'odp:editionDate': '2025-01-01', 'schema': {'fields': [{'name': 'kode', 'type': "           \
    "'string'}, {'name': 'atas', 'type': 'string'}, {'name': 'nama', 'type': 'string'}], 'primaryKey': "     \
    "['kode']}" keys "}]}"
#define TABLE(name, more, keys)                                                                              \
    "{'name': '" name "', 'title': 'T', 'odp:formats': ['CSV'], 'odp:lastUpdate': '2024-03-15'" more ", "    \
    "'resources': [{'name': '" name "', 'path': 't.csv', 'schema': {'fields': [{'name': 'id', 'type': "      \
    "'string'}, {'name': 'ke', 'type': 'string'}, {'name': 'kode', 'type': 'string'}, {'name': 'rahasia', "  \
    "'type': 'string', 'sdi:aksesPublik': false}], 'primaryKey': ['id']}, 'odp:foreignKeys': [" keys "]}]}"
#define KEY(field, to, there)                                                                                \
    "{'fields': ['" field "'], 'reference': {'dataset': '" to "', 'fields': ['" there "']}}"
#define TO_PLACE    KEY("kode", "references/kabkota", "kode")
#define TO_PROVINCE KEY("kode", "references/provinsi", "kode")

static const char *const tables[][2] = {
    {"proyek", TABLE("proyek", "", TO_PLACE)},
    {"risiko", TABLE("risiko", "", KEY("ke", "proyek", "id"))},
    {"jauh", TABLE("jauh", "", KEY("ke", "risiko", "id"))},                        /* two steps */
    {"sendiri", TABLE("sendiri", "", KEY("ke", "proyek", "id") ", " TO_PROVINCE)}, /* it has places */
    {"tertutup", TABLE("tertutup", "", KEY("rahasia", "proyek", "id"))},           /* nobody may know which */
    {"konsep", TABLE("konsep", ", 'odp:status': 'draft'", TO_PLACE)},
    {"awal", TABLE("awal", "", KEY("ke", "konsep", "id"))}, /* nothing is published of it */
    {"luas", TABLE("luas", "", TO_PROVINCE)},
    {"halus", TABLE("halus", "", KEY("id", "luas", "id") ", " KEY("ke", "proyek", "id"))}, /* the finer */
    {"ayam", TABLE("ayam", "", KEY("ke", "telur", "id") ", " KEY("id", "luas", "id"))},    /* round a cycle */
    {"telur", TABLE("telur", "", KEY("ke", "ayam", "id"))},
};

static const struct odp_resource *table(const struct folder *f, const char *slug)
{
    return &odp_catalog_find(f->catalog, slug)->resources[0];
}

static void open_tables(struct folder *f)
{
    char path[64];
    folder_init(f);
    folder_write(f, "portal.json", PORTAL);
    folder_json(f, "references/provinsi/dataset.json", LIST("provinsi", ""));
    folder_json(f, "references/kabkota/dataset.json",
                LIST("kabkota", ", 'odp:foreignKeys': [" KEY("atas", "references/provinsi", "kode") "]"));
    for (size_t i = 0; i < ODP_COUNT(tables); i++) {
        snprintf(path, sizeof path, "%s/dataset.json", tables[i][0]);
        folder_json(f, path, tables[i][1]);
    }
    folder_open(f);
    assert_non_null(f->catalog);
}

static const char *through(const struct folder *f, const char *slug)
{
    const struct odp_foreign_key *key = odp_place_through(table(f, slug));
    return key != NULL ? key->target->dataset->slug : "";
}

TEST(keys_lead_to_records_with_places)
{
    static const char *const expected[][2] = {
        {"proyek", ""}, {"risiko", "proyek"}, {"jauh", ""},     {"sendiri", ""}, {"tertutup", ""},
        {"awal", ""},   {"halus", "proyek"},  {"ayam", "luas"}, {"telur", ""},
    };
    struct folder f;
    open_tables(&f);
    for (size_t i = 0; i < ODP_COUNT(expected); i++)
        assert_string_equal(through(&f, expected[i][0]), expected[i][1]);
    assert_string_equal(odp_place_of(table(&f, "risiko"))->target->dataset->slug, "kabkota");
    assert_string_equal(odp_place_of(table(&f, "sendiri"))->target->dataset->slug, "provinsi");
    assert_null(odp_place_of(table(&f, "jauh")));
    folder_release(&f);
}

static void add(struct odp_row_places *p, const struct odp_resource *r, const char *id, const char *code)
{
    const struct odp_slice row[4] = {
        odp_slice_of(id), {NULL, 0}, code != NULL ? odp_slice_of(code) : (struct odp_slice){NULL, 0}};
    must(odp_row_places_add(p, r, row));
}

static void expect(const struct odp_row_places *p, const struct odp_foreign_key *key, const char *id,
                   const char *code)
{
    const struct odp_slice found = odp_row_places_find(p, key, odp_slice_of(id));
    assert_true(code != NULL ? odp_slice_is(found, code) : found.ptr == NULL);
}

TEST(records_have_places)
{
    struct folder f;
    ARENA(arena);
    struct odp_row_places *p;
    char id[16];
    open_tables(&f);
    must(odp_row_places_new(&p, f.catalog, &arena));
    const struct odp_resource *projects = table(&f, "proyek");
    const struct odp_foreign_key *key = odp_place_through(table(&f, "risiko"));
    for (int time = 0; time < 2; time++) { /* read again: what was known is gone */
        odp_row_places_begin(p, projects);
        add(p, projects, "P-1", time == 0 ? "32.73" : "31.71");
        add(p, projects, "P-2", NULL);
        add(p, projects, "P-1", "11.01"); /* a key that is there already */
        add(p, table(&f, "risiko"), "P-3", "11.01");
        expect(p, key, "P-1", time == 0 ? "32.73" : "31.71");
        expect(p, key, "P-2", NULL);
        expect(p, key, "P-3", NULL);
        assert_true(odp_row_places_whole(p, key));
    }
    for (int i = 0; i <= ODP_ROW_PLACES_MAX; i++) {
        snprintf(id, sizeof id, "%d", i);
        add(p, projects, id, "32.73");
    }
    assert_false(odp_row_places_whole(p, key)); /* rather none than some of them */
    expect(p, key, "1", NULL);
    expect(NULL, key, "1", NULL);
    odp_row_places_free(p);
    folder_release(&f);
}
