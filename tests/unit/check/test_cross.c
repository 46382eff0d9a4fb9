/* Rules across datasets: what is gathered, how it is looked up, what is broken. */
#include "catalog_folder.h"

#include "check/across/across_internal.h"
#include "run/run.h"

#define PACKAGE(name, fields, more)                                                                          \
    "{\"name\": \"" name "\", \"title\": \"x\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": "            \
    "\"2024-03-15\", \"resources\": [{\"name\": \"" name                                                     \
    "\", \"type\": \"table\", \"path\": \"data.csv\", " more                                                 \
    "\"schema\": {\"primaryKey\": [\"id\"], \"missingValues\": [\"\"], \"fields\": [" fields "]}}]}"
#define FIELD(name, type) "{\"name\": \"" name "\", \"type\": \"" type "\"}"
#define FIELDS                                                                                               \
    FIELD("id", "string")                                                                                    \
    ", " FIELD("k", "string") ", " FIELD("n", "number") ", " FIELD("y", "year") ", " FIELD(                  \
        "d", "date") ", "                                                                                    \
                     "{\"name\": \"t\", \"type\": \"datetime\"}, " FIELD(                                    \
                         "b",                                                                                \
                         "boolean") ", {\"name\": \"s\", \"type\": \"string\", \"sdi:aksesPublik\": false}"
#define HEADER "id,k,n,y,d,t,b,s\n"

static void make(struct folder *f, const char *rules, const char *a, const char *b)
{
    folder_write(f, "c/portal.json", PORTAL);
    folder_write(f, "c/a/dataset.json", PACKAGE("a", FIELDS, ""));
    folder_write(f, "c/b/dataset.json", PACKAGE("b", FIELDS, ""));
    folder_write(f, "c/rules.json", rules);
    folder_write(f, "c/a/data.csv", a);
    folder_write(f, "c/b/data.csv", b);
}

struct told {
    uint64_t n;
};

static enum odp_status tell(void *ctx, const struct odp_diag *d)
{
    struct told *t = ctx;
    t->n += d->code == ODP_L02;
    return ODP_OK;
}

/* Checks the catalogue; f->faults becomes "code dataset line: value" a fault. Returns the errors. */
static uint64_t run(struct folder *f, unsigned jobs, bool strict, size_t examples, struct told *told)
{
    char dir[300];
    const struct odp_diag_sink sink = {tell, told};
    snprintf(dir, sizeof dir, "%s/c", f->dir);
    const struct odp_options o = {.catalog = dir,
                                  .out = dir,
                                  .jobs = jobs,
                                  .examples = examples,
                                  .strict = strict,
                                  .sink = told != NULL ? &sink : NULL};
    struct odp_run result = {0};
    size_t n;
    enum odp_status status = odp_run_check(&result, &o);
    assert_int_not_equal(status, ODP_FAIL);
    odp_buffer_clear(&f->faults);
    const struct odp_diag_group *const *groups = odp_diags_groups(result.diags, &n);
    for (size_t i = 0; i < n; i++)
        for (const struct odp_diag_node *e = groups[i]->examples; e != NULL; e = e->next)
            odp_buffer_printf(&f->faults, "%s %s %llu: %.*s\n", odp_code_info(e->diag.code)->code + 4,
                              e->diag.dataset != NULL ? e->diag.dataset : "",
                              (unsigned long long)e->diag.line, (int)e->diag.value.len,
                              e->diag.value.ptr != NULL ? e->diag.value.ptr : "");
    uint64_t errors = odp_diags_count(result.diags, ODP_SEVERITY_ERROR);
    odp_run_release(&result);
    return errors;
}

static void expect(struct folder *f, const char *text)
{
    (void)run(f, 1, false, 100, NULL);
    assert_string_equal(odp_buffer_cstr(&f->faults), text);
    (void)run(f, 3, false, 100, NULL);
    assert_string_equal(odp_buffer_cstr(&f->faults), text);
}

#define RULE(each, more, expr)                                                                               \
    "{\"rules\": [{\"code\": \"r\", \"message\": \"m\", \"each\": \"" each "\", " more "\"expr\": \"" expr   \
    "\"}]}"
#define JOIN(select)                                                                                         \
    "\"join\": [{\"name\": \"b\", \"resource\": \"b\", \"on\": {\"k\": \"k\"}, \"select\": {" select "}}], "

static const char one[] = HEADER "1,x,,,,,,\n2,y,,,,,,\n3,,,,,,,\n";

TEST(aggregates_are_exact)
{
    struct folder f;
    folder_init(&f);
    make(&f,
         RULE("a",
              "\"where\": \"k = 'x'\", " JOIN(
                  "\"c\": \"COUNT()\", \"cn\": \"COUNT(n)\", \"dn\": \"COUNT(DISTINCT n)\", \"sum\": "
                  "\"SUM(n)\", \"lo\": \"MIN(n)\", \"hi\": \"MAX(n)\", "
                  "\"mean\": \"MEAN(n)\", \"f\": \"MIN(d)\", \"l\": \"MAX(t)\", \"name\": \"MAX(id)\", "
                  "\"year\": \"MIN(y)\", \"s\": \"count( * )\""),
              "b.c = 0 OR b.cn = 0 OR b.dn = 0 OR b.sum = 0 OR b.lo = 0 OR b.hi = 0 OR b.mean = 0 OR b.f = "
              "'2000-01-01' OR b.l = '2000-01-01T00:00:00Z' OR b.name = '' OR "
              "b.year = 0 OR b.s = 0"),
         one,
         HEADER "p,x,0.1,2024,2024-03-01,2024-03-01T10:00:00+07:00,,\nq,x,0.20,2023,2024-02-29,2024-03-01T09:"
                "00:00+09:00,,\nr,x,0.2,,,2024-03-01T05:00:00Z,,\ns,x,,,,,,\nz,y,5,,,,,\n");
    expect(&f, "L02 a 2: id = 1, k = x: b.c = 4, b.cn = 3, b.dn = 2, b.sum = 0.5, b.lo = 0.1, b.hi = 0.20, "
               "b.mean = 0.16666666666666666667, b.f = 2024-02-29, "
               "b.l = 2024-03-01T05:00:00Z, b.name = s, b.year = 2023, b.s = 4\n");
    folder_release(&f);
}

TEST(long_sums_are_decimal)
{
    struct folder f;
    folder_init(&f);
    make(&f, RULE("a", "\"where\": \"k = 'x'\", " JOIN("\"sum\": \"SUM(n)\""), "b.sum = 0"), one,
         HEADER "p,x,9007199254740993,,,,,\nq,x,0.000000000001,,,,,\nr,x,-9007199254740992,,,,,\n");
    expect(&f, "L02 a 2: id = 1, k = x: b.sum = 1.000000000001\n");
    make(&f, RULE("a", "\"where\": \"k = 'x'\", " JOIN("\"sum\": \"SUM(n)\""), "b.sum = 0"),
         one, /* beyond 38 digits there is no sum, and no breach */
         HEADER "p,x,99999999999999999999999999999999999999,,,,,\nq,x,1,,,,,\n");
    expect(&f, "");
    folder_release(&f);
}

TEST(without_match_counts_are_0_and_the_rest_null)
{
    struct folder f;
    folder_init(&f);
    make(&f, RULE("a", JOIN("\"n\": \"COUNT()\", \"sum\": \"SUM(n)\""), "b.n > 0"), one,
         HEADER "p,x,1,,,,,\nq,,1,,,,,\n");
    expect(&f, "L02 a 3: id = 2, k = y: b.n = 0\nL02 a 4: id = 3, k = —: b.n = 0\n"); /* an empty key matches
                                                                                         no empty key */
    make(&f, RULE("a", JOIN("\"n\": \"COUNT()\", \"sum\": \"SUM(n)\""), "b.sum > 5"), one,
         HEADER "p,x,1,,,,,\nq,y,,,,,,\n");
    expect(&f, "L02 a 2: id = 1, k = x: b.sum = 1\n");
    make(&f, RULE("a", JOIN("\"sum\": \"SUM(n)\""), "b.sum IS NOT NULL"), one,
         HEADER "p,x,1,,,,,\nq,y,,,,,,\n");
    expect(&f, "L02 a 3: id = 2, k = y: b.sum = —\nL02 a 4: id = 3, k = —: b.sum = —\n");
    folder_release(&f);
}

TEST(keys_are_equal_by_value)
{
    struct folder f;
    folder_init(&f);
#define ON(a, b)                                                                                             \
    RULE("a",                                                                                                \
         "\"join\": [{\"name\": \"b\", \"resource\": \"b\", \"on\": {\"" a "\": \"" b                        \
         "\"}, \"select\": {\"n\": \"COUNT()\"}}], ",                                                        \
         "b.n = 0")
    make(&f, ON("n", "n"), HEADER "1,,1.50,,,,,\n2,,-0,,,,,\n3,,7,,,,,\n",
         HEADER "p,,1.5,,,,,\nq,,1.500,,,,,\nr,,0,,,,,\n");
    expect(&f, "L02 a 2: id = 1, n = 1.50: b.n = 2\nL02 a 3: id = 2, n = -0: b.n = 1\n");
    make(&f, ON("y", "n"), HEADER "1,,,2024,,,,\n", HEADER "p,,2024.0,,,,,\n");
    expect(&f, "L02 a 2: id = 1, y = 2024: b.n = 1\n");
    make(&f, ON("t", "t"), HEADER "1,,,,,2024-01-01T07:00:00+07:00,,\n",
         HEADER "p,,,,,2024-01-01T00:00:00Z,,\n");
    expect(&f, "L02 a 2: id = 1, t = 2024-01-01T07:00:00+07:00: b.n = 1\n");
    make(&f,
         RULE("a",
              "\"join\": [{\"name\": \"b\", \"resource\": \"b\", \"on\": {\"k\": \"k\", \"id\": \"id\"}, "
              "\"select\": {\"n\": \"COUNT()\"}}], ",
              "b.n = 0"),
         HEADER "bc,a,,,,,,\n", HEADER "c,ab,,,,,,\nbc,a,,,,,,\n"); /* (a, bc) is not (ab, c) */
    expect(&f, "L02 a 2: id = bc, k = a: b.n = 1\n");
    folder_release(&f);
}

TEST(groups_and_conditions)
{
    struct folder f;
    folder_init(&f);
    make(
        &f,
        RULE("a",
             "\"where\": \"n > 0\", \"group\": [\"k\", \"b\"], \"select\": {\"total\": \"SUM(n)\", \"dari\": "
             "\"MIN(d)\"}, \"join\": [{\"name\": \"b\", \"resource\": \"b\", \"on\": {\"k\": \"k\"}, "
             "\"where\": \"b = TRUE\", \"select\": {\"total\": \"SUM(n)\"}}], ",
             "total = b.total"),
        HEADER "1,y,2,,2024-01-02,,true,\n2,x,1,,,,true,\n3,y,3,,2024-01-01,,true,\n4,y,-9,,,,true,\n5,y,1,,,"
               ",false,\n6,,1,,,,true,\n",
        HEADER "p,x,1.0,,,,true,\nq,y,4,,,,true,\nr,y,1,,,,false,\n");
    expect(&f,
           "L02 a 2: k = y, b = true [2, 4]: total = 5, b.total = 4\nL02 a 6: k = y, b = false: total = 1, "
           "b.total = 4\n");
    folder_release(&f);
}

TEST(a_table_may_be_joined_with_itself)
{
    struct folder f;
    folder_init(&f);
    make(&f,
         RULE("a",
              "\"join\": [{\"name\": \"atasan\", \"resource\": \"a\", \"on\": {\"k\": \"id\"}, \"select\": "
              "{\"n\": \"n\", \"s\": \"s\"}}, {\"name\": \"semua\", \"resource\": \"a\", "
              "\"on\": {\"k\": \"k\"}, \"select\": {\"c\": \"COUNT()\"}}], ",
              "n < atasan.n AND atasan.s = 'x' AND semua.c < 2"),
         HEADER "1,,10,,,,,x\n2,1,3,,,,,y\n3,2,4,,,,,\n4,9,4,,,,,\n", one);
    /* 4's superior does not exist: no fault; a private value is never shown */
    expect(&f, "L02 a 4: id = 3, k = 2: n = 4, atasan.n = 3, atasan.s = ***, semua.c = 1\n");
    folder_release(&f);
}

TEST(severities)
{
    struct folder f;
    struct told told = {0};
    folder_init(&f);
    static const char rows[] = HEADER "1,x,,,,,,\n2,y,,,,,,\n3,z,,,,,,\n";
    make(&f, RULE("a", JOIN("\"n\": \"COUNT()\""), "b.n > 0"), rows, HEADER "p,x,,,,,,\n");
    assert_int_equal(run(&f, 2, false, 1, &told), 2); /* all count, one is kept, the sink hears of both */
    assert_int_equal(told.n, 2);
    assert_string_equal(odp_buffer_cstr(&f.faults), "L02 a 3: id = 2, k = y: b.n = 0\n");
    folder_write(&f, "c/a/dataset.json",
                 PACKAGE("a", FIELDS, "\"odp:severity\": {\"cross-rule\": \"warning\"}, "));
    assert_int_equal(run(&f, 1, false, 5, NULL), 0);
    assert_int_equal(run(&f, 1, true, 5, NULL), 2);
    make(&f, RULE("a", "\"severity\": \"warning\", " JOIN("\"n\": \"COUNT()\""), "b.n > 0"), rows,
         HEADER "p,x,,,,,,\n");
    assert_int_equal(run(&f, 1, false, 5, NULL), 0);
    assert_true(f.faults.len > 0);
    make(&f, RULE("a", "\"severity\": \"off\", " JOIN("\"n\": \"COUNT()\""), "b.n > 0"), rows,
         HEADER "p,x,,,,,,\n");
    expect(&f, "");
    folder_release(&f);
}

TEST(code_lists_take_part)
{
    static const char list[] =
        "{\"name\": \"l\", \"title\": \"x\", \"resources\": [{\"name\": \"2024\", \"type\": \"table\", "
        "\"path\": \"l.csv\", \"odp:editionDate\": \"2024-01-01\", "
        "\"schema\": {\"primaryKey\": [\"kode\"], \"fields\": [{\"name\": \"kode\", \"type\": "
        "\"string\"}]}}]}";
    struct folder f;
    folder_init(&f);
    folder_write(&f, "c/references/l/dataset.json", list);
    folder_write(&f, "c/references/l/l.csv", "kode\nx\nw\n");
    make(&f,
         RULE("references/l@2024",
              "\"join\": [{\"name\": \"a\", \"resource\": \"a\", \"on\": {\"kode\": \"k\"}, \"select\": "
              "{\"n\": \"COUNT()\"}}], ",
              "a.n > 0"),
         one, one);
    expect(&f, "L02 l 3: kode = w: a.n = 0\n");
    folder_release(&f);
}

/* ---- parts ---- */

TEST(rows_wait_in_memory_and_then_in_a_file)
{
    enum { SIZE = 1 << 20, N = 70 };
    struct cross_spool s;
    uint64_t at[N];
    char *block = malloc(SIZE), *back = malloc(SIZE);
    assert_true(block != NULL && back != NULL);
    cross_spool_init(&s);
    for (int i = 0; i < N; i++) {
        memset(block, i, SIZE);
        must(cross_spool_add(&s, (struct odp_slice){block, SIZE - (size_t)i}, &at[i]));
    }
    assert_true(s.fd >= 0 && s.memory.len <= (size_t)32 << 20);
    for (int i = N - 1; i >= 0; i--) {
        memset(block, i, SIZE);
        must(cross_spool_read(&s, at[i], SIZE - (size_t)i, back));
        assert_memory_equal(block, back, SIZE - (size_t)i);
    }
    cross_spool_release(&s);
    free(block);
    free(back);
}

TEST(pairs_of_geometries)
{
    static const char *const others[] = {"x.geometry", "y.geometry", NULL};
    struct odp_field field = {.name = "n", .type = ODP_TYPE_INTEGER};
    const struct odp_schema schema = {.fields = &field, .n = 1};
    const struct odp_expr_scope scope = {.schema = &schema, .geometry = "geometry", .others = others};
    const struct odp_expr *e;
    struct odp_expr_fault fault;
    struct odp_arena arena;
    size_t n;
    odp_arena_init(&arena);
    must(odp_expr_compile_in(&arena,
                             ODP_LIT("n > 1 OR S_WITHIN(geometry, y.geometry) AND S_CONTAINS(y.geometry, "
                                     "geometry) AND NOT S_TOUCHES(\"x.geometry\", geometry)"),
                             &scope, &e, &fault));
    const struct odp_expr_pair *pairs = odp_expr_pairs(e, &n);
    assert_int_equal(n, 2); /* the second says the same as the first */
    assert_int_equal(pairs[0].op, ODP_S_WITHIN);
    assert_int_equal(pairs[0].other, 1);
    assert_int_equal(pairs[1].op, ODP_S_TOUCHES);
    assert_int_equal(pairs[1].other, 0);
    struct odp_slice zero[3] = {ODP_LIT("0"), ODP_LIT("0"), ODP_LIT("2")},
                     first[3] = {ODP_LIT("true"), ODP_LIT("true"), ODP_LIT("true")},
                     second[3] = {ODP_LIT("false"), ODP_LIT("true"), ODP_LIT("false")};
    uint8_t fine[3] = {0}, unknown[3] = {0, 0, ODP_VALUE_NULL}, truth[3];
    struct odp_column columns[3] = {{zero, fine}, {first, unknown}, {second, fine}};
    const struct odp_batch b = {.nrecords = 3, .columns = columns};
    must(odp_expr_eval(e, &b, &arena, truth));
    assert_int_equal(truth[0], ODP_TRUE);
    assert_int_equal(truth[1], ODP_FALSE);
    assert_int_equal(truth[2], ODP_TRUE);
    odp_expr_release(e);
    must_refuse(odp_expr_compile_in(&arena, ODP_LIT("S_WITHIN(geometry, z.geometry)"), &scope, &e, &fault));
    must_refuse(odp_expr_compile_in(&arena, ODP_LIT("S_WITHIN(x.geometry, y.geometry)"), &scope, &e, &fault));
    odp_arena_release(&arena);
}

TEST(a_geometry_is_prepared)
{
    double ring[] = {0, 0, 4, 0, 4, 4, 0, 4, 0, 0}, inside[] = {1, 1}, edge[] = {4, 1};
    uint32_t part[] = {0, 5}, poly[] = {0, 1}, single[] = {0, 1};
    const struct odp_geom square = {.type = ODP_GEOM_POLYGON,
                                    .npoints = 5,
                                    .nparts = 1,
                                    .npolys = 1,
                                    .xy = ring,
                                    .part = part,
                                    .poly = poly,
                                    .bbox = {0, 0, 4, 4}},
                          in = {.type = ODP_GEOM_POINT,
                                .npoints = 1,
                                .nparts = 1,
                                .xy = inside,
                                .part = single,
                                .bbox = {1, 1, 1, 1}},
                          on = {.type = ODP_GEOM_POINT,
                                .npoints = 1,
                                .nparts = 1,
                                .xy = edge,
                                .part = single,
                                .bbox = {4, 1, 4, 1}},
                          none = {.type = ODP_GEOM_POINT};
    const struct {
        enum odp_spatial_op op;
        uint8_t in, on;
    } all[] = {{ODP_S_WITHIN, ODP_TRUE, ODP_FALSE},
               {ODP_S_INTERSECTS, ODP_TRUE, ODP_TRUE},
               {ODP_S_TOUCHES, ODP_FALSE, ODP_TRUE},
               {ODP_S_DISJOINT, ODP_FALSE, ODP_FALSE}};
    for (size_t i = 0; i < ODP_COUNT(all); i++) {
        struct odp_spatial *s;
        uint8_t truth;
        must(odp_spatial_of(&s, all[i].op, &square));
        must(odp_spatial_test(s, &in, &truth));
        assert_int_equal(truth, all[i].in);
        must(odp_spatial_test(s, &on, &truth));
        assert_int_equal(truth, all[i].on);
        odp_spatial_free(s);
        must_refuse(odp_spatial_of(&s, all[i].op, &none));
    }
}
