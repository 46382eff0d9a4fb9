/* odp-gateway webhooks …: subscriptions, and what became of their messages. */
#include <string.h>
#include <unistd.h>

#include "command/control_client.h"
#include "command/messages.h"
#include "command/table.h"
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
    /* of one only */
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
enum { COLUMNS = sizeof columns / sizeof *columns, LIST_COLUMNS = 13 };

struct verb {
    const char *name, *command;
    bool one;   /* takes an id */
    bool asks;  /* cannot be taken back */
    bool sends; /* something goes out if the service runs */
};

static const struct verb verbs[] = {
    {"list", "webhooks.list", false, false, false},   {"show", "webhooks.show", true, false, false},
    {"test", "webhooks.test", true, false, true},     {"replay", "webhooks.replay", true, false, true},
    {"pause", "webhooks.pause", true, false, false},  {"resume", "webhooks.resume", true, false, true},
    {"delete", "webhooks.delete", true, true, false},
};

/* What an operator can do about it. */
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

static int set_text(json_t *request, const char *name, const char *value)
{
    return value != NULL ? json_object_set_new(request, name, json_string(value)) : 0;
}

static int usage(const struct verb *v)
{
    return complain(EXIT_USAGE, "odp-gateway webhooks %s%s", v->name,
                    !v->one                          ? " [--only STATE] [--key KEY]"
                    : strcmp(v->name, "show") == 0   ? " ID [--limit N]"
                    : strcmp(v->name, "replay") == 0 ? " ID --delivery MSG | --since TIME [--failed]"
                                                     : " ID");
}

static int fill_request(const struct invocation *inv, const struct verb *v, json_t *request)
{
    bool list = !v->one, show = strcmp(v->name, "show") == 0, replay = strcmp(v->name, "replay") == 0;
    int e = 0;
    if (inv->line.nwords != (v->one ? 2u : 1u) ||
        (replay && (inv->delivery == NULL) == (inv->since == NULL)) ||
        (inv->delivery != NULL && inv->only_failed))
        return usage(v);
    if ((!list && (inv->key_state != NULL || inv->key != NULL)) || (!show && inv->limit != 0) ||
        (!replay && (inv->delivery != NULL || inv->since != NULL || inv->only_failed)))
        return usage(v); /* an option of another act: it would be passed over in silence */
    if (v->one)
        e |= set_text(request, "id", inv->line.words[1]);
    e |= set_text(request, "state", inv->key_state) | set_text(request, "key", inv->key);
    e |= set_text(request, "delivery", inv->delivery) | set_text(request, "since", inv->since);
    if (inv->limit != 0)
        e |= json_object_set_new(request, "limit", json_integer(inv->limit));
    if (inv->only_failed)
        e |= json_object_set_new(request, "only_failed", json_true());
    return e == 0 ? EXIT_CLEAN : complain(EXIT_MACHINE, "%s", say(inv, W_gwc_out_memory));
}

static bool confirmed(const struct invocation *inv, const struct verb *v)
{
    char line[16] = "";
    if (!v->asks || inv->yes || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return true;
    fprintf(stderr, say(inv, W_gwc_cannot_taken_back_go_y_n), v->name, inv->line.words[1]);
    return fgets(line, sizeof line, stdin) != NULL && (line[0] == 'y' || line[0] == 'Y');
}

/* ---- for people ---- */

/* ["a","b"] as "a, b"; EMPTY for []. */
static int join(json_t *row, const char *name, const char *empty)
{
    const json_t *list = json_object_get(row, name);
    struct odp_buffer b;
    if (!json_is_array(list))
        return 0;
    odp_buffer_init(&b);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        odp_buffer_printf(&b, "%s%s", i > 0 ? ", " : "", word != NULL ? word : "?");
    }
    if (b.len == 0)
        odp_buffer_add_str(&b, empty);
    int e = odp_buffer_status(&b) == ODP_OK ? json_object_set_new(row, name, json_stringn(b.ptr, b.len)) : -1;
    odp_buffer_release(&b);
    return e;
}

static int plain_row(const struct invocation *inv, json_t *row)
{
    json_t *url = json_object_get(row, "url");
    int e = join(row, "events", "-") | join(row, "datasets", say(inv, W_gwc_all));
    if (url != NULL)
        e |= json_object_set(row, "address", json_is_string(url) ? url : json_object_get(row, "place"));
    return e;
}

/* A delivery as a line of a table: its attempts go to ALL, their number stays. */
static json_t *plain_delivery(const json_t *delivery, json_t *all)
{
    size_t i;
    json_t *attempt, *id = json_object_get(delivery, "id"), *attempts = json_object_get(delivery, "attempts");
    json_array_foreach(attempts, i, attempt)
    {
        json_t *line = json_pack("{s:O}", "delivery", id);
        int e = line == NULL || json_object_update(line, attempt) != 0 ||
                json_object_del(line, "outcome") != 0 || json_array_append(all, line) != 0;
        json_decref(line);
        if (e)
            return NULL;
    }
    return json_pack("{s:O, s:O, s:O, s:O, s:O, s:O, s:I}", "delivery", id, "type",
                     json_object_get(delivery, "type"), "state", json_object_get(delivery, "state"),
                     "created", json_object_get(delivery, "created"), "next_attempt",
                     json_object_get(delivery, "next_attempt"), "ended", json_object_get(delivery, "ended"),
                     "attempts", (json_int_t)json_array_size(attempts));
}

/* Two tables instead of one in the other. */
static int lift_attempts(json_t *row)
{
    json_t *deliveries = json_array(), *attempts = json_array(), *delivery;
    size_t i;
    int e = 0;
    json_array_foreach(json_object_get(row, "deliveries"), i, delivery)
    {
        if (e == 0)
            e = json_array_append_new(deliveries, plain_delivery(delivery, attempts));
    }
    if (e == 0)
        e = json_object_set(row, "deliveries", deliveries);
    if (e == 0 && json_array_size(attempts) > 0)
        e = json_object_set(row, "attempts", attempts);
    json_decref(deliveries);
    json_decref(attempts);
    return e;
}

static void print_hint(const struct invocation *inv, const json_t *row)
{
    const char *reason = json_string_value(json_object_get(row, "reason")),
               *state = json_string_value(json_object_get(row, "state"));
    if (state != NULL && strcmp(state, "unverified") == 0)
        printf("\n%s\n", say(inv, W_gwc_address_answered_challenge_ask));
    for (size_t i = 0; reason != NULL && i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].reason, reason) == 0)
            printf("\n%s: %s\n", reason, odp_text_get(&hints[i].hint, inv->line.lang));
}

static int print_one(const struct invocation *inv, json_t *row)
{
    int e = join(row, "events", "-") | join(row, "datasets", say(inv, W_gwc_all)) | lift_attempts(row);
    if (e != 0)
        return complain(EXIT_MACHINE, "%s", say(inv, W_gwc_out_memory));
    table_record(stdout, row, columns, COLUMNS, inv->line.lang);
    print_hint(inv, row);
    return EXIT_CLEAN;
}

static int print_rows(const struct invocation *inv, const struct verb *v, json_t *rows)
{
    size_t i;
    json_t *row;
    if (inv->json) {
        table_json(stdout, rows);
        return EXIT_CLEAN;
    }
    if (strcmp(v->name, "show") == 0)
        return print_one(inv, json_array_get(rows, 0));
    json_array_foreach(rows, i, row) if (plain_row(inv, row) !=
                                         0) return complain(EXIT_MACHINE, "%s", say(inv, W_gwc_out_memory));
    if (json_array_size(rows) > 0)
        table_print(stdout, rows, columns, LIST_COLUMNS, inv->line.lang);
    else
        complain(0, "%s", say(inv, W_gwc_there_none));
    return EXIT_CLEAN;
}

static int run_webhooks(struct invocation *inv)
{
    const struct verb *v = NULL;
    struct admin a = {0};
    json_t *rows = NULL, *request = NULL;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, inv->line.words[0]) == 0)
            v = &verbs[i];
    if (v == NULL)
        return complain(EXIT_USAGE, say(inv, W_gwc_webhooks_knows_no_see_webhooks), inv->line.words[0]);
    request = json_pack("{s:s}", "command", v->command);
    int code = request != NULL ? fill_request(inv, v, request) : EXIT_MACHINE;
    if (code == EXIT_CLEAN && !confirmed(inv, v))
        code = complain(EXIT_REFUSED, "%s", say(inv, W_gwc_left));
    if (code != EXIT_CLEAN) {
        json_decref(request);
        return code;
    }
    code = admin_begin(&a, inv);
    bool runs = a.socket[0] != '\0';
    if (code == EXIT_CLEAN)
        code = admin_rows(&a, request, &rows);
    else
        json_decref(request);
    admin_end(&a);
    if (code == EXIT_CLEAN)
        code = print_rows(inv, v, rows);
    if (code == EXIT_CLEAN && v->sends && !runs)
        complain(0, "%s", say(inv, W_gwc_service_does_run_what_waits));
    json_decref(rows);
    return code;
}

const struct command command_webhooks = {
    "webhooks", "list|show|test|replay|…", {{W_gwc_subscriptions_webhooks_their}}, run_webhooks};
