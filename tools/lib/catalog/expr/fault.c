/* Faults of expressions in both languages. */
#include <string.h>

#include "base/buffer.h"
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

/* TEXT with {0} and {1} filled in, in the arena. */
static const char *fill(struct compiler *c, const char *text, const struct odp_slice args[2])
{
    size_t size = strlen(text) + args[0].len * 2 + args[1].len * 2 + 1, n = 0;
    char *out = odp_arena_alloc(c->arena, size);
    while (*text != '\0') {
        if (text[0] == '{' && (text[1] == '0' || text[1] == '1') && text[2] == '}') {
            const struct odp_slice *arg = &args[text[1] - '0'];
            if (arg->len > 0 && n + arg->len < size) {
                memcpy(out + n, arg->ptr, arg->len);
                n += arg->len;
            }
            text += 3;
        } else if (n + 1 < size) {
            out[n++] = *text++;
        } else {
            break;
        }
    }
    out[n] = '\0';
    return out;
}

enum odp_status expr_fault_about(struct compiler *c, size_t at, size_t end, const char *id, const char *en,
                                 struct odp_slice first, struct odp_slice second)
{
    const struct odp_slice args[2] = {first, second};
    c->fault->at = at;
    c->fault->len = end > at ? end - at : 0;
    c->fault->message.in[ODP_LANG_ID] = fill(c, id, args);
    c->fault->message.in[ODP_LANG_EN] = fill(c, en, args);
    return c->fault->message.in[ODP_LANG_ID] != NULL && c->fault->message.in[ODP_LANG_EN] != NULL ? ODP_BAD : ODP_FAIL;
}

enum odp_status expr_fault(struct compiler *c, size_t at, size_t end, const char *id, const char *en)
{
    return expr_fault_about(c, at, end, id, en, (struct odp_slice){0}, (struct odp_slice){0});
}

enum { LISTED = 300 /* bytes of names */ };

/* T names no field: the one that was meant is suggested, else those that there are. */
enum odp_status expr_fault_field(struct compiler *c, const struct token *t)
{
    size_t n = c->schema->n;
    struct odp_slice *names = odp_arena_array(c->arena, n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = odp_slice_of(c->schema->fields[i].name);
    if (c->geometry != NULL)
        names[n++] = odp_slice_of(c->geometry);
    int near = odp_meant(t->text, names, n);
    if (near >= 0)
        return expr_fault_about(c, t->at, t->at + t->len, W_expr_there_no_field_perhaps, t->text, names[near]);
    struct odp_buffer list;
    odp_buffer_init(&list);
    for (size_t i = 0; i < n && list.len < LISTED; i++) {
        odp_buffer_add_str(&list, i > 0 ? ", " : "");
        odp_buffer_add_slice(&list, names[i]);
    }
    enum odp_status status = expr_fault_about(c, t->at, t->at + t->len, W_expr_there_no_field_fields, t->text, odp_buffer_slice(&list));
    status = odp_buffer_status(&list) == ODP_OK ? status : ODP_FAIL;
    odp_buffer_release(&list);
    return status;
}

enum odp_status expr_expected(struct compiler *c, const char *id, const char *en)
{
    const struct token *t = &c->tokens[c->at];
    if (t->kind == TOKEN_END)
        return expr_fault_about(c, t->at, t->at, "ekspresi terputus: di sini diharapkan {0}",
                                "the expression breaks off: {1} is expected here", odp_slice_of(id), odp_slice_of(en));
    return expr_fault_about(c, t->at, t->at + t->len, "di sini diharapkan {0}", "{1} is expected here", odp_slice_of(id),
                            odp_slice_of(en));
}
