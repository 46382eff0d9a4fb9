/* The end of the human report: what each dataset has, the table of datasets, the last word.
 *
 * The summary has at most SUMMARY_LINES lines, which datasets share out, the table at most TABLE_LINES. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define SUMMARY_LINES 32 /* lines of groups over all datasets */
#define TABLE_LINES   40
#define TITLE_WIDTH   38
#define FIELD_WIDTH   18

/* "217 galat, 2 peringatan": what is not zero, or "tanpa galat". */
static void counts(struct page *p, uint64_t errors, uint64_t warnings)
{
    if (errors > 0) {
        page_number(p, errors);
        page_text(p, errors == 1 ? page_say(p, W_report_error_2) : page_say(p, W_report_errors_2));
    }
    if (warnings > 0) {
        page_text(p, errors > 0 ? ", " : "");
        page_number(p, warnings);
        page_text(p, warnings == 1 ? page_say(p, W_report_warning) : page_say(p, W_report_warnings));
    }
}

static const char *outcome_word(const struct page *p, enum odp_outcome o)
{
    switch (o) {
    case ODP_OUTCOME_PUBLISHED:
        return page_say(p, W_report_published);
    case ODP_OUTCOME_UNCHANGED:
        return page_say(p, W_report_unchanged);
    case ODP_OUTCOME_REJECTED:
        return page_say(p, W_report_rejected);
    case ODP_OUTCOME_KEPT:
        return page_say(p, W_report_kept);
    case ODP_OUTCOME_DRAFT:
        return page_say(p, W_report_draft);
    case ODP_OUTCOME_WITHDRAWN:
        return page_say(p, W_report_withdrawn);
    default:
        return page_say(p, W_report_checked);
    }
}

/* What became of a dataset with faults, where that is not plain. */
static const char *consequence(const struct page *p, const struct odp_summary_dataset *d)
{
    if (d == NULL)
        return "";
    if (d->outcome == ODP_OUTCOME_KEPT)
        return page_say(p, W_report_published_version_kept);
    if (d->outcome == ODP_OUTCOME_REJECTED && p->summary->build)
        return page_say(p, W_report_not_published);
    return "";
}

static uint64_t total(const struct odp_diag_group **groups, size_t n, const char *dataset,
                      enum odp_severity severity, size_t *kinds)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (report_same(groups[i]->dataset, dataset) && groups[i]->severity == severity) {
            count += groups[i]->count;
            *kinds += 1;
        }
    return count;
}

/* Faults of no dataset are the catalogue's, or (V) the site's. */
static const char *heading_name(const struct page *p, const struct odp_diag_group *first)
{
    if (first->dataset != NULL)
        return first->dataset;
    return odp_code_info(first->code)->code[4] == 'V' ? page_say(p, W_report_site)
                                                      : page_say(p, W_report_catalogue);
}

static void dataset_heading(struct page *p, const struct odp_diag_group **groups, size_t n,
                            const struct odp_diag_group *first)
{
    const char *dataset = first->dataset;
    const struct odp_summary_dataset *d = report_dataset(p->summary, dataset);
    size_t kinds = 0, notes = 0;
    uint64_t errors = total(groups, n, dataset, ODP_SEVERITY_ERROR, &kinds);
    uint64_t warnings = total(groups, n, dataset, ODP_SEVERITY_WARNING, &kinds);
    page_paint(p, PAINT_BOLD, page_say(p, W_report_summary));
    page_paint(p, PAINT_BOLD, heading_name(p, first));
    page_text(p, ": ");
    counts(p, errors, warnings);
    if (kinds == 0) {
        page_number(p, total(groups, n, dataset, ODP_SEVERITY_NOTE, &notes));
        page_text(p, page_say(p, W_report_notes));
    } else {
        page_text(p, page_say(p, W_report_of_2));
        page_number(p, kinds);
        page_text(p, kinds == 1 ? page_say(p, W_report_rule) : page_say(p, W_report_rules));
    }
    if (d != NULL && d->rows > 0) {
        page_text(p, ", ");
        page_number(p, d->rows);
        page_text(p, page_say(p, W_report_rows_checked));
    }
    page_text(p, consequence(p, d));
    page_line(p);
}

/* S in at most WIDTH columns. */
static struct odp_slice shorten(struct odp_slice s, size_t width, bool *cut)
{
    *cut = odp_utf8_width(s) > width;
    while (*cut && odp_utf8_width(s) > width - 1) {
        s.len--;
        while (s.len > 0 && ((unsigned char)s.ptr[s.len] & 0xC0) == 0x80)
            s.len--;
    }
    return s;
}

static void short_cell(struct page *p, struct odp_slice s, size_t width)
{
    bool cut;
    s = shorten(s, width, &cut);
    page_slice(p, s);
    page_text(p, cut ? "…" : "");
    page_spaces(p, cut ? 0 : width - odp_utf8_width(s));
}

static void first_place(struct page *p, const struct odp_diag_group *g)
{
    const struct odp_diag *d = g->examples != NULL ? &g->examples->diag : NULL;
    if (d == NULL || d->line == 0)
        return;
    if (g->count > 1)
        page_text(p, page_say(p, W_report_first));
    if (report_counts_records(d->file))
        page_text(p, page_say(p, W_report_record_2));
    else
        page_text(p, page_say(p, W_report_line));
    page_number(p, d->line);
}

/* The field of G; MORE: how many further fields there are. */
static void field_cell(struct page *p, const struct odp_diag_group *g, size_t more)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    bool main_table = g->dataset == NULL || g->resource == NULL || report_same(g->dataset, g->resource);
    if (more > 0) {
        odp_text_number(&text, more + 1, p->lang);
        odp_buffer_add_str(&text, page_say(p, W_report_fields));
    } else {
        report_place(&text, main_table ? NULL : g->resource, NULL, g->field);
    }
    short_cell(p, odp_buffer_slice(&text), FIELD_WIDTH);
    odp_buffer_release(&text);
}

/* "  ODP-T03  bukan bilangan desimal      215   luas_ha            pertama: baris 1832" */
static void group_line(struct page *p, const struct odp_diag_group *g, uint64_t count, size_t more)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    page_text(p, "  ");
    page_paint(p, page_severity_paint(g->severity), odp_code_info(g->code)->code);
    page_text(p, "  ");
    if (more == 0)
        report_group_title(&text, g, p->lang);
    else
        report_bare_title(&text, g->code, p->lang);
    short_cell(p, odp_buffer_slice(&text), TITLE_WIDTH);
    odp_buffer_clear(&text);
    odp_text_number(&text, count, p->lang);
    page_cell_right(p, odp_buffer_slice(&text), 10);
    page_text(p, "   ");
    field_cell(p, g, more);
    page_text(p, " ");
    first_place(p, g);
    page_line(p);
    odp_buffer_release(&text);
}

/* The groups, what is known of them, and how the lines of the summary are shared out. */
struct sharing {
    const struct odp_diag_group **groups;
    struct report_kin *kin;
    size_t n;
    bool merged; /* one line a rule of a dataset */
    size_t most; /* lines of a dataset */
};

/* "  ODP-Q10  dataset terlambat diperbarui            22   dataset" */
static void shared_line(struct page *p, const struct sharing *s, size_t i)
{
    const struct odp_diag_group *g = s->groups[i];
    struct odp_buffer text;
    size_t count = 0;
    bool one = true; /* dataset */
    for (size_t k = i; k < s->n; k++) {
        bool alike =
            s->groups[k]->code == g->code && s->groups[k]->severity == g->severity && s->kin[k].shared;
        count += alike;
        one = one && (!alike || report_same(s->groups[k]->dataset, g->dataset));
    }
    odp_buffer_init(&text);
    page_text(p, "  ");
    page_paint(p, page_severity_paint(g->severity), odp_code_info(g->code)->code);
    page_text(p, "  ");
    report_code_title(&text, (const struct odp_diag_group *const *)s->groups, s->n, g->code, p->lang);
    short_cell(p, odp_buffer_slice(&text), TITLE_WIDTH);
    odp_buffer_clear(&text);
    odp_text_number(&text, count, p->lang);
    page_cell_right(p, odp_buffer_slice(&text), 10);
    page_text(p, "   ");
    page_text(p, one ? g->dataset : page_say(p, W_report_several_datasets));
    page_line(p);
    odp_buffer_release(&text);
}

/* What datasets share stands after what each has of its own. */
static size_t shared_lines(struct page *p, const struct sharing *s, size_t start)
{
    size_t hidden = 0;
    bool any = false;
    for (size_t i = 0; i < s->n; i++) {
        if (!s->kin[i].shared || !s->kin[i].first)
            continue;
        if (p->lines - start >= SUMMARY_LINES) {
            hidden++;
            continue;
        }
        if (!any) {
            page_paint(p, PAINT_BOLD, page_say(p, W_report_summary_shared));
            page_line(p);
        }
        any = true;
        shared_line(p, s, i);
    }
    return hidden;
}

static bool begins_line(const struct sharing *s, size_t k)
{
    return !s->kin[k].shared && (!s->merged || s->kin[k].rule == k);
}

/* Lines of the dataset that is headed at group I. */
static size_t lines_of(const struct sharing *s, size_t i)
{
    size_t lines = 0;
    for (size_t k = i; k < s->n; k++)
        lines += s->kin[k].head == i && begins_line(s, k);
    return lines;
}

/* Lines of all, with the headings. */
static size_t lines_of_all(const struct sharing *s)
{
    size_t lines = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->kin[i].shared) {
            lines += s->kin[i].first;
        } else if (s->kin[i].head == i) {
            size_t own = lines_of(s, i);
            lines += 1 + (own < s->most ? own : s->most);
        }
    }
    return lines;
}

/* The heading of a dataset and its share of lines; returns how many were left out. */
static size_t dataset_lines(struct page *p, const struct sharing *s, size_t i)
{
    size_t done = 0, hidden = 0;
    dataset_heading(p, s->groups, s->n, s->groups[i]);
    for (size_t k = i; k < s->n; k++) {
        uint64_t count = s->groups[k]->count;
        size_t more = 0;
        if (s->kin[k].head != i || !begins_line(s, k))
            continue;
        if (done++ >= s->most) {
            hidden++;
            continue;
        }
        for (size_t m = k + 1; s->merged && m < s->n; m++)
            if (s->kin[m].rule == k && !s->kin[m].shared) {
                count += s->groups[m]->count;
                more++;
            }
        group_line(p, s->groups[k], count, more);
    }
    return hidden;
}

static void closing_line(struct page *p, size_t hidden)
{
    if (hidden == 0)
        return;
    page_text(p, page_say(p, W_report_and_2));
    page_number(p, hidden);
    page_text(p, page_say(p, W_report_more_lines_summary_report_html));
    page_line(p);
}

void page_summary(struct page *p)
{
    struct sharing s = {.most = SIZE_MAX};
    size_t hidden = 0, start = p->lines;
    if (report_sorted(p->diags, &s.groups, &s.n) != ODP_OK ||
        report_kin_of((const struct odp_diag_group *const *)s.groups, s.n, &s.kin) != ODP_OK) {
        p->out->failed = true;
        goto done;
    }
    /* Where not all has room, each rule of a dataset has one line, and each dataset the same share of the
     * lines. */
    s.merged = lines_of_all(&s) > SUMMARY_LINES;
    if (s.merged)
        for (s.most = SUMMARY_LINES; s.most > 0 && lines_of_all(&s) > SUMMARY_LINES;)
            s.most--;
    for (size_t i = 0; i < s.n; i++) {
        if (s.kin[i].shared || s.kin[i].head != i)
            continue;
        hidden += p->lines - start < SUMMARY_LINES ? dataset_lines(p, &s, i) : lines_of(&s, i);
    }
    hidden += shared_lines(p, &s, start);
    closing_line(p, hidden);
    if (s.n > 0)
        page_line(p);
done:
    free(s.kin);
    free(s.groups);
}

static size_t widest_slug(const struct odp_summary *s)
{
    size_t width = 8;
    for (size_t i = 0; i < s->ndatasets; i++) {
        size_t w = odp_utf8_width(odp_slice_of(s->datasets[i].slug));
        width = w > width ? w : width;
    }
    return width < 40 ? width : 40;
}

/* "+12 −3 ~41" of a new version, else what became of the dataset. */
static void add_outcome(const struct page *p, const struct odp_summary_dataset *d, struct odp_buffer *out)
{
    if (d->outcome != ODP_OUTCOME_PUBLISHED || !d->compared) {
        odp_buffer_add_str(out, outcome_word(p, d->outcome));
        return;
    }
    odp_buffer_add_str(out, "+");
    odp_text_number(out, d->added, p->lang);
    odp_buffer_add_str(out, " \u2212");
    odp_text_number(out, d->removed, p->lang);
    odp_buffer_add_str(out, " ~");
    odp_text_number(out, d->changed, p->lang);
}

/* Columns after the slug: version 12, rows 13 right, outcome 12, formats. */
static void table_row(struct page *p, size_t slug, const char *name, const char *version, const char *rows,
                      const char *outcome, enum paint paint, const char *formats)
{
    page_text(p, "  ");
    page_cell(p, odp_slice_of(name), slug + 2);
    page_cell(p, odp_slice_of(version), 12);
    page_cell_right(p, odp_slice_of(rows), 12);
    page_text(p, "   ");
    page_paint(p, paint, outcome);
    size_t used = odp_utf8_width(odp_slice_of(outcome));
    page_spaces(p, used < 12 ? 12 - used : 1);
    page_text(p, formats);
    page_line(p);
}

void page_table(struct page *p)
{
    const struct odp_summary *s = p->summary;
    size_t slug = widest_slug(s), shown = 0;
    if (s->ndatasets == 0)
        return;
    table_row(p, slug, "dataset", page_say(p, W_report_version), page_say(p, W_report_rows),
              page_say(p, W_report_result), PAINT_NONE, page_say(p, W_report_formats));
    for (; shown < s->ndatasets && shown < TABLE_LINES; shown++) {
        const struct odp_summary_dataset *d = &s->datasets[shown];
        struct odp_buffer rows, outcome;
        odp_buffer_init(&rows);
        odp_buffer_init(&outcome);
        odp_text_number(&rows, d->rows, p->lang);
        add_outcome(p, d, &outcome);
        table_row(p, slug, d->slug, d->version != NULL ? d->version : "–", odp_buffer_cstr(&rows),
                  odp_buffer_cstr(&outcome),
                  d->outcome == ODP_OUTCOME_REJECTED ? PAINT_ERROR
                  : d->outcome == ODP_OUTCOME_KEPT   ? PAINT_WARNING
                                                     : PAINT_NONE,
                  d->formats != NULL ? d->formats : "");
        odp_buffer_release(&outcome);
        odp_buffer_release(&rows);
    }
    if (shown < s->ndatasets) {
        page_text(p, page_say(p, W_report_and_2));
        page_number(p, s->ndatasets - shown);
        page_text(p, page_say(p, W_report_more_datasets));
        page_line(p);
    }
}

static void bytes(struct page *p, uint64_t n)
{
    static const char *const units[] = {"byte", "kB", "MB", "GB", "TB"};
    double v = (double)n;
    size_t unit = 0;
    for (; v >= 999.95 && unit + 1 < sizeof units / sizeof *units; unit++)
        v /= 1000;
    report_decimal(p->out, v, unit == 0 ? 0 : 1, p->lang);
    page_text(p, " ");
    page_text(p, units[unit]);
}

/* "0 galat, 2 peringatan   18.412 baris   0,21 s" */
static void totals(struct page *p)
{
    uint64_t errors = odp_diags_count(p->diags, ODP_SEVERITY_ERROR),
             warnings = odp_diags_count(p->diags, ODP_SEVERITY_WARNING);
    page_number(p, errors);
    page_text(p, errors == 1 ? page_say(p, W_report_error) : page_say(p, W_report_errors));
    page_number(p, warnings);
    page_text(p, warnings == 1 ? page_say(p, W_report_warning) : page_say(p, W_report_warnings));
    page_text(p, "   ");
    page_number(p, p->summary->rows);
    page_text(p, page_say(p, W_report_rows_2));
    if (p->summary->seconds > 0) {
        page_text(p, "   ");
        report_decimal(p->out, p->summary->seconds, 2, p->lang);
        page_text(p, " s");
    }
    page_line(p);
}

static bool some_rejected(const struct odp_summary *s)
{
    for (size_t i = 0; i < s->ndatasets; i++)
        if (s->datasets[i].outcome == ODP_OUTCOME_REJECTED)
            return true;
    return false;
}

/* "Dibandingkan dengan situs yang terbit (build/site), odp-build build akan menolak: ODP-V10, ODP-V20" */
static void refusals(struct page *p)
{
    static const enum odp_code refused[] = {ODP_V05, ODP_V10, ODP_V11, ODP_V12,
                                            ODP_V14, ODP_V20, ODP_V21, ODP_V22};
    size_t n = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (odp_diags_code_count(p->diags, refused[i]) == 0)
            continue;
        if (n++ == 0) {
            page_text(p, page_say(p, W_report_compared_with_published_site));
            page_text(p, p->summary->against);
            page_text(p, page_say(p, W_report_build_will_refuse));
        } else {
            page_text(p, ", ");
        }
        page_text(p, odp_code_info(refused[i])->code);
    }
    if (n > 0)
        page_line(p);
}

void page_closing(struct page *p)
{
    const struct odp_summary *s = p->summary;
    bool errors = odp_diags_count(p->diags, ODP_SEVERITY_ERROR) > 0;
    if (s->build && s->site != NULL) {
        page_paint(p, PAINT_BOLD, s->out != NULL ? s->out : "");
        page_text(p, " → ");
        page_text(p, s->site);
        page_text(p, "   ");
        if (s->idle) {
            page_text(p, page_say(p, W_report_nothing_has_changed));
        } else {
            page_number(p, s->site_files);
            page_text(p, page_say(p, W_report_files));
            bytes(p, s->site_bytes);
        }
        if (s->release != NULL) {
            page_text(p, page_say(p, W_report_release));
            page_text(p, s->release);
        }
        page_line(p);
    }
    totals(p);
    if (!s->build && s->against != NULL)
        refusals(p);
    if (s->build && s->site == NULL && errors) {
        page_text(p, page_say(p, W_report_published_site_unchanged));
        if (some_rejected(s)) /* what else can be published without them */
            page_text(p, page_say(p, W_report_mend_try_again_odp_build));
        page_line(p);
    }
}
