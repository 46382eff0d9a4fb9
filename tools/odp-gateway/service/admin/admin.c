/* Administrative commands: the registry, the types of arguments, a run. What they do is in keys.c, usage.c, check.c and webhooks*.c. */
#include <stdio.h>
#include <string.h>

#include "service/admin/admin.h"
#include "service/admin/admin_internal.h"
#include "words/admin.h"

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
            st = odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, W_admin_value_wrong_type);
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
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "lang", W_admin_choose_id_en);
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
