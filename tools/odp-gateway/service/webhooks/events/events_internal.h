/* Inside of tools/odp-gateway/service/webhooks/events. */
#ifndef ODP_SERVICE_WEBHOOKS_EVENTS_EVENTS_INTERNAL_H
#define ODP_SERVICE_WEBHOOKS_EVENTS_EVENTS_INTERNAL_H

#include "base/buffer.h"
#include "base/slice.h"
#include "published/history.h"
#include "service/webhooks/events/events.h"

/* One part of a record's key as in /v1/<slug>/id/<key>: the parts' canonical texts, percent-encoded (RFC 3986: all but unreserved characters), with ','
 * between them. FIRST: OUT has no part of this key yet. */
void events_key_add(struct odp_buffer *out, struct odp_slice part, bool first);

/* ---- changed_keys.c: {"added":[],"removed":[],"changed":[]}; a key is in one of them ----------------------------------------------------------- */

enum events_op { EVENTS_ADDED, EVENTS_REMOVED, EVENTS_CHANGED, EVENTS_OPS };
extern const char *const events_ops[EVENTS_OPS]; /* their members */

/* NULL without memory. */
json_t *events_keys_new(void);
size_t events_keys_count(const json_t *keys);
/* What happened to KEY, after what KEYS says of it: see odp_event_merge. */
enum odp_status events_keys_put(json_t *keys, enum events_op op, const char *key) ODP_MUST_USE;

/* One resource's differences, by its entry in versions.json. */
struct events_changes {
    const char *path;             /* of changes.json in the site; NULL: there is none (any more), only counts */
    uint64_t rows[EVENTS_OPS];
};
/* The keys of what changed, as far as changes.json tells them. DONE: it does not (no key, only counts, not on this machine). *MANY: they are more
 * than LIMIT, then it is DONE, too. BAD: the file is damaged (reported). *KEYS is the caller's when OK. */
enum odp_status events_keys_read(json_t **keys, bool *many, const struct events_changes *c, size_t limit, const struct odp_site *site, struct odp_arena *a,
                                 struct odp_diags *diags) ODP_MUST_USE;

/* ---- version.c -------------------------------------------------------------------------------------------------------------------------- */

/* A dataset as it is now. */
struct events_dataset {
    const char *slug;             /* today's */
    const json_t *entry;          /* in the index; NULL: it is not there (any more) */
    struct odp_history history;   /* n 0: none, or it cannot be read */
};
/* Finds the dataset that was called SLUG when the log's line was written. Release D in every case. BAD: its history is damaged (reported), D has
 * what could be read. */
enum odp_status events_dataset_open(struct events_dataset *d, const struct odp_site *site, const char *slug, struct odp_arena *a,
                                    struct odp_diags *diags) ODP_MUST_USE;
void events_dataset_release(struct events_dataset *d);

/* {"id","en"} of a text in one language, or both; null where there is none. NULL without memory. */
json_t *events_text(const json_t *text);
/* BASE_URL and the site's PATH; null where PATH is NULL. NULL without memory. */
json_t *events_url(const char *base_url, const char *path);
/* data of dataset.version.published and dataset.corrected. RELEASE may be NULL. */
enum odp_status events_version_data(json_t **data, const struct odp_site *site, const struct events_dataset *d, const char *version, const char *release,
                                    const char *base_url, struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;

#endif
