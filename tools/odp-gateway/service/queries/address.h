/* What a call at the query door asks for: address, form, parameters. Plain functions on text; everything
 * lives in the arena. */
#pragma once

#include "base/arena.h"
#include "service/queries/engine/query.h"

struct odp_query_address {
    bool ogc, search;                /* search: …/search, which takes POST */
    struct odp_slice slug, resource; /* resource empty: the dataset's first */
    struct odp_slice collection;     /* of ogc, instead of these two */
    enum odp_query_kind kind;
    struct odp_slice key;      /* ITEM: as in struct odp_query_call, of a composite key */
    struct odp_slice key_text; /* ITEM: the same where the key is one field: its value, in which ',' and '%'
                                  are nothing special */
    bool document; /* of ogc, DONE: the address of a document that is a file, and takes no parameter but f */
    int form;      /* by extension: enum odp_query_form; -1: none */
    const char *last; /* the last segment without its extension, percent-encoded: links begin with it */
};
/* RAW is percent-encoded, without a query. Empty and dot segments are resolved as by nginx; "/api/v1/" is
 * "/v1/". DONE: no such address. BAD: a broken escape, a NUL, or not UTF-8. */
enum odp_status odp_query_address_read(struct odp_query_address *out, struct odp_slice raw,
                                       struct odp_arena *a) ODP_MUST_USE;

#define ODP_QUERY_PARAMS_MAX 100
#define ODP_QUERY_TEXT_MAX   65536
enum odp_params_fault { ODP_PARAMS_LONG, ODP_PARAMS_MANY, ODP_PARAMS_ESCAPE, ODP_PARAMS_UTF8 };
struct odp_query_params {
    struct odp_query_param *list;
    size_t n;
    enum odp_params_fault fault; /* after BAD */
    struct odp_slice name;       /* of the guilty one, decoded; "" unknown */
};
/* A query string (application/x-www-form-urlencoded; '+' is a space; parts without a name are passed over).
 * BAD: *OUT's fault.
 */
enum odp_status odp_query_params_read(struct odp_query_params *out, struct odp_slice query,
                                      struct odp_arena *a) ODP_MUST_USE;
/* How often NAME is there; *VALUE is the last one's, and N of them are taken off the list if TAKE. */
size_t odp_query_params_get(struct odp_query_params *p, const char *name, bool take, struct odp_slice *value);
/* QUERY as it came, without the parameters NAME and OTHER (may be NULL), in A. */
char *odp_query_without(struct odp_slice query, const char *name, const char *other,
                        struct odp_arena *a) ODP_MUST_USE;

/* The form that a word of f= means ("json", "geojson", "csv", "html"), -1: none. */
int odp_query_form_of(struct odp_slice word, bool ogc);
/* The form that Accept prefers among those there are (GEOJSON: there is geometry); -1: none is acceptable. */
int odp_query_form_accepted(struct odp_slice accept, bool ogc, bool geojson);
