/* The secrets that sign cursors: a file, read at the start and whenever it changes, so that a secret is
 * replaced without a restart. */
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/queries/queries_internal.h"
#include "service/state/log.h"

enum { LEAST = ODP_SECRET_BYTES };

static const char *path_of(const struct odp_queries *q, char own[ODP_PATH_MAX])
{
    const struct odp_service_options *o = q->options;
    return o->cursor_secret != NULL ? o->cursor_secret : odp_state_file(own, o->state_dir, "cursor.key");
}

static void stamp_of(const char *path, struct queries_stamp *stamp)
{
    struct stat s;
    *stamp = (struct queries_stamp){0};
    if (stat(path, &s) == 0)
        *stamp = (struct queries_stamp){
            .inode = (uint64_t)s.st_ino, .size = (int64_t)s.st_size, .changed = s.st_ctim};
}

static bool same_stamp(const struct queries_stamp *a, const struct queries_stamp *b)
{
    return a->inode == b->inode && a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

static enum odp_status make_file(const char *path, char why[ODP_WHY])
{
    const struct odp_secret_change change = {.comment = ODP_CURSOR_COMMENT};
    struct odp_secrets s = {0};
    char text[ODP_SECRET_FILE];
    size_t len = 0;
    enum odp_status st = odp_secrets_replace(&s, &change, path, odp_state_lang(), why);
    if (st == ODP_OK)
        st = odp_secrets_compose(&s, &change, text, &len);
    if (st == ODP_OK)
        st = odp_secret_file_write(path, (struct odp_slice){text, len}, true,
                                   (struct odp_secret_owner){.user = geteuid()}, odp_state_lang(), why);
    odp_secrets_wipe(&s);
    OPENSSL_cleanse(text, sizeof text);
    return st;
}

/* Makes our own file if it is missing or cut by a crash. An operator's unreadable file is never replaced. */
static enum odp_status mend(const char *path, char why[ODP_WHY])
{
    char bytes[ODP_SECRET_FILE];
    size_t len = 0;
    enum odp_status st = odp_secret_file_bytes(path, (struct odp_secret_owner){.user = geteuid()}, bytes,
                                               &len, odp_state_lang(), why);
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (st == ODP_OK && len >= LEAST)
        return ODP_OK;
    if (st == ODP_OK)
        odp_log("warning",
                "cursor.key was damaged; a new one was made, and cursors given out before are not valid");
    return st == ODP_OK || st == ODP_DONE ? make_file(path, why) : st;
}

enum odp_status queries_secret_open(struct odp_queries *q, char why[ODP_WHY])
{
    char own[ODP_PATH_MAX];
    const char *path = path_of(q, own);
    enum odp_status st = q->options->cursor_secret == NULL ? mend(path, why) : ODP_OK;
    stamp_of(path, &q->secrets_stamp); /* before it is read: a change in between is seen at the next look */
    if (st == ODP_OK)
        st = odp_secrets_read(&q->secrets, path, (struct odp_secret_owner){.user = geteuid()}, LEAST,
                              odp_state_lang(), why);
    return st;
}

void odp_queries_secret_look(struct odp_queries *q)
{
    char own[ODP_PATH_MAX], why[ODP_WHY] = "";
    struct odp_secrets fresh;
    struct queries_stamp stamp;
    const char *path = path_of(q, own);
    stamp_of(path, &stamp);
    if (same_stamp(&stamp, &q->secrets_stamp))
        return;
    q->secrets_stamp = stamp;
    enum odp_status st = odp_secrets_read(&fresh, path, (struct odp_secret_owner){.user = geteuid()}, LEAST,
                                          odp_state_lang(), why);
    if (st == ODP_OK) {
        pthread_mutex_lock(&q->mutex);
        q->secrets = fresh;
        pthread_mutex_unlock(&q->mutex);
        odp_log("info", "cursors: the secrets of %s are read anew; %s signs", path,
                odp_secrets_signs(&fresh, odp_now())->id);
    } else {
        odp_log("error", "cursors: %s; the secrets before stay", st == ODP_BAD ? why : odp_failure_text());
        odp_failure_clear();
    }
    odp_secrets_wipe(&fresh);
}

void odp_queries_secret(struct odp_queries *q, int64_t now, uint8_t out[ODP_SECRET_BYTES])
{
    pthread_mutex_lock(&q->mutex);
    memcpy(out, odp_secrets_signs(&q->secrets, now)->bytes, ODP_SECRET_BYTES);
    pthread_mutex_unlock(&q->mutex);
}

enum odp_status odp_queries_cursor(struct odp_queries *q, struct odp_slice cursor, int64_t now,
                                   uint8_t opens[ODP_SECRET_BYTES], char id[ODP_SEARCH_ID + 1])
{
    enum odp_status st = ODP_BAD;
    pthread_mutex_lock(&q->mutex);
    for (size_t i = 0; i < q->secrets.n && st == ODP_BAD; i++)
        if (odp_query_cursor_index(cursor, q->secrets.items[i].bytes, id)) {
            memcpy(opens, q->secrets.items[i].bytes, ODP_SECRET_BYTES);
            st = odp_secret_ended(&q->secrets.items[i], now) ? ODP_DONE : ODP_OK;
        }
    pthread_mutex_unlock(&q->mutex);
    return st;
}
