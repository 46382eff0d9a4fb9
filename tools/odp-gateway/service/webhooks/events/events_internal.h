/* What the files of service/webhooks/events share. */
#pragma once

#include <stdio.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "published/history.h"
#include "published/row_change.h"
#include "service/webhooks/events/events.h"

/* What is read, and where results and faults go. */
struct events_reading {
    const struct odp_site *site;
    struct odp_arena *a;
    struct odp_diags *diags;
};

/* Appends one part of a record's key as in /v1/<slug>/id/<key>: percent-encoded (RFC 3986: all but unreserved
 * characters), with ',' between parts. FIRST: OUT has no part of this key yet. */
void events_key_add(struct odp_buffer *out, struct odp_slice part, bool first);

/* ---- changes_file.c: changes.json, a change at a time ---- */

enum { EVENTS_OPS = ODP_CHANGE_CHANGED + 1 };
extern const char *const events_ops[EVENTS_OPS]; /* by enum odp_change_op */

struct events_rows {
    bool known;       /* its head says whether there is a key */
    bool keyed;       /* changes have a key; else they have whole records */
    bool counts_only; /* it has a note instead of rows */
    enum odp_change_op op;
    struct odp_slice *parts; /* canonical texts of the key (or record) of the present change, ptr NULL: null;
                                until the next */
    size_t n;
    FILE *file;
    char *line, *end;
    size_t room, nparts;
    bool ended, failed;
};
/* BAD: not our file. Close R in every case. */
enum odp_status events_rows_open(struct events_rows *r, const char *path) ODP_MUST_USE;
enum odp_status events_rows_next(struct events_rows *r) ODP_MUST_USE; /* DONE: the end. BAD: damaged */
void events_rows_close(struct events_rows *r);

/* ---- changed_keys.c: {"added":[],"removed":[],"changed":[]}; a key is in one of them ---- */

json_t *events_keys_new(void);
size_t events_keys_count(const json_t *keys);
/* What happened to a record that first was FIRST, then THEN. What went and came back may have changed. */
enum odp_change_op events_op_join(enum odp_change_op first, enum odp_change_op then);
/* Adds what happened to KEY; see odp_event_merge. */
void events_keys_put(json_t *keys, enum odp_change_op op, const char *key);

/* Differences of a resource, by its entry in versions.json. */
struct events_changes {
    const char *path; /* of changes.json in the site; NULL: there are only counts */
    uint64_t rows[EVENTS_OPS];
};
/* The keys of what changed. DONE: changes.json does not have them (no key, only counts, not on this machine),
 * or they are more than LIMIT (*MANY). BAD: the file is damaged (reported). OK: the caller owns *KEYS. */
enum odp_status events_keys_read(json_t **keys, bool *many, const struct events_changes *c, size_t limit,
                                 const struct events_reading *r) ODP_MUST_USE;

/* ---- version.c ---- */

/* A dataset as it is now. */
struct events_dataset {
    const char *slug;           /* today's */
    const json_t *entry;        /* in the index; NULL: it is not there */
    struct odp_history history; /* n 0: none, or it cannot be read */
};
/* Finds the dataset that was called SLUG when the log's line was written. Release D in every case. BAD: its
 * history is damaged (reported), D has what could be read. */
enum odp_status events_dataset_open(struct events_dataset *d, const struct odp_site *site, const char *slug,
                                    struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
void events_dataset_release(struct events_dataset *d);

/* {"id","en"} of a text in one language, or both; null where there is none. */
json_t *events_text(const json_t *text);
/* BASE_URL and the site's PATH; null where PATH is NULL. */
json_t *events_url(const char *base_url, const char *path);
/* data of dataset.version.published and dataset.corrected. */
struct events_release {
    const char *name; /* NULL: none */
    const char *base_url;
};
enum odp_status events_version_data(json_t **data, const struct events_reading *r,
                                    const struct events_dataset *d, const char *version,
                                    const struct events_release *release) ODP_MUST_USE;
