/* Administrative commands: the registry, whether the arguments are those of the command, a run. What they do
 * is in keys.c, usage.c, check.c and webhooks*.c, and what they share in request.c. */
#include <stdio.h>
#include <string.h>

#include "service/admin/admin.h"
#include "service/admin/webhooks.h"
#include "words/admin.h"

enum { NAME = 32, LIST = 512 };

static const struct command {
    const char *name, *arguments;
    enum odp_admin_needs needs;
    enum odp_status (*run)(struct odp_admin *x);
} commands[] = {
#define ODP_ADMIN(function, name, arguments, needs, help) {name, arguments, ODP_ADMIN_##needs, function},
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
            return odp_admin_refuse_list(x, ODP_PROBLEM_FIELD_UNKNOWN, name, odp_word(x->lang, W_admin_known),
                                         all);
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

/* ---- running ---- */

static enum odp_status unknown_command(struct odp_admin *x)
{
    char list[LIST] = "";
    for (size_t i = 0; i < ODP_COUNT(commands) && strlen(list) + 40 < sizeof list; i++)
        add_name(list, commands[i].name);
    return odp_admin_refuse_list(x, ODP_PROBLEM_FIELD_INVALID, "command", odp_word(x->lang, W_admin_known),
                                 list);
}

static enum odp_status run_with_webhooks(struct odp_admin *x, const struct command *c)
{
    struct odp_admin_webhooks h;
    enum odp_status st = odp_admin_webhooks_open(x, &h, c->needs == ODP_ADMIN_SENDER);
    x->webhooks = h.w;
    if (st == ODP_OK)
        st = c->run(x);
    odp_admin_webhooks_close(&h);
    return st;
}

static enum odp_status run_command(struct odp_admin *x, const struct command *c)
{
    enum odp_status st = check_arguments(x, c);
    if (st == ODP_OK && c->needs != ODP_ADMIN_NOTHING)
        st = odp_admin_needs_store(x);
    if (st == ODP_OK && strncmp(c->arguments, "key!", 4) == 0)
        st = odp_admin_key(x);
    if (st != ODP_OK)
        return st;
    return c->needs >= ODP_ADMIN_WEBHOOKS ? run_with_webhooks(x, c) : c->run(x);
}

static enum odp_status run(struct odp_admin *x)
{
    const json_t *command = json_object_get(x->request, "command"),
                 *lang = json_object_get(x->request, "lang");
    const char *code = json_string_value(lang);
    if (!json_is_object(x->request))
        return odp_admin_refuse(x, ODP_PROBLEM_JSON, NULL, NULL, NULL);
    if (lang != NULL && (code == NULL || (strcmp(code, "id") != 0 && strcmp(code, "en") != 0)))
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, "lang", W_admin_choose_id_en);
    x->lang = code != NULL && strcmp(code, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
    if (command == NULL)
        return odp_admin_refuse(x, ODP_PROBLEM_FIELD_MISSING, "command", NULL, NULL);
    x->command = json_string_value(command);
    for (size_t i = 0; i < ODP_COUNT(commands) && x->command != NULL; i++)
        if (strcmp(commands[i].name, x->command) == 0)
            return run_command(x, &commands[i]);
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

enum odp_status odp_admin_run_writing(struct odp_state *s, const json_t *request, const char *actor,
                                      int64_t now, const struct odp_admin_writing *writing, json_t **reply)
{
    struct odp_admin x = {
        .s = s, .request = request, .actor = actor, .now = now, .lang = ODP_LANG_ID, .writing = writing};
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
    odp_arena_release(&x.arena);
    return st;
}

enum odp_status odp_admin_run(struct odp_state *s, const json_t *request, const char *actor, int64_t now,
                              json_t **reply)
{
    return odp_admin_run_writing(s, request, actor, now, NULL, reply);
}
