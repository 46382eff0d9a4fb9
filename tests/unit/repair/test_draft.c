/* What init concludes of columns: tables of values and the decision they must lead to. */
#include "answer_lines.h"

#include <unistd.h>

#include "base/decimal.h"
#include "repair/draft/draft_internal.h"

/* The draft of a file with TEXT, surveyed and settled; NULL: refused. */
static struct odp_draft *draft_of(const char *text)
{
    char path[FRESH_FOLDER];
    struct odp_draft *d = NULL;
    struct odp_diags *diags = NULL;
    snprintf(path, sizeof path, "%s/odp-draft-XXXXXX.csv", odp_temporary_place());
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    must(odp_diags_new(&diags, 10));
    const struct odp_draft_options o = {.path = path, .file = "uji.csv", .slug = "uji"};
    enum odp_status status = odp_draft_open(&d, &o, diags);
    if (status == ODP_OK)
        status = odp_draft_survey(d, diags);
    if (status == ODP_OK)
        status = odp_draft_settle(d, diags);
    assert_int_not_equal(status, ODP_FAIL);
    assert_int_equal(odp_diags_count(diags, ODP_SEVERITY_ERROR) > 0, status == ODP_BAD);
    odp_diags_free(diags);
    unlink(path);
    if (status == ODP_BAD) {
        odp_draft_free(d);
        d = NULL;
    }
    return d;
}

/* VALUES parted by '|', under LABEL, beside a key. REPEAT: so many times. */
static struct odp_draft *column_of(const char *label, const char *values, int repeat)
{
    char text[16384];
    int n = snprintf(text, sizeof text, "kunci|%s\n", label), row = 0;
    for (int k = 0; k < repeat; k++)
        for (const char *p = values; *p != '\0';) {
            size_t len = strcspn(p, "|");
            n += snprintf(text + n, sizeof text - (size_t)n, "K%05d|%.*s\n", row++, (int)len, p);
            p += len + (p[len] == '|');
        }
    struct odp_draft *d = draft_of(text);
    assert_non_null(d);
    assert_int_equal(d->n, 2);
    assert_int_equal(d->rows, row);
    return d;
}

/* ---- draft.txt ----
 *
 *   column LABEL VALUE|…     what it is taken for, with decimal and group character and format
 *   file TEXT, points TEXT   its columns; its geometry
 *   shape TEXT|TEXT          the pattern of both
 *   slug TEXT                a name made of it */

static void ask_column(const char *text, struct odp_buffer *out)
{
    char label[32];
    int at = 0;
    assert_int_equal(sscanf(text, "%31s %n", label, &at), 1);
    struct odp_draft *d = column_of(label, text + at, 20);
    const struct column *c = &d->columns[1];
    odp_buffer_add_str(out, odp_type_name(c->type));
    if (c->type == ODP_TYPE_NUMBER || c->type == ODP_TYPE_INTEGER)
        odp_buffer_printf(out, " %c", c->decimal);
    if (c->group != '\0')
        odp_buffer_printf(out, " '%c'", c->group);
    if (c->format != NULL)
        odp_buffer_printf(out, " %s", c->format);
    assert_int_equal(c->misfit, 0);
    odp_draft_free(d);
}

static void ask_file(const char *text, bool points, struct odp_buffer *out)
{
    struct odp_draft *d = draft_of(text);
    BUFFER(json);
    if (d == NULL) {
        odp_buffer_add_str(out, "refused");
        return;
    }
    must(odp_draft_json(d, &json));
    const char *at = strstr(odp_buffer_cstr(&json), "\"odp:geometry\": ");
    assert_int_equal(at != NULL, strstr(odp_buffer_cstr(&json), "GeoJSON") != NULL);
    if (points)
        odp_buffer_printf(out, "%.*s", at != NULL ? (int)strcspn(at + 16, "}") + 1 : 4,
                          at != NULL ? at + 16 : "none");
    else
        odp_buffer_printf(out, "%d columns", (int)d->n);
    if (!points && d->n > 1)
        odp_buffer_printf(out, " by %.*s", d->delimiter == '\t' ? 2 : 1,
                          d->delimiter == '\t' ? "\\t" : &d->delimiter);
    odp_draft_free(d);
}

static void ask_shape(char *text, struct odp_buffer *out)
{
    struct shape s = {0};
    for (char *one; (one = strsep(&text, "|")) != NULL;)
        shape_take(&s, odp_slice_of(one));
    if (s.none)
        odp_buffer_add_str(out, "none");
    else
        shape_pattern(&s, out);
}

static void ask(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    rest = rest != NULL ? rest : text + strlen(text);
    if (strcmp(verb, "column") == 0) {
        ask_column(rest, out);
    } else if (strcmp(verb, "shape") == 0) {
        ask_shape(rest, out);
    } else if (strcmp(verb, "slug") == 0) {
        odp_buffer_add_str(out, odp_draft_slug_of(rest, ctx));
        assert_true(odp_draft_slug_ok(odp_buffer_cstr(out)));
    } else {
        ask_file(rest, strcmp(verb, "points") == 0, out);
    }
    free(text);
}

TEST(drafts)
{
    ARENA(a);
    answer_lines("repair/draft.txt", ask, &a);
}

/* One in ten may be wrong; more, and it is text. */
TEST(misfits)
{
    struct odp_draft *d = column_of("luas", "1|2|3|4|5|6|7|8|9|x1", 3);
    assert_int_equal(d->columns[1].type, ODP_TYPE_INTEGER);
    assert_int_equal(d->columns[1].fit, 27);
    assert_int_equal(d->columns[1].misfit, 3);
    assert_int_equal(d->columns[1].misfits[0].line, 11);
    odp_draft_free(d);
    d = column_of("luas", "1|2|3|4|5|6|7|x1", 3);
    assert_int_equal(d->columns[1].type, ODP_TYPE_STRING);
    odp_draft_free(d);
    d = column_of("luas", "1|2|3|4|5|6|7|8|9|10|11|tidak diukur", 3); /* one word: no value */
    assert_int_equal(d->columns[1].misfit, 0);
    assert_true(odp_slice_is(d->columns[1].missing_word, "tidak diukur"));
    odp_draft_free(d);
}

TEST(choices)
{
    size_t n;
    bool again;
    struct odp_draft *d = column_of("tanggal", "03/05/2024|12/01/2024", 10);
    struct odp_doubt *q = odp_draft_doubts(d, &n);
    size_t i = 0;
    while (i < n && q[i].kind != DOUBT_DATE)
        i++;
    assert_true(i < n);
    must(odp_draft_choose(d, i, 1, &again));
    assert_false(again);
    assert_string_equal(d->columns[1].format, "%m/%d/%Y");
    odp_draft_free(d);
}

TEST(names)
{
    assert_false(odp_draft_slug_ok("Rumah"));
    assert_false(odp_draft_slug_ok("references"));
    assert_true(odp_name_has("kode_kab", "kab prov"));
    assert_false(odp_name_has("kode_kabupaten", "kab prov"));
}

TEST(sets)
{
    struct distinct d = {0}, of = {0};
    size_t budget = DISTINCT_BUDGET;
    char text[16];
    for (int i = 0; i < 5000; i++) {
        int n = snprintf(text, sizeof text, "%d", i % 3000);
        bool fresh =
            distinct_add(&d, distinct_hash((struct odp_slice){text, (size_t)n}), DISTINCT_MOST, &budget);
        assert_int_equal(fresh, i < 3000);
        if (i < 1000)
            (void)distinct_add(&of, distinct_hash((struct odp_slice){text, (size_t)n}), 100, &budget);
    }
    assert_int_equal(d.n, 3000);
    assert_true(d.repeated);
    assert_true(of.full); /* beyond its bound it only says "more than" */
    assert_int_equal(of.n, 101);
    assert_int_equal(distinct_common(&d, &d), 3000);
    distinct_drop(&d, &budget);
    distinct_drop(&of, &budget);
    assert_int_equal(budget, DISTINCT_BUDGET);
    size_t small = 64 * 8;
    for (int i = 0; i < 100 && !d.full; i++)
        (void)distinct_add(&of, (uint64_t)i + 1, DISTINCT_MOST, &small);
    assert_true(of.full);
    distinct_drop(&of, &small);
}
