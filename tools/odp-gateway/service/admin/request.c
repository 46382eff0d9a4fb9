/* A command that is being run: its arguments, what is refused, the reply. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/datetime.h"
#include "base/json_load.h"
#include "service/accounts/caller.h"
#include "service/admin/admin_internal.h"
#include "service/http/text.h"
#include "words/admin.h"

enum { TEXT = 1024, NAME = 32 };

/* ---- arguments ---- */

const char *odp_admin_text(const struct odp_admin *x, const char *name)
{
    return odp_json_text(x->request, name);
}

int64_t odp_admin_number(const struct odp_admin *x, const char *name, int64_t otherwise)
{
    const json_t *v = json_object_get(x->request, name);
    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

int64_t odp_admin_limit(const struct odp_admin *x, int64_t otherwise, int64_t most)
{
    int64_t limit = odp_admin_number(x, "limit", otherwise);
    if (limit < 1)
        return 1;
    return limit > most ? most : limit;
}

enum odp_status odp_admin_state(struct odp_admin *x, const char *const *states, const char *id,
                                const char *en)
{
    const char *state = odp_admin_text(x, "state");
    while (state != NULL && *states != NULL && strcmp(state, *states) != 0)
        states++;
    return *states != NULL ? ODP_OK : odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "state", id, en);
}

enum odp_status odp_admin_key(struct odp_admin *x)
{
    char number[32];
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    const json_t *v = json_object_get(x->request, "key");
    (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
    enum odp_status st =
        odp_keys_find(x->s, json_is_string(v) ? json_string_value(v) : number, x->now, &x->key, &problem);
    if (st == ODP_BAD && problem == ODP_PROBLEM_CONFLICT)
        return odp_admin_refuse(x, problem, "key", W_admin_more_than_one_key_matches);
    return odp_admin_result(x, st, problem, "key");
}

/* DATE "2024-03-15" as days since 1970. */
static bool parse_day(const char *text, int64_t *day)
{
    struct odp_datetime d;
    if (odp_date_parse(odp_slice_of(text), ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    *day = odp_date_days(&d);
    return true;
}

static bool parse_moment(const char *text, int32_t zone_minutes, int64_t *t)
{
    int64_t day = 0, ms = 0;
    bool is_day = parse_day(text, &day), fits = is_day || odp_moment_read(odp_slice_of(text), &ms);
    *t = is_day ? (day + 1) * 86400 - (int64_t)zone_minutes * 60 : (ms - (ms % 1000 + 1000) % 1000) / 1000;
    return fits;
}

enum odp_status odp_admin_day(struct odp_admin *x, const char *name, int64_t otherwise, int64_t *day)
{
    const char *text = odp_admin_text(x, name);
    *day = otherwise;
    if (text == NULL || parse_day(text, day))
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, W_admin_write_date);
}

enum odp_status odp_admin_moment(struct odp_admin *x, const char *name, int64_t *t)
{
    const char *text = odp_admin_text(x, name);
    *t = 0;
    if (text == NULL || parse_moment(text, x->settings.zone_minutes, t))
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, W_admin_write_date_moment_like_2024);
}

/* ---- what is refused ---- */

enum odp_status odp_admin_refuse(struct odp_admin *x, enum odp_problem p, const char *field, const char *id,
                                 const char *en)
{
    struct odp_buffer text = {0};
    json_decref(x->problem);
    odp_problem_write(&text, p, x->lang, x->settings.base_url, x->lang == ODP_LANG_EN ? en : id, NULL);
    x->problem = odp_buffer_status(&text) == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    odp_buffer_release(&text);
    if (field != NULL)
        json_object_set_new(x->problem, "field", json_string(field));
    return x->problem != NULL ? ODP_BAD : odp_failure_set("reply", NULL, 0);
}

enum odp_status odp_admin_refuse_list(struct odp_admin *x, enum odp_problem p, const char *field,
                                      const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return odp_admin_refuse(x, p, field, text, text);
}

enum odp_status odp_admin_checked(struct odp_admin *x, const char *what, bool ok, const char *id,
                                  const char *en, ...)
{
    char detail[TEXT];
    va_list args;
    va_start(args, en);
    (void)vsnprintf(detail, sizeof detail, odp_word(x->lang, id, en), args);
    va_end(args);
    return odp_admin_row_take(x,
                              json_pack("{s:s, s:b, s:s}", "check", what, "ok", (int)ok, "detail", detail));
}

enum odp_status odp_admin_needs_store(struct odp_admin *x)
{
    if (x->s->db != NULL)
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_UNAVAILABLE, NULL, W_admin_machine_replica_run_on_writer);
}

enum odp_status odp_admin_result(struct odp_admin *x, enum odp_status st, enum odp_problem p,
                                 const char *field)
{
    if (st != ODP_BAD)
        return st;
    if (p == ODP_PROBLEM_UNAVAILABLE)
        return odp_admin_needs_store(x) == ODP_BAD ? ODP_BAD : odp_admin_refuse(x, p, NULL, NULL, NULL);
    if (p == ODP_PROBLEM_NOT_FOUND)
        return odp_admin_refuse(x, p, field, W_admin_nothing_matches);
    if (p == ODP_PROBLEM_CONFLICT)
        return odp_admin_refuse(x, p, field, W_admin_present_state_does_not_allow);
    return odp_admin_refuse(x, p, field, NULL, NULL);
}

/* ---- the reply ---- */

/* Column I; its member's name into NAME. */
static json_t *column(const struct odp_admin *x, sqlite3_stmt *row, int i, char name[NAME])
{
    const char *full = sqlite3_column_name(row, i), *text = (const char *)sqlite3_column_text(row, i);
    size_t n = strcspn(full, ":");
    const char *kind = full + n;
    char date[ODP_TIME_SIZE];
    int64_t number = sqlite3_column_int64(row, i);
    (void)snprintf(name, NAME, "%.*s", (int)n, full);
    if (strcmp(kind, ":time") == 0)
        return odp_admin_time(x, number);
    if (strcmp(kind, ":flag") == 0)
        return json_boolean(number != 0);
    if (strcmp(kind, ":day") == 0) {
        odp_day_iso(number, date);
        return json_string(date);
    }
    if (strcmp(kind, ":json") == 0) {
        json_t *value = text != NULL ? odp_json_load(text, strlen(text), 0, NULL) : NULL;
        return value != NULL ? value : json_null();
    }
    if (sqlite3_column_type(row, i) == SQLITE_INTEGER)
        return json_integer(number);
    return json_string(text != NULL ? text : "-");
}

bool odp_admin_rows(struct odp_admin *x, struct odp_sql *q, size_t most)
{
    bool more = false;
    while (!more && odp_sql_next(q, "")) {
        char name[NAME];
        json_t *row = json_object();
        for (int i = 0; i < sqlite3_column_count(q->row); i++) {
            json_t *value = column(x, q->row, i, name);
            json_object_set_new(row, name, value);
        }
        more = json_array_size(x->rows) == most;
        if (more)
            json_decref(row);
        else
            q->st = odp_admin_row_take(x, row);
    }
    (void)!odp_sql_end(q);
    return more;
}

enum odp_status odp_admin_row_take(struct odp_admin *x, json_t *row)
{
    if (row != NULL && json_array_append_new(x->rows, row) == 0)
        return ODP_OK;
    return odp_failure_set("reply", NULL, 0);
}

json_t *odp_admin_time(const struct odp_admin *x, int64_t t)
{
    return odp_json_time(t, x->settings.zone_minutes);
}

void odp_admin_more(struct odp_admin *x, bool more, int64_t after)
{
    x->meta = json_pack("{s:I, s:b, s:o}", "total", (json_int_t)json_array_size(x->rows), "more", (int)more,
                        "after", more ? json_integer(after) : json_null());
}

enum odp_status odp_admin_say(struct odp_admin *x)
{
    json_t *reply = json_pack("{s:O, s:s}", "data", x->rows, "status", "success");
    if (x->meta != NULL)
        json_object_set(reply, "meta", x->meta);
    enum odp_status st = x->writing != NULL ? x->writing->write(x->writing->ctx, reply) : ODP_OK;
    if (st != ODP_OK) {
        json_decref(reply);
        return st;
    }
    json_decref(x->reply);
    x->reply = reply;
    return ODP_OK;
}

static enum odp_status tell(void *ctx, const struct odp_issued *k)
{
    struct odp_admin *x = ctx;
    enum odp_status st = odp_admin_row_take(x, x->row(x, k));
    return st == ODP_OK ? odp_admin_say(x) : st;
}

struct odp_order *odp_admin_order(struct odp_admin *x,
                                  json_t *(*row)(struct odp_admin *x, const struct odp_issued *k))
{
    x->row = row;
    x->order = (struct odp_order){.actor = x->actor, .now = x->now, .telling = {tell, x}};
    return &x->order;
}

enum odp_status odp_admin_audit(struct odp_admin *x, const char *act, const char *detail)
{
    pthread_mutex_lock(&x->s->mutex);
    struct odp_sql q = odp_sql_begin(x->s->db);
    if (q.st == ODP_OK)
        q.st = odp_audit_add(q.db, x->now, x->actor, act, "", detail);
    enum odp_status st = odp_sql_commit(&q);
    pthread_mutex_unlock(&x->s->mutex);
    return st;
}
