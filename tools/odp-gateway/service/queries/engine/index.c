/* An open index: what it says about itself, and its connections. Connections are made when they are
 * needed, at most as many as queries may run at once; one that is given back keeps its statements for the
 * next query. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "catalog/index/reading.h"
#include "service/queries/engine/engine_internal.h"

enum { INFO_MAX = 16 << 20 }; /* bytes of the description */

/* The digits before ".sqlite" in the file's name. */
static bool id_of(const char *path, char id[ODP_SEARCH_ID + 1])
{
    static const char end[] = ".sqlite";
    size_t len = strlen(path), tail = sizeof end - 1;
    if (len < ODP_SEARCH_ID + tail + 1 || strcmp(path + len - tail, end) != 0)
        return false;
    const char *digits = path + len - tail - ODP_SEARCH_ID;
    if (digits[-1] != '-' || strspn(digits, "0123456789abcdef") != ODP_SEARCH_ID)
        return false;
    memcpy(id, digits, ODP_SEARCH_ID);
    id[ODP_SEARCH_ID] = '\0';
    return true;
}

static void add_columns(const struct odp_search_info *i, bool exact, struct odp_buffer *out)
{
    for (uint32_t k = 0; k < i->ncolumns; k++)
        if (!exact || odp_search_is_exact(i->columns[k].type))
            odp_buffer_printf(out, ",%s", i->columns[k].sql);
}

/* SELECT of each table and all its columns, one statement a line. */
static void add_looks(const struct odp_search_info *i, struct odp_buffer *out)
{
    bool words = false, labels = false;
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        words = words || i->columns[k].text;
        labels = labels || i->columns[k].labels;
    }
    odp_buffer_add_str(out, "SELECT fid");
    add_columns(i, false, out);
    if (i->has_geometry)
        odp_buffer_printf(out, ",%s FROM %s;SELECT id, minx, maxx, miny, maxy FROM %s;", i->names.geometry,
                          i->names.table, i->names.rtree);
    else
        odp_buffer_printf(out, " FROM %s;", i->names.table);
    if (odp_search_has_exact(i)) {
        odp_buffer_add_str(out, "SELECT fid");
        add_columns(i, true, out);
        odp_buffer_add_str(out, " FROM odp_exact;");
    }
    odp_buffer_add_str(out,
                       odp_search_has_geometry(i) ? "SELECT fid, lon, lat, simple FROM odp_geometry;" : "");
    odp_buffer_add_str(out, words ? "SELECT rowid FROM odp_words;" : "");
    odp_buffer_add_str(out, labels ? "SELECT \"column\", code, id, en FROM odp_label;" : "");
    odp_buffer_add_str(out, "SELECT value FROM json_each('[]');");
}

/* The tables are asked for once, so that what is missing is found here; this also opens the virtual ones,
 * which prepare statements of their own. */
static enum odp_status look_at_tables(struct query_connection *c, const struct odp_search_info *i,
                                      const char **why)
{
    struct odp_buffer looks;
    sqlite3_stmt *stmt = NULL;
    int rc = SQLITE_OK;
    odp_buffer_init(&looks);
    add_looks(i, &looks);
    enum odp_status status = odp_buffer_status(&looks);
    for (const char *at = status == ODP_OK ? odp_buffer_cstr(&looks) : ""; *at != '\0' && rc == SQLITE_OK;) {
        rc = sqlite3_prepare_v2(c->db, at, -1, &stmt, &at);
        (void)sqlite3_finalize(stmt);
    }
    odp_buffer_release(&looks);
    if (rc == SQLITE_OK || status != ODP_OK)
        return status;
    if ((rc & 0xff) == SQLITE_NOMEM)
        return query_connection_failed(c, NULL);
    *why = "a table is missing or damaged";
    return ODP_BAD;
}

/* How conditions find the records. */
static void make_table(struct odp_index *ix)
{
    const struct odp_search_info *i = &ix->info;
    const char **columns = odp_arena_array(&ix->arena, i->ncolumns, sizeof *columns);
    bool *wide = odp_arena_array(&ix->arena, i->ncolumns, sizeof *wide);
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        columns[k] = i->columns[k].sql;
        wide[k] = i->columns[k].wide;
    }
    ix->table = (struct odp_sql_table){.alias = "d",
                                       .columns = columns,
                                       .wide = wide,
                                       .name = i->names.table,
                                       .geometry = i->names.geometry,
                                       .rtree = i->names.rtree};
}

static enum odp_status read_info(struct odp_index *ix, struct query_connection *c, const char **why)
{
    struct odp_slice layout, info;
    *why = "its description cannot be read";
    enum odp_status status = odp_search_meta(c->db, "layout", ix->path, &ix->arena, &layout);
    if (status == ODP_OK && !odp_slice_is(layout, ODP_SEARCH_LAYOUT)) {
        *why = "it is of another layout";
        return ODP_BAD;
    }
    if (status == ODP_OK)
        status = odp_search_meta(c->db, "info", ix->path, &ix->arena, &info);
    if (status != ODP_OK)
        return status;
    *why = "its description is damaged";
    status = info.ptr != NULL && info.len <= INFO_MAX ? odp_search_info_read(&ix->info, info, &ix->arena)
                                                      : ODP_BAD;
    if (status != ODP_OK || ix->info.ncolumns == 0) /* the numbers in it were checked */
        return status == ODP_FAIL ? status : ODP_BAD;
    *why = "its name does not end in its digest";
    if (!id_of(ix->path, ix->info.id))
        return ODP_BAD;
    *why = NULL;
    make_table(ix);
    return odp_arena_status(&ix->arena);
}

enum odp_status odp_index_open(struct odp_index **out, const char *path, unsigned threads, const char **why)
{
    struct odp_index *ix = calloc(1, sizeof *ix);
    struct query_connection *c = NULL;
    const char *ignored = NULL;
    *out = NULL;
    why = why != NULL ? why : &ignored;
    *why = NULL;
    if (ix == NULL)
        return odp_failure_set("query", path, ENOMEM);
    odp_arena_init(&ix->arena);
    (void)pthread_mutex_init(&ix->lock, NULL);
    (void)pthread_cond_init(&ix->freed, NULL);
    ix->most = threads > 0 ? threads : 1;
    ix->path = odp_arena_str(&ix->arena, path);
    ix->uri = odp_search_uri(path, &ix->arena);
    enum odp_status status = query_connection_open(&c, ix->uri, why);
    if (status == ODP_OK)
        status = read_info(ix, c, why);
    if (status == ODP_OK)
        status = look_at_tables(c, &ix->info, why);
    if (status != ODP_OK) {
        query_connection_close(c);
        odp_index_close(ix);
        return status;
    }
    query_connection_lock(c);
    ix->idle = c;
    ix->made = 1;
    *out = ix;
    return ODP_OK;
}

void odp_index_close(struct odp_index *ix)
{
    if (ix == NULL)
        return;
    for (struct query_connection *c = ix->idle, *next; c != NULL; c = next) {
        next = c->next;
        query_connection_close(c);
    }
    for (size_t i = 0; i < QUERY_COUNTS; i++)
        free(ix->counted[i].conditions);
    (void)pthread_cond_destroy(&ix->freed);
    (void)pthread_mutex_destroy(&ix->lock);
    odp_arena_release(&ix->arena);
    free(ix);
}

const struct odp_search_info *odp_index_info(const struct odp_index *ix)
{
    return &ix->info;
}

/* One more connection than there are. Where the file cannot be opened any more (an older build was
 * removed, or there are too many files), those that are open go on: then there are no more than these. */
static enum odp_status make_one(struct odp_index *ix, struct query_connection **out)
{
    const char *why = NULL;
    enum odp_status status = query_connection_open(out, ix->uri, &why);
    if (status == ODP_OK && (status = look_at_tables(*out, &ix->info, &why)) != ODP_OK) {
        query_connection_close(*out);
        *out = NULL;
    }
    if (status == ODP_OK)
        query_connection_lock(*out);
    return status;
}

enum odp_status query_index_take(struct odp_index *ix, struct query_connection **out)
{
    enum odp_status status = ODP_OK;
    *out = NULL;
    (void)pthread_mutex_lock(&ix->lock);
    while (*out == NULL) {
        if (ix->idle != NULL) {
            *out = ix->idle;
            ix->idle = (*out)->next;
            break;
        }
        if (ix->made >= ix->most) {
            (void)pthread_cond_wait(&ix->freed, &ix->lock);
            continue;
        }
        ix->made++;
        (void)pthread_mutex_unlock(&ix->lock);
        status = make_one(ix, out);
        (void)pthread_mutex_lock(&ix->lock);
        if (status == ODP_OK)
            break;
        ix->made--;
        if (ix->made == 0)
            break;
        ix->most = ix->made;
    }
    (void)pthread_mutex_unlock(&ix->lock);
    if (*out == NULL)
        return odp_failure_set("open", ix->path, 0);
    return ODP_OK;
}

void query_index_give(struct odp_index *ix, struct query_connection *c)
{
    (void)pthread_mutex_lock(&ix->lock);
    c->next = ix->idle;
    ix->idle = c;
    (void)pthread_cond_signal(&ix->freed);
    (void)pthread_mutex_unlock(&ix->lock);
}
