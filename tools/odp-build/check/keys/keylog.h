/* Hashes of keys, table by table, in memory blocks and one scratch file: what a key set becomes that has
 * outgrown its bound. 12 bytes a key on the disk.
 *
 * The file is made in TMPDIR (else /tmp) and unlinked at once: whatever ends the program, it does not stay.
 * Tables are independent: one thread at a time may be at one table, several at several. */
#pragma once

#include "base/status.h"
#include "check/keys/keytable.h"

struct keylog;
enum odp_status keylog_new(struct keylog **out) ODP_MUST_USE;
void keylog_free(struct keylog *l);
enum odp_status keylog_add(struct keylog *l, unsigned table, struct odp_key_hash h) ODP_MUST_USE;
/* The next hashes of TABLE from *AT (0 at first) on, in the order they were added; *N is 0 at the end.
 * Borrowed until the next call for the table. */
enum odp_status keylog_read(struct keylog *l, unsigned table, uint64_t *at, const struct odp_key_hash **out,
                            size_t *n) ODP_MUST_USE;
/* In place of what TABLE holds: the entries of T, which are sorted for it. */
enum odp_status keylog_replace(struct keylog *l, unsigned table, struct keytable *t) ODP_MUST_USE;
/* After replace: 1 H is in the table, 0 it is not, -1 reading failed. By any thread. */
int keylog_search(const struct keylog *l, unsigned table, struct odp_key_hash h);
