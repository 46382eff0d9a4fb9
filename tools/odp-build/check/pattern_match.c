#include "check/pattern_match.h"

#include <errno.h>

int odp_pattern_match(struct odp_check *c, const struct odp_field *f, const struct odp_pattern *k, struct odp_slice s)
{
    int r = k->table != NULL ? odp_pattern_table_match(k->table, s) : -1;
    if (r >= 0)
        return r;
    r = (k->jit ? pcre2_jit_match : pcre2_match)(f->constraints.pattern_code, (PCRE2_SPTR)s.ptr, s.len, 0, k->jit ? 0 : PCRE2_NO_UTF_CHECK,
                                                 c->w->match_data, c->w->match_context);
    if (r == PCRE2_ERROR_NOMEMORY) {
        (void)odp_failure_set("pcre2", NULL, ENOMEM);
        c->failed = true;
    }
    return r >= 0 ? 1 : r == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

int odp_check_pattern(struct odp_check *c, const struct odp_field *f, struct odp_slice s)
{
    const struct odp_pattern *compiled = c->v->state[ODP_RULE_pattern];
    return odp_pattern_match(c, f, &compiled[f - c->v->schema->fields], s);
}
