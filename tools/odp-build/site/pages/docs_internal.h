/* Inside of site/pages: the pages of the documentation. */
#ifndef ODP_SITE_PAGES_DOCS_INTERNAL_H
#define ODP_SITE_PAGES_DOCS_INTERNAL_H

#include "site/clients/client.h"
#include "site/pages/dataset_internal.h"

struct docs {
    struct portal *p;
    enum odp_lang lang;
    const char *root;        /* of the page in the making: "../" */
    const json_t *libraries; /* the array "languages" of odp_client_description; NULL: there are none */
    struct odp_doc doc;
};

/* docs_text.c: the word KEY, or KEY where there is none. */
const char *docs_word(const struct docs *d, const char *key);
/* docs_sample.c: the member "sample" of DATA; none where no dataset has a preview. */
enum odp_status docs_sample(struct docs *d, json_t *data) ODP_MUST_USE;

/* ---- docs_prose.c: Markdown as HTML, in the portal's arena ---- */
const char *docs_prose(struct docs *d, const char *text);
/* The same within a line. */
const char *docs_inline(struct docs *d, const char *text);

/* ---- docs_libraries.c ---- */
/* "libraries" (CURRENT: a language, or NULL), and "compare": the libraries side by side. */
void docs_libraries(struct docs *d, json_t *data, const char *current);
/* "library": all there is of one. */
void docs_library(struct docs *d, json_t *data, const json_t *library);
/* The page of LANGUAGE. */
enum portal_path docs_library_path(const char *language);

#endif
