/* The whole picture: title, measure, legend, the chart itself, notes. Measuring and drawing run the same
 * code, so heights agree. As a file of its own it runs no script and loads no other file, its text is text,
 * and its ids begin with the chart's name, so that several fit into one page. */
#include "base/html.h"
#include "words/charts.h"
#include "write/charts/charts_internal.h"
#include "write/typesetting/png.h"

#define SVG_MARGIN 3.0

/* Pictures are made for the width they are shown at: of a telephone, and of a page. */
static const struct sheet {
    double width, zoom; /* in units; pixels a unit: text of 7 units is 11 pixels and more */
    double title;       /* its size */
} sheets[] = {[ODP_CHART_WIDE] = {450, 1.6, 13}, [ODP_CHART_NARROW] = {194, 1.75, 10.5}};

/* A row of swatches with their names, as many rows as it takes. */
static double legend(struct canvas *c, double x, double y, double width)
{
    const struct odp_chart_data *d = c->d;
    struct style s = canvas_style(chart_face_label, PANGO_ALIGN_LEFT, chart_text);
    double at = x, top = y, row = 12;
    s.width = width * 0.45;
    s.lines = 1;
    for (uint32_t k = 0; k < d->nseries; k++) {
        struct odp_slice name = chart_name(c, &d->series[k]);
        if (at > x && at + 11 + canvas_measure(c, &s, name).width > x + width) {
            at = x;
            top += row;
        }
        canvas_rect(c, at, top + 2, 8, 8, chart_ink_of(d, 0, k));
        at += 11 + canvas_middle(c, at + 11, top + 6, &s, name) + 12;
    }
    return top + row - y;
}

/* The picture being drawn: next position, and width. */
struct picture {
    struct canvas *c;
    double x, y, width;
};

static void put_text(struct picture *p, struct odp_face face, struct rgb ink, struct odp_slice text,
                     double after)
{
    const struct style s = {.face = face, .width = p->width, .ink = ink};
    if (text.len > 0)
        p->y += canvas_text(p->c, p->x, p->y, &s, text) + after;
}

/* Places a text from label.c BEFORE points below the last one; nothing if the text is empty. */
static void put_words(struct picture *p, struct odp_face face, double before,
                      void (*make)(const struct odp_chart_data *, enum odp_lang, struct odp_buffer *))
{
    struct odp_buffer text = {0};
    make(p->c->d, p->c->lang, &text);
    p->c->failed |= text.failed;
    p->y += text.len > 0 ? before : 0;
    put_text(p, face, chart_soft, odp_buffer_slice(&text), 0);
    odp_buffer_release(&text);
}

/* Returns its height. */
static double draw_chart(struct canvas *c, double x, double y, double width)
{
    const double most = CHART_HEIGHT_MAX - 60;
    if (c->d->chart->type == ODP_CHART_LINE)
        return chart_line(c, x, y, width);
    if (chart_is_map(c->d))
        return chart_map(c, x, y, width);
    if (chart_is_histogram(c->d))
        return chart_histogram(c, x, y, width);
    if (chart_is_gantt(c->d))
        return chart_gantt(c, x, y, width);
    double h = c->d->nseries > 1 ? legend(c, x, y, width) + 4 : 0;
    return h + (chart_columns_fit(c, width) ? chart_columns(c, x, y + h, width)
                                            : chart_bars(c, x, y + h, width, most - h));
}

/* What is said above the chart: what is seen (else its title), then what is shown. */
static void put_title(struct picture *p, double size)
{
    const struct odp_chart *chart = p->c->d->chart;
    const struct odp_face face = {.size = size, .bold = true}, second = {.size = 9};
    struct odp_slice title = odp_slice_of(odp_text_get(&chart->title, p->c->lang)), text;
    struct odp_buffer headline = {0};
    odp_chart_data_headline(p->c->d, p->c->lang, &headline);
    p->c->failed |= headline.failed;
    text = odp_buffer_slice(&headline);
    put_text(p, face, chart_text, text.len > 0 ? text : title, 2);
    if (text.len > 0)
        put_text(p, second, chart_text, title, 1);
    put_text(p, chart_face_label, chart_text, odp_slice_of(odp_text_get(&chart->description, p->c->lang)), 1);
    odp_buffer_release(&headline);
}

/* "Jumlah kawasan", where the title is "Jumlah kawasan menurut tahun". */
static bool title_says_measure(struct canvas *c)
{
    struct odp_slice title = odp_slice_of(odp_text_get(&c->d->chart->title, c->lang));
    struct odp_buffer text = {0};
    chart_label_measure(c->d, c->lang, &text);
    bool says = text.len > 0 && title.len >= text.len && memcmp(title.ptr, text.ptr, text.len) == 0;
    c->failed |= text.failed;
    odp_buffer_release(&text);
    return says;
}

static void put_source(struct picture *p, const struct odp_chart_about *about)
{
    struct odp_buffer text = {0};
    odp_buffer_printf(&text, "%s%s", odp_word(p->c->lang, W_charts_source),
                      odp_text_get(&about->source, p->c->lang));
    if (about->license_name != NULL)
        odp_buffer_printf(&text, " · %s", about->license_name);
    p->c->failed |= text.failed;
    p->y += 5;
    put_text(p, chart_face_small, chart_soft, odp_buffer_slice(&text), 0);
    odp_buffer_release(&text);
}

/* SHEET and ABOUT: of a picture by itself; NULL of one whose title and source are beside it. */
static double draw(struct canvas *c, double at, double width, const struct sheet *sheet,
                   const struct odp_chart_about *about)
{
    struct picture p = {c, at, at, width};
    if (sheet != NULL)
        put_title(&p, sheet->title);
    if (odp_chart_data_is_empty(c->d)) {
        put_text(&p, chart_face_label, chart_soft, odp_slice_of(chart_label_nothing(c->d, c->lang)), 0);
        return p.y - at;
    }
    if (sheet == NULL || !title_says_measure(c))
        put_words(&p, chart_face_label, 0, chart_label_measure);
    p.y += sheet != NULL ? 9 : 5;
    p.y += draw_chart(c, p.x, p.y, width);
    put_words(&p, chart_face_small, 5, chart_label_notes);
    if (about != NULL)
        put_source(&p, about);
    return p.y - at;
}

double odp_chart_height(const struct odp_chart_data *d, struct odp_fonts *f, double width)
{
    double most = 0;
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        struct canvas c;
        canvas_init(&c, d, f, lang);
        double h = draw(&c, 0, width, NULL, NULL);
        most = h > most ? h : most;
        (void)canvas_release(&c);
    }
    return most;
}

enum odp_status odp_chart_draw(const struct odp_chart_data *d, struct odp_fonts *f, cairo_t *cr, double width,
                               enum odp_lang lang)
{
    struct canvas c;
    canvas_init(&c, d, f, lang);
    c.cr = cr;
    cairo_save(cr);
    cairo_new_path(cr);
    (void)draw(&c, 0, width, NULL, NULL);
    cairo_new_path(cr);
    cairo_restore(cr);
    bool failed = canvas_release(&c) || cairo_status(cr) != CAIRO_STATUS_SUCCESS;
    return failed ? odp_failure_set("draw a chart", d->chart->name, 0) : ODP_OK;
}

/* ---- SVG ---- */

static void add_head(const struct canvas *c, const struct sheet *sheet, double height, struct odp_buffer *out)
{
    const char *code = odp_lang_code(c->lang), *id = c->prefix;
    odp_buffer_add_str(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"");
    canvas_number(out, sheet->width * sheet->zoom);
    odp_buffer_add_str(out, "\" height=\"");
    canvas_number(out, height * sheet->zoom);
    odp_buffer_add_str(out, "\" viewBox=\"0 0 ");
    canvas_number(out, sheet->width);
    odp_buffer_add_char(out, ' ');
    canvas_number(out, height);
    odp_buffer_printf(
        out,
        "\" font-family=\"'Noto Sans','Segoe UI',Roboto,'Liberation Sans',sans-serif\" "
        "xml:space=\"preserve\" role=\"img\" lang=\"%s\" xml:lang=\"%s\" aria-labelledby=\"%s-t %s-d\">\n"
        "<title id=\"%s-t\">",
        code, code, id, id, id);
    canvas_escaped(out, odp_slice_of(odp_text_get(&c->d->chart->title, c->lang)));
    odp_buffer_printf(out, "</title>\n<desc id=\"%s-d\">", id);
}

/* Short: a digest of the name, "i3f09a". */
static void make_prefix(const char *name, enum odp_lang lang, char out[8])
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (const char *p = name; *p != '\0'; p++)
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    (void)snprintf(out, 8, "%c%05x", *odp_lang_code(lang), (unsigned)((h ^ (h >> 32)) & 0xFFFFF));
}

enum odp_status odp_chart_svg(const struct odp_chart_data *d, struct odp_fonts *f, enum odp_lang lang,
                              enum odp_chart_sheet of, const struct odp_chart_about *about,
                              struct odp_buffer *out)
{
    const struct sheet *sheet = &sheets[of];
    struct odp_buffer words = {0}, ink = {0};
    struct canvas c;
    char prefix[8];
    canvas_init(&c, d, f, lang);
    make_prefix(d->chart->name, lang, prefix);
    c.svg = &ink;
    c.prefix = prefix;
    odp_chart_data_alternative(d, lang, &words);
    double height = draw(&c, SVG_MARGIN, sheet->width - 2 * SVG_MARGIN, sheet, about) + 2 * SVG_MARGIN;
    add_head(&c, sheet, height, out);
    canvas_escaped(out, odp_buffer_slice(&words));
    odp_buffer_add_str(out, "</desc>\n");
    odp_svg_license(out, about->license_path);
    odp_buffer_add_str(out, "<style>:root{color-scheme:light dark}@media(prefers-color-scheme:dark){");
    chart_dark_style(odp_buffer_cstr(&ink), out);
    odp_buffer_add_str(out, "}</style>\n");
    odp_buffer_add_slice(out, odp_buffer_slice(&ink));
    odp_buffer_add_str(out, "</svg>\n");
    out->failed |= canvas_release(&c) || ink.failed || words.failed;
    odp_buffer_release(&ink);
    odp_buffer_release(&words);
    return out->failed || odp_fonts_status(f) != ODP_OK ? odp_failure_set("draw a chart", d->chart->name, 0)
                                                        : ODP_OK;
}

/* ---- PNG ---- */

enum { PNG_WIDTH = 1200, PNG_HEIGHT = 630, PNG_MARGIN = 44 };
#define PNG_LARGEST  2.5 /* pixels a unit */
#define PNG_SMALLEST 1.3

/* As large as it fits, in the middle. */
static void draw_png(struct canvas *c, cairo_t *cr, const struct odp_chart_about *about)
{
    const struct sheet *sheet = &sheets[ODP_CHART_WIDE];
    double zoom = PNG_LARGEST, height, width;
    for (;; zoom *= 0.94) {
        width = (PNG_WIDTH - 2 * PNG_MARGIN) / zoom;
        height = draw(c, 0, width, sheet, about);
        if (height * zoom <= PNG_HEIGHT - 2 * PNG_MARGIN || zoom < PNG_SMALLEST)
            break;
    }
    c->cr = cr;
    canvas_rect(c, 0, 0, PNG_WIDTH, PNG_HEIGHT, chart_white);
    canvas_rect(c, 0, 0, PNG_WIDTH, 12, chart_ink_of(c->d, 0, 0));
    double above = (PNG_HEIGHT - height * zoom) / 2;
    cairo_translate(cr, PNG_MARGIN, above > PNG_MARGIN ? (double)(int)above : PNG_MARGIN);
    cairo_scale(cr, zoom, zoom);
    (void)draw(c, 0, width, sheet, about);
}

enum odp_status odp_chart_png(const struct odp_chart_data *d, struct odp_fonts *f, enum odp_lang lang,
                              const struct odp_chart_about *about, struct odp_buffer *out)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, PNG_WIDTH, PNG_HEIGHT);
    cairo_t *cr = cairo_create(surface);
    struct canvas c;
    canvas_init(&c, d, f, lang);
    draw_png(&c, cr, about);
    odp_png_put(surface, out);
    bool failed = canvas_release(&c) || cairo_status(cr) != CAIRO_STATUS_SUCCESS || out->failed ||
                  odp_fonts_status(f) != ODP_OK;
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return failed ? odp_failure_set("draw a chart", d->chart->name, 0) : ODP_OK;
}
