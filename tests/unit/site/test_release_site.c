/* A whole small site: what its documents say, and its records read back. */
#include "emit_fixture.h"

#include <jansson.h>

#include "site/versions/names.h"
#include "site/versions/release.h"

struct site {
    struct fixture fx;
    char out[512];
    struct odp_diags *diags;
    struct odp_arena arena;
};

static struct odp_category categories[] = {{S("Ringan"), {{"ringan", "light"}}}, {S("Berat"), {{"", ""}}}};
static struct odp_slice choices[] = {S("1"), S("2")};

/* kode (key), rahasia (not public), luas, tingkat, tanggal, daftar */
static void site_init(struct site *s)
{
    memset(s, 0, sizeof *s);
    struct fixture *fx = &s->fx;
    fx_init(fx);
    fx_path(fx, "site", s->out);
    odp_arena_init(&s->arena);
    must(odp_diags_new(&s->diags, 10));
    fx_field(fx, "kode", ODP_TYPE_STRING)->constraints.required = true;
    fx_field(fx, "rahasia", ODP_TYPE_STRING)->is_public = false;
    struct odp_field *luas = fx_field(fx, "luas", ODP_TYPE_NUMBER);
    luas->decimal.decimal = ',';
    luas->unit = (struct odp_text){{"hektare", "hectare"}};
    luas->constraints.minimum = S("0.010");
    struct odp_field *tingkat = fx_field(fx, "tingkat", ODP_TYPE_STRING);
    tingkat->categories = categories;
    tingkat->ncategories = 2;
    tingkat->categories_ordered = true;
    tingkat->title = (struct odp_text){{"Tingkat", "Level"}};
    fx_field(fx, "tanggal", ODP_TYPE_DATE)->date_pattern = "%d/%m/%Y";
    struct odp_field *daftar = fx_field(fx, "daftar", ODP_TYPE_LIST);
    daftar->constraints.enumeration.item = choices;
    fx_key(fx, 0, -1);
}

static void site_release(struct site *s)
{
    odp_diags_free(s->diags);
    odp_arena_release(&s->arena);
    fx_release(&s->fx);
}
#define SITE(v) OWNED(site, v, site, &v)

static bool any_file(const void *ctx, const struct odp_site_file *f)
{
    return true;
}

enum { COLUMNS = 6, ROWS = 5 };
static const struct odp_slice rows[ROWS * COLUMNS] = {
    S("31.71"),
    S("SANGATRAHASIA"),
    S("12.50"),
    S("Ringan"),
    S("2024-03-15"),
    S("[1,\"]\"]"),
    S("a\"b\\c\n\t\x01"),
    S("SANGATRAHASIA"),
    S("-0.0"),
    NUL,
    NUL,
    NUL,
    S("\xE2\x80\xA8\xF0\x9F\x98\x80 \x7F"),
    S("SANGATRAHASIA"),
    S("123456789012345678901234567890.5"),
    S(""),
    S("0001-01-01"),
    S("[]"),
    S("null"),
    NUL,
    S("1E+5"),
    S("null"),
    NUL,
    S("[{\"a\":[null,\"}\\\"\"]}]"),
    S("}],[{"),
    NUL,
    NUL,
    S(","),
    NUL,
    NUL,
};

/* Publishes ROWS as the site; CARRIED: what the index says of it instead of what was built. */
static void publish(struct site *s, const char **build)
{
    struct odp_stage *stage = NULL;
    struct odp_published_resource resource = {
        .resource = &s->fx.resource,
        .rows = ROWS,
        .crs = "EPSG:32748",
        .crs_operation = "UTM 48S",
        .bbox = {106.1, -6.5, 106.87654321, -6},
        .has_bbox = false,
    };
    struct odp_published published = {
        .dataset = &s->fx.dataset, .version = "2024-03-15", .resources = &resource};
    must(odp_stage_open(&stage, s->out, s->diags));
    s->fx.job.output = odp_stage_output(stage);
    s->fx.catalog.portal.page_records = 2;
    fx_emit(&s->fx, rows, ROWS, 3, NULL);
    memset(resource.logical, 0xab, sizeof resource.logical);
    must(odp_release_schemas(stage, &published));
    must(odp_release_latest(stage, &published));
    json_t *entries = odp_release_entries(stage, &s->fx.catalog, &published, 1);
    must(odp_release_index(stage, &s->fx.catalog, entries));
    json_decref(entries);
    must(odp_stage_manifest(stage, &s->fx.catalog));
    must(odp_stage_switch(stage, 2, &s->arena, build));
    odp_stage_close(stage);
}

static json_t *load(const struct site *s, const char *path)
{
    size_t len;
    char *text = fx_read(&s->fx, path, &len);
    json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(doc);
    free(text);
    return doc;
}

static const json_t *at(const json_t *v, const char *path)
{
    char key[64];
    while (*path != '\0' && v != NULL) {
        size_t n = strcspn(path, "/");
        assert_true(n < sizeof key);
        memcpy(key, path, n);
        key[n] = '\0';
        v = json_is_array(v) ? json_array_get(v, (size_t)strtoul(key, NULL, 10)) : json_object_get(v, key);
        path += n + (path[n] == '/');
    }
    return v;
}

static void expect_str(const json_t *doc, const char *path, const char *want)
{
    const char *got = json_string_value(at(doc, path));
    if (got == NULL)
        fail_msg("no text at %s", path);
    assert_string_equal(got, want);
}

TEST(schema)
{
    const char *build;
    SITE(s);
    publish(&s, &build);
    json_t *doc = load(&s, "site/data/uji/2024-03-15/schema.json");
    expect_str(doc, "fields/0/name", "kode");
    assert_true(json_is_true(at(doc, "fields/0/constraints/required")));
    assert_int_equal(json_array_size(at(doc, "fields")), 5);
    expect_str(doc, "fields/1/name", "luas");
    assert_null(at(doc, "fields/1/decimalChar")); /* the published number has a point */
    assert_true(json_real_value(at(doc, "fields/1/constraints/minimum")) == 0.01);
    expect_str(doc, "fields/1/odp:unit/en", "hectare");
    expect_str(doc, "fields/2/categories/0/value", "Ringan");
    expect_str(doc, "fields/2/categories/0/odp:label/en", "light");
    expect_str(doc, "fields/2/categories/1", "Berat");
    expect_str(doc, "fields/2/title", "Tingkat");
    assert_null(at(doc, "fields/3/format")); /* dates are ISO in what is published */
    expect_str(doc, "fields/4/type", "array");
    expect_str(doc, "primaryKey/0", "kode");
    expect_str(doc, "odp:content", "sha256:abababababababababababababababababababababababababababababababab");
    json_t *latest = load(&s, "site/data/uji/latest.json");
    expect_str(latest, "version", "2024-03-15");
    expect_str(latest, "path", "2024-03-15/");
    char *a = fx_read(&s.fx, "site/data/uji/latest/uji.csv", NULL),
         *b = fx_read(&s.fx, "site/data/uji/2024-03-15/uji.csv", NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
    json_decref(latest);
    json_decref(doc);
}

/* A document's value is published; the folder where the steward keeps the files is not. */
TEST(documents)
{
    static const struct odp_document_spec spec = {.folder = "arsip/dokumen", .pages = 1};
    SITE(s);
    s.fx.fields[3].document = &spec; /* the second is not public */
    json_t *doc = odp_schema_document(&s.fx.resource);
    assert_non_null(doc);
    expect_str(doc, "fields/2/odp:document/mediaType", "application/pdf");
    expect_str(doc, "fields/2/odp:document/description/en",
               "path of a PDF file, relative to the folder of the version: data/<dataset>/<version>/");
    assert_int_equal(json_object_size(at(doc, "fields/2/odp:document")), 2);
    assert_null(at(doc, "fields/1/odp:document"));
    json_decref(doc);
}

TEST(private_keys_are_not_named)
{
    const char *build;
    uint32_t unique_fields[] = {0, 1}, target_fields[] = {1};
    struct odp_key unique = {unique_fields, 2, NULL};
    struct odp_foreign_key foreign = {.local = {target_fields, 1, NULL}, .remote = {target_fields, 1, NULL}};
    SITE(s);
    foreign.target = &s.fx.resource;
    fx_key(&s.fx, 1, -1);
    s.fx.resource.schema.unique = &unique;
    s.fx.resource.schema.nunique = 1;
    s.fx.resource.foreign = &foreign;
    s.fx.resource.nforeign = 1;
    publish(&s, &build);
    json_t *doc = load(&s, "site/data/uji/2024-03-15/schema.json");
    assert_null(at(doc, "primaryKey"));
    assert_null(at(doc, "uniqueKeys"));
    assert_null(at(doc, "foreignKeys"));
    json_decref(doc);
}

TEST(foreign_keys)
{
    const char *build;
    uint32_t zero[] = {0}, two[] = {2};
    struct odp_dataset list = {.slug = "kabkota", .path = "references/kabkota", .reference = true},
                       other = {.slug = "kontraktor"};
    struct odp_resource edition = {.dataset = &list, .name = "kabkota", .edition = "2025", .primary = true},
                        timeline = {.dataset = &other, .name = "lini"};
    struct odp_foreign_key foreign[3] = {0};
    SITE(s);
    edition.schema = timeline.schema = s.fx.resource.schema;
    for (int i = 0; i < 3; i++)
        foreign[i] = (struct odp_foreign_key){
            .local = {zero, 1, NULL},
            .remote = {two, 1, NULL},
            .target = i == 0   ? &s.fx.resource
                      : i == 1 ? &edition
                               : &timeline,
        };
    s.fx.resource.foreign = foreign;
    s.fx.resource.nforeign = 3;
    publish(&s, &build);
    json_t *doc = load(&s, "site/data/uji/2024-03-15/schema.json");
    assert_null(at(doc, "foreignKeys/0/reference/resource")); /* to itself: Data Package v2 leaves it out */
    expect_str(doc, "foreignKeys/0/reference/fields/0", "luas");
    expect_str(doc, "foreignKeys/1/reference/resource", "kontraktor-lini");
    expect_str(doc, "odp:foreignKeys/0/reference/dataset", "references/kabkota");
    expect_str(doc, "odp:foreignKeys/0/reference/resource", "2025");
    json_decref(doc);
}

TEST(index_and_package)
{
    const char *build;
    SITE(s);
    json_t *json = json_pack("{s:s,s:s,s:[s]}", "sdi:produsenData", "Direktorat", "odp:secret", "x",
                             "keywords", "kumuh");
    s.fx.dataset.json = json;
    publish(&s, &build);
    json_t *doc = load(&s, "site/v1/index.json");
    expect_str(doc, "status", "success");
    expect_str(doc, "data/0/slug", "uji");
    expect_str(doc, "data/0/name", "Test data");
    expect_str(doc, "data/0/title/id", "Data uji");
    expect_str(doc, "data/0/formats/3", "Excel");
    expect_str(doc, "data/0/formats/4", "PDF");
    assert_null(at(doc, "data/0/formats_unbuilt"));
    expect_str(doc, "data/0/last_update", "2024-03-15");
    expect_str(doc, "data/0/download/CSV", "../data/uji/2024-03-15/uji.csv");
    expect_str(doc, "data/0/download/JSON", "../data/uji/2024-03-15/uji.json");
    expect_str(doc, "data/0/download/Excel", "../data/uji/2024-03-15/uji.xlsx");
    expect_str(doc, "data/0/download/PDF", "../data/uji/2024-03-15/uji.pdf");
    assert_null(at(doc, "data/0/download/GeoJSON"));
    expect_str(doc, "data/0/api", "uji.json");
    expect_str(doc, "data/0/producer", "Direktorat");
    expect_str(doc, "data/0/sdi:produsenData", "Direktorat");
    expect_str(doc, "data/0/keywords/0", "kumuh");
    expect_str(doc, "data/0/license/name", "CC-BY-4.0");
    assert_null(at(doc, "data/0/odp:secret"));
    assert_int_equal(json_integer_value(at(doc, "data/0/rows")), ROWS);
    assert_int_equal(json_integer_value(at(doc, "data/0/resources/0/pages")), 3);
    assert_int_equal(json_array_size(at(doc, "data/0/resources/0/files")),
                     ODP_FORMAT_FILES - 1); /* no geometry */
    assert_int_equal(json_integer_value(at(doc, "meta/total")), 1);
    expect_str(doc, "meta/last_update", "2024-03-15");
    json_t *package = load(&s, "site/datapackage.json");
    expect_str(package, "resources/0/name", "uji");
    expect_str(package, "resources/0/path", "data/uji/2024-03-15/uji.csv");
    expect_str(package, "resources/0/schema", "data/uji/2024-03-15/schema.json");
    expect_str(package, "resources/1/name", "uji.json");
    expect_str(package, "resources/2/name", "uji.excel.csv");
    expect_str(package, "resources/3/name", "uji.xlsx");
    expect_str(package, "resources/4/name", "uji.pdf");
    /* bytes and hash are those of the file */
    size_t len;
    char *text = fx_read(&s.fx, "site/data/uji/2024-03-15/uji.csv", &len), want[80] = "sha256:";
    uint8_t digest[ODP_SHA256_SIZE];
    must(odp_digest_of(text, len, digest));
    odp_digest_hex(digest, want + 7);
    assert_int_equal(json_integer_value(at(package, "resources/0/bytes")), len);
    expect_str(package, "resources/0/hash", want);
    free(text);
    json_decref(package);
    json_decref(doc);
    json_decref(json);
}

TEST(no_private_value_anywhere)
{
    const char *build;
    size_t n;
    struct odp_site *site = NULL;
    SITE(s);
    publish(&s, &build);
    must(odp_site_open(&site, s.out, s.diags));
    const struct odp_site_file *files = odp_site_files(site, &n);
    assert_true(n > 10);
    for (size_t i = 0; i < n; i++) {
        char path[512];
        size_t len;
        snprintf(path, sizeof path, "site/%s", files[i].path);
        char *text = fx_read(&s.fx, path, &len);
        assert_null(memmem(text, len, "SANGATRAHASIA", 13));
        assert_null(memmem(text, len, "\"rahasia\"", 9));
        free(text);
    }
    odp_site_close(site);
}

/* ---- records read back ---- */

struct walk {
    size_t seen, stop_at;
};

static enum odp_status compare(void *ctx, const struct odp_slice *text)
{
    struct walk *w = ctx;
    assert_true(w->seen < ROWS);
    for (size_t k = 0; k < COLUMNS; k++) {
        struct odp_slice want = k == 1 ? (struct odp_slice){NULL, 0} : rows[w->seen * COLUMNS + k];
        assert_int_equal(text[k].ptr == NULL, want.ptr == NULL);
        assert_int_equal(text[k].len, want.len);
        if (want.len > 0)
            assert_memory_equal(text[k].ptr, want.ptr, want.len);
    }
    w->seen++;
    return w->seen == w->stop_at ? ODP_DONE : ODP_OK;
}

TEST(records)
{
    const char *build;
    struct odp_site *site = NULL;
    struct walk all = {0, 0}, some = {0, 3};
    SITE(s);
    publish(&s, &build);
    must(odp_site_open(&site, s.out, s.diags));
    must(odp_site_records(site, &s.fx.resource, s.diags, &all, compare));
    assert_int_equal(all.seen, ROWS);
    must(odp_site_records(site, &s.fx.resource, s.diags, &some, compare));
    assert_int_equal(some.seen, 3);
    struct odp_dataset other = {.slug = "lain"};
    struct odp_resource absent = s.fx.resource;
    absent.dataset = &other;
    assert_int_equal(odp_site_records(site, &absent, s.diags, &all, compare), ODP_DONE);
    odp_site_close(site);
}

TEST(records_of_a_damaged_file)
{
    const char *build;
    char full[512];
    struct odp_site *site = NULL;
    struct walk w = {0, 0};
    SITE(s);
    publish(&s, &build);
    must(odp_site_open(&site, s.out, s.diags));
    fx_path(&s.fx, "site/data/uji/2024-03-15/uji.json", full);
    assert_int_equal(unlink(full), 0);
    must(odp_file_put(full, ODP_LIT("{\"data\":[],\"meta\":{}}"), 0644, NULL));
    must_refuse(odp_site_records(site, &s.fx.resource, s.diags, &w, compare));
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V03), 1);
    assert_int_equal(w.seen, 0);
    odp_site_close(site);
}

/* What carries over keeps its entry, word for word, and the whole site is the same build. */
TEST(carried_entry)
{
    const char *build, *again;
    struct odp_site *site = NULL;
    struct odp_stage *stage = NULL;
    SITE(s);
    publish(&s, &build);
    must(odp_site_open(&site, s.out, s.diags));
    struct odp_published carried = {.dataset = &s.fx.dataset, .carried = odp_site_entry(site, "uji")};
    assert_non_null(carried.carried);
    must(odp_stage_open(&stage, s.out, s.diags));
    must(odp_stage_carry_if(stage, site, "uji", any_file, NULL, s.diags));
    json_t *entries = odp_release_entries(stage, &s.fx.catalog, &carried, 1);
    must(odp_release_index(stage, &s.fx.catalog, entries));
    json_decref(entries);
    must(odp_stage_manifest(stage, &s.fx.catalog));
    must(odp_stage_switch(stage, 2, &s.arena, &again));
    odp_stage_close(stage);
    assert_string_equal(build, again);
    odp_site_close(site);
}
