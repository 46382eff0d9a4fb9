/* What the service and the commands share: one state folder. It is 0700, its files 0600.
 *
 *   STATE/lock              flock by the service, or by a command while the service does not run
 *   STATE/role              "writer" or "replica"
 *   STATE/store.sqlite      the store: holders, keys, usage, requests, audit (store.h)
 *   STATE/keys.table        core/keys/keytable.h     STATE/meter.table   core/quota/meter.h
 *   STATE/site              symbolic link to the site that is served
 *   STATE/gateway.json      the site's, as last read
 *   STATE/run/service.sock  HTTP for nginx           STATE/run/query.sock   queries, for nginx
 *   STATE/run/control.sock  HTTP for the command line
 *   STATE/webhook.key       seals addresses and secrets of webhooks (not part of a backup of the store)
 *   STATE/cursor.key        signs cursors            STATE/indexes/  query indexes that cursors may lead to
 *   STATE/nginx.conf, STATE/nginx/   written by serve: configuration, temporary folders, pid, logs
 *   STATE/nginx.d/{main,http,server}-*.conf   the operator's own additions, included
 */
#pragma once

#include <pthread.h>

#include "base/arena.h"
#include "core/keys/keytable.h"
#include "core/quota/meter.h"
#include "service/state/clock.h"
#include "service/state/store.h"

struct odp_sync;  /* service/cluster/sync.h */
struct odp_web;   /* service/http/web.h */
struct odp_flush; /* service/state/flush.c: the counts that the store has */

/* Settings of a running service; all strings borrowed from the command line's options. */
struct odp_service_options {
    const char *state_dir;
    const char *site;           /* folder or link; NULL for commands that need none */
    const char *metrics_listen; /* "127.0.0.1:9145"; NULL: none */
    const char *auth_listen; /* forward-auth on a loopback port, "127.0.0.1:9146"; NULL: only on the socket */
    const char *sendmail;    /* "/usr/sbin/sendmail -t -i"; NULL: no mail */
    const char *mail_from;
    bool confirm_email;       /* a key runs out after 24 hours unless its address is confirmed */
    int64_t registrations;    /* per address and hour; 20 */
    int64_t attempts;         /* with wrong keys and tokens, per address and hour; 0: 100 */
    int64_t header_size;      /* bytes of one header field or request line; 0: 8 KiB */
    int64_t query_size;       /* bytes of a query's body; 0: ODP_QUERY_BODY_MAX */
    int64_t grace;            /* seconds a rotated key stays valid; 7 days */
    int64_t key_term;         /* seconds a new key is valid; 0: for ever */
    const char *writer;       /* URL: this machine is a replica of that writer; NULL: it is the writer */
    const char *redis;        /* "HOST:PORT", "unix:PATH", with optional "redis://:password@"; NULL: none */
    const char *redis_secret; /* file with the password */
    const char *machine;      /* name of this machine among the others; host name by default */
    /* queries (service/queries/queries.h); 0, NULL: the default */
    int64_t query_threads;     /* run at once; as many as there are cores */
    int64_t query_time;        /* milliseconds a query may take; 2000 */
    int64_t query_rows;        /* records it may look at; 5,000,000 */
    int64_t query_cache;       /* bytes of answers that are kept; 32 MiB; -1: none are */
    const char *cursor_secret; /* file that several machines share; NULL: STATE/cursor.key, made here */
    const char *query_key;     /* parameter in which nginx takes keys: not the query's; NULL: none */
    /* webhooks (service/webhooks/webhooks.h); 0, NULL: the default */
    bool no_webhooks; /* none: registering one answers 501 */
    const char *
        webhook_key; /* file that secrets and addresses are sealed with; NULL: STATE/webhook.key, made here */
    const char *const *webhook_allow; /* prefixes that may be called though not public ("10.0.0.0/8"),
                                         nwebhook_allow of them */
    size_t nwebhook_allow;
    bool webhook_loopback;       /* loopback may be called, over http, too */
    const char *webhook_ca;      /* certificates to trust instead of the system's */
    int64_t webhook_connections; /* at once; 64 */
    int64_t webhook_keep;        /* seconds that deliveries are kept; ODP_WEBHOOK_KEEP */
};

struct odp_state {
    const struct odp_service_options *options;
    int lock;              /* descriptor of STATE/lock */
    sqlite3 *db;           /* NULL on a replica */
    pthread_mutex_t mutex; /* one at a time on db, and on puts into the table */
    struct odp_keytable *table;
    struct odp_meter *meter;
    struct odp_settings settings; /* under mutex */
    struct odp_sync *sync;        /* NULL: this machine alone */
    struct odp_bell keys_changed; /* rung after each act on keys; who tells other machines listens */
    struct odp_web *web;          /* limits, mail and caches of a running service; NULL in commands */
    bool writer;
    bool writer_reachable, redis_reachable; /* for metrics */
    int64_t started;
    uint32_t offered; /* under mutex: bit I is set if the site offers tiers[I] now; 0: no site was read yet,
                         all are */
    int64_t unput; /* under mutex: first change of the store that did not get into the table; 0: none. flush
                      tries again */
    bool unerased; /* under mutex: forgotten data may still be in the store's files; flush tries again */
    int64_t unerased_tried;
    bool unwritten; /* under mutex: a change of the store failed; flush tries whether one can be written again
                     */
    struct odp_flush *flush;
};

/* The language of what an operator reads, every WHY of the service: said once, before anything is opened
 * (English until then). */
void odp_state_speak(enum odp_lang lang);
enum odp_lang odp_state_lang(void);

/* Takes the lock, opens (or makes) store, table and meter; compares the table with the store and mends it:
 * keys that are missing or differ are put, counts of today raised to the stored ones; a table that cannot be
 * trusted is built anew. BAD: another process holds the lock, the folder is not usable, the store is newer
 * than this program…; WHY gets a sentence for the operator. */
enum odp_status odp_state_open(struct odp_state *s, const struct odp_service_options *o,
                               char why[ODP_WHY]) ODP_MUST_USE;
/* A folder whose role is "replica" opens as one also without options->writer (commands do that): s->writer is
 * false, s->db NULL. A folder that holds a store does not open with options->writer: a writer does not become
 * a replica by a word on the command line. */
/* Flushes counts, closes. */
void odp_state_close(struct odp_state *s);

/* Reads <site>/gateway.json into settings and the table; BAD with WHY when it is not there or wrong (the old
 * settings stay). */
enum odp_status odp_state_read_site(struct odp_state *s, const char *site, char why[ODP_WHY]) ODP_MUST_USE;
/* Counts of keys and datasets into the store (absolute values: may be repeated), msync. About once a second.
 */
enum odp_status odp_state_flush(struct odp_state *s) ODP_MUST_USE;
/* Room in the state folder: LEFT, bytes, and a word for monitors: "ok", "no-space" (less than
 * ODP_STATE_ROOM), "read-only", "table-full", "failing". Quotas and faults of the disk show in flush alone.
 */
#define ODP_STATE_ROOM (1 << 20)
const char *odp_state_room(const struct odp_state *s, uint64_t *left);
/* Puts BACKUP (verified: integrity, kind, version) in place of the store of a folder that no service holds,
 * which is made if it is not there; its role becomes writer. PROMOTE, for a standby: keys that this machine's
 * table knows and the backup does not are taken over as keys of a holder without name, and changes of the
 * others (revoked, replaced, another tier) too, so that nothing acknowledged is lost. The audit says which of
 * the two it was. The table is mended, or built anew, when the state is opened next. BAD: WHY. */
enum odp_status odp_state_restore(const char *state_dir, const char *backup, bool promote,
                                  char why[ODP_WHY]) ODP_MUST_USE;
