/* Inside of site/pages: the pages of the documentation. */
#ifndef ODP_SITE_PAGES_DOCS_INTERNAL_H
#define ODP_SITE_PAGES_DOCS_INTERNAL_H

#include "site/clients/client.h"
#include "site/pages/pages_internal.h"

struct docs {
    struct portal *p;
    enum odp_lang lang;
    json_t *libraries; /* the array "languages" of odp_client_description, made ready for templates; empty:
                          there are none */
    struct odp_doc doc;
};

/* docs_sample.c: the member "sample" of DATA; none where no dataset has a preview. */
enum odp_status docs_sample(struct docs *d, json_t *data) ODP_MUST_USE;

/* docs_prose.c: Markdown as HTML, in both languages; INLINE: within a line. */
json_t *docs_prose(struct docs *d, const json_t *text, bool within_line);

/* ---- docs_libraries.c ------------------------------------------------------------------------------- */
/* Fills d->libraries. */
void docs_libraries(struct docs *d);
/* The libraries side by side. */
json_t *docs_compare(struct docs *d);
/* Which library the page in the making is of; NULL: none. */
void docs_set_current(struct docs *d, const json_t *library);
/* The page of LANGUAGE. */
enum odp_path docs_library_path(const char *language);

#endif
