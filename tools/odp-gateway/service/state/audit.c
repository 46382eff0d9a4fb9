/* The audit log: entries that each cover the one before.
 *
 *   digest   = SHA-256 of "SEQ TIME LEN:ACTOR LEN:ACT LEN:SUBJECT LEN:DETAIL PREVIOUS", numbers in decimal,
 *              LEN in bytes
 *   previous = digest of entry SEQ - 1; of the first, 64 zeros
 *
 * setting "audit" holds the newest number, so that a chain whose end was cut off does not pass for whole. */
#include <string.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "service/state/store.h"

static const char genesis[ODP_SHA256_HEX] =
    "0000000000000000000000000000000000000000000000000000000000000000";

static enum odp_status digest_of(int64_t seq, int64_t now, const char *const texts[4], const char *previous,
                                 char out[ODP_SHA256_HEX])
{
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_buffer b = {0};
    odp_buffer_printf(&b, "%lld %lld ", (long long)seq, (long long)now);
    for (int i = 0; i < 4; i++)
        odp_buffer_printf(&b, "%zu:%s ", strlen(texts[i]), texts[i]);
    odp_buffer_add_str(&b, previous);
    enum odp_status st = odp_buffer_status(&b);
    if (st == ODP_OK)
        st = odp_digest_of(b.ptr, b.len, digest);
    if (st == ODP_OK)
        odp_digest_hex(digest, out);
    odp_buffer_release(&b);
    return st;
}

enum odp_status odp_audit_add(sqlite3 *db, int64_t now, const char *actor, const char *act,
                              const char *subject, const char *detail)
{
    char previous[ODP_SHA256_HEX], digest[ODP_SHA256_HEX];
    const char *texts[4] = {actor, act, subject, detail};
    int64_t seq = 0;
    struct odp_sql q = {.db = db};
    memcpy(previous, genesis, sizeof previous);
    (void)odp_sql_row(&q, "SELECT seq, digest FROM audit ORDER BY seq DESC LIMIT 1", "", "it", &seq, previous,
                      sizeof previous);
    seq++;
    if (q.st == ODP_OK)
        q.st = digest_of(seq, now, texts, previous, digest);
    odp_sql_run(&q,
                "INSERT INTO audit(seq, time, actor, act, subject, detail, previous, digest) "
                "VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                "iitttttt", seq, now, actor, act, subject, detail, previous, digest);
    odp_sql_run(&q, "UPDATE setting SET value = ? WHERE name = 'audit'", "i", seq);
    return q.st;
}

/* One entry against the one before; PREVIOUS becomes its digest. */
static enum odp_status check_one(sqlite3_stmt *row, int64_t seq, char previous[ODP_SHA256_HEX])
{
    const char *texts[6]; /* the four, previous, digest */
    for (int i = 0; i < 6; i++) {
        texts[i] = (const char *)sqlite3_column_text(row, 2 + i);
        if (texts[i] == NULL || strlen(texts[i]) != (size_t)sqlite3_column_bytes(row, 2 + i))
            return ODP_BAD;
    }
    if (sqlite3_column_int64(row, 0) != seq || strcmp(texts[4], previous) != 0)
        return ODP_BAD;
    char digest[ODP_SHA256_HEX];
    enum odp_status st = digest_of(seq, sqlite3_column_int64(row, 1), texts, previous, digest);
    if (st != ODP_OK)
        return st;
    memcpy(previous, digest, sizeof digest);
    return strcmp(texts[5], digest) == 0 ? ODP_OK : ODP_BAD;
}

enum odp_status odp_audit_check(sqlite3 *db, int64_t *seq)
{
    char previous[ODP_SHA256_HEX];
    int64_t newest = -1;
    struct odp_sql q = {.db = db};
    *seq = 1;
    memcpy(previous, genesis, sizeof previous);
    /* one statement, one moment */
    odp_sql_select(&q,
                   "SELECT seq, time, actor, act, subject, detail, previous, digest,"
                   " (SELECT value FROM setting WHERE name = 'audit') FROM audit ORDER BY seq",
                   "");
    while (odp_sql_next(&q, "")) {
        newest = sqlite3_column_int64(q.row, 8);
        q.st = check_one(q.row, *seq, previous);
        *seq += q.st == ODP_OK;
    }
    if (newest < 0)
        newest = odp_sql_number(&q, "SELECT value FROM setting WHERE name = 'audit'", "");
    if (odp_sql_end(&q) != ODP_OK)
        return q.st;
    return newest == *seq - 1 ? ODP_OK : ODP_BAD;
}
