/* A finished site goes out, comes back, and is proved: publish, restore, verify, bundle, withdraw, approve, rollback. Each is a
 * command of odp-build; here is what they do, in tools/ only how it is said. */
#ifndef ODP_PUBLISH_PUBLISH_H
#define ODP_PUBLISH_PUBLISH_H

#include "release/history.h"
#include "remote/remote.h"
#include "sign/sign.h"

/* ---- publish ----------------------------------------------------------------------------------------------------------- */

enum odp_audience { ODP_AUDIENCE_PUBLIC /* what class public says */, ODP_AUDIENCE_ORIGIN /* all */ };

struct odp_publish_options {
    const char *site, *destination;
    enum odp_audience audience;
    bool dry_run;
    bool first;                       /* the destination may be empty (else a destination without a site is refused) */
    const char *header_files;         /* "nginx,netlify,…": also written; NULL none */
    const struct odp_progress *progress;
};
struct odp_publish_plan {
    const char **put, **remove, **purge; /* paths: to be written in this order; to be removed; to be purged from a CDN */
    size_t nput, nremove, npurge, same;  /* same: at the destination already */
    uint64_t bytes;                      /* to be written */
    bool up_to_date;
};
/* PLAN in A. BAD: refused, or the destination failed (reported). */
enum odp_status odp_publish(struct odp_publish_plan *plan, const struct odp_publish_options *o, struct odp_arena *a,
                            struct odp_diags *diags) ODP_MUST_USE;
/* control's cache headers in another form: "nginx", "netlify" (also Cloudflare Pages' _headers), "s3" (rclone's/AWS metadata). */
enum odp_status odp_headers(struct odp_buffer *out, const char *form, struct odp_slice control) ODP_MUST_USE; /* BAD: unknown form */

/* Makes a lost OUT again from a published site (folder, URL, rclone remote), every file checked. */
enum odp_status odp_restore(const char *from, const char *out, uint64_t *files, uint64_t *bytes, const struct odp_progress *progress,
                            struct odp_diags *diags) ODP_MUST_USE;

/* ---- verify ------------------------------------------------------------------------------------------------------------ */

struct odp_verify_options {
    const char *address;
    const char *scratch;              /* a folder for what is fetched */
    enum odp_audience audience;
    const struct odp_public_key *keys; /* trusted; none: signatures are checked by the site's own keys and said to be so */
    size_t nkeys;
    bool need_signature;
    unsigned jobs;
    const struct odp_progress *progress;
};
struct odp_verify_result {
    uint64_t files, bytes, twins, versions, distributions, absent;
    const char *signed_by;            /* key id, or NULL */
    bool trusted;                     /* by one of KEYS */
};
enum odp_status odp_verify_site(struct odp_verify_result *out, const struct odp_verify_options *o, struct odp_arena *a,
                                struct odp_diags *diags) ODP_MUST_USE;

/* ---- bundle ------------------------------------------------------------------------------------------------------------ */

/* The public site as one reproducible archive; the form by FILE's ending: .tar.zst or .zip. */
enum odp_status odp_bundle(const char *site, const char *file, struct odp_file_info *info, struct odp_diags *diags) ODP_MUST_USE;

/* ---- lifecycle --------------------------------------------------------------------------------------------------------- */

struct odp_withdraw_options {
    const struct odp_catalog *catalog;
    const char *out, *slug;
    const char *const *versions;
    size_t nversions;
    const char *reason;               /* privacy, legal, error */
    const char *note;
    struct odp_pool *pool;
};
/* A new build without these versions is switched in; every retained build that held them is removed. */
enum odp_status odp_withdraw(const struct odp_withdraw_options *o, struct odp_arena *a, const char **build, struct odp_diags *diags) ODP_MUST_USE;

struct odp_build_entry {
    const char *digest;               /* of its manifest: the name of its folder */
    bool current;
    const char *release, *last_update; /* from its index; "" unknown */
    uint64_t files, bytes;
};
enum odp_status odp_builds_list(const char *out, struct odp_build_entry **list, size_t *n, struct odp_arena *a) ODP_MUST_USE;
/* The link goes to an earlier build (by the beginning of its digest; NULL: the one before) in one rename; entered in OUT.builds/log and,
 * with time and WHO, in OUT.builds/history. BAD: there is none, it is not unique, it is damaged, or holds what was withdrawn. */
enum odp_status odp_rollback(const char *out, const char *to, const char *who, struct odp_arena *a, const char **build,
                             struct odp_diags *diags) ODP_MUST_USE;

/* Approval of a candidate's logical digest: catalog/approvals/<slug>.json, signed by a key of portal.json's "approval": {"keys": […]}. */
struct odp_approval {
    const char *slug, *version, *by, *ref;
    uint8_t digest[ODP_SHA256_SIZE];
};
enum odp_status odp_approve(const struct odp_catalog *c, const struct odp_approval *what, const struct odp_secret_key *key,
                            struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
/* OK: DIGEST of SLUG is approved by a valid signature, or the portal asks for none. DONE: not yet approved. BAD: the file is wrong. */
enum odp_status odp_approved(const struct odp_catalog *c, const char *slug, const uint8_t digest[ODP_SHA256_SIZE], struct odp_arena *a,
                             struct odp_diags *diags) ODP_MUST_USE;

/* ---- signatures of a site ---------------------------------------------------------------------------------------------- */

/* Signs OUT's manifest: manifest.json.minisig beside it (not in the manifest, like the manifest itself). */
enum odp_status odp_site_sign(const char *out, const struct odp_secret_key *key, struct odp_diags *diags) ODP_MUST_USE;

#endif
