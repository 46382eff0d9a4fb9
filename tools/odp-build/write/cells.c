/* A record in a chunk: for each public field a length (32 bits, in the machine's byte order; LENGTH_NULL:
 * null) and its bytes; then, with a geometry, one byte (0: no geometry, else 1 + its type) and its point or
 * label as two doubles. */
#include "write/cells.h"

#include "base/put.h"

#define LENGTH_NULL UINT32_MAX

const char *odp_cells_form(const struct odp_emit_job *job)
{
    return job->has_geometry ? "cells and a point" : "cells";
}

static void add_place(struct odp_buffer *out, const struct odp_resource *r, const struct odp_geom *g)
{
    odp_buffer_add_char(out, g != NULL && g->npoints > 0 ? (char)(1 + g->type) : '\0');
    if (g == NULL || g->npoints == 0)
        return;
    const double *at = r->geometry.types == ODP_GEOM_BIT_POINT ? g->xy : g->label;
    odp_buffer_add(out, (const char *)at, 2 * sizeof *at);
}

static void add_values(struct odp_buffer *out, const struct odp_schema *s, const struct odp_batch *b,
                       uint32_t i)
{
    size_t need = 0;
    for (uint32_t k = 0; k < s->n; k++)
        need += s->fields[k].is_public ? sizeof(uint32_t) + b->columns[k].text[i].len : 0;
    char *w = odp_buffer_reserve(out, need);
    if (w == NULL)
        return;
    for (uint32_t k = 0; k < s->n; k++) {
        if (!s->fields[k].is_public)
            continue;
        const struct odp_column *column = &b->columns[k];
        bool there = column->state[i] == ODP_VALUE_OK;
        uint32_t len = there ? (uint32_t)column->text[i].len : LENGTH_NULL;
        memcpy(w, &len, sizeof len);
        w += sizeof len;
        if (there)
            w = odp_put(w, column->text[i]);
    }
    out->len = (size_t)(w - out->ptr);
}

enum odp_status odp_cells_format(const struct odp_emit *emit, const struct odp_batch *b,
                                 struct odp_chunk *out)
{
    const struct odp_emit_job *job = emit->job;
    const struct odp_schema *s = &job->resource->schema;
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (b->record_bad[i])
            continue;
        add_values(&out->bytes, s, b, i);
        if (job->has_geometry)
            add_place(&out->bytes, job->resource, b->geometry != NULL ? b->geometry[i] : NULL);
        if (odp_chunk_end_record(out) != ODP_OK)
            return ODP_FAIL;
    }
    return odp_buffer_status(&out->bytes);
}

void odp_cells_reader_init(struct odp_cells_reader *r, const struct odp_emit_job *job, struct odp_arena *a)
{
    *r = (struct odp_cells_reader){.resource = job->resource, .has_geometry = job->has_geometry};
    r->cells.field = odp_arena_zero(a, (size_t)job->resource->schema.n + 1, sizeof *r->cells.field);
}

void odp_cells_reader_begin(struct odp_cells_reader *r, const struct odp_chunk *c)
{
    r->at = c->bytes.ptr;
    r->end = c->bytes.len > 0 ? c->bytes.ptr + c->bytes.len : c->bytes.ptr;
}

bool odp_cells_reader_next(struct odp_cells_reader *r)
{
    const struct odp_schema *s = &r->resource->schema;
    if (r->at == r->end)
        return false;
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t len;
        if (!s->fields[k].is_public)
            continue;
        memcpy(&len, r->at, sizeof len);
        r->at += sizeof len;
        bool there = len != LENGTH_NULL;
        r->cells.field[k] = there ? (struct odp_slice){r->at, len} : (struct odp_slice){NULL, 0};
        r->at += there ? len : 0;
    }
    if (!r->has_geometry)
        return true;
    char type = *r->at++;
    r->cells.has_geometry = type != 0;
    if (type != 0) {
        r->cells.type = (enum odp_geom_type)(type - 1);
        memcpy(r->cells.at, r->at, sizeof r->cells.at);
        r->at += sizeof r->cells.at;
    }
    return true;
}
