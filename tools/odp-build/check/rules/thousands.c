/* 950, 1.250, 12.500 in a field whose decimal sign is the point: read as declared, 1.25 and 12.5, but
 * thousands would look the same (ODP-T21). Said once a column, and only where no value of the whole column
 * can be read in one way alone: every fraction has three digits behind one to three, none begins with 0
 * (0.950), and what has no fraction is below 1000. What the field's bounds, unit or name rule out is not
 * doubted, nor are numbers that a workbook stores as numbers. */
#include <inttypes.h>
#include <stdio.h>

#include "check/check_internal.h"

enum { FEWEST = 2 };

/* Of one field. */
struct column {
    uint64_t open;              /* values that are open */
    uint64_t line, row;         /* of the first */
    int64_t first, least, most; /* of them, as thousands */
    bool plain;                 /* a value can be read in one way only */
};

static enum odp_status open_rule(struct odp_validator *v, void **state, struct odp_diags *diags)
{
    struct column *s = odp_arena_zero(&v->arena, (size_t)v->schema->n + 1, sizeof *s);
    *state = s;
    return ODP_OK;
}

static void look(const struct odp_check *c, uint32_t field, struct column *found)
{
    const struct odp_batch_numbers *numbers = &c->b->numbers[field];
    const uint8_t *state = c->b->columns[field].state;
    found->plain = c->columns[field].native;
    for (uint32_t i = 0; i < c->n && !found->plain; i++) {
        if (state[i] != ODP_VALUE_OK)
            continue;
        int64_t m = numbers->number[i], size = m < 0 ? -m : m;
        if (numbers->scale[i] != 3) {
            found->plain = numbers->scale[i] != 0 || size >= 1000;
            continue;
        }
        found->plain = size < 1000 || size >= 1000000;
        if (found->open++ == 0)
            *found = (struct column){1, c->b->records[i].line, c->b->records[i].row, m, m, m, found->plain};
        found->least = m < found->least ? m : found->least;
        found->most = m > found->most ? m : found->most;
    }
}

static void count(struct odp_check *c, void *state, void **part)
{
    struct column *found = NULL;
    for (uint32_t f = 0; f < c->v->schema->n && c->b->numbers != NULL; f++) {
        if (odp_check_field(c, f)->type != ODP_TYPE_NUMBER || c->b->numbers[f].number == NULL)
            continue;
        if (found == NULL)
            found = odp_arena_zero(&c->b->arena, (size_t)c->v->schema->n + 1, sizeof *found);
        look(c, f, &found[f]);
    }
    *part = found;
}

static enum odp_status merge(struct odp_validator *v, void *state, void *part, struct odp_batch *b)
{
    struct column *all = state;
    const struct column *found = part;
    for (uint32_t f = 0; f < v->schema->n && found != NULL; f++) {
        struct column *a = &all[f];
        const struct column *n = &found[f];
        bool plain = a->plain || n->plain;
        uint64_t open = a->open + n->open;
        int64_t least = a->open == 0 || (n->open > 0 && n->least < a->least) ? n->least : a->least;
        int64_t most = a->open == 0 || (n->open > 0 && n->most > a->most) ? n->most : a->most;
        if (a->open == 0)
            *a = *n;
        a->plain = plain;
        a->open = open;
        a->least = least;
        a->most = most;
    }
    return ODP_OK;
}

/* Are there no such thousands in F? A bound, degrees, per cent. */
static bool is_impossible(const struct odp_field *f, int64_t v)
{
    const struct odp_constraints *k = &f->constraints;
    char text[24];
    struct odp_slice s = {text, (size_t)snprintf(text, sizeof text, "%" PRId64, v)};
    const char *unit = odp_text_get(&f->unit, ODP_LANG_EN);
    if (odp_name_has(f->name, "lat latitude lintang lon lng long longitude bujur") ||
        odp_name_has(unit, "degree degrees derajat ° percent persen %"))
        return true;
    return (k->minimum.ptr != NULL && odp_decimal_cmp(s, k->minimum) < 0) ||
           (k->maximum.ptr != NULL && odp_decimal_cmp(s, k->maximum) > 0) ||
           (k->exclusive_minimum.ptr != NULL && odp_decimal_cmp(s, k->exclusive_minimum) <= 0) ||
           (k->exclusive_maximum.ptr != NULL && odp_decimal_cmp(s, k->exclusive_maximum) >= 0);
}

static enum odp_status say(const struct odp_validator *v, uint32_t field, const struct column *found,
                           struct odp_diags *diags)
{
    const struct odp_field *f = &v->schema->fields[field];
    const char mark = f->decimal.decimal != 0 ? f->decimal.decimal : '.', other = mark == '.' ? ',' : '.';
    char number[24], example[32], declared[64];
    struct odp_diag d = {.code = ODP_T21,
                         .dataset = v->resource->dataset->slug,
                         .resource = v->resource->name,
                         .file = v->info->file,
                         .line = found->line,
                         .row = found->row,
                         .field = f->name,
                         .where = f->where};
    const int64_t size = found->first < 0 ? -found->first : found->first;
    d.args[0] = (struct odp_slice){number, (size_t)snprintf(number, sizeof number, "%" PRIu64, found->open)};
    d.args[1] = f->is_public ? (struct odp_slice){example, (size_t)snprintf(example, sizeof example,
                                                                            "%s%" PRId64 "%c%03" PRId64,
                                                                            found->first < 0 ? "-" : "",
                                                                            size / 1000, mark, size % 1000)}
                             : ODP_LIT("***");
    d.args[2] = (struct odp_slice){
        declared, (size_t)snprintf(declared, sizeof declared,
                                   "\"decimalChar\": \"%c\", \"groupChar\": \"%c\"", other, mark)};
    odp_diags_add(diags, &d);
    return ODP_OK;
}

static enum odp_status finish(struct odp_validator *v, void *state, struct odp_diags *diags)
{
    const struct column *found = state;
    for (uint32_t f = 0; f < v->schema->n; f++) {
        const struct odp_field *field = &v->schema->fields[f];
        if (!found[f].plain && found[f].open >= FEWEST && !is_impossible(field, found[f].least) &&
            !is_impossible(field, found[f].most) && say(v, f, &found[f], diags) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

const struct odp_rule_kind odp_rule_thousands = {
    .name = "thousands", .open = open_rule, .rows = count, .merge = merge, .finish = finish};
