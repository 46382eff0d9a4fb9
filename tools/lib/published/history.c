/* Versions of a dataset. */
#include "published/history.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_load.h"
#include "published/doc.h"

enum { DATE_LEN = 10, STAMP_LEN = 17 }; /* "2024-03-15", "2024-03-15T030000" */

const char *odp_version_state_name(enum odp_version_state s)
{
    static const char *const names[] = {"published", "thinned", "withdrawn"};
    return names[s];
}

/* ---- names ---- */

const char *odp_history_slug(const char *path, struct odp_arena *a)
{
    const char *slash = strncmp(path, "data/", 5) == 0 ? strchr(path + 5, '/') : NULL;
    bool history = slash != NULL && strcmp(slash, "/versions.json") == 0;
    return history ? odp_arena_copy(a, (struct odp_slice){path + 5, (size_t)(slash - path) - 5}).ptr : NULL;
}

/* Length of NAME without the number of a correction. */
static size_t base_len(const char *name)
{
    const char *end = strchr(name, 'Z');
    size_t len = end != NULL ? (size_t)(end - name) + 1 : DATE_LEN;
    size_t all = strlen(name);
    return len < all ? len : all;
}

static unsigned long correction_of(const char *name)
{
    const char *dot = name + base_len(name);
    return *dot == '.' ? strtoul(dot + 1, NULL, 10) : 0;
}

int odp_version_compare(const char *a, const char *b)
{
    size_t na = base_len(a), nb = base_len(b), common = na < nb ? na : nb;
    /* Up to the second both have their digits in the same places; a date is the beginning of its day. */
    int order = strncmp(a, b, common < STAMP_LEN ? common : STAMP_LEN);
    if (order == 0 && common <= STAMP_LEN)
        order = (na > nb) - (na < nb);
    if (order == 0 && common > STAMP_LEN) { /* a fraction; none is the smallest */
        size_t la = strcspn(a + STAMP_LEN, "Z"), lb = strcspn(b + STAMP_LEN, "Z");
        order = strncmp(a + STAMP_LEN, b + STAMP_LEN, la < lb ? la : lb);
        order = order != 0 ? order : (la > lb) - (la < lb);
    }
    if (order != 0)
        return order;
    unsigned long ca = correction_of(a), cb = correction_of(b);
    return (ca > cb) - (ca < cb);
}

char *odp_version_name(const char *last_update, struct odp_arena *a)
{
    struct odp_datetime t;
    char fraction[12] = "";
    if (odp_date_parse(odp_slice_of(last_update), ODP_DATETIME, NULL, "UTC", &t) != ODP_DATE_OK)
        return odp_arena_str(a, last_update);
    int64_t minutes = odp_date_days(&t) * 1440 + t.hour * 60 + t.minute - (t.has_offset ? t.offset : 0);
    int64_t days = minutes >= 0 ? minutes / 1440 : -((-minutes + 1439) / 1440);
    int64_t rest = minutes - days * 1440;
    struct odp_datetime day = {.has_date = true};
    odp_date_from_days(&day, days);
    if (t.nanos > 0) {
        int n = snprintf(fraction, sizeof fraction, ".%09u", (unsigned)t.nanos);
        while (n > 1 && fraction[n - 1] == '0')
            fraction[--n] = '\0';
    }
    return odp_arena_printf(a, "%04d-%02d-%02dT%02d%02d%02d%sZ", day.year, day.month, day.day,
                            (int)(rest / 60), (int)(rest % 60), t.second, fraction);
}

static bool below(const char *path, const char *prefix, const char *slug, const char *middle,
                  const char *name)
{
    size_t a = strlen(prefix), b = strlen(slug), c = strlen(middle), d = strlen(name);
    return strncmp(path, prefix, a) == 0 && strncmp(path + a, slug, b) == 0 &&
           strncmp(path + a + b, middle, c) == 0 && strncmp(path + a + b + c, name, d) == 0 &&
           path[a + b + c + d] == '/';
}

char *odp_version_next(const char *name, struct odp_arena *a)
{
    return odp_arena_printf(a, "%.*s.%lu", (int)base_len(name), name, correction_of(name) + 1);
}

int odp_version_compare_date(const char *name, const char *base)
{
    int order = odp_version_compare(name, base);
    bool same = base_len(name) == strlen(base) && strncmp(name, base, strlen(base)) == 0;
    return same ? 0 : order;
}

bool odp_version_owns(const char *path, const char *slug, const char *name)
{
    if (below(path, "data/", slug, "/", name) || below(path, "v1/", slug, "/v/", name) ||
        below(path, "search/", slug, "/", name))
        return true;
    /* v1/<slug>/<resource>/v/<version>/… */
    size_t n = strlen(slug);
    if (strncmp(path, "v1/", 3) != 0 || strncmp(path + 3, slug, n) != 0 || path[3 + n] != '/')
        return false;
    const char *resource = path + 3 + n + 1, *slash = strchr(resource, '/');
    size_t len = strlen(name);
    return slash != NULL && strncmp(slash, "/v/", 3) == 0 && strncmp(slash + 3, name, len) == 0 &&
           slash[3 + len] == '/';
}

/* ---- reading ---- */

static bool read_entry(struct odp_version *v, json_t *entry)
{
    const char *state = odp_json_text(entry, "state");
    v->json = entry;
    v->name = odp_json_text(entry, "version");
    v->date = odp_json_text(entry, "date");
    if (v->name == NULL || v->date == NULL || state == NULL ||
        !odp_doc_read_digest(entry, "digest", v->digest) || strlen(v->name) < DATE_LEN ||
        strspn(v->name, "0123456789-TZ.") != strlen(v->name))
        return false;
    /* A version's records are those of its main table; odp 0.1 once wrote those of all tables together. */
    json_t *rows = json_object_get(json_array_get(json_object_get(entry, "resources"), 0), "rows");
    if (rows != NULL)
        (void)json_object_set(entry, "rows", rows);
    for (v->state = ODP_VERSION_PUBLISHED; v->state <= ODP_VERSION_WITHDRAWN; v->state++)
        if (strcmp(state, odp_version_state_name(v->state)) == 0)
            return true;
    return false;
}

/* Room for one more than JSON has. */
static enum odp_status enter_all(struct odp_history *h, struct odp_arena *a)
{
    size_t n = json_array_size(h->json);
    h->versions = odp_arena_zero(a, n + 2, sizeof *h->versions);
    for (h->n = 0; h->n < n; h->n++) {
        struct odp_version *v = &h->versions[h->n];
        if (!read_entry(v, json_array_get(h->json, h->n)) ||
            (h->n > 0 && odp_version_compare(v[-1].name, v->name) <= 0))
            return ODP_BAD;
    }
    return ODP_OK;
}

enum odp_status odp_history_read(struct odp_history *h, const struct odp_site *site, const char *slug,
                                 struct odp_arena *a, struct odp_diags *diags)
{
    struct odp_buffer text = {0};
    *h = (struct odp_history){.slug = slug};
    const char *path = odp_arena_printf(a, "data/%s/versions.json", slug);
    const struct odp_site_file *f = site != NULL ? odp_site_find(site, path) : NULL;
    if (f == NULL) {
        h->json = json_array();
        return enter_all(h, a) != ODP_OK ? ODP_FAIL : ODP_DONE;
    }
    enum odp_status status = odp_site_read(site, f, &text, diags);
    if (status == ODP_OK) {
        json_t *root = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        h->json = json_incref(json_object_get(root, "data"));
        json_decref(root);
        status = json_is_array(h->json) ? enter_all(h, a) : ODP_BAD;
        if (status == ODP_BAD)
            status = odp_site_complain(diags, odp_site_shown(site), path, "{\"data\":[{\"version\":…}]}");
    }
    odp_buffer_release(&text);
    return status;
}

void odp_history_release(struct odp_history *h)
{
    json_decref(h->json);
    h->json = NULL;
}

struct odp_version *odp_history_current(const struct odp_history *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->versions[i].state == ODP_VERSION_PUBLISHED)
            return &h->versions[i];
    return NULL;
}

struct odp_version *odp_history_find(const struct odp_history *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->versions[i].name, name) == 0)
            return &h->versions[i];
    return NULL;
}

/* ---- changing ---- */

enum odp_status odp_history_add_take(struct odp_history *h, json_t *entry, struct odp_arena *a)
{
    (void)json_array_insert_new(h->json, 0, entry);
    return enter_all(h, a) == ODP_OK ? ODP_OK : odp_failure_set("write JSON", "versions.json", 0);
}

/* In every string of O the prefix FROM becomes TO. */
static void replace_prefix(json_t *o, const char *from, const char *to)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_string(o) && strncmp(json_string_value(o), from, strlen(from)) == 0) {
        json_t *fresh = json_sprintf("%s%s", to, json_string_value(o) + strlen(from));
        (void)json_string_set(o, json_string_value(fresh));
        json_decref(fresh);
    }
    json_object_foreach(o, key, value) replace_prefix(value, from, to);
    json_array_foreach(o, i, value) replace_prefix(value, from, to);
}

void odp_history_rename(struct odp_history *h, const char *from)
{
    struct odp_arena arena = {0};
    replace_prefix(h->json, odp_arena_printf(&arena, "../../data/%s/", from),
                   odp_arena_printf(&arena, "../../data/%s/", h->slug));
    odp_arena_release(&arena);
}

/* A tombstone keeps only what identifies the version. */
static void bury(struct odp_version *v, enum odp_version_state state)
{
    static const char *const kept[] = {"version", "date", "state", "digest", "release"};
    json_t *all = json_copy(v->json);
    json_object_clear(v->json);
    for (size_t i = 0; i < ODP_COUNT(kept); i++)
        (void)json_object_set(v->json, kept[i], json_object_get(all, kept[i]));
    json_decref(all);
    v->state = state;
    (void)json_object_set_new(v->json, "state", json_string(odp_version_state_name(state)));
}

void odp_version_thin(struct odp_version *v, const char *stands_in)
{
    if (v->state == ODP_VERSION_PUBLISHED)
        bury(v, ODP_VERSION_THINNED);
    (void)json_object_set_new(v->json, "stands_in", stands_in != NULL ? json_string(stands_in) : json_null());
}

void odp_version_withdraw(struct odp_version *v, const char *reason, json_t *note_take)
{
    bury(v, ODP_VERSION_WITHDRAWN);
    (void)json_object_set_new(v->json, "reason", json_string(reason));
    if (note_take != NULL)
        (void)json_object_set_new(v->json, "note", note_take);
}

/* ---- writing ---- */

static enum odp_status print(struct odp_buffer *out, const struct odp_history *h)
{
    const struct odp_version *current = odp_history_current(h);
    json_t *meta = json_pack("{s:s, s:I, s:s?}", "dataset", h->slug, "total", (json_int_t)h->n, "current",
                             current != NULL ? current->name : NULL);
    enum odp_status status = ODP_OK;
    odp_buffer_add_str(out, "{\"data\":[");
    for (size_t i = 0; i < h->n && status == ODP_OK; i++) {
        odp_buffer_add_str(out, i == 0 ? "\n" : ",\n");
        status = odp_doc_print(out, h->versions[i].json, ODP_DOC_LINE);
    }
    odp_buffer_add_str(out, "\n],\"status\":\"success\",\"meta\":");
    if (status == ODP_OK)
        status = odp_doc_print(out, meta, ODP_DOC_LINE);
    odp_buffer_add_str(out, ",\"links\":{\"self\":\"versions.json\"}}\n");
    json_decref(meta);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

enum odp_status odp_history_put(struct odp_stage *s, const struct odp_history *h)
{
    struct odp_arena arena = {0};
    struct odp_buffer out = {0};
    const char *public = odp_arena_printf(&arena, "data/%s/versions.json", h->slug);
    const char *keyed = odp_arena_printf(&arena, "v1/%s/versions.json", h->slug);
    enum odp_status status = print(&out, h);
    if (status == ODP_OK)
        status = odp_stage_put(s, public, "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    if (status == ODP_OK)
        status = odp_stage_put(s, keyed, "application/json", ODP_CLASS_KEYED, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    return status;
}
