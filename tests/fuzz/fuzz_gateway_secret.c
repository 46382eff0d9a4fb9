/* Any bytes as a file of secrets: what is taken has a secret that signs at any moment, is written and read
 * again alike, and another can take its place without anything failing before its grace is over. No reason
 * quotes a secret. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/secrets/secret.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LEAST = 16, QUOTED = 24, GRACE = 3600 };
#define YEAR_9999 INT64_C(253370764800)

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz: %s (%s)\n", what, odp_failure_text());
    abort();
}

/* No word of TEXT as long as a secret stands in WHY. */
static void no_quote(struct odp_slice text, const char *why)
{
    for (size_t i = 0; text.len >= QUOTED && i <= text.len - QUOTED; i++) {
        bool word = true; /* the reasons have no word so long */
        for (size_t k = 0; k < QUOTED && word; k++)
            word = text.ptr[i + k] > ' ';
        must(!word || memmem(why, strlen(why), text.ptr + i, QUOTED) == NULL, "a secret is told");
    }
}

static void check_one(const struct odp_secrets *s, int64_t now)
{
    const struct odp_secret *k = odp_secrets_signs(s, now);
    must(k >= s->items && k < s->items + s->n, "nothing signs");
    must(!odp_secret_ended(k, now), "one that has ended signs");
    for (size_t i = 0; i < s->n; i++)
        must(k->since <= now || s->items[i].since > now || odp_secret_ended(&s->items[i], now),
             "one signs before its time");
}

static void check(const struct odp_secrets *s)
{
    must(s->n >= 1 && s->n <= ODP_SECRET_KEYS, "so many");
    for (size_t i = 0; i < s->n; i++) {
        const struct odp_secret *k = &s->items[i];
        must(memchr(k->word, '\0', sizeof k->word) != NULL && strlen(k->id) == ODP_SECRET_ID - 1,
             "not a text");
        must(k->since == 0 || k->until == 0 || k->since < k->until, "ends before it begins");
        for (size_t j = 0; j < i; j++)
            must(strcmp(k->id, s->items[j].id) != 0 &&
                     memcmp(k->bytes, s->items[j].bytes, sizeof k->bytes) != 0,
                 "twice the same");
        for (int d = -1; d <= 1; d++) {
            check_one(s, k->since + d);
            check_one(s, k->until + d);
        }
    }
}

static void same(const struct odp_secrets *a, const struct odp_secrets *b)
{
    must(a->n == b->n, "others");
    for (size_t i = 0; i < a->n; i++) {
        const struct odp_secret *x = &a->items[i], *y = &b->items[i];
        must(strcmp(x->id, y->id) == 0 && memcmp(x->bytes, y->bytes, sizeof x->bytes) == 0 &&
                 x->since == y->since && x->until == y->until,
             "another");
    }
}

static void write_and_read(const struct odp_secrets *s, const struct odp_secret_change *change,
                           struct odp_secrets *again)
{
    char text[ODP_SECRET_FILE], why[ODP_SECRET_WHY];
    size_t len = 0;
    must(odp_secrets_compose(s, change, text, &len) == ODP_OK && len < sizeof text, "compose");
    must(odp_secrets_parse(again, (struct odp_slice){text, len}, 1, "kunci", ODP_LANG_EN, why) == ODP_OK,
         "what was written is not read");
    same(s, again);
}

/* All that was accepted before is accepted until the grace is over. */
static void replace(const struct odp_secrets *s, int64_t now, int64_t after)
{
    const struct odp_secret_change change = {.word = "kata-rahasia-yang-baru-sekali",
                                             .comment = "uji",
                                             .now = now,
                                             .after = after,
                                             .grace = GRACE};
    struct odp_secrets next = *s, again;
    char why[ODP_SECRET_WHY] = "";
    enum odp_status status = odp_secrets_replace(&next, &change, "kunci", ODP_LANG_EN, why);
    must(status == ODP_OK || (status == ODP_BAD && why[0] != '\0'), "replace");
    for (size_t i = 0; i < s->n;
         i++) /* what is left when a clock, or a file, is at the end of the years with four digits */
        if (now > YEAR_9999 || s->items[i].since > YEAR_9999)
            return;
    if (status != ODP_OK)
        return;
    check(&next);
    must(strcmp(odp_secrets_signs(&next, now + after)->word, change.word) == 0, "the new one does not sign");
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < next.n; k++)
            if (strcmp(s->items[i].id, next.items[k].id) == 0)
                must(odp_secret_ended(&s->items[i], now + after + GRACE - 1) ||
                         !odp_secret_ended(&next.items[k], now + after + GRACE - 1),
                     "ends in its grace");
    write_and_read(&next, &change, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct odp_secret_change plain = {.comment = "uji"};
    struct odp_slice text = {(const char *)data, size};
    struct odp_secrets s, again;
    char why[ODP_SECRET_WHY] = "", id[ODP_SECRET_WHY] = "";
    if (size >= ODP_SECRET_FILE) /* the reader of files does not let it pass */
        return 0;
    enum odp_status status = odp_secrets_parse(&s, text, LEAST, "kunci", ODP_LANG_EN, why);
    must(status == odp_secrets_parse(&again, text, LEAST, "kunci", ODP_LANG_ID, id), "the language matters");
    must(status == ODP_OK ? why[0] == '\0' : status == ODP_BAD && why[0] != '\0' && id[0] != '\0',
         "a reason");
    no_quote(text, why);
    no_quote(text, id);
    if (status == ODP_OK) {
        check(&s);
        write_and_read(&s, &plain, &again);
        replace(&s, s.items[0].since != 0 ? s.items[0].since : 1772323200, 0);
        replace(&s, s.items[s.n - 1].until != 0 ? s.items[s.n - 1].until - 1 : 1772323200, 86400);
    }
    odp_failure_clear();
    return 0;
}
