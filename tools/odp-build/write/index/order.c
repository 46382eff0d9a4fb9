/* Indexes of columns with few values (codes, categories, dates), made without a sort.
 *
 * SQLite's sorter compares 1,000,000 records of 500 values some 20 times each, nearly always to find them
 * equal. So while records come, each value gathers the numbers of its records; at the end they are written
 * in order.
 *
 * What is written is a table WITHOUT ROWID of (value, fid), whose b-tree SQLite documents to be that of an
 * index (fileformat2.html, 2.4 and 2.5); then its line in the schema says that it is one. A column with
 * too many values, or numbers with decimals, is sorted by SQLite. (1,000,000 x 14, seven indexes: 1.1 s of
 * CPU and not 4.3, of the whole build's 18.0 and 22.6.) */
#include <stdlib.h>

#include "base/map.h"
#include "write/index/index_internal.h"

enum {
    VALUES_MAX = 1 << 14,
    ROOM = 24 << 20 /* bytes that all columns may take: 2 or 3 a record and column */
};

struct value {
    struct odp_slice key; /* a text, or an integer so that bytes order it */
    int64_t i;
    int64_t last;           /* the newest record's number */
    struct odp_buffer fids; /* distances between records' numbers, 7 bits a byte */
};

struct writer_order {
    struct odp_map numbers;
    struct odp_arena arena;
    struct value *values; /* numbers.n */
    enum writer_tag tag;  /* of all of them; NULL: there are none yet */
    bool nulls;
    size_t room; /* of w->ordering */
};

void writer_order_new(struct odp_search_writer *w, struct writer_index *index)
{
    index->order = odp_arena_zero(&w->arena, 1, sizeof *index->order);
    index->order->tag = WRITER_NULL;
}

void writer_order_free(struct odp_search_writer *w, struct writer_index *index)
{
    struct writer_order *o = index->order;
    index->order = NULL;
    if (o == NULL)
        return;
    w->ordering -= o->room;
    for (uint32_t k = 0; k < o->numbers.n; k++)
        odp_buffer_release(&o->values[k].fids);
    odp_map_release(&o->numbers);
    odp_arena_release(&o->arena);
}

/* The bytes that order V; INTEGER: room for those of one. */
static struct odp_slice key_of(const struct writer_value *v, char integer[sizeof(uint64_t)])
{
    if (v->tag == WRITER_TEXT)
        return v->text.ptr != NULL ? v->text : ODP_LIT("");
    const uint64_t bits = (uint64_t)v->i ^ (uint64_t)1 << 63;
    for (size_t k = 0; k < sizeof bits; k++)
        integer[k] = (char)(bits >> (56 - 8 * k));
    return (struct odp_slice){integer, sizeof bits};
}

/* NULL: one too many. */
static struct value *find_value(struct writer_order *o, const struct writer_value *v)
{
    char integer[sizeof(uint64_t)];
    bool fresh = false;
    const struct odp_slice key = key_of(v, integer);
    const uint32_t number = odp_map_put(&o->numbers, key, &fresh);
    if (!fresh)
        return &o->values[number];
    o->values = odp_arena_more(&o->arena, o->values, number, sizeof *o->values);
    o->values[number] = (struct value){.key = odp_arena_copy(&o->arena, key), .i = v->i};
    o->room += 2 * key.len + sizeof(struct value);
    return number < VALUES_MAX ? &o->values[number] : NULL;
}

static void add_record(struct odp_search_writer *w, struct writer_index *index)
{
    struct writer_order *o = index->order;
    const struct writer_value *v = &w->record.values[index->columns[0]];
    const bool other = o->tag != WRITER_NULL && o->tag != v->tag;
    if (v->tag == WRITER_NULL) {
        o->nulls = true;
        return;
    }
    const bool fits = !other && (v->tag == WRITER_TEXT || v->tag == WRITER_INT) && w->ordering <= ROOM;
    const size_t before = o->room;
    struct value *value = fits ? find_value(o, v) : NULL;
    if (value == NULL || w->record.id <= value->last) {
        w->ordering += o->room - before;
        writer_order_free(w, index);
        return;
    }
    o->tag = v->tag;
    const size_t len = value->fids.len;
    uint64_t step = (uint64_t)(w->record.id - value->last);
    for (; step >= 0x80; step >>= 7)
        odp_buffer_add_char(&value->fids, (char)(step | 0x80));
    odp_buffer_add_char(&value->fids, (char)step);
    value->last = w->record.id;
    o->room += value->fids.len - len;
    w->ordering += o->room - before;
}

void writer_order_add(struct odp_search_writer *w)
{
    for (uint32_t k = 0; k < w->nindexes; k++)
        if (w->indexes[k].order != NULL)
            add_record(w, &w->indexes[k]);
}

/* ---- the records in order, as a table (k, fid) that SQLite reads ---- */

struct cursor {
    sqlite3_vtab_cursor base;
    const struct writer_order *order;
    uint32_t value;
    size_t at; /* in its fids, after FID */
    int64_t fid;
};

struct table {
    sqlite3_vtab base;
    const struct writer_order *order;
};

static int table_open(sqlite3 *db, void *order, int argc, const char *const *argv, sqlite3_vtab **out,
                      char **error)
{
    int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(k, fid)");
    struct table *t = rc == SQLITE_OK ? sqlite3_malloc(sizeof *t) : NULL;
    if (t == NULL)
        return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    *t = (struct table){.order = order};
    *out = &t->base;
    return SQLITE_OK;
}

static int table_close(sqlite3_vtab *t)
{
    sqlite3_free(t);
    return SQLITE_OK;
}

static int table_plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
    return SQLITE_OK; /* from the first to the last */
}

static int cursor_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
    struct cursor *c = sqlite3_malloc(sizeof *c);
    if (c == NULL)
        return SQLITE_NOMEM;
    *c = (struct cursor){.order = ((struct table *)t)->order};
    *out = &c->base;
    return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *c)
{
    sqlite3_free(c);
    return SQLITE_OK;
}

static int cursor_end(sqlite3_vtab_cursor *cursor)
{
    const struct cursor *c = (struct cursor *)cursor;
    return c->value == c->order->numbers.n;
}

static int cursor_next(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (struct cursor *)cursor;
    const struct odp_buffer *fids = &c->order->values[c->value].fids;
    uint64_t step = 0;
    if (c->at == fids->len) {
        c->at = 0;
        c->fid = 0;
        if (++c->value == c->order->numbers.n)
            return SQLITE_OK;
        fids = &c->order->values[c->value].fids;
    }
    for (unsigned shift = 0; shift == 0 || (fids->ptr[c->at - 1] & 0x80) != 0; shift += 7)
        step |= (uint64_t)(fids->ptr[c->at++] & 0x7f) << shift;
    c->fid += (int64_t)step;
    return SQLITE_OK;
}

static int cursor_begin(sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
                        sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)cursor;
    c->value = 0;
    c->at = 0;
    c->fid = 0;
    return cursor_end(cursor) ? SQLITE_OK : cursor_next(cursor);
}

static int cursor_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
    const struct cursor *c = (struct cursor *)cursor;
    const struct value *v = &c->order->values[c->value];
    if (column == 1)
        sqlite3_result_int64(to, c->fid);
    else if (c->order->tag == WRITER_INT)
        sqlite3_result_int64(to, v->i);
    else
        sqlite3_result_text64(to, v->key.ptr, v->key.len, SQLITE_STATIC, SQLITE_UTF8);
    return SQLITE_OK;
}

static int cursor_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    *out = ((struct cursor *)cursor)->fid;
    return SQLITE_OK;
}

static const sqlite3_module module = {.xConnect = table_open,
                                      .xDisconnect = table_close,
                                      .xBestIndex = table_plan,
                                      .xOpen = cursor_open,
                                      .xClose = cursor_close,
                                      .xFilter = cursor_begin,
                                      .xNext = cursor_next,
                                      .xEof = cursor_end,
                                      .xColumn = cursor_column,
                                      .xRowid = cursor_id};

/* ---- the index ---- */

static int by_key(const void *a, const void *b)
{
    return odp_slice_cmp(((const struct value *)a)->key, ((const struct value *)b)->key);
}

/* What the schema says of NAME from now on. */
static void call_it(struct odp_search_writer *w, const char *name, const char *type, const char *table,
                    const char *sql)
{
    writer_execf(w,
                 "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET type = %Q, tbl_name = %Q, sql = %Q "
                 "WHERE name = %Q; PRAGMA writable_schema=RESET",
                 type, table, sql, name);
}

/* What ANALYZE would find out: how many records each of N values has, on the average; barely more is one. */
static void tell_values(struct odp_search_writer *w, const char *name, uint64_t n)
{
    const unsigned long long rows = w->info.rows, each = rows * 10 <= n * 11 ? 1 : (rows + n - 1) / n;
    writer_execf(w, "INSERT INTO sqlite_stat1 VALUES(%Q, %Q, '%llu %llu')", w->info.names.plain_table, name,
                 rows, each);
}

void writer_order_make(struct odp_search_writer *w, struct writer_index *index, const char *name,
                       const char *sql)
{
    struct writer_order *o = index->order;
    const char *table =
        odp_arena_printf(&w->arena, "CREATE TABLE %s(k, fid, PRIMARY KEY(k, fid)) WITHOUT ROWID", name);
    for (uint32_t k = 0; k < o->numbers.n; k++)
        if (o->values[k].fids.failed)
            w->status = ODP_FAIL;
    if (o->numbers.n > 0)
        qsort(o->values, o->numbers.n, sizeof *o->values, by_key);
    if (o->nulls) { /* such a table takes none; an index has them first, and SQLite puts them there */
        writer_execf(w, "%s WHERE %s IS NULL", sql, w->info.columns[index->columns[0]].sql);
        call_it(w, name, "table", name, table);
    } else {
        writer_exec(w, table);
    }
    if (w->status == ODP_OK)
        (void)writer_check(w, writer_module(w, "odp_order", &module, o));
    writer_execf(w, "INSERT INTO %s SELECT k, fid FROM odp_order", name);
    call_it(w, name, "index", w->info.names.plain_table, sql);
    tell_values(w, name, (uint64_t)o->numbers.n + o->nulls);
    writer_order_free(w, index);
}
