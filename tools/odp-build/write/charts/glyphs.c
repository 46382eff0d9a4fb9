/* Text of an SVG: every glyph's outline once, in thousandths of its em, and each line of text a row of references to them. So
 * no font is needed where it is shown, and sizes share outlines. */
#include "write/charts/charts_internal.h"

#include <errno.h>
#include <stdlib.h>

struct face {
    char *name; /* family, weight, style: of pango */
    cairo_font_face_t *face;
};
struct glyph {
    uint32_t face;
    unsigned long index;
    bool ink; /* a space has none */
};
struct odp_chart_glyphs {
    const char *prefix;
    cairo_surface_t *surface;
    cairo_t *cr; /* for outlines: 1000 units an em */
    struct face *faces;
    struct glyph *glyphs; /* in order of their first use */
    uint32_t nfaces, cap_faces, n, cap;
    struct odp_buffer defs; /* their outlines */
    bool failed;
};

enum odp_status odp_chart_glyphs_new(struct odp_chart_glyphs **out, const char *prefix)
{
    struct odp_chart_glyphs *g = calloc(1, sizeof *g);
    *out = g;
    if (g == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    g->prefix = prefix;
    g->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    g->cr = cairo_create(g->surface);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(g->cr, options);
    cairo_font_options_destroy(options);
    if (cairo_status(g->cr) != CAIRO_STATUS_SUCCESS) {
        odp_chart_glyphs_free(g);
        *out = NULL;
        return odp_failure_set("draw with cairo", NULL, ENOMEM);
    }
    return ODP_OK;
}

void odp_chart_glyphs_free(struct odp_chart_glyphs *g)
{
    if (g == NULL)
        return;
    for (uint32_t i = 0; i < g->nfaces; i++) {
        g_free(g->faces[i].name);
        cairo_font_face_destroy(g->faces[i].face);
    }
    free(g->faces);
    free(g->glyphs);
    odp_buffer_release(&g->defs);
    cairo_destroy(g->cr);
    cairo_surface_destroy(g->surface);
    free(g);
}

bool odp_chart_glyphs_failed(const struct odp_chart_glyphs *g)
{
    return g->failed || g->defs.failed || cairo_status(g->cr) != CAIRO_STATUS_SUCCESS;
}

/* Room for one more of SIZE; NULL: no memory. */
static void *room(struct odp_chart_glyphs *g, void *p, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    uint32_t more = *cap != 0 ? *cap * 2 : 64;
    void *grown = odp_realloc_array(p, more, size);
    if (grown == NULL)
        g->failed = true;
    else
        *cap = more;
    return grown;
}

/* Index of the face of FONT, whatever its size. */
static uint32_t face_of(struct odp_chart_glyphs *g, PangoFont *font, cairo_scaled_font_t *scaled)
{
    PangoFontDescription *d = pango_font_describe(font);
    pango_font_description_unset_fields(d, PANGO_FONT_MASK_SIZE);
    char *name = pango_font_description_to_string(d);
    pango_font_description_free(d);
    uint32_t i = 0;
    while (i < g->nfaces && strcmp(g->faces[i].name, name) != 0)
        i++;
    if (i < g->nfaces) {
        g_free(name);
        return i;
    }
    struct face *grown = room(g, g->faces, g->nfaces, &g->cap_faces, sizeof *grown);
    if (grown == NULL) {
        g_free(name);
        return 0;
    }
    g->faces = grown;
    g->faces[g->nfaces++] = (struct face){name, cairo_font_face_reference(cairo_scaled_font_get_font_face(scaled))};
    return i;
}

/* ---- outlines ---- */

static long rounded(double v)
{
    long n = (long)(v < 0 ? -v + 0.5 : v + 0.5);
    return v < 0 ? -n : n;
}

struct pen {
    long x, y; /* where it stands: SVG's relative commands need no long numbers */
};

/* A minus separates, too. */
static void add_integer(struct odp_buffer *svg, long v, bool first)
{
    odp_buffer_printf(svg, first || v < 0 ? "%ld" : " %ld", v);
}

static void add_points(struct odp_buffer *svg, struct pen *p, char command, const cairo_path_data_t *points, int n)
{
    long x = p->x, y = p->y;
    odp_buffer_add_char(svg, command);
    for (int i = 0; i < n; i++) {
        x = rounded(points[i].point.x);
        y = rounded(points[i].point.y);
        add_integer(svg, command == 'M' ? x : x - p->x, i == 0);
        add_integer(svg, command == 'M' ? y : y - p->y, false);
    }
    p->x = x;
    p->y = y;
}

/* Draws glyph I into the definitions; false: it has no ink. */
static bool define(struct odp_chart_glyphs *g, uint32_t i)
{
    cairo_glyph_t glyph = {.index = g->glyphs[i].index};
    struct pen pen = {0, 0}, start = {0, 0};
    size_t before = g->defs.len, empty;
    cairo_set_font_face(g->cr, g->faces[g->glyphs[i].face].face);
    cairo_set_font_size(g->cr, 1000);
    cairo_new_path(g->cr);
    cairo_glyph_path(g->cr, &glyph, 1);
    cairo_path_t *path = cairo_copy_path(g->cr);
    odp_buffer_printf(&g->defs, "<path id=\"%s%x\" d=\"", g->prefix, i);
    empty = g->defs.len;
    for (int k = 0; k < path->num_data; k += path->data[k].header.length) {
        const cairo_path_data_t *at = &path->data[k + 1];
        switch (path->data[k].header.type) {
        case CAIRO_PATH_MOVE_TO:
            if (k + path->data[k].header.length < path->num_data) { /* cairo ends with one that draws nothing */
                add_points(&g->defs, &pen, 'M', at, 1);
                start = pen;
            }
            break;
        case CAIRO_PATH_LINE_TO:
            add_points(&g->defs, &pen, 'l', at, 1);
            break;
        case CAIRO_PATH_CURVE_TO:
            add_points(&g->defs, &pen, 'c', at, 3);
            break;
        case CAIRO_PATH_CLOSE_PATH:
            odp_buffer_add_char(&g->defs, 'z');
            pen = start;
            break;
        }
    }
    g->failed |= path->status != CAIRO_STATUS_SUCCESS;
    cairo_path_destroy(path);
    bool ink = g->defs.len > empty;
    if (ink)
        odp_buffer_add_str(&g->defs, "\"/>\n");
    else if (!g->defs.failed)
        g->defs.len = before;
    return ink;
}

static uint32_t glyph_of(struct odp_chart_glyphs *g, uint32_t face, unsigned long index)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (g->glyphs[i].face == face && g->glyphs[i].index == index)
            return i;
    struct glyph *grown = room(g, g->glyphs, g->n, &g->cap, sizeof *grown);
    if (grown == NULL)
        return 0;
    g->glyphs = grown;
    g->glyphs[g->n] = (struct glyph){.face = face, .index = index};
    g->glyphs[g->n].ink = define(g, g->n);
    return g->n++;
}

/* Places in pango's units, to be shown in thousandths of an em of SIZE. */
static long in_em(int at, double size)
{
    return rounded((double)at * 1000.0 / (size * PANGO_SCALE));
}

static void add_run(struct odp_chart_glyphs *g, struct odp_buffer *svg, PangoLayoutRun *run, int start, double size)
{
    PangoFont *font = run->item->analysis.font;
    uint32_t face = face_of(g, font, pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font)));
    for (int i = 0; i < run->glyphs->num_glyphs && !g->failed; i++) {
        const PangoGlyphInfo *info = &run->glyphs->glyphs[i];
        int x = start + info->geometry.x_offset;
        start += info->geometry.width;
        if (info->glyph == PANGO_GLYPH_EMPTY)
            continue;
        unsigned long index = (info->glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0 ? 0 : info->glyph; /* 0: the font's box */
        uint32_t id = glyph_of(g, face, index);
        if (g->failed || !g->glyphs[id].ink)
            continue;
        odp_buffer_printf(svg, "<use xlink:href=\"#%s%x\" x=\"%ld\"", g->prefix, id, in_em(x, size));
        if (info->geometry.y_offset != 0)
            odp_buffer_printf(svg, " y=\"%ld\"", in_em(info->geometry.y_offset, size));
        odp_buffer_add_str(svg, "/>");
    }
}

static double size_of(PangoLayoutRun *run)
{
    cairo_matrix_t m;
    cairo_scaled_font_get_font_matrix(pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(run->item->analysis.font)), &m);
    return m.xx;
}

void odp_chart_glyphs_text(struct odp_chart_glyphs *g, struct odp_buffer *svg, PangoLayout *layout, double x, double y,
                           struct odp_rgb ink)
{
    PangoLayoutIter *iter = pango_layout_get_iter(layout);
    do {
        PangoLayoutRun *run = pango_layout_iter_get_run_readonly(iter);
        PangoRectangle r;
        if (run == NULL)
            continue;
        pango_layout_iter_get_run_extents(iter, NULL, &r);
        double size = size_of(run);
        odp_buffer_add_str(svg, "<g transform=\"translate(");
        odp_canvas_number(svg, x + (double)r.x / PANGO_SCALE);
        odp_buffer_add_char(svg, ' ');
        odp_canvas_number(svg, y + (double)pango_layout_iter_get_baseline(iter) / PANGO_SCALE);
        odp_buffer_add_str(svg, ") scale(");
        char scale[40];
        odp_buffer_add(svg, scale, odp_decimal_fixed(size / 1000.0, 6, scale));
        odp_buffer_add_str(svg, ")\"");
        odp_canvas_color(svg, "fill", ink);
        odp_buffer_add_char(svg, '>');
        add_run(g, svg, run, 0, size);
        odp_buffer_add_str(svg, "</g>\n");
    } while (pango_layout_iter_next_run(iter));
    pango_layout_iter_free(iter);
}

void odp_chart_glyphs_define(const struct odp_chart_glyphs *g, struct odp_buffer *svg)
{
    odp_buffer_add_slice(svg, odp_buffer_slice(&g->defs));
}
