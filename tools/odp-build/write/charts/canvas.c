/* Ink: the few things charts are drawn with, on cairo or as SVG of our own (cairo writes every glyph as a
 * symbol and every use of it with two long numbers; ours is a fraction of that, and its text is text). */
#include <stdarg.h>

#include "write/charts/charts_internal.h"

const struct odp_face odp_chart_face_title = {.size = 11, .bold = true}, odp_chart_face_label = {.size = 8},
                      odp_chart_face_strong = {.size = 8, .bold = true}, odp_chart_face_small = {.size = 7};

/* More than fits on three lines of a label, and in a description. */
enum { LABEL_BYTES = 600, TEXT_BYTES = 4000 };

void odp_canvas_init(struct odp_canvas *c, struct odp_fonts *f, cairo_t *cr, struct odp_buffer *svg,
                     enum odp_lang lang)
{
    *c = (struct odp_canvas){.fonts = f, .cr = cr, .svg = svg, .lang = lang, .prefix = ""};
    odp_buffer_init(&c->path);
    odp_buffer_init(&c->text);
}

bool odp_canvas_release(struct odp_canvas *c)
{
    bool failed = c->failed || c->path.failed || c->text.failed;
    odp_buffer_release(&c->path);
    odp_buffer_release(&c->text);
    return failed;
}

/* ---- SVG ---- */

void odp_canvas_number(struct odp_buffer *svg, double v)
{
    char text[40];
    odp_buffer_add(svg, text, odp_decimal_fixed(v, 2, text));
}

/* Control characters have no form in XML 1.0. */
void odp_canvas_escaped(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool nonchar = c == 0xEF && i + 2 < s.len && (unsigned char)s.ptr[i + 1] == 0xBF &&
                       (unsigned char)s.ptr[i + 2] >= 0xBE;
        if (nonchar) { /* U+FFFE and U+FFFF */
            odp_buffer_add_str(out, "\uFFFD");
            i += 2;
        } else if (c == '<') {
            odp_buffer_add_str(out, "&lt;");
        } else if (c == '>') {
            odp_buffer_add_str(out, "&gt;");
        } else if (c == '&') {
            odp_buffer_add_str(out, "&amp;");
        } else {
            odp_buffer_add_char(out, c < ' ' && c != '\n' && c != '\t' ? ' ' : (char)c);
        }
    }
}

/* FORM, each % of it a number, each # the colour INK. */
static void add_form(struct odp_buffer *svg, struct odp_rgb ink, const char *form, ...)
{
    va_list numbers;
    va_start(numbers, form);
    for (; *form != '\0'; form++) {
        if (*form == '%')
            odp_canvas_number(svg, va_arg(numbers, double));
        else if (*form == '#')
            odp_buffer_printf(svg, "#%02x%02x%02x", ink.r, ink.g, ink.b);
        else
            odp_buffer_add_char(svg, *form);
    }
    va_end(numbers);
}

static void set_ink(cairo_t *cr, struct odp_rgb ink)
{
    cairo_set_source_rgb(cr, ink.r / 255.0, ink.g / 255.0, ink.b / 255.0);
}

void odp_canvas_rect(struct odp_canvas *c, double x, double y, double w, double h, struct odp_rgb ink)
{
    if (w <= 0 || h <= 0)
        return;
    if (c->cr != NULL) {
        cairo_new_path(c->cr);
        cairo_rectangle(c->cr, x, y, w, h);
        set_ink(c->cr, ink);
        cairo_fill(c->cr);
    }
    if (c->svg != NULL)
        add_form(c->svg, ink, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" fill=\"#\"/>\n", x, y, w, h);
}

void odp_canvas_line(struct odp_canvas *c, double x1, double y1, double x2, double y2, double width,
                     struct odp_rgb ink)
{
    if (c->cr != NULL) {
        cairo_save(c->cr);
        cairo_new_path(c->cr);
        cairo_move_to(c->cr, x1, y1);
        cairo_line_to(c->cr, x2, y2);
        cairo_set_line_width(c->cr, width);
        set_ink(c->cr, ink);
        cairo_stroke(c->cr);
        cairo_restore(c->cr);
    }
    if (c->svg != NULL)
        add_form(c->svg, ink, "<line x1=\"%\" y1=\"%\" x2=\"%\" y2=\"%\" stroke=\"#\" stroke-width=\"%\"/>\n",
                 x1, y1, x2, y2, width);
}

/* ---- paths ---- */

void odp_canvas_move(struct odp_canvas *c, double x, double y)
{
    if (c->cr != NULL)
        cairo_move_to(c->cr, x, y);
    if (c->svg != NULL)
        add_form(&c->path, odp_chart_white, "M% %", x, y);
}

void odp_canvas_to(struct odp_canvas *c, double x, double y)
{
    if (c->cr != NULL)
        cairo_line_to(c->cr, x, y);
    if (c->svg != NULL)
        add_form(&c->path, odp_chart_white, "L% %", x, y);
}

void odp_canvas_close(struct odp_canvas *c)
{
    if (c->cr != NULL)
        cairo_close_path(c->cr);
    if (c->svg != NULL)
        odp_buffer_add_char(&c->path, 'Z');
}

/* <path d="…" of what was built, without its end. */
static void svg_path(struct odp_canvas *c)
{
    odp_buffer_add_str(c->svg, "<path d=\"");
    odp_buffer_add_slice(c->svg, odp_buffer_slice(&c->path));
    odp_buffer_add_char(c->svg, '"');
}

void odp_canvas_fill(struct odp_canvas *c, struct odp_rgb ink)
{
    if (c->cr != NULL) {
        set_ink(c->cr, ink);
        cairo_fill(c->cr);
    }
    if (c->svg != NULL && c->path.len > 0) {
        svg_path(c);
        add_form(c->svg, ink, " fill=\"#\"/>\n");
    }
    odp_buffer_clear(&c->path);
}

static const double dashes[][4] = {{0, 0, 0, 0}, {7, 3.5, 7, 3.5}, {0.1, 3.5, 0.1, 3.5}, {9, 3.5, 0.1, 3.5},
                                   {3, 3, 3, 3}, {13, 4, 13, 4},   {6, 3, 0.1, 3},       {2, 4.5, 2, 4.5}};
enum { DASHES = sizeof dashes / sizeof *dashes };

static void svg_stroke(struct odp_canvas *c, double width, unsigned dash, struct odp_rgb ink)
{
    const double *d = dashes[dash % DASHES];
    svg_path(c);
    add_form(
        c->svg, ink,
        " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke=\"#\" stroke-width=\"%\"",
        width);
    if (dash % DASHES != 0)
        add_form(c->svg, ink, " stroke-dasharray=\"% % % %\"", d[0], d[1], d[2], d[3]);
    odp_buffer_add_str(c->svg, "/>\n");
}

/* The path stays. */
static void stroke_path(struct odp_canvas *c, double width, unsigned dash, struct odp_rgb ink)
{
    if (c->cr != NULL) {
        cairo_save(c->cr);
        cairo_set_line_width(c->cr, width);
        cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
        cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
        if (dash % DASHES != 0)
            cairo_set_dash(c->cr, dashes[dash % DASHES], 4, 0);
        set_ink(c->cr, ink);
        cairo_stroke_preserve(c->cr);
        cairo_restore(c->cr);
    }
    if (c->svg != NULL && c->path.len > 0)
        svg_stroke(c, width, dash, ink);
}

void odp_canvas_stroke(struct odp_canvas *c, double width, unsigned dash, struct odp_rgb ink)
{
    stroke_path(c, width, dash, ink);
    if (c->cr != NULL)
        cairo_new_path(c->cr);
    odp_buffer_clear(&c->path);
}

/* ---- symbols ---- */

/* Corners for a radius of 1, of about the same area as the dot. */
struct corners {
    unsigned n;
    double at[12][2];
};
static const struct corners shapes[ODP_CHART_SHAPES] = {
    {0, {{0, 0}}},
    {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
    {3, {{0, -1.25}, {1.2, 0.85}, {-1.2, 0.85}}},
    {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
    {3, {{0, 1.25}, {1.2, -0.85}, {-1.2, -0.85}}},
    {12,
     {{-0.45, -1.25},
      {0.45, -1.25},
      {0.45, -0.45},
      {1.25, -0.45},
      {1.25, 0.45},
      {0.45, 0.45},
      {0.45, 1.25},
      {-0.45, 1.25},
      {-0.45, 0.45},
      {-1.25, 0.45},
      {-1.25, -0.45},
      {-0.45, -0.45}}},
    {12,
     {{-1.2, -0.6},
      {-0.6, -1.2},
      {0, -0.6},
      {0.6, -1.2},
      {1.2, -0.6},
      {0.6, 0},
      {1.2, 0.6},
      {0.6, 1.2},
      {0, 0.6},
      {-0.6, 1.2},
      {-1.2, 0.6},
      {-0.6, 0}}},
    {4, {{-0.6, -1.3}, {0.6, -1.3}, {0.6, 1.3}, {-0.6, 1.3}}}};

static void outline(struct odp_canvas *c, const struct corners *s, double x, double y, double r)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (i == 0)
            odp_canvas_move(c, x + s->at[i][0] * r, y + s->at[i][1] * r);
        else
            odp_canvas_to(c, x + s->at[i][0] * r, y + s->at[i][1] * r);
    }
    odp_canvas_close(c);
}

void odp_canvas_marks(struct odp_canvas *c, unsigned k, unsigned shape, double r, struct odp_rgb ink)
{
    k %= ODP_CHART_SHAPES;
    const struct corners *s = &shapes[shape % ODP_CHART_SHAPES];
    c->mark[k].shape = shape % ODP_CHART_SHAPES;
    c->mark[k].r = r;
    c->mark[k].ink = ink;
    if (c->svg == NULL)
        return;
    odp_buffer_printf(c->svg, "<defs><%s id=\"%sm%u\"", s->n == 0 ? "circle" : "path", c->prefix, k);
    if (s->n == 0) {
        add_form(c->svg, ink, " r=\"%\"", r);
    } else {
        outline(c, s, 0, 0, r);
        odp_buffer_add_str(c->svg, " d=\"");
        odp_buffer_add_slice(c->svg, odp_buffer_slice(&c->path));
        odp_buffer_add_char(c->svg, '"');
        odp_buffer_clear(&c->path);
    }
    add_form(c->svg, ink, " fill=\"#\"");
    odp_buffer_add_str(c->svg, " stroke=\"#ffffff\" stroke-width=\"0.8\" stroke-linejoin=\"round\" "
                               "paint-order=\"stroke\"/></defs>\n");
}

void odp_canvas_mark(struct odp_canvas *c, unsigned k, double x, double y)
{
    k %= ODP_CHART_SHAPES;
    const struct corners *s = &shapes[c->mark[k].shape];
    if (c->svg != NULL) {
        char text[40];
        odp_buffer_printf(c->svg, "<use xlink:href=\"#%sm%u\" x=\"", c->prefix, k);
        odp_buffer_add(c->svg, text, odp_decimal_fixed(x, 1, text)); /* there may be thousands */
        odp_buffer_add_str(c->svg, "\" y=\"");
        odp_buffer_add(c->svg, text, odp_decimal_fixed(y, 1, text));
        odp_buffer_add_str(c->svg, "\"/>\n");
    }
    if (c->cr == NULL)
        return;
    if (s->n == 0) { /* a line without length, with round ends */
        cairo_move_to(c->cr, x, y);
        cairo_line_to(c->cr, x, y);
    } else {
        outline(c, s, x, y, c->mark[k].r);
    }
    stroke_path(c, s->n == 0 ? 2 * c->mark[k].r + 0.8 : 0.8, 0, odp_chart_white);
    if (s->n == 0)
        stroke_path(c, 2 * c->mark[k].r, 0, c->mark[k].ink);
    else
        odp_canvas_fill(c, c->mark[k].ink);
    cairo_new_path(c->cr);
}

/* ---- text ---- */

/* Breaking lines takes time that grows with the square of the text; what does not fit anyway is not laid out.
 */
static struct odp_slice bounded(struct odp_slice text, size_t most)
{
    if (text.len <= most)
        return text;
    while (most > 0 && ((unsigned char)text.ptr[most] & 0xC0) == 0x80)
        most--;
    return (struct odp_slice){text.ptr, most};
}

static PangoLayout *layout_of(struct odp_canvas *c, const struct odp_canvas_text *how, struct odp_slice text)
{
    text = bounded(text, how->lines > 0 ? LABEL_BYTES : TEXT_BYTES);
    PangoLayout *l = odp_fonts_layout(c->fonts, how->type, text, how->width, how->align);
    pango_layout_set_spacing(
        l, (int)(-0.12 * how->type.size * PANGO_SCALE)); /* the font's own lines are far apart */
    if (how->width >= 0 && how->lines > 0) {
        pango_layout_set_height(l, -how->lines);
        pango_layout_set_ellipsize(l, PANGO_ELLIPSIZE_END);
    }
    return l;
}

/* What a line shows: its text, or the ellipsis that stands for the rest of it. */
static void svg_line_text(struct odp_buffer *svg, const PangoLayoutLine *line)
{
    const char *text = pango_layout_get_text(line->layout);
    bool cut = false;
    for (GSList *l = line->runs; l != NULL; l = l->next) {
        const PangoItem *item = ((PangoGlyphItem *)l->data)->item;
        cut = cut || (item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS) != 0;
    }
    for (GSList *l = cut ? line->runs : NULL; l != NULL; l = l->next) {
        const PangoItem *item = ((PangoGlyphItem *)l->data)->item;
        if ((item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS) != 0)
            odp_buffer_add_str(svg, "\u2026");
        else
            odp_canvas_escaped(svg, (struct odp_slice){text + item->offset, (size_t)item->length});
    }
    if (!cut)
        odp_canvas_escaped(svg, (struct odp_slice){text + line->start_index, (size_t)line->length});
}

/* Every line a text element as long as it is in our font, so that it fits whatever font it is shown in. */
static void svg_text(struct odp_buffer *svg, const struct odp_canvas_text *how, PangoLayout *layout, double x,
                     double y)
{
    PangoLayoutIter *i = pango_layout_get_iter(layout);
    do {
        PangoRectangle r;
        pango_layout_iter_get_line_extents(i, NULL, &r);
        if (r.width == 0)
            continue;
        add_form(svg, how->ink, "<text x=\"%\" y=\"%\" font-size=\"%\"", x + (double)r.x / PANGO_SCALE,
                 y + (double)pango_layout_iter_get_baseline(i) / PANGO_SCALE, how->type.size);
        if (how->type.bold)
            odp_buffer_add_str(svg, " font-weight=\"bold\"");
        add_form(svg, how->ink, " textLength=\"%\" fill=\"#\" lengthAdjust=\"spacingAndGlyphs\">",
                 (double)r.width / PANGO_SCALE);
        svg_line_text(svg, pango_layout_iter_get_line_readonly(i));
        odp_buffer_add_str(svg, "</text>\n");
    } while (pango_layout_iter_next_line(i));
    pango_layout_iter_free(i);
}

static void extents(PangoLayout *l, double *w, double *h)
{
    PangoRectangle r;
    pango_layout_get_extents(l, NULL, &r);
    *w = (double)r.width / PANGO_SCALE;
    *h = (double)r.height / PANGO_SCALE;
}

double odp_canvas_text(struct odp_canvas *c, double x, double y, const struct odp_canvas_text *how,
                       struct odp_slice text)
{
    double w, h;
    PangoLayout *l = layout_of(c, how, text);
    extents(l, &w, &h);
    if (how->width < 0 && how->align != PANGO_ALIGN_LEFT) /* one line, set from its other end */
        x -= how->align == PANGO_ALIGN_RIGHT ? w : w / 2;
    if (c->cr != NULL) {
        set_ink(c->cr, how->ink);
        odp_fonts_show(c->cr, l, x, y);
    }
    if (c->svg != NULL)
        svg_text(c->svg, how, l, x, y);
    g_object_unref(l);
    return h;
}

void odp_canvas_measure(struct odp_canvas *c, const struct odp_canvas_text *how, struct odp_slice text,
                        double *w, double *h)
{
    PangoLayout *l = layout_of(c, how, text);
    extents(l, w, h);
    g_object_unref(l);
}

double odp_canvas_middle(struct odp_canvas *c, double x, double middle, const struct odp_canvas_text *how,
                         struct odp_slice text)
{
    double w, h;
    odp_canvas_measure(c, how, text, &w, &h);
    (void)odp_canvas_text(c, x, middle - h / 2, how, text);
    return w;
}
