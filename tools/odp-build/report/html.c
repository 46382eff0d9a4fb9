/* The report as one page for people: what is wrong by dataset, by rule and by field, the rows as they stand,
 * how to mend them. Here its model is made (html_*.c its parts); templates/report writes it.
 *
 * The page asks nobody for anything (its policy forbids it), holds all it has to say without scripts, and is
 * written in one language. The filter is the only script. The policy (`default-src 'none'`, and the digests
 * of the one style and the one script) lets nothing else run, so a cell that were taken for markup could do
 * nothing: there are no style attributes, no handlers, no addresses but `#…`. Explanations stand once, by
 * rule, in the open, so that a page that is printed is whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/html.h"
#include "report/html_internal.h"
#include "words/report.h"

#define EACH   10  /* examples of a group */
#define LISTED 600 /* examples of the page */
#define GROUPS 300 /* with examples */
#define FIELDS 200 /* rows of the table of fields */

extern const unsigned char odp_report_style_css[], odp_report_script_js[];

/* ---- the head
 * ---------------------------------------------------------------------------------------------------------------
 */

static json_t *base64(struct html *h, const uint8_t d[ODP_SHA256_SIZE])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < ODP_SHA256_SIZE; i += 3) {
        uint32_t v = (uint32_t)d[i] << 16 | (i + 1 < ODP_SHA256_SIZE ? (uint32_t)d[i + 1] << 8 : 0) |
                     (i + 2 < ODP_SHA256_SIZE ? d[i + 2] : 0u);
        for (int k = 18; k >= 0; k -= 6)
            odp_buffer_add_char(&h->words,
                                i * 8 + (size_t)(18 - k) < ODP_SHA256_SIZE * 8 ? digits[v >> k & 63] : '=');
    }
    return html_take(h);
}

/* TEXT between the tags of NAME, and the digest by which the policy lets it in. */
static void set_element(struct html *h, json_t *m, const char *key, const char *name,
                        const unsigned char *compiled_in)
{
    uint8_t digest[ODP_SHA256_SIZE];
    const char *text = (const char *)compiled_in;
    char member[32];
    h->failed = h->failed || odp_digest_of(text, strlen(text), digest) != ODP_OK;
    (void)snprintf(member, sizeof member, "%s_digest", key);
    json_object_set_new(m, member, base64(h, digest));
    odp_buffer_printf(&h->words, "<%s>%s</%s>", name, text, name);
    json_object_set_new(m, key, html_take(h));
}

/* ---- the summary
 * ------------------------------------------------------------------------------------------------------------
 */

struct totals {
    uint64_t errors, warnings, notes;
    size_t clean, bad; /* datasets without faults; with errors */
};

static bool is_clean(const struct odp_summary_dataset *d)
{
    return d->errors == 0 && d->warnings == 0;
}

static struct totals count(const struct html *h)
{
    struct totals t = {.errors = odp_diags_count(h->diags, ODP_SEVERITY_ERROR),
                       .warnings = odp_diags_count(h->diags, ODP_SEVERITY_WARNING),
                       .notes = odp_diags_count(h->diags, ODP_SEVERITY_NOTE)};
    for (size_t i = 0; i < h->summary->ndatasets; i++) {
        t.clean += is_clean(&h->summary->datasets[i]);
        t.bad += h->summary->datasets[i].errors > 0;
    }
    return t;
}

static void set_verdict(struct html *h, json_t *m, const struct totals *t)
{
    struct odp_buffer *w = &h->words;
    const char *class = t->errors > 0 ? "error" : t->warnings > 0 ? "warning" : "clean";
    if (t->errors > 0)
        odp_buffer_add_str(w, odp_word(h->lang, W_report_there_errors));
    else if (t->warnings > 0)
        odp_buffer_add_str(w, odp_word(h->lang, W_report_only_warnings));
    else
        odp_buffer_add_str(w, odp_word(h->lang, W_report_no_errors_no_warnings));
    if (t->bad > 0) {
        odp_buffer_add_char(w, ' ');
        odp_text_number(w, t->bad, h->lang);
        odp_buffer_add_str(w, odp_word(h->lang, W_report_out_of));
        odp_text_number(w, h->summary->ndatasets, h->lang);
        odp_buffer_add_str(w, h->summary->ndatasets == 1
                                  ? odp_word(h->lang, W_report_dataset_cannot_be_published)
                                  : odp_word(h->lang, W_report_datasets_cannot_be_published));
    }
    json_object_set_new(m, "verdict", json_pack("{s:s, s:o}", "class", class, "text", html_take(h)));
}

static void set_made(struct html *h, json_t *m)
{
    const char *time = h->summary->time;
    if (time != NULL) {
        odp_html_date(&h->words, time, h->lang);
        json_t *made = json_pack("{s:o}", "date", html_take(h));
        odp_buffer_printf(&h->words, odp_word(h->lang, W_report_at_utc), strlen(time) >= 16 ? time + 11 : "");
        json_object_set_new(made, "time", html_take(h));
        json_object_set_new(m, "made", made);
    }
    if (h->summary->version != NULL)
        html_set_text(h, m, "version", h->summary->version);
}

/* ONE and MANY: words for one and for other counts. */
static void add_figure(struct html *h, json_t *list, uint64_t n, const struct odp_text *one,
                       const struct odp_text *many, const char *class)
{
    const char *word = odp_text_get(n == 1 ? one : many, h->lang);
    json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "class", n > 0 ? class : "", "word", word, "n",
                                          html_number(h, n)));
}

static json_t *figures(struct html *h, const struct totals *t)
{
    const struct {
        uint64_t n;
        struct odp_text one, many;
        const char *class;
        bool only_some; /* left out where there is none */
    } all[] = {{t->errors, {{W_report_figure_error}}, {{W_report_figure_errors}}, "error", false},
               {t->warnings, {{W_report_figure_warning}}, {{W_report_figure_warnings}}, "warning", false},
               {t->notes, {{W_report_figure_note}}, {{W_report_figure_notes}}, "note", true},
               {t->clean, {{W_report_figure_clean}}, {{W_report_figure_clean_many}}, "clean", false},
               {h->summary->ndatasets, {{W_report_figure_dataset}}, {{W_report_figure_datasets}}, "", false},
               {h->summary->rows, {{W_report_figure_rows}}, {{W_report_figure_rows}}, "", false}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].n > 0 || !all[i].only_some)
            add_figure(h, list, all[i].n, &all[i].one, &all[i].many, all[i].class);
    return list;
}

/* Whether the group is the first of a dataset with errors, or, without ERRORS, of one with faults. */
static bool begins_step(const struct html *h, size_t i, bool errors)
{
    const struct odp_diag_group *g = h->groups[i];
    return h->sections[i] == i && g->dataset != NULL && strncmp(g->dataset, "references/", 11) != 0 &&
           g->severity >= (errors ? ODP_SEVERITY_ERROR : ODP_SEVERITY_WARNING); /* worst first */
}

/* What a steward does now, for each dataset that is rejected; where none is, for each with warnings. */
static void set_steps(struct html *h, json_t *m, const struct totals *t)
{
    json_t *steps = json_array();
    for (size_t i = 0; i < h->n; i++)
        if (begins_step(h, i, t->errors > 0))
            json_array_append_new(steps, json_pack("{s:o, s:o}", "anchor", html_index(h, i), "slug",
                                                   html_text(h, h->groups[i]->dataset)));
    json_object_set_new(m, "has_steps", json_boolean(json_array_size(steps) > 0));
    json_object_set_new(m, "steps", steps);
}

/* ---- tables
 * -----------------------------------------------------------------------------------------------------------------
 */

static const char *outcome(const struct html *h, const struct odp_summary_dataset *d)
{
    switch (d->outcome) {
    case ODP_OUTCOME_PUBLISHED:
        return odp_word(h->lang, W_report_published);
    case ODP_OUTCOME_UNCHANGED:
        return odp_word(h->lang, W_report_unchanged);
    case ODP_OUTCOME_REJECTED:
        return odp_word(h->lang, W_report_rejected);
    case ODP_OUTCOME_KEPT:
        return odp_word(h->lang, W_report_old_version_kept);
    case ODP_OUTCOME_DRAFT:
        return odp_word(h->lang, W_report_draft);
    case ODP_OUTCOME_WITHDRAWN:
        return odp_word(h->lang, W_report_withdrawn);
    default:
        return d->errors > 0 ? odp_word(h->lang, W_report_rejected) : odp_word(h->lang, W_report_checked);
    }
}

/* Of a dataset's slug: with an anchor where it has a section. */
static json_t *dataset_of(struct html *h, const struct odp_summary_dataset *d)
{
    json_t *o = json_pack("{s:o}", "slug", html_text(h, d->slug));
    size_t i = 0;
    while (i < h->n && !report_same(h->groups[i]->dataset, d->slug))
        i++;
    if (i < h->n)
        json_object_set_new(o, "anchor", html_index(h, i));
    return o;
}

static void set_datasets(struct html *h, json_t *m)
{
    json_t *faulty = json_array(), *clean = json_array();
    for (size_t i = 0; i < h->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &h->summary->datasets[i];
        json_t *o = dataset_of(h, d);
        json_array_append_new(is_clean(d) ? clean : faulty, o);
        if (is_clean(d)) { /* it may have notes */
            json_object_set_new(o, "rows",
                                html_counted(h, d->rows, odp_word(h->lang, W_report_count_row),
                                             odp_word(h->lang, W_report_count_rows)));
            continue;
        }
        html_set_text(h, o, "title", odp_text_get(&d->title, h->lang));
        json_object_set_new(o, "class", json_string(d->errors > 0 ? "error" : "warning"));
        json_object_set_new(o, "outcome", json_string(outcome(h, d)));
        json_object_set_new(o, "errors", html_cell(h, d->errors));
        json_object_set_new(o, "warnings", html_cell(h, d->warnings));
        json_object_set_new(o, "rows", html_cell(h, d->rows));
    }
    json_object_set_new(m, "has_faulty", json_boolean(json_array_size(faulty) > 0));
    json_object_set_new(m, "has_clean", json_boolean(json_array_size(clean) > 0));
    json_object_set_new(m, "faulty", faulty);
    json_object_set_new(m, "clean", clean);
}

/* The rows of a list but the last say "more": a comma follows. */
static json_t *separated(json_t *list)
{
    for (size_t i = 0; i + 1 < json_array_size(list); i++)
        json_object_set_new(json_array_get(list, i), "more", json_true());
    return list;
}

static bool same_kind(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return a->code == b->code && a->severity == b->severity;
}

/* The datasets of groups like group I. */
static json_t *datasets_like(struct html *h, size_t i)
{
    json_t *list = json_array();
    for (size_t k = i; k < h->n; k++) {
        size_t section = h->sections[k];
        if (!same_kind(h->groups[k], h->groups[i]) || h->said[section] == i + 1)
            continue;
        h->said[section] = i + 1;
        json_array_append_new(list, json_pack("{s:o, s:o}", "anchor", html_index(h, section), "name",
                                              html_dataset(h, h->groups[k])));
    }
    return separated(list);
}

static json_t *code_row(struct html *h, size_t i, uint64_t n)
{
    const struct odp_diag_group *g = h->groups[i];
    json_t *o = json_pack("{s:s, s:s, s:s}", "code", odp_code_info(g->code)->code, "class",
                          report_severity_word(g->severity, ODP_LANG_EN), "severity",
                          report_severity_word(g->severity, h->lang));
    report_code_title(&h->words, h->groups, h->n, g->code, h->lang);
    json_object_set_new(o, "title", html_take(h));
    json_object_set_new(o, "count", html_cell(h, n));
    json_object_set_new(o, "datasets", datasets_like(h, i));
    return o;
}

static json_t *by_code(struct html *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->n; i++) {
        size_t before = 0;
        uint64_t n = 0;
        for (size_t k = 0; k < h->n; k++)
            if (same_kind(h->groups[k], h->groups[i])) {
                before += k < i;
                n += h->groups[k]->count;
            }
        if (before == 0)
            json_array_append_new(list, code_row(h, i, n));
    }
    return list;
}

static bool same_field(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return b->field != NULL && report_same(a->field, b->field) && report_same(a->resource, b->resource) &&
           report_same(a->dataset, b->dataset);
}

static json_t *place_of_group(struct html *h, const struct odp_diag_group *g)
{
    report_place(&h->words, g->dataset, g->resource, g->field);
    return html_take(h);
}

static json_t *field_row(struct html *h, size_t i)
{
    const struct odp_diag_group *g = h->groups[i];
    uint64_t n[ODP_SEVERITY_ERROR + 1] = {0};
    json_t *rules = json_array(), *o = json_pack("{s:o}", "place", place_of_group(h, g));
    for (size_t k = i; k < h->n; k++) {
        if (!same_field(g, h->groups[k]))
            continue;
        n[h->groups[k]->severity] += h->groups[k]->count;
        json_t *rule = json_pack("{s:s}", "code", odp_code_info(h->groups[k]->code)->code);
        if (k < h->shown)
            json_object_set_new(rule, "anchor", html_index(h, k));
        json_array_append_new(rules, rule);
    }
    json_object_set_new(o, "errors", html_cell(h, n[ODP_SEVERITY_ERROR]));
    json_object_set_new(o, "warnings", html_cell(h, n[ODP_SEVERITY_WARNING]));
    json_object_set_new(o, "rules", separated(rules));
    return o;
}

static void set_fields(struct html *h, json_t *m)
{
    json_t *fields = json_array();
    size_t left = 0;
    for (size_t i = 0; i < h->n; i++) {
        bool again = h->groups[i]->field == NULL;
        for (size_t k = 0; k < i && !again; k++)
            again = same_field(h->groups[k], h->groups[i]);
        if (!again && json_array_size(fields) < FIELDS)
            json_array_append_new(fields, field_row(h, i));
        else
            left += !again;
    }
    json_object_set_new(m, "has_fields", json_boolean(json_array_size(fields) > 0));
    json_object_set_new(m, "fields", fields);
    if (left > 0)
        json_object_set_new(m, "fields_left", html_number(h, left));
}

/* ---- findings
 * ---------------------------------------------------------------------------------------------------------------
 */

static json_t *times(struct html *h, uint64_t n)
{
    return html_counted(h, n, odp_word(h->lang, W_report_time), odp_word(h->lang, W_report_times));
}

static json_t *filter(struct html *h)
{
    json_t *datasets = json_array(), *severities = json_array(), *codes = json_array();
    for (size_t i = 0; i < h->shown; i++)
        if (h->sections[i] == i)
            json_array_append_new(datasets, json_pack("{s:o, s:o}", "anchor", html_index(h, i), "name",
                                                      html_dataset(h, h->groups[i])));
    for (enum odp_severity s = ODP_SEVERITY_ERROR; s > ODP_SEVERITY_OFF; s--)
        if (odp_diags_count(h->diags, s) > 0)
            json_array_append_new(severities,
                                  json_pack("{s:s, s:s}", "class", report_severity_word(s, ODP_LANG_EN),
                                            "severity", report_severity_word(s, h->lang)));
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        if (odp_diags_code_count(h->diags, (enum odp_code)code) > 0) {
            report_bare_title(&h->words, (enum odp_code)code, h->lang);
            json_array_append_new(codes,
                                  json_pack("{s:s, s:o}", "code", odp_code_info((enum odp_code)code)->code,
                                            "title", html_take(h)));
        }
    return json_pack("{s:o, s:o, s:o}", "datasets", datasets, "severities", severities, "codes", codes);
}

static json_t *group(struct html *h, size_t i)
{
    const struct odp_diag_group *g = h->groups[i];
    json_t *o = json_pack("{s:o, s:o, s:s, s:s, s:s}", "anchor", html_index(h, i), "section",
                          html_index(h, h->sections[i]), "class",
                          report_severity_word(g->severity, ODP_LANG_EN), "severity",
                          report_severity_word(g->severity, h->lang), "code", odp_code_info(g->code)->code);
    report_group_title(&h->words, g, h->lang);
    json_object_set_new(o, "title", html_take(h));
    if (g->field != NULL || g->resource != NULL)
        json_object_set_new(o, "place", place_of_group(h, g));
    json_object_set_new(o, "times", times(h, g->count));
    if (g->rule != NULL)
        html_set_text(h, o, "rule", g->rule);
    html_set_examples(h, o, g);
    return o;
}

/* A kind of findings that has no examples: how often and where. */
static json_t *other(struct html *h, const struct odp_diag_group *g)
{
    json_t *o = json_pack("{s:s, s:o, s:o}", "code", odp_code_info(g->code)->code, "place",
                          place_of_group(h, g), "times", times(h, g->count));
    html_set_lines(h, o, g);
    return o;
}

/* "3 errors, 1 warning in 1,204 rows" */
static json_t *about(struct html *h, const uint64_t count[ODP_SEVERITY_ERROR + 1],
                     const struct odp_summary_dataset *d)
{
    struct odp_buffer *w = &h->words;
    for (enum odp_severity s = ODP_SEVERITY_ERROR; s > ODP_SEVERITY_OFF; s--)
        if (count[s] > 0) {
            odp_buffer_add_str(w, w->len > 0 ? ", " : "");
            odp_text_number(w, count[s], h->lang);
            odp_buffer_add_char(w, ' ');
            odp_buffer_add_str(w, report_severity_word(s, h->lang));
            odp_buffer_add_str(w, h->lang == ODP_LANG_EN && count[s] != 1 ? "s" : "");
        }
    if (d != NULL && d->rows > 0) {
        odp_buffer_add_str(w, odp_word(h->lang, W_report_in));
        odp_text_number(w, d->rows, h->lang);
        odp_buffer_add_str(w, d->rows == 1 ? odp_word(h->lang, W_report_count_row)
                                           : odp_word(h->lang, W_report_count_rows));
    }
    return html_take(h);
}

/* The dataset of group I, its first. */
static json_t *section(struct html *h, size_t i)
{
    const struct odp_summary_dataset *d = report_dataset(h->summary, h->groups[i]->dataset);
    uint64_t count[ODP_SEVERITY_ERROR + 1] = {0};
    json_t *groups = json_array(), *others = json_array();
    for (size_t k = i; k < h->n; k++) {
        if (h->sections[k] != i)
            continue;
        count[h->groups[k]->severity] += h->groups[k]->count;
        json_array_append_new(k < h->shown ? groups : others,
                              k < h->shown ? group(h, k) : other(h, h->groups[k]));
    }
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "anchor", html_index(h, i), "name",
                          html_dataset(h, h->groups[i]), "about", about(h, count, d), "groups", groups);
    if (d != NULL)
        html_set_text(h, o, "title", odp_text_get(&d->title, h->lang));
    if (json_array_size(others) > 0)
        json_object_set_new(
            o, "others",
            json_pack("{s:o, s:O}", "n", html_number(h, json_array_size(others)), "groups", others));
    json_decref(others);
    return o;
}

static json_t *rules(struct html *h)
{
    json_t *list = json_array();
    for (int i = 0; i < ODP_CODE_COUNT; i++) {
        enum odp_code code = (enum odp_code)i;
        const struct odp_code_info *info = odp_code_info(code);
        uint64_t n = odp_diags_code_count(h->diags, code);
        if (n == 0)
            continue;
        json_t *o = json_pack("{s:s, s:o}", "code", info->code, "times", times(h, n));
        report_code_title(&h->words, h->groups, h->n, code, h->lang);
        json_object_set_new(o, "title", html_take(h));
        json_object_set_new(o, "why", html_text(h, odp_text_get(&info->words.why, h->lang)));
        json_object_set_new(o, "mend", html_text(h, odp_text_get(&info->words.mend, h->lang)));
        if (info->words.example != NULL)
            json_object_set_new(o, "example", json_string(info->words.example)); /* our own, in lines */
        json_array_append_new(list, o);
    }
    return list;
}

static void set_findings(struct html *h, json_t *m)
{
    json_t *sections = json_array();
    json_object_set_new(m, "codes", by_code(h));
    set_fields(h, m);
    json_object_set_new(m, "filter", filter(h));
    for (size_t i = 0; i < h->n; i++)
        if (h->sections[i] == i)
            json_array_append_new(sections, section(h, i));
    json_object_set_new(m, "sections", sections);
    json_object_set_new(m, "has_legend",
                        json_boolean(h->nmet > 0)); /* which signs it must tell is known now */
    json_object_set_new(m, "legend", html_legend(h));
    json_object_set_new(m, "rules", rules(h));
}

/* ---- the page
 * ---------------------------------------------------------------------------------------------------------------
 */

static json_t *model(struct html *h)
{
    json_t *m = json_pack("{s:s, s:b}", "lang", odp_lang_code(h->lang), "has_findings", h->n > 0);
    struct totals t = count(h);
    set_element(h, m, "style", "style", odp_report_style_css);
    set_element(h, m, "script", "script", odp_report_script_js);
    set_verdict(h, m, &t);
    set_made(h, m);
    json_object_set_new(m, "figures", figures(h, &t));
    set_datasets(h, m);
    set_steps(h, m, &t);
    if (h->n > 0)
        set_findings(h, m);
    json_t *scores = html_scores(h);
    if (scores != NULL)
        json_object_set_new(m, "scores", scores);
    return m;
}

/* Which groups are of one dataset, found once. */
static enum odp_status find_sections(struct html *h)
{
    h->sections = calloc(h->n + 1, sizeof *h->sections);
    h->said = calloc(h->n + 1, sizeof *h->said);
    if (h->sections == NULL || h->said == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k <= i; k++)
            if (report_same(h->groups[k]->dataset, h->groups[i]->dataset)) {
                h->sections[i] = k;
                break;
            }
    return ODP_OK;
}

static enum odp_status render_html(const struct odp_diags *d, const struct odp_summary *s,
                                   const struct odp_report_style *style, struct odp_buffer *out)
{
    struct html h = {.diags = d, .summary = s, .lang = style->lang};
    json_t *m = NULL;
    odp_buffer_init(&h.words);
    enum odp_status status = report_sorted(d, &h.groups, &h.n);
    if (status == ODP_OK)
        status = find_sections(&h);
    if (status == ODP_OK) {
        h.shown = h.n < GROUPS ? h.n : GROUPS;
        h.examples = h.shown * EACH <= LISTED ? EACH : (unsigned)(LISTED / h.shown);
        m = model(&h);
        status =
            h.failed ? odp_failure_set("make", "report", ENOMEM) : report_write("report", m, h.lang, out);
    }
    json_decref(m);
    odp_buffer_release(&h.words);
    free(h.said);
    free(h.sections);
    free(h.groups);
    return status;
}

const struct odp_report report_html = {
    .name = "html", .summary = {{W_report_one_web_page_to_read}}, .render = render_html};
