/* The collector of diagnostics: groups, limits, severities, masking, merging. */
#include "run.h"

#include <ctype.h>

#include "base/diag.h"
#include "base/utf8.h"

static struct odp_diag fault(enum odp_code code, const char *field, const char *value)
{
    return (struct odp_diag){
        .code = code,
        .dataset = "kumuh",
        .resource = "kumuh",
        .file = "kumuh.csv",
        .line = 2,
        .column = 3,
        .row = 1,
        .field = field,
        .value = odp_slice_of(value),
    };
}

static const struct odp_diag *first(const struct odp_diags *d)
{
    size_t n;
    return &odp_diags_groups(d, &n)[0]->examples->diag;
}

static void assert_slice(struct odp_slice s, const char *text)
{
    if (!odp_slice_is(s, text))
        fail_msg("%.*s, not %s", (int)s.len, s.ptr, text);
}

TEST(codes)
{
    for (int i = 0; i < ODP_CODE_COUNT; i++) {
        const struct odp_code_info *info = odp_code_info((enum odp_code)i);
        assert_int_equal(odp_code_find(info->code), i);
        assert_int_equal(odp_code_find(info->name), i);
        assert_int_equal(strncmp(info->code, "ODP-", 4), 0);
        assert_true(info->severity > ODP_SEVERITY_OFF && info->severity <= ODP_SEVERITY_ERROR);
        for (int lang = 0; lang < ODP_LANGS; lang++)
            assert_true(info->words.title.in[lang][0] != '\0');
        for (const char *c = info->name; *c != '\0'; c++)
            assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '-');
    }
    assert_int_equal(odp_code_find("odp-t03"), ODP_T03);
    assert_int_equal(odp_code_find("nonsense"), -1);
    struct odp_text t = {{"", "english"}};
    assert_string_equal(odp_text_get(&t, ODP_LANG_ID), "english");
    t.in[ODP_LANG_EN] = NULL;
    assert_string_equal(odp_text_get(&t, ODP_LANG_EN), "");
}

TEST(groups)
{
    struct odp_diags *d;
    size_t n;
    char field[8] = "luas";
    must(odp_diags_new(&d, 3));
    for (int i = 0; i < 10; i++) {
        char value[16];
        snprintf(value, sizeof value, "x%d", i);
        struct odp_diag a = fault(ODP_T03, field, value), b = fault(ODP_W01, field, value);
        must_refuse(odp_diags_add(d, &a));
        must(odp_diags_add(d, &b));
    }
    struct odp_diag c = fault(ODP_T03, NULL, NULL);
    must_refuse(odp_diags_add(d, &c));
    memset(field, 'z', 4); /* all text was copied */
    const struct odp_diag_group *const *g = odp_diags_groups(d, &n);
    assert_int_equal(n, 3);
    assert_int_equal(g[0]->count, 10);
    assert_int_equal(g[0]->kept, 3);
    assert_string_equal(g[0]->field, "luas");
    assert_int_equal(g[1]->severity, ODP_SEVERITY_WARNING);
    assert_null(g[2]->field);
    assert_null(g[2]->examples->diag.value.ptr);
    int i = 0;
    for (const struct odp_diag_node *node = g[0]->examples; node != NULL; node = node->next, i++) {
        char value[16];
        snprintf(value, sizeof value, "x%d", i);
        assert_slice(node->diag.value, value);
        assert_string_equal(node->diag.file, "kumuh.csv");
        assert_int_equal(node->diag.severity, ODP_SEVERITY_ERROR);
    }
    assert_int_equal(i, 3);
    assert_int_equal(odp_diags_count(d, ODP_SEVERITY_ERROR), 11);
    assert_int_equal(odp_diags_count(d, ODP_SEVERITY_WARNING), 10);
    assert_int_equal(odp_diags_code_count(d, ODP_T03), 11);
    odp_diags_clear(d);
    (void)odp_diags_groups(d, &n);
    assert_int_equal(n, 0);
    assert_int_equal(odp_diags_count(d, ODP_SEVERITY_ERROR), 0);
    odp_diags_free(d);
    odp_diags_free(NULL);
}

TEST(severities)
{
    struct odp_diags *d;
    signed char overrides[ODP_CODE_COUNT];
    size_t n;
    memset(overrides, -1, sizeof overrides);
    overrides[ODP_T03] = ODP_SEVERITY_OFF;
    overrides[ODP_T02] = ODP_SEVERITY_WARNING;
    must(odp_diags_new(&d, 5));
    odp_diags_set_overrides(d, overrides);
    struct odp_diag off = fault(ODP_T03, "f", "x"), warning = fault(ODP_T02, "f", "x"),
                    note = fault(ODP_T01, "f", "x");
    note.severity = ODP_SEVERITY_NOTE;
    must(odp_diags_add(d, &off));
    (void)odp_diags_groups(d, &n);
    assert_int_equal(n, 0);
    must(odp_diags_add(d, &warning));
    must(odp_diags_add(d, &note));
    odp_diags_set_strict(d, true);
    must_refuse(odp_diags_add(d, &warning));
    must(odp_diags_add(d, &note));
    assert_int_equal(odp_diags_count(d, ODP_SEVERITY_ERROR), 1);
    assert_int_equal(odp_diags_count(d, ODP_SEVERITY_WARNING), 1);
    assert_int_equal(odp_diags_count(d, ODP_SEVERITY_NOTE), 2);
    odp_diags_free(d);
}

static const struct odp_diag *add_one(struct odp_diags *d, const struct odp_diag *diag)
{
    odp_diags_clear(d);
    must_refuse(odp_diags_add(d, diag));
    return first(d);
}

TEST(masked)
{
    struct odp_diags *d;
    must(odp_diags_new(&d, 5));
    struct odp_diag a = fault(ODP_P01, "ket", "NIK 3171041204900001");
    a.source = ODP_LIT("1;NIK 3171041204900001;caf\xC3\xA9");
    a.mark_start = 2;
    a.mark_len = 20;
    a.args[1] = ODP_LIT("081234567890");
    a.proposal = ODP_LIT("a@b.id");
    const struct odp_diag *got = add_one(d, &a);
    assert_slice(got->value, "NIK ****************");
    assert_slice(got->source, "1;NIK ****************;caf\xC3\xA9");
    assert_int_equal(got->mark_start, 2);
    assert_int_equal(got->mark_len, 20);
    assert_slice(got->args[1], "************");
    assert_null(got->proposal.ptr); /* a masked one would be written into a source */
    assert_null(got->args[0].ptr);

    struct odp_diag s = fault(ODP_T03, "gaji",
                              "1\xC3\xA9"
                              "5");
    s.secret = true;
    s.source = ODP_LIT("\"r\xC3\xA9s\";1\xC3\xA9"
                       "5,\t|x");
    s.mark_start = 7;
    s.mark_len = 4;
    s.proposal = ODP_LIT("15");
    got = add_one(d, &s);
    assert_slice(got->value, "***");
    assert_slice(got->source, "\"***\";***,\t|*");
    assert_int_equal(got->mark_start, 6);
    assert_int_equal(got->mark_len, 3);
    assert_null(got->proposal.ptr);
    odp_diags_free(d);
}

TEST(bounded)
{
    struct odp_diags *d;
    static char text[5000];
    must(odp_diags_new(&d, 5));
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA9", 2);
    struct odp_diag a = {.code = ODP_T03, .value = {text, 4001}};
    text[0] = 'a', text[1] = 'b', text[199] = 'c', text[200] = '\xC3';
    a.source = (struct odp_slice){text, 4998};
    for (uint32_t mark = 0; mark <= 4998; mark += 2) {
        text[mark] =
            mark < 4998 ? 'M' : text[mark]; /* not valid UTF-8 around it: must still come out valid */
        a.mark_start = mark;
        a.mark_len = 1;
        const struct odp_diag *got = add_one(d, &a);
        assert_int_equal(odp_utf8_valid(got->source), got->source.len);
        assert_true(got->source.len < 500);
        assert_true(got->mark_start + got->mark_len <= got->source.len);
        if (mark < 4998) {
            assert_int_equal(got->mark_len, 1);
            assert_int_equal(got->source.ptr[got->mark_start], 'M');
        }
        if (mark < 4998)
            memcpy(text + mark, "\xC3\xA9", 2);
    }
    a = (struct odp_diag){
        .code = ODP_T03, .value = {text, 4000}, .source = {text, 4000}, .mark_start = 100, .mark_len = 3000};
    const struct odp_diag *got = add_one(d, &a);
    assert_int_equal(got->value.len, 203);
    assert_memory_equal(got->value.ptr + 200, "\xE2\x80\xA6", 3);
    assert_int_equal(got->source.len, 166);
    assert_int_equal(got->mark_start, 3);
    assert_int_equal(got->mark_len, 160);
    /* an identifier across the cut is masked whole */
    memset(text, 'x', 1000);
    memcpy(text + 190, " 3171041204900001 ", 18);
    a = (struct odp_diag){.code = ODP_T03, .value = {text, 1000}};
    got = add_one(d, &a);
    assert_null(memchr(got->value.ptr, '3', got->value.len));
    odp_diags_free(d);
}

TEST(merged)
{
    struct odp_diags *all, *batch;
    size_t n;
    must(odp_diags_new(&all, 4));
    must(odp_diags_new(&batch, 4));
    for (unsigned b = 0; b < 4; b++) {
        for (unsigned i = 0; i < 3; i++) {
            char value[16];
            snprintf(value, sizeof value, "v%u", b * 3 + i);
            struct odp_diag x = fault(b == 2 ? ODP_B01 : ODP_T03, "f", value);
            x.line = b * 3 + i;
            x.source = ODP_LIT("row");
            (void)odp_diags_add(batch, &x);
        }
        must(odp_diags_merge(all, batch));
        assert_int_equal(odp_diags_count(batch, ODP_SEVERITY_ERROR), 0);
    }
    odp_diags_free(batch);
    const struct odp_diag_group *const *g = odp_diags_groups(all, &n);
    assert_int_equal(n, 2);
    assert_int_equal(g[0]->count, 9);
    assert_int_equal(g[0]->kept, 4);
    assert_int_equal(g[0]->last->diag.line, 3);
    assert_slice(g[0]->last->diag.value, "v3");
    assert_slice(g[0]->last->diag.source, "row");
    assert_int_equal(g[1]->code, ODP_B01);
    assert_int_equal(odp_diags_code_count(all, ODP_T03), 9);
    odp_diags_free(all);
}

TEST(many)
{
    struct odp_diags *d;
    size_t n;
    must(odp_diags_new(&d, 2));
    for (unsigned i = 0; i < 1000000; i++) {
        char field[16];
        snprintf(field, sizeof field, "f%u", i % 1000);
        struct odp_diag x = fault(ODP_T03, field, "x");
        (void)odp_diags_add(d, &x);
    }
    const struct odp_diag_group *const *g = odp_diags_groups(d, &n);
    assert_int_equal(n, 1000);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(g[i]->count, 1000);
    odp_diags_free(d);
}

static void add_line(struct odp_diags *d, uint64_t line)
{
    struct odp_diag f = fault(ODP_T03, "luas_ha", "x");
    f.line = line;
    must_refuse(odp_diags_add(d, &f));
}

/* A group keeps the lines of a cause's faults as runs, also when merged; it only counts faults without a line
 * or beyond the bound. */
TEST(lines)
{
    static const uint64_t at[] = {3, 4, 4, 9, 0, 2};
    struct odp_diags *d, *more;
    size_t n;
    must(odp_diags_new(&d, 1));
    must(odp_diags_new(&more, 1));
    for (size_t i = 0; i < ODP_COUNT(at); i++)
        add_line(d, at[i]);
    const struct odp_diag_group *g = odp_diags_groups(d, &n)[0];
    assert_int_equal(g->count, 6);
    const struct odp_diag_runs *rows = &g->part[ODP_CAUSE_OTHER].rows;
    assert_int_equal(rows->unlisted, 1);
    const struct odp_diag_lines *run = rows->first;
    assert_true(run->first == 3 && run->last == 4);
    run = run->next;
    assert_true(run->first == 9 && run->last == 9);
    run = run->next;
    assert_true(run->first == 2 && run->last == 2 && run->next == NULL);
    for (uint64_t i = 0; i < 2 * ODP_DIAG_RUNS_GROUP; i++)
        add_line(more, 100 + 2 * i);
    assert_int_equal(odp_diags_groups(more, &n)[0]->part[0].rows.unlisted, ODP_DIAG_RUNS_GROUP);
    must(odp_diags_merge(d, more));
    assert_int_equal(rows->n, ODP_DIAG_RUNS_GROUP);
    assert_int_equal(rows->unlisted, 1 + ODP_DIAG_RUNS_GROUP + 3);
    assert_int_equal(g->count, 6 + 2 * ODP_DIAG_RUNS_GROUP);
    odp_diags_free(more);
    odp_diags_free(d);
}

static void assert_example(const struct odp_diag_node *e, const char *value, uint64_t count, uint64_t runs)
{
    assert_slice(e->diag.value, value);
    assert_int_equal(e->count, count);
    assert_int_equal(e->rows.n, runs);
}

/* Equal values of a field are one example, also when merged; those that differ in a proposal or an argument
 * are not, nor is the value of a field that must not be shown looked at. */
TEST(equal)
{
    static const char *const values[] = {",", "x", ",", "y", ",", "x"};
    struct odp_diags *d, *batch, *each;
    size_t n;
    must(odp_diags_new(&d, 3));
    must(odp_diags_new(&batch, 3));
    must(odp_diags_new(&each, SIZE_MAX));
    for (uint64_t line = 1; line <= 12; line++) {
        struct odp_diag f = fault(ODP_T03, "f", values[line % 6]);
        f.line = line;
        f.cause = values[line % 6][0] == ',' ? ODP_CAUSE_MARK : ODP_CAUSE_OTHER;
        (void)odp_diags_add(batch, &f);
        (void)odp_diags_add(each, &f);
        if (line % 6 == 0)
            must(odp_diags_merge(d, batch));
    }
    const struct odp_diag_group *g = odp_diags_groups(d, &n)[0];
    assert_int_equal(g->count, 12);
    assert_int_equal(g->kept, 3);
    assert_int_equal(g->part[ODP_CAUSE_MARK].count, 6);
    assert_example(g->examples, "x", 4, 4); /* 1, 5, 7, 11 */
    assert_example(g->examples->next, ",", 6, 6);
    assert_example(g->last, "y", 2, 2);
    assert_int_equal(odp_diags_groups(each, &n)[0]->kept, 12);

    odp_diags_clear(d);
    struct odp_diag f = fault(ODP_T03, "f", "x"), other = f, secret = fault(ODP_T03, "f", "1"), key;
    other.proposal = ODP_LIT("1");
    secret.secret = true;
    (void)odp_diags_add(d, &f);
    (void)odp_diags_add(d, &other);
    other.args[0] = ODP_LIT("a");
    (void)odp_diags_add(d, &other);
    assert_int_equal(odp_diags_groups(d, &n)[0]->kept, 3);
    odp_diags_clear(d);
    (void)odp_diags_add(d, &secret);
    secret.value = ODP_LIT("2");
    (void)odp_diags_add(d, &secret);
    assert_example(odp_diags_groups(d, &n)[0]->examples, "*", 2, 1);
    odp_diags_clear(d);
    key = fault(ODP_K01, "f", "x");
    key.args[0] = ODP_LIT("3");
    (void)odp_diags_add(d, &key);
    key.args[0] = ODP_LIT("3, 4"); /* where the others are */
    (void)odp_diags_add(d, &key);
    key.args[1] = ODP_LIT("f = x, g = 1");
    (void)odp_diags_add(d, &key);
    assert_int_equal(odp_diags_groups(d, &n)[0]->kept, 2);
    odp_diags_free(each);
    odp_diags_free(batch);
    odp_diags_free(d);
}
