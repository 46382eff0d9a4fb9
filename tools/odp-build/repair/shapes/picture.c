/* Every changed shape, before and after, as a page: templates/mend. What changes may be a thousandth of the
 * shape, so it is magnified then, and a third picture shows where it is. */
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/template/template.h"
#include "base/temporary.h"
#include "base/text.h"
#include "read/source.h"
#include "repair/shapes/mend_internal.h"

extern const struct odp_template_text odp_mend_templates[];
extern const unsigned char odp_mend_model_json[], odp_mend_style_css[], odp_report_style_css[];

enum {
    WIDTH = 400,
    HEIGHT = 300,
    MARGIN = 12,
    DRAWN_MAX = 200,
    MARKS_MAX = 64,
    DETAILED = 60 /* points: what changes may be too small to be seen */
};

/* What of the file's plane is drawn: BOX, and how large. */
struct view {
    double box[4], scale, stretch; /* pixels a unit of y; units of y that look as long as one of x */
};

/* ---- figures ---- */

static double area_of(const struct mend_content *c)
{
    double sum = 0, south = INFINITY, north = -INFINITY, far = 0;
    for (uint32_t k = 0; k < c->nparts; k++) {
        uint32_t from, to;
        mend_part(c, k, &from, &to);
        double x0 = mend_number(c->xy + 16 * (size_t)from), y0 = mend_number(c->xy + 16 * (size_t)from + 8),
               px = 0, py = 0;
        for (uint32_t i = from; i < to; i++) {
            double x = mend_number(c->xy + 16 * (size_t)i) - x0,
                   y = mend_number(c->xy + 16 * (size_t)i + 8) - y0;
            sum += px * y - x * py;
            px = x, py = y;
            south = fmin(south, y + y0);
            north = fmax(north, y + y0);
            far = fmax(far, fabs(x + x0));
        }
    }
    const double degree = 111195; /* metres, on a sphere of the earth's size: right to half a per cent */
    bool degrees = far <= 360 && south >= -90 && north <= 90;
    return fabs(sum) / 2 * (degrees ? degree * degree * cos((south + north) / 2 * 0.017453292519943295) : 1);
}

void mend_measure(const struct mend *m, const struct mend_change *c, struct odp_shape_change *out)
{
    const size_t at[2] = {c->before, c->after}, n[2] = {c->nbefore, c->nafter};
    *out = (struct odp_shape_change){0};
    for (int i = 0; i < 2; i++) {
        struct mend_content x;
        if (!mend_read((const uint8_t *)m->bodies.ptr + at[i], n[i], &x))
            continue;
        out->points[i] = x.npoints;
        out->parts[i] = x.nparts;
        bool areal = x.type == SHPT_POLYGON || x.type == SHPT_POLYGONZ || x.type == SHPT_POLYGONM;
        out->hectares[i] = areal ? area_of(&x) / 10000 : 0;
    }
}

static json_t *pair(uint32_t a, uint32_t b, enum odp_lang lang)
{
    struct odp_buffer text = {0};
    odp_text_number(&text, a, lang);
    odp_buffer_add_str(&text, " → ");
    odp_text_number(&text, b, lang);
    json_t *s = json_string(odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    return s;
}

void odp_shape_change_area(const struct odp_shape_change *c, enum odp_lang lang, struct odp_buffer *out)
{
    for (int i = 0; i < 2; i++) {
        char text[64];
        double v = c->hectares[i] < 1e12 ? c->hectares[i] : 0;
        odp_buffer_add_str(out, i > 0 ? " → " : "");
        odp_text_decimal(out, (struct odp_slice){text, odp_decimal_fixed(v, v < 1 ? 4 : 2, text)}, lang);
        odp_buffer_add_str(out, " ha");
    }
    if (c->hectares[0] > 0) {
        char text[64];
        double percent = (c->hectares[1] / c->hectares[0] - 1) * 100;
        if (!(fabs(percent) < 1e6))
            return;
        odp_buffer_add_str(out, percent > 0 ? " (+" : " (");
        odp_text_decimal(out, (struct odp_slice){text, odp_decimal_fixed(percent, 2, text)}, lang);
        odp_buffer_add_str(out, " %)");
    }
}

/* ---- what is drawn ---- */

static int by_value(const void *a, const void *b)
{
    return memcmp(a, b, 16); /* any order of points does */
}

/* The points of C, sorted. */
static const uint8_t *sorted(struct odp_arena *a, const struct mend_content *c)
{
    uint8_t *p = odp_arena_alloc(a, 16 * (size_t)c->npoints + 1);
    memcpy(p, c->xy, 16 * (size_t)c->npoints);
    qsort(p, c->npoints, 16, by_value);
    return p;
}

static void extend(const struct mend_content *c, double box[4], bool *has)
{
    for (uint32_t i = 0; i < c->npoints; i++) {
        double x = mend_number(c->xy + 16 * (size_t)i), y = mend_number(c->xy + 16 * (size_t)i + 8);
        odp_bbox_extend(box, has, (const double[]){x, y, x, y});
    }
}

/* Places where a shape changes: points that only one of both has. */
struct places {
    const uint8_t *at[MARKS_MAX];
    size_t n;
};

static void find_places(const struct mend_content *c, const uint8_t *other, uint32_t n, struct places *out)
{
    for (uint32_t i = 0; i < c->npoints && out->n < MARKS_MAX; i++)
        if (bsearch(c->xy + 16 * (size_t)i, other, n, 16, by_value) == NULL)
            out->at[out->n++] = c->xy + 16 * (size_t)i;
}

static struct view view_of(const double box[4], double stretch)
{
    struct view v = {.stretch = stretch};
    memcpy(v.box, box, sizeof v.box);
    double w = (box[2] - box[0]) * stretch, h = box[3] - box[1];
    v.scale = fmin(w > 0 ? (WIDTH - 2 * MARGIN) / w : INFINITY, h > 0 ? (HEIGHT - 2 * MARGIN) / h : INFINITY);
    v.scale = isfinite(v.scale) ? v.scale : 1;
    return v;
}

/* A place in tenths of a pixel, not far beyond the picture's edge. */
static void place(const struct view *v, const uint8_t *p, int out[2])
{
    double x = WIDTH / 2.0 + (mend_number(p) - (v->box[0] + v->box[2]) / 2) * v->stretch * v->scale;
    double y = HEIGHT / 2.0 - (mend_number(p + 8) - (v->box[1] + v->box[3]) / 2) * v->scale;
    out[0] = (int)lround(fmax(-2.0 * WIDTH, fmin(3.0 * WIDTH, x)) * 10);
    out[1] = (int)lround(fmax(-2.0 * HEIGHT, fmin(3.0 * HEIGHT, y)) * 10);
}

static json_t *draw(const struct mend_content *c, const struct view *v)
{
    struct odp_buffer d = {0};
    for (uint32_t k = 0; k < c->nparts; k++) {
        uint32_t from, to;
        int last[2] = {0, 0}, at[2];
        mend_part(c, k, &from, &to);
        for (uint32_t i = from; i < to; i++) {
            place(v, c->xy + 16 * (size_t)i, at);
            if (i == from || at[0] != last[0] || at[1] != last[1])
                odp_buffer_printf(&d, "%s%.1f %.1f", i == from ? "M" : "L", at[0] / 10.0, at[1] / 10.0);
            last[0] = at[0], last[1] = at[1];
        }
    }
    json_t *s = json_string(odp_buffer_cstr(&d));
    odp_buffer_release(&d);
    return s;
}

/* The first place, and those near it. */
static void first_place(const struct places *p, const struct view *all, double box[4])
{
    const double x = mend_number(p->at[0]), y = mend_number(p->at[0] + 8), near = WIDTH / 48.0 / all->scale;
    bool has = false;
    for (size_t i = 0; i < p->n; i++) {
        double px = mend_number(p->at[i]), py = mend_number(p->at[i] + 8);
        if (fabs(px - x) * all->stretch <= near && fabs(py - y) <= near)
            odp_bbox_extend(box, &has, (const double[]){px, py, px, py});
    }
}

/* The third picture, and in *NEAR what the other two show. */
static void magnify(json_t *o, const struct mend_content *after, const struct view *all,
                    const struct places *p, struct view *near)
{
    double box[4] = {0};
    first_place(p, all, box);
    double more = fmax(fmax((box[2] - box[0]) * all->stretch, box[3] - box[1]), 6 / all->scale) * 0.6;
    for (int i = 0; i < 2; i++) {
        double unit = i == 0 ? all->stretch : 1;
        box[i] -= more / unit;
        box[i + 2] += more / unit;
    }
    *near = view_of(box, all->stretch);
    int a[2], b[2];
    const double corner[2][2] = {{box[0], box[3]}, {box[2], box[1]}};
    json_t *marks = json_array();
    for (size_t i = 0; i < p->n; i++) {
        place(all, p->at[i], a);
        json_array_append_new(marks, json_pack("{s:i, s:i}", "x", a[0] / 10, "y", a[1] / 10));
    }
    place(all, (const uint8_t *)corner[0], a);
    place(all, (const uint8_t *)corner[1], b);
    json_object_set_new(o, "zoom", json_integer(lround(near->scale / all->scale)));
    json_object_set_new(o, "whole",
                        json_pack("{s:o, s:o, s:i, s:i, s:i, s:i}", "path", draw(after, all), "marks", marks,
                                  "x", a[0] / 10, "y", a[1] / 10, "width", (b[0] - a[0]) / 10 + 1, "height",
                                  (b[1] - a[1]) / 10 + 1));
}

static void draw_change(json_t *o, const struct mend *m, const struct mend_change *c)
{
    struct mend_content before, after;
    struct odp_arena a = {0};
    struct places p = {.n = 0};
    double box[4] = {0};
    bool has = false;
    const uint8_t *bodies = (const uint8_t *)m->bodies.ptr;
    if (!mend_read(bodies + c->before, c->nbefore, &before) ||
        !mend_read(bodies + c->after, c->nafter, &after))
        return;
    extend(&before, box, &has);
    extend(&after, box, &has);
    find_places(&after, sorted(&a, &before), before.npoints, &p);
    find_places(&before, sorted(&a, &after), after.npoints, &p);
    bool degrees = fabs(box[0]) <= 360 && fabs(box[2]) <= 360 && box[1] >= -90 && box[3] <= 90;
    double stretch = degrees ? fmax(cos((box[1] + box[3]) / 2 * 0.017453292519943295), 0.05) : 1;
    struct view all = view_of(box, stretch), near = all;
    if (p.n > 0 && p.n < MARKS_MAX && before.npoints > DETAILED)
        magnify(o, &after, &all, &p, &near);
    json_object_set_new(o, "before", draw(&before, &near));
    json_object_set_new(o, "after", draw(&after, &near));
    odp_arena_release(&a);
}

/* ---- the page ---- */

/* What names a record: its key, or its first column that is public. NULL: nothing does. */
static json_t *key_of(const struct shape_source *s, uint64_t shape)
{
    const struct odp_resource *r = s->base.resource;
    struct shape_stream st = {.part = &s->parts[SHAPE_DBF]};
    uint32_t field = r->schema.primary.n > 0 ? r->schema.primary.fields[0] : 0;
    int column =
        field < r->schema.n && r->schema.fields[field].is_public ? s->base.info.column_of_field[field] : -1;
    if (column < 0 || (uint32_t)column >= s->dbf.nfields)
        return NULL;
    const struct shape_field *f = &s->dbf.fields[column];
    const uint8_t *p = shape_at(&st, s->dbf.header + shape * s->dbf.width + f->offset, f->width);
    struct odp_arena a = {0};
    size_t bad;
    struct odp_slice text = odp_slice_trim((struct odp_slice){(const char *)p, p != NULL ? f->width : 0});
    if (text.len > 0 && shape_decode(s, &s->workers[0], &a, text, &text, &bad) == ODP_FAIL)
        text.len = 0;
    json_t *out = text.len > 0 ? json_stringn(text.ptr, text.len) : NULL;
    odp_arena_release(&a);
    shape_stream_release(&st);
    return out;
}

static json_t *changes(const struct mend *m, const struct shape_source *s, enum odp_lang lang)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->nchanges && i < DRAWN_MAX; i++) {
        const struct mend_change *c = &m->changes[i];
        struct odp_shape_change figures;
        mend_measure(m, c, &figures);
        json_t *o = json_pack("{s:I, s:o, s:o}", "record", (json_int_t)c->edit->at, "points",
                              pair(figures.points[0], figures.points[1], lang), "parts",
                              pair(figures.parts[0], figures.parts[1], lang));
        if (figures.hectares[1] > 0) {
            struct odp_buffer area = {0};
            odp_shape_change_area(&figures, lang, &area);
            json_object_set_new(o, "area", json_string(odp_buffer_cstr(&area)));
            odp_buffer_release(&area);
        }
        json_t *key = s != NULL ? key_of(s, c->edit->at - 1) : NULL;
        if (key != NULL)
            json_object_set_new(o, "key", key);
        draw_change(o, m, c);
        json_array_append_new(list, o);
    }
    return list;
}

enum odp_status mend_picture(const struct mend *m, const char *path, enum odp_lang lang)
{
    const struct odp_code_info *info = odp_code_info((enum odp_code)m->changes[0].edit->place);
    struct odp_source *source = NULL;
    struct odp_diags *own = NULL;
    struct odp_buffer out = {0};
    enum odp_status status = odp_diags_new(&own, 1);
    if (status == ODP_OK) /* as far as it opens: only to name the records */
        status = odp_source_open(&source, m->edits->resource, m->how->path, m->how->path, 1, own);
    if (status != ODP_FAIL) {
        json_t *list = changes(m, status == ODP_OK ? (const void *)source : NULL, lang);
        json_t *page =
            json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "lang", lang == ODP_LANG_EN ? "en" : "id", "file",
                      m->how->file, "code", info->code, "title", odp_text_get(&info->words.title, lang),
                      "count", (json_int_t)m->nchanges, "changes", list);
        json_object_set_new(page, "style",
                            json_sprintf("<style>%s%s</style>", (const char *)odp_report_style_css,
                                         (const char *)odp_mend_style_css));
        if (m->nchanges > DRAWN_MAX)
            json_object_set_new(page, "more", json_integer((json_int_t)(m->nchanges - DRAWN_MAX)));
        status = odp_templates_write(odp_mend_templates, odp_mend_model_json, "shapes", lang, page, &out);
    }
    if (status == ODP_OK)
        status = odp_file_replace(path, odp_buffer_slice(&out), 0600);
    odp_source_close(source);
    odp_diags_free(own);
    odp_buffer_release(&out);
    return status;
}
