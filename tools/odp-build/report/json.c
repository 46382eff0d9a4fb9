/* The json report: {"summary", "counts", "diagnostics"}, one diagnostic a line. Every fault is in counts;
 * diagnostics holds the examples that the collector kept, errors first.
 *
 * `counts` counts every fault. What is absent is null; `proposal` and `rule` are left out. `action`
 * (`delete-record`, `delete-lines` with `lines`, `rename-label`) stands only where something else than a
 * plain replacement is proposed. `message` and `help` are in the language of the run; everything else does
 * not depend on it. */
#include <stdlib.h>

#include "report/report_internal.h"
#include "words/report.h"

static json_t *place(uint64_t n)
{
    return n == 0 ? json_null() : json_integer((json_int_t)n);
}

static void set_text(json_t *o, const char *name, const char *text)
{
    json_object_set_new(o, name, report_json(odp_slice_of(text)));
}

/* What is proposed, where it is not that the proposal takes the cell's place. */
static void set_action(json_t *o, const struct odp_diag *d)
{
    const char *action = report_action(d);
    if (action == NULL || d->action == ODP_ACTION_REPLACE)
        return;
    set_text(o, "action", action);
    if (d->action == ODP_ACTION_DELETE_LINES)
        json_object_set_new(o, "lines", json_integer(d->lines));
}

/* Of a workbook: line and column are the numbers of row and column; said as people say it, too. */
static void set_cell(json_t *o, const struct odp_diag *d)
{
    char cell[32];
    if (d->sheet == NULL)
        return;
    set_text(o, "sheet", d->sheet);
    if (*odp_diag_cell(d, cell) != '\0')
        set_text(o, "cell", cell);
}

static json_t *diagnostic(struct odp_buffer *words, const struct odp_diag_group *g, const struct odp_diag *d,
                          enum odp_lang lang)
{
    const struct odp_code_info *info = odp_code_info(g->code);
    json_t *o = json_pack("{s:s, s:s, s:s}", "code", info->code, "name", info->name, "severity",
                          report_severity_word(g->severity, ODP_LANG_EN));
    set_text(o, "dataset", g->dataset);
    set_text(o, "resource", g->resource);
    set_text(o, "file", d->file);
    json_object_set_new(o, "line", place(d->line));
    json_object_set_new(o, "column", place(d->column));
    set_cell(o, d);
    json_object_set_new(o, "row", place(d->row));
    set_text(o, "field", g->field);
    json_object_set_new(o, "value", report_json(d->value));
    odp_report_message(words, d, lang);
    json_object_set_new(o, "message", report_take(words));
    odp_report_help(words, d, lang);
    json_object_set_new(o, "help", words->len > 0 ? report_take(words) : json_null());
    if (d->proposal.ptr != NULL)
        json_object_set_new(o, "proposal", report_json(d->proposal));
    set_action(o, d);
    if (g->rule != NULL)
        set_text(o, "rule", g->rule);
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

/* VALUE between BEFORE and what comes. */
static void put_take(struct odp_buffer *out, const char *before, json_t *value)
{
    odp_buffer_add_str(out, before);
    if (report_dump(value, out) != ODP_OK)
        out->failed = true;
    json_decref(value);
}

static enum odp_status render_json(const struct odp_diags *d, const struct odp_summary *s,
                                   const struct odp_report_style *style, struct odp_buffer *out)
{
    const struct odp_diag_group **groups = NULL;
    struct odp_buffer words;
    size_t n = 0;
    bool first = true;
    if (report_sorted(d, &groups, &n) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_init(&words);
    put_take(out, "{\"summary\":",
             json_pack("{s:I, s:I, s:I, s:I, s:I}", "datasets", (json_int_t)s->ndatasets, "resources",
                       (json_int_t)s->nresources, "rows", (json_int_t)s->rows, "errors",
                       (json_int_t)odp_diags_count(d, ODP_SEVERITY_ERROR), "warnings",
                       (json_int_t)odp_diags_count(d, ODP_SEVERITY_WARNING)));
    put_take(out, ",\n\"counts\":", counts(d));
    odp_buffer_add_str(out, ",\n\"diagnostics\":[");
    for (size_t i = 0; i < n; i++)
        for (const struct odp_diag_node *e = groups[i]->examples; e != NULL; e = e->next, first = false)
            put_take(out, first ? "\n" : ",\n", diagnostic(&words, groups[i], &e->diag, style->lang));
    odp_buffer_add_str(out, first ? "]}\n" : "\n]}\n");
    out->failed = out->failed || words.failed;
    odp_buffer_release(&words);
    free(groups);
    return odp_buffer_status(out);
}

const struct odp_report report_as_json = {
    .name = "json", .summary = {{W_report_for_programs_one_diagnostic_line}}, .render = render_json};
