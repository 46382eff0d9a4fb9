/* odp-gateway webhooks …: subscriptions and their deliveries. */
#include <string.h>

#include "command/messages.h"
#include "base/json_load.h"
#include "command/table.h"
#include "command/verbs.h"
#include "words/gateway_command.h"

static const struct table_column columns[] = {
    {"id", {{W_gwc_webhook}}, false},
    {"key", {{W_gwc_key}}, false},
    {"address", {{W_gwc_address}}, false},
    {"events", {{W_gwc_events}}, false},
    {"state", {{W_gwc_state}}, false},
    {"reason", {{W_gwc_reason}}, false},
    {"pending", {{W_gwc_waiting}}, true},
    {"delivered", {{W_gwc_delivered}}, true},
    {"failed", {{W_gwc_failed}}, true},
    {"failing_since", {{W_gwc_failing_since}}, false},
    {"delivery", {{W_gwc_delivery}}, false},
    {"sends", {{W_gwc_sends}}, false},
    {"redelivered", {{W_gwc_sent_again}}, true},
    /* of `show` only */
    {"account", {{W_gwc_account}}, true},
    {"place", {{W_gwc_host}}, false},
    {"url", {{W_gwc_address}}, false},
    {"datasets", {{W_gwc_datasets}}, false},
    {"waits_until", {{W_gwc_held_until}}, false},
    {"created", {{W_gwc_created}}, false},
    {"changed", {{W_gwc_changed}}, false},
    {"verified", {{W_gwc_confirmed}}, false},
    {"previous_secret_valid_until", {{W_gwc_old_secret_until}}, false},
    {"filter", {{W_gwc_filter}}, false},
    {"description", {{W_gwc_description}}, false},
    {"name", {{W_gwc_name}}, false},
    {"email", {{W_gwc_e_mail}}, false},
    {"organisation", {{W_gwc_organisation}}, false},
    {"tier", {{W_gwc_tier}}, false},
    {"deliveries", {{W_gwc_last_deliveries}}, false},
    {"type", {{W_gwc_type}}, false},
    {"next_attempt", {{W_gwc_next_attempt}}, false},
    {"ended", {{W_gwc_ended}}, false},
    {"attempts", {{W_gwc_attempts}}, true},
    {"at", {{W_gwc_at}}, false},
    {"took_ms", {{W_gwc_took_ms}}, true},
    {"status", {{W_gwc_http}}, true},
    {"meaning", {{W_gwc_outcome}}, false},
};
enum { COLUMNS = ODP_COUNT(columns), LIST_COLUMNS = 13 };

static bool names_what(const struct invocation *inv)
{
    return (inv->delivery == NULL) != (inv->since == NULL) && !(inv->delivery != NULL && inv->only_failed);
}

static const struct admin_verb verbs[] = {
    {"list", "webhooks.list", " [--only STATE] [--key KEY]", .options = " state key ", .strict = true},
    {"show", "webhooks.show", " ID [--limit N]", .words = {"id"}, .least = 1, .options = " limit ",
     .strict = true},
    {"test", "webhooks.test", " ID", .words = {"id"}, .least = 1, .sends = true, .strict = true},
    {"replay",
     "webhooks.replay",
     " ID --delivery MSG | --since TIME [--failed]",
     {"id"},
     1,
     .options = " delivery since only_failed ",
     .sends = true,
     .fits = names_what,
     .strict = true},
    {"pause", "webhooks.pause", " ID", .words = {"id"}, .least = 1, .strict = true},
    {"resume", "webhooks.resume", " ID", .words = {"id"}, .least = 1, .sends = true, .strict = true},
    {"delete", "webhooks.delete", " ID", .words = {"id"}, .least = 1, .asks = true, .strict = true},
};

/* The operator's remedy for each reason. */
static const struct {
    const char *reason;
    struct odp_text hint;
} hints[] = {
    {"owner", {{W_gwc_owner_holds_only_owner_knows}}},
    {"failing", {{W_gwc_nothing_accepted_too_long_when}}},
    {"operator", {{W_gwc_held_operator_webhooks_resume}}},
    {"sealed", {{W_gwc_key_file_does_open_address}}},
    {"gone", {{W_gwc_receiver_answered_410_wants_no}}},
    {"key", {{W_gwc_account_no_valid_key_any_more}}},
};

/* ---- for people ---- */

/* No datasets are all of them. */
static void name_datasets(const struct invocation *inv, json_t *row)
{
    if (json_array_size(json_object_get(row, "datasets")) == 0)
        json_object_set_new(row, "datasets", json_string(say(inv, W_gwc_all)));
}

/* A delivery as a line of a table: its attempts go to ALL, their number stays. */
static json_t *plain_delivery(json_t *delivery, json_t *all)
{
    size_t i;
    json_t *attempt, *id = json_object_get(delivery, "id"), *attempts = json_object_get(delivery, "attempts"),
                     *plain = json_object();
    static const char *const members[] = {"type", "state", "created", "next_attempt", "ended"};
    json_array_foreach(attempts, i, attempt)
    {
        json_t *line = json_pack("{s:O}", "delivery", id);
        json_object_update(line, attempt);
        json_object_del(line, "outcome");
        json_array_append_new(all, line);
    }
    json_object_set(plain, "delivery", id);
    for (i = 0; i < ODP_COUNT(members); i++)
        json_object_set(plain, members[i], json_object_get(delivery, members[i]));
    json_object_set_new(plain, "attempts", json_integer((json_int_t)json_array_size(attempts)));
    return plain;
}

/* Two tables instead of one in the other. */
static void lift_attempts(json_t *row)
{
    json_t *deliveries = json_array(), *attempts = json_array(), *delivery;
    size_t i;
    json_array_foreach(json_object_get(row, "deliveries"), i, delivery)
        json_array_append_new(deliveries, plain_delivery(delivery, attempts));
    json_object_set_new(row, "deliveries", deliveries);
    if (json_array_size(attempts) > 0)
        json_object_set(row, "attempts", attempts);
    json_decref(attempts);
}

static void print_hint(const struct invocation *inv, const json_t *row)
{
    const char *reason = odp_json_text(row, "reason"), *state = odp_json_text(row, "state");
    if (state != NULL && strcmp(state, "unverified") == 0)
        printf("\n%s\n", say(inv, W_gwc_address_answered_challenge_ask));
    for (size_t i = 0; reason != NULL && i < ODP_COUNT(hints); i++)
        if (strcmp(hints[i].reason, reason) == 0)
            printf("\n%s: %s\n", reason, odp_text_get(&hints[i].hint, inv->line.lang));
}

static void print_one(const struct invocation *inv, json_t *row)
{
    name_datasets(inv, row);
    lift_attempts(row);
    table_record(stdout, row, columns, COLUMNS, inv->line.lang);
    print_hint(inv, row);
}

static void print_list(const struct invocation *inv, json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        json_t *url = json_object_get(row, "url");
        name_datasets(inv, row);
        if (url != NULL)
            json_object_set(row, "address", json_is_string(url) ? url : json_object_get(row, "place"));
    }
    if (json_array_size(rows) > 0)
        table_print(stdout, rows, columns, LIST_COLUMNS, inv->line.lang);
    else
        complain(0, "%s", say(inv, W_gwc_there_none));
}

static int print_rows(const struct invocation *inv, const struct admin_verb *v, json_t *rows)
{
    if (inv->json)
        table_json(stdout, rows);
    else if (strcmp(v->name, "show") == 0)
        print_one(inv, json_array_get(rows, 0));
    else
        print_list(inv, rows);
    return printed(inv);
}

static int run_webhooks(struct invocation *inv)
{
    return admin_verb_run(inv, verbs, ODP_COUNT(verbs), print_rows);
}

const struct command command_webhooks = {
    "webhooks", "list|show|test|replay|…", {{W_gwc_subscriptions_webhooks_their}}, run_webhooks};
