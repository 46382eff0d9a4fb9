/* A version was withdrawn: keys of its records (values of primary keys, which may be what had to go) leave messages that wait
 * or are kept for their owners to look at, and events that are not told yet. Counts stay. What was delivered is out of our
 * hands; the message of the withdrawal says that it is to be forgotten. */
#include "base/json_load.h"
#include "published/doc.h"
#include "service/webhooks/webhooks_internal.h"

enum { BATCH = 50 };

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
    if (strcmp(odp_doc_read_str(data, "dataset"), dataset) != 0)
        return false;
    bool any = strip_resources(json_object_get(data, "resources"));
    return strip_resources(json_object_get(json_object_get(data, "match"), "resources")) || any;
}

struct table {
    const char *select, *update;
    const char *data; /* the member that is an event's data; NULL: the whole */
};

/* OUT gets what TEXT is without keys, and a 0 byte; nothing where it has none. */
static enum odp_status read_one(const char *text, const struct table *t, const char *dataset, struct odp_buffer *out)
{
    json_t *doc = odp_json_load(text, strlen(text), 0, NULL);
    if (doc == NULL) /* it is JSON, as SQLite says: there was no memory, and its keys must not stay */
        return odp_failure_set("forget keys", NULL, 0);
    enum odp_status st = ODP_OK;
    if (strip(t->data != NULL ? json_object_get(doc, t->data) : doc, dataset))
        st = odp_doc_print(out, doc, JSON_COMPACT);
    odp_buffer_add_char(out, '\0');
    json_decref(doc);
    return st == ODP_OK ? odp_buffer_status(out) : st;
}

/* The next rows above *AFTER that have keys, without them: *N numbers, and texts one after the other in TEXTS. False: there are none left. */
static bool read_some(struct webhook_sql *q, const struct table *t, const char *dataset, int64_t *after, int64_t ids[BATCH],
                      size_t *n, struct odp_buffer *texts)
{
    size_t rows = 0;
    sqlite3_stmt *row = webhook_select(q, t->select, "iti", *after, dataset, (int64_t)BATCH);
    for (*n = 0; webhook_next(q, &row); rows++) {
        const char *text = (const char *)sqlite3_column_text(row, 1);
        size_t before = texts->len;
        *after = sqlite3_column_int64(row, 0);
        q->st = read_one(text != NULL ? text : "", t, dataset, texts);
        if (texts->len > before + 1)
            ids[(*n)++] = *after;
        else
            texts->len = before;
    }
    return rows == BATCH;
}

static enum odp_status forget(struct odp_webhooks *w, const struct table *t, const char *dataset)
{
    struct webhook_sql look = {w->tell->db, ODP_OK};
    int64_t ids[BATCH], after = 0;
    struct odp_buffer texts;
    size_t n = 0;
    bool more = true;
    odp_buffer_init(&texts);
    while (more && look.st == ODP_OK) {
        odp_buffer_clear(&texts);
        more = read_some(&look, t, dataset, &after, ids, &n, &texts);
        if (n == 0 || look.st != ODP_OK)
            continue;
        struct webhook_sql q = odp_webhook_begin(w);
        const char *text = texts.ptr;
        for (size_t i = 0; i < n; i++, text += strlen(text) + 1)
            webhook_run(&q, t->update, "ti", text, ids[i]);
        look.st = odp_webhook_end(w, &q);
    }
    odp_buffer_release(&texts);
    return look.st;
}

/* Filters of what is still to be told are asked of the current build, which has not what was withdrawn. */
static enum odp_status forget_sites(struct odp_webhooks *w, const char *dataset)
{
    struct webhook_sql look = {w->tell->db, ODP_OK};
    if (webhook_number(&look, 0, "SELECT 1 FROM webhook_event WHERE dataset = ? AND done = 0 AND site <> '' LIMIT 1", "t",
                       dataset) == 0)
        return look.st;
    struct webhook_sql q = odp_webhook_begin(w);
    webhook_run(&q, "UPDATE webhook_event SET site = '' WHERE dataset = ? AND done = 0", "t", dataset);
    return odp_webhook_end(w, &q);
}

enum odp_status odp_webhook_tell_forget(struct odp_webhooks *w, const char *dataset)
{
    static const struct table tables[] = {
        {"SELECT id, data FROM webhook_event WHERE id > ?1 AND dataset = ?2 AND json_valid(data) ORDER BY id LIMIT ?3",
         "UPDATE webhook_event SET data = ? WHERE id = ?", NULL},
        /* an event may be pruned before its messages */
        {"SELECT m.id, m.body FROM webhook_message m LEFT JOIN webhook_event e ON e.id = m.event"
         " WHERE m.id > ?1 AND m.type IN ('dataset.version.published', 'dataset.corrected')"
         " AND (e.dataset = ?2 OR m.event IS NULL) AND json_valid(m.body) ORDER BY m.id LIMIT ?3",
         "UPDATE webhook_message SET body = ? WHERE id = ?", "data"}};
    enum odp_status st = forget_sites(w, dataset);
    for (size_t i = 0; i < 2 && st == ODP_OK; i++)
        st = forget(w, &tables[i], dataset);
    return st;
}
