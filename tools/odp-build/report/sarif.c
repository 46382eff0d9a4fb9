/* SARIF 2.1.0 (OASIS): one run, a rule for each code that was found, a result for each example. Counts are
 * exact in the properties of the run and of each rule; of the results at most LISTED, shared out among the
 * groups, are in the file, and a notification says how many are not. Columns count Unicode code points. A fix
 * is given where its place in the file is exact.
 *
 * A region has an end where the mark ends in the same line. Records of a shapefile and cells of a workbook
 * are no lines of text: they have no region or only its start, and their own names (`record`, `Data!B17`). A
 * fix is given only where the marked text is the cell, whole and unmasked; a proposal that needs quotes gets
 * them where the line shows that its dialect has them. Else there is no fix, and the proposal is in the
 * message. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define LISTED 5000 /* as many as GitHub's code scanning shows of a file */
#define EACH   200  /* of one group */

struct sarif {
    struct odp_buffer words; /* a text being put together, for report_take */
    const struct odp_diags *diags;
    const struct odp_summary *summary;
    const struct odp_diag_group **groups;
    size_t n, each;
    size_t index[ODP_CODE_COUNT]; /* of a code's rule */
    uint64_t listed;
    enum odp_lang lang;
};

static const char *level(enum odp_severity severity)
{
    return report_severity_word(severity, ODP_LANG_EN); /* SARIF's words are ours */
}

static json_t *integer(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *text_of(const char *text)
{
    return report_json(odp_slice_of(text));
}

/* {"text": …} of the words. */
static json_t *message_of(struct sarif *s)
{
    return json_pack("{s:o}", "text", report_take(&s->words));
}

/* ---- rules
 * ------------------------------------------------------------------------------------------------------------------
 */

static json_t *rule_help(struct sarif *s, const struct odp_code_words *words)
{
    const char *why = odp_text_get(&words->why, s->lang), *mend = odp_text_get(&words->mend, s->lang);
    struct odp_buffer *w = &s->words;
    odp_buffer_printf(w, "%s\n\n%s", why, mend);
    if (words->example != NULL)
        odp_buffer_printf(w, "\n\n%s\n%s", odp_word(s->lang, W_report_example_2), words->example);
    json_t *help = message_of(s);
    odp_buffer_printf(w, "%s\n\n**%s** %s", why, odp_word(s->lang, W_report_how_mend_2), mend);
    if (words->example != NULL)
        odp_buffer_printf(w, "\n\n```text\n%s\n```", words->example);
    json_object_set_new(help, "markdown", report_take(w));
    return help;
}

static json_t *rule(struct sarif *s, enum odp_code code)
{
    const struct odp_code_info *info = odp_code_info(code);
    report_bare_title(&s->words, code, s->lang);
    json_t *o =
        json_pack("{s:s, s:s, s:o, s:{s:s}}", "id", info->code, "name", info->name, "shortDescription",
                  message_of(s), "fullDescription", "text", odp_text_get(&info->words.why, s->lang));
    json_object_set_new(o, "help", rule_help(s, &info->words));
    json_object_set_new(o, "defaultConfiguration", json_pack("{s:s}", "level", level(info->severity)));
    json_object_set_new(o, "properties",
                        json_pack("{s:o}", "count", integer(odp_diags_code_count(s->diags, code))));
    return o;
}

static json_t *rules(struct sarif *s)
{
    json_t *list = json_array();
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        if (odp_diags_code_count(s->diags, (enum odp_code)code) > 0) {
            s->index[code] = json_array_size(list);
            json_array_append_new(list, rule(s, (enum odp_code)code));
        }
    return list;
}

/* ---- where
 * ------------------------------------------------------------------------------------------------------------------
 */

/* A path as a URI reference (RFC 3986). */
static json_t *artifact(struct sarif *s, const char *file)
{
    struct odp_buffer *w = &s->words;
    odp_buffer_add_str(w, *file == '/' ? "file://" : strchr(file, ':') != NULL ? "./" : "");
    for (; *file != '\0'; file++) {
        unsigned char c = (unsigned char)*file;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            strchr("-._~/@:+,=", c) != NULL)
            odp_buffer_add_char(w, (char)c);
        else
            odp_buffer_printf(w, "%%%02X", c);
    }
    return json_pack("{s:o}", "uri", report_take(w));
}

static json_t *marked_region(const struct odp_diag *d, struct odp_slice marked)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "startLine", integer(d->line), "startColumn", integer(d->column),
                     "endLine", integer(d->line), "endColumn", integer(d->column + odp_utf8_count(marked)));
}

/* Lines and columns are those of text; a shapefile has records. */
static void set_region(json_t *o, const struct odp_diag *d)
{
    struct odp_slice marked;
    if (d->line == 0 || report_counts_records(d->file))
        return;
    bool ends = report_mark(d, &marked);
    json_t *region = ends ? marked_region(d, marked) : json_pack("{s:o}", "startLine", integer(d->line));
    if (ends)
        json_object_set_new(region, "snippet", json_pack("{s:o}", "text", report_json(marked)));
    else if (d->column > 0)
        json_object_set_new(region, "startColumn", integer(d->column));
    json_object_set_new(o, "region", region);
    if (d->source.ptr != NULL && d->source.len > 0 && d->sheet == NULL)
        json_object_set_new(o, "contextRegion",
                            json_pack("{s:o, s:{s:o}}", "startLine", integer(d->line), "snippet", "text",
                                      report_json(d->source)));
}

static void set_logical(struct sarif *s, json_t *o, const struct odp_diag_group *g, const struct odp_diag *d)
{
    const char *name = g->field != NULL ? g->field : g->resource != NULL ? g->resource : g->dataset;
    const char *kind = g->field != NULL ? "field" : g->resource != NULL ? "resource" : "dataset";
    if (name == NULL)
        return;
    report_place(&s->words, g->dataset, g->resource, g->field);
    json_t *list = json_pack("[{s:o, s:o, s:s}]", "name", text_of(name), "fullyQualifiedName",
                             report_take(&s->words), "kind", kind);
    if (d->sheet != NULL && d->line > 0) {
        report_sheet_place(&s->words, d);
        json_array_append_new(
            list, json_pack("{s:o, s:s}", "fullyQualifiedName", report_take(&s->words), "kind", "cell"));
    }
    json_object_set_new(o, "logicalLocations", list);
}

static void set_locations(struct sarif *s, json_t *result, const struct odp_diag_group *g,
                          const struct odp_diag *d)
{
    json_t *location = json_object();
    if (d->file != NULL) {
        json_t *physical = json_pack("{s:o}", "artifactLocation", artifact(s, d->file));
        set_region(physical, d);
        json_object_set_new(location, "physicalLocation", physical);
    }
    set_logical(s, location, g, d);
    if (json_object_size(location) > 0)
        json_object_set_new(result, "locations", json_pack("[O]", location));
    json_decref(location);
}

/* ---- results
 * ----------------------------------------------------------------------------------------------------------------
 */

/* REGION goes, and INSERTED (may be NULL) takes its place. */
static void set_fix(struct sarif *s, json_t *result, const struct odp_diag *d, json_t *region,
                    json_t *inserted)
{
    json_t *replacement = json_pack("{s:o}", "deletedRegion", region);
    if (inserted != NULL)
        json_object_set_new(replacement, "insertedContent", json_pack("{s:o}", "text", inserted));
    odp_buffer_add_str(&s->words, odp_word(s->lang, W_report_proposal));
    report_proposal(&s->words, d, s->lang);
    json_t *fix = json_pack("{s:o}", "description", message_of(s));
    json_object_set_new(
        fix, "artifactChanges",
        json_pack("[{s:o, s:[o]}]", "artifactLocation", artifact(s, d->file), "replacements", replacement));
    json_object_set_new(result, "fixes", json_pack("[o]", fix));
}

static void set_fixes(struct sarif *s, json_t *result, const struct odp_diag *d)
{
    struct odp_buffer text;
    struct odp_slice marked;
    odp_buffer_init(&text);
    if (d->file != NULL && report_replacement(d, &text) && report_mark(d, &marked))
        set_fix(s, result, d, marked_region(d, marked), report_take(&text));
    else if (d->file != NULL && d->action == ODP_ACTION_DELETE_LINES && d->line > 0 && d->lines > 0 &&
             d->sheet == NULL && !report_counts_records(d->file))
        set_fix(s, result, d,
                json_pack("{s:o, s:i, s:o, s:i}", "startLine", integer(d->line), "startColumn", 1, "endLine",
                          integer(d->line + d->lines), "endColumn", 1),
                NULL);
    s->words.failed = s->words.failed || text.failed;
    odp_buffer_release(&text);
}

static json_t *properties(const struct odp_diag_group *g, const struct odp_diag *d)
{
    const char *action = report_action(d);
    json_t *o = json_pack("{s:o}", "count", integer(g->count));
    if (g->rule != NULL)
        json_object_set_new(o, "rule", text_of(g->rule));
    if (d->row > 0)
        json_object_set_new(o, "row", integer(d->row));
    if (d->line > 0 && report_counts_records(d->file))
        json_object_set_new(o, "record", integer(d->line));
    if (d->value.ptr != NULL)
        json_object_set_new(o, "value", report_json(d->value));
    if (action != NULL)
        json_object_set_new(o, "action", json_string(action));
    if (d->proposal.ptr != NULL)
        json_object_set_new(o, "proposal", report_json(d->proposal));
    return o;
}

static json_t *message(struct sarif *s, const struct odp_diag *d)
{
    odp_report_message(&s->words, d, s->lang);
    if (odp_diag_proposes(d)) {
        odp_buffer_add_str(&s->words, odp_word(s->lang, W_report_proposal_3));
        report_proposal(&s->words, d, s->lang);
    }
    (void)report_add_help(&s->words, odp_word(s->lang, W_report_help_2), d, s->lang);
    return message_of(s);
}

static json_t *result(struct sarif *s, const struct odp_diag_group *g, const struct odp_diag *d)
{
    json_t *o = json_pack("{s:s, s:o, s:s, s:o}", "ruleId", odp_code_info(g->code)->code, "ruleIndex",
                          integer(s->index[g->code]), "level", level(g->severity), "message", message(s, d));
    set_locations(s, o, g, d);
    set_fixes(s, o, d);
    json_object_set_new(o, "properties", properties(g, d));
    s->listed++;
    return o;
}

static json_t *results(struct sarif *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n && s->listed < LISTED; i++) {
        const struct odp_diag_group *g = s->groups[i];
        const struct odp_diag bare = {.code = g->code, .severity = g->severity, .field = g->field};
        size_t shown = 0;
        for (const struct odp_diag_node *e = g->examples; e != NULL && shown < s->each && s->listed < LISTED;
             e = e->next, shown++)
            json_array_append_new(list, result(s, g, &e->diag));
        if (g->examples == NULL)
            json_array_append_new(list, result(s, g, &bare));
    }
    return list;
}

/* ---- the run
 * ----------------------------------------------------------------------------------------------------------------
 */

static json_t *invocation(struct sarif *s)
{
    uint64_t all = 0;
    json_t *o = json_pack("{s:b}", "executionSuccessful", true);
    for (enum odp_severity severity = ODP_SEVERITY_NOTE; severity <= ODP_SEVERITY_ERROR; severity++)
        all += odp_diags_count(s->diags, severity);
    if (s->summary->time != NULL)
        json_object_set_new(o, "endTimeUtc", json_sprintf("%sZ", s->summary->time));
    if (all > s->listed) {
        odp_buffer_add_str(&s->words, odp_word(s->lang, W_report_only_examples_listed));
        odp_text_number(&s->words, s->listed, s->lang);
        odp_buffer_add_str(&s->words, odp_word(s->lang, W_report_of));
        odp_text_number(&s->words, all, s->lang);
        odp_buffer_add_str(&s->words, odp_word(s->lang, W_report_findings_exact_counts_properties));
        json_object_set_new(o, "toolExecutionNotifications",
                            json_pack("[{s:s, s:o}]", "level", "note", "message", message_of(s)));
    }
    return o;
}

static json_t *group_counts(struct sarif *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n; i++) {
        const struct odp_diag_group *g = s->groups[i];
        json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:o}", "ruleId", odp_code_info(g->code)->code, "level",
                              level(g->severity), "dataset", text_of(g->dataset), "resource",
                              text_of(g->resource), "field", text_of(g->field));
        if (g->rule != NULL)
            json_object_set_new(o, "rule", text_of(g->rule));
        json_object_set_new(o, "count", integer(g->count));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *counts(struct sarif *s)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "datasets", integer(s->summary->ndatasets),
                     "resources", integer(s->summary->nresources), "rows", integer(s->summary->rows),
                     "errors", integer(odp_diags_count(s->diags, ODP_SEVERITY_ERROR)), "warnings",
                     integer(odp_diags_count(s->diags, ODP_SEVERITY_WARNING)), "notes",
                     integer(odp_diags_count(s->diags, ODP_SEVERITY_NOTE)), "groups", group_counts(s));
}

static json_t *run(struct sarif *s)
{
    const char *lang = odp_lang_code(s->lang);
    json_t *driver = json_pack("{s:s, s:s, s:o}", "name", "odp-build", "language", lang, "rules", rules(s));
    if (s->summary->version != NULL)
        json_object_set_new(driver, "version", text_of(s->summary->version));
    json_t *o = json_pack("{s:{s:o}, s:s, s:s}", "tool", "driver", driver, "language", lang, "columnKind",
                          "unicodeCodePoints");
    json_object_set_new(o, "results", results(s));
    json_object_set_new(o, "invocations", json_pack("[o]", invocation(s)));
    json_object_set_new(o, "properties", counts(s));
    return o;
}

static enum odp_status render_sarif(const struct odp_diags *d, const struct odp_summary *summary,
                                    const struct odp_report_style *style, struct odp_buffer *out)
{
    static const char schema[] =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
    struct sarif s = {.diags = d, .summary = summary, .lang = style->lang};
    if (report_sorted(d, &s.groups, &s.n) != ODP_OK)
        return ODP_FAIL;
    s.each = s.n * EACH <= LISTED ? EACH : s.n < LISTED ? LISTED / s.n : 1;
    odp_buffer_init(&s.words);
    json_t *log = json_pack("{s:s, s:s, s:[o]}", "$schema", schema, "version", "2.1.0", "runs", run(&s));
    enum odp_status status = s.words.failed ? ODP_FAIL : report_dump(log, out);
    odp_buffer_add_char(out, '\n');
    json_decref(log);
    odp_buffer_release(&s.words);
    free(s.groups);
    return status;
}

const struct odp_report report_sarif = {
    .name = "sarif", .summary = {{W_report_sarif_2_1_0_for}}, .render = render_sarif};
