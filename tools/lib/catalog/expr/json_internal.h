/* Inside of catalog/expr: CQL2 JSON (json.c), its tokens (json_tokens.c) and geometries (json_geometry.c). */
#pragma once

#include "catalog/expr/expr_internal.h"

#define EXPR_SHAPES_MAX (1 << 20) /* bytes of all geometries as text */

/* Where a part of the document stands. */
struct place {
    const struct place *up; /* NULL: the document itself */
    const char *key;        /* NULL: the item INDEX of an array */
    size_t index;
    unsigned depth;
};

/* A fault latches as in the compiler. */
struct json_writer {
    struct compiler c;
    const struct place **places; /* by token */
    size_t n, bytes, shapes;
    unsigned depth;
    const struct place *at; /* of the fault */
};

void expr_json_wrong(struct json_writer *w, const struct place *at, const char *id, const char *en);
const struct place *expr_json_member(struct json_writer *w, const struct place *up, const char *key,
                                     size_t index);
/* BYTES: what it takes of the limit of an expression. */
void expr_json_token(struct json_writer *w, const struct place *at, enum token_kind kind,
                     struct odp_slice text, size_t bytes);
/* The shortest text of the number, in the arena. */
struct odp_slice expr_json_number(struct json_writer *w, const json_t *j);
/* A GeoJSON geometry or {"bbox": […]}. */
void expr_json_geometry(struct json_writer *w, const json_t *j, const struct place *at);
