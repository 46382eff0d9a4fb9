/* What a portal and its datasets should say of themselves, and how people add it without editing JSON: one
 * list of members (members.c) that the warning, the scorecard, the form of `odp-build serve`, the workbook of
 * `odp-build template --metadata` and `odp-build apply` share. */
#pragma once

#include "catalog/catalog.h"

/* ---- what is missing ---- */

/* C39: one warning for each published dataset that is WANTED (by its place in the catalogue), and one for
 * the PORTAL, which names all that is missing and how to add it. OK; BAD: odp:severity or --strict makes
 * an error of it; FAIL. */
enum odp_status odp_metadata_warn(const struct odp_catalog *c, const bool *wanted, bool portal,
                                  struct odp_diags *diags) ODP_MUST_USE;
/* Each member of D (NULL: the portal) that is missing, in the order of forms: "title" of FIELD, of
 * RESOURCE; FIELD NULL: of D itself. */
typedef void odp_metadata_take(void *ctx, const char *member, const struct odp_resource *resource,
                               const struct odp_field *field);
void odp_metadata_each_gap(const struct odp_catalog *c, const struct odp_dataset *d, odp_metadata_take *take,
                           void *ctx);
/* How many they are, and how many fields lack something. */
struct odp_metadata_gaps {
    uint64_t members, fields;
    const struct odp_field *last;
};
struct odp_metadata_gaps odp_metadata_count(const struct odp_catalog *c, const struct odp_dataset *d);

/* ---- the form ---- */

struct odp_metadata_request {
    const struct odp_catalog *catalog;
    const char *slug;  /* NULL: the portal */
    const char *token; /* of the page, without which nothing is saved */
    enum odp_lang lang;
    bool saved; /* the page says that what was sent is written */
};

/* The whole page. OK; BAD: the catalogue has no such dataset; FAIL. */
enum odp_status odp_metadata_page(const struct odp_metadata_request *q, struct odp_buffer *out) ODP_MUST_USE;
/* Takes BODY, the form as it was posted (application/x-www-form-urlencoded), and writes portal.json or
 * dataset.json: what the form does not have stays byte for byte. OK; BAD: nothing is written, OUT is the page
 * with what was typed and what is wrong next to it; FAIL. */
enum odp_status odp_metadata_save(const struct odp_metadata_request *q, struct odp_slice body,
                                  struct odp_buffer *out) ODP_MUST_USE;

/* ---- the workbook ---- */

/* Writes PATH, which must not exist, for the datasets SLUGS, or for the portal and all. OK; BAD: PATH exists;
 * FAIL. */
enum odp_status odp_metadata_workbook(const char *path, const struct odp_catalog *c, const char *const *slugs,
                                      size_t nslugs, enum odp_lang lang) ODP_MUST_USE;
/* Whether the workbook PATH is one of these. */
bool odp_metadata_is_workbook(const char *path);

struct odp_metadata_change {
    const char *file, *where; /* "catalog/kumuh/dataset.json"; "luas_ha  sdi:satuan (id)" */
    const char *before, *after;
};
struct odp_metadata_apply {
    const struct odp_catalog *catalog;
    bool dry; /* nothing is written */
    void (*show)(void *ctx, const struct odp_metadata_change *change);
    void *ctx;
    uint64_t changes, files; /* how many there were */
};
/* Writes what a person changed in the workbook PATH. An empty cell changes nothing. What does not fit, or
 * has changed in the catalogue since, is reported (A31, A22), and nothing of that dataset is written. OK,
 * BAD, FAIL. */
enum odp_status odp_metadata_apply(const char *path, struct odp_metadata_apply *a, struct odp_arena *arena,
                                   struct odp_diags *diags) ODP_MUST_USE;
