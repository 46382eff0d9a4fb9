/* This machine's name among the others, and the numbers that the store has for machines. */
#include <stdio.h>
#include <unistd.h>

#include "service/state/state_internal.h"

void odp_machine_name(const struct odp_service_options *o, char out[80])
{
    char host[65] = "";
    if (o->machine == NULL && gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    const char *name = o->machine != NULL ? o->machine : host;
    (void)snprintf(out, 80, "%s", name[0] != '\0' ? name : "localhost");
}

enum odp_status odp_machine_id(sqlite3 *db, const char *name, int64_t *id)
{
    enum odp_status st = odp_store_number(db, id, "SELECT id FROM machine WHERE name = ?", "t", name);
    if (st != ODP_DONE)
        return st;
    st = odp_store_run(db, "INSERT INTO machine(name) VALUES(?)", "t", name);
    *id = sqlite3_last_insert_rowid(db);
    return st;
}
