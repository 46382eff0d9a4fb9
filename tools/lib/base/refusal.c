#include "base/refusal.h"

#include <errno.h>

static const struct odp_refusal rows[] = {
#define WORDS(number, ...) {.errnum = number, .name = #number, __VA_ARGS__},
#include "words/failures.h"
#undef WORDS
};

const struct odp_refusal *odp_refusal_find(int errnum)
{
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        if (rows[i].errnum == errnum)
            return &rows[i];
    return NULL;
}

const struct odp_refusal *odp_refusal_named(struct odp_slice name)
{
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        if (odp_slice_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

struct odp_text odp_refusal_text(int errnum)
{
    const struct odp_refusal *row = odp_refusal_find(errnum);
    const char *name = strerrorname_np(errnum), *words = strerrordesc_np(errnum);
    return row != NULL ? row->reason : (struct odp_text){{name != NULL ? name : "errno", words}};
}

enum odp_status odp_refusal_add(struct odp_arena *a, struct odp_text *why, int errnum)
{
    const struct odp_text reason = odp_refusal_text(errnum);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        why->in[lang] = odp_arena_printf(a, "%s: %s", why->in[lang], reason.in[lang]);
    return ODP_BAD;
}
