/* How many records match. The answer is remembered by what matches, so that paging through it counts once.
 * That it took too long is remembered for a minute: another time it may not. */
#include <stdlib.h>
#include <time.h>

#include "service/queries/engine/engine_internal.h"

enum { RETRY = 60 }; /* seconds */

static int64_t seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec;
}

bool query_recall(struct odp_index *ix, const char *conditions, int64_t *total)
{
    bool found = false;
    (void)pthread_mutex_lock(&ix->lock);
    for (size_t i = 0; i < QUERY_COUNTS && !found; i++) {
        struct query_counted *c = &ix->counted[i];
        if (c->conditions == NULL || strcmp(c->conditions, conditions) != 0)
            continue;
        if (c->total < 0 && seconds() >= c->until)
            break;
        *total = c->total;
        c->used = ++ix->clock;
        found = true;
    }
    (void)pthread_mutex_unlock(&ix->lock);
    return found;
}

/* In the place of the one that was asked for longest ago. Without memory it is not remembered. */
void query_remember(struct odp_index *ix, const char *conditions, int64_t total)
{
    size_t len = strlen(conditions);
    char *copy = malloc(len + 1);
    if (copy == NULL)
        return;
    memcpy(copy, conditions, len + 1);
    (void)pthread_mutex_lock(&ix->lock);
    struct query_counted *best = NULL;
    for (size_t i = 0; i < QUERY_COUNTS; i++) {
        struct query_counted *c = &ix->counted[i];
        if (c->conditions != NULL && strcmp(c->conditions, conditions) == 0) { /* another query was as fast */
            best = c;
            break;
        }
        if (best == NULL || (best->conditions != NULL && (c->conditions == NULL || c->used < best->used)))
            best = c;
    }
    free(best->conditions);
    *best = (struct query_counted){
        .conditions = copy, .total = total, .used = ++ix->clock, .until = seconds() + RETRY};
    (void)pthread_mutex_unlock(&ix->lock);
}

/* Words alone are counted where they stand. */
static enum odp_status count_sql(const struct odp_query *q, struct odp_sql *sql)
{
    bool words_only = q->words != NULL && q->filter == NULL && q->box == NULL && q->datetime[0] == NULL &&
                      q->datetime[1] == NULL;
    if (!words_only)
        return query_sql_count(q, sql);
    odp_buffer_add_str(&sql->text, "SELECT count(*) FROM odp_words WHERE odp_words MATCH ");
    return odp_sql_bind(sql, &(struct odp_sql_value){.kind = ODP_SQL_TEXT, .text = odp_slice_of(q->words)});
}

enum odp_status query_count(struct query_run *r, int64_t *total)
{
    struct odp_query *q = r->q;
    *total = -1;
    if (q->conditions[0] == '\0') {
        *total = (int64_t)q->info->rows;
        return ODP_OK;
    }
    if (q->call->limits->count_ms == 0 || query_recall(r->ix, q->conditions, total))
        return ODP_OK;
    struct odp_sql sql;
    struct odp_query_fault ignored;
    sqlite3_stmt *stmt = NULL;
    odp_sql_init(&sql, q->arena);
    enum odp_status status = count_sql(q, &sql);
    if (status == ODP_OK)
        status = query_run_prepare(r, &sql, &stmt);
    if (status == ODP_OK) {
        query_run_limit(r, q->call->limits->count_ms);
        status = query_run_step(r, stmt, &ignored);
        if (status == ODP_OK)
            *total = sqlite3_column_int64(stmt, 0);
        if (status != ODP_FAIL)
            query_remember(r->ix, q->conditions, *total);
        status = status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    }
    query_run_done(r, stmt);
    odp_sql_release(&sql);
    return status;
}
