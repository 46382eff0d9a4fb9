/* The service's templates and their model are compiled in; opened once, shared by all threads. */
#include "service/http/pages.h"

#include <string.h>

#include "base/json_load.h"

enum { PAGES_MAX = 32 };
extern const struct odp_template_text odp_service_pages[]; /* of templates/service */
extern const unsigned char odp_service_model[];

enum odp_status odp_pages_open(struct odp_templates **out)
{
    struct odp_template_model models[PAGES_MAX];
    const char *name, *text = (const char *)odp_service_model;
    struct odp_diags *diags = NULL;
    json_t *names, *model = odp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL);
    size_t n = 0;
    *out = NULL;
    json_object_foreach(json_object_get(model, "pages"), name, names) if (n < PAGES_MAX) models[n++] =
        (struct odp_template_model){name, names};
    const struct odp_templates_options o = {.texts = odp_service_pages,
                                            .common = json_object_get(model, "common"),
                                            .models = models,
                                            .nmodels = n};
    enum odp_status st = model != NULL ? odp_diags_new(&diags, 0) : ODP_FAIL;
    if (st == ODP_OK)
        st = odp_templates_open(out, &o, diags);
    odp_diags_free(diags);
    json_decref(model);
    return st == ODP_OK ? ODP_OK : odp_failure_set("open", "templates/service", 0);
}
