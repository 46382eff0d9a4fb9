/* The other machines: who they are, and what they counted. */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "service/state/log.h"

static const int64_t seen_for_ms = 10000, forget_ms = INT64_C(8) * 86400000;

void odp_sync_counts_release(struct odp_sync *y)
{
    for (size_t i = 0; i < y->counts.nmachines; i++)
        odp_sync_map_release(&y->counts.machines[i].counts);
    free(y->counts.machines);
    y->counts.machines = NULL;
    y->counts.nmachines = 0;
}

void odp_sync_elsewhere(struct odp_sync *y, uint64_t account)
{
    uint64_t sum = 0, value, record;
    bool told = false;
    for (size_t i = 0; i < y->counts.nmachines; i++)
        if (odp_sync_map_get(&y->counts.machines[i].counts, account, &value)) {
            sum += value; /* 64 times 2^40 fits */
            told = true;
        }
    if (told && odp_sync_map_get(&y->index.record, account, &record))
        odp_keytable_set_elsewhere(y->s->table, (uint32_t)record, y->counts.day,
                                   sum < ODP_COUNT_MAX ? sum : ODP_COUNT_MAX);
}

/* The machine of that name, made if it is new; NULL: ourselves, no name, or too many. */
static struct odp_sync_machine *machine(struct odp_sync *y, struct odp_slice name)
{
    struct odp_sync_counts *c = &y->counts;
    if (odp_slice_is(name, y->machine))
        return NULL;
    if (!odp_wire_machine_ok(name)) {
        odp_sync_refuse(y, "a machine's name");
        return NULL;
    }
    for (size_t i = 0; i < c->nmachines; i++)
        if (odp_slice_is(name, c->machines[i].name))
            return &c->machines[i];
    if (c->nmachines == ODP_SYNC_MACHINES) {
        odp_log_change(&c->said_many, 1, "more than 64 other machines: the counts of some are left out", "");
        return NULL;
    }
    struct odp_sync_machine *more = odp_realloc_array(c->machines, c->nmachines + 1, sizeof *more);
    if (!odp_sync_did(y, more != NULL ? ODP_OK : ODP_FAIL))
        return NULL;
    c->machines = more;
    struct odp_sync_machine *m = &more[c->nmachines++];
    *m = (struct odp_sync_machine){0};
    memcpy(m->name, name.ptr, name.len);
    return m;
}

/* ---- what they counted ---- */

static void take(struct odp_sync *y, void *ctx, struct odp_slice field, struct odp_slice value)
{
    struct odp_sync_machine *m = ctx;
    uint64_t account, count;
    if (!odp_wire_number(field, INT64_MAX, &account) || account == 0 ||
        !odp_wire_number(value, ODP_COUNT_MAX, &count)) {
        odp_sync_refuse(y, "a count");
        return;
    }
    if (odp_sync_did(y, odp_sync_map_put(&m->counts, account, count)))
        odp_sync_elsewhere(y, account);
    odp_sync_add(y, &y->seen.counts_received, 1);
}

static void read_counts(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    char name[ODP_SYNC_NAME];
    struct odp_wire_mark there[ODP_SYNC_MACHINES];
    for (size_t i = 0; i < c->nmachines; i++) {
        odp_feed_day(name, "count", c->day, c->machines[i].name);
        odp_feed_ask(y, name);
    }
    for (size_t i = 0; i < c->nmachines; i++)
        there[i] = odp_feed_mark(y);
    for (size_t i = 0; i < c->nmachines && y->st == ODP_OK; i++) {
        struct odp_sync_machine *m = &c->machines[i];
        if (strcmp(there[i].epoch, m->mark.epoch) != 0) /* begun anew: what we know of it stays until then */
            m->mark = (struct odp_wire_mark){0};
        memcpy(m->mark.epoch, there[i].epoch, sizeof m->mark.epoch);
        odp_feed_day(name, "count", c->day, m->name);
        while (odp_feed_read(y, name, &m->mark.seq, there[i].seq, &(struct odp_feed_taking){m, take}))
            if (odp_sync_stopped(y))
                (void)odp_sync_did(y, ODP_BAD);
    }
}

/* ---- which machines there are ---- */

/* The line of a machine: TIME ROLE GENERATION CHANGE, the last two what a replica has applied. */
static void make_line(const struct odp_sync *y, int64_t now_ms, char *out, size_t cap)
{
    const struct odp_wire_mark *h = &y->keys.mark;
    (void)snprintf(out, cap, "%lld %s %s %llu", (long long)now_ms, y->s->writer ? "writer" : "replica",
                   !y->s->writer && h->generation[0] != '\0' ? h->generation : "-",
                   (unsigned long long)h->change);
}

/* A replica that knows a later change of our generation than we: our store was put back without saying so. */
static void look_ahead(struct odp_sync *y, struct odp_slice line)
{
    const char *at = line.ptr + line.len;
    uint64_t change;
    while (at > line.ptr && at[-1] != ' ')
        at--;
    struct odp_slice number = {at, (size_t)(line.ptr + line.len - at)};
    size_t before = line.len - number.len; /* up to and with the space */
    if (!y->s->writer || y->keys.generation[0] == '\0' || before < ODP_WIRE_GENERATION + 1)
        return;
    struct odp_slice generation = {line.ptr + before - 1 - ODP_WIRE_GENERATION, ODP_WIRE_GENERATION};
    if (odp_slice_is(generation, y->keys.generation) && odp_wire_number(number, INT64_MAX, &change) &&
        change > y->keys.newest)
        y->keys.ahead = true;
}

/* True: it was forgotten, by a command whose reply is to be read. */
static bool take_machine(struct odp_sync *y, struct odp_slice name, struct odp_slice line, int64_t now_ms,
                         size_t *there)
{
    struct odp_sync_machine *m = NULL;
    uint64_t time = 0;
    const char *space = line.len > 0 && line.len < sizeof m->seen ? memchr(line.ptr, ' ', line.len) : NULL;
    if (space == NULL ||
        !odp_wire_number((struct odp_slice){line.ptr, (size_t)(space - line.ptr)}, INT64_MAX, &time)) {
        odp_sync_refuse(y, "an entry of odp:machines");
        return false;
    }
    if (now_ms > (int64_t)time && now_ms - (int64_t)time > forget_ms && odp_wire_machine_ok(name)) {
        odp_redis_begin(y->redis, 3);
        odp_redis_words(y->redis, "HDEL", "odp:machines", NULL);
        odp_redis_arg(y->redis, name);
        return true;
    }
    m = machine(y, name);
    if (m == NULL)
        return false;
    int64_t age = now_ms > (int64_t)time ? now_ms - (int64_t)time : (int64_t)time - now_ms;
    bool changed = !odp_slice_is(line, m->seen);
    if (changed && (m->seen[0] != '\0' || age < seen_for_ms))
        m->seen_at = odp_clock_ms();
    memcpy(m->seen, line.ptr, line.len);
    m->seen[line.len] = '\0';
    if (changed)
        look_ahead(y, line);
    *there += m->seen_at != 0 && odp_clock_ms() - m->seen_at < seen_for_ms;
    return false;
}

static void poll(struct odp_sync *y, int64_t now_ms)
{
    char line[128];
    size_t there = 1, forgotten = 0;
    make_line(y, now_ms, line, sizeof line);
    odp_redis_command(y->redis, "HSET", "odp:machines", y->machine, line, NULL);
    odp_redis_command(y->redis, "HGETALL", "odp:machines", NULL);
    odp_sync_skip(y, 1);
    const struct redisReply *reply = odp_sync_reply(y);
    size_t n = odp_redis_elements(reply);
    if (n == SIZE_MAX || n % 2 != 0)
        odp_sync_odd(y);
    for (size_t i = 0; i < n && y->st == ODP_OK; i += 2)
        forgotten += take_machine(y, odp_redis_text(odp_redis_element(reply, i)),
                                  odp_redis_text(odp_redis_element(reply, i + 1)), now_ms, &there);
    if (y->st != ODP_OK)
        return;
    pthread_mutex_lock(&y->mutex);
    y->seen.machines = (unsigned)there;
    pthread_mutex_unlock(&y->mutex);
    odp_sync_skip(y, forgotten);
}

void odp_sync_counts_receive(struct odp_sync *y, int64_t now_ms)
{
    if (y->st == ODP_OK)
        poll(y, now_ms);
    if (y->st == ODP_OK)
        read_counts(y);
}
