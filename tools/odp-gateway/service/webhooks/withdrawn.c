/* A version was withdrawn: keys of its records (values of primary keys, which may be what had to go) leave messages that wait
 * or are kept for their owners to look at, and events that are not told yet. Counts stay. What was delivered is out of our
 * hands; the message of the withdrawal says that it is to be forgotten. */
#include <stdlib.h>
#include <string.h>

#include "published/doc.h"
#include "base/json_load.h"
#include "service/webhooks/teller_internal.h"

enum { BATCH = 50 };

struct text {
    int64_t id;
    char *text; /* without keys; malloc */
};

/* True: something was there. */
static bool strip_resources(json_t *resources)
{
    bool any = false;
    size_t i;
    json_t *one;
    json_array_foreach(resources, i, one)
    {
        const json_t *keys = json_object_get(one, "keys");
        if (keys != NULL && !json_is_null(keys))
            any = json_object_set_new(one, "keys", json_null()) == 0 || any;
    }
    return any;
}

/* DATA of an event of DATASET. */
static bool strip(json_t *data, const char *dataset)
{
    const char *named = json_string_value(json_object_get(data, "dataset"));
    if (named == NULL || strcmp(named, dataset) != 0)
        return false;
    bool any = strip_resources(json_object_get(data, "resources"));
    return strip_resources(json_object_get(json_object_get(data, "match"), "resources")) || any;
}

/* What of a row is to be written; T->text NULL: nothing. */
static enum odp_status read_one(sqlite3_stmt *row, bool message, const char *dataset, struct text *t)
{
    const char *text = (const char *)sqlite3_column_text(row, 1);
    json_t *doc = text != NULL ? odp_json_load(text, strlen(text), 0, NULL) : NULL;
    t->id = sqlite3_column_int64(row, 0);
    t->text = NULL;
    if (doc == NULL) /* it is JSON, as SQLite says: there was no memory, and its keys must not stay */
        return odp_failure_set("forget keys", NULL, 0);
    bool any = strip(message ? json_object_get(doc, "data") : doc, dataset);
    struct odp_buffer anew;
    odp_buffer_init(&anew);
    enum odp_status st = any ? odp_doc_print(&anew, doc, JSON_COMPACT) : ODP_OK;
    if (any && st == ODP_OK && (t->text = strdup(odp_buffer_cstr(&anew))) == NULL)
        st = odp_failure_set("forget keys", NULL, 0);
    odp_buffer_release(&anew);
    json_decref(doc);
    return st;
}

static enum odp_status write_some(struct odp_webhooks *w, const char *update, const struct text *items, size_t n)
{
    enum odp_status st = n > 0 ? odp_webhook_begin(w) : ODP_OK;
    if (st != ODP_OK || n == 0)
        return st;
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        st = odp_store_run(w->s->db, update, "ti", items[i].text, items[i].id);
    return odp_webhook_end(w, st);
}

static enum odp_status forget(struct odp_webhooks *w, const char *select, const char *update, bool message, const char *dataset)
{
    struct text items[BATCH];
    int64_t after = 0;
    size_t n = BATCH;
    enum odp_status st = ODP_OK;
    while (n == BATCH && st == ODP_OK) {
        sqlite3_stmt *row = NULL;
        st = odp_store_prepare(w->tell->db, &row, select, "it", after, dataset);
        for (n = 0; n < BATCH && st == ODP_OK && (st = odp_store_step(w->tell->db, row)) == ODP_OK;) {
            st = read_one(row, message, dataset, &items[n]);
            after = items[n].id;
            n += items[n].text != NULL;
        }
        sqlite3_finalize(row);
        st = st == ODP_DONE ? ODP_OK : st;
        if (st == ODP_OK)
            st = write_some(w, update, items, n);
        for (size_t i = 0; i < n; i++)
            free(items[i].text);
    }
    return st;
}

/* Filters of what is still to be told are asked of the current build, which has not what was withdrawn. */
static enum odp_status forget_sites(struct odp_webhooks *w, const char *dataset)
{
    int64_t any = 0;
    enum odp_status st = odp_store_number(
        w->tell->db, &any, "SELECT 1 FROM webhook_event WHERE dataset = ? AND done = 0 AND site <> '' LIMIT 1", "t", dataset);
    if (st != ODP_OK)
        return st == ODP_DONE ? ODP_OK : st;
    st = odp_webhook_begin(w);
    return st == ODP_OK
               ? odp_webhook_end(w, odp_store_run(w->s->db, "UPDATE webhook_event SET site = '' WHERE dataset = ? AND done = 0",
                                                  "t", dataset))
               : st;
}

enum odp_status odp_webhook_tell_forget(struct odp_webhooks *w, const char *dataset)
{
    enum odp_status st = forget_sites(w, dataset);
    if (st == ODP_OK)
        st = forget(w, "SELECT id, data FROM webhook_event WHERE id > ?1 AND dataset = ?2 AND json_valid(data) ORDER BY id",
                    "UPDATE webhook_event SET data = ? WHERE id = ?", false, dataset);
    if (st == ODP_OK) /* an event may be pruned before its messages */
        st = forget(w,
                    "SELECT m.id, m.body FROM webhook_message m LEFT JOIN webhook_event e ON e.id = m.event"
                    " WHERE m.id > ?1 AND m.type IN ('dataset.version.published', 'dataset.corrected')"
                    " AND (e.dataset = ?2 OR m.event IS NULL) AND json_valid(m.body) ORDER BY m.id",
                    "UPDATE webhook_message SET body = ? WHERE id = ?", true, dataset);
    return st;
}
