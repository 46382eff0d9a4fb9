/* Inside of site/differences: a writer of one form, and what the forms share. */
#pragma once

#include "published/doc.h"
#include "site/differences/changes.h"

struct odp_changes_writer {
    struct odp_file *file;               /* NULL: the terminal's form */
    const struct odp_changes_page *page; /* of changes.html */
    struct odp_changes_text text;
    const struct odp_changes_job *job;
    struct odp_buffer out;
    uint64_t rows; /* written so far */
    void *own;     /* of the form */
    void (*release)(void *own);
};

/* Writes OUT to the file once it is long; ALL: however short it is. */
enum odp_status writer_flush(struct odp_changes_writer *w, bool all) ODP_MUST_USE;
/* The value of a row's key by part: of the new layout's field, or of what it was. */
struct odp_slice writer_key(const struct odp_changes_writer *w, const struct odp_change *c, uint32_t part);
/* The old text of the new layout's field K. */
struct odp_slice writer_before(const struct odp_changes_writer *w, const struct odp_change *c, uint32_t k);
/* S fit for a screen: without controls and without what turns the direction of a line; at most MAX
 * characters, then an ellipsis. */
void writer_add_clean(struct odp_buffer *out, struct odp_slice s, size_t max);
/* "kumuh" or "proyek/timeline" */
void writer_add_place(struct odp_buffer *out, const struct odp_changes_job *job);
/* The schema's change C as a sentence. */
json_t *writer_schema_text(const struct odp_schema_change *c, enum odp_lang lang);

extern const struct odp_changes_sink changes_json, changes_csv, changes_html,
    changes_text; /* ctx: the writer */
