/* Administrative commands, one a line: whatever a request says, there is a reply - rows, or a problem with
 * its code - and the machine never fails. Keys that commands make are never in a later reply. */
#include <stdio.h>

#include "fuzz.h"
#include "service/accounts/keys.h"
#include "service/admin/admin.h"

enum { LINES = 8, KEYS_MAX = 500, NOW = 1710468000 };
static struct odp_state state;
static struct odp_service_options options;
static char state_dir[80], secret[ODP_KEY_LENGTH + 1];

static void close_state(void)
{
    if (state.table == NULL)
        return;
    odp_state_close(&state);
    memset(&state, 0, sizeof state);
    NEED(odp_dir_remove(state_dir) == ODP_OK);
}

static void open_state(void)
{
    char why[ODP_WHY] = "";
    struct odp_issued k;
    const struct odp_registration r = {ODP_LIT("Sari"), ODP_LIT("sari@example.org"), {"", 0}, {"", 0}};
    snprintf(state_dir, sizeof state_dir, "%s", fuzz_path("state"));
    options = (struct odp_service_options){.state_dir = state_dir, .grace = 3600, .machine = "fuzz"};
    NEED(odp_state_open(&state, &options, why) == ODP_OK);
    state.settings = (struct odp_settings){
        .tiers = {{"public", 1000, 5, 2}, {"registered", -1, 0, 0}}, .ntiers = 2, .zone_minutes = 420};
    odp_keytable_set_settings(state.table, &state.settings);
    NEED(odp_keys_register(&state, &(struct odp_order){.actor = "api", .now = NOW}, &r, &k) == ODP_OK);
    memcpy(secret, k.key, sizeof secret);
}

static void check_reply(const json_t *request, enum odp_status st, const json_t *reply)
{
    NEED(st == ODP_OK || st == ODP_BAD);
    NEED(json_is_object(reply));
    if (st == ODP_OK)
        NEED(json_is_array(json_object_get(reply, "data")));
    else
        NEED(json_is_string(json_object_get(reply, "code")) &&
             json_is_integer(json_object_get(reply, "status")));
    char *text = json_dumps(reply, 0), *asked = json_dumps(request, JSON_ENCODE_ANY);
    NEED(text != NULL && asked != NULL);
    NEED(strstr(text, secret) == NULL || strstr(asked, secret) != NULL);
    free(text);
    free(asked);
}

static void run(struct odp_slice line)
{
    json_t *request = json_loadb(line.ptr, line.len, JSON_DECODE_ANY, NULL), *reply = NULL;
    const char *path = json_string_value(json_object_get(request, "path"));
    if (request != NULL &&
        (path == NULL || path[0] != '/')) { /* a fuzzer does not choose where files are written */
        enum odp_status st = odp_admin_run(&state, request, "command:fuzz", NOW, &reply);
        check_reply(request, st, reply);
    }
    json_decref(reply);
    json_decref(request);
    odp_failure_clear();
}

void fuzz_one(struct odp_slice in)
{
    static bool registered;
    if (!registered)
        registered = atexit(close_state) == 0;
    if (state.table != NULL && odp_keytable_count(state.table) > KEYS_MAX)
        close_state();
    if (state.table == NULL)
        open_state();
    for (int i = 0; i < LINES && in.len > 0; i++)
        run(fuzz_line(&in));
}
