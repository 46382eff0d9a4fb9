/* The scorecard of small catalogues, counted by hand. */
#include "catalog_folder.h"

#include "site/score/scorecard.h"

static void put(const struct folder *f, const char *path, const char *text)
{
    char *json = strdup(text);
    assert_non_null(json);
    for (char *p = json; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    folder_write(f, path, json);
    free(json);
}

#define FIELD(name, type, more) "{'name': '" name "', 'type': '" type "'" more "}"
#define BARE                                                                                                 \
    "{'name': 'a', 'title': 'A', 'odp:formats': ['Excel'], 'odp:frequency': 'UNKNOWN', 'odp:lastUpdate': "   \
    "'2024-03-15', 'resources': "                                                                            \
    "[{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [" FIELD("nama", "string", "") ", " FIELD(         \
        "luas", "number",                                                                                    \
        "") ", " FIELD("kode_satker", "string",                                                              \
                       "") ", " FIELD("tingkat", "string",                                                   \
                                      ", 'categories': ['B', 'R']") ", " FIELD("nik", "string",              \
                                                                               ", "                          \
                                                                               "'sdi:aksesPublik'"           \
                                                                               ": false") "]}}]}"
#define SAID ", 'title': 'T', 'description': 'U', 'sdi:konsep': 'K', 'sdi:definisi': 'D'"
#define FULL                                                                                                 \
    "{'name': 'b', 'title': 'B', 'odp:title': {'id': 'B', 'en': 'B'}, 'odp:description': {'id': 'U', 'en': " \
    "'D'}, 'odp:formats': ['CSV'], "                                                                         \
    "'odp:lastUpdate': '2024-03-15', 'odp:frequency': 'ANNUAL', 'keywords': ['b'], 'sources': [{'title': "   \
    "'s'}], 'odp:spatial': 'Indonesia', "                                                                    \
    "'odp:temporal': {'start': '2023', 'end': '2024'}, 'licenses': [{'name': 'CC-BY-4.0'}], "                \
    "'sdi:produsenData': 'P', 'sdi:walidata': 'W', 'sdi:pembina': 'B', "                                     \
    "'sdi:kodeSDSN': '1', 'contributors': [{'title': 'x', 'roles': ['contactPoint'], 'email': 'a@b.id'}], "  \
    "'resources': [{'name': 'b', 'path': 'b.csv', "                                                          \
    "'odp:foreignKeys': [{'fields': 'kode_kabkota', 'reference': {'dataset': 'references/kabkota', "         \
    "'fields': 'kode'}}], 'schema': {'primaryKey': ['id'], "                                                 \
    "'fields': [" FIELD("id", "string", SAID) ", " FIELD("kode_kabkota", "string", SAID) ", " FIELD(         \
        "luas", "number", SAID ", 'sdi:satuan': 'ha', 'sdi:ukuran': 'Luas'") "]}}]}"
#define LIST                                                                                                 \
    "{'name': 'kabkota', 'title': 'K', 'resources': [{'name': '2025', 'path': 'k.csv', 'odp:editionDate': "  \
    "'2025-01-01', 'schema': {'primaryKey': ['kode'], "                                                      \
    "'fields': [" FIELD("kode", "string", "") "]}}]}"

static void open_folder(struct folder *f)
{
    folder_init(f);
    folder_write(f, "portal.json", PORTAL);
    put(f, "a/dataset.json", BARE);
    put(f, "b/dataset.json", FULL);
    put(f, "references/kabkota/dataset.json", LIST);
    must(odp_diags_new(&f->diags, 10));
    must(odp_catalog_open(&f->catalog, f->dir, f->diags));
}

static const struct odp_score_item *item_of(const struct odp_score *s, enum odp_principle principle,
                                            const char *id)
{
    for (size_t i = 0; i < s->principle[principle].n; i++)
        if (strcmp(s->principle[principle].items[i].id, id) == 0)
            return &s->principle[principle].items[i];
    return NULL;
}

static void assert_item(const struct odp_score *s, enum odp_principle principle, const char *id,
                        uint64_t have, uint64_t need, const char *note)
{
    const struct odp_score_item *item = item_of(s, principle, id);
    assert_non_null(item);
    assert_int_equal(item->have, have);
    assert_int_equal(item->need, need);
    assert_string_equal(odp_text_get(&item->note, ODP_LANG_ID), note);
    assert_false(odp_text_is_empty(&item->label));
    assert_true((*note == '\0') == (*odp_text_get(&item->note, ODP_LANG_EN) == '\0'));
}

TEST(bare)
{
    struct folder f;
    ARENA(a);
    open_folder(&f);
    const struct odp_score *s = odp_score_make(f.catalog, odp_catalog_find(f.catalog, "a"), &a);
    assert_non_null(s);
    /* Four public fields, one number, one with categories; the private one counts nowhere. */
    assert_item(
        s, ODP_PRINCIPLE_STANDARD, "concept", 0, 4,
        "belum: nama:1, luas:1, kode_satker:1, tingkat:1; tambahkan \"sdi:konsep\" pada bidang itu dalam "
        "dataset.json");
    assert_item(
        s, ODP_PRINCIPLE_STANDARD, "definition", 0, 4,
        "belum: nama:1, luas:1, kode_satker:1, tingkat:1; tambahkan \"sdi:definisi\" pada bidang itu dalam "
        "dataset.json");
    assert_item(s, ODP_PRINCIPLE_STANDARD, "classification", 0, 1,
                "belum: tingkat:1; tambahkan \"sdi:klasifikasi\" pada bidang itu dalam dataset.json");
    assert_item(s, ODP_PRINCIPLE_STANDARD, "unit", 0, 1,
                "belum: luas:1; tambahkan \"sdi:satuan\" pada bidang itu dalam dataset.json");
    assert_int_equal(s->principle[ODP_PRINCIPLE_STANDARD].need, 11);
    assert_item(s, ODP_PRINCIPLE_METADATA, "frequency", 0, 1,
                "tambahkan \"odp:frequency\" dalam dataset.json");
    assert_item(s, ODP_PRINCIPLE_METADATA, "updated", 1, 1, "");
    assert_int_equal(s->principle[ODP_PRINCIPLE_METADATA].have, 1);
    assert_int_equal(s->principle[ODP_PRINCIPLE_METADATA].need, 14);
    assert_item(s, ODP_PRINCIPLE_INTEROPERABILITY, "formats", 0, 1,
                "tambahkan \"CSV\" atau \"JSON\" pada \"odp:formats\" dalam dataset.json");
    assert_item(s, ODP_PRINCIPLE_INTEROPERABILITY, "key", 0, 1,
                "tabel a belum: tambahkan \"primaryKey\" pada schema-nya dalam dataset.json");
    assert_item(
        s, ODP_PRINCIPLE_INTEROPERABILITY, "meaning", 0, 1,
        "berbeda: luas:1 (bandingkan dengan b); samakan \"type\" dan \"sdi:satuan\", atau ganti namanya");
    assert_int_equal(s->principle[ODP_PRINCIPLE_INTEROPERABILITY].have, 3);
    assert_int_equal(s->principle[ODP_PRINCIPLE_INTEROPERABILITY].need, 6);
    assert_int_equal(s->principle[ODP_PRINCIPLE_CODES].need, 2);
    assert_item(s, ODP_PRINCIPLE_CODES, "kode_satker", 0, 1,
                "tampak seperti kode, tetapi tidak mengacu pada daftar kode atau data induk: tambahkan "
                "\"odp:foreignKeys\" dalam dataset.json:1");
    assert_null(item_of(s, ODP_PRINCIPLE_CODES, "nama"));
    assert_int_equal(odp_score_total(s), (0 + 7 + 50 + 0) / 4);
    folder_release(&f);
}

TEST(full)
{
    struct folder f;
    ARENA(a);
    open_folder(&f);
    const struct odp_score *s = odp_score_make(f.catalog, odp_catalog_find(f.catalog, "b"), &a);
    assert_non_null(s);
    assert_int_equal(odp_score_percent(&s->principle[ODP_PRINCIPLE_STANDARD]), 100);
    assert_int_equal(odp_score_percent(&s->principle[ODP_PRINCIPLE_METADATA]), 100);
    assert_int_equal(odp_score_percent(&s->principle[ODP_PRINCIPLE_CODES]), 100);
    /* The key is no code that should refer to something. */
    assert_null(item_of(s, ODP_PRINCIPLE_CODES, "id"));
    assert_string_equal(item_of(s, ODP_PRINCIPLE_CODES, "kode_kabkota")->note.in[ODP_LANG_EN],
                        "refers to code list references/kabkota (2025-01-01)");
    /* luas has no unit in the other dataset: 5 of 6. */
    assert_int_equal(odp_score_percent(&s->principle[ODP_PRINCIPLE_INTEROPERABILITY]), 83);
    assert_int_equal(odp_score_total(s), (100 + 100 + 83 + 100) / 4);
    json_t *o = odp_score_json(s);
    assert_int_equal(json_integer_value(json_object_get(o, "percent")), 95);
    assert_int_equal(json_array_size(json_object_get(o, "principles")), ODP_PRINCIPLES);
    json_decref(o);
    folder_release(&f);
}
