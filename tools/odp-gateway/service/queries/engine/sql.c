/* A query as SQL. Names in it are the index's own, in quotes (catalog/index/names.c); values are bound.
 *
 * Order is total: the sort keys, then the record's number. Nulls are last in both directions. A page that
 * begins after a record is asked for by two conditions. Exact, but of no use to an index: "(k0, k1, ...)
 * comes after (v0, v1, ...)", key by key, each with its direction and its nulls. For the index: "(k0, ...,
 * kn) >= (v0, ..., vn)" for the first keys that share one direction and have no nulls; where these are all
 * keys, it is ">" and enough by itself.
 *
 * Where the first key may be null, "k0 >= v0 OR k0 IS NULL" would keep SQLite from seeking: then the page
 * is made of two statements, the second for the records whose first key is null. A backward page is the
 * same with every direction turned round, and nulls first. */
#include "service/queries/engine/engine_internal.h"

void query_sql_column(const struct odp_query *q, uint32_t column, struct odp_sql *out)
{
    odp_buffer_add_str(&out->text, "d.");
    odp_buffer_add_str(&out->text, q->info->columns[column].sql);
}

void query_sql_key(const struct odp_query *q, uint32_t column, struct odp_sql *out)
{
    bool wide = q->info->columns[column].wide;
    odp_buffer_add_str(&out->text, wide ? "odp_order(" : "");
    query_sql_column(q, column, out);
    odp_buffer_add_str(&out->text, wide ? ")" : "");
}

static void add_table(const struct odp_query *q, struct odp_sql *out)
{
    odp_buffer_add_str(&out->text, q->info->names.table);
    odp_buffer_add_str(&out->text, " AS d");
}

static enum odp_status bind_key(const struct odp_query *q, uint32_t column, const struct odp_sql_value *v,
                                struct odp_sql *out)
{
    bool wide = q->info->columns[column].wide;
    odp_buffer_add_str(&out->text, wide ? "odp_order(" : "");
    enum odp_status status = odp_sql_bind(out, v);
    odp_buffer_add_str(&out->text, wide ? ")" : "");
    return status;
}

static enum odp_status bind_text(const char *text, struct odp_sql *out)
{
    return odp_sql_bind(out, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(text)});
}

static void add_and(struct odp_sql *out, bool *any)
{
    odp_buffer_add_str(&out->text, *any ? " AND " : " WHERE ");
    *any = true;
}

/* ---- what matches ---- */

/* "(d."mulai" >= ? OR d."mulai" IS NULL)" */
static enum odp_status add_bound(const struct odp_query *q, uint32_t column, const char *sign,
                                 const char *bound, struct odp_sql *out)
{
    bool nulls = !q->info->columns[column].required;
    odp_buffer_add_str(&out->text, nulls ? "(" : "");
    query_sql_column(q, column, out);
    odp_buffer_add_str(&out->text, sign);
    enum odp_status status = bind_text(bound, out);
    if (nulls) {
        odp_buffer_add_str(&out->text, " OR ");
        query_sql_column(q, column, out);
        odp_buffer_add_str(&out->text, " IS NULL)");
    }
    return status;
}

static enum odp_status add_datetime(const struct odp_query *q, struct odp_sql *out, bool *any)
{
    uint32_t start = (uint32_t)q->info->datetime[0], end = (uint32_t)q->info->datetime[1];
    enum odp_status status = ODP_OK;
    bool nulls = !q->info->columns[start].required;
    if (start == end && nulls && q->datetime[0] != NULL &&
        q->datetime[1] != NULL) { /* one OR, so that both sides can be found by an index */
        add_and(out, any);
        odp_buffer_add_char(&out->text, '(');
        query_sql_column(q, start, out);
        odp_buffer_add_str(&out->text, " BETWEEN ");
        status = bind_text(q->datetime[0], out);
        odp_buffer_add_str(&out->text, " AND ");
        if (status == ODP_OK)
            status = bind_text(q->datetime[1], out);
        odp_buffer_add_str(&out->text, " OR ");
        query_sql_column(q, start, out);
        odp_buffer_add_str(&out->text, " IS NULL)");
        return status;
    }
    if (q->datetime[0] != NULL) {
        add_and(out, any);
        status = add_bound(q, end, " >= ", q->datetime[0], out);
    }
    if (status == ODP_OK && q->datetime[1] != NULL) {
        add_and(out, any);
        status = add_bound(q, start, " <= ", q->datetime[1], out);
    }
    return status;
}

static enum odp_status add_expr(const struct odp_query *q, const struct odp_expr *e, bool no_box,
                                struct odp_sql *out)
{
    struct odp_sql_table table = q->call->index->table;
    table.no_box = no_box;
    odp_buffer_add_char(&out->text, '(');
    enum odp_status status = odp_expr_sql(e, &table, out);
    odp_buffer_add_char(&out->text, ')');
    return status;
}

/* The records without geometry, which match any box: an index has their numbers. */
static void add_bare(const struct odp_query *q, struct odp_sql *out)
{
    odp_buffer_printf(&out->text, "SELECT fid FROM %s WHERE %s IS NULL", q->info->names.table,
                      q->info->names.geometry);
}

/* The box, and the records without geometry. Those go into the set that the R*Tree gives: an OR would cost
 * it its use. */
static enum odp_status add_box(const struct odp_query *q, bool each, struct odp_sql *out)
{
    if (q->info->bare == 0)
        return add_expr(q, q->box, each, out);
    odp_buffer_add_char(&out->text, '(');
    enum odp_status status = add_expr(q, q->box, each, out);
    if (each) {
        odp_buffer_printf(&out->text, " OR d.%s IS NULL)", q->info->names.geometry);
        return status;
    }
    odp_buffer_add_str(&out->text, " OR d.fid IN (");
    add_bare(q, out);
    odp_buffer_add_str(&out->text, "))");
    return status;
}

static enum odp_status add_words(const struct odp_query *q, bool each, struct odp_sql *out)
{
    odp_buffer_add_str(&out->text, each ? "EXISTS (SELECT 1 FROM odp_words WHERE odp_words MATCH "
                                        : "d.fid IN (SELECT rowid FROM odp_words WHERE odp_words MATCH ");
    enum odp_status status = bind_text(q->words, out);
    odp_buffer_add_str(&out->text, each ? " AND odp_words.rowid = d.fid)" : ")");
    return status;
}

static bool asks_datetime(const struct odp_query *q)
{
    return q->datetime[0] != NULL || q->datetime[1] != NULL;
}

/* What leads to the records: a search of the R*Tree for the box, or for a filter that is nothing but one
 * spatial function. */
enum lead { LEAD_NONE, LEAD_BOX, LEAD_FILTER };

/* "(SELECT b.id FROM <R*Tree> …)", with the records without geometry where it is the box; nothing where
 * there is no such search. */
static enum odp_status add_search(const struct odp_query *q, struct query_way way, struct odp_sql *out,
                                  enum lead *lead)
{
    bool box = q->box != NULL && !way.each_box, is = false;
    bool filter = q->filter != NULL && q->box == NULL && q->words == NULL && !asks_datetime(q);
    size_t before = out->text.len;
    *lead = LEAD_NONE;
    if (way.table || (!box && !filter))
        return ODP_OK;
    odp_buffer_add_char(&out->text, '(');
    enum odp_status status = odp_expr_sql_search(box ? q->box : q->filter, &q->call->index->table, out, &is);
    if (status != ODP_OK)
        return status;
    if (!is) {
        out->text.len = before;
        return ODP_OK;
    }
    *lead = box ? LEAD_BOX : LEAD_FILTER;
    if (box && q->info->bare > 0) {
        odp_buffer_add_str(&out->text, " UNION ALL ");
        add_bare(q, out);
    }
    odp_buffer_add_char(&out->text, ')');
    return status;
}

/* Conditions that LEAD does not hold already. */
static enum odp_status add_conditions(const struct odp_query *q, struct query_way way, enum lead lead,
                                      struct odp_sql *out, bool *any)
{
    enum odp_status status = ODP_OK;
    if (q->filter != NULL && lead != LEAD_FILTER) {
        add_and(out, any);
        status = add_expr(q, q->filter, false, out);
    }
    if (status == ODP_OK && asks_datetime(q))
        status = add_datetime(q, out, any);
    if (status == ODP_OK && q->box != NULL && lead != LEAD_BOX) {
        add_and(out, any);
        status = add_box(q, way.each_box, out);
    }
    if (status == ODP_OK && q->words != NULL) {
        add_and(out, any);
        status = add_words(q, way.each_word, out);
    }
    return status;
}

/* The records that match, by a search where there is one; CROSS JOIN keeps its order of loops. COUNTED:
 * their numbers alone will do, so that the table is left out where a search says all. */
static enum odp_status add_matching(const struct odp_query *q, struct query_way way, bool counted,
                                    struct odp_sql *out, bool *any)
{
    enum lead lead;
    odp_buffer_add_str(&out->text, " FROM ");
    enum odp_status status = add_search(q, way, out, &lead);
    if (status != ODP_OK)
        return status;
    bool all = lead == LEAD_FILTER ||
               (lead == LEAD_BOX && q->filter == NULL && q->words == NULL && !asks_datetime(q));
    if (counted && all)
        return ODP_OK;
    *any = lead != LEAD_NONE;
    odp_buffer_add_str(&out->text, *any ? " AS s CROSS JOIN " : "");
    add_table(q, out);
    odp_buffer_add_str(&out->text, *any ? " WHERE d.fid = s.id" : way.table ? " NOT INDEXED" : "");
    return add_conditions(q, way, lead, out, any);
}

/* ---- what comes after the cursor's record ---- */

/* Key I as it is read: the sort keys, then the record's number. */
struct key {
    uint32_t column;
    bool number;      /* the record's number */
    bool up;          /* values grow in the direction of reading */
    bool nulls;       /* it may be null */
    bool nulls_first; /* in the direction of reading */
};

static struct key key_of(const struct odp_query *q, uint32_t i)
{
    if (i == q->nsort)
        return (struct key){.number = true, .up = !q->backward};
    const struct query_sort *s = &q->sort[i];
    return (struct key){.column = s->column,
                        .up = s->descending == q->backward,
                        .nulls = !q->info->columns[s->column].required,
                        .nulls_first = q->backward};
}

static void add_key(const struct odp_query *q, struct key k, struct odp_sql *out)
{
    if (k.number)
        odp_buffer_add_str(&out->text, "d.fid");
    else
        query_sql_key(q, k.column, out);
}

static enum odp_status bind_value(const struct odp_query *q, struct key k, const struct odp_sql_value *v,
                                  struct odp_sql *out)
{
    return k.number ? odp_sql_bind(out, v) : bind_key(q, k.column, v, out);
}

/* "key I comes after its value", as one condition; the unary plus keeps SQLite from building its plan on
 * parts of an OR. */
static enum odp_status add_after(const struct odp_query *q, struct key k, const struct odp_sql_value *v,
                                 struct odp_sql *out)
{
    if (v->kind == ODP_SQL_NULL) { /* nothing, or all that is not null */
        if (!k.nulls_first) {
            odp_buffer_add_char(&out->text, '0');
            return ODP_OK;
        }
        add_key(q, k, out);
        odp_buffer_add_str(&out->text, " IS NOT NULL");
        return ODP_OK;
    }
    bool nulls = k.nulls && !k.nulls_first;
    odp_buffer_add_str(&out->text, nulls ? "(+" : "+");
    add_key(q, k, out);
    odp_buffer_add_str(&out->text, k.up ? " > " : " < ");
    enum odp_status status = bind_value(q, k, v, out);
    if (nulls) {
        odp_buffer_add_str(&out->text, " OR ");
        add_key(q, k, out);
        odp_buffer_add_str(&out->text, " IS NULL)");
    }
    return status;
}

static enum odp_status add_equal(const struct odp_query *q, struct key k, const struct odp_sql_value *v,
                                 struct odp_sql *out)
{
    odp_buffer_add_char(&out->text, '+');
    add_key(q, k, out);
    if (v->kind == ODP_SQL_NULL) {
        odp_buffer_add_str(&out->text, " IS NULL");
        return ODP_OK;
    }
    odp_buffer_add_str(&out->text, " = ");
    return bind_value(q, k, v, out);
}

/* (k0 after v0 OR (k0 = v0 AND (k1 after v1 OR …))), from key FROM on. */
static enum odp_status add_lexicographic(const struct odp_query *q, uint32_t from, struct odp_sql *out)
{
    enum odp_status status = ODP_OK;
    uint32_t open = 0;
    for (uint32_t i = from; i <= q->nsort && status == ODP_OK; i++) {
        struct key k = key_of(q, i);
        odp_buffer_add_char(&out->text, '(');
        open++;
        status = add_after(q, k, &q->after[i], out);
        if (status != ODP_OK || i == q->nsort)
            break;
        odp_buffer_add_str(&out->text, " OR (");
        open++;
        status = add_equal(q, k, &q->after[i], out);
        odp_buffer_add_str(&out->text, " AND ");
    }
    while (open-- > 0)
        odp_buffer_add_char(&out->text, ')');
    return status;
}

/* How many keys from FROM on one comparison of rows can take: one direction, no nulls (the first one's
 * were split off, and are left out by it). */
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

static enum odp_status add_range(const struct odp_query *q, uint32_t from, uint32_t n, bool exact,
                                 struct odp_sql *out)
{
    enum odp_status status = ODP_OK;
    odp_buffer_add_str(&out->text, n > 1 ? "(" : "");
    for (uint32_t i = 0; i < n; i++) {
        odp_buffer_add_str(&out->text, i > 0 ? ", " : "");
        add_key(q, key_of(q, from + i), out);
    }
    odp_buffer_add_str(&out->text, n > 1 ? ")" : "");
    odp_buffer_add_str(&out->text, key_of(q, from).up ? exact ? " > " : " >= " : exact ? " < " : " <= ");
    odp_buffer_add_str(&out->text, n > 1 ? "(" : "");
    for (uint32_t i = 0; i < n && status == ODP_OK; i++) {
        odp_buffer_add_str(&out->text, i > 0 ? ", " : "");
        status = bind_value(q, key_of(q, from + i), &q->after[from + i], out);
    }
    odp_buffer_add_str(&out->text, n > 1 ? ")" : "");
    return status;
}

/* What comes after the cursor by the keys from FROM on. */
static enum odp_status add_cursor(const struct odp_query *q, uint32_t from, struct odp_sql *out, bool *any)
{
    uint32_t n = comparable(q, from);
    enum odp_status status = ODP_OK;
    bool exact = n == q->nsort + 1 - from;
    if (n > 0) {
        add_and(out, any);
        status = add_range(q, from, n, exact, out);
    }
    if (status != ODP_OK || exact)
        return status;
    add_and(out, any);
    return add_lexicographic(q, from, out);
}

enum odp_status query_sql_where(const struct odp_query *q, struct odp_sql *out, bool cursor)
{
    bool any = false;
    odp_buffer_add_str(&out->text, " FROM ");
    add_table(q, out);
    enum odp_status status = add_conditions(q, (struct query_way){0}, LEAD_NONE, out, &any);
    if (status == ODP_OK && cursor && q->after != NULL) {
        add_and(out, &any);
        status = add_lexicographic(q, 0, out);
    }
    return status == ODP_OK ? odp_buffer_status(&out->text) : status;
}

enum odp_status query_sql_count(const struct odp_query *q, struct odp_sql *out)
{
    bool any = false;
    odp_buffer_add_str(&out->text, "SELECT count(*)");
    enum odp_status status = add_matching(q, (struct query_way){0}, true, out, &any);
    return status == ODP_OK ? odp_buffer_status(&out->text) : status;
}

/* ---- order ---- */

static void add_order(const struct odp_query *q, uint32_t from, bool first_has_nulls, struct odp_sql *out)
{
    for (uint32_t i = from; i <= q->nsort; i++) {
        struct key k = key_of(q, i);
        odp_buffer_add_str(&out->text, i > from ? ", " : " ORDER BY ");
        add_key(q, k, out);
        odp_buffer_add_str(&out->text, k.up ? "" : " DESC");
        /* SQLite's nulls are the smallest values: said only where that is not the order wanted, since
         * saying so costs an index its use */
        if (k.nulls && k.up != k.nulls_first && (i > 0 || first_has_nulls))
            odp_buffer_add_str(&out->text, k.nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
}

/* The parts of a page whose first key may be null. Forward: those after the value, then the nulls.
 * Backward, nulls come first: after a null the nulls, then all others; after a value only those with a
 * value. */
static enum odp_status add_part(const struct odp_query *q, unsigned part, struct odp_sql *out, bool *any,
                                bool *last)
{
    struct key k = key_of(q, 0);
    bool null = q->after[0].kind == ODP_SQL_NULL;
    *last = null != k.nulls_first || part == 1;
    if (part == 0 && !null)
        return add_cursor(q, 0, out, any);
    add_and(out, any);
    add_key(q, k, out);
    if (part == 1 && k.nulls_first) {
        odp_buffer_add_str(&out->text, " IS NOT NULL");
        return ODP_OK;
    }
    odp_buffer_add_str(&out->text, " IS NULL");
    return part == 0 ? add_cursor(q, 1, out, any) : ODP_OK;
}

enum odp_status query_sql_page(const struct odp_query *q, unsigned part, uint32_t limit, struct query_way way,
                               struct odp_sql *out, bool *last)
{
    bool any = false, split = q->after != NULL && q->nsort > 0 && key_of(q, 0).nulls;
    *last = true;
    odp_buffer_add_str(&out->text, "SELECT d.fid");
    enum odp_status status = add_matching(q, way, false, out, &any);
    if (status == ODP_OK && split)
        status = add_part(q, part, out, &any, last);
    else if (status == ODP_OK && q->after != NULL)
        status = add_cursor(q, 0, out, &any);
    if (status != ODP_OK)
        return status;
    /* among nulls the first key says nothing; among values it has no nulls */
    bool nulls = split && (part == 0 ? q->after[0].kind == ODP_SQL_NULL : !q->backward);
    add_order(q, nulls ? 1 : 0, !split, out);
    odp_buffer_add_str(&out->text, " LIMIT ");
    status = odp_sql_bind(out, &(struct odp_sql_value){.kind = ODP_SQL_INT, .i = limit});
    if (status == ODP_OK && q->offset > 0 && q->after == NULL) {
        odp_buffer_add_str(&out->text, " OFFSET ");
        status = odp_sql_bind(out, &(struct odp_sql_value){.kind = ODP_SQL_INT, .i = q->offset});
    }
    return status == ODP_OK ? odp_buffer_status(&out->text) : status;
}
