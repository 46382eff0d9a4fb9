/* The pages of templates/report, which are compiled in, written of a model. */
#include <string.h>

#include "base/json_load.h"
#include "base/template/template.h"
#include "report/report_internal.h"

extern const struct odp_template_text odp_report_templates[];
extern const unsigned char odp_report_model_json[];

enum { PAGES_MAX = 4 };

/* Opened for each report: there is one of a kind in a run. What is wrong with our own templates is no fault
 * of the data. */
enum odp_status report_write(const char *page, const json_t *m, enum odp_lang lang, struct odp_buffer *out)
{
    struct odp_templates *templates = NULL;
    struct odp_diags *faults = NULL;
    struct odp_template_model models[PAGES_MAX];
    const char *text = (const char *)odp_report_model_json, *name;
    json_t *pages = odp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL), *common = json_object(),
           *names;
    struct odp_templates_options o = {.texts = odp_report_templates, .common = common, .models = models};
    json_object_foreach(pages, name, names) models[o.nmodels++] = (struct odp_template_model){name, names};
    enum odp_status status = odp_diags_new(&faults, 1);
    if (status == ODP_OK)
        status = odp_templates_open(&templates, &o, faults);
    if (status == ODP_BAD)
        status = odp_failure_set("open the templates of", "reports", 0);
    if (status == ODP_OK)
        status = odp_templates_render(templates, page, lang, &m, 1, out);
    odp_templates_close(templates);
    odp_diags_free(faults);
    json_decref(common);
    json_decref(pages);
    return status;
}
