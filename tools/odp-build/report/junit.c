/* JUnit's XML, as CI servers read it: a testsuite for each table of a dataset that has faults, with a testcase for each kind of
 * fault; a clean dataset is a testsuite that passes. Errors are failures; warnings and notes pass, and are told in system-out.
 * Valid against the schema of Ant's reports and against that of Jenkins.
 *
 * The two schemas differ: no `system-out` in a testcase, at least one property. Without a time
 * (ODP_NO_TIMES) the timestamp that Ant's schema wants is that of 1970. */
#include <stdlib.h>
#include <string.h>

#include "base/html.h"
#include "report/report_internal.h"
#include "words/report.h"

#define EXAMPLES 20   /* of one kind, told in its failure */
#define LISTED   2000 /* examples of a report */

struct junit {
    struct odp_buffer *out;
    const struct odp_summary *summary;
    const struct odp_diag_group **groups;
    size_t n, suites;
    enum odp_lang lang;
    unsigned examples;
    struct odp_buffer words;
};

static const char *say(const struct junit *j, const char *id, const char *en)
{
    return j->lang == ODP_LANG_ID ? id : en;
}

/* j->words as text or attribute; empties it. */
static void flush(struct junit *j)
{
    odp_html_text(j->out, odp_buffer_cstr(&j->words));
    if (j->words.failed)
        j->out->failed = true;
    odp_buffer_clear(&j->words);
}

/* A name of the catalogue between BEFORE and AFTER, where there is one. */
static void name(struct junit *j, const char *before, const char *text, const char *after)
{
    if (text == NULL)
        return;
    odp_buffer_add_str(&j->words, before);
    report_clean(&j->words, odp_slice_of(text));
    odp_buffer_add_str(&j->words, after);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_suite(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return same(a->dataset, b->dataset) && same(a->resource, b->resource);
}

static void suite_name(struct junit *j, const struct odp_diag_group *g)
{
    report_place(&j->words, g->dataset, g->resource, NULL);
    if (j->words.len == 0)
        odp_buffer_add_str(&j->words, say(j, W_report_catalogue));
    flush(j);
}

static void suite_start(struct junit *j, size_t tests, size_t failures)
{
    const char *time = j->summary->time != NULL ? j->summary->time : "1970-01-01T00:00:00"; /* the schema wants one */
    odp_buffer_printf(
        j->out,
        "\" id=\"%zu\" hostname=\"localhost\" timestamp=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"0\">\n",
        j->suites++, time, tests, failures);
    odp_buffer_add_str(j->out, "    <properties>\n      <property name=\"odp-build\" value=\"");
    odp_html_text(j->out, j->summary->version);
    odp_buffer_add_str(j->out, "\"/>\n");
}

static void property(struct junit *j, const char *name, uint64_t value)
{
    odp_buffer_printf(j->out, "      <property name=\"%s\" value=\"%llu\"/>\n", name, (unsigned long long)value);
}

/* "sumber/kumuh.csv:12, kolom D (luas_ha): bukan bilangan desimal: “x”; diharapkan: …" */
static void example(struct junit *j, const struct odp_diag *d)
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
        odp_buffer_add_str(w, say(j, W_report_proposal_2));
        report_proposal(w, d, j->lang);
    }
    odp_buffer_add_char(w, '\n');
}

static void examples(struct junit *j, const struct odp_diag_group *g)
{
    uint64_t shown = 0;
    for (const struct odp_diag_node *e = g->examples; e != NULL && shown < j->examples; e = e->next, shown++)
        example(j, &e->diag);
    if (g->count > shown) {
        odp_buffer_add_str(&j->words, say(j, W_report_and_3));
        report_number(&j->words, g->count - shown, j->lang);
        odp_buffer_add_str(&j->words, say(j, W_report_more_2));
    }
    if (g->examples != NULL) {
        size_t before = j->words.len;
        odp_buffer_add_str(&j->words, say(j, W_report_help));
        size_t start = j->words.len;
        odp_report_help(&j->words, &g->examples->diag, j->lang);
        if (j->words.len == start && !j->words.failed)
            j->words.len = before;
        else
            odp_buffer_add_char(&j->words, '\n');
    }
    odp_buffer_add_str(&j->words, say(j, W_report_explain_odp_build_explain_2));
    odp_buffer_add_str(&j->words, odp_code_info(g->code)->code);
    odp_buffer_add_char(&j->words, '\n');
}

static void testcase(struct junit *j, const struct odp_diag_group *g)
{
    const char *code = odp_code_info(g->code)->code;
    odp_buffer_add_str(j->out, "    <testcase classname=\"");
    suite_name(j, g);
    odp_buffer_add_str(j->out, "\" name=\"");
    odp_buffer_add_str(&j->words, code);
    name(j, " ", g->rule, "");
    name(j, " ", g->field, "");
    odp_buffer_add_str(&j->words, ": ");
    report_group_title(&j->words, g, j->lang);
    flush(j);
    if (g->severity != ODP_SEVERITY_ERROR) {
        odp_buffer_add_str(j->out, "\" time=\"0\"/>\n");
        return;
    }
    odp_buffer_printf(j->out, "\" time=\"0\">\n      <failure type=\"%s\" message=\"", code);
    report_number(&j->words, g->count, j->lang);
    odp_buffer_add_str(&j->words, " × ");
    report_group_title(&j->words, g, j->lang);
    flush(j);
    odp_buffer_add_str(j->out, "\">");
    examples(j, g);
    flush(j);
    odp_buffer_add_str(j->out, "</failure>\n    </testcase>\n");
}

/* Warnings and notes: nothing fails by them, and they are not to be lost. */
static void told(struct junit *j, const struct odp_diag_group *g)
{
    if (g->severity == ODP_SEVERITY_ERROR)
        return;
    odp_buffer_printf(&j->words, "%s %s ", report_severity_word(g->severity, j->lang), odp_code_info(g->code)->code);
    name(j, "", g->field, " ");
    report_number(&j->words, g->count, j->lang);
    odp_buffer_add_str(&j->words, " × ");
    report_group_title(&j->words, g, j->lang);
    odp_buffer_add_char(&j->words, '\n');
    examples(j, g);
    flush(j);
}

/* The suite of group I and of all that belong to it. */
static void suite(struct junit *j, size_t i)
{
    const struct odp_diag_group *first = j->groups[i];
    size_t tests = 0, failures = 0;
    uint64_t errors = 0, warnings = 0;
    for (size_t k = i; k < j->n; k++)
        if (same_suite(first, j->groups[k])) {
            bool error = j->groups[k]->severity == ODP_SEVERITY_ERROR;
            tests++;
            failures += error;
            errors += error ? j->groups[k]->count : 0;
            warnings += j->groups[k]->severity == ODP_SEVERITY_WARNING ? j->groups[k]->count : 0;
        }
    odp_buffer_add_str(j->out, "  <testsuite name=\"");
    suite_name(j, first);
    odp_buffer_add_str(j->out, "\" package=\"");
    report_place(&j->words, first->dataset != NULL ? first->dataset : say(j, W_report_catalogue), NULL, NULL);
    flush(j);
    suite_start(j, tests, failures);
    property(j, "errors", errors);
    property(j, "warnings", warnings);
    odp_buffer_add_str(j->out, "    </properties>\n");
    for (size_t k = i; k < j->n; k++)
        if (same_suite(first, j->groups[k]))
            testcase(j, j->groups[k]);
    odp_buffer_add_str(j->out, "    <system-out>");
    for (size_t k = i; k < j->n; k++)
        if (same_suite(first, j->groups[k]))
            told(j, j->groups[k]);
    odp_buffer_add_str(j->out, "</system-out>\n    <system-err></system-err>\n  </testsuite>\n");
}

static void clean_suite(struct junit *j, const struct odp_summary_dataset *d)
{
    odp_buffer_add_str(j->out, "  <testsuite name=\"");
    odp_html_text(j->out, d->slug);
    odp_buffer_add_str(j->out, "\" package=\"");
    odp_html_text(j->out, d->slug);
    suite_start(j, 1, 0);
    property(j, "rows", d->rows);
    odp_buffer_add_str(j->out, "    </properties>\n    <testcase classname=\"");
    odp_html_text(j->out, d->slug);
    odp_buffer_printf(
        j->out, "\" name=\"%s\" time=\"0\"/>\n    <system-out></system-out>\n    <system-err></system-err>\n  </testsuite>\n",
        say(j, W_report_all_rules));
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
        if (same(j->groups[i]->dataset, slug))
            return true;
    return false;
}

static enum odp_status render_junit(const struct odp_diags *d, const struct odp_summary *s,
                                    const struct odp_report_style *style, struct odp_buffer *out)
{
    struct junit j = {.out = out, .summary = s, .lang = style->lang};
    if (report_sorted(d, &j.groups, &j.n) != ODP_OK)
        return ODP_FAIL;
    j.examples = j.n * EXAMPLES <= LISTED ? EXAMPLES : j.n < LISTED ? (unsigned)(LISTED / j.n) : 1;
    odp_buffer_init(&j.words);
    odp_buffer_add_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < j.n; i++)
        if (!begun_before(&j, i))
            suite(&j, i);
    for (size_t i = 0; i < s->ndatasets; i++)
        if (!has_groups(&j, s->datasets[i].slug))
            clean_suite(&j, &s->datasets[i]);
    odp_buffer_add_str(out, "</testsuites>\n");
    if (j.words.failed)
        out->failed = true;
    odp_buffer_release(&j.words);
    free(j.groups);
    return odp_buffer_status(out);
}

const struct odp_report report_junit = {
    .name = "junit", .summary = {{W_report_junit_xml_for_ci_servers}}, .render = render_junit};
