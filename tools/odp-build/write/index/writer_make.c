/* What is made of the tables when all records are in them: indexes, and what SQLite has to know of all of them. */
#include <stdio.h>
#include <string.h>

#include "write/index/index_internal.h"

/* ---- indexes ---------------------------------------------------------------------------------------------------------------- */

static enum odp_status make_index(struct odp_search_writer *w, struct writer_index *index)
{
    struct tree *tree = NULL;
    enum odp_status status = tree_new(&tree, w->pages, true);
    if (status == ODP_OK)
        status = writer_keys_write(index->keys, index->n, tree, &index->counts);
    if (status == ODP_OK)
        status = tree_end(tree, &index->root);
    tree_free(tree);
    writer_keys_free(index->keys);
    index->keys = NULL;
    index->made = status == ODP_OK;
    return status;
}

/* A primary key that is none (its fault was let pass, by odp:severity) would lose records while paging: then the record's number takes its place. */
static void settle_key(struct odp_search_writer *w, struct writer_index *index)
{
    for (uint32_t k = 0; k < w->info.nkey; k++)
        index->unique = index->unique && !w->columns[w->info.key[k]].null_seen;
    index->unique = index->unique && index->counts.any == index->counts.rows;
    if (!index->unique)
        w->info.nkey = 0;
}

enum odp_status writer_make_indexes(struct odp_search_writer *w)
{
    for (uint32_t i = 0; i < w->nindexes; i++) {
        struct writer_index *index = &w->indexes[i];
        bool wide = false;
        for (uint32_t k = 0; k < index->n && !index->unique; k++)
            wide = wide || w->info.columns[index->columns[k]].wide;
        if (wide)
            continue; /* bytes would not order its values */
        if (make_index(w, index) != ODP_OK)
            return ODP_FAIL;
        if (index->unique)
            settle_key(w, index);
        w->info.columns[index->columns[0]].indexed = true;
    }
    return ODP_OK;
}

/* ---- the schema --------------------------------------------------------------------------------------------------------------- */

static const char *affinity(enum odp_type t)
{
    static const char *const names[ODP_STORAGES] = {
        [ODP_STORAGE_TEXT] = "TEXT",     [ODP_STORAGE_WHOLE] = "INTEGER", [ODP_STORAGE_DECIMAL] = "REAL",
        [ODP_STORAGE_TRUTH] = "INTEGER", [ODP_STORAGE_INSTANT] = "TEXT",  [ODP_STORAGE_DATED] = "TEXT"};
    return names[odp_field_type(t)->storage];
}

static enum odp_status put_index(struct odp_search_writer *w, uint32_t number, const struct writer_index *index)
{
    char name[16];
    (void)snprintf(name, sizeof name, "i%u", number);
    odp_buffer_printf(&w->text, "CREATE %sINDEX %s ON data(", index->unique ? "UNIQUE " : "", name);
    for (uint32_t k = 0; k < index->n; k++)
        odp_buffer_printf(&w->text, "%sc%u", k > 0 ? ", " : "", index->columns[k]);
    odp_buffer_add_char(&w->text, ')');
    return writer_put_schema(w, "index", name, "data", index->root);
}

enum odp_status writer_make_schema(struct odp_search_writer *w)
{
    enum odp_status status = writer_exec(w, "PRAGMA writable_schema=ON");
    odp_buffer_clear(&w->text);
    odp_buffer_add_str(&w->text, "CREATE TABLE data(id INTEGER PRIMARY KEY");
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        odp_buffer_printf(&w->text, ", c%u %s", k, affinity(w->info.columns[k].type));
    odp_buffer_add_char(&w->text, ')');
    if (status == ODP_OK)
        status = writer_put_schema(w, "table", "data", "data", w->data_root);
    odp_buffer_add_str(&w->text, "CREATE TABLE record(id INTEGER PRIMARY KEY, cells BLOB)");
    if (status == ODP_OK)
        status = writer_put_schema(w, "table", "record", "record", w->cell_root);
    for (uint32_t i = 0; i < w->nindexes && status == ODP_OK; i++)
        if (w->indexes[i].made)
            status = put_index(w, i, &w->indexes[i]);
    if (status == ODP_OK && w->shapes != NULL) {
        odp_buffer_add_str(&w->text, "CREATE TABLE shape(id INTEGER PRIMARY KEY, shape BLOB, simple TEXT)");
        status = writer_put_schema(w, "table", "shape", "shape", w->shape_root);
    }
    if (status == ODP_OK)
        status = writer_words_schema(w);
    /* SQLite reads the schema again. */
    if (status == ODP_OK)
        status = writer_exec(w, "COMMIT; PRAGMA writable_schema=RESET; BEGIN;"
                                "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
                                "CREATE TABLE label(column TEXT, code TEXT, id TEXT, en TEXT);");
    return status == ODP_OK && w->shapes != NULL ? writer_exec(w, "CREATE VIRTUAL TABLE box USING rtree_i32(id, west, east, south, north)") : status;
}

/* ---- statistics --------------------------------------------------------------------------------------------------------------- */

/* As ANALYZE puts it: how many rows, and how many of them have the same first value, the same first two, … */
static enum odp_status put_index_statistics(struct odp_search_writer *w, uint32_t number, const struct writer_index *index)
{
    char name[16];
    uint64_t rows = index->counts.rows;
    (void)snprintf(name, sizeof name, "i%u", number);
    odp_buffer_clear(&w->text);
    odp_buffer_add_u64(&w->text, rows);
    for (uint32_t k = 0; k < index->n; k++) {
        uint64_t different = index->counts.different[k < 63 ? k : 63];
        uint64_t equal = (rows + different - 1) / different;
        odp_buffer_add_char(&w->text, ' ');
        odp_buffer_add_u64(&w->text, equal == 2 && rows * 10 <= different * 11 ? 1 : equal);
    }
    return writer_put_statistics(w, "data", name);
}

enum odp_status writer_make_statistics(struct odp_search_writer *w)
{
    static const char *const tables[] = {"label", "box_node", "box_parent", "box_rowid", "shape"};
    bool indexes = false;
    /* Of what SQLite has made, it finds out itself; the first one makes the table of statistics. */
    enum odp_status status = writer_exec(w, "ANALYZE meta");
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == ODP_OK; i++) {
        odp_buffer_clear(&w->text);
        odp_buffer_printf(&w->text, "ANALYZE %s", tables[i]);
        if (i == 0 || w->shapes != NULL)
            status = odp_buffer_status(&w->text) == ODP_OK ? writer_exec(w, odp_buffer_cstr(&w->text)) : ODP_FAIL;
    }
    if (status == ODP_OK)
        status = writer_words_statistics(w);
    if (w->info.rows == 0)
        return status;
    for (uint32_t i = 0; i < w->nindexes && status == ODP_OK; i++)
        if (w->indexes[i].made) {
            status = put_index_statistics(w, i, &w->indexes[i]);
            indexes = true;
        }
    odp_buffer_clear(&w->text);
    odp_buffer_add_u64(&w->text, w->info.rows);
    if (status == ODP_OK && !indexes)
        status = writer_put_statistics(w, "data", NULL);
    return status == ODP_OK ? writer_put_statistics(w, "record", NULL) : status;
}
