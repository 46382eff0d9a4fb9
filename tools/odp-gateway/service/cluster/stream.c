/* Replies of the stream commands: [[NAME, [[ID, [FIELD, VALUE…]]…]]] of XREAD, [[ID, […]]…] of XREVRANGE. */
#include "service/cluster/cluster_internal.h"

#include <string.h>

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

enum odp_status odp_sync_entries(struct odp_sync *y, const struct redisReply *reply, struct odp_sync_entries *out)
{
    *out = (struct odp_sync_entries){0};
    if (odp_redis_is_nil(reply))
        return ODP_OK;
    if (odp_redis_elements(reply) != 1 || odp_redis_elements(odp_redis_element(reply, 0)) != 2)
        return odp_redis_odd(y->redis);
    out->list = odp_redis_element(odp_redis_element(reply, 0), 1);
    out->n = odp_redis_elements(out->list);
    return out->n != SIZE_MAX ? ODP_OK : odp_redis_odd(y->redis);
}

enum odp_status odp_sync_entry(struct odp_sync *y, const struct odp_sync_entries *e, size_t i, char cursor[ODP_SYNC_CURSOR],
                               const struct redisReply **fields)
{
    const struct redisReply *one = odp_redis_element(e->list, i);
    if (odp_redis_elements(one) != 2 || !take_id(cursor, odp_redis_text(odp_redis_element(one, 0))))
        return odp_redis_odd(y->redis);
    *fields = odp_redis_element(one, 1);
    return ODP_OK;
}

enum odp_status odp_sync_last_id(struct odp_sync *y, const struct redisReply *reply, char cursor[ODP_SYNC_CURSOR])
{
    const struct redisReply *fields;
    struct odp_sync_entries e = {.list = reply, .n = odp_redis_elements(reply)};
    if (e.n > 1)
        return odp_redis_odd(y->redis);
    memcpy(cursor, "0-0", sizeof "0-0");
    return e.n == 1 ? odp_sync_entry(y, &e, 0, cursor, &fields) : ODP_OK;
}

enum odp_status odp_sync_stream_end(struct odp_sync *y, const char *stream, char cursor[ODP_SYNC_CURSOR])
{
    const struct redisReply *reply;
    odp_redis_command(y->redis, "XREVRANGE", stream, "+", "-", "COUNT", "1", NULL);
    enum odp_status st = odp_redis_next(y->redis, &reply);
    return st == ODP_OK ? odp_sync_last_id(y, reply, cursor) : st;
}
