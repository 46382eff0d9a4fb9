/* The human report: groups of equal faults with examples, a summary a dataset, the table of datasets, the
 * last word. It stays under 200 lines whatever happens: what is not shown is counted, and the json report has
 * it.
 *
 * What is expected, and what helps, is said once for a run of examples that say the same. With more than
 * MANY blocks each rule of a dataset is shown once ("juga: …" names its other fields), and datasets take
 * turns, so that none hides another. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define GROUP_LINES   100 /* after so many lines no further group is begun */
#define SHARED_LINES  24  /* datasets named of a fault that many share */
#define SHARED_LEAST  8
#define MANY          10 /* blocks: with more each rule of a dataset is shown once */
#define WIDTH_DEFAULT 100
#define WIDTH_MAX     110 /* wider lines do not read better */

/* "galat ODP-T03: bukan bilangan desimal          kumuh.luas_ha" */
static void heading(struct page *p, const struct odp_diag_group *g, const struct odp_diag *d)
{
    struct odp_buffer title, place;
    odp_buffer_init(&title);
    odp_buffer_init(&place);
    odp_buffer_add_str(&title, ": ");
    report_title(&title, d, p->lang);
    report_place(&place, g->dataset, g->resource, g->field);
    const char *word = report_severity_word(g->severity, p->lang), *code = odp_code_info(g->code)->code;
    size_t used = strlen(word) + 1 + strlen(code) + odp_utf8_width(odp_buffer_slice(&title));
    size_t right = odp_utf8_width(odp_buffer_slice(&place));
    page_paint(p, page_severity_paint(g->severity), word);
    page_text(p, " ");
    page_paint(p, page_severity_paint(g->severity), code);
    page_paint(p, PAINT_BOLD, odp_buffer_cstr(&title));
    if (right > 0) {
        page_spaces(p, used + right + 2 <= p->width ? p->width - used - right : 2);
        page_paint(p, PAINT_DIM, odp_buffer_cstr(&place));
    }
    page_line(p);
    if (title.failed || place.failed)
        p->out->failed = true;
    odp_buffer_release(&title);
    odp_buffer_release(&place);
}

static void remark(struct page *p, const char *word)
{
    page_text(p, "  = ");
    page_paint(p, PAINT_BOLD, word);
}

/* "= WORD: NOW", unless it is empty or was said for the example before. */
static void remark_once(struct page *p, const char *word, const struct odp_buffer *now,
                        struct odp_buffer *last)
{
    if (now->len == 0 || odp_slice_eq(odp_buffer_slice(now), odp_buffer_slice(last)))
        return;
    remark(p, word);
    page_slice(p, odp_buffer_slice(now));
    page_line(p);
    odp_buffer_clear(last);
    odp_buffer_add_slice(last, odp_buffer_slice(now));
}

/* "= diharapkan: bilangan, tanda desimal koma   (dataset.json:58)" */
static void expected(struct page *p, const struct odp_diag *d, struct odp_buffer *last)
{
    struct odp_buffer now;
    odp_buffer_init(&now);
    report_expected(&now, d, p->lang);
    if (now.len > 0 && d->where != NULL) {
        odp_buffer_add_str(&now, "   (");
        report_clean(&now, odp_slice_of(d->where));
        odp_buffer_add_char(&now, ')');
    }
    remark_once(p, page_say(p, W_report_expected), &now, last);
    odp_buffer_release(&now);
}

static void help(struct page *p, const struct odp_diag *d, struct odp_buffer *last)
{
    struct odp_buffer now;
    odp_buffer_init(&now);
    odp_report_help(&now, d, p->lang);
    remark_once(p, page_say(p, W_report_help), &now, last);
    odp_buffer_release(&now);
}

/* "= perhatikan: ada spasi tak terputus (U+00A0) setelah ‘Kota’" */
static void odd(struct page *p, const struct odp_diag *d, struct odp_buffer *last)
{
    struct odp_buffer now;
    odp_buffer_init(&now);
    report_odd(&now, "", d, p->lang, "");
    remark_once(p, page_say(p, W_report_look), &now, last);
    odp_buffer_release(&now);
}

static void proposal(struct page *p, const struct odp_diag *d, uint64_t others)
{
    if (!odp_diag_proposes(d))
        return;
    struct odp_buffer text;
    odp_buffer_init(&text);
    report_proposal(&text, d, p->lang);
    remark(p, page_say(p, W_report_proposal));
    page_paint(p, PAINT_HELP, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    if (others > 0) {
        bool cells = d->action == ODP_ACTION_REPLACE;
        page_text(p, "   (");
        page_number(p, others);
        page_text(p, cells         ? others == 1 ? page_say(p, W_report_other_cell_with_same_fault)
                                                 : page_say(p, W_report_other_cells_with_same_fault)
                             : others == 1 ? page_say(p, W_report_other_with_same_fault)
                                   : page_say(p, W_report_others_with_same_fault));
    }
    page_line(p);
}

/* Examples of one group may have other arguments in their titles: then each says its own. */
static void own_title(struct page *p, const struct odp_diag *d, const struct odp_diag *first)
{
    struct odp_buffer mine, its;
    odp_buffer_init(&mine);
    odp_buffer_init(&its);
    report_title(&mine, d, p->lang);
    report_title(&its, first, p->lang);
    if (!odp_slice_eq(odp_buffer_slice(&mine), odp_buffer_slice(&its))) {
        page_text(p, "  ");
        page_paint(p, PAINT_BOLD, odp_buffer_cstr(&mine));
        page_line(p);
    }
    if (mine.failed || its.failed)
        p->out->failed = true;
    odp_buffer_release(&mine);
    odp_buffer_release(&its);
}

/* "= juga: kecamatan (5), nomor_sk (7)": the other fields of the dataset in which the rule is broken. */
static void also(struct page *p, const struct odp_diag_group *const *groups, size_t n,
                 const struct odp_diag_group *g)
{
    struct odp_buffer text;
    size_t named = 0, left = 0, used = 0;
    odp_buffer_init(&text);
    for (size_t i = 0; i < n; i++) {
        if (groups[i] == g || !report_same_rule(g, groups[i]))
            continue;
        odp_buffer_clear(&text);
        bool main_table = g->resource == NULL || groups[i]->resource == NULL ||
                          strcmp(g->resource, groups[i]->resource) == 0;
        report_place(&text, main_table ? NULL : groups[i]->resource, NULL, groups[i]->field);
        odp_buffer_add_str(&text, text.len == 0 ? "–" : "");
        odp_buffer_add_str(&text, " (");
        odp_text_number(&text, groups[i]->count, p->lang);
        odp_buffer_add_str(&text, ")");
        size_t width = odp_utf8_width(odp_buffer_slice(&text)) + 2;
        if (left > 0 || used + width + 30 > p->width) {
            left++;
            continue;
        }
        if (named++ == 0)
            remark(p, page_say(p, W_report_also));
        else
            page_text(p, ", ");
        page_slice(p, odp_buffer_slice(&text));
        used += width;
    }
    if (left > 0) {
        page_text(p, page_say(p, W_report_and));
        page_number(p, left);
        page_text(p, left == 1 ? page_say(p, W_report_more_field) : page_say(p, W_report_more_fields));
    }
    if (named > 0)
        page_line(p);
    if (text.failed)
        p->out->failed = true;
    odp_buffer_release(&text);
}

/* GROUPS: others that may say the same of other fields; NULL: they speak for themselves. */
static void group(struct page *p, const struct odp_diag_group *g, unsigned examples,
                  const struct odp_diag_group *const *groups, size_t n)
{
    struct odp_buffer last_odd, last_expected, last_help;
    struct odp_diag bare = {.code = g->code, .severity = g->severity, .field = g->field};
    const struct odp_diag *first = g->examples != NULL ? &g->examples->diag : &bare;
    size_t gutter = report_gutter(g, examples);
    uint64_t shown = 0;
    odp_buffer_init(&last_odd);
    odp_buffer_init(&last_expected);
    odp_buffer_init(&last_help);
    heading(p, g, first);
    for (const struct odp_diag_node *e = g->examples; e != NULL && shown < examples; e = e->next) {
        shown++;
        own_title(p, &e->diag, first);
        page_snippet(p, &e->diag, gutter, page_severity_paint(g->severity));
        odd(p, &e->diag, &last_odd);
        expected(p, &e->diag, &last_expected);
        proposal(p, &e->diag, shown == 1 ? g->count - 1 : 0);
        help(p, &e->diag, &last_help);
    }
    if (g->count > shown) {
        page_text(p, page_say(p, W_report_and_2));
        page_number(p, g->count - shown);
        page_text(p, page_say(p, W_report_more));
        page_line(p);
    }
    if (groups != NULL)
        also(p, groups, n, g);
    remark(p, page_say(p, W_report_explain));
    page_text(p, "odp-build explain ");
    page_text(p, odp_code_info(g->code)->code);
    page_line(p);
    page_line(p);
    if (last_odd.failed || last_expected.failed || last_help.failed)
        p->out->failed = true;
    odp_buffer_release(&last_odd);
    odp_buffer_release(&last_expected);
    odp_buffer_release(&last_help);
}

/* A name a line, and on it what is said of this dataset alone. */
static void shared_line(struct page *p, const struct odp_diag_group *g, bool own, size_t width)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    report_place(&text, g->dataset, g->resource, g->field);
    page_text(p, "  • ");
    page_cell(p, odp_buffer_slice(&text), width + 2);
    odp_buffer_clear(&text);
    if (own)
        report_title(&text, &g->examples->diag, p->lang);
    else if (g->examples->diag.file != NULL)
        report_clean(&text, odp_slice_of(g->examples->diag.file));
    page_slice(p, odp_buffer_slice(&text));
    page_line(p);
    if (text.failed)
        p->out->failed = true;
    odp_buffer_release(&text);
}

struct shared {
    size_t n, width; /* groups; columns of the widest name that is shown */
    bool own;        /* their titles differ */
    bool expected;   /* what is expected does not */
    size_t datasets, tables;
};

static bool same_expected(struct page *p, const struct odp_diag *a, const struct odp_diag *b)
{
    struct odp_buffer x, y;
    odp_buffer_init(&x);
    odp_buffer_init(&y);
    report_expected(&x, a, p->lang);
    report_expected(&y, b, p->lang);
    bool same = odp_slice_eq(odp_buffer_slice(&x), odp_buffer_slice(&y));
    if (x.failed || y.failed)
        p->out->failed = true;
    odp_buffer_release(&x);
    odp_buffer_release(&y);
    return same;
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Group K may be the first of its dataset, or of its table, of those that are like group I. */
static void count_place(const struct odp_diag_group *const *groups, size_t n, size_t i, size_t k,
                        struct shared *s)
{
    bool dataset = true, table = true;
    for (size_t m = i; m < k; m++)
        if (report_is_like(groups, n, i, m) && same_name(groups[m]->dataset, groups[k]->dataset)) {
            dataset = false;
            table = table && !same_name(groups[m]->resource, groups[k]->resource);
        }
    s->datasets += dataset;
    s->tables += table;
}

/* "34 bidang", "34 bidang dalam 3 dataset", "22 dataset": what it is that so many of have a fault. */
static void say_things(struct page *p, const struct shared *s, const struct odp_diag_group *g)
{
    page_number(p, s->n);
    if (s->n == s->datasets)
        page_text(p, page_say(p, W_report_datasets));
    else if (s->n == s->tables)
        page_text(p, page_say(p, W_report_tables));
    else if (g->field != NULL)
        page_text(p, page_say(p, W_report_fields));
    else
        page_text(p, page_say(p, W_report_findings));
    if (s->n == s->datasets || s->datasets == 1)
        return;
    page_text(p, page_say(p, W_report_in));
    page_number(p, s->datasets);
    page_text(p, page_say(p, W_report_datasets));
}

static struct shared look_at_shared(struct page *p, const struct odp_diag_group *const *groups, size_t n,
                                    size_t i)
{
    struct shared s = {.expected = true};
    struct odp_buffer first, other;
    odp_buffer_init(&first);
    odp_buffer_init(&other);
    report_title(&first, &groups[i]->examples->diag, p->lang);
    for (size_t k = i; k < n; k++) {
        if (!report_is_like(groups, n, i, k))
            continue;
        odp_buffer_clear(&other);
        report_title(&other, &groups[k]->examples->diag, p->lang);
        s.own = s.own || !odp_slice_eq(odp_buffer_slice(&first), odp_buffer_slice(&other));
        count_place(groups, n, i, k, &s);
        s.expected = s.expected && same_expected(p, &groups[i]->examples->diag, &groups[k]->examples->diag);
        odp_buffer_clear(&other);
        report_place(&other, groups[k]->dataset, groups[k]->resource, groups[k]->field);
        size_t width = odp_utf8_width(odp_buffer_slice(&other));
        s.width = s.n++ < SHARED_LINES && width > s.width ? width : s.width;
    }
    if (first.failed || other.failed)
        p->out->failed = true;
    odp_buffer_release(&first);
    odp_buffer_release(&other);
    return s;
}

/* "peringatan ODP-Q10: dataset terlambat diperbarui    22 dataset", the datasets, what is expected and what
 * helps. */
static void shared_groups(struct page *p, const struct odp_diag_group *const *groups, size_t n, size_t i)
{
    const struct odp_diag_group *g = groups[i];
    const struct odp_diag *d = &g->examples->diag;
    struct shared s = look_at_shared(p, groups, n, i);
    struct odp_buffer last_expected, last_help;
    size_t shown = 0;
    odp_buffer_init(&last_expected);
    odp_buffer_init(&last_help);
    page_paint(p, page_severity_paint(g->severity), report_severity_word(g->severity, p->lang));
    page_text(p, " ");
    page_paint(p, page_severity_paint(g->severity), odp_code_info(g->code)->code);
    page_text(p, ": ");
    if (s.own)
        report_code_title(p->out, groups, n, g->code, p->lang);
    else
        report_title(p->out, d, p->lang);
    page_text(p, "   (");
    say_things(p, &s, g);
    page_text(p, ")");
    page_line(p);
    size_t room = p->lines + SHARED_LEAST < GROUP_LINES ? GROUP_LINES - p->lines : SHARED_LEAST;
    room = room < SHARED_LINES ? room : SHARED_LINES;
    for (size_t k = i; k < n && shown < room; k++)
        if (report_is_like(groups, n, i, k)) {
            shared_line(p, groups[k], s.own, s.width);
            shown++;
        }
    if (s.n > shown) {
        page_text(p, page_say(p, W_report_and_2));
        page_number(p, s.n - shown);
        page_text(p, page_say(p, W_report_more));
        page_line(p);
    }
    if (s.expected)
        expected(p, d, &last_expected);
    help(p, d, &last_help);
    remark(p, page_say(p, W_report_explain));
    page_text(p, "odp-build explain ");
    page_text(p, odp_code_info(g->code)->code);
    page_line(p);
    page_line(p);
    if (last_expected.failed || last_help.failed)
        p->out->failed = true;
    odp_buffer_release(&last_expected);
    odp_buffer_release(&last_help);
}

static void block(struct page *p, const struct odp_diag_group *const *groups, size_t n,
                  const struct odp_diag_group *g, unsigned examples, bool merged)
{
    size_t i = 0;
    bool first;
    while (groups[i] != g)
        i++;
    if (report_is_shared(groups, n, i, &first))
        shared_groups(p, groups, n, i);
    else
        group(p, g, examples, merged ? groups : NULL, n);
}

size_t page_groups(struct page *p)
{
    const struct odp_diag_group **groups = NULL, **leading;
    size_t n = 0, i = 0, blocks = 0;
    if (report_sorted(p->diags, &groups, &n) != ODP_OK ||
        (leading = calloc(n + 1, sizeof *leading)) == NULL) {
        p->out->failed = true;
        free(groups);
        return 0;
    }
    const struct odp_diag_group *const *all = (const struct odp_diag_group *const *)groups;
    /* Many kinds of faults: rather one example of each than many of the first, each rule of a dataset once,
     * and no dataset hidden by another. */
    blocks = report_leaders(all, n, false, leading);
    bool many = blocks > MANY;
    if (many) {
        blocks = report_leaders(all, n, true, leading);
        if (report_take_turns(leading, blocks) != ODP_OK)
            p->out->failed = true;
    }
    unsigned examples = blocks <= 5 ? p->examples : blocks <= 10 && p->examples > 2 ? 2 : 1;
    for (; i < blocks && p->lines < GROUP_LINES; i++)
        block(p, all, n, leading[i], examples, many);
    free(leading);
    free(groups);
    if (i < blocks) {
        page_text(p, page_say(p, W_report_and_3));
        page_number(p, blocks - i);
        page_text(p, page_say(p, W_report_more_kinds_faults_see_summary));
        page_line(p);
        page_line(p);
    }
    return blocks - i;
}

static enum odp_status render_human(const struct odp_diags *d, const struct odp_summary *s,
                                    const struct odp_report_style *style, struct odp_buffer *out)
{
    size_t width = style->width != 0 ? style->width : WIDTH_DEFAULT;
    struct page p = {.out = out,
                     .diags = d,
                     .summary = s,
                     .lang = style->lang,
                     .color = style->color,
                     .quiet = style->quiet,
                     .width = width > WIDTH_MAX ? WIDTH_MAX : width,
                     .examples = style->examples != 0 ? style->examples : 3};
    page_groups(&p);
    page_summary(&p);
    if (!p.quiet) {
        page_table(&p);
        page_closing(&p);
    }
    return odp_buffer_status(out);
}

const struct odp_report report_human = {
    .name = "human", .summary = {{W_report_for_people}}, .render = render_human};
