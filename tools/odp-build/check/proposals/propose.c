#include "check/proposals/propose.h"
#include "check/proposals/proposals_internal.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/utf8.h"
#include "base/odd_sign.h"
#include "base/white_space.h"

#define VALUE_MOST                                                                                           \
    4096u /* bytes of a cell that is looked at: the proposals of longer ones would be dropped */

/* ---- a cell ---- */

/* White space of any kind as one space (or as it is, ONE_SPACE false, but no-break spaces plain), what cannot
 * be seen left out. */
static struct odp_slice respaced(struct odp_proposer *p, struct odp_slice s, bool one_space)
{
    char *out = odp_arena_alloc(p->arena, s.len + 1);
    size_t n = 0;
    for (size_t k = 0; k < s.len;) {
        uint32_t cp;
        size_t len = odp_utf8_decode(s.ptr + k, s.len - k, &cp);
        if (odp_is_space(cp) && (one_space || cp > 0x7f)) {
            if (!one_space || (n > 0 && out[n - 1] != ' '))
                out[n++] = ' ';
        } else if (!odp_is_invisible(cp)) {
            memcpy(out + n, s.ptr + k, len);
            n += len;
        }
        k += len;
    }
    return odp_trim_unicode((struct odp_slice){out, n});
}

/* Without one pair of quotes around it, or the apostrophe that marks a cell as text in spreadsheets. */
static struct odp_slice unquoted(struct odp_slice s)
{
    static const struct odp_slice quotes[][2] = {{{"\"", 1}, {"\"", 1}},
                                                 {{"'", 1}, {"'", 1}},
                                                 {{"`", 1}, {"'", 1}},
                                                 {{"\xE2\x80\x9C", 3}, {"\xE2\x80\x9D", 3}},
                                                 {{"\xE2\x80\x9D", 3}, {"\xE2\x80\x9D", 3}},
                                                 {{"\xE2\x80\x98", 3}, {"\xE2\x80\x99", 3}},
                                                 {{"\xC2\xAB", 2}, {"\xC2\xBB", 2}},
                                                 {{"=\"", 2}, {"\"", 1}}};
    for (size_t k = 0; k < ODP_COUNT(quotes); k++) {
        struct odp_slice a = quotes[k][0], b = quotes[k][1];
        if (s.len > a.len + b.len && memcmp(s.ptr, a.ptr, a.len) == 0 &&
            memcmp(s.ptr + s.len - b.len, b.ptr, b.len) == 0)
            return odp_trim_unicode((struct odp_slice){s.ptr + a.len, s.len - a.len - b.len});
    }
    if (s.len > 1 && (*s.ptr == '\'' || *s.ptr == '`'))
        return (struct odp_slice){s.ptr + 1, s.len - 1};
    if (s.len > 3 && (memcmp(s.ptr, "\xE2\x80\x98", 3) == 0 || memcmp(s.ptr, "\xE2\x80\x99", 3) == 0))
        return (struct odp_slice){s.ptr + 3, s.len - 3};
    return s;
}

/* Latin letters, and plain hyphens, for those that look like them; and without special spaces and white space
 * of other kinds. */
static struct odp_slice latinised(struct odp_proposer *p, struct odp_slice s, bool closed)
{
    char *out = odp_arena_alloc(p->arena, s.len + 1);
    size_t n = 0, at = 0;
    struct odp_odd_scan scan;
    struct odp_odd odd;
    odp_odd_begin(&scan, s);
    while (odp_odd_next(&scan, &odd)) {
        bool drop = closed && odd.sign != ' ' && odd.class <= ODP_ODD_TURN;
        if (odd.like == '\0' && !drop)
            continue;
        memcpy(out + n, s.ptr + at, odd.at - at);
        n += odd.at - at;
        if (!drop)
            out[n++] = odd.like;
        at = odd.at + odd.len;
    }
    memcpy(out + n, s.ptr + at, s.len - at);
    return at > 0 ? (struct odp_slice){out, n + s.len - at} : s;
}

static void clean(struct odp_proposer *p)
{
    odp_offer(p, odp_trim_unicode(p->raw));
    if (!odp_settled(p))
        odp_offer(p, respaced(p, p->raw, false));
    p->text = respaced(p, p->raw, true);
    if (!odp_settled(p))
        odp_offer(p, p->text);
    p->text = unquoted(p->text);
    if (!odp_settled(p))
        odp_offer(p, p->text);
    struct odp_slice latin = latinised(p, p->text, false);
    if (!odp_settled(p))
        odp_offer(p, latin);
    if (!odp_settled(p) && !odp_type_is_number(p->f->type))
        odp_offer(p, latinised(p, p->raw, true));
    if (p->f->type == ODP_TYPE_STRING)
        p->text = latin;
}

static void propose_text(struct odp_proposer *p)
{
    odp_propose_choice(p);
    if (!odp_settled(p))
        odp_propose_code(p);
    if (!odp_settled(p))
        odp_propose_string(p);
}

static void by_type(struct odp_proposer *p)
{
    static void (*const proposals[ODP_FAMILIES])(struct odp_proposer *
                                                 p) = {[ODP_FAMILY_TEXT] = propose_text,
                                                       [ODP_FAMILY_NUMBER] = odp_propose_number,
                                                       [ODP_FAMILY_TRUTH] = odp_propose_boolean,
                                                       [ODP_FAMILY_DATE] = odp_propose_date,
                                                       [ODP_FAMILY_POINT] = odp_propose_point};
    if (proposals[odp_type_family(p->f->type)] != NULL)
        proposals[odp_type_family(p->f->type)](p);
}

static void think(struct odp_proposer *p)
{
    if (p->code == ODP_W02 || p->code == ODP_W04) {
        odp_propose_decoded(p);
        return;
    }
    clean(p);
    if (!odp_settled(p) && p->code != ODP_W01 && p->code != ODP_W10)
        by_type(p);
    if (!odp_settled(p))
        odp_propose_decoded(p);
}

/* Faults of a cell that do not come from how it is written, or that only its origin can fix. */
static bool is_hopeless(enum odp_code code)
{
    return code == ODP_B01 || code == ODP_B02 || code == ODP_K01 || code == ODP_K03 || code == ODP_K05 ||
           code == ODP_S01 || code == ODP_S02 || code == ODP_S06 || code == ODP_S29 || code == ODP_S30 ||
           code == ODP_T05 || code == ODP_T17 || code == ODP_L01 || code == ODP_W03 || code == ODP_B12 ||
           code == ODP_B13 || (code >= ODP_P01 && code <= ODP_P04);
}

/* ---- the cache ---- */

static struct odp_known_proposal *locate(struct odp_known_proposal *known, size_t cap, uint64_t hi,
                                         uint64_t lo)
{
    for (size_t i = (size_t)hi & (cap - 1);; i = (i + 1) & (cap - 1))
        if ((known[i].hi == 0 && known[i].lo == 0) || (known[i].hi == hi && known[i].lo == lo))
            return &known[i];
}

static bool grow(struct odp_trials *t)
{
    struct odp_known_proposal *known = calloc(2 * t->cap, sizeof *known);
    if (known == NULL)
        return odp_failure_memory() == ODP_OK;
    for (size_t i = 0; i < t->cap; i++)
        if (t->known[i].hi != 0 || t->known[i].lo != 0)
            *locate(known, 2 * t->cap, t->known[i].hi, t->known[i].lo) = t->known[i];
    free(t->known);
    t->known = known;
    t->cap *= 2;
    return true;
}

/* COLUMN: what is known of the other cells. */
static XXH128_hash_t value_hash(uint32_t field, enum odp_code code, uint64_t column, struct odp_slice value)
{
    return XXH3_128bits_withSeed(value.ptr, value.len,
                                 ((uint64_t)field << 32 | (uint64_t)code << 2) + column);
}

static uint64_t column_hash(const struct odp_number_evidence *e)
{
    return XXH3_64bits((const char *)e + sizeof e->batch, sizeof *e - sizeof e->batch);
}

static struct odp_known_proposal *find(struct odp_trials *t, uint32_t field, enum odp_code code,
                                       uint64_t column, struct odp_slice value)
{
    if (2 * t->used >= t->cap && !grow(t))
        return NULL;
    XXH128_hash_t h = value_hash(field, code, column, value);
    return locate(t->known, t->cap, h.high64, h.low64 | 1);
}

static void ask(struct odp_check *c, struct odp_known_proposal *k, struct odp_proposer *p)
{
    struct odp_trials *t = c->w->trials;
    odp_arena_reset(&t->candidates);
    p->c = c;
    p->arena = &t->candidates;
    p->left = &t->left;
    think(p);
    k->proposal = (struct odp_slice){NULL, 0};
    if (p->found.ptr != NULL && !p->ambiguous) {
        k->proposal = odp_arena_copy(&t->texts, p->found);
    }
    k->work = (uint32_t)p->work;
    k->denied = p->denied;
    t->left -= p->work;
}

struct odp_slice odp_propose(struct odp_check *c, uint32_t i, uint32_t field, enum odp_code code)
{
    struct odp_trials *t = c->w->trials;
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_cell *cell = odp_check_cell(c, i, field);
    struct odp_slice none = {NULL, 0};
    if (is_hopeless(code) || cell == NULL || cell->len == 0 || cell->len > VALUE_MOST ||
        (cell->flags & ODP_CELL_NATIVE) != 0 || c->failed)
        return none;
    bool dated = f->type == ODP_TYPE_DATE || f->type == ODP_TYPE_DATETIME;
    if (dated && t->order[field] == 0)
        t->order[field] = (int8_t)(odp_date_order(c, field) + 2);
    int order = dated ? t->order[field] - 2 : 0;
    struct odp_slice raw = {cell->ptr, cell->len};
    uint64_t column =
        f->type == ODP_TYPE_NUMBER ? column_hash(odp_number_evidence(c, field)) : (uint64_t)(order + 1);
    struct odp_known_proposal *k = find(t, field, code, column, raw);
    if (k == NULL) {
        c->failed = true;
        return none;
    }
    bool new = k->hi == 0 && k->lo == 0;
    if (new) {
        XXH128_hash_t h = value_hash(field, code, column, raw);
        *k = (struct odp_known_proposal){.hi = h.high64, .lo = h.low64 | 1};
        t->used++;
    }
    if (new || (k->batch != t->batch && (k->denied || k->work > t->left))) {
        struct odp_proposer p = {.field = field, .f = f, .code = code, .raw = raw, .order = order};
        ask(c, k, &p);
    } else if (k->batch != t->batch) {
        t->left -= k->work;
    }
    k->batch = t->batch;
    return k->proposal.ptr != NULL ? odp_check_copy(c, k->proposal) : none;
}
