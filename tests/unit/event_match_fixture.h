/* For the tests of tools/odp-gateway/service/webhooks/events/match.c: sites that the pipeline builds in a
 * temporary folder, and what a filter found in them. Included by one program each. */
#pragma once
#include "run.h"
#include <unistd.h>

#include <jansson.h>

#include "run/run.h"
#include "service/webhooks/events/match_internal.h"

#define PORTAL                                                                                               \
    "{\"title\": \"Portal\", \"publisher\": {\"id\": \"Kementerian\", \"en\": \"Ministry\"}, \"baseUrl\": "  \
    "\"https://data.example.go.id/\", \"odp:severity\": {\"catalog-undescribed\": \"off\"}}"

/* ---- a site ---- */

struct world {
    char dir[FRESH_FOLDER];
    unsigned releases;
    struct odp_site *site;
    struct odp_arena arena;
    struct odp_diags *diags;
    struct odp_event_match *out;
    size_t n;
};

static inline void path_of(const struct world *w, const char *path, char out[512])
{
    assert_true(snprintf(out, 512, "%s/%s", w->dir, path) < 512);
}

static inline void put(const struct world *w, const char *path, const char *text, size_t len)
{
    put_below(w->dir, path, text, len);
}

static inline struct odp_buffer get(const struct world *w, const char *path)
{
    char full[512];
    struct odp_buffer b = {0};
    path_of(w, path, full);
    must(odp_file_read(full, 64 << 20, &b, NULL));
    return b;
}

/* A release for whatever changes: each is a major one. */
static inline void put_release(struct world *w)
{
    char text[256];
    int n = snprintf(text, sizeof text,
                     "{\"releases\": [{\"version\": \"%u.0.0\", \"date\": \"2024-01-01\", \"changes\": "
                     "[{\"id\": \"Perubahan\", \"en\": \"Changes\"}]}]}",
                     ++w->releases);
    put(w, "catalog/changes.json", text, (size_t)n);
}

static inline void world_init(struct world *w)
{
    *w = (struct world){0};
    fresh_folder(w->dir, "match");
    odp_arena_init(&w->arena);
    must(odp_diags_new(&w->diags, 10));
    put(w, "catalog/portal.json", PORTAL, strlen(PORTAL));
}

static inline void forget(struct world *w)
{
    odp_event_matches_release(w->out, w->n);
    w->n = 0;
}

static inline void world_release(struct world *w)
{
    forget(w);
    odp_site_close(w->site);
    odp_diags_free(w->diags);
    odp_arena_release(&w->arena);
    must(odp_dir_remove(w->dir));
}

static inline void reopen(struct world *w)
{
    char out[512];
    path_of(w, "site", out);
    odp_site_close(w->site);
    w->site = NULL;
    must(odp_site_open(&w->site, out, w->diags));
}

static inline void build(struct world *w)
{
    char catalog[512], out[512];
    struct odp_run run = {0};
    path_of(w, "catalog", catalog);
    path_of(w, "site", out);
    put_release(w);
    const struct odp_options options = {
        .catalog = catalog, .out = out, .today = "2025-06-01", .jobs = 1, .examples = 3};
    enum odp_status status = odp_run_build(&run, &options);
    if (status != ODP_OK) {
        size_t n = 0;
        const struct odp_diag_group *const *groups =
            run.diags != NULL ? odp_diags_groups(run.diags, &n) : NULL;
        for (size_t i = 0; i < n; i++) {
            const struct odp_diag *d = &groups[i]->examples->diag;
            print_error("%s %s %s: %.*s %.*s\n", odp_code_info(groups[i]->code)->code,
                        d->dataset != NULL ? d->dataset : "", d->field != NULL ? d->field : "",
                        (int)d->value.len, d->value.ptr != NULL ? d->value.ptr : "", (int)d->args[0].len,
                        d->args[0].ptr != NULL ? d->args[0].ptr : "");
        }
        fail_msg("build: %s", odp_failure_text());
    }
    odp_run_release(&run);
    reopen(w);
}

/* A dataset of one CSV table, or of two. */
struct table {
    const char *name, *fields, *key, *csv, *more;
};
/* What may go needs to have been announced. */
#define GOING                                                                                                \
    ", \"odp:deprecated\": \"2024-01-01\", \"odp:sunset\": \"2024-06-30\", \"odp:replacedBy\": null, "       \
    "\"odp:note\": {\"id\": "                                                                                \
    "\"Diganti\", \"en\": \"Replaced\"}"

static inline void put_dataset(const struct world *w, const char *slug, const char *date,
                               const struct table *tables, size_t n)
{
    struct odp_buffer json = {0};
    char path[256];
    odp_buffer_printf(
        &json,
        "{\"$schema\": \"https://datapackage.org/profiles/2.0/datapackage.json\", \"name\": \"%s\", "
        "\"title\": \"Uji\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"%s\", \"resources\": [",
        slug, date);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_printf(&json,
                          "%s{\"name\": \"%s\", \"type\": \"table\", \"path\": \"%s.csv\"%s%s, \"schema\": "
                          "{\"fields\": [%s]%s%s%s}}",
                          i > 0 ? "," : "", tables[i].name, tables[i].name,
                          i == 0
                              ? ", \"odp:queryables\": [{\"name\": \"awal\", \"field\": \"kode\", "
                                "\"prefix\": 2}, {\"name\": \"huruf\", \"field\": \"awal\", \"prefix\": 1}]"
                              : "",
                          tables[i].more != NULL ? tables[i].more : "", tables[i].fields,
                          tables[i].key != NULL ? ", \"primaryKey\": [" : "",
                          tables[i].key != NULL ? tables[i].key : "", tables[i].key != NULL ? "]" : "");
        snprintf(path, sizeof path, "catalog/%s/%s.csv", slug, tables[i].name);
        put(w, path, tables[i].csv, strlen(tables[i].csv));
    }
    odp_buffer_add_str(&json, "]}");
    must(odp_buffer_status(&json));
    snprintf(path, sizeof path, "catalog/%s/dataset.json", slug);
    put(w, path, json.ptr, json.len);
    odp_buffer_release(&json);
}

/* VERSIONS: oldest first, ended by NULL. */
static inline void match(struct world *w, const char *slug, const char *const *versions,
                         const struct odp_event_filter *filters, size_t n)
{
    json_t *data = json_pack("{s:s, s:[]}", "dataset", slug, "versions");
    for (size_t i = 0; versions[i] != NULL; i++)
        json_array_append_new(json_object_get(data, "versions"), json_string(versions[i]));
    forget(w);
    w->out = odp_arena_zero(&w->arena, n + 1, sizeof *w->out);
    w->n = n;
    must(odp_event_match(&(struct odp_event_matching){NULL, w->site, data, &w->arena, w->diags}, filters, n,
                         w->out));
    json_decref(data);
}

static inline void match_one(struct world *w, const char *slug, const char *version, const char *filter)
{
    match(w, slug, (const char *const[]){version, NULL}, &(struct odp_event_filter){filter, filter[0] == '{'},
          1);
}

/* Gives a filter's finding: a resource is "NAME ADDED REMOVED CHANGED null", or with keys "… +a,b -c ~d", and
 * more than one are joined by "|". A filter that was not applied says why, in both languages. */
static inline void tell_match(const struct odp_event_match *m, struct odp_buffer *out)
{
    static const char *const counts[] = {"added", "removed", "changed"};
    static const char signs[] = "+-~";
    const json_t *resource, *key, *why = json_object_get(m->json, "why");
    json_int_t sum = 0;
    size_t at, k;
    assert_int_equal(json_is_true(json_object_get(m->json, "applied")), why == NULL);
    assert_int_equal(json_object_size(m->json), 2);
    if (why != NULL)
        odp_buffer_printf(out, "%s / %s", json_string_value(json_object_get(why, "id")),
                          json_string_value(json_object_get(why, "en")));
    json_array_foreach(json_object_get(m->json, "resources"), at, resource)
    {
        const json_t *keys = json_object_get(resource, "keys");
        odp_buffer_printf(out, "%s%s", at > 0 ? "|" : "",
                          json_string_value(json_object_get(resource, "name")));
        for (size_t c = 0; c < 3; c++) {
            const json_int_t n = json_integer_value(json_object_get(resource, counts[c]));
            odp_buffer_printf(out, " %lld", (long long)n);
            sum += n;
        }
        if (json_is_null(keys))
            odp_buffer_add_str(out, " null");
        for (size_t c = 0; c < 3 && json_is_object(keys); c++) {
            odp_buffer_printf(out, " %c", signs[c]);
            json_array_foreach(json_object_get(keys, counts[c]), k, key)
                odp_buffer_printf(out, "%s%s", k > 0 ? "," : "", json_string_value(key));
        }
    }
    assert_int_equal(m->relevant, why != NULL || sum > 0);
    odp_buffer_add_char(out, '\n');
}

static inline void expect_found(const struct world *w, size_t i, const char *want)
{
    struct odp_buffer got = {0};
    tell_match(&w->out[i], &got);
    got.ptr[--got.len] = '\0';
    assert_string_equal(odp_buffer_cstr(&got), want);
    odp_buffer_release(&got);
}

/* It was not applied; both reasons have their word. */
static inline void expect_unknown(const struct world *w, size_t i, const char *id, const char *en)
{
    struct odp_buffer got = {0};
    assert_non_null(json_object_get(w->out[i].json, "why"));
    tell_match(&w->out[i], &got);
    const char *said = odp_buffer_cstr(&got), *other = strstr(said, " / ");
    if (strstr(said, id) == NULL || strstr(said, id) > other || strstr(other, en) == NULL)
        fail_msg("%s", said);
    odp_buffer_release(&got);
}
