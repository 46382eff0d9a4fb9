/* From a site's release log (published/release_log.h), versions.json and index to events, and from an event
 * to the message that is sent. Pure: no clock, no network, no store; the gateway's service uses it.
 *
 *   odp_events_lines      the lines of the site's log
 *   odp_events_of_line    the events of one of them
 *   odp_event_merge       two events of a dataset as one
 *   odp_event_message     the body that is signed and sent
 *
 * An event is identified by the digest of the log's line and its place in it, so it has the same key on every
 * machine and after every restart. The log only grows, but a rollback and a build after it start another
 * branch: lines are known by their digest, not by their number.
 *
 * What the log says ("what") and what becomes of it:
 *
 *   published                  dataset.version.published
 *   corrected                  dataset.corrected
 *   deprecated                 dataset.deprecated
 *   withdrawn (with version: that one; without: the dataset as a whole), removed   dataset.withdrawn
 *   thinned                    nothing
 *   a release other than that of the line before   release.published
 *
 * data of a message (all addresses absolute; JSON Schemas in templates/openapi/events.json, published as
 * v1/events/<type>.json):
 *
 *   dataset.version.published, dataset.corrected
 *     {"dataset":"kumuh","title":{"id","en"},"version":"2024-03-15","previous":"2023-09-15"|null,
 *      "versions":["2024-03-15"],"release":"2.5.0","rows":1204,"correction":{"id","en"}? (corrected),
 *      "resources":[{"name":"kumuh","rows":1204,
 *         "changes":[{"from":"2023-09-15","to":"2024-03-15","added":12,"removed":3,"changed":40,"url":…}],
 *         "keys":{"added":["3171-1"],"removed":[],"changed":["3172-9"]}|null}],
 *      "url":"https://…/v1/kumuh","versions_url":"https://…/v1/kumuh/versions.json",
 *      "versions_left_out":12?,"match":{…}|null}
 *     versions: all that the message is about, oldest first (several where odp:notifyEvery has joined them);
 *     previous: the one before the first. changes: one a version; [] for a first one. keys: as in
 *     /v1/<slug>/id/<key>; null: more than ODP_EVENT_KEYS in all, or no key, or a first version. match: what
 *     a subscription's filter found (match.h); null: it has none. versions_left_out: so many older versions
 *     are not named, for the message would be too large. All members but this and correction always exist.
 *     changes[].url is null where only counts are published any more. Of what the site does not have any
 *     more: rows, previous, title, versions_url null, resources []. release null: the portal has none.
 *   dataset.deprecated
 *     {"dataset","title","version","deprecated":date|null,"sunset":date|null,"replaced_by":slug|null,"url"}
 *   dataset.withdrawn
 *     {"dataset","title"|null,"version"|null,"reason"|null,"note":{"id","en"}|null,"versions_url"|null}
 *   release.published
 *     {"release":"2.6.0","previous":"2.5.0"|null,"date":"2024-03-20"|null,"url":"https://…/rilis.html",
 *      "openapi_url"}
 *   quota.warning
 *     {"key":"odp_live_Ab3dE","tier","percent":80|100,"limit","used","resets":moment}
 *   webhook.test
 *     {"webhook":"wh_…","message":{"id","en"}}
 *   webhook.challenge
 *     {"webhook":"wh_…","challenge":"…","answer":{"id","en"}}   answer: what to do with it, in words */
#pragma once

#include "published/site.h"

enum odp_event_audience { ODP_EVENT_ALL, ODP_EVENT_OWN, ODP_EVENT_ONE };

enum odp_event_type {
#define ODP_EVENT(symbol, type, audience, coalesced, id, en) ODP_EVENT_##symbol,
#include "contract/events.def"
#undef ODP_EVENT
    ODP_EVENT_TYPES
};
struct odp_event_info {
    const char *name; /* "dataset.version.published" */
    enum odp_event_audience audience;
    bool coalesced;
    struct odp_text title;
};
const struct odp_event_info *odp_event_info(enum odp_event_type t);
int odp_event_find(struct odp_slice name); /* enum odp_event_type, or -1 */

/* ---- from the site's log to events ---- */

struct odp_event_line {
    uint8_t digest[ODP_SHA256_SIZE]; /* of the line without its line feed */
    struct odp_slice text;           /* borrowed from the log */
    struct odp_slice before;         /* the line before it; ptr NULL: it is the first */
    uint64_t n;                      /* from 1 */
};
/* The lines of LOG (releases.log; empty: none) in order, in A. BAD: its chain is broken, or a line is not
 * JSON; *WHY, in A, says where. */
enum odp_status odp_events_lines(struct odp_slice log, struct odp_event_line **lines, size_t *n,
                                 struct odp_arena *a, const char **why) ODP_MUST_USE;

struct odp_event {
    enum odp_event_type type;
    const char *key; /* "<64 hex digits of the line>/<place>". Place 0 is the release, k the k-th change of
                        the line */
    const char *dataset; /* today's slug, even in a line from before a renaming; NULL: of no dataset */
    const char *version; /* NULL: of none */
    json_t *data;        /* without "match"; ours: odp_events_release */
};
struct odp_event_list {
    struct odp_event *items; /* in the arena */
    size_t n;
};
/* The events of LINE as SITE, which has it or descends from one that had, shows them now. Of a version that
 * the site does not have any more (thinned, withdrawn since) rows and resources are missing (null, []).
 * BASE_URL ends in '/'. Faults of the site are reported to DIAGS and make events poorer, not fewer. Nothing
 * is fetched. Of a dataset that goes as a whole, its versions' own changes in the same line are no events.
 * BAD: LINE is no line of a log (reported). Release LIST in every case. */
enum odp_status odp_events_of_line(const struct odp_site *site, const struct odp_event_line *line,
                                   const char *base_url, struct odp_event_list *list, struct odp_arena *a,
                                   struct odp_diags *diags) ODP_MUST_USE;
void odp_events_release(struct odp_event_list *list);

#define ODP_EVENT_KEYS 50 /* keys of a message at most, of all its resources */

/* Joins LATER, of the same type and dataset, to DATA: versions and changes follow each other, rows and
 * release are the later ones, keys are joined (null where either is null or they become too many). Resources
 * are LATER's, unless it has none. FAIL: they are not of one dataset (DATA is as it was). */
enum odp_status odp_event_merge(json_t *data, const json_t *later) ODP_MUST_USE;

/* ---- messages ---- */

#define ODP_EVENT_MESSAGE_MAX 20000 /* bytes (Standard Webhooks: less than 20 kB) */
/* Appends {"type":…,"timestamp":"2026-11-22T13:00:00.000Z","data":{…}} to OUT, fewer than
 * ODP_EVENT_MESSAGE_MAX bytes; MATCH (may be NULL) becomes data.match of an event that has it. A message that
 * is too large loses keys, then older versions with their changes, then the rest of long words, then
 * resources; FAIL: it is still too large. The same arguments make the same bytes. TIME: Unix milliseconds
 * when it was seen. */
enum odp_status odp_event_message(struct odp_buffer *out, enum odp_event_type type, int64_t time,
                                  const json_t *data, const json_t *match) ODP_MUST_USE;
