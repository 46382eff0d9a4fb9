/* Requests by dataset: replicas say what their meters have of today and yesterday, the writer puts it into its store under
 * their names. */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/line.h"
#include "service/state/store.h"

#define USAGE_EXPIRE "691200"
#define LOOK_BACK    8u
static const size_t rows_max = 65536;

static void hash_name(char out[ODP_SYNC_NAME], uint32_t day, const char *machine)
{
    (void)snprintf(out, ODP_SYNC_NAME, "odp:usage:%u:%s", (unsigned)day, machine);
}

void odp_sync_usage_reset(struct odp_sync *y)
{
    for (int i = 0; i < 2; i++)
        y->usage.mark[i] = (struct odp_wire_mark){0};
    y->usage.next_at = 0;
    y->usage.looked_back = false;
    for (size_t i = 0; i < y->counts.nmachines; i++)
        memset(y->counts.machines[i].usage, 0, sizeof y->counts.machines[i].usage);
}

void odp_sync_usage_release(struct odp_sync *y)
{
    for (int i = 0; i < 2; i++) {
        odp_buffer_release(&y->usage.sent[i]);
        odp_buffer_release(&y->usage.now[i]);
    }
}

/* ---- a replica's side ---- */

static enum odp_status note(void *ctx, const struct odp_meter_usage *u)
{
    struct odp_sync *y = ctx;
    struct odp_buffer *b = &y->usage.now[u->day & 1];
    if (u->day != y->usage.day[u->day & 1])
        return ODP_OK;
    odp_wire_usage_write(b, u);
    odp_buffer_printf(b, "\n%llu\n", (unsigned long long)u->count);
    return ODP_OK;
}

static size_t lines_of(struct odp_slice s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += s.ptr[i] == '\n';
    return n;
}

static enum odp_status send_day(struct odp_sync *y, int i)
{
    struct odp_sync_usage *u = &y->usage;
    struct odp_buffer text;
    char hash[ODP_SYNC_NAME];
    const struct redisReply *replies;
    struct odp_slice rest = odp_buffer_slice(&u->now[i]);
    size_t n = lines_of(rest);
    enum odp_status st = u->mark[i].epoch[0] == '\0' ? odp_random_hex(u->mark[i].epoch, ODP_WIRE_ID) : ODP_OK;
    odp_buffer_init(&text);
    u->mark[i].seq++;
    odp_wire_mark_write(&text, &u->mark[i]);
    hash_name(hash, u->day[i], y->machine);
    odp_redis_command(y->redis, "MULTI", NULL);
    odp_redis_begin(y->redis, n + 4);
    odp_redis_arg_str(y->redis, "HSET");
    odp_redis_arg_str(y->redis, hash);
    for (size_t k = 0; k < n; k++)
        odp_redis_arg(y->redis, odp_line_next(&rest));
    odp_redis_arg_str(y->redis, "!");
    odp_redis_arg(y->redis, odp_buffer_slice(&text));
    odp_redis_command(y->redis, "EXPIRE", hash, USAGE_EXPIRE, NULL);
    odp_redis_command(y->redis, "EXEC", NULL);
    if (st == ODP_OK)
        st = odp_buffer_status(&text);
    if (st == ODP_OK)
        st = odp_redis_exec(y->redis, 2, &replies);
    odp_buffer_release(&text);
    if (st == ODP_OK) {
        struct odp_buffer swap = u->sent[i];
        u->sent[i] = u->now[i];
        u->now[i] = swap;
    }
    return st;
}

static enum odp_status still_there(struct odp_sync *y, int i, bool *there)
{
    char hash[ODP_SYNC_NAME];
    const struct redisReply *reply;
    struct odp_wire_mark mark;
    hash_name(hash, y->usage.day[i], y->machine);
    odp_redis_command(y->redis, "HGET", hash, "!", NULL);
    enum odp_status st = odp_redis_next(y->redis, &reply);
    if (st == ODP_OK)
        *there = odp_wire_mark_read(odp_redis_text(reply), &mark) && mark.seq == y->usage.mark[i].seq &&
                 strcmp(mark.epoch, y->usage.mark[i].epoch) == 0;
    return st;
}

enum odp_status odp_sync_usage_send(struct odp_sync *y)
{
    struct odp_sync_usage *u = &y->usage;
    uint32_t today = y->counts.day;
    for (uint32_t day = today - 1; day != today + 1; day++) {
        int i = (int)(day & 1);
        if (u->day[i] != day)
            u->mark[i] = (struct odp_wire_mark){0};
        u->day[i] = day;
        odp_buffer_reset(&u->now[i]);
    }
    enum odp_status st = y->s->meter != NULL ? odp_meter_each(y->s->meter, y, note) : ODP_OK;
    for (int i = 0; i < 2 && st == ODP_OK; i++) {
        bool there = false;
        st = odp_buffer_status(&u->now[i]);
        if (st == ODP_OK && u->mark[i].epoch[0] != '\0')
            st = still_there(y, i, &there);
        bool equal = odp_slice_eq(odp_buffer_slice(&u->now[i]), odp_buffer_slice(&u->sent[i]));
        if (st == ODP_OK && (!there || !equal) && u->now[i].len > 0)
            st = send_day(y, i);
    }
    return st;
}

/* ---- the writer's side ---- */

struct rows {
    struct odp_meter_usage *list;
    size_t n, cap;
};

static enum odp_status take_page(struct odp_sync *y, const struct redisReply *reply, char cursor[ODP_SYNC_CURSOR],
                                 struct rows *rows)
{
    if (odp_redis_elements(reply) != 2)
        return odp_redis_odd(y->redis);
    struct odp_slice next = odp_redis_text(odp_redis_element(reply, 0));
    const struct redisReply *page = odp_redis_element(reply, 1);
    size_t n = odp_redis_elements(page);
    uint64_t number;
    if (n == SIZE_MAX || n % 2 != 0 || rows->n + n / 2 > rows_max || !odp_wire_number(next, UINT64_MAX, &number))
        return odp_redis_odd(y->redis);
    memcpy(cursor, next.ptr, next.len);
    cursor[next.len] = '\0';
    if (rows->n + n / 2 > rows->cap) {
        struct odp_meter_usage *more = odp_realloc_array(rows->list, rows->n + n / 2, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        rows->list = more;
        rows->cap = rows->n + n / 2;
    }
    for (size_t i = 0; i < n; i += 2) {
        struct odp_slice name = odp_redis_text(odp_redis_element(page, i));
        if (odp_slice_is(name, "!"))
            continue;
        if (odp_wire_usage_read(name, odp_redis_text(odp_redis_element(page, i + 1)), &rows->list[rows->n]))
            rows->n++;
        else
            odp_sync_refuse(y, "a row of usage");
    }
    return ODP_OK;
}

static enum odp_status scan(struct odp_sync *y, const char *hash, struct rows *rows)
{
    char cursor[ODP_SYNC_CURSOR] = "0";
    const struct redisReply *reply;
    size_t pages = 0;
    enum odp_status st;
    do {
        odp_redis_command(y->redis, "HSCAN", hash, cursor, "COUNT", "1000", NULL);
        st = odp_redis_next(y->redis, &reply);
        if (st == ODP_OK)
            st = take_page(y, reply, cursor, rows);
        if (st == ODP_OK && (odp_sync_stopped(y) || ++pages > rows_max))
            st = ODP_BAD;
    } while (st == ODP_OK && strcmp(cursor, "0") != 0);
    return st;
}

static enum odp_status store_rows(struct odp_sync *y, const char *machine, uint32_t day, const struct rows *rows)
{
    static const char sql[] = "INSERT INTO usage_dataset(machine, day, tier, dataset, format, count) VALUES(?, ?, ?, ?, ?, ?) "
                              "ON CONFLICT(machine, day, tier, dataset, format) DO UPDATE SET count = excluded.count";
    sqlite3 *db = y->s->db;
    pthread_mutex_lock(&y->s->mutex);
    enum odp_status st = odp_store_begin(db);
    for (size_t i = 0; i < rows->n && st == ODP_OK; i++) {
        const struct odp_meter_usage *r = &rows->list[i];
        st = odp_store_run(db, sql, "tittti", machine, (int64_t)day, r->tier, r->dataset, r->format, (int64_t)r->count);
        st = st == ODP_DONE ? ODP_OK : st;
    }
    if (st == ODP_OK)
        st = odp_store_commit(db);
    odp_store_rollback(db);
    pthread_mutex_unlock(&y->s->mutex);
    return st;
}

static enum odp_status collect_day(struct odp_sync *y, struct odp_sync_machine *m, uint32_t day)
{
    char hash[ODP_SYNC_NAME];
    const struct redisReply *reply;
    struct odp_wire_mark mark;
    struct rows rows = {0};
    uint32_t i = day & 1;
    hash_name(hash, day, m->name);
    odp_redis_command(y->redis, "HGET", hash, "!", NULL);
    enum odp_status st = odp_redis_next(y->redis, &reply);
    if (st != ODP_OK || !odp_wire_mark_read(odp_redis_text(reply), &mark))
        return st;
    bool recent = day + 1 >= y->counts.day;
    if (recent && m->usage_day[i] == day && m->usage[i].seq == mark.seq && strcmp(m->usage[i].epoch, mark.epoch) == 0)
        return ODP_OK;
    st = scan(y, hash, &rows);
    if (st == ODP_OK)
        st = store_rows(y, m->name, day, &rows);
    free(rows.list);
    if (st == ODP_OK && recent) {
        m->usage[i] = mark;
        m->usage_day[i] = day;
    }
    return st;
}

enum odp_status odp_sync_usage_collect(struct odp_sync *y)
{
    uint32_t today = y->counts.day, back = y->usage.looked_back ? 1 : LOOK_BACK;
    enum odp_status st = ODP_OK;
    if (y->s->db == NULL || today < back)
        return ODP_OK;
    for (size_t k = 0; k < y->counts.nmachines; k++)
        for (uint32_t day = today - back; day <= today && st == ODP_OK; day++)
            st = collect_day(y, &y->counts.machines[k], day);
    y->usage.looked_back = st == ODP_OK;
    return st;
}
