/* What codes mean: for every code list that a single field of a dataset points into, its codes in the list's
 * order with their labels: the list's field "nama" (else its first public text besides the code), and
 * "nama_en" in English. Filled while the lists are read, which is before the datasets that use them;
 * read-only then. */
#pragma once

#include "catalog/records/batch.h"

enum { ODP_CODES_MAX = 10000 }; /* kept of one list */

struct odp_code_label {
    struct odp_slice code;
    struct odp_text text;
};
struct odp_code_list {
    const struct odp_resource *resource; /* the edition */
    struct odp_code_label *labels;
    size_t n;
    bool whole; /* false: it has more codes than are kept here */
};

struct odp_code_lists;
/* In A. */
enum odp_status odp_code_lists_new(struct odp_code_lists **out, const struct odp_catalog *c,
                                   struct odp_arena *a) ODP_MUST_USE;
/* The resource is read from its start. */
void odp_code_lists_begin(struct odp_code_lists *l, const struct odp_resource *r);
/* The records of a batch, in order. Others than those needed are passed over. */
enum odp_status odp_code_lists_take(struct odp_code_lists *l, const struct odp_batch *b) ODP_MUST_USE;
/* The list that FIELD of R points into; NULL: into none. */
const struct odp_code_list *odp_code_lists_of(const struct odp_code_lists *l, const struct odp_resource *r,
                                              uint32_t field);
/* Of VALUE of field FIELD of R; empty: not known. */
struct odp_text odp_code_lists_find(const struct odp_code_lists *l, const struct odp_resource *r,
                                    uint32_t field, struct odp_slice value);
