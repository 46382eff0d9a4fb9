/* Inside of build/portal: the pages of the documentation. */
#ifndef ODP_PORTAL_DOCS_PARTS_H
#define ODP_PORTAL_DOCS_PARTS_H

#include "portal/dataset_parts.h"

struct docs {
    struct portal *p;
    enum odp_lang lang;
    struct odp_doc doc;
};

/* The word KEY, or KEY where there is none. */
const char *docs_word(const struct docs *d, const char *key);
/* docs_sample.c: the member "sample" of DATA; none where no dataset has a preview. */
enum odp_status docs_sample(struct docs *d, json_t *data) ODP_MUST_USE;

#endif
