/* The API's pages (where they end, what they say of each other) and the logical content. */
#include "emit_fixture.h"

#include <jansson.h>

static void init_one_field(struct fixture *fx)
{
    fx_init(fx);
    fx_field(fx, "t", ODP_TYPE_STRING);
}

static json_t *load(const struct fixture *fx, const char *path)
{
    size_t len;
    char *text = fx_read(fx, path, &len);
    json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(doc);
    free(text);
    return doc;
}

static size_t records_of(const struct fixture *fx, const char *path)
{
    json_t *doc = load(fx, path);
    size_t n = json_array_size(json_object_get(doc, "data"));
    json_decref(doc);
    return n;
}

static void expect_link(const json_t *doc, const char *rel, const char *want)
{
    const json_t *link = json_object_get(json_object_get(doc, "links"), rel);
    assert_non_null(link);
    if (want == NULL)
        assert_true(json_is_null(link));
    else
        assert_string_equal(json_string_value(link), want);
}

TEST(no_records)
{
    struct fixture fx;
    init_one_field(&fx);
    fx_emit(&fx, NULL, 0, 1, NULL);
    fx_expect(
        &fx, "v1/uji.json",
        "{\"data\":[],\"status\":\"success\",\"meta\":{\"dataset\":\"uji\",\"resource\":null,\"version\":"
        "\"2024-03-15\",\"release\":\"2.5.0\","
        "\"total\":0,\"returned\":0,\"limit\":1000,\"page\":1,\"pages\":1,\"last_update\":\"2024-03-15\"},"
        "\"links\":{\"self\":\"uji.json\",\"next\":null,\"prev\":null,\"first\":\"uji.json\",\"last\":\"uji."
        "json\"}}\n");
    fx_expect(&fx, "data/uji/2024-03-15/uji.csv", "t\r\n");
    assert_false(fx_exists(&fx, "v1/uji/v/2024-03-15/p/2.json"));
    fx_release(&fx);
}

/* N records of LEN bytes of text each: how many stand on pages 1, 2, 3 (0: there is no such page). */
static void expect_pages(uint32_t n, size_t len, int64_t max_records, int64_t max_bytes, uint32_t step,
                         const size_t want[3])
{
    struct fixture fx;
    char *text = malloc(len + 1);
    struct odp_slice *cells = calloc(n + 1, sizeof *cells);
    assert_non_null(text);
    assert_non_null(cells);
    memset(text, 'x', len);
    for (uint32_t i = 0; i < n; i++)
        cells[i] = (struct odp_slice){text, len};
    init_one_field(&fx);
    fx.catalog.portal.page_records = max_records;
    fx.catalog.portal.page_bytes = max_bytes;
    fx_emit(&fx, cells, n, step, NULL);
    static const char *const paths[] = {"v1/uji.json", "v1/uji/v/2024-03-15/p/2.json",
                                        "v1/uji/v/2024-03-15/p/3.json"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fx_exists(&fx, paths[i]), want[i] > 0);
        if (want[i] > 0)
            assert_int_equal(records_of(&fx, paths[i]), want[i]);
    }
    fx_release(&fx);
    free(cells);
    free(text);
}

TEST(page_ends)
{
    /* by number */
    expect_pages(999, 1, 1000, 1 << 20, 400, (const size_t[]){999, 0, 0});
    expect_pages(1000, 1, 1000, 1 << 20, 400, (const size_t[]){1000, 0, 0});
    expect_pages(1001, 1, 1000, 1 << 20, 400, (const size_t[]){1000, 1, 0});
    expect_pages(2001, 1, 1000, 1 << 20, 1000, (const size_t[]){1000, 1000, 1});
    /* by bytes: ,\n{"t":"…"} is 10 and the text */
    expect_pages(5, 90, 1000, 200, 2, (const size_t[]){2, 2, 1});
    expect_pages(5, 91, 1000, 200, 2, (const size_t[]){1, 1, 1});
    expect_pages(3, 1 << 20, 1000, 1 << 20, 3,
                 (const size_t[]){1, 1, 1}); /* larger than a page: one by itself */
    expect_pages(3, (1 << 19) - 10, 1000, 1 << 20, 3, (const size_t[]){2, 1, 0});
}

static unsigned pressed;

static enum odp_status count_pressed(void *ctx, const char *path)
{
    assert_true(fx_exists(ctx, path));
    pressed += strncmp(path, "v1/uji", 6) == 0;
    return ODP_OK;
}

/* A page may get its twins as soon as it is written, beside what is still made of the resource. */
TEST(pages_are_pressed_early)
{
    static const struct odp_slice cells[] = {S("a"), S("b"), S("c")};
    struct fixture fx;
    init_one_field(&fx);
    fx.catalog.portal.page_records = 1;
    fx.output.press = count_pressed;
    pressed = 0;
    fx_emit(&fx, cells, 3, 3, NULL);
    assert_int_equal(pressed, 3);
    fx_release(&fx);
}

TEST(links)
{
    static const struct odp_slice cells[] = {S("a"), S("b"), S("c")};
    struct fixture fx;
    init_one_field(&fx);
    fx.catalog.portal.page_records = 1;
    fx.resource.primary = false;
    fx.resource.name = "lain";
    fx_emit(&fx, cells, 3, 3, NULL);
    json_t *one = load(&fx, "v1/uji/lain.json"), *two = load(&fx, "v1/uji/lain/v/2024-03-15/p/2.json"),
           *three = load(&fx, "v1/uji/lain/v/2024-03-15/p/3.json");
    expect_link(one, "self", "lain.json");
    expect_link(one, "next", "lain/v/2024-03-15/p/2.json");
    expect_link(one, "prev", NULL);
    expect_link(one, "first", "lain.json");
    expect_link(one, "last", "lain/v/2024-03-15/p/3.json");
    expect_link(two, "self", "2.json");
    expect_link(two, "next", "3.json");
    expect_link(two, "prev", "../../../../lain.json");
    expect_link(two, "first", "../../../../lain.json");
    expect_link(two, "last", "3.json");
    expect_link(three, "next", NULL);
    expect_link(three, "prev", "2.json");
    char path[512];
    fx_path(&fx, "v1/uji/lain/v/2024-03-15/p/../../../../lain.json", path); /* where the link leads */
    assert_int_equal(access(path, F_OK), 0);
    const json_t *meta = json_object_get(two, "meta");
    assert_string_equal(json_string_value(json_object_get(meta, "resource")), "lain");
    assert_int_equal(json_integer_value(json_object_get(meta, "total")), 3);
    assert_int_equal(json_integer_value(json_object_get(meta, "page")), 2);
    assert_int_equal(json_integer_value(json_object_get(meta, "pages")), 3);
    json_decref(one);
    json_decref(two);
    json_decref(three);
    fx_release(&fx);
}

static unsigned scratches_there(const struct fixture *fx)
{
    unsigned n = 0;
    for (unsigned i = 1; i <= fx->scratches; i++) {
        char name[32];
        snprintf(name, sizeof name, "scratch-%u", i);
        n += fx_exists(fx, name);
    }
    return n;
}

enum { MANY = 30000, LEN = 600 };

/* More than is held in memory: MANY texts of LEN bytes, each another one. */
static struct odp_slice *make_many(char **text)
{
    struct odp_slice *cells = calloc(MANY, sizeof *cells);
    char *w = *text = malloc((size_t)MANY * LEN);
    assert_non_null(cells);
    assert_non_null(w);
    for (int i = 0; i < MANY; i++, w += LEN) {
        memset(w, 'a' + i % 26, LEN);
        memcpy(w,
               (char[8]){(char)('0' + i / 10000), (char)('0' + i / 1000 % 10), (char)('0' + i / 100 % 10),
                         (char)('0' + i / 10 % 10), (char)('0' + i % 10), ' ', ' ', ' '},
               8);
        cells[i] = (struct odp_slice){w, LEN};
    }
    return cells;
}

static void expect_many(const struct fixture *fx, const char *text)
{
    size_t seen = 0;
    for (int page = 1; page <= MANY / 1000; page++) {
        char path[64];
        snprintf(path, sizeof path, page == 1 ? "v1/uji.json" : "v1/uji/v/2024-03-15/p/%d.json", page);
        json_t *doc = load(fx, path), *data = json_object_get(doc, "data");
        for (size_t i = 0; i < json_array_size(data); i++, seen++)
            assert_memory_equal(json_string_value(json_object_get(json_array_get(data, i), "t")),
                                text + seen * LEN, LEN);
        json_decref(doc);
    }
    assert_int_equal(seen, MANY);
}

/* The download has the same records: the pages are cut out of it. */
TEST(out_of_the_download)
{
    struct fixture fx;
    char *text;
    struct odp_slice *cells = make_many(&text);
    init_one_field(&fx);
    fx_emit(&fx, cells, MANY, 4096, NULL);
    assert_int_equal(fx.scratches, 1); /* the workbook's */
    assert_int_equal(scratches_there(&fx), 0);
    expect_many(&fx, text);
    free(cells);
    free(text);
    fx_release(&fx);
}

/* Without a download through the scratch file, which is gone afterwards. */
TEST(scratch)
{
    struct fixture fx;
    char *text;
    struct odp_slice *cells = make_many(&text);
    init_one_field(&fx);
    for (size_t i = 0; i < ODP_COUNT(fx.formats); i++)
        if (odp_slice_is(fx.formats[i], "JSON"))
            fx.formats[i] = ODP_LIT("CSV");
    fx_emit(&fx, cells, MANY, 4096, NULL);
    assert_false(fx_exists(&fx, "data/uji/2024-03-15/uji.json"));
    assert_int_equal(fx.scratches, 2); /* the pages', and the workbook's */
    assert_int_equal(scratches_there(&fx), 0);
    expect_many(&fx, text);
    /* aborted halfway: nothing is left of it */
    struct odp_emit_set set = {0};
    struct odp_chunk chunks[ODP_EMIT_MAX] = {0};
    struct odp_batch b;
    must(odp_batch_init(&b, 1));
    fx_batch(&fx, &b, cells, 20000, 1);
    fx.job.version = "2024-03-16";
    must(fx_begin(&fx, &set));
    must(odp_emit_set_format(&set, &b, chunks));
    must(odp_emit_set_append(&set, chunks));
    assert_int_equal(scratches_there(&fx),
                     1); /* the pages'; what the workbook's library writes goes by itself */
    odp_emit_set_abort(&set);
    assert_int_equal(scratches_there(&fx), 0);
    for (size_t k = 0; k < ODP_EMIT_MAX; k++)
        odp_chunk_release(&chunks[k]);
    odp_batch_release(&b);
    free(cells);
    free(text);
    fx_release(&fx);
}

/* Batches cut anywhere give the same files. */
TEST(same_bytes_for_any_batches)
{
    static const char *const paths[] = {
        "v1/uji.json",
        "v1/uji/v/2024-03-15/p/2.json",
        "data/uji/2024-03-15/uji.json",
        "data/uji/2024-03-15/uji.csv",
        "data/uji/2024-03-15/uji.excel.csv",
    };
    struct odp_slice cells[50];
    struct fixture a, b;
    for (int i = 0; i < 50; i++)
        cells[i] = i % 3 == 0 ? S("satu") : i % 3 == 1 ? S("d\"ua") : NUL;
    init_one_field(&a);
    init_one_field(&b);
    a.catalog.portal.page_records = b.catalog.portal.page_records = 30;
    fx_emit(&a, cells, 50, 50, NULL);
    fx_emit(&b, cells, 50, 7, NULL);
    for (size_t i = 0; i < ODP_COUNT(paths); i++) {
        char *x = fx_read(&a, paths[i], NULL), *y = fx_read(&b, paths[i], NULL);
        assert_string_equal(x, y);
        free(x);
        free(y);
    }
    fx_release(&a);
    fx_release(&b);
}

/* Which emitter of S writes the file called NAME. */
static size_t emitter_of(const struct odp_emit_set *s, const char *name)
{
    size_t k = 0;
    while (k < s->n && strcmp(s->kinds[k]->file->name, name) != 0)
        k++;
    assert_true(k < s->n);
    return k;
}

TEST(chunks_are_shared)
{
    struct fixture fx;
    struct odp_emit_set set = {0};
    init_one_field(&fx);
    fx.job.has_geometry = true;
    must(fx_begin(&fx, &set));
    assert_int_equal(set.chunk_of[emitter_of(&set, "api")],
                     emitter_of(&set, "json")); /* full geometry in both */
    odp_emit_set_abort(&set);
    fx.resource.geometry.api = ODP_GEOMETRY_NONE;
    must(fx_begin(&fx, &set));
    assert_int_equal(set.chunk_of[emitter_of(&set, "api")], emitter_of(&set, "api"));
    odp_emit_set_abort(&set);
    fx_release(&fx);
}

/* ---- logical content ---- */

static void logical(struct fixture *fx, const struct odp_slice *cells, uint32_t n,
                    const struct odp_geom **geometry, struct odp_buffer *out)
{
    struct odp_batch b;
    odp_buffer_init(out);
    must(odp_batch_init(&b, 1));
    fx_batch(fx, &b, cells, n, 1);
    b.geometry = geometry;
    odp_emit_logical_header(out, &fx->resource, geometry != NULL);
    odp_emit_logical_batch(out, &b, geometry != NULL);
    must(odp_buffer_status(out));
    odp_batch_release(&b);
}

static bool same_content(const struct odp_slice *a, const struct odp_slice *b)
{
    struct fixture fx;
    struct odp_buffer x, y;
    fx_init(&fx);
    fx_field(&fx, "a", ODP_TYPE_STRING);
    fx_field(&fx, "b", ODP_TYPE_STRING);
    fx_field(&fx, "p", ODP_TYPE_STRING)->is_public = false;
    logical(&fx, a, 1, NULL, &x);
    logical(&fx, b, 1, NULL, &y);
    bool same = x.len == y.len && memcmp(x.ptr, y.ptr, x.len) == 0;
    odp_buffer_release(&x);
    odp_buffer_release(&y);
    fx_release(&fx);
    return same;
}

TEST(logical)
{
    const struct odp_slice base[] = {S("ab"), S("c"), S("rahasia")};
    assert_true(same_content(base, (const struct odp_slice[]){S("ab"), S("c"), S("lain")}));
    assert_false(same_content(base, (const struct odp_slice[]){S("a"), S("bc"), S("rahasia")}));
    assert_false(same_content(base, (const struct odp_slice[]){S("ab"), NUL, S("rahasia")}));
    assert_false(same_content((const struct odp_slice[]){S("ab"), S(""), NUL},
                              (const struct odp_slice[]){S("ab"), NUL, NUL}));
    struct odp_buffer x;
    const struct odp_slice cells[] = {S("ab"), NUL};
    FX(fx);
    fx_field(&fx, "a\tb", ODP_TYPE_STRING);
    fx_field(&fx, "n", ODP_TYPE_NUMBER)->unit = (struct odp_text){{"hektare", "hectare"}};
    fx_key(&fx, 0, 1);
    logical(&fx, cells, 1, NULL, &x);
    static const char want[] =
        "odp-logical 1\nF a\\tb\tstring\t\t\nF n\tnumber\thektare\thectare\nP a\\tb\tn\nG0\ns\2\0\0\0ab0";
    assert_int_equal(x.len, sizeof want - 1);
    assert_memory_equal(x.ptr, want, sizeof want - 1);
    odp_buffer_release(&x);
}

TEST(logical_geometry)
{
    static double there[] = {0, 0, 1, 0, 1, 1, 0, 0}, back[] = {0, 0, 1, 1, 1, 0, 0, 0},
                  other[] = {0, 0, 1, 0, 1, 1.0000001, 0, 0};
    static uint32_t part[] = {0, 4}, poly[] = {0, 1};
    static const struct odp_slice cells[] = {S("a")};
    struct odp_buffer out[3];
    struct fixture fx;
    init_one_field(&fx);
    double *const rings[] = {there, back, other};
    for (int i = 0; i < 3; i++) {
        const struct odp_geom g = {
            .type = ODP_GEOM_POLYGON,
            .npoints = 4,
            .nparts = 1,
            .npolys = 1,
            .xy = rings[i],
            .part = part,
            .poly = poly,
        };
        const struct odp_geom *geometry[] = {&g};
        logical(&fx, cells, 1, geometry, &out[i]);
    }
    assert_int_equal(out[0].len, out[1].len);
    assert_memory_equal(out[0].ptr, out[1].ptr, out[0].len);
    assert_memory_not_equal(out[0].ptr, out[2].ptr, out[0].len);
    for (int i = 0; i < 3; i++)
        odp_buffer_release(&out[i]);
    fx_release(&fx);
}
