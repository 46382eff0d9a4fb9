/* GeoJSON (RFC 7946): a FeatureCollection, one feature a line.
 *
 * id is the primary key: its text, or for a composite key its parts joined by ',' (where '%' and ',' inside a part are written
 * %25 and %2C, as in the path of one record). Without a key, or with one that is not public, it is the record's number.
 * One foreign member: "name", which GDAL and QGIS take for the layer's name. bbox comes last, when it is known. */
#include "emitters.h"
#include "record.h"

#include "base/json.h"

struct geojson_emit {
    struct odp_emit_file file;
    struct odp_json_plan plan;
    const struct odp_key *key; /* NULL: the record's number */
    double bbox[4];
    bool has_bbox, started;
};

static const struct odp_key *public_key(const struct odp_schema *s)
{
    for (uint32_t k = 0; k < s->primary.n; k++)
        if (!s->fields[s->primary.fields[k]].is_public)
            return NULL;
    return s->primary.n > 0 ? &s->primary : NULL;
}

static enum odp_status geojson_begin(struct odp_emit **out, const struct odp_emit_job *job)
{
    *out = NULL;
    struct geojson_emit *e = (struct geojson_emit *)odp_emit_file_new(sizeof *e, &odp_emitter_geojson, job);
    if (e == NULL)
        return ODP_FAIL;
    const struct odp_resource *r = job->resource;
    e->key = public_key(&r->schema);
    struct odp_buffer head;
    odp_buffer_init(&head);
    odp_buffer_add_str(&head, "{\"type\":\"FeatureCollection\",\"name\":");
    odp_json_add_string(&head, odp_slice_of(r->primary ? r->dataset->slug : r->name));
    odp_buffer_add_str(&head, ",\"features\":[");
    enum odp_status status = odp_json_plan_init(&e->plan, r, false, ODP_GEOMETRY_NONE, ",\"properties\":", &e->file.arena);
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

static void add_key_part(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == ',')
            odp_buffer_add(out, "%2C", 3);
        else if (s.ptr[i] == '%')
            odp_buffer_add(out, "%25", 3);
        else
            odp_buffer_add_char(out, s.ptr[i]);
    }
}

static enum odp_status add_id(struct odp_buffer *out, const struct geojson_emit *e, const struct odp_batch *b, uint32_t i,
                              struct odp_buffer *scratch)
{
    if (e->key == NULL) {
        odp_buffer_add_u64(out, b->records[i].row);
        return ODP_OK;
    }
    const struct odp_column *columns = b->columns;
    if (e->key->n == 1) {
        odp_json_add_string(out, columns[e->key->fields[0]].text[i]);
        return ODP_OK;
    }
    odp_buffer_clear(scratch);
    for (uint32_t k = 0; k < e->key->n; k++) {
        if (k > 0)
            odp_buffer_add_char(scratch, ',');
        const struct odp_column *c = &columns[e->key->fields[k]];
        if (c->state[i] == ODP_VALUE_OK)
            add_key_part(scratch, c->text[i]);
    }
    odp_json_add_string(out, odp_buffer_slice(scratch));
    return odp_buffer_status(scratch);
}

static void extend(double box[4], bool *has, const double by[4])
{
    if (!*has)
        memcpy(box, by, 4 * sizeof *box);
    *has = true;
    for (int k = 0; k < 2; k++) {
        box[k] = by[k] < box[k] ? by[k] : box[k];
        box[k + 2] = by[k + 2] > box[k + 2] ? by[k + 2] : box[k + 2];
    }
}

static enum odp_status geojson_format(const struct odp_emit *emit, const struct odp_batch *b, struct odp_chunk *out)
{
    const struct geojson_emit *e = (const struct geojson_emit *)emit;
    struct odp_buffer scratch;
    odp_buffer_init(&scratch);
    enum odp_status status = ODP_OK;
    for (uint32_t i = 0; i < b->nrecords && status == ODP_OK; i++) {
        if (b->record_bad[i])
            continue;
        const struct odp_geom *g = b->geometry != NULL ? b->geometry[i] : NULL;
        odp_buffer_add_str(&out->bytes, ",\n{\"type\":\"Feature\",\"id\":");
        status = add_id(&out->bytes, e, b, i, &scratch);
        odp_buffer_add_str(&out->bytes, ",\"geometry\":");
        if (g != NULL) {
            odp_geom_add_geojson(&out->bytes, g);
            if (g->npoints > 0)
                extend(out->bbox, &out->has_bbox, g->bbox);
        } else {
            odp_buffer_add(&out->bytes, "null", 4);
        }
        odp_json_plan_record(&e->plan, &out->bytes, b, i);
        odp_buffer_add_char(&out->bytes, '}');
    }
    odp_buffer_release(&scratch);
    return status == ODP_OK ? odp_buffer_status(&out->bytes) : status;
}

static enum odp_status geojson_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct geojson_emit *e = (struct geojson_emit *)emit;
    if (c->bytes.len == 0)
        return ODP_OK;
    if (c->has_bbox)
        extend(e->bbox, &e->has_bbox, c->bbox);
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
    odp_buffer_add_str(&tail, e->has_bbox ? "]}\n" : "}\n");
    enum odp_status status = odp_emit_file_end(&e->file, &tail);
    odp_buffer_release(&tail);
    return status;
}

const struct odp_emitter odp_emitter_geojson = {
    .format = "GeoJSON",
    .name = "geojson",
    .extension = ".geojson",
    .media_type = "application/geo+json",
    .needs_geometry = true,
    .begin = geojson_begin,
    .format_batch = geojson_format,
    .append = geojson_append,
    .end = geojson_end,
    .abort = odp_emit_file_abort,
};
