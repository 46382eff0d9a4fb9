/* What every part of a round needs: whether it ends, counters, replies; pages of hashes, marks, and entries
 * of streams, [[NAME, [[ID, [FIELD, VALUE…]]…]]] of XREAD and [[ID, […]]…] of XREVRANGE. */
#include "service/cluster/cluster_internal.h"

#include <string.h>

#include "service/state/log.h"

bool odp_sync_stopped(const struct odp_sync *y)
{
    return atomic_load(&y->stop);
}

void odp_sync_add(struct odp_sync *y, uint64_t *counter, uint64_t n)
{
    pthread_mutex_lock(&y->mutex);
    *counter += n;
    pthread_mutex_unlock(&y->mutex);
}

void odp_sync_refuse(struct odp_sync *y, const char *what)
{
    odp_sync_add(y, &y->seen.refused, 1);
    if (y->seen.refused == 1)
        odp_log("warning", "Redis: %s is not of a form that this version knows; it is left out", what);
}

bool odp_sync_did(struct odp_sync *y, enum odp_status st)
{
    if (y->st == ODP_OK)
        y->st = st;
    return y->st == ODP_OK;
}

void odp_sync_odd(struct odp_sync *y)
{
    (void)odp_sync_did(y, odp_redis_odd(y->redis));
}

const struct redisReply *odp_sync_reply(struct odp_sync *y)
{
    const struct redisReply *reply;
    return y->st == ODP_OK && odp_sync_did(y, odp_redis_next(y->redis, &reply)) ? reply : odp_redis_nil();
}

void odp_sync_skip(struct odp_sync *y, size_t n)
{
    if (y->st == ODP_OK)
        y->st = odp_redis_skip(y->redis, n);
}

const struct redisReply *odp_sync_exec(struct odp_sync *y, size_t n)
{
    const struct redisReply *replies;
    return y->st == ODP_OK && odp_sync_did(y, odp_redis_exec(y->redis, n, &replies)) ? replies
                                                                                     : odp_redis_nil();
}

/* ---- hashes ---- */

void odp_sync_scan_begin(struct odp_sync_scan *s)
{
    *s = (struct odp_sync_scan){.cursor = "0"};
}

bool odp_sync_scanned(const struct odp_sync_scan *s)
{
    return s->pages > 0 && strcmp(s->cursor, "0") == 0;
}

const struct redisReply *odp_sync_scan(struct odp_sync *y, const char *hash, struct odp_sync_scan *s,
                                       size_t most, size_t *n)
{
    uint64_t number;
    *n = 0;
    odp_redis_command(y->redis, "HSCAN", hash, s->cursor, "COUNT", "1000", NULL);
    const struct redisReply *reply = odp_sync_reply(y), *page = odp_redis_element(reply, 1);
    struct odp_slice next = odp_redis_text(odp_redis_element(reply, 0));
    size_t found = odp_redis_elements(page);
    if (y->st == ODP_OK &&
        (odp_redis_elements(reply) != 2 || found == SIZE_MAX || found % 2 != 0 ||
         !odp_wire_number(next, UINT64_MAX, &number) || (s->total += found / 2) > most || ++s->pages > most))
        odp_sync_odd(y);
    if (y->st != ODP_OK)
        return odp_redis_nil();
    memcpy(s->cursor, next.ptr, next.len);
    s->cursor[next.len] = '\0';
    *n = found;
    return page;
}

struct odp_wire_mark odp_sync_mark(struct odp_sync *y, const char *hash)
{
    struct odp_wire_mark mark;
    odp_redis_command(y->redis, "HGET", hash, "!", NULL);
    if (!odp_wire_mark_read(odp_redis_text(odp_sync_reply(y)), &mark))
        mark = (struct odp_wire_mark){0};
    return mark;
}

bool odp_sync_same_mark(const struct odp_wire_mark *a, const struct odp_wire_mark *b)
{
    return a->epoch[0] != '\0' && a->seq == b->seq && strcmp(a->epoch, b->epoch) == 0;
}

/* ---- streams ---- */

static bool take_id(char cursor[ODP_SYNC_CURSOR], struct odp_slice id)
{
    if (id.len == 0 || id.len >= ODP_SYNC_CURSOR)
        return false;
    for (size_t i = 0; i < id.len; i++)
        if (id.ptr[i] != '-' && (id.ptr[i] < '0' || id.ptr[i] > '9'))
            return false;
    memcpy(cursor, id.ptr, id.len);
    cursor[id.len] = '\0';
    return true;
}

struct odp_sync_entries odp_sync_entries(struct odp_sync *y, const struct redisReply *reply)
{
    const struct redisReply *stream = odp_redis_element(reply, 0);
    struct odp_sync_entries e = {.list = odp_redis_element(stream, 1)};
    if (odp_redis_is_nil(reply))
        return e;
    e.n = odp_redis_elements(e.list);
    if (odp_redis_elements(reply) != 1 || odp_redis_elements(stream) != 2 || e.n == SIZE_MAX) {
        odp_sync_odd(y);
        e.n = 0;
    }
    return e;
}

const struct redisReply *odp_sync_entry(struct odp_sync *y, const struct odp_sync_entries *e, size_t i,
                                        char cursor[ODP_SYNC_CURSOR])
{
    const struct redisReply *one = odp_redis_element(e->list, i);
    if (odp_redis_elements(one) != 2 || !take_id(cursor, odp_redis_text(odp_redis_element(one, 0))))
        odp_sync_odd(y);
    return odp_redis_element(one, 1);
}

void odp_sync_last_id(struct odp_sync *y, const struct redisReply *reply, char cursor[ODP_SYNC_CURSOR])
{
    struct odp_sync_entries e = {.list = reply, .n = odp_redis_elements(reply)};
    memcpy(cursor, "0-0", sizeof "0-0");
    if (e.n > 1)
        odp_sync_odd(y);
    else if (e.n == 1)
        (void)odp_sync_entry(y, &e, 0, cursor);
}
