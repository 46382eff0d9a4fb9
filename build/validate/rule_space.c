/* White space at the ends of a cell (ODP-W01). It is no part of a number, a date or any other value with a form of its own; a
 * string keeps it, unless the field says odp:trim. No-break spaces and zero-width marks from web pages count too. */
#include "base/utf8.h"
#include "validate/rule.h"

static bool is_space(uint32_t cp)
{
    return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0xa0 || (cp >= 0x2000 && cp <= 0x200b) || cp == 0x202f ||
           cp == 0x3000 || cp == 0xfeff;
}

static struct odp_slice trim(struct odp_slice s)
{
    uint32_t cp;
    while (s.len > 0) {
        size_t n = odp_utf8_decode(s.ptr, s.len, &cp);
        if (!is_space(cp))
            break;
        s.ptr += n;
        s.len -= n;
    }
    while (s.len > 0) {
        size_t n = 1;
        while (n < s.len && n < 4 && ((unsigned char)s.ptr[s.len - n] & 0xc0) == 0x80)
            n++;
        (void)odp_utf8_decode(s.ptr + s.len - n, n, &cp);
        if (!is_space(cp))
            break;
        s.len -= n;
    }
    return s;
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    if ((c->any & ODP_TRAIT_EDGE) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK || (c->traits[i] & ODP_TRAIT_EDGE) == 0)
            continue;
        struct odp_slice t = trim(c->text[i]);
        if (t.len == c->text[i].len)
            continue;
        if (!f->trim)
            odp_check_fault(c, i, (int)field, ODP_W01)->proposal = t.len > 0 ? t : (struct odp_slice){NULL, 0};
        if (f->trim || (f->type != ODP_TYPE_STRING && f->type != ODP_TYPE_ANY))
            c->text[i] = t;
    }
}

const struct odp_rule_kind odp_rule_space = {.name = "space", .column = check_column};
