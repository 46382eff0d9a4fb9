/* Inside of publish/withdraw: what a withdrawal takes away, and what it leaves in its place. */
#pragma once

#include "publish/publish.h"
#include "published/builds.h"

/* OUT.builds/.withdrawing: "<digest of the new build> <slug>" while a withdrawal is not finished. */
#define WITHDRAWAL_MARK ".withdrawing"

struct withdrawal {
    const struct odp_withdraw_options *o;
    struct odp_arena *arena;
    struct odp_diags *diags;
    const struct odp_site *site; /* the current one */
    struct odp_history history;  /* of the dataset; edited in place */
    bool *going;                 /* by version: withdrawn now */
    size_t ngoing;
    bool newest;           /* the current version is among them */
    bool touches_current;  /* the current version stays, but loses its differences */
    const char **prefixes; /* what is not carried over: files that go, and those written anew */
    size_t nprefixes;
    size_t files; /* how many files go */
};

/* Marks the versions that were asked for, and reports what must be known of them. DONE: all were withdrawn
 * before. */
enum odp_status withdrawal_choose(struct withdrawal *w) ODP_MUST_USE;
/* Decides what becomes of every file of the site. */
void withdrawal_plan(struct withdrawal *w);
/* Edits the history: tombstones, and counts instead of differences where these were made from what goes. */
void withdrawal_bury(struct withdrawal *w);
/* ENTRY of the index (edited in place) as it is to be afterwards. */
enum odp_status withdrawal_entry(const struct withdrawal *w, json_t *entry) ODP_MUST_USE;
/* Stages latest.json without the names that are gone. */
enum odp_status withdrawal_put_latest(struct withdrawal *w, struct odp_stage *s) ODP_MUST_USE;

/* Where the current version goes: stages latest/schema*.json, the contract that the next version is held to,
 * without what was measured on the data (rows, digest, extent). */
enum odp_status withdrawal_put_schemas(struct withdrawal *w, struct odp_stage *s) ODP_MUST_USE;

/* Removes from the folder of builds all that could still contain what was withdrawn: every build but KEEP,
 * scratch and caches; and the candidates of SLUG (NULL: of none). *BUILDS counts the builds that went. */
enum odp_status withdrawal_clean(const struct odp_builds *b, const char *keep, const char *slug,
                                 size_t *builds, struct odp_diags *diags) ODP_MUST_USE;
