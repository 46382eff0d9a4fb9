/* The shapefile source: opening in steps, batches of record numbers, slicing on any worker with its own
 * handles. */
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "read/shapefile/reader.h"
#include "words/read.h"

#define BATCH_RECORDS 1024u
#define BATCH_BYTES   ((uint64_t)1 << 20)

static void shape_close(struct odp_source *source)
{
    struct shape_source *s = (void *)source;
    if (s == NULL)
        return;
    for (unsigned i = 0; s->workers != NULL && i < s->nworkers; i++) {
        struct shape_worker *w = &s->workers[i];
        shape_handle_close(w);
        shape_worker_crs_close(w);
        if (w->has_conv)
            iconv_close(w->conv);
    }
    free(s->workers);
    shape_crs_close(s);
    shape_stream_release(&s->index);
    shape_stream_release(&s->rows);
    shape_parts_release(s);
    odp_arena_release(&s->arena);
    free(s);
}

/* The first step that fails ends it: what comes after would only repeat the same cause. */
static enum odp_status open_steps(struct shape_source *s, const char *path)
{
    enum odp_status st = odp_path_ends(path, ".zip") ? shape_unzip(s, path) : shape_find(s, path);
    if (st == ODP_OK)
        st = shape_check(s);
    if (st == ODP_OK)
        st = shape_encoding(s);
    for (unsigned i = 0; i < s->nworkers && st == ODP_OK; i++)
        st = shape_worker_conv(s, &s->workers[i]);
    if (st != ODP_OK)
        return st;
    /* Columns and coordinate system are independent: both are said. */
    enum odp_status header = shape_dbf_header(s), crs = header != ODP_FAIL ? shape_crs_open(s) : ODP_FAIL;
    if (header != ODP_OK || crs != ODP_OK)
        return header == ODP_FAIL || crs == ODP_FAIL ? ODP_FAIL : ODP_BAD;
    for (unsigned i = 0; i < s->nworkers && st == ODP_OK; i++) {
        st = shape_worker_crs(s, &s->workers[i]);
        if (st == ODP_OK)
            st = shape_handle_open(s, &s->workers[i]);
        if (st == ODP_OK && (uint32_t)s->workers[i].shp->nRecords != s->nrecords)
            st = odp_failure_set("shapelib", s->base.info.file, 0);
    }
    return st;
}

static enum odp_status shape_open(struct odp_source **out, const struct odp_resource *r, const char *path,
                                  const char *file, unsigned workers, struct odp_diags *diags)
{
    struct shape_source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_memory();
    for (int k = 0; k < SHAPE_PARTS; k++)
        s->parts[k].fd = -1;
    s->base.kind = &odp_source_shapefile;
    s->base.resource = r;
    s->base.info.file = file;
    s->base.info.has_geometry = true;
    s->base.info.crs = s->base.info.crs_operation = "";
    s->base.info.batch_records = BATCH_RECORDS;
    s->diags = diags;
    s->nworkers = workers > 0 ? workers : 1;
    s->workers = calloc(s->nworkers, sizeof *s->workers);
    enum odp_status st = s->workers != NULL ? open_steps(s, path) : odp_failure_memory();
    if (st != ODP_OK) {
        shape_close((struct odp_source *)(void *)s);
        return st;
    }
    s->base.info.records = s->nrecords;
    s->index.part = &s->parts[SHAPE_SHX];
    s->rows.part = &s->parts[SHAPE_DBF];
    s->diags = NULL;
    *out = (struct odp_source *)(void *)s;
    return ODP_OK;
}

static const struct odp_text bad_mark = {{W_read_record_marked_0x_neither_0x20}};

/* The row of a record to keep goes into b->text. OK (perhaps with a fault); DONE: it is deleted (and said
 * so); FAIL. */
static enum odp_status take_row(struct shape_source *s, struct odp_batch *b, uint32_t shape)
{
    if (!s->parts[SHAPE_DBF].present)
        return ODP_OK;
    const uint8_t *row = shape_at(&s->rows, s->dbf.header + (uint64_t)shape * s->dbf.width, s->dbf.width);
    if (row == NULL)
        return ODP_FAIL;
    if (*row != '*')
        odp_buffer_add(&b->text, row, s->dbf.width);
    if (*row == ' ')
        return odp_buffer_status(&b->text);
    const struct odp_resource *r = s->base.resource;
    struct odp_diag d = {
        .code = ODP_G18, .resource = r->name, .file = s->parts[SHAPE_DBF].name, .line = (uint64_t)shape + 1};
    d.dataset = r->dataset != NULL ? r->dataset->slug : NULL;
    if (*row == '*') {
        odp_diags_add(b->diags, &d);
        return ODP_DONE;
    }
    char record[16], mark[4];
    struct odp_text full;
    snprintf(record, sizeof record, "%u", shape + 1);
    snprintf(mark, sizeof mark, "%02X", *row);
    d.code = ODP_G13;
    d.args[0] = odp_slice_of(d.file);
    d.args[1] = odp_slice_of(record);
    d.args[2] = odp_slice_of(mark);
    shape_message(&b->arena, &bad_mark, d.args, &full);
    d.message = &full; /* the collector copies it */
    odp_diags_add(b->diags, &d);
    return odp_buffer_status(&b->text);
}

static enum odp_status shape_read(struct odp_source *source, struct odp_batch *b)
{
    struct shape_source *s = (void *)source;
    uint32_t from = s->next;
    while (s->next < s->nrecords && b->nrecords < BATCH_RECORDS && b->source_bytes < BATCH_BYTES) {
        uint32_t shape = s->next;
        enum odp_status st = take_row(s, b, shape);
        const uint8_t *e = shape_at(&s->index, 100 + 8 * (uint64_t)shape, 8);
        if (st == ODP_FAIL || e == NULL)
            return ODP_FAIL;
        s->next++;
        b->source_bytes += (uint64_t)shape_be32(e + 4) * 2 + 8 + s->dbf.width;
        if (st == ODP_DONE)
            continue;
        struct odp_record *r = odp_batch_add_record(b);
        if (r == NULL)
            return ODP_FAIL;
        *r = (struct odp_record){.row = ++s->row,
                                 .line = (uint64_t)shape + 1,
                                 .offset = (uint64_t)shape_be32(e) * 2,
                                 .aux = shape};
    }
    b->last = s->next >= s->nrecords;
    return s->next == from ? ODP_DONE : ODP_OK;
}

static enum odp_status shape_slice(const struct odp_source *source, struct odp_batch *b, unsigned worker)
{
    const struct shape_source *s = (const void *)source;
    struct shape_worker *w = &s->workers[worker];
    b->geometry = odp_arena_zero(&b->arena, (size_t)b->nrecords + 1, sizeof(const struct odp_geom *));
    for (uint32_t i = 0; i < b->nrecords; i++) {
        enum odp_status st = shape_dbf_cells(s, w, b, i);
        if (st == ODP_OK)
            st = shape_record(s, w, b, i, &b->geometry[i]);
        if (st == ODP_FAIL)
            return st;
    }
    return ODP_OK;
}

const struct odp_source_kind odp_source_shapefile = {"shapefile", shape_open, shape_read, shape_slice,
                                                     shape_close};
