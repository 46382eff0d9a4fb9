/* Requests by dataset: replicas say what their meters have of today and yesterday, the writer puts it into
 * its store under their names. */
#include "service/cluster/cluster_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "service/state/store.h"

#define LOOK_BACK 8u
enum { ROWS_MAX = 65536 };

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
    odp_buffer_printf(b, " %llu\n", (unsigned long long)u->count);
    return ODP_OK;
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
    for (int i = 0; i < 2 && y->st == ODP_OK; i++) {
        char name[ODP_SYNC_NAME];
        odp_feed_day(name, "usage", u->day[i], y->machine);
        odp_feed_ask(y, name);
        struct odp_wire_mark there = odp_feed_mark(y);
        bool same = odp_feed_same(&there, &u->mark[i]);
        if (u->now[i].len == 0 ||
            (same && odp_slice_eq(odp_buffer_slice(&u->now[i]), odp_buffer_slice(&u->sent[i]))))
            continue;
        if (!same)
            odp_feed_begin(y, name, &u->mark[i]);
        odp_feed_put(y, name, &u->now[i], true, &u->mark[i]);
        struct odp_buffer swap = u->sent[i];
        u->sent[i] = u->now[i];
        u->now[i] = swap;
    }
}

/* ---- the writer's side ---- */

struct rows {
    struct odp_meter_usage *list;
    size_t n, cap;
};

static void take(struct odp_sync *y, void *ctx, struct odp_slice field, struct odp_slice value)
{
    struct rows *rows = ctx;
    if (rows->n == ROWS_MAX || !odp_room(rows->list, rows->n, rows->cap)) {
        (void)odp_sync_did(y, rows->n == ROWS_MAX ? ODP_BAD : ODP_FAIL);
        return;
    }
    if (odp_wire_usage_read(field, value, &rows->list[rows->n]))
        rows->n++;
    else
        odp_sync_refuse(y, "a row of usage");
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

/* Of today and yesterday only what is new is read. */
static void collect_day(struct odp_sync *y, struct odp_sync_machine *m, uint32_t day)
{
    char name[ODP_SYNC_NAME];
    struct rows rows = {0};
    struct odp_wire_mark *known = &m->usage[day & 1];
    bool recent = day + 1 >= y->counts.day;
    odp_feed_day(name, "usage", day, m->name);
    odp_feed_ask(y, name);
    struct odp_wire_mark there = odp_feed_mark(y);
    uint64_t seq =
        recent && m->usage_day[day & 1] == day && strcmp(known->epoch, there.epoch) == 0 ? known->seq : 0;
    while (odp_feed_read(y, name, &seq, there.seq, &(struct odp_feed_taking){&rows, take}))
        if (odp_sync_stopped(y))
            (void)odp_sync_did(y, ODP_BAD);
    if (rows.n > 0)
        store_rows(y, m->name, day, &rows);
    free(rows.list);
    if (y->st == ODP_OK && recent) {
        *known = there;
        m->usage_day[day & 1] = day;
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
