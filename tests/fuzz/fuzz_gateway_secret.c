/* Any bytes as a file of secrets: what is taken has a secret that signs at any moment, is written and read
 * again alike, and another can take its place without anything failing before its grace is over. No reason
 * quotes a secret. */
#include <stdio.h>

#include "core/secrets/secret.h"
#include "fuzz.h"

enum { LEAST = 16, QUOTED = 24, GRACE = 3600 };
#define YEAR_9999 INT64_C(253370764800)

/* WHY contains no word of TEXT that is as long as a secret. */
static void no_quote(struct odp_slice text, const char *why)
{
    for (size_t i = 0; text.len >= QUOTED && i <= text.len - QUOTED; i++) {
        bool word = true; /* the reasons have no word so long */
        for (size_t k = 0; k < QUOTED && word; k++)
            word = text.ptr[i + k] > ' ';
        NEED(!word || memmem(why, strlen(why), text.ptr + i, QUOTED) == NULL);
    }
}

static void check_one(const struct odp_secrets *s, int64_t now)
{
    const struct odp_secret *k = odp_secrets_signs(s, now);
    NEED(k >= s->items && k < s->items + s->n);
    NEED(!odp_secret_ended(k, now));
    for (size_t i = 0; i < s->n; i++)
        NEED(k->since <= now || s->items[i].since > now || odp_secret_ended(&s->items[i], now));
}

static void check(const struct odp_secrets *s)
{
    NEED(s->n >= 1 && s->n <= ODP_SECRET_KEYS);
    for (size_t i = 0; i < s->n; i++) {
        const struct odp_secret *k = &s->items[i];
        NEED(memchr(k->word, '\0', sizeof k->word) != NULL && strlen(k->id) == ODP_SECRET_ID - 1);
        NEED(k->since == 0 || k->until == 0 || k->since < k->until);
        for (size_t j = 0; j < i; j++)
            NEED(strcmp(k->id, s->items[j].id) != 0 &&
                 memcmp(k->bytes, s->items[j].bytes, sizeof k->bytes) != 0);
        for (int d = -1; d <= 1; d++) {
            check_one(s, k->since + d);
            check_one(s, k->until + d);
        }
    }
}

static void same(const struct odp_secrets *a, const struct odp_secrets *b)
{
    NEED(a->n == b->n);
    for (size_t i = 0; i < a->n; i++) {
        const struct odp_secret *x = &a->items[i], *y = &b->items[i];
        NEED(strcmp(x->id, y->id) == 0 && memcmp(x->bytes, y->bytes, sizeof x->bytes) == 0 &&
             x->since == y->since && x->until == y->until);
    }
}

static void write_and_read(const struct odp_secrets *s, const struct odp_secret_change *change,
                           struct odp_secrets *again)
{
    char text[ODP_SECRET_FILE], why[ODP_SECRET_WHY];
    size_t len = 0;
    NEED(odp_secrets_compose(s, change, text, &len) == ODP_OK && len < sizeof text);
    NEED(odp_secrets_parse(again, (struct odp_slice){text, len}, 1, "kunci", ODP_LANG_EN, why) == ODP_OK);
    same(s, again);
}

/* All that was accepted before is accepted until the grace is over. */
static void replace(const struct odp_secrets *s, int64_t now, int64_t after)
{
    const struct odp_secret_change change = {
        .word = "kata-rahasia-yang-baru-sekali",
        .comment = "uji",
        .now = now,
        .after = after,
        .grace = GRACE,
    };
    struct odp_secrets next = *s, again;
    char why[ODP_SECRET_WHY] = "";
    enum odp_status status = odp_secrets_replace(&next, &change, "kunci", ODP_LANG_EN, why);
    NEED(status == ODP_OK || (status == ODP_BAD && why[0] != '\0'));
    for (size_t i = 0; i < s->n;
         i++) /* what is left when a clock, or a file, is at the end of the years with four digits */
        if (now > YEAR_9999 || s->items[i].since > YEAR_9999)
            return;
    if (status != ODP_OK)
        return;
    check(&next);
    NEED(strcmp(odp_secrets_signs(&next, now + after)->word, change.word) == 0);
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < next.n; k++)
            if (strcmp(s->items[i].id, next.items[k].id) == 0)
                NEED(odp_secret_ended(&s->items[i], now + after + GRACE - 1) ||
                     !odp_secret_ended(&next.items[k], now + after + GRACE - 1));
    write_and_read(&next, &change, &again);
}

void fuzz_one(struct odp_slice in)
{
    const struct odp_secret_change plain = {.comment = "uji"};
    struct odp_secrets s, again;
    char why[ODP_SECRET_WHY] = "", id[ODP_SECRET_WHY] = "";
    if (in.len >= ODP_SECRET_FILE) /* the reader of files does not let it pass */
        return;
    enum odp_status status = odp_secrets_parse(&s, in, LEAST, "kunci", ODP_LANG_EN, why);
    NEED(status == odp_secrets_parse(&again, in, LEAST, "kunci", ODP_LANG_ID, id));
    NEED(status == ODP_OK ? why[0] == '\0' : status == ODP_BAD && why[0] != '\0' && id[0] != '\0');
    no_quote(in, why);
    no_quote(in, id);
    if (status == ODP_OK) {
        check(&s);
        write_and_read(&s, &plain, &again);
        replace(&s, s.items[0].since != 0 ? s.items[0].since : 1772323200, 0);
        replace(&s, s.items[s.n - 1].until != 0 ? s.items[s.n - 1].until - 1 : 1772323200, 86400);
    }
}
