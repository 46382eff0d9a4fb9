/* Emitters: golden bytes, CSV and JSON read back by other libraries, naughty strings. */
#include "answers_fixture.h"
#include "emit_fixture.h"

#include <csv.h>
#include <jansson.h>

#define LICENSE "\"license\":\"https://creativecommons.org/licenses/by/4.0/\"" /* of the fixture's portal */
#define META    "\"meta\":{\"dataset\":\"uji\",\"version\":\"2024-03-15\",\"release\":\"2.5.0\",\"total\":"

/* kode (key), nama, luas, jumlah, aktif, rahasia (not public), tanggal, titik */
static void make_fields(struct fixture *fx)
{
    fx_init(fx);
    fx_field(fx, "kode", ODP_TYPE_STRING);
    fx_field(fx, "nama \"x\"", ODP_TYPE_STRING);
    fx_field(fx, "luas", ODP_TYPE_NUMBER);
    fx_field(fx, "jumlah", ODP_TYPE_INTEGER);
    fx_field(fx, "aktif", ODP_TYPE_BOOLEAN);
    fx_field(fx, "rahasia", ODP_TYPE_STRING)->is_public = false;
    fx_field(fx, "tanggal", ODP_TYPE_DATE);
    fx_field(fx, "titik", ODP_TYPE_GEOPOINT);
    fx_key(fx, 0, -1);
}

static const struct odp_slice rows[] = {
    S("31.71"),
    S("Kel. \"A\", RW 1"),
    S("12.50"),
    S("-3"),
    S("true"),
    S("3171012345678901"),
    S("2024-03-15"),
    S("[106.8,-6.2]"),
    S("0071"),
    S(""),
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    NUL,
    S("x;y"),
    S(" =1+1\r\n"),
    S("12345678901234567890.1"),
    S("0"),
    S("false"),
    S("RAHASIA"),
    S("0001-01-01"),
    NUL,
};

/* What the tests have written; the last of them compares. */
static struct odp_buffer told;

static void tell(const struct fixture *fx, const char *path)
{
    char *text = fx_read(fx, path, NULL);
    odp_buffer_printf(&told, "# %s\n%s\n", path, text);
    free(text);
}

TEST(text_formats)
{
    struct fixture fx;
    make_fields(&fx);
    fx_emit(&fx, rows, 3, 2, NULL);
    tell(&fx, "data/uji/2024-03-15/uji.json");
    tell(&fx, "data/uji/2024-03-15/uji.csv");
    tell(&fx, "data/uji/2024-03-15/uji.excel.csv");
    assert_false(fx_exists(&fx, "data/uji/2024-03-15/uji.geojson")); /* no geometry */
    fx_release(&fx);
}

TEST(spreadsheet_guard)
{
    static const struct odp_slice cells[] = {
        S("=cmd|' /C calc'!A0"),
        S("+1 (2)"),
        S("-"),
        S("-a"),
        S("@SUM(1)"),
        S("\tx"),
        S("1/2"),
        S("1E5"),
        S("E"),
        S("RW 01"),
        S("=\"a\""),
    };
    FX(fx);
    fx_field(&fx, "t", ODP_TYPE_STRING);
    fx_emit(&fx, cells, 11, 4, NULL);
    tell(&fx, "data/uji/2024-03-15/uji.excel.csv");
    tell(&fx, "data/uji/2024-03-15/uji.csv");
}

static double square_xy[] = {106.5, -6.5, 106.75, -6.5, 106.75, -6.25, 106.5, -6.25, 106.5, -6.5};
static double point_xy[] = {107.12345678, -6.0};
static uint32_t square_part[] = {0, 5}, square_poly[] = {0, 1}, point_part[] = {0, 1};
static const struct odp_geom square = {
    .type = ODP_GEOM_POLYGON,
    .npoints = 5,
    .nparts = 1,
    .npolys = 1,
    .xy = square_xy,
    .part = square_part,
    .poly = square_poly,
    .bbox = {106.5, -6.5, 106.75, -6.25},
    .label = {106.625, -6.375},
};
static const struct odp_geom point = {
    .type = ODP_GEOM_POINT,
    .npoints = 1,
    .nparts = 1,
    .xy = point_xy,
    .part = point_part,
    .bbox = {107.12345678, -6.0, 107.12345678, -6.0},
    .label = {107.12345678, -6.0},
};
#define SQUARE                                                                                               \
    "{\"type\":\"Polygon\",\"coordinates\":[[[106.5,-6.5],[106.75,-6.5],[106.75,-6.25],[106.5,-6.25],[106."  \
    "5,-6.5]]]}"

static void make_geometry(struct fixture *fx)
{
    fx_init(fx);
    fx_field(fx, "prov", ODP_TYPE_STRING);
    fx_field(fx, "lon", ODP_TYPE_INTEGER);
    fx->resource.geometry.present = true;
    fx->job.has_geometry = true;
}

TEST(geojson)
{
    static const struct odp_slice cells[] = {S("a,b%"), S("1"), S("c"), S("2"), S("d"), NUL};
    const struct odp_geom *geometry[] = {&square, NULL, &point};
    struct fixture fx;
    make_geometry(&fx);
    fx_key(&fx, 0, 1);
    fx_emit(&fx, cells, 3, 2, geometry);
    tell(&fx, "data/uji/2024-03-15/uji.geojson");
    tell(&fx, "data/uji/2024-03-15/uji.csv");
    fx_release(&fx);
}

TEST(geojson_ids)
{
    static const struct odp_slice cells[] = {S("a"), S("1"), S("b"), S("2")};
    const struct odp_geom *geometry[] = {NULL, NULL};
    struct fixture fx;
    make_geometry(&fx);
    fx_key(&fx, 0, -1);
    fx.fields[0].is_public = false; /* a key that is not public must not come out as id */
    fx_emit(&fx, cells, 2, 2, geometry);
    tell(&fx, "data/uji/2024-03-15/uji.geojson");
    fx_release(&fx);
}

TEST(csv_points_and_wkt)
{
    static const struct odp_slice cells[] = {S("a"), S("1"), S("b"), NUL};
    const struct odp_geom *points[] = {&point, NULL}, *areas[] = {&square, NULL};
    struct fixture fx;
    make_geometry(&fx);
    fx.resource.geometry.types = ODP_GEOM_BIT_POINT;
    fx_emit(&fx, cells, 2, 1, points);
    tell(&fx, "data/uji/2024-03-15/uji.csv");
    tell(&fx, "data/uji/2024-03-15/uji.excel.csv");
    fx_release(&fx);
    make_geometry(&fx);
    fx.resource.geometry.csv_wkt = true;
    fx_emit(&fx, cells, 2, 2, areas);
    tell(&fx, "data/uji/2024-03-15/uji.csv");
    fx_release(&fx);
}

TEST(api_geometry_modes)
{
    static const struct odp_slice cells[] = {S("a"), S("1")};
    static const char *const geometry_of[] = {",\"geometry\":" SQUARE, ",\"geometry\":" SQUARE, ""};
    const struct odp_geom *geometry[] = {&square};
    for (int mode = ODP_GEOMETRY_FULL; mode <= ODP_GEOMETRY_NONE; mode++) {
        struct fixture fx;
        char want[1024];
        make_geometry(&fx);
        fx.resource.geometry.api = (enum odp_geometry_mode)mode;
        fx_emit(&fx, cells, 1, 1, geometry);
        snprintf(want, sizeof want, "{\"data\":[\n{\"prov\":\"a\",\"lon\":1%s}\n],\"status\"",
                 geometry_of[mode]);
        char *page = fx_read(&fx, "v1/uji.json", NULL),
             *whole = fx_read(&fx, "data/uji/2024-03-15/uji.json", NULL);
        assert_memory_equal(page, want, strlen(want));
        assert_non_null(strstr(whole, SQUARE)); /* the download is always whole */
        free(page);
        free(whole);
        fx_release(&fx);
    }
}

TEST(simplified)
{
    enum { N = 400 };
    static double xy[2 * (N + 1)];
    static uint32_t part[] = {0, N + 1}, poly[] = {0, 1};
    static const struct odp_slice cells[] = {S("a"), S("1")};
    struct odp_geom ring = {
        .type = ODP_GEOM_POLYGON,
        .npoints = N + 1,
        .nparts = 1,
        .npolys = 1,
        .xy = xy,
        .part = part,
        .poly = poly,
    };
    const struct odp_geom *geometry[] = {&ring};
    struct fixture fx;
    for (int i = 0; i <= N; i++) { /* a square with 100 points a side */
        int side = i / 100 % 4, at = i % 100;
        xy[2 * i] = 106 + (side == 0 ? at : side == 1 ? 100 : side == 2 ? 100 - at : 0) * 0.001;
        xy[2 * i + 1] = -6 + (side == 0 ? 0 : side == 1 ? at : side == 2 ? 100 : 100 - at) * 0.001;
    }
    xy[2 * N] = xy[0];
    xy[2 * N + 1] = xy[1];
    make_geometry(&fx);
    fx.resource.geometry.api = ODP_GEOMETRY_SIMPLIFIED;
    fx_emit(&fx, cells, 1, 1, geometry);
    char *page = fx_read(&fx, "v1/uji.json", NULL);
    json_t *doc = json_loads(page, 0, NULL),
           *g = json_object_get(json_array_get(json_object_get(doc, "data"), 0), "geometry");
    json_t *outer = json_array_get(json_object_get(g, "coordinates"), 0);
    assert_in_range(json_array_size(outer), 5, 6);
    assert_true(json_equal(json_array_get(outer, 0), json_array_get(outer, json_array_size(outer) - 1)));
    json_decref(doc);
    free(page);
    fx_release(&fx);
}

TEST(name_clash)
{
    static const struct odp_slice cells[] = {S("a")};
    const struct odp_geom *geometry[] = {&point};
    FX(fx);
    fx_field(&fx, "geometry", ODP_TYPE_STRING);
    fx.job.has_geometry = true;
    fx_emit(&fx, cells, 1, 1, geometry);
    char *page = fx_read(&fx, "v1/uji.json", NULL);
    json_t *doc = json_loads(page, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json_object_get(json_array_get(json_object_get(doc, "data"), 0), "geometry_geometry"));
    json_decref(doc);
    free(page);
}

TEST(bad_records_are_left_out)
{
    static const struct odp_slice cells[] = {S("a"), S("b"), S("c")};
    struct odp_batch b;
    struct odp_buffer all = {0}, good = {0};
    FX(fx);
    fx_field(&fx, "t", ODP_TYPE_STRING);
    must(odp_batch_init(&b, 1));
    fx_batch(&fx, &b, cells, 3, 1);
    b.record_bad[1] = 1;
    struct odp_emit_set set = {0};
    struct odp_chunk chunks[ODP_EMIT_MAX] = {0};
    must(fx_begin(&fx, &set));
    must(odp_emit_set_format(&set, &b, chunks));
    must(odp_emit_set_append(&set, chunks));
    odp_emit_logical_batch(&good, &b, false);
    b.record_bad[1] = 0;
    odp_emit_logical_batch(&all, &b, false);
    assert_true(good.len < all.len);
    must(odp_emit_set_end(&set));
    tell(&fx, "data/uji/2024-03-15/uji.csv");
    odp_buffer_release(&good);
    odp_buffer_release(&all);
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_release(&chunks[k]);
    odp_batch_release(&b);
}

TEST(abort_leaves_nothing)
{
    struct odp_emit_set set = {0};
    FX(fx);
    fx_field(&fx, "t", ODP_TYPE_STRING);
    must(fx_begin(&fx, &set));
    assert_true(fx_exists(&fx, "data/uji/2024-03-15/uji.json"));
    odp_emit_set_abort(&set);
    assert_false(fx_exists(&fx, "data/uji/2024-03-15/uji.json"));
    assert_false(fx_exists(&fx, "data/uji/2024-03-15/uji.csv"));
}

/* ---- naughty strings ---- */

struct csv_walk {
    const struct odp_slice *want;
    size_t n, seen;
    bool header;
};

static void on_cell(void *cell, size_t len, void *ctx)
{
    struct csv_walk *w = ctx;
    if (w->header)
        return;
    if (w->seen % 2 == 0) { /* the text; the number of the record is beside it */
        assert_true(w->seen / 2 < w->n);
        assert_int_equal(len, w->want[w->seen].len);
        assert_memory_equal(cell, w->want[w->seen].ptr, len);
    }
    w->seen++;
}

static void on_row(int c, void *ctx)
{
    ((struct csv_walk *)ctx)->header = false;
}

static void check_csv(const struct fixture *fx, const struct odp_slice *cells, size_t n)
{
    struct csv_walk w = {cells, n, 0, true};
    struct csv_parser p;
    size_t len;
    char *text = fx_read(fx, "data/uji/2024-03-15/uji.csv", &len);
    assert_int_equal(csv_init(&p, CSV_STRICT | CSV_STRICT_FINI), 0);
    csv_set_space_func(&p, NULL);
    assert_int_equal(csv_parse(&p, text, len, on_cell, on_row, &w), len);
    assert_int_equal(csv_fini(&p, on_cell, on_row, &w), 0);
    assert_int_equal(w.seen, 2 * n);
    csv_free(&p);
    free(text);
}

static void check_json(const struct fixture *fx, const char *path, const struct odp_slice *cells, size_t n)
{
    size_t len;
    char *text = fx_read(fx, path, &len);
    json_error_t error;
    json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error),
           *data = json_object_get(doc, "data");
    if (doc == NULL)
        fail_msg("%s: %s", path, error.text);
    assert_int_equal(json_array_size(data), n);
    for (size_t i = 0; i < n; i++) {
        const json_t *t = json_object_get(json_array_get(data, i), "t");
        assert_int_equal(json_string_length(t), cells[2 * i].len);
        assert_memory_equal(json_string_value(t), cells[2 * i].ptr, cells[2 * i].len);
    }
    json_decref(doc);
    free(text);
}

static void round_trip(const struct odp_slice *cells, uint32_t n)
{
    FX(fx);
    fx_field(&fx, "t", ODP_TYPE_STRING);
    fx_field(&fx, "n", ODP_TYPE_INTEGER);
    fx_emit(&fx, cells, n, 7, NULL);
    check_json(&fx, "data/uji/2024-03-15/uji.json", cells, n);
    check_json(&fx, "v1/uji.json", cells, n);
    check_csv(&fx, cells, n);
}

TEST(naughty_strings)
{
    json_error_t error;
    json_t *list = json_load_file(ODP_SHARED_DATA "/csv/blns/blns.json", 0, &error);
    if (list == NULL) {
        print_message("no big list of naughty strings here: %s\n", error.text);
        skip();
    }
    size_t n = json_array_size(list);
    assert_true(n > 400 && n <= 1000);
    struct odp_slice *cells = calloc(2 * n, sizeof *cells);
    assert_non_null(cells);
    for (size_t i = 0; i < n; i++) {
        const json_t *s = json_array_get(list, i);
        cells[2 * i] = (struct odp_slice){json_string_value(s), json_string_length(s)};
        cells[2 * i + 1] = S("1");
    }
    round_trip(cells, (uint32_t)n);
    free(cells);
    json_decref(list);
}

/* Every ASCII character and some others at every place of words of every length up to 20: the fast path looks
 * at 8 bytes at a time. */
TEST(every_place)
{
    static const char *const specials[] = {"\xE2\x80\xA8", "\xE2\x80\xA9", "\xC3\xA9", "\xE2\x82\xAC",
                                           "\xF0\x9F\x98\x80"};
    static char texts[1000][32];
    static struct odp_slice cells[2000];
    for (int what = 1; what < 128 + 5; what++) {
        char one[2] = {(char)what, '\0'};
        const char *insert = what < 128 ? one : specials[what - 128];
        uint32_t n = 0;
        for (size_t len = 0; len <= 20; len++)
            for (size_t at = 0; at <= len; at++, n++) {
                memset(texts[n], 'a', len);
                size_t extra = strlen(insert);
                memmove(texts[n] + at + extra, texts[n] + at, len - at);
                memcpy(texts[n] + at, insert, extra);
                cells[2 * n] = (struct odp_slice){texts[n], len + extra};
                cells[2 * n + 1] = S("1");
            }
        round_trip(cells, n);
    }
}

TEST(registry)
{
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    assert_int_equal(n, ODP_EMIT_MAX); /* what callers have room for */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(kinds[i]->file->name, kinds[k]->file->name);
    /* The files of formats come first, each made by its own emitter; others have no format. */
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(kinds[i]->file->format != NULL, i < ODP_FORMAT_FILES);
        if (i < ODP_FORMAT_FILES)
            assert_ptr_equal(kinds[i]->file, &odp_format_files[i]);
    }
}

TEST(files)
{
    struct odp_buffer was;
    answers_read("write/emitted.txt", &was);
    answers_check("write/emitted.txt", &was, &told);
}
