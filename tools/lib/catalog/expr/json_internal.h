/* Inside of catalog/expr: CQL2 JSON (json.c), its geometries (json_geometry.c), and the tokens that both make (json_tokens.c). */
#ifndef ODP_CATALOG_EXPR_JSON_INTERNAL_H
#define ODP_CATALOG_EXPR_JSON_INTERNAL_H

#include "catalog/expr/expr_internal.h"

#define EXPR_JSON_NUMBER 40        /* bytes of a number */
#define EXPR_SHAPES_MAX  (1 << 20) /* bytes of all geometries as text */

/* Where a part of the document stands. */
struct place {
    const struct place *up; /* NULL: the document itself */
    const char *key;        /* NULL: the item INDEX of an array */
    size_t index;
    unsigned depth;
};

struct json_writer {
    struct compiler c;
    const struct place **places; /* by token */
    size_t n, cap, bytes, shapes;
    unsigned depth;
    const struct place *at; /* of the fault */
};

/* {0} and {1} of both texts are FIRST. */
enum odp_status expr_json_wrong(struct json_writer *w, const struct place *at, const char *id, const char *en, struct odp_slice first) ODP_MUST_USE;
const struct place *expr_json_member(struct json_writer *w, const struct place *up, const char *key, size_t index) ODP_MUST_USE;
/* BYTES: what it takes of the limit of an expression. */
enum odp_status expr_json_token(struct json_writer *w, const struct place *at, enum token_kind kind, struct odp_slice text, size_t bytes) ODP_MUST_USE;
/* The shortest text of the number; returns its length. */
int expr_json_number(const json_t *j, char out[EXPR_JSON_NUMBER]);
/* A GeoJSON geometry or {"bbox": […]}. */
enum odp_status expr_json_geometry(struct json_writer *w, const json_t *j, const struct place *at) ODP_MUST_USE;

#endif
