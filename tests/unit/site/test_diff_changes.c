/* Differences of two versions: matching, order, cells, the sort on the disk. */
#include "answer_lines.h"
#include "changes_fixture.h"
#include "random.h"

#define KEYED(fields, key) "{'fields':[" fields "],'primaryKey':[" key "]}"
#define STR(name)          "{'name':'" name "','type':'string'}"
#define INT(name)          "{'name':'" name "','type':'integer'}"

/* Questions of differences.txt: "from SCHEMA", "to SCHEMA" (' means "), "old FORM BYTES", and "new FORM
 * BYTES", which is answered with how many rows were added, removed and changed, cells and geometries, and
 * every form but the page. */
struct compared {
    struct cf cf;
    char *schemas[2], *old;
};

static struct cf_side side_of(const char *schema, char *text)
{
    const char *form = strsep(&text, " ");
    return (struct cf_side){schema, strcmp(form, "csv") == 0 ? ODP_FORM_CSV : ODP_FORM_JSON,
                            odp_slice_of(text)};
}

static void keep(char **place, const char *text)
{
    free(*place);
    *place = strdup(text);
}

static void compare(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct compared *c = ctx;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    if (strcmp(verb, "old") == 0) {
        keep(&c->old, rest);
    } else if (strcmp(verb, "new") != 0) {
        keep(&c->schemas[*verb == 't'], rest);
    } else {
        char *old = strdup(c->old);
        const struct cf_side from = side_of(c->schemas[0], old), to = side_of(c->schemas[1], rest);
        must(cf_run(&c->cf, &from, &to));
        const struct odp_changes_counts *n = &c->cf.counts;
        odp_buffer_printf(out, "+%d -%d ~%d, cells %d, geometries %d%s\n", (int)n->added, (int)n->removed,
                          (int)n->changed, (int)n->cells, (int)n->geometry,
                          n->geometry_compared ? "" : " (not compared)");
        for (int i = 0; i < CF_FORMS; i++)
            if (i != 2)
                odp_buffer_add_slice(out, odp_buffer_slice(&c->cf.out[i]));
        free(old);
    }
    free(text);
}

TEST(differences)
{
    struct compared c = {0};
    cf_init(&c.cf);
    answer_lines("site/differences.txt", compare, &c);
    free(c.schemas[0]);
    free(c.schemas[1]);
    free(c.old);
    cf_release(&c.cf);
}

/* A zero is a character like any other: it neither ends a part of a key nor sorts behind one. */
TEST(text_with_zeros)
{
    static const char schema[] = KEYED(STR("s") "," STR("t"), "'s','t'");
    struct cf_side from = {schema, ODP_FORM_CSV, ODP_LIT("s,t\r\n")};
    struct cf_side to = {schema, ODP_FORM_CSV,
                         ODP_LIT("s,t\r\na\0b,\"\"\r\na,\"\"\r\na\1,\"\"\r\na\0,z\r\na,\0\r\n")};
    CF(cf);
    must(cf_run(&cf, &from, &to));
    cf_counts(&cf, 5, 0, 0, 0, 0);
    const char *at = odp_buffer_cstr(&cf.out[0]);
    static const char *const order[] = {
        "{\"s\":\"a\",\"t\":\"\"}", "{\"s\":\"a\",\"t\":\"\\u0000\"}", "{\"s\":\"a\\u0000\",\"t\":\"z\"}",
        "{\"s\":\"a\\u0000b\",\"t\":\"\"}", "{\"s\":\"a\\u0001\",\"t\":\"\"}"};
    for (size_t i = 0; i < 5; i++)
        assert_non_null(at = strstr(at, order[i]));
}

TEST(counts_only)
{
    CF(cf);
    cf.counts_only = true;
    cf_csv(&cf, KEYED(STR("id") "," STR("v"), "'id'"), "id,v\r\na,RAHASIA1\r\nb,RAHASIA2\r\n",
           KEYED(STR("id") "," STR("v"), "'id'"), "id,v\r\na,RAHASIA3\r\nc,RAHASIA4\r\n");
    cf_counts(&cf, 1, 1, 1, 1, 0);
    for (int i = 0; i < CF_FORMS; i++)
        EXPECT(odp_buffer_cstr(&cf.out[i]), "!", "RAHASIA");
    EXPECT(odp_buffer_cstr(&cf.out[0]), "\"note\":{\"id\":\"rahasia\",\"en\":\"secret\"},\n\"changes\":[]"
                                        ",\n\"summary\":{\"from_rows\":2,\"to_rows\":2,\"added\":1,");
    EXPECT(odp_buffer_cstr(&cf.out[2]), "rahasia");
    EXPECT(odp_buffer_cstr(&cf.out[3]), "+1 baris   −1 baris   1 baris berubah (1 sel)\n  rahasia\n");
}

/* The page and the terminal show hostile values as text. */
TEST(hostile_values)
{
    static const char schema[] = KEYED(STR("id") "," STR("v"), "'id'");
    CF(cf);
    cf_csv(&cf, schema, "id,v\r\n<b>&'x,\"a\"\r\n", schema,
           "id,v\r\n<b>&'x,\"</del><script>alert(1)</script>\033[31m\xE2\x80\xAEzyx\nbaris dua\"\r\n");
    const char *html = odp_buffer_cstr(&cf.out[2]), *text = odp_buffer_cstr(&cf.out[3]);
    EXPECT(html, "&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;b&gt;&amp;&#39;x", "Uji &lt;coba&gt;",
           "Test &amp; try", "!", "<script");
    for (int i = 2; i < CF_FORMS; i++) {
        assert_null(strchr(odp_buffer_cstr(&cf.out[i]), '\033'));
        EXPECT(odp_buffer_cstr(&cf.out[i]), "!", "\xE2\x80\xAE");
    }
    EXPECT(text, "[31m\xEF\xBF\xBDzyx↵baris dua");
}

/* The page has numbers and days as people read them, with their units. */
TEST(values_for_people)
{
    static const char schema[] = KEYED(
        STR("id") ",{'name':'luas','type':'number','odp:title':{'id':'Luas','en':'Size'},'odp:unit':{'id':"
                  "'hektare','en':'hectares'}},{'name':'tanggal','type':'date'}",
        "'id'");
    CF(cf);
    cf_csv(&cf, schema, "id,luas,tanggal\r\na,1234.50,2024-03-15\r\n", schema,
           "id,luas,tanggal\r\na,12345.50,2024-04-01\r\n");
    EXPECT(odp_buffer_cstr(&cf.out[2]),
           "<bdi>Luas (hektare)</bdi> <span lang=\"en\"><bdi>Size (hectares)</bdi></span></th>"
           "<td><del><bdi>1.234,50</bdi></del></td><td><ins><bdi>12.345,50</bdi></ins></td>",
           "<del><bdi>15 Maret 2024</bdi></del></td><td><ins><bdi>1 April 2024</bdi></ins>");
}

TEST(many_rows_are_cut)
{
    static const char schema[] = KEYED(INT("id") "," INT("v"), "'id'");
    struct odp_buffer old = {0}, now = {0};
    CF(cf);
    odp_buffer_add_str(&old, "id,v\r\n");
    odp_buffer_add_str(&now, "id,v\r\n");
    for (int i = 0; i < 1500; i++) {
        odp_buffer_printf(&old, "%d,%d\r\n", i, i);
        odp_buffer_printf(&now, "%d,%d\r\n", i, i + 1);
    }
    cf.limit = 3;
    struct cf_side from = {schema, ODP_FORM_CSV, odp_buffer_slice(&old)},
                   to = {schema, ODP_FORM_CSV, odp_buffer_slice(&now)};
    must(cf_run(&cf, &from, &to));
    assert_string_equal(odp_buffer_cstr(&cf.out[3]),
                        "uji  2023-09-15 → 2024-03-15     1.500 baris berubah (1.500 sel)\n"
                        "  0   v   0 → 1\n  1   v   1 → 2\n  2   v   2 → 3\n"
                        "  … 1.497 baris lain tidak ditampilkan\n");
    EXPECT(odp_buffer_cstr(&cf.out[4]), "1,500 rows changed (1,500 cells)\n");
    const char *html = odp_buffer_cstr(&cf.out[2]);
    EXPECT(html, "(200 / 1.500)</h2>", "<p>… 1.300 rekaman lain",
           "<a href=\"changes.csv\">changes.csv</a> · <a href=\"changes.json\">changes.json</a>");
    size_t headings = 0;
    for (const char *p = html; (p = strstr(p, "scope=\"rowgroup\"")) != NULL; p++)
        headings++;
    assert_int_equal(headings, 200);
    odp_buffer_release(&old);
    odp_buffer_release(&now);
}

/* Rows 0..N-1 in a shuffled (or sorted) order, each present or not, with a value, as STEP (old, new) decides.
 */
static void make_csv(struct odp_buffer *out, uint32_t n, int step, bool shuffled)
{
    uint32_t *order = malloc(n * sizeof *order);
    assert_non_null(order);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; shuffled && i > 1; i--) {
        uint32_t k = dice(i), t = order[k];
        order[k] = order[i - 1];
        order[i - 1] = t;
    }
    odp_buffer_clear(out);
    odp_buffer_add_str(out, "id,v,s\r\n");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = order[i];
        if ((step == 0 && id % 7 == 3) || (step == 1 && id % 11 == 5))
            continue;
        odp_buffer_printf(out, "%d,%u,teks %u\r\n", (int)id - (int)n / 2,
                          step == 1 && id % 5 == 0 ? id + 1 : id, id % 13);
    }
    free(order);
}

/* The same bytes whatever the memory: all of it, many runs, several passes, one record a run; sorted input or
 * not. */
TEST(memory_does_not_show)
{
    enum { N = 20000 };
    static const char schema[] = KEYED(INT("id") "," INT("v") "," STR("s"), "'id'");
    static const size_t memories[] = {0, 600000, 40000, 2000, 300};
    struct odp_buffer old = {0}, now = {0}, first = {0};
    CF(cf);
    uint64_t added = 0, removed = 0, changed = 0;
    for (uint32_t id = 0; id < N; id++) {
        bool was = id % 7 != 3, is = id % 11 != 5;
        added += is && !was;
        removed += was && !is;
        changed += was && is && id % 5 == 0;
    }
    for (size_t i = 0; i < 2 * ODP_COUNT(memories); i++) {
        cf.memory = memories[i / 2];
        make_csv(&old, cf.memory == 300 ? 2000 : N, 0, i % 2 == 0);
        make_csv(&now, cf.memory == 300 ? 2000 : N, 1, i % 2 == 0);
        struct cf_side from = {schema, ODP_FORM_CSV, odp_buffer_slice(&old)},
                       to = {schema, ODP_FORM_CSV, odp_buffer_slice(&now)};
        must(cf_run(&cf, &from, &to));
        if (cf.memory != 300)
            cf_counts(&cf, added, removed, changed, changed, 0);
        if (i == 0)
            odp_buffer_add_slice(&first, odp_buffer_slice(&cf.out[0]));
        else if (cf.memory != 300)
            assert_true(odp_slice_eq(odp_buffer_slice(&first), odp_buffer_slice(&cf.out[0])));
    }
    /* in the order of the integers */
    const char *at = odp_buffer_cstr(&first);
    long last = -1000000;
    size_t lines = 0;
    while ((at = strstr(at, "\"key\":{\"id\":")) != NULL) {
        long id = strtol(at + 12, NULL, 10);
        assert_true(id > last);
        last = id;
        at++;
        lines++;
    }
    assert_int_equal(lines, added + removed + changed);
    odp_buffer_release(&old);
    odp_buffer_release(&now);
    odp_buffer_release(&first);
}

/* Records larger than the memory, without a key. */
TEST(large_records)
{
    static const char schema[] = "{'fields':[" STR("a") "]}";
    BUFFER(text);
    CF(cf);
    odp_buffer_add_str(&text, "a\r\n");
    for (int row = 0; row < 20; row++) {
        char *w = odp_buffer_reserve(&text, 30000);
        assert_non_null(w);
        memset(w, 'a' + (row * 7) % 20, 20000 + (size_t)row);
        text.len += 20000 + (size_t)row;
        odp_buffer_add_str(&text, "\r\nk\r\n");
    }
    cf.memory = 1000;
    struct cf_side from = {schema, ODP_FORM_CSV, ODP_LIT("a\r\nk\r\n")},
                   to = {schema, ODP_FORM_CSV, odp_buffer_slice(&text)};
    must(cf_run(&cf, &from, &to));
    cf_counts(&cf, 39, 0, 0, 0, 0);
}

static enum odp_status refuse_job(void *ctx, const struct odp_changes_job *job)
{
    (void)ctx, (void)job;
    return ODP_OK;
}

static enum odp_status refuse_row(void *ctx, const struct odp_change *c)
{
    unsigned *left = ctx;
    return (*left)-- == 0 ? ODP_FAIL : ODP_OK;
}

static enum odp_status refuse_end(void *ctx, const struct odp_changes_counts *n)
{
    (void)ctx, (void)n;
    return ODP_FAIL;
}

/* Scratch files go whatever happens: cf_run_with looks. */
TEST(failures)
{
    static const char schema[] = KEYED(INT("id") "," INT("v") "," STR("s"), "'id'");
    struct odp_buffer old = {0}, now = {0};
    unsigned left = 5;
    CF(cf);
    make_csv(&old, 3000, 0, true);
    make_csv(&now, 3000, 1, true);
    cf.memory = 20000;
    struct odp_changes_sink sink = {&left, refuse_job, refuse_row, refuse_end};
    struct cf_side from = {schema, ODP_FORM_CSV, odp_buffer_slice(&old)},
                   to = {schema, ODP_FORM_CSV, odp_buffer_slice(&now)};
    must_fail(cf_run_with(&cf, &from, &to, &sink), "");
    left = 1000000;
    assert_int_equal(cf_run_with(&cf, &from, &to, &sink), ODP_FAIL); /* at the end */
    odp_buffer_add_str(&now, "1,2\r\n"); /* a column is missing in the last line */
    to.bytes = odp_buffer_slice(&now);
    must_refuse(cf_run(&cf, &from, &to));
    assert_int_equal(cf.out[0].len, 0); /* nothing was begun */
    odp_buffer_release(&old);
    odp_buffer_release(&now);
}

TEST(scratch_folder_is_missing)
{
    static const char schema[] = KEYED(INT("id") "," INT("v") "," STR("s"), "'id'");
    BUFFER(text);
    CF(cf);
    make_csv(&text, 3000, 0, true);
    const char *path = "/nonexistent/nowhere";
    const char *why = "";
    char file[128];
    ARENA(a);
    struct odp_layout *l;
    json_t *json = parsed(schema);
    snprintf(file, sizeof file, "%s/data.csv", cf.dir);
    const char *paths[] = {file};
    must(odp_file_put(file, odp_buffer_slice(&text), 0600, NULL));
    must(odp_layout_read(&l, json, &a, &why));
    static const uint8_t digest[ODP_SHA256_SIZE] = {0};
    struct odp_changes_side sides[2] = {{"a", digest, l, NULL}, {"b", digest, l, NULL}};
    for (int i = 0; i < 2; i++)
        must(odp_reading_open(&sides[i].reading, ODP_FORM_CSV, l, paths, 1));
    struct odp_schema_changes changes;
    must(odp_schema_compare(&changes, l, l, &a));
    struct odp_changes_job job = {
        .dataset = "x",
        .resource = "x",
        .from = &sides[0],
        .to = &sides[1],
        .schema = &changes,
        .keyed = true,
    };
    struct odp_changes_options options = {.scratch = path, .memory = 5000};
    must_fail(odp_changes_run(&job, &options, NULL, 0, &cf.counts), "/nonexistent/nowhere");
    for (int i = 0; i < 2; i++)
        odp_reading_close(sides[i].reading);
    json_decref(json);
}
