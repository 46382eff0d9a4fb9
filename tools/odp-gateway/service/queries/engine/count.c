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

/* The lock is held. */
static struct query_counted *find(struct odp_index *ix, const char *key)
{
    for (size_t i = 0; i < QUERY_COUNTS; i++)
        if (ix->counted[i].conditions != NULL && strcmp(ix->counted[i].conditions, key) == 0)
            return &ix->counted[i];
    return NULL;
}

bool query_recall(struct odp_index *ix, const char *key, int64_t *total)
{
    (void)pthread_mutex_lock(&ix->lock);
    struct query_counted *c = find(ix, key);
    bool found = c != NULL && (c->total >= 0 || seconds() < c->until);
    if (found) {
        *total = c->total;
        c->used = ++ix->clock;
    }
    (void)pthread_mutex_unlock(&ix->lock);
    return found;
}

/* In the place of the one that was asked for longest ago; a free one was never asked for. Without memory it
 * is not remembered. */
void query_remember(struct odp_index *ix, const char *key, int64_t total)
{
    char *copy = strdup(key);
    if (copy == NULL)
        return;
    (void)pthread_mutex_lock(&ix->lock);
    struct query_counted *c = find(ix, key); /* another query was as fast */
    if (c == NULL) {
        c = ix->counted;
        for (size_t i = 1; i < QUERY_COUNTS; i++)
            if (ix->counted[i].used < c->used)
                c = &ix->counted[i];
    }
    free(c->conditions);
    *c = (struct query_counted){
        .conditions = copy, .total = total, .used = ++ix->clock, .until = seconds() + RETRY};
    (void)pthread_mutex_unlock(&ix->lock);
}

enum odp_status query_count(struct odp_query *q, int64_t *total)
{
    bool words_only = q->words != NULL && q->filter == NULL && q->box == NULL && q->datetime[0] == NULL &&
                      q->datetime[1] == NULL;
    struct query_rows counted;
    *total = -1;
    if (q->conditions[0] == '\0') {
        *total = (int64_t)q->info->rows;
        return ODP_OK;
    }
    if (q->call->limits->count_ms == 0 || query_recall(q->call->index, q->conditions, total))
        return ODP_OK;
    query_rows_begin(&counted, q);
    if (words_only) /* they are counted where they stand */
        query_sql(q, &counted.sql, "SELECT count(*) FROM odp_words WHERE odp_words MATCH %x", q->words);
    else
        query_sql_count(q, &counted.sql);
    query_run_limit(q, q->call->limits->count_ms);
    if (query_rows_next(&counted))
        *total = sqlite3_column_int64(counted.stmt, 0);
    enum odp_status status = query_rows_end(&counted);
    if (status != ODP_FAIL)
        query_remember(q->call->index, q->conditions, *total);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
