/* A message's records against the filters of all subscriptions. */
#include "service/webhooks/events/match_internal.h"

#include "base/json_load.h"
#include "published/history.h"
#include "words/webhooks.h"

static const struct odp_text why_history = {{W_webhooks_list_datasets_versions_cannot_read}};
static const struct odp_text why_version = {{W_webhooks_files_version_not_there_any}};
static const struct odp_text why_difference = {{W_webhooks_what_changed_version_not_published}};
static const struct odp_text why_not_json = {{W_webhooks_filter_not_valid_json}};
static const struct odp_text why_not_asked = {{W_webhooks_filter_does_not_fit_fields}};

/* ---- versions and their resources ---- */

/* Versions of the message, oldest first, each with the one before it (NULL: none). */
struct versions {
    const struct odp_version **versions, **before;
    size_t n;
};

static const struct odp_version *published(const struct odp_history *h, const char *name)
{
    const struct odp_version *v = name != NULL ? odp_history_find(h, name) : NULL;
    return v != NULL && v->state == ODP_VERSION_PUBLISHED ? v : NULL;
}

/* DONE: a version does not exist; all filters have the reason. */
static enum odp_status find_versions(struct match_message *m, const struct odp_history *h, const json_t *data,
                                     struct versions *t)
{
    const json_t *list = json_object_get(data, "versions");
    size_t n = json_array_size(list);
    t->versions = odp_arena_zero(m->a, n + 1, sizeof(const struct odp_version *));
    t->before = odp_arena_zero(m->a, n + 1, sizeof(const struct odp_version *));
    for (t->n = 0; t->n < n; t->n++) {
        const char *name = json_string_value(json_array_get(list, t->n));
        const struct odp_version *v = published(h, name);
        const char *before = v != NULL ? odp_json_text(v->json, "previous") : NULL;
        t->versions[t->n] = v;
        t->before[t->n] = published(h, before);
        if (v == NULL)
            return match_unknown_all(m, &why_version, name != NULL ? name : "?");
        if (before != NULL && t->before[t->n] == NULL)
            return match_unknown_all(m, &why_version, before);
    }
    return n > 0 ? ODP_OK : match_unknown_all(m, &why_version, "?");
}

/* Version K's step of the resource NAME. DONE: it does not have the resource. BAD: it cannot be known. */
static enum odp_status find_step(const struct odp_history *h, const struct versions *t, size_t k,
                                 const char *name, struct match_step *out)
{
    const json_t *to = match_resource_of(t->versions[k]->json, name),
                 *changes = json_object_get(to, "changes");
    *out = (struct match_step){.to_version = t->versions[k]->name, .to = to};
    if (to == NULL)
        return ODP_DONE;
    if (json_is_object(changes)) {
        const struct odp_version *from = published(h, odp_json_text(changes, "from"));
        out->from = from != NULL ? match_resource_of(from->json, name) : NULL;
        out->from_version = from != NULL ? from->name : NULL;
        return out->from != NULL ? ODP_OK : ODP_BAD;
    }
    /* A first version, or a table that is new in it. */
    return t->before[k] == NULL || match_resource_of(t->before[k]->json, name) == NULL ? ODP_OK : ODP_BAD;
}

static enum odp_status match_named(struct match_message *m, const struct odp_history *h,
                                   const struct versions *t, const char *name)
{
    size_t n = 0;
    struct match_step *steps = odp_arena_zero(m->a, t->n + 1, sizeof *steps);
    for (size_t k = 0; k < t->n; k++) {
        enum odp_status status = find_step(h, t, k, name, &steps[n]);
        if (status == ODP_BAD ||
            (status == ODP_OK && n > 0 && steps[n].from == NULL)) { /* or a table that went and came again */
            (void)match_unknown_all(m, &why_difference, t->versions[k]->name);
            return ODP_OK;
        }
        n += status == ODP_OK;
    }
    return n > 0 ? match_resource(m, name, steps, n) : ODP_OK;
}

/* Tables of earlier versions that the newest does not have. */
static enum odp_status match_gone(struct match_message *m, const struct versions *t)
{
    const json_t *newest = t->versions[t->n - 1]->json;
    for (size_t k = 0; k < t->n; k++) {
        const json_t *list = t->before[k] != NULL ? json_object_get(t->before[k]->json, "resources") : NULL;
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *one = json_array_get(list, i);
            const char *name = odp_json_text(one, "name");
            if (match_resource_of(newest, name) == NULL && match_resource_gone(m, one) != ODP_OK)
                return ODP_FAIL;
        }
    }
    return ODP_OK;
}

static enum odp_status match_versions(struct match_message *m, const struct odp_history *h,
                                      const json_t *data)
{
    struct versions t = {0};
    enum odp_status status = find_versions(m, h, data, &t);
    if (status == ODP_OK)
        status = match_gone(m, &t);
    const json_t *list = status == ODP_OK ? json_object_get(t.versions[t.n - 1]->json, "resources") : NULL;
    for (size_t i = 0; i < json_array_size(list) && status == ODP_OK; i++) {
        const char *name = odp_json_text(json_array_get(list, i), "name");
        status = name != NULL ? match_named(m, h, &t, name) : ODP_OK;
    }
    return status == ODP_DONE ? ODP_OK : status;
}

/* ---- the answer ---- */

static void conclude(struct match_message *m, size_t i, struct odp_event_match *out)
{
    struct match_answer *answer = &m->answers[i];
    if (!answer->asked && !answer->unknown) {
        const struct odp_text why = answer->why;
        for (int l = 0; l < ODP_LANGS; l++)
            answer->why.in[l] = match_fill(m->a, odp_text_get(&why_not_asked, (enum odp_lang)l),
                                           odp_text_get(&why, (enum odp_lang)l));
        answer->unknown = true;
    }
    for (size_t k = 0; answer->total > ODP_EVENT_KEYS && k < json_array_size(answer->resources); k++)
        (void)json_object_set_new(json_array_get(answer->resources, k), "keys", json_null());
    out->relevant = answer->unknown || answer->total > 0;
    out->json = answer->unknown ? json_pack("{s:b, s:{s:s, s:s}}", "applied", 0, "why", "id",
                                            odp_text_get(&answer->why, ODP_LANG_ID), "en",
                                            odp_text_get(&answer->why, ODP_LANG_EN))
                                : json_pack("{s:b, s:O}", "applied", 1, "resources", answer->resources);
}

static void begin(struct match_message *m, struct match_filter *filters, const struct odp_event_filter *from)
{
    for (size_t i = 0; i < m->n; i++) {
        if (match_filter_init(&filters[i], &from[i], m->a) == ODP_BAD)
            match_unknown(m, i, &why_not_json, NULL);
        m->answers[i].resources = json_array();
    }
}

enum odp_status odp_event_match(const struct odp_event_matching *e, const struct odp_event_filter *filters,
                                size_t n, struct odp_event_match *out)
{
    struct odp_history history = {0};
    struct match_message m = {.site = e->site, .n = n, .a = e->a, .diags = e->diags, .limits = e->limits};
    const char *slug = odp_json_text(e->data, "dataset");
    struct match_filter *own = odp_arena_zero(e->a, n + 1, sizeof *own);
    m.filters = own;
    m.answers = odp_arena_zero(e->a, n + 1, sizeof *m.answers);
    if (n > 0)
        memset(out, 0, n * sizeof *out);
    begin(&m, own, filters);
    enum odp_status status =
        slug != NULL ? odp_history_read(&history, e->site, slug, e->a, e->diags) : ODP_DONE;
    if (status == ODP_OK)
        status = match_versions(&m, &history, e->data);
    else if (status != ODP_FAIL && match_unknown_all(&m, &why_history, NULL) == ODP_DONE)
        status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        conclude(&m, i, &out[i]);
    if (status == ODP_OK)
        status = odp_arena_status(e->a);
    for (size_t i = 0; i < n; i++) {
        match_filter_release(&own[i]);
        json_decref(m.answers[i].resources);
    }
    odp_history_release(&history);
    return status;
}

void odp_event_matches_release(struct odp_event_match *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_decref(m[i].json);
        m[i].json = NULL;
    }
}
