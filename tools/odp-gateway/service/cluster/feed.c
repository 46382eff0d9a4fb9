/* What every part of a round needs: whether it ends, counters, replies; and feeds.
 *
 * A feed is a map that one machine writes and others follow: the hash NAME, and the sorted set NAME:order
 * with the number of each field's last change. Its mark, field "!", says which filling it is and the
 * newest number; fields, order and mark are changed together. Who has read up to a number asks for what is
 * above it, so nobody can miss anything, and reading all is reading from 0. */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/line.h"
#include "service/state/log.h"

#define EXPIRE_SECONDS "691200"

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

/* ---- feeds ---- */

static const char *order_of(const char *name, char out[ODP_SYNC_NAME])
{
    (void)snprintf(out, ODP_SYNC_NAME, "%s:order", name);
    return out;
}

void odp_feed_day(char out[ODP_SYNC_NAME], const char *what, uint32_t day, const char *machine)
{
    (void)snprintf(out, ODP_SYNC_NAME, "odp:%s:%u:%s", what, (unsigned)day, machine);
}

void odp_feed_ask(struct odp_sync *y, const char *name)
{
    char order[ODP_SYNC_NAME];
    odp_redis_command(y->redis, "HGET", name, "!", NULL);
    odp_redis_command(y->redis, "EXISTS", order_of(name, order), NULL);
}

struct odp_wire_mark odp_feed_mark(struct odp_sync *y)
{
    struct odp_wire_mark mark;
    bool known = odp_wire_mark_read(odp_redis_text(odp_sync_reply(y)), &mark);
    bool ordered = odp_redis_integer(odp_sync_reply(y)) > 0;
    return known && (ordered || mark.seq == 0) ? mark : (struct odp_wire_mark){0};
}

bool odp_feed_same(const struct odp_wire_mark *a, const struct odp_wire_mark *b)
{
    return a->epoch[0] != '\0' && a->seq == b->seq && strcmp(a->epoch, b->epoch) == 0;
}

void odp_feed_begin(struct odp_sync *y, const char *name, struct odp_wire_mark *mark)
{
    char order[ODP_SYNC_NAME];
    *mark = (struct odp_wire_mark){0};
    if (!odp_sync_did(y, odp_random_hex(mark->epoch, ODP_WIRE_ID)))
        return;
    odp_redis_command(y->redis, "UNLINK", name, order_of(name, order), NULL);
    odp_sync_skip(y, 1);
}

static size_t lines_of(struct odp_slice s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += s.ptr[i] == '\n';
    return n;
}

/* "FIELD VALUE" */
static struct odp_slice field_of(struct odp_slice line, struct odp_slice *value)
{
    *value = line;
    return odp_slice_cut(value, ' ');
}

static void write_fields(struct odp_sync *y, const char *name, struct odp_slice lines, size_t n,
                         const struct odp_buffer *mark)
{
    struct odp_slice value;
    odp_redis_begin(y->redis, 2 + 2 * (n + 1));
    odp_redis_words(y->redis, "HSET", name, NULL);
    while (lines.len > 0) {
        odp_redis_arg(y->redis, field_of(odp_line_next(&lines), &value));
        odp_redis_arg(y->redis, value);
    }
    odp_redis_arg_str(y->redis, "!");
    odp_redis_arg(y->redis, odp_buffer_slice(mark));
}

static void write_order(struct odp_sync *y, const char *order, struct odp_slice lines, size_t n, uint64_t seq)
{
    struct odp_slice value;
    odp_redis_begin(y->redis, 2 + 2 * n);
    odp_redis_words(y->redis, "ZADD", order, NULL);
    while (lines.len > 0) {
        odp_redis_arg_u64(y->redis, ++seq);
        odp_redis_arg(y->redis, field_of(odp_line_next(&lines), &value));
    }
}

void odp_feed_put(struct odp_sync *y, const char *name, const struct odp_buffer *lines, bool expires,
                  struct odp_wire_mark *mark)
{
    char order[ODP_SYNC_NAME];
    struct odp_buffer text = {0};
    struct odp_slice all = odp_buffer_slice(lines);
    struct odp_wire_mark next = *mark;
    size_t n = lines_of(all);
    if (!odp_sync_did(y, odp_buffer_status(lines)))
        return;
    next.seq += n;
    odp_wire_mark_write(&text, &next);
    odp_redis_command(y->redis, "MULTI", NULL);
    write_fields(y, name, all, n, &text);
    if (n > 0)
        write_order(y, order_of(name, order), all, n, mark->seq);
    if (expires) {
        odp_redis_command(y->redis, "EXPIRE", name, EXPIRE_SECONDS, NULL);
        odp_redis_command(y->redis, "EXPIRE", order_of(name, order), EXPIRE_SECONDS, NULL);
    }
    odp_redis_command(y->redis, "EXEC", NULL);
    if (odp_sync_did(y, odp_buffer_status(&text)) &&
        odp_sync_did(y, odp_redis_exec(y->redis, 1 + (size_t)(n > 0) + 2 * (size_t)expires)))
        *mark = next;
    odp_buffer_release(&text);
}

/* The fields of a page of the order, as lines and as the arguments of HMGET; returns how many. */
static size_t ask_fields(struct odp_sync *y, const char *name, const struct redisReply *page, uint64_t *seq,
                         struct odp_buffer *fields)
{
    size_t n = odp_redis_elements(page), taken = 0;
    for (size_t i = 0; i + 1 < n && y->st == ODP_OK; i += 2) {
        struct odp_slice field = odp_redis_text(odp_redis_element(page, i));
        if (field.len == 0 || memchr(field.ptr, '\n', field.len) != NULL ||
            !odp_wire_number(odp_redis_text(odp_redis_element(page, i + 1)), INT64_MAX, seq)) {
            odp_sync_refuse(y, "a field");
            continue;
        }
        odp_buffer_add_slice(fields, field);
        odp_buffer_add_char(fields, '\n');
        taken++;
    }
    if (!odp_sync_did(y, odp_buffer_status(fields)) || taken == 0)
        return 0;
    struct odp_slice rest = odp_buffer_slice(fields);
    odp_redis_begin(y->redis, 2 + taken);
    odp_redis_words(y->redis, "HMGET", name, NULL);
    while (rest.len > 0)
        odp_redis_arg(y->redis, odp_line_next(&rest));
    return taken;
}

bool odp_feed_read(struct odp_sync *y, const char *name, uint64_t *seq, uint64_t upto,
                   const struct odp_feed_taking *taking)
{
    char order[ODP_SYNC_NAME], from[32], to[32];
    struct odp_buffer fields = {0};
    uint64_t last = *seq;
    if (y->st != ODP_OK || *seq >= upto)
        return false;
    (void)snprintf(from, sizeof from, "(%llu", (unsigned long long)*seq);
    (void)snprintf(to, sizeof to, "%llu", (unsigned long long)upto);
    odp_redis_command(y->redis, "ZRANGEBYSCORE", order_of(name, order), from, to, "WITHSCORES", "LIMIT", "0",
                      ODP_SYNC_BATCH_TEXT, NULL);
    const struct redisReply *page = odp_sync_reply(y);
    size_t found = odp_redis_elements(page);
    if (y->st == ODP_OK && (found == SIZE_MAX || found % 2 != 0))
        odp_sync_odd(y);
    size_t n = y->st == ODP_OK ? ask_fields(y, name, page, &last, &fields) : 0;
    const struct redisReply *values = n > 0 ? odp_sync_reply(y) : odp_redis_nil();
    if (y->st == ODP_OK && odp_redis_elements(values) != n)
        odp_sync_odd(y);
    struct odp_slice rest = odp_buffer_slice(&fields);
    for (size_t i = 0; i < n && y->st == ODP_OK; i++)
        taking->take(y, taking->ctx, odp_line_next(&rest), odp_redis_text(odp_redis_element(values, i)));
    odp_buffer_release(&fields);
    if (y->st != ODP_OK)
        return false;
    bool more = found == 2 * ODP_SYNC_BATCH && last > *seq;
    *seq = more ? last : upto;
    return more;
}
