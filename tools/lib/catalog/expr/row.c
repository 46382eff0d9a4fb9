/* One record at a time, without a batch (row.h). */
#include <stdlib.h>

#include "base/datetime.h"
#include "catalog/expr/sql_internal.h"

struct odp_row {
    const struct odp_row_program *program;
    struct odp_arena arena, scratch;
    struct reg *reg;
    struct expr_cell *cells;
    char (*room)[NUM_TEXT]; /* numbers that are wide, by field */
    struct odp_slice shape;
};

struct odp_row_program *expr_row_program(struct odp_arena *a, const struct odp_expr *e,
                                         const struct expr_node *part)
{
    struct odp_row_program *p = odp_arena_zero(a, 1, sizeof *p);
    uint32_t n = part->end - part->first;
    p->expr.schema = e->schema;
    p->expr.borrows = true;
    p->expr.n = n;
    p->expr.code = odp_arena_array(a, n, sizeof *p->expr.code);
    p->expr.fields = odp_arena_array(a, (size_t)e->nfields + 1, sizeof *p->expr.fields);
    p->kinds = odp_arena_array(a, (size_t)e->nfields + 1, 1);
    uint32_t *place = odp_arena_zero(a, (size_t)e->schema->n + 1,
                                     sizeof *place); /* of a field among the columns, plus one */
    p->expr.depth = e->depth;
    for (uint32_t i = 0; i < n; i++) {
        struct instr *in = &p->expr.code[i];
        *in = e->code[part->first + i];
        if (in->op == OP_GEOMETRY || in->op == OP_SPATIAL)
            p->expr.geometry = e->geometry;
        if (in->op != OP_FIELD)
            continue;
        if (place[in->field] == 0) {
            p->kinds[p->expr.nfields] = in->kind;
            p->expr.fields[p->expr.nfields++] = in->field;
            place[in->field] = p->expr.nfields;
        }
        in->field = place[in->field] - 1;
    }
    return p;
}

uint32_t odp_row_program_fields(const struct odp_row_program *p)
{
    return p->expr.nfields;
}

bool odp_row_program_geometry(const struct odp_row_program *p)
{
    return p->expr.geometry != NULL;
}

enum odp_status odp_row_new(struct odp_row **out, const struct odp_row_program *p)
{
    struct odp_row *r = odp_realloc_array(NULL, 1, sizeof *r);
    *out = NULL;
    if (r == NULL)
        return ODP_FAIL;
    *r = (struct odp_row){.program = p};
    r->reg = expr_registers(&r->arena, p->expr.depth, 1);
    r->cells = odp_arena_zero(&r->arena, (size_t)p->expr.nfields + 1, sizeof *r->cells);
    r->room = odp_arena_array(&r->arena, (size_t)p->expr.nfields + 1, sizeof *r->room);
    *out = r;
    return ODP_OK;
}

void odp_row_free(struct odp_row *r)
{
    if (r == NULL)
        return;
    odp_arena_release(&r->arena);
    odp_arena_release(&r->scratch);
    free(r);
}

void odp_row_begin(struct odp_row *r)
{
    for (uint32_t i = 0; i < r->program->expr.nfields; i++)
        r->cells[i] = (struct expr_cell){.num = {.state = NUM_NULL}, .truth = ODP_UNKNOWN};
    r->shape = (struct odp_slice){0};
    odp_arena_reset(&r->scratch);
}

void odp_row_set_int(struct odp_row *r, uint32_t field, int64_t v)
{
    if (r->program->kinds[field] == KIND_BOOL)
        r->cells[field].truth = v != 0 ? ODP_TRUE : ODP_FALSE;
    else
        r->cells[field].num = num_of(v);
}

void odp_row_set_real(struct odp_row *r, uint32_t field, double v)
{
    r->cells[field].num = num_of_double(v, r->room[field]);
}

void odp_row_set_text(struct odp_row *r, uint32_t field, struct odp_slice text)
{
    enum kind kind = (enum kind)r->program->kinds[field];
    struct expr_cell *cell = &r->cells[field];
    if (kind == KIND_DATETIME)
        cell->num = expr_instant(text);
    else if (kind == KIND_DATE || kind == KIND_TIME || kind == KIND_YEARMONTH)
        cell->num = expr_value(kind, text);
    else
        cell->text = text.ptr != NULL ? text : ODP_LIT("");
}

void odp_row_set_blob(struct odp_row *r, uint32_t field, struct odp_slice literal)
{
    if (num_is_literal(literal)) /* a damaged one is null */
        r->cells[field].num = num_parse(literal);
}

void odp_row_set_shape(struct odp_row *r, struct odp_slice shape)
{
    r->shape = shape;
}

enum odp_status odp_row_eval(struct odp_row *r, uint8_t *truth)
{
    return expr_eval_row(&r->program->expr, r->reg, r->cells, r->shape, &r->scratch, truth);
}
