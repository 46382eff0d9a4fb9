/* Faults of expressions in both languages. */
#include <string.h>

#include "base/buffer.h"
#include "base/nearest.h"
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

enum { LISTED = 300 /* bytes of names */ };

const char *expr_fill(struct odp_arena *a, const char *text, struct odp_slice first, struct odp_slice second)
{
    size_t n = 0; /* each is named twice at most */
    char *out = odp_arena_alloc(a, strlen(text) + first.len * 2 + second.len * 2 + 1);
    while (*text != '\0') {
        if (strncmp(text, "{0}", 3) != 0 && strncmp(text, "{1}", 3) != 0) {
            out[n++] = *text++;
            continue;
        }
        struct odp_slice arg = text[1] == '0' ? first : second;
        if (arg.len > 0)
            memcpy(out + n, arg.ptr, arg.len);
        n += arg.len;
        text += 3;
    }
    out[n] = '\0';
    return out;
}

void expr_stop(struct compiler *c, enum odp_status status)
{
    if (c->status == ODP_OK)
        c->status = status;
    c->at = c->last;
}

void expr_fault(struct compiler *c, size_t at, size_t end, const char *id, const char *en)
{
    if (c->status == ODP_OK)
        *c->fault = (struct odp_expr_fault){at, end > at ? end - at : 0, {{id, en}}};
    expr_stop(c, ODP_BAD);
}

void expr_fault_token(struct compiler *c, const struct token *t, const char *id, const char *en)
{
    expr_fault(c, t->at, t->at + t->len, id, en);
}

void expr_fault_about(struct compiler *c, const struct token *t, const char *id, const char *en,
                      struct odp_slice first, struct odp_slice second)
{
    expr_fault_token(c, t, expr_fill(c->arena, id, first, second), expr_fill(c->arena, en, first, second));
}

/* T names no field: the one that was meant is suggested, else those that there are. */
void expr_fault_field(struct compiler *c, const struct token *t)
{
    size_t n = c->schema->n, len = 0;
    struct odp_slice *names = odp_arena_array(c->arena, n + 1, sizeof *names);
    const char *list = "";
    for (size_t i = 0; i < n; i++)
        names[i] = odp_slice_of(c->schema->fields[i].name);
    if (c->geometry != NULL)
        names[n++] = odp_slice_of(c->geometry);
    int near = odp_meant(t->text, names, n);
    if (near >= 0) {
        expr_fault_about(c, t, W_expr_there_no_field_perhaps, t->text, names[near]);
        return;
    }
    for (size_t i = 0; i < n && len < LISTED; i++, len = strlen(list))
        list =
            odp_arena_printf(c->arena, "%s%s%.*s", list, i > 0 ? ", " : "", (int)names[i].len, names[i].ptr);
    if (c->text.ptr != NULL && t > c->tokens && t[-1].kind >= TOKEN_EQ && t[-1].kind <= TOKEN_GE)
        /* level = High, level = "High" */
        expr_fault_about(c, t, W_expr_no_field_perhaps_text, t->text, odp_slice_of(list));
    else
        expr_fault_about(c, t, W_expr_there_no_field_fields, t->text, odp_slice_of(list));
}

struct odp_slice expr_function_names(struct odp_arena *a)
{
    const struct odp_expr_function *f;
    const char *list = "";
    for (size_t i = 0; (f = odp_expr_function(i)) != NULL; i++)
        list = odp_arena_printf(a, "%s%s%s", list, i > 0 ? ", " : "", f->name);
    return odp_slice_of(list);
}

void expr_expected(struct compiler *c, const char *id, const char *en)
{
    static const struct odp_text end = {{W_expr_breaks_off}}, here = {{W_expr_expected_here}};
    const struct token *t = &c->tokens[c->at];
    const struct odp_text *text = t->kind == TOKEN_END ? &end : &here;
    expr_fault_token(c, t,
                     expr_fill(c->arena, text->in[ODP_LANG_ID], odp_slice_of(id), (struct odp_slice){0}),
                     expr_fill(c->arena, text->in[ODP_LANG_EN], odp_slice_of(en), (struct odp_slice){0}));
}
