#include "service/state/limit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/digest.h"
#include "core/random.h"

enum { WAYS = 8, SETS = ODP_LIMIT_ENTRIES / WAYS, SEED = 16, SUBJECT_MAX = 320 };
static const int64_t hour_ms = 3600000;

struct entry {
    uint8_t key[16];
    int64_t until; /* theoretical arrival time, Unix milliseconds; 0: free */
};

struct odp_limit {
    pthread_mutex_t mutex;
    uint8_t seed[SEED];
    struct entry entries[SETS][WAYS];
};

enum odp_status odp_limit_new(struct odp_limit **out)
{
    *out = NULL;
    struct odp_limit *l = calloc(1, sizeof *l);
    if (l == NULL)
        return odp_failure_set("limit", NULL, ENOMEM);
    if (odp_random(l->seed, SEED) != ODP_OK) {
        free(l);
        return ODP_FAIL;
    }
    int e = pthread_mutex_init(&l->mutex, NULL);
    if (e != 0) {
        free(l);
        return odp_failure_set("mutex", NULL, e);
    }
    *out = l;
    return ODP_OK;
}

void odp_limit_free(struct odp_limit *l)
{
    if (l == NULL)
        return;
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

static bool key_of(const struct odp_limit *l, enum odp_limit_kind kind, struct odp_slice subject,
                   uint8_t key[ODP_SHA256_SIZE])
{
    uint8_t text[SEED + 1 + SUBJECT_MAX];
    size_t n = subject.len < SUBJECT_MAX ? subject.len : SUBJECT_MAX;
    memcpy(text, l->seed, SEED);
    text[SEED] = (uint8_t)kind;
    if (n > 0)
        memcpy(text + SEED + 1, subject.ptr, n);
    return odp_digest_of(text, SEED + 1 + n, key) == ODP_OK;
}

/* The subject's entry, or the place where it may go: a free or idle one before the one that was idle longest.
 */
static struct entry *place(struct odp_limit *l, const uint8_t key[ODP_SHA256_SIZE])
{
    size_t set = ((size_t)key[16] << 8 | key[17]) % SETS;
    struct entry *oldest = &l->entries[set][0];
    for (size_t i = 0; i < WAYS; i++) {
        struct entry *e = &l->entries[set][i];
        if (e->until != 0 && memcmp(e->key, key, sizeof e->key) == 0)
            return e;
        if (e->until < oldest->until)
            oldest = e;
    }
    return oldest;
}

/* COUNT false only looks. */
static bool check(struct odp_limit *l, const uint8_t key[ODP_SHA256_SIZE], int64_t hourly, int64_t now_ms,
                  int64_t *retry, bool count)
{
    int64_t step = hour_ms / (hourly < hour_ms ? hourly : hour_ms);
    pthread_mutex_lock(&l->mutex);
    struct entry *e = place(l, key);
    bool known = e->until != 0 && memcmp(e->key, key, sizeof e->key) == 0;
    int64_t from = known && e->until > now_ms ? e->until : now_ms;
    /* A clock that was set back must not lock anybody out for longer than the hour: what it left is brought
     * into it, once, and runs out from there. */
    if (from > now_ms + hour_ms)
        e->until = from = now_ms + hour_ms;
    int64_t wait = from + step - hour_ms - now_ms;
    bool pass = wait <= 0;
    if (pass && count) {
        memcpy(e->key, key, sizeof e->key);
        e->until = from + step;
    }
    pthread_mutex_unlock(&l->mutex);
    if (!pass)
        *retry = (wait + 999) / 1000;
    return pass;
}

bool odp_limit_take(struct odp_limit *l, enum odp_limit_kind kind, struct odp_slice subject, int64_t hourly,
                    int64_t now_ms, int64_t *retry)
{
    uint8_t key[ODP_SHA256_SIZE];
    *retry = 0;
    return hourly <= 0 || !key_of(l, kind, subject, key) || check(l, key, hourly, now_ms, retry, true);
}

bool odp_limit_look(struct odp_limit *l, enum odp_limit_kind kind, struct odp_slice subject, int64_t hourly,
                    int64_t now_ms, int64_t *retry)
{
    uint8_t key[ODP_SHA256_SIZE];
    *retry = 0;
    return hourly <= 0 || !key_of(l, kind, subject, key) || check(l, key, hourly, now_ms, retry, false);
}

size_t odp_limit_client(struct odp_slice address, char out[ODP_CLIENT_SIZE])
{
    char text[64];
    unsigned char v6[16];
    if (address.len == 0 || address.len >= sizeof text)
        return 0;
    memcpy(text, address.ptr, address.len);
    text[address.len] = '\0';
    if (inet_pton(AF_INET, text, out) == 1)
        return 4;
    if (inet_pton(AF_INET6, text, v6) != 1)
        return 0;
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (memcmp(v6, mapped, sizeof mapped) == 0) {
        memcpy(out, v6 + 12, 4);
        return 4;
    }
    memcpy(out, v6, 8);
    return 8;
}
