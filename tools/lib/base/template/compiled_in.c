/* A page of a set that is compiled in whole, written at once. */
#include <string.h>

#include "base/json_load.h"
#include "base/template/template.h"

enum { PAGES_MAX = 8 };

enum odp_status odp_templates_write(const struct odp_template_text *texts, const unsigned char *models,
                                    const char *page, enum odp_lang lang, json_t *m, struct odp_buffer *out)
{
    struct odp_templates *templates = NULL;
    struct odp_diags *faults = NULL;
    struct odp_template_model model[PAGES_MAX];
    const char *text = (const char *)models, *name;
    json_t *pages = odp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL), *common = json_object(),
           *names;
    struct odp_templates_options o = {.texts = texts, .common = common, .models = model};
    json_object_foreach(pages, name, names) model[o.nmodels++] = (struct odp_template_model){name, names};
    enum odp_status status = odp_diags_new(&faults, 1);
    if (status == ODP_OK)
        status = odp_templates_open(&templates, &o, faults);
    if (status == ODP_BAD)
        status = odp_failure_set("open the templates of", page, 0);
    if (status == ODP_OK)
        status = odp_templates_render(templates, page, lang, (const json_t *const[]){m}, 1, out);
    odp_templates_close(templates);
    odp_diags_free(faults);
    json_decref(common);
    json_decref(pages);
    json_decref(m);
    return status;
}
