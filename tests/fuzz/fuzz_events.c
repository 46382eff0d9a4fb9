/* Any texts as a site whose events are derived: its files ("@@ <path>" lines between them, of PATHS; "@@
 * filter" is what a subscription asks for, "@@ json" the same as CQL2 JSON). A manifest that vouches for
 * them is made, and the lines of the log are chained anew, unless a first byte 1 says that it stays as it
 * is. Every event is the same twice, fits into a JSON message of less than 20 kB, and joins with the one
 * before it. */
#include <stdio.h>

#include "fuzz.h"
#include "service/webhooks/events/match.h"

#define BASE "https://data.example.go.id/"

/* In the order of their paths; then what a subscription asks for, in two forms. */
enum { LOG = 8, FILTER = 10, FILTER_JSON, PARTS };
static const struct fuzz_site_file site_files[PARTS] = {
    {"data/air/2024-03-15/air.csv", "public", {NULL, 0}},
    {"data/air/2024-03-15/air.json", "public", {NULL, 0}},
    {"data/air/2024-03-15/schema.json", "public", {NULL, 0}},
    {"data/air/2024-04-01/air.csv", "public", {NULL, 0}},
    {"data/air/2024-04-01/air.json", "public", {NULL, 0}},
    {"data/air/2024-04-01/changes.json", "public", {NULL, 0}},
    {"data/air/2024-04-01/schema.json", "public", {NULL, 0}},
    {"data/air/versions.json", "public", {NULL, 0}},
    {"releases.log", "public", {NULL, 0}},
    {"v1/index.json", "public", {NULL, 0}},
    {"filter", NULL, {NULL, 0}},
    {"json", NULL, {NULL, 0}}};

/* ---- the site ---- */

/* Each line that is an object names the one before it. */
static void chain(struct odp_slice log, struct odp_buffer *out)
{
    uint8_t digest[ODP_SHA256_SIZE];
    char before[ODP_SHA256_HEX + 8];
    for (json_int_t n = 1; log.len > 0; n++) {
        struct odp_slice line = fuzz_line(&log);
        json_t *o = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, NULL);
        size_t at = out->len;
        if (json_is_object(o)) {
            NEED(json_object_set_new(o, "n", json_integer(n)) == 0);
            NEED(json_object_set_new(o, "previous", n > 1 ? json_string(before) : json_null()) == 0);
            char *text = json_dumps(o, JSON_COMPACT);
            NEED(text != NULL);
            odp_buffer_add_str(out, text);
            free(text);
        } else {
            odp_buffer_add_slice(out, line);
        }
        json_decref(o);
        NEED(odp_buffer_status(out) == ODP_OK &&
             odp_digest_of(out->ptr + at, out->len - at, digest) == ODP_OK);
        memcpy(before, "sha256:", 7);
        odp_digest_hex(digest, before + 7);
        odp_buffer_add_char(out, '\n');
    }
}

/* ---- events ---- */

static void check_message(enum odp_event_type type, const json_t *data, const json_t *match)
{
    struct odp_buffer out = {0}, again = {0};
    json_error_t error;
    enum odp_status status = odp_event_message(&out, type, 1710468000123, data, match);
    NEED(status == ODP_OK || (status == ODP_FAIL && strstr(odp_failure_text(), "20 kB") != NULL));
    if (status == ODP_OK) {
        NEED(out.len < ODP_EVENT_MESSAGE_MAX);
        json_t *o = json_loadb(out.ptr, out.len, JSON_REJECT_DUPLICATES, &error);
        NEED(json_is_object(o) && json_is_object(json_object_get(o, "data")));
        json_decref(o);
        NEED(odp_event_message(&again, type, 1710468000123, data, match) == ODP_OK &&
             odp_slice_eq(odp_buffer_slice(&out), odp_buffer_slice(&again)));
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
    NEED(status != ODP_FAIL);
    NEED(status != ODP_BAD || fault.message.in[0] != NULL);
    NEED(odp_event_match(&(struct odp_event_matching){NULL, site, e->data, a, diags}, filter, 1, &m) ==
             ODP_OK &&
         m.json != NULL);
    NEED(m.relevant || json_is_true(json_object_get(m.json, "applied")));
    check_message(e->type, e->data, m.json);
    odp_event_matches_release(&m, 1);
}

static bool joins(const struct odp_event *a, const struct odp_event *b)
{
    return a->type == b->type && odp_event_info(a->type)->coalesced && a->dataset != NULL &&
           b->dataset != NULL && strcmp(a->dataset, b->dataset) == 0;
}

/* Joined events. */
struct joined {
    json_t *data; /* NULL: none yet */
    struct odp_event last;
};

static void tell(const struct odp_site *site, const struct odp_event_line *line, struct joined *joined,
                 const struct odp_event_filter *filter, struct odp_arena *a, struct odp_diags *diags)
{
    struct odp_event_list list, again;
    NEED(odp_events_of_line(site, line, BASE, &list, a, diags) == ODP_OK);
    NEED(odp_events_of_line(site, line, BASE, &again, a, diags) == ODP_OK && list.n == again.n);
    for (size_t i = 0; i < list.n; i++) {
        const struct odp_event *e = &list.items[i];
        NEED(e->key != NULL && json_equal(e->data, again.items[i].data));
        check_message(e->type, e->data, NULL);
        if (filter->text != NULL &&
            (e->type == ODP_EVENT_VERSION_PUBLISHED || e->type == ODP_EVENT_CORRECTED))
            ask(site, e, filter, a, diags);
        if (joined->data != NULL && joins(&joined->last, e)) {
            NEED(odp_event_merge(joined->data, e->data) == ODP_OK);
            check_message(e->type, joined->data, NULL);
            continue;
        }
        json_decref(joined->data);
        joined->data = json_deep_copy(e->data);
        joined->last = *e;
        NEED(joined->data != NULL);
    }
    odp_events_release(&list);
    odp_events_release(&again);
}

static void read_log(const struct odp_site *site, struct odp_slice log, const struct odp_event_filter *filter,
                     struct odp_diags *diags)
{
    struct odp_arena a;
    struct odp_event_line *lines;
    struct joined joined = {0};
    const char *why = NULL;
    size_t n, len = 0;
    odp_arena_init(&a);
    enum odp_status status = odp_events_lines(log, &lines, &n, &a, &why);
    NEED(status == ODP_OK || (status == ODP_BAD && why != NULL));
    for (size_t i = 0; status == ODP_OK && i < n; i++) {
        NEED(lines[i].n == i + 1 && lines[i].text.ptr == log.ptr + len);
        len += lines[i].text.len + 1;
        tell(site, &lines[i], &joined, filter, &a, diags);
    }
    NEED(status != ODP_OK || len == log.len);
    json_decref(joined.data);
    odp_arena_release(&a);
}

void fuzz_one(struct odp_slice in)
{
    struct fuzz_site_file files[PARTS];
    struct odp_event_filter filter = {NULL, false};
    struct odp_buffer log = {0}, text = {0};
    struct odp_diags *diags = fuzz_diags();
    struct odp_site *site = NULL;
    bool raw = fuzz_choice(&in, 1) == 1;
    memcpy(files, site_files, sizeof files);
    fuzz_site_parts(in, files, PARTS);
    if (files[LOG].bytes.ptr != NULL && !raw) {
        chain(files[LOG].bytes, &log);
        files[LOG].bytes = odp_buffer_slice(&log);
    }
    filter.json = files[FILTER_JSON].bytes.ptr != NULL;
    struct odp_slice asked = files[filter.json ? FILTER_JSON : FILTER].bytes;
    if (asked.ptr != NULL) {
        odp_buffer_add(&text, asked.ptr, strnlen(asked.ptr, asked.len));
        filter.text = odp_buffer_cstr(&text);
    }
    fuzz_site_write(files, FILTER);
    enum odp_status status = odp_site_open(&site, fuzz_path("site"), diags);
    NEED(status != ODP_FAIL);
    if (status == ODP_OK && files[LOG].bytes.ptr != NULL)
        read_log(site, files[LOG].bytes, &filter, diags);
    fuzz_reports(diags);
    odp_site_close(site);
    odp_diags_free(diags);
    odp_buffer_release(&log);
    odp_buffer_release(&text);
}
