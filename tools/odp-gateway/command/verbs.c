#include "command/verbs.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/messages.h"
#include "core/keys/key.h"
#include "words/gateway_command.h"

enum { KEY_LINE = 80 };

static const struct {
    const char *member;
    size_t offset; /* of a text in struct invocation */
} texts[] = {{"tier", offsetof(struct invocation, tier)},
             {"state", offsetof(struct invocation, key_state)},
             {"name", offsetof(struct invocation, name)},
             {"email", offsetof(struct invocation, email)},
             {"organisation", offsetof(struct invocation, organisation)},
             {"purpose", offsetof(struct invocation, purpose)},
             {"until", offsetof(struct invocation, until)},
             {"key", offsetof(struct invocation, key)},
             {"delivery", offsetof(struct invocation, delivery)},
             {"since", offsetof(struct invocation, since)}};

static bool takes(const struct admin_verb *v, const char *member)
{
    char name[32];
    (void)snprintf(name, sizeof name, " %s ", member);
    return v->options != NULL && strstr(v->options, name) != NULL;
}

/* The options, as members of REQUEST. False: one of them is not for this verb, or they do not go together. */
static bool take_options(const struct invocation *inv, const struct admin_verb *v, json_t *request, int *e)
{
    bool alien = (inv->limit != 0 && !takes(v, "limit")) || (inv->only_failed && !takes(v, "only_failed"));
    for (size_t i = 0; i < ODP_COUNT(texts); i++) {
        const char *value = *(const char *const *)(const void *)((const char *)inv + texts[i].offset);
        if (value != NULL && takes(v, texts[i].member))
            *e |= json_object_set_new(request, texts[i].member, json_string(value));
        else
            alien = alien || value != NULL;
    }
    if (inv->limit != 0)
        *e |= json_object_set_new(request, "limit", json_integer(inv->limit));
    if (inv->only_failed)
        *e |= json_object_set_new(request, "only_failed", json_true());
    return (v->fits == NULL || v->fits(inv)) && !(v->strict && alien);
}

static int fill_request(const struct invocation *inv, const struct admin_verb *v, const char *first,
                        json_t *request)
{
    size_t most = v->words[1] != NULL ? 2 : v->words[0] != NULL ? 1 : 0, given = inv->line.nwords - 1;
    int e = 0;
    bool fits = take_options(inv, v, request, &e);
    if (given < v->least || given > most || !fits)
        return complain(EXIT_USAGE, "%s odp-gateway %s %s%s", say(inv, W_gwc_wrong_words),
                        inv->line.command->name, v->name, v->usage);
    if (v->number) {
        char *end;
        long long n = strtoll(first, &end, 10);
        if (!isdigit((unsigned char)*first) || *end != '\0')
            return complain(EXIT_USAGE, say(inv, W_gwc_no_number_request_see_keys), first);
        e |= json_object_set_new(request, v->words[0], json_integer(n));
    }
    for (size_t i = 0; i < given && !v->number; i++)
        e |= json_object_set_new(request, v->words[i], json_string(i == 0 ? first : inv->line.words[1 + i]));
    return e == 0 ? EXIT_CLEAN : machine_failed(inv);
}

/* "-": a key on standard input, so that no list of processes shows it. */
static const char *read_key(const char *word, char line[KEY_LINE])
{
    if (strcmp(word, "-") != 0)
        return word;
    if (fgets(line, KEY_LINE, stdin) == NULL)
        return "";
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

/* Asked on a terminal only: a script means what it says. */
static bool is_confirmed(const struct invocation *inv, const struct admin_verb *v, const char *subject)
{
    char line[16] = "", shown[ODP_KEY_SHOWN + 1];
    if (!v->asks || inv->yes || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return true;
    if (strncmp(subject, ODP_KEY_PREFIX, strlen(ODP_KEY_PREFIX)) == 0) {
        odp_key_shown(odp_slice_of(subject), shown);
        subject = shown[0] != '\0' ? shown : subject;
    }
    fprintf(stderr, say(inv, W_gwc_cannot_taken_back_go_y_n), v->name, subject);
    return fgets(line, sizeof line, stdin) != NULL && (line[0] == 'y' || line[0] == 'Y');
}

static const struct admin_verb *find_verb(const struct invocation *inv, const struct admin_verb *verbs,
                                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(verbs[i].name, inv->line.words[0]) == 0)
            return &verbs[i];
    return NULL;
}

int admin_verb_run(struct invocation *inv, const struct admin_verb *verbs, size_t n,
                   int (*print)(const struct invocation *inv, const struct admin_verb *v, json_t *rows))
{
    const struct admin_verb *v = find_verb(inv, verbs, n);
    const char *group = inv->line.command->name;
    if (v == NULL)
        return complain(EXIT_USAGE, say(inv, W_gwc_knows_no_verb), group, inv->line.words[0], group);
    char line[KEY_LINE];
    struct admin a = {0};
    json_t *rows = NULL, *request = json_pack("{s:s}", "command", v->command);
    const char *first = inv->line.nwords > 1 ? read_key(inv->line.words[1], line) : "";
    int code = fill_request(inv, v, first, request);
    if (code == EXIT_CLEAN && !is_confirmed(inv, v, first))
        code = complain(EXIT_REFUSED, "%s", say(inv, W_gwc_left));
    if (code == EXIT_CLEAN)
        code = admin_begin(&a, inv);
    bool runs = a.socket[0] != '\0';
    if (code == EXIT_CLEAN)
        code = admin_rows(&a, request, &rows);
    else
        json_decref(request);
    admin_end(&a);
    if (code == EXIT_CLEAN)
        code = print(inv, v, rows);
    if (code == EXIT_CLEAN && v->sends && !runs)
        complain(0, "%s", say(inv, W_gwc_service_does_run_what_waits));
    json_decref(rows);
    explicit_bzero(line, sizeof line);
    return code;
}
