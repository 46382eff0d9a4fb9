/* The document of a map: what it is, then its features or its grid. */
#include "write/map/map_internal.h"

#include <math.h>

#include "base/json.h"
#include "base/map.h"
#include "words/write.h"

#define FINEST 0.00001 /* degrees: the last decimal that is written, about a metre */
/* Pixels of a screen's width, and those of one shape that a reader looks at: a triangle of less than half a
 * pixel goes. The downloads have all points. */
enum { WHOLE_PIXELS = 1024, SHAPE_PIXELS = 96 };

static void add_key(struct odp_buffer *out, const char *before, const char *name)
{
    odp_json_add_str(out, before, name);
    odp_buffer_add_char(out, ':');
}

static void add_title(struct odp_buffer *out, const struct odp_field *f)
{
    struct odp_text name = {{f->name, f->name}};
    odp_json_add_text(out, ",\"title\":", odp_text_is_empty(&f->title) ? &name : &f->title);
}

static void add_number(struct odp_buffer *out, double v, int places)
{
    char text[40];
    odp_buffer_add(out, text, odp_decimal_fixed(v, places, text));
}

/* VALUE of FIELD and its meaning in both languages: its category's label, its name in a code list, else the
 * value. */
static void add_value(struct odp_buffer *out, bool more, const struct odp_emit_job *job, uint32_t field,
                      struct odp_slice value, struct odp_arena *a)
{
    odp_json_add_slice(out, more ? ",{\"value\":" : "{\"value\":", value);
    struct odp_text label = odp_code_lists_find(job->codes, job->resource, field, value);
    if (odp_text_is_empty(&label)) {
        const char *text = odp_arena_copy(a, value).ptr;
        label = (struct odp_text){{text, text}};
    }
    odp_json_add_text(out, ",\"label\":", &label);
}

static void add_entry(struct odp_buffer *out, uint64_t n, const char *color)
{
    odp_json_add_u64(out, ",\"count\":", n);
    if (color != NULL)
        odp_buffer_printf(out, ",\"color\":\"%s\"", color);
    odp_buffer_add_char(out, '}');
}

/* L: NULL where no column divides the records. */
static void add_category(struct odp_buffer *out, const struct map_emit *e, const struct map_legend *l,
                         struct odp_arena *a)
{
    static const struct odp_text others = {{W_write_other_not_stated}};
    const struct odp_emit_job *job = e->file.base.job;
    odp_buffer_add_str(out, ",\"category\":");
    if (l == NULL) {
        odp_buffer_add_str(out, "null");
        return;
    }
    const struct odp_field *f = &job->resource->schema.fields[l->field];
    odp_json_add_str(out, "{\"field\":", f->name);
    add_title(out, f);
    odp_buffer_add_str(out, l->ordered ? ",\"ordered\":true,\"values\":[" : ",\"values\":[");
    for (uint32_t i = 0; i < l->n; i++) {
        const struct map_value *v = &e->categories.values[l->value[i]];
        add_value(out, i > 0, job, l->field, v->value, a);
        add_entry(out, v->count, map_legend_color(l, i));
    }
    if (l->others > 0) {
        odp_json_add_text(out,
                          l->n > 0 ? ",{\"value\":null,\"label\":" : "{\"value\":null,\"label\":", &others);
        add_entry(out, l->others, map_legend_color(l, l->n));
    }
    odp_buffer_add_str(out, "]}");
}

/* The five places with most records; empty where records do not name a place. */
static void add_places(struct odp_buffer *out, const struct map_emit *e, struct odp_arena *a)
{
    const struct map_tally *t = &e->places;
    const struct odp_emit_job *job = e->file.base.job;
    uint32_t best[5], n = 0;
    if (e->plan.place == MAP_NONE || t->crowded || t->n == 0) {
        odp_buffer_add_str(out, ",\"place\":null");
        return;
    }
    for (uint32_t i = 1; i <= t->n; i++) {
        uint32_t k = n < 5 ? n++ : 5;
        for (; k > 0 && (t->values[best[k - 1]].count < t->values[i].count ||
                         (t->values[best[k - 1]].count == t->values[i].count &&
                          odp_slice_cmp(t->values[best[k - 1]].value, t->values[i].value) > 0));
             k--)
            if (k < 5)
                best[k] = best[k - 1];
        if (k < 5)
            best[k] = i;
    }
    uint32_t field = e->plan.field[e->plan.place];
    const struct odp_field *f = &job->resource->schema.fields[field];
    odp_json_add_str(out, ",\"place\":{\"field\":", f->name);
    add_title(out, f);
    odp_buffer_printf(out, ",\"different\":%u,\"values\":[", t->n);
    for (uint32_t k = 0; k < n; k++) {
        add_value(out, k > 0, job, field, t->values[best[k]].value, a);
        add_entry(out, t->values[best[k]].count, NULL);
    }
    odp_buffer_add_str(out, "]}");
}

/* BBOX: of what is drawn, as it is written (RFC 7946, section 5). */
static void add_head(struct odp_buffer *out, const struct map_emit *e, const double bbox[4], bool has_bbox)
{
    const struct odp_resource *r = e->file.base.job->resource;
    odp_json_add_str(out,
                     "{\"type\":\"FeatureCollection\",\"name\":", r->primary ? r->dataset->slug : r->name);
    for (int k = 0; k < 4 && has_bbox; k++) {
        odp_buffer_add_str(out, k == 0 ? ",\"bbox\":[" : ",");
        add_number(out, bbox[k], 7);
    }
    odp_json_add_str(
        out, has_bbox ? "],\"odp\":{\"version\":" : ",\"odp\":{\"version\":", e->file.base.job->version);
    odp_buffer_printf(out, ",\"total\":%llu,\"located\":%llu", (unsigned long long)e->total,
                      (unsigned long long)e->located);
}

/* ---- features ---- */

static uint32_t read_length(const char *at)
{
    uint32_t len;
    memcpy(&len, at, sizeof len);
    return len;
}

/* Positions of the plan's fields in the text of record M. */
static void find_values(const struct map_emit *e, const struct map_record *m, struct odp_slice *value)
{
    const char *at = e->text.ptr + m->values;
    for (uint32_t k = 0; k < e->plan.n; k++) {
        uint32_t len = read_length(at);
        at += sizeof len;
        value[k] = len == UINT32_MAX ? (struct odp_slice){NULL, 0} : (struct odp_slice){at, len};
        at += value[k].len;
    }
}

/* "labels": what the codes mean that records here have in the plan's field K; nothing where they say it
 * themselves, or are too many. */
static void add_labels(struct odp_buffer *out, const struct map_emit *e, uint32_t k)
{
    const struct odp_emit_job *job = e->file.base.job;
    const struct map_record *records = (const void *)e->records.ptr;
    struct odp_slice value[ODP_COUNT(e->plan.field)];
    struct odp_map seen = {0};
    bool says[ODP_LANGS], fresh;
    odp_code_lists_say(job->codes, job->resource, e->plan.field[k], says);
    for (size_t i = 0; (says[0] || says[1]) && i < e->records.len / sizeof *records; i++) {
        find_values(e, &records[i], value);
        fresh = false;
        if (value[k].ptr != NULL && seen.n < MAP_LABELS)
            (void)odp_map_put(&seen, value[k], &fresh);
        struct odp_text name =
            fresh ? odp_code_lists_find(job->codes, job->resource, e->plan.field[k], value[k])
                  : (struct odp_text){{"", ""}};
        if (odp_text_is_empty(&name))
            continue;
        odp_json_add_slice(out, strchr(odp_buffer_cstr(out), '{') == NULL ? ",\"labels\":{" : ",", value[k]);
        odp_json_add_text(out, ":", &name);
    }
    odp_buffer_add_str(out, out->len > 0 ? "}" : "");
    if (seen.n == MAP_LABELS)
        odp_buffer_clear(out);
    odp_map_release(&seen);
}

static void add_fields(struct odp_buffer *out, const struct map_emit *e, const uint32_t *order, uint32_t n)
{
    const struct odp_schema *s = &e->file.base.job->resource->schema;
    struct odp_buffer labels = {0};
    odp_buffer_add_str(out, ",\"fields\":[");
    for (uint32_t i = 0; i < n; i++) {
        const struct odp_field *f = &s->fields[e->plan.field[order[i]]];
        odp_json_add_str(out, i > 0 ? ",{\"name\":" : "{\"name\":", f->name);
        add_title(out, f);
        if (odp_text_is_empty(&f->unit))
            odp_buffer_add_str(out, ",\"unit\":null");
        else
            odp_json_add_text(out, ",\"unit\":", &f->unit);
        odp_buffer_printf(out, ",\"type\":\"%s\"", odp_type_name(f->type));
        odp_buffer_clear(&labels);
        add_labels(&labels, e, order[i]);
        out->failed |= labels.failed;
        odp_buffer_add_slice(out, odp_buffer_slice(&labels));
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_char(out, ']');
    odp_buffer_release(&labels);
}

static void add_feature(struct odp_buffer *out, struct map_emit *e, const struct map_record *m,
                        const uint32_t *order, uint32_t n)
{
    const struct odp_schema *s = &e->file.base.job->resource->schema;
    struct odp_slice value[ODP_COUNT(e->plan.field)];
    struct odp_geom g;
    odp_buffer_add_str(out, "{\"type\":\"Feature\",\"id\":");
    odp_buffer_add(out, e->text.ptr + m->id, m->values - m->id);
    odp_buffer_add_str(out, ",\"geometry\":");
    if (m->geometry != UINT64_MAX && odp_simplifier_get(e->shapes, (size_t)m->geometry, &g))
        odp_geom_add_geojson(out, &g);
    else
        odp_buffer_add_str(out, "null");
    odp_buffer_add_str(out, ",\"properties\":{");
    find_values(e, m, value);
    for (uint32_t i = 0; i < n; i++) {
        add_key(out, i > 0 ? "," : "", s->fields[e->plan.field[order[i]]].name);
        if (value[order[i]].ptr != NULL)
            odp_json_add_string(out, value[order[i]]);
        else
            odp_buffer_add_str(out, "null");
    }
    odp_buffer_add_str(out, "}}");
}

/* The fields that there is room for, in the schema's order; *BYTES: what they take. */
static uint32_t choose_fields(const struct map_emit *e, uint32_t *order, uint64_t *bytes)
{
    uint32_t n = 0;
    uint64_t more = 0;
    for (uint32_t k = 0; k < e->plan.n; k++) {
        bool fits =
            more + e->wide[k] <= MAP_PROPERTY_BYTES && e->least + more + e->wide[k] <= MAP_BYTES * 3 / 4;
        if (k >= e->plan.must && !fits)
            continue;
        more += k < e->plan.must ? 0 : e->wide[k]; /* LEAST has the others */
        uint32_t at = n++;
        for (; at > 0 && e->plan.field[order[at - 1]] > e->plan.field[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    *bytes = more;
    return n;
}

static bool find_box(struct map_emit *e, double box[4])
{
    bool has = false;
    for (size_t i = 0; i < odp_simplifier_features(e->shapes); i++) {
        struct odp_geom g;
        if (!odp_simplifier_get(e->shapes, i, &g))
            continue;
        for (size_t k = 0; k < g.npoints; k++)
            odp_bbox_extend(box, &has,
                            (const double[]){g.xy[2 * k], g.xy[2 * k + 1], g.xy[2 * k], g.xy[2 * k + 1]});
    }
    return has;
}

static enum odp_status write_features(struct map_emit *e, const struct map_legend *l, struct odp_buffer *out,
                                      struct odp_arena *a)
{
    uint32_t order[ODP_COUNT(e->plan.field)];
    uint64_t more;
    double box[4];
    struct odp_buffer fields = {0};
    uint32_t n = choose_fields(e, order, &more);
    add_fields(&fields, e, order, n);
    more += fields.len;
    const struct odp_schema *s = &e->file.base.job->resource->schema;
    uint64_t room = e->least + more < MAP_BYTES
                        ? (MAP_BYTES - e->least - more) / MAP_POSITION_BYTES + e->positions
                        : e->positions;
    struct odp_simplify_options options = {.points = room < MAP_POSITIONS ? (size_t)room : MAP_POSITIONS,
                                           .finest = FINEST,
                                           .whole = WHOLE_PIXELS,
                                           .each = SHAPE_PIXELS};
    if (odp_simplifier_finish(e->shapes, &options) != ODP_OK) {
        odp_buffer_release(&fields);
        return ODP_FAIL;
    }
    bool has_box = find_box(e, box);
    add_head(out, e, box, has_box);
    odp_buffer_printf(out,
                      ",\"shown\":%llu,\"form\":\"features\",\"tolerance\":", (unsigned long long)e->located);
    add_number(out, odp_simplifier_tolerance(e->shapes), 7);
    odp_buffer_add_str(out, ",\"key\":[");
    for (uint32_t k = 0; e->plan.key != NULL && k < e->plan.key->n; k++)
        odp_json_add_str(out, k > 0 ? "," : "", s->fields[e->plan.key->fields[k]].name);
    odp_buffer_add_str(out, "],\"label\":");
    if (e->plan.label != MAP_NONE)
        odp_json_add_string(out, odp_slice_of(s->fields[e->plan.field[e->plan.label]].name));
    else
        odp_buffer_add_str(out, "null");
    add_category(out, e, l, a);
    add_places(out, e, a);
    odp_buffer_add_slice(out, odp_buffer_slice(&fields));
    out->failed |= fields.failed;
    odp_buffer_release(&fields);
    odp_buffer_add_str(out, "},\"features\":[");
    const struct map_record *records = (const void *)e->records.ptr;
    size_t nrecords = e->records.len / sizeof *records;
    for (size_t i = 0; i < nrecords; i++) {
        odp_buffer_add_str(out, i > 0 ? ",\n" : "\n");
        add_feature(out, e, &records[i], order, n);
    }
    odp_buffer_add_str(out, nrecords > 0 ? "\n]}\n" : "]}\n");
    return odp_buffer_status(out);
}

/* ---- the grid ---- */

/* As it is written: with five decimals. */
static void box_of(const struct map_grid *g, const struct map_cell *c, double box[4])
{
    map_grid_box(g, c, box);
    for (int k = 0; k < 4; k++)
        box[k] = round(box[k] * 100000) / 100000;
}

static void add_cell(struct odp_buffer *out, const struct map_grid *g, const struct map_cell *c,
                     const struct map_legend *l, uint32_t id)
{
    double b[4];
    uint64_t n = 0, by[MAP_VALUES + 1] = {0};
    box_of(g, c, b);
    for (uint32_t k = 0; k <= MAP_CATEGORIES; k++) {
        n += c->count[k];
        if (l != NULL)
            by[l->entry[k]] += c->count[k];
    }
    const double ring[] = {b[0], b[1], b[2], b[1], b[2], b[3], b[0], b[3], b[0], b[1]};
    odp_buffer_printf(
        out, "{\"type\":\"Feature\",\"id\":%u,\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[", id);
    for (size_t k = 0; k < ODP_COUNT(ring); k++) {
        odp_buffer_add_str(out, k % 2 == 1 ? "," : k > 0 ? ",[" : "[");
        add_number(out, ring[k], 5);
        odp_buffer_add_str(out, k % 2 == 1 ? "]" : "");
    }
    odp_buffer_printf(out, "]]},\"properties\":{\"n\":%llu", (unsigned long long)n);
    for (uint32_t k = 0; l != NULL && k < l->n + (l->others > 0); k++)
        odp_buffer_printf(out, "%s%llu", k > 0 ? "," : ",\"counts\":[", (unsigned long long)by[k]);
    odp_buffer_add_str(out, l != NULL && l->n + (l->others > 0) > 0 ? "]}}" : "}}");
}

static enum odp_status write_grid(struct map_emit *e, const struct map_legend *l, struct odp_buffer *out,
                                  struct odp_arena *a)
{
    double box[4], all[4];
    bool has_box = false;
    map_grid_sort(&e->grid);
    for (uint32_t i = 0; i < e->grid.n; i++) {
        box_of(&e->grid, &e->grid.cells[i], box);
        odp_bbox_extend(all, &has_box, box);
    }
    add_head(out, e, all, has_box);
    odp_buffer_add_str(out, ",\"shown\":0,\"form\":\"grid\",\"cell\":");
    add_number(out, 360.0 / (double)(UINT32_C(1) << e->grid.level), 7);
    odp_buffer_add_str(out, ",\"tolerance\":0,\"key\":[],\"label\":null");
    add_category(out, e, l, a);
    add_places(out, e, a);
    odp_buffer_add_str(out, ",\"fields\":[]},\"features\":[");
    for (uint32_t i = 0; i < e->grid.n; i++) {
        odp_buffer_add_str(out, i > 0 ? ",\n" : "\n");
        add_cell(out, &e->grid, &e->grid.cells[i], l, i + 1);
    }
    odp_buffer_add_str(out, e->grid.n > 0 ? "\n]}\n" : "]}\n");
    return odp_buffer_status(out);
}

enum odp_status map_write(struct map_emit *e, struct odp_buffer *out)
{
    struct odp_arena arena = {0};
    struct map_legend legend, *l = NULL;
    if (e->plan.category != MAP_NONE && !e->categories.crowded) {
        uint32_t field = e->plan.field[e->plan.category];
        map_legend_make(&legend, &e->categories, &e->file.base.job->resource->schema.fields[field], field);
        l = &legend;
    }
    enum odp_status status =
        e->shapes == NULL ? write_grid(e, l, out, &arena) : write_features(e, l, out, &arena);
    odp_arena_release(&arena);
    return status;
}
