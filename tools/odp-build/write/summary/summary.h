/* The summary of a resource: its measures (catalog/model.h) of all records, by time, and by place, as one
 * small document. What pages, charts and maps say of a table in figures, they read there (docs/formats.md
 * has its form). Sums are exact and do not depend on the order of records. */
#pragma once

#include "catalog/records/code_lists.h"
#include "catalog/records/row_places.h"

struct odp_summary;

/* ROWS (may be NULL) know the places of the records that R's lead to. */
struct odp_summary *odp_summary_new(const struct odp_resource *r, const struct odp_row_places *rows);
void odp_summary_free(struct odp_summary *s); /* NULL is allowed */
/* FIELD: schema.n canonical texts, ptr NULL for null. One thread at a time. */
void odp_summary_add(struct odp_summary *s, const struct odp_slice *field);
/* After the last record, once: the document. CODES (may be NULL) know the places above places. */
enum odp_status odp_summary_json(struct odp_summary *s, const struct odp_code_lists *codes,
                                 struct odp_buffer *out) ODP_MUST_USE;
