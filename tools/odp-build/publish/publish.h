/* A finished site goes out, comes back, and is proved: publish, restore, verify, bundle, withdraw, approve,
 * rollback. Each is a command of odp-build: here is what they do, in commands/ their options and output. */
#pragma once

#include "base/remote/remote.h"
#include "publish/headers.h"
#include "publish/sign/sign.h"
#include "published/history.h"

struct odp_site_job;

/* ---- publish ---- */

enum odp_audience { ODP_AUDIENCE_PUBLIC /* what class public says */, ODP_AUDIENCE_ORIGIN /* all */ };

struct odp_publish_options {
    const char *site, *destination;
    enum odp_audience audience;
    bool dry_run;
    bool first; /* the destination may be empty (else a destination without a site is refused) */
    const char *header_files; /* "nginx,netlify,…": also written; NULL none */
    const struct odp_progress *progress;
};
struct odp_publish_plan {
    const char **put, **remove,
        **purge; /* paths: to be written in this order; to be removed; to be purged from a CDN */
    size_t nput, nremove, npurge, same; /* same: at the destination already */
    uint64_t bytes;                     /* to be written */
    bool up_to_date;
    const char *shown; /* the destination, secrets masked */
    const char *build; /* a folder: the build that DEST leads to now; NULL: none, or a dry run */
};
/* PLAN in A. BAD: refused, or the destination failed (reported). */
enum odp_status odp_publish(struct odp_publish_plan *plan, const struct odp_publish_options *o,
                            struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
struct odp_restore_options {
    const char *from, *out;
    const struct odp_public_key
        *keys; /* its signature must be by one of these; none: no signature is asked for */
    size_t nkeys;
    const struct odp_progress *progress;
};
struct odp_restored {
    uint64_t files, bytes;     /* in the site now */
    uint64_t keyed, internal;  /* named by the manifest and not to be had: the site is sparse */
    const char *build, *shown; /* "build/site.builds/9f31…"; where it came from, secrets masked */
    const char *signed_by;     /* id of the key, or NULL */
};
/* Makes a lost OUT again from a published site (folder, URL, rclone remote), every file checked. DONE in A.
 * BAD: reported; what was fetched is kept for the next try. */
enum odp_status odp_restore(struct odp_restored *done, const struct odp_restore_options *o,
                            struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;

/* ---- verify ---- */

struct odp_verify_options {
    const char *address;
    const char *scratch; /* a folder for what is fetched */
    enum odp_audience audience;
    const struct odp_public_key
        *keys; /* trusted; none: signatures are checked by the site's own keys and said to be so */
    size_t nkeys;
    bool need_signature;
    unsigned jobs;
    const struct odp_progress *progress;
};
struct odp_verify_result {
    uint64_t files, bytes, twins, versions, distributions, absent;
    const char *signed_by; /* key id, or NULL */
    bool trusted;          /* by one of KEYS */
};
enum odp_status odp_verify_site(struct odp_verify_result *out, const struct odp_verify_options *o,
                                struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;

/* ---- bundle ---- */

/* The public site as one reproducible archive; the form by FILE's ending: .tar.zst or .zip. */
bool odp_bundle_form(const char *file, bool *zip); /* false: another ending */
enum odp_status odp_bundle(const char *site, const char *file, struct odp_file_info *info,
                           struct odp_diags *diags) ODP_MUST_USE;

/* Names of people, numbers of letters, notes: one line (odp_utf8_is_line) of at most so many bytes. */
enum { ODP_LINE_MOST = 500 };

/* ---- lifecycle ---- */

struct odp_withdraw_options {
    const struct odp_catalog *catalog;
    const char *out, *slug;
    const char *const *versions;
    size_t nversions;
    const char *reason; /* privacy, legal, error */
    const char *note;   /* one line; published in the tombstone */
    const char *by;     /* for OUT.builds/history; NULL: nobody is named */
    struct odp_pool *pool;
    /* Stages what is made of the index's entries: odp_site_pages (of run/, a room above this one). */
    enum odp_status (*pages)(const struct odp_site_job *job);
};
struct odp_withdrawn {
    const char *build; /* the new one: "build/site.builds/9f31…" */
    size_t versions, files,
        builds;  /* withdrawn now; files of the site that are gone; retained builds that are gone */
    bool newest; /* the API answers 410 until a new version is built */
};
/* A new build without these versions is switched in; every other retained build is removed. DONE: all of them
 * were withdrawn before (ODP-V76); what was left of them on this machine is removed. BAD: refused (reported),
 * nothing has changed. */
enum odp_status odp_withdraw(const struct odp_withdraw_options *o, struct odp_arena *a,
                             struct odp_withdrawn *done, struct odp_diags *diags) ODP_MUST_USE;

/* Under the lock of OUT's builds: finishes a withdrawal that was killed after its switch (earlier builds
 * still held the version). Cheap where there was none. */
enum odp_status odp_withdraw_recover(const char *out, struct odp_diags *diags) ODP_MUST_USE;

struct odp_build_entry {
    const char *digest; /* of its manifest: the name of its folder */
    bool current;
    const char *release, *last_update; /* from its index; "" unknown */
    const char *switched, *by;         /* when and by whom the site was last switched to it; "" unknown */
    bool damaged;                      /* its manifest is missing, or is not the one it is named by */
    size_t files;
    uint64_t bytes;
};
/* Newest first, in the order of switching. */
enum odp_status odp_builds_list(const char *out, struct odp_build_entry **list, size_t *n,
                                struct odp_arena *a) ODP_MUST_USE;
/* The link goes to an earlier build (by the beginning of its digest; NULL: the one before) in one rename;
 * entered in OUT.builds/log and, with time and WHO (may be NULL), in OUT.builds/history. *BUILD:
 * "build/site.builds/9f31…", in A. DONE: it is the current one already (ODP-V88). BAD: there is none, it is
 * not unique, it is damaged, or holds what was withdrawn. */
enum odp_status odp_rollback(const char *out, const char *to, const char *who, struct odp_arena *a,
                             const char **build, struct odp_diags *diags) ODP_MUST_USE;

/* Approval of a candidate's logical digest: catalog/approvals/<slug>.json, signed by a key of portal.json's
 * "approval": {"keys": […]}. */
struct odp_approval {
    const char *slug, *version, *by, *ref;
    uint8_t digest[ODP_SHA256_SIZE];
};
enum odp_status odp_approve(const struct odp_catalog *c, const struct odp_approval *what,
                            const struct odp_secret_key *key, struct odp_arena *a,
                            struct odp_diags *diags) ODP_MUST_USE;
/* OK: DIGEST of SLUG is approved by a valid signature, or the portal asks for none. DONE: not yet approved.
 * BAD: the file is wrong. */
enum odp_status odp_approved(const struct odp_catalog *c, const char *slug,
                             const uint8_t digest[ODP_SHA256_SIZE], struct odp_arena *a,
                             struct odp_diags *diags) ODP_MUST_USE;

/* ---- signatures of a site ---- */

/* The text of manifest.json.minisig for these bytes; RELEASE is the API's. */
enum odp_status odp_manifest_sign(struct odp_buffer *out, const struct odp_secret_key *key,
                                  struct odp_slice manifest, const char *release) ODP_MUST_USE;
/* Signs OUT's manifest: manifest.json.minisig beside it (not in the manifest, like the manifest itself),
 * replaced in one step. Takes the lock of OUT.builds. BAD: there is no site, or KEY is no signing key of its
 * odp-keys.json (reported). */
enum odp_status odp_site_sign(const char *out, const struct odp_secret_key *key,
                              struct odp_diags *diags) ODP_MUST_USE;
