/* The json report: {"summary", "counts", "diagnostics"}, one diagnostic a line. Every fault is in counts; diagnostics holds the
 * examples that the collector kept, errors first.
 *
 * `counts` counts every fault. What is absent is null; `proposal` and `rule` are left out. `action`
 * (`delete-record`, `delete-lines` with `lines`, `rename-label`) stands only where something else than a
 * plain replacement is proposed. `message` and `help` are in the language of the run; everything else does
 * not depend on it. */
#include <stdlib.h>

#include "words/report.h"

#include "report/report_internal.h"

static void add_member(struct odp_buffer *out, const char *name, struct odp_slice value)
{
    odp_buffer_printf(out, ",\"%s\":", name);
    report_json_text(out, value);
}

static void add_place(struct odp_buffer *out, const char *name, uint64_t n)
{
    odp_buffer_printf(out, ",\"%s\":", name);
    if (n == 0)
        odp_buffer_add_str(out, "null");
    else
        odp_buffer_add_u64(out, n);
}

static void add_words(struct odp_buffer *out, const char *name, const struct odp_diag *d, enum odp_lang lang,
                      void (*make)(struct odp_buffer *, const struct odp_diag *, enum odp_lang))
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    make(&text, d, lang);
    if (text.failed)
        out->failed = true;
    add_member(out, name, text.len > 0 ? odp_buffer_slice(&text) : (struct odp_slice){0});
    odp_buffer_release(&text);
}

/* What is proposed, where it is not that the proposal takes the cell's place. */
static void add_action(struct odp_buffer *out, const struct odp_diag *d)
{
    const char *action = report_action(d);
    if (action == NULL || d->action == ODP_ACTION_REPLACE)
        return;
    odp_buffer_printf(out, ",\"action\":\"%s\"", action);
    if (d->action == ODP_ACTION_DELETE_LINES)
        odp_buffer_printf(out, ",\"lines\":%u", d->lines);
}

/* Of a workbook: line and column are the numbers of row and column; said as people say it, too. */
static void add_cell(struct odp_buffer *out, const struct odp_diag *d)
{
    char cell[32];
    if (d->sheet == NULL)
        return;
    add_member(out, "sheet", odp_slice_of(d->sheet));
    if (*odp_diag_cell(d, cell) != '\0')
        add_member(out, "cell", odp_slice_of(cell));
}

static void add_diagnostic(struct odp_buffer *out, const struct odp_diag_group *g, const struct odp_diag *d, enum odp_lang lang)
{
    const struct odp_code_info *info = odp_code_info(g->code);
    odp_buffer_printf(out, "{\"code\":\"%s\",\"name\":\"%s\",\"severity\":\"%s\"", info->code, info->name,
                      report_severity_word(g->severity, ODP_LANG_EN));
    add_member(out, "dataset", odp_slice_of(g->dataset));
    add_member(out, "resource", odp_slice_of(g->resource));
    add_member(out, "file", odp_slice_of(d->file));
    add_place(out, "line", d->line);
    add_place(out, "column", d->column);
    add_cell(out, d);
    add_place(out, "row", d->row);
    add_member(out, "field", odp_slice_of(g->field));
    add_member(out, "value", d->value);
    add_words(out, "message", d, lang, odp_report_message);
    add_words(out, "help", d, lang, odp_report_help);
    if (d->proposal.ptr != NULL)
        add_member(out, "proposal", d->proposal);
    add_action(out, d);
    if (g->rule != NULL)
        add_member(out, "rule", odp_slice_of(g->rule));
    odp_buffer_add_char(out, '}');
}

static void add_counts(struct odp_buffer *out, const struct odp_diags *d)
{
    bool first = true;
    odp_buffer_add_str(out, "\"counts\":{");
    for (int code = 0; code < ODP_CODE_COUNT; code++) {
        uint64_t n = odp_diags_code_count(d, (enum odp_code)code);
        if (n == 0)
            continue;
        odp_buffer_printf(out, "%s\"%s\":", first ? "" : ",", odp_code_info((enum odp_code)code)->code);
        odp_buffer_add_u64(out, n);
        first = false;
    }
    odp_buffer_add_str(out, "}");
}

static enum odp_status render_json(const struct odp_diags *d, const struct odp_summary *s, const struct odp_report_style *style,
                                   struct odp_buffer *out)
{
    const struct odp_diag_group **groups = NULL;
    size_t n = 0;
    bool first = true;
    if (report_sorted(d, &groups, &n) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_printf(
        out, "{\"summary\":{\"datasets\":%zu,\"resources\":%zu,\"rows\":%llu,\"errors\":%llu,\"warnings\":%llu},\n",
        s->ndatasets, s->nresources, (unsigned long long)s->rows, (unsigned long long)odp_diags_count(d, ODP_SEVERITY_ERROR),
        (unsigned long long)odp_diags_count(d, ODP_SEVERITY_WARNING));
    add_counts(out, d);
    odp_buffer_add_str(out, ",\n\"diagnostics\":[");
    for (size_t i = 0; i < n; i++)
        for (const struct odp_diag_node *e = groups[i]->examples; e != NULL; e = e->next) {
            odp_buffer_add_str(out, first ? "\n" : ",\n");
            first = false;
            add_diagnostic(out, groups[i], &e->diag, style->lang);
        }
    odp_buffer_add_str(out, first ? "]}\n" : "\n]}\n");
    free(groups);
    return odp_buffer_status(out);
}

const struct odp_report report_json = {.name = "json", .summary = {{W_report_for_programs_one_diagnostic_line}}, .render = render_json};
