/* An expression as a condition of SQL, for the query index (catalog/index/search.h). Values are bound, never
 * written into the text; the only names in it are the caller's. Where SQLite would answer otherwise than
 * eval.c (arithmetic, wide numbers, comparisons with more than 15 digits), odp_eval asks eval.c; so both give
 * the same truth for every record.
 *
 * The connection must have odp_like, odp_casei, odp_spatial, odp_eval and odp_pack
 * (service/queries/engine/functions.h).
 *
 * A spatial function that must hold (under AND and OR alone) also gets a condition on the R*Tree, and LIKE
 * with a fixed beginning one on the range of texts, so that indexes are used. */
#pragma once

#include "base/buffer.h"
#include "catalog/expr/expr.h"

enum odp_sql_kind { ODP_SQL_NULL, ODP_SQL_INT, ODP_SQL_REAL, ODP_SQL_TEXT, ODP_SQL_BLOB, ODP_SQL_POINTER };
struct odp_sql_value {
    enum odp_sql_kind kind;
    int64_t i;
    double r;
    struct odp_slice text;    /* TEXT, BLOB */
    const void *pointer;      /* POINTER, and its type */
    const char *pointer_type; /* literal: "odp_spatial", "odp_eval" */
};

/* A text of SQL with a value for each of its ?, in order. All memory in ARENA. */
struct odp_sql {
    struct odp_arena *arena;
    struct odp_buffer text; /* released by odp_sql_release */
    struct odp_sql_value *values;
    uint32_t n;
};
void odp_sql_init(struct odp_sql *s, struct odp_arena *arena);
void odp_sql_release(struct odp_sql *s);
void odp_sql_bind(struct odp_sql *s, const struct odp_sql_value *v); /* appends "?" and V */

/* The fields of the schema in the table of records. Names are quoted identifiers. */
struct odp_sql_table {
    const char *alias;            /* of the table: "d" */
    const char *const *columns;   /* by field */
    const char *geometry, *rtree; /* its column and R*Tree; NULL: none */
    const char *name;             /* the table itself */
    const bool *wide;             /* by field: see search.h */
    bool no_box; /* no R*Tree conditions: nearly all records match, and are read in another order */
};
/* Appends a condition that is 1 exactly where E is TRUE; it may be 0 or NULL where E is FALSE or UNKNOWN. E,
 * T's texts and what is bound must outlive the statement's run. */
enum odp_status odp_expr_sql(const struct odp_expr *e, const struct odp_sql_table *t,
                             struct odp_sql *out) ODP_MUST_USE;
/* If one R*Tree search finds all of E, a single spatial function (*IS): appends "SELECT id FROM <rtree> WHERE
 * …", the matching records, each once, in no order. For an outer loop of a join, or to be counted: "id IN
 * (…)" would collect them first, at twice the price. */
enum odp_status odp_expr_sql_search(const struct odp_expr *e, const struct odp_sql_table *t,
                                    struct odp_sql *out, bool *is) ODP_MUST_USE;

/* TEXT, a parameter's value, as the table has it in a column of TYPE; BAD: it is none (*EXPECTED). */
enum odp_status odp_sql_literal(struct odp_slice text, enum odp_type type, struct odp_arena *a,
                                struct odp_sql_value *out, struct odp_text *expected) ODP_MUST_USE;
