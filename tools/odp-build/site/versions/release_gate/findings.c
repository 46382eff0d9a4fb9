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

void gate_find(struct gate *g, enum odp_level level, const char *kind, const struct gate_subject *s,
               struct odp_text text)
{
    struct odp_gate *out = g->out;
    out->findings = odp_arena_more(g->arena, out->findings, out->n, sizeof *out->findings);
    out->findings[out->n++] =
        (struct odp_gate_finding){level, s->dataset, s->resource, s->field, kind, s->file, s->where, text};
    out->needed = level > out->needed ? level : out->needed;
}

/* TEMPLATE with A0 and A1 in it, in the arena. */
static const char *fill(struct gate *g, const char *template, const char *a0, const char *a1)
{
    const char *at = strstr(template, "{0}"), *then = at != NULL ? strstr(at, "{1}") : NULL;
    if (at == NULL)
        return template;
    if (then == NULL)
        return odp_arena_printf(g->arena, "%.*s%s%s", (int)(at - template), template, a0, at + 3);
    return odp_arena_printf(g->arena, "%.*s%s%.*s%s%s", (int)(at - template), template, a0,
                            (int)(then - at - 3), at + 3, a1, then + 3);
}

struct odp_text gate_find_change(struct gate *g, enum gate_change change, const struct gate_subject *s,
                                 const char *a0, const char *a1)
{
    struct odp_text text;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        text.in[lang] = fill(g, kinds[change].text.in[lang], a0, a1);
    gate_find(g, kinds[change].level, kinds[change].name, s, text);
    return text;
}

void gate_say(struct gate *g, enum odp_code code, const struct gate_subject *s, const char *kind,
              const struct odp_text *message, const char *const args[2])
{
    struct odp_diag diag = {.code = code,
                            .dataset = s->dataset,
                            .resource = s->resource,
                            .field = s->field,
                            .file = s->file,
                            .where = s->where,
                            .rule = kind,
                            .args = {odp_slice_of(args[0]), odp_slice_of(args[1])},
                            .message = message};
    enum odp_status status = odp_diags_add(g->diags, &diag);
    g->refused = g->refused || status == ODP_BAD;
    if (status == ODP_FAIL)
        g->status = ODP_FAIL;
}
