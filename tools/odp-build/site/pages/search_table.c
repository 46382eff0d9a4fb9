/* Values with names, and words, of one table, from its query index. */
#include <sqlite3.h>

#include "catalog/index/reading.h"
#include "site/pages/search_internal.h"

enum { WORD_LEAST = 2, WORD_MOST = 40 }; /* bytes */

struct reading {
    struct portal *p;
    sqlite3 *db;
    struct odp_search_info info;
    const char *path; /* on the disk */
};

static void fail(struct reading *r, const char *what)
{
    if (r->p->status == ODP_OK)
        r->p->status = odp_failure_set(what, r->path, 0);
}

/* Prepared; NULL: failed. */
static sqlite3_stmt *prepare(struct reading *r, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (r->p->status == ODP_OK && sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) != SQLITE_OK)
        fail(r, "read a query index");
    return s;
}

static const char *text_at(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text != NULL ? text : "";
}

static bool step(struct reading *r, sqlite3_stmt *s)
{
    int rc = s != NULL ? sqlite3_step(s) : SQLITE_DONE;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        fail(r, "read a query index");
    return rc == SQLITE_ROW;
}

/* [[code, label, English label, records]…] of one column. */
static json_t *values_of(struct reading *r, const struct odp_search_column *c)
{
    json_t *list = json_array();
    sqlite3_stmt *s = prepare(
        r, portal_printf(
               r->p,
               "SELECT l.code, l.id, l.en, g.n FROM (SELECT CAST(v AS TEXT) AS c, n FROM (SELECT %s AS v, "
               "count(*) AS n FROM %s GROUP BY 1)) AS g JOIN odp_label AS l ON l.\"column\" = ?1 AND l.code "
               "= g.c "
               "ORDER BY l.code",
               c->sql, r->info.names.table));
    if (s != NULL && sqlite3_bind_text(s, 1, c->name, -1, SQLITE_STATIC) != SQLITE_OK)
        fail(r, "read a query index");
    while (step(r, s))
        odp_add(list, json_pack("[s, s, s, I]", text_at(s, 0), text_at(s, 1), text_at(s, 2),
                                (json_int_t)sqlite3_column_int64(s, 3)));
    (void)sqlite3_finalize(s);
    return list;
}

static json_t *all_values(struct reading *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->info.ncolumns; i++)
        if (r->info.columns[i].labels)
            odp_add(list, json_pack("[s, o]", r->info.columns[i].name, values_of(r, &r->info.columns[i])));
    return list;
}

static bool has_words(const struct odp_search_info *info)
{
    for (uint32_t i = 0; i < info->ncolumns; i++)
        if (info->columns[i].text)
            return true;
    return false;
}

/* Numbers are no words: thousands of them, and none is asked for. */
static json_t *all_words(struct reading *r, size_t most)
{
    json_t *words = json_object();
    if (!has_words(&r->info))
        return words;
    if (sqlite3_exec(r->db,
                     "PRAGMA temp_store = MEMORY;"
                     "CREATE VIRTUAL TABLE temp.odp_seen USING fts5vocab(main, odp_words, row)",
                     NULL, NULL, NULL) != SQLITE_OK)
        fail(r, "read a query index");
    sqlite3_stmt *s = prepare(r, portal_printf(r->p,
                                               "SELECT term, doc FROM odp_seen WHERE term >= 'a' AND "
                                               "length(CAST(term AS BLOB)) BETWEEN %d AND %d "
                                               "ORDER BY doc DESC, term LIMIT %zu",
                                               WORD_LEAST, WORD_MOST, most));
    while (step(r, s))
        odp_set_number(words, text_at(s, 0), (json_int_t)sqlite3_column_int64(s, 1));
    (void)sqlite3_finalize(s);
    return words;
}

static json_t *read_index(struct portal *p, const char *disk, size_t most)
{
    struct reading r = {.p = p, .path = disk};
    const char *why = NULL;
    json_t *table = NULL;
    p->status = odp_search_info_open(&r.info, disk, &p->arena, &why);
    if (p->status == ODP_BAD) /* it was listed a moment ago */
        p->status = odp_failure_set(why, disk, 0);
    if (p->status == ODP_OK && sqlite3_open_v2(odp_search_uri(disk, &p->arena), &r.db,
                                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        fail(&r, "open a query index");
    if (p->status == ODP_OK)
        table = json_pack("{s:o, s:o}", "values", all_values(&r), "words", all_words(&r, most));
    (void)sqlite3_close(r.db);
    return table;
}

json_t *portal_search_table(struct portal *p, const json_t *resource, size_t most)
{
    const char *file = odp_text_of(resource, "file"), *end = strrchr(file, '.');
    const struct odp_site_file *index = odp_stage_find(p->job->stage, file);
    json_t *table = NULL;
    if (p->status != ODP_OK || index == NULL || end == NULL)
        return NULL;
    const char *path = portal_printf(p, "%.*s.words.json", (int)(end - file), file),
               *disk = odp_stage_place(p->job->stage, file, &p->arena);
    p->status = odp_job_read(p->job, path, &table);
    if (table != NULL || index->absent || p->status != ODP_OK)
        return table;
    table = read_index(p, disk, most);
    if (p->status == ODP_OK)
        p->status = odp_doc_put_as_take(p->job->stage, path, "application/json", ODP_CLASS_INTERNAL,
                                        ODP_DOC_LINE, json_incref(table));
    return table;
}
