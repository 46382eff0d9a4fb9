/* Drawing layouts. Not by pango_cairo_show_layout, for what it puts into a PDF beside the glyphs: a character without a glyph
 * of its own (the space at which a line was broken, a zero-width mark) becomes an empty marked span, at which some readers of
 * the structure lose the rest of a paragraph; and one that no font has becomes a box with its code in digits, which stand in
 * the text instead of the character. Here the former are left out, and the latter are the font's glyph for missing characters,
 * with the right text behind it. */
#include "write/typesetting/fonts.h"

static bool is_sound(const PangoGlyphString *g)
{
    for (int i = 0; i < g->num_glyphs; i++)
        if (g->glyphs[i].glyph == PANGO_GLYPH_EMPTY || (g->glyphs[i].glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0)
            return false;
    return true;
}

static void show_item(cairo_t *cr, const char *text, PangoGlyphItem *item, double x, double y)
{
    cairo_move_to(cr, x, y);
    pango_cairo_show_glyph_item(cr, text, item);
}

/* Bytes START to END of the text, which are whole clusters of ITEM. */
static void show_part(cairo_t *cr, const char *text, const PangoGlyphItem *item, int start, int end, double x, double y)
{
    PangoGlyphItem *part = pango_glyph_item_copy((PangoGlyphItem *)item), *front;
    if (part != NULL && start > part->item->offset) {
        front = pango_glyph_item_split(part, text, start - part->item->offset);
        pango_glyph_item_free(front);
    }
    if (part != NULL && end < part->item->offset + part->item->length) {
        front = pango_glyph_item_split(part, text, end - part->item->offset);
        pango_glyph_item_free(part);
        part = front;
    }
    if (part != NULL)
        show_item(cr, text, part, x, y);
    pango_glyph_item_free(part);
}

/* Where glyph K of G begins, in points from the left of the first. */
static double glyph_x(const PangoGlyphString *g, int k)
{
    int64_t x = 0; /* a word without end, in a title's size, is wider than an int holds */
    for (int i = 0; i < k; i++)
        x += g->glyphs[i].geometry.width;
    return (double)x / PANGO_SCALE;
}

/* The glyph of a space, or 0. */
static PangoGlyph space_of(PangoFont *font)
{
    hb_codepoint_t glyph = 0;
    return hb_font_get_nominal_glyph(pango_font_get_hb_font(font), ' ', &glyph) ? glyph : 0;
}

static void mend_glyphs(const char *text, PangoGlyphItem *item)
{
    PangoGlyphString *g = item->glyphs;
    for (int k = 0; k < g->num_glyphs; k++) {
        PangoGlyph *glyph = &g->glyphs[k].glyph, space;
        if (*glyph == PANGO_GLYPH_EMPTY && text[item->item->offset + g->log_clusters[k]] == ' ' &&
            (space = space_of(item->item->analysis.font)) != 0)
            *glyph = space;
    }
}

/* The font's glyph for missing characters, made as wide as what pango has left room for: a gap would be taken for a space. */
static void show_missing(cairo_t *cr, const char *text, PangoGlyphItem *item, const PangoGlyphItemIter *i, int low, double x,
                         double y)
{
    PangoGlyphInfo *g = &item->glyphs->glyphs[low];
    double own = hb_font_get_glyph_h_advance(pango_font_get_hb_font(item->item->analysis.font), 0), room = g->geometry.width;
    g->glyph = 0;
    g->geometry.x_offset = g->geometry.y_offset = 0;
    cairo_save(cr);
    cairo_translate(cr, x, y);
    if (own > 0 && room > 0)
        cairo_scale(cr, room / own, 1);
    show_part(cr, text, item, i->start_index, i->end_index, 0, 0);
    cairo_restore(cr);
}

enum kind { PLAIN, BLANK, MISSING };

static enum kind kind_of(const PangoGlyphString *g, int low, int high)
{
    bool blank = true, missing = false;
    for (int k = low; k < high; k++) {
        bool empty = g->glyphs[k].glyph == PANGO_GLYPH_EMPTY;
        blank = blank && empty;
        missing = missing || (!empty && (g->glyphs[k].glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0);
    }
    return blank ? BLANK : missing ? MISSING : PLAIN;
}

/* Cluster by cluster in the text's order; plain ones that follow each other are drawn together. */
static void show_unsound(cairo_t *cr, const char *text, const PangoGlyphItem *run, double x, double y)
{
    PangoGlyphItem *item = pango_glyph_item_copy((PangoGlyphItem *)run);
    PangoGlyphItemIter i;
    int from = -1, to = -1, leftmost = 0; /* what is to be drawn next */
    mend_glyphs(text, item);
    for (bool more = pango_glyph_item_iter_init_start(&i, item, text); more; more = pango_glyph_item_iter_next_cluster(&i)) {
        bool rtl = i.start_glyph > i.end_glyph;
        int low = rtl ? i.end_glyph + 1 : i.start_glyph, high = rtl ? i.start_glyph + 1 : i.end_glyph;
        enum kind kind = kind_of(item->glyphs, low, high);
        if (kind == PLAIN) {
            leftmost = from < 0 || low < leftmost ? low : leftmost;
            from = from < 0 ? i.start_index : from;
            to = i.end_index;
            continue;
        }
        if (from >= 0)
            show_part(cr, text, item, from, to, x + glyph_x(item->glyphs, leftmost), y);
        from = -1;
        if (kind == MISSING)
            show_missing(cr, text, item, &i, low, x + glyph_x(item->glyphs, low), y);
    }
    if (from >= 0)
        show_part(cr, text, item, from, to, x + glyph_x(item->glyphs, leftmost), y);
    pango_glyph_item_free(item);
}

static void show_space(cairo_t *cr, PangoFont *font, double x, double y)
{
    PangoGlyph space = space_of(font);
    PangoGlyphString *g = space != 0 ? pango_glyph_string_new() : NULL;
    if (g == NULL)
        return;
    pango_glyph_string_set_size(g, 1);
    g->glyphs[0] = (PangoGlyphInfo){.glyph = space};
    g->log_clusters[0] = 0;
    cairo_move_to(cr, x, y);
    pango_cairo_show_glyph_string(cr, font, g);
    pango_glyph_string_free(g);
}

void odp_fonts_show_line(cairo_t *cr, PangoLayoutLine *line, double x, double y)
{
    const char *text = pango_layout_get_text(line->layout);
    for (GSList *l = line->runs; l != NULL; l = l->next) {
        PangoGlyphItem *run = l->data;
        if (is_sound(run->glyphs))
            show_item(cr, text, run, x, y);
        else
            show_unsound(cr, text, run, x, y);
        x += glyph_x(run->glyphs, run->glyphs->num_glyphs);
        if (l->next == NULL && text[line->start_index + line->length] == '\n')
            show_space(cr, run->item->analysis.font, x, y);
    }
    cairo_new_path(cr);
}

/* The context is not adapted to CR's surface (pango_cairo_update_context): glyphs are neither hinted nor rounded, so a surface
 * has nothing to say about them, and asking it would give every surface fonts of its own. */
void odp_fonts_show(struct odp_fonts *f, cairo_t *cr, PangoLayout *layout, double x, double y)
{
    (void)f;
    PangoLayoutIter *i = layout != NULL ? pango_layout_get_iter(layout) : NULL;
    if (i == NULL)
        return;
    do {
        PangoRectangle r;
        pango_layout_iter_get_line_extents(i, NULL, &r);
        odp_fonts_show_line(cr, pango_layout_iter_get_line_readonly(i), x + (double)r.x / PANGO_SCALE,
                            y + (double)pango_layout_iter_get_baseline(i) / PANGO_SCALE);
    } while (pango_layout_iter_next_line(i));
    pango_layout_iter_free(i);
}
