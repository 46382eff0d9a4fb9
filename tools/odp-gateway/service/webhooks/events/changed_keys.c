/* Keys of the records that differ: read from changes.json, and joined when two events become one. Rows are
 * not read if versions.json already counts too many changes. */
#include "base/text.h"
#include "service/webhooks/events/events_internal.h"

json_t *events_keys_new(void)
{
    return json_pack("{s:[], s:[], s:[]}", events_ops[ODP_CHANGE_ADDED], events_ops[ODP_CHANGE_REMOVED],
                     events_ops[ODP_CHANGE_CHANGED]);
}

size_t events_keys_count(const json_t *keys)
{
    size_t n = 0;
    for (int op = 0; op < EVENTS_OPS; op++)
        n += json_array_size(json_object_get(keys, events_ops[op]));
    return n;
}

/* ---- writing and joining ---- */

void events_key_add(struct odp_buffer *out, struct odp_slice part, bool first)
{
    if (!first)
        odp_buffer_add_char(out, ',');
    odp_text_percent(out, part);
}

enum odp_change_op events_op_join(enum odp_change_op before, enum odp_change_op now)
{
    if (before == now || (before == ODP_CHANGE_ADDED && now == ODP_CHANGE_CHANGED))
        return before;
    return before == ODP_CHANGE_CHANGED && now == ODP_CHANGE_REMOVED ? ODP_CHANGE_REMOVED
                                                                     : ODP_CHANGE_CHANGED;
}

void events_keys_put(json_t *keys, enum odp_change_op op, const char *key)
{
    enum odp_change_op now = op;
    for (int k = 0; k < EVENTS_OPS; k++) {
        json_t *list = json_object_get(keys, events_ops[k]);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const char *other = json_string_value(json_array_get(list, i));
            if (other == NULL || strcmp(other, key) != 0)
                continue;
            now = events_op_join((enum odp_change_op)k, op);
            if ((int)now == k)
                return;
            (void)json_array_remove(list, i--);
            if (k == ODP_CHANGE_ADDED && op == ODP_CHANGE_REMOVED) /* it came and went: neither end has it */
                return;
        }
    }
    (void)json_array_append_new(json_object_get(keys, events_ops[now]), json_string(key));
}

/* ---- reading ---- */

enum { KEY_MAX = 64 << 10 /* bytes; longer ones are no addresses */ };

struct reading {
    const struct events_changes *want;
    size_t limit;
    bool untold; /* there are no keys, which is fine */
    bool many, damaged;
    json_t *keys;
    uint64_t rows[EVENTS_OPS];
};

static bool fits(const struct events_changes *c, size_t limit)
{
    for (int op = 0; op < EVENTS_OPS; op++) {
        if (c->rows[op] > limit)
            return false;
        limit -= (size_t)c->rows[op];
    }
    return true;
}

static enum odp_status take_row(struct reading *l, const struct events_rows *r, struct odp_buffer *key)
{
    odp_buffer_clear(key);
    for (size_t i = 0; i < r->n; i++)
        events_key_add(key, r->parts[i], i == 0);
    l->rows[r->op]++;
    l->untold = key->len > KEY_MAX;
    l->damaged = events_keys_count(l->keys) == l->limit; /* versions.json counts less */
    if (l->untold || l->damaged)
        return ODP_DONE;
    events_keys_put(l->keys, r->op, odp_buffer_cstr(key));
    return odp_buffer_status(key);
}

static enum odp_status read_rows(struct reading *l, const char *path)
{
    struct events_rows r;
    struct odp_buffer key = {0};
    enum odp_status status = events_rows_open(&r, path);
    l->untold = r.known && (!r.keyed || r.counts_only);
    l->many = !l->untold && !fits(l->want, l->limit);
    if (status == ODP_OK && (l->untold || l->many))
        status = ODP_DONE;
    while (status == ODP_OK && (status = events_rows_next(&r)) == ODP_OK)
        status = take_row(l, &r, &key);
    events_rows_close(&r);
    odp_buffer_release(&key);
    l->damaged = l->damaged || (status == ODP_BAD && !l->untold);
    for (int op = 0; op < EVENTS_OPS && !l->untold && !l->many; op++)
        l->damaged = l->damaged || l->rows[op] != l->want->rows[op];
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status read_file(struct reading *l, const struct events_reading *r,
                                 const struct odp_site_file *f)
{
    const struct odp_site *site = r->site;
    const char *path = NULL;
    enum odp_status status = odp_site_local(site, f, r->a, &path, r->diags);
    if (status != ODP_OK)
        return status;
    if (fits(l->want, l->limit)) /* else it is only asked whether there is a key */
        status = odp_site_intact(site, f, path);
    if (status == ODP_OK)
        status = read_rows(l, path);
    if (status == ODP_FAIL || (status == ODP_OK && !l->damaged))
        return status;
    return odp_site_complain(r->diags, odp_site_shown(site), f->path, "manifest.json, versions.json");
}

enum odp_status events_keys_read(json_t **keys, bool *many, const struct events_changes *c, size_t limit,
                                 const struct events_reading *r)
{
    const struct odp_site_file *f = c->path != NULL ? odp_site_find(r->site, c->path) : NULL;
    *keys = NULL;
    if (f == NULL || !odp_site_has(r->site, f)) /* nothing is fetched */
        return ODP_DONE;
    struct reading l = {.want = c, .limit = limit, .keys = events_keys_new()};
    enum odp_status status = read_file(&l, r, f);
    *many = *many || (status == ODP_OK && l.many);
    if (status == ODP_OK && (l.untold || l.many))
        status = ODP_DONE;
    if (status == ODP_OK)
        *keys = l.keys;
    else
        json_decref(l.keys);
    return status;
}
