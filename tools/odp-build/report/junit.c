/* JUnit's XML, as CI servers read it: a testsuite for each table of a dataset that has faults, with a
 * testcase for each kind of fault; a clean dataset is a testsuite that passes. Errors are failures; warnings
 * and notes pass, and are told in system-out. Valid against the schema of Ant's reports and against that of
 * Jenkins. Here the model is made; templates/report/pages/junit.xml writes it.
 *
 * The two schemas differ: no `system-out` in a testcase, at least one property. Without a time
 * (ODP_NO_TIMES) the timestamp that Ant's schema wants is that of 1970. */
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"
#include "words/report.h"

#define EXAMPLES 20   /* of one kind, told in its failure */
#define LISTED   2000 /* examples of a report */

struct junit {
    const struct odp_summary *summary;
    const struct odp_diag_group **groups;
    size_t n;
    enum odp_lang lang;
    unsigned examples;
    struct odp_buffer words;
    json_t *suites;
};

static bool same_suite(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return report_same(a->dataset, b->dataset) && report_same(a->resource, b->resource);
}

/* A name of the catalogue between BEFORE and AFTER, where there is one. */
static void add_name(struct junit *j, const char *before, const char *text, const char *after)
{
    if (text == NULL)
        return;
    odp_buffer_add_str(&j->words, before);
    report_clean(&j->words, odp_slice_of(text));
    odp_buffer_add_str(&j->words, after);
}

static json_t *number(struct junit *j, uint64_t n)
{
    odp_buffer_add_u64(&j->words, n);
    return report_take(&j->words);
}

static void add_property(struct junit *j, json_t *list, const char *name, uint64_t value)
{
    json_array_append_new(list, json_pack("{s:s, s:o}", "name", name, "value", number(j, value)));
}

/* "sumber/kumuh.csv:12, kolom D (luas_ha): bukan bilangan desimal: “x”; diharapkan: …" */
static void add_example(struct junit *j, const struct odp_diag *d)
{
    struct odp_buffer *w = &j->words;
    if (d->file != NULL)
        report_clean(w, odp_slice_of(d->file));
    if (d->sheet != NULL && d->line > 0) {
        odp_buffer_add_str(w, " [");
        report_sheet_place(w, d);
        odp_buffer_add_str(w, "]");
    }
    bool lines = d->file != NULL && d->line > 0 && d->sheet == NULL;
    if (lines)
        odp_buffer_printf(w, ":%llu", (unsigned long long)d->line);
    if (d->table_column > 0)
        odp_buffer_add_str(w, ", ");
    else if (lines && d->column > 0 && !report_counts_records(d->file))
        odp_buffer_printf(w, ":%llu", (unsigned long long)d->column);
    report_column(w, d, j->lang);
    odp_buffer_add_str(w, d->file != NULL ? ": " : "");
    odp_report_message(w, d, j->lang);
    if (odp_diag_proposes(d)) {
        odp_buffer_add_str(w, odp_word(j->lang, W_report_proposal_2));
        report_proposal(w, d, j->lang);
    }
    odp_buffer_add_char(w, '\n');
}

static void add_examples(struct junit *j, const struct odp_diag_group *g)
{
    struct odp_buffer *w = &j->words;
    uint64_t shown = 0;
    for (const struct odp_diag_node *e = g->examples; e != NULL && shown < j->examples; e = e->next, shown++)
        add_example(j, &e->diag);
    if (g->count > shown) {
        odp_buffer_add_str(w, odp_word(j->lang, W_report_and_3));
        odp_text_number(w, g->count - shown, j->lang);
        odp_buffer_add_str(w, odp_word(j->lang, W_report_more_2));
    }
    if (g->examples != NULL &&
        report_add_help(w, odp_word(j->lang, W_report_help), &g->examples->diag, j->lang))
        odp_buffer_add_char(w, '\n');
    odp_buffer_add_str(w, odp_word(j->lang, W_report_explain_odp_build_explain_2));
    odp_buffer_add_str(w, odp_code_info(g->code)->code);
    odp_buffer_add_char(w, '\n');
}

/* "3 × bukan bilangan desimal" */
static void add_count(struct junit *j, const struct odp_diag_group *g)
{
    odp_text_number(&j->words, g->count, j->lang);
    odp_buffer_add_str(&j->words, " × ");
    report_group_title(&j->words, g, j->lang);
}

static json_t *testcase(struct junit *j, const struct odp_diag_group *g, json_t *suite)
{
    const char *code = odp_code_info(g->code)->code;
    odp_buffer_add_str(&j->words, code);
    add_name(j, " ", g->rule, "");
    add_name(j, " ", g->field, "");
    odp_buffer_add_str(&j->words, ": ");
    report_group_title(&j->words, g, j->lang);
    json_t *o = json_pack("{s:O, s:o}", "suite", suite, "name", report_take(&j->words));
    if (g->severity != ODP_SEVERITY_ERROR)
        return o;
    add_count(j, g);
    json_t *failure = json_pack("{s:s, s:o}", "code", code, "message", report_take(&j->words));
    add_examples(j, g);
    json_object_set_new(failure, "details", report_take(&j->words));
    json_object_set_new(o, "failure", failure);
    return o;
}

/* Warnings and notes of the suite of group I: nothing fails by them, and they are not to be lost. */
static json_t *told(struct junit *j, size_t i)
{
    for (size_t k = i; k < j->n; k++) {
        const struct odp_diag_group *g = j->groups[k];
        if (g->severity == ODP_SEVERITY_ERROR || !same_suite(j->groups[i], g))
            continue;
        odp_buffer_printf(&j->words, "%s %s ", report_severity_word(g->severity, j->lang),
                          odp_code_info(g->code)->code);
        add_name(j, "", g->field, " ");
        add_count(j, g);
        odp_buffer_add_char(&j->words, '\n');
        add_examples(j, g);
    }
    return report_take(&j->words);
}

static void add_suite(struct junit *j, json_t *name, json_t *package, json_t *cases, size_t failures,
                      json_t *properties, json_t *out)
{
    json_t *suite = json_pack("{s:o, s:o, s:o, s:o}", "name", name, "package", package, "cases", cases,
                              "properties", properties);
    json_object_set_new(suite, "id", number(j, json_array_size(j->suites)));
    json_object_set_new(suite, "tests", number(j, json_array_size(cases)));
    json_object_set_new(suite, "failures", number(j, failures));
    json_object_set_new(suite, "out", out);
    json_array_append_new(j->suites, suite);
}

/* The suite of group I and of all that belong to it. */
static void faulty_suite(struct junit *j, size_t i)
{
    const struct odp_diag_group *first = j->groups[i];
    const char *catalogue = odp_word(j->lang, W_report_catalogue);
    uint64_t count[ODP_SEVERITY_ERROR + 1] = {0};
    size_t failures = 0;
    json_t *cases = json_array(), *properties = json_array();
    report_place(&j->words, first->dataset, first->resource, NULL);
    odp_buffer_add_str(&j->words, j->words.len == 0 ? catalogue : "");
    json_t *name = report_take(&j->words);
    for (size_t k = i; k < j->n; k++)
        if (same_suite(first, j->groups[k])) {
            failures += j->groups[k]->severity == ODP_SEVERITY_ERROR;
            count[j->groups[k]->severity] += j->groups[k]->count;
            json_array_append_new(cases, testcase(j, j->groups[k], name));
        }
    add_property(j, properties, "errors", count[ODP_SEVERITY_ERROR]);
    add_property(j, properties, "warnings", count[ODP_SEVERITY_WARNING]);
    report_place(&j->words, first->dataset != NULL ? first->dataset : catalogue, NULL, NULL);
    json_t *package = report_take(&j->words);
    add_suite(j, name, package, cases, failures, properties, told(j, i));
}

static void clean_suite(struct junit *j, const struct odp_summary_dataset *d)
{
    json_t *properties = json_array();
    add_property(j, properties, "rows", d->rows);
    json_t *cases =
        json_pack("[{s:s, s:s}]", "suite", d->slug, "name", odp_word(j->lang, W_report_all_rules));
    add_suite(j, json_string(d->slug), json_string(d->slug), cases, 0, properties, json_string(""));
}

static bool begun_before(const struct junit *j, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_suite(j->groups[k], j->groups[i]))
            return true;
    return false;
}

static bool has_groups(const struct junit *j, const char *slug)
{
    for (size_t i = 0; i < j->n; i++)
        if (report_same(j->groups[i]->dataset, slug))
            return true;
    return false;
}

static enum odp_status render_junit(const struct odp_diags *d, const struct odp_summary *s,
                                    const struct odp_report_style *style, struct odp_buffer *out)
{
    struct junit j = {.summary = s, .lang = style->lang};
    if (report_sorted(d, &j.groups, &j.n) != ODP_OK)
        return ODP_FAIL;
    j.examples = j.n * EXAMPLES <= LISTED ? EXAMPLES : j.n < LISTED ? (unsigned)(LISTED / j.n) : 1;
    odp_buffer_init(&j.words);
    j.suites = json_array();
    for (size_t i = 0; i < j.n; i++)
        if (!begun_before(&j, i))
            faulty_suite(&j, i);
    for (size_t i = 0; i < s->ndatasets; i++)
        if (!has_groups(&j, s->datasets[i].slug))
            clean_suite(&j, &s->datasets[i]);
    json_t *m = json_pack("{s:s, s:s, s:o}", "version", s->version != NULL ? s->version : "", "time",
                          s->time != NULL ? s->time : "1970-01-01T00:00:00", "suites", j.suites);
    enum odp_status status = j.words.failed ? ODP_FAIL : report_write("junit", m, j.lang, out);
    json_decref(m);
    odp_buffer_release(&j.words);
    free(j.groups);
    return status;
}

const struct odp_report report_junit = {
    .name = "junit", .summary = {{W_report_junit_xml_for_ci_servers}}, .render = render_junit};
