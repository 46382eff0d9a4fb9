/* usage, and the audit log. Columns come from a list of ours, never from the request. */
#include <string.h>

#include "service/admin/admin_internal.h"
#include "words/admin.h"

enum { COLUMNS_MAX = 6, ROWS_MAX = 100000, AUDIT_LAST = 100, AUDIT_MAX = 10000 };

/* What requests can be grouped by. Keys and datasets are counted apart: a key's counter does not know the
 * dataset. */
static const struct column {
    const char *word, *name;           /* NAME as odp_admin_rows takes it */
    const char *of_datasets, *of_keys; /* SQL, or NULL */
    const char *group;                 /* SQL, when it is not the column itself: two keys may look the same */
} columns[] = {
    {"dataset", "dataset", "u.dataset", NULL, NULL},
    {"format", "format", "u.format", NULL, NULL},
    {"tier", "tier", "u.tier", NULL, NULL},
    {"day", "day:day", "u.day", "u.day", NULL},
    {"machine", "machine", "rtrim(u.machine, '~')", "(SELECT name FROM machine WHERE id = u.machine)", NULL},
    {"key", "key", NULL, "(SELECT shown FROM key WHERE account = u.account ORDER BY id DESC LIMIT 1)",
     "u.account"},
};

struct query {
    const struct column *by[COLUMNS_MAX];
    size_t n;
    bool datasets, keys; /* what the columns demand */
    int64_t account;     /* 0: all */
};

static enum odp_status add_column(struct odp_admin *x, struct query *q, struct odp_slice word)
{
    word = odp_slice_trim(word);
    for (size_t i = 0; i < ODP_COUNT(columns); i++) {
        if (!odp_slice_is(word, columns[i].word))
            continue;
        for (size_t k = 0; k < q->n; k++)
            if (q->by[k] == &columns[i])
                return ODP_OK;
        q->by[q->n++] = &columns[i];
        q->datasets = q->datasets || columns[i].of_keys == NULL;
        q->keys = q->keys || columns[i].of_datasets == NULL;
        return ODP_OK;
    }
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "by", W_admin_choose_from_dataset_format_tier);
}

static enum odp_status add_words(struct odp_admin *x, struct query *q, const char *text)
{
    enum odp_status st = ODP_OK;
    for (const char *p = text; st == ODP_OK; p++) {
        size_t n = strcspn(p, ",");
        st = add_column(x, q, (struct odp_slice){p, n});
        p += n;
        if (*p == '\0')
            break;
    }
    return st;
}

static enum odp_status read_columns(struct odp_admin *x, struct query *q)
{
    const json_t *by = json_object_get(x->request, "by");
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < json_array_size(by) && st == ODP_OK; i++)
        st = add_words(x, q, json_string_value(json_array_get(by, i)));
    if (json_is_string(by))
        st = add_words(x, q, json_string_value(by));
    if (st == ODP_OK && q->n == 0)
        st = add_words(x, q, "day");
    if (st == ODP_OK && q->keys && q->datasets)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "by", W_admin_key_only_days_machines_counted);
    return st;
}

/* "SELECT day, sum(count) FROM … GROUP BY 1 ORDER BY 1" */
static void write_sql(struct odp_buffer *sql, const struct query *q)
{
    odp_buffer_add_str(sql, "SELECT ");
    for (size_t i = 0; i < q->n; i++)
        odp_buffer_printf(sql, "%s AS \"%s\", ", q->keys ? q->by[i]->of_keys : q->by[i]->of_datasets,
                          q->by[i]->name);
    odp_buffer_printf(sql, "sum(u.count) AS count FROM %s u WHERE u.day BETWEEN ?1 AND ?2%s GROUP BY ",
                      q->keys ? "usage_key" : "usage_dataset", q->account != 0 ? " AND u.account = ?3" : "");
    for (size_t i = 0; i < q->n; i++) {
        odp_buffer_add_str(sql, i > 0 ? ", " : "");
        if (q->by[i]->group != NULL)
            odp_buffer_add_str(sql, q->by[i]->group);
        else
            odp_buffer_add_u64(sql, i + 1);
    }
    odp_buffer_add_str(sql, " HAVING sum(u.count) > 0 ORDER BY ");
    for (size_t i = 0; i < q->n; i++)
        odp_buffer_printf(sql, "%s%zu", i > 0 ? ", " : "", i + 1);
    odp_buffer_add_str(sql, " LIMIT ?4");
}

/* The mutex is held. */
static enum odp_status run(struct odp_admin *x, const struct query *by, int64_t from, int64_t to)
{
    struct odp_buffer text = {0};
    write_sql(&text, by);
    struct odp_sql q = {.db = x->s->db, .st = odp_buffer_status(&text)};
    odp_sql_select(&q, odp_buffer_cstr(&text), "iiii", from, to, by->account, (int64_t)ROWS_MAX + 1);
    odp_buffer_release(&text);
    bool more = odp_admin_rows(x, &q, ROWS_MAX);
    odp_admin_more(x, more, 0);
    return q.st;
}

enum odp_status odp_admin_usage(struct odp_admin *x)
{
    struct query q = {0};
    int64_t from = 0, to = 0;
    enum odp_status st = read_columns(x, &q);
    if (st == ODP_OK)
        st = odp_admin_day(x, "from", 0, &from);
    if (st == ODP_OK)
        st = odp_admin_day(x, "to", INT32_MAX, &to);
    if (st == ODP_OK && json_object_get(x->request, "key") != NULL) {
        if (q.datasets)
            return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "by",
                                    W_admin_key_only_days_machines_counted_2);
        st = odp_admin_key(x);
        q.account = x->key.account;
        q.keys = true;
    }
    if (st == ODP_OK)
        st = odp_state_flush(x->s); /* what was counted a moment ago belongs to the answer */
    if (st != ODP_OK)
        return st;
    pthread_mutex_lock(&x->s->mutex);
    st = run(x, &q, from, to);
    pthread_mutex_unlock(&x->s->mutex);
    return st;
}

/* ---- audit ---- */

enum odp_status odp_admin_audit_list(struct odp_admin *x)
{
    int64_t limit = odp_admin_limit(x, AUDIT_LAST, AUDIT_MAX), after = odp_admin_number(x, "after", -1);
    struct odp_sql q = {.db = x->s->db};
    pthread_mutex_lock(&x->s->mutex);
    int64_t newest = odp_sql_number(&q, "SELECT max(seq) FROM audit", "");
    if (after < 0)
        after = newest > limit ? newest - limit : 0;
    odp_sql_select(&q,
                   "SELECT seq, time AS \"time:time\", actor, act, subject, detail AS \"detail:json\""
                   " FROM audit WHERE seq > ? ORDER BY seq LIMIT ?",
                   "ii", after, limit);
    (void)odp_admin_rows(x, &q, AUDIT_MAX);
    pthread_mutex_unlock(&x->s->mutex);
    size_t n = json_array_size(x->rows);
    int64_t last = json_integer_value(json_object_get(json_array_get(x->rows, n - 1), "seq"));
    odp_admin_more(x, n > 0 && last<newest, n> 0 ? last : after);
    return q.st;
}
