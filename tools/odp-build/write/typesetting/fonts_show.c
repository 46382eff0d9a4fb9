/* Drawing layouts. Not by pango_cairo_show_layout, because of its additions to a PDF: a character without a
 * glyph of its own (the space of a line break, a zero-width mark) becomes an empty marked span, at which some
 * readers of the structure lose the rest of a paragraph; and a character missing in all fonts becomes a box
 * with its code in digits, which replace it in the text. Here the former are spaces without width, and the
 * latter are the font's glyph for missing characters, with the right text attached. */
#include "write/typesetting/fonts.h"

/* The glyph of a space, or 0. */
static PangoGlyph space_of(PangoFont *font)
{
    hb_codepoint_t glyph = 0;
    return hb_font_get_nominal_glyph(pango_font_get_hb_font(font), ' ', &glyph) ? glyph : 0;
}

static bool is_sound(const PangoGlyphString *g)
{
    for (int i = 0; i < g->num_glyphs; i++)
        if (g->glyphs[i].glyph == PANGO_GLYPH_EMPTY || (g->glyphs[i].glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0)
            return false;
    return true;
}

static void mend_glyphs(PangoGlyphItem *item)
{
    PangoFont *font = item->item->analysis.font;
    for (int i = 0; i < item->glyphs->num_glyphs; i++) {
        PangoGlyphInfo *g = &item->glyphs->glyphs[i];
        if (g->glyph == PANGO_GLYPH_EMPTY) {
            g->glyph = space_of(font);
        } else if ((g->glyph & PANGO_GLYPH_UNKNOWN_FLAG) !=
                   0) { /* no wider than it is: a gap would be taken for a space */
            g->glyph = 0;
            g->geometry =
                (PangoGlyphGeometry){.width = hb_font_get_glyph_h_advance(pango_font_get_hb_font(font), 0)};
        }
    }
}

/* Returns the run's width. */
static double show_run(cairo_t *cr, const char *text, PangoGlyphItem *run, double x, double y)
{
    PangoGlyphItem *mended = is_sound(run->glyphs) ? NULL : pango_glyph_item_copy(run);
    int64_t width = 0; /* a word without end, in a title's size, is wider than an int holds */
    if (mended != NULL) {
        mend_glyphs(mended);
        run = mended;
    }
    cairo_move_to(cr, x, y);
    pango_cairo_show_glyph_item(cr, text, run);
    for (int i = 0; i < run->glyphs->num_glyphs; i++)
        width += run->glyphs->glyphs[i].geometry.width;
    pango_glyph_item_free(mended);
    return (double)width / PANGO_SCALE;
}

static void show_space(cairo_t *cr, PangoFont *font, double x, double y)
{
    PangoGlyphString *g = pango_glyph_string_new();
    pango_glyph_string_set_size(g, 1);
    g->glyphs[0] = (PangoGlyphInfo){.glyph = space_of(font)};
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
        x += show_run(cr, text, run, x, y);
        if (l->next == NULL && text[line->start_index + line->length] == '\n')
            show_space(cr, run->item->analysis.font, x, y);
    }
    cairo_new_path(cr);
}

/* The context is not adapted to CR's surface (pango_cairo_update_context): glyphs are neither hinted nor
 * rounded, so a surface has nothing to say about them, and asking it would give every surface fonts of its
 * own. */
void odp_fonts_show(cairo_t *cr, PangoLayout *layout, double x, double y)
{
    PangoLayoutIter *i = pango_layout_get_iter(layout);
    do {
        PangoRectangle r;
        pango_layout_iter_get_line_extents(i, NULL, &r);
        odp_fonts_show_line(cr, pango_layout_iter_get_line_readonly(i), x + (double)r.x / PANGO_SCALE,
                            y + (double)pango_layout_iter_get_baseline(i) / PANGO_SCALE);
    } while (pango_layout_iter_next_line(i));
    pango_layout_iter_free(i);
}
