/* The body that is signed and sent, always below the size that receivers are promised.
 *
 * Left out until it fits, in this order: keys of the records, keys that a filter found, older versions and
 * their differences, the rest of long words, tables. The versions' own files, which the message names, have
 * all of it. */
#include <time.h>

#include "base/utf8.h"
#include "base/json_load.h"
#include "published/doc.h"
#include "service/webhooks/events/events_internal.h"

static const char *type_name(enum odp_event_type type)
{
    return odp_event_info(type)->name;
}

static bool has_match(enum odp_event_type type)
{
    return type == ODP_EVENT_VERSION_PUBLISHED || type == ODP_EVENT_CORRECTED;
}

/* "2026-11-22T13:00:00.000Z"; false: not of the years 0001 to 9999. */
static bool write_time(int64_t time, char out[64])
{
    struct tm t;
    time_t seconds = (time_t)(time / 1000 - (time % 1000 < 0));
    if (gmtime_r(&seconds, &t) == NULL || t.tm_year < 1 - 1900 || t.tm_year > 9999 - 1900)
        return false;
    (void)snprintf(out, 64, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                   t.tm_hour, t.tm_min, t.tm_sec, (int)(time - (int64_t)seconds * 1000));
    return true;
}

static enum odp_status print(struct odp_buffer *out, enum odp_event_type type, int64_t time,
                             const json_t *data, const json_t *match)
{
    char text[64];
    if (!write_time(time, text))
        return odp_failure_set("write the time of an event", NULL, 0);
    json_t *shown = json_copy((json_t *)(uintptr_t)data); /* the members of its members are shared */
    if (has_match(type))
        (void)json_object_set(shown, "match", match != NULL ? (json_t *)(uintptr_t)match : json_null());
    json_t *doc = json_pack("{s:s, s:s, s:o}", "type", type_name(type), "timestamp", text, "data", shown);
    enum odp_status status = odp_doc_print(out, doc, ODP_DOC_LINE);
    json_decref(doc);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

/* ---- what is too large ---- */

static void drop_keys(json_t *o)
{
    json_t *one;
    size_t i;
    json_array_foreach(json_object_get(o, "resources"), i, one)
    {
        if (json_object_get(one, "keys") != NULL)
            (void)json_object_set_new(one, "keys", json_null());
    }
}

/* Drops the oldest eighth of the versions, never the last, with the differences that led to them. False:
 * there was none. */
static bool drop_older(json_t *data)
{
    json_t *versions = json_object_get(data, "versions"), *one;
    size_t n = json_array_size(versions), gone = n > 1 ? (n + 6) / 8 : 0, i;
    json_int_t before = json_integer_value(json_object_get(data, "versions_left_out"));
    for (size_t k = 0; k < gone; k++)
        (void)json_array_remove(versions, 0);
    json_array_foreach(json_object_get(data, "resources"), i, one)
    {
        json_t *changes = json_object_get(one, "changes");
        while (json_array_size(changes) > n - gone)
            (void)json_array_remove(changes, 0);
    }
    if (gone > 0)
        (void)json_object_set_new(data, "versions_left_out", json_integer(before + (json_int_t)gone));
    return gone > 0;
}

/* S up to MAX characters. */
static json_t *shorten(const char *s, size_t max)
{
    size_t len = strlen(s), at = 0;
    for (size_t n = 0; n < max && at < len; n++) {
        uint32_t c;
        size_t used = odp_utf8_decode(s + at, len - at, &c);
        at += used > 0 ? used : 1;
    }
    return at < len ? json_sprintf("%.*s…", (int)at, s) : json_string(s);
}

/* Texts in both languages, however deep. */
static void shorten_texts(json_t *o, size_t max)
{
    static const char *const langs[] = {"id", "en"};
    const char *key;
    json_t *value;
    size_t i;
    for (size_t k = 0; k < 2; k++) {
        const char *text = odp_json_text(o, langs[k]);
        if (text != NULL)
            (void)json_object_set_new(o, langs[k], shorten(text, max));
    }
    json_object_foreach(o, key, value) shorten_texts(value, max);
    json_array_foreach(o, i, value) shorten_texts(value, max);
}

struct cutting {
    struct odp_buffer *out;
    size_t from; /* where the message begins in it */
    enum odp_event_type type;
    int64_t time;
    json_t *data, *match; /* copies; MATCH may be NULL */
};

/* OK: it fits now. DONE: not yet. */
static enum odp_status print_again(struct cutting *c)
{
    c->out->len = c->from;
    enum odp_status status = print(c->out, c->type, c->time, c->data, c->match);
    return status == ODP_OK && c->out->len - c->from >= ODP_EVENT_MESSAGE_MAX ? ODP_DONE : status;
}

static enum odp_status cut(struct cutting *c)
{
    drop_keys(c->data);
    enum odp_status status = print_again(c);
    if (status == ODP_DONE) {
        drop_keys(c->match);
        status = print_again(c);
    }
    while (status == ODP_DONE && drop_older(c->data))
        status = print_again(c);
    for (size_t max = 1000; status == ODP_DONE && max >= 100; max /= 3) {
        shorten_texts(c->data, max);
        shorten_texts(c->match, max);
        status = print_again(c);
    }
    json_t *lists[] = {json_object_get(c->data, "resources"), json_object_get(c->match, "resources")};
    for (size_t i = 0; i < 2; i++)
        while (status == ODP_DONE && json_array_size(lists[i]) > 0) {
            (void)json_array_remove(lists[i], json_array_size(lists[i]) - 1);
            status = print_again(c);
        }
    return status == ODP_DONE ? odp_failure_set("write an event of less than 20 kB", type_name(c->type), 0)
                              : status;
}

enum odp_status odp_event_message(struct odp_buffer *out, enum odp_event_type type, int64_t time,
                                  const json_t *data, const json_t *match)
{
    size_t from = out->len;
    enum odp_status status = print(out, type, time, data, match);
    if (status == ODP_OK && out->len - from >= ODP_EVENT_MESSAGE_MAX) {
        struct cutting c = {out, from, type, time, json_deep_copy(data), json_deep_copy(match)};
        status = cut(&c);
        json_decref(c.match);
        json_decref(c.data);
    }
    if (status != ODP_OK)
        out->len = from;
    return status;
}
