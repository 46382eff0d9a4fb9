/* The model of the HTML report: what is wrong by dataset, by rule and by field, the rows as they are, how to
 * mend them. templates/report writes the page.
 *
 * The page makes no requests (its policy forbids them), needs no scripts to be complete, and has one
 * language. The only script is the filter. The policy (`default-src 'none'`, and the digests of the one
 * style and the one script) blocks everything else, so a cell that was taken for markup could do nothing:
 * there are no style attributes, no handlers, no addresses but `#…`. Explanations appear once, by rule,
 * unfolded, so a printed page is complete. */
#include <string.h>

#include <openssl/evp.h>

#include "base/digest.h"
#include "base/html.h"
#include "report/html_internal.h"
#include "words/report.h"

#define EACH   10  /* examples of a group */
#define LISTED 600 /* examples of the page */
#define GROUPS 300 /* with examples */
#define FIELDS 200 /* rows of the table of fields */

extern const unsigned char odp_report_style_css[], odp_report_script_js[];

static const char *class_of(enum odp_severity severity)
{
    return report_severity_word(severity, ODP_LANG_EN);
}

/* {n, none} of a table. */
static json_t *cell(struct report_job *j, uint64_t n)
{
    return json_pack("{s:o, s:b}", "n", html_number(j, n), "none", n == 0);
}

/* "1 kali", "3 times" */
static json_t *times(struct report_job *j, uint64_t n)
{
    report_counted(j, n, W_report_time, W_report_times);
    return report_take(j);
}

/* Sets a member unless TEXT is empty. */
static void set_text(struct report_job *j, json_t *o, const char *key, const char *text)
{
    if (*text != '\0')
        json_object_set_new(o, key, report_clean_json(j, text));
}

/* Sets a list, and "has_KEY": whether it has items. */
static void set_list(json_t *m, const char *key, json_t *list)
{
    char has[32];
    (void)snprintf(has, sizeof has, "has_%s", key);
    json_object_set_new(m, has, json_boolean(json_array_size(list) > 0));
    json_object_set_new(m, key, list);
}

/* Marks all rows but the last with "more": a comma follows. */
static json_t *separated(json_t *list)
{
    for (size_t i = 0; i + 1 < json_array_size(list); i++)
        json_object_set_new(json_array_get(list, i), "more", json_true());
    return list;
}

/* ---- the head ---- */

/* Sets NAME to TEXT between its tags, and its digest for the policy. */
static void set_element(struct report_job *j, json_t *m, const char *name, const unsigned char *compiled_in)
{
    uint8_t digest[ODP_SHA256_SIZE];
    const char *text = (const char *)compiled_in;
    char member[32], base64[4 * (ODP_SHA256_SIZE / 3 + 1) + 1];
    j->failed = j->failed || odp_digest_of(text, strlen(text), digest) != ODP_OK;
    (void)snprintf(member, sizeof member, "%s_digest", name);
    (void)EVP_EncodeBlock((unsigned char *)base64, digest, sizeof digest);
    json_object_set_new(m, member, json_string(base64));
    json_object_set_new(m, name, json_sprintf("<%s>%s</%s>", name, text, name));
}

static void set_made(struct report_job *j, json_t *m)
{
    const char *time = j->summary->time;
    if (time != NULL) {
        odp_html_date(j->to, time, j->lang);
        json_t *date = report_take(j);
        report_put(j, W_report_at_utc, strlen(time) >= 16 ? time + 11 : "");
        json_object_set_new(m, "made", json_pack("{s:o, s:o}", "date", date, "time", report_take(j)));
    }
    set_text(j, m, "version", j->summary->version != NULL ? j->summary->version : "");
}

/* ---- the summary ---- */

/* Faults of the dataset SLUG, of its descriptor, too, which the run's summary does not count. */
static uint64_t count_of(const struct report_job *j, const char *slug, enum odp_severity severity)
{
    uint64_t n = 0;
    for (size_t i = 0; i < j->n; i++)
        if (j->groups[i].g->severity == severity && odp_str_eq(j->groups[i].g->dataset, slug))
            n += j->groups[i].g->count;
    return n;
}

static bool is_clean(const struct report_job *j, const struct odp_summary_dataset *d)
{
    return count_of(j, d->slug, ODP_SEVERITY_ERROR) + count_of(j, d->slug, ODP_SEVERITY_WARNING) == 0;
}

static void set_verdict(struct html *h, json_t *m, uint64_t errors, uint64_t warnings)
{
    struct report_job *j = h->j;
    const char *class = errors > 0 ? "error" : "clean";
    size_t bad = 0;
    for (size_t i = 0; i < j->summary->ndatasets; i++)
        bad += j->summary->datasets[i].errors > 0;
    if (errors > 0) {
        report_say(j, W_report_there_errors);
    } else if (warnings > 0) {
        class = "warning";
        report_say(j, W_report_only_warnings);
    } else {
        report_say(j, W_report_no_errors_no_warnings);
    }
    if (bad > 0) {
        report_str(j, " ");
        report_counted(j, bad, W_report_out_of, W_report_out_of);
        report_counted(j, j->summary->ndatasets, W_report_dataset_cannot_be_published,
                       W_report_datasets_cannot_be_published);
    }
    json_object_set_new(m, "verdict", json_pack("{s:s, s:o}", "class", class, "text", report_take(j)));
}

static json_t *figures(struct html *h, uint64_t errors, uint64_t warnings)
{
    const struct odp_summary *s = h->j->summary;
    uint64_t notes = odp_diags_count(h->j->diags, ODP_SEVERITY_NOTE), clean = 0;
    for (size_t i = 0; i < s->ndatasets; i++)
        clean += is_clean(h->j, &s->datasets[i]);
    const struct {
        uint64_t n;
        struct odp_text one, many;
        const char *class;
    } all[] = {{errors, {{W_report_figure_error}}, {{W_report_figure_errors}}, "error"},
               {warnings, {{W_report_figure_warning}}, {{W_report_figure_warnings}}, "warning"},
               {notes, {{W_report_figure_note}}, {{W_report_figure_notes}}, "note"},
               {clean, {{W_report_figure_clean}}, {{W_report_figure_clean_many}}, "clean"},
               {s->ndatasets, {{W_report_figure_dataset}}, {{W_report_figure_datasets}}, ""},
               {s->rows, {{W_report_figure_rows}}, {{W_report_figure_rows}}, ""}};
    json_t *list = json_array();
    for (size_t i = 0; i < ODP_COUNT(all); i++)
        if (all[i].n > 0 || strcmp(all[i].class, "note") != 0)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:o}", "class", all[i].n > 0 ? all[i].class : "", "word",
                                odp_text_get(all[i].n == 1 ? &all[i].one : &all[i].many, h->j->lang), "n",
                                html_number(h->j, all[i].n)));
    return list;
}

/* Next steps of a steward for each rejected dataset; if none is rejected, for each with warnings. What many
 * datasets share is in no record: its help says what to do. A workbook is mended by whoever keeps it. */
static json_t *steps(struct html *h, uint64_t errors)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->j->n; i++) {
        const struct report_group *k = &h->j->groups[i]; /* a section's first group is its worst */
        if (k->g->dataset != NULL && !k->shared && k->section == i &&
            k->g->severity >= (errors > 0 ? ODP_SEVERITY_ERROR : ODP_SEVERITY_WARNING))
            json_array_append_new(list, json_pack("{s:o, s:o, s:b}", "anchor", html_index(i), "slug",
                                                  report_clean_json(h->j, k->g->dataset), "sheet",
                                                  k->first->sheet != NULL));
    }
    return list;
}

/* ---- tables ---- */

static const char *outcome(const struct html *h, const struct odp_summary_dataset *d)
{
    if (d->outcome == ODP_OUTCOME_KEPT)
        return report_word(h->j, W_report_old_version_kept);
    bool rejected = d->outcome == ODP_OUTCOME_CHECKED && d->errors > 0;
    return report_outcome_word(rejected ? ODP_OUTCOME_REJECTED : d->outcome, h->j->lang);
}

/* The section that tells the faults of the dataset SLUG: its own, or else that of what many share; j->n: it
 * has none. */
static size_t section_of(const struct report_job *j, const char *slug)
{
    size_t found = j->n;
    for (size_t i = j->n; i-- > 0;)
        if (odp_str_eq(j->groups[i].g->dataset, slug) && (found == j->n || !j->groups[i].shared))
            found = j->groups[i].section;
    return found;
}

static json_t *dataset_row(struct html *h, const struct odp_summary_dataset *d)
{
    struct report_job *j = h->j;
    json_t *o = json_pack("{s:o}", "slug", report_clean_json(j, d->slug));
    const size_t i = section_of(j, d->slug);
    if (i < j->n)
        json_object_set_new(o, "anchor", html_index(i));
    if (is_clean(j, d)) { /* it may have notes */
        report_counted(j, d->rows, W_report_count_row, W_report_count_rows);
        json_object_set_new(o, "rows", report_take(j));
        return o;
    }
    set_text(j, o, "title", odp_text_get(&d->title, j->lang));
    const uint64_t errors = count_of(j, d->slug, ODP_SEVERITY_ERROR);
    json_object_set_new(o, "class", json_string(errors > 0 ? "error" : "warning"));
    json_object_set_new(o, "outcome", json_string(outcome(h, d)));
    json_object_set_new(o, "errors", cell(j, errors));
    json_object_set_new(o, "warnings", cell(j, count_of(j, d->slug, ODP_SEVERITY_WARNING)));
    json_object_set_new(o, "rows", cell(j, d->rows));
    return o;
}

static void set_datasets(struct html *h, json_t *m)
{
    json_t *faulty = json_array(), *clean = json_array();
    for (size_t i = 0; i < h->j->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &h->j->summary->datasets[i];
        json_array_append_new(is_clean(h->j, d) ? clean : faulty, dataset_row(h, d));
    }
    set_list(m, "faulty", faulty);
    set_list(m, "clean", clean);
}

static json_t *dataset_link(struct html *h, size_t section)
{
    const struct report_group *k = &h->j->groups[section];
    const char *name = k->shared ? report_word(h->j, W_report_shared) : report_dataset_word(h->j, k->g);
    return json_pack("{s:o, s:o}", "anchor", html_index(section), "name", report_clean_json(h->j, name));
}

/* One row for group I and all groups of the same code and severity. */
static json_t *code_row(struct html *h, size_t i)
{
    const struct report_group *groups = h->j->groups;
    const struct odp_diag_group *g = groups[i].g;
    json_t *datasets = json_array(), *seen = json_object();
    uint64_t n = 0;
    for (size_t k = 0; k < h->j->n; k++) {
        char section[24];
        if (groups[k].g->code != g->code || groups[k].g->severity != g->severity)
            continue;
        (void)snprintf(section, sizeof section, "%zu", groups[k].section);
        if (json_object_get(seen, section) == NULL)
            json_array_append_new(datasets, dataset_link(h, groups[k].section));
        json_object_set_new(seen, section, json_true());
        n += groups[k].g->count;
    }
    json_decref(seen);
    report_code_title(h->j, g->code);
    json_t *title = report_take(h->j);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "code", report_code(g), "class", class_of(g->severity),
                     "severity", report_severity_word(g->severity, h->j->lang), "title", title, "count",
                     cell(h->j, n), "datasets", separated(datasets));
}

static bool is_first_of_code(const struct report_job *j, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (j->groups[k].g->code == j->groups[i].g->code &&
            j->groups[k].g->severity == j->groups[i].g->severity)
            return false;
    return true;
}

static bool same_field(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return b->field != NULL && odp_str_eq(a->field, b->field) && odp_str_eq(a->resource, b->resource) &&
           odp_str_eq(a->dataset, b->dataset);
}

static json_t *place(struct html *h, const struct odp_diag_group *g)
{
    report_place(h->j, g);
    return report_take(h->j);
}

static json_t *field_row(struct html *h, size_t i)
{
    struct report_job *j = h->j;
    uint64_t n[ODP_SEVERITY_ERROR + 1] = {0};
    json_t *rules = json_array();
    for (size_t k = i; k < j->n; k++) {
        const struct odp_diag_group *g = j->groups[k].g;
        if (!same_field(j->groups[i].g, g))
            continue;
        n[g->severity] += g->count;
        json_t *rule = json_pack("{s:s}", "code", report_code(g));
        if (j->groups[k].block < h->shown) /* the block's first group speaks for it */
            json_object_set_new(rule, "anchor", html_index(j->groups[k].block));
        json_array_append_new(rules, rule);
    }
    json_t *name = place(h, j->groups[i].g), *errors = cell(j, n[ODP_SEVERITY_ERROR]);
    return json_pack("{s:o, s:o, s:o, s:o}", "place", name, "errors", errors, "warnings",
                     cell(j, n[ODP_SEVERITY_WARNING]), "rules", separated(rules));
}

static void set_fields(struct html *h, json_t *m)
{
    json_t *fields = json_array();
    size_t left = 0;
    for (size_t i = 0; i < h->j->n; i++) {
        bool again = h->j->groups[i].g->field == NULL;
        for (size_t k = 0; k < i && !again; k++)
            again = same_field(h->j->groups[k].g, h->j->groups[i].g);
        if (!again && json_array_size(fields) < FIELDS)
            json_array_append_new(fields, field_row(h, i));
        else
            left += !again;
    }
    set_list(m, "fields", fields);
    if (left > 0)
        json_object_set_new(m, "fields_left", html_number(h->j, left));
}

/* ---- findings ---- */

static json_t *filter(struct html *h)
{
    json_t *datasets = json_array(), *severities = json_array(), *codes = json_array();
    for (size_t i = 0; i < h->shown; i++)
        if (h->j->groups[i].section == i)
            json_array_append_new(datasets, dataset_link(h, i));
    for (enum odp_severity s = ODP_SEVERITY_ERROR; s > ODP_SEVERITY_OFF; s--)
        if (odp_diags_count(h->j->diags, s) > 0)
            json_array_append_new(severities, json_pack("{s:s, s:s}", "class", class_of(s), "severity",
                                                        report_severity_word(s, h->j->lang)));
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        if (odp_diags_code_count(h->j->diags, (enum odp_code)code) > 0) {
            report_bare_title(h->j, (enum odp_code)code);
            json_array_append_new(codes,
                                  json_pack("{s:s, s:o}", "code", odp_code_info((enum odp_code)code)->code,
                                            "title", report_take(h->j)));
        }
    return json_pack("{s:o, s:o, s:o}", "datasets", datasets, "severities", severities, "codes", codes);
}

/* "1 kali", or "22 dataset" of what they share. */
static json_t *how_often(struct html *h, const struct report_group *k, const struct report_shared *s)
{
    if (!k->shared)
        return times(h->j, k->g->count);
    report_add_shared(h->j, s, k->g);
    return report_take(h->j);
}

static json_t *group(struct html *h, const struct report_group *k)
{
    const struct odp_diag_group *g = k->g;
    struct report_shared s = {0};
    if (k->shared)
        s = report_measure_shared(h->j, k);
    if (s.own)
        report_code_title(h->j, g->code);
    else
        report_group_title(h->j, g);
    json_t *title = report_take(h->j);
    json_t *o = json_pack("{s:o, s:o, s:s, s:s, s:s, s:o, s:o}", "anchor", html_index(k->index), "section",
                          html_index(k->section), "class", class_of(g->severity), "severity",
                          report_severity_word(g->severity, h->j->lang), "code", report_code(g), "title",
                          title, "times", how_often(h, k, &s));
    if (!k->shared && (g->field != NULL || g->resource != NULL))
        json_object_set_new(o, "place", place(h, g));
    set_text(h->j, o, "rule", g->rule != NULL ? g->rule : "");
    html_set_examples(h, o, k, &s);
    return o;
}

/* A kind of findings without examples: how often and where. */
static json_t *other(struct html *h, const struct odp_diag_group *g)
{
    json_t *name = place(h, g);
    json_t *o =
        json_pack("{s:s, s:o, s:o}", "code", report_code(g), "place", name, "times", times(h->j, g->count));
    html_set_lines(h, o, g);
    return o;
}

/* "3 errors, 1 warning in 1,204 rows" */
static json_t *about(struct report_job *j, const uint64_t count[ODP_SEVERITY_ERROR + 1],
                     const struct odp_summary_dataset *d)
{
    for (enum odp_severity s = ODP_SEVERITY_ERROR; s > ODP_SEVERITY_OFF; s--)
        if (count[s] > 0) {
            report_str(j, j->words.len > 0 ? ", " : "");
            report_number(j, count[s]);
            report_str(j, " ");
            report_str(j, report_severity_word(s, j->lang));
            report_str(j, j->lang == ODP_LANG_EN && count[s] != 1 ? "s" : "");
        }
    if (d != NULL && d->rows > 0) {
        report_say(j, W_report_in);
        report_counted(j, d->rows, W_report_count_row, W_report_count_rows);
    }
    return report_take(j);
}

/* The dataset of group I, its first. */
static json_t *section(struct html *h, size_t i)
{
    const struct odp_summary_dataset *d =
        h->j->groups[i].shared ? NULL : report_dataset(h->j->summary, h->j->groups[i].g->dataset);
    uint64_t count[ODP_SEVERITY_ERROR + 1] = {0};
    json_t *groups = json_array(), *others = json_array();
    for (size_t k = i; k < h->j->n; k++) {
        if (h->j->groups[k].section != i)
            continue;
        count[h->j->groups[k].g->severity] += h->j->groups[k].g->count;
        if (h->j->groups[k].block != k)
            continue;
        if (k < h->shown)
            json_array_append_new(groups, group(h, &h->j->groups[k]));
        else
            json_array_append_new(others, other(h, h->j->groups[k].g));
    }
    json_t *o = dataset_link(h, i);
    json_object_set_new(o, "about", about(h->j, count, d));
    json_object_set_new(o, "groups", groups);
    set_text(h->j, o, "title", d != NULL ? odp_text_get(&d->title, h->j->lang) : "");
    if (json_array_size(others) > 0)
        json_object_set_new(
            o, "others",
            json_pack("{s:o, s:O}", "n", html_number(h->j, json_array_size(others)), "groups", others));
    json_decref(others);
    return o;
}

static json_t *rules(struct html *h)
{
    json_t *list = json_array();
    for (int i = 0; i < ODP_CODE_COUNT; i++) {
        const struct odp_code_info *info = odp_code_info((enum odp_code)i);
        uint64_t n = odp_diags_code_count(h->j->diags, (enum odp_code)i);
        if (n == 0)
            continue;
        report_code_title(h->j, (enum odp_code)i);
        json_t *title = report_take(h->j),
               *why = report_clean_json(h->j, odp_text_get(&info->words.why, h->j->lang)),
               *mend = report_clean_json(h->j, odp_text_get(&info->words.mend, h->j->lang));
        json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:o}", "code", info->code, "times", times(h->j, n),
                              "title", title, "why", why, "mend", mend);
        if (info->words.example != NULL)
            json_object_set_new(o, "example", json_string(info->words.example)); /* our own, in lines */
        json_array_append_new(list, o);
    }
    return list;
}

static void set_findings(struct html *h, json_t *m)
{
    json_t *sections = json_array(), *codes = json_array();
    for (size_t i = 0; i < h->j->n; i++)
        if (is_first_of_code(h->j, i))
            json_array_append_new(codes, code_row(h, i));
    json_object_set_new(m, "codes", codes);
    set_fields(h, m);
    json_object_set_new(m, "filter", filter(h));
    for (size_t i = 0; i < h->j->n; i++)
        if (h->j->groups[i].section == i)
            json_array_append_new(sections, section(h, i));
    json_object_set_new(m, "sections", sections);
    set_list(m, "legend", html_legend(h)); /* after all examples: they add signs */
    json_object_set_new(m, "rules", rules(h));
}

/* ---- Satu Data ---- */

static json_t *principle(struct html *h, const struct odp_score_principle *p)
{
    int percent = odp_score_percent(p);
    if (percent < 0) /* it does not apply */
        return json_object();
    report_put(h->j, W_report_percent, percent);
    json_t *said = report_take(h->j), *have = html_number(h->j, p->have);
    return json_pack("{s:{s:s, s:o, s:o, s:o, s:o}}", "share", "class", percent == 100 ? "full" : "some",
                     "width", html_index((size_t)percent), "percent", said, "have", have, "need",
                     html_number(h->j, p->need));
}

static json_t *title_of(struct html *h, const struct odp_text *text)
{
    return report_clean_json(h->j, odp_text_get(text, h->j->lang));
}

static json_t *item(struct html *h, const struct odp_score_principle *p, const struct odp_score_item *i)
{
    json_t *name = title_of(h, &p->title), *label = title_of(h, &i->label),
           *have = html_number(h->j, i->have);
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "principle", name, "label", label, "have", have, "need",
                          html_number(h->j, i->need));
    set_text(h->j, o, "note", odp_text_get(&i->note, h->j->lang));
    return o;
}

/* Appends the incomplete items to LIST. */
static void add_lacking(struct html *h, json_t *list, const char *slug, const struct odp_score *s)
{
    json_t *items = json_array();
    for (int p = 0; p < ODP_PRINCIPLES; p++)
        for (size_t i = 0; i < s->principle[p].n; i++)
            if (s->principle[p].items[i].have < s->principle[p].items[i].need)
                json_array_append_new(items, item(h, &s->principle[p], &s->principle[p].items[i]));
    if (json_array_size(items) > 0) {
        report_counted(h->j, json_array_size(items), W_report_thing_not_complete,
                       W_report_things_not_complete);
        json_t *summary = report_take(h->j);
        json_array_append_new(list, json_pack("{s:o, s:o, s:O}", "slug", report_clean_json(h->j, slug),
                                              "summary", summary, "items", items));
    }
    json_decref(items);
}

/* A table of the four principles, then what each dataset lacks. */
static void set_scores(struct html *h, json_t *m)
{
    json_t *titles = json_array(), *datasets = json_array(), *lacking = json_array();
    for (size_t i = 0; i < h->j->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &h->j->summary->datasets[i];
        json_t *principles = json_array();
        for (int p = 0; p < ODP_PRINCIPLES && d->score != NULL; p++) {
            json_array_append_new(principles, principle(h, &d->score->principle[p]));
            if (json_array_size(datasets) == 0)
                json_array_append_new(
                    titles, json_pack("{s:o}", "title", title_of(h, &d->score->principle[p].title)));
        }
        if (d->score != NULL) {
            json_array_append_new(datasets, json_pack("{s:o, s:O}", "slug", report_clean_json(h->j, d->slug),
                                                      "principles", principles));
            add_lacking(h, lacking, d->slug, d->score);
        }
        json_decref(principles);
    }
    if (json_array_size(datasets) > 0)
        json_object_set_new(
            m, "scores",
            json_pack("{s:O, s:O, s:O}", "principles", titles, "datasets", datasets, "lacking", lacking));
    json_decref(titles);
    json_decref(datasets);
    json_decref(lacking);
}

/* ---- the page ---- */

static enum odp_status render_html(struct report_job *j, const struct odp_report_style *style)
{
    struct html h = {.j = j, .shown = j->n < GROUPS ? j->n : GROUPS, .examples = EACH};
    uint64_t errors = odp_diags_count(j->diags, ODP_SEVERITY_ERROR),
             warnings = odp_diags_count(j->diags, ODP_SEVERITY_WARNING);
    if (h.shown * EACH > LISTED)
        h.examples = (unsigned)(LISTED / h.shown);
    json_t *m = json_pack("{s:s, s:b}", "lang", odp_lang_code(j->lang), "has_findings", j->n > 0);
    set_element(j, m, "style", odp_report_style_css);
    set_element(j, m, "script", odp_report_script_js);
    set_verdict(&h, m, errors, warnings);
    json_object_set_new(m, "served", json_boolean(style->served));
    set_made(j, m);
    json_object_set_new(m, "figures", figures(&h, errors, warnings));
    set_datasets(&h, m);
    set_list(m, "steps", steps(&h, errors));
    if (j->n > 0)
        set_findings(&h, m);
    set_scores(&h, m);
    return report_write(j, "report", m);
}

const struct odp_report report_html = {
    .name = "html", .summary = {{W_report_one_web_page_to_read}}, .render = render_html};
