/* Erasing for good. secure_delete overwrites what is deleted, but copies of a row may lie in the free space
 * of pages that were split since, and in the log: the file is written anew (VACUUM) and the log cut to
 * nothing. Setting "scrub": 2 both are to be done, 1 the log. */
#include "service/state/store_internal.h"

enum odp_status odp_store_scrub_later(sqlite3 *db)
{
    return odp_store_run(
        db, "INSERT INTO setting(name, value) VALUES('scrub', 2) ON CONFLICT(name) DO UPDATE SET value = 2",
        "");
}

enum odp_status odp_store_scrub(sqlite3 *db)
{
    int64_t todo = 0;
    bool busy = false;
    enum odp_status st = odp_store_number(db, &todo, "SELECT value FROM setting WHERE name = 'scrub'", "");
    if (st == ODP_FAIL || todo == 0)
        return st == ODP_FAIL ? ODP_FAIL : ODP_OK;
    st = ODP_OK;
    if (todo == 2) {
        st = odp_store_run(db, "VACUUM", "");
        if (st == ODP_OK)
            st = odp_store_run(db, "UPDATE setting SET value = 1 WHERE name = 'scrub'", "");
    }
    (void)sqlite3_busy_timeout(db, 0); /* a reader that stays is waited for by the next try, not here */
    if (st == ODP_OK)
        st = odp_store_row(db, "PRAGMA wal_checkpoint(TRUNCATE)", "", "f", &busy) == ODP_OK ? ODP_OK
                                                                                            : ODP_FAIL;
    (void)sqlite3_busy_timeout(db, ODP_STORE_BUSY_MS);
    if (st == ODP_OK && !busy)
        st = odp_store_run(db, "DELETE FROM setting WHERE name = 'scrub'", "");
    return st == ODP_OK && busy ? ODP_DONE : st;
}
