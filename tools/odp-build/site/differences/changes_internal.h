/* Inside of site/differences: records on their way from two readings to the sinks.
 *
 * A packed record is what a run holds, in memory and in scratch files (of this process: sizes in its byte
 * order):
 *
 *   u32 bytes of what follows | u32 bytes of the key | the key | GEOMETRY_SIZE bytes if the side has geometry
 * | the fields
 *
 * The key compares with memcmp: for each part a mark (1 null, 2 a value), then an integer as length and
 * digits (their complement for negative ones) or text with 0 written as 0 255 and 0 1 at its end. Without a
 * key the parts are all fields both sides have, and the geometry follows. A field is its length + 1 as a
 * number of 7-bit groups (0: null), then its text. */
#pragma once

#include "published/doc.h"
#include "site/differences/changes.h"

/* ---- changes_record.c: packing ---- */

enum {
    GEOMETRY_SIZE = 1 + 4 + 16 + ODP_SHA256_SIZE
}; /* type or 255; points; the first point; digest of all of it */

struct packing {
    const uint32_t *parts; /* fields of this side whose values make the key, nparts of them */
    const bool *integer;   /* by part: compared by value */
    const bool *number;    /* by part: any literal of the same number is the same key */
    uint32_t nparts, nfields;
    bool geometry;        /* records have a geometry block */
    bool geometry_in_key; /* without a key: the geometry is part of the row */
    bool whole;           /* so far every geometry was carried whole */
    struct odp_digest *digest;
    struct odp_buffer bytes; /* of a geometry */
};
/* Appends REC to OUT, which is cleared first. */
enum odp_status pack_record(struct packing *p, const struct odp_reading_record *rec,
                            struct odp_buffer *out) ODP_MUST_USE;

struct packed { /* borrowed from the bytes it was read from */
    struct odp_slice key;
    const char *geometry;    /* GEOMETRY_SIZE bytes, or NULL */
    struct odp_slice fields; /* all of them, packed */
};
struct packed unpack(const char *record, bool geometry);
/* N texts out of FIELDS. */
void unpack_fields(struct odp_slice fields, struct odp_slice *text, uint32_t n);
/* "Polygon, 12 points"; "" for none. Returns OUT's slice. */
enum { GEOMETRY_TEXT = 96 };
struct odp_slice geometry_text(const char *geometry, char out[GEOMETRY_TEXT]);

static inline uint32_t record_size(const char *record) /* with its length */
{
    uint32_t n;
    memcpy(&n, record, sizeof n);
    return n + (uint32_t)sizeof n;
}

static inline struct odp_slice record_key(const char *record)
{
    uint32_t n;
    memcpy(&n, record + 4, sizeof n);
    return (struct odp_slice){record + 8, n};
}

/* ---- changes_sort.c: an external merge sort ---- */

struct sorter;
/* MEMORY: bytes it may hold. SCRATCH: where runs go that do not fit. */
enum odp_status sorter_new(struct sorter **out, const char *scratch, size_t memory) ODP_MUST_USE;
enum odp_status sorter_add(struct sorter *s, struct odp_slice record) ODP_MUST_USE;
/* No more to add. */
enum odp_status sorter_end(struct sorter *s) ODP_MUST_USE;
/* The next record in the order of keys (equal ones as they came), until the next call; DONE at the end. */
enum odp_status sorter_next(struct sorter *s, const char **record) ODP_MUST_USE;
void sorter_free(struct sorter *s); /* and removes its files */

/* ---- changes_writer.c: what the forms share ---- */

struct odp_changes_writer {
    enum odp_changes_form form;
    struct odp_file *file;               /* NULL: the terminal's form */
    const struct odp_changes_page *page; /* of changes.html */
    struct odp_changes_text text;
    const struct odp_changes_job *job;
    struct odp_buffer out;
    uint64_t rows; /* told so far */
    void *own;     /* of the form */
    void (*release)(void *own);
};

/* What is in OUT goes to the file once it is much; ALL: whatever there is. */
enum odp_status writer_flush(struct odp_changes_writer *w, bool all) ODP_MUST_USE;
/* The key's values of a row, by part: of the new layout's fields, or of what they were. */
struct odp_slice writer_key(const struct odp_changes_writer *w, const struct odp_change *c, uint32_t part);
/* The old text of the new layout's field K. */
struct odp_slice writer_before(const struct odp_changes_writer *w, const struct odp_change *c, uint32_t k);
/* A value as JSON. */
void writer_add_json(struct odp_buffer *out, enum odp_type type, struct odp_slice text);
/* "Polygon, 12 titik" */
void writer_add_geometry(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang);
/* S fit for a screen: no controls, nothing that turns the direction of a line; at most MAX characters, then
 * an ellipsis. */
void writer_add_clean(struct odp_buffer *out, struct odp_slice s, size_t max);
/* "+ sumber_air", "luas → luas_ha", "~ tingkat": a change of the schema in a word or two. */
void writer_add_schema(struct odp_buffer *out, const struct odp_schema_change *c, enum odp_lang lang);
/* "kumuh" or "proyek/timeline" */
void writer_add_place(struct odp_buffer *out, const struct odp_changes_job *job);

extern const struct odp_changes_sink changes_json, changes_csv, changes_html,
    changes_text; /* ctx: the writer */
