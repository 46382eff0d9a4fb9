/* pattern (ODP-B09), within limits of effort (B13): PCRE2's work.
 *
 * Most patterns are codes like "RHB-[0-9]{6,8}": each place has one range of bytes, and only the last ones
 * may be absent. What fits such a row of ranges is right without asking PCRE2, which takes some 500
 * instructions a value: checks of tables with codes take 10 to 17 % fewer. */
#include <stdlib.h>

#include "base/ascii.h"
#include "check/byte_row.h"
#include "check/check_internal.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    return v->schema->fields[field].constraints.pattern_code != NULL;
}

/* The set of one byte: [a-z], a letter, a digit, or a mark without special meaning. Returns its length in P;
 * 0: something else. */
static size_t read_range(struct odp_slice p, char *low, char *high)
{
    if (p.len >= 5 && p.ptr[0] == '[' && p.ptr[2] == '-' && p.ptr[4] == ']' && odp_is_alnum(p.ptr[1]) &&
        odp_is_alnum(p.ptr[3])) {
        *low = p.ptr[1];
        *high = p.ptr[3];
        return 5;
    }
    size_t escaped = p.len >= 2 && p.ptr[0] == '\\' && !odp_is_alnum(p.ptr[1]);
    *low = *high = p.ptr[escaped];
    return (unsigned char)*low < 0x80 && (escaped || odp_is_alnum(*low) || strchr("-/_: ", *low) != NULL)
               ? escaped + 1
               : 0;
}

/* {n} or {n,m}; once without it. Returns its length in P. */
static size_t read_times(struct odp_slice p, unsigned long *least, unsigned long *most)
{
    *least = *most = 1;
    if (p.len < 3 || p.ptr[0] != '{' || !odp_is_digit(p.ptr[1]))
        return 0;
    char *end;
    *least = *most = strtoul(p.ptr + 1, &end, 10); /* ends inside: the pattern is well formed */
    if (*end == ',')
        *most = odp_is_digit(end[1]) ? strtoul(end + 1, &end, 10) : ODP_BYTE_ROW + 1;
    return *end == '}' ? (size_t)(end + 1 - p.ptr) : 0;
}

/* The row of pattern P. False: it is not of this kind. */
static bool read_row(struct odp_slice p, struct odp_byte_row *out)
{
    while (p.len > 0) {
        char low, high;
        unsigned long least, most;
        size_t range = out->least == out->most ? read_range(p, &low, &high)
                                               : 0; /* behind what may be absent there must be nothing */
        if (range == 0)
            return false;
        p = (struct odp_slice){p.ptr + range, p.len - range};
        size_t times = read_times(p, &least, &most), before = out->most;
        p = (struct odp_slice){p.ptr + times, p.len - times};
        if (least > most || !odp_byte_row_add(out, low, high, most))
            return false;
        out->least = before + least;
    }
    return true;
}

static enum odp_status open_rows(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    struct odp_byte_row *rows = odp_arena_zero(&v->arena, v->schema->n, sizeof *rows);
    for (uint32_t f = 0; f < v->schema->n; f++)
        if (applies(v, f) && !read_row(v->schema->fields[f].constraints.pattern, &rows[f]))
            rows[f].most = 0; /* nothing fits */
    *state = rows;
    return ODP_OK;
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    const struct odp_byte_row *row = (const struct odp_byte_row *)c->v->state[ODP_RULE_pattern] + field;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK || (row->most > 0 && odp_byte_row_fits(row, c->text[i])))
            continue;
        int r = odp_check_pattern(c, f, c->text[i]);
        if (r > 0 || (r == 0 && odp_check_lost_zero(c, i, field)))
            continue;
        odp_check_fault(c, i, (int)field, r == 0 ? ODP_B09 : ODP_B13)->args[0] = f->constraints.pattern;
    }
}

const struct odp_rule_kind odp_rule_pattern = {
    .name = "pattern", .open = open_rows, .applies = applies, .column = check_column};
