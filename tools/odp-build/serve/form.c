#include "serve/form.h"

#include "metadata/metadata.h"

enum { EXAMPLES = 10 };

enum odp_status serve_form_answer(const struct serve_form *f, const struct odp_slice *body,
                                  struct odp_buffer *page)
{
    struct odp_diags *diags = NULL;
    struct odp_catalog *catalog = NULL;
    enum odp_status status = odp_diags_new(&diags, EXAMPLES);
    if (status == ODP_OK)
        status = odp_catalog_open(&catalog, f->catalog, diags);
    const struct odp_metadata_request q = {.catalog = catalog,
                                           .slug = *f->slug != '\0' ? f->slug : NULL,
                                           .token = f->token,
                                           .lang = f->lang,
                                           .saved = f->saved};
    if (status == ODP_OK && q.slug != NULL && odp_catalog_find(catalog, q.slug) == NULL)
        status = ODP_BAD;
    if (status == ODP_OK && body == NULL)
        status = odp_metadata_page(&q, page);
    else if (status == ODP_OK && (status = odp_metadata_save(&q, *body, page)) == ODP_BAD)
        status = ODP_DONE;
    odp_catalog_close(catalog);
    odp_diags_free(diags);
    return status;
}
