/* An expression over one record whose values come from the query index (catalog/index/search.h: `data`): what
 * the SQL function odp_eval asks. odp_row_program is immutable and shared; odp_row is one statement's state,
 * so that a record costs no allocation. */
#pragma once

#include "catalog/expr/expr.h"

/* What a pointer "odp_eval" points to (sql.h). Lives in the arena of the statement's text. */
struct odp_row_program;
uint32_t odp_row_program_fields(const struct odp_row_program *p);
bool odp_row_program_geometry(const struct odp_row_program *p); /* the shape follows the fields */

struct odp_row;
enum odp_status odp_row_new(struct odp_row **out, const struct odp_row_program *p) ODP_MUST_USE;
void odp_row_free(struct odp_row *r); /* NULL is allowed */

/* The next record: all values are null until they are set. FIELD: 0 … fields - 1. Texts are borrowed until
 * odp_row_eval returns. */
void odp_row_begin(struct odp_row *r);
void odp_row_set_int(struct odp_row *r, uint32_t field, int64_t v);
void odp_row_set_real(struct odp_row *r, uint32_t field, double v);
void odp_row_set_text(struct odp_row *r, uint32_t field, struct odp_slice text);
void odp_row_set_blob(struct odp_row *r, uint32_t field, struct odp_slice literal);
void odp_row_set_shape(struct odp_row *r, struct odp_slice shape);
enum odp_status odp_row_eval(struct odp_row *r, uint8_t *truth) ODP_MUST_USE; /* enum odp_truth */
