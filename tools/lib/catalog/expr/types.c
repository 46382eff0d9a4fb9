/* Which kinds fit together, and what a text literal says when it stands beside a date. */
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

static const struct kind_words {
    struct odp_text name;
    struct odp_text wrong; /* of a text literal that says none; empty: a text says nothing of this kind */
} kinds[] = {
    [KIND_BOOL] = {.name = {{W_expr_kind_truth}}},
    [KIND_NUMBER] = {.name = {{W_expr_kind_number}}},
    [KIND_TEXT] = {.name = {{W_expr_kind_text}}},
    [KIND_DATE] = {{{W_expr_kind_date}}, {{W_expr_not_valid_date_write_2024}}},
    [KIND_TIME] = {{{W_expr_kind_time}}, {{W_expr_not_valid_time_write_07}}},
    [KIND_DATETIME] = {{{W_expr_kind_datetime}}, {{W_expr_not_valid_date_time_write}}},
    [KIND_YEARMONTH] = {{{W_expr_kind_month}}, {{W_expr_not_valid_year_month_write}}},
    [KIND_DURATION] = {.name = {{W_expr_kind_duration}}},
    [KIND_COMPLEX] = {.name = {{W_expr_kind_complex}}},
};

/* {0} and {1} of both texts are the names of A and B. */
static void fault_kinds(struct compiler *c, size_t at, size_t end, struct odp_text text, enum kind a,
                        enum kind b)
{
    for (int lang = 0; lang < ODP_LANGS; lang++)
        text.in[lang] = expr_fill(c->arena, text.in[lang], odp_slice_of(kinds[a].name.in[lang]),
                                  odp_slice_of(kinds[b].name.in[lang]));
    expr_fault(c, at, end, text.in[ODP_LANG_ID], text.in[ODP_LANG_EN]);
}

/* Where O is a text literal and OTHER of a kind that is written as text, O becomes a constant of that kind.
 */
static bool convert(struct compiler *c, struct operand *o, enum kind other)
{
    const struct odp_text *wrong = &kinds[other].wrong;
    if (!o->literal || o->kind != KIND_TEXT || (wrong->in[0] == NULL && other != KIND_DURATION))
        return false;
    o->kind = other;
    if (other == KIND_DURATION)
        return true;
    struct instr *in = &c->expr->code[o->first];
    enum odp_status status = expr_moment(c->arena, in->text, other, in);
    if (status == ODP_BAD)
        expr_fault(c, o->at, o->end, wrong->in[ODP_LANG_ID], wrong->in[ODP_LANG_EN]);
    return true;
}

static void mismatch(struct compiler *c, const struct operand *a, const struct operand *b)
{
    const struct operand *wrong = a->literal && !b->literal ? a : b, *other = wrong == a ? b : a;
    size_t at = a->at < b->at ? a->at : b->at, end = a->end > b->end ? a->end : b->end;
    if (wrong->literal && wrong->kind == KIND_TEXT && other->kind == KIND_NUMBER)
        expr_fault(c, wrong->at, wrong->end, W_expr_number_written_without_quotes);
    else if (wrong->literal && wrong->kind == KIND_NUMBER && other->kind == KIND_TEXT)
        expr_fault(c, wrong->at, wrong->end, W_expr_field_text_write_value_between);
    else
        fault_kinds(c, wrong->literal ? wrong->at : at, wrong->literal ? wrong->end : end,
                    (struct odp_text){{W_expr_cannot_compared_with}}, other->kind, wrong->kind);
}

void expr_unify(struct compiler *c, struct operand *a, struct operand *b, bool ordered)
{
    if (!convert(c, b, a->kind))
        (void)convert(c, a, b->kind);
    const struct operand *complex = a->kind == KIND_COMPLEX ? a : b;
    if (complex->kind == KIND_COMPLEX)
        expr_fault(c, complex->at, complex->end, W_expr_list_object_geometry_cannot);
    else if (a->kind != b->kind)
        mismatch(c, a, b);
    else if (ordered && a->kind == KIND_DURATION)
        fault_kinds(c, a->at, b->end, (struct odp_text){{W_expr_has_no_order_only}}, a->kind, a->kind);
}

void expr_require(struct compiler *c, const struct operand *o, enum kind kind)
{
    if (o->kind != kind)
        fault_kinds(c, o->at, o->end, (struct odp_text){{W_expr_needed_here_not}}, kind, o->kind);
}
