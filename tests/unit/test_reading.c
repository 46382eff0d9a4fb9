/* Published files read back: what the emitters wrote comes out again, in all forms, with the digest of the batches; and no
 * damage is read as a whole file. */
#include "emit_fixture.h"

#include <fcntl.h>
#include <jansson.h>

#include "diff/reading.h"

/* ---- a schema as build/release/schema.c writes it
 * ---------------------------------------------------------------------------- */

static json_t *names_of(const struct odp_schema *s, const struct odp_key *key)
{
    json_t *names = json_array();
    for (uint32_t k = 0; k < key->n; k++)
        json_array_append_new(names, json_string(s->fields[key->fields[k]].name));
    return names;
}

static json_t *make_schema(const struct fixture *fx, uint64_t rows)
{
    static const char *const modes[] = {"full", "simplified", "none"};
    const struct odp_schema *s = &fx->resource.schema;
    json_t *o = json_object(), *fields = json_array(), *unique = json_array();
    for (uint32_t k = 0; k < s->n; k++) {
        const struct odp_field *f = &s->fields[k];
        if (!f->is_public)
            continue;
        json_t *field =
            json_pack("{s:s, s:s}", "name", f->name, "type", f->type == ODP_TYPE_LIST ? "array" : odp_type_name(f->type));
        if (f->type == ODP_TYPE_LIST)
            json_object_set_new(field, "odp:type", json_string("list"));
        if (f->unit.in[0] != NULL && f->unit.in[1] == NULL)
            json_object_set_new(field, "sdi:satuan", json_pack("{s:s}", "id", f->unit.in[0]));
        else if (f->unit.in[0] != NULL)
            json_object_set_new(field, "sdi:satuan", json_string(f->unit.in[0]));
        json_array_append_new(fields, field);
    }
    json_object_set_new(o, "fields", fields);
    if (s->primary.n > 0)
        json_object_set_new(o, "primaryKey", names_of(s, &s->primary));
    for (size_t i = 0; i < s->nunique; i++)
        json_array_append_new(unique, names_of(s, &s->unique[i]));
    json_object_set_new(o, "uniqueKeys", unique);
    if (fx->job.has_geometry)
        json_object_set_new(o, "odp:geometry", json_pack("{s:s, s:b}", "api", modes[fx->resource.geometry.api], "heights", 0));
    json_object_set_new(o, "odp:rows", json_integer((json_int_t)rows));
    return o;
}

/* A schema read, and what is needed to read by it. */
struct reader {
    json_t *schema;
    struct odp_arena arena;
    struct odp_layout *layout;
};

static void reader_init(struct reader *q, json_t *schema_take)
{
    const char *why;
    q->schema = schema_take;
    odp_arena_init(&q->arena);
    if (odp_layout_read(&q->layout, q->schema, &q->arena, &why) != ODP_OK)
        fail_msg("%s", why);
}

static void reader_release(struct reader *q)
{
    odp_arena_release(&q->arena);
    json_decref(q->schema);
}

/* ---- the digest of the batches
 * ------------------------------------------------------------------------------------------------ */

static void digest_batches(struct fixture *fx, const struct odp_slice *cells, uint32_t n, const struct odp_geom **geometry,
                           uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_batch b;
    struct odp_buffer bytes;
    odp_buffer_init(&bytes);
    assert_int_equal(odp_batch_init(&b, 1), ODP_OK);
    odp_emit_logical_header(&bytes, &fx->resource, fx->job.has_geometry);
    fx_batch(fx, &b, cells, n, 1);
    b.geometry = geometry;
    odp_emit_logical_batch(&bytes, &b, fx->job.has_geometry);
    assert_int_equal(odp_buffer_status(&bytes), ODP_OK);
    assert_int_equal(odp_digest_of(bytes.ptr, bytes.len, out), ODP_OK);
    odp_buffer_release(&bytes);
    odp_batch_release(&b);
}

/* ---- reading
 * ------------------------------------------------------------------------------------------------------------------ */

#define MAX_PAGES 64

struct files {
    char path[MAX_PAGES][512];
    const char *at[MAX_PAGES];
    size_t n;
};

static void find_files(const struct fixture *fx, enum odp_form form, struct files *f)
{
    static const char *const names[] = {"uji.json", "uji.geojson", "uji.csv"};
    char path[128];
    f->n = 0;
    for (size_t k = 0; k < MAX_PAGES; k++) {
        if (form != ODP_FORM_PAGES)
            snprintf(path, sizeof path, "data/uji/2024-03-15/%s", names[form]);
        else if (k == 0)
            strcpy(path, "v1/uji.json");
        else
            snprintf(path, sizeof path, "v1/uji/v/2024-03-15/p/%zu.json", k + 1);
        if ((form != ODP_FORM_PAGES && k > 0) || !fx_exists(fx, path))
            break;
        fx_path(fx, path, f->path[k]);
        f->at[k] = f->path[k];
        f->n = k + 1;
    }
}

static enum odp_status digest_files(const struct odp_layout *l, enum odp_form form, const char *const *paths, size_t n,
                                    struct odp_reading_digest *d, char fault[512])
{
    struct odp_reading *r;
    assert_int_equal(odp_reading_open(&r, form, l, paths, n), ODP_OK);
    enum odp_status status = odp_reading_digest(r, d);
    snprintf(fault, 512, "%s", odp_reading_fault(r));
    assert_true((status == ODP_BAD) == (fault[0] != '\0'));
    odp_reading_close(r);
    return status;
}

static const struct odp_geom *no_geometry[1000];

/* All forms that are there read back: equal text, equal digests. Returns the forms whose geometry was whole, as bits. */
static unsigned check_forms(struct fixture *fx, const struct odp_slice *cells, uint32_t n, const struct odp_geom **geometry)
{
    struct reader q;
    struct files f;
    uint8_t want[ODP_SHA256_SIZE], plain[ODP_SHA256_SIZE] = {0};
    char fault[512];
    unsigned whole = 0, seen = 0;
    digest_batches(fx, cells, n, geometry, want);
    reader_init(&q, make_schema(fx, n));
    for (int form = ODP_FORM_JSON; form <= (int)ODP_FORM_PAGES; form++) {
        struct odp_reading_digest d;
        find_files(fx, (enum odp_form)form, &f);
        if (f.n == 0)
            continue;
        if (digest_files(q.layout, (enum odp_form)form, f.at, f.n, &d, fault) != ODP_OK)
            fail_msg("form %d: %s", form, fault);
        assert_int_equal(d.rows, n);
        if (d.whole)
            assert_memory_equal(d.logical, want, sizeof want);
        if (seen != 0)
            assert_memory_equal(d.attributes, plain, sizeof plain);
        memcpy(plain, d.attributes, sizeof plain);
        whole |= d.whole ? 1u << form : 0;
        seen |= 1u << form;
    }
    assert_true(seen != 0);
    reader_release(&q);
    return whole;
}

/* Reads FORM record by record and compares every text with the public cells. */
static void check_texts(struct fixture *fx, enum odp_form form, const struct odp_slice *cells, uint32_t n)
{
    struct reader q;
    struct files f;
    struct odp_reading *r;
    struct odp_reading_record rec;
    uint32_t fields = fx->resource.schema.n;
    reader_init(&q, make_schema(fx, n));
    find_files(fx, form, &f);
    assert_int_equal(odp_reading_open(&r, form, q.layout, f.at, f.n), ODP_OK);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(odp_reading_next(r, &rec), ODP_OK);
        assert_int_equal(rec.row, i + 1);
        for (uint32_t k = 0, at = 0; k < fields; k++) {
            struct odp_slice want = cells[(size_t)i * fields + k];
            if (!fx->fields[k].is_public)
                continue;
            assert_int_equal(rec.text[at].ptr == NULL, want.ptr == NULL);
            assert_int_equal(rec.text[at].len, want.len);
            if (want.len > 0)
                assert_memory_equal(rec.text[at].ptr, want.ptr, want.len);
            at++;
        }
    }
    assert_int_equal(odp_reading_next(r, &rec), ODP_DONE);
    assert_int_equal(odp_reading_next(r, &rec), ODP_DONE);
    odp_reading_close(r);
    reader_release(&q);
}

/* ---- all types
 * ----------------------------------------------------------------------------------------------------------------- */

static const enum odp_type types[] = {ODP_TYPE_STRING, ODP_TYPE_NUMBER, ODP_TYPE_BOOLEAN, ODP_TYPE_DATE,
                                      ODP_TYPE_YEAR,   ODP_TYPE_LIST,   ODP_TYPE_OBJECT,  ODP_TYPE_GEOPOINT};
#define NTYPES 8

static const struct odp_slice typed[] = {
    S("a"),
    S("12.50"),
    S("true"),
    S("2024-03-15"),
    S("2024"),
    S("[1,\"x, \\\"y\\\"\"]"),
    S("{\"k\":{\"l\":[]},\"m\":\"\\u0001\"}"),
    S("[106.8,-6.2]"),
    S("\"\xE2\x80\xA8\" \\ \t\r\n\x7f \xF0\x9F\x98\x80,"),
    S("-0.000001"),
    S("false"),
    S("0001-01-01"),
    S("1000"),
    S("[]"),
    S("{}"),
    S("[-0,1e5]"),
    S(""),
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    S("12345678901234567890123456789.1e-7"),
    NUL,
    NUL,
    NUL,
    S("[\"\\\\\"]"),
    NUL,
    NUL,
    S("null"),
    S("0"),
    S("true"),
    S("9999-12-31"),
    S("9999"),
    S("[null,true]"),
    S("{\"\":\"}]\"}"),
    S("[0,0]"),
    S(" b "),
    S("-3"),
    S("false"),
    S("2024-03-15"),
    S("2024"),
    S("[{\"a\":[[[]]]}]"),
    NUL,
    NUL,
};
#define NTYPED (sizeof typed / sizeof *typed / NTYPES)

static void make_types(struct fixture *fx)
{
    static const char *const names[] = {"teks \"1\"", "luas", "aktif", "tanggal", "tahun", "daftar", "objek", "titik"};
    fx_init(fx);
    for (size_t k = 0; k < NTYPES; k++)
        fx_field(fx, names[k], types[k]);
    fx->fields[1].unit = (struct odp_text){{"hektare", "hektare"}};
    fx->fields[4].unit = (struct odp_text){{"tahun\t\\", NULL}};
}

static void test_all_types(void **state)
{
    (void)state;
    struct fixture fx;
    make_types(&fx);
    fx_emit(&fx, typed, NTYPED, 2, NULL);
    assert_int_equal(check_forms(&fx, typed, NTYPED, NULL), 1u << ODP_FORM_JSON | 1u << ODP_FORM_CSV | 1u << ODP_FORM_PAGES);
    check_texts(&fx, ODP_FORM_JSON, typed, NTYPED);
    check_texts(&fx, ODP_FORM_CSV, typed, NTYPED);
    check_texts(&fx, ODP_FORM_PAGES, typed, NTYPED);
    fx_release(&fx);
}

static void test_further_types(void **state)
{
    (void)state;
    static const enum odp_type more[] = {ODP_TYPE_INTEGER,  ODP_TYPE_TIME,    ODP_TYPE_DATETIME, ODP_TYPE_YEARMONTH,
                                         ODP_TYPE_DURATION, ODP_TYPE_GEOJSON, ODP_TYPE_ARRAY,    ODP_TYPE_ANY};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const struct odp_slice cells[] = {
        S("-12"),
        S("07:05:00"),
        S("2024-03-15T07:05:00+07:00"),
        S("2024-03"),
        S("P1DT2H"),
        S("{\"type\":\"Point\",\"coordinates\":[1,2]}"),
        S("[[],{}]"),
        S("apa, saja"),
        NUL,
        NUL,
        NUL,
        NUL,
        NUL,
        NUL,
        NUL,
        NUL,
    };
    struct fixture fx;
    fx_init(&fx);
    for (size_t k = 0; k < 8; k++)
        fx_field(&fx, names[k], more[k]);
    fx.fields[3].is_public = false;
    struct odp_key unique[] = {{.fields = (uint32_t[]){0, 2}, .n = 2}, {.fields = (uint32_t[]){7}, .n = 1}};
    fx.resource.schema.unique = unique;
    fx.resource.schema.nunique = 2;
    fx_key(&fx, 0, 1);
    fx_emit(&fx, cells, 2, 1, NULL);
    assert_int_equal(check_forms(&fx, cells, 2, NULL), 1u << ODP_FORM_JSON | 1u << ODP_FORM_CSV | 1u << ODP_FORM_PAGES);
    check_texts(&fx, ODP_FORM_CSV, cells, 2);
    fx_release(&fx);
}

static void test_no_records(void **state)
{
    (void)state;
    struct fixture fx;
    make_types(&fx);
    fx.job.has_geometry = true;
    fx_emit(&fx, NULL, 0, 1, NULL);
    check_forms(&fx, NULL, 0, NULL);
    fx_release(&fx);
}

/* Without a public field: {} and empty lines. */
static void test_no_fields(void **state)
{
    (void)state;
    static const struct odp_slice cells[] = {S("x"), S("y")};
    struct fixture fx;
    for (int geometry = 0; geometry < 2; geometry++) {
        fx_init(&fx);
        fx_field(&fx, "rahasia", ODP_TYPE_STRING)->is_public = false;
        fx.job.has_geometry = geometry;
        fx_emit(&fx, cells, 2, 1, NULL);
        check_forms(&fx, cells, 2, geometry ? no_geometry : NULL);
        fx_release(&fx);
    }
}

static void test_one_column_of_nulls(void **state)
{
    (void)state;
    static const struct odp_slice cells[] = {NUL, S(""), NUL, S("\r\n"), NUL};
    struct fixture fx;
    fx_init(&fx);
    fx_field(&fx, "t", ODP_TYPE_STRING);
    fx_emit(&fx, cells, 5, 1, NULL);
    check_forms(&fx, cells, 5, NULL);
    check_texts(&fx, ODP_FORM_CSV, cells, 5);
    fx_release(&fx);
}

/* Records that end at every place of the window, and one that is larger than it. */
static void test_large(void **state)
{
    (void)state;
    enum { N = 900, HUGE = 3 << 20 };
    static char bytes[HUGE];
    static struct odp_slice cells[N * 2];
    struct fixture fx;
    for (size_t i = 0; i < HUGE; i++)
        bytes[i] = "\"ab\\c\n,\r"[(i * 7 + i / 1000) % 8];
    for (uint32_t i = 0; i < N; i++) {
        size_t len = i == N / 2 ? HUGE : (size_t)i * 137 % 1500;
        cells[2 * i] = (struct odp_slice){bytes + (i == N / 2 ? 0 : i), len};
        cells[2 * i + 1] = i % 3 == 0 ? NUL : S("1.0");
    }
    fx_init(&fx);
    fx_field(&fx, "t", ODP_TYPE_STRING);
    fx_field(&fx, "n", ODP_TYPE_NUMBER);
    fx.catalog.portal.page_bytes = 1 << 16;
    fx_emit(&fx, cells, N, 100, NULL);
    struct files f;
    find_files(&fx, ODP_FORM_PAGES, &f);
    assert_in_range(f.n, 10, MAX_PAGES - 1);
    check_forms(&fx, cells, N, NULL);
    check_texts(&fx, ODP_FORM_JSON, cells, N);
    check_texts(&fx, ODP_FORM_CSV, cells, N);
    check_texts(&fx, ODP_FORM_PAGES, cells, N);
    fx_release(&fx);
}

/* ---- geometry
 * ------------------------------------------------------------------------------------------------------------------ */

/* Eight decimals that end in 5: half of them round otherwise when they are multiplied first. */
static double ties[] = {106.12345675, -6.00000005, 106.12345665, -6.00000015,
                        106.12345685, -6.00000025, 106.12345695, -6.00000035};
/* A ring that is turned, with a hole, and a second polygon; a sliver whose area is nought once it is rounded. */
static double rings[] = {0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 1, 1, 2, 1, 2, 2, 1, 2, 1, 1, 20, 20, 21, 20, 21, 21, 20, 20};
static double sliver[] = {106.1, -6, 106.10000001, -6, 106.2, -6.000000001, 106.1, -6};
static double heights[] = {1.5, 0, -2.12345678, 1234567890.1234567};
static double too_high[] = {1.5, 0, -2, 1e15};
static uint32_t part1[] = {0, 1}, part2[] = {0, 2}, part4[] = {0, 4}, lines[] = {0, 2, 4}, ring_parts[] = {0, 5, 10, 14};
static uint32_t one_poly[] = {0, 1}, two_rings[] = {0, 2}, two_polys[] = {0, 2, 3};
static const struct odp_geom shapes[] = {
    {.type = ODP_GEOM_POINT, .npoints = 1, .nparts = 1, .xy = ties, .part = part1},
    {.type = ODP_GEOM_POINT, .npoints = 1, .nparts = 1, .xy = ties + 2, .z = heights + 2, .part = part1},
    {.type = ODP_GEOM_MULTIPOINT, .npoints = 4, .nparts = 1, .xy = ties, .part = part4},
    {.type = ODP_GEOM_MULTIPOINT, .npoints = 4, .nparts = 1, .xy = ties, .z = heights, .part = part4},
    {.type = ODP_GEOM_LINESTRING, .npoints = 2, .nparts = 1, .xy = ties, .part = part2},
    {.type = ODP_GEOM_LINESTRING, .npoints = 4, .nparts = 1, .xy = ties, .z = too_high, .part = part4},
    {.type = ODP_GEOM_MULTILINESTRING, .npoints = 4, .nparts = 2, .xy = ties, .z = heights, .part = lines},
    {.type = ODP_GEOM_POLYGON, .npoints = 10, .nparts = 2, .npolys = 1, .xy = rings, .part = ring_parts, .poly = two_rings},
    {.type = ODP_GEOM_POLYGON, .npoints = 4, .nparts = 1, .npolys = 1, .xy = sliver, .part = part4, .poly = one_poly},
    {.type = ODP_GEOM_MULTIPOLYGON,
     .npoints = 14,
     .nparts = 3,
     .npolys = 2,
     .xy = rings,
     .part = ring_parts,
     .poly = two_polys},
};
#define NSHAPES (sizeof shapes / sizeof *shapes)

static void make_shapes(struct fixture *fx, struct odp_slice *cells, const struct odp_geom **geometry)
{
    static char names[NSHAPES + 1][8];
    fx_init(fx);
    fx_field(fx, "kode", ODP_TYPE_STRING);
    fx_field(fx, "geometry", ODP_TYPE_STRING); /* its name is taken */
    fx_field(fx, "lon", ODP_TYPE_STRING);
    fx->job.has_geometry = fx->resource.geometry.present = true;
    for (size_t i = 0; i <= NSHAPES; i++) {
        snprintf(names[i], sizeof names[i], "%%,%zu", i);
        cells[3 * i] = odp_slice_of(names[i]);
        cells[3 * i + 1] = S("g");
        cells[3 * i + 2] = i % 2 ? NUL : S("x,y");
        geometry[i] = i < NSHAPES ? &shapes[i] : NULL;
    }
}

static void test_all_shapes(void **state)
{
    (void)state;
    struct odp_slice cells[3 * (NSHAPES + 1)];
    const struct odp_geom *geometry[NSHAPES + 1];
    const unsigned exact = 1u << ODP_FORM_JSON | 1u << ODP_FORM_GEOJSON;
    for (int mode = ODP_GEOMETRY_FULL; mode <= (int)ODP_GEOMETRY_NONE; mode++)
        for (int wkt = 0; wkt < 2; wkt++)
            for (int keys = 0; keys < 3; keys++) {
                struct fixture fx;
                make_shapes(&fx, cells, geometry);
                fx.resource.geometry.api = (enum odp_geometry_mode)mode;
                fx.resource.geometry.csv_wkt = wkt;
                if (keys > 0)
                    fx_key(&fx, 0, keys == 1 ? -1 : 2);
                fx_emit(&fx, cells, NSHAPES + 1, 3, geometry);
                unsigned want = exact | (wkt ? 1u << ODP_FORM_CSV : 0) | (mode == ODP_GEOMETRY_FULL ? 1u << ODP_FORM_PAGES : 0);
                assert_int_equal(check_forms(&fx, cells, NSHAPES + 1, geometry), want);
                check_texts(&fx, ODP_FORM_GEOJSON, cells, NSHAPES + 1);
                fx_release(&fx);
            }
}

/* Points have their place in the CSV whole, if the schema says that they have no heights. */
static void test_points_in_csv(void **state)
{
    (void)state;
    struct odp_slice cells[3 * (NSHAPES + 1)];
    const struct odp_geom *geometry[NSHAPES + 1];
    struct fixture fx;
    struct reader q;
    struct files f;
    struct odp_reading_digest d;
    char fault[512];
    make_shapes(&fx, cells, geometry);
    geometry[1] = NULL;
    fx.resource.geometry.types = ODP_GEOM_BIT_POINT;
    fx_emit(&fx, cells, 2, 1, geometry);
    assert_int_equal(check_forms(&fx, cells, 2, geometry), 15);
    json_t *schema = make_schema(&fx, 2);
    json_object_del(json_object_get(schema, "odp:geometry"), "heights");
    reader_init(&q, schema);
    find_files(&fx, ODP_FORM_CSV, &f);
    assert_int_equal(digest_files(q.layout, ODP_FORM_CSV, f.at, 1, &d, fault), ODP_OK);
    assert_false(d.whole);
    reader_release(&q);
    fx_release(&fx);
}

/* The geometry itself, not only its digest. */
static void test_geometry_of_a_record(void **state)
{
    (void)state;
    struct odp_slice cells[3 * (NSHAPES + 1)];
    const struct odp_geom *geometry[NSHAPES + 1];
    struct fixture fx;
    struct reader q;
    struct files f;
    struct odp_reading *r;
    struct odp_reading_record rec;
    make_shapes(&fx, cells, geometry);
    fx_emit(&fx, cells, NSHAPES + 1, 3, geometry);
    reader_init(&q, make_schema(&fx, NSHAPES + 1));
    find_files(&fx, ODP_FORM_GEOJSON, &f);
    assert_int_equal(odp_reading_open(&r, ODP_FORM_GEOJSON, q.layout, f.at, 1), ODP_OK);
    for (size_t i = 0; i < NSHAPES; i++) {
        struct odp_buffer want, got;
        odp_buffer_init(&want);
        odp_buffer_init(&got);
        assert_int_equal(odp_reading_next(r, &rec), ODP_OK);
        assert_true(rec.geometry_whole);
        odp_geom_add_geojson(&want, &shapes[i]);
        if (i != 8) { /* the sliver's orientation is no more */
            odp_geom_add_geojson(&got, rec.geometry);
            assert_string_equal(odp_buffer_cstr(&got), odp_buffer_cstr(&want));
        }
        assert_int_equal(rec.geometry->npoints, shapes[i].npoints);
        assert_memory_equal(rec.geometry->part, shapes[i].part, (shapes[i].nparts + 1) * sizeof(uint32_t));
        assert_int_equal(rec.geometry->poly == NULL, shapes[i].poly == NULL);
        if (shapes[i].poly != NULL)
            assert_memory_equal(rec.geometry->poly, shapes[i].poly, (shapes[i].npolys + 1) * sizeof(uint32_t));
        assert_int_equal(rec.geometry->z != NULL, shapes[i].z != NULL && shapes[i].z != too_high);
        odp_buffer_release(&want);
        odp_buffer_release(&got);
    }
    assert_int_equal(odp_reading_next(r, &rec), ODP_OK);
    assert_null(rec.geometry);
    assert_true(rec.geometry_whole);
    assert_int_equal(odp_reading_next(r, &rec), ODP_DONE);
    odp_reading_close(r);
    reader_release(&q);
    fx_release(&fx);
}

/* ---- damage
 * ------------------------------------------------------------------------------------------------------------------- */

static void put(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Every prefix of file WHICH of the form is BAD; every flipped byte is BAD or another digest or says so nowhere but in what no
 * digest covers (OPEN counts those). */
static void damage(struct fixture *fx, const struct odp_layout *l, enum odp_form form, size_t which, size_t *open)
{
    struct files f;
    struct odp_reading_digest right, d;
    char fault[512], path[512];
    size_t len;
    find_files(fx, form, &f);
    assert_int_equal(digest_files(l, form, f.at, f.n, &right, fault), ODP_OK);
    char *bytes = fx_read(fx, f.path[which] + strlen(fx->dir) + 1, &len);
    if (access("/dev/shm", W_OK) == 0) /* thousands of small files: not on the disk */
        snprintf(path, sizeof path, "/dev/shm/odp-damaged-%ld", (long)getpid());
    else
        fx_path(fx, "damaged", path);
    f.at[which] = path;
    const char *records_end = form != ODP_FORM_CSV ? strstr(bytes, "\n]") : NULL;
    for (size_t cut = 0; cut < len; cut++) {
        put(path, bytes, cut);
        assert_int_equal(digest_files(l, form, f.at, f.n, &d, fault), ODP_BAD);
    }
    for (size_t i = 0; i < len; i++) {
        static const char flips[] = {1, 0x20, (char)0x80};
        for (size_t k = 0; k < sizeof flips; k++) {
            bytes[i] = (char)(bytes[i] ^ flips[k]);
            put(path, bytes, len);
            enum odp_status status = digest_files(l, form, f.at, f.n, &d, fault);
            bytes[i] = (char)(bytes[i] ^ flips[k]);
            assert_true(status == ODP_OK || status == ODP_BAD);
            if (status == ODP_OK) {
                assert_int_equal(d.rows, right.rows);
                bool same = memcmp(d.attributes, right.attributes, sizeof d.attributes) == 0 && d.whole == right.whole &&
                            memcmp(d.logical, right.logical, sizeof d.logical) == 0;
                if (same && form != ODP_FORM_CSV && bytes + i > strchr(bytes, '\n') && bytes + i < records_end)
                    fail_msg("form %d: byte %zu of a record may be changed unseen", form, i);
                *open += same;
            }
        }
    }
    assert_int_equal(unlink(path), 0);
    free(bytes);
}

static void test_damage(void **state)
{
    (void)state;
    struct odp_slice cells[3 * (NSHAPES + 1)];
    const struct odp_geom *geometry[NSHAPES + 1];
    struct fixture fx;
    struct reader q;
    size_t open[4] = {0};
    make_shapes(&fx, cells, geometry);
    geometry[1] = &shapes[9];
    fx.resource.geometry.csv_wkt = true;
    fx.catalog.portal.page_records = 2;
    fx_key(&fx, 0, 2);
    fx_emit(&fx, cells, 3, 3, geometry);
    reader_init(&q, make_schema(&fx, 3));
    for (int form = 0; form < 4; form++)
        damage(&fx, q.layout, (enum odp_form)form, 0, &open[form]);
    damage(&fx, q.layout, ODP_FORM_PAGES, 1, &open[3]);
    /* Content is never changed unseen; names of dataset and release, dates, links, bbox and label points are none. */
    print_message("not content: %zu %zu %zu %zu\n", open[0], open[1], open[2], open[3]);
    assert_true(open[ODP_FORM_JSON] > 0 && open[ODP_FORM_GEOJSON] > 0 && open[ODP_FORM_CSV] > 0 && open[ODP_FORM_PAGES] > 0);
    assert_true(open[ODP_FORM_CSV] < 80);
    reader_release(&q);
    fx_release(&fx);
}

/* Reads BYTES as FORM; the fault it must have, in part. */
static void expect_fault(const struct fixture *fx, const struct odp_layout *l, enum odp_form form, const char *bytes,
                         const char *want)
{
    struct odp_reading_digest d;
    char fault[512], path[512];
    const char *at[] = {path};
    fx_path(fx, "damaged", path);
    put(path, bytes, strlen(bytes));
    enum odp_status status = digest_files(l, form, at, 1, &d, fault);
    if (status != ODP_BAD)
        fail_msg("status %d of: %s", status, bytes);
    if (strstr(fault, want) == NULL)
        fail_msg("%s\n  instead of: %s\n  of: %s", fault, want, bytes);
}

static void test_faults(void **state)
{
    (void)state;
    struct fixture fx;
    struct reader q;
    fx_init(&fx);
    fx_field(&fx, "a", ODP_TYPE_STRING);
    fx_field(&fx, "b", ODP_TYPE_NUMBER);
    json_t *schema = make_schema(&fx, 1);
    reader_init(&q, schema);
#define TAIL "\n],\"status\":\"success\",\"meta\":{\"total\":1}}\n"
    static const char *const json[][2] = {
        {"", "byte 0: the file is empty"},
        {"{\"Data\":[\n", "byte 0: it does not begin as an envelope"},
        {"{\"data\":[\n", "record 1, byte 10: the file ends where a record should begin"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}", "record 1, byte 10: the file ends in the middle of a line"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n", "the file ends behind its records"},
        {"{\"data\":[\n{\"b\":1,\"a\":\"x\"}" TAIL, "the value of a is damaged, missing"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":01}" TAIL, "the value of b is damaged"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1.}" TAIL, "the value of b is damaged"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1e}" TAIL, "the value of b is damaged"},
        {"{\"data\":[\n{\"a\":\"\\ud800\",\"b\":1}" TAIL, "the value of a is damaged"},
        {"{\"data\":[\n{\"a\":\"x\\", "middle of a line"},
        {"{\"data\":[\n{\"a\":\"x\\\n", "the value of a is damaged"},
        {"{\"data\":[\n{\"a\":\"\xff\",\"b\":1}" TAIL, "it is not UTF-8"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1,\"c\":1}" TAIL, "there is more than its fields"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1} ," TAIL, "there is more in its line"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}" TAIL "\n", "there is more after its end"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"error\",\"meta\":{\"total\":1}}\n", "its status is not success"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"success\",\"meta\":{}}\n", "meta.total is missing"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"success\",\"meta\":{\"total\":2}}\n",
         "there are 1 records, meta.total says 2"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1},\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"success\",\"meta\":{\"total\":2}}\n",
         "there are 2 records, the schema says 1"},
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0}}\n", "there are 0 records, the schema says 1"},
    };
    for (size_t i = 0; i < sizeof json / sizeof *json; i++)
        expect_fault(&fx, q.layout, ODP_FORM_JSON, json[i][0], json[i][1]);
    static const char *const csv[][2] = {
        {"", "byte 0: the file is empty"},
        {"a,c\r\n", "column 2 of the header is not b"},
        {"a\r\n", "the header has 1 columns, the schema has 2"},
        {"a,b,lon,lat\r\n", "not those of the schema"},
        {"a,b,c,d,e,f,g,h\r\n", "more cells than columns"},
        {"a,b\r\nx\r\n", "record 1, byte 5: it has 1 cells, the header has 2"},
        {"a,b\r\nx,1,2\r\n", "it has 3 cells"},
        {"a,b\r\nx,1\n", "does not end with CRLF"},
        {"a,b\r\nx,1\r", "the middle of a record"},
        {"a,b\r\nx,1", "the middle of a record"},
        {"a,b\r\nx,\"1", "the middle of a record"},
        {"a,b\r\nx,1\rx", "does not end with CRLF"},
        {"a,b\r\n\"x\"y,1\r\n", "text behind a quoted cell"},
        {"a,b\r\nx\"y,1\r\n", "a quote stands inside"},
        {"a,b\r\nx,y\r\n", "the value of b is damaged"},
        {"a,b\r\n\xff,1\r\n", "it is not UTF-8"},
        {"a,b\r\n", "there are 0 records, the schema says 1"},
        {"a,b\r\nx,1\r\ny,\r\n", "there are 2 records, the schema says 1"},
    };
    for (size_t i = 0; i < sizeof csv / sizeof *csv; i++)
        expect_fault(&fx, q.layout, ODP_FORM_CSV, csv[i][0], csv[i][1]);
    static const char *const page[][2] = {
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0,\"page\":2,\"pages\":1,\"version\":\"1\"}}\n",
         "page 1 of 1, byte 0: it says that it is page 2"},
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0,\"page\":1,\"pages\":3,\"version\":\"1\"}}\n",
         "it says that there are 3 pages"},
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0,\"page\":1,\"pages\":1}}\n", "of which version"},
    };
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        expect_fault(&fx, q.layout, ODP_FORM_PAGES, page[i][0], page[i][1]);
    reader_release(&q);
    fx_release(&fx);
}

/* Pages that are missing, doubled, or of two versions. */
static void test_pages_must_fit(void **state)
{
    (void)state;
    struct fixture fx;
    struct reader q;
    struct files f;
    struct odp_reading_digest d;
    char fault[512], path[512];
    make_types(&fx);
    fx.catalog.portal.page_records = 2;
    fx_emit(&fx, typed, NTYPED, 2, NULL);
    reader_init(&q, make_schema(&fx, NTYPED));
    find_files(&fx, ODP_FORM_PAGES, &f);
    assert_int_equal(f.n, 3);
    assert_int_equal(digest_files(q.layout, ODP_FORM_PAGES, f.at, 3, &d, fault), ODP_OK);
    assert_int_equal(digest_files(q.layout, ODP_FORM_PAGES, f.at, 2, &d, fault), ODP_BAD);
    assert_string_equal(strchr(fault, ':'), ": it says that there are 3 pages");
    assert_int_equal(digest_files(q.layout, ODP_FORM_PAGES, f.at, 0, &d, fault), ODP_BAD);
    assert_int_equal(digest_files(q.layout, ODP_FORM_JSON, f.at, 2, &d, fault), ODP_BAD);
    const char *swapped[] = {f.at[0], f.at[2], f.at[1]}, *absent[] = {f.at[0], "/nonexistent/odp", f.at[2]};
    assert_int_equal(digest_files(q.layout, ODP_FORM_PAGES, swapped, 3, &d, fault), ODP_BAD);
    assert_non_null(strstr(fault, "page 2 of 3"));
    assert_int_equal(digest_files(q.layout, ODP_FORM_PAGES, absent, 3, &d, fault), ODP_BAD);
    assert_non_null(strstr(fault, "not there"));
    size_t len;
    char *bytes = fx_read(&fx, "v1/uji/v/2024-03-15/p/2.json", &len), *version = strstr(bytes, "\"version\":\"2024");
    assert_non_null(version);
    version[14] = '3';
    fx_path(&fx, "damaged", path);
    put(path, bytes, len);
    f.at[1] = path;
    assert_int_equal(digest_files(q.layout, ODP_FORM_PAGES, f.at, 3, &d, fault), ODP_BAD);
    assert_non_null(strstr(fault, "of another version"));
    free(bytes);
    reader_release(&q);
    fx_release(&fx);
}

/* ---- schemas
 * ------------------------------------------------------------------------------------------------------------------- */

static void test_layout(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"[]", "no JSON object"},
        {"{}", "no list of fields"},
        {"{\"fields\":[1]}", "a field has no name"},
        {"{\"fields\":[{\"name\":\"a\"}]}", "the type of a field is not known: a"},
        {"{\"fields\":[{\"name\":\"a\",\"type\":\"x\"}]}", "the type of a field is not known: a"},
        {"{\"fields\":[{\"name\":\"a\",\"type\":\"string\"},{\"name\":\"a\",\"type\":\"string\"}]}",
         "two fields have one name: a"},
        {"{\"fields\":[],\"primaryKey\":[\"b\"]}", "a key has more fields"},
        {"{\"fields\":[{\"name\":\"a\",\"type\":\"string\"}],\"primaryKey\":\"b\"}", "the table has not: b"},
        {"{\"fields\":[{\"name\":\"a\",\"type\":\"string\"}],\"uniqueKeys\":[[1]]}", "the table has not"},
        {"{\"fields\":[{\"name\":\"a\",\"type\":\"string\",\"odp:formerNames\":[2]}]}", "no name: a"},
    };
    struct odp_arena a;
    struct odp_layout *l;
    const char *why;
    odp_arena_init(&a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *json = json_loads(bad[i][0], 0, NULL);
        assert_int_equal(odp_layout_read(&l, json, &a, &why), ODP_BAD);
        if (strstr(why, bad[i][1]) == NULL)
            fail_msg("%s instead of %s", why, bad[i][1]);
        assert_null(l);
        json_decref(json);
    }
    json_t *json = json_loads("{\"fields\":[{\"name\":\"a\",\"type\":\"array\",\"odp:type\":\"list\",\"title\":\"A\",\"odp:"
                              "formerNames\":[\"x\",\"y\"]},"
                              "{\"name\":\"b\",\"type\":\"array\",\"odp:title\":{\"id\":\"B\",\"en\":\"C\"},\"odp:unit\":{"
                              "\"id\":\"m\",\"en\":\"n\"}}],"
                              "\"primaryKey\":[\"b\",\"a\"],\"uniqueKeys\":[\"a\",[\"b\"]],\"odp:geometry\":{}}",
                              0, NULL);
    assert_int_equal(odp_layout_read(&l, json, &a, &why), ODP_OK);
    assert_int_equal(l->n, 2);
    assert_int_equal(l->fields[0].type, ODP_TYPE_LIST);
    assert_int_equal(l->fields[1].type, ODP_TYPE_ARRAY);
    assert_string_equal(l->fields[0].title.in[ODP_LANG_EN], "A");
    assert_string_equal(l->fields[1].title.in[ODP_LANG_EN], "C");
    assert_string_equal(l->fields[1].unit.in[ODP_LANG_EN], "n");
    assert_int_equal(l->fields[0].nformer, 2);
    assert_string_equal(l->fields[0].former[1], "y");
    assert_int_equal(l->nkey, 2);
    assert_int_equal(l->key[0], 1);
    assert_int_equal(l->nunique, 2);
    assert_true(l->has_geometry);
    assert_int_equal(odp_layout_find(l, "b"), 1);
    assert_int_equal(odp_layout_find(l, "c"), -1);
    json_decref(json);
    odp_arena_release(&a);
}

static void test_form_names(void **state)
{
    (void)state;
    assert_int_equal(odp_form_find("json"), ODP_FORM_JSON);
    assert_int_equal(odp_form_find("geojson"), ODP_FORM_GEOJSON);
    assert_int_equal(odp_form_find("csv"), ODP_FORM_CSV);
    assert_int_equal(odp_form_find("api"), ODP_FORM_PAGES);
    assert_int_equal(odp_form_find("excel.csv"), -1);
    assert_int_equal(odp_form_find(NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_types),
        cmocka_unit_test(test_further_types),
        cmocka_unit_test(test_no_records),
        cmocka_unit_test(test_no_fields),
        cmocka_unit_test(test_one_column_of_nulls),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_all_shapes),
        cmocka_unit_test(test_points_in_csv),
        cmocka_unit_test(test_geometry_of_a_record),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_pages_must_fit),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_form_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
