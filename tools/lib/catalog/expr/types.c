/* Which kinds fit together, and what a text literal says when it stands beside a date. */
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

struct kind_name {
    const char *id, *en;
};

static struct kind_name name_of(enum kind k)
{
    static const struct kind_name names[] = {
        [KIND_BOOL] = {"benar/salah", "a boolean"},
        [KIND_NUMBER] = {"bilangan", "a number"},
        [KIND_TEXT] = {"teks", "text"},
        [KIND_DATE] = {"tanggal", "a date"},
        [KIND_TIME] = {"waktu", "a time"},
        [KIND_DATETIME] = {"tanggal dan waktu", "a date and time"},
        [KIND_YEARMONTH] = {"tahun dan bulan", "a year and month"},
        [KIND_DURATION] = {"durasi", "a duration"},
        [KIND_COMPLEX] = {"daftar, objek atau geometri", "a list, an object or a geometry"},
    };
    return names[k];
}

/* A fault whose words differ in both languages. */
static enum odp_status fault_kinds(struct compiler *c, size_t at, size_t end, const char *id, const char *en, enum kind a,
                                   enum kind b)
{
    struct odp_text one = {{NULL, NULL}};
    enum odp_status status = expr_fault_about(c, at, end, id, id, odp_slice_of(name_of(a).id), odp_slice_of(name_of(b).id));
    if (status != ODP_BAD)
        return status;
    one.in[ODP_LANG_ID] = c->fault->message.in[ODP_LANG_ID];
    status = expr_fault_about(c, at, end, en, en, odp_slice_of(name_of(a).en), odp_slice_of(name_of(b).en));
    c->fault->message.in[ODP_LANG_ID] = one.in[ODP_LANG_ID];
    return status;
}

static enum odp_status bad_literal(struct compiler *c, const struct operand *o, enum kind kind)
{
    switch (kind) {
    case KIND_DATE:
        return expr_fault(c, o->at, o->end, W_expr_not_valid_date_write_2024);
    case KIND_TIME:
        return expr_fault(c, o->at, o->end, W_expr_not_valid_time_write_07);
    case KIND_DATETIME:
        return expr_fault(c, o->at, o->end, W_expr_not_valid_date_time_write);
    default:
        return expr_fault(c, o->at, o->end, W_expr_not_valid_year_month_write);
    }
}

/* The text literal O becomes a constant of KIND. */
static enum odp_status convert(struct compiler *c, struct operand *o, enum kind kind)
{
    struct instr *in = &c->expr->code[o->first];
    enum odp_status status = expr_moment(c->arena, in->text, kind, in);
    o->kind = kind;
    return status == ODP_BAD ? bad_literal(c, o, kind) : status;
}

static bool takes_text(enum kind k)
{
    return k == KIND_DATE || k == KIND_TIME || k == KIND_DATETIME || k == KIND_YEARMONTH;
}

static enum odp_status mismatch(struct compiler *c, const struct operand *a, const struct operand *b)
{
    const struct operand *wrong = a->literal && !b->literal ? a : b, *other = wrong == a ? b : a;
    if (wrong->literal && wrong->kind == KIND_TEXT && other->kind == KIND_NUMBER)
        return expr_fault(c, wrong->at, wrong->end, W_expr_number_written_without_quotes);
    if (wrong->literal && wrong->kind == KIND_NUMBER && other->kind == KIND_TEXT)
        return expr_fault(c, wrong->at, wrong->end, W_expr_field_text_write_value_between);
    size_t at = wrong->literal ? wrong->at : a->at < b->at ? a->at : b->at;
    size_t end = wrong->literal ? wrong->end : a->end > b->end ? a->end : b->end;
    return fault_kinds(c, at, end, W_expr_cannot_compared_with, other->kind, wrong->kind);
}

enum odp_status expr_unify(struct compiler *c, struct operand *a, struct operand *b, bool ordered)
{
    enum odp_status status = ODP_OK;
    if (b->literal && b->kind == KIND_TEXT && takes_text(a->kind))
        status = convert(c, b, a->kind);
    else if (a->literal && a->kind == KIND_TEXT && takes_text(b->kind))
        status = convert(c, a, b->kind);
    else if (b->literal && b->kind == KIND_TEXT && a->kind == KIND_DURATION)
        b->kind = KIND_DURATION;
    else if (a->literal && a->kind == KIND_TEXT && b->kind == KIND_DURATION)
        a->kind = KIND_DURATION;
    if (status != ODP_OK)
        return status;
    const struct operand *complex = a->kind == KIND_COMPLEX ? a : b;
    if (complex->kind == KIND_COMPLEX)
        return expr_fault(c, complex->at, complex->end, W_expr_list_object_geometry_cannot);
    if (a->kind != b->kind)
        return mismatch(c, a, b);
    if (ordered && a->kind == KIND_DURATION)
        return fault_kinds(c, a->at, b->end, W_expr_has_no_order_only, a->kind, a->kind);
    return ODP_OK;
}

enum odp_status expr_require(struct compiler *c, const struct operand *o, enum kind kind)
{
    if (o->kind == kind)
        return ODP_OK;
    return fault_kinds(c, o->at, o->end, W_expr_needed_here_not, kind, o->kind);
}
