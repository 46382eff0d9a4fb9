/* What the values of a sliced field mean, out of the code list that the field's foreign key points into: its field "nama" (else its
 * first public text besides the code) is the label, "nama_en" the English one. */
#ifndef ODP_SLICE_LABELS_H
#define ODP_SLICE_LABELS_H

#include "table/batch.h"

struct odp_slice_labels;

/* In A; holds the labels of the code lists that odp:slices of C need, 10,000 of each at most. */
enum odp_status odp_slice_labels_new(struct odp_slice_labels **out, const struct odp_catalog *c, struct odp_arena *a) ODP_MUST_USE;
/* The resource is read from its start. */
void odp_slice_labels_begin(struct odp_slice_labels *l, const struct odp_resource *r);
/* The records of a batch, in order. Others than those needed are passed over. */
enum odp_status odp_slice_labels_take(struct odp_slice_labels *l, const struct odp_batch *b) ODP_MUST_USE;
/* Of VALUE of field FIELD of R; empty: not known. */
struct odp_text odp_slice_labels_find(const struct odp_slice_labels *l, const struct odp_resource *r, uint32_t field,
                                      struct odp_slice value);

#endif
