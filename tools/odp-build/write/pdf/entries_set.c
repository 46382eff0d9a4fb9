/* Setting records as entries. See entries_internal.h.
 *
 *   ----------------------------------------------------------------  rule, but above the first of a group or
 * a page Keputusan Menteri 17/KPTS/M/1998                      ( Berlaku )  heading (H3, bookmark), status
 *   Tata cara bantuan stimulan perumahan swadaya                       title
 *   ID regulasi    REG-0001            Tahun          1998             narrow facts
 *   Tautan         https://jdih.example.go.id/dokumen/REG-0001         wide ones */
#include "write/pdf/entries_internal.h"

#include "write/typesetting/paper.h"
#include "words/pdf.h"

enum {
    FINE_MAX = 1000
}; /* entries whose facts have tags of their own: 300,000 tags would take more time than all else */

#define HEADING_ABOVE 12.0 /* by odp_paper_heading, level 3 */
#define ENTRY_BELOW   4.0
#define ASCENT        1.069 /* of the font, for one point */
#define WHOLE_MOST    0.8   /* of a page: what is higher is not kept together */

/* A tag of the finer structure: label, value, item. Where entries are many, an entry is a heading and one
 * paragraph, whose text between links is in Spans (text drawn in an element next to its children belongs to
 * no element). */
static void tag(struct odp_print_entries *e, struct odp_paper *p, const char *type)
{
    if (e->fine)
        odp_paper_tag(p, type, NULL);
}

static void untag(struct odp_print_entries *e, struct odp_paper *p, const char *type)
{
    if (e->fine)
        odp_paper_untag(p, type);
}

static void span(struct odp_print_entries *e, struct odp_paper *p, bool open)
{
    if (e->fine || e->span == open)
        return;
    if (open)
        odp_paper_tag(p, "Span", NULL);
    else
        odp_paper_untag(p, "Span");
    e->span = open;
}

/* Separates a text from the next one in the same element. */
static void part(struct odp_print_entries *e, struct odp_paper *p, double x)
{
    if (!e->fine && p->drawing)
        odp_fonts_show(p->cr, e->space, x, p->y);
}

/* ---- facts ---- */

/* The page of the record that F refers to, as far as it is known. */
static unsigned page_of(const struct odp_print_entries *e, const struct odp_paper *p, int64_t target)
{
    size_t at = target >= 0 ? e->listed[target] : 0;
    return at > 0 && at <= p->nknown && p->known[at - 1].level >= 3 ? p->known[at - 1].page : 0;
}

static void draw_text(struct odp_paper *p, struct odp_box at, struct odp_face face, enum odp_ink ink,
                      struct odp_slice text)
{
    odp_paper_ink(p, ink);
    (void)odp_paper_text(p, at, face, text);
}

static double draw_fact_text(struct odp_print_entries *e, struct odp_paper *p, double x, double width,
                             enum odp_ink ink, struct odp_slice text)
{
    odp_paper_ink(p, ink);
    return odp_table_text_set(&e->value, text, odp_box(x, p->y, width), p->cr);
}

static void draw_label(struct odp_print_entries *e, struct odp_paper *p, const struct odp_fact *f, double x)
{
    double baseline = (odp_fact_type.size - odp_fact_label_type.size) * ASCENT; /* both are on one line */
    tag(e, p, "Lbl");
    if (p->drawing) {
        odp_paper_ink(p, ODP_INK_SOFT);
        odp_fonts_show(p->cr, f->label, x, p->y + baseline);
    }
    part(e, p, x + e->label_width);
    untag(e, p, "Lbl");
}

/* A link to an address or to another record. */
static void draw_link(struct odp_print_entries *e, struct odp_paper *p, const struct odp_fact *f,
                      uint32_t row, double x, double width)
{
    int64_t target = f->kind == ODP_FACT_REFERENCE ? odp_fact_target(e, f, row) : -1;
    const char *address = odp_fact_address(e, f, row);
    char dest[40];
    span(e, p, false);
    if (f->kind == ODP_FACT_REFERENCE) {
        (void)snprintf(dest, sizeof dest, "rekaman-%lld", (long long)target + 1);
        odp_paper_link_to(p, dest);
    } else {
        odp_paper_link(p, address);
    }
    if (!e->fine) /* the label in it, too, spares an element */
        draw_label(e, p, f, p->left);
    double h =
        draw_fact_text(e, p, x, width, ODP_INK_ACCENT, odp_fact_text(e, f, row, page_of(e, p, target)));
    if (f->kind == ODP_FACT_DOCUMENT) /* below the file's name the address under which it is published */
        draw_text(p, odp_box(x, p->y + h, width), odp_fact_address_type, ODP_INK_SOFT, odp_slice_of(address));
    odp_paper_untag(p, "Link");
}

static bool is_link(const struct odp_print_entries *e, const struct odp_fact *f, uint32_t row)
{
    struct odp_slice value = odp_entry_cell(e, row, f->at);
    if (f->kind == ODP_FACT_REFERENCE)
        return odp_fact_target(e, f, row) >= 0;
    if (f->kind == ODP_FACT_URI)
        return odp_paper_is_address(value);
    return f->kind == ODP_FACT_DOCUMENT && value.ptr != NULL;
}

static void draw_value(struct odp_print_entries *e, struct odp_paper *p, const struct odp_fact *f,
                       uint32_t row, double x, double width)
{
    struct odp_slice text = odp_fact_text(e, f, row, 0);
    bool null = text.ptr == NULL;
    if (is_link(e, f, row))
        draw_link(e, p, f, row, x, width);
    else
        (void)draw_fact_text(e, p, x, width, null ? ODP_INK_SOFT : ODP_INK_TEXT, null ? ODP_LIT("–") : text);
}

/* A value that is higher than a page. */
static void flow_fact(struct odp_print_entries *e, struct odp_paper *p, const struct odp_fact *f,
                      uint32_t row)
{
    double x = p->left + e->label_width + ODP_FACT_GAP;
    size_t at = 0;
    (void)odp_paper_need(p, 4 * e->value.line_height);
    tag(e, p, "LI");
    draw_label(e, p, f, p->left);
    tag(e, p, "LBody");
    struct odp_slice text = odp_table_text_clean(&e->value, odp_fact_text(e, f, row, 0));
    while (at <= text.len && !p->failed) {
        odp_paper_tag(p, "Span", NULL);
        odp_paper_ink(p, ODP_INK_TEXT);
        p->y += odp_table_text_lines(&e->value, text, odp_box(x, p->y, p->right - x),
                                     p->drawing ? p->cr : NULL, &at, p->bottom - p->y);
        odp_paper_untag(p, "Span");
        if (at <= text.len)
            odp_paper_page(p, p->landscape);
    }
    untag(e, p, "LBody");
    untag(e, p, "LI");
    p->y += ODP_FACT_BELOW;
}

/* Sets the line that begins with fact I. Returns its number of facts. */
static size_t set_line(struct odp_print_entries *e, struct odp_paper *p, size_t i, uint32_t row)
{
    size_t n;
    double h = odp_fact_line(e, i, row, &n);
    if (h <= 0)
        return n;
    if (h > p->bottom - p->top) {
        for (size_t k = i; k < i + n; k++)
            flow_fact(e, p, &e->facts[k], row);
        return n;
    }
    (void)odp_paper_need(p, h);
    for (size_t k = 0; k < n && p->drawing; k++) {
        const struct odp_fact *f = &e->facts[i + k];
        double x = p->left + (double)k * (e->half + ODP_FACT_GUTTER);
        double value_x = x + e->label_width + ODP_FACT_GAP;
        tag(e, p, "LI");
        if (e->fine || !is_link(e, f, row)) {
            span(e, p, true);
            draw_label(e, p, f, x);
        }
        tag(e, p, "LBody");
        draw_value(e, p, f, row, value_x, f->wide ? p->right - value_x : x + e->half - value_x);
        if (e->span)
            part(e, p, p->right);
        untag(e, p, "LBody");
        untag(e, p, "LI");
    }
    p->y += h;
    return n;
}

/* ---- heading, status, title ---- */

static void outline(cairo_t *cr, double x, double y, double w, double h)
{
    double r = h < 16 ? h / 2 : 8, quarter = 1.5707963267948966;
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + w - r, y + r, r, -quarter, 0);
    cairo_arc(cr, x + w - r, y + h - r, r, 0, quarter);
    cairo_arc(cr, x + r, y + h - r, r, quarter, 2 * quarter);
    cairo_arc(cr, x + r, y + r, r, 2 * quarter, 3 * quarter);
    cairo_close_path(cr);
}

/* The status at the right of the heading, whose lines are H high and end at p->y. */
static void draw_status(struct odp_print_entries *e, struct odp_paper *p, uint32_t row, double h)
{
    double width = (double)e->sizes[row].badge_width, height = (double)e->sizes[row].badge_height;
    double x = p->right - width, y = p->y - h;
    if (width <= 0 || !p->drawing)
        return;
    span(e, p, true);
    tag(e, p, "P");
    odp_paper_ink(p, ODP_INK_TEXT);
    cairo_set_line_width(p->cr, 0.8);
    outline(p->cr, x, y, width, height);
    cairo_stroke(p->cr);
    draw_text(p, odp_box(x + ODP_BADGE_PAD, y + 1.5, width - 2 * ODP_BADGE_PAD + 0.5), odp_entry_badge_type,
              ODP_INK_TEXT, odp_entry_status(e, row));
    part(e, p, p->right);
    untag(e, p, "P");
}

/* Like odp_paper_heading, without a bookmark. */
static void plain_heading(struct odp_paper *p, bool lone, const char *name, const char *dest)
{
    if (!odp_paper_is_fresh(p))
        p->y += HEADING_ABOVE;
    odp_paper_dest(p, dest);
    odp_paper_ink(p, ODP_INK_TEXT);
    odp_paper_flow(p, lone ? "H2" : "H3", 0, odp_type_h3, odp_slice_of(name), ODP_HEADING_BELOW);
}

/* FIRST: no rule above it. The page is turned here, before the edge is moved in for the status: a new page
 * has new edges. */
static void set_heading(struct odp_print_entries *e, struct odp_paper *p, uint32_t row, bool first,
                        double keep)
{
    const struct odp_entry_size *size = &e->sizes[row];
    double from = p->y, h = (double)size->heading;
    bool fresh = odp_paper_is_fresh(p) || odp_paper_need(p, HEADING_ABOVE + h + keep);
    double right = p->right;
    char dest[24];
    bool lone = e->groups[0].text == NULL;
    (void)snprintf(dest, sizeof dest, "rekaman-%lu", (unsigned long)row + 1);
    if (size->badge_width > 0)
        p->right -= (double)size->badge_width + ODP_BADGE_GAP;
    if (e->bookmarks) {
        odp_paper_heading(p, lone ? ODP_HEADING_LONE : 3, e->names[row], dest, 0);
        e->listed[row] = p->nheadings;
    } else {
        plain_heading(p, lone, e->names[row], dest);
    }
    p->right = right;
    if (!first && !fresh)
        odp_paper_rule(p, from + 3);
}

static void set_title(struct odp_print_entries *e, struct odp_paper *p, uint32_t row)
{
    struct odp_slice text = odp_entry_title(e, row);
    double h = (double)e->sizes[row].title;
    if (text.len == 0)
        return;
    if (p->y + h > p->bottom) { /* only one of nearly a page is not kept with its heading */
        odp_paper_ink(p, ODP_INK_TEXT);
        odp_paper_flow(p, "P", 0, odp_entry_title_type, text, ODP_TITLE_BELOW);
        return;
    }
    span(e, p, true);
    tag(e, p, "P");
    if (p->drawing)
        draw_text(p, odp_box(p->left, p->y, e->width), odp_entry_title_type, ODP_INK_TEXT, text);
    part(e, p, p->right);
    untag(e, p, "P");
    p->y += h + ODP_TITLE_BELOW;
}

/* ---- entries ---- */

/* How much higher the status is than the heading. */
static double overhang(const struct odp_print_entries *e, uint32_t row)
{
    double more = (double)e->sizes[row].badge_height - (double)e->sizes[row].heading;
    return more > 0 ? more : 0;
}

/* Is the entry kept on one page? */
static bool is_whole(const struct odp_print_entries *e, const struct odp_paper *p, uint32_t row)
{
    return (double)e->sizes[row].body <= (p->bottom - p->top) * WHOLE_MOST;
}

/* The height that must share the heading's page: all, or the beginning of an entry longer than a page. */
static double keep_of(const struct odp_print_entries *e, const struct odp_paper *p, uint32_t row)
{
    double page = (p->bottom - p->top) * WHOLE_MOST,
           begin = (double)e->sizes[row].title + 4 * e->value.line_height;
    double keep = is_whole(e, p, row) ? (double)e->sizes[row].body : begin < page ? begin : page;
    return keep + overhang(e, row);
}

static void set_entry(struct odp_print_entries *e, struct odp_paper *p, uint32_t row, bool first)
{
    e->fine = e->n <= FINE_MAX || !is_whole(e, p, row);
    tag(e, p, "Sect");
    set_heading(e, p, row, first, keep_of(e, p, row));
    if (!e->fine)
        odp_paper_tag(p, "P", NULL);
    draw_status(e, p, row, (double)e->sizes[row].heading);
    p->y += overhang(e, row);
    set_title(e, p, row);
    tag(e, p, "L");
    for (size_t i = 0; i < e->nfacts;)
        i += set_line(e, p, i, row);
    untag(e, p, "L");
    span(e, p, false);
    if (!e->fine)
        odp_paper_untag(p, "P");
    untag(e, p, "Sect");
    p->y += ENTRY_BELOW;
}

static void set_group(struct odp_print_entries *e, struct odp_paper *p, const struct odp_entry_group *g)
{
    double page = (p->bottom - p->top) * WHOLE_MOST;
    odp_paper_tag(p, "Sect", NULL);
    if (g->text != NULL) {
        uint32_t row = e->order[g->first];
        double keep = keep_of(e, p, row) + HEADING_ABOVE + (double)e->sizes[row].heading;
        odp_paper_heading(p, 2, g->text, g->dest, keep < page ? keep : page);
    }
    for (uint32_t i = 0; i < g->n && !p->failed; i++)
        set_entry(e, p, e->order[g->first + i], i == 0);
    odp_paper_untag(p, "Sect");
}

void odp_print_entries_set(struct odp_print_entries *e, struct odp_paper *p)
{
    if (!e->measured)
        odp_facts_measure(e, p->right - p->left);
    if (e->n == 0)
        odp_paper_paragraph(p, "P", odp_type_body, ODP_INK_SOFT, ODP_LIT(ODP_PRINT_BOTH(W_pdf_no_records)),
                            0);
    for (size_t i = 0; i < e->ngroups && !p->failed && e->n > 0; i++)
        set_group(e, p, &e->groups[i]);
    p->failed |= e->text.failed || e->more.failed || e->value.clean.failed;
}
