/* odp-gateway keys …: registrants and their keys. */
#include <ctype.h>
#include <unistd.h>

#include "command/control_client.h"
#include "command/messages.h"
#include "command/table.h"
#include "core/keys/key.h"
#include "words/gateway_command.h"

static const struct table_column key_columns[] = {
    {"id", {{W_gwc_no}}, true},
    {"key", {{W_gwc_key}}, false},
    {"tier", {{W_gwc_tier}}, false},
    {"state", {{W_gwc_state}}, false},
    {"used", {{W_gwc_today}}, true},
    {"limit", {{W_gwc_quota}}, true},
    {"created", {{W_gwc_created}}, false},
    {"until", {{W_gwc_until}}, false},
    {"expires", {{W_gwc_until}}, false},
    {"name", {{W_gwc_name}}, false},
    {"email", {{W_gwc_e_mail}}, false},
    {"organisation", {{W_gwc_organisation}}, false},
    {"email_confirmed", {{W_gwc_e_mail_confirmed}}, false},
    {"purpose", {{W_gwc_purpose}}, false},
    {"reason", {{W_gwc_reason}}, false},
    {"holder", {{W_gwc_holder}}, true},
    {"account", {{W_gwc_account}}, true},
    {"chain", {{W_gwc_chain_keys}}, false},
    {"requests", {{W_gwc_requests}}, true},
    {"usage", {{W_gwc_usage}}, false},
    {"days", {{W_gwc_usage_30_days}}, false},
    {"day", {{W_gwc_day}}, false},
    {"count", {{W_gwc_requests}}, true},
};
enum { KEY_COLUMNS = sizeof key_columns / sizeof *key_columns };

enum verb_kind { VERB_LIST, VERB_SHOW, VERB_ACT, VERB_NEW_KEY, VERB_EXPORT };

struct verb {
    const char *name, *command, *argument, *second; /* of the request; NULL: none */
    enum verb_kind kind;
    bool asks;   /* cannot be taken back */
    bool number; /* the argument is a request's number */
};

static const struct verb verbs[] = {
    {"list", "keys.list", NULL, NULL, VERB_LIST, false, false},
    {"show", "keys.show", "key", NULL, VERB_SHOW, false, false},
    {"create", "keys.create", NULL, NULL, VERB_NEW_KEY, false, false},
    {"tier", "keys.tier", "key", "tier", VERB_ACT, false, false},
    {"suspend", "keys.suspend", "key", NULL, VERB_ACT, false, false},
    {"resume", "keys.resume", "key", NULL, VERB_ACT, false, false},
    {"revoke", "keys.revoke", "key", NULL, VERB_ACT, true, false},
    {"upgrades", "keys.upgrades", NULL, "state", VERB_LIST, false, false},
    {"approve", "keys.approve", "id", NULL, VERB_ACT, false, true},
    {"refuse", "keys.refuse", "id", NULL, VERB_ACT, false, true},
    {"export", "keys.export", NULL, NULL, VERB_EXPORT, false, false},
    {"forget", "keys.forget", "key", NULL, VERB_ACT, true, false},
    {"reissue", "keys.reissue", "key", NULL, VERB_NEW_KEY, true, false},
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static int set_text(json_t *request, const char *name, const char *value)
{
    return value != NULL ? json_object_set_new(request, name, json_string(value)) : 0;
}

/* "-": a key on standard input, so that it stands in no list of processes. */
static const char *read_key(const char *word, char line[80])
{
    if (strcmp(word, "-") != 0)
        return word;
    if (fgets(line, 80, stdin) == NULL)
        return "";
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

/* The words that follow the verb, and the options. */
static int fill_request(const struct invocation *inv, const struct verb *v, const char *first,
                        json_t *request)
{
    size_t needed = v->argument == NULL ? 0 : v->second == NULL ? 1 : 2;
    size_t allowed = v->argument == NULL && v->second != NULL ? 1 : needed;
    bool narrows = strcmp(v->name, "list") == 0 || strcmp(v->name, "export") == 0,
         creates = strcmp(v->name, "create") == 0;
    if (inv->line.nwords - 1 < needed || inv->line.nwords - 1 > allowed ||
        (creates && (inv->name == NULL || inv->email == NULL || inv->tier == NULL)))
        return complain(EXIT_USAGE, "odp-gateway keys %s%s%s%s%s", v->name,
                        v->argument == NULL ? ""
                        : v->number         ? " NUMBER"
                                            : " KEY",
                        v->second == NULL     ? ""
                        : v->argument != NULL ? " TIER"
                                              : " [open|approved|refused|all]",
                        creates ? " --name TEXT --email ADDRESS --tier NAME [--organisation TEXT] [--purpose "
                                  "TEXT] [--until DATE]"
                                : "",
                        narrows ? " [--tier NAME] [--only STATE]" : "");
    if (v->number) {
        char *end;
        long long n = strtoll(first, &end, 10);
        if (!isdigit((unsigned char)*first) || *end != '\0')
            return complain(EXIT_USAGE, say(inv, W_gwc_no_number_request_see_keys), first);
        return json_object_set_new(request, "id", json_integer(n)) == 0 ? EXIT_CLEAN : EXIT_MACHINE;
    }
    int e = 0;
    if (v->argument != NULL)
        e |= set_text(request, v->argument, first);
    if (v->second != NULL && inv->line.nwords - 1 >= (v->argument != NULL ? 2u : 1u))
        e |= set_text(request, v->second, inv->line.words[v->argument != NULL ? 2 : 1]);
    if (narrows)
        e |= set_text(request, "tier", inv->tier) | set_text(request, "state", inv->key_state);
    if (creates)
        e |= set_text(request, "tier", inv->tier) | set_text(request, "name", inv->name) |
             set_text(request, "email", inv->email) | set_text(request, "organisation", inv->organisation) |
             set_text(request, "purpose", inv->purpose) | set_text(request, "until", inv->until);
    return e == 0 ? EXIT_CLEAN : complain(EXIT_MACHINE, "%s", say(inv, W_gwc_out_memory));
}

/* On a terminal only: a script means what it says. */
static bool confirmed(const struct invocation *inv, const struct verb *v, const char *subject)
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

static void print_new_key(const struct invocation *inv, const json_t *rows)
{
    const json_t *row = json_array_get(rows, 0);
    const char *key = json_string_value(json_object_get(row, "key"));
    if (inv->json)
        table_json(stdout, rows);
    else
        printf("%s\n", key != NULL ? key : "");
    complain(0, "%s", say(inv, W_gwc_key_shown_once_kept_hand_over));
}

static void print_rows(const struct invocation *inv, const struct verb *v, const json_t *rows)
{
    if (v->kind == VERB_NEW_KEY)
        print_new_key(inv, rows);
    else if (inv->json)
        table_json(stdout, rows);
    else if (v->kind == VERB_EXPORT)
        table_csv(stdout, rows, NULL, 0);
    else if (v->kind == VERB_SHOW)
        table_record(stdout, json_array_get(rows, 0), key_columns, KEY_COLUMNS, inv->line.lang);
    else if (json_array_size(rows) > 0)
        table_print(stdout, rows, key_columns, 13 + (strcmp(v->name, "upgrades") == 0 ? 2 : 0),
                    inv->line.lang);
    else if (v->kind == VERB_LIST)
        complain(0, "%s", say(inv, W_gwc_there_none));
}

static int run_keys(struct invocation *inv)
{
    char line[80];
    const struct verb *v = find_verb(inv->line.words[0]);
    if (v == NULL)
        return complain(EXIT_USAGE, say(inv, W_gwc_keys_knows_no_see_keys_help), inv->line.words[0]);
    const char *first = inv->line.nwords > 1 ? read_key(inv->line.words[1], line) : "";
    json_t *rows = NULL, *request = json_pack("{s:s}", "command", v->command);
    int code = request != NULL ? fill_request(inv, v, first, request) : EXIT_MACHINE;
    if (code == EXIT_CLEAN && !confirmed(inv, v, first))
        code = complain(EXIT_REFUSED, "%s", say(inv, W_gwc_left));
    if (code == EXIT_CLEAN)
        code = admin_once(inv, request, &rows);
    else
        json_decref(request);
    if (code == EXIT_CLEAN)
        print_rows(inv, v, rows);
    json_decref(rows);
    explicit_bzero(line, sizeof line);
    return code;
}

const struct command command_keys = {
    "keys", "list|show|create|tier|…", {{W_gwc_keys_their_holders}}, run_keys};
