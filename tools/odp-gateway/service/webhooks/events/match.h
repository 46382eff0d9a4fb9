/* Which of the records that differ between versions a filter is about (CQL2, tools/lib/catalog/expr): what
 * makes a message relevant to a subscription.
 *
 * A record counts if the filter is true of it as it was before or as it is now, so one that leaves a province
 * counts like one that comes. The query engine answers filters on the indexes of both versions (search/,
 * which a site keeps of superseded versions for some builds); changes.json says which records differ. Of a
 * first version all records are added. A filter is asked of every resource of the dataset that has all its
 * fields; it can use what queries of the API can ask for by name (odp:queryables). */
#pragma once

#include "service/webhooks/events/events.h"

struct odp_event_filter {
    const char *text; /* CQL2 text; or, JSON: CQL2 JSON as text */
    bool json;
};
/* Checks FILTER against the current version of SLUG. DONE: SITE does not have the dataset. BAD: no resource
 * of it can be asked; FAULT, in A, is of the resource that came closest. Geometry may be asked only of
 * resources with a key. */
struct odp_event_filter_fault {
    size_t at, len;      /* characters, from 1; 0: see pointer */
    const char *pointer; /* RFC 6901, of CQL2 JSON; NULL: none */
    struct odp_text message;
};
enum odp_status odp_event_filter_check(const struct odp_site *site, const char *slug,
                                       const struct odp_event_filter *filter,
                                       struct odp_event_filter_fault *fault, struct odp_arena *a,
                                       struct odp_diags *diags) ODP_MUST_USE;

struct odp_event_match {
    bool relevant; /* something matches, or nobody can know */
    json_t *json;  /* "match" of the message, ours (odp_event_matches_release):
                 {"applied":true,"resources":[{"name","added":2,"removed":0,"changed":1,"keys":{"added":[…],"removed":[],"changed":[…]}|null}]}
                 or {"applied":false,"why":{"id","en"}}: the filter could not be asked (fields are gone, a
                 file is missing, only counts are published, it is too long for so many records, or all of
                 them took too long) */
};
/* DATA of an event of type published or corrected (of a merged one: the records of all its versions; a key
 * counts once). OUT has N places, one a filter. Memory: about 150 bytes and the key for each key that
 * differs, up to ODP_EVENT_MATCH_KEYS; beyond that all is relevant and not applied. */
#define ODP_EVENT_MATCH_KEYS 2000000
/* GO_ON is asked before each filter and some thousand records. False: the filters that are left are not
 * applied, with that reason. So nobody's shapes and filters hold up the others, and the caller can end. */
struct odp_event_match_limits {
    bool (*go_on)(void *ctx);
    void *ctx;
};
struct odp_event_matching {
    const struct odp_event_match_limits *limits; /* NULL: none */
    const struct odp_site *site;
    const json_t *data; /* of the event */
    struct odp_arena *a;
    struct odp_diags *diags;
};
enum odp_status odp_event_match(const struct odp_event_matching *e, const struct odp_event_filter *filters,
                                size_t n, struct odp_event_match *out) ODP_MUST_USE;
void odp_event_matches_release(struct odp_event_match *m, size_t n);
