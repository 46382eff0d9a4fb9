/* The program runs over strips of STRIP rows: registers stay in the cache, and scratch memory does not depend
 * on the batch. */
#include "catalog/expr/expr_internal.h"
#include "catalog/expr/text.h"

#define STRIP 256

/* A register: one value a row, or one for all (STEP 0). Its class follows from the kind: truth, text, number.
 */
struct reg {
    union {
        void *room;
        uint8_t *truth;         /* enum odp_truth */
        struct odp_slice *text; /* ptr NULL: null */
        struct num *num;
    };
    size_t step;
};

struct machine {
    const struct odp_batch *batch;
    const struct expr_cell *cells; /* batch NULL: of one record */
    struct odp_slice shape;
    struct odp_arena *scratch;
    struct reg *reg;
    size_t top; /* registers in use */
    uint32_t first, n;
};

static bool is_text(enum kind k)
{
    return k == KIND_TEXT || k == KIND_DURATION;
}

static bool is_number(enum kind k)
{
    return k != KIND_BOOL && k != KIND_COMPLEX && !is_text(k);
}

static bool absent(const struct odp_column *col, uint32_t row)
{
    return col->state[row] != ODP_VALUE_OK;
}

static void load_cell(const struct machine *m, const struct instr *in, struct reg *r)
{
    const struct expr_cell *cell = &m->cells[in->field];
    r->step = 1;
    if (in->kind == KIND_BOOL)
        r->truth[0] = cell->truth;
    else if (is_text((enum kind)in->kind) || in->kind == KIND_COMPLEX)
        r->text[0] = cell->text;
    else
        r->num[0] = cell->num;
}

/* Only whether there is one: for IS NULL. */
static void load_geometry(struct machine *m, struct reg *r)
{
    r->step = 1;
    for (uint32_t i = 0; i < m->n; i++) {
        bool there = m->batch == NULL
                         ? m->shape.ptr != NULL
                         : m->batch->geometry != NULL && m->batch->geometry[m->first + i] != NULL;
        r->text[i] = there ? ODP_LIT("") : (struct odp_slice){0};
    }
}

static enum odp_status spatial(struct machine *m, const struct instr *in, struct reg *r)
{
    r->step = 1;
    if (m->batch != NULL)
        return expr_eval_spatial(in->spatial, m->batch, m->first, m->n, r->truth);
    r->truth[0] = ODP_UNKNOWN;
    return m->shape.ptr == NULL ? ODP_OK
                                : odp_spatial_test_shape(in->spatial, m->shape, m->scratch, r->truth);
}

/* Numbers as check has read them, where it has. */
static void load_numbers(const struct machine *m, enum kind kind, uint32_t field, struct num *out)
{
    const struct odp_column col = m->batch->columns[field];
    const struct odp_batch_numbers known =
        m->batch->numbers != NULL ? m->batch->numbers[field] : (struct odp_batch_numbers){0};
    for (uint32_t row = m->first, end = row + m->n; row < end; row++, out++) {
        if (col.text == NULL || absent(&col, row))
            *out = (struct num){.state = NUM_NULL};
        else if (known.number != NULL && known.scale[row] != ODP_NUMBER_LONG)
            *out = (struct num){.m = known.number[row], .scale = known.scale[row], .state = NUM_OK};
        else
            *out = expr_value(kind, col.text[row]);
    }
}

static void load_field(struct machine *m, const struct instr *in, struct reg *r)
{
    if (m->batch == NULL) {
        load_cell(m, in, r);
        return;
    }
    const struct odp_column *col = &m->batch->columns[in->field];
    enum kind kind = (enum kind)in->kind;
    r->step = 1;
    if (is_number(kind)) {
        load_numbers(m, kind, in->field, r->num);
        return;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t row = m->first + i;
        bool null = col->text == NULL || absent(col, row);
        struct odp_slice text = null ? (struct odp_slice){0} : col->text[row];
        if (kind == KIND_BOOL)
            r->truth[i] = null ? ODP_UNKNOWN : odp_slice_eq(text, ODP_LIT("true")) ? ODP_TRUE : ODP_FALSE;
        else
            r->text[i] = !null && text.ptr == NULL ? ODP_LIT("") : text;
    }
}

static void load_constant(const struct instr *in, struct reg *r)
{
    r->step = 0;
    if (in->op == OP_CONST_NUM)
        r->num[0] = in->num;
    else if (in->op == OP_CONST_TEXT)
        r->text[0] = in->text;
    else
        r->truth[0] = in->truth ? ODP_TRUE : ODP_FALSE;
}

/* Rows that an operation over these registers must work out: one when all are constants. */
static uint32_t span(const struct machine *m, const struct reg *a, const struct reg *b)
{
    return a->step == 0 && b->step == 0 ? 1 : m->n;
}

static inline struct num apply(enum op op, struct num x, struct num y)
{
    switch (op) {
    case OP_ADD:
        return num_add(x, y);
    case OP_SUB:
        return num_sub(x, y);
    case OP_MUL:
        return num_mul(x, y);
    default:
        return num_div(x, y);
    }
}

static void arithmetic(struct machine *m, enum op op, struct reg *a, struct reg *b)
{
    uint32_t n = span(m, a, b);
    size_t ia = a->step;
    if (ia == 0 && n > 1) { /* the result takes A's place: spread the constant first */
        for (uint32_t i = 1; i < n; i++)
            a->num[i] = a->num[0];
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct num *y = &b->num[i * b->step];
        struct num *x = &a->num[i], z = apply(op, *x, *y);
        x->m =
            z.m; /* (or `wide`) by parts: a whole one would be read from where its parts were just written */
        x->scale = z.scale;
        x->state = z.state;
    }
    a->step = a->step | b->step;
}

/* Compares the truths or texts at I of A and J of B; false when one is null. */
static bool order(enum kind kind, const struct reg *a, size_t i, const struct reg *b, size_t j, int *cmp)
{
    if (kind == KIND_BOOL) {
        *cmp = (int)a->truth[i] - (int)b->truth[j];
        return a->truth[i] != ODP_UNKNOWN && b->truth[j] != ODP_UNKNOWN;
    }
    if (a->text[i].ptr == NULL || b->text[j].ptr == NULL)
        return false;
    *cmp = odp_slice_cmp(a->text[i], b->text[j]);
    return true;
}

/* Bit CMP + 1: whether A OP B holds where A is less (0), equal (1), greater (2). */
static unsigned accepted(enum op op)
{
    switch (op) {
    case OP_EQ:
        return 2;
    case OP_NE:
        return 5;
    case OP_LT:
        return 1;
    case OP_LE:
        return 3;
    case OP_GT:
        return 4;
    default:
        return 6;
    }
}

static bool holds(unsigned accepts, int cmp)
{
    return (accepts >> ((cmp > 0) - (cmp < 0) + 1) & 1) != 0;
}

static uint8_t truth_of(bool yes)
{
    return yes ? ODP_TRUE : ODP_FALSE;
}

static uint8_t not_of(uint8_t t)
{
    return t == ODP_UNKNOWN ? t : truth_of(t == ODP_FALSE);
}

static uint8_t and_of(uint8_t a, uint8_t b)
{
    return a == ODP_FALSE || b == ODP_FALSE       ? ODP_FALSE
           : a == ODP_UNKNOWN || b == ODP_UNKNOWN ? ODP_UNKNOWN
                                                  : ODP_TRUE;
}

/* OUT[i] = A[i] OP B[i], as enum odp_truth. */
static void compare(enum kind kind, enum op op, const struct reg *a, const struct reg *b, uint32_t n,
                    uint8_t *out)
{
    unsigned accepts = accepted(op);
    int cmp = 0;
    if (is_text(kind) && (op == OP_EQ || op == OP_NE)) {
        for (uint32_t i = 0; i < n; i++) {
            const struct odp_slice *x = &a->text[i * a->step], *y = &b->text[i * b->step];
            out[i] = x->ptr == NULL || y->ptr == NULL ? ODP_UNKNOWN
                                                      : truth_of(odp_slice_eq(*x, *y) == (op == OP_EQ));
        }
    } else if (is_number(kind)) {
        for (uint32_t i = 0; i < n; i++) {
            const struct num *x = &a->num[i * a->step], *y = &b->num[i * b->step];
            out[i] = x->state == NUM_NULL || y->state == NUM_NULL ? ODP_UNKNOWN
                                                                  : truth_of(holds(accepts, num_cmp(x, y)));
        }
    } else {
        for (uint32_t i = 0; i < n; i++)
            out[i] = order(kind, a, i * a->step, b, i * b->step, &cmp) ? truth_of(holds(accepts, cmp))
                                                                       : ODP_UNKNOWN;
    }
}

/* The result replaces A, so it is made apart first. */
static void comparison(struct machine *m, const struct instr *in, struct reg *a, struct reg *b)
{
    uint32_t n = span(m, a, b);
    uint8_t out[STRIP];
    compare((enum kind)in->kind, (enum op)in->op, a, b, n, out);
    memcpy(a->truth, out, n);
    a->step |= b->step;
}

static void between(struct machine *m, const struct instr *in, struct reg *a, struct reg *low,
                    struct reg *high)
{
    uint32_t n = (a->step | low->step | high->step) == 0 ? 1 : m->n;
    uint8_t above[STRIP], below[STRIP];
    enum kind kind = (enum kind)in->kind;
    compare(kind, OP_GE, a, low, n, above);
    compare(kind, OP_LE, a, high, n, below);
    for (uint32_t i = 0; i < n; i++)
        above[i] = in->negate ? not_of(and_of(above[i], below[i])) : and_of(above[i], below[i]);
    memcpy(a->truth, above, n);
    a->step |= low->step | high->step;
}

static void like(struct machine *m, const struct instr *in, struct reg *a, const struct reg *pattern)
{
    uint32_t n = a->step == 0 ? 1 : m->n;
    uint8_t out[STRIP];
    for (uint32_t i = 0; i < n; i++)
        out[i] = a->text[i].ptr == NULL ? ODP_UNKNOWN
                                        : truth_of(expr_like(a->text[i], pattern->text[0]) != in->negate);
    memcpy(a->truth, out, n);
}

static void is_null(struct machine *m, const struct instr *in, struct reg *a)
{
    uint32_t n = a->step == 0 ? 1 : m->n;
    uint8_t out[STRIP];
    enum kind kind = (enum kind)in->kind;
    for (uint32_t i = 0; i < n; i++) {
        bool null = kind == KIND_BOOL                       ? a->truth[i] == ODP_UNKNOWN
                    : is_text(kind) || kind == KIND_COMPLEX ? a->text[i].ptr == NULL
                                                            : a->num[i].state == NUM_NULL;
        out[i] = truth_of(null != in->negate);
    }
    memcpy(a->truth, out, n);
}

/* ACC OR value = item. */
static void in_item(struct machine *m, const struct instr *in, struct reg *value, struct reg *acc,
                    struct reg *item)
{
    uint8_t out[STRIP];
    uint32_t n = span(m, value, item);
    size_t step = value->step | item->step;
    compare((enum kind)in->kind, OP_EQ, value, item, n, out);
    for (uint32_t i = 0; i < m->n; i++) {
        uint8_t same = out[i * step];
        if (acc->truth[i] != ODP_TRUE && same != ODP_FALSE)
            acc->truth[i] = same;
    }
}

static void in_end(struct machine *m, const struct instr *in, struct reg *value, const struct reg *acc)
{
    for (uint32_t i = 0; i < m->n; i++)
        value->truth[i] = in->negate ? not_of(acc->truth[i]) : acc->truth[i];
    value->step = 1;
}

static void logic(struct machine *m, enum op op, struct reg *a, const struct reg *b)
{
    /* By 4 * X + Y. */
    static const uint8_t all[12] = {ODP_FALSE,   ODP_FALSE, ODP_FALSE, 0,           ODP_FALSE,  ODP_TRUE,
                                    ODP_UNKNOWN, 0,         ODP_FALSE, ODP_UNKNOWN, ODP_UNKNOWN};
    static const uint8_t any[12] = {ODP_FALSE, ODP_TRUE, ODP_UNKNOWN, 0,        ODP_TRUE,   ODP_TRUE,
                                    ODP_TRUE,  0,        ODP_UNKNOWN, ODP_TRUE, ODP_UNKNOWN};
    const uint8_t *table = op == OP_AND ? all : any;
    uint32_t n = span(m, a, b);
    uint8_t out[STRIP];
    for (uint32_t i = 0; i < n; i++)
        out[i] = table[4 * a->truth[i * a->step] + b->truth[i * b->step]];
    memcpy(a->truth, out, n);
    a->step |= b->step;
}

/* The arguments of IN begin at R. */
static void call(struct machine *m, const struct instr *in, struct reg *r)
{
    union {
        uint8_t truth[STRIP];
        struct odp_slice text[STRIP];
        struct num num[STRIP];
    } out;
    struct expr_cell arg[EXPR_ARGS], value;
    enum kind gives = expr_call_gives(in);
    size_t step = 0;
    for (uint32_t k = 0; k < in->field; k++)
        step |= r[k].step;
    uint32_t n = step == 0 ? 1 : m->n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < in->field; k++) {
            enum kind kind = expr_call_takes(in, k);
            if (kind == KIND_BOOL)
                arg[k].truth = r[k].truth[i * r[k].step];
            else if (is_text(kind))
                arg[k].text = r[k].text[i * r[k].step];
            else
                arg[k].num = r[k].num[i * r[k].step];
        }
        value = expr_call(in, arg, m->scratch);
        if (gives == KIND_BOOL)
            out.truth[i] = value.truth;
        else if (is_text(gives))
            out.text[i] = value.text;
        else
            out.num[i] = value.num;
    }
    memcpy(r->room, &out, n * (gives == KIND_BOOL ? 1 : is_text(gives) ? sizeof *out.text : sizeof *out.num));
    r->step = step;
}

/* Registers an instruction leaves fewer than it takes, minus one it gives: see expr_emit (program.c). */
static enum odp_status run(struct machine *m, const struct instr *in)
{
    struct reg *r = m->reg + m->top; /* the next free register; r[-1] is the top */
    enum op op = (enum op)in->op;
    switch (op) {
    case OP_FIELD:
        load_field(m, in, r);
        m->top++;
        return ODP_OK;
    case OP_CONST_NUM:
    case OP_CONST_TEXT:
    case OP_CONST_BOOL:
        load_constant(in, r);
        m->top++;
        return ODP_OK;
    case OP_GEOMETRY:
        load_geometry(m, r);
        m->top++;
        return ODP_OK;
    case OP_SPATIAL:
        m->top++;
        return spatial(m, in, r);
    case OP_IN_BEGIN:
        memset(r->truth, ODP_FALSE, m->n);
        r->step = 1;
        m->top++;
        return ODP_OK;
    case OP_NEG:
        for (uint32_t i = 0; i < (r[-1].step == 0 ? 1 : m->n); i++)
            r[-1].num[i] = num_neg(r[-1].num[i]);
        return ODP_OK;
    case OP_NOT:
        for (uint32_t i = 0; i < (r[-1].step == 0 ? 1 : m->n); i++)
            r[-1].truth[i] = not_of(r[-1].truth[i]);
        return ODP_OK;
    case OP_CALL:
        call(m, in, r - in->field);
        m->top -= in->field - 1;
        return ODP_OK;
    case OP_IS_NULL:
        is_null(m, in, &r[-1]);
        return ODP_OK;
    case OP_BETWEEN:
        between(m, in, &r[-3], &r[-2], &r[-1]);
        m->top -= 2;
        return ODP_OK;
    case OP_IN_ITEM:
        in_item(m, in, &r[-3], &r[-2], &r[-1]);
        break;
    case OP_IN_END:
        in_end(m, in, &r[-2], &r[-1]);
        break;
    case OP_LIKE:
        like(m, in, &r[-2], &r[-1]);
        break;
    case OP_AND:
    case OP_OR:
        logic(m, op, &r[-2], &r[-1]);
        break;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
        arithmetic(m, op, &r[-2], &r[-1]);
        break;
    default:
        comparison(m, in, &r[-2], &r[-1]);
        break;
    }
    m->top--;
    return ODP_OK;
}

/* A value that was reported must not be reported again by a rule. */
static void forget_bad(const struct odp_expr *e, const struct odp_batch *b, uint8_t *out)
{
    for (uint32_t f = 0; f < e->nfields; f++) {
        const uint8_t *state = b->columns[e->fields[f]].state, *end = state + b->nrecords;
        const uint8_t *bad =
            state != NULL && b->nrecords > 0 ? memchr(state, ODP_VALUE_BAD, b->nrecords) : NULL;
        for (; bad != NULL; bad = memchr(bad, ODP_VALUE_BAD, (size_t)(end - bad))) {
            out[bad - state] = ODP_UNKNOWN;
            if (++bad == end)
                break;
        }
    }
    for (uint32_t i = 0; e->geometry != NULL && b->records != NULL && i < b->nrecords; i++)
        if ((b->records[i].flags & ODP_RECORD_GEOMETRY_BAD) != 0)
            out[i] = ODP_UNKNOWN;
}

struct reg *expr_registers(struct odp_arena *a, uint32_t depth, size_t rows)
{
    struct reg *reg = odp_arena_zero(a, depth, sizeof *reg);
    for (uint32_t i = 0; i < depth; i++)
        reg[i].room = odp_arena_array(a, rows, sizeof(struct num));
    return reg;
}

enum odp_status odp_expr_eval(const struct odp_expr *e, const struct odp_batch *b, struct odp_arena *scratch,
                              uint8_t *out)
{
    struct machine m = {.batch = b, .scratch = scratch, .reg = expr_registers(scratch, e->depth, STRIP)};
    if (m.reg == NULL)
        return ODP_FAIL;
    for (m.first = 0; m.first < b->nrecords; m.first += m.n) {
        m.n = b->nrecords - m.first < STRIP ? b->nrecords - m.first : STRIP;
        m.top = 0;
        for (uint32_t i = 0; i < e->n; i++)
            if (run(&m, &e->code[i]) != ODP_OK)
                return ODP_FAIL;
        for (uint32_t i = 0; i < m.n; i++)
            out[m.first + i] = m.reg[0].truth[i * m.reg[0].step];
    }
    forget_bad(e, b, out);
    return ODP_OK;
}

enum odp_status expr_eval_row(const struct odp_expr *e, struct reg *reg, const struct expr_cell *cells,
                              struct odp_slice shape, struct odp_arena *scratch, uint8_t *truth)
{
    struct machine m = {.cells = cells, .shape = shape, .scratch = scratch, .reg = reg, .n = 1};
    for (uint32_t i = 0; i < e->n; i++)
        if (run(&m, &e->code[i]) != ODP_OK)
            return ODP_FAIL;
    *truth = reg[0].truth[0];
    return ODP_OK;
}
