/* The contents: headings and their pages as the last setting found them. The first setting knows no headings
 * and takes one page; later ones see how many pages the contents need. A line with sub-entries does not end a
 * page. Leaders are drawn, not written: readers of the text meet no dots. */
#include "words/pdf.h"
#include "write/pdf/pdf_internal.h"

#include <stdlib.h>

enum { ENTRIES_MAX = 500 }; /* maximum number of headings of the third level to list */
enum { TITLE_MOST = 1000 }; /* bytes of an entry's title */

static const struct odp_face types[] = {{10, true, false}, {9.5, false, false}, {8.5, false, false}};

static const double above[] = {7, 1.5, 0}; /* a line of that level */

#define INDENT       16.0
#define HANG         12.0
#define NUMBER_WIDTH 36.0

struct line {
    PangoLayout *title;
    double x, width, height;
    double last_top, last_right; /* the end of the title's last line, within the layout */
    double before;               /* air above it, unless it begins a page */
};

static const char contents_dest[] = "daftar-isi";

static bool is_listed(const struct odp_heading *h, bool entries)
{
    return (h->level < 3 || entries) && strcmp(h->dest, contents_dest) != 0;
}

/* "Keputusan Menteri 17/KPTS/M/1998 — Tata cara bantuan …": the title completes an entry's heading. */
static void line_text(struct odp_buffer *out, const struct odp_print_job *job, const struct odp_heading *h)
{
    int title = job->resource->print.title;
    unsigned long long record = strncmp(h->dest, "rekaman-", 8) == 0 ? strtoull(h->dest + 8, NULL, 10) : 0;
    odp_buffer_add_str(out, h->text);
    if (title < 0 || !job->resource->schema.fields[title].is_public || record < 1 || record > job->rows)
        return;
    struct odp_slice text = job->cells[(record - 1) * job->columns + (unsigned)title];
    if (text.len > 0 && text.len <= TITLE_MOST) {
        odp_buffer_add_str(out, " — ");
        odp_buffer_add_slice(out, text);
    }
}

static int level_of(const struct odp_heading *h)
{
    return h->level > 3 ? 3 : h->level;
}

static void make_line(struct line *l, struct odp_paper *p, const struct odp_print_job *job,
                      const struct odp_heading *h)
{
    PangoRectangle last;
    int level = level_of(h);
    l->x = p->left + (level - 1) * INDENT;
    l->width = p->right - NUMBER_WIDTH - l->x;
    l->before = above[level - 1];
    struct odp_buffer text = {0};
    line_text(&text, job, h);
    l->title =
        odp_fonts_layout(p->fonts, types[level - 1], odp_buffer_slice(&text), l->width, PANGO_ALIGN_LEFT);
    p->failed |= text.failed;
    odp_buffer_release(&text);
    pango_layout_set_indent(l->title, (int)(-HANG * PANGO_SCALE));
    PangoLayoutIter *it = pango_layout_get_iter(l->title);
    while (pango_layout_iter_next_line(it))
        ;
    pango_layout_iter_get_line_extents(it, NULL, &last);
    pango_layout_iter_free(it);
    l->last_top = (double)last.y / PANGO_SCALE;
    l->last_right = (double)(last.x + last.width) / PANGO_SCALE;
    l->height = l->last_top + (double)last.height / PANGO_SCALE;
}

/* Dots from the title's end to the number, on the last line's foot; aligned with those of other lines. */
static void draw_leader(struct odp_paper *p, double from, double to, double y)
{
    static const double dots[] = {0, 4};
    double first = p->right - 4 * (double)(int)((p->right - from) / 4);
    if (first < from)
        first += 4;
    if (first >= to)
        return;
    cairo_save(p->cr);
    odp_paper_ink(p, ODP_INK_SOFT);
    cairo_set_line_width(p->cr, 0.7);
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(p->cr, dots, 2, 0);
    cairo_move_to(p->cr, first, y);
    cairo_line_to(p->cr, to, y);
    cairo_stroke(p->cr);
    cairo_restore(p->cr);
}

static void draw_line(struct odp_paper *p, const struct odp_heading *h, const struct line *l)
{
    int level = level_of(h);
    struct odp_face type = types[level - 1];
    /* The space parts it from the title for those who only read the text. */
    struct odp_slice text = odp_slice_of(odp_arena_printf(p->arena, " %u", h->page));
    double w = odp_fonts_measure(p->fonts, type, text, -1).width;
    odp_paper_tag(p, "TOCI", NULL);
    odp_paper_link_to(p, h->dest);
    if (p->drawing) {
        odp_paper_ink(p, level == 3 ? ODP_INK_SOFT : ODP_INK_TEXT);
        odp_fonts_show(p->cr, l->title, l->x, p->y);
        draw_leader(p, l->x + l->last_right + 5, p->right - w - 1, p->y + l->last_top + type.size * 1.05);
    }
    odp_paper_ink(p, level == 3 ? ODP_INK_SOFT : ODP_INK_TEXT);
    (void)odp_paper_text(p, (struct odp_box){p->right - w - 1, p->y + l->last_top, w + 1, PANGO_ALIGN_RIGHT},
                         type, text);
    odp_paper_untag(p, "Link");
    odp_paper_untag(p, "TOCI");
}

/* Does a line of a lower level follow line I? */
static bool is_followed(const struct odp_paper *p, size_t i, bool entries)
{
    return i + 1 < p->nknown && p->known[i + 1].level > p->known[i].level &&
           is_listed(&p->known[i + 1], entries);
}

/* KEEP: the height of the next line, which must follow on the same page. */
static void set_line(struct odp_paper *p, const struct odp_heading *h, const struct line *l, double keep)
{
    bool fresh = odp_paper_need(p, l->before + l->height + keep);
    p->y += fresh ? 0 : l->before;
    draw_line(p, h, l);
    p->y += l->height + 1.5;
}

void odp_print_contents(struct odp_paper *p, const struct odp_print_job *job)
{
    size_t third = 0;
    odp_paper_heading(p, 1, ODP_PRINT_BOTH(W_pdf_contents), contents_dest, 40);
    for (size_t i = 0; i < p->nknown; i++)
        third += p->known[i].level >= 3;
    odp_paper_tag(p, "TOC", NULL);
    for (size_t i = 0; i < p->nknown && !p->failed; i++) {
        struct line line;
        if (!is_listed(&p->known[i], third <= ENTRIES_MAX))
            continue;
        make_line(&line, p, job, &p->known[i]);
        set_line(p, &p->known[i], &line, is_followed(p, i, third <= ENTRIES_MAX) ? types[1].size * 1.5 : 0);
        g_object_unref(line.title);
    }
    odp_paper_untag(p, "TOC");
}
