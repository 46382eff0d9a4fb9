/* A version was withdrawn: the keys of its records, values that may be what had to go, leave stored messages
 * and events. Counts stay. Receivers have what was delivered; the message of the withdrawal asks them to
 * forget it. */
#include "service/webhooks/webhooks_internal.h"

/* The resources at PATH of the document DOC have keys; DOC without them. */
#define HAS_KEYS(doc, path)                                                                                  \
    "EXISTS (SELECT 1 FROM json_each(" doc ", '" path "') WHERE json_type(value, '$.keys') <> 'null')"
#define WITHOUT_KEYS(doc, path)                                                                              \
    "'" path "', json((SELECT json_group_array(json(json_replace(value, '$.keys', json('null'))))"           \
    " FROM json_each(" doc ", '" path "')))"

enum odp_status odp_webhook_forget_keys(struct odp_webhooks *w, const char *dataset)
{
    const struct webhook_sweep steps[] = {
        /* The current build, which answers the filters of these events, does not have what was withdrawn. */
        {.select =
             "SELECT id FROM webhook_event WHERE id > :after AND dataset = :text AND done = 0 AND site <> ''"
             " ORDER BY id LIMIT :some",
         .change = "UPDATE webhook_event SET site = '' WHERE id IN " WEBHOOK_IDS,
         .text = dataset},
        {.select =
             "SELECT id FROM webhook_event WHERE id > :after AND dataset = :text AND json_valid(data) AND"
             " data ->> 'dataset' = :text AND (" HAS_KEYS("data", "$.resources") " OR " HAS_KEYS(
                 "data", "$.match.resources") ") ORDER BY id LIMIT :some",
         .change = "UPDATE webhook_event SET data = json_replace(data, " WITHOUT_KEYS(
             "data", "$.resources") ", " WITHOUT_KEYS("data",
                                                      "$.match.resources") ") WHERE id IN " WEBHOOK_IDS,
         .text = dataset},
        /* an event may be pruned before its messages */
        {.select =
             "SELECT m.id FROM webhook_message m LEFT JOIN webhook_event e ON e.id = m.event WHERE m.id > "
             ":after"
             " AND m.type IN ('dataset.version.published', 'dataset.corrected')"
             " AND (e.dataset = :text OR m.event IS NULL) AND json_valid(m.body) AND"
             " m.body ->> '$.data.dataset' = :text AND (" HAS_KEYS(
                 "m.body",
                 "$.data.resources") " OR " HAS_KEYS("m.body",
                                                     "$.data.match.resources") ") ORDER BY m.id LIMIT :some",
         .change = "UPDATE webhook_message SET body = json_replace(body, " WITHOUT_KEYS(
             "body",
             "$.data.resources") ", " WITHOUT_KEYS("body",
                                                   "$.data.match.resources") ") WHERE id IN " WEBHOOK_IDS,
         .text = dataset}};
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(steps) && st == ODP_OK; i++)
        st = odp_webhook_sweep(w, &steps[i], 0, 0);
    return st;
}
