/* Which records differ: their keys from changes.json, and their numbers in the index of each version, which
 * is read once. */
#include "published/stage.h"
#include "base/json_load.h"
#include "published/version_reading.h"
#include "service/queries/engine/select.h"
#include "service/webhooks/events/match_internal.h"
#include "words/webhooks.h"

static const struct odp_text why_no_changes = {{W_webhooks_list_what_changed_version_cannot}};
static const struct odp_text why_counts = {{W_webhooks_only_counts_what_changed_published}};
static const struct odp_text why_many = {{W_webhooks_too_many_records_differ_version}};
static const struct odp_text why_key = {{W_webhooks_key_table_changed_among_these}};
static const struct odp_text why_enough = {{W_webhooks_filtering_took_too_long}};
static const struct odp_text why_records = {{W_webhooks_data_files_version_cannot_read}};

/* ---- changes.json ---- */

/* changes.json of step K on the disk, checked. */
static enum odp_status find_changes(struct match_work *w, size_t k, const char **path)
{
    const struct odp_site *site = w->m->site;
    const json_t *changes = json_object_get(w->steps[k].to, "changes");
    const char *version = w->steps[k].to_version;
    const char *url = odp_version_path(odp_json_text(changes, "json"));
    if (json_is_true(json_object_get(changes, "counts_only")))
        return match_unknown_asked(w, &why_counts, version);
    const struct odp_site_file *f = url != NULL ? odp_site_find(site, url) : NULL;
    if (f == NULL)
        return match_unknown_asked(w, &why_no_changes, version);
    bool here = odp_site_has(site, f);
    enum odp_status status = odp_site_local(site, f, w->m->a, path, w->m->diags);
    if (status == ODP_OK && here && odp_site_intact(site, f, *path) != ODP_OK)
        status = odp_site_complain(w->m->diags, odp_site_shown(site), f->path, "manifest.json");
    return status == ODP_BAD ? match_unknown_asked(w, &why_no_changes, version) : status;
}

/* The newest's key finds rows in both versions. */
static bool has_newest_key(const struct match_work *w, size_t k)
{
    const struct match_side *from = &w->sides[w->from[k]], *to = &w->sides[w->to[k]];
    bool same = from->keyed && to->keyed && to->info->nkey == w->newest->info->nkey;
    for (uint32_t i = 0; same && i < to->info->nkey; i++)
        same = to->key[i] == to->info->key[i];
    return same;
}

static enum odp_status add_rows(struct match_work *w, size_t k, struct events_rows *r)
{
    enum odp_status status;
    while ((status = events_rows_next(r)) == ODP_OK) {
        size_t side = r->keyed ? MATCH_KEYED : r->op == ODP_CHANGE_REMOVED ? w->from[k] : w->to[k];
        status = match_keys_add(w, side, r->parts, r->n, r->op);
        if (status == ODP_DONE)
            return match_unknown_asked(w, &why_many, w->steps[k].to_version);
        if (status != ODP_OK)
            return status;
    }
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status load_step(struct match_work *w, size_t k)
{
    const char *version = w->steps[k].to_version, *path = NULL;
    struct events_rows r;
    enum odp_status status = find_changes(w, k, &path);
    if (status != ODP_OK)
        return status;
    status = events_rows_open(&r, path);
    w->whole = w->whole || !r.keyed;
    if (status == ODP_OK && r.counts_only)
        status = match_unknown_asked(w, &why_counts, version);
    else if (status == ODP_OK && r.keyed && !has_newest_key(w, k))
        status = match_unknown_asked(w, &why_key, w->name);
    else if (status == ODP_OK)
        status = add_rows(w, k, &r);
    events_rows_close(&r);
    return status == ODP_BAD ? match_unknown_asked(w, &why_no_changes, version) : status;
}

/* ---- records ---- */

struct looking {
    struct match_work *w;
    size_t side;
    bool adds; /* all keys are new ones */
    struct odp_slice *parts;
    struct odp_buffer ids, entries;
    uint32_t count;
    const struct odp_text *why; /* why it ended early; NULL: it did not */
};

/* The texts of a record's key, or of the whole record, into l->parts; returns how many. */
static size_t take_parts(struct looking *l, const struct odp_slice *texts, bool whole)
{
    const struct match_side *s = &l->w->sides[l->side];
    size_t n = whole ? s->info->nfields : l->w->newest->info->nkey;
    for (size_t i = 0; i < n; i++)
        l->parts[i] = texts[whole ? i : s->key[i]];
    return n;
}

static void find(struct looking *l, int64_t id, const struct odp_slice *texts, bool whole)
{
    size_t n = take_parts(l, texts, whole);
    struct match_entry *e = match_keys_find(l->w, whole ? l->side : MATCH_KEYED, l->parts, n);
    if (e == NULL || (whole && e->seen == l->side + 1))
        return;
    odp_buffer_printf(&l->ids, "%c%lld", l->ids.len > 0 ? ',' : '[', (long long)id);
    odp_buffer_add(&l->entries, &e, sizeof(void *));
    e->seen = l->side + 1;
}

/* DONE ends it: l->why says why. */
static enum odp_status look_at(void *ctx, int64_t id, const struct odp_slice *texts)
{
    struct looking *l = ctx;
    if (++l->count % MATCH_LOOK == 0 && !match_goes_on(l->w->m)) {
        l->why = &why_enough;
        return ODP_DONE;
    }
    if (l->adds) {
        size_t n = take_parts(l, texts, false);
        enum odp_status status = match_keys_add(l->w, MATCH_KEYED, l->parts, n, ODP_CHANGE_ADDED);
        l->why = status == ODP_DONE ? &why_many : NULL;
        return status;
    }
    if (l->w->sides[l->side].keyed)
        find(l, id, texts, false);
    if (l->w->whole)
        find(l, id, texts, true);
    return odp_buffer_status(&l->entries);
}

static enum odp_status look(struct match_work *w, size_t side, bool adds)
{
    struct match_side *s = &w->sides[side];
    size_t nkey = w->newest->info->nkey, n = nkey > s->info->nfields ? nkey : s->info->nfields;
    struct looking l = {.w = w, .side = side, .adds = adds};
    l.parts = odp_arena_array(&w->arena, n + 1, sizeof *l.parts);
    enum odp_status status = odp_index_select(s->index, &(struct odp_selection){0}, &w->arena, &l, look_at);
    if (status == ODP_OK && l.why != NULL)
        status = match_unknown_asked(w, l.why, s->version);
    odp_buffer_add_str(&l.ids, l.ids.len > 0 ? "]" : "[]");
    if (status == ODP_OK)
        status = odp_buffer_status(&l.ids);
    s->ids = odp_arena_str(&w->arena, odp_buffer_cstr(&l.ids));
    s->nids = l.entries.len / sizeof(void *);
    s->entries = odp_arena_array(&w->arena, s->nids + 1, sizeof(void *));
    if (s->nids > 0)
        memcpy(s->entries, l.entries.ptr, l.entries.len);
    odp_buffer_release(&l.ids);
    odp_buffer_release(&l.entries);
    return status;
}

/* The version SIDE of a single step has all that changes.json says of it; else the two do not belong
 * together. */
static bool has_all(const struct match_work *w, size_t side)
{
    enum odp_change_op mine = side == w->from[0] ? ODP_CHANGE_REMOVED : ODP_CHANGE_ADDED;
    for (const struct match_entry *e = w->first; e != NULL; e = e->next)
        if (e->times[mine] + e->times[ODP_CHANGE_CHANGED] > 0 && e->seen != side + 1)
            return false;
    return true;
}

static enum odp_status find_records(struct match_work *w, size_t side)
{
    enum odp_status status = w->nkeys > 0 ? look(w, side, false) : ODP_OK;
    if (status == ODP_OK && w->nsteps == 1 && !has_all(w, side))
        status = match_unknown_asked(w, &why_records, w->sides[side].version);
    return status;
}

enum odp_status match_load(struct match_work *w)
{
    enum odp_status status = ODP_OK;
    for (size_t k = 0; k < w->nsteps && status == ODP_OK; k++) {
        struct match_side *to = &w->sides[w->to[k]];
        if (w->steps[k].from != NULL)
            status = load_step(w, k);
        else if (w->nsteps == 1 || w->newest->info->nkey == 0)
            to->all = true;
        else
            status = to->keyed ? look(w, w->to[k], true) : match_unknown_asked(w, &why_key, w->name);
    }
    for (size_t i = 0; i < w->nsides && status == ODP_OK; i++) {
        w->sides[i].ids = "[]";
        if (w->sides[i].keyed || w->whole)
            status = find_records(w, i);
    }
    return status;
}
