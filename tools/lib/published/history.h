/* The versions of a dataset: data/<slug>/versions.json, read from a published site and written into the
 * next one.
 *
 * v1/<slug>/versions.json is the same file under the API's name (addresses in it are relative and fit both
 * places). One version a line, newest first:
 *
 *   {"version":"2024-03-15","date":"2024-03-15","state":"published","digest":"sha256:…","release":"2.5.0","rows":1204,
 *    "previous":"2023-09-15","correction":{"id":…,"en":…}?,"resources":[{"name":"kumuh","rows":1204,"digest":"sha256:…",
 *      "schema":"../../data/kumuh/2024-03-15/schema.json","files":[{"format","name","url","media_type","bytes","hash"}],
 *      "changes":{"from":"2023-09-15","added":12,…,"json":url,"csv":url,"html":url},
 *      "deltas":[{"from":"2023-09-15","name":"csv","url","bytes","hash"}]}]}
 *
 * "rows" of a version are those of its first resource, as in the index and as meta.total of v1/<slug>.
 *
 * Tombstones have no resources: {"version","date","state":"thinned","digest","stands_in":"…"} and
 * {"version","date", "state":"withdrawn","digest","reason":"privacy","note":{…},"release"}. */
#pragma once

#include "published/stage.h"

enum odp_version_state { ODP_VERSION_PUBLISHED, ODP_VERSION_THINNED, ODP_VERSION_WITHDRAWN };
const char *odp_version_state_name(enum odp_version_state s);

struct odp_version {
    const char *name; /* "2024-03-15.1"; also its folder */
    const char *date; /* odp:lastUpdate: "2024-03-15" or a timestamp */
    enum odp_version_state state;
    uint8_t digest[ODP_SHA256_SIZE];
    json_t *json; /* the whole entry; edited in place, written as it is */
};

struct odp_history {
    const char *slug;
    struct odp_version *versions; /* newest first; room for one more */
    size_t n;
    json_t *json; /* holds the entries */
};

/* The slug of PATH, "data/<slug>/versions.json", in A; NULL: another file. */
const char *odp_history_slug(const char *path, struct odp_arena *a);
/* The versions of SLUG published in SITE. DONE: none. BAD: unreadable (ODP-V03). Release it in every case. */
enum odp_status odp_history_read(struct odp_history *h, const struct odp_site *site, const char *slug,
                                 struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
void odp_history_release(struct odp_history *h);
/* The newest version that is published (not a tombstone), or NULL: what the API serves, unless the newest of
 * all is withdrawn. */
struct odp_version *odp_history_current(const struct odp_history *h);
struct odp_version *odp_history_find(const struct odp_history *h, const char *name);
/* Makes ENTRY (taken) the newest. FAIL: it is no entry. */
enum odp_status odp_history_add_take(struct odp_history *h, json_t *entry, struct odp_arena *a) ODP_MUST_USE;
/* The dataset was renamed: links to files of FROM lead to those of h->slug now. */
void odp_history_rename(struct odp_history *h, const char *from);
/* Stages data/<slug>/versions.json and v1/<slug>/versions.json. */
enum odp_status odp_history_put(struct odp_stage *s, const struct odp_history *h) ODP_MUST_USE;
/* Makes V a tombstone, which names no files. STANDS_IN, or REASON and NOTE (taken; may be NULL). */
void odp_version_thin(struct odp_version *v, const char *stands_in);
void odp_version_withdraw(struct odp_version *v, const char *reason, json_t *note_take);

/* Compares two names of versions: by instant (a date is its 00:00 UTC; offsets count), then by the number
 * after the dot. <0, 0, >0. */
int odp_version_compare(const char *a, const char *b);
/* The name of a version: "2024-03-15T030000Z" of "2024-03-15T10:00:00+07:00"; a date stays as it is. In A. */
char *odp_version_name(const char *last_update, struct odp_arena *a) ODP_MUST_USE;
/* The name of a correction: "2024-03-15.1" after "2024-03-15". In A. */
char *odp_version_next(const char *name, struct odp_arena *a) ODP_MUST_USE;
/* Compares NAME, without the number of its correction, with BASE, a name without one. */
int odp_version_compare_date(const char *name, const char *base);
/* Whether PATH of the site belongs to version NAME of SLUG (its folder under data/, its pages under v1/). */
bool odp_version_owns(const char *path, const char *slug, const char *name);
