/* Sites with query indexes, made by hand: a list of records "kode,nama,luas" a resource, in builds beside one
 * another, and a service that answers queries about them without sockets. */
#pragma once

#include "gateway_http_fixture.h"
#include "plain_index.h"
#include "service/http/text.h"
#include "service/queries/queries.h"

struct site_index {
    const char *slug, *resource, *version;
    int first, last;   /* records have these numbers as keys */
    bool two_part_key; /* kode and nama */
    char file[200], id[ODP_SEARCH_ID + 1];
};

static inline const char *build_dir(const struct fixture *f, char digit)
{
    static char path[256];
    int n = snprintf(path, sizeof path, "%s/site.builds/", f->dir);
    memset(path + n, digit, 64);
    path[n + 64] = '\0';
    return path;
}

static inline void add_record(sqlite3 *db, const struct odp_search_info *info, int k)
{
    char kode[16], nama[48], luas[16];
    snprintf(kode, sizeof kode, "K-%03d", k);
    snprintf(nama, sizeof nama, k == 7 ? "Tujuh, 7%%" : "Kawasan %d", k);
    snprintf(luas, sizeof luas, "%d.5", k);
    pi_row(db, info, k, (const char *const[]){kode, nama, luas});
}

/* The tables of X with their records; closes DB. */
static inline void fill(sqlite3 *db, const struct site_index *x)
{
    static struct odp_search_column columns[] = {
        {.name = "kode",
         .type = ODP_TYPE_STRING,
         .of_record = true,
         .required = true,
         .indexed = true,
         .scale = -1},
        {.name = "nama", .type = ODP_TYPE_STRING, .of_record = true, .required = true, .scale = -1},
        {.name = "luas", .type = ODP_TYPE_NUMBER, .of_record = true, .required = true, .scale = 1}};
    static uint32_t key[] = {0, 1};
    struct odp_search_info info = {
        .slug = x->slug,
        .resource = x->resource,
        .version = x->version,
        .last_update = x->version,
        .columns = columns,
        .ncolumns = 3,
        .nfields = 3,
        .key = key,
        .nkey = x->two_part_key ? 2 : 1,
        .datetime = {-1, -1},
        .rows = (uint64_t)(x->last - x->first + 1),
        ODP_SEARCH_NO_TIMELINE,
    };
    struct odp_arena names = {0};
    pi_begin(db, &info, &names);
    for (int k = x->first; k <= x->last; k++)
        add_record(db, &info, k);
    pi_end(db, &info);
    odp_arena_release(&names);
}

/* The index file in DIR; its place and id into X. */
static inline void make_index(const char *dir, struct site_index *x)
{
    char path[600], final[600], hex[ODP_SHA256_HEX];
    struct odp_file_info file;
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s/search/%s/%s", dir, x->slug, x->version);
    must(odp_dir_make(path));
    snprintf(path + strlen(path), 20, "/part");
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    fill(db, x);
    must(odp_file_digest(path, &file));
    odp_digest_hex(file.sha256, hex);
    memcpy(x->id, hex, ODP_SEARCH_ID);
    x->id[ODP_SEARCH_ID] = '\0';
    snprintf(x->file, sizeof x->file, "search/%s/%s/%s%s%s-%.*s.sqlite", x->slug, x->version, x->slug,
             x->resource != NULL ? "-" : "", odp_or_empty(x->resource), ODP_SEARCH_ID, hex);
    snprintf(final, sizeof final, "%s/%s", dir, x->file);
    assert_int_equal(rename(path, final), 0);
}

/* The build DIR with these indexes, and search/index.json. WITHDRAWN: a JSON array. */
static inline void make_site(const char *dir, struct site_index *list, size_t n, const char *release,
                             const char *withdrawn)
{
    char path[400];
    json_t *resources = json_array();
    for (size_t i = 0; i < n; i++) {
        struct site_index *x = &list[i];
        make_index(dir, x);
        char *collection = NULL;
        assert_true(asprintf(&collection, "%s%s%s", x->slug, x->resource != NULL ? "-" : "",
                             x->resource != NULL ? x->resource : "") > 0);
        json_array_append_new(resources,
                              json_pack("{s:s, s:s, s:o, s:{s:s, s:s}, s:s, s:s, s:s, s:i}", "collection",
                                        collection, "slug", x->slug, "resource",
                                        x->resource != NULL ? json_string(x->resource) : json_null(), "title",
                                        "id", "Judul", "en", "Title", "version", x->version, "last_update",
                                        x->version, "file", x->file, "rows", x->last - x->first + 1));
        free(collection);
    }
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o}", "odp", "1", "release", release, "base_url",
                             "https://data.example.go.id/", "resources", resources, "withdrawn",
                             json_loads(withdrawn, 0, NULL));
    char *text = json_dumps(root, 0);
    assert_non_null(text);
    snprintf(path, sizeof path, "%s/search/index.json", dir);
    put_text(path, text);
    free(text);
    json_decref(root);
}

#define SITE_ONE                                                                                             \
    {                                                                                                        \
        {"kumuh", NULL, "2024-03-15", 1, 25, false, "", ""},                                                 \
            {"proyek", NULL, "2024-03-15", 1, 3, false, "", ""},                                             \
        {                                                                                                    \
            "proyek", "timeline", "2024-03-15", 5, 9, true, "", ""                                           \
        }                                                                                                    \
    }

static inline struct odp_queries *queries_of(struct fixture *f)
{
    return f->s.web->queries;
}

static inline void open_queries(struct fixture *f)
{
    char why[ODP_WHY] = "";
    if (odp_queries_new(&f->s.web->queries, &f->options, why) != ODP_OK)
        fail_msg("odp_queries_new: %s %s", why, odp_failure_text());
}

static inline void close_queries(struct fixture *f)
{
    odp_queries_free(f->s.web->queries);
    f->s.web->queries = NULL;
}

static inline void switch_to(struct fixture *f, const char *dir, int64_t now)
{
    char why[ODP_WHY] = "";
    if (odp_queries_switch(queries_of(f), dir, now, why) != ODP_OK)
        fail_msg("odp_queries_switch: %s %s", why, odp_failure_text());
}

static inline int query_setup(void **state)
{
    struct site_index one[] = SITE_ONE;
    struct fixture *f = malloc(sizeof *f);
    assert_non_null(f);
    fixture_open(f);
    f->options.query_threads = 2;
    f->call.door = ODP_DOOR_QUERY;
    f->call.account = ODP_LIT("7");
    f->call.tier = ODP_LIT("public");
    open_queries(f);
    make_site(build_dir(f, 'a'), one, 3, "2.5.0", "[]");
    switch_to(f, build_dir(f, 'a'), FIXTURE_NOW);
    *state = f;
    return 0;
}

/* METHOD and TARGET as they come, with BODY (NULL: none). */
static inline int ask(struct fixture *f, const char *method, const char *target, const char *body)
{
    char path[8192];
    struct odp_call c = f->call;
    size_t raw = strcspn(target, "?"), n = 0;
    assert_true(raw < sizeof path);
    c.method = odp_slice_of(method);
    c.raw_path = (struct odp_slice){target, raw};
    c.query = odp_slice_of(target[raw] == '?' ? target + raw + 1 : "");
    c.path = odp_percent_decode(c.raw_path, path, &n) ? (struct odp_slice){path, n} : c.raw_path;
    c.body = odp_slice_of(body != NULL ? body : "");
    if (body != NULL && c.content_type.len == 0)
        c.content_type = ODP_LIT("application/json");
    return fixture_run(f, &c);
}

static inline int get(struct fixture *f, const char *target)
{
    return ask(f, "GET", target, NULL);
}

/* The values of "kode" of the answer's records, divided by blanks. */
static inline const char *codes(const struct fixture *f)
{
    static char out[4096];
    const json_t *data = json_object_get(f->doc, "data");
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < json_array_size(data); i++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s", i > 0 ? " " : "",
                              json_string_value(json_object_get(json_array_get(data, i), "kode")));
    return out;
}

/* The link of REL, as an address: it is relative to TARGET. */
static inline const char *link_of(const struct fixture *f, const char *target, const char *rel)
{
    static char out[4096];
    const char *href = json_string_value(json_object_get(json_object_get(f->doc, "links"), rel));
    if (href == NULL)
        return NULL;
    size_t n = strcspn(target, "?");
    while (n > 0 && target[n - 1] != '/')
        n--;
    snprintf(out, sizeof out, "%.*s%s", (int)n, target, href);
    return out;
}
