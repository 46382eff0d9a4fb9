/* Which records differ: their keys out of changes.json, and their numbers in the index of each version, which
 * is read once. */
#include "published/stage.h"
#include "published/version_reading.h"
#include "service/queries/engine/among.h"
#include "service/webhooks/events/match_internal.h"
#include "words/webhooks.h"

static const struct odp_text why_no_changes = {{W_webhooks_list_what_changed_version_cannot}};
static const struct odp_text why_counts = {{W_webhooks_only_counts_what_changed_published}};
static const struct odp_text why_many = {{W_webhooks_too_many_records_differ_version}};
static const struct odp_text why_key = {{W_webhooks_key_table_changed_among_these}};
static const struct odp_text why_enough = {
    {"penyaringan versi {0} memakan waktu terlalu lama", "filtering version {0} took too long"}};
static const struct odp_text why_records = {{W_webhooks_data_files_version_cannot_read}};

/* ---- changes.json ---- */

/* changes.json of step K on the disk, as the manifest has it. */
static enum odp_status find_changes(struct match_work *w, size_t k, const char **path)
{
    const json_t *changes = json_object_get(w->steps[k].to, "changes");
    const char *version = w->steps[k].to_version;
    const char *url = odp_version_path(json_string_value(json_object_get(changes, "json")));
    if (json_is_true(json_object_get(changes, "counts_only")))
        return match_unknown_asked(w, &why_counts, version);
    const struct odp_site_file *f = url != NULL ? odp_site_find(w->m->site, url) : NULL;
    if (f == NULL)
        return match_unknown_asked(w, &why_no_changes, version);
    bool here = odp_site_has(w->m->site, f);
    enum odp_status status = odp_site_local(w->m->site, f, w->m->a, path, w->m->diags);
    if (status == ODP_OK && here && odp_site_intact(w->m->site, f, *path) != ODP_OK)
        status = odp_site_complain(w->m->diags, odp_site_shown(w->m->site), f->path, "manifest.json");
    return status == ODP_BAD ? match_unknown_asked(w, &why_no_changes, version) : status;
}

/* Rows can be looked up in both versions by the newest's key. */
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
        status = match_keys_add(&w->keys, side, r->parts, r->n, r->op);
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
    struct odp_buffer ids;
    uint8_t *seen; /* by key */
    uint32_t cap, count;
    enum { LOOK_FINE, LOOK_ENOUGH, LOOK_MANY } end;
};

static enum odp_status keep(struct looking *l, struct match_side *s, int64_t id, uint32_t entry)
{
    if (s->nids == l->cap) {
        uint32_t cap = l->cap * 2 + 64;
        uint32_t *more = odp_arena_array(&l->w->arena, cap, sizeof *more);
        if (s->nids > 0)
            memcpy(more, s->entry, s->nids * sizeof *more);
        s->entry = more;
        l->cap = cap;
    }
    s->entry[s->nids++] = entry;
    odp_buffer_printf(&l->ids, "%s%lld", s->nids > 1 ? "," : "[", (long long)id);
    l->seen[entry] = 1;
    return odp_buffer_status(&l->ids);
}

/* The texts of a record's key, or of the whole record, into l->parts: how many. */
static size_t take_parts(struct looking *l, const struct odp_slice *texts, bool whole)
{
    const struct match_side *s = &l->w->sides[l->side];
    size_t n = whole ? s->info->nfields : l->w->keys.nparts;
    for (size_t i = 0; i < n; i++)
        l->parts[i] = texts[whole ? i : s->key[i]];
    return n;
}

static enum odp_status find(struct looking *l, int64_t id, const struct odp_slice *texts, bool whole)
{
    size_t n = take_parts(l, texts, whole);
    uint32_t at = MATCH_NO_ENTRY;
    enum odp_status status = match_keys_find(&l->w->keys, whole ? l->side : MATCH_KEYED, l->parts, n, &at);
    if (status != ODP_OK || at == MATCH_NO_ENTRY || (whole && l->seen[at]))
        return status;
    return keep(l, &l->w->sides[l->side], id, at);
}

static enum odp_status add(struct looking *l, const struct odp_slice *texts)
{
    size_t n = take_parts(l, texts, false);
    enum odp_status status = match_keys_add(&l->w->keys, MATCH_KEYED, l->parts, n, ODP_CHANGE_ADDED);
    l->end = status == ODP_DONE ? LOOK_MANY : l->end;
    return status;
}

/* DONE ends it: l->end says why. */
static enum odp_status look_at(void *ctx, int64_t id, const struct odp_slice *texts)
{
    struct looking *l = ctx;
    if (++l->count % MATCH_LOOK == 0 && !match_goes_on(l->w->m)) {
        l->end = LOOK_ENOUGH;
        return ODP_DONE;
    }
    if (l->adds)
        return add(l, texts);
    enum odp_status status = l->w->sides[l->side].keyed ? find(l, id, texts, false) : ODP_OK;
    return status == ODP_OK && l->w->whole ? find(l, id, texts, true) : status;
}

static enum odp_status look(struct match_work *w, size_t side, bool adds, uint8_t *seen)
{
    static const struct odp_text *const whys[] = {[LOOK_ENOUGH] = &why_enough, [LOOK_MANY] = &why_many};
    struct match_side *s = &w->sides[side];
    size_t n = w->keys.nparts > s->info->nfields ? w->keys.nparts : s->info->nfields;
    struct looking l = {.w = w, .side = side, .adds = adds, .seen = seen};
    l.parts = odp_arena_array(&w->arena, n + 1, sizeof *l.parts);
    odp_buffer_init(&l.ids);
    enum odp_status status = odp_index_among(s->index, &(struct odp_among){0}, &w->arena, &l, look_at);
    if (status == ODP_OK && l.end != LOOK_FINE)
        status = match_unknown_asked(w, whys[l.end], s->version);
    odp_buffer_add_str(&l.ids, s->nids > 0 ? "]" : "[]");
    if (status == ODP_OK)
        status = odp_buffer_status(&l.ids);
    if (status == ODP_OK)
        s->ids = odp_arena_str(&w->arena, odp_buffer_cstr(&l.ids));
    odp_buffer_release(&l.ids);
    return status;
}

/* Of a single step the version SIDE must have what changes.json says of it; else the two do not belong
 * together. */
static bool has_all(const struct match_work *w, size_t side, const uint8_t *seen)
{
    enum odp_change_op other = side == w->from[0] ? ODP_CHANGE_ADDED : ODP_CHANGE_REMOVED;
    for (uint32_t e = 0; e < w->keys.n; e++) {
        const uint32_t *times = w->keys.items[e].times;
        uint32_t mine =
            times[ODP_CHANGE_ADDED] + times[ODP_CHANGE_REMOVED] + times[ODP_CHANGE_CHANGED] - times[other];
        if (mine > 0 && !seen[e])
            return false;
    }
    return true;
}

static enum odp_status find_records(struct match_work *w, size_t side)
{
    const struct match_side *s = &w->sides[side];
    uint8_t *seen = odp_arena_zero(&w->arena, (size_t)w->keys.n + 1, 1);
    enum odp_status status = w->keys.n > 0 ? look(w, side, false, seen) : ODP_OK;
    if (status == ODP_OK && w->nsteps == 1 && !has_all(w, side, seen))
        status = match_unknown_asked(w, &why_records, s->version);
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
            status = to->keyed ? look(w, w->to[k], true, NULL) : match_unknown_asked(w, &why_key, w->name);
    }
    for (size_t i = 0; i < w->nsides && status == ODP_OK; i++) {
        struct match_side *s = &w->sides[i];
        s->ids = "[]";
        if (s->keyed || w->whole)
            status = find_records(w, i);
    }
    return status;
}
