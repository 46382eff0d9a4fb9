/* SARIF 2.1.0 (OASIS): one run, a rule for each code that was found, a result for each example. Counts are exact in the
 * properties of the run and of each rule; of the results at most LISTED, shared out among the groups, are in the file, and a
 * notification says how many are not. Columns count Unicode code points. A fix is given where its place in the file is exact.
 *
 * A region has an end where the mark ends in the same line. Records of a shapefile and cells of a workbook
 * are no lines of text: they have no region or only its start, and their own names (`record`, `Data!B17`). A
 * fix is given only where the marked text is the cell, whole and unmasked; a proposal that needs quotes gets
 * them where the line shows that its dialect has them. Else there is no fix, and the proposal is in the
 * message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define LISTED 5000 /* as many as GitHub's code scanning shows of a file */
#define EACH   200  /* of one group */

struct sarif {
    struct odp_buffer *out, words;
    const struct odp_diags *diags;
    const struct odp_summary *summary;
    const struct odp_diag_group **groups;
    size_t n, each;
    int index[ODP_CODE_COUNT]; /* of a code's rule */
    uint64_t listed;
    enum odp_lang lang;
};

static const char *say(const struct sarif *s, const char *id, const char *en)
{
    return s->lang == ODP_LANG_ID ? id : en;
}

static void raw(struct sarif *s, const char *text)
{
    odp_buffer_add_str(s->out, text);
}

/* s->words as a JSON string; empties it. */
static void flush(struct sarif *s)
{
    if (s->words.failed)
        s->out->failed = true;
    report_json_text(s->out, (struct odp_slice){s->words.ptr != NULL ? s->words.ptr : "", s->words.len});
    odp_buffer_clear(&s->words);
}

static void member(struct sarif *s, const char *before, const char *value)
{
    raw(s, before);
    report_json_text(s->out, odp_slice_of(value));
}

static const char *level(enum odp_severity severity)
{
    return severity == ODP_SEVERITY_ERROR ? "error" : severity == ODP_SEVERITY_WARNING ? "warning" : "note";
}

/* ---- rules
 * ------------------------------------------------------------------------------------------------------------------- */

static void rule_help(struct sarif *s, enum odp_code code)
{
    const char *why = odp_text_get(&odp_code_info(code)->words.why, s->lang), *mend = odp_text_get(&odp_code_info(code)->words.mend, s->lang),
               *example = odp_code_info(code)->words.example;
    struct odp_buffer *w = &s->words;
    raw(s, ",\"help\":{\"text\":");
    odp_buffer_printf(w, "%s\n\n%s", why, mend);
    if (example != NULL)
        odp_buffer_printf(w, "\n\n%s\n%s", say(s, W_report_example_2), example);
    flush(s);
    raw(s, ",\"markdown\":");
    odp_buffer_printf(w, "%s\n\n**%s** %s", why, say(s, W_report_how_mend_2), mend);
    if (example != NULL)
        odp_buffer_printf(w, "\n\n```text\n%s\n```", example);
    flush(s);
    raw(s, "}");
}

static void add_rule(struct sarif *s, enum odp_code code)
{
    const struct odp_code_info *info = odp_code_info(code);
    odp_buffer_printf(s->out, "{\"id\":\"%s\",\"name\":\"%s\",\"shortDescription\":{\"text\":", info->code, info->name);
    report_bare_title(&s->words, code, s->lang);
    flush(s);
    member(s, "},\"fullDescription\":{\"text\":", odp_text_get(&odp_code_info(code)->words.why, s->lang));
    raw(s, "}");
    rule_help(s, code);
    odp_buffer_printf(s->out, ",\"defaultConfiguration\":{\"level\":\"%s\"},\"properties\":{\"count\":%llu}}",
                      level(info->severity), (unsigned long long)odp_diags_code_count(s->diags, code));
}

static void rules(struct sarif *s)
{
    int n = 0;
    raw(s, "\"rules\":[");
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        if (odp_diags_code_count(s->diags, (enum odp_code)code) > 0) {
            raw(s, n > 0 ? ",\n" : "\n");
            s->index[code] = n++;
            add_rule(s, (enum odp_code)code);
        }
    raw(s, "]");
}

/* ---- results
 * ----------------------------------------------------------------------------------------------------------------- */

/* A path as a URI reference (RFC 3986). */
static void artifact(struct sarif *s, const char *file)
{
    raw(s, "\"artifactLocation\":{\"uri\":\"");
    if (*file == '/')
        raw(s, "file://");
    else if (strchr(file, ':') != NULL)
        raw(s, "./");
    for (; *file != '\0'; file++) {
        unsigned char c = (unsigned char)*file;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/@:+,=", c) != NULL)
            odp_buffer_add_char(s->out, (char)c);
        else
            odp_buffer_printf(s->out, "%%%02X", c);
    }
    raw(s, "\"}");
}

static void snippet(struct sarif *s, struct odp_slice text)
{
    raw(s, ",\"snippet\":{\"text\":");
    report_json_text(s->out, text);
    raw(s, "}");
}

/* Lines and columns are those of text; a shapefile has records. */
static void region(struct sarif *s, const struct odp_diag *d)
{
    struct odp_slice marked;
    if (d->line == 0 || report_counts_records(d->file))
        return;
    odp_buffer_printf(s->out, ",\"region\":{\"startLine\":%llu", (unsigned long long)d->line);
    if (d->column > 0)
        odp_buffer_printf(s->out, ",\"startColumn\":%llu", (unsigned long long)d->column);
    if (report_mark(d, &marked)) {
        odp_buffer_printf(s->out, ",\"endLine\":%llu,\"endColumn\":%llu", (unsigned long long)d->line,
                          (unsigned long long)(d->column + odp_utf8_count(marked)));
        snippet(s, marked);
    }
    raw(s, "}");
    if (d->source.ptr != NULL && d->source.len > 0 && d->sheet == NULL) {
        odp_buffer_printf(s->out, ",\"contextRegion\":{\"startLine\":%llu", (unsigned long long)d->line);
        snippet(s, d->source);
        raw(s, "}");
    }
}

static void logical(struct sarif *s, const struct odp_diag_group *g, const struct odp_diag *d)
{
    const char *name = g->field != NULL ? g->field : g->resource != NULL ? g->resource : g->dataset;
    const char *kind = g->field != NULL ? "field" : g->resource != NULL ? "resource" : "dataset";
    if (name == NULL)
        return;
    member(s, ",\"logicalLocations\":[{\"name\":", name);
    raw(s, ",\"fullyQualifiedName\":");
    report_place(&s->words, g->dataset, g->resource, g->field);
    flush(s);
    odp_buffer_printf(s->out, ",\"kind\":\"%s\"}", kind);
    if (d->sheet != NULL && d->line > 0) {
        raw(s, ",{\"fullyQualifiedName\":");
        report_sheet_place(&s->words, d);
        flush(s);
        raw(s, ",\"kind\":\"cell\"}");
    }
    raw(s, "]");
}

static void locations(struct sarif *s, const struct odp_diag_group *g, const struct odp_diag *d)
{
    size_t start = s->out->len;
    raw(s, ",\"locations\":[{");
    size_t empty = s->out->len;
    if (d->file != NULL) {
        raw(s, "\"physicalLocation\":{");
        artifact(s, d->file);
        region(s, d);
        raw(s, "}");
    }
    size_t before = s->out->len;
    logical(s, g, d);
    if (before == empty && s->out->len > before && !s->out->failed) /* without the comma */
        memmove(s->out->ptr + before, s->out->ptr + before + 1, --s->out->len - before);
    raw(s, "}]");
    if (s->out->len == empty + 2 && !s->out->failed)
        s->out->len = start;
}

static void fix(struct sarif *s, const struct odp_diag *d, const char *region_text, struct odp_slice insert)
{
    raw(s, ",\"fixes\":[{\"description\":{\"text\":");
    odp_buffer_add_str(&s->words, say(s, W_report_proposal));
    report_proposal(&s->words, d, s->lang);
    flush(s);
    raw(s, "},\"artifactChanges\":[{");
    artifact(s, d->file);
    odp_buffer_printf(s->out, ",\"replacements\":[{\"deletedRegion\":{%s}", region_text);
    if (insert.ptr != NULL) {
        raw(s, ",\"insertedContent\":{\"text\":");
        report_json_text(s->out, insert);
        raw(s, "}");
    }
    raw(s, "}]}]}]");
}

static void fixes(struct sarif *s, const struct odp_diag *d)
{
    struct odp_buffer text;
    struct odp_slice marked;
    char place[160];
    odp_buffer_init(&text);
    if (d->file != NULL && report_replacement(d, &text) && report_mark(d, &marked)) {
        snprintf(place, sizeof place, "\"startLine\":%llu,\"startColumn\":%llu,\"endLine\":%llu,\"endColumn\":%llu",
                 (unsigned long long)d->line, (unsigned long long)d->column, (unsigned long long)d->line,
                 (unsigned long long)(d->column + odp_utf8_count(marked)));
        fix(s, d, place, (struct odp_slice){text.ptr != NULL ? text.ptr : "", text.len});
    } else if (d->file != NULL && d->action == ODP_ACTION_DELETE_LINES && d->line > 0 && d->lines > 0 && d->sheet == NULL &&
               !report_counts_records(d->file)) {
        snprintf(place, sizeof place, "\"startLine\":%llu,\"startColumn\":1,\"endLine\":%llu,\"endColumn\":1",
                 (unsigned long long)d->line, (unsigned long long)(d->line + d->lines));
        fix(s, d, place, (struct odp_slice){0});
    }
    if (text.failed)
        s->out->failed = true;
    odp_buffer_release(&text);
}

static void properties(struct sarif *s, const struct odp_diag_group *g, const struct odp_diag *d)
{
    const char *action = report_action(d);
    odp_buffer_printf(s->out, ",\"properties\":{\"count\":%llu", (unsigned long long)g->count);
    if (g->rule != NULL)
        member(s, ",\"rule\":", g->rule);
    if (d->row > 0)
        odp_buffer_printf(s->out, ",\"row\":%llu", (unsigned long long)d->row);
    if (d->line > 0 && report_counts_records(d->file))
        odp_buffer_printf(s->out, ",\"record\":%llu", (unsigned long long)d->line);
    if (d->value.ptr != NULL) {
        raw(s, ",\"value\":");
        report_json_text(s->out, d->value);
    }
    if (action != NULL)
        member(s, ",\"action\":", action);
    if (d->proposal.ptr != NULL) {
        raw(s, ",\"proposal\":");
        report_json_text(s->out, d->proposal);
    }
    raw(s, "}");
}

static void message(struct sarif *s, const struct odp_diag *d)
{
    struct odp_buffer *w = &s->words;
    raw(s, ",\"message\":{\"text\":");
    odp_report_message(w, d, s->lang);
    if (odp_diag_proposes(d)) {
        odp_buffer_add_str(w, say(s, W_report_proposal_3));
        report_proposal(w, d, s->lang);
    }
    size_t before = w->len;
    odp_buffer_add_str(w, say(s, W_report_help_2));
    size_t start = w->len;
    odp_report_help(w, d, s->lang);
    if (w->len == start && !w->failed)
        w->len = before;
    flush(s);
    raw(s, "}");
}

static void add_result(struct sarif *s, const struct odp_diag_group *g, const struct odp_diag *d)
{
    odp_buffer_printf(s->out, "%s{\"ruleId\":\"%s\",\"ruleIndex\":%d,\"level\":\"%s\"", s->listed++ > 0 ? ",\n" : "\n",
                      odp_code_info(g->code)->code, s->index[g->code], level(g->severity));
    message(s, d);
    locations(s, g, d);
    fixes(s, d);
    properties(s, g, d);
    raw(s, "}");
}

static void results(struct sarif *s)
{
    raw(s, "\"results\":[");
    for (size_t i = 0; i < s->n && s->listed < LISTED; i++) {
        const struct odp_diag_group *g = s->groups[i];
        const struct odp_diag bare = {.code = g->code, .severity = g->severity, .field = g->field};
        size_t shown = 0;
        for (const struct odp_diag_node *e = g->examples; e != NULL && shown < s->each && s->listed < LISTED;
             e = e->next, shown++)
            add_result(s, g, &e->diag);
        if (g->examples == NULL)
            add_result(s, g, &bare);
    }
    raw(s, "]");
}

/* ---- the run
 * ------------------------------------------------------------------------------------------------------------------ */

static uint64_t total(const struct sarif *s)
{
    return odp_diags_count(s->diags, ODP_SEVERITY_ERROR) + odp_diags_count(s->diags, ODP_SEVERITY_WARNING) +
           odp_diags_count(s->diags, ODP_SEVERITY_NOTE);
}

static void invocation(struct sarif *s)
{
    uint64_t all = total(s);
    raw(s, ",\n\"invocations\":[{\"executionSuccessful\":true");
    if (s->summary->time != NULL)
        odp_buffer_printf(s->out, ",\"endTimeUtc\":\"%sZ\"", s->summary->time);
    if (all > s->listed) {
        raw(s, ",\"toolExecutionNotifications\":[{\"level\":\"note\",\"message\":{\"text\":");
        odp_buffer_add_str(&s->words, say(s, W_report_only_examples_listed));
        report_number(&s->words, s->listed, s->lang);
        odp_buffer_add_str(&s->words, say(s, W_report_of));
        report_number(&s->words, all, s->lang);
        odp_buffer_add_str(&s->words, say(s, W_report_findings_exact_counts_properties));
        flush(s);
        raw(s, "}}]");
    }
    raw(s, "}]");
}

static void group_counts(struct sarif *s)
{
    raw(s, ",\"groups\":[");
    for (size_t i = 0; i < s->n; i++) {
        const struct odp_diag_group *g = s->groups[i];
        odp_buffer_printf(s->out, "%s{\"ruleId\":\"%s\",\"level\":\"%s\"", i > 0 ? ",\n" : "\n", odp_code_info(g->code)->code,
                          level(g->severity));
        member(s, ",\"dataset\":", g->dataset);
        member(s, ",\"resource\":", g->resource);
        member(s, ",\"field\":", g->field);
        if (g->rule != NULL)
            member(s, ",\"rule\":", g->rule);
        odp_buffer_printf(s->out, ",\"count\":%llu}", (unsigned long long)g->count);
    }
    raw(s, "]");
}

static void counts(struct sarif *s)
{
    odp_buffer_printf(
        s->out,
        ",\n\"properties\":{\"datasets\":%zu,\"resources\":%zu,\"rows\":%llu,\"errors\":%llu,\"warnings\":%llu,\"notes\":%llu",
        s->summary->ndatasets, s->summary->nresources, (unsigned long long)s->summary->rows,
        (unsigned long long)odp_diags_count(s->diags, ODP_SEVERITY_ERROR),
        (unsigned long long)odp_diags_count(s->diags, ODP_SEVERITY_WARNING),
        (unsigned long long)odp_diags_count(s->diags, ODP_SEVERITY_NOTE));
    group_counts(s);
    raw(s, "}");
}

static enum odp_status render_sarif(const struct odp_diags *d, const struct odp_summary *summary,
                                    const struct odp_report_style *style, struct odp_buffer *out)
{
    struct sarif s = {.out = out, .diags = d, .summary = summary, .lang = style->lang};
    if (report_sorted(d, &s.groups, &s.n) != ODP_OK)
        return ODP_FAIL;
    s.each = s.n * EACH <= LISTED ? EACH : s.n < LISTED ? LISTED / s.n : 1;
    odp_buffer_init(&s.words);
    raw(&s, "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
            "sarif-schema-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n");
    raw(&s, "\"tool\":{\"driver\":{\"name\":\"odp-build\",");
    if (summary->version != NULL) {
        member(&s, "\"version\":", summary->version);
        raw(&s, ",");
    }
    odp_buffer_printf(out, "\"language\":\"%s\",\n", say(&s, W_report_en));
    rules(&s);
    odp_buffer_printf(out, "}},\n\"language\":\"%s\",\"columnKind\":\"unicodeCodePoints\",\n", say(&s, W_report_en));
    results(&s);
    invocation(&s);
    counts(&s);
    raw(&s, "}]}\n");
    if (s.words.failed)
        out->failed = true;
    odp_buffer_release(&s.words);
    free(s.groups);
    return odp_buffer_status(out);
}

const struct odp_report report_sarif = {
    .name = "sarif", .summary = {{W_report_sarif_2_1_0_for}}, .render = render_sarif};
