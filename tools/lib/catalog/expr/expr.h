/* The one expression language: CQL2 (OGC 21-065r2), as text and as JSON, for row rules, API filters and
 * webhook conditions.
 *
 *   a <= b · tanggal_selesai >= tanggal_mulai AND nilai > 0 · tingkat IN ('Ringan','Berat') · x BETWEEN 1 AND
 * 5 · nama LIKE 'Kel.%' y IS NOT NULL · NOT (a = b OR c <> 0) · + - * / · DATE('2024-01-01') ·
 * TIMESTAMP('2024-01-01T00:00:00Z') · "quoted name" · TRUE
 *
 * Three-valued logic: a comparison with null is null; a row rule is broken only where it is false.
 * Arithmetic is decimal and exact for + - * (38 digits; beyond that, and for /, rounded half even at 20
 * decimals); division by zero is null. Text compares by bytes, dates and times by instant, false is less
 * than true, LIKE is case-sensitive with % _ and escape \. Identifiers are field names. Functions take
 * values (call.c): a null makes them null, but for COALESCE. A result whose integer part has more than 38
 * digits is null; fields of any length are compared exactly. In a text literal '' and \' are a quote, \\ a
 * backslash, \a \b \t \n \v \f \r control characters; any other backslash stays. An expression is checked
 * against a schema when compiled (types of both sides must fit), immutable, shared by threads. */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "catalog/expr/spatial.h"
#include "catalog/records/batch.h"

struct odp_expr;

struct odp_expr_fault {
    size_t at, len; /* bytes of the text that are wrong */
    struct odp_text message;
};

enum odp_truth { ODP_FALSE = 0, ODP_TRUE = 1, ODP_UNKNOWN = 2 };
/* For every record of B (typed): OUT[i] = enum odp_truth. A record that uses a BAD value is ODP_UNKNOWN.
 * SCRATCH is the caller's (a worker's) and is reset by the caller. */
enum odp_status odp_expr_eval(const struct odp_expr *e, const struct odp_batch *b, struct odp_arena *scratch,
                              uint8_t *out) ODP_MUST_USE;

/* ---- geometry, and CQL2 JSON ----
 *
 * Spatial functions (spatial.h) take the record's geometry, by SCOPE's name, and a literal, in either order:
 * S_INTERSECTS(geometry, BBOX(106,-7,107,-6)) · S_WITHIN(geometry, POLYGON((…))). Such an expression holds
 * what GEOS prepared: release it. */
struct odp_expr_scope {
    const struct odp_schema *schema;
    const char *geometry;      /* the name of the records' geometry; NULL: they have none */
    const char *const *others; /* names of further geometries, ended by NULL: S_WITHIN(geometry,
                                  kawasan.geometry); or NULL */
};
/* BAD: FAULT says what is wrong and where. Expression and texts live in ARENA. */
enum odp_status odp_expr_compile_in(struct odp_arena *arena, struct odp_slice text,
                                    const struct odp_expr_scope *scope, const struct odp_expr **out,
                                    struct odp_expr_fault *fault) ODP_MUST_USE;

struct odp_expr_json_fault {
    const char *pointer; /* RFC 6901: "/args/0/args/1" */
    struct odp_text message;
};
/* CQL2 JSON (OGC 21-065, annex). The same language, the same faults. */
enum odp_status odp_expr_compile_json(struct odp_arena *arena, const json_t *json,
                                      const struct odp_expr_scope *scope, const struct odp_expr **out,
                                      struct odp_expr_json_fault *fault) ODP_MUST_USE;
/* Frees prepared geometries, before the arena. E may be NULL. */
void odp_expr_release(const struct odp_expr *e);
/* A AND B (either may be NULL), over the same scope; both stay the caller's to release, and must outlive it.
 */
enum odp_status odp_expr_and(struct odp_arena *arena, const struct odp_expr *a, const struct odp_expr *b,
                             const struct odp_expr **out) ODP_MUST_USE;
struct odp_expr_values {
    const struct odp_slice *list;
    size_t n;
};
/* FIELD (index in the schema) = the one of VALUES, or IN all of them; without quotes, as in a parameter. BAD:
 * one is not of the field's type (or the type cannot be compared); *EXPECTED describes what is. */
enum odp_status odp_expr_equal(struct odp_arena *arena, const struct odp_expr_scope *scope, uint32_t field,
                               struct odp_expr_values values, const struct odp_expr **out,
                               struct odp_text *expected) ODP_MUST_USE;
/* S_INTERSECTS(geometry, BBOX) of west, south, east, north in degrees. BAD: no such box (odp_spatial_box). */
enum odp_status odp_expr_box(struct odp_arena *arena, const struct odp_expr_scope *scope, const double box[4],
                             const struct odp_expr **out) ODP_MUST_USE;
/* The normal form: equal structures are equal texts (spelling of keywords, spaces, needless parentheses,
 * forms of literals do not matter); equal meaning is not recognised. */
enum odp_status odp_expr_normal(const struct odp_expr *e, struct odp_buffer *out) ODP_MUST_USE;

/* A function of values: call.c has the list, in order of its reading. */
struct odp_expr_function {
    const char *name, *form; /* "SUBSTR", "SUBSTR(x, i[, n])" */
    const char *arguments;   /* a letter each, the last for all that follow: s text, n number, i whole number,
                                b truth, d date or month, * anything of one kind */
    char returns;
    uint8_t least, most; /* arguments */
    const char *like;    /* with a literal it is LIKE this, = for the literal; or NULL */
};
const struct odp_expr_function *odp_expr_function(size_t i); /* NULL: there are no more */

/* Orders two canonical texts of TYPE (one that has an order) as expressions do: <0, 0, >0. */
int odp_expr_compare(enum odp_type type, struct odp_slice a, struct odp_slice b);
/* OP(geometry, others[OTHER]), a spatial function of two geometries of the records. The caller evaluates it:
 * for odp_expr_eval, pair K is a boolean in column schema->n + K of the batch. Only odp_expr_eval takes such
 * expressions. */
struct odp_expr_pair {
    enum odp_spatial_op op;
    uint32_t other;
};
const struct odp_expr_pair *odp_expr_pairs(const struct odp_expr *e, size_t *n);
/* Whether it names the records' geometry. */
bool odp_expr_has_geometry(const struct odp_expr *e);

/* The fields it names, by schema index, in order of first use; for messages and for pushing down. Pairs are
 * schema->n and on. */
const uint32_t *odp_expr_fields(const struct odp_expr *e, size_t *n);
