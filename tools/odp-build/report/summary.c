/* The end of the human report: faults of each dataset, the table of datasets, the conclusion.
 *
 * The summary has at most SUMMARY_LINES lines, shared among the datasets; the table at most TABLE_LINES. */
#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define SUMMARY_LINES 32 /* lines of groups over all datasets */
#define TABLE_LINES   40
#define TITLE_WIDTH   38
#define FIELD_WIDTH   18

/* How datasets share the lines of the summary. */
struct sharing {
    bool merged; /* one line a rule of a dataset */
    size_t most; /* lines of a dataset */
};

static const char *number_text(struct report_job *j, uint64_t n)
{
    odp_buffer_clear(&j->scratch);
    odp_text_number(&j->scratch, n, j->lang);
    return odp_arena_str(&j->arena, odp_buffer_cstr(&j->scratch));
}

/* ---- what each dataset has ---- */

/* What happened to a dataset with faults, unless it is obvious. */
static const char *consequence(const struct report_job *j, const struct odp_summary_dataset *d)
{
    if (d->outcome == ODP_OUTCOME_KEPT)
        return report_word(j, W_report_published_version_kept);
    return d->outcome == ODP_OUTCOME_REJECTED && j->summary->build ? report_word(j, W_report_not_published)
                                                                   : "";
}

static void dataset_heading(struct report_job *j, const struct report_group *first)
{
    const struct odp_summary_dataset *d = report_dataset(j->summary, first->g->dataset);
    uint64_t count[ODP_SEVERITY_ERROR + 1] = {0}, kinds = 0;
    for (size_t i = 0; i < j->n; i++)
        if (odp_str_eq(j->groups[i].g->dataset, first->g->dataset)) {
            count[j->groups[i].g->severity] += j->groups[i].g->count;
            kinds += j->groups[i].g->severity > ODP_SEVERITY_NOTE;
        }
    uint64_t errors = count[ODP_SEVERITY_ERROR], warnings = count[ODP_SEVERITY_WARNING];
    page_paint(j, PAINT_BOLD, report_word(j, W_report_summary));
    page_paint(j, PAINT_BOLD, report_dataset_word(j, first->g));
    report_str(j, ": ");
    if (errors > 0)
        report_counted(j, errors, W_report_error_2, W_report_errors_2);
    report_str(j, errors > 0 && warnings > 0 ? ", " : "");
    if (warnings > 0)
        report_counted(j, warnings, W_report_warning, W_report_warnings);
    if (kinds == 0) {
        report_counted(j, count[ODP_SEVERITY_NOTE], W_report_one_note, W_report_notes);
    } else {
        report_say(j, W_report_of_2);
        report_counted(j, kinds, W_report_rule, W_report_rules);
    }
    if (d != NULL && d->rows > 0) {
        report_str(j, ", ");
        report_counted(j, d->rows, W_report_rows_checked, W_report_rows_checked);
    }
    report_str(j, d != NULL ? consequence(j, d) : "");
    page_line(j);
}

/* Writes the scratch buffer in WIDTH columns, cut if needed. */
static void short_cell(struct report_job *j, size_t width)
{
    struct odp_slice s = odp_buffer_slice(&j->scratch);
    bool cut = odp_utf8_width(s) > width;
    while (cut && odp_utf8_width(s) > width - 1)
        s = odp_utf8_cut(s, s.len - 1);
    odp_buffer_add_slice(j->out, s);
    report_str(j, cut ? "…" : "");
    page_spaces(j, cut ? 0 : width - odp_utf8_width(s));
}

/* Writes the title of a line. */
static void title_cell(struct report_job *j, const struct odp_diag_group *g,
                       void (*say)(struct report_job *, const struct odp_diag_group *))
{
    struct odp_buffer title; /* the scratch buffer compares titles */
    odp_buffer_init(&title);
    j->to = &title;
    say(j, g);
    j->to = j->out;
    odp_buffer_clear(&j->scratch);
    odp_buffer_add_slice(&j->scratch, odp_buffer_slice(&title));
    j->failed = j->failed || title.failed;
    odp_buffer_release(&title);
    short_cell(j, TITLE_WIDTH);
}

static void bare_title(struct report_job *j, const struct odp_diag_group *g)
{
    report_bare_title(j, g->code);
}

static void code_title(struct report_job *j, const struct odp_diag_group *g)
{
    report_code_title(j, g->code);
}

static void first_place(struct report_job *j, const struct report_group *k)
{
    if (k->first->line == 0)
        return;
    report_str(j, k->g->count > 1 ? report_word(j, W_report_first) : "");
    report_str(j, report_counts_records(k->first->file) ? report_word(j, W_report_record_2)
                                                        : report_word(j, W_report_line));
    report_number(j, k->first->line);
}

/* The field of G; MORE: how many further fields there are. */
static void field_cell(struct report_job *j, const struct odp_diag_group *g, size_t more)
{
    bool main_table = g->dataset == NULL || g->resource == NULL || odp_str_eq(g->dataset, g->resource);
    odp_buffer_clear(&j->scratch);
    if (more > 0) {
        odp_text_number(&j->scratch, more + 1, j->lang);
        odp_buffer_add_str(&j->scratch, report_word(j, W_report_fields));
    } else {
        report_place_of(&j->scratch, main_table ? NULL : g->resource, NULL, g->field);
    }
    short_cell(j, FIELD_WIDTH);
}

/* "  ODP-T03  bukan bilangan desimal      215   " */
static void begin_line(struct report_job *j, const struct odp_diag_group *g,
                       void (*title)(struct report_job *, const struct odp_diag_group *), uint64_t count)
{
    report_str(j, "  ");
    page_paint(j, page_severity_paint(g->severity), report_code(g));
    report_str(j, "  ");
    title_cell(j, g, title);
    page_cell_right(j, number_text(j, count), 10);
    report_str(j, "   ");
}

/* "  ODP-Q10  dataset terlambat diperbarui            22   beberapa dataset" */
static void shared_line(struct report_job *j, const struct report_group *first)
{
    size_t count = 0;
    bool one = true; /* dataset */
    for (size_t i = first->index; i < j->n; i++)
        if (j->groups[i].block == first->index) {
            count++;
            one = one && odp_str_eq(j->groups[i].g->dataset, first->g->dataset);
        }
    begin_line(j, first->g, code_title, count);
    report_str(j, one ? first->g->dataset : report_word(j, W_report_several_datasets));
    page_line(j);
}

static bool begins_line(const struct report_job *j, const struct sharing *s, size_t i)
{
    return !j->groups[i].shared && (!s->merged || j->groups[i].rule == i);
}

static bool is_head(const struct report_group *k)
{
    return !k->shared && k->section == k->index;
}

/* Lines of the dataset whose heading is group I. */
static size_t lines_of(const struct report_job *j, const struct sharing *s, size_t i)
{
    size_t lines = 0;
    for (size_t k = i; k < j->n; k++)
        lines += j->groups[k].section == i && begins_line(j, s, k);
    return lines;
}

/* Lines of all datasets, with headings. */
static size_t lines_of_all(const struct report_job *j, const struct sharing *s)
{
    size_t lines = 0;
    for (size_t i = 0; i < j->n; i++) {
        size_t own = is_head(&j->groups[i]) ? lines_of(j, s, i) : 0;
        lines += j->groups[i].shared && j->groups[i].block == i;
        lines += is_head(&j->groups[i]) + (own < s->most ? own : s->most);
    }
    return lines;
}

/* Writes the heading of a dataset and its share of lines; returns how many lines were left out. */
static size_t dataset_lines(struct report_job *j, const struct sharing *s, size_t i)
{
    size_t done = 0, hidden = 0;
    dataset_heading(j, &j->groups[i]);
    for (size_t k = i; k < j->n; k++) {
        const struct odp_diag_group *g = j->groups[k].g;
        uint64_t count = g->count;
        size_t more = 0;
        if (j->groups[k].section != i || !begins_line(j, s, k))
            continue;
        if (done++ >= s->most) {
            hidden++;
            continue;
        }
        for (size_t m = k + 1; s->merged && m < j->n; m++)
            if (j->groups[m].rule == k && !j->groups[m].shared) {
                count += j->groups[m].g->count;
                more++;
            }
        begin_line(j, g, more == 0 ? report_group_title : bare_title, count);
        field_cell(j, g, more);
        report_str(j, " ");
        first_place(j, &j->groups[k]);
        page_line(j);
    }
    return hidden;
}

/* Faults that datasets share come after their own. */
static size_t shared_lines(struct report_job *j, size_t start)
{
    size_t hidden = 0;
    bool any = false;
    for (size_t i = 0; i < j->n; i++) {
        if (!j->groups[i].shared || j->groups[i].block != i)
            continue;
        if (j->lines - start >= SUMMARY_LINES) {
            hidden++;
            continue;
        }
        if (!any) {
            page_paint(j, PAINT_BOLD, report_word(j, W_report_summary_shared));
            page_line(j);
        }
        any = true;
        shared_line(j, &j->groups[i]);
    }
    return hidden;
}

static void and_more(struct report_job *j, size_t left, const char *id, const char *en)
{
    if (left == 0)
        return;
    report_say(j, W_report_and_2);
    report_number(j, left);
    report_str(j, odp_word(j->lang, id, en));
    page_line(j);
}

/* Without room for all, each rule of a dataset gets one line, and each dataset the same share of lines. */
void page_summary(struct report_job *j)
{
    struct sharing s = {.most = SIZE_MAX};
    size_t hidden = 0, start = j->lines;
    s.merged = lines_of_all(j, &s) > SUMMARY_LINES;
    if (s.merged)
        for (s.most = SUMMARY_LINES; s.most > 0 && lines_of_all(j, &s) > SUMMARY_LINES;)
            s.most--;
    for (size_t i = 0; i < j->n; i++)
        if (is_head(&j->groups[i]))
            hidden += j->lines - start < SUMMARY_LINES ? dataset_lines(j, &s, i) : lines_of(j, &s, i);
    hidden += shared_lines(j, start);
    and_more(j, hidden, W_report_more_lines_summary_report_html);
    if (j->n > 0)
        page_line(j);
}

/* ---- the table of datasets ---- */

static size_t widest_slug(const struct odp_summary *s)
{
    size_t width = 8;
    for (size_t i = 0; i < s->ndatasets; i++) {
        size_t w = odp_utf8_width(odp_slice_of(s->datasets[i].slug));
        width = w > width ? w : width;
    }
    return width < 40 ? width : 40;
}

const char *report_outcome_word(enum odp_outcome outcome, enum odp_lang lang)
{
    static const char *const words[][ODP_LANGS] = {
        [ODP_OUTCOME_CHECKED] = {W_report_checked},     [ODP_OUTCOME_PUBLISHED] = {W_report_published},
        [ODP_OUTCOME_UNCHANGED] = {W_report_unchanged}, [ODP_OUTCOME_REJECTED] = {W_report_rejected},
        [ODP_OUTCOME_KEPT] = {W_report_kept},           [ODP_OUTCOME_DRAFT] = {W_report_draft},
        [ODP_OUTCOME_WITHDRAWN] = {W_report_withdrawn}};
    return words[outcome][lang];
}

/* "+12 −3 ~41" of a new version, else the outcome. */
static const char *outcome_text(struct report_job *j, const struct odp_summary_dataset *d)
{
    if (d->outcome != ODP_OUTCOME_PUBLISHED || !d->compared)
        return report_outcome_word(d->outcome, j->lang);
    return odp_arena_printf(&j->arena, "+%s \u2212%s ~%s", number_text(j, d->added),
                            number_text(j, d->removed), number_text(j, d->changed));
}

/* Columns: the slug, the version, rows to the right, the outcome in its colour, formats. */
static void table_row(struct report_job *j, size_t slug, const char *const cells[5], enum paint paint)
{
    size_t used = odp_utf8_width(odp_slice_of(cells[3]));
    report_str(j, "  ");
    page_cell(j, cells[0], slug + 2);
    page_cell(j, cells[1], 12);
    page_cell_right(j, cells[2], 12);
    report_str(j, "   ");
    page_paint(j, paint, cells[3]);
    page_spaces(j, used < 12 ? 12 - used : 1);
    report_str(j, cells[4]);
    page_line(j);
}

static enum paint outcome_paint(enum odp_outcome outcome)
{
    switch (outcome) {
    case ODP_OUTCOME_REJECTED:
        return PAINT_ERROR;
    case ODP_OUTCOME_KEPT:
        return PAINT_WARNING;
    default:
        return PAINT_NONE;
    }
}

static void table(struct report_job *j)
{
    const struct odp_summary *s = j->summary;
    size_t slug = widest_slug(s), shown = 0;
    if (s->ndatasets == 0)
        return;
    table_row(j, slug,
              (const char *const[]){"dataset", report_word(j, W_report_version),
                                    report_word(j, W_report_rows), report_word(j, W_report_result),
                                    report_word(j, W_report_formats)},
              PAINT_NONE);
    for (; shown < s->ndatasets && shown < TABLE_LINES; shown++) {
        const struct odp_summary_dataset *d = &s->datasets[shown];
        table_row(j, slug,
                  (const char *const[]){d->slug, d->version != NULL ? d->version : "–",
                                        number_text(j, d->rows), outcome_text(j, d),
                                        d->formats != NULL ? d->formats : ""},
                  outcome_paint(d->outcome));
    }
    and_more(j, s->ndatasets - shown, W_report_more_datasets);
}

/* ---- the last word ---- */

/* "build/site → build/site.builds/9f31c2…   41 berkas, 12,4 MB   rilis 2.5.0" */
static void site(struct report_job *j)
{
    const struct odp_summary *s = j->summary;
    page_paint(j, PAINT_BOLD, s->out != NULL ? s->out : "");
    report_str(j, " → ");
    report_str(j, s->site);
    report_str(j, "   ");
    if (s->idle) {
        report_say(j, W_report_nothing_has_changed);
    } else {
        report_counted(j, s->site_files, W_report_files, W_report_files);
        odp_text_size(j->to, s->site_bytes, j->lang);
    }
    if (s->release != NULL) {
        report_say(j, W_report_release);
        report_str(j, s->release);
    }
    page_line(j);
}

/* "0 galat, 2 peringatan   18.412 baris   0,21 s" */
static void totals(struct report_job *j)
{
    report_counted(j, odp_diags_count(j->diags, ODP_SEVERITY_ERROR), W_report_error, W_report_errors);
    report_counted(j, odp_diags_count(j->diags, ODP_SEVERITY_WARNING), W_report_warning, W_report_warnings);
    report_str(j, "   ");
    report_counted(j, j->summary->rows, W_report_rows_2, W_report_rows_2);
    if (j->summary->seconds > 0) {
        report_str(j, "   ");
        report_decimal(j, j->summary->seconds, 2);
        report_str(j, " s");
    }
    page_line(j);
}

static bool some_rejected(const struct odp_summary *s)
{
    for (size_t i = 0; i < s->ndatasets; i++)
        if (s->datasets[i].outcome == ODP_OUTCOME_REJECTED)
            return true;
    return false;
}

/* "Dibandingkan dengan situs yang terbit (build/site), odp-build build akan menolak: ODP-V10, ODP-V20" */
static void refusals(struct report_job *j)
{
    static const enum odp_code refused[] = {ODP_V05, ODP_V10, ODP_V11, ODP_V12,
                                            ODP_V14, ODP_V20, ODP_V21, ODP_V22};
    size_t n = 0;
    for (size_t i = 0; i < ODP_COUNT(refused); i++) {
        if (odp_diags_code_count(j->diags, refused[i]) == 0)
            continue;
        if (n++ == 0) {
            report_say(j, W_report_compared_with_published_site);
            report_str(j, j->summary->against);
            report_say(j, W_report_build_will_refuse);
        } else {
            report_str(j, ", ");
        }
        report_str(j, odp_code_info(refused[i])->code);
    }
    if (n > 0)
        page_line(j);
}

/* "Satu Data Indonesia: aspirasi 51 dari 100; yang belum: odp-build show aspirasi", of the lowest score. */
static void advice(struct report_job *j)
{
    const struct odp_summary_dataset *lowest = NULL;
    int least = 100;
    for (size_t i = 0; i < j->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &j->summary->datasets[i];
        const int total = d->score != NULL ? odp_score_total(d->score) : -1;
        if (total < 0 || total >= least)
            continue;
        least = total;
        lowest = d;
    }
    if (lowest == NULL)
        return;
    report_put(j, W_report_score, lowest->slug, least, lowest->slug);
    page_line(j);
}

void page_closing(struct report_job *j)
{
    const struct odp_summary *s = j->summary;
    table(j);
    if (s->build && s->site != NULL && !s->idle)
        advice(j);
    if (s->build && s->site != NULL)
        site(j);
    totals(j);
    if (!s->build && s->against != NULL)
        refusals(j);
    if (s->build && s->site == NULL && odp_diags_count(j->diags, ODP_SEVERITY_ERROR) > 0) {
        report_say(j, W_report_published_site_unchanged);
        if (some_rejected(s)) /* the others can be published without them */
            report_say(j, W_report_mend_try_again_odp_build);
        page_line(j);
    }
}
