/* A query as SQL. Names are the index's own, quoted (catalog/index/names.c); values are bound.
 *
 * The order is total: sort keys, then the record's number; nulls are last in both directions. Two conditions
 * ask for a page after a record. An exact one, useless to an index: "(k0, k1, …) comes after (v0, v1, …)",
 * key by key, each with its direction and its nulls. One for the index: "(k0, …, kn) >= (v0, …, vn)" for the
 * first keys that share a direction and have no nulls; if these are all keys, ">" is enough.
 *
 * If the first key may be null, "k0 >= v0 OR k0 IS NULL" would keep SQLite from seeking: then the page is two
 * statements, the second for records whose first key is null. A backward page turns every direction round,
 * nulls first. */
#include <stdarg.h>

#include "service/queries/engine/engine_internal.h"

/* ---- texts with values ---- */

static void bind(struct odp_sql *out, struct odp_sql_value v)
{
    odp_sql_bind(out, &v);
}

/* What %k and %v put around a wide column. */
static bool is_wide(const struct odp_query *q, unsigned column)
{
    return column != QUERY_FID && q->info->columns[column].wide;
}

static void add_key(const struct odp_query *q, unsigned column, struct odp_buffer *out)
{
    if (column == QUERY_FID)
        odp_buffer_add_str(out, "d.fid");
    else
        odp_buffer_printf(out, is_wide(q, column) ? "odp_order(d.%s)" : "d.%s", q->info->columns[column].sql);
}

static void add_argument(const struct odp_query *q, struct odp_sql *out, char letter, va_list *args)
{
    struct odp_buffer *text = &out->text;
    unsigned column;
    switch (letter) {
    case 't':
        odp_buffer_add_str(text, q->info->names.table);
        break;
    case 'g':
        odp_buffer_add_str(text, q->info->names.geometry);
        break;
    case 'd':
        odp_buffer_add_str(text, "d.");
        odp_buffer_add_str(text, q->info->columns[va_arg(*args, unsigned)].sql);
        break;
    case 'c':
        odp_buffer_add_str(text, q->info->columns[va_arg(*args, unsigned)].sql);
        break;
    case 'k':
        add_key(q, va_arg(*args, unsigned), text);
        break;
    case 'v':
        column = va_arg(*args, unsigned);
        odp_buffer_add_str(text, is_wide(q, column) ? "odp_order(" : "");
        bind(out, *va_arg(*args, const struct odp_sql_value *));
        odp_buffer_add_str(text, is_wide(q, column) ? ")" : "");
        break;
    case 'b':
        bind(out, *va_arg(*args, const struct odp_sql_value *));
        break;
    case 'i':
        bind(out, (struct odp_sql_value){.kind = ODP_SQL_INT, .i = va_arg(*args, int64_t)});
        break;
    case 'x':
        bind(out,
             (struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(va_arg(*args, const char *))});
        break;
    case 's':
        odp_buffer_add_str(text, va_arg(*args, const char *));
        break;
    default: /* 'u' */
        odp_buffer_add_u64(text, va_arg(*args, unsigned));
    }
}

void query_sql(const struct odp_query *q, struct odp_sql *out, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    for (const char *at = strchr(text, '%'); at != NULL; at = strchr(text, '%')) {
        odp_buffer_add(&out->text, text, (size_t)(at - text));
        add_argument(q, out, at[1], &args);
        text = at + 2;
    }
    odp_buffer_add_str(&out->text, text);
    va_end(args);
}

static void add_and(struct odp_sql *out, bool *any)
{
    odp_buffer_add_str(&out->text, *any ? " AND " : " WHERE ");
    *any = true;
}

/* ---- what matches ---- */

static bool asks_datetime(const struct odp_query *q)
{
    return q->datetime[0] != NULL || q->datetime[1] != NULL;
}

bool query_has_conditions(const struct odp_query *q)
{
    return q->words != NULL || q->filter != NULL || q->box != NULL || asks_datetime(q);
}

static void add_bound(const struct odp_query *q, uint32_t column, const char *sign, const char *bound,
                      struct odp_sql *out)
{
    if (q->info->columns[column].required)
        query_sql(q, out, "%d %s %x", column, sign, bound);
    else
        query_sql(q, out, "(%d %s %x OR %d IS NULL)", column, sign, bound, column);
}

static void add_datetime(const struct odp_query *q, struct odp_sql *out, bool *any)
{
    uint32_t start = (uint32_t)q->info->datetime[0], end = (uint32_t)q->info->datetime[1];
    const char *from = q->datetime[0], *to = q->datetime[1];
    add_and(out, any);
    if (start == end && !q->info->columns[start].required && from != NULL && to != NULL) {
        /* one OR, so that both sides can be found by an index */
        query_sql(q, out, "(%d BETWEEN %x AND %x OR %d IS NULL)", start, from, to, start);
        return;
    }
    if (from != NULL)
        add_bound(q, end, ">=", from, out);
    if (from != NULL && to != NULL)
        add_and(out, any);
    if (to != NULL)
        add_bound(q, start, "<=", to, out);
}

static void add_expr(const struct odp_query *q, const struct odp_expr *e, bool no_box, struct odp_sql *out)
{
    struct odp_sql_table table = q->call->index->table;
    table.no_box = no_box;
    odp_buffer_add_char(&out->text, '(');
    if (odp_expr_sql(e, &table, out) != ODP_OK)
        out->text.failed = true;
    odp_buffer_add_char(&out->text, ')');
}

/* The records without geometry, which match any box: an index has their numbers. */
static const char bare[] = "SELECT fid FROM %t WHERE %g IS NULL";

/* The box, and the records without geometry. Those go into the set that the R*Tree gives: an OR would cost it
 * its use. */
static void add_box(const struct odp_query *q, bool each, struct odp_sql *out)
{
    if (q->info->bare == 0) {
        add_expr(q, q->box, each, out);
        return;
    }
    odp_buffer_add_char(&out->text, '(');
    add_expr(q, q->box, each, out);
    odp_buffer_add_str(&out->text, " OR d.");
    query_sql(q, out, each ? "%g IS NULL" : "fid IN (");
    query_sql(q, out, each ? "" : bare);
    odp_buffer_add_str(&out->text, each ? ")" : "))");
}

/* What leads to the records: an R*Tree search for the box, or for a filter that is a single spatial function.
 */
enum lead { LEAD_NONE, LEAD_BOX, LEAD_FILTER };

/* "(SELECT b.id FROM <R*Tree> …)", with the records without geometry where it is the box; nothing where there
 * is no such search. */
static enum lead add_search(const struct odp_query *q, struct query_way way, struct odp_sql *out)
{
    bool box = q->box != NULL && !way.each_box, is = false;
    bool filter = q->filter != NULL && q->box == NULL && q->words == NULL && !asks_datetime(q);
    size_t before = out->text.len;
    if (way.table || (!box && !filter))
        return LEAD_NONE;
    odp_buffer_add_char(&out->text, '(');
    if (odp_expr_sql_search(box ? q->box : q->filter, &q->call->index->table, out, &is) != ODP_OK)
        out->text.failed = true;
    if (!is) {
        out->text.len = before;
        return LEAD_NONE;
    }
    query_sql(q, out, box && q->info->bare > 0 ? " UNION ALL " : "");
    query_sql(q, out, box && q->info->bare > 0 ? bare : "");
    odp_buffer_add_char(&out->text, ')');
    return box ? LEAD_BOX : LEAD_FILTER;
}

/* Conditions that LEAD does not hold already. */
static void add_conditions(const struct odp_query *q, struct query_way way, enum lead lead,
                           struct odp_sql *out, bool *any)
{
    if (q->filter != NULL && lead != LEAD_FILTER) {
        add_and(out, any);
        add_expr(q, q->filter, false, out);
    }
    if (asks_datetime(q))
        add_datetime(q, out, any);
    if (q->box != NULL && lead != LEAD_BOX) {
        add_and(out, any);
        add_box(q, way.each_box, out);
    }
    if (q->words == NULL)
        return;
    add_and(out, any);
    if (way.each_word)
        query_sql(q, out,
                  "EXISTS (SELECT 1 FROM odp_words WHERE odp_words MATCH %x AND odp_words.rowid = d.fid)",
                  q->words);
    else
        query_sql(q, out, "d.fid IN (SELECT rowid FROM odp_words WHERE odp_words MATCH %x)", q->words);
}

/* The matching records, by a search if there is one; CROSS JOIN keeps the order of loops. COUNTED: only their
 * number matters, so the table is left out if the search is exact. */
static void add_matching(const struct odp_query *q, struct query_way way, bool counted, struct odp_sql *out,
                         bool *any)
{
    odp_buffer_add_str(&out->text, " FROM ");
    enum lead lead = add_search(q, way, out);
    bool all = lead == LEAD_FILTER ||
               (lead == LEAD_BOX && q->filter == NULL && q->words == NULL && !asks_datetime(q));
    if (counted && all)
        return;
    *any = lead != LEAD_NONE;
    query_sql(q, out,
              *any        ? " AS s CROSS JOIN %t AS d WHERE d.fid = s.id"
              : way.table ? "%t AS d NOT INDEXED"
                          : "%t AS d");
    add_conditions(q, way, lead, out, any);
}

void query_sql_where(const struct odp_query *q, struct odp_sql *out)
{
    bool any = false;
    query_sql(q, out, " FROM %t AS d");
    add_conditions(q, (struct query_way){0}, LEAD_NONE, out, &any);
}

void query_sql_count(const struct odp_query *q, struct odp_sql *out)
{
    bool any = false;
    odp_buffer_add_str(&out->text, "SELECT count(*)");
    add_matching(q, (struct query_way){0}, true, out, &any);
}

/* ---- what comes after the cursor's record ---- */

/* Key I as it is read: the sort keys, then the record's number. */
struct key {
    uint32_t column;  /* or QUERY_FID */
    bool up;          /* values grow in the direction of reading */
    bool nulls;       /* it may be null */
    bool nulls_first; /* in the direction of reading */
};

static struct key key_of(const struct odp_query *q, uint32_t i)
{
    if (i == q->nsort)
        return (struct key){.column = QUERY_FID, .up = !q->backward};
    const struct query_sort *s = &q->sort[i];
    return (struct key){.column = s->column,
                        .up = s->descending == q->backward,
                        .nulls = !q->info->columns[s->column].required,
                        .nulls_first = q->backward};
}

/* "key I comes after its value", as one condition; the unary plus keeps SQLite from building its plan on
 * parts of an OR. */
static void add_after(const struct odp_query *q, struct key k, const struct odp_sql_value *v,
                      struct odp_sql *out)
{
    const char *sign = k.up ? ">" : "<";
    if (v->kind == ODP_SQL_NULL && k.nulls_first)
        query_sql(q, out, "%k IS NOT NULL", k.column);
    else if (v->kind == ODP_SQL_NULL)
        odp_buffer_add_char(&out->text, '0');
    else if (k.nulls && !k.nulls_first)
        query_sql(q, out, "(+%k %s %v OR %k IS NULL)", k.column, sign, k.column, v, k.column);
    else
        query_sql(q, out, "+%k %s %v", k.column, sign, k.column, v);
}

/* (k0 after v0 OR (k0 = v0 AND (k1 after v1 OR …))), from key FROM on. */
static void add_lexicographic(const struct odp_query *q, uint32_t from, struct odp_sql *out)
{
    for (uint32_t i = from; i <= q->nsort; i++) {
        struct key k = key_of(q, i);
        const struct odp_sql_value *v = &q->after[i];
        odp_buffer_add_char(&out->text, '(');
        add_after(q, k, v, out);
        if (i == q->nsort)
            break;
        if (v->kind == ODP_SQL_NULL)
            query_sql(q, out, " OR (+%k IS NULL AND ", k.column);
        else
            query_sql(q, out, " OR (+%k = %v AND ", k.column, k.column, v);
    }
    for (uint32_t i = from; i <= q->nsort; i++)
        odp_buffer_add_str(&out->text, i < q->nsort ? "))" : ")");
}

/* How many keys from FROM on one comparison of rows can take: one direction, no nulls (the first one's were
 * split off, and are left out by it). */
static uint32_t comparable(const struct odp_query *q, uint32_t from)
{
    uint32_t n = 0;
    for (uint32_t i = from; i <= q->nsort; i++, n++) {
        struct key k = key_of(q, i);
        bool nulls = k.nulls && i > 0;
        if (k.up != key_of(q, from).up || nulls || q->after[i].kind == ODP_SQL_NULL)
            break;
    }
    return n;
}

/* "(k0, k1) >= (v0, v1)"; EXACT: ">". */
static void add_range(const struct odp_query *q, uint32_t from, uint32_t n, bool exact, struct odp_sql *out)
{
    const char *open = n > 1 ? "(" : "", *close = n > 1 ? ")" : "";
    odp_buffer_add_str(&out->text, open);
    for (uint32_t i = 0; i < n; i++)
        query_sql(q, out, i > 0 ? ", %k" : "%k", key_of(q, from + i).column);
    query_sql(q, out, "%s %s%s %s", close, key_of(q, from).up ? ">" : "<", exact ? "" : "=", open);
    for (uint32_t i = 0; i < n; i++)
        query_sql(q, out, i > 0 ? ", %v" : "%v", key_of(q, from + i).column, &q->after[from + i]);
    odp_buffer_add_str(&out->text, close);
}

/* What comes after the cursor by the keys from FROM on. */
static void add_cursor(const struct odp_query *q, uint32_t from, struct odp_sql *out, bool *any)
{
    uint32_t n = comparable(q, from);
    bool exact = n == q->nsort + 1 - from;
    if (n > 0) {
        add_and(out, any);
        add_range(q, from, n, exact, out);
    }
    if (exact)
        return;
    add_and(out, any);
    add_lexicographic(q, from, out);
}

/* ---- pages ---- */

static void add_order(const struct odp_query *q, uint32_t from, bool first_has_nulls, struct odp_sql *out)
{
    for (uint32_t i = from; i <= q->nsort; i++) {
        struct key k = key_of(q, i);
        query_sql(q, out, "%s%k%s", i > from ? ", " : " ORDER BY ", k.column, k.up ? "" : " DESC");
        /* SQLite's nulls are the smallest values; saying so costs an index its use, so only where another
         * order is needed */
        if (k.nulls && k.up != k.nulls_first && (i > 0 || first_has_nulls))
            odp_buffer_add_str(&out->text, k.nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
}

/* The parts of a page whose first key may be null. Forward: those after the value, then the nulls. Backward,
 * nulls come first: after a null the nulls, then all others; after a value only those with a value. */
static void add_part(const struct odp_query *q, unsigned part, struct odp_sql *out, bool *any, bool *last)
{
    struct key k = key_of(q, 0);
    bool null = q->after[0].kind == ODP_SQL_NULL;
    *last = null != k.nulls_first || part == 1;
    if (part == 0 && !null) {
        add_cursor(q, 0, out, any);
        return;
    }
    add_and(out, any);
    query_sql(q, out, part == 1 && k.nulls_first ? "%k IS NOT NULL" : "%k IS NULL", k.column);
    if (part == 0)
        add_cursor(q, 1, out, any);
}

void query_sql_page(const struct odp_query *q, unsigned part, uint32_t limit, struct query_way way,
                    struct odp_sql *out, bool *last)
{
    bool any = false, split = q->after != NULL && q->nsort > 0 && key_of(q, 0).nulls;
    *last = true;
    odp_buffer_add_str(&out->text, "SELECT d.fid");
    add_matching(q, way, false, out, &any);
    if (split)
        add_part(q, part, out, &any, last);
    else if (q->after != NULL)
        add_cursor(q, 0, out, &any);
    /* among nulls the first key is constant; among values it has no nulls */
    bool nulls = split && (part == 0 ? q->after[0].kind == ODP_SQL_NULL : !q->backward);
    add_order(q, nulls ? 1 : 0, !split, out);
    query_sql(q, out, " LIMIT %i", (int64_t)limit);
    if (q->offset > 0 && q->after == NULL)
        query_sql(q, out, " OFFSET %i", (int64_t)q->offset);
}

/* ---- texts as published: of the table of records (d), or of odp_exact (e) ---- */

void query_add_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n,
                     struct odp_sql *sql)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct odp_search_column *c = &info->columns[columns[i]];
        odp_buffer_printf(&sql->text, ",%s.%s", odp_search_is_exact(c->type) ? "e" : "d", c->sql);
    }
}

void query_join_texts(const struct odp_search_info *info, const uint32_t *columns, uint32_t n,
                      struct odp_sql *sql)
{
    bool exact = false;
    for (uint32_t i = 0; i < n; i++)
        exact = exact || odp_search_is_exact(info->columns[columns[i]].type);
    odp_buffer_add_str(&sql->text, exact ? " JOIN odp_exact AS e ON e.fid=d.fid" : "");
}

int query_take_texts(sqlite3_stmt *stmt, int at, const struct odp_search_info *info, const uint32_t *columns,
                     uint32_t n, struct odp_slice *out)
{
    for (uint32_t i = 0; i < n; i++, at++) {
        int kind = sqlite3_column_type(stmt, at);
        struct odp_slice *text = &out[columns[i]];
        if (kind == SQLITE_NULL) {
            *text = QUERY_NOTHING;
        } else if (kind == SQLITE_INTEGER && info->columns[columns[i]].type == ODP_TYPE_BOOLEAN) {
            *text = sqlite3_column_int64(stmt, at) != 0 ? ODP_LIT("true") : ODP_LIT("false");
        } else {
            const char *bytes = sqlite3_column_blob(stmt, at); /* of a number its digits */
            *text = (struct odp_slice){odp_or_empty(bytes), (size_t)sqlite3_column_bytes(stmt, at)};
        }
    }
    return at;
}
