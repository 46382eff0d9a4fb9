/* Rules across datasets: what is gathered, how it is looked up, what is broken. */
#include "answer_lines.h"
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
    const struct odp_options o = {
        .catalog = dir,
        .out = dir,
        .jobs = jobs,
        .examples = examples,
        .strict = strict,
        .sink = told != NULL ? &sink : NULL,
    };
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

/* Questions of cross.txt: "rules JSON" begins anew, "a ROW" and "b ROW" are rows of the two tables, "file
 * PATH TEXT" lies beside them; "check" has the faults for answer, with one thread as with three. */
struct cross {
    struct folder f;
    struct odp_buffer rules, a, b;
};

static void ask(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct cross *c = ctx;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " "), *path;
    if (strcmp(verb, "rules") == 0) {
        odp_buffer_clear(&c->rules);
        odp_buffer_clear(&c->a);
        odp_buffer_clear(&c->b);
        odp_buffer_add_str(&c->rules, rest);
        odp_buffer_add_str(&c->a, HEADER);
        odp_buffer_add_str(&c->b, HEADER);
    } else if (strcmp(verb, "file") == 0) {
        path = strsep(&rest, " ");
        folder_write(&c->f, path, rest);
    } else if (strcmp(verb, "check") == 0) {
        make(&c->f, odp_buffer_cstr(&c->rules), odp_buffer_cstr(&c->a), odp_buffer_cstr(&c->b));
        (void)run(&c->f, 1, false, 100, NULL);
        odp_buffer_add_slice(out, odp_buffer_slice(&c->f.faults));
        (void)run(&c->f, 3, false, 100, NULL);
        assert_string_equal(odp_buffer_cstr(&c->f.faults), odp_buffer_cstr(out));
    } else {
        odp_buffer_printf(*verb == 'a' ? &c->a : &c->b, "%s\n", rest);
    }
    free(text);
}

TEST(rules)
{
    struct cross c = {0};
    folder_init(&c.f);
    answer_lines("check/cross.txt", ask, &c);
    odp_buffer_release(&c.rules);
    odp_buffer_release(&c.a);
    odp_buffer_release(&c.b);
    folder_release(&c.f);
}

#define RULE(each, more, expr)                                                                               \
    "{\"rules\": [{\"code\": \"r\", \"message\": \"m\", \"each\": \"" each "\", " more "\"expr\": \"" expr   \
    "\"}]}"
#define JOIN(select)                                                                                         \
    "\"join\": [{\"name\": \"b\", \"resource\": \"b\", \"on\": {\"k\": \"k\"}, \"select\": {" select "}}], "

TEST(severities)
{
    struct told told = {0};
    FOLDER(f);
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
    assert_int_equal(run(&f, 1, false, 5, NULL), 0);
    assert_int_equal(f.faults.len, 0);
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
    ARENA(arena);
    size_t n;
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
