/* For tests of facets, aggregates and the gantt view: a small index, its tables filled by hand
 * (catalog/index/search.h says how they look), and questions. */
#pragma once
#include "run.h"

#include <unistd.h>

#include <sqlite3.h>

#include "plain_index.h"
#include "service/queries/engine/query.h"

#define VF_COLUMNS 12
#define VF_PARAMS  12

struct vf {
    struct odp_search_column columns[VF_COLUMNS];
    struct odp_search_info info;
    uint32_t key[2];
    sqlite3 *db;
    char *labels; /* SQL */
    char dir[FRESH_FOLDER], path[128];
    struct odp_index *index;
    struct odp_query_limits limits;
    struct odp_query_call call;
    /* of the last question */
    struct odp_arena arena;
    struct odp_query_result r;
    struct odp_query_fault fault;
    char text[1024];
    struct odp_query_param params[VF_PARAMS];
};

static inline struct odp_search_column *vf_column(struct vf *f, const char *name, enum odp_type type)
{
    struct odp_search_column *c = &f->columns[f->info.ncolumns++];
    *c = (struct odp_search_column){.name = name, .type = type, .of_record = true, .scale = -1};
    if (type == ODP_TYPE_INTEGER)
        c->scale = 0;
    f->info.nfields = f->info.ncolumns;
    return c;
}

/* Columns follow, then vf_rows. */
static inline void vf_start(struct vf *f)
{
    memset(f, 0, sizeof *f);
    fresh_folder(f->dir, "views");
    snprintf(f->path, sizeof f->path, "%s/uji-0123456789abcdef.sqlite", f->dir);
    assert_int_equal(sqlite3_open(f->path, &f->db), SQLITE_OK);
    f->info = (struct odp_search_info){
        .slug = "uji",
        .version = "2024-03-15",
        .last_update = "2024-03-15",
        .columns = f->columns,
        .key = f->key,
        .datetime = {-1, -1},
        ODP_SEARCH_NO_TIMELINE,
    };
    f->limits = (struct odp_query_limits){
        .time_ms = 10000,
        .count_ms = 10000,
        .rows = 1000000,
        .page = 10,
        .page_file = 10,
        .page_max = 100,
        .bytes = 1 << 20,
    };
}

/* Before vf_rows. */
static inline void vf_label(struct vf *f, const char *column, const char *code, const char *id,
                            const char *en)
{
    char *sql = sqlite3_mprintf("%z INSERT INTO odp_label VALUES(NULL,%Q,%Q,%Q,%Q);", f->labels, column, code,
                                id, en);
    assert_non_null(sql);
    f->labels = sql;
}

/* The tables of an index with N rows of ncolumns CELLS (JSON texts without escapes; NULL: null), and the
 * labels. */
static inline void vf_rows(struct vf *f, const char *const *cells, size_t n)
{
    struct odp_arena names;
    odp_arena_init(&names);
    pi_begin(f->db, &f->info, &names);
    for (size_t i = 0; i < n; i++) {
        char room[VF_COLUMNS][256];
        const char *texts[VF_COLUMNS];
        for (uint32_t k = 0; k < f->info.ncolumns; k++) {
            const char *cell = cells[i * f->info.ncolumns + k];
            bool quoted = cell != NULL && *cell == '"';
            texts[k] = cell;
            if (!quoted)
                continue;
            snprintf(room[k], sizeof room[k], "%.*s", (int)strlen(cell) - 2, cell + 1);
            texts[k] = room[k];
        }
        pi_row(f->db, &f->info, (int64_t)i + 1, texts);
    }
    pi_sql(f->db, f->labels != NULL ? f->labels : "");
    sqlite3_free(f->labels);
    f->info.rows = n;
    pi_end(f->db, &f->info);
    odp_arena_release(&names);
    const char *why = NULL;
    if (odp_index_open(&f->index, f->path, 1, &why) != ODP_OK)
        fail_msg("index: %s %s", why != NULL ? why : "", odp_failure_text());
    odp_arena_init(&f->arena);
    odp_buffer_init(&f->r.body);
}

/* QUERY is "a=b&c=d", nothing in it is decoded. */
static inline enum odp_status vf_ask(struct vf *f, enum odp_query_form form, const char *query)
{
    static const uint8_t secret[32] = "a secret of the tests' own, 32 b";
    struct odp_query *q = NULL;
    odp_arena_reset(&f->arena);
    odp_buffer_clear(&f->r.body);
    memset(&f->fault, 0, sizeof f->fault);
    f->r.next = f->r.previous = NULL;
    f->call = (struct odp_query_call){
        .index = f->index,
        .form = form,
        .params = f->params,
        .self = "uji",
        .root = "https://data.example.go.id/v1/",
        .release = "2.5.0",
        .secret = secret,
        .limits = &f->limits,
    };
    assert_true(strlen(query) < sizeof f->text);
    strcpy(f->text, query);
    char *rest = f->text, *part;
    while ((part = strsep(&rest, "&")) != NULL && *part != '\0') {
        char *value = strchr(part, '=');
        *value++ = '\0';
        f->params[f->call.nparams++] = (struct odp_query_param){odp_slice_of(part), odp_slice_of(value)};
    }
    enum odp_status status = odp_query_new(&q, &f->call, &f->arena, &f->fault);
    if (status == ODP_OK)
        status = odp_query_run(q, &f->r, &f->fault);
    if (status == ODP_FAIL)
        fail_msg("%s: %s", query, odp_failure_text());
    odp_query_free(q);
    return status;
}

/* The body up to and without its meta (of a whole envelope), or the whole body. */
static inline void vf_check(struct vf *f, enum odp_query_form form, const char *query, const char *expected)
{
    if (vf_ask(f, form, query) != ODP_OK)
        fail_msg("%s: %s", query, odp_text_get(&f->fault.detail, ODP_LANG_EN));
    char *body = (char *)(uintptr_t)odp_buffer_cstr(&f->r.body),
         *meta = strstr(body, ",\"status\":\"success\"");
    if (form == ODP_QUERY_ENVELOPE) {
        assert_non_null(meta);
        *meta = '\0';
    }
    assert_string_equal(body, expected);
}

static inline void vf_finish(struct vf *f)
{
    odp_index_close(f->index);
    odp_buffer_release(&f->r.body);
    odp_arena_release(&f->arena);
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(rmdir(f->dir), 0);
}
