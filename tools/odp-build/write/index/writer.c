#include "write/index/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "write/index/index_internal.h"

/* ---- new -------------------------------------------------------------------------------------------------------------------
 */

/* The file, its trees, and what gathers the keys of its indexes. */
static enum odp_status make_trees(struct odp_search_writer *w)
{
    w->made = odp_file_kind_of(w->job.path) == ODP_FILE_NONE;
    if (tree_pages_new(&w->pages, w->job.path) != ODP_OK || tree_new(&w->data, w->pages, false) != ODP_OK ||
        tree_new(&w->cell_table, w->pages, false) != ODP_OK)
        return ODP_FAIL;
    for (uint32_t i = 0; i < w->nindexes; i++) {
        const char *scratch = odp_arena_printf(&w->arena, "%s-%u", w->job.path, i);
        if (scratch == NULL || writer_keys_new(&w->indexes[i].keys, scratch, w->job.sorted_at_once) != ODP_OK)
            return ODP_FAIL;
    }
    if (writer_words_new(w) != ODP_OK)
        return ODP_FAIL;
    if (!w->info.has_geometry)
        return ODP_OK;
    return tree_new(&w->shapes, w->pages, false) == ODP_OK ? writer_boxes_new(w) : ODP_FAIL;
}

/* Frees W; with DROP, what it wrote, too. */
static void release(struct odp_search_writer *w, bool drop)
{
    tree_free(w->data);
    tree_free(w->cell_table);
    tree_free(w->shapes);
    tree_pages_abort(w->pages);
    for (uint32_t i = 0; i < w->nindexes; i++)
        writer_keys_free(w->indexes[i].keys);
    writer_words_free(w);
    tree_row_release(&w->row);
    writer_close_taken(w);
    (void)!writer_close(w);
    if (drop && w->made)
        (void)unlink(w->job.path);
    writer_boxes_free(w);
    odp_buffer_release(&w->cells);
    odp_buffer_release(&w->text);
    odp_buffer_release(&w->other);
    odp_arena_release(&w->arena);
    free(w);
}

enum odp_status odp_search_writer_new(struct odp_search_writer **out, const struct odp_search_job *job)
{
    *out = NULL;
    struct odp_search_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_set("write query index", job->path, ENOMEM);
    w->job = *job;
    odp_arena_init(&w->arena);
    odp_buffer_init(&w->cells);
    odp_buffer_init(&w->text);
    odp_buffer_init(&w->other);
    tree_row_init(&w->row);
    if (writer_plan(w) != ODP_OK || make_trees(w) != ODP_OK) {
        release(w, true);
        return ODP_FAIL;
    }
    *out = w;
    return ODP_OK;
}

/* ---- append ----------------------------------------------------------------------------------------------------------------
 */

/* What the values of column K are like, for the engine. */
static void note(struct odp_search_writer *w, uint32_t k, const struct writer_note *n)
{
    struct writer_column *c = &w->columns[k];
    struct odp_search_column *out = &w->info.columns[k];
    c->null_seen = c->null_seen || n->null;
    c->value_seen = c->value_seen || n->value;
    c->word_seen = c->word_seen || n->word;
    out->wide = out->wide || n->wide;
    if (n->scale < 0)
        out->scale = -1;
    else if (out->scale >= 0 && n->scale > out->scale)
        out->scale = n->scale;
}

/* The same of a value that was derived. */
static void note_value(struct odp_search_writer *w, uint32_t k, const struct writer_value *v)
{
    bool blob = v->tag == WRITER_BLOB, real = v->tag == WRITER_REAL, there = v->tag != WRITER_NULL;
    int scale = !real ? 0 : v->scale <= WRITER_SCALE_MAX ? v->scale : -1;
    const struct writer_note n = {.null = !there, .value = there, .word = v->tag == WRITER_TEXT, .wide = blob, .scale = blob ? -1 : scale};
    note(w, k, &n);
}

/* The interval's end K (0: start, the least; 1: end, the greatest) becomes V, if it is beyond it. The canonical text is in the
 * record's cells. */
static enum odp_status note_time(struct odp_search_writer *w, int k)
{
    uint32_t column = (uint32_t)w->info.datetime[k];
    const struct writer_value *v = &w->record.values[column];
    struct odp_slice seen = odp_slice_of(w->bound[k]);
    if (v->tag != WRITER_TEXT || v->text.len >= ODP_DATETIME_SIZE)
        return ODP_OK;
    int order = odp_slice_cmp(v->text, seen);
    if (seen.len > 0 && (k == 0 ? order >= 0 : order <= 0))
        return ODP_OK;
    memcpy(w->bound[k], v->text.ptr, v->text.len);
    w->bound[k][v->text.len] = '\0';
    if (!odp_cells_split(odp_buffer_slice(&w->cells), w->split, w->info.ncolumns) || w->split[column].len < 2 ||
        w->split[column].len >= sizeof w->interval[k])
        return odp_failure_set("write query index: cells", w->job.path, 0);
    memcpy(w->interval[k], w->split[column].ptr + 1, w->split[column].len - 2); /* a JSON string without escapes */
    w->interval[k][w->split[column].len - 2] = '\0';
    w->info.interval[k] = w->interval[k];
    return ODP_OK;
}

static void add_value(struct tree_row *row, const struct writer_value *v)
{
    switch (v->tag) {
    case WRITER_INT:
        tree_row_int(row, v->i);
        break;
    case WRITER_REAL:
        tree_row_real(row, v->r);
        break;
    case WRITER_TEXT:
        tree_row_text(row, v->text);
        break;
    case WRITER_BLOB:
        tree_row_blob(row, v->text);
        break;
    case WRITER_NULL:
        tree_row_null(row);
        break;
    }
}

/* A row of a table whose first column is its rowid: there a null stands for it. */
static void begin_row(struct odp_search_writer *w)
{
    tree_row_begin(&w->row);
    tree_row_null(&w->row);
}

static enum odp_status insert_geometry(struct odp_search_writer *w)
{
    const struct writer_record *r = &w->record;
    begin_row(w);
    tree_row_blob(&w->row, r->shape);
    if (r->simple.ptr != NULL)
        tree_row_text(&w->row, r->simple);
    else
        tree_row_null(&w->row);
    if (tree_add_row(w->shapes, r->id, tree_row_end(&w->row)) != ODP_OK)
        return ODP_FAIL;
    w->info.geometry_types |= 1u << r->type;
    if (!r->has_box)
        return ODP_OK;
    double box[4];
    for (int k = 0; k < 4; k++)
        box[k] = r->box[k] / 1e7;
    odp_bbox_extend(w->info.bbox, &w->info.has_bbox, box);
    return writer_boxes_add(w, r->id, r->box);
}

static enum odp_status insert_keys(struct odp_search_writer *w)
{
    for (uint32_t i = 0; i < w->nindexes; i++) {
        const struct writer_index *index = &w->indexes[i];
        if (writer_keys_add(index->keys, w->record.values, index->columns, index->n, w->record.id) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status insert_record(struct odp_search_writer *w)
{
    begin_row(w);
    tree_row_add(&w->row, w->record.types, w->record.bytes);
    for (uint32_t k = w->info.nfields; k < w->info.ncolumns; k++) {
        add_value(&w->row, &w->record.values[k]);
        note_value(w, k, &w->record.values[k]);
    }
    if (tree_add_row(w->data, w->record.id, tree_row_end(&w->row)) != ODP_OK)
        return ODP_FAIL;
    begin_row(w);
    tree_row_blob(&w->row, odp_buffer_slice(&w->cells));
    if (tree_add_row(w->cell_table, w->record.id, tree_row_end(&w->row)) != ODP_OK || insert_keys(w) != ODP_OK ||
        writer_words_add(w) != ODP_OK)
        return ODP_FAIL;
    for (int k = 0; k < 2; k++)
        if (w->info.datetime[k] >= 0 && note_time(w, k) != ODP_OK)
            return ODP_FAIL;
    w->info.rows++;
    return w->record.has_geometry ? insert_geometry(w) : ODP_OK;
}

enum odp_status odp_search_writer_append(struct odp_search_writer *w, struct odp_slice packed)
{
    const char *at = packed.ptr, *end = packed.len > 0 ? packed.ptr + packed.len : packed.ptr;
    while (at < end && w->status == ODP_OK) {
        uint32_t n = 0;
        bool whole = writer_unpack_notes(w, &at, end, w->notes, &n);
        for (uint32_t k = 0; whole && k < w->info.nfields; k++)
            note(w, k, &w->notes[k]);
        for (; whole && n > 0 && w->status == ODP_OK; n--) {
            whole = writer_unpack(w, &at, end, &w->record);
            if (whole && (writer_derive(w) != ODP_OK || insert_record(w) != ODP_OK))
                w->status = ODP_FAIL;
        }
        if (!whole)
            w->status = odp_failure_set("write query index: a packed record", w->job.path, 0);
    }
    return w->status;
}

/* ---- end -------------------------------------------------------------------------------------------------------------------
 */

static enum odp_status put_meta(struct odp_search_writer *w, const char *name, struct odp_slice value)
{
    sqlite3_stmt *s;
    enum odp_status status = writer_prepare(w, "INSERT INTO meta VALUES(?, ?)", &s);
    if (status == ODP_OK)
        status = writer_check(w, writer_bind_text(s, 1, odp_slice_of(name)));
    if (status == ODP_OK)
        status = writer_check(w, writer_bind_text(s, 2, value));
    if (status == ODP_OK)
        status = writer_step(w, s);
    (void)sqlite3_finalize(s);
    return status;
}

static enum odp_status write_meta(struct odp_search_writer *w)
{
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        w->info.columns[k].required = !w->columns[k].null_seen;
    odp_buffer_clear(&w->other);
    if (odp_search_info_write(&w->info, &w->other) != ODP_OK ||
        put_meta(w, "layout", odp_slice_of(ODP_SEARCH_LAYOUT)) != ODP_OK)
        return ODP_FAIL;
    return put_meta(w, "info", odp_buffer_slice(&w->other));
}

/* How many bytes the file must have. */
static enum odp_status count_bytes(struct odp_search_writer *w, uint64_t *out)
{
    sqlite3_stmt *s;
    enum odp_status status = writer_prepare(w, "PRAGMA page_count", &s);
    int rc = status == ODP_OK ? sqlite3_step(s) : SQLITE_OK;
    *out = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 0) * WRITER_PAGE : 0;
    if (status == ODP_OK)
        status = writer_check(w, rc);
    (void)sqlite3_finalize(s);
    return status;
}

/* Cheap: the file is as long as it must be, and its last table says what was written. What the disk did to it, its digest tells
 * later. */
static enum odp_status check(struct odp_search_writer *w, uint64_t bytes)
{
    struct odp_search_info seen;
    const char *why = "";
    if (odp_file_size_of(w->job.path) != bytes || odp_search_info_open(&seen, w->job.path, &w->arena, &why) != ODP_OK ||
        seen.rows != w->info.rows || seen.ncolumns != w->info.ncolumns)
        return odp_failure_set("write query index: it is not whole", w->job.path, 0);
    return ODP_OK;
}

/* The rows' trees, then those of the indexes; the file is one that SQLite can open. */
static enum odp_status end_trees(struct odp_search_writer *w)
{
    if (tree_end(w->data, &w->data_root) != ODP_OK || tree_end(w->cell_table, &w->cell_root) != ODP_OK ||
        (w->shapes != NULL && tree_end(w->shapes, &w->shape_root) != ODP_OK) || writer_make_indexes(w) != ODP_OK ||
        writer_words_write(w) != ODP_OK)
        return ODP_FAIL;
    struct tree_pages *pages = w->pages;
    w->pages = NULL;
    return tree_pages_end(pages, 0x6f647031, (uint32_t)strtoul(ODP_SEARCH_LAYOUT, NULL, 10));
}

enum odp_status odp_search_writer_end(struct odp_search_writer *w, uint64_t *rows)
{
    uint64_t bytes = 0;
    *rows = w->info.rows;
    enum odp_status status = w->status;
    if (status == ODP_OK)
        status = end_trees(w);
    if (status == ODP_OK)
        status = writer_open(w);
    if (status == ODP_OK)
        status = writer_make_schema(w);
    if (status == ODP_OK && w->boxes != NULL)
        status = writer_boxes_end(w);
    if (status == ODP_OK)
        status = writer_write_labels(w);
    if (status == ODP_OK)
        status = writer_words_end(w);
    if (status == ODP_OK)
        status = writer_make_statistics(w);
    if (status == ODP_OK)
        status = write_meta(w);
    if (status == ODP_OK)
        status = writer_exec(w, "COMMIT");
    if (status == ODP_OK)
        status = count_bytes(w, &bytes);
    if (status == ODP_OK)
        status = writer_close(w);
    if (status == ODP_OK)
        status = check(w, bytes);
    release(w, false);
    return status;
}

void odp_search_writer_abort(struct odp_search_writer *w)
{
    if (w != NULL)
        release(w, true);
}
