/* Why a filter could not be asked, as the message says it. */
#include "service/webhooks/events/match_internal.h"

#include "base/utf8.h"

enum { WHY_MAX = 400 /* bytes of a reason in a message */ };

const char *match_fill(struct odp_arena *a, const char *text, const char *what)
{
    const char *mark = strstr(text, "{0}");
    size_t all = what != NULL ? strlen(what) : 0, len = all < WHY_MAX ? all : WHY_MAX;
    if (mark == NULL)
        return odp_arena_str(a, text);
    len = odp_utf8_valid((struct odp_slice){what, len});
    return odp_arena_printf(a, "%.*s%.*s%s%s", (int)(mark - text), text, (int)len, what != NULL ? what : "",
                            len < all ? "…" : "", mark + 3);
}

enum odp_status match_unknown(struct match_message *m, size_t i, const struct odp_text *why, const char *what)
{
    struct match_answer *answer = &m->answers[i];
    if (answer->unknown)
        return ODP_OK;
    answer->unknown = true;
    for (int l = 0; l < ODP_LANGS; l++)
        answer->why.in[l] = match_fill(m->a, odp_text_get(why, (enum odp_lang)l), what);
    return ODP_OK;
}

enum odp_status match_unknown_all(struct match_message *m, const struct odp_text *why, const char *what)
{
    for (size_t i = 0; i < m->n; i++)
        if (match_unknown(m, i, why, what) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}

bool match_goes_on(struct match_message *m)
{
    m->stopped = m->stopped || (m->limits != NULL && !m->limits->go_on(m->limits->ctx));
    return !m->stopped;
}

enum odp_status match_unknown_asked(struct match_work *w, const struct odp_text *why, const char *what)
{
    for (size_t i = 0; i < w->m->n; i++)
        if (w->asked[i] && match_unknown(w->m, i, why, what) != ODP_OK)
            return ODP_FAIL;
    return ODP_DONE;
}
