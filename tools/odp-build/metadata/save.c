/* The form as it was posted. */
#include <openssl/crypto.h>

#include "base/text.h"
#include "metadata/form_internal.h"

enum { BODY_MAX = 4 << 20, PAIRS_MAX = 20000 };

struct pair {
    const char *name;
    struct odp_slice value;
};
struct pairs {
    struct pair *item;
    size_t n;
};

/* S, decoded, with a NUL after it; what cannot be decoded is no text. */
static struct odp_slice decoded(struct odp_slice s, struct odp_arena *a)
{
    struct odp_buffer b = {0};
    if (!odp_form_decode(s, &b))
        odp_buffer_add_str(&b, "\xff");
    return odp_slice_of(odp_buffer_keep(&b, a));
}

static void parse(struct pairs *p, struct odp_slice body, struct odp_arena *a)
{
    struct odp_slice name, value;
    while (p->n < PAIRS_MAX && odp_form_next(&body, &name, &value)) {
        p->item = odp_arena_more(a, p->item, p->n, sizeof *p->item);
        p->item[p->n++] = (struct pair){decoded(name, a).ptr, decoded(value, a)};
    }
}

/* All values of NAME, joined by ", "; ptr NULL: there is none. */
static struct odp_slice value_of(const struct pairs *p, const char *name, struct odp_arena *a)
{
    struct odp_slice out = {NULL, 0};
    for (size_t i = 0; i < p->n; i++) {
        const struct pair *pair = &p->item[i];
        if (strcmp(pair->name, name) != 0)
            continue;
        out = out.len == 0 ? pair->value
                           : odp_slice_of(odp_arena_printf(a, "%.*s, %.*s", (int)out.len, out.ptr,
                                                           (int)pair->value.len, pair->value.ptr));
    }
    return out;
}

/* In a time that does not depend on where they differ. */
static bool same_secret(struct odp_slice a, const char *b)
{
    return a.len == strlen(b) && CRYPTO_memcmp(a.ptr, b, a.len) == 0;
}

static bool take_answers(struct entries *l, const struct pairs *p)
{
    bool good = true;
    for (size_t i = 0; i < l->n; i++)
        for (int lang = 0; lang < entry_langs(&l->item[i]); lang++) {
            struct odp_slice value = value_of(p, entry_control(l, &l->item[i], lang), l->arena);
            if (value.ptr != NULL)
                entry_answer(l, &l->item[i], lang, value);
            good = good && l->item[i].fault[lang] == NULL && l->item[i].fault[0] == NULL;
        }
    return good;
}

static enum odp_status save(struct form *f, const struct pairs *p, struct odp_buffer *out)
{
    static const struct odp_text stale = {{W_metadata_stale}}, expired = {{W_metadata_expired}};
    char digest[ODP_SHA256_HEX];
    const bool good = take_answers(&f->list, p);
    enum odp_status status = form_digest(&f->list, digest);
    const struct odp_text *problem = NULL;
    if (status == ODP_OK && !same_secret(value_of(p, "token", f->list.arena), f->q->token))
        problem = &expired;
    else if (status == ODP_OK && !odp_slice_is(value_of(p, "digest", f->list.arena), digest))
        problem = &stale;
    if (status == ODP_OK && problem == NULL && good)
        status = metadata_write(&f->list, false);
    if (status == ODP_OK && problem == NULL && good)
        return ODP_OK;
    if (status == ODP_BAD)
        problem = &stale;
    return status == ODP_FAIL || form_page(f, problem, out) != ODP_OK ? ODP_FAIL : ODP_BAD;
}

enum odp_status odp_metadata_save(const struct odp_metadata_request *q, struct odp_slice body,
                                  struct odp_buffer *out)
{
    const struct odp_dataset *d = q->slug != NULL ? odp_catalog_find(q->catalog, q->slug) : NULL;
    struct odp_arena a = {0};
    struct pairs p = {0};
    struct form f = {.q = q};
    if ((q->slug != NULL && (d == NULL || d->reference)) || body.len > BODY_MAX)
        return ODP_BAD;
    metadata_list(&f.list, q->catalog, d, &a);
    parse(&p, body, &a);
    enum odp_status status = save(&f, &p, out);
    odp_arena_release(&a);
    return status;
}
