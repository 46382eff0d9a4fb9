/* JUnit's XML for CI servers: a testsuite for each table with faults, a testcase for each kind of fault; a
 * clean dataset is a testsuite that passes. Errors are failures; warnings and notes pass and go to
 * system-out. Valid against the schemas of Ant and of Jenkins. templates/report/pages/junit.xml writes the
 * model that is made here.
 *
 * The two schemas differ: no `system-out` in a testcase, at least one property. Without a time
 * (ODP_NO_TIMES) the timestamp that Ant's schema needs is that of 1970. */
#include "report/report_internal.h"
#include "words/report.h"

#define EXAMPLES 20   /* of one kind, in its failure */
#define LISTED   2000 /* examples of a report */
#define ROWS     20   /* runs of rows of an example */

static bool same_suite(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return odp_str_eq(a->dataset, b->dataset) && odp_str_eq(a->resource, b->resource);
}

/* Adds a name of the catalogue between BEFORE and AFTER, if there is one. */
static void add_name(struct report_job *j, const char *before, const char *text, const char *after)
{
    if (text == NULL)
        return;
    report_str(j, before);
    report_clean(j->to, odp_slice_of(text));
    report_str(j, after);
}

static json_t *property(const char *name, uint64_t value)
{
    return json_pack("{s:s, s:o}", "name", name, "value", json_sprintf("%llu", (unsigned long long)value));
}

/* "sumber/kumuh.csv:12, kolom D (luas_ha): bukan bilangan desimal: “x”; diharapkan: …" */
static void add_example(struct report_job *j, const struct report_finding *f)
{
    const struct odp_diag *d = f->d;
    bool lines = d->file != NULL && d->line > 0 && d->sheet == NULL;
    add_name(j, "", d->file, "");
    if (d->sheet != NULL && d->line > 0) {
        report_str(j, " [");
        report_sheet_place(j->to, d, j->lang);
        report_str(j, "]");
    }
    if (lines)
        odp_buffer_printf(j->to, ":%llu", (unsigned long long)d->line);
    if (d->table_column > 0)
        report_str(j, ", ");
    else if (lines && d->column > 0 && !report_counts_records(d->file))
        odp_buffer_printf(j->to, ":%llu", (unsigned long long)d->column);
    report_column(j->to, d, j->lang);
    report_str(j, d->file != NULL ? ": " : "");
    report_add_message(j, f);
    if (odp_diag_proposes(d)) {
        report_say(j, W_report_proposal_2);
        report_proposal(j->to, d, j->lang);
    }
    if (f->count > 1 && f->rows->n > 0) {
        report_say(j, W_report_on_lines);
        report_add_rows(j, f, ROWS);
    }
    (void)report_add_step(j, report_word(j, W_report_fix_all_2), f);
    report_str(j, "\n");
}

static void add_examples(struct report_job *j, const struct report_group *k)
{
    struct report_walk w = {.group = k};
    struct report_finding f;
    uint64_t told = 0;
    for (unsigned shown = 0; shown < j->examples && report_next(&w, &f); shown++) {
        add_example(j, &f);
        told += f.count;
    }
    if (k->g->count > told) {
        report_say(j, W_report_and_3);
        report_counted(j, k->g->count - told, W_report_more_2, W_report_more_2);
    }
    if (k->g->examples != NULL && report_add_help(j, report_word(j, W_report_help), k->first))
        report_str(j, "\n");
    odp_buffer_printf(j->to, "%s%s\n", report_word(j, W_report_explain_odp_build_explain_2),
                      report_code(k->g));
}

/* "3 × bukan bilangan desimal" */
static void add_count(struct report_job *j, const struct odp_diag_group *g)
{
    report_number(j, g->count);
    report_str(j, " × ");
    report_group_title(j, g);
}

static json_t *testcase(struct report_job *j, const struct report_group *k, json_t *suite)
{
    report_str(j, report_code(k->g));
    add_name(j, " ", k->g->rule, "");
    add_name(j, " ", k->g->field, "");
    report_str(j, ": ");
    report_group_title(j, k->g);
    json_t *o = json_pack("{s:O, s:o}", "suite", suite, "name", report_take(j));
    if (k->g->severity != ODP_SEVERITY_ERROR)
        return o;
    add_count(j, k->g);
    json_t *message = report_take(j);
    add_examples(j, k);
    json_object_set_new(o, "failure",
                        json_pack("{s:s, s:o, s:o}", "code", report_code(k->g), "message", message, "details",
                                  report_take(j)));
    return o;
}

/* Warnings and notes of the suite of group FIRST: they do not fail, but must not be lost. */
static json_t *system_out(struct report_job *j, const struct report_group *first)
{
    for (size_t i = first->index; i < j->n; i++) {
        const struct odp_diag_group *g = j->groups[i].g;
        if (g->severity == ODP_SEVERITY_ERROR || !same_suite(first->g, g))
            continue;
        odp_buffer_printf(j->to, "%s %s ", report_severity_word(g->severity, j->lang), report_code(g));
        add_name(j, "", g->field, " ");
        add_count(j, g);
        report_str(j, "\n");
        add_examples(j, &j->groups[i]);
    }
    return report_take(j);
}

/* The suite of group FIRST and of all groups that belong to it. */
static json_t *faulty_suite(struct report_job *j, const struct report_group *first)
{
    const char *catalogue = report_word(j, W_report_catalogue);
    uint64_t count[ODP_SEVERITY_ERROR + 1] = {0};
    size_t failures = 0;
    json_t *cases = json_array();
    report_place_of(j->to, first->g->dataset, first->g->resource, NULL);
    report_str(j, j->words.len == 0 ? catalogue : "");
    json_t *name = report_take(j);
    for (size_t i = first->index; i < j->n; i++)
        if (same_suite(first->g, j->groups[i].g)) {
            failures += j->groups[i].g->severity == ODP_SEVERITY_ERROR;
            count[j->groups[i].g->severity] += j->groups[i].g->count;
            json_array_append_new(cases, testcase(j, &j->groups[i], name));
        }
    json_t *package = report_clean_json(j, first->g->dataset != NULL ? first->g->dataset : catalogue);
    return json_pack("{s:o, s:o, s:o, s:o, s:[o, o], s:o}", "name", name, "package", package, "cases", cases,
                     "failures", json_sprintf("%zu", failures), "properties",
                     property("errors", count[ODP_SEVERITY_ERROR]),
                     property("warnings", count[ODP_SEVERITY_WARNING]), "out", system_out(j, first));
}

static json_t *clean_suite(const struct report_job *j, const struct odp_summary_dataset *d)
{
    return json_pack("{s:s, s:s, s:[{s:s, s:s}], s:s, s:[o], s:s}", "name", d->slug, "package", d->slug,
                     "cases", "suite", d->slug, "name", report_word(j, W_report_all_rules), "failures", "0",
                     "properties", property("rows", d->rows), "out", "");
}

static void add_suite(json_t *suites, json_t *suite)
{
    json_object_set_new(suite, "id", json_sprintf("%zu", json_array_size(suites)));
    json_object_set_new(suite, "tests",
                        json_sprintf("%zu", json_array_size(json_object_get(suite, "cases"))));
    json_array_append_new(suites, suite);
}

static bool begins_suite(const struct report_job *j, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_suite(j->groups[k].g, j->groups[i].g))
            return false;
    return true;
}

static bool has_groups(const struct report_job *j, const char *slug)
{
    for (size_t i = 0; i < j->n; i++)
        if (odp_str_eq(j->groups[i].g->dataset, slug))
            return true;
    return false;
}

static enum odp_status render_junit(struct report_job *j, const struct odp_report_style *style)
{
    const struct odp_summary *s = j->summary;
    json_t *suites = json_array();
    j->examples = EXAMPLES;
    if (j->n * EXAMPLES > LISTED)
        j->examples = j->n < LISTED ? (unsigned)(LISTED / j->n) : 1;
    for (size_t i = 0; i < j->n; i++)
        if (begins_suite(j, i))
            add_suite(suites, faulty_suite(j, &j->groups[i]));
    for (size_t i = 0; i < s->ndatasets; i++)
        if (!has_groups(j, s->datasets[i].slug))
            add_suite(suites, clean_suite(j, &s->datasets[i]));
    return report_write(j, "junit",
                        json_pack("{s:s, s:s, s:o}", "version", s->version != NULL ? s->version : "", "time",
                                  s->time != NULL ? s->time : "1970-01-01T00:00:00", "suites", suites));
}

const struct odp_report report_junit = {
    .name = "junit", .summary = {{W_report_junit_xml_for_ci_servers}}, .render = render_junit};
