/* Inside of metadata: the form's page. */
#pragma once

#include "base/digest.h"
#include "base/json_load.h"
#include "metadata/metadata_internal.h"

struct form {
    const struct odp_metadata_request *q;
    struct entries list;
    json_t *faults; /* of the page being made */
    uint64_t gaps;
    bool has_fields;
};

/* page.c. The page of what F->list has and was said; PROBLEM: of the whole, or NULL. */
enum odp_status form_page(struct form *f, const struct odp_text *problem,
                          struct odp_buffer *out) ODP_MUST_USE;
enum odp_status form_digest(const struct entries *l, char out[ODP_SHA256_HEX]) ODP_MUST_USE;
