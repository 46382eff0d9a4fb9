/* A GeoJSON feature. id is the primary key: its text, or for a composite key its parts joined by ',' (where
 * '%' and ',' inside a part are written %25 and %2C, as in the path of one record). Without a key, or with
 * one that is not public, it is the record's number. */
#include "write/feature.h"

#include "base/json.h"

const struct odp_key *odp_feature_key(const struct odp_schema *s)
{
    for (uint32_t k = 0; k < s->primary.n; k++)
        if (!s->fields[s->primary.fields[k]].is_public)
            return NULL;
    return s->primary.n > 0 ? &s->primary : NULL;
}

void odp_feature_plan_init(struct odp_feature_plan *p, const struct odp_emit_job *job, struct odp_arena *a)
{
    p->key = odp_feature_key(&job->resource->schema);
    odp_json_plan_init(&p->properties, job, ODP_GEOMETRY_NONE, job->labels, ",\"properties\":", a);
}

void odp_feature_add_id(const struct odp_key *key, struct odp_buffer *out, const struct odp_batch *b,
                        uint32_t i)
{
    if (key == NULL) {
        odp_buffer_add_u64(out, b->records[i].row);
        return;
    }
    if (key->n == 1) {
        odp_json_add_string(out, b->columns[key->fields[0]].text[i]);
        return;
    }
    odp_buffer_add_char(out, '"');
    for (uint32_t k = 0; k < key->n; k++) {
        const struct odp_column *c = &b->columns[key->fields[k]];
        if (k > 0)
            odp_buffer_add_char(out, ',');
        if (c->state[i] == ODP_VALUE_OK)
            odp_json_add_key_part(out, c->text[i]);
    }
    odp_buffer_add_char(out, '"');
}

void odp_feature_add(const struct odp_feature_plan *p, struct odp_buffer *out, const struct odp_batch *b,
                     uint32_t i)
{
    const struct odp_geom *g = b->geometry != NULL ? b->geometry[i] : NULL;
    odp_buffer_add_str(out, "{\"type\":\"Feature\",\"id\":");
    odp_feature_add_id(p->key, out, b, i);
    odp_buffer_add_str(out, ",\"geometry\":");
    if (g != NULL)
        odp_geom_add_geojson(out, g);
    else
        odp_buffer_add_str(out, "null");
    odp_json_plan_record(&p->properties, out, b, i);
    odp_buffer_add_char(out, '}');
}
