/* The json report: {"summary", "counts", "diagnostics"}, one diagnostic a line. Counts hold every fault;
 * diagnostics the examples that the collector kept, errors first.
 *
 * Faults with one cause, and equal ones, are one diagnostic: with `count`, the lines of all (`rows`) and,
 * of a cause, of how many filled cells (`of`) and what mends it (`step`).
 *
 * Absent members are null; `proposal` and `rule` are left out. `action` (`delete-record`, `delete-lines`
 * with `lines`, `rename-label`) appears only for proposals that do not replace a value. `message` and
 * `help` are in the language of the run; nothing else depends on it. */
#include "report/report_internal.h"
#include "words/report.h"

static json_t *place(uint64_t n)
{
    return n == 0 ? json_null() : json_integer((json_int_t)n);
}

static json_t *text(const char *s)
{
    return report_json(odp_slice_of(s));
}

static json_t *words_of(struct report_job *j, report_words *say, const struct odp_diag *d)
{
    say(&j->words, d, j->lang);
    return report_take(j);
}

/* What several faults have in common. */
static void set_several(struct report_job *j, json_t *o, const struct report_finding *f)
{
    if (f->count == 1)
        return;
    json_object_set_new(o, "count", json_integer((json_int_t)f->count));
    if (f->whole)
        json_object_set_new(o, "of", json_integer((json_int_t)f->of));
    if (f->some)
        json_object_set_new(o, "at_least", json_true());
    report_add_rows(j, f, SIZE_MAX);
    if (j->words.len > 0)
        json_object_set_new(o, "rows", report_take(j));
    if (report_add_step(j, "", f))
        json_object_set_new(o, "step", report_take(j));
}

static json_t *diagnostic(struct report_job *j, const struct odp_diag_group *g,
                          const struct report_finding *f)
{
    const struct odp_diag *d = f->d;
    char cell[32];
    const char *action = d->action != ODP_ACTION_REPLACE ? report_action(d) : NULL;
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "code", report_code(g), "name",
                  odp_code_info(g->code)->name, "severity", report_severity_word(g->severity, ODP_LANG_EN),
                  "dataset", text(g->dataset), "resource", text(g->resource), "file", text(d->file), "line",
                  place(d->line), "column", place(d->column));
    if (d->sheet !=
        NULL) /* line and column are numbers of row and column; sheet and cell say it as people do */
        json_object_set_new(o, "sheet", text(d->sheet));
    if (d->sheet != NULL && *odp_diag_cell(d, cell) != '\0')
        json_object_set_new(o, "cell", text(cell));
    json_object_set_new(o, "row", place(d->row));
    json_object_set_new(o, "field", text(g->field));
    json_object_set_new(o, "value", report_json(d->value));
    report_add_message(j, f);
    json_object_set_new(o, "message", report_take(j));
    json_t *help = words_of(j, odp_report_help, d);
    json_object_set(o, "help", json_string_length(help) > 0 ? help : json_null());
    json_decref(help);
    if (d->proposal.ptr != NULL)
        json_object_set_new(o, "proposal", report_json(d->proposal));
    if (action != NULL)
        json_object_set_new(o, "action", text(action));
    if (action != NULL && d->action == ODP_ACTION_DELETE_LINES)
        json_object_set_new(o, "lines", json_integer(d->lines));
    if (g->rule != NULL)
        json_object_set_new(o, "rule", text(g->rule));
    set_several(j, o, f);
    return o;
}

static json_t *counts(const struct odp_diags *d)
{
    json_t *o = json_object();
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        if (odp_diags_code_count(d, (enum odp_code)code) > 0)
            json_object_set_new(o, odp_code_info((enum odp_code)code)->code,
                                json_integer((json_int_t)odp_diags_code_count(d, (enum odp_code)code)));
    return o;
}

static enum odp_status put(struct report_job *j, const char *before, json_t *value)
{
    odp_buffer_add_str(j->out, before);
    return report_dump(j, value);
}

static enum odp_status render_json(struct report_job *j, const struct odp_report_style *style)
{
    const struct odp_summary *s = j->summary;
    struct report_finding f;
    bool first = true;
    enum odp_status status =
        put(j, "{\"summary\":",
            json_pack("{s:I, s:I, s:I, s:I, s:I}", "datasets", (json_int_t)s->ndatasets, "resources",
                      (json_int_t)s->nresources, "rows", (json_int_t)s->rows, "errors",
                      (json_int_t)odp_diags_count(j->diags, ODP_SEVERITY_ERROR), "warnings",
                      (json_int_t)odp_diags_count(j->diags, ODP_SEVERITY_WARNING)));
    if (status == ODP_OK)
        status = put(j, ",\n\"counts\":", counts(j->diags));
    odp_buffer_add_str(j->out, ",\n\"diagnostics\":[");
    for (size_t i = 0; i < j->n; i++)
        for (struct report_walk w = {.group = &j->groups[i]}; status == ODP_OK && report_next(&w, &f);
             first = false)
            status = put(j, first ? "\n" : ",\n", diagnostic(j, j->groups[i].g, &f));
    odp_buffer_add_str(j->out, first ? "]}\n" : "\n]}\n");
    return status;
}

const struct odp_report report_as_json = {
    .name = "json", .summary = {{W_report_for_programs_one_diagnostic_line}}, .render = render_json};
