/* The tokens of a document, each with the place it came from. */
#include "catalog/expr/json_internal.h"

#include "catalog/expr/spatial_internal.h"
#include "words/expr.h"

void expr_json_wrong(struct json_writer *w, const struct place *at, const char *id, const char *en)
{
    if (w->c.status == ODP_OK)
        w->at = at;
    expr_fault(&w->c, 0, 0, id, en);
}

const struct place *expr_json_member(struct json_writer *w, const struct place *up, const char *key,
                                     size_t index)
{
    struct place *p = odp_arena_alloc(w->c.arena, sizeof *p);
    *p = (struct place){.up = up, .key = key, .index = index, .depth = up->depth + 1};
    return p;
}

void expr_json_token(struct json_writer *w, const struct place *at, enum token_kind kind,
                     struct odp_slice text, size_t bytes)
{
    w->bytes += bytes < EXPR_TEXT_MAX ? bytes : EXPR_TEXT_MAX + 1;
    if (w->bytes > EXPR_TEXT_MAX)
        expr_json_wrong(w, at, W_expr_expression_longer_than_65_536);
    if (w->c.status != ODP_OK)
        return;
    w->c.tokens = odp_arena_more(w->c.arena, w->c.tokens, w->n, sizeof *w->c.tokens);
    w->places = odp_arena_more(w->c.arena, w->places, w->n, sizeof *w->places);
    w->c.tokens[w->n] = (struct token){kind, (uint32_t)w->n, kind != TOKEN_END, text};
    w->places[w->n++] = at;
}

struct odp_slice expr_json_number(struct json_writer *w, const json_t *j)
{
    char room[SPATIAL_NUMBER];
    if (json_is_integer(j))
        return odp_slice_of(odp_arena_printf(w->c.arena, "%" JSON_INTEGER_FORMAT, json_integer_value(j)));
    return odp_arena_copy(w->c.arena, (struct odp_slice){room, spatial_number(json_real_value(j), room)});
}
