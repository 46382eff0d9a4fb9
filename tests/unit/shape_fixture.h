/* Opens a shapefile the way the pipeline does, without a catalogue, and keeps all its records. Shared by
 * test_shape*.c. */
#pragma once
#include "run.h"

#include <math.h>
#include <unistd.h>

#include "read/source.h"

extern const struct odp_source_kind odp_source_shapefile;

#define FIXTURE_FIELDS  16
#define FIXTURE_BATCHES 64

struct fixture {
    struct odp_dataset dataset;
    struct odp_resource resource;
    struct odp_field fields[FIXTURE_FIELDS];
    struct odp_source *source;
    struct odp_diags *diags;
    struct odp_batch *batches;
    size_t nbatches;
    size_t nrecords;
};

/* FIELDS: names separated by ',', or NULL for a schema without fields, which accepts any columns. */
static inline void fixture_init(struct fixture *f, const char *fields)
{
    *f = (struct fixture){0};
    f->dataset.slug = "uji";
    f->resource.dataset = &f->dataset;
    f->resource.name = "uji";
    f->resource.encoding = "utf-8";
    f->resource.schema.fields = f->fields;
    f->resource.schema.match = ODP_MATCH_SUBSET;
    f->resource.geometry.present = true;
    f->resource.geometry.check_valid = true;
    while (fields != NULL && *fields != '\0') {
        size_t n = strcspn(fields, ",");
        struct odp_field *field = &f->fields[f->resource.schema.n++];
        field->name = field->source_name = strndup(fields, n);
        field->is_public = true;
        fields += n + (fields[n] == ',');
    }
    must(odp_diags_new(&f->diags, 1000));
}

static inline void fixture_release(struct fixture *f)
{
    odp_source_shapefile.close(f->source);
    for (size_t i = 0; i < f->nbatches; i++)
        odp_batch_release(&f->batches[i]);
    free(f->batches);
    for (uint32_t i = 0; i < f->resource.schema.n; i++)
        free((char *)(size_t)f->fields[i].name);
    odp_diags_free(f->diags);
}
#define FIXTURE(v, ...) OWNED(fixture, v, fixture, &v, __VA_ARGS__)

static inline enum odp_status fixture_open(struct fixture *f, const char *path)
{
    return odp_source_shapefile.open(&f->source, &f->resource, path, path, 2, f->diags);
}

/* All batches, sliced on worker 0 and 1 in turn; their diagnostics go to f->diags. */
static inline enum odp_status fixture_read(struct fixture *f)
{
    enum odp_status st = ODP_OK;
    f->batches = calloc(FIXTURE_BATCHES, sizeof *f->batches);
    while (st == ODP_OK) {
        assert_true(f->nbatches < FIXTURE_BATCHES);
        struct odp_batch *b = &f->batches[f->nbatches];
        must(odp_batch_init(b, 1000));
        odp_batch_reset(b, &f->resource);
        f->nbatches++;
        st = odp_source_shapefile.read(f->source, b);
        if (st != ODP_OK)
            break;
        st = odp_source_shapefile.slice(f->source, b, (unsigned)(f->nbatches % 2));
        if (st == ODP_OK)
            st = odp_diags_merge(f->diags, b->diags);
        f->nrecords += b->nrecords;
    }
    return st == ODP_DONE ? ODP_OK : st;
}

static inline const struct odp_record *fixture_record(const struct fixture *f, size_t i,
                                                      const struct odp_batch **b, uint32_t *at)
{
    for (size_t k = 0; k < f->nbatches; k++) {
        if (i < f->batches[k].nrecords) {
            *b = &f->batches[k];
            *at = (uint32_t)i;
            return &f->batches[k].records[i];
        }
        i -= f->batches[k].nrecords;
    }
    return NULL;
}

static inline const struct odp_geom *fixture_geom(const struct fixture *f, size_t i)
{
    const struct odp_batch *b;
    uint32_t at;
    return fixture_record(f, i, &b, &at) != NULL ? b->geometry[at] : NULL;
}

static inline const struct odp_cell *fixture_cell(const struct fixture *f, size_t i, uint32_t column)
{
    const struct odp_batch *b;
    uint32_t at;
    const struct odp_record *r = fixture_record(f, i, &b, &at);
    return r != NULL && column < r->count ? &b->cells[r->first + column] : NULL;
}

static inline uint64_t fixture_count(const struct fixture *f, enum odp_code code)
{
    return odp_diags_code_count(f->diags, code);
}

static inline void fixture_expect_cell(const struct fixture *f, size_t i, uint32_t column, const char *text)
{
    const struct odp_cell *c = fixture_cell(f, i, column);
    assert_non_null(c);
    if (text == NULL) {
        assert_true((c->flags & ODP_CELL_NULL) != 0);
        return;
    }
    assert_int_equal(c->flags & ODP_CELL_NULL, 0);
    if (c->len != strlen(text) || memcmp(c->ptr, text, c->len) != 0)
        fail_msg("cell %zu/%u is \"%.*s\", expected \"%s\"", i, column, (int)c->len, c->ptr, text);
}
