/* What a site says of its versions and datasets: schema.json, latest, versions.json, the index, control and
 * manifest. */
#pragma once

#include "base/map.h"
#include "published/doc.h"
#include "published/site.h"
#include "published/stage.h"
#include "write/emit.h"

struct odp_history;
struct odp_among;
struct odp_api;
struct odp_places;
struct odp_portal_frame;

/* Every published record of a resource: TEXT[i] is the canonical text of the schema's field i (ptr NULL:
 * null or not public). DONE: not published. BAD: unreadable (ODP-V03). */
enum odp_status
odp_site_records(const struct odp_site *s, const struct odp_resource *r, struct odp_diags *diags, void *ctx,
                 enum odp_status (*record)(void *ctx, const struct odp_slice *text)) ODP_MUST_USE;

/* A new site of the previous one, without its sources: carries over every file of PREVIOUS but those that are
 * made anew with every site (manifest.json, control, gateway.json, releases.log, v1/index.json,
 * datapackage.json, and their twins) and those whose path begins with one of the N prefixes. A prefix that
 * names a file takes its twins along. What a sparse site does not hold stays absent. BAD: a file has changed
 * (ODP-V03). */
enum odp_status odp_site_restage(struct odp_stage *s, const struct odp_site *previous,
                                 const char *const *except_prefixes, size_t n,
                                 struct odp_diags *diags) ODP_MUST_USE;

/* gateway.json, then control and manifest.json, both over all files. */
enum odp_status odp_stage_manifest(struct odp_stage *s, const struct odp_catalog *c) ODP_MUST_USE;

/* The records of a resource that have one value in one field of odp:slices, published as files of their own.
 */
struct odp_slice_result {
    const char *field;
    struct odp_slice value;
    struct odp_text label; /* of the value; may be empty */
    const char *path;      /* odp_emit_slice_path */
    uint64_t rows;
};

/* What the index says of one dataset that was built now. */
struct odp_published {
    const struct odp_dataset *dataset;
    const char *version; /* its name */
    const char
        *date; /* odp:lastUpdate as declared; may be newer than the version, where nothing has changed */
    const struct odp_history *history;
    const char *const *versions; /* versions[d - dataset]: the version that dataset D of the catalogue has in
                                    the site; NULL: none. NULL: not known */
    struct odp_published_resource {
        const struct odp_resource *resource;
        uint64_t rows;
        uint64_t pages;
        uint8_t logical[ODP_SHA256_SIZE];
        const char *crs, *crs_operation; /* of the source; "" */
        double bbox[4];
        bool has_bbox;
        const struct odp_label_columns *labels; /* columns with names of codes, in its files; NULL: none */
        bool has_geometry;                      /* the records have one: G1 in the logical header */
        bool has_heights;                       /* a published geometry has heights */
        const struct odp_slice_result *slices;  /* odp:slices: by field, then value */
        size_t nslices;
    } * resources;
    const json_t *carried; /* the entry of the previous index instead, when carried over */
};
/* Writes VALUE, which is taken, as PATH: pretty, public. */
enum odp_status odp_doc_put_take(struct odp_stage *s, const char *path, json_t *value) ODP_MUST_USE;
/* The same as TYPE, printed with FLAGS (ODP_DOC_…). */
enum odp_status odp_doc_put_as_take(struct odp_stage *s, const char *path, const char *type,
                                    enum odp_class cls, size_t flags, json_t *value) ODP_MUST_USE;
/* schema.json of the version, for each resource. */
enum odp_status odp_release_schemas(struct odp_stage *s, const struct odp_published *p) ODP_MUST_USE;
/* latest/ (links to the version's files, and schema.json in today's words) and latest.json. */
enum odp_status odp_release_latest(struct odp_stage *s, const struct odp_published *p) ODP_MUST_USE;
/* What versions.json says of the version, but for "previous", "correction", "changes" and "deltas". The
 * caller's. */
json_t *odp_release_version(const struct odp_stage *s, const struct odp_catalog *c,
                            const struct odp_published *p) ODP_MUST_USE;
/* The same of a dataset whose site has no versions.json yet, from its entry in the index. NULL: it tells too
 * little. */
json_t *odp_release_version_of(const json_t *index_entry) ODP_MUST_USE;
/* The entries of all datasets as the index has them. The caller's. */
json_t *odp_release_entries(const struct odp_stage *s, const struct odp_catalog *c,
                            const struct odp_published *p, size_t n);
/* v1/index.json (envelope with the 22 entries) and datapackage.json. */
enum odp_status odp_release_index(struct odp_stage *s, const struct odp_catalog *c,
                                  const json_t *entries) ODP_MUST_USE;

/* ---- the finished site, as documents read it: json_file.c ---- */

/* What documents of the API, clients, metadata and pages are made of. */
struct odp_site_job {
    struct odp_stage *stage; /* what the rooms before have made is staged */
    const struct odp_catalog *catalog;
    const json_t *entries;           /* the array `data` of v1/index.json */
    const struct odp_map *numbers;   /* their numbers in it, by slug; NULL: odp_job_number looks at all */
    const struct odp_site *previous; /* where bytes are that a sparse build does not hold; or NULL */
    struct odp_diags *diags;
    const struct odp_portal_frame *frame; /* site/pages/portal.h; NULL: who needs it opens it */
    json_t *searches;          /* search/index.json, once it is made; NULL: who needs it reads it */
    json_t *kept;              /* odp_job_read_kept's, by path; NULL: it keeps none */
    struct odp_places *places; /* site/model/places.h; NULL: not known */
    struct odp_among *among;   /* site/versions/among.h; NULL: datasets know of one another what there is */
    const struct odp_api *api; /* site/api/api.h; NULL: not made yet */
    struct odp_metadata *metadata; /* site/metadata/metadata.h; NULL: not opened */
};
/* The entry of SLUG, or NULL; its number in `entries`, or SIZE_MAX. */
const json_t *odp_job_entry(const struct odp_site_job *job, const char *slug);
size_t odp_job_number(const struct odp_site_job *job, const char *slug);
/* The staged document at PATH; *OUT NULL: there is none (that is OK). BAD: the file has changed (reported).
 */
enum odp_status odp_job_read(const struct odp_site_job *job, const char *path, json_t **out) ODP_MUST_USE;
/* The same of a document that files of many datasets are made of (the names of codes), read once for all of
 * them; nobody changes it. */
enum odp_status odp_job_read_kept(const struct odp_site_job *job, const char *path,
                                  json_t **out) ODP_MUST_USE;
/* The same of the schema that RESOURCE, of SLUG's entry in the index, leads to: in today's words (latest/),
 * which may have changed since the version was published, else as the version has it. */
enum odp_status odp_job_schema(const struct odp_site_job *job, const char *slug, const json_t *resource,
                               json_t **out) ODP_MUST_USE;

/* ENTRY of the index tells the versions that H has now. */
void odp_release_list_versions(json_t *entry, const struct odp_history *h);
