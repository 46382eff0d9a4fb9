/* Published files read back: what the emitters wrote comes out again, in all forms, with the digest of the
 * batches. Damage is tested in test_reading_damage.c. */
#include "reading_fixture.h"

/* ---- all types ---- */

static const struct odp_geom *no_geometry[1000];

/* Reads FORM record by record and compares every text with the public cells. */
static void check_texts(struct fixture *fx, enum odp_form form, const struct odp_slice *cells, uint32_t n)
{
    struct files f;
    struct odp_reading *r;
    struct odp_reading_record rec;
    uint32_t fields = fx->resource.schema.n;
    READER(q, make_schema(fx, n));
    find_files(fx, form, &f);
    must(odp_reading_open(&r, form, q.layout, f.at, f.n));
    for (uint32_t i = 0; i < n; i++) {
        must(odp_reading_next(r, &rec));
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
}

TEST(all_types)
{
    struct fixture fx;
    make_types(&fx);
    fx_emit(&fx, typed, NTYPED, 2, NULL);
    assert_int_equal(check_forms(&fx, typed, NTYPED, NULL),
                     1u << ODP_FORM_JSON | 1u << ODP_FORM_CSV | 1u << ODP_FORM_PAGES);
    check_texts(&fx, ODP_FORM_JSON, typed, NTYPED);
    check_texts(&fx, ODP_FORM_CSV, typed, NTYPED);
    check_texts(&fx, ODP_FORM_PAGES, typed, NTYPED);
    fx_release(&fx);
}

TEST(further_types)
{
    static const enum odp_type more[] = {
        ODP_TYPE_INTEGER,  ODP_TYPE_TIME,    ODP_TYPE_DATETIME, ODP_TYPE_YEARMONTH,
        ODP_TYPE_DURATION, ODP_TYPE_GEOJSON, ODP_TYPE_ARRAY,    ODP_TYPE_ANY,
    };
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
    FX(fx);
    for (size_t k = 0; k < 8; k++)
        fx_field(&fx, names[k], more[k]);
    fx.fields[3].is_public = false;
    struct odp_key unique[] = {{.fields = (uint32_t[]){0, 2}, .n = 2}, {.fields = (uint32_t[]){7}, .n = 1}};
    fx.resource.schema.unique = unique;
    fx.resource.schema.nunique = 2;
    fx_key(&fx, 0, 1);
    fx_emit(&fx, cells, 2, 1, NULL);
    assert_int_equal(check_forms(&fx, cells, 2, NULL),
                     1u << ODP_FORM_JSON | 1u << ODP_FORM_CSV | 1u << ODP_FORM_PAGES);
    check_texts(&fx, ODP_FORM_CSV, cells, 2);
}

TEST(no_records)
{
    struct fixture fx;
    make_types(&fx);
    fx.job.has_geometry = true;
    fx_emit(&fx, NULL, 0, 1, NULL);
    check_forms(&fx, NULL, 0, NULL);
    fx_release(&fx);
}

/* Without a public field: {} and empty lines. */
TEST(no_fields)
{
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

TEST(one_column_of_nulls)
{
    static const struct odp_slice cells[] = {NUL, S(""), NUL, S("\r\n"), NUL};
    FX(fx);
    fx_field(&fx, "t", ODP_TYPE_STRING);
    fx_emit(&fx, cells, 5, 1, NULL);
    check_forms(&fx, cells, 5, NULL);
    check_texts(&fx, ODP_FORM_CSV, cells, 5);
}

/* Records that end at every place of the window, and one that is larger than it. */
TEST(large)
{
    enum { N = 900, HUGE = 3 << 20 };
    static char bytes[HUGE];
    static struct odp_slice cells[N * 2];
    for (size_t i = 0; i < HUGE; i++)
        bytes[i] = "\"ab\\c\n,\r"[(i * 7 + i / 1000) % 8];
    for (uint32_t i = 0; i < N; i++) {
        size_t len = i == N / 2 ? HUGE : (size_t)i * 137 % 1500;
        cells[2 * i] = (struct odp_slice){bytes + (i == N / 2 ? 0 : i), len};
        cells[2 * i + 1] = i % 3 == 0 ? NUL : S("1.0");
    }
    FX(fx);
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
}

/* ---- geometry ---- */

TEST(all_shapes)
{
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
                unsigned want = exact | (wkt ? 1u << ODP_FORM_CSV : 0) |
                                (mode == ODP_GEOMETRY_FULL ? 1u << ODP_FORM_PAGES : 0);
                assert_int_equal(check_forms(&fx, cells, NSHAPES + 1, geometry), want);
                check_texts(&fx, ODP_FORM_GEOJSON, cells, NSHAPES + 1);
                fx_release(&fx);
            }
}

/* Points have their place in the CSV whole, if the schema says that they have no heights. */
TEST(points_in_csv)
{
    struct odp_slice cells[3 * (NSHAPES + 1)];
    const struct odp_geom *geometry[NSHAPES + 1];
    struct fixture fx;
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
    READER(q, schema);
    find_files(&fx, ODP_FORM_CSV, &f);
    must(digest_files(q.layout, ODP_FORM_CSV, f.at, 1, &d, fault));
    assert_false(d.whole);
    fx_release(&fx);
}

/* The geometry itself, not only its digest. */
TEST(geometry_of_a_record)
{
    struct odp_slice cells[3 * (NSHAPES + 1)];
    const struct odp_geom *geometry[NSHAPES + 1];
    struct fixture fx;
    struct files f;
    struct odp_reading *r;
    struct odp_reading_record rec;
    make_shapes(&fx, cells, geometry);
    fx_emit(&fx, cells, NSHAPES + 1, 3, geometry);
    READER(q, make_schema(&fx, NSHAPES + 1));
    find_files(&fx, ODP_FORM_GEOJSON, &f);
    must(odp_reading_open(&r, ODP_FORM_GEOJSON, q.layout, f.at, 1));
    for (size_t i = 0; i < NSHAPES; i++) {
        struct odp_buffer want = {0}, got = {0};
        must(odp_reading_next(r, &rec));
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
            assert_memory_equal(rec.geometry->poly, shapes[i].poly,
                                (shapes[i].npolys + 1) * sizeof(uint32_t));
        assert_int_equal(rec.geometry->z != NULL, shapes[i].z != NULL && shapes[i].z != too_high);
        odp_buffer_release(&want);
        odp_buffer_release(&got);
    }
    must(odp_reading_next(r, &rec));
    assert_null(rec.geometry);
    assert_true(rec.geometry_whole);
    assert_int_equal(odp_reading_next(r, &rec), ODP_DONE);
    odp_reading_close(r);
    fx_release(&fx);
}

/* ---- schemas ---- */

TEST(layout)
{
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
    ARENA(a);
    struct odp_layout *l;
    const char *why;
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        json_t *json = json_loads(bad[i][0], 0, NULL);
        must_refuse(odp_layout_read(&l, json, &a, &why));
        if (strstr(why, bad[i][1]) == NULL)
            fail_msg("%s instead of %s", why, bad[i][1]);
        assert_null(l);
        json_decref(json);
    }
    json_t *json = json_loads(
        "{\"fields\":[{\"name\":\"a\",\"type\":\"array\",\"odp:type\":\"list\",\"title\":\"A\",\"odp:"
        "formerNames\":[\"x\",\"y\"]},"
        "{\"name\":\"b\",\"type\":\"array\",\"odp:title\":{\"id\":\"B\",\"en\":\"C\"},\"odp:unit\":{"
        "\"id\":\"m\",\"en\":\"n\"}}],"
        "\"primaryKey\":[\"b\",\"a\"],\"uniqueKeys\":[\"a\",[\"b\"]],\"odp:geometry\":{}}",
        0, NULL);
    must(odp_layout_read(&l, json, &a, &why));
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
}

TEST(form_names)
{
    assert_int_equal(odp_form_find("json"), ODP_FORM_JSON);
    assert_int_equal(odp_form_find("geojson"), ODP_FORM_GEOJSON);
    assert_int_equal(odp_form_find("csv"), ODP_FORM_CSV);
    assert_int_equal(odp_form_find("api"), ODP_FORM_PAGES);
    assert_int_equal(odp_form_find("excel.csv"), -1);
    assert_int_equal(odp_form_find(NULL), -1);
}
