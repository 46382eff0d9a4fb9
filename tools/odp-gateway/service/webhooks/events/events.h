/* What a new site means to those who asked to be told: from the release log (published/release_log.h),
 * versions.json and the index to events, and from an event to the message that is sent. Pure: no clock, no
 * network, no store; the gateway's service is what uses it.
 *
 *   odp_events_lines      which lines of the site's log the caller does not know yet
 *   odp_events_of_line    the events of one of them
 *   odp_event_merge       two events of a dataset told as one
 *   odp_event_message     the body that is signed and sent
 *
 * An event is identified by the log's line and its place in it, so the same happening has the same key on
 * every machine and after every restart. The log only grows, but a rollback and a build after it start
 * another branch: lines are known by their digest, not by their number.
 *
 * What the log says ("what") and what becomes of it: published -> dataset.version.published; corrected ->
 * dataset.corrected; deprecated -> dataset.deprecated; withdrawn (with version: that one; without: the
 * dataset as a whole) and removed -> dataset.withdrawn; thinned -> nothing. A line whose release is another
 * than that of the line before -> release.published.
 *
 * data of a message (all addresses absolute; JSON Schemas in templates/openapi/events.json, published as
 * v1/events/<type>.json):
 *
 *   dataset.version.published, dataset.corrected
 *     {"dataset":"kumuh","title":{"id","en"},"version":"2024-03-15","previous":"2023-09-15"|null,"versions":["2024-03-15"],"release":"2.5.0","rows":1204,
 *      "correction":{"id","en"}?                                           (corrected)
 *      "resources":[{"name":"kumuh","rows":1204,
 *         "changes":[{"from":"2023-09-15","to":"2024-03-15","added":12,"removed":3,"changed":40,"url":".../changes.json"}],
 * one a version told; [] for a first one
 * "keys":{"added":["3171-1"],"removed":[],"changed":["3172-9"]}|null}], null: more than ODP_EVENT_KEYS in
 * all, or no key, or a first version
 *      "url":"https://…/v1/kumuh","versions_url":"https://…/v1/kumuh/versions.json",
 *      "versions_left_out":12?,                                             (only where a message would be
 * too large: so many older versions are not named) "match":{…}|null} what a subscription's filter found
 * (match.h); null: it has none versions: all that this message tells of, oldest first (more than one where
 * odp:notifyEvery has joined them); previous: the one before the first. A key is written as in
 * /v1/<slug>/id/<key>. All members but correction and versions_left_out are always there. changes[].url is
 * null where only counts are published any more (a version between the two was withdrawn). Of what is not in
 * the site any more: rows, previous, title, versions_url null, resources []. release null: the portal has
 * none. dataset.deprecated
 * {"dataset","title","version","deprecated":date|null,"sunset":date|null,"replaced_by":slug|null,"url"}
 *   dataset.withdrawn
 * {"dataset","title"|null,"version"|null,"reason"|null,"note":{"id","en"}|null,"versions_url"|null}
 *   release.published
 * {"release":"2.6.0","previous":"2.5.0"|null,"date":"2024-03-20"|null,"url":"https://…/rilis.html","openapi_url"}
 * quota.warning
 * {"key":"odp_live_Ab3dE","tier","percent":80|100,"limit","used","resets":moment} webhook.test
 * {"webhook":"wh_…","message":{"id","en"}} webhook.challenge
 * {"webhook":"wh_…","challenge":"…","answer":{"id","en"}}   what to do with it, in words */
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
/* The lines of LOG (releases.log as it is; empty: none), in order, in A. BAD: its chain is broken, or a line
 * is not JSON; *WHY, in A, says where. */
enum odp_status odp_events_lines(struct odp_slice log, struct odp_event_line **lines, size_t *n,
                                 struct odp_arena *a, const char **why) ODP_MUST_USE;

struct odp_event {
    enum odp_event_type type;
    const char *key; /* "<64 hex digits of the line>/<place>": what it is known by. Place 0 is the release, k
                        the k-th change of the line */
    const char *dataset; /* today's slug, also of a line from before it was renamed; NULL: of no dataset */
    const char *version; /* NULL: of none */
    json_t *data;        /* without "match"; ours: odp_events_release */
};
struct odp_event_list {
    struct odp_event *items; /* in the arena */
    size_t n;
};
/* What LINE tells, as SITE (which has it, or descends from one that had) shows it now. A version that is not
 * in the site any more (thinned, withdrawn since) is told as far as the line goes: rows and resources are
 * then missing (null, []), never invented. BASE_URL ends in '/'. Faults of the site are reported to DIAGS and
 * make the event poorer, not fewer. Nothing is fetched: what is not on this machine is not told. Of a dataset
 * that goes as a whole, its versions' own changes in the same line tell nothing more. BAD: LINE is no line of
 * a log (reported). Release LIST in every case. */
enum odp_status odp_events_of_line(const struct odp_site *site, const struct odp_event_line *line,
                                   const char *base_url, struct odp_event_list *list, struct odp_arena *a,
                                   struct odp_diags *diags) ODP_MUST_USE;
void odp_events_release(struct odp_event_list *list);

#define ODP_EVENT_KEYS 50 /* keys told at most, of all resources of a message together */

/* LATER of the same type and dataset into DATA: versions and changes one after the other, rows and release
 * the later ones, keys joined (a key that was added and then changed is added; added and then removed is in
 * no list; removed and then added again is changed; null where either is null or they become too many).
 * Resources are LATER's, unless it tells none. FAIL where they are not of one dataset (DATA is as it was). */
enum odp_status odp_event_merge(json_t *data, const json_t *later) ODP_MUST_USE;

/* ---- messages ---- */

#define ODP_EVENT_MESSAGE_MAX 20000 /* bytes (Standard Webhooks: less than 20 kB) */
/* {"type":…,"timestamp":"2026-11-22T13:00:00.000Z","data":{…}} to OUT, fewer than ODP_EVENT_MESSAGE_MAX
 * bytes; MATCH (may be NULL) becomes data.match of an event that has it. Too large: keys are left out, then
 * the older of several versions with their changes, then the rest of long words, then resources, so that it
 * fits; FAIL where it still does not. The same arguments make the same bytes. TIME: Unix milliseconds of the
 * happening (when it was seen), written in UTC with milliseconds. */
enum odp_status odp_event_message(struct odp_buffer *out, enum odp_event_type type, int64_t time,
                                  const json_t *data, const json_t *match) ODP_MUST_USE;
