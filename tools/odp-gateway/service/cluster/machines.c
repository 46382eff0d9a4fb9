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
        odp_keytable_set_elsewhere(y->s->table, (uint32_t)record, y->counts.day, sum < ODP_COUNT_MAX ? sum : ODP_COUNT_MAX);
}

/* The machine of that name, made if it is new; NULL: ourselves, no name, or too many (OK), or no memory (FAIL). */
static enum odp_status machine(struct odp_sync *y, struct odp_slice name, struct odp_sync_machine **out)
{
    struct odp_sync_counts *c = &y->counts;
    *out = NULL;
    if (odp_slice_is(name, y->machine))
        return ODP_OK;
    if (!odp_wire_machine_ok(name)) {
        odp_sync_refuse(y, "a machine's name");
        return ODP_OK;
    }
    for (size_t i = 0; i < c->nmachines; i++)
        if (odp_slice_is(name, c->machines[i].name)) {
            *out = &c->machines[i];
            return ODP_OK;
        }
    if (c->nmachines == ODP_SYNC_MACHINES) {
        odp_log_change(&c->said_many, 1, "more than 64 other machines: the counts of some are left out", "");
        return ODP_OK;
    }
    struct odp_sync_machine *more = odp_realloc_array(c->machines, c->nmachines + 1, sizeof *more);
    if (more == NULL)
        return ODP_FAIL;
    c->machines = more;
    *out = &more[c->nmachines++];
    **out = (struct odp_sync_machine){.load = true};
    memcpy((*out)->name, name.ptr, name.len);
    return ODP_OK;
}

/* ---- one machine's hash ---- */

static enum odp_status read_mark(struct odp_sync *y, const char *hash, struct odp_wire_mark *mark)
{
    const struct redisReply *reply;
    odp_redis_command(y->redis, "HGET", hash, "!", NULL);
    enum odp_status st = odp_redis_next(y->redis, &reply);
    if (st == ODP_OK && !odp_wire_mark_read(odp_redis_text(reply), mark))
        *mark = (struct odp_wire_mark){0};
    return st;
}

/* Fields and values of one HSCAN reply into MAP; the next cursor into CURSOR. */
static enum odp_status take_page(struct odp_sync *y, const struct redisReply *reply, char cursor[ODP_SYNC_CURSOR],
                                 struct odp_sync_map *map, size_t *total)
{
    if (odp_redis_elements(reply) != 2)
        return odp_redis_odd(y->redis);
    struct odp_slice next = odp_redis_text(odp_redis_element(reply, 0));
    const struct redisReply *page = odp_redis_element(reply, 1);
    size_t n = odp_redis_elements(page);
    uint64_t number, account, count;
    if (n == SIZE_MAX || n % 2 != 0 || !odp_wire_number(next, UINT64_MAX, &number) || (*total += n / 2) > hash_max)
        return odp_redis_odd(y->redis);
    memcpy(cursor, next.ptr, next.len);
    cursor[next.len] = '\0';
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < n && st == ODP_OK; i += 2) {
        struct odp_slice name = odp_redis_text(odp_redis_element(page, i)),
                         value = odp_redis_text(odp_redis_element(page, i + 1));
        if (odp_slice_is(name, "!"))
            continue;
        if (!odp_wire_number(name, INT64_MAX, &account) || account == 0 || !odp_wire_number(value, ODP_COUNT_MAX, &count))
            odp_sync_refuse(y, "a count");
        else
            st = odp_sync_map_put(map, account, count);
    }
    return st;
}

static enum odp_status scan(struct odp_sync *y, const char *hash, struct odp_sync_map *map)
{
    char cursor[ODP_SYNC_CURSOR] = "0";
    const struct redisReply *reply;
    size_t total = 0, pages = 0;
    enum odp_status st;
    do {
        odp_redis_command(y->redis, "HSCAN", hash, cursor, "COUNT", "1000", NULL);
        st = odp_redis_next(y->redis, &reply);
        if (st == ODP_OK)
            st = take_page(y, reply, cursor, map, &total);
        if (st == ODP_OK && (odp_sync_stopped(y) || ++pages > hash_max))
            st = ODP_BAD;
    } while (st == ODP_OK && strcmp(cursor, "0") != 0);
    return st;
}

static enum odp_status load(struct odp_sync *y, struct odp_sync_machine *m)
{
    char hash[ODP_SYNC_NAME];
    struct odp_wire_mark before, after;
    struct odp_sync_map fresh, old;
    (void)snprintf(hash, sizeof hash, "odp:count:%u:%s", (unsigned)y->counts.day, m->name);
    enum odp_status st = read_mark(y, hash, &before);
    if (st != ODP_OK)
        return st;
    if (before.epoch[0] == '\0') { /* nothing complete there: what we know stays, and it will say when it has sent */
        m->load = false;
        return ODP_OK;
    }
    odp_sync_map_init(&fresh);
    st = scan(y, hash, &fresh);
    if (st == ODP_OK)
        st = read_mark(y, hash, &after);
    if (st != ODP_OK || strcmp(before.epoch, after.epoch) != 0) { /* begun anew meanwhile: the next round reads it */
        odp_sync_map_release(&fresh);
        return st;
    }
    old = m->counts;
    m->counts = fresh;
    m->mark = before; /* entries after that are applied again: absolute, and all of them before the round ends */
    m->load = false;
    odp_sync_add(y, &y->seen.counts_received, fresh.n);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].key != 0 && !odp_sync_map_get(&m->counts, old.slots[i].key, &(uint64_t){0}))
            st = st == ODP_OK ? odp_sync_map_put(&m->counts, old.slots[i].key, 0) : st;
    for (size_t i = 0; i < m->counts.cap; i++)
        if (m->counts.slots[i].key != 0)
            odp_sync_elsewhere(y, m->counts.slots[i].key);
    odp_sync_map_release(&old);
    return st;
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

static enum odp_status apply(struct odp_sync *y, const struct redisReply *fields)
{
    struct entry e;
    struct odp_sync_machine *m = NULL;
    if (!read_entry(fields, &e)) {
        odp_sync_refuse(y, "an entry of odp:counts");
        return ODP_OK;
    }
    enum odp_status st = machine(y, e.machine, &m);
    if (st != ODP_OK || m == NULL || e.day != y->counts.day || m->load)
        return st;
    if (strcmp(e.mark.epoch, m->mark.epoch) == 0 && e.mark.seq <= m->mark.seq)
        return ODP_OK;
    if (strcmp(e.mark.epoch, m->mark.epoch) != 0 || e.mark.seq != m->mark.seq + 1) {
        m->load = true;
        return ODP_OK;
    }
    uint64_t account, count, n = 0;
    while ((st = odp_wire_count_next(&e.counts, &account, &count)) == ODP_OK) {
        st = odp_sync_map_put(&m->counts, account, count);
        if (st != ODP_OK)
            return st;
        odp_sync_elsewhere(y, account);
        n++;
    }
    m->mark.seq = e.mark.seq;
    m->load = st == ODP_BAD;
    if (st == ODP_BAD)
        odp_sync_refuse(y, "an entry of odp:counts");
    odp_sync_add(y, &y->seen.counts_received, n);
    return ODP_OK;
}

static enum odp_status read_stream(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    const struct redisReply *reply;
    size_t n = 0;
    enum odp_status st;
    do {
        odp_redis_command(y->redis, "XREAD", "COUNT", ODP_SYNC_READ_TEXT, "STREAMS", "odp:counts", c->cursor, NULL);
        st = odp_redis_next(y->redis, &reply);
        struct odp_sync_entries entries = {0};
        if (st == ODP_OK)
            st = odp_sync_entries(y, reply, &entries);
        n = entries.n;
        for (size_t i = 0; i < n && st == ODP_OK; i++) {
            const struct redisReply *fields;
            st = odp_sync_entry(y, &entries, i, c->cursor, &fields);
            if (st == ODP_OK)
                st = apply(y, fields);
        }
    } while (st == ODP_OK && n == ODP_SYNC_READ && !odp_sync_stopped(y));
    return st;
}

enum odp_status odp_sync_counts_receive(struct odp_sync *y)
{
    struct odp_sync_counts *c = &y->counts;
    enum odp_status st = ODP_OK;
    if (c->attach) {
        st = odp_sync_stream_end(y, "odp:counts", c->cursor);
        c->attach = st != ODP_OK;
        c->polled_at = 0; /* who is there is asked in this round, before their hashes are read */
    }
    if (st == ODP_OK && !c->attach)
        st = read_stream(y);
    return st;
}

/* ---- who is there ---- */

/* The line of a machine: TIME ROLE GENERATION CHANGE, the last two what a replica has applied. */
static int make_line(const struct odp_sync *y, int64_t now_ms, char *out, size_t cap)
{
    const struct odp_wire_head *h = &y->keys.head;
    return snprintf(out, cap, "%lld %s %s %llu", (long long)now_ms, y->s->writer ? "writer" : "replica",
                    !y->s->writer && h->generation[0] != '\0' ? h->generation : "-", (unsigned long long)h->change);
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
    if (odp_slice_is(generation, y->keys.generation) && odp_wire_number(number, INT64_MAX, &change) && change > y->keys.newest)
        y->keys.ahead = true;
}

static enum odp_status take_machine(struct odp_sync *y, struct odp_slice name, struct odp_slice line, int64_t now_ms,
                                    size_t *there)
{
    struct odp_sync_machine *m = NULL;
    uint64_t time = 0;
    const char *space = line.len > 0 && line.len < sizeof m->seen ? memchr(line.ptr, ' ', line.len) : NULL;
    if (space == NULL || !odp_wire_number((struct odp_slice){line.ptr, (size_t)(space - line.ptr)}, INT64_MAX, &time)) {
        odp_sync_refuse(y, "an entry of odp:machines");
        return ODP_OK;
    }
    if (now_ms > (int64_t)time && now_ms - (int64_t)time > forget_ms && odp_wire_machine_ok(name)) {
        odp_redis_begin(y->redis, 3);
        odp_redis_arg_str(y->redis, "HDEL");
        odp_redis_arg_str(y->redis, "odp:machines");
        odp_redis_arg(y->redis, name);
        return ODP_DONE;
    }
    enum odp_status st = machine(y, name, &m);
    if (st != ODP_OK || m == NULL)
        return st;
    int64_t age = now_ms > (int64_t)time ? now_ms - (int64_t)time : (int64_t)time - now_ms;
    bool changed = !odp_slice_is(line, m->seen);
    if (changed && (m->seen[0] != '\0' || age < seen_for_ms))
        m->seen_at = odp_sync_clock();
    memcpy(m->seen, line.ptr, line.len);
    m->seen[line.len] = '\0';
    if (changed)
        look_ahead(y, line);
    *there += m->seen_at != 0 && odp_sync_clock() - m->seen_at < seen_for_ms;
    return ODP_OK;
}

static enum odp_status poll(struct odp_sync *y, int64_t now_ms)
{
    char line[128];
    const struct redisReply *reply;
    size_t there = 1, forgotten = 0;
    (void)make_line(y, now_ms, line, sizeof line);
    odp_redis_command(y->redis, "HSET", "odp:machines", y->machine, line, NULL);
    odp_redis_command(y->redis, "HGETALL", "odp:machines", NULL);
    enum odp_status st = odp_redis_skip(y->redis, 1);
    if (st == ODP_OK)
        st = odp_redis_next(y->redis, &reply);
    if (st != ODP_OK)
        return st;
    size_t n = odp_redis_elements(reply);
    if (n == SIZE_MAX || n % 2 != 0)
        return odp_redis_odd(y->redis);
    for (size_t i = 0; i < n && st != ODP_FAIL; i += 2) {
        st = take_machine(y, odp_redis_text(odp_redis_element(reply, i)), odp_redis_text(odp_redis_element(reply, i + 1)),
                          now_ms, &there);
        forgotten += st == ODP_DONE;
    }
    if (st == ODP_FAIL)
        return st;
    pthread_mutex_lock(&y->mutex);
    y->seen.machines = (unsigned)there;
    pthread_mutex_unlock(&y->mutex);
    return odp_redis_skip(y->redis, forgotten);
}

enum odp_status odp_sync_machines_poll(struct odp_sync *y, int64_t now_ms)
{
    enum odp_status st = ODP_OK;
    if (y->counts.polled_at == 0 || odp_sync_clock() - y->counts.polled_at >= poll_every_ms) {
        st = poll(y, now_ms);
        y->counts.polled_at = odp_sync_clock();
    }
    bool loaded = false;
    for (size_t i = 0; i < y->counts.nmachines && st == ODP_OK; i++)
        if (y->counts.machines[i].load) {
            st = load(y, &y->counts.machines[i]);
            loaded = true;
        }
    return st == ODP_OK && loaded ? read_stream(y) : st;
}
