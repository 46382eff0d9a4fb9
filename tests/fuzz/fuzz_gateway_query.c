/* Calls at the gateway's query door (gateway_calls.h). "\x01" in a call is a cursor to the second page of
 * /v1/kumuh?limit=5, "\x02" its tag. */
#include <sqlite3.h>
#include <sys/stat.h>

#include "../unit/plain_index.h"
#include "gateway_calls.h"
#include "service/queries/queries.h"

enum { RECORDS = 40, RESOURCES = 2 };
static struct odp_state state;
static struct odp_web *web;
static struct odp_service_options options;
static char state_dir[80], site_dir[80], cursor[512], tag[64];
static const char *const resources[RESOURCES] = {NULL, "rinci"};

static void close_state(void)
{
    odp_web_free(web);
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
    struct odp_search_info info = {
        .slug = "kumuh",
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
        ODP_SEARCH_NO_TIMELINE,
    };
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
    NEED(sqlite3_open(part, &db) == SQLITE_OK);
    fill(db, resource);
    NEED(odp_file_digest(part, &info) == ODP_OK);
    odp_digest_hex(info.sha256, hex);
    snprintf(file, 200, "search/kumuh/2024-03-15/kumuh%s%s-%.16s.sqlite", resource != NULL ? "-" : "",
             resource != NULL ? resource : "", hex);
    snprintf(final, sizeof final, "%s/%s", site_dir, file);
    NEED(rename(part, final) == 0);
}

static void make_site(void)
{
    char path[200], file[200];
    struct odp_buffer list = {0};
    snprintf(path, sizeof path, "%s/search/kumuh/2024-03-15", site_dir);
    NEED(odp_dir_make(path) == ODP_OK);
    odp_buffer_add_str(
        &list,
        "{\"odp\":\"1\",\"release\":\"2.5.0\",\"base_url\":\"https://data.example.go.id/\",\"resources\":[");
    for (int i = 0; i < RESOURCES; i++) {
        make_index(resources[i], file);
        odp_buffer_printf(&list,
                          "%s{\"collection\":\"kumuh%s%s\",\"slug\":\"kumuh\",\"resource\":%s%s%s,\"title\":{"
                          "\"id\":\"Judul\",\"en\":\"Title\"},\"version\":\"2024-03-15\",\"file\":\"%s\"}",
                          i > 0 ? "," : "", i > 0 ? "-" : "", i > 0 ? resources[i] : "", i > 0 ? "\"" : "",
                          i > 0 ? resources[i] : "null", i > 0 ? "\"" : "", file);
    }
    odp_buffer_add_str(&list, "]}");
    snprintf(path, sizeof path, "%s/search/index.json", site_dir);
    NEED(odp_file_put(path, odp_buffer_slice(&list), 0600, NULL) == ODP_OK);
    odp_buffer_release(&list);
}

/* ---- calls ---- */

static void run(struct odp_slice text)
{
    char path[8192];
    struct odp_call c = {.now = 1710468000, .door = ODP_DOOR_QUERY};
    struct odp_answer a;
    if (!call_read(text, &c, path))
        return;
    call_answer(&state, &c, &a);
    odp_answer_release(&a);
}

static void open_state(void)
{
    char why[ODP_WHY] = "";
    struct odp_call c = {
        .method = ODP_LIT("GET"),
        .path = ODP_LIT("/v1/kumuh"),
        .query = ODP_LIT("limit=5"),
        .door = ODP_DOOR_QUERY,
    };
    struct odp_answer a;
    snprintf(state_dir, sizeof state_dir, "%s", fuzz_folder("state"));
    snprintf(site_dir, sizeof site_dir, "%s", fuzz_folder("site"));
    NEED(chmod(state_dir, 0700) == 0);
    make_site();
    options = (struct odp_service_options){
        .state_dir = state_dir,
        .query_threads = 1,
        .query_time = 5000,
        .query_key = "kunci",
        .machine = "fuzz",
    };
    NEED(odp_web_new(&web) == ODP_OK);
    state = (struct odp_state){.options = &options, .web = web};
    NEED(odp_queries_new(&web->queries, &options, why) == ODP_OK);
    NEED(odp_queries_switch(web->queries, site_dir, 1710468000, why) == ODP_OK);
    call_answer(&state, &c, &a);
    const char *next = strstr(odp_buffer_cstr(&a.headers), "cursor="),
               *etag = strstr(odp_buffer_cstr(&a.headers), "ETag: ");
    NEED(next != NULL && etag != NULL);
    snprintf(cursor, sizeof cursor, "%.*s", (int)strcspn(next + 7, ">&"), next + 7);
    snprintf(tag, sizeof tag, "%.34s", etag + 6);
    odp_answer_release(&a);
    NEED(atexit(close_state) == 0);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_buffer text = {0};
    if (web == NULL)
        open_state();
    fuzz_fill_in(in, (const char *const[]){cursor, tag, NULL}, &text);
    struct odp_slice rest = odp_buffer_slice(&text);
    for (int i = 0; i < CALLS && rest.len > 0; i++)
        run(fuzz_cut(&rest, ODP_LIT("\n--\n")));
    odp_buffer_release(&text);
}
