#include "write/index/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "catalog/index/gpb.h"
#include "write/index/index_internal.h"

/* ---- new ---- */

/* Frees W; with DROP, what it wrote, too. */
static void release(struct odp_search_writer *w, bool drop)
{
    writer_finalize(w);
    writer_close_taken(w);
    writer_close(w);
    for (uint32_t k = 0; k < w->nindexes; k++)
        writer_order_free(w, &w->indexes[k]);
    if (drop && w->made)
        (void)unlink(w->job.path);
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
    odp_buffer_init(&w->text);
    odp_buffer_init(&w->other);
    writer_plan(w);
    writer_open(w);
    writer_make_tables(w);
    if (w->status == ODP_OK)
        *out = w;
    else
        release(w, true);
    return *out != NULL ? ODP_OK : ODP_FAIL;
}

/* ---- append ---- */

/* Is S like a code: digits in it, no white space? */
static bool is_code(struct odp_slice s)
{
    bool digit = false;
    for (size_t i = 0; i < s.len; i++) {
        digit = digit || (s.ptr[i] >= '0' && s.ptr[i] <= '9');
        if (s.ptr[i] == ' ' || (s.ptr[i] >= '\t' && s.ptr[i] <= '\r'))
            return false;
    }
    return digit;
}

/* How many decimals V is published with, where that and its REAL say all of its text; else -1. */
static int places_of(const struct writer_value *v)
{
    enum { DIGITS = 18 };
    const struct odp_slice s = v->exact;
    if (v->tag != WRITER_REAL || s.len == 0 || s.len > DIGITS || memchr(s.ptr, 'e', s.len) != NULL ||
        memchr(s.ptr, 'E', s.len) != NULL || (*s.ptr == '-' && !(v->r < 0)))
        return -1;
    const char *point = memchr(s.ptr, '.', s.len);
    return point != NULL ? (int)(s.ptr + s.len - point) - 1 : 0;
}

/* Describes the values of column K to the engine. */
static void note(struct odp_search_writer *w, uint32_t k)
{
    const struct writer_value *v = &w->record.values[k];
    struct writer_column *c = &w->columns[k];
    struct odp_search_column *out = &w->info.columns[k];
    if (v->tag == WRITER_NULL) {
        c->null_seen = true;
        return;
    }
    int places = places_of(v);
    c->places = !c->value_seen || c->places == places ? places : -1;
    c->value_seen = true;
    if (v->tag == WRITER_TEXT && c->words && !c->word_seen)
        c->word_seen = !is_code(v->text);
    if (v->tag == WRITER_BLOB)
        out->wide = true;
    if (v->tag == WRITER_BLOB || (v->tag == WRITER_REAL && v->scale > WRITER_SCALE_MAX))
        out->scale = -1;
    else if (v->tag == WRITER_REAL && out->scale >= 0 && v->scale > out->scale)
        out->scale = v->scale;
}

/* The interval's end K (0: start, the least; 1: end, the greatest) becomes the record's, if that is beyond
 * it. */
static void note_time(struct odp_search_writer *w, int k)
{
    const struct writer_value *v = &w->record.values[w->info.datetime[k]];
    struct odp_slice seen = odp_slice_of(w->bound[k]), shown = v->exact.ptr != NULL ? v->exact : v->text;
    if (v->tag != WRITER_TEXT || v->text.len >= sizeof w->bound[k] || shown.len >= sizeof w->interval[k])
        return;
    int order = odp_slice_cmp(v->text, seen);
    if (seen.len > 0 && (k == 0 ? order >= 0 : order <= 0))
        return;
    memcpy(w->bound[k], v->text.ptr, v->text.len);
    w->bound[k][v->text.len] = '\0';
    memcpy(w->interval[k], shown.ptr, shown.len);
    w->interval[k][shown.len] = '\0';
    w->info.interval[k] = w->interval[k];
}

static void insert_values(struct odp_search_writer *w)
{
    const struct writer_record *r = &w->record;
    int at = 1, rc = sqlite3_bind_int64(w->insert, at++, r->id);
    for (uint32_t k = 0; k < w->info.ncolumns && rc == SQLITE_OK; k++)
        rc = writer_bind(w->insert, at++, &r->values[k]);
    if (rc == SQLITE_OK && w->info.has_geometry)
        rc = r->shape.ptr != NULL
                 ? sqlite3_bind_blob64(w->insert, at, r->shape.ptr, r->shape.len, SQLITE_STATIC)
                 : sqlite3_bind_null(w->insert, at);
    writer_step(w, w->insert, rc);
}

static void insert_exact(struct odp_search_writer *w)
{
    int at = 1, rc = sqlite3_bind_int64(w->insert_exact, at++, w->record.id);
    for (uint32_t k = 0; k < w->info.ncolumns && rc == SQLITE_OK; k++)
        if (odp_search_is_exact(w->columns[k].type))
            rc = writer_bind_text(w->insert_exact, at++, w->record.values[k].exact);
    writer_step(w, w->insert_exact, rc);
}

/* Values that the table of records cannot hold. */
static void insert_label(struct odp_search_writer *w)
{
    const struct writer_record *r = &w->record;
    int rc = sqlite3_bind_int64(w->insert_geometry, 1, r->id);
    for (int k = 0; k < 2 && rc == SQLITE_OK; k++)
        rc = sqlite3_bind_double(w->insert_geometry, 2 + k, r->label[k]);
    if (rc == SQLITE_OK)
        rc = writer_bind_text(w->insert_geometry, 4, r->simple);
    writer_step(w, w->insert_geometry, rc);
}

static void insert_box(struct odp_search_writer *w, const double box[4])
{
    static const int order[] = {0, 2, 1, 3}; /* minx, maxx, miny, maxy */
    int rc = sqlite3_bind_int64(w->insert_box, 1, w->record.id);
    for (int k = 0; k < 4 && rc == SQLITE_OK; k++)
        rc = sqlite3_bind_double(w->insert_box, 2 + k, box[order[k]]);
    writer_step(w, w->insert_box, rc);
}

static void insert_geometry(struct odp_search_writer *w)
{
    const struct writer_record *r = &w->record;
    double box[4];
    if (r->shape.ptr == NULL) {
        w->info.bare++;
        return;
    }
    w->info.geometry_types |= 1u << r->type;
    w->heights = w->heights || r->heights;
    if (w->insert_geometry != NULL)
        insert_label(w);
    if (!odp_gpb_box(r->shape, box))
        return;
    odp_bbox_extend(w->info.bbox, &w->info.has_bbox, box);
    insert_box(w, box);
}

static void insert_record(struct odp_search_writer *w)
{
    insert_values(w);
    if (w->insert_exact != NULL)
        insert_exact(w);
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        note(w, k);
    writer_order_add(w);
    for (int k = 0; k < 2 && w->info.datetime[k] >= 0; k++)
        note_time(w, k);
    w->info.rows++;
    if (w->info.has_geometry)
        insert_geometry(w);
}

enum odp_status odp_search_writer_append(struct odp_search_writer *w, struct odp_slice packed)
{
    const char *at = packed.ptr, *end = packed.len > 0 ? packed.ptr + packed.len : packed.ptr;
    while (at < end && w->status == ODP_OK) {
        if (!writer_unpack(w, &at, end, &w->record)) {
            writer_fail(w, "write query index: a packed record", 0);
        } else {
            writer_derive(w);
            insert_record(w);
        }
    }
    return w->status;
}

/* ---- end ---- */

static void write_meta(struct odp_search_writer *w)
{
    for (uint32_t k = 0; k < w->info.ncolumns; k++) {
        w->info.columns[k].required = !w->columns[k].null_seen;
        w->info.columns[k].places = w->columns[k].value_seen ? w->columns[k].places : -1;
    }
    odp_buffer_clear(&w->other);
    if (odp_search_info_write(&w->info, &w->other) != ODP_OK)
        w->status = ODP_FAIL;
    sqlite3_stmt *s =
        writer_prepare(w, "INSERT INTO odp_meta VALUES('layout', '" ODP_SEARCH_LAYOUT "'), ('info', ?)");
    if (s != NULL)
        writer_step(w, s, writer_bind_text(s, 1, odp_buffer_slice(&w->other)));
    (void)sqlite3_finalize(s);
}

/* A cheap check: the last table exists. The file's digest finds damage by the disk later. */
static void check(struct odp_search_writer *w)
{
    struct odp_search_info seen;
    const char *why = "";
    if (odp_search_info_open(&seen, w->job.path, &w->arena, &why) != ODP_OK || seen.rows != w->info.rows ||
        seen.ncolumns != w->info.ncolumns)
        writer_fail(w, "write query index: it is not whole", 0);
}

enum odp_status odp_search_writer_end(struct odp_search_writer *w, uint64_t *rows)
{
    *rows = w->info.rows;
    writer_finalize(w);
    writer_make_indexes(w);
    writer_make_words(w);
    writer_write_labels(w);
    if (w->info.has_geometry)
        writer_end_geopackage(w);
    write_meta(w);
    writer_exec(w, "COMMIT");
    writer_close(w);
    if (w->status == ODP_OK)
        check(w);
    enum odp_status status = w->status;
    release(w, false);
    return status;
}

void odp_search_writer_abort(struct odp_search_writer *w)
{
    if (w != NULL)
        release(w, true);
}
