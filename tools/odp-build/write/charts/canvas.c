/* Ink: the few things charts are drawn with, on cairo or as SVG of our own (cairo writes every glyph as a
 * symbol and every use of it with two long numbers; ours is a fraction of that, and its text is text). */
#include <stdarg.h>

#include "base/utf8.h"
#include "write/charts/charts_internal.h"

const struct odp_face chart_face_title = {.size = 11, .bold = true}, chart_face_label = {.size = 8},
                      chart_face_small = {.size = 7};

const struct rgb chart_text = {0x1A, 0x1A, 0x1A}, chart_soft = {0x55, 0x55, 0x55},
                 chart_rule = {0xDD, 0xDD, 0xDD}, chart_zero = {0x80, 0x80, 0x80},
                 chart_white = {0xFF, 0xFF, 0xFF};
static const struct rgb light_on_fill = {0xFE, 0xFE, 0xFE}, dark_on_fill = {0x19, 0x19, 0x19};

struct rgb chart_ink_on(struct rgb fill)
{
    /* relative luminance with an exponent of 2 for 2.2, in 1/10,000 of 255 squared: near enough to choose */
    unsigned light = 2126u * fill.r * fill.r + 7152u * fill.g * fill.g + 722u * fill.b * fill.b;
    return light > 2250u * 255u * 255u ? dark_on_fill : light_on_fill;
}

/* More than fits on three lines of a label, and in a description. */
enum { LABEL_BYTES = 600, TEXT_BYTES = 4000 };

void canvas_init(struct canvas *c, const struct odp_chart_data *d, struct odp_fonts *f, enum odp_lang lang)
{
    *c = (struct canvas){.d = d, .fonts = f, .lang = lang, .prefix = ""};
}

bool canvas_release(struct canvas *c)
{
    bool failed = c->failed || c->path.failed || c->text.failed;
    odp_buffer_release(&c->path);
    odp_buffer_release(&c->text);
    return failed;
}

/* ---- SVG ---- */

void canvas_number(struct odp_buffer *svg, double v)
{
    char text[40];
    odp_buffer_add(svg, text, odp_decimal_fixed(v, 2, text));
}

/* Control characters have no form in XML 1.0. */
void canvas_escaped(struct odp_buffer *out, struct odp_slice s)
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
static void add_form(struct odp_buffer *svg, struct rgb ink, const char *form, ...)
{
    va_list numbers;
    va_start(numbers, form);
    for (; *form != '\0'; form++) {
        if (*form == '%')
            canvas_number(svg, va_arg(numbers, double));
        else if (*form == '#')
            odp_buffer_printf(svg, "#%02x%02x%02x", ink.r, ink.g, ink.b);
        else
            odp_buffer_add_char(svg, *form);
    }
    va_end(numbers);
}

static void set_ink(cairo_t *cr, struct rgb ink)
{
    cairo_set_source_rgb(cr, ink.r / 255.0, ink.g / 255.0, ink.b / 255.0);
}

void canvas_rect(struct canvas *c, double x, double y, double w, double h, struct rgb ink)
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

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, struct pen pen)
{
    if (c->cr != NULL) {
        cairo_save(c->cr);
        cairo_new_path(c->cr);
        cairo_move_to(c->cr, x1, y1);
        cairo_line_to(c->cr, x2, y2);
        cairo_set_line_width(c->cr, pen.width);
        set_ink(c->cr, pen.ink);
        cairo_stroke(c->cr);
        cairo_restore(c->cr);
    }
    if (c->svg != NULL)
        add_form(c->svg, pen.ink,
                 "<line x1=\"%\" y1=\"%\" x2=\"%\" y2=\"%\" stroke=\"#\" stroke-width=\"%\"/>\n", x1, y1, x2,
                 y2, pen.width);
}

/* ---- paths ---- */

void canvas_point(struct canvas *c, bool begins, double x, double y)
{
    if (c->cr != NULL)
        (begins ? cairo_move_to : cairo_line_to)(c->cr, x, y);
    if (c->svg != NULL)
        add_form(&c->path, chart_white, begins ? "M% %" : "L% %", x, y);
}

void canvas_close(struct canvas *c)
{
    if (c->cr != NULL)
        cairo_close_path(c->cr);
    if (c->svg != NULL)
        odp_buffer_add_char(&c->path, 'Z');
}

static const double dashes[][4] = {{0, 0, 0, 0}, {7, 3.5, 7, 3.5}, {0.1, 3.5, 0.1, 3.5}, {9, 3.5, 0.1, 3.5},
                                   {3, 3, 3, 3}, {13, 4, 13, 4},   {6, 3, 0.1, 3},       {2, 4.5, 2, 4.5}};

static void svg_stroke(struct canvas *c, unsigned dash, struct pen pen)
{
    const double *d = dashes[dash];
    odp_buffer_printf(c->svg, "<path d=\"%s\"", odp_buffer_cstr(&c->path));
    add_form(
        c->svg, pen.ink,
        " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke=\"#\" stroke-width=\"%\"",
        pen.width);
    if (dash != 0)
        add_form(c->svg, pen.ink, " stroke-dasharray=\"% % % %\"", d[0], d[1], d[2], d[3]);
    odp_buffer_add_str(c->svg, "/>\n");
}

/* On cairo; the path stays. */
static void stroke_path(cairo_t *cr, unsigned dash, struct pen pen)
{
    cairo_save(cr);
    cairo_set_line_width(cr, pen.width);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    if (dash != 0)
        cairo_set_dash(cr, dashes[dash], 4, 0);
    set_ink(cr, pen.ink);
    cairo_stroke_preserve(cr);
    cairo_restore(cr);
}

void canvas_stroke(struct canvas *c, unsigned dash, struct pen pen)
{
    dash %= ODP_COUNT(dashes);
    if (c->cr != NULL) {
        stroke_path(c->cr, dash, pen);
        cairo_new_path(c->cr);
    }
    if (c->svg != NULL && c->path.len > 0)
        svg_stroke(c, dash, pen);
    odp_buffer_clear(&c->path);
}

/* ---- symbols ---- */

/* Corners for a radius of 1, of about the same area as the dot. */
struct corners {
    unsigned n;
    double at[12][2];
};
static const struct corners shapes[CANVAS_SHAPES] = {
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

static void outline(struct canvas *c, const struct corners *s, double x, double y, double r)
{
    for (unsigned i = 0; i < s->n; i++)
        canvas_point(c, i == 0, x + s->at[i][0] * r, y + s->at[i][1] * r);
    canvas_close(c);
}

void canvas_marks(struct canvas *c, unsigned k, unsigned shape, double r, struct rgb ink)
{
    k %= CANVAS_SHAPES;
    const struct corners *s = &shapes[shape % CANVAS_SHAPES];
    c->mark[k].shape = shape % CANVAS_SHAPES;
    c->mark[k].r = r;
    c->mark[k].ink = ink;
    if (c->svg == NULL)
        return;
    odp_buffer_printf(c->svg, "<defs><%s id=\"%sm%u\"", s->n == 0 ? "circle" : "path", c->prefix, k);
    if (s->n == 0) {
        add_form(c->svg, ink, " r=\"%\"", r);
    } else {
        outline(c, s, 0, 0, r);
        odp_buffer_printf(c->svg, " d=\"%s\"", odp_buffer_cstr(&c->path));
        odp_buffer_clear(&c->path);
    }
    add_form(c->svg, ink, " fill=\"#\"");
    odp_buffer_add_str(c->svg, " stroke=\"#ffffff\" stroke-width=\"0.8\" stroke-linejoin=\"round\" "
                               "paint-order=\"stroke\"/></defs>\n");
}

void canvas_mark(struct canvas *c, unsigned k, double x, double y)
{
    k %= CANVAS_SHAPES;
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
    bool dot = s->n == 0;
    double r = c->mark[k].r;
    struct rgb ink = c->mark[k].ink;
    if (dot) { /* a line without length, with round ends */
        cairo_move_to(c->cr, x, y);
        cairo_line_to(c->cr, x, y);
    } else {
        outline(c, s, x, y, r);
    }
    stroke_path(c->cr, 0, (struct pen){dot ? 2 * r + 0.8 : 0.8, chart_white});
    if (dot) {
        stroke_path(c->cr, 0, (struct pen){2 * r, ink});
    } else {
        set_ink(c->cr, ink);
        cairo_fill(c->cr);
    }
    cairo_new_path(c->cr);
}

/* ---- text ---- */

/* Breaking lines takes time that grows with the square of the text; what does not fit anyway is not laid out.
 */
static PangoLayout *layout_of(struct canvas *c, const struct style *s, struct odp_slice text)
{
    text = odp_utf8_cut(text, s->lines > 0 ? LABEL_BYTES : TEXT_BYTES);
    PangoLayout *l = odp_fonts_layout(c->fonts, s->face, text, s->width, s->align);
    /* the font's own lines are far apart */
    pango_layout_set_spacing(l, (int)(-0.12 * s->face.size * PANGO_SCALE));
    if (s->width >= 0 && s->lines > 0) {
        pango_layout_set_height(l, -s->lines);
        pango_layout_set_ellipsize(l, PANGO_ELLIPSIZE_END);
    }
    return l;
}

/* A line's text, or the ellipsis in place of its rest. */
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
            canvas_escaped(svg, (struct odp_slice){text + item->offset, (size_t)item->length});
    }
    if (!cut)
        canvas_escaped(svg, (struct odp_slice){text + line->start_index, (size_t)line->length});
}

/* Every line a text element as long as it is in our font, so that it fits whatever font it is shown in. */
static void svg_text(struct odp_buffer *svg, const struct style *s, PangoLayout *layout, double x, double y)
{
    PangoLayoutIter *i = pango_layout_get_iter(layout);
    do {
        PangoRectangle r;
        pango_layout_iter_get_line_extents(i, NULL, &r);
        if (r.width == 0)
            continue;
        add_form(svg, s->ink, "<text x=\"%\" y=\"%\" font-size=\"%\"", x + (double)r.x / PANGO_SCALE,
                 y + (double)pango_layout_iter_get_baseline(i) / PANGO_SCALE, s->face.size);
        if (s->face.bold)
            odp_buffer_add_str(svg, " font-weight=\"bold\"");
        add_form(svg, s->ink, " textLength=\"%\" fill=\"#\" lengthAdjust=\"spacingAndGlyphs\">",
                 (double)r.width / PANGO_SCALE);
        svg_line_text(svg, pango_layout_iter_get_line_readonly(i));
        odp_buffer_add_str(svg, "</text>\n");
    } while (pango_layout_iter_next_line(i));
    pango_layout_iter_free(i);
}

struct style canvas_style(struct odp_face face, PangoAlignment align, struct rgb ink)
{
    return (struct style){.face = face, .width = -1, .align = align, .ink = ink};
}

/* LAYOUT, of which E is the extent, with the top at Y; taken. */
static void put_take(struct canvas *c, const struct style *s, PangoLayout *layout, struct odp_extent e,
                     double x, double y)
{
    if (s->width < 0 && s->align != PANGO_ALIGN_LEFT) /* one line, set from its other end */
        x -= s->align == PANGO_ALIGN_RIGHT ? e.width : e.width / 2;
    if (c->cr != NULL) {
        set_ink(c->cr, s->ink);
        odp_fonts_show(c->cr, layout, x, y);
    }
    if (c->svg != NULL)
        svg_text(c->svg, s, layout, x, y);
    g_object_unref(layout);
}

double canvas_text(struct canvas *c, double x, double y, const struct style *s, struct odp_slice text)
{
    PangoLayout *l = layout_of(c, s, text);
    struct odp_extent e = odp_fonts_extent(l);
    put_take(c, s, l, e, x, y);
    return e.height;
}

struct odp_extent canvas_measure(struct canvas *c, const struct style *s, struct odp_slice text)
{
    PangoLayout *l = layout_of(c, s, text);
    struct odp_extent e = odp_fonts_extent(l);
    g_object_unref(l);
    return e;
}

double canvas_middle(struct canvas *c, double x, double middle, const struct style *s, struct odp_slice text)
{
    PangoLayout *l = layout_of(c, s, text);
    struct odp_extent e = odp_fonts_extent(l);
    put_take(c, s, l, e, x, middle - e.height / 2);
    return e.width;
}
