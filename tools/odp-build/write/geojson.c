/* GeoJSON (RFC 7946): a FeatureCollection, one feature a line (feature.c).
 *
 * Foreign members: "name", the layer's name for GDAL and QGIS, and "license", its address. bbox and license
 * come last, when they are known. */
#include "write/emitters.h"
#include "write/feature.h"
#include "write/file.h"

#include "base/json.h"

struct geojson_emit {
    struct odp_emit_file file;
    struct odp_feature_plan plan;
    double bbox[4];
    bool has_bbox;
};

static enum odp_status geojson_begin(struct odp_emit *emit)
{
    struct geojson_emit *e = (struct geojson_emit *)emit;
    const struct odp_resource *r = emit->job->resource;
    struct odp_buffer head;
    odp_buffer_init(&head);
    odp_json_add_str(&head,
                     "{\"type\":\"FeatureCollection\",\"name\":", r->primary ? r->dataset->slug : r->name);
    odp_buffer_add_str(&head, ",\"features\":[");
    odp_feature_plan_init(&e->plan, emit->job, &emit->arena);
    return odp_emit_file_begin_take(&e->file, &head);
}

static enum odp_status geojson_format(const struct odp_emit *emit, const struct odp_batch *b,
                                      struct odp_chunk *out)
{
    const struct geojson_emit *e = (const struct geojson_emit *)emit;
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        odp_buffer_add_str(&out->bytes, ",\n");
        odp_feature_add(&e->plan, &out->bytes, b, i);
        const struct odp_geom *g = b->geometry != NULL ? b->geometry[i] : NULL;
        if (g != NULL && g->npoints > 0)
            odp_bbox_extend(out->bbox, &out->has_bbox, g->bbox);
    }
    return odp_buffer_status(&out->bytes);
}

static enum odp_status geojson_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct geojson_emit *e = (struct geojson_emit *)emit;
    if (c->has_bbox)
        odp_bbox_extend(e->bbox, &e->has_bbox, c->bbox);
    return odp_emit_file_append_list(emit, c);
}

static enum odp_status geojson_end(struct odp_emit *emit)
{
    struct geojson_emit *e = (struct geojson_emit *)emit;
    struct odp_buffer tail;
    char number[40];
    odp_buffer_init(&tail);
    odp_buffer_add_str(&tail, e->file.started ? "\n]" : "]");
    for (int k = 0; k < 4 && e->has_bbox; k++) {
        odp_buffer_add_str(&tail, k == 0 ? ",\"bbox\":[" : ",");
        odp_buffer_add(&tail, number, odp_decimal_fixed(e->bbox[k], 7, number));
    }
    const char *license = odp_emit_license(emit->job);
    odp_buffer_add_str(&tail, e->has_bbox ? "]" : "");
    odp_json_add_str(&tail, ",\"license\":", license);
    odp_buffer_add_str(&tail, "}\n");
    return odp_emit_file_end_take(&e->file, &tail);
}

const struct odp_emitter odp_emitter_geojson = {
    .file = &odp_format_files[ODP_FILE_geojson],
    .no_labels = true,
    .size = sizeof(struct geojson_emit),
    .begin = geojson_begin,
    .format_batch = geojson_format,
    .append = geojson_append,
    .end = geojson_end,
    .release = odp_emit_file_release,
};
