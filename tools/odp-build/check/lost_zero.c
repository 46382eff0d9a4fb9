/* Codes that a spreadsheet took for numbers: 01.10 becomes 1.1. A code that fails is tried with zeros in
 * front, and one behind where it has a point; the mended code must satisfy all that is declared, and be in
 * the list that the field refers to (ODP-S04 instead of the fault: one cause, one diagnostic). */
#include "base/utf8.h"
#include "check/check_internal.h"

#define MAX_CODE    32
#define MAX_LEADING 4

static bool looks_like_number(struct odp_slice s)
{
    unsigned points = 0;
    if (s.len == 0 || s.len > MAX_CODE || s.ptr[0] == '.' || s.ptr[s.len - 1] == '.')
        return false;
    if (s.len > 1 && s.ptr[0] == '0' && s.ptr[1] != '.')
        return false; /* a spreadsheet that took it for a number would have left no zero in front */
    for (size_t k = 0; k < s.len; k++) {
        if (s.ptr[k] == '.')
            points++;
        else if (s.ptr[k] < '0' || s.ptr[k] > '9')
            return false;
    }
    return points <= 1; /* 1.2.3 is no number: no spreadsheet touches it */
}

int odp_check_listed(const struct odp_check *c, uint32_t field, struct odp_slice s)
{
    const struct odp_resource *r = c->v->resource;
    int known = -1;
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_foreign_key *fk = &r->foreign[k];
        if (fk->local.n != 1 || fk->local.fields[0] != field ||
            odp_keyring_get(c->v->keys, fk->target) != ODP_KEYS_READY)
            continue;
        const struct odp_keyset *set = odp_keyring_target(c->v->keys, fk);
        uint8_t type = (uint8_t)odp_check_field(c, field)->type;
        if (set == NULL || !odp_keyset_has(set, odp_key_hash_of(&s, &type, 1)))
            return 0;
        known = 1;
    }
    return known;
}

static bool is_right(struct odp_check *c, uint32_t field, struct odp_slice s)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_constraints *k = &f->constraints;
    int64_t n = (int64_t)s.len;
    if ((k->min_length >= 0 && n < k->min_length) || (k->max_length >= 0 && n > k->max_length))
        return false;
    if (k->pattern_code != NULL && odp_check_pattern(c, f, s) != 1)
        return false;
    return odp_check_listed(c, field, s) != 0;
}

bool odp_check_lost_zero(struct odp_check *c, uint32_t i, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    struct odp_slice s = c->text[i];
    char buf[MAX_CODE + MAX_LEADING + 1];
    if (c->trial || f->type != ODP_TYPE_STRING || !looks_like_number(s))
        return false;
    bool point = memchr(s.ptr, '.', s.len) != NULL;
    memset(buf, '0', sizeof buf);
    memcpy(buf + MAX_LEADING, s.ptr, s.len);
    for (size_t behind = 0; behind <= (point ? 1u : 0u); behind++)
        for (size_t front = behind == 0 ? 1 : 0; front <= MAX_LEADING; front++) {
            struct odp_slice mended = {buf + MAX_LEADING - front, front + s.len + behind};
            if (!is_right(c, field, mended))
                continue;
            struct odp_slice proposal = odp_check_copy(c, mended);
            odp_check_fault(c, i, (int)field, ODP_S04)->proposal = proposal;
            return true;
        }
    return false;
}
