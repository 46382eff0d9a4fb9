/* Administrative commands: the registry, their arguments, a run, the reply. What they do is in keys.c, usage.c, check.c and
 * webhooks*.c. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/datetime.h"
#include "base/json_load.h"
#include "service/admin/admin.h"
#include "service/admin/admin_internal.h"
#include "service/http/text.h"
#include "words/admin.h"

enum { NAME = 32, LIST = 512 };

static const struct command {
    const char *name, *arguments;
    enum odp_status (*run)(struct odp_admin *x);
} commands[] = {
#define ODP_ADMIN(function, name, arguments, help) {name, arguments, function},
#include "service/admin/admin.def"
#undef ODP_ADMIN
};

/* ---- arguments ---- */

static bool is_words(const json_t *v)
{
    size_t i;
    const json_t *word;
    if (!json_is_array(v))
        return json_is_string(v);
    json_array_foreach(v, i, word) if (!json_is_string(word)) return false;
    return true;
}

static bool has_type(const json_t *v, char type)
{
    switch (type) {
    case 'i':
        return json_is_integer(v) && json_integer_value(v) >= 0;
    case 'b':
        return json_is_boolean(v);
    case 'k':
        return json_is_string(v) || (json_is_integer(v) && json_integer_value(v) > 0);
    case 't':
        return json_is_string(v) || json_is_null(v);
    case 'w':
        return is_words(v);
    default:
        return json_is_string(v);
    }
}

/* The next "name!t" of a list; false at its end. */
static bool next_argument(const char **list, char name[NAME], bool *required, char *type)
{
    *list += strspn(*list, " ");
    size_t n = strcspn(*list, "!?");
    if (**list == '\0' || n >= NAME)
        return false;
    memcpy(name, *list, n);
    name[n] = '\0';
    *required = (*list)[n] == '!';
    *type = (*list)[n + 1];
    *list += n + 2;
    return true;
}

/* "a, b"; cut where LIST ends. */
static void add_name(char list[LIST], const char *name)
{
    size_t n = strlen(list);
    (void)snprintf(list + n, LIST - n, "%s%s", n > 0 ? ", " : "", name);
}

static enum odp_status check_unknown(struct odp_admin *x, const struct command *c)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)x->request, name, value)
    {
        const char *list = c->arguments;
        char known[NAME], type, all[LIST] = "";
        bool required, found = strcmp(name, "command") == 0 || strcmp(name, "lang") == 0;
        while (!found && next_argument(&list, known, &required, &type)) {
            found = strcmp(name, known) == 0;
            add_name(all, known);
        }
        if (!found)
            return odp_admin_refuse_list(x, ODP_PROBLEM_FIELD_UNKNOWN, name, odp_word(x->lang, W_admin_known), all);
    }
    return ODP_OK;
}

static enum odp_status check_arguments(struct odp_admin *x, const struct command *c)
{
    const char *list = c->arguments;
    char name[NAME], type;
    bool required;
    enum odp_status st = check_unknown(x, c);
    while (st == ODP_OK && next_argument(&list, name, &required, &type)) {
        const json_t *v = json_object_get(x->request, name);
        if (v == NULL && required)
            st = odp_admin_refuse(x, ODP_PROBLEM_FIELD_MISSING, name, NULL, NULL);
        else if (v != NULL && !has_type(v, type))
            st = odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, W_admin_value_wrong_type);
    }
    return st;
}

const char *odp_admin_text(const struct odp_admin *x, const char *name)
{
    return json_string_value(json_object_get(x->request, name));
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

enum odp_status odp_admin_state(struct odp_admin *x, const char *const *states, const char *id, const char *en)
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
    enum odp_status st = odp_keys_find(x->s, json_is_string(v) ? json_string_value(v) : number, x->now, &x->key, &problem);
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
    struct odp_datetime d;
    int64_t day = 0;
    if (parse_day(text, &day)) {
        *t = (day + 1) * 86400 - (int64_t)zone_minutes * 60;
        return true;
    }
    if (odp_date_parse(odp_slice_of(text), ODP_DATETIME, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    *t = odp_date_days(&d) * 86400 + d.hour * 3600 + d.minute * 60 + d.second - (int64_t)d.offset * 60;
    return true;
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

enum odp_status odp_admin_refuse(struct odp_admin *x, enum odp_problem p, const char *field, const char *id, const char *en)
{
    struct odp_buffer text;
    json_decref(x->problem);
    odp_buffer_init(&text);
    odp_problem_write(&text, p, x->lang, x->settings.base_url, x->lang == ODP_LANG_EN ? en : id, NULL);
    x->problem = odp_buffer_status(&text) == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    odp_buffer_release(&text);
    if (field != NULL)
        json_object_set_new(x->problem, "field", json_string(field));
    return x->problem != NULL ? ODP_BAD : odp_failure_set("reply", NULL, 0);
}

enum odp_status odp_admin_refuse_list(struct odp_admin *x, enum odp_problem p, const char *field, const char *format, ...)
{
    char text[2 * LIST];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return odp_admin_refuse(x, p, field, text, text);
}

enum odp_status odp_admin_needs_store(struct odp_admin *x)
{
    if (x->s->db != NULL)
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_UNAVAILABLE, NULL, W_admin_machine_replica_run_on_writer);
}

enum odp_status odp_admin_result(struct odp_admin *x, enum odp_status st, enum odp_problem p, const char *field)
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

enum odp_status odp_admin_row_take(struct odp_admin *x, json_t *row)
{
    if (row != NULL && json_array_append_new(x->rows, row) == 0)
        return ODP_OK;
    return odp_failure_set("reply", NULL, 0);
}

json_t *odp_admin_time(const struct odp_admin *x, int64_t t)
{
    char text[ODP_TIME_SIZE];
    odp_time_iso(t, x->settings.zone_minutes, text);
    return t != 0 ? json_string(text) : json_null();
}

void odp_admin_more(struct odp_admin *x, bool more, int64_t after)
{
    x->meta = json_pack("{s:I, s:b, s:o}", "total", (json_int_t)json_array_size(x->rows), "more", (int)more, "after",
                        more ? json_integer(after) : json_null());
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

const struct odp_telling *odp_admin_telling(struct odp_admin *x, json_t *(*row)(struct odp_admin *x, const struct odp_issued *k))
{
    x->row = row;
    x->telling = (struct odp_telling){tell, x};
    return &x->telling;
}

enum odp_status odp_admin_audit(struct odp_admin *x, const char *act, const char *detail)
{
    sqlite3 *db = x->s->db;
    pthread_mutex_lock(&x->s->mutex);
    enum odp_status st = odp_store_begin(db);
    if (st == ODP_OK)
        st = odp_audit_add(db, x->now, x->actor, act, "", detail);
    if (st == ODP_OK)
        st = odp_store_commit(db);
    if (st != ODP_OK)
        odp_store_rollback(db);
    pthread_mutex_unlock(&x->s->mutex);
    return st;
}

/* ---- running ---- */

static enum odp_status unknown_command(struct odp_admin *x)
{
    char list[LIST] = "";
    for (size_t i = 0; i < sizeof commands / sizeof *commands && strlen(list) + 40 < sizeof list; i++)
        add_name(list, commands[i].name);
    return odp_admin_refuse_list(x, ODP_PROBLEM_FIELD_INVALID, "command", odp_word(x->lang, W_admin_known), list);
}

static enum odp_status run(struct odp_admin *x)
{
    const json_t *command = json_object_get(x->request, "command"), *lang = json_object_get(x->request, "lang");
    const char *code = json_string_value(lang);
    if (!json_is_object(x->request))
        return odp_admin_refuse(x, ODP_PROBLEM_JSON, NULL, NULL, NULL);
    if (lang != NULL && (code == NULL || (strcmp(code, "id") != 0 && strcmp(code, "en") != 0)))
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "lang", W_admin_choose_id_en);
    x->lang = code != NULL && strcmp(code, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
    if (command == NULL)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_MISSING, "command", NULL, NULL);
    x->command = json_string_value(command);
    for (size_t i = 0; i < sizeof commands / sizeof *commands && x->command != NULL; i++)
        if (strcmp(commands[i].name, x->command) == 0) {
            enum odp_status st = check_arguments(x, &commands[i]);
            return st == ODP_OK ? commands[i].run(x) : st;
        }
    return unknown_command(x);
}

static enum odp_status answer(struct odp_admin *x, enum odp_status st)
{
    if (st == ODP_OK)
        return x->reply != NULL ? ODP_OK : odp_admin_say(x);
    if (st != ODP_BAD)
        return st;
    json_decref(x->reply); /* said too early */
    x->reply = json_incref(x->problem);
    if (x->reply == NULL)
        return odp_failure_set("reply", NULL, 0);
    return x->writing == NULL || x->writing->write(x->writing->ctx, x->reply) == ODP_OK ? ODP_BAD : ODP_FAIL;
}

enum odp_status odp_admin_run_writing(struct odp_state *s, const json_t *request, const char *actor, int64_t now,
                                      const struct odp_admin_writing *writing, json_t **reply)
{
    struct odp_admin x = {.s = s, .request = request, .actor = actor, .now = now, .lang = ODP_LANG_ID, .writing = writing};
    pthread_mutex_lock(&s->mutex);
    x.settings = s->settings;
    pthread_mutex_unlock(&s->mutex);
    x.rows = json_array();
    enum odp_status st = answer(&x, run(&x));
    *reply = st != ODP_FAIL ? json_incref(x.reply) : NULL;
    json_decref(x.reply);
    json_decref(x.rows);
    json_decref(x.meta);
    json_decref(x.problem);
    return st;
}

enum odp_status odp_admin_run(struct odp_state *s, const json_t *request, const char *actor, int64_t now, json_t **reply)
{
    return odp_admin_run_writing(s, request, actor, now, NULL, reply);
}
