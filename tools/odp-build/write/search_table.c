#include "write/search_table.h"

#include <sqlite3.h>

#include "catalog/index/reading.h"
#include "published/doc.h"

enum {
    WORDS_MOST = 50000, /* of a table */
    WORD_LEAST = 2,     /* bytes */
    WORD_MOST = 40
};

struct reading {
    sqlite3 *db;
    struct odp_search_info info;
    const char *path; /* on the disk */
    struct odp_arena arena;
    enum odp_status status; /* the first failure stays */
};

static void fail(struct reading *r, const char *what)
{
    if (r->status == ODP_OK)
        r->status = odp_failure_set(what, r->path, 0);
}

/* SQL prepared, with NAME (may be NULL) for ?1, where it asks for one; NULL: failed. */
static sqlite3_stmt *prepare(struct reading *r, const char *sql, const char *name)
{
    sqlite3_stmt *s = NULL;
    if (r->status == ODP_OK && sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) != SQLITE_OK)
        fail(r, "read a query index");
    if (s != NULL && name != NULL && sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC) != SQLITE_OK)
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

/* How often each value of C occurs, as SQL: as odp_count has it, else counted. */
static const char *counts_of(struct reading *r, const struct odp_search_column *c)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_table_column_metadata(r->db, NULL, "odp_count", NULL, NULL, NULL, NULL, NULL, NULL) ==
        SQLITE_OK)
        s = prepare(r, "SELECT 1 FROM odp_count WHERE \"column\" = ?1 LIMIT 1", c->name);
    const bool told = step(r, s);
    (void)sqlite3_finalize(s);
    return told ? "SELECT value AS v, n FROM odp_count WHERE \"column\" = ?1"
                : odp_arena_printf(&r->arena, "SELECT %s AS v, count(*) AS n FROM %s GROUP BY 1", c->sql,
                                   r->info.names.table);
}

/* [[code, label, English label, records]…] of one column. CROSS: a list may have many more codes than
 * occur. */
static json_t *values_of(struct reading *r, const struct odp_search_column *c)
{
    json_t *list = json_array();
    sqlite3_stmt *s =
        prepare(r,
                odp_arena_printf(
                    &r->arena,
                    "SELECT l.code, l.id, l.en, g.n FROM (SELECT CAST(v AS TEXT) AS c, n FROM (%s)) "
                    "AS g CROSS JOIN odp_label AS l ON l.\"column\" = ?1 AND l.code = g.c ORDER BY l.code",
                    counts_of(r, c)),
                c->name);
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
static json_t *all_words(struct reading *r)
{
    json_t *words = json_object();
    if (!has_words(&r->info))
        return words;
    if (sqlite3_exec(r->db,
                     "PRAGMA temp_store = MEMORY;"
                     "CREATE VIRTUAL TABLE temp.odp_seen USING fts5vocab(main, odp_words, row)",
                     NULL, NULL, NULL) != SQLITE_OK)
        fail(r, "read a query index");
    sqlite3_stmt *s = prepare(r,
                              odp_arena_printf(&r->arena,
                                               "SELECT term, doc FROM odp_seen WHERE term >= 'a' AND "
                                               "length(CAST(term AS BLOB)) BETWEEN %d AND %d "
                                               "ORDER BY doc DESC, term LIMIT %d",
                                               WORD_LEAST, WORD_MOST, WORDS_MOST),
                              NULL);
    while (step(r, s))
        odp_set_number(words, text_at(s, 0), (json_int_t)sqlite3_column_int64(s, 1));
    (void)sqlite3_finalize(s);
    return words;
}

static void open_index(struct reading *r)
{
    const char *why = NULL;
    r->status = odp_search_info_open(&r->info, r->path, &r->arena, &why);
    if (r->status == ODP_BAD) /* it was made a moment ago */
        r->status = odp_failure_set(why, r->path, 0);
    if (r->status == ODP_OK && sqlite3_open_v2(odp_search_uri(r->path, &r->arena), &r->db,
                                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        fail(r, "open a query index");
}

enum odp_status odp_search_table_print(const char *path, struct odp_buffer *out)
{
    struct reading r = {.path = path};
    odp_arena_init(&r.arena);
    open_index(&r);
    if (r.status == ODP_OK) {
        json_t *table = json_pack("{s:o, s:o}", "values", all_values(&r), "words", all_words(&r));
        if (odp_doc_print(out, table, ODP_DOC_LINE) != ODP_OK)
            r.status = ODP_FAIL;
        odp_buffer_add_char(out, '\n');
        json_decref(table);
    }
    (void)sqlite3_close(r.db);
    odp_arena_release(&r.arena);
    return r.status;
}
