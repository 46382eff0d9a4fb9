/* GeoJSON (RFC 7946): a FeatureCollection, one feature a line (feature.c).
 *
 * Foreign members: "name", which GDAL and QGIS take for the layer's name, and "license", its address. bbox and license come last, when they are known. */
#include "write/emitters.h"
#include "write/feature.h"
#include "write/file.h"

#include "base/json.h"

struct geojson_emit {
    struct odp_emit_file file;
    struct odp_feature_plan plan;
    double bbox[4];
    bool has_bbox, started;
};

static enum odp_status geojson_begin(struct odp_emit **out, const struct odp_emit_job *job)
{
    *out = NULL;
    struct geojson_emit *e = (struct geojson_emit *)odp_emit_file_new(sizeof *e, &odp_emitter_geojson, job);
    if (e == NULL)
        return ODP_FAIL;
    const struct odp_resource *r = job->resource;
    struct odp_buffer head;
    odp_buffer_init(&head);
    odp_buffer_add_str(&head, "{\"type\":\"FeatureCollection\",\"name\":");
    odp_json_add_string(&head, odp_slice_of(r->primary ? r->dataset->slug : r->name));
    odp_buffer_add_str(&head, ",\"features\":[");
    enum odp_status status = odp_feature_plan_init(&e->plan, r, &e->file.arena);
    if (status == ODP_OK)
        status = odp_buffer_status(&head);
    if (status == ODP_OK)
        status = odp_file_write(e->file.file, head.ptr, head.len);
    odp_buffer_release(&head);
    if (status != ODP_OK)
        odp_emit_file_abort((struct odp_emit *)e);
    else
        *out = (struct odp_emit *)e;
    return status;
}

static enum odp_status geojson_format(const struct odp_emit *emit, const struct odp_batch *b, struct odp_chunk *out)
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
    if (c->bytes.len == 0)
        return ODP_OK;
    if (c->has_bbox)
        odp_bbox_extend(e->bbox, &e->has_bbox, c->bbox);
    size_t skip = !e->started; /* the first comma */
    e->started = true;
    return odp_file_write(e->file.file, c->bytes.ptr + skip, c->bytes.len - skip);
}

static enum odp_status geojson_end(struct odp_emit *emit)
{
    struct geojson_emit *e = (struct geojson_emit *)emit;
    struct odp_buffer tail;
    char number[40];
    odp_buffer_init(&tail);
    odp_buffer_add_str(&tail, e->started ? "\n]" : "]");
    for (int k = 0; k < 4 && e->has_bbox; k++) {
        odp_buffer_add_str(&tail, k == 0 ? ",\"bbox\":[" : ",");
        odp_buffer_add(&tail, number, odp_decimal_fixed(e->bbox[k], 7, number));
    }
    const char *license = odp_emit_license(e->file.base.job);
    odp_buffer_add_str(&tail, e->has_bbox ? "]" : "");
    if (license != NULL) {
        odp_buffer_add_str(&tail, ",\"license\":");
        odp_json_add_string(&tail, odp_slice_of(license));
    }
    odp_buffer_add_str(&tail, "}\n");
    enum odp_status status = odp_emit_file_end(&e->file, &tail);
    odp_buffer_release(&tail);
    return status;
}

const struct odp_emitter odp_emitter_geojson = {
    .file = &odp_format_files[ODP_FILE_geojson],
    .begin = geojson_begin,
    .format_batch = geojson_format,
    .append = geojson_append,
    .end = geojson_end,
    .abort = odp_emit_file_abort,
};
