/* For tests that need a small query index without odp-build: its tables (catalog/index/search.h) filled from
 * published texts. Uses no test library: what must not happen aborts. */
#pragma once

#include <sqlite3.h>

#include "catalog/index/search.h"

static inline void pi_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return;
    fprintf(stderr, "plain index: %s: %s\n", sql, sqlite3_errmsg(db));
    abort();
}

/* The tables; names live in A. */
static inline void pi_begin(sqlite3 *db, struct odp_search_info *info, struct odp_arena *a)
{
    struct odp_buffer b = {0};
    odp_search_name(info, a);
    pi_sql(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;" /* else every row is a separate
                                                                        transaction */
               "CREATE TABLE odp_meta(name TEXT PRIMARY KEY, value TEXT);CREATE TABLE odp_label(fid INTEGER "
               "PRIMARY KEY, \"column\" TEXT, code TEXT, id TEXT, en TEXT)");
    for (int exact = 0; exact < 2; exact++) {
        odp_buffer_printf(&b, "CREATE TABLE %s(fid INTEGER PRIMARY KEY",
                          exact ? "odp_exact" : info->names.table);
        for (uint32_t k = 0; k < info->ncolumns; k++)
            if (!exact || odp_search_is_exact(info->columns[k].type))
                odp_buffer_printf(&b, ",%s", info->columns[k].sql);
        odp_buffer_add_str(&b, ");");
    }
    for (uint32_t k = 0; k < info->ncolumns; k++)
        if (info->columns[k].indexed)
            odp_buffer_printf(&b, "CREATE INDEX odp_index_%u ON %s(%s);", k, info->names.table,
                              info->columns[k].sql);
    pi_sql(db, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
}

/* TEXT as a value of the table of records. */
static inline char *pi_value(const struct odp_search_column *c, const char *text)
{
    char instant[ODP_DATETIME_SIZE + 1] = "";
    double real;
    int scale;
    bool wide = c->wide && strlen(text) > 15;
    switch (c->type) {
    case ODP_TYPE_BOOLEAN:
        return sqlite3_mprintf(",%d", strcmp(text, "true") == 0);
    case ODP_TYPE_INTEGER:
    case ODP_TYPE_YEAR:
        return sqlite3_mprintf(wide ? ",CAST(%Q AS BLOB)" : ",CAST(%Q AS INTEGER)", text);
    case ODP_TYPE_NUMBER:
        wide = wide || !odp_search_real(odp_slice_of(text), &real, &scale);
        return sqlite3_mprintf(wide ? ",CAST(%Q AS BLOB)" : ",CAST(%Q AS REAL)", text);
    case ODP_TYPE_DATETIME:
        (void)odp_search_instant(odp_slice_of(text), instant);
        return sqlite3_mprintf(",%Q", instant);
    default:
        return sqlite3_mprintf(",%Q", text);
    }
}

/* TEXT (published; NULL: null) as a literal of SQL. */
static inline void pi_add_value(struct odp_buffer *b, const struct odp_search_column *c, const char *text,
                                bool exact)
{
    char *sql =
        exact || text == NULL ? sqlite3_mprintf(",%Q", text) : pi_value(c, text); /* %Q of NULL is NULL */
    odp_buffer_add_str(b, sql);
    sqlite3_free(sql);
}

static inline void pi_row(sqlite3 *db, const struct odp_search_info *info, int64_t id,
                          const char *const *texts)
{
    struct odp_buffer b = {0};
    for (int exact = 0; exact < 2; exact++) {
        odp_buffer_printf(&b, "INSERT INTO %s VALUES(%lld", exact ? "odp_exact" : info->names.table,
                          (long long)id);
        for (uint32_t k = 0; k < info->ncolumns; k++)
            if (!exact || odp_search_is_exact(info->columns[k].type))
                pi_add_value(&b, &info->columns[k], texts[k], exact);
        odp_buffer_add_str(&b, ");");
    }
    pi_sql(db, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
}

/* Writes the meta rows and closes the index. */
static inline void pi_end(sqlite3 *db, const struct odp_search_info *info)
{
    struct odp_buffer b = {0};
    if (odp_search_info_write(info, &b) != ODP_OK)
        abort();
    char *sql = sqlite3_mprintf("INSERT INTO odp_meta VALUES('layout',%Q),('info',%Q); COMMIT",
                                ODP_SEARCH_LAYOUT, odp_buffer_cstr(&b));
    pi_sql(db, sql);
    sqlite3_free(sql);
    odp_buffer_release(&b);
    if (sqlite3_close(db) != SQLITE_OK)
        abort();
}
