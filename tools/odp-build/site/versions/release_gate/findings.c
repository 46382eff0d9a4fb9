/* What the gate finds, and how it says it: findings in the words of change.def, refusals as
 * diagnostics. */
#include "site/versions/release_gate/gate_internal.h"

static const struct {
    const char *name;
    enum odp_level level;
    struct odp_text text;
} kinds[GATE_CHANGES] = {
#define ODP_GATE_CHANGE(symbol, name, level, id, en) {name, ODP_LEVEL_##level, {{id, en}}},
#include "site/versions/release_gate/change.def"
#undef ODP_GATE_CHANGE
};

enum odp_status gate_find(struct gate *g, enum odp_level level, const char *kind, const struct gate_subject *s,
                          struct odp_text text)
{
    struct odp_gate *out = g->out;
    if (text.in[ODP_LANG_ID] == NULL || text.in[ODP_LANG_EN] == NULL)
        return ODP_FAIL;
    if (out->n == g->cap) {
        size_t cap = g->cap > 0 ? 2 * g->cap : 16;
        struct odp_gate_finding *more = odp_arena_array(g->arena, cap, sizeof *more);
        if (out->n > 0)
            memcpy(more, out->findings, out->n * sizeof *more);
        out->findings = more;
        g->cap = cap;
    }
    out->findings[out->n++] =
        (struct odp_gate_finding){level, s->dataset, s->resource, s->field, kind, s->file, s->where, text};
    out->needed = level > out->needed ? level : out->needed;
    return ODP_OK;
}

/* TEMPLATE with A0 and A1 in it, in the arena. */
static const char *fill(struct gate *g, const char *template, const char *a0, const char *a1)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (const char *p = template; *p != '\0';) {
        bool place = p[0] == '{' && (p[1] == '0' || p[1] == '1') && p[2] == '}';
        const char *arg = !place ? NULL : p[1] == '0' ? a0 : a1;
        if (place)
            odp_buffer_add_str(&b, arg != NULL ? arg : "");
        else
            odp_buffer_add_char(&b, *p);
        p += place ? 3 : 1;
    }
    const char *text = odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(g->arena, odp_buffer_slice(&b)).ptr : NULL;
    odp_buffer_release(&b);
    return text;
}

enum odp_status gate_find_change(struct gate *g, enum gate_change change, const struct gate_subject *s, const char *a0,
                                 const char *a1, struct odp_text *text)
{
    struct odp_text said;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        said.in[lang] = fill(g, kinds[change].text.in[lang], a0, a1);
    if (text != NULL)
        *text = said;
    return gate_find(g, kinds[change].level, kinds[change].name, s, said);
}

enum odp_status gate_say(struct gate *g, enum odp_code code, const struct gate_subject *s, const char *kind,
                         const struct odp_text *message, const char *a0, const char *a1)
{
    struct odp_diag diag = {.code = code,
                            .dataset = s->dataset,
                            .resource = s->resource,
                            .field = s->field,
                            .file = s->file,
                            .where = s->where,
                            .rule = kind,
                            .args = {odp_slice_of(a0), odp_slice_of(a1)},
                            .message = message};
    if (message != NULL && (message->in[ODP_LANG_ID] == NULL || message->in[ODP_LANG_EN] == NULL))
        return ODP_FAIL;
    enum odp_status status = odp_diags_add(g->diags, &diag);
    g->refused = g->refused || status == ODP_BAD;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
