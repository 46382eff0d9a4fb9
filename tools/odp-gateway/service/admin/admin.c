/* Administrative commands: the registry, arguments, replies. What they do is in keys.c, usage.c and check.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/json_load.h"
#include "service/admin/admin_internal.h"
#include "service/http/text.h"

static const struct command {
    const char *name, *arguments;
    enum odp_status (*run)(struct odp_admin *x);
} commands[] = {
#define ODP_ADMIN(function, name, arguments, help) {name, arguments, function},
#include "service/admin/admin.def"
#undef ODP_ADMIN
};

/* ---- replies ---- */

enum odp_status odp_admin_refuse(struct odp_admin *x, enum odp_problem p, const char *field, const char *id, const char *en)
{
    struct odp_buffer text;
    const char *detail = x->lang == ODP_LANG_EN ? en : id;
    json_decref(x->problem);
    odp_buffer_init(&text);
    odp_problem_write(&text, p, x->lang, x->settings.base_url, detail, NULL);
    x->problem = odp_buffer_status(&text) == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    odp_buffer_release(&text);
    if (x->problem != NULL && field != NULL && json_object_set_new(x->problem, "field", json_string(field)) != 0) {
        json_decref(x->problem);
        x->problem = NULL;
    }
    return x->problem != NULL ? ODP_BAD : odp_failure_set("reply", NULL, 0);
}

enum odp_status odp_admin_result(struct odp_admin *x, enum odp_status st, enum odp_problem p, const char *field)
{
    if (st != ODP_BAD)
        return st;
    if (p == ODP_PROBLEM_UNAVAILABLE)
        return odp_admin_needs_store(x) == ODP_BAD ? ODP_BAD : odp_admin_refuse(x, p, NULL, NULL, NULL);
    if (p == ODP_PROBLEM_NOT_FOUND)
        return odp_admin_refuse(x, p, field, "Tidak ada yang cocok.", "Nothing matches.");
    if (p == ODP_PROBLEM_CONFLICT)
        return odp_admin_refuse(x, p, field, "Keadaannya sekarang tidak mengizinkan.",
                                "Its present state does not allow that.");
    return odp_admin_refuse(x, p, field, NULL, NULL);
}

enum odp_status odp_admin_needs_store(struct odp_admin *x)
{
    if (x->s->db != NULL)
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_UNAVAILABLE, NULL, "Mesin ini replika: jalankan di mesin penulis.",
                            "This machine is a replica: run it on the writer.");
}

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

enum odp_status odp_admin_more(struct odp_admin *x, bool more, int64_t after)
{
    x->meta = json_pack("{s:I, s:b, s:o}", "total", (json_int_t)json_array_size(x->rows), "more", (int)more, "after",
                        more ? json_integer(after) : json_null());
    return x->meta != NULL ? ODP_OK : odp_failure_set("reply", NULL, 0);
}

/* ---- arguments ---- */

const char *odp_admin_text(const struct odp_admin *x, const char *name)
{
    return json_string_value(json_object_get(x->request, name));
}

int64_t odp_admin_number(const struct odp_admin *x, const char *name, int64_t otherwise)
{
    const json_t *v = json_object_get(x->request, name);
    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

enum odp_status odp_admin_key(struct odp_admin *x, struct odp_key_info *k)
{
    char number[32];
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    const json_t *v = json_object_get(x->request, "key");
    (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
    enum odp_status st = odp_keys_find(x->s, json_is_string(v) ? json_string_value(v) : number, x->now, k, &problem);
    if (st == ODP_BAD && problem == ODP_PROBLEM_CONFLICT)
        return odp_admin_refuse(x, problem, "key", "Lebih dari satu kunci cocok: sebut nomornya.",
                                "More than one key matches: name it by its number.");
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
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, "Tulis tanggal seperti 2024-03-15.",
                            "Write a date like 2024-03-15.");
}

enum odp_status odp_admin_moment(struct odp_admin *x, const char *name, int64_t *t)
{
    const char *text = odp_admin_text(x, name);
    *t = 0;
    if (text == NULL || parse_moment(text, x->settings.zone_minutes, t))
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, "Tulis tanggal, atau saat seperti 2024-03-15T12:00:00+07:00.",
                            "Write a date, or a moment like 2024-03-15T12:00:00+07:00.");
}

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
static bool next_argument(const char **list, char name[32], bool *required, char *type)
{
    *list += strspn(*list, " ");
    size_t n = strcspn(*list, "!?");
    if (**list == '\0' || n >= 32)
        return false;
    memcpy(name, *list, n);
    name[n] = '\0';
    *required = (*list)[n] == '!';
    *type = (*list)[n + 1];
    *list += n + 2;
    return true;
}

static enum odp_status check_unknown(struct odp_admin *x, const struct command *c)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)x->request, name, value)
    {
        const char *list = c->arguments;
        char known[32], type, detail[256] = "";
        bool required, found = strcmp(name, "command") == 0 || strcmp(name, "lang") == 0;
        while (!found && next_argument(&list, known, &required, &type))
            found = strcmp(name, known) == 0;
        if (found)
            continue;
        list = c->arguments;
        for (size_t n = 0; next_argument(&list, known, &required, &type) && n + 40 < sizeof detail;)
            n += (size_t)snprintf(detail + n, sizeof detail - n, "%s%s", n > 0 ? ", " : "", known);
        char id[320], en[320];
        (void)snprintf(id, sizeof id, "Yang dikenal: %s.", detail);
        (void)snprintf(en, sizeof en, "Known: %s.", detail);
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_UNKNOWN, name, id, en);
    }
    return ODP_OK;
}

static enum odp_status check_arguments(struct odp_admin *x, const struct command *c)
{
    const char *list = c->arguments;
    char name[32], type;
    bool required;
    enum odp_status st = check_unknown(x, c);
    while (st == ODP_OK && next_argument(&list, name, &required, &type)) {
        const json_t *v = json_object_get(x->request, name);
        if (v == NULL && required)
            st = odp_admin_refuse(x, ODP_PROBLEM_FIELD_MISSING, name, NULL, NULL);
        else if (v != NULL && !has_type(v, type))
            st = odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, "Jenis nilainya salah.",
                                  "Its value is of the wrong type.");
    }
    return st;
}

/* ---- running ---- */

static enum odp_status unknown_command(struct odp_admin *x)
{
    char id[640], en[640], list[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && n + 40 < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n > 0 ? ", " : "", commands[i].name);
    (void)snprintf(id, sizeof id, "Yang dikenal: %s.", list);
    (void)snprintf(en, sizeof en, "Known: %s.", list);
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "command", id, en);
}

static enum odp_status run(struct odp_admin *x)
{
    const json_t *command = json_object_get(x->request, "command"), *lang = json_object_get(x->request, "lang");
    const char *name = json_string_value(command);
    if (!json_is_object(x->request))
        return odp_admin_refuse(x, ODP_PROBLEM_JSON, NULL, NULL, NULL);
    if (lang != NULL &&
        !(json_is_string(lang) && (strcmp(json_string_value(lang), "id") == 0 || strcmp(json_string_value(lang), "en") == 0)))
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "lang", "Pilih id atau en.", "Choose id or en.");
    x->lang = lang != NULL && strcmp(json_string_value(lang), "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
    if (command == NULL)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_MISSING, "command", NULL, NULL);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && name != NULL; i++)
        if (strcmp(commands[i].name, name) == 0) {
            enum odp_status st = check_arguments(x, &commands[i]);
            return st == ODP_OK ? commands[i].run(x) : st;
        }
    return unknown_command(x);
}

enum odp_status odp_admin_say(struct odp_admin *x)
{
    json_t *reply = json_pack("{s:O, s:s}", "data", x->rows, "status", "success");
    if (reply == NULL || (x->meta != NULL && json_object_set(reply, "meta", x->meta) != 0)) {
        json_decref(reply);
        return odp_failure_set("reply", NULL, 0);
    }
    enum odp_status st = x->writing != NULL ? x->writing->write(x->writing->ctx, reply) : ODP_OK;
    if (st == ODP_OK) {
        json_decref(x->reply);
        x->reply = json_incref(reply);
    }
    json_decref(reply);
    return st;
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
    enum odp_status st = answer(&x, x.rows != NULL ? run(&x) : odp_failure_set("reply", NULL, 0));
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
