/* odp-gateway audit list|check; odp-gateway status. */

#include "command/control_client.h"
#include "command/messages.h"
#include "command/table.h"
#include "words/gateway_command.h"

static const struct table_column audit_columns[] = {
    {"seq", {{W_gwc_no}}, true},
    {"time", {{W_gwc_time}}, false},
    {"actor", {{W_gwc_by}}, false},
    {"act", {{W_gwc_act}}, false},
    {"subject", {{W_gwc_key}}, false},
    {"detail", {{W_gwc_detail}}, false},
    {"ok", {{W_gwc_chain_whole}}, false},
    {"entries", {{W_gwc_entries}}, true},
    {"broken_at", {{W_gwc_broken_at}}, true},
};
static const struct table_column status_columns[] = {
    {"role", {{W_gwc_role}}, false},
    {"keys", {{W_gwc_keys}}, true},
    {"capacity", {{W_gwc_capacity}}, true},
    {"machine", {{W_gwc_machine}}, false},
    {"site", {{W_gwc_site}}, false},
    {"started", {{W_gwc_since}}, false},
    {"schema", {{W_gwc_schema}}, true},
    {"tiers", {{W_gwc_tiers}}, false},
    {"name", {{W_gwc_name}}, false},
    {"daily", {{W_gwc_day_2}}, true},
    {"burst", {{W_gwc_second}}, true},
    {"fill", {{W_gwc_fill}}, true},
    {"version", {{W_gwc_version}}, false},
    {"states", {{W_gwc_keys_state}}, false},
    {"table_behind", {{W_gwc_table_behind}}, false},
    {"erasing", {{W_gwc_erasing_under_way}}, false},
    {"base_url", {{W_gwc_portal_address}}, false},
    {"zone_minutes", {{W_gwc_minutes_utc}}, true},
    {"concurrent", {{W_gwc_once}}, true},
    {"offered", {{W_gwc_offered}}, false},
};

static int run_audit(struct invocation *inv)
{
    json_t *rows;
    bool check = strcmp(inv->line.words[0], "check") == 0;
    if (!check && strcmp(inv->line.words[0], "list") != 0)
        return complain(EXIT_USAGE, "%s odp-gateway audit list|check", say(inv, W_gwc_wrong_words));
    json_t *request = json_pack("{s:s}", "command", check ? "audit.check" : "audit.list");
    if (!check)
        json_object_set_new(request, "after", json_integer(0));
    int code = admin_once(inv, request, &rows);
    if (code != EXIT_CLEAN)
        return code;
    const json_t *row = json_array_get(rows, 0);
    if (inv->json)
        table_json(stdout, rows);
    else if (check)
        table_record(stdout, row, audit_columns, ODP_COUNT(audit_columns), inv->line.lang);
    else
        table_print(stdout, rows, audit_columns, ODP_COUNT(audit_columns), inv->line.lang);
    code = printed(inv);
    if (check && json_is_false(json_object_get(row, "ok")))
        code = complain(EXIT_REFUSED, "%s", say(inv, W_gwc_chain_log_broken_somebody));
    json_decref(rows);
    return code;
}

static int run_status(struct invocation *inv)
{
    struct admin a;
    json_t *rows = NULL;
    int code = admin_begin(&a, inv);
    bool runs = a.socket[0] != '\0';
    if (code == EXIT_CLEAN)
        code = admin_rows(&a, json_pack("{s:s}", "command", "status"), &rows);
    admin_end(&a);
    if (code != EXIT_CLEAN)
        return code;
    if (inv->json) {
        (void)json_object_set_new(json_array_get(rows, 0), "running", json_boolean(runs));
        table_json(stdout, rows);
    } else {
        printf("%s\n", runs ? say(inv, W_gwc_service_runs) : say(inv, W_gwc_service_does_run));
        table_record(stdout, json_array_get(rows, 0), status_columns, ODP_COUNT(status_columns),
                     inv->line.lang);
    }
    json_decref(rows);
    return printed(inv);
}

const struct command command_audit = {
    "audit", "list|check", {{W_gwc_log_administrative_acts_each}}, run_audit};
const struct command command_status = {"status", "", {{W_gwc_role_number_keys_fill_table}}, run_status};
