/* SARIF 2.1.0 (OASIS): one run, a rule for each code found, a result for each example. The properties of the
 * run and of each rule hold exact counts; the file has at most LISTED results, shared among the groups, and
 * a notification counts the rest. Columns count Unicode code points.
 *
 * A region has an end if the mark ends in the same line. Records of a shapefile and cells of a workbook are
 * not lines of text: they have no region or only its start, and their own names (`record`, `Data!B17`). A
 * fix appears only if the marked text is the whole, unmasked cell; a proposal that needs quotes gets them if
 * the line shows that its dialect has them. Otherwise the message has the proposal. */
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define LISTED 5000 /* as many as GitHub's code scanning shows of a file */
#define EACH   200  /* of one group */

struct sarif {
    struct report_job *j;
    size_t each, listed;
    uint64_t told;                /* faults that the results stand for */
    size_t index[ODP_CODE_COUNT]; /* of a code's rule */
};

static const char *level(enum odp_severity severity)
{
    return report_severity_word(severity, ODP_LANG_EN); /* SARIF uses the same words */
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
static json_t *message_of(struct report_job *j)
{
    return json_pack("{s:o}", "text", report_take(j));
}

/* ---- rules ---- */

static json_t *rule_help(struct report_job *j, const struct odp_code_words *words)
{
    const char *why = odp_text_get(&words->why, j->lang), *mend = odp_text_get(&words->mend, j->lang),
               *example = words->example;
    odp_buffer_printf(j->to, "%s\n\n%s", why, mend);
    if (example != NULL)
        odp_buffer_printf(j->to, "\n\n%s\n%s", report_word(j, W_report_example_2), example);
    json_t *plain = report_take(j);
    odp_buffer_printf(j->to, "%s\n\n**%s** %s", why, report_word(j, W_report_how_mend_2), mend);
    if (example != NULL)
        odp_buffer_printf(j->to, "\n\n```text\n%s\n```", example);
    return json_pack("{s:o, s:o}", "text", plain, "markdown", report_take(j));
}

static json_t *rule(struct report_job *j, enum odp_code code)
{
    const struct odp_code_info *info = odp_code_info(code);
    report_bare_title(j, code);
    json_t *title = message_of(j);
    return json_pack("{s:s, s:s, s:o, s:{s:s}, s:o, s:{s:s}, s:{s:o}}", "id", info->code, "name", info->name,
                     "shortDescription", title, "fullDescription", "text",
                     odp_text_get(&info->words.why, j->lang), "help", rule_help(j, &info->words),
                     "defaultConfiguration", "level", level(info->severity), "properties", "count",
                     integer(odp_diags_code_count(j->diags, code)));
}

static json_t *rules(struct sarif *s)
{
    json_t *list = json_array();
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        if (odp_diags_code_count(s->j->diags, (enum odp_code)code) > 0) {
            s->index[code] = json_array_size(list);
            json_array_append_new(list, rule(s->j, (enum odp_code)code));
        }
    return list;
}

/* ---- where ---- */

/* A path as a URI reference (RFC 3986). */
static json_t *artifact(struct report_job *j, const char *file)
{
    report_str(j, *file == '/' ? "file://" : "");
    report_str(j, *file != '/' && strchr(file, ':') != NULL ? "./" : "");
    for (; *file != '\0'; file++) {
        unsigned char c = (unsigned char)*file;
        bool plain = odp_is_alnum((char)c) || strchr("-._~/@:+,=", c) != NULL;
        odp_buffer_printf(j->to, plain ? "%c" : "%%%02X", c);
    }
    return json_pack("{s:o}", "uri", report_take(j));
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

static void set_logical(struct report_job *j, json_t *o, const struct odp_diag_group *g,
                        const struct odp_diag *d)
{
    const struct {
        const char *name, *kind;
    } names[] = {{g->field, "field"}, {g->resource, "resource"}, {g->dataset, "dataset"}}, *own = names;
    while (own < names + 2 && own->name == NULL)
        own++;
    if (own->name == NULL)
        return;
    report_place(j, g);
    json_t *list = json_pack("[{s:o, s:o, s:s}]", "name", text_of(own->name), "fullyQualifiedName",
                             report_take(j), "kind", own->kind);
    if (d->sheet != NULL && d->line > 0) {
        report_sheet_place(j->to, d, j->lang);
        json_array_append_new(list,
                              json_pack("{s:o, s:s}", "fullyQualifiedName", report_take(j), "kind", "cell"));
    }
    json_object_set_new(o, "logicalLocations", list);
}

static void set_locations(struct report_job *j, json_t *result, const struct odp_diag_group *g,
                          const struct odp_diag *d)
{
    json_t *location = json_object();
    if (d->file != NULL) {
        json_t *physical = json_pack("{s:o}", "artifactLocation", artifact(j, d->file));
        set_region(physical, d);
        json_object_set_new(location, "physicalLocation", physical);
    }
    set_logical(j, location, g, d);
    if (json_object_size(location) > 0)
        json_object_set_new(result, "locations", json_pack("[O]", location));
    json_decref(location);
}

/* ---- results ---- */

/* Replaces REGION by INSERTED (may be NULL). */
static void set_fix(struct report_job *j, json_t *result, const struct odp_diag *d, json_t *region,
                    json_t *inserted)
{
    json_t *replacement = json_pack("{s:o}", "deletedRegion", region);
    if (inserted != NULL)
        json_object_set_new(replacement, "insertedContent", json_pack("{s:o}", "text", inserted));
    report_say(j, W_report_proposal);
    report_proposal(j->to, d, j->lang);
    json_t *description = message_of(j);
    json_object_set_new(result, "fixes",
                        json_pack("[{s:o, s:[{s:o, s:[o]}]}]", "description", description, "artifactChanges",
                                  "artifactLocation", artifact(j, d->file), "replacements", replacement));
}

static void set_fixes(struct report_job *j, json_t *result, const struct odp_diag *d)
{
    struct odp_slice marked;
    if (d->file == NULL)
        return;
    if (report_replacement(d, &j->words) && report_mark(d, &marked))
        set_fix(j, result, d, marked_region(d, marked), report_take(j));
    else if (d->action == ODP_ACTION_DELETE_LINES && d->line > 0 && d->lines > 0 && d->sheet == NULL &&
             !report_counts_records(d->file))
        set_fix(j, result, d,
                json_pack("{s:o, s:i, s:o, s:i}", "startLine", integer(d->line), "startColumn", 1, "endLine",
                          integer(d->line + d->lines), "endColumn", 1),
                NULL);
}

static json_t *properties(struct report_job *j, const struct odp_diag_group *g,
                          const struct report_finding *f)
{
    const struct odp_diag *d = f->d;
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
    if (f->count > 1 && f->rows->n > 0) {
        report_add_rows(j, f, SIZE_MAX);
        json_object_set_new(o, "rows", report_take(j));
    }
    return o;
}

static json_t *message(struct report_job *j, const struct report_finding *f)
{
    const struct odp_diag *d = f->d;
    report_add_message(j, f);
    if (odp_diag_proposes(d)) {
        report_say(j, W_report_proposal_3);
        report_proposal(j->to, d, j->lang);
    }
    if (!report_add_step(j, report_word(j, W_report_help_2), f))
        (void)report_add_help(j, report_word(j, W_report_help_2), d);
    return message_of(j);
}

static json_t *result(struct sarif *s, const struct odp_diag_group *g, const struct report_finding *f)
{
    const struct odp_diag *d = f->d;
    json_t *o =
        json_pack("{s:s, s:o, s:s, s:o}", "ruleId", report_code(g), "ruleIndex", integer(s->index[g->code]),
                  "level", level(g->severity), "message", message(s->j, f));
    set_locations(s->j, o, g, d);
    set_fixes(s->j, o, d);
    json_object_set_new(o, "properties", properties(s->j, g, f));
    if (f->count > 1)
        json_object_set_new(o, "occurrenceCount", integer(f->count));
    s->listed++;
    s->told += f->count;
    return o;
}

static json_t *results(struct sarif *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->j->n && s->listed < LISTED; i++) {
        const struct report_group *k = &s->j->groups[i];
        const struct odp_diag_runs none = {0};
        struct report_finding f = {.d = k->first, .count = 1, .rows = &none};
        struct report_walk w = {.group = k};
        for (size_t n = 0; n < s->each && s->listed < LISTED && (report_next(&w, &f) || n == 0); n++)
            json_array_append_new(list, result(s, k->g, &f));
    }
    return list;
}

/* ---- the run ---- */

static json_t *invocation(struct sarif *s)
{
    struct report_job *j = s->j;
    uint64_t all = 0;
    json_t *o = json_pack("{s:b}", "executionSuccessful", true);
    for (size_t i = 0; i < j->n; i++)
        all += j->groups[i].g->count;
    if (j->summary->time != NULL)
        json_object_set_new(o, "endTimeUtc", json_sprintf("%sZ", j->summary->time));
    if (all > s->told) {
        report_say(j, W_report_only_examples_listed);
        report_counted(j, s->told, W_report_of, W_report_of);
        report_counted(j, all, W_report_findings_exact_counts_properties,
                       W_report_findings_exact_counts_properties);
        json_object_set_new(o, "toolExecutionNotifications",
                            json_pack("[{s:s, s:o}]", "level", "note", "message", message_of(j)));
    }
    return o;
}

static json_t *group_counts(const struct report_job *j)
{
    json_t *list = json_array();
    for (size_t i = 0; i < j->n; i++) {
        const struct odp_diag_group *g = j->groups[i].g;
        json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:o}", "ruleId", report_code(g), "level",
                              level(g->severity), "dataset", text_of(g->dataset), "resource",
                              text_of(g->resource), "field", text_of(g->field));
        if (g->rule != NULL)
            json_object_set_new(o, "rule", text_of(g->rule));
        json_object_set_new(o, "count", integer(g->count));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *counts(const struct report_job *j)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "datasets", integer(j->summary->ndatasets),
                     "resources", integer(j->summary->nresources), "rows", integer(j->summary->rows),
                     "errors", integer(odp_diags_count(j->diags, ODP_SEVERITY_ERROR)), "warnings",
                     integer(odp_diags_count(j->diags, ODP_SEVERITY_WARNING)), "notes",
                     integer(odp_diags_count(j->diags, ODP_SEVERITY_NOTE)), "groups", group_counts(j));
}

static json_t *run(struct sarif *s)
{
    const char *lang = odp_lang_code(s->j->lang);
    json_t *driver = json_pack("{s:s, s:s, s:o}", "name", "odp-build", "language", lang, "rules", rules(s));
    if (s->j->summary->version != NULL)
        json_object_set_new(driver, "version", text_of(s->j->summary->version));
    json_t *o = json_pack("{s:{s:o}, s:s, s:s, s:o}", "tool", "driver", driver, "language", lang,
                          "columnKind", "unicodeCodePoints", "results", results(s));
    json_object_set_new(o, "invocations",
                        json_pack("[o]", invocation(s))); /* after the results: it counts them */
    json_object_set_new(o, "properties", counts(s->j));
    return o;
}

static enum odp_status render_sarif(struct report_job *j, const struct odp_report_style *style)
{
    static const char schema[] =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
    struct sarif s = {.j = j, .each = EACH};
    if (j->n * EACH > LISTED)
        s.each = j->n < LISTED ? LISTED / j->n : 1;
    enum odp_status status = report_dump(
        j, json_pack("{s:s, s:s, s:[o]}", "$schema", schema, "version", "2.1.0", "runs", run(&s)));
    odp_buffer_add_char(j->out, '\n');
    return status;
}

const struct odp_report report_sarif = {
    .name = "sarif", .summary = {{W_report_sarif_2_1_0_for}}, .render = render_sarif};
