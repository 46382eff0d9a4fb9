/* The whole picture: title, what is measured, legend, the chart itself, notes. Measuring and drawing are one
 * way through the same code, so a picture is as high as it says. */
#include "write/charts/charts_internal.h"

/* A row of swatches with their names, as many rows as it takes. */
static double legend(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width)
{
    struct odp_canvas_text how = {
        .type = odp_chart_face_label, .width = width * 0.45, .lines = 1, .ink = odp_chart_text};
    double at = x, top = y, w, h, row = 12;
    for (uint32_t k = 0; k < d->nseries; k++) {
        odp_canvas_measure(c, &how, d->series[k].label[c->lang], &w, &h);
        if (at > x && at + 11 + w > x + width) {
            at = x;
            top += row;
        }
        odp_canvas_rect(c, at, top + 2, 8, 8, odp_chart_ink_of(d, 0, k));
        at += 11 + odp_canvas_middle(c, at + 11, top + 6, &how, d->series[k].label[c->lang]) + 12;
    }
    return top + row - y;
}

static double text_block(struct odp_canvas *c, double x, double y, double width, struct odp_face face,
                         struct odp_rgb ink, struct odp_slice text, double after)
{
    struct odp_canvas_text how = {.type = face, .width = width, .ink = ink};
    return text.len > 0 ? odp_canvas_text(c, x, y, &how, text) + after : 0;
}

/* Text that a function of label.c makes. */
static double words(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width,
                    struct odp_face face,
                    void (*make)(const struct odp_chart_data *, enum odp_lang, struct odp_buffer *))
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    make(d, c->lang, &text);
    c->failed |= text.failed;
    double h = text_block(c, x, y, width, face, odp_chart_soft, odp_buffer_slice(&text), 0);
    odp_buffer_release(&text);
    return h;
}

static double body(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width,
                   double most)
{
    double h = 0;
    switch (d->chart->type) {
    case ODP_CHART_LINE:
        return odp_chart_line(d, c, x, y, width);
    case ODP_CHART_MAP:
        return odp_chart_map(d, c, x, y, width);
    case ODP_CHART_BAR:
    case ODP_CHART_STACKED:
        break;
    }
    if (d->nseries > 1)
        h = legend(d, c, x, y, width) + 4;
    return h + (odp_chart_columns_fit(d, c, width) ? odp_chart_columns(d, c, x, y + h, width)
                                                   : odp_chart_bars(d, c, x, y + h, width, most - h));
}

double odp_chart_picture(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y,
                         double width, bool title)
{
    double at = y;
    if (title) {
        at += text_block(c, x, at, width, odp_chart_face_title, odp_chart_text,
                         odp_slice_of(odp_text_get(&d->chart->title, c->lang)), 2);
        at += text_block(c, x, at, width, odp_chart_face_label, odp_chart_text,
                         odp_slice_of(odp_text_get(&d->chart->description, c->lang)), 3);
    }
    if (odp_chart_data_is_empty(d))
        return at +
               text_block(c, x, at, width, odp_chart_face_label, odp_chart_soft,
                          odp_slice_of(odp_chart_label_nothing(d, c->lang)), 0) -
               y;
    at += words(d, c, x, at, width, odp_chart_face_label, odp_chart_label_measure) + 5;
    at += body(d, c, x, at, width, ODP_CHART_HEIGHT_MAX - 60);
    double notes = words(d, c, x, at + 5, width, odp_chart_face_small, odp_chart_label_notes);
    return at + (notes > 0 ? notes + 5 : 0) - y;
}

double odp_chart_height(const struct odp_chart_data *d, struct odp_fonts *f, double width)
{
    double most = 0;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_canvas c;
        odp_canvas_init(&c, f, NULL, NULL, (enum odp_lang)lang);
        double h = odp_chart_picture(d, &c, 0, 0, width, false);
        most = h > most ? h : most;
        (void)odp_canvas_release(&c);
    }
    return most;
}

enum odp_status odp_chart_draw(const struct odp_chart_data *d, struct odp_fonts *f, cairo_t *cr, double width,
                               enum odp_lang lang)
{
    struct odp_canvas c;
    odp_canvas_init(&c, f, cr, NULL, lang);
    cairo_save(cr);
    cairo_new_path(cr);
    (void)odp_chart_picture(d, &c, 0, 0, width, false);
    cairo_new_path(cr);
    cairo_restore(cr);
    bool failed = odp_canvas_release(&c) || cairo_status(cr) != CAIRO_STATUS_SUCCESS;
    return failed ? odp_failure_set("draw a chart", d->chart->name, 0) : ODP_OK;
}
