/* The map of the brief: the places of the boundaries, coloured by a figure of the summary, as on the
 * dataset's page. */
#include <stdlib.h>

#include "words/summary.h"
#include "write/pdf/pdf_internal.h"
#include "write/summary/areas.h"

enum { CLASSES = ODP_THEME_RAMP, BOX = 8 /* points: height of the legend's boxes */ };

struct odp_print_map {
    const struct odp_print_job *job;
    const struct odp_resource *list; /* the places, in the edition that is drawn */
    const struct odp_place_shapes *shapes;
    struct odp_areas figures[ODP_LANGS];
    struct odp_buffer words[ODP_LANGS]; /* the alternative, and whose boundaries these are */
    double ramp[CLASSES + 1][3];        /* the last: no figure */
};

static void read_color(const char *hex, double out[3])
{
    const unsigned long rgb = strtoul(hex + 1, NULL, 16);
    for (int i = 0; i < 3; i++)
        out[i] = (double)(rgb >> (16 - 8 * i) & 0xFF) / 255;
}

static const char *name_of(const void *ctx, const char *code, enum odp_lang lang)
{
    const struct odp_print_map *m = ctx;
    const struct odp_code_label *label = odp_code_lists_label(m->job->codes, m->list, odp_slice_of(code));
    return label != NULL ? odp_text_get(&label->text, lang) : "";
}

static void say(struct odp_print_map *m, const struct odp_resource *drawn, enum odp_lang lang)
{
    const struct odp_text by = odp_facts_member(drawn->dataset->json, "sdi:produsenData");
    struct odp_buffer *out = &m->words[lang];
    odp_areas_alternative(out, &m->figures[lang]);
    odp_buffer_add_char(out, ' ');
    odp_buffer_printf(out, odp_word(lang, W_summary_areas_boundaries),
                      odp_text_get(odp_text_is_empty(&by) ? &drawn->dataset->title : &by, lang));
    odp_buffer_add_char(out, '.');
}

struct odp_print_map *odp_print_map_new(const struct odp_print_job *job, const json_t *summary,
                                        struct odp_arena *a)
{
    const struct odp_resource *drawn = odp_boundaries_for(job->catalog, job->resource);
    const struct odp_place_shapes *shapes = odp_code_lists_shapes(job->codes, drawn);
    const struct odp_resource *list = drawn != NULL ? odp_boundaries_of(drawn) : NULL;
    if (shapes == NULL || odp_areas_measure(summary, list->dataset->slug) < 0)
        return NULL;
    struct odp_print_map *m = odp_arena_zero(a, 1, sizeof *m);
    const char **codes = odp_arena_array(a, shapes->n, sizeof *codes);
    *m = (struct odp_print_map){.job = job, .list = list, .shapes = shapes};
    for (size_t i = 0; i < shapes->n; i++)
        codes[i] = shapes->shapes[i].code;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_areas_init(&m->figures[lang], &(struct odp_areas_of){.summary = summary,
                                                                 .level = list->dataset->slug,
                                                                 .list = odp_text_get(&list->dataset->title,
                                                                                      (enum odp_lang)lang),
                                                                 .codes = codes,
                                                                 .nshapes = shapes->n,
                                                                 .name = name_of,
                                                                 .ctx = m,
                                                                 .lang = (enum odp_lang)lang});
        say(m, drawn, (enum odp_lang)lang);
    }
    for (int i = 0; i < CLASSES; i++) {
        char hex[8];
        odp_theme_ramp(&job->catalog->theme, ODP_THEME_LIGHT, i, hex);
        read_color(hex, m->ramp[i]);
    }
    read_color("#e6e7e8", m->ramp[CLASSES]); /* --missing of tokens.css */
    return m;
}

void odp_print_map_free(struct odp_print_map *m)
{
    for (int lang = 0; m != NULL && lang < ODP_LANGS; lang++) {
        odp_areas_release(&m->figures[lang]);
        odp_buffer_release(&m->words[lang]);
    }
}

/* ---- drawing it ---- */

static void set_ink(const struct odp_print_map *m, cairo_t *cr, int class)
{
    const size_t n = json_array_size(m->figures[ODP_LANG_ID].breaks) + 1;
    const double *rgb = m->ramp[class < 0 ? CLASSES : odp_areas_shade((size_t) class, n, CLASSES)];
    cairo_set_source_rgb(cr, rgb[0], rgb[1], rgb[2]);
}

static void draw_shape(const struct odp_print_map *m, cairo_t *cr, const struct odp_chart_frame *f, size_t i)
{
    const struct odp_place_shape *shape = &m->shapes->shapes[i];
    for (uint32_t k = 0; k < shape->nparts; k++) {
        for (uint32_t at = shape->part[k]; at < shape->part[k + 1]; at++)
            odp_chart_frame_point(cr, f, at > shape->part[k], shape->xy[2 * at], shape->xy[2 * at + 1]);
        cairo_close_path(cr);
    }
    set_ink(m, cr, m->figures[ODP_LANG_ID].shapes[i].class);
    cairo_fill_preserve(cr);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_stroke(cr);
}

static void draw(const struct odp_print_map *m, cairo_t *cr, const struct odp_chart_frame *f)
{
    cairo_save(cr);
    cairo_rectangle(cr, f->left, f->top, f->width, f->height);
    cairo_clip_preserve(cr);
    cairo_set_source_rgb(cr, 0.93, 0.955, 0.97); /* sea */
    cairo_fill(cr);
    cairo_set_source_rgb(cr, 0.945, 0.94, 0.925);
    odp_chart_land_fill(cr, f, true);
    cairo_set_line_width(cr, 0.4);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    for (size_t i = 0; i < m->shapes->n; i++)
        draw_shape(m, cr, f, i);
    cairo_restore(cr);
}

static void box(const struct odp_print_map *m, struct odp_paper *p, int class, double x, double width)
{
    if (!p->drawing)
        return;
    set_ink(m, p->cr, class);
    cairo_rectangle(p->cr, x, p->y, width, BOX);
    cairo_fill(p->cr);
    odp_paper_ink(p, ODP_INK_TEXT);
}

/* Boxes side by side, where each begins below it; what has no figure at the end. */
static void set_legend(const struct odp_print_map *m, struct odp_paper *p)
{
    const struct odp_areas *f = &m->figures[ODP_LANG_ID];
    const size_t n = json_array_size(f->breaks) + 1;
    const double wide = (p->right - p->left) / (CLASSES + 3);
    struct odp_buffer text = {0};
    for (size_t i = 0; i < n; i++)
        box(m, p, (int)i, p->left + (double)i * wide, wide);
    for (size_t i = 0; i + 1 < n; i++) {
        odp_buffer_clear(&text);
        odp_areas_bound(&text, f, i);
        (void)odp_paper_text(p, odp_box(p->left + (double)(i + 1) * wide, p->y + BOX + 1, wide),
                             odp_type_small, odp_buffer_slice(&text));
    }
    if (f->missing > 0) {
        const double x = p->left + (double)n * wide + 16;
        box(m, p, -1, x, 20);
        (void)odp_paper_text(p, odp_box(x, p->y + BOX + 1, 2 * wide), odp_type_small,
                             odp_slice_of(odp_word(ODP_LANG_ID, W_summary_areas_missing)));
    }
    p->failed |= text.failed;
    odp_buffer_release(&text);
    p->y += BOX + 14;
}

void odp_print_map_set(struct odp_print_map *m, struct odp_paper *p)
{
    struct odp_chart_frame f = {.left = p->left, .width = p->right - p->left};
    const struct odp_slice id = odp_buffer_slice(&m->words[ODP_LANG_ID]);
    odp_chart_frame_fit(&f, m->shapes->box, 0.3, 0.7);
    odp_paper_heading(p, 2, m->figures[ODP_LANG_ID].heading, "peta",
                      f.height + BOX + 40 + odp_paper_text_height(p, f.width, odp_type_small, id));
    odp_paper_figure(p, odp_buffer_cstr(&m->words[ODP_LANG_ID]));
    f.top = p->y;
    if (p->drawing)
        draw(m, p->cr, &f);
    p->y += f.height + 6;
    set_legend(m, p);
    odp_paper_untag(p, "Figure");
    odp_paper_paragraph(p, "Caption", odp_type_small, ODP_INK_TEXT, id, 4);
    odp_paper_paragraph(p, "P", odp_type_small, ODP_INK_SOFT, odp_buffer_slice(&m->words[ODP_LANG_EN]), 4);
    p->failed |= m->words[ODP_LANG_ID].failed || m->words[ODP_LANG_EN].failed;
    p->y += 14;
}
