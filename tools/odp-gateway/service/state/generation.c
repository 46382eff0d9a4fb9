#include "service/state/generation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/random.h"
#include "service/state/state_internal.h"

#define SETTING "sync.generation"

enum odp_status odp_generation_read(sqlite3 *db, char out[ODP_GENERATION + 1])
{
    char text[ODP_GENERATION + 2] = ""; /* one more than it may have */
    struct odp_sql q = {.db = db};
    (void)odp_sql_row(&q, "SELECT value FROM setting WHERE name = '" SETTING "'", "", "t", text, sizeof text);
    bool known = strlen(text) == ODP_GENERATION && strspn(text, "0123456789abcdef") == ODP_GENERATION;
    memcpy(out, known ? text : "", known ? ODP_GENERATION + 1 : 1);
    return q.st;
}

enum odp_status odp_generation_new(sqlite3 *db, char out[ODP_GENERATION + 1])
{
    struct odp_sql q = {.db = db, .st = odp_random_hex(out, ODP_GENERATION)};
    odp_sql_run(&q,
                "INSERT INTO setting(name, value) VALUES('" SETTING "', ?)"
                " ON CONFLICT(name) DO UPDATE SET value = excluded.value",
                "t", out);
    if (q.st != ODP_OK)
        out[0] = '\0';
    return q.st;
}

enum odp_status odp_generation_renew(sqlite3 *db)
{
    char fresh[ODP_GENERATION + 1];
    struct odp_sql q = {.db = db, .st = odp_generation_new(db, fresh)};
    odp_sql_run(&q, "UPDATE setting SET value = value + ? WHERE name = 'change'", "i",
                (int64_t)ODP_GENERATION_GAP);
    odp_sql_run(&q, "UPDATE sqlite_sequence SET seq = seq + ? WHERE name IN ('key', 'holder')", "i",
                (int64_t)ODP_GENERATION_GAP);
    return q.st;
}

/* ---- machines ---- */

void odp_machine_name(const struct odp_service_options *o, char out[80])
{
    char host[65] = "";
    if (o->machine == NULL && gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    const char *name = o->machine != NULL ? o->machine : host;
    (void)snprintf(out, 80, "%s", name[0] != '\0' ? name : "localhost");
}

int64_t odp_machine_id(struct odp_sql *q, const char *name)
{
    int64_t id = odp_sql_number(q, "SELECT id FROM machine WHERE name = ?", "t", name);
    return id != 0 ? id : odp_sql_number(q, "INSERT INTO machine(name) VALUES(?) RETURNING id", "t", name);
}
