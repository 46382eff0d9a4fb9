/* Any texts as a site whose news are told: its files ("@@ <path>" lines between them, of PATHS; "@@ filter"
 * is what a subscription asks for, "@@ json" the same as CQL2 JSON). A manifest that vouches for them is
 * made, and the lines of the log are chained anew, unless a first byte 1 says that it stays as it is. Every
 * event is told the same way twice, fits into a message of less than 20 kB that is JSON, and joins with the
 * one before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "service/webhooks/events/match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE "https://data.example.go.id/"

/* Sorted, as a manifest wants them. */
static const char *const paths[] = {"data/air/2024-03-15/air.csv",
                                    "data/air/2024-03-15/air.json",
                                    "data/air/2024-03-15/schema.json",
                                    "data/air/2024-04-01/air.csv",
                                    "data/air/2024-04-01/air.json",
                                    "data/air/2024-04-01/changes.json",
                                    "data/air/2024-04-01/schema.json",
                                    "data/air/versions.json",
                                    "releases.log",
                                    "v1/index.json"};
enum { PATHS = sizeof paths / sizeof *paths, LOG = 8 };

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz: %s (%s)\n", what, odp_failure_text());
    abort();
}

/* ---- the site ---- */

static struct odp_slice next_line(struct odp_slice *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    struct odp_slice line = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
    rest->ptr += line.len + (end != NULL);
    rest->len -= line.len + (end != NULL);
    return line;
}

/* PARTS by path; a ptr of NULL: not given. */
static void divide(struct odp_slice text, struct odp_slice *parts, struct odp_event_filter *filter,
                   struct odp_slice *asked)
{
    struct odp_slice *part = NULL;
    while (text.len > 0) {
        struct odp_slice line = next_line(&text),
                         name = line.len > 3 ? (struct odp_slice){line.ptr + 3, line.len - 3} : line;
        if (line.len <= 3 || memcmp(line.ptr, "@@ ", 3) != 0) {
            if (part != NULL)
                part->len = (size_t)(text.ptr - part->ptr);
            continue;
        }
        filter->json = filter->json || odp_slice_is(name, "json");
        part = odp_slice_is(name, "filter") || odp_slice_is(name, "json") ? asked : NULL;
        for (size_t i = 0; i < PATHS; i++)
            if (odp_slice_is(name, paths[i]))
                part = &parts[i];
        if (part != NULL)
            *part = (struct odp_slice){text.ptr, 0};
    }
}

/* Each line that is an object names the one before it. */
static void chain(struct odp_slice log, struct odp_buffer *out)
{
    uint8_t digest[ODP_SHA256_SIZE];
    char before[ODP_SHA256_HEX + 8];
    for (json_int_t n = 1; log.len > 0; n++) {
        struct odp_slice line = next_line(&log);
        json_t *o = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, NULL);
        size_t at = out->len;
        if (json_is_object(o)) {
            must(json_object_set_new(o, "n", json_integer(n)) == 0, "memory");
            must(json_object_set_new(o, "previous", n > 1 ? json_string(before) : json_null()) == 0,
                 "memory");
            char *text = json_dumps(o, JSON_COMPACT);
            must(text != NULL, "memory");
            odp_buffer_add_str(out, text);
            free(text);
        } else {
            odp_buffer_add_slice(out, line);
        }
        json_decref(o);
        must(odp_buffer_status(out) == ODP_OK &&
                 odp_digest_of(out->ptr + at, out->len - at, digest) == ODP_OK,
             "memory");
        memcpy(before, "sha256:", 7);
        odp_digest_hex(digest, before + 7);
        odp_buffer_add_char(out, '\n');
    }
}

static void write_site(const struct odp_slice *parts)
{
    struct odp_buffer manifest;
    const char *comma = "";
    odp_buffer_init(&manifest);
    odp_buffer_add_str(&manifest, "{\"files\":[");
    for (size_t i = 0; i < PATHS; i++) {
        uint8_t sha256[ODP_SHA256_SIZE];
        char hex[ODP_SHA256_HEX], path[96];
        if (parts[i].ptr == NULL)
            continue;
        snprintf(path, sizeof path, "site/%s", paths[i]);
        fuzz_write(fuzz_path(path), (const uint8_t *)parts[i].ptr, parts[i].len);
        must(odp_digest_of(parts[i].ptr, parts[i].len, sha256) == ODP_OK, "memory");
        odp_digest_hex(sha256, hex);
        odp_buffer_printf(&manifest,
                          "%s{\"path\":\"%s\",\"size\":%zu,\"sha256\":\"%s\",\"class\":\"public\",\"type\":"
                          "\"application/json\"}",
                          comma, paths[i], parts[i].len, hex);
        comma = ",";
    }
    odp_buffer_add_str(&manifest, "]}");
    must(odp_buffer_status(&manifest) == ODP_OK, "memory");
    fuzz_write(fuzz_path("site/manifest.json"), (const uint8_t *)manifest.ptr, manifest.len);
    odp_buffer_release(&manifest);
}

/* ---- what is told ---- */

static void check_message(enum odp_event_type type, const json_t *data, const json_t *match)
{
    struct odp_buffer out, again;
    json_error_t error;
    odp_buffer_init(&out);
    odp_buffer_init(&again);
    enum odp_status status = odp_event_message(&out, type, 1710468000123, data, match);
    must(status == ODP_OK || (status == ODP_FAIL && strstr(odp_failure_text(), "20 kB") != NULL), "message");
    if (status == ODP_OK) {
        must(out.len < ODP_EVENT_MESSAGE_MAX, "a message is too large");
        json_t *o = json_loadb(out.ptr, out.len, JSON_REJECT_DUPLICATES, &error);
        must(json_is_object(o) && json_is_object(json_object_get(o, "data")), error.text);
        json_decref(o);
        must(odp_event_message(&again, type, 1710468000123, data, match) == ODP_OK &&
                 odp_slice_eq(odp_buffer_slice(&out), odp_buffer_slice(&again)),
             "another message");
    }
    odp_buffer_release(&out);
    odp_buffer_release(&again);
    odp_failure_clear();
}

static void ask(const struct odp_site *site, const struct odp_event *e, const struct odp_event_filter *filter,
                struct odp_arena *a, struct odp_diags *diags)
{
    struct odp_event_filter_fault fault = {0};
    struct odp_event_match m = {false, NULL};
    enum odp_status status = odp_event_filter_check(site, e->dataset, filter, &fault, a, diags);
    must(status != ODP_FAIL, "check of a filter");
    must(status != ODP_BAD || fault.message.in[0] != NULL, "a fault of a filter without a word");
    must(odp_event_match(NULL, site, e->data, filter, 1, &m, a, diags) == ODP_OK && m.json != NULL, "match");
    must(m.relevant || json_is_true(json_object_get(m.json, "applied")), "not asked, and not told");
    check_message(e->type, e->data, m.json);
    odp_event_matches_release(&m, 1);
}

static bool joins(const struct odp_event *a, const struct odp_event *b)
{
    return a->type == b->type && odp_event_info(a->type)->coalesced && a->dataset != NULL &&
           b->dataset != NULL && strcmp(a->dataset, b->dataset) == 0;
}

static void tell(const struct odp_site *site, const struct odp_event_line *line, json_t **joined,
                 struct odp_event *last, const struct odp_event_filter *filter, struct odp_arena *a,
                 struct odp_diags *diags)
{
    struct odp_event_list list, again;
    must(odp_events_of_line(site, line, BASE, &list, a, diags) == ODP_OK, "a line");
    must(odp_events_of_line(site, line, BASE, &again, a, diags) == ODP_OK && list.n == again.n,
         "another line");
    for (size_t i = 0; i < list.n; i++) {
        const struct odp_event *e = &list.items[i];
        must(e->key != NULL && json_equal(e->data, again.items[i].data), "another event");
        check_message(e->type, e->data, NULL);
        if (filter->text != NULL &&
            (e->type == ODP_EVENT_VERSION_PUBLISHED || e->type == ODP_EVENT_CORRECTED))
            ask(site, e, filter, a, diags);
        if (*joined != NULL && joins(last, e)) {
            must(odp_event_merge(*joined, e->data) == ODP_OK, "join");
            check_message(e->type, *joined, NULL);
            continue;
        }
        json_decref(*joined);
        *joined = json_deep_copy(e->data);
        *last = *e;
        must(*joined != NULL, "memory");
    }
    odp_events_release(&list);
    odp_events_release(&again);
}

static void read_log(const struct odp_site *site, struct odp_slice log, const struct odp_event_filter *filter,
                     struct odp_diags *diags)
{
    struct odp_arena a;
    struct odp_event_line *lines;
    struct odp_event last = {0};
    json_t *joined = NULL;
    const char *why = NULL;
    size_t n, len = 0;
    odp_arena_init(&a);
    enum odp_status status = odp_events_lines(log, &lines, &n, &a, &why);
    must(status == ODP_OK || (status == ODP_BAD && why != NULL), "the log");
    for (size_t i = 0; status == ODP_OK && i < n; i++) {
        must(lines[i].n == i + 1 && lines[i].text.ptr == log.ptr + len, "a line is lost");
        len += lines[i].text.len + 1;
        tell(site, &lines[i], &joined, &last, filter, &a, diags);
    }
    must(status != ODP_OK || len == log.len, "a line is lost");
    json_decref(joined);
    odp_arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const folders[] = {"site/data/air/2024-03-15", "site/data/air/2024-04-01", "site/v1"};
    bool raw = size > 0 && data[0] == 1;
    struct odp_slice parts[PATHS] = {{NULL, 0}}, asked = {NULL, 0};
    struct odp_event_filter filter = {NULL, false};
    struct odp_buffer log, text;
    struct odp_diags *diags = NULL;
    struct odp_site *site = NULL;
    odp_buffer_init(&log);
    odp_buffer_init(&text);
    must(odp_diags_new(&diags, 5) == ODP_OK, "memory");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        must(odp_dir_make(fuzz_path(folders[i])) == ODP_OK, "folder");
    divide((struct odp_slice){(const char *)data + raw, size - raw}, parts, &filter, &asked);
    if (parts[LOG].ptr != NULL && !raw) {
        chain(parts[LOG], &log);
        parts[LOG] = odp_buffer_slice(&log);
    }
    if (asked.ptr != NULL) {
        odp_buffer_add(&text, asked.ptr, strnlen(asked.ptr, asked.len));
        filter.text = odp_buffer_cstr(&text);
    }
    write_site(parts);
    enum odp_status status = odp_site_open(&site, fuzz_path("site"), diags);
    must(status != ODP_FAIL, "open");
    if (status == ODP_OK && parts[LOG].ptr != NULL)
        read_log(site, parts[LOG], &filter, diags);
    fuzz_reports(diags);
    odp_site_close(site);
    odp_diags_free(diags);
    odp_buffer_release(&log);
    odp_buffer_release(&text);
    odp_failure_clear();
    return 0;
}
