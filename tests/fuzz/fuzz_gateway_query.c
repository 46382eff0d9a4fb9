/* Calls at the gateway's query door as lines of text, several of them divided by "\n--\n": METHOD TARGET (as
 * it comes, percent-encoded), then headers, an empty line, the body. "\x01" in it is a cursor to the second
 * page of /v1/kumuh?limit=5,
 * "\x02" its tag. Every body that says JSON must be JSON, every header must be one line, and no call may make
 * the service fail (500). */
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz.h"
#include "../unit/plain_index.h"
#include "service/dispatch.h"
#include "service/http/http.h"
#include "service/http/text.h"
#include "service/http/web.h"
#include "service/queries/queries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALLS = 8, RECORDS = 40, RESOURCES = 2 };
static struct odp_state state;
static struct odp_web *web;
static struct odp_service_options options;
static char folder[64], state_dir[80], site_dir[80], cursor[512], tag[64];
static const char *const resources[RESOURCES] = {NULL, "rinci"};

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", what, odp_failure_text());
    abort();
}

static void close_state(void)
{
    odp_web_free(web);
    check(odp_dir_remove(folder) == ODP_OK, "remove");
}

/* ---- a site with two small indexes ---- */

static void add_record(sqlite3 *db, const struct odp_search_info *info, int k)
{
    char kode[16], nama[32], luas[16];
    snprintf(kode, sizeof kode, "K-%03d", k);
    snprintf(nama, sizeof nama, k % 5 == 0 ? "Koma, %d%%" : "Kawasan %d", k);
    snprintf(luas, sizeof luas, "%d.5", k);
    pi_row(db, info, k, (const char *const[]){kode, k % 7 == 0 ? NULL : nama, luas, "2024-03-15"});
}

/* The tables with their records; closes DB. */
static void fill(sqlite3 *db, const char *resource)
{
    static struct odp_search_column columns[] = {
        {.name = "kode",
         .type = ODP_TYPE_STRING,
         .of_record = true,
         .required = true,
         .indexed = true,
         .scale = -1},
        {.name = "nama", .type = ODP_TYPE_STRING, .of_record = true, .scale = -1},
        {.name = "luas", .type = ODP_TYPE_NUMBER, .of_record = true, .required = true, .scale = 1},
        {.name = "tanggal", .type = ODP_TYPE_DATE, .of_record = true, .required = true, .scale = -1}};
    static uint32_t key[] = {0, 2};
    struct odp_search_info info = {.slug = "kumuh",
                                   .resource = resource,
                                   .version = "2024-03-15",
                                   .last_update = "2024-03-15",
                                   .columns = columns,
                                   .ncolumns = 4,
                                   .nfields = 4,
                                   .key = key,
                                   .nkey = resource != NULL ? 2 : 1,
                                   .datetime = {3, 3},
                                   .rows = RECORDS,
                                   .interval = {"2024-03-15", "2024-03-15"},
                                   ODP_SEARCH_NO_TIMELINE};
    struct odp_arena names;
    odp_arena_init(&names);
    pi_begin(db, &info, &names);
    for (int k = 1; k <= RECORDS; k++)
        add_record(db, &info, k);
    pi_end(db, &info);
    odp_arena_release(&names);
}

/* The index of RESOURCE; its path of the site into FILE. */
static void make_index(const char *resource, char file[200])
{
    char part[200], final[400], hex[ODP_SHA256_HEX];
    struct odp_file_info info;
    sqlite3 *db = NULL;
    snprintf(part, sizeof part, "%s/search/kumuh/2024-03-15/part", site_dir);
    check(sqlite3_open(part, &db) == SQLITE_OK, "open");
    fill(db, resource);
    check(odp_file_digest(part, &info) == ODP_OK, "digest");
    odp_digest_hex(info.sha256, hex);
    snprintf(file, 200, "search/kumuh/2024-03-15/kumuh%s%s-%.16s.sqlite", resource != NULL ? "-" : "",
             resource != NULL ? resource : "", hex);
    snprintf(final, sizeof final, "%s/%s", site_dir, file);
    check(rename(part, final) == 0, "rename");
}

static void make_site(void)
{
    char path[200], file[200];
    struct odp_buffer list;
    snprintf(path, sizeof path, "%s/search/kumuh/2024-03-15", site_dir);
    check(odp_dir_make(path) == ODP_OK, "folder");
    odp_buffer_init(&list);
    odp_buffer_add_str(
        &list,
        "{\"odp\":\"1\",\"release\":\"2.5.0\",\"base_url\":\"https://data.example.go.id/\",\"resources\":[");
    for (int i = 0; i < RESOURCES; i++) {
        make_index(resources[i], file);
        odp_buffer_printf(&list,
                          "%s{\"collection\":\"kumuh%s%s\",\"slug\":\"kumuh\",\"resource\":%s%s%s,\"title\":{"
                          "\"id\":\"Judul\","
                          "\"en\":\"Title\"},"
                          "\"version\":\"2024-03-15\",\"file\":\"%s\"}",
                          i > 0 ? "," : "", i > 0 ? "-" : "", i > 0 ? resources[i] : "", i > 0 ? "\"" : "",
                          i > 0 ? resources[i] : "null", i > 0 ? "\"" : "", file);
    }
    odp_buffer_add_str(&list, "]}");
    snprintf(path, sizeof path, "%s/search/index.json", site_dir);
    check(odp_file_put(path, odp_buffer_slice(&list), 0600, NULL) == ODP_OK, "list");
    odp_buffer_release(&list);
}

/* ---- calls ---- */

static struct odp_slice line_of(struct odp_slice *text)
{
    const char *end = text->len > 0 ? memchr(text->ptr, '\n', text->len) : NULL;
    struct odp_slice line = {text->ptr, end != NULL ? (size_t)(end - text->ptr) : text->len};
    size_t taken = line.len + (end != NULL);
    text->ptr += taken;
    text->len -= taken;
    return line;
}

static struct odp_slice word_of(struct odp_slice *line, char end)
{
    const char *at = line->len > 0 ? memchr(line->ptr, end, line->len) : NULL;
    struct odp_slice word = {line->ptr, at != NULL ? (size_t)(at - line->ptr) : line->len};
    size_t taken = word.len + (at != NULL);
    line->ptr += taken;
    line->len -= taken;
    return word;
}

static void read_header(struct odp_call *c, struct odp_slice line)
{
    struct odp_slice name = word_of(&line, ':'), value = odp_slice_trim(line);
    struct {
        const char *name;
        struct odp_slice *at;
    } known[] = {{"Accept", &c->accept},
                 {"Accept-Language", &c->accept_language},
                 {"If-None-Match", &c->if_none_match},
                 {"Content-Type", &c->content_type},
                 {"X-Odp-Account", &c->account},
                 {"X-Odp-Tier", &c->tier}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (odp_slice_is_nocase(name, known[i].name))
            *known[i].at = value;
}

static void check_headers(struct odp_slice headers)
{
    while (headers.len > 0) {
        struct odp_slice line = line_of(&headers), name = word_of(&line, ':');
        check(name.len > 0 && line.len > 0 && line.ptr[0] == ' ', "header");
        for (size_t i = 0; i < line.len; i++)
            check((unsigned char)line.ptr[i] >= 0x20 && line.ptr[i] != 0x7f, "header byte");
    }
}

static void answer(const struct odp_call *c, struct odp_answer *a)
{
    odp_answer_init(a);
    odp_http_answer(&state, c, a);
    check(a->status >= 200 && a->status < 600 && a->status != 500, "status");
    check(odp_buffer_status(&a->body) == ODP_OK && odp_buffer_status(&a->headers) == ODP_OK, "buffers");
    check_headers(odp_buffer_slice(&a->headers));
    if (strstr(a->content_type, "json") != NULL && a->body.len > 0) {
        json_t *doc = json_loadb(a->body.ptr, a->body.len, JSON_REJECT_DUPLICATES, NULL);
        check(json_is_object(doc), "json");
        json_decref(doc);
    }
}

static void run(struct odp_slice text)
{
    char path[8192];
    struct odp_slice line = line_of(&text);
    struct odp_call c = {.method = word_of(&line, ' '), .now = 1710468000, .door = ODP_DOOR_QUERY};
    struct odp_answer a;
    size_t n = 0;
    c.raw_path = word_of(&line, '?');
    if (c.raw_path.len > sizeof path || !odp_percent_decode(c.raw_path, path, &n))
        return;
    c.path = (struct odp_slice){path, n};
    c.query = line;
    for (line = line_of(&text); line.len > 0; line = line_of(&text))
        read_header(&c, line);
    c.body = text;
    answer(&c, &a);
    odp_answer_release(&a);
}

static void open_state(void)
{
    char why[ODP_WHY] = "";
    struct odp_call c = {.method = ODP_LIT("GET"),
                         .path = ODP_LIT("/v1/kumuh"),
                         .query = ODP_LIT("limit=5"),
                         .door = ODP_DOOR_QUERY};
    struct odp_answer a;
    snprintf(folder, sizeof folder, "%s/odp-fuzz-query-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    check(mkdtemp(folder) != NULL, "mkdtemp");
    snprintf(state_dir, sizeof state_dir, "%s/state", folder);
    snprintf(site_dir, sizeof site_dir, "%s/site", folder);
    check(mkdir(state_dir, 0700) == 0, "mkdir");
    make_site();
    options = (struct odp_service_options){.state_dir = state_dir,
                                           .query_threads = 1,
                                           .query_time = 5000,
                                           .query_key = "kunci",
                                           .machine = "fuzz"};
    check(odp_web_new(&web) == ODP_OK, "web");
    state = (struct odp_state){.options = &options, .web = web};
    check(odp_queries_new(&web->queries, &options, why) == ODP_OK, why);
    check(odp_queries_switch(web->queries, site_dir, 1710468000, why) == ODP_OK, why);
    answer(&c, &a);
    const char *next = strstr(odp_buffer_cstr(&a.headers), "cursor="),
               *etag = strstr(odp_buffer_cstr(&a.headers), "ETag: ");
    check(next != NULL && etag != NULL, "cursor");
    snprintf(cursor, sizeof cursor, "%.*s", (int)strcspn(next + 7, ">&"), next + 7);
    snprintf(tag, sizeof tag, "%.34s", etag + 6);
    odp_answer_release(&a);
    check(atexit(close_state) == 0, "atexit");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_buffer text;
    if (web == NULL)
        open_state();
    odp_buffer_init(&text);
    for (size_t i = 0; i < size; i++) {
        if (data[i] == 1 || data[i] == 2)
            odp_buffer_add_str(&text, data[i] == 1 ? cursor : tag);
        else
            odp_buffer_add_char(&text, (char)data[i]);
    }
    struct odp_slice rest = odp_buffer_slice(&text);
    for (int i = 0; i < CALLS && rest.len > 0; i++) {
        const char *cut = memmem(rest.ptr, rest.len, "\n--\n", 4);
        struct odp_slice one = {rest.ptr, cut != NULL ? (size_t)(cut - rest.ptr) : rest.len};
        size_t taken = one.len + (cut != NULL ? 4 : 0);
        rest.ptr += taken;
        rest.len -= taken;
        run(one);
    }
    odp_buffer_release(&text);
    odp_failure_clear();
    return 0;
}
