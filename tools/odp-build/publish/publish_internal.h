/* Inside of publish: what is known of both sides, and the parts of the work. */
#pragma once

#include <jansson.h>

#include "publish/control_lines.h"
#include "publish/publish.h"
#include "published/stage.h"

/* A manifest that came from elsewhere. Its files' strings live in JSON. */
struct their_site {
    bool present;
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_buffer text;
    json_t *json;
    struct odp_site_file *files; /* sorted by path; in the arena */
    size_t n;
    bool public_only;          /* what is keyed or internal was left out when it was published */
    bool is_signed, is_locked; /* manifest.json.minisig, .odp-publish.json exist there */
};

/* In this order things are written at the destination. */
enum publish_phase {
    PUBLISH_IMMUTABLE, /* a name that is new and always means these bytes: nobody can see it yet */
    PUBLISH_CURRENT,   /* a name whose bytes change */
    PUBLISH_POINTER    /* index and control, then the signature, then the manifest */
};
struct publish_item {
    enum publish_phase phase;
    const struct odp_site_file *file; /* of ours; NULL: one of the few that no manifest names */
    const char *path;
    struct odp_slice bytes; /* of those */
    const char *type, *cache_control;
    bool changed; /* the destination has other bytes under this name */
    bool replace; /* it may have, for all we know */
};

struct publish {
    const struct odp_publish_options *o;
    struct odp_publish_plan *plan;
    struct odp_arena *a;
    struct odp_diags *diags;
    struct odp_site *site;
    struct odp_buffer manifest, signature; /* ours; no signature: empty */
    struct odp_buffer control;             /* ours, and its lines */
    struct header_line *lines;
    size_t nlines;
    struct odp_remote *remote; /* the destination */
    struct their_site theirs;
    struct publish_item *items; /* in the order they are written */
    size_t nitems;
    struct their_lock *lock; /* what somebody left there; NULL: nothing */
};

/* Adds a diagnostic. Returns BAD, or FAIL when out of memory. Any argument may be NULL. */
enum odp_status publish_complain(struct odp_diags *diags, enum odp_code code, const char *file,
                                 const char *arg0, const char *arg1, const char *arg2);
/* Reports that the destination (or a source) failed, and what it said. */
enum odp_status publish_failed(struct odp_diags *diags, const struct odp_remote *r);

/* manifest.json of R. DONE: there is none. BAD: reported. Release it in every case. */
enum odp_status their_site_read(struct their_site *t, struct odp_remote *r, struct odp_arena *a,
                                struct odp_diags *diags) ODP_MUST_USE;
void their_site_release(struct their_site *t);
/* *SAME: the destination's manifest is still the one the plan was made for. */
enum odp_status publish_still_theirs(struct publish *p, bool *same) ODP_MUST_USE;
const struct odp_site_file *their_site_find(const struct their_site *t, const char *path);

/* refusals.c: whether our site may take the place of theirs. BAD: refused (reported). */
enum odp_status publish_may(struct publish *p) ODP_MUST_USE;

/* transfer_plan.c: items, plan->put, remove, purge. Reads at the destination, writes nothing. BAD: refused
 * (reported). */
enum odp_status publish_make_plan(struct publish *p) ODP_MUST_USE;
/* Whether F goes to the destination at all. */
bool publish_wants(const struct publish *p, const struct odp_site_file *f);

/* The next of --format's forms (*NAMES goes on): its name at the destination and its bytes, in the arena.
 * DONE: no more. */
enum odp_status publish_next_headers(struct publish *p, const char **names, const char **path,
                                     struct odp_slice *bytes) ODP_MUST_USE;

/* destination_lock.c: .odp-publish.json, which says at an object store that somebody is publishing. */
struct their_lock {
    char token[33], base[ODP_SHA256_HEX], target[ODP_SHA256_HEX]; /* base "": there was no site */
    const char **remove,
        **doubtful; /* what that run will remove at its end; what lay there before it under new names */
    size_t nremove, ndoubtful;
};
#define PUBLISH_LOCK ".odp-publish.json"
/* *LOCK, in A, is NULL where none exists. One that cannot be read belongs to somebody else. */
enum odp_status publish_lock_read(struct odp_remote *r, struct their_lock **lock, struct odp_arena *a,
                                  struct odp_diags *diags) ODP_MUST_USE;
enum odp_status publish_lock_write(struct odp_remote *r, const struct their_lock *lock) ODP_MUST_USE;
enum odp_status publish_lock_token(char token[33]) ODP_MUST_USE;
enum odp_status publish_drop_lock(struct publish *p) ODP_MUST_USE;

/* The signature, if there is one, beside the manifest in S: in no list of files. */
enum odp_status publish_stage_signature(struct odp_stage *s, const struct odp_buffer *signature,
                                        struct odp_arena *a) ODP_MUST_USE;

/* to_folder.c, to_remote.c */
enum odp_status publish_to_folder(struct publish *p) ODP_MUST_USE;
/* Where the site is already there: removes the builds next to it that contain what was withdrawn, which a run
 * that ended after its switch had left to do. */
enum odp_status publish_folder_tidy(struct publish *p) ODP_MUST_USE;
enum odp_status publish_to_remote(struct publish *p) ODP_MUST_USE;
