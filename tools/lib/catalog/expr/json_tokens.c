/* The tokens that a CQL2 JSON document becomes, each with the place it came from. */
#include <stdio.h>
#include <stdlib.h>

#include "catalog/expr/json_internal.h"
#include "words/expr.h"

enum odp_status expr_json_wrong(struct json_writer *w, const struct place *at, const char *id, const char *en,
                                struct odp_slice first)
{
    w->at = at;
    return expr_fault_about(&w->c, 0, 0, id, en, first, first);
}

const struct place *expr_json_member(struct json_writer *w, const struct place *up, const char *key, size_t index)
{
    struct place *p = odp_arena_alloc(w->c.arena, sizeof *p);
    *p = (struct place){.up = up, .key = key, .index = index, .depth = up->depth + 1};;
    return p;
}

enum odp_status expr_json_token(struct json_writer *w, const struct place *at, enum token_kind kind, struct odp_slice text,
                                size_t bytes)
{
    w->bytes += bytes < EXPR_TEXT_MAX ? bytes : EXPR_TEXT_MAX + 1;
    if (w->bytes > EXPR_TEXT_MAX)
        return expr_json_wrong(w, at, W_expr_expression_longer_than_65_536, (struct odp_slice){0});
    if (w->n == w->cap) {
        size_t cap = w->cap > 0 ? w->cap * 2 : 64;
        struct token *tokens = odp_arena_array(w->c.arena, cap, sizeof *tokens);
        const struct place **places = odp_arena_array(w->c.arena, cap, sizeof(const struct place *));
        if (w->n > 0) {
            memcpy(tokens, w->c.tokens, w->n * sizeof *tokens);
            memcpy(places, w->places, w->n * sizeof(const struct place *));
        }
        w->c.tokens = tokens;
        w->places = places;
        w->cap = cap;
    }
    w->c.tokens[w->n] = (struct token){kind, (uint32_t)w->n, kind != TOKEN_END, text};
    w->places[w->n++] = at;
    return ODP_OK;
}

int expr_json_number(const json_t *j, char out[EXPR_JSON_NUMBER])
{
    if (json_is_integer(j))
        return snprintf(out, EXPR_JSON_NUMBER, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
    double v = json_real_value(j);
    int n = 0;
    for (int digits = 15; digits <= 17; digits++) {
        n = snprintf(out, EXPR_JSON_NUMBER, "%.*g", digits, v);
        if (strtod(out, NULL) == v)
            break;
    }
    return n;
}
