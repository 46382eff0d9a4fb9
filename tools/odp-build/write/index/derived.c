/* Columns other than fields (odp:queryables, odp:timeline): set on the thread that appends, because a value
 * may come from the index of another resource, and a prefix may be one of such a value.
 *
 * A taken value is looked up in the other resource's index, by its key, with its text as published. Nothing
 * found, and a key with a null, is null. Its labels are the other column's; a
 * prefix has those of the list whose codes it is (odp_queryable_key). Delay:
 * `actual - planned` in days (less than 0: early); before the milestone `version's date - planned` if that is
 * more than 0, else null; without a plan null. */
#include "base/utf8.h"
#include "write/index/index_internal.h"
#include "words/write.h"

/* The index of a foreign key's target, and its record for the last key: equal keys mostly follow each other.
 */
struct writer_taken {
    struct writer_taken *next;
    const struct odp_foreign_key *key;
    sqlite3 *db;
    sqlite3_stmt *
        find; /* by column its value and its text as published; it stays at its row as long as the key does */
    struct odp_search_info info;
    uint32_t *local; /* columns of the key here */
    bool looked, found;
    struct odp_buffer last; /* the key, as bytes */
};

/* ---- planning ---- */

static struct odp_slice text_at(sqlite3_stmt *s, int k)
{
    const char *text = (const char *)sqlite3_column_text(s, k);
    return (struct odp_slice){text, (size_t)sqlite3_column_bytes(s, k)};
}

static struct odp_search_column *add_column(struct odp_search_writer *w, const char *name, enum odp_type type,
                                            enum writer_source source)
{
    uint32_t at = w->info.ncolumns++;
    w->info.columns[at] = (struct odp_search_column){.name = name, .type = type};
    w->columns[at] = (struct writer_column){.source = source, .type = type, .from = -1};
    return &w->info.columns[at];
}

/* SELECT d.a, d.a, d.b, e.b … WHERE d.<key> = ?1 AND …: each column, and its text. */
static void prepare_find(struct odp_search_writer *w, struct writer_taken *t)
{
    const struct odp_schema *s = &t->key->target->schema;
    const struct odp_search_info *i = &t->info;
    for (uint32_t k = 0; k < i->ncolumns; k++)
        odp_buffer_printf(&w->text, "%s d.%s, %s.%s", k == 0 ? "SELECT" : ",", i->columns[k].sql,
                          odp_search_is_exact(i->columns[k].type) ? "e" : "d", i->columns[k].sql);
    odp_buffer_printf(&w->text, " FROM %s AS d%s WHERE ", i->names.table,
                      odp_search_has_exact(i) ? " JOIN odp_exact AS e ON e.fid = d.fid" : "");
    for (uint32_t k = 0; k < t->key->remote.n; k++) {
        int column = odp_search_find(i, odp_slice_of(s->fields[t->key->remote.fields[k]].name));
        int local = w->column_of[t->key->local.fields[k]];
        if (column < 0 || local < 0) {
            writer_fail(w, "query index: a key of odp:queryables is not public", 0);
            return;
        }
        t->local[k] = (uint32_t)local;
        odp_buffer_printf(&w->text, "%sd.%s = ?%u", k > 0 ? " AND " : "", i->columns[column].sql, k + 1);
    }
    odp_buffer_add_str(&w->text, " LIMIT 1");
    int rc =
        sqlite3_prepare_v3(t->db, odp_buffer_cstr(&w->text), -1, SQLITE_PREPARE_PERSISTENT, &t->find, NULL);
    odp_buffer_clear(&w->text);
    if (rc != SQLITE_OK || w->text.failed)
        writer_fail(w, "query index: cannot ask the index of another resource", 0);
}

/* NULL: failed. */
static struct writer_taken *open_taken(struct odp_search_writer *w, const struct odp_foreign_key *key)
{
    const struct odp_search_file *file =
        w->job.searches != NULL ? &w->job.searches[key->target->index] : NULL;
    const char *why;
    struct writer_taken *t = w->taken;
    while (t != NULL && t->key != key)
        t = t->next;
    if (t != NULL)
        return t;
    if (file == NULL || file->disk == NULL) {
        writer_fail(w, "query index: the resource that a queryable is taken from has no index", 0);
        return NULL;
    }
    t = odp_arena_zero(&w->arena, 1, sizeof *t);
    t->key = key;
    t->next = w->taken;
    w->taken = t;
    odp_buffer_init(&t->last);
    t->local = odp_arena_zero(&w->arena, (size_t)key->remote.n + 1, sizeof *t->local);
    if (odp_search_info_open(&t->info, file->disk, &w->arena, &why) != ODP_OK)
        writer_fail(w, "query index: cannot read the index of another resource", 0);
    else if (sqlite3_open_v2(file->disk, &t->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
             SQLITE_OK)
        writer_fail(w, "query index: cannot open the index of another resource", 0);
    else
        prepare_find(w, t);
    return w->status == ODP_OK ? t : NULL;
}

/* The column's codes mean the same here. */
static void take_labels(struct odp_search_writer *w, struct writer_column *c)
{
    sqlite3_stmt *s = NULL;
    struct writer_label *labels = odp_arena_array(&w->arena, 64, sizeof *labels);
    uint32_t n = 0, cap = 64;
    const char *name = c->taken->info.columns[c->taken_column].name;
    int rc = sqlite3_prepare_v2(c->taken->db, "SELECT code, id, en FROM odp_label WHERE \"column\" = ?", -1,
                                &s, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        struct odp_slice text[3];
        for (int k = 0; k < 3; k++) {
            struct odp_slice value = text_at(s, k);
            text[k] = odp_arena_copy(&w->arena, value.ptr != NULL ? value : ODP_LIT(""));
        }
        if (n == cap) {
            struct writer_label *grown = odp_arena_array(&w->arena, cap *= 2, sizeof *grown);
            labels = memcpy(grown, labels, n * sizeof *grown);
        }
        labels[n++] = (struct writer_label){text[0], {{text[1].ptr, text[2].ptr}}};
        rc = SQLITE_OK;
    }
    (void)sqlite3_finalize(s);
    if (rc != SQLITE_DONE)
        writer_fail(w, "query index: cannot read the labels of another resource", 0);
    writer_set_labels(c, labels, n);
}

static void plan_taken(struct odp_search_writer *w, const struct odp_queryable *q,
                       struct odp_search_column *column)
{
    const struct odp_field *f = &q->key->target->schema.fields[q->take];
    struct writer_column *c = &w->columns[w->info.ncolumns - 1];
    c->taken = open_taken(w, q->key);
    if (c->taken == NULL)
        return;
    int at = odp_search_find(&c->taken->info, odp_slice_of(f->name));
    if (at < 0) {
        writer_fail(w, "query index: a field of odp:queryables is not public", 0);
        return;
    }
    c->taken_column = (uint32_t)at;
    c->type = f->type;
    column->type = f->type;
    column->unit = f->unit;
    if (odp_text_is_empty(&column->title))
        column->title = f->title;
    take_labels(w, c);
}

static void plan_prefix(struct odp_search_writer *w, const struct odp_queryable *q, struct writer_column *c)
{
    const struct odp_foreign_key *key = odp_queryable_key(w->job.resource, q);
    const struct odp_code_list *list =
        key != NULL && w->job.codes != NULL ? odp_code_lists_edition(w->job.codes, key->target) : NULL;
    if (list != NULL)
        writer_list_labels(w, c, list);
}

static void plan_queryables(struct odp_search_writer *w)
{
    const struct odp_resource *r = w->job.resource;
    uint32_t first = w->info.ncolumns;
    for (size_t k = 0; k < r->nqueryables; k++) {
        const struct odp_queryable *q = &r->queryables[k];
        bool prefix = q->kind == ODP_QUERYABLE_PREFIX;
        struct odp_search_column *column =
            add_column(w, q->name, q->type, prefix ? WRITER_PREFIX : WRITER_TAKEN);
        struct writer_column *c = &w->columns[w->info.ncolumns - 1];
        column->title = q->title;
        if (prefix)
            plan_prefix(w, q, c);
        else
            plan_taken(w, q, column);
        c->prefix = q->prefix;
        if (prefix && q->queryable >= 0)
            c->from = (int)first + q->queryable;
        else if (prefix && q->field >= 0)
            c->from = w->column_of[q->field];
    }
}

static void plan_timeline(struct odp_search_writer *w, const struct odp_timeline *t)
{
    struct odp_search_info *i = &w->info;
    i->project = w->column_of[t->project];
    i->milestone = w->column_of[t->milestone];
    i->planned = w->column_of[t->planned];
    i->actual = w->column_of[t->actual];
    i->date = (int)i->ncolumns;
    add_column(w, t->date, ODP_TYPE_DATE, WRITER_DATE)->title =
        (struct odp_text){{W_write_date_actual_else_planned}};
    i->delay = (int)i->ncolumns;
    struct odp_search_column *delay = add_column(w, t->delay, ODP_TYPE_INTEGER, WRITER_DELAY);
    delay->title = (struct odp_text){{W_write_delay}};
    delay->unit = (struct odp_text){{W_write_days}};
}

static bool days_of(struct odp_slice text, int64_t *out)
{
    struct odp_datetime d;
    if (odp_date_parse(text, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    *out = odp_date_days(&d);
    return true;
}

void writer_plan_derived(struct odp_search_writer *w)
{
    const struct odp_timeline *t = w->job.resource->timeline;
    plan_queryables(w);
    if (t == NULL)
        return;
    struct odp_slice day = odp_slice_of(w->job.last_update);
    day.len = day.len > 10 ? 10 : day.len; /* of a timestamp */
    if (!days_of(day, &w->today))
        writer_fail(w, "query index: the version has no date", 0);
    plan_timeline(w, t);
}

void writer_close_taken(struct odp_search_writer *w)
{
    for (struct writer_taken *t = w->taken; t != NULL; t = t->next) {
        (void)sqlite3_finalize(t->find);
        (void)sqlite3_close(t->db);
        odp_buffer_release(&t->last);
    }
    w->taken = NULL;
}

/* ---- values ---- */

static void add_key(struct odp_buffer *out, const struct writer_value *v)
{
    odp_buffer_add(out, &v->tag, sizeof v->tag);
    odp_buffer_add(out, &v->i, sizeof v->i);
    odp_buffer_add(out, &v->r, sizeof v->r);
    odp_buffer_add(out, &v->text.len, sizeof v->text.len);
    odp_buffer_add_slice(out, v->text);
}

/* Stands at the record that the key of w->record leads to. */
static void look_up(struct odp_search_writer *w, struct writer_taken *t)
{
    odp_buffer_clear(&w->other);
    for (uint32_t k = 0; k < t->key->remote.n; k++)
        add_key(&w->other, &w->record.values[t->local[k]]);
    if (t->looked && odp_slice_eq(odp_buffer_slice(&w->other), odp_buffer_slice(&t->last)))
        return;
    odp_buffer_clear(&t->last);
    odp_buffer_add_slice(&t->last, odp_buffer_slice(&w->other));
    (void)sqlite3_reset(t->find);
    int rc = SQLITE_OK;
    for (uint32_t k = 0; k < t->key->remote.n && rc == SQLITE_OK; k++)
        rc = writer_bind(t->find, (int)k + 1, &w->record.values[t->local[k]]);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(t->find);
    t->looked = true;
    t->found = rc == SQLITE_ROW;
    if (t->last.failed || w->other.failed || (rc != SQLITE_ROW && rc != SQLITE_DONE))
        writer_fail(w, "query index: cannot look up a record of another resource", 0);
}

static void derive_taken(struct odp_search_writer *w, const struct writer_column *c, struct writer_value *v)
{
    struct writer_taken *t = c->taken;
    int at = 2 * (int)c->taken_column;
    look_up(w, t);
    int type = t->found ? sqlite3_column_type(t->find, at) : SQLITE_NULL;
    if (type != SQLITE_NULL && odp_search_is_exact(c->type))
        v->exact = text_at(t->find, at + 1);
    switch (type) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        v->tag = WRITER_INT;
        v->i = sqlite3_column_int64(t->find, at);
        break;
    case SQLITE_FLOAT:
        v->tag = odp_search_real(v->exact, &v->r, &v->scale) ? WRITER_REAL : WRITER_NULL;
        break;
    default:
        v->tag = type == SQLITE_BLOB ? WRITER_BLOB : WRITER_TEXT;
        v->text.ptr = sqlite3_column_blob(t->find, at);
        v->text.len = (size_t)sqlite3_column_bytes(t->find, at);
        v->text.ptr = v->text.ptr != NULL ? v->text.ptr : "";
    }
    if (sqlite3_errcode(sqlite3_db_handle(t->find)) == SQLITE_NOMEM) /* no text is none, too */
        writer_fail(w, "query index: cannot look up a record of another resource", 0);
}

static bool is_text(const struct writer_value *v)
{
    return v->tag == WRITER_TEXT;
}

static void derive_prefix(struct odp_search_writer *w, const struct writer_column *c, struct writer_value *v)
{
    const struct writer_value *from = c->from >= 0 ? &w->record.values[c->from] : v;
    size_t at = 0;
    if (!is_text(from))
        return;
    for (int64_t n = 0; n < c->prefix && at < from->text.len; n++) {
        uint32_t cp;
        at += odp_utf8_decode(from->text.ptr + at, from->text.len - at, &cp);
    }
    v->tag = WRITER_TEXT;
    v->text = (struct odp_slice){from->text.ptr, at};
}

static void derive_date(struct odp_search_writer *w, struct writer_value *v)
{
    const struct writer_value *actual = &w->record.values[w->info.actual],
                              *planned = &w->record.values[w->info.planned];
    const struct writer_value *from = is_text(actual) ? actual : planned;
    if (is_text(from))
        *v = *from;
}

static void derive_delay(struct odp_search_writer *w, struct writer_value *v)
{
    const struct writer_value *actual = &w->record.values[w->info.actual],
                              *planned = &w->record.values[w->info.planned];
    int64_t due, done = w->today;
    bool reached = is_text(actual);
    bool known =
        is_text(planned) && days_of(planned->text, &due) && (!reached || days_of(actual->text, &done));
    if (!known || (!reached && done <= due))
        return;
    v->tag = WRITER_INT;
    v->i = done - due;
}

void writer_derive(struct odp_search_writer *w)
{
    for (uint32_t k = w->info.nfields; k < w->info.ncolumns; k++) {
        const struct writer_column *c = &w->columns[k];
        struct writer_value *v = &w->record.values[k];
        *v = (struct writer_value){.tag = WRITER_NULL};
        switch (c->source) {
        case WRITER_PREFIX:
            derive_prefix(w, c, v);
            break;
        case WRITER_TAKEN:
            derive_taken(w, c, v);
            break;
        case WRITER_DATE:
            derive_date(w, v);
            break;
        case WRITER_DELAY:
            derive_delay(w, v);
            break;
        case WRITER_FIELD:
            break;
        }
    }
}
