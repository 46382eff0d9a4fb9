/* The audit log: entries that each cover the one before.
 *
 *   digest = SHA-256 of "SEQ TIME LEN:ACTOR LEN:ACT LEN:SUBJECT LEN:DETAIL PREVIOUS", numbers in decimal, LEN
 * in bytes previous = digest of entry SEQ - 1; of the first, 64 zeros
 *
 * setting "audit" holds the newest number, so that a chain whose end was cut off does not pass for whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "service/state/store_internal.h"

static const char genesis[] = "0000000000000000000000000000000000000000000000000000000000000000";

static void add(struct odp_buffer *b, const char *text)
{
    odp_buffer_printf(b, "%zu:%s ", strlen(text), text);
}

static enum odp_status digest_of(int64_t seq, int64_t now, const char *const texts[4], const char *previous,
                                 char out[ODP_SHA256_HEX])
{
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_printf(&b, "%lld %lld ", (long long)seq, (long long)now);
    for (int i = 0; i < 4; i++)
        add(&b, texts[i]);
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
    int64_t seq = 0;
    (void)snprintf(previous, sizeof previous, "%s", genesis);
    enum odp_status st = odp_store_row(db, "SELECT seq, digest FROM audit ORDER BY seq DESC LIMIT 1", "",
                                       "it", &seq, previous, sizeof previous);
    seq++;
    if (st == ODP_FAIL)
        return ODP_FAIL;
    const char *texts[4] = {actor, act, subject, detail};
    st = digest_of(seq, now, texts, previous, digest);
    if (st == ODP_OK)
        st = odp_store_run(db,
                           "INSERT INTO audit(seq, time, actor, act, subject, detail, previous, digest) "
                           "VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                           "iitttttt", seq, now, actor, act, subject, detail, previous, digest);
    if (st == ODP_OK)
        st = odp_store_run(db, "UPDATE setting SET value = ? WHERE name = 'audit'", "i", seq);
    return st;
}

/* One entry against the one before; PREVIOUS becomes its digest. */
static enum odp_status check_one(sqlite3_stmt *row, int64_t seq, char previous[ODP_SHA256_HEX])
{
    char digest[ODP_SHA256_HEX];
    const char *texts[4];
    for (int i = 0; i < 4; i++) {
        texts[i] = (const char *)sqlite3_column_text(row, 2 + i);
        if (texts[i] == NULL || strlen(texts[i]) != (size_t)sqlite3_column_bytes(row, 2 + i))
            return ODP_BAD;
    }
    const char *before = (const char *)sqlite3_column_text(row, 6),
               *have = (const char *)sqlite3_column_text(row, 7);
    if (sqlite3_column_int64(row, 0) != seq || before == NULL || have == NULL ||
        strcmp(before, previous) != 0)
        return ODP_BAD;
    enum odp_status st = digest_of(seq, sqlite3_column_int64(row, 1), texts, previous, digest);
    if (st != ODP_OK)
        return st;
    memcpy(previous, digest, sizeof digest);
    return strcmp(have, digest) == 0 ? ODP_OK : ODP_BAD;
}

enum odp_status odp_audit_check(sqlite3 *db, int64_t *seq)
{
    sqlite3_stmt *row = NULL;
    char previous[ODP_SHA256_HEX];
    int64_t newest = 0;
    *seq = 1;
    (void)snprintf(previous, sizeof previous, "%s", genesis);
    /* one statement, one moment */
    enum odp_status st =
        odp_store_prepare(db, &row,
                          "SELECT seq, time, actor, act, subject, detail, previous, digest,"
                          " (SELECT value FROM setting WHERE name = 'audit') FROM audit ORDER BY seq",
                          "");
    while (st == ODP_OK && (st = odp_store_step(db, row)) == ODP_OK) {
        newest = sqlite3_column_int64(row, 8);
        if ((st = check_one(row, *seq, previous)) == ODP_OK)
            ++*seq;
    }
    sqlite3_finalize(row);
    if (st != ODP_DONE)
        return st;
    if (*seq == 1) {
        st = odp_store_number(db, &newest, "SELECT value FROM setting WHERE name = 'audit'", "");
        if (st == ODP_FAIL)
            return st;
    }
    return newest == *seq - 1 ? ODP_OK : ODP_BAD;
}
