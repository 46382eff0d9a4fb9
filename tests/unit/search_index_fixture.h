/* For tests of the query index: a resource's cells written into one (write/index/writer.h) and read back by
 * SQLite; and a register of projects with their milestones, of which the second takes columns from the first.
 */
#pragma once

#include "emit_fixture.h"

#include <dirent.h>
#include <sqlite3.h>

#include "catalog/index/reading.h"
#include "write/index/writer.h"

#define PATH_SIZE 600

static inline void path_of(const struct fixture *fx, const char *name, char out[PATH_SIZE])
{
    assert_true(snprintf(out, PATH_SIZE, "%s/%s", fx->dir, name) < PATH_SIZE);
}

static inline void simplify(struct odp_buffer *out, const struct odp_geom *g)
{
    odp_buffer_add_str(out, "{\"simple\":true}");
}

static inline struct odp_search_job job_of(const struct fixture *fx, const char *path)
{
    return (struct odp_search_job){
        .resource = &fx->resource,
        .version = "2024-03-15.1",
        .last_update = "2024-03-15",
        .geometry_name = NULL,
        .path = path,
        .simplify = simplify,
    };
}

/* Appends CELLS in batches of STEP records and ends. */
static inline enum odp_status write_index(struct fixture *fx, const struct odp_search_job *job,
                                          const struct odp_slice *cells, uint32_t n, uint32_t step,
                                          const struct odp_geom **geometry)
{
    struct odp_search_writer *w;
    struct odp_batch b;
    struct odp_buffer packed = {0};
    uint64_t rows = 0;
    enum odp_status status = odp_search_writer_new(&w, job);
    if (status != ODP_OK)
        return status;
    must(odp_batch_init(&b, 10));
    for (uint32_t i = 0; i < n && status == ODP_OK; i += step) {
        uint32_t count = n - i < step ? n - i : step;
        fx_batch(fx, &b, cells + (size_t)i * fx->resource.schema.n, count, i + 1);
        b.geometry = geometry != NULL ? geometry + i : NULL;
        odp_buffer_clear(&packed);
        must(odp_search_writer_pack(w, &b, &packed));
        status = odp_search_writer_append(w, odp_buffer_slice(&packed));
    }
    b.geometry = NULL;
    odp_batch_release(&b);
    odp_buffer_release(&packed);
    if (status != ODP_OK) {
        odp_search_writer_abort(w);
        return status;
    }
    status = odp_search_writer_end(w, &rows);
    if (status == ODP_OK)
        assert_int_equal(rows, n);
    return status;
}

/* ---- reading back ---- */

static inline sqlite3 *open_index(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    return db;
}

/* Rows of SQL as text: values as literals of SQL (quote()), '|' between them, a line feed after each row. */
static inline char *ask(sqlite3 *db, const char *sql)
{
    static char text[65536];
    size_t n = 0;
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int rc;
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        for (int k = 0; k < sqlite3_column_count(s); k++) {
            const char *value = (const char *)sqlite3_column_text(s, k);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k > 0 ? "|" : "",
                                  value != NULL ? value : "NULL");
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
        assert_true(n < sizeof text);
    }
    if (rc != SQLITE_DONE)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_finalize(s);
    text[n] = '\0';
    return text;
}

static inline void expect(sqlite3 *db, const char *sql, const char *want)
{
    char *got = ask(db, sql);
    if (strcmp(got, want) != 0)
        fail_msg("%s\n--- got\n%s--- expected\n%s", sql, got, want);
}

static inline void read_info(const char *path, struct odp_search_info *info, struct odp_arena *a)
{
    const char *why = "";
    odp_arena_init(a);
    if (odp_search_info_open(info, path, a, &why) != ODP_OK)
        fail_msg("%s: %s", path, why);
}

/* Sound by SQLite's own checks; all but the plain tables are looked at, too. */
static inline void check_sound(sqlite3 *db)
{
    expect(db, "PRAGMA integrity_check", "ok\n");
    expect(db, "SELECT count(*) FROM pragma_freelist_count WHERE freelist_count > 0", "0\n");
}

static inline size_t files_in(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* ---- projects and their milestones ---- */

/* proyek (kode, nama, kode_kabkota, mulai) and its milestones. */
struct projects {
    struct fixture main, steps;
    char main_path[PATH_SIZE], steps_path[PATH_SIZE];
    struct odp_search_file searches[2];
    uint32_t local[1], remote[1];
    struct odp_foreign_key foreign;
    struct odp_queryable queryables[4];
    struct odp_timeline timeline;
    struct odp_category regions[1];
};

static inline void projects_init(struct projects *p)
{
    memset(p, 0, sizeof *p);
    fx_init(&p->main);
    fx_init(&p->steps);
    path_of(&p->main, "main.sqlite", p->main_path);
    path_of(&p->steps, "steps.sqlite", p->steps_path);
    fx_field(&p->main, "kode", ODP_TYPE_STRING);
    fx_field(&p->main, "nama", ODP_TYPE_STRING);
    struct odp_field *region = fx_field(&p->main, "kode_kabkota", ODP_TYPE_STRING);
    p->regions[0] = (struct odp_category){S("31.71"), {{"Kota Jakarta Pusat", "Central Jakarta"}}};
    region->categories = p->regions;
    region->ncategories = 1;
    fx_field(&p->main, "pagu", ODP_TYPE_NUMBER)->unit = (struct odp_text){{"rupiah", "rupiah"}};
    fx_key(&p->main, 0, -1);
    p->steps.resource.index = 1;
    p->steps.resource.primary = false;
    p->steps.resource.name = "timeline";
    fx_field(&p->steps, "proyek", ODP_TYPE_STRING);
    fx_field(&p->steps, "tahap", ODP_TYPE_STRING);
    fx_field(&p->steps, "rencana", ODP_TYPE_DATE);
    fx_field(&p->steps, "realisasi", ODP_TYPE_DATE);
    fx_key(&p->steps, 0, 1);
    p->foreign = (struct odp_foreign_key){
        .local = {p->local, 1, NULL}, .target = &p->main.resource, .remote = {p->remote, 1, NULL}};
    p->steps.resource.foreign = &p->foreign;
    p->steps.resource.nforeign = 1;
    p->queryables[0] = (struct odp_queryable){
        .name = "kode_kabkota",
        .kind = ODP_QUERYABLE_TAKEN,
        .type = ODP_TYPE_STRING,
        .field = -1,
        .queryable = -1,
        .key = &p->foreign,
        .take = 2,
    };
    p->queryables[1] = (struct odp_queryable){
        .name = "kode_provinsi",
        .title = {{"Provinsi", "Province"}},
        .kind = ODP_QUERYABLE_PREFIX,
        .type = ODP_TYPE_STRING,
        .field = -1,
        .queryable = 0,
        .prefix = 2,
    };
    p->queryables[2] = (struct odp_queryable){
        .name = "pagu",
        .kind = ODP_QUERYABLE_TAKEN,
        .type = ODP_TYPE_NUMBER,
        .field = -1,
        .queryable = -1,
        .key = &p->foreign,
        .take = 3,
    };
    p->queryables[3] = (struct odp_queryable){
        .name = "awal",
        .kind = ODP_QUERYABLE_PREFIX,
        .type = ODP_TYPE_STRING,
        .field = 1,
        .queryable = -1,
        .prefix = 3,
    };
    p->steps.resource.queryables = p->queryables;
    p->steps.resource.nqueryables = 4;
    p->timeline = (struct odp_timeline){
        .project = 0,
        .milestone = 1,
        .planned = 2,
        .actual = 3,
        .date = "tanggal",
        .delay = "terlambat_hari",
    };
    p->steps.resource.timeline = &p->timeline;
    p->steps.resource.datetime[0] = p->steps.resource.datetime[1] = -1;
    p->main.resource.datetime[0] = p->main.resource.datetime[1] = -1;
    p->searches[0].disk = p->main_path;
}

static inline void projects_release(struct projects *p)
{
    fx_release(&p->main);
    fx_release(&p->steps);
}
