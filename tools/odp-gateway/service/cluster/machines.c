/* The other machines: who they are, and what they counted. */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "service/state/log.h"

static const int64_t poll_every_ms = 1000, seen_for_ms = 10000, forget_ms = INT64_C(8) * 86400000;
static const size_t hash_max = 2 * (size_t)ODP_KEYTABLE_CAPACITY;

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
    *m = (struct odp_sync_machine){.load = true};
    memcpy(m->name, name.ptr, name.len);
    return m;
}

/* ---- one machine's hash ---- */

static void scan(struct odp_sync *y, const char *hash, struct odp_sync_map *map)
{
    struct odp_sync_scan s;
    uint64_t account, count;
    odp_sync_scan_begin(&s);
    while (y->st == ODP_OK && !odp_sync_scanned(&s)) {
        size_t n;
        const struct redisReply *page = odp_sync_scan(y, hash, &s, hash_max, &n);
        for (size_t i = 0; i < n && y->st == ODP_OK; i += 2) {
            struct odp_slice name = odp_redis_text(odp_redis_element(page, i)),
                             value = odp_redis_text(odp_redis_element(page, i + 1));
            if (odp_slice_is(name, "!"))
                continue;
            if (!odp_wire_number(name, INT64_MAX, &account) || account == 0 ||
                !odp_wire_number(value, ODP_COUNT_MAX, &count))
                odp_sync_refuse(y, "a count");
            else
                (void)odp_sync_did(y, odp_sync_map_put(map, account, count));
        }
        if (odp_sync_stopped(y))
            (void)odp_sync_did(y, ODP_BAD);
    }
}

static void load(struct odp_sync *y, struct odp_sync_machine *m)
{
    char hash[ODP_SYNC_NAME];
    struct odp_sync_map fresh, old;
    (void)snprintf(hash, sizeof hash, "odp:count:%u:%s", (unsigned)y->counts.day, m->name);
    struct odp_wire_mark before = odp_sync_mark(y, hash);
    if (y->st == ODP_OK &&
        before.epoch[0] ==
            '\0') /* nothing complete there: what we know stays, and it will say when it has sent */
        m->load = false;
    if (y->st != ODP_OK || !m->load)
        return;
    odp_sync_map_init(&fresh);
    scan(y, hash, &fresh);
    struct odp_wire_mark after = odp_sync_mark(y, hash);
    if (y->st != ODP_OK ||
        strcmp(before.epoch, after.epoch) != 0) { /* begun anew meanwhile: the next round reads it */
        odp_sync_map_release(&fresh);
        return;
    }
    old = m->counts;
    m->counts = fresh;
    m->mark =
        before; /* entries after that are applied again: absolute, and all of them before the round ends */
    m->load = false;
    odp_sync_add(y, &y->seen.counts_received, fresh.n);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].key != 0 && !odp_sync_map_get(&m->counts, old.slots[i].key, &(uint64_t){0}))
            (void)odp_sync_did(y, odp_sync_map_put(&m->counts, old.slots[i].key, 0));
    for (size_t i = 0; i < m->counts.cap; i++)
        if (m->counts.slots[i].key != 0)
            odp_sync_elsewhere(y, m->counts.slots[i].key);
    odp_sync_map_release(&old);
}

/* ---- the stream ---- */

struct entry {
    struct odp_slice machine, counts;
    uint64_t day;
    struct odp_wire_mark mark;
};

static bool read_entry(const struct redisReply *fields, struct entry *e)
{
    static const char *const names[] = {"m", "d", "e", "s", "c"};
    struct odp_slice v[5];
    if (odp_redis_elements(fields) != 10)
        return false;
    for (size_t i = 0; i < 5; i++) {
        if (!odp_slice_is(odp_redis_text(odp_redis_element(fields, 2 * i)), names[i]))
            return false;
        v[i] = odp_redis_text(odp_redis_element(fields, 2 * i + 1));
    }
    *e = (struct entry){.machine = v[0], .counts = v[4]};
    if (!odp_wire_hex(v[2], ODP_WIRE_ID))
        return false;
    memcpy(e->mark.epoch, v[2].ptr, ODP_WIRE_ID);
    return odp_wire_number(v[1], UINT32_MAX, &e->day) && odp_wire_number(v[3], INT64_MAX, &e->mark.seq);
}

static void apply(struct odp_sync *y, const struct redisReply *fields)
{
    struct entry e;
    if (!read_entry(fields, &e)) {
        odp_sync_refuse(y, "an entry of odp:counts");
        return;
    }
    struct odp_sync_machine *m = machine(y, e.machine);
    if (m == NULL || e.day != y->counts.day || m->load)
        return;
    bool same = strcmp(e.mark.epoch, m->mark.epoch) == 0;
    if (same && e.mark.seq <= m->mark.seq)
        return;
    m->load = !same || e.mark.seq != m->mark.seq + 1;
    if (m->load)
        return;
    uint64_t account, count, n = 0;
    enum odp_status st;
    while ((st = odp_wire_count_next(&e.counts, &account, &count)) == ODP_OK) {
        if (!odp_sync_did(y, odp_sync_map_put(&m->counts, account, count)))
            return;
        odp_sync_elsewhere(y, account);
        n++;
    }
    m->mark.seq = e.mark.seq;
    m->load = st == ODP_BAD;
    if (st == ODP_BAD)
        odp_sync_refuse(y, "an entry of odp:counts");
    odp_sync_add(y, &y->seen.counts_received, n);
}

static void read_stream(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    struct odp_sync_entries entries = {.n = ODP_SYNC_READ};
    while (y->st == ODP_OK && entries.n == ODP_SYNC_READ && !odp_sync_stopped(y)) {
        odp_redis_command(y->redis, "XREAD", "COUNT", ODP_SYNC_READ_TEXT, "STREAMS", "odp:counts", c->cursor,
                          NULL);
        entries = odp_sync_entries(y, odp_sync_reply(y));
        for (size_t i = 0; i < entries.n && y->st == ODP_OK; i++) {
            const struct redisReply *fields = odp_sync_entry(y, &entries, i, c->cursor);
            if (y->st == ODP_OK)
                apply(y, fields);
        }
    }
}

void odp_sync_counts_receive(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    if (y->st != ODP_OK)
        return;
    if (c->attach) {
        odp_redis_command(y->redis, "XREVRANGE", "odp:counts", "+", "-", "COUNT", "1", NULL);
        odp_sync_last_id(y, odp_sync_reply(y), c->cursor);
        c->attach = y->st != ODP_OK;
        c->polled_at = 0; /* the machines are asked for in this round, before their hashes are read */
    }
    read_stream(y);
}

/* ---- which machines there are ---- */

/* The line of a machine: TIME ROLE GENERATION CHANGE, the last two what a replica has applied. */
static void make_line(const struct odp_sync *y, int64_t now_ms, char *out, size_t cap)
{
    const struct odp_wire_head *h = &y->keys.head;
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

void odp_sync_machines_poll(struct odp_sync *y, int64_t now_ms)
{
    bool loaded = false;
    if (y->st == ODP_OK &&
        (y->counts.polled_at == 0 || odp_clock_ms() - y->counts.polled_at >= poll_every_ms)) {
        poll(y, now_ms);
        y->counts.polled_at = odp_clock_ms();
    }
    for (size_t i = 0; i < y->counts.nmachines && y->st == ODP_OK; i++)
        if (y->counts.machines[i].load) {
            load(y, &y->counts.machines[i]);
            loaded = true;
        }
    if (loaded)
        read_stream(y);
}
