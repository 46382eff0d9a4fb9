/* Differences between two versions of a resource: rows added, removed, changed cell by cell; geometry;
 * schema.
 *
 * Both sides are sorted by primary key (external merge sort) and walked side by side, so memory is bounded
 * for any size: ODP_CHANGES_MEMORY. Without a key (or if it was no key before) rows are compared whole, as a
 * multiset. Cells of fields that both schemas have are compared by canonical text; a renamed field is one
 * schema change; values of added and removed fields are not reported row by row. Rows come in the order of
 * the keys (integers by value, text by bytes). */
#pragma once

#include <jansson.h>

#include "base/file.h"
#include "catalog/records/code_lists.h"
#include "published/reading.h"
#include "published/row_change.h"
#include "published/schema_change.h"

#define ODP_CHANGES_MEMORY                                                                                   \
    ((size_t)64                                                                                              \
     << 20) /* bytes of records in memory, of both sides together; the rest is in scratch files   \
                        */

struct odp_changes_side {
    const char *version;   /* "2023-09-15" */
    const uint8_t *digest; /* logical digest of the resource, ODP_SHA256_SIZE */
    const struct odp_layout *layout;
    struct odp_reading *reading; /* borrowed; read to its end */
};

struct odp_changes_counts {
    uint64_t from_rows, to_rows, added, removed, changed, cells,
        geometry;           /* changed: rows; geometry: rows whose geometry changed */
    bool geometry_compared; /* both sides carried it whole (or there is none) */
};

/* One row that differs. Borrowed until the callback returns. */
struct odp_change {
    enum odp_change_op op;
    const struct odp_slice *before,
        *after;            /* by field of the OLD layout / of the NEW one; NULL for added / removed */
    const uint32_t *cells; /* new layout's indexes of changed cells, ncells of them */
    uint32_t ncells;
    bool geometry_changed;
    struct odp_slice geometry_before, geometry_after; /* a short description: "Polygon, 12 points"; "" none */
};

/* A consumer of differences: one const vtable a form. BEGIN gets the schema's changes; END the counts. */
struct odp_changes_job {
    const char *dataset, *resource;
    struct odp_text title; /* of the dataset */
    const struct odp_changes_side *from, *to;
    const struct odp_schema_changes *schema;
    bool keyed;                           /* rows were matched by key */
    struct odp_text note;                 /* why only counts are given, or empty */
    const struct odp_code_lists *codes;   /* what codes mean, for changes.html; NULL: not known, and */
    const struct odp_resource *described; /* by this entry of the catalogue; or NULL */
    const char *stem; /* stem of the files beside changes.html: "changes-timeline"; NULL: "changes" */
};
struct odp_changes_sink {
    void *ctx;
    enum odp_status (*begin)(void *ctx, const struct odp_changes_job *job);
    enum odp_status (*row)(void *ctx, const struct odp_change *c);
    enum odp_status (*end)(void *ctx, const struct odp_changes_counts *counts);
};

/* SCRATCH: a folder for scratch files (removed again). MEMORY: ODP_CHANGES_MEMORY, or less in tests.
 * COUNTS_ONLY: sinks get no rows. All SINKS get the same. BAD: a side could not be read (see its
 * odp_reading_fault). */
struct odp_changes_options {
    const char *scratch;
    size_t memory;
    bool counts_only;
};
enum odp_status odp_changes_run(const struct odp_changes_job *job, const struct odp_changes_options *o,
                                const struct odp_changes_sink *sinks, size_t nsinks,
                                struct odp_changes_counts *counts) ODP_MUST_USE;

/* The published forms: changes.json, changes.csv, changes.html, all described in docs/versions.md. Free with
 * odp_changes_writer_free after the run, whatever it returned. */
enum odp_changes_form { ODP_CHANGES_JSON, ODP_CHANGES_CSV, ODP_CHANGES_HTML, ODP_CHANGES_TEXT };
/* Makes changes.html of DATA (model/changes.json of templates/portal), appended to OUT. */
struct odp_changes_page {
    void *ctx;
    enum odp_status (*render)(void *ctx, const json_t *data, struct odp_buffer *out);
};
struct odp_changes_writer;
/* PAGE: for changes.html alone, else NULL. */
enum odp_status odp_changes_writer_new(struct odp_changes_writer **out, enum odp_changes_form form,
                                       struct odp_file *file, const struct odp_changes_page *page,
                                       struct odp_changes_sink *sink) ODP_MUST_USE;
void odp_changes_writer_free(struct odp_changes_writer *w);
/* The terminal's form, in one language, to a buffer that FLUSH empties; it shows at most LIMIT rows (0: all)
 * and counts the others. COLOR: with ANSI colours. */
struct odp_changes_text {
    enum odp_lang lang;
    bool color;
    uint64_t limit;
    void *ctx;
    enum odp_status (*flush)(void *ctx, struct odp_slice text);
};
enum odp_status odp_changes_text_new(struct odp_changes_writer **out, const struct odp_changes_text *t,
                                     struct odp_changes_sink *sink) ODP_MUST_USE;
