/* Reasons why a filter could not be answered, and what the parts of matching ask of the message. */
#include "base/utf8.h"
#include "base/json_load.h"
#include "service/webhooks/events/match_internal.h"

enum { WHY_MAX = 400 /* bytes of a reason in a message */ };

const char *match_fill(struct odp_arena *a, const char *text, const char *what)
{
    const char *mark = strstr(text, "{0}");
    size_t all = what != NULL ? strlen(what) : 0, len = all < WHY_MAX ? all : WHY_MAX;
    if (mark == NULL)
        return odp_arena_str(a, text);
    len = odp_utf8_valid((struct odp_slice){what, len});
    return odp_arena_printf(a, "%.*s%.*s%s%s", (int)(mark - text), text, (int)len, odp_or_empty(what),
                            len < all ? "…" : "", mark + 3);
}

void match_unknown(struct match_message *m, size_t i, const struct odp_text *why, const char *what)
{
    struct match_answer *answer = &m->answers[i];
    for (int l = 0; l < ODP_LANGS && !answer->unknown; l++)
        answer->why.in[l] = match_fill(m->a, odp_text_get(why, (enum odp_lang)l), what);
    answer->unknown = true;
}

enum odp_status match_unknown_all(struct match_message *m, const struct odp_text *why, const char *what)
{
    for (size_t i = 0; i < m->n; i++)
        match_unknown(m, i, why, what);
    return ODP_DONE;
}

enum odp_status match_unknown_asked(struct match_work *w, const struct odp_text *why, const char *what)
{
    for (size_t i = 0; i < w->m->n; i++)
        if (w->asked[i])
            match_unknown(w->m, i, why, what);
    return ODP_DONE;
}

bool match_goes_on(struct match_message *m)
{
    m->stopped = m->stopped || (m->limits != NULL && !m->limits->go_on(m->limits->ctx));
    return !m->stopped;
}

const json_t *match_resource_of(const json_t *version, const char *name)
{
    const json_t *list = json_object_get(version, "resources");
    for (size_t i = 0; name != NULL && i < json_array_size(list); i++) {
        const char *own = odp_json_text(json_array_get(list, i), "name");
        if (own != NULL && strcmp(own, name) == 0)
            return json_array_get(list, i);
    }
    return NULL;
}
