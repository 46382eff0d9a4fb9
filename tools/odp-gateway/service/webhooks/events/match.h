/* Which of the records that differ between versions a filter is about (CQL2, tools/lib/catalog/expr): what
 * makes a message relevant to a subscription.
 *
 * A record counts if the filter is true of it as it was before or as it is now: one that leaves a province is
 * told as one that comes. Filters are answered by the query engine on the indexes of both versions (search/,
 * which a site keeps of superseded versions for some builds); which records differ is known from
 * changes.json. A first version has no one before it: all its records are added. A filter is asked of every
 * resource of the dataset that has all its fields; what queries of the API can ask for by name
 * (odp:queryables), it can, too. */
#pragma once

#include "service/webhooks/events/events.h"

struct odp_event_filter {
    const char *text; /* CQL2 text; or, JSON: CQL2 JSON as text */
    bool json;
};
/* Checks FILTER against the current version of SLUG. DONE: SITE has no such dataset (now). BAD: no resource
 * of it can be asked; FAULT has the words, in A (at, len in characters of the text; at 0 and len 0 where a
 * JSON pointer is told in the message), of the resource that came closest (the first, if all are alike).
 * Geometry may be asked only of resources with a key. */
struct odp_event_filter_fault {
    size_t at, len;      /* characters, from 1; 0: none */
    const char *pointer; /* RFC 6901, of CQL2 JSON; NULL: none */
    struct odp_text message;
};
enum odp_status odp_event_filter_check(const struct odp_site *site, const char *slug,
                                       const struct odp_event_filter *filter,
                                       struct odp_event_filter_fault *fault, struct odp_arena *a,
                                       struct odp_diags *diags) ODP_MUST_USE;

struct odp_event_match {
    bool relevant; /* tell it: something matches, or it cannot be known */
    json_t *
        json; /* "match" of the message, ours (odp_event_matches_release):
               * {"applied":true,"resources":[{"name","added":2,"removed":0,"changed":1,"keys":{"added":[…],"removed":[],"changed":[…]}|null}]}
               * or {"applied":false,"why":{"id","en"}}: the filter could not be asked (fields are gone, a
               * file is missing, only counts are published, it is too long for so many records, or all of
               * them took too long): then the message is told, and says so */
};
/* DATA of an event of type published or corrected (also a merged one: the records of all its versions; a key
 * counts once). OUT has N places, one a filter, in its order. Memory: the keys that differ (about 150 bytes
 * and the key each), up to ODP_EVENT_MATCH_KEYS; beyond that all is relevant and applied is false. */
#define ODP_EVENT_MATCH_KEYS 2000000
/* Before each filter and some thousand records GO_ON is asked. False: what is asked of the resource at hand
 * is not applied, with that reason, nor is what follows. So neither shapes of millions of points nor
 * somebody's filters hold up what others are told, and the caller can end. */
struct odp_event_match_limits {
    bool (*go_on)(void *ctx);
    void *ctx;
};
enum odp_status odp_event_match(const struct odp_event_match_limits *limits /* NULL: none */,
                                const struct odp_site *site, const json_t *data,
                                const struct odp_event_filter *filters, size_t n, struct odp_event_match *out,
                                struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
void odp_event_matches_release(struct odp_event_match *m, size_t n);
