/* The release log: releases.log of the site, append-only. One JSON object a line; each names the digest of
 * the line before and the manifest of the site it was built from, so nobody can rewrite the past unseen,
 * and a publisher can tell whether a site descends from another.
 *
 *   {"n":12,"previous":"sha256:<of line 11, without its line feed>","base":"sha256:<manifest.json of the site
 * before>",
 *    "date":"2024-03-15","release":"2.5.0","changes":[{"dataset":"kumuh","version":"2024-03-15","digest":"sha256:…","what":"published"}]}
 *
 * what, of a version: published; corrected; thinned; withdrawn (with "reason"); deprecated: the dataset is
 * about to go from now on (the version is the current one; no digest, for the content is not what has
 * changed). what, of a dataset, without version and digest: withdrawn (the catalogue withdraws it as a
 * whole, with all its versions); removed (the catalogue does not have it any more). Each is said once, by
 * the build or withdrawal in which it happens. A build equal to the one before writes no line; one that
 * only differs otherwise (titles, a new release) writes a line without changes. */
#pragma once

#include "published/stage.h"

struct odp_log_change {
    const char *dataset, *version, *what, *reason; /* reason may be NULL */
    const uint8_t *digest;
};
struct odp_log_line {
    const char *date;    /* of the newest dataset or release */
    const char *release; /* the newest one, or "" */
    const struct odp_log_change *changes;
    size_t n;
};
/* Appends a line to the previous site's log (NULL: the first line) and stages releases.log. */
enum odp_status odp_log_append(struct odp_stage *s, const struct odp_site *previous,
                               const struct odp_log_line *line, struct odp_diags *diags) ODP_MUST_USE;

/* Stages the previous site's log unchanged. */
enum odp_status odp_log_keep(struct odp_stage *s, const struct odp_site *previous,
                             struct odp_diags *diags) ODP_MUST_USE;
/* Appends SITE's log, if it has one, to OUT (which is empty). */
enum odp_status odp_log_read(const struct odp_site *site, struct odp_buffer *out,
                             struct odp_diags *diags) ODP_MUST_USE;
/* The number of its lines, which is how often the site has changed. */
enum odp_status odp_log_count(const struct odp_site *site, uint64_t *lines,
                              struct odp_diags *diags) ODP_MUST_USE;

/* Checks the chain of digests in TEXT. BAD: broken at *LINE (from 1). */
enum odp_status odp_log_check(struct odp_slice text, uint64_t *line) ODP_MUST_USE;
/* Whether a line of TEXT has BASE: then the site with that log descends from the site with that manifest. */
bool odp_log_descends(struct odp_slice text, const uint8_t base[ODP_SHA256_SIZE]);
