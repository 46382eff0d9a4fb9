/* Requests by dataset: replicas say what their meters have of today and yesterday, the writer puts it into
 * its store under their names. */
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

static void send_day(struct odp_sync *y, int i, const char *hash)
{
    struct odp_sync_usage *u = &y->usage;
    struct odp_buffer text = {0};
    struct odp_slice rest = odp_buffer_slice(&u->now[i]);
    size_t n = lines_of(rest);
    if (u->mark[i].epoch[0] == '\0')
        (void)odp_sync_did(y, odp_random_hex(u->mark[i].epoch, ODP_WIRE_ID));
    u->mark[i].seq++;
    odp_wire_mark_write(&text, &u->mark[i]);
    odp_redis_command(y->redis, "MULTI", NULL);
    odp_redis_begin(y->redis, n + 4);
    odp_redis_words(y->redis, "HSET", hash, NULL);
    for (size_t k = 0; k < n; k++)
        odp_redis_arg(y->redis, odp_line_next(&rest));
    odp_redis_arg_str(y->redis, "!");
    odp_redis_arg(y->redis, odp_buffer_slice(&text));
    odp_redis_command(y->redis, "EXPIRE", hash, USAGE_EXPIRE, NULL);
    odp_redis_command(y->redis, "EXEC", NULL);
    (void)odp_sync_did(y, odp_buffer_status(&text));
    (void)odp_sync_exec(y, 2);
    odp_buffer_release(&text);
    if (y->st == ODP_OK) {
        struct odp_buffer swap = u->sent[i];
        u->sent[i] = u->now[i];
        u->now[i] = swap;
    }
}

void odp_sync_usage_send(struct odp_sync *y)
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
    if (y->s->meter != NULL)
        (void)odp_sync_did(y, odp_meter_each(y->s->meter, y, note));
    for (int i = 0; i < 2 && odp_sync_did(y, odp_buffer_status(&u->now[i])); i++) {
        char hash[ODP_SYNC_NAME];
        struct odp_wire_mark there = {0};
        hash_name(hash, u->day[i], y->machine);
        if (u->mark[i].epoch[0] != '\0')
            there = odp_sync_mark(y, hash);
        bool equal = odp_slice_eq(odp_buffer_slice(&u->now[i]), odp_buffer_slice(&u->sent[i]));
        if (y->st == ODP_OK && u->now[i].len > 0 && !(equal && odp_sync_same_mark(&there, &u->mark[i])))
            send_day(y, i, hash);
    }
}

/* ---- the writer's side ---- */

struct rows {
    struct odp_meter_usage *list;
    size_t n, cap;
};

static void take_page(struct odp_sync *y, const struct redisReply *page, size_t n, struct rows *rows)
{
    if (rows->n + n / 2 > rows->cap) {
        struct odp_meter_usage *more = odp_realloc_array(rows->list, rows->n + n / 2, sizeof *more);
        if (!odp_sync_did(y, more != NULL ? ODP_OK : ODP_FAIL))
            return;
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
}

static void store_rows(struct odp_sync *y, const char *machine, uint32_t day, const struct rows *rows)
{
    static const char sql[] =
        "INSERT INTO usage_dataset(machine, day, tier, dataset, format, count) VALUES(?, ?, ?, ?, ?, ?) "
        "ON CONFLICT(machine, day, tier, dataset, format) DO UPDATE SET count = excluded.count";
    if (y->st != ODP_OK)
        return;
    pthread_mutex_lock(&y->s->mutex);
    struct odp_sql q = odp_sql_begin(y->s->db);
    for (size_t i = 0; i < rows->n; i++) {
        const struct odp_meter_usage *r = &rows->list[i];
        odp_sql_run(&q, sql, "tittti", machine, (int64_t)day, r->tier, r->dataset, r->format,
                    (int64_t)r->count);
    }
    y->st = odp_sql_commit(&q);
    pthread_mutex_unlock(&y->s->mutex);
}

static void collect_day(struct odp_sync *y, struct odp_sync_machine *m, uint32_t day)
{
    char hash[ODP_SYNC_NAME];
    struct rows rows = {0};
    struct odp_sync_scan s;
    uint32_t i = day & 1;
    hash_name(hash, day, m->name);
    struct odp_wire_mark mark = odp_sync_mark(y, hash);
    bool recent = day + 1 >= y->counts.day;
    if (mark.epoch[0] == '\0' ||
        (recent && m->usage_day[i] == day && odp_sync_same_mark(&m->usage[i], &mark)))
        return;
    odp_sync_scan_begin(&s);
    while (y->st == ODP_OK && !odp_sync_scanned(&s)) {
        size_t n;
        const struct redisReply *page = odp_sync_scan(y, hash, &s, rows_max, &n);
        take_page(y, page, n, &rows);
        if (odp_sync_stopped(y))
            (void)odp_sync_did(y, ODP_BAD);
    }
    store_rows(y, m->name, day, &rows);
    free(rows.list);
    if (y->st == ODP_OK && recent) {
        m->usage[i] = mark;
        m->usage_day[i] = day;
    }
}

void odp_sync_usage_collect(struct odp_sync *y)
{
    uint32_t today = y->counts.day, back = y->usage.looked_back ? 1 : LOOK_BACK;
    if (y->s->db == NULL || today < back)
        return;
    for (size_t k = 0; k < y->counts.nmachines; k++)
        for (uint32_t day = today - back; day <= today && y->st == ODP_OK; day++)
            collect_day(y, &y->counts.machines[k], day);
    y->usage.looked_back = y->st == ODP_OK;
}
