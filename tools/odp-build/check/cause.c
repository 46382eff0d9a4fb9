/* Only what a whole column can have in common is told apart: what intake mends (signs of numbers, dates,
 * white space, quotes, marks), and what fix does (units, capitals). The rest is OTHER. */
#include "check/cause.h"

#include <string.h>

#include "base/ascii.h"

/* What a text is made of. */
struct made {
    unsigned digits, letters, signs; /* signs: all that a number can have besides */
};

static struct made made_of(struct odp_slice s)
{
    struct made m = {0};
    for (size_t k = 0; k < s.len; k++) {
        if (odp_is_digit(s.ptr[k]))
            m.digits++;
        else if (odp_is_letter(s.ptr[k]) || s.ptr[k] == '%' || s.ptr[k] == '$')
            m.letters++;
        else
            m.signs += strchr(".,' -+()\xC2\xA0", s.ptr[k]) != NULL;
    }
    return m;
}

static bool is_quoted(struct odp_slice s)
{
    return s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0];
}

static enum odp_cause of_number(const struct odp_fault *f, struct odp_slice s, const struct made *m)
{
    if (f->args[1].len > 0 || m->digits + m->letters == 0) /* types/number.c knows it as "no value" */
        return ODP_CAUSE_MARK;
    if (m->digits > 0 && m->digits + m->signs == s.len)
        return ODP_CAUSE_SIGNS;
    return m->digits > 0 && m->letters > 0 ? ODP_CAUSE_UNIT : ODP_CAUSE_OTHER;
}

enum odp_cause odp_cause_of(const struct odp_fault *f, struct odp_slice value, struct odp_slice proposal)
{
    if (value.len == 0)
        return ODP_CAUSE_OTHER;
    const struct made m = made_of(value);
    const bool mark = m.signs == value.len;
    switch (f->code) {
    case ODP_W01:
    case ODP_W12:
        return ODP_CAUSE_SPACE;
    case ODP_T02:
    case ODP_T03:
        return is_quoted(value) ? ODP_CAUSE_QUOTES : of_number(f, value, &m);
    case ODP_T04:
        return ODP_CAUSE_SIGNS;
    case ODP_T06:
        return mark ? ODP_CAUSE_MARK : ODP_CAUSE_WORDS;
    case ODP_T07:
    case ODP_T10:
    case ODP_S05:
        if (m.digits > 0)
            return ODP_CAUSE_DATE;
        break;
    default:
        if (odp_slice_alike(proposal, value))
            return ODP_CAUSE_CASE;
        break;
    }
    if (is_quoted(value))
        return ODP_CAUSE_QUOTES;
    return mark ? ODP_CAUSE_MARK : ODP_CAUSE_OTHER;
}
