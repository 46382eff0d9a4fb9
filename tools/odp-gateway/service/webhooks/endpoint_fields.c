/* Bodies of POST /v1/webhooks and PATCH /v1/webhooks/{id}. The first thing that is wrong is named. A filter
 * is checked against every dataset that it is for, so only a change of the dataset can make it fail later. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

enum { DETAIL = 640 };

struct fields {
    struct odp_webhook_call *x;
    const struct odp_webhook *have; /* NULL: a new one */
    struct odp_webhook_change *out;
    const struct odp_site *site; /* NULL: none was needed yet */
    struct odp_webhook_site *acquired;
};

static enum odp_status invalid(struct fields *f, const char *field, const char *id, const char *en)
{
    return odp_webhook_call_invalid(f->x, field, odp_say(f->x->c, id, en));
}

/* {0} is WORD, of the caller, {1} is MORE. */
static enum odp_status invalid_word(struct fields *f, const char *field, const char *text,
                                    struct odp_slice word, const char *more)
{
    char detail[DETAIL], shown[ODP_WEBHOOK_SHOWN];
    odp_say_with(detail, sizeof detail, text, odp_webhook_shown(word, shown), more, "");
    return odp_webhook_call_invalid(f->x, field, detail);
}

static struct odp_slice text_of(const json_t *v)
{
    return (struct odp_slice){json_string_value(v), json_string_length(v)};
}

/* Never NULL, so that "" means none. */
static enum odp_status copy(struct fields *f, struct odp_slice text, struct odp_slice *out)
{
    *out = odp_arena_copy(&f->x->arena, text);
    return ODP_OK;
}

/* The current site. BAD: there is none, answered. */
static enum odp_status need_site(struct fields *f)
{
    if (f->site == NULL)
        f->site = odp_webhooks_acquire(f->x->w, &f->acquired);
    if (f->site != NULL)
        return ODP_OK;
    odp_answer_wait(f->x->a, f->x->s, f->x->c, ODP_PROBLEM_UNAVAILABLE, 5);
    return ODP_BAD;
}

/* ---- url ---- */

static enum odp_status read_url(struct fields *f, const json_t *v)
{
    struct odp_target target;
    const struct odp_text *why = NULL;
    if (!json_is_string(v))
        return invalid(f, "url", W_webhooks_must_text_https_address);
    enum odp_status st = odp_target_parse(&target, text_of(v), odp_webhooks_policy(f->x->w), &why);
    if (st == ODP_BAD)
        return odp_webhook_call_invalid(f->x, "url", why != NULL ? odp_text_get(why, f->x->c->lang) : "?");
    return st == ODP_OK ? copy(f, text_of(v), &f->out->url) : st;
}

/* ---- lists of words ---- */

struct list {
    const char *name;
    size_t most;
    enum odp_status (*check)(struct fields *f, struct odp_slice word);
};

static enum odp_status check_word(struct fields *f, const struct list *l, const json_t *array, size_t i)
{
    const json_t *v = json_array_get(array, i);
    if (!json_is_string(v))
        return invalid(f, l->name, W_webhooks_must_list_texts);
    enum odp_status st = l->check(f, text_of(v));
    for (size_t k = 0; k < i && st == ODP_OK; k++)
        if (json_equal(json_array_get(array, k), v))
            return invalid_word(f, l->name, odp_say(f->x->c, W_webhooks_there_twice), text_of(v), "");
    return st;
}

static enum odp_status read_words(struct fields *f, const struct list *l, const json_t *v,
                                  struct odp_slice *out)
{
    char most[24];
    struct odp_buffer words;
    size_t n = json_array_size(v);
    (void)snprintf(most, sizeof most, "%zu", l->most);
    if (!json_is_array(v))
        return invalid(f, l->name, W_webhooks_must_list_texts);
    if (n > l->most)
        return invalid_word(f, l->name, odp_say(f->x->c, W_webhooks_at_most), odp_slice_of(most), "");
    enum odp_status st = ODP_OK;
    odp_buffer_init(&words);
    for (size_t i = 0; i < n && st == ODP_OK; i++) {
        st = check_word(f, l, v, i);
        odp_buffer_add_str(&words, i > 0 ? " " : "");
        odp_buffer_add_slice(&words, text_of(json_array_get(v, i)));
    }
    if (st == ODP_OK)
        st = odp_buffer_status(&words);
    *out = odp_arena_copy(&f->x->arena, odp_slice_of(odp_buffer_cstr(&words)));
    odp_buffer_release(&words);
    return st;
}

/* ---- events ---- */

static enum odp_status check_event(struct fields *f, struct odp_slice word)
{
    const struct odp_call *c = f->x->c;
    const char *names[ODP_EVENT_TYPES];
    char all[DETAIL / 2] = "";
    size_t n = 0, used = 0;
    int t = odp_event_find(word);
    if (t >= 0 && odp_event_info((enum odp_event_type)t)->audience != ODP_EVENT_ONE)
        return ODP_OK;
    if (t >= 0)
        return invalid_word(f, "events", odp_say(c, W_webhooks_sent_without_being_asked_for), word, "");
    for (int i = 0; i < ODP_EVENT_TYPES; i++)
        if (odp_event_info((enum odp_event_type)i)->audience != ODP_EVENT_ONE)
            names[n++] = odp_event_info((enum odp_event_type)i)->name;
    const char *near = odp_word_nearest(word, names, n);
    if (near != NULL)
        return invalid_word(f, "events", odp_say(c, W_webhooks_there_no_did_mean), word, near);
    for (size_t i = 0; i < n && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", names[i]);
    return invalid_word(f, "events", odp_say(c, W_webhooks_there_no_there), word, all);
}

static enum odp_status read_events(struct fields *f, const json_t *v)
{
    static const struct list list = {"events", ODP_EVENT_TYPES, check_event};
    if (json_is_null(v) || (json_is_array(v) && json_array_size(v) == 0))
        return odp_webhook_call_missing(f->x, "events",
                                        odp_say(f->x->c, W_webhooks_events_name_at_least_one));
    return read_words(f, &list, v, &f->out->events);
}

/* ---- datasets ---- */

static bool was_called(const json_t *entry, struct odp_slice word)
{
    size_t i;
    const json_t *v;
    json_array_foreach(json_object_get(entry, "odp:formerSlugs"), i, v)
    {
        if (json_is_string(v) && odp_slice_eq(text_of(v), word))
            return true;
    }
    return false;
}

/* The slug that WORD probably means: its present name, or a similar one. */
static const char *nearest_dataset(struct fields *f, struct odp_slice word)
{
    const json_t *data = json_object_get(odp_site_index(f->site), "data"), *entry;
    size_t n = 0, i;
    const char **slugs = odp_arena_array(&f->x->arena, json_array_size(data) + 1, sizeof *slugs);
    json_array_foreach(data, i, entry)
    {
        const char *slug = json_string_value(json_object_get(entry, "slug"));
        if (slug != NULL && was_called(entry, word))
            return slug;
        if (slug != NULL)
            slugs[n++] = slug;
    }
    return odp_word_nearest(word, slugs, n);
}

static enum odp_status check_dataset(struct fields *f, struct odp_slice word)
{
    const struct odp_call *c = f->x->c;
    const char *slug = odp_arena_copy(&f->x->arena, word).ptr;
    if (strlen(slug) == word.len && strchr(slug, ' ') == NULL && odp_site_entry(f->site, slug) != NULL)
        return ODP_OK;
    const char *near = nearest_dataset(f, word);
    return near != NULL
               ? invalid_word(f, "datasets", odp_say(c, W_webhooks_there_no_dataset_did_mean), word, near)
               : invalid_word(f, "datasets", odp_say(c, W_webhooks_there_no_dataset_list_get), word, "");
}

static enum odp_status read_datasets(struct fields *f, const json_t *v)
{
    static const struct list list = {"datasets", ODP_WEBHOOK_DATASETS, check_dataset};
    if (json_is_null(v))
        return copy(f, ODP_LIT(""), &f->out->datasets);
    enum odp_status st = json_array_size(v) > 0 ? need_site(f) : ODP_OK;
    return st == ODP_OK ? read_words(f, &list, v, &f->out->datasets) : st;
}

/* ---- filter ---- */

static enum odp_status read_filter(struct fields *f, const json_t *v)
{
    if (json_is_null(v))
        return copy(f, ODP_LIT(""), &f->out->filter);
    if (!json_is_string(v) && !json_is_object(v))
        return invalid(f, "filter", W_webhooks_must_cql2_text_cql2_json);
    f->out->filter_json = json_is_object(v);
    /* The bytes as they were sent: numbers copy their digits. */
    struct odp_slice text =
        json_is_object(v) ? odp_json_at(f->x->c->body, "/filter") : odp_slice_trim(text_of(v));
    if (text.len > ODP_WEBHOOK_FILTER)
        return invalid(f, "filter", W_webhooks_at_most_4096_bytes);
    return copy(f, text, &f->out->filter);
}

static enum odp_status refuse_filter(struct fields *f, const char *slug,
                                     const struct odp_event_filter_fault *fault)
{
    struct odp_buffer more;
    odp_buffer_init(&more);
    odp_buffer_add_str(&more, "\"field\":\"filter\",\"dataset\":");
    odp_json_add_string(&more, odp_slice_of(slug));
    if (fault->at > 0)
        odp_buffer_printf(&more, ",\"position\":%zu,\"length\":%zu", fault->at, fault->len);
    if (fault->pointer != NULL) {
        odp_buffer_add_str(&more, ",\"pointer\":");
        odp_json_add_string(&more, odp_slice_of(fault->pointer));
    }
    odp_answer_problem_more(f->x->a, f->x->s, f->x->c, ODP_PROBLEM_FILTER_INVALID, odp_buffer_cstr(&more),
                            odp_arena_printf(&f->x->arena, "%.1279s", /* a filter may be long */
                                             odp_arena_printf(&f->x->arena, "%s: %s", slug,
                                                              odp_text_get(&fault->message, f->x->c->lang))));
    enum odp_status st = odp_buffer_status(&more);
    odp_buffer_release(&more);
    return st == ODP_OK ? ODP_BAD : st;
}

/* A dataset that the site does not have now may come back. */
static enum odp_status check_filter_of(struct fields *f, struct odp_slice word,
                                       const struct odp_event_filter *filter, struct odp_diags *diags)
{
    struct odp_event_filter_fault fault = {0};
    const char *slug = odp_arena_copy(&f->x->arena, word).ptr;
    enum odp_status st = odp_event_filter_check(f->site, slug, filter, &fault, &f->x->arena, diags);
    odp_diags_clear(diags);
    return st == ODP_BAD ? refuse_filter(f, slug, &fault) : st == ODP_DONE ? ODP_OK : st;
}

/* The value after the change. */
static const char *after(struct odp_slice changed, const char *had)
{
    return changed.ptr != NULL ? changed.ptr : had;
}

static enum odp_status check_filter(struct fields *f)
{
    const struct odp_webhook none = {.datasets = "", .filter = ""}, *h = f->have != NULL ? f->have : &none;
    const struct odp_webhook_change *out = f->out;
    const char *datasets = after(out->datasets, h->datasets);
    struct odp_event_filter filter = {after(out->filter, h->filter),
                                      out->filter.ptr != NULL ? out->filter_json : h->filter_json};
    struct odp_diags *diags = NULL;
    if (*filter.text == '\0' || (out->filter.ptr == NULL && out->datasets.ptr == NULL))
        return ODP_OK;
    if (*datasets == '\0')
        return invalid(f, "filter", W_webhooks_only_together_with_datasets_name);
    enum odp_status st = need_site(f);
    if (st == ODP_OK)
        st = odp_diags_new(&diags, 0);
    while (st == ODP_OK && *datasets != '\0') {
        size_t n = strcspn(datasets, " ");
        st = check_filter_of(f, (struct odp_slice){datasets, n}, &filter, diags);
        datasets += n + (datasets[n] == ' ');
    }
    odp_diags_free(diags);
    return st;
}

/* ---- the rest ---- */

static enum odp_status read_description(struct fields *f, const json_t *v)
{
    if (json_is_null(v))
        return copy(f, ODP_LIT(""), &f->out->description);
    if (!json_is_string(v))
        return invalid(f, "description", W_webhooks_must_text);
    struct odp_slice text = odp_slice_trim(text_of(v));
    if (text.len > 0 && !odp_typed_ok(text))
        return invalid(f, "description", W_webhooks_must_not_have_control_characters);
    if (odp_utf8_count(text) > ODP_WEBHOOK_DESCRIPTION)
        return invalid(f, "description", W_webhooks_at_most_200_characters);
    return copy(f, text, &f->out->description);
}

static enum odp_status read_state(struct fields *f, const json_t *v)
{
    static const char *const states[] = {"active", "paused"};
    for (size_t i = 0; i < 2; i++)
        if (json_is_string(v) && odp_slice_is(text_of(v), states[i])) {
            f->out->state = states[i];
            return ODP_OK;
        }
    const char *near = json_is_string(v) ? odp_word_nearest(text_of(v), states, 2) : NULL;
    if (near != NULL)
        return invalid_word(f, "state", odp_say(f->x->c, W_webhooks_there_no_did_mean), text_of(v), near);
    return invalid(f, "state", W_webhooks_active_paused);
}

/* ---- all of them ---- */

static const struct odp_member members[] = {{.name = "url"},    {.name = "events"},      {.name = "datasets"},
                                            {.name = "filter"}, {.name = "description"}, {.name = "state"}};
enum { MEMBERS = sizeof members / sizeof members[0] };

static enum odp_status read_all(struct fields *f)
{
    static enum odp_status (*const read[MEMBERS])(struct fields * f, const json_t *v) = {
        read_url, read_events, read_datasets, read_filter, read_description, read_state};
    const json_t *doc = f->x->doc;
    bool made = f->have == NULL;
    enum odp_status st =
        odp_http_known(f->x->s, f->x->c, f->x->a, members, made ? MEMBERS - 1 : MEMBERS, f->x->doc);
    if (st == ODP_OK && made && json_object_get(doc, "url") == NULL)
        return odp_webhook_call_missing(f->x, "url",
                                        odp_say(f->x->c, W_webhooks_url_required_https_address_takes));
    for (size_t i = 0; i < MEMBERS && st == ODP_OK; i++) {
        const json_t *v = json_object_get(doc, members[i].name);
        if (v != NULL)
            st = read[i](f, v);
        else if (made && read[i] == read_events)
            st = read_events(f, json_null());
    }
    return st == ODP_OK ? check_filter(f) : st;
}

enum odp_status odp_webhook_fields(struct odp_webhook_call *x, const struct odp_webhook *have,
                                   struct odp_webhook_change *out)
{
    struct fields f = {.x = x, .have = have, .out = out};
    *out = (struct odp_webhook_change){0};
    enum odp_status st = read_all(&f);
    odp_webhooks_release(x->w, f.acquired);
    return st;
}
