/* The tables of an index, what fills them, and what is made of them when all records are there. */
#include "write/index/index_internal.h"

/* A column's type as GeoPackage has it (OGC 12-128r19, table 1). A value of another kind than that (see
 * search.h) stays what it is: no type is converted to. */
static const char *sql_type(enum odp_type t)
{
    static const char *const names[ODP_STORAGES] = {
        [ODP_STORAGE_TEXT] = "TEXT",     [ODP_STORAGE_WHOLE] = "INTEGER",    [ODP_STORAGE_DECIMAL] = "REAL",
        [ODP_STORAGE_TRUTH] = "BOOLEAN", [ODP_STORAGE_INSTANT] = "DATETIME", [ODP_STORAGE_DATED] = "TEXT"};
    const struct odp_field_type *type = odp_field_type(t);
    return type->storage == ODP_STORAGE_DATED && type->date == ODP_DATE ? "DATE" : names[type->storage];
}

enum {
    COUNTED_MAX = 1000,   /* values of a column that odp_count has */
    COUNTED_FROM = 20000, /* records: of fewer all is quick */
    ORDERED_FROM = 1000   /* records: of fewer a sort is quick, too */
};

/* ---- tables ---- */

static void make_records(struct odp_search_writer *w)
{
    const struct odp_search_info *i = &w->info;
    odp_buffer_printf(&w->text, "CREATE TABLE %s(fid INTEGER PRIMARY KEY", i->names.table);
    for (uint32_t k = 0; k < i->ncolumns; k++)
        odp_buffer_printf(&w->text, ", %s %s", i->columns[k].sql, sql_type(i->columns[k].type));
    if (i->has_geometry)
        odp_buffer_printf(&w->text, ", %s %s", i->names.geometry, writer_geometry_type(w));
    odp_buffer_add_char(&w->text, ')');
    writer_exec_text(w);
}

static void make_exact(struct odp_search_writer *w)
{
    if (!odp_search_has_exact(&w->info))
        return;
    odp_buffer_add_str(&w->text, "CREATE TABLE odp_exact(fid INTEGER PRIMARY KEY");
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        if (odp_search_is_exact(w->info.columns[k].type))
            odp_buffer_printf(&w->text, ", %s TEXT", w->info.columns[k].sql);
    odp_buffer_add_char(&w->text, ')');
    writer_exec_text(w);
}

/* INSERT INTO <table> VALUES (?, …), N of them. */
static sqlite3_stmt *prepare_insert(struct odp_search_writer *w, const char *table, uint32_t n)
{
    odp_buffer_printf(&w->text, "INSERT INTO %s VALUES(?", table);
    for (uint32_t k = 1; k < n; k++)
        odp_buffer_add_str(&w->text, ", ?");
    odp_buffer_add_char(&w->text, ')');
    return writer_prepare_text(w);
}

static void prepare_inserts(struct odp_search_writer *w)
{
    const struct odp_search_info *i = &w->info;
    uint32_t exact = 0;
    for (uint32_t k = 0; k < i->ncolumns; k++)
        exact += odp_search_is_exact(i->columns[k].type);
    w->insert = prepare_insert(w, i->names.table, 1 + i->ncolumns + i->has_geometry);
    if (exact > 0)
        w->insert_exact = prepare_insert(w, "odp_exact", 1 + exact);
    if (odp_search_has_geometry(i))
        w->insert_geometry = prepare_insert(w, "odp_geometry", 4);
    if (i->has_geometry)
        w->insert_box = prepare_insert(w, i->names.rtree, 5);
}

void writer_make_tables(struct odp_search_writer *w)
{
    if (w->info.has_geometry)
        writer_make_geopackage(w);
    else
        writer_exec(w, "PRAGMA application_id=0x6f647031");
    make_records(w);
    if (w->info.has_geometry)
        writer_execf(w, "CREATE VIRTUAL TABLE %s USING rtree(id, minx, maxx, miny, maxy)",
                     w->info.names.rtree);
    make_exact(w);
    if (odp_search_has_geometry(&w->info))
        writer_exec(w, "CREATE TABLE odp_geometry(fid INTEGER PRIMARY KEY, lon REAL, lat REAL, simple TEXT)");
    writer_exec(
        w, "CREATE TABLE odp_meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
           "CREATE TABLE odp_label(fid INTEGER PRIMARY KEY, \"column\" TEXT, code TEXT, id TEXT, en TEXT);"
           "CREATE INDEX odp_label_code ON odp_label(\"column\", code);");
    prepare_inserts(w);
}

void writer_finalize(struct odp_search_writer *w)
{
    sqlite3_stmt **all[] = {&w->insert, &w->insert_exact, &w->insert_geometry, &w->insert_box};
    for (size_t k = 0; k < ODP_COUNT(all); k++) {
        (void)sqlite3_finalize(*all[k]);
        *all[k] = NULL;
    }
}

/* ---- indexes ---- */

static void make_index(struct odp_search_writer *w, uint32_t number)
{
    struct writer_index *index = &w->indexes[number];
    odp_buffer_printf(&w->text, "CREATE INDEX odp_index_%u ON %s(", number, w->info.names.table);
    for (uint32_t k = 0; k < index->n; k++)
        odp_buffer_printf(&w->text, "%s%s", k > 0 ? ", " : "", w->info.columns[index->columns[k]].sql);
    odp_buffer_add_char(&w->text, ')');
    if (index->order == NULL || w->info.rows < ORDERED_FROM) {
        writer_exec_text(w);
        writer_execf(w, "ANALYZE odp_index_%u", number); /* while its pages are at hand */
        return;
    }
    writer_order_make(w, index, odp_arena_printf(&w->arena, "odp_index_%u", number),
                      odp_buffer_cstr(&w->text));
    if (w->text.failed)
        w->status = ODP_FAIL;
    odp_buffer_clear(&w->text);
}

/* Records with a null in the key (a fault that odp:severity let pass) would be lost while paging: then the
 * record's number replaces the key. Nothing is declared UNIQUE: without a journal SQLite could not undo an
 * index that turns out not to be. */
static void settle_key(struct odp_search_writer *w)
{
    bool unique = true, twice = false;
    for (uint32_t k = 0; k < w->info.nkey; k++)
        unique = unique && !w->columns[w->info.key[k]].null_seen;
    odp_buffer_add_str(&w->text, "SELECT count(*) FROM (SELECT DISTINCT ");
    for (uint32_t k = 0; k < w->info.nkey; k++)
        odp_buffer_printf(&w->text, "%s%s", k > 0 ? ", " : "", w->info.columns[w->info.key[k]].sql);
    odp_buffer_printf(&w->text, " FROM %s)", w->info.names.table);
    sqlite3_stmt *s = writer_prepare_text(w);
    if (s != NULL && writer_check(w, sqlite3_step(s)))
        twice = (uint64_t)sqlite3_column_int64(s, 0) < w->info.rows;
    (void)sqlite3_finalize(s);
    if (twice || !unique)
        w->info.nkey = 0;
}

static bool is_wide(const struct odp_search_writer *w, const struct writer_index *index)
{
    for (uint32_t k = 0; k < index->n; k++)
        if (w->info.columns[index->columns[k]].wide)
            return true;
    return false;
}

/* How often each value of column K occurs, by an index of it, where there are few: what many ask first,
 * and would read the whole index for. */
static void count_values(struct odp_search_writer *w, uint32_t k)
{
    const struct odp_search_column *c = &w->info.columns[k];
    const bool exact = odp_search_is_exact(c->type);
    odp_buffer_printf(&w->text,
                      "INSERT INTO odp_count SELECT NULL, ?1, v.k, v.n, %s%s FROM "
                      "(SELECT %s%s AS k, count(*) AS n FROM %s GROUP BY %s LIMIT %d) AS v%s",
                      exact ? "e." : "", exact ? c->sql : "NULL", exact ? "min(fid) AS fid, " : "", c->sql,
                      w->info.names.table, c->sql, COUNTED_MAX + 1,
                      exact ? " JOIN odp_exact AS e ON e.fid = v.fid" : "");
    sqlite3_stmt *s = writer_prepare_text(w);
    if (s != NULL)
        writer_step(w, s, writer_bind_text(s, 1, odp_slice_of(c->name)));
    bool many = s != NULL && sqlite3_changes(sqlite3_db_handle(s)) > COUNTED_MAX;
    (void)sqlite3_finalize(s);
    s = many ? writer_prepare(w, "DELETE FROM odp_count WHERE \"column\" = ?1") : NULL;
    if (s != NULL)
        writer_step(w, s, writer_bind_text(s, 1, odp_slice_of(c->name)));
    (void)sqlite3_finalize(s);
}

static void make_counts(struct odp_search_writer *w)
{
    if (w->info.rows < COUNTED_FROM)
        return;
    writer_exec(
        w, "CREATE TABLE odp_count(fid INTEGER PRIMARY KEY, \"column\" TEXT, value, n INTEGER, text TEXT)");
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        if (w->info.columns[k].indexed && !w->info.columns[k].wide)
            count_values(w, k);
}

/* The planner's statistics, of which those of each index are added when it is made. */
static void make_statistics(struct odp_search_writer *w)
{
    writer_exec(w, "ANALYZE sqlite_schema"); /* makes the table; tells nothing */
    writer_execf(w, "INSERT INTO sqlite_stat1 VALUES(%Q, NULL, %llu)", w->info.names.plain_table,
                 (unsigned long long)w->info.rows);
}

void writer_make_indexes(struct odp_search_writer *w)
{
    make_statistics(w);
    for (uint32_t i = 0; i < w->nindexes; i++) {
        const struct writer_index *index = &w->indexes[i];
        if (!index->key && is_wide(w, index))
            continue; /* bytes would not order its values */
        make_index(w, i);
        if (index->key)
            settle_key(w);
        w->info.columns[index->columns[0]].indexed = true;
    }
    if (w->info.bare > 0) /* bbox lets these pass */
        writer_execf(w, "CREATE INDEX odp_bare ON %s(fid) WHERE %s IS NULL; ANALYZE odp_bare",
                     w->info.names.table, w->info.names.geometry);
    make_counts(w);
}
