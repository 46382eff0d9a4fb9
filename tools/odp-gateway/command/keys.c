/* odp-gateway keys …: registrants and their keys. */
#include "command/messages.h"
#include "base/json_load.h"
#include "command/table.h"
#include "command/verbs.h"
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
enum { KEY_COLUMNS = ODP_COUNT(key_columns), LIST_COLUMNS = 13 };

#define NARROW " tier state "
#define ABOUT  " tier name email organisation purpose until "

static bool is_complete(const struct invocation *inv)
{
    return inv->name != NULL && inv->email != NULL && inv->tier != NULL;
}

static const struct admin_verb verbs[] = {
    {"list", "keys.list", " [--tier NAME] [--only STATE]", .options = NARROW},
    {"show", "keys.show", " KEY", .words = {"key"}, .least = 1},
    {"create", "keys.create",
     " --name TEXT --email ADDRESS --tier NAME [--organisation TEXT] [--purpose TEXT] [--until DATE]",
     .options = ABOUT, .fits = is_complete},
    {"tier", "keys.tier", " KEY TIER", .words = {"key", "tier"}, .least = 2},
    {"suspend", "keys.suspend", " KEY", .words = {"key"}, .least = 1},
    {"resume", "keys.resume", " KEY", .words = {"key"}, .least = 1},
    {"revoke", "keys.revoke", " KEY", .words = {"key"}, .least = 1, .asks = true},
    {"upgrades", "keys.upgrades", " [open|approved|refused|all]", .words = {"state"}},
    {"approve", "keys.approve", " NUMBER", .words = {"id"}, .least = 1, .number = true},
    {"refuse", "keys.refuse", " NUMBER", .words = {"id"}, .least = 1, .number = true},
    {"export", "keys.export", " [--tier NAME] [--only STATE]", .options = NARROW},
    {"forget", "keys.forget", " KEY", .words = {"key"}, .least = 1, .asks = true},
    {"reissue", "keys.reissue", " KEY", .words = {"key"}, .least = 1, .asks = true},
};

static void print_new_key(const struct invocation *inv, const json_t *rows)
{
    const json_t *row = json_array_get(rows, 0);
    const char *key = odp_json_text(row, "key");
    if (inv->json)
        table_json(stdout, rows);
    else
        printf("%s\n", odp_or_empty(key));
    complain(0, "%s", say(inv, W_gwc_key_shown_once_kept_hand_over));
}

static bool is(const struct admin_verb *v, const char *name)
{
    return strcmp(v->name, name) == 0;
}

static int print_rows(const struct invocation *inv, const struct admin_verb *v, json_t *rows)
{
    bool upgrades = is(v, "upgrades");
    if (is(v, "create") || is(v, "reissue"))
        print_new_key(inv, rows);
    else if (inv->json)
        table_json(stdout, rows);
    else if (is(v, "export"))
        table_csv(stdout, rows, NULL, 0);
    else if (is(v, "show"))
        table_record(stdout, json_array_get(rows, 0), key_columns, KEY_COLUMNS, inv->line.lang);
    else if (json_array_size(rows) > 0)
        table_print(stdout, rows, key_columns, LIST_COLUMNS + (upgrades ? 2 : 0), inv->line.lang);
    else if (upgrades || is(v, "list"))
        complain(0, "%s", say(inv, W_gwc_there_none));
    return is(v, "create") || is(v, "reissue") ? EXIT_CLEAN : printed(inv); /* that key is there, and shown */
}

static int run_keys(struct invocation *inv)
{
    return admin_verb_run(inv, verbs, ODP_COUNT(verbs), print_rows);
}

const struct command command_keys = {
    "keys", "list|show|create|tier|…", {{W_gwc_keys_their_holders}}, run_keys};
