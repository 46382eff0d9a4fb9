/* The query engine: parameters in, a body out. It knows no HTTP, and no clock but its time limit. The
 * parameters are those of OGC API - Features, the same for every resource (docs/api.md lists them).
 *
 *   odp_index_open    an index (catalog/index/search.h), shared by threads
 *   odp_query_new     parameters to a query, checked against the index; BAD: a fault says which parameter is
 *                     wrong, where in it, and what was expected
 *   odp_query_etag    what identifies its answer
 *   odp_query_run     the answer
 *
 * A query borrows its index and its call until it is freed. */
#pragma once

#include <jansson.h>

#include "base/digest.h"
#include "catalog/index/search.h"

/* ---- an open index ---- */

struct odp_index;
/* BAD: not an index, or of another layout; *WHY gets a literal. THREADS: how many queries may run at once
 * on it (connections are made as needed). */
enum odp_status odp_index_open(struct odp_index **out, const char *path, unsigned threads,
                               const char **why) ODP_MUST_USE;
void odp_index_close(struct odp_index *ix); /* NULL is allowed; no query may be using it */
const struct odp_search_info *odp_index_info(const struct odp_index *ix);

/* ---- a call ---- */

struct odp_query_param {
    struct odp_slice name, value; /* decoded */
};

enum odp_query_kind {
    ODP_QUERY_ITEMS, /* records (or facets, aggregates, a view) */
    ODP_QUERY_ITEM   /* the one record with the key */
};
enum odp_query_form {
    ODP_QUERY_ENVELOPE, /* {"data":[…],"status":"success","meta":{…},"links":{…}} */
    ODP_QUERY_GEOJSON,  /* a FeatureCollection, with links, numberReturned, numberMatched; of an item: the
                           Feature */
    ODP_QUERY_CSV,      /* columns as in the CSV download */
    ODP_QUERY_HTML      /* a page for people, in the call's language */
};

struct odp_query_limits {
    uint32_t time_ms; /* for the records; more: too-expensive */
    uint32_t
        count_ms;  /* for counting what matches; more: the total is unknown (null). 0: it is not counted */
    uint64_t rows; /* records that may be looked at; more: too-expensive */
    uint32_t page, page_file, page_max; /* limit when none is given, of GeoJSON and CSV, which programs read
                                           whole; what a larger one is clamped to */
    size_t bytes;                       /* a page ends when its records have so many */
};

struct odp_query_call {
    struct odp_index *index;
    enum odp_query_kind kind;
    enum odp_query_form form;
    bool ogc;             /* under /v1/ogc/: links are absolute, and of the kinds OGC asks for */
    struct odp_slice key; /* ITEM: the value, or of a composite key its parts joined by ',' with "%25" and
                             "%2C" for '%' and ',' in a part (as GeoJSON ids) */
    const struct odp_query_param *params;
    size_t nparams;
    const json_t *body; /* of POST: {"filter": text or CQL2 JSON, and other parameters by name}; NULL: none */
    const char *self;   /* links begin with it: "search" (relative), or an absolute address (OGC) */
    const char *root;   /* absolute address of /v1/, ends in '/' */
    const char *release, *dataset_title; /* for meta and pages; may be NULL */
    const char *place;     /* the column whose codes are places with pages of the portal; NULL or "": none */
    const uint8_t *secret; /* 32 bytes: signs cursors */
    const uint8_t *opens;  /* 32 bytes that signed the call's own cursor, if not SECRET
                                            (odp_query_cursor_index); NULL: SECRET */
    const struct odp_query_limits *limits;
    enum odp_lang lang;
};

/* ---- what may be wrong ---- */

enum odp_query_problem {
    ODP_QUERY_PARAMETER_UNKNOWN, /* 400 parameter-unknown */
    ODP_QUERY_PARAMETER_INVALID, /* 400 parameter-invalid */
    ODP_QUERY_FILTER_INVALID,    /* 400 filter-invalid: AT, LEN */
    ODP_QUERY_CURSOR_INVALID,    /* 400 cursor-invalid: not ours, or of another query */
    ODP_QUERY_NOT_FOUND,         /* 404 record-not-found */
    ODP_QUERY_NOT_ACCEPTABLE,    /* 406: GeoJSON of a resource without geometry … never for OGC */
    ODP_QUERY_TOO_EXPENSIVE      /* 422 query-too-expensive: DETAIL advises */
};
struct odp_query_fault {
    enum odp_query_problem problem;
    const char *parameter;     /* "filter"; NULL: none */
    const char *pointer;       /* filter-lang=cql2-json: JSON pointer to the fault; else NULL */
    uint32_t position, length; /* characters of the parameter's value, from 1; 0: the whole of it */
    struct odp_text detail;    /* a sentence in both languages: what was found, what was expected */
};

/* ---- queries ---- */

struct odp_query;
/* BAD: *FAULT (its texts live as long as A). All memory of the query lives in A. */
enum odp_status odp_query_new(struct odp_query **out, const struct odp_query_call *call, struct odp_arena *a,
                              struct odp_query_fault *fault) ODP_MUST_USE;
void odp_query_free(struct odp_query *q); /* releases geometries; NULL is allowed */
/* KEY, a digest of the index, the form, the language where it matters, and the parameters in their normal
 * form (order, spelling and defaults do not matter): equal keys are equal answers. TAG: its first hex digits.
 */
enum { ODP_QUERY_ETAG = 32 };
enum odp_status odp_query_etag(const struct odp_query *q, uint8_t key[ODP_SHA256_SIZE],
                               char tag[ODP_QUERY_ETAG + 1]) ODP_MUST_USE;
const char *odp_query_media_type(const struct odp_query *q); /* literal */

struct odp_query_result {
    struct odp_buffer body;       /* the caller initializes and releases it */
    const char *next, *previous;  /* links as in the body (CSV has them in headers alone); NULL: none; live in
                                     the query's arena */
    int64_t total;                /* -1: not known */
    uint64_t returned, looked_at; /* records */
};
/* OK, BAD (*FAULT: NOT_FOUND, TOO_EXPENSIVE), FAIL. */
enum odp_status odp_query_run(struct odp_query *q, struct odp_query_result *r,
                              struct odp_query_fault *fault) ODP_MUST_USE;

/* The index that CURSOR is pinned to (ODP_SEARCH_ID hex digits and a terminator). False: SECRET did not sign
 * it. */
bool odp_query_cursor_index(struct odp_slice cursor, const uint8_t secret[32], char id[ODP_SEARCH_ID + 1]);
