/* The human report: groups of equal faults with examples, a summary a dataset, the table of datasets, the last word.
 * It stays under 200 lines whatever happens: what is not shown is counted, and the json report has it. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/parts.h"

#define GROUP_LINES   100 /* after so many lines no further group is begun */
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
static void remark_once(struct page *p, const char *word, const struct odp_buffer *now, struct odp_buffer *last)
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
        odp_buffer_add_str(&now, d->where);
        odp_buffer_add_char(&now, ')');
    }
    remark_once(p, page_say(p, "diharapkan: ", "expected: "), &now, last);
    odp_buffer_release(&now);
}

static void help(struct page *p, const struct odp_diag *d, struct odp_buffer *last)
{
    struct odp_buffer now;
    odp_buffer_init(&now);
    odp_report_help(&now, d, p->lang);
    remark_once(p, page_say(p, "bantuan: ", "help: "), &now, last);
    odp_buffer_release(&now);
}

static void proposal(struct page *p, const struct odp_diag *d, uint64_t others)
{
    if (d->proposal.ptr == NULL)
        return;
    struct odp_buffer text;
    odp_buffer_init(&text);
    report_clean(&text, d->proposal, NULL, NULL);
    remark(p, page_say(p, "usul: ", "proposal: "));
    page_paint(p, PAINT_HELP, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    if (others > 0) {
        page_text(p, "   (");
        page_number(p, others);
        page_text(p, page_say(p, " sel lain dengan kesalahan yang sama)",
                              others == 1 ? " other cell with the same fault)" : " other cells with the same fault)"));
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

static void group(struct page *p, const struct odp_diag_group *g, unsigned examples)
{
    struct odp_buffer last_expected, last_help;
    struct odp_diag bare = {.code = g->code, .severity = g->severity, .field = g->field};
    const struct odp_diag *first = g->examples != NULL ? &g->examples->diag : &bare;
    size_t gutter = report_gutter(g, examples);
    uint64_t shown = 0;
    odp_buffer_init(&last_expected);
    odp_buffer_init(&last_help);
    heading(p, g, first);
    for (const struct odp_diag_node *e = g->examples; e != NULL && shown < examples; e = e->next) {
        shown++;
        own_title(p, &e->diag, first);
        page_snippet(p, &e->diag, gutter, page_severity_paint(g->severity));
        expected(p, &e->diag, &last_expected);
        proposal(p, &e->diag, shown == 1 ? g->count - 1 : 0);
        help(p, &e->diag, &last_help);
    }
    if (g->count > shown) {
        page_text(p, page_say(p, "  … dan ", "  … and "));
        page_number(p, g->count - shown);
        page_text(p, page_say(p, " lagi", " more"));
        page_line(p);
    }
    remark(p, page_say(p, "jelaskan: ", "explain: "));
    page_text(p, "odp-build explain ");
    page_text(p, odp_code_info(g->code)->code);
    page_line(p);
    page_line(p);
    if (last_expected.failed || last_help.failed)
        p->out->failed = true;
    odp_buffer_release(&last_expected);
    odp_buffer_release(&last_help);
}

size_t page_groups(struct page *p)
{
    const struct odp_diag_group **groups = NULL;
    size_t n = 0, i = 0;
    if (report_sorted(p->diags, &groups, &n) != ODP_OK) {
        p->out->failed = true;
        return 0;
    }
    /* Many kinds of faults: rather one example of each than many of the first. */
    unsigned examples = n <= 5 ? p->examples : n <= 10 && p->examples > 2 ? 2 : 1;
    for (; i < n && p->lines < GROUP_LINES; i++)
        group(p, groups[i], examples);
    free(groups);
    if (i < n) {
        page_text(p, page_say(p, "… dan ", "… and "));
        page_number(p, n - i);
        page_text(p, page_say(p, " jenis kesalahan lagi: lihat ringkasan, atau --report json",
                              " more kinds of faults: see the summary, or --report json"));
        page_line(p);
        page_line(p);
    }
    return n - i;
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

const struct odp_report report_human = {.name = "human", .summary = {{"untuk orang", "for people"}}, .render = render_human};
