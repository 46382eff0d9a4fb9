/* odp-gateway audit list|check; odp-gateway status. */
#include <time.h>
#include <unistd.h>

#include "command/control_client.h"
#include "command/messages.h"
#include "command/table.h"

static const struct table_column audit_columns[] = {
    {"seq", {{"No.", "No."}}, true},       {"time", {{"Waktu", "Time"}}, false},   {"actor", {{"Oleh", "By"}}, false},
    {"act", {{"Tindakan", "Act"}}, false}, {"subject", {{"Kunci", "Key"}}, false}, {"detail", {{"Rincian", "Detail"}}, false},
};
static const struct table_column status_columns[] = {
    {"role", {{"Peran", "Role"}}, false},
    {"keys", {{"Kunci", "Keys"}}, true},
    {"capacity", {{"Daya tampung", "Capacity"}}, true},
    {"machine", {{"Mesin", "Machine"}}, false},
    {"site", {{"Situs", "Site"}}, false},
    {"started", {{"Sejak", "Since"}}, false},
    {"schema", {{"Skema", "Schema"}}, true},
    {"tiers", {{"Tingkat", "Tiers"}}, false},
    {"name", {{"Nama", "Name"}}, false},
    {"daily", {{"Per hari", "A day"}}, true},
    {"burst", {{"Per detik", "A second"}}, true},
    {"fill", {{"Terisi", "Fill"}}, true},
    {"version", {{"Versi", "Version"}}, false},
    {"states", {{"Keadaan kunci", "Keys by state"}}, false},
    {"table_behind", {{"Tabel tertinggal", "Table is behind"}}, false},
    {"erasing", {{"Penghapusan belum tuntas", "Erasing is under way"}}, false},
    {"base_url", {{"Alamat portal", "Portal's address"}}, false},
    {"zone_minutes", {{"Menit dari UTC", "Minutes from UTC"}}, true},
    {"concurrent", {{"Bersamaan", "At once"}}, true},
    {"offered", {{"Ditawarkan", "Offered"}}, false},
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static int run_audit(struct invocation *inv)
{
    json_t *rows;
    bool check = strcmp(inv->words[0], "check") == 0;
    if (!check && strcmp(inv->words[0], "list") != 0)
        return complain(EXIT_USAGE, "odp-gateway audit list|check");
    json_t *request = json_pack("{s:s}", "command", check ? "audit.check" : "audit.list");
    if (request != NULL && !check && json_object_set_new(request, "after", json_integer(0)) != 0) {
        json_decref(request);
        request = NULL;
    }
    int code = admin_once(inv, request, &rows);
    if (code != EXIT_CLEAN)
        return code;
    const json_t *row = json_array_get(rows, 0);
    if (inv->json)
        table_json(stdout, rows);
    else if (check)
        table_record(stdout, row, audit_columns, COUNT(audit_columns), inv->lang);
    else
        table_print(stdout, rows, audit_columns, COUNT(audit_columns), inv->lang);
    if (check && json_is_false(json_object_get(row, "ok")))
        code = complain(EXIT_REFUSED, "%s",
                        say(inv, "rantai catatan putus: ada yang mengubahnya; bandingkan dengan cadangan",
                            "the chain of the log is broken: somebody has changed it; compare with a backup"));
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
        printf("%s\n", runs ? say(inv, "Layanan berjalan.", "The service runs.")
                            : say(inv, "Layanan tidak berjalan.", "The service does not run."));
        table_record(stdout, json_array_get(rows, 0), status_columns, COUNT(status_columns), inv->lang);
    }
    json_decref(rows);
    return EXIT_CLEAN;
}

const struct command command_audit = {"audit",
                                      "list|check",
                                      GROUP_STATE | GROUP_TABLE,
                                      1,
                                      1,
                                      {{"catatan tindakan pengelola, setiap entri terikat pada yang sebelumnya",
                                        "the log of administrative acts, each entry chained to the one before"}},
                                      {{"", ""}},
                                      run_audit};
const struct command command_status = {
    "status",   "",        GROUP_STATE | GROUP_TABLE,
    0,          0,         {{"peran, jumlah kunci, isi tabel", "role, number of keys, fill of the table"}},
    {{"", ""}}, run_status};
