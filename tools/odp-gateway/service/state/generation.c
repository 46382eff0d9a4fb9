#include "service/state/generation.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "service/state/store_internal.h"

#define SETTING "sync.generation"

enum odp_status odp_random_hex(char *out, size_t digits)
{
    uint8_t bytes[ODP_GENERATION / 2];
    size_t n = digits / 2, got = 0;
    while (got < n) {
        ssize_t more = getrandom(bytes + got, n - got, 0);
        if (more < 0 && errno != EINTR)
            return odp_failure_set("getrandom", NULL, errno);
        got += more > 0 ? (size_t)more : 0;
    }
    for (size_t i = 0; i < n; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return ODP_OK;
}

enum odp_status odp_generation_read(sqlite3 *db, char out[ODP_GENERATION + 1])
{
    char text[ODP_GENERATION + 2] = ""; /* one more than it may have */
    enum odp_status rc =
        odp_store_row(db, "SELECT value FROM setting WHERE name = ?", "t", "t", SETTING, text, sizeof text);
    out[0] = '\0';
    if (rc == ODP_OK && strlen(text) == ODP_GENERATION && strspn(text, "0123456789abcdef") == ODP_GENERATION)
        memcpy(out, text, ODP_GENERATION + 1);
    return rc == ODP_DONE ? ODP_OK : rc;
}

enum odp_status odp_generation_new(sqlite3 *db, char out[ODP_GENERATION + 1])
{
    enum odp_status rc = odp_random_hex(out, ODP_GENERATION);
    if (rc == ODP_OK)
        rc = odp_store_run(db,
                           "INSERT INTO setting(name, value) VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET "
                           "value = excluded.value",
                           "tt", SETTING, out);
    if (rc == ODP_FAIL)
        out[0] = '\0';
    return rc == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_generation_renew(sqlite3 *db)
{
    char fresh[ODP_GENERATION + 1];
    bool ours = sqlite3_get_autocommit(db) != 0; /* no transaction of the caller's */
    enum odp_status st = ours ? odp_store_begin(db) : ODP_OK;
    if (st == ODP_OK)
        st = odp_generation_new(db, fresh);
    if (st == ODP_OK)
        st = odp_store_run(db, "UPDATE setting SET value = value + ? WHERE name = 'change'", "i",
                           (int64_t)ODP_GENERATION_GAP);
    if (st == ODP_OK)
        st = odp_store_run(db, "UPDATE sqlite_sequence SET seq = seq + ? WHERE name IN ('key', 'holder')",
                           "i", (int64_t)ODP_GENERATION_GAP);
    if (st == ODP_OK && ours)
        st = odp_store_commit(db);
    if (ours)
        odp_store_rollback(db);
    return st;
}
