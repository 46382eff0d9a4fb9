/* Paper: see paper.h. Settings, pages, running heads; tags are in tags.c, text in text.c.
 *
 *      left 56.7                                                        A4, points
 *   40 +-- running head, small, soft --------------------------------
 *   50 |-- rule
 *   66 |== top: content
 *      |
 *  h-62|== bottom
 *  h-42+-- "halaman x dari y", at the right */
#include "write/typesetting/paper.h"

#include "base/text.h"
#include "words/typesetting.h"
#include "write/typesetting/typesetting_internal.h"

#define A4_SHORT    595.276
#define A4_LONG     841.890
#define MARGIN      56.693 /* 20 mm */
#define TOP         66.0
#define BOTTOM      62.0
#define HEAD_Y      36.0
#define HEAD_RULE_Y 51.0
#define FOOT_Y      44.0 /* from the lower edge */

/* The clock has no place in a file; odp_print_finish puts the version's date here. */
#define NO_DATE "2000-01-01T00:00:00Z"

const struct odp_face odp_type_body = {9.5, false, false}, odp_type_small = {7.5, false, false},
                      odp_type_table = {7.5, false, false}, odp_type_table_head = {7.5, true, false},
                      odp_type_title = {24, true, false}, odp_type_h1 = {15, true, false},
                      odp_type_h2 = {11.5, true, false}, odp_type_h3 = {10, true, false};

/* All colours of text and lines. Contrast on white and on the band: text 15 and 13, soft 8.5 and 7.5, accent
 * 11 and 10 to 1. */
static const double inks[][3] = {
    [ODP_INK_TEXT] = {0.110, 0.137, 0.169},   /* #1C232B */
    [ODP_INK_SOFT] = {0.263, 0.298, 0.341},   /* #434C57 */
    [ODP_INK_ACCENT] = {0.071, 0.216, 0.420}, /* #12376B */
    [ODP_INK_RULE] = {0.682, 0.722, 0.769},   /* #AEB8C4 */
    [ODP_INK_BAND] = {0.937, 0.949, 0.965},   /* #EFF2F6 */
};

void odp_paper_ink(struct odp_paper *p, enum odp_ink ink)
{
    p->ink = ink;
    if (p->drawing)
        cairo_set_source_rgb(p->cr, inks[ink][0], inks[ink][1], inks[ink][2]);
}

void odp_paper_fill(struct odp_paper *p, enum odp_ink ink, double x, double y, double width, double height)
{
    enum odp_ink before = p->ink;
    if (!p->drawing)
        return;
    odp_paper_ink(p, ink);
    cairo_rectangle(p->cr, x, y, width, height);
    cairo_fill(p->cr);
    odp_paper_ink(p, before);
}

/* ---- settings ---- */

static cairo_status_t write_out(void *ctx, const unsigned char *data, unsigned n)
{
    struct odp_buffer *out = ctx;
    odp_buffer_add(out, data, n);
    return odp_buffer_status(out) == ODP_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void close_surface(struct odp_paper *p)
{
    if (p->cr != NULL)
        cairo_destroy(p->cr);
    if (p->surface != NULL)
        cairo_surface_destroy(p->surface);
    p->cr = NULL;
    p->surface = NULL;
}

void odp_paper_begin(struct odp_paper *p, struct odp_fonts *f, struct odp_arena *a, struct odp_buffer *out)
{
    close_surface(p);
    p->fonts = f;
    p->arena = a;
    p->out = out;
    p->drawing = out != NULL;
    p->failed = false;
    p->page = 0;
    p->nheadings = p->nfigures = p->nopen = 0;
    p->outline[0] = p->outline[1] = p->outline[2] = 0;
    if (out != NULL) {
        p->surface = cairo_pdf_surface_create_for_stream(write_out, out, A4_SHORT, A4_LONG);
        cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATE_DATE, NO_DATE);
        cairo_pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_MOD_DATE, NO_DATE);
    } else {
        p->surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    }
    p->cr = cairo_create(p->surface);
}

enum odp_status odp_paper_end(struct odp_paper *p)
{
    if (p->nopen > 0)
        odp_paper_fail(p, "print: a tag was not closed:", odp_paper_top(p)->type);
    if (p->drawing && p->page > 0)
        cairo_show_page(p->cr);
    cairo_status_t status = cairo_status(p->cr);
    cairo_surface_finish(p->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(p->surface);
    close_surface(p);
    if (status != CAIRO_STATUS_SUCCESS)
        odp_paper_fail(p, "draw a PDF:", cairo_status_to_string(status));
    if (odp_fonts_status(p->fonts) != ODP_OK)
        p->failed = true;
    return p->failed ? ODP_FAIL : ODP_OK;
}

void odp_paper_release(struct odp_paper *p)
{
    close_surface(p);
    *p = (struct odp_paper){0};
}

void odp_paper_rule(struct odp_paper *p, double y)
{
    odp_paper_fill(p, ODP_INK_RULE, p->left, y, p->right - p->left, 0.6);
}

/* One line at the height Y, cut to WIDTH with an ellipsis: the cover has the same words in full. */
static void show_line(struct odp_paper *p, const char *text, double width, double y, PangoAlignment align)
{
    PangoLayout *l = odp_fonts_layout(p->fonts, odp_type_small, odp_slice_of(text), width, align);
    pango_layout_set_single_paragraph_mode(l, TRUE);
    pango_layout_set_ellipsize(l, PANGO_ELLIPSIZE_END);
    odp_fonts_show(p->cr, l, align == PANGO_ALIGN_RIGHT ? p->right - width : p->left, y);
    g_object_unref(l);
}

static void draw_running(struct odp_paper *p)
{
    char number[64];
    enum odp_ink ink = p->ink;
    snprintf(number, sizeof number, odp_word(ODP_LANG_ID, W_typesetting_page), p->page, p->pages);
    odp_paper_ink(p, ODP_INK_SOFT);
    show_line(p, p->running, p->right - p->left, HEAD_Y, PANGO_ALIGN_LEFT);
    odp_paper_rule(p, HEAD_RULE_Y);
    show_line(p, number, 200, p->height - FOOT_Y, PANGO_ALIGN_RIGHT);
    odp_paper_ink(p, ink);
}

void odp_paper_area(bool landscape, double *width, double *height)
{
    *width = (landscape ? A4_LONG : A4_SHORT) - MARGIN - MARGIN;
    *height = (landscape ? A4_SHORT : A4_LONG) - BOTTOM - TOP;
}

void odp_paper_page(struct odp_paper *p, bool landscape)
{
    struct odp_paper_cut cut = odp_paper_cut_tags(p);
    if (p->drawing && p->page > 0)
        cairo_show_page(p->cr);
    p->page++;
    p->landscape = landscape;
    p->width = landscape ? A4_LONG : A4_SHORT;
    p->height = landscape ? A4_SHORT : A4_LONG;
    p->left = MARGIN;
    p->right = p->width - MARGIN;
    p->top = TOP;
    p->bottom = p->height - BOTTOM;
    p->y = p->top;
    if (p->drawing) {
        cairo_pdf_surface_set_size(p->surface, p->width, p->height);
        odp_paper_ink(p, p->ink);
        if (p->running != NULL)
            draw_running(p);
    }
    odp_paper_mend_tags(p, &cut);
}

bool odp_paper_need(struct odp_paper *p, double height)
{
    if (p->y + height <= p->bottom + ODP_PAPER_SLACK || odp_paper_is_fresh(p))
        return false;
    odp_paper_page(p, p->landscape);
    return true;
}
