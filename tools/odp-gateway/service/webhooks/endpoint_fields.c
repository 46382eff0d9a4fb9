/* Bodies of POST /v1/webhooks and PATCH /v1/webhooks/{id}. The first thing that is wrong is named. A filter
 * is checked against every dataset that it is for, so only a change of the dataset can make it fail later. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_load.h"
#include "service/webhooks/endpoint_internal.h"
#include "words/webhooks.h"

enum { DETAIL = 640 };

struct fields {
    struct webhook_call *x;
    struct odp_webhook have; /* of a new one: "" */
    struct odp_webhook_change *out;
    const struct odp_site *site; /* NULL: none was needed yet */
    struct odp_webhook_site *acquired;
};

static void invalid(struct fields *f, const char *field, const char *id, const char *en)
{
    webhook_call_invalid(f->x, field, odp_say(f->x->a->c, id, en));
}

/* {0} is WORD, of the caller, {1} is MORE. */
static void invalid_word(struct fields *f, const char *field, const char *text, struct odp_slice word,
                         const char *more)
{
    char detail[DETAIL], shown[ODP_WEBHOOK_SHOWN];
    odp_say_with(detail, sizeof detail, text, webhook_shown(word, shown), more, "");
    webhook_call_invalid(f->x, field, detail);
}

static struct odp_slice text_of(const json_t *v)
{
    return (struct odp_slice){json_string_value(v), json_string_length(v)};
}

/* Never NULL, so that "" means none. */
static struct odp_slice copy(struct fields *f, struct odp_slice text)
{
    return odp_arena_copy(&f->x->arena, text);
}

/* False: there is no current site, answered. */
static bool need_site(struct fields *f)
{
    if (f->site == NULL)
        f->site = odp_webhooks_acquire(f->x->w, &f->acquired);
    if (f->site != NULL)
        return true;
    odp_answer_wait(f->x->a, ODP_PROBLEM_UNAVAILABLE, 5);
    f->x->st = ODP_BAD;
    return false;
}

/* ---- url ---- */

static void read_url(struct fields *f, const json_t *v)
{
    struct odp_target target;
    const struct odp_text *why = NULL;
    if (!json_is_string(v)) {
        invalid(f, "url", W_webhooks_must_text_https_address);
        return;
    }
    f->x->st = odp_target_parse(&target, text_of(v), odp_webhooks_policy(f->x->w), &why);
    f->out->url = copy(f, text_of(v));
    if (f->x->st == ODP_BAD)
        webhook_call_invalid(f->x, "url", why != NULL ? odp_text_get(why, f->x->a->c->lang) : "?");
}

/* ---- lists of words ---- */

struct list {
    const char *name;
    size_t most;
    void (*check)(struct fields *f, struct odp_slice word);
};

static void check_word(struct fields *f, const struct list *l, const json_t *array, size_t i)
{
    const json_t *v = json_array_get(array, i);
    if (json_is_string(v))
        l->check(f, text_of(v));
    else
        invalid(f, l->name, W_webhooks_must_list_texts);
    for (size_t k = 0; k < i && f->x->st == ODP_OK; k++)
        if (json_equal(json_array_get(array, k), v))
            invalid_word(f, l->name, odp_say(f->x->a->c, W_webhooks_there_twice), text_of(v), "");
}

static void read_words(struct fields *f, const struct list *l, const json_t *v, struct odp_slice *out)
{
    char most[24];
    struct odp_buffer words = {0};
    size_t n = json_array_size(v);
    (void)snprintf(most, sizeof most, "%zu", l->most);
    if (!json_is_array(v))
        invalid(f, l->name, W_webhooks_must_list_texts);
    else if (n > l->most)
        invalid_word(f, l->name, odp_say(f->x->a->c, W_webhooks_at_most), odp_slice_of(most), "");
    for (size_t i = 0; i < n && f->x->st == ODP_OK; i++) {
        check_word(f, l, v, i);
        odp_buffer_add_str(&words, i > 0 ? " " : "");
        odp_buffer_add_slice(&words, text_of(json_array_get(v, i)));
    }
    if (f->x->st == ODP_OK)
        f->x->st = odp_buffer_status(&words);
    *out = copy(f, odp_slice_of(odp_buffer_cstr(&words)));
    odp_buffer_release(&words);
}

/* ---- events ---- */

static void check_event(struct fields *f, struct odp_slice word)
{
    const struct odp_call *c = f->x->a->c;
    const char *names[ODP_EVENT_TYPES];
    char all[DETAIL / 2] = "";
    size_t n = 0;
    bool known = odp_event_find(word) >= 0;
    for (int i = 0; i < ODP_EVENT_TYPES; i++)
        if (odp_event_info((enum odp_event_type)i)->audience != ODP_EVENT_ONE)
            names[n++] = odp_event_info((enum odp_event_type)i)->name;
    if (odp_word_index(word, names, n) >= 0)
        return;
    (void)odp_say_names(all, 0, sizeof all, names, n);
    const char *near = odp_word_nearest(word, names, n);
    if (known)
        invalid_word(f, "events", odp_say(c, W_webhooks_sent_without_being_asked_for), word, "");
    else if (near != NULL)
        invalid_word(f, "events", odp_say(c, W_webhooks_there_no_did_mean), word, near);
    else
        invalid_word(f, "events", odp_say(c, W_webhooks_there_no_there), word, all);
}

static void read_events(struct fields *f, const json_t *v)
{
    static const struct list list = {"events", ODP_EVENT_TYPES, check_event};
    if (json_is_null(v) || (json_is_array(v) && json_array_size(v) == 0))
        webhook_call_missing(f->x, "events", odp_say(f->x->a->c, W_webhooks_events_name_at_least_one));
    else
        read_words(f, &list, v, &f->out->events);
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
        const char *slug = odp_json_text(entry, "slug");
        if (slug != NULL && was_called(entry, word))
            return slug;
        if (slug != NULL)
            slugs[n++] = slug;
    }
    return odp_word_nearest(word, slugs, n);
}

static void check_dataset(struct fields *f, struct odp_slice word)
{
    const struct odp_call *c = f->x->a->c;
    const char *slug = copy(f, word).ptr;
    if (strlen(slug) == word.len && strchr(slug, ' ') == NULL && odp_site_entry(f->site, slug) != NULL)
        return;
    const char *near = nearest_dataset(f, word);
    if (near != NULL)
        invalid_word(f, "datasets", odp_say(c, W_webhooks_there_no_dataset_did_mean), word, near);
    else
        invalid_word(f, "datasets", odp_say(c, W_webhooks_there_no_dataset_list_get), word, "");
}

static void read_datasets(struct fields *f, const json_t *v)
{
    static const struct list list = {"datasets", ODP_WEBHOOK_DATASETS, check_dataset};
    if (json_is_null(v))
        f->out->datasets = copy(f, ODP_LIT(""));
    else if (json_array_size(v) == 0 || need_site(f))
        read_words(f, &list, v, &f->out->datasets);
}

/* ---- filter ---- */

static void read_filter(struct fields *f, const json_t *v)
{
    /* The bytes as they were sent: numbers keep their digits. */
    struct odp_slice text = json_is_object(v)   ? odp_json_at(f->x->a->c->body, "/filter")
                            : json_is_string(v) ? odp_slice_trim(text_of(v))
                                                : ODP_LIT("");
    f->out->filter_json = json_is_object(v);
    f->out->filter = copy(f, text);
    if (!json_is_string(v) && !json_is_object(v) && !json_is_null(v))
        invalid(f, "filter", W_webhooks_must_cql2_text_cql2_json);
    else if (text.len > ODP_WEBHOOK_FILTER)
        invalid(f, "filter", W_webhooks_at_most_4096_bytes);
}

static void refuse_filter(struct fields *f, const char *slug, const struct odp_event_filter_fault *fault)
{
    struct webhook_call *x = f->x;
    struct odp_buffer more = {0};
    odp_json_add_str(&more, "\"field\":\"filter\",\"dataset\":", slug);
    if (fault->at > 0)
        odp_buffer_printf(&more, ",\"position\":%zu,\"length\":%zu", fault->at, fault->len);
    odp_json_add_str(&more, ",\"pointer\":", fault->pointer);
    const char *detail =
        odp_arena_printf(&x->arena, "%s: %s", slug, odp_text_get(&fault->message, x->a->c->lang));
    odp_answer_problem_more(x->a, ODP_PROBLEM_FILTER_INVALID, odp_buffer_cstr(&more),
                            odp_arena_printf(&x->arena, "%.1279s", detail)); /* a filter may be long */
    x->st = odp_buffer_status(&more) == ODP_OK ? ODP_BAD : ODP_FAIL;
    odp_buffer_release(&more);
}

/* A dataset that the site does not have now may come back. */
static void check_filter_of(struct fields *f, struct odp_slice word, const struct odp_event_filter *filter,
                            struct odp_diags *diags)
{
    struct odp_event_filter_fault fault = {0};
    const char *slug = copy(f, word).ptr;
    enum odp_status st = odp_event_filter_check(f->site, slug, filter, &fault, &f->x->arena, diags);
    odp_diags_clear(diags);
    if (st == ODP_BAD)
        refuse_filter(f, slug, &fault);
    else if (st != ODP_DONE)
        f->x->st = st;
}

/* The value after the change. */
static const char *after(struct odp_slice changed, const char *had)
{
    return changed.ptr != NULL ? changed.ptr : had;
}

static void check_filter(struct fields *f)
{
    const struct odp_webhook_change *out = f->out;
    const char *datasets = after(out->datasets, f->have.datasets);
    struct odp_event_filter filter = {after(out->filter, f->have.filter),
                                      out->filter.ptr != NULL ? out->filter_json : f->have.filter_json};
    struct odp_diags *diags = NULL;
    if (*filter.text == '\0' || (out->filter.ptr == NULL && out->datasets.ptr == NULL))
        return;
    if (*datasets == '\0')
        invalid(f, "filter", W_webhooks_only_together_with_datasets_name);
    else if (need_site(f))
        f->x->st = odp_diags_new(&diags, 0);
    while (f->x->st == ODP_OK && *datasets != '\0') {
        size_t n = strcspn(datasets, " ");
        check_filter_of(f, (struct odp_slice){datasets, n}, &filter, diags);
        datasets += n + (datasets[n] == ' ');
    }
    odp_diags_free(diags);
}

/* ---- the rest ---- */

static void read_description(struct fields *f, const json_t *v)
{
    static const struct odp_member member = {"description", ODP_FIELD_TEXT, false, ODP_WEBHOOK_DESCRIPTION};
    struct odp_member_value value = {.text = {"", 0}};
    f->x->st = odp_http_member(f->x->a, &member, v, &value);
    f->out->description = copy(f, value.text);
}

static void read_state(struct fields *f, const json_t *v)
{
    static const char *const states[] = {"active", "paused"};
    const int found = odp_word_index(text_of(v), states, 2);
    if (found >= 0) {
        f->out->state = states[found];
        return;
    }
    const char *near = json_is_string(v) ? odp_word_nearest(text_of(v), states, 2) : NULL;
    if (near != NULL)
        invalid_word(f, "state", odp_say(f->x->a->c, W_webhooks_there_no_did_mean), text_of(v), near);
    else
        invalid(f, "state", W_webhooks_active_paused);
}

/* ---- all of them ---- */

static void read_all(struct fields *f, bool made)
{
    static const struct odp_member members[] = {{.name = "url"},         {.name = "events"},
                                                {.name = "datasets"},    {.name = "filter"},
                                                {.name = "description"}, {.name = "state"}};
    static void (*const read[])(struct fields * f, const json_t *v) = {
        read_url, read_events, read_datasets, read_filter, read_description, read_state};
    struct webhook_call *x = f->x;
    const size_t n = ODP_COUNT(members) - made; /* a new one has no state */
    x->st = odp_http_known(x->a, members, n, x->doc);
    if (x->st == ODP_OK && made && json_object_get(x->doc, "url") == NULL)
        webhook_call_missing(x, "url", odp_say(x->a->c, W_webhooks_url_required_https_address_takes));
    for (size_t i = 0; i < n && x->st == ODP_OK; i++) {
        const json_t *v = json_object_get(x->doc, members[i].name);
        if (v == NULL && made && read[i] == read_events)
            v = json_null();
        if (v != NULL)
            read[i](f, v);
    }
    if (x->st == ODP_OK)
        check_filter(f);
}

void webhook_fields(struct webhook_call *x, const struct odp_webhook *have, struct odp_webhook_change *out)
{
    struct fields f = {.x = x, .have = {.datasets = "", .filter = ""}, .out = out};
    *out = (struct odp_webhook_change){0};
    if (x->st != ODP_OK)
        return;
    if (have != NULL)
        f.have = *have;
    read_all(&f, have == NULL);
    odp_webhooks_release(x->w, f.acquired);
}
